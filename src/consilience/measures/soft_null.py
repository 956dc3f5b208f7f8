"""The null score: what an answer that knows nothing would get.

Soft measures have no natural zero. Any two words resemble each other a little, so an answer that
is wrong altogether may still score .9 (n = 30 words under the paper's measure); 0.9 means nothing
unless one knows that. So every soft score is shown with its null score: the mean score of random
predictions of the same size. Where they come from depends on what there is:

``documents``
    With several documents, the predictions of another document, in a random order.
``words``
    With one document of words in Latin letters, as many English words of the same lengths (from
    the phrases of the bundled example).
``letters``
    With one document in another script, the letters of the predictions, shuffled.
``background``
    For other items (and for one's own vectors, which random words lack) none can be made: the
    median of all similarities between the sides stands in the place of each of them. With fewer
    than nine similarities there is no null score.

A score adjusted for chance is (x - null) / (1 - null): 0 for knowing nothing, 1 for all right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.match.entries import Entries, entries
from consilience.match.kernel import Comparer, Many

if TYPE_CHECKING:
    from numpy.typing import NDArray

How = Literal["documents", "words", "letters", "background", "too long"]
#: Lists with more items have no null score: it would cost as much again, several times.
LONGEST = 20_000
#: Random predictions for one document; with several documents as many in all, at least one each.
DRAWS = 20
#: Pairs of items that all random predictions together may cost, roughly.
_MOST_PAIRS = 20_000_000
#: The fewest similarities between the sides that have a background: of fewer, most are matches.
_FEWEST = 9
#: Items of either side that a background is measured on.
_SAMPLE = 200
_LATIN = re.compile(r"[A-Za-z]+")

#: Precision, recall and F1 of lists, one value a document.
Scored = Callable[
    [Comparer, Entries],
    "tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]",
]


@dataclass(frozen=True, slots=True)
class Null:
    """What random predictions score, how they were made, and how alike unrelated items are."""

    precision: float
    recall: float
    f1: float
    how: How
    draws: int
    background: float


def null_score(
    how: Comparer,
    gold: Sequence[Sequence[Any]],
    predicted: Sequence[Sequence[Any]],
    *,
    scored: Scored,
    rng: np.random.Generator,
) -> Null:
    """Score random predictions of the same size.

    Parameters
    ----------
    how
        The similarity.
    gold, predicted
        The lists of every document.
    scored
        Gives precision, recall and F1 of lists.
    rng
        The source of chance.
    """
    how = how.quiet()  # what is made up here is nothing to report of
    if max(map(len, (*gold, *predicted)), default=0) > LONGEST:
        nothing = float("nan")
        return Null(nothing, nothing, nothing, "too long", 0, nothing)
    source, draw = _source(how, predicted, rng)
    if draw is None:
        return _background(how, gold, predicted, scored)
    draws = max(1, -(-_wanted(gold, predicted) // max(len(gold), 1)))
    found = []
    for _ in range(draws):
        made = draw()
        found.append(
            [
                np.nanmean(one) if (~np.isnan(one)).any() else np.nan
                for one in scored(how, entries(gold, made))
            ]
        )
    background = _mean_similarity(how, gold, made)
    precision, recall, f1 = np.array(found).mean(axis=0).tolist()
    return Null(precision, recall, f1, source, draws * len(gold), background)


def _wanted(gold: Sequence[Sequence[Any]], predicted: Sequence[Sequence[Any]]) -> int:
    """Say how many random predictions are made: fewer where lists are long, which average more."""
    pairs = sum(
        (len(mine) + len(theirs)) ** 2 for mine, theirs in zip(gold, predicted, strict=True)
    )
    return max(2, min(DRAWS, _MOST_PAIRS // max(pairs, 1)))


def _source(
    how: Comparer, predicted: Sequence[Sequence[Any]], rng: np.random.Generator
) -> tuple[How, Callable[[], list[list[Any]]] | None]:
    """Choose where random predictions come from."""
    filled = [one for one in predicted if len(one)]
    if len(filled) > 2:
        return "documents", lambda: _other_documents(predicted, rng)
    flat = [item for one in predicted for item in one]
    known = how.name.partition(":")[0] == "vectors"  # random words would have none
    if (
        how.many.of != "text"
        or known
        or not flat
        or not all(isinstance(item, str) for item in flat)
    ):
        return "background", None
    if all(_LATIN.search(item) for item in flat):
        return "words", lambda: [[_words(item, rng) for item in one] for one in predicted]
    return "letters", lambda: _shuffled(predicted, rng)


def _other_documents(
    predicted: Sequence[Sequence[Any]], rng: np.random.Generator
) -> list[list[Any]]:
    """Give every document the predictions of another one, cut to its own length.

    Where they are too few, predictions of all other documents fill them up.
    """
    order = rng.permutation(len(predicted))
    donor = np.empty(len(predicted), np.int64)
    donor[order] = np.roll(order, 1)
    pool = [item for one in predicted for item in one]
    made, begin = [], 0
    for document, wanted in enumerate(map(len, predicted)):
        theirs = list(predicted[donor[document]])[:wanted]
        more = rng.integers(max(len(pool) - wanted, 1), size=wanted - len(theirs))
        more += wanted * (more >= begin)  # past its own ones
        made.append(theirs + [pool[place] for place in more])
        begin += wanted
    return made


@cache
def _vocabulary() -> dict[int, tuple[str, ...]]:
    """The words of the bundled example's gold phrases, by length."""
    from importlib.resources import files

    text = (files("consilience") / "examples" / "keyphrases-gold.csv").read_text("utf-8")
    by_length: dict[int, list[str]] = {}
    for word in sorted({word.lower() for word in _LATIN.findall(text)}):
        by_length.setdefault(len(word), []).append(word)
    return {length: tuple(words) for length, words in by_length.items()}


def _words(item: str, rng: np.random.Generator) -> str:
    """Put random words of the same length in the place of an item's words."""
    known = _vocabulary()

    def other(found: re.Match[str]) -> str:
        length = min(known, key=lambda one: (abs(one - len(found.group())), one))
        word = str(rng.choice(known[length]))
        return word.capitalize() if found.group()[0].isupper() else word

    return _LATIN.sub(other, item)


def _shuffled(predicted: Sequence[Sequence[str]], rng: np.random.Generator) -> list[list[str]]:
    """Shuffle the letters of all predictions and deal them out in items of the same lengths."""
    made = []
    for one in predicted:
        letters = np.array([letter for item in one for letter in item], object)
        rng.shuffle(letters)
        ends = np.cumsum([len(item) for item in one])
        made.append(["".join(part) for part in np.split(letters, ends)[:-1]])
    return made


def _mean_similarity(
    how: Comparer, gold: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]
) -> float:
    """Give the mean similarity of gold items to unrelated ones, of the first so many."""
    total, count = 0.0, 0
    for mine, theirs in zip(gold[:_SAMPLE], other[:_SAMPLE], strict=True):
        if len(mine) and len(theirs):
            block = how.block(how.prepare(mine[:_SAMPLE]), how.prepare(theirs[:_SAMPLE]))
            total, count = total + float(block.sum()), count + block.size
    return total / count if count else float("nan")


def _background(
    how: Comparer,
    gold: Sequence[Sequence[Any]],
    predicted: Sequence[Sequence[Any]],
    scored: Scored,
) -> Null:
    """Score with the median similarity between the sides in place of each."""
    found, levels = [], []
    for mine, theirs in zip(gold, predicted, strict=True):
        left, right = list(mine[:_SAMPLE]), list(theirs[:_SAMPLE])
        both = how.prepare([*left, *right])
        table = how.block(both, both)
        cross = table[: len(left), len(left) :]
        if cross.size < _FEWEST:
            continue
        level = float(np.median(cross))
        table[: len(left), len(left) :] = level
        table[len(left) :, : len(left)] = level
        np.fill_diagonal(table, 1.0)
        levels.append(level)
        places = list(range(len(table)))
        lists = entries([places[: len(left)]], [places[len(left) :]])
        found.append([float(one[0]) for one in scored(_of_table(how, table), lists)])
    if not found:
        nothing = float("nan")
        return Null(nothing, nothing, nothing, "background", 0, nothing)
    precision, recall, f1 = np.array(found).mean(axis=0).tolist()
    return Null(precision, recall, f1, "background", len(found), float(np.mean(levels)))


def _of_table(how: Comparer, table: NDArray[np.float64]) -> Comparer:
    """Compare places of a table."""

    def compare(rows: Any, columns: Any, *, floor: float) -> NDArray[np.float64]:
        return table[np.ix_(rows, columns)].copy()

    many = Many(np.asarray, compare, lambda a, b, *, floor: table[a, b].copy(), how.many.floor)
    return Comparer(how.name, lambda a, b: float(table[a, b]), many, {})


def adjusted(value: float, null: float) -> float:
    """Adjust a score for chance: (x - null) / (1 - null); undefined where null is 1 or more.

    Examples
    --------
    >>> adjusted(0.9, 0.5), adjusted(0.5, 0.5)
    (0.8, 0.0)
    """
    return (value - null) / (1 - null) if null < 1 else float("nan")
