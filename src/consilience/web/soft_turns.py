"""Turns: comparisons are computed apart, a few at a time, and only while somebody waits for them.

Whoever asks waits a moment for a turn, and is told to come again where none comes. A page that asks
anew has no use for what it asked before: that is not begun, or ended where it has begun.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from consilience.errors import ConsilienceError, UsageError

T = TypeVar("T")
#: Gives word whether to go on: it raises where not.
Check = Callable[[], None]


class BusyError(ConsilienceError):
    """There was no turn in time."""


class ReplacedError(BusyError):
    """The same page has asked for something else."""


class _Turn:
    """One that waits for its turn, or has it."""

    def __init__(self, most: float) -> None:
        self.moved = threading.Event()  # it has begun, or it will not
        self.replaced = False
        self._most, self._begun = most, 0.0

    def begin(self) -> None:
        self._begun = time.thread_time()
        self.moved.set()
        self.check()

    def replace(self) -> None:
        self.replaced = True
        self.moved.set()

    def check_wanted(self) -> None:
        if self.replaced:
            raise ReplacedError("the page has asked for something else meanwhile")

    def check(self) -> None:
        """See that somebody waits, and that it does not go on for ever."""
        self.check_wanted()
        if time.thread_time() - self._begun > self._most:
            raise UsageError(
                f"this takes more than {self._most:g} seconds to compute (fix: shorter lists, or "
                "the command line, which takes more: consilience soft)"
            )


class Turns:
    """Work that is done apart, a little at a time.

    Parameters
    ----------
    at_once, waiting
        How much is computed at the same time, and how many may wait for it.
    patience
        How many seconds one waits for a turn.

    Examples
    --------
    >>> turns = Turns(at_once=1, waiting=4, patience=1.0)
    >>> turns.take(lambda check: "done")
    'done'
    """

    def __init__(self, *, at_once: int, waiting: int, patience: float) -> None:
        self._room = at_once + waiting
        self._patience = patience
        self._pool = ThreadPoolExecutor(at_once, "soft")
        self._lock = threading.Lock()
        self._here: list[_Turn] = []
        self._last: dict[str, _Turn] = {}

    def take(self, work: Callable[[Check], T], *, page: str = "", most: float = 6.0) -> T:
        """Do some work when its turn comes.

        Parameters
        ----------
        work
            What to do; it calls what it is given every now and then.
        page
            Which page asks: what it asked before is left. "": nobody's.
        most
            How many seconds of a processor the work may take.

        Raises
        ------
        BusyError
            Where no turn came in time, or the page has asked for something else.
        """
        turn = self._enter(page, _Turn(most))
        try:
            made = self._pool.submit(_done, turn, work)
            turn.moved.wait(self._patience)
            return self._result(turn, made)
        finally:
            self._leave(turn, page)

    def stop(self) -> None:
        """End what is computed now, and what waits: nobody will hear of it."""
        with self._lock:
            for turn in self._here:
                turn.replace()

    def _result(self, turn: _Turn, made: Future[T]) -> T:
        if made.cancel():
            turn.check_wanted()
            raise _busy()
        return made.result()

    def _enter(self, page: str, turn: _Turn) -> _Turn:
        with self._lock:
            before = self._last.get(page) if page else None
            if before is not None:
                before.replace()
            if sum(not one.replaced for one in self._here) >= self._room:
                raise _busy()
            self._here.append(turn)
            if page:
                self._last[page] = turn
        return turn

    def _leave(self, turn: _Turn, page: str) -> None:
        with self._lock:
            self._here.remove(turn)
            if self._last.get(page) is turn:
                del self._last[page]


def _done(turn: _Turn, work: Callable[[Check], T]) -> T:
    turn.begin()
    return work(turn.check)


def _busy() -> BusyError:
    return BusyError("other comparisons are being computed (fix: try again)")
