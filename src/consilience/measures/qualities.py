"""From displacement to quality: a decreasing function g from [0, ∞) into [0, 1].

Santini offers two families, g(x) = 1/(1 + x)^p and g(x) = exp(−λx); a user's own function serves
as well if it never rises and stays within [0, 1]. A quality's name prints as it parses:
``rational:p=1``, ``exponential:lambda=0.1``.

References
----------
S. Santini, "Benchmarking without ground truth", §5, eq. 18.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, quote, unknown

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Where a user's own function is tried, before it meets the data.
GRID = (0.0, *np.logspace(-3, 6, 55).tolist())
#: A function may rise by so little: rounding.
_SLACK = 1e-12
#: Family → the name of its parameter and the usual value.
FAMILIES = {"rational": ("p", 1.0), "exponential": ("lambda", 0.1)}


@dataclass(frozen=True, slots=True)
class Quality:
    """A function from displacement to quality, and its name.

    Examples
    --------
    >>> g = rational(1)
    >>> g.name, float(g(3)), g([0, 1]).tolist()
    ('rational:p=1', 0.25, [1.0, 0.5])
    """

    name: str
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]]

    def __call__(self, w: ArrayLike) -> NDArray[np.float64]:
        """Give the quality of displacements; NaN stays NaN."""
        return self.function(np.asarray(w, np.float64))


def rational(p: float) -> Quality:
    """The quality g(x) = 1 / (1 + x)^p.

    Parameters
    ----------
    p
        How fast quality falls; above 0.

    Examples
    --------
    >>> float(rational(2)(1))
    0.25
    """
    power = _positive("p", p)
    return Quality(f"rational:p={_spelt(power)}", lambda w: np.power(1.0 + w, -power))


def exponential(lam: float) -> Quality:
    """The quality g(x) = exp(−λx).

    Parameters
    ----------
    lam
        λ: how fast quality falls; above 0.

    Examples
    --------
    >>> round(float(exponential(0.1)(10)), 6)
    0.367879
    """
    rate = _positive("lambda", lam)
    return Quality(f"exponential:lambda={_spelt(rate)}", lambda w: np.exp(-rate * w))


def own(function: Callable[[float], float]) -> Quality:
    """Take a user's function of one number; it is tried on a grid, and later on what it is used on.

    Examples
    --------
    >>> own(lambda w: 1 / (1 + w * w)).name
    'own:<lambda>'
    >>> own(lambda w: w)
    Traceback (most recent call last):
    consilience.errors.UsageError: quality function 'own:<lambda>' rises from 0 at w = 0 ...
    """
    name = f"own:{getattr(function, '__name__', type(function).__name__)}"

    def checked(w: NDArray[np.float64]) -> NDArray[np.float64]:
        known = np.unique([*GRID, *w[~np.isnan(w)].ravel().tolist()])
        values = np.array([_value(function, name, float(x)) for x in known], np.float64)
        _check_falls(name, known, values)
        found = np.full(w.shape, np.nan)
        inside = ~np.isnan(w)
        found[inside] = values[np.searchsorted(known, w[inside])]
        return found

    checked(np.zeros(0))
    return Quality(name, checked)


def _value(function: Callable[[float], float], name: str, w: float) -> float:
    try:
        return float(function(w))
    except Exception as error:  # noqa: BLE001  (whatever a user's function raises)
        raise UsageError(
            f"quality function {quote(name)} fails at w = {w:g}: {type(error).__name__}: {error} "
            "(fix: it takes one number from 0 on and gives one from 0 to 1)"
        ) from None


def _check_falls(name: str, w: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    rises = np.flatnonzero(np.diff(values) > _SLACK)
    if len(rises):
        at = rises[0]
        raise UsageError(
            f"quality function {quote(name)} rises from {values[at]:g} at w = {w[at]:g} to "
            f"{values[at + 1]:g} at w = {w[at + 1]:g} (fix: more displacement, no more quality)"
        )
    outside = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if len(outside):
        at = outside[0]
        raise UsageError(
            f"quality function {quote(name)} is {values[at]:g} at w = {w[at]:g} "
            "(fix: it must stay within [0, 1])"
        )


def as_quality(given: str | Quality | Callable[[float], float]) -> Quality:
    """Take a quality by name, as it is, or as a user's own function.

    Examples
    --------
    >>> as_quality("exponential:lambda=0.5").name
    'exponential:lambda=0.5'
    """
    if isinstance(given, Quality):
        return given
    if isinstance(given, str):
        return parse_quality(given)
    if callable(given):
        return own(given)
    raise UsageError(f"{quote(given)} is no quality (fix: 'rational:p=1', or a function of w)")


def parse_quality(text: str) -> Quality:
    """Read ``rational:p=1`` or ``exponential:lambda=0.1``.

    Examples
    --------
    >>> parse_quality("rational").name
    'rational:p=1'
    >>> parse_quality("rational:q=1")
    Traceback (most recent call last):
    consilience.errors.UsageError: 'rational:q=1': rational has the parameter p ... rational:p=1)
    """
    family, colon, setting = text.strip().partition(":")
    if family not in FAMILIES:
        raise unknown("quality", family, list(FAMILIES))
    name, usual = FAMILIES[family]
    value: Any = usual
    if colon:
        key, sign, number = (part.strip() for part in setting.partition("="))
        if key != name or not sign:
            raise UsageError(
                f"{quote(text)}: {family} has the parameter {name} and no other "
                f"(fix: {family}:{name}={_spelt(usual)})"
            )
        try:
            value = float(number)
        except ValueError:
            value = number
    try:
        return rational(value) if family == "rational" else exponential(value)
    except UsageError as error:
        raise UsageError(f"{quote(text)}: {error}") from None


def _positive(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise UsageError(f"{name} must be a number above 0, found {quote(value)} (fix: {name}=1)")
    if not 0 < float(value) < math.inf:
        raise UsageError(f"{name} must be above 0 and finite, found {value:g} (fix: {name}=1)")
    return float(value)


def _spelt(value: float) -> str:
    return repr(float(value)).removesuffix(".0")
