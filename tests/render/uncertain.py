"""Results where truth is uncertain, computed by hand: counts exactly, the rest by simulation."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
MEASURES = ("precision", "recall", "f1", "ap")
LEVEL = 0.9
DRAWS = 400


def counts(beliefs: Floats) -> Floats:
    """Give the distribution of how many of independent items are relevant."""
    mass = np.ones(1)
    for p in beliefs:
        mass = np.convolve(mass, [1 - p, p])
    return mass


def summed(values: Floats, mass: Floats, undefined: str | None = None) -> dict[str, Any]:
    """Put a distribution into the form of a payload: equal values joined, mean and interval."""
    defined = np.isfinite(values)
    share = float(mass[defined].sum())
    if share == 0:
        bare: dict[str, Any] = dict.fromkeys(("mean", "median", "interval"))
        return {"support": [], "mass": [], "p_undefined": 1.0, "grouped": False, **bare} | {
            "undefined": undefined or "nothing is relevant"
        }
    support, place = np.unique(values[defined], return_inverse=True)
    weights = np.bincount(place, mass[defined]) / share
    tail = (1 - LEVEL) / 2
    low, median, high = (
        float(support[min(int(np.searchsorted(weights.cumsum(), q)), len(support) - 1)])
        for q in (tail, 0.5, 1 - tail)
    )
    return {
        "support": support.tolist(),
        "mass": weights.tolist(),
        "mean": float(support @ weights),
        "median": median,
        "interval": [low, high],
        "undefined": None,
        "p_undefined": max(0.0, 1 - share),
        "grouped": False,
    }


def one_result(beliefs: Floats, returned: npt.NDArray[np.intp], truths: Floats) -> dict[str, Any]:
    """Score one list against independent items: counts exactly, AP from the draws."""
    n = len(returned)
    rest = np.setdiff1d(np.arange(len(beliefs)), returned)
    inside, outside = counts(beliefs[returned]), counts(beliefs[rest])
    x, y = np.meshgrid(np.arange(len(inside)), np.arange(len(outside)), indexing="ij")
    joint = np.outer(inside, outside)
    with np.errstate(invalid="ignore", divide="ignore"):
        recall, f1 = x / (x + y), 2 * x / (n + x + y)
        precision, fixed = np.arange(n + 1) / n, np.arange(n + 1) / beliefs.sum()
        ap = average_precisions(truths, returned)
    band = []
    for k in range(1, n + 1):
        found = truths[:, returned[:k]].sum(axis=1)
        shares = found / k, found / np.maximum(1, truths.sum(axis=1))
        ends = [np.quantile(share, [0.05, 0.95]).tolist() for share in shares]
        band.append(
            {"k": k, "precision": shares[0].mean(), "recall": shares[1].mean()}
            | {"precision_interval": ends[0], "recall_interval": ends[1]}
        )
    return {
        "returned": n,
        "unjudged": 0,
        "precision": summed(precision, inside, "nothing was returned"),
        "recall": summed(recall.ravel(), joint.ravel()),
        "recall_fixed": summed(fixed, inside),
        "f1": summed(f1.ravel(), joint.ravel()),
        "ap": summed(ap, np.full(len(ap), 1 / len(ap))),
        "p_none_found": float(inside[0]),
        "p_none_relevant": float(joint[0, 0]),
        "band": [{**row, **{m: float(row[m]) for m in ("precision", "recall")}} for row in band],
    }


def average_precisions(truths: Floats, returned: npt.NDArray[np.intp]) -> Floats:
    hits = truths[:, returned]
    at = hits.cumsum(axis=1) / np.arange(1, len(returned) + 1)
    made: Floats = (hits * at).sum(axis=1) / truths.sum(axis=1)
    return made


def overall(results: list[dict[str, Any]], measure: str) -> dict[str, Any]:
    """Average one measure of one system over the queries; the interval is that of a normal."""
    known = [result[measure] for result in results if result[measure]["mean"] is not None]
    if not known:
        return {"mean": None, "interval": None, "method": "exact", "undefined": "no query has it"}
    if len(results) == 1:
        return {key: known[0][key] for key in ("mean", "interval", "undefined")} | {
            "method": "exact"
        }
    mean = float(np.mean([one["mean"] for one in known]))
    spread = [(one["interval"][1] - one["interval"][0]) / 3.3 for one in known]
    half = 1.64 * float(np.sqrt(np.sum(np.square(spread)))) / len(known)
    return {"mean": mean, "interval": [max(0.0, mean - half), min(1.0, mean + half)]} | {
        "method": "simulation",
        "undefined": None,
    }


def pair_of(a: str, b: str, measure: str, difference: Floats, queries: int) -> dict[str, Any]:
    tests = None
    if queries > 1:
        names = ("t", "wilcoxon", "sign", "randomisation")
        tests = {name: {"p": 0.012, "p_holm": 0.072} for name in names} | {"n": queries}
    return {
        "a": a,
        "b": b,
        "measure": measure,
        "difference": float(np.mean(difference)),
        "interval": np.quantile(difference, [0.05, 0.95]).tolist(),
        "p_a_beats_b": float(np.mean(difference > 0)),
        "p_b_beats_a": float(np.mean(difference < 0)),
        "p_equal": float(np.mean(difference == 0)),
        "p_a_beats_b_by_delta": float(np.mean(difference >= 0.05)),
        "p_b_beats_a_by_delta": float(np.mean(difference <= -0.05)),
        "paired": {"method": "simulation", "draws": DRAWS, "seed": 0},
        "independent": {"p_a_beats_b": 0.6, "p_b_beats_a": 0.3, "wasserstein": 0.04, "ks": 0.2},
        "tests": tests,
    }


def distributions_payload(
    names: list[str], *, queries: int = 1, items: int = 24, returned: int = 8
) -> dict[str, Any]:
    """Give the payload of ``distributions``: systems that see beliefs through noise."""
    rng = np.random.default_rng(items)
    results, differences = [], {(n, m): np.zeros(DRAWS) for n in names for m in MEASURES}
    for query in range(queries):
        beliefs = rng.beta(0.6, 1.2, items)
        truths = (rng.random((DRAWS, items)) < beliefs).astype(float)
        truths[:, 0] = 1.0
        beliefs[0] = 1.0
        for place, name in enumerate(names):
            seen = beliefs + rng.normal(0, 0.15 + 0.12 * place, items)
            chosen = np.argsort(-seen)[:returned]
            made = one_result(beliefs, chosen, truths)
            results.append({"system": name, "query": f"q{query + 1}", **made})
            hits = truths[:, chosen].sum(axis=1)
            total = truths.sum(axis=1)
            drawn = (hits / returned, hits / total, 2 * hits / (returned + total))
            for measure, values in zip(
                MEASURES, (*drawn, average_precisions(truths, chosen)), strict=True
            ):
                differences[name, measure] += values / queries
    kinds = ("precision", "recall", "recall_fixed", "f1", "ap")
    systems = []
    for name in names:
        own = [result for result in results if result["system"] == name]
        scores = {measure: overall(own, measure) for measure in kinds}
        systems.append({"name": name, "queries": queries, **scores, "band": own[0]["band"]})
    pairs = [
        pair_of(a, b, measure, differences[a, measure] - differences[b, measure], queries)
        for a, b in combinations(names, 2)
        for measure in MEASURES
    ]
    return {
        "verb": "distributions",
        "id": "distributions-0123456789ab",
        "version": "0.2.0",
        "created": "2026-11-15T10:00:00Z",
        "seed": 0,
        "inputs": [{"file": "runs.csv", "rows": 90, "recognised": "table", "why": "columns"}],
        "input_hash": "ab" * 32,
        "condition": "uncertain",
        "belief": {
            "method": "majority",
            "assumes": "people err independently",
            "effective_respondents": 5.0,
        },
        "caveat": None,
        "level": LEVEL,
        "delta": 0.05,
        "beta": 1.0,
        "settings": {"depth": None, "universe": None, "ties": "trec"},
        "queries": queries,
        "items": items * queries,
        "results": results,
        "systems": systems,
        "pairs": pairs,
        "notes": ["1 item was judged by nobody; its belief is 0.5."],
        "headline": f"{names[0]} has the highest expected F1 ({systems[0]['f1']['mean']:.4f}).",
    }


#: Category → parent, of a small tree.
TREE = {
    "animals": "",
    "mammals": "animals",
    "dogs": "mammals",
    "terriers": "dogs",
    "cats": "mammals",
    "birds": "animals",
    "finches": "birds",
    "things": "",
    "vehicles": "things",
    "aircraft": "vehicles",
    "boats": "vehicles",
}


def tree_payload(
    names: list[str], parents: dict[str, str] | None = None, *, items: int = 24, **more: Any
) -> dict[str, Any]:
    """Give the payload of ``tree``: subjects put items into categories, mostly near each other."""
    parents = TREE if parents is None else parents
    rng = np.random.default_rng(items)
    order = list(parents)
    depth: dict[str, int] = {}
    for category, parent in parents.items():
        depth[category] = depth[parent] + 1 if parent else 0
    direct, belief, answers = {}, {}, {}
    for i in range(items):
        name, votes = f"item {i + 1}", int(rng.integers(2, 8))
        near = int(rng.integers(0, len(order)))
        chosen = np.clip(near + rng.integers(-1, 2, votes), 0, len(order) - 1)
        own = {c: float(np.mean(chosen == at)) for at, c in enumerate(order) if at in chosen}
        whole = dict(own)
        for category in reversed(order):
            if parents[category] and category in whole:
                above = parents[category]
                whole[above] = whole.get(above, 0.0) + whole[category]
        direct[name], answers[name] = own, votes
        belief[name] = {c: whole[c] for c in order if c in whole}
    size = {c: float(sum(of.get(c, 0.0) for of in belief.values())) for c in order}
    base = distributions_payload(names, **more) if names else {}
    empty = distributions_payload(["x"]) | {"results": [], "systems": [], "pairs": []}
    return {
        **(base or empty),
        "verb": "tree",
        "id": "tree-0123456789ab",
        "headline": f"{order[0]} holds {size[order[0]]:.2f} of {items} items.",
        "categories": order,
        "parents": {c: [p] if p else [] for c, p in parents.items()},
        "depth": depth,
        "answers": answers,
        "direct": direct,
        "belief": belief,
        "size": size,
        "query": {"kind": "category", "name": order[1], "mixture": {order[1]: 1.0}},
        "dag": False,
    }
