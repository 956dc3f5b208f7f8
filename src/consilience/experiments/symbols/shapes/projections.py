"""The R-signature: how unevenly ink is spread when a shape is projected from all directions.

A drawing f is projected along every direction θ (its Radon transform, T(ρ, θ)), and
R(θ) = ∫ T(ρ, θ)² dρ. Moving the drawing moves T along ρ, which R does not see; turning it shifts R
in a circle, so the magnitudes of its Fourier series stay; enlarging it multiplies R, so they are
divided by the mean. Two signatures are compared by their Euclidean distance.

References
----------
S. Tabbone, L. Wendling and J.-P. Salmon, "A new shape descriptor defined on the Radon transform",
Computer Vision and Image Understanding 102(1), 2006, 42–51.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.experiments.symbols.shapes.ink import centred, reach

#: Directions of projection: one every 5 degrees of the half circle.
DIRECTIONS = 36


def signature(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give the magnitudes of the Fourier series of R(θ), over its mean.

    Examples
    --------
    >>> bar = np.zeros((21, 21), bool)
    >>> bar[10, 3:18] = True
    >>> bool(np.allclose(signature(bar), signature(bar.T), atol=0.01))
    True
    """
    series = np.abs(np.fft.rfft((projected(mask) ** 2).sum(axis=0)))
    return np.asarray(series[1:] / series[0], np.float64)


def projected(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give the Radon transform of a drawing about its centre, places × directions."""
    from skimage import transform

    points = centred(mask)
    half = int(np.ceil(reach(points))) + 2
    canvas = np.zeros((2 * half + 1, 2 * half + 1))
    # np.rint would put neighbours on one pixel where the centre lies halfway between two
    row, column = np.floor(points + 0.5).astype(np.int64).T + half
    canvas[row, column] = 1.0
    angles = np.arange(DIRECTIONS) * 180.0 / DIRECTIONS
    radon: Any = transform.radon  # comes without types
    return np.asarray(radon(canvas, theta=angles, circle=True), np.float64)


def distances(
    queries: Sequence[NDArray[np.float64]], collection: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Compare signatures: Euclidean distances, queries × collection."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(np.stack(queries), np.stack(collection)))
