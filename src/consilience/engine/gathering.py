"""From tables on an engine to sums: which expressions are run, part by part, and put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience import progress
from consilience.belief.votes import EVIDENCE, Evidence
from consilience.engine import expressions as e
from consilience.engine.sums import Sums
from consilience.engine.tables import Part, Tables, values
from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa
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
        return Voters(np.where(votes, weight, 0.0), votes, lists, kind == "gold", kind == "person")

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

    def opinions(self, part: Part, answers: nw.LazyFrame[Any]) -> tuple[nw.LazyFrame[Any], bool]:
        """Give the opinions of a part; tell whether they are all alike but for the item."""
        evidence = part.evidence if self.judged else None
        if evidence is not None:
            evidence = e.said(evidence, relevant_from=self.believing.relevant_from)
        alike = self.alike
        if evidence is None and alike is not None:
            return e.opinions(answers, None, alike), self.tables.said.plain and alike["lists"] > 0
        return e.opinions(answers, evidence, self.tables.people(self.voters.columns)), False

    @property
    def alike(self) -> dict[str, float] | None:
        """Give the numbers of all systems, where these are the same."""
        systems = slice(0, self.tables.systems)
        columns = {name: column[systems] for name, column in self.voters.columns.items()}
        if any(len(np.unique(column)) != 1 for column in columns.values()):
            return None
        return {name: float(column[0]) for name, column in columns.items()}


def sums_of(
    tables: Tables,
    believing: Believing,
    *,
    cutoffs: Sequence[int] = (),
    ties: Ties = "trec",
) -> Sums:
    """Add up for every system and query what P, R, F and Judged need, inside the engine.

    Parameters
    ----------
    tables
        Answers and evidence on an engine.
    believing
        What is believed of items.
    cutoffs
        Depths k.
    ties
        How equal scores are settled: "trec", "rank" or "order".
    """
    if believing.method == "gold" and not tables.asked[tables.systems :].any():
        raise UsageError("there is no truth to compare with (fix: name a file with --truth)")
    e.check_ties(ties, tables.said)
    plan = Plan.of(tables, believing, cutoffs, ties)
    shape = (len(tables.respondents), len(tables.queries))
    found: dict[str, NDArray[np.float64]] = {}
    unseen = np.zeros(len(tables.queries))
    total, done = max(tables.votes, 1), 0
    for part in tables.parts:
        table, queries = _cells(plan, part)
        unseen[part.queries] = queries
        who, query = tables.respondent_code(table), tables.query_code(table)
        for name in table.column_names:
            if name not in ("query", "judge", "respondent"):
                into = found.setdefault(name, np.zeros(shape))
                into[who, query] = values(table[name])
        done += part.votes
        progress.report(done, total)
    return _sums(plan, found, unseen)


def _cells(plan: Plan, part: Part) -> tuple[pa.Table, NDArray[np.float64]]:
    """Add up the cells of a part; give the probabilities of unseen items, too, query by query.

    Positions are first taken as they are found quickly; where that was not right, anew.
    """
    tables = plan.tables
    per_query, unseen = _per_query(plan, part)
    for near in (True, False):
        answers = answers_at(tables, part, plan.cutoffs, plan.ties, near=near)
        rows, flat = plan.opinions(part, answers)
        rows = _believed(plan, rows, per_query, flat=flat)
        plain = plan.plain and flat
        table = tables.engine.collect(e.cells(rows, cutoffs=plan.cutoffs, plain=plain))
        table = _completed(table, plan.cutoffs) if plain else table
        if not near or right(table, plan.cutoffs):
            break
    return table, unseen


def answers_at(
    tables: Tables, part: Part, cutoffs: Sequence[int], ties: Ties, *, near: bool
) -> nw.LazyFrame[Any]:
    """Give answers with their positions, where these are needed; quickly found ones if ``near``."""
    by = e.key(tables.said)
    if cutoffs and by is not None:
        if near:
            return e.near_positions(part.answers, tables.said)
        return e.positions(part.answers, tables.said, ties=ties)
    if by is not None:
        return part.answers.with_columns(key=by)
    return part.answers.with_columns(position=e.NOWHERE)


def _completed(table: pa.Table, cutoffs: Sequence[int]) -> pa.Table:
    """Add what is the same as something else where all rows are plain."""
    same = dict.fromkeys(("length", "returned", "seen", "judged"), "rows") | {"held": "found"}
    same |= {f"judged@{k}": f"within@{k}" for k in cutoffs}
    for name, other in same.items():
        table = table.append_column(name, table[other])
    return table


def right(table: pa.Table, cutoffs: Sequence[int]) -> bool:
    """Tell whether quickly found positions put just k answers, or all, among the first k.

    Judges' lists have no positions, nor have those that nothing puts in order.
    """
    length = values(table["length"])
    skip = np.zeros(len(length), bool)
    for name in ("judge", "unordered"):
        if name in table.column_names:
            skip |= values(table[name]) > 0
    return all(
        bool(((values(table[f"within@{k}"]) == np.minimum(length, k)) | skip).all())
        for k in cutoffs
    )


def _per_query(plan: Plan, part: Part) -> tuple[nw.LazyFrame[Any], NDArray[np.float64]]:
    """Say of a part's queries what beliefs need to know; and what an unseen item is worth."""
    tables, voters, believing = plan.tables, plan.voters, plan.believing
    asked = tables.asked[:, part.queries]
    silent = voters.weight @ (asked & voters.lists[:, None])
    golden = asked[voters.gold].any(axis=0)
    columns: dict[str, NDArray[np.float64]] = {
        "silent": np.asarray(silent, np.float64),
        "golden": np.asarray(golden, np.float64),
    }
    unseen = np.zeros(len(part.queries))
    if believing.method == "gold":
        listers = (voters.person & voters.lists).astype(np.float64) @ asked
        columns = {"listers": np.asarray(listers, np.float64)}
    elif believing.method == "consensus":
        below = silent + believing.top + believing.bottom
        np.divide(believing.top, below, out=unseen, where=below > e.NOTHING)
    else:
        m = _prevalence(plan, part, silent)
        columns["m"] = m
        unseen = believing.prior * m / (silent + believing.prior)
    if plan.clamps and plan.listed:
        unseen = np.where(golden, 0.0, unseen)
    return tables.per_query(part.queries, columns), unseen


def _prevalence(plan: Plan, part: Part, silent: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the share of yes among all votes on each query of a part."""
    tables = plan.tables
    rows, flat = plan.opinions(part, part.answers)
    table = tables.engine.collect(e.totals(rows, flat=flat))
    items, yes, shift = (np.zeros(len(tables.queries)) for _ in range(3))
    code = tables.query_code(table)
    for name, into in (("items", items), ("yes", yes), ("shift", shift)):
        if name in table.column_names:
            into[code] = values(table[name])
    yes = yes * plan.voters.weight[0] if flat else yes
    size = items[part.queries]
    if tables.universe is not None:
        size = np.full(len(size), float(tables.universe))
    below = size * silent + shift[part.queries]
    m = np.zeros(len(part.queries))
    np.divide(yes[part.queries], below, out=m, where=below > e.NOTHING)
    return np.clip(m, 0.0, 1.0)


def _believed(
    plan: Plan, rows: nw.LazyFrame[Any], queries: nw.LazyFrame[Any], *, flat: bool
) -> nw.LazyFrame[Any]:
    """Write beside every opinion what is believed of its item."""
    believing = plan.believing
    if believing.method == "gold":
        return e.gold(rows, queries, listed=plan.listed)
    if believing.method == "consensus":
        top, bottom = believing.top, believing.bottom
        rows = e.consensus(rows, queries, top=top, bottom=bottom, flat=flat)
    else:
        rows = e.shrunk(rows, queries, prior=believing.prior, flat=flat)
    return e.clamped(rows, listed=plan.listed) if plan.clamps else rows


def _sums(
    plan: Plan, found: Mapping[str, NDArray[np.float64]], unseen: NDArray[np.float64]
) -> Sums:
    """Put the cells of systems together with what is known of queries."""
    tables, voters = plan.tables, plan.voters
    gold = plan.believing.method == "gold"
    speaks = (voters.gold | voters.person) if gold else voters.votes
    evaluated = tables.asked[speaks].any(axis=0)
    items, relevant = np.round(found["items"].sum(axis=0)), found["relevant"].sum(axis=0)
    universe = items
    if tables.universe is not None:
        universe = np.full(len(items), float(tables.universe))
        relevant = relevant if gold else relevant + (universe - items) * unseen
    here = np.ix_(np.arange(tables.systems), np.flatnonzero(evaluated))
    put = tables.asked[here]
    unsure = ~voters.lists[: tables.systems, None] & put
    zero = np.zeros(found["rows"].shape)
    ordered = put & (found.get("unordered", zero)[here] == 0) & (e.key(tables.said) is not None)
    cut = {k: k for k in plan.cutoffs}
    return Sums(
        tables.respondents.names[: tables.systems],
        tuple(tables.queries[code] for code in np.flatnonzero(evaluated)),
        put,
        ordered,
        found["length"][here],
        found["returned"][here],
        {None: found["found"][here]} | {k: found[f"found@{k}"][here] for k in cut},
        {None: found["judged"][here]} | {k: found[f"judged@{k}"][here] for k in cut},
        np.where(unsure, found["held"][here], relevant[evaluated]),
        np.where(unsure, found["seen"][here], universe[evaluated]),
    )
