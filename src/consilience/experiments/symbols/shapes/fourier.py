"""The generic Fourier descriptor: the spectrum of a shape over radius and angle.

A drawing is read off on circles about its centre of mass, out to the farthest ink, as a picture of
radius × angle; turning the drawing shifts that picture along the angle. Of its two-dimensional
Fourier transform F the magnitudes are kept, which do not see the shift: the first 4 radial and 9
angular frequencies, all divided by F(0, 0), which itself becomes the mean of that picture.
Two descriptors are compared by their city-block distance.

References
----------
D. Zhang and G. Lu, "Shape-based image retrieval using generic Fourier descriptor", Signal
Processing: Image Communication 17(10), 2002, 825–848.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consilience.experiments.symbols.shapes.ink import centred, reach

#: Circles and points on each circle.
RADII, ANGLES = 32, 64
#: Frequencies that are kept, as the authors recommend: radial and angular.
RADIAL, ANGULAR = 4, 9


def spectrum(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Give the 36 magnitudes, radial frequency by radial frequency.

    Examples
    --------
    >>> bar = np.zeros((21, 21), bool)
    >>> bar[10, 3:18] = True
    >>> bool(np.allclose(spectrum(bar), spectrum(bar.T)))
    True
    """
    magnitudes = np.abs(np.fft.fft2(polar(mask))[:RADIAL, :ANGULAR]).ravel()
    whole = magnitudes[0]
    made = np.asarray(magnitudes / whole, np.float64)
    made[0] = whole / (RADII * ANGLES)
    return made


def polar(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Read a drawing off on circles about its centre: radii × angles, between pixels linearly."""
    from scipy.ndimage import map_coordinates

    centre = np.argwhere(mask).mean(axis=0)
    farthest = max(reach(centred(mask)), 1.0)
    radius = (np.arange(RADII) + 0.5) / RADII * farthest
    angle = np.arange(ANGLES) / ANGLES * 2 * np.pi
    rows = centre[0] + radius[:, None] * np.sin(angle)
    columns = centre[1] + radius[:, None] * np.cos(angle)
    return np.asarray(map_coordinates(mask.astype(np.float64), [rows, columns], order=1))


def distances(
    queries: Sequence[NDArray[np.float64]], collection: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Compare spectra: city-block distances, queries × collection."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(np.stack(queries), np.stack(collection), "cityblock"))
