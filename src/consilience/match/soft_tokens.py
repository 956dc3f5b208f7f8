"""Similarities of strings by their pieces, where pieces need not be the same, only alike.

*grey colour* and *gray color* have no word in common, and still all words. Here a word is compared
with all words of the other string by another similarity, ``inner``, and the best one counts. The
words of a block are compared once, however often they occur.

Pieces are words, or q-grams with ``q`` (:func:`~consilience.match.pieces.pieces`); two strings
without pieces are alike (1), one without pieces and another are not (0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from consilience.errors import UsageError, quote
from consilience.match.best_pieces import Floats, block_sums, compared_closely, pair_sums
from consilience.match.characters import jaro_winkler, levenshtein
from consilience.match.kernel import Similarity, many, table
from consilience.match.pieces import Pieces, held, pieces

#: From the sums both ways and the sizes of both strings, which are not 0, to a similarity.
Ratio: TypeAlias = Callable[[Floats, Floats, Floats, Floats], Floats]


class PieceWeights(dict[str, float]):
    """What each word weighs; made by :func:`inverse_frequencies`."""

    def __str__(self) -> str:
        return f"{len(self)} weights"


def inverse_frequencies(texts: Iterable[str], *, q: int = 0) -> PieceWeights:
    """Weigh words by how rare they are: log(1 + N / n) for a word in n of N texts.

    For :func:`soft_tfidf`; the texts should be many, and like those that are compared.

    Examples
    --------
    >>> weights = inverse_frequencies(["grey colour", "colour space", "grey colour", "colour"])
    >>> {word: round(weight, 3) for word, weight in weights.items()}
    {'grey': 1.099, 'colour': 0.693, 'space': 1.609}
    """
    times: dict[str, int] = {}
    total = 0
    for text in texts:
        total += 1
        for piece in dict.fromkeys(pieces(text, q=q)):
            times[piece] = times.get(piece, 0) + 1
    return PieceWeights((piece, float(np.log1p(total / n))) for piece, n in times.items())


def _as_lists(items: Sequence[str], *, q: int = 0, **settings: Any) -> Pieces:
    return held([pieces(item, q=q) for item in items])


def _as_sets(items: Sequence[str], *, q: int = 0, **settings: Any) -> Pieces:
    return held([[*dict.fromkeys(pieces(item, q=q))] for item in items])


def _weighed(
    items: Sequence[str], *, q: int = 0, idf: Mapping[str, float] | None = None, **settings: Any
) -> Pieces:
    """Give log(1 + how often) times its weight in place of how often a piece occurs."""
    some = _as_lists(items, q=q)
    weights = np.array(_weights(some.names.tolist(), idf))
    times = np.log1p(some.times) * weights[some.codes]
    return Pieces(some.names, some.codes, times, some.starts, some.sizes)


def _weights(names: Sequence[str], idf: Mapping[str, float] | None) -> list[float]:
    """Look weights up; a piece that nobody has seen is as rare as the rarest."""
    if idf is None:
        return [1.0] * len(names)
    if not isinstance(idf, Mapping):
        raise UsageError(
            f"idf must give a weight for each word, found {quote(idf)} (fix: "
            "idf=inverse_frequencies(texts))"
        )
    most = max(idf.values(), default=1.0)
    found = [float(idf.get(name, most)) for name in names]
    if not all(0 < weight < np.inf for weight in found):
        raise UsageError("weights of words must be above 0 (fix: use log(1 + N / n))")
    return found


def _monge(there: Floats, back: Floats, a: Floats, b: Floats) -> Floats:
    return there / a


def _jaccard(there: Floats, back: Floats, a: Floats, b: Floats) -> Floats:
    common = (there + back) / 2
    return common / (a + b - common)


def _dice(there: Floats, back: Floats, a: Floats, b: Floats) -> Floats:
    return (there + back) / (a + b)


def _tfidf(there: Floats, back: Floats, a: Floats, b: Floats) -> Floats:
    return np.minimum(1.0, there / np.sqrt(a * b))


def _compare(
    ratio: Ratio,
    rows: Pieces,
    columns: Pieces,
    *,
    floor: float,
    inner: Similarity,
    close: float,
    **settings: Any,
) -> Floats:
    weighted = ratio is _tfidf
    there, back = block_sums(rows, columns, inner, close, weighted)
    a, b = (some.squares() if weighted else some.sums(some.times) for some in (rows, columns))
    return _shares(ratio, there, back, a[:, None], b[None, :])


def _pairs(
    ratio: Ratio,
    left: Pieces,
    right: Pieces,
    *,
    floor: float,
    inner: Similarity,
    close: float,
    **settings: Any,
) -> Floats:
    weighted = ratio is _tfidf
    there, back = pair_sums(left, right, inner, close, weighted)
    a, b = (some.squares() if weighted else some.sums(some.times) for some in (left, right))
    return _shares(ratio, there, back, a, b)


def _shares(ratio: Ratio, there: Floats, back: Floats, a: Floats, b: Floats) -> Floats:
    """Divide, where both strings have pieces."""
    found = ratio(there, back, np.where(a > 0, a, 1.0), np.where(b > 0, b, 1.0))
    found[np.broadcast_to((a == 0) & (b == 0), found.shape)] = 1.0
    return found


def _alike(a: str, b: str, q: int, inner: Similarity, close: float) -> Floats:
    """Compare all pieces of two strings; two strings without any are alike."""
    one, other = (list(dict.fromkeys(pieces(text, q=q))) for text in (a, b))
    if not one or not other:
        return np.full((1, 1), float(one == other))
    return compared_closely(inner, one, other, close)


@many(
    prepare=_as_lists,
    compare=partial(_compare, _monge, inner=jaro_winkler, close=0.0),
    pairs=partial(_pairs, _monge, inner=jaro_winkler, close=0.0),
    floor=0.75,
    symmetric=False,
)
def monge_elkan(a: str, b: str, *, inner: Similarity = jaro_winkler, q: int = 0) -> float:
    """Mean similarity of the words of a, each to the most similar word of b [1]_.

    This is not the same both ways: all of *colour* is in *grey colour*, and not the reverse. Where
    many items are compared, both ways are averaged, and the result says so.

    Parameters
    ----------
    a, b
        Two strings.
    inner
        How words are compared: a similarity of strings.
    q
        0 for words, otherwise the length of the q-grams.

    References
    ----------
    .. [1] A. E. Monge, C. P. Elkan, The field matching problem: algorithms and applications, KDD
       (1996) 267–270.

    Examples
    --------
    >>> (
    ...     monge_elkan("colour", "grey colour"),
    ...     monge_elkan("grey colour", "colour", inner=levenshtein),
    ... )
    (1.0, 0.5)
    """
    one, other = pieces(a, q=q), pieces(b, q=q)
    if not one or not other:
        return float(one == other)
    return float(table(inner, one, other).max(axis=1).mean())


@many(
    prepare=_as_sets,
    compare=partial(_compare, _jaccard, inner=levenshtein, close=0.5),
    pairs=partial(_pairs, _jaccard, inner=levenshtein, close=0.5),
    floor=0.25,
)
def soft_jaccard(
    a: str, b: str, *, inner: Similarity = levenshtein, close: float = 0.5, q: int = 0
) -> float:
    """Common words over all words, where alike words are common in part: I / (|A| + |B| − I).

    I = ½ (Σ_a max_b s(a, b) + Σ_b max_a s(a, b)): every word of both strings counts with its
    similarity to the best one of the other. With ``inner=exact`` this is the Jaccard coefficient.

    Parameters
    ----------
    a, b
        Two strings.
    inner
        How words are compared: a similarity of strings.
    close
        Words less alike than this have nothing in common.
    q
        0 for words, otherwise the length of the q-grams.

    Examples
    --------
    >>> round(soft_jaccard("grey colour", "gray color space"), 4)
    0.4634
    """
    alike = _alike(a, b, q, inner, close)
    common = float(alike.max(axis=1).sum() + alike.max(axis=0).sum()) / 2
    return common / (sum(alike.shape) - common)


@many(
    prepare=_as_sets,
    compare=partial(_compare, _dice, inner=levenshtein, close=0.5),
    pairs=partial(_pairs, _dice, inner=levenshtein, close=0.5),
    floor=0.35,
)
def soft_dice(
    a: str, b: str, *, inner: Similarity = levenshtein, close: float = 0.5, q: int = 0
) -> float:
    """Common words over the mean number of words, where alike words are common in part.

    (Σ_a max_b s(a, b) + Σ_b max_a s(a, b)) / (|A| + |B|). With ``inner=exact`` this is the Dice
    coefficient.

    Parameters
    ----------
    a, b
        Two strings.
    inner
        How words are compared: a similarity of strings.
    close
        Words less alike than this have nothing in common.
    q
        0 for words, otherwise the length of the q-grams.

    Examples
    --------
    >>> round(soft_dice("grey colour", "gray color space"), 4)
    0.6333
    """
    alike = _alike(a, b, q, inner, close)
    return float(alike.max(axis=1).sum() + alike.max(axis=0).sum()) / sum(alike.shape)


@many(
    prepare=_weighed,
    compare=partial(_compare, _tfidf, inner=jaro_winkler, close=0.9),
    pairs=partial(_pairs, _tfidf, inner=jaro_winkler, close=0.9),
    floor=0.4,
    symmetric=False,
)
def soft_tfidf(
    a: str,
    b: str,
    *,
    inner: Similarity = jaro_winkler,
    close: float = 0.9,
    q: int = 0,
    idf: Mapping[str, float] | None = None,
) -> float:
    """Cosine of weighted words, where close words count as the same, in part [1]_.

    Σ v_a(w) v_b(w*) s(w, w*) over the words w of a, where w* is the most similar word of b, if it
    is at least ``close``. v is log(1 + how often) · idf, divided by the root of its sum of
    squares. Two words may share one w*, so that the sum can pass 1: then it is 1. It is not the
    same both ways; where many items are compared, both ways are averaged, and the result says so.

    Parameters
    ----------
    a, b
        Two strings.
    inner
        How words are compared: a similarity of strings.
    close
        Words less alike than this have nothing in common.
    q
        0 for words, otherwise the length of the q-grams.
    idf
        What each word weighs, such as :func:`inverse_frequencies` of many texts gives; a word that
        is not there weighs as much as the heaviest one. None: all weigh the same. The weights are
        never taken from the strings that happen to be compared: the similarity of two strings must
        not depend on others.

    References
    ----------
    .. [1] W. W. Cohen, P. Ravikumar, S. E. Fienberg, A comparison of string distance metrics for
       name-matching tasks, IIWeb (2003) 73–78.

    Examples
    --------
    >>> round(soft_tfidf("the colour", "the color"), 4)
    0.9833
    >>> weights = {"the": 0.1, "colour": 2.0, "color": 2.0, "end": 2.0}
    >>> round(soft_tfidf("the colour", "the end", idf=weights), 4)
    0.0025
    """
    return float(
        _pairs(
            _tfidf,
            _weighed([a], q=q, idf=idf),
            _weighed([b], q=q, idf=idf),
            floor=0.0,
            inner=inner,
            close=close,
        )[0]
    )
