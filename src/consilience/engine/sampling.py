"""Facts of the whole that some of its queries tell: who answers alike.

The rule that chooses the queries (:mod:`consilience.belief.looked`) needs their names and sizes
alone. So only the votes on the chosen ones are read, and the study of them tells what the whole
would have told.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.dependence import Dependence, dependence
from consilience.belief.looked import looked_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.engine.source import Votes
    from consilience.study import Study


def sample_of(votes: Votes) -> Study:
    """Read the queries that tell who answers alike."""
    sizes = _sizes(votes)
    named = np.maximum(sizes, _judged(votes))
    systems = len(votes.whole.answering)
    chosen = [looked_at(votes.queries, one, voters=systems).queries for one in (sizes, named)]
    return votes.study(*_ranges(np.union1d(*chosen)))


def known_dependence(votes: Votes, sample: Study) -> Dependence | None:
    """Tell who answers alike, of how many queries and items."""
    found = dependence(sample)
    if found is None:
        return None
    sizes = _sizes(votes)
    looked = looked_at(votes.queries, sizes, voters=len(votes.whole.answering))
    return replace(
        found,
        items=int(sizes.sum()),
        step=looked.step,
        queries=len(votes.queries),
        looked=len(looked.queries),
    )


def _sizes(votes: Votes) -> NDArray[np.int64]:
    """Count the items that systems returned for each query."""
    more = len(votes.queries) - len(votes.index.queries)
    return np.concatenate([votes.index.items, np.zeros(more, np.int64)])


def _judged(votes: Votes) -> NDArray[np.int64]:
    """Count what judges said of each query that no system answered."""
    counts = np.zeros(len(votes.queries), np.int64)
    first = len(votes.index.queries)
    for _, starts in votes.judged_rows:
        counts += np.diff(starts)
    counts[:first] = 0
    return counts


def _ranges(queries: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Join neighbours to ranges.

    Examples
    --------
    >>> _ranges(np.array([2, 3, 4, 7]))
    [(2, 5), (7, 8)]
    """
    ends = np.flatnonzero(np.diff(queries) != 1)
    low = queries[np.concatenate([[0], ends + 1])] if len(queries) else queries
    high = queries[np.concatenate([ends, [len(queries) - 1]])] + 1 if len(queries) else queries
    return [*zip(low.tolist(), high.tolist(), strict=True)]
