"""The slow part of ``runs``: what a few labels say, drawn by design, drawn evenly, or pooled.

Nobody knows whether an unjudged document is relevant, so the population is what *was* judged: of
every list the first ten judged answers (a condensed list). Labels are hidden, drawn as ``next``
draws them, looked up, and given to ``rank``, which estimates P@10 (AIPW). AP depends on the whole
order and cannot be estimated so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience import progress
from consilience.experiments.runs.lists import Lists
from consilience.experiments.runs.measured import kept
from consilience.measures.scores import score
from consilience.study import study
from consilience.verdict.labelling import next_labels
from consilience.verdict.panel import label_free
from consilience.verdict.rank import rank

MEASURE = "P@10"
DESIGNED, EVEN, POOL = "drawn by next", "drawn evenly", "pool from the top"
#: The columns of labels.
COLUMNS = ("query", "item", "probability", "round")
#: Digits of estimates that are kept: labels tell less than that.
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """How many labels are bought, how often each is drawn, and how deep pools are."""

    budgets: tuple[int, ...] = (50, 100, 200, 400, 800, 1600)
    draws: int = 10
    depths: tuple[int, ...] = (1, 2, 3, 5)


def few_labels(lists: Lists, plan: Plan, *, seed: int) -> dict[str, Any]:
    """Estimate P@10 of all runs from few labels, in every way; tell the truth beside it.

    Budgets of more than half of what can be labelled are left out: hardly anything is hidden then.
    """
    pool = lists.judged()
    whole = len(pool.items())
    budgets = [budget for budget in plan.budgets if 2 * budget < whole]
    made = list(_pooled(pool, plan.depths))
    true = true_scores(pool)
    tasks = [(budget, number) for budget in budgets for number in range(plan.draws)]
    for place, (budget, number) in enumerate(tasks):
        chance = 1000 * seed + number
        for way in (DESIGNED, EVEN):
            rows = draw(pool, way, budget, seed=chance)
            told = {"way": way, "budget": budget, "draw": number}
            made.append(told | estimated(pool, rows, true, seed=chance))
        progress.report(place + 1, len(tasks))
    agreed = score(study(pool.answers), measures=[MEASURE], belief=label_free("consensus"))
    return {
        "population": whole,
        "truth": kept(true),
        "agreed": kept(agreed[run][MEASURE].value for run in pool.runs),
        "draws": made,
    }


def true_scores(pool: Lists) -> list[float]:
    """Score all runs by all labels."""
    found = score(pool.study(), measures=[MEASURE])
    return [found[run][MEASURE].value for run in pool.runs]


def draw(pool: Lists, way: str, budget: int, *, seed: int) -> list[dict[str, Any]]:
    """Draw items to label, each with its probability."""
    if way == DESIGNED:
        return next_labels(study(pool.answers), budget=budget, measure=MEASURE, seed=seed).rows
    items = pool.items()
    share = min(1.0, budget / len(items))
    drawn = np.flatnonzero(np.random.default_rng(seed).random(len(items)) < share)
    rows = [(*items[at], share, 1) for at in drawn.tolist()]
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def estimated(
    pool: Lists, rows: Sequence[dict[str, Any]], true: Sequence[float], *, seed: int
) -> dict[str, Any]:
    """Look the labels of drawn items up, and tell what ``rank`` makes of them.

    ``covered`` counts the runs whose 95 % interval holds the true score.
    """
    table = {name: [row[name] for row in rows] for name in COLUMNS}
    table["label"] = [pool.label(row["query"], row["item"]) for row in rows]
    verdict = rank(study(pool.answers, truth=table), measures=[MEASURE], seed=seed)
    standing = {one.name: one for one in verdict.standings}
    value = [standing[run].scores[MEASURE].value for run in pool.runs]
    details = [standing[run].details[MEASURE] for run in pool.runs]
    ends = [one.interval for one in details]
    return {
        "labels": len(rows),
        "value": kept(value, DIGITS),
        "shrunk": kept(
            (
                plain if one.shrunk is None else one.shrunk
                for plain, one in zip(value, details, strict=True)
            ),
            DIGITS,
        ),
        "intervals": sum(span is not None for span in ends),
        "covered": sum(
            span is not None and span[0] - 1e-9 <= one <= span[1] + 1e-9
            for span, one in zip(ends, true, strict=True)
        ),
    }


def _pooled(pool: Lists, depths: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Judge all first answers, then all second ones, …; what is not judged is not relevant."""
    for depth in depths:
        held = pool.items(depth)
        grades: dict[str, dict[str, float]] = {topic: {} for topic in pool.grades}
        for topic, item in held:
            grades[topic][item] = pool.grades[topic][item]
        value = true_scores(Lists(pool.answers, grades))
        yield {
            "way": POOL,
            "budget": depth,
            "draw": 0,
            "labels": len(held),
            "value": kept(value, DIGITS),
        }
