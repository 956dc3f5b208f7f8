"""Soft precision and recall: near misses count in part (Fränti & Mariescu-Istodor 2023).

An item's *soft count* is one over the sum of its similarities to all items of its set, itself
included; the *soft cardinality* of a set is the sum of its counts (Jimenez et al. 2010). Unrelated
items count 1 each, n copies 1/n each::

    count(a_i) = 1 / Σ_j S(a_i, a_j)        card(A) = Σ_i count(a_i)

Four variants make precision and recall of that:

``coverage`` (usual)
    Each predicted item is covered by its most similar gold item, each gold item by its most
    similar predicted one; an item weighs as much as its soft count in its own set::

        P = Σ_p count(p) · max_g S(p, g) / card(P)      R = Σ_g count(g) · max_p S(g, p) / card(G)

    Repetitions are taken away first. Always in [0, 1]; another prediction never lowers recall.
``diversity``
    The paper's formulas with the maximum diversity in place of the soft cardinality.
``paper``
    card(G∩P) = card(G) + card(P) - card(G∪P), the union being the concatenation of both lists;
    P = card(G∩P) / card(P), R = card(G∩P) / card(G), F = 2·card(G∩P) / (card(G) + card(P)).
    No floor. Values may exceed 1, and unrelated answers score high.
``storm``
    The same with both lists and the union as sets and, for vectors, with cosines as they are,
    below 0 too: the "heading soft recall" of STORM (Shao et al. 2024).

Similarities below the *floor* count as 0 in ``coverage`` and ``diversity``: a word resembles any
other word a little, and many small similarities add up to a large one.

References
----------
P. Fränti, R. Mariescu-Istodor, "Soft precision and recall", Pattern Recognition Letters 167, 2023.
S. Jimenez, F. Gonzalez, A. Gelbukh, "Text comparison using soft cardinality", SPIRE 2010.
T. Leinster, M. Meckes, "Maximizing diversity in biology and beyond", Entropy 18(3), 2016.
Y. Shao et al., "Assisting in writing Wikipedia-like articles from scratch …", NAACL 2024.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.errors import UsageError, quote
from consilience.given import listed
from consilience.match.entries import Entries, entries
from consilience.match.kernel import Comparer, Similarity, check_texts, comparer
from consilience.match.sums import Sums, sums
from consilience.measures.diversity import MOST, max_diversity
from consilience.measures.sets import ratio

if TYPE_CHECKING:
    from numpy.typing import NDArray

Variant = Literal["coverage", "diversity", "paper", "storm"]
VARIANTS: tuple[Variant, ...] = ("coverage", "diversity", "paper", "storm")
#: The variants that take similarities as they are, unless a floor is asked for.
NO_FLOOR = ("paper", "storm")


@dataclass(frozen=True, slots=True)
class SoftScores:
    """Soft precision, recall and F1 of documents, with what they were made of.

    All arrays have one value a document, except ``counts_gold`` and ``counts_predicted``: soft
    counts, one for each entry (0 where the entry is not of that side). NaN is undefined: there
    was nothing to divide by.
    """

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]
    gold: NDArray[np.float64]
    predicted: NDArray[np.float64]
    union: NDArray[np.float64]
    intersection: NDArray[np.float64]
    counts_gold: NDArray[np.float64]
    counts_predicted: NDArray[np.float64]
    sums: Sums


def usual_floor(how: Comparer, variant: Variant) -> float:
    """Give the floor of a variant where nobody asks for another one."""
    return 0.0 if variant in NO_FLOOR else how.many.floor


def soft_scores(
    how: Comparer, given: Entries, *, variant: Variant = "coverage", floor: float | None = None
) -> SoftScores:
    """Score predicted lists against gold lists, one value a document.

    Parameters
    ----------
    how
        The similarity; see :func:`consilience.match.kernel.comparer`.
    given
        The lists; see :func:`consilience.match.entries.entries`.
    variant
        How similarities become precision and recall.
    floor
        Similarities below it count as 0; None: as usual for the variant and the similarity.

    Examples
    --------
    >>> from consilience.match.characters import levenshtein
    >>> cafe = entries(
    ...     [["cafe", "pizza", "hotel"]], [["cafe", "coffee", "caffe", "pizza", "plaza"]]
    ... )
    >>> scores = soft_scores(comparer(levenshtein), cafe, variant="paper")
    >>> [round(float(one[0]), 3) for one in (scores.precision, scores.recall, scores.f1)]
    [0.9, 0.826, 0.862]
    """
    floor = usual_floor(how, variant) if floor is None else floor
    if variant == "storm":
        how = _unclipped(how)
    columns = [given.gold, given.predicted]
    if variant != "paper":
        columns = [np.minimum(times, 1) for times in columns]
    if variant == "storm":
        columns.append(columns[0] * columns[1])
    weights = np.stack(columns, axis=1, dtype=np.float64, casting="unsafe")
    added = sums(how, given, weights, floor)
    counts = [_divided(weights[:, side], added.weighted[:, side]) for side in (0, 1)]
    if variant == "coverage":
        return _coverage(given, added, counts[0], counts[1])
    gold, predicted = given.total(counts[0]), given.total(counts[1])
    if variant == "diversity":
        gold, predicted, union = _diversities(how, given, floor)
        return _of_cardinalities(gold, predicted, union, counts, added, bounded=True)
    either, together = weights[:, 0] + weights[:, 1], added.weighted[:, 0] + added.weighted[:, 1]
    if variant == "storm":
        either, together = np.minimum(either, 1.0), together - added.weighted[:, 2]
    union = given.total(_divided(either, together))
    return _of_cardinalities(gold, predicted, union, counts, added)


def _unclipped(how: Comparer) -> Comparer:
    """Take cosines as they are, where the similarity is one of vectors."""
    return replace(how, settings={**how.settings, "clip": False}) if has_cosines(how) else how


def has_cosines(how: Comparer) -> bool:
    """Tell whether a similarity is one of vectors, whose cosines may lie below 0."""
    return how.trusted and "clip" in inspect.signature(how.function).parameters


def _divided(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide where there is something to divide: an entry that is not of the set counts 0.

    Raw cosines may add up to 0; such a count is undefined.
    """
    out = np.where(above > 0, np.nan, 0.0)
    return np.divide(above, below, out=out, where=(above > 0) & (below != 0))


def _coverage(
    given: Entries, added: Sums, gold: NDArray[np.float64], predicted: NDArray[np.float64]
) -> SoftScores:
    cards = given.total(gold), given.total(predicted)
    covered = given.total(gold * added.best_predicted), given.total(predicted * added.best_gold)
    recall, precision = ratio(covered[0], cards[0]), ratio(covered[1], cards[1])
    intersection = (covered[0] + covered[1]) / 2
    return SoftScores(
        precision,
        recall,
        harmonic(precision, recall),
        *cards,
        cards[0] + cards[1] - intersection,
        intersection,
        gold,
        predicted,
        added,
    )


def harmonic(precision: NDArray[np.float64], recall: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give F1: 0 where one side is empty or nothing matches, undefined where both are empty.

    Examples
    --------
    >>> harmonic(np.array([0.5, np.nan, 0.0, np.nan]), np.array([1.0, 0.0, 0.0, np.nan])).round(3)
    array([0.667, 0.   , 0.   ,   nan])
    """
    p, r = np.nan_to_num(precision), np.nan_to_num(recall)
    both = np.divide(2 * p * r, p + r, out=np.zeros_like(p), where=p + r > 0)
    return np.where(np.isnan(precision) & np.isnan(recall), np.nan, both)


def _of_cardinalities(
    gold: NDArray[np.float64],
    predicted: NDArray[np.float64],
    union: NDArray[np.float64],
    counts: Sequence[NDArray[np.float64]],
    added: Sums,
    *,
    bounded: bool = False,
) -> SoftScores:
    intersection = gold + predicted - union
    if bounded:  # true of exact optima; rounding and repaired tables may miss it by a little
        intersection = np.clip(intersection, 0.0, np.minimum(gold, predicted))
    return SoftScores(
        ratio(intersection, predicted),
        ratio(intersection, gold),
        ratio(2 * intersection, gold + predicted),
        gold,
        predicted,
        union,
        intersection,
        counts[0],
        counts[1],
        added,
    )


def _diversities(
    how: Comparer, given: Entries, floor: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Give the maximum diversity of gold, of the prediction and of both together."""
    prepared: Any = how.prepare(given.items)
    found = np.zeros((3, given.documents))
    for document in range(given.documents):
        begin, end = int(given.starts[document]), int(given.starts[document + 1])
        if end - begin > MOST:
            raise UsageError(
                f"diversity holds the whole table of similarities, and a document has "
                f"{end - begin:,} different items, more than {MOST:,} (fix: variant coverage)"
            )
        mine = prepared[given.code[begin:end]]
        table = how.block(mine, mine, floor)
        np.fill_diagonal(table, 1.0)
        gold = slice(0, int(given.gold_ends[document]) - begin)
        predicted = slice(int(given.predicted_starts[document]) - begin, end - begin)
        for row, side in enumerate((gold, predicted, slice(0, end - begin))):
            found[row, document] = max_diversity(table[side, side])
    return found[0], found[1], found.max(axis=0)  # both together are worth no less than one


def soft_cardinality(items: Sequence[Any], *, similarity: Similarity, floor: float = 0.0) -> float:
    """Give the soft cardinality of a set: Σ_i 1 / Σ_j S(a_i, a_j).

    This is the similarity-sensitive diversity of order 0 with equal weights (Leinster & Cobbold
    2012). Memory grows with the number of different items, not with that of pairs.

    Parameters
    ----------
    items
        The items; repetitions count as they are.
    similarity
        A function of two items with values in [0, 1].
    floor
        Similarities below it count as 0.

    Examples
    --------
    >>> from consilience.match.characters import levenshtein
    >>> words = ["cafe", "coffee", "caffe", "pizza", "plaza"]
    >>> round(soft_cardinality(words, similarity=levenshtein), 6)
    2.447499
    """
    how, several = comparer(similarity), listed(items)
    if several is None:
        raise UsageError(f"items are a list, found {quote(items)} (fix: ['cafe', 'pizza'])")
    check_texts(how, several)
    given = entries([several], [[]])
    times = given.gold.astype(np.float64)
    added = sums(how, given, times[:, None], floor, matches=False)
    return float((times / added.weighted[:, 0]).sum())
