"""Results without truth, as a reader meets them: what is withheld, bounded, tied and left out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from consilience.render import html_fragment, pair_charts, render
from consilience.render.agreement import alike_lines, leaders, panel_table
from consilience.render.cutoff_charts import cutoffs
from consilience.render.forest_chart import forest
from consilience.render.how import how, resampling
from consilience.render.html import PLANNED
from consilience.render.layout import cells_of
from consilience.render.overview import overview_text
from consilience.render.tables import rank_table
from consilience.render.text import text
from consilience.render.theme import BOUNDS, PAGE
from tests.render.consensus import consensus_payload, sparse, withheld_payload
from tests.render.test_agreement import flat
from tests.render.test_charts import contrast

WHY = "fewer than three independent sources (2): only the order is given, no absolute values"
SHORT = "fewer than three independent sources (2)"


@pytest.fixture
def hidden() -> dict[str, Any]:
    return withheld_payload() | {"withheld": WHY}


@pytest.mark.parametrize("fmt", ["text", "md"])
def test_why_values_are_withheld_stands_under_the_headline(
    hidden: dict[str, Any], fmt: str
) -> None:
    second = str(render(hidden, fmt)).split("\n\n")[1]
    assert flat(second).strip("*").lower() == f"{WHY}."


def test_why_values_are_withheld_is_seen_in_a_page(hidden: dict[str, Any]) -> None:
    badge = f'<li class="caution">only the order is given: {SHORT}</li>'
    assert badge in str(render(hidden, "html"))
    assert badge not in str(render(hidden | {"withheld": None}, "html"))
    assert f"</p>\n<p>{WHY.capitalize()}.</p>" in html_fragment(hidden)


def test_a_latex_caption_says_what_is_withheld(hidden: dict[str, Any]) -> None:
    said = re.search(r"\\caption{(.*)}", str(render(hidden, "latex")))
    assert said is not None
    assert WHY in said[1].lower()


@pytest.mark.parametrize("fmt", ["text", "md", "html"])
def test_the_verdict_is_not_repeated(hidden: dict[str, Any], fmt: str) -> None:
    hidden["verdict"] = f"own-0 comes first. {SHORT.capitalize()}: only the order is given."
    hidden["dependence"]["warning"] = WHY
    hidden["notes"] = [WHY]
    made = re.sub(r'<li class="caution">.*?</li>', "", flat(render(hidden, fmt)).lower())
    assert made.count(SHORT) == 1
    assert html_fragment(hidden).lower().count(SHORT) == 1


@pytest.mark.parametrize("dark", [False, True])
def test_bounds_differ_from_intervals(consensus: dict[str, Any], dark: bool) -> None:
    spec = forest(consensus, dark=dark)
    assert spec is not None
    bounds, interval = (layer["mark"] for layer in spec["layer"][:2])
    assert bounds["color"] == BOUNDS[dark]
    assert contrast(BOUNDS[dark], PAGE[dark]) >= 4.5
    assert bounds["strokeDash"]
    assert "strokeDash" not in interval
    assert bounds["strokeWidth"] <= interval["strokeWidth"] / 2


def test_a_notebook_draws_bounds_inside_its_frame(consensus: dict[str, Any]) -> None:
    made = html_fragment(consensus)
    assert made.count("stroke-dasharray") == 8
    places = [float(x) for x in re.findall(r'x[12]="([\d.-]+)"', made)]
    assert 0 <= min(places) <= max(places) <= 640
    for system in consensus["systems"]:
        system["scores"]["AP"]["bounds"] = None
    assert "stroke-dasharray" not in html_fragment(consensus)


def test_bounds_are_those_of_the_ranking_measure(consensus: dict[str, Any]) -> None:
    bounded = [name for name in rank_table(consensus)[0] if name.endswith("bounds")]
    assert bounded == ["AP bounds"]
    for fmt in ("text", "md", "html"):
        made = flat(render(consensus, fmt))
        assert "AP bounds" in made
        assert "P@10 bounds" not in made
    rows = str(render(consensus, "csv")).splitlines()
    assert all(line.split(",")[-2] for line in rows)


def test_very_many_systems_fit_a_terminal() -> None:
    payload = consensus_payload(143)
    names = [system["name"] for system in payload["systems"]]
    made = text(payload, width=120)
    ranking, others = made.partition("family, nDCG@10, P@10: the first 30 of 143 systems")[::2]
    assert others.startswith(" are shown; json holds all.")
    blocks = [block for block in ranking.split("\n\n") if block.startswith("rank")]
    sizes = [len(block.splitlines()) for block in blocks]
    assert sizes == [1 + 143 + 2, *(1 + 30 + 2 for _ in blocks[1:])]
    assert "AP bounds" in blocks[0].splitlines()[0]
    assert all(name in blocks[0] for name in names)
    whole = text(payload | {"measures": ["AP", "P@10"]}, width=200)
    assert "the first 30 of" not in whole


def test_pairs_of_very_many_systems_are_those_of_the_first() -> None:
    payload = sparse(consensus_payload(143))
    names = [system["name"] for system in payload["systems"]]
    spec = pair_charts.pairs(payload)
    assert spec is not None
    assert [row["system"] for row in spec["data"]["values"]] == names[1:21]
    told = f"Probability that {names[0]} agrees more with the others than each of the next 20"
    assert spec["description"].startswith(f"{told} systems, by AP. The table holds all 142.")
    twin = next(twin for name, *_, twin in PLANNED if name == "pairs")(payload)
    assert twin.count('<th scope="row">') == 142
    full = pair_charts.pairs_words(consensus_payload(143))
    assert full.startswith("Probability that the row agrees more with the others than the column,")
    assert "by AP; the first 60 of 143 systems." in full


def test_heights_of_cutoffs_end_at_the_data(consensus: dict[str, Any]) -> None:
    spec = cutoffs(consensus)
    assert spec is not None
    assert spec["resolve"] == {"scale": {"y": "independent"}}
    scale = spec["encoding"]["y"]["scale"]
    assert scale["zero"]
    assert scale["nice"]
    assert "domain" not in scale


@pytest.mark.parametrize("fmt", ["text", "md", "html"])
def test_families_stand_below_the_methods(consensus: dict[str, Any], fmt: str) -> None:
    made = flat(render(consensus, fmt))
    assert made.index("dawid-skene") < made.index("only abbyy") < made.index("only kraken")
    assert "what a family says when it alone is believed" in made
    consensus["panel"]["families"] = []
    assert "it alone is believed" not in flat(render(consensus, fmt))


def test_very_many_families_are_counted(consensus: dict[str, Any]) -> None:
    one = consensus["panel"]["families"][0]
    consensus["panel"]["families"] = [one | {"name": f"f{i}"} for i in range(13)]
    assert panel_table(consensus)[1][-1] == ["and 1 more family (json)", "", ""]


def test_who_shares_the_first_place_is_listed() -> None:
    assert leaders({"ranks": {"a": 1, "b": 2, "c": 1}, "leader": "a"}) == "a, c"
    assert leaders({"ranks": {"a": None, "b": None}, "leader": "a"}) == "–"
    assert leaders({"ranks": dict.fromkeys("abcdefg", 1)}) == "a, b, c, d, e and 2 more"


@pytest.mark.parametrize("width", [40, 60, 100])
def test_the_panel_is_a_table_at_every_width(consensus: dict[str, Any], width: int) -> None:
    for method in consensus["panel"]["methods"]:
        method["ranks"]["a very long name of a system with many parameters"] = 1
    made = text(consensus, width=width).partition("How far the methods agree")[2].splitlines()
    rows = made[1:9]
    assert rows[0].split() == ["method", "agrees", "most", "τ"]
    assert all(cells_of(line) <= width for line in rows)
    assert [line.split()[-1] for line in rows[2:4]] == [
        f"{consensus['panel']['tau'][0][i]:.2f}" for i in (1, 2)
    ]


def test_own_votes_matter_only_without_truth(consensus: dict[str, Any]) -> None:
    assert "own vote" in dict(how(consensus))
    assert "own vote" not in dict(how(consensus | {"caveat": None}))


def test_duplicates_are_listed_once(consensus: dict[str, Any]) -> None:
    assert any("almost the same" in line for line in alike_lines(consensus))
    consensus["notes"] = ["own-0 and abbyy-1 answer (nearly) alike, φ > 0.95; they count as one"]
    assert not any("almost the same" in line for line in alike_lines(consensus))


def test_one_of_a_kind_is_said_in_the_singular(consensus: dict[str, Any]) -> None:
    facts = {"unit": "queries", "n": 1, "samples": 1, "method": "bootstrap", "seed": 0}
    said = resampling({"level": 0.95, "resampling": facts})
    assert said == "95%, bootstrap; 1 query resampled 1 time, seed 0"
    person = {"name": "a", "kind": "system", "family": None, "answers": 1, "queries": 1}
    checked = {
        "files": [{"file": "x", "recognised": "CSV", "rows": 1, "why": "y", "notes": []}],
        "queries": {"all": 1, "with_both": 1, "without_truth": 1, "without_answers": 0},
        "systems": [person | {"missing_queries": 1}],
        "alike": [{"a": "a", "b": "b", "overlap": 1.0}] * 11,
        "condition": "partial",
        "why": "z",
        "items": 1,
        "judged": 0.5,
        "judges": [],
        "notes": [],
        "can": [],
        "cannot": [],
        "next": "n",
    }
    made = overview_text(checked)
    assert "x: CSV, 1 row\n" in made
    assert "1 query has answers and truth\n  1 has answers but no truth" in made
    assert "a  1 answer to 1 query, 1 query missing" in made
    assert "and 1 more pair (--json" in made
    consensus["dependence"]["duplicates"] = [["a", "b"]] * 13
    assert any(line.endswith("; and 1 more group.") for line in alike_lines(consensus))
