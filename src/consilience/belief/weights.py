"""Confidences κ by name: whom the consensus believes how much (Lamiroy & Sun 2013, §5.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError, is_number, quote, unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief.votes import Votes

#: The virtual voters, and what else they may be called.
TOP, BOTTOM = "⊤", "⊥"
ALIASES = {"top": TOP, "bottom": BOTTOM}
#: What a single judge may be called.
JUDGE = ("oracle", "gold", "truth")
#: How far beyond 1 confidences may add up, for rounding.
_ROUNDING = 1e-9


def shares(
    votes: Votes, weights: Mapping[str, float] | None, *, virtual: bool = True
) -> tuple[NDArray[np.float64], float, float]:
    """Give every voter's confidence, and those of ⊤ and ⊥; together they make 1.

    A weight of somebody who is known but does not vote here counts for nobody.

    Examples
    --------
    >>> from consilience.belief.votes import votes_of
    >>> from consilience.study import study
    >>> made = study({"S1": {"q": ["x"]}, "S2": {"q": ["y"]}}, truth={"q": {"x": 1}})
    >>> shares(votes_of(made), None)
    (array([0.25, 0.25]), 0.25, 0.25)
    >>> shares(votes_of(made, evidence="vote"), {"oracle": 1})
    (array([0., 0., 1.]), 0.0, 0.0)
    >>> shares(votes_of(made), {"S1": 0.7}, virtual=False)
    (array([0.7, 0.3]), 0.0, 0.0)
    """
    if weights is not None and not isinstance(weights, Mapping):
        raise UsageError(
            f"weights are a dict of voter → number, found {quote(weights)} (fix: {{'S1': 0.5}})"
        )
    names = votes.names
    everybody = [*names, *((TOP, BOTTOM) if virtual else ())]
    silent = [name for name in votes.study.respondents.names if name not in names]
    given = _named(everybody, _spelt(votes, weights or {}), silent)
    total = math.fsum(given.values())
    if total > 1 + _ROUNDING:
        raise UsageError(
            f"the weights add up to {total:g}, more than 1 (fix: divide each by {total:g})"
        )
    others = [name for name in everybody if name not in given]
    left = max(1.0 - total, 0.0)
    if not others and len(given) == len(everybody) and left > _ROUNDING:
        raise UsageError(
            f"the weights add up to {total:g}, and nobody is left to share the rest "
            f"(fix: divide each by {total:g})"
        )
    kappa = [given.get(name, left / max(len(others), 1)) for name in everybody]
    top, bottom = (kappa[-2], kappa[-1]) if virtual else (0.0, 0.0)
    return np.array(kappa[: len(names)]), top, bottom


def _spelt(votes: Votes, weights: Mapping[str, float]) -> dict[str, float]:
    """Give the only judge its name, where it is called oracle, gold or truth."""
    kinds = votes.study.respondents.kind
    judges = [
        name
        for name, code in zip(votes.names, votes.respondent, strict=True)
        if kinds[code] != "system"
    ]
    if len(judges) != 1:
        return dict(weights)
    return {
        judges[0] if name in JUDGE and name not in votes.names else name: weight
        for name, weight in weights.items()
    }


def _named(
    everybody: Sequence[str], weights: Mapping[str, float], silent: Sequence[str]
) -> dict[str, float]:
    """Check names and numbers."""
    given: dict[str, float] = {}
    for name, weight in weights.items():
        called = name if name in everybody else ALIASES.get(name, name)
        if called not in everybody and called not in silent:
            raise unknown("voter", name, everybody)
        if not is_number(weight) or not 0 <= weight <= 1:
            raise UsageError(
                f"the weight of {quote(name)} must be from 0 to 1, found {quote(weight)} (fix: 0.5)"
            )
        if called in given:
            raise UsageError(f"{quote(called)} has two weights (fix: give it one)")
        given[called] = float(weight)
    return given
