"""The background of each similarity: how alike are phrases that have nothing to do with each other?

    python -m bench.floors            # all similarities of strings
    python -m bench.floors wordllama  # those that are named

All pairs of different keyphrases of the bundled gold file that come from different abstracts, and
all pairs of different words of theirs. The suggested floor is the larger 99th percentile, rounded
up to the next 0.05. Words and q-grams share one usual floor, that of 2-grams.
"""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np

import consilience
from consilience.match.kernel import comparer
from consilience.match.names import SIMILARITIES, similarity_by_name

GOLD = Path(consilience.__file__).parent / "examples" / "keyphrases-gold.csv"
STRINGS = ("characters", "sequence_scores", "tokens", "soft_tokens")
WITH_SETTINGS = ["jaccard:q=2", "jaccard:q=3", "dice:q=2", "cosine:q=2", "overlap:q=2"]


def background(name: str, items: list[str], query: list[str]) -> np.ndarray:
    """Give the similarities of all pairs of different items from different documents."""
    how = comparer(similarity_by_name(name))
    prepared = how.prepare(items)
    same = np.equal.outer(np.array(items), np.array(items))
    apart = np.not_equal.outer(np.array(query), np.array(query)) & ~same
    found: np.ndarray = how.block(prepared, prepared)[np.triu(apart, k=1)]
    return found


def samples() -> list[tuple[list[str], list[str]]]:
    """Give the keyphrases with their documents, and the words with theirs."""
    with GOLD.open(encoding="utf-8") as file:
        phrases = [(row["item"], row["query"]) for row in csv.DictReader(file)]
    words = dict.fromkeys((word, query) for item, query in phrases for word in item.split())
    return [([item for item, _ in some], [query for _, query in some]) for some in (phrases, words)]


def measured(name: str) -> tuple[list[float], float]:
    """Give mean, 95th and 99th percentile of phrases and of words, and the floor they suggest."""
    figures: list[float] = []
    for items, query in samples():
        found = background(name, items, query)
        figures += [found.mean(), *np.percentile(found, [95, 99])]
    return figures, math.ceil(round(max(figures[2], figures[5]), 3) * 20) / 20


def main() -> None:
    strings = [name for name, module in SIMILARITIES.items() if module in STRINGS]
    print(
        "| similarity | phrases: mean | 95% | 99% | words: mean | 95% | 99% | suggested | usual |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name in sys.argv[1:] or [*strings, *WITH_SETTINGS]:
        figures, floor = measured(name)
        usual = comparer(similarity_by_name(name)).many.floor
        shown = [f"{one:.2f}" for one in (*figures, floor, usual)]
        print(f"| `{name}` |", " | ".join(shown), "|", flush=True)


if __name__ == "__main__":
    main()
