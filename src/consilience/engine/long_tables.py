"""Long tables on an engine: columns get their roles, cells become names and numbers, lazily.

One answer a row, as in :mod:`consilience.formats.table`, and by the same rules: the same names of
columns, the same words for yes and no, blanks around names taken off. DuckDB and Spark understand
the same few lines of SQL for this. What else files may hold (one column a respondent, runs in
TREC's form, JSON) is for ``consilience convert``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import narwhals.stable.v2 as nw

from consilience.errors import InputError, Problem, UsageError, bad, placed, quote, unknown
from consilience.formats import roles as r
from consilience.formats.rows import ONLY_QUERY, Kind
from consilience.formats.values import READERS

if TYPE_CHECKING:
    import pyarrow as pa

#: What a column holds: whole numbers, floats, text, or what becomes a number or text by itself (yes
#: and no, decimals, large numbers, nothing at all); anything else has no role.
Sort = Literal["whole", "number", "text", "plain", "other"]
#: The roles of names.
NAMES = ("query", "respondent", "item")
#: The roles of numbers.
VALUES = ("vote", "grade", "score", "rank", "probability", "round")
#: More rows than a file has.
FAR = 1 << 40
#: Lines of rows up to here are looked for.
DEEP = 5_000_000
#: So many different words are looked at, at most.
WORDS = 1000
#: What is taken off around names, as SQL writes it: \\v and \\f would be letters to Spark.
BLANKS = " \\t\\n\\u000b\\u000c\\r"
_CONVERT = "consilience convert FILE votes.parquet makes a long table of it"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine writes what is not the same everywhere, and how it computes."""

    quote: Callable[[str], str]
    trim: Callable[[str], str]
    collect: Callable[[nw.LazyFrame[Any]], pa.Table]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file on an engine: its columns, and ``select``, which computes new ones in SQL.

    ``row`` is SQL for the number of a row, in the order of the file; without an order (``ordered``)
    it is the same for all. ``cheap`` tells that a range of rows can be read without the rest.
    ``line`` finds the line of a row in a file of text; None: too far down to look for it.
    """

    name: str
    stem: str
    columns: Mapping[str, Sort]
    select: Callable[[Sequence[str]], nw.LazyFrame[Any]]
    dialect: Dialect
    kind: Kind
    row: str
    ordered: bool = True
    cheap: bool = False
    line: Callable[[int], int | None] | None = None
    index: Any = None

    def place(self, row: int | None) -> str:
        """Say where a row is, inside this file."""
        if row is None or not self.ordered:
            return self.name
        line = None if self.line is None else self.line(row)
        return f"row {row + 1:,}" if line is None else f"line {line}"

    def problem(self, row: int | None, found: str, fix: str) -> Problem:
        """Describe what is wrong, and in which row."""
        place = self.place(row)
        if place.startswith("line "):
            return Problem(self.name, int(place.removeprefix("line ")), found, fix)
        return Problem(self.name, None, found if place == self.name else f"{place}: {found}", fix)

    def bad(self, row: int | None, found: str, fix: str) -> UsageError:
        """Make an error of what is wrong in a row."""
        return InputError([self.problem(row, found, fix)])


@dataclass(frozen=True, slots=True)
class Long:
    """A long table: ``frame`` has a column of each role, ``row``, and ``judge`` (0: a system)."""

    sheet: Sheet
    roles: Mapping[str, str]
    frame: nw.LazyFrame[Any]
    values: tuple[str, ...]
    told: tuple[str, ...] = field(default=())

    @property
    def mixed(self) -> bool:
        """Whether a column says who is a system and who judges."""
        return "kind" in self.roles

    @property
    def judges(self) -> bool:
        """Whether everybody in it judges."""
        return not self.mixed and self.sheet.kind != "system"


def delimiter_of(path: Path, columns: Mapping[str, str]) -> str | None:
    """Tell what stands between the cells of a file of text; None of a Parquet file.

    Engines read no other forms.
    """
    from consilience.formats.files import look
    from consilience.formats.recognise import recognise

    file = look(path)
    found = recognise(file, columns=columns)
    if found.form == "Parquet" and not file.gzipped:
        return None
    if not found.form.startswith(("CSV", "TSV")):
        said = f"this is a {found.form}, and engines read Parquet and CSV"
        raise bad(file.name, None, said, _CONVERT)
    if file.encoding not in ("utf-8", "utf-8-sig"):
        raise bad(file.name, None, f"its text is {file.encoding}, not UTF-8", _CONVERT)
    return found.delimiter


def line_in(path: Path, delimiter: str) -> Callable[[int], int | None]:
    """Make what finds the line of a row: cells may hold line breaks, and empty lines are no rows.

    Of a row further down than some million nobody waits to hear it.
    """
    import csv
    import io

    from consilience.formats.files import look

    def line(row: int) -> int | None:
        if row >= DEEP:
            return None
        with io.TextIOWrapper(look(path).open(), "utf-8-sig", newline="") as stream:
            cells = csv.reader(stream, delimiter=delimiter)
            begin, seen = 1, -1  # the header is before all rows
            try:
                for one in cells:
                    if one and seen == row:
                        return begin
                    begin, seen = cells.line_num + 1, seen + bool(one)
            except csv.Error:
                return None
        return None

    return line


def assigned(sheet: Sheet, columns: Mapping[str, str]) -> tuple[Sheet, dict[str, str]]:
    """Give every role its column; tell what respondents are where the names of columns do.

    Examples
    --------
    >>> sheet = Sheet("a.csv", "a", {"qid": "text", "x": "text"}, None, None, "system", "0")
    >>> assigned(sheet, {})
    Traceback (most recent call last):
    consilience.errors.InputError: a.csv: no column holds the items; found 'qid', 'x' (fix: ...)
    """
    names = list(sheet.columns)
    try:
        roles = r.assign(names, {role: name for role, name in columns.items() if name in names})
    except UsageError as error:
        raise placed(error, sheet.name) from None
    if "item" not in roles:
        if "item" in columns:
            raise placed(unknown("column (mapped to item)", columns["item"], names), sheet.name)
        found = ", ".join(map(quote, names))
        fix = "name one 'item', or map it: --columns item=NAME"
        raise bad(sheet.name, None, f"no column holds the items; found {found}", fix)
    _check(sheet, roles)
    said = {"vote", "score", "rank"} & {*roles}
    truth = r.is_truth(roles.get("grade")) or {"grade", "probability"} <= {*roles}
    kind = r.kind_of(roles.get("respondent"), sheet.kind)
    if kind == "system" and "respondent" not in roles and not said and truth:
        kind = "gold"
    if kind == "system" and "kind" not in roles and "grade" in roles and said:
        found = f"{roles['grade']} says what is relevant, in the rows of systems' answers"
        fix = "write that to a file of its own and name it with --truth, or --engine memory"
        raise bad(sheet.name, None, found, fix)
    return replace(sheet, kind=kind), roles


def _check(sheet: Sheet, roles: Mapping[str, str]) -> None:
    """See that columns with a role hold single values, and that the table is long."""
    for role, column in roles.items():
        sort = sheet.columns[column]
        if sort == "other":
            found = f"column {quote(column)} ({role}) holds neither text nor numbers"
            raise bad(sheet.name, None, found, "write it as one of them, or leave it out")
    if "category" in roles and not {"vote", "grade"} & {*roles}:
        raise bad(sheet.name, None, "categories need all rows in memory", "--engine memory")
    if {"respondent", "vote", "score", "rank", "grade"} & {*roles}:
        return
    rest = [name for name in sheet.columns if name not in roles.values()]
    votes = [name for name in rest if sheet.columns[name] != "other"]
    if votes:
        found = f"{', '.join(map(quote, votes))} may be respondents, each with a column of votes"
        raise bad(sheet.name, None, found, f"{_CONVERT}; or leave those columns out")


def long_table(
    sheet: Sheet, roles: Mapping[str, str], whole: Mapping[str, bool], *, code: int
) -> Long:
    """Make a long table of a file.

    Parameters
    ----------
    sheet, roles
        The file, and which column is what.
    whole
        For query, respondent and item: whether they are whole numbers in all files.
    code
        The number of the file among all.
    """
    made = {role: _name(sheet, roles.get(role), role, whole[role]) for role in NAMES}
    values = tuple(role for role in VALUES if role in roles)
    for role in values:
        made[role] = _value(sheet, roles[role], role)
    for role in ("kind", "family"):
        if role in roles:
            text = _text(sheet, roles[role])
            made[role] = f"lower({text})" if role == "kind" else text
    made["row"] = sheet.row
    frame = sheet.select([f"{sql} AS {sheet.dialect.quote(name)}" for name, sql in made.items()])
    judge = nw.lit(0 if sheet.kind == "system" else 1)
    if "kind" in roles:
        kind = nw.col("kind")
        frame = frame.with_columns(
            kind=nw.when(kind.is_null() | (kind == "")).then(nw.lit(sheet.kind)).otherwise(kind)
        )
        judge = nw.when(kind == "system").then(nw.lit(0)).otherwise(nw.lit(1))
    frame = frame.with_columns(judge=judge.cast(nw.Int64()), file=nw.lit(code).cast(nw.Int64()))
    unused = [name for name in sheet.columns if name not in roles.values()]
    told = [f"columns not used: {', '.join(unused)}"] if unused else []
    if not sheet.ordered:
        told.append("its rows have no order: queries and respondents are numbered by name")
    return Long(sheet, roles, frame, values, tuple(told))


def are_whole(sheets: Sequence[tuple[Sheet, Mapping[str, str]]]) -> dict[str, bool]:
    """Tell of query, respondent and item whether all files hold whole numbers.

    Text that holds nothing but whole numbers, each written in the usual way, counts as such where
    other files hold whole numbers: comparing numbers is quicker.
    """
    found = {}
    for role in NAMES:
        sorts = [sheet.columns[roles[role]] if role in roles else "text" for sheet, roles in sheets]
        found[role] = "whole" in sorts and all(
            sort == "whole" or (role in roles and _spells_numbers(sheet, roles[role], sort))
            for sort, (sheet, roles) in zip(sorts, sheets, strict=True)
        )
    return found


def _spells_numbers(sheet: Sheet, column: str, sort: Sort) -> bool:
    if sort != "text":
        return False
    text = _text(sheet, column)
    back = f"CAST(TRY_CAST({text} AS BIGINT) AS STRING)"
    odd = f"CASE WHEN {back} IS NULL OR {back} <> {text} THEN 1 ELSE 0 END AS odd"
    frame = sheet.select([odd]).select(nw.col("odd").max())
    return bool(sheet.dialect.collect(frame)["odd"].to_pylist() == [0])


def _text(sheet: Sheet, column: str) -> str:
    """Write a cell as text, in SQL; whole numbers without a point."""
    name, sort = sheet.dialect.quote(column), sheet.columns[column]
    if sort == "number":
        return f"CAST(CAST({_said(name)} AS BIGINT) AS STRING)"
    if sort != "text":
        return f"CAST({name} AS STRING)"
    return name if sheet.index is not None else sheet.dialect.trim(name)  # names of a votes file


def _name(sheet: Sheet, column: str | None, role: str, whole: bool) -> str:
    if column is None:
        text = (ONLY_QUERY if role == "query" else sheet.stem).replace("'", "''")
        return f"'{text}'"
    if sheet.columns[column] == "number":
        _only_whole(sheet, column, role)
    if not whole:
        return _text(sheet, column)
    name = sheet.dialect.quote(column)
    if sheet.columns[column] == "text":
        return f"CAST({_text(sheet, column)} AS BIGINT)"
    return f"CAST({name} AS BIGINT)"


def _only_whole(sheet: Sheet, column: str, role: str) -> None:
    """See that names that are stored as numbers are whole ones."""
    name = f"CAST({sheet.dialect.quote(column)} AS DOUBLE)"
    odd = f"CASE WHEN {name} <> floor({name}) THEN 1 ELSE 0 END AS odd"
    frame = sheet.select([odd]).select(nw.col("odd").max())
    if sheet.dialect.collect(frame)["odd"].to_pylist() == [1]:
        found = f"{column}: names of {role} are stored as numbers that are not whole"
        raise bad(sheet.name, None, found, "write them as text")


def _value(sheet: Sheet, column: str, role: str) -> str:
    """Read a cell as a number, in SQL; NULL where nothing is said."""
    name, sort = sheet.dialect.quote(column), sheet.columns[column]
    number = f"CAST({name} AS DOUBLE)"
    if sort in ("whole", "plain"):
        return number
    if sort == "number":
        return _said(number)
    text = _text(sheet, column)
    number = f"TRY_CAST({text} AS DOUBLE)"
    words = _words(sheet, column, role)
    if not words:
        return _said(number)
    cases = " ".join(f"WHEN {_literal(word)} THEN {value!r}" for word, value in words.items())
    return f"CASE {text} {cases} ELSE {_said(number)} END"


def _said(number: str) -> str:
    """Take NaN for nothing, in SQL.

    ``isnan`` will not do: inside a filter DuckDB answers it from the extremes that a Parquet file
    notes of its columns, and these pass over NaN.
    """
    ends = " AND ".join(f"{number} <> CAST('{end}' AS DOUBLE)" for end in ("Infinity", "-Infinity"))
    return f"CASE WHEN {number} - {number} <> 0 AND {ends} THEN NULL ELSE {number} END"


def _words(sheet: Sheet, column: str, role: str) -> dict[str, float]:
    """Read the cells that are no numbers: yes and no in many spellings, words for unknown."""
    text = _text(sheet, column)
    number = f"TRY_CAST({text} AS DOUBLE)"
    frame = sheet.select([f"{text} AS word", f"{number} AS value", f"{sheet.row} AS {_ROW}"])
    value, word = nw.col("value"), nw.col("word")
    odd = frame.filter((word != "") & (value.is_null() | word.str.contains("[^0-9eE.+-]")))
    table = sheet.dialect.collect(odd.group_by("word").agg(row=nw.col(_ROW).min()).head(WORDS))
    read_cell, what, fix = READERS[role]
    words = {}
    for cell, row in zip(table["word"].to_pylist(), table["row"].to_pylist(), strict=True):
        said = read_cell(cell)
        if said is None and role == "score" and r.is_boundless(cell):
            what, fix = "finite", r.FINITE_FIX
        if said is None:
            raise sheet.bad(row, f"{column} must be {what}, found {quote(cell)}", fix)
        if said == said:
            words[cell] = said
    return words


_ROW = "row_of_word"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
