r"""What labels would buy: expected standard errors, by design and drawn evenly.

The guess p says how far an estimate would be off, before a single label is there: with slopes g
and inclusion probabilities π the variance of a system's score is Σ g² p(1 − p) (1 − π) / π
(:func:`consilience.verdict.design.variances`). These are forecasts by the guess. Before the first
labels they may be far off: too large, because labels also improve the guess, and too small where
the guess is surer than it should be. Where the truth was known, forecasts of a first round were
0.43 to 1.75 times the errors that came, those of later rounds 0.91 to 1.31 times
(``bench/results/few-labels.md``).

The same budget drawn evenly over all items is what it is compared with. *Worth* is how many labels
drawn evenly would be as precise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.sample import Sample
from consilience.measures.corrected import Slope, estimate
from consilience.verdict.design import Frame, even, new_share, probabilities, variances

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from consilience.measures.names import Measure
    from consilience.verdict.designed import Estimated

#: The curve shows these multiples of the budget, as far as there are so many items.
MULTIPLES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
#: Numbers of labels that are tried when looking for what a budget is worth.
TRIED = 4000


@dataclass(frozen=True, slots=True)
class Point:
    """Expected standard errors after some labels: by design, and drawn evenly."""

    labels: int
    designed: float
    uniform: float


@dataclass(frozen=True, slots=True)
class Gain:
    """What a budget buys; standard errors are root mean squares over the systems.

    ``now`` is None without labels; ``worth`` counts labels drawn evenly that would be as precise.
    ``pair`` names the two leading systems, ``apart`` is the error of their difference, by design
    and drawn evenly.
    """

    now: float | None
    after: float
    uniform: float
    worth: float
    ratio: float
    curve: tuple[Point, ...]
    pair: tuple[str, str] | None
    apart: tuple[float, float] | None

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        pair = None
        if self.pair is not None and self.apart is not None:
            pair = {
                "a": self.pair[0],
                "b": self.pair[1],
                "standard_error_after": self.apart[0],
                "standard_error_uniform": self.apart[1],
            }
        return {
            "standard_error_now": self.now,
            "standard_error_after": self.after,
            "standard_error_uniform": self.uniform,
            "worth": self.worth,
            "ratio": self.ratio,
            "curve": [
                {"labels": one.labels, "designed": one.designed, "uniform": one.uniform}
                for one in self.curve
            ],
            "pair": pair,
        }


def gain(
    frame: Frame,
    budget: int,
    *,
    measure: Measure,
    names: Sequence[str],
    found: Estimated | None = None,
) -> Gain:
    """Forecast what a budget of labels buys.

    Parameters
    ----------
    frame
        What can be drawn.
    budget
        How many labels.
    measure
        The measure whose errors count.
    names
        The systems.
    found
        What the labels so far say, where there are some.

    Examples
    --------
    >>> from consilience.examples.pipelines import pipelines
    >>> from consilience.measures.names import parse
    >>> from consilience.verdict.design import frame
    >>> made, measure = pipelines(pages=4), parse("F1(average=micro)")
    >>> from dataclasses import replace
    >>> from consilience.study.subset import keep_lists
    >>> made = replace(made, evidence=keep_lists(made.evidence, made.evidence.query < 0))
    >>> bought = gain(frame(made, measure), 100, measure=measure, names=made.systems)
    >>> bought.ratio > 2, bought.after < bought.uniform
    (True, True)
    """
    count = len(frame.open)
    budget = min(budget, count)
    pi, flat = probabilities(frame, budget), even(frame, budget)
    before = None if found is None else found.standard_error**2
    after, uniform = (variances(frame, each, before=before) for each in (pi, flat))
    worth = _worth(frame, float(after.mean()), 0.0 if before is None else float(before.mean()))
    pair, apart = _leading(frame, measure, found), None
    if pair is not None:
        so_far = 0.0 if found is None else _so_far(found, pair)
        apart = (_apart(frame, pair, pi, so_far), _apart(frame, pair, flat, so_far))
    return Gain(
        None if before is None else _rms(before),
        _rms(after),
        _rms(uniform),
        worth,
        worth / max(budget, 1),
        tuple(_point(frame, labels, before) for labels in _budgets(budget, count)),
        None if pair is None else (names[pair[0]], names[pair[1]]),
        apart,
    )


def _rms(variance: NDArray[np.float64]) -> float:
    """Return the root mean square error over the systems that have one.

    A score in [0, 1] has no standard error above ½, whatever a guess forecasts.
    """
    return float(np.sqrt(np.nanmean(np.minimum(variance, 0.25))))


def _budgets(budget: int, count: int) -> list[int]:
    """Give the numbers of labels that the curve shows."""
    return sorted({min(max(1, round(budget * times)), count) for times in MULTIPLES})


def _point(frame: Frame, labels: int, before: NDArray[np.float64] | None) -> Point:
    draws = (probabilities(frame, labels), even(frame, labels))
    return Point(labels, *(_rms(variances(frame, pi, before=before)) for pi in draws))


def _worth(frame: Frame, target: float, before: float) -> float:
    """Give how many labels drawn evenly would reach a mean variance; at most all that are left.

    With N items, v = Σ g² p(1 − p) and π = m / N the variance is v (N / m − 1); earlier rounds
    enter as in :func:`consilience.verdict.design.variances`.
    """
    count = len(frame.open)
    worth = np.zeros(len(frame.noise))
    worth[frame.open] = frame.noise[frame.open]
    whole = float(frame.slope.variances(frame.table, worth).mean())
    tried = np.geomspace(min(1.0, count / 2), count, TRIED)
    tried[-1] = count
    reached = whole * (count / tried - 1)
    new = np.array([new_share(frame, labels) for labels in tried])
    reached = new**2 * reached + (1 - new) ** 2 * before
    short = np.flatnonzero(reached > target * (1 + 1e-9))
    return float(tried[min(short[-1] + 1, TRIED - 1)]) if len(short) else float(tried[0])


def _leading(frame: Frame, measure: Measure, found: Estimated | None) -> tuple[int, int] | None:
    """Find the two systems with the highest scores; by the guess where there are no labels."""
    if found is None:
        nothing, nobody = np.zeros(0), np.zeros(0, np.int64)
        none = Sample(nobody, nothing, nothing, nothing, nothing, nobody, (), ())
        value = estimate(frame.table, measure, frame.prediction.p, none).value
    else:
        value = found.value
    if (~np.isnan(value)).sum() < 2:
        return None
    first, second = np.argsort(-np.nan_to_num(value, nan=-np.inf), kind="stable")[:2]
    return int(first), int(second)


def _so_far(found: Estimated, pair: tuple[int, int]) -> float:
    """Give the variance of the difference between two systems, from the labels so far."""
    unit = np.eye(len(found.value))
    return float(found.error(unit[[pair[0]]] - unit[[pair[1]]])[0] ** 2)


def _apart(frame: Frame, pair: tuple[int, int], pi: NDArray[np.float64], before: float) -> float:
    """Return the expected standard error of the difference between two systems, at most 1."""
    rows = list(pair)
    table = replace(
        frame.table,
        votes=frame.table.votes[rows],
        spoken=frame.table.spoken[rows],
        unsure=frame.table.unsure[rows],
        returned=frame.table.returned[rows],
        put=frame.table.put[rows],
        member=frame.table.member[rows],
    )
    slope = Slope(np.nan_to_num(frame.slope.gain[rows]), np.nan_to_num(frame.slope.loss[rows]))
    at = slope.at(table, frame.open)
    fresh = float((frame.noise[frame.open] * (1 - pi) / pi) @ (at[0] - at[1]) ** 2)
    new = new_share(frame, float(pi.sum()))
    return min(float(np.sqrt(new**2 * fresh + (1 - new) ** 2 * before)), 1.0)
