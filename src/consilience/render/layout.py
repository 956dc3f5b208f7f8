"""Text laid out for a terminal: aligned columns, lines that fit, names that are cut.

Columns that do not fit go into a further table under the first one. Widths are counted in the
cells of a terminal, where a wide character takes two.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

#: Space between columns.
GUTTER = "  "
#: So many characters may take one cell: a letter and the accents on it.
_CHARACTERS = 8


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a text table: its header, its cells, and on which side they line up."""

    header: str
    cells: tuple[str, ...]
    right: bool = False

    @property
    def width(self) -> int:
        """The cells of a terminal that the widest entry takes."""
        return max(cells_of(entry) for entry in (self.header, *self.cells))


def cells_of(entry: str) -> int:
    """Count the terminal cells that a text takes: wide characters two, combining ones none.

    Examples
    --------
    >>> cells_of("bm25"), cells_of("検索"), cells_of("e\u0301")
    (4, 4, 1)
    """
    if entry.isascii():
        return len(entry)
    narrow = sum(not unicodedata.combining(character) for character in entry)
    return narrow + sum(unicodedata.east_asian_width(character) in "WF" for character in entry)


def cut(entry: str, width: int) -> str:
    """Shorten a text to so many terminal cells: its middle is cut out.

    However long the text is, only as much of it is measured as may be shown.

    Examples
    --------
    >>> cut("a rather long name-7", 13), cut("short", 9)
    ('a rather…me-7', 'short')
    >>> cut("x" * 10**6 + "-7", 9)
    'xxxxx…x-7'
    """
    longest = _CHARACTERS * max(width, 1)
    if len(entry) <= longest and cells_of(entry) <= width:
        return entry
    tail = entry[-(width // 3) :]
    head = entry[: -len(tail)][:longest]
    while head and cells_of(head) + cells_of(tail) > width - 1:
        head = head[:-1]
    return f"{head}…{tail}"


def shortened(names: Sequence[str], width: int) -> list[str]:
    """Shorten names to a width, unless two of them would become the same.

    Examples
    --------
    >>> shortened(["a rather long name-7", "b"], 13), shortened(["abcd-xxx-9", "abcd-yyy-9"], 6)
    (['a rather…me-7', 'b'], ['abcd-xxx-9', 'abcd-yyy-9'])
    """
    short = [cut(name, width) for name in names]
    return short if len(set(short)) == len(set(names)) else list(names)


def aligned(columns: Sequence[Column]) -> str:
    """Lay columns out side by side under their headers.

    Examples
    --------
    >>> print(aligned([Column("system", ("a", "bm25")), Column("AP", ("0.31", "–"), right=True)]))
    system    AP
    a       0.31
    bm25       –
    """
    rows = zip(*((column.header, *column.cells) for column in columns), strict=True)
    lines = (
        GUTTER.join(_pad(entry, column) for entry, column in zip(row, columns, strict=True))
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def _pad(entry: str, column: Column) -> str:
    space = " " * (column.width - cells_of(entry))
    return space + entry if column.right else entry + space


def blocks(fixed_columns: Sequence[Column], others: Sequence[Column], width: int) -> list[str]:
    """Lay a wide table out as several tables that fit, each starting with the same columns."""
    tables: list[str] = []
    kept: list[Column] = []
    for column in others:
        trial = [*fixed_columns, *kept, column]
        if kept and sum(c.width for c in trial) + len(GUTTER) * (len(trial) - 1) > width:
            tables.append(aligned([*fixed_columns, *kept]))
            kept = []
        kept.append(column)
    return [*tables, aligned([*fixed_columns, *kept])]


def wrap(paragraph: str, width: int, indent: str = "") -> str:
    """Break a paragraph into lines that fit; words are never broken."""
    return textwrap.fill(
        paragraph, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def listed(title: str, lines: Sequence[str], width: int) -> str:
    """Write lines indented under a title; nothing without lines."""
    if not lines:
        return ""
    return "\n".join([title, *(wrap(f"  {line}", width, "    ") for line in lines)])
