"""Charts of inexact items: the similarities, the figures by method, the documents."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.layout import cut
from consilience.render.soft_methods import called
from consilience.render.theme import (
    GROUND,
    PAGE,
    QUIET,
    Spec,
    across,
    figures,
    frame,
    hues,
    number,
    side,
)
from consilience.render.words import Payload, count, fixed, plain

#: The most rows and columns of the heat map; up to how many its cells carry numbers.
MAP, NUMBERED = 36, 14
#: The longest label of an item beside an axis, in letters and in pixels; in a table, in letters,
#: and what is kept of a longer one.
LETTERS, PIXELS, LONG, KEPT = 40, 270, 400, 300
#: How the texts of tracks begin.
_TRACKS = ("LINESTRING", "MULTILINESTRING")
#: The three figures, as they are called.
MEASURES = {"precision": "precision", "recall": "recall", "f1": "F1"}
#: From so many documents on their distribution is drawn; the width of its bars.
DOCUMENTS, WIDTH = 3, 0.05
ROW = 38


def label(item: object) -> str:
    """Name an item: as it is, a very long one by its beginning, a track by its name or start.

    Examples
    --------
    >>> label("LINESTRING (11.56 48.16, 11.57 48.17) Monday"), label("a" * 1300)[-20:]
    ('Monday, 2 points', 'aaa… (1,300 letters)')
    """
    from consilience.formats.tracked import labelled

    said = str(item)
    track = labelled(said) if said.startswith(_TRACKS) else None
    if track is None and len(said) > LONG:
        return plain(f"{said[:KEPT].rstrip()}… ({len(said):,} letters)")
    return plain(track or said)


def short(items: Sequence[object]) -> list[str]:
    """Give items labels that fit beside an axis, each different from the others.

    Examples
    --------
    >>> short(["cafe", "cafe", "a" * 60])
    ['cafe', 'cafe (2)', 'aaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaaaaaaaa']
    """
    seen: set[str] = set()
    made = []
    for item in items:
        said = cut(label(item), LETTERS) or "(empty)"
        unlike, times = said, 1
        while unlike in seen:
            times += 1
            unlike = f"{said} ({times})"
        seen.add(unlike)
        made.append(unlike)
    return made


def shown(payload: Payload) -> tuple[list[int], list[int]]:
    """Choose the rows and columns of the heat map: those with the nearest matches, in order."""
    table = payload["table"]
    if not table or not table["gold"] or not table["predicted"]:
        return [], []
    lines = table["similarity"]
    return _nearest(list(map(max, lines))), _nearest(list(map(max, zip(*lines, strict=True))))


def _nearest(best: Sequence[float]) -> list[int]:
    order = sorted(range(len(best)), key=lambda place: -best[place])
    return sorted(order[:MAP])


def cells(payload: Payload) -> list[Spec]:
    """List the cells of the heat map, matched pairs marked."""
    down, along = shown(payload)
    if not down:
        return []
    table = payload["table"]
    matched = {
        (pair["gold"], pair["predicted"])
        for pair in payload["pairs"]
        if pair["document"] == table["document"]
    }
    gold, predicted = ([table["gold"][i] for i in down], [table["predicted"][j] for j in along])
    rows, columns = short(gold), short(predicted)
    return [
        {
            "gold": rows[a],
            "predicted": columns[b],
            "similarity": table["similarity"][i][j],
            "said": fixed(table["similarity"][i][j], 2),
            "pair": "matched" if (gold[a], predicted[b]) in matched else "",
        }
        for a, i in enumerate(down)
        for b, j in enumerate(along)
    ]


def similarities(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how alike the items of the two sides are, with a frame around matched pairs.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where a side has no item.
    """
    made = cells(payload)
    if not made:
        return None
    rows, columns = (list(dict.fromkeys(one[key] for one in made)) for key in ("gold", "predicted"))
    few = max(len(rows), len(columns)) <= NUMBERED
    spec = frame(similarities_words(payload), made, dark=dark)
    spec["width"] = spec["height"] = {"step": 44 if few else 22}
    small = {"labelLimit": PIXELS, "labelFontSize": 12 if few else 11}
    top = {**across(few=True), **small, "labelAngle": -45 if few else -60}
    spec["encoding"] = {
        "x": side("predicted", columns, top),
        "y": side("gold", rows, small),
        "tooltip": [
            {"field": "gold", "type": "nominal"},
            {"field": "predicted", "type": "nominal"},
            number("similarity"),
            {"field": "pair", "type": "nominal", "title": "pair"},
        ],
    }
    *_, middle = GROUND[dark]
    scale = {"domain": [0, 1], "range": [middle, hues(dark=dark)[0]], "interpolate": "rgb"}
    legend = {"title": "similarity", "format": ".1f", "gradientLength": 160}
    colour = {"field": "similarity", "type": "quantitative", "scale": scale, "legend": legend}
    frames: Spec = {
        "transform": [{"filter": "datum.pair === 'matched'"}],
        "mark": {"type": "rect", "filled": False, "strokeWidth": 3, "stroke": hues(dark=dark)[1]},
    }
    written = figures("similarity", middle=0, edge=0.6 if dark else 0.72, dark=dark)
    rects: Spec = {
        "mark": {"type": "rect", "stroke": PAGE[dark], "strokeWidth": 1},
        "encoding": {"color": colour},
    }
    spec["layer"] = [rects, *([written] if few else []), frames]
    return spec


def similarities_words(payload: Payload) -> str:
    """Describe the heat map in a sentence."""
    table = payload["table"] or {"gold": [], "predicted": [], "document": ""}
    where = "" if payload["documents"] == 1 else f" in document {plain(table['document'])}"
    down, along = shown(payload)
    every = table.get("of") or {side: len(table[side]) for side in ("gold", "predicted")}
    both = f"{_some(len(down), every['gold'], 'gold item')} (rows)"
    both += f" and {_some(len(along), every['predicted'], 'predicted item')} (columns)"
    said = f"How alike {both} are{where}, by {plain(payload['similarity']['name'])}"
    if payload["similarity"]["floor"]:
        said += f"; below the floor of {payload['similarity']['floor']:g} counts as 0"
    return f"{said}. A frame marks matched pairs."


def _some(part: int, every: int, noun: str) -> str:
    return count(every, noun) if part == every else f"the {part} nearest of {count(every, noun)}"


def methods(payload: Payload) -> list[Spec]:
    """List the figures by method: the chosen one first, chance last."""
    made = [_method(called(payload["variant"]), payload, payload["intervals"])]
    made += [_method(called(one["name"], one["label"]), one, {}) for one in payload["baselines"]]
    if payload["null"] is not None:
        made.append(_method("by chance", payload["null"], {}))
    return [entry for one in made for entry in one]


def _method(name: str, one: Payload, intervals: Payload) -> list[Spec]:
    made = []
    for key, measure in MEASURES.items():
        low, high = intervals.get(key) or (None, None)
        made.append(
            {
                "method": name,
                "measure": measure,
                "value": one[key],
                "low": low,
                "high": high,
            }
        )
    return made


def by_method(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw precision, recall and F1 of each method, the chosen one first.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where nothing is defined.
    """
    made = [one for one in methods(payload) if one["value"] is not None]
    if not made:
        return None
    names = list(dict.fromkeys(one["method"] for one in made))
    spec = frame(by_method_words(payload), made, dark=dark)
    spec["width"], spec["height"] = 600, ROW * len(names)
    ends = [one[key] for one in made for key in ("value", "high") if one[key] is not None]
    domain = [min(0.0, *ends), max(1.0, *ends)]
    x = {"type": "quantitative", "scale": {"domain": domain}}
    x["axis"] = {"title": None, "tickCount": 6, "domain": False, "labelFlush": False}
    legend = {"title": None, "orient": "top", "symbolOpacity": 1}
    kinds = list(MEASURES.values())
    colour = {
        "field": "measure",
        "type": "nominal",
        "scale": {"domain": kinds, "range": list(hues(dark=dark)[:3])},
        "legend": legend,
    }
    shape = {
        "field": "measure",
        "type": "nominal",
        "scale": {"domain": kinds, "range": ["triangle-right", "triangle-up", "circle"]},
        "legend": legend,
    }
    spec["encoding"] = {
        "y": side("method", names, {"labelLimit": 220}),
        "yOffset": {"field": "measure", "type": "nominal", "scale": {"domain": kinds}},
        "tooltip": [
            {"field": "method", "type": "nominal"},
            {"field": "measure", "type": "nominal"},
            *map(number, ("value", "low", "high")),
        ],
    }
    intervals: Spec = {
        "transform": [{"filter": "isValid(datum.low)"}],
        "mark": {"type": "rule", "strokeWidth": 2},
        "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}, "color": colour},
    }
    points: Spec = {
        "mark": {"type": "point", "filled": True, "size": 70, "opacity": 1},
        "encoding": {"x": {"field": "value", **x}, "color": colour, "shape": shape},
    }
    lines: Spec = {
        "mark": {"type": "rule", "color": QUIET[dark], "opacity": 0.35},
        "encoding": {"x": {"field": "value", **x}, "x2": {"datum": 0}, "tooltip": {"value": None}},
    }
    known = any(one["low"] is not None for one in made)
    spec["layer"] = [lines, *([intervals] if known else []), points]
    return spec


def by_method_words(payload: Payload) -> str:
    """Describe the chart of methods in a sentence."""
    chosen = called(payload["variant"])
    said = f"Precision, recall and F1 by method; the one that counts is {chosen}"
    if payload["resampling"]:
        said += ", with intervals over documents"
    return f"{said}. By chance: what predictions of the same size picked at random would get."


def bars(payload: Payload) -> list[Spec]:
    """Count the documents by value, in steps of 0.05; those without a value are not counted."""
    made = []
    for key, measure in MEASURES.items():
        known = [one[key] for one in payload["per_document"] if one[key] is not None]
        place = [min(int(value / WIDTH + 1e-9), 19) if value <= 1 else 20 for value in known]
        for step in sorted({*place}):
            made.append(
                {
                    "measure": measure,
                    "low": round(step * WIDTH, 2),
                    "high": round((step + 1) * WIDTH, 2),
                    "documents": place.count(step),
                    "said": f"{step * WIDTH:.2f}–{(step + 1) * WIDTH:.2f}"
                    if step < 20
                    else "above 1",
                }
            )
    return made


def by_document(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how precision, recall and F1 are spread over the documents.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None with fewer than three documents.
    """
    made = bars(payload)
    if payload["documents"] < DOCUMENTS or not made:
        return None
    spec = frame(by_document_words(payload), made, dark=dark)
    spec["width"], spec["height"] = 220, 140
    axis = {"title": None, "format": ".1f", "values": [0, 0.2, 0.4, 0.6, 0.8, 1]}
    colours = {"domain": list(MEASURES.values()), "range": list(hues(dark=dark)[:3])}
    last = max(1.0, *(one["high"] for one in made))
    spec["mark"] = {"type": "bar", "binSpacing": 1}
    spec["encoding"] = {
        "facet": {
            "field": "measure",
            "type": "nominal",
            "columns": 3,
            "spacing": 28,
            "sort": list(MEASURES.values()),
            "header": {"title": None, "labelFontSize": 12},
        },
        "x": {
            "field": "low",
            "type": "quantitative",
            "scale": {"domain": [0, last]},
            "axis": axis,
            "bin": {"binned": True, "step": WIDTH},
        },
        "x2": {"field": "high"},
        "y": {
            "field": "documents",
            "type": "quantitative",
            "axis": {"title": "documents", "tickCount": 3, "tickMinStep": 1},
        },
        "color": {"field": "measure", "type": "nominal", "scale": colours, "legend": None},
        "tooltip": [
            {"field": "measure", "type": "nominal"},
            {"field": "said", "type": "nominal", "title": "from–to"},
            {"field": "documents", "type": "quantitative"},
        ],
    }
    return spec


def by_document_words(payload: Payload) -> str:
    """Describe the spread over documents in a sentence."""
    return (
        f"How precision, recall and F1 are spread over {count(payload['documents'], 'document')}: "
        "how many documents have a value within each step of 0.05."
    )
