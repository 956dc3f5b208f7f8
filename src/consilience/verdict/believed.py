"""A belief as a result of its own: rows of query, item and probability."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.dependence import dependence
from consilience.verdict.agreement import caveat_of
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
        "rows": [
            {"query": study.queries[q], "item": name, "belief": number(p)}
            for q, name, p in zip(query.tolist(), names, belief.p.tolist(), strict=True)
        ],
        "notes": list(study.notes),
    }
    return stamped("belief", study, body, seed=0)
