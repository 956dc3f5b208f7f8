"""Charts as Vega-Lite specifications: pure functions from a payload to a dict.

Each function returns a complete specification (version 6 of Vega-Lite), or None where there is
nothing to draw. Colours are those of Okabe and Ito, which people with the usual forms of
colour blindness can tell apart; where colour carries a meaning, a shape, a dash or a number carries
it as well. A specification carries its looks: light by default, dark on request.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.theme import (
    DASHES,
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
    plain,
    with_caveat,
)

#: The most systems for which lines and a legend stay readable, and how many are shown beyond.
LEGEND_LIMIT, LEGEND_TOP = 20, 10
#: The most systems in the table of pairs, and the most for which its cells carry numbers.
PAIRS_LIMIT, NUMBERS_LIMIT = 60, 12
#: The most points of a curve that are drawn, and the most that get a dot.
POINTS_LIMIT, DOTS_LIMIT = 2000, 100


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
