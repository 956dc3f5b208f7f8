"""A belief as a result of its own: rows of query, item and probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.classes import METHODS, classes
from consilience.belief.dependence import dependence
from consilience.errors import UsageError
from consilience.verdict.agreement import CAVEAT, caveat_of
from consilience.verdict.payload import number, stamped

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.study import Study


def believed(study: Study, believe: Callable[..., Belief]) -> dict[str, Any]:
    """Give what is believed of every item, as plain data (the contract of ``belief --json``).

    Examples
    --------
    >>> from consilience.belief.agreement import consensus
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}})
    >>> believed(made, consensus)["rows"][0]
    {'query': 'q', 'item': 'x', 'belief': 0.75}
    """
    belief = believe(study)
    known = dependence(study) if belief.truth < 1.0 else None
    query = study.items.query(belief.item)
    names = study.items.names(belief.item)
    body: dict[str, Any] = {
        "method": belief.method,
        "assumes": belief.assumes,
        "caveat": caveat_of(belief),
        "effective_respondents": belief.effective_respondents if known is None else known.effective,
        "queries": int(belief.queries.sum()),
        "settings": {"depth": study.depth, "universe": study.universe},
        "unseen": None
        if belief.unseen is None or study.universe is None
        else {study.queries[q]: float(belief.unseen[q]) for q in np.flatnonzero(belief.queries)},
        "rows": _rows([study.queries[q] for q in query.tolist()], names, belief.p.tolist()),
        "notes": list(study.notes),
    }
    return stamped("belief", study, body, seed=0)


def _rows(queries: list[str], names: list[str], p: list[float]) -> list[dict[str, Any]]:
    """Give rows; where items are mentions (of multisets), say which mention each is."""
    pairs = list(zip(queries, names, strict=True))
    counted: Counter[tuple[str, str]] = Counter()
    rows = []
    several = len(set(pairs)) < len(pairs)
    for (query, item), value in zip(pairs, p, strict=True):
        counted[query, item] += 1
        mention = {"mention": counted[query, item]} if several else {}
        rows.append({"query": query, "item": item, **mention, "belief": number(value)})
    return rows


def believed_categories(study: Study, name: str) -> dict[str, Any]:
    """Give the probability of every category for every item, where answers are categories.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"item": ["x", "x"], "worker": ["a", "b"], "category": ["cat", "cat"]})
    >>> believed_categories(made, "majority")["rows"]
    [{'query': 'all', 'item': 'x', 'category': 'cat', 'belief': 1.0}]
    """
    method = next((one for one in METHODS if one == ("majority" if name == "auto" else name)), None)
    if method is None:
        raise UsageError(
            f"answers are categories here, and --belief {name} is for yes and no "
            f"(fix: --belief {' or '.join(METHODS)})"
        )
    found = classes(study, method=method)
    query = study.items.query(found.item)
    names = study.items.names(found.item)
    body: dict[str, Any] = {
        "method": method,
        "assumes": "respondents choose independently of each other, whatever the right category",
        "caveat": CAVEAT,
        "effective_respondents": float(len(found.respondents)),
        "queries": len(np.unique(query)),
        "settings": {},
        "unseen": None,
        "rows": [
            {"query": study.queries[q], "item": item, "category": category, "belief": float(p)}
            for q, item, row in zip(query.tolist(), names, found.p, strict=True)
            for category, p in zip(found.categories, row.tolist(), strict=True)
        ],
        "notes": list(study.notes),
    }
    return stamped("belief", study, body, seed=0)
