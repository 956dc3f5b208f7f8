"""Segments of time against segments of time: how much of the time is shared.

Two people who mark where somebody speaks never write down the same seconds. So segments are not
compared as items but as time: precision is the share of the predicted time that is gold,
recall the share of the gold time that was predicted. Events, matched one to one, stand beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from consilience.study import Study

#: What the names of classes mean: the same on both sides, to be mapped, or nothing.
Labels = Literal["as given", "mapped", "ignored"]
LABELS: tuple[Labels, ...] = ("as given", "mapped", "ignored")
#: How segments are matched one to one for the pairs.
Match = Literal["iou", "events", "overlap"]
MATCHES: tuple[Match, ...] = ("iou", "events", "overlap")


@dataclass(frozen=True, slots=True)
class SegmentResult(Shown):
    """Shared time of gold and predicted segments."""

    study: Study
    headline: str
    notes: tuple[str, ...]

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        raise NotImplementedError


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
    """
    raise NotImplementedError
