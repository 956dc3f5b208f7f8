"""Sequences side by side: who reads like whom, and what that makes of precision and recall.

The sequences of every document are aligned (:mod:`consilience.match.progressive`), and the sources
are scored twice: as bags of tokens (Method I) and by aligned position (Method II). Where there is a
truth it is aligned with them and they are scored against it; otherwise against their consensus,
exactly as in the papers, and that is agreement.

*Agreement* of two sources is 1 - edits / longer length, over the documents that both read; the
*error rate* of a source is edits / length of the truth (of words: the word error rate). Both come
from comparing the two sequences directly, so they do not depend on who else took part, nor on the
order of the sources.

References
----------
B. Lamiroy and T. Sun (2013), "Computing precision and recall with missing or uncertain ground
truth", §3.2 and §4.2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief import gold
from consilience.belief.agreement import consensus
from consilience.errors import UsageError, unknown
from consilience.match.kernel import comparer
from consilience.match.names import similarity_by_name
from consilience.match.pairwise import edits
from consilience.match.reading import check_shared
from consilience.match.sequences import (
    Per,
    Sequences,
    Tokens,
    aligned,
    bagged,
    of_mapping,
    positioned,
    wording,
)
from consilience.measures.scores import Scores, score
from consilience.verdict.agreement import caveat_of
from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.match.kernel import Similarity
    from consilience.match.progressive import Alignment
    from consilience.match.text import Case, Unicode
    from consilience.study import Study

#: What sources are scored by.
MEASURES = ("P", "R", "F1")


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was asked for."""

    similarity: str | None
    floor: float | None
    gap: float
    refine: int
    per: Per


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sources: how many edits lead from one to the other, by the longer of the two."""

    a: str
    b: str
    documents: int
    edits: int
    longer: int

    @property
    def agreement(self) -> float:
        """1 - edits / longer; 1 where both are empty."""
        return 1 - self.edits / self.longer if self.longer else 1.0


@dataclass(frozen=True, slots=True)
class AlignmentResult(Shown):
    """Aligned sequences, who agrees with whom, and scores as bags and by position.

    ``alignments`` has one :class:`~consilience.match.progressive.Alignment` for each document.
    ``by_bag`` and ``by_position`` are the studies of Method I and Method II, ``bag`` and
    ``aligned`` the scores in them; ``errors`` gives, for each source, its edits and the length of
    the truth.
    """

    sequences: Sequences
    alignments: tuple[Alignment, ...]
    by_bag: Study
    by_position: Study
    bag: Scores
    aligned: Scores
    pairs: tuple[Pair, ...]
    errors: Mapping[str, tuple[int, int]]
    chosen: Chosen
    caveat: str | None
    headline: str
    notes: tuple[str, ...]

    def alignment(self, document: str | None = None) -> Alignment:
        """Give the alignment of a document; of the only one where none is named."""
        known = self.sequences.documents
        if document is None and len(known) > 1:
            raise UsageError(
                f"there are {len(known):,} documents (fix: name one: {known[0]!r}, {known[1]!r}, …)"
            )
        if document is not None and document not in known:
            raise unknown("document", str(document), known)
        return self.alignments[0 if document is None else known.index(document)]

    @property
    def columns(self) -> NDArray[np.int32]:
        """Codes of tokens, sources × columns, -1 for a gap, of the only document."""
        return self.alignment().columns

    @property
    def tokens(self) -> tuple[str, ...]:
        """What the codes of the only document stand for."""
        return self.alignment().tokens

    @property
    def names(self) -> tuple[str, ...]:
        """The sources, in the order of the rows; a truth comes last."""
        return self.sequences.names

    def row(self, source: str, document: str | None = None) -> tuple[str | None, ...]:
        """Give a source's tokens column by column, None for a gap."""
        return self.alignment(document).row(source)

    def consensus(self, document: str | None = None) -> tuple[str, ...]:
        """Give the sequence of the most frequent tokens."""
        return self.alignment(document).consensus()

    def agreement(self, a: str, b: str) -> float:
        """Give the agreement of two sources: 1 - edits / longer length."""
        for pair in self.pairs:
            if {pair.a, pair.b} == {a, b}:
                return pair.agreement
        raise UsageError(f"{a!r} and {b!r} are not two sources that read the same document")

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.aligned_payload import of_alignment

        return of_alignment(self)


def align(
    sequences: Mapping[str, Any],
    *,
    truth: Any = None,
    tokens: Tokens = "words",
    similarity: str | Similarity | None = None,
    floor: float | None = None,
    gap: float = 1.0,
    refine: int = 2,
    per: Per = "token",
    unicode: Unicode = "nfc",
    case: Case = "keep",
) -> AlignmentResult:
    """Align token sequences, and score their sources as bags and by position.

    Parameters
    ----------
    sequences
        Source → text or list of tokens; or source → {document: text or list of tokens}.
    truth
        The right text or tokens, or {document: text or tokens}.
    tokens
        What texts are cut into: "words" (at white space), "characters" or "lines".
    similarity
        How alike two tokens are, a function or its name ("levenshtein"); by default only equal
        tokens are alike.
    floor
        Tokens that are less alike than this are as good as unrelated; by default the usual floor
        of the similarity.
    gap
        What a token beside a gap costs. Two tokens side by side cost 1 - similarity: with a gap
        of 1 and exact tokens, the cost of two sequences is their edit distance.
    refine
        How many times each sequence is taken out and laid beside the rest again.
    per
        What an item of Method II is: a "token" in its column, or a "column" with any token in it.
    unicode, case
        How texts are made alike first: "nfc", "nfkc", "ascii" or "keep"; "keep" or "fold".

    Examples
    --------
    >>> found = align({"a": "the cat sat", "b": "the bat sat", "c": "cat sat"}, truth="the cat sat")
    >>> print(found.alignment())
    a      the  cat  sat
    b      the  bat  sat
    c      ·    cat  sat
    truth  the  cat  sat
    >>> {name: round(found.aligned[name]["F1"].value, 3) for name in "abc"}
    {'a': 1.0, 'b': 0.667, 'c': 0.8}
    """
    found = of_mapping(sequences, truth=truth, tokens=tokens, wording=wording(unicode, case))
    return align_sequences(
        found, similarity=similarity, floor=floor, gap=gap, refine=refine, per=per
    )


def align_sequences(
    found: Sequences,
    *,
    similarity: str | Similarity | None = None,
    floor: float | None = None,
    gap: float = 1.0,
    refine: int = 2,
    per: Per = "token",
) -> AlignmentResult:
    """Align what was read, and score its sources; see :func:`align`."""
    from consilience.verdict.aligned_words import headline_of, notes_of

    alike = similarity_by_name(similarity) if isinstance(similarity, str) else similarity
    if alike is None and floor is not None:
        raise UsageError("a floor is for a similarity (fix: similarity='levenshtein')")
    known = None if alike is None else comparer(alike)
    check_shared(found)
    made = aligned(found, similarity=alike, floor=floor, gap=gap, refine=refine)
    least = known.many.floor if known is not None and floor is None else floor
    chosen = Chosen(known.name if known else None, least, float(gap), refine, per)
    studies = bagged(found), positioned(found, made, per=per)
    bag, by_place = (score(one, measures=MEASURES, belief=_belief(found)) for one in studies)
    pairs = _pairs(found, made)
    errors = _errors(found)
    caveat = caveat_of(by_place.belief)
    return AlignmentResult(
        found,
        made,
        *studies,
        bag,
        by_place,
        pairs,
        errors,
        chosen,
        caveat,
        headline_of(found, made, pairs, by_place, bag, caveat),
        tuple(notes_of(found, studies[1], chosen, made)),
    )


def _belief(found: Sequences) -> Any:
    return gold if found.gold else consensus


def _pairs(found: Sequences, alignments: Sequence[Alignment]) -> tuple[Pair, ...]:
    """Add up, for all pairs of sources, edits and lengths over the documents that both read."""
    number = {name: k for k, name in enumerate(found.names)}
    size = len(number)
    documents, apart, longer = (np.zeros((size, size), np.int64) for _ in range(3))
    for alignment in alignments:
        here = np.array([number[name] for name in alignment.names])
        both = np.ix_(here, here)
        length = (alignment.columns >= 0).sum(axis=1)
        documents[both] += 1
        apart[both] += _apart(alignment)
        longer[both] += np.maximum.outer(length, length)
    return tuple(
        Pair(a, b, int(documents[i, j]), int(apart[i, j]), int(longer[i, j]))
        for i, a in enumerate(found.names)
        for j, b in enumerate(found.names)
        if i < j and documents[i, j]
    )


def _apart(alignment: Alignment) -> NDArray[np.int64]:
    """Give the edits of all pairs; where there were too many pairs, those of the alignment."""
    if alignment.edits is not None:
        return alignment.edits
    rows = alignment.columns
    return np.stack([(rows != row).sum(axis=1) for row in rows])


def _errors(found: Sequences) -> dict[str, tuple[int, int]]:
    """Count the edits of each system to the truth, and the truth's tokens."""
    if not found.gold:
        return {}
    truth = found.gold[0]
    errors = {}
    for name in found.systems:
        wrong = length = 0
        for document in found.documents:
            right, read = (found.tokens.get((one, document)) for one in (truth, name))
            if right is not None:
                wrong += _between(read or (), right)
                length += len(right)
        errors[name] = (wrong, length)
    return errors


def _between(read: Sequence[str], right: Sequence[str]) -> int:
    number: dict[str, int] = {}
    codes = [
        np.array([number.setdefault(token, len(number)) for token in one], np.int32)
        for one in (read, right)
    ]
    return edits(*codes)
