r"""What precision, recall and F may be, given counts from a sample of labels (Goutte & Gaussier).

Items were drawn at random, each with the same probability, and labelled; a system's answers about
them gave TP, FP and FN. With Jeffreys' prior (half a count each)::

    P ~ Beta(TP + ½, FP + ½)
    R ~ Beta(TP + ½, FN + ½)
    F = U / (U + W)      U ~ Gamma(TP + ½, scale 2)      W ~ Gamma(FP + FN + 1, scale 1)

F needs no simulation: U / 2 and W are Gamma variables of the same scale, so X = U / 2 / (U / 2 + W)
is Beta(TP + ½, FP + FN + 1) and F = 2 X / (1 + X), which rises with X. Quantiles go through it as
they are. With a = TP + ½ and b = FP + FN + 1, E[(1 + X)^−n] = 2^−n ₂F₁(n, b; a + b; ½) gives the
mean and the variance of F = 2 − 2 / (1 + X).

This holds **only with real labels of items that were drawn uniformly**. Labels drawn with unequal
probabilities are for :func:`consilience.rank` (augmented inverse probability weighting); labels of
what systems returned first (pools), and labels of a model, are no such sample, and the interval
would be false.

References
----------
C. Goutte and E. Gaussier, "A probabilistic interpretation of precision, recall and F-score, with
implication for evaluation", ECIR 2005.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from consilience.errors import UsageError, is_number, quote
from consilience.given import float_of

ASSUMES = "the labels are real, and of items that were drawn with the same probability each"


@dataclass(frozen=True, slots=True)
class CountFigure:
    """What one measure may be, given the counts; ``value`` is the counts' own (NaN: undefined)."""

    value: float
    mean: float
    sd: float
    median: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class CountPosterior:
    """Precision, recall and F1 given counts; made by :func:`count_posterior`."""

    tp: float
    fp: float
    fn: float
    level: float
    precision: CountFigure
    recall: CountFigure
    f1: CountFigure
    assumes: str = ASSUMES


def count_posterior(tp: float, fp: float, fn: float, level: float = 0.95) -> CountPosterior:
    """Tell how far precision, recall and F1 may lie, given counts from labels drawn uniformly.

    Only with real labels of items that were drawn at random, each with the same probability: not
    for pools, not for labels drawn by design with unequal probabilities, not for a model's labels.

    Parameters
    ----------
    tp, fp, fn
        How many labelled items were rightly returned, wrongly returned, and missed.
    level
        How much probability intervals hold.

    Examples
    --------
    >>> import consilience as cs
    >>> found = cs.count_posterior(30, 10, 20)
    >>> round(found.f1.value, 4), [round(end, 4) for end in found.f1.interval]
    (0.6667, [0.5429, 0.7651])
    >>> round(found.precision.mean, 4), [round(end, 4) for end in found.precision.interval]
    (0.7439, [0.6017, 0.8636])
    """
    for name, count in (("tp", tp), ("fp", fp), ("fn", fn)):
        if not is_number(count) or not 0 <= float_of(count) < math.inf:
            raise UsageError(f"{name} must be a count from 0, found {quote(count)} (fix: {name}=3)")
    if not is_number(level) or not 0 < level < 1:
        raise UsageError(f"the level must be between 0 and 1, found {quote(level)} (fix: 0.95)")
    return CountPosterior(
        tp,
        fp,
        fn,
        level,
        _beta(tp, fp, level),
        _beta(tp, fn, level),
        _f1(tp, fp + fn, level),
    )


def _beta(hits: float, misses: float, level: float) -> CountFigure:
    """Give a share with Jeffreys' prior."""
    a, b = hits + 0.5, misses + 0.5
    low, median, high = _quantiles(a, b, level)
    sd = math.sqrt(a * b / (a + b + 1)) / (a + b)
    value = hits / (hits + misses) if hits + misses else math.nan
    return CountFigure(value, a / (a + b), sd, median, (low, high))


def _f1(tp: float, wrong: float, level: float) -> CountFigure:
    """Give F = 2 X / (1 + X), X a Beta variable."""
    a, b = tp + 0.5, wrong + 1.0
    low, median, high = (2 * x / (1 + x) for x in _quantiles(a, b, level))
    mean, sd = _moments(a, b)
    value = 2 * tp / (2 * tp + wrong) if tp + wrong else math.nan
    return CountFigure(value, mean, sd, median, (low, high))


def _moments(a: float, b: float) -> tuple[float, float]:
    """Give mean and standard deviation of F from those of 1 / (1 + X) = 1 − F / 2."""
    from scipy.special import hyp2f1

    first, second = (float(hyp2f1(n, b, a + b, 0.5)) / 2**n for n in (1, 2))
    return 2 * (1 - first), 2 * math.sqrt(max(0.0, second - first**2))


def _quantiles(a: float, b: float, level: float) -> tuple[float, float, float]:
    from scipy.special import betaincinv

    low, median, high = betaincinv(a, b, [(1 - level) / 2, 0.5, (1 + level) / 2]).tolist()
    return low, median, high
