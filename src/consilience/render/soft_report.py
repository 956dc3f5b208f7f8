"""What ``soft`` tells: the figures beside others, the items and their matches, the similarities.

Segments and boxes have measures of their own, and modules of their own that tell them. The rows of
CSV and Parquet are the documents where there are several, else the items.
"""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from consilience.render import soft_charts as charts
from consilience.render import soft_methods as how
from consilience.render.report import (
    CELL,
    HEAD,
    NUMBER,
    TEXT,
    ColumnKind,
    Lines,
    Picture,
    Report,
    Section,
    Table,
)
from consilience.render.words import DASH, Payload, count, fixed, percent, plain, span

#: The columns of CSV and Parquet for several documents.
DOCUMENTS = {
    "document": "string",
    "gold": "int64",
    "predicted": "int64",
    "precision": "float64",
    "recall": "float64",
    "f1": "float64",
}
#: The same for the items of one document.
ITEMS = {
    "side": "string",
    "item": "string",
    "times": "int64",
    "count": "float64",
    "best": "string",
    "similarity": "float64",
}
COLUMNS = DOCUMENTS
#: Rows that are shown for people: pairs, items of a side, documents; the widest matrix in text.
PAIRS, COUNTS, WORST, WIDE, TALL = 25, 25, 20, 8, 16
#: The most rows of the heat map's twin.
TWIN = 300


def _own(payload: Payload) -> Any:
    """Find the module that tells results of another kind; None for soft figures."""
    if payload["of"] == "segments" and payload["variant"] == "duration":
        return importlib.import_module("consilience.render.segments_report")
    if payload["of"] == "boxes" and "ap" in payload:
        return importlib.import_module("consilience.render.boxes_report")
    return None


def columns(payload: Payload) -> dict[str, str]:
    """Name the columns of CSV and Parquet."""
    own = _own(payload)
    if own is not None:
        return dict(own.COLUMNS)
    return DOCUMENTS if payload["documents"] > 1 else ITEMS


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row for each document where there are several, else one for each item."""
    own = _own(payload)
    if own is not None:
        return list(own.rows(payload))
    if payload["documents"] > 1:
        return [{key: one[key] for key in DOCUMENTS} for one in payload["per_document"]]
    return [
        {"side": side, **{key: one[key] for key in ITEMS if key != "side"}}
        for side in ("gold", "predicted")
        for one in payload["counts"][side]
    ]


def report(payload: Payload) -> Report:
    """Say all that a comparison of inexact items tells."""
    own = _own(payload)
    if own is not None:
        told: Report = own.report(payload)
        return told
    return Report(
        title="Soft precision and recall",
        headline=payload["headline"],
        sections=(
            Section("Precision, recall and F1", (_figures(payload), _methods(payload))),
            Section("Documents", (_spread(payload), _documents(payload))),
            Section("Matched pairs", (_pairs(payload),)),
            Section("Similarities", (_heat(payload), _matrix(payload))),
            Section("What each item counts", (_cardinalities(payload), *_counts(payload))),
            Section("Undefined", (Lines(how.undefined(payload)),)),
        ),
        facts=how.facts(payload),
        methods=how.methods(payload),
        badges=how.badges(payload),
        caution="; ".join(plain(one).rstrip(".") for one in payload["warnings"]),
        page=("Similarities", "Matched pairs") if payload["documents"] == 1 else ("Documents",),
    )


def _side_name(payload: Payload, side: str) -> str:
    """Name a side of the comparison: by what it is, and by its own name where that is another."""
    name = plain(payload["names"].get(side, side))
    return side if name == side else f"{side} ({name})"


def _figures(payload: Payload) -> Table:
    """The chosen figures first, then chance, then what other methods say."""
    keys = tuple(charts.MEASURES)
    rows = [(how.called(payload["variant"]), *(fixed(payload[key]) for key in keys))]
    if payload["resampling"] is not None:
        label = f"  its {percent(payload['level'])} interval"
        rows.append((label, *(span(payload["intervals"][key]) for key in keys)))
    for label, given in (("by chance", payload["null"]), ("adjusted", payload["adjusted"])):
        if given and any(given[key] is not None for key in keys):
            rows.append((label, *(fixed(given[key]) for key in keys)))
    rows += [
        (how.called(one["name"], one["label"]), *(fixed(one[key]) for key in keys))
        for one in payload["baselines"]
    ]
    return Table(
        "This method first, then chance and other methods",
        ("method", *charts.MEASURES.values()),
        tuple(rows),
        (HEAD, NUMBER, NUMBER, NUMBER),
        left_out=how.beside(payload),
        main=True,
    )


def _methods(payload: Payload) -> Picture:
    return Picture(
        "methods",
        partial(charts.by_method, payload),
        charts.by_method_words(payload),
        Table(
            "Precision, recall and F1 by method",
            ("method", "figure", "value", "from", "to"),
            tuple(
                (one["method"], one["measure"], *(fixed(one[k]) for k in ("value", "low", "high")))
                for one in charts.methods(payload)
            ),
            (HEAD, HEAD, NUMBER, NUMBER, NUMBER),
        ),
    )


def _cardinalities(payload: Payload) -> Table:
    known, sizes = payload["cardinality"], payload["sizes"]
    if all(value is None for value in known.values()):
        return Table("", (), (), ())
    over = "" if payload["documents"] == 1 else f", summed over {payload['documents']:,} documents"
    named = {"union": "gold and predicted together", "intersection": "in both"}
    return Table(
        f"How many different items there are, near ones counted in part{over}",
        ("", "items", "soft count"),
        tuple(
            (
                named.get(key, _side_name(payload, key)),
                f"{sizes[key]:,}" if key in sizes else "",
                fixed(value),
            )
            for key, value in known.items()
        ),
        (HEAD, NUMBER, NUMBER),
    )


def _counts(payload: Payload) -> tuple[Table, ...]:
    if payload["documents"] > 1:
        return ()
    return tuple(_side(payload, side) for side in ("gold", "predicted"))


def _side(payload: Payload, side: str) -> Table:
    """The items of one side: how much each counts, and what is nearest on the other side."""
    every = payload["counts"][side]
    other = {"gold": "predicted", "predicted": "gold"}[side]
    again = any(one["times"] != 1 for one in every)
    header = ("item", *(("times",) if again else ()), "counts as", f"nearest {other}", "similarity")
    kinds: tuple[ColumnKind, ...] = (HEAD, *((NUMBER,) if again else ()), NUMBER, TEXT, NUMBER)
    return Table(
        f"Items of {_side_name(payload, side)}",
        header,
        tuple(
            (
                charts.label(one["item"]),
                *((str(one["times"]),) if again else ()),
                fixed(one["count"]),
                DASH if one["best"] is None else charts.label(one["best"]),
                fixed(one["similarity"]),
            )
            for one in every[:COUNTS]
        ),
        kinds,
        left_out=_beyond(len(every), COUNTS, "item", "csv"),
    )


def _beyond(every: int, shown: int, what: str, fmt: str) -> str:
    return f"{count(every - shown, f'further {what}')}: see -f {fmt}." if every > shown else ""


def _pairs(payload: Payload) -> Table:
    """Which items were matched, best first; of several documents, those that are not equal."""
    every, several = payload["pairs"], payload["documents"] > 1
    near = [one for one in every if one["similarity"] < 1] if several else []
    shown = near or every
    title = "Gold items and the predicted ones that were matched with them"
    equal = len(every) - len(near) if near else 0
    if equal:
        title += f", without the {count(equal, 'pair')} that {'is' if equal == 1 else 'are'} equal"
    return Table(
        title,
        (*(("document",) if several else ()), "gold", "predicted", "similarity"),
        tuple(
            (
                *((plain(one["document"]),) if several else ()),
                charts.label(one["gold"]),
                charts.label(one["predicted"]),
                fixed(one["similarity"]),
            )
            for one in shown[:PAIRS]
        ),
        (*((HEAD,) if several else ()), HEAD, TEXT, NUMBER),
        left_out=_beyond(len(shown), PAIRS, "pair", "json"),
        notebook=not several,
    )


def _heat(payload: Payload) -> Picture:
    found = sorted(
        (one for one in charts.cells(payload) if one["similarity"] > 0),
        key=lambda one: -one["similarity"],
    )
    return Picture(
        "similarities",
        partial(charts.similarities, payload),
        charts.similarities_words(payload),
        Table(
            "Similarities above 0, the highest first",
            ("gold", "predicted", "similarity", ""),
            tuple(
                (one["gold"], one["predicted"], fixed(one["similarity"]), one["pair"])
                for one in found[:TWIN]
            )
            or (("none", "", "", ""),),
            (HEAD, HEAD, NUMBER, TEXT),
            left_out=_beyond(len(found), TWIN, "similarity", "json").replace("ys", "ies"),
        ),
    )


def _matrix(payload: Payload) -> Table:
    """The table of similarities where it is small enough to be read."""
    table = payload["table"]
    if not table or not 0 < len(table["predicted"]) <= WIDE or not 0 < len(table["gold"]) <= TALL:
        return Table("", (), (), ())
    over = "" if payload["documents"] == 1 else f" in document {plain(table['document'])}"
    return Table(
        f"Similarities{over}: gold in rows, predicted in columns",
        ("", *map(charts.label, table["predicted"])),
        tuple(
            (item, *(fixed(value, 2) for value in line))
            for item, line in zip(
                map(charts.label, table["gold"]), table["similarity"], strict=True
            )
        ),
        (HEAD, *(CELL,) * len(table["predicted"])),
        drawn=True,
    )


def _spread(payload: Payload) -> Picture:
    return Picture(
        "documents",
        partial(charts.by_document, payload),
        charts.by_document_words(payload),
        Table(
            "Documents by value",
            ("figure", "from–to", "documents"),
            tuple(
                (one["measure"], one["said"], f"{one['documents']:,}")
                for one in charts.bars(payload)
            ),
            (HEAD, HEAD, NUMBER),
        ),
    )


def _documents(payload: Payload) -> Table:
    """Where it went worst: the documents with the lowest F1 first."""
    every = payload["per_document"]
    if len(every) < 2:
        return Table("", (), (), ())
    low = sorted(every, key=lambda one: (one["f1"] is not None, one["f1"] or 0.0))
    return Table(
        "Each document, the lowest F1 first",
        ("document", "gold items", "predicted items", *charts.MEASURES.values()),
        tuple(
            (
                plain(one["document"]),
                f"{one['gold']:,}",
                f"{one['predicted']:,}",
                *(fixed(one[key]) for key in charts.MEASURES),
            )
            for one in low[:WORST]
        ),
        (HEAD, *(NUMBER,) * 5),
        left_out=_beyond(len(every), WORST, "document", "csv"),
    )
