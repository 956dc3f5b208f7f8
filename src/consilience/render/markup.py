"""Small pieces of HTML: escaped text, tables, lists, figures.

Every function escapes the text it is given. Functions that take finished HTML say so by the name
of the parameter: ``body`` or ``cells``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from consilience.render.words import Payload, plain

#: How a column is set: a class of the style sheet; "head" makes its cells row headers.
Kinds = Sequence[str]
#: A row header longer than this gets more room.
LONG = 40
#: More columns of scores than this, or two more of any kind, make a dense table.
DENSE = 4


def safe(text: object) -> str:
    """Escape text for HTML, inside elements and in quoted attributes.

    Examples
    --------
    >>> safe('<b title="x">')
    '&lt;b title=&quot;x&quot;&gt;'
    """
    return html.escape(plain(text), quote=True)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, kinds: Kinds, title: str) -> str:
    """Write a table with a caption, column headers and row headers.

    Parameters
    ----------
    header, rows : sequences of str
        Plain text.
    kinds : sequence of str
        One per column: ``head`` for row headers, ``number``, ``score``, ``hash`` or nothing.
    title : str
        The caption.

    Examples
    --------
    >>> written = table(["system", "AP"], [["a", "0.31"]], kinds=["head", "number"], title="Scores")
    >>> '<th scope="row">a</th><td class="number">0.31</td>' in written
    True
    """
    top = "".join(_header(text, kind) for text, kind in zip(header, kinds, strict=True))
    lines = [
        f"<tr>{''.join(_cell(text, kind) for text, kind in zip(row, kinds, strict=True))}</tr>"
        for row in rows
    ]
    inner = f"<caption>{safe(title)}</caption>\n<thead><tr>{top}</tr></thead>\n<tbody>\n"
    body = inner + "\n".join(lines) + "\n</tbody>"
    shape = "matrix" if "cell" in kinds else "wide" if {"score", "hash"} & set(kinds) else "slim"
    shape += " dense" if list(kinds).count("score") > DENSE or len(kinds) > DENSE + 2 else ""
    return scroll(f'<table class="{shape}">\n{body}\n</table>', title, tall=len(rows) > 60)


def _header(text: str, kind: str) -> str:
    side = ' class="number"' if kind in {"number", "cell"} else ""
    return f'<th scope="col"{side}>{safe(text)}</th>'


def _cell(text: str, kind: str) -> str:
    if kind == "head":
        shape = ' class="long"' if len(text) > LONG else ""
        return f'<th scope="row"{shape}>{safe(text)}</th>'
    if kind == "cell":
        return f"<td>{safe(text)}</td>"
    if kind == "score":
        value, *between = re.split(r" (?=[\[(±])", text, maxsplit=1)
        told = f' <span class="between">{safe(between[0])}</span>' if between else ""
        return f'<td class="score">{safe(value)}{told}</td>'
    return f'<td class="{kind}">{safe(text)}</td>' if kind else f"<td>{safe(text)}</td>"


def scroll(body: str, label: str, *, tall: bool = False) -> str:
    """Let something wide scroll sideways, by keyboard too."""
    shape = "scroll tall" if tall else "scroll"
    return (
        f'<div class="{shape}" role="region" tabindex="0" aria-label="{safe(label)}">{body}</div>'
    )


def section(title: str, *bodies: str) -> str:
    """Put bodies under a heading; nothing where all of them are empty."""
    kept = [body for body in bodies if body]
    if not kept:
        return ""
    return "\n".join(["<section>", f"<h2>{safe(title)}</h2>", *kept, "</section>"])


def paragraph(text: str, kind: str = "") -> str:
    """Write a paragraph, or nothing for an empty text."""
    if not text:
        return ""
    return f'<p class="{kind}">{safe(text)}</p>' if kind else f"<p>{safe(text)}</p>"


def listing(lines: Sequence[object], kind: str = "plain") -> str:
    """Write a list, or nothing without lines."""
    if not lines:
        return ""
    return f'<ul class="{kind}">{"".join(f"<li>{safe(line)}</li>" for line in lines)}</ul>'


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """Write labelled facts as a definition list."""
    inner = "\n".join(f"<dt>{safe(label)}</dt><dd>{safe(said)}</dd>" for label, said in pairs)
    return f"<dl>\n{inner}\n</dl>"


def details(summary: str, body: str) -> str:
    """Fold something away under a line that opens it."""
    return f"<details><summary>{safe(summary)}</summary>\n{body}\n</details>"


def figure(name: str, words: str, twin: str) -> str:
    """Make room for a chart, with its description and the same figures as a table.

    The description is in the specification of the chart as well, which labels the drawing with it.
    """
    return (
        f'<figure data-chart="{safe(name)}">\n'
        '<div class="on-screen"></div>\n'
        '<div class="on-paper" aria-hidden="true"></div>\n'
        f"<figcaption>{safe(words)}</figcaption>\n"
        f"{details('The same figures as a table', twin)}\n</figure>"
    )


def inputs_table(payload: Payload) -> str:
    """List the files that went in, with their hashes where these are known."""
    if not payload["inputs"]:
        return ""
    rows = [
        [
            str(entry["file"]),
            str(entry.get("recognised") or ""),
            f"{entry['rows']:,}" if entry.get("rows") is not None else "",
            str(entry.get("why") or ""),
            str(entry.get("sha256") or ""),
        ]
        for entry in payload["inputs"]
    ]
    header = ["file", "recognised as", "rows", "because", "sha256"]
    kinds = ["head", "", "number", "", "hash"]
    if not any(entry.get("sha256") for entry in payload["inputs"]):
        header, kinds, rows = header[:-1], kinds[:-1], [row[:-1] for row in rows]
    return table(header, rows, kinds=kinds, title="Files that went in")
