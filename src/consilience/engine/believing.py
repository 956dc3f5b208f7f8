"""Beliefs whose weights or rates are found once, and then hold for every part.

Who copies whom, and which family has how many members, are facts of the whole study. A part alone
would get them wrong; so they are found first, on a sample of the queries, and handed to the parts.
Rates are found by EM over all parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience import progress
from consilience.belief.dependence import distinct
from consilience.belief.names import belief_by_name
from consilience.belief.votes import votes_of
from consilience.engine.opening import ready
from consilience.errors import UsageError
from consilience.study.subset import silenced

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.engine.streaming import Streamed
    from consilience.study import Study

#: Beliefs that need only weights beside a query's own votes.
WEIGHTED = ("gold", "consensus", "ls-eb", "families", "discounted", "majority")
#: Beliefs whose rates are found by EM over all parts.
FITTED = ("dawid-skene", "hds")

#: Bytes that EM may use at least.
LEAST_ROOM = 1 << 28

#: Weights by name.
Counts = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Weighted:
    """A belief with known weights: a function of a part of a study.

    ``counts`` holds the weights for every group of systems that may be silenced (nobody: the
    empty group), because those who are left weigh differently then, and for every grade from
    which on items are relevant, because judges may be among the voters. The weights of a
    consensus do not depend on votes: those are its options.
    """

    name: str
    counts: tuple[tuple[tuple[tuple[str, ...], float], Counts], ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, study: Study, **more: Any) -> Belief:
        """Form the belief of a part."""
        given = {**dict(self.options), **more}
        if self.name not in ("gold", "consensus"):
            people = zip(study.respondents.names, map(str, study.respondents.kind), strict=True)
            quiet = tuple(sorted(name for name, kind in people if kind == "silenced"))
            given["counts"] = dict(dict(self.counts)[quiet, more.get("relevant_from", 1.0)])
        return belief_by_name(self.name)(study, **given)


def weighted(
    name: str,
    sample: Study,
    *,
    options: Mapping[str, Any] | None = None,
    groups: Sequence[Sequence[str]] = (),
    grades: Sequence[float] = (),
) -> Weighted:
    """Find the weights of a belief on a sample of a study's queries.

    Parameters
    ----------
    name
        The belief.
    sample
        A study of some of the queries, with everybody in it.
    options
        What else the belief is told: evidence, weights.
    groups
        The groups of systems that will be silenced, one at a time.
    grades
        The lowest grades that will count as relevant, beside 1.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["z"]}})
    >>> dict(weighted("ls-eb", made).counts[0][1])
    {'a': 0.5, 'b': 0.5, 'c': 1.0}
    """
    check_parts(name)
    given = dict(options or {})
    if name == "gold":
        return Weighted(name)
    counts = []
    for group in [(), *groups] if name != "consensus" else [()]:
        part = silenced(sample, group) if group else sample
        for grade in dict.fromkeys((1.0, *grades)):
            found = tuple(_counts(name, part, given, grade).items())
            counts.append(((tuple(sorted(group)), grade), found))
    return Weighted(name, tuple(counts), tuple(given.items()))


def check_parts(belief: str) -> None:
    """See that a belief can be formed part by part."""
    if belief not in (*WEIGHTED, *FITTED):
        raise UsageError(
            f"--belief {belief} needs all votes in memory at once (fix: --engine memory, or one of "
            f"{', '.join((*WEIGHTED, *FITTED))})"
        )


@dataclass(frozen=True, slots=True)
class Fitted:
    """A belief whose rates EM found over all parts, for every grade that counts as relevant."""

    fits: tuple[Streamed, ...]

    def __call__(self, study: Study, *, relevant_from: float = 1.0) -> Belief:
        """Form the belief of a part."""
        return next(one for one in self.fits if one.relevant_from == relevant_from)(study)


#: A belief that is known well enough to be formed part by part.
Formed = Weighted | Fitted


@dataclass(frozen=True, slots=True)
class Forming:
    """How a belief is found that holds for every part.

    ``grades`` are the lowest grades that will count as relevant, ``options`` what else the belief
    is told, ``groups`` the groups of systems that will be silenced, ``families`` those of "hds"
    (None: the study's own), ``memory`` how many bytes EM may use.
    """

    name: str
    memory: int
    grades: tuple[float, ...] = (1.0,)
    options: Mapping[str, Any] = field(default_factory=dict)
    groups: Sequence[Sequence[str]] = ()
    families: Mapping[str, str] | None = None

    def formed(self, sample: Study, parts: Callable[[], Iterator[Study]]) -> Formed:
        """Find the weights on a sample, or the rates by EM over all parts."""
        if self.name not in FITTED:
            return weighted(
                self.name, sample, options=self.options, groups=self.groups, grades=self.grades
            )
        fits = []
        for place, grade in enumerate(self.grades):
            with progress.part(place / len(self.grades), (place + 1) / len(self.grades)):
                fits.append(self._fit(sample, parts, grade))
        return Fitted(tuple(fits))

    def _fit(self, sample: Study, parts: Callable[[], Iterator[Study]], grade: float) -> Streamed:
        """Find rates by EM over all parts; the sample tells who copies whom."""
        from consilience.engine import streaming

        evidence = self.options.get("evidence", "clamp")
        room = max(self.memory // 4, LEAST_ROOM)
        how = streaming.How(evidence, grade, memory=room, scratch=ready())
        if self.name == "hds":
            return streaming.hierarchical(parts, families=self.families, how=how)
        votes = votes_of(sample, evidence=evidence, relevant_from=grade)
        weight = np.ones(len(sample.respondents))
        weight[votes.respondent] = distinct(votes)
        return streaming.dawid_skene(parts, weight=weight, how=how)


def _counts(name: str, sample: Study, options: Mapping[str, Any], grade: float) -> dict[str, float]:
    """Weigh the voters of a sample."""
    if name == "majority":
        votes = votes_of(sample, evidence=options.get("evidence", "clamp"), relevant_from=grade)
        return dict(zip(votes.names, distinct(votes).tolist(), strict=True))
    belief = belief_by_name(name)(sample, relevant_from=grade, **options)
    return dict(belief.details["weights"])
