r"""When to stop labelling: as soon as the system that leads is best, or near enough to the best.

With scores θ and a difference δ that does not matter, the claim about the leading system f is
θ_f ≥ max θ − δ. Two things make such claims wrong more often than they say, and both are paid for:

*Picking.* f is the one that looks best of many; the more there are, the more luck is in looking
best. So each system j is taken for the truly best in turn, and the claim must survive the luckiest
of *all* systems, not only of f (multiple comparisons with the best). With estimates v, errors e of
their joint distribution, and the standard errors σ of differences::

    t_j = (v_f − v_j + δ) / σ_fj          confidence = 1 − max_j P( max_i (e_i − e_j) / σ_ij > t_j )

With two systems this is the share of draws in which f is at most δ behind; with more it is less.
The share of draws is what P(best) says of f where δ is 0. With a δ it is larger, for it counts the
draws in which f is only just behind; a confidence is never above that share.

*Few labels that count.* Sixty labels may hold three that tell f from j; then σ is little more than
a guess, and t_j has the tails of Student's t. So t_j is brought down to the normal deviate that is
as improbable, with two degrees of freedom for each label that speaks of the difference (Kish's
count; tried out: with one the rule was stricter than it says, with three not strict enough).

*Looking often.* Whoever looks after every round stops at the first lucky one. Look t may be wrong
with probability (1 − level) / (t (t + 1)) only; over all looks that adds up to 1 − level, however
many there are.

References
----------
J. C. Hsu, "Simultaneous confidence intervals for all distances from the 'best'", Annals of
Statistics 9, 1981.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.sample import came_late
from consilience.verdict.designed import DEGREES
from consilience.verdict.paired_tests import DUST
from consilience.verdict.pairs import places
from consilience.verdict.standing import DIGITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.verdict.designed import Designed, Estimated

#: So many draws lie beyond the level that is asked for, at least; and all in all at most.
BEYOND = 50
#: The difference that does not matter where nobody says another one; the same in every door.
DELTA = 0.02
MOST_DRAWS = 100_000
#: More labels than so many times those that are there are not looked for.
MOST_TIMES = 1e9


@dataclass(frozen=True, slots=True)
class Stop:
    """Whether the labels so far settle who is best or near enough, and about how many more would.

    ``probability`` is the share of joint draws in which no system is better than the first one by
    more than ``delta``; ``confidence`` allows for the first one having been picked, and must reach
    ``level_used``. ``needed`` is a forecast; None where it exceeds what is left, 0 if settled.
    """

    settled: bool
    level: float
    delta: float
    labels: int
    population: int
    looks: int
    level_used: float
    first: str | None
    probability: float | None
    confidence: float | None
    needed: int | None
    sentence: str

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        return asdict(self)


def stop_rule(
    designed: Designed,
    names: Sequence[str],
    *,
    level: float = 0.95,
    delta: float = DELTA,
    seed: int = 0,
) -> Stop:
    """Tell whether the labels so far settle which system is best, or near enough.

    Parameters
    ----------
    designed
        What the labels say; the first measure counts.
    names
        The systems, in the order of the estimates.
    level
        How sure it has to be, over all looks together.
    delta
        The difference that does not matter.
    seed
        The seed of chance.

    Examples
    --------
    >>> import consilience as cs
    >>> from consilience.verdict.designed import designed
    >>> items = [f"i{number}" for number in range(30)]
    >>> labels = {"query": ["q"] * 20, "item": items[:20], "probability": [0.5] * 20}
    >>> labels["label"] = [1] * 10 + [0] * 10
    >>> made = cs.study({"a": {"q": items[:10]}, "b": {"q": items[8:30]}}, truth=labels)
    >>> found = stop_rule(designed(made, measures=["F1"]), made.systems)
    >>> found.settled, found.first, found.sentence
    (True, 'a', 'settled at 95 % for δ = 0.02 after 20 of 30 labels')
    """
    looks = max(sum(count > 0 for count in designed.sample.labelled), 1)
    asked = level_at(level, looks)
    about = (level, delta, len(designed.sample), designed.population, looks, asked)
    measure = next(iter(designed.measures), None)
    known = [] if measure is None else _ranked(designed.measures[measure], names)
    if measure is None or len(known) < 2:
        said = "nothing to settle: fewer than two systems can be ranked"
        return Stop(False, *about, None, None, None, None, said)
    race = _race(designed.measures[measure], known, delta, 1 - level_at(level, looks + 1), seed)
    chance = _near(designed.measures[measure], known, delta, seed)
    sure = min(race.confidence(), chance)
    settled = sure >= asked and not designed.sample.late
    needed: int | None = 0
    if not settled:
        needed = _needed(race, designed, level_at(level, looks + 1))
    first = names[known[0]]
    found = Stop(settled, *about, first, chance, sure, needed, "")
    return replace(found, sentence=_said(found, designed))


def level_at(level: float, look: int) -> float:
    """Give the level that a look has to reach, so that all looks together keep the level.

    Examples
    --------
    >>> [round(level_at(0.95, look), 4) for look in (1, 2, 3)]
    [0.975, 0.9917, 0.9958]
    """
    return 1 - (1 - level) / (look * (look + 1))


def _ranked(found: Estimated, names: Sequence[str]) -> list[int]:
    """Give the systems that have a value, highest first; equal ones by name, as in the ranking."""
    value = np.round(found.value, DIGITS)
    known = [code for code in range(len(value)) if not np.isnan(value[code])]
    return sorted(known, key=lambda code: (-value[code], names[code]))


@dataclass(frozen=True, slots=True)
class _Race:
    """The leading system (column 0) against the others: errors drawn together, and margins.

    ``margin`` is v_f − v_j + δ, ``reached`` the same in standard errors; ``spread`` is the
    covariance of the errors, ``degrees`` are those of Student's t where queries are the unit;
    ``speaking`` counts the labels that speak of each difference.
    """

    error: NDArray[np.float64]
    spread: NDArray[np.float64]
    margin: NDArray[np.float64]
    reached: NDArray[np.float64]
    speaking: NDArray[np.float64]
    degrees: float

    def confidence(self) -> float:
        """Give how sure that is, the first having been picked."""
        reached, wrong = self.careful(1.0), 0.0
        for j in np.argsort(reached[1:]) + 1:
            if self._at_most(reached[j]) <= wrong:
                break
            wrong = max(wrong, float((self._luck(int(j)) > reached[j]).mean()))
        return 1 - wrong

    def careful(self, times: float) -> NDArray[np.float64]:
        """Give t_j with so many times the labels, as far as few labels that count let it stand."""
        from scipy.special import ndtri, stdtr

        reached = self.reached * math.sqrt(times)
        if not np.isinf(self.degrees):
            return reached
        degrees = np.maximum(DEGREES * self.speaking * times, 1.0)
        return np.asarray(-ndtri(stdtr(degrees, -np.minimum(reached, 1e9))), np.float64)

    def factor(self, level: float) -> float:
        """Give how many times the labels would be enough, standard errors going with 1/√labels."""
        if self.margin[1:].min() <= DUST:
            return math.inf
        ahead = (self.error[:, 1:] - self.error[:, :1]) / self.margin[1:]
        most = max(float(np.quantile(ahead.max(axis=1), level)), 1.0) ** 2
        for j in np.argsort(self.reached[1:]) + 1:
            if self._at_most(self.careful(most)[j]) > 1 - level:
                most = self._enough(int(j), float(np.quantile(self._luck(int(j)), level)), most)
        return most

    def _enough(self, j: int, luck: float, low: float) -> float:
        """Find how many times the labels bring t_j up to a value, by halving."""
        if self.careful(low)[j] >= luck:
            return low
        high = 2 * low
        while self.careful(high)[j] < luck and high < MOST_TIMES:
            high *= 2
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (low, middle) if self.careful(middle)[j] >= luck else (middle, high)
        return high

    def _luck(self, j: int) -> NDArray[np.float64]:
        """Give for every draw by how many standard errors the luckiest system beats system j."""
        own = np.diag(self.spread)
        square = own + own[j] - 2 * self.spread[j]
        apart = square > 1e-12 * (own + own[j])
        error = (self.error[:, apart] - self.error[:, [j]]) / np.sqrt(square[apart])
        return np.asarray(error.max(axis=1, initial=0.0), np.float64)

    def _at_most(self, t: float) -> float:
        """Give what the luckiest of all can exceed t with, at most (Bonferroni)."""
        from scipy.special import ndtr, stdtr

        tail = ndtr(-t) if np.isinf(self.degrees) else stdtr(self.degrees, -t)
        return float(tail) * (len(self.margin) - 1)


def _race(found: Estimated, known: list[int], delta: float, beyond: float, seed: int) -> _Race:
    """Draw the errors of all ranked systems together, the leading one first."""
    samples = min(max(10_000, math.ceil(BEYOND / beyond)), MOST_DRAWS)
    error = (found.draws(seed, samples, heavy=False) - found.value)[:, known]
    spread = error.T @ error / samples
    if not np.isinf(found.degrees):  # Student's t spreads wider than its standard error
        spread *= max(found.degrees - 2, 1.0) / found.degrees
    margin = found.value[known[0]] - found.value[known] + delta
    unit = np.eye(len(found.value))
    contrast = unit[known[0]] - unit[known]
    apart = found.error(contrast)
    reached = np.select([margin > DUST, margin < -DUST], [np.inf, -np.inf], 0.0)
    np.divide(margin, apart, out=reached, where=apart > DUST)
    return _Race(error, spread, margin, reached, found.speaking(contrast), found.degrees)


def _near(found: Estimated, known: list[int], delta: float, seed: int) -> float:
    """Return the share of joint draws in which nobody is ahead of the leader by more than δ.

    Without a δ it is P(best): draws in which several systems are best count for each in part.
    """
    drawn = found.draws(seed)[:, known]
    if not delta:
        return float(places(drawn, 0.5)[0][0])
    ahead = drawn[:, 1:].max(axis=1) - drawn[:, 0]
    return float((ahead <= delta + DUST).mean())


def _needed(race: _Race, designed: Designed, level: float) -> int | None:
    """Forecast how many more labels would settle it at the next look."""
    factor = race.factor(level)
    drawn = sum(designed.sample.labelled)
    if designed.unit == "queries" or not math.isfinite(factor):
        return None
    more = max(math.ceil(drawn * (factor - 1)), 1)
    return more if more < designed.population - len(designed.sample) else None


def _said(stop: Stop, designed: Designed) -> str:
    """Say in one sentence where it stands."""
    state = "settled" if stop.settled else "not settled"
    near = f" for δ = {stop.delta:g}" if stop.delta else ""
    after = f"after {stop.labels:,} of {stop.population:,} labels"
    if designed.unit == "queries":
        after = f"for queries like these {designed.queries:,}, {after}"
    said = f"{state} at {100 * stop.level:g} %{near} {after}"
    if stop.settled:
        return said
    assert stop.confidence is not None
    best = "best or within δ" if stop.delta else "best"
    said += f": {stop.first} is {best} with confidence {chance(stop.confidence)}"
    if stop.level <= stop.confidence < stop.level_used:
        said += f" (look {stop.looks} asks for {stop.level_used:.3f})"
    return f"{said}; {_outlook(stop, designed)}"


def _outlook(stop: Stop, designed: Designed) -> str:
    if designed.sample.late:
        return came_late(designed.sample.late)
    if designed.unit == "queries":
        return "other queries would tell more than further labels"
    if stop.labels >= stop.population:
        return "all items are labelled"
    if stop.needed is None:
        return "that will take nearly all labels, or a larger δ"
    return f"about {rounded(stop.needed):,} more labels would settle it"


def rounded(number: int) -> int:
    """Round a forecast to two digits that count.

    Examples
    --------
    >>> rounded(7), rounded(123), rounded(4567)
    (7, 120, 4600)
    """
    return round(number, min(0, 2 - len(str(number))))


def chance(p: float) -> str:
    """Return a probability as text, with the digits that a level of 0.95 needs.

    Examples
    --------
    >>> chance(0.5), chance(0.946), chance(0.9996)
    ('0.50', '0.946', 'above 0.999')
    """
    if p > 0.999:
        return "above 0.999"
    return f"{p:.2f}" if p < 0.945 else f"{p:.3f}"
