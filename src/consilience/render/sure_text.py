"""How sure a ranking is, for a terminal: the first system against the others, what was judged."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render import judged, rivals
from consilience.render.layout import Column, blocks, shortened, wrap
from consilience.render.words import Payload, plain


def sure_parts(payload: Payload, width: int) -> list[str]:
    """Lay out what a ranking says beside its scores; empty parts where it says nothing."""
    return [_rivals(payload, width), _companions(payload, width), _design(payload, width)]


def _rivals(payload: Payload, width: int) -> str:
    header, rows, kinds = rivals.rivals_table(payload, rivals.MOST)
    if not rows:
        return ""
    below = [rivals.left_out(payload, len(rows)), rivals.rivals_legend(payload)]
    right = [kind == "number" for kind in kinds]
    table = _indented(header, rows, right, width, parted=_tested_from(header))
    return _part(f"{rivals.rivals_title(payload)}:", table, below, width)


def _tested_from(header: Sequence[str]) -> int:
    """Find the column where the tests begin: a table too wide is parted there."""
    return next((i for i, name in enumerate(header) if name.startswith("p (")), len(header))


def _companions(payload: Payload, width: int) -> str:
    header, rows = judged.companion_scores(payload, judged.MOST)
    if not rows:
        return ""
    share = judged.judged_share(payload)
    title = f"Measures made for incomplete judgments{f' ({share})' if share else ''}:"
    below = [
        judged.companions_left_out(payload, len(rows)),
        *judged.companion_lines(payload),
        judged.partial_line(payload),
    ]
    right = [place > 0 for place in range(len(header))]
    return _part(title, _indented(header, rows, right, width), below, width)


def _design(payload: Payload, width: int) -> str:
    facts = judged.design_facts(payload)
    if not facts:
        return ""
    header, rows = judged.design_table(payload, judged.MOST)
    right = [place > 0 for place in range(len(header))]
    table = _indented(header, rows, right, width) if rows else ""
    told = [judged.design_words(payload), *(f"{label}: {said}" for label, said in facts)]
    return _part("Labels drawn by design:", table, told, width)


def _indented(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[bool],
    width: int,
    *,
    parted: int = 0,
) -> str:
    """Lay a table out two cells from the left; its first column is repeated where it is cut.

    A table that does not fit is cut before the column ``parted``, where that is a column.
    """
    names, *others = zip(*rows, strict=True)
    short = shortened([plain(name) for name in names], max(16, width // 3))
    columns = [
        Column(title, tuple(cells), right=side)
        for title, cells, side in zip(header, (short, *others), right, strict=True)
    ]
    made = blocks(columns[:1], columns[1:], width - 2)
    if len(made) > 1 and 1 < parted < len(columns):
        groups = (columns[1:parted], columns[parted:])
        made = [block for group in groups for block in blocks(columns[:1], group, width - 2)]
    return "\n".join(f"  {line}".rstrip() for line in "\n\n".join(made).splitlines())


def _part(title: str, table: str, below: Sequence[str], width: int) -> str:
    lines = [wrap(f"  {line}", width, "    ") for line in below if line]
    return "\n".join(part for part in (wrap(title, width), table, *lines) if part)
