"""The ranking by truth against rankings without truth, over the same systems and queries.

What is asked of every method that does without labels: had it been used instead of the truth,
which order would it have given, and what would a choice by it have cost?

**Intervals.** Queries are drawn anew, with replacement, the same for both rankings. A rank
correlation of noisy scores is lower than that of the scores behind them, and one of scores drawn
anew is lower still: percentiles of the draws alone lie too low. The draws' standard error s gives
an interval about the figure itself, ± t s √(n / (n − 1)) with Student's t of n − 1 degrees of
freedom; alone it is too short where a few queries decide. The interval holds both, and is cut off
where the figure ends. It is about the figure that n such queries give on average; with more queries
both rankings are less noisy, and agree more. Every belief is formed once, from all queries: that it
would change with them, too, is not in the intervals.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience import progress
from consilience.belief.judges import gold
from consilience.belief.names import BELIEFS
from consilience.errors import UsageError, unknown
from consilience.measures.names import Measure, parse
from consilience.measures.orders import crossed
from consilience.measures.scores import Scores, divide, score
from consilience.measures.sets import Counts, ratio
from consilience.measures.tops import PATIENCE, regrets
from consilience.study.condition import condition, no_common_query
from consilience.study.model import as_study, check_equal
from consilience.verdict.agreement import caveat_of
from consilience.verdict.correlation import Against, Chosen, Correlation, Drawn, against, check
from consilience.verdict.correlation_input import Ranking, without_noise
from consilience.verdict.panel import MEMBERS, label_free, unfit
from consilience.verdict.rank import default_measures
from consilience.verdict.resample import (
    FEWEST,
    SAMPLES,
    check_chance,
    expanded_tail,
    resample,
    resample_counts,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study

#: What the ranking by truth is called.
TRUTH = "truth"
METHOD = "bootstrap: Student's t times the standard error, and expanded percentiles"
#: Where figures that have an interval end.
ENDS = {"tau_b": (-1.0, 1.0), "tau_ap": (-1.0, 1.0), "regret": (0.0, math.inf)}


def correlate_study(
    study: Study,
    *,
    measure: str | Measure | None = None,
    beliefs: Sequence[str] | None = None,
    top: int | None = None,
    rbo_p: float = PATIENCE,
    level: float = 0.95,
    seed: int = 0,
    samples: int = SAMPLES,
) -> Correlation:
    """Compare the ranking by truth with the rankings of methods that look at no truth.

    Parameters
    ----------
    study
        A study with truth.
    measure
        What all rankings are by; None: AP for ranked answers, F1 for sets.
    beliefs
        Names of methods, such as "ls-eb" or "majority"; None: those that
        :func:`consilience.panel` runs side by side.
    top
        How many systems the top is, for overlap and regret; None: 10, and 3 (or 1) where there
        are 10 systems (3) or fewer.
    rbo_p
        How patient the reader of RBO is: above 0, below 1.
    level, seed, samples
        The coverage of intervals, the seed of chance, and how often queries are drawn anew.

    Returns
    -------
    Correlation
        One comparison for each method, with intervals over queries for τ_b, τ_ap and regret.

    Examples
    --------
    >>> import consilience as cs
    >>> found = cs.correlate_study(cs.example_study("keyphrases"), beliefs=["ls-eb", "majority"])
    >>> [(one.ranking.name, round(one.figures["tau_b"], 4)) for one in found.rankings]
    [('ls-eb', 0.0714), ('majority', 0.0)]
    """
    from consilience.verdict.correlation_told import headline, notes

    as_study(study, "correlate_study")
    check_equal(study, "correlate")
    check_chance(level, seed)
    chosen = Chosen(top, rbo_p, level)
    check(chosen)
    _check(study, samples)
    of = parse(default_measures(study)[0] if measure is None else measure)
    true = score(study, measures=[of], belief=gold)
    found, skipped = _scored(study, of, beliefs)
    queries = _queries(true, of)
    reference = _ranking(TRUTH, true, of, queries)
    rankings = [_ranking(name, one, of, queries) for name, one in found.items()]
    made = [against(reference, one, chosen) for one in rankings]
    enough = len(queries) >= FEWEST
    if enough:
        draws = _drawn([true, *found.values()], of, queries, seed=seed, samples=samples)
        made = _with_intervals(made, draws, true.systems, level=level, queries=len(queries))
    drawn = Drawn(len(queries), samples, seed) if enough else None
    result = Correlation(reference, tuple(made), chosen, "", (), drawn, study, condition(study))
    beyond = {query for one in found.values() for query in one.queries} - {*queries}
    told = notes(result, skipped=skipped, left=len(beyond), queries=len(queries))
    return replace(result, headline=headline(result), notes=told)


def _check(study: Study, samples: int) -> None:
    if samples < 2:
        raise UsageError(f"samples is a whole number from 2, found {samples} (fix: {SAMPLES})")
    if not study.systems:
        raise UsageError("there is no system to rank (fix: name the systems' files before --truth)")
    if not study.evidence.lists:
        raise UsageError(
            "there is no truth to compare with (fix: name a file with --truth, or compare two "
            "rankings)"
        )
    apart = no_common_query(study)
    if apart is not None:
        raise UsageError(apart)
    if len(study.systems) < 2:
        raise UsageError("a ranking needs at least two systems, found 1 (fix: name more files)")


def _scored(
    study: Study, of: Measure, beliefs: Sequence[str] | None
) -> tuple[dict[str, Scores], tuple[tuple[str, str], ...]]:
    """Score all systems under every method; say which methods of the usual ones do not fit."""
    if isinstance(beliefs, str):
        beliefs = [beliefs]
    for name in beliefs or ():
        if name == "gold":
            raise UsageError(
                "gold is the truth that others are compared with (fix: --belief ls-eb)"
            )
        if name not in BELIEFS:
            raise unknown("belief", str(name), [one for one in BELIEFS if one != "gold"])
    found: dict[str, Scores] = {}
    skipped: list[tuple[str, str]] = []
    wanted = dict.fromkeys(MEMBERS if beliefs is None else beliefs)
    if not wanted:
        raise UsageError("no method to compare with the truth (fix: name one, such as ls-eb)")
    for place, name in enumerate(wanted):
        why = unfit(study, name) if beliefs is None else None
        if why is None:
            try:
                found[name] = score(study, measures=[of], belief=label_free(name))
            except UsageError as error:
                if beliefs is not None:
                    raise
                why = str(error)
        if why is not None:
            skipped.append((name, why))
        progress.report(place + 1, 2 * len(wanted))
    if not found:
        raise UsageError("; ".join(f"{name}: {why}" for name, why in skipped))
    return found, tuple(skipped)


def _queries(true: Scores, of: Measure) -> list[str]:
    """Name the queries that the truth speaks of: all rankings are over these.

    A query where no system has a value says nothing, unless counts are added up.
    """
    known = ~np.isnan(true.matrix(str(of))).all(axis=0)
    return [
        query
        for place, query in enumerate(true.queries)
        if of.average == "micro" or known.take(place)
    ]


def _columns(scores: Scores, queries: Sequence[str]) -> tuple[list[int], list[int]]:
    """Give where some queries stand among those scored, and among themselves."""
    at = {query: place for place, query in enumerate(scores.queries)}
    there = [place for place, query in enumerate(queries) if query in at]
    return [at[queries[place]] for place in there], there


def _matrix(scores: Scores, of: Measure, queries: Sequence[str]) -> NDArray[np.float64]:
    """Give every system's value of some queries; NaN where it has none."""
    at, there = _columns(scores, queries)
    made = np.full((len(scores.systems), len(queries)), np.nan)
    made[:, there] = scores.matrix(str(of))[:, at]
    return made


def _ranking(name: str, scores: Scores, of: Measure, queries: Sequence[str]) -> Ranking:
    """Average every system over the queries that are compared."""
    matrix = _matrix(scores, of, queries)
    if _is_micro([scores], of):
        counts = _counts(scores, of, queries)
        values = np.array([float(divide(one.total(), of)) for one in counts], np.float64)
    else:
        values = ratio(np.nansum(matrix, axis=1), (~np.isnan(matrix)).sum(axis=1))
    known = dict(zip(scores.systems, values.tolist(), strict=True))
    notes = _bare(name, scores, of, matrix, values)
    return Ranking(name, known, str(of), caveat=caveat_of(scores.belief), notes=notes)


def _bare(
    name: str,
    scores: Scores,
    of: Measure,
    matrix: NDArray[np.float64],
    values: NDArray[np.float64],
) -> tuple[str, ...]:
    """Say where a ranking has no values, and why."""
    if np.isnan(values).all():
        reasons = {scores[system][str(of)].reason for system in scores.systems} - {None}
        return (f"{name} has no {of}: {'; '.join(sorted(map(str, reasons)))}",)
    empty = int(np.isnan(matrix).all(axis=0).sum())
    if not empty or of.average == "micro":
        return ()
    return (f"by {name}, {of} is undefined on {empty:,} of {matrix.shape[1]:,} queries",)


def _is_micro(several: Sequence[Scores], of: Measure) -> bool:
    """Tell whether counts are added up over the queries, and are there for every system."""
    every = [scores[system][str(of)].counts for scores in several for system in scores.systems]
    return of.average == "micro" and all(one is not None for one in every)


def _counts(scores: Scores, of: Measure, queries: Sequence[str]) -> list[Counts]:
    """Give every system's counts of the queries that are compared; 0 where it has none."""
    at, there = _columns(scores, queries)
    made = []
    for system in scores.systems:
        one = scores[system][str(of)].counts
        if one is not None:
            parts = np.zeros((4, len(queries)))
            parts[:, there] = np.stack([one.tp, one.fp, one.fn, one.tn])[:, at]
            made.append(Counts(*parts))
    return made


def _drawn(
    several: Sequence[Scores], of: Measure, queries: Sequence[str], *, seed: int, samples: int
) -> list[NDArray[np.float64]]:
    """Average every ranking's systems over the same draws of the queries (draws × systems)."""
    with progress.part(0.5, 0.75):
        if _is_micro(several, of):
            counts = [one for scores in several for one in _counts(scores, of, queries)]
            made = resample_counts(counts, lambda t: divide(t, of), seed=seed, samples=samples)
        else:
            matrix = np.vstack([_matrix(scores, of, queries) for scores in several])
            made = resample(matrix, seed=seed, samples=samples)
    return [without_noise(drawn) for drawn in np.split(made.draws, len(several), axis=1)]


def _with_intervals(
    made: Sequence[Against],
    draws: Sequence[NDArray[np.float64]],
    systems: Sequence[str],
    *,
    level: float,
    queries: int,
) -> list[Against]:
    """Give each comparison its intervals; the first draws are those of the reference."""
    true, *others = draws
    found = []
    for place, (one, drawn) in enumerate(zip(made, others, strict=True)):
        if not one.systems:
            found.append(replace(one, intervals=dict.fromkeys(ENDS)))
            continue
        compared = np.isin(np.array(systems, object), np.array(one.systems, object))
        a, b = true[:, compared], drawn[:, compared]
        pairs = crossed(a, b)
        figures = {"tau_b": pairs.kendall(), "tau_ap": pairs.tau_ap(), "regret": regrets(a, b)}
        intervals = {
            name: interval(one.figures[name], drawn, name, level=level, queries=queries)
            for name, drawn in figures.items()
        }
        found.append(replace(one, intervals=intervals))
        progress.report(3 * len(made) + place + 1, 4 * len(made))
    return found


def interval(
    value: float, draws: NDArray[np.float64], name: str, *, level: float, queries: int
) -> tuple[float, float] | None:
    """Give the interval of a figure from its draws; None where it cannot be had.

    Examples
    --------
    >>> low, high = interval(0.7, np.array([0.5, 0.6, 0.7]), "tau_b", level=0.95, queries=50)
    >>> round(low, 4), round(high, 4)
    (0.5042, 0.8657)
    """
    from scipy.special import stdtrit

    draws = draws[~np.isnan(draws)]
    if np.isnan(value) or len(draws) < 2:
        return None
    error = float(draws.std()) * math.sqrt(queries / (queries - 1))
    reach = float(stdtrit(queries - 1, (1 + level) / 2)) * error
    tail = expanded_tail(level, queries)
    below, above = np.quantile(draws, [tail, 1 - tail]).tolist()
    low, high = ENDS[name]
    return max(low, min(below, value - reach)), min(high, max(above, value + reach))
