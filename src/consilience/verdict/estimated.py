"""Estimates from labels that were drawn by design, in the shape of scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.labelled import belief_of
from consilience.belief.sample import is_designed, unfit
from consilience.measures.names import Measure
from consilience.measures.scores import Score, Scores
from consilience.verdict.designed import CANNOT, Designed
from consilience.verdict.paired_tests import DUST
from consilience.verdict.pairs import MOST_SYSTEMS, Pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from consilience.study import Study
    from consilience.study.condition import Condition
    from consilience.verdict.designed import Estimated
    from consilience.verdict.settling import Rules
    from consilience.verdict.standing import Standing

#: What is estimated when nobody asks for anything.
SETS = ("F", "P", "R")
RANKED = ("P", "F", "R")
CUTOFF = 10
TOO_LITTLE = "the labels tell too little to divide by"


def usual_measures(study: Study, *, ordered: bool) -> tuple[str, ...]:
    """Name what is estimated when nobody asks: over all queries together, where they are several.

    Examples
    --------
    >>> from consilience.study import study
    >>> usual_measures(study({"s": {"q": {"a"}, "r": {"a"}}}), ordered=False)
    ('F1(average=micro)', 'P(average=micro)', 'R(average=micro)')
    """
    average = "micro" if len(study.queries) > 1 else "macro"
    if not ordered:
        return tuple(str(Measure(base, average=average)) for base in SETS)
    return tuple(
        str(Measure(base, CUTOFF, average="macro" if base == "P" else average)) for base in RANKED
    )


def design_scores(study: Study, designed: Designed, plain: Scores) -> Scores:
    """Put estimates in the place of scores that take unjudged items for not relevant."""
    asked = np.unique(study.answers.query)
    systems = study.respondents.of_kind("system")
    put = np.zeros((len(study.respondents), len(study.queries)), bool)
    put[study.answers.respondent, study.answers.query] = True
    put = put[systems][:, asked]
    table: dict[str, dict[str, Score]] = {system: {} for system in plain.systems}
    for name in plain.measures:
        found = designed.measures.get(name)
        for place, system in enumerate(plain.systems):
            value = float("nan") if found is None else float(found.value[place])
            reason = None
            if np.isnan(value):
                reason = CANNOT if found is None else TOO_LITTLE
            nowhere = np.full(len(asked), np.nan)
            missing = int((~put[place]).sum())
            table[system][name] = Score(value, nowhere, len(asked), 0, missing, reason)
    believed = belief_of(study, designed.sample, designed.prediction)
    return replace(
        plain,
        queries=tuple(study.queries[query] for query in asked),
        table=table,
        belief=replace(believed, truth=1.0, heard=1.0),
        put=put,
    )


def condition_by_design(what: Condition, designed: Designed) -> Condition:
    """Say of the condition how the labels came about."""
    labels, items = sum(designed.sample.labelled), designed.population
    why = f"{labels:,} of {items:,} items have labels that were drawn with known probabilities"
    return replace(what, name="partial", why=why)


def of_design(designed: Designed) -> dict[str, object]:
    """Give how the labels came about, as plain data (the ``design`` of a ranking)."""
    sample, guess = designed.sample, designed.prediction
    drawn = sample.probability[~np.isnan(sample.probability)]
    weight = sample.weight
    return {
        "labels": sum(sample.labelled),
        "drawn": sum(sample.drawn),
        "rounds": len(sample.drawn),
        "known": sample.known,
        "population": designed.population,
        "queries": designed.queries,
        "effective": float(weight.sum() ** 2 / (weight**2).sum()) if len(weight) else 0.0,
        "probability": {
            "min": float(drawn.min()) if len(drawn) else None,
            "max": float(drawn.max()) if len(drawn) else None,
        },
        "prediction": {
            "from": guess.source,
            "calibrated": guess.calibrated,
            "labels_used": guess.labels,
        },
        "unit": designed.unit,
        "notes": list(sample.notes),
    }


def by_design(study: Study, what: Condition) -> bool:
    """Tell whether a study's truth is a sample of labels that was drawn by design."""
    told = what.name in ("partial", "complete", "uncertain") and is_designed(study)
    return told and unfit(study) is None


def compared_by_error(
    standing: Sequence[Standing], scores: Scores, designed: Designed, rules: Rules
) -> tuple[tuple[Pair, ...], tuple[tuple[str, ...], ...]]:
    """Compare systems pair by pair by the standard errors of their differences; group ties.

    These know how few labels may speak of a difference, which joint draws do not.
    """
    first = scores.measures[0]
    known = [one for one in standing if one.rank is not None]
    if first not in designed.measures or len(known) < 2:
        return (), ()
    found = designed.measures[first]
    code = [scores.systems.index(one.name) for one in known]
    above, below = np.triu_indices(len(known), 1)
    if len(known) > MOST_SYSTEMS:
        kept = (above == 0) | (below == above + 1)
        above, below = above[kept], below[kept]
    places = np.array(code)
    contrast = found.contrasts(places[above], places[below])
    error, freedom = found.error(contrast), found.freedom(contrast)
    gap = found.value[places[above]] - found.value[places[below]]
    reach, delta = found.quantile(rules.level, contrast) * error, rules.delta
    wins = _above(gap, error, 0.0, freedom)
    more = _above(gap, error, delta or 0.0, freedom, on=-np.inf)
    less = _above(gap, error, -(delta or 0.0), freedom, on=np.inf)
    pairs = tuple(
        Pair(
            known[one].name,
            known[other].name,
            float(win),
            float(difference),
            (max(float(difference - far), -1.0), min(float(difference + far), 1.0)),
            float(sure),
            *((None,) * 3 if delta is None else (float(low - up), float(up), float(1 - low))),
        )
        for one, other, win, difference, sure, far, up, low in zip(
            above, below, wins, gap, error, reach, more, less, strict=True
        )
    )
    return pairs, _tied(known, found, places, rules.level)


def beats_by_error(found: Estimated, systems: Sequence[int]) -> NDArray[np.float64]:
    """Return P(row beats column) for some systems: what their pairs say; NaN on the diagonal."""
    places = np.array(systems, np.int64)
    above, below = np.triu_indices(len(places), 1)
    contrast = found.contrasts(places[above], places[below])
    gap = found.value[places[above]] - found.value[places[below]]
    p = np.full((len(places), len(places)), np.nan)
    p[above, below] = _above(gap, found.error(contrast), 0.0, found.freedom(contrast))
    p[below, above] = 1 - p[above, below]
    return p


def _above(
    gap: NDArray[np.float64],
    error: NDArray[np.float64],
    edge: float,
    freedom: NDArray[np.float64],
    *,
    on: float = 0.0,
) -> NDArray[np.float64]:
    """Return how probable it is that differences are above an edge, in t or as in the examples.

    Where nothing is random, a difference that lies on the edge but for rounding has the t ``on``.

    Examples
    --------
    >>> gap, exact, freedom = np.array([1e-16, 0.5]), np.zeros(2), np.full(2, np.inf)
    >>> _above(gap, exact, 0.0, freedom).tolist()
    [0.5, 1.0]
    """
    from scipy.special import stdtr

    over = gap - edge
    apart = np.select([over > DUST, over < -DUST], [np.inf, -np.inf], on)
    np.divide(over, error, out=apart, where=error > DUST)
    return np.asarray(stdtr(freedom, apart), np.float64)


def _tied(
    known: Sequence[Standing], found: Estimated, places: NDArray[np.int64], level: float
) -> tuple[tuple[str, ...], ...]:
    """Group systems that cannot be told from the highest one of the group."""
    left, groups = np.arange(len(known)), []
    while len(left):
        highest = np.full(len(left), places[left[0]])
        contrast = found.contrasts(highest, places[left])
        gap = np.abs(found.value[highest] - found.value[places[left]])
        alike = gap <= found.quantile(level, contrast) * found.error(contrast) + DUST
        alike[0] = True
        groups.append(left[alike])
        left = left[~alike]
    return tuple(tuple(known[one].name for one in group) for group in groups if len(group) > 1)


def design_notes(designed: Designed, standing: Sequence[Standing]) -> tuple[str, ...]:
    """Tell what a careful reader must know of estimates from labels."""
    said = list(designed.sample.notes)
    shrunk = {
        one.name: value
        for one in standing
        if (value := next(iter(one.details.values())).shrunk) is not None
    }
    first = max(shrunk, key=lambda name: shrunk[name], default=None)
    if first is not None and standing[0].rank is not None and first != standing[0].name:
        said.append(
            f"with estimates drawn together as far as their scatter is noise, {first} comes first"
        )
    strangers = int(designed.strangers.sum())
    if strangers:
        said.append(
            f"{strangers:,} labelled items were mentioned by no system: they were drawn from more "
            "than the systems returned, and speak for the rest of it by their probabilities alone"
        )
    if not designed.prediction.calibrated:
        said.append("there are too few labels to tune the guess on; it is taken as it is")
    return tuple(said)
