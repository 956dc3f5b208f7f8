"""Columns that have no role: comments, or answers that somebody gave in them.

A table may hold columns whose names say nothing. A column of comments, times or addresses is left
out, and a note says so; a column of answers must not be. These are the signs that tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import Codes
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
        *("year", "month", "day", "age", "country", "gender"),
    )
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
    return plain(column) in _BESIDE


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
