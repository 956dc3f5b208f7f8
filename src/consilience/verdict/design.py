"""Which items to label next: a random draw that looks where labels tell most.

A label tells much where the guess is unsure, √(p(1 − p)) large, and where the truth of the item
moves the systems' scores, slope g large. Drawing in proportion to both makes the variance of the
estimates as small as so many labels can (Neyman 1934)::

    w_i = √(p_i (1 − p_i)) · √(mean_s g_is²)        π_i = min(1, n (0.9 w_i / Σ w + 0.1 / N))

Every item keeps a chance (the 0.1): the guess may be wrong where it is sure, and an item that can
never be drawn could never say so. Items are drawn independently of each other (Poisson sampling),
so about n items come, not exactly n. They stand in the order of u / π with u the random number
that drew them: whoever labels only the first part of them has still labelled a random draw.

References
----------
J. Neyman, "On the two different aspects of the representative method", J. R. Stat. Soc. 97, 1934.

E. Ohlsson, "Sequential Poisson sampling", Journal of Official Statistics 14, 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.prediction import Prediction, predict
from consilience.belief.sample import Sample, sample_of
from consilience.errors import UsageError
from consilience.measures.corrected import Returned, Slope, returned_items, slopes
from consilience.study.condition import judged_items
from consilience.study.drawn import is_drawn, round_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.names import Measure
    from consilience.measures.scores import Convention
    from consilience.study import Study
    from consilience.study.ranking import Ties

#: The share of the budget that is spread evenly over all items.
UNIFORM = 0.1
#: A tuned guess is kept so far from 0 and 1: it has seen few labels.
UNSURE = 0.005


@dataclass(frozen=True, slots=True)
class Moves:
    """How scores would move with the truth of every item, and how unsure that truth is.

    ``noise`` is p(1 − p) of every item, p its guess; ``slope`` how scores move with its truth.
    ``sample`` holds the labels that tuned the guess.
    """

    table: Returned
    slope: Slope
    prediction: Prediction
    sample: Sample | None
    noise: NDArray[np.float64]

    @property
    def telling(self) -> NDArray[np.float64]:
        """How much a label of each item tells: w = √(p (1 − p)) · √(mean g²)."""
        return np.asarray(np.sqrt(self.noise * self.slope.mean_square(self.table)), np.float64)


@dataclass(frozen=True, slots=True)
class Frame(Moves):
    """What can be drawn (``open``, items), and what is known of how scores would move.

    ``sample`` holds the labels that were drawn before, in ``rounds`` rounds; ``labelled`` counts
    items with a label; ``waiting`` items were drawn and have none yet. ``place`` is that of every
    open item in the order of their names.
    """

    open: NDArray[np.int64]
    labelled: int
    waiting: NDArray[np.int64]
    rounds: int
    place: NDArray[np.int64]

    @property
    def round(self) -> int:
        """The number of the round that would be drawn now."""
        return self.rounds + 1


def moves(
    study: Study,
    measure: Measure,
    *,
    proxy: str | None = None,
    ties: Ties = "trec",
    convention: Convention = "ours",
    seed: int = 0,
) -> Moves:
    """Look how the scores of the systems depend on what is true of each item.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.measures.names import parse
    >>> made = cs.study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "z"]}, "c": {"q": ["x"]}})
    >>> moves(made, parse("F1(average=micro)")).telling.round(3).tolist()
    [0.129, 0.133, 0.133]
    """
    sample = sample_of(study, relevant_from=measure.rel)
    prediction = predict(study, sample, proxy=proxy, relevant_from=measure.rel, seed=seed)
    if sample is not None:
        sample = sample.only(prediction.counted[sample.item])
    table = returned_items(study, k=measure.k, ties=ties, convention=convention)
    p = prediction.p
    if prediction.calibrated:
        p = np.where(prediction.counted, np.clip(p, UNSURE, 1 - UNSURE), 0.0)
    return Moves(table, slopes(table, measure, table.by_query(p)), prediction, sample, p * (1 - p))


def frame(
    study: Study,
    measure: Measure,
    *,
    proxy: str | None = None,
    ties: Ties = "trec",
    convention: Convention = "ours",
    seed: int = 0,
) -> Frame:
    """Look which items can be drawn, and how much each would tell.

    Labels that are there already are not drawn again; those that were drawn by design tune the
    guess. Items that were drawn and have no label yet are not drawn again either: those of their
    round that have one stand for them, so there must be some.
    """
    known = moves(study, measure, proxy=proxy, ties=ties, convention=convention, seed=seed)
    counted, judged = known.prediction.counted, judged_items(study)
    waiting, rounds = _waiting(study, judged)
    left = np.flatnonzero(counted & ~judged & ~waiting)
    return Frame(
        known.table,
        known.slope,
        known.prediction,
        known.sample,
        known.noise,
        left,
        int((judged & counted).sum()),
        np.flatnonzero(waiting & counted),
        rounds,
        _places(study, left),
    )


def _places(study: Study, items: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the places of items by name, so that the order of files and rows does not matter."""
    names = study.items.names(items)
    query = [study.queries[one] for one in study.items.query(items)]
    by_name = sorted(range(len(names)), key=lambda one: (query[one], names[one]))
    place = np.empty(len(names), np.int64)
    place[by_name] = np.arange(len(names))
    return place


def _waiting(study: Study, judged: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], int]:
    """Tell which items were drawn and have no label yet, and how many rounds were drawn."""
    waiting = np.zeros(len(study.items), bool)
    drawn = is_drawn(study.evidence)
    if not drawn.any():
        return waiting, 0
    item, when = study.evidence.item[drawn], round_of(study.evidence)[drawn]
    silent = np.setdiff1d(when, when[judged[item]])
    if len(silent):
        raise UsageError(
            f"round {silent[0]} was drawn and none of its items has a label yet (fix: label some "
            "of them, from the top of the list, or leave its rows out)"
        )
    waiting[item] = True
    return waiting & ~judged, int(when.max())


def probabilities(frame: Frame, budget: float, *, uniform: float = UNIFORM) -> NDArray[np.float64]:
    """Give every open item the probability of being drawn; together they make the budget.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.measures.names import parse
    >>> made = cs.study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "z"]}, "c": {"q": ["x"]}})
    >>> probabilities(frame(made, parse("F1(average=micro)")), 1.5).round(2).tolist()
    [0.49, 0.51, 0.51]
    """
    telling = frame.telling[frame.open]
    count = len(telling)
    if budget >= count:
        return np.ones(count)
    share = np.full(count, 1.0 / max(count, 1))
    if telling.sum() > 0:
        share = (1 - uniform) * telling / telling.sum() + uniform / count
    pi = np.minimum(budget * share, 1.0)
    for _ in range(50):  # what certain items leave over goes to the others
        rest = pi < 1
        missing = budget - pi.sum()
        if missing < 1e-9 * budget or not rest.any():
            break
        pi[rest] = np.minimum(pi[rest] * (1 + missing / pi[rest].sum()), 1.0)
    return pi


@dataclass(frozen=True, slots=True)
class Draw:
    """Items that were drawn, in the order in which they are to be labelled."""

    item: NDArray[np.int64]
    probability: NDArray[np.float64]
    round: int
    expected: float


def draw(frame: Frame, pi: NDArray[np.float64], *, seed: int = 0) -> Draw:
    """Draw every open item with its probability, independently of the others."""
    if not len(frame.open):
        raise UsageError("every item has a label already (fix: rank them: consilience rank …)")
    chance = np.random.default_rng([seed, frame.round]).random(len(pi))[frame.place]
    drawn = np.flatnonzero(chance < pi)
    drawn = drawn[np.argsort(chance[drawn] / pi[drawn], kind="stable")]
    return Draw(frame.open[drawn], pi[drawn], frame.round, float(pi.sum()))


def variances(
    frame: Frame, pi: NDArray[np.float64], *, before: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Give the variance that each system's estimate would have, as far as the guess can tell.

    Σ g² p(1 − p) (1 − π) / π over the open items; with earlier rounds, both parts weighted by
    their share of labels, as the estimate will weigh them. ``before`` is the variance from the
    labels so far; None: as :func:`past` gives it.
    """
    worth = np.zeros(len(frame.noise))
    worth[frame.open] = frame.noise[frame.open] * (1 - pi) / pi
    fresh, new = frame.slope.variances(frame.table, worth), new_share(frame, float(pi.sum()))
    if new == 1:
        return fresh
    before = past(frame) if before is None else before
    return np.asarray(new**2 * fresh + (1 - new) ** 2 * before, np.float64)


def new_share(frame: Frame, labels: float) -> float:
    """Give the weight of a new round in the estimate: its share of all labels.

    All of it, where there are no rounds before, or where it leaves no item without a label.
    """
    before = 0 if frame.sample is None else sum(frame.sample.labelled)
    whole = labels >= len(frame.open) and not len(frame.waiting)
    return 1.0 if whole or not before else labels / (labels + before)


def past(frame: Frame) -> NDArray[np.float64]:
    """Give the variance that each system's estimate has from the labels so far."""
    sample = frame.sample
    assert sample is not None
    worth = np.zeros(len(frame.noise))
    worth[sample.item] = sample.spread * (sample.truth - frame.prediction.p[sample.item]) ** 2
    return frame.slope.variances(frame.table, worth)


def even(frame: Frame, budget: float) -> NDArray[np.float64]:
    """Give every open item the same probability: the draw to compare with."""
    count = len(frame.open)
    return np.full(count, min(1.0, budget / max(count, 1)))
