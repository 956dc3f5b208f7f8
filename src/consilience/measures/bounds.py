"""How far could the items that nobody has judged move a score? Its worst and best case.

Every unjudged item of a query, whether somebody mentioned it or it is one of those that make up
the universe, may be relevant or not (for nDCG: may have any grade from 0 to the highest given).
Each way to settle that is a truth which the judgments allow; a score's *bounds* are its lowest
and highest value over all of them, for each system by itself. They say what these judgments
cannot settle, and have no probability: more labels narrow them, more queries need not.

Bounds are exact. Queries do not depend on each other: macro averages take each query's ends, and
a query that may be undefined, because nothing in it need be relevant, is left out where that
moves the average further. Micro averages take the ends of the summed counts. Where ties are
settled by relevance ("best", "worst") one end may be wider than needed (``exact`` says so).

The ends of every query are found first (:func:`open_ends`). Those of parts of a study are laid end
to end (:mod:`consilience.measures.open_ends`), and averages come last (:func:`bounds_of`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief import Belief, gold
from consilience.errors import unknown
from consilience.measures import extremes
from consilience.measures.names import Measure, parse
from consilience.measures.open_ends import FRACTIONS, Cells, Counted, OpenEnds
from consilience.measures.scores import CONVENTIONS, MISSING_IS_ZERO, cannot
from consilience.measures.sets import ratio
from consilience.measures.unjudged import OpenLists, open_lists
from consilience.study.model import as_study
from consilience.study.ranking import TIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.extremes import Ends, Steps
    from consilience.measures.scores import Believe, Convention
    from consilience.measures.unjudged import Block
    from consilience.study import Study
    from consilience.study.ranking import Ties

#: Measures whose ends follow from counts, and those that look at every place.
COUNTED = ("P", "R", "F", "Success", "Efficiency")
WALKED = ("AP", "RR", "Rprec", "nDCG")

_MADE_FOR_IT = "it leaves unjudged items out, so what they may be does not enter"
_NO_WAY = "no worst and best case is known for it"
_VARIANT = "worst and best cases are known for the step variant of AP alone"
_GRADES = f"there are more than {extremes.MOST_GRADES} different grades"
_TIES = "ties are settled by relevance, which is not known"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Worst and best case of every system under every measure.

    ``table[measure]`` is systems × 2, NaN where it is not known; ``why[measure]`` says why a
    measure has none, None where it has; ``exact[measure]`` tells whether both ends are attained.
    """

    systems: tuple[str, ...]
    table: dict[str, NDArray[np.float64]]
    why: dict[str, str | None]
    exact: dict[str, bool]


def bounds(
    study: Study,
    *,
    measures: Sequence[str | Measure],
    belief: Belief | Believe = gold,
    ties: Ties = "trec",
    convention: Convention = "ours",
) -> Bounds:
    """Give each system's worst and best score over all that unjudged items could be.

    Parameters
    ----------
    study
        A study with truth on some items. Its universe, if it has one, tells how many items each
        query chooses from; those that nobody mentioned are unjudged, too.
    measures
        Names of measures: P, R, F, Success, Efficiency, AP, RR, Rprec and nDCG have bounds.
    belief, ties, convention
        As in :func:`consilience.score`.

    Examples
    --------
    Nobody has judged x: average precision is (1/2)/1 without it and (1 + 2/2)/2 with it.

    >>> from consilience.study import study
    >>> made = study({"s": {"q": ["x", "a"]}}, truth={"q": {"a": 1, "b": 0}})
    >>> found = bounds(made, measures=["AP", "P", "R", "Bpref"])
    >>> {name: one.tolist() for name, one in found.table.items()}
    {'AP': [[0.5, 1.0]], 'P': [[0.5, 1.0]], 'R': [[1.0, 1.0]], 'Bpref': [[nan, nan]]}
    >>> found.why["Bpref"]
    'it leaves unjudged items out, so what they may be does not enter'
    """
    as_study(study, "bounds")
    options: dict[str, Any] = {"belief": belief, "ties": ties, "convention": convention}
    return bounds_of(open_ends(study, measures=measures, **options))


def open_ends(
    study: Study,
    *,
    measures: Sequence[str | Measure],
    belief: Belief | Believe = gold,
    ties: Ties = "trec",
    convention: Convention = "ours",
    grades: NDArray[np.float64] | None = None,
) -> OpenEnds:
    """Find the lowest and highest value of every query; parameters as in :func:`bounds`.

    ``grades`` are the different grades of the whole where the study is a part of one.
    """
    if convention not in CONVENTIONS:
        raise unknown("convention", convention, CONVENTIONS)
    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES)
    parsed = list(dict.fromkeys(parse(measure) for measure in measures))
    made = OpenEnds(study.systems, tuple(str(one) for one in parsed), ties, {}, {}, {}, {})
    for rel in dict.fromkeys(measure.rel for measure in parsed):
        if isinstance(belief, Belief):
            believed = belief
        else:
            believed = belief(study) if rel == 1.0 else belief(study, relevant_from=rel)
        lists = open_lists(study, believed, ties=ties)
        mine = [measure for measure in parsed if measure.rel == rel]
        steps = {one: _steps(lists, one, grades) for one in mine if one.base == "nDCG"}
        for measure in mine:
            made.why[str(measure)] = _why_not(lists, measure, ties, steps.get(measure))
        known = [measure for measure in mine if made.why[str(measure)] is None]
        _find(lists, known, steps, convention, made)
    return made


def bounds_of(ends: OpenEnds) -> Bounds:
    """Bring the ends of all queries together, system by system."""
    table = {name: np.full((len(ends.systems), 2), np.nan) for name in ends.measures}
    for name, cells in ends.cells.items():
        low = _lowest_mean(cells.low, cells.free)
        high = -_lowest_mean(-cells.high, cells.free)
        table[name] = np.stack([low, high], axis=1)
    for name, sums in ends.sums.items():
        table[name] = np.stack(_ends(sums, parse(name)), axis=1)
    for name, barred in ends.barred.items():
        table[name][barred] = np.nan
    attained = {
        name: ends.ties not in ("best", "worst") or not parse(name).ranked for name in ends.measures
    }
    return Bounds(ends.systems, table, {name: ends.why[name] for name in ends.measures}, attained)


def _why_not(lists: OpenLists, measure: Measure, ties: Ties, steps: Steps | None) -> str | None:
    """Say why a measure has no bounds; None where it has."""
    if measure.judged_only or measure.base in ("Bpref", "infAP", "Judged"):
        return _MADE_FOR_IT
    if measure.base not in (*COUNTED, *WALKED):
        return _NO_WAY
    if measure.variant != "step":
        return _VARIANT
    if not lists.hits.crisp:
        return FRACTIONS
    if measure.base == "nDCG":
        if ties in ("best", "worst"):
            return _TIES
        if steps is None:
            return _GRADES
    return None


def _steps(lists: OpenLists, measure: Measure, grades: NDArray[np.float64] | None) -> Steps | None:
    judged = lists.hits.judged
    return extremes.steps(judged.study, judged.belief, gain=measure.gain, grades=grades)


def _find(
    lists: OpenLists,
    measures: Sequence[Measure],
    steps: Mapping[Measure, Steps | None],
    convention: Convention,
    made: OpenEnds,
) -> None:
    """Find the ends of every cell, or the counts that they follow from."""
    hits = lists.hits
    if not measures:
        return
    pairs = {measure: np.full((2, hits.cells), np.nan) for measure in measures}
    depths = [measure.k for measure in measures]
    deepest = None if None in depths else max((k for k in depths if k is not None), default=0)
    graded = any(measure.base == "nDCG" for measure in measures)
    for block in lists.blocks(deepest, graded=graded):
        for measure, pair in pairs.items():
            cut = block.first(measure.k)
            if measure.base in COUNTED:
                pair[:, block.cell] = cut.good.sum(axis=1), cut.inside
            else:
                pair[:, block.cell] = _walked(cut, measure, steps.get(measure))
    for measure, (low, high) in pairs.items():
        add_ends(lists, measure, (low, high), convention, made, steps.get(measure))


def add_ends(
    lists: OpenLists,
    measure: Measure,
    pair: Ends,
    convention: Convention,
    made: OpenEnds,
    steps: Steps | None = None,
) -> None:
    """Add the ends of a measure to those that were found.

    ``pair`` gives the lowest and highest value of every cell; of a measure whose ends follow from
    counts (:data:`COUNTED`), how much was found there, and how much of it is unjudged.
    """
    hits, name, ends = lists.hits, str(measure), pair
    made.barred[name] = np.array(
        [cannot(hits, measure, system) is not None for system in range(hits.systems)], bool
    )
    if measure.base in COUNTED:
        counts = _counts(lists, measure, *pair)
        if measure.average == "micro":
            made.sums[name] = _sums(lists, counts, convention)
            return
        ends = _ends(counts, measure)
    free = _may_be_undefined(lists, measure, steps)
    made.cells[name] = _cells(lists, measure, ends, free, convention)


def _walked(block: Block, measure: Measure, steps: Steps | None) -> Ends:
    if measure.base == "nDCG":
        assert steps is not None
        return extremes.ndcg(block, steps=steps, k=measure.k)
    walk = {
        "AP": extremes.average_precision,
        "RR": extremes.reciprocal_rank,
        "Rprec": extremes.r_precision,
    }
    return walk[measure.base](block)


def _counts(
    lists: OpenLists,
    measure: Measure,
    found: NDArray[np.float64],
    inside: NDArray[np.float64],
) -> Counted:
    hits = lists.hits
    returned = hits.returned if measure.k is None else np.full(hits.cells, float(measure.k))
    return Counted(found, returned, hits.relevant, inside, lists.unjudged - inside)


def _ends(c: Counted, measure: Measure) -> Ends:
    """Give the lowest and highest value from counts: what is open is outside, or inside, relevant.

    P = found/returned, R = found/relevant, F = (1 + β²) found / (β² relevant + returned) and
    efficiency = found / min(relevant, k) all rise with relevant items inside and fall with those
    outside. Where nothing is known to be relevant, something must be, or they are undefined.
    """
    if measure.base == "P":
        return ratio(c.found, c.returned), ratio(c.found + c.inside, c.returned)
    if measure.base == "F":
        b = measure.beta**2
        low = ratio((1 + b) * c.found, b * (c.relevant + c.outside) + c.returned)
        high = ratio((1 + b) * (c.found + c.inside), b * (c.relevant + c.inside) + c.returned)
        return low, np.where(np.isnan(high), low, high)
    worst, best = c.relevant + c.outside, c.relevant + c.inside
    if measure.base == "Success":
        low, high = ratio(c.found > 0, worst > 0), ratio(c.found + c.inside > 0, best > 0)
    else:
        most = np.inf if measure.base == "R" else float(measure.k or 0)
        low = ratio(c.found, np.minimum(worst, most))
        high = ratio(c.found + c.inside, np.minimum(best, most))
    low = np.where(np.isnan(low) & (c.inside > 0), 1.0, low)
    return low, np.where(np.isnan(high) & (c.outside > 0), 0.0, high)


def _cells(
    lists: OpenLists,
    measure: Measure,
    ends: Ends,
    free: NDArray[np.bool_],
    convention: Convention,
) -> Cells:
    """Give the ends of each cell as they enter averages, under a convention."""
    hits = lists.hits
    low, high = ends
    if convention in MISSING_IS_ZERO and measure.base == "P":  # no answer, but something to find
        asked = hits.put | ((hits.relevant == 0) & (lists.unjudged == 0))
        low, high = (np.where(asked, one, 0.0) for one in (low, high))
    free = free & ~np.isnan(low)
    if convention in ("trec_eval", "ir_measures"):  # what is undefined is 0
        low = np.where(free, 0.0, np.nan_to_num(low))
        high, free = np.nan_to_num(high), np.zeros_like(free)
    if convention not in MISSING_IS_ZERO:
        low, high = (np.where(hits.put, one, np.nan) for one in (low, high))
        free = free & hits.put
    shape = (hits.systems, hits.queries)
    return Cells(low.reshape(shape), high.reshape(shape), free.reshape(shape))


def _may_be_undefined(lists: OpenLists, measure: Measure, steps: Steps | None) -> NDArray[np.bool_]:
    """Tell which cells have no value if no unjudged item is relevant."""
    hits = lists.hits
    if steps is not None:
        return np.isin(hits.query_of_cell(), np.nonzero(steps.count[:, 0] == 0)[0])
    nothing: NDArray[np.bool_] = hits.relevant == 0
    if measure.base in ("P", "F") and measure.k is not None:
        return np.zeros(hits.cells, bool)
    if measure.base == "P":  # undefined where nothing was returned; 0 where there was no answer
        return nothing & ~hits.put
    return nothing & (hits.length == 0) if measure.base == "F" else nothing


def _lowest_mean(values: NDArray[np.float64], free: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Average each row at the lowest; values that are ``free`` are left out where that helps.

    Examples
    --------
    >>> values = np.array([[0.5, 0.9, 0.1], [0.2, 0.4, np.nan]])
    >>> _lowest_mean(values, np.array([[False, True, True], [True, True, False]])).tolist()
    [0.3, 0.2]
    """
    fixed = np.where(free, np.nan, values)
    count = (~np.isnan(fixed)).sum(axis=1)[:, None]
    total = np.nansum(fixed, axis=1)[:, None]
    some = np.sort(np.where(free, values, np.nan), axis=1)  # NaN comes last
    upto = np.hstack([np.zeros((len(values), 1)), np.cumsum(some, axis=1)])
    means = ratio(total + upto, count + np.arange(upto.shape[1]))
    lowest: NDArray[np.float64] = np.fmin.reduce(means, axis=1)
    return lowest


def _sums(lists: OpenLists, counts: Counted, convention: Convention) -> Counted:
    """Add the counts of each system's queries up."""
    hits = lists.hits
    asked = np.ones(hits.cells, bool) if convention in MISSING_IS_ZERO else hits.put

    def total(part: NDArray[np.float64]) -> NDArray[np.float64]:
        sums: NDArray[np.float64] = (
            np.where(asked, part, 0.0).reshape(hits.systems, hits.queries).sum(axis=1)
        )
        return sums

    return Counted(*(total(getattr(counts, field.name)) for field in fields(Counted)))
