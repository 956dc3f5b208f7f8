"""A result as a document, before it has a format: sentences, tables, lists and pictures.

A verb says once what its result tells (:class:`Report`); the terminal, Markdown, LaTeX, the HTML
page and the notebook are written from that by :mod:`consilience.render.write`. Nothing here is
escaped, wrapped or cut: that is the business of the formats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from consilience.render.theme import Spec

#: Makes a Vega-Lite specification for a light page, or with ``dark=True`` for a dark one; None
#: where there is nothing to draw, and then neither the picture nor its twin is shown.
Draw: TypeAlias = "Callable[..., Spec | None]"
#: How a column is set: row headers, numbers, "0.61 [0.50, 0.70]", a cell of a matrix, plain text.
ColumnKind = Literal["head", "number", "score", "cell", ""]
#: Kinds to be repeated: ``(SCORE,) * 3``.
HEAD: ColumnKind = "head"
NUMBER: ColumnKind = "number"
SCORE: ColumnKind = "score"
CELL: ColumnKind = "cell"
TEXT: ColumnKind = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table for people: cells are text, rounded already.

    ``kinds`` has one entry per column. ``left_out`` says below the table what it does not show.
    ``main`` marks the table that goes into LaTeX and into notebooks, ``notebook`` one that goes
    into notebooks only; ``drawn`` one that a picture shows as well, so that pages need it not.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    kinds: tuple[ColumnKind, ...]
    left_out: str = ""
    main: bool = False
    notebook: bool = False
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class Lines:
    """A list of sentences or short facts; nothing where there are none."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A paragraph; nothing where it is empty. ``notebook``: it goes into notebooks, too."""

    text: str
    notebook: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A chart, its description in words, and the same figures as a table (its twin).

    Pages show the chart with the twin folded below; the terminal, Markdown and LaTeX show nothing
    of it: what matters stands in a table of its own.
    """

    name: str
    draw: Draw
    words: str
    twin: Table


Block: TypeAlias = Table | Lines | Said | Picture


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading; left out where all blocks are empty."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """All that a result says: the headline first, how it was computed last.

    ``badges`` are short facts under the headline of a page; ``caution`` is a caveat that every
    format shows prominently (empty: none); ``facts`` tell how it was computed, as (label, text);
    ``methods`` tells the same as a paragraph for a paper. ``page`` names the sections that stand
    first on a page and in a notebook, where pictures make another order the better one.
    """

    title: str
    headline: str
    sections: tuple[Section, ...]
    facts: tuple[tuple[str, str], ...]
    methods: str
    badges: tuple[str, ...] = ()
    caution: str = ""
    page: tuple[str, ...] = ()
