"""How much work a comparison is, and what is too much for a page that answers while one types.

Every item is compared with every other one, of both lists, and most similarities compare every
letter (or word) of one with every letter of the other: n items with L letters cost
a · n² + b · L² once. All of that is done again with random lists, up to 20 times, and for the
figures beside. So the work is told in seconds of one processor, by rates that were measured; they
need not be exact, for machines differ. What takes longer all the same ends with its turn: maximum
diversity may, for it searches among items that are near each other, which lengths do not tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consilience.errors import UsageError
from consilience.formats.tracked import parsed
from consilience.match.names import SIMILARITIES
from consilience.measures.soft_null import DRAWS
from consilience.web.soft_choices import MOST, WORDS, Asked
from consilience.web.soft_quick import MOST as REMEMBERED
from consilience.web.soft_quick import SLOW

#: The most seconds of work, and where 200 phrases a side take more than that.
ENOUGH, MORE = 3.0, {"minilm": 13.5}
#: Pairs of items that all random lists together may have, roughly: long lists are fewer.
_RANDOM_PAIRS = 20_000_000
#: Seconds that it takes to make a random word, and a random letter.
_WORD, _LETTER = 16e-6, 1e-6
#: How often both lists are compared for the figures beside; by those that remember, once.
_BESIDE = 6
#: Of random lists, what must be computed by those that remember.
_NEW = 0.4
#: Seconds for each cell that a track goes through, and how many metres a degree has.
_CELL, _DEGREE = 1.1e-5, 111_320.0
#: Seconds that maximum diversity takes for each item, and for each cube of items.
_GROUPS, _CUBE = 2e-4, 4e-10


@dataclass(frozen=True, slots=True)
class Rate:
    """What a similarity costs, in seconds: for each pair of items, of words, of letters.

    ``long`` is how many letters of an item make a pair of letters cost twice as much; ``read``
    what it costs to read a text, and ``token`` a letter of it.
    """

    pair: float = 1.3e-8
    words: float = 0.0
    letters: float = 0.0
    long: float = np.inf
    read: float = 0.0
    token: float = 0.0


#: By similarity, or by its room, or for all others.
RATES = {
    "levenshtein": Rate(letters=4e-11),
    "lcs": Rate(letters=4e-11),
    "jaro": Rate(letters=9e-11),
    "jaro-winkler": Rate(letters=9e-11),
    "damerau": Rate(pair=5e-8, letters=4e-9),
    "substring": Rate(pair=5e-8, letters=1.3e-9, long=250),
    "sequence_scores": Rate(pair=5e-8, letters=4.1e-9, long=250),
    "tokens": Rate(words=3e-10),
    "monge-elkan": Rate(pair=4e-8, words=3e-8),
    "soft-tfidf": Rate(pair=4e-8, words=6e-8),
    "soft_tokens": Rate(pair=3e-8, words=1.5e-8),
    "wordllama": Rate(read=7e-5, token=1e-7),
    "minilm": Rate(read=1.7e-3, token=6e-5),
    "boxes": Rate(pair=3e-8),
    "tracks": Rate(pair=9e-8),
    "": Rate(letters=4e-12),
}


def check_size(
    asked: Asked, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]
) -> None:
    """See that the lists of every document are not too long for a page.

    Raises
    ------
    UsageError
        Where they are; it says what is too much.
    """
    more = "(fix: shorter lists, or the command line, which takes more: consilience soft)"
    for side, lists in (("gold", gold), ("predicted", predicted)):
        items = sum(map(len, lists))
        if items > MOST:
            raise UsageError(f"{side}: {items:,} items, at most {MOST:,} here {more}")
    much = seconds(asked, gold, predicted) / MORE.get(asked.similarity, ENOUGH)
    if much > 1:
        flat = [item for lists in (*gold, *predicted) for item in lists]
        variant = f" and variant {asked.variant}" if asked.variant == "diversity" else ""
        raise UsageError(
            f"{len(flat):,} items with {sum(map(len, flat)):,} letters are {_times(much)} as this "
            f"page compares by {asked.named()}{variant} {more}"
        )


def _times(much: float) -> str:
    return f"{much:,.0f} times as much" if much >= 1.95 else f"{max(much, 1.1):.1f} times as much"


def seconds(
    asked: Asked, gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]
) -> float:
    """Tell about how many seconds of one processor a comparison takes.

    Examples
    --------
    >>> one, many = [["a" * 100_000]], [["neural network"] * 200]
    >>> seconds(Asked(), one, one) > 10 > 1 > seconds(Asked(), many, many)
    True
    """
    rate, pieces = _rate(asked), _settings(asked).get("q", "0") != "0"
    both = [[*mine, *theirs] for mine, theirs in zip(gold, predicted, strict=True)]
    items = np.array([len(one) for one in both], np.float64)
    letters = np.array([sum(map(len, one)) for one in both], np.float64)
    words = letters if pieces else np.array([_words(one) for one in both], np.float64)
    longest = max((len(item) for one in both for item in one), default=0)
    draws = _draws(items) if asked.similarity not in WORDS["shapes"] else 0.0
    remembers = asked.similarity in SLOW and items.sum() <= REMEMBERED
    passes = _NEW * draws + 1 if remembers else draws + _BESIDE
    once = rate.pair * (items**2).sum() + rate.words * (words**2).sum()
    once += rate.letters * (1 + longest / rate.long) * (letters**2).sum()
    total = passes * once
    mine, said = sum(map(len, predicted)), sum(len(item) for one in predicted for item in one)
    total += draws * (_WORD * sum(map(_words, predicted)) + _LETTER * said)
    total += rate.read * (items.sum() + draws * mine)
    total += rate.token * (letters.sum() + draws * said)
    if SIMILARITIES[asked.similarity] == "tracks":
        total += _CELL * sum(_cells(asked, one) for one in both)
    if asked.variant == "diversity":
        total += (1 + draws) * (_GROUPS * items + _CUBE * items**3).sum()
    return float(total)


def _draws(items: np.ndarray) -> float:
    """Tell how many random lists are made for each document."""
    pairs = float((items**2).sum())
    wanted = max(2.0, min(float(DRAWS), _RANDOM_PAIRS / max(pairs, 1.0)))
    return max(1.0, wanted / max(len(items), 1))


def _words(items: Sequence[str]) -> int:
    return sum(len(item.split()) for item in items)


def _cells(asked: Asked, tracks: Sequence[str]) -> float:
    """Count the cells that tracks go through, roughly."""
    wide = float(_settings(asked).get("cell", 25))
    found = 0.0
    for part in (part for track in tracks for part in parsed(track)):
        east, north = np.abs(np.diff(part, axis=0)).T
        east = np.minimum(east, 360 - east) * np.cos(np.radians(part[1:, 1]))
        found += len(part) + float((east + north).sum()) * _DEGREE / wide
    return found


def _settings(asked: Asked) -> dict[str, str]:
    given = (part.partition("=") for part in asked.settings.split(","))
    return {key.strip(): value.strip() for key, _, value in given}


def _rate(asked: Asked) -> Rate:
    """Find what a similarity costs; words may be compared by another one."""
    own, inner = _named(asked.similarity), _settings(asked).get("inner")
    if inner is None:
        return own
    other = _named(inner)
    return Rate(own.pair, own.words, other.letters, other.long)


def _named(name: str) -> Rate:
    room = SIMILARITIES[name]
    return RATES.get(name) or RATES.get(room) or RATES[""]
