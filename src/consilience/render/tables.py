"""Results as tables: CSV and Parquet for programs, JSON, and the tables that people read.

CSV, Parquet and JSON keep full precision; tables for people round as the terminal does. A ranking
has one row per system and measure in CSV and Parquet, and one row per system for people, with the
virtual systems (which return everything or nothing) below it; a curve has one row per cutoff
everywhere, with a table of the AP variants for people; a belief has one row per query and item.
"""

from __future__ import annotations

import csv as csv_module
import io
import json as json_module
from collections.abc import Sequence
from typing import Any

from consilience.render.agreement import family_labels, virtual_label
from consilience.render.claims import areas
from consilience.render.documents import REPORTS, teller
from consilience.render.matching import matching_fact
from consilience.render.sure import footnote, legend, score_cell
from consilience.render.sure_columns import Beside, beside
from consilience.render.sure_rows import rivals_of, sure_cells, sure_columns
from consilience.render.words import (
    Payload,
    by_rank,
    caveat,
    chance_cell,
    chance_label,
    fixed,
    place,
    plain,
    shown_measures,
    with_caveat,
)

#: Columns of a ranking in CSV and Parquet, with their Arrow types.
RANK_COLUMNS = {
    "system": "string",
    "rank": "int64",
    "rank_low": "int64",
    "rank_high": "int64",
    "p_best": "float64",
    "measure": "string",
    "value": "float64",
    "low": "float64",
    "high": "float64",
    "defined_queries": "int64",
    "undefined_queries": "int64",
    "undefined": "string",
    "bound_low": "float64",
    "bound_high": "float64",
    "caveat": "string",
}
#: Columns of a curve in CSV and Parquet, with their Arrow types.
CURVE_COLUMNS = {"k": "int64", "precision": "float64", "recall": "float64"}
#: Columns of a belief in CSV and Parquet, with their Arrow types.
BELIEF_COLUMNS = {
    "query": "string",
    "item": "string",
    "mention": "int64",
    "belief": "float64",
    "category": "string",
}
#: Those that a belief need not have: which mention of an item, and which of several categories.
OPTIONAL = ("mention", "category")

Row = dict[str, Any]


def json(payload: Payload) -> str:
    """Write a result as JSON: full precision, no NaN, readable by people.

    Examples
    --------
    >>> print(json({"verdict": "naïve wins", "value": None}), end="")
    {
      "verdict": "naïve wins",
      "value": null
    }
    """
    return json_module.dumps(payload, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def columns(payload: Payload) -> dict[str, str]:
    """Name the columns of a result in CSV and Parquet, with their Arrow types."""
    if payload["verb"] in REPORTS:
        told = teller(payload["verb"])
        chosen = getattr(told, "columns", None)  # of verbs whose results have several kinds
        return dict(told.COLUMNS if chosen is None else chosen(payload))
    if payload["verb"] == "belief":
        held = {name for name in OPTIONAL if any(name in row for row in payload["rows"])}
        absent = set(OPTIONAL) - held
        return {name: kind for name, kind in BELIEF_COLUMNS.items() if name not in absent}
    if payload["verb"] == "rank":
        return {**RANK_COLUMNS, **sure_columns(payload)}
    return CURVE_COLUMNS


def rows(payload: Payload) -> list[Row]:
    """Flatten a result into rows: system and measure, cutoffs, query and item, or as its verb says.

    Examples
    --------
    >>> rows({"verb": "curve", "cutoffs": [{"k": 1, "precision": 1.0, "recall": 0.2}]})
    [{'k': 1, 'precision': 1.0, 'recall': 0.2}]
    """
    if payload["verb"] in REPORTS:
        return list(teller(payload["verb"]).rows(payload))
    if payload["verb"] == "curve":
        return [{name: row[name] for name in CURVE_COLUMNS} for row in payload["cutoffs"]]
    if payload["verb"] == "belief":
        names = columns(payload)
        return [{name: row.get(name) for name in names} for row in payload["rows"]]
    said, rivals = caveat(payload) or None, rivals_of(payload)
    made = []
    for system in payload["systems"]:
        for measure, score in system["scores"].items():
            row = {**_row(system, measure, score), "caveat": said}
            if sure_columns(payload):
                pair = rivals.get(system["name"]) if measure == payload["measure"] else None
                row |= sure_cells(system, score, pair)
            made.append(row)
    return made


def _row(system: Payload, measure: str, score: Payload) -> Row:
    rank_low, rank_high = system.get("rank_interval") or (None, None)
    low, high = score.get("interval") or (None, None)
    bound_low, bound_high = score.get("bounds") or (None, None)
    return {
        "system": system["name"],
        "rank": system["rank"],
        "rank_low": rank_low,
        "rank_high": rank_high,
        "p_best": system["p_best"],
        "measure": measure,
        "value": score["value"],
        "low": low,
        "high": high,
        "defined_queries": score.get("defined_queries"),
        "undefined_queries": score.get("undefined_queries"),
        "undefined": score.get("undefined"),
        "bound_low": bound_low,
        "bound_high": bound_high,
    }


def csv(payload: Payload) -> str:
    r"""Write a result as CSV (RFC 4180); what is undefined is an empty field.

    Examples
    --------
    >>> csv({"verb": "curve", "cutoffs": [{"k": 1, "precision": 1.0, "recall": None}]})
    'k,precision,recall\r\n1,1.0,\r\n'
    """
    out = io.StringIO()
    writer = csv_module.DictWriter(out, columns(payload), lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows(payload))
    return out.getvalue()


def parquet(payload: Payload) -> bytes:
    """Write a result as a Parquet file: the rows of the CSV, with types."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"string": pa.string(), "int64": pa.int64(), "float64": pa.float64()}
    schema = pa.schema([(name, types[kind]) for name, kind in columns(payload).items()])
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows(payload), schema=schema), out)
    return out.getvalue()


def rank_table(payload: Payload) -> tuple[list[str], list[list[str]]]:
    """Give the header and the rows of a ranking for people: one row per system.

    Virtual systems come last and have no rank. Where all values are withheld, only the ranks and
    their probabilities are left. Bounds, what the belief makes of a score and the share that was
    judged have a column for the ranking measure only.
    """
    systems, families, more = by_rank(payload), family_labels(payload), beside(payload)
    header = ["rank", "system", *(["family"] if families else []), chance_label(payload)]
    for measure in shown_measures(payload):
        header.append(measure)
        header += [column.header for column in more if measure == payload["measure"]]
    table = []
    for i, system in enumerate(systems):
        row = [place(system), plain(system["name"]), *families[i : i + 1]]
        table.append([*row, chance_cell(system, payload), *_scores(system, payload, more)])
    for system in virtual_systems(payload):
        row = ["", virtual_label(system), *([""] if families else []), ""]
        table.append([*row, *_scores(system, payload, more)])
    return header, table


def virtual_systems(payload: Payload) -> list[Payload]:
    """List the virtual systems that a table shows: none where all values are withheld."""
    return list(payload.get("virtual") or []) if shown_measures(payload) else []


def _scores(system: Payload, payload: Payload, more: Sequence[Beside]) -> list[str]:
    cells = []
    for measure in shown_measures(payload):
        cells.append(score_cell(system["scores"].get(measure)))
        cells += [column.cell(system) for column in more if measure == payload["measure"]]
    return cells


def rank_kinds(header: Sequence[str]) -> list[str]:
    """Say how the columns of `rank_table` are set in HTML.

    Examples
    --------
    >>> rank_kinds(["rank", "system", "P(best)", "AP"])
    ['rank', 'head', 'number', 'score']
    """
    known = {"rank": "rank", "system": "head", "family": "family", "P(best)": "number"}
    known["P(agrees most)"] = "number"
    first = header[:4] if "family" in header[:3] else header[:3]
    rest = ["number" if name.startswith("judged") else "score" for name in header[len(first) :]]
    return [known[name] for name in first] + rest


def variant_table(payload: Payload) -> tuple[list[str], list[list[str]]]:
    """Give the header and the rows of the AP variants of a curve."""
    table = [[name, fixed(value), told] for name, value, told in areas(payload)]
    return ["variant", "value", "what it is"], table


def cutoff_table(cutoffs: Sequence[Payload]) -> tuple[list[str], list[list[str]]]:
    """Give the header and the rows of the cutoffs of a curve."""
    table = [[str(row["k"]), fixed(row["precision"]), fixed(row["recall"])] for row in cutoffs]
    return ["k", "precision", "recall"], table


def caption(payload: Payload) -> str:
    """Say under a table what it shows, and the caveat where there was no truth.

    Examples
    --------
    >>> caption(
    ...     {
    ...         "verb": "rank",
    ...         "measure": "AP",
    ...         "level": 0.95,
    ...         "resampling": None,
    ...         "condition": "absent",
    ...         "measures": ["AP"],
    ...         "systems": [],
    ...     }
    ... )
    'Ranked by AP. No ground truth was used: this is agreement.'
    """
    if payload["verb"] == "curve":
        return f"Precision and recall of {plain(payload['name'])} at each cutoff k."
    said = f"Ranked by {plain(payload['measure'])}."
    said += "".join(f" Items were matched: {text}." for _, text in matching_fact(payload)[:1])
    return with_caveat(" ".join([said, *legend(payload), footnote(payload)]).rstrip(), payload)


def tables(payload: Payload) -> list[tuple[list[str], list[list[str]]]]:
    """Give the tables of a ranking or a curve for people, each as header and rows."""
    if payload["verb"] == "rank":
        return [rank_table(payload)]
    return [variant_table(payload), cutoff_table(payload["cutoffs"])]
