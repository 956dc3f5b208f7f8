"""Detections as plain data: the keys of ``soft``, and average precision beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.measures.detection import AREAS
from consilience.measures.detection_ap import NO_TRUTH, RECALLS, mean
from consilience.measures.sets import Counts
from consilience.verdict.payload import number, stamped
from consilience.verdict.resample import METHOD, SAMPLES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.detection import Side
    from consilience.verdict.boxes import Averages, DetectionResult

#: The most boxes, pairs and images that are listed one by one.
MOST = 5_000
#: The most boxes of the image that is drawn, and the most rows of its table of overlaps.
DRAWN, TABLE = 80, 60
_WHY = {"precision": "nothing was detected", "recall": "there is no true box", "f1": "no boxes"}
_NULL = "the same detections, each image's put into another image"


def of_detections(result: DetectionResult) -> dict[str, Any]:
    """Give everything that a comparison of boxes tells (the contract of ``soft --json``)."""
    both, chosen = result.both, result.chosen
    soft, crisp = _figures(result.soft.total()), _figures(result.crisp.total())
    sums = result.soft.total()
    true, found = float(sums.tp + sums.fn), float(sums.tp + sums.fp)
    states = _states(result)
    body: dict[str, Any] = {
        "headline": result.headline,
        "warnings": [],
        "of": "boxes",
        "mode": "instances",
        "variant": "assignment",
        "similarity": {"name": "boxes", "floor": chosen.iou, "background": None, "repairs": []},
        "text": None,
        "names": {"gold": both.names[0], "predicted": both.names[1]},
        "documents": len(both.images),
        "averaged": f"pooled over {len(both.images):,} images",
        **soft,
        "undefined": {
            name: None if value is not None else _WHY[name] for name, value in soft.items()
        },
        "level": chosen.level,
        "intervals": _spans(result.intervals["soft"]),
        "resampling": _resampling(result),
        "null": {**result.null, "how": _NULL, "draws": _null_draws(result)},
        "adjusted": {name: _adjusted(soft[name], result.null[name]) for name in soft},
        "cardinality": {
            "gold": true,
            "predicted": found,
            "union": true + found - float(sums.tp),
            "intersection": float(sums.tp),
        },
        "sizes": {"gold": round(true), "predicted": round(found)},
        "counts": _listed(result, states),
        "pairs": _pairs(result),
        "table": _table(result, states),
        "baselines": _baselines(result),
        "threshold": chosen.iou,
        "per_document": _per_image(result),
        "at_threshold": {
            "iou": chosen.iou,
            **crisp,
            **dict(zip(("matched", "false", "missed"), _whole(result.crisp.total()), strict=True)),
            "intervals": _spans(result.intervals["crisp"]),
        },
        "ap": None if result.ap is None else _ap(result, result.ap),
        "ap_undefined": None if result.ap is not None else "the predicted boxes have no scores",
        "picture": _picture(result, states),
        "settings": {
            "iou": chosen.iou,
            "classes": chosen.classes,
            "max_detections": chosen.max_detections,
            "relative": both.relative,
        },
        "notes": [*result.notes, *_cut(result)],
    }
    return stamped("soft", both, body, seed=chosen.seed)


def _figures(counts: Counts) -> dict[str, float | None]:
    from consilience.verdict.boxes import FIGURES

    return {name: number(float(divide(counts))) for name, divide in FIGURES.items()}


def _whole(counts: Counts) -> tuple[int, int, int]:
    return round(float(counts.tp)), round(float(counts.fp)), round(float(counts.fn))


def _spans(intervals: dict[str, tuple[float, float] | None]) -> dict[str, list[float] | None]:
    return {name: None if one is None else list(one) for name, one in intervals.items()}


def _adjusted(value: float | None, luck: float | None) -> float | None:
    if value is None or luck is None or luck >= 1:
        return None
    return (value - luck) / (1 - luck)


def _null_draws(result: DetectionResult) -> int:
    from consilience.verdict.boxes import NULL_DRAWS

    return NULL_DRAWS if result.null["precision"] is not None else 0


def _resampling(result: DetectionResult) -> dict[str, Any] | None:
    if result.intervals["soft"]["recall"] is None:
        return None
    return {
        "unit": "documents",
        "n": len(result.both.images),
        "samples": SAMPLES,
        "method": METHOD,
        "seed": result.chosen.seed,
    }


class _State:
    """What became of every box: its partner on the other side and what they share."""

    def __init__(self, result: DetectionResult) -> None:
        both, pairs = result.both, result.pairs
        self.gold = np.full(len(both.gold), -1, np.int64)
        self.predicted = np.full(len(both.predicted), -1, np.int64)
        self.gold[pairs.gold] = pairs.predicted
        self.predicted[pairs.predicted] = pairs.gold
        self.shared = np.zeros(len(both.predicted))
        self.shared[pairs.predicted] = pairs.overlap
        self.counts = np.zeros(len(both.predicted), bool)
        self.counts[result.matched.row[~result.matched.ignored[0, 0]]] = True


def _states(result: DetectionResult) -> _State:
    return _State(result)


def _listed(result: DetectionResult, state: _State) -> dict[str, list[dict[str, Any]]]:
    both = result.both
    kept = np.flatnonzero(~both.gold.aside)[:MOST].tolist()
    found = np.flatnonzero(state.counts)[:MOST].tolist()
    return {
        "gold": [
            _entry(result, both.gold, row, both.predicted, int(state.gold[row]), state)
            for row in kept
        ],
        "predicted": [
            _entry(result, both.predicted, row, both.gold, int(state.predicted[row]), state)
            for row in found
        ],
    }


def _entry(
    result: DetectionResult, side: Side, row: int, other: Side, partner: int, state: _State
) -> dict[str, Any]:
    both = result.both
    detected = row if side is both.predicted else partner
    return {
        "document": both.images[int(side.image[row])],
        "item": both.text(side, row),
        "times": 1,
        "count": 1.0,
        "best": None if partner < 0 else both.text(other, partner),
        "similarity": 0.0 if partner < 0 else float(state.shared[detected]),
    }


def _pairs(result: DetectionResult) -> list[dict[str, Any]]:
    both, pairs = result.both, result.pairs
    order = np.argsort(-pairs.overlap, kind="stable")[:MOST]
    return [
        {
            "document": both.images[int(both.gold.image[pairs.gold[place]])],
            "gold": both.text(both.gold, int(pairs.gold[place])),
            "predicted": both.text(both.predicted, int(pairs.predicted[place])),
            "similarity": float(pairs.overlap[place]),
            "score": float(both.predicted.score[pairs.predicted[place]]) if both.scored else None,
        }
        for place in order.tolist()
    ]


def _per_image(result: DetectionResult) -> list[dict[str, Any]]:
    rows = []
    for place, name in enumerate(result.both.images[:MOST]):
        soft, crisp = (
            Counts(*(getattr(one, key)[place] for key in ("tp", "fp", "fn", "tn")))
            for one in (result.soft, result.crisp)
        )
        matched, false, missed = _whole(crisp)
        rows.append(
            {
                "document": name,
                "gold": matched + missed,
                "predicted": matched + false,
                **_figures(soft),
                "matched": matched,
                "false": false,
                "missed": missed,
            }
        )
    return rows


def _baselines(result: DetectionResult) -> list[dict[str, Any]]:
    from consilience.measures.detection import match

    both, chosen = result.both, result.chosen
    made = []
    for bar in dict.fromkeys((chosen.iou, 0.75, 0.9)):
        found = match(
            both.gold,
            both.predicted,
            thresholds=[bar],
            max_detections=chosen.max_detections,
            classes=chosen.classes,
        )
        hits, false = int(found.hit.sum()), int(found.false.sum())
        true = int(found.counted[0].sum())
        counts = Counts.of(hits, false, true - hits, 0.0)
        label = f"at IoU {bar:g}"
        made.append({"name": f"iou:{bar:g}", "label": label, **_figures(counts)})
    return made


def _ap(result: DetectionResult, ap: Averages) -> dict[str, Any]:
    scores = ap.scores
    summary = scores.summary()
    most = result.chosen.max_detections
    every = int(np.argmax([one == ("all", most) for one in scores.limits]))
    curves = scores.precision[0]
    return {
        "summary": {name: number(value) for name, value in summary.items()},
        "undefined": {
            name: NO_TRUTH if np.isnan(value) else None for name, value in summary.items()
        },
        "intervals": _spans(ap.intervals),
        "draws": ap.draws,
        "max_detections": most,
        "areas": {name: list(limits) for name, limits in AREAS.items()},
        "per_iou": [
            {
                "iou": round(float(bar), 2),
                "ap": number(mean(scores.ap(iou=float(bar)))),
                "ar": number(mean(scores.ar(every, iou=float(bar)))),
            }
            for bar in scores.thresholds
        ],
        "per_class": _per_class(result, ap, every),
        "variants": {
            "iou": result.chosen.iou,
            **{
                rule: {name: number(mean(values)) for name, values in known.items()}
                for rule, known in ap.variants.items()
            },
        },
        "curves": [
            {
                "iou": round(float(bar), 2),
                "precision": [number(value) for value in _mean_curve(curves[place])],
            }
            for place, bar in enumerate(scores.thresholds)
        ],
        "recall_points": [round(float(value), 2) for value in RECALLS],
        "classes": int((~np.isnan(scores.ap())).sum()),
    }


def _mean_curve(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average the curves of all classes that have one (points of recall × classes)."""
    known = curve[:, ~np.isnan(curve[0])]
    return np.asarray(known.mean(axis=1)) if known.shape[1] else np.full(len(curve), np.nan)


def _per_class(result: DetectionResult, ap: Averages, every: int) -> list[dict[str, Any]]:
    both, chosen, scores = result.both, result.chosen, ap.scores
    names = both.classes if chosen.classes else ("all classes",)
    kept = both.gold.label[~both.gold.aside]
    label = both.predicted.label
    if not chosen.classes:
        kept, label = np.zeros(len(kept), np.int64), np.zeros(len(label), np.int64)
    true, found = (np.bincount(one, minlength=len(names)) for one in (kept, label))
    columns = {
        "AP": scores.ap(),
        "AP50": scores.ap(iou=0.5),
        "AP75": scores.ap(iou=0.75),
        "AR": scores.ar(every),
        "interpolated": ap.variants["coco"]["interpolated"],
    }
    return [
        {
            "class": name,
            "gold": int(true[place]),
            "predicted": int(found[place]),
            **{key: number(float(values[place])) for key, values in columns.items()},
            "undefined": None if true[place] else "no true box of this class",
        }
        for place, name in enumerate(names)
        if true[place] or found[place]
    ]


def _shown_image(result: DetectionResult) -> int | None:
    """Choose the image to be drawn: the one with most right and wrong that is not too full."""
    crisp = result.crisp
    boxes = crisp.tp + crisp.fp + crisp.fn
    told = np.where(boxes <= DRAWN, np.minimum(crisp.tp, crisp.fp + crisp.fn) + boxes / 1000, 0.0)
    return int(np.argmax(told)) if len(told) and told.max() > 0 else None


def _picture(result: DetectionResult, state: _State) -> dict[str, Any] | None:
    """Give the boxes of one image: which were found, which were missed, which are false."""
    image = _shown_image(result)
    if image is None:
        return None
    both = result.both
    drawn = []
    for side, name in ((both.gold, "gold"), (both.predicted, "predicted")):
        mine = side.image == image
        mine &= ~side.aside if name == "gold" else state.counts
        partners = state.gold if name == "gold" else state.predicted
        for row in np.flatnonzero(mine).tolist():
            partner = int(partners[row])
            detected = partner if name == "gold" else row
            left, top, width, height = side.box[row].tolist()
            missing = "missed" if name == "gold" else "false"
            drawn.append(
                {
                    "side": name,
                    "class": both.classes[int(side.label[row])],
                    "box": [left, top, width, height],
                    "score": float(side.score[row])
                    if name == "predicted" and both.scored
                    else None,
                    "state": missing if partner < 0 else "matched",
                    "iou": None if partner < 0 else float(state.shared[detected]),
                }
            )
    return {"document": both.images[image], "boxes": drawn}


def _table(result: DetectionResult, state: _State) -> dict[str, Any] | None:
    """Give the overlaps of all boxes of the image that is drawn."""
    from consilience.match.boxes import overlaps

    image = _shown_image(result)
    if image is None:
        return None
    both, classes = result.both, result.chosen.classes
    gold = np.flatnonzero((both.gold.image == image) & ~both.gold.aside)[:TABLE]
    found = np.flatnonzero((both.predicted.image == image) & state.counts)[:TABLE]
    left, right = np.repeat(gold, len(found)), np.tile(found, len(gold))
    shared = overlaps(both.predicted.box[right], both.gold.box[left], np.zeros(len(left), bool))
    if classes:
        shared = np.where(both.gold.label[left] == both.predicted.label[right], shared, 0.0)
    return {
        "document": both.images[image],
        "gold": [both.text(both.gold, row) for row in gold.tolist()],
        "predicted": [both.text(both.predicted, row) for row in found.tolist()],
        "similarity": shared.reshape(len(gold), len(found)).tolist(),
    }


def _cut(result: DetectionResult) -> list[str]:
    both = result.both
    longest = max(len(both.gold), len(both.predicted), len(both.images))
    if longest <= MOST:
        return []
    return [f"boxes, pairs and images are listed one by one up to {MOST:,}; figures count all"]
