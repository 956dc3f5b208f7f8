"""Charts of agreement between annotators: two by two, one by one, and category by category."""

from __future__ import annotations

from consilience.render.charts import NUMBERS_LIMIT, PAIRS_LIMIT
from consilience.render.forest_chart import FOREST_ROW
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
from consilience.render.words import Payload, count, fixed, percent, plain

#: The most annotators of the dot plot, and the most categories of the matrix.
DOTS, CATEGORIES = 40, 25
#: The side of a cell: with a number in it, and without.
NUMBERED, BARE = 46, 15
#: What κ is called by the scale's weights.
KAPPA = {
    "kappa": "κ",
    "kappa_linear": "weighted κ (linear)",
    "kappa_quadratic": "weighted κ (quadratic)",
    "kappa_tree": "weighted κ (edges of the tree)",
}


def who(one: Payload) -> str:
    """Name an annotator, and say so of a language model.

    Examples
    --------
    >>> who({"name": "ann", "kind": "person"}), who({"name": "judge", "kind": "llm"})
    ('ann', 'judge (language model)')
    """
    name = plain(one["name"])
    return f"{name} (language model)" if one.get("kind") == "llm" else name


def kappa_name(payload: Payload) -> str:
    """Name the κ that a result compares annotators by.

    Examples
    --------
    >>> kappa_name({"scale": {"kappa": "kappa_quadratic"}})
    'weighted κ (quadratic)'
    """
    return KAPPA[payload["scale"]["kappa"]]


def paired(payload: Payload, most: int = PAIRS_LIMIT) -> list[str]:
    """Name the annotators of the matrix: all, or those with the most labels, by name."""
    known = {pair[end] for pair in payload["pairs"] for end in ("a", "b")}
    busiest = sorted(payload["annotators"], key=lambda one: (-one["labels"], one["name"]))
    return sorted([one["name"] for one in busiest if one["name"] in known][:most])


def pair_matrix(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw κ of each two annotators: blue agreement, orange less than chance, empty undefined.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where no κ is defined.
    """
    names, field = paired(payload), payload["scale"]["kappa"]
    few = len(names) <= NUMBERS_LIMIT
    label = {n: plain(n) if few else f"{i}. {plain(n)}" for i, n in enumerate(names, 1)}
    above = {n: plain(n) if few else str(i) for i, n in enumerate(names, 1)}
    rows = [
        {
            "row": label[one],
            "column": above[other],
            "v": pair[field],
            "said": fixed(pair[field], 2),
            "n": pair["n"],
            "equal": pair["percent"],
        }
        for pair in payload["pairs"]
        if pair[field] is not None and pair["a"] in label and pair["b"] in label
        for one, other in ((pair["a"], pair["b"]), (pair["b"], pair["a"]))
    ]
    if not rows:
        return None
    spec = frame(pair_matrix_words(payload), rows, dark=dark)
    spec["width"] = spec["height"] = {"step": NUMBERED if few else BARE}
    spec["encoding"] = {
        "x": side("column", list(above.values()), across(few=few)),
        "y": side("row", list(label.values()), {"labelLimit": 220}),
        "tooltip": [
            {"field": "row", "type": "nominal"},
            {"field": "column", "type": "nominal"},
            {**number("v"), "title": kappa_name(payload)},
            {**number("equal"), "title": "equal labels"},
            {"field": "n", "type": "quantitative", "title": "items of both"},
        ],
    }
    scale = {"domain": [-1, 0, 1], "range": "diverging", "interpolate": "rgb"}
    legend: Spec = {"title": "κ", "format": ".1f", "gradientLength": 160}
    legend["values"] = [-1, -0.5, 0, 0.5, 1]
    colour = {"field": "v", "type": "quantitative", "scale": scale, "legend": legend}
    cells: Spec = {"mark": {"type": "rect"}, "encoding": {"color": colour}}
    edge = 0.6 if dark else 0.84
    spec["layer"] = [cells, *([figures("v", middle=0, edge=edge, dark=dark)] if few else [])]
    return spec


def pair_matrix_words(payload: Payload) -> str:
    """Describe the matrix of pairs in a sentence."""
    shown, every = len(paired(payload)), len(payload["annotators"])
    who = count(every, "annotator")
    if shown < every:
        who = f"{shown} of {every:,} annotators, those with the most labels"
    return (
        f"How far each two of {who} agree on the items that both labelled: {kappa_name(payload)},"
        " 1 full agreement, 0 chance. Empty cells are undefined."
    )


def each_annotator(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how far each annotator agrees with the others, with intervals; the lowest first.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None where no κ is defined.
    """
    rows = [
        {
            "annotator": who(one),
            "value": one["kappa"],
            "low": (one["interval"] or (None, None))[0],
            "high": (one["interval"] or (None, None))[1],
            "n": one["n"],
            "odd": "less than usual" if one["odd"] else "usual",
        }
        for one in payload["annotators"]
        if one["kappa"] is not None
    ][:DOTS]
    if not rows:
        return None
    spec = frame(each_annotator_words(payload), rows, dark=dark)
    spec["width"], spec["height"] = 640, FOREST_ROW * len(rows)
    axis = {"title": f"{kappa_name(payload)} with the others", "tickCount": 8, "labelFlush": False}
    x = {"field": "value", "type": "quantitative", "scale": {"zero": True}, "axis": axis}
    hue = {
        "field": "odd",
        "type": "nominal",
        "scale": {"domain": ["usual", "less than usual"], "range": list(hues(dark=dark)[:2])},
        "legend": None,
    }
    spec["encoding"] = {
        "y": side("annotator", [row["annotator"] for row in rows], {"labelLimit": 190}),
        "tooltip": [
            {"field": "annotator", "type": "nominal"},
            {**number("value"), "title": kappa_name(payload)},
            {**number("low"), "title": "from"},
            {**number("high"), "title": "to"},
            {"field": "n", "type": "quantitative", "title": "items"},
        ],
    }
    intervals: Spec = {
        "transform": [{"filter": "datum.low !== null"}],
        "mark": {"type": "rule", "strokeWidth": 2.5},
        "encoding": {"x": {**x, "field": "low"}, "x2": {"field": "high"}, "color": hue},
    }
    dots: Spec = {
        "mark": {"type": "point", "size": 80, "opacity": 1, "filled": True, "stroke": PAGE[dark]},
        "encoding": {"x": x, "color": hue},
    }
    line: Spec = {"type": "rule", "strokeDash": [4, 3], "color": QUIET[dark], "aria": False}
    chance: Spec = {"mark": line}  # readers of screens hear of it in the sentence below
    chance["encoding"] = {"x": {"datum": 0}, "y": {"value": 0}, "y2": {"value": "height"}}
    chance["encoding"]["tooltip"] = {"value": None}
    known = any(row["low"] is not None for row in rows)
    spec["layer"] = [chance, *([intervals] if known else []), dots]
    return spec


def each_annotator_words(payload: Payload) -> str:
    """Describe the dot plot of annotators in a sentence."""
    every = len(payload["annotators"])
    known = sum(one["kappa"] is not None for one in payload["annotators"])
    who = (
        f"the {DOTS} lowest of {every:,} annotators" if known > DOTS else count(every, "annotator")
    )
    said = f"How far {who} agree with the others ({kappa_name(payload)}), the lowest first, with"
    said += f" {percent(payload['level'])} intervals over items. Dashed: what chance gives."
    if any(one["odd"] for one in payload["annotators"][:DOTS]):
        said += " Orange: clearly below the middle annotator."
    return said


def shown_categories(payload: Payload) -> list[str]:
    """Choose the categories of the matrix: all, or those with the most labels, in their order."""
    by_labels = sorted(payload["categories"], key=lambda one: -one["labels"])[:CATEGORIES]
    kept = {one["name"] for one in by_labels if one["labels"]}
    return [one["name"] for one in payload["categories"] if one["name"] in kept]


def category_matrix(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw which categories meet on the same item: pairs of labels, agreed ones on the diagonal.

    The colour of a cell is its share of the row: with what the row's category was answered.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None with a single category, or where nothing is confused: the
        table beside it would be empty.
    """
    cells = category_cells(payload)
    names = shown_categories(payload)
    if len(names) < 2 or not cells or not payload["confusions"]:
        return None
    few = len(names) <= NUMBERS_LIMIT
    spec = frame(category_matrix_words(payload), cells, dark=dark)
    spec["width"] = spec["height"] = {"step": NUMBERED if few else 24}
    spec["encoding"] = {
        "x": side("column", [plain(name) for name in names], across(few=True)),
        "y": side("row", [plain(name) for name in names], {"labelLimit": 220}),
        "tooltip": [
            {"field": "row", "type": "nominal", "title": "one says"},
            {"field": "column", "type": "nominal", "title": "another says"},
            {"field": "pairs", "type": "quantitative", "title": "pairs of labels"},
            {**number("share"), "title": "share of the row"},
        ],
    }
    *_, middle = GROUND[dark]
    scale = {"domain": [0, 1], "range": [middle, hues(dark=dark)[0]], "interpolate": "rgb"}
    legend = {"title": "share of the row", "format": ".1f", "gradientLength": 160}
    colour = {"field": "share", "type": "quantitative", "scale": scale, "legend": legend}
    rects: Spec = {"mark": {"type": "rect"}, "encoding": {"color": colour}}
    edge = 0.6 if dark else 0.84
    spec["layer"] = [rects, *([figures("share", middle=0, edge=edge, dark=dark)] if few else [])]
    return spec


def category_cells(payload: Payload) -> list[Spec]:
    """List the cells of the matrix of categories, both halves and the diagonal."""
    names = {*shown_categories(payload)}
    pairs = {(one["name"], one["name"]): 2 * one["agreed"] for one in payload["categories"]}
    for one in payload["confusions"]:
        pairs[one["a"], one["b"]] = pairs[one["b"], one["a"]] = one["pairs"]
    total: dict[str, int] = {}
    for (row, _), met in pairs.items():
        total[row] = total.get(row, 0) + met
    return [
        {
            "row": plain(row),
            "column": plain(column),
            "pairs": met // 2 if row == column else met,
            "share": met / total[row],
            "said": f"{met // 2 if row == column else met:,}",
        }
        for (row, column), met in pairs.items()
        if met and row in names and column in names
    ]


def category_matrix_words(payload: Payload) -> str:
    """Describe the matrix of categories in a sentence."""
    shown, every = len(shown_categories(payload)), len(payload["categories"])
    which = count(every, "label") if shown == every else f"{shown} of {every:,} labels"
    return (
        f"What one annotator says and another says of the same item: pairs of labels, for {which}."
        " The diagonal agrees; a cell is coloured by its share of the row."
    )
