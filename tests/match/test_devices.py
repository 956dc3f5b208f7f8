"""Sums and best matches of many vectors: blocks change nothing, nor does where they are made."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import ModuleSpec
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from consilience.errors import UsageError
from consilience.match import cuda, devices
from consilience.match.devices import best_matches, row_sums, unit_rows
from tests.match import fake_torch

FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)
TABLES = hnp.arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=FINITE)


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A stand-in for torch, on a machine with a graphics processor."""
    return put_in_place(monkeypatch, available=True)


def put_in_place(monkeypatch: pytest.MonkeyPatch, *, available: bool) -> Any:
    made = fake_torch.make(available=available)
    monkeypatch.setitem(sys.modules, "torch", made)
    monkeypatch.setattr(devices, "find_spec", lambda name: ModuleSpec(name, None))
    return made


def slow_cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """All cosines, one pair at a time; 0 where a vector has no direction."""
    found = np.zeros((len(a), len(b)))
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            lengths = np.linalg.norm(x) * np.linalg.norm(y)
            found[i, j] = x @ y / lengths if lengths else 0.0
    return found


def slow_sums(matrix, floor=0.0, weights=None, *, clip=True) -> np.ndarray:
    found = slow_cosines(matrix, matrix)
    if floor > 0:
        found[found < floor - devices.SLACK] = 0.0
    elif clip:
        found = np.maximum(found, 0.0)
    np.fill_diagonal(found, 1.0)
    return found @ (np.ones(len(matrix)) if weights is None else weights)


def clustered(n: int, size: int, seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(max(n // 5, 1), size))
    return centres[rng.integers(0, len(centres), n)] + rng.normal(size=(n, size))


@pytest.mark.parametrize("block", [1, 7, 64, 1000])
@pytest.mark.parametrize("floor", [0.0, 0.3])
@pytest.mark.parametrize("clip", [True, False])
def test_blocks_of_any_size_give_the_sums_of_the_whole_table(block, floor, clip):
    matrix = clustered(65, 24)
    weights = np.random.default_rng(4).random(65)
    for weight in (None, weights, np.stack([weights, weights**2, 0 * weights], axis=1)):
        found = row_sums(matrix, floor=floor, weights=weight, clip=clip, block=block, device="cpu")
        expected = slow_sums(matrix, floor, weight, clip=clip)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("precision", ["split", "float32", "tf32"])
@pytest.mark.parametrize("block", [1, 7, 1000])
def test_a_graphics_processor_gives_the_same_sums(torch: Any, block, precision):
    matrix = clustered(65, 24)
    matrix[[3, 40]] = 0.0
    weights = np.random.default_rng(4).random((65, 2))
    for floor, clip in ((0.0, True), (0.0, False), (0.3, True)):
        options: dict[str, Any] = {"floor": floor, "clip": clip, "weights": weights}
        found = row_sums(matrix, device="cuda", precision=precision, block=block, **options)
        same = row_sums(matrix, device="cpu", **options)
        np.testing.assert_allclose(found, same, rtol=1e-6, atol=1e-6)
        expected = slow_sums(matrix, floor, weights, clip=clip)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)
    assert set(torch.asked) == {"highest"} | ({"high"} if precision != "float32" else set())
    assert torch.precision == "highest"  # as it was


def test_the_parts_of_split_numbers_fit_into_tensor_cores(torch: Any):
    units = unit_rows(clustered(50, 24))
    left, right = cuda.factors(torch.from_numpy(units), "split")
    high, low = np.asarray(left[:, :24]), np.asarray(left[:, 48:])
    assert ((high.view(np.int32) & 0x1FFF) == 0).all()  # 10 bits and the one before the point
    np.testing.assert_array_equal(high + low, units)
    product = np.asarray(left, np.float64) @ np.asarray(right, np.float64).T
    exact = units.astype(np.float64) @ units.T.astype(np.float64)
    assert np.abs(product - exact).max() < 1e-6


def test_sums_of_many_are_those_of_64_bits():
    matrix = clustered(3000, 96).astype(np.float32)
    wide = devices.directions(matrix)
    table = wide @ wide.T
    safe = np.abs(table - 0.3 + devices.SLACK).min(axis=1) > 1e-6  # nothing at the floor
    table[table < 0.3] = 0.0
    found = row_sums(matrix, floor=0.3, device="cpu", block=500)
    np.testing.assert_allclose(found[safe], table.sum(axis=1)[safe], rtol=1e-6)
    assert safe.mean() > 0.9


@given(TABLES)
def test_a_sum_lies_between_one_and_how_many_there_are(matrix):
    found = row_sums(matrix)
    assert (found >= 1 - 1e-6).all()
    assert (found <= len(matrix) + 1e-5).all()


@given(TABLES, st.randoms(use_true_random=False))
def test_the_order_of_vectors_and_their_lengths_do_not_matter(matrix, random):
    order = list(range(len(matrix)))
    random.shuffle(order)
    longer = matrix[order] * np.array([[random.choice([1e-3, 1.0, 50.0])] for _ in order])
    np.testing.assert_allclose(row_sums(longer), row_sums(matrix)[order], rtol=1e-5, atol=1e-6)


@given(TABLES)
def test_a_weight_is_a_repetition(matrix):
    matrix = matrix[np.abs(matrix).max(axis=1) > 0]
    weights = np.arange(1, len(matrix) + 1)
    repeated = row_sums(np.repeat(matrix, weights, axis=0))
    found = np.repeat(row_sums(matrix, weights=weights), weights)
    np.testing.assert_allclose(found, repeated, rtol=1e-5, atol=1e-6)


def test_what_is_at_the_floor_counts():
    matrix = np.array([[1.0, 0.0], [0.6, 0.8], [3.0, 4.0]])
    np.testing.assert_allclose(row_sums(matrix, floor=0.6), [2.2, 2.6, 2.6], rtol=1e-6)


def test_numbers_too_small_or_large_to_square_keep_their_direction():
    matrix = np.array([[3e-300, 4e-300], [6e200, 8e200], [3.0, 4.0], [0.0, 0.0]])
    np.testing.assert_allclose(row_sums(matrix), [3, 3, 3, 1], rtol=1e-6)
    np.testing.assert_allclose(unit_rows(matrix)[:3], [[0.6, 0.8]] * 3, rtol=1e-6)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("block", [2, 1000])
def test_best_matches_are_those_of_the_whole_table(torch: Any, device, block):
    a, b = clustered(30, 6, seed=1), clustered(41, 6, seed=2)
    b[5], a[7] = 0.0, 0.0
    found = best_matches(a, b, floor=0.5, device=device, block=block)
    table = slow_cosines(a, b)
    table[table < 0.5] = 0.0
    np.testing.assert_allclose(found.similarity, table.max(axis=1), atol=1e-6)
    matched = table.max(axis=1) > 0
    assert (found.place[matched] == table.argmax(axis=1)[matched]).all()
    assert (found.place[~matched] == -1).all()
    assert found.place[7] == -1


def test_nothing_has_no_best_match_and_no_sums():
    assert row_sums(np.zeros((0, 3))).shape == (0,)
    assert best_matches(np.ones((2, 3)), np.zeros((0, 3))).place.tolist() == [-1, -1]
    assert best_matches(np.ones((0, 3)), np.ones((2, 3))).place.shape == (0,)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: row_sums([1.0, 2.0]), "vectors are a table of numbers, found 1 dimensions"),
        (lambda: row_sums([["a"]]), "vectors are a table of numbers"),
        (lambda: row_sums([[1.0], [np.nan]]), "vector 2 has numbers that are not finite"),
        (lambda: row_sums([[1.0], [np.inf]]), "vector 2 has numbers that are not finite"),
        (lambda: row_sums([[1.0]], weights=[1.0, 2.0]), "1 vectors need as many finite weights"),
        (lambda: row_sums([[1.0]], device="gpu"), "unknown device 'gpu'"),
        (lambda: best_matches([[1.0]], [[1.0, 2.0]]), "come from the same model"),
    ],
)
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(UsageError, match=message):
        call()


def test_an_unknown_precision_is_refused(torch: Any):
    with pytest.raises(UsageError, match="unknown precision 'half'"):
        row_sums([[1.0]], device="cuda", precision="half")


def test_a_graphics_processor_must_be_there(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(devices, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"fix: pip install 'consilience\[gpu\]'"):
        row_sums([[1.0]], device="cuda")
    assert devices._chosen("auto", 10**6) == "cpu"
    put_in_place(monkeypatch, available=False)
    with pytest.raises(UsageError, match="finds no graphics processor"):
        row_sums([[1.0]], device="cuda")
    assert devices._chosen("auto", 10**6) == "cpu"


def test_a_graphics_processor_is_used_for_many(torch: Any):
    assert devices._chosen("auto", devices.LARGE) == "cuda"
    assert devices._chosen("auto", devices.LARGE - 1) == "cpu"


def test_few_vectors_need_numpy_alone():
    code = (
        "import sys; from consilience.match.devices import row_sums; row_sums([[1.0, 2.0]]); "
        "heavy = {'torch', 'scipy', 'pyarrow', 'narwhals', 'click', 'pandas'} & {*sys.modules}; "
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
