"""Texts of pages: private letters and official papers, made with a seed.

The papers' pages were "various genres from official documents to private letters". A page takes
its genre in turn, a number of words to fill, and sentences of the genre without repetition; every
slot of a sentence gets a name of its own, and now and then one that the page has mentioned before,
as people are. The true text is known to the letter, which typed ground truth rarely is.

Slots: ``person`` (given name and surname), ``man`` and ``woman`` (given name), ``surname``,
``title`` (title and surname), ``place``, ``town``, ``body``, ``day``, ``month``, ``date``, ``sum``,
``number``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from consilience.experiments.ocr import names
from consilience.experiments.ocr.sentences import GENRES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.random import Generator

#: A page has so many words, drawn evenly between the two.
WORDS = (150, 215)
#: How often a person is one whom the page has mentioned before.
AGAIN = 0.15

_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Letter:
    """The true text of a page: lines at its head, paragraphs, lines at its foot."""

    genre: str
    head: tuple[str, ...]
    paragraphs: tuple[str, ...]
    foot: tuple[str, ...]

    @property
    def text(self) -> str:
        """The whole text, a line for each part."""
        return "\n".join((*self.head, *self.paragraphs, *self.foot))

    @property
    def words(self) -> list[str]:
        """The words of the page in reading order."""
        return self.text.split()


def letter(place: int, *, seed: int = 0) -> Letter:
    """Write the text of a page: the same page and seed give the same text.

    Examples
    --------
    >>> one = letter(0)
    >>> one.genre, one == letter(0), one == letter(5)
    ('letter', True, False)
    """
    import numpy as np

    rng = np.random.default_rng([seed, place, 1])
    kind = list(GENRES)[place % len(GENRES)]
    genre = GENRES[kind]
    filled = _filler(rng)
    head = tuple(map(filled, genre.head))
    body = [filled(_one(rng, genre.opening))]
    closing, foot = filled(_one(rng, genre.closing)), tuple(map(filled, genre.foot))
    wanted = int(rng.integers(*WORDS, endpoint=True))
    count = len(" ".join((*head, *body, closing, *foot)).split())
    for at in rng.permutation(len(genre.body)).tolist():
        if count >= wanted:
            break
        body.append(filled(genre.body[at]))
        count += len(body[-1].split())
    body.append(closing)
    return Letter(kind, head, _paragraphs(body, rng), foot)


def _one(rng: Generator, among: Sequence[str]) -> str:
    return among[int(rng.integers(len(among)))]


def _paragraphs(sentences: list[str], rng: Generator) -> tuple[str, ...]:
    """Break sentences into two or three paragraphs."""
    cuts = sorted({0, *rng.integers(2, len(sentences) - 1, size=2).tolist()})
    ends = [*cuts[1:], len(sentences)]
    return tuple(" ".join(sentences[a:b]) for a, b in zip(cuts, ends, strict=True))


def _filler(rng: Generator) -> Callable[[str], str]:
    """Make what fills sentences of one page: wordings first, then names."""
    known: list[str] = []
    slots = _slots(rng, known)

    def filled(sentence: str) -> str:
        while _CHOICE.search(sentence):  # the innermost choice first
            sentence = _CHOICE.sub(lambda m: _one(rng, m[1].split("|")), sentence, count=1)
        return _SLOT.sub(lambda m: slots[m[1]](), sentence)

    return filled


def _slots(rng: Generator, known: list[str]) -> dict[str, Callable[[], str]]:
    def person() -> str:
        if known and rng.random() < AGAIN:
            return _one(rng, known)
        given = names.MEN if rng.random() < 0.65 else names.WOMEN
        known.append(f"{_one(rng, given)} {_one(rng, names.SURNAMES)}")
        return known[-1]

    def day() -> str:
        return f"the {_ordinal(int(rng.integers(1, 29)))} of {_one(rng, names.MONTHS)}"

    def date() -> str:
        on = f"{_one(rng, names.MONTHS)} {int(rng.integers(1, 29))}"
        return f"{on}, {int(rng.integers(1848, 1912))}"

    return {
        "person": person,
        "man": lambda: _one(rng, names.MEN),
        "woman": lambda: _one(rng, names.WOMEN),
        "surname": lambda: _one(rng, names.SURNAMES),
        "title": lambda: f"{_one(rng, names.TITLES)} {_one(rng, names.SURNAMES)}",
        "place": lambda: _one(rng, names.PLACES),
        "town": lambda: _one(rng, names.TOWNS),
        "body": lambda: _one(rng, names.BODIES),
        "month": lambda: _one(rng, names.MONTHS),
        "day": day,
        "date": date,
        "sum": lambda: f"{int(rng.integers(2, 980))} dollars",
        "number": lambda: str(int(rng.integers(7, 480))),
    }


def _ordinal(number: int) -> str:
    """Write a day.

    Examples
    --------
    >>> [_ordinal(day) for day in (1, 2, 3, 11, 22)]
    ['1st', '2nd', '3rd', '11th', '22nd']
    """
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number in (11, 12, 13) else ends.get(number % 10, 'th')}"
