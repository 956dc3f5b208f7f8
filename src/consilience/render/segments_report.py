"""What segments against segments tell: shared time first, then classes, recordings and events."""

from __future__ import annotations

from functools import partial
from typing import Any

from consilience.render import segments_charts as charts
from consilience.render.report import NUMBER, SCORE, Lines, Picture, Report, Section, Table
from consilience.render.words import Payload, count, estimate, fixed, percent, plain

#: The columns of CSV and Parquet.
COLUMNS = {
    "document": "string",
    "gold": "int64",
    "predicted": "int64",
    "precision": "float64",
    "recall": "float64",
    "f1": "float64",
    "gold_seconds": "float64",
    "predicted_seconds": "float64",
    "shared_seconds": "float64",
    "scored_seconds": "float64",
    "confused_seconds": "float64",
}
_MEASURES = ("precision", "recall", "f1")
#: The most rows of tables for people.
ROWS = 25
_LABELS = {
    "as given": "classes are the same where their names are",
    "mapped": "predicted classes mapped to gold ones, recording by recording",
    "ignored": "classes ignored: a segment or none",
}


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row per recording, in full precision."""
    return [{key: one[key] for key in COLUMNS} for one in payload["per_document"]]


def report(payload: Payload) -> Report:
    """Say all that segments against segments tell."""
    several = payload["documents"] > 1
    return Report(
        title="Segments of time",
        headline=payload["headline"],
        sections=(
            Section("Shared time", (_main(payload), Lines(tuple(_time(payload))))),
            Section("On the recordings", (_picture(payload),)),
            Section("Classes", (_classes(payload),) if len(payload["classes"]) > 1 else ()),
            Section("Recordings", (_recordings(payload),) if several else ()),
            Section("Segments as events", (_events(payload), Lines(tuple(_shape(payload))))),
            Section("Matched segments", (_pairs(payload),) if payload["pairs"] else ()),
        ),
        facts=_facts(payload),
        methods=_methods(payload),
        badges=(
            count(payload["documents"], "recording"),
            f"{payload['sizes']['gold']:,} gold and {payload['sizes']['predicted']:,} predicted "
            "segments",
            f"{_seconds(payload['scored'])} scored",
            _LABELS[payload["labels"]],
        ),
        caution="; ".join(payload["warnings"]),
    )


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:,.2f} s"


def _main(payload: Payload) -> Table:
    """The figures, a random answer's, and the means."""
    made = [_score_row("all seconds together", payload, payload["intervals"])]
    macro = payload["macro"]
    if payload["documents"] > 1:
        made.append(_score_row("mean of recordings", macro["documents"], {}))
    if len(payload["classes"]) > 1:
        made.append(_score_row("mean of classes", macro["classes"], {}))
    made.append(_score_row("moved by a random time", payload["null"], {}))
    made.append(_score_row("adjusted for that", payload["adjusted"], {}))
    inside = ""
    if payload["resampling"] is not None:
        inside = f"; in brackets the {percent(payload['level'])} interval over recordings"
    reasons = {why for why in payload["undefined"].values() if why}
    return Table(
        f"Precision, recall and F1 of time{inside}",
        ("", "precision", "recall", "F1"),
        tuple(made),
        ("head", *(SCORE,) * 3),
        left_out=f"– is undefined: {'; '.join(sorted(reasons))}." if reasons else "",
        main=True,
    )


def _score_row(name: str, scores: Payload, intervals: Payload) -> tuple[str, ...]:
    cells = (estimate({"value": scores[key], "interval": intervals.get(key)}) for key in _MEASURES)
    return (name, *cells)


def _time(payload: Payload) -> list[str]:
    """Seconds, and what went wrong with them."""
    size, wrong = payload["cardinality"], payload["errors"]
    said = [
        f"Gold {_seconds(size['gold'])}, predicted {_seconds(size['predicted'])}, shared "
        f"{_seconds(size['intersection'])}, either {_seconds(size['union'])}."
    ]
    parts = f"Missed {_seconds(wrong['missed'])}, false {_seconds(wrong['false'])}"
    if len(payload["classes"]) > 1:
        parts += f", one class taken for another {_seconds(wrong['confused'])}"
    if wrong["rate"] is not None:
        parts += f": an error rate of {fixed(wrong['rate'])} of the gold time"
    return [*said, f"{parts}."]


def _picture(payload: Payload) -> Picture:
    return Picture(
        "timeline",
        partial(charts.timeline, payload),
        charts.timeline_words(payload),
        Table(
            "Segments of the picture",
            ("recording", "side", "class", "start", "end", "became", "covered"),
            tuple(charts.timeline_cells(payload)),
            ("head", "", "", "number", "number", "", "number"),
        ),
    )


def _classes(payload: Payload) -> Table:
    return _by("class", "name", payload["classes"], "Precision and recall of each class")


def _recordings(payload: Payload) -> Table:
    worst = sorted(
        payload["per_document"], key=lambda one: (one["f1"] is None, one["f1"], one["document"])
    )
    which = "of each recording"
    if len(worst) > ROWS:
        which = f"of the {ROWS} recordings with the lowest F1"
    return _by("recording", "document", worst, f"Precision and recall {which}")


def _by(noun: str, key: str, every: list[Payload], title: str) -> Table:
    beyond = len(every) - len(every[:ROWS])
    return Table(
        title,
        (noun, "precision", "recall", "F1", "gold s", "predicted s", "shared s"),
        tuple(
            (
                plain(one[key]) or "(no class)",
                *(fixed(one[name]) for name in _MEASURES),
                *(
                    f"{one[name]:,.2f}"
                    for name in ("gold_seconds", "predicted_seconds", "shared_seconds")
                ),
            )
            for one in every[:ROWS]
        ),
        ("head", *(NUMBER,) * 6),
        left_out=f"{beyond:,} further ones: see -f json." if beyond else "",
    )


def _events(payload: Payload) -> Table:
    """Other ways of counting, one to one."""
    grid, edges = payload["grid"], payload["boundaries"]
    made = [
        (one["label"], *(fixed(one[name]) for name in _MEASURES)) for one in payload["baselines"]
    ]
    made.append(
        (f"boundaries within {edges['within']:g} s", *(fixed(edges[name]) for name in _MEASURES))
    )
    made.append(
        (
            f"a grid of {grid['seconds']:g} s, error rate {fixed(grid['errors']['rate'])}",
            *(fixed(grid[name]) for name in _MEASURES),
        )
    )
    return Table(
        "The same segments, counted otherwise",
        ("what counts", "precision", "recall", "F1"),
        tuple(made),
        ("head", *(NUMBER,) * 3),
    )


def _shape(payload: Payload) -> list[str]:
    off = payload["boundaries"]["deviation"]
    said = [
        f"Found in several pieces: {count(payload['fragments'], 'gold segment')}; holding several: "
        f"{count(payload['merges'], 'predicted segment')} (a piece is a segment of which more than "
        "half lies in the other)."
    ]
    if off["gold"] is not None:
        said.append(
            f"A gold boundary is {off['gold']:.3f} s from the nearest predicted one, a predicted "
            f"one {off['predicted']:.3f} s from the nearest gold one (medians)."
        )
    return said


_MATCHES = {"iou": "IoU", "events": "events", "overlap": "overlap"}


def _pairs(payload: Payload) -> Table:
    """The matched pairs, least alike first: the best ones need no look."""
    every = payload["pairs"][::-1]
    beyond = len(every) - len(every[:ROWS])
    return Table(
        f"Matched by {_MATCHES[payload['match']]}, the least alike first",
        ("recording", "gold", "predicted", "IoU"),
        tuple(
            (
                plain(one["document"]),
                plain(one["gold"]),
                plain(one["predicted"]),
                fixed(one["similarity"]),
            )
            for one in every[:ROWS]
        ),
        ("head", "", "", "number"),
        left_out=f"{beyond:,} further pairs: see -f json." if beyond else "",
    )


def _facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    drawn, events = payload["resampling"], payload["events"]
    ends = "anywhere"
    if events["offset"] is not None:
        ends = f"{events['offset']:.0%} of the gold length off, or {events['onset']:g} s"
    return (
        ("classes", _LABELS[payload["labels"]]),
        (
            "collar",
            f"{payload['collar']:g} s on each side of every gold boundary are not scored"
            if payload["collar"]
            else "none",
        ),
        (
            "scored time",
            "each recording from its first start to its last end"
            if payload["region"] is None
            else "the given region",
        ),
        ("events", f"starts up to {events['onset']:g} s off, ends up to {ends}"),
        ("a random answer", payload["null"]["how"]),
        (
            "intervals",
            "none: fewer than 3 recordings say nothing about others"
            if drawn is None
            else f"{percent(payload['level'])}, {count(drawn['n'], 'recording')} drawn anew "
            f"{drawn['samples']:,} times ({drawn['method']}), seed {drawn['seed']}",
        ),
    )


def _methods(payload: Payload) -> str:
    drawn = payload["resampling"]
    said = (
        "Predicted segments were compared with gold ones by the time they share: precision is "
        "|P ∩ G| / |P|, recall |P ∩ G| / |G| in seconds (Fränti & Mariescu-Istodor 2023), "
        "added up over classes and recordings"
    )
    if payload["labels"] != "as given":
        said += f"; {_LABELS[payload['labels']]}"
    if payload["collar"]:
        said += f"; {payload['collar']:g} s around each gold boundary were not scored"
    if drawn is not None:
        said += (
            f"; {percent(payload['level'])} intervals are over recordings "
            f"({drawn['method']}, {drawn['samples']:,} draws, seed {drawn['seed']})"
        )
    return f"{said}."
