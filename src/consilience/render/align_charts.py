"""Charts of aligned sequences: both methods, where along the text sources differ, columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consilience.render.theme import GROUND, Spec, across, frame, hues, number, side, unit
from consilience.render.words import Payload, count, plain

#: What sources are scored by.
MEASURES = ("precision", "recall", "f1")
#: The most stretches of the map, the most sources of it, and the most sources of the columns.
STRETCHES, SOURCES, FEW = 120, 60, 10
#: How a token stands to the truth, or to what most sources have.
KINDS = ("all agree", "agrees", "differs", "lacks a token")
#: The height of a source's row.
ROW = 30


def methods(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw F1 of each source by both methods: two dots joined by a line."""
    rows = _method_rows(payload)
    if not rows:
        return None
    names = list(dict.fromkeys(row["source"] for row in rows))
    spec = frame(methods_words(payload), rows, dark=dark)
    axis = {"title": None, "domain": False, "ticks": False, "labelPadding": 8}
    y = {"field": "source", "type": "nominal", "scale": {"domain": names}, "axis": axis}
    labels = ["as a bag (Method I)", "by position (Method II)"]
    colour = {
        "field": "method",
        "type": "nominal",
        "scale": {"domain": labels, "range": [hues(dark=dark)[1], hues(dark=dark)[0]]},
        "legend": {"title": None, "orient": "bottom"},
    }
    x = unit("f1")
    x["scale"] = {"zero": False}
    x["axis"] = {**x["axis"], "title": "F1"}
    tooltip = [{"field": key, "type": "nominal"} for key in ("source", "method")]
    spec["encoding"] = {"y": y}
    spec["layer"] = [
        {
            "mark": {"type": "line", "color": GROUND[dark][2], "strokeWidth": 2},
            "encoding": {"x": x, "detail": {"field": "source", "type": "nominal"}},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 90, "opacity": 1},
            "encoding": {"x": x, "color": colour, "tooltip": [*tooltip, number("f1")]},
        },
    ]
    spec["width"], spec["height"] = 600, ROW * len(names)
    return spec


def _method_rows(payload: Payload) -> list[Spec]:
    ways = (("bag", "as a bag (Method I)"), ("aligned", "by position (Method II)"))
    systems = [one for one in payload["sources"] if one["kind"] == "system"]
    systems.sort(key=lambda one: -(one["aligned"]["f1"] or 0))
    return [
        {"source": plain(one["name"]), "method": label, "f1": one[way]["f1"]}
        for one in systems
        for way, label in ways
        if one[way]["f1"] is not None
    ]


def methods_words(payload: Payload) -> str:
    """Describe the chart of both methods."""
    against = "the truth" if payload["gold"] else "the sources' consensus"
    return f"F1 of {count(len(payload['systems']), 'source')} against {against}, by both methods."


def reference(payload: Payload, one: Any) -> list[str | None]:
    """Give what tokens are held against: the truth where a document has one, else the majority."""
    truth = next((one["rows"][name] for name in payload["gold"] if name in one["rows"]), None)
    tokens: list[str | None] = one["consensus"] if truth is None else truth
    return tokens


def reference_words(payload: Payload) -> str:
    """Say what tokens are held against."""
    return "the truth" if payload["gold"] else "the majority"


def place_rows(payload: Payload) -> list[Spec]:
    """Share columns out into stretches, and say how often each source differs in each."""
    whole = payload["columns"]
    size = max(1, -(-whole // STRETCHES))
    names = payload["systems"][:SOURCES]
    differ = {name: [0] * -(-whole // size) for name in names}
    seen = {name: [0] * -(-whole // size) for name in names}
    begin = 0
    for one in payload["alignment"]:
        right = reference(payload, one)
        for name, tokens in one["rows"].items():
            if name not in differ:
                continue
            for at, (token, best) in enumerate(zip(tokens, right, strict=True), begin):
                differ[name][at // size] += token != best
                seen[name][at // size] += 1
        begin += one["columns"]
    return [
        {
            "source": plain(name),
            "columns": f"{k * size + 1:,}–{min((k + 1) * size, whole):,}",
            "stretch": k,
            "share": differ[name][k] / seen[name][k],
        }
        for name in names
        for k in range(len(differ[name]))
        if seen[name][k]
    ]


def places(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw where along the text each source differs: a row per source, darker where more."""
    rows = place_rows(payload)
    if not rows:
        return None
    names = list(dict.fromkeys(row["source"] for row in rows))
    spec = frame(places_words(payload), rows, dark=dark)
    colour = {
        "field": "share",
        "type": "quantitative",
        "scale": {
            "domain": [0, 1],
            "range": [GROUND[dark][3], hues(dark=dark)[1]],
            "interpolate": "rgb",
        },
        "legend": {"title": "differs", "format": ".0%", "orient": "bottom"},
    }
    bare = {"labels": False, "ticks": False, "domain": False, "title": "columns, from the first on"}
    spec["mark"] = {"type": "rect"}
    spec["encoding"] = {
        "x": {"field": "stretch", "type": "ordinal", "axis": bare},
        "y": side("source", names, {}),
        "color": colour,
        "tooltip": [
            {"field": "source", "type": "nominal"},
            {"field": "columns", "type": "nominal"},
            {"field": "share", "type": "quantitative", "format": ".1%", "title": "differs"},
        ],
    }
    spec["width"], spec["height"] = 620, {"step": 20}
    return spec


def places_words(payload: Payload) -> str:
    """Describe the map of differences."""
    size = max(1, -(-payload["columns"] // STRETCHES))
    every = len(payload["systems"])
    shown = f" The first {SOURCES} of {every} sources." if every > SOURCES else ""
    return (
        f"Where sources differ from {reference_words(payload)}: along the aligned columns, "
        f"{count(size, 'column')} a field, darker where a source differs more often.{shown}"
    )


def cell_rows(payload: Payload, chosen: Sequence[tuple[Any, list[int]]]) -> list[Spec]:
    """List the tokens of some columns, each with how it stands to the truth or the majority."""
    several = len(payload["documents"]) > 1
    return [
        {
            "column": f"{plain(one['document'])} {at + 1:,}" if several else f"{at + 1:,}",
            "source": plain(source),
            "token": "·" if tokens[at] is None else plain(tokens[at]),
            "is": _stands(tokens[at], right[at], one["marks"][at]),
        }
        for one, here in chosen
        for right in [reference(payload, one)]
        for at in here
        for source, tokens in one["rows"].items()
    ]


def _stands(token: str | None, right: str | None, mark: str) -> str:
    if mark == "*":
        return KINDS[0]
    if token == right:
        return KINDS[1]
    return KINDS[3] if token is None else KINDS[2]


def cells(
    payload: Payload, chosen: Sequence[tuple[Any, list[int]]], *, dark: bool = False
) -> Spec | None:
    """Draw the tokens of some columns, coloured by whether they agree; None for many sources."""
    rows = cell_rows(payload, chosen)
    names = [plain(one["name"]) for one in payload["sources"]]
    if not rows or len(names) > FEW:
        return None
    colours = hues(dark=dark)
    spec = frame(cells_words(payload), rows, dark=dark)
    spec["encoding"] = {
        "x": side("source", names, across(few=True)),
        "y": side("column", list(dict.fromkeys(row["column"] for row in rows)), {}),
        "tooltip": [
            {"field": key, "type": "nominal"} for key in ("column", "source", "token", "is")
        ],
    }
    ground = [GROUND[dark][3], colours[5], colours[1], colours[4]]
    colour = {
        "field": "is",
        "type": "nominal",
        "scale": {"domain": list(KINDS), "range": ground},
        "legend": {"title": None, "orient": "top"},
    }
    text = {"type": "text", "fontSize": 11, "limit": 100, "color": GROUND[dark][0]}
    spec["layer"] = [
        {"mark": {"type": "rect", "opacity": 0.55}, "encoding": {"color": colour}},
        {"mark": text, "encoding": {"text": {"field": "token", "type": "nominal"}}},
    ]
    spec["width"], spec["height"] = {"step": 110}, {"step": 20}
    return spec


def cells_words(payload: Payload) -> str:
    """Describe the chart of columns."""
    return (
        "The first columns on which not all sources agree, with their neighbours: each token, "
        f"coloured by whether it is that of {reference_words(payload)}."
    )
