"""Sums over every list, as engines give them, and the scores that follow from them.

A *cell* is a system under a query, as in :mod:`consilience.measures.hits`. Precision, recall and F
with any β, at any cutoff that was asked for, micro and macro, and the share of judged items need
nothing but sums over a cell's answers; so do draws of queries, which take cells as they are. What
turns counts into values, fills missing queries in and averages is the code that works in memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from consilience.errors import UsageError, unknown
from consilience.measures import scores, sets
from consilience.measures.hits import Hits, Ideal
from consilience.measures.names import Measure, parse

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Measures that follow from sums.
SUMMED = ("P", "R", "F", "Judged")


@dataclass(frozen=True, slots=True)
class Sums:
    """What was returned, found and judged by every system under every query (systems × queries).

    ``queries`` are those that the belief speaks of. ``found`` and ``judged`` are by cutoff (None:
    all that was returned): Σ vote · p, and the number of returned items that somebody has judged.
    ``relevant`` is Σ p over the items that a cell chooses from, ``universe`` their number.
    ``ordered`` tells which lists have an order.
    """

    systems: tuple[str, ...]
    queries: tuple[str, ...]
    put: NDArray[np.bool_]
    ordered: NDArray[np.bool_]
    length: NDArray[np.float64]
    returned: NDArray[np.float64]
    found: Mapping[int | None, NDArray[np.float64]]
    judged: Mapping[int | None, NDArray[np.float64]]
    relevant: NDArray[np.float64]
    universe: NDArray[np.float64]

    @property
    def cutoffs(self) -> tuple[int, ...]:
        """The cutoffs that sums were made for."""
        return tuple(sorted(k for k in self.found if k is not None))


def cutoffs_of(measures: Sequence[str | Measure]) -> tuple[int, ...]:
    """Tell which cutoffs measures need; say so where sums are not enough for one of them.

    Examples
    --------
    >>> cutoffs_of(["P@10", "R", "F0.5@5"])
    (5, 10)
    >>> cutoffs_of(["AP"])
    Traceback (most recent call last):
    consilience.errors.UsageError: AP needs whole lists, not sums over them (fix: P, R, F or ...)
    """
    parsed = [parse(measure) for measure in measures]
    for measure in parsed:
        if measure.base not in SUMMED or measure.judged_only:
            raise UsageError(
                f"{measure} needs whole lists, not sums over them (fix: P, R, F or Judged, with or "
                "without a cutoff; or --engine duckdb)"
            )
    return tuple(sorted({measure.k for measure in parsed if measure.k is not None}))


def scores_of(
    sums: Sums,
    measures: Sequence[str | Measure],
    *,
    convention: scores.Convention = "ours",
) -> dict[str, dict[str, scores.Score]]:
    """Turn sums into the scores of every system: ``table[system][measure]``.

    The values are those of :func:`consilience.measures.scores.score`.

    Parameters
    ----------
    sums
        The sums; all measures share their threshold of relevance.
    measures
        P, R, F or Judged, at the cutoffs of the sums.
    convention
        How missing queries and undefined values enter averages.

    Examples
    --------
    Two of three answers are relevant; four items are relevant at all.

    >>> one = np.ones((1, 1))
    >>> made = Sums(("s",), ("q",), one > 0, one > 0, 3 * one, 3 * one, {None: 2 * one},
    ...             {None: 3 * one}, 4 * one, 9 * one)  # fmt: skip
    >>> {name: round(one.value, 3) for name, one in scores_of(made, ["P", "R", "F1"])["s"].items()}
    {'P': 0.667, 'R': 0.5, 'F1': 0.571}
    """
    if convention not in scores.CONVENTIONS:
        raise unknown("convention", convention, scores.CONVENTIONS)
    parsed = list(dict.fromkeys(parse(measure) for measure in measures))
    for k in cutoffs_of(parsed):
        if k not in sums.found:
            raise UsageError(f"there are no sums at cutoff {k} (fix: ask for them, too)")
    hits = hits_of(sums)
    table: dict[str, dict[str, scores.Score]] = {system: {} for system in sums.systems}
    for measure in parsed:
        values = _values(sums, hits, measure)
        averages = scores.average(hits, measure, values, convention)
        for system, one in zip(sums.systems, averages, strict=True):
            table[system][str(measure)] = one
    return table


def _values(sums: Sums, hits: Hits, measure: Measure) -> NDArray[np.float64]:
    if measure.base != "Judged":
        return scores.divide(sets.counts(hits, measure.k), measure)
    taken = sums.length if measure.k is None else np.minimum(sums.length, measure.k)
    return sets.ratio(sums.judged[measure.k], taken).ravel()


def hits_of(sums: Sums) -> Hits:
    """Give sums the shape of hits: what was found between two cutoffs is one hit at the second."""
    count = sums.put.size
    cutoffs = sums.cutoffs
    none = np.zeros((0, count))
    found = np.stack([sums.found[k].ravel() for k in cutoffs]) if cutoffs else none
    worth = np.diff(found, axis=0, prepend=0.0).T.ravel()
    cell = np.repeat(np.arange(count), len(cutoffs))
    nothing = np.zeros(0)
    return Hits(
        len(sums.systems), len(sums.queries), sums.put.ravel(), sums.ordered.ravel(),
        sums.returned.ravel(), sums.length.ravel().astype(np.int64), sums.relevant.ravel(),
        sums.universe.ravel(), cell, np.tile(np.array(cutoffs, np.int64), count), worth,
        np.ones(len(worth)), worth, nothing,
        Ideal(nothing.astype(np.int64), nothing.astype(np.int64), nothing),
        cast(Any, None), True, 0, sums.found[None].ravel(),
    )  # fmt: skip
