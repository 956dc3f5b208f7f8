"""Studies whose truth is hidden, and labels taken from it as they are drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

import consilience as cs
from consilience.belief import prediction
from consilience.belief.dependence import dependence
from consilience.belief.sample import Sample
from consilience.measures.corrected import estimate, returned_items
from consilience.measures.names import Measure
from consilience.study import Study
from consilience.study.model import Answers
from consilience.study.subset import keep_lists
from consilience.verdict.design import Draw, draw, even, frame, probabilities


def truth_of(study: Study) -> NDArray[np.float64]:
    """Give the truth of every item of a study that has all of it."""
    return cs.gold(study).of_all(len(study.items))


def remember_families(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    """Learn who depends on whom once: it is a matter of the systems, whatever the labels say."""
    known = dependence(hidden(study))
    monkeypatch.setattr(prediction, "dependence", lambda _: known)


def hidden(study: Study) -> Study:
    """Take the truth away; who gave it stays known."""
    nobody = np.zeros(study.evidence.lists, bool)
    return replace(study, evidence=keep_lists(study.evidence, nobody))


def labelled(
    study: Study,
    truth: NDArray[np.float64],
    item: NDArray[np.int64],
    probability: NDArray[np.float64],
    when: NDArray[np.int64],
) -> Study:
    """Let the first gold respondent label some items; NaN in ``truth`` leaves them without."""
    query = study.items.query(item)
    order = np.lexsort((item, query))
    queries, first = np.unique(query[order], return_index=True)
    code = int(study.respondents.of_kind("gold")[0])
    evidence = Answers(
        np.full(len(queries), code, np.int32),
        queries.astype(np.int32),
        np.append(first, len(item)).astype(np.int64),
        item[order].astype(np.int32),
        vote=truth[item[order]],
        probability=probability[order],
        round=when[order],
    )
    silence = list(study.respondents.silence)
    silence[code] = "unknown"
    people = replace(study.respondents, silence=tuple(silence))
    return replace(study, evidence=evidence, respondents=people)


def with_draws(study: Study, truth: NDArray[np.float64], drawn: list[Draw]) -> Study:
    """Label what was drawn in several rounds."""
    return labelled(
        study,
        truth,
        np.concatenate([one.item for one in drawn]),
        np.concatenate([one.probability for one in drawn]),
        np.concatenate([np.full(len(one.item), one.round) for one in drawn]),
    )


def labelled_in_rounds(
    study: Study,
    truth: NDArray[np.float64],
    measure: Measure,
    budgets: tuple[int, ...],
    *,
    seed: int,
    evenly: bool = False,
) -> Study:
    """Draw and label round by round, each round knowing the labels of those before."""
    now, drawn = hidden(study), list[Draw]()
    for budget in budgets:
        known = frame(now, measure, seed=seed)
        pi = even(known, budget) if evenly else probabilities(known, budget)
        drawn.append(draw(known, pi, seed=seed))
        now = with_draws(study, truth, drawn)
    return now


def true_scores(study: Study, measure: Measure, truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the scores that labels on all items would give."""
    none, nobody = np.zeros(0), np.zeros(0, np.int64)
    nothing = Sample(nobody, none, none, none, none, nobody, (), ())
    return estimate(returned_items(study, k=measure.k), measure, truth, nothing).value
