"""``consilience align``: sequences of tokens side by side."""

from __future__ import annotations

from typing import Any

import click

from consilience.cli.paths import DEEP, SETTINGS
from consilience.cli.shared import FORMATS, WRITING, alive, mapping, show, taken, writing


@click.command("align")
@click.argument("files", type=DEEP, nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--truth",
    type=DEEP,
    multiple=True,
    metavar="FILE",
    help="The right text: a file, a folder or a table, as the sources are.",
)
@click.option(
    "--tokens",
    metavar="words|characters|lines",
    help="What texts are cut into; by default words. Where it is named, files that look like "
    "tables are texts, too.",
)
@click.option(
    "--similarity",
    type=SETTINGS,
    metavar="NAME",
    help="Tokens may be nearly equal: levenshtein, jaro-winkler, …; by default they are exact.",
)
@click.option(
    "--floor",
    type=float,
    metavar="X",
    help="Tokens less alike than this are unrelated; by default that of the similarity.",
)
@click.option(
    "--gap",
    type=float,
    default=1.0,
    show_default=True,
    metavar="COST",
    help="What a token beside a gap costs; two different tokens cost 1.",
)
@click.option(
    "--refine",
    type=click.IntRange(min=0),
    default=2,
    show_default=True,
    metavar="N",
    help="How many times each sequence is laid beside the rest again.",
)
@click.option(
    "--per",
    default="token",
    show_default=True,
    metavar="token|column",
    help="What an item of Method II is: a token in its column, or a column with any token.",
)
@click.option(
    "--unicode",
    default="nfc",
    show_default=True,
    metavar="keep|nfc|nfkc|ascii",
    help="How letters are made alike; ascii takes accents off.",
)
@click.option(
    "--case",
    default="keep",
    show_default=True,
    metavar="keep|fold",
    help="Whether capitals count.",
)
@click.option(
    "--columns",
    multiple=True,
    metavar="ROLE=NAME",
    help="Which column of a table is what, such as item=token (repeatable).",
)
@click.option("--encoding", metavar="NAME", help="The files' text encoding, where it is not UTF-8.")
@writing(*FORMATS)
def command(
    files: tuple[str, ...],
    truth: tuple[str, ...],
    tokens: str | None,
    unicode: Any,
    case: Any,
    columns: tuple[str, ...],
    encoding: str | None,
    **options: Any,
) -> None:
    """Align what several sources read, and score them as bags and by position.

    A source is a text file, a folder with a text for each document, or a system of a table
    (document, system, token, position).

    \b
    consilience align tesseract.txt calamari.txt kraken.txt
    consilience align ocr/* --truth transcripts/ -o report.html
    consilience align a.txt b.txt --truth right.txt --similarity levenshtein
    """
    from consilience.errors import UsageError, unknown
    from consilience.match.reading import sequences_of_files
    from consilience.match.sequences import TOKENS, wording
    from consilience.verdict.aligned import align_sequences

    output = taken(options, WRITING)
    cut = next((name for name in TOKENS if name == tokens), None)
    if cut is None and tokens is not None:
        raise unknown("kind of tokens", tokens, TOKENS)
    floor = options["floor"]
    if floor is not None and options["similarity"] is None:
        raise UsageError("--floor is for a similarity (fix: --similarity levenshtein)")
    if floor is not None and not 0 <= floor <= 1:
        raise UsageError(f"--floor lies in [0, 1], found {floor:g} (fix: --floor 0.5)")
    if not 0 < options["gap"] < float("inf"):
        raise UsageError(f"--gap is a number above 0, found {options['gap']:g} (fix: --gap 1)")
    with alive("reading"):
        found = sequences_of_files(
            *(files, truth),
            tokens=cut,
            wording=wording(unicode, case),
            columns=mapping(columns),
            encoding=encoding,
        )
    with alive("aligning"):
        payload = align_sequences(found, **options).payload()
    show(payload, **output)
