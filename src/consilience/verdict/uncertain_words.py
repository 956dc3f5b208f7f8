"""What distributions say in a sentence: who is expected to score highest, and if it is settled.

*Settled* means: the first system beats the second by F1 with at least the probability of the level,
for these queries and given this belief.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.verdict.agreement import caveat_of

if TYPE_CHECKING:
    from consilience.verdict.duels import Duel
    from consilience.verdict.over_queries import Standing
    from consilience.verdict.uncertain import Distributions

#: Expected values that differ by less are equal.
SAME = 1e-9


def settled(found: Distributions) -> bool:
    """Tell whether the first system beats the second for certain enough, by truth alone."""
    order = _by_f1(found)
    if len(order) < 2 or caveat_of(found.belief):
        return False
    duel = _between(found.duels, order[0].name, order[1].name)
    return duel is not None and duel.paired.greater >= found.level


def headline(found: Distributions) -> str:
    """Say who is expected to score highest by F1, how probably it beats the next, what to do."""
    order = _by_f1(found)
    if not order:
        return "No system has a defined F1: nothing can be relevant."
    over = f"over {len(found.queries):,} queries" if len(found.queries) > 1 else "on the one query"
    if len(order) == 1:
        return f"{order[0].name} has an expected F1 of {_with_interval(order[0])} {over}."
    first, second = order[0], order[1]
    duel = _between(found.duels, first.name, second.name)
    if _certain(found):
        return (
            f"Nothing is random here: the truth is 0 or 1. {_ahead(first, second, over)} "
            "What other queries would bring is told by consilience rank."
        )
    if duel is None:
        return f"{first.name} has the highest expected F1: {_with_interval(first)} {over}."
    return _uncertain(found, first, second, duel, over)


def _uncertain(
    found: Distributions, first: Standing, second: Standing, duel: Duel, over: str
) -> str:
    without = caveat_of(found.belief) is not None
    ahead, behind = duel.paired.greater, duel.paired.less
    beats = "agrees more than" if without else "beats"
    chances = (
        f"{beats} {second.name} ({_figure(second.means['f1'])}) with probability "
        f"{_chance(ahead)} and {'less' if without else 'loses'} with {_chance(behind)}"
    )
    expected = f"{_with_interval(first)} {over}"
    if abs(first.means["f1"] - second.means["f1"]) <= SAME:
        names = f"{first.name} and {second.name}"
        said = f"{names} have the same expected F1, {_with_interval(first)}, {over}"
        return f"Not settled: {said}; {first.name} {chances}, given this belief. {_next(without)}"
    most = "agrees most with the others, by" if without else "has the highest"
    most += " expected F1"
    if ahead < found.level:
        told = f"Not settled: {first.name} {most} ({expected}), but it {chances}"
        return f"{told}, given this belief. {_next(without)}"
    return f"{first.name} {most}: {expected}. It {chances}, given this belief."


def _next(without: bool) -> str:
    if without:
        return "Next step: judgments of the items that only one of them returns."
    return "Next step: more judges for the items that only one of them returns."


def _ahead(first: Standing, second: Standing, over: str) -> str:
    a, b = _figure(first.means["f1"]), _figure(second.means["f1"])
    if abs(first.means["f1"] - second.means["f1"]) <= SAME:
        return f"{first.name} and {second.name} have the same F1 ({a}) {over}."
    return f"{first.name} has the highest F1 ({a}) {over}, ahead of {second.name} ({b})."


def _certain(found: Distributions) -> bool:
    """Tell whether every figure of every list is a single point."""
    spread = (len(one.values["f1"]) > 1 for one in found.outcomes)
    return not any(spread) and caveat_of(found.belief) is None


def _by_f1(found: Distributions) -> list[Standing]:
    known = [one for one in found.standings if not np.isnan(one.means["f1"])]
    return sorted(known, key=lambda one: -one.means["f1"])


def _between(duels: Sequence[Duel], a: str, b: str) -> Duel | None:
    return next((one for one in duels if (one.measure, one.a, one.b) == ("f1", a, b)), None)


def _figure(value: float) -> str:
    return f"{value:.4f}"


def _with_interval(one: Standing) -> str:
    given = one.intervals["f1"]
    between = "" if given is None else f" [{_figure(given[0])}, {_figure(given[1])}]"
    return f"{_figure(one.means['f1'])}{between}"


def _chance(p: float) -> str:
    """Write a probability; never 1 or 0 where it is only near.

    Examples
    --------
    >>> _chance(0.9999), _chance(1.0), _chance(0.25), _chance(0.0)
    ('above 0.999', '1', '0.25', '0')
    """
    if p in (0.0, 1.0):
        return f"{p:.0f}"
    if p > 0.999:
        return "above 0.999"
    return "below 0.001" if p < 0.001 else f"{p:.2f}" if 0.01 <= p <= 0.99 else f"{p:.3f}"
