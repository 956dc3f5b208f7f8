"""Boxes in the two JSON forms of COCO: a ground truth, and the results of a detector.

A ground truth is one object with ``images``, ``annotations`` (each with ``image_id``,
``category_id``, ``bbox`` and, where known, ``area`` and ``iscrowd``) and ``categories``. Results
are a list of objects with ``image_id``, ``category_id``, ``bbox`` and ``score``, or one such object
a line. Both name images and categories by their ids, and so do the items of a study; the names
that a ground truth knows stand beside.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import Problem, Problems, bad, quote
from consilience.formats import apart, documents
from consilience.formats.box_layout import keys_of
from consilience.formats.boxed import Boxes, fault, made
from consilience.formats.files import HEAD, stem_of
from consilience.formats.rows import Source

if TYPE_CHECKING:
    from consilience.formats.files import File

TRUTH, RESULTS, RESULT_LINES = "COCO ground truth", "COCO results", "COCO results, one a line"
_LIST = re.compile(r"\s*\[\s*(?=\{)")
_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?|[{}\[\]]')
#: A note for readers of rows; where names are shown it is left out.
BY_ID = "images and classes go by their ids, as results know them"
_FIX = "write bbox as [left, top, width, height]"


def form_of(text: str) -> tuple[str, str] | None:
    """Tell one of the forms from the beginning of a file, with the reason."""
    begin = text.lstrip("\ufeff \t\r\n")[:HEAD]
    if begin.startswith("["):
        first = begin[1:].lstrip()
        return (RESULTS, "a list of objects with image_id and bbox") if _is_result(first) else None
    if not begin.startswith("{"):
        return None
    if _is_result(begin):
        return RESULT_LINES, "objects with image_id and bbox, one a line"
    keys, whole = top_keys(begin)
    known = keys.keys() & {"images", "annotations", "categories", "info", "licenses"}
    if whole and "annotations" not in known:
        return None
    images, annotations, categories = (
        _first(begin, keys.get(key)) for key in ("images", "annotations", "categories")
    )
    tells = (
        "bbox" in annotations
        or ("id" in images and not apart.is_about_items(images, but=("id",)))
        or {"id", "supercategory"} <= categories.keys()
    )
    return (TRUTH, f"one JSON object with {', '.join(sorted(known))}") if tells else None


def _is_result(text: str) -> bool:
    """Tell whether text begins with an object that is a detection, not an answer about an image."""
    first = _object(text)
    if "image_id" not in first or not isinstance(first.get("bbox"), list):
        return False
    return not apart.is_about_items(first, but=("image_id", "id", "score"))


def _first(text: str, start: int | None) -> Mapping[str, Any]:
    """Read the first object of the list that begins somewhere in a text; an empty one for none."""
    found = None if start is None else _LIST.match(text, start)
    return {} if found is None else _object(text[found.end() :])


def _object(text: str) -> Mapping[str, Any]:
    """Read the object that a text begins with; an empty one where it does not."""
    try:
        first, _ = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return {}
    return first if isinstance(first, dict) else {}


def top_keys(text: str) -> tuple[dict[str, int], bool]:
    """Find the keys of the outermost object and where their values begin, as far as the text goes.

    Returns
    -------
    tuple
        The keys with the places of their values, and whether the text holds the whole object.

    Examples
    --------
    >>> top_keys('{"a": {"b": 1}, "c":2}')
    ({'a': 5, 'c': 20}, True)
    """
    depth, found = 0, {}
    for token in _TOKEN.finditer(text):
        mark = token.group()[0]
        if mark == '"':
            if depth == 1 and token.group(2):
                found[token.group(1)] = token.end()
        else:
            depth += 1 if mark in "{[" else -1
            if not depth:
                return found, True
    return found, False


def read(file: File, form: str, why: str) -> Boxes:
    """Read a ground truth or results."""
    if form == RESULT_LINES:
        return _of_lines(file, why)
    data = documents.load(file)
    return of_object(data, file.name, stem_of(file.called), why)


def of_object(data: Any, file: str, name: str, why: str = "") -> Boxes:
    """Read what a JSON document holds, or the same as Python's lists and dicts."""
    if isinstance(data, Mapping):
        return _of_truth(data, file, name, why)
    if isinstance(data, Sequence) and not isinstance(data, str):
        return _of_results(data, file, name, why, RESULTS)
    raise bad(file, None, f"{quote(data)} holds no boxes", "give COCO's ground truth or results")


def _of_lines(file: File, why: str) -> Boxes:
    problems = Problems()
    entries = []
    numbers = []
    for number, line in file.lines(problems):
        if not line.strip():
            continue
        try:
            entries.append(json.loads(line))
            numbers.append(number)
        except (ValueError, RecursionError):
            problems.add(Problem(file.name, number, "not JSON", "write one object a line"))
    problems.raise_any()
    return _of_results(entries, file.name, stem_of(file.called), why, RESULT_LINES, numbers=numbers)


def _of_results(
    entries: Sequence[Any],
    file: str,
    name: str,
    why: str,
    form: str,
    numbers: Sequence[int] | None = None,
) -> Boxes:
    boxes = _boxes(entries, file, numbers, "entry")
    scores = _scores(entries, file, numbers)
    return made(
        name,
        Source(file, form, why, len(entries)),
        image=[_id(entry["image_id"]) for entry in entries],
        box=boxes,
        label=[_id(entry.get("category_id", "")) for entry in entries],
        score=scores,
        by_id=True,
        locate=None if numbers is None else numbers.__getitem__,
    )


def _of_truth(data: Mapping[str, Any], file: str, name: str, why: str) -> Boxes:
    for key in ("images", "annotations"):
        if not isinstance(data.get(key), list):
            fix = "a ground truth has images, annotations and categories"
            raise bad(file, None, f"the list {quote(key)} is missing", fix)
    entries = data["annotations"]
    boxes = _boxes(entries, file, None, "annotation")
    images = _named(data["images"], "file_name", file, "image")
    classes = _named(_categories(data, file), "name", file, "category")
    _check_ids(entries, file, images, classes)
    sides = boxes[:, 2] * boxes[:, 3]
    pairs = zip(entries, sides.tolist(), strict=True)
    label = [_id(entry.get("category_id", "")) for entry in entries]
    further = [one for one in dict.fromkeys(label) if one not in classes]
    return made(
        name,
        Source(file, TRUTH, why, len(entries), notes=(BY_ID,) if entries else ()),
        image=[_id(entry["image_id"]) for entry in entries],
        box=boxes,
        label=label,
        score=_scores(entries, file, None),
        area=_areas(pairs, file),
        crowd=[bool(entry.get("iscrowd")) for entry in entries],
        images=tuple(images),
        classes=tuple(classes),
        image_names=tuple(images.values()),
        class_names=(*classes.values(), *further),
        listed=True,
        by_id=True,
        named_images=_are_named(data["images"], "file_name"),
        named_classes=bool(classes) and _are_named(_categories(data, file), "name"),
        sizes=_sizes(data["images"]),
    )


def _are_named(entries: Sequence[Mapping[str, Any]], key: str) -> bool:
    """Tell whether every one has a name beside its id."""
    return all(entry.get(key) not in (None, "") for entry in entries)


def _sizes(images: Sequence[Mapping[str, Any]]) -> dict[str, tuple[float, float]]:
    """Give the width and height of images by id and by name, where they are told."""
    found: dict[str, tuple[float, float]] = {}
    for entry in images:
        width, height = (_number(entry.get(key)) for key in ("width", "height"))
        if width and height and width > 0 and height > 0:
            names = (_id(entry["id"]), *keys_of(str(entry.get("file_name") or entry["id"])))
            found |= dict.fromkeys(names, (width, height))
    return found


def _categories(data: Mapping[str, Any], file: str) -> Sequence[Any]:
    held = data.get("categories") or []
    if not isinstance(held, list):
        fix = 'write "categories": [{"id": 1, "name": "cat"}]'
        raise bad(file, None, f"categories must be a list, found {quote(held)}", fix)
    return held


def _areas(pairs: Iterable[tuple[Mapping[str, Any], float]], file: str) -> list[float]:
    """Read areas; a box that gives none has that of its sides."""
    problems = Problems()
    found = []
    for place, (entry, side) in enumerate(pairs, start=1):
        given = entry.get("area")
        value = side if given is None else _number(given)
        if value is None or value < 0:
            said = f"annotation {place}: area must be a number from 0, found {quote(given)}"
            problems.add(Problem(file, None, said, "write pixels, or leave area out"))
        found.append(value or 0.0)
    problems.raise_any()
    return found


def _boxes(
    entries: Sequence[Any], file: str, numbers: Sequence[int] | None, what: str
) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Read the field bbox of all entries; what is wrong is told together."""
    problems = Problems()
    found = np.zeros((len(entries), 4))

    def note(place: int, why: str) -> None:
        line = None if numbers is None else numbers[place]
        where = f"{what} {place + 1}: " if numbers is None else ""
        problems.add(Problem(file, line, f"{where}{why}", _FIX))

    for place, entry in enumerate(entries):
        why = _into(found, place, entry)
        if why:
            note(place, why)
    wrong = fault(found)
    if wrong is not None:
        note(wrong[0], f"bbox {found[wrong[0]].tolist()} has {wrong[1]}")
    problems.raise_any()
    return found


def _into(found: np.ndarray[Any, np.dtype[np.float64]], place: int, entry: Any) -> str:
    """Read one box; say what is wrong with it."""
    if not isinstance(entry, Mapping):
        return f"expected an object, found {quote(entry)}"
    if "image_id" not in entry:
        return "image_id is missing"
    box = entry.get("bbox")
    numbers = isinstance(box, Sequence) and all(
        isinstance(v, (int, float)) and not isinstance(v, bool) for v in box
    )
    if not isinstance(box, Sequence) or not numbers or len(box) != 4:
        return f"bbox is not four numbers, found {quote(json.dumps(box, default=str))}"
    try:
        found[place] = box
    except OverflowError:
        return "bbox has a number that is not finite"
    return ""


def _scores(
    entries: Sequence[Mapping[str, Any]], file: str, numbers: Sequence[int] | None
) -> list[float] | None:
    """Read scores: all entries have one, or none has."""
    held = [entry.get("score") for entry in entries]
    if not any(value is not None for value in held):
        return None
    problems = Problems()
    scores = [_number(value) for value in held]
    for place, (value, score) in enumerate(zip(held, scores, strict=True)):
        if score is None:
            line = None if numbers is None else numbers[place]
            found = f"entry {place + 1}: score must be a number, found {quote(value)}"
            problems.add(Problem(file, line, found, "give all boxes a score, or none"))
    problems.raise_any()
    return [score for score in scores if score is not None]


def _named(entries: Sequence[Any], key: str, file: str, what: str) -> dict[str, str]:
    """Give id → name of images or categories, in the order of ids."""
    found: dict[str, str] = {}
    for place, entry in enumerate(entries, start=1):
        if not isinstance(entry, Mapping) or "id" not in entry:
            raise bad(file, None, f"{what} {place} has no id", "give every one an id")
        one = _id(entry["id"])
        if one in found:
            raise bad(file, None, f"two {what} entries have the id {one}", "ids are unique")
        found[one] = str(entry.get(key) or one)
    return {one: found[one] for one in in_order(found)}


def in_order(ids: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """Sort ids: as numbers where all are numbers, else as text.

    Examples
    --------
    >>> in_order(["10", "9"]), in_order(["b10", "b9"])
    (['9', '10'], ['b10', 'b9'])
    """
    try:
        return sorted(ids, key=int)
    except ValueError:
        return sorted(ids)


def _check_ids(
    entries: Sequence[Mapping[str, Any]],
    file: str,
    images: Mapping[str, str],
    classes: Mapping[str, str],
) -> None:
    problems = Problems()
    for place, entry in enumerate(entries, start=1):
        if _id(entry["image_id"]) not in images:
            found = f"annotation {place}: no image has the id {entry['image_id']}"
            problems.add(Problem(file, None, found, "list it in images"))
        if classes and _id(entry.get("category_id", "")) not in classes:
            found = f"annotation {place}: no category has the id {entry.get('category_id')}"
            problems.add(Problem(file, None, found, "list it in categories"))
    problems.raise_any()


def _id(value: object) -> str:
    """Write an id as text; 7.0 is 7."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _number(value: object) -> float | None:
    """Read a number; None where it is none, or not finite."""
    if not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return None
    return number if np.isfinite(number) else None
