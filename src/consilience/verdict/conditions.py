"""Conditions on scores, for use in continuous integration: ``--fail-if "F1 < 0.8"``."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from consilience.errors import UsageError, quote, unknown
from consilience.measures.names import parse

_SHAPE = re.compile(
    r"\s*(?:(?P<system>.+?)\s*:\s*)?(?P<measure>[^<>=!]+?)\s*"
    r"(?P<sign><=|>=|==|!=|<|>)\s*(?P<figure>\S+)\s*"
)
_SIGNS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True, slots=True)
class FailIf:
    """A condition that must not be met; without a system's name it speaks of every system."""

    text: str
    system: str | None
    measure: str
    sign: str
    figure: float


def parse_condition(text: str) -> FailIf:
    """Read a condition such as ``F1 < 0.8`` or ``bm25: P@10 < 0.5``.

    Examples
    --------
    >>> condition = parse_condition("bm25: map <= 0.3")
    >>> condition.system, condition.measure, condition.sign, condition.figure
    ('bm25', 'AP', '<=', 0.3)
    """
    match = _SHAPE.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{quote(text)} is not a condition (fix: write MEASURE < NUMBER, such as 'F1 < 0.8')"
        )
    try:
        figure = float(match["figure"])
    except ValueError:
        raise UsageError(f"{quote(text)}: {quote(match['figure'])} is not a number") from None
    return FailIf(text, match["system"], str(parse(match["measure"])), match["sign"], figure)


def met(condition: FailIf, payload: dict[str, Any]) -> list[str]:
    """Say for which systems a condition is met; an undefined score counts as met, and says so."""
    systems = payload["systems"]
    names = [one["name"] for one in systems]
    if condition.system is not None and condition.system not in names:
        raise unknown("system", condition.system, names)
    said = []
    for one in systems:
        if condition.system not in (None, one["name"]):
            continue
        value = one["scores"][condition.measure]["value"]
        if value is None:
            reason = one["scores"][condition.measure]["undefined"]
            said.append(f"{one['name']}: {condition.measure} is undefined ({reason})")
        elif _SIGNS[condition.sign](value, condition.figure):
            bar = f"{condition.sign} {condition.figure:g}"
            said.append(f"{one['name']}: {condition.measure} is {value:.6g} ({bar})")
    return said
