"""The forest plot of a ranking: each system's score, how sure it is, and what is not settled.

Three layers tell three things apart: a pale wide bar for bounds (what no amount of such data can
settle), a solid line for the interval (it would shrink with more data), and a hollow dashed bar
for an interval that holds under an assumption only.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.sure import bounds_heading, bounds_kind, given_interval
from consilience.render.theme import BOUNDS, PAGE, QUIET, Spec, frame, hues, number
from consilience.render.words import (
    Payload,
    by_rank,
    count,
    percent,
    place,
    plain,
    with_caveat,
    without_truth,
)

#: Height of a row of the forest plot.
FOREST_ROW = 26
#: What the two kinds of systems in the forest plot are called.
LEADING, BEHIND = "first, or not told apart from the first", "behind"
#: Heights of the bars of bounds and of intervals under an assumption.
WIDE, HOLLOW = 16, 8


def forest(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the ranking measure of each system with its interval, in rank order.

    Systems that the data cannot tell apart from the first are filled, the others hollow. Where a
    score has bounds (what no amount of such data can settle), they are a pale bar behind it. An
    interval that holds under an assumption is hollow and dashed; a shrunk value is a diamond.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None without systems, or where all values are withheld.
    """
    rows = forest_rows(payload)
    if not rows or payload.get("withheld"):
        return None
    names = [row["system"] for row in rows]
    spec = frame(forest_words(payload), rows, dark=dark)
    y = {"field": "system", "type": "nominal", "scale": {"domain": names}, "axis": names_axis()}
    spec["encoding"] = {"y": y, "tooltip": _tooltip(payload["measure"], rows)}
    spec["layer"] = _layers(plain(payload["measure"]), rows, dark=dark)
    spec["width"], spec["height"] = 640, FOREST_ROW * len(rows)
    return spec


def forest_rows(payload: Payload) -> list[Spec]:
    """List what the forest plot shows: one row per system, in rank order."""
    systems = by_rank(payload)
    level = _leading(systems, payload["ties"])
    rows = []
    for system in systems:
        score = system["scores"].get(payload["measure"]) or {}
        known = score.get("value") is not None
        low, high = (score.get("interval") if known else None) or (None, None)
        bound_low, bound_high = score.get("bounds") or (None, None)
        assumed = given_interval(score) if known and low is None else None
        given_low, given_high = assumed or (None, None)
        rows.append(
            {
                "system": plain(system["name"]),
                "rank": system["rank"],
                "place": place(system),
                "value": score.get("value"),
                "low": low,
                "high": high,
                "bound_low": bound_low,
                "bound_high": bound_high,
                "given_low": given_low,
                "given_high": given_high,
                "shrunk": score.get("shrunk"),
                "standing": LEADING if system["name"] in level else BEHIND,
            }
        )
    return rows


def _leading(systems: Sequence[Payload], ties: Sequence[Sequence[str]]) -> set[str]:
    """Name the first system and those not told apart from it; none where nobody has a rank."""
    if not systems or systems[0]["rank"] is None:
        return set()
    first = systems[0]["name"]
    return {first}.union(*(group for group in ties if first in group))


def forest_words(payload: Payload) -> str:
    """Describe the forest plot in a sentence, for readers who cannot see it."""
    rows = forest_rows(payload)
    held = {key for key in rows[0] for row in rows if row[key] is not None} if rows else set()
    sure = "low" in held or (payload["resampling"] is not None and "given_low" not in held)
    level = f" with {percent(payload['level'])} intervals" if sure else ""
    every = count(len(payload["systems"]), "system")
    said = f"{plain(payload['measure'])} of {every}{level}, in rank order."
    if len(payload["systems"]) > 1:
        said += f" Filled: {LEADING}. Hollow: {BEHIND}."
    if "bound_low" in held:
        said += f" Pale bars: {_bounds_name(payload)}."
    if "given_low" in held:
        said += f" Dashed: {percent(payload['level'])} intervals if {_assumed(payload)}."
    if "shrunk" in held:
        said += " Diamonds: shrunk values."
    return with_caveat(said, payload)


def _bounds_name(payload: Payload) -> str:
    if bounds_kind(payload):
        return bounds_heading(payload)
    return "sensitivity range" if without_truth(payload) else "bounds"


def _assumed(payload: Payload) -> str:
    found = [(s["scores"].get(payload["measure"]) or {}).get("given") for s in payload["systems"]]
    said = [plain(one["assumes"]).rstrip(".") for one in found if one and one.get("assumes")]
    return said[0] if said else "what they assume is true"


def names_axis() -> Spec:
    """Give the looks of the names beside a plot of systems."""
    return {"title": None, "domain": False, "ticks": False, "labelPadding": 8}


def _tooltip(measure: str, rows: Sequence[Spec]) -> list[Spec]:
    shown = [
        {"field": "system", "type": "nominal", "title": "system"},
        {"field": "place", "type": "nominal", "title": "rank"},
        {**number("value"), "title": plain(measure)},
        {**number("low"), "title": "from"},
        {**number("high"), "title": "to"},
        {**number("bound_low"), "title": "bound from"},
        {**number("bound_high"), "title": "bound to"},
    ]
    more = {"given_low": "if assumed, from", "given_high": "if assumed, to", "shrunk": "shrunk"}
    held = [key for key in more if any(row[key] is not None for row in rows)]
    return [*shown, *({**number(key), "title": more[key]} for key in held)]


def _layers(measure: str, rows: Sequence[Spec], *, dark: bool) -> list[Spec]:
    strong, quiet = hues(dark=dark)[0], QUIET[dark]
    axis = {"title": measure, "tickCount": 8, "labelFlush": False}
    x = {"field": "value", "type": "quantitative", "scale": {"zero": False}, "axis": axis}
    scale = {"domain": [LEADING, BEHIND], "range": [strong, quiet]}
    hue = {"field": "standing", "type": "nominal", "scale": scale, "legend": None}
    leading = f"datum.standing === '{LEADING}'"
    fill = {"condition": {"test": leading, "value": strong}, "value": PAGE[dark]}
    pale = {"type": "bar", "height": WIDE, "cornerRadius": 3, "fillOpacity": 0.14}
    pale |= {"strokeWidth": 1, "strokeDash": [2, 3], "color": BOUNDS[dark], "stroke": BOUNDS[dark]}
    hollow = {"type": "bar", "height": HOLLOW, "cornerRadius": 2, "strokeWidth": 1.5}
    hollow |= {"fill": PAGE[dark], "strokeDash": [4, 2]}
    edge = {"stroke": hue}
    values = {
        "transform": [{"filter": "datum.value !== null"}],
        "mark": {"type": "point", "size": 80, "strokeWidth": 2, "opacity": 1},
        "encoding": {"x": x, "color": hue, "fill": fill},
    }
    drawn = {"type": "point", "shape": "diamond", "size": 70, "filled": True, "opacity": 1}
    shrunk = {
        "transform": [{"filter": "datum.shrunk !== null"}],
        "mark": {**drawn, "color": hues(dark=dark)[1], "stroke": PAGE[dark], "strokeWidth": 0.5},
        "encoding": {"x": {**x, "field": "shrunk"}},
    }
    layers = {
        "bound_low": _between("bound_low", "bound_high", x, pale, {}),
        "given_low": _between("given_low", "given_high", x, hollow, edge),
        "low": _between("low", "high", x, {"type": "rule", "strokeWidth": 2.5}, {"color": hue}),
        "value": values,
        "shrunk": shrunk,
    }
    present = [layer for name, layer in layers.items() if any(r[name] is not None for r in rows)]
    return [*present, _gaps()]


def _gaps() -> Spec:
    return {
        "transform": [{"filter": "datum.value === null"}],
        "mark": {"type": "text", "text": "undefined", "align": "left", "style": "undefined"},
        "encoding": {"x": {"value": 4}},
    }


def _between(low: str, high: str, x: Spec, mark: Spec, more: Spec) -> Spec:
    return {
        "transform": [{"filter": f"datum.{low} !== null"}],
        "mark": mark,
        "encoding": {"x": {**x, "field": low}, "x2": {"field": high}, **more},
    }
