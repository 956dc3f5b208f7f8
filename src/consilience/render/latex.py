"""Results as LaTeX tables, ready for a paper."""

from __future__ import annotations

import re
from collections.abc import Sequence

from consilience.render.claims import headline
from consilience.render.how import methods
from consilience.render.sure import design_line, drawn_line
from consilience.render.tables import caption, tables
from consilience.render.words import Payload, plain, sentence

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
    "⊤": r"\ensuremath{\top}",
    "⊥": r"\ensuremath{\bot}",
    "φ": r"\ensuremath{\varphi}",
    "τ": r"\ensuremath{\tau}",
    "α": r"\ensuremath{\alpha}",
    "β": r"\ensuremath{\beta}",
    "δ": r"\ensuremath{\delta}",
    "κ": r"\ensuremath{\kappa}",
    "λ": r"\ensuremath{\lambda}",
    "ω": r"\ensuremath{\omega}",
    "·": r"\textperiodcentered{}",
    "±": r"\ensuremath{\pm}",
    "×": r"\ensuremath{\times}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "−": r"\ensuremath{-}",
}


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
    made = [_latex_table(header, table) for header, table in tables(payload)]
    lines = "".join(f"% {line}\n" for line in (headline(payload), methods(payload)))
    why = sentence(plain(payload.get("withheld") or ""))
    told = [caption(payload), why]
    if payload["verb"] == "rank":
        told += [design_line(payload), drawn_line(payload)]
    said = f"\\caption{{{escape_latex(' '.join(part for part in told if part))}}}"
    body = "\n\n".join(made)
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
