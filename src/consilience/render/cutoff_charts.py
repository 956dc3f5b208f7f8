"""Precision and recall at each cutoff, one line per system, in two panels side by side."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.charts import chosen_few
from consilience.render.markup import table
from consilience.render.theme import Spec, frame, legend_choice, line_styles, number
from consilience.render.words import Payload, count, fixed, plain, with_caveat

#: The most cutoffs of a line that are drawn, and the most rows of the table beside the chart.
DRAWN, LISTED = 120, 30
#: The most cutoffs that get a dot, and the greatest cutoff of a linear axis.
DOTS, LINEAR = 15, 50
#: The two panels.
PANELS = ("precision", "recall")


def cutoffs(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw precision at k and recall at k of each system; beyond 20 systems the first ten.

    A click on a name of the legend brings its lines forward. Where k goes far, its axis is
    logarithmic and not every cutoff is drawn. The heights begin at 0 and end at the data, in each
    panel for itself.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None without cutoffs.
    """
    lines = _shown(payload)
    rows = [
        {"system": plain(line["name"]), **{key: point[key] for key in ("k", *PANELS)}}
        for line in lines
        for point in spread(line["points"], DRAWN)
    ]
    if not rows:
        return None
    spec = frame(cutoffs_words(payload), rows, dark=dark)
    spec["transform"] = [{"fold": list(PANELS), "as": ["panel", "share"]}]
    chosen, opacity = legend_choice()
    spec["params"] = [chosen]
    spec["width"], spec["height"] = 400, 300
    few = max(len(line["points"]) for line in lines) <= DOTS
    spec["mark"] = {"type": "line", "strokeWidth": 2, **({"point": True} if few else {})}
    spec["resolve"] = {"scale": {"y": "independent"}}
    legend = {"orient": "bottom", "columns": 4}
    spec["encoding"] = {
        "facet": _panels(),
        "x": _axis(max(row["k"] for row in rows)),
        "y": _height(),
        "opacity": opacity,
        "tooltip": [
            {"field": "system", "type": "nominal"},
            {"field": "k", "type": "quantitative"},
            *(number(panel) for panel in PANELS),
        ],
        **line_styles([plain(line["name"]) for line in lines], dark=dark, legend=legend),
    }
    return spec


def _shown(payload: Payload) -> list[Payload]:
    known = [] if payload.get("withheld") else payload.get("cutoffs") or []
    return [line for line in chosen_few(payload, known) if line["points"]]


def _panels() -> Spec:
    header = {"title": None, "labelExpr": "datum.value + ' at k'", "labelFontSize": 13}
    return {"field": "panel", "type": "nominal", "columns": 2, "header": header}


def _height() -> Spec:
    """Encode the share on an axis from 0 to where the data of the panel end."""
    axis = {"title": None, "tickCount": 6, "domain": False, "labelFlush": False}
    scale = {"zero": True, "nice": axis["tickCount"]}
    return {"field": "share", "type": "quantitative", "scale": scale, "axis": axis}


def _axis(deepest: int) -> Spec:
    scale: Spec = {"domain": [1, max(2, deepest)], "nice": False}
    axis: Spec = {"title": "k", "grid": False, "tickMinStep": 1, "format": "d"}
    axis |= {"tickCount": 8, "labelFlush": False}
    if deepest > LINEAR:
        scale["type"] = "log"
        axis |= {"title": "k (logarithmic)", "tickCount": 5}
    return {"field": "k", "type": "quantitative", "scale": scale, "axis": axis}


def spread(points: Sequence[Payload], most: int) -> list[Payload]:
    """Choose so many points at most: the first ones densely, then ever wider, and the last.

    Examples
    --------
    >>> spread([{"k": k} for k in range(1, 5)], 10)
    [{'k': 1}, {'k': 2}, {'k': 3}, {'k': 4}]
    >>> [point["k"] for point in spread([{"k": k} for k in range(1, 1001)], 6)]
    [1, 4, 16, 63, 251, 1000]
    """
    last = len(points) - 1
    if last < most:
        return list(points)
    places = {round((1 + last) ** (i / (most - 1))) - 1 for i in range(most)}
    return [points[place] for place in sorted(places)]


def cutoffs_words(payload: Payload) -> str:
    """Describe the chart of cutoffs, and say when it does not show every system."""
    every, shown = len(payload.get("cutoffs") or []), len(_shown(payload))
    who = count(every, "system")
    if shown < every:
        who = f"the first {shown} of {every} systems; the table holds all"
    return with_caveat(f"Precision and recall at each cutoff k of {who}.", payload)


def cutoffs_twin(payload: Payload) -> str:
    """Write precision and recall of every system at some cutoffs as two tables."""
    lines = payload["cutoffs"]
    deepest = max((line["points"] for line in lines), key=len)
    ks = [point["k"] for point in spread(deepest, LISTED)]
    some = "" if len(ks) == len(deepest) else f"; {len(ks)} of {len(deepest):,} cutoffs"
    known = [{point["k"]: point for point in line["points"]} for line in lines]
    made = []
    for panel in PANELS:
        rows = [[str(k), *(fixed(of.get(k, {}).get(panel)) for of in known)] for k in ks]
        title = with_caveat(f"{panel.capitalize()} at each cutoff k{some}.", payload)
        header = ["k", *(line["name"] for line in lines)]
        made.append(table(header, rows, kinds=["head", *("cell" for _ in lines)], title=title))
    return "\n".join(made)
