"""The programs that count relevant items, agree and compare; called as in :mod:`bench.contestants`.

``work s`` among the values are CPU seconds without start-up: whatever is loaded or compiled on
first use comes before, on a small input.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

#: Lists of the many whose values are compared; scipy is run on these alone.
SOME = 1_000
#: A ranked list of distributions and of displacement, the systems and the subjects that give them.
RETURNED, SYSTEMS = 50, 20
LISTED, SUBJECTS = 100, 10

Counter = Callable[[Any], Any]


def count_consilience(file: str) -> dict[str, float]:
    from consilience import number_relevant

    return _counted(file, number_relevant, lambda count: (count.values, count.mass))


def count_scipy(file: str) -> dict[str, float]:
    return _counted(file, _scipy(), _from_zero)


def count_poibin(file: str) -> dict[str, float]:
    return _counted(file, _poibin(), lambda found: _from_zero(found.pmf))


def lists_consilience(file: str) -> dict[str, float]:
    import numpy as np

    from consilience import numbers_relevant

    def every(table: Any) -> Any:
        return numbers_relevant(table.ravel(), np.arange(len(table) + 1) * table.shape[1])

    table = np.load(file)
    every(table[:2])
    began = time.process_time()
    found = every(table)
    ended = time.process_time()
    return _of_lists([found[number].mass for number in range(SOME)], len(table), ended - began)


def lists_scipy(file: str) -> dict[str, float]:
    """On the first lists only."""
    return _one_after_the_other(file, _scipy(), SOME)


def lists_poibin(file: str) -> dict[str, float]:
    call = _poibin()
    return _one_after_the_other(file, lambda p: call(p).pmf, None)


def exact_consilience(file: str, masses: str) -> dict[str, float]:
    """How far single masses are off; ``masses`` holds the exact ones."""
    import numpy as np

    from consilience import number_relevant

    p = np.load(file)
    count = number_relevant(p)
    whole = np.zeros(len(p) + 1)
    whole[count.values] = count.mass
    return _errors(whole, masses)


def exact_scipy(file: str, masses: str) -> dict[str, float]:
    import numpy as np

    return _errors(_scipy()(np.load(file)), masses)


def exact_poibin(file: str, masses: str) -> dict[str, float]:
    import numpy as np

    return _errors(_poibin()(np.load(file)).pmf, masses)


def exact_poibin_dp(file: str, masses: str) -> dict[str, float]:
    """Its other way: exact, and as costly as the square of the items."""
    import numpy as np

    return _errors(_poibin()(np.load(file), mode="dp").pmf, masses)


def _scipy() -> Counter:
    import numpy as np
    from scipy.stats import poisson_binom

    return lambda p: poisson_binom(p).pmf(np.arange(len(p) + 1))


def _poibin() -> Any:
    return import_module("fast_poibin").PoiBin  # not installed where types are


def _from_zero(mass: Any) -> tuple[Any, Any]:
    import numpy as np

    return np.arange(len(mass)), mass


def _counted(file: str, call: Counter, parts: Callable[[Any], tuple[Any, Any]]) -> dict[str, float]:
    import numpy as np

    p = np.load(file)
    call(p[: min(len(p), 2_000)])
    began = time.process_time()
    found = call(p)
    ended = time.process_time()
    values, mass = parts(found)
    return {"mean": float(values @ mass), "mode": float(mass.max()), "work s": ended - began}


def _one_after_the_other(file: str, call: Counter, lists: int | None) -> dict[str, float]:
    import numpy as np

    table = np.load(file)[:lists]
    call(table[0])
    began = time.process_time()
    found = [call(p) for p in table]
    ended = time.process_time()
    return _of_lists(found[:SOME], len(table), ended - began)


def _of_lists(masses: Sequence[Any], lists: int, work: float) -> dict[str, float]:
    """Average over some lists: the expected number, and the mass of the most probable one."""
    means = [sum(number * one for number, one in enumerate(mass.tolist())) for mass in masses]
    modes = [float(mass.max()) for mass in masses]
    averages = {"mean": sum(means) / len(means), "mode": sum(modes) / len(modes)}
    return {**averages, "lists": lists, "work s": work}


def _errors(found: Any, masses: str) -> dict[str, float]:
    import numpy as np

    exact = np.load(masses)
    errors = {}
    for least in (1e-12, 1e-30):
        kept = exact >= least
        off = np.abs(found[kept] - exact[kept]) / exact[kept]
        errors[f"error of masses from {least:g}"] = float(off.max())
    return errors


def table_consilience(task: str, label: str) -> dict[str, float]:
    """From a table: each item's labels in a row."""
    from consilience import krippendorff_alpha

    return _alpha(krippendorff_alpha, *_table(task, label))


def table_krippendorff(task: str, label: str) -> dict[str, float]:
    from krippendorff import alpha

    def of(table: Any) -> float:
        return float(alpha(reliability_data=table.T, level_of_measurement="nominal"))

    return _alpha(of, *_table(task, label))


def counted_consilience(task: str, label: str) -> dict[str, float]:
    """From columns of items and labels, as ``agree`` computes it."""
    from consilience.measures.chance_corrected import alpha
    from consilience.measures.disagreement import Metric, counted

    def of(item: Any, category: Any) -> float:
        shape = (int(item.max()) + 1, int(category.max()) + 1)
        return alpha(counted(item, category, shape), Metric("nominal"))

    return _alpha(of, *_columns(task, label))


def counted_krippendorff(task: str, label: str) -> dict[str, float]:
    """Its quickest form: the labels are counted first, by numpy."""
    import numpy as np
    from krippendorff import alpha

    def of(item: Any, category: Any) -> float:
        items, categories = int(item.max()) + 1, int(category.max()) + 1
        cells = np.bincount(item * categories + category, minlength=items * categories)
        counts = cells.reshape(items, categories)
        return float(alpha(value_counts=counts, level_of_measurement="nominal"))

    return _alpha(of, *_columns(task, label))


def _columns(task: str, label: str) -> tuple[Any, ...]:
    import numpy as np

    return np.load(task), np.load(label)


def _table(task: str, label: str) -> tuple[Any, ...]:
    """Give each item's labels a row; α does not ask whose they are."""
    import numpy as np

    item, category = _columns(task, label)
    return (category[np.argsort(item, kind="stable")].reshape(int(item.max()) + 1, -1),)


def _alpha(of: Callable[..., float], *columns: Any) -> dict[str, float]:
    of(*(column[:1_000] for column in columns))
    taken = []
    for _ in range(3):  # it takes some hundredths of a second
        began = time.process_time()
        value = of(*columns)
        taken.append(time.process_time() - began)
    return {"alpha": value, "work s": min(taken)}


def distributions_consilience(queries: str) -> dict[str, float]:
    import consilience as cs

    cs.distributions(_study(3, 2), belief=cs.consensus)
    study = _study(int(queries), SYSTEMS)
    began = time.process_time()
    found = cs.distributions(study, belief=cs.consensus)
    ended = time.process_time()
    compared = sum(len(one.meetings) for one in found.duels)
    means = [one.means["f1"] for one in found.standings]
    values = {"F1": sum(means) / len(means), "compared on queries": compared}
    return {**values, "work s": ended - began}


def _study(queries: int, systems: int) -> Any:
    """Ranked lists of systems that agree in part: a good one picks from few candidates."""
    import numpy as np

    import consilience as cs

    rng = np.random.default_rng(20260415)
    shape = (queries, systems, RETURNED)
    pool = np.linspace(RETURNED + 10, 4 * RETURNED, systems).astype(int)
    picked = np.array([[rng.permutation(n)[:RETURNED] for n in pool] for _ in range(queries)])
    at = np.indices(shape)
    columns = {"query": at[0], "system": at[1], "item": picked, "rank": at[2] + 1}
    return cs.study({name: column.ravel() for name, column in columns.items()})


def displacement_consilience(queries: str) -> dict[str, float]:
    import consilience as cs

    cs.displacement(_subjects(2))
    study = _subjects(int(queries))
    taken = []
    for _ in range(2):
        began = time.process_time()
        found = cs.displacement(study)
        taken.append(time.process_time() - began)
    return {"quality": float(found.figures.quality.mean()), "work s": min(taken)}


def _subjects(queries: int) -> Any:
    """Lists of subjects with their relevances, and one run beside them."""
    import numpy as np

    import consilience as cs

    rng = np.random.default_rng(20260415)
    shape = (queries, SUBJECTS + 1, LISTED)
    picked = rng.permuted(np.broadcast_to(np.arange(2 * LISTED), (*shape[:2], 2 * LISTED)), axis=2)
    item = picked[..., :LISTED]
    at = np.indices(shape)
    run = {"query": at[0], "system": at[1], "item": item, "rank": at[2] + 1}
    said = {"query": at[0], "subject": at[1], "item": item, "relevance": 1 - at[2] / LISTED}
    return cs.study(
        {name: column[:, -1].ravel() for name, column in run.items()},
        truth={name: column[:, :-1].ravel() for name, column in said.items()},
    )


def labels_files(files: Sequence[Path]) -> tuple[Path, Path]:
    """Choose what α needs of made labels: the items and the labels, not who gave them."""
    return files[0], files[2]


COUNTERS: dict[str, Callable[..., dict[str, float]]] = {
    function.__name__: function
    for function in (
        *(count_consilience, count_scipy, count_poibin),
        *(lists_consilience, lists_scipy, lists_poibin),
        *(exact_consilience, exact_scipy, exact_poibin, exact_poibin_dp),
        *(table_consilience, table_krippendorff, counted_consilience, counted_krippendorff),
        *(distributions_consilience, displacement_consilience),
    )
}
