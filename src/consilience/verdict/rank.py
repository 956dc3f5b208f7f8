"""Which system is better, how sure that is, and who is tied.

Scores come from the measures, or from labels that were drawn by design
(:mod:`consilience.verdict.designed`); how sure they are says :mod:`consilience.verdict.sureness`.
Nothing is called best without a probability; "not settled" is a normal outcome and comes with a
next step. Without truth the ranking says who agrees most with the others, and what belongs to that
(:mod:`consilience.verdict.agreement`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience import progress
from consilience.belief import Belief
from consilience.belief.agreement import ls_eb
from consilience.belief.judges import gold
from consilience.belief.labelled import aipw
from consilience.belief.sample import is_designed, unfit
from consilience.errors import UsageError, quote
from consilience.measures.left_out import LeaveOut
from consilience.measures.names import Measure
from consilience.measures.scores import MISSING_IS_ZERO, Convention, Scores, score
from consilience.study.condition import Condition, condition, no_common_query
from consilience.study.model import Study, as_study, check_equal
from consilience.verdict import sentence
from consilience.verdict.agreement import Agreement, Wanted, agreement
from consilience.verdict.designed import CANNOT, Unit, designed
from consilience.verdict.estimated import (
    beats_by_error,
    by_design,
    compared_by_error,
    condition_by_design,
    design_notes,
    design_scores,
    usual_measures,
)
from consilience.verdict.gathered import Finished, finish, gather
from consilience.verdict.matched import (
    Matching,
    check_unordered,
    matching,
    soft_truth_scores,
    soft_votes,
)
from consilience.verdict.pairs import Pair, beats, check_delta
from consilience.verdict.partial import Partial
from consilience.verdict.posterior import posteriors
from consilience.verdict.ran import IN_MEMORY, Ran
from consilience.verdict.resample import SAMPLES, check_chance
from consilience.verdict.settling import Rules, compared, near, settled, shares_first
from consilience.verdict.shown import Shown
from consilience.verdict.soft import Settings
from consilience.verdict.standing import Standing, standings
from consilience.verdict.stop import DELTA, Stop, stop_rule
from consilience.verdict.sureness import Sureness, over_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.outline import Outline
    from consilience.study.ranking import Ties
    from consilience.verdict.designed import Designed

#: What is computed when nobody asks for anything.
RANKED_MEASURES = ("AP", "nDCG@10", "P@10", "RR")
SET_MEASURES = ("F1", "P", "R")
#: The same for ranked answers without truth: nDCG agreed best with rankings by truth.
AGREEMENT_MEASURES = ("nDCG", "P@10", "R@10", "F1@10")
#: Why no figure is drawn at each cutoff where labels were drawn by design.
UNCUT = (
    "precision and recall at each cutoff are not charted: labels drawn by design estimate a figure "
    "with its error, and a chart would show none (fix: -m P@5)"
)
#: P(row beats column) is kept for so many systems at most: the first ones.
MOST_BEATS = 100


@dataclass(frozen=True, slots=True)
class Verdict(Shown):
    """A ranking with its uncertainty; shows itself in notebooks and prints as text.

    ``sure`` tells how sure the scores are, and of what; ``agreement`` is what belongs to a ranking
    without (full) truth, ``partial`` what belongs to one with judgments of some items, ``design``
    and ``stop`` what belongs to labels that were drawn by design. ``resampled`` is the number of
    queries (or labels) that were drawn anew, 0 where there were too few. Where rows were never
    here as a whole, ``study`` is an outline, and ``curves`` are precision-recall curves by system.
    ``ran`` tells where all of it was computed.
    """

    study: Study | Outline
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
    sure: Sureness
    matching: Matching | None = None
    partial: Partial | None = None
    design: Designed | None = None
    stop: Stop | None = None
    delta: float | None = None
    curves: dict[str, NDArray[np.float64]] | None = None
    ran: Ran = IN_MEMORY

    def beats(self) -> NDArray[np.float64] | None:
        """Return P(row beats column), systems in the order of their ranks; None where unknown.

        They are the same figures as in ``pairs``.
        """
        if self.sure.tail is None:
            return None
        code = {name: place for place, name in enumerate(self.scores.systems)}
        first = [code[one.name] for one in self.standings[:MOST_BEATS]]
        if self.design is not None:
            return beats_by_error(self.design.measures[self.measure], first)
        return beats(self.sure.draws[:, first])

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
    match: Settings | Literal["exact"] | None = None,
    delta: float | None = None,
    unit: Unit = "labels",
    proxy: str | None = None,
    samples: int = SAMPLES,
) -> Verdict:
    """Rank the systems of a study and say how sure that is.

    Parameters
    ----------
    study
        A study, with truth or without.
    measures
        Names of measures; the first one ranks. None: AP, nDCG@10, P@10 and RR for ranked answers,
        F1, P and R for sets; without truth nDCG, P@10, R@10 and F1@10 for ranked answers; with
        labels drawn by design P, R and F of either, which are all that can be estimated.
    belief
        Whom to believe: a function of the study such as :func:`consilience.gold`,
        :func:`consilience.consensus` or :func:`consilience.ls_eb`, or a belief that was made
        before. None: labels drawn by design (:func:`consilience.aipw`) or the truth where there
        is some, else :func:`consilience.ls_eb`.
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
        items are equal or they are not, and "exact" says so of segments, boxes and tracks, too,
        which are refused otherwise. With truth the measures are then soft P, R and F1;
        without, an item's vote is its best similarity to what a system returned.
    delta
        The region of practical equivalence: differences up to ±delta do not matter.
    unit, proxy
        With labels that were drawn by design: whether intervals speak of these queries ("labels")
        or of queries like these ("queries"), and whose votes are the guess that labels correct.
    samples
        How often queries are drawn anew.

    Examples
    --------
    >>> import consilience as cs
    >>> verdict = cs.rank(cs.example_study("keyphrases"), measures=["F1"])
    >>> verdict.standings[0].name, verdict.settled
    ('multi-rake', True)
    """
    as_study(study, "rank")
    check_chance(level, seed, samples)
    if delta is not None:
        check_delta(delta)
    if match is None:
        check_equal(study, "rank")
    if match == "exact":
        match = None
    if match is not None and not isinstance(match, Settings):
        raise UsageError(
            f"{quote(match)} is not a way of matching (fix: match=consilience.soft_matching())"
        )
    what = condition(study)
    rules = Rules(ties, convention, level, seed, samples, delta, leave_out, show or Wanted())
    if match is None and belief in (None, aipw) and by_design(study, what):
        return _designed(study, what, measures, rules, unit=unit, proxy=proxy)
    if unit != "labels" or proxy is not None:
        raise UsageError(
            "unit and proxy are for labels that were drawn by design (fix: drop them, or draw "
            "labels with consilience next)"
        )
    if belief in (None, aipw) and is_designed(study):
        study, belief = replace(study, notes=(*study.notes, _undrawn(study))), gold
    believe = _believe(study, what, belief)
    given = study
    match = None if match is None else replace(match, how=match.how.quiet())
    if match is not None and believe is not gold:
        study = soft_votes(study, match)
    usual = SET_MEASURES if match else default_measures(study, belief=believe)
    names = usual if measures is None else measures
    if match is not None and believe is not gold:
        check_unordered(names)
    scores = None
    if match is not None and believe is gold:
        scores = soft_truth_scores(study, match, measures=names, convention=convention)
    found = gather(
        study,
        believe=believe,
        measures=names,
        ties=ties,
        convention=convention,
        leave_out=leave_out,
        scores=scores,
        matched=match is not None,
        curves=False,
    )
    scores = found.scores
    matched = (
        None if match is None else matching(given, match, believe, scores, convention, leave_out)
    )
    beside = agreement(study, scores, believe, rules.show, leave_out)
    finished = finish(
        [found],
        beside,
        rules,
        posteriors=partial(posteriors, study) if match is None else None,
        matched=match is not None,
    )
    return decide(study, finished, rules, beside, matching=matched)


def _designed(
    study: Study,
    what: Condition,
    measures: Sequence[str | Measure] | None,
    rules: Rules,
    *,
    unit: Unit,
    proxy: str | None,
) -> Verdict:
    """Rank by what labels say that were drawn by design."""
    if rules.leave_out != "none":
        raise UsageError("nobody votes on the truth (fix: drop --leave-out, or --belief ls-eb)")
    _some_system(study)
    names = default_measures(study, belief=aipw) if measures is None else measures
    if measures is None and _ordered(study):
        why = f"{names[0]} ranks: {CANNOT.partition(' (')[0]}"
        study = replace(study, notes=(*study.notes, why))
    plain = score(study, measures=names, belief=gold, ties=rules.ties, convention=rules.convention)
    found = designed(
        study,
        measures=plain.measures,
        unit=unit,
        proxy=proxy,
        ties=rules.ties,
        convention=rules.convention,
        seed=rules.seed,
    )
    scores = design_scores(study, found, plain)
    sure = over_labels(found, plain, level=rules.level, seed=rules.seed)
    show = rules.show
    if show.cutoffs and _ordered(study):
        study = replace(study, notes=(*study.notes, UNCUT))
        show = replace(show, cutoffs=0)
    beside = agreement(study, scores, lambda *_, **__: scores.belief, show)
    delta = DELTA if rules.delta is None else rules.delta
    stop = stop_rule(found, study.systems, level=rules.level, delta=delta, seed=rules.seed)
    finished = Finished(scores, condition_by_design(what, found), sure)
    return decide(study, finished, rules, beside, design=found, stop=stop)


def decide(
    study: Study | Outline,
    found: Finished,
    rules: Rules,
    beside: Agreement,
    *,
    matching: Matching | None = None,
    design: Designed | None = None,
    stop: Stop | None = None,
) -> Verdict:
    """Put systems in order, compare them, and say what that means."""
    scores, sure, partial = found.scores, found.sure, found.partial
    if design is None:
        _check_answered(study, scores)
    first = scores.measures[0]
    standing = standings(study, scores, sure)
    with progress.part(0.6, 1.0):
        if design is not None:
            pairs, tied = compared_by_error(standing, scores, design, rules)
        else:
            pairs, tied = compared(standing, scores, sure, rules)
    close = near(standing, scores, sure, rules.delta)
    is_settled = settled(standing, tied, scores, sure, close, rules)
    if beside.caveat is not None or (sure.withheld and partial is not None and not partial.agree):
        is_settled = False
    if stop is not None:
        is_settled = stop.settled
    told = sentence.Told(
        *(standing, tied, first, sure, beside, is_settled, partial, design, stop, rules.delta),
        *(close, pairs, shares_first(standing, scores, sure)),
    )
    said = sentence.verdict(told)
    notes = sentence.notes(study, scores, found.condition, queries=sure.n if design is None else 0)
    return Verdict(
        study,
        found.condition,
        scores,
        first,
        standing,
        pairs,
        tied,
        is_settled,
        said if matching is None else f"{said} {matching.sentence}".rstrip(),
        (*notes, *beside.notes, *(() if design is None else design_notes(design, standing))),
        rules.level,
        rules.seed,
        0 if sure.tail is None else sure.n,
        beside,
        rules.leave_out,
        sure,
        matching,
        partial,
        design,
        stop,
        rules.delta,
        found.curves,
    )


def _check_answered(study: Study | Outline, scores: Scores) -> None:
    """Refuse a system that answered none of the queries, where each would count 0.

    Its queries are called otherwise, or they have not been judged: 0 would be no score of it.
    """
    if scores.convention not in MISSING_IS_ZERO or not scores.put.size:
        return
    codes = study.respondents.of_kind("system").tolist()
    for name, code, put in zip(scores.systems, codes, scores.put, strict=True):
        if put.any():
            continue
        its = ""
        if isinstance(study, Study):
            mine = np.unique(study.answers.query[study.answers.respondent == code])
            if not len(mine):
                continue
            its = f" it has {_some([study.queries[one] for one in mine.tolist()])};"
        raise UsageError(
            f"{name} answered no query of the truth, and would count 0:{its} the truth has "
            f"{_some(scores.queries)} (fix: write the ids of the queries alike in both, or leave "
            f"{name} out)"
        )


def _some(queries: Sequence[str]) -> str:
    """Name the first queries."""
    return ", ".join(map(quote, queries[:3])) + (", …" if len(queries) > 3 else "")


def _undrawn(study: Study) -> str:
    """Say why labels that carry probabilities are taken as if somebody had chosen them."""
    why = unfit(study) or "items are matched by similarity"
    return f"the labels' probabilities are not used: {why}"


def _believe(
    study: Study, what: Condition, belief: Callable[..., Belief] | Belief | None
) -> Callable[..., Belief]:
    """Choose whom to believe, and refuse what makes no sense."""
    _some_system(study)
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


def default_measures(
    study: Study | Outline, *, belief: Callable[..., Belief] | None = gold
) -> tuple[str, ...]:
    """Name what is computed when nobody asks: ranked answers and sets have measures of their own.

    Examples
    --------
    >>> from consilience.study import study
    >>> default_measures(study({"s": {"q": {"a", "b"}}}))
    ('F1', 'P', 'R')
    """
    if belief is aipw and isinstance(study, Study):
        return usual_measures(study, ordered=_ordered(study))
    if not _ordered(study):
        return SET_MEASURES
    return RANKED_MEASURES if belief is gold else AGREEMENT_MEASURES


def _ordered(study: Study | Outline) -> bool:
    """Tell whether answers were meant to be in order."""
    return study.ordered and not all(source.recognised == "list" for source in study.sources)


def _some_system(study: Study) -> None:
    if study.systems:
        return
    judges = [study.respondents.names[code] for code in study.judging]
    said = f"; {_some(judges)} judged, which consilience agree compares" if judges else ""
    raise UsageError(
        f"there is no system to rank{said} (fix: name the systems' files before --truth; a column "
        "that names systems is called 'system')"
    )
