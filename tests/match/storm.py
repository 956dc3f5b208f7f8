"""STORM's heading soft recall, written down from its definition, as a slow twin.

Shao et al. (2024), *Assisting in writing Wikipedia-like articles from scratch with large language
models* (NAACL), appendix on automatic evaluation: for a set of headings with unit vectors the soft
count of a heading is 1 / Σ_j cos(heading, j) over the set, the cardinality of a set the sum of its
soft counts, and

    recall = (card(G) + card(P) − card(G ∪ P)) / card(G),

where G ∪ P is a union of sets and cosines are taken as they are, also below 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np


def storm_cardinality(vectors: Mapping[str, Sequence[float]], items: Sequence[str]) -> float:
    """The sum of soft counts of a list of headings, with raw cosines."""
    total = 0.0
    for one in items:
        a = np.asarray(vectors[one], np.float64)
        row = 0.0
        for other in items:
            b = np.asarray(vectors[other], np.float64)
            row += float(a @ b / np.sqrt((a @ a) * (b @ b)))
        total += 1 / row
    return total


def storm_heading_soft_recall(
    vectors: Mapping[str, Sequence[float]], gold: Sequence[str], predicted: Sequence[str]
) -> float:
    """How much of the gold headings the predicted ones cover; 0 where nothing is predicted."""
    if not predicted:
        return 0.0
    one, two = storm_cardinality(vectors, gold), storm_cardinality(vectors, predicted)
    union = storm_cardinality(vectors, sorted({*gold, *predicted}))
    return (one + two - union) / one
