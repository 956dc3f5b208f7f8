"""Results as Markdown: the verdict, the tables, notes, and how it was computed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.render import judged, rivals
from consilience.render.agreement import (
    alike_lines,
    alone_words,
    has_panel,
    panel_lines,
    panel_table,
    remarks,
)
from consilience.render.claims import caveat_line, headline, withheld_line
from consilience.render.how import how
from consilience.render.matching import matching_lines
from consilience.render.sure import design_line, drawn_line, stop_line
from consilience.render.tables import caption, tables
from consilience.render.words import Payload, gaps, plain, tie_lines


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
    parts += [stressed(withheld_line(payload)), stressed(caveat_line(payload))]
    parts.append(escape_markdown(stop_line(payload)) if payload["verb"] == "rank" else "")
    parts += [markdown_table(header, table) for header, table in tables(payload)]
    parts.append(escape_markdown(caption(payload)))
    if payload["verb"] == "rank":
        parts += [escape_markdown(line(payload)) for line in (design_line, drawn_line)]
        parts.append(markdown_list("Undefined or missing", gaps(payload)))
        parts.append(markdown_list("Not told apart by these data", tie_lines(payload)))
        parts += [*_sure(payload), *_agreement(payload)]
    parts.append(markdown_list("Notes", remarks(payload)))
    parts.append(markdown_list("How", [f"{label}: {said}" for label, said in how(payload)]))
    return "\n\n".join(part for part in parts if part) + "\n"


def stressed(said: str) -> str:
    """Stress a sentence; nothing for an empty one."""
    return f"*{escape_markdown(said)}*" if said else ""


def _sure(payload: Payload) -> list[str]:
    """Write the first system against the others, what was judged, and labels drawn by design."""
    header, rows, _ = rivals.rivals_table(payload, rivals.MOST)
    parts = []
    if rows:
        parts = [f"{escape_markdown(rivals.rivals_title(payload))}:", markdown_table(header, rows)]
        parts.append(escape_markdown(rivals.left_out(payload, len(rows))))
        parts.append(escape_markdown(rivals.rivals_legend(payload)))
    if judged.companions(payload):
        share = judged.judged_share(payload)
        beside = f" ({share})" if share else ""
        parts.append(escape_markdown(f"Measures made for incomplete judgments{beside}:"))
        header, rows = judged.companion_scores(payload, judged.MOST)
        parts += [markdown_table(header, rows), markdown_table(*judged.companion_table(payload))]
        parts.append(escape_markdown(judged.companions_left_out(payload, len(rows))))
        parts.append(escape_markdown(judged.partial_line(payload)))
    facts = [f"{label}: {said}" for label, said in judged.design_facts(payload)]
    parts.append(markdown_list("Labels drawn by design", facts))
    header, rows = judged.design_table(payload, judged.MOST)
    if rows:
        parts += [markdown_table(header, rows), escape_markdown(judged.design_words(payload))]
    return parts


def _agreement(payload: Payload) -> list[str]:
    """Write who answers alike, and how far the methods agree; nothing where it is not known."""
    parts = [markdown_list("Which systems answer alike", alike_lines(payload))]
    if has_panel(payload):
        parts += ["How far the methods agree:", markdown_table(*panel_table(payload))]
        parts.append(escape_markdown(alone_words(payload)))
    parts.append(markdown_list("Methods that were skipped", panel_lines(payload)))
    parts.append(markdown_list("Other ways of matching", matching_lines(payload)))
    return parts


def markdown_table(header: Sequence[str], table: Sequence[Sequence[str]]) -> str:
    """Write a table; its cells are escaped."""
    lines = [header, *table]
    written = [f"| {' | '.join(escape_markdown(entry) for entry in line)} |" for line in lines]
    return "\n".join([written[0], "|" + "---|" * len(header), *written[1:]])


def markdown_list(title: str, lines: Sequence[str]) -> str:
    """Write lines as a list under a title; nothing without lines."""
    if not lines:
        return ""
    return "\n".join([f"{title}:", "", *(f"- {escape_markdown(line)}" for line in lines)])
