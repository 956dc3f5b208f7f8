"""The post's own list: ten images, five of them airplanes, and every figure that it prints.

References
----------
.. [1] "It's a bird... it's a plane... it... depends on your classifier's threshold", 2011.
"""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal
from itertools import pairwise
from typing import TYPE_CHECKING

from consilience.experiments.reproduced import Axis, Column, Figure, Finding, Table

if TYPE_CHECKING:
    from consilience.verdict.curve import CurveResult

#: What the post prints: precision and recall in percent at the cutoffs 1 to 10, and AP.
PRECISION = (100, 100, 66, 75, 60, 66, 57, 50, 44, 50)
RECALL = (20, 40, 40, 60, 60, 80, 80, 80, 80, 100)
AP = "0.782"
#: Precision and recall of the first four images, as the post prints them.
FOUR = (0.75, 0.6)
#: Figures that somebody might claim for the list.
CLAIMED = (AP, "0.783", "0.785", "0.803")


def measured(claimed: str | None = None) -> CurveResult:
    """Compute the curve of the bundled list, and which variants give a claimed figure."""
    import consilience as cs

    return cs.curve(cs.example_study("airplanes"), claimed=claimed)


def cut(value: float, decimals: int = 2) -> Decimal:
    """Cut a figure off after some decimals, as the post does; not rounded.

    Examples
    --------
    >>> cut(2 / 3), cut(0.6)
    (Decimal('0.66'), Decimal('0.60'))
    """
    unit = Decimal(1).scaleb(-decimals)
    return Decimal(repr(round(value, 12))).quantize(unit, ROUND_DOWN)


def of_cut_precisions(curve: CurveResult) -> Decimal:
    """Add up the step sum from precisions of two decimals, cut off, as the post does."""
    rises = [0.0, *curve.recall.tolist()]
    steps = [Decimal(repr(round(b - a, 12))) for a, b in pairwise(rises)]
    cuts = [cut(value) for value in curve.precision.tolist()]
    return sum((p * step for p, step in zip(cuts, steps, strict=True)), Decimal(0))


def tables() -> tuple[Table, ...]:
    """Give the list at every cutoff, its average precisions, and what claimed figures mean."""
    curve = measured()
    rows = zip(
        range(1, 11),
        PRECISION,
        (100 * curve.precision).tolist(),
        RECALL,
        (100 * curve.recall).tolist(),
        strict=True,
    )
    return (
        Table(
            "The post's list: precision and recall in percent at every cutoff",
            (
                Column("first", "head"),
                Column("precision, paper", "count"),
                Column("precision, ours", digits=1),
                Column("recall, paper", "count"),
                Column("recall, ours", digits=1),
            ),
            tuple((str(k), *cells) for k, *cells in rows),
        ),
        Table(
            "Average precision of the post's list, under five meanings",
            (Column("variant", "head"), Column("paper", digits=3), Column("ours", digits=6)),
            tuple(
                (name, float(AP) if name == "step" else None, value)
                for name, value in curve.ap.items()
            ),
        ),
        Table(
            "Which variant gives a claimed figure of this list",
            (
                Column("claimed", "head"),
                Column("variants that give it, rounded or cut off", "text"),
            ),
            tuple((one, ", ".join(measured(one).matches or ()) or "none") for one in CLAIMED),
        ),
    )


def findings() -> tuple[Finding, ...]:
    """Hold every figure that the post prints against ours."""
    curve = measured()
    cuts = [int(100 * cut(value)) for value in curve.precision.tolist()]
    printed = [ours == theirs for ours, theirs in zip(cuts, PRECISION, strict=True)]
    recalled = [round(100 * r) == q for r, q in zip(curve.recall.tolist(), RECALL, strict=True)]
    four = float(curve.precision[3]), float(curve.recall[3])
    step, again = curve.ap["step"], of_cut_precisions(curve)
    found = measured(AP).matches or ()
    return (
        Finding(
            "precision and recall at ten cutoffs",
            "66%, 57% and 44% among them",
            f"{sum(printed)} of 10 precisions (cut off to whole percent) and {sum(recalled)} of 10 "
            "recalls are the same",
            all(printed) and all(recalled),
        ),
        Finding(
            "the first four images",
            f"precision {FOUR[0]}, recall {FOUR[1]}",
            f"precision {four[0]:.2f}, recall {four[1]:.2f}",
            max(abs(a - b) for a, b in zip(four, FOUR, strict=True)) < 1e-9,
        ),
        Finding(
            "average precision of the list",
            AP,
            f"{step:.6f}; {AP} is given by {', '.join(found) or 'no variant'}",
            bool(found),
            "the post cuts precisions off to two decimals before it adds them up; added up so, "
            f"they give {again:.3f}",
        ),
    )


def figure() -> Figure:
    """Draw precision over recall, as it is and as it is interpolated."""
    curve = measured()
    shown, highest = curve.precision.tolist(), 0.0
    interpolated = []
    for value in reversed(shown):
        highest = max(highest, value)
        interpolated.append(highest)
    rows = [
        {"curve": name, "recall": recall, "precision": value}
        for name, values in (("as observed", shown), ("interpolated", interpolated[::-1]))
        for recall, value in zip(curve.recall.tolist(), values, strict=True)
    ]
    return Figure(
        "curve",
        "The post's list: precision at every recall, and the highest precision from there on",
        "Lines: precision over recall of ten images, as observed and interpolated.",
        tuple(rows),
        Axis("recall", "recall", (0.0, 1.0)),
        Axis("precision", "precision", (0.0, 1.05)),
        series="curve",
    )
