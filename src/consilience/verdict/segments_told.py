"""Segments against segments as plain data (the contract of ``soft --json``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.measures.durations import Durations, Sums
from consilience.verdict.payload import number, stamped
from consilience.verdict.resample import FEWEST, METHOD, SAMPLES
from consilience.verdict.segment_figures import GRID, Beside, Matched

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.verdict.segments import SegmentResult

#: The most pairs and segments that are listed one by one, and the largest table of IoU.
LISTED, TABLE = 5_000, 60


def of_segments(result: SegmentResult) -> dict[str, Any]:
    """Give segments against segments as plain data."""
    from consilience.verdict.segments import MEASURES, undefined

    chosen, sides, found = result.chosen, result.sides, result.figures
    total, beside = result.total, found.beside
    few = len(sides.documents) < FEWEST
    intervals = {
        name: drawn.interval(drawn.draws[:, 0], chosen.level)
        for name, drawn in result.drawn.items()
    }
    scores, nothing = _scores(total), _random(result)
    gold, predicted, shared = (float(one[0]) for one in (total.gold, total.predicted, total.shared))
    listed = max(len(beside.gold), len(beside.predicted)) > LISTED
    notes = [*result.notes]
    if listed:
        notes.append(f"segments and pairs are listed one by one up to {LISTED:,} of each")
    body: dict[str, Any] = {
        "headline": result.headline,
        "warnings": list(result.warnings),
        "of": "segments",
        "mode": "instances",
        "variant": "duration",
        "similarity": {"name": "segments", "floor": 0.0, "background": None, "repairs": []},
        "text": None,
        "names": {"gold": sides.who[0], "predicted": sides.who[1]},
        "documents": len(sides.documents),
        "averaged": _averaged(len(sides.documents)),
        **scores,
        "undefined": {
            name: undefined(result, name) if scores[name] is None else None for name in MEASURES
        },
        "level": chosen.level,
        "intervals": {name: None if one is None else list(one) for name, one in intervals.items()},
        "resampling": None
        if few
        else {
            "unit": "documents",
            "n": len(sides.documents),
            "samples": SAMPLES,
            "method": METHOD,
            "seed": chosen.seed,
        },
        "null": nothing,
        "adjusted": {name: _adjusted(scores[name], nothing[name]) for name in MEASURES},
        "cardinality": {
            "gold": gold,
            "predicted": predicted,
            "union": gold + predicted - shared,
            "intersection": shared,
        },
        "sizes": {"gold": len(beside.gold), "predicted": len(beside.predicted)},
        "counts": {"gold": _segments(result, 0), "predicted": _segments(result, 1)},
        "pairs": _pairs(result),
        "table": _table(result),
        "baselines": _baselines(result),
        "threshold": chosen.threshold,
        "per_document": _per_document(result),
        "macro": {
            "documents": _mean(found.time.by(found.time.document, len(sides.documents))),
            "classes": _mean(_by_class(result)),
        },
        "classes": _classes(result),
        "events": {
            **_counted(beside.events),
            "onset": chosen.onset,
            "offset": chosen.offset,
        },
        "iou": {
            **_counted(beside.iou),
            "threshold": chosen.threshold,
            "mean": number(beside.iou.pairs.worth.mean()) if len(beside.iou.pairs) else None,
        },
        "boundaries": {
            **_counted(beside.edges),
            "within": chosen.onset,
            "deviation": {
                "gold": _median(beside.deviations[0]),
                "predicted": _median(beside.deviations[1]),
            },
        },
        "grid": {"seconds": GRID, **_scores(_all(found.grid)), "errors": _errors(found.grid)},
        "errors": _errors(found.time),
        "fragments": len(beside.shattered.fragments),
        "merges": len(beside.shattered.merges),
        "missed": gold - shared,
        "false": predicted - shared,
        "collar": chosen.collar,
        "region": None if chosen.region is None else _region(result),
        "labels": chosen.labels,
        "mapping": [
            {
                "document": sides.documents[document],
                "gold": found.names[mine],
                "predicted": found.names[other],
                "seconds": seconds,
            }
            for document, mine, other, seconds in found.mapping[:LISTED]
        ],
        "match": chosen.match,
        "scored": float(found.scored.sum()),
        "notes": notes,
    }
    return stamped("soft", result.study, body, seed=chosen.seed)


def _averaged(documents: int) -> str:
    return "one recording" if documents == 1 else f"total time over {documents:,} recordings"


def _all(time: Durations) -> Sums:
    return time.by(np.zeros(len(time.gold), np.int64), 1)


def _values(sums: Sums) -> dict[str, NDArray[np.float64]]:
    from consilience.verdict.segments import MEASURES

    counts = sums.counts()
    return {name: divide(counts) for name, divide in MEASURES.items()}


def _scores(sums: Sums, place: int = 0) -> dict[str, float | None]:
    return {name: number(values[place]) for name, values in _values(sums).items()}


def _counted(matched: Matched) -> dict[str, Any]:
    """Precision, recall and F of matched pairs, with their counts."""
    counts = {"pairs": len(matched.pairs), "gold": matched.gold, "predicted": matched.predicted}
    return {**_scores(matched.sums()), **counts}


def _mean(sums: Sums) -> dict[str, Any]:
    """Average each measure over recordings or classes where it is defined."""
    some = (sums.gold > 0) | (sums.predicted > 0)
    found: dict[str, Any] = {"n": int(some.sum())}
    for name, values in _values(sums).items():
        known = values[some & ~np.isnan(values)]
        found[name] = float(known.mean()) if len(known) else None
        found[f"{name}_undefined"] = int(some.sum()) - len(known)
    return found


def _by_class(result: SegmentResult) -> Sums:
    """Add up by class; where classes were mapped, those that gold has."""
    found = result.figures
    sums = found.time.by(found.time.label, len(found.names))
    if result.chosen.labels != "mapped":
        return sums
    known = sums.gold > 0
    return Sums(sums.gold[known], sums.predicted[known], sums.shared[known])


def _errors(time: Durations) -> dict[str, float | None]:
    """Part what is wrong: missed, false, and confused; their sum over gold is the error rate."""
    total = _all(time)
    confused = float(time.confused.sum())
    gold = float(total.gold[0])
    missed = max(gold - float(total.shared[0]) - confused, 0.0)
    false = max(float(total.predicted[0] - total.shared[0]) - confused, 0.0)
    rate = (missed + false + confused) / gold if gold else None
    return {"missed": missed, "false": false, "confused": confused, "rate": rate}


def _random(result: SegmentResult) -> dict[str, Any]:
    """Give what predicted segments would get if they were moved by a random time.

    Moved round the scored time T of a recording (what leaves at the end comes in at the
    beginning), predicted time of length p meets gold time of length g for p g / T seconds on
    average.
    """
    time, scored = result.figures.time, result.figures.scored
    length = scored[time.document]
    met = np.zeros(len(time.gold))
    np.divide(time.gold * time.predicted, length, out=met, where=length > 0)
    zero = np.zeros(len(met), np.int64)
    by_chance = Durations(
        zero, zero, time.gold, time.predicted, np.minimum(met, time.gold), time.confused
    )
    how = "the expected shared time if the predicted segments of each recording were moved round "
    how += "its scored time by a random amount: gold × predicted / scored seconds"
    if result.chosen.labels == "mapped":
        how += "; the mapping of classes is kept"
    return {**_scores(_all(by_chance)), "how": how, "draws": 0}


def _adjusted(value: float | None, nothing: float | None) -> float | None:
    if value is None or nothing is None or nothing >= 1:
        return None
    return (value - nothing) / (1 - nothing)


def _median(values: NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else None


def _per_document(result: SegmentResult) -> list[dict[str, Any]]:
    sides, found = result.sides, result.figures
    sums = found.time.by(found.time.document, len(sides.documents))
    values, beside = _values(sums), found.beside
    counts = [
        np.bincount(side.document, minlength=len(sides.documents))
        for side in (beside.gold, beside.predicted)
    ]
    return [
        {
            "document": name,
            "gold": int(counts[0][place]),
            "predicted": int(counts[1][place]),
            **{key: number(some[place]) for key, some in values.items()},
            "gold_seconds": float(sums.gold[place]),
            "predicted_seconds": float(sums.predicted[place]),
            "shared_seconds": float(sums.shared[place]),
            "scored_seconds": float(found.scored[place]),
            "confused_seconds": float(found.time.confused[place]),
        }
        for place, name in enumerate(sides.documents)
    ]


def _classes(result: SegmentResult) -> list[dict[str, Any]]:
    """Shared time by class, the class with most gold time first."""
    found = result.figures
    sums = found.time.by(found.time.label, len(found.names))
    values = _values(sums)
    used = np.flatnonzero((sums.gold > 0) | (sums.predicted > 0))
    order = used[np.lexsort((used, -sums.predicted[used], -sums.gold[used]))]
    return [
        {
            "name": found.names[place],
            **{key: number(some[place]) for key, some in values.items()},
            "gold_seconds": float(sums.gold[place]),
            "predicted_seconds": float(sums.predicted[place]),
            "shared_seconds": float(sums.shared[place]),
        }
        for place in order[:LISTED]
    ]


def _chosen_pairs(result: SegmentResult) -> Matched:
    beside = result.figures.beside
    ways = {"iou": beside.iou, "events": beside.events, "overlap": beside.overlap}
    return ways[result.chosen.match]


def _texts(result: SegmentResult, side: int) -> Callable[[int], str]:
    rows, texts = result.figures.beside.rows[side], result.sides.texts[side]
    return lambda place: texts[int(rows[place])]


def _iou(beside: Beside, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.float64]:
    from consilience.measures.events import shared_time
    from consilience.measures.sets import ratio

    shared = shared_time(beside.gold, beside.predicted, i, j)
    both = beside.gold.length()[i] + beside.predicted.length()[j] - shared
    return np.nan_to_num(ratio(shared, both), nan=1.0)


def _pairs(result: SegmentResult) -> list[dict[str, Any]]:
    """List the matched pairs, the most alike first."""
    beside, pairs = result.figures.beside, _chosen_pairs(result).pairs
    alike = _iou(beside, pairs.gold, pairs.predicted)
    order = np.argsort(-alike, kind="stable")[:LISTED]
    gold, predicted = _texts(result, 0), _texts(result, 1)
    return [
        {
            "document": result.sides.documents[int(beside.gold.document[pairs.gold[place]])],
            "gold": gold(pairs.gold[place]),
            "predicted": predicted(pairs.predicted[place]),
            "similarity": float(alike[place]),
        }
        for place in order.tolist()
    ]


def _segments(result: SegmentResult, side: int) -> list[dict[str, Any]]:
    """List the segments of a side: what covers each, its best partner, what became of it."""
    found, beside = result.figures, result.figures.beside
    spans = (beside.gold, beside.predicted)[side]
    pairs = _chosen_pairs(result).pairs
    partner = np.zeros(len(spans), bool)
    partner[(pairs.gold, pairs.predicted)[side]] = True
    mine, other = _texts(result, side), _texts(result, 1 - side)
    order = np.lexsort((spans.end, spans.start, spans.document))[:LISTED].tolist()
    told = []
    for place in order:
        best, share = int(beside.best[side][place]), number(beside.covered[side][place])
        told.append(
            {
                "document": result.sides.documents[int(spans.document[place])],
                "item": mine(place),
                "times": 1,
                "count": share,
                "best": None if best < 0 else other(best),
                "similarity": float(beside.similarity[side][place]),
                "start": float(spans.start[place]),
                "end": float(spans.end[place]),
                "label": found.names[int(spans.label[place])],
                "state": _state(bool(partner[place]), share, side),
            }
        )
    return told


def _state(matched: bool, share: float | None, side: int) -> str:
    if matched:
        return "matched"
    return "partly" if share else ("missed", "false")[side]


def _table(result: SegmentResult) -> dict[str, Any] | None:
    """Give the IoU of all pairs, where there is one recording with few segments."""
    from consilience.match.kernel import table
    from consilience.match.segments import segments

    beside = result.figures.beside
    few = max(len(beside.gold), len(beside.predicted)) <= TABLE
    if len(result.sides.documents) != 1 or not few:
        return None
    sides = []
    for side, spans in enumerate((beside.gold, beside.predicted)):
        text = _texts(result, side)
        columns = zip(spans.start, spans.end, spans.label, strict=True)
        items = [(float(a), float(b), str(label)) for a, b, label in columns]
        sides.append(([text(place) for place in range(len(spans))], items))
    return {
        "document": result.sides.documents[0],
        "gold": sides[0][0],
        "predicted": sides[1][0],
        "similarity": table(segments, sides[0][1], sides[1][1]).tolist(),
    }


def _baselines(result: SegmentResult) -> list[dict[str, Any]]:
    """What other ways of counting give."""
    beside, chosen = result.figures.beside, result.chosen
    times = [np.array([side.length().sum()]) for side in (beside.gold, beside.predicted)]
    numbers = [np.array([float(len(side))]) for side in (beside.gold, beside.predicted)]
    mapped = np.array([beside.overlap.pairs.worth.sum()])
    alike = np.array([beside.all_iou.pairs.worth.sum()])
    ends = "" if chosen.offset is None else f", ends {chosen.offset:.0%} off"
    rows = (
        ("crisp", "the same start, end and class", beside.same.sums()),
        ("crisp*", f"IoU of at least {chosen.threshold:g}", beside.iou.sums()),
        ("matching", "sum of IoU, one to one", Sums(numbers[0], numbers[1], alike)),
        ("fuzzy", "seconds shared, one to one", Sums(times[0], times[1], mapped)),
        ("events", f"starts {chosen.onset:g} s{ends}", beside.events.sums()),
    )
    return [{"name": name, "label": label, **_scores(sums)} for name, label, sums in rows]


def _region(result: SegmentResult) -> dict[str, list[list[float]]]:
    region = result.chosen.region or {}
    return {
        name: [list(one) for one in region.get(name, region.get(None, []))]
        for name in result.sides.documents
    }
