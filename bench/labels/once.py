"""What does not depend on labels is computed once: the same study is labelled a thousand times.

The programs under test are the product's own; only what they ask again and again of the same
answers is remembered for them: the consensus, the families, what systems returned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from consilience.belief import prediction
from consilience.verdict import design, designed

#: Functions of a study (and of settings) that labels do not change: where, and what it is called.
UNMOVED = (
    (prediction, "ls_eb"),
    (prediction, "_columns"),
    (design, "returned_items"),
    (designed, "returned_items"),
)


@contextmanager
def once() -> Iterator[None]:
    """Remember, while this lasts, what was computed of a study's answers."""
    with ExitStack() as stack:
        for module, name in UNMOVED:
            stack.enter_context(patch.object(module, name, _remembering(getattr(module, name))))
        stack.enter_context(patch.object(design, "_places", _placing(design._places)))
        yield


def _remembering(function: Callable[..., Any]) -> Callable[..., Any]:
    found: dict[tuple[object, ...], tuple[object, Any]] = {}

    def remembered(study: Any, *more: Any, **settings: Any) -> Any:
        key = (id(study.answers), *sorted(settings.items()))
        if key not in found:  # the answers are kept, so that their number is not given again
            found[key] = (study.answers, function(study, *more, **settings))
        return found[key][1]

    return remembered


def _placing(function: Callable[..., Any]) -> Callable[..., Any]:
    """Sort all names once; the order of some of them follows."""
    of_all = _remembering(lambda study: function(study, np.arange(len(study.items))))

    def placed(study: Any, items: Any) -> Any:
        return np.argsort(np.argsort(of_all(study)[items]))

    return placed
