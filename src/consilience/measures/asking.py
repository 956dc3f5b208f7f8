"""Asking a system for more: results are drawn until all that is wanted was seen, and no further.

A system that can be asked is an iterator of items, best first, or a function of n that gives the
first n of them. An iterator is drawn one by one. A function is asked for as many results as are
wanted, then for twice as many, and so on: what it gives must grow, and begin as before.

Items with scores (a dict, a pandas Series) stand in the order of the scores, highest first; equal
scores by name, descending, as in ``rank``. A set has no order and is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from consilience.errors import UsageError, quote, written
from consilience.given import float_of, is_hashed, is_missing, listed

#: A list (or items with scores), or what gives the next result, or a function of the first n.
Answer: TypeAlias = "Iterable[str] | Mapping[str, float] | Callable[[int], First]"
#: The first results: a list, or items with scores.
First: TypeAlias = "Sequence[str] | Mapping[str, float]"

#: What an iterator that has ended gives.
_END: Any = object()


def drawn_whole(answer: Iterable[str]) -> list[str]:
    """Take a list as it is; an item that stands in it twice is an error."""
    if isinstance(answer, (str, bytes)):
        raise UsageError(f"{quote(answer)} is no list of items (fix: write [{quote(answer)}])")
    found = listed(in_order(answer))
    if found is None:
        raise UsageError(f"{quote(answer)} is no list of items (fix: give a list, best first)")
    _check_once(found)
    return found


def in_order(answer: Any) -> Any:
    """Bring items with scores into order, highest first; anything else stays as it is.

    Examples
    --------
    >>> in_order({"a": 0.1, "b": 0.9, "c": 0.1})
    ['b', 'c', 'a']
    >>> in_order(["a", "b"])
    ['a', 'b']
    """
    if isinstance(answer, (set, frozenset)):
        raise UsageError("a set of items has no order (fix: give a list, best first)")
    scored = pairs_of(answer)
    if scored is None:
        return answer
    for item, score in scored:
        if not is_number(score) or score != score:
            raise UsageError(f"the score of {quote(item)} is {quote(score)} (fix: give a number)")
    scored.sort(key=lambda pair: written(pair[0]), reverse=True)
    scored.sort(key=lambda pair: -float_of(pair[1]))
    return [item for item, _ in scored]


def pairs_of(given: Any) -> list[tuple[Any, Any]] | None:
    """Give items with their numbers, from a dict or a Series of numbers; None for other things."""
    if isinstance(given, Mapping):
        return list(given.items())
    if hasattr(given, "columns"):
        raise UsageError(
            f"{type(given).__name__} is no list of items (fix: give {{item: number}}, or a list)"
        )
    if not hasattr(given, "index") or not callable(getattr(given, "items", None)):
        return None
    rows = list(given.items())
    return rows if rows and all(is_number(number) for _, number in rows) else None


def is_number(given: object) -> bool:
    """Tell whether something is a number, and no truth value."""
    return isinstance(given, (int, float, np.number)) and not isinstance(given, bool)


def drawn(answer: Answer, wanted: Collection[str], *, limit: int) -> list[str]:
    """Ask for results until all wanted items were seen, the system ends, or the limit is met.

    Examples
    --------
    >>> endless = (str(number) for number in range(10**9))
    >>> drawn(endless, {"3", "1"}, limit=100)
    ['0', '1', '2', '3']
    >>> letters = "abcdefgh"
    >>> drawn(lambda n: letters[:n], {"c"}, limit=100)
    Traceback (most recent call last):
    consilience.errors.UsageError: asked for 1 results, the system gave text (fix: give a list)
    >>> drawn(lambda n: list(letters[:n]), {"c"}, limit=100)
    ['a', 'b', 'c', 'd']
    """
    if not is_whole(limit) or limit < 1:
        raise UsageError(
            f"a limit is how many results to ask for, found {quote(limit)} (fix: 1000)"
        )
    if callable(answer):
        return _doubled(answer, set(wanted), limit)
    if isinstance(answer, (str, bytes)) or not isinstance(answer, Iterable):
        raise UsageError(
            f"{quote(type(answer).__name__)} cannot be asked for results "
            "(fix: give a list, an iterator, or a function of n)"
        )
    return _one_by_one(iter(in_order(answer)), set(wanted), limit)


def is_whole(given: object) -> bool:
    """Tell whether something is a whole number."""
    return isinstance(given, int) and not isinstance(given, bool)


def _one_by_one(answer: Iterator[str], lacking: set[str], limit: int) -> list[str]:
    found: dict[str, None] = {}
    while lacking and len(found) < limit:
        item = next(answer, _END)
        if item is _END:
            break
        check_items([item])
        if item in found:
            raise _twice(item)
        found[item] = None
        lacking.discard(item)
    return list(found)


def _doubled(answer: Callable[[int], First], wanted: set[str], limit: int) -> list[str]:
    found: list[str] = []
    n = min(max(len(wanted), 1), limit)
    while not wanted <= {*found}:
        more = answer(n)
        if isinstance(more, (str, bytes)):
            raise UsageError(f"asked for {n} results, the system gave text (fix: give a list)")
        now = listed(in_order(more))
        if now is None:
            gave = quote(type(more).__name__)
            raise UsageError(f"asked for {n} results, the system gave {gave} (fix: give a list)")
        _check_growth(found, now, n)
        found = now
        if len(now) < n or n == limit:
            break
        n = min(2 * n, limit)
    return found


def _check_growth(before: Sequence[str], now: Sequence[str], n: int) -> None:
    """See that a longer answer goes on where the shorter one ended."""
    if len(now) > n:
        raise UsageError(
            f"asked for {n} results, the system gave {len(now)} (fix: give the first n)"
        )
    if len(now) < len(before):
        raise UsageError(
            f"asked for {n} results, the system gave {len(now)}, fewer than the {len(before)} it "
            "gave before (fix: the first n results must include the first n − 1)"
        )
    for k, (old, new) in enumerate(zip(before, now, strict=False), start=1):
        if old != new:
            raise UsageError(
                f"asked for {n} results, the system put {quote(new)} at place {k}, where it had "
                f"{quote(old)} before (fix: the first n results must begin as the first n − 1)"
            )
    _check_once(now)


def check_items(items: Iterable[object]) -> None:
    """Refuse what cannot be the name of an item.

    Examples
    --------
    >>> check_items(["a", 7])
    >>> check_items(["a", ["b"]])
    Traceback (most recent call last):
    consilience.errors.UsageError: "['b']" is no item (fix: name items by text or whole numbers)
    """
    for item in items:
        if isinstance(item, (float, np.floating)) or is_missing(item) or not is_hashed(item):
            raise UsageError(f"{quote(item)} is no item (fix: name items by text or whole numbers)")


def _check_once(items: Sequence[str]) -> None:
    check_items(items)
    seen: set[str] = set()
    for item in items:
        if item in seen:
            raise _twice(item)
        seen.add(item)


def _twice(item: str) -> UsageError:
    return UsageError(f"the system returned {quote(item)} twice (fix: return every item once)")
