r"""How alike two GPS tracks are: the share of the grid cells that they go through together.

A track becomes the set C of all cells of a grid (25 m) that its line goes through; points need not
be dense, for the line between them counts. Two devices on one road may well record neighbouring
cells, so a cell next to the other track's counts as well: with C^d the cells around C,

    C-SIM(A, B) = (\|A ∩ B\| + \|A ∩ B^d\| + \|B ∩ A^d\|) / (\|A\| + \|B\| - \|A ∩ B\|).

The three sets above the line are parts of A ∪ B that have nothing in common (A ∩ B, some of A
without B, some of B without A), and the line below is \|A ∪ B\|. So C-SIM lies in [0, 1] without
any clipping, and is 1 where every cell of each track is one of the other's or next to one.

Cells are metres, in the zone of the transverse Mercator projection that lies halfway between the
two tracks (:mod:`consilience.match.projection`): the same for a pair whatever else is compared.

References
----------
R. Mariescu-Istodor and P. Fränti, "Grid-based method for GPS route analysis for retrieval", ACM
Transactions on Spatial Algorithms and Systems 3(3), 2017.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, is_number, quote
from consilience.formats.tracked import parsed, short
from consilience.match import grid
from consilience.match.kernel import many, objects
from consilience.match.projection import between, metres, zone_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["c_inc", "c_sim", "short"]

#: How long the sides of cells may be, in metres.
SMALLEST, LARGEST = 0.1, 100_000.0
#: How far from its middle meridian a track may lead: there lengths are off by 6 %.
_FAR = np.sin(np.radians(20))
#: The most cells of one track, the most of tracks that are compared together, and of how many the
#: neighbours are looked for at a time.
MOST, MOST_IN_ALL, _AT_ONCE = 2_000_000, 50_000_000, 500_000
#: A degree of latitude in metres, a little less than it is; beyond this latitude all meridians
#: are near each other.
_DEGREE, _POLE = 110_000.0, 89.0


@dataclass(slots=True)
class _Held:
    """A prepared track: where it lies, and its cells in every zone that was asked for."""

    parts: tuple[NDArray[np.float64], ...]
    zone: int
    west: float
    east: float
    south: float
    north: float
    cells: dict[int, tuple[NDArray[np.int64], NDArray[np.int64]]] = field(default_factory=dict)


def _prepare(items: Sequence[Any], *, cell: float = 25.0) -> NDArray[np.object_]:
    if not is_number(cell) or not SMALLEST <= cell <= LARGEST:
        wide = f"{SMALLEST:g} to {LARGEST:,.0f} metres wide"
        raise UsageError(f"cells must be {wide}, found {quote(cell)} (fix: 25)")
    return objects([_held(parsed(item)) for item in items])


def _held(parts: tuple[NDArray[np.float64], ...]) -> _Held:
    points = np.concatenate(parts)
    longitude = np.unwrap(points[:, 0], period=360)
    low, high = float(longitude.min()), float(longitude.max())
    zone = zone_of((low + high) / 2)
    away = np.radians(points[:, 0] - (6 * zone - 183))
    reach = np.abs(np.sin(away)) * np.cos(np.radians(points[:, 1]))
    over = np.abs(points[:, 1]) < _POLE
    if (over & ((reach > _FAR) | ((np.cos(away) < 0) & (np.abs(points[:, 1]) < 80)))).any():
        raise UsageError(
            f"a track leads from longitude {low:.1f} to {high:.1f}, too far for a flat grid "
            "(fix: cut it into parts of at most 34 degrees)"
        )
    south, north = float(points[:, 1].min()), float(points[:, 1].max())
    if max(-south, north) > _POLE:
        low, high = -180.0, 180.0
    return _Held(parts, zone, low, high, south, north)


def _fill(tracks: Sequence[_Held], zone: int, cell: float) -> None:
    """Find the cells of those tracks that were not asked for in this zone before."""
    fresh = [
        one for one in {id(track): track for track in tracks}.values() if zone not in one.cells
    ]
    if not fresh:
        return
    parts = [(place, part) for place, one in enumerate(fresh) for part in one.parts]
    points = np.concatenate([part for _, part in parts])
    line = np.repeat(np.arange(len(parts)), [len(part) for _, part in parts])
    owner = np.array([place for place, _ in parts])
    x, y = (along / cell for along in metres(points[:, 0], points[:, 1], zone))
    begins = _begins(grid.crossings(x, y, line), owner[line], cell)
    for first, last in itertools.pairwise([*begins, len(fresh)]):
        mine = (owner[line] >= first) & (owner[line] < last)
        _fill_some(fresh[first:last], zone, x[mine], y[mine], line[mine], owner - first)


def _begins(crossed: NDArray[np.int64], owner: NDArray[np.int64], cell: float) -> list[int]:
    """Part tracks into groups that go through so many cells that memory holds them easily."""
    many = np.bincount(owner, weights=crossed)
    if many.max() > MOST or many.sum() > MOST_IN_ALL:
        most, whose = (MOST, "a track goes") if many.max() > MOST else (MOST_IN_ALL, "tracks go")
        raise UsageError(
            f"{whose} through more than {most:,} cells of {cell:g} m (fix: larger cells, such as "
            "c-sim:cell=25)"
        )
    return np.flatnonzero(np.diff(np.cumsum(many) // _AT_ONCE, prepend=-1)).tolist()


def _fill_some(
    fresh: Sequence[_Held],
    zone: int,
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    line: NDArray[np.int64],
    owner: NDArray[np.int64],
) -> None:
    code, lines = grid.traversed(x, y, line)
    code, track = grid.once(code, owner[lines])
    wide, wider = grid.once(grid.grown(code).ravel(), np.repeat(track, 9))
    places = np.arange(1, len(fresh))
    own = np.split(code, np.searchsorted(track, places))
    more = np.split(wide, np.searchsorted(wider, places))
    for one, cells, around in zip(fresh, own, more, strict=True):
        one.cells[zone] = (cells, around)


@dataclass(frozen=True, slots=True)
class _Shared:
    """For rows and columns: how many cells each has, and how many of them are shared.

    ``both`` counts A ∩ B, ``left`` A ∩ B^d, ``right`` B ∩ A^d.
    """

    both: NDArray[np.float64]
    left: NDArray[np.float64]
    right: NDArray[np.float64]
    rows: NDArray[np.float64]
    columns: NDArray[np.float64]


def _tables(tracks: Sequence[_Held], zone: int, known: NDArray[np.int64]) -> tuple[Any, Any]:
    """Give tracks × cells, and tracks × cells with those around; only cells that are known."""
    from scipy.sparse import csr_array

    made = []
    for which in (0, 1):
        codes = [one.cells[zone][which] for one in tracks]
        line = np.repeat(np.arange(len(codes)), [len(code) for code in codes])
        code = np.concatenate(codes)
        place = np.minimum(np.searchsorted(known, code), len(known) - 1)
        inside = known[place] == code
        ones = np.ones(int(inside.sum()))
        shape = (len(codes), len(known))
        made.append(csr_array((ones, (line[inside], place[inside])), shape=shape))
    return made[0], made[1]


def _shared(rows: Sequence[_Held], columns: Sequence[_Held], zone: int) -> _Shared:
    known = np.unique(np.concatenate([one.cells[zone][0] for one in (*rows, *columns)]))
    a, wide_a = _tables(rows, zone, known)
    b, wide_b = _tables(columns, zone, known)
    both = (a @ b.T).toarray()
    size_a, size_b = ([len(one.cells[zone][0]) for one in side] for side in (rows, columns))
    return _Shared(
        both,
        (a @ wide_b.T).toarray() - both,
        (wide_a @ b.T).toarray() - both,
        np.array(size_a, np.float64)[:, None],
        np.array(size_b, np.float64)[None, :],
    )


def _shared_pairs(left: Sequence[_Held], right: Sequence[_Held], zone: int) -> _Shared:
    known = np.unique(np.concatenate([one.cells[zone][0] for one in (*left, *right)]))
    a, wide_a = _tables(left, zone, known)
    b, wide_b = _tables(right, zone, known)
    both = np.asarray((a * b).sum(axis=1))
    size_a, size_b = ([len(one.cells[zone][0]) for one in side] for side in (left, right))
    return _Shared(
        both,
        np.asarray((a * wide_b).sum(axis=1)) - both,
        np.asarray((wide_a * b).sum(axis=1)) - both,
        np.array(size_a, np.float64),
        np.array(size_b, np.float64),
    )


def _sim(one: _Shared) -> NDArray[np.float64]:
    return np.asarray((one.both + one.left + one.right) / (one.rows + one.columns - one.both))


def _inc(one: _Shared) -> NDArray[np.float64]:
    return np.asarray((one.both + one.left) / one.rows)


def _compare(
    rows: NDArray[np.object_], columns: NDArray[np.object_], cell: float, of: Any
) -> NDArray[np.float64]:
    """Compare block by block of zones; tracks that lie far apart share nothing."""
    found = np.zeros((len(rows), len(columns)))
    zones = [np.array([one.zone for one in side], np.int64) for side in (rows, columns)]
    for first in np.unique(zones[0]).tolist():
        for second in np.unique(zones[1]).tolist():
            up, down = np.flatnonzero(zones[0] == first), np.flatnonzero(zones[1] == second)
            up = up[_near(rows[up], columns[down], cell)]
            down = down[_near(columns[down], rows[up], cell)] if len(up) else up
            if len(up) and len(down):
                zone = between(first, second)
                for mine in _some(rows, up, zone, cell):
                    for theirs in _some(columns, down, zone, cell):
                        shared = _shared(list(rows[mine]), list(columns[theirs]), zone)
                        found[np.ix_(mine, theirs)] = of(shared)
    return found


def _pairs(
    left: NDArray[np.object_], right: NDArray[np.object_], cell: float, of: Any
) -> NDArray[np.float64]:
    found = np.zeros(len(left))
    zones = np.array([between(a.zone, b.zone) for a, b in zip(left, right, strict=True)], np.int64)
    for zone in np.unique(zones).tolist():
        _fill(list(right[zones == zone]), zone, cell)
        for some in _some(left, np.flatnonzero(zones == zone), zone, cell):
            found[some] = of(_shared_pairs(list(left[some]), list(right[some]), zone))
    return found


def _some(
    tracks: NDArray[np.object_], places: NDArray[np.int64], zone: int, cell: float
) -> list[NDArray[np.int64]]:
    """Part places of tracks into groups that have not too many cells."""
    _fill(list(tracks[places]), zone, cell)
    many = np.cumsum([len(one.cells[zone][0]) for one in tracks[places]])
    return np.split(places, np.flatnonzero(np.diff(many // _AT_ONCE)) + 1)


def _near(
    tracks: NDArray[np.object_], others: NDArray[np.object_], cell: float
) -> NDArray[np.bool_]:
    """Tell which tracks may share a cell with any of the others, by the boxes around them."""
    if not len(others):
        return np.zeros(len(tracks), bool)
    box = np.array([[one.west, one.east, one.south, one.north] for one in tracks])
    south, north = min(one.south for one in others), max(one.north for one in others)
    high = 3 * cell / _DEGREE
    top = np.maximum(np.abs(box[:, 2:]).max(axis=1), max(-south, north)) + high
    wide = high / np.maximum(np.cos(np.radians(np.minimum(top, _POLE))), 1e-3)
    fits = (box[:, 2] - high <= north) & (box[:, 3] + high >= south)
    meets = np.zeros(len(tracks), bool)
    spans = {(one.west, one.east) for one in others}
    west, east = (np.array(ends) for ends in zip(*spans, strict=True))
    for turn in (-360.0, 0.0, 360.0):
        over = (box[:, 0] - wide)[:, None] <= east + turn
        over &= (box[:, 1] + wide)[:, None] >= west + turn
        meets |= np.asarray(over.any(axis=1))
    return np.asarray(fits & meets)


def _compare_sim(
    rows: NDArray[np.object_], columns: NDArray[np.object_], *, floor: float, cell: float = 25.0
) -> NDArray[np.float64]:
    return _compare(rows, columns, cell, _sim)


def _pairs_sim(
    left: NDArray[np.object_], right: NDArray[np.object_], *, floor: float, cell: float = 25.0
) -> NDArray[np.float64]:
    return _pairs(left, right, cell, _sim)


def _compare_inc(
    rows: NDArray[np.object_], columns: NDArray[np.object_], *, floor: float, cell: float = 25.0
) -> NDArray[np.float64]:
    return _compare(rows, columns, cell, _inc)


def _pairs_inc(
    left: NDArray[np.object_], right: NDArray[np.object_], *, floor: float, cell: float = 25.0
) -> NDArray[np.float64]:
    return _pairs(left, right, cell, _inc)


@many(prepare=_prepare, compare=_compare_sim, pairs=_pairs_sim, floor=0.3, of="tracks")
def c_sim(a: Any, b: Any, *, cell: float = 25.0) -> float:
    """C-SIM of two tracks: the share of cells that both go through, or nearly so.

    Parameters
    ----------
    a, b
        Tracks as text, ``LINESTRING (longitude latitude, …)``, with or without a name after it,
        as arrays of points (longitude, latitude), or as :func:`consilience.read_tracks` gives
        them.
    cell
        The side of a cell in metres.

    Examples
    --------
    The same road with a point left out, the road beside it at 15 m, and half of it:

    >>> road = [(11.50, 48.10), (11.51, 48.10), (11.52, 48.10)]
    >>> c_sim(road, [road[0], road[2]])
    1.0
    >>> round(c_sim(road, [(x, y + 0.000135) for x, y in road]), 2)
    1.0
    >>> round(c_sim(road, road[:2]), 2)
    0.52
    """
    both = _prepare([a, b], cell=cell)
    return float(_compare(both[:1], both[1:], cell, _sim)[0, 0])


@many(
    prepare=_prepare,
    compare=_compare_inc,
    pairs=_pairs_inc,
    floor=0.3,
    symmetric=False,
    of="tracks",
)
def c_inc(a: Any, b: Any, *, cell: float = 25.0) -> float:
    r"""C-INC: the share of the first track that lies on the second one, or next to it.

    (\|A ∩ B\| + \|A ∩ B^d\|) / \|A\|: 1 where the first track is a part of the second. It is not
    the same both ways.

    Examples
    --------
    >>> road = [(11.50, 48.10), (11.51, 48.10), (11.52, 48.10)]
    >>> c_inc(road[:2], road), round(c_inc(road, road[:2]), 2)
    (1.0, 0.52)
    """
    both = _prepare([a, b], cell=cell)
    return float(_compare(both[:1], both[1:], cell, _inc)[0, 0])
