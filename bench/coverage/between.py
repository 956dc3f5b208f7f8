"""Intervals from labels that were drawn in two rounds, where something came between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

import consilience as cs
from bench.coverage.labels import (
    GOAL,
    QUERIES,
    SYSTEMS,
    Lists,
    Rows,
    add,
    as_study,
    cases,
    returned,
    told,
    true_scores,
)
from bench.coverage.trials import Simulation, Trials
from consilience.measures.names import parse
from consilience.verdict.design import draw, frame, probabilities

#: How many labels a round has, how many come between two of them, and how many systems are early.
BUDGET, KNOWN, EARLY = 60, 40, 4


@dataclass
class _Labels:
    """Labels of items: with which probability they were drawn (NaN: they were not), and when."""

    item: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    probability: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    turn: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def told(self, study: cs.Study, truth: NDArray[np.float64]) -> cs.Study:
        """Give a study with these labels."""
        return told(study, truth, self.item, self.probability, self.turn)

    def more(self, item: NDArray[np.int64], probability: NDArray[np.float64], turn: int) -> _Labels:
        """Add labels of one round, or those that came after it."""
        return _Labels(
            np.concatenate([self.item, item]),
            np.concatenate([self.probability, probability]),
            np.concatenate([self.turn, np.full(len(item), turn)]),
        )

    def round(self, study: cs.Study, truth: NDArray[np.float64], seed: int) -> _Labels:
        """Draw a round from the items of a study."""
        known = frame(self.told(study, truth), parse(GOAL), seed=seed)
        drawn = draw(known, probabilities(known, BUDGET), seed=seed)
        return self.more(drawn.item, drawn.probability, drawn.round)


def _disputed(study: cs.Study, labels: _Labels) -> NDArray[np.int64]:
    """Choose the items that most nearly half of the systems name, of those without a label."""
    share = np.bincount(study.answers.item, minlength=len(study.items)) / SYSTEMS
    far = np.abs(share - 0.5)
    far[labels.item] = np.inf
    return np.argsort(far, kind="stable")[:KNOWN]


def known_between(lists: Lists, table: NDArray[np.bool_], seed: int) -> cs.Study:
    """Let somebody choose what to label between two rounds; these labels speak for themselves."""
    study, truth = as_study(lists, table)
    labels = _Labels().round(study, truth, seed)
    chosen = _disputed(study, labels)
    labels = labels.more(chosen, np.full(len(chosen), np.nan), 1)
    return labels.round(study, truth, seed).told(study, truth)


def files_between(lists: Lists, table: NDArray[np.bool_], seed: int) -> cs.Study:
    """Let systems come between two rounds: the first could not draw what they alone name."""
    early, of_early = as_study({name: lists[name] for name in [*lists][:EARLY]}, table)
    study, truth = as_study(lists, table)
    code = {place: number for number, place in enumerate(_places(study))}
    there = np.array([code[place] for place in _places(early)], np.int64)
    late = np.ones(len(study.items), np.int64)
    late[there] = 0
    study = replace(study, answers=replace(study.answers, round=late[study.answers.item]))
    first = _Labels().round(early, of_early, seed)
    labels = replace(first, item=there[first.item])
    return labels.round(study, truth, seed).told(study, truth)


def _places(study: cs.Study) -> list[tuple[str, str]]:
    """Name every item with its query."""
    every = np.arange(len(study.items))
    queries = [study.queries[number] for number in study.items.query(every)]
    return [*zip(queries, study.items.names(every), strict=True)]


def _simulate(
    label: Callable[[Lists, NDArray[np.bool_], int], cs.Study],
) -> Callable[[int, int], dict[str, Trials]]:
    """Label again and again; every ten runs other items."""

    def simulate(runs: int, seed: int) -> dict[str, Trials]:
        rows: Rows = {}
        for run in range(runs):
            if run % 10 == 0:
                lists, table = returned(np.random.default_rng([seed, run]), QUERIES)
                true = true_scores(*as_study(lists, table))
            seen = label(lists, table, 1000 * seed + run)
            add(rows, run, cs.rank(seen, measures=[*true], seed=run), true)
        return {measure: Trials.of(some) for measure, some in rows.items()}

    return simulate


SIMULATIONS = tuple(
    Simulation(name, _simulate(label), cases(f"120 labels in 2 rounds, {name}", "labels"), 600, 30)
    for name, label in (
        ("labels between rounds", known_between),
        ("systems between rounds", files_between),
    )
)
