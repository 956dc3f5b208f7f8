"""Scores from labels that were drawn by design, how sure they are, and how they hang together.

The estimates (:mod:`consilience.measures.corrected`) share their labels, so their errors are
correlated, and differences between systems are surer than the systems' own scores. With residuals
e_l = T_l − p_l, slopes g_sl and the design's factors v_l ((1 − π) / π²)::

    cov(s, t) = Σ_l v_l g_sl g_tl e_l²

Where a guess happens to be right of every label, this is 0 and the interval would have no width;
and two systems may differ in items of which none was drawn. So the variance that the guess itself
expects is a floor (of returned items it may be no surer than Laplace's rule allows after so many
labels). It is k Σ p(1 − p) g² over *all* items without a label, where k says how many
times as large the design makes it: Σ_l v_l p_l(1 − p_l) ḡ_l² over the labels, by the same sum
without v over all items, ḡ² the mean of g² over systems. Half of it counts, and more where few
labels speak of a difference, m of them by Kish's count::

    var' = max(var, λ var + (1 − λ) floor)          λ = min(½, m / (m + 5))

Intervals are Student's with 2m degrees of freedom, because m labels also tell little about how
large an error is.

All this is about *these* queries: what would come out if all their items were labelled. For
queries like these (``unit="queries"``) each query is one draw, and what it adds to the error says
how far the figure moves with other queries, labels included.

Estimates scatter more than the truth does. Shrinking them towards what the guess says (empirical
Bayes, as far as their scatter is noise) gives a better order with few labels; the interval stays
that of the plain estimate.

References
----------
R. L. Iman and W. J. Conover, "A distribution-free approach to inducing rank correlation among input
variables", Communications in Statistics: Simulation and Computation 11, 1982.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal

import numpy as np

from consilience.belief.labelled import drawn_labels
from consilience.belief.prediction import Prediction, predict
from consilience.belief.sample import Sample, outsiders
from consilience.errors import UsageError, unknown
from consilience.measures.corrected import (
    ESTIMABLE,
    Estimate,
    Returned,
    estimate,
    returned_items,
)
from consilience.measures.names import Measure, parse
from consilience.verdict.resample import FEWEST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from consilience.measures.scores import Convention
    from consilience.study import Study
    from consilience.study.ranking import Ties

#: What an interval speaks of: these queries, or queries like these.
Unit = Literal["labels", "queries"]
UNITS: tuple[Unit, ...] = ("labels", "queries")
#: Why other measures are not estimated.
CANNOT = (
    "labels drawn by design estimate P, R and F, with or without a cutoff "
    "(fix: -m P@10, or -m 'F1(average=micro)')"
)
#: With fewer labels that speak of a difference, the floor counts for more than half.
FEW = 5.0
#: Degrees of freedom for each label that speaks of a score or a difference (tried out: with one
#: the stop rule was stricter than it says, with three not strict enough).
DEGREES = 2.0
#: So many numbers are looked at together.
CELLS = 1 << 22
#: How often all scores are drawn together, to see who comes first.
DRAWS = 10_000
METHOD = {
    "labels": "AIPW over a Poisson sample of labels; Student's interval with a floor",
    "queries": "AIPW; queries as clusters; Student's interval",
}


@dataclass(frozen=True, slots=True)
class Estimated:
    """One measure: every system's score, its standard error, and the errors' covariance.

    ``shrunk`` is drawn towards what the guess says; ``floor`` is the covariance that the guess
    expects of itself; ``slope`` (systems × labels) and ``worth`` (labels: v p(1 − p)) tell how many
    labels speak of a difference; ``degrees`` are those of Student's t (infinite: by those labels).
    """

    value: NDArray[np.float64]
    guess: NDArray[np.float64]
    shrunk: NDArray[np.float64]
    covariance: NDArray[np.float64]
    floor: NDArray[np.float64]
    slope: NDArray[np.float64]
    worth: NDArray[np.float64]
    degrees: float

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Give the standard error of every system's score."""
        return self.error(np.eye(len(self.value)))

    def error(self, contrast: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the standard errors of linear contrasts (rows) of the scores.

        Scores lie in [0, 1], so a contrast c has a range of Σ|c|. No quantity has a standard
        deviation above half of its range, and neither has its error.
        """
        plain, floor = (
            np.maximum(((contrast @ part) * contrast).sum(axis=1), 0.0)
            for part in (self.covariance, self.floor)
        )
        count = self.speaking(contrast)
        trust = np.minimum(0.5, count / (count + FEW))
        square = np.maximum(plain, trust * plain + (1 - trust) * floor)
        most = np.abs(contrast).sum(axis=1) / 2
        return np.asarray(np.minimum(np.sqrt(square), most), np.float64)

    def contrasts(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the contrasts that are differences between some systems and others."""
        contrast = np.zeros((len(a), len(self.value)))
        rows = np.arange(len(a))
        contrast[rows, a] += 1.0
        contrast[rows, b] -= 1.0
        return contrast

    def differences(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the standard errors of the differences between some systems and others."""
        return self.error(self.contrasts(a, b))

    def freedom(self, contrast: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the degrees of freedom of Student's t: few labels may speak of a contrast."""
        if not np.isinf(self.degrees):
            return np.full(len(contrast), self.degrees)
        return np.maximum(DEGREES * self.speaking(contrast), DEGREES)

    def speaking(self, contrast: NDArray[np.float64]) -> NDArray[np.float64]:
        """Count the labels that speak of contrasts: (Σ a)² / Σ a² of what each adds (Kish 1965)."""
        count = np.zeros(len(contrast))
        step = max(1, CELLS // max(len(self.worth), 1))
        for begin in range(0, len(contrast), step):
            some = slice(begin, begin + step)
            adds = (contrast[some] @ self.slope) ** 2 * self.worth
            square = (adds**2).sum(axis=1)
            np.divide(adds.sum(axis=1) ** 2, square, out=count[some], where=square > 0)
        return count

    def quantile(
        self, level: float, contrast: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Give how many standard errors intervals reach to each side, of scores or of contrasts."""
        from scipy.special import stdtrit

        contrast = np.eye(len(self.value)) if contrast is None else contrast
        return np.asarray(stdtrit(self.freedom(contrast), (1 + level) / 2), np.float64)

    def draws(self, seed: int, samples: int = DRAWS, *, heavy: bool = True) -> NDArray[np.float64]:
        """Return joint draws of all scores (draws × systems).

        ``heavy``: the differences from the leading system have Student's distribution, so that the
        share of draws in which it is ahead of another one is P(it beats that one), to one draw.
        """
        both = self.covariance + self.floor
        sure = np.sqrt(np.maximum(np.diag(both), 1e-300))
        wide = self.standard_error / sure
        joint = both * np.outer(wide, wide)
        values, vectors = np.linalg.eigh(joint)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        rng = np.random.default_rng(seed)
        drawn = rng.standard_normal((samples, len(self.value))) @ root.T
        first = 0 if np.isnan(self.value).all() else int(np.nanargmax(self.value))
        contrast = self.contrasts(np.arange(len(self.value)), np.full(len(self.value), first))
        error = self.error(contrast)
        apart = _widened(drawn - drawn[:, [first]], joint, first, error, rng)
        chi = np.ones((samples, 1))
        if not np.isinf(self.degrees):
            chi = rng.chisquare(self.degrees, (samples, 1)) / self.degrees
        apart, drawn = apart / np.sqrt(chi), drawn / np.sqrt(chi)
        if heavy:
            apart = _student(apart, error, self.freedom(contrast))
        return np.asarray(self.value + drawn[:, [first]] + apart, np.float64)


def _widened(
    apart: NDArray[np.float64],
    joint: NDArray[np.float64],
    first: int,
    error: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return draws of differences from the first system that spread as far as their errors.

    Few labels may speak of a difference: then its error is above that of the joint distribution.
    """
    square = np.diag(joint) + joint[first, first] - 2 * joint[first]
    usual = np.sqrt(np.maximum(square, 0.0))
    times = np.ones(len(error))
    np.divide(error, usual, out=times, where=usual > 1e-12)
    wide: NDArray[np.float64] = np.maximum(times, 1.0) * apart
    lost = (usual <= 1e-12) & (error > 0)  # nothing in the draws tells them apart
    wide[:, lost] += error[lost] * rng.standard_normal((len(apart), int(lost.sum())))
    return wide


def _student(
    drawn: NDArray[np.float64], error: NDArray[np.float64], degrees: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return draws (columns) in the same order, with the quantiles of Student's t.

    The order holds what the columns say together (Iman & Conover 1982).

    Examples
    --------
    >>> drawn = _student(np.array([[3.0], [-1.0], [0.5]]), np.array([2.0]), np.array([4.0]))
    >>> drawn.round(3).ravel().tolist()
    [2.199, -2.199, 0.0]
    """
    from scipy.special import stdtrit

    chance = (np.arange(len(drawn)) + 0.5) / len(drawn)
    made = np.zeros_like(drawn)
    for place in np.flatnonzero(error > 0):
        order = np.argsort(drawn[:, place], kind="stable")
        made[order, place] = error[place] * stdtrit(degrees[place], chance)
    return made


@dataclass(frozen=True, slots=True)
class Designed:
    """What designed labels say of all systems, by measure; ``undefined`` says what they cannot."""

    sample: Sample
    prediction: Prediction
    measures: dict[str, Estimated]
    undefined: dict[str, str]
    unit: Unit
    queries: int
    strangers: NDArray[np.bool_]

    @property
    def population(self) -> int:
        """How many items the estimates speak of; of those that nobody listed, an estimate."""
        listed = int((self.prediction.counted & ~self.strangers).sum())
        return listed + round(float(self.sample.weight[self.strangers[self.sample.item]].sum()))


def designed(
    study: Study,
    *,
    measures: Sequence[str | Measure],
    unit: Unit = "labels",
    proxy: str | None = None,
    ties: Ties = "trec",
    convention: Convention = "ours",
    seed: int = 0,
) -> Designed:
    """Estimate scores from labels that were drawn by design (AIPW).

    Parameters
    ----------
    study
        A study whose labels carry inclusion probabilities.
    measures
        P, R or F, with or without a cutoff, micro or macro.
    unit
        What intervals speak of: "labels" (these queries) or "queries" (queries like these).
    proxy
        The respondent whose votes are the guess to correct; None: the consensus of all voters.
    ties, convention, seed
        As in :func:`consilience.rank`.
    """
    if unit not in UNITS:
        raise unknown("unit", unit, UNITS)
    parsed = [parse(measure) for measure in measures]

    @cache
    def guessed(rel: float) -> tuple[Sample, Prediction]:
        sample = drawn_labels(study, rel)
        prediction = predict(study, sample, proxy=proxy, relevant_from=rel, seed=seed)
        return sample.only(prediction.counted[sample.item]), prediction

    found: dict[str, Estimated] = {}
    undefined: dict[str, str] = {}
    queries = 0
    for measure in parsed:
        if not estimable(measure):
            undefined[str(measure)] = CANNOT
            continue
        sample, prediction = guessed(measure.rel)
        table = returned_items(study, k=measure.k, ties=ties, convention=convention)
        queries = int(table.member.any(axis=0).sum())
        if unit == "queries" and queries < FEWEST:
            raise UsageError(
                f"{queries} queries say nothing about other queries (fix: --unit labels)"
            )
        made = estimate(table, measure, prediction.p, sample)
        found[str(measure)] = _estimated(made, table, sample, prediction.p, unit, queries)
    first = guessed(parsed[0].rel)
    return Designed(*first, found, undefined, unit, queries, outsiders(study))


def estimable(measure: Measure) -> bool:
    """Tell whether a measure can be estimated from labels drawn by design.

    Examples
    --------
    >>> estimable(parse("P@10")), estimable(parse("AP"))
    (True, False)
    """
    return measure.base in ESTIMABLE and not measure.judged_only


def _estimated(
    made: Estimate,
    table: Returned,
    sample: Sample,
    p: NDArray[np.float64],
    unit: Unit,
    queries: int,
) -> Estimated:
    """Add to the estimates what they are worth."""
    expected = _expected(table, sample, p)
    noise = sample.spread * made.residual**2
    slope = np.where(np.isnan(made.value)[:, None], 0.0, made.slope)
    if unit == "queries":
        covariance = made.by_query @ made.by_query.T * queries / (queries - 1)
        floor, degrees = covariance, float(queries - 1)
    else:
        covariance = (slope * noise) @ slope.T
        floor, degrees = _floor(made, table, sample, expected), float("inf")
    shrunk = shrink(made.value, made.guess, slope, noise)
    worth = sample.spread * expected[sample.item]
    value = np.clip(made.value, 0.0, 1.0)  # nearer to the truth, which lies there
    return Estimated(value, made.guess, shrunk, covariance, floor, slope, worth, degrees)


def _expected(table: Returned, sample: Sample, p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give p(1 − p) of every item; of what was returned, no surer than m labels can make a guess.

    After m labels without an exception the next one is an exception with probability 1 / (m + 2)
    (Laplace's rule of succession).
    """
    returned = np.bincount(table.votes.indices, minlength=len(p)) > 0
    edge = 1 / (int(returned[sample.item].sum()) + 2)
    p = np.where(returned, np.clip(p, edge, 1 - edge), p)
    return p * (1 - p)


def _floor(
    made: Estimate, table: Returned, sample: Sample, noise: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the covariance that the guess expects: of all items without a label, as drawn."""
    telling = made.slopes.mean_square(table)
    known = np.zeros(len(noise), bool)
    known[sample.item] = True
    drawn = float((sample.spread * noise[sample.item]) @ telling[sample.item])
    whole = float(noise[~known] @ telling[~known])
    times = drawn / whole if whole > 0 else 0.0
    floor = made.slopes.covariance(table, np.where(known, 0.0, times * noise))
    lacking = np.isnan(made.value)
    floor[lacking], floor[:, lacking] = 0.0, 0.0
    return floor


def shrink(
    value: NDArray[np.float64],
    guess: NDArray[np.float64],
    slope: NDArray[np.float64],
    noise: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Draw estimates together as far as their scatter about the guess is noise (empirical Bayes).

    With δ_s = estimate − guess, v_s the noise of δ_s − mean δ, and τ² = max(0, mean (δ − mean δ)² −
    mean v) what is left of the scatter: guess + mean δ + τ² / (τ² + v_s) · (δ_s − mean δ).

    Examples
    --------
    Both corrections are as large as their noise, so both systems get their mean:

    >>> slope, noise = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.02, 0.02])
    >>> shrink(np.array([0.5, 0.7]), np.array([0.6, 0.6]), slope, noise).tolist()
    [0.6, 0.6]
    """
    known = ~np.isnan(value)
    result = np.full(len(value), np.nan)
    if not known.any():
        return result
    moved = (value - guess)[known]
    apart = slope[known] - slope[known].mean(axis=0)
    variance = (apart**2) @ noise
    scatter = max(0.0, float(np.mean((moved - moved.mean()) ** 2) - variance.mean()))
    kept = np.divide(scatter, scatter + variance, out=np.ones(len(moved)), where=variance > 0)
    result[known] = guess[known] + moved.mean() + kept * (moved - moved.mean())
    return result
