"""The study: the one data model that every method reads.

*Respondents* (systems, people, language models, a gold file) answer *queries* with *items*.
A study holds who they are and what they said, in columns of numbers; names stay at the edge.

- An item belongs to its query. Whether it is relevant is a fact about the pair, so the same
  document under two queries is two items.
- :class:`Answers` holds lists: one list for each (respondent, query) that was put, an empty one
  where nothing was answered, none where the query was not put. The rows of a list carry the item
  and whatever was said of it: a *vote* in [0, 1] (NaN: cannot tell), a *grade* on the judge's own
  scale, a *score* or a *rank* that orders the list, the inclusion *probability* of a designed
  label and the *round* it was drawn in, a *category* of a tree (-1: none). A column nobody used is
  None; a rank or round of 0 and a score of NaN were not given. A row of lists without votes and
  grades says yes; a row of a judge with a probability and neither of them was drawn, and has no
  label yet.
- The systems under test stand in ``study.answers``; what bears on the truth, answers of gold,
  people and language models, stands in ``study.evidence``. Both have the same shape.
- A respondent's *silence* about an item of a query that it was asked means "no" (a search
  engine's list) or "unknown" (an annotator who did not see it).

The conditions of truth (complete, partial, uncertain, absent) are facts read off these columns:
:func:`consilience.study.condition.condition`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.columns import Text
    from consilience.formats.rows import Kind, Silence, Source

#: The columns an answer can carry beside its item.
VALUES = ("vote", "grade", "score", "rank", "probability", "round", "category")
#: Values that are hashed together: what is made of them stays in the processor's cache.
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Respondents:
    """Who answered: names, what they are, which family they belong to, what silence means."""

    names: tuple[str, ...]
    kind: tuple[Kind, ...]
    family: tuple[str | None, ...]
    silence: tuple[Silence, ...]

    def __len__(self) -> int:
        return len(self.names)

    def of_kind(self, *kinds: Kind) -> NDArray[np.int64]:
        """Give the codes of the respondents of some kinds."""
        return np.array([code for code, kind in enumerate(self.kind) if kind in kinds], np.int64)


@dataclass(frozen=True, slots=True)
class Items:
    """What was answered with, numbered query by query.

    Query ``q`` owns the items ``starts[q]`` to ``starts[q + 1] - 1``. Item ``i`` is called
    ``text[rows[i]]``: names stay where they were read and are looked up when somebody asks.
    """

    text: Text
    rows: NDArray[np.integer]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def names(self, items: NDArray[np.integer] | Sequence[int]) -> list[str]:
        """Give the names of some items."""
        return self.text.take(self.rows[np.asarray(items, np.int64)])

    def query(self, items: NDArray[np.integer]) -> NDArray[np.int64]:
        """Give the queries that some items belong to."""
        return np.searchsorted(self.starts, items, side="right") - 1


@dataclass(frozen=True, slots=True)
class Answers:
    """Lists of answers: list ``l`` is what ``respondent[l]`` said to ``query[l]``.

    Its rows are ``starts[l]`` to ``starts[l + 1] - 1``, in the order they were given. Lists are
    sorted by respondent, then query.
    """

    respondent: NDArray[np.int32]
    query: NDArray[np.int32]
    starts: NDArray[np.int64]
    item: NDArray[np.int32]
    vote: NDArray[np.float64] | None = None
    grade: NDArray[np.float64] | None = None
    score: NDArray[np.float64] | None = None
    rank: NDArray[np.integer] | None = None
    probability: NDArray[np.float64] | None = None
    round: NDArray[np.int64] | None = None
    category: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.item)

    @property
    def lists(self) -> int:
        """How many lists there are."""
        return len(self.respondent)

    def list_of_row(self) -> NDArray[np.int64]:
        """Give the list of every row."""
        return np.repeat(np.arange(self.lists), np.diff(self.starts))


@dataclass(frozen=True, slots=True)
class Whole:
    """What the rows of a part do not tell about the study that it is part of.

    Codes of respondents, rising: who has lists of answers (``answering``) or lists that bear on
    the truth (``judging``), and whose votes are ``fractions`` somewhere. ``columns`` names what
    answers carry of vote, score and rank.
    """

    answering: tuple[int, ...] = ()
    judging: tuple[int, ...] = ()
    fractions: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Study:
    """Everything that was said, by whom, about what; frozen.

    Made by :func:`consilience.read` and :func:`consilience.study`, which check it once; behind
    that door the code trusts it. ``universe`` is how many items each query chooses from (None:
    those that somebody mentioned); ``categories`` names what the numbers in ``category`` stand for;
    ``depth`` tells how many answers of each list were kept (None: all). A part of a study
    (:func:`consilience.study.outline.ranges`) knows what it must of the ``whole``.
    """

    queries: tuple[str, ...]
    respondents: Respondents
    items: Items
    answers: Answers
    evidence: Answers
    universe: int | None = None
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    depth: int | None = None
    whole: Whole | None = None

    @property
    def ordered(self) -> bool:
        """Whether answers carry scores or ranks."""
        return self.answers.score is not None or self.answers.rank is not None

    @property
    def answering(self) -> list[int]:
        """The codes of those who have lists of answers, rising."""
        if self.whole is not None:
            return [*self.whole.answering]
        return [int(code) for code in np.unique(self.answers.respondent)]

    @property
    def judging(self) -> list[int]:
        """The codes of those who have lists that bear on the truth, rising."""
        if self.whole is not None:
            return [*self.whole.judging]
        return [int(code) for code in np.unique(self.evidence.respondent)]

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the systems under test."""
        return tuple(self.respondents.names[code] for code in self.respondents.of_kind("system"))

    def fingerprint(self) -> str:
        """Hash everything that was said (SHA-256): the same input gives the same fingerprint."""
        digest = hashlib.sha256()
        for names in self._names():
            digest.update(repr(names).encode("utf-8", "surrogatepass"))
        for chunk in self.items.text.chunks:
            _, offsets, data = chunk.buffers()
            ends = np.frombuffer(offsets, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
            digest.update(np.diff(ends).tobytes())
            digest.update(memoryview(data or b"")[int(ends[0]) : int(ends[-1])])
        for name, array in self._columns():
            wide = np.int64 if name.endswith(".rank") else array.dtype  # however it is stored
            digest.update(f"{name} {np.dtype(wide)} {len(array)}".encode())
            for begin in range(0, len(array), _BLOCK):
                digest.update(np.ascontiguousarray(array[begin : begin + _BLOCK], wide).data)
        return digest.hexdigest()

    def _names(self) -> Iterator[object]:
        people = self.respondents
        yield from (self.queries, people.names, people.kind, people.family, people.silence)
        yield from (self.universe, self.categories)

    def _columns(self) -> Iterator[tuple[str, NDArray[np.generic]]]:
        yield from (("rows", self.items.rows), ("starts", self.items.starts))
        for side, table in (("answers", self.answers), ("evidence", self.evidence)):
            for field in fields(table):
                column = getattr(table, field.name)
                if column is not None:
                    yield f"{side}.{field.name}", column

    def __repr__(self) -> str:
        from consilience.study.condition import condition

        return (
            f"<Study: {len(self.systems)} systems, {len(self.queries):,} queries, "
            f"{len(self.items):,} items, {len(self.answers):,} answers, "
            f"truth {condition(self).name}>"
        )


def as_study(
    given: object, verb: str, *, fix: str = "make one with cs.read(files) or cs.study(data)"
) -> Study:
    """See that a verb was given a study; say otherwise what was found, and how to make one.

    Examples
    --------
    >>> as_study("runs.csv", "rank")
    Traceback (most recent call last):
    consilience.errors.UsageError: rank takes a study, found str (fix: make one with ...
    """
    if isinstance(given, Study):
        return given
    found = "None" if given is None else type(given).__name__
    raise UsageError(f"{verb} takes a study, found {found} (fix: {fix})")


def check_equal(study: Study, verb: str) -> None:
    """Refuse segments, boxes and tracks for a verb that asks whether items are equal.

    Examples
    --------
    >>> import consilience as cs
    >>> check_equal(cs.example_study("keyphrases"), "curve")
    """
    from consilience.formats.shapes import kind_of_form

    kinds = {kind_of_form(source.recognised) for source in study.sources} - {"text"}
    if kinds:
        exact = ', or match="exact" if they are meant to be equal' if verb == "rank" else ""
        raise UsageError(
            f"{verb} asks whether items are equal, and these are {' and '.join(sorted(kinds))}, "
            "which are hardly ever equal (fix: compare one system with gold by consilience soft "
            f"GOLD PREDICTED, several by consilience rank --match soft{exact})"
        )
