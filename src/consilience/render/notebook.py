"""What a notebook shows: the verdict, a small forest plot and the table, without any script.

The plot is plain SVG made here, so that it shows in every notebook, in dark ones too: letters and
lines take the colour of the surrounding text. A dot marks the first system and those not told apart
from it, a bar the ones behind.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.agreement import alike_lines, has_panel, panel_lines, remarks
from consilience.render.agreement_twins import methods_table
from consilience.render.claims import caveat_line, headline, withheld_line
from consilience.render.documents import REPORTS, document
from consilience.render.forest_chart import LEADING, forest_rows
from consilience.render.judged import companion_lines, partial_line
from consilience.render.layout import cut
from consilience.render.markup import listing, paragraph, safe, table
from consilience.render.matching import matching_lines
from consilience.render.rivals import FEW, left_out, rivals_caption, rivals_table
from consilience.render.sure import (
    bounds_heading,
    design_line,
    drawn_line,
    only_given,
    stop_line,
)
from consilience.render.tables import caption, cutoff_table, rank_kinds, rank_table, variant_table
from consilience.render.text import HEAD
from consilience.render.theme import Spec
from consilience.render.words import (
    Payload,
    count,
    digits_for,
    fixed,
    gaps,
    has_bounds,
    plain,
    tie_lines,
    with_caveat,
)
from consilience.render.write_page import fragment

#: The plot: width, width of the names, height of a row, room for the axis, and the side margin.
WIDTH, NAMES, ROW, AXIS, MARGIN = 640, 190, 22, 30, 12
#: The accent, readable on white and on dark grounds.
ACCENT = "#1a86cc"
#: Shrunk values: readable on both grounds, too.
DIAMOND = "#e0701a"
#: The most systems in the plot; the table holds all.
PLOTTED = 30

#: The looks of the table, for this fragment only.
STYLE = (
    "<style>.consilience table{border-collapse:collapse;margin:.5em 0}"
    ".consilience caption{text-align:left;opacity:.75}"
    ".consilience th,.consilience td{text-align:left;padding:.2em .9em .2em 0}"
    ".consilience .score,.consilience .rank{white-space:nowrap}"
    ".consilience .number{text-align:right}.consilience td.number{white-space:nowrap}"
    ".consilience .between{opacity:.7}"
    ".consilience p,.consilience li,.consilience caption{overflow-wrap:anywhere}"
    ".consilience td.name{max-width:22em;overflow-wrap:break-word}"
    ".consilience tbody th{min-width:8em;max-width:22em;overflow-wrap:break-word}"
    ".consilience .scroll{overflow-x:auto}.consilience .family{min-width:11em}"
    ".consilience caption{max-width:44em}"
    ".consilience p.small{margin:.4em 0}"
    ".consilience ul{margin:.2em 0 .6em;padding-left:1.2em}</style>"
)


def html_fragment(payload: Payload) -> str:
    """Write a result as HTML for the output cell of a notebook.

    Parameters
    ----------
    payload : mapping
        A stored result of the verb ``rank`` or ``curve``, or of one told as a document.

    Returns
    -------
    str
        One ``div`` without scripts.
    """
    if payload["verb"] in REPORTS:
        return fragment(document(payload), STYLE)
    verdict = f'<p style="font-size:1.15em;font-weight:600">{safe(headline(payload))}</p>'
    parts = _rank(payload) if payload["verb"] == "rank" else _curve(payload)
    kept = (part for part in (*parts, _titled("Notes", remarks(payload))) if part)
    return "\n".join(['<div class="consilience">', STYLE, verdict, *kept, "</div>"])


def _rank(payload: Payload) -> list[str]:
    header, rows = rank_table(payload)
    return [
        paragraph(withheld_line(payload)),
        paragraph(caveat_line(payload)),
        paragraph(stop_line(payload)),
        forest_svg(payload),
        table(header, rows, kinds=rank_kinds(header), title=caption(payload)),
        paragraph(design_line(payload), "small"),
        paragraph(drawn_line(payload), "small"),
        listing(gaps(payload), "small"),
        _titled("Not told apart by these data", tie_lines(payload)),
        _rivals(payload),
        _titled("Measures made for incomplete judgments", companion_lines(payload)),
        paragraph(partial_line(payload), "small"),
        _titled("Which systems answer alike", alike_lines(payload)),
        methods_table(payload) if has_panel(payload) else "",
        listing(panel_lines(payload), "small"),
        _titled("Other ways of matching", matching_lines(payload)),
    ]


def _rivals(payload: Payload) -> str:
    """Write the first system against those next to it; nothing in older results."""
    header, rows, kinds = rivals_table(payload, FEW)
    if not rows:
        return ""
    made = table(header, rows, kinds=kinds, title=rivals_caption(payload))
    return f"{made}{paragraph(left_out(payload, len(rows)), 'small')}"


def _titled(title: str, lines: Sequence[object]) -> str:
    """Write lines under a title; a single one beside it; nothing without lines."""
    if len(lines) < 2:
        return paragraph(f"{title}: {lines[0]}" if lines else "", "small")
    return f"{paragraph(f'{title}:', 'small')}{listing(lines, 'small')}"


def _curve(payload: Payload) -> list[str]:
    header, rows = variant_table(payload)
    variants = table(header, rows, kinds=["head", "number", ""], title="AP by variant")
    header, rows = cutoff_table(payload["cutoffs"][:HEAD])
    every = count(len(payload["cutoffs"]), "cutoff")
    shown = f"The first {len(rows)} of {every}" if len(rows) > 1 else f"The first of {every}"
    return [variants, table(header, rows, kinds=["head", "number", "number"], title=shown)]


def forest_svg(payload: Payload) -> str:
    """Draw the ranking measure of each system with its interval as SVG.

    Returns
    -------
    str
        An ``svg`` element; empty where no score is defined.
    """
    rows = forest_rows(payload)[:PLOTTED]
    if payload.get("withheld") or all(row["value"] is None for row in rows):
        return ""
    keys = ("bound_low", "given_low", "low", "value", "shrunk", "high", "given_high", "bound_high")
    ends = [row[key] for row in rows for key in keys if row[key] is not None]
    low, high = min(ends), max(ends)
    height = ROW * len(rows) + AXIS
    body = [_line(row, i, (low, high)) for i, row in enumerate(rows)]
    said = f"{payload['measure']} of {count(len(rows), 'system')} with intervals."
    if has_bounds(payload):
        said += f" Pale bars: {bounds_heading(payload)}."
    if only_given(payload):
        said += " Hollow dashed bars: intervals under an assumption."
    if any(row["shrunk"] is not None for row in rows):
        said += " Diamonds: shrunk values."
    label = with_caveat(said, payload)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{safe(label)}"'
            f' width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
            ' style="max-width:100%;height:auto" font-family="sans-serif" font-size="12">',
            *body,
            _axis((low, high), ROW * len(rows), payload["measure"]),
            "</svg>",
        ]
    )


def _x(value: float, ends: Sequence[float]) -> float:
    """Place a value between the names and the right margin."""
    low, high = ends
    share = 0.5 if high == low else (value - low) / (high - low)
    return round(NAMES + MARGIN + share * (WIDTH - NAMES - 2 * MARGIN), 2)


def _word(text: str, at: tuple[float, float], anchor: str = "start") -> str:
    x, y = at
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="currentColor">{safe(text)}</text>'


def _stroke(start: tuple[float, float], end: tuple[float, float], looks: str) -> str:
    (x1, y1), (x2, y2) = start, end
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {looks}/>'


def _line(row: Spec, place: int, ends: Sequence[float]) -> str:
    y = ROW * place + ROW / 2
    name = _word(cut(row["system"], 26), (NAMES - 4, y + 4), "end")
    if row["value"] is None:
        return name + _word("undefined", (NAMES + MARGIN, y + 4))
    leading = row["standing"] == LEADING
    colour = ACCENT if leading else "currentColor"
    x = _x(row["value"], ends)
    if leading:
        mark = f'<circle cx="{x}" cy="{y}" r="5" fill="{colour}"/>'
    else:
        mark = _stroke((x, y - 6), (x, y + 6), f'stroke="{colour}" stroke-width="3"')
    return "".join([name, *_spans(row, y, ends, colour), mark, _shrunk(row, y, ends)])


def _shrunk(row: Spec, y: float, ends: Sequence[float]) -> str:
    """Draw a shrunk value as a small diamond; nothing where there is none."""
    if row["shrunk"] is None:
        return ""
    x = _x(row["shrunk"], ends)
    return f'<path d="M{x} {y - 4}l4 4l-4 4l-4 -4z" fill="{DIAMOND}"/>'


def _spans(row: Spec, y: float, ends: Sequence[float], colour: str) -> list[str]:
    """Draw bounds as a pale bar, an interval under an assumption as a hollow one, one as a line."""
    made = []
    if row["bound_low"] is not None:
        pale = 'fill="currentColor" fill-opacity="0.1" stroke="currentColor" stroke-opacity="0.5"'
        dots = f'{pale} stroke-dasharray="2 3"'
        made.append(_bar((row["bound_low"], row["bound_high"]), (y, 14), ends, dots))
    if row["given_low"] is not None:
        hollow = f'fill="none" stroke="{colour}" stroke-width="1.5" stroke-dasharray="4 2"'
        made.append(_bar((row["given_low"], row["given_high"]), (y, 8), ends, hollow))
    if row["low"] is not None:
        solid = f'stroke="{colour}" stroke-width="2"'
        made.append(_stroke((_x(row["low"], ends), y), (_x(row["high"], ends), y), solid))
    return made


def _bar(
    span: tuple[float, float], at: tuple[float, float], ends: Sequence[float], looks: str
) -> str:
    """Draw a bar over a span; ``at`` is its middle and its height."""
    left, right = _x(span[0], ends), _x(span[1], ends)
    y, height = at
    wide = round(max(0.0, right - left), 2)
    return f'<rect x="{left}" y="{y - height / 2}" width="{wide}" height="{height}" {looks}/>'


def _axis(ends: Sequence[float], top: float, measure: str) -> str:
    left, right, y = NAMES + MARGIN, WIDTH - MARGIN, top + 16
    digits = digits_for(ends)
    return (
        _stroke((left, top), (right, top), 'stroke="currentColor" opacity="0.3"')
        + _word(fixed(ends[0], digits), (left, y))
        + _word(plain(measure), ((left + right) / 2, y), "middle")
        + _word(fixed(ends[1], digits), (right, y), "end")
    )
