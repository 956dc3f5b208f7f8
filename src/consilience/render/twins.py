"""The tables that stand beside the charts: the same figures, for reading and for screen readers."""

from __future__ import annotations

import itertools

from consilience.render.charts import NUMBERS_LIMIT
from consilience.render.forest_chart import forest_rows
from consilience.render.markup import details, table
from consilience.render.pair_charts import beaten, first_label, first_pairs, is_matrix
from consilience.render.rivals import compared
from consilience.render.words import (
    Payload,
    by_rank,
    chance,
    digits_for,
    fixed,
    pair_label,
    plain,
    with_caveat,
    without_truth,
)

#: The most pairs whose differences are all listed; beyond it, neighbours in rank only.
PAIRS_LISTED = 66


def forest_twin(payload: Payload) -> str:
    """Write the figures of the forest plot as a table."""
    found = forest_rows(payload)
    held = {key for row in found for key in row if row[key] is not None}
    assumed = "given_low" in held
    keys = {"value": payload["measure"], "low": "from", "high": "to"}
    keys |= {"given_low": "if assumed, from", "given_high": "if assumed, to"} if assumed else {}
    keys |= {"bound_low": "bound from", "bound_high": "bound to"} if "bound_low" in held else {}
    keys |= {"shrunk": "shrunk"} if "shrunk" in held else {}
    if assumed and "low" not in held:
        keys = {key: name for key, name in keys.items() if key not in ("low", "high")}
    rows = []
    for row in found:
        digits = digits_for(None if row["low"] is None else (row["low"], row["high"]))
        numbers = [fixed(row[key], 4 if key.startswith("bound") else digits) for key in keys]
        rows.append([row["system"], fixed(row["rank"], 0), *numbers])
    header = ["system", "rank", *keys.values()]
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
    return beats_twin(payload) if is_matrix(payload) else against_first_twin(payload)


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
    known = {(row, column): p for row, column, p in beaten(payload)}
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
    told = "P(first agrees more)" if without_truth(payload) else "P(first beats second)"
    more, cells, sides = compared(payload, pairs, ahead=told, minus=payload["measure"])
    rows = [[pair["a"], pair["b"], *row] for pair, row in zip(pairs, cells, strict=True)]
    header, kinds = ["first", "second", *more], ["head", "", *sides]
    listed = table(header, rows, kinds=kinds, title=with_caveat(f"{said}.", payload))
    return details("Differences with their intervals", listed)
