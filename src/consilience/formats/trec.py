"""TREC runs and judgments (qrels): what their lines mean.

A run line is ``query Q0 item rank score tag``, a judgment line ``query iteration item grade``,
fields parted by any white space. The rank may be missing (``-``, or five fields), the tag too;
then the file's name stands for it. Scores order a list; ranks are kept but do not (trec_eval's
rule). A negative grade means "pooled, but not judged".

:func:`read_lines` defines what a file means and finds every problem with its line. Well-formed
files are read by its fast twin, :func:`consilience.formats.trec_fast.read_fast`; tests compare
the two.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes, Text
from consilience.errors import Problem, Problems, bad, quote
from consilience.formats.files import NUL, stem_of
from consilience.formats.roles import FINITE_FIX, is_boundless
from consilience.formats.rows import Kind, Rows, Silence, Source
from consilience.formats.trec_fast import QRELS, RUN, Form, read_fast

if TYPE_CHECKING:
    from consilience.formats.files import File

_NO_RANK = ("-", "NA", "nan")
#: What is said of scores that contradict the ranks beside them.
_RISES = (
    "scores rise from rank to rank: they order the lists, the highest first, as in trec_eval "
    "(write distances as negative numbers)"
)
#: So many lines may well be of as many runs.
_FEW = 4


def read(file: File, form: Form, *, kind: Kind, why: str) -> Rows:
    """Read a run or a file of judgments, the fast way where possible."""
    columns = read_fast(file, form)
    if columns is None:
        columns = read_lines(file, form)
    return _rows(file, form, columns, kind=kind, why=why)


def read_lines(file: File, form: Form) -> dict[str, Any]:
    """Read line by line, gather every problem, and raise them together.

    Returns the columns by name; ``rank`` and ``tag`` hold None where a line has none.
    """
    names = RUN if form == "TREC run" else QRELS
    columns: dict[str, list[Any]] = {name: [] for name in names if name not in ("q0", "iteration")}
    problems = Problems()
    for number, line in file.lines(problems):
        fields = line.split()
        if not fields:
            continue
        found = _run_line(fields) if form == "TREC run" else _qrels_line(fields)
        if "\0" in line:
            found = NUL
        if isinstance(found, tuple):
            problems.add(Problem(file.name, number, *found))
        else:
            for name, value in found.items():
                columns[name].append(value)
    problems.raise_any()
    return columns


def _run_line(fields: Sequence[str]) -> dict[str, Any] | tuple[str, str]:
    shape = "query Q0 item rank score tag"
    if len(fields) == 5:  # either the rank or the tag is missing
        tagged = _number(fields[4]) is None
        fields = [*fields[:3], "-", *fields[3:]] if tagged else [*fields, ""]
    if len(fields) != 6:
        return f"expected 6 fields ({shape}), found {len(fields)}", "one line per item, as shown"
    query, _, item, rank, score, tag = fields
    if rank not in _NO_RANK and _whole(rank) is None:
        return f"rank must be a whole number, found {quote(rank)}", "write its position, or -"
    value = _finite(score)
    if value is None and is_boundless(score):
        return f"score must be finite, found {quote(score)}", FINITE_FIX
    if value is None:
        return f"score must be a number, found {quote(score)}", "write a number such as 12.5"
    position = None if rank in _NO_RANK else _whole(rank)
    return {"query": query, "item": item, "rank": position, "score": value, "tag": tag or None}


def _qrels_line(fields: Sequence[str]) -> dict[str, Any] | tuple[str, str]:
    if len(fields) != 4:
        shape = "query iteration item grade"
        return (
            f"expected 4 fields ({shape}), found {len(fields)}",
            "one line per judgment, as shown",
        )
    query, _, item, grade = fields
    value = _finite(grade)
    if value is None:
        return f"grade must be a number, found {quote(grade)}", "write a grade such as 0, 1 or 2"
    return {"query": query, "item": item, "grade": value}


def _number(text: str) -> float | None:
    try:
        return float(text) if "_" not in text else None
    except ValueError:
        return None


def _finite(text: str) -> float | None:
    value = _number(text)
    return value if value is not None and math.isfinite(value) else None


def _whole(text: str) -> int | None:
    value = _number(text)
    return int(value) if value is not None and abs(value) < 2**53 and value == int(value) else None


def _rows(file: File, form: Form, columns: dict[str, Any], *, kind: Kind, why: str) -> Rows:
    """Make rows of the columns of either reader."""
    query, item = columns["query"], columns["item"]
    query = query if isinstance(query, Codes) else Codes.of(query)
    item = item if isinstance(item, Text) else Text.of(item)
    stem = stem_of(file.called)
    lines = functools.cache(lambda: _row_lines(file))
    rank = columns.get("rank")
    notes: list[str] = []
    if isinstance(rank, list):
        missing = sum(position is None for position in rank)
        notes += [f"{missing:,} lines without a rank (ranks are not used: scores order)"] * bool(
            missing
        )
        rank = None if missing else np.array(rank, np.int64)
    if form == "TREC run":
        tags = columns["tag"]
        respondent = tags if isinstance(tags, Codes) else Codes.of(tag or stem for tag in tags)
        notes += _told_tags(file, respondent)
        score = np.asarray(columns["score"], np.float64)
        if rank is not None and _rises(query.code, respondent.code, rank, score):
            notes.append(_RISES)
        if kind == "gold":
            notes.append("a run as the truth: every item in it counts as relevant")
        silence: Silence = "no"
    else:
        respondent, silence = Codes.constant(stem, len(item)), "unknown"
    return Rows(
        Source(file.name, form, why, len(item), tuple(notes)),
        query,
        respondent,
        item,
        kind=(kind,) * len(respondent.names),
        family=(None,) * len(respondent.names),
        silence=silence,
        score=None if form == "TREC qrels" else np.asarray(columns["score"], np.float64),
        grade=None if form == "TREC run" else np.asarray(columns["grade"], np.float64),
        rank=rank,
        locate=lambda row: lines()[row],
    )


def _rises(query: np.ndarray, who: np.ndarray, rank: np.ndarray, score: np.ndarray) -> bool:
    """Tell whether scores rise from rank to rank in all lists: distances do."""
    same = (np.diff(query) == 0) & (np.diff(who) == 0) & (np.diff(rank) == 1)
    return bool(same.any()) and bool((np.diff(score)[same] > 0).all())


def _told_tags(file: File, tags: Codes) -> list[str]:
    """Note that one file holds several runs; where every line has a tag of its own, it has none."""
    count = len(tags.names)
    if count < 2:
        return []
    if count > _FEW and count == len(tags.code):
        found = f"each of the {count:,} lines has another run tag, such as {quote(tags.names[0])}"
        fix = "write the system's name in the sixth field, the same for all of its lines"
        raise bad(file.name, None, found, fix)
    return [f"{count:,} run tags in one file: {count:,} systems"]


def _row_lines(file: File) -> list[int]:
    """Find the line of every row: blank lines are none."""
    return [number for number, line in file.lines() if line.strip()]
