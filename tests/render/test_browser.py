"""The report in a real browser: charts are drawn, nothing complains, hostile names stay text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from consilience.render import charts_of, page, render
from tests.render.conftest import HOSTILE
from tests.render.consensus import consensus_payload, sparse
from tests.render.uncertain import TREE, distributions_payload, tree_payload

#: How a page says that its charts are done with.
DONE = "html:is([data-charts=drawn], [data-charts=failed], [data-charts=none])"


@dataclass(frozen=True)
class Shown:
    """What a browser made of a page: its elements in the end, and what its console said."""

    dom: str
    console: list[str]

    def marks(self, kind: str) -> int:
        return self.dom.count(f'aria-roledescription="{kind}"')


Show = Callable[..., Shown]


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Show:
    """Open the report of a result in a browser without a past."""

    def opened(
        payload: dict[str, Any], *, dark: bool = False, width: int = 1200, done: str = DONE
    ) -> Shown:
        report = tmp_path / "report.html"
        report.write_text(str(render(payload, "html")), encoding="utf-8")
        console: list[str] = []
        with browser.new_context(
            color_scheme="dark" if dark else "light", viewport={"width": width, "height": 900}
        ) as context:
            page = context.new_page()
            page.on("console", lambda said: console.append(said.text))
            page.on("pageerror", lambda error: console.append(str(error)))
            page.goto(report.as_uri())
            page.wait_for_selector(done, state="attached")
            return Shown(page.content(), console)

    return opened


def drawn(shown: Shown) -> bool:
    return bool(re.search(r'<html[^>]* data-charts="drawn"', shown.dom))


def test_all_charts_of_a_ranking_are_drawn(normal: dict[str, Any], show: Show) -> None:
    shown = show(normal)
    assert shown.console == []
    assert drawn(shown)
    assert shown.dom.count('class="marks"') == 3
    assert shown.marks("point") == 8
    assert shown.marks("rule mark") == 8
    assert shown.marks("line mark") == 8
    assert shown.marks("rect mark") == len(normal["pairs"])


def test_charts_are_drawn_on_a_dark_page_and_again_for_paper(
    absent: dict[str, Any], show: Show
) -> None:
    shown = show(absent, dark=True)
    assert shown.console == []
    assert drawn(shown)
    assert "drawn-dark" in shown.dom.split("<head>")[0]
    assert shown.marks("point") == 16


def test_undefined_scores_are_written_not_drawn(undefined: dict[str, Any], show: Show) -> None:
    shown = show(undefined)
    assert shown.console == []
    assert shown.marks("point") == 3
    assert re.search(r"<text[^>]*>undefined</text>", shown.dom)


def test_a_ranking_without_any_score_is_still_a_page(undefined: dict[str, Any], show: Show) -> None:
    undefined["systems"] = undefined["systems"][3:]
    shown = show(undefined | {"pairs": [], "curves": [], "ties": []})
    assert shown.console == []
    assert drawn(shown)
    assert shown.marks("point") == 0


def test_hostile_names_stay_text(hostile: dict[str, Any], show: Show) -> None:
    shown = show(hostile)
    assert shown.console == []
    assert drawn(shown)
    assert "<title>Ranking by AP</title>" in shown.dom
    assert "<img" not in re.sub(r"<script.*?</script>", "", shown.dom, flags=re.DOTALL)
    assert shown.marks("point") == len(hostile["systems"])
    assert shown.dom.count("&lt;/script&gt;&lt;img src=x onerror=") > 5


def test_fifty_systems_are_drawn(many: dict[str, Any], show: Show) -> None:
    shown = show(many)
    assert shown.console == []
    assert drawn(shown)
    assert shown.marks("point") == 50
    assert shown.marks("line mark") == 10
    assert shown.marks("rect mark") == len(many["pairs"])


@pytest.mark.parametrize("dark", [False, True])
def test_all_charts_of_agreement_are_drawn(
    consensus: dict[str, Any], show: Show, dark: bool
) -> None:
    shown = show(consensus, dark=dark)
    assert shown.console == []
    assert drawn(shown)
    times = 1 + dark  # a dark page holds a light drawing for paper
    assert shown.dom.count('class="marks"') == 7 * times
    cells = len(consensus["pairs"]) + (8 * 8 - 2) + (5 * 5 - 2)
    assert shown.marks("rect mark") == cells * times
    assert shown.marks("rule mark") == (8 + 3 * 7) * times
    assert shown.marks("bar") == 8 * times
    assert shown.marks("line mark") == (8 + 2 * 8 + 8) * times
    assert len(re.findall(r"<text[^>]*>(?:precision|recall) at k</text>", shown.dom)) == 2 * times
    assert len(re.findall(r"<text[^>]*>abbyy-1 · abbyy</text>", shown.dom)) == times


def test_a_ranking_of_withheld_values_is_drawn_without_empty_frames(
    withheld: dict[str, Any], show: Show
) -> None:
    shown = show(withheld)
    assert shown.console == []
    assert drawn(shown)
    assert shown.dom.count('class="marks"') == 4
    assert not re.search(r"<text[^>]*>undefined</text>", shown.dom)


@pytest.mark.parametrize("total", [2, 60, 143])
def test_many_systems_without_truth_are_drawn(total: int, show: Show) -> None:
    shown = show(consensus_payload(total, ks=200))
    assert shown.console == []
    assert drawn(shown)
    assert shown.dom.count('class="marks"') == 7


@pytest.mark.parametrize("total", [3, 8])
def test_every_rank_has_a_tick(total: int, show: Show) -> None:
    payload = consensus_payload(total) | {"dependence": None, "cutoffs": None, "curves": []}
    shown = show(payload | {"pairs": [], "systems": payload["systems"]})
    chart = shown.dom.partition('data-chart="method-ranks"')[2]
    ranks = re.findall(r"<text[^>]*>(\d+)</text>", chart)
    assert sorted(map(int, ranks)) == list(range(1, total + 1))


def test_the_first_of_many_is_drawn_against_the_next(show: Show) -> None:
    payload = sparse(consensus_payload(143))
    shown = show(payload)
    assert shown.console == []
    assert drawn(shown)
    assert shown.dom.count('class="marks"') == 7
    chart = shown.dom.partition('data-chart="pairs"')[2].partition("<details")[0]
    assert chart.count('aria-roledescription="point"') == 20


def test_hostile_names_stay_text_in_charts_of_agreement(
    consensus: dict[str, Any], show: Show
) -> None:
    names = dict(zip((s["name"] for s in consensus["systems"]), HOSTILE, strict=False))
    renamed = json.loads(
        json.dumps(consensus),
        object_hook=lambda found: {names.get(key, key): value for key, value in found.items()},
    )
    for part in (*renamed["systems"], *renamed["cutoffs"], *renamed["curves"]):
        part["name"] = names[part["name"]]
    for pair in renamed["pairs"]:
        pair |= {side: names[pair[side]] for side in ("a", "b")}
    dependence = renamed["dependence"]
    dependence["systems"] = [names[name] for name in dependence["systems"]]
    for family in dependence["families"]:
        family |= {"name": HOSTILE[0], "members": [names[name] for name in family["members"]]}
    renamed["panel"]["methods"][1]["name"] = HOSTILE[0]
    shown = show(renamed)
    assert shown.console == []
    assert drawn(shown)
    assert shown.dom.count('class="marks"') == 7
    assert "<title>Ranking by AP</title>" in shown.dom
    assert "<img" not in re.sub(r"<script.*?</script>", "", shown.dom, flags=re.DOTALL)


def test_one_system_is_drawn(single: dict[str, Any], show: Show) -> None:
    shown = show(single)
    assert shown.console == []
    assert drawn(shown)
    assert shown.marks("point") == 1


def test_a_curve_has_steps_and_an_interpolated_line(curve: dict[str, Any], show: Show) -> None:
    shown = show(curve)
    assert shown.console == []
    assert drawn(shown)
    lines = re.findall(r'<path aria-label="[^"]*"[^>]*"line mark"[^>]*>', shown.dom)
    paths = {re.sub(r'.* d="([^"]*)".*', r"\1", line) for line in lines}
    assert len(lines) == len(paths) == 2
    assert shown.marks("point") == 5


def test_a_long_curve_is_drawn(long_curve: dict[str, Any], show: Show) -> None:
    shown = show(long_curve)
    assert shown.console == []
    assert drawn(shown)
    assert shown.marks("line mark") == 2


def test_a_script_that_is_not_named_does_not_run(
    normal: dict[str, Any], show: Show, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The policy is alive: a page whose policy does not name its scripts draws nothing."""
    monkeypatch.setattr(page, "policy", lambda: "default-src 'none'")
    shown = show(normal, done="body")
    assert shown.console
    assert not re.search(r"<html[^>]* data-charts=", shown.dom)  # not even begun


@pytest.mark.parametrize("dark", [False, True])
def test_all_charts_of_distributions_are_drawn(show: Show, dark: bool) -> None:
    payload = distributions_payload(["alpha", "beta", "gamma"])
    shown = show(payload, dark=dark)
    assert shown.console == []
    assert drawn(shown)
    times = 1 + dark
    assert shown.dom.count('class="marks"') == 3 * times
    held = charts_of(payload)["spreads"]["data"]["values"]
    bars = sum(row["kind"] == "bar" for row in held)
    assert shown.marks("rect mark") == (bars + 6) * times
    assert shown.marks("rule mark") == (3 + 6) * times
    assert shown.marks("area mark") == shown.marks("line mark") == 3 * times


def test_distributions_of_many_queries_are_drawn_in_a_narrow_window(show: Show) -> None:
    payload = distributions_payload(["alpha", "beta"], queries=30)
    shown = show(payload, width=420)
    assert shown.console == []
    assert drawn(shown)
    assert shown.dom.count('class="marks"') == 3


@pytest.mark.parametrize("dark", [False, True])
def test_all_charts_of_a_tree_are_drawn(show: Show, dark: bool) -> None:
    payload = tree_payload([])
    shown = show(payload, dark=dark)
    assert shown.console == []
    assert drawn(shown)
    times = 1 + dark
    assert shown.dom.count('class="marks"') == 3 * times
    chart = shown.dom.partition('data-chart="tree"')[2].partition("</figure>")[0]
    assert chart.count('aria-roledescription="circle"') == 2 * len(TREE) * times
    labels = re.findall(r"<text[^>]*>([^<]*)terriers</text>", shown.dom)
    assert sum("\u2003" * 3 in label for label in labels) == 2 * times


def test_hostile_names_stay_text_in_documents(show: Show) -> None:
    names = [*HOSTILE, "<script>alert(1)</script>", "x" * 300]
    parents = {name: names[i - 1] if i else "" for i, name in enumerate(names)}
    shown = show(tree_payload(names, parents, queries=2))
    assert shown.console == []
    assert drawn(shown)
    assert "<title>Items in a tree of categories</title>" in shown.dom
    assert "<img" not in re.sub(r"<script.*?</script>", "", shown.dom, flags=re.DOTALL)
