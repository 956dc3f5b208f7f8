"""From tables on an engine to sums: which expressions are run, part by part, and put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from consilience import progress
from consilience.engine import expressions as e
from consilience.engine.planning import Believing, Plan
from consilience.engine.sums import Sums
from consilience.engine.tables import Part, Tables, values
from consilience.errors import UsageError
from consilience.study.condition import ONLY_MODELS

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.study.ranking import Ties


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
    if believing.method == "gold" and not tables.asked[tables.trusted].any():
        raise UsageError(f"{ONLY_MODELS} (fix: let them vote: --belief ls-eb)")
    plan = Plan.of(tables, believing, cutoffs, settled(tables, ties))
    shape = (len(tables.respondents), len(tables.queries))
    found: dict[str, NDArray[np.float64]] = {}
    unseen = np.zeros(len(tables.queries))
    total, done = max(tables.votes, 1), 0
    for part in tables.parts:
        cells = _linear_cells(plan, part) if plan.linear else _cells(plan, part)
        unseen[part.queries] = cells.unseen
        for name, column in cells.columns.items():
            found.setdefault(name, np.zeros(shape))[cells.who, cells.query] = column
        done += part.votes
        progress.report(done, total)
    return _sums(plan, found, unseen)


@dataclass(frozen=True, slots=True)
class _Cells:
    """The sums of a part's lists; what an unseen item is worth, for each of its queries."""

    who: NDArray[np.int64]
    query: NDArray[np.int64]
    columns: dict[str, NDArray[np.float64]]
    unseen: NDArray[np.float64]

    @staticmethod
    def of(tables: Tables, table: pa.Table, unseen: NDArray[np.float64]) -> _Cells:
        columns = {
            name: values(table[name])
            for name in table.column_names
            if name not in ("query", "judge", "respondent")
        }
        return _Cells(tables.respondent_code(table), tables.query_code(table), columns, unseen)


def _cells(plan: Plan, part: Part) -> _Cells:
    """Add up the cells of a part.

    Positions are first taken as they are found quickly; where that was not right, anew.
    """
    tables = plan.tables
    per_query, unseen = _per_query(plan, part)
    for near in (True, False):
        answers = answers_at(tables, part, plan.cutoffs, plan.ties, near=near)
        items = _belief(plan, plan.tallies(part), per_query)
        rows = e.believed(plan.opinions(part, answers), items)
        table = tables.engine.collect(e.cells(rows, cutoffs=plan.cutoffs))
        if not near or right(table, plan.cutoffs):
            break
    return _Cells.of(tables, table, unseen)


def _linear_cells(plan: Plan, part: Part) -> _Cells:
    """Add up the cells of a part where p is linear in the weight that says yes: α yes + β."""
    tables, believing = plan.tables, plan.believing
    alike = plan.alike if tables.said.plain else None
    if alike is None:
        items = e.tallies(plan.told(part, "weight"), ("yes",)).rename({"yes": "p"})
    else:  # all say yes and weigh alike: it is enough to count
        items = e.tallies(plan.opinions(part, part.answers), ())
        items = items.with_columns(p=nw.col("count").cast(nw.Float64()))
    for near in (True, False):
        answers = answers_at(tables, part, plan.cutoffs, plan.ties, near=near)
        rows = e.believed(plan.opinions(part, answers), items)
        table = tables.engine.collect(e.cells(rows, cutoffs=plan.cutoffs, plain=plan.plain))
        table = _completed(table, plan.cutoffs) if plan.plain else table
        if not near or right(table, plan.cutoffs):
            break
    cells = _Cells.of(tables, table, np.zeros(0))
    columns, count = cells.columns, len(tables.queries)
    times = 1.0 if alike is None else alike["weight"]
    count_of, yes = (
        np.bincount(cells.query, columns[name], count).astype(np.float64)
        for name in ("items", "relevant")
    )
    silent = _silent(plan, np.arange(count))
    if believing.method == "consensus":
        below, unseen = silent + believing.top + believing.bottom, np.full(count, believing.top)
    else:
        size = count_of if tables.universe is None else np.full(count, float(tables.universe))
        m = _share(np.asarray(times * yes), size * silent)
        below, unseen = silent + believing.prior, np.asarray(believing.prior * m)
    slope, level = (
        np.divide(above, below, out=np.zeros(count), where=below > e.NOTHING)
        for above in (np.full(count, times), unseen)
    )
    a, b = slope[cells.query], level[cells.query]
    sums = {"found": "returned", "held": "seen", "relevant": "items"}
    sums |= {f"found@{k}": f"returned@{k}" for k in plan.cutoffs}
    for name, number in sums.items():
        columns[name] = a * columns[name] + b * columns[number]
    if not (below > e.NOTHING).all():  # nobody who weighs anything spoke
        for name in ("judged", *(f"judged@{k}" for k in plan.cutoffs)):
            columns[name] = np.where(below[cells.query] > e.NOTHING, columns[name], 0.0)
    return _Cells(cells.who, cells.query, columns, level[part.queries])


def _completed(table: pa.Table, cutoffs: Sequence[int]) -> pa.Table:
    """Add what is the same as something else where all rows are plain."""
    same = dict.fromkeys(("length", "returned", "seen", "judged"), "rows") | {"held": "found"}
    for k in cutoffs:
        same |= {f"judged@{k}": f"within@{k}", f"returned@{k}": f"within@{k}"}
    for name, other in same.items():
        table = table.append_column(name, table[other])
    return table


def believed_items(plan: Plan, part: Part) -> tuple[nw.LazyFrame[Any], NDArray[np.float64]]:
    """Give the opinions of a part, each with who has it and what is believed of its item.

    The second result is what an item is worth that nobody mentioned, query by query.
    """
    per_query, unseen = _per_query(plan, part)
    items = _belief(plan, plan.tallies(part), per_query)
    return e.believed(plan.told(part, "votes", "lists", "gold", "judging"), items), unseen


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


def tied_answers(tables: Tables) -> int:
    """Count the answers that share their score with another one of their list."""
    by = e.key(tables.said)
    if by is None:
        return 0
    total = 0.0
    for part in tables.parts:
        answers = part.answers
        if not tables.said.plain:
            answers = answers.filter(nw.col("vote") > 0)
        same = answers.with_columns(key=by).group_by("query", "respondent", "key").agg(n=nw.len())
        n, unknown = nw.col("n").cast(nw.Float64()), e.number(nw.col("key").is_null())
        lists = same.group_by("query", "respondent").agg(
            tied=(n * e.number(n > 1)).sum(), unknown=unknown.sum()
        )
        table = tables.engine.collect(lists)
        total += values(table["tied"])[values(table["unknown"]) == 0].sum()
    return int(total)


def settled(tables: Tables, ties: Ties) -> Ties:
    """See that ties can be settled in a way; without any, ranks that nobody gave are not missed."""
    e.check_ties(ties, tables.said)
    if ties != "rank" or tables.said.ranked:
        return ties
    if tied_answers(tables):
        raise UsageError("ties cannot be settled by rank: there are no ranks (fix: ties=trec)")
    return "trec"


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
    silent, never = _silent(plan, part.queries), _never(plan, part.queries)
    golden = asked[voters.gold].any(axis=0)
    columns: dict[str, NDArray[np.float64]] = {
        "silent": silent,
        "golden": np.asarray(golden, np.float64),
    }
    unseen = np.zeros(len(part.queries))
    if believing.method == "gold":
        listers = (voters.person & voters.lists).astype(np.float64) @ asked
        columns = {"listers": np.asarray(listers, np.float64)}
    elif believing.method == "consensus":
        below = never + believing.top + believing.bottom
        np.divide(believing.top, below, out=unseen, where=below > e.NOTHING)
    else:
        m = _prevalence(plan, part, silent, never)
        columns["m"] = m
        unseen = believing.prior * m / (never + believing.prior)
    if plan.clamps and plan.listed:
        unseen = np.where(golden, 0.0, unseen)
    return tables.per_query(part.queries, columns), unseen


def _silent(plan: Plan, queries: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the weight whose silence says no to an item that others mentioned, query by query."""
    lists = plan.tables.asked[:, queries] & plan.voters.lists[:, None]
    return np.asarray(plan.voters.weight @ lists, np.float64)


def _never(plan: Plan, queries: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the weight that says no to an item that nobody mentioned, query by query."""
    lists = plan.tables.asked[:, queries] & plan.voters.says_no_to_unmentioned[:, None]
    return np.asarray(plan.voters.weight @ lists, np.float64)


def _prevalence(
    plan: Plan, part: Part, silent: NDArray[np.float64], never: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the share of yes among all votes on each query of a part."""
    tables = plan.tables
    table = tables.engine.collect(e.totals(plan.tallies(part)))
    code = tables.query_code(table)
    sums = []
    for name in ("items", "yes", "shift"):
        into = np.zeros(len(tables.queries))
        into[code] = values(table[name])
        sums.append(into[part.queries])
    items, yes, shift = sums
    below = items * silent + shift
    return _share(
        yes, below if tables.universe is None else below + (tables.universe - items) * never
    )


def _share(yes: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide the weight that says yes by all weight that spoke, of each query; 0 where none did."""
    m = np.zeros(len(yes))
    np.divide(yes, below, out=m, where=below > e.NOTHING)
    return np.clip(m, 0.0, 1.0)


def _belief(plan: Plan, items: nw.LazyFrame[Any], queries: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
    """Say of every item what is believed of it."""
    believing = plan.believing
    if believing.method == "gold":
        return e.gold(items, queries, listed=plan.listed)
    if believing.method == "consensus":
        items = e.consensus(items, queries, top=believing.top, bottom=believing.bottom)
    else:
        items = e.shrunk(items, queries, prior=believing.prior)
    return e.clamped(items, listed=plan.listed) if plan.clamps else items


def _sums(
    plan: Plan, found: Mapping[str, NDArray[np.float64]], unseen: NDArray[np.float64]
) -> Sums:
    """Put the cells of systems together with what is known of queries."""
    tables, voters = plan.tables, plan.voters
    gold = plan.believing.method == "gold"
    speaks = (voters.gold | voters.person) if gold else voters.votes
    evaluated = tables.asked[speaks].any(axis=0)
    items, relevant = np.round(found["items"].sum(axis=0)), found["relevant"].sum(axis=0)
    tables.check_universe(items)
    more = np.zeros(len(items)) if tables.universe is None else tables.universe - items
    more_relevant = np.zeros(len(items)) if gold else more * unseen
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
        np.where(unsure, found["held"][here], relevant[evaluated]) + more_relevant[evaluated],
        np.where(unsure, found["seen"][here], items[evaluated]) + more[evaluated],
    )
