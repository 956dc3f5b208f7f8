"""Whether the order of systems depends on which average precision is meant.

Three sets of systems answer it:

- :func:`derived`: detectors made of one published set of detections by what people do to
  detections: low scores dropped, a few boxes an image kept, overlapping boxes dropped, scores
  rounded or left out, coordinates rounded; and by what may go wrong: boxes a little off, or too
  large. They are made, not found. One more is the boxes around masks of a second published file.
- 143 real runs of TREC-COVID, and eight real keyphrase extractors: ranked lists like any other.

Two systems *change places* where one is ahead by one figure and behind by another. Whether that
is more than chance is told by the probabilities of both orders: classes or topics drawn anew
(:func:`consilience.rank`) for the five variants, images drawn anew for COCO's figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from consilience.experiments.which_ap.boxes import MEASURES, as_study, ranked

if TYPE_CHECKING:
    from pathlib import Path

    from consilience.study import Study
    from consilience.verdict.boxes import DetectionResult

#: A detection as COCO writes it.
Box: TypeAlias = "dict[str, Any]"
#: The systems and what they are; the first two are files as they were published.
ABOUT = {
    "as published": "the detections as they are",
    "boxes of masks": "the boxes around the masks that were published beside them",
    "scores from 0.2": "detections with lower scores are dropped",
    "scores from 0.5": "the same from 0.5 on",
    "five an image": "the five highest scores of every image",
    "overlap at most 0.3": "of two boxes that overlap more, the lower score is dropped",
    "scores in tenths": "scores are rounded to one decimal",
    "scores left out": "all detections have the same score",
    "whole pixels": "coordinates are rounded",
    "moved by 5%": "boxes are moved at random, by 5% of their sides (standard deviation)",
    "15% too large": "boxes are 15% too wide and too high, about the same middle",
}
#: COCO's figures of a system, by what sets them apart from each other.
OVERLAPS = ("AP50", "AP75", "AP")


def derived(found: Sequence[Box], masks: Sequence[Box], *, seed: int) -> dict[str, list[Box]]:
    """Make the systems of one set of detections; ``masks`` is the second published one."""
    rng = np.random.default_rng(seed)
    whole = [{**one, "bbox": [float(round(x)) for x in one["bbox"]]} for one in found]
    return {
        "as published": list(found),
        "boxes of masks": list(masks),
        "scores from 0.2": [one for one in found if one["score"] >= 0.2],
        "scores from 0.5": [one for one in found if one["score"] >= 0.5],
        "five an image": _first(found, 5),
        "overlap at most 0.3": _apart(found, 0.3),
        "scores in tenths": [{**one, "score": round(one["score"], 1)} for one in found],
        "scores left out": [{**one, "score": 1.0} for one in found],
        "whole pixels": [one for one in whole if min(one["bbox"][2:]) > 0],
        "moved by 5%": [_moved(one, 0.05 * rng.normal(size=2)) for one in found],
        "15% too large": [_grown(one, 1.15) for one in found],
    }


def _first(found: Sequence[Box], most: int) -> list[Box]:
    """Keep the highest scores of every image."""
    images: dict[Any, list[Box]] = {}
    for one in found:
        images.setdefault(one["image_id"], []).append(one)
    return [
        one
        for boxes in images.values()
        for one in sorted(boxes, key=lambda one: -float(one["score"]))[:most]
    ]


def _apart(found: Sequence[Box], most: float) -> list[Box]:
    """Drop boxes that overlap one of a higher score, of the same image and class, by more."""
    groups: dict[Any, list[Box]] = {}
    for one in sorted(found, key=lambda one: -float(one["score"])):
        kept = groups.setdefault((one["image_id"], one["category_id"]), [])
        if all(share(one["bbox"], other["bbox"]) <= most for other in kept):
            kept.append(one)
    return [one for kept in groups.values() for one in kept]


def share(a: Sequence[float], b: Sequence[float]) -> float:
    """Give the share of their union that two boxes have in common.

    Examples
    --------
    >>> round(share([0, 0, 10, 10], [5, 0, 10, 10]), 4)
    0.3333
    """
    from consilience.match.boxes import overlaps

    return float(overlaps(np.array([a], float), np.array([b], float), np.zeros(1, bool))[0])


def _moved(one: Box, by: Any) -> Box:
    left, top, width, height = one["bbox"]
    return {**one, "bbox": [left + by[0] * width, top + by[1] * height, width, height]}


def _grown(one: Box, times: float) -> Box:
    left, top, width, height = one["bbox"]
    more = (times - 1) / 2
    box = [left - more * width, top - more * height, times * width, times * height]
    return {**one, "bbox": box}


def compared(results: Mapping[str, DetectionResult], *, seed: int) -> dict[str, Any]:
    """Give every system's figures and, two by two, differences and how sure the order is.

    ``pairs`` holds [a, b, {figure: [difference, P(a ahead)]}]: the five variants over classes drawn
    anew, COCO's three figures over images drawn anew.
    """
    names = list(results)
    study = as_study({name: ranked(one) for name, one in results.items()})
    figures: dict[str, dict[str, float]] = {name: {} for name in names}
    pairs: dict[tuple[str, str], dict[str, list[float]]] = {
        pair: {} for pair in combinations(names, 2)
    }
    for figure, (values, found) in {
        **_by_classes(study, seed),
        **_by_images(results, seed),
    }.items():
        for name, value in values.items():
            figures[name][figure] = value
        for (a, b), told in found.items():
            pairs[a, b][figure] = told
    return {"figures": figures, "pairs": [[a, b, told] for (a, b), told in pairs.items()]}


#: Each system's value; and for each two systems the difference and P(first ahead).
Told: TypeAlias = "tuple[dict[str, float], dict[tuple[str, str], list[float]]]"


def _by_classes(study: Study, seed: int) -> dict[str, Told]:
    import consilience as cs

    order = {name: place for place, name in enumerate(study.systems)}
    made = {}
    for figure, measure in MEASURES.items():
        verdict = cs.rank(study, measures=[measure], seed=seed)
        values = {one.name: one.scores[measure].value for one in verdict.standings}
        found = {}
        for one in verdict.pairs:
            if order[one.a] < order[one.b]:
                found[one.a, one.b] = [one.difference, one.p_a_beats_b]
            else:
                found[one.b, one.a] = [-one.difference, 1 - one.p_a_beats_b]
        made[figure] = (values, found)
    return made


def _by_images(results: Mapping[str, DetectionResult], seed: int) -> dict[str, Told]:
    """Draw the same images anew for all systems, as :func:`consilience.detections` does."""
    from consilience.measures.detection_ap import detection_scores
    from consilience.measures.detection_drawn import drawn_ap
    from consilience.verdict.pairs import compare

    names = list(results)
    draws: dict[str, list[Any]] = {figure: [] for figure in OVERLAPS}
    values: dict[str, list[float]] = {figure: [] for figure in OVERLAPS}
    for one in results.values():
        both = one.both
        labels, images = len(both.classes), len(both.images)
        drawn = drawn_ap(both.gold, both.predicted, images=images, labels=labels, seed=seed)
        summary = detection_scores(both.gold, both.predicted, labels=labels).summary()
        for figure, column in zip(OVERLAPS, (drawn[:, 0], drawn[:, 5], drawn.mean(1)), strict=True):
            draws[figure].append(column)
            values[figure].append(summary[figure])
    made: dict[str, Told] = {}
    for figure in OVERLAPS:
        columns = np.stack(draws[figure], axis=1)
        found = compare(columns, values=values[figure], names=names, tail=None)
        told = {(one.a, one.b): [one.difference, one.p_a_beats_b] for one in found}
        made[figure] = (dict(zip(names, values[figure], strict=True)), told)
    return made


def of_runs(folder: Path, *, seed: int, size: int | None = None) -> dict[str, Any]:
    """Rank the runs of TREC-COVID by the five variants; with ``size`` so many runs only."""
    import consilience as cs
    from consilience import progress

    files = sorted((folder / "runs_top100").iterdir())[:size]
    study = cs.read(files, truth=folder / "qrels.txt")
    order = {name: place for place, name in enumerate(study.systems)}
    means: dict[str, list[float]] = {}
    chance: dict[str, dict[tuple[str, str], float]] = {}
    for place, (figure, measure) in enumerate(MEASURES.items(), start=1):
        verdict = cs.rank(study, measures=[measure], seed=seed)
        values = {one.name: one.scores[measure].value for one in verdict.standings}
        means[figure] = [values[name] for name in study.systems]
        chance[figure] = {
            (one.a, one.b) if order[one.a] < order[one.b] else (one.b, one.a): one.p_a_beats_b
            if order[one.a] < order[one.b]
            else 1 - one.p_a_beats_b
            for one in verdict.pairs
        }
        progress.report(place, len(MEASURES))
    return {
        "systems": list(study.systems),
        "queries": len(study.queries),
        "means": {name: [round(value, 8) for value in row] for name, row in means.items()},
        "surest": [
            [a, b, *_surest(study.systems, means, chance, a, b)]
            for a, b in combinations(MEASURES, 2)
        ],
    }


def _surest(
    names: Sequence[str],
    means: Mapping[str, Sequence[float]],
    chance: Mapping[str, Mapping[tuple[str, str], float]],
    a: str,
    b: str,
) -> list[Any]:
    """Give the two systems that change places most surely: names and both probabilities."""
    best: list[Any] = [None, None, 0.0, 0.0]
    for one, other in changes(means[a], means[b]):
        pair = names[one], names[other]
        p, q = chance[a][pair], chance[b][pair]
        if means[a][one] < means[a][other]:
            p = 1 - p
        else:
            q = 1 - q
        if min(p, q) > min(best[2:]):
            best = [*pair, p, q]
    return best


def changes(a: Sequence[float], b: Sequence[float]) -> list[tuple[int, int]]:
    """Give the pairs that stand one way by one figure and the other way by another.

    Examples
    --------
    >>> changes([0.5, 0.4, 0.3], [0.4, 0.5, 0.1])
    [(0, 1)]
    """
    return [
        (one, other)
        for one, other in combinations(range(len(a)), 2)
        if (a[one] - a[other]) * (b[one] - b[other]) < 0
        and min(abs(a[one] - a[other]), abs(b[one] - b[other])) > 1e-9
    ]


def false_gains(old: Sequence[float], new: Sequence[float]) -> tuple[int, int]:
    """Count pairs in which who is behind by one figure seems ahead by another one of its own.

    Of all pairs (a behind b by ``old``), how many have ``new`` of a above ``old`` of b.

    Examples
    --------
    >>> false_gains([0.50, 0.52, 0.60], [0.55, 0.57, 0.65])
    (1, 3)
    """
    behind = [(a, b) for a in range(len(old)) for b in range(len(old)) if old[a] < old[b] - 1e-9]
    return sum(new[a] > old[b] for a, b in behind), len(behind)
