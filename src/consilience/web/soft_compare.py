"""What the page Soft match computes: two lists as they were pasted, or two files."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.errors import UsageError
from consilience.match.names import similarity_by_name
from consilience.web.soft_choices import WORDS, Asked, lines, share
from consilience.web.soft_quick import watched
from consilience.web.soft_turns import Check, Turns
from consilience.web.soft_work import ENOUGH, MORE, check_size

if TYPE_CHECKING:
    from fastapi import UploadFile

    from consilience.match.lists import Sides
    from consilience.store.connect import Database

Payload = dict[str, Any]

#: The largest file, in bytes; unpacked, both together are no more than twice that.
LARGEST = 5 << 20
#: Comparisons are computed apart from what answers requests.
TURNS = Turns(at_once=2, waiting=8, patience=1.0)
#: So many comparisons of pasted lists stay in memory.
KEPT = 16
_SIDES = ("gold", "predicted")


@dataclass(frozen=True, slots=True)
class Compared:
    """A comparison: its payload, what was asked with the lists that files held, files by side."""

    payload: Payload
    asked: Asked
    files: dict[str, str]


def compared(asked: Asked, *, page: str = "") -> Compared | None:
    """Compare two lists as they were pasted; None where there is nothing yet.

    What ``page`` asked before is not computed any more.
    """
    if not asked.gold.strip() and not asked.predicted.strip():
        return None
    return Compared(_of_lists(asked, page), asked, {})


def compared_files(
    db: Database, asked: Asked, given: Mapping[str, Sequence[UploadFile]], *, page: str = ""
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
            return compared(_pasted(asked, side, _one_list(paths[side], names)), page=page)
        return _of_files(asked, paths, names, page)
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


def _of_files(asked: Asked, paths: dict[str, Path], names: dict[Path, str], page: str) -> Compared:
    sides = _read(paths["gold"], paths["predicted"], names)
    gold, predicted = ([one for some in side.values() for one in some] for side in _both(sides))
    check_size(asked, *(list(side.values()) for side in _both(sides)))
    _check_kind(asked, sides)
    payload = _soft(asked, page, sides)
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


_kept: OrderedDict[Asked, Payload] = OrderedDict()
_keeping = threading.Lock()


def _of_lists(asked: Asked, page: str) -> Payload:
    """Compare pasted lists; what was just computed is not computed again."""
    with _keeping:
        if asked in _kept:
            _kept.move_to_end(asked)
            return _kept[asked]
    gold, predicted = lines(asked.gold), lines(asked.predicted)
    check_size(asked, [gold], [predicted])
    payload = _soft(asked, page, gold, predicted)
    with _keeping:
        _kept[asked] = payload
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return payload


def _soft(asked: Asked, page: str, *sides: Any) -> Payload:
    from consilience.match.text import Wording

    words: dict[str, Any] = {name: getattr(asked, name) for name in ("unicode", "case", "space")}
    wording = Wording(**words)
    compute = functools.partial(_computed, asked, wording, sides)
    most = 2 * MORE.get(asked.similarity, ENOUGH)  # more than was expected of these lists
    payload, of_text = TURNS.take(compute, page=page, most=most)
    if not of_text and wording != Wording() and payload["of"] != "text":
        raise UsageError(
            f"{asked.similarity} compares no text (fix: leave accents, capitals, blanks as usual)"
        )
    return payload


def _computed(
    asked: Asked, wording: Any, sides: tuple[Any, ...], check: Check
) -> tuple[Payload, bool]:
    """Compare, as long as somebody waits for it; also tell whether texts were made alike."""
    from consilience.verdict.soft import soft

    given: dict[str, Any] = {name: getattr(asked, name) or None for name in ("variant", "mode")}
    given["floor"] = share(asked.floor, "floor") if asked.floor.strip() else None
    given["threshold"] = share(asked.threshold, "threshold")
    similarity = watched(similarity_by_name(asked.named()), check)
    result = soft(*sides, similarity=similarity, wording=wording, **given)
    return result.payload(), result.settings.wording is not None
