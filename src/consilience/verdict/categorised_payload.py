"""Category beliefs as plain data: the contract of ``tree --json``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consilience.verdict.payload import stamped
from consilience.verdict.uncertain_payload import body_of
from consilience.verdict.uncertain_words import headline

if TYPE_CHECKING:
    from consilience.belief.categories import Categorised, Weights
    from consilience.verdict.categorised import TreeResult

#: Where there are more items × categories than this, zeros are left out.
CELLS = 200_000


def of_tree(result: TreeResult) -> dict[str, Any]:
    """Give category beliefs, and distributions where there are results, as plain data."""
    known, tree, found = result.categorised, result.categorised.tree, result.found
    body: dict[str, Any] = {
        "headline": headline_of(result),
        "condition": "uncertain",
        "condition_why": "subjects put items into categories",
        "categories": list(tree.names),
        "parents": {
            name: [tree.names[code] for code in parents]
            for name, parents in zip(tree.names, tree.parents, strict=True)
        },
        "depth": dict(zip(tree.names, tree.depth.tolist(), strict=True)),
        "dag": tree.dag,
        "subjects": len({*result.assigned.evidence.respondent.tolist()}),
        "answers": dict(zip(known.items, known.answers.tolist(), strict=True)),
        "direct": _shares(known, "direct"),
        "belief": _shares(known, "inclusive"),
        "size": dict(zip(tree.names, known.size.tolist(), strict=True)),
        "query": _query(result),
        "weights": result.weights,
    }
    notes = list(result.assigned.notes)
    if found is not None:
        spread = body_of(found)
        notes += [note for note in spread.pop("notes") if note not in notes]
        spread["relevance"] = spread.pop("belief")
        body = {**spread, **body}
    else:
        body |= {"results": [], "systems": [], "pairs": [], "items": len(known), "queries": 0}
    if len(known) * len(tree) > CELLS:
        notes.append("categories that an item has no share in are left out of its belief")
    body["notes"] = [*notes, *(note for note in result.notes if note not in notes)]
    also = [] if found is None else [found.study]
    inputs = [] if result.tree_source is None else [result.tree_source]
    seed = 0 if found is None else found.seed
    return stamped("tree", result.assigned, body, seed=seed, also=also, inputs=inputs)


def _many(number: int, one: str, several: str = "") -> str:
    """Count things.

    Examples
    --------
    >>> _many(1, "subject"), _many(1200, "category", "categories")
    ('1 subject', '1,200 categories')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def _shares(known: Categorised, weights: Weights) -> dict[str, dict[str, float | None]]:
    """Give item → category → share; None for items that nobody told anything of."""
    names = known.tree.names
    whole = len(known) * len(names) <= CELLS
    zeros: dict[str, float | None] = dict.fromkeys(names, 0.0) if whole else {}
    nothing: dict[str, float | None] = dict.fromkeys(names) if whole else {}
    return {
        item: {**zeros, **shares} if answers else dict(nothing)
        for (item, shares), answers in zip(
            known.by_item(weights=weights).items(), known.answers.tolist(), strict=True
        )
    }


def _query(result: TreeResult) -> dict[str, Any]:
    kind, name = result.asked
    single = len(result.mixtures) == 1 or kind in ("category", "item")
    return {
        "kind": kind,
        "name": name or None,
        "mixture": next(iter(result.mixtures.values()), {}) if single else {},
        "mixtures": result.mixtures,
    }


def headline_of(result: TreeResult) -> str:
    """Say in a sentence or two what was found: about systems, else about the answers."""
    known = result.categorised
    if result.found is None:
        subjects = len({*result.assigned.evidence.respondent.tolist()})
        return (
            f"{_many(subjects, 'subject')} gave {_many(int(known.answers.sum()), 'answer')} about "
            f"{_many(len(known), 'item')} in {_many(len(known.tree), 'category', 'categories')}."
        )
    kind, name = result.asked
    asked = {"category": f"Asked for {name}: ", "item": f"Asked for more like {name}: "}
    told = headline(result.found)
    return f"{asked.get(kind, '')}{told}"
