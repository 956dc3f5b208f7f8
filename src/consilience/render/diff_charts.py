"""The chart of two results side by side: where each system stood, and where it stands now."""

from __future__ import annotations

from consilience.render.theme import QUIET, Spec, frame, hues, number
from consilience.render.words import Payload, count, fixed, plain

#: Height of a row; the most rows that are drawn.
ROW, ROWS = 30, 60
#: How the two sides are called in the legend.
SIDES = ("before", "now")


def drawn(payload: Payload) -> list[Payload]:
    """Give the figures that the chart shows: those with a value on both sides."""
    both = [one for one in payload["figures"] if one["difference"] is not None]
    return both[:ROWS]


def moved(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw a row for each system: a hollow dot before, a full one now, a line between them."""
    rows = drawn(payload)
    if not rows:
        return None
    names = [plain(one["name"]) for one in rows]
    lines = [
        {
            "name": plain(one["name"]),
            "from": one["before"]["value"],
            "to": one["after"]["value"],
            "difference": one["difference"],
        }
        for one in rows
    ]
    dots = [
        {"name": plain(one["name"]), "when": when, "value": one[side]["value"]}
        for one in rows
        for side, when in zip(("before", "after"), SIDES, strict=True)
    ]
    spec = frame(moved_words(payload), dots, dark=dark)
    axis = {"title": None, "domain": False, "ticks": False, "labelPadding": 8}
    spec["encoding"] = {
        "y": {"field": "name", "type": "nominal", "scale": {"domain": names}, "axis": axis}
    }
    full = hues(dark=dark)[0]
    shades = {"domain": [*SIDES], "range": [QUIET[dark], full]}
    filled = {"domain": [*SIDES], "range": ["transparent", full]}
    name = {"field": "name", "type": "nominal", "title": payload["noun"]}
    when = {"field": "when", "type": "nominal"}
    spec["layer"] = [
        {
            "data": {"values": lines},
            "mark": {"type": "rule", "strokeWidth": 3, "color": QUIET[dark], "opacity": 0.6},
            "encoding": {
                "x": _value("from", payload),
                "x2": {"field": "to"},
                "tooltip": [name, *map(number, ("from", "to", "difference"))],
            },
        },
        {
            "mark": {"type": "point", "size": 110, "strokeWidth": 2, "opacity": 1},
            "encoding": {
                "x": _value("value", payload),
                "stroke": {**when, "scale": shades, "legend": None},
                "fill": {**when, "scale": filled, "legend": None},
                "tooltip": [name, {**when, "title": "when"}, number("value")],
            },
        },
    ]
    spec["width"], spec["height"] = 640, ROW * len(names)
    return spec


def _value(field: str, payload: Payload) -> Spec:
    axis = {"title": plain(payload["measure"]), "tickCount": 8, "labelFlush": False}
    return {"field": field, "type": "quantitative", "scale": {"zero": False}, "axis": axis}


def moved_words(payload: Payload) -> str:
    """Describe the chart in a sentence."""
    rows = drawn(payload)
    who = count(len(rows), payload["noun"] or "system")
    said = f"{plain(payload['measure'])} of {who}: a hollow dot before, a full dot now"
    most = max(rows, key=lambda one: abs(one["difference"]), default=None)
    if most is not None and most["difference"]:
        told = fixed(most["difference"])
        sign = "+" if most["difference"] > 0 and not told.startswith("+") else ""
        said += f"; {plain(most['name'])} moved most ({sign}{told})"
    return f"{said}."
