"""The tables that stand beside the charts of agreement: the same figures, for reading."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.agreement import family_table, panel_table, panel_words
from consilience.render.agreement_charts import shown_systems, system_labels
from consilience.render.charts import PAIRS_LIMIT
from consilience.render.markup import details, table
from consilience.render.words import DASH, Payload, by_rank, fixed, plain, with_caveat


def alike_twin(payload: Payload) -> str:
    """Write the correlation φ of each two shown systems as a table, in the order of the chart."""
    dependence, shown = payload["dependence"], shown_systems(payload)
    rows, columns = system_labels(payload)
    every = len(dependence["systems"])
    some = f"; {PAIRS_LIMIT} of {every} systems, json holds all" if every > len(shown) else ""
    title = with_caveat(f"Correlation φ of the answers{some}.", payload)
    return _matrix(rows, columns, [[dependence["phi"][i][j] for j in shown] for i in shown], title)


def _matrix(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[float | None]],
    title: str,
) -> str:
    lines = [
        [name, *(fixed(value, 2) for value in line)]
        for name, line in zip(rows, values, strict=True)
    ]
    kinds = ["head", *("cell" for _ in columns)]
    return table(["", *columns], lines, kinds=kinds, title=title)


def families(payload: Payload) -> str:
    """Write the families with what they count as; nothing without families."""
    header, rows = family_table(payload.get("dependence") or {})
    if not rows:
        return ""
    kinds = ["head", "number", "number", "", ""]
    title = with_caveat("Families of systems, and how many systems each counts as.", payload)
    return details("Families and their members", table(header, rows, kinds=kinds, title=title))


def methods_table(payload: Payload) -> str:
    """Write who is first by each method and family, and how it agrees with this ranking."""
    header, rows = panel_table(payload)
    kinds = ["head", "name", "number"][: len(header)]
    return table(header, rows, kinds=kinds, title=panel_words(payload))


def methods_alike_twin(payload: Payload) -> str:
    """Write Kendall's τ between the methods as a table."""
    names = [plain(method["name"]) for method in payload["panel"]["methods"]]
    title = with_caveat("Kendall's τ between the rankings of the methods.", payload)
    return _matrix(names, names, payload["panel"]["tau"], title)


def method_ranks_twin(payload: Payload) -> str:
    """Write the rank and the value that each method gives every system as a table."""
    methods = payload["panel"]["methods"]
    rows = [
        [system["name"], *(_rank(method, system["name"]) for method in methods)]
        for system in by_rank(payload)
    ]
    measure = plain(payload["panel"].get("measure") or payload["measure"])
    title = with_caveat(f"Rank (and {measure}) by each method.", payload)
    kinds = ["head", *("cell" for _ in methods)]
    header = ["system", *(method["name"] for method in methods)]
    return table(header, rows, kinds=kinds, title=title)


def _rank(method: Payload, name: str) -> str:
    rank, value = method["ranks"].get(name), method["values"].get(name)
    if rank is None:
        return DASH
    return str(rank) if value is None else f"{rank} ({fixed(value)})"
