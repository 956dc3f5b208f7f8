"""What the page Soft match computes: two lists as they were pasted, or two files."""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.errors import ConsilienceError, UsageError
from consilience.web.soft_choices import WORDS, Asked, check_size, lines, share

if TYPE_CHECKING:
    from fastapi import UploadFile

    from consilience.match.lists import Sides
    from consilience.store.connect import Database

Payload = dict[str, Any]

#: The largest file, in bytes; unpacked, both together are no more than twice that.
LARGEST = 5 << 20
#: How many comparisons go on at a time, and how many seconds others wait for their turn.
_AT_ONCE, _PATIENCE = 2, 30
_busy = threading.BoundedSemaphore(_AT_ONCE)
_SIDES = ("gold", "predicted")


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison: its payload, what was asked with the lists that files held, files by side."""

    payload: Payload
    asked: Asked
    files: dict[str, str]


def compared(asked: Asked) -> Compared | None:
    """Compare two lists as they were pasted; None where there is nothing yet."""
    if not asked.gold.strip() and not asked.predicted.strip():
        return None
    return Compared(_of_lists(asked), asked, {})


def compared_files(
    db: Database, asked: Asked, given: Mapping[str, Sequence[UploadFile]]
) -> Compared | None:
    """Compare two files, or a file with a list that was pasted.

    A file that holds one list of texts is put into the page as if it had been pasted.
    """
    from consilience.web.uploads import clear, put_aside

    _check_files(given)
    sent = [(side, one) for side in _SIDES for one in given[side]]
    folder, names = put_aside(db, [one for _, one in sent], most=2 * LARGEST)
    paths = dict(zip((side for side, _ in sent), names, strict=True))
    try:
        if len(paths) == 1:
            (side,) = paths
            return compared(_pasted(asked, side, _one_list(paths[side], names)))
        return _of_files(asked, paths, names)
    finally:
        clear(folder)


def _check_files(given: Mapping[str, Sequence[UploadFile]]) -> None:
    for side, some in given.items():
        if len(some) > 1:
            raise UsageError(f"{side}: {len(some)} files came (fix: one file a side)")
        for one in some:
            if (one.size or 0) > LARGEST:
                raise UsageError(
                    f"{side}: a file of {(one.size or 0) / (1 << 20):.0f} MB, at most "
                    f"{LARGEST >> 20} MB here (fix: the command line takes more: consilience soft)"
                )


def _one_list(path: Path, names: dict[Path, str]) -> list[str]:
    """Read the one list of a file, to be compared with one that was pasted."""
    sides = _read(path, path, names)
    if len(sides.gold) != 1:
        raise UsageError(
            f"{names[path]} holds {len(sides.gold):,} documents, and the other side is one list "
            "(fix: a file with the same documents on both sides)"
        )
    return next(iter(sides.gold.values()))


def _read(gold: Path, predicted: Path, names: dict[Path, str]) -> Sides:
    from consilience.match.lists import read_sides

    return read_sides(gold, predicted, names=names)


def _pasted(asked: Asked, side: str, items: list[str]) -> Asked:
    """Put the items of a file into the page."""
    if any("\n" in item for item in items):
        raise UsageError("an item has several lines (fix: give both sides as files)")
    change: dict[str, str] = {side: "\n".join(items)}
    return replace(asked, **change)


def _of_files(asked: Asked, paths: dict[str, Path], names: dict[Path, str]) -> Compared:
    sides = _read(paths["gold"], paths["predicted"], names)
    gold, predicted = ([one for some in side.values() for one in some] for side in _both(sides))
    check_size(asked, gold=gold, predicted=predicted)
    _check_kind(asked, sides)
    payload = _soft(asked, sides)
    single = len(sides.gold) == 1 and sides.of == "text"
    if single and not any("\n" in item for item in (*gold, *predicted)):
        filled = replace(asked, gold="\n".join(gold), predicted="\n".join(predicted))
        return Compared(payload, filled, {})
    files = {side: names[path] for side, path in paths.items()}
    return Compared(payload, replace(asked, gold="", predicted=""), files)


def _both(sides: Sides) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    return sides.gold, sides.predicted


def _check_kind(asked: Asked, sides: Sides) -> None:
    """See that segments, boxes and tracks are not compared letter by letter."""
    from consilience.verdict.soft import USUAL

    if sides.of != "text" and asked.similarity not in (*WORDS["shapes"], "exact"):
        raise UsageError(
            f"these files hold {sides.of} (fix: choose the similarity {USUAL[sides.of]}; measures "
            "of their own are on the command line: consilience soft)"
        )


@functools.lru_cache(maxsize=16)
def _of_lists(asked: Asked) -> Payload:
    """Compare pasted lists; what was just computed is not computed again."""
    gold, predicted = lines(asked.gold), lines(asked.predicted)
    check_size(asked, gold=gold, predicted=predicted)
    return _soft(asked, gold, predicted)


def _soft(asked: Asked, *sides: Any) -> Payload:
    from consilience.match.text import Wording
    from consilience.verdict.soft import soft

    given: dict[str, Any] = {name: getattr(asked, name) or None for name in ("variant", "mode")}
    given["floor"] = share(asked.floor, "floor") if asked.floor.strip() else None
    given["threshold"] = share(asked.threshold, "threshold")
    words: dict[str, Any] = {name: getattr(asked, name) for name in ("unicode", "case", "space")}
    wording = Wording(**words)
    if not _busy.acquire(timeout=_PATIENCE):
        raise ConsilienceError("other comparisons are still being computed (fix: try again)")
    try:
        result = soft(*sides, similarity=asked.named(), wording=wording, **given)
        payload = result.payload()
    finally:
        _busy.release()
    if result.settings.wording is None and wording != Wording() and payload["of"] != "text":
        raise UsageError(
            f"{asked.similarity} compares no text (fix: leave accents, capitals, blanks as usual)"
        )
    return payload
