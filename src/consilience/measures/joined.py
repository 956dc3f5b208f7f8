"""Scores of parts of a study, joined: the queries' values end to end, averages anew.

Queries do not depend on each other, so a part of a study gives the same values query by query as
the whole. What depends on all of them is said here: averages, and why a measure cannot be computed
for a system (its answers lack an order somewhere, or some belief or vote is a fraction).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.joined import joined_belief
from consilience.measures.names import Measure, parse
from consilience.measures.scores import NO_ORDER, NOT_CRISP, Score, Scores, averaged
from consilience.measures.sets import Counts

if TYPE_CHECKING:
    from numpy.typing import NDArray


def joined(parts: Sequence[Scores]) -> Scores:
    """Join the scores of parts of a study, each with some of its queries, in their order.

    All know the same systems, and were scored by the same measures and rules. The joined belief
    holds no items any more.

    Examples
    --------
    >>> from consilience.measures.scores import score
    >>> from consilience.study import study
    >>> from consilience.study.outline import ranges
    >>> truth = {"q": {"a": 1, "b": 0}, "r": {"a": 0, "b": 1}}
    >>> made = study({"s": {"q": ["a", "b"], "r": ["a", "b"]}}, truth=truth)
    >>> found = joined([score(part, measures=["AP"]) for part in ranges(made, [1])])
    >>> found["s"]["AP"].value, found["s"]["AP"].per_query.tolist()
    (0.75, [1.0, 0.5])
    """
    if len(parts) == 1:
        return parts[0]
    first = parts[0]
    measures = {name: parse(name) for name in first.measures}
    return Scores(
        first.systems,
        first.measures,
        tuple(query for part in parts for query in part.queries),
        {
            system: {
                name: _joined([part.table[system][name] for part in parts], measure)
                for name, measure in measures.items()
            }
            for system in first.systems
        },
        joined_belief([part.belief for part in parts]),
        sum(part.tied for part in parts),
        np.hstack([part.put for part in parts]),
        first.ties,
        first.convention,
    )


def _joined(parts: Sequence[Score], measure: Measure) -> Score:
    """Join what one system scored in every part."""
    reasons = {part.reason for part in parts}
    reason = next((why for why in (NO_ORDER, NOT_CRISP) if why in reasons), None)
    crisp = all(part.crisp for part in parts)
    values = np.concatenate([_values(part, crisp=crisp) for part in parts])
    undefined = sum(part.undefined for part in parts)
    if reason is not None:
        undefined += sum(part.defined for part in parts)
        values = np.full_like(values, np.nan)
    score = Score(
        np.nan,
        values,
        0,
        undefined,
        sum(part.missing for part in parts),
        reason,
        None if reason is not None else _counts([part.counts for part in parts]),
        crisp,
    )
    return averaged(score, measure)


def _values(part: Score, *, crisp: bool) -> NDArray[np.float64]:
    """Give the queries' values in a part, as they are where not everything is 0 or 1."""
    return part.per_query if crisp or part.unsure is None else part.unsure


def _counts(parts: Sequence[Counts | None]) -> Counts | None:
    """Lay the counts of all queries end to end, where there are any."""
    known = [part for part in parts if part is not None]
    if not known:
        return None
    tp, fp, fn, tn = (
        np.concatenate([getattr(part, name) for part in known]) for name in ("tp", "fp", "fn", "tn")
    )
    return Counts(tp, fp, fn, tn)
