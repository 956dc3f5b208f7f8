"""What Python users hold: frames, dicts of runs, dicts of columns, records, arrays of votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes, Text
from consilience.errors import UsageError, bad, quote
from consilience.formats import sheets, table
from consilience.formats.answer_kinds import AnswerKind
from consilience.formats.exports import exported, settled
from consilience.formats.refused import are_measures
from consilience.formats.roles import has_query, is_item
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source
from consilience.formats.sheets import text_of
from consilience.given import float_of

if TYPE_CHECKING:
    from consilience.formats.cells import Sheet

_FORMS = (
    "a frame (pandas, polars, pyarrow), {column: values}, {query: {item: score}}, "
    "{query: [item, …]}, {system: any of these}, or a 2-D array (items × systems)"
)
_NUMBERS = (int, float, np.number, bool, np.bool_)
_NAMES = (str, int, np.integer, np.str_)


def read(
    data: Any,
    *,
    name: str,
    kind: Kind,
    columns: Mapping[str, str],
    labels: bool = False,
    answers: AnswerKind | None = None,
    inside: bool = False,
) -> list[Rows]:
    """Read an object; a dict of respondents gives one table for each.

    Parameters
    ----------
    data
        The object.
    name
        What its respondent is called, where the object does not say.
    kind
        What its respondents are.
    columns
        Role → column, where names do not say it.
    labels
        Whether everybody is an annotator whose labels may be text.
    answers
        The kind of answers that the user named.
    inside
        Whether this is one respondent's part of a dict.

    Examples
    --------
    >>> runs = {"bm25": {"q1": {"d1": 2.5, "d2": 1.0}}, "tfidf": {"q1": ["d2", "d1"]}}
    >>> [
    ...     (rows.respondent.names, len(rows))
    ...     for rows in read(runs, name="", kind="system", columns={})
    ... ]
    [(('bm25',), 2), (('tfidf',), 2)]
    """
    if isinstance(data, Rows):
        return [data]
    if _is_matrix(data):
        return [_array(data, name=name, kind=kind)]
    export = exported(data)
    if export is not None:
        data = settled(export, columns).rows
    if isinstance(data, Sequence) and data and all(isinstance(row, Mapping) for row in data):
        names = dict.fromkeys(key for row in data for key in row)
        data = {key: [row.get(key) for row in data] for key in names}
    if isinstance(data, np.ndarray):
        data = {field: data[field] for field in data.dtype.names or ()}
    if not isinstance(data, Mapping):
        return _frame(data, name, kind=kind, columns=columns, labels=labels, answers=answers)
    if not data:
        raise UsageError(f"{name or 'the dict'} is empty (fix: give {_FORMS})")
    if not inside and _is_frame(data):
        raise UsageError(
            f"{name}: this is a frame as pandas' to_json or to_dict writes it, cells by row (fix: "
            "write it with orient='records', or as CSV; in Python, give the frame itself)"
        )
    if answers == "votes" and not inside and _are_votes(data):
        items = list(next(iter(data.values())))
        data = {"item": items, **{who: [*said.values()] for who, said in data.items()}}
    if all(_is_column(values) for values in data.values()) and _names_item(data, columns):
        sheet = sheets.of_columns(data, name=name)
        return table.read(sheet, kind=kind, columns=columns, labels=labels, answers=answers)
    if all(_is_list(values) for values in data.values()):
        if not inside and not labels:
            _check_lists(data, name=name)
        return [_lists(data, name=name, kind=kind)]
    if not inside and all(map(_are_records, data.values())):
        _check_records(data, name=name)
    if not inside and kind == "system" and answers != "lists" and _are_deep_votes(data):
        if answers != "votes":
            raise UsageError(
                f"{name}: the numbers of these lists are 0 and 1: scores, or votes (fix: say "
                "which: --answers lists, or --answers votes; in Python answer_kind='lists')"
            )
        return table.read(_voted(data, name), kind=kind, columns={}, answers=answers)
    if inside:
        deep = all(map(_is_nested, data.values()))
        found = "nested too deeply" if deep else "nested less deeply than the others"
        raise UsageError(f"{name}: {found} (fix: give {_FORMS})")
    _check_leaves(data)
    rows: list[Rows] = []
    how: dict[str, Any] = {"columns": columns, "labels": labels, "answers": answers}
    for respondent, said in data.items():
        rows += read(said, name=text_of(respondent), kind=kind, inside=True, **how)
    return rows


def _is_frame(data: Mapping[Any, Any]) -> bool:
    """Check whether a dict of dicts is a table: all hold the same keys, which count, or words.

    Examples
    --------
    >>> _is_frame({"gold": {"0": 1, "1": 0}, "tree": {"0": 1, "1": 1}})
    True
    >>> _is_frame({"0": {"item": "d1", "score": 1.5}, "1": {"item": "d2", "score": 0.5}})
    True
    >>> _is_frame({"q1": {"d1": 2.5, "d2": 1.0}, "q2": {"d1": 0.5, "d2": 1.5}})
    False
    """
    parts = list(data.values())
    if len(parts) < 2 or not all(isinstance(part, Mapping) and len(part) for part in parts):
        return False
    keys = [[text_of(key) for key in part] for part in parts]
    cells = [cell for part in parts for cell in part.values()]
    if any(one != keys[0] for one in keys) or any(map(_is_nested, cells)):
        return False
    counted = keys[0] == [str(place) for place in range(len(keys[0]))] and len(keys[0]) > 1
    worded = any(isinstance(cell, str) for cell in cells)
    return worded or counted or any(map(is_item, keys[0]))


def check_votes(data: Any, *, name: str, kind: Kind) -> None:
    """Refuse answers that may be votes or lists, where nobody said which.

    Examples
    --------
    >>> check_votes({"q1": {"d1": 1}, "q2": {"d2": 1}}, name="a.json", kind="system")
    >>> said = {"S1": {"d1": 1, "d2": 0}, "S2": {"d1": 0, "d2": 0}}
    >>> check_votes(said, name="a.json", kind="system")
    Traceback (most recent call last):
    consilience.errors.UsageError: a.json: this may be {query: {item: score}} or ...
    """
    if kind != "gold" and isinstance(data, Mapping) and _are_votes(data):
        raise UsageError(
            f"{name}: this may be {{query: {{item: score}}}} or {{system: {{item: vote}}}} "
            "(fix: say which: --answers lists, or --answers votes; in Python answer_kind='lists')"
        )


def _are_votes(data: Mapping[Any, Any]) -> bool:
    """Check whether a dict of dicts may be a table of votes: all hold 0 or 1 for the same items."""
    parts = list(data.values())
    if len(parts) < 2 or not all(isinstance(part, Mapping) and len(part) > 1 for part in parts):
        return False
    cells = [cell for part in parts for cell in part.values()]
    if not all(_is_number(cell) for cell in cells) or any(
        list(part) != list(parts[0]) for part in parts
    ):
        return False
    said = {float(cell) for cell in cells if cell is not None}
    return said == {0.0, 1.0}


def _are_deep_votes(data: Mapping[Any, Any]) -> bool:
    """Check whether this is {system: {query: {item: 0 or 1}}}: scores of lists, or votes.

    Examples
    --------
    >>> _are_deep_votes({"A": {"q": {"d1": 1, "d2": 0}}}), _are_deep_votes({"A": {"q": {"d1": 1}}})
    (True, False)
    """
    cells: list[Any] = []
    for part in data.values():
        if not isinstance(part, Mapping) or not all(isinstance(q, Mapping) for q in part.values()):
            return False
        cells += [cell for query in part.values() for cell in query.values()]
    if not all(_is_number(cell) and cell is not None for cell in cells):
        return False
    return {*cells} == {0, 1}


def _voted(data: Mapping[Any, Any], name: str) -> Sheet:
    """Return the votes of {system: {query: {item: vote}}} as a table."""
    rows = [
        (query, who, item, vote)
        for who, part in data.items()
        for query, said in part.items()
        for item, vote in said.items()
    ]
    columns = zip(("query", "system", "item", "vote"), zip(*rows, strict=True), strict=True)
    return sheets.of_columns({column: [*cells] for column, cells in columns}, name=name)


def _check_lists(data: Mapping[Any, Any], *, name: str) -> None:
    """Refuse columns of a table that names no items, and measures of systems or queries.

    Examples
    --------
    >>> _check_lists({"q1": ["d1", "d2"], "q2": ["d2", "d1"]}, name="a.json")
    >>> _check_lists({"A": [1, 0, 1], "B": [0, 1, 1]}, name="a.json")
    Traceback (most recent call last):
    consilience.errors.UsageError: a.json: these are columns, and none of them holds the items: ...
    """
    parts = list(data.values())
    lists = [part for part in parts if isinstance(part, (list, tuple))]
    even = len(lists) == len(parts) > 1 and len({len(part) for part in lists}) == 1
    if even and any(len({text_of(one) for one in part}) < len(part) for part in lists):
        raise UsageError(
            f"{name}: these are columns, and none of them holds the items: a list of items says "
            "each once (fix: add a column called item)"
        )
    for part in lists:
        if len(part) > 2 and {text_of(one) for one in part} <= {"0", "1", "True", "False"}:
            raise UsageError(
                f"{name}: these are votes or labels, not items: a list of items says each once "
                "(fix: give {item: vote} with --answers votes; in Python answer_kind='votes')"
            )
    keys = {text_of(key) for part in parts if isinstance(part, Mapping) for key in part}
    if are_measures(keys):
        raise UsageError(
            f"{name}: these are measures ({', '.join(sorted(keys)[:3])}), not items: outcomes, "
            "which are not compared yet (fix: give what the systems answered)"
        )


def _are_records(data: object) -> bool:
    return isinstance(data, (list, tuple)) and all(isinstance(row, Mapping) for row in data)


def _check_records(data: Mapping[Any, Any], *, name: str) -> None:
    """Refuse lists of rows that do not say whether their keys are queries or systems."""
    names = [text_of(key) for rows in data.values() for row in rows[:1] for key in row]
    if names and not has_query(names):
        raise UsageError(
            f"{name}: {quote(next(iter(data)))} may be a query or a system (fix: write rows that "
            "have a query, or {query: {item: score}})"
        )


def _check_leaves(data: Mapping[Any, Any]) -> None:
    for key, value in data.items():
        found = _misfit(value) if isinstance(value, Mapping) else None
        if found:
            raise UsageError(f"{text_of(key)}: {found} (fix: give {_FORMS})")


def _misfit(data: Mapping[Any, Any]) -> str | None:
    """Find what keeps a dict from being one respondent's answers: a value that is no number.

    Examples
    --------
    >>> _misfit({"d1": 1.5, "d2": "x"})
    "'d2': expected a number, found 'x'"
    >>> _misfit({"q1": {"d1": 1.5, "d2": "x"}})
    "'q1', 'd2': expected a number, found 'x'"
    """
    flat = {key: value for key, value in data.items() if not _is_nested(value)}
    if flat and len(flat) < len(data):
        one, other = next(iter(flat)), next(key for key in data if key not in flat)
        return f"{quote(one)} holds a single value, {quote(other)} holds several"
    for key, value in data.items():
        if isinstance(value, Mapping):
            found = None if _is_list(value) else _misfit(value)
            if found:
                return f"{quote(key)}, {found}"
        elif key in flat and not _is_number(value):
            return f"{quote(key)}: expected a number, found {quote(value)}"
    return None


def _is_nested(value: object) -> bool:
    return isinstance(value, Mapping) or _is_column(value) or isinstance(value, (set, frozenset))


def _is_number(value: object) -> bool:
    return isinstance(value, _NUMBERS) or value is None


def _is_matrix(data: Any) -> bool:
    if isinstance(data, np.ndarray):
        return data.dtype.names is None
    return (
        isinstance(data, (list, tuple))
        and len(data) > 0
        and all(isinstance(row, (list, tuple)) or _is_column(row) for row in data)
        and all(_is_number(vote) for row in data for vote in row)
    )


def _frame(data: Any, name: str, **how: Any) -> list[Rows]:
    try:
        sheet = sheets.of_frame(data, name=name)
    except TypeError:
        said = type(data).__name__
        raise UsageError(
            f"{name}: cannot read answers from {said} {quote(data)} (fix: give {_FORMS})"
        ) from None
    return table.read(sheet, **how)


def _is_column(values: object) -> bool:
    if isinstance(values, np.ndarray):
        return values.ndim == 1
    return isinstance(values, Sequence) and not isinstance(values, (str, bytes))


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
        return all(_is_number(value) for value in values.values())
    if isinstance(values, np.ndarray):
        return values.ndim == 1
    return isinstance(values, (list, tuple, set, frozenset)) and all(
        isinstance(value, _NAMES) for value in values
    )


def _lists(data: Mapping[Any, Any], *, name: str, kind: Kind) -> Rows:
    """Read {query: {item: number}} or {query: items}; for judges the number is a grade."""
    plain = not any(isinstance(answers, Mapping) for answers in data.values())
    ordered = plain and not any(isinstance(answers, (set, frozenset)) for answers in data.values())
    for key, answers in data.items():
        if isinstance(answers, Mapping) == plain:
            raise UsageError(
                f"{name}: query {quote(key)} is given as {type(answers).__name__}, others are not "
                "(fix: use the same form for all queries)"
            )
    rows = [row for key, answers in data.items() for row in _entries(key, answers)]
    query, item = [row[0] for row in rows], [row[1] for row in rows]
    _check_names(name, [*map(text_of, data), *item])
    values = np.array([row[3] for row in rows], np.float64)
    judge = kind != "system"
    if not plain:
        _check_numbers(name, rows, values, judge=judge)
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
        rank=np.array([row[2] for row in rows], np.int64) if ordered and not judge else None,
        asked=tuple((name, text_of(key)) for key in data),
        counted=plain,
    )


def _entries(key: Any, answers: Any) -> Iterator[tuple[str, str, int, float]]:
    """Give (query, item, place, number) of one query's answer; a set in a fixed order."""
    names = sorted(answers, key=text_of) if isinstance(answers, (set, frozenset)) else answers
    for place, entry in enumerate(names, start=1):
        value = answers[entry] if isinstance(answers, Mapping) else None
        yield text_of(key), text_of(entry), place, np.nan if value is None else float_of(value)


def _check_names(name: str, names: Sequence[str]) -> None:
    for one in names:
        if not one.strip() or "\0" in one:
            raise bad(name, None, f"{quote(one)} is not a name", "give every query and item one")
        try:
            one.encode()
        except UnicodeEncodeError:
            raise bad(name, None, f"{quote(one)} is not valid text", "mend its encoding") from None


def _check_numbers(
    name: str,
    rows: Sequence[tuple[str, str, int, float]],
    values: np.ndarray[Any, np.dtype[np.float64]],
    *,
    judge: bool,
) -> None:
    """Numbers are finite; judges may be silent (None, NaN), a system's list needs all scores."""
    wrong = np.nonzero(np.isinf(values) if judge else ~np.isfinite(values))[0]
    if len(wrong):
        query, item, *_, value = rows[int(wrong[0])]
        role = "grade" if judge else "score"
        what = f"the {role} is missing"
        if np.isinf(value):
            what = f"the {role} must be finite, found '{value}'"
        more = f" (and {len(wrong) - 1:,} more)" if len(wrong) > 1 else ""
        found = f"query {quote(query)}, item {quote(item)}: {what}{more}"
        raise bad(name, None, found, "give every item a finite number")


def _array(data: Any, *, name: str, kind: Kind) -> Rows:
    """Read a matrix of votes: one row an item, one column a respondent, NaN is unknown."""
    try:
        votes = np.array(data, np.float64)
    except (TypeError, ValueError, OverflowError):
        fix = "give numbers from 0 to 1, all rows of one length"
        raise UsageError(f"{name}: the array does not hold votes (fix: {fix})") from None
    if votes.ndim != 2 or not votes.size:
        shape = " × ".join(map(str, votes.shape))
        raise UsageError(f"{name}: an array of {shape} is not votes (fix: give items × systems)")
    wrong = np.argwhere((votes < 0) | (votes > 1))
    if len(wrong):
        row, column = wrong[0]
        found = f"row {row + 1}, column {column + 1}: found {votes[row, column]:g}"
        more = f" ({len(wrong):,} such cells)" if len(wrong) > 1 else ""
        raise UsageError(f"{name}: {found}{more} (fix: votes are from 0 to 1, NaN for unknown)")
    items, count = votes.shape
    names = tuple(f"S{column + 1}" for column in range(count))
    text = Text.of(f"{row + 1}" for row in range(items))
    return Rows(
        Source(name, "array of votes", f"{items} items × {count} respondents", items),
        Codes.constant(ONLY_QUERY, items * count),
        Codes(np.repeat(np.arange(count, dtype=np.int32), items), names),
        Text.of_arrow(text.chunks * count),
        kind=(kind,) * count,
        family=(None,) * count,
        silence="unknown",
        vote=votes.T.ravel().copy(),
    )
