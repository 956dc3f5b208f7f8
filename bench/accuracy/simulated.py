"""Pipelines that share engines: the order over all, the order inside an engine, the error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import consilience as cs
from bench.accuracy.trials import METHODS, label_free, values_of
from consilience.examples.pipelines import BAD, GOOD, Engine, pipelines
from consilience.measures.orders import kendall
from consilience.study import Study

#: Between the good and the bad one; and one as bad as the bad one, with errors of its own.
THIRD, WORSE = Engine("third", 0.15, 0.01), Engine("bad third", 0.45, 0.05)
MIXES: dict[str, tuple[tuple[Engine, int], ...]] = {
    "12 good + 12 bad": ((GOOD, 12), (BAD, 12)),
    "4 good + 12 bad": ((GOOD, 4), (BAD, 12)),
    "12 good + 4 bad": ((GOOD, 12), (BAD, 4)),
    "12 + 12 + 6 of a third": ((GOOD, 12), (BAD, 12), (THIRD, 6)),
    "12 + 12 + 6 of a bad third": ((GOOD, 12), (BAD, 12), (WORSE, 6)),
}
#: The same with the number of candidates on each page told (``--universe``).
ITEMS = 500
TOLD = {
    f"{mix}, universe told": MIXES[mix]
    for mix in ("12 + 12 + 6 of a third", "12 + 12 + 6 of a bad third")
}


@dataclass(frozen=True)
class Simulated:
    """A method on one draw; ``good`` and ``bad`` are mean estimated F1 of each engine's systems."""

    mix: str
    seed: int
    method: str
    tau: float | None = None
    inside: float | None = None  # the mean of τ within each engine
    mae: float | None = None
    regret: float | None = None
    good: float | None = None
    bad: float | None = None
    true_good: float | None = None
    true_bad: float | None = None
    why: str | None = None


def simulated(*, seeds: int, pages: int = 20) -> Iterator[Simulated]:
    """Try every method on every mix of engines."""
    for mix, engines in (MIXES | TOLD).items():
        for seed in range(seeds):
            seen = pipelines(engines, pages=pages, items=ITEMS, seed=seed)
            blind = _blind(seen, universe=ITEMS if mix in TOLD else None)
            true = values_of(cs.score(seen, measures=["F1"]), "F1")
            family = np.array(
                [seen.respondents.family[code] for code in seen.respondents.of_kind("system")]
            )
            for method in METHODS:
                try:
                    scores = cs.score(blind, measures=["F1"], belief=label_free(method))
                except (cs.UsageError, ModuleNotFoundError) as error:
                    yield Simulated(mix, seed, method, why=str(error))
                    continue
                found = values_of(scores, "F1")
                inside = [
                    kendall(found[family == engine], true[family == engine])
                    for engine in dict.fromkeys(family.tolist())
                ]
                good, bad = family == "good", family == "bad"
                yield Simulated(
                    mix,
                    seed,
                    method,
                    tau=kendall(found, true),
                    inside=float(np.mean(inside)),
                    mae=float(np.abs(found - true).mean()),
                    regret=float(true.max() - true[found == found.max()].mean()),
                    good=float(found[good].mean()),
                    bad=float(found[bad].mean()),
                    true_good=float(true[good].mean()),
                    true_bad=float(true[bad].mean()),
                )


def _blind(seen: Study, universe: int | None) -> Study:
    """Make the same study without its truth, and without what only the truth has mentioned."""
    answers = seen.answers
    people = seen.respondents
    rows = answers.list_of_row()
    return cs.study(
        {
            "query": [seen.queries[code] for code in answers.query[rows].tolist()],
            "system": [people.names[code] for code in answers.respondent[rows].tolist()],
            "family": [people.family[code] for code in answers.respondent[rows].tolist()],
            "item": seen.items.names(answers.item),
        },
        universe=universe,
    )
