"""Charts of what to label next: what labels buy, and how likely each item was to be drawn."""

from __future__ import annotations

import math
from bisect import bisect_left

from consilience.render.theme import DASHES, QUIET, Spec, frame, hues
from consilience.render.words import Payload, count, fixed, plain

#: The two ways of drawing labels, as the legend names them.
DESIGNED, UNIFORM = "drawn by design", "drawn at random"
#: Where the bars of probabilities end that vary by more than this: each decade in three steps.
VARIES = 20
ENDS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def curve_points(payload: Payload) -> list[Payload]:
    """List what further labels are expected to buy: labels, and the two standard errors."""
    return list((payload.get("gain") or {}).get("curve") or [])


def curve(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the expected standard error against the number of labels, by design and at random.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where nothing is known of it.
    """
    rows = [
        {"labels": point["labels"], "how": how, "error": point[key]}
        for how, key in ((DESIGNED, "designed"), (UNIFORM, "uniform"))
        for point in curve_points(payload)
        if point.get(key) is not None
    ]
    if not rows:
        return None
    spec = frame(curve_words(payload), rows, dark=dark)
    legend = {"title": None, "symbolType": "stroke", "symbolStrokeWidth": 3}
    how: Spec = {"field": "how", "type": "nominal", "legend": legend}
    names = [DESIGNED, UNIFORM]
    x: Spec = {"field": "labels", "type": "quantitative", "scale": {"zero": True}}
    x |= {"axis": {"title": "further labels", "tickCount": 8, "labelFlush": False}}
    title = f"expected standard error of {plain(payload['measure'])}"
    encoding = {
        "x": x,
        "y": {"field": "error", "type": "quantitative", "axis": {"title": title, "tickCount": 6}},
        "color": {**how, "scale": {"domain": names, "range": list(hues(dark=dark)[:2])}},
        "tooltip": [
            {"field": "how", "type": "nominal"},
            {"field": "labels", "type": "quantitative"},
            {"field": "error", "type": "quantitative", "format": ".4f"},
        ],
    }
    dash = {**how, "scale": {"domain": names, "range": list(DASHES[:2])}}
    spec["layer"] = [
        {
            "data": {"values": [{"labels": payload["budget"]}]},
            "mark": {"type": "rule", "color": QUIET[dark], "strokeDash": [2, 3]},
            "encoding": {"x": x},
        },
        {
            "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 45, "opacity": 1}},
            "encoding": {**encoding, "strokeDash": dash},
        },
    ]
    spec["width"], spec["height"] = 600, 300
    return spec


def curve_words(payload: Payload) -> str:
    """Describe the chart of what labels buy in a sentence."""
    return (
        f"Expected standard error of {plain(payload['measure'])} against further labels: drawn by"
        " design (solid) and at random (dashed). The dotted line marks the budget of"
        f" {count(payload['budget'], 'label')}."
    )


def curve_cells(payload: Payload) -> list[tuple[str, ...]]:
    """Write the figures of the chart of what labels buy as rows of a table."""
    return [
        (f"{point['labels']:,}", fixed(point.get("designed")), fixed(point.get("uniform")))
        for point in curve_points(payload)
    ]


def bins(payload: Payload) -> list[Spec]:
    """Count the drawn items by their probability: even steps, or three a decade where it varies.

    Examples
    --------
    >>> rows = [{"probability": p} for p in (0.011, 0.02, 0.6, 1.0)]
    >>> [(one["between"], one["items"]) for one in bins({"rows": rows}) if one["items"]]
    [('0.01–0.02', 2), ('0.5–1', 2)]
    >>> [(one["between"], one["items"]) for one in bins({"rows": rows[2:]}) if one["items"]]
    [('0.55–0.6', 1), ('0.95–1', 1)]
    """
    found = [row["probability"] for row in payload["rows"] if row.get("probability") is not None]
    if not found:
        return []
    ends = _ends(min(found), max(found))
    places = [min(bisect_left(ends, p), len(ends) - 1) for p in found]
    return [
        {
            "between": f"{ends[place - 1] if place else 0:g}–{ends[place]:g}",
            "items": places.count(place),
        }
        for place in range(min(places), max(places) + 1)
    ]


def _ends(low: float, high: float) -> list[float]:
    """Choose where bars end: in steps of 1, 2 or 5 of some power of ten, about ten of them."""
    if high > VARIES * low:
        return list(ENDS)
    wide = (high - low) / 10 or high
    power = 10.0 ** math.floor(math.log10(wide))
    step = next(power * times for times in (1, 2, 5, 10) if power * times >= 0.999 * wide)
    first = math.floor(low / step)
    return [round(step * (first + i), 12) for i in range(math.ceil(high / step) - first + 1)]


def probabilities(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how many items have which probability of being drawn.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where nothing was drawn.
    """
    rows = bins(payload)
    if not rows:
        return None
    spec = frame(probabilities_words(payload), rows, dark=dark)
    order = [row["between"] for row in rows]
    spec["mark"] = {"type": "bar", "color": hues(dark=dark)[0]}
    spec["encoding"] = {
        "x": {
            "field": "between",
            "type": "ordinal",
            "scale": {"domain": order, "paddingInner": 0.1},
            "axis": {"title": "probability of being drawn", "labelAngle": 0, "domain": False},
        },
        "y": {"field": "items", "type": "quantitative", "axis": {"title": "items", "tickCount": 5}},
        "tooltip": [{"field": "between", "type": "nominal"}, {"field": "items"}],
    }
    spec["encoding"]["tooltip"][1]["type"] = "quantitative"
    spec["width"], spec["height"] = {"step": 78}, 200
    return spec


def probabilities_words(payload: Payload) -> str:
    """Describe the histogram of probabilities in a sentence."""
    drawn = count(len(payload["rows"]), "item")
    return f"Probability of being drawn, of the {drawn} to label."
