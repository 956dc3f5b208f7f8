"""What an experiment tells: tables with the paper's figures beside ours, findings, figures.

An experiment computes with the functions of the library and puts down what came out as plain
numbers; how they are written and drawn is the business of :mod:`consilience.render`. A
:class:`Finding` holds one claim of the paper against what came out here: ``agrees`` is computed,
never written down.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from consilience.verdict.payload import stamped
from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from consilience.formats.rows import Source

#: A cell of a table: words, a number in full precision, two ends of an interval, or nothing.
Cell: TypeAlias = str | int | float | tuple[float, float] | None
#: How a column is meant: names of rows, words, whole numbers, figures, intervals.
Kind = Literal["head", "text", "count", "figure", "span"]
#: How the values of a figure are drawn: joined by lines, as dots, as bars.
Mark = Literal["line", "dot", "bar"]


@dataclass(frozen=True, slots=True)
class Asked:
    """How an experiment is to be run.

    ``again`` runs slow stages for real instead of reading what was recorded. ``size`` takes so
    many pages, queries or trials only (None: all). ``data`` is the folder of others' data that may
    not be passed on (None: where it is usually found, if it is there).
    """

    again: bool = False
    size: int | None = None
    seed: int = 0
    data: Path | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, how it is meant, and the digits that people see of a figure."""

    name: str
    kind: Kind = "figure"
    digits: int = 2


@dataclass(frozen=True, slots=True)
class Table:
    """A table. What is the paper's and what is ours stands in the columns' names."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A claim, what the paper says of it, what came out here, and whether the two agree.

    ``agrees`` is None where the paper says nothing of it, or where data that are not at hand
    would be needed; ``why`` then tells so, and where the two differ it tells the reason.
    """

    claim: str
    paper: str
    ours: str
    agrees: bool | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: the field, its title, and for figures its ends; ``names`` make it one of words."""

    field: str
    title: str
    ends: tuple[float, float] | None = None
    names: tuple[str, ...] = ()
    reverse: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: rows of data, and which field goes where.

    ``series`` names the field that tells colours apart, ``panel`` the one that tells panels apart;
    their names keep the order of first appearance in ``rows``. Rows with ``low`` and ``high`` get
    a line between the two. ``words`` describe the figure for those who do not see it.
    """

    name: str
    title: str
    words: str
    rows: tuple[Mapping[str, Any], ...]
    x: Axis
    y: Axis
    mark: Mark = "line"
    series: str | None = None
    panel: str | None = None


@dataclass(frozen=True, slots=True)
class Reproduced(Shown):
    """What came out of an experiment; prints as text and shows itself in notebooks.

    ``source`` is what is remade, and ``seconds`` how long it took: :func:`reproduce` fills them in.
    ``stages`` tells for slow stages when, by what and how long they ran; ``versions`` names the
    programs and packages that figures depend on; ``commands`` are those that give the same.
    """

    name: str
    title: str
    headline: str
    tables: tuple[Table, ...]
    findings: tuple[Finding, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    caveat: str | None = None
    seed: int = 0
    versions: Mapping[str, str] = field(default_factory=dict)
    stages: tuple[Stage, ...] = ()
    commands: tuple[str, ...] = ()
    data: str = ""
    source: str = ""
    seconds: float | None = None

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data (the contract of ``reproduce --json``)."""
        body: dict[str, Any] = {
            "headline": self.headline,
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "caveat": self.caveat,
            "tables": [_of_table(one) for one in self.tables],
            "findings": [_of_finding(one) for one in self.findings],
            "figures": [_of_figure(one) for one in self.figures],
            "data": self.data,
            "stages": [_of_stage(one) for one in self.stages],
            "versions": dict(self.versions),
            "commands": list(self.commands),
            "notes": list(self.notes),
        }
        made = stamped("reproduce", _In(body), body, seed=self.seed)
        return made | {"seconds": self.seconds}  # the id does not depend on it


@dataclass(frozen=True, slots=True)
class Stage:
    """A slow stage: what it did, when, with which versions, how long, and whether just now."""

    what: str
    when: str
    seconds: float
    versions: Mapping[str, str]
    recorded: bool


@dataclass(frozen=True, slots=True)
class _In:
    """What went into an experiment, as far as a result must tell: all of it came out again."""

    body: Mapping[str, Any]

    @property
    def sources(self) -> tuple[Source, ...]:
        return ()

    def fingerprint(self) -> str:
        told = json.dumps([self.body[key] for key in ("name", "data", "stages")], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()


def _of_table(table: Table) -> dict[str, Any]:
    return {
        "title": table.title,
        "columns": [{"name": c.name, "kind": c.kind, "digits": c.digits} for c in table.columns],
        "rows": [[plain_cell(cell) for cell in row] for row in table.rows],
        "note": table.note,
    }


def plain_cell(cell: Any) -> Any:
    """Give a cell as JSON knows it: Python's numbers, no NaN, lists for pairs.

    Examples
    --------
    >>> plain_cell(float("nan")), plain_cell((0.25, 0.5)), plain_cell("otsu")
    (None, [0.25, 0.5], 'otsu')
    """
    if cell is None or isinstance(cell, str | bool):
        return cell
    if isinstance(cell, Sequence):
        return [plain_cell(one) for one in cell]
    value = cell.item() if hasattr(cell, "item") else cell
    return None if value != value else value


def _of_finding(one: Finding) -> dict[str, Any]:
    agrees = None if one.agrees is None else bool(one.agrees)
    told = {"claim": one.claim, "paper": one.paper, "ours": one.ours}
    return told | {"agrees": agrees, "why": one.why}


def _of_axis(axis: Axis) -> dict[str, Any]:
    return {
        "field": axis.field,
        "title": axis.title,
        "ends": None if axis.ends is None else list(axis.ends),
        "names": list(axis.names),
        "reverse": axis.reverse,
    }


def _of_figure(one: Figure) -> dict[str, Any]:
    return {
        "name": one.name,
        "title": one.title,
        "words": one.words,
        "rows": [{key: plain_cell(value) for key, value in row.items()} for row in one.rows],
        "x": _of_axis(one.x),
        "y": _of_axis(one.y),
        "mark": one.mark,
        "series": one.series,
        "panel": one.panel,
    }


def _of_stage(one: Stage) -> dict[str, Any]:
    return {
        "what": one.what,
        "when": one.when,
        "seconds": one.seconds,
        "versions": dict(one.versions),
        "recorded": one.recorded,
    }
