"""How sure a ranking is and what to label next, in a real browser: every layer is drawn."""

from __future__ import annotations

import re

import pytest

from tests.render.conftest import HOSTILE
from tests.render.labelling import next_payload
from tests.render.sure import agreed_payload, designed_payload, pooled_payload, sure_payload
from tests.render.test_browser import Show, drawn, show

__all__ = ["show"]


def chart(dom: str, name: str) -> str:
    return dom.partition(f'data-chart="{name}"')[2].partition("</figure>")[0]


def marks(drawing: str, kind: str) -> int:
    return drawing.count(f'aria-roledescription="{kind}"')


@pytest.mark.parametrize("dark", [False, True])
def test_a_forest_of_withheld_intervals_has_its_layers(show: Show, dark: bool) -> None:
    shown = show(pooled_payload(), dark=dark)
    assert shown.console == []
    assert drawn(shown)
    times = 1 + dark
    assert shown.dom.count('class="marks"') == 5 * times
    forest = chart(shown.dom, "forest")
    assert marks(forest, "bar") == 2 * 6 * times
    assert marks(forest, "rule mark") == 0
    assert marks(forest, "point") == 6 * times
    assert marks(chart(shown.dom, "judged"), "bar") == 6 * times
    assert marks(chart(shown.dom, "ranks"), "point") == 6 * times
    assert marks(chart(shown.dom, "pairs"), "rect mark") == 6 * 5 * times


def test_a_forest_of_designed_labels_shows_shrunk_values(show: Show) -> None:
    shown = show(designed_payload())
    assert shown.console == []
    assert drawn(shown)
    forest = chart(shown.dom, "forest")
    assert marks(forest, "rule mark") == 6
    assert marks(forest, "point") == 6 + 6


def test_agreement_is_drawn_with_its_range_over_methods(show: Show) -> None:
    shown = show(agreed_payload())
    assert shown.console == []
    assert drawn(shown)
    assert marks(chart(shown.dom, "forest"), "bar") == 2 * 6


def test_every_rank_has_a_tick_and_names_stay_text(show: Show) -> None:
    shown = show(sure_payload(HOSTILE))
    assert shown.console == []
    assert drawn(shown)
    ticks = re.findall(r"<text[^>]*>(\d+)</text>", chart(shown.dom, "ranks"))
    assert list(map(int, ticks)) == list(range(1, len(HOSTILE) + 1))
    assert "<img" not in re.sub(r"<script.*?</script>", "", shown.dom, flags=re.DOTALL)


@pytest.mark.parametrize("dark", [False, True])
def test_what_labels_buy_is_drawn(show: Show, dark: bool) -> None:
    payload = next_payload()
    shown = show(payload, dark=dark)
    assert shown.console == []
    assert drawn(shown)
    times = 1 + dark
    assert marks(chart(shown.dom, "curve"), "line mark") == 2 * times
    assert marks(chart(shown.dom, "curve"), "point") == 2 * len(payload["gain"]["curve"]) * times
    assert marks(chart(shown.dom, "probabilities"), "bar") == 6 * times
