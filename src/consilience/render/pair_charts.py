"""Charts of pairs: how likely one system is ahead of another.

Up to 60 systems a result holds every pair, and they are a matrix. Beyond, it holds the first system
against every other one and neighbours in rank; then the first is compared with those next to it.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.charts import LEGEND_LIMIT, NUMBERS_LIMIT, PAIRS_LIMIT
from consilience.render.forest_chart import FOREST_ROW
from consilience.render.theme import (
    PAGE,
    QUIET,
    Spec,
    across,
    figures,
    frame,
    hues,
    number,
    side,
    unit,
)
from consilience.render.words import (
    Payload,
    by_rank,
    chance,
    count,
    pair_label,
    plain,
    with_caveat,
    without_truth,
)


def holds_every_pair(payload: Payload) -> bool:
    """Say whether a result compares every two systems that it compares at all.

    Examples
    --------
    >>> near = [{"a": "x", "b": "y"}, {"a": "x", "b": "z"}]
    >>> holds_every_pair({"pairs": near})
    False
    >>> holds_every_pair({"pairs": [*near, {"a": "y", "b": "z"}]})
    True
    """
    compared = {pair[end] for pair in payload["pairs"] for end in ("a", "b")}
    return len(payload["pairs"]) >= len(compared) * (len(compared) - 1) // 2


def is_matrix(payload: Payload) -> bool:
    """Say whether pairs are a matrix: the result holds one, or all the pairs of one."""
    return bool(payload.get("beats")) or holds_every_pair(payload)


def beaten(payload: Payload) -> list[tuple[str, str, float]]:
    """List who beats whom with which probability: the whole matrix, where a result holds it.

    Examples
    --------
    >>> beaten({"beats": {"systems": ["x", "y"], "p": [[None, 0.9], [0.1, None]]}})
    [('x', 'y', 0.9), ('y', 'x', 0.1)]
    >>> beaten({"pairs": [{"a": "x", "b": "y", "p_a_beats_b": 0.9}]})
    [('x', 'y', 0.9)]
    """
    whole = payload.get("beats")
    if not whole:
        held = [(pair["a"], pair["b"], pair["p_a_beats_b"]) for pair in payload["pairs"]]
        return [one for one in held if one[2] is not None]
    return [
        (row, column, p)
        for row, chances in zip(whole["systems"], whole["p"], strict=True)
        for column, p in zip(whole["systems"], chances, strict=True)
        if p is not None
    ]


def pairs(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how likely each system beats each other one, or the first one those next to it.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None without pairs.
    """
    draw = beats if is_matrix(payload) else against_first
    return draw(payload, dark=dark)


def pairs_words(payload: Payload) -> str:
    """Describe the chart of pairs in a sentence."""
    return beats_words(payload) if is_matrix(payload) else against_first_words(payload)


def beats(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how likely each system beats each other one: blue likely, orange unlikely.

    Only pairs that the payload holds are drawn, as row against column. With many systems the
    columns are numbered by the place of the system in the list.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None without pairs.
    """
    names = [system["name"] for system in by_rank(payload)[: matrix_limit(payload)]]
    few = len(names) <= NUMBERS_LIMIT
    number_of = {name: i for i, name in enumerate(names, 1)}
    row_label = {
        name: plain(name) if few else f"{i}. {plain(name)}" for name, i in number_of.items()
    }
    column_label = {name: plain(name) if few else str(i) for name, i in number_of.items()}
    rows = [
        {
            "row": row_label[row],
            "column": column_label[column],
            "p": p,
            "said": chance(p),
        }
        for row, column, p in beaten(payload)
        if row in number_of and column in number_of
    ]
    if not rows:
        return None
    spec = frame(beats_words(payload), rows, dark=dark)
    dense = len(names) > PAIRS_LIMIT
    spec["width"] = spec["height"] = {"step": 46 if few else 10 if dense else 15}
    columns, lines = ({row[field] for row in rows} for field in ("column", "row"))
    spec["encoding"] = {
        "x": side("column", [n for n in column_label.values() if n in columns], across(few=few)),
        "y": side(
            "row",
            [n for n in row_label.values() if n in lines],
            {"labelFontSize": 9} if dense else {},
        ),
        "tooltip": [{"field": name, "type": "nominal"} for name in ("row", "column", "said")],
    }
    spec["layer"] = _beats_layers(pair_label(payload), numbers=few, dark=dark)
    return spec


def matrix_limit(payload: Payload) -> int:
    """Give the most systems in the matrix: all where a result holds it whole."""
    return max(PAIRS_LIMIT, len((payload.get("beats") or {}).get("systems") or ()))


def beats_words(payload: Payload) -> str:
    """Describe the matrix of pairs in a sentence."""
    every = len(payload["systems"])
    limit = matrix_limit(payload)
    shown = "" if every <= limit else f"; the first {limit} of {every} systems"
    told = "agrees more with the others than" if without_truth(payload) else "beats"
    said = f"Probability that the row {told} the column, by {plain(payload['measure'])}{shown}."
    return with_caveat(said, payload)


def _beats_layers(title: str, *, numbers: bool, dark: bool) -> list[Spec]:
    scale = {"domain": [0, 0.5, 1], "range": "diverging", "interpolate": "rgb"}
    legend = {"title": title, "format": ".1f", "gradientLength": 160}
    colour = {"field": "p", "type": "quantitative", "scale": scale, "legend": legend}
    cells: Spec = {"mark": {"type": "rect"}, "encoding": {"color": colour}}
    if not numbers:
        return [cells]
    return [cells, figures("p", middle=0.5, edge=0.3 if dark else 0.42, dark=dark)]


def first_pairs(payload: Payload) -> list[tuple[str, float]]:
    """List the systems that the first one is compared with, in rank order, and its chance.

    Examples
    --------
    >>> near = [{"a": "x", "b": "z", "p_a_beats_b": 0.9}, {"a": "z", "b": "y", "p_a_beats_b": 0.6}]
    >>> systems = [{"name": name, "rank": i} for i, name in enumerate("xzy", 1)]
    >>> first_pairs({"systems": systems, "pairs": near})
    [('z', 0.9)]
    """
    first, *others = (system["name"] for system in by_rank(payload))
    known = {pair["b"]: pair["p_a_beats_b"] for pair in payload["pairs"] if pair["a"] == first}
    return [(name, known[name]) for name in others if known.get(name) is not None]


def against_first(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how likely the first system beats each of the twenty next to it.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where the first system is compared with none.
    """
    known = first_pairs(payload)[:LEGEND_LIMIT]
    if not known:
        return None
    rows = [{"system": plain(name), "p": p, "even": 0.5, "said": chance(p)} for name, p in known]
    spec = frame(against_first_words(payload), rows, dark=dark)
    spec["width"], spec["height"] = 640, FOREST_ROW * len(rows)
    spec["encoding"] = {
        "tooltip": [
            {"field": "system", "type": "nominal", "title": "second"},
            {**number("p"), "title": first_label(payload)},
        ],
    }
    y = side("system", [plain(name) for name, _ in known], {"labelLimit": 190})
    spec["layer"] = _against_layers(_chance_axis(payload, known), y, dark=dark)
    return spec


def _chance_axis(payload: Payload, known: Sequence[tuple[str, float]]) -> Spec:
    """Encode the chance of the first system, which begins at one half where it never is less."""
    x = unit("p")
    x["axis"] = {**x["axis"], "title": first_label(payload)}
    x["scale"] = {"domain": [0.5 if all(p >= 0.5 for _, p in known) else 0, 1]}
    return x


def _against_layers(x: Spec, y: Spec, *, dark: bool) -> list[Spec]:
    even: Spec = {"mark": {"type": "rule", "strokeDash": [4, 3], "color": QUIET[dark]}}
    even["encoding"] = {"x": {**x, "field": "even", "aggregate": "max"}, "tooltip": None}
    stems = {
        "mark": {"type": "rule", "strokeWidth": 2.5, "color": hues(dark=dark)[0]},
        "encoding": {"x": {**x, "field": "even"}, "x2": {"field": "p"}, "y": y},
    }
    heads = {
        "mark": {
            "type": "point",
            "size": 80,
            "opacity": 1,
            "fill": hues(dark=dark)[0],
            "stroke": PAGE[dark],
        },
        "encoding": {"x": x, "y": y},
    }
    return [even, stems, heads]


def first_label(payload: Payload) -> str:
    """Name the probability that the first system is ahead."""
    return "P(first agrees more)" if without_truth(payload) else "P(first beats it)"


def against_first_words(payload: Payload) -> str:
    """Describe the chart of the first system against those next to it in a sentence."""
    first = plain(by_rank(payload)[0]["name"])
    every = len(first_pairs(payload))
    shown = min(every, LEGEND_LIMIT)
    whom = f"each of the next {count(shown, 'system')}" if shown > 1 else "the next system"
    told = "agrees more with the others than" if without_truth(payload) else "beats"
    said = f"Probability that {first} {told} {whom}, by {plain(payload['measure'])}."
    if shown < every:
        said += f" The table holds all {every:,}."
    return with_caveat(said, payload)
