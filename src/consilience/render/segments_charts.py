"""A chart of segments on their recordings: gold above predicted, and what became of each."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.theme import GROUND, Spec, frame, hues
from consilience.render.words import Payload, count, fixed, plain

#: The most recordings, segments of a recording, and rows of classes that the picture shows.
RECORDINGS, SEGMENTS, CLASSES = 3, 120, 8
#: The height of a row.
ROW = 17
#: What became of a segment, and the place of its hue.
STATES = {"matched": 2, "partly": 4, "missed": 1, "false": 3}


def timeline_rows(payload: Payload) -> list[Spec]:
    """List the segments that the picture shows: the first recordings, from their beginning."""
    every = [
        {**one, "side": side} for side in ("gold", "predicted") for one in payload["counts"][side]
    ]
    rows: list[Spec] = []
    for name in shown_recordings(payload):
        mine = sorted(
            (one for one in every if one["document"] == name), key=lambda one: one["start"]
        )[:SEGMENTS]
        labels = list(dict.fromkeys(one["label"] for one in mine))[:CLASSES]
        rows += [_row(one) for one in mine if one["label"] in labels]
    return rows


def _row(one: Payload) -> Spec:
    label = plain(one["label"]) or "segments"
    return {
        "recording": plain(one["document"]),
        "row": f"{label} · {one['side']}",
        "class": label,
        "side": one["side"],
        "start": one["start"],
        "end": one["end"],
        "state": one["state"],
        "covered": one["count"],
    }


def shown_recordings(payload: Payload) -> list[str]:
    """Name the recordings of the picture: the first ones that have a segment."""
    named = [one["document"] for one in payload["per_document"] if one["gold"] + one["predicted"]]
    return named[:RECORDINGS]


def timeline(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the segments of the first recordings, a row for each class and side."""
    rows = timeline_rows(payload)
    if not rows:
        return None
    spec = frame(timeline_words(payload), rows, dark=dark)
    names = list(dict.fromkeys(row["recording"] for row in rows))
    spec["vconcat"] = [_recording(name, rows, dark=dark) for name in names]
    spec["spacing"] = 18
    return spec


def _recording(name: str, rows: Sequence[Spec], *, dark: bool) -> Spec:
    mine = [row for row in rows if row["recording"] == name]
    labels = sorted({row["class"] for row in mine})
    order = [f"{label} · {side}" for label in labels for side in ("gold", "predicted")]
    order = [row for row in order if any(one["row"] == row for one in mine)]
    used = [state for state in STATES if any(row["state"] == state for row in rows)]
    colours = [hues(dark=dark)[STATES[state]] for state in used]
    axis = {"title": None, "domain": False, "ticks": False, "labelPadding": 6}
    return {
        "title": {
            "text": name,
            "anchor": "start",
            "fontSize": 12,
            "fontWeight": "normal",
            "color": GROUND[dark][0],
        },
        "transform": [{"filter": {"field": "recording", "equal": name}}],
        "mark": {"type": "bar", "height": {"band": 0.78}, "minBandSize": 2, "cornerRadius": 1},
        "encoding": {
            "y": {"field": "row", "type": "nominal", "scale": {"domain": order}, "axis": axis},
            "x": {
                "field": "start",
                "type": "quantitative",
                "axis": {"title": "seconds", "tickCount": 8, "labelFlush": False},
                "scale": {"zero": False, "nice": False},
            },
            "x2": {"field": "end"},
            "color": {
                "field": "state",
                "type": "nominal",
                "scale": {"domain": used, "range": colours},
                "legend": {"title": None, "orient": "top"},
            },
            "tooltip": [
                *({"field": key, "type": "nominal"} for key in ("class", "side", "state")),
                *({"field": key, "type": "quantitative"} for key in ("start", "end", "covered")),
            ],
        },
        "width": 640,
        "height": ROW * len(order),
    }


def timeline_words(payload: Payload) -> str:
    """Describe the picture, and say what it does not show."""
    rows = timeline_rows(payload)
    every = payload["sizes"]["gold"] + payload["sizes"]["predicted"]
    shown = f"{len(rows):,} of {every:,} segments" if len(rows) < every else f"{every:,} segments"
    names = len(shown_recordings(payload))
    where = count(names, "recording")
    if names < payload["documents"]:
        where = f"the first {names} of {payload['documents']:,} recordings"
    return (
        f"Segments on {where} ({shown}): gold above predicted, class by class. Matched: has a "
        "partner on the other side; partly: shares time without a partner; missed: gold that "
        "nothing covers; false: predicted where nothing is."
    )


def timeline_cells(payload: Payload) -> list[tuple[str, ...]]:
    """Write the segments of the picture as rows of a table."""
    return [
        (
            row["recording"],
            row["side"],
            row["class"],
            fixed(row["start"], 3),
            fixed(row["end"], 3),
            row["state"],
            fixed(row["covered"]),
        )
        for row in timeline_rows(payload)
    ]
