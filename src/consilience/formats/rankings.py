"""Rankings of systems as files tell them: who, and with which score or rank.

A table (CSV, TSV, JSON lines, JSON, Parquet) with a column of systems and a column of scores or
ranks; one JSON object ``{system: score}``; or what ``consilience rank --json`` wrote, which is
given as it is. Columns are told by their names, or by what they hold where only one can be meant.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import Problems, bad, is_number, placed, quote, unknown
from consilience.formats import documents, files, foreign, recognise
from consilience.formats.cells import Reading, Sheet, as_numbers, read_names, read_values
from consilience.formats.less import is_less_better
from consilience.formats.refused import are_measures
from consilience.formats.rows import Source
from consilience.formats.sheets import read_delimited, read_parquet

if TYPE_CHECKING:
    from consilience.formats.files import File

#: Role → names that are taken for it (compared in lower case, blanks and hyphens as ``_``).
ROLES: dict[str, tuple[str, ...]] = {
    "system": (
        *("system", "run", "run_id", "runid", "run_tag", "tag", "model", "respondent", "method"),
        *("pipeline", "team", "participant", "name"),
    ),
    "score": ("score", "value", "mean", "average", "mean_score"),
    "rank": ("rank", "position", "place", "pos"),
    "measure": ("measure", "metric"),
}
_DELIMITERS = {",": "CSV", "\t": "TSV", ";": "CSV with semicolons", "|": "CSV with bars"}
_HEADER = "begin with a line such as system,score"
_TRUTH = (
    "give a table of systems and scores; to compare the ranking of runs by truth with those "
    "without, name the truth: --truth qrels.txt"
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A ranking as a file tells it: system → score, NaN where there is none.

    ``ranks`` tells that the file gives ranks, whose negatives are the scores; ``measure`` is what
    the scores are of, where the file says so.
    """

    scores: dict[str, float]
    measure: str | None
    ranks: bool
    source: Source
    notes: tuple[str, ...] = ()


def read_ranking(
    path: str | os.PathLike[str],
    *,
    measure: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Listed | dict[str, Any]:
    """Read a ranking from a file; a stored result is given as the dict it holds.

    Parameters
    ----------
    path
        The file.
    measure
        What is wanted where a table tells several: a column of that name, or the rows of that
        measure. None: the first one.
    columns
        Role (system, score, rank, measure) → column, where names do not say it.
    encoding
        The text encoding, where it is not UTF-8.

    Raises
    ------
    InputError
        If the file cannot be read, or holds no ranking; with every bad line.
    """
    for role in columns or {}:
        if role not in ROLES:
            raise unknown("role", role, list(ROLES))
    problems = Problems()
    found, _ = files.expand([path], problems)
    problems.raise_any()
    if len(found) != 1:
        raise bad(str(path), None, f"a ranking is one file, found {len(found)}", _TRUTH)
    file = files.look(found[0], encoding=encoding)
    sheet = _sheet(file, columns or {})
    if isinstance(sheet, Sheet):
        return _of_sheet(sheet, measure, columns or {})
    return sheet if "verb" in sheet else _of_object(file, sheet)


def _sheet(file: File, given: Mapping[str, str]) -> Sheet | dict[str, Any]:
    """Read a file as a table, or as the one JSON object that it holds."""
    if file.encoding == "parquet":
        return read_parquet(file, why="begins with Parquet's mark", columns={})
    lines = recognise.sample(file)
    if lines[0].lstrip().startswith(("{", "[")):
        return _json(file, lines)
    delimiter = _delimiter(lines, given)
    if delimiter is None:
        found = recognise.trec(lines)
        said = f"this is a {found.form}" if found else "no table of systems and scores"
        raise bad(file.name, 1, f"{said}, not a ranking of systems", _TRUTH)
    header = recognise.cells(lines[0], delimiter)
    if any(_is_number(cell) for cell in header):
        found_line = f"no header line; the first line is {quote(lines[0])}"
        raise bad(file.name, 1, found_line, _HEADER)
    _check_foreign(file, lines)
    return read_delimited(file, delimiter=delimiter, form=_DELIMITERS[delimiter], why="")


def _check_foreign(file: File, lines: Sequence[str]) -> None:
    """Refuse a table of another program, whose names and numbers are no ranking."""
    other = foreign.recognise(file, lines)
    if other is not None:
        raise bad(file.name, 1, f"this is {other.name}, not a ranking of systems", _TRUTH)


def _json(file: File, lines: Sequence[str]) -> Sheet | dict[str, Any]:
    """Tell rows (a line each, or in an array) from one object."""
    objects = sum(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines)
    if objects == len(lines) > 1:
        _check_foreign(file, lines)
        return documents.read_json_lines(file, why="every line is a JSON object")
    data = documents.read_document(file)
    if isinstance(data, Sheet):
        _check_foreign(file, lines)
        return data
    if not isinstance(data, dict):
        raise bad(file.name, None, "the JSON holds no ranking", 'write {"system": score, …}')
    if {_plain(name) for name in data} & {*ROLES["system"]} and not _flat(data):
        return documents.read_json_lines(file, why="one JSON object")
    return data


def _flat(data: Mapping[str, Any]) -> bool:
    return all(value is None or is_number(value) for value in data.values())


def _of_object(file: File, data: Mapping[str, Any]) -> Listed:
    """Take {system: score}."""
    odd = [name for name, value in data.items() if value is not None and not is_number(value)]
    if odd or not data:
        what = f"the score of {quote(odd[0])} is no number" if odd else "the JSON object is empty"
        raise bad(file.name, None, what, 'write {"system": score, …}, or what rank --json writes')
    scores = {name: math.nan if value is None else float(value) for name, value in data.items()}
    source = Source(file.name, "JSON, a ranking", "system → score", len(scores))
    return Listed(scores, None, ranks=False, source=source)


def _delimiter(lines: Sequence[str], given: Mapping[str, str]) -> str | None:
    """Find what parts the cells; the mark under which most columns have a known name."""
    known: dict[str, int] = {}
    for delimiter in _DELIMITERS:
        header = recognise.cells(lines[0], delimiter)
        if len(header) > 1:
            known[delimiter] = len(_roles(header, given))
    return max(known, key=lambda mark: known[mark], default=None)


def _plain(column: str) -> str:
    return column.strip().lower().replace(" ", "_").replace("-", "_")


def _roles(header: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Tell which columns play which roles; what was mapped goes first."""
    found = {role: column for role, column in given.items() if column in header}
    for role, names in ROLES.items():
        free = {_plain(column): column for column in header if column not in found.values()}
        known = [free[name] for name in names if name in free]
        if role not in found and known:
            found[role] = known[0]
    return found


def _of_sheet(sheet: Sheet, measure: str | None, given: Mapping[str, str]) -> Listed:
    names = sheet.table.column_names
    for role, column in given.items():
        if column not in names:
            wrong = unknown(f"column (mapped to {role})", column, names)
            raise placed(wrong, sheet.name, sheet.header)
    if not sheet.table.num_rows:
        sheet.problems.raise_any()
        raise bad(sheet.name, None, "the table has a header and no rows", "add rows")
    roles = _roles(names, given)
    if "system" not in roles:
        roles["system"] = _only_words(sheet, roles)
    reading = Reading(sheet, replace(sheet.problems), list(sheet.notes))
    systems = read_names(reading, roles["system"], "system").to_pylist()
    kept, of = _rows_of(sheet, roles, measure)
    column, ranks = _value(sheet, roles, measure if of is None else None, given)
    if not ranks and "score" not in given:
        _check_more_is_better(sheet, column if of is None else of)
    values = read_values(reading, column, "score")
    reading.raise_any()
    _check_once(sheet, systems, kept)
    scores = {systems[row]: float(-values[row] if ranks else values[row]) for row in kept}
    used = [(role, roles[role]) for role in ("system", "measure") if role in roles]
    why = ", ".join(f"{a}={b}" for a, b in [*used, ("rank" if ranks else "score", column)])
    told = of if of is not None else column if _plain(column) not in _generic() else None
    source = Source(sheet.name, f"{sheet.form}, a ranking", why, len(kept))
    return Listed(scores, None if ranks else told, ranks, source, tuple(reading.notes))


def _generic() -> set[str]:
    """Names of columns that do not say what the scores are of."""
    return {name for role in ("score", "rank") for name in ROLES[role]}


def _only_words(sheet: Sheet, roles: Mapping[str, str]) -> str:
    """Find the systems' column where no name tells: the only one that holds no numbers."""
    names: list[str] = sheet.table.column_names
    words = [
        name
        for name in names
        if name not in roles.values() and as_numbers(sheet.table[name]) is None
    ]
    if len(words) == 1:
        return words[0]
    found = f"no column holds the systems; found {', '.join(map(quote, names))}"
    raise bad(sheet.name, sheet.header, found, "name one 'system', or --columns system=NAME")


def _rows_of(
    sheet: Sheet, roles: Mapping[str, str], measure: str | None
) -> tuple[list[int], str | None]:
    """Choose the rows of one measure, where a column says what rows are of."""
    if "measure" not in roles:
        return list(range(sheet.table.num_rows)), None
    told = [str(cell) for cell in sheet.table[roles["measure"]].to_pylist()]
    possible = list(dict.fromkeys(told))
    wanted = possible[0] if measure is None else _called(measure, possible)
    if wanted is None:
        raise placed(unknown("measure", str(measure), possible), sheet.name)
    return [row for row, one in enumerate(told) if one == wanted], wanted


def _called(name: str, possible: Sequence[str]) -> str | None:
    """Find a name as written, or but for capitals."""
    if name in possible:
        return name
    return next((one for one in possible if one.lower() == name.lower()), None)


def _value(
    sheet: Sheet, roles: Mapping[str, str], measure: str | None, given: Mapping[str, str]
) -> tuple[str, bool]:
    """Choose the column of scores or ranks; tell whether it holds ranks."""
    names = [name for name in sheet.table.column_names if name != roles["system"]]
    mapped = next((role for role in ("score", "rank") if role in given), None)
    if mapped is not None:
        return given[mapped], mapped == "rank"
    asked = None if measure is None else _called(measure, names)
    if asked is not None:
        return asked, _plain(asked) in ROLES["rank"]
    for role in ("score", "rank"):
        if role in roles and not _is_bare(sheet, roles[role]):
            return roles[role], role == "rank"
    figures = [name for name in names if as_numbers(sheet.table[name]) is not None]
    if len(figures) == 1 or (figures and all(map(is_less_better, figures))):
        return figures[0], False
    if not figures:
        found = f"no column holds scores or ranks; found {', '.join(map(quote, names))}"
        raise bad(sheet.name, sheet.header, found, "name one 'score' or 'rank'")
    measures = [name for name in figures if are_measures([name])]
    figures = [*measures, *(name for name in figures if name not in measures)]
    found = f"several columns may be the score: {', '.join(figures)}"
    fix = f"choose one: --measure {figures[0]}, or --columns score={figures[0]}"
    raise bad(sheet.name, sheet.header, found, fix)


def _check_more_is_better(sheet: Sheet, of: str) -> None:
    """Refuse errors, distances, times: as scores they would put the worst system first."""
    if is_less_better(of):
        found = f"of {quote(of)} less is better, and a ranking is by scores: more is better"
        fix = "write the same numbers in a column 'rank': the least is then the best; if more is "
        fix += "better all the same, call the column 'score'"
        raise bad(sheet.name, sheet.header, found, fix)


def _is_bare(sheet: Sheet, column: str) -> bool:
    """Tell whether a column says nothing: scores may be withheld, and only ranks be given."""
    figures = as_numbers(sheet.table[column])
    return figures is not None and bool(np.isnan(figures).all())


def _check_once(sheet: Sheet, systems: Sequence[str], rows: Sequence[int]) -> None:
    """See that no system stands twice."""
    problems, seen = Problems(), set[str]()
    for row in rows:
        if systems[row] in seen:
            found = f"{quote(systems[row])} stands here a second time"
            problems.add(sheet.problem(row, found, "give every system one score"))
        seen.add(systems[row])
    problems.raise_any()


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
