"""Agreement over all annotators, with intervals over items drawn anew.

Items are what is random: they stand for other items of the kind. Annotators are not drawn; the
interval says nothing about other annotators. Items with the same labels are alike, so draws are
made of kinds of items (a multinomial draw), which costs little even for very many items.

α of drawn items is a little lower than that of all on average: of items drawn twice, chance takes
more agreement. The bias-corrected percentiles of Efron (1987, "Better bootstrap confidence
intervals", §2) allow for that; as elsewhere they are widened for few items (Hesterberg 2015).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import quote
from consilience.measures.chance_corrected import fleiss_kappas, percents
from consilience.measures.disagreement import CELLS, alphas, patterns
from consilience.verdict.resample import FEWEST, SAMPLES, expanded_tail

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.disagreement import Sparse
    from consilience.study.labels import Labels
    from consilience.verdict.scales import Scale

#: With very many different items fewer draws are made, but at least so many.
_FEWEST_DRAWS, _DRAWN_CELLS = 400, 10**8
METHOD = (
    "bias-corrected percentile bootstrap (Efron 1987), expanded for small samples (Hesterberg 2015)"
)
#: What is drawn anew, and how intervals are made of it.
RESAMPLED = {"unit": "items with two labels or more", "method": METHOD}


@dataclass(frozen=True, slots=True)
class Figure:
    """A coefficient over all annotators: its value, its interval, or why there is none."""

    value: float
    interval: tuple[float, float] | None
    undefined: str | None
    interval_undefined: str | None


def figures_of(
    pairable: Sparse, labels: Labels, scale: Scale, *, level: float, seed: int
) -> tuple[tuple[Figure, Figure, Figure], int, list[str]]:
    """α, Fleiss' κ and the share of equal labels, with intervals over items drawn anew."""
    first, kind = patterns(pairable)
    counts = pairable[first]
    times = np.bincount(kind).astype(np.float64)
    items = pairable.shape[0]
    samples = min(SAMPLES, max(_FEWEST_DRAWS, _DRAWN_CELLS // len(times)))

    def all_three(drawn: NDArray[np.float64]) -> NDArray[np.float64]:
        found = (alphas(counts, scale.metric, drawn), fleiss_kappas(counts, drawn))
        return np.stack([*found, percents(counts, drawn)])

    values = all_three(times[None])[:, 0]
    shares = times / items
    rng = np.random.default_rng(seed)
    step = max(1, CELLS // max(len(times), len(labels.categories)))
    draws = np.concatenate(
        [
            all_three(
                rng.multinomial(items, shares, size=min(step, samples - begin)).astype(np.float64)
            )
            for begin in range(0, samples if items >= FEWEST else 0, step)
        ]
        or [np.zeros((3, 0))],
        axis=1,
    )
    used = np.flatnonzero(np.asarray(counts.sum(axis=0)).ravel())
    alone = f"all labels are {quote(labels.categories[used[0]])}: chance would agree as well"
    reason = alone if len(used) < 2 else None
    lost = int(np.isnan(draws[0]).sum()) if reason is None else 0
    notes = [f"α is undefined in {lost:,} of {samples:,} draws (a single category): left out"]
    alpha, fleiss, percent = (
        _figure(value, drawn, items, level, why)
        for value, drawn, why in zip(values, draws, (reason, reason, None), strict=True)
    )
    return (alpha, fleiss, percent), samples, notes if lost else []


def _figure(
    value: float, draws: NDArray[np.float64], items: int, level: float, reason: str | None
) -> Figure:
    if reason is not None:
        return Figure(float("nan"), None, reason, reason)
    known = draws[~np.isnan(draws)]
    if items < FEWEST:
        said = f"{items} item{'s' if items > 1 else ''} with two labels: too few"
        return Figure(float(value), None, None, said)
    if not len(known) or np.ptp(known) < 1e-12:
        said = (
            f"nothing differs over {items:,} items: drawing them anew cannot tell how rare that is"
        )
        return Figure(float(value), None, None, said)
    low, high = np.quantile(known, corrected_tails(value, known, expanded_tail(level, items)))
    return Figure(float(value), (float(low), float(high)), None, None)


def corrected_tails(value: float, draws: NDArray[np.float64], tail: float) -> tuple[float, float]:
    """Move the two tails as far as the draws' median lies off the value: Φ(2 z₀ ± z).

    z₀ = Φ⁻¹(share of draws below the value; half of those that equal it).

    Examples
    --------
    >>> even = np.arange(101) / 100
    >>> [round(tail, 4) for tail in corrected_tails(0.5, even, 0.025)]
    [0.025, 0.975]
    >>> [round(tail, 4) for tail in corrected_tails(0.6, even, 0.025)]
    [0.0724, 0.9931]
    """
    from scipy.special import ndtr, ndtri

    below = (np.mean(draws < value - 1e-12) + np.mean(draws < value + 1e-12)) / 2
    edge = 0.5 / len(draws)
    off, z = 2 * ndtri(np.clip(below, edge, 1 - edge)), ndtri(tail)
    return float(ndtr(off + z)), float(ndtr(off - z))
