"""Precision, recall, F and AP when the truth is uncertain: distributions instead of numbers.

What is random here is *which items are relevant*: every item is relevant with the probability that
the belief gives it, independently of the other items. The queries are taken as they are. An
interval of a distribution therefore says how far the uncertain truth leaves a score open; it does
not say what other queries would bring.

Precision, recall and F have exact distributions on each query. Average precision, and means over
several queries, are computed over all possible truths where there are few and over drawn ones
(seeded) otherwise; expected values are exact everywhere but in bands over several queries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief import Belief, gold
from consilience.belief.dependence import dependence
from consilience.belief.judges import in_between
from consilience.errors import UsageError, quote, unknown
from consilience.measures.lists import lists_of
from consilience.study.model import as_study, check_equal
from consilience.study.ranking import TIES
from consilience.verdict.agreement import REFERENCE
from consilience.verdict.duels import Duel, duels
from consilience.verdict.outcomes import Outcome
from consilience.verdict.over_queries import (
    Asked,
    Several,
    Standing,
    gone_through,
    measures_of,
    standings_of,
)
from consilience.verdict.possible import Parts, as_it_stands
from consilience.verdict.ran import IN_MEMORY, Ran
from consilience.verdict.resample import check_chance
from consilience.verdict.shown import Shown
from consilience.verdict.uncertain_words import LEADS

if TYPE_CHECKING:
    from consilience.belief.dependence import Dependence
    from consilience.study import Study
    from consilience.study.condition import Condition
    from consilience.study.outline import Known
    from consilience.study.ranking import Ties

#: How many truths are drawn, and how few at least where lists are long.
DRAWS, FEWEST = 2000, 200
#: So many numbers are drawn and looked up in all at most.
WORK = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Distributions(Shown):
    """All systems under an uncertain truth; ``mixed`` where queries themselves are uncertain.

    ``condition`` is that of truth, where it cannot be read off the study; ``ran`` tells where
    all was computed.
    """

    study: Known
    belief: Belief
    queries: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    standings: tuple[Standing, ...]
    duels: tuple[Duel, ...]
    level: float
    delta: float
    beta: float
    ties: Ties
    draws: int | None
    seed: int
    rel: float
    measure: str
    notes: tuple[str, ...]
    mixed: bool = False
    condition: Condition | None = None
    ran: Ran = IN_MEMORY

    @property
    def headline(self) -> str:
        """What was found, in a sentence or two."""
        from consilience.verdict.uncertain_words import headline

        return headline(self)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, by the names of their keys."""
        return tuple(self.outcomes[0].values) if self.outcomes else ()

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.uncertain_payload import of_distributions

        return of_distributions(self)


def distributions(
    study: Study,
    *,
    belief: Belief | Callable[..., Belief] = gold,
    level: float = 0.95,
    delta: float = 0.0,
    beta: float = 1.0,
    ties: Ties = "trec",
    draws: int = DRAWS,
    seed: int = 0,
    rel: float = 1.0,
    measure: str = "F1",
    parts: Parts = as_it_stands,
) -> Distributions:
    """Compute the distributions of precision, recall, F and AP of every system.

    Parameters
    ----------
    study
        A study of systems' answers, with judges or without.
    belief
        The probability of every item: a function of the study such as :func:`consilience.gold`
        (shares of judges), :func:`consilience.consensus` or
        :func:`consilience.by_category`, or a belief that was made before.
    level
        How much probability intervals hold.
    delta
        The difference that matters: P(A ≥ B + δ) is given beside P(A > B).
    beta
        The weight of recall in F_β; F1 is given in any case.
    ties
        How equal scores are settled.
    draws, seed
        How many truths are drawn where not all can be gone through, and where chance starts.
    rel
        The lowest grade that counts as relevant.
    measure
        What ranks the systems: "P", "R", "F1" or "AP".
    parts
        What each query may be about, where that is uncertain itself.

    Examples
    --------
    Lamiroy & Sun's Table 3 under their consensus:

    >>> import consilience as cs
    >>> votes = {
    ...     "item": ["d1", "d2", "d3", "d4", "d5", "d6", "d7"],
    ...     "S1": [1, 1, 0, 1, 1, 0, 0],
    ...     "S2": [1, 1, 1, 0, 0, 0, 0],
    ...     "S3": [1, 1, 0, 0, 0, 1, 0],
    ... }
    >>> found = distributions(cs.study(votes), belief=cs.consensus)
    >>> s1 = found.outcomes[0]
    >>> round(s1.means["recall"], 6), round(s1.means["f1"], 6), round(s1.p_none_relevant, 6)
    (0.727021, 0.634729, 0.004147)
    """
    as_study(study, "distributions")
    check_equal(study, "distributions")
    check(
        study.systems,
        level=level,
        beta=beta,
        ties=ties,
        draws=draws,
        delta=delta,
        seed=seed,
        rel=rel,
        measure=measure,
    )
    believed = _believed(study, belief, rel)
    lists = lists_of(study, believed, ties=ties)
    few, told = affordable(lists.answers + len(study.items), draws)
    asked = Asked(lists, parts, measures_of(beta), beta, level, delta, few, seed, LEADS[measure])
    between = in_between(study, rel)
    whole = Whole(study, believed, lists.queries, lists.tied, between, ties, rel, measure)
    return finished(asked, lambda: [asked], whole, told)


@dataclass(frozen=True, slots=True)
class Whole:
    """What distributions are told beside the lists: who and what, and what readers must know.

    ``tied`` counts answers that share their score, ``between`` grades that are fractions and too
    low to count. ``condition`` is that of truth, where it cannot be read off the study.
    """

    study: Known
    belief: Belief
    queries: tuple[str, ...]
    tied: int
    between: int
    ties: Ties
    rel: float
    measure: str
    condition: Condition | None = None


def finished(asked: Asked, several: Several, whole: Whole, told: Sequence[str]) -> Distributions:
    """Go through all lists, some at a time, and put together what is found."""
    if not whole.queries:
        raise UsageError("no query has a belief about its items (fix: look with consilience check)")
    outcomes, over = gone_through(asked, several)
    standings = standings_of(asked, outcomes, over)
    shown = [number for number, one in enumerate(standings) if one.shown]
    shown.sort(key=lambda number: -np.nan_to_num(standings[number].means[asked.leads]))
    return Distributions(
        whole.study,
        whole.belief,
        whole.queries,
        outcomes,
        standings,
        duels(asked, several, outcomes, over, shown),
        asked.level,
        asked.delta,
        asked.beta,
        whole.ties,
        None if over.exact else asked.draws,
        asked.seed,
        whole.rel,
        whole.measure,
        (*_notes(whole, outcomes, standings, len(shown)), *told),
        condition=whole.condition,
    )


def check(
    systems: Sequence[str],
    *,
    level: float,
    beta: float,
    ties: str,
    draws: int,
    delta: float,
    seed: object,
    rel: float,
    measure: str,
) -> None:
    """Refuse settings that make no sense."""
    if not systems:
        raise UsageError("there is no system (fix: name its file)")
    check_chance(level, seed)
    if not 0 < rel < np.inf:
        raise UsageError(f"the lowest relevant grade must be above 0, found {rel} (fix: 1)")
    if not 0 < beta < np.inf:
        raise UsageError(f"β must be above 0, found {beta} (fix: 1)")
    if not 0 <= delta < np.inf:
        raise UsageError(f"δ must be 0 or more, found {delta} (fix: 0.02)")
    if draws < FEWEST:
        raise UsageError(f"at least {FEWEST} truths must be drawn, not {draws} (fix: {DRAWS})")
    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES)
    if measure not in LEADS:
        raise unknown("measure of distributions", measure, list(LEADS))


def _believed(study: Study, belief: Belief | Callable[..., Belief], rel: float) -> Belief:
    """Believe, and refuse what would look like a figure and is none."""
    if isinstance(belief, Belief):
        return belief
    if not callable(belief):
        raise UsageError(
            f"{quote(belief)} is not a belief (fix: pass a function, such as consilience.consensus)"
        )
    made = belief(study) if rel == 1.0 else belief(study, relevant_from=rel)
    if not made.heard:
        needs_sources(study.systems, made.method, lambda: dependence(study))
    return made


def needs_sources(
    systems: Sequence[str], method: str, looked: Callable[[], Dependence | None]
) -> None:
    """Refuse to tell how far scores may lie where too few independent systems agree."""
    if len(systems) < 2:
        raise UsageError(
            "there is no truth, and no other system to agree with "
            "(fix: name a file with --truth, or other systems' files)"
        )
    known = looked()
    if known is not None and known.warning and method != REFERENCE:
        raise UsageError(
            f"{known.warning}; how far a score may lie cannot be told from their agreement (fix: "
            "more systems, or --truth; --belief consensus gives the papers' figures all the same)"
        )


def affordable(work: int, draws: int) -> tuple[int, list[str]]:
    """Say how many truths are drawn: fewer where answers and items are very many."""
    fewer = max(FEWEST, min(draws, WORK // max(work, 1)))
    if fewer == draws:
        return draws, []
    return fewer, [f"the lists are long: {fewer:,} truths are drawn instead of {draws:,}"]


def _notes(
    whole: Whole, outcomes: Sequence[Outcome], standings: Sequence[Standing], shown: int
) -> list[str]:
    """Say what a reader must know of the data beside the figures."""
    notes = list(whole.study.notes)
    if whole.between:
        notes.append(
            f"{whole.between:,} grades lie between 0 and {whole.rel:g}, the lowest that counts as "
            "relevant, and do not count (--rel sets it; relevances that order a list are for "
            "displacement)"
        )
    missing = sum(one.missing for one in standings)
    if missing:
        notes.append(f"{missing:,} answers to queries are missing: they count 0")
    above = sum(
        len(one.values["recall_fixed"]) and one.values["recall_fixed"].support[-1] > 1
        for one in outcomes
    )
    if above:
        notes.append(
            "recall with the fixed size |ω| can exceed 1: more items may be relevant than expected"
        )
    if whole.tied:
        notes.append(f"{whole.tied:,} answers share their score with another one")
    if shown < len(standings):
        notes.append(
            f"pairs are given for the first {shown} of {len(standings)} systems by "
            f"{whole.measure}; bands over several queries are given for so many systems at most"
        )
    return notes
