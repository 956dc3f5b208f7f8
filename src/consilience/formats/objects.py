"""What Python users hold: frames, dicts of runs, dicts of columns, arrays of votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from consilience.columns import Codes, Text
from consilience.errors import UsageError, quote
from consilience.formats import sheets, table
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source

_FORMS = (
    "a frame (pandas, polars, pyarrow), {column: values}, {query: {item: score}}, "
    "{query: [item, …]}, {system: any of these}, or a 2-D array (items × systems)"
)


def read(data: Any, *, name: str, kind: Kind, columns: Mapping[str, str]) -> list[Rows]:
    """Read an object; a dict of respondents gives one table for each.

    Examples
    --------
    >>> runs = {"bm25": {"q1": {"d1": 2.5, "d2": 1.0}}, "tfidf": {"q1": ["d2", "d1"]}}
    >>> [(rows.respondent.names, len(rows)) for rows in read(runs, name="", kind="system", columns={})]
    [(('bm25',), 2), (('tfidf',), 2)]
    """
    if isinstance(data, Rows):
        return [data]
    if isinstance(data, np.ndarray):
        return [_array(data, name=name, kind=kind)]
    if not isinstance(data, Mapping):
        return _frame(data, name=name, kind=kind, columns=columns)
    if not data:
        raise UsageError(f"{name or 'the dict'} is empty (fix: give {_FORMS})")
    if all(_is_column(values) for values in data.values()) and _names_item(data, columns):
        return table.read(sheets.of_columns(data, name=name), kind=kind, columns=columns)
    if all(_is_list(values) for values in data.values()):
        return [_lists(data, name=name, kind=kind)]
    rows: list[Rows] = []
    for respondent, answers in data.items():
        rows += read(answers, name=str(respondent), kind=kind, columns=columns)
    return rows


def _frame(data: Any, *, name: str, kind: Kind, columns: Mapping[str, str]) -> list[Rows]:
    try:
        sheet = sheets.of_frame(data, name=name)
    except TypeError:
        raise UsageError(
            f"cannot read answers from {type(data).__name__} {quote(data)} (fix: give {_FORMS})"
        ) from None
    return table.read(sheet, kind=kind, columns=columns)


def _is_column(values: object) -> bool:
    return isinstance(values, (Sequence, np.ndarray)) and not isinstance(values, (str, bytes))


def _names_item(data: Mapping[Any, Any], columns: Mapping[str, str]) -> bool:
    from consilience.formats import roles

    names = [key for key in data if isinstance(key, str)]
    try:
        return "item" in roles.assign(names, {r: c for r, c in columns.items() if c in names})
    except UsageError:
        return True


def _is_list(values: object) -> bool:
    """Tell whether this is one query's answer: items, or items with numbers."""
    if isinstance(values, Mapping):
        return all(isinstance(v, (int, float, np.number, bool)) or v is None for v in values.values())
    return isinstance(values, (list, tuple, set, frozenset)) and all(
        isinstance(v, (str, int)) for v in values
    )


def _lists(data: Mapping[Any, Any], *, name: str, kind: Kind) -> Rows:
    """Read {query: {item: number}} or {query: items}; for judges the number is a grade."""
    query: list[str] = []
    item: list[str] = []
    number: list[float] = []
    rank: list[int] = []
    plain = not any(isinstance(answers, Mapping) for answers in data.values())
    ordered = plain and not any(isinstance(answers, (set, frozenset)) for answers in data.values())
    for key, answers in data.items():
        if isinstance(answers, Mapping) == plain:
            raise UsageError(
                f"{name}: query {quote(key)} is given as {type(answers).__name__}, others are not "
                "(fix: use the same form for all queries)"
            )
        for position, entry in enumerate(answers, start=1):
            query.append(str(key))
            item.append(str(entry))
            rank.append(position)
            value = None if plain else answers[entry]
            number.append(np.nan if value is None else float(value))
    judge = kind != "system"
    values = np.array(number, np.float64)
    if not plain and not judge and np.isnan(values).any():
        where = int(np.isnan(values).argmax())
        raise UsageError(
            f"{name}: query {quote(query[where])}, item {quote(item[where])}: the score is missing "
            "(fix: give every item a number)"
        )
    return Rows(
        Source(name, "dict of lists" if plain else "dict of numbers", "Python dict", len(item)),
        Codes.of(query),
        Codes.constant(name, len(item)),
        Text.of(item),
        kind=(kind,),
        family=(None,),
        silence="no" if plain or not judge else "unknown",
        score=None if plain or judge else values,
        grade=values if judge and not plain else None,
        rank=np.array(rank, np.int64) if ordered and not judge else None,
        asked=tuple((name, str(key)) for key in data),
    )


def _array(data: np.ndarray[Any, Any], *, name: str, kind: Kind) -> Rows:
    """Read a matrix of votes: one row an item, one column a respondent, NaN is unknown."""
    if data.ndim != 2:
        raise UsageError(f"{name}: a {data.ndim}-D array is not votes (fix: items × systems)")
    votes = np.asarray(data, np.float64)
    if not bool(((votes >= 0) & (votes <= 1) | np.isnan(votes)).all()):
        raise UsageError(f"{name}: votes must be from 0 to 1, NaN for unknown (fix: rescale them)")
    items, count = votes.shape
    names = tuple(f"S{column + 1}" for column in range(count))
    return Rows(
        Source(name, "array of votes", f"{items} items × {count} respondents", items),
        Codes.constant(ONLY_QUERY, items * count),
        Codes(np.repeat(np.arange(count, dtype=np.int32), items), names),
        Text.of(f"{row + 1}" for _ in range(count) for row in range(items)),
        kind=(kind,) * count,
        family=(None,) * count,
        silence="unknown",
        vote=votes.T.ravel().copy(),
    )
