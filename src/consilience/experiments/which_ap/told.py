"""What detections, runs and extractors tell of average precision: findings, figures, headline."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, TypeAlias

from consilience.experiments.reproduced import Axis, Figure, Finding, Table
from consilience.experiments.which_ap.post import measured
from consilience.experiments.which_ap.systems import ABOUT, changes, false_gains
from consilience.experiments.which_ap.tables import (
    BEHIND,
    PADILLA,
    PROGRAMS,
    VARIANTS,
    base,
    changed,
    detection_tables,
    flips,
    places,
    system_tables,
)
from consilience.render.words import chance

#: What was recorded.
Output: TypeAlias = "Mapping[str, Any]"
#: Derived systems that tell how much the scores say.
SCORED = {
    "scores in tenths": "scores in tenths",
    "scores left out": "none",
    "scores from 0.5": "those from 0.5 on alone",
}
#: An order is sure from this probability on.
SURE = 0.95
#: Files as they were published, not derived.
PUBLISHED = {"as published", "boxes of masks"}
#: Half a unit of the last digit that COCO prints, and the images that its figures are of.
ROUNDING, IMAGES = 0.0005 + 1e-9, 100


def tables(
    output: Output, boxes: Mapping[str, Mapping[str, float]], words: Mapping[str, Sequence[float]]
) -> tuple[Table, ...]:
    """Give detections under every convention, and systems under every figure."""
    return (*detection_tables(output, boxes), *system_tables(output, words))


def sure(found: list[tuple[str, str, list[float], list[float]]]) -> list[Any]:
    """Keep those whose order is sure by both figures, the surest first."""
    kept = [one for one in found if one[2][1] >= SURE and one[3][1] <= 1 - SURE]
    return sorted(kept, key=lambda one: -min(one[2][1], 1 - one[3][1]))


def findings(
    output: Output, boxes: Mapping[str, Mapping[str, float]], words: Mapping[str, Sequence[float]]
) -> tuple[Finding, ...]:
    """Hold what the post says, and what programs publish, against what came out."""
    return (
        _padilla(boxes),
        _coco(output),
        _others(output),
        _never_lower(output),
        _false_gains(output),
        _same_figure(output, words),
        _overlap(output),
    )


def _padilla(boxes: Mapping[str, Mapping[str, float]]) -> Finding:
    ours, plain = boxes["pixels"], boxes["continuous"]
    apart = max(abs(100 * ours[name] - value) for name, value in PADILLA.items())
    return Finding(
        "Padilla's worked example at IoU 0.3 (a published figure, not the post's)",
        ", ".join(f"{name} {value:.2f}%" for name, value in PADILLA.items()),
        ", ".join(f"{name} {100 * ours[name]:.2f}%" for name in PADILLA)
        + f" with boxes counted in pixels; {100 * plain['interpolated']:.2f}% with continuous "
        "coordinates, as COCO has them",
        apart < 0.005 + 1e-9,
    )


def _coco(output: Output) -> Finding:
    printed, theirs, ours = (output[key] for key in ("published", "pycocotools", "ours"))
    known = [name for name in printed if ours[name] is not None]
    off = max(abs(printed[name] - ours[name]) for name in known)
    exact = max(abs(theirs[name] - ours[name]) for name in known)
    whole = output["facts"]["images"] == IMAGES
    return Finding(
        "COCO's twelve figures of its example results (published, not the post's)",
        f"AP {printed['AP']:.3f}, AP50 {printed['AP50']:.3f}, AP75 {printed['AP75']:.3f}",
        f"AP {ours['AP']:.3f}, AP50 {ours['AP50']:.3f}, AP75 {ours['AP75']:.3f}; all "
        f"{len(known)} are within {off:.4f} of the printed ones and within {exact:.0e} of what "
        "pycocotools computes",
        (off <= ROUNDING and exact < 1e-9) if whole else None,
        "" if whole else f"the published figures are of {IMAGES} images",
    )


def _others(output: Output) -> Finding:
    peers, ours = output["peers"], output["conventions"]
    same = ("trec_eval map (pytrec_eval)", "ir_measures AP", "scikit-learn, times the share found")
    exact = max(abs(peers[name] - ours["step"]) for name in same)
    others = " and ".join(f"{peers[name]:.4f} by {PROGRAMS[name][0]}" for name in same[:2])
    bare = peers["scikit-learn, what was returned"]
    return Finding(
        "the step sum is what retrieval programs call average precision",
        "Σ P(k) Δr(k)",
        f"{ours['step']:.4f} by ours, {others}; scikit-learn says {bare:.4f} of the same lists",
        exact < 1e-9,
        "the post gives the formula and names no program. Scikit-learn sees what was returned and "
        "not the boxes that were missed; its figure times the share of boxes found, class by "
        f"class, gives {peers[same[2]]:.4f}",
    )


def _never_lower(output: Output) -> Finding:
    step, interpolated = (output["classes"][name] for name in ("step", "interpolated"))
    gaps = [b - a for a, b in zip(step, interpolated, strict=True)]
    higher = sum(gap > 1e-12 for gap in gaps)
    own = measured().ap
    return Finding(
        "interpolation gives a higher average precision",
        "over estimates the precision at many points",
        f"higher in {higher} of {len(gaps)} classes, lower in {sum(gap < -1e-12 for gap in gaps)}, "
        f"by {sum(gaps) / len(gaps):.4f} on average and {max(gaps):.4f} at most; on the post's own "
        f"list by {own['interpolated'] - own['step']:.4f}",
        min(gaps) >= -1e-12 and higher > 0,
    )


def _false_gains(output: Output) -> Finding:
    means = output["runs"]["means"]
    told = {name: false_gains(means["step"], means[name]) for name in BEHIND}
    count, of = told["11-point"]
    return Finding(
        "a figure of one kind held against one of another kind shows improvement where there is "
        "none",
        "would incorrectly show improvement",
        f"of {of:,} pairs of real runs in which one is behind by the step sum, it seems ahead in "
        + ", ".join(
            f"{n:,} ({n / max(of, 1):.0%}) if it alone is measured by {name} AP"
            for name, (n, _) in told.items()
        ),
        count > 0,
    )


def _same_figure(output: Output, words: Mapping[str, Sequence[float]]) -> Finding:
    """See whether any two systems surely change places between the five variants."""
    runs = output["runs"]
    most = max(combinations(VARIANTS, 2), key=lambda two: len(changed(runs["means"], *two)))
    n, moved = len(runs["systems"]), len(changed(runs["means"], *most))
    surest = max(runs["surest"], key=lambda one: min(one[4], one[5]))
    derived = [one for two in combinations(VARIANTS, 2) for one in flips(output, *two)]
    phrases = max(len(changes(words[a], words[b])) for a, b in combinations(VARIANTS, 2))
    settled = min(surest[4], surest[5]) >= SURE or bool(sure(derived))
    moving = {one[:2] for one in derived} | {one[1::-1] for one in derived}
    return Finding(
        "where everybody uses the same variant, it does not matter which",
        "within the competition, this is not an issue",
        f"of {n * (n - 1) // 2:,} pairs of {n} real runs at most {moved:,} change places "
        f"({' and '.join(most)}); the surest change of all has probabilities of "
        f"{chance(surest[4])} for the one order and {chance(surest[5])} for the other (topics "
        f"drawn anew); of the pairs of {len(words['step'])} keyphrase extractors "
        f"{phrases or 'none'} change places; of those of {len(ABOUT)} detectors, most of "
        f"them derived, {len(moving) // 2 or 'none'} ({len(sure(derived)) or 'none'} surely)",
        not settled,
        "the post means that all are measured alike. That their order would be about the same by "
        "another variant goes further, and is what was tried: it would differ if two systems "
        f"changed places with probabilities of {SURE} or more both ways",
    )


def _overlap(output: Output) -> Finding:
    """Tell which derived detectors surely change places between AP50 and COCO's AP."""
    every = sure(flips(output, "AP50", "AP"))
    every.sort(key=lambda one: not {*one[:2]} & PUBLISHED)  # rather two files than two of ours
    pairs = len(output["systems"]["pairs"])
    told = "none does surely"
    if every:
        a, b, (gap, p), (other, q) = every[0]
        told = (
            f"{len(every)} of {pairs} pairs do with 0.95 or more both ways, such as {a}, ahead of "
            f"{b} by {gap:.3f} in AP50 (probability {chance(p)}) and behind by {-other:.3f} in AP "
            f"({chance(1 - q)}; images drawn anew)"
        )
    return Finding(
        "detectors change places between AP50 and COCO's AP (mean over overlaps from 0.50 to 0.95)",
        "",
        told,
        None,
        "the post does not speak of overlap: AP50 does not see how exact boxes are. All but two "
        "detectors are derived",
    )


def headline(output: Output) -> str:
    """Say what came out, in two sentences."""
    ours, all_ = output["ours"], [base(output, name) for name in VARIANTS]
    bare = output["peers"]["scikit-learn, what was returned"]
    runs = output["runs"]
    count, of = false_gains(runs["means"]["step"], runs["means"]["11-point"])
    surest = max(min(one[4], one[5]) for one in runs["surest"])
    order = (
        "no two surely change places between the formulas"
        if surest < SURE
        else "some surely change places between the formulas"
    )
    return (
        f"One set of {output['facts']['detections']:,} detections has an average precision of "
        f"{min(all_):.3f} to {max(all_):.3f} at one overlap, depending on the formula, {bare:.3f} "
        f"if a program is not told what was missed, and {ours['AP']:.3f} as COCO averages it over "
        f"ten overlaps. Of {len(runs['systems'])} real runs {order}, yet in "
        f"{count / max(of, 1):.0%} of their pairs the one behind seems ahead if it alone is "
        "measured at 11 points."
    )


def figures(output: Output) -> tuple[Figure, ...]:
    """Draw conventions, derived systems, and improvements that are none."""
    means = output["runs"]["means"]
    gains = {name: false_gains(means["step"], means[name]) for name in BEHIND}
    rows = [
        {"system": name, "figure": figure, "value": told[figure]}
        for name, told in output["systems"]["figures"].items()
        for figure in ("AP50", "AP")
    ]
    bars = places(output)
    return (
        Figure(
            "conventions",
            "The same detections, one convention changed at a time: AP at IoU 0.5",
            "Dots: average precision of one set of detections under each formula and convention.",
            tuple({"convention": name, "AP": value} for name, value in bars),
            Axis("AP", "average precision at IoU 0.5"),
            Axis("convention", "", names=tuple(name for name, _ in bars)),
            mark="dot",
        ),
        Figure(
            "systems",
            "Detectors, most of them derived from one set of detections: AP50 and COCO's AP",
            "Dots: AP50 and AP of every detector.",
            tuple(rows),
            Axis("value", "average precision", (0.0, _above(row["value"] for row in rows))),
            Axis("system", "", names=tuple(output["systems"]["figures"])),
            mark="dot",
            series="figure",
        ),
        Figure(
            "gains",
            "Real runs that are behind by the step sum and seem ahead by another figure",
            "Bars: share of pairs of runs in which the one that is behind by the step sum has a "
            "higher figure by another variant than the other one's step sum.",
            tuple({"variant": name, "share": n / max(of, 1)} for name, (n, of) in gains.items()),
            Axis(
                "share", "share of pairs", (0.0, _above(n / max(of, 1) for n, of in gains.values()))
            ),
            Axis("variant", "", names=tuple(gains)),
            mark="bar",
        ),
    )


def _above(values: Iterable[float | None]) -> float:
    """Give the end of an axis from zero: the first tenth above all values."""
    return math.floor(10 * max(value or 0.0 for value in values) + 1) / 10


def notes(output: Output) -> tuple[str, ...]:
    """Say what a reader must know of the data."""
    facts, figures = output["facts"], output["systems"]["figures"]
    right, false = (
        "undefined" if facts[key] is None else f"{facts[key]:.2f}"
        for key in ("score_right", "score_false")
    )
    ap50 = {name: figures[name]["AP50"] for name in ("as published", *SCORED)}
    return (
        f"COCO's example results are no detector's: {facts['detections']} boxes near true ones "
        f"({facts['boxes']} in {facts['images']} images) with scores of {right} on average "
        f"where right and {false} where false. AP50 is {ap50['as published']:.3f} with them, "
        + ", ".join(f"{ap50[name]:.3f} with {what}" for name, what in SCORED.items()),
        "runs are scored by their first 100 answers, and what nobody judged counts as not relevant",
        "orders by the five variants: classes or topics drawn anew, 2,000 times; by AP50 and AP: "
        "images drawn anew, 500 times",
    )
