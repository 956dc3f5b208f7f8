"""The programs that compare items which need not be equal; called as in :mod:`bench.contestants`.

``work s`` among the values are CPU seconds of the work alone, on strings made before.
"""

from __future__ import annotations

import csv
import random
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

SEED = 20230323
#: Rows and columns that are compared together, as we do it.
BLOCK = 512
FLOOR = 0.5
#: Items of a keyword list.
SHORTEST, LONGEST = 5, 15
#: Zipf's law for the words of lists: word r is drawn in proportion to 1 / (r + FLAT).
FLAT = 10

Lists = list[list[str]]


def make_words(count: int) -> list[str]:
    """Invent words: each letter is drawn by the two before it, as in English keyphrases."""
    import consilience

    gold = Path(consilience.__file__).parent / "examples" / "keyphrases-gold.csv"
    with gold.open(encoding="utf-8") as file:
        real = sorted({word for row in csv.DictReader(file) for word in row["item"].split()})
    follows: defaultdict[str, list[str]] = defaultdict(list)
    for word in real:
        marked = f"^^{word}$"
        for place in range(2, len(marked)):
            follows[marked[place - 2 : place]].append(marked[place])
    chance = random.Random(SEED)
    words: dict[str, None] = {}
    while len(words) < count:
        word = "^^"
        while not word.endswith("$"):
            word += chance.choice(follows[word[-2:]])
        words[word[2:-1]] = None
    return list(words)


def make_strings(count: int) -> list[str]:
    """Make different strings, three in ten of one word and the others of two."""
    words = make_words(max(5_000, count // 2))
    chance = random.Random(SEED)
    strings: dict[str, None] = {}
    while len(strings) < count:
        size = 1 if chance.random() < 0.3 else 2
        strings[" ".join(chance.choice(words) for _ in range(size))] = None
    return list(strings)


def make_lists(pairs: int, words: int) -> tuple[Lists, Lists]:
    """Draw pairs of keyword lists; some words are much more frequent than others."""
    vocabulary = make_words(words)
    chance = random.Random(SEED)
    weights = [1 / (rank + FLAT) for rank in range(words)]
    sizes = [chance.randint(SHORTEST, LONGEST) for _ in range(2 * pairs)]
    drawn = iter(chance.choices(vocabulary, weights, k=sum(sizes)))
    lists = [[next(drawn) for _ in range(size)] for size in sizes]
    return lists[:pairs], lists[pairs:]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Give the CPU seconds of some work, and its result."""
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def strings_idle(count: str, measure: str) -> dict[str, float]:
    """Make the strings, load what is needed, and compare next to nothing."""
    _measures(measure)(make_strings(10))
    return {"strings": len(make_strings(int(count)))}


def strings_consilience(count: str, measure: str) -> dict[str, float]:
    """Give the soft cardinality of strings, or the coverage of one half by the other."""
    _measures(measure)(make_strings(10))
    strings = make_strings(int(count))
    work, found = timed(lambda: _measures(measure)(strings))
    return {"work s": work, **found}


def _measures(measure: str) -> Callable[[list[str]], dict[str, float]]:
    return {"cardinality": _cardinality, "coverage": _coverage}[measure]


def _cardinality(strings: list[str]) -> dict[str, float]:
    import consilience as cs

    return {"cardinality": cs.soft_cardinality(strings, similarity=cs.similarity.levenshtein)}


def _coverage(strings: list[str]) -> dict[str, float]:
    half = len(strings) // 2
    precision, recall = _scores([strings[:half]], [strings[half:]], "coverage")[:2]
    return {"P": float(precision[0]), "R": float(recall[0])}


def strings_cdist(count: str, measure: str) -> dict[str, float]:
    """Compare the same pairs in the same blocks by RapidFuzz, and throw the result away."""
    import numpy as np
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    strings = np.array(make_strings(int(count)), object)

    def compare(strings: np.ndarray) -> None:
        for row in range(0, len(strings), BLOCK):
            for column in range(row, len(strings), BLOCK):
                process.cdist(
                    strings[row : row + BLOCK],
                    strings[column : column + BLOCK],  # never the same object: that is slower
                    scorer=Levenshtein.normalized_similarity,
                    score_cutoff=FLOOR if measure == "coverage" else 0.0,
                    dtype=np.float64,
                )

    compare(strings[:10])
    return {"work s": timed(lambda: compare(strings))[0]}


def repeats_consilience(count: str, different: str) -> dict[str, float]:
    """Give the soft cardinality of strings that are repeated."""
    strings = make_strings(int(different))
    repeated = (strings * -(-int(count) // int(different)))[: int(count)]
    random.Random(SEED).shuffle(repeated)
    _cardinality(strings[:10])
    work, found = timed(lambda: _cardinality(repeated))
    return {"work s": work, **found}


def _scores(gold: Lists, predicted: Lists, variant: Any) -> tuple[np.ndarray, ...]:
    import consilience as cs
    from consilience.match.entries import entries
    from consilience.match.kernel import comparer
    from consilience.measures.soft import soft_scores

    how = comparer(cs.similarity.levenshtein)
    found = soft_scores(how, entries(gold, predicted), variant=variant)
    return found.precision, found.recall, found.f1


def _one_by_one(gold: Lists, predicted: Lists, variant: str) -> list[tuple[float, ...]]:
    return [
        tuple(float(one[0]) for one in _scores([g], [p], variant))
        for g, p in zip(gold, predicted, strict=True)
    ]


def _by_hand(gold: Lists, predicted: Lists, variant: str) -> list[tuple[float, ...]]:
    return [_pair_by_hand(g, p, variant) for g, p in zip(gold, predicted, strict=True)]


def _pair_by_hand(gold: list[str], predicted: list[str], variant: str) -> tuple[float, ...]:
    """Score one pair of lists as one would with RapidFuzz and numpy at hand, and nothing else."""
    import numpy as np
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    if variant == "coverage":
        gold, predicted = list(dict.fromkeys(gold)), list(dict.fromkeys(predicted))
    both, n = gold + predicted, len(gold)
    table = process.cdist(  # a copy: with the same list twice cdist is slower
        both, both[:], scorer=Levenshtein.normalized_similarity, dtype=np.float64
    )
    if variant == "coverage":
        table[table < FLOOR] = 0.0
    g, p = 1 / table[:n, :n].sum(axis=1), 1 / table[n:, n:].sum(axis=1)
    if variant == "coverage":
        recall = (g @ table[:n, n:].max(axis=1)) / g.sum()
        precision = (p @ table[n:, :n].max(axis=1)) / p.sum()
        together = precision + recall
        return precision, recall, 2 * precision * recall / together if together else 0.0
    shared = g.sum() + p.sum() - (1 / table.sum(axis=1)).sum()
    return shared / p.sum(), shared / g.sum(), 2 * shared / (g.sum() + p.sum())


def keywords_consilience(pairs: str, words: str, variant: str, tried: str) -> dict[str, float]:
    """Score all pairs of lists at once."""
    gold, predicted = make_lists(int(pairs), int(words))
    _scores(gold[:5], predicted[:5], variant)
    work, found = timed(lambda: _scores(gold, predicted, variant))
    return {"work s": work, "F1": float(found[2].mean())}


def keywords_loop(pairs: str, words: str, variant: str, tried: str) -> dict[str, float]:
    """Score pairs of lists one by one by our own function; the first ones, scaled to all."""
    return _loop(_one_by_one, pairs, words, variant, tried)


def keywords_by_hand(pairs: str, words: str, variant: str, tried: str) -> dict[str, float]:
    """Score pairs of lists one by one, each by RapidFuzz and numpy; the first ones, scaled."""
    return _loop(_by_hand, pairs, words, variant, tried)


def _loop(
    how: Callable[..., list[tuple[float, ...]]], pairs: str, words: str, variant: str, tried: str
) -> dict[str, float]:
    gold, predicted = (side[: int(tried)] for side in make_lists(int(pairs), int(words)))
    how(gold[:5], predicted[:5], variant)
    work, found = timed(lambda: how(gold, predicted, variant))
    mean = sum(one[2] for one in found) / len(found)
    return {"work s": work * int(pairs) / int(tried), "F1 of these": mean}


def keywords_apart(pairs: str, words: str, variant: str, tried: str) -> dict[str, float]:
    """Tell how far values of all lists at once are from those of the loops."""
    import numpy as np

    gold, predicted = make_lists(int(pairs), int(words))
    whole = np.stack(_scores(gold, predicted, variant), axis=1)[: int(tried)]
    some = gold[: int(tried)], predicted[: int(tried)], variant
    return {
        name: float(np.abs(whole - np.array(how(*some))).max())
        for name, how in (("loop", _one_by_one), ("by hand", _by_hand))
    }


def instances_consilience(count: str) -> dict[str, float]:
    """Match strings one to one, half of them with the others."""
    import consilience as cs
    from consilience.match.entries import entries
    from consilience.match.kernel import comparer
    from consilience.measures.assignment import instance_scores

    how = comparer(cs.similarity.levenshtein)
    instance_scores(how, entries([["a"]], [["b"]]))
    strings = make_strings(2 * int(count))
    gold, predicted = [strings[: int(count)]], [strings[int(count) :]]
    work, found = timed(lambda: instance_scores(how, entries(gold, predicted), floor=FLOOR))
    return {"work s": work, "matched": float(found.matched[0])}


def instances_scipy(count: str) -> dict[str, float]:
    """Match by scipy, with the table of similarities at hand; making it does not count."""
    import numpy as np
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein
    from scipy.optimize import linear_sum_assignment

    strings = make_strings(2 * int(count))
    table = process.cdist(
        strings[: int(count)],
        strings[int(count) :],
        scorer=Levenshtein.normalized_similarity,
        dtype=np.float64,
    )
    table[table < FLOOR] = 0.0
    linear_sum_assignment(table[:5, :5], maximize=True)
    work, found = timed(lambda: linear_sum_assignment(table, maximize=True))
    return {"work s": work, "matched": float(table[found].sum())}


SOFTENERS: dict[str, Callable[..., dict[str, float]]] = {
    function.__name__: function
    for function in (
        *(strings_idle, strings_consilience, strings_cdist, repeats_consilience),
        *(keywords_consilience, keywords_loop, keywords_by_hand, keywords_apart),
        *(instances_consilience, instances_scipy),
    )
}
