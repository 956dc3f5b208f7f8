"""Conditions on scores, for use in continuous integration: ``--fail-if "F1 < 0.8"``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.errors import UsageError, quote, unknown
from consilience.measures.names import parse

_SHAPE = re.compile(
    r"(?P<left>.*[^<>=!\s])\s*(?P<sign><=|>=|==|!=|<|>)\s*(?P<figure>[^<>=!]+)", re.DOTALL
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


def parse_condition(text: str, *, rel: float | None = None) -> FailIf:
    """Read a condition such as ``F1 < 0.8`` or ``bm25: P(rel=2)@10 < 0.5``.

    ``rel`` is the relevance threshold of measures whose names do not say.

    Examples
    --------
    >>> condition = parse_condition("bm25: map <= 0.3")
    >>> condition.system, condition.measure, condition.sign, condition.figure
    ('bm25', 'AP', '<=', 0.3)
    """
    match = _SHAPE.fullmatch(text.strip())
    if match is None:
        raise UsageError(
            f"{quote(text)} is not a condition (fix: write MEASURE < NUMBER, such as 'F1 < 0.8')"
        )
    try:
        figure = float(match["figure"])
    except ValueError:
        figure = math.nan
    if not math.isfinite(figure):
        raise UsageError(f"{quote(text)}: {quote(match['figure'])} is not a number (fix: 0.8)")
    system, colon, measure = match["left"].rpartition(":")
    named = system.strip() if colon else None
    return FailIf(text, named, str(parse(measure.strip(), rel=rel)), match["sign"], figure)


def check_systems(conditions: Sequence[FailIf], systems: Sequence[str]) -> None:
    """Refuse conditions on systems that are not there, before anything is computed."""
    for condition in conditions:
        if condition.system is not None and condition.system not in systems:
            raise unknown("system", condition.system, systems)


def met(condition: FailIf, payload: dict[str, Any]) -> list[str]:
    """Say for which systems a condition is met; an undefined score counts as met, and says so."""
    said = []
    for one in payload["systems"]:
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
