"""Similarities of strings by the pieces they have in common: words or q-grams, as sets or bags.

A and B are the pieces of two strings (:func:`~consilience.match.pieces.pieces`). As *sets*, a piece
is there or not, and |A ∩ B| counts the common ones. As *bags*, it is there so many times, and
|A ∩ B| sums up the smaller of both counts. The order of the pieces does not count.

Two strings without pieces are alike (1), one without pieces and another are not (0).

References
----------
N. Gali, R. Mariescu-Istodor, D. Hostettler, P. Fränti, Framework for syntactic string similarity
measures, Expert Systems with Applications 129 (2019) 169–185.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consilience.match.kernel import many
from consilience.match.pieces import Pieces, held, matrices, pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

Floats: TypeAlias = "NDArray[np.float64]"
#: From |A ∩ B|, |A| and |B| to a similarity; the sizes are not 0.
Ratio: TypeAlias = Callable[[Floats, Floats, Floats], Floats]


def _jaccard(common: Floats, a: Floats, b: Floats) -> Floats:
    return common / (a + b - common)


def _dice(common: Floats, a: Floats, b: Floats) -> Floats:
    return 2 * common / (a + b)


def _cosine(common: Floats, a: Floats, b: Floats) -> Floats:
    return common / np.sqrt(a * b)


def _overlap(common: Floats, a: Floats, b: Floats) -> Floats:
    return common / np.minimum(a, b)


def _prepared(items: Sequence[str], *, q: int = 0, bag: bool = False, pad: bool = False) -> Pieces:
    """Cut strings; in a bag the second *to* is another piece than the first.

    So the common pieces of two bags are counted as those of sets are: min(2, 3) = 2, as the first
    and the second *to* are common, and the third is not.
    """
    cut = [pieces(item, q=q, pad=pad) for item in items]
    return held([_numbered(one) if bag else [*dict.fromkeys(one)] for one in cut])


def _numbered(found: list[str]) -> list[str]:
    seen: Counter[str] = Counter()
    numbered = []
    for piece in found:
        numbered.append(f"{seen[piece]} {piece}")
        seen[piece] += 1
    return numbered


def _counted(items: Sequence[str], *, q: int = 0, bag: bool = False, pad: bool = False) -> Pieces:
    """Cut strings and count equal pieces."""
    if not bag:
        return _prepared(items, q=q, pad=pad)
    return held([pieces(item, q=q, pad=pad) for item in items])


def _compare(
    ratio: Ratio, rows: Pieces, columns: Pieces, *, floor: float, **settings: Any
) -> Floats:
    left, right = matrices(rows, columns)
    common = (left @ right.T).toarray()
    return _shares(ratio, common, rows.squares()[:, None], columns.squares()[None, :])


def _pairs(ratio: Ratio, left: Pieces, right: Pieces, *, floor: float, **settings: Any) -> Floats:
    ours, theirs = matrices(left, right)
    common = np.asarray(ours.multiply(theirs).sum(axis=1), np.float64).reshape(-1)
    return _shares(ratio, common, left.squares(), right.squares())


def _shares(ratio: Ratio, common: Floats, a: Floats, b: Floats) -> Floats:
    """Divide, where there is something to divide."""
    found = ratio(common, np.maximum(a, 1.0), np.maximum(b, 1.0))
    found[np.broadcast_to((a == 0) & (b == 0), found.shape)] = 1.0
    return found


def _sizes(a: str, b: str, q: int, bag: bool, pad: bool) -> tuple[int, int, int]:
    """Count |A ∩ B|, |A| and |B|."""
    one, other = Counter(pieces(a, q=q, pad=pad)), Counter(pieces(b, q=q, pad=pad))
    if not bag:
        one, other = Counter(set(one)), Counter(set(other))
    return (one & other).total(), one.total(), other.total()


@many(
    prepare=_prepared,
    compare=partial(_compare, _jaccard),
    pairs=partial(_pairs, _jaccard),
    floor=0.3,
)
def jaccard(a: str, b: str, *, q: int = 0, bag: bool = False, pad: bool = False) -> float:
    """Common pieces over all pieces: |A ∩ B| / |A ∪ B|.

    Parameters
    ----------
    a, b
        Two strings.
    q
        0 for words, otherwise the length of the q-grams.
    bag
        Whether repeated pieces count as often as they occur; then |A ∪ B| = |A| + |B| − |A ∩ B|.
    pad
        Whether q-grams also reach over the ends of the strings.

    Examples
    --------
    >>> jaccard("grey colour space", "colour space"), jaccard("grey", "greys", q=2)
    (0.6666666666666666, 0.75)
    """
    common, one, other = _sizes(a, b, q, bag, pad)
    return common / (one + other - common) if one or other else 1.0


@many(
    prepare=_prepared,
    compare=partial(_compare, _dice),
    pairs=partial(_pairs, _dice),
    floor=0.45,
)
def dice(a: str, b: str, *, q: int = 0, bag: bool = False, pad: bool = False) -> float:
    """Common pieces over the mean number of pieces: 2|A ∩ B| / (|A| + |B|).

    Parameters
    ----------
    a, b
        Two strings.
    q
        0 for words, otherwise the length of the q-grams.
    bag
        Whether repeated pieces count as often as they occur.
    pad
        Whether q-grams also reach over the ends of the strings.

    Examples
    --------
    >>> dice("grey colour space", "colour space"), dice("night", "nacht", q=2)
    (0.8, 0.25)
    """
    common, one, other = _sizes(a, b, q, bag, pad)
    return 2 * common / (one + other) if one or other else 1.0


@many(
    prepare=_counted,
    compare=partial(_compare, _cosine),
    pairs=partial(_pairs, _cosine),
    floor=0.45,
)
def cosine(a: str, b: str, *, q: int = 0, bag: bool = False, pad: bool = False) -> float:
    """Cosine of the pieces: |A ∩ B| / √(|A| |B|) for sets, Σ aᵢbᵢ / √(Σ aᵢ² Σ bᵢ²) for bags.

    aᵢ says how often the i-th piece occurs. With weights for rare and common words it is
    :func:`~consilience.match.soft_tokens.soft_tfidf` with ``inner=exact``.

    Parameters
    ----------
    a, b
        Two strings.
    q
        0 for words, otherwise the length of the q-grams.
    bag
        Whether repeated pieces count as often as they occur.
    pad
        Whether q-grams also reach over the ends of the strings.

    Examples
    --------
    >>> cosine("colour", "grey colour space colour space"), cosine("to be", "to be to", bag=True)
    (0.5773502691896258, 0.9486832980505138)
    """
    one, other = Counter(pieces(a, q=q, pad=pad)), Counter(pieces(b, q=q, pad=pad))
    if not one or not other:
        return float(not one and not other)
    if not bag:
        one, other = Counter(set(one)), Counter(set(other))
    common = sum(times * other[piece] for piece, times in one.items())
    squares = (sum(times**2 for times in side.values()) for side in (one, other))
    return float(common / np.sqrt(np.prod([*squares], dtype=np.float64)))


@many(
    prepare=_prepared,
    compare=partial(_compare, _overlap),
    pairs=partial(_pairs, _overlap),
    floor=0.55,
)
def overlap(a: str, b: str, *, q: int = 0, bag: bool = False, pad: bool = False) -> float:
    """Common pieces over those of the shorter string: |A ∩ B| / min(|A|, |B|).

    Parameters
    ----------
    a, b
        Two strings.
    q
        0 for words, otherwise the length of the q-grams.
    bag
        Whether repeated pieces count as often as they occur.
    pad
        Whether q-grams also reach over the ends of the strings.

    Examples
    --------
    >>> overlap("grey colour space", "colour space"), overlap("grey colour", "grey matter")
    (1.0, 0.5)
    """
    common, one, other = _sizes(a, b, q, bag, pad)
    return common / max(1, min(one, other)) if one or other else 1.0
