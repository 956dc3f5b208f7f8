"""Sums and best matches of the cosines of many vectors, on processors and on graphics processors.

Soft cardinality needs, of n vectors, the sum of every row of their n × n table of similarities;
coverage needs every row's best match. Neither needs the table: it is made block by block, each
block is a product of two matrices, and only its sums (or its best) are kept. As the table is the
same both ways, only the blocks on and above the diagonal are made.

The numbers do not depend on where they are made. Vectors are brought to length 1 in 64 bits,
products are made in 32 bits and sums are gathered in 64, so that sums are within 1e-6 of those in
64 bits throughout. A graphics processor can be faster and less exact: ``precision="split"`` makes
products from three of the tensor cores (sums within 1e-5), ``"tf32"`` from one (cosines of three
digits). What is within 1e-6 of the floor counts as being at it; the last bit decides there.

Only numpy is needed; torch is imported when a graphics processor is asked for, or when one could
be worth it (``device="auto"``, many vectors, torch installed).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, unknown
from consilience.match.kernel import spans

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

DEVICES = ("auto", "cpu", "cuda")
PRECISIONS = ("float32", "split", "tf32")
#: From so many vectors on a graphics processor is used where there is one.
LARGE = 20_000
#: Rows and columns of a block, in a processor's cache and in a graphics processor's.
ON_CPU, ON_CUDA = 2048, 8192
#: Rows of a block that are summed at once: they stay in a core's cache.
STRIP = 64
#: A cosine of 32 bits that is this little below the floor is at the floor.
SLACK = 1e-6


@dataclass(frozen=True, slots=True)
class Best:
    """Of every row the largest similarity, and the column that has it (-1: none above 0)."""

    similarity: NDArray[np.float64]
    place: NDArray[np.int64]


def row_sums(
    matrix: ArrayLike,
    *,
    floor: float = 0.0,
    weights: ArrayLike | None = None,
    device: str = "auto",
    clip: bool = True,
    precision: str = "float32",
    block: int | None = None,
) -> NDArray[np.float64]:
    """Sum the similarities of every vector to all vectors, itself included.

    The sum of row i is Σ_j w_j · s_ij with s_ij the cosine of vectors i and j, 0 where it is below
    the floor. A vector of zeros has no direction: it is like itself (1) and like nothing else.

    Parameters
    ----------
    matrix
        A vector in every row; it need not have length 1.
    floor
        Similarities below it count as 0.
    weights
        How much each column counts; 1 by default. Several columns of weights (vectors × columns)
        give as many columns of sums.
    device
        ``"cpu"``, ``"cuda"``, or ``"auto"``: a graphics processor where there is one and the
        vectors are many.
    clip
        Whether cosines below 0 count as 0.
    precision
        On a graphics processor: ``"float32"`` gives the same numbers as a processor, ``"split"``
        the same to 1e-5 in about half the time, ``"tf32"`` cosines of three digits.
    block
        Rows and columns of a block.

    Examples
    --------
    >>> row_sums([[1, 0], [1, 0], [3, 4], [0, -1]]).round(6).tolist()
    [2.6, 2.6, 2.2, 1.0]
    >>> row_sums([[1, 0], [1, 0], [3, 4], [0, -1]], floor=0.7).round(6).tolist()
    [2.0, 2.0, 1.0, 1.0]
    """
    table = _table(matrix)
    weight = _weights(weights, len(table))
    least = _least(floor, clip=clip)
    if _chosen(device, len(table)) == "cuda":
        from consilience.match import cuda

        sums = cuda.row_sums(table, weight, least, precision, block or ON_CUDA)
    else:
        sums = _row_sums_numpy(unit_rows(table), weight, least, block or ON_CPU)
    return sums.reshape(np.shape(weights) if weights is not None else -1)


def best_matches(
    rows: ArrayLike,
    columns: ArrayLike,
    *,
    floor: float = 0.0,
    device: str = "auto",
    precision: str = "float32",
    block: int | None = None,
) -> Best:
    """Find for every row the column whose vector is most alike.

    Parameters
    ----------
    rows, columns
        A vector in every row of each.
    floor
        What is less alike is no match; nor is what has a cosine of 0 or less.
    device, precision, block
        As in :func:`row_sums`.

    Examples
    --------
    >>> best = best_matches([[1, 0], [0, -1]], [[0, 1], [3, 4], [1, 0.1]])
    >>> best.similarity.round(3).tolist(), best.place.tolist()
    ([0.995, 0.0], [2, -1])
    """
    left, right = _table(rows), _table(columns)
    if left.size and right.size and left.shape[1] != right.shape[1]:
        raise UsageError(
            f"vectors of rows have {left.shape[1]} numbers and those of columns {right.shape[1]} "
            "(fix: both must come from the same model)"
        )
    if not left.size or not right.size:
        found, place = np.zeros(len(left)), np.full(len(left), -1)
    elif _chosen(device, max(len(left), len(right))) == "cuda":
        from consilience.match import cuda

        found, place = cuda.best_matches(left, right, precision, block or ON_CUDA)
    else:
        found, place = _best_numpy(unit_rows(left), unit_rows(right), block or ON_CPU)
    none = (found < floor - SLACK) | (found <= SLACK)
    found[none], place[none] = 0.0, -1
    return Best(np.minimum(found, 1.0), place)


def unit_rows(matrix: ArrayLike) -> NDArray[np.float32]:
    """Bring every row to length 1, in 64 bits, and keep 32; a row of zeros stays as it is.

    Examples
    --------
    >>> unit_rows([[3, 4], [0, 0]]).round(3).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    given = _table(matrix)
    units = np.empty(given.shape, np.float32)
    for part in spans(len(given), 4096):
        units[part] = directions(given[part], first=part.start)
    return units


def directions(rows: ArrayLike, *, first: int = 0) -> NDArray[np.float64]:
    """Divide every row by its length, in 64 bits; a row of zeros stays as it is."""
    wide = np.array(rows, np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", wide, wide)
    odd = ~(
        (squares > 1e-200) & (squares < 1e200)
    )  # too small or large to be squared, or no number
    if odd.any():
        largest = np.abs(wide[odd]).max(axis=1, initial=0.0)
        if not np.isfinite(largest).all():
            place = first + int(np.flatnonzero(odd)[~np.isfinite(largest)][0])
            raise _not_finite(place)
        wide[odd] /= np.where(largest > 0, largest, 1.0)[:, None]
        squares[odd] = np.maximum(np.einsum("ij,ij->i", wide[odd], wide[odd]), largest == 0)
    wide /= np.sqrt(squares)[:, None]
    return wide


def _table(matrix: ArrayLike) -> NDArray[Any]:
    """See that vectors are rows of numbers."""
    given = np.asarray(matrix)
    if given.ndim != 2 or given.dtype.kind not in "fiu":
        raise UsageError(
            f"vectors are a table of numbers, found {given.ndim} dimensions of {given.dtype} "
            "(fix: give one row of numbers for each item)"
        )
    return given


def _not_finite(place: int) -> UsageError:
    return UsageError(
        f"vector {place + 1} has numbers that are not finite (fix: leave such items out)"
    )


def _weights(weights: ArrayLike | None, length: int) -> NDArray[np.float64]:
    """Give weights as columns, one row for each vector."""
    if weights is None:
        return np.ones((length, 1))
    given = np.asarray(weights, np.float64)
    if given.ndim not in (1, 2) or len(given) != length or not np.isfinite(given).all():
        raise UsageError(
            f"{length} vectors need as many finite weights, found {len(given)} (fix: give one "
            "number for each vector)"
        )
    return given if given.ndim == 2 else given[:, None]


def _least(floor: float, *, clip: bool) -> float | None:
    """Give what a cosine must be to count; None where all count."""
    if floor > 0:
        return floor - SLACK
    return 0.0 if clip else None


def _chosen(device: str, length: int) -> str:
    """Decide where to compute; torch is looked for only if it would be used."""
    if device not in DEVICES:
        raise unknown("device", device, DEVICES)
    if device == "cpu" or (device == "auto" and length < LARGE):
        return "cpu"
    if find_spec("torch") is None:
        if device == "cuda":
            raise UsageError(
                "a graphics processor is used through torch, which is not installed "
                "(fix: pip install 'consilience[gpu]', or device='cpu')"
            )
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if device == "cuda":
        raise UsageError("torch finds no graphics processor here (fix: use device='cpu')")
    return "cpu"


def _row_sums_numpy(
    units: NDArray[np.float32], weight: NDArray[np.float64], least: float | None, block: int
) -> NDArray[np.float64]:
    sums = np.zeros(weight.shape)
    narrow = weight.astype(np.float32)
    held = np.empty(min(block, len(units)) ** 2, np.float32)
    for rows in spans(len(units), block):
        for columns in to_the_right(rows, len(units), block):
            shape = rows.stop - rows.start, columns.stop - columns.start
            found = held[: shape[0] * shape[1]].reshape(shape)
            np.matmul(units[rows], units[columns].T, out=found)
            for part in spans(shape[0], STRIP):
                strip = found[part]
                if least is not None:
                    np.multiply(strip, strip >= least, out=strip)
                sums[rows][part] += strip @ narrow[columns]
            if columns.start > rows.start:
                sums[columns] += found.T @ narrow[rows]
    lost = ~units.any(axis=1)
    sums[lost] = weight[lost]
    return sums


def to_the_right(rows: slice, length: int, block: int) -> Iterator[slice]:
    """Part what lies on and to the right of the diagonal."""
    for begin in range(rows.start, length, block):
        yield slice(begin, min(begin + block, length))


def _best_numpy(
    left: NDArray[np.float32], right: NDArray[np.float32], block: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    best = np.full(len(left), -np.inf)
    place = np.full(len(left), -1, np.int64)
    for rows in spans(len(left), block):
        for columns in spans(len(right), block):
            found = left[rows] @ right[columns].T
            here = found.argmax(axis=1)
            value = found[np.arange(len(found)), here]
            better = value > best[rows]
            best[rows] = np.where(better, value, best[rows])
            place[rows] = np.where(better, here + columns.start, place[rows])
    return best, place
