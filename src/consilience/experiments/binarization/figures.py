"""The figures of the experiment on binarizations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consilience.experiments.binarization import measured as by
from consilience.experiments.binarization.experiment import NAMES, PAPER, f_of
from consilience.experiments.reproduced import Axis, Figure

if TYPE_CHECKING:
    from consilience.experiments.binarization.experiment import Everything


def figures(found: Everything) -> tuple[Figure, ...]:
    """Draw the papers' figures beside ours, then F page by page."""
    return (_beside(found), _by_page(found))


def _beside(found: Everything) -> Figure:
    rows: list[dict[str, Any]] = []
    for place, letter in enumerate("PRF"):
        rows += [
            {
                "panel": f"{letter}, paper",
                "pipeline": name,
                "way": way,
                "value": _paper(way, name)[place],
            }
            for way in by.WAYS
            for name in NAMES.values()
        ]
        for way, one in found.ways.items():
            for name in NAMES.values():
                ends = one.interval(name, by.MEASURES[place])
                row: dict[str, Any] = {"panel": f"{letter}, ours", "pipeline": name, "way": way}
                row["value"] = one.value(name, by.MEASURES[place])
                rows.append(row if ends is None else row | {"low": ends[0], "high": ends[1]})
    return Figure(
        "beside",
        "Precision, recall and F: the papers' and ours",
        "Dots for Otsu, Sauvola and Wolf: precision, recall and F with truth, by Method I and by "
        "Method II, the papers' on the left and ours on the right. Lines are 95 % intervals over "
        "pages, with truth only.",
        tuple(rows),
        Axis("pipeline", "", names=tuple(NAMES.values())),
        Axis("value", "average over pages", ends=(0.0, 1.0)),
        mark="dot",
        series="way",
        panel="panel",
    )


def _paper(way: str, name: str) -> tuple[float, float, float]:
    precision, recall = PAPER[way][name]
    return precision or 0.0, recall, f_of(precision or 0.0, recall)


def _by_page(found: Everything) -> Figure:
    rows = []
    for name in NAMES.values():
        truth, agreed = (found.ways[way].pages(name) for way in (by.TRUTH, by.BAG))
        rows += [
            {"page": page, "pipeline": name, "truth": truth[page], "agreed": agreed[page]}
            for page in truth
            if page in agreed
        ]
    return Figure(
        "pages",
        "F of each page, with truth and without",
        "Dots for every page and pipeline: F with truth from left to right, F by agreement (Method "
        "I) from below.",
        tuple(rows),
        Axis("truth", "F with truth", ends=(0.0, 1.0)),
        Axis("agreed", "F without truth, Method I", ends=(0.0, 1.0)),
        mark="dot",
        series="pipeline",
    )
