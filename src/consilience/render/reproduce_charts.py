"""Charts of experiments: rows of data as lines, dots or bars, in one panel or several."""

from __future__ import annotations

from typing import Any

from consilience.render.theme import DASHES, GROUND, QUIET, Spec, frame, hues
from consilience.render.words import Payload, fixed, plain

#: Width of a lone panel and of one among several, height of a panel, panels beside each other.
ALONE, AMONG, HEIGHT, BESIDE = 560, 270, 250, 2
#: The most room that a name on an axis may take, and the room of a letter, in pixels.
NAMES, LETTER = 150, 7


def figure(one: Payload, *, dark: bool = False) -> Spec | None:
    """Draw a figure of an experiment; None where it has no rows.

    Examples
    --------
    >>> axis = {"title": "k", "ends": None, "names": [], "reverse": False}
    >>> told = {"title": "", "words": "w", "mark": "line", "series": None, "panel": None}
    >>> told |= {"x": {**axis, "field": "k"}, "y": {**axis, "field": "P"}}
    >>> drawn = figure({**told, "rows": [{"k": 1, "P": 0.5}]})
    >>> drawn["layer"][0]["mark"]["type"], drawn["encoding"]["x"]["field"]
    ('line', 'k')
    """
    rows = [{key: _shown(value) for key, value in row.items()} for row in one["rows"]]
    if not rows:
        return None
    spec = frame(plain(one["words"]), rows, dark=dark)
    width = AMONG if one["panel"] else ALONE
    x = _axis(one["x"])
    if one["x"]["names"]:
        x["axis"]["labelAngle"] = _angle(one["x"]["names"], width)
    encoding: Spec = {"x": x, "y": _axis(one["y"]), "tooltip": _tip(one)}
    if one["series"]:
        encoding |= _series(one, rows, dark=dark)
    layers = _layers(one, rows, dark=dark)
    if not one["panel"]:
        return {**spec, "encoding": encoding, "layer": layers, "width": width, "height": HEIGHT}
    spec["facet"] = {
        "field": one["panel"],
        "type": "nominal",
        "sort": _first_seen(rows, one["panel"]),
        "title": None,
        "header": {"labelFontSize": 12, "labelLimit": width},
    }
    spec["columns"] = BESIDE
    spec["spec"] = {"width": width, "height": HEIGHT, "encoding": encoding, "layer": layers}
    return spec


def _shown(value: Any) -> Any:
    return plain(value) if isinstance(value, str) else value


def _first_seen(rows: list[Spec], field: str) -> list[Any]:
    return list(dict.fromkeys(row[field] for row in rows))


def _angle(names: list[str], width: int) -> int:
    """Turn the names on a horizontal axis where they are too long to stand side by side."""
    longest = max(len(plain(name)) for name in names)
    return 0 if longest * LETTER < width / len(names) else -40


def _axis(axis: Payload) -> Spec:
    """Encode a field as an axis of numbers, or of words in their order."""
    made: Spec = {"field": axis["field"], "title": plain(axis["title"]) or None}
    if axis["names"]:
        names = [plain(name) for name in axis["names"]]
        shown = {"labelLimit": NAMES, "labelOverlap": False}
        return made | {"type": "nominal", "sort": names, "scale": {"domain": names}, "axis": shown}
    scale: Spec = {"zero": False, "reverse": axis["reverse"]}
    if axis["ends"] is not None:
        scale |= {"domain": axis["ends"], "nice": False}
    return made | {"type": "quantitative", "scale": scale, "axis": {"tickCount": 6}}


def _series(one: Payload, rows: list[Spec], *, dark: bool) -> Spec:
    """Tell series apart by colour, and lines by dashes as well where colours run out."""
    names = _first_seen(rows, one["series"])
    colours = hues(dark=dark)
    legend: Spec = {"title": None, "orient": "bottom", "columns": 3, "symbolStrokeWidth": 3}
    if one["mark"] == "line":
        legend["symbolType"] = "stroke"
    field = {"field": one["series"], "type": "nominal", "legend": legend}
    ranges = [colours[place % len(colours)] for place in range(len(names))]
    made: Spec = {"color": {**field, "scale": {"domain": names, "range": ranges}}}
    if one["mark"] == "line":
        dashes = [DASHES[place % len(DASHES)] for place in range(len(names))]
        made["strokeDash"] = {**field, "scale": {"domain": names, "range": dashes}}
    named = bool(one["x"]["names"] or one["y"]["names"])
    if one["mark"] == "bar" or (one["mark"] == "dot" and named and _spread(rows)):
        way = "xOffset" if one["x"]["names"] else "yOffset"
        made[way] = {"field": one["series"], "type": "nominal", "sort": names}
    return made


def _layers(one: Payload, rows: list[Spec], *, dark: bool) -> list[Spec]:
    marks: dict[str, Spec] = {
        "line": {"type": "line", "strokeWidth": 2, "clip": True},
        "dot": {"type": "point", "filled": True, "size": 60, "opacity": 0.9},
        "bar": {"type": "bar"},
    }
    alone = {} if one["series"] else {"color": hues(dark=dark)[0]}
    layers: list[Spec] = [{"mark": marks[one["mark"]] | alone}]
    if one["mark"] != "bar" and _crosses_zero(one["y"], rows):
        zero = {"type": "rule", "color": QUIET[dark], "strokeDash": [4, 4]}
        layers.insert(0, {"mark": zero, "encoding": _at_zero()})
    if one["mark"] == "line":
        dots = {"type": "point", "filled": True, "size": 30, "clip": True} | alone
        layers.append({"mark": dots, "encoding": {"strokeDash": {"value": [1, 0]}}})
    if _spread(rows):
        along, ends = ("y", "y2") if not one["y"]["names"] else ("x", "x2")
        spread = {along: {**_axis(one[along]), "field": "low"}, ends: {"field": "high"}}
        if one["mark"] == "bar":
            spread["color"] = {"value": GROUND[dark][0]}
        layers.append({"mark": {"type": "rule", "strokeWidth": 1.5} | alone, "encoding": spread})
    return layers


def _spread(rows: list[Spec]) -> bool:
    """Tell whether rows have ends to be joined; beside names such lines would hide each other."""
    return any("low" in row and "high" in row for row in rows)


def _crosses_zero(axis: Payload, rows: list[Spec]) -> bool:
    values = [0.0] if axis["names"] else [row.get(axis["field"]) or 0.0 for row in rows]
    return min(values) < 0 < max(values)


def _at_zero() -> Spec:
    """Draw across the whole panel, and once only."""
    across: Spec = dict.fromkeys(("x", "tooltip", "color", "strokeDash"))
    return {**across, "y": {"datum": 0}}


def _tip(one: Payload) -> list[Spec]:
    named = [name for name in (one["panel"], one["series"]) if name]
    words = [{"field": name, "type": "nominal"} for name in named]
    for axis in (one["x"], one["y"]):
        kind = "nominal" if axis["names"] else "quantitative"
        words.append({"field": axis["field"], "type": kind, "title": plain(axis["title"])})
    return words


def cells(one: Payload) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Write the figures behind a chart as a table: the header, and the rows."""
    fields = list(dict.fromkeys(key for row in one["rows"] for key in row))
    titles = {axis["field"]: plain(axis["title"]) for axis in (one["x"], one["y"])}
    header = tuple(titles.get(name) or name for name in fields)
    return header, [tuple(_cell(row.get(name)) for name in fields) for row in one["rows"]]


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return fixed(value)
    return fixed(None) if value is None else plain(value)
