"""Charts of measures that are distributions: how far each may lie, query by query, who is ahead.

The heights of one distribution are scaled to its own highest bar: a value that is certain and one
that is spread over thousands of points both show their shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

from consilience.render.charts import PAIRS_LIMIT
from consilience.render.cutoff_charts import spread
from consilience.render.distributions_bars import Bar, bars
from consilience.render.pair_charts import beats
from consilience.render.theme import (
    GROUND,
    PAGE,
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
    chance,
    count,
    percent,
    plain,
    with_caveat,
    without_truth,
)

#: The two measures of the first chart: which way their bars point.
SIDES = {"precision": -1.0, "recall": 1.0}
#: The most systems with a row, and with a line.
ROWS, LINES = 12, 6
#: The most cutoffs of a line.
CUTOFFS = 120
#: Height of a row: with bars, and without.
TALL, LOW = 84, 36
#: Where a row has its interval and its bars begin, how high these get: in rows, from its middle.
LINE, FLOOR, HEIGHT = 0.05, 0.09, 0.36
#: Where the interval is in a row without bars.
ALONE = 0.14
#: The most cutoffs that get a dot.
DOTS = 15


def label(measure: str, payload: Payload) -> str:
    """Name a measure for people.

    Examples
    --------
    >>> label("f1", {}), label("f_beta", {"beta": 0.5}), label("recall_fixed", {}), label("ap", {})
    ('F1', 'F0.5', 'fixed recall', 'AP')
    """
    known = {"recall_fixed": "fixed recall", "ap": "AP", "f1": "F1"}
    known["f_beta"] = f"F{payload.get('beta') or 1:g}"
    return known.get(measure, measure)


def leads(payload: Payload) -> str:
    """Name the measure that ranks.

    Examples
    --------
    >>> leads({"measure": "ap"}), leads({})
    ('ap', 'f1')
    """
    return str(payload.get("measure") or "f1")


def spreads(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how probable each precision (upwards) and recall (downwards) of each system is.

    With several queries it is their average that is drawn.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None without systems.
    """
    systems = payload["systems"][:ROWS]
    if not systems:
        return None
    rows = [row for place, system in enumerate(systems) for row in _spread(payload, system, place)]
    barred = any(row["kind"] == "bar" for row in rows)
    spec = frame(spreads_words(payload), rows, dark=dark)
    spec["width"], spec["height"] = 640, (TALL if barred else LOW) * len(systems)
    names = [plain(system["name"]) for system in systems]
    spec["layer"] = _spread_layers(names, dark=dark)
    spec["resolve"] = {"scale": {"y": "independent"}}
    return spec


def _spread(payload: Payload, system: Payload, place: int) -> list[Spec]:
    """Give the rows of data of one system: its bars, and its means with their intervals."""
    made: list[Spec] = []
    for measure, side in SIDES.items():
        known = {"system": plain(system["name"]), "measure": measure}
        middle = place + 0.5
        score = system[measure]
        drawn = _drawn(payload, system, measure)
        low, high = score["interval"] or (None, None)
        made.append(
            {
                "kind": "mean",
                **known,
                "y": round(middle + side * (LINE if drawn else ALONE), 4),
                "mean": score["mean"],
                "low": low,
                "high": high,
                "why": plain(score["undefined"] or ""),
            }
        )
        top = max((bar.mass for bar in drawn), default=1.0)
        made += [
            {
                "kind": "bar",
                **known,
                "x": round(bar.low, 6),
                "x2": round(bar.high, 6),
                "y": round(middle + side * FLOOR, 4),
                "y2": round(middle + side * (FLOOR + HEIGHT * bar.mass / top), 4),
                "value": bar.said,
                "p": chance(bar.mass),
            }
            for bar in drawn
        ]
    return made


def _drawn(payload: Payload, system: Payload, measure: str) -> list[Bar]:
    """Give the bars of a system: of the single query, or of the average over several."""
    if payload["queries"] != 1:
        return bars(system[measure]) if "support" in system[measure] else []
    held = {result["system"]: result for result in payload["results"]}
    return bars(held[system["name"]][measure])


def _spread_layers(names: Sequence[str], *, dark: bool) -> list[Spec]:
    scale = {"type": "band", "domain": list(names), "paddingInner": 0, "paddingOuter": 0}
    axis = {"title": None, "domain": False, "ticks": False, "labelPadding": 14}
    rows = {"field": "system", "type": "nominal", "scale": scale, "axis": axis}
    x = {**unit("mean"), "title": None}
    y = {
        "type": "quantitative",
        "scale": {"domain": [0, len(names)], "reverse": True, "nice": False},
        "axis": None,
    }
    legend = {"title": None, "orient": "top", "symbolType": "square", "symbolOpacity": 1}
    hue: Spec = {"field": "measure", "type": "nominal", "legend": legend}
    hue["scale"] = {"domain": list(SIDES), "range": list(hues(dark=dark)[:2])}
    told = [{"field": "system", "type": "nominal"}, {"field": "measure", "type": "nominal"}]
    base: Spec = {"mark": {"type": "rule", "color": GROUND[dark][2]}}
    base["transform"] = [{"filter": "datum.kind === 'mean' && datum.measure === 'precision'"}]
    ends = {key: value for key, value in x.items() if key != "field"}
    base["encoding"] = {"y": rows, "x": {**ends, "datum": 0}, "x2": {"datum": 1}}
    filled: Spec = {"mark": {"type": "rect", "opacity": 0.75 if dark else 0.55}}
    filled["transform"] = [{"filter": "datum.kind === 'bar'"}]
    filled["encoding"] = {
        "x": {**x, "field": "x"},
        "x2": {"field": "x2"},
        "y": {**y, "field": "y"},
        "y2": {"field": "y2"},
        "color": hue,
        "tooltip": [
            *told,
            {"field": "value", "type": "nominal"},
            {"field": "p", "type": "nominal", "title": "probability"},
        ],
    }
    numbers = [
        number("mean"),
        {**number("low"), "title": "from"},
        {**number("high"), "title": "to"},
    ]
    lines: Spec = {"mark": {"type": "rule", "strokeWidth": 2.5}}
    lines["transform"] = [{"filter": "datum.kind === 'mean' && datum.low !== null"}]
    lines["encoding"] = {
        "x": {**x, "field": "low"},
        "x2": {"field": "high"},
        "y": {**y, "field": "y"},
        "color": hue,
        "tooltip": [*told, *numbers],
    }
    means: Spec = {"mark": {"type": "point", "size": 75, "opacity": 1, "strokeWidth": 1.5}}
    means["mark"] |= {"filled": True, "stroke": PAGE[dark]}
    means["transform"] = [{"filter": "datum.kind === 'mean' && datum.mean !== null"}]
    means["encoding"] = {
        "x": x,
        "y": {**y, "field": "y"},
        "color": hue,
        "tooltip": [*told, *numbers],
    }
    gaps: Spec = {"mark": {"type": "text", "align": "left", "style": "undefined"}}
    gaps["transform"] = [{"filter": "datum.kind === 'mean' && datum.mean === null"}]
    gaps["transform"] += [{"calculate": "datum.measure + ' is undefined'", "as": "said"}]
    gaps["encoding"] = {
        "x": {"value": 4},
        "y": {**y, "field": "y"},
        "text": {"field": "said", "type": "nominal"},
    }
    return [base, filled, lines, means, gaps]


def spreads_words(payload: Payload) -> str:
    """Describe the chart of distributions in words: what is drawn, and how coarsely."""
    every, shown = len(payload["systems"]), min(len(payload["systems"]), ROWS)
    who = count(every, "system")
    if shown < every:
        who = f"the first {shown} of {every} systems; the table holds all"
    lines = f"Dots: expected values; lines: {percent(payload['level'])} intervals"
    over = "" if payload["queries"] == 1 else ", averaged over the queries"
    said = (
        f"How probable each precision (upwards) and each recall (downwards) is{over}, of {who}."
        f" {lines}."
    )
    grouped = {
        bar.width
        for system in payload["systems"][:ROWS]
        for measure in SIDES
        for bar in _drawn(payload, system, measure)
        if bar.width
    }
    said += " Heights are scaled to the highest bar of each."
    if grouped:
        widths = sorted({f"{width:.3g}" for width in grouped}, key=float)
        wide = widths[0] if len(widths) == 1 else f"{widths[0]} to {widths[-1]}"
        said += f" Where there are many values, a bar holds those within {wide}."
    return with_caveat(said, payload)


def band(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw expected precision over expected recall by cutoff, with the interval as a band.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where no list has two cutoffs.
    """
    systems = banded(payload)
    if not systems:
        return None
    rows = [
        {
            "system": plain(system["name"]),
            **{key: point[key] for key in ("k", "precision", "recall")},
            "low": point["precision_interval"][0],
            "high": point["precision_interval"][1],
            "recall_low": point["recall_interval"][0],
            "recall_high": point["recall_interval"][1],
        }
        for system in systems
        for point in spread(_points(system), CUTOFFS)
    ]
    spec = frame(band_words(payload), rows, dark=dark)
    spec["width"], spec["height"] = 640, 400
    chosen, opacity = legend_choice()
    names = [plain(system["name"]) for system in systems]
    styles = line_styles(names, dark=dark, legend={"symbolOpacity": 1})
    y = {**_ending("precision", max(row["high"] for row in rows)), "title": "precision"}
    spec["encoding"] = {
        "x": {**_ending("recall", max(row["recall"] for row in rows)), "title": "recall"},
        "tooltip": [
            {"field": "system", "type": "nominal"},
            {"field": "k", "type": "quantitative"},
            number("precision"),
            {**number("low"), "title": "precision from"},
            {**number("high"), "title": "precision to"},
            number("recall"),
            {**number("recall_low"), "title": "recall from"},
            {**number("recall_high"), "title": "recall to"},
        ],
    }
    faint = {"condition": {"param": "chosen", "value": 0.16}, "value": 0.02}
    area: Spec = {"mark": {"type": "area", "clip": True}, "params": [chosen]}
    area["encoding"] = {
        "y": {**y, "field": "low"},
        "y2": {"field": "high"},
        "color": styles["color"],
        "opacity": faint,
    }
    dotted = max(len(_points(system)) for system in systems) <= DOTS
    line: Spec = {"mark": {"type": "line", "strokeWidth": 2.5, "point": dotted}}
    order = {"field": "k", "type": "quantitative"}
    line["encoding"] = {"y": y, "opacity": opacity, "order": order, **styles}
    spec["layer"] = [area, line]
    return spec


def _ending(field: str, highest: float) -> Spec:
    """Encode a field as an axis from 0 to 1, or to the next tenth where the data end below 0.6."""
    end = 1.0 if highest > 0.6 else max(ceil(10 * highest), 1) / 10
    return {**unit(field), "scale": {"domain": [0, end]}}


def banded(payload: Payload) -> list[Payload]:
    """Choose the systems with a line: the first six whose lists have two cutoffs."""
    return [system for system in payload["systems"] if len(_points(system)) > 1][:LINES]


def _points(system: Payload) -> list[Payload]:
    """Give the cutoffs of a system at which all is defined."""
    return [point for point in system["band"] or [] if _whole(point)]


def _whole(point: Payload) -> bool:
    ends = (*(point["precision_interval"] or [None]), *(point["recall_interval"] or [None]))
    return None not in (point["precision"], point["recall"], *ends)


def band_words(payload: Payload) -> str:
    """Describe the chart of bands, and say when it does not show every system."""
    every, shown = len(payload["systems"]), len(banded(payload))
    who = count(every, "system")
    if shown < every:
        who = f"{shown} of {every} systems; the table holds all"
    said = (
        f"Expected precision against expected recall at each cutoff, of {who}."
        f" Bands: {percent(payload['level'])} intervals of the precision."
    )
    return with_caveat(said, payload)


def heat_measure(payload: Payload) -> str:
    """Choose the measure of the chart of pairs: what ranks, or else the first that pairs have."""
    held = [pair["measure"] for pair in payload["pairs"] if pair["p_a_beats_b"] is not None]
    return leads(payload) if leads(payload) in held or not held else str(held[0])


def matrix(payload: Payload) -> dict[str, Any]:
    """Turn pairs both ways, in the form that the chart of pairs of a ranking takes."""
    measure = heat_measure(payload)
    pairs = [
        {"a": first, "b": second, "p_a_beats_b": p}
        for pair in payload["pairs"]
        if pair["measure"] == measure and pair["p_a_beats_b"] is not None
        for first, second, p in (
            (pair["a"], pair["b"], pair["p_a_beats_b"]),
            (pair["b"], pair["a"], pair["p_b_beats_a"]),
        )
    ]
    systems = [{"name": system["name"], "rank": 1} for system in payload["systems"]]
    return {**payload, "systems": systems, "pairs": pairs, "measure": measure}


def heat(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how likely each system beats each other one; nothing for two systems."""
    if len(payload["systems"]) < 3:
        return None
    spec = beats(matrix(payload), dark=dark)
    return None if spec is None else {**spec, "description": heat_words(payload)}


def heat_words(payload: Payload) -> str:
    """Describe the chart of pairs in a sentence."""
    measure = heat_measure(payload)
    ahead = "agrees more than" if without_truth(payload) else "beats"
    some = "" if len(payload["systems"]) <= PAIRS_LIMIT else f" (the first {PAIRS_LIMIT})"
    said = f"Probability that the row {ahead} the column, by {label(measure, payload)}{some}."
    return with_caveat(f"{said} The rest to 1 is a tie.", payload)
