"""Charts of what there is: who answered what, and how much of it was judged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consilience.render.forest_chart import FOREST_ROW
from consilience.render.theme import PAGE, QUIET, Spec, across, frame, hues, number, side, unit
from consilience.render.words import Payload, count, fixed, plain

#: Up to so many columns carry their names; more carry numbers.
NAMED = 14
#: The width of a column with a name, and the height of a row.
STEP, ROW = 46, 22
#: The most systems of the chart of what was judged.
DOTS = 40
#: What of a ranked list was judged, as the legend names it.
FIRST, ALL = "among the first 10", "among all"


def _coverage(payload: Payload) -> Payload:
    return payload.get("coverage") or {}


def gaps(payload: Payload) -> bool:
    """Tell whether somebody has not answered everything, as far as it is known.

    Examples
    --------
    >>> gaps({"coverage": {"respondents": [{"shares": [1.0, 0.5]}]}}), gaps({})
    (True, False)
    """
    told = _coverage(payload).get("respondents") or []
    return any(share < 1 for one in told for share in one["shares"])


def who(one: Payload) -> str:
    """Name a respondent, with the kind of those that are no systems."""
    name = plain(one["name"])
    return name if one["kind"] == "system" else f"{name} ({one['kind']})"


def labels(payload: Payload) -> list[str]:
    """Name the columns: each query or item, or the first and the last of a block.

    Examples
    --------
    >>> columns = [{"first": "q1", "last": "q1"}, {"first": "q2", "last": "q9"}]
    >>> labels({"coverage": {"columns": columns}})
    ['q1', 'q2 – q9']
    """
    return [
        plain(one["first"])
        if one["first"] == one["last"]
        else f"{plain(one['first'])} – {plain(one['last'])}"
        for one in _coverage(payload).get("columns") or []
    ]


def coverage(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw who answered what: blue answered, orange missing.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where everybody answered everything, or nothing is known.
    """
    if not gaps(payload):
        return None
    told, named = _coverage(payload)["respondents"], labels(payload)
    few = len(named) <= NAMED
    above = named if few else [str(place) for place in range(1, len(named) + 1)]
    rows = [
        {"who": who(one), "column": column, "what": what, "share": share}
        for one in told
        for column, what, share in zip(above, named, one["shares"], strict=True)
    ]
    spec = frame(coverage_words(payload), rows, dark=dark)
    spec["width"] = {"step": STEP} if few else 600
    spec["height"] = ROW * len(told)
    legend: Spec = {"title": "answered", "format": ".0%", "gradientLength": 120}
    scale = {"domain": [0, 0.5, 1], "range": "diverging", "interpolate": "rgb"}
    colour: Spec = {"field": "share", "type": "quantitative", "scale": scale}
    spec["mark"] = {"type": "rect", "stroke": PAGE[dark], "strokeWidth": 1}
    spec["encoding"] = {
        "x": side("column", above, across(few=few)),
        "y": side("who", [who(one) for one in told], {"labelLimit": 220}),
        "color": {**colour, "legend": {**legend, "values": [0, 0.5, 1]}},
        "tooltip": [
            {"field": "who", "type": "nominal", "title": "respondent"},
            {"field": "what", "type": "nominal", "title": _coverage(payload)["unit"]},
            {"field": "share", "type": "quantitative", "format": ".0%", "title": "answered"},
        ],
    }
    return spec


def coverage_words(payload: Payload) -> str:
    """Describe the chart of who answered what in a sentence."""
    told = _coverage(payload)
    size, unit = told["columns"][0]["size"], told["unit"]
    blocks = f", in blocks of {size:,}" if len(told["columns"]) < told["total"] else ""
    return (
        f"Which of {told['total']:,} {unit} each respondent answered{blocks}: blue answered,"
        " orange missing."
    )


def coverage_cells(payload: Payload) -> list[tuple[str, ...]]:
    """Write the figures of the chart of who answered what as rows of a table."""
    return [
        (who(one), f"{one['answered']:,}", *(f"{share:.2g}" for share in one["shares"]))
        for one in _coverage(payload).get("respondents") or []
    ]


def judged_rows(payload: Payload) -> list[dict[str, Any]]:
    """List what was judged of each system's answers, the least judged first.

    Examples
    --------
    >>> told = {"name": "a", "returned": 4, "judged": 3, "first": None, "first_judged": None}
    >>> judged_rows({"judged": 0.75, "coverage": {"judged": [told]}})
    [{'system': 'a', 'all': 0.75, 'first': None, 'judged': 3, 'returned': 4}]
    """
    told = _coverage(payload).get("judged") or []
    if payload["judged"] is None or payload["judged"] >= 1:
        return []
    longer = any(one["first"] not in (None, one["returned"]) for one in told)
    rows = [
        {
            "system": plain(one["name"]),
            "all": one["judged"] / one["returned"],
            "first": one["first_judged"] / one["first"] if longer and one["first"] else None,
            "judged": one["judged"],
            "returned": one["returned"],
        }
        for one in told
        if one["returned"]
    ]
    return sorted(rows, key=lambda row: (row["all"], row["system"]))


def judged(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw which share of each system's answers was judged: of all, and of the first 10.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where all was judged, or nothing.
    """
    told = judged_rows(payload)[:DOTS]
    if not told:
        return None
    rows = [
        {"system": row["system"], "depth": depth, "share": row[key], "judged": row["judged"]}
        for row in told
        for depth, key in ((FIRST, "first"), (ALL, "all"))
        if row[key] is not None
    ]
    depths = [depth for depth in (FIRST, ALL) if any(row["depth"] == depth for row in rows)]
    spec = frame(judged_words(payload), rows, dark=dark)
    spec["width"], spec["height"] = 640, FOREST_ROW * len(told)
    colours = {FIRST: QUIET[dark], ALL: hues(dark=dark)[0]}
    x = unit("share")
    x["axis"] |= {"title": "share of returned items that were judged", "format": ".0%"}
    hue: Spec = {"field": "depth", "type": "nominal"}
    hue["scale"] = {"domain": depths, "range": [colours[depth] for depth in depths]}
    hue["legend"] = {"title": None} if len(depths) > 1 else None
    spec["mark"] = {"type": "point", "filled": True, "size": 90, "opacity": 1}
    spec["encoding"] = {
        "x": x,
        "y": side("system", [row["system"] for row in told], {"labelLimit": 220, "grid": True}),
        "color": hue,
        "shape": {
            **hue,
            "scale": {"domain": depths, "range": ["square", "circle"][-len(depths) :]},
        },
        "tooltip": [
            {"field": "system", "type": "nominal"},
            {"field": "depth", "type": "nominal", "title": "judged"},
            {**number("share"), "format": ".1%"},
        ],
    }
    return spec


def judged_words(payload: Payload) -> str:
    """Describe the chart of what was judged in a sentence."""
    rows = judged_rows(payload)
    which = f"the {DOTS} least judged of {count(len(rows), 'system')}"
    each = "each system" if len(rows) <= DOTS else which
    deep = " (circles), and of its first 10 (squares)" if any(row["first"] for row in rows) else ""
    return f"Share of the items returned by {each} that were judged{deep}."


def judged_cells(rows: Sequence[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Write the figures of the chart of what was judged as rows of a table."""
    return [
        (
            row["system"],
            f"{row['returned']:,}",
            f"{row['judged']:,}",
            fixed(row["all"]),
            fixed(row["first"]),
        )
        for row in rows
    ]
