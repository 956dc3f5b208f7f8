"""Sections on sets, several at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from bench.accuracy.sets import MissingSetError
from bench.labels import sections
from bench.labels.hidden import READERS, Hidden


@dataclass(frozen=True)
class Task:
    """One section on one set."""

    section: str
    set: str
    data: Path
    draws: int
    studies: int | None


@dataclass(frozen=True)
class Done:
    """What came of a task; ``missing`` says what data it lacked."""

    task: Task
    about: str = ""
    rows: tuple[Any, ...] = ()
    missing: str | None = None


def worked(tasks: Sequence[Task], jobs: int) -> Iterator[Done]:
    """Do all tasks, several at a time; one thread each, so that processes do not crowd out."""
    if jobs == 1:
        yield from map(work, tasks)
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(work, task) for task in tasks]
        for one in as_completed(waiting):
            yield one.result()


def work(task: Task) -> Done:
    """Do one task."""
    try:
        sets: list[Hidden] = list(islice(READERS[task.set](task.data), task.studies))
    except MissingSetError as missing:
        return Done(task, missing=f"{task.set}: {missing}")
    rows = tuple(getattr(sections, task.section)(sets, task.draws))
    return Done(task, sets[0].described, rows)
