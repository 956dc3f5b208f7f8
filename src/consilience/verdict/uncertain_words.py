"""What distributions say in a sentence: who is expected to score highest, and if it is settled.

*Settled* means: the first system beats the second with at least the probability of the level,
for these queries and given this belief.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consilience.verdict.agreement import caveat_of

if TYPE_CHECKING:
    from consilience.verdict.duels import Duel
    from consilience.verdict.over_queries import Standing
    from consilience.verdict.uncertain import Distributions

#: The measures that can rank, by the names that users know, and by the names of their keys.
LEADS = {"F1": "f1", "P": "precision", "R": "recall", "AP": "ap"}
#: Expected values that differ by less are equal.
SAME = 1e-9


def settled(found: Distributions) -> bool:
    """Tell whether the first system beats the second for certain enough, by truth alone."""
    order = _in_order(found)
    if len(order) < 2 or caveat_of(found.belief):
        return False
    duel = _between(found, order[0].name, order[1].name)
    return duel is not None and duel.paired.greater >= found.level


def headline(found: Distributions) -> str:
    """Say who is expected to score highest, how probably it beats the next, and what to do."""
    order, name = _in_order(found), found.measure
    if not order:
        return _nobody(found)
    over = f"over {len(found.queries):,} queries" if len(found.queries) > 1 else "on the one query"
    first = order[0]
    mean = _mean(found, first)
    if len(order) == 1:
        return f"{first.name} has an expected {name} of {mean} {over}."
    second = order[1]
    if _certain(found):
        return (
            f"Nothing is random here: the truth is 0 or 1. {_ahead(found, first, second, over)} "
            "What other queries would bring is told by consilience rank."
        )
    if _between(found, first.name, second.name) is None:
        return f"{first.name} has the highest expected {name}: {mean} {over}."
    return _uncertain(found, first, second, over)


def _nobody(found: Distributions) -> str:
    """Say why no system has a value."""
    key = LEADS[found.measure]
    why = next((one.reasons[key] for one in found.standings if one.reasons[key]), None)
    return f"No system has a defined {found.measure}: {why or 'nothing can be relevant'}."


def _uncertain(found: Distributions, first: Standing, second: Standing, over: str) -> str:
    name, without = found.measure, caveat_of(found.belief) is not None
    duel = _between(found, first.name, second.name)
    assert duel is not None
    ahead, draws = duel.paired.greater, duel.paired.draws
    won, lost = (_chance(p, draws) for p in (ahead, duel.paired.less))
    lost = lost if lost[0].isdigit() else f"one {lost}"
    beats = "agrees more than" if without else "beats"
    chances = (
        f"{beats} {second.name} ({_figure(found, second)}) with probability "
        f"{won} and {'less' if without else 'loses'} with {lost}"
    )
    mean = _mean(found, first)
    if _same(found, first, second):
        said = f"{first.name} and {second.name} have the same expected {name}, {mean}, {over}"
        return f"Not settled: {said}; {first.name} {chances}, given this belief. {_next(without)}"
    most = "agrees most with the others, by" if without else "has the highest"
    most += f" expected {name}"
    if ahead < found.level:
        told = f"Not settled: {first.name} {most} ({mean} {over}), but it {chances}"
        return f"{told}, given this belief. {_next(without)}"
    return f"{first.name} {most}: {mean} {over}. It {chances}, given this belief."


def _next(without: bool) -> str:
    if without:
        return "Next step: judgments of the items that only one of them returns."
    return "Next step: more judges for the items that only one of them returns."


def _ahead(found: Distributions, first: Standing, second: Standing, over: str) -> str:
    a, b, name = _figure(found, first), _figure(found, second), found.measure
    if _same(found, first, second):
        return f"{first.name} and {second.name} have the same {name} ({a}) {over}."
    return f"{first.name} has the highest {name} ({a}) {over}, ahead of {second.name} ({b})."


def _same(found: Distributions, first: Standing, second: Standing) -> bool:
    key = LEADS[found.measure]
    return abs(first.means[key] - second.means[key]) <= SAME


def _certain(found: Distributions) -> bool:
    """Tell whether every figure of every list is a single point."""
    spread = (len(one.values["f1"]) > 1 for one in found.outcomes)
    return not any(spread) and caveat_of(found.belief) is None


def _in_order(found: Distributions) -> list[Standing]:
    key = LEADS[found.measure]
    known = [one for one in found.standings if not np.isnan(one.means[key])]
    return sorted(known, key=lambda one: -one.means[key])


def _between(found: Distributions, a: str, b: str) -> Duel | None:
    wanted = LEADS[found.measure], a, b
    return next((one for one in found.duels if (one.measure, one.a, one.b) == wanted), None)


def _figure(found: Distributions, one: Standing) -> str:
    return f"{one.means[LEADS[found.measure]]:.4f}"


def _mean(found: Distributions, one: Standing) -> str:
    given = one.intervals[LEADS[found.measure]]
    between = "" if given is None else f" [{given[0]:.4f}, {given[1]:.4f}]"
    return f"{_figure(found, one)}{between}"


def _chance(p: float, draws: int | None) -> str:
    """Write a probability; 1 and 0 only where all truths were gone through (no draws).

    Examples
    --------
    >>> _chance(0.9999, None), _chance(1.0, None), _chance(0.25, 2000), _chance(0.0, None)
    ('above 0.999', '1', '0.25', '0')
    >>> _chance(0.0, 2000), _chance(1.0, 200)
    ('below 0.001', 'above 0.995')
    """
    if p in (0.0, 1.0) and draws is None:
        return f"{p:.0f}"
    least = max(0.001, 1 / draws) if draws else 0.001
    if p > 1 - least:
        return f"above {1 - least:g}"
    if p < least:
        return f"below {least:g}"
    return f"{p:.2f}" if 0.01 <= p <= 0.99 else f"{p:.3f}"
