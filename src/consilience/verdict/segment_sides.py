"""From a study, lists or files to the two sides that are compared: gold and predicted segments."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import InputError, Problems, UsageError, quote
from consilience.formats import Kind, Rows, read_files
from consilience.formats.nothing import asked_alike
from consilience.formats.regions import Region
from consilience.formats.segment_text import as_text, columns_of
from consilience.given import listed
from consilience.measures.durations import Spans
from consilience.study import Study, build
from consilience.study import study as make_study
from consilience.study.subset import without_models

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Answers

_LISTS = "give [(start, end, class), …], or a dict from recording to such lists"
_BOTH = "cs.segments(gold, predicted), or a study made with cs.read(predicted, truth=gold)"


@dataclass(frozen=True, slots=True)
class Sides:
    """Gold and predicted segments of the recordings that are scored.

    ``names`` are the classes, numbered alike on both sides; ``texts`` are the segments as they
    stand in the study, gold and predicted.
    """

    study: Study
    documents: tuple[str, ...]
    names: tuple[str, ...]
    gold: Spans
    predicted: Spans
    texts: tuple[Sequence[str], Sequence[str]]
    who: tuple[str, str]
    notes: tuple[str, ...]


def study_of(gold: Any, predicted: Any, encoding: str | None = None) -> Study:
    """Take what the user gives for both sides as a study."""
    if isinstance(gold, Study):
        if predicted is not None:
            raise UsageError(f"a study holds both sides (fix: {_BOTH})")
        return gold
    if predicted is None:
        raise UsageError(f"segments are compared with segments (fix: {_BOTH})")
    paths = [isinstance(one, (str, os.PathLike)) for one in (gold, predicted)]
    if all(paths):
        return _of_files(gold, predicted, encoding)
    if any(paths):
        raise UsageError("one side is a file, the other is not (fix: name two files)")
    sides = [_by_recording(one) for one in (gold, predicted)]
    named = dict.fromkeys(name for side in sides for name in side) or {"all": None}
    sides = [side or {name: [] for name in named} for side in sides]
    return make_study({"predicted": sides[1]}, truth={"gold": sides[0]}, duplicates="each")


def _of_files(gold: Any, predicted: Any, encoding: str | None) -> Study:
    """Read two files; one that holds no segment says so of every recording of the other."""
    named: tuple[tuple[Any, Kind], ...] = ((gold, "gold"), (predicted, "system"))
    read: list[list[Rows]] = []
    problems = Problems()
    for path, kind in named:
        try:
            read.append(read_files([path], kind=kind, encoding=encoding, empty=True))
        except InputError as error:
            problems.merge(error)
    problems.raise_any()
    right, found = read
    tables = [*asked_alike(found, right), *asked_alike(right, found)]
    return build(tables, duplicates="each")


def _by_recording(given: Any) -> dict[str, list[str]]:
    if isinstance(given, Mapping):
        return {str(name): _texts(some) for name, some in given.items()}
    return {"all": _texts(given)}


def _texts(given: Any) -> list[str]:
    segments = listed(given)
    if segments is None:
        raise UsageError(f"{quote(given)} is no list of segments (fix: {_LISTS})")
    read = columns_of(segments)
    names = [read.names[code] for code in read.label]
    times = zip(read.start.tolist(), read.end.tolist(), names, strict=True)
    return [as_text(*one) for one in times]


def sides_of(study: Study, region: Region | None) -> Sides:
    """Take the two sides out of a study: gold, and the one system."""
    gold, predicted = _who(study)
    lists = [_rows(study.evidence, gold), _rows(study.answers, predicted)]
    scored, notes = _scored(study, lists, region)
    place = np.full(len(study.queries), -1)
    place[scored] = np.arange(len(scored))
    spans, texts, every = [], [], dict[str, int]()
    for _, query, item in lists:
        known = place[query] >= 0
        text = study.items.names(item[known])
        columns = columns_of(text)
        code = np.array([every.setdefault(name, len(every)) for name in columns.names], np.int64)
        label = code[columns.label] if len(code) else np.zeros(0, np.int64)
        spans.append(Spans(place[query[known]], label, columns.start, columns.end))
        texts.append(text)
    names = study.respondents.names
    return Sides(
        study,
        tuple(study.queries[query] for query in scored),
        tuple(every) or ("",),
        spans[0],
        spans[1],
        (texts[0], texts[1]),
        (names[gold], names[predicted]),
        tuple(notes),
    )


def _who(study: Study) -> tuple[int, int]:
    """Find the respondent that is the truth, and the system."""
    systems = study.respondents.of_kind("system").tolist()
    others = np.unique(without_models(study).evidence.respondent).tolist()
    found = ", ".join(map(quote, study.systems)) or "none"
    if len(systems) != 1:
        raise UsageError(f"one system is compared, found {found} (fix: {_BOTH})")
    if len(others) != 1:
        raise UsageError(f"one side must be gold, found {len(others)} of that kind (fix: {_BOTH})")
    return others[0], systems[0]


def _rows(
    answers: Answers, who: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]:
    """Give a respondent's queries, and the query and item of each of its answers that says yes."""
    mine = np.flatnonzero(answers.respondent == who)
    row = np.concatenate([np.arange(*answers.starts[one : one + 2]) for one in mine] or [mine])
    row = row.astype(np.int64)
    for said in (answers.vote, answers.grade):
        if said is not None:
            row = row[~(said[row] <= 0)]
    query = answers.query[np.searchsorted(answers.starts, row, side="right") - 1]
    return answers.query[mine].astype(np.int64), query.astype(np.int64), answers.item[row]


def _scored(
    study: Study, lists: Sequence[tuple[Any, ...]], region: Region | None
) -> tuple[list[int], list[str]]:
    """Tell the recordings that are scored: those that gold mentions, or that the region names."""
    gold, predicted = set(lists[0][0].tolist()), set(lists[1][0].tolist())
    if gold and predicted and not gold & predicted:
        theirs, ours = (quote(study.queries[min(one)]) for one in (gold, predicted))
        raise UsageError(
            f"truth and predictions have no recording in common: {theirs} in the truth, {ours} in "
            "the predictions (fix: call recordings the same)"
        )
    notes = []
    if region is not None and None not in region:
        named = {code for code, name in enumerate(study.queries) if name in region}
        if not named:
            first = ", ".join(quote(name) for name in [*region][:3])
            raise UsageError(
                f"the region names {first}, and no recording is called so (fix: one of "
                f"{', '.join(map(quote, study.queries[:3]))})"
            )
        notes += _told(gold - named, study, "not scored: the region does not name")
        gold = named
    notes += _told(predicted - gold, study, "not scored: gold does not mention")
    notes += _told(gold - predicted, study, "nothing was predicted for")
    return sorted(gold), notes


def _told(some: set[int], study: Study, what: str) -> list[str]:
    if not some:
        return []
    names = [study.queries[code] for code in sorted(some)]
    more = f" and {len(names) - 3:,} others" if len(names) > 3 else ""
    return [f"{what} {', '.join(names[:3])}{more}"]


def region_spans(sides: Sides, region: Region | None) -> Spans:
    """Give the scored time of each recording: the region, or from its first start to last end."""
    count = len(sides.documents)
    if region is None:
        low, high = np.full(count, np.inf), np.full(count, -np.inf)
        for side in (sides.gold, sides.predicted):
            np.minimum.at(low, side.document, side.start)
            np.maximum.at(high, side.document, side.end)
        some = np.flatnonzero(high > low)
        return Spans(some, np.zeros_like(some), low[some], high[some])
    rows = [
        (place, 0, start, end)
        for place, name in enumerate(sides.documents)
        for start, end in region.get(name, region.get(None, []))
    ]
    return Spans.of(rows)
