"""Results as tables: CSV and Parquet for programs, Markdown and LaTeX for people, JSON for both.

CSV, Parquet and JSON keep full precision. Markdown and LaTeX round as the terminal does. A ranking
has one row per system and measure in CSV and Parquet, and one row per system in Markdown and LaTeX;
a curve has one row per cutoff everywhere, with a table of the AP variants for people.
"""

from __future__ import annotations

import csv as csv_module
import io
import json as json_module
import re
from collections.abc import Sequence
from typing import Any

from consilience.render.claims import areas, headline
from consilience.render.how import how, methods
from consilience.render.words import (
    Payload,
    by_rank,
    chance,
    chance_label,
    estimate,
    fixed,
    gaps,
    percent,
    place,
    plain,
    span,
    tie_lines,
    without_truth,
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
}
#: Columns of a curve in CSV and Parquet, with their Arrow types.
CURVE_COLUMNS = {"k": "int64", "precision": "float64", "recall": "float64"}

#: Characters with a meaning in LaTeX, and how to print them.
LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r'{\string"}',
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "–": r"\textendash{}",
    "…": r"\ldots{}",
}

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
    return RANK_COLUMNS if payload["verb"] == "rank" else CURVE_COLUMNS


def rows(payload: Payload) -> list[Row]:
    """Flatten a result into rows: system and measure for a ranking, cutoffs for a curve.

    Examples
    --------
    >>> rows({"verb": "curve", "cutoffs": [{"k": 1, "precision": 1.0, "recall": 0.2}]})
    [{'k': 1, 'precision': 1.0, 'recall': 0.2}]
    """
    if payload["verb"] == "curve":
        return [{name: row[name] for name in CURVE_COLUMNS} for row in payload["cutoffs"]]
    return [
        _row(system, measure, score)
        for system in payload["systems"]
        for measure, score in system["scores"].items()
    ]


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
    """Give the header and the rows of a ranking for people: one row per system."""
    measures, systems = payload["measures"], by_rank(payload)
    bounded = {m for m in measures for s in systems if (s["scores"].get(m) or {}).get("bounds")}
    header = ["rank", "system", chance_label(payload)]
    for measure in measures:
        header += [measure, f"{measure} bounds"] if measure in bounded else [measure]
    table = []
    for system in systems:
        row = [place(system), plain(system["name"]), chance(system["p_best"])]
        for measure in measures:
            score = system["scores"].get(measure)
            row.append(estimate(score))
            if measure in bounded:
                row.append(span(score.get("bounds")) if score else "")
        table.append(row)
    return header, table


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
    ...     }
    ... )
    'Ranked by AP. No ground truth was used.'
    """
    if payload["verb"] == "curve":
        return f"Precision and recall of {plain(payload['name'])} at each cutoff k."
    said = f"Ranked by {plain(payload['measure'])}."
    if payload["resampling"] is not None:
        said += f" In brackets: {percent(payload['level'])} intervals."
    return f"{said} No ground truth was used." if without_truth(payload) else said


def _tables(payload: Payload) -> list[tuple[list[str], list[list[str]]]]:
    if payload["verb"] == "rank":
        return [rank_table(payload)]
    return [variant_table(payload), cutoff_table(payload["cutoffs"])]


def escape_markdown(entry: str) -> str:
    r"""Put a backslash before each character that Markdown could take as markup.

    Examples
    --------
    >>> print(escape_markdown("a|b <i> my_run*"))
    a\|b \<i\> my\_run\*
    """
    return re.sub(r"([\\`*_{}\[\]<>|~#&$])", r"\\\1", plain(entry))


def markdown(payload: Payload) -> str:
    """Write a result as Markdown: the verdict, the tables, notes, and how it was computed."""
    parts = [f"**{escape_markdown(headline(payload))}**"]
    parts += [_markdown_table(header, table) for header, table in _tables(payload)]
    parts.append(escape_markdown(caption(payload)))
    if payload["verb"] == "rank":
        parts.append(_markdown_list("Undefined or missing", gaps(payload)))
        parts.append(_markdown_list("Not told apart by these data", tie_lines(payload)))
    parts.append(_markdown_list("Notes", payload["notes"]))
    parts.append(_markdown_list("How", [f"{label}: {said}" for label, said in how(payload)]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _markdown_table(header: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    lines = [header, *table]
    written = [f"| {' | '.join(escape_markdown(entry) for entry in line)} |" for line in lines]
    return "\n".join([written[0], "|" + "---|" * len(header), *written[1:]])


def _markdown_list(title: str, lines: Sequence[str]) -> str:
    if not lines:
        return ""
    return "\n".join([f"{title}:", "", *(f"- {escape_markdown(line)}" for line in lines)])


def escape_latex(entry: str) -> str:
    r"""Write a text so that LaTeX prints it as it is.

    Examples
    --------
    >>> print(escape_latex(r"50% of a_b & {c}~^\ --x"))
    50\% of a\_b \& \{c\}\textasciitilde{}\textasciicircum{}\textbackslash{} -{}-x
    """
    visible = re.sub("[\u2400-\u2421\ufffd]", "?", plain(" ".join(entry.split())))
    written = "".join(LATEX.get(character, character) for character in visible)
    return re.sub("-(?=-)", "-{}", written)


def latex(payload: Payload) -> str:
    r"""Write a result as LaTeX tables (package booktabs), ready for ``\input``."""
    tables = [_latex_table(header, table) for header, table in _tables(payload)]
    lines = "".join(f"% {line}\n" for line in (headline(payload), methods(payload)))
    said = f"\\caption{{{escape_latex(caption(payload))}}}"
    body = "\n\n".join(tables)
    return (
        f"{lines}% needs \\usepackage{{booktabs}}\n"
        f"\\begin{{table}}\n\\centering\n{said}\n{body}\n\\end{{table}}\n"
    )


def _latex_table(header: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    return "\n".join(
        [
            f"\\begin{{tabular}}{{{'l' * len(header)}}}",
            r"\toprule",
            _latex_line(header),
            r"\midrule",
            *map(_latex_line, table),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    )


def _latex_line(row: Sequence[str]) -> str:
    return " & ".join(escape_latex(entry) for entry in row) + r" \\"
