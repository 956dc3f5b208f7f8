"""Columns that have no role: comments, or answers that somebody gave in them.

A table may hold columns whose names say nothing. A column of comments, times or addresses is left
out, and a note says so; a column of answers must not be. These are the signs that tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import Codes
from consilience.errors import InputError, Problem, UsageError
from consilience.formats import roles as r
from consilience.formats.cells import strings
from consilience.formats.links import plain

if TYPE_CHECKING:
    from consilience.formats.cells import Sheet

#: Names of columns that stand beside answers and hold none.
_BESIDE = frozenset(
    (
        *("comment", "comments", "note", "notes", "remark", "remarks", "reason", "rationale"),
        *("explanation", "description", "title", "url", "link", "file", "filename", "path"),
        *("date", "time", "timestamp", "created", "created_at", "updated_at", "start", "end"),
        *("started_at", "finished_at", "duration", "seconds", "batch", "hit", "hit_id", "task_id"),
        *("language", "lang", "split", "fold", "version", "row", "index", "nr", "no", "number"),
        *("year", "month", "day", "age", "country", "gender", "length", "priority", "weight"),
    )
)
#: Names of what is said of a row alone, wherever it was found.
_OF_A_ROW = _BESIDE - {
    *("title", "url", "link", "file", "filename", "path", "batch", "hit", "hit_id", "task_id"),
} | {
    *("ele", "elevation", "alt", "altitude", "height", "depth", "speed", "heading", "course"),
    *("bearing", "hr", "heart_rate", "cadence", "power", "accuracy", "sat", "satellites"),
    *("hour", "minute", "second", "epoch", "temp", "temperature", "fix", "color", "colour"),
}
_YES_OR_NO = {"0", "1", "yes", "no", "y", "n", "t", "f", "true", "false"}
#: Names of what is computed of answers, or said of all of them: nobody's answer.
_DERIVED = frozenset(
    (
        *("mean", "median", "average", "avg", "majority", "agreed", "unanimous", "skipped"),
        *("is_train", "is_test", "is_dup", "is_duplicate", "is_valid", "fold", "split"),
        *("consensus", "final", "adjudicated", "majority_vote", "n_tokens", "n_words", "n_chars"),
        *("len", "hour", "difficulty", "price", "time_spent", "lead_time"),
    )
)
#: Names that say as much in one of their parts.
_ABOUT = re.compile(
    r"(?:duration|lang|num|length|comment|note|remark)_.+|"
    r".+_(?:conf|confidence|certainty|duration|seconds|time|number|index|no|comment|note|remark)"
)
#: What the index of a frame is called that was stored without a name.
INDEX = "(index)"
#: Names of columns of ids.
_ID = re.compile(r"(?:^|[_\s-])id$|[a-z]I[dD]$|^I[dD]$")
#: Ids of rows, and of what they hold.
_OF_ROWS = re.compile(
    r"(?:(?:event|segment|seg|annotation|ann|box|object|obj|instance|row|label|class|category|"
    r"speaker|entity|span|token|track|u|uu)_?)?id"
)
#: Longer answers than this, or of more words, are rather sentences.
_LONG, _WORDS = 40, 4
#: Fewer cells than this need not say anything twice.
_FEW = 8
#: So many rows tell what a column holds.
_SAMPLE = 10_000


def stands_beside(column: str) -> bool:
    """Tell by its name that a column holds no answers.

    Examples
    --------
    >>> stands_beside("Comment"), stands_beside("ann")
    (True, False)
    """
    return plain(column) in _BESIDE or is_derived(column)


def is_derived(column: str) -> bool:
    """Tell by its name that a column is nobody's answer, whatever it holds.

    Examples
    --------
    >>> is_derived("ann_conf"), is_derived("majority"), is_derived("ann")
    (True, True, False)
    """
    name = plain(column)
    return name in _DERIVED or _ABOUT.fullmatch(name) is not None


def counted(cells: Codes) -> dict[str, int]:
    """Count the cells of a column by what they say; blanks around it are taken off.

    Examples
    --------
    >>> counted(Codes.of(["cat", " cat", "dog"]))
    {'cat': 2, 'dog': 1}
    """
    count = np.bincount(cells.code, minlength=len(cells.names)).tolist()
    found: dict[str, int] = {}
    for name, number in zip(cells.names, count, strict=True):
        if number:
            found[name.strip()] = found.get(name.strip(), 0) + number
    return found


def is_prose(said: Mapping[str, int]) -> bool:
    """Tell whether most cells of a column are sentences.

    Examples
    --------
    >>> is_prose({"cat": 2, "dog": 1}), is_prose({"one cannot see much here": 1, "cat": 1})
    (False, True)
    """
    long = [n for word, n in said.items() if len(word) > _LONG or len(word.split()) > _WORDS]
    return 2 * sum(long) >= sum(said.values()) > 0


def recur(said: Mapping[str, int]) -> bool:
    """Tell whether a column says the same things again and again, as labels do and names do not.

    Examples
    --------
    >>> recur({"cat": 2, "dog": 2}), recur({"i1": 1, "i2": 1, "i3": 1})
    (True, False)
    """
    return 2 * len(said) <= sum(said.values())


def may_recur(said: Mapping[str, int]) -> bool:
    """Tell whether cells are too few to recur, and do not look like names of things.

    Examples
    --------
    >>> may_recur({"low": 1, "high": 1}), may_recur({"k17": 1, "k18": 1})
    (True, False)
    """
    plainly = all(len(word.split()) < 3 and not re.search(r"\d", word) for word in said)
    return sum(said.values()) < _FEW and plainly


def may_name(sheet: Sheet, columns: Iterable[str]) -> tuple[str, ...]:
    """Name those of some columns that may say who answered, the likeliest first.

    Such a column says few things, each of them often, or the table is small; it is text, or holds
    whole numbers.
    """
    import pyarrow as pa

    found: list[tuple[bool, int, str]] = []
    first = sheet.table.slice(0, _SAMPLE)
    for column in columns:
        kind = first[column].type
        if stands_beside(column) or pa.types.is_nested(kind) or pa.types.is_floating(kind):
            continue
        said = counted(Codes.of_arrow(strings(sheet, column).slice(0, _SAMPLE)))
        said.pop("", None)
        if len(said) < 2 or is_prose(said) or not (recur(said) or first.num_rows <= 10):
            continue
        figures = sum(_is_figure(word) for word in said)
        if any("." in word and _is_figure(word) for word in said):
            continue
        found.append((2 * figures > len(said), len(found), column))
    return tuple(column for *_, column in sorted(found))


def _is_figure(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def is_it(columns: Sequence[str], what: str = "annotator") -> str:
    """Ask whether a column says who answered, and tell how to map it.

    Examples
    --------
    >>> is_it(["who", "lang"])
    "is 'who' (or 'lang') the annotator? --columns respondent=who"
    """
    others = f" (or {', '.join(map(repr, columns[1:4]))})" if columns[1:] else ""
    return f"is {columns[0]!r}{others} the {what}? --columns respondent={columns[0]}"


def missing(words: Mapping[str, int]) -> str:
    """Say how many answers are missing, and by which words.

    Examples
    --------
    >>> missing({"cannot tell": 10, "": 1}), missing({"?": 1})
    ('11 answers are missing (cannot tell, empty)', '1 answer is missing (?)')
    """
    count = sum(words.values())
    told = ", ".join(list(dict.fromkeys(word or "empty" for word in words))[:4])
    return f"{count:,} {'answer is' if count == 1 else 'answers are'} missing ({told})"


def with_items(sheet: Sheet, columns: Mapping[str, str]) -> tuple[Sheet, Mapping[str, str]]:
    """Find the items where no name of a column tells them: a column of ids, or a frame's index.

    Returns
    -------
    tuple
        The table, without an index that is not needed, and the mapping with that of the items.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> sheet = of_columns({"PassengerId": [7, 8], "Survived": [1, 0]}, name="x")
    >>> with_items(sheet, {})[1]
    {'item': 'PassengerId'}
    """
    names = sheet.table.column_names
    try:
        known = r.assign(names, {role: name for role, name in columns.items() if name in names})
    except UsageError:
        known = {"item": "?"}  # the reader of tables explains
    if "item" in known or "item" in columns or len({*names}) < len(names):
        kept = [n for n, name in enumerate(names) if name != INDEX or known.get("item") == INDEX]
        fewer = sheet if len(kept) == len(names) else replace(sheet, table=sheet.table.select(kept))
        return fewer, columns
    found = [INDEX] if INDEX in names else [n for n in names if _is_id(n) and not r.is_maybe(n)]
    found = [name for name in found if name not in known.values()]
    if len(found) != 1 or not _is_unique(sheet, found[0]):
        return sheet, columns
    note = f"no column is called item: the items are those in column {found[0]}"
    return replace(sheet, notes=(*sheet.notes, note)), {**columns, "item": found[0]}


def _is_id(column: str) -> bool:
    return column in ("index", "Index") or bool(_ID.search(column.strip()))


def _is_unique(sheet: Sheet, column: str) -> bool:
    import pyarrow as pa

    if pa.types.is_nested(sheet.table[column].type):
        return False
    return bool(len(Codes.of_arrow(strings(sheet, column)).names) == sheet.table.num_rows)


def check_apart(
    sheet: Sheet, keys: Sequence[Hashable], rows: Iterable[int], unused: Iterable[str]
) -> None:
    """Refuse rows that would be one answer, where an unused column of ids tells them apart.

    Parameters
    ----------
    sheet
        The table.
    keys, rows
        What makes a row an answer of its own, and the number of the row, of every answer.
    unused
        The columns that are not used.
    """
    named = [name for name in unused if is_place(name)]
    if not named or len({*keys}) == len(keys):
        return
    places = [*rows]
    for name in named:
        cells = strings(sheet, name).to_pylist()
        first: dict[Hashable, str] = {}
        for key, row in zip(keys, places, strict=True):
            if first.setdefault(key, cells[row]) != cells[row]:
                raise InputError([sheet.problem(row, *same_but_for(name))])


def check_pooled(sheet: Sheet, used: Iterable[str], role: str) -> None:
    """Refuse a table whose rows would be pooled, where an unused column may say where they were.

    Parameters
    ----------
    sheet
        The table, in which no column says where something was found.
    used
        The columns that are used.
    role
        What such a column would be: ``image`` or ``track``, or ``query``, which the user may map.
    """
    for name in sheet.table.column_names:
        if name in used or not may_part(sheet, name, rarely=role == "image"):
            continue
        if role == "track":
            found, fix = f"{name!r} is not used, and may name the tracks", f"call it {role}"
        else:
            found = f"{name!r} is not used, and may say where something was found"
            fix = f"call it {role}" if role == "image" else f"--columns query={name}"
        raise InputError([Problem(sheet.name, sheet.header, found, f"{fix}; or leave it out")])


def may_part(sheet: Sheet, column: str, *, rarely: bool = False) -> bool:
    """Tell whether a column may part rows that belong to different things.

    Its name is that of an id; or it says the same again and again (``rarely``: or not) in words, or
    in whole numbers of which each stands in rows on end.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> sheet = of_columns({"claim": list("aabb"), "word": list("abcd")}, name="x")
    >>> may_part(sheet, "claim"), may_part(sheet, "word")
    (True, False)
    """
    import pyarrow as pa

    name, kind = plain(column), sheet.table[column].type
    if name in _OF_A_ROW or _OF_ROWS.fullmatch(name) or is_derived(column) or column == INDEX:
        return False
    if pa.types.is_nested(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return False
    cells = Codes.of_arrow(strings(sheet, column))
    said = {word: count for word, count in counted(cells).items() if word}
    if len(said) < 2 or {*map(str.lower, said)} <= _YES_OR_NO:
        return False
    if is_place(column):
        return True
    if any(map(_is_figure, said)):
        runs = 1 + int(np.count_nonzero(np.diff(cells.code)))
        return all(map(str.isdigit, said)) and recur(said) and runs <= len(said)
    return not is_prose(said) and (rarely or recur(said))


def same_but_for(column: str) -> tuple[str, str]:
    """Return what is wrong where an unused column tells rows apart, and how to mend it."""
    found = f"rows that are the same but for {column!r}, which is not used"
    fix = f"if it says where an item was found, --columns query={column}; if not, leave it out"
    return found, fix


def is_place(column: str) -> bool:
    """Tell whether the name of a column is that of an id, or of a part of a document."""
    inside = ("sentence", "sent", "paragraph", "page", "utterance", "turn", "line", "document")
    return (_is_id(column) and not stands_beside(column)) or plain(column) in inside


def without_lesser(sheet: Sheet, roles: dict[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Take a lesser name of people back where every item stands once.

    People who answered the same items make several rows of each. Where an item has one row,
    ``expert`` is a voter of a wide table, and ``username`` says something of the item.
    """
    column = roles.get("respondent")
    if column is None or column in given.values() or not r.is_maybe(column) or "item" not in roles:
        return roles
    keys = [roles[role] for role in ("query", "item") if role in roles]
    different = len({*zip(*(sheet.table[key].to_pylist() for key in keys), strict=True)})
    if different < sheet.table.num_rows:
        return roles
    return {role: name for role, name in roles.items() if role != "respondent"}
