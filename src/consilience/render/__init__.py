"""Results as text: no arithmetic, only forms.

`render` takes the payload of a stored result (a plain dict, as in the JSON of the command line)
and writes it in one of the `FORMATS`. Charts are Vega-Lite specifications made by pure functions;
the HTML report is one file that opens without a network; `html_fragment` is what a notebook shows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from consilience.errors import UsageError, quote, unknown
from consilience.render import (
    beliefs,
    html,
    latex,
    markdown,
    tables,
    text,
    write_page,
    write_paper,
    write_text,
)
from consilience.render.documents import REPORTS, document
from consilience.render.gallery import charts_of, mimebundle
from consilience.render.notebook import html_fragment
from consilience.render.page import Parts
from consilience.render.report import Report
from consilience.render.words import Payload

__all__ = [
    "FORMATS",
    "REPORTS",
    "Parts",
    "charts_of",
    "html_fragment",
    "mimebundle",
    "parts",
    "render",
]

Form = Callable[[Payload], str | bytes]
#: Documents for labelling tools, of the verb ``next`` only.
LABELLING = ("label-studio", "argilla", "queue")


def _labelling(payload: Payload, *, fmt: str) -> str:
    """Write what is to be labelled for a labelling tool, or as a table to be filled in."""
    from consilience.render.tasks import tasks

    return tasks(payload, fmt)


#: Every format by name, as most verbs write it. All give text, except Parquet, which gives bytes.
FORMATS: dict[str, Form] = {
    "text": text.text,
    "json": tables.json,
    "csv": tables.csv,
    "md": markdown.markdown,
    "latex": latex.latex,
    "html": html.html,
    "parquet": tables.parquet,
    "qrels": beliefs.qrels,
    **{fmt: partial(_labelling, fmt=fmt) for fmt in LABELLING},
}
_FULL = ("text", "json", "csv", "md", "latex", "html", "parquet")
#: The formats of each verb; results of other verbs are JSON.
VERBS = {
    "rank": _FULL,
    "curve": _FULL,
    "belief": ("text", "json", "csv", "md", "parquet", "qrels"),
    **dict.fromkeys(REPORTS, _FULL),
    "next": (*_FULL, *LABELLING),
}
#: What a whole result holds, by verb; a result that lacks some of it is refused.
_CLOSING = ("notes", "id", "version", "created", "inputs", "input_hash")
NEEDED = {
    "rank": (
        *("systems", "measure", "measures", "verdict", "settled", "ties", "pairs", "curves"),
        *("condition", "belief", "level", "resampling", "queries", "items", "respondents"),
        *_CLOSING,
    ),
    "curve": (
        *("cutoffs", "ap", "auc", "claimed", "matches", "name", "query"),
        *("relevant", "retrieved", "ties"),
        *_CLOSING,
    ),
    "belief": ("rows", "method", *_CLOSING),
    "agree": (
        *(
            "headline",
            "scale",
            "level",
            "items",
            "compared",
            "labels",
            "alpha",
            "fleiss",
            "percent",
        ),
        *("categories", "annotators", "pairs", "confusions", "discuss", "disputed", "tree"),
        *("resampling", *_CLOSING),
    ),
    "align": (
        *("headline", "systems", "gold", "documents", "tokens", "columns", "agreed", "majority"),
        *("belief", "caveat", "settings", "sources", "pairs", "alignment", *_CLOSING),
    ),
    "check": (
        *("files", "condition", "why", "judged", "queries", "items", "systems", "judges"),
        *("alike", "can", "cannot", *_CLOSING),
    ),
    "correlate": (
        *("headline", "reference", "rankings", "systems", "settings", "level", "resampling"),
        *_CLOSING,
    ),
    "diff": (
        *("headline", "of", "noun", "measure", "before", "after", "settings", "files", "figures"),
        *("same_inputs", *_CLOSING),
    ),
    "displacement": (
        *("headline", "subjects", "aggregate", "pairs", "settings", "systems", "people"),
        *("queries", "level", "resampling", "no_interval", *_CLOSING),
    ),
    "distributions": (
        *("headline", "results", "systems", "pairs", "condition", "belief", "level", "settings"),
        *("queries", "items"),
        *_CLOSING,
    ),
    "next": (
        *("headline", "rows", "budget", "drawn", "population", "labelled", "round", "measure"),
        *("level", "gain", *_CLOSING),
    ),
    "reproduce": (
        *("headline", "name", "title", "source", "caveat", "tables", "findings", "figures"),
        *("data", "stages", "versions", "commands", "seed", "seconds", *_CLOSING),
    ),
    "soft": (
        *("headline", "warnings", "of", "mode", "variant", "similarity", "text", "names"),
        *("documents", "averaged", "precision", "recall", "f1", "undefined", "level", "intervals"),
        *("resampling", "null", "adjusted", "cardinality", "sizes", "counts", "pairs", "table"),
        *("baselines", "threshold", "per_document", *_CLOSING),
    ),
    "tree": (
        *("headline", "results", "systems", "pairs", "categories", "parents", "depth", "direct"),
        *("belief", "size"),
        *_CLOSING,
    ),
}
#: How the document of a verb that has one is written for people.
WRITERS: dict[str, Callable[[Report, Payload], str]] = {
    "text": lambda told, _: write_text.text(told),
    "md": lambda told, _: write_paper.markdown(told),
    "latex": lambda told, _: write_paper.latex(told),
    "html": write_page.html,
}


def render(payload: Payload, fmt: str) -> str | bytes:
    """Write a stored result in a format.

    Parameters
    ----------
    payload : mapping
        A stored result: what ``--json`` prints.
    fmt : str
        A name of `FORMATS`.

    Returns
    -------
    str or bytes
        Text; bytes for ``parquet``.

    Raises
    ------
    UsageError
        If the format is unknown, or is not made for a result of this verb; if the result is not
        whole.

    Examples
    --------
    >>> import consilience as cs
    >>> result = cs.curve(cs.example_study("airplanes"))
    >>> str(render(result.payload(), "csv")).splitlines()[:2]
    ['k,precision,recall', '1,1.0,0.2']
    """
    _check_keys(payload, ("verb",))
    verb = payload["verb"]
    possible = VERBS.get(verb, ("json",))
    if fmt == "qrels" and fmt not in possible:
        raise UsageError(
            f"qrels is a format for the result of belief, and this is a result of {verb};"
            f" possible: {', '.join(possible)}"
        )
    if fmt not in FORMATS:
        raise unknown("format", fmt, possible)
    if fmt not in possible:
        raise UsageError(f"a result of {verb} has no {fmt} form; possible: {', '.join(possible)}")
    if fmt != "json":
        _check_keys(payload, NEEDED[verb])
    if (verb, fmt) == ("belief", "md"):
        return beliefs.belief_markdown(payload)
    if (verb, fmt) == ("next", "csv"):
        return _labelling(payload, fmt=fmt)
    if verb in REPORTS and fmt in WRITERS:
        return WRITERS[fmt](document(payload), payload)
    return FORMATS[fmt](payload)


def parts(payload: Payload, *, prefix: str = "", only: Sequence[str] = ()) -> Parts:
    """Tell a stored result as the parts of a page, as its HTML report shows them.

    Parameters
    ----------
    payload : mapping
        A stored result of a verb that has an HTML report.
    prefix : str
        Stands before the names of the charts, so that a page can show several results.
    only : sequence of str
        The titles of the sections that are wanted; none: all, and how it was computed. Reports
        that are no documents are told as a whole.

    Returns
    -------
    Parts
        Title, headline, badges, finished HTML, and the charts that belong into it.

    Raises
    ------
    UsageError
        If a result of this verb has no HTML report; if the result is not whole.

    Examples
    --------
    >>> import consilience as cs
    >>> told = parts(cs.curve(cs.example_study("airplanes")).payload(), prefix="a-")
    >>> told.title, list(told.drawings)
    ('Precision and recall of airplanes', ['a-curve'])
    >>> '<figure data-chart="a-curve">' in told.content
    True
    """
    _check_keys(payload, ("verb",))
    verb = payload["verb"]
    if "html" not in VERBS.get(verb, ()):
        possible = sorted(name for name, formats in VERBS.items() if "html" in formats)
        raise UsageError(f"a result of {verb} has no page; possible: {', '.join(possible)}")
    _check_keys(payload, NEEDED[verb])
    if verb in REPORTS:
        return write_page.parts(document(payload), payload, prefix=prefix, only=only)
    return html.parts(payload, prefix=prefix)


def _check_keys(payload: Payload, needed: Sequence[str]) -> None:
    lacking = next((key for key in needed if key not in payload), None)
    if lacking is not None:
        raise UsageError(
            f"{quote(payload.get('id', 'this'))} is not a whole result: it lacks {lacking!r}"
        )
