"""Charts of detections: precision against recall, AP of each class, and the boxes of one image."""

from __future__ import annotations

from typing import Any

from consilience.render.theme import GROUND, Spec, frame, hues, number, unit
from consilience.render.words import Payload, fixed, plain

#: The most classes that the chart of classes shows, and the height of a row.
CLASSES, ROW = 40, 20
#: The size of the drawn image's longer side.
SIDE = 640
STATES = ("matched", "missed", "false")


def curve_rows(payload: Payload) -> list[Spec]:
    """List the points of the mean precision-recall curves."""
    ap = payload["ap"] or {"curves": [], "recall_points": []}
    return [
        {"iou": f"{curve['iou']:.2f}", "recall": recall, "precision": precision}
        for curve in ap["curves"]
        for recall, precision in zip(ap["recall_points"], curve["precision"], strict=True)
        if precision is not None
    ]


def curves(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw precision against recall, a line for each threshold of IoU."""
    rows = curve_rows(payload)
    if not rows:
        return None
    spec = frame(curves_words(payload), rows, dark=dark)
    names = list(dict.fromkeys(row["iou"] for row in rows))
    spec["mark"] = {"type": "line", "strokeWidth": 2, "interpolate": "step-before"}
    spec["encoding"] = {
        "x": {**unit("recall"), "title": "recall"},
        "y": {**unit("precision"), "title": "precision"},
        "color": {
            "field": "iou",
            "type": "ordinal",
            "scale": {"domain": names, "range": _shades(len(names), dark=dark)},
            "legend": {"title": "IoU", "symbolType": "stroke", "symbolStrokeWidth": 3},
        },
        "tooltip": [{"field": "iou", "type": "nominal"}, number("recall"), number("precision")],
    }
    spec["width"], spec["height"] = 520, 360
    return spec


def _shades(many: int, *, dark: bool) -> list[str]:
    """Give shades from one hue to another, the loosest threshold first."""
    low, high = (hues(dark=dark)[place] for place in (0, 1))
    ends = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (low, high)]
    steps = [place / max(1, many - 1) for place in range(many)]
    mixed = [
        [round(a + (b - a) * step) for a, b in zip(ends[0], ends[1], strict=True)] for step in steps
    ]
    return [f"#{r:02X}{g:02X}{b:02X}" for r, g, b in mixed]


def curves_words(payload: Payload) -> str:
    """Describe the chart of curves."""
    ap = payload["ap"] or {"classes": 0}
    return (
        "Precision against recall, a line for each threshold of IoU, averaged over "
        f"{said_classes(ap['classes'])}. At each recall stands the highest precision at this "
        "recall or beyond."
    )


def said_classes(many: int) -> str:
    """Say how many classes there are."""
    return "1 class" if many == 1 else f"{many:,} classes"


def class_rows(payload: Payload) -> list[Spec]:
    """List the classes with an AP, the highest first."""
    every = [
        one for one in (payload["ap"] or {"per_class": []})["per_class"] if one["AP"] is not None
    ]
    return sorted(every, key=lambda one: (-one["AP"], one["class"]))


def classes(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the AP of each class as a bar, AP50 as a tick."""
    rows = class_rows(payload)
    if len(rows) < 2:
        return None
    shown = rows if len(rows) <= CLASSES else [*rows[: CLASSES // 2], *rows[-(CLASSES // 2) :]]
    values = [{**one, "class": plain(one["class"]) or "(none)"} for one in shown]
    spec = frame(classes_words(payload), values, dark=dark)
    names = [one["class"] for one in values]
    colours = hues(dark=dark)
    tips = [{"field": "class", "type": "nominal"}, {"field": "gold", "type": "quantitative"}]
    spec["encoding"] = {
        "y": {
            "field": "class",
            "type": "nominal",
            "scale": {"domain": names},
            "axis": {"title": None, "domain": False, "ticks": False, "labelPadding": 6},
        },
        "tooltip": [*tips, *map(number, ("AP", "AP50", "AP75"))],
    }
    spec["layer"] = [
        {
            "mark": {"type": "bar", "color": colours[0], "opacity": 0.75},
            "encoding": {"x": {**unit("AP"), "title": "AP (bar), AP50 (tick)"}},
        },
        {
            "mark": {"type": "tick", "color": colours[1], "thickness": 2.5, "size": 14},
            "encoding": {"x": {**unit("AP50"), "title": "AP (bar), AP50 (tick)"}},
        },
    ]
    spec["width"], spec["height"] = 560, ROW * len(names)
    return spec


def classes_words(payload: Payload) -> str:
    """Describe the chart of classes, and say when it does not show all of them."""
    rows = class_rows(payload)
    which = said_classes(len(rows))
    if len(rows) > CLASSES:
        which = f"the {CLASSES // 2} best and the {CLASSES // 2} worst of {which}"
    return f"AP of {which} with true boxes: a bar; AP50 is the tick."


def box_rows(payload: Payload) -> list[Spec]:
    """List the boxes of the image that is drawn."""
    picture: dict[str, Any] = payload["picture"] or {"boxes": []}
    rows = []
    for one in picture["boxes"]:
        left, top, width, height = one["box"]
        said = plain(one["class"])
        if one["side"] == "predicted" and one["score"] is not None:
            said = f"{said} {one['score']:.2f}".strip()
        rows.append(
            {
                "left": left,
                "top": top,
                "right": left + width,
                "bottom": top + height,
                "side": one["side"],
                "state": one["state"],
                "class": plain(one["class"]),
                "said": said,
                "iou": one["iou"],
                "score": one["score"],
            }
        )
    return rows


def boxes(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the boxes of one image: found, missed, false; true boxes solid, detections dashed."""
    rows = box_rows(payload)
    if not rows:
        return None
    spec = frame(boxes_words(payload), rows, dark=dark)
    colours = hues(dark=dark)
    right, bottom = max(row["right"] for row in rows), max(row["bottom"] for row in rows)
    left, top = (min(0.0, *(row[key] for row in rows)) for key in ("left", "top"))
    scale = SIDE / max(right - left, bottom - top, 1e-9)
    bare = {"title": None, "grid": False, "tickCount": 5}
    state = {
        "field": "state",
        "type": "nominal",
        "scale": {"domain": list(STATES), "range": [colours[2], colours[0], colours[1]]},
        "legend": {"title": None, "orient": "bottom", "symbolType": "square"},
    }
    flat = {"type": "quantitative", "axis": bare}
    spec["encoding"] = {
        "x": {"field": "left", **flat, "scale": {"domain": [left, right], "nice": False}},
        "y": {"field": "top", **flat, "scale": {"domain": [bottom, top], "nice": False}},
        "tooltip": [
            *({"field": key, "type": "nominal"} for key in ("side", "class", "state")),
            *map(number, ("iou", "score")),
        ],
    }
    ends = {"x2": {"field": "right"}, "y2": {"field": "bottom"}, "stroke": state}
    box = {"type": "rect", "filled": False, "strokeWidth": 2, "fillOpacity": 0}
    spec["layer"] = [
        _boxes_layer("gold", box, ends),
        _boxes_layer("predicted", {**box, "strokeDash": [5, 3]}, ends),
        _labels("datum.side === 'gold'", "top", dark=dark),
        _labels("datum.state === 'false'", "bottom", dark=dark),
    ]
    spec["width"], spec["height"] = (right - left) * scale, (bottom - top) * scale
    return spec


def _boxes_layer(side: str, mark: Spec, ends: Spec) -> Spec:
    return {
        "transform": [{"filter": f"datum.side === '{side}'"}],
        "mark": mark,
        "encoding": ends,
    }


def _labels(which: str, at: str, *, dark: bool) -> Spec:
    """Write classes above true boxes, and below false ones."""
    up = at == "top"
    mark = {"type": "text", "align": "left", "dx": 2, "fontSize": 11, "color": GROUND[dark][0]}
    mark |= {"baseline": "bottom", "dy": -2} if up else {"baseline": "top", "dy": 2}
    text = {"text": {"field": "said", "type": "nominal"}}
    where = {} if up else {"y": {"field": "bottom", "type": "quantitative"}}
    return {"transform": [{"filter": which}], "mark": mark, "encoding": {**text, **where}}


def boxes_words(payload: Payload) -> str:
    """Describe the drawn image."""
    rows = box_rows(payload)
    name = plain((payload["picture"] or {"document": ""})["document"])
    many = {state: sum(row["state"] == state for row in rows) for state in STATES}
    found = sum(row["state"] == "matched" and row["side"] == "gold" for row in rows)
    return (
        f"Image {name}: {found} found, {many['missed']} missed, "
        f"{many['false']} false. True boxes are solid, detections dashed."
    )


def box_cells(payload: Payload) -> tuple[tuple[str, ...], ...]:
    """Write the drawn boxes as rows of a table."""
    return tuple(
        (
            *(row["side"], row["class"], row["state"]),
            *(f"{row[key]:g}" for key in ("left", "top", "right", "bottom")),
            *(fixed(row["iou"]), fixed(row["score"])),
        )
        for row in box_rows(payload)
    )
