"""Rankings that say how sure they are, simulated: queries, resamples, tests, labels by design."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from tests.render.conftest import rank_payload
from tests.render.consensus import consensus_payload

Floats = npt.NDArray[np.float64]
NAMES = ["bm25+rm3", "dense-e5", "splade", "bm25", "colbert", "tfidf"]
TESTS = ("t", "wilcoxon", "sign", "randomisation")
UNJUDGED = "an item that was not judged is not relevant"
BELIEVED = "what this belief says is true"
WHY_POOL = "the unjudged items could move the score further than sampling does"
WHY_ABSENT = "no label tells how far agreement is from the truth"
SAMPLES = 2000


def drawn(names: list[str], queries: int) -> tuple[Floats, Floats]:
    """Give scores (system, query), and means over resampled queries (system, sample)."""
    rng = np.random.default_rng(len(names))
    level = 0.42 - 0.13 * np.arange(len(names))[:, None] / len(names) + rng.normal(0, 0.12, queries)
    scores = np.clip(level + rng.normal(0, 0.07, (len(names), queries)), 0.01, 0.99)
    scores = scores[np.argsort(-scores.mean(axis=1))]
    chosen = rng.integers(0, queries, (SAMPLES, queries))
    return scores, scores[:, chosen].mean(axis=2)


def ends(values: Floats) -> list[float]:
    low, high = np.quantile(values, [0.025, 0.975])
    return [float(low), float(high)]


def holm(p: list[float]) -> list[float]:
    """Correct p-values by Holm's rule, as a loop."""
    order, least, made = np.argsort(p), 0.0, [0.0] * len(p)
    for step, place in enumerate(order):
        least = max(least, min(1.0, (len(p) - step) * p[place]))
        made[place] = float(least)
    return made


def tested(a: Floats, b: Floats) -> dict[str, float]:
    d = a - b
    up, down = int((d > 0).sum()), int((d < 0).sum())
    rng = np.random.default_rng(0)
    swapped = np.abs((rng.choice([-1, 1], (2000, len(d))) * d).mean(axis=1))
    return {
        "t": float(stats.ttest_rel(a, b).pvalue),
        "wilcoxon": float(stats.wilcoxon(d, method="approx").pvalue),
        "sign": float(stats.binomtest(up, up + down).pvalue),
        "randomisation": float((1 + (swapped >= abs(d.mean())).sum()) / 2001),
    }


def pairs_of(
    names: list[str], scores: Floats, means: Floats, delta: float | None
) -> list[dict[str, Any]]:
    made, found = [], []
    for i, j in combinations(range(len(names)), 2):
        d, again = scores[i] - scores[j], means[i] - means[j]
        wins, losses = int((d > 0).sum()), int((d < 0).sum())
        beyond = [float((again > (delta or 0)).mean()), float((again < -(delta or 0)).mean())]
        known = delta is not None
        found.append(tested(scores[i], scores[j]))
        made.append(
            {
                "a": names[i],
                "b": names[j],
                "p_a_beats_b": float((again > 0).mean()),
                "difference": float(d.mean()),
                "interval": ends(again),
                "standard_error": None,
                "p_equivalent": 1 - sum(beyond) if known else None,
                "p_a_better": beyond[0] if known else None,
                "p_b_better": beyond[1] if known else None,
                "effect": {
                    "dz": float(d.mean() / d.std(ddof=1)),
                    "wins": wins,
                    "draws": len(d) - wins - losses,
                    "losses": losses,
                    "superiority": (wins + 0.5 * (len(d) - wins - losses)) / len(d),
                },
            }
        )
    corrected = {test: holm([p[test] for p in found]) for test in TESTS}
    for k, pair in enumerate(made):
        pair["tests"] = {t: {"p": found[k][t], "holm": corrected[t][k]} for t in TESTS}
    return made


def sure_payload(
    names: list[str] | None = None, *, queries: int = 50, delta: float | None = 0.02
) -> dict[str, Any]:
    """Give a ranking with complete truth, its tests and its region of practical equivalence."""
    names = NAMES if names is None else names
    made = rank_payload(names)
    scores, means = drawn(names, queries)
    order = (-means).argsort(axis=0).argsort(axis=0) + 1
    for i, system in enumerate(made["systems"]):
        low, high = np.quantile(order[i], [0.025, 0.975], method="nearest")
        system |= {"p_best": float((order[i] == 1).mean()), "rank_interval": [int(low), int(high)]}
        system["judged"] = None
        for measure, score in system["scores"].items():
            score |= {"interval_withheld": None, "given": None, "posterior": None}
            score |= {"standard_error": None, "shrunk": None, "plain": None}
            shift = 0.0 if measure == "AP" else 0.1
            score["value"] = float(scores[i].mean() + shift)
            score["interval"] = ends(means[i] + shift)
    beats = [[float((a > b).mean()) for b in means] for a in means]
    pairs = pairs_of(names, scores, means, delta)
    best = f"({scores[0].mean():.4f}) and is best with probability {(order[0] == 1).mean():.2f}"
    return made | {
        "queries": queries,
        "verdict": f"Not settled: {names[0]} has the highest AP {best}, but {names[1]} is "
        f"statistically tied with it over {queries} queries. Next step: more queries, or accept "
        "the tie.",
        "pairs": pairs,
        "delta": delta,
        "beats": {
            "systems": names,
            "p": [
                [None if i == j else p for j, p in enumerate(row)] for i, row in enumerate(beats)
            ],
        },
        "tests": {
            "unit": "queries",
            "n": queries,
            "correction": "Holm",
            "comparisons": len(pairs),
            "names": list(TESTS),
        },
        "uncertainty": {
            "unit": "queries",
            "n": queries,
            "method": "percentile bootstrap, expanded for small samples",
            "about": f"{queries} queries were drawn anew 2,000 times; systems and truth stay",
            "withheld": None,
            "given": None,
            "bounds": {"kind": None, "about": None},
        },
        "partial": None,
        "design": None,
        "stop": None,
    }


def _withhold(payload: dict[str, Any], why: str, assumes: str, half: float) -> None:
    """Withhold every interval: what it would be moves to ``given``, bounds lie around it."""
    for system in payload["systems"]:
        for score in system["scores"].values():
            score["given"] = {"interval": score["interval"], "assumes": assumes}
            score |= {"interval": None, "interval_withheld": why}
            score["bounds"] = [max(0, score["value"] - half / 4), min(1, score["value"] + half)]
    for pair in payload["pairs"]:
        pair["given"] = {"interval": pair["interval"], "assumes": assumes}
        pair |= {"interval": None, "interval_withheld": why}
    payload["uncertainty"] |= {"withheld": why, "given": assumes}


def pooled_payload() -> dict[str, Any]:
    """Give a ranking by a pool: unjudged items, withheld intervals, companions."""
    made = sure_payload()
    _withhold(made, WHY_POOL, UNJUDGED, 0.2)
    made["uncertainty"]["bounds"] = {
        "kind": "unjudged",
        "about": "from no unjudged item being relevant to those that favour the system most",
    }
    for i, system in enumerate(made["systems"]):
        system["judged"] = {"@10": 1 - 0.057 * i, "all": 0.4312 - 0.05 * i}
    values = {s["name"]: s["scores"]["AP"]["value"] for s in made["systems"]}
    kinds = {
        "AP(condensed)": ("AP of the lists without their unjudged items", 0.08, True, 0.87),
        "Bpref": ("how often a judged relevant item stands above another one", 0.1, True, 0.73),
        "infAP": ("AP estimated from the judged share at each depth", 0.02, False, 0.6),
    }
    made["partial"] = {
        "judged": 0.31,
        "companions": [
            {
                "measure": name,
                "about": about,
                "first": [NAMES[0] if same else NAMES[1]],
                "tau": tau,
                "same_first": same,
                "scores": {n: v + shift for n, v in values.items()},
            }
            for name, (about, shift, same, tau) in kinds.items()
        ],
        "agree": False,
        "about": "infAP puts another system first: what was not judged decides who leads",
    }
    return made | {
        "condition": "partial",
        "judged": 0.31,
        "verdict": f"Not settled: {NAMES[0]} has the highest AP, but 69.0% of the returned items "
        "have not been judged, and these could turn the order. Next step: consilience next.",
    }


def designed_payload() -> dict[str, Any]:
    """Give a ranking estimated from labels drawn by design."""
    made = sure_payload()
    for system in made["systems"]:
        for score in system["scores"].values():
            se = (score["interval"][1] - score["interval"][0]) / 3.92
            score |= {"standard_error": se, "plain": score["value"] * 0.4}
            score["shrunk"] = 0.8 * score["value"] + 0.2 * 0.38
    for pair in made["pairs"]:
        pair |= {"standard_error": 0.012, "tests": None, "effect": None}
    return made | {
        "condition": "partial",
        "resampling": {
            "unit": "labels",
            "n": 140,
            "samples": 10000,
            "method": "AIPW with a variance floor, normal approximation",
            "seed": 0,
        },
        "tests": None,
        "uncertainty": {
            "unit": "labels",
            "n": 140,
            "method": "AIPW with a variance floor, normal approximation",
            "about": "which items were labelled would be drawn anew; these queries stay",
            "withheld": None,
            "given": None,
            "bounds": {"kind": None, "about": None},
        },
        "design": {
            "labels": 140,
            "drawn": 152,
            "rounds": 2,
            "known": 12,
            "population": 10000,
            "queries": 50,
            "effective": 61.4,
            "probability": {"min": 0.0031, "max": 1.0},
            "prediction": {"from": "ls-eb", "calibrated": True, "labels_used": 140},
            "unit": "labels",
            "notes": ["12 drawn items were not labelled: their probabilities were scaled."],
        },
        "stop": {
            "settled": True,
            "level": 0.95,
            "delta": 0.02,
            "labels": 140,
            "population": 10000,
            "looks": 2,
            "level_used": 0.975,
            "first": NAMES[0],
            "probability": 0.981,
            "needed": None,
            "sentence": "Settled at 95% for δ = 0.02 after 140 of 10,000 labels.",
        },
    }


def people_payload() -> dict[str, Any]:
    """Give a ranking by several people's answers: a posterior beside each interval."""
    made = sure_payload()
    for system in made["systems"]:
        for score in system["scores"].values():
            mean = score["value"] - 0.004
            score["posterior"] = {"interval": [mean - 0.02, mean + 0.02], "mean": mean, "sd": 0.01}
            score["posterior"]["how"] = "which items are relevant was drawn 2,000 times"
    return made | {"condition": "uncertain"}


def agreed_payload() -> dict[str, Any]:
    """Give a ranking without truth: a sensitivity range, and no interval."""
    made = consensus_payload(6)
    names = [system["name"] for system in made["systems"]]
    new = sure_payload(names)
    for key in ("uncertainty", "delta", "beats", "tests", "partial", "design", "stop", "pairs"):
        made[key] = new[key]
    for old, system in zip(made["systems"], new["systems"], strict=True):
        old["judged"] = None
        old["scores"] = {m: score | {"undefined": None} for m, score in system["scores"].items()}
    _withhold(made, WHY_ABSENT, BELIEVED, 0.1)
    made["uncertainty"]["bounds"] = {
        "kind": "sensitivity",
        "about": "the smallest and largest value over the panel's methods and families",
    }
    return made
