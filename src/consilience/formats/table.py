"""Tables in long form (one answer a row) and wide form (one item a row, one column a source).

CSV, TSV, JSON lines, Parquet and frames all become an Arrow table of text first and take the
same path from there: roles are given to columns, cells are read, bad cells are gathered with
their lines. Cells are read once per *different* value, so a million votes cost a handful of
Python calls.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import Codes, Text, numbers
from consilience.errors import SHOWN, InputError, Problem, UsageError, bad, quote
from consilience.formats import roles as r
from consilience.formats.rows import KINDS, ONLY_QUERY, Kind, Rows, Silence, Source

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_NUMBER_FIX = "write a number, or leave the cell empty"
_VOTE_FIX = "write 0 to 1, yes or no, or leave it empty for unknown"
#: How each value role's cells are read, what they must be, and how to mend them.
_READERS: dict[str, tuple[Callable[[str], float | None], str, str]] = {
    "vote": (r.read_vote, "a vote from 0 to 1", _VOTE_FIX),
    "grade": (r.read_grade, "a grade", "write a number, yes or no, or leave it empty"),
    "score": (r.read_number, "a number", _NUMBER_FIX),
    "rank": (r.read_number, "a whole number", "write a position such as 3"),
    "probability": (r.read_number, "a probability above 0 and up to 1", "write the one it was drawn with"),
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table as read, all cells text, and how to find a row's line."""

    name: str
    form: str
    table: pa.Table
    stem: str
    locate: Callable[[int], int] | None = None
    why: str = ""

    def problem(self, row: int, found: str, fix: str) -> Problem:
        """Describe what is wrong in a row."""
        if self.locate is not None:
            return Problem(self.name, self.locate(row), found, fix)
        return Problem(self.name, None, f"row {row + 1}: {found}", fix)


def read(sheet: Sheet, *, kind: Kind, columns: Mapping[str, str]) -> list[Rows]:
    """Read a table in whichever form it is in.

    A long table of systems' scores, ranks or votes that also says what is relevant gives two:
    the systems' answers and the gold ones.

    Parameters
    ----------
    sheet
        The table.
    kind
        What its respondents are, where no ``kind`` column says.
    columns
        Role → column, where names do not say it.
    """
    names = sheet.table.column_names
    doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if doubled:
        raise bad(sheet.name, 1, f"column {quote(doubled[0])} appears twice", "rename one of them")
    given = {role: column for role, column in columns.items() if column in names or role in r.ROLES}
    try:
        roles = r.assign(names, given)
    except UsageError as error:
        raise UsageError(f"{sheet.name}: {error}") from None
    wide = wide_columns(sheet, roles, columns)
    if "item" not in roles:
        found = ", ".join(map(quote, names))
        fix = "name one 'item', or map it: --columns item=NAME"
        raise bad(sheet.name, 1, f"no column holds the items; found {found}", fix)
    if wide:
        return [_wide(sheet, roles, wide, kind=kind)]
    ordered = {"score", "rank", "vote"} & {*roles}
    if kind == "system" and "grade" in roles and ordered and "kind" not in roles:
        answers = {role: name for role, name in roles.items() if role != "grade"}
        gold = {role: roles[role] for role in ("query", "item", "grade") if role in roles}
        judged = replace(_long(sheet, gold, kind="gold"), silence="unknown")
        named = replace(judged.respondent, names=(roles["grade"],))
        return [_long(sheet, answers, kind=kind), replace(judged, respondent=named)]
    return [_long(sheet, roles, kind=kind)]


def wide_columns(
    sheet: Sheet, roles: Mapping[str, str], given: Mapping[str, str]
) -> tuple[str, ...]:
    """Name the columns that are respondents of a wide table; none where the table is long.

    A table is wide when it names no respondent and no value, and at least one column that plays
    no role holds nothing but votes.
    """
    named = {*roles} - {"query", "item"}
    gold_only = named == {"grade"} and "grade" not in given
    if named and not gold_only:
        return ()
    rest = [name for name in sheet.table.column_names if name not in roles.values()]
    votes = [name for name in rest if _all_votes(sheet.table[name])]
    return tuple(votes)


def _all_votes(column: pa.ChunkedArray) -> bool:
    said = _numbers(column)
    if said is not None:
        return bool(_fits("vote", said).all())
    cells = Codes.of_arrow(_strings(column)).names
    return all(r.read_vote(cell) is not None for cell in cells)


def _long(sheet: Sheet, roles: Mapping[str, str], *, kind: Kind) -> Rows:
    problems: list[Problem] = []
    values = {
        role: _values(sheet, roles[role], role, problems) for role in _READERS if role in roles
    }
    for role in ("query", "item", "respondent"):
        if role in roles:
            problems += _empty(sheet, roles[role], role)
    if problems:
        raise InputError(problems)
    respondent = (
        Codes.of_arrow(_strings(sheet.table[roles["respondent"]]))
        if "respondent" in roles
        else Codes.constant(sheet.stem, sheet.table.num_rows)
    )
    rank, notes = values.get("rank"), list[str]()
    if rank is not None and np.isnan(rank).any():
        missing = int(np.isnan(rank).sum())
        if "score" not in values:
            row = int(np.isnan(rank).argmax())
            found = f"{missing} rows have no rank, and there is no score"
            raise InputError([sheet.problem(row, found, "give every row a rank, or scores")])
        rank, notes = None, [f"{missing:,} rows without a rank: ranks are left out, scores order"]
    valued = "vote" in values or "grade" in values
    unused = [n for n in sheet.table.column_names if n not in roles.values()]
    return Rows(
        _source(sheet, "long table", roles, unused, notes),
        _query(sheet, roles),
        respondent,
        Text.of_arrow(_text(sheet.table[roles["item"]])),
        kind=_kinds(sheet, roles, respondent, kind),
        family=_families(sheet, roles, respondent),
        silence="unknown" if valued else "no",
        vote=values.get("vote"),
        grade=values.get("grade"),
        score=values.get("score"),
        rank=None if rank is None else rank.astype(np.int64),
        probability=values.get("probability"),
        locate=sheet.locate,
    )


def _wide(sheet: Sheet, roles: Mapping[str, str], voters: Sequence[str], *, kind: Kind) -> Rows:
    """Melt: every voter's column becomes its rows; a ``gold`` column becomes the gold answer."""
    problems: list[Problem] = []
    problems += _empty(sheet, roles["item"], "item")
    columns = {voter: _values(sheet, voter, "vote", problems) for voter in voters}
    gold = roles.get("grade")
    if gold:
        columns[gold] = _values(sheet, gold, "grade", problems)
    if problems:
        raise InputError(problems)
    count, rows = len(columns), sheet.table.num_rows
    query = _query(sheet, roles)
    item = _text(sheet.table[roles["item"]])
    unused = [n for n in sheet.table.column_names if n not in (*roles.values(), *columns)]
    merged = np.concatenate(list(columns.values()))
    is_gold = np.repeat([name == gold for name in columns], rows)
    silence: Silence = "unknown"
    return Rows(
        _source(sheet, "wide table", {**roles, "respondents": ", ".join(columns)}, unused),
        Codes(np.tile(query.code, count), query.names),
        Codes(np.repeat(np.arange(count, dtype=np.int32), rows), tuple(columns)),
        Text.of_arrow(item * count),
        kind=tuple("gold" if name == gold else kind for name in columns),
        family=(None,) * count,
        silence=silence,
        vote=np.where(is_gold, np.nan, merged) if gold else merged,
        grade=np.where(is_gold, merged, np.nan) if gold else None,
        locate=None if sheet.locate is None else lambda row: sheet.locate(row % rows),  # type: ignore[misc]
    )


def _text(column: pa.ChunkedArray) -> list[pa.Array]:
    chunks: list[pa.Array] = _strings(column).chunks
    return chunks


def _query(sheet: Sheet, roles: Mapping[str, str]) -> Codes:
    if "query" not in roles:
        return Codes.constant(ONLY_QUERY, sheet.table.num_rows)
    return Codes.of_arrow(_strings(sheet.table[roles["query"]]))


def _values(sheet: Sheet, column: str, role: str, problems: list[Problem]) -> NDArray[np.float64]:
    """Read a column's cells; note the bad ones with their lines."""
    read_cell, what, fix = _READERS[role]
    said = _numbers(sheet.table[column])
    if said is not None:
        wrong = ~_fits(role, said)
    else:
        cells = Codes.of_arrow(_strings(sheet.table[column]))
        read_cells = [read_cell(cell) for cell in cells.names]
        values = np.array([np.nan if v is None else v for v in read_cells], np.float64)
        unread = np.array([v is None for v in read_cells], bool)
        said, wrong = values[cells.code], (unread | ~_fits(role, values))[cells.code]
    for row in np.nonzero(wrong)[0]:
        cell = quote(sheet.table[column][int(row)].as_py() or "")
        found = f"{column} must be {what}, found {cell}"
        full = len(problems) >= SHOWN  # finding a line may mean reading the file: not for the rest
        problems.append(Problem(sheet.name, None, found, fix) if full else sheet.problem(int(row), found, fix))
    return said


def _numbers(column: pa.ChunkedArray) -> NDArray[np.float64] | None:
    """Read a column that holds nothing but numbers in one go; None where it holds more."""
    import pyarrow as pa

    if column.null_count:
        return None
    try:
        cast = column.cast(pa.float64())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    return numbers(cast.chunks)


def _fits(role: str, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which values a role allows; NaN stands for an empty or unknown cell."""
    known = ~np.isnan(values)
    if role in ("vote", "grade"):
        return ~known | (np.isfinite(values) if role == "grade" else (values >= 0) & (values <= 1))
    if role == "score":
        return known & np.isfinite(values)
    if role == "rank":
        return ~known | (np.isfinite(values) & (np.floor(values) == values))
    return ~known | ((values > 0) & (values <= 1))


def _strings(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column.cast(pa.string()).fill_null("")


def _empty(sheet: Sheet, column: str, role: str) -> list[Problem]:
    import pyarrow.compute as pc

    bare = pc.equal(pc.utf8_trim_whitespace(_strings(sheet.table[column])), "")
    if not pc.any(bare).as_py():
        return []
    rows = np.nonzero(np.asarray(bare.to_pylist()))[0]
    fix = "fill it in, or remove the row"
    return [sheet.problem(int(row), f"{column}: the {role} is empty", fix) for row in rows]


def _kinds(
    sheet: Sheet, roles: Mapping[str, str], respondent: Codes, kind: Kind
) -> tuple[Kind, ...]:
    named = _one_per_respondent(sheet, roles, "kind", respondent)
    for row, name in enumerate(named):
        if name is not None and name not in KINDS:
            found = f"kind of {quote(respondent.names[row])} is {quote(name)}"
            raise bad(sheet.name, None, found, f"use one of {', '.join(KINDS)}")
    return tuple(kind if name is None else name for name in named)  # type: ignore[misc]


def _families(
    sheet: Sheet, roles: Mapping[str, str], respondent: Codes
) -> tuple[str | None, ...]:
    return _one_per_respondent(sheet, roles, "family", respondent)


def _one_per_respondent(
    sheet: Sheet, roles: Mapping[str, str], role: str, respondent: Codes
) -> tuple[str | None, ...]:
    """Read a column that must say the same in all rows of a respondent."""
    if role not in roles:
        return (None,) * len(respondent.names)
    cells = Codes.of_arrow(_strings(sheet.table[roles[role]]))
    pairs = np.unique(np.stack([respondent.code, cells.code]), axis=1)
    who, counts = np.unique(pairs[0], return_counts=True)
    if (counts > 1).any():
        name = respondent.names[who[counts > 1][0]]
        raise bad(sheet.name, None, f"{role} of {quote(name)} is not the same in all rows", "use one")
    return tuple(cells.names[code] or None for code in pairs[1])


def _source(
    sheet: Sheet,
    shape: str,
    roles: Mapping[str, str],
    unused: Sequence[str],
    notes: Sequence[str] = (),
) -> Source:
    says = ", ".join(f"{role}={column}" for role, column in roles.items())
    notes = (*notes, f"columns not used: {', '.join(unused)}") if unused else tuple(notes)
    why = f"{sheet.why}; {says}" if sheet.why else says
    return Source(sheet.name, f"{sheet.form}, {shape}", why, sheet.table.num_rows, notes)
