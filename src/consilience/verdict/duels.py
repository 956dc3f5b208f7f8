"""Systems two by two under the same uncertain truth, query by query and over all queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from consilience.measures.distribution import Comparison, Distribution, compared, mixed
from consilience.measures.paired import Paired, Shared, of_counts
from consilience.measures.trials import Count, number_relevant
from consilience.verdict.paired_tests import TESTS, all_paired_tests, holm
from consilience.verdict.possible import Draws, Part, Scored, drawn_scores, every_score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.lists import Query
    from consilience.verdict.outcomes import Outcome
    from consilience.verdict.over_queries import Asked, Several

#: How many items are relevant in both lists, in the first, in the second, in neither.
Four: TypeAlias = tuple[Count, Count, Count, Count]
#: The measures that follow from these counts.
FROM_COUNTS: dict[str, Shared] = {
    "precision": "precision",
    "recall": "recall",
    "f1": "f",
    "f_beta": "f",
}
#: Pairs are compared on each query up to so many comparisons.
MEETINGS = 1000


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two systems on one query, under one measure and the same truth."""

    query: str
    a: str
    b: str
    measure: str
    paired: Paired
    independent: Comparison


@dataclass(frozen=True, slots=True)
class Duel:
    """Two systems over all queries.

    ``paired`` holds the difference of their scores under the same truth; ``difference`` is that of
    the expected scores. ``independent`` compares them as if each had a truth of its own. ``tests``
    holds (p, corrected p) by the name of the test, over ``n`` queries.
    """

    a: str
    b: str
    measure: str
    difference: float
    paired: Paired
    independent: Comparison
    n: int
    tests: dict[str, tuple[float, float]]
    meetings: tuple[Meeting, ...]


def duels(
    asked: Asked,
    several: Several,
    outcomes: Sequence[Outcome],
    over: Scored,
    shown: Sequence[int],
) -> tuple[Duel, ...]:
    """Compare all pairs of the systems that are shown, by every measure.

    Of a pair, the one that is shown first comes first.
    """
    measures = _compared(asked)
    pairs = list(combinations(shown, 2))
    met: dict[tuple[str, str, str], list[Meeting]] = {}
    if asked.single or len(pairs) * asked.queries <= MEETINGS:
        for one in _all_meetings(several, outcomes, pairs, over):
            met.setdefault((one.a, one.b, one.measure), []).append(one)
    shape = asked.queries, len(asked.systems)
    made = []
    for measure in measures:
        expected = np.array([one.means[measure] for one in outcomes]).reshape(shape).T
        spreads = _spreads(asked, outcomes, over, measure, shown)
        gaps = [expected[a] - expected[b] for a, b in pairs]
        tests = all_paired_tests(gaps, seed=asked.seed) if pairs else []
        for (a, b), gap, tested in zip(pairs, gaps, tests, strict=True):
            names = asked.systems[a], asked.systems[b]
            meetings = tuple(met.get((*names, measure), ()))
            found = meetings[0].paired if asked.single else _over(over, measure, a, b)
            apart = compared(spreads[a], spreads[b], delta=asked.delta)
            known = gap[~np.isnan(gap)]
            made.append(
                Duel(
                    *names,
                    measure,
                    float(known.mean()) if len(known) else float("nan"),
                    found,
                    apart,
                    tested.n,
                    {name: (p, float("nan")) for name, p in tested.p.items()},
                    () if asked.single else meetings,
                )
            )
    return tuple(_corrected(made, measures))


def _compared(asked: Asked) -> tuple[str, ...]:
    """Name the measures by which systems are compared: recall once, with its random size."""
    return tuple(name for name in asked.measures if name != "recall_fixed")


def _spreads(
    asked: Asked, outcomes: Sequence[Outcome], over: Scored, measure: str, shown: Sequence[int]
) -> dict[int, Distribution]:
    """Give the distribution of each system's score: of the one query, or averaged over queries."""
    if asked.single:
        return {number: outcomes[number].values[measure] for number in shown}
    spreads = {}
    for number in shown:
        values = over.scores[measure][number]
        known = ~np.isnan(values)
        spreads[number] = Distribution.of(values[known], over.weight[known])
    return spreads


def _over(over: Scored, measure: str, a: int, b: int) -> Paired:
    scores = over.scores[measure]
    return _from_truths(scores[a], scores[b], over.weight, exact=False)


def _corrected(made: Sequence[Duel], measures: Sequence[str]) -> Iterator[Duel]:
    """Correct the p-values of each measure and test for the number of pairs."""
    for measure in measures:
        mine = [one for one in made if one.measure == measure]
        by_test = {name: holm([one.tests[name][0] for one in mine]) for name in TESTS}
        for place, one in enumerate(mine):
            tests = {name: (one.tests[name][0], float(by_test[name][place])) for name in TESTS}
            yield replace(one, tests=tests)


def _all_meetings(
    several: Several, outcomes: Sequence[Outcome], pairs: Sequence[tuple[int, int]], over: Scored
) -> Iterator[Meeting]:
    for asked in several():
        for column, query in enumerate(asked.lists):
            begin = (asked.first + column) * len(asked.systems)
            mine = outcomes[begin : begin + len(asked.systems)]
            yield from _meetings(asked, (column, query), mine, pairs, over)


def _meetings(
    asked: Asked,
    at: tuple[int, Query],
    mine: Sequence[Outcome],
    pairs: Sequence[tuple[int, int]],
    over: Scored,
) -> Iterator[Meeting]:
    """Compare pairs on one query."""
    column, query = at
    parts = asked.parts(column, query)
    scored = over if asked.single else every_score(parts, asked.measures, asked.beta)
    if scored is None:
        how = Draws(asked.draws, asked.rng(column))
        scored = drawn_scores(parts, asked.measures, asked.beta, how)
    for a, b in pairs:
        counts = _counts(parts, (a, b), scored)
        names = asked.systems[a], asked.systems[b]
        for measure in _compared(asked):
            found = _meet(asked, parts, (a, b), measure, counts, scored)
            one, other = (mine[number].values[measure] for number in (a, b))
            apart = compared(one, other, delta=asked.delta)
            yield Meeting(query.name, *names, measure, found, apart)


def _counts(parts: Sequence[Part], pair: tuple[int, int], scored: Scored) -> list[Four] | None:
    """Count what is relevant in both lists, in one of them, in neither; None where truths serve."""
    cells = [parts[0][1].cells[number] for number in pair]
    if scored.exact or not all(cell.put and cell.spoken is None for cell in cells):
        return None
    found = []
    for _, query in parts:
        in_a, in_b = (query.cells[number].inside(len(query.p)) for number in pair)
        groups = (in_a & in_b, in_a & ~in_b, in_b & ~in_a, ~(in_a | in_b))
        both, one, other, neither = (number_relevant(query.p[group]) for group in groups)
        found.append((both, one, other, neither.plus(query.unmentioned())))
    return found


def _meet(
    asked: Asked,
    parts: Sequence[Part],
    pair: tuple[int, int],
    measure: str,
    counts: list[Four] | None,
    scored: Scored,
) -> Paired:
    """Compare two systems on one query: from counts, or from the truths that were gone through."""
    if counts is None or measure not in FROM_COUNTS:
        a, b = (scored.scores[measure][number] for number in pair)
        return _from_truths(a, b, scored.weight, exact=scored.exact)
    name = FROM_COUNTS[measure]
    beta = asked.beta if measure == "f_beta" else 1.0
    first, second = (parts[0][1].cells[number].returned for number in pair)
    rng = np.random.default_rng(asked.seed)
    found = [of_counts(four, (first, second), measure=name, beta=beta, rng=rng) for four in counts]
    if len(found) == 1:
        return found[0]
    mixture = mixed([one.difference for one in found], [weight for weight, _ in parts])
    drawn = [one for one in found if one.method == "simulation"]
    return replace(drawn[0] if drawn else found[0], difference=mixture)


def _from_truths(
    a: NDArray[np.float64], b: NDArray[np.float64], weight: NDArray[np.float64], *, exact: bool
) -> Paired:
    """Compare the scores of two systems truth by truth."""
    gap = a - b
    known = ~np.isnan(gap)
    one = Distribution.of(gap[known], weight[known], p_undefined=float(weight[~known].sum()))
    return Paired(one, "exact") if exact else Paired(one, "simulation", len(gap))
