"""Columns that stand beside the ranking measure in tables for people."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from consilience.render.sure import (
    bounds_heading,
    posterior_cell,
    posterior_heading,
    posteriors,
    share,
    shares,
)
from consilience.render.words import Payload, has_bounds, plain, shown_measures, span


@dataclass(frozen=True, slots=True)
class Beside:
    """A column: its header, what it says of a system (empty for a virtual one), and its side."""

    header: str
    cell: Callable[[Payload], str]
    right: bool = False


def beside(payload: Payload) -> list[Beside]:
    """Choose the columns beside the ranking measure: bounds, belief's word, judged share.

    Examples
    --------
    >>> score = {"value": 0.3, "bounds": [0.2, 0.4]}
    >>> system = {"scores": {"AP": score}, "judged": {"@10": 0.9}}
    >>> payload = {"measure": "AP", "measures": ["AP"], "systems": [system]}
    >>> [(column.header, column.cell(system)) for column in beside(payload)]
    [('AP bounds', '[0.2000, 0.4000]'), ('judged@10', '90.0%')]
    """
    measure = payload["measure"]
    if measure not in shown_measures(payload):
        return []

    def score(system: Payload) -> Payload:
        found: Payload = system["scores"].get(measure) or {}
        return found

    columns = []
    if has_bounds(payload):
        header = f"{plain(measure)} {bounds_heading(payload)}"
        columns.append(Beside(header, lambda system: span(score(system).get("bounds"))))
    if posteriors(payload):
        header = posterior_heading(payload)
        columns.append(Beside(header, lambda system: posterior_cell(score(system))))
    judged = shares(payload)
    if judged is not None:
        key, header = judged
        columns.append(Beside(header, lambda system: _judged(system, key), right=True))
    return columns


def _judged(system: Payload, key: str) -> str:
    return share((system.get("judged") or {}).get(key)) if "judged" in system else ""
