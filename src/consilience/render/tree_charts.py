"""Charts of a category tree: the tree itself, how large its categories are, where items belong.

Strong is what answers said directly; weak is what a category holds through those below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from consilience.render.theme import (
    GROUND,
    PAGE,
    QUIET,
    Spec,
    across,
    frame,
    hues,
    number,
    side,
)
from consilience.render.tree_layout import (
    SPACE,
    direct_sizes,
    indented,
    left_out,
    places,
    pruned,
    uncertain_first,
    upper,
    walk,
)
from consilience.render.words import Payload, count, fixed, plain, sentence

#: The most categories in the picture of the tree, with a bar, and in the matrix.
NODES, BARS, MATRIX = 40, 60, 40
#: The most items in the matrix, and the most whose cells carry numbers.
ITEMS, NUMBERED = 30, 12
#: The height of a leaf where there are few and where there are many, of a bar and of a cell.
LEAF, MANY, BAR, CELL = 42, 30, 24, 22
#: Up to so many leaves are few.
FEW = 10
#: The radius of the largest category, in pixels.
RADIUS = 21
#: The hue of a category for what it holds through others: light, then dark.
LIGHT = ("#A9CDE6", "#2C4F69")
#: What the two parts of a category are called.
DIRECT, BELOW = "named directly", "through categories below"


def asked(payload: Payload) -> set[str]:
    """Name the categories that the query is about; none where it has no fixed one."""
    query = payload.get("query") or {}
    return {category for category, weight in (query.get("mixture") or {}).items() if weight > 0}


def tree(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the tree: circles as large as the categories, what was named directly inside.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None for fewer than two categories. Of more than 40 categories
        the upper levels are drawn.
    """
    whole, payload = payload, pruned(payload, NODES)
    if len(payload["categories"]) < 2:
        return None
    at, direct = places(payload), direct_sizes(payload)
    largest = max([*payload["size"].values(), 1e-9])
    leaves = sum(1 for c in payload["categories"] if not _has_children(c, payload))
    rows: list[Spec] = []
    for category, (x, y) in at.items():
        leaf = not _has_children(category, payload)
        size, own = payload["size"][category], direct[category]
        for above in payload["parents"].get(category) or []:
            rows.append({"kind": "link", "x": at[above][0], "y": at[above][1], "x2": x, "y2": y})
        outer = _area(size, largest)
        rows.append(
            {
                "kind": "leaf" if leaf else "inner",
                "category": plain(category),
                "x": x,
                "y": y,
                "size": size,
                "direct": own,
                "outer": outer,
                "inner": _area(own, largest),
                "asked": category in asked(payload),
                "label": f"{plain(category)}  {fixed(size, 2)}",
                "lift": round(sqrt(outer / 3.1416) + 8, 1),
            }
        )
    spec = frame(tree_words(whole), rows, dark=dark)
    spec["width"], spec["height"] = 640, (LEAF if leaves <= FEW else MANY) * max(leaves, 2)
    deepest = max(x for x, _ in at.values())
    spec["layer"] = _tree_layers(deepest, leaves, dark=dark)
    return spec


def _area(size: float, largest: float) -> float:
    return round(3.1416 * RADIUS**2 * size / largest, 2)


def _has_children(category: str, payload: Payload) -> bool:
    return any(category in (above or []) for above in payload["parents"].values())


def _tree_layers(deepest: int, leaves: int, *, dark: bool) -> list[Spec]:
    across_, down = (
        {"type": "quantitative", "axis": None, "scale": {"domain": domain, "nice": False}}
        for domain in ([-0.12, deepest + 0.9], [leaves - 0.4, -0.6])
    )
    x, y = {**across_, "field": "x"}, {**down, "field": "y"}
    told = [
        {"field": "category", "type": "nominal"},
        {**number("size"), "title": "size"},
        {**number("direct"), "title": DIRECT},
    ]
    links: Spec = {"transform": [{"filter": "datum.kind === 'link'"}]}
    links["mark"] = {"type": "rule", "color": GROUND[dark][2], "strokeWidth": 1.5}
    links["encoding"] = {"x": x, "y": y, "x2": {"field": "x2"}, "y2": {"field": "y2"}}
    nodes = {"filter": "datum.kind !== 'link'"}
    plain_area: Spec = {"type": "quantitative", "scale": None}
    ring = {"condition": {"test": "datum.asked", "value": hues(dark=dark)[1]}, "value": PAGE[dark]}
    outer: Spec = {"transform": [nodes]}
    outer["mark"] = {"type": "circle", "color": LIGHT[dark], "opacity": 1, "strokeWidth": 2.5}
    outer["encoding"] = {"x": x, "y": y, "size": {**plain_area, "field": "outer"}, "stroke": ring}
    outer["encoding"]["tooltip"] = told
    inner: Spec = {"transform": [nodes]}
    inner["mark"] = {"type": "circle", "color": hues(dark=dark)[0], "opacity": 1}
    inner["encoding"] = {"x": x, "y": y, "size": {**plain_area, "field": "inner"}, "tooltip": told}
    return [links, outer, inner, *_tree_names(x, y, dark=dark)]


def _tree_names(x: Spec, y: Spec, *, dark: bool) -> list[Spec]:
    """Write names beside leaves and above other categories, on a ground that hides the links."""
    made = []
    text = {"field": "label", "type": "nominal"}
    for kind, mark in (
        ("leaf", {"align": "left", "dx": {"expr": "datum.lift"}}),
        ("inner", {"align": "center", "dy": {"expr": "-datum.lift"}}),
    ):
        for looks in ({"stroke": PAGE[dark], "strokeWidth": 4, "strokeJoin": "round"}, {}):
            layer: Spec = {"transform": [{"filter": f"datum.kind === '{kind}'"}]}
            layer["mark"] = {"type": "text", "fontSize": 12, "limit": 200, **mark, **looks}
            layer["encoding"] = {"x": x, "y": y, "text": text}
            made.append(layer)
    return made


def tree_words(payload: Payload) -> str:
    """Describe the picture of the tree in words."""
    said = (
        f"The tree of {count(len(payload['categories']), 'category')}. The area of a circle is the"
        " size of its category: the expected number of items in it. Strong colour: the part that"
        " was named directly; weak colour: the part that came through categories below."
    )
    if asked(payload):
        said += " Ringed: what was asked for."
    return f"{said} {sentence(left_out(payload, NODES))}".rstrip()


def sizes(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw the size of each category as a bar, in the order of the tree.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None without categories.
    """
    shown, direct = upper(payload, BARS), direct_sizes(payload)
    if not shown:
        return None
    rows = []
    for category in shown:
        own = min(direct[category], payload["size"][category])
        rows.append(
            {
                "category": indented(category, payload, SPACE),
                "name": plain(category),
                "direct": own,
                "size": payload["size"][category],
                "said": fixed(payload["size"][category], 2),
            }
        )
    spec = frame(sizes_words(payload), rows, dark=dark)
    spec["width"], spec["height"] = 640, BAR * len(rows)
    axis: Spec = {"title": None, "domain": False, "ticks": False, "labelAlign": "left"}
    axis["labelPadding"] = left_room([row["category"] for row in rows])
    y = {"field": "category", "type": "nominal", "axis": axis, "sort": None}
    spec["encoding"] = {
        "y": y,
        "tooltip": [
            {"field": "name", "type": "nominal", "title": "category"},
            {**number("size"), "title": "size"},
            {**number("direct"), "title": DIRECT},
        ],
    }
    spec["layer"] = _size_layers(dark=dark)
    return spec


def left_room(labels: Sequence[str]) -> int:
    """Say how far left of an axis labels of one indentation begin, so that all fit."""
    levels = max(label.count(SPACE) for label in labels)
    letters = max(len(label) - label.count(SPACE) for label in labels)
    return min(190, 8 + 7 * letters + 12 * levels)


def _size_layers(*, dark: bool) -> list[Spec]:
    axis = {"title": "expected number of items", "domain": False, "tickCount": 6}
    x = {"type": "quantitative", "axis": axis, "scale": {"zero": True}}
    legend = {"title": None, "orient": "top", "symbolType": "square"}
    scale = {"domain": [DIRECT, BELOW], "range": [hues(dark=dark)[0], LIGHT[dark]]}
    hue = {"type": "nominal", "scale": scale, "legend": legend}
    bars: list[Spec] = [
        {
            "mark": {"type": "bar", "height": {"band": 0.62}},
            "encoding": {
                "x": {**x, "field": start},
                "x2": end,
                "color": {**hue, "datum": part},
            },
        }
        for part, start, end in (
            (DIRECT, "direct", {"datum": 0}),
            (BELOW, "size", {"field": "direct"}),
        )
    ]
    words: Spec = {"mark": {"type": "text", "align": "left", "dx": 6}}
    words["encoding"] = {"x": {**x, "field": "size"}, "text": {"field": "said", "type": "nominal"}}
    return [*bars, words]


def sizes_words(payload: Payload) -> str:
    """Describe the chart of sizes, and say when it does not show every category."""
    said = (
        f"Size of {count(len(payload['categories']), 'category')}, in the order of the tree: the"
        " expected number of items. Strong colour: named directly. Weak colour: through categories"
        " below."
    )
    return f"{said} {sentence(left_out(payload, BARS))}".rstrip()


def matrix(payload: Payload, *, dark: bool = False) -> Spec | None:
    """Draw how much each item belongs to each category, with all below it.

    The items whose answers differ most come first; categories are in the order of the tree.

    Returns
    -------
    dict or None
        A Vega-Lite specification; None without items.
    """
    items, categories = matrix_sides(payload)
    if not items or not categories:
        return None
    few = len(items) <= NUMBERED
    rows = []
    for item in items:
        for category in categories:
            p = payload["belief"][item].get(category) or 0.0
            names = {"item": plain(item), "category": indented(category, payload, SPACE)}
            rows.append(
                {**names, "name": plain(category), "p": p, "said": fixed(p, 2) if p else ""}
            )
    spec = frame(matrix_words(payload), rows, dark=dark)
    spec["width"], spec["height"] = {"step": 40 if few else 24}, {"step": CELL}
    labels = [indented(category, payload, SPACE) for category in categories]
    left = {"labelAlign": "left", "labelPadding": left_room(labels)}
    scale = {"domain": [0, 1], "range": [GROUND[dark][3], hues(dark=dark)[0]]}
    legend = {"title": "belief", "gradientLength": 120, "format": ".1f"}
    cells: Spec = {"mark": {"type": "rect", "stroke": PAGE[dark], "strokeWidth": 1}}
    cells["encoding"] = {
        "color": {"field": "p", "type": "quantitative", "scale": scale, "legend": legend}
    }
    bright = ("#E6E8EB", "#101316") if dark else ("#1D2329", "#FFFFFF")
    ink = {"condition": {"test": "datum.p > 0.6", "value": bright[1]}, "value": bright[0]}
    words: Spec = {"mark": {"type": "text", "fontSize": 10}}
    words["encoding"] = {"text": {"field": "said", "type": "nominal"}, "color": ink}
    above = {**across(few=True), "labelLimit": 110, "labelColor": QUIET[dark]}
    spec["encoding"] = {
        "x": side("item", [plain(item) for item in items], above),
        "y": side("category", labels, left),
        "tooltip": [
            {"field": "item", "type": "nominal"},
            {"field": "name", "type": "nominal", "title": "category"},
            {**number("p"), "title": "belief"},
        ],
    }
    spec["layer"] = [cells, words] if few else [cells]
    return spec


def matrix_sides(payload: Payload) -> tuple[list[str], list[str]]:
    """Choose the items and the categories of the matrix: those that these items belong to."""
    items = uncertain_first(payload)[:ITEMS]
    used = {category for item in items for category, p in payload["belief"][item].items() if p}
    order = [category for category in walk(payload) if category in used]
    if len(order) > MATRIX:
        order = [category for category in upper(payload, MATRIX) if category in used]
    return items, order


def matrix_words(payload: Payload) -> str:
    """Describe the matrix of items and categories, and say what it leaves out."""
    items, categories = matrix_sides(payload)
    every, all_of = len(payload["direct"]), len(payload["categories"])
    which = count(every, "item")
    if len(items) < every:
        which = f"the {len(items)} of {every:,} items whose answers differ most"
    of = count(all_of, "category")
    if len(categories) < all_of:
        of = f"{len(categories)} of {count(all_of, 'category')}"
    return (
        f"How much {which} belong to {of}: the share of the answers that named the category or one"
        " below it. Items whose answers differ most come first."
    )
