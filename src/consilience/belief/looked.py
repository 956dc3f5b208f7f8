"""Who answers alike is looked up on some queries: which ones, and how many of their items.

Correlations settle long before all votes are counted. Beyond a number of items, whole queries are
taken in the order of a hash of their *names*, as many as keep to that number, and at least
:data:`FEWEST_QUERIES`. Should these have more items still, one item in n of them is looked at,
chosen by its place among the names of its query's items, in their order, and the query's name.

So the choice of queries needs their names and sizes and nothing else, and that of items only their
names: it is the same however the votes are stored and in whatever order, and only the votes on the
chosen queries need to be read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import numbers
from consilience.study.subset import keep_items, keep_lists, mixed, of_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief.votes import Part, Votes
    from consilience.study.model import Items

#: Cells of votes (items × voters²) that correlations are computed from, at most; beyond, a sample.
CELLS = 2e10
#: Items that correlations are computed from, at most; beyond, a sample is taken.
ITEMS = 200_000
#: Queries that are looked at, at least.
FEWEST_QUERIES = 20


@dataclass(frozen=True, slots=True)
class Looked:
    """The queries that are looked at (rising), one item in so many of them, and the items left.

    ``step`` tells that one item in so many of all was looked at.

    Examples
    --------
    >>> looked = looked_at(["q1", "q2", "q3"], [10, 10, 10], voters=5)
    >>> looked.queries.tolist(), looked.one_in, looked.step
    ([0, 1, 2], 1, 1)
    """

    queries: NDArray[np.int64]
    one_in: int
    step: int


def sampled_order(names: Sequence[str]) -> NDArray[np.int64]:
    """Give the order in which queries are looked at: by a hash (BLAKE2b) of their names.

    Examples
    --------
    >>> sampled_order(["q1", "q2", "q3"]).tolist(), sampled_order(["q3", "q2", "q1"]).tolist()
    ([2, 1, 0], [0, 1, 2])
    """
    return np.argsort(_hashes(names), kind="stable")


def _hashes(names: Sequence[str]) -> NDArray[np.uint64]:
    digests = (
        hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for name in names
    )
    return np.frombuffer(b"".join(digests), ">u8").astype(np.uint64)


def looked_at(
    names: Sequence[str], sizes: Sequence[int] | NDArray[np.integer], *, voters: int
) -> Looked:
    """Choose the queries that tell who of so many voters answers alike.

    Parameters
    ----------
    names, sizes
        The queries, and how many items each has.
    voters
        How many voters are compared.
    """
    most = max(1, min(ITEMS, int(CELLS / max(voters, 1) ** 2)))
    count = np.asarray(sizes, np.int64)
    total = int(count.sum())
    if total <= most:
        return Looked(np.arange(len(count)), 1, 1)
    order = sampled_order(names)
    order = order[count[order] > 0]
    upto = np.cumsum(count[order])
    taken = int(np.searchsorted(upto, most, side="right"))
    taken = min(max(taken, FEWEST_QUERIES), len(order))
    items = int(upto[taken - 1])
    one_in = -(-items // most)
    return Looked(np.sort(order[:taken]), one_in, max(1, round(total * one_in / items)))


def items_of(names: Sequence[str], items: Items, looked: Looked) -> NDArray[np.bool_]:
    """Tell which items of queries with such names are looked at.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q1": ["x"], "q2": ["u", "v", "w", "x", "y", "z"]}})
    >>> items_of(made.queries, made.items, Looked(np.array([1]), 2, 4)).tolist()[:1]
    [False]
    """
    kept = np.zeros(len(items), bool)
    hashes = _hashes([names[query] for query in looked.queries.tolist()])
    for query, salt in zip(looked.queries.tolist(), hashes, strict=True):
        begin, end = int(items.starts[query]), int(items.starts[query + 1])
        if looked.one_in == 1:
            kept[begin:end] = True
        else:
            some = mixed(end - begin, salt) < (1 << 32) // looked.one_in
            kept[begin:end] = some[_places(items, begin, end)]
    return kept


def _places(items: Items, begin: int, end: int) -> NDArray[np.int64]:
    """Give the place of every item among some neighbours, in the order of their names."""
    import pyarrow.compute as pc

    order = numbers([pc.sort_indices(items.text.arrow(items.rows[begin:end]))], copy=False)
    places = np.empty(end - begin, np.int64)
    places[order] = np.arange(end - begin)
    return places


def sample(votes: Votes) -> tuple[Votes, Looked]:
    """Keep the votes on the queries and items that are looked at; tell which these are."""
    study = votes.study
    looked = looked_at(study.queries, np.diff(study.items.starts), voters=len(votes))
    if looked.step == 1 and looked.one_in == 1 and len(looked.queries) == len(study.queries):
        return votes, looked
    kept = items_of(study.queries, study.items, looked)
    here = np.zeros(len(study.queries), bool)
    here[looked.queries] = True
    return (
        replace(
            votes,
            study=of_items(study, here, kept, one_in=looked.one_in),
            items=votes.items[kept],
            asked=votes.asked & here,
            parts=tuple(_part(part, here, kept) for part in votes.parts),
        ),
        looked,
    )


def _part(part: Part, here: NDArray[np.bool_], kept: NDArray[np.bool_]) -> Part:
    """Keep the lists of some queries, and of these what was said of some items."""
    mine = here[part.lists.query]
    lists = keep_items(keep_lists(replace(part.lists, vote=part.vote), mine), kept)
    return replace(part, lists=lists, voter=part.voter[mine], vote=lists.vote)
