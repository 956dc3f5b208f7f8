"""What was asked of a ranking, as far as it depends on the study what is meant by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any

from consilience.belief.names import BELIEFS, belief_by_name
from consilience.belief.sample import is_designed
from consilience.belief.votes import EVIDENCE
from consilience.errors import UsageError, unknown
from consilience.measures.left_out import LEAVE_OUT
from consilience.measures.names import parse
from consilience.measures.scores import CONVENTIONS
from consilience.study.condition import (
    no_common_query,
    no_common_query_of,
    no_truth,
    sorts_only,
)
from consilience.study.ranking import TIES
from consilience.verdict.rank import default_measures

if TYPE_CHECKING:
    from consilience.study import Study
    from consilience.study.condition import Facts
    from consilience.verdict.settling import Rules


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for: see :func:`consilience.rank_tables`."""

    belief: str
    weights: Mapping[str, float] | None
    families: str | None
    evidence: str | None
    measures: tuple[str, ...]
    also: tuple[str, ...]
    rel: float | None
    depth: int | None

    def check(self, rules: Rules) -> None:
        """Refuse names that are not known, before anything is read or sorted."""
        for name in (*self.measures, *self.also):
            parse(name, rel=self.rel)
        known: list[tuple[str, str | None, Sequence[str]]] = [
            ("belief", self.belief, ["auto", *BELIEFS]),
            ("way with evidence", self.evidence, EVIDENCE),
            ("rule for ties", rules.ties, TIES),
            ("convention", rules.convention, CONVENTIONS),
            ("thing to leave out", rules.leave_out, LEAVE_OUT),
        ]
        for what, given, possible in known:
            if given is not None and given not in possible:
                raise unknown(what, given, possible)

    def believed(self, study: Study) -> str:
        """Name whom to believe: the truth where there is some; weights are the papers' consensus.

        Of a study too large to be here, some queries and all that judges said tell enough.
        """
        apart = None if self._named and self.belief != "gold" else no_common_query(study)
        judged = no_truth(study) is None and not sorts_only(study)
        name = self._believed(apart, judged=judged)
        return "aipw" if name == "gold" != self.belief and is_designed(study) else name

    def believed_by(self, facts: Facts) -> str:
        """Name whom to believe, by what was counted."""
        judged = facts.lacking is None and not facts.sorts_only
        return self._believed(no_common_query_of(facts.shared), judged=judged)

    @property
    def _named(self) -> bool:
        """Whether it is known whom to believe, whatever there is."""
        return self.belief != "auto" or self.weights is not None

    def _believed(self, apart: str | None, *, judged: bool) -> str:
        if apart is not None and (self.belief == "gold" or not self._named):
            raise UsageError(apart)
        if self.belief != "auto":
            return self.belief
        if self.weights is not None:
            return "consensus"
        return "gold" if judged else "ls-eb"

    def names(self, study: Study, belief: str) -> list[str]:
        """Name the measures."""
        return self.with_usual(default_measures(study, belief=belief_by_name(belief)))

    def with_usual(self, usual: tuple[str, ...]) -> list[str]:
        """Name the measures; ``usual`` are those where nobody named any."""
        names = [str(parse(one, rel=self.rel)) for one in self.measures or usual]
        return list(dict.fromkeys([*names, *self.also]))

    def options(self, belief: str) -> dict[str, Any]:
        """Give what the belief is told."""
        takes = signature(belief_by_name(belief)).parameters
        given = {"weights": self.weights, "evidence": self.evidence}
        for name, value in given.items():
            if value is not None and name not in takes:
                raise UsageError(f"--{name} is for a consensus, not for {belief} (fix: drop it)")
        return {name: value for name, value in given.items() if value is not None}


def check_company(belief: str, systems: int, *, judged: bool) -> None:
    """See that there is somebody to agree with.

    Examples
    --------
    >>> check_company("ls-eb", 1, judged=False)
    Traceback (most recent call last):
    consilience.errors.UsageError: there is no truth, and no other system to agree with (fix: ...
    """
    if not systems:
        raise UsageError("there is no system to rank (fix: name the systems' files before --truth)")
    if belief != "gold" and systems < 2 and not judged:
        raise UsageError(
            "there is no truth, and no other system to agree with "
            "(fix: name a file with --truth, or other systems' files)"
        )
