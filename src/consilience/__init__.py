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
    from consilience.measures.names import Measure, parse
    from consilience.measures.scores import Scores, score
    from consilience.render.gallery import charts
    from consilience.study import Study, read, study
    from consilience.study.condition import condition
    from consilience.verdict.agreement import Wanted, at_cutoffs
    from consilience.verdict.curve import curve
    from consilience.verdict.panel import Panel, kendall, panel
    from consilience.verdict.rank import Verdict, rank

#: Name → the module that defines it.
_WHERE = {
    "Belief": "belief",
    "Classes": "belief.classes",
    "ConsilienceError": "errors",
    "Dependence": "belief.dependence",
    "InputError": "errors",
    "Limits": "belief.limits",
    "Measure": "measures.names",
    "Panel": "verdict.panel",
    "Scores": "measures.scores",
    "Study": "study",
    "UsageError": "errors",
    "Verdict": "verdict.rank",
    "Wanted": "verdict.agreement",
    "at_cutoffs": "verdict.agreement",
    "auc": "measures.curve",
    "average_precision": "measures.curve",
    "by_family": "belief.agreement",
    "charts": "render.gallery",
    "classes": "belief.classes",
    "condition": "study.condition",
    "consensus": "belief.agreement",
    "curve": "verdict.curve",
    "dawid_skene": "belief.coins",
    "dependence": "belief.dependence",
    "discounted": "belief.agreement",
    "example": "examples",
    "example_study": "examples",
    "gold": "belief",
    "hierarchical": "belief.engines",
    "kendall": "verdict.panel",
    "ls_eb": "belief.agreement",
    "majority": "belief.agreement",
    "majority_limits": "belief.limits",
    "panel": "verdict.panel",
    "parse": "measures.names",
    "pipelines": "examples.pipelines",
    "precision_recall": "measures.curve",
    "rank": "verdict.rank",
    "read": "study",
    "roc": "measures.curve",
    "score": "measures.scores",
    "spectral": "belief.eigen",
    "study": "study",
    "with_families": "belief.families",
}

__all__ = [
    "Belief",
    "Classes",
    "ConsilienceError",
    "Dependence",
    "InputError",
    "Limits",
    "Measure",
    "Panel",
    "Scores",
    "Study",
    "UsageError",
    "Verdict",
    "Wanted",
    "__version__",
    "at_cutoffs",
    "auc",
    "average_precision",
    "by_family",
    "charts",
    "classes",
    "condition",
    "consensus",
    "curve",
    "dawid_skene",
    "dependence",
    "discounted",
    "example",
    "example_study",
    "gold",
    "hierarchical",
    "kendall",
    "ls_eb",
    "majority",
    "majority_limits",
    "panel",
    "parse",
    "pipelines",
    "precision_recall",
    "rank",
    "read",
    "roc",
    "score",
    "spectral",
    "study",
    "with_families",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
