"""Charts of agreement: which systems answer alike, and how far the methods of the panel agree.

Matrices run from orange (−1) over neutral (0) to blue (1) on a fixed scale, so that two reports can
be compared. The cells of a chart hold places instead of names; the names travel once, as a
parameter of the specification, which keeps a report with many systems small.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.agreement import has_panel, source_families
from consilience.render.charts import LEGEND_LIMIT, NUMBERS_LIMIT, PAIRS_LIMIT
from consilience.render.dendrogram import branches
from consilience.render.theme import (
    QUIET,
    Spec,
    across,
    figures,
    frame,
    legend_choice,
    line_styles,
    number,
    side,
)
from consilience.render.words import Payload, by_rank, count, fixed, plain, with_caveat

#: The width of the dendrogram beside the matrix.
TREE_WIDTH = 150
#: The width that a matrix of many systems may take, and the least and the most for a cell.
MATRIX_WIDTH, LEAST, MOST = 720, 12, 24
#: The side of a cell that carries a number.
NUMBERED = 46
#: How far from 0 a cell is so strong that its letters turn: on a light and on a dark page.
EDGE = (0.84, 0.6)


def shown_systems(payload: Payload) -> list[int]:
    """Choose the systems in the matrix: the first 60 by rank, in the order of the dendrogram.

    Returns
    -------
    list of int
        Places in ``dependence["systems"]``.
    """
    dependence = payload["dependence"]
    names = dependence["systems"]
    order: list[int] = dependence.get("order") or list(range(len(names)))
    if len(order) <= PAIRS_LIMIT:
        return order
    rank_of = {system["name"]: i for i, system in enumerate(by_rank(payload))}
    first = sorted(order, key=lambda leaf: rank_of.get(names[leaf], len(rank_of)))[:PAIRS_LIMIT]
    return [leaf for leaf in order if leaf in set(first)]


def system_labels(payload: Payload) -> tuple[list[str], list[str]]:
    """Label the shown systems as rows (with their families) and as columns of a matrix.

    With many systems both are numbered, and the columns carry the numbers alone.
    """
    dependence, shown = payload["dependence"], shown_systems(payload)
    family_of = {
        member: plain(family["name"])
        for family in source_families(dependence)
        if len(family["members"]) > 1
        for member in family["members"]
    }
    names = [dependence["systems"][leaf] for leaf in shown]
    plainly = [plain(name) for name in names]
    few = len(names) <= NUMBERS_LIMIT
    rows = plainly if few else [f"{i}. {name}" for i, name in enumerate(plainly, 1)]
    marked = [
        f"{row} · {family_of[name]}" if family_of.get(name) else row
        for row, name in zip(rows, names, strict=True)
    ]
    return marked, plainly if few else [str(i) for i in range(1, len(names) + 1)]


def has_dependence(payload: Payload) -> bool:
    """Say whether a result tells how alike at least two systems are."""
    dependence = payload.get("dependence") or {}
    return len(dependence.get("systems") or []) > 1 and bool(dependence.get("phi"))


def alike(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the correlation φ of each two systems, in the order of the dendrogram beside it.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where no correlation is known.
    """
    if not has_dependence(payload):
        return None
    dependence, shown = payload["dependence"], shown_systems(payload)
    few = len(shown) <= NUMBERS_LIMIT
    cells = _cells(dependence["phi"], shown, said=few)
    lines = branches(
        dependence.get("tree") or [],
        {leaf: row for row, leaf in enumerate(shown)},
        len(dependence["systems"]),
    )
    if not cells:
        return None
    rows, columns = system_labels(payload)
    step = NUMBERED if few else max(LEAST, min(MOST, MATRIX_WIDTH // len(shown)))
    matrix = _matrix(rows, columns, title="φ", few=few, dark=dark)
    matrix["width"] = matrix["height"] = {"step": step}
    spec = frame(alike_words(payload), [*cells, *lines], dark=dark)
    spec["params"] = _names(rows, columns)
    spec["spacing"] = 8
    tree = [_tree(len(shown), step, dark=dark)] if lines else []
    spec["hconcat"] = [matrix, *tree]
    return spec


def alike_words(payload: Payload) -> str:
    """Describe the matrix of systems in a sentence."""
    every = len(payload["dependence"]["systems"]) if payload.get("dependence") else 0
    who = count(every, "system")
    if every > PAIRS_LIMIT:
        who = f"the first {PAIRS_LIMIT} of {every} systems"
    said = (
        f"How alike {who} answer: the correlation φ of their answers, 1 where they are the same."
        " Systems that answer alike stand together; the tree joins them at the height 1 − φ."
    )
    if payload.get("dependence") and _holes(payload["dependence"]["phi"]):
        said += " Empty cells are undefined."
    return with_caveat(said, payload)


def _cells(
    values: Sequence[Sequence[float | None]], shown: Sequence[int], *, said: bool
) -> list[Spec]:
    cells: list[Spec] = []
    for row, i in enumerate(shown):
        for column, j in enumerate(shown):
            value = values[i][j]
            if value is not None:
                cell: Spec = {"r": row, "c": column, "v": round(value, 4)}
                cells.append({**cell, "said": fixed(value, 2)} if said else cell)
    return cells


def _holes(values: Sequence[Sequence[float | None]]) -> bool:
    return any(value is None for line in values for value in line)


def _names(rows: Sequence[str], columns: Sequence[str]) -> list[Spec]:
    return [{"name": "rows", "value": list(rows)}, {"name": "columns", "value": list(columns)}]


def _matrix(
    rows: Sequence[str], columns: Sequence[str], *, title: str, few: bool, dark: bool
) -> Spec:
    scale = {"domain": [-1, 0, 1], "range": "diverging", "interpolate": "rgb"}
    legend = {
        "title": title,
        "format": ".1f",
        "orient": "bottom",
        "direction": "horizontal",
        "gradientLength": 160,
        "values": [-1, -0.5, 0, 0.5, 1],
    }
    colour = {"field": "v", "type": "quantitative", "scale": scale, "legend": legend}
    cells: Spec = {"mark": {"type": "rect"}, "encoding": {"color": colour}}
    numbers = [figures("v", middle=0, edge=EDGE[dark], dark=dark)] if few else []
    small = {} if few else {"labelFontSize": 9}
    return {
        "transform": [
            {"filter": "isValid(datum.r)"},
            {"calculate": "rows[datum.r]", "as": "row"},
            {"calculate": "columns[datum.c]", "as": "column"},
        ],
        "encoding": {
            "x": side("column", columns, across(few=few)),
            "y": side("row", rows, {"labelLimit": 260, **small}),
            "tooltip": [
                {"field": "row", "type": "nominal"},
                {"field": "column", "type": "nominal"},
                {**number("v"), "title": title},
            ],
        },
        "layer": [cells, *numbers],
    }


def _tree(total: int, step: int, *, dark: bool) -> Spec:
    height: Spec = {"title": "1 − φ", "orient": "top", "grid": False, "labelFlush": False}
    height["tickCount"] = 3
    rows = {"domain": [0, total], "reverse": True, "nice": False}
    return {
        "width": TREE_WIDTH,
        "height": total * step,
        "transform": [{"filter": "datum.part === 'branch'"}],
        "mark": {"type": "rule", "strokeWidth": 1.5, "strokeCap": "square", "color": QUIET[dark]},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "axis": height},
            "x2": {"field": "x2"},
            "y": {"field": "y", "type": "quantitative", "axis": None, "scale": rows},
            "y2": {"field": "y2"},
        },
    }


def methods_alike(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw Kendall's τ between the rankings of each two methods of the panel.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None with fewer than two methods.
    """
    if not has_panel(payload) or len(payload["panel"]["methods"]) < 2:
        return None
    names = [plain(method["name"]) for method in payload["panel"]["methods"]]
    few = len(names) <= NUMBERS_LIMIT
    cells = _cells(payload["panel"]["tau"], range(len(names)), said=few)
    if not cells:
        return None
    spec = frame(methods_alike_words(payload), cells, dark=dark)
    spec["params"] = _names(names, names)
    spec |= _matrix(names, names, title="τ", few=few, dark=dark)
    spec["width"] = spec["height"] = {"step": NUMBERED if few else MOST}
    return spec


def methods_alike_words(payload: Payload) -> str:
    """Describe the matrix of methods in a sentence."""
    methods = len((payload.get("panel") or {}).get("methods") or [])
    said = (
        f"Kendall's τ between the rankings of {count(methods, 'method')}:"
        " 1 where they give the same order, −1 where they give the opposite one."
    )
    if has_panel(payload) and _holes(payload["panel"]["tau"]):
        said += " Empty cells are undefined."
    return with_caveat(said, payload)


def panel_systems(payload: Payload) -> list[str]:
    """Choose the systems whose ranks are drawn: the first 20."""
    known = {name for method in payload["panel"]["methods"] for name in method["ranks"]}
    names = [system["name"] for system in by_rank(payload)]
    return [name for name in names if name in known][:LEGEND_LIMIT]


def method_ranks(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the rank that each method of the panel gives each system; at most 20 systems.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None with fewer than two methods or without ranks.
    """
    if not has_panel(payload) or len(payload["panel"]["methods"]) < 2:
        return None
    names, methods = panel_systems(payload), payload["panel"]["methods"]
    rows = [
        {
            "system": plain(name),
            "method": plain(method["name"]),
            "rank": method["ranks"].get(name),
            "value": method["values"].get(name),
        }
        for name in names
        for method in methods
    ]
    known = [row["rank"] for row in rows if row["rank"] is not None]
    if not known:
        return None
    spec = frame(method_ranks_words(payload), rows, dark=dark)
    chosen, opacity = legend_choice()
    spec["params"] = [chosen]
    spec["width"], spec["height"] = 640, max(160, min(600, 24 * max(known)))
    spec["mark"] = {"type": "line", "strokeWidth": 2, "point": {"size": 55, "opacity": 1}}
    order = [plain(method["name"]) for method in methods]
    spec["encoding"] = {
        "x": {
            "field": "method",
            "type": "nominal",
            "scale": {"type": "point", "domain": order, "padding": 0.3},
            "axis": {"title": None, "labelAngle": 0, "orient": "top", "domain": False},
        },
        "y": _rank_axis(max(known)),
        "opacity": opacity,
        "tooltip": [
            {"field": "system", "type": "nominal"},
            {"field": "method", "type": "nominal"},
            {"field": "rank", "type": "quantitative"},
            {**number("value"), "title": plain(payload["panel"].get("measure") or "value")},
        ],
        **line_styles([plain(name) for name in names], dark=dark),
    }
    return spec


def _rank_axis(last: int) -> Spec:
    scale = {"domain": [1, max(2, last)], "reverse": True, "nice": False, "zero": False}
    every = 1 if last <= LEGEND_LIMIT else 5 if last <= 5 * LEGEND_LIMIT else 20
    marked = [1, *range(every, last + 1, every)] if every > 1 else list(range(1, last + 1))
    axis: Spec = {"title": "rank", "values": marked, "format": "d", "domain": False, "grid": False}
    # Vega leaves every second value out where it finds more of them than ticks of these sizes
    axis |= {"tickCount": len(marked) + 1, "tickMinStep": 0.5}
    return {"field": "rank", "type": "quantitative", "scale": scale, "axis": axis}


def method_ranks_words(payload: Payload) -> str:
    """Describe the chart of ranks by method in a sentence."""
    shown = panel_systems(payload) if has_panel(payload) else []
    every = len(payload["systems"])
    who = count(every, "system")
    if len(shown) < every:
        who = f"{len(shown)} of {every} systems; the table holds all"
    measure = plain((payload.get("panel") or {}).get("measure") or payload["measure"])
    said = f"Rank by {measure} that each method gives {who}. Lines that cross: the methods differ."
    return with_caveat(said, payload)
