"""The chart of single queries: where the systems differ most under an uncertain truth."""

from __future__ import annotations

from consilience.render.distributions_charts import LINES, label, leads
from consilience.render.theme import Spec, frame, hues, legend_choice, line_styles, number, unit
from consilience.render.words import Payload, count, percent, plain, with_caveat

#: The most queries with a row of their own, and the height that they may take together.
QUERIES, TALLEST = 25, 900


def chosen_queries(payload: Payload) -> list[str]:
    """Choose the queries that are drawn: where the first systems differ most.

    Of a single system, those where its value is the least certain.
    """
    names, lead = [system["name"] for system in payload["systems"][:LINES]], leads(payload)
    held: dict[str, list[Payload]] = {}
    for result in payload["results"]:
        if result["system"] in names and result[lead]["mean"] is not None:
            held.setdefault(result["query"], []).append(result[lead])

    def width(query: str) -> float:
        if len(names) > 1:
            means = [score["mean"] for score in held[query]]
            return float(max(means) - min(means))
        low, high = held[query][0]["interval"]
        return float(high - low)

    most = min(QUERIES, TALLEST // query_height(len(names)))
    return sorted(held, key=width, reverse=True)[:most]


def query_height(systems: int) -> int:
    """Say how high the row of a query is.

    Examples
    --------
    >>> query_height(1), query_height(4)
    (24, 64)
    """
    return 24 if systems == 1 else 13 * systems + 12


def by_query(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the expected value of each system in each query, with its interval.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None with a single query.
    """
    if payload["queries"] < 2:
        return None
    queries = chosen_queries(payload)
    names = [plain(system["name"]) for system in payload["systems"][:LINES]]
    rows = query_rows(payload)
    if not rows:
        return None
    said = f"expected {label(leads(payload), payload)}"
    spec = frame(by_query_words(payload), rows, dark=dark)
    spec["width"], spec["height"] = 640, query_height(len(names)) * len(queries)
    axis: Spec = {"title": None, "domain": False, "ticks": False, "labelPadding": 8}
    axis |= {"grid": True, "tickBand": "extent"}
    y: Spec = {"field": "query", "type": "nominal", "axis": axis}
    y["scale"] = {
        "domain": [plain(query) for query in queries],
        "paddingInner": 0.24,
        "paddingOuter": 0.12,
    }
    chosen, opacity = legend_choice()
    styles = line_styles(names, dark=dark, legend={"orient": "top", "symbolType": "circle"})
    spec["encoding"] = {
        "y": y,
        **({"yOffset": {"field": "system", "scale": {"domain": names}}} if len(names) > 1 else {}),
        "color": styles["color"] if len(names) > 1 else {"value": hues(dark=dark)[0]},
        "tooltip": [
            {"field": "query", "type": "nominal"},
            {"field": "system", "type": "nominal"},
            {**number("mean"), "title": said},
            {**number("low"), "title": "from"},
            {**number("high"), "title": "to"},
        ],
    }
    if len(names) > 1:
        spec["encoding"]["opacity"] = opacity
    x = unit("mean")
    x["axis"] = {**x["axis"], "title": said}
    rule: Spec = {"mark": {"type": "rule", "strokeWidth": 2}}
    rule["encoding"] = {"x": {**x, "field": "low"}, "x2": {"field": "high"}}
    dot: Spec = {"mark": {"type": "point", "filled": True, "size": 55}, "encoding": {"x": x}}
    if len(names) > 1:
        rule["params"] = [chosen]
    spec["layer"] = [rule, dot]
    return spec


def query_rows(payload: Payload) -> list[Spec]:
    """List what the chart of queries shows: query, system, expected value with its interval."""
    place = {query: i for i, query in enumerate(chosen_queries(payload))}
    names, lead = [system["name"] for system in payload["systems"][:LINES]], leads(payload)
    rows = [
        {
            "query": plain(result["query"]),
            "system": plain(result["system"]),
            "mean": result[lead]["mean"],
            "low": result[lead]["interval"][0],
            "high": result[lead]["interval"][1],
            "at": place[result["query"]],
        }
        for result in payload["results"]
        if result["query"] in place and result["system"] in names
        if result[lead]["mean"] is not None
    ]
    return sorted(rows, key=lambda row: int(row.pop("at")))


def by_query_words(payload: Payload) -> str:
    """Describe the chart of queries, and say which of them it shows."""
    shown, every = len(chosen_queries(payload)), payload["queries"]
    systems = len(payload["systems"])
    which = f"the {count(every, 'query')}"
    if shown < every:
        told = "in which the systems differ most" if systems > 1 else "that are the least certain"
        which = f"{shown} of {count(every, 'query')}, those {told}"
    who = "each system" if systems <= LINES else f"the first {LINES} systems"
    expected = f"Expected {label(leads(payload), payload)}"
    said = f"{expected} of {who} in {which}, with {percent(payload['level'])} intervals."
    return with_caveat(said, payload)
