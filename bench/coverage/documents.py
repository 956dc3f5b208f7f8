"""Intervals over documents, items, images, recordings and subjects drawn anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import consilience as cs
from bench.coverage.trials import Case, Simulation, Trials

#: What is looked at, one by one: name → (value, interval).
Seen = dict[str, tuple[float, tuple[float, float] | None]]
#: Makes data of so many units.
Make = Callable[[np.random.Generator, int], Any]

_SKEWED = "few subjects, and qualities that pile up: the rare high ones are missing too often"
_RAISED = (
    "COCO's AP takes the highest precision at any later recall, which is too high on few images"
)
_LETTERS = np.array(list("abcdefgh"))


def tried(make: Make, look: Callable[[Any, int], Seen], n: int) -> Callable[..., dict[str, Trials]]:
    """Make n units again and again; the truth is what very many units give."""

    def simulate(runs: int, seed: int) -> dict[str, Trials]:
        many = n * (200 if runs > 200 else 40)
        true = look(make(np.random.default_rng([seed, 10**6]), many), 0)
        rows: dict[str, list[tuple[int, float, tuple[float, float] | None, float]]] = {}
        for run in range(runs):
            found = look(make(np.random.default_rng([seed, run]), n), run)
            for name, (value, ends) in found.items():
                if not np.isnan(value):
                    rows.setdefault(name, []).append((run, value, ends, true[name][0]))
        return {name: Trials.of(some) for name, some in rows.items()}

    return simulate


def phrases(rng: np.random.Generator, n: int) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Write documents of phrases; what is predicted lacks some and misspells others."""
    gold, predicted = {}, {}
    for document in range(n):
        words = ["".join(rng.choice(_LETTERS, 6)) for _ in range(rng.integers(2, 7))]
        skill = rng.beta(2, 1)
        mine = [w if rng.random() < skill else w[:-2] + "xy" for w in words if rng.random() < 0.8]
        more = ["".join(rng.choice(_LETTERS, 6)) for _ in range(rng.poisson(1))]
        gold[f"d{document}"], predicted[f"d{document}"] = words, [*mine, *more]
    return gold, predicted


def look_soft(both: Any, seed: int) -> Seen:
    """Compare texts softly; very many of them some at a time."""
    gold, predicted = both
    names = list(gold)
    if len(names) > 500:
        parts = [names[begin : begin + 200] for begin in range(0, len(names), 200)]
        seen = [_soft(gold, predicted, part, seed) for part in parts]
        return {key: (float(np.mean([one[key][0] for one in seen])), None) for key in seen[0]}
    return _soft(gold, predicted, names, seed)


def _soft(gold: Any, predicted: Any, names: list[str], seed: int) -> Seen:
    result = cs.soft({n: gold[n] for n in names}, {n: predicted[n] for n in names}, seed=seed)
    made = result.payload()["intervals"]
    return {key: (getattr(result, key), _ends(made[key])) for key in ("precision", "recall", "f1")}


def _ends(given: list[float] | None) -> tuple[float, float] | None:
    return None if given is None else (given[0], given[1])


def labels(rng: np.random.Generator, n: int) -> dict[str, list[str]]:
    """Label items of three kinds; three annotators differ in how often they are right."""
    kind = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    table = {"item": [f"i{item}" for item in range(n)]}
    for name, right in (("ann", 0.9), ("ben", 0.8), ("cleo", 0.6)):
        said = np.where(rng.random(n) < right, kind, rng.integers(0, 3, n))
        table[name] = [str(one) for one in said]
    return table


def look_agree(table: Any, seed: int) -> Seen:
    """Tell how far the annotators agree."""
    result = cs.agree(cs.study(table, labels=True), scale="nominal", seed=seed)
    seen: Seen = {
        name: (one.value, one.interval)
        for name, one in (
            ("alpha", result.alpha),
            ("fleiss", result.fleiss),
            ("percent", result.percent),
        )
    }
    return seen | {f"kappa of {one.name}": (one.kappa, one.interval) for one in result.annotators}


def boxes(rng: np.random.Generator, n: int) -> tuple[list[Any], list[Any]]:
    """Draw boxes in images of two classes; detections are shifted, some missing, some made up."""
    gold, found = [], []
    for image in range(n):
        skill = rng.beta(3, 1)
        for _ in range(1 + rng.poisson(3)):
            place, label = rng.random(2) * 80, int(rng.integers(1, 3))
            box = {"image_id": image, "category_id": label}
            gold.append({**box, "bbox": [*place.tolist(), 20.0, 20.0]})
            if rng.random() < skill:
                moved = (place + rng.normal(0, 2, 2)).tolist()
                found.append({**box, "bbox": [*moved, 20.0, 20.0], "score": rng.beta(4, 2)})
        for _ in range(rng.poisson(1)):
            box = {"image_id": image, "category_id": int(rng.integers(1, 3))}
            where = (rng.random(2) * 80).tolist()
            found.append({**box, "bbox": [*where, 20.0, 20.0], "score": rng.beta(2, 3)})
    return gold, found


def look_boxes(both: Any, seed: int) -> Seen:
    """Compare boxes: by overlap, at IoU .5, by average precision."""
    result = cs.detections(*both, seed=seed)
    made = result.payload()
    seen: Seen = {f"soft {key}": (made[key], _ends(made["intervals"][key])) for key in _THREE}
    crisp = result.intervals["crisp"]
    total = result.crisp.total()
    tp, fp, fn = (float(part) for part in (total.tp, total.fp, total.fn))
    values = {
        "precision": tp / (tp + fp),
        "recall": tp / (tp + fn),
        "f1": 2 * tp / (2 * tp + fp + fn),
    }
    seen |= {f"{key} at .5": (values[key], crisp[key]) for key in _THREE}
    assert result.ap is not None
    summary = made["ap"]["summary"]
    return seen | {key: (summary[key], result.ap.intervals[key]) for key in ("AP", "AP50", "AP75")}


_THREE = ("precision", "recall", "f1")


def spans(rng: np.random.Generator, n: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Mark time in recordings; edges are moved, some segments missing."""
    gold, found = {}, {}
    for recording in range(n):
        starts = np.cumsum(rng.exponential(6, rng.integers(3, 9)) + 4)
        lengths = rng.uniform(0.5, 4, len(starts))
        skill = rng.beta(4, 1)
        name = f"r{recording}"
        gold[name] = [
            (a, a + d, "s") for a, d in zip(starts.tolist(), lengths.tolist(), strict=True)
        ]
        moved = rng.normal(0, 0.3, (2, len(starts)))
        found[name] = [
            (max(0.0, a + s), max(0.0, a + s) + 0.1 + max(0.0, b - a + e), label)
            for (a, b, label), s, e in zip(gold[name], *moved.tolist(), strict=True)
            if rng.random() < skill
        ]
    return gold, found


def look_segments(both: Any, seed: int) -> Seen:
    """Compare time with time."""
    result = cs.segments(*both, seed=seed)
    return {
        name: (getattr(result, name), drawn.interval(drawn.draws[:, 0], 0.95))
        for name, drawn in result.drawn.items()
    }


_ITEMS = [f"i{item}" for item in range(8)]
_RUNS = {"near": {"q": _ITEMS[:6]}, "far": {"q": [*_ITEMS[3:], _ITEMS[0]]}}


def subjects(rng: np.random.Generator, n: int) -> dict[str, list[Any]]:
    """Ask subjects for what they want, the most relevant first."""
    rows: dict[str, list[Any]] = {"query": [], "subject": [], "item": [], "relevance": []}
    for subject in range(n):
        wanted = np.argsort(np.arange(8) + rng.normal(0, 3, 8))[: rng.integers(2, 6)]
        for place, item in enumerate(wanted.tolist()):
            rows["query"].append("q")
            rows["subject"].append(f"s{subject:05}")
            rows["item"].append(_ITEMS[item])
            rows["relevance"].append(1 / (1 + place))
    return rows


def look_subjects(rows: Any, seed: int) -> Seen:
    """Tell how near systems are to subjects, and how much nearer one is than the other."""
    made = cs.displacement(cs.study(_RUNS, truth=rows), collection=50, seed=seed).payload()
    seen: Seen = {
        name: (one["quality"], _ends(one["interval"])) for name, one in made["aggregate"].items()
    }
    (pair,) = made["pairs"]
    sign = 1 if pair["a"] == "near" else -1
    ends = _ends(pair["interval"])
    if ends is not None:
        ends = ends if sign > 0 else (-ends[1], -ends[0])
    return seen | {"difference": (sign * pair["difference"], ends)}


def correlated(queries: int) -> Callable[..., dict[str, Trials]]:
    """Compare the ranking by truth with the majority's; the truth is the mean over all runs."""

    def simulate(runs: int, seed: int) -> dict[str, Trials]:
        names, rows = ("tau_b", "tau_ap", "regret"), []
        for run in range(runs):
            rng = np.random.default_rng([seed, run])
            study = _ranked(rng, queries)
            found = cs.correlate_study(study, beliefs=["majority"], seed=run, samples=1000)
            (one,) = found.rankings
            rows.append({name: (one.figures[name], one.intervals[name]) for name in names})
        made = {}
        for name in names:
            true = float(np.mean([row[name][0] for row in rows]))
            made[name] = Trials.of((run, *row[name], true) for run, row in enumerate(rows))
        return made

    return simulate


def _ranked(rng: np.random.Generator, queries: int) -> cs.Study:
    """Make eight systems that find more or less of what is relevant."""
    truth = rng.random((queries, 20)) < 0.3
    skill = np.linspace(0.85, 0.4, 8)[:, None, None]
    wrong = np.linspace(0.08, 0.2, 8)[[3, 1, 4, 0, 6, 2, 7, 5]][:, None, None]
    chance = rng.random((8, queries, 20))
    found = np.where(truth, chance < skill, chance < wrong)
    names = np.array([f"i{item:02}" for item in range(20)])
    lists = {
        f"s{s}": {f"q{q:03}": names[found[s, q]].tolist() for q in range(queries)} for s in range(8)
    }
    gold = {
        f"q{q:03}": {name: int(one) for name, one in zip(names.tolist(), truth[q], strict=True)}
        for q in range(queries)
    }
    return cs.study(lists, truth=gold)


def _cases(kind: str, unit: str, names: dict[str, str], **more: Any) -> dict[str, Case]:
    return {name: Case(kind, about, unit, **more) for name, about in names.items()}


SIMULATIONS = (
    Simulation(
        "soft",
        tried(phrases, look_soft, 20),
        _cases("soft P, R, F1", "documents", {k: f"{k}, 20 documents" for k in _THREE}),
        runs=500,
        few=25,
    ),
    *(
        Simulation(
            f"agree, {n}",
            tried(labels, look_agree, n),
            _cases(
                "agreement of annotators",
                "items",
                {
                    "alpha": f"Krippendorff's α, {n} items",
                    "fleiss": f"Fleiss' κ, {n} items",
                    "percent": f"share of equal labels, {n} items",
                    "kappa of ann": f"κ of the best annotator with the others, {n} items",
                    "kappa of cleo": f"κ of the worst annotator with the others, {n} items",
                },
            ),
            runs=2000,
            few=80 if n == 50 else 0,
        )
        for n in (20, 50, 200)
    ),
    Simulation(
        "boxes",
        tried(boxes, look_boxes, 25),
        _cases(
            "detection",
            "images",
            {
                **{f"soft {k}": f"soft {k}, 25 images" for k in _THREE},
                **{f"{k} at .5": f"{k} at IoU .5, 25 images" for k in _THREE},
            },
        )
        | {
            name: Case("detection", f"{name}, 25 images", "images", narrow=why)
            for name, why in (("AP", _RAISED), ("AP50", None), ("AP75", _RAISED))
        },
        runs=1500,
        few=25,
    ),
    Simulation(
        "segments",
        tried(spans, look_segments, 20),
        _cases("segments of time", "recordings", {k: f"{k}, 20 recordings" for k in _THREE}),
        runs=2000,
        few=80,
    ),
    Simulation(
        "subjects",
        tried(subjects, look_subjects, 20),
        _cases(
            "nearness to subjects",
            "subjects",
            {
                "near": "mean quality of the better system, 20 subjects",
                "far": "mean quality of the worse system, 20 subjects",
                "difference": "difference of two systems, 20 subjects",
            },
            narrow=_SKEWED,
        ),
        runs=2000,
        few=80,
    ),
    *(
        Simulation(
            f"correlate, {queries}",
            correlated(queries),
            _cases(
                "agreement of two rankings",
                "queries",
                {
                    "tau_b": f"Kendall's τ-b, {queries} queries",
                    "tau_ap": f"τ_ap, {queries} queries",
                    "regret": f"regret, {queries} queries",
                },
                bends=False,
            ),
            runs=400,
            few=60 if queries == 25 else 0,
        )
        for queries in (25, 100)
    ),
)
