"""What others would say of the same two lists: crisp measures, thresholds, other matchings.

``crisp``
    Items are the same or not: |G∩P| / |P| and |G∩P| / |G| of the sets.
``crisp*``
    Two items match when their similarity reaches a threshold (.8 in the paper); the share of
    predicted items that match some gold item, and of gold items that match some predicted one.
``matching``
    Matching similarity (Rezaei & Fränti 2014): the most similar items are paired, one to one, until
    one list is used up; what is left of the other is paired with its most similar item; the mean
    similarity over the longer list. One figure, the same both ways.
``mapped``
    In the manner of fuzzy precision and recall (Ziółko 2015), as Fränti & Mariescu-Istodor
    describe it: gold items are mapped one to one to predicted ones, the most similar first, and
    the similarities of mapped pairs are added up and divided by |P| and by |G|.

Neither of the last two has a floor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.match.entries import Entries
from consilience.match.kernel import Comparer
from consilience.match.sums import Sums
from consilience.measures.sets import ratio
from consilience.measures.soft import harmonic

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Documents with tables of more cells have no pairing by greed.
MOST_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline's figures, one a document; NaN is undefined."""

    name: str
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]


def crisp(given: Entries) -> Baseline:
    """Compare the lists as sets.

    Examples
    --------
    >>> from consilience.match.entries import entries
    >>> found = crisp(entries([["a", "b", "c"]], [["a", "d", "a"]]))
    >>> found.precision.tolist(), found.recall.round(3).tolist()
    ([0.5], [0.333])
    """
    gold, predicted = given.gold > 0, given.predicted > 0
    return _shares("crisp", given, gold & predicted, gold & predicted)


def crisp_at(given: Entries, added: Sums, threshold: float) -> Baseline:
    """Compare with matches from a threshold on; the sums must have been made without a floor."""
    from consilience.match.kernel import TINY

    gold, predicted = (np.repeat(size > 0, np.diff(given.starts)) for size in given.sizes())
    return _shares(
        "crisp*",
        given,
        gold & (added.best_gold >= threshold - TINY),
        predicted & (added.best_predicted >= threshold - TINY),
    )


def _shares(
    name: str, given: Entries, right: NDArray[np.bool_], found: NDArray[np.bool_]
) -> Baseline:
    """Give the share of predicted items that are right and of gold items that were found."""
    gold, predicted = given.gold > 0, given.predicted > 0
    parts = [
        given.total(one.astype(np.float64))
        for one in (right & predicted, predicted, found & gold, gold)
    ]
    precision, recall = ratio(parts[0], parts[1]), ratio(parts[2], parts[3])
    return Baseline(name, precision, recall, harmonic(precision, recall))


def pairings(how: Comparer, given: Entries) -> tuple[Baseline, Baseline]:
    """Pair items by greed, the most similar first: matching similarity, and mapped overlap.

    Examples
    --------
    >>> from consilience.match.characters import levenshtein
    >>> from consilience.match.entries import entries
    >>> from consilience.match.kernel import comparer
    >>> lists = entries([["gray", "color"]], [["the", "grey", "colour"]])
    >>> matching, mapped = pairings(comparer(levenshtein), lists)
    >>> round(float(matching.f1[0]), 4), round(float(mapped.precision[0]), 4)
    (0.5278, 0.5278)
    """
    prepared = how.prepare(given.items)
    paired, left = np.zeros(given.documents), np.zeros(given.documents)
    gold, predicted = (size.astype(np.float64) for size in given.sizes())
    for document in range(given.documents):
        begin, end = int(given.starts[document]), int(given.starts[document + 1])
        rows = np.arange(begin, int(given.gold_ends[document]))
        columns = np.arange(int(given.predicted_starts[document]), end)
        rows = _in_order(given, np.repeat(rows, given.gold[rows]))
        columns = _in_order(given, np.repeat(columns, given.predicted[columns]))
        if len(rows) * len(columns) > MOST_CELLS:
            paired[document] = left[document] = np.nan
        elif len(rows) and len(columns):
            table = how.block(prepared[given.code[rows]], prepared[given.code[columns]])
            if (len(rows), _names(given, rows)) > (len(columns), _names(given, columns)):
                table = table.T
            paired[document], left[document] = _greedy(table)
    longer = np.maximum(gold, predicted)
    matching = ratio(paired + left, longer)
    nothing = np.full(given.documents, np.nan)
    return (
        Baseline("matching", nothing, nothing, matching),
        Baseline(
            "mapped",
            ratio(paired, predicted),
            ratio(paired, gold),
            ratio(2 * paired, gold + predicted),
        ),
    )


def _names(given: Entries, entry: NDArray[np.int64]) -> list[str]:
    return [str(given.items[code]) for code in given.code[entry]]


def _in_order(given: Entries, entry: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sort entries by their names: equal similarities are then paired the same way both ways."""
    names = _names(given, entry)
    return entry[sorted(range(len(entry)), key=names.__getitem__)]


def _greedy(table: NDArray[np.float64]) -> tuple[float, float]:
    """Pair the most similar first; give the sum of pairs, and that of what is left over.

    There are no more rows than columns. Equal similarities are paired row by row.
    """
    order = np.argsort(-table, axis=None, kind="stable")
    free = [np.ones(length, bool) for length in table.shape]
    paired = 0.0
    for row, column in zip(*(part.tolist() for part in divmod(order, table.shape[1])), strict=True):
        if free[0][row] and free[1][column]:
            free[0][row] = free[1][column] = False
            paired += float(table[row, column])
            if not free[0].any():
                break
    return paired, float(table[:, free[1]].max(axis=0).sum())
