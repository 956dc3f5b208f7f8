"""How far long work has come, for whoever wants to know.

Loops that may take seconds call :func:`report`; a door that shows progress listens. Where nobody
listens, nothing happens. The listener belongs to the context (:mod:`contextvars`): work in other
threads is not heard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

#: Is told the share of the work that is done, from 0 to 1.
Listener = Callable[[float], object]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(done: float, of: float) -> None:
    """Say that so much of the work is done.

    Examples
    --------
    >>> heard = []
    >>> with listening(heard.append):
    ...     for done in range(1, 5):
    ...         report(done, 4)
    >>> heard
    [0.25, 0.5, 0.75, 1.0]
    >>> report(1, 2)  # nobody listens
    """
    listener = _listener.get()
    if listener is not None and of > 0:
        listener(min(max(done / of, 0.0), 1.0))


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear what is reported within, as shares from 0 to 1."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def part(begin: float, end: float) -> Iterator[None]:
    """Do a part of a larger work: what is reported within lies between two shares of the whole.

    Examples
    --------
    >>> heard = []
    >>> with listening(heard.append):
    ...     with part(0.5, 1.0):
    ...         report(1, 2)
    >>> heard
    [0.75]
    """
    listener = _listener.get()
    if listener is None:
        yield
        return
    with listening(lambda share: listener(begin + share * (end - begin))):
        yield
