"""One result of every verb that has a page, with names that are no markup."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import consilience as cs
from consilience.experiments.reproduced import (
    Axis,
    Column,
    Figure,
    Finding,
    Reproduced,
    Stage,
    Table,
)
from consilience.verdict.boxes import detections
from consilience.verdict.checked import check_result
from consilience.verdict.compared import compared
from tests.measures.coco_twin import drawn
from tests.render.conftest import HOSTILE, curve_of, rank_payload
from tests.render.consensus import consensus_payload
from tests.render.labelling import next_payload
from tests.render.uncertain import distributions_payload, tree_payload


def agree_payload() -> dict[str, Any]:
    """Three people and a model label 40 items; some pairs of categories are mixed up."""
    said = [[k % 3, (k * 7) % 3, k % 3, k % 4 % 3] for k in range(40)]
    words = ["cat", "dog", HOSTILE[0]]
    frame: dict[str, list[Any]] = {"item": [f"i{k}" for k in range(len(said))]}
    names = ("ann", "bob", HOSTILE[1], "gpt")
    frame |= {name: [words[row[k]] for row in said] for k, name in enumerate(names)}
    return cs.agree(cs.study(frame, labels=True)).payload()


def diff_payload() -> dict[str, Any]:
    """Compare two rankings; a system went, and a file came."""
    before, after = rank_payload([*HOSTILE[:3], "bm25"]), rank_payload([*HOSTILE[:2], "bm25"])
    return compared(before, after)


def displacement_payload() -> dict[str, Any]:
    """Two people rank five items for two queries; two systems do, too."""
    rows = [
        (query, who, f"d{(place * step) % 5}", 1 - place / 5)
        for query in ("q1", "q2")
        for who, step in (("ann", 1), (HOSTILE[0], 2))
        for place in range(5)
    ]
    columns = ("query", "subject", "item", "relevance")
    told = zip(*rows, strict=True)
    said = {name: list(values) for name, values in zip(columns, told, strict=True)}
    runs = {
        name: {query: [f"d{(place * step) % 5}" for place in range(5)] for query in ("q1", "q2")}
        for name, step in (("a", 3), (HOSTILE[1], 1))
    }
    return cs.displacement(cs.study(runs, truth=said)).payload()


def check_payload() -> dict[str, Any]:
    """Three systems, one of them with gaps, and a person who judged some of their answers."""
    runs = {
        name: {f"q{k}": {f"d{(k * step) % 7}": 2.0, HOSTILE[2]: 1.0} for k in range(last)}
        for name, step, last in (("a", 1, 5), (HOSTILE[0], 2, 5), (HOSTILE[1], 3, 3))
    }
    truth = {f"q{k}": {f"d{k}": 1, "d0": 0} for k in range(4)}
    return check_result(cs.study(runs, truth=truth))


def soft_payload() -> dict[str, Any]:
    """Compare two lists of strings, some nearly alike."""
    return cs.soft(["cafe", "pizza", HOSTILE[0]], ["caffe", "pizza", "plaza", HOSTILE[1]]).payload()


def align_payload() -> dict[str, Any]:
    """Three readings of one line of text."""
    readings = {"a": "the quick brown fox", "b": "the quiet brown fox", HOSTILE[0]: "quick fox"}
    return cs.align(readings, truth="the quick brown fox").payload()


def correlate_payload() -> dict[str, Any]:
    """Three rankings of the systems."""
    names = ["a", "b", "c", "d", HOSTILE[0]]
    rankings = [{name: float((place * k) % 5) for place, name in enumerate(names)} for k in (1, 2)]
    return cs.correlate(*rankings).payload()


def reproduce_payload() -> dict[str, Any]:
    """An experiment with two tables, findings of each kind and a figure in two panels."""
    rows = tuple(
        {"k": k, "P": k / 7, "who": who, "side": side, "low": k / 9, "high": k / 5}
        for k in (1, 2, 3)
        for who in ("a", HOSTILE[0])
        for side in ("paper", HOSTILE[1])
    )
    return Reproduced(
        name="made-up",
        title=f"Made up {HOSTILE[0]}",
        source="nobody",
        headline=f"{HOSTILE[1]} comes first by agreement.",
        tables=(
            Table(
                f"Figures {HOSTILE[2]}",
                (Column("who", "head"), Column("P, paper"), Column("n", "count")),
                (("a", 0.25, 1200), (HOSTILE[0], None, 7)),
                note="a dash is undefined",
            ),
            Table("Ends", (Column("who", "head"), Column("F", "span")), (("a", (0.25, 0.5)),)),
        ),
        findings=(
            Finding("F of a", "0.14", "0.20", agrees=False, why="a misprint"),
            Finding(f"order of {HOSTILE[2]}", "a > b", "a > b", agrees=True),
            Finding("words", "", "not printed", agrees=None, why="nothing to compare"),
        ),
        figures=(
            Figure(
                "curve",
                "P by k",
                "P rises with k.",
                rows,
                Axis("k", "k"),
                Axis("P", "precision", (0, 1)),
                series="who",
                panel="side",
            ),
        ),
        caveat="no ground truth was used: this is agreement",
        stages=(Stage("reading", "2026-01-01", 12.5, {"program": "1.0"}, recorded=True),),
        commands=("consilience reproduce made-up",),
    ).payload()


def segments_payload() -> dict[str, Any]:
    """Two lists of segments."""
    found = [(2, 12, "speech"), (31, 35, HOSTILE[0])]
    return cs.segments([(0, 10, "speech"), (20, 30, HOSTILE[0])], found).payload()


MADE: dict[str, Callable[[], dict[str, Any]]] = {
    "rank": lambda: rank_payload([*HOSTILE[:3], "bm25"]),
    "rank without truth": lambda: consensus_payload(6),
    "curve": lambda: curve_of([1, 2, 5], 6, 3),
    "agree": agree_payload,
    "align": align_payload,
    "correlate": correlate_payload,
    "check": check_payload,
    "diff": diff_payload,
    "displacement": displacement_payload,
    "distributions": lambda: distributions_payload([HOSTILE[0], "beta"], queries=3),
    "next": next_payload,
    "reproduce": reproduce_payload,
    "soft": soft_payload,
    "soft of boxes": lambda: detections(*drawn(1, classes=4)).payload(),
    "soft of segments": segments_payload,
    "tree": lambda: tree_payload([]),
}


@functools.cache
def _made(name: str) -> dict[str, Any]:
    return MADE[name]()


def result_of(name: str) -> dict[str, Any]:
    """Give a result by the name of `MADE`; it is computed once."""
    return _made(name)
