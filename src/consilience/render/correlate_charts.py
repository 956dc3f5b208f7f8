"""Charts of compared rankings: every system's place in each, and place against place."""

from __future__ import annotations

from typing import Any

from consilience.render.theme import QUIET, Spec, frame, hues, number
from consilience.render.words import Payload, count, fixed, plain, some

#: The most systems whose lines can be told apart, and the most rankings beside each other.
LINES, BESIDE = 40, 10
#: The fewest systems that make a cloud of dots.
DOTS = 13
#: Height of a place, width between rankings, and the side of a panel of places.
ROW, STEP, SIDE = 19, 150, 250
#: Panels beside each other.
PANELS = 3


def names(payload: Payload) -> list[str]:
    """Name the rankings, the reference first."""
    return [payload["reference"]["name"], *(one["name"] for one in payload["rankings"])]


def _places(payload: Payload) -> list[dict[str, Any]]:
    """Give one row for every system and ranking: its place, from the reference's order."""
    rows = []
    for one in payload["systems"]:
        told = {payload["reference"]["name"]: one["reference"], **one["others"]}
        for name in names(payload):
            if name in told:
                rows.append(
                    {
                        "system": plain(one["name"]),
                        "ranking": plain(name),
                        "rank": told[name]["rank"],
                        "score": told[name]["score"],
                        "true": one["reference"]["rank"],
                    }
                )
    return rows


def slopes(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw a line for every system from its place in one ranking to that in the next.

    Lines of those that the reference, or another ranking, puts first stand out. None where there
    are too many systems or rankings to follow a line.
    """
    columns = [plain(name) for name in names(payload)]
    if not 1 < len(payload["systems"]) <= LINES or len(columns) > BESIDE:
        return None
    rows = _places(payload)
    ahead = {row["system"] for row in rows if row["rank"] == 1}
    for row in rows:
        best = "best" if row["true"] == 1 else "chosen"
        row["first"] = best if row["system"] in ahead else ""
    spec = frame(slopes_words(payload), rows, dark=dark)
    last = len(payload["systems"])
    x = {
        "field": "ranking",
        "type": "ordinal",
        "scale": {"domain": columns, "type": "point", "padding": 0.2},
        "axis": {"title": None, "orient": "top", "labelAngle": 0, "labelLimit": STEP - 10},
    }
    y = {
        "field": "rank",
        "type": "quantitative",
        "scale": {"domain": [last + 0.5, 0.5], "nice": False},
        "axis": None,
    }
    best, chosen, *_ = hues(dark=dark)
    hue = {
        "condition": [
            {"test": "datum.first === 'best'", "value": best},
            {"test": "datum.first === 'chosen'", "value": chosen},
        ],
        "value": QUIET[dark],
    }
    spec["encoding"] = {"x": x, "y": y, "tooltip": _tip("ranking")}
    spec["layer"] = [
        {
            "mark": {"type": "line", "strokeWidth": 2},
            "encoding": {
                "detail": {"field": "system", "type": "nominal"},
                "color": hue,
                "opacity": {"condition": {"test": "datum.first", "value": 1}, "value": 0.5},
            },
        },
        {
            "mark": {"type": "point", "filled": True, "size": 55, "opacity": 1},
            "encoding": {"color": hue},
        },
        _labels(columns[0], "right", -9),
        _labels(columns[-1], "left", 9),
    ]
    spec["width"], spec["height"] = STEP * (len(columns) - 1) + 60, max(90, ROW * last)
    return spec


def _labels(ranking: str, align: str, shift: int) -> Spec:
    """Write the systems' names beside the first or the last ranking; tied ones share a line."""
    return {
        "transform": [
            {"filter": {"field": "ranking", "equal": ranking}},
            {
                "aggregate": [{"op": "values", "as": "tied"}],
                "groupby": ["rank", "ranking"],
            },
            {
                "calculate": "length(datum.tied) > 2 ? datum.tied[0].system + ' and ' + "
                "(length(datum.tied) - 1) + ' more' : join(pluck(datum.tied, 'system'), ', ')",
                "as": "label",
            },
        ],
        "mark": {"type": "text", "align": align, "dx": shift, "fontSize": 11, "limit": 190},
        "encoding": {"text": {"field": "label", "type": "nominal"}, "tooltip": {"value": None}},
    }


def _tip(*also: str) -> list[Spec]:
    return [
        *({"field": key, "type": "nominal"} for key in ("system", *also)),
        {"field": "rank", "type": "quantitative", "title": "place"},
        number("score"),
    ]


def slopes_words(payload: Payload) -> str:
    """Describe the chart of lines in a sentence."""
    who = count(len(payload["systems"]), "system")
    return (
        f"Places of {who} by {some(names(payload))}, the first one on top: a line follows a system "
        "from ranking to ranking, and crossing lines are pairs in different order. Blue: what "
        f"{plain(payload['reference']['name'])} puts first; orange: what others put first."
    )


def scatter(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw a dot for every system: its place by the reference across, by another ranking down.

    None for few systems: lines tell more.
    """
    if len(payload["systems"]) < DOTS:
        return None
    reference = plain(payload["reference"]["name"])
    rows = [row for row in _places(payload) if row["ranking"] != reference]
    order = [plain(one["name"]) for one in payload["rankings"]]
    last = len(payload["systems"])
    spec = frame(scatter_words(payload), rows, dark=dark)
    scale = {"domain": [0.5, last + 0.5], "nice": False}
    axis = {"tickMinStep": 1, "tickCount": 6, "grid": True}
    x = {"field": "true", "type": "quantitative", "scale": scale}
    y = {"field": "rank", "type": "quantitative", "scale": {**scale, "reverse": True}}
    ends = [{"at": 1}, {"at": last}]
    dots = {
        "mark": {
            "type": "point",
            "filled": True,
            "size": 46 if last <= 100 else 22,
            "color": hues(dark=dark)[0],
            "opacity": 0.75,
        },
        "encoding": {
            "x": {**x, "axis": {**axis, "title": f"place by {reference}"}},
            "y": {**y, "axis": {**axis, "title": "place by the other"}},
            "tooltip": [*_tip("ranking"), {"field": "true", "title": f"place by {reference}"}],
        },
    }
    even = {
        "data": {"values": ends},
        "mark": {"type": "line", "color": QUIET[dark], "strokeDash": [4, 4], "strokeWidth": 1},
        "encoding": {
            "x": {"field": "at", "type": "quantitative", "scale": scale},
            "y": {"field": "at", "type": "quantitative", "scale": {**scale, "reverse": True}},
        },
    }
    spec["facet"] = {
        "field": "ranking",
        "type": "nominal",
        "sort": order,
        "title": None,
        "header": {"labelFontSize": 12, "labelLimit": SIDE},
    }
    spec["columns"] = min(PANELS, len(order))
    spec["spec"] = {"width": SIDE, "height": SIDE, "layer": [even, dots]}
    return spec


def scatter_words(payload: Payload) -> str:
    """Describe the chart of places in a sentence."""
    reference = plain(payload["reference"]["name"])
    return (
        f"Every system's place by {reference} (across) and by another ranking (down). On the "
        "dashed line both agree; below it a system is put lower than it deserves, above it higher."
    )


def place_cells(payload: Payload) -> list[tuple[str, ...]]:
    """Write every system's place in each ranking, and its score by the reference."""
    others = [one["name"] for one in payload["rankings"]]
    return [
        (
            one["name"],
            str(one["reference"]["rank"]),
            fixed(one["reference"]["score"]),
            *(
                str(one["others"][name]["rank"]) if name in one["others"] else "–"
                for name in others
            ),
        )
        for one in payload["systems"]
    ]
