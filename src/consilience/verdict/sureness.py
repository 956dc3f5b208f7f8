"""How sure scores are: what was drawn anew, which intervals hold, which would be false.

Three kinds of not knowing are kept apart:

- ``interval``: how far a score would move with another sample of the same kind. It is *withheld*
  where it would be false: without truth (no label says how far agreement is from the truth), and
  where unjudged items could move the score further than sampling does. What it would be if
  something were true that nobody checked is ``given``, with that assumption.
- ``bounds``: what these data cannot settle, however many there are of them: the worst and the best
  case of the items that nobody judged, or the range over methods and families.
- ``posterior``: where judges disagree, how far a score moves with who is right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consilience import progress
from consilience.measures.names import Measure, parse
from consilience.measures.scores import Scores, divide, score
from consilience.verdict.resample import (
    FEWEST,
    METHOD,
    Resampled,
    resample,
    resample_counts,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study
    from consilience.verdict.agreement import Agreement
    from consilience.verdict.designed import Designed
    from consilience.verdict.partial import Partial
    from consilience.verdict.settling import Rules

#: Tells what scores may be, for every measure and system: :func:`consilience.verdict.posterior`.
Posteriors: TypeAlias = "Callable[..., dict[str, tuple[Posterior | None, ...]]]"

Interval = tuple[float, float]

#: Why there are no intervals without truth, and what they would need.
NO_LABEL = "no label says how far agreement is from the truth"
SOME_LABELS = "labels of some items do not say how far agreement on the others is from the truth"
UNJUDGED = "items that nobody judged could move it further than other queries would"
THIN = (
    "with fewer than five labels a query, nobody knows what each query's recall is divided by "
    "(fix: average=micro)"
)
RIGHT = "the guess is nearly right within every query"
#: Labels a query that a mean of ratios needs.
A_QUERY = 5
TOO_FEW = "so few queries say nothing about other queries"
FLAT = "all queries score alike, which does not show how far others would differ"
TRUE = "what is believed here is the truth"
NOT_RELEVANT = "an item that was not judged is not relevant"
ALIKE = "items that were judged speak for those that were not"
_OUTSIDE = 1e-9


@dataclass(frozen=True, slots=True)
class Posterior:
    """What a score may be, given how probable it is that each item is relevant."""

    interval: Interval
    mean: float
    sd: float
    how: str


@dataclass(frozen=True, slots=True)
class Detail:
    """How sure one score of one system is; see the module for the three kinds."""

    interval: Interval | None = None
    bounds: Interval | None = None
    withheld: str | None = None
    given: Interval | None = None
    assumes: str | None = None
    posterior: Posterior | None = None
    standard_error: float | None = None
    shrunk: float | None = None
    plain: float | None = None


@dataclass(frozen=True, slots=True)
class Sureness:
    """How sure all scores are; ``details[measure][system]``, systems in the order of the study.

    ``draws`` (draws × systems) are scores by the first measure that might as well have come out;
    ``tail`` is the share of them beyond each end of an interval, None where they say nothing.
    ``values`` are what systems are ranked by, where that is not the score as it is shown.
    """

    unit: str
    n: int
    samples: int
    method: str
    about: str
    draws: NDArray[np.float64]
    tail: float | None
    details: dict[str, tuple[Detail, ...]]
    withheld: str | None = None
    given: str | None = None
    bounds: str | None = None
    values: NDArray[np.float64] | None = None

    def payload(self) -> dict[str, Any]:
        """Give how sure scores are, as plain data."""
        kinds = {"unjudged": _WORST, "sensitivity": _RANGE}
        return {
            "unit": self.unit if self.tail is not None else None,
            "n": self.n,
            "method": self.method,
            "about": self.about,
            "withheld": self.withheld,
            "given": self.given,
            "bounds": {
                "kind": self.bounds,
                "about": None if self.bounds is None else kinds[self.bounds],
            },
        }


_WORST = "the worst and the best that the items nobody judged could do to a score"
_RANGE = (
    "the lowest and highest value over methods and families: a sensitivity range, which does not "
    "hold the truth with any known probability"
)


def over_queries(
    scores: Scores,
    beside: Agreement,
    partial: Partial | None,
    *,
    rules: Rules,
    lacking: dict[str, NDArray[np.bool_]],
    posteriors: Posteriors | None = None,
) -> Sureness:
    """Tell how far scores move with other queries, and which of these intervals hold.

    ``lacking`` tells whose scores rest on answers that nobody judged (:func:`lacking_judgments`).
    Where judges disagree, ``posteriors`` tell how far scores move with who of them is right.
    """
    level, seed, samples = rules.level, rules.seed, rules.samples
    lacking = {} if beside.caveat or partial else lacking
    details: dict[str, tuple[Detail, ...]] = {}
    first = None
    for place, name in enumerate(scores.measures):
        share = 1 / len(scores.measures)
        with progress.part(place * share, (place + 1) * share):
            drawn = _resampled(scores, name, seed, samples)
        first = first or drawn
        details[name] = tuple(
            _unless(
                _detail(scores, name, place, drawn, beside, partial, level),
                name,
                lacking=name in lacking and bool(lacking[name][place]),
            )
            for place in range(len(scores.systems))
        )
    assert first is not None
    doubtful = scores.belief.truth == 1 and not scores.belief.crisp
    if doubtful and beside.caveat is None and posteriors is not None:
        details = _with_posteriors(posteriors(scores, level=level, seed=seed), details)
    tail = first.tail(level) if first.queries >= FEWEST else None
    withheld = _withheld(details, scores.measures[0])
    sure = Sureness(
        "queries",
        first.queries,
        samples,
        METHOD,
        f"queries were drawn anew {samples:,} times, all systems on the same draw",
        first.draws,
        tail,
        details,
        withheld,
    )
    if beside.caveat is not None:
        return replace(sure, given=TRUE, bounds="sensitivity" if beside.panel else None)
    if partial is not None:
        return replace(sure, given=supposed(scores.measures[0]), bounds="unjudged")
    return replace(sure, given=supposed(scores.measures[0])) if lacking else sure


def _withheld(details: dict[str, tuple[Detail, ...]], first: str) -> str | None:
    """Say why intervals are withheld; one without spread tells nothing of others."""
    common = [one.withheld for one in details[first] if one.withheld not in (None, FLAT)]
    if common:
        return common[0]
    every = {one.withheld for some in details.values() for one in some if one != Detail()}
    return FLAT if every == {FLAT} else None


def judged_shares(study: Study, scores: Scores) -> Scores | None:
    """Score how much of the answers was judged, as far down as measures look.

    None where every item that was not judged is not relevant.
    """
    if not np.isnan(scores.belief.elsewhere):
        return None
    depths = [parse(name).k for name in scores.measures if parse(name).base != "Judged"]
    asked = [str(Measure("Judged", k)) for k in dict.fromkeys(depths)]
    ordered = any(k is not None for k in depths)
    if not asked:
        return None
    ties = scores.ties if ordered else "trec"
    return score(study, measures=asked, belief=scores.belief, ties=ties)


def lacking_judgments(
    scores: Scores, judged: Scores | None, *, soft: bool = False
) -> dict[str, NDArray[np.bool_]]:
    """Tell whose scores rest on answers that nobody judged, where judges may disagree as well.

    ``judged`` is how much was judged (:func:`judged_shares`); where items are matched by their
    similarity (``soft``), everybody's may.
    """
    if soft:
        return dict.fromkeys(scores.measures, np.ones(len(scores.systems), bool))
    if judged is None:
        return {}
    lacking = {
        name: np.array(
            [
                judged[system][str(Measure("Judged", parse(name).k))].value < 1
                for system in scores.systems
            ]
        )
        for name in scores.measures
        if parse(name).base != "Judged"
    }
    return lacking if any(one.any() for one in lacking.values()) else {}


def _unless(detail: Detail, name: str, *, lacking: bool) -> Detail:
    """Withhold an interval where unjudged answers could move the score."""
    if not lacking or (detail.interval is None and detail.withheld != FLAT):
        return detail
    given, assumes = detail.interval, None if detail.interval is None else supposed(name)
    return replace(detail, interval=None, withheld=UNJUDGED, given=given, assumes=assumes)


def supposed(name: str) -> str:
    """Say what a measure supposes of items that nobody judged."""
    measure = parse(name)
    left_out = measure.judged_only or measure.base in ("Bpref", "infAP")
    return ALIKE if left_out else NOT_RELEVANT


def _with_posteriors(
    found: dict[str, tuple[Posterior | None, ...]], details: dict[str, tuple[Detail, ...]]
) -> dict[str, tuple[Detail, ...]]:
    """Add to every score what it may be, given how probable it is that each item is relevant."""
    return {
        name: tuple(
            replace(one, posterior=posterior)
            for one, posterior in zip(mine, found[name], strict=True)
        )
        for name, mine in details.items()
    }


def _resampled(scores: Scores, name: str, seed: int, samples: int) -> Resampled:
    """Average a measure over queries drawn anew, in the way in which it is averaged."""
    counts = [scores[system][name].counts for system in scores.systems]
    known = [one for one in counts if one is not None]
    if parse(name).average == "micro" and len(known) == len(counts):
        return resample_counts(
            known, lambda total: divide(total, parse(name)), seed=seed, samples=samples
        )
    return resample(scores.matrix(name), seed=seed, samples=samples)


def _detail(
    scores: Scores,
    name: str,
    place: int,
    drawn: Resampled,
    beside: Agreement,
    partial: Partial | None,
    level: float,
) -> Detail:
    """Put one score's interval where it belongs."""
    value = scores[scores.systems[place]][name].value
    if np.isnan(value):
        return Detail()
    found = drawn.interval(drawn.draws[:, place], level)
    interval = None if found is None else (min(found[0], value), max(found[1], value))
    flat = interval is not None and bool(np.ptp(drawn.draws[:, place]) <= _OUTSIDE)
    given = None if flat else interval
    if beside.caveat is not None:
        bounds = beside.bounds(place, name, value, interval)
        why = NO_LABEL if beside.pure else SOME_LABELS
        return Detail(None, bounds, why, given, None if flat else TRUE)
    if interval is None:
        few = Detail(withheld=TOO_FEW)
        return few if partial is None else replace(few, bounds=_worst(partial, name, place, ()))
    whole = Detail(None, None, FLAT) if flat else Detail(interval)
    if partial is None:
        return whole
    cases = _worst(partial, name, place, ())
    bounds = _worst(partial, name, place, (value, *interval))
    sticks_out = cases is not None and not (
        interval[0] - _OUTSIDE <= cases[0] and cases[1] <= interval[1] + _OUTSIDE
    )
    if (sticks_out or cases is None) and parse(name).base != "Judged":
        return Detail(None, bounds, UNJUDGED, given, None if flat else supposed(name))
    return replace(whole, bounds=bounds)


def _worst(partial: Partial, name: str, place: int, ends: tuple[float, ...]) -> Interval | None:
    """Give worst and best case, widened to hold some values; None where they are not known."""
    low, high = partial.bounds[name][place].tolist()
    if np.isnan(low):
        return None
    return min((low, *ends)), max((high, *ends))


def over_labels(designed: Designed, plain: Scores, *, level: float, seed: int) -> Sureness:
    """Tell how sure estimates from labels are that were drawn by design."""
    from consilience.verdict.designed import DRAWS
    from consilience.verdict.designed import METHOD as METHODS

    details = {}
    for name in plain.measures:
        found = designed.measures.get(name)
        if found is None:
            details[name] = tuple(Detail() for _ in plain.systems)
            continue
        thin = _thin(designed, name)
        errors = found.standard_error
        reach = (found.quantile(level) * errors).tolist()
        details[name] = tuple(
            Detail()
            if np.isnan(value)
            else Detail(
                *_ends(max(0.0, value - far), min(1.0, value + far), thin=thin),
                standard_error=error,
                shrunk=min(max(shrunk, 0.0), 1.0),
                plain=_known(plain[system][name].value),
            )
            for system, value, error, far, shrunk in zip(
                plain.systems,
                found.value.tolist(),
                errors.tolist(),
                reach,
                found.shrunk.tolist(),
                strict=True,
            )
        )
    labels, items = sum(designed.sample.labelled), designed.population
    were = "label was" if labels == 1 else "labels were"
    about = f"{labels:,} {were} drawn from {items:,} items with known probabilities"
    fixed = "; queries are fixed" if designed.unit == "labels" else "; queries were drawn as well"
    first = designed.measures.get(plain.measures[0])
    nothing = np.full((1, len(plain.systems)), np.nan)
    thin = first is not None and _thin(designed, plain.measures[0])
    return Sureness(
        designed.unit if designed.unit == "labels" else "queries and labels",
        labels if designed.unit == "labels" else designed.queries,
        DRAWS,
        METHODS[designed.unit],
        about + fixed,
        nothing if first is None else first.draws(seed),
        None if first is None else (1 - level) / 2,
        details,
        THIN if thin else None,
        RIGHT if thin else None,
        values=None if first is None else first.value,
    )


def _thin(designed: Designed, name: str) -> bool:
    """Tell whether a mean of ratios over queries rests on too few labels for its interval."""
    measure = parse(name)
    ratios = measure.average == "macro" and measure.base != "P" and designed.queries > 1
    return ratios and len(designed.sample) < A_QUERY * designed.queries


def _ends(
    low: float, high: float, *, thin: bool
) -> tuple[Interval | None, None, str | None, Interval | None, str | None]:
    """Give an interval, or withhold it: the first fields of a detail."""
    if not thin:
        return (low, high), None, None, None, None
    return None, None, THIN, (low, high), RIGHT


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value
