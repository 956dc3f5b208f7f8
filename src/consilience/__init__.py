"""Consilience: which of your systems is better, and how sure that is, whatever you have for truth.

>>> import consilience as cs
>>> study = cs.read(cs.example("keyphrases.csv"), truth=cs.example("keyphrases-gold.csv"))
>>> verdict = cs.rank(study, measures=["F1", "P@5"])
>>> print(verdict.sentence)
multi-rake is best by F1 (0.2845) with probability above 0.999, ahead of rake (0.2397), over 60
queries.

Names are loaded when they are first used, so that ``import consilience`` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from consilience._version import __version__

if TYPE_CHECKING:
    from consilience.belief import Belief, gold
    from consilience.belief.agreement import by_family, consensus, discounted, ls_eb, majority
    from consilience.belief.categories import Categorised, by_category, categorise, mixture
    from consilience.belief.classes import Classes, classes
    from consilience.belief.coins import dawid_skene
    from consilience.belief.dependence import Dependence, dependence
    from consilience.belief.eigen import spectral
    from consilience.belief.engines import hierarchical
    from consilience.belief.families import with_families
    from consilience.belief.limits import Limits, majority_limits
    from consilience.errors import ConsilienceError, InputError, UsageError
    from consilience.examples import example, example_study
    from consilience.examples.pipelines import pipelines
    from consilience.measures.curve import auc, average_precision, precision_recall, roc
    from consilience.measures.displaced import Displacement, weighted_displacement
    from consilience.measures.names import Measure, parse
    from consilience.measures.qualities import exponential, rational
    from consilience.measures.scores import Scores, score
    from consilience.render.gallery import charts
    from consilience.study import Study, read, study
    from consilience.study.assigned import assignments, read_assignments
    from consilience.study.benchmark import Benchmark, read_benchmark, save_benchmark, with_runs
    from consilience.study.collection import with_collection
    from consilience.study.condition import condition
    from consilience.study.subjects import read_subjects
    from consilience.study.taxonomy import Tree, tree
    from consilience.verdict.agreement import Wanted, at_cutoffs
    from consilience.verdict.curve import curve
    from consilience.verdict.panel import Panel, kendall, panel
    from consilience.verdict.rank import Verdict, rank
    from consilience.verdict.subjects import displacement

#: Name → the module that defines it.
_WHERE = {
    "Belief": "belief",
    "Benchmark": "study.benchmark",
    "Categorised": "belief.categories",
    "Classes": "belief.classes",
    "ConsilienceError": "errors",
    "Dependence": "belief.dependence",
    "Displacement": "measures.displaced",
    "InputError": "errors",
    "Limits": "belief.limits",
    "Measure": "measures.names",
    "Panel": "verdict.panel",
    "Scores": "measures.scores",
    "Study": "study",
    "Tree": "study.taxonomy",
    "UsageError": "errors",
    "Verdict": "verdict.rank",
    "Wanted": "verdict.agreement",
    "assignments": "study.assigned",
    "at_cutoffs": "verdict.agreement",
    "auc": "measures.curve",
    "average_precision": "measures.curve",
    "by_category": "belief.categories",
    "by_family": "belief.agreement",
    "categorise": "belief.categories",
    "charts": "render.gallery",
    "classes": "belief.classes",
    "condition": "study.condition",
    "consensus": "belief.agreement",
    "curve": "verdict.curve",
    "dawid_skene": "belief.coins",
    "dependence": "belief.dependence",
    "discounted": "belief.agreement",
    "displacement": "verdict.subjects",
    "example": "examples",
    "example_study": "examples",
    "exponential": "measures.qualities",
    "gold": "belief",
    "hierarchical": "belief.engines",
    "kendall": "verdict.panel",
    "ls_eb": "belief.agreement",
    "majority": "belief.agreement",
    "majority_limits": "belief.limits",
    "mixture": "belief.categories",
    "panel": "verdict.panel",
    "parse": "measures.names",
    "pipelines": "examples.pipelines",
    "precision_recall": "measures.curve",
    "rank": "verdict.rank",
    "rational": "measures.qualities",
    "read": "study",
    "read_assignments": "study.assigned",
    "read_benchmark": "study.benchmark",
    "read_subjects": "study.subjects",
    "roc": "measures.curve",
    "save_benchmark": "study.benchmark",
    "score": "measures.scores",
    "spectral": "belief.eigen",
    "study": "study",
    "tree": "study.taxonomy",
    "weighted_displacement": "measures.displaced",
    "with_collection": "study.collection",
    "with_families": "belief.families",
    "with_runs": "study.benchmark",
}

__all__ = [
    "Belief",
    "Benchmark",
    "Categorised",
    "Classes",
    "ConsilienceError",
    "Dependence",
    "Displacement",
    "InputError",
    "Limits",
    "Measure",
    "Panel",
    "Scores",
    "Study",
    "Tree",
    "UsageError",
    "Verdict",
    "Wanted",
    "__version__",
    "assignments",
    "at_cutoffs",
    "auc",
    "average_precision",
    "by_category",
    "by_family",
    "categorise",
    "charts",
    "classes",
    "condition",
    "consensus",
    "curve",
    "dawid_skene",
    "dependence",
    "discounted",
    "displacement",
    "example",
    "example_study",
    "exponential",
    "gold",
    "hierarchical",
    "kendall",
    "ls_eb",
    "majority",
    "majority_limits",
    "mixture",
    "panel",
    "parse",
    "pipelines",
    "precision_recall",
    "rank",
    "rational",
    "read",
    "read_assignments",
    "read_benchmark",
    "read_subjects",
    "roc",
    "save_benchmark",
    "score",
    "spectral",
    "study",
    "tree",
    "weighted_displacement",
    "with_collection",
    "with_families",
    "with_runs",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
