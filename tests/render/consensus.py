"""A ranking without truth, simulated: systems of families that copy from each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform
from scipy.stats import kendalltau

from tests.render.conftest import rank_payload

CAVEAT = "no ground truth was used: this is agreement"
FAMILIES = ["tesseract", "abbyy", "easyocr", "kraken", "calamari"]


def consensus_payload(total: int, ks: int = 12) -> dict[str, Any]:
    """Give the payload of ``rank`` without truth, as the verdict's room writes it."""
    rng = np.random.default_rng(total)
    names = [f"{FAMILIES[i % 5]}-{i // 5 + 1}" if i % 7 else f"own-{i}" for i in range(total)]
    family = [None if name.startswith("own") else name.split("-")[0] for name in names]
    phi = _phi(rng, family)
    tree = linkage(squareform(1 - phi, checks=False), "average")
    made = rank_payload(names)
    members = {f: [n for n, of in zip(names, family, strict=True) if of == f] for f in FAMILIES}
    counted = {f: round(1 + 0.1 * len(group), 2) for f, group in members.items()}
    for i, system in enumerate(made["systems"]):
        system["family"] = family[i]
        system["counted_as"] = counted.get(family[i] or "")
        for score in system["scores"].values():
            score["bounds"] = [max(0.0, score["value"] - 0.08), score["value"] + 0.05]
    return made | {
        "condition": "absent",
        "caveat": CAVEAT,
        "withheld": None,
        "leave_out": "none",
        "verdict": f"{names[0]} agrees most with the others (probability 0.71).",
        "belief": {
            "method": "ls-eb",
            "effective_respondents": 5.3,
            "assumes": "errors of different families are independent",
            "truth": 0.0,
            "details": {},
            "bounds": {
                "of": "accuracy of the majority vote",
                "low": 0.61,
                "high": 0.97,
                "independent": 0.94,
                "assumes": "every voter is right with probability 0.8",
            },
        },
        "dependence": {
            "systems": names,
            "phi": [[None if v == 0 else float(v) for v in row] for row in phi],
            "effective": 4.2,
            "sources": len(FAMILIES),
            "sources_from": "declared",
            "families": [
                {"name": f, "members": members[f], "counted_as": counted[f], "declared": True}
                for f in FAMILIES
                if members[f]
            ],
            "learned": [members[f][:4] for f in FAMILIES[:2]],
            "ari": 0.83,
            "tree": [
                {"left": int(a), "right": int(b), "height": float(h), "size": int(size)}
                for a, b, h, size in tree
            ],
            "order": [int(leaf) for leaf in leaves_list(tree)],
            "duplicates": [names[:2]],
            "near": 0.95,
            "items": 12345,
            "sampled": False,
            "warning": None,
        },
        "panel": _panel(rng, names),
        "cutoffs": _cutoffs(names, ks),
        "virtual": [
            {"name": "⊤", "about": "returns everything", "scores": _virtual(0.4857)},
            {"name": "⊥", "about": "returns nothing", "scores": _virtual(None)},
        ],
    }


def _phi(rng: np.random.Generator, family: list[str | None]) -> Any:
    truth = rng.random(400) < 0.5
    lines = {f: np.where(rng.random(400) < 0.3, ~truth, truth) for f in FAMILIES}
    votes = []
    for of in family:
        source, noise = (lines[of], 0.12) if of else (truth, 0.35)
        votes.append(np.where(rng.random(400) < noise, ~source, source))
    phi = np.corrcoef(np.array(votes, dtype=float))
    phi[0, -1] = phi[-1, 0] = 0.0  # stands for "undefined"
    np.fill_diagonal(phi, 1.0)
    return phi


def _panel(rng: np.random.Generator, names: list[str]) -> dict[str, Any]:
    methods: list[dict[str, Any]] = []
    for place, name in enumerate(["ls-eb", "majority", "discounted", "families", "dawid-skene"]):
        values = -np.arange(len(names)) + rng.normal(0, place, len(names))
        ranks = (-values).argsort().argsort() + 1
        methods.append(
            {
                "name": name,
                "values": {n: float(1 / (1 + r)) for n, r in zip(names, ranks, strict=True)},
                "ranks": {n: int(r) for n, r in zip(names, ranks, strict=True)},
                "leader": names[int(values.argmax())],
            }
        )
    lists = [list(method["ranks"].values()) for method in methods]
    tau: list[list[float | None]] = [
        [float(kendalltau(a, b).statistic) for b in lists] for a in lists
    ]
    tau[1][4] = tau[4][1] = None
    alone = [methods[i] | {"name": family} for i, family in ((1, "abbyy"), (2, "kraken"))]
    return {
        "measure": "AP",
        "families": alone,
        "methods": methods,
        "tau": tau,
        "skipped": [{"name": "hds", "why": "the answers have no categories"}],
        "gold": False,
    }


def sparse(payload: dict[str, Any]) -> dict[str, Any]:
    """Keep the pairs that a result of very many systems holds: with the first, and neighbours."""
    order = {system["name"]: i for i, system in enumerate(payload["systems"])}
    kept = [
        pair
        for pair in payload["pairs"]
        if order[pair["a"]] == 0 or order[pair["b"]] == order[pair["a"]] + 1
    ]
    return payload | {"pairs": kept}


def _cutoffs(names: list[str], ks: int) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "points": [
                {
                    "k": k,
                    "precision": 0.9 / (1 + 0.02 * (i % 9) + 0.04 * k),
                    "recall": 1 - (1 - 0.12 + 0.005 * (i % 9)) ** k,
                }
                for k in range(1, ks + 1)
            ],
        }
        for i, name in enumerate(names)
    ]


def _virtual(value: float | None) -> dict[str, Any]:
    why = None if value is not None else "nothing is returned"
    return {m: {"value": value, "undefined": why} for m in ("AP", "nDCG@10", "P@10")}


def withheld_payload() -> dict[str, Any]:
    """Give a ranking whose values are withheld: fewer than three sources."""
    why = "fewer than three independent sources: only the order is given, no absolute values"
    made = consensus_payload(8) | {"withheld": why, "cutoffs": None, "curves": [], "virtual": []}
    for system in made["systems"]:
        for score in system["scores"].values():
            score |= {"value": None, "interval": None, "bounds": None, "undefined": why}
    made["pairs"] = [pair | {"difference": None, "interval": None} for pair in made["pairs"]]
    made["dependence"]["warning"] = "all systems but one are of two families"
    return made


def belief_payload(rows: int = 3) -> dict[str, Any]:
    """Give the payload of ``belief``: probabilities of (query, item)."""
    stamps = ("version", "created", "inputs", "input_hash", "notes", "settings")
    base = rank_payload(["a", "b"])
    values = [0.8, 0.5, None, 0.49]
    return {
        "verb": "belief",
        "id": "belief-3f2a91c0d4e5",
        **{key: base[key] for key in stamps},
        "method": "ls-eb",
        "assumes": "errors of different families are independent",
        "caveat": CAVEAT,
        "effective_respondents": 1.7,
        "rows": [
            {"query": f"q{i // 3 + 1}", "item": f"d{i + 1}", "belief": values[i % 4]}
            for i in range(rows)
        ],
    }
