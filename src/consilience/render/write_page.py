"""A document as a page that stands alone, and as the output of a notebook cell.

The page shows every picture with its figures as a table below it; the notebook shows the headline
and the main tables, without any script.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from consilience.render.documents import caution, on_page, pictures
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
from consilience.render.page import Parts, drawing, page
from consilience.render.report import Block, Lines, Report, Said, Table
from consilience.render.theme import Spec
from consilience.render.words import Payload

#: How the headline of a notebook looks.
HEADLINE = "font-size:1.15em;font-weight:600"


def parts(report: Report, payload: Payload, *, prefix: str = "", only: Sequence[str] = ()) -> Parts:
    """Tell a document as the parts of a page; ``prefix`` stands before the names of its charts.

    ``only`` names the sections that are wanted; none: all, and how it was computed.
    """
    if only:
        report = replace(report, sections=tuple(s for s in report.sections if s.title in only))
    content, drawings = body(report, prefix=prefix)
    closing = (
        []
        if only
        else [
            section("How this was computed", paragraph(report.methods), facts(report.facts)),
            section("Inputs", inputs_table(payload)),
        ]
    )
    whole = "\n".join(part for part in (content, *closing) if part)
    return Parts(report.title, report.headline, badges(report), whole, drawings)


def html(report: Report, payload: Payload) -> str:
    """Write a document as a page that stands alone."""
    return page(parts(report, payload), payload)


def body(report: Report, *, prefix: str = "") -> tuple[str, dict[str, Spec]]:
    """Write the sections of a document as HTML, and make their charts for both grounds."""
    drawn: dict[str, Spec] = {}
    for picture in pictures(report):
        made = drawing(lambda _, *, dark=False, draw=picture.draw: draw(dark=dark), {})
        if made is not None:
            drawn[prefix + picture.name] = made
    sections = (
        section(one.title, *(_block(block, drawn, prefix) for block in one.blocks))
        for one in on_page(report)
    )
    return "\n".join(one for one in sections if one), drawn


def badges(report: Report) -> tuple[tuple[str, str], ...]:
    """Give the facts under the headline; the caution stands out."""
    cautions = [("caution", report.caution)] if report.caution else []
    return (*(("fact", badge) for badge in report.badges), *cautions)


def _block(block: Block, drawn: dict[str, Spec], prefix: str) -> str:
    if isinstance(block, Table):
        return "" if block.drawn else _table(block)
    if isinstance(block, Said):
        return paragraph(block.text)
    if isinstance(block, Lines):
        return listing(block.lines, "small")
    twin = _table(block.twin)
    name = prefix + block.name
    return figure(name, block.words, twin) if name in drawn else ""


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
    told = [headline, paragraph(caution(report)), *tables, *notes]
    return "\n".join(['<div class="consilience">', style, *(one for one in told if one), "</div>"])
