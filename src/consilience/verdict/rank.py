"""Which system is better, how sure that is, and who is tied.

Scores come from the measures, uncertainty from drawing the queries anew
(:mod:`consilience.verdict.resample`). Nothing is called best without a probability; "not settled"
is a normal outcome and comes with a next step. Without truth the ranking says who agrees most with
the others, and what belongs to that (:mod:`consilience.verdict.agreement`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief import Belief
from consilience.belief.agreement import ls_eb
from consilience.belief.judges import gold
from consilience.errors import UsageError, quote
from consilience.measures.left_out import LeaveOut, score_left_out
from consilience.measures.names import Measure, parse
from consilience.measures.scores import Convention, Score, Scores, divide
from consilience.study.condition import Condition, condition, no_common_query
from consilience.study.model import as_study
from consilience.verdict import sentence
from consilience.verdict.agreement import Agreement, Wanted, agreement, condition_under
from consilience.verdict.matched import (
    Matching,
    check_unordered,
    matching,
    soft_truth_scores,
    soft_votes,
)
from consilience.verdict.resample import (
    FEWEST,
    Resampled,
    check_chance,
    expanded_tail,
    resample,
    resample_counts,
)
from consilience.verdict.shown import Shown
from consilience.verdict.soft import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study
    from consilience.study.ranking import Ties

#: What is computed when nobody asks for anything.
RANKED_MEASURES = ("AP", "nDCG@10", "P@10", "RR")
SET_MEASURES = ("F1", "P", "R")
#: The same for ranked answers without truth: nDCG agreed best with rankings by truth.
AGREEMENT_MEASURES = ("nDCG", "P@10", "R@10", "F1@10")
#: Beyond this many systems only the first one and neighbours are compared pair by pair.
MOST_PAIRS = 60

Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one system stands."""

    name: str
    family: str | None
    rank: int | None
    rank_interval: tuple[int, int] | None
    p_best: float | None
    scores: dict[str, Score]
    intervals: dict[str, Interval | None]
    bounds: dict[str, Interval | None]


@dataclass(frozen=True, slots=True)
class Pair:
    """How two systems compare: how often ``a`` beats ``b``, and by how much."""

    a: str
    b: str
    p_a_beats_b: float
    difference: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Verdict(Shown):
    """A ranking with its uncertainty; shows itself in notebooks and prints as text.

    ``resampled`` is the number of queries that were drawn anew, 0 where there were too few;
    ``agreement`` is what belongs to a ranking without (full) truth.
    """

    study: Study
    condition: Condition
    scores: Scores
    measure: str
    standings: tuple[Standing, ...]
    pairs: tuple[Pair, ...]
    ties: tuple[tuple[str, ...], ...]
    settled: bool
    sentence: str
    notes: tuple[str, ...]
    level: float
    seed: int
    resampled: int
    agreement: Agreement
    leave_out: LeaveOut
    matching: Matching | None = None

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.payload import of_verdict

        return of_verdict(self)


def rank(
    study: Study,
    *,
    measures: Sequence[str | Measure] | None = None,
    belief: Callable[..., Belief] | Belief | None = None,
    ties: Ties = "trec",
    convention: Convention = "ours",
    level: float = 0.95,
    seed: int = 0,
    leave_out: LeaveOut = "none",
    show: Wanted | None = None,
    match: Settings | None = None,
) -> Verdict:
    """Rank the systems of a study and say how sure that is.

    Parameters
    ----------
    study
        A study, with truth or without.
    measures
        Names of measures; the first one ranks. None: AP, nDCG@10, P@10 and RR for ranked answers,
        F1, P and R for sets; without truth nDCG, P@10, R@10 and F1@10 for ranked answers.
    belief
        Whom to believe: a function of the study such as :func:`consilience.gold`,
        :func:`consilience.consensus` or :func:`consilience.ls_eb`, or a belief that was made
        before. None: the truth where there is some, else :func:`consilience.ls_eb`.
    ties
        How equal scores are settled.
    convention
        How missing queries and undefined values enter averages.
    level
        The coverage of intervals.
    seed
        The seed of chance; the same seed gives the same figures.
    leave_out
        Without truth: whose votes are left out of the belief that a system is measured against:
        nobody's ("none", as in the papers), its own ("system"), its "family"'s.
    show
        What else is to be shown: other methods side by side, cutoffs, ⊤ and ⊥.
    match
        How items that need not be equal are matched: :func:`consilience.soft_matching`. None:
        items are equal or they are not. With truth the measures are then soft P, R and F1;
        without, an item's vote is its best similarity to what a system returned.

    Examples
    --------
    >>> import consilience as cs
    >>> verdict = cs.rank(cs.example_study("keyphrases"), measures=["F1"])
    >>> verdict.standings[0].name, verdict.settled
    ('multi-rake', True)
    """
    as_study(study, "rank")
    check_chance(level, seed)
    if match is not None and not isinstance(match, Settings):
        raise UsageError(
            f"{quote(match)} is not a way of matching (fix: match=consilience.soft_matching())"
        )
    what = condition(study)
    believe = _believe(study, what, belief)
    given = study
    match = None if match is None else replace(match, how=match.how.quiet())
    if match is not None and believe is not gold:
        study = soft_votes(study, match)
    usual = SET_MEASURES if match else default_measures(study, absent=believe is not gold)
    names = usual if measures is None else measures
    if match is not None and believe is not gold:
        check_unordered(names)
    if match is not None and believe is gold:
        scores = soft_truth_scores(study, match, measures=names, convention=convention)
    else:
        scores = score_left_out(
            study,
            measures=names,
            belief=believe,
            leave_out=leave_out,
            ties=ties,
            convention=convention,
        )
    what = condition_under(study, scores.belief)
    if match is not None and what.name == "complete":
        what = replace(what, name="inexact", why=f"{what.why}; items were matched by similarity")
    matched = (
        None if match is None else matching(given, match, believe, scores, convention, leave_out)
    )
    first = scores.measures[0]
    drawn = {name: _resampled(scores, name, seed) for name in scores.measures}
    beside = agreement(study, scores, believe, show or Wanted(), leave_out)
    standings = _standings(study, scores, drawn, level, beside)
    enough = drawn[first].queries >= FEWEST
    pairs = _pairs(standings, scores, drawn[first], first, level) if enough else ()
    tied = _tie_groups(standings, scores, drawn[first], level) if enough else ()
    alone = not any(standings[0].name in group for group in tied)
    rivals = sum(not np.isnan(one.scores[first].value) for one in standings)
    settled = enough and rivals > 1 and alone and beside.caveat is None
    queries = drawn[first].queries
    said = sentence.verdict(standings, tied, measure=first, queries=queries, beside=beside)
    return Verdict(
        study,
        what,
        scores,
        first,
        standings,
        pairs,
        tied,
        settled,
        said if matched is None else f"{said} {matched.sentence}".rstrip(),
        (*sentence.notes(study, scores, what, queries=queries), *beside.notes),
        level,
        seed,
        queries if enough else 0,
        beside,
        leave_out,
        matched,
    )


def _believe(
    study: Study, what: Condition, belief: Callable[..., Belief] | Belief | None
) -> Callable[..., Belief]:
    """Choose whom to believe, and refuse what makes no sense."""
    if not study.systems:
        raise UsageError("there is no system to rank (fix: name the systems' files before --truth)")
    if isinstance(belief, Belief):
        made = belief
        return lambda study, **_: made
    if belief is not None and not callable(belief):
        raise UsageError(
            f"{quote(belief)} is not a belief (fix: pass a function, such as consilience.ls_eb)"
        )
    apart = no_common_query(study)
    if apart is not None and belief in (None, gold):
        raise UsageError(apart)
    if belief is None:
        belief = ls_eb if what.name == "absent" else gold
    if belief is not gold and len(study.systems) < 2 and not study.evidence.lists:
        raise UsageError(
            "there is no truth, and no other system to agree with "
            "(fix: name a file with --truth, or other systems' files)"
        )
    return belief


def _resampled(scores: Scores, name: str, seed: int) -> Resampled:
    """Average a measure over queries drawn anew, in the way in which it is averaged."""
    counts = [scores[system][name].counts for system in scores.systems]
    known = [one for one in counts if one is not None]
    if parse(name).average == "micro" and len(known) == len(counts):
        return resample_counts(known, lambda total: divide(total, parse(name)), seed=seed)
    return resample(scores.matrix(name), seed=seed)


def _standings(
    study: Study,
    scores: Scores,
    drawn: dict[str, Resampled],
    level: float,
    beside: Agreement,
) -> tuple[Standing, ...]:
    """Say of every system where it stands, in order of rank."""
    first = scores.measures[0]
    enough = drawn[first].queries >= FEWEST
    best, ranks = _places(drawn[first], level)
    families = [study.respondents.family[code] for code in study.respondents.of_kind("system")]
    alone = families == list(scores.systems)  # everybody is a family: there are none
    standings = []
    for code, place in _order(scores, first):
        mine = scores[scores.systems[code]]
        known = enough and not np.isnan(mine[first].value)
        intervals = {
            name: _interval(drawn[name], code, mine[name].value, level) for name in scores.measures
        }
        standings.append(
            Standing(
                scores.systems[code],
                None if alone else families[code],
                None if np.isnan(mine[first].value) else place,
                ranks[code] if known else None,
                float(best[code]) if known else None,
                mine,
                intervals,
                {
                    name: beside.bounds(code, name, mine[name].value, intervals[name])
                    for name in scores.measures
                },
            )
        )
    return tuple(standings)


def default_measures(study: Study, *, absent: bool = False) -> tuple[str, ...]:
    """Name what is computed when nobody asks: ranked answers and sets have measures of their own.

    Examples
    --------
    >>> from consilience.study import study
    >>> default_measures(study({"s": {"q": {"a", "b"}}}))
    ('F1', 'P', 'R')
    """
    ordered = study.answers.score is not None or study.answers.rank is not None
    only_lists = all(source.recognised == "list" for source in study.sources)
    if not ordered or only_lists:
        return SET_MEASURES
    return AGREEMENT_MEASURES if absent else RANKED_MEASURES


def _order(scores: Scores, measure: str) -> list[tuple[int, int]]:
    """Give (system, rank), highest score first; equal scores share a rank, undefined come last."""
    values = np.array([scores[system][measure].value for system in scores.systems])
    key = np.where(np.isnan(values), -np.inf, values)
    codes = sorted(range(len(values)), key=lambda code: (-key[code], scores.systems[code]))
    return [(code, 1 + int((key > key[code]).sum())) for code in codes]


def _places(drawn: Resampled, level: float) -> tuple[NDArray[np.float64], list[tuple[int, int]]]:
    """How often each system comes first (shared firsts in parts), and its ranks over the draws."""
    filled = np.where(np.isnan(drawn.draws), -np.inf, drawn.draws)
    top = filled == filled.max(axis=1, keepdims=True)
    best = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
    tail = expanded_tail(level, drawn.queries) if drawn.queries > 1 else (1 - level) / 2
    ranks = []
    for code in range(filled.shape[1]):
        places = 1 + (filled > filled[:, [code]]).sum(axis=1)
        low, high = np.quantile(places, [tail, 1 - tail], method="inverted_cdf")
        ranks.append((int(low), int(high)))
    return best, ranks


def _interval(drawn: Resampled, code: int, value: float, level: float) -> Interval | None:
    """The interval of one score."""
    if np.isnan(value):
        return None
    found = drawn.interval(drawn.draws[:, code], level)
    return None if found is None else (min(found[0], value), max(found[1], value))


def _pairs(
    standings: Sequence[Standing], scores: Scores, drawn: Resampled, measure: str, level: float
) -> tuple[Pair, ...]:
    """Compare every two systems on the same draws (neighbours only, beyond ``MOST_PAIRS``)."""
    code = {name: place for place, name in enumerate(scores.systems)}
    pairs = []
    many = len(standings) > MOST_PAIRS
    for upper, a in enumerate(standings):
        lower = standings[upper + 1 : upper + 2] if many and upper else standings[upper + 1 :]
        for b in lower:
            difference = drawn.draws[:, code[a.name]] - drawn.draws[:, code[b.name]]
            difference = difference[~np.isnan(difference)]
            if not len(difference):
                continue
            wins = float(np.mean((difference > 0) + 0.5 * (difference == 0)))
            gap = a.scores[measure].value - b.scores[measure].value
            pairs.append(Pair(a.name, b.name, wins, gap, drawn.interval(difference, level)))
    return tuple(pairs)


def _tie_groups(
    standings: Sequence[Standing], scores: Scores, drawn: Resampled, level: float
) -> tuple[tuple[str, ...], ...]:
    """Group systems that the queries cannot tell from the highest one of the group."""
    column = {name: drawn.draws[:, code] for code, name in enumerate(scores.systems)}
    groups: list[list[str]] = []
    for one in standings:
        if one.rank is None:
            continue
        if groups and not _apart(column[groups[-1][0]] - column[one.name], drawn, level):
            groups[-1].append(one.name)
        else:
            groups.append([one.name])
    return tuple(tuple(group) for group in groups if len(group) > 1)


def _apart(difference: NDArray[np.float64], drawn: Resampled, level: float) -> bool:
    """Tell whether the interval of a difference leaves 0 out."""
    interval = drawn.interval(difference, level)
    return interval is not None and (interval[0] > 0 or interval[1] < 0)
