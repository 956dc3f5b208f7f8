"""Sums of the similarities of many vectors on a processor, beside the plain product of the blocks.

The graphics processor has a program of its own, :mod:`bench.gpu_vectors`.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.bars import QUICK, Bar, Result, Row, Sizes
from bench.inputs import elsewhere
from bench.measure import best

DIMENSIONS, FLOOR = 384, 0.3
#: How far sums of 32-bit products may be from those in 64 bits, for their size.
NEAR = 1e-6
#: Rows that are also summed in 64 bits.
DRAWN = 100


def vectors(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Soft cardinality of many vectors: the sum of every row of their table of cosines.

    ``product`` makes numpy's products of the same blocks and does nothing with them: nobody can be
    faster by products. ``work s`` is the CPU of the call alone; ``above MB`` is the memory it took
    above the vectors and everything loaded. Values are compared with sums in 64 bits.
    """
    rows, bars = [], []
    for count in (500, 1_000) if sizes is QUICK else (20_000, 50_000):
        what = f"{count:,} × {DIMENSIONS}"
        file = elsewhere(make_vectors, folder, count=count)
        names = ["vectors_consilience", "vectors_product"]
        costs = best(names, file, cache=cache, times=sizes.times)
        rows += [Row(what, name, costs[name]) for name in names]
        ours, floor = (costs[name].values for name in names)
        ratio = ours["work s"] / floor["work s"]
        bars.append(Bar(f"{what}: work over the plain product's", ratio, most=1.6))
        whole = count * count * 8 / 1e6
        share = ours["above MB"] / whole
        bars.append(Bar(f"{what}: memory over that of the whole table", share, most=0.1))
        bars.append(Bar(f"{what}: sums apart from those in 64 bits", ours["apart"], most=NEAR))
    return rows, bars


def make_vectors(folder: Path, *, count: int) -> Path:
    """Save vectors in clusters."""
    import numpy as np

    from bench.gpu_vectors import clustered

    path = folder / f"vectors-{count}.npy"
    np.save(path, clustered(count, DIMENSIONS))
    return path


def vectors_consilience(file: str) -> dict[str, float]:
    import numpy as np

    from consilience.match.devices import SLACK, directions, row_sums

    matrix = np.load(file)
    row_sums(matrix[:10])
    before, began = _peak(), time.process_time()
    sums = row_sums(matrix, floor=FLOOR, device="cpu")
    work, above = time.process_time() - began, _peak() - before
    drawn = np.linspace(0, len(matrix) - 1, DRAWN).astype(int)
    found = directions(matrix[drawn]) @ directions(matrix).T
    safe = np.abs(found - FLOOR + SLACK).min(axis=1) > SLACK  # where the last bit decides nothing
    found[found < FLOOR] = 0.0
    apart = np.abs(sums[drawn] / found.sum(axis=1) - 1)[safe].max()
    cardinality = float((1 / sums).sum())
    return {
        "cardinality": cardinality,
        "apart": float(apart),
        "work s": work,
        "above MB": above,
    }


def vectors_product(file: str) -> dict[str, float]:
    import numpy as np

    from consilience.match.devices import ON_CPU, to_the_right, unit_rows
    from consilience.match.kernel import spans

    matrix = np.load(file)
    before, began = _peak(), time.process_time()
    units = unit_rows(matrix)
    length = len(units)
    held = np.empty((min(ON_CPU, length), min(ON_CPU, length)), np.float32)
    for rows in spans(length, ON_CPU):
        for columns in to_the_right(rows, length, ON_CPU):
            a, b = units[rows], units[columns]
            np.matmul(a, b.T, out=held[: len(a), : len(b)])
    return {"work s": time.process_time() - began, "above MB": _peak() - before}


def _peak() -> float:
    """The most memory that was held so far, in MB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


VECTORS: dict[str, Callable[[str], dict[str, float]]] = {
    function.__name__: function for function in (vectors_consilience, vectors_product)
}
