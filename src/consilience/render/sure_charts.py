"""Charts of how sure a ranking is: the ranks a system may have, and what of its list was judged."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.charts import LEGEND_LIMIT
from consilience.render.forest_chart import BEHIND, FOREST_ROW, LEADING, forest_rows, names_axis
from consilience.render.markup import table
from consilience.render.sure import known, share, shares
from consilience.render.theme import PAGE, QUIET, Spec, frame, hues, unit
from consilience.render.words import (
    Payload,
    by_rank,
    chance,
    chance_label,
    count,
    fixed,
    percent,
    plain,
    with_caveat,
)


def rank_rows(payload: Payload) -> list[Spec]:
    """List the rank of each system with the ranks it may have; none in older results."""
    if not known(payload) or len(payload["systems"]) < 2:
        return []
    standing = {row["system"]: row["standing"] for row in forest_rows(payload)}
    return [
        {
            "system": plain(system["name"]),
            "rank": system["rank"],
            "low": system["rank_interval"][0],
            "high": system["rank_interval"][1],
            "best": chance(system.get("p_best")),
            "standing": standing[plain(system["name"])],
        }
        for system in by_rank(payload)
        if system["rank"] is not None and system.get("rank_interval")
    ]


def ranks(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the rank of each system, with a line over the ranks it may have.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where no system has an interval of ranks.
    """
    rows = rank_rows(payload)
    if not rows:
        return None
    spec = frame(ranks_words(payload), rows, dark=dark)
    names = [row["system"] for row in rows]
    strong, quiet = hues(dark=dark)[0], QUIET[dark]
    scale = {"domain": [LEADING, BEHIND], "range": [strong, quiet]}
    hue = {"field": "standing", "type": "nominal", "scale": scale, "legend": None}
    leading = f"datum.standing === '{LEADING}'"
    fill = {"condition": {"test": leading, "value": strong}, "value": PAGE[dark]}
    x = _rank_axis(max(row["high"] for row in rows))
    spec["encoding"] = {
        "y": {"field": "system", "type": "nominal", "scale": {"domain": names}}
        | {"axis": names_axis()},
        "tooltip": [
            {"field": "system", "type": "nominal"},
            *({"field": key, "type": "quantitative"} for key in ("rank", "low", "high")),
            {"field": "best", "type": "nominal", "title": chance_label(payload)},
        ],
    }
    spec["layer"] = [
        {
            "mark": {"type": "rule", "strokeWidth": 2.5},
            "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": hue},
        },
        {
            "mark": {"type": "point", "size": 80, "strokeWidth": 2, "opacity": 1},
            "encoding": {"x": x, "color": hue, "fill": fill},
        },
    ]
    spec["width"], spec["height"] = 640, FOREST_ROW * len(rows)
    return spec


def _rank_axis(last: int) -> Spec:
    """Encode a rank: whole numbers, all of them where they are few."""
    every = 1 if last <= LEGEND_LIMIT else 5 if last <= 5 * LEGEND_LIMIT else 20
    marked = list(dict.fromkeys([1, *range(every, last + 1, every)]))
    scale = {"domain": [1, max(2, last)], "nice": False, "zero": False, "padding": 12}
    axis: Spec = {"title": "rank", "values": marked, "format": "d", "domain": False}
    axis |= {"tickCount": len(marked) + 1, "tickMinStep": 0.5}
    return {"field": "rank", "type": "quantitative", "scale": scale, "axis": axis}


def ranks_words(payload: Payload) -> str:
    """Describe the chart of ranks in a sentence."""
    every = count(len(rank_rows(payload)), "system")
    said = f"Rank of {every} by {plain(payload['measure'])}; lines: {percent(payload['level'])}"
    said += f" intervals of the rank. Filled: {LEADING}. Hollow: {BEHIND}."
    given = known(payload).get("given") if known(payload).get("withheld") else None
    said += f" All of it holds if {plain(given).rstrip('.')}." if given else ""
    return with_caveat(said, payload)


def ranks_twin(payload: Payload) -> str:
    """Write the figures of the chart of ranks as a table."""
    rows = [
        [row["system"], *(fixed(row[key], 0) for key in ("rank", "low", "high")), row["best"]]
        for row in rank_rows(payload)
    ]
    header = ["system", "rank", "from", "to", chance_label(payload)]
    kinds = ["head"] + ["number"] * (len(header) - 1)
    return table(
        header, rows, kinds=kinds, title=with_caveat("Ranks and their intervals.", payload)
    )


def judged_rows(payload: Payload) -> list[Spec]:
    """List what share of each system's answers was judged: near the top, and of all."""
    chosen = shares(payload)
    if chosen is None:
        return []
    rows = []
    for system in by_rank(payload):
        held = system.get("judged") or {}
        top, whole = held.get(chosen[0]), held.get("all")
        if top is not None:
            row = {"system": plain(system["name"]), "top": top, "all": whole}
            rows.append({**row, "said": share(top), "said_all": share(whole)})
    return rows


def judged(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the judged share of each system's first answers as bars, of all answers as ticks.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where it is not known what was judged.
    """
    rows = judged_rows(payload)
    if not rows:
        return None
    spec = frame(judged_words(payload), rows, dark=dark)
    names = [row["system"] for row in rows]
    x = unit("top")
    x["axis"] = {**x["axis"], "title": _heading(payload), "format": "%"}
    spec["encoding"] = {
        "y": {"field": "system", "type": "nominal", "scale": {"domain": names}}
        | {"axis": names_axis()},
        "tooltip": [
            {"field": "system", "type": "nominal"},
            {"field": "said", "type": "nominal", "title": _heading(payload)},
            {"field": "said_all", "type": "nominal", "title": "all answers"},
        ],
    }
    ink, page = hues(dark=dark), PAGE[dark]
    spec["layer"] = [
        {"mark": {"type": "bar", "height": 14, "color": ink[0]}, "encoding": {"x": x}},
        *(_ticks(x, (ink[1], page)) if _whole(payload, rows) else []),
    ]
    spec["width"], spec["height"] = 640, FOREST_ROW * len(rows)
    return spec


def _ticks(x: Spec, colours: Sequence[str]) -> list[Spec]:
    """Draw the share of all answers, on a wider tick in the colour of the page."""
    held = [{"filter": "datum.all !== null"}]
    return [
        {
            "transform": held,
            "mark": {"type": "tick", "thickness": thick, "size": 20, "color": colour, "opacity": 1},
            "encoding": {"x": {**x, "field": "all"}},
        }
        for colour, thick in ((colours[1], 6), (colours[0], 3))
    ]


def _heading(payload: Payload) -> str:
    return (shares(payload) or ("", ""))[1]


def _whole(payload: Payload, rows: Sequence[Spec]) -> bool:
    """Say whether the share of all answers is another one than that of the first ones."""
    deep = (shares(payload) or ("all", ""))[0] != "all"
    return deep and any(row["all"] not in (None, row["top"]) for row in rows)


def judged_words(payload: Payload) -> str:
    """Describe the chart of judged shares in a sentence."""
    key = (shares(payload) or ("all", ""))[0]
    top = "the answers" if key == "all" else f"the first {key[1:]} answers"
    rows = judged_rows(payload)
    said = f"Share of {top} of {count(len(rows), 'system')} that were judged"
    said += "; ticks: of all answers." if rows and _whole(payload, rows) else "."
    return with_caveat(said, payload)


def judged_twin(payload: Payload) -> str:
    """Write the judged shares as a table."""
    rows = judged_rows(payload)
    header, cells = ["system", _heading(payload)], [[row["system"], row["said"]] for row in rows]
    if _whole(payload, rows):
        header.append("all answers")
        cells = [[*cell, row["said_all"]] for cell, row in zip(cells, rows, strict=True)]
    kinds = ["head"] + ["number"] * (len(header) - 1)
    title = with_caveat("What was judged of each system's answers.", payload)
    return table(header, cells, kinds=kinds, title=title)
