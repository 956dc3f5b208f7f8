"""Condensed lists: what nobody has judged is taken out of the ranking before measuring.

In a list of which many items were never judged, "not judged counts as not relevant" punishes the
system that found what others did not. A condensed list holds the judged items alone, in their old
order; any measure can be taken of it (Sakai 2007, "Alternatives to Bpref"). It errs the other
way: a system whose unjudged items are worthless loses nothing by them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.study.model import VALUES

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.study import Study


def condensed(study: Study, belief: Belief) -> Study:
    """Leave what a belief does not speak of out of the systems' lists; every item keeps its number.

    Examples
    --------
    >>> from consilience.belief import gold
    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["x", "a", "y", "b"]}}, truth={"q": {"a": 1, "b": 0}})
    >>> made.items.names(condensed(made, gold(made)).answers.item)
    ['a', 'b']
    """
    answers = study.answers
    kept = ~np.isnan(belief.of_all(len(study.items)))[answers.item]
    if bool(kept.all()):
        return study
    columns: dict[str, Any] = {
        name: None if (column := getattr(answers, name)) is None else column[kept]
        for name in ("item", *VALUES)
    }
    starts = np.concatenate([[0], np.cumsum(kept)])[answers.starts]
    return replace(study, answers=replace(answers, starts=starts, **columns))
