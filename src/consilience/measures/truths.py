"""Many possible truths, and what every system would score under each.

The same truth is held against all systems, so their scores are *paired*: two systems that return
the same items rise and fall together. Where few items are uncertain, all truths are gone through,
each with its probability, and everything is exact; otherwise truths are drawn, seeded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.lists import Cell, Query
from consilience.measures.sets import ratio
from consilience.measures.trials import Count

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: All truths are gone through up to so many uncertain items of a query.
EXACT = 12
#: How many numbers are held at once.
ROOM = 1 << 22
#: Down to this probability, random numbers of 24 bits are fine enough.
ROUGH = 1e-3
#: Lists longer than this are long.
LONG = 4096

#: The measures that a truth gives, beside F with other β.
MEASURES = ("precision", "recall", "recall_fixed", "f1", "ap")


@dataclass(frozen=True, slots=True)
class Truths:
    """Possible truths of one query: rows of 0 and 1, and how probable each row is.

    ``more`` counts the relevant ones among the items that nobody mentioned, truth by truth.
    """

    relevant: NDArray[np.bool_]
    more: NDArray[np.int64]
    weight: NDArray[np.float64]
    exact: bool

    def __len__(self) -> int:
        return len(self.weight)


def all_truths(query: Query) -> Truths | None:
    """Go through every possible truth of a query; None where there are too many.

    Examples
    --------
    >>> query = Query("q", np.array([0.5, 1.0, 0.0]), 0, 0.0, ())
    >>> truths = all_truths(query)
    >>> truths.relevant.astype(int).tolist(), truths.weight.tolist()
    ([[0, 1, 0], [1, 1, 0]], [0.5, 0.5])
    """
    unsure = np.nonzero((query.p > 0) & (query.p < 1))[0]
    if len(unsure) > EXACT or (query.more and query.p_more):
        return None
    count = 1 << len(unsure)
    bits = (np.arange(count)[:, None] >> np.arange(len(unsure))) & 1 == 1
    relevant = np.tile(query.p == 1.0, (count, 1))
    relevant[:, unsure] = bits
    p = query.p[unsure]
    weight = np.where(bits, p, 1 - p).prod(axis=1)
    return Truths(relevant, np.zeros(count, np.int64), weight, exact=True)


def drawn_truths(query: Query, draws: int, rng: np.random.Generator) -> Iterator[Truths]:
    """Draw truths of a query, some at a time, so that memory stays bounded."""
    more = query.unmentioned() if query.more and query.p_more else None
    for count in _portions(query, draws):
        extra = np.zeros(count, np.int64) if more is None else more.draw(count, rng)
        yield Truths(_drawn(query.p, count, rng), extra, np.full(count, 1.0 / draws), exact=False)


def drawn_given_something(
    query: Query, held: NDArray[np.bool_] | None, draws: int, rng: np.random.Generator
) -> Iterator[Truths]:
    """Draw truths given that something is relevant, however improbable that is.

    ``held`` marks the items that count beside those that nobody mentioned; None: all. The first
    relevant item is drawn with the probability p_i Π_{j<i} (1 - p_j), those before it are not
    relevant, those after it as usual.
    """
    p = query.p if held is None else np.where(held, query.p, 0.0)
    more = query.unmentioned() if query.more and query.p_more else None
    with np.errstate(divide="ignore"):
        none_upto = np.cumsum(np.append(0.0, np.maximum(np.log1p(-p), -1e4)))
    first = p * np.exp(none_upto[:-1])
    beyond = 0.0 if more is None else float(np.exp(none_upto[-1])) * (1 - more.of(0))
    upto = np.cumsum(np.append(first, beyond))
    last = len(p) if beyond else int(np.flatnonzero(first)[-1])
    for count in _portions(query, draws):
        place = np.searchsorted(upto, rng.random(count) * upto[-1], side="right")
        place = np.minimum(place, last)
        relevant = _drawn(query.p, count, rng)
        marked = relevant if held is None else relevant[:, held]
        column = np.arange(len(p)) if held is None else np.flatnonzero(held)
        marked &= column > place[:, None]
        marked |= column == place[:, None]
        if held is not None:
            relevant[:, held] = marked
        yield Truths(relevant, _extra(more, place == len(p), rng), np.ones(count), exact=False)


def _extra(
    more: Count | None, needed: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.int64]:
    """Draw how many unmentioned items are relevant: at least one where one is needed."""
    if more is None:
        return np.zeros(len(needed), np.int64)
    drawn = more.draw(len(needed), rng)
    if needed.any():
        some = Count(max(more.first, 1), more.mass[max(0, 1 - more.first) :])
        drawn[needed] = some.draw(int(needed.sum()), rng)
    return drawn


def _portions(query: Query, draws: int) -> Iterator[int]:
    rows = max(1, ROOM // max(len(query.p), 1))
    yield from (min(rows, draws - begin) for begin in range(0, draws, rows))


def _drawn(p: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw which items are relevant; small probabilities need numbers of full precision."""
    rough = not bool(((p > 0) & (p < ROUGH)).any())
    drawn: NDArray[np.bool_]
    if rough:
        drawn = rng.random((count, len(p)), dtype=np.float32) < p
    else:
        drawn = rng.random((count, len(p))) < p
    return drawn


def scored(
    query: Query, truths: Truths, *, measures: Sequence[str] = MEASURES, beta: float = 1.0
) -> dict[str, NDArray[np.float64]]:
    """Score every system under every truth: measure → systems × truths; NaN where undefined.

    A query that was not put to a system counts 0, unless nothing can be relevant, as everywhere in
    this tool.

    Examples
    --------
    >>> cell = Cell(np.array([0, 1]), np.array([0.5, 1.0]), None, True, True, 0)
    >>> query = Query("q", np.array([0.5, 1.0, 0.0]), 0, 0.0, (cell,))
    >>> scored(query, all_truths(query))["precision"].tolist()
    [[0.5, 1.0]]
    """
    table = {name: np.empty((len(query.cells), len(truths))) for name in measures}
    every = _count(truths.relevant) + truths.more
    for line, cell in enumerate(query.cells):
        total = every if cell.spoken is None else _held(truths, cell.spoken)
        sizes = total, query.size_for(cell)
        for name, values in _cell_scores(cell, truths, sizes, measures, beta).items():
            table[name][line] = values
    return table


def scored_at(
    query: Query, truths: Truths, k: NDArray[np.int64], systems: Sequence[int]
) -> dict[str, NDArray[np.float64]]:
    """Score some systems at cutoffs: precision (found / k) and recall, systems × cutoffs × truths.

    Precision divides by k also where a list is shorter, as trec_eval's ``P_k`` does.
    """
    shape = len(systems), len(k), len(truths)
    precision, recall = np.empty(shape), np.empty(shape)
    every = _count(truths.relevant) + truths.more
    for line, number in enumerate(systems):
        cell = query.cells[number]
        total = every if cell.spoken is None else _held(truths, cell.spoken)
        upto = np.zeros((len(truths), cell.returned + 1), np.int32)
        np.cumsum(truths.relevant[:, cell.place], axis=1, out=upto[:, 1:])
        found = upto[:, np.minimum(k, cell.returned)].T
        precision[line] = found / k[:, None]
        recall[line] = ratio(found, total)
    return {"precision": precision, "recall": recall}


def _held(truths: Truths, spoken: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count what is relevant of the items that a system spoke of, and of those nobody mentioned."""
    return _count(truths.relevant[:, spoken]) + truths.more


def _cell_scores(
    cell: Cell,
    truths: Truths,
    sizes: tuple[NDArray[np.int64], float],
    measures: Sequence[str],
    beta: float,
) -> dict[str, NDArray[np.float64]]:
    total, expected = sizes
    if not cell.put:
        return {name: np.full(len(total), 0.0 if expected else np.nan) for name in measures}
    mine = truths.relevant[:, cell.place]
    found = _count(mine)
    squares = {"f1": 1.0, "f_beta": beta**2}
    values: dict[str, NDArray[np.float64]] = {}
    for name in measures:
        if name == "precision":
            values[name] = ratio(found, cell.returned)
        elif name == "recall":
            values[name] = ratio(found, total)
        elif name == "recall_fixed":
            values[name] = ratio(found, expected)
        elif name == "ap":
            values[name] = _ap(mine, total) if cell.ordered or not cell.returned else _none(total)
        else:
            square = squares[name]
            values[name] = ratio((1 + square) * found, square * total + cell.returned)
    return values


def _none(total: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.full(len(total), np.nan)


def _ap(mine: NDArray[np.bool_], total: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give average precision (step) of a list under each truth."""
    position = np.arange(1, mine.shape[1] + 1)
    upto = np.cumsum(mine, axis=1, dtype=np.int32)
    exact = mine.shape[1] <= LONG  # seven digits are enough for the drawn truths of long lists
    kind = np.float64 if exact else np.float32
    return ratio((upto.astype(kind) * mine) @ (1 / position).astype(kind), total)


def _count(rows: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count what is marked in each row; of long rows one by one, which is much quicker."""
    if rows.shape[1] <= LONG:
        counts: NDArray[np.int64] = rows.sum(axis=1)
        return counts
    return np.fromiter((np.count_nonzero(row) for row in rows), np.int64, len(rows))
