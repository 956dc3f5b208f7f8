"""Straight strokes of a drawing: its skeleton, taken apart at junctions and corners.

Ink is thinned to lines one pixel wide. Pixels with three neighbours or more are junctions; without
them the skeleton falls into paths, and a path is cut at its corners until no pixel lies farther
from its chord than a share of the drawing's size (Ramer 1972; Douglas & Peucker 1973).

References
----------
U. Ramer, "An iterative procedure for the polygonal approximation of plane curves", Computer
Graphics and Image Processing 1(3), 1972, 244–256.
D. H. Douglas and T. K. Peucker, "Algorithms for the reduction of the number of points required to
represent a digitized line or its caricature", Cartographica 10(2), 1973, 112–122.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Ends of strokes, pairs of (row, column): strokes × 2 × 2.
Strokes = NDArray[np.float64]
#: The eight neighbours of a pixel, the four straight ones first.
AROUND = ((-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
#: Strokes shorter than this many pixels are specks.
SHORTEST = 1.0


def straight_strokes(mask: NDArray[np.bool_], *, off: float) -> Strokes:
    """Take a drawing apart into straight strokes that no pixel is farther than ``off`` from.

    Examples
    --------
    >>> corner = np.zeros((12, 12), bool)
    >>> corner[2, 2:10] = corner[2:10, 2] = True
    >>> len(straight_strokes(corner, off=1.5))
    2
    """
    pieces = []
    for path in paths(mask):
        cuts = [0, *corners(path, off), len(path) - 1]
        pieces += [(path[i], path[j]) for i, j in pairwise(cuts)]
    long = [(a, b) for a, b in pieces if np.hypot(*(b - a)) >= SHORTEST]
    return np.array(long, np.float64).reshape(-1, 2, 2)


def paths(mask: NDArray[np.bool_]) -> list[NDArray[np.float64]]:
    """Give the lines of a skeleton between its junctions, each pixel by pixel."""
    from scipy.ndimage import convolve, label
    from skimage import morphology

    thinned: Any = morphology.skeletonize  # comes without types
    lines: NDArray[np.bool_] = thinned(mask)
    neighbours = convolve(lines.astype(np.int64), np.ones((3, 3), np.int64), mode="constant") - 1
    parts, number = label(lines & (neighbours < 3), structure=np.ones((3, 3)))
    pixels: list[set[tuple[int, int]]] = [set() for _ in range(number)]
    for row, column in np.argwhere(parts).tolist():
        pixels[int(parts[row, column]) - 1].add((row, column))
    return [_walked(part) for part in pixels]


def _walked(pixels: set[tuple[int, int]]) -> NDArray[np.float64]:
    """Order the pixels of a path, from an end of it; of a ring, from its first pixel."""

    def beside(pixel: tuple[int, int]) -> list[tuple[int, int]]:
        around = [(pixel[0] + row, pixel[1] + column) for row, column in AROUND]
        return [one for one in around if one in pixels]

    ends = [one for one in pixels if len(beside(one)) <= 1]
    walked = [min(ends or pixels)]
    seen = {walked[0]}
    while onward := [one for one in beside(walked[-1]) if one not in seen]:
        walked.append(onward[0])
        seen.add(onward[0])
    return np.array(walked, np.float64)


def corners(path: NDArray[np.float64], off: float) -> list[int]:
    """Say where a path must be cut so that its pieces are straight.

    Examples
    --------
    >>> corners(np.array([[0.0, 0], [0, 1], [0, 2], [1, 2], [2, 2]]), 0.5)
    [2]
    """
    if len(path) < 3:
        return []
    from_start, chord = path - path[0], path[-1] - path[0]
    length = np.hypot(*chord)
    if length:
        away = np.abs(from_start[:, 0] * chord[1] - from_start[:, 1] * chord[0]) / length
    else:
        away = np.hypot(from_start[:, 0], from_start[:, 1])
    cut = int(away.argmax())
    if away[cut] <= off:
        return []
    later = (cut + one for one in corners(path[cut:], off))
    return [*corners(path[: cut + 1], off), cut, *later]
