"""An uncertain truth and many voices: what counts, distributions, agreement, displacement cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from bench.bars import QUICK, Bar, Result, Row, Sizes
from bench.counters import LISTED, RETURNED, SOME, SUBJECTS, SYSTEMS, labels_files
from bench.inputs import SEED, elsewhere, make_labels
from bench.measure import Cost, best

EXACT = 1e-9
#: How far the relative error of our masses may go, for masses of 1e-30 and more.
MASSES = 1e-11
#: Probabilities of the exact comparison are multiples of 1 / UNIT, so that whole numbers do.
UNIT = 1 << 12


def counts(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """How many items are relevant, each with a probability of its own: all masses.

    ``work s`` is what is judged: the call alone, on numbers in memory, warm. A mean and the mass
    at the mode must be the same to 1e-9 of their size. Of many lists scipy is given 1,000 in a
    loop, and its work is taken times the lists over 1,000. Exact masses are made with whole
    numbers; the error shown is the largest relative one.
    """
    poibin = sizes is not QUICK or find_spec("fast_poibin") is not None
    peers = {"scipy": True, "poibin": poibin}
    rows, bars = [], []
    for length, kinds, least in (
        (sizes.trials[0], 0, {"scipy": 50.0}),
        (sizes.trials[1], 0, {"poibin": 1.0}),
        (sizes.trials[1], 7, {"poibin": 5.0}),
    ):
        what = f"{length:,} items, {kinds or 'all'} different p"
        file = elsewhere(make_trials, folder, shape=(length,), kinds=kinds)
        least = {name: times for name, times in least.items() if peers[name]}
        shown = ["poibin"] if poibin else []
        names = [f"count_{name}" for name in dict.fromkeys(["consilience", *least, *shown])]
        costs = best(names, file, cache=cache, times=sizes.times)
        rows += [Row(what, name, costs[name]) for name in names]
        bars += _quicker(what, costs, least)
    more, found = _lists(sizes, folder, cache, poibin=poibin)
    rows, bars = rows + more, bars + found
    more, found = _exact(sizes, folder, cache, poibin=poibin)
    return rows + more, bars + found


def _lists(sizes: Sizes, folder: Path, cache: Path | None, *, poibin: bool) -> Result:
    lists = sizes.trials[2]
    what = f"{lists:,} lists of 20"
    file = elsewhere(make_trials, folder, shape=(lists, 20))
    least = {"scipy": 100.0} | ({"poibin": 10.0} if poibin else {})
    names = [f"lists_{name}" for name in ("consilience", *least)]
    costs = best(names, file, cache=cache, times=sizes.times)
    rows = [
        Row(what if "scipy" not in name else f"{SOME:,} of them", name, costs[name])
        for name in names
    ]
    times, scipy = lists / SOME, costs["lists_scipy"]
    work = times * scipy.values["work s"]
    whole = replace(scipy, cpu=work, values={**scipy.values, "work s": work})
    rows.append(Row(f"{what}: {SOME:,} lists times {times:g}", "lists_scipy", whole))
    costs["lists_scipy"] = whole
    return rows, _quicker(what, costs, least)


def _quicker(what: str, costs: dict[str, Cost], least: dict[str, float]) -> list[Bar]:
    """Make bars of work that is less than each peer's, and of the values."""
    kind = next(iter(costs)).partition("_")[0]
    ours = costs[f"{kind}_consilience"].values
    bars = []
    for peer, times in least.items():
        theirs = costs[f"{kind}_{peer}"].values
        ratio = theirs["work s"] / ours["work s"]
        bars.append(Bar(f"{what}: times less work than {peer}", ratio, least=times))
        apart = max(abs(theirs[name] / ours[name] - 1) for name in ("mean", "mode"))
        bars.append(Bar(f"{what}: values apart from {peer}'s", apart, most=EXACT))
    return bars


def _exact(sizes: Sizes, folder: Path, cache: Path | None, *, poibin: bool) -> Result:
    more = ["exact_poibin", "exact_poibin_dp"] if poibin else []
    names = ["exact_consilience", "exact_scipy", *more]
    rows, bars = [], []
    for length in sizes.exact:
        what = f"{length:,} items, against exact masses"
        files = elsewhere(make_exact, folder, length=length)
        costs = best(names, *files, cache=cache, times=1)
        rows += [Row(what, name, costs[name]) for name in names]
        error = costs[names[0]].values["error of masses from 1e-30"]
        bars.append(Bar(f"{what}: ours apart, relative, from 1e-30", error, most=MASSES))
    return rows, bars


def make_trials(folder: Path, *, shape: Sequence[int], kinds: int = 0) -> Path:
    """Save probabilities: all different, or of so many kinds."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    p = rng.random(shape) if not kinds else rng.integers(1, kinds + 1, shape) / (kinds + 1)
    path = folder / f"trials-{'x'.join(map(str, shape))}-{kinds}.npy"
    np.save(path, p)
    return path


def make_exact(folder: Path, *, length: int) -> tuple[Path, Path]:
    """Save probabilities and the exact masses, each rounded once."""
    import numpy as np

    units = np.random.default_rng(SEED).integers(1, UNIT, length)
    ways = [1]  # of UNIT^n equally probable ones, those with 0, 1, … relevant items
    for one in units.tolist():
        none, some = [way * (UNIT - one) for way in ways], [way * one for way in ways]
        ways = [a + b for a, b in zip([*none, 0], [0, *some], strict=True)]
    paths = folder / f"exact-{length}.npy", folder / f"exact-{length}.masses.npy"
    np.save(paths[0], units / UNIT)
    np.save(paths[1], np.array([way / UNIT**length for way in ways]))
    return paths


def distributions(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Distributions under consensus: the cost of a list must not grow with the queries.

    20 systems return 50 ranked items for each query. CPU is that of the call alone, the peak that
    of everything. Up to 1,000 comparisons of two lists, every pair of systems is also compared on
    every query ("compared on queries"): at none of these sizes.
    """
    return _growing(
        "distributions_consilience",
        [(queries, f"{queries:,} queries", queries * SYSTEMS) for queries in sizes.uncertain],
        unit=f"list of {RETURNED}",
        times=min(sizes.times, 2),
    )


def displacement(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """One run against the lists of ten subjects: the cost of a row must not grow with their number.

    Every subject gives 100 items with a relevance for each query. CPU is that of the call alone,
    the peak that of everything.
    """
    each = SUBJECTS * LISTED
    return _growing(
        "displacement_consilience",
        [(queries, f"{queries * each:,} rows", queries * each) for queries in sizes.subjects],
        unit="row",
        times=sizes.times,
    )


def _growing(name: str, inputs: Sequence[tuple[int, str, int]], *, unit: str, times: int) -> Result:
    """Run on inputs of growing size (argument, name, units); the cost of a unit must not grow."""
    rows, bars = [], []
    before: float | None = None
    for argument, what, size in inputs:
        cost = best([name], str(argument), cache=None, times=times)[name]
        work = cost.values["work s"]
        rows.append(Row(what, name, replace(cost, cpu=work)))
        if before is not None:
            step = f"cost of a {unit} at {what} over that at the size before"
            bars.append(Bar(step, work / size / before, most=1.5))
        before = work / size
    return rows, bars


def agreement(sizes: Sizes, folder: Path, cache: Path | None) -> Result:
    """Krippendorff's alpha of labels in 5 categories, 10 for each item, by 1,000 annotators.

    From a table (a row for each item), and from columns of items and labels, which are counted
    first: that is the quickest form of the package krippendorff. ``work s`` is what is judged,
    from the labels in memory to alpha, warm, the best of three calls; CPU holds all three.
    """
    rows, bars = [], []
    per_label: dict[str, float] = {}
    for labels in sizes.agreement:
        what = f"{labels:,} labels"
        made = elsewhere(make_labels, folder, labels=labels, each=10, best=0.9, categories=5)
        for form in ("table", "counted"):
            names = [f"{form}_consilience", f"{form}_krippendorff"]
            costs = best(names, *labels_files(made), cache=cache, times=sizes.times)
            rows += [Row(f"{what}, {form}", name, costs[name]) for name in names]
            ours, theirs = (costs[name].values for name in names)
            apart = abs(ours["alpha"] - theirs["alpha"])
            bars.append(Bar(f"{what}, {form}: value apart from krippendorff's", apart, most=EXACT))
            if form in per_label:
                step = f"{form}: cost of a label at {what} over that at the size before"
                ratio = ours["work s"] / labels / per_label[form]
                bars.append(Bar(step, ratio, most=1.5))
            per_label[form] = ours["work s"] / labels
            if labels == sizes.agreement[-1]:
                ratio = ours["work s"] / theirs["work s"]
                bars.append(Bar(f"{what}, {form}: work over krippendorff's", ratio, most=2.0))
    return rows, bars
