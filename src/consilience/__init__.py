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
    from consilience.errors import ConsilienceError, InputError, UsageError
    from consilience.examples import example, example_study
    from consilience.measures.curve import auc, average_precision, precision_recall, roc
    from consilience.measures.names import Measure, parse
    from consilience.measures.scores import Scores, score
    from consilience.study import Study, read, study
    from consilience.study.condition import condition
    from consilience.verdict.curve import curve
    from consilience.verdict.rank import Verdict, rank

#: Name → the module that defines it.
_WHERE = {
    "Belief": "belief",
    "ConsilienceError": "errors",
    "InputError": "errors",
    "Measure": "measures.names",
    "Scores": "measures.scores",
    "Study": "study",
    "UsageError": "errors",
    "Verdict": "verdict.rank",
    "auc": "measures.curve",
    "average_precision": "measures.curve",
    "condition": "study.condition",
    "curve": "verdict.curve",
    "example": "examples",
    "example_study": "examples",
    "gold": "belief",
    "parse": "measures.names",
    "precision_recall": "measures.curve",
    "rank": "verdict.rank",
    "read": "study",
    "roc": "measures.curve",
    "score": "measures.scores",
    "study": "study",
}

__all__ = [
    "Belief",
    "ConsilienceError",
    "InputError",
    "Measure",
    "Scores",
    "Study",
    "UsageError",
    "Verdict",
    "__version__",
    "auc",
    "average_precision",
    "condition",
    "curve",
    "example",
    "example_study",
    "gold",
    "parse",
    "precision_recall",
    "rank",
    "read",
    "roc",
    "score",
    "study",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
