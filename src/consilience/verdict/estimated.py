"""Estimates from labels that were drawn by design, in the shape of scores."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.labelled import belief_of
from consilience.belief.sample import is_designed
from consilience.measures.names import Measure
from consilience.measures.scores import Score, Scores
from consilience.verdict.designed import CANNOT, Designed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from consilience.study import Study
    from consilience.study.condition import Condition
    from consilience.verdict.designed import Estimated
    from consilience.verdict.pairs import Pair
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
            value = float("nan") if found is None else float(np.clip(found.value[place], 0.0, 1.0))
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
    return what.name in ("partial", "complete", "uncertain") and is_designed(study)


def with_errors(
    pairs: Sequence[Pair], found: Estimated | None, systems: Sequence[str]
) -> tuple[Pair, ...]:
    """Give every pair the standard error of its difference."""
    if found is None or not pairs:
        return tuple(pairs)
    code = {name: place for place, name in enumerate(systems)}
    contrast = np.zeros((len(pairs), len(systems)))
    rows = np.arange(len(pairs))
    contrast[rows, [code[pair.a] for pair in pairs]] = 1.0
    contrast[rows, [code[pair.b] for pair in pairs]] = -1.0
    errors = found.error(contrast).tolist()
    return tuple(
        replace(pair, standard_error=error) for pair, error in zip(pairs, errors, strict=True)
    )


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
    if not designed.prediction.calibrated:
        said.append("there are too few labels to tune the guess on; it is taken as it is")
    return tuple(said)
