"""Charts of systems against subjects: a dot for each subject, and how far w could range."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.theme import QUIET, Spec, frame, hues, number
from consilience.render.words import Payload, count, fixed, percent, plain

#: Height of a system's row, and of a list's row.
ROW, THIN = 44, 15
#: The most lists (system, query, subject) that the chart of ranges shows.
RANGES = 60


def ordered(payload: Payload) -> list[str]:
    """Name the systems, the highest mean quality first."""
    known = payload["aggregate"]
    return sorted(payload["systems"], key=lambda name: -known[name]["quality"])


def qualities(payload: Payload, *, dark: bool = False) -> Spec:
    """Draw one row per system: a dot for each subject, a tick at the mean, the interval."""
    names = [plain(name) for name in ordered(payload)]
    dots = [
        {"system": plain(system), "subject": plain(subject), "quality": value}
        for system in ordered(payload)
        for subject, value in payload["aggregate"][system]["by_subject"].items()
    ]
    means = []
    for system in ordered(payload):
        one = payload["aggregate"][system]
        low, high = one["interval"] or (None, None)
        means.append({"system": plain(system), "mean": one["quality"], "low": low, "high": high})
    spec = frame(qualities_words(payload), dots, dark=dark)
    y = {"field": "system", "type": "nominal", "scale": {"domain": names}, "axis": _names_axis()}
    strong, quiet = hues(dark=dark)[1], hues(dark=dark)[0]
    tooltip = [{"field": "system", "type": "nominal"}, {"field": "subject", "type": "nominal"}]
    spec["encoding"] = {"y": y}
    spec["layer"] = [
        {
            "data": {"values": means},
            "transform": [{"filter": "isValid(datum.low)"}],
            "mark": {"type": "rule", "strokeWidth": 3, "color": strong, "opacity": 0.55},
            "encoding": {"x": _quality("low"), "x2": {"field": "high"}, "tooltip": _mean_tip()},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 70, "color": quiet, "opacity": 0.6},
            "encoding": {"x": _quality("quality"), "tooltip": [*tooltip, number("quality")]},
        },
        {
            "data": {"values": means},
            "mark": {"type": "tick", "thickness": 3, "size": 26, "color": strong},
            "encoding": {"x": _quality("mean"), "tooltip": _mean_tip()},
        },
    ]
    spec["width"], spec["height"] = 640, ROW * len(names)
    return spec


def _names_axis() -> Spec:
    return {"title": None, "domain": False, "ticks": False, "labelPadding": 8}


def _quality(field: str) -> Spec:
    axis = {"title": "quality", "tickCount": 8, "labelFlush": False}
    return {"field": field, "type": "quantitative", "scale": {"zero": True}, "axis": axis}


def _mean_tip() -> list[Spec]:
    return [{"field": "system", "type": "nominal"}, *map(number, ("mean", "low", "high"))]


def qualities_words(payload: Payload) -> str:
    """Describe the chart of qualities in a sentence."""
    who = f"{count(len(payload['systems']), 'system')}, {count(len(payload['people']), 'subject')}"
    said = f"Quality of {who}: a dot is a subject, averaged over the subject's queries; "
    said += "the tick is the mean over subjects"
    if payload["resampling"]:
        said += f", the bar its {percent(payload['level'])} interval over subjects"
    return f"{said}."


def range_rows(payload: Payload) -> list[Spec]:
    """List the first lists that the chart of ranges shows: w as counted, and from where to where.

    An exact w has no range; where the collection is not known, a range has no end.
    """
    rows = []
    for one in sorted(payload["subjects"], key=lambda one: (one["query"], one["name"])):
        rows.append(
            {
                "list": f"{plain(one['query'])} · {plain(one['name'])}",
                "system": plain(one["system"]),
                "w": one["w"],
                "low": one["w_optimist"],
                "high": one["w_pessimist"],
                "counts": one["hypothesis"],
            }
        )
    shown = list(dict.fromkeys(row["list"] for row in rows))[: _fits(payload)]
    return [row for row in rows if row["list"] in shown]


def _fits(payload: Payload) -> int:
    """How many lists of subjects fit, with a line for each system."""
    return max(1, RANGES // max(1, len(payload["systems"])))


def ranges(payload: Payload, *, dark: bool = False) -> Spec:
    """Draw w of each list and system: a dot where it counts, a line from optimist to pessimist."""
    rows = range_rows(payload)
    names = [plain(name) for name in ordered(payload)]
    spec = frame(ranges_words(payload), rows, dark=dark)
    lists = list(dict.fromkeys(row["list"] for row in rows))
    colours = hues(dark=dark)
    scale = {"domain": names, "range": [colours[i % len(colours)] for i in range(len(names))]}
    legend = {"title": None, "orient": "bottom", "columns": 4}
    spec["encoding"] = {
        "y": {
            "field": "list",
            "type": "nominal",
            "scale": {"domain": lists},
            "axis": _names_axis(),
        },
        "yOffset": {"field": "system", "type": "nominal", "scale": {"domain": names}},
        "tooltip": [
            *({"field": key, "type": "nominal"} for key in ("list", "system", "counts")),
            *map(number, ("w", "low", "high")),
        ],
    }
    x = {
        "type": "quantitative",
        "axis": {"title": "weighted displacement w", "tickCount": 8, "labelFlush": False},
        "scale": {"type": "symlog"} if _far(rows) else {"zero": True},
    }
    colour = {"field": "system", "type": "nominal", "scale": scale, "legend": legend}
    spec["layer"] = [
        {
            "transform": [{"filter": "isValid(datum.low) && isValid(datum.high)"}],
            "mark": {"type": "rule", "strokeWidth": 2, "color": QUIET[dark], "opacity": 0.7},
            "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}},
        },
        {
            "transform": [{"filter": "isValid(datum.w)"}],
            "mark": {"type": "point", "size": 50, "strokeWidth": 2},
            "encoding": {
                "x": {"field": "w", **x},
                "color": colour,
                "fill": {
                    "condition": {
                        "test": "datum.counts === 'exact'",
                        "field": "system",
                        "type": "nominal",
                        "scale": scale,
                        "legend": None,
                    },
                    "value": "transparent",
                },
            },
        },
    ]
    spec["width"], spec["height"] = 600, max(60, THIN * len(rows))
    return spec


def _far(rows: Sequence[Spec]) -> bool:
    """Tell whether values differ so much that a plain axis would hide the small ones."""
    known = [row[key] for row in rows for key in ("w", "high") if row[key] is not None]
    small = sorted(row["w"] for row in rows if row["w"] is not None)
    return bool(small) and max(known) > 50 * (small[len(small) // 2] + 1)


def ranges_words(payload: Payload) -> str:
    """Describe the chart of ranges, and say when it does not show every list."""
    every = len({(one["query"], one["name"]) for one in payload["subjects"]})
    shown = len(dict.fromkeys(row["list"] for row in range_rows(payload)))
    which = f"the first {shown} of {every} lists" if shown < every else count(every, "list")
    return (
        f"Weighted displacement of each system on {which} of subjects. Filled: exact. Hollow: some "
        "items were not returned; the line leads from the optimist's w to the pessimist's."
    )


def range_cells(payload: Payload) -> list[tuple[str, ...]]:
    """Write the figures of the chart of ranges as rows of a table."""
    return [
        (
            row["list"],
            row["system"],
            fixed(row["w"]),
            fixed(row["low"]),
            fixed(row["high"]),
            row["counts"],
        )
        for row in range_rows(payload)
    ]
