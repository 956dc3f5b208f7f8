"""What a ranking must know of tables on an engine beside sums: items, truth, judges, ties.

One pass over the items of all queries tells how many there are, how many were returned and judged,
and by how many. The condition of truth follows from that as it does in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from consilience import progress
from consilience.belief.model import Shares, Voices
from consilience.engine import expressions as e
from consilience.engine.gathering import believed_items
from consilience.engine.tables import places, values
from consilience.study.condition import Facts, Ids, Shared

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.engine.planning import Plan
    from consilience.engine.tables import Part, Tables

#: As many ids of queries as a message may need.
_IDS = 4
_COUNTS = ("items", "returned", "judged", "known", "several", "most")


@dataclass(frozen=True, slots=True)
class Counted:
    """Of every query: its items, those that systems returned, those that somebody has judged.

    ``facts`` are those that the condition of truth follows from; ``voices`` tells who judged.
    """

    items: NDArray[np.int64]
    returned: NDArray[np.int64]
    judged: NDArray[np.int64]
    facts: Facts
    voices: Voices


def counted(tables: Tables) -> Counted:
    """Count items and judgments inside the engine; the facts are those that memory finds."""
    sums = {name: np.zeros(len(tables.queries)) for name in _COUNTS}
    said = np.zeros((3, len(tables.respondents)))
    done = 0
    for part in tables.parts:
        table = tables.engine.collect(_per_query(tables, part))
        code = tables.query_code(table)
        for name, into in sums.items():
            into[code] = values(table[name])
        if part.evidence is not None:
            said += _said(tables, part)
        done += part.votes
        progress.report(done, max(tables.votes, 1))
    items, returned, judged = (
        sums[name].astype(np.int64) for name in ("items", "returned", "judged")
    )
    tables.check_universe(items)
    named, spoke, fractions = said
    trusted = tables.trusted
    voices = Voices(
        int(sums["most"].max(initial=0)),
        _codes(trusted & tables.heard),
        _codes(trusted & (named > 0)),
        _codes(trusted & (spoke > 0)),
    )
    return Counted(items, returned, judged, _facts(tables, sums, fractions), voices)


def evidence_columns(tables: Tables) -> set[str]:
    """Name the columns of what judges said."""
    frames = [part.evidence for part in tables.parts if part.evidence is not None]
    return set(frames[0].collect_schema().names()) if frames else set()


def judges_shares(plan: Plan) -> Shares:
    """Count the items that matter, those that judges alone decided, and those they spoke of.

    As :func:`consilience.belief.judges.shares_of_judges`.
    """
    tables, voters = plan.tables, plan.voters
    judges = voters.votes & (voters.gold | voters.person)
    total = np.zeros(3)
    for part in tables.parts:
        rows, unseen = believed_items(plan, part)
        asked = tables.asked[:, part.queries]
        stands = plan.clamps and plan.listed
        per_query = {
            "listing_voters": (judges & voters.lists).astype(np.float64) @ asked,
            "decided": np.asarray(asked[voters.gold].any(axis=0) & stands, np.float64),
        }
        items = _decided(rows, clamps=plan.clamps).join(
            tables.per_query(part.queries, per_query), on="query", how="inner"
        )
        table = tables.engine.collect(_shares(items))
        sums = [values(table[name]) for name in ("matter", "known", "heard", "items")]
        total += [one.sum() for one in sums[:3]]
        if tables.universe is not None:
            count = np.zeros(len(tables.queries))
            count[tables.query_code(table)] = sums[3]
            rest = tables.universe - count[part.queries]
            total[0] += rest[unseen > 0].sum()
    return Shares(*total.tolist())


def _decided(rows: e.Frame, *, clamps: bool) -> e.Frame:
    """Say of every item what is believed, whether somebody returned it, and who spoke of it."""
    known = e.number(~nw.col("vote").is_null())
    judges = nw.col("votes") * nw.col("judging")
    return rows.group_by(*e.ITEM).agg(
        p=nw.col("p").max(),
        answered=(1 - nw.col("judge")).max(),
        shift=(judges * (known - nw.col("lists"))).sum(),
        word=(nw.col("gold") * known).sum() if clamps else (known * 0.0).sum(),
    )


def _shares(items: e.Frame) -> e.Frame:
    """Add up over the items of every query."""
    matter = e.number((nw.col("answered") > 0) | (nw.col("p") > 0).fill_null(False))
    known = e.number((nw.col("word") > 0) | (nw.col("decided") > 0))
    spoken = e.number(nw.col("listing_voters") + nw.col("shift") > 0)
    told = items.with_columns(matter=matter, known=known, spoken=spoken)
    heard = e.number(nw.col("known") + nw.col("spoken") > 0)
    return told.group_by("query").agg(
        items=nw.len(),
        matter=nw.col("matter").sum(),
        known=(nw.col("matter") * nw.col("known")).sum(),
        heard=(nw.col("matter") * heard).sum(),
    )


def _per_query(tables: Tables, part: Part) -> e.Frame:
    """Count the items of every query: all, returned, judged of these, judged by several."""
    one, none = nw.lit(1.0), nw.lit(0.0)
    rows = part.answers.select("query", "item", answered=one, words=none)
    if part.evidence is not None:
        judged = _trusted(tables, part).select(
            "query", "item", answered=none, words=nw.col("trusted") * _spoken(part.evidence)
        )
        rows = nw.concat([rows, judged])
    by_item = rows.group_by(*e.ITEM).agg(
        answered=nw.col("answered").max(), words=nw.col("words").sum()
    )
    answered, words = nw.col("answered"), nw.col("words")
    return by_item.group_by("query").agg(
        items=nw.len(),
        returned=answered.sum(),
        judged=e.number(words > 0).sum(),
        known=(answered * e.number(words > 0)).sum(),
        several=e.number(words > 1).sum(),
        most=words.max(),
    )


def _trusted(tables: Tables, part: Part) -> e.Frame:
    """Write beside what judges said whether they can be believed."""
    import pyarrow as pa

    assert part.evidence is not None
    believed = tables.trusted[tables.systems :].astype(np.float64)
    told = {"respondent": tables.judge_keys, "trusted": pa.array(believed)}
    return part.evidence.join(tables.engine.small(told), on="respondent", how="inner")


def _spoken(evidence: e.Frame) -> nw.Expr:
    """Tell, as 1 or 0, whether a row of a judge says something."""
    columns = evidence.collect_schema().names()
    vote, grade = ~nw.col("vote").is_null(), (nw.col("grade") >= 0).fill_null(False)
    if "grade" in columns:
        return e.number(grade | vote if "vote" in columns else grade)
    return e.number(vote) if "vote" in columns else nw.lit(1.0)


def _said(tables: Tables, part: Part) -> NDArray[np.float64]:
    """Count for everybody the rows of judges, those that say something, and fractions."""
    assert part.evidence is not None
    fraction = nw.lit(0.0)
    if "vote" in part.evidence.collect_schema().names():
        fraction = e.number((nw.col("vote") > 0) & (nw.col("vote") < 1))
    told = part.evidence.with_columns(spoken=_spoken(part.evidence), fraction=fraction)
    by_judge = told.group_by("respondent").agg(
        rows=nw.len(), spoken=nw.col("spoken").sum(), fraction=nw.col("fraction").sum()
    )
    table = tables.engine.collect(by_judge)
    who = tables.systems + places(table["respondent"], tables.judge_keys)
    found = np.zeros((3, len(tables.respondents)))
    for place, name in enumerate(("rows", "spoken", "fraction")):
        found[place, who] = values(table[name])
    return found


def _facts(
    tables: Tables, sums: dict[str, NDArray[np.float64]], fractions: NDArray[np.float64]
) -> Facts:
    trusted, systems = tables.trusted, tables.systems
    asked = tables.asked
    judged, answered = (
        np.asarray(lists.any(axis=0), bool) for lists in (asked[trusted], asked[:systems])
    )
    columns = evidence_columns(tables)
    silence = tables.respondents.silence
    return Facts(
        lists=int(asked[:systems].sum()),
        spoken=int(asked[systems:].sum()),
        trusted=int(asked[trusted].sum()),
        silence=frozenset(silence[one] for one in _codes(trusted & tables.heard)),
        drawn="probability" in columns,
        labelled=bool(sums["most"].any()),
        says=bool({"vote", "grade"} & columns),
        returned=int(sums["returned"][judged].sum()),
        known=int(sums["known"][judged].sum()),
        several=int(sums["several"].sum()),
        fractions=bool(fractions[trusted].any()),
        shared=Shared(
            _ids(tables, answered), _ids(tables, judged), bool((answered & judged).any())
        ),
    )


def _ids(tables: Tables, queries: NDArray[np.bool_]) -> Ids:
    codes = np.flatnonzero(queries)
    return Ids(tuple(tables.queries[one] for one in codes[:_IDS].tolist()), len(codes))


def _codes(mask: NDArray[Any]) -> frozenset[int]:
    return frozenset(np.flatnonzero(mask).tolist())
