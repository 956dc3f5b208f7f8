"""The charts of ``soft`` in a real browser: drawn in light and dark, with hostile names too."""

from __future__ import annotations

import re

import pytest

from tests.render.test_browser import Show, drawn, show
from tests.render.test_soft import cafe, many, nasty

__all__ = ["show"]


@pytest.mark.parametrize("dark", [False, True])
def test_the_map_and_the_methods_are_drawn(show: Show, dark: bool) -> None:
    told = cafe()
    shown = show(told, dark=dark)
    assert shown.console == []
    assert drawn(shown)
    times = 1 + dark  # a dark page holds a light drawing for paper
    assert shown.dom.count('class="marks"') == 2 * times
    assert shown.marks("rect mark") == (15 + len(told["pairs"])) * times
    known = [one[key] for one in [told, told["null"], *told["baselines"]] for key in ("f1",)]
    assert shown.marks("point") >= len(known) * times


def test_many_documents_are_drawn(show: Show) -> None:
    shown = show(many())
    assert shown.console == []
    assert drawn(shown)
    assert shown.dom.count('class="marks"') == 3
    assert shown.marks("bar") > 0


def test_hostile_names_stay_text(show: Show) -> None:
    shown = show(nasty())
    assert shown.console == []
    assert drawn(shown)
    assert "<img" not in re.sub(r"<script.*?</script>", "", shown.dom, flags=re.DOTALL)
