"""Shape context: from every point of an outline, where the others are.

Points are taken from the outline, spread evenly (each next one is the farthest from those taken).
A point's *context* is the histogram of the other points in 5 rings × 12 sectors about it; the
rings grow as a logarithm and are measured in mean distances between points, so that size does not
matter. The sectors are those of the page: a turned drawing is another one.

Two contexts g and h cost C = ½ Σ (g − h)²/(g + h). Two drawings are as far apart as their points'
cheapest counterparts cost, on average, from either side (Belongie et al., §5.2, without the
warping of one drawing onto the other).

References
----------
S. Belongie, J. Malik and J. Puzicha, "Shape matching and object recognition using shape contexts",
IEEE Transactions on Pattern Analysis and Machine Intelligence 24(4), 2002, 509–522.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consilience import progress

#: Points of an outline.
POINTS = 48
#: Rings and sectors of a histogram, and where the rings begin and end (in mean distances).
RINGS, SECTORS = 5, 12
NEAR, FAR = 1 / 8, 2.0
#: Added to sums that may be 0: 0/0 counts 0.
NOTHING = np.float32(1e-12)


def contexts(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Give the contexts of a drawing's points: points × bins, each adding up to 1.

    Examples
    --------
    >>> bar = np.zeros((21, 21), bool)
    >>> bar[10, 3:18] = True
    >>> made = contexts(bar)
    >>> made.shape, bool(np.allclose(made.sum(axis=1), 1))
    ((15, 60), True)
    """
    points = spread_out(np.argwhere(outline(mask)).astype(np.float64), POINTS)
    towards = points[None] - points[:, None]
    apart = np.hypot(towards[..., 0], towards[..., 1])
    others = ~np.eye(len(points), dtype=bool)
    unit = apart[others].mean() if len(points) > 1 else 1.0
    edges = np.geomspace(NEAR, FAR, RINGS + 1)[1:]
    ring = np.digitize(apart / unit, edges)
    angle = np.arctan2(towards[..., 0], towards[..., 1]) % (2 * np.pi)
    sector = np.floor(angle / (2 * np.pi) * SECTORS).astype(np.int64) % SECTORS
    seen = others & (ring < RINGS)
    made = np.zeros((len(points), RINGS * SECTORS))
    np.add.at(made, (np.nonzero(seen)[0], (ring * SECTORS + sector)[seen]), 1.0)
    return np.asarray(made / np.maximum(made.sum(axis=1, keepdims=True), 1.0), np.float32)


def outline(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Give the pixels of ink that touch paper."""
    from scipy.ndimage import binary_erosion

    return np.asarray(mask & ~binary_erosion(mask))


def spread_out(points: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Take points that are spread evenly: the outermost, then always the farthest from all taken.

    Examples
    --------
    >>> spread_out(np.array([[0.0, 0], [0, 1], [0, 2], [0, 4]]), 3).tolist()
    [[0.0, 4.0], [0.0, 0.0], [0.0, 2.0]]
    """
    if len(points) <= most:
        return points
    apart = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
    taken = [int(apart.argmax())]
    apart = ((points - points[taken[0]]) ** 2).sum(axis=1)
    while len(taken) < most:
        taken.append(int(apart.argmax()))
        apart = np.minimum(apart, ((points - points[taken[-1]]) ** 2).sum(axis=1))
    return points[taken]


def distances(
    queries: Sequence[NDArray[np.float32]], collection: Sequence[NDArray[np.float32]]
) -> NDArray[np.float64]:
    """Compare drawings by the contexts of their points: queries × collection."""
    made = np.empty((len(queries), len(collection)))
    for place, one in enumerate(queries):
        made[place] = [distance(one, other) for other in collection]
        progress.report(place + 1, len(queries))
    return made


def distance(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    """Give what the points of two drawings cost, each with its cheapest counterpart.

    ½ Σ (g − h)²/(g + h) = ½ Σ (g + h) − 2 Σ gh/(g + h), and the former is 1.

    Examples
    --------
    >>> one = np.float32([[0.5, 0.5], [1, 0]])
    >>> distance(one, one), distance(one, np.float32([[0, 1]])).__round__(4)
    (0.0, 1.0)
    """
    common = one[:, None] * other[None]
    common /= one[:, None] + other[None] + NOTHING
    cost = 1.0 - 2.0 * common.sum(axis=-1)
    return float(cost.min(axis=0).mean() + cost.min(axis=1).mean())
