"""What ``align`` tells: sources by both methods, who agrees with whom, and the columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from consilience.render import align_charts as charts
from consilience.render.report import HEAD, NUMBER, TEXT, Picture, Report, Section, Table
from consilience.render.words import DASH, Payload, count, fixed, plain

#: The columns of CSV and Parquet.
COLUMNS = {
    "document": "string",
    "column": "int64",
    "mark": "string",
    "source": "string",
    "token": "string",
    "consensus": "string",
}
#: The most pairs and the most columns of alignments that tables for people show.
PAIRS, SHOWN = 20, 40
#: What stands where a source has no token.
GAP = "·"
#: What stands between two columns that are not neighbours.
LEFT_OUT = "…"


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row per document, aligned column and source; a gap has no token."""
    return [
        {
            "document": one["document"],
            "column": at + 1,
            "mark": mark,
            "source": source,
            "token": tokens[at],
            "consensus": one["consensus"][at],
        }
        for one in payload["alignment"]
        for at, mark in enumerate(one["marks"])
        for source, tokens in one["rows"].items()
    ]


def report(payload: Payload) -> Report:
    """Say all that an alignment tells."""
    return Report(
        title="Sequences side by side",
        headline=payload["headline"],
        sections=(
            Section("Sources", (_methods_picture(payload), _sources(payload))),
            Section("Who agrees with whom", (_pairs(payload),)),
            Section(
                "Where they differ",
                (_places_picture(payload), _cells_picture(payload), *_windows(payload)),
            ),
        ),
        facts=_facts(payload),
        methods=_methods(payload),
        badges=(
            count(len(payload["systems"]), "source"),
            count(len(payload["documents"]), "document"),
            count(payload["columns"], "column"),
            "with truth" if payload["gold"] else "without truth",
        ),
        caution=payload["caveat"] or "",
    )


def _sources(payload: Payload) -> Table:
    """Precision, recall and F1 by both methods, side by side."""
    truth = bool(payload["gold"])
    what = "the truth" if truth else "the sources' consensus"
    header = ("source", payload["tokens"], "agreement", *(("error rate",) if truth else ()))
    made = []
    for one in ordered(payload):
        bag, aligned = one["bag"] or {}, one["aligned"] or {}
        made.append(
            (
                one["name"],
                f"{one['tokens']:,}",
                fixed(one["agreement"]),
                *((fixed(one["error_rate"]),) if truth else ()),
                *(fixed(bag.get(key)) for key in charts.MEASURES),
                *(fixed(aligned.get(key)) for key in charts.MEASURES),
            )
        )
    return Table(
        f"Against {what}, by Method I (as a bag) and by Method II (by aligned position)",
        (*header, "P I", "R I", "F1 I", "P II", "R II", "F1 II"),
        tuple(made),
        (HEAD, *(NUMBER,) * (len(header) + 5)),
        left_out=_reasons(payload),
        main=True,
    )


def ordered(payload: Payload) -> list[Any]:
    """Give the systems, the highest F1 by position first."""
    systems = [one for one in payload["sources"] if one["kind"] == "system"]
    return sorted(systems, key=lambda one: -(one["aligned"]["f1"] or 0))


def _reasons(payload: Payload) -> str:
    """Say why figures are missing."""
    said = [
        f"{plain(one['name'])}: {one['aligned']['undefined']}"
        for one in ordered(payload)
        if one["aligned"]["undefined"]
    ]
    return f"{DASH} is undefined. {'; '.join(said)}." if said else ""


def _pairs(payload: Payload, *, all_of_them: bool = False) -> Table:
    """All pairs, the nearest first."""
    every = sorted(payload["pairs"], key=lambda pair: -pair["agreement"])
    shown = every if all_of_them else every[:PAIRS]
    beyond = len(every) - len(shown)
    return Table(
        "Agreement of two sources: 1 − edits / longer length",
        ("first", "second", "agreement", "edits", "longer"),
        tuple(
            (
                pair["a"],
                pair["b"],
                fixed(pair["agreement"]),
                f"{pair['edits']:,}",
                f"{pair['longer']:,}",
            )
            for pair in shown
        ),
        (HEAD, HEAD, NUMBER, NUMBER, NUMBER),
        left_out=f"{beyond:,} further pairs: see -f json." if beyond else "",
    )


def chosen_columns(payload: Payload) -> Iterator[tuple[Any, list[int]]]:
    """Choose the first columns on which not all agree, each with its neighbours."""
    room = SHOWN
    for one in payload["alignment"]:
        differ = [at for at, mark in enumerate(one["marks"]) if mark != "*"]
        near: dict[int, None] = {}
        for at in differ:
            near |= dict.fromkeys(k for k in (at - 1, at, at + 1) if 0 <= k < one["columns"])
            if len(near) >= room:
                break
        here = sorted(near)[:room]
        if here:
            room -= len(here)
            yield one, here
        if room <= 0:
            return


def _windows(payload: Payload) -> list[Table]:
    """Show the first columns on which not all agree."""
    tables = [_window(payload, one, here) for one, here in chosen_columns(payload)]
    if not tables:
        return []
    differ = payload["columns"] - payload["agreed"]
    shown = sum(one["marks"][at] != "*" for one, here in chosen_columns(payload) for at in here)
    last = tables[-1]
    more = f"{differ - shown:,} further columns on which not all agree: see -f csv."
    marks = "* all agree, : more than half, . fewer; · is a gap."
    said = f"{marks} {more}" if differ > shown else marks
    return [*tables[:-1], Table(last.title, last.header, last.rows, last.kinds, said)]


def _window(payload: Payload, one: Any, here: list[int]) -> Table:
    which = f" of {plain(one['document'])}" if len(payload["documents"]) > 1 else ""
    shown = _with_jumps(here)
    cells = [
        (source, *("" if at is None else GAP if tokens[at] is None else tokens[at] for at in shown))
        for source, tokens in one["rows"].items()
    ]
    return Table(
        f"Columns{which} on which not all agree, with their neighbours",
        ("column", *(LEFT_OUT if at is None else f"{at + 1:,}" for at in shown)),
        (*cells, ("", *("" if at is None else one["marks"][at] for at in shown))),
        (HEAD, *(TEXT,) * len(shown)),
    )


def _with_jumps(here: list[int]) -> list[int | None]:
    """Put None where columns are left out between two that are shown."""
    made: list[int | None] = []
    for before, at in zip([here[0] - 1, *here], here, strict=False):
        made += [at] if at == before + 1 else [None, at]
    return made


def _methods_picture(payload: Payload) -> Picture:
    return Picture(
        "methods",
        partial(charts.methods, payload),
        charts.methods_words(payload),
        _sources(payload),
    )


def _places_picture(payload: Payload) -> Picture:
    cells = charts.place_rows(payload)
    return Picture(
        "places",
        partial(charts.places, payload),
        charts.places_words(payload),
        Table(
            f"Share of columns in which a source differs from {charts.reference_words(payload)}",
            ("source", "columns", "share"),
            tuple((row["source"], row["columns"], fixed(row["share"], 3)) for row in cells),
            (HEAD, HEAD, NUMBER),
        ),
    )


def _cells_picture(payload: Payload) -> Picture:
    cells = charts.cell_rows(payload, [*chosen_columns(payload)])
    return Picture(
        "columns",
        partial(charts.cells, payload, [*chosen_columns(payload)]),
        charts.cells_words(payload),
        Table(
            f"Tokens, and how each stands to {charts.reference_words(payload)}",
            ("column", "source", "token", "is"),
            tuple((row["column"], row["source"], row["token"], row["is"]) for row in cells),
            (HEAD, HEAD, TEXT, TEXT),
        ),
    )


def _facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    chosen = payload["settings"]
    alike = "exact tokens"
    if chosen["similarity"]:
        alike = f"{chosen['similarity']}, below {chosen['floor']:g} unrelated"
    return (
        ("tokens", f"{payload['tokens']}; unicode {chosen['unicode']}, case {chosen['case']}"),
        ("equality", alike),
        (
            "alignment",
            f"progressive, guide tree by average linkage, sum of pairs, a gap costs "
            f"{chosen['gap']:g}; at most {count(chosen['refine'], 'round')} of realignment",
        ),
        ("columns", _counted(payload)),
        (
            "items",
            "Method I: the k-th mention of a token; Method II: "
            + ("a token in its column" if chosen["per"] == "token" else "a column"),
        ),
        ("belief", payload["belief"]["method"]),
    )


def _counted(payload: Payload) -> str:
    every, all_, most = (payload[key] for key in ("columns", "agreed", "majority"))
    if not every:
        return "none"
    return (
        f"{every:,}: all agree on {all_:,} ({all_ / every:.1%}), more than half on {most:,} "
        f"more, fewer on {every - all_ - most:,}"
    )


def _methods(payload: Payload) -> str:
    chosen = payload["settings"]
    how = "exactly equal" if chosen["similarity"] is None else f"alike by {chosen['similarity']}"
    against = "the true sequence" if payload["gold"] else "their consensus"
    return (
        f"Sequences of {payload['tokens']} were aligned progressively (pairwise edit distances, "
        "guide tree by average linkage, groups laid side by side at the least sum of pairs with "
        f"gap cost {chosen['gap']:g}; Thompson et al. 1994), tokens being {how}. Sources were "
        f"scored against {against} as multisets of tokens (Method I) and by aligned position "
        "(Method II; Lamiroy and Sun 2013)."
    )
