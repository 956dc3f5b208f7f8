"""What is believed inside an engine, who votes how, and which rows that takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.belief.votes import EVIDENCE, Evidence
from consilience.engine import expressions as e
from consilience.engine.tables import Part, Tables
from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    from numpy.typing import NDArray

    from consilience.study.ranking import Ties

Method = Literal["gold", "consensus", "shrunk"]
#: What may be believed inside an engine: judges; the consensus with virtual voters; the consensus
#: with a prior at the query's share of yes (``ls-eb`` and ``families``, by their weights).
METHODS: tuple[Method, ...] = ("gold", "consensus", "shrunk")
#: The kinds of respondents that vote beside the systems.
_VOTE = {"ignore": ("system",), "clamp": ("system", "person", "llm")}


@dataclass(frozen=True, slots=True)
class Believing:
    """What is believed, and whom it counts how much.

    ``weights`` are by name (None: everybody counts as one); ``top`` and ``bottom`` are those of
    the virtual voters, ``prior`` that of the prior. ``evidence`` and ``relevant_from`` are as in
    :func:`consilience.consensus`.
    """

    method: Method
    weights: Mapping[str, float] | None = None
    top: float = 0.0
    bottom: float = 0.0
    prior: float = 1.0
    evidence: Evidence = "clamp"
    relevant_from: float = 1.0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown("belief of an engine", self.method, METHODS)
        if self.evidence not in EVIDENCE:
            raise unknown("way with evidence", self.evidence, EVIDENCE)
        if not self.prior > 0:
            raise UsageError(f"the prior must weigh more than nothing, found {self.prior} (fix: 1)")


@dataclass(frozen=True, slots=True)
class Voters:
    """Everybody, by number: who votes with which weight, whose silence says no, who is what."""

    weight: NDArray[np.float64]
    votes: NDArray[np.bool_]
    lists: NDArray[np.bool_]
    gold: NDArray[np.bool_]
    person: NDArray[np.bool_]
    system: NDArray[np.bool_]

    @staticmethod
    def of(tables: Tables, believing: Believing) -> Voters:
        """Look up who votes, and how much everybody counts."""
        people = tables.respondents
        kind = np.array(people.kind, dtype=object)
        wanted = _VOTE.get(believing.evidence, tuple(people.kind))
        heard = tables.asked.any(axis=1) if len(tables.queries) else np.zeros(len(kind), bool)
        votes = np.isin(kind, wanted) & heard
        weight = np.ones(len(kind))
        if believing.weights is not None:
            missing = [
                name
                for name, voter in zip(people.names, votes.tolist(), strict=True)
                if voter and name not in believing.weights
            ]
            if missing:
                raise UsageError(f"{missing[0]!r} votes and has no weight (fix: give it one)")
            weight = np.array([believing.weights.get(name, 0.0) for name in people.names])
        lists = np.array([silence == "no" for silence in people.silence], bool)
        judges = kind == "gold", kind == "person"
        return Voters(np.where(votes, weight, 0.0), votes, lists, *judges, kind == "system")

    @property
    def says_no_to_unmentioned(self) -> NDArray[np.bool_]:
        """Who says no to an item that nobody mentioned: systems, and judges who list."""
        return self.lists | self.system

    @property
    def columns(self) -> dict[str, NDArray[np.float64]]:
        """What expressions are told of everybody."""
        flags = {
            "votes": self.votes,
            "lists": self.lists,
            "gold": self.gold,
            "judging": self.gold | self.person,
            "listing": self.person & self.lists,
        }
        numbers = {name: flag.astype(np.float64) for name, flag in flags.items()}
        return {"weight": self.weight, **numbers}


@dataclass(frozen=True, slots=True)
class Plan:
    """How the parts of some tables are worked on."""

    tables: Tables
    believing: Believing
    voters: Voters
    cutoffs: tuple[int, ...] = ()
    ties: Ties = "trec"

    @staticmethod
    def of(
        tables: Tables, believing: Believing, cutoffs: Sequence[int] = (), ties: Ties = "trec"
    ) -> Plan:
        """Look up who votes how."""
        voters = Voters.of(tables, believing)
        return Plan(tables, believing, voters, tuple(sorted({*cutoffs})), ties)

    @property
    def judged(self) -> bool:
        """Whether what judges said takes part."""
        return self.believing.method == "gold" or self.believing.evidence != "ignore"

    @property
    def plain(self) -> bool:
        """Whether all answers say yes and stand in order."""
        return self.tables.said.plain and not (self.cutoffs and self.tables.said.unordered)

    @property
    def clamps(self) -> bool:
        """Whether gold's word stands."""
        given = bool(self.tables.asked[self.voters.gold].any())
        return self.believing.method != "gold" and self.believing.evidence == "clamp" and given

    @property
    def listed(self) -> bool:
        """Whether those that are believed list all that is relevant."""
        voices = self.voters.gold if self.clamps else self.voters.gold | self.voters.person
        return bool(self.voters.lists[voices & self.tables.asked.any(axis=1)].all())

    def opinions(self, part: Part, answers: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Give the opinions of a part."""
        evidence = part.evidence if self.judged else None
        if evidence is not None:
            evidence = e.said(evidence, relevant_from=self.believing.relevant_from)
        return e.opinions(answers, evidence)

    def told(self, part: Part, *names: str) -> nw.LazyFrame[Any]:
        """Give the opinions of a part, and beside them some numbers of those who have them."""
        rows = self.opinions(part, part.answers)
        alike = self.alike
        if alike is not None and (part.evidence is None or not self.judged):
            return e.told(rows, {name: alike[name] for name in names})
        columns = self.voters.columns
        return e.told(rows, self.tables.people({name: columns[name] for name in names}))

    def tallies(self, part: Part) -> nw.LazyFrame[Any]:
        """Add up for every item of a part what its belief is made of."""
        if self.believing.method == "gold":
            rows = self.told(part, "judging", "listing")
            return e.tallies(rows, ("judges", "word_of_judges", "named"))
        if self.clamps:
            rows = self.told(part, "weight", "lists", "gold")
            return e.tallies(rows, ("yes", "shift", "heard", "word"))
        return e.tallies(self.told(part, "weight", "lists"), ("yes", "shift"))

    @property
    def linear(self) -> bool:
        """Whether as much weight spoke of every item of a query: all is known, of silence, too."""
        if self.believing.method == "gold" or (self.judged and self._has_evidence):
            return False
        return not self.tables.said.gaps and bool(self.voters.lists[: self.tables.systems].all())

    @property
    def _has_evidence(self) -> bool:
        return any(part.evidence is not None for part in self.tables.parts)

    @property
    def alike(self) -> dict[str, float] | None:
        """Give the numbers of all systems, where these are the same."""
        systems = slice(0, self.tables.systems)
        columns = {name: column[systems] for name, column in self.voters.columns.items()}
        if any(len(np.unique(column)) != 1 for column in columns.values()):
            return None
        return {name: float(column[0]) for name, column in columns.items()}
