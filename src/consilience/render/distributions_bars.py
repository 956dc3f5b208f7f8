"""A distribution as bars: one per value where they are few, otherwise values in groups."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor

from consilience.render.words import Payload, fixed

#: The most bars of values on a lattice (such as k/n), of other values, and of groups.
LATTICE, SCATTERED, GROUPS = 200, 30, 100
#: Widths of bins of scattered values: the widest that cuts most of the probability so often.
BINS, CUTS = (0.02, 0.01, 0.005), 12
#: Widest and narrowest bar of a single value.
WIDEST, NARROWEST = 0.02, 0.006
#: Bars lower than this share of the highest are left out: nobody sees them.
INVISIBLE = 1e-4


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from ``low`` to ``high`` with a probability; ``width`` is that of a group, else 0."""

    low: float
    high: float
    mass: float
    said: str
    width: float = 0.0


def bars(distribution: Payload) -> list[Bar]:
    """Turn a distribution into bars.

    Values on a lattice get a bar each up to 200, beyond that neighbours are joined, the same number
    in each bar. Other values get a bar each up to 30; beyond, they are put
    into bins of 0.02, or narrower ones where the values lie close together.

    Examples
    --------
    >>> [bar.said for bar in bars({"support": [0.0, 0.5, 1.0], "mass": [0.25, 0.5, 0.25]})]
    ['0.0000', '0.5000', '1.0000']
    >>> many = {"support": [i / 1000 for i in range(1001)], "mass": [1 / 1001] * 1001}
    >>> made = bars(many)
    >>> len(made), made[0].said, round(sum(bar.mass for bar in made), 9)
    (91, '0.0000 to 0.0100', 1.0)
    >>> bars({"support": [], "mass": []})
    []
    """
    support, mass = distribution["support"], distribution["mass"]
    if not support:
        return []
    step = lattice(support)
    if step is None:
        made = _single(support, mass, 0.01) if len(support) <= SCATTERED else _binned(support, mass)
    elif len(support) <= LATTICE:
        made = _single(support, mass, step)
    else:
        made = _joined(support, mass, step)
    least = INVISIBLE * max(bar.mass for bar in made)
    return [bar for bar in made if bar.mass >= least]


def lattice(support: list[float]) -> float | None:
    """Find the step of values that lie on a lattice; None where they do not, or rarely.

    Examples
    --------
    >>> lattice([0.0, 0.25, 0.75]), lattice([0.0, 0.3, 1.0]), lattice([0.5])
    (0.25, None, 1.0)
    >>> lattice([0.0, 0.5, 0.51, 1.0]) is None  # 4 of 101 places
    True
    """
    gaps = [b - a for a, b in pairwise(support)]
    if not gaps:
        return 1.0
    step = min(gaps)
    even = all(abs(gap / step - round(gap / step)) < 1e-6 for gap in gaps)
    held = len(support) / (round((support[-1] - support[0]) / step) + 1)
    return step if even and held >= 0.5 else None


def _single(support: list[float], mass: list[float], step: float) -> list[Bar]:
    half = min(max(0.8 * step, NARROWEST), WIDEST) / 2 if step > NARROWEST else step / 2
    return [Bar(x - half, x + half, p, fixed(x)) for x, p in zip(support, mass, strict=True)]


def _joined(support: list[float], mass: list[float], step: float) -> list[Bar]:
    """Join neighbours on a lattice: the same number of its places in every bar."""
    first = support[0]
    places = [round((x - first) / step) for x in support]
    of = ceil((places[-1] + 1) / GROUPS)
    held: dict[int, float] = {}
    for at, p in zip(places, mass, strict=True):
        held[at // of] = held.get(at // of, 0.0) + p
    made = []
    for group, p in held.items():
        low = first + group * of * step
        last = min(low + (of - 1) * step, support[-1])
        said = f"{fixed(low)} to {fixed(last)}"
        made.append(Bar(low - step / 2, last + step / 2, p, said, of * step))
    return made


def _binned(support: list[float], mass: list[float]) -> list[Bar]:
    """Put scattered values into bins that begin at multiples of their width; 1 is in the last."""
    width = _bin_width(support, mass)
    most = max(round(1 / width), ceil(support[-1] / width)) - 1
    held: dict[int, float] = {}
    for x, p in zip(support, mass, strict=True):
        at = min(floor(x / width + 1e-9), most)
        held[at] = held.get(at, 0.0) + p
    made = []
    for at, p in sorted(held.items()):
        low, high = at * width, (at + 1) * width
        made.append(Bar(low, high, p, f"{low:.3g} to {high:.3g}", width))
    return made


def _bin_width(support: list[float], mass: list[float]) -> float:
    """Choose the widest bins that cut the middle 99.9% of the probability often enough."""
    below, inside = 0.0, []
    for x, p in zip(support, mass, strict=True):
        below += p
        if below >= 0.0005 and below - p <= 0.9995:
            inside.append(x)
    far = inside[-1] - inside[0] if inside else 0.0
    return next((width for width in BINS if far >= CUTS * width), BINS[-1])
