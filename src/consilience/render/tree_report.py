"""What ``tree`` tells: how items belong to categories, and what that means for systems.

The rows of CSV and Parquet are the beliefs: one row per item and category. The distributions of
precision and recall are in the JSON.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from consilience.render import tree_charts as charts
from consilience.render.distributions_how import closing_facts, measured
from consilience.render.distributions_report import sections as measured_sections
from consilience.render.report import CELL, Lines, Picture, Report, Said, Section, Table
from consilience.render.tree_layout import (
    direct_sizes,
    entropy,
    indented,
    left_out,
    uncertain_first,
    upper,
)
from consilience.render.words import Payload, caveat, count, fixed, percent, plain

#: Columns of CSV and Parquet, with their Arrow types.
COLUMNS = {
    "item": "string",
    "category": "string",
    "direct": "float64",
    "belief": "float64",
    "answers": "int64",
}
#: Rows of the table of categories, and of the table of items, that are shown.
CATEGORIES, ITEMS = 60, 20
#: What the beliefs are.
METHOD = "shares of the subjects' answers; an answer counts for its category and all above it"


def report(payload: Payload) -> Report:
    """Say what a result of ``tree`` tells.

    Parameters
    ----------
    payload : mapping
        A stored result of the verb.

    Returns
    -------
    Report
        The document, without a format.
    """
    systems, *further = measured_sections(payload) or (Section("Systems", ()),)
    sections = (
        systems,
        Section(
            "Categories",
            (
                Lines(tuple(_remarks(payload))),
                _picture("tree", payload),
                _picture("sizes", payload),
                categories_table(payload),
            ),
        ),
        Section("Items", (items_table(payload), Said(_meaning()), _picture("matrix", payload))),
        *further,
    )
    return Report(
        title="Items in a tree of categories",
        headline=payload["headline"],
        sections=sections,
        facts=_facts(payload),
        methods=_methods(payload),
        badges=_badges(payload),
        caution=caveat(payload),
    )


def categories_table(payload: Payload, most: int = CATEGORIES) -> Table:
    """Write each category with what was named directly, its size, and its share of the items."""
    direct, order = direct_sizes(payload), upper(payload, most)
    items = len(payload["direct"])
    rows = [
        (
            indented(category, payload),
            fixed(direct[category]),
            fixed(payload["size"][category]),
            percent(round(payload["size"][category] / items, 4)) if items else fixed(None),
        )
        for category in order
    ]
    left = left_out(payload, most)
    return Table(
        "Each category with the expected number of items: named directly, and with all below it.",
        ("category", "direct", "size", "of all items"),
        tuple(rows),
        ("head", "number", "number", "number"),
        f"{left}; json holds all." if left else "",
        main=True,
    )


def items_table(payload: Payload) -> Table:
    """Write the items whose answers differ most: what they were named, and how surely."""
    order = uncertain_first(payload)
    asked = _asked_category(payload)
    rows = []
    for item in order[:ITEMS]:
        shares = {c: p for c, p in payload["direct"][item].items() if p}
        first = max(shares, key=lambda category: shares[category]) if shares else None
        row = (
            plain(item),
            f"{payload['answers'][item]:,}" if item in payload.get("answers", {}) else "",
            plain(first) if first is not None else fixed(None),
            fixed(shares[first]) if first is not None else fixed(None),
            fixed(entropy(shares), 3) if shares else fixed(None),
        )
        held = payload["belief"].get(item, {}).get(asked) if asked else None
        rows.append((*row, fixed(held)) if asked else row)
    header = ("item", "answers", "named most", "share", "entropy")
    left = ""
    if len(order) > ITEMS:
        left = f"{ITEMS} of {len(order):,} items are shown; csv, parquet and json hold all."
    return Table(
        "Items whose answers differ most, by the entropy of their answers in bits.",
        (*header, f"belief in {plain(asked)}") if asked else header,
        tuple(rows),
        ("head", "number", "", "number", "number", *(("number",) if asked else ())),
        left,
    )


def _asked_category(payload: Payload) -> str | None:
    query = payload.get("query") or {}
    return str(query["name"]) if query.get("kind") == "category" else None


def _meaning() -> str:
    return (
        "An answer that names a category counts for every category above it as well: what is a"
        " terrier is a dog. The belief of an item in a category is the share of its answers that"
        " count for it."
    )


def _remarks(payload: Payload) -> list[str]:
    lines = []
    if payload.get("dag"):
        many = [c for c, above in payload["parents"].items() if len(above or []) > 1]
        lines.append(
            f"{count(len(many), 'category')} with several parents; an answer counts once for each"
            " category above it"
        )
    lines += [_asked_words(payload)]
    return [line for line in lines if line]


def _asked_words(payload: Payload) -> str:
    """Say what was asked for; nothing where nothing was."""
    query = payload.get("query") or {}
    kind = query.get("kind")
    if kind == "category":
        return f"asked for: items of the category {plain(query['name'])}"
    if kind == "item":
        held = (query.get("mixture") or {}).items()
        weights = ", ".join(f"{plain(category)} {fixed(p, 3)}" for category, p in held)
        return f"asked for: items like {plain(query['name'])} ({weights})"
    if kind == "per query":
        return "asked for: each query the category or the item that it is called by"
    return ""


def _picture(name: str, payload: Payload) -> Picture:
    drawn = {
        "tree": (charts.tree, charts.tree_words),
        "sizes": (charts.sizes, charts.sizes_words),
        "matrix": (charts.matrix, charts.matrix_words),
    }
    draw, words = drawn[name]
    twin = _matrix_twin(payload) if name == "matrix" else categories_table(payload, charts.BARS)
    return Picture(name, partial(draw, payload), words(payload), twin)


def _matrix_twin(payload: Payload) -> Table:
    items, categories = charts.matrix_sides(payload)
    rows = tuple(
        (
            indented(category, payload),
            *(fixed(payload["belief"][item].get(category) or 0.0, 3) for item in items),
        )
        for category in categories
    )
    header = ("category", *(plain(item) for item in items))
    return Table("Figures of the chart.", header, rows, ("head", *(CELL,) * len(items)))


def _badges(payload: Payload) -> tuple[str, ...]:
    categories = count(len(payload["categories"]), "category")
    sizes = [categories, count(len(payload["direct"]), "item")]
    answers = sum(payload.get("answers", {}).values())
    sizes += [count(answers, "answer")] if answers else []
    systems = [count(len(payload["systems"]), "system")] if payload["systems"] else []
    return (", ".join(sizes), *systems, *([_asked_words(payload)] if _asked_words(payload) else []))


def _facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    relevance = payload.get("relevance") or {}
    rows = [
        ("data", _badges(payload)[0]),
        ("belief", METHOD),
        *([("relevance", f"{relevance['method']}")] if relevance.get("method") else []),
        *([("assumes", relevance["assumes"])] if relevance.get("assumes") else []),
        *([("query", _asked_words(payload))] if _asked_words(payload) else []),
        *(closing_facts(payload) if payload["systems"] else []),
    ]
    return tuple((name, plain(said)) for name, said in rows)


def _methods(payload: Payload) -> str:
    said = (
        f"{count(len(payload['direct']), 'item')} were put into a tree of"
        f" {count(len(payload['categories']), 'category')} by subjects. The belief of an item in a"
        " category is the share of its answers that named the category or one below it; the size of"
        " a category is the sum of these beliefs."
    )
    return plain(" ".join(part for part in (said, measured(payload)) if part))


def rows(payload: Payload) -> list[dict[str, Any]]:
    """List the beliefs: one row per item and category that its answers count for.

    An item without any answer has one row without a category.
    """
    answers, made = payload.get("answers", {}), []
    for item, held in payload["belief"].items():
        named = [
            {
                "item": item,
                "category": category,
                "direct": payload["direct"].get(item, {}).get(category, 0.0),
                "belief": p,
                "answers": answers.get(item),
            }
            for category, p in held.items()
            if p
        ]
        bare: dict[str, Any] = {
            **dict.fromkeys(COLUMNS),
            "item": item,
            "answers": answers.get(item),
        }
        made += named or [bare]
    return made
