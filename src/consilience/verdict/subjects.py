"""Systems against individual subjects: one figure for each, and only then averages.

Every subject's list for every query is held against every system's list (*weighted displacement*,
:mod:`consilience.measures.displaced`). The figures are averaged over a subject's queries, then
over subjects: the order is the point, for a subject with many queries is still one reader.

What counts where something is missing:

- A system did not return some of a subject's items: the chosen hypothesis decides, and both are
  shown.
- A system returned nothing for a query: it is left to the pessimist, whatever was chosen. Its
  items stand N places away; where N is not known they are out of reach, and the quality is 0.
- A system can be asked for more (``ask``): then it is asked until every subject's items were seen.

References
----------
S. Santini, "Benchmarking without ground truth", §5.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.errors import UsageError, unknown
from consilience.measures.displaced import (
    SUBJECT_TIES,
    Displaced,
    SubjectTies,
    check_collection,
    displaced,
)
from consilience.measures.qualities import Quality, as_quality
from consilience.measures.sets import ratio
from consilience.study.depth import cut
from consilience.study.model import as_study
from consilience.study.ranking import TIES
from consilience.study.subjects import SubjectLists, no_shared_query, subject_lists
from consilience.verdict import asked
from consilience.verdict.nearer import Nearer, headline, nearer_pairs
from consilience.verdict.resample import Resampled, check_chance, resample
from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.displaced import Seen
    from consilience.study import Study
    from consilience.study.ranking import Ties

Hypothesis = Literal["optimist", "pessimist"]
_MAKE = "make one with cs.read_subjects(files, runs=files), or with cs.with_runs(benchmark, runs)"
HYPOTHESES: tuple[Hypothesis, ...] = ("optimist", "pessimist")


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was asked for."""

    quality: Quality
    hypothesis: Hypothesis
    collection: int | None
    ties: Ties
    subject_ties: SubjectTies
    scale: float
    asked: tuple[str, ...]
    limit: int
    level: float
    seed: int


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures, systems × lists: w under both hypotheses, and the one that counts.

    ``quality`` lies within ``low`` and ``high``, the pessimist's and the optimist's.
    """

    w: NDArray[np.float64]
    optimist: NDArray[np.float64]
    pessimist: NDArray[np.float64]
    quality: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    exact: NDArray[np.bool_]
    in_both: NDArray[np.int64]
    missing: NDArray[np.int64]
    returned: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DisplacementResult(Shown):
    """Displacement and quality of every system against every subject, then on average."""

    study: Study
    systems: tuple[str, ...]
    lists: SubjectLists
    chosen: Chosen
    figures: Figures
    drawn: Resampled
    pairs: tuple[Nearer, ...]
    headline: str
    notes: tuple[str, ...]

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.nearness import of_displacement

        return of_displacement(self)


def displacement(
    study: Study,
    *,
    quality: str | Quality | Callable[[float], float] = "rational:p=1",
    collection: int | None = None,
    hypothesis: Hypothesis = "optimist",
    ask: Mapping[str, Callable[[str], Any]] | None = None,
    limit: int = 10_000,
    ties: Ties = "trec",
    subject_ties: SubjectTies = "order",
    scale: float = 1.0,
    depth: int | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> DisplacementResult:
    """Compare systems with individual subjects: weighted displacement, quality, then averages.

    Parameters
    ----------
    study
        Systems' ranked answers, and as evidence the subjects' lists
        (:func:`consilience.read_subjects`, or ``truth=`` of :func:`consilience.read`).
    quality
        g: "rational:p=1", "exponential:lambda=0.1", :func:`consilience.rational`,
        :func:`consilience.exponential`, or an own decreasing function into [0, 1].
    collection
        N: how many items the systems chose from, for the pessimist; by default the study's
        universe.
    hypothesis
        What counts where a system did not return all of a subject's items.
    ask
        System → function of a query that gives its results one by one, best first: the system is
        asked until every subject's items were seen. The system need not be part of the study.
    limit
        The most results that are asked for, per query.
    ties
        How equal scores of a system are settled, as in :func:`consilience.rank`.
    subject_ties
        How a subject's items of equal relevance are ordered: "order" (as given), "best", "worst".
    scale
        Relevances are divided by it.
    depth
        Only so many answers of each system's list count; None: all.
    level, seed
        The coverage of intervals, and the seed of chance.

    Examples
    --------
    >>> import consilience as cs
    >>> said = {"query": ["q"] * 3, "subject": ["Ann"] * 3, "item": ["a", "b", "c"]}
    >>> said["relevance"] = [1.0, 0.5, 0.2]
    >>> study = cs.study({"run": {"q": ["b", "a", "d"]}}, truth=said)
    >>> result = displacement(study, collection=100)
    >>> one = result.payload()["subjects"][0]
    >>> one["name"], one["w"], one["hypothesis"], one["w_pessimist"], round(one["quality"], 4)
    ('Ann', 1.7, 'optimist', 21.5, 0.3704)
    """
    as_study(study, "displacement", fix=_MAKE)
    given = as_quality(quality)
    ask = asked.checked(ask)
    _check(ties, subject_ties, hypothesis, level, seed)
    lists = subject_lists(study, scale=scale)
    systems = (*study.systems, *(name for name in ask if name not in study.systems))
    if not systems:
        raise UsageError("there is no system to compare (fix: name a run, or give ask=)")
    apart = None if ask else no_shared_query(study)
    if apart is not None:
        raise UsageError(apart)
    if depth is not None:
        study = cut(study, depth, ties=ties, worth=asked.worth(study, lists))
    seen, tied = asked.answers_seen(study, lists, systems, ties=ties, ask=ask, limit=limit)
    results = [displaced(lists, one, ties=subject_ties) for one in seen]
    size = study.universe if collection is None else collection
    check_collection(size, _most(study, lists, results), "for one query, runs and subjects")
    chosen = Chosen(
        *(given, hypothesis, size, ties, subject_ties, float(scale)),
        *(tuple(ask), limit, level, seed),
    )
    figures = _figures(results, chosen)
    means = by_subject(lists, figures.quality)
    drawn = resample(means, seed=seed)
    pairs = nearer_pairs(systems, means, drawn, level=level)
    beside = "" if figures.exact.all() else f", missing items by the {hypothesis}"
    notes = asked.notes_on(study, lists, systems, figures, chosen, tied=tied)
    notes += _tie_note(lists, systems, seen, chosen)
    return DisplacementResult(
        study,
        systems,
        lists,
        chosen,
        figures,
        drawn,
        pairs,
        headline(
            systems,
            means,
            pairs,
            level=level,
            beside=beside,
            interval=drawn.interval(drawn.draws[:, 0], level),
        ),
        tuple(notes),
    )


def _check(ties: str, subject_ties: str, hypothesis: str, level: float, seed: int) -> None:
    if ties not in TIES:
        raise unknown("rule for ties", str(ties), TIES)
    if subject_ties not in SUBJECT_TIES:
        raise unknown("way with a subject's ties", str(subject_ties), SUBJECT_TIES)
    if hypothesis not in HYPOTHESES:
        raise unknown("hypothesis", str(hypothesis), HYPOTHESES)
    check_chance(level, seed)


def _most(study: Study, lists: SubjectLists, results: list[Displaced]) -> int:
    """The most different items that were named for one query, as far as that is known."""
    named = int(np.diff(study.items.starts).max(initial=0))
    length = np.diff(lists.starts)
    together = [(one.returned + length - one.in_both).max(initial=0) for one in results]
    return max([named, *map(int, together)])


def _figures(results: list[Displaced], chosen: Chosen) -> Figures:
    optimist = np.stack([one.optimist for one in results])
    pessimist = np.stack([one.pessimist(chosen.collection) for one in results])
    exact = np.stack([one.exact for one in results])
    if chosen.hypothesis == "pessimist" and np.isnan(pessimist).any():
        raise UsageError(
            "the pessimist needs the size of the collection, for not all of the subjects' items "
            "were returned (fix: --collection N, or --hypothesis optimist)"
        )
    w = np.where(np.isnan(optimist), pessimist, optimist)
    if chosen.hypothesis == "pessimist":
        w = pessimist
    quality, low, high = (chosen.quality(value) for value in (w, pessimist, optimist))
    quality, low = np.nan_to_num(quality, nan=0.0), np.nan_to_num(low, nan=0.0)
    high = np.where(np.isnan(optimist), quality, high)
    in_both, missing, returned = (
        np.stack([getattr(one, key) for one in results])
        for key in ("in_both", "missing", "returned")
    )
    return Figures(w, optimist, pessimist, quality, low, high, exact, in_both, missing, returned)


def by_subject(lists: SubjectLists, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average over each subject's queries: systems × lists become systems × subjects."""
    return _averaged(values, lists.subject, len(lists.names))


def by_query(lists: SubjectLists, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average over each query's subjects; queries in the order of the study, NaN without any."""
    return _averaged(values, lists.query, int(lists.query.max(initial=-1)) + 1)


def _averaged(
    values: NDArray[np.float64], group: NDArray[np.int64], groups: int
) -> NDArray[np.float64]:
    count = np.bincount(group, minlength=groups)
    sums = np.stack([np.bincount(group, row, minlength=groups) for row in values])
    return ratio(sums, count)


def _tie_note(
    lists: SubjectLists, systems: tuple[str, ...], seen: list[Seen], chosen: Chosen
) -> list[str]:
    """Say how many of the subjects' items are tied, and what their order could change."""
    tied = int(lists.tied().sum())
    if not tied:
        return []
    what = (
        f"{tied:,} of {len(lists.item):,} items in the subjects' lists are of the same relevance "
        f"as a neighbour: {_ORDERS[chosen.subject_ties]}"
    )
    if chosen.hypothesis == "pessimist":  # the orders are those of the optimist
        return [what]
    best, worst = (
        by_subject(
            lists, _figures([displaced(lists, one, ties=rule) for one in seen], chosen).quality
        ).mean(axis=1)
        for rule in ("best", "worst")
    )
    said = zip(systems, best, worst, strict=True)
    return [
        f"{what}. In the order that suits a system best, and in the one that suits it worst, "
        "its mean quality is " + ", ".join(f"{a:.4f} and {b:.4f} ({name})" for name, a, b in said)
    ]


_ORDERS = {
    "order": "they stand as the rows were given",
    "best": "they stand in the order that suits each system",
    "worst": "they stand in the order that suits each system worst",
}
