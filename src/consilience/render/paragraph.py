"""How a result was computed, as a paragraph for a paper."""

from __future__ import annotations

from consilience.render.documents import REPORTS, document
from consilience.render.how import methods
from consilience.render.words import Payload


def methods_paragraph(payload: Payload) -> str:
    """Give the paragraph on methods of a stored result; empty where its verb has none.

    Examples
    --------
    >>> import consilience as cs
    >>> said = methods_paragraph(cs.rank(cs.example_study("keyphrases")).payload())
    >>> "Consilience" in said
    True
    >>> methods_paragraph({"verb": "belief"})
    ''
    """
    if payload["verb"] in ("rank", "curve"):
        return methods(payload)
    return document(payload).methods if payload["verb"] in REPORTS else ""
