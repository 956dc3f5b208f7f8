"""Answers read back from a votes file: as they were read before, because its footer says how.

The rows of such a file were checked when it was written. The footer says what they alone cannot:
the order in which queries and respondents first came, what silence means, which lists are empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes, Text, numbers
from consilience.errors import InputError, bad
from consilience.formats import footer
from consilience.formats.rows import Kind, Rows, Source

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.formats.cells import Sheet

_COLUMNS = ("vote", "grade", "score", "probability")
_AGAIN = "convert the inputs anew"
_WHOLE: dict[str, type[np.integer]] = {"rank": np.int32, "round": np.int64}


def read(sheet: Sheet, *, kind: Kind) -> Rows | None:
    """Read the table of a votes file, or some of its rows on end; None for any other table.

    Parameters
    ----------
    sheet
        The table.
    kind
        What respondents are, where the file knows nothing but systems.
    """
    facts = footer.unpack(sheet.table.schema.metadata, sheet.name)
    if facts is None:
        return None
    for name in ("query", "respondent", "item"):
        if name not in sheet.table.column_names or not _are_names(sheet.table[name].type):
            raise bad(sheet.name, None, f"it has no column {name!r} of text", _AGAIN)
    who = facts["respondents"]
    table, names, queries = sheet.table, who["names"], facts["queries"]
    values: dict[str, Any] = {name: _said(table, name) for name in _COLUMNS}
    values |= {name: _counted(table, name, wide) for name, wide in _WHOLE.items()}
    kinds: tuple[Kind, ...] = tuple(who["kind"])
    if {*kinds} == {"system"}:
        kinds = (kind,) * len(kinds)
    asked = facts["asked"].reshape(-1, 2).tolist()
    count = len(facts["sources"])
    made = f"{count:,} {'input' if count == 1 else 'inputs'}, sorted by query"
    return Rows(
        Source(
            sheet.name,
            "votes file",
            f"its footer says so; made of {made}",
            table.num_rows,
            tuple(facts["notes"]),
            tuple(table.column_names),
        ),
        _codes(sheet, "query", queries),
        _codes(sheet, "respondent", names),
        Text.of_arrow(table["item"].chunks),
        kind=kinds,
        family=tuple(who["family"]),
        silence="unknown" if "unknown" in who["silence"] else "no",
        silences=tuple(who["silence"]),
        asked=tuple((names[respondent], queries[query]) for respondent, query in asked),
        **values,
    )


def _codes(sheet: Sheet, column: str, names: list[str]) -> Codes:
    """Number the names of a column as the footer does."""
    found = Codes.of_arrow(sheet.table[column])
    number = {name: code for code, name in enumerate(names)}
    try:
        to = np.array([number[name] for name in found.names], np.int32)
    except KeyError:
        raise _damaged(sheet, column) from None
    same = np.array_equal(to, np.arange(len(to)))
    return Codes(found.code if same or not len(found) else to[found.code], tuple(names))


def _damaged(sheet: Sheet, column: str) -> InputError:
    found = f"its index does not know a {column} that its rows name"
    return bad(sheet.name, None, found, _AGAIN)


def _are_names(kind: pa.DataType) -> bool:
    import pyarrow as pa

    spelt = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(spelt) or pa.types.is_large_string(spelt))


def _said(table: pa.Table, name: str) -> NDArray[np.float64] | None:
    """Give a column of numbers, NaN where nothing is said; None where there is no such column."""
    import pyarrow as pa

    if name not in table.column_names:
        return None
    column = table[name]
    if column.null_count:
        column = column.fill_null(pa.scalar(np.nan, pa.float64()))
    return numbers(column.chunks).astype(np.float64, copy=False)


def _counted(table: pa.Table, name: str, wide: type[np.integer]) -> NDArray[np.integer] | None:
    if name not in table.column_names:
        return None
    column = table[name].fill_null(0) if table[name].null_count else table[name]
    return numbers(column.chunks).astype(wide, copy=False)
