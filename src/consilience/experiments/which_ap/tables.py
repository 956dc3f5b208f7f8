"""Tables of detections under every convention, and of systems under every figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from consilience.experiments.reproduced import Column, Table
from consilience.experiments.which_ap.boxes import TWELVE
from consilience.experiments.which_ap.systems import ABOUT, changes, false_gains
from consilience.measures.names import AP_VARIANTS as VARIANTS
from consilience.render.words import chance

#: What Object-Detection-Metrics publishes of its example at IoU 0.3, in percent.
PADILLA = {"interpolated": 24.57, "11-point": 26.84}
#: The variants that may make a system behind seem ahead of a step sum.
BEHIND = ("interpolated", "11-point", "101-point")
#: How far the order of equal scores moves a figure.
TIES = ("equal scores, best order", "equal scores, worst order")
#: Programs on the same lists: a short name, which of our figures is theirs, what is between.
PROGRAMS = {
    "trec_eval map (pytrec_eval)": ("trec_eval map", "step", ""),
    "ir_measures AP": ("ir_measures AP", "step", ""),
    "scikit-learn, times the share found": ("scikit-learn × share found", "step", ""),
    "scikit-learn, what was returned": ("scikit-learn", "step", "not told what was missed"),
    "scikit-learn, missed boxes last": (
        "scikit-learn, missed last",
        "step",
        "all is found in the end",
    ),
    "trec_eval 11pt_avg (pytrec_eval)": (
        "trec_eval 11pt_avg",
        "11-point",
        "levels in whole boxes ¹",
    ),
}
#: Conventions beside the variants, in plain words.
CONVENTIONS = {
    "equal scores, best order": "right detections before false ones of the same score",
    "equal scores, worst order": "false ones before right ones",
    "VOC's matching": "a detection goes to the box it overlaps most, taken or not",
    "crowds are boxes": "regions marked as crowds must be found like single boxes",
    "pixels are counted": "a box from 10 to 12 is 3 wide",
    "missed boxes forgotten": "recall counts only true boxes that were found at all",
}
NAMES = {
    "step": "Σ P(k) Δr(k): trec_eval, ir_measures",
    "interpolated": "the highest precision from there on: VOC from 2010",
    "11-point": "the same at recall 0, 0.1 … 1: VOC 2007",
    "101-point": "the same at recall 0, 0.01 … 1: COCO",
    "trapezoid": "area by trapezoids",
}

__all__ = ["VARIANTS"]


def base(output: Mapping[str, Any], variant: str) -> float:
    """Give AP of COCO's example at IoU 0.5 by one of the variants."""
    return float(output["conventions"][variant])


def places(output: Mapping[str, Any]) -> list[tuple[str, float]]:
    """Give AP at IoU 0.5 under every variant and convention, highest first; short names."""
    found = {
        name.replace("equal scores", "ties"): value for name, value in output["conventions"].items()
    }
    return sorted(found.items(), key=lambda one: -one[1])


def changed(means: Mapping[str, Sequence[float]], one: str, other: str) -> list[tuple[int, int]]:
    """Give the pairs of systems that change places between two figures."""
    return changes(means[one], means[other])


def detection_tables(
    output: Mapping[str, Any], boxes: Mapping[str, Mapping[str, float]]
) -> tuple[Table, ...]:
    """Give Padilla's example, COCO's twelve figures, other programs, and conventions."""
    return (_padilla(boxes), _twelve(output), _programs(output), _conventions(output))


def _padilla(boxes: Mapping[str, Mapping[str, float]]) -> Table:
    return Table(
        "Padilla's example at IoU 0.3, in percent: 24 detections, 15 true boxes",
        (
            Column("variant", "head"),
            Column("published"),
            Column("ours, pixels counted"),
            Column("ours, continuous"),
        ),
        tuple(
            (name, PADILLA.get(name), 100 * boxes["pixels"][name], 100 * boxes["continuous"][name])
            for name in (*VARIANTS, *TIES)
        ),
        note="Equal scores: by COCO's 101 points, in the best and in the worst order for it.",
    )


def _twelve(output: Mapping[str, Any]) -> Table:
    facts = output["facts"]
    return Table(
        f"COCO's figures of {facts['detections']:,} example detections in {facts['images']} images",
        (
            Column("figure", "head"),
            Column("published", digits=3),
            Column("pycocotools", digits=6),
            Column("ours", digits=6),
            Column("95% over images", "span", digits=3),
        ),
        tuple(
            (
                *(name, output["published"][name], output["pycocotools"][name]),
                *(output["ours"][name], output["intervals"].get(name)),
            )
            for name in TWELVE
        ),
        note=f"Intervals: {facts['images']} images drawn anew.",
    )


def _programs(output: Mapping[str, Any]) -> Table:
    ours = output["conventions"]
    rows: list[tuple[Any, ...]] = [
        (PROGRAMS[name][0], value, PROGRAMS[name][1], ours[PROGRAMS[name][1]], PROGRAMS[name][2])
        for name, value in sorted(
            output["peers"].items(), key=lambda one: list(PROGRAMS).index(one[0])
        )
    ]
    rows.append(
        (
            "pycocotools AP50",
            output["pycocotools"]["AP50"],
            "101-point",
            ours["101-point"],
            "levels as floating point ²",
        )
    )
    return Table(
        "Other programs on the same ranked lists, one a class: AP at IoU 0.5",
        (
            Column("program", "head"),
            Column("theirs", digits=6),
            Column("our name", "text"),
            Column("ours", digits=6),
            Column("what is between", "text"),
        ),
        tuple(rows),
        note="Detections were matched once, as COCO does; averages over classes; trec_eval by "
        "pytrec_eval. ¹ A level of recall is reached by ⌊level × boxes + 0.9⌋ boxes. ² Some levels "
        "lie a little above the recall that they stand for, which is then missed.",
    )


def _conventions(output: Mapping[str, Any]) -> Table:
    usual = base(output, "101-point")
    return Table(
        "One thing changed at a time: AP of the same detections at IoU 0.5",
        (
            Column("convention", "head"),
            Column("AP", digits=4),
            Column("less or more than COCO's", digits=4),
            Column("what it is", "text"),
        ),
        tuple(
            (name, value, value - usual, (NAMES | CONVENTIONS)[name])
            for name, value in output["conventions"].items()
        ),
        note="From equal scores on: by COCO's 101 points.",
    )


def flips(
    output: Mapping[str, Any], one: str, other: str
) -> list[tuple[str, str, list[float], list[float]]]:
    """Give derived systems that change places between two figures: who, and both figures told.

    Of a pair the first is ahead by the first figure. Of a single class there are no orders.
    """
    made = []
    for a, b, told in output["systems"]["pairs"]:
        if one not in told or other not in told:
            continue
        (gap, p), (other_gap, q) = told[one], told[other]
        if gap * other_gap < 0 and min(abs(gap), abs(other_gap)) > 1e-9:
            if gap > 0:
                made.append((a, b, [gap, p], [other_gap, q]))
            else:
                made.append((b, a, [-gap, 1 - p], [-other_gap, 1 - q]))
    return made


def system_tables(
    output: Mapping[str, Any], words: Mapping[str, Sequence[float]]
) -> tuple[Table, ...]:
    """Give derived detectors, who changes places, and improvements that are none."""
    return (_systems(output), _changes(output, words), _flipped(output), _gains(output))


def _systems(output: Mapping[str, Any]) -> Table:
    told = output["systems"]["figures"]
    figures = (*VARIANTS, "AP75", "AP")
    return Table(
        f"{len(told)} detectors: two published files, the others derived from the first; variants "
        "at IoU 0.5",
        (Column("detector", "head"), *(Column(name, digits=3) for name in figures)),
        tuple((name, *(one[figure] for figure in figures)) for name, one in told.items()),
        note="; ".join(f"{name}: {what}" for name, what in ABOUT.items()) + ".",
    )


def _changes(output: Mapping[str, Any], words: Mapping[str, Sequence[float]]) -> Table:
    import consilience as cs

    runs = output["runs"]
    n, m = len(runs["systems"]), len(words["step"])
    surest = {(a, b): (p, q) for a, b, _, _, p, q in runs["surest"]}
    rows = [
        (
            f"{a} and {b}",
            len(changed(runs["means"], a, b)),
            cs.kendall(runs["means"][a], runs["means"][b]),
            " and ".join(chance(p) for p in surest[a, b]) if any(surest[a, b]) else "–",
            len(changes(words[a], words[b])),
        )
        for a, b in combinations(VARIANTS, 2)
    ]
    return Table(
        f"Who changes places between two variants: {n} runs of TREC-COVID ({n * (n - 1) // 2:,} "
        f"pairs, {runs['queries']} topics), {m} keyphrase extractors ({m * (m - 1) // 2} pairs)",
        (
            Column("variants", "head"),
            Column("pairs of runs", "count"),
            Column("Kendall's τ of runs", digits=3),
            Column("surest change: P of both orders", "text"),
            Column("pairs of extractors", "count"),
        ),
        tuple(rows),
        note="The surest change: the pair whose two orders have the highest probabilities, each by "
        "its own variant; topics drawn anew. A change that counts would have both near 1.",
    )


def _flipped(output: Mapping[str, Any]) -> Table:
    rows = [
        (a, b, gap, chance(p), -other, chance(1 - q))
        for a, b, (gap, p), (other, q) in flips(output, "AP50", "AP")
    ]
    return Table(
        "Detectors that change places between AP50 and AP",
        (
            Column("ahead in AP50", "head"),
            Column("ahead in AP", "head"),
            Column("by, AP50", digits=4),
            Column("P", "text"),
            Column("by, AP", digits=4),
            Column("P of that", "text"),
        ),
        tuple(rows),
        note=f"P: {output['facts']['images']} images drawn anew, the same for all detectors.",
    )


def _gains(output: Mapping[str, Any]) -> Table:
    means = output["runs"]["means"]
    rows = []
    for name in VARIANTS:
        count, of = false_gains(means["step"], means[name])
        gain = sum(b - a for a, b in zip(means["step"], means[name], strict=True))
        rows.append((name, gain / len(means["step"]), count, of, count / max(of, 1)))
    return Table(
        "A run behind by the step sum, measured by another variant than its rival",
        (
            Column("its variant", "head"),
            Column("mean gain", digits=4),
            Column("seems ahead", "count"),
            Column("of pairs", "count"),
            Column("share", digits=3),
        ),
        tuple(rows),
    )
