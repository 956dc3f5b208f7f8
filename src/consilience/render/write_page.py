"""A document as a page that stands alone, and as the output of a notebook cell.

The page shows every picture with its figures as a table below it; the notebook shows the headline
and the main tables, without any script.
"""

from __future__ import annotations

from consilience.render.documents import caution, on_page, pictures
from consilience.render.html import drawing, page
from consilience.render.markup import (
    facts,
    figure,
    inputs_table,
    listing,
    paragraph,
    safe,
    section,
    table,
)
from consilience.render.report import Block, Lines, Report, Said, Table
from consilience.render.theme import Spec
from consilience.render.words import Payload

#: How the headline of a notebook looks.
HEADLINE = "font-size:1.15em;font-weight:600"


def html(report: Report, payload: Payload) -> str:
    """Write a document as a page that stands alone."""
    drawings = {
        picture.name: drawing(lambda _, *, dark=False, draw=picture.draw: draw(dark=dark), payload)
        for picture in pictures(report)
    }
    drawn = {name: made for name, made in drawings.items() if made is not None}
    parts = [
        *(
            section(one.title, *(_block(block, drawn) for block in one.blocks))
            for one in on_page(report)
        ),
        section("How this was computed", paragraph(report.methods), facts(report.facts)),
        section("Inputs", inputs_table(payload)),
    ]
    return page(
        payload,
        title=report.title,
        headline=report.headline,
        badges=_badges(report),
        content="\n".join(part for part in parts if part),
        drawings=drawn,
    )


def _badges(report: Report) -> list[tuple[str, str]]:
    """Give the facts under the headline; the caution stands out."""
    cautions = [("caution", report.caution)] if report.caution else []
    return [*(("fact", badge) for badge in report.badges), *cautions]


def _block(block: Block, drawn: dict[str, Spec]) -> str:
    if isinstance(block, Table):
        return "" if block.drawn else _table(block)
    if isinstance(block, Said):
        return paragraph(block.text)
    if isinstance(block, Lines):
        return listing(block.lines, "small")
    twin = _table(block.twin)
    return figure(block.name, block.words, twin) if block.name in drawn else ""


def _table(one: Table) -> str:
    """Write a table with what it leaves out; nothing where it has no rows."""
    if not one.rows:
        return ""
    made = table(one.header, one.rows, kinds=one.kinds, title=one.title)
    below = paragraph(one.left_out, "aside")
    return f"{made}\n{below}" if below else made


def fragment(report: Report, style: str) -> str:
    """Write the headline, the caution and the main tables as one ``div`` without scripts."""
    tables = [
        _table(block) if isinstance(block, Table) else paragraph(block.text)
        for one in on_page(report)
        for block in one.blocks
        if (isinstance(block, Table) and (block.main or block.notebook))
        or (isinstance(block, Said) and block.notebook)
    ]
    notes = [
        listing(block.lines, "small")
        for one in report.sections
        for block in one.blocks
        if one.title == "Notes" and isinstance(block, Lines)
    ]
    headline = f'<p style="{HEADLINE}">{safe(report.headline)}</p>'
    parts = [headline, paragraph(caution(report)), *tables, *notes]
    return "\n".join(['<div class="consilience">', style, *(p for p in parts if p), "</div>"])
