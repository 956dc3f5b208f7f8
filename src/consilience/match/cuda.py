"""The work of :mod:`consilience.match.devices` on a graphics processor, through torch.

Only this file uses torch, and only when it is called.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import unknown
from consilience.match.devices import PRECISIONS, directions, to_the_right
from consilience.match.kernel import spans

if TYPE_CHECKING:
    from numpy.typing import NDArray


def row_sums(
    table: NDArray[Any],
    weight: NDArray[np.float64],
    least: float | None,
    precision: str,
    block: int,
) -> NDArray[np.float64]:
    """Sum similarities as :func:`consilience.match.devices.row_sums` does."""
    import torch

    units = units_of(table)
    left, right = factors(units, precision)
    length = len(table)
    wide = torch.from_numpy(np.ascontiguousarray(weight.T)).to("cuda")
    sums, narrow = torch.zeros_like(wide), wide.float()
    held = torch.empty(min(block, length) ** 2, dtype=torch.float32, device="cuda")
    with _multiplied(precision):
        for rows in spans(length, block):
            for columns in to_the_right(rows, length, block):
                found = _product(left[rows], right[columns], held)
                if least is not None:
                    # What is not above the second number becomes the third.
                    torch.threshold_(found, _just_below(least), 0.0)
                # One column after the other: products of matrices may go to the tensor cores.
                for total, one in zip(sums, narrow, strict=True):
                    total[rows] += torch.mv(found, one[columns])
                    if columns.start > rows.start:
                        total[columns] += torch.mv(found.t(), one[rows])
    lost = ~units.any(dim=1)
    sums[:, lost] = wide[:, lost]
    gathered: NDArray[np.float64] = sums.cpu().numpy()
    return gathered.T


def best_matches(
    left: NDArray[Any], right: NDArray[Any], precision: str, block: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Find best matches as :func:`consilience.match.devices.best_matches` does."""
    import torch

    ours, _ = factors(units_of(left), precision)
    _, theirs = factors(units_of(right), precision)
    best = torch.full((len(left),), -torch.inf, dtype=torch.float32, device="cuda")
    place = torch.full((len(left),), -1, dtype=torch.int64, device="cuda")
    size = min(block, len(left)) * min(block, len(right))
    held = torch.empty(size, dtype=torch.float32, device="cuda")
    with _multiplied(precision):
        for rows in spans(len(left), block):
            for columns in spans(len(right), block):
                value, here = _product(ours[rows], theirs[columns], held).max(dim=1)
                better = value > best[rows]
                best[rows] = torch.where(better, value, best[rows])
                place[rows] = torch.where(better, here + columns.start, place[rows])
    return best.double().cpu().numpy(), place.cpu().numpy()


def _product(rows: Any, columns: Any, held: Any) -> Any:
    """Multiply into memory that is held, so that none is asked for in the loop."""
    import torch

    found = held[: len(rows) * len(columns)].view(len(rows), len(columns))
    return torch.mm(rows, columns.t(), out=found)


def _just_below(least: float) -> float:
    return float(np.nextafter(np.float32(least), np.float32(-1))) if least else 0.0


def units_of(table: NDArray[Any]) -> Any:
    """Bring every row to length 1 on the graphics processor, in 64 bits."""
    import torch

    units = torch.empty(table.shape, dtype=torch.float32, device="cuda")
    kind = np.float32 if table.dtype == np.float32 else np.float64
    for part in spans(len(table), 1 << 16):
        wide = torch.from_numpy(np.ascontiguousarray(table[part], kind)).to("cuda").double()
        squares = (wide * wide).sum(dim=1)
        if bool((~((squares > 1e-200) & (squares < 1e200))).any()):
            units[part] = torch.from_numpy(directions(table[part], first=part.start)).to("cuda")
        else:
            units[part] = wide / squares.sqrt()[:, None]
    return units


def factors(units: Any, precision: str) -> tuple[Any, Any]:
    """Give vectors as the rows and as the columns of products.

    Tensor cores take the first 11 bits of a number. A number of 24 bits is the sum of a high part
    of 11 and a low part, and x·y = high·high + high·low + low·high to 1e-7; side by side, these
    three products are one of vectors three times as long. (Tensor cores also cut off what they
    add up, so that sums are some 1e-5 too small.)
    """
    import torch

    if precision not in PRECISIONS:
        raise unknown("precision", precision, PRECISIONS)
    if precision != "split":
        return units, units
    high = (units.view(torch.int32) & -(1 << 13)).view(torch.float32)
    low = units - high
    return torch.cat([high, high, low], dim=1), torch.cat([high, low, high], dim=1)


@contextmanager
def _multiplied(precision: str) -> Iterator[None]:
    """Set how torch multiplies numbers of 32 bits, and put it back."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision("highest" if precision == "float32" else "high")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)
