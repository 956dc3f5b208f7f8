"""What is compared, and what must hold: the bars.

Every section gives a table of costs and a list of bars. A bar that is missed makes the whole
benchmark fail; small inputs (``--quick``) say nothing about speed, so there bars are not judged.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from bench.alignment import alignment
from bench.bars import QUICK, Bar, Result, Row, Sizes, times_less
from bench.counting import agreement, counts, displacement, distributions
from bench.detection import detection
from bench.em import em
from bench.inputs import elsewhere, make_run, make_scores, shuffle
from bench.large import billion, convert, duckdb, flat, memory, ranked, spark
from bench.measure import best
from bench.resampling import resampling
from bench.soft import soft
from bench.vectors import vectors
from bench.voting import dawid_skene, linear_votes, votes
from bench.web import web

#: pytrec_eval holds scores as 32-bit numbers, so that nearly equal ones tie.
SINGLE_PRECISION = 1e-6
EXACT = 1e-12
#: Keeps numpy from using AVX-512.
NO_AVX512 = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}


def trec(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """From a TREC run and judgments to AP, nDCG@10, P@10 and recall; in order, and shuffled."""
    small = elsewhere(make_run, folder, queries=3, results=5)
    run, qrels = elsewhere(make_run, folder, queries=sizes.queries, results=sizes.results)
    rows, bars = [], []
    for what, files, peers in (
        ("in order", (run, qrels), {"trec_pytrec_eval": 5.0, "trec_ranx": 10.0}),
        ("shuffled", (elsewhere(shuffle, run), qrels), {"trec_pytrec_eval": 2.0}),
    ):
        if sizes is QUICK and find_spec("ranx") is None:  # it is not among the test requirements
            peers.pop("trec_ranx", None)
        names = ["trec_consilience", *peers]
        costs = best(names, *files, cache=cache, times=sizes.times, first=small)
        rows += [Row(what, name, costs[name]) for name in names]
        bars += times_less(what, costs, "trec_consilience", peers)
        ours, theirs = costs["trec_consilience"], costs["trec_pytrec_eval"]
        share = ours.peak / theirs.peak
        bars.append(Bar(f"{what}: peak memory over pytrec_eval's", share, most=1.0))
        apart = max(abs(ours.values[name] - theirs.values[name]) for name in ours.values)
        bars.append(Bar(f"{what}: values apart from pytrec_eval's", apart, most=SINGLE_PRECISION))
    return rows, bars


def ap(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Average precision of ten million scored items.

    Nearly all of our time is numpy's sort, which is several times slower with AVX-512 than without
    on some processors. So both are shown; the bars speak of numpy as it comes.
    """
    rows, bars = [], []
    small = elsewhere(make_scores, folder, items=100, share=0.5)
    for share in sizes.shares:
        what = f"{share:.0%} relevant"
        files = elsewhere(make_scores, folder, items=sizes.items, share=share)
        names = ["ap_consilience", "ap_sklearn"]
        costs = best(names, *files, cache=cache, times=sizes.times, first=small)
        rows += [Row(what, name, costs[name]) for name in names]
        bars += times_less(what, costs, "ap_consilience", {"ap_sklearn": 10.0})
        apart = abs(costs["ap_consilience"].values["AP"] - costs["ap_sklearn"].values["AP"])
        bars.append(Bar(f"{what}: value apart from scikit-learn's", apart, most=EXACT))
        plain = best(names, *files, cache=cache, times=sizes.times, variables=NO_AVX512)
        rows += [Row(f"{what}, AVX-512 off", name, plain[name]) for name in names]
    return rows, bars


def startup(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Import and ``--help``, which is what a command line feels like."""
    names = ["import_numpy", "import_consilience", "cli_help"]
    costs = best(names, cache=cache, times=2 * sizes.times)
    ratio = costs["import_consilience"].cpu / costs["import_numpy"].cpu
    return [Row("start-up", name, costs[name]) for name in names], [
        Bar("import consilience over import numpy", ratio, most=2.0),
        Bar("seconds for consilience --help", costs["cli_help"].cpu, most=0.3),
    ]


def linear(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """The cost of a row must not grow with the number of rows; start-up is taken off."""
    name = "trec_consilience"
    tiny = elsewhere(make_run, folder, queries=3, results=5)
    idle = best([name], *tiny, cache=cache, times=2 * sizes.times)[name]
    rows, bars = [Row("15 rows", name, idle)], []
    per_row: list[float] = []
    for queries in sizes.linear:
        files = elsewhere(make_run, folder, queries=queries, results=sizes.results)
        cost = best([name], *files, cache=cache, times=sizes.times, first=tiny)[name]
        count = queries * sizes.results
        rows.append(Row(f"{count:,} rows", name, cost))
        per_row.append((cost.cpu - idle.cpu) / count)
        if len(per_row) > 1:
            step = f"cost of a row at {count:,} rows over that at the size before"
            bars.append(Bar(step, per_row[-1] / per_row[-2], most=1.5))
    return rows, bars


SECTIONS: dict[str, Callable[[Sizes, Path, Path | None], Result]] = {
    "trec": trec,
    "ap": ap,
    "startup": startup,
    "linear": linear,
    "votes": votes,
    "dawid_skene": dawid_skene,
    "em": em,
    "linear_votes": linear_votes,
    "counts": counts,
    "distributions": distributions,
    "agreement": agreement,
    "displacement": displacement,
    "alignment": alignment,
    "detection": detection,
    "vectors": vectors,
    "soft": soft,
    "resampling": resampling,
    "memory": memory,
    "duckdb": duckdb,
    "spark": spark,
    "ranked": ranked,
    "flat": flat,
    "billion": billion,
    "convert": convert,
    "web": web,
}
