"""What kind of file is this? Told by its content and with the reason.

The questions, in this order:

1. Does it begin with Parquet's mark, or is it a file of segments, boxes or tracks, none of whose
   columns the user mapped?
2. Are its lines JSON objects, or is it one JSON document?
3. Is the first line a header that names an item column we know, or that the user mapped?
4. Do its lines read as a TREC run or as judgments?
5. Does it look like a table whose header we do not understand? Then that is said.
6. Do its lines read as judgments without a header, or with commas for blanks? Then that is said.
7. Does it look like a list (:mod:`consilience.formats.lists`)? Then it is one, one item a line:
   phrases may hold commas. Anything else is refused.

Between 1 and 2, forms that other programs write and that are not read here are refused by name
(:mod:`consilience.formats.foreign`).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from consilience.errors import UsageError, bad, quote
from consilience.formats import foreign, lists, roles, shapes
from consilience.formats.links import are_links

if TYPE_CHECKING:
    from consilience.formats.answer_kinds import AnswerKind
    from consilience.formats.files import File

#: How many lines are looked at, and how many to find a header that does not come first.
SAMPLE = 200
_EARLY = 10
_DELIMITERS = {",": "CSV", "\t": "TSV", ";": "CSV with semicolons", "|": "CSV with bars"}
TABLE_ENDINGS = ("csv", "tsv", "tab")
#: How many different grades judgments may have.
_GRADES = 5
_GRADE = re.compile(r"[-+]?\d{1,9}")
_JSON_ENDINGS = ("json", "jsonl", "ndjson")
#: Cells between blanks, of which some may be quoted.
_QUOTED = re.compile(r'"[^"]*"|\S+')
_SHAPES = {"TREC run": "query Q0 item rank score tag", "TREC qrels": "query iteration item grade"}


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file was taken for, and why; ``delimiter`` is set for delimited tables."""

    form: str
    why: str
    delimiter: str = ""


def recognise(
    file: File, *, columns: Mapping[str, str] | None = None, answers: AnswerKind | None = None
) -> Recognised:
    """Return what a file is, told from its first lines.

    Parameters
    ----------
    file
        The file.
    columns
        Role → column name, as the user mapped them.
    answers
        The kind of answers that the user named; "lines" makes any text a list of lines.

    Raises
    ------
    InputError
        If the file is of a form that is not read, or of none that is known.
    """
    if file.encoding == "parquet":
        return Recognised("Parquet", "begins with Parquet's mark PAR1")
    if answers == "lines":
        return Recognised("list", "one item a line, as --answers lines says")
    lines = sample(file)
    given = columns or {}
    mapped = _is_mapped(lines, given)
    shape = shapes.recognise(file, lines, given if mapped else None)
    if shape is not None:
        return shape
    other = None if mapped else foreign.recognise(file, lines)
    if other is not None:
        raise bad(file.name, 1, f"this is {other.name}, which is not read", other.fix)
    return (
        json_form(file, lines)
        or _header(lines, given)
        or _trec(file, lines)
        or _unclear_table(file, lines, given)
        or _list(file, lines)
    )


def _list(file: File, lines: Sequence[str]) -> Recognised:
    """Take lines that look like a list for one; refuse others."""
    if file.ending in TABLE_ENDINGS:
        _check_ragged(file, lines)
    if any(are_links(cells(lines[0], mark)) for mark in _DELIMITERS):
        found = "this is a tree of categories, which holds no answers"
        raise bad(file.name, 1, found, "name it as one: consilience tree --tree FILE")
    if file.ending in TABLE_ENDINGS and roles.is_name(lines[0].strip().strip('"')):
        found = f"the first line, {quote(lines[0].strip())}, may be a header or an item"
        raise bad(file.name, 1, found, f"call a column of items 'item'; {foreign.LINES}")
    doubt = lists.why_no_list(lines)
    if doubt is not None:
        found = f"no form is recognised, and this does not look like a list: {doubt.why}"
        hint = "for judgments, write 0 as the second field; " if _may_judge(lines) else ""
        raise bad(file.name, 1, found, f"{hint}{doubt.fix}; {foreign.LINES}")
    return Recognised("list", "no header, no run, no judgments, short lines: one item a line")


def _check_ragged(file: File, lines: Sequence[str]) -> None:
    """Refuse a table whose rows have different numbers of cells."""
    for delimiter in _DELIMITERS if file.ending == "csv" else ("\t",):
        first = len(cells(lines[0], delimiter))
        odd = next((line for line in lines if len(cells(line, delimiter)) != first), None)
        if odd is not None:
            place = next((number for number, line in file.lines() if line == odd), None)
            found = f"rows have different numbers of cells parted by {quote(delimiter)}: the first "
            found += f"has {first}, this one {len(cells(odd, delimiter))}"
            raise bad(
                file.name, place, found, "quote cells that hold it, and give rows equal cells"
            )


def _is_mapped(lines: Sequence[str], given: Mapping[str, str]) -> bool:
    """Tell whether the user mapped a column of this file: then it is a table of items."""
    if not given:
        return False
    if lines[0].lstrip().startswith(("{", "[")):
        text = re.sub(r'"\s+:', '":', "\n".join(lines))
        return any(f"{json.dumps(name, ensure_ascii=False)}:" in text for name in given.values())
    return any(name in cells(lines[0], mark) for mark in _DELIMITERS for name in given.values())


def sample(file: File) -> list[str]:
    """Give the first lines of a file that are not blank."""
    encoding = "utf-8" if file.encoding == "utf-8-sig" else file.encoding
    text = file.head.decode(encoding, errors="replace").removeprefix("\ufeff")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [line for line in text.split("\n") if line.strip()]
    whole = lines[:-1] if len(lines) > 1 and not text.endswith("\n") and _is_cut(file) else lines
    return whole[:SAMPLE]


def _is_cut(file: File) -> bool:
    from consilience.formats.files import HEAD

    return len(file.head) >= HEAD


def json_form(file: File, lines: Sequence[str]) -> Recognised | None:
    """Tell JSON lines from one JSON document, and both from a list that begins with a bracket."""
    begin = lines[0].lstrip()
    if not begin.startswith(("{", "[")):
        return None
    objects = sum(_is_object(line) for line in lines)
    if objects * 2 >= len(lines) and not (objects == 1 and _holds_objects(lines[0])):
        return Recognised(
            "JSON lines", f"{objects} of the first {len(lines)} lines are JSON objects"
        )
    joined = "".join(begin.split())
    if (
        file.ending in _JSON_ENDINGS
        or joined.startswith(('{"', "[{", '["', "[["))
        or (joined in ("{", "[", "{}", "[]"))
    ):
        return Recognised("JSON", "begins as one JSON document")
    return None


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _holds_objects(line: str) -> bool:
    """Tell whether the values of a JSON object are objects or lists: {query: {item: score}}."""
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return bool(row) and all(isinstance(value, (dict, list)) for value in row.values())


def cells(line: str, delimiter: str) -> list[str]:
    """Cut a line into cells, quotes taken off, blanks around them too."""
    try:
        row = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        row = line.split(delimiter)
    return [cell.strip() for cell in row]


def _header(lines: Sequence[str], given: Mapping[str, str]) -> Recognised | None:
    """Find a separator under which the first line is a header that names an item column."""
    for delimiter, form in _DELIMITERS.items():
        header = cells(lines[0], delimiter)
        if len(header) > 1 and "item" in roles_of(header, given) and not _is_trec(lines[0].split()):
            return Recognised(form, f"header line {', '.join(header)}", delimiter)
    if lines[0].strip().strip('"').lower() in ("item", given.get("item", "item").lower()):
        return Recognised("CSV", "header line item", ",")
    return None


def table(file: File, lines: Sequence[str]) -> Recognised | None:
    """Tell whether lines are those of a table with a header, whatever the file is called.

    Raises
    ------
    InputError
        If it is a table that cannot be read: what stands above its header, or is missing.
    """
    found = _header(lines, {})
    mark = "" if found is None or len(lines) < 2 else found.delimiter
    if mark and len({len(cells(line, mark)) for line in lines}) == 1:
        return found
    return _unclear_table(file, lines, {})


def names(found: Recognised, lines: Sequence[str]) -> list[str]:
    """Return the names of a table's columns, as its first lines tell them."""
    if found.delimiter:
        return cells(lines[0], found.delimiter)
    if found.form != "JSON lines":
        return []
    return list(
        dict.fromkeys(key for line in lines if _is_object(line) for key in json.loads(line))
    )


def roles_of(header: Sequence[str], given: Mapping[str, str]) -> Mapping[str, str]:
    """Tell which roles the columns of a header play."""
    mapped = {role: column for role, column in given.items() if column in header}
    try:
        return roles.assign(header, mapped)
    except UsageError:
        return {"item": "?"}  # two candidates: the table reader explains


def trec(lines: Sequence[str]) -> Recognised | None:
    """Tell runs and judgments by the shape of most lines; a list of phrases is neither."""
    if _is_parted(lines):
        return None
    rows = [line.split() for line in lines]
    seconds = {row[1] for row in rows if len(row) > 1}
    marked = len(seconds) == 1 and len(rows) > 2  # all lines say the same in the second field
    aspects = {
        row[1] for row in rows if len(row) == 4 and _is_number(row[1]) and _is_number(row[2])
    }
    for form, fits in (("TREC run", _is_run), ("TREC qrels", _is_qrels)):
        fitting = [row for row in rows if fits(row, marked)]
        if form == "TREC qrels" and len(aspects) > 1:  # columns of numbers, not items
            continue
        if fitting and len(fitting) * 2 >= len(rows):
            share = f"{len(fitting)} of the first {len(rows)} lines"
            return Recognised(form, f"{share} read as {_shape(form, fitting)}")
    return None


def _is_parted(lines: Sequence[str]) -> bool:
    """Tell a table with a header: one word but for marks that part cells, as in all other lines."""
    if len(lines) < 2 or len(lines[0].split()) > 3:
        return False
    for delimiter in (",", ";", "|"):
        header = cells(lines[0], delimiter)
        if len(header) > 1 and all(header) and not any(map(_is_number, header)):
            return all(len(cells(line, delimiter)) == len(header) for line in lines)
    return False


def _trec(file: File, lines: Sequence[str]) -> Recognised | None:
    """Tell runs and judgments; refuse those with a header, and lines that may be either."""
    found = trec(lines)
    rows = [line.split() for line in lines]
    if found is None:
        return None
    place = {"TREC run": 4, "TREC qrels": 3}[found.form]
    numbers = [len(row) > place and _is_number(row[place]) for row in rows[1:]]
    named = not any(map(_is_number, (rows[0][0], *rows[0][2:])))
    if named and all(numbers) and len(roles_of(rows[0], {})) > 1:
        what = f"the first line is a header: {quote(lines[0])}"
        raise bad(file.name, 1, what, "leave it out: runs and judgments have none")
    short = [row for row in rows if len(row) == 5]
    if found.form == "TREC run" and len(short) * 2 > len(rows) and _may_be_judged(short):
        what = f"lines of five fields, such as {quote(lines[0])}, may be judgments with a field "
        what += "more, or a run with one less"
        fix = f"write judgments as '{_SHAPES['TREC qrels']}', or a run as '{_SHAPES['TREC run']}'"
        raise bad(file.name, 1, what, fix)
    return found


def _may_be_judged(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the fourth of five fields may be a grade: neither scores nor ranks tell a run.

    Ranks are 1, 2, 3 … in every query, or many and none twice; scores have decimals or, falling
    from line to line, are no grades.
    """
    if not all(_GRADE.fullmatch(row[3]) for row in rows):
        return False
    said: dict[str, list[int]] = {}
    for row in rows:
        said.setdefault(row[0], []).append(int(row[3]))
    grades = {grade for some in said.values() for grade in some}
    marked = all(row[1].upper() == "Q0" for row in rows)
    if all(_is_number(row[4]) for row in rows):
        counted = all(some == [*range(1, len(some) + 1)] for some in said.values())
        once = all(len({*some}) == len(some) for some in said.values())
        return not (marked or counted or (once and len(grades) > _GRADES))
    falls = all(a >= b for some in said.values() for a, b in pairwise(some))
    return not (falls and (marked or max(grades) > 2 * _GRADES))


def _shape(form: str, rows: Sequence[Sequence[str]]) -> str:
    """Name the fields that the lines have; say which one is missing in most of them."""
    short = [row for row in rows if len(row) == 5]
    if len(short) * 2 <= len(rows):
        return f"'{_SHAPES[form]}'"
    if sum(_is_number(row[4]) for row in short) * 2 > len(short):
        return "'query Q0 item rank score' (no tag: the file's name stands for it)"
    return "'query Q0 item score tag' (no rank: scores order)"


def _is_trec(fields: Sequence[str]) -> bool:
    return _is_run(fields, False) or _is_qrels(fields, False)


def _is_run(fields: Sequence[str], marked: bool) -> bool:
    """Tell a line of a run: the usual mark is second; where it is not, the rest must fit."""
    if len(fields) == 6:
        if _is_mark(fields[1]) or roles.read_number(fields[1]) == 0:
            return not _is_number(fields[1]) or _is_number(fields[4])
        counted = fields[1].isdigit() and not all(map(_is_number, fields[2:]))
        placed = fields[3] == "-" or fields[3].removesuffix(".0").isdigit()
        return (marked or counted) and placed and _is_number(fields[4])
    if len(fields) != 5 or not (marked or _is_mark(fields[1])):
        return False
    return _is_number(fields[3]) or (fields[3] == "-" and _is_number(fields[4]))


def _is_qrels(fields: Sequence[str], marked: bool) -> bool:
    if len(fields) != 4:
        return False
    if _is_mark(fields[1]):
        return True
    told = _is_number(fields[1]) or (marked and _is_iteration(fields))
    return told and _is_number(fields[3]) and "," not in fields[0]


def _may_judge(lines: Sequence[str]) -> bool:
    """Tell whether lines have as many fields as judgments have, and a number at their ends."""
    rows = [line.split() for line in lines]
    return all(len(row) == 4 and _is_number(row[3]) for row in rows)


def _is_iteration(fields: Sequence[str]) -> bool:
    """Tell the second field of judgments from a word that recurs, as in 'call of duty 4'."""
    named = fields[1].lower() in ("iter", "iteration", "it", "none", "na", "nan", "null")
    return named or len(fields[1]) == 1 or any(map(str.isdigit, fields[1] + fields[2]))


def _is_mark(field: str) -> bool:
    """Tell whether this is what runs and judgments usually carry in their second field."""
    return field.upper() in ("Q0", "0")


def _is_number(text: str) -> bool:
    value = roles.read_number(text)
    return value is not None and value == value


def _unclear_table(file: File, lines: Sequence[str], given: Mapping[str, str]) -> Recognised | None:
    """See whether this is a table after all, whose header is missing, unknown or not first."""
    _check_first(file, lines, given)
    for delimiter, form in _DELIMITERS.items():
        rows = [cells(line, delimiter) for line in lines]
        header, body = rows[0], rows[1:]
        if len(header) < 2 or any(len(row) != len(header) for row in body[:20]):
            continue
        named = file.ending in TABLE_ENDINGS
        if any(map(_is_number, header)):
            if named:
                found = f"no header line; the first line is {quote(lines[0])}"
                fix = f"write one, such as {delimiter.join(_names_for(header))}"
                raise bad(file.name, 1, found, fix)
        elif named or any(_are_numbers(column) for column in zip(*body, strict=False)):
            return Recognised(form, f"header line {', '.join(header)}", delimiter)
    _check_blanks(file, lines)
    _check_frame(file, lines)
    _check_bare(file, lines)
    return None


def _names_for(row: Sequence[str]) -> list[str]:
    """Give as many names of columns as a row has cells.

    Examples
    --------
    >>> _names_for(["q1", "d1", "3.5"]), _names_for(["d1", "1", "0", "1"]), _names_for(["d1", "1"])
    (['query', 'item', 'score'], ['item', 'S1', 'S2', 'S3'], ['item', 'score'])
    """
    if len(row) > 3 and all(map(_is_number, row[1:])):
        return ["item", *(f"S{place}" for place in range(1, len(row)))]
    known = ("query", "system", "item", "score")
    taken = {2: known[2:], 3: ("query", "item", "score")}.get(len(row), known)
    return [*taken, *(f"column{place}" for place in range(len(taken) + 1, len(row) + 1))]


def _check_first(file: File, lines: Sequence[str], given: Mapping[str, str]) -> None:
    """Say so where a header stands below other lines: a title, a comment."""
    for place, line in enumerate(lines[1:_EARLY], start=1):
        for delimiter in _DELIMITERS:
            header, below = cells(line, delimiter), lines[place + 1 : place + 20]
            known = roles_of(header, given)
            enough = len(known) > 1 or ("item" in known and file.ending in TABLE_ENDINGS)
            if (
                enough
                and len(header) > 1
                and not _is_row(header, cells(lines[0], delimiter), given)
                and all(len(cells(b, delimiter)) == len(header) for b in below)
            ):
                found = f"something stands before the header line {quote(line)}"
                raise bad(file.name, 1, found, "begin the file with the header")


def _is_row(row: Sequence[str], first: Sequence[str], given: Mapping[str, str]) -> bool:
    """Tell a row of a table, some cells of which are names that we know, from its header.

    The first line has as many cells, all of them filled, and names too; or the row holds a number.
    """
    if len(first) != len(row) or not all(first) or any(map(_is_number, first)):
        return False
    return any(map(_is_number, row)) or len(roles_of(first, given)) > 0


def _are_numbers(column: Sequence[str]) -> bool:
    return len(column) > 0 and all(map(_is_number, column))


def _check_blanks(file: File, lines: Sequence[str]) -> None:
    header = lines[0].split()
    same = all(len(line.split()) == len(header) for line in lines)
    if same and len(header) > 2 and len(lines) > 1 and len(roles_of(header, {})) == len(header):
        found = f"cells are parted by blanks under the header {quote(lines[0])}"
        raise bad(file.name, 1, found, "part them by commas or tabs")


def _check_frame(file: File, lines: Sequence[str]) -> None:
    """Refuse a frame as pandas or R prints it: the header has no name for rows, or is quoted."""
    header, *body = (_QUOTED.findall(line) for line in lines)
    numbers = [row[0].strip('"') for row in body]
    numbered = any(numbers == [str(n + first) for n in range(len(body))] for first in (0, 1))
    even = lines[0][0] == " " and len({len(line) for line in lines}) == 1
    quoted = len(header) > 1 and all(len(cell) > 1 and cell[0] == '"' for cell in header)
    more = {len(row) - len(header) for row in body}
    if len(body) > 1 and ((more == {1} and (numbered or even)) or (quoted and more in ({0}, {1}))):
        found = f"a printed frame: cells are parted by blanks under the header {quote(lines[0])}"
        raise bad(file.name, 1, found, "write it as CSV: to_csv in pandas, write.csv in R")


def _check_bare(file: File, lines: Sequence[str]) -> None:
    """Say so where most lines read as judgments or a run, but for a header or the right fields."""
    for delimiter in (None, *_DELIMITERS):
        rows = [line.split() if delimiter is None else cells(line, delimiter) for line in lines]
        for shape, (fits, fix) in _BARE.items():
            count = sum(fits(row) and _are_ids(row, delimiter) for row in rows)
            if count * 2 <= len(rows) or (delimiter is None and shape != _TRIPLE):
                continue
            mark = delimiter or ","
            found = f"{count} of the first {len(rows)} lines read as '{shape}'"
            found += "" if delimiter is None else f" parted by {quote(delimiter)}"
            header = mark.join(("query", "item", "relevant"))
            listed = "for a list of such phrases, make the first line 'item' and quote the others"
            raise bad(file.name, 1, found, f"{fix.format(header=quote(header))}; {listed}")


def _are_ids(row: Sequence[str], delimiter: str | None) -> bool:
    """Tell ids from the words of a phrase: no blanks inside and, where blanks part, a digit."""
    if delimiter is not None:
        return all(len(cell.split()) == 1 for cell in row)
    return any(letter.isdigit() for letter in row[0] + row[1])


def _is_triple(fields: Sequence[str]) -> bool:
    """Tell whether a line may be a query, an item and a grade or score; a year is neither."""
    if len(fields) != 3 or not _is_number(fields[2]):
        return False
    return not fields[2].isdigit() or len(fields[2]) < 4


_TRIPLE = "query item number"
#: What lines without a header may be, how they are told, and what to do.
_BARE: dict[str, tuple[Callable[[Sequence[str]], bool], str]] = {
    _TRIPLE: (
        _is_triple,
        "add a header line such as {header} and part cells as it does, or write four fields: "
        "'query 0 item grade'",
    ),
    _SHAPES["TREC qrels"]: (
        lambda row: _is_qrels(row, False),
        "part the fields by blanks, or leave the second out and add a header line such as {header}",
    ),
    _SHAPES["TREC run"]: (lambda row: _is_run(row, False), "part the fields by blanks"),
}
