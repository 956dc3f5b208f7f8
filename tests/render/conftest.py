"""Payloads made by hand: the usual case, and the ones that break renderings."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest

#: Names that are dangerous in HTML, scripts, LaTeX, CSV, Markdown or a terminal.
HOSTILE = [
    "</script><img src=x onerror=\"document.title='owned'\">",
    "<b>bold</b> & 'quoted' \"twice\"",
    r"50% of a_b & {c} #1 $x^2$ ~ \input{x} -- --- `q'",
    'comma, "quote",\r\nnew line;\ttab',
    "=1+1|pipe|*star*_under_[link](x)<!--",
    "\x1b[31mred\x1b[0m \u202eright to left\u2028line",
    "検索 système naïve – Ωmega 🚀",
    "a very long name " + "of a system with many parameters " * 4,
    "${policy} $$ {{braces}} %s %(x)s",
    "]]> --> datum['x'] \\u003c",
]


def score(value: float | None, half: float = 0.03, **more: Any) -> dict[str, Any]:
    interval = None if value is None else [value - half, value + half]
    return {
        "value": value,
        "interval": interval,
        "bounds": None,
        "undefined": None,
        "defined_queries": 50,
        "undefined_queries": 0,
        **more,
    }


def precision(place: int, recall: float) -> float:
    return float(round((0.92 - 0.012 * place) * (1 - recall) ** (0.7 + 0.03 * place), 6))


def rank_payload(names: list[str], points: int = 11) -> dict[str, Any]:
    total = len(names)
    systems = [
        {
            "name": name,
            "family": None,
            "rank": i + 1,
            "rank_interval": [max(1, i), min(total, i + 2)],
            "p_best": [0.71, 0.25, 0.0399][i] if i < 3 else 0.0001 if i == 3 else 0.0,
            "queries": 50,
            "missing_queries": 0,
            "scores": {
                "AP": score(0.412345678901 - 0.31 * i / total, 0.02 + 0.001 * (i % 7)),
                "nDCG@10": score(0.56 - 0.4 * i / total, 0.041),
                "P@10": score(0.45 - 0.35 * i / total, 0.05),
            },
        }
        for i, name in enumerate(names)
    ]
    pairs = [
        {
            "a": names[i],
            "b": names[j],
            "p_a_beats_b": min(1.0, 0.5 + 0.11 * (j - i)),
            "difference": 0.31 * (j - i) / total,
            "interval": [0.31 * (j - i) / total - 0.02, 0.31 * (j - i) / total + 0.02],
        }
        for i in range(total)
        for j in range(i + 1, total)
    ]
    levels = [i / (points - 1) for i in range(points)]
    curves = [
        {"name": n, "points": [{"recall": r, "precision": precision(i, r)} for r in levels]}
        for i, n in enumerate(names)
    ]
    return {
        "verb": "rank",
        "id": "r-3f2a91c0d4e5",
        "version": "0.1.0",
        "created": "2026-11-15T10:00:00Z",
        "seed": 0,
        "level": 0.95,
        "inputs": [
            {
                "file": f"runs/{name}.run",
                "sha256": f"{i:064x}",
                "rows": 1500,
                "recognised": "TREC run",
                "why": "six fields a line, the second is Q0",
            }
            for i, name in enumerate(names)
        ],
        "input_hash": "ab" * 32,
        "condition": "complete",
        "belief": {
            "method": "gold",
            "effective_respondents": 1.0,
            "assumes": "every item without a judgment is not relevant",
        },
        "measure": "AP",
        "measures": ["AP", "nDCG@10", "P@10"],
        "settings": {
            "ties": "trec",
            "convention": "ours",
            "depth": None,
            "universe": None,
            "rel": None,
        },
        "queries": 50,
        "respondents": total,
        "items": 12345,
        "systems": systems,
        "ties": [names[:2]] if total > 1 else [],
        "pairs": pairs,
        "settled": False,
        "verdict": f"Not settled: {names[0]} leads by AP (0.4123), but {names[-1]} may be as good; "
        "judge 20 more queries to tell them apart.",
        "notes": ["2 duplicate rows were found in the runs and counted once."],
        "resampling": {
            "unit": "queries",
            "n": 50,
            "samples": 2000,
            "method": "percentile bootstrap, expanded for small samples",
            "seed": 0,
        },
        "curves": curves,
    }


@pytest.fixture
def normal() -> dict[str, Any]:
    return rank_payload(["bm25", "tfidf", "dense-e5", "splade", "colbert", "bm25+rm3", "lm", "rrf"])


@pytest.fixture
def single() -> dict[str, Any]:
    payload = rank_payload(["only"])
    payload |= {
        "resampling": None,
        "settled": True,
        "verdict": "only scores 0.4123 by AP.",
        "notes": [],
    }
    payload["systems"][0]["scores"]["AP"]["interval"] = None
    payload["systems"][0] |= {"p_best": None, "rank_interval": None}
    return payload


@pytest.fixture
def undefined() -> dict[str, Any]:
    payload = rank_payload(["first", "second", "third", "empty"])
    payload["systems"][3] |= {
        "rank": None,
        "rank_interval": None,
        "p_best": None,
        "missing_queries": 50,
    }
    why = "no query has an answer"
    for measure in payload["measures"]:
        payload["systems"][3]["scores"][measure] = score(
            None, undefined=why, defined_queries=0, undefined_queries=50
        )
    for system in payload["systems"][:3]:
        system["scores"]["AP"] |= {"undefined_queries": 1, "defined_queries": 49}
        system["scores"]["P@10"]["bounds"] = [0.01, 0.99]
    return payload


@pytest.fixture
def absent(normal: dict[str, Any]) -> dict[str, Any]:
    belief = {
        "method": "consensus",
        "effective_respondents": 5.27,
        "assumes": "errors of different families are independent",
    }
    for i, system in enumerate(normal["systems"]):
        system["family"] = "lucene" if i < 2 else None
    verdict = "bm25 agrees most with the others (probability 0.71); tfidf may agree as much."
    return normal | {"condition": "absent", "belief": belief, "verdict": verdict}


@pytest.fixture
def many() -> dict[str, Any]:
    return rank_payload([f"system-{i:02d}-with-parameters" for i in range(50)], points=101)


@pytest.fixture
def hostile() -> dict[str, Any]:
    payload = rank_payload(HOSTILE)
    payload["measures"] = ["AP", "nDCG@10"]
    payload["notes"] = [f"a note about {HOSTILE[0]}"]
    payload["ties"] = [HOSTILE[:3]]
    payload["belief"]["assumes"] = HOSTILE[0]
    return payload


def curve_of(hits: Collection[int], retrieved: int, relevant: int) -> dict[str, Any]:
    cutoffs, found = [], 0
    for k in range(1, retrieved + 1):
        found += k in hits
        cutoffs.append({"k": k, "precision": found / k, "recall": found / relevant})
    return {
        "verb": "curve",
        "id": "c-91c0d4e53f2a",
        "version": "0.1.0",
        "created": "2026-11-15T10:00:00Z",
        "seed": 0,
        "inputs": [
            {
                "file": "list.csv",
                "sha256": "cd" * 32,
                "rows": retrieved,
                "recognised": "ranked list",
                "why": "columns item, score, relevant",
            }
        ],
        "input_hash": "ef" * 32,
        "name": "list.csv",
        "query": None,
        "relevant": relevant,
        "retrieved": retrieved,
        "ties": "trec",
        "settings": {"ties": "trec", "universe": None, "rel": None},
        "cutoffs": cutoffs,
        "ap": {
            "step": 0.7833,
            "interpolated": 0.7933,
            "11-point": 0.80303,
            "101-point": 0.794,
            "trapezoid": 0.8125,
        },
        "auc": None,
        "claimed": None,
        "matches": None,
        "notes": ["Two items have the same score."],
    }


@pytest.fixture
def curve() -> dict[str, Any]:
    return curve_of({1, 2, 5, 6, 9}, 10, 5)


@pytest.fixture
def long_curve() -> dict[str, Any]:
    return curve_of({1, 2, 3, *range(5, 20000, 7)}, 20000, 3500)


@pytest.fixture
def consensus() -> dict[str, Any]:
    from tests.render.consensus import consensus_payload

    return consensus_payload(8)


@pytest.fixture
def withheld() -> dict[str, Any]:
    from tests.render.consensus import withheld_payload

    return withheld_payload()


@pytest.fixture
def belief() -> dict[str, Any]:
    from tests.render.consensus import belief_payload

    return belief_payload()


@pytest.fixture(
    params=[
        *("normal", "single", "undefined", "absent", "many", "hostile", "curve", "long_curve"),
        *("consensus", "withheld"),
    ]
)
def payload(request: pytest.FixtureRequest) -> dict[str, Any]:
    made: dict[str, Any] = request.getfixturevalue(request.param)
    return made
