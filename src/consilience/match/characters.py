"""Similarities of strings, character by character."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consilience.match.kernel import many, objects

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _levenshtein_block(
    rows: NDArray[np.object_], columns: NDArray[np.object_], *, floor: float
) -> NDArray[np.float64]:
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    found: NDArray[np.float64] = cdist(
        rows,
        columns,
        scorer=Levenshtein.normalized_similarity,
        score_cutoff=floor or None,
        dtype=np.float64,
    )
    return found


@many(prepare=objects, compare=_levenshtein_block, floor=0.5)
def levenshtein(a: str, b: str) -> float:
    """Edit similarity, 1 - edits / longer length.

    Examples
    --------
    >>> levenshtein("cafe", "caffe")
    0.8
    """
    from rapidfuzz.distance import Levenshtein

    return float(Levenshtein.normalized_similarity(a, b))
