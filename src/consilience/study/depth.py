"""Answers cut at a depth: only the first K of each list count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError
from consilience.study.model import VALUES
from consilience.study.ranking import rank_answers

if TYPE_CHECKING:
    from consilience.study.model import Study
    from consilience.study.ranking import Ties, Worth


def cut(study: Study, depth: int, *, ties: Ties = "trec", worth: Worth | None = None) -> Study:
    """Keep the first ``depth`` answers of every list, in ranked order.

    ``worth`` (usually ``belief.of``) is needed where ties are settled as "best" or "worst".

    Examples
    --------
    >>> from consilience.study import study
    >>> made = cut(study({"s": {"q": {"a": 1.0, "b": 3.0, "c": 2.0}}}), 2)
    >>> made.items.names(made.answers.item)
    ['b', 'c']
    """
    if depth < 1:
        raise UsageError(f"the depth must be at least 1, found {depth} (fix: --depth 10)")
    ranking = rank_answers(study, ties=ties, worth=worth)
    if not bool(ranking.ordered[np.diff(ranking.starts) > 0].all()):
        raise UsageError("answers without an order cannot be cut (fix: give scores or ranks)")
    answers = study.answers
    place = np.arange(int(ranking.starts[-1]))
    list_of = np.repeat(np.arange(answers.lists), np.diff(ranking.starts))
    near = place - ranking.starts[list_of] < depth
    if answers.vote is not None:  # yes and no were said item by item: further down is a no
        vote = answers.vote.copy()
        vote[ranking.answers(place[~near])] = 0.0
        return replace(study, depth=depth, answers=replace(answers, vote=vote))
    rows = ranking.answers(place[near])
    columns: dict[str, Any] = {
        name: None if (column := getattr(answers, name)) is None else column[rows]
        for name in ("item", *VALUES)
    }
    starts = np.concatenate([[0], np.cumsum(near)])[ranking.starts]
    return replace(study, depth=depth, answers=replace(answers, starts=starts, **columns))
