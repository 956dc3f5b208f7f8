"""Studies made up to be cut: of every condition of truth, with gaps wherever gaps can be."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.random import Generator

import consilience as cs
from consilience.study import Study

ITEMS = tuple(f"d{number:02d}" for number in range(14))
#: How answers come, and what bears on the truth.
FORMS = ("scores", "lists", "sets", "mixed", "votes", "fractions")
TRUTHS = ("none", "complete", "partial", "listed", "several", "shares", "kinds", "model")


@dataclass(frozen=True)
class Made:
    """A study, and how it was made."""

    form: str
    truth: str
    study: Study = field(repr=False)
    seed: int = 0


def made_up(seed: int, form: str, truth: str, *, universe: bool = False) -> Made:
    """Make a study from a seed: few queries, of which any may be missing anywhere."""
    rng = np.random.default_rng(seed)
    queries = [f"q{number}" for number in range(int(rng.integers(2, 9)))]
    systems = [f"s{number}" for number in range(int(rng.integers(2, 5)))]
    size = len(ITEMS) + 10 if universe else None
    table = form in ("votes", "fractions")
    answers = _votes(rng, queries, systems, form) if table else _runs(rng, queries, systems, form)
    study = cs.study(answers, truth=_truth(rng, queries, truth), universe=size)
    if rng.random() < 0.5:
        family = tuple("one" if name in systems[:2] else None for name in study.respondents.names)
        study = replace(study, respondents=replace(study.respondents, family=family))
    return Made(form, truth, study, seed)


def _some(rng: Generator, least: int = 0) -> list[str]:
    count = int(rng.integers(least, len(ITEMS)))
    return [str(name) for name in rng.choice(ITEMS, size=count, replace=False)]


def _runs(rng: Generator, queries: list[str], systems: list[str], form: str) -> dict[str, Any]:
    """Give lists; a system may lack queries, and answer others with nothing."""
    runs: dict[str, Any] = {}
    for number, system in enumerate(systems):
        way = ("scores", "sets")[number % 2] if form == "mixed" else form
        mine: dict[str, Any] = {}
        for place, query in enumerate(queries):
            if rng.random() < 0.25 and (place or mine):
                continue
            items = _some(rng, 0 if mine else 1)
            if way == "scores":
                mine[query] = {name: float(rng.integers(0, 6)) for name in items}
            else:
                mine[query] = items if way == "lists" else {*items}
        runs[system] = mine
    return runs


def _votes(rng: Generator, queries: list[str], systems: list[str], form: str) -> dict[str, Any]:
    """Give votes row by row, of which some are missing; fractions come late, if at all."""
    rows: dict[str, list[Any]] = {"query": [], "item": [], "system": [], "vote": []}
    for place, query in enumerate(queries):
        for system in systems:
            if rng.random() < 0.2 and rows["item"]:
                continue
            for item in _some(rng, 1):
                odd = form == "fractions" and place > 0 and rng.random() < 0.3
                said = float(rng.choice([0.25, 0.5])) if odd else float(rng.random() < 0.6)
                vote = None if rng.random() < 0.05 else said
                for name, value in zip(rows, (query, item, system, vote), strict=True):
                    rows[name].append(value)
    return rows


def _truth(rng: Generator, queries: list[str], kind: str) -> Any:
    """Say what judges say of some of the queries, and of one that nobody answered."""
    if kind == "none":
        return None
    asked = [query for query in queries if rng.random() < 0.75] or queries[:1]
    asked += ["unasked"] if rng.random() < 0.3 else []
    if kind == "listed":
        return {query: dict.fromkeys(_some(rng, 1), 1) for query in asked}
    if kind in ("complete", "partial"):
        lowest = -1 if kind == "partial" and rng.random() < 0.5 else 0
        return {
            query: {
                name: int(rng.integers(lowest, 4))
                for name in (ITEMS if kind == "complete" else _some(rng, 1))
            }
            for query in asked
        }
    judges = {
        "several": [("ann", "person"), ("bob", "person")],
        "shares": [("ann", "person")],
        "kinds": [("ann", "person"), ("gold", "gold"), ("bot", "llm")],
        "model": [("bot", "llm")],
    }[kind]
    rows: dict[str, list[Any]] = {"query": [], "item": [], "judge": [], "kind": [], "label": []}
    for query in asked:
        for judge, of_kind in judges:
            if rng.random() < 0.3 and rows["item"]:
                continue
            for item in _some(rng, 1):
                label = float(rng.random() < 0.5)
                if kind == "shares" and rng.random() < 0.2:
                    label = 0.5
                for name, value in zip(rows, (query, item, judge, of_kind, label), strict=True):
                    rows[name].append(value)
    return rows
