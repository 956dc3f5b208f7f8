r"""Where judges disagree: how far scores move with who of them is right.

Every item is relevant with the probability that the belief gives it, independently of the others;
the queries stay as they are. What a score may then be is its *posterior*: a mean, a standard
deviation, an interval. It is the answer of :func:`consilience.distributions`, for the measures of
a ranking:

- P, R and F over one query, and micro averages: the number of relevant items that were returned
  and the number of those that were not are Poisson-binomial and independent, so all is exact
  (:mod:`consilience.measures.ratios`; very large counts are drawn from their exact distributions);
- macro averages of P, R, F (with or without a cutoff) and AP: truths are drawn, the same for all
  systems, and each is scored; mean and standard deviation of precision are exact all the same;
- RR and Success@k: the place of the first relevant item has the probabilities
  p_k Π_{j<k} (1 − p_j), from which it is drawn; mean and standard deviation are exact.

As in averages of scores, a query counts 0 where a system has no answer to it, and is taken given
that something is relevant where a measure needs that. Other conventions, other measures (nDCG is
made of grades, not of relevance) and studies beyond :data:`LARGEST` have no posterior.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures import ratios
from consilience.measures.distribution import Distribution
from consilience.measures.lists import Lists, Query, lists_of
from consilience.measures.names import Measure, parse
from consilience.measures.trials import Count, number_relevant
from consilience.verdict.possible import Draws, Scored, averaged, drawn_scores, every_score
from consilience.verdict.sureness import Posterior

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.scores import Scores
    from consilience.study import Study

#: How many truths are drawn, and how few at least where lists are long.
DRAWS, FEWEST = 2000, 200
#: So many numbers are drawn and looked up at most: some seconds.
WORK = 200_000_000
#: Beyond so many answers and items there is no posterior: it would take too long.
LARGEST = WORK // FEWEST
#: Up to so many pairs of counts a ratio is exact; beyond, both counts are drawn so often.
PAIRS, PAIR_DRAWS = 1 << 16, 20_000
RELEVANT = "items are relevant independently of each other, with the believed probabilities"
UNJUDGED = "; items that nobody judged are not relevant"

#: Mean and standard deviation where they are exact.
Moments = tuple[float, float] | None
#: The relevant among the returned, among the rest, how many were returned, whether any query was.
_Counted = tuple[Count, Count, int, bool]


def posteriors(
    study: Study, scores: Scores, *, level: float, seed: int
) -> dict[str, tuple[Posterior | None, ...]]:
    """Tell what scores may be, given how probable it is that each item is relevant.

    Parameters
    ----------
    study
        The study that was scored.
    scores
        Its scores; their belief says how probable each item is.
    level
        How much probability an interval holds.
    seed
        The seed of chance.

    Returns
    -------
    dict
        For every measure a posterior for each system, None where there is none.

    Examples
    --------
    >>> import consilience as cs
    >>> said = {"item": list("xxyy"), "judge": list("ijij"), "relevant": [1, 1, 1, 0]}
    >>> made = cs.study({"a": {"all": ["x", "y"]}}, truth=said)
    >>> (found,) = posteriors(made, cs.score(made, measures=["P"]), level=0.95, seed=0)["P"]
    >>> found.interval, found.mean, found.sd
    ((0.5, 1.0), 0.75, 0.25)
    """
    if not _possible(study, scores):
        return dict.fromkeys(scores.measures, (None,) * len(scores.systems))
    lists = lists_of(study, scores.belief, ties=scores.ties)
    size = lists.answers + len(study.items)
    draws = min(DRAWS, WORK // max(size, 1))
    measures = [parse(name) for name in scores.measures]
    unjudged = bool(np.isnan(scores.belief.of(study.answers.item)).any())
    about = RELEVANT + (UNJUDGED if unjudged else "")
    spread = _Spreads(lists, seed, draws, tuple(_wanted(measures, lists, draws)), about)
    first = measures[0].rel
    return {
        str(measure): tuple(
            None
            if measure.rel != first or np.isnan(scores[system][str(measure)].value)
            else spread.of(measure, place, level)
            for place, system in enumerate(scores.systems)
        )
        for measure in measures
    }


def _possible(study: Study, scores: Scores) -> bool:
    """Tell whether truths can be drawn: not all is certain, votes are yes and no, not too much."""
    votes = study.answers.vote
    fractions = votes is not None and bool(((votes > 0) & (votes < 1)).any())
    small = len(study.answers.item) + len(study.items) <= LARGEST
    return not scores.belief.crisp and scores.convention == "ours" and small and not fractions


def _wanted(measures: list[Measure], lists: Lists, draws: int) -> Iterator[Measure]:
    """Name the measures that truths have to be drawn for."""
    for measure in measures:
        known = measure.base in ("P", "R", "F") or (measure.base == "AP" and measure.k is None)
        if draws >= FEWEST and known and not measure.judged_only and not _exact(measure, lists):
            yield measure


def _exact(measure: Measure, lists: Lists) -> bool:
    """Tell whether two counts give the whole distribution."""
    one = measure.average == "micro" or len(lists.queries) == 1
    return measure.base in ("P", "R", "F") and one and not measure.judged_only


@dataclass(frozen=True, eq=False)
class _Spreads:
    """What scores may be, of lists under a belief; ``drawn`` names what truths are drawn for.

    ``about`` says what is supposed of the items.
    """

    lists: Lists
    seed: int
    draws: int
    drawn: tuple[Measure, ...]
    about: str

    def of(self, measure: Measure, system: int, level: float) -> Posterior | None:
        """Give one system's posterior under one measure; None where there is none."""
        if measure.judged_only:
            return None
        if _exact(measure, self.lists):
            return _posterior(*_by_counts(self, measure, system), level)
        if measure.base in ("RR", "Success"):
            return _posterior(*_by_first(self, measure, system), level)
        if measure not in self.drawn:
            return None
        scored = self.scored
        values = scored.scores[str(measure)][system]
        known = ~np.isnan(values)
        one = Distribution.of(values[known], scored.weight[known])
        if scored.exact:
            return _posterior(one, None, f"all truths: {self.about}", level)
        moments = _moments(self, measure, system) if measure.base == "P" else None
        return _posterior(one, moments, self.told(self.draws, moments), level)

    @cached_property
    def queries(self) -> tuple[Query, ...]:
        """All queries, looked at once."""
        return tuple(self.lists)

    @cached_property
    def scored(self) -> Scored:
        """Every system under truths: all of them for one query, where they are few."""
        if len(self.lists.queries) == 1:
            every = every_score([(1.0, self.queries[0])], ("ap",), 1.0)
            if every is not None:
                table = {str(measure): every.scores["ap"] for measure in self.drawn}
                return Scored(table, every.weight, exact=True)
        return averaged(_queries(self))

    @cached_property
    def counted(self) -> dict[tuple[int, int | None], _Counted]:
        """Counts by system and cutoff, as far as they were made."""
        return {}

    def told(self, draws: int, moments: Moments) -> str:
        """Say how drawn truths were used."""
        exact = "; mean and sd are exact" if moments else ""
        return f"{draws:,} drawn truths: {self.about}{exact}"

    def rng(self, *what: int) -> np.random.Generator:
        """Give a source of chance of its own."""
        return np.random.default_rng([self.seed, *what])


def _posterior(one: Distribution, moments: Moments, how: str, level: float) -> Posterior | None:
    if not len(one):
        return None
    mean, sd = moments or (one.mean, one.sd)
    return Posterior(one.interval(level), mean, sd, how)


def _by_counts(
    spread: _Spreads, measure: Measure, system: int
) -> tuple[Distribution, Moments, str]:
    """Make P, R or F over one query, or of all queries together, from two counts."""
    at = (system, measure.k)
    if at not in spread.counted:
        spread.counted[at] = _counts(spread.queries, *at)
    found, rest, returned, put = spread.counted[at]
    single = len(spread.lists.queries) == 1
    if single and measure.average == "macro" and not put:  # a query without an answer counts 0
        return Distribution.point(0.0), None, f"exact: {spread.about}"
    if measure.base == "P":
        return ratios.precision(found, returned), None, f"exact: {spread.about}"
    if len(found.mass) * len(rest.mass) <= PAIRS:
        if measure.base == "R":
            return ratios.recall(found, rest), None, f"exact: {spread.about}"
        one = ratios.f_measure(found, rest, returned, beta=measure.beta)
        return one, None, f"exact: {spread.about}"
    rng = spread.rng(system, 0 if measure.k is None else measure.k)
    k, missed = found.draw(PAIR_DRAWS, rng), rest.draw(PAIR_DRAWS, rng)
    square = measure.beta**2
    above = k if measure.base == "R" else (1 + square) * k
    below = k + missed if measure.base == "R" else square * (k + missed) + returned
    known = below > 0
    one = Distribution.of(above[known] / below[known], np.ones(int(known.sum())))
    return one, None, spread.told(PAIR_DRAWS, None)


def _counts(queries: Sequence[Query], system: int, k: int | None) -> _Counted:
    """Count the relevant ones that were returned and that were not, over all queries."""
    inside, outside, returned, put = [np.zeros(0)], [np.zeros(0)], 0, False
    more = Count(0, np.ones(1))
    for query in queries:
        cell = query.cells[system]
        put |= cell.put
        left = np.ones(len(query.p), bool) if cell.spoken is None else cell.spoken.copy()
        left[cell.place[:k]] = False
        inside.append(cell.p[:k])
        outside.append(query.p[left])
        returned += cell.returned if k is None else k
        if query.more and query.p_more:
            more = more.plus(query.unmentioned())
    found = number_relevant(np.concatenate(inside))
    return found, number_relevant(np.concatenate(outside)).plus(more), returned, put


def _queries(spread: _Spreads) -> Iterator[Scored]:
    """Score every system under drawn truths, query by query."""
    systems = tuple(range(len(spread.lists.systems)))
    k = np.unique([one.k for one in spread.drawn if one.k is not None]).astype(np.int64)
    for column, query in enumerate(spread.queries):
        how = Draws(spread.draws, spread.rng(column), k, systems)
        one = drawn_scores([(1.0, query)], ("precision", "recall", "ap"), 1.0, how)
        table = {str(measure): _values(one, query, measure, k) for measure in spread.drawn}
        yield Scored(table, one.weight, exact=False)


def _values(
    one: Scored, query: Query, measure: Measure, k: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Give a measure of every system under every truth."""
    if measure.base == "AP":
        return one.scores["ap"]
    names = ("precision", "recall")
    if measure.k is None:
        precision, recall = (one.scores[name] for name in names)
    else:
        place = int(np.searchsorted(k, measure.k))
        precision, recall = (one.at[name][:, place] for name in names)
    values = {"P": precision, "R": recall, "F": _f(precision, recall, measure.beta)}[measure.base]
    missing = np.array([not cell.put for cell in query.cells])
    values[missing] = 0.0 if query.size else np.nan
    return values


def _f(
    precision: NDArray[np.float64], recall: NDArray[np.float64], beta: float
) -> NDArray[np.float64]:
    """Give F_β; 0 where nothing relevant was returned, as recall where nothing was returned."""
    square = beta**2
    below = square * precision + recall
    above = (1 + square) * precision * recall
    values = np.where(np.isnan(precision), recall, 0.0)
    np.divide(above, below, out=values, where=below > 0)
    return values


def _moments(spread: _Spreads, measure: Measure, system: int) -> Moments:
    """Give mean and standard deviation of macro precision: sums of p and p (1 − p)."""
    means, variances = [], []
    for query in spread.queries:
        cell = query.cells[system]
        n = cell.returned if measure.k is None else measure.k
        if (cell.put and not n) or (not cell.put and not query.size):
            continue
        p = cell.p[: measure.k]
        means.append(float(p.sum()) / max(n, 1))
        variances.append(float((p * (1 - p)).sum()) / max(n, 1) ** 2)
    if not means:
        return None
    return float(np.mean(means)), float(np.sqrt(np.sum(variances))) / len(means)


def _by_first(spread: _Spreads, measure: Measure, system: int) -> tuple[Distribution, Moments, str]:
    """Make RR or Success@k of the place of the first relevant item."""
    total, made = np.zeros(spread.draws), []
    for column, query in enumerate(spread.queries):
        one = _first(query, measure, system)
        if len(one):
            made.append(one)
            total += one.drawn(spread.draws, spread.rng(column, system))
    if len(made) == 1:
        return made[0], None, f"exact: {spread.about}"
    if not made or spread.draws < FEWEST:
        return Distribution.of([], []), None, ""
    drawn = Distribution.of(total / len(made), np.ones(spread.draws))
    variance = sum(one.sd**2 for one in made) / len(made) ** 2
    moments = float(np.mean([one.mean for one in made])), float(np.sqrt(variance))
    return drawn, moments, spread.told(spread.draws, moments)


def _first(query: Query, measure: Measure, system: int) -> Distribution:
    """Give RR or Success@k of one query; never defined where nothing can be relevant."""
    cell = query.cells[system]
    something = query.something(cell)
    if not something:
        return Distribution.of([], [])
    p = cell.p[: measure.k]
    before = np.cumprod(np.concatenate([np.ones(1), 1 - p]))[: len(p)]
    first = np.append(p * before / something, 0.0)
    first[-1] = max(0.0, 1.0 - first.sum())
    values = np.append(1 / np.arange(1.0, len(p) + 1), 0.0)
    return Distribution.of(values if measure.base == "RR" else np.ceil(values), first)
