"""What was made stays in memory, the last few of it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class _Place(Generic[T]):
    """Room for one thing; whoever asks while it is being made waits for it."""

    __slots__ = ("lock", "made")

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: list[T] = []


class Kept(Generic[T]):
    """The last few things that were made, by their keys.

    Examples
    --------
    >>> kept = Kept[str](2)
    >>> [kept.get(key, lambda key=key: print("made", key) or key) for key in "abacb"]
    made a
    made b
    made c
    made b
    ['a', 'b', 'a', 'c', 'b']
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._places: OrderedDict[Hashable, _Place[T]] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Give what was made before, or make it; the oldest is forgotten."""
        with self._lock:
            place = self._places.setdefault(key, _Place())
            self._places.move_to_end(key)
            while len(self._places) > self._most:
                self._places.popitem(last=False)
        with place.lock:
            if not place.made:
                place.made.append(make())
            return place.made[0]
