"""What unjudged items may have done to scores, as far as sums tell.

The worst and best case of P, R and F follow from counts. Measures that treat unjudged items
otherwise (condensed lists, Bpref, infAP) need whole lists: these are computed on arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from consilience.engine.sums import Sums, hits_of
from consilience.measures.bounds import add_ends, bounds_of
from consilience.measures.names import parse
from consilience.measures.open_ends import OpenEnds
from consilience.measures.sets import ratio
from consilience.measures.unjudged import OpenLists
from consilience.verdict.partial import SHOWN, Partial

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.engine.tables import Tables
    from consilience.measures.names import Measure
    from consilience.measures.scores import Scores
    from consilience.study.condition import Condition

_MADE_FOR_IT = "it leaves unjudged items out, so what they may be does not enter"
_SILENT = "it is held to what each system spoke of, which sums do not tell (fix: --engine duckdb)"
_FRACTIONS = "votes or beliefs are fractions"
_ABOUT = "Measures that treat unjudged items otherwise need whole lists (--engine duckdb)"


def partial_of_sums(
    tables: Tables,
    scores: Scores,
    sums: Mapping[float, Sums],
    judged: NDArray[np.int64],
    what: Condition,
) -> Partial:
    """Tell what unjudged items may have done to a ranking.

    Parameters
    ----------
    tables
        Answers and evidence on an engine.
    scores
        The scores by the truth.
    sums
        What they are made of, by threshold of relevance.
    judged
        How many items of every query somebody has judged.
    what
        The condition of truth.
    """
    ends = OpenEnds(scores.systems, scores.measures, scores.ties, {}, {}, {}, {})
    for name in scores.measures:
        measure = parse(name)
        ends.why[name] = _why_not(tables, measure)
        if ends.why[name] is None:
            _add(tables, sums[measure.rel], measure, judged, scores, ends)
    extreme = bounds_of(ends)
    return Partial(
        scores.systems,
        what.judged,
        _shares(scores, sums[parse(scores.measures[0]).rel]),
        {name: _hull(scores, name, table) for name, table in extreme.table.items()},
        extreme.why,
        companions=(),
        agree=False,
        about=_ABOUT,
    )


def _why_not(tables: Tables, measure: Measure) -> str | None:
    """Say why a measure has no bounds; None where it has."""
    if measure.base == "Judged":
        return _MADE_FOR_IT
    if tables.said.fractions:
        return _FRACTIONS
    silence = tables.respondents.silence[: tables.systems]
    return _SILENT if "unknown" in silence else None


def _add(
    tables: Tables,
    sums: Sums,
    measure: Measure,
    judged: NDArray[np.int64],
    scores: Scores,
    ends: OpenEnds,
) -> None:
    """Add the ends of a measure."""
    unjudged = sums.universe - judged[scores.belief.queries]
    length = sums.length if measure.k is None else np.minimum(sums.length, measure.k)
    inside = length - sums.judged[measure.k]
    lists = OpenLists(hits_of(sums), unjudged.ravel(), unjudged.ravel())
    pair = sums.found[measure.k].ravel(), inside.ravel()
    add_ends(lists, measure, pair, scores.convention, ends)


def _hull(scores: Scores, name: str, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let the value lie within its bounds to the last digit."""
    if bool(np.isnan(ends).all()):
        return ends
    value = np.array([scores[system][name].value for system in scores.systems])
    return np.stack([np.fmin(ends[:, 0], value), np.fmax(ends[:, 1], value)], axis=1)


def _shares(scores: Scores, sums: Sums) -> dict[str, dict[str, float]]:
    """Average the shares of judged answers over queries; at cutoffs only where there is order."""
    cutoffs = {SHOWN} | {k for name in scores.measures if (k := parse(name).k) is not None}
    some = sums.length > 0
    ordered = np.asarray((sums.ordered | ~some).all(axis=1) & some.any(axis=1), bool)
    shares: dict[str, dict[str, float]] = {system: {} for system in scores.systems}
    for k in (*sorted(cutoffs & {*sums.cutoffs}), None):
        taken = sums.length if k is None else np.minimum(sums.length, k)
        table = ratio(sums.judged[k], taken)
        for place, system in enumerate(scores.systems):
            known = table[place][some[place]]
            if len(known) and (k is None or ordered[place]):
                shares[system]["all" if k is None else f"@{k}"] = float(known.mean())
    return shares
