"""Drawing queries anew and comparing all pairs of many systems."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from bench.bars import Bar, Result, Row, Sizes
from bench.measure import Cost, best
from bench.resamplers import SOME

EXACT = 1e-9


def resampling(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """How sure a ranking is: queries drawn anew, places, and all pairs with four paired tests.

    CPU is that of the work alone, on scores in memory; the peak is that of everything. numpy does
    the least that all pairs need: two products with ready-made counts and signs, and of each pair a
    partition of the drawn differences and a count of the swapped ones. scipy is given three systems
    (bootstrap) and three pairs (bootstrap, permutation test, t, Wilcoxon, sign), one by one; its
    work is taken times the systems and pairs over three. Values are sums over these three pairs.
    Beside that, everything through ``consilience.rank``: ten answers a query, judged in full.
    """
    systems, queries, samples = sizes.resampling
    what = f"{systems:,} systems × {queries:,} queries × {samples:,} draws"
    names = ["resampling_consilience", "resampling_numpy", "resampling_scipy", "resampling_rank"]
    given = [str(one) for one in sizes.resampling]
    costs = best(names, *given, cache=cache, times=sizes.times)
    ours, floor, peer, ranked = (
        replace(costs[name], cpu=costs[name].values["work s"]) for name in names
    )
    whole = _whole(peer, systems)
    rows = [
        Row(what, names[0], ours),
        Row(f"{what}, from answers to the result", names[3], ranked),
        Row(what, names[1], floor),
        Row(f"{SOME} systems and {SOME} pairs of them", names[2], peer),
        Row(f"{what}: all, from those", names[2], whole),
    ]
    mine, theirs, products = ours.values, peer.values, floor.values["products s"]
    apart = max(abs(mine[name] - theirs[name]) for name in ("t", "wilcoxon", "sign"))
    return rows, [
        Bar(f"{what}: seconds by the clock", mine["wall s"], most=60),
        Bar("from answers to the result: seconds by the clock", ranked.values["wall s"], most=60),
        Bar(f"{what}: megabytes", ours.peak, most=250),
        Bar(f"{what}: times the CPU of the least by numpy", ours.cpu / floor.cpu, most=3),
        Bar("drawing queries: times the CPU of both products", mine["draws s"] / products, most=3),
        Bar(f"{what}: times less CPU than scipy", whole.cpu / ours.cpu, least=100),
        Bar("p-values apart from scipy's", apart, most=EXACT),
    ]


def _whole(peer: Cost, systems: int) -> Cost:
    """Take what some systems and pairs cost times their number."""
    pairs = systems * (systems - 1) / 2
    work = (peer.values["systems s"] * systems + peer.values["pairs s"] * pairs) / SOME
    return replace(peer, cpu=work, values={"work s": work})
