"""Beliefs as judgments for other programs (TREC qrels), and as Markdown for people."""

from __future__ import annotations

from consilience.errors import UsageError, quote
from consilience.render.claims import belief_cell, caveat_line, headline, rows_left_out
from consilience.render.how import how
from consilience.render.markdown import escape_markdown, markdown_list, markdown_table, stressed
from consilience.render.tables import columns
from consilience.render.words import Payload

#: An item is judged relevant from this belief on.
RELEVANT = 0.5
#: Rows of a belief in Markdown.
ROWS = 40


def qrels(payload: Payload) -> str:
    r"""Write a belief as TREC qrels: relevant (1) from a belief of 0.5 on, otherwise 0.

    Rows without a belief are left out, because an item that is not judged is not wrong.

    Raises
    ------
    UsageError
        If the belief is about categories or about the mentions of items, or if a query or an item
        holds white space, which parts the fields of qrels.

    Examples
    --------
    >>> rows = [{"query": "q1", "item": "d1", "belief": 0.8}]
    >>> qrels({"verb": "belief", "rows": [*rows, {"query": "q1", "item": "d2", "belief": None}]})
    'q1 0 d1 1\n'
    """
    if "category" in columns(payload):
        raise UsageError("a belief about categories has no qrels form (fix: use csv or parquet)")
    if "mention" in columns(payload):
        raise UsageError("items are mentions here; judgments need one row an item (fix: -f csv)")
    known = [row for row in payload["rows"] if row["belief"] is not None]
    lines = (
        f"{_field(row['query'], 'query')} 0 {_field(row['item'], 'item')}"
        f" {int(row['belief'] >= RELEVANT)}\n"
        for row in known
        if row["belief"] == row["belief"]
    )
    return "".join(lines)


def _field(value: object, name: str) -> str:
    text = str(value)
    if len(text.split()) != 1 or text != text.strip():
        raise UsageError(
            f"the {name} {quote(text)} cannot stand in qrels, whose fields are parted by white"
            " space (fix: use csv or parquet)"
        )
    return text


def belief_markdown(payload: Payload) -> str:
    """Write a belief as Markdown: its first rows, notes, and how it was computed."""
    names = list(columns(payload))
    table = [[belief_cell(name, row) for name in names] for row in payload["rows"][:ROWS]]
    parts = [
        f"**{escape_markdown(headline(payload))}**",
        stressed(caveat_line(payload)),
        markdown_table(names, table),
        escape_markdown(rows_left_out(payload, ROWS)),
        markdown_list("Notes", payload["notes"]),
        markdown_list("How", [f"{label}: {said}" for label, said in how(payload)]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"
