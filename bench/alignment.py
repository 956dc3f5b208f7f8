"""Alignment of sequences: noisy copies of one text, and what comparing all pairs alone takes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.aligners import ALIGNERS, SOURCES
from bench.bars import QUICK, Bar, Result, Row, Sizes
from bench.measure import best

#: Tokens of a source.
LENGTHS, SHORT = (5_000, 20_000), (100, 200)


def alignment(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Twenty sources that err at a tenth of a text's tokens, aligned.

    CPU is that of the call alone (tokens in memory to columns), the peak that of everything. Beside
    it: the 190 edit distances of all pairs, which is where any progressive alignment begins. ``cost
    over bound`` is the sum of pairs over the sum of the pairs' own edit distances, below which no
    alignment can fall.
    """
    rows, bars = [], []
    before: float | None = None
    for length in SHORT if sizes is QUICK else LENGTHS:
        what = f"{SOURCES} × {length:,} tokens"
        costs = best(list(ALIGNERS), str(length), cache=None, times=sizes.times)
        work = {name: cost.values["work s"] for name, cost in costs.items()}
        rows += [Row(what, name, replace(costs[name], cpu=work[name])) for name in ALIGNERS]
        ours = work["align_consilience"]
        bars += [
            Bar(f"{what}: seconds", ours, most=length / 1_000),
            Bar(f"{what}: megabytes at most", costs["align_consilience"].peak, most=200),
            Bar(
                f"{what}: times the CPU of all edit distances",
                ours / work["align_rapidfuzz"],
                most=15,
            ),
            Bar(
                f"{what}: cost over bound",
                costs["align_consilience"].values["cost over bound"],
                most=1.05,
            ),
        ]
        if before is not None:
            step = f"cost of a token at {what} over that at the size before"
            bars.append(Bar(step, ours / length / before, most=1.5))
        before = ours / length
    return rows, bars
