"""The tables that stand beside the charts: the same figures, for reading and for screen readers."""

from __future__ import annotations

import itertools

from consilience.render.charts import NUMBERS_LIMIT, forest_rows
from consilience.render.markup import details, table
from consilience.render.pair_charts import first_label, first_pairs, holds_every_pair
from consilience.render.words import (
    Payload,
    by_rank,
    chance,
    digits_for,
    fixed,
    pair_label,
    plain,
    span,
    with_caveat,
    without_truth,
)

#: The most pairs whose differences are all listed; beyond it, neighbours in rank only.
PAIRS_LISTED = 66


def forest_twin(payload: Payload) -> str:
    """Write the figures of the forest plot as a table."""
    header = ["system", "rank", payload["measure"], "from", "to", "bound from", "bound to"]
    rows = []
    for row in forest_rows(payload):
        digits = digits_for(None if row["low"] is None else (row["low"], row["high"]))
        numbers = [fixed(row[name], digits) for name in ("value", "low", "high")]
        bounds = [fixed(row["bound_low"]), fixed(row["bound_high"])]
        rows.append([row["system"], fixed(row["rank"], 0), *numbers, *bounds])
    if not any(row["bound_low"] is not None for row in forest_rows(payload)):
        header, rows = header[:5], [row[:5] for row in rows]
    kinds = ["head"] + ["number"] * (len(header) - 1)
    return table(header, rows, kinds=kinds, title=with_caveat("Figures of the chart.", payload))


def precision_recall_twin(payload: Payload) -> str:
    """Write the precision of every system at every recall level as a table."""
    levels: dict[float, dict[int, float]] = {}
    for place, curve in enumerate(payload["curves"]):
        for point in curve["points"]:
            levels.setdefault(point["recall"], {})[place] = point["precision"]
    places = range(len(payload["curves"]))
    rows = [
        [f"{level:.4g}", *(fixed(known.get(place)) for place in places)]
        for level, known in sorted(levels.items())
    ]
    header = ["recall", *(curve["name"] for curve in payload["curves"])]
    kinds = ["head"] + ["cell"] * len(places)
    title = with_caveat("Precision at each recall level.", payload)
    return table(header, rows, kinds=kinds, title=title)


def pairs_twin(payload: Payload) -> str:
    """Write the figures of the chart of pairs as a table; of the first system against all."""
    return beats_twin(payload) if holds_every_pair(payload) else against_first_twin(payload)


def against_first_twin(payload: Payload) -> str:
    """Write the probability that the first system beats each other one as a table."""
    first = plain(by_rank(payload)[0]["name"])
    rows = [[plain(name), chance(p)] for name, p in first_pairs(payload)]
    title = with_caveat(f"{first} against each other system.", payload)
    return table(["second", first_label(payload)], rows, kinds=["head", "number"], title=title)


def beats_twin(payload: Payload) -> str:
    """Write the probability that the row beats the column as a table.

    With many systems the columns are numbered by the place of the system in the list.
    """
    known = {(pair["a"], pair["b"]): pair["p_a_beats_b"] for pair in payload["pairs"]}
    names = [system["name"] for system in by_rank(payload)]
    numbered = len(names) > NUMBERS_LIMIT
    sides = [f"{i}. {plain(name)}" if numbered else name for i, name in enumerate(names, 1)]
    rows = [
        [side, *(chance(known[row, name]) if (row, name) in known else "" for name in names)]
        for side, row in zip(sides, names, strict=True)
    ]
    heads = [str(i) for i in range(1, len(names) + 1)] if numbered else names
    kinds = ["head"] + ["cell"] * len(names)
    title = with_caveat(f"{pair_label(payload)}.", payload)
    return table(["", *heads], rows, kinds=kinds, title=title)


def differences(payload: Payload) -> str:
    """Write the differences between systems with their intervals as a table.

    All pairs where they are few; otherwise those of neighbours in rank, and the caption says so.
    """
    pairs, said = payload["pairs"], "Difference of each pair (first minus second)"
    if all(pair["difference"] is None for pair in pairs):
        return ""
    if len(pairs) > PAIRS_LISTED:
        names = [system["name"] for system in by_rank(payload)]
        near = {frozenset(two) for two in itertools.pairwise(names)}
        pairs = [pair for pair in pairs if frozenset((pair["a"], pair["b"])) in near]
        said = f"{said}; of {len(payload['pairs']):,} pairs only neighbours in rank are listed"
    rows = [
        [pair["a"], pair["b"], chance(pair["p_a_beats_b"]), _difference(pair)] for pair in pairs
    ]
    told = "P(first agrees more)" if without_truth(payload) else "P(first beats second)"
    header, kinds = ["first", "second", told, payload["measure"]], ["head", "", "number", "score"]
    listed = table(header, rows, kinds=kinds, title=with_caveat(f"{said}.", payload))
    return details("Differences with their intervals", listed)


def _difference(pair: Payload) -> str:
    interval = pair.get("interval")
    return f"{fixed(pair['difference'], digits_for(interval))} {span(interval)}".rstrip()
