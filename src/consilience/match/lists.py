"""Two sides to compare, document by document, as they were written: in order, repeats and all.

A study holds every item once. A list that names an item twice says something, though: for soft
measures the two stand beside each other. So lists are made from the rows as they were read.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import EmptyError, InputError, Problems, UsageError, quote
from consilience.formats import (
    Source,
    check_mapping,
    files,
    recognise,
    roles,
    shapes,
)
from consilience.formats import read_sides as read_files_apart
from consilience.formats.boxes_text import has_blanks
from consilience.formats.folders import document, stems
from consilience.formats.naming import short_names
from consilience.formats.nothing import asked_alike
from consilience.formats.rows import ONLY_QUERY, Rows

if TYPE_CHECKING:
    from consilience.formats.box_layout import Layout

#: Document → its items.
Lists = dict[str, list[str]]
#: How many documents a message names.
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Sides:
    """What is compared: the items of each document on both sides.

    ``names`` are what gold and predicted are called, ``of`` what the items are (text, segments,
    boxes, tracks), ``tables`` the rows that they were made of, predicted ones first. Both sides
    have the same documents; ``notes`` say which ones were left out and why.
    """

    gold: Lists
    predicted: Lists
    names: tuple[str, str]
    of: str
    tables: tuple[Rows, ...]
    notes: tuple[str, ...]

    @property
    def sources(self) -> tuple[Source, ...]:
        """The files, gold first."""
        return tuple(dict.fromkeys(rows.source for rows in reversed(self.tables)))


def kind_of_files(
    gold: str | os.PathLike[str],
    predicted: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> str:
    """Tell from the beginning of two files what their items are: text, segments, boxes, tracks.

    A pipe can be read only once and is not looked at: its items are taken for text.
    """
    given = roles.by_role(columns or {})
    problems = Problems()
    kinds = []
    for path in (gold, predicted):
        if not (os.path.isfile(path) or os.path.isdir(path) or "*" in str(path)):
            continue
        found, _ = files.expand([path], problems)
        forms = (_form_of(file, given, encoding) for file in found)
        form = next((one for one in forms if one is not None), None)
        kinds += [] if form is None else [shapes.kind_of_form(form)]
    return kinds[0] if len({*kinds}) == 1 else "text"


def _form_of(path: Path, columns: Mapping[str, str], encoding: str | None) -> str | None:
    """Tell what a file is; None where it holds nothing, which may be nothing of any kind.

    Lines such as ``traffic light 0 0 10 10`` may be meant as boxes: other files tell, and the
    reader of boxes says what is wrong.
    """
    try:
        file = files.look(path, encoding=encoding)
    except EmptyError:
        return None
    first = file.head[:1000].strip()
    if first in (b"[]", b"{}") or has_blanks(first.split(b"\n")[0].decode(errors="replace")):
        return None
    return recognise.recognise(file, columns=columns).form


def read_sides(
    gold: str | os.PathLike[str],
    predicted: str | os.PathLike[str],
    *,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    names: Mapping[Path, str] | None = None,
    boxes: Layout | None = None,
    answers: str | None = None,
) -> Sides:
    """Read two files, or two folders with one list for each document.

    ``names`` tells what files are called that lie elsewhere than their owner knows: by path.
    ``boxes`` says what the four numbers of a line are in text files of boxes; ``answers`` says that
    lines are items, or that rows are lists.

    Examples
    --------
    >>> from consilience.examples import example
    >>> sides = read_sides(example("keyphrases-gold.csv"), example("keyphrases-gold.csv"))
    >>> len(sides.gold), sides.gold["4"], sides.of
    (60, ['telecom industry', 'insider investment'], 'text')
    """
    given = dict(columns or {})
    with columns_for_both():
        predictions, truth = read_files_apart(
            [predicted],
            truth=[gold],
            columns=given,
            truth_columns=given,
            answers=answers,
            encoding=encoding,
            lenient=True,
            empty=True,
            names=names,
            boxes=boxes,
        )
    found = [by_file(truth), by_file(predictions)]
    found = [asked_alike(found[0], found[1]), asked_alike(found[1], found[0])]
    if given:
        seen = [name for tables in found for rows in tables for name in rows.source.columns]
        check_mapping(roles.by_role(given), list(dict.fromkeys(seen)))
    return sides(*found)


@contextlib.contextmanager
def columns_for_both() -> Iterator[None]:
    """Let messages ask for the one mapping of columns that both sides have here."""
    try:
        yield
    except InputError as error:
        if not any("--truth-columns" in problem.fix for problem in error.problems):
            raise
        mended = [
            replace(problem, fix=problem.fix.replace("--truth-columns", "--columns"))
            for problem in error.problems
        ]
        raise InputError(mended, error.total) from None


def sides(gold: Sequence[Rows], predicted: Sequence[Rows]) -> Sides:
    """Make two sides of rows: the right answer, and what one system predicts."""
    kind = _same_kind(gold, predicted)
    names = _apart(_one(gold, "gold"), _one(predicted, "predicted"), gold, predicted)
    right, notes = _lists(gold, "gold")
    found, more = _lists(predicted, "predicted")
    right, found = _alone(right, found)
    notes += more + _joined(right, found) + _swapped(gold, predicted)
    return Sides(
        {name: right[name] for name in right},
        {name: found.get(name, []) for name in right},
        names,
        kind,
        (*predicted, *gold),
        tuple(notes),
    )


def _apart(
    one: str, other: str, gold: Sequence[Rows], predicted: Sequence[Rows]
) -> tuple[str, str]:
    """Tell two files of one name apart by their folders."""
    paths = [Path(tables[0].source.name) for tables in (gold, predicted)]
    if one != other or paths[0] == paths[1]:
        return one, other
    named = short_names(paths)
    return named[paths[0]], named[paths[1]]


def _swapped(gold: Sequence[Rows], predicted: Sequence[Rows]) -> list[str]:
    """Wonder whether the sides were named the wrong way round: scores are a system's."""
    scored = [any(rows.score is not None for rows in side) for side in (gold, predicted)]
    if scored != [True, False]:
        return []
    return ["gold has scores and the prediction has none: were the two files named in this order?"]


def by_file(tables: Sequence[Rows]) -> list[Rows]:
    """Take several files that know no documents for one document each, called by its file."""
    if len(tables) < 2 or any(rows.query.names != (ONLY_QUERY,) for rows in tables):
        return list(tables)
    whose = Path(
        os.path.commonpath([os.path.dirname(os.path.abspath(rows.source.name)) for rows in tables])
    ).name
    named = zip(tables, stems(tables), strict=True)
    return [document(rows, whose or rows.respondent.names[0], stem) for rows, stem in named]


def _same_kind(gold: Sequence[Rows], predicted: Sequence[Rows]) -> str:
    kinds = [
        dict.fromkeys(shapes.kind_of_form(rows.source.recognised) for rows in tables if len(rows))
        for tables in (gold, predicted)
    ]
    every = list(kinds[0] | kinds[1]) or ["text"]
    if len(every) > 1:
        said = " and ".join(
            f"{side} holds {', '.join(kind)}"
            for side, kind in zip(("gold", "predicted"), kinds, strict=True)
        )
        raise UsageError(f"{said} (fix: give items of one kind on both sides)")
    return every[0]


def _one(tables: Sequence[Rows], side: str) -> str:
    """Name the one respondent of a side."""
    names = list(dict.fromkeys(name for rows in tables for name in rows.respondent.names))
    if len(names) == 1:
        return names[0]
    who = ", ".join(map(quote, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
    if side == "predicted":
        fix = "compare them with: consilience rank PREDICTED --truth GOLD --match soft"
        raise UsageError(f"{len(names):,} systems answered: {who} (fix: {fix})")
    raise UsageError(
        f"gold holds the answers of {len(names):,}: {who} (fix: give the answers of one, "
        "or ask how far they agree: consilience agree GOLD)"
    )


def _lists(tables: Sequence[Rows], side: str) -> tuple[Lists, list[str]]:
    """Collect the items of each document, in the order of the rows."""
    made: Lists = {}
    left = 0
    for rows in tables:
        kept = _said_yes(rows)
        left += int((~kept).sum())
        for _, query in rows.asked:
            made.setdefault(query, [])
        for query in rows.query.names:
            made.setdefault(query, [])
        places = np.flatnonzero(kept)
        codes = rows.query.code[places].tolist()
        for code, item in zip(codes, rows.item.take(places), strict=True):
            made[rows.query.names[code]].append(item)
    what = "1 row" if left == 1 else f"{left:,} rows"
    note = f"{what} of {side} did not say yes (a vote, grade or label of 0, or none): left out"
    return made, [note] if left else []


def _said_yes(rows: Rows) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell which rows name an item that belongs to the list: no vote or grade says it does not."""
    kept = np.ones(len(rows), bool)
    for said in (rows.vote, rows.grade):
        if said is not None:
            kept &= np.nan_to_num(said) > 0
    return kept


def _alone(gold: Lists, predicted: Lists) -> tuple[Lists, Lists]:
    """Compare one list with one list, also where only one side names its document."""
    one, other = list(gold), list(predicted)
    if len(one) == len(other) == 1 and one != other and ONLY_QUERY in (one[0], other[0]):
        name = other[0] if one[0] == ONLY_QUERY else one[0]
        return {name: gold[one[0]]}, {name: predicted[other[0]]}
    return gold, predicted


def _joined(gold: Lists, predicted: Lists) -> list[str]:
    """See that the sides share documents, and say which ones they do not share."""
    if not gold.keys() & predicted.keys():
        raise UsageError(
            f"gold and predicted share no document: {_named('gold', gold)}; "
            f"{_named('predicted', predicted)} (fix: write the documents' names alike in both)"
        )
    notes = []
    unjudged = [name for name in predicted if name not in gold]
    if unjudged:
        notes.append(f"{_have(unjudged)} no gold: left out ({_some(unjudged)})")
    silent = [name for name in gold if name not in predicted]
    if silent:
        notes.append(
            f"{_have(silent)} no predictions: recall 0, precision undefined ({_some(silent)})"
        )
    return notes


def _named(side: str, lists: Lists) -> str:
    """Say which documents a side has."""
    return f"{side} names none" if list(lists) == [ONLY_QUERY] else f"{side} has {_some(lists)}"


def _have(names: Sequence[str]) -> str:
    return f"{len(names):,} document{' has' if len(names) == 1 else 's have'}"


def _some(names: Iterable[str]) -> str:
    every = list(names)
    shown = ", ".join(map(quote, every[:_SHOWN]))
    return f"{shown}, …" if len(every) > _SHOWN else shown
