"""A document for a terminal: the headline first, then each section, then how it was computed.

The text fits the width of the terminal as rankings do: columns that do not fit go into a further
table under the first one, and entries too long for their column are cut and spelt out below it.
Pictures are not shown: what matters of them stands in a table of its own.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from consilience.render.documents import caution
from consilience.render.layout import Column, blocks, cut, listed, wrap
from consilience.render.report import Block, Lines, Report, Said, Section, Table
from consilience.render.words import plain

#: Narrower than this the text is not squeezed.
NARROWEST = 40
#: The least room of a column of names.
NAMES = 16
#: Columns that line up on the right.
NUMBERS = ("number", "cell")


def text(report: Report, *, width: int | None = None) -> str:
    """Write a document for a terminal.

    Parameters
    ----------
    report : Report
        What is told.
    width : int, optional
        Columns of the terminal; by default those of the present one.

    Returns
    -------
    str
        Lines of plain text, the last one ended.

    Examples
    --------
    >>> scores = Table("Scores", ("system", "P"), (("a", "0.31"),), ("head", "number"))
    >>> told = Report("t", "a leads.", (Section("Systems", (scores,)),), (("id", "x-1"),), "")
    >>> print(text(told, width=60))
    a leads.
    <BLANKLINE>
    Systems:
    <BLANKLINE>
    Scores
    system     P
    a       0.31
    <BLANKLINE>
    How:
      id  x-1
    <BLANKLINE>
    """
    columns = max(NARROWEST, width or shutil.get_terminal_size((100, 24)).columns)
    told: dict[str, str] = {}  # what was spelt out: once is enough
    parts = [
        wrap(plain(report.headline), columns),
        wrap(plain(caution(report)), columns),
        *(_section(section, columns, told) for section in report.sections),
        _facts(report.facts, columns),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section, width: int, told: dict[str, str]) -> str:
    """Write blocks under a heading; a list alone stands directly below it."""
    heading = f"{plain(section.title)}:"
    made = [_block(block, width, told) for block in section.blocks]
    kept = [part for part in made if part]
    if not kept:
        return ""
    first = next(block for block, part in zip(section.blocks, made, strict=True) if part)
    if isinstance(first, Lines):
        return "\n\n".join([f"{heading}\n{kept[0]}", *kept[1:]])
    return "\n\n".join([heading, *kept])


def _block(block: Block, width: int, told: dict[str, str]) -> str:
    if isinstance(block, Table):
        return _table(block, width, told)
    if isinstance(block, Said):
        return wrap(plain(block.text), width)
    if isinstance(block, Lines):
        return "\n".join(wrap(f"  {plain(line)}", width, "    ") for line in block.lines)
    return ""


def _table(table: Table, width: int, told: dict[str, str]) -> str:
    """Lay a table out under its title; nothing where it has no rows."""
    if not table.rows:
        return ""
    known = {*told}
    heads = max(1, sum(kind == "head" for kind in table.kinds))
    figures = any(kind in NUMBERS for kind in table.kinds)
    columns = []
    cells = [*zip(*([plain(cell) for cell in row] for row in table.rows), strict=True)]
    whole = sum(
        2 + max(map(len, (above, *full))) for above, full in zip(table.header, cells, strict=True)
    )
    for i, (kind, header, full) in enumerate(zip(table.kinds, table.header, cells, strict=True)):
        room = max(NAMES, width // (2 + heads) if i < heads or figures else width // 2)
        room = width if whole <= width else room
        short = full if kind in (*NUMBERS, "score") else [_short(one, room, told) for one in full]
        above = plain(header)
        if kind == "cell":  # several columns of a matrix should fit side by side
            above = _short(above, max(NAMES, width // 5), told)
        columns.append(Column(above, tuple(short), right=kind in NUMBERS))
    new = [f"{short} = {full}" for short, full in told.items() if short not in known]
    made = [
        wrap(plain(table.title), width),
        "\n\n".join(blocks(columns[:heads], columns[heads:], width)),
        wrap(plain(table.left_out), width),
        listed("In full:", new, width),
    ]
    return "\n".join(part for part in made if part)


def _short(entry: str, room: int, told: dict[str, str]) -> str:
    """Cut an entry and remember what it stands for; another with the same ends gets a number."""
    short, times = cut(entry, room), 1
    if short == entry:
        return entry
    while told.setdefault(short, entry) != entry:
        times += 1
        short = f"{cut(entry, room - 4)} ({times})"
    return short


def _facts(facts: Sequence[tuple[str, str]], width: int) -> str:
    if not facts:
        return ""
    margin = max(len(label) for label, _ in facts) + 4
    lines = (f"  {label:<{margin - 4}}  {plain(said)}" for label, said in facts)
    return "\n".join(["How:", *(wrap(line, width, " " * margin) for line in lines)])
