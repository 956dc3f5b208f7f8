"""Small facts about large tables: who is there, in which order, what silence means, what is wrong.

Every list of every file gives one row of sums and extremes. From these rows follow the queries and
respondents in the order in which they first appear, what everybody is and what their silence
means, by the rules of :mod:`consilience.study.people`, and whether all values are allowed ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from consilience.engine.long_tables import NAMES, Long
from consilience.engine.tables import Said, places, values
from consilience.errors import bad, quote
from consilience.formats.roles import FINITE_FIX
from consilience.formats.rows import KINDS
from consilience.formats.values import EXACT, READERS
from consilience.study.model import Respondents

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.formats.rows import Kind, Silence

#: More rows than a file has.
_FAR = 1 << 40


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of all files, as columns: their file, who answered what, first and last row."""

    table: pa.Table
    file: NDArray[np.int64]
    judge: NDArray[np.bool_]
    rows: NDArray[np.float64]
    first: NDArray[np.float64]
    last: NDArray[np.float64]

    def column(self, name: str) -> NDArray[np.float64]:
        """Give a column of sums or extremes; NaN in lists whose file has none."""
        if name not in self.table.column_names:
            return np.full(len(self.file), np.nan)
        return values(self.table[name])


def lists(collected: Sequence[pa.Table]) -> Lists:
    """Put the facts of files one below the other."""
    import pyarrow as pa

    table = pa.concat_tables(map(_as_numbers, collected), promote_options="default")
    return Lists(
        table,
        values(table["file"]).astype(np.int64),
        values(table["judge"]) > 0,
        values(table["rows"]),
        values(table["first"]),
        values(table["last"]),
    )


def _as_numbers(table: pa.Table) -> pa.Table:
    """Give sums, counts and extremes of all files the same type."""
    import pyarrow as pa

    told = ("query", "respondent", "kind", "kind_other", "family", "family_other")
    kinds = [(one.name, one.type if one.name in told else pa.float64()) for one in table.schema]
    return table.cast(pa.schema(kinds))


def facts(long: Long) -> nw.LazyFrame[Any]:
    """Add up, for every list of a file, what tells who is there and what is wrong."""
    frame, sums = voting(long), {"rows": nw.len()}
    sums |= {"first": nw.col("row").min(), "last": nw.col("row").max()}
    names = frame.collect_schema().names()
    yes = nw.lit(True)
    sums["returned"] = nw.len()
    if "vote" in names:
        vote = nw.col("vote")
        yes = (vote > 0).fill_null(False)
        sums |= {
            "returned": _count(yes),
            "low": vote.min(),
            "gaps": _count(vote.is_null()),
            "fractions": _count((vote > 0) & (vote < 1)),
            "wrong_vote": _count((vote < 0) | (vote > 1)),
        }
    if "grade" in names:
        grade = nw.col("grade")
        sums |= {"low_grade": grade.min(), "grade_gaps": _count(grade.is_null())}
        sums["wrong_grade"] = _count(grade.abs() > _LARGEST)
    if "score" in names:
        score = nw.col("score")
        sums |= {
            "scored": _count(yes & ~score.is_null()),
            "unscored": _count(yes & score.is_null()),
        }
        sums["any_score"] = _count(~score.is_null())
        sums["wrong_score"] = _count(score.abs() > _LARGEST)
    if "rank" in names:
        rank = nw.col("rank")
        sums |= {"ranked": _count(yes & ~rank.is_null()), "unranked": _count(yes & rank.is_null())}
        sums |= {"low_rank": rank.min(), "any_rank": _count(~rank.is_null())}
        sums["wrong_rank"] = _count((rank < 0) | (rank != rank.floor()) | (rank >= EXACT))
    if "probability" in names:
        chance = nw.col("probability")
        sums["drawn"] = _count(~chance.is_null())
        sums["wrong_probability"] = _count((chance <= 0) | (chance > 1))
    for name in ("kind", "family"):
        if name in names:
            sums |= {name: nw.col(name).min(), f"{name}_other": nw.col(name).max()}
    if "item" in names:
        item = nw.col("item")
        text = long.frame.collect_schema()["item"] == nw.String()
        sums["no_item"] = _count(item.is_null() | (item == "") if text else item.is_null())
    return frame.group_by("file", "judge", "query", "respondent").agg(**sums)


#: Beyond this a number is infinite.
_LARGEST = float(np.finfo(np.float64).max)


def _count(yes: nw.Expr) -> nw.Expr:
    return nw.when(yes).then(nw.lit(1.0)).otherwise(nw.lit(0.0)).sum()


def voting(long: Long) -> nw.LazyFrame[Any]:
    """Take what systems graded for their votes."""
    frame = long.frame
    if "grade" not in long.values or long.judges:
        return frame
    system = nw.col("judge") == 0
    grade = nw.col("grade")
    vote = nw.coalesce("grade", "vote") if "vote" in long.values else grade
    kept = nw.col("vote") if "vote" in long.values else nw.lit(None).cast(nw.Float64())
    return frame.with_columns(
        vote=nw.when(system).then(vote).otherwise(kept), grade=nw.when(~system).then(grade)
    )


def check(files: Sequence[Long], found: Lists) -> None:
    """Raise what is wrong with the values of files: where, what was found, what to do."""
    for code, long in enumerate(files):
        here = found.file == code
        if not here.any():
            fix = "add rows, or leave it out"
            raise bad(long.sheet.name, None, "the table has a header and no rows", fix)
        _check_names(long, found, here)
        for role in ("vote", "grade", "score", "rank", "probability"):
            if np.nansum(found.column(f"wrong_{role}")[here]):
                _wrong(long, role)
        for role, counted, lacking in (
            ("score", "scored", "unscored"),
            ("rank", "ranked", "unranked"),
        ):
            has, lacks = found.column(counted)[here], found.column(lacking)[here]
            torn = (has > 0) & (lacks > 0)
            if torn.any():
                row = int(found.first[here][torn].min())
                said = f"some items of a list have a {role}, and others have none"
                raise long.sheet.bad(row, said, f"give every item of a list a {role}, or none")


def _check_names(long: Long, found: Lists, here: NDArray[np.bool_]) -> None:
    """See that nothing is without a name."""
    table = found.table
    for role in NAMES:
        if role == "item":
            empty = found.column("no_item")[here] > 0
        else:
            empty = _is_empty(table[role])[here]
        if empty.any():
            row = int(found.first[here][empty].min())
            said = f"{long.roles.get(role, role)}: the {role} is empty"
            raise long.sheet.bad(None if role == "item" else row, said, "fill it in, or remove it")


def _is_empty(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.fill_null(column.cast(pa.string()), "")
    return np.asarray(values(pc.binary_length(text)) == 0)


def _wrong(long: Long, role: str) -> None:
    """Raise the first value that a role does not allow."""
    value = nw.col(role)
    rules = {
        "vote": (value < 0) | (value > 1),
        "rank": (value < 0) | (value != value.floor()) | (value >= EXACT),
        "probability": (value <= 0) | (value > 1),
    }
    frame = voting(long).filter(rules.get(role, value.abs() > _LARGEST))
    rows = long.sheet.dialect.collect(frame.group_by(role).agg(row=nw.col("row").min()).head(1000))
    by_row = sorted(zip(rows["row"].to_pylist(), rows[role].to_pylist(), strict=True))
    row, cell = by_row[0]
    column = long.roles.get(role, long.roles.get("grade", role))
    if role in ("score", "grade"):
        raise long.sheet.bad(row, f"{column} must be finite, found '{cell:g}'", FINITE_FIX)
    _, what, fix = READERS[role]
    raise long.sheet.bad(row, f"{column} must be {what}, found '{cell:g}'", fix)


def with_empty(files: Sequence[Long], found: Lists) -> Lists:
    """Add the lists that were put and hold nothing: a votes file knows of them."""
    import pyarrow as pa

    more = []
    for code, long in enumerate(files):
        index = long.sheet.index
        if index is None or not index.asked:
            continue
        who = [index.respondents.names[number] for number, _ in index.asked]
        put = [index.queries[number] for _, number in index.asked]
        judge = [index.respondents.kind[number] != "system" for number, _ in index.asked]
        none = np.zeros(len(who))
        columns = {"file": none + code, "judge": np.array(judge) * 1.0, "rows": none}
        table = {name: pa.array(column) for name, column in columns.items()}
        for name, names in (("query", put), ("respondent", who)):
            table[name] = pa.array(names).cast(found.table[name].type)
        table |= {"first": pa.array(none), "last": pa.array(none - 1)}
        more.append(pa.table(table))
    return lists([found.table, *more]) if more else found


def appearance(
    files: Sequence[Long], found: Lists, role: str, tables: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Tell when the query or respondent of every list appears: by table, then by row.

    A votes file says itself in which order it met them; where rows have no order, names are
    sorted. ``tables`` gives the place of every file.
    """
    import pyarrow as pa

    first = found.first.astype(np.int64)
    for code, long in enumerate(files):
        index = long.sheet.index
        if index is None and long.sheet.ordered:
            continue
        here = np.flatnonzero(found.file == code)
        column = found.table[role].take(pa.array(here))
        if index is not None:
            names = index.queries if role == "query" else index.respondents.names
            known = pa.array(names).cast(column.type)
        else:
            known = pa.array(sorted(column.unique().to_pylist()), column.type)
        first[here] = places(column, known)
    return np.asarray(tables[found.file] * _FAR + first, np.int64)


def people(
    files: Sequence[Long],
    found: Lists,
    who: NDArray[np.int64],
    names: Sequence[str],
    systems: int,
) -> Respondents:
    """Tell what everybody is, of which family, and what their silence means.

    ``who`` is the respondent of every list, among ``names``; systems stand first.
    """
    kinds: list[Kind] = ["system"] * len(names)
    families: list[str | None] = [None] * len(names)
    silences: list[Silence | None] = [None] * len(names)
    for code, long in enumerate(files):
        here = found.file == code
        kind = _kinds(long, found, here, who, names)
        for number, one in kind.items():
            if number >= systems and silences[number] is not None and kinds[number] != one:
                said = (
                    f"{quote(names[number])} is called {kinds[number]} in one file and {one} here"
                )
                raise bad(long.sheet.name, None, said, "give it one kind, or another name")
            kinds[number] = one
        for number, family in _families(long, found, here, who, names).items():
            if families[number] not in (None, family):
                said = f"{quote(names[number])} is of family {families[number]!r} elsewhere, "
                raise bad(long.sheet.name, None, said + f"{family!r} here", "give it one family")
            families[number] = family
        itemwise = _itemwise(long, found, here, who, kind)
        for number, one in kind.items():
            silence: Silence = "unknown" if one in itemwise else "no"
            if long.sheet.index is not None:
                known = long.sheet.index.respondents
                silence = known.silence[known.names.index(names[number])]
            silences[number] = silence if silences[number] in (None, silence) else "unknown"
    every: tuple[Silence, ...] = tuple(one or "no" for one in silences)
    return Respondents(tuple(names), tuple(kinds), tuple(families), every)


def _kinds(
    long: Long, found: Lists, here: NDArray[np.bool_], who: NDArray[np.int64], names: Sequence[str]
) -> dict[int, Kind]:
    index = long.sheet.index
    if index is not None:
        known = dict(zip(index.respondents.names, index.respondents.kind, strict=True))
        return {number: known[names[number]] for number in np.unique(who[here]).tolist()}
    if not long.mixed:
        return dict.fromkeys(np.unique(who[here]).tolist(), long.sheet.kind)
    kinds: dict[int, Kind] = {}
    called: dict[str, int] = {}
    for number in np.unique(who[here]).tolist():
        if called.setdefault(names[number], number) != number:
            said = f"kind of {quote(names[number])} is 'system' in some rows and not in others"
            raise long.sheet.bad(None, said, "write the same in all its rows")
    for number, one in _said_once(long, found, here, who, names, "kind").items():
        possible = [kind for kind in KINDS if kind == one]
        if not possible:
            said = f"kind of {quote(names[number])} is {quote(one or '')}"
            raise long.sheet.bad(None, said, f"use one of {', '.join(KINDS)}")
        kinds[number] = possible[0]
    return kinds


def _families(
    long: Long, found: Lists, here: NDArray[np.bool_], who: NDArray[np.int64], names: Sequence[str]
) -> dict[int, str]:
    index = long.sheet.index
    if index is not None:
        known = dict(zip(index.respondents.names, index.respondents.family, strict=True))
        members = {number: known[names[number]] for number in np.unique(who[here]).tolist()}
        return {number: family for number, family in members.items() if family}
    if "family" not in long.roles:
        return {}
    said = _said_once(long, found, here, who, names, "family")
    return {number: family for number, family in said.items() if family}


def _said_once(
    long: Long,
    found: Lists,
    here: NDArray[np.bool_],
    who: NDArray[np.int64],
    names: Sequence[str],
    role: str,
) -> dict[int, str | None]:
    """Read what must be the same in all rows of a respondent."""
    rows = np.flatnonzero(here)
    pairs = (
        found.table[column].take(rows.tolist()).to_pylist() for column in (role, f"{role}_other")
    )
    known: dict[int, str | None] = {}
    for number, low, high in zip(who[rows].tolist(), *pairs, strict=True):
        for one in (low, high):
            if known.setdefault(number, one or None) != (one or None):
                one, other = (text or "" for text in (one, known[number]))
                said = f"{role} of {quote(names[number])} is {quote(one)} here and {quote(other)}"
                raise long.sheet.bad(None, said + " elsewhere", "write the same in all its rows")
    return known


def _itemwise(
    long: Long,
    found: Lists,
    here: NDArray[np.bool_],
    who: NDArray[np.int64],
    kind: dict[int, Kind],
) -> set[Kind]:
    """Tell which kinds of respondents answer item by item in a file: silence means unknown.

    One no, or one "cannot tell", and all of the same kind do.
    """
    judge = found.judge[here]
    graded = "grade" in long.values
    low, gaps = (
        np.where(judge & graded, found.column(by_grade)[here], found.column(by_vote)[here])
        for by_grade, by_vote in (("low_grade", "low"), ("grade_gaps", "gaps"))
    )
    odd = (low <= 0) | (gaps > 0) | (judge & (found.column("drawn")[here] > 0))
    return {kind[number] for number in np.unique(who[here][odd]).tolist()}


def held(files: Sequence[Long], found: Lists) -> Said:
    """Tell what answers of systems hold."""
    system = ~found.judge
    ordered = np.fmax(found.column("scored"), found.column("ranked"))[system]
    returned = found.column("returned")[system]
    fractions, gaps = (found.column(name)[system] for name in ("fractions", "gaps"))
    return Said(
        scored=bool(np.nansum(found.column("any_score")[system])),
        ranked=bool(np.nansum(found.column("any_rank")[system])),
        fractions=bool(np.nansum(fractions)),
        noes=bool((found.column("low")[system] <= 0).any() or np.nansum(gaps)),
        gaps=bool(np.nansum(gaps)),
        unordered=not bool((ordered >= returned).all()),
        rows_ordered=all(long.sheet.ordered for long in files if not long.judges),
    )
