"""Systems pair by pair: who beats whom how often, by how much, and who is where in the ranking.

Everything starts from *draws*: an array (draws × systems) of scores that might as well have been
found, from the bootstrap over queries (:mod:`consilience.verdict.resample`) or from any other
distribution of what is not known. All systems of a draw share their queries, so that differences
are paired. A draw in which a system has no score says nothing about its pairs.

- P(a beats b) is the share of draws in which a's score is higher; equal scores count half.
- With a *region of practical equivalence* of ±δ, a difference can be too small to matter: P(a is
  better by more than δ), P(b is), and P(they are equivalent) add up to 1 (Kruschke 2018).
- Beside them stand the usual paired tests over queries, corrected for the number of pairs
  (:mod:`consilience.verdict.paired_tests`), and effect sizes (:mod:`consilience.verdict.effects`).
- Two systems are *statistically tied* unless both agree that they differ: the interval of their
  difference and the corrected t-test. Of the four tests it is the one that speaks of the mean, as
  the score does, and that has no smallest p (Urbano, Lima & Hanjalic 2019 compare them).

Systems come in the order in which they are given; of a pair, the first one is ``a``.

References
----------
J. K. Kruschke, "Rejecting or accepting parameter values in Bayesian estimation", Advances in
Methods and Practices in Psychological Science 1(2), 2018.
J. Urbano, H. Lima and A. Hanjalic, "Statistical significance testing in information retrieval: an
empirical analysis of type I, type II and type III errors", SIGIR 2019.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience import progress
from consilience.errors import UsageError, quote
from consilience.verdict.effects import Effect, effects
from consilience.verdict.paired_tests import DUST, TESTS, blocks, holm, pair_tests, paired_t

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: All pairs are compared up to so many systems; beyond, the first with all, and neighbours.
MOST_SYSTEMS = 200

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Pair:
    """How two systems compare: how often ``a`` beats ``b``, and by how much.

    ``p_equivalent``, ``p_a_better`` and ``p_b_better`` add up to 1 where a region of practical
    equivalence was given. ``tests`` holds (p, corrected p) by the name of the test; ``effect`` the
    effect sizes over queries. None: not asked for, or not to be had.
    """

    a: str
    b: str
    p_a_beats_b: float
    difference: float
    interval: Interval | None
    standard_error: float | None = None
    p_equivalent: float | None = None
    p_a_better: float | None = None
    p_b_better: float | None = None
    tests: dict[str, tuple[float, float]] | None = None
    effect: Effect | None = None


def check_delta(delta: object) -> None:
    """Refuse what cannot be a region of practical equivalence."""
    if not isinstance(delta, float | int) or not 0 <= delta < float("inf"):
        raise UsageError(
            f"delta must be a number from 0, found {quote(delta)} "
            "(fix: the largest difference that does not matter, such as 0.01)"
        )


def beats(draws: ArrayLike) -> NDArray[np.float64]:
    """Give P(row beats column) for all systems; equal scores count half, NaN on the diagonal.

    Parameters
    ----------
    draws
        Draws × systems; NaN where a system has no score.

    Examples
    --------
    >>> beats([[0.3, 0.2], [0.4, 0.4], [0.5, 0.1], [0.2, 0.3]])
    array([[  nan, 0.625],
           [0.375,   nan]])
    """
    columns = _columns(draws)
    systems = len(columns)
    p = np.full((systems, systems), np.nan)
    a, b = np.triu_indices(systems, 1)
    for some, gaps in _gaps(columns, a, b):
        wins, _, _, _ = _shares(gaps, 0.0)
        p[a[some], b[some]] = wins
        p[b[some], a[some]] = 1 - wins
    return p


def places(draws: ArrayLike, tail: float) -> tuple[NDArray[np.float64], list[tuple[int, int]]]:
    """Give P(best) and the interval of the rank of every system.

    The highest score has rank 1, equal scores share a rank, and where several are highest each is
    best in part. A system without a score in a draw comes last. Each interval is that of one system
    by itself: not all of them together hold as often.

    Parameters
    ----------
    draws
        Draws × systems; NaN where a system has no score.
    tail
        The share of draws on each side of an interval.

    Examples
    --------
    >>> best, ranks = places([[0.3, 0.2, 0.1], [0.4, 0.4, 0.0], [0.5, 0.1, 0.2]], tail=0.025)
    >>> best.round(3).tolist(), ranks
    ([0.833, 0.167, 0.0], [(1, 1), (1, 3), (2, 3)])
    """
    draws = np.asarray(draws, np.float64)
    count, systems = draws.shape
    best, ranks = np.zeros(systems), np.empty((count, systems), np.int32)
    lowest = np.nanmin(draws, initial=0.0) - 1
    for some in blocks(count, systems):
        filled = np.where(np.isnan(draws[some]), lowest, draws[some])
        ranks[some] = _ranks(filled)
        top = ranks[some] == 1
        best += (top / top.sum(axis=1, keepdims=True)).sum(axis=0)
    ends = np.quantile(ranks, [tail, 1 - tail], axis=0, method="inverted_cdf")
    return best / max(count, 1), [(int(low), int(high)) for low, high in ends.T.tolist()]


def _ranks(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Rank each row, highest first; equal scores share the smallest rank."""
    order = np.argsort(-scores, axis=1)
    ordered = np.take_along_axis(scores, order, axis=1)
    apart = np.ones(scores.shape, np.bool_)
    apart[:, 1:] = ordered[:, :-1] - ordered[:, 1:] > DUST
    first = np.maximum.accumulate(np.where(apart, np.arange(1, scores.shape[1] + 1), 1), axis=1)
    ranks = np.empty(scores.shape, np.intp)
    np.put_along_axis(ranks, order, first, axis=1)
    return ranks


def compare(
    draws: ArrayLike,
    *,
    values: ArrayLike,
    names: Sequence[str],
    tail: float | None,
    delta: float | None = None,
    matrix: ArrayLike | None = None,
    seed: int = 0,
    most: int = MOST_SYSTEMS,
) -> tuple[Pair, ...]:
    """Compare systems pair by pair.

    Parameters
    ----------
    draws
        Draws × systems; NaN where a system has no score.
    values
        The systems' scores, in the same order.
    names
        The systems' names, in the same order: of a pair, the one that is named first is ``a``.
    tail
        The share of draws on each side of the interval of a difference, such as
        :meth:`consilience.verdict.resample.Resampled.tail`; None: there are no intervals.
    delta
        The region of practical equivalence: differences up to ±delta do not matter.
    matrix
        Systems × queries, NaN where undefined: what the paired tests and effect sizes are made of.
    seed
        The seed of the randomisation test.
    most
        All pairs are compared up to so many systems; beyond, the first with all, and neighbours.

    Returns
    -------
        The pairs that share a draw in which both have a score, in the order of the names. p-values
        are corrected for the number of these pairs (Holm 1979).

    Examples
    --------
    >>> from consilience.verdict.resample import resample
    >>> matrix = np.array([[0.9, 0.5, 0.8, 0.7, 0.6], [0.8, 0.5, 0.6, 0.4, 0.5]])
    >>> drawn = resample(matrix, seed=0)
    >>> (pair,) = compare(
    ...     drawn.draws, values=[0.7, 0.56], names=["x", "y"], tail=0.025, delta=0.05, matrix=matrix
    ... )
    >>> pair.a, pair.b, round(pair.difference, 2), pair.effect.wins, pair.effect.draws
    ('x', 'y', 0.14, 4, 1)
    >>> round(pair.p_a_better, 2), round(pair.tests["sign"][0], 3)
    (0.98, 0.125)
    """
    columns, scores = _columns(draws), np.asarray(values, np.float64).tolist()
    a, b = _who(columns, most)
    with progress.part(0.0, 1.0 if matrix is None else 0.6):
        found = _compared(columns, a, b, tail, delta)
    with progress.part(0.6, 1.0):
        tested = _tested(matrix, a, b, seed)
    return tuple(
        Pair(
            names[one], names[other], wins, scores[one] - scores[other], ends, None, *region, *more
        )
        for one, other, wins, ends, region, more in zip(
            a.tolist(),
            b.tolist(),
            found[:, 0].tolist(),
            [None] * len(a) if tail is None else zip(*found[:, 1:3].T.tolist(), strict=True),
            [(None,) * 3] * len(a) if delta is None else map(tuple, found[:, 3:].tolist()),
            tested,
            strict=True,
        )
    )


def tie_groups(
    draws: ArrayLike,
    *,
    names: Sequence[str],
    tail: float | None,
    level: float = 0.95,
    pairs: Sequence[Pair] = (),
    matrix: ArrayLike | None = None,
) -> tuple[tuple[str, ...], ...]:
    """Return groups of systems that are statistically tied with the highest one of the group.

    Two systems are distinguishable where the interval of their difference leaves 0 out *and* the
    paired t-test, corrected for all pairs that are compared, says so too: the stricter counts.
    Where all differences are equal the t-test says nothing, and the sign test stands in.

    Parameters
    ----------
    draws
        Draws × systems, highest score first.
    names
        The systems' names, in the same order.
    tail
        The share of draws on each side of an interval; None: nothing is known, and there are no
        groups.
    level
        The level of the tests.
    pairs
        What :func:`compare` returned, with tests; none: the interval alone counts.
    matrix
        Systems × queries, for tests of pairs that are not among ``pairs``. Bonferroni's correction
        stands in for Holm's there.

    Examples
    --------
    >>> draws = np.random.default_rng(0).normal([0.9, 0.88, 0.5], 0.02, (1000, 3))
    >>> tie_groups(draws, names=["x", "y", "z"], tail=0.025)
    (('x', 'y'),)
    """
    if tail is None:
        return ()
    columns = _columns(draws)
    tested = {(one.a, one.b): _corrected(one.tests) for one in pairs if one.tests is not None}
    values = None if matrix is None or not tested else np.asarray(matrix, np.float64)

    def apart(highest: int, one: int) -> bool:
        if not _apart(columns[highest] - columns[one], tail):
            return False
        p = tested.get((names[highest], names[one]))
        if p is None and values is not None:
            p = _paired(values[highest] - values[one]) * len(tested)
        return p is None or p <= 1 - level

    left, groups = list(range(len(names))), []
    while left:
        highest = left[0]
        group = [one for one in left if one == highest or not apart(highest, one)]
        left = [one for one in left if one not in group]
        groups.append(group)
    return tuple(tuple(names[one] for one in group) for group in groups if len(group) > 1)


def ahead(
    draws: NDArray[np.float64],
    differences: NDArray[np.float64] | None,
    *,
    tail: float,
    level: float,
    among: int,
) -> bool:
    """Return whether differences are above 0, by their interval and by the paired t-test.

    Parameters
    ----------
    draws
        The difference of two scores, or how far it is above an edge, in every draw.
    differences
        The same over queries; None: the interval alone counts.
    tail, level
        As for :func:`tie_groups`.
    among
        The number of pairs that p is corrected for (Bonferroni).

    Examples
    --------
    >>> some = np.array([0.1, 0.1, 0.2, 0.3])
    >>> ahead(some, None, tail=0.025, level=0.95, among=1)
    True
    >>> ahead(some, some, tail=0.025, level=0.95, among=2)  # p = .035, corrected .071
    False
    """
    if not _apart(draws, tail) or np.nanmean(draws) < 0:
        return False
    return differences is None or _paired(differences) * among <= 1 - level


def _corrected(tests: Mapping[str, tuple[float, float]]) -> float:
    """Return the corrected p of the t-test; of the sign test where that says nothing."""
    p = tests["t"][1]
    return tests["sign"][1] if np.isnan(p) else p


def _paired(differences: NDArray[np.float64]) -> float:
    """Return p of the paired t-test; of the sign test where all differences are equal."""
    known = differences[~np.isnan(differences)]
    p = float(paired_t(known[None, :])[0])
    return 2.0 ** (1 - len(known)) if np.isnan(p) else p


def _apart(gap: NDArray[np.float64], tail: float) -> bool:
    """Check whether the interval of a difference leaves 0 out."""
    low, high = _intervals(gap[None, :].copy(), tail)[0].tolist()
    return bool(low > DUST or high < -DUST)


def _columns(draws: ArrayLike) -> NDArray[np.float64]:
    """Turn draws so that those of a system lie side by side in memory."""
    return np.ascontiguousarray(np.asarray(draws, np.float64).T)


def _who(columns: NDArray[np.float64], most: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Say which pairs are compared: those that share a draw, all or only some."""
    systems = len(columns)
    a, b = np.triu_indices(systems, 1)
    if systems > most:
        kept = (a == 0) | (b == a + 1)
        a, b = a[kept], b[kept]
    defined = (~np.isnan(columns)).astype(np.float32)
    if defined.all():
        return a, b
    shared = (defined @ defined.T)[a, b] > 0
    return a[shared], b[shared]


def _gaps(
    columns: NDArray[np.float64], a: NDArray[np.intp], b: NDArray[np.intp]
) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """Give the pairs' differences, draw by draw, some pairs at a time."""
    for some in blocks(len(a), columns.shape[1]):
        gaps = columns[a[some]]
        gaps -= columns[b[some]]
        yield some, gaps
        progress.report(some.stop, len(a))


def _compared(
    columns: NDArray[np.float64],
    a: NDArray[np.intp],
    b: NDArray[np.intp],
    tail: float | None,
    delta: float | None,
) -> NDArray[np.float64]:
    """Give for each pair P(a beats b), the interval, P(equivalent), P(a better), P(b better)."""
    found = np.full((len(a), 6), np.nan)
    for some, gaps in _gaps(columns, a, b):
        found[some, 0], *others = _shares(gaps, delta or 0.0)
        found[some, 3:] = np.stack(others, axis=1)
        if tail is not None:
            found[some, 1:3] = _intervals(gaps, tail)  # which moves the draws: last
    return found


def _shares(gaps: NDArray[np.float64], delta: float) -> tuple[NDArray[np.float64], ...]:
    """Give the shares of draws in which a beats b, within ±delta, above, and below."""
    n = (~np.isnan(gaps)).sum(axis=1, dtype=np.float64)
    n[n == 0] = np.nan
    above, below = _beyond(gaps, 0.0)
    wins = (above + (n - above - below) / 2) / n
    if delta:
        above, below = _beyond(gaps, delta)
    return wins, (n - above - below) / n, above / n, below / n


def _beyond(gaps: NDArray[np.float64], delta: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Count the draws above delta and below −delta, by more than a rounding error."""
    return (gaps > delta + DUST).sum(axis=1), (gaps < -delta - DUST).sum(axis=1)


def _intervals(gaps: NDArray[np.float64], tail: float) -> NDArray[np.float64]:
    """Give both quantiles of each row without its NaN, as ``numpy.quantile``; moves the draws."""
    n = gaps.shape[1] - np.isnan(gaps).sum(axis=1)
    at = np.maximum(n - 1, 0)[:, None] * np.array([tail, 1 - tail])
    low = np.floor(at).astype(np.intp)
    high = np.minimum(low + 1, np.maximum(n - 1, 0)[:, None])
    if (n == gaps.shape[1]).all():
        gaps.partition(np.unique([low[:1], high[:1]]), axis=1)
    else:
        gaps.sort(axis=1)  # NaN comes last
    below, above = (np.take_along_axis(gaps, place, axis=1) for place in (low, high))
    share, step = at - low, above - below
    ends: NDArray[np.float64] = np.where(
        share < 0.5, below + step * share, above - step * (1 - share)
    )
    return ends


def _tested(
    matrix: ArrayLike | None, a: NDArray[np.intp], b: NDArray[np.intp], seed: int
) -> Sequence[tuple[dict[str, tuple[float, float]] | None, Effect | None]]:
    """Test all pairs over queries, correct for their number, and give effect sizes."""
    if matrix is None:
        return [(None, None)] * len(a)
    values = np.asarray(matrix, np.float64)
    values = values[:, ~np.isnan(values).all(axis=0)]
    p = pair_tests(values, a, b, seed=seed)
    by_test = [zip(p[name].tolist(), holm(p[name]).tolist(), strict=True) for name in TESTS]
    sizes = [
        one
        for some in blocks(len(a), values.shape[1])
        for one in effects(values[a[some]] - values[b[some]])
    ]
    return [
        (dict(zip(TESTS, each, strict=True)), size)
        for size, *each in zip(sizes, *by_test, strict=True)
    ]
