"""The slow part of ``runs``: every run's scores with judgments, and by methods that see none.

Only figures are kept: scores by run, intervals, who is a copy of whom. What runs returned and what
judges said stays where it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience import progress
from consilience.belief.dependence import Dependence, dependence
from consilience.belief.families import with_families
from consilience.errors import UsageError
from consilience.experiments.runs.lists import DEPTH, RELEVANT, Lists
from consilience.measures.scores import score
from consilience.verdict.correlation_study import correlate_study
from consilience.verdict.panel import label_free

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study

#: Methods that look at no judgment; hds gets the families that the votes suggest.
METHODS = (
    *("consensus", "ls-eb", "families", "discounted"),
    *("majority", "dawid-skene", "hds", "spectral"),
)
#: Those whose other measures are looked at, too, and the measures, over all answers.
COUNTING = ("consensus", "ls-eb", "discounted")
OTHERS = ("nDCG", "P@10", "P@100", "F1")
#: Rankings by agreement are over all answers by AP, and over the first ten by P@10.
ALL, TEN = "AP, all answers", "P@10, first ten answers"
#: The figures that have intervals over topics.
SURE = ("tau_b", "tau_ap", "regret")


def measured(lists: Lists, *, seed: int, samples: int) -> dict[str, Any]:
    """Score all runs with judgments and without; tell who depends on whom."""
    whole, short = lists.study(), lists.study(depth=DEPTH)
    known = dependence(whole)
    if known is None:
        raise UsageError("there must be at least two runs (fix: add runs to the folder)")
    families = {run: one.name for one in known.learned for run in one.members}
    copies = lists.copies()
    progress.report(1, 20)
    with progress.part(0.05, 0.6):
        on_all = by_method(whole, "AP", families, seed=seed, samples=samples)
    with progress.part(0.6, 0.95):
        on_ten = by_method(short, "P@10", families, seed=seed, samples=samples)
    once = lists.study(without=[run for group in copies for run in group[1:]])
    return {
        "runs": list(lists.runs),
        "topics": list(lists.grades),
        "judged": sum(map(len, lists.grades.values())),
        "relevant": sum(
            grade >= RELEVANT for one in lists.grades.values() for grade in one.values()
        ),
        "judged_at_10": lists.judged_share(),
        "copies": copies,
        "dependence": _dependence(known, lists.runs),
        "truth": _truth(whole),
        "agreed": {ALL: on_all, TEN: on_ten},
        "others": _others(whole),
        "distinct": by_method(
            once, "AP", families, methods=COUNTING[:2], seed=seed, samples=samples
        ),
        "samples": samples,
    }


def kept(values: Iterable[float], digits: int = 6) -> list[float | None]:
    """Round to so many significant digits; what is undefined is None.

    Examples
    --------
    >>> kept([1 / 3, float("nan")], 3)
    [0.333, None]
    """
    return [None if value != value else float(f"{value:.{digits}g}") for value in values]


def _dependence(known: Dependence, runs: Sequence[str]) -> dict[str, Any]:
    """Tell how many independent systems the runs amount to, and how much each is like the others.

    How much a run is like the others is its mean φ with them.
    """
    phi = known.phi.copy()
    np.fill_diagonal(phi, np.nan)
    alike = dict(zip(known.systems, np.nanmean(phi, axis=1).tolist(), strict=True))
    return {
        "effective": known.effective,
        "families": len(known.learned),
        "near": [list(group) for group in known.duplicates],
        "likeness": kept(alike[run] for run in runs),
    }


def _truth(study: Study) -> dict[str, Any]:
    """Score all runs by the judgments, by AP also on every other topic."""
    found = score(study, measures=["AP", "P@10"])
    by_topic = found.matrix("AP")
    return {
        "AP": kept(found[run]["AP"].value for run in study.systems),
        "P@10": kept(found[run]["P@10"].value for run in study.systems),
        "AP, odd": kept(_mean(by_topic[:, ::2])),
        "AP, even": kept(_mean(by_topic[:, 1::2])),
    }


def _mean(by_topic: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average over the topics that are defined; NaN where none is."""
    known = ~np.isnan(by_topic)
    sums = np.where(known, by_topic, 0.0).sum(axis=1)
    counts = known.sum(axis=1)
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def by_method(
    study: Study,
    measure: str,
    families: Mapping[str, str],
    *,
    methods: Sequence[str] = METHODS,
    seed: int,
    samples: int,
) -> dict[str, Any]:
    """Rank by every method that sees no judgment; say why where a method does not fit."""
    made: dict[str, Any] = {}
    for place, name in enumerate(methods):
        asked = with_families(study, families) if name == "hds" else study
        with progress.part(place / len(methods), (place + 1) / len(methods)):
            try:
                found = correlate_study(
                    asked, measure=measure, beliefs=[name], seed=seed, samples=samples
                ).rankings[0]
            except UsageError as error:
                made[name] = {"why": str(error)}
                continue
        made[name] = {
            "scores": kept(found.ranking.scores[run] for run in study.systems),
            "intervals": {
                figure: None if ends is None else kept(ends)
                for figure in SURE
                for ends in (found.intervals.get(figure),)
            },
        }
    return made


def _others(study: Study) -> dict[str, dict[str, list[float | None]]]:
    """Rank by further measures against what methods believe."""
    made: dict[str, dict[str, list[float | None]]] = {}
    for name in COUNTING:
        found = score(study, measures=list(OTHERS), belief=label_free(name))
        made[name] = {
            measure: kept(found[run][measure].value for run in study.systems) for measure in OTHERS
        }
    return made
