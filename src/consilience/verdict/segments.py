"""Segments of time against segments of time: how much of the time is shared.

Two people who mark where somebody speaks never write down the same seconds. So segments are not
compared as items but as time: precision is the share of the predicted time that is gold,
recall the share of the gold time that was predicted. Seconds are added up over classes and
recordings, then divided once; each recording, each class and their means stand beside it, and so
do events, matched one to one.

See :mod:`consilience.measures.durations` and :mod:`consilience.measures.events` for what is
computed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.errors import UsageError, is_number, quote, unknown
from consilience.formats.regions import Region, region_of
from consilience.measures.durations import Sums
from consilience.measures.sets import f_measure, precision, recall
from consilience.verdict.resample import Resampled, check_chance, resample_counts
from consilience.verdict.segment_figures import Figures, figures
from consilience.verdict.segment_sides import Sides, region_spans, sides_of, study_of
from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from consilience.study import Study

#: What the names of classes mean: the same on both sides, to be mapped, or nothing.
Labels = Literal["as given", "mapped", "ignored"]
LABELS: tuple[Labels, ...] = ("as given", "mapped", "ignored")
#: How segments are matched one to one for the list of pairs.
Match = Literal["iou", "events", "overlap"]
MATCHES: tuple[Match, ...] = ("iou", "events", "overlap")
#: The measures that are reported, and what makes them of seconds or counts.
MEASURES = {"precision": precision, "recall": recall, "f1": f_measure}

#: What a figure is a share of, and the reason where there is no such segment at all.
_NOTHING = {
    "precision": ("predicted", "nothing was predicted"),
    "recall": ("gold", "there is no gold segment"),
    "f1": ("gold or predicted", "there is neither a gold nor a predicted segment"),
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """What was asked for."""

    collar: float
    region: Region | None
    labels: Labels
    match: Match
    threshold: float
    onset: float
    offset: float | None
    level: float
    seed: int


@dataclass(frozen=True, slots=True)
class SegmentResult(Shown):
    """Shared time of gold and predicted segments, and what stands beside it.

    ``precision``, ``recall`` and ``f1`` are of all seconds together; NaN where undefined.
    """

    study: Study
    sides: Sides
    chosen: Chosen
    figures: Figures
    drawn: dict[str, Resampled]
    headline: str
    notes: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def total(self) -> Sums:
        """Seconds of gold, predicted and shared time, over everything."""
        time = self.figures.time
        return time.by(np.zeros(len(time.gold), np.int64), 1)

    @property
    def precision(self) -> float:
        """The share of the predicted time that is gold."""
        return float(precision(self.total.counts())[0])

    @property
    def recall(self) -> float:
        """The share of the gold time that was predicted."""
        return float(recall(self.total.counts())[0])

    @property
    def f1(self) -> float:
        """Twice the shared time / (gold + predicted time)."""
        return float(f_measure(self.total.counts())[0])

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.segments_told import of_segments

        return of_segments(self)


def segments(
    gold: Any,
    predicted: Any = None,
    *,
    collar: float = 0.0,
    region: Any = None,
    labels: Labels = "as given",
    match: Match = "iou",
    threshold: float = 0.5,
    onset: float = 0.2,
    offset: float | None = 0.2,
    level: float = 0.95,
    seed: int = 0,
    encoding: str | None = None,
) -> SegmentResult:
    """Compare predicted segments of time with gold ones.

    Parameters
    ----------
    gold
        A study that holds both sides (gold as evidence, one system); or the gold segments: a
        file, a list of (start, end, class), or a dict from recording to such a list.
    predicted
        The predicted segments, in any of these forms; None where ``gold`` is a study.
    collar
        Seconds on each side of every gold boundary that are not scored.
    region
        The time that is scored: (start, end), a list of these, a dict from recording to such a
        list, or a UEM file; None: all.
    labels
        "as given": a class is the same on both sides. "mapped": the predicted names are mapped
        one to one to the gold names of each recording, so that most time is shared (speakers).
        "ignored": only whether there is a segment.
    match
        How segments are matched one to one for the list of pairs: "iou", "events", "overlap".
    threshold
        The least IoU of two segments that match.
    onset
        Seconds that the start of a matching event may be off.
    offset
        The share of a gold event's length that its end may be off, but at least ``onset``
        seconds; None: ends may be anywhere.
    level, seed
        The coverage of intervals, and the seed of chance.
    encoding
        The files' text encoding, where it is not UTF-8.

    Returns
    -------
    SegmentResult
        Everything by recording and by class; totals have an interval over recordings.

    Notes
    -----
    Segments of one class that overlap count their time once. Recordings that gold does not
    mention are not scored, unless ``region`` names them. The collar holds for shared time; events
    have tolerances of their own. Each event that touches the region counts, whole.

    Examples
    --------
    >>> result = segments([(0, 10, "speech"), (20, 30, "speech")], [(2, 12, "speech")])
    >>> result.precision, result.recall, round(result.f1, 4)
    (0.8, 0.4, 0.5333)
    """
    _check(collar, labels, match, threshold, onset, offset)
    check_chance(level, seed)
    where = region_of(region, encoding=encoding)
    chosen = Chosen(
        float(collar), where, labels, match, threshold, float(onset), offset, level, seed
    )
    study = study_of(gold, predicted, encoding)
    sides = sides_of(study, where)
    found = figures(sides, region_spans(sides, where), chosen, given=where is not None)
    by_recording = found.time.by(found.time.document, len(sides.documents)).counts()
    drawn = {
        name: resample_counts([by_recording], divide, seed=seed)
        for name, divide in MEASURES.items()
    }
    made = SegmentResult(study, sides, chosen, found, drawn, "", sides.notes, ())
    return replace(
        made,
        headline=_headline(made),
        notes=(*study.notes, *sides.notes, *_notes(made)),
        warnings=tuple(_warnings(made)),
    )


def _check(
    collar: object, labels: object, match: object, threshold: object, onset: object, offset: object
) -> None:
    if labels not in LABELS:
        raise unknown("meaning of labels", str(labels), LABELS)
    if match not in MATCHES:
        raise unknown("way to match", str(match), MATCHES)
    for name, value in (("collar", collar), ("onset", onset), ("offset", offset)):
        if name == "offset" and value is None:
            continue
        if not is_number(value) or not (value >= 0 and np.isfinite(value)):
            said = f"{name} must be at least 0, found {quote(value)}"
            raise UsageError(f"{said} (fix: {name} 0.25)")
    if not is_number(threshold) or not 0 < threshold <= 1:
        raise UsageError(
            f"the threshold of IoU lies above 0 and up to 1, found {quote(threshold)} (fix: 0.5)"
        )


def _headline(result: SegmentResult) -> str:
    gold, predicted = result.sides.who
    total = result.total
    where = f", over {len(result.sides.documents):,} recordings"
    where = where if len(result.sides.documents) > 1 else ""
    if not total.gold[0] or not total.predicted[0]:
        if not total.gold[0] and not total.predicted[0]:
            why, lacks = undefined(result, "f1"), "precision and recall"
        elif not total.gold[0]:
            why, lacks = f"{undefined(result, 'recall')} ({gold})", "recall"
        else:
            why, lacks = f"{undefined(result, 'precision')} ({predicted})", "precision"
        return f"{why[:1].upper()}{why[1:]}: {lacks} cannot be told{where}."
    return (
        f"{predicted} finds {result.recall:.1%} of the time in {gold} (recall "
        f"{result.recall:.4f}), and {result.precision:.1%} of the time it marks is there "
        f"(precision {result.precision:.4f}); F1 {result.f1:.4f}{where}."
    )


def undefined(result: SegmentResult, name: str) -> str:
    """Say why a figure cannot be told: no segments, none with a length, or none that are scored."""
    sides, (whose, nothing) = result.sides, _NOTHING[name]
    some = {"precision": (sides.predicted,), "recall": (sides.gold,)}.get(
        name, (sides.gold, sides.predicted)
    )
    if not any(map(len, some)):
        return nothing
    if not any(side.length().any() for side in some):
        return f"no {whose} segment has a length"
    chosen = result.chosen
    cut = [*(["collar"] if chosen.collar else []), *(["region"] if chosen.region else [])]
    if not result.figures.scored.any():
        return f"no scored time is left ({', '.join(cut)})"
    return f"no {whose} time is left to score ({', '.join(cut)})"


def _notes(result: SegmentResult) -> list[str]:
    sides, notes = result.sides, []
    points = sum(int((side.length() == 0).sum()) for side in (sides.gold, sides.predicted))
    if points:
        notes.append(f"{points:,} segments have no length: they count as events, not as time")
    if result.chosen.collar:
        notes.append(
            f"with a collar of {result.chosen.collar:g} s on each side of every gold boundary, "
            f"{result.total.gold[0]:,.2f} s of gold time are scored"
        )
    return notes


def _warnings(result: SegmentResult) -> list[str]:
    time = result.figures.time
    gold, predicted = time.label[time.gold > 0], time.label[time.predicted > 0]
    if result.chosen.labels != "as given" or not len(gold) or not len(predicted):
        return []
    if np.intersect1d(gold, predicted).size:
        return []
    return [
        "no class is on both sides, so nothing is shared: for names that mean nothing (speakers) "
        "say labels mapped (--labels mapped), for activity alone labels ignored (--labels ignored)"
    ]
