"""Charts as Vega-Lite specifications: pure functions from a payload to a dict.

Each function returns a complete specification (version 6 of Vega-Lite), or None where there is
nothing to draw. Colours are those of Okabe and Ito, which people with the usual forms of
colour blindness can tell apart; where colour carries a meaning, a shape, a dash or a number carries
it as well. A specification carries its looks: light by default, dark on request.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.theme import (
    BOUNDS,
    DASHES,
    PAGE,
    QUIET,
    Spec,
    frame,
    hues,
    legend_choice,
    line_styles,
    number,
    unit,
)
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

#: The most systems for which lines and a legend stay readable, and how many are shown beyond.
LEGEND_LIMIT, LEGEND_TOP = 20, 10
#: The most systems in the table of pairs, and the most for which its cells carry numbers.
PAIRS_LIMIT, NUMBERS_LIMIT = 60, 12
#: Height of a row of the forest plot.
FOREST_ROW = 26
#: The most points of a curve that are drawn, and the most that get a dot.
POINTS_LIMIT, DOTS_LIMIT = 2000, 100
#: What the two kinds of systems in the forest plot are called.
LEADING, BEHIND = "first, or not told apart from the first", "behind"


def forest(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the ranking measure of each system with its interval, in rank order.

    Systems that the data cannot tell apart from the first are filled, the others hollow. Where a
    score has bounds (what no amount of such data can settle), they are a dotted line behind it.

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
    y = {"field": "system", "type": "nominal", "scale": {"domain": names}, "axis": _names_axis()}
    spec["encoding"] = {"y": y, "tooltip": _forest_tooltip(payload["measure"])}
    spec["layer"] = _forest_layers(plain(payload["measure"]), rows, dark=dark)
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
    level = "" if payload["resampling"] is None else f" with {percent(payload['level'])} intervals"
    every = count(len(payload["systems"]), "system")
    said = f"{plain(payload['measure'])} of {every}{level}, in rank order."
    if len(payload["systems"]) > 1:
        said += f" Filled: {LEADING}. Hollow: {BEHIND}."
    if any(row["bound_low"] is not None for row in forest_rows(payload)):
        said += f" Dotted lines: {'sensitivity range' if without_truth(payload) else 'bounds'}."
    return with_caveat(said, payload)


def _names_axis() -> Spec:
    return {"title": None, "domain": False, "ticks": False, "labelPadding": 8}


def _forest_tooltip(measure: str) -> list[Spec]:
    return [
        {"field": "system", "type": "nominal", "title": "system"},
        {"field": "place", "type": "nominal", "title": "rank"},
        {**number("value"), "title": plain(measure)},
        {**number("low"), "title": "from"},
        {**number("high"), "title": "to"},
        {**number("bound_low"), "title": "bound from"},
        {**number("bound_high"), "title": "bound to"},
    ]


def _forest_layers(measure: str, rows: Sequence[Spec], *, dark: bool) -> list[Spec]:
    strong, quiet = hues(dark=dark)[0], QUIET[dark]
    axis = {"title": measure, "tickCount": 8, "labelFlush": False}
    x = {"field": "value", "type": "quantitative", "scale": {"zero": False}, "axis": axis}
    scale = {"domain": [LEADING, BEHIND], "range": [strong, quiet]}
    hue = {"field": "standing", "type": "nominal", "scale": scale, "legend": None}
    leading = f"datum.standing === '{LEADING}'"
    fill = {"condition": {"test": leading, "value": strong}, "value": PAGE[dark]}
    looks = {"strokeWidth": 1.25, "strokeDash": [2, 3], "color": BOUNDS[dark]}
    bounds = _forest_rule("bound_low", "bound_high", x, looks, {})
    intervals = _forest_rule("low", "high", x, {"strokeWidth": 2.5}, {"color": hue})
    values = {
        "transform": [{"filter": "datum.value !== null"}],
        "mark": {"type": "point", "size": 80, "strokeWidth": 2, "opacity": 1},
        "encoding": {"x": x, "color": hue, "fill": fill},
    }
    gaps = {
        "transform": [{"filter": "datum.value === null"}],
        "mark": {"type": "text", "text": "undefined", "align": "left", "style": "undefined"},
        "encoding": {"x": {"value": 4}},
    }
    layers = {"bound_low": bounds, "low": intervals, "value": values}
    present = [layer for name, layer in layers.items() if any(r[name] is not None for r in rows)]
    return [*present, gaps]


def _forest_rule(low: str, high: str, x: Spec, mark: Spec, more: Spec) -> Spec:
    return {
        "transform": [{"filter": f"datum.{low} !== null"}],
        "mark": {"type": "rule", **mark},
        "encoding": {"x": {**x, "field": low}, "x2": {"field": high}, **more},
    }


def shown_curves(payload: Payload) -> list[Payload]:
    """Choose the curves that are drawn: all up to 20, otherwise those of the first ten systems."""
    return chosen_few(payload, [] if payload.get("withheld") else payload["curves"])


def chosen_few(payload: Payload, curves: Sequence[Payload]) -> list[Payload]:
    """Choose among things with names: all up to 20, otherwise those of the first ten systems."""
    if len(curves) <= LEGEND_LIMIT:
        return list(curves)
    top = {system["name"] for system in by_rank(payload)[:LEGEND_TOP]}
    return [curve for curve in curves if curve["name"] in top]


def precision_recall(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw precision against recall, one line per system; beyond 20 systems the first ten.

    A click on a name of the legend brings its line forward.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None without curves.
    """
    curves = shown_curves(payload)
    if not any(curve["points"] for curve in curves):
        return None
    names = [plain(curve["name"]) for curve in curves]
    rows = [
        {"system": plain(curve["name"]), "recall": p["recall"], "precision": p["precision"]}
        for curve in curves
        for p in curve["points"]
    ]
    spec = frame(precision_recall_words(payload), rows, dark=dark)
    spec["width"], spec["height"] = 640, 400
    chosen, opacity = legend_choice()
    spec["params"] = [chosen]
    spec["mark"] = {"type": "line", "strokeWidth": 2, "interpolate": "linear", "clip": True}
    spec["encoding"] = {
        "x": unit("recall"),
        "y": unit("precision"),
        "opacity": opacity,
        "tooltip": [
            {"field": "system", "type": "nominal"},
            number("recall"),
            number("precision"),
        ],
        **line_styles(names, dark=dark),
    }
    return spec


def precision_recall_words(payload: Payload) -> str:
    """Describe the precision-recall chart, and say when it does not show every system."""
    every, shown = len(payload["curves"]), len(shown_curves(payload))
    if shown == every:
        return with_caveat(f"Precision against recall of {count(every, 'system')}.", payload)
    some = f"the first {shown} of {every} systems; the table holds all."
    return with_caveat(f"Precision against recall of {some}", payload)


def curve(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw a precision-recall curve as steps, with the interpolated curve above it.

    The lines go through the cutoffs where recall rises, because these alone decide both AP
    variants. The interpolated precision (the highest from each recall on) is found by the chart.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where recall is undefined or nothing relevant was found.
    """
    points = curve_points(payload)
    if not points:
        return None
    spec = frame(curve_words(payload), points, dark=dark)
    highest = {"op": "max", "field": "precision", "as": "interpolated"}
    spec["transform"] = [
        {"window": [highest], "sort": [{"field": "k", "order": "descending"}], "frame": [None, 0]},
        {"calculate": "datum.precision", "as": "step"},
        {"fold": ["step", "interpolated"], "as": ["line", "height"]},
    ]
    spec["width"], spec["height"] = 640, 400
    lines = {"mark": {"type": "line", "interpolate": "step-before", "strokeWidth": 2}}
    dots = {
        "transform": [{"filter": "datum.line === 'step' && datum.k > 0"}],
        "mark": {"type": "point", "filled": True, "size": 45, "opacity": 1},
    }
    spec["layer"] = [lines, dots] if len(points) <= DOTS_LIMIT else [lines]
    spec["encoding"] = {
        "x": unit("recall"),
        "y": {**unit("height"), "title": "precision"},
        "order": {"field": "k", "type": "quantitative"},
        "tooltip": [{"field": "line"}, {"field": "k"}, number("recall"), number("height")],
        **_line_pair(dark),
    }
    return spec


def _line_pair(dark: bool) -> Spec:
    lines = ["step", "interpolated"]
    legend = {"title": None, "symbolType": "stroke", "symbolStrokeWidth": 3}
    side: Spec = {"field": "line", "type": "nominal", "legend": legend}
    return {
        "color": {**side, "scale": {"domain": lines, "range": list(hues(dark=dark)[:2])}},
        "strokeDash": {**side, "scale": {"domain": lines, "range": list(DASHES[:2])}},
    }


def curve_points(payload: Payload) -> list[Spec]:
    """Choose the cutoffs where recall rises, at most 2,000 of them, and a start at recall 0.

    Examples
    --------
    >>> cutoffs = [
    ...     {"k": 1, "precision": 1.0, "recall": 0.5},
    ...     {"k": 2, "precision": 0.5, "recall": 0.5},
    ... ]
    >>> [(point["k"], point["recall"]) for point in curve_points({"cutoffs": cutoffs})]
    [(0, 0.0), (1, 0.5)]
    """
    hits: list[Spec] = []
    reached = 0.0
    for row in payload["cutoffs"]:
        if row["recall"] is not None and row["precision"] is not None and row["recall"] > reached:
            hits.append({name: row[name] for name in ("k", "precision", "recall")})
            reached = row["recall"]
    if not hits:
        return []
    thinned = hits[:: len(hits) // POINTS_LIMIT + 1]
    if thinned[-1] is not hits[-1]:
        thinned.append(hits[-1])
    return [{**hits[0], "k": 0, "recall": 0.0}, *thinned]


def curve_words(payload: Payload) -> str:
    """Describe the chart of a curve in a sentence."""
    name = plain(payload["name"])
    return f"Precision against recall of {name}: the steps, and the interpolated curve (dashed)."
