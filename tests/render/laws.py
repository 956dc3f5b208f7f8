"""What holds for the result of every verb that is told as a document."""

from __future__ import annotations

import json
import re
from typing import Any

from consilience.render import NEEDED, VERBS, html_fragment, render
from tests.render.test_html import MEGABYTE, Page


def every_format_is_written(payload: dict[str, Any]) -> None:
    """Write a result in all its formats, twice alike, and leave it as it was."""
    before = json.dumps(payload)
    for fmt in VERBS[payload["verb"]]:
        assert render(payload, fmt) == render(payload, fmt)
    assert json.dumps(payload) == before


def what_is_needed_is_enough(payload: dict[str, Any]) -> None:
    """Write a result that holds nothing but what it must."""
    only = {key: payload[key] for key in ("verb", *NEEDED[payload["verb"]])}
    for fmt in VERBS[payload["verb"]]:
        assert render(only, fmt)


def pages_are_closed_small_and_deaf_to_names(payload: dict[str, Any]) -> None:
    """See that no name becomes markup, in the page and in the notebook."""
    made = str(render(payload, "html"))
    parsed = Page(made)
    assert len(made.encode()) < MEGABYTE
    assert not parsed.tags("img")
    assert not parsed.tags("b")
    assert len(re.findall("<script", made)) == 3
    fragment = html_fragment(payload)
    Page(fragment)
    assert "<script" not in fragment
