"""Which verbs are told as documents, and how such a document is made whole.

A verb of :data:`REPORTS` has a module that says what its result tells (``report``), and what its
rows are in CSV and Parquet (``COLUMNS`` or ``columns``, ``rows``). The module is loaded when it is
needed. What every result tells alike (its notes, its id, its inputs) is added here.
"""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import Any

from consilience.render.report import Lines, Picture, Report, Section
from consilience.render.words import Payload, plain, sentence

#: Verb → the module of this room that tells its results.
REPORTS = {
    "agree": "agree_report",
    "align": "align_report",
    "check": "overview_report",
    "correlate": "correlate_report",
    "diff": "diff_report",
    "displacement": "displacement_report",
    "distributions": "distributions_report",
    "next": "next_report",
    "reproduce": "reproduce_report",
    "soft": "soft_report",
    "tree": "tree_report",
}


def teller(verb: str) -> Any:
    """Load the module that tells the results of a verb."""
    return importlib.import_module(f"consilience.render.{REPORTS[verb]}")


def document(payload: Payload) -> Report:
    """Say all that a result tells: what its verb says of it, then notes, id and inputs."""
    told: Report = teller(payload["verb"]).report(payload)
    notes = Section("Notes", (Lines(tuple(str(note) for note in payload["notes"])),))
    known = {label for label, _ in told.facts}
    facts = [fact for fact in _facts(payload) if fact[0] not in known]
    end = f"Computed with Consilience {payload['version']}; result {payload['id']}."
    return replace(
        told,
        sections=(*told.sections, notes),
        facts=(*told.facts, *facts),
        methods=f"{told.methods} {end}".strip(),
    )


def _facts(payload: Payload) -> list[tuple[str, str]]:
    return [
        ("id", plain(payload["id"])),
        ("made by", plain(f"Consilience {payload['version']}, {payload['created']}")),
        ("inputs", plain(f"sha256 {payload['input_hash']}")),
    ]


def pictures(report: Report) -> list[Picture]:
    """Give the pictures of a document in the order of its page."""
    blocks = (block for section in on_page(report) for block in section.blocks)
    return [block for block in blocks if isinstance(block, Picture)]


def on_page(report: Report) -> list[Section]:
    """Give the sections in the order in which a page shows them.

    Examples
    --------
    >>> told = Report("t", "h", (Section("a", ()), Section("b", ())), (), "", page=("b",))
    >>> [section.title for section in on_page(told)]
    ['b', 'a']
    """
    places = {title: place for place, title in enumerate(report.page)}
    return sorted(report.sections, key=lambda one: places.get(one.title, len(places)))


def caution(report: Report) -> str:
    """Give the caution as a sentence to stand under the headline, unless the headline says it.

    Examples
    --------
    >>> told = Report("t", "a agrees most.", (), (), "", caution="no truth was used")
    >>> caution(told), caution(replace(told, headline="a agrees most; no truth was used."))
    ('No truth was used.', '')
    """
    said = report.caution.rstrip(".")
    return "" if said.lower() in report.headline.lower() else sentence(said)
