"""Which of two systems is nearer to more subjects, and whether that could be chance.

Subjects are the unit: each has one mean quality per system, over the subject's own queries. Two
systems are compared subject by subject. The sign test counts who is served better by which, and
leaves out those who are served alike; its two-sided p is exact. Over several pairs p is corrected
by Holm's step-down rule (:mod:`consilience.verdict.paired_tests`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from consilience.verdict.paired_tests import holm, sign_test

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.verdict.resample import Resampled

#: Qualities that differ by less are equal: rounding.
SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Nearer:
    """Two systems over the same subjects: ``difference`` is a's mean quality minus b's."""

    a: str
    b: str
    nearer_a: int
    nearer_b: int
    equal: int
    difference: float
    interval: tuple[float, float] | None
    p: float
    p_holm: float


def nearer_pairs(
    systems: Sequence[str],
    quality: NDArray[np.float64],
    drawn: Resampled,
    *,
    level: float,
) -> tuple[Nearer, ...]:
    """Compare every two systems over all subjects; in each pair the one with more quality first.

    Parameters
    ----------
    systems
        Their names.
    quality
        Mean qualities, systems × subjects.
    drawn
        Averages over subjects drawn anew, for the intervals of differences.
    level
        The coverage of intervals.
    """
    mean = quality.mean(axis=1)
    order = sorted(range(len(systems)), key=lambda i: -mean[i])
    pairs = []
    for a, b in combinations(order, 2):
        apart = quality[a] - quality[b]
        more, less = int((apart > SAME).sum()), int((apart < -SAME).sum())
        pairs.append(
            Nearer(
                systems[a],
                systems[b],
                more,
                less,
                quality.shape[1] - more - less,
                float(mean[a] - mean[b]),
                drawn.interval(drawn.draws[:, a] - drawn.draws[:, b], level),
                sign_test(more, less),
                1.0,
            )
        )
    corrected = holm([pair.p for pair in pairs]).tolist()
    return tuple(replace(pair, p_holm=p) for pair, p in zip(pairs, corrected, strict=True))


def headline(
    systems: Sequence[str],
    quality: NDArray[np.float64],
    pairs: Sequence[Nearer],
    *,
    level: float,
    beside: str,
    interval: tuple[float, float] | None = None,
) -> str:
    """Say in one or two sentences who is nearer to whom; "not settled" where it is not.

    ``beside`` says under which hypothesis the figures hold; ``interval`` is that of the mean
    quality of the first system.
    """
    mean, subjects = quality.mean(axis=1), quality.shape[1]
    people = f"{subjects} subject{'s' if subjects != 1 else ''}"
    first = int(np.argmax(mean))
    if len(systems) == 1:
        apart = f" [{', '.join(map(_figure, interval))}]" if interval else ""
        return (
            f"{systems[0]} has a mean quality of {_figure(mean[0])}{apart} over {people}{beside}."
        )
    lead = next(pair for pair in pairs if pair.a == systems[first])
    among = f", the two highest of {len(systems)} systems" if len(systems) > 2 else ""
    said = (
        f"{lead.a} is nearer to {lead.nearer_a} of {people} than {lead.b}, and {lead.b} to "
        f"{lead.nearer_b}{_alike(lead.equal)} (mean quality {_figure(mean[first])} and "
        f"{_figure(mean[list(systems).index(lead.b)])}{beside}){among}."
    )
    return f"{said} {_settled(lead, subjects, level, pairs=len(pairs))}"


def _figure(quality: float) -> str:
    """Write a quality with four decimals; a very small one with three digits that count."""
    return f"{quality:.4f}" if quality == 0 or quality >= 0.01 else f"{quality:.3g}"


def _alike(equal: int) -> str:
    return f"; {equal} {'is' if equal == 1 else 'are'} served alike" if equal else ""


def _settled(pair: Nearer, subjects: int, level: float, *, pairs: int) -> str:
    """Say whether the counts could be chance, and what would settle it."""
    limit = 1 - level
    shown = f"sign test p = {pair.p_holm:.3g}"
    if pairs > 1:
        shown += f", corrected for {pairs} pairs"
    if pair.p_holm < limit:
        return f"Chance alone would hardly do that ({shown})."
    least = next(n for n in range(1, 200) if sign_test(n, 0) < limit or n == 199)
    if subjects < least:
        return (
            f"Not settled ({shown}), and {subjects} subject{'s' if subjects != 1 else ''} cannot "
            f"settle it, for fewer than {least} never give p below {limit:.3g}: ask more subjects."
        )
    return f"Not settled ({shown}): ask more subjects."
