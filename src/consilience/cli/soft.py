"""``consilience soft``: items that are nearly right: phrases, segments, boxes, tracks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from consilience.cli.paths import INPUT, SETTINGS
from consilience.cli.shared import FORMATS, WRITING, alive, boxing, mapping, show, taken, writing
from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    from consilience.match.lists import Sides

#: What the options of one kind of comparison alone are called, by what is compared.
OPTIONS = {
    "soft": (
        *("similarity", "variant", "mode", "floor", "threshold", "unicode", "case", "space"),
        *("columns", "encoding", "boxes", "answers"),
    ),
    "segments": ("collar", "labels", "region", "iou", "encoding"),
    "boxes": ("labels", "iou", "encoding", "boxes"),
}
#: How ``--labels`` may be written, and what that is in Python.
LABELS = {"as-given": "as given", "mapped": "mapped", "ignored": "ignored"}


@click.command("soft")
@click.argument("gold", type=INPUT, metavar="GOLD")
@click.argument("predicted", type=INPUT, metavar="PREDICTED")
@click.option(
    "--similarity",
    type=SETTINGS,
    metavar="NAME",
    help="How alike two items are: levenshtein (usual), jaro-winkler, jaccard:q=3, wordllama, …",
)
@click.option(
    "--variant",
    metavar="coverage|diversity|paper|storm",
    help="How similarities become precision and recall; by default coverage.",
)
@click.option(
    "--mode",
    metavar="concepts|instances",
    help="Whether near-duplicates count once (concepts, usual) or each by itself (instances).",
)
@click.option(
    "--floor",
    type=float,
    metavar="X",
    help="Similarities below it count as 0; by default that of the similarity.",
)
@click.option(
    "--threshold",
    type=float,
    metavar="T",
    help="From which similarity on crisp* takes two items for the same; by default 0.8.",
)
@click.option(
    "--unicode",
    metavar="keep|nfc|nfkc|ascii",
    help="How letters are made alike: nfc (usual); ascii takes accents off.",
)
@click.option("--case", metavar="keep|fold", help="Whether capitals count (keep, usual).")
@click.option(
    "--space",
    metavar="keep|strip|collapse",
    help="What happens to blanks; collapse (usual) makes one of several.",
)
@click.option(
    "--collar",
    type=float,
    metavar="SECONDS",
    help="Segments: time on each side of a gold boundary that is not scored; by default 0.",
)
@click.option(
    "--labels",
    metavar="as-given|mapped|ignored",
    help="Segments, boxes: whether classes must be the same, are mapped (speakers), or ignored.",
)
@click.option(
    "--region", type=INPUT, metavar="FILE", help="Segments: the time that is scored, a UEM file."
)
@click.option(
    "--iou",
    type=float,
    metavar="X",
    help="Segments, boxes: how much of their union two must share to match; by default 0.5.",
)
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="The coverage of intervals."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of chance.")
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Which column is what, such as item=phrase (repeatable).",
)
@click.option(
    "--answers",
    metavar="lines|lists|votes",
    help="The kind of answers, where it is not to be recognised; lines: one item a line.",
)
@click.option("--encoding", metavar="NAME", help="The files' text encoding, where it is not UTF-8.")
@boxing
@writing(*FORMATS)
def command(gold: str, predicted: str, level: float, seed: int, **options: Any) -> None:
    """Compare predicted items with gold ones where they need not be equal.

    Precision and recall of phrases, segments of time, boxes or tracks that are nearly right, with
    the matched pairs, the similarities, and what chance would get.

    \b
    consilience soft gold.txt predicted.txt
    consilience soft gold.csv mine.csv --similarity jaro-winkler --case fold -o report.html
    consilience soft gold.txt predicted.txt --variant paper --unicode ascii
    consilience soft reference.rttm mine.rttm --collar 0.25 --labels mapped
    """
    from consilience.match.lists import kind_of_files

    output = taken(options, WRITING)
    given = {name: value for name, value in options.items() if value not in (None, ())}
    kind = "boxes" if options["answers"] is None else "text"
    if options["boxes"] is None and options["answers"] is None:  # else somebody says what they are
        with alive("reading"):
            kind = kind_of_files(
                *(gold, predicted),
                columns=mapping(options["columns"]),
                encoding=options["encoding"],
            )
    way = kind if kind in OPTIONS and "similarity" not in given else "soft"
    _check(way, kind, given)
    ways = {"segments": _segments, "boxes": _boxes, "soft": compared}
    with alive("comparing"):
        payload = ways[way](gold, predicted, **given, level=level, seed=seed)
    show(payload, **output)


def _check(way: str, kind: str, given: dict[str, Any]) -> None:
    """See that every option that was given makes sense for what is compared."""
    for name in given:
        if name in OPTIONS[way]:
            continue
        if way == "soft":
            whose = " and ".join(one for one in OPTIONS if name in OPTIONS[one])
            raise UsageError(
                f"--{name} is for {whose}, and these items are compared as {kind} "
                f"(fix: leave --{name} out)"
            )
        items = name not in ("similarity", "unicode", "case", "space", "columns")
        fix = f"; or compare them as items: --similarity {kind}" if items else ""
        raise UsageError(
            f"--{name} is not for {kind}, which have measures of their own "
            f"(fix: leave --{name} out{fix})"
        )
    if given.get("labels", "as-given") not in LABELS:
        raise unknown("way with labels", given["labels"], list(LABELS))


def _segments(gold: str, predicted: str, **given: Any) -> dict[str, Any]:
    """Compare segments as time."""
    from consilience.verdict.segments import segments

    labels: Any = LABELS[given.pop("labels", "as-given")]
    threshold = given.pop("iou", 0.5)
    return segments(gold, predicted, labels=labels, threshold=threshold, **given).payload()


def _boxes(gold: str, predicted: str, **given: Any) -> dict[str, Any]:
    """Compare boxes by their overlap."""
    from consilience.verdict.boxes import detections

    labels = given.pop("labels", "as-given")
    if labels == "mapped":
        raise UsageError("classes of boxes are not mapped (fix: --labels as-given or ignored)")
    return detections(gold, predicted, classes=labels == "as-given", **given).payload()


def compared(gold: str, predicted: str, **given: Any) -> dict[str, Any]:
    """Compare items of two files by how alike they are; options as on the command line."""
    from consilience.match.lists import read_sides
    from consilience.match.text import Wording
    from consilience.verdict.soft import soft

    columns = mapping(given.pop("columns", ()))
    words = {name: given.pop(name) for name in ("unicode", "case", "space") if name in given}
    sides = read_sides(
        *(gold, predicted),
        columns=columns,
        encoding=given.pop("encoding", None),
        boxes=given.pop("boxes", None),
        answers=given.pop("answers", None),
    )
    _check_piped(sides, given)
    if sides.of != "text":
        given = {"mode": "instances", **given}
    result = soft(sides, wording=Wording(**words), **given)
    if words and result.settings.wording is None:
        named = " and ".join(f"--{name}" for name in words)
        raise UsageError(
            f"{named}: {result.settings.how.name} compares no text (fix: leave {named} out)"
        )
    return result.payload()


def _check_piped(sides: Sides, given: dict[str, Any]) -> None:
    """Segments and boxes that came through a pipe are known as such too late."""
    if sides.of in OPTIONS and "similarity" not in given:
        raise UsageError(
            f"one side holds {sides.of} and the other none that can be told from its beginning "
            f"(fix: leave a file empty where nothing was found; name files rather than pipes; or "
            f"compare them as items: --similarity {sides.of})"
        )
