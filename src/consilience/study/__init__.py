"""One study of who said what, built only through checks.

:func:`read` makes it from files, :func:`study` from what Python users hold.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from consilience import formats
from consilience.columns import let_go
from consilience.errors import UsageError, quote
from consilience.formats.answer_kinds import answer_kind as kind_of_answers
from consilience.formats.answer_kinds import beside_truth, not_mapped, truth_mapping
from consilience.formats.objects import check_votes
from consilience.formats.refused import check_files, check_sides
from consilience.formats.roles import checked
from consilience.study.build import build
from consilience.study.condition import Condition, condition
from consilience.study.model import Answers, Items, Respondents, Study
from consilience.study.models import models_vote
from consilience.study.repeats import DUPLICATES, Duplicates

if TYPE_CHECKING:
    from consilience.formats.box_layout import Layout

__all__ = [
    "DUPLICATES",
    "Answers",
    "Condition",
    "Duplicates",
    "Items",
    "Respondents",
    "Study",
    "build",
    "condition",
    "read",
    "study",
]

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def read(
    files: Paths,
    *,
    truth: Paths = (),
    columns: Mapping[str, str] | None = None,
    truth_columns: Mapping[str, str] | None = None,
    answers: str | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "error",
    universe: int | None = None,
    labels: bool = False,
    boxes: Layout | None = None,
) -> Study:
    """Read files into a study.

    Parameters
    ----------
    files
        The systems' answers: files, folders or globs. Forms are recognised by content.
    truth
        Files with the truth or the judges' answers.
    columns
        Role → column name, where a table's column names do not say what they hold. What it says
        of queries, items and grades holds for the truth, too, where nothing else is said of that.
    truth_columns
        The same of the truth's columns; ``columns`` are then those of the answers alone.
    answers
        The kind of answers, where it is not to be recognised: "lines" (every line of a text file
        is an item), "lists" (a score orders a list of items, though no column names queries) or
        "votes" (numbers between 0 and 1 are shares of a vote).
    encoding
        The text encoding, where it is not UTF-8.
    duplicates
        What to do when a respondent answers the same item twice, differently: "error", or
        the "first" or "last" answer counts; "each" makes every mention an item of its own
        (multisets: the second mention here meets the second mention there).
    universe
        How many items each query chooses from; None: those that somebody mentioned.
    labels
        Whether all respondents are annotators, as :func:`consilience.agree` takes them: labels
        may be text or grades, also in the columns of a wide table.
    boxes
        What the four numbers of a line are in text files of boxes: ``"corners"``, ``"sizes"`` or
        ``"centres"``; None: what fits, as :func:`consilience.read_boxes` says.

    Raises
    ------
    InputError
        With every problem of every file: place, what was found, what to do.

    Examples
    --------
    >>> import consilience as cs
    >>> cs.read(cs.example("airplanes.csv"))
    <Study: 1 systems, 1 queries, 10 items, 10 answers, truth complete>
    """
    made = build(
        _tables(
            files,
            truth,
            columns=checked(columns),
            truth_columns=checked(truth_columns),
            answers=answers,
            encoding=encoding,
            labels=labels,
            boxes=boxes,
        ),
        duplicates=duplicates,
        universe=universe,
    )
    return _told(made, labels)


def _tables(files: Any, truth: Any, *, labels: bool, **options: Any) -> list[formats.Rows]:
    """Read files; nobody else holds the tables, so that their memory is free once they are used."""
    tables = formats.read_files(
        _paths(files),
        truth=_paths(truth),
        kind="person" if labels else "system",
        labels=labels,
        **options,
    )
    let_go()
    return tables


def _told(study: Study, labels: bool) -> Study:
    """Note that language models vote; whoever asks how far annotators agree needs no such note."""
    note = None if labels else models_vote(study)
    return study if note is None else replace(study, notes=(*study.notes, note))


def _paths(given: Any) -> list[str | os.PathLike[str]]:
    several = isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping))
    listed = list(given) if several and not hasattr(given, "columns") else [given]
    for path in listed:
        if not isinstance(path, (str, os.PathLike)):
            raise UsageError(
                f"{quote(type(path).__name__)} is not the name of a file (fix: name files here; "
                "frames, dicts and arrays go to consilience.study)"
            )
    return listed


def study(
    answers: Any,
    *,
    truth: Any = None,
    columns: Mapping[str, str] | None = None,
    truth_columns: Mapping[str, str] | None = None,
    answer_kind: str | None = None,
    duplicates: Duplicates = "error",
    universe: int | None = None,
    labels: bool = False,
) -> Study:
    """Make a study of what Python users hold.

    Parameters
    ----------
    answers
        A frame (pandas, polars, pyarrow, …) or dict of columns in long or wide form;
        ``{query: {item: score}}`` or ``{query: [item, …]}`` of one system; ``{system: …}`` of
        several; an array of votes (items × systems).
    truth
        The same for the truth: ``{query: {item: grade}}``, a frame, a path.
    columns, truth_columns, duplicates, universe, labels
        As in :func:`read`.
    answer_kind
        The kind of answers, as ``answers`` in :func:`read`.

    Examples
    --------
    >>> study({"bm25": {"q1": {"d1": 2.5, "d2": 1.5}}}, truth={"q1": {"d2": 1, "d1": 0}})
    <Study: 1 systems, 1 queries, 2 items, 2 answers, truth complete>
    """
    asked = kind_of_answers(answer_kind)
    columns, truth_columns = checked(columns), checked(truth_columns)
    if asked is None and not labels:
        check_votes(answers, name="answers", kind="system")
    kind = beside_truth(asked, truth=truth is not None)
    tables = formats.read_object(
        answers,
        name="answers",
        kind="person" if labels else "system",
        columns=columns,
        answers=kind,
        labels=labels,
    )
    if not labels:
        check_files(tables, kind)
    judged: list[formats.Rows] = []
    if truth is not None:
        mapped = truth_mapping(columns or {}, truth_columns, _columns(tables))
        judged = formats.read_object(
            truth, name="truth", kind="gold", columns=mapped, answers=answer_kind, labels=labels
        )
        judged = [
            _noted(rows, not_mapped(columns or {}, mapped, _columns([rows]))) for rows in judged
        ]
    formats.check_mappings(columns or {}, truth_columns, _columns(tables), _columns(judged))
    if not labels:
        check_sides(tables, judged, kind)
    tables += judged
    return _told(build(tables, duplicates=duplicates, universe=universe), labels)


def _columns(tables: list[formats.Rows]) -> list[str]:
    return list(dict.fromkeys(column for rows in tables for column in rows.source.columns))


def _noted(rows: formats.Rows, notes: list[str]) -> formats.Rows:
    source = rows.source
    return replace(rows, source=replace(source, notes=(*source.notes, *notes)))


class _Room(ModuleType):
    """The module, callable: Python puts it in the place of the function ``consilience.study``.

    Whoever imports a submodule binds it to its parent, under the function's name.
    """

    __call__ = staticmethod(study)


sys.modules[__name__].__class__ = _Room
