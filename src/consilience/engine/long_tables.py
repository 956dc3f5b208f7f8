"""Long tables on an engine: columns get their roles, cells become names and numbers, lazily.

One answer a row, as in :mod:`consilience.formats.table`, and by the same rules: the same names of
columns, the same words for yes and no, blanks around names taken off. DuckDB and Spark understand
the same few lines of SQL for this. What else files may hold (one column a respondent, runs in
TREC's form, JSON) is for ``consilience convert``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw

from consilience.engine.sheets import CONVERT, Sheet, Sort
from consilience.errors import UsageError, bad, placed, quote, unknown
from consilience.formats import cells, refused
from consilience.formats import roles as r
from consilience.formats.answer_kinds import are_lists
from consilience.formats.aside import is_place, same_but_for
from consilience.formats.rows import ONLY_QUERY, Kind
from consilience.formats.values import EXACT, READERS

if TYPE_CHECKING:
    from consilience.formats.answer_kinds import AnswerKind

#: The roles of names.
NAMES = ("query", "respondent", "item")
#: The roles of numbers.
VALUES = ("vote", "grade", "score", "rank", "probability", "round")
#: So many different words are looked at, at most.
WORDS = 1000
#: So many rows tell whether a column holds votes.
SAMPLE = 10_000


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


def assigned(
    sheet: Sheet, columns: Mapping[str, str], answers: AnswerKind | None = None
) -> tuple[Sheet, dict[str, str]]:
    """Give every role its column; tell what respondents are where the names of columns do.

    Answers of a kind that is not compared yet are refused, unless ``answers`` names another.

    Examples
    --------
    >>> sheet = Sheet("a.csv", "a", {"qid": "text", "x": "text"}, None, None, "system", "0")
    >>> assigned(sheet, {})
    Traceback (most recent call last):
    consilience.errors.InputError: a.csv: no column holds the items; found 'qid', 'x' (fix: ...)
    """
    names = list(sheet.columns)
    if not r.has_query(names):
        refused.check_header(_first(sheet, names), columns)
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
    roles = _without_lesser(sheet, roles, columns)
    _check(sheet, roles)
    kind = _kind(sheet, roles)
    refused.check_truth(sheet.name, roles, kind=sheet.kind, given=columns)
    _check_long(sheet, roles, kind)
    _check_kinds(sheet, roles, columns, answers)
    _check_places(sheet, roles, kind)
    if "kind" not in roles and kind == "system":
        check_no_truth(sheet, roles)
    return replace(sheet, kind=kind), roles


def _without_lesser(
    sheet: Sheet, roles: dict[str, str], columns: Mapping[str, str]
) -> dict[str, str]:
    """Take a lesser name of people back, as :func:`consilience.formats.aside.without_lesser`."""
    who = roles.get("respondent")
    if who is None or who in columns.values() or not r.is_maybe(who):
        return roles
    names = [sheet.dialect.quote(roles[role]) for role in ("query", "item") if role in roles]
    keys = [f"key{place}" for place in range(len(names))]
    frame = sheet.select([f"{name} AS {key}" for name, key in zip(names, keys, strict=True)])
    several = frame.group_by(*keys).agg(rows=nw.len()).filter(nw.col("rows") > 1).head(1)
    if sheet.dialect.collect(several).num_rows:
        return roles
    return {role: name for role, name in roles.items() if role != "respondent"}


def _check(sheet: Sheet, roles: Mapping[str, str]) -> None:
    """See that columns with a role hold what an engine can read."""
    for role, column in roles.items():
        if sheet.columns[column] == "other":
            found = f"column {quote(column)} ({role}) holds neither text nor numbers"
            raise bad(sheet.name, None, found, "write it as one of them, or leave it out")
    if "category" in roles and not {"vote", "grade"} & {*roles}:
        raise bad(sheet.name, None, "categories need all rows in memory", "--engine memory")


def _first(sheet: Sheet, names: Sequence[str]) -> cells.Sheet:
    """Return the first rows of a file, as far as columns hold text or numbers."""
    named = [name for name in names if sheet.columns[name] != "other"]
    first = sheet.select([sheet.dialect.quote(name) for name in named]).head(SAMPLE)
    return cells.Sheet(sheet.name, "table", sheet.dialect.collect(first), sheet.stem)


def _check_kinds(
    sheet: Sheet,
    roles: Mapping[str, str],
    columns: Mapping[str, str],
    answers: AnswerKind | None,
) -> None:
    """See that answers are of a kind that is compared, as :mod:`consilience.formats.refused`."""
    some = _first(sheet, list(sheet.columns))
    refused.check(some, roles, kind=sheet.kind, voters=(), answers=answers, given=columns)
    refused.check_unused(some, roles, kind=sheet.kind, answers=answers)
    refused.check_queries(some, roles, kind=sheet.kind, answers=answers)
    column = refused.outcome(
        [*sheet.columns], roles, kind=sheet.kind, given=columns, answers=answers
    )
    if column is None:
        return
    keys = {"item": roles["item"], "who": roles["respondent"]}
    frame = sheet.select([f"{sheet.dialect.quote(name)} AS {key}" for key, name in keys.items()])
    pairs = frame.group_by("item", "who").agg(rows=nw.len())
    shared = pairs.group_by("item").agg(systems=nw.len()).filter(nw.col("systems") > 1).head(1)
    if sheet.dialect.collect(shared).num_rows:
        raise refused.outcomes(sheet.name, column, scored="score" in roles)


def _check_places(sheet: Sheet, roles: Mapping[str, str], kind: Kind) -> None:
    """See that no unused column of ids tells rows apart, as in memory they must not be merged."""
    unused = [name for name in sheet.columns if name not in roles.values() and is_place(name)]
    if kind == "person" or not unused:
        return
    keys = {role: roles[role] for role in ("query", "respondent", "item") if role in roles}
    for name in unused:
        said = {**keys, "place": name}
        frame = sheet.select([f"{sheet.dialect.quote(one)} AS {key}" for key, one in said.items()])
        rows = frame.group_by(*said).agg(rows=nw.len())
        several = rows.group_by(*keys).agg(places=nw.len()).filter(nw.col("places") > 1).head(1)
        if sheet.dialect.collect(several).num_rows:
            raise bad(sheet.name, None, *same_but_for(name))


def check_apart(
    sheets: Sequence[tuple[Sheet, Mapping[str, str]]], answers: AnswerKind | None
) -> None:
    """See that no two files hold outcomes of a system each; shared items are not asked for."""
    found = [
        (sheet.name, column)
        for sheet, roles in sheets
        if sheet.kind == "system" and (column := refused.lone_outcome(roles, sheet.columns))
    ]
    if len(found) > 1 and not are_lists(answers):
        raise refused.outcomes(*found[1], scored=True)


def _kind(sheet: Sheet, roles: Mapping[str, str]) -> Kind:
    """Tell what respondents are, where rows do not say."""
    alone = not {"respondent", "vote", "score", "rank"} & {*roles}
    judged = r.is_truth(roles.get("grade")) or {"grade", "probability"} <= {*roles}
    if alone and judged and sheet.kind == "system":
        return "gold"
    return r.kind_of(roles.get("respondent"), sheet.kind)


def _check_long(sheet: Sheet, roles: Mapping[str, str], kind: Kind) -> None:
    """See that no column without a role holds votes: then the table is wide."""
    if {"vote", "score", "rank"} & {*roles}:
        return
    taken = {*roles.values()}
    rest = [name for name, sort in sheet.columns.items() if name not in taken and sort != "other"]
    if not rest:
        return
    some = _first(sheet, rest)
    votes = [name for name in rest if cells.vote_share(some, name) >= 0.5]
    if "respondent" in roles and len(votes) > 1 and not {"grade", "category"} & {*roles}:
        found = f"{', '.join(votes)} hold votes, but {roles['respondent']} names respondents too"
        fix = f"rename {roles['respondent']}, or leave those columns out"
        raise bad(sheet.name, None, found, fix)
    if "respondent" in roles:
        return
    if votes:
        found = f"a wide table ({', '.join(map(quote, votes))} hold votes); engines read long ones"
        gold = roles.get("grade")
        apart = "" if gold is None else f"put {gold} into a file of its own for --truth; then "
        raise bad(sheet.name, None, found, f"{apart}{CONVERT}; or --engine memory")
    figures = [name for name in rest if _are_figures(some, name)]
    if figures and kind == "system" and "grade" not in roles:
        found = f"{', '.join(figures)}: numbers, but not votes from 0 to 1"
        fix = f"rescale them, or say what they are: --columns score={figures[0]}"
        raise bad(sheet.name, None, found, fix)


def _are_figures(sheet: cells.Sheet, column: str) -> bool:
    said = cells.as_numbers(sheet.table[column])
    return said is not None and bool((said == said).any())


def check_no_truth(sheet: Sheet, roles: Mapping[str, str]) -> None:
    """See that the rows of systems' answers do not say what is relevant, too."""
    if "grade" in roles and {"vote", "score", "rank"} & {*roles}:
        found = f"{roles['grade']} says what is relevant, in the rows of systems' answers"
        fix = "write that to a file of its own and name it with --truth, or --engine memory"
        raise bad(sheet.name, None, found, fix)


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
            text = f"coalesce({_text(sheet, roles[role])}, '')"
            made[role] = f"lower({text})" if role == "kind" else text
    made["row"] = sheet.row
    frame = sheet.select([f"{sql} AS {sheet.dialect.quote(name)}" for name, sql in made.items()])
    judge = nw.lit(0 if sheet.kind == "system" else 1)
    if "kind" in roles:
        system = nw.col("kind").is_in(["system", *([""] if sheet.kind == "system" else [])])
        judge = nw.when(system).then(nw.lit(0)).otherwise(nw.lit(1))
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
    name = _said(f"CAST({sheet.dialect.quote(column)} AS DOUBLE)")
    odd = f"CASE WHEN {name} % 1 <> 0 OR abs({name}) >= {EXACT!r} THEN 1 ELSE 0 END AS odd"
    frame = sheet.select([odd]).select(nw.col("odd").max())
    if sheet.dialect.collect(frame)["odd"].to_pylist() == [1]:
        found = f"{column}: names of {role} are stored as numbers that are not whole, or too large"
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
