"""Small facts about large tables: who is there, in which order, what silence means, what is wrong.

Every list of every file gives one row of sums and extremes. From these rows follow the queries and
respondents in the order in which they first appear, what everybody is and what their silence
means (:mod:`consilience.engine.people`), and whether all values are allowed ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from consilience.engine.long_tables import NAMES, Long, check_no_truth
from consilience.engine.sheets import FAR
from consilience.engine.tables import Said, places, values
from consilience.errors import bad
from consilience.formats.roles import FINITE_FIX
from consilience.formats.values import EXACT, READERS

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray


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


def lists(collected: Sequence[pa.Table], *, derived: bool = False) -> Lists:
    """Put the facts of files one below the other."""
    import pyarrow as pa

    tables = collected if derived else [_derived(table) for table in collected]
    table = pa.concat_tables(tables, promote_options="default")
    return Lists(
        table,
        values(table["file"]).astype(np.int64),
        values(table["judge"]) > 0,
        values(table["rows"]),
        values(table["first"]),
        values(table["last"]),
    )


def _derived(table: pa.Table) -> pa.Table:
    """Give sums, counts and extremes the same type; add those that follow from others."""
    import pyarrow as pa

    told = ("query", "respondent", "kind", "kind_other", "family", "family_other")
    kinds = [(one.name, one.type if one.name in told else pa.float64()) for one in table.schema]
    columns = dict(zip(table.column_names, table.cast(pa.schema(kinds)).columns, strict=True))

    def count(name: str) -> NDArray[np.float64]:
        return values(columns[name])

    columns.setdefault("returned", columns["rows"])
    for role, has in (("score", "scored"), ("rank", "ranked")):
        if f"any_{role}" in columns:
            columns.setdefault(has, columns[f"any_{role}"])
            columns[f"un{has}"] = pa.chunked_array([count("returned") - count(has)])
    if "named" in columns:
        lacking = count("rows") - count("named") + (count("blank") if "blank" in columns else 0.0)
        columns["no_item"] = pa.chunked_array([lacking])
    return pa.table(columns)


def facts(long: Long) -> nw.LazyFrame[Any]:
    """Add up, for every list of a file, what tells who is there and what is wrong.

    What was checked before is not checked again: a votes file, and whole numbers that must be
    numbers.
    """
    frame, sums = voting(long), {"rows": nw.len()}
    sums |= {"first": nw.col("row").min(), "last": nw.col("row").max()}
    names = frame.collect_schema().names()
    yes = nw.lit(True)
    if "vote" in names:
        vote = nw.col("vote")
        yes = (vote > 0).fill_null(False)
        sums |= {
            "returned": _count(yes),
            "low": vote.min(),
            "gaps": _count(vote.is_null()),
            "fractions": _count((vote > 0) & (vote < 1)),
        }
    if "grade" in names:
        sums |= {
            "low_grade": nw.col("grade").min(),
            "grade_gaps": _count(nw.col("grade").is_null()),
        }
    for role, has in (("score", "scored"), ("rank", "ranked")):
        if role in names:
            sums[f"any_{role}"] = nw.col(role).count()
            if "vote" in names:
                sums[has] = _count(yes & ~nw.col(role).is_null())
    if "rank" in names:
        sums["low_rank"] = nw.col("rank").min()
    if "probability" in names:
        sums["drawn"] = nw.col("probability").count()
    for role in _checked(long, names):
        sums[f"wrong_{role}"] = _count(_is_wrong(long, role))
    for name in ("kind", "family"):
        if name in names:
            sums |= {name: nw.col(name).min(), f"{name}_other": nw.col(name).max()}
    if long.sheet.index is None:
        sums["named"] = nw.col("item").count()
        if long.frame.collect_schema()["item"] == nw.String():
            sums["blank"] = _count(nw.col("item") == "")
    return frame.group_by("file", "judge", "query", "respondent").agg(**sums)


def _checked(long: Long, names: Sequence[str]) -> list[str]:
    """Name the values that may be none that their role allows."""
    if long.sheet.index is not None:
        return []
    roles = [role for role in ("vote", "grade", "score", "rank", "probability") if role in names]
    free = [role for role in ("grade", "score") if _is_whole(long, role)]
    return [role for role in roles if role not in free]


def _is_whole(long: Long, role: str) -> bool:
    """Tell whether the file's own type says that a role's numbers are whole."""
    return role in long.roles and long.sheet.columns[long.roles[role]] == "whole"


def _is_wrong(long: Long, role: str) -> nw.Expr:
    """Tell where a value is none that its role allows; to look for fractions takes its time."""
    rule = "whole rank" if role == "rank" and _is_whole(long, role) else role
    return _WRONG.get(rule, _infinite)(nw.col(role))


def _infinite(value: nw.Expr) -> nw.Expr:
    return value.abs() > _LARGEST


#: What a role does not allow; other numbers must be finite.
_WRONG: dict[str, Callable[[nw.Expr], nw.Expr]] = {
    "vote": lambda value: (value < 0) | (value > 1),
    "rank": lambda value: (value < 0) | (value % 1 != 0) | (value >= EXACT),
    "whole rank": lambda value: (value < 0) | (value >= EXACT),
    "probability": lambda value: (value <= 0) | (value > 1),
}
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
        if long.mixed and not found.judge[here].any():
            check_no_truth(long.sheet, long.roles)
        for role in ("vote", "grade", "score", "rank", "probability"):
            if np.nansum(found.column(f"wrong_{role}")[here]):
                _wrong(long, role)
        for role in ("score", "rank"):
            torn = torn_lists(found, code, role)
            if role == "rank":  # scores alone may order a list
                torn = torn[~(found.column("scored")[torn] >= found.column("returned")[torn])]
            if len(torn):
                row = _torn_row(long, found, int(torn[found.first[torn].argmin()]), role)
                said = f"{long.roles[role]} is empty, but other items of this list have a {role}"
                raise long.sheet.bad(row, said, f"give every item of a list a {role}, or none")


def torn_lists(found: Lists, file: int, role: str) -> NDArray[np.int64]:
    """Find the lists of a file of which some returned items have a score or rank, and some none."""
    lacks = found.column({"score": "unscored", "rank": "unranked"}[role]) > 0
    return np.flatnonzero((found.file == file) & (found.column(f"any_{role}") > 0) & lacks)


def _check_names(long: Long, found: Lists, here: NDArray[np.bool_]) -> None:
    """See that nothing is without a name."""
    table = found.table
    for role in NAMES:
        if role == "item":
            empty = found.column("no_item")[here] > 0
        else:
            empty = _is_empty(table[role])[here]
        if empty.any():
            nameless = nw.col(role).is_null() | (nw.col(role).cast(nw.String()) == "")
            row = first_row(long, nameless)
            said = f"{long.roles.get(role, role)}: the {role} is empty"
            raise long.sheet.bad(row, said, "fill it in, or remove the row")


def _torn_row(long: Long, found: Lists, place: int, role: str) -> int:
    """Find the first answer of a list that lacks what others of the list have."""
    query, who = (found.table[name][place].as_py() for name in ("query", "respondent"))
    lacks = (nw.col("query") == query) & (nw.col("respondent") == who) & nw.col(role).is_null()
    if "vote" in voting(long).collect_schema().names():
        lacks = lacks & (nw.col("vote") > 0)
    return first_row(long, lacks)


def first_row(long: Long, wrong: nw.Expr) -> int:
    """Find the first row of a file in which something is wrong."""
    rows = voting(long).filter(wrong).select(nw.col("row").min())
    return int(long.sheet.dialect.collect(rows)["row"].to_pylist()[0])


def _is_empty(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.fill_null(column.cast(pa.string()), "")
    return np.asarray(values(pc.binary_length(text)) == 0)


def _wrong(long: Long, role: str) -> None:
    """Raise the first value that a role does not allow."""
    frame = voting(long).filter(_is_wrong(long, role))
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
    return lists([found.table, *more], derived=True) if more else found


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
    return np.asarray(tables[found.file] * FAR + first, np.int64)


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
