"""Facts of the whole that some of its queries tell: what there is, who answers alike.

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
from consilience.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.engine.source import Votes
    from consilience.study import Study


def sample_of(votes: Votes, sizes: NDArray[np.int64] | None = None) -> Study:
    """Read the queries that tell who answers alike.

    ``sizes`` counts the items that systems returned for each query (None: all that they did). Where
    judges vote too, what they alone named counts as well; it is read where that may be needed.
    """
    sizes = returned(votes) if sizes is None else sizes
    return votes.study(*_ranges(looked_queries(votes, sizes)))


def looked_queries(votes: Votes, sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Choose the queries of such sizes that tell who answers alike."""
    named = np.maximum(sizes, _judged(votes))
    systems = len(votes.whole.answering)
    chosen = [looked_at(votes.queries, one, voters=systems).queries for one in (sizes, named)]
    return np.union1d(*chosen)


def some_of(votes: Votes) -> Study:
    """Read some queries, and all that judges said: enough to know what there is.

    Where answers and truth share a query it is among them.
    """
    first = len(votes.index.queries)
    judged = {name for rows in votes.truth for name in rows.query.names}
    common = next((code for code, name in enumerate(votes.index.queries) if name in judged), 0)
    near = (common, min(common + 4, first))
    return votes.study(near, (first, len(votes.queries)))


def known_dependence(
    votes: Votes, sample: Study, sizes: NDArray[np.int64] | None = None
) -> Dependence | None:
    """Tell who answers alike, of how many queries and items; ``sizes`` as in :func:`sample_of`."""
    found = dependence(sample)
    if found is None:
        return None
    sizes = returned(votes) if sizes is None else sizes
    looked = looked_at(votes.queries, sizes, voters=len(votes.whole.answering))
    return replace(
        found,
        items=int(sizes.sum()),
        step=looked.step,
        queries=len(votes.queries),
        looked=len(looked.queries),
    )


def learned_families(votes: Votes, *, learn: bool) -> dict[str, str] | None:
    """Give the families that hidden engines need, from whole lists; None: they are declared.

    Raises
    ------
    UsageError
        Where there are none, and nobody wants them learned.
    """
    if any(votes.respondents.family):
        return None
    return engines_of(dependence(sample_of(votes)) if learn else None)


def engines_of(known: Dependence | None) -> dict[str, str]:
    """Name the learned family of every system."""
    if known is None:
        raise UsageError("hds needs families (fix: --families FILE, or --families auto)")
    return {member: one.name for one in known.learned for member in one.members}


def returned(votes: Votes) -> NDArray[np.int64]:
    """Count the items that systems returned for each query."""
    more = len(votes.queries) - len(votes.index.queries)
    return np.concatenate([votes.index.items, np.zeros(more, np.int64)])


def _judged(votes: Votes) -> NDArray[np.int64]:
    """Count the items of each query that judges spoke of."""
    judges = votes.judges()
    number = {name: place for place, name in enumerate(votes.queries)}
    counts = np.zeros(len(votes.queries), np.int64)
    counts[[number[name] for name in judges.queries]] = np.diff(judges.items.starts)
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
