"""The report and the notebook: well formed, self-contained, small, and deaf to hostile names."""

from __future__ import annotations

import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from consilience.render import html_fragment, render
from consilience.render.bundle import asset, drawing_code, embedded_json, policy, script_hash
from consilience.render.forest_chart import BEHIND
from consilience.render.theme import PAGE

VOID = {"meta", "br", "img", "input", "link", "hr", "col", "wbr", "source"}
#: A report with 50 systems must stay under this.
MEGABYTE = 1_000_000


class Page(HTMLParser):
    """Reads a page, checks that every element is closed, and keeps what it saw."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.feed(source)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def tags(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.seen if tag == name]


def page(payload: dict[str, Any]) -> str:
    made = render(payload, "html")
    assert isinstance(made, str)
    return made


def test_every_element_is_closed(payload: dict[str, Any]) -> None:
    parsed = Page(page(payload))
    assert parsed.tags("html") == [{"lang": "en"}]
    assert len(parsed.tags("h1")) == 1
    Page(html_fragment(payload))


def test_a_report_is_under_a_megabyte(payload: dict[str, Any]) -> None:
    assert len(page(payload).encode()) < MEGABYTE


def test_nothing_is_requested(payload: dict[str, Any]) -> None:
    made = page(payload)
    parsed = Page(made)
    for tag, attributes in parsed.seen:
        assert tag not in {"link", "iframe", "img", "object", "embed", "base"}
        assert not {"src", "href", "srcset", "data", "action"} & set(attributes)
    assert "url(" not in asset("report.css")
    assert "@import" not in asset("report.css")
    outside_licences = re.sub(r"<pre.*?</pre>", "", made, flags=re.DOTALL)
    assert not re.search(r"https?://", outside_licences)


def test_no_element_or_handler_comes_from_a_name(hostile: dict[str, Any]) -> None:
    for made in (page(hostile), html_fragment(hostile)):
        parsed = Page(made)
        assert not parsed.tags("img")
        assert not parsed.tags("b")
        assert not any(key.startswith("on") for _, attrs in parsed.seen for key in attrs)
        assert any("</script><img src=x onerror=" in text for text in parsed.text)
    assert "<script" not in html_fragment(hostile)


def test_the_policy_names_exactly_the_scripts_of_the_page(normal: dict[str, Any]) -> None:
    made = page(normal)
    found = re.findall(r"<script>(.*?)</script>", made, flags=re.DOTALL)
    assert len(found) == 1
    meta = Page(made).tags("meta")
    content = next(m["content"] for m in meta if m.get("http-equiv") == "Content-Security-Policy")
    assert content == policy()
    allowed = re.findall(r"'sha256-[^']+'", policy())
    assert allowed == [script_hash(found[0]), script_hash(drawing_code())]
    assert "unsafe-eval" not in policy()
    assert "default-src 'none'" in policy()


def test_the_charts_in_the_page_hold_the_payload(hostile: dict[str, Any]) -> None:
    found = re.search(r'id="charts">(.*?)</script>', page(hostile), flags=re.DOTALL)
    assert found is not None
    held = json.loads(found[1])
    assert set(held) == {"forest", "pairs", "precision-recall"}
    assert held["forest"]["data"][0]["system"] == hostile["systems"][0]["name"]


def test_embedded_json_survives_and_cannot_close_its_element() -> None:
    value = {"a": "</script><!-- & \u2028 \u2029 ]]>"}
    made = embedded_json(value)
    assert json.loads(made) == value
    assert not set(made) & set("<>&\u2028\u2029")


def test_tables_have_headers_with_scope(payload: dict[str, Any]) -> None:
    parsed = Page(page(payload))
    headers = parsed.tags("th")
    assert headers
    assert all(attributes["scope"] in {"col", "row"} for attributes in headers)
    assert len(parsed.tags("caption")) == len(parsed.tags("table"))


def test_every_chart_has_a_table_twin(payload: dict[str, Any]) -> None:
    made = page(payload)
    figures = re.findall(r"<figure.*?</figure>", made, flags=re.DOTALL)
    assert figures
    for figure in figures:
        assert "<details>" in figure
        assert "<table" in figure
        assert "<figcaption>" in figure


def test_the_page_says_what_matters(normal: dict[str, Any]) -> None:
    text = " ".join(Page(page(normal)).text)
    for part in (
        normal["verdict"],
        "Ranking by AP",
        "not settled at 95%",
        "P(row beats column)",
        "Not told apart by these data",
        "2,000 samples of 50 queries, seed 0",
        normal["inputs"][3]["sha256"],
        normal["notes"][0],
        "The tables on this page hold all figures.",
    ):
        assert part in text


def test_a_curve_page_shows_every_variant(curve: dict[str, Any]) -> None:
    text = " ".join(Page(page(curve | {"claimed": 0.803, "matches": ["11-point"]})).text)
    assert all(variant in text for variant in curve["ap"])
    assert "which no system need reach" in text
    assert "Variants that give the claimed 0.803" in text


def test_a_long_curve_page_says_what_it_leaves_out(long_curve: dict[str, Any]) -> None:
    assert "500 of 20,000 cutoffs and the last are shown" in page(long_curve)


def test_the_page_and_the_charts_share_their_ground() -> None:
    pages = re.findall(r"--page: (#\w+);", asset("report.css"))
    assert [colour.upper() for colour in pages] == list(PAGE)


@pytest.mark.parametrize("name", ["vega.min.js", "vega-lite.min.js", "vega-embed.min.js"])
def test_vendored_scripts_are_the_ones_described(name: str) -> None:
    digest = hashlib.sha256(asset(name).encode()).hexdigest()
    assert f"| `{name}` |" in asset("README.md")
    assert digest in asset("README.md")


def test_the_report_passes_the_licences_on(normal: dict[str, Any]) -> None:
    text = " ".join(Page(page(normal)).text)
    for words in ("Redistributions in binary form", "Mike Bostock", "University of Washington"):
        assert words in text


def test_the_fragment_draws_every_interval(normal: dict[str, Any]) -> None:
    parsed = Page(html_fragment(normal))
    assert len(parsed.tags("svg")) == 1
    assert len(parsed.tags("circle")) == 2
    assert len(parsed.tags("line")) == 8 + 6 + 1


def test_a_hash_has_a_column_only_where_a_file_has_one(normal: dict[str, Any]) -> None:
    assert '<th scope="col">sha256</th>' in page(normal)
    for entry in normal["inputs"]:
        del entry["sha256"]
    made = page(normal)
    assert '<th scope="col">sha256</th>' not in made
    assert f"sha256 {normal['input_hash']}" in made


def test_the_fragment_shows_notes_and_ties(normal: dict[str, Any], curve: dict[str, Any]) -> None:
    text = " ".join(Page(html_fragment(normal)).text)
    assert "Not told apart by these data: bm25, tfidf" in text
    assert text.count("Each group holds the systems that are tied with its first one") == 1
    assert f"Notes: {normal['notes'][0]}" in text
    notes = ["first <b>note</b>", "second"]
    parsed = Page(html_fragment(curve | {"notes": notes}))
    assert [line for line in parsed.text if line in notes] == notes
    assert not parsed.tags("b")
    assert "Notes" not in html_fragment(curve | {"notes": []})


def test_systems_without_a_rank_come_last_and_never_lead(undefined: dict[str, Any]) -> None:
    systems = undefined["systems"]
    turned = undefined | {"systems": [systems[3], *systems[:3]]}
    assert page(turned) == page(undefined)
    assert html_fragment(turned) == html_fragment(undefined)
    nobody = undefined | {"systems": [systems[3]], "ties": [], "pairs": [], "curves": []}
    assert f'"standing":"{BEHIND}"' in page(nobody)


def test_the_fragment_of_undefined_scores_says_so(undefined: dict[str, Any]) -> None:
    assert ">undefined</text>" in html_fragment(undefined)
