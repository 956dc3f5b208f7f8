"""Similarity by vectors: the cosine of two directions, from your own vectors.

An *embedding* gives every item a vector such that items of like meaning point the same way. Their
similarity is the cosine of the angle between them; where it is below 0 the items have nothing in
common, and it counts as 0 (``clip=False`` keeps it, as measures that were defined with raw cosines
need). Vectors may come from anywhere: a file of word vectors, a mapping, a function.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consilience.errors import UsageError, bad, quote
from consilience.match.devices import best_matches, directions, row_sums
from consilience.match.kernel import TINY, many
from consilience.match.vector_files import numbers_of, read_vectors, vector_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Where vectors come from: a file, a mapping from items to vectors, or a function of many items.
Source: TypeAlias = (
    "str | PathLike[str] | Mapping[Any, ArrayLike] | Callable[[list[str]], ArrayLike]"
)


@dataclass(frozen=True, slots=True)
class Embedded:
    """Items as vectors of length 1, ready to be compared.

    An item without a vector, or with one of zeros, is like itself alone: ``same`` then holds a
    number that stands for the item, and 0 for all others. ``notes`` say how many those are.
    """

    units: NDArray[np.float64]
    same: NDArray[np.int64]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.units)

    def __getitem__(self, at: Any) -> Embedded:
        return Embedded(self.units[at], self.same[at])


def embedded(items: Sequence[Hashable], matrix: ArrayLike) -> Embedded:
    """Prepare items whose vectors are the rows of a matrix.

    Examples
    --------
    >>> embedded(["tea", "qwx"], [[3, 4], [0, 0]]).notes
    ("1 of 2 items has no vector ('qwx') and is like itself alone",)
    """
    units = directions(matrix)
    lost = ~units.any(axis=1)
    same = np.zeros(len(units), np.int64)
    places = np.flatnonzero(lost).tolist()
    same[places] = [hash(items[place]) or 1 for place in places]
    return Embedded(units, same, _notes([items[place] for place in places], len(units)))


def _notes(lost: list[Hashable], total: int) -> tuple[str, ...]:
    if not lost:
        return ()
    shown = ", ".join(quote(item) for item in lost[:3]) + (", …" if len(lost) > 3 else "")
    said = "has no vector" if len(lost) == 1 else "have no vectors"
    end = "and is like itself alone" if len(lost) == 1 else "and each is like itself alone"
    return (f"{len(lost):,} of {total:,} items {said} ({shown}) {end}",)


def cosines(rows: Embedded, columns: Embedded, *, clip: bool = True) -> NDArray[np.float64]:
    """Give the cosines of all rows to all columns, below 0 as 0 unless ``clip`` is False.

    Examples
    --------
    >>> items = embedded("abc", [[1, 0], [3, 4], [-1, 0]])
    >>> cosines(items, items[:2]).round(2).tolist()
    [[1.0, 0.6], [0.6, 1.0], [0.0, 0.0]]
    >>> cosines(items[2:], items, clip=False).round(2).tolist()
    [[-1.0, -0.6, 1.0]]
    """
    if not len(rows) or not len(columns):
        return np.zeros((len(rows), len(columns)))
    found = rows.units @ columns.units.T
    if rows.same.any() and columns.same.any():
        alone = rows.same[:, None] == columns.same
        found[alone & (rows.same != 0)[:, None]] = 1.0
    return _tidy(found, clip=clip)


def paired_cosines(left: Embedded, right: Embedded, *, clip: bool = True) -> NDArray[np.float64]:
    """Give the cosines of items side by side."""
    found: NDArray[np.float64] = np.einsum("ij,ij->i", left.units, right.units)
    found[(left.same == right.same) & (left.same != 0)] = 1.0
    return _tidy(found, clip=clip)


def _tidy(found: NDArray[np.float64], *, clip: bool) -> NDArray[np.float64]:
    found[found > 1 - TINY] = 1.0  # a vector and itself, but for rounding
    return np.maximum(found, 0.0, out=found) if clip else found


def sums_of(
    items: Embedded,
    weights: ArrayLike | None = None,
    *,
    floor: float = 0.0,
    clip: bool = True,
    device: str = "auto",
    **_: object,
) -> NDArray[np.float64]:
    """Sum the similarities of every item to all of them, without ever holding all at once.

    Products have 32 bits and may be made by a graphics processor; see
    :func:`consilience.match.devices.row_sums`. Items must be different ones: those without a
    vector are like themselves alone.
    """
    return row_sums(items.units, floor=floor, weights=weights, clip=clip, device=device)


def best_of(
    rows: Embedded, columns: Embedded, *, floor: float = 0.0, device: str = "auto", **_: object
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Find for every row the most similar column (-1: none), with its similarity.

    Items without a vector are like themselves alone, so they match nothing of another side.
    """
    found = best_matches(rows.units, columns.units, floor=floor, device=device)
    return found.similarity, found.place


def _prepare(items: Sequence[Any], *, of: Source | None = None, clip: bool = True) -> Embedded:
    different = list(dict.fromkeys(items))
    ready = embedded(different, _matrix(different, of))
    if len(different) == len(items):
        return ready
    place = {item: at for at, item in enumerate(different)}
    at = np.array([place[item] for item in items], np.int64)
    return Embedded(ready.units[at], ready.same[at], ready.notes)


def _matrix(items: list[Any], of: Source | None) -> NDArray[Any]:
    """Find the vectors of items, wherever they come from; zeros where there is none."""
    if of is None:
        raise UsageError(
            "vectors compares items by your own vectors, and none were given (fix: name a file of "
            "word vectors, vectors:of=glove.txt; in Python of= may also be a mapping or a function)"
        )
    if isinstance(of, Mapping):
        return _looked_up(items, of)
    if isinstance(of, (str, PathLike)):
        return _looked_up(items, _held(*_stamp(Path(of))))
    if not callable(of):
        raise UsageError(
            f"vectors cannot come from {quote(of)} (fix: of= is a file, a mapping from items to "
            "vectors, or a function from a list of items to a matrix)"
        )
    return _computed(items, of)


def _looked_up(items: list[Any], known: Mapping[Any, ArrayLike]) -> NDArray[np.float64]:
    if not known:
        raise UsageError("there are no vectors in what was given (fix: give some)")
    name, vector = next(iter(known.items()))
    size = len(numbers_of(name, vector))
    matrix = np.zeros((len(items), size))
    for row, item in zip(matrix, items, strict=True):
        found = vector_of(item, known) if isinstance(item, str) else None
        if found is None and item in known:
            found = numbers_of(item, known[item])
        if found is not None and len(found) != size:
            raise UsageError(
                f"{quote(name)} has {size} numbers and {quote(item)} {len(found)} (fix: all "
                "vectors must come from the same model)"
            )
        row[:] = 0.0 if found is None else found
    return matrix


def _computed(items: list[Any], of: Callable[[list[str]], ArrayLike]) -> NDArray[Any]:
    if not items:
        return np.zeros((0, 1))
    matrix = np.asarray(of(items))
    if matrix.ndim != 2 or len(matrix) != len(items) or matrix.dtype.kind not in "fiu":
        raise UsageError(
            f"the function gave an array of shape {matrix.shape} for {len(items)} items (fix: it "
            "must give a matrix of numbers with one row for each item)"
        )
    return matrix


def _stamp(path: Path) -> tuple[Path, int, int]:
    """Tell a file from what it was before it was changed."""
    try:
        about = path.stat()
    except OSError as error:
        said = error.strerror or str(error)
        raise bad(str(path), None, f"cannot be read: {said}", "name a file of vectors") from None
    return path, about.st_mtime_ns, about.st_size


@lru_cache(maxsize=2)
def _held(path: Path, changed: int, size: int) -> dict[str, NDArray[np.float32]]:
    """Read a file once, as long as it stays the same."""
    return read_vectors(path)


def compare_embedded(
    rows: Embedded, columns: Embedded, *, floor: float, clip: bool = True, **_: object
) -> NDArray[np.float64]:
    """Compare prepared items; what else was set has done its work before."""
    return cosines(rows, columns, clip=clip)


def pair_embedded(
    left: Embedded, right: Embedded, *, floor: float, clip: bool = True, **_: object
) -> NDArray[np.float64]:
    """Compare prepared items side by side."""
    return paired_cosines(left, right, clip=clip)


@many(
    prepare=_prepare,
    compare=compare_embedded,
    pairs=pair_embedded,
    floor=0.3,
    sums=sums_of,
    best=best_of,
)
def vectors(a: Any, b: Any, *, of: Source | None = None, clip: bool = True) -> float:
    """Compare two items by your own vectors: the cosine between them, 0 where it is below 0.

    Where an item has no vector of its own it gets the mean of those of its words; words that are
    not known are left out. An item without any is like itself alone.

    Parameters
    ----------
    a, b
        The items.
    of
        Where vectors come from: a word2vec or GloVe file, a mapping from items (or words) to
        vectors, or a function from a list of items to a matrix.
    clip
        Whether cosines below 0 become 0.

    Examples
    --------
    >>> mine = {"coffee": [0.6, 0.8], "tea": [0.8, 0.6], "black": [0, 1], "chair": [-1, 0]}
    >>> round(vectors("coffee", "tea", of=mine), 2)
    0.96
    >>> round(vectors("black coffee", "tea", of=mine), 2), vectors("tea", "chair", of=mine)
    (0.82, 0.0)
    >>> vectors("qwx", "qwx", of=mine), vectors("qwx", "tea", of=mine)
    (1.0, 0.0)
    """
    both = _prepare([a, b], of=of)
    return float(cosines(both[:1], both[1:], clip=clip)[0, 0])
