"""The looks of the charts: colours, dashes, and the pieces that all specifications share.

The hues are those of Okabe and Ito [1]_. Yellow is too pale for a line on white and is replaced by
a dark olive there; on a dark ground black becomes a light grey and the darkest hues are lightened.

References
----------
.. [1] M. Okabe and K. Ito, "Color Universal Design", 2008 revision.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

Spec: TypeAlias = dict[str, Any]

#: The language of the specifications.
SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
#: Eight hues for a white page.
HUES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8A7A00")
#: The same places for a dark page.
DARK_HUES = ("#4DA3DB", "#F0803C", "#2FBF96", "#DE9CC0", "#F0B040", "#8CCBF2", "#E8E8E8", "#F0E442")
#: Dashes that tell lines of the same hue apart.
DASHES = ([1, 0], [6, 3], [2, 2])
#: The colour of what stays in the background, on a light and on a dark page.
QUIET = ("#6B747E", "#98A1AB")
#: The lines of bounds, on a light and on a dark page.
BOUNDS = ("#5A636D", "#A9B0B8")
#: The page, as in the style sheet of the report: light, then dark.
PAGE = ("#FFFFFF", "#16191D")
#: Letters, fainter letters, lines, and the middle of a two-sided scale: light, then dark.
GROUND = (
    ("#1D2329", "#5A636D", "#DDE1E6", "#F1F3F5"),
    ("#E6E8EB", "#A9B0B8", "#3A4048", "#2B3037"),
)
#: Fonts that are on the reader's machine already.
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif"
#: Longest label beside an axis, in pixels.
LABEL = 190


def hues(*, dark: bool = False) -> tuple[str, ...]:
    """Give the eight hues of a light or a dark page.

    Examples
    --------
    >>> hues()[0], hues(dark=True)[0]
    ('#0072B2', '#4DA3DB')
    """
    return DARK_HUES if dark else HUES


def theme(*, dark: bool = False) -> Spec:
    """Give the Vega-Lite configuration of a light or a dark page.

    Examples
    --------
    >>> theme(dark=True)["range"]["diverging"]
    ['#F0803C', '#2B3037', '#4DA3DB']
    """
    ink, faint, line, middle = GROUND[dark]
    colours = hues(dark=dark)
    words = {
        "labelColor": ink,
        "titleColor": faint,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
    }
    lines = {"domainColor": line, "tickColor": line, "gridColor": line}
    return {
        "background": PAGE[dark],
        "font": FONT,
        "view": {"stroke": None},
        "axis": {**words, **lines, "labelLimit": LABEL},
        "header": {key: words[key] for key in ("labelColor", "titleColor")},
        "legend": {**words, "labelLimit": 240, "symbolSize": 120},
        "text": {"color": ink},
        "range": {
            "category": list(colours),
            "diverging": [colours[1], middle, colours[0]],
        },
        "style": {"undefined": {"fill": faint, "fontStyle": "italic"}},
    }


def frame(description: str, rows: Sequence[Spec], *, dark: bool) -> Spec:
    """Begin a specification: its language, its description, its data and its looks."""
    return {
        "$schema": SCHEMA,
        "description": description,
        "data": {"values": list(rows)},
        "config": theme(dark=dark),
    }


def unit(field: str) -> Spec:
    """Encode a field that runs from 0 to 1 as an axis."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {"tickCount": 6, "domain": False, "labelFlush": False},
    }


def number(field: str) -> Spec:
    """Encode a field as a number with four digits, for tooltips."""
    return {"field": field, "type": "quantitative", "format": ".4f"}


def line_styles(names: Sequence[str], *, dark: bool, legend: Spec | None = None) -> Spec:
    """Encode systems as lines that differ in hue or dash, with one legend for both."""
    colours = hues(dark=dark)
    shown = {"title": None, "symbolType": "stroke", "symbolStrokeWidth": 3, **(legend or {})}
    side: Spec = {"field": "system", "type": "nominal", "legend": shown}
    hue = [colours[i % 8] for i in range(len(names))]
    dash = [DASHES[i // 8 % 3] for i in range(len(names))]
    return {
        "color": {**side, "scale": {"domain": list(names), "range": hue}},
        "strokeDash": {**side, "scale": {"domain": list(names), "range": dash}},
    }


def legend_choice() -> tuple[Spec, Spec]:
    """Let a click on the legend bring a line forward: the parameter, and the opacity it sets."""
    chosen = {"name": "chosen", "select": {"type": "point", "fields": ["system"]}, "bind": "legend"}
    return chosen, {"condition": {"param": "chosen", "value": 1}, "value": 0.12}


def side(field: str, names: Sequence[str], axis: Spec) -> Spec:
    """Encode a side of a matrix: names in their order, without lines."""
    bare = {"title": None, "domain": False, "ticks": False, "labelPadding": 6, "labelLimit": 170}
    scale = {"domain": list(names)}
    return {"field": field, "type": "nominal", "scale": scale, "axis": {**bare, **axis}}


def across(*, few: bool) -> Spec:
    """Give the looks of the labels above a matrix: names when few, otherwise numbers."""
    small: Spec = {"labelAngle": 0, "labelFontSize": 9, "labelOverlap": "parity"}
    small["labelSeparation"] = 3
    looks = {"labelAngle": -45} if few else small
    return {"orient": "top", **looks}


def figures(field: str, *, middle: float, edge: float, dark: bool) -> Spec:
    """Write numbers into the cells of a two-sided matrix, so that they show on every colour.

    ``edge`` is how far from the middle a cell is so dark (or bright) that the letters turn.
    """
    weak, strong = ("#E6E8EB", "#101316") if dark else ("#1D2329", "#FFFFFF")
    far = f"abs(datum.{field} - {middle}) > {edge}"
    ink = {"condition": {"test": far, "value": strong}, "value": weak}
    text = {"field": "said", "type": "nominal"}
    return {"mark": {"type": "text", "fontSize": 11}, "encoding": {"text": text, "color": ink}}
