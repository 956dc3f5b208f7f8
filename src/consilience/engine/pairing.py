"""Sums over every two voters, inside an engine: what the report on dependence needs.

They are those of :func:`consilience.belief.dependence.correlations`, and give the same φ. Every
item is met by every two of its voters, so this is dear where many speak of an item; a sample of
the queries is usually enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import narwhals.stable.v2 as nw
import numpy as np

from consilience import progress
from consilience.belief.dependence import Pairs, related
from consilience.engine import expressions as e
from consilience.engine.planning import Believing, Plan
from consilience.engine.tables import Part, Tables, values

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class PairSums:
    """Sums over the items that two voters both spoke of (voters × voters).

    ``n`` counts them; ``mine[a, b]`` is Σ of a's votes, ``square[a, b]`` Σ of their squares,
    ``both`` Σ of the products.
    """

    names: tuple[str, ...]
    n: NDArray[np.float64]
    mine: NDArray[np.float64]
    square: NDArray[np.float64]
    both: NDArray[np.float64]

    def related(self) -> Pairs:
        """Give the correlations and overlaps that follow."""
        return related(self.n, self.mine, self.square, self.both)


def pair_sums(
    tables: Tables, believing: Believing, *, queries: Sequence[int] | None = None
) -> PairSums:
    """Add up what the correlation of every two voters needs.

    Parameters
    ----------
    tables
        Answers and evidence on an engine.
    believing
        Who votes: its ``evidence`` and ``relevant_from``; weights are not looked at.
    queries
        The numbers of the queries to look at (None: all).
    """
    plan = Plan.of(tables, replace(believing, method="shrunk", weights=None))
    wanted = np.arange(len(tables.queries)) if queries is None else np.unique(queries)
    count = len(tables.respondents)
    sums = {name: np.zeros((count, count)) for name in ("both", "change", "mine", "square")}
    per_list = {
        name: np.zeros((count, len(tables.queries))) for name in ("votes", "squares", "shift")
    }
    items = np.zeros(len(tables.queries))
    for done, part in enumerate(tables.parts):
        here = np.intersect1d(part.queries, wanted)
        if not len(here):
            continue
        rows = _rows(plan, part, here)
        _add_pairs(tables, rows, sums)
        _add_lists(tables, rows, per_list, items)
        progress.report(done + 1, len(tables.parts))
    return _finished(plan, wanted, sums, per_list, items)


def pairs(rows: e.Frame) -> e.Frame:
    """Add up for every two voters what their correlation needs, over the items both have rows of.

    With votes a, b and shifts s, t (what silence does not tell of who spoke, see
    :meth:`consilience.belief.votes.Votes.shift`): ``both`` = Σ ab, ``change`` = Σ st,
    ``mine`` = Σ at, ``square`` = Σ a²t. The rest is known from the sums of each voter alone.
    """
    told = rows.filter(nw.col("votes") > 0).select(
        "query",
        "item",
        "judge",
        "respondent",
        vote=nw.col("vote").fill_null(0.0),
        shift=e.number(~nw.col("vote").is_null()) - nw.col("lists"),
    )
    names = {name: f"{name}_b" for name in ("judge", "respondent", "vote", "shift")}
    both = told.join(told.rename(names), on=list(e.ITEM), how="inner")
    a, b, t = nw.col("vote"), nw.col("vote_b"), nw.col("shift_b")
    return both.group_by("judge", "respondent", "judge_b", "respondent_b").agg(
        both=(a * b).sum(),
        change=(nw.col("shift") * t).sum(),
        mine=(a * t).sum(),
        square=(a * a * t).sum(),
    )


def alone(rows: e.Frame) -> e.Frame:
    """Add up for every list Σ vote, Σ vote² and the sum of its shifts: see :func:`pairs`."""
    vote = nw.col("vote").fill_null(0.0)
    shift = e.number(~nw.col("vote").is_null()) - nw.col("lists")
    return rows.group_by("query", "judge", "respondent").agg(
        votes=vote.sum(), squares=(vote * vote).sum(), shift=shift.sum()
    )


def _rows(plan: Plan, part: Part, queries: NDArray[np.int64]) -> e.Frame:
    """Give the opinions of a part on some of its queries."""
    rows = plan.told(part, "votes", "weight", "lists")
    if len(queries) == len(part.queries):
        return rows
    keys = plan.tables.query_keys.take(queries).to_pylist()
    return rows.filter(nw.col("query").is_in(keys))


def _add_pairs(tables: Tables, rows: e.Frame, sums: dict[str, NDArray[np.float64]]) -> None:
    table = tables.engine.collect(pairs(rows))
    one = tables.respondent_code(table)
    other = tables.respondent_code(table, "respondent_b", "judge_b")
    for name, into in sums.items():
        np.add.at(into, (one, other), values(table[name]))


def _add_lists(
    tables: Tables,
    rows: e.Frame,
    per_list: dict[str, NDArray[np.float64]],
    items: NDArray[np.float64],
) -> None:
    table = tables.engine.collect(alone(rows))
    where = tables.respondent_code(table), tables.query_code(table)
    for name, into in per_list.items():
        into[where] = values(table[name])
    table = tables.engine.collect(e.totals(e.tallies(rows, ("yes", "shift"))))
    items[tables.query_code(table)] = values(table["items"])


def _finished(
    plan: Plan,
    wanted: NDArray[np.int64],
    sums: dict[str, NDArray[np.float64]],
    per_list: dict[str, NDArray[np.float64]],
    items: NDArray[np.float64],
) -> PairSums:
    """Add what silence says of items to what rows say."""
    tables, voters = plan.tables, plan.voters
    who = np.flatnonzero(voters.votes)
    asked = tables.asked[np.ix_(who, wanted)].astype(np.float64)
    silent, never = (asked * no[who, None] for no in (voters.lists, voters.says_no_to_unmentioned))
    size = items[wanted]
    more = np.zeros(len(size)) if tables.universe is None else tables.universe - size
    votes, squares, shift = (one[np.ix_(who, wanted)] for one in per_list.values())
    both, change, mine, square = (one[np.ix_(who, who)] for one in sums.values())
    moved = shift @ silent.T
    return PairSums(
        tuple(tables.respondents.names[code] for code in who.tolist()),
        (silent * size) @ silent.T + (never * more) @ never.T + moved + moved.T + change,
        votes @ silent.T + mine,
        squares @ silent.T + square,
        both,
    )
