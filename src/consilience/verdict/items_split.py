"""Items about which those who judge do not say the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.study.labels import labels_of
from consilience.study.subset import keep_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study


def split_items(study: Study) -> NDArray[np.bool_]:
    """Tell of which items people, language models and gold gave different labels.

    A label is a category, without one the grade, without a grade the vote. Who cannot tell, or was
    not asked, says nothing different; systems are not looked at.

    Examples
    --------
    >>> import consilience as cs
    >>> said = {"item": ["a", "b", "c"], "ann": [1, 1, 1], "ben": [1, 0, None]}
    >>> split_items(cs.study({"s": {"all": ["a", "b", "c"]}}, truth=said)).tolist()
    [False, True, False]
    """
    nobody = np.zeros(study.answers.lists, bool)
    said = labels_of(replace(study, answers=keep_lists(study.answers, nobody)))
    low = np.full(len(said.items), len(said.categories))
    high = np.full(len(said.items), -1)
    np.minimum.at(low, said.item, said.category)
    np.maximum.at(high, said.item, said.category)
    split = np.zeros(len(study.items), bool)
    split[said.items] = low != high
    return split
