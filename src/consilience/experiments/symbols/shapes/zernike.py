"""Zernike moments: a shape in the disc about its centre, as a sum of orthogonal waves.

Z(n, l) = (n + 1)/π Σ f(ρ, θ) V*(n, l; ρ, θ) over the pixels of a disc that reaches to the farthest
ink, with the sum of the ink as unit. Turning the drawing turns the phase of a moment and leaves its
magnitude. Magnitudes up to order 10 are kept (without Z(0, 0), which is the same for all); they are
computed by mahotas. Two descriptors are compared by their Euclidean distance.

References
----------
A. Khotanzad and Y. H. Hong, "Invariant image recognition by Zernike moments", IEEE Transactions on
Pattern Analysis and Machine Intelligence 12(5), 1990, 489–497.
L. P. Coelho, "Mahotas: open source software for scriptable computer vision", Journal of Open
Research Software 1(1), 2013, e3.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consilience.experiments.symbols.shapes.ink import centred, reach

#: The highest order of a moment.
ORDER = 10


def moments(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give the magnitudes of the moments, order by order.

    Examples
    --------
    >>> bar = np.zeros((21, 21), bool)
    >>> bar[10, 3:18] = True
    >>> bool(np.allclose(moments(bar), moments(bar.T)))
    True
    """
    from mahotas.features import zernike_moments

    centre = np.argwhere(mask).mean(axis=0)
    radius = reach(centred(mask)) + 1
    found = zernike_moments(mask, radius, degree=ORDER, cm=tuple(centre))
    return np.asarray(found[1:], np.float64)


def distances(
    queries: Sequence[NDArray[np.float64]], collection: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Compare moments: Euclidean distances, queries × collection."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(np.stack(queries), np.stack(collection)))
