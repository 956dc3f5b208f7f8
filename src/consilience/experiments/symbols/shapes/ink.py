"""Where the ink of a drawing is: its pixels about their centre, and how far they reach."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def centred(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give the pixels of ink as (row, column), about their centre of mass.

    Examples
    --------
    >>> centred(np.array([[True, False, True]])).tolist()
    [[0.0, -1.0], [0.0, 1.0]]
    """
    pixels = np.argwhere(mask).astype(np.float64)
    return np.asarray(pixels - pixels.mean(axis=0), np.float64)


def reach(points: NDArray[np.float64]) -> float:
    """Tell how far the farthest point is from the centre."""
    return float(np.hypot(points[:, 0], points[:, 1]).max())


def spread(points: NDArray[np.float64]) -> float:
    """Tell how far points are from the centre, as the root of the mean square; at least 1."""
    return max(float(np.sqrt((points**2).sum(axis=1).mean())), 1.0)
