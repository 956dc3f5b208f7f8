"""Results for a terminal: the verdict first, then aligned tables, then how it was computed.

The text fits the width of the terminal. Columns that do not fit go into a further table under the
first one, and names too long for their column are cut and spelt out below it.
"""

from __future__ import annotations

import shutil
import textwrap
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from consilience.render.claims import areas, claim_line, cutoffs_left_out, headline
from consilience.render.how import how
from consilience.render.words import (
    Payload,
    by_rank,
    chance,
    chance_label,
    estimate,
    fixed,
    gaps,
    percent,
    place,
    plain,
    span,
    tie_lines,
    without_truth,
)

#: Rows of a long cutoff table that are shown before the last one.
HEAD = 20
#: Narrower than this the text is not squeezed.
NARROWEST = 40
#: Room for a number such as 0.1234.
NUMBER = 6
#: Space between columns.
GUTTER = "  "


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


def text(payload: Payload, *, width: int | None = None) -> str:
    """Write a ranking or a curve for a terminal.

    Parameters
    ----------
    payload : mapping
        A stored result of the verb ``rank`` or ``curve``.
    width : int, optional
        Columns of the terminal; by default those of the present one.

    Returns
    -------
    str
        Lines of plain text, the last one ended.
    """
    columns = max(NARROWEST, width or shutil.get_terminal_size((100, 24)).columns)
    parts = _rank(payload, columns) if payload["verb"] == "rank" else _curve(payload, columns)
    return "\n\n".join(part for part in parts if part) + "\n"


def cells_of(entry: str) -> int:
    """Count the terminal cells that a text takes: wide characters two, combining ones none.

    Examples
    --------
    >>> cells_of("bm25"), cells_of("検索"), cells_of("e\u0301")
    (4, 4, 1)
    """
    narrow = sum(not unicodedata.combining(character) for character in entry)
    return narrow + sum(unicodedata.east_asian_width(character) in "WF" for character in entry)


def cut(entry: str, width: int) -> str:
    """Shorten a text to so many terminal cells: its middle is cut out.

    Examples
    --------
    >>> cut("a rather long name-7", 13), cut("short", 9)
    ('a rather…me-7', 'short')
    """
    if cells_of(entry) <= width:
        return entry
    tail = entry[-(width // 3) :]
    head = entry[: -len(tail)]
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


def _wrap(paragraph: str, width: int, indent: str = "") -> str:
    return textwrap.fill(
        paragraph, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _listed(title: str, lines: Sequence[str], width: int) -> str:
    if not lines:
        return ""
    return "\n".join([title, *(_wrap(f"  {line}", width, "    ") for line in lines)])


def _rank(payload: Payload, width: int) -> list[str]:
    systems = by_rank(payload)
    names = [plain(system["name"]) for system in systems]
    short = shortened(names, max(16, width // 3))
    first = [
        Column("rank", tuple(place(system) for system in systems)),
        Column("system", tuple(short)),
    ]
    spelt = [f"{a} = {b}" for a, b in zip(short, names, strict=True) if a != b]
    return [
        _wrap(headline(payload), width),
        *blocks(first, _score_columns(payload), width),
        _wrap(_legend(payload), width),
        _listed("Names in full:", spelt, width),
        _listed("Undefined or missing:", gaps(payload), width),
        _listed("Not told apart by these data:", tie_lines(payload), width),
        _listed("Notes:", [plain(note) for note in payload["notes"]], width),
        _how(payload, width),
    ]


def _score_columns(payload: Payload) -> list[Column]:
    systems = by_rank(payload)
    columns: list[Column] = []
    if any(system.get("family") for system in systems):
        families = tuple(cut(plain(system.get("family") or ""), 20) for system in systems)
        columns.append(Column("family", families))
    chances = tuple(chance(system["p_best"]) for system in systems)
    columns.append(Column(chance_label(payload), chances, right=True))
    for measure in payload["measures"]:
        scores = [system["scores"].get(measure) for system in systems]
        columns.append(Column(measure, tuple(estimate(score) for score in scores)))
        bounds = tuple(span(score.get("bounds")) if score else "" for score in scores)
        if any(bounds):
            columns.append(Column(f"{measure} bounds", bounds))
    return columns


def _legend(payload: Payload) -> str:
    if payload["resampling"] is None:
        said = "No intervals: nothing was resampled."
    else:
        said = f"In brackets: {percent(payload['level'])} intervals."
    return f"{said} No ground truth was used." if without_truth(payload) else said


def _how(payload: Payload, width: int) -> str:
    facts = how(payload)
    margin = max(len(label) for label, _ in facts) + 4
    lines = (f"  {label:<{margin - 4}}  {said}" for label, said in facts)
    return "\n".join(["How:", *(_wrap(line, width, " " * margin) for line in lines)])


def _curve(payload: Payload, width: int) -> list[str]:
    claimed = "" if payload["claimed"] is None else claim_line(payload)
    said = headline(payload) if not claimed else headline({**payload, "claimed": None})
    return [
        _wrap(said, width),
        _wrap(claimed, width),
        _areas(payload, width),
        _cutoffs(payload),
        _listed("Notes:", [plain(note) for note in payload["notes"]], width),
        _how(payload, width),
    ]


def _areas(payload: Payload, width: int) -> str:
    rows = areas(payload)
    left = max(len(name) for name, _, _ in rows)
    margin = " " * (left + NUMBER + 2 * len(GUTTER))
    lines = (
        f"{name:<{left}}{GUTTER}{fixed(value):>{NUMBER}}{GUTTER}{told}"
        for name, value, told in rows
    )
    return "\n".join(_wrap(line, width, margin).rstrip() for line in lines)


def _cutoffs(payload: Payload) -> str:
    cutoffs = payload["cutoffs"]
    whole = len(cutoffs) <= HEAD + 2
    rows = list(cutoffs) if whole else [*cutoffs[:HEAD], cutoffs[-1]]
    columns = [
        [f"{row['k']:,}" for row in rows],
        [fixed(row["precision"]) for row in rows],
        [fixed(row["recall"]) for row in rows],
    ]
    if not whole:
        for column in columns:
            column.insert(HEAD, "…")
    headers = ("k", "precision", "recall")
    table = aligned(
        [Column(h, tuple(c), right=True) for h, c in zip(headers, columns, strict=True)]
    )
    if whole:
        return table
    return f"{table}\n{cutoffs_left_out(payload, HEAD)}"
