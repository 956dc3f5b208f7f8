"""A document as Markdown, and its main tables as LaTeX for a paper."""

from __future__ import annotations

from consilience.render.documents import caution
from consilience.render.latex import escape_latex
from consilience.render.markdown import (
    escape_markdown,
    markdown_list,
    markdown_table,
    stressed,
)
from consilience.render.report import Block, Lines, Report, Said, Section, Table
from consilience.render.words import plain, sentence


def markdown(report: Report) -> str:
    r"""Write a document as Markdown: all but the pictures.

    Examples
    --------
    >>> told = Report("t", "a_1 leads.", (Section("Said", (Said("Two | three."),)),), (), "")
    >>> print(markdown(told), end="")
    **a\_1 leads.**
    <BLANKLINE>
    ### Said
    <BLANKLINE>
    Two \| three.
    """
    parts = [f"**{escape_markdown(report.headline)}**", stressed(caution(report))]
    parts += [_section(section) for section in report.sections]
    parts.append(markdown_list("How", [f"{label}: {said}" for label, said in report.facts]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _section(section: Section) -> str:
    kept = [part for part in map(_block, section.blocks) if part]
    return "\n\n".join([f"### {escape_markdown(section.title)}", *kept]) if kept else ""


def _block(block: Block) -> str:
    if isinstance(block, Table):
        return _table(block)
    if isinstance(block, Said):
        return escape_markdown(block.text)
    if isinstance(block, Lines):
        return "\n".join(f"- {escape_markdown(line)}" for line in block.lines)
    return ""


def _table(table: Table) -> str:
    if not table.rows:
        return ""
    made = markdown_table(table.header, table.rows)
    parts = (escape_markdown(table.title), made, escape_markdown(table.left_out))
    return "\n\n".join(part for part in parts if part)


def latex(report: Report) -> str:
    r"""Write the main tables of a document as LaTeX (package booktabs), ready for ``\input``."""
    told = (report.headline, report.methods)
    lines = "".join(f"% {plain(line)}\n" for line in told if line)
    tables = [
        _latex_table(block, report.caution)
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Table) and block.main and block.rows
    ]
    return f"{lines}% needs \\usepackage{{booktabs}}\n" + "\n".join(tables)


def _latex_table(table: Table, beware: str) -> str:
    said = " ".join(sentence(part) for part in (table.title, table.left_out) if part)
    if beware.rstrip(".").lower() not in said.lower():
        said = f"{said} {sentence(beware)}"
    sides = "".join("r" if kind in {"number", "cell"} else "l" for kind in table.kinds)
    return "\n".join(
        [
            "\\begin{table}",
            "\\centering",
            f"\\caption{{{escape_latex(said)}}}",
            f"\\begin{{tabular}}{{{sides}}}",
            "\\toprule",
            _latex_line(table.header),
            "\\midrule",
            *map(_latex_line, table.rows),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
            "",
        ]
    )


def _latex_line(row: tuple[str, ...]) -> str:
    return " & ".join(escape_latex(entry) for entry in row) + r" \\"
