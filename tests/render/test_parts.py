"""Parts of a page: the same as in the report, without scripts and styles, several on one page."""

from __future__ import annotations

import re

import pytest

from consilience.errors import UsageError
from consilience.render import REPORTS, VERBS, parts, render
from consilience.render.bundle import embedded_json
from consilience.render.markup import safe
from tests.render.consensus import belief_payload
from tests.render.every_verb import MADE, result_of
from tests.render.test_html import Page


def test_no_verb_with_a_page_was_forgotten() -> None:
    verbs = {result_of(name)["verb"] for name in MADE}
    assert verbs == {verb for verb, formats in VERBS.items() if "html" in formats}
    assert {*REPORTS} < verbs


@pytest.mark.parametrize("name", MADE)
def test_the_report_is_made_of_the_parts(name: str) -> None:
    payload = result_of(name)
    told, page = parts(payload), str(render(payload, "html"))
    assert f"<main>\n{told.content}\n</main>" in page
    assert f"<h1>{safe(told.title)}</h1>" in page
    assert f'<p class="verdict">{safe(told.headline)}</p>' in page
    assert f">{embedded_json(told.drawings)}</script>" in page
    for kind, text in told.badges:
        assert f'<li class="{kind}">{safe(text)}</li>' in page


@pytest.mark.parametrize("name", MADE)
def test_content_needs_no_scripts_no_styles_and_no_ids(name: str) -> None:
    parsed = Page(parts(result_of(name)).content)
    assert parsed.tags("section")
    for tag, attributes in parsed.seen:
        assert tag not in {"script", "style", "link", "img", "iframe", "form", "b"}
        assert not {"style", "id", "src", "href"} & set(attributes)
        assert not any(key.startswith("on") for key in attributes)


@pytest.mark.parametrize("name", MADE)
def test_a_prefix_keeps_the_charts_of_two_results_apart(name: str) -> None:
    payload = result_of(name)
    bare, first = parts(payload), parts(payload, prefix="a-")
    assert first.drawings == {f"a-{chart}": made for chart, made in bare.drawings.items()}
    places = re.findall(r'<figure data-chart="([^"]*)">', first.content)
    assert sorted(places) == sorted(first.drawings)
    assert first.content.replace('data-chart="a-', 'data-chart="') == bare.content


def test_what_has_no_page_is_refused() -> None:
    with pytest.raises(UsageError, match=r"belief has no page; possible: agree, align"):
        parts(belief_payload())
    with pytest.raises(UsageError, match="not a whole result"):
        parts({"verb": "rank"})


def test_some_sections_can_be_asked_for() -> None:
    name = next(name for name in MADE if result_of(name)["verb"] == "next")
    payload = result_of(name)
    told, whole = parts(payload, only=["What these labels buy"]), parts(payload)
    assert re.findall("<h2>(.*?)</h2>", told.content) == ["What these labels buy"]
    assert told.content in whole.content
    assert [*told.drawings] == ["curve"]
