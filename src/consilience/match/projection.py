"""Longitude and latitude as metres: the transverse Mercator projection in zones of 6°.

Zones are those of UTM without its exceptions (Norway, Svalbard): zone z has the central meridian
6z - 183. Northings count from the equator, southern ones are negative. The series of Krüger in the
third flattening n, to its sixth power, is exact to well below a millimetre far beyond a zone's
borders, across the antimeridian, and at the poles.

References
----------
C. F. F. Karney, "Transverse Mercator with an accuracy of a few nanometers", Journal of Geodesy 85,
2011, equations 7 to 14 and 35.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: WGS 84: half the axis of the equator in metres, and the flattening.
_A, _F = 6378137.0, 1 / 298.257223563
_N = _F / (2 - _F)
_E = np.sqrt(_F * (2 - _F))
#: The scale on the central meridian, and the easting of it.
_SCALE, _EAST = 0.9996, 500_000.0
_RADIUS = _A / (1 + _N) * (1 + _N**2 / 4 + _N**4 / 64 + _N**6 / 256)
#: Coefficients of n, n² … n⁶ in the series (Karney's equation 35).
_SERIES = (
    (1 / 2, -2 / 3, 5 / 16, 41 / 180, -127 / 288, 7891 / 37800),
    (0, 13 / 48, -3 / 5, 557 / 1440, 281 / 630, -1983433 / 1935360),
    (0, 0, 61 / 240, -103 / 140, 15061 / 26880, 167603 / 181440),
    (0, 0, 0, 49561 / 161280, -179 / 168, 6601661 / 7257600),
    (0, 0, 0, 0, 34729 / 80640, -3418889 / 1995840),
    (0, 0, 0, 0, 0, 212378941 / 319334400),
)
_ALPHA = tuple(sum(c * _N ** (i + 1) for i, c in enumerate(row)) for row in _SERIES)


def zone_of(longitude: float) -> int:
    """Tell the zone, 1 to 60, of a longitude in degrees.

    Examples
    --------
    >>> zone_of(11.56), zone_of(-180.0), zone_of(180.0), zone_of(179.99)
    (32, 1, 1, 60)
    """
    return int((longitude + 180) // 6 % 60) + 1


def between(first: int, second: int) -> int:
    """Give the zone halfway from one zone to another, the same both ways.

    Examples
    --------
    >>> between(32, 33), between(33, 32), between(60, 1), between(10, 14)
    (32, 32, 60, 12)
    """
    east = (second - first) % 60
    if east > 30 or (east == 30 and second < first):
        first, east = second, 60 - east
    return (first + east // 2 - 1) % 60 + 1


def metres(
    longitude: NDArray[np.float64], latitude: NDArray[np.float64], zone: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give eastings and northings in metres, in one zone.

    Examples
    --------
    >>> x, y = metres(np.array([11.56]), np.array([48.16]), 32)
    >>> round(float(x[0]), 3), round(float(y[0]), 3)
    (690366.352, 5337253.209)
    """
    away = np.radians((longitude - (6 * zone - 183) + 180) % 360 - 180)
    tan = np.tan(np.radians(latitude))
    root = np.sqrt(1 + tan**2)
    sigma = np.sinh(_E * np.arctanh(_E * tan / root))
    conformal = tan * np.sqrt(1 + sigma**2) - sigma * root
    north = np.arctan2(conformal, np.cos(away))
    east = np.arcsinh(np.sin(away) / np.hypot(conformal, np.cos(away)))
    x, y = east.copy(), north.copy()
    for k, alpha in enumerate(_ALPHA, start=1):
        x += alpha * np.cos(2 * k * north) * np.sinh(2 * k * east)
        y += alpha * np.sin(2 * k * north) * np.cosh(2 * k * east)
    return _EAST + _SCALE * _RADIUS * x, _SCALE * _RADIUS * y
