"""Where things of a category tree are drawn: the order of rows, the places of nodes.

A tree is taken as it is in a result: categories with parents first, and the parents of each. Where
a category has several parents it is placed under the first one, and linked to all.
"""

from __future__ import annotations

from math import log2
from typing import Any

from consilience.render.words import Payload, plain

#: What indents a name by one level: in tables, and in charts.
DOT, SPACE = "· ", "\u2003"
#: Before spaces this keeps them from being dropped at the start of a label.
KEEP = "\u200b"


def indented(category: str, payload: Payload, sign: str = DOT) -> str:
    """Write a name behind one sign for each level above it.

    Examples
    --------
    >>> indented("dogs", {"depth": {"dogs": 2}})
    '· · dogs'
    """
    levels = int(payload["depth"].get(category, 0))
    return (KEEP if sign == SPACE else "") + sign * levels + plain(category)


def direct_sizes(payload: Payload) -> dict[str, float]:
    """Add up, for each category, the shares of the answers that named just it.

    Examples
    --------
    >>> direct_sizes({"categories": ["a", "b"], "direct": {"x": {"a": 0.5}, "y": {"a": 1.0}}})
    {'a': 1.5, 'b': 0.0}
    """
    sums = dict.fromkeys(payload["categories"], 0.0)
    for shares in payload["direct"].values():
        for category, p in shares.items():
            if p and category in sums:
                sums[category] += p
    return sums


def entropy(shares: Payload) -> float:
    """Measure how far the answers about one item are spread, in bits.

    Examples
    --------
    >>> entropy({"a": 0.5, "b": 0.5}), entropy({"a": 1.0})
    (1.0, 0.0)
    """
    return float(sum(p * log2(1 / p) for p in shares.values() if p))


def uncertain_first(payload: Payload) -> list[str]:
    """Order the items: those whose answers are spread most come first, then by name."""
    direct = payload["direct"]
    return sorted(direct, key=lambda item: (-round(entropy(direct[item]), 12), str(item)))


def walk(payload: Payload) -> list[str]:
    """Order the categories for rows: each one before its children, siblings as they are given.

    Examples
    --------
    >>> parents = {"a": [], "b": [], "c": ["a"], "d": ["b"]}
    >>> walk({"categories": ["a", "b", "c", "d"], "parents": parents})
    ['a', 'c', 'b', 'd']
    """
    below = children(payload)
    roots = [c for c in payload["categories"] if not payload["parents"].get(c)]
    order: list[str] = []
    ahead = roots[::-1]
    while ahead:
        category = ahead.pop()
        order.append(category)
        ahead += below[category][::-1]
    return order


def upper(payload: Payload, most: int) -> list[str]:
    """Choose so many categories at most.

    Where there are more, those that hold nothing are left out; then the lower levels; and where
    there are too many roots, all but the largest.

    Examples
    --------
    >>> parents = {"a": [], "b": ["a"], "c": ["b"], "d": ["b"]}
    >>> given = {"categories": list(parents), "parents": parents, "size": dict.fromkeys("abcd", 1)}
    >>> given["depth"] = {"a": 0, "b": 1, "c": 2, "d": 2}
    >>> upper(given, 4), upper(given, 3)
    (['a', 'b', 'c', 'd'], ['a', 'b'])
    """
    order, depth = walk(payload), payload["depth"]
    if len(order) <= most:
        return order
    order = [category for category in order if payload["size"][category]]
    if len(order) <= most:
        return order
    for level in sorted(set(depth.values()), reverse=True):
        held = [category for category in order if depth[category] <= level]
        if len(held) <= most:
            return held
    largest = sorted(order, key=lambda category: -payload["size"][category])[:most]
    return [category for category in order if category in set(largest)]


def left_out(payload: Payload, most: int) -> str:
    """Say which categories :func:`upper` leaves out; nothing where it leaves none.

    Examples
    --------
    >>> given = {"categories": ["a", "b"], "parents": {}, "depth": {"a": 0, "b": 0}}
    >>> left_out({**given, "size": {"a": 1.0, "b": 0.0}}, 1)
    '1 of 2 categories is shown: the others hold nothing'
    """
    every, kept = len(payload["categories"]), upper(payload, most)
    if len(kept) == every:
        return ""
    filled = sum(1 for category in payload["categories"] if payload["size"][category])
    said = f"{len(kept)} of {every:,} categories {'is' if len(kept) == 1 else 'are'} shown: "
    return said + ("the others hold nothing" if len(kept) == filled else "those higher up")


def pruned(payload: Payload, most: int) -> dict[str, Any]:
    """Leave of a tree only so many categories; items and sizes stay as they are."""
    kept = upper(payload, most)
    held = set(kept)
    above = {c: [a for a in payload["parents"].get(c) or [] if a in held] for c in kept}
    return {**payload, "categories": kept, "parents": above}


def children(payload: Payload) -> dict[str, list[str]]:
    """List what stands below each category; of several parents the first one counts."""
    below: dict[str, list[str]] = {category: [] for category in payload["categories"]}
    for category in payload["categories"]:
        above = payload["parents"].get(category) or []
        if above:
            below[above[0]].append(category)
    return below


def places(payload: Payload) -> dict[str, tuple[int, float]]:
    """Place each category: its level, and its height among the leaves.

    Leaves are counted from the top; a category stands in the middle of its children.

    Examples
    --------
    >>> parents = {"a": [], "b": ["a"], "c": ["a"]}
    >>> places({"categories": ["a", "b", "c"], "parents": parents})
    {'b': (1, 0.0), 'c': (1, 1.0), 'a': (0, 0.5)}
    """
    below, order = children(payload), walk(payload)
    level: dict[str, int] = {}
    for category in order:
        above = payload["parents"].get(category) or []
        level[category] = level[above[0]] + 1 if above else 0
    found: dict[str, tuple[int, float]] = {}
    leaves = [category for category in order if not below[category]]
    for height, category in enumerate(leaves):
        found[category] = (level[category], float(height))
    for category in reversed(order):
        if below[category]:
            ends = [found[child][1] for child in (below[category][0], below[category][-1])]
            found[category] = (level[category], sum(ends) / 2)
    return found
