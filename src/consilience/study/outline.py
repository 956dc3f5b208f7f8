"""A study in parts, and what is known of it where its rows are not.

A *part* is a study of some of the queries, with everybody who answers any of them: queries do not
depend on each other, so nearly all can be computed part by part. What a part cannot tell, it is
told (:class:`consilience.study.model.Whole`): who answers and judges at all, whose votes are
fractions. An :class:`Outline` is what a verdict must know of a study beside its scores.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from consilience.study.model import VALUES, Whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.rows import Source
    from consilience.study.model import Answers, Respondents, Study

#: The columns of answers that measures look at, and what stands where a row has none.
_UNSAID: dict[str, tuple[float, type]] = {
    "vote": (1.0, np.float64),
    "score": (np.nan, np.float64),
    "rank": (0, np.int64),
}


class Known(Protocol):
    """What a verdict must know of a study: a study itself, or its outline."""

    @property
    def queries(self) -> tuple[str, ...]:
        """The names of the queries."""
        ...

    @property
    def respondents(self) -> Respondents:
        """Who answered."""
        ...

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems under test."""
        ...

    @property
    def items(self) -> Sized:
        """What was answered with, as far as it can be counted."""
        ...

    @property
    def answers(self) -> Sized:
        """The answers, as far as they can be counted."""
        ...

    @property
    def ordered(self) -> bool:
        """Whether answers carry scores or ranks."""
        ...

    @property
    def universe(self) -> int | None:
        """How many items each query chooses from."""
        ...

    @property
    def depth(self) -> int | None:
        """How many answers of each list were kept."""
        ...

    @property
    def sources(self) -> tuple[Source, ...]:
        """The files that were read."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noted in reading."""
        ...

    def fingerprint(self) -> str:
        """Hash everything that was said: the same input gives the same fingerprint."""
        ...


@dataclass(frozen=True, slots=True)
class Outline:
    """What a verdict must know of a study whose rows are elsewhere.

    ``items`` and ``answers`` only tell how many there are; ``digest`` is what the fingerprint is
    to be.
    """

    queries: tuple[str, ...]
    respondents: Respondents
    items: range
    answers: range
    digest: str
    ordered: bool = False
    universe: int | None = None
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    depth: int | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems under test."""
        return tuple(self.respondents.names[code] for code in self.respondents.of_kind("system"))

    def fingerprint(self) -> str:
        """Give the hash of everything that was said."""
        return self.digest

    def __repr__(self) -> str:
        return (
            f"<Outline: {len(self.systems)} systems, {len(self.queries):,} queries, "
            f"{len(self.items):,} items, {len(self.answers):,} answers>"
        )


def outline(study: Study, *, digest: str | None = None) -> Outline:
    """Keep what a verdict must know of a study, without its rows.

    Examples
    --------
    >>> from consilience.study import study
    >>> outline(study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}}))
    <Outline: 2 systems, 1 queries, 2 items, 3 answers>
    """
    return Outline(
        study.queries,
        study.respondents,
        range(len(study.items)),
        range(len(study.answers)),
        study.fingerprint() if digest is None else digest,
        study.ordered,
        study.universe,
        study.sources,
        study.notes,
        study.categories,
        study.depth,
    )


def whole_of(study: Study) -> Whole:
    """Tell what parts of a study must know of it.

    Examples
    --------
    >>> from consilience.study import study
    >>> whole_of(study({"item": ["x", "y"], "a": [1, 0.5], "b": [1, 0]}))
    Whole(answering=(0, 1), judging=(), fractions=(0,), columns=('vote',))
    """
    answers = study.answers
    fractions: NDArray[np.int32] = np.zeros(0, np.int32)
    if answers.vote is not None:
        rows = np.nonzero((answers.vote > 0) & (answers.vote < 1))[0]
        lists = np.searchsorted(answers.starts, rows, side="right") - 1
        fractions = np.unique(answers.respondent[lists])
    return Whole(
        tuple(study.answering),
        tuple(study.judging),
        tuple(fractions.tolist()),
        tuple(name for name in _UNSAID if getattr(answers, name) is not None),
    )


def joined_whole(parts: Sequence[Whole]) -> Whole:
    """Tell what parts must know of the whole, from what each of them knows of itself.

    Examples
    --------
    >>> joined_whole([Whole((0, 1), (), (1,), ("vote",)), Whole((0, 2), (3,))])
    Whole(answering=(0, 1, 2), judging=(3,), fractions=(1,), columns=('vote',))
    """
    answering, judging, fractions = (
        tuple(sorted({code for part in parts for code in getattr(part, name)}))
        for name in ("answering", "judging", "fractions")
    )
    columns = tuple(name for name in _UNSAID if any(name in part.columns for part in parts))
    return Whole(answering, judging, fractions, columns)


def part_of(study: Study, whole: Whole) -> Study:
    """Let a study of some queries know the whole that it is part of.

    Respondents must be numbered as in the whole. A column that only others' answers carry is
    there in all parts.
    """
    answers = study.answers
    columns: dict[str, Any] = {
        name: np.full(len(answers), *_UNSAID[name])
        for name in whole.columns
        if getattr(answers, name) is None
    }
    return replace(study, answers=replace(answers, **columns), whole=whole)


def ranges(study: Study, cuts: Sequence[int]) -> list[Study]:
    """Cut a study into parts of consecutive queries; each begins with the query of a cut.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x"], "r": ["y"], "s": ["z"]}, "b": {"s": ["z"]}})
    >>> [part.queries for part in ranges(made, [1])]
    [('q',), ('r', 's')]
    """
    whole = whole_of(study)
    edges = sorted({0, *cuts, len(study.queries)})
    return [part_of(_between(study, low, high), whole) for low, high in pairwise(edges)]


def _between(study: Study, low: int, high: int) -> Study:
    """Keep some consecutive queries; their items are numbered anew."""
    items = study.items
    first, last = int(items.starts[low]), int(items.starts[high])
    return replace(
        study,
        queries=study.queries[low:high],
        items=replace(
            items, rows=items.rows[first:last], starts=items.starts[low : high + 1] - first
        ),
        answers=_lists(study.answers, low, high, first),
        evidence=_lists(study.evidence, low, high, first),
    )


def _lists(answers: Answers, low: int, high: int, first: int) -> Answers:
    """Keep the lists of some consecutive queries, of which the first item is given."""
    kept = (answers.query >= low) & (answers.query < high)
    length = np.diff(answers.starts)
    rows = np.repeat(kept, length)
    columns: dict[str, Any] = {
        name: None if (column := getattr(answers, name)) is None else column[rows]
        for name in VALUES
    }
    return replace(
        answers,
        respondent=answers.respondent[kept],
        query=answers.query[kept] - np.int32(low),
        starts=np.concatenate([[0], np.cumsum(length[kept])]).astype(np.int64),
        item=answers.item[rows] - np.int32(first),
        **columns,
    )
