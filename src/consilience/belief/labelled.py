"""Believing labels that were drawn by design, and of all other items a guess tuned on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.model import Belief
from consilience.belief.prediction import Prediction, predict
from consilience.belief.sample import Sample, sample_of
from consilience.errors import UsageError

if TYPE_CHECKING:
    from consilience.study import Study

ASSUMES = "labels were drawn with the probabilities that they carry"
NONE_DRAWN = (
    "no label carries a probability (fix: draw labels with consilience next, and keep the column "
    "probability with them)"
)


def aipw(
    study: Study, *, proxy: str | None = None, relevant_from: float = 1.0, seed: int = 0
) -> Belief:
    """Believe labels drawn by design, and of other items a guess that is tuned on them.

    :func:`consilience.rank` does not stop at this belief, which inherits the guess's errors: it
    corrects every score by the labels (augmented inverse probability weighting).

    Parameters
    ----------
    study
        A study whose labels carry inclusion probabilities.
    proxy
        The respondent whose votes are the guess to start from; None: the consensus.
    relevant_from
        The lowest grade that counts as relevant.
    seed
        The seed that parts labels into folds.

    Examples
    --------
    >>> import consilience as cs
    >>> labels = {"query": ["q"], "item": ["x"], "label": [0], "probability": [0.5]}
    >>> made = cs.study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}}, truth=labels)
    >>> aipw(made).p.round(3).tolist()
    [0.0, 0.583]
    """
    sample = drawn_labels(study, relevant_from)
    guess = predict(study, sample, proxy=proxy, relevant_from=relevant_from, seed=seed)
    return belief_of(study, sample, guess)


def drawn_labels(study: Study, relevant_from: float) -> Sample:
    """Give the labels that were drawn by design; an error where there are none."""
    sample = sample_of(study, relevant_from=relevant_from)
    if sample is None:
        raise UsageError(NONE_DRAWN)
    return sample


def belief_of(study: Study, sample: Sample, guess: Prediction) -> Belief:
    """Make a belief of labels and a guess."""
    p = guess.p.copy()
    p[sample.item] = sample.truth
    item = np.flatnonzero(guess.counted)
    queries = np.zeros(len(study.queries), bool)
    queries[study.items.query(item)] = True
    share = float(guess.counted[sample.item].sum()) / max(len(item), 1)
    return Belief(
        item,
        p[item],
        p[item],
        elsewhere=float("nan"),
        queries=queries,
        method="aipw",
        assumes=ASSUMES,
        effective_respondents=1.0,
        truth=share,
        heard=share,
        details={"prediction": guess.source, "calibrated": guess.calibrated},
    )
