"""What one system may score on one query: a distribution for every measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from consilience.measures import ratios
from consilience.measures.bands import Band, band
from consilience.measures.distribution import Distribution, mixed
from consilience.measures.expected import expected_ap, expected_aps
from consilience.measures.sets import ratio
from consilience.measures.trials import number_relevant

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.lists import Cell, Query
    from consilience.verdict.possible import Part

Method = Literal["exact", "simulation"]
Weights: TypeAlias = "NDArray[np.float64] | None"
#: Why a measure has no value.
NOTHING_RETURNED = "nothing was returned"
NOTHING_RELEVANT = "no item can be relevant"
NO_ORDER = "the answer has no order (neither score nor rank)"


@dataclass(frozen=True, slots=True)
class Outcome:
    """One system's possible scores on one query.

    ``values`` holds a distribution by measure, with few points where there are very many lists;
    ``means``, ``medians`` and ``intervals`` are those of the whole distribution, and the mean is
    exact also where the distribution was drawn. ``reasons`` tells why a measure is undefined.
    ``p_none_found`` is the probability that nothing in the list is relevant, ``p_none_relevant``
    that nothing is at all.
    """

    system: str
    query: str
    returned: int
    unjudged: int
    put: bool
    values: dict[str, Distribution]
    means: dict[str, float]
    medians: dict[str, float]
    intervals: dict[str, tuple[float, float] | None]
    methods: dict[str, Method]
    reasons: dict[str, str | None]
    p_none_found: float
    p_none_relevant: float
    band: Band | None


def outcome(
    system: int, name: str, parts: Sequence[Part], *, beta: float, level: float, bands: bool
) -> Outcome:
    """Compute all but average precision, medians and intervals."""
    weights = [weight for weight, _ in parts]
    first = parts[0][1].cells[system]
    found = [number_relevant(query.cells[system].p) for _, query in parts]
    rest = [query.rest(query.cells[system]) for _, query in parts]
    n, put = first.returned, first.put

    def mix(made: list[Distribution]) -> Distribution:
        return mixed(made, weights)

    pairs = list(zip(found, rest, strict=True))
    fixed = [
        ratios.recall_fixed(k, query.size_for(query.cells[system]))
        for k, (_, query) in zip(found, parts, strict=True)
    ]
    values = {
        "precision": mix([ratios.precision(k, n) for k in found]),
        "recall": mix([ratios.recall(k, more) for k, more in pairs]),
        "recall_fixed": mix(fixed),
        "f1": mix([ratios.f_measure(k, more, n) for k, more in pairs]),
    }
    if beta != 1.0:
        values["f_beta"] = mix([ratios.f_measure(k, more, n, beta=beta) for k, more in pairs])
    reasons: dict[str, str | None] = {
        measure: None if len(one) else NOTHING_RELEVANT for measure, one in values.items()
    }
    if put and not n:
        reasons["precision"] = NOTHING_RETURNED
    if not put and len(values["recall"]):  # a query without an answer counts 0
        values = dict.fromkeys(values, Distribution.point(0.0))
        reasons = dict.fromkeys(values)
    elif not put:  # unless there was nothing to find
        values = dict.fromkeys(values, values["recall"])
        reasons = dict.fromkeys(values, NOTHING_RELEVANT)
    drawn_band = bands and n > 0 and first.ordered and len(values["recall"]) > 0
    return Outcome(
        name,
        parts[0][1].name,
        n,
        first.unjudged,
        put,
        values,
        {measure: one.mean for measure, one in values.items()},
        {},
        {},
        dict.fromkeys(values, "exact"),
        reasons,
        _mean([k.of(0) for k in found], weights),
        _mean([k.of(0) * more.of(0) for k, more in pairs], weights),
        band([(w, query, query.cells[system]) for w, query in parts], level=level)
        if drawn_band
        else None,
    )


def summed_up(one: Outcome, level: float, points: int | None) -> Outcome:
    """Add medians and intervals; then keep so many points of each distribution (None: all)."""
    return replace(
        one,
        values={m: v if points is None else v.fewer(points) for m, v in one.values.items()},
        medians={m: v.median for m, v in one.values.items()},
        intervals={m: v.interval(level) if len(v) else None for m, v in one.values.items()},
    )


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return float(np.dot(values, weights))


def ap_of(
    cell: Cell, mean: float, p_undefined: float, scores: NDArray[np.float64], weights: Weights
) -> tuple[Distribution, float, str | None]:
    """Give the distribution of average precision, its exact mean, and why there is none.

    ``scores`` holds AP under possible truths, ``weights`` how probable each is (None: all alike,
    the truths were drawn); ``mean`` is the expected value.
    """
    if cell.put and cell.returned and not cell.ordered:
        return Distribution.of([], []), float("nan"), NO_ORDER
    defined = ~np.isnan(scores)
    weight = np.full(len(scores), 1 / len(scores)) if weights is None else weights
    undefined = p_undefined if cell.put else 0.0
    one = Distribution.of(scores[defined], weight[defined], p_undefined=undefined)
    if not len(one):
        return one, float("nan"), NOTHING_RELEVANT
    return one, mean if cell.put else 0.0, None


def expected_aps_of(parts: Sequence[Part]) -> NDArray[np.float64]:
    """Give every system's expected average precision, given that something is relevant."""
    total = np.zeros(len(parts[0][1].cells))
    defined = np.zeros(len(total))
    for weight, query in parts:
        values, something = _expected(query)
        known = ~np.isnan(values)
        total[known] += (weight * something * values)[known]
        defined[known] += (weight * something)[known]
    return ratio(total, defined)


def _expected(query: Query) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give expected values under one part, and how probable it is that something is relevant."""
    cells = query.cells
    values = np.empty(len(cells))
    something = np.full(len(cells), query.something(None))
    usual = [number for number, cell in enumerate(cells) if cell.spoken is None]
    lists = [cells[number].p for number in usual]
    values[usual] = expected_aps(lists, query.p, more=query.more, p_more=query.p_more)
    for number, cell in enumerate(cells):
        if cell.spoken is not None:
            p, more = query.p[cell.spoken], query.more
            values[number] = expected_ap(cell.p, p, more=more, p_more=query.p_more)
            something[number] = query.something(cell)
    return values, something
