"""Sums of the similarities of a million vectors on one graphics processor.

``python -m bench.gpu_vectors`` needs numpy, torch and a graphics processor, and nothing else. The
floor is torch's own product of the same blocks, nothing done with them, in the same run: as exact
(32 bits) and as the tensor cores make it. Vectors are clustered: items of a cluster have a cosine
of about 0.5, items of a topic of about 0.2, others of about 0. ``error`` is the largest relative
difference from sums in 64 bits, over rows drawn at random that have no cosine at the very floor
(within 1e-6 of it: there the last bit decides, and they are counted).
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.bars import Bar
from bench.inputs import SEED
from bench.report import machine

if TYPE_CHECKING:
    import numpy as np

FLOOR, DIMENSIONS, DRAWN = 0.3, 384, 200
TERA = 1e12


@dataclass(frozen=True)
class Timed:
    """What was computed how fast: seconds, useful TFLOP/s, peak GB on the graphics processor."""

    what: str
    program: str
    seconds: float
    tflops: float
    peak: float | None
    values: dict[str, float] = field(default_factory=dict)


def clustered(count: int, dimensions: int = DIMENSIONS) -> np.ndarray:
    """Make vectors of clusters within topics, in 32 bits."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    clusters = max(count // 20, 1)
    centres = 0.8 * rng.standard_normal((clusters, dimensions), np.float32)
    topics = 0.6 * rng.standard_normal((100, dimensions), np.float32)
    centres += topics[rng.integers(0, len(topics), clusters)]
    matrix = rng.standard_normal((count, dimensions), np.float32)
    matrix += centres[rng.integers(0, clusters, count)]
    return matrix


def error(matrix: np.ndarray, sums: np.ndarray) -> dict[str, float]:
    """Compare sums of some rows with those in 64 bits."""
    import numpy as np

    from consilience.match.devices import SLACK, directions

    drawn = np.random.default_rng(SEED).choice(len(matrix), min(DRAWN, len(matrix)), replace=False)
    rows = directions(matrix[drawn])
    expected, at_floor = np.zeros(len(drawn)), np.zeros(len(drawn), np.int64)
    for begin in range(0, len(matrix), 16384):
        found = rows @ directions(matrix[begin : begin + 16384]).T
        at_floor += (np.abs(found - FLOOR + SLACK) < SLACK).sum(axis=1)
        found[found < FLOOR - SLACK] = 0.0
        expected += found.sum(axis=1)
    apart = np.abs(sums[drawn] / expected - 1)
    return {
        "error": float(apart[at_floor == 0].max()),
        "rows": float((at_floor == 0).sum()),
        "at the floor": float((at_floor > 0).sum()),
        "mean sum": float(expected.mean()),
    }


def blocks(length: int, size: int) -> Iterator[tuple[slice, slice]]:
    for i in range(0, length, size):
        for j in range(i, length, size):
            yield slice(i, min(i + size, length)), slice(j, min(j + size, length))


def timed(call: Callable[[], Any]) -> tuple[float, float, Any]:
    """Give seconds, the peak of the graphics processor's memory in GB, and what was computed."""
    import torch

    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    began = time.perf_counter()
    found = call()
    torch.cuda.synchronize()
    return time.perf_counter() - began, torch.cuda.max_memory_allocated() / 1e9, found


def useful(count: int, dimensions: int = DIMENSIONS) -> float:
    """Floating-point operations of half a table of cosines, in 10¹²."""
    return dimensions * count * (count + 1) / TERA


def products(units: Any, block: int, precision: str) -> Callable[[], None]:
    """Make torch's products of the blocks, and nothing else."""
    import torch

    held = torch.empty(block * block, device="cuda")

    def call() -> None:
        torch.set_float32_matmul_precision("highest" if precision == "float32" else "high")
        for rows, columns in blocks(len(units), block):
            a, b = units[rows], units[columns]
            torch.mm(a, b.t(), out=held[: len(a) * len(b)].view(len(a), len(b)))
        torch.set_float32_matmul_precision("highest")

    return call


def sweep(matrix: np.ndarray, sizes: list[int]) -> list[Timed]:
    """Try sizes of blocks."""
    from consilience.match.devices import PRECISIONS, row_sums

    rows = []
    for precision in PRECISIONS:
        for block in sizes:
            ours = partial(row_sums, matrix, floor=FLOOR, device="cuda", block=block)
            ours = partial(ours, precision=precision)
            ours()
            seconds, peak, found = timed(ours)
            name = f"consilience, {precision}, blocks of {block}"
            speed = useful(len(matrix)) / seconds
            what = f"{len(matrix):,} vectors"
            rows.append(Timed(what, name, seconds, speed, peak, error(matrix, found)))
            print(rows[-1], flush=True)
    return rows


def beside(matrix: np.ndarray, block: int, precisions: list[str]) -> list[Timed]:
    """Time ours and torch's products of the same blocks."""
    from consilience.match.cuda import factors, units_of
    from consilience.match.devices import row_sums

    what, work, rows = f"{len(matrix):,} vectors", useful(len(matrix)), []
    for precision in precisions:
        ours = partial(row_sums, matrix, floor=FLOOR, device="cuda", block=block)
        seconds, peak, found = timed(partial(ours, precision=precision))
        values = error(matrix, found)
        rows.append(Timed(what, f"consilience, {precision}", seconds, work / seconds, peak, values))
        print(rows[-1], flush=True)
        units, _ = factors(units_of(matrix), precision)
        seconds, peak, _ = timed(products(units, block, precision))
        rows.append(Timed(what, f"torch mm, {precision}", seconds, work / seconds, peak))
        print(rows[-1], flush=True)
    return rows


def on_both(matrix: np.ndarray, block: int) -> list[Timed]:
    """The same sums and best matches on the processor's cores and on the graphics processor."""
    from consilience.match.devices import best_matches, row_sums

    what, work, rows = f"{len(matrix):,} vectors", useful(len(matrix)), []
    for device in ("cuda", "cpu"):
        size = block if device == "cuda" else None
        half = len(matrix) // 2
        sums = partial(row_sums, matrix, floor=FLOOR, device=device, block=size)
        best = partial(best_matches, matrix[:half], matrix[half:], device=device, block=size)
        seconds, _, found = timed(sums)
        values = error(matrix, found)
        rows.append(Timed(what, f"sums, {device}", seconds, work / seconds, None, values))
        print(rows[-1], flush=True)
        seconds, _, found = timed(best)
        values = {"mean best": float(found.similarity.mean()), "places": float(found.place.sum())}
        speed = work / 2 / seconds  # of one half to the other: a quarter of the table
        rows.append(Timed(what, f"best matches, {device}", seconds, speed, None, values))
        print(rows[-1], flush=True)
    return rows


def bars_of(rows: list[Timed], largest: str) -> list[Bar]:
    """What must hold: near the plain product, the same numbers."""
    of = {row.program: row for row in rows if row.what == largest}
    bars = []
    for precision, most in (("float32", 1e-6), ("split", 1e-5)):
        ours, floor = of[f"consilience, {precision}"], of[f"torch mm, {precision}"]
        name = f"{largest}: time over torch's products alone, {precision}"
        bars.append(Bar(name, ours.seconds / floor.seconds, most=2.0))
        bars.append(Bar(f"{largest}: error, {precision}", ours.values["error"], most=most))
    return bars


def as_markdown(about: str, rows: list[Timed], bars: list[Bar], on: dict[str, Any]) -> str:
    lines = ["# gpu_vectors", "", about, "", "| input | program | s | TFLOP/s | peak GB | values |"]
    lines.append("|---|---|--:|--:|--:|---|")
    for row in rows:
        values = ", ".join(f"{key} {value:.6g}" for key, value in row.values.items())
        peak = "" if row.peak is None else f"{row.peak:.1f}"
        lines.append(
            f"| {row.what} | {row.program} | {row.seconds:.2f} | {row.tflops:.1f} | {peak} "
            f"| {values} |"
        )
    lines += ["", *(f"- {bar}" for bar in bars), ""]
    lines.append(", ".join(f"{key} {value}" for key, value in on.items() if value is not None))
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Measure, print and keep; 1 where a bar was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.gpu_vectors", description=__doc__)
    parser.add_argument("--vectors", type=int, default=1_000_000)
    parser.add_argument("--fewer", type=int, default=100_000, help="for the processor's cores")
    parser.add_argument("--blocks", type=int, nargs="+", default=[8192], help="sizes to try")
    parser.add_argument("--sweep", action="store_true", help="try the sizes only")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "results")
    given = parser.parse_args(arguments)
    import torch

    on = machine() | {"torch": torch.__version__, "device": torch.cuda.get_device_name()}
    matrix = clustered(given.vectors)
    fewer = matrix[: given.fewer]
    rows, bars = sweep(fewer, given.blocks), []
    if not given.sweep:
        rows += on_both(fewer, given.blocks[0])
        rows += beside(matrix, given.blocks[0], ["float32", "split", "tf32"])
        bars = bars_of(rows, f"{given.vectors:,} vectors")
    about = (__doc__ or "").strip()
    given.results.mkdir(parents=True, exist_ok=True)
    text = as_markdown(about, rows, bars, on)
    print(text)
    (given.results / "gpu_vectors.md").write_text(text)
    whole = {
        "section": "gpu_vectors",
        "machine": on,
        "rows": [asdict(row) for row in rows],
        "bars": [{**asdict(bar), "met": bar.met} for bar in bars],
    }
    (given.results / "gpu_vectors.json").write_text(json.dumps(whole, indent=1) + "\n")
    return int(not all(bar.met for bar in bars))


if __name__ == "__main__":
    sys.exit(main())
