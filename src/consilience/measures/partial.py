"""Measures for truth that speaks of some items only: Bpref and inferred average precision.

Both follow trec_eval. An item is *judged relevant*, *judged not relevant*, *pooled but not judged*
(a grade below 0: it stood in the pool that judges were to look at, and nobody has) or none of
these. Bpref looks at judged items alone. Inferred average precision takes the judged items of the
pool for a sample of it: it estimates how many of the pooled items above a hit are relevant, and
counts what was never pooled as not relevant.

A query without a relevant item is undefined for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.hits import held_to
from consilience.measures.sets import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.hits import Hits
    from consilience.study import Study

#: What trec_eval adds to the counts that an inferred precision divides by.
EPSILON = 1e-5


def bpref(hits: Hits) -> NDArray[np.float64]:
    """Binary preference: how rarely judged items that are not relevant stand above relevant ones.

    With R relevant and N other judged items, Σ (1 − min(n, R) / min(N, R)) / R over the relevant
    items that were returned, n being the number of other judged items above. Items that nobody
    has judged do not count.

    Buckley & Voorhees (2004), with the denominators that trec_eval has had since version 8.

    Examples
    --------
    The item x, which nobody has judged, makes no difference:

    >>> from consilience.belief import gold
    >>> from consilience.measures.hits import find_hits
    >>> from consilience.study import study
    >>> truth = {"q": {"a": 1, "b": 0, "c": 1, "d": 0}}
    >>> made = study({"s": {"q": ["a", "b", "c"]}, "t": {"q": ["a", "x", "b", "c"]}}, truth=truth)
    >>> bpref(find_hits(made, gold(made))).tolist()
    [0.75, 0.75]
    """
    others = _others(hits)
    above = _above(hits).judged
    relevant = hits.relevant[hits.cell]
    lost = ratio(np.minimum(above, relevant), np.minimum(others, hits.relevant)[hits.cell])
    won = np.where(above > 0, 1 - lost, 1.0)
    return ratio(hits.sum(won, hits.p > 0), hits.relevant)


def inferred_ap(hits: Hits) -> NDArray[np.float64]:
    """Inferred average precision: the expected precision at each relevant item found, over R.

    At place k, with d pooled items above, of which r were judged relevant and n not relevant, the
    expected precision is

        1/k + (k−1)/k · d/(k−1) · (r + ε) / (r + n + 2ε)

    (1 at the first place), with trec_eval's ε = 0.00001. Pooled items that were not judged carry
    a grade below 0; where there is none, infAP is average precision, but for ε.

    Yilmaz & Aslam (2006).

    Examples
    --------
    Of three pooled items above c one was judged, and it is relevant; so all are believed to be:

    >>> from consilience.belief import gold
    >>> from consilience.measures.hits import find_hits
    >>> from consilience.study import study
    >>> truth = {"q": {"a": 1, "x": -1, "y": -1, "c": 1}}
    >>> made = study({"s": {"q": ["a", "x", "y", "c"]}}, truth=truth)
    >>> inferred_ap(find_hits(made, gold(made))).round(4).tolist()
    [1.0]
    """
    above = _above(hits)
    found = hits.cumulated - 1
    share = (found + EPSILON) / (found + above.judged + 2 * EPSILON)
    precision = (1 + (found + above.judged + above.pooled) * share) / hits.position
    precision[hits.position == 1] = 1.0
    return ratio(hits.sum(precision, hits.p > 0), hits.relevant)


@dataclass(frozen=True, slots=True)
class _Above:
    """For every hit, what stands above it: judged not relevant; pooled, but not judged."""

    judged: NDArray[np.float64]
    pooled: NDArray[np.float64]


def _above(hits: Hits) -> _Above:
    """Count the judged and the pooled items above every hit."""
    study, ranking = hits.judged.study, hits.judged.ranking
    p = hits.judged.belief.of_all(len(study.items))
    places = np.arange(int(ranking.starts[-1]))
    item = study.answers.item[ranking.answers(places)]
    place = hits.judged.starts[hits.cell] + hits.position - 1
    first = hits.judged.starts[hits.cell]

    def above(marked: NDArray[np.bool_]) -> NDArray[np.float64]:
        upto = np.concatenate([[0], np.cumsum(marked[item])])
        count: NDArray[np.float64] = (upto[place] - upto[first]).astype(np.float64)
        return count

    return _Above(above(p == 0), above(pooled(study) & np.isnan(p)))


def pooled(study: Study) -> NDArray[np.bool_]:
    """Tell which items people were to judge, whether they have done so or not.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["a", "b", "c"]}}, truth={"q": {"a": 1, "b": -1}})
    >>> dict(zip(made.items.names(range(3)), pooled(made).tolist()))
    {'a': True, 'b': True, 'c': False}
    """
    evidence = study.evidence
    judges = np.isin(evidence.respondent, study.respondents.of_kind("gold", "person"))
    found = np.zeros(len(study.items), bool)
    found[evidence.item[np.repeat(judges, np.diff(evidence.starts))]] = True
    return found


def _others(hits: Hits) -> NDArray[np.float64]:
    """Count the items that were judged not relevant, for every cell.

    Where what is not listed is not relevant, these are all other items that there are.
    """
    study, belief = hits.judged.study, hits.judged.belief
    if belief.elsewhere == 0.0:
        size = np.inf if study.universe is None else float(study.universe)
        return size - hits.relevant
    return held_to(hits, belief.of_all(len(study.items)) == 0)
