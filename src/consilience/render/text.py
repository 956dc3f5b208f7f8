"""Results for a terminal: the verdict first, then aligned tables, then how it was computed.

The text fits the width of the terminal. Columns that do not fit go into a further table under the
first one, and names too long for their column are cut and spelt out below it.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace

from consilience.render.agreement import (
    alike_lines,
    alone_words,
    family_labels,
    has_panel,
    panel_lines,
    panel_table,
    remarks,
    virtual_label,
)
from consilience.render.claims import (
    areas,
    belief_cell,
    caveat_line,
    claim_line,
    cutoffs_left_out,
    headline,
    rows_left_out,
    withheld_line,
)
from consilience.render.how import how
from consilience.render.layout import (
    GUTTER,
    Column,
    aligned,
    blocks,
    cells_of,
    cut,
    listed,
    shortened,
    wrap,
)
from consilience.render.matching import matching_lines
from consilience.render.sure import (
    design_line,
    drawn_line,
    footnote,
    legend,
    score_cell,
    stop_line,
    without_intervals,
)
from consilience.render.sure_columns import beside
from consilience.render.sure_text import sure_parts
from consilience.render.tables import columns as columns_of
from consilience.render.tables import virtual_systems
from consilience.render.words import (
    Payload,
    by_rank,
    chance_cell,
    chance_label,
    fixed,
    gaps,
    place,
    plain,
    shown_measures,
    tie_lines,
    with_caveat,
)

#: Rows of a long cutoff table that are shown before the last one.
HEAD = 20
#: Rows of a belief that are shown.
BELIEFS = 40
#: Narrower than this the text is not squeezed.
NARROWEST = 40
#: Columns of a belief that hold numbers.
NUMBERS = ("mention", "belief")
#: Room for a number such as 0.1234.
NUMBER = 6
#: The widest family or item in a table.
WIDEST = 40
#: With more systems than this, what does not rank is shown of so many only.
SYSTEMS, FIRST = 60, 30


def text(payload: Payload, *, width: int | None = None) -> str:
    """Write a ranking, a curve or a belief for a terminal.

    Parameters
    ----------
    payload : mapping
        A stored result of the verb ``rank``, ``curve`` or ``belief``.
    width : int, optional
        Columns of the terminal; by default those of the present one.

    Returns
    -------
    str
        Lines of plain text, the last one ended.
    """
    columns = max(NARROWEST, width or shutil.get_terminal_size((100, 24)).columns)
    told = {"rank": _rank, "curve": _curve, "belief": _belief}
    parts = told[payload["verb"]](payload, columns)
    return "\n\n".join(part for part in parts if part) + "\n"


def _rank(payload: Payload, width: int) -> list[str]:
    systems, virtual = by_rank(payload), virtual_systems(payload)
    names = [plain(system["name"]) for system in systems]
    short = shortened(names, max(16, width // 3))
    first = [
        Column("rank", (*(place(system) for system in systems), *("" for _ in virtual))),
        Column("system", (*short, *(virtual_label(system) for system in virtual))),
    ]
    ranking, others = _score_columns(payload, virtual)
    spelt = [f"{a} = {b}" for a, b in zip(short, names, strict=True) if a != b]
    return [
        wrap(headline(payload), width),
        wrap(withheld_line(payload), width),
        wrap(caveat_line(payload), width),
        wrap(stop_line(payload), width),
        *_score_blocks(first, ranking, others, (len(systems), width)),
        _legend(payload, width),
        listed("Names in full:", spelt, width),
        listed("Undefined or missing:", gaps(payload), width),
        listed("Not told apart by these data:", tie_lines(payload), width),
        *sure_parts(payload, width),
        listed("Which systems answer alike:", alike_lines(payload), width),
        _panel(payload, width),
        listed("Other ways of matching (τ: to this ranking):", matching_lines(payload), width),
        listed("Notes:", remarks(payload), width),
        _how(payload, width),
    ]


def _score_columns(
    payload: Payload, virtual: Sequence[Payload]
) -> tuple[list[Column], list[Column]]:
    """Make the columns that rank (chance, ranking measure, its bounds), and the others."""
    systems, ranked_by = by_rank(payload), payload["measure"]
    none = tuple("" for _ in virtual)
    chances = (chance_cell(system, payload) for system in systems)
    ranking = [Column(chance_label(payload), (*chances, *none), right=True)]
    others: list[Column] = []
    if family_labels(payload):
        families = (cut(label, WIDEST) for label in family_labels(payload))
        others.append(Column("family", (*families, *none)))
    for measure in shown_measures(payload):
        scores = [system["scores"].get(measure) for system in (*systems, *virtual)]
        column = Column(measure, tuple(score_cell(score) for score in scores))
        (ranking if measure == ranked_by else others).append(column)
        for more in beside(payload) if measure == ranked_by else ():
            cells = tuple(more.cell(system) for system in (*systems, *virtual))
            ranking.append(Column(more.header, cells, right=more.right))
    return ranking, others


def _score_blocks(
    first: Sequence[Column],
    ranking: Sequence[Column],
    others: Sequence[Column],
    room: tuple[int, int],
) -> list[str]:
    """Lay the scores out; of very many systems, what does not rank only for the first ones."""
    systems, width = room
    family = [column for column in others if column.header == "family"]
    measures = [column for column in others if column.header != "family"]
    if systems <= SYSTEMS:
        return blocks(first, [*family, *ranking, *measures], width)
    made = blocks(first, ranking, width)
    below = blocks(first, others, width) if others else []
    if len(below) < 2:
        return [*made, *below]
    fewer = [_without(column, systems) for column in (*first, *others)]
    told = f"{', '.join(column.header for column in others)}: the first {FIRST} of {systems:,}"
    return [
        *made,
        *blocks(fewer[: len(first)], fewer[len(first) :], width),
        wrap(f"{told} systems are shown; json holds all.", width),
    ]


def _without(column: Column, systems: int) -> Column:
    """Leave the systems beyond the first ones out of a column; virtual systems stay."""
    return replace(column, cells=(*column.cells[:FIRST], *column.cells[systems:]))


def _legend(payload: Payload, width: int) -> str:
    said = [without_intervals(payload), *legend(payload)]
    lines = [
        with_caveat(" ".join(part for part in said if part), payload),
        footnote(payload),
        design_line(payload),
        drawn_line(payload),
    ]
    return "\n".join(wrap(line, width) for line in lines if line)


def _panel(payload: Payload, width: int) -> str:
    """Lay out what the methods of the panel say; only those that were skipped where none ran."""
    skipped = panel_lines(payload)
    if not has_panel(payload):
        return listed("Methods that were skipped:", skipped, width)
    header, rows = panel_table(payload)
    header = [*header[:2], *("τ" for _ in header[2:])]
    room = width - len("  ") - (len(GUTTER) + NUMBER) * (len(header) - 2) - len(GUTTER)
    left = min(max(cells_of(row[0]) for row in rows), max(16, room // 2))
    short = [[cut(row[0], left), cut(row[1], room - left), *row[2:]] for row in rows]
    columns = [
        Column(title, tuple(cells), right=i == 2)
        for i, (title, *cells) in enumerate(zip(header, *short, strict=True))
    ]
    table = "\n".join(f"  {line}" for line in aligned(columns).splitlines())
    title = "How far the methods agree (τ: to this ranking):" if len(header) > 2 else ""
    told = [line for line in (alone_words(payload), *skipped) if line]
    below = "\n".join(wrap(f"  {line}", width, "    ") for line in told)
    return "\n".join(part for part in (title or "How far the methods agree:", table, below) if part)


def _how(payload: Payload, width: int) -> str:
    facts = how(payload)
    margin = max(len(label) for label, _ in facts) + 4
    lines = (f"  {label:<{margin - 4}}  {said}" for label, said in facts)
    return "\n".join(["How:", *(wrap(line, width, " " * margin) for line in lines)])


def _curve(payload: Payload, width: int) -> list[str]:
    claimed = "" if payload["claimed"] is None else claim_line(payload)
    said = headline(payload) if not claimed else headline({**payload, "claimed": None})
    return [
        wrap(said, width),
        wrap(claimed, width),
        _areas(payload, width),
        _cutoffs(payload),
        listed("Notes:", remarks(payload), width),
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
    return "\n".join(wrap(line, width, margin).rstrip() for line in lines)


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


def _belief(payload: Payload, width: int) -> list[str]:
    rows = payload["rows"][:BELIEFS]
    columns = [
        Column(name, tuple(_belief_cell(name, row) for row in rows), right=name in NUMBERS)
        for name in columns_of(payload)
    ]
    at = next(i for i, column in enumerate(columns) if column.header == "belief")
    return [
        wrap(headline(payload), width),
        wrap(caveat_line(payload), width),
        "\n".join([*blocks(columns[:at], columns[at:], width), rows_left_out(payload, BELIEFS)]),
        listed("Notes:", remarks(payload), width),
        _how(payload, width),
    ]


def _belief_cell(name: str, row: Payload) -> str:
    return cut(belief_cell(name, row), WIDEST)
