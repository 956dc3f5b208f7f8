"""What is believed of every item, and how it came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Shares:
    """How many items matter, how many of them judges alone decided, of how many they spoke.

    Those of parts of a study add up.
    """

    matter: float
    known: float
    heard: float

    @property
    def truth(self) -> float:
        """The share that judges alone decided."""
        return self.known / self.matter if self.matter else 0.0

    @property
    def voiced(self) -> float:
        """The share that judges had a say in."""
        return self.heard / self.matter if self.matter else 0.0


@dataclass(frozen=True, slots=True)
class Voices:
    """Who judged: the most judges of one item; codes of who was asked, has rows, said something.

    Those of parts of a study can be joined.
    """

    most: int
    asked: frozenset[int]
    named: frozenset[int]
    spoke: frozenset[int]

    @property
    def effective(self) -> float:
        """How many respondents there are, but not those who have rows and say nothing at all."""
        return float(len(self.asked - (self.named - self.spoke))) if self.most > 1 else 1.0

    @property
    def method(self) -> str:
        """What it is called to believe them."""
        return "gold" if self.most <= 1 else "shares of judges"


@dataclass(frozen=True, slots=True)
class Belief:
    """The probability that items are relevant, and how it came about.

    ``p[j]`` is the probability of ``item[j]`` (items rising); every other item of the study has
    probability ``elsewhere``. NaN means that nobody has judged. ``gain`` is what an item is worth
    to graded measures; ``queries`` tells which queries the belief speaks of; ``unseen``, where
    it is given, is the probability, query by query, of an item that nobody mentioned (it counts
    where the universe is larger than what was mentioned).

    ``truth`` is the share of the items (returned, or believed relevant at all) that judges alone
    decided: 1 for gold, 0 for pure agreement; ``heard`` is the share that judges had a say in,
    among others. ``details`` holds what the method found on its way, by name.

    ``tally`` is what shares of judges are made of, so that beliefs of parts of a study can be
    joined (:mod:`consilience.belief.joined`). Such a belief holds no items any more; ``certain``
    then says whether all of them were 0 or 1.
    """

    item: NDArray[np.int64]
    p: NDArray[np.float64]
    gain: NDArray[np.float64]
    elsewhere: float
    queries: NDArray[np.bool_]
    method: str
    assumes: str
    effective_respondents: float
    unseen: NDArray[np.float64] | None = None
    truth: float = 1.0
    heard: float = 1.0
    details: Mapping[str, Any] = field(default_factory=dict)
    tally: Shares | Voices | None = None
    certain: bool | None = None

    @property
    def crisp(self) -> bool:
        """Whether every judged item is 0 or 1."""
        if self.certain is not None:
            return self.certain
        return not bool(((self.p > 0) & (self.p < 1)).any())

    def of(self, items: NDArray[np.integer]) -> NDArray[np.float64]:
        """Give the probabilities of some items."""
        return self._look(self.p, items, self.elsewhere)

    def of_all(self, count: int) -> NDArray[np.float64]:
        """Give the probabilities of all the items of a study that has so many."""
        if len(self.item) == count:
            return self.p
        p = np.full(count, self.elsewhere)
        p[self.item] = self.p
        return p

    def gain_of(self, items: NDArray[np.integer]) -> NDArray[np.float64]:
        """Give the gains of some items."""
        return self._look(self.gain, items, 0.0)

    def _look(
        self, column: NDArray[np.float64], items: NDArray[np.integer], otherwise: float
    ) -> NDArray[np.float64]:
        if not len(self.item):
            return np.full(len(items), otherwise)
        if len(items) and int(self.item[-1]) == len(self.item) - 1 and items.max() <= self.item[-1]:
            found: NDArray[np.float64] = column[items]  # every item up to the last one is there
            return found
        place = np.minimum(np.searchsorted(self.item, items), len(self.item) - 1)
        return np.where(self.item[place] == items, column[place], otherwise)
