"""Options that say how items that need not be equal are matched."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from consilience.cli.paths import SETTINGS
from consilience.cli.shared import alive, mapping, read_study
from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    from consilience.study import Study
    from consilience.verdict.soft import Mode, Settings

F = TypeVar("F", bound=Callable[..., Any])

#: The ways of matching.
WAYS = ("exact", "soft", "aligned", "bag")
#: The options that :func:`matching` adds, and those that it adds where systems are scored.
MATCHING = ("match", "similarity", "floor", "unicode", "case", "space", "tokens")
SCORING = ("variant", "mode")
#: What the options beside ``--match`` are for.
_FOR = {
    "similarity": ("soft", "aligned"),
    "variant": ("soft",),
    "mode": ("soft",),
    "floor": ("soft", "aligned"),
    "unicode": ("soft", "aligned", "bag"),
    "case": ("soft", "aligned", "bag"),
    "space": ("soft",),
    "tokens": ("aligned", "bag"),
}


def matching(*, scores: bool) -> Callable[[F], F]:
    """Add the options that say how items are matched; some only where systems are scored."""
    options = [
        click.option(
            "--match",
            metavar="exact|soft|aligned|bag",
            help="Items that need not be equal: soft (by similarity). Texts as sequences of "
            "tokens: aligned (position counts), bag (it does not). By default exact.",
        ),
        click.option(
            "--similarity",
            type=SETTINGS,
            metavar="NAME",
            help="With --match soft or aligned: levenshtein, jaro-winkler, jaccard:q=3, wordllama, "
            "segments, …",
        ),
        click.option(
            "--floor",
            type=float,
            metavar="X",
            help="Similarities below it count as 0; by default that of the similarity.",
        ),
        click.option(
            "--unicode",
            metavar="keep|nfc|nfkc|ascii",
            help="How letters are made alike before items are matched; ascii takes accents off.",
        ),
        click.option("--case", metavar="keep|fold", help="Whether capitals count in matching."),
        click.option(
            "--space",
            metavar="keep|strip|collapse",
            help="What happens to blanks before items are matched.",
        ),
        click.option(
            "--tokens",
            metavar="words|characters|lines",
            help="With --match aligned or bag: what texts are cut into.",
        ),
    ]
    scoring = [
        click.option(
            "--variant",
            metavar="NAME",
            help="With --match soft and truth: coverage (usual), diversity, paper, storm.",
        ),
        click.option(
            "--mode",
            metavar="concepts|instances",
            help="With --match soft and truth: near-duplicates count once, or each by itself.",
        ),
    ]

    def with_options(function: F) -> F:
        for option in reversed([*options, *(scoring if scores else ())]):
            function = option(function)
        return function

    return with_options


def check_matching(given: dict[str, Any]) -> None:
    """See that the options make sense together."""
    way = "exact" if given["match"] is None else given["match"]
    if way not in WAYS:
        raise unknown("way of matching", way, WAYS)
    for name, ways in _FOR.items():
        if given.get(name) is not None and way not in ways:
            many = " or ".join(f"--match {one}" for one in ways)
            raise UsageError(f"--{name} is for {many} (fix: add it, or leave --{name} out)")
    if way == "aligned" and given["floor"] is not None and given["similarity"] is None:
        raise UsageError("--floor is for tokens that are alike (fix: --similarity levenshtein)")


def chosen_match(given: dict[str, Any], study: Study, *, truth: bool) -> Settings | None:
    """Turn the options into a way of matching; None where items are equal or not."""
    if given["match"] is None:
        _check_shapes(study)
    if given["match"] != "soft":
        return None
    for name in ("variant", "mode"):
        if given.get(name) is not None and not truth:
            raise UsageError(
                f"--{name} is for a ranking against the truth; without, an item's vote is its "
                f"best similarity (fix: --truth FILE, or leave --{name} out)"
            )
    from consilience.formats.shapes import kind_of_form
    from consilience.match.text import Wording
    from consilience.verdict.soft import USUAL, soft_matching

    kinds = {kind_of_form(source.recognised) for source in study.sources}
    kind = kinds.pop() if len(kinds) == 1 else "text"
    variant = given.get("variant")
    usual: Mode = "concepts" if kind == "text" or variant is not None else "instances"
    words = {name: given[name] for name in ("unicode", "case", "space") if given[name] is not None}
    return soft_matching(
        USUAL[kind] if given["similarity"] is None else given["similarity"],
        variant=variant,
        mode=usual if given.get("mode") is None else given["mode"],
        floor=given["floor"],
        wording=Wording(**words),
    )


def _check_shapes(study: Study) -> None:
    """See that nobody takes segments, boxes and tracks for items that are equal or not."""
    from consilience.formats.shapes import kind_of_form

    kinds = {kind_of_form(source.recognised) for source in study.sources} - {"text"}
    if kinds:
        raise UsageError(
            f"these items are {' and '.join(sorted(kinds))}, which are hardly ever equal (fix: "
            "--match soft; or, for one system with measures of their own, consilience soft GOLD "
            "PREDICTED; --match exact if they are meant to be equal)"
        )


def read_matched(files: tuple[str, ...], given: dict[str, Any], options: dict[str, Any]) -> Study:
    """Read the files: sequences of tokens where they are aligned, answers otherwise."""
    if given.get("mode") == "instances" and options["duplicates"] == "error":
        options = {**options, "duplicates": "each"}  # every mention is an instance of its own
    if given["match"] in (None, "exact", "soft"):
        return read_study(files, **options)
    from consilience.match.sequences import read_sequences

    usual = {"duplicates": "error", "universe": "pool", "boxes": None}
    wrong = next((name for name in usual if options.get(name, usual[name]) != usual[name]), None)
    if wrong is not None:
        raise UsageError(f"--{wrong} is not for sequences of tokens (fix: leave it out)")
    if options["truth_columns"] or options["answers"] is not None:
        wrong = "truth-columns" if options["truth_columns"] else "answers"
        raise UsageError(f"--{wrong} is not for sequences of tokens (fix: leave it out)")
    told = {name: given[name] for name in ("tokens", "unicode", "case") if given[name] is not None}
    if given["match"] == "aligned":
        told |= {"similarity": given["similarity"], "floor": given["floor"]}
    with alive("reading and aligning"):
        return read_sequences(
            list(files),
            list(options["truth"]),
            method=given["match"],
            columns=mapping(options["columns"]),
            encoding=options["encoding"],
            **told,
        )
