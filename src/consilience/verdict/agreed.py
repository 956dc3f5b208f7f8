"""What belongs to a ranking without truth, as plain data (part of the contract of ``rank``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.limits import Limits
from consilience.belief.weights import BOTTOM, TOP
from consilience.measures.names import parse
from consilience.verdict.standing import DIGITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.belief.dependence import Dependence
    from consilience.belief.families import Family
    from consilience.verdict.agreement import Agreement
    from consilience.verdict.panel import Member, Panel
    from consilience.verdict.standing import Standing

#: What the virtual systems do.
VIRTUAL = {TOP: "returns everything", BOTTOM: "returns nothing"}
#: Why measures of order are undefined for them.
_NO_ORDER = "it has no order"
_NOTHING, _ALL = "it returns nothing: 0/0", "it returns everything: 0/0"
_EMPTY = "nothing, or everything, is relevant: 0/0"


def of_belief(belief: Belief, beside: Agreement) -> dict[str, Any]:
    """Give a belief's marks; the effective number of systems is that of their correlations."""
    known = beside.dependence
    effective = belief.effective_respondents if known is None else known.effective
    limits = belief.details.get("limits")
    return {
        "method": belief.method,
        "effective_respondents": effective,
        "assumes": belief.assumes,
        "truth": belief.truth,
        "heard": belief.heard,
        "details": _details(belief, beside),
        "bounds": None
        if not isinstance(limits, Limits) or beside.withheld
        else {
            "of": "accuracy of the majority vote",
            "low": limits.least,
            "high": limits.most,
            "independent": limits.independent,
            "assumes": "each system is right as often as it agrees with the majority",
        },
    }


def _details(belief: Belief, beside: Agreement) -> dict[str, Any]:
    """Give what a method found on its way; only weights where absolute values are withheld."""
    shown = {key: value for key, value in belief.details.items() if key != "limits"}
    if beside.withheld:
        shown = {key: value for key, value in shown.items() if key in ("weights", "prior")}
    plain: dict[str, Any] = _plain(shown)
    return plain


def of_dependence(known: Dependence | None) -> dict[str, Any] | None:
    """Give who depends on whom."""
    if known is None:
        return None
    return {
        "systems": list(known.systems),
        "phi": _table(known.phi),
        "effective": known.effective,
        "sources": known.sources,
        "sources_from": "declared" if known.declared else "learned",
        "families": [_family(one, declared=bool(known.declared)) for one in known.families],
        "learned": [list(one.members) for one in known.learned],
        "ari": known.ari,
        "tree": [
            {"left": int(left), "right": int(right), "height": float(height), "size": int(size)}
            for left, right, height, size in known.tree.tolist()
        ],
        "order": list(known.order),
        "duplicates": [list(group) for group in known.duplicates],
        "near": known.near,
        "items": known.items,
        "sampled": known.step > 1,
        "looked": known.looked,
        "warning": known.warning,
    }


def _family(one: Family, *, declared: bool) -> dict[str, Any]:
    return {
        "name": one.name,
        "members": list(one.members),
        "counted_as": one.counted_as,
        "declared": declared,
    }


def counted_as(known: Dependence | None, system: str) -> float | None:
    """Say as how many systems the family of a system counts; None where it has no mates."""
    if known is None:
        return None
    mates = next((one for one in known.families if system in one.members), None)
    return None if mates is None or len(mates.members) < 2 else mates.counted_as


def of_panel(beside: Agreement) -> dict[str, Any] | None:
    """Give the methods side by side; only their orders where absolute values are withheld."""
    panel = beside.panel
    if panel is None:
        return None
    shown = np.nan if beside.withheld else 1.0
    return {
        "measure": panel.measure,
        "methods": [_member(one, panel, shown) for one in panel.members],
        "families": [_member(one, panel, shown) for one in panel.families],
        "tau": _table(panel.tau()),
        "skipped": [{"name": name, "why": why} for name, why in panel.skipped],
        "gold": any(member.name == "gold" for member in panel.members),
    }


def _member(member: Member, panel: Panel, shown: float) -> dict[str, Any]:
    values = member.values[panel.measure]
    key = np.round(values, DIGITS)
    ranks = [None if np.isnan(value) else 1 + int((key > value).sum()) for value in key]
    return {
        "name": member.name,
        "values": dict(zip(panel.systems, _row(values * shown), strict=True)),
        "ranks": dict(zip(panel.systems, ranks, strict=True)),
        "leader": None if np.isnan(values).all() else panel.systems[int(np.nanargmax(key))],
    }


def of_cutoffs(beside: Agreement, standings: Sequence[Standing]) -> list[dict[str, Any]] | None:
    """Give precision and recall at each cutoff, systems in rank order."""
    if beside.cutoffs is None or beside.withheld:
        return None
    return [
        {
            "name": one.name,
            "points": [
                {"k": k, "precision": precision, "recall": recall}
                for k, (precision, recall) in enumerate(_table(beside.cutoffs[one.name]), start=1)
            ],
        }
        for one in standings
    ]


def of_virtual(beside: Agreement) -> list[dict[str, Any]]:
    """Give the rows of ⊤ and ⊥, where they were asked for."""
    return [
        {
            "name": name,
            "about": VIRTUAL[name],
            "scores": {
                measure: {"value": _number(value), "undefined": _why(name, measure, value)}
                for measure, value in values.items()
            },
        }
        for name, values in ({} if beside.withheld else beside.virtual or {}).items()
    ]


def _why(name: str, measure: str, value: float) -> str | None:
    """Say why a virtual system has no value."""
    if not np.isnan(value):
        return None
    if parse(measure).ranked:
        return _NO_ORDER
    base = parse(measure).base
    if base == "MCC":  # the answer is the same for all items, whatever is relevant
        return _NOTHING if name == BOTTOM else _ALL
    return _NOTHING if name == BOTTOM and base == "P" else _EMPTY


def _table(values: NDArray[np.float64]) -> list[list[float | None]]:
    return [_row(row) for row in values]


def _row(values: NDArray[np.float64]) -> list[float | None]:
    return [_number(value) for value in values.tolist()]


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _plain(value: Any) -> Any:
    """Turn what a method found on its way into plain data."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return _number(float(value))
    if hasattr(value, "__dataclass_fields__"):
        return _plain(asdict(value))
    return value
