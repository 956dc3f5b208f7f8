"""Sequences of tokens as studies: what a pipeline read, word by word, beside what others read.

Pipelines that read (optical character recognition, speech, named entities) return a *sequence*, and
two sequences can be compared in two ways:

- *Method I*, a bag of words (:func:`by_bag`): the items of a document are the tokens that somebody
  returned, as multisets: the second *the* here is the second *the* there, wherever they stand.
- *Method II*, aligned (:func:`by_position`): the sequences are aligned first
  (:mod:`consilience.match.progressive`); the items are the tokens of each aligned column, so the
  position counts: ``17 the`` is the token *the* in column 17.

Both give an ordinary :class:`~consilience.study.Study`, with a document for a query and a list for
each source, so that ``rank``, ``belief`` and every consensus work on it. A gold sequence is
evidence.

References
----------
B. Lamiroy and T. Sun (2013), "Computing precision and recall with missing or uncertain ground
truth", §4.2.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.columns import Codes, Text
from consilience.errors import UsageError, quote, unknown, written
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source
from consilience.given import listed
from consilience.match.text import Case, Unicode, Wording, worded
from consilience.study.build import build

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.match.kernel import Similarity
    from consilience.match.progressive import Alignment
    from consilience.study import Study

#: What a text is cut into.
Tokens = Literal["words", "characters", "lines"]
TOKENS: tuple[Tokens, ...] = ("words", "characters", "lines")
#: How sequences are compared: Method II and Method I.
Method = Literal["aligned", "bag"]
METHODS: tuple[Method, ...] = ("aligned", "bag")
#: What an item of an aligned sequence is: a token in a column, or a column.
Per = Literal["token", "column"]
PER: tuple[Per, ...] = ("token", "column")
#: What a gold sequence is called.
TRUTH = "truth"


@dataclass(frozen=True, slots=True)
class Sequences:
    """What every source read in every document, as tokens.

    ``tokens`` has an entry for each (source, document) that was read; an empty one where a source
    found nothing. ``gold`` names the sources that hold the truth; they come last in ``names``.
    """

    names: tuple[str, ...]
    gold: tuple[str, ...]
    documents: tuple[str, ...]
    tokens: Mapping[tuple[str, str], Sequence[str]]
    cut: Tokens = "words"
    wording: Wording = field(default_factory=lambda: wording())
    sources: Mapping[str, Source] = field(default_factory=dict)

    @property
    def systems(self) -> tuple[str, ...]:
        """The sources that are under test."""
        return tuple(name for name in self.names if name not in self.gold)

    def of(self, document: str) -> dict[str, Sequence[str]]:
        """Give the sequences of a document by source, of those that read it."""
        found = {name: self.tokens.get((name, document)) for name in self.names}
        return {name: tokens for name, tokens in found.items() if tokens is not None}


def read_sequences(
    files: Iterable[str | os.PathLike[str]],
    truth: Iterable[str | os.PathLike[str]] = (),
    *,
    tokens: Tokens | None = None,
    method: Method = "aligned",
    similarity: str | Similarity | None = None,
    floor: float | None = None,
    gap: float = 1.0,
    per: Per = "token",
    unicode: Unicode = "nfc",
    case: Case = "keep",
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Study:
    """Read token sequences from files into a study, aligned (Method II) or as bags (Method I).

    Parameters
    ----------
    files
        Each names a source, or several: a text file is a source with one document; a folder is a
        source with a file for each document (joined by the files' stems), or holds such folders;
        a table in long form has the columns document, system, token and perhaps position.
    truth
        The same, of the right sequences.
    tokens
        What texts are cut into: "words" (at white space), "characters" or "lines". None: words, of
        files that look like texts; where it is named, files that look like tables are texts, too.
    method
        "aligned": an item is a token in an aligned column; "bag": an item is the k-th mention of
        a token.
    similarity, floor, gap
        As in :func:`consilience.align`.
    per
        As in :func:`by_position`.
    unicode, case
        How texts are made alike, as in :func:`consilience.align`.
    columns, encoding
        As in :func:`consilience.read`.
    """
    from consilience.match.reading import check_shared, sequences_of_files

    if method not in METHODS:
        raise unknown("method", str(method), METHODS)
    found = sequences_of_files(
        *(list(files), list(truth)),
        tokens=tokens,
        wording=wording(unicode, case),
        columns=columns,
        encoding=encoding,
    )
    check_shared(found)
    tokens = "words" if tokens is None else tokens
    if method == "bag":
        note = f"texts were cut into {tokens} and compared as bags: an item is the k-th mention"
        return _noted(bagged(found), note)
    made = aligned(found, similarity=similarity, floor=floor, gap=gap)
    how = "equal tokens" if similarity is None else f"tokens alike by {_called(similarity)}"
    note = f"texts were cut into {tokens} and aligned ({how}): an item is a {per} in its column"
    return _noted(positioned(found, made, per=per), note.replace("column in its column", "column"))


def _noted(study: Study, note: str) -> Study:
    return replace(study, notes=(*study.notes, note))


def _called(similarity: str | Similarity) -> str:
    from consilience.match.kernel import comparer

    return similarity if isinstance(similarity, str) else comparer(similarity).name


def by_position(
    sequences: Mapping[str, Any],
    *,
    truth: Any = None,
    tokens: Tokens = "words",
    similarity: str | Similarity | None = None,
    floor: float | None = None,
    gap: float = 1.0,
    per: Per = "token",
    unicode: Unicode = "nfc",
    case: Case = "keep",
) -> Study:
    """Make a study of aligned sequences, where the position counts (Method II).

    The items of a document are the tokens of each aligned column: ``3 sat`` is *sat* in column 3.
    With a similarity, tokens of a column that are alike share an item, called after the truth's
    token or else the most frequent one; a source's vote for it is how alike its token is to that,
    and the rest of its vote stands by its own token.

    Parameters
    ----------
    sequences
        Source → text or tokens; or source → {document: text or tokens}.
    truth
        The right text or tokens, or {document: text or tokens}.
    tokens, similarity, floor, gap, unicode, case
        As in :func:`consilience.align`.
    per
        "token": an item is a token in a column, and sources agree where they have the same token
        there. "column": an item is a column, and sources agree where they have any token there,
        the right one or not.

    Examples
    --------
    >>> study = by_position({"a": "the cat sat", "b": "the bat sat", "c": "cat sat"})
    >>> study.items.names(range(len(study.items)))
    ['1 the', '2 cat', '3 sat', '2 bat']
    """
    found = of_mapping(sequences, truth=truth, tokens=tokens, wording=wording(unicode, case))
    made = aligned(found, similarity=similarity, floor=floor, gap=gap)
    return positioned(found, made, per=per)


def by_bag(
    sequences: Mapping[str, Any],
    *,
    truth: Any = None,
    tokens: Tokens = "words",
    unicode: Unicode = "nfc",
    case: Case = "keep",
) -> Study:
    """Make a study of sequences as bags of words, where only mentions count (Method I).

    The items of a document are its tokens as a multiset: the k-th mention of a token is an item of
    its own, wherever it stands.

    Parameters
    ----------
    sequences, truth, tokens, unicode, case
        As in :func:`by_position`.

    Examples
    --------
    >>> study = by_bag({"a": "the cat the", "b": "the the the"})
    >>> study.items.names(range(len(study.items)))
    ['the', 'the', 'the', 'cat']
    """
    words = wording(unicode, case)
    return bagged(of_mapping(sequences, truth=truth, tokens=tokens, wording=words))


def wording(unicode: Unicode = "nfc", case: Case = "keep") -> Wording:
    """Say how texts are made alike; blanks part words and stay as they are until then."""
    return Wording(unicode=unicode, case=case, space="keep")


def of_mapping(
    sequences: Mapping[str, Any], *, truth: Any, tokens: Tokens, wording: Wording
) -> Sequences:
    """Take the sequences that Python users hold."""
    check_tokens(tokens)
    if not isinstance(sequences, Mapping):
        raise UsageError(
            f"sequences are a mapping from sources to texts or tokens, found "
            f"{quote(type(sequences).__name__)} (fix: {{'tesseract': text, 'calamari': text}})"
        )
    given: dict[str, Any] = {written(name): one for name, one in sequences.items()}
    gold: tuple[str, ...] = ()
    if truth is not None:
        if TRUTH in given:
            raise UsageError(f"a source cannot be called {TRUTH!r} where a truth is given")
        given, gold = {**given, TRUTH: truth}, (TRUTH,)
    found: dict[tuple[str, str], Sequence[str]] = {}
    for name, one in given.items():
        documents = one if isinstance(one, Mapping) else {ONLY_QUERY: one}
        for document, text in documents.items():
            found[name, written(document)] = _as_tokens(text, tokens, wording, name)
    documents = dict.fromkeys(document for _, document in found)
    Text.of([*given, *documents])  # they must be text that can be written
    return checked(Sequences(tuple(given), gold, tuple(documents), found, tokens, wording))


def check_tokens(tokens: str) -> None:
    """See that a way to cut texts is known."""
    if tokens not in TOKENS:
        raise unknown("kind of tokens", str(tokens), TOKENS)


def cut(text: str, tokens: Tokens, how: Wording) -> list[str]:
    """Cut a text into tokens, made alike.

    Examples
    --------
    >>> cut("The  cat", "words", wording()), cut("a  b", "characters", wording())
    (['The', 'cat'], ['a', ' ', 'b'])
    """
    (text,) = worded([text], how)
    if tokens == "lines":
        return [line for line in (" ".join(part.split()) for part in text.splitlines()) if line]
    words = text.split()
    return words if tokens == "words" else list(" ".join(words))


def _as_tokens(given: Any, tokens: Tokens, how: Wording, name: str) -> list[str]:
    if isinstance(given, str):
        return cut(given, tokens, how)
    several = listed(given)
    if several is None:
        raise UsageError(
            f"{quote(name)}: a sequence is a text or a list of tokens, found "
            f"{quote(type(given).__name__)}"
        )
    return worded([written(token) for token in several], how)


def checked(found: Sequences) -> Sequences:
    """See that there is something to align."""
    if len(found.names) < 2:
        one = f", found only {quote(found.names[0])}" if found.names else ""
        raise UsageError(
            f"an alignment takes at least two sources, or one and a truth{one} "
            "(fix: name more files; a folder is one source with a file for each document)"
        )
    if not any(len(found.of(document)) > 1 for document in found.documents):
        raise UsageError(
            "no document was read by two sources (fix: files of a document have the same name in "
            f"every folder; found {', '.join(map(quote, found.documents[:4]))})"
        )
    return found


def aligned(
    found: Sequences,
    *,
    similarity: str | Similarity | None = None,
    floor: float | None = None,
    gap: float = 1.0,
    refine: int = 2,
) -> tuple[Alignment, ...]:
    """Align the sequences of every document."""
    from consilience.match.names import similarity_by_name
    from consilience.match.progressive import align_tokens

    alike = similarity_by_name(similarity) if isinstance(similarity, str) else similarity
    return tuple(
        align_tokens(found.of(document), similarity=alike, floor=floor, gap=gap, refine=refine)
        for document in found.documents
    )


def bagged(found: Sequences) -> Study:
    """Make a study of sequences as multisets of tokens."""
    tables = []
    for name in found.names:
        read = [(d, found.tokens[name, d]) for d in found.documents if (name, d) in found.tokens]
        items = [token for _, tokens in read for token in tokens]
        query = [document for document, tokens in read for _ in tokens]
        tables.append(_rows(found, name, query, items, None))
    return build(tables, duplicates="each")


def positioned(found: Sequences, alignments: Sequence[Alignment], *, per: Per = "token") -> Study:
    """Make a study of aligned sequences: an item is a token in a column, or a column."""
    if per not in PER:
        raise unknown("kind of item", str(per), PER)
    said: dict[str, tuple[list[str], list[str], list[float]]] = {
        name: ([], [], []) for name in found.names
    }
    soft = False
    for document, alignment in zip(found.documents, alignments, strict=True):
        items, alike = alignment.items(first=found.gold)
        soft = soft or (per == "token" and bool((alike < 1).any()))
        for row, name in enumerate(alignment.names):
            query, named, votes = said[name]
            where = np.flatnonzero(items[row] >= 0)
            places = [str(at + 1) for at in where.tolist()]
            if per == "token":
                tokens = (alignment.tokens[code] for code in items[row, where].tolist())
                places = [f"{at} {token}" for at, token in zip(places, tokens, strict=True)]
            named += places
            query += [document] * len(where)
            votes += alike[row, where].tolist()
            if per == "token" and name not in found.gold:
                _add_rest(said[name], document, alignment, row, alike[row])
    return build(
        [
            _rows(found, name, query, items, np.array(votes) if soft else None)
            for name, (query, items, votes) in said.items()
        ]
    )


def _add_rest(
    said: tuple[list[str], list[str], list[float]],
    document: str,
    alignment: Alignment,
    row: int,
    alike: NDArray[np.float64],
) -> None:
    """Let a source stand by its own token with what is left of its vote.

    A token that is like the column's item with similarity s votes s for it and 1 - s for itself:
    whatever a source returned counts as one token, so near misses lower precision, too.
    """
    query, named, votes = said
    for at in np.flatnonzero((alike < 1) & (alignment.columns[row] >= 0)).tolist():
        token = alignment.tokens[int(alignment.columns[row, at])]
        query.append(document)
        named.append(f"{at + 1} {token}")
        votes.append(1.0 - float(alike[at]))


def _rows(found: Sequences, name: str, query: list[str], items: list[str], vote: Any) -> Rows:
    """Give one source's items as a table."""
    kind: Kind = "gold" if name in found.gold else "system"
    made = Source(name, "sequence", f"cut into {found.cut}", len(items))
    return Rows(
        found.sources.get(name, made),
        Codes.of(query),
        Codes.constant(name, len(items)),
        Text.of(items),
        kind=(kind,),
        family=(None,),
        silence="no",
        vote=vote,
        asked=tuple((name, d) for d in found.documents if (name, d) in found.tokens),
    )
