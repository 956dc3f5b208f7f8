"""Distributions of precision, recall, F and AP over parts of a study.

Queries have their own sources of chance, numbered over all queries, and averages over queries are
sums over them, truth by truth. So everything that :func:`consilience.distributions` gives can be
computed part by part, with the same draws: figures are those of the whole, but for the rounding of
the belief.

Parts are gone through twice, or three times where pairs are compared on every query: first for
what concerns all of them (how many queries there are, how long lists are, which truth there is),
then for the distributions. In memory stay one part, the drawn averages (systems × truths), and the
result: figures for every system and query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consilience.belief.joined import joined_belief, without_items
from consilience.belief.judges import in_between
from consilience.errors import UsageError
from consilience.measures.lists import Lists, lists_of
from consilience.progress import report
from consilience.study.condition import Facts, condition_of, facts, joined_facts
from consilience.verdict.agreement import brought, known_answers
from consilience.verdict.duels import MEETINGS
from consilience.verdict.over_queries import SYSTEMS, Asked, Extent, measures_of
from consilience.verdict.possible import as_it_stands
from consilience.verdict.uncertain import (
    DRAWS,
    Distributions,
    Whole,
    affordable,
    check,
    finished,
    needs_sources,
)
from consilience.verdict.uncertain_payload import points_of
from consilience.verdict.uncertain_words import LEADS

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.belief.dependence import Dependence
    from consilience.engine.streaming import Parts
    from consilience.study.outline import Known
    from consilience.study.ranking import Ties


def distributions(
    parts: Parts,
    *,
    study: Known,
    belief: Callable[..., Belief],
    sources: Callable[[], Dependence | None] = lambda: None,
    level: float = 0.95,
    delta: float = 0.0,
    beta: float = 1.0,
    ties: Ties = "trec",
    draws: int = DRAWS,
    seed: int = 0,
    rel: float = 1.0,
    measure: str = "F1",
) -> Distributions:
    """Compute the distributions of precision, recall, F and AP of every system, part by part.

    Parameters
    ----------
    parts
        The parts, each with some of the queries, or a function that gives them, every time anew.
    study
        What is known of the whole study (:func:`consilience.study.outline.outline`).
    belief
        Forms the belief of a part; what it must know of the whole, it knows.
    sources
        Tells which systems answer alike, where only their agreement is believed.
    level, delta, beta, ties, draws, seed, rel, measure
        As in :func:`consilience.distributions`.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.study.outline import outline, ranges
    >>> lists = {"a": {"q": ["x", "y"], "r": ["z"]}, "b": {"q": ["x"], "r": ["w"]}}
    >>> made = cs.study({**lists, "c": {"q": ["x", "y"], "r": ["w"]}})
    >>> found = distributions(ranges(made, [1]), study=outline(made), belief=cs.consensus)
    >>> whole = cs.distributions(made, belief=cs.consensus)
    >>> [one.intervals["f1"] for one in found.standings] == [
    ...     one.intervals["f1"] for one in whole.standings
    ... ]
    True
    """
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

    def looked() -> Iterator[Lists]:
        for part in parts() if callable(parts) else parts:
            made = belief(part) if rel == 1.0 else belief(part, relevant_from=rel)
            yield lists_of(part, made, ties=ties)

    seen = _Seen()
    for one in looked():
        seen.add(one, rel)
    if not seen.beliefs:
        raise UsageError("there is no part of a study (fix: give one at least)")
    whole = joined_belief(seen.beliefs)
    if not whole.heard:
        needs_sources(study.systems, whole.method, sources)
    few, told = affordable(seen.answers + len(study.items), draws)

    def asked(lists: Lists, first: int) -> Asked:
        extent = Extent(len(seen.queries), first, tuple(seen.longest), tuple(seen.ordered))
        settings = (measures_of(beta), beta, level, delta, few, seed, LEADS[measure], extent)
        return Asked(lists, as_it_stands, *settings, seen.keep(len(measures_of(beta))))

    def several() -> Iterator[Asked]:
        first = 0
        for lists in looked():
            yield asked(lists, first)
            first += len(lists.queries)
            report(first, len(seen.queries))

    what = brought(condition_of(joined_facts(seen.facts)), whole, seen.known)
    about = Whole(
        *(study, whole, tuple(seen.queries), seen.tied, seen.between, ties, rel, measure, what)
    )
    return finished(asked(next(iter(looked())), 0), several, about, told)


@dataclass(slots=True)
class _Seen:
    """What a first look at the parts tells of the whole."""

    queries: list[str] = field(default_factory=list)
    longest: list[int] = field(default_factory=list)
    ordered: list[bool] = field(default_factory=list)
    beliefs: list[Belief] = field(default_factory=list)
    facts: list[Facts] = field(default_factory=list)
    known: list[tuple[int, int]] = field(default_factory=list)
    answers: int = 0
    tied: int = 0
    between: int = 0

    def add(self, lists: Lists, rel: float) -> None:
        """Look at a part."""
        systems = range(len(lists.systems))
        longest, ordered = ([of(n) for n in systems] for of in (lists.longest_of, lists.ordered))
        before = zip(self.longest or [0] * len(systems), longest, strict=True)
        self.longest = [max(lengths) for lengths in before]
        both = zip(self.ordered or [True] * len(systems), ordered, strict=True)
        self.ordered = [all(one) for one in both]
        self.queries += lists.queries
        self.beliefs.append(without_items(lists.belief))
        self.facts.append(facts(lists.study))
        self.known.append(known_answers(lists.study, lists.belief))
        self.answers += lists.answers
        self.tied += lists.tied
        self.between += in_between(lists.study, rel)

    def keep(self, measures: int) -> int | None:
        """Say how many points of a distribution are needed: those that are written.

        All of them, where pairs are compared on each query.
        """
        count = len(self.longest)
        shown = min(count, SYSTEMS)
        if 0 < shown * (shown - 1) // 2 * len(self.queries) <= MEETINGS:
            return None
        return points_of(count * len(self.queries) * measures)
