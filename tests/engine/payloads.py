"""Two results side by side, number by number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: What differs between engines by its nature.
NATURE = ("/id", "/created", "/input_hash", "/engine")


def leaves(found: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Give every single value with the path that leads to it."""
    if isinstance(found, dict):
        for key, value in found.items():
            yield from leaves(value, f"{path}/{key}")
    elif isinstance(found, list):
        yield f"{path}#", len(found)
        for place, value in enumerate(found):
            yield from leaves(value, f"{path}/{place}")
    else:
        yield path, found


def differences(one: Any, other: Any, *, leaving: tuple[str, ...] = ()) -> list[Any]:
    """Give what differs by more than 1e-9, but for paths that begin in some way."""
    ours, theirs = dict(leaves(one)), dict(leaves(other))
    found = []
    for path in sorted(ours.keys() | theirs.keys()):
        a, b = ours.get(path, "nothing"), theirs.get(path, "nothing")
        if path.startswith((*NATURE, *leaving)):
            continue
        if isinstance(a, float) and isinstance(b, (int, float)):
            if abs(a - b) > 1e-9:
                found.append((path, a, b))
        elif a != b:
            found.append((path, a, b))
    return found
