"""Tracks: the projection against pyproj, the grid against fine steps, C-SIM on real tracks."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyproj
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from consilience.errors import UsageError
from consilience.formats.tracked import parsed, short, written
from consilience.formats.tracks import read_tracks
from consilience.match import grid
from consilience.match.kernel import comparer, table
from consilience.match.projection import between, metres, zone_of
from consilience.match.tracks import c_inc, c_sim

TRACKS = Path(__file__).parent.parent / "data" / "tracks"
Points = NDArray[np.float64]


def points_of(name: str) -> Points:
    return read_tracks(TRACKS / name).tracks[0].parts[0]


@pytest.mark.parametrize("zone", [1, 17, 32, 60])
@pytest.mark.parametrize(("away", "high"), [(3, 84.0), (20, 89.9), (45, 80.0)])
def test_metres_are_those_of_pyproj(zone: int, away: float, high: float) -> None:
    rng = np.random.default_rng(zone)
    middle = 6 * zone - 183
    longitude = middle + rng.uniform(-away, away, 2000)
    latitude = rng.uniform(-high, high, 2000)
    there = pyproj.Proj(
        proj="tmerc", lon_0=middle, k=0.9996, x_0=500_000, ellps="WGS84", approx=False
    )
    x, y = metres(longitude, latitude, zone)
    theirs = there(longitude, latitude)
    assert np.abs(x - theirs[0]).max() < 1e-6
    assert np.abs(y - theirs[1]).max() < 1e-6
    again = metres((longitude + 540) % 360 - 180, latitude, zone)
    assert np.abs(again[0] - x).max() < 1e-6


def test_zones_between_are_the_same_both_ways() -> None:
    for first in range(1, 61):
        for second in range(1, 61):
            found = between(first, second)
            assert found == between(second, first)
            assert 1 <= found <= 60
            steps = [min((found - one) % 60, (one - found) % 60) for one in (first, second)]
            assert max(steps) <= 15
    assert between(7, 7) == 7
    assert [zone_of(x) for x in (-180, -177.5, 0, 6, 179.9, 185)] == [1, 1, 31, 32, 60, 1]


def cells_of(x: Points, y: Points) -> set[tuple[int, int]]:
    code, _ = grid.traversed(x, y, np.zeros(len(x), np.int64))
    return {grid.cell(one) for one in code.tolist()}


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_every_cell_on_the_way_is_found(seed: int, many: int) -> None:
    """A million steps find no cell that was missed; every cell found has the line in it."""
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-20, 20, (2, many))
    found = cells_of(x, y)
    part = np.linspace(0, 1, 20_001)
    for a, b in zip(range(many), range(1, many), strict=False):
        walked_x, walked_y = x[a] + part * (x[b] - x[a]), y[a] + part * (y[b] - y[a])
        seen = np.unique(np.stack([np.floor(walked_x), np.floor(walked_y)]).astype(int), axis=1)
        assert {tuple(cell) for cell in seen.T.tolist()} <= found
    for left, bottom in found:
        ends = zip(range(many), range(1, many), strict=False)
        inside = (np.floor(x) == left) & (np.floor(y) == bottom)
        assert inside.any() or any(_crosses(x[a], y[a], x[b], y[b], left, bottom) for a, b in ends)


def _crosses(x: float, y: float, to_x: float, to_y: float, left: int, bottom: int) -> bool:
    """Clip a segment to a cell (Liang & Barsky)."""
    low, high = 0.0, 1.0
    for step, room in (
        (x - to_x, x - left),
        (to_x - x, left + 1 - x),
        (y - to_y, y - bottom),
        (to_y - y, bottom + 1 - y),
    ):
        if step == 0:
            if room < 0:
                return False
        elif step < 0:
            low = max(low, room / step)
        else:
            high = min(high, room / step)
    return low <= high + 1e-9


def test_corners_and_grid_lines() -> None:
    assert cells_of(np.array([0.5, 2.5]), np.array([0.5, 2.5])) == {(0, 0), (1, 1), (2, 2)}
    assert cells_of(np.array([2.5, 0.5]), np.array([2.5, 0.5])) == {(0, 0), (1, 1), (2, 2)}
    assert cells_of(np.array([0.0, 3.0]), np.array([1.0, 1.0])) == {(x, 1) for x in range(4)}
    assert cells_of(np.array([-0.5]), np.array([-0.5])) == {(-1, -1)}


def slowly(a: Points, b: Points, zone: int, cell: float) -> tuple[float, float]:
    """C-SIM and C-INC with Python's sets."""
    sets = []
    for points in (a, b):
        x, y = metres(points[:, 0], points[:, 1], zone)
        sets.append(cells_of(x / cell, y / cell))
    grown = [
        {(x + i, y + j) for x, y in one for i in (-1, 0, 1) for j in (-1, 0, 1)} - one
        for one in sets
    ]
    (one, two), (near, nearer) = sets, grown
    shared = len(one & two) + len(one & nearer) + len(two & near)
    union = len(one) + len(two) - len(one & two)
    return shared / union, (len(one & two) + len(one & nearer)) / len(one)


def wandering(seed: int, many: int = 30, around: tuple[float, float] = (11.5, 48.1)) -> Points:
    rng = np.random.default_rng(seed)
    steps = rng.normal(0, 0.0006, (many, 2))
    return np.array(around) + rng.normal(0, 0.001, 2) + np.cumsum(steps, axis=0)


@given(st.integers(0, 10_000), st.sampled_from([5.0, 25.0, 100.0]))
def test_values_are_those_of_plain_sets(seed: int, cell: float) -> None:
    a, b = wandering(seed), wandering(seed + 1)
    want = slowly(a, b, 32, cell)
    assert c_sim(a, b, cell=cell) == pytest.approx(want[0], abs=1e-12)
    assert c_inc(a, b, cell=cell) == pytest.approx(want[1], abs=1e-12)
    assert 0 <= want[0] <= 1


@pytest.mark.parametrize("similarity", [c_sim, c_inc, partial(c_sim, cell=60.0)])
def test_blocks_are_single_comparisons(similarity: Any) -> None:
    """Tracks of both sides of a border between zones, and far from each other."""
    places = [(11.5, 48.1), (12.0, 48.1), (12.0, 48.1), (-179.999, -16.8), (179.999, -16.8)]
    tracks = [wandering(seed, around=place) for seed, place in enumerate(places)]
    how = comparer(similarity)
    held = how.prepare(tracks)
    block = how.many.compare(held, held, floor=0.0, **how.settings)
    singly = np.array([[similarity(a, b) for b in tracks] for a in tracks])
    np.testing.assert_allclose(block, singly, atol=1e-12)
    assert how.many.pairs is not None
    np.testing.assert_allclose(
        how.many.pairs(held, held[::-1], floor=0.0, **how.settings),
        [singly[i, 4 - i] for i in range(5)],
        atol=1e-12,
    )
    again = how.many.compare(held[2:], held[1:4], floor=0.0, **how.settings)
    np.testing.assert_array_equal(again, block[2:, 1:4])
    assert (np.diag(block) == 1).all()


@pytest.mark.parametrize("border", [12.0, 180.0, -180.0, 0.0])
@pytest.mark.parametrize("latitude", [0.0, 48.0, -75.0])
def test_borders_of_zones_change_little(border: float, latitude: float) -> None:
    """The same two tracks, in the middle of a zone and where zones meet."""
    shape = (wandering(1) - [11.5, 48.1]) * [1 / np.cos(np.radians(latitude)), 1]
    a, b = shape, shape + 0.0001
    places = [np.array([at, latitude]) for at in (border + 3, border)]
    inside, across = (c_sim(a + place, b + place) for place in places)
    assert across > 0.8
    assert across == pytest.approx(inside, abs=0.12)


def test_the_antimeridian_is_a_line_like_any_other() -> None:
    line = np.array([[179.9, 10.0], [180.1, 10.0]])
    wrapped = np.array([[179.9, 10.0], [-179.9, 10.0]])
    assert c_sim(line, wrapped) == 1
    assert c_sim(wrapped, wrapped[::-1]) == 1


def test_near_the_poles() -> None:
    rng = np.random.default_rng(0)
    turn = np.linspace(0, 360, 100)
    ring = np.stack([turn, np.full(100, 89.99)], axis=1)
    shaken = ring + rng.normal(0, 1e-5, ring.shape)
    assert c_sim(ring, shaken) > 0.9
    across = np.array([[0.0, 89.9], [180.0, 89.9]])
    assert c_sim(across, across[::-1]) > 0.99
    assert c_sim(across, ring) < 0.3


def test_a_track_around_the_world_is_refused() -> None:
    with pytest.raises(UsageError, match=r"too far for a flat grid \(fix: cut it"):
        c_sim([(-60, 10), (60, 10)], [(0, 0), (1, 1)])
    with pytest.raises(UsageError, match="cells must be"):
        c_sim([(0, 0)], [(0, 0)], cell=0)


def test_real_tracks_behave_as_the_prototype_did() -> None:
    """A quarter of the points 1.00, 10 m of noise 1.00, 25 m .96, half a tour .53, elsewhere 0."""
    tour = points_of("test1.gpx")
    rng = np.random.default_rng(0)
    metre = np.array([1 / (111_320 * np.cos(np.radians(51.36))), 1 / 111_320])

    def shaken(by: float) -> Points:
        return np.asarray(tour + rng.normal(0, by, tour.shape) * metre)

    assert c_sim(tour, np.concatenate([tour[::4], tour[-1:]])) == pytest.approx(1, abs=0.01)
    assert c_sim(tour, shaken(10)) == pytest.approx(1, abs=0.01)
    assert c_sim(tour, shaken(25)) == pytest.approx(0.96, abs=0.03)
    assert c_sim(tour, tour[: len(tour) // 2]) == pytest.approx(0.53, abs=0.02)
    assert c_inc(tour[: len(tour) // 2], tour) == 1
    assert c_sim(tour, tour + 0.1) == 0
    assert c_sim(tour, tour[::-1]) == 1


def test_a_drive_every_second_and_every_15_seconds() -> None:
    often, seldom = points_of("x0001-001.geojson.gz"), points_of("x0001-015.geojson.gz")
    assert len(often) == 1194
    assert len(seldom) == 80
    assert c_sim(often, seldom) > 0.94
    assert c_inc(seldom, often) > 0.97


def test_different_tours_are_not_alike() -> None:
    names = ("x0001-001.geojson.gz", "test1.gpx", "tour3-with-long-edge.gpx", "tour-with-loop.gpx")
    found = table(c_sim, [points_of(name) for name in names])
    assert (np.triu(found, 1) < 0.02).all()
    assert c_sim(points_of("tour-with-loop.gpx"), points_of("tour2-with-loop.gpx")) > 0.3


@given(st.lists(st.tuples(st.floats(-180, 180), st.floats(-90, 90)), min_size=1, max_size=5))
def test_text_reads_back_as_the_same_track(points: list[tuple[float, float]]) -> None:
    held = np.array(points)
    assert parsed(written([held]))[0].tolist() == held.tolist()
    parts = parsed(written([held, held[::-1]]))
    assert [part.tolist() for part in parts] == [held.tolist(), held[::-1].tolist()]


def test_gaps_are_not_bridged() -> None:
    apart = "MULTILINESTRING ((11.50 48, 11.51 48), (11.52 48, 11.53 48))"
    assert c_inc("LINESTRING (11.512 48, 11.518 48)", apart) == 0
    assert c_inc("LINESTRING (11.512 48, 11.518 48)", "LINESTRING (11.5 48, 11.53 48)") == 1


@pytest.mark.parametrize(
    "item",
    [
        "Main Street",
        "LINESTRING ()",
        "LINESTRING (1 2, x 3)",
        "LINESTRING (1 95)",
        [],
        [1, 2],
        None,
    ],
)
def test_what_is_no_track_is_refused(item: object) -> None:
    with pytest.raises(UsageError, match=r"\(fix: "):
        c_sim(item, "LINESTRING (1 2, 2 3)")


def test_tracks_in_few_words() -> None:
    assert short(points_of("test1.gpx")) == "track of 264 points, 9.6 km, from 51.3777 12.3382"
    assert parsed("SRID=4326;LINESTRING Z (1 2 3, 4 5 6)")[0].tolist() == [[1, 2], [4, 5]]


def test_how_wide_a_track_may_be():
    for middle in np.arange(-3.0, 3.01, 0.5):  # wherever its middle lies within a zone
        road = [(middle - 17, 0.0), (middle + 17, 0.0)]
        assert c_sim(road, road, cell=1000) == 1.0
    with pytest.raises(UsageError, match="at most 34 degrees"):
        c_sim([(0, 0), (40.5, 0)], [(0, 0), (1, 0)], cell=1000)


def test_small_cells_of_long_tracks_are_refused():
    road = [(0, 0), (3, 0)]
    with pytest.raises(UsageError, match=r"cells of 0\.1 m"):
        c_sim(road, road, cell=0.1)
    for cell in ("x", None, 0, float("nan")):
        with pytest.raises(UsageError, match="cells must be"):
            c_sim(road, road, cell=cell)  # type: ignore[arg-type]


def test_tracks_compared_in_groups_are_the_same(monkeypatch: pytest.MonkeyPatch):
    draw = np.random.default_rng(7)
    steps = draw.normal(0, 0.002, (12, 20, 2))
    roads = [*(np.cumsum(steps, axis=1) + np.array([11, 48]))]
    how = comparer(c_sim)
    whole = how.block(how.prepare(roads), how.prepare(roads), 0.0)
    monkeypatch.setattr("consilience.match.tracks._AT_ONCE", 150)
    parted = how.block(how.prepare(roads), how.prepare(roads), 0.0)
    np.testing.assert_array_equal(parted, whole)
    assert 0 < (whole > 0).sum() < whole.size
    assert how.many.pairs is not None
    pairs = how.many.pairs(how.prepare(roads), how.prepare(roads[::-1]), floor=0.0)
    np.testing.assert_array_equal(pairs, np.diag(whole[:, ::-1]))
