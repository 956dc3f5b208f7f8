"""Crowds: the labels that methods find beside gold, and workers ranked by their accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import consilience as cs
from bench.accuracy.sets import Labels, Set, crowd_set
from bench.accuracy.trials import METHODS, Trial, compared, label_free, trials
from consilience.belief.classes import METHODS as CLASSES
from consilience.belief.classes import classes

FEWEST = 20


@dataclass(frozen=True)
class Labelled:
    """Which share of tasks a method labels as gold does; a draw between two labels counts half."""

    set: str
    method: str
    tasks: int
    accuracy: float | None
    why: str | None = None


def crowd(name: str, labels: Labels) -> Iterator[Labelled | Trial]:
    """Try every method on a crowd."""
    binary = crowd_set(name, labels)
    if binary is not None:
        yield from _believed(binary)
        yield from trials(binary)
    yield from _chosen(name, labels)


def _believed(one: Set) -> Iterator[Labelled]:
    """Label tasks with what a belief holds for more probable."""
    truth = cs.gold(one.seen)
    said = dict(zip(one.seen.items.names(truth.item), truth.p.tolist(), strict=True))
    names = one.blind.items.names(np.arange(len(one.blind.items)))
    gold = np.array([said[name] for name in names])
    for method in METHODS:
        try:
            p = label_free(method)(one.blind).p
        except (cs.UsageError, ModuleNotFoundError) as error:
            yield Labelled(one.name, method, len(gold), None, str(error))
            continue
        right = np.where(np.isclose(p, 0.5, atol=1e-9), 0.5, (p > 0.5) == gold)
        yield Labelled(one.name, method, len(gold), float(right.mean()))


def _chosen(name: str, labels: Labels) -> Iterator[Labelled | Trial]:
    """Let classes be found, and rank workers by how probable what they chose is."""
    table: dict[str, list[Any]] = {
        "worker": [worker for worker, _, _, _ in labels],
        "item": [task for _, task, _, _ in labels],
        "category": [f"c{label}" for _, _, label, _ in labels],
    }
    gold = {task: f"c{label}" for _, task, _, label in labels}
    study = cs.study(table)
    for method in CLASSES:
        found = classes(study, method=method)
        tasks = study.items.names(found.item)
        place = {task: row for row, task in enumerate(tasks)}
        code = {category: column for column, category in enumerate(found.categories)}
        top = found.p >= found.p.max(axis=1, keepdims=True) - 1e-9
        column = np.array([code.get(gold[task], -1) for task in tasks])
        hit = np.where(column >= 0, top[np.arange(len(tasks)), column] / top.sum(axis=1), 0.0)
        called = f"classes({method})"
        yield Labelled(name, called, len(tasks), float(hit.mean()))
        worth: dict[str, list[float]] = {}
        right: dict[str, list[float]] = {}
        for worker, task, label, true in labels:
            worth.setdefault(worker, []).append(found.p[place[task], code[f"c{label}"]])
            right.setdefault(worker, []).append(float(label == true))
        busy = [worker for worker in worth if len(worth[worker]) >= FEWEST]
        estimate = np.array([np.mean(worth[worker]) for worker in busy])
        truth = np.array([np.mean(right[worker]) for worker in busy])
        how = compared(estimate, truth, same_scale=True)
        what = (name, "Accuracy", called, "Accuracy", None, len(busy))
        yield Trial(*what, how.tau, how.mae, how.regret)
