"""Results without truth: the caveat is everywhere, and who depends on whom is said."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest

from consilience.examples import example_study
from consilience.render import VERBS, html_fragment, render
from consilience.render.agreement import (
    dependence_lines,
    family_label,
    family_labels,
    panel_table,
    source_families,
)
from consilience.render.how import LEAVE_OUT, how, methods
from consilience.render.html import PLANNED
from consilience.render.overview import overview_text
from consilience.render.text import text
from consilience.render.words import bounds_words, caveat, gaps, without_truth
from consilience.study.overview import overview
from tests.render.conftest import HOSTILE
from tests.render.consensus import CAVEAT, consensus_payload
from tests.render.sure import agreed_payload

MIXED = "ground truth was used for 12% of the returned items: the rest is agreement"
PEOPLE = ["text", "md", "latex", "html"]


def flat(made: str | bytes) -> str:
    assert isinstance(made, str)
    return " ".join(made.split())


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"condition": "absent"}, CAVEAT),
        ({"condition": "complete"}, ""),
        ({"condition": "absent", "caveat": None, "belief": {"truth": 0.0}}, CAVEAT),
        ({"condition": "absent", "caveat": None, "belief": {"truth": 1.0}}, ""),
        ({"condition": "partial", "caveat": MIXED, "belief": {"truth": 0.12}}, MIXED),
        ({"condition": "complete", "caveat": None, "belief": {"truth": 1.0}}, ""),
        ({"condition": "complete", "belief": {"method": "gold"}}, ""),
    ],
)
def test_the_caveat_is_read_off_the_result(facts: dict[str, Any], said: str) -> None:
    assert caveat(facts) == said
    assert without_truth(facts) == bool(said)


@pytest.mark.parametrize("said", [CAVEAT, MIXED])
@pytest.mark.parametrize("fmt", PEOPLE)
def test_every_format_for_people_carries_the_caveat(
    consensus: dict[str, Any], fmt: str, said: str
) -> None:
    consensus["caveat"] = said
    made = flat(render(consensus, fmt)).replace("\\%", "%").lower()
    assert said.lower() in made
    assert "p(agrees most)" in made
    assert not re.search(r"\bbest\b", re.sub(r"<script.*?</script>|<pre.*?</pre>", "", made))
    assert said.lower() in html_fragment(consensus).lower()


def test_programs_get_the_caveat_with_every_row(
    consensus: dict[str, Any], normal: dict[str, Any]
) -> None:
    for payload, said in ((consensus, CAVEAT), (normal, "")):
        made = render(payload, "csv")
        assert isinstance(made, str)
        rows = list(csv.DictReader(io.StringIO(made, newline="")))
        assert list(rows[0])[-1] == "caveat"
        assert {row["caveat"] for row in rows} == {said}


@pytest.mark.parametrize("name", [name for name, *_ in PLANNED])
def test_every_chart_and_its_table_carry_the_caveat(name: str) -> None:
    consensus = agreed_payload()
    for system in consensus["systems"]:
        system["judged"] = {"@10": 0.5, "all": 0.2}
    _, chart, words, twin = next(planned for planned in PLANNED if planned[0] == name)
    spec = chart(consensus)
    assert spec is not None
    told = "No ground truth was used: this is agreement."
    assert spec["description"] == words(consensus)
    assert words(consensus).endswith(told)
    captions = re.findall("<caption>(.*?)</caption>", twin(consensus))
    assert captions
    assert all(caption.endswith(told) for caption in captions)


def test_the_headline_does_not_say_the_caveat_twice(consensus: dict[str, Any]) -> None:
    first = text(consensus, width=100).split("\n\n")
    assert first[1] == "No ground truth was used: this is agreement."
    consensus["verdict"] += " No ground truth was used: this is agreement."
    assert text(consensus, width=100).split("\n\n")[1].startswith("rank")


@pytest.mark.parametrize("fmt", ["text", "md", "html"])
def test_withheld_values_leave_a_ranking(withheld: dict[str, Any], fmt: str) -> None:
    made = flat(render(withheld, fmt))
    assert made.lower().count(withheld["withheld"]) == 1
    assert "0.710" in made
    assert "is undefined" not in made
    assert "nDCG@10 bounds" not in made


@pytest.mark.parametrize("fmt", ["text", "md", "html"])
def test_what_is_warned_of_is_said_once(withheld: dict[str, Any], fmt: str) -> None:
    why = withheld["withheld"]
    withheld["dependence"]["warning"] = why
    withheld["notes"] = [why, "another note"]
    assert flat(render(withheld, fmt)).lower().count(why) == 1
    assert html_fragment(withheld).lower().count(why) == 1
    withheld["dependence"]["warning"] = "two sources"
    withheld["notes"] = ["two sources", "another note"]
    assert flat(render(withheld, fmt)).lower().count("two sources") == 1
    assert "another note" in flat(render(withheld, fmt))


def test_withheld_values_are_not_drawn(withheld: dict[str, Any]) -> None:
    assert gaps(withheld) == []
    assert bounds_words(withheld) == ""
    withheld["curves"] = consensus_payload(8)["curves"]
    withheld["cutoffs"] = consensus_payload(8)["cutoffs"]
    drawn = {name for name, chart, *_ in PLANNED if chart(withheld) is not None}
    assert drawn == {"pairs", "alike", "methods", "method-ranks"}
    assert "<svg" not in html_fragment(withheld)
    assert "Differences with their intervals" not in str(render(withheld, "html"))


def test_withheld_does_not_hide_other_gaps(withheld: dict[str, Any]) -> None:
    withheld["systems"][2]["scores"]["AP"]["undefined"] = "no query has an answer"
    withheld["systems"][3]["missing_queries"] = 2
    names = [system["name"] for system in withheld["systems"]]
    assert gaps(withheld) == [
        f"AP of {names[2]} is undefined: no query has an answer",
        f"{names[3]} has no answer to 2 queries",
    ]


def test_bounds_are_named_for_what_they_are(consensus: dict[str, Any]) -> None:
    assert "sensitivity range" in bounds_words(consensus)
    for fmt in PEOPLE:
        made = flat(render(consensus, fmt))
        assert "AP bounds" in made
        assert "sensitivity range" in made
    consensus |= {"condition": "partial", "caveat": None, "belief": {"truth": 1.0, "method": "x"}}
    assert bounds_words(consensus) == "Bounds: what no amount of such data can settle."
    for system in consensus["systems"]:
        for score in system["scores"].values():
            score["bounds"] = None
    assert bounds_words(consensus) == ""


@pytest.mark.parametrize("fmt", ["text", "md", "html", "latex"])
def test_virtual_systems_stand_below_without_a_rank(consensus: dict[str, Any], fmt: str) -> None:
    made = flat(render(consensus, fmt))
    assert "(returns everything)" in made
    assert made.index("(returns everything)") > made.index(consensus["systems"][-1]["name"])
    assert "0.4857" in made
    assert "(returns everything)" not in flat(render(consensus | {"virtual": []}, fmt))


def test_why_a_virtual_system_has_no_value_is_said(consensus: dict[str, Any]) -> None:
    assert gaps(consensus) == ["AP, nDCG@10, P@10 of ⊥ are undefined: nothing is returned"]
    assert gaps(consensus | {"virtual": []}) == []


def test_virtual_systems_are_no_rows_for_programs(consensus: dict[str, Any]) -> None:
    assert "⊤" not in str(render(consensus, "csv"))


@pytest.mark.parametrize("rule", list(LEAVE_OUT))
def test_whose_votes_were_left_out_is_said(consensus: dict[str, Any], rule: str) -> None:
    consensus["leave_out"] = rule
    assert dict(how(consensus))["own vote"] == LEAVE_OUT[rule]
    assert f"{LEAVE_OUT[rule][1:]}." in methods(consensus)


def test_limits_of_the_majority_are_said(consensus: dict[str, Any]) -> None:
    said = dict(how(consensus))["limits"]
    assert said.startswith("accuracy of the majority vote: between 0.6100 and 0.9700, 0.9400 if")
    consensus["belief"]["bounds"] = None
    assert "limits" not in dict(how(consensus))


def test_dependence_is_told_warning_first(consensus: dict[str, Any]) -> None:
    dependence = consensus["dependence"] | {"warning": "all systems are of one family"}
    lines = dependence_lines(dependence)
    assert lines[0] == "All systems are of one family."
    assert lines[1] == (
        "The votes correlate as those of 4.2 independent systems would; 5 sources (declared"
        " families): abbyy (2 systems: abbyy-1, abbyy-2) counted as 1.2."
    )
    assert lines[2].endswith("declared against learned families: adjusted Rand index 0.83.")
    assert lines[3] == "Answer almost the same (φ of at least 0.95): own-0, abbyy-1."
    assert lines[4] == "Measured by φ on 12,345 items."
    assert dependence_lines(dependence | {"sampled": True})[4].endswith("a sample of 12,345 items.")
    for fmt in ("text", "md", "html"):
        assert "4.2 independent systems" in flat(render(consensus, fmt))
    assert "4.2 independent systems" in html_fragment(consensus)


def test_dependence_needs_nothing_but_what_it_has() -> None:
    assert dependence_lines(None) == []
    known = {"effective": 1.0, "sources": 1, "sources_from": "systems", "families": []}
    said = "The votes correlate as those of 1 independent system would"
    assert dependence_lines(known) == [f"{said}; 1 source (every system its own)."]
    assert dependence_lines(known | {"effective": 1.0004})[0].startswith(f"{said};")


def test_families_of_the_other_kind_are_not_mixed_in(consensus: dict[str, Any]) -> None:
    learned = {"name": "learned 1", "members": ["own-0", "abbyy-1"], "declared": False}
    dependence = consensus["dependence"]
    dependence["families"].append(learned | {"counted_as": 1.1})
    assert all(family["declared"] for family in source_families(dependence))
    by_answers = dependence | {"sources_from": "learned"}
    assert [family["name"] for family in source_families(by_answers)] == ["learned 1"]
    told = "learned 1 (2 systems: own-0, abbyy-1) counted as 1.1"
    assert told in dependence_lines(by_answers)[0]


def test_a_family_is_labelled_with_what_it_counts_as(consensus: dict[str, Any]) -> None:
    labels = dict(
        zip((s["name"] for s in consensus["systems"]), family_labels(consensus), strict=True)
    )
    assert labels["abbyy-1"] == "abbyy (2 systems, counted as 1.2)"
    assert labels["kraken-1"] == "kraken"
    assert labels["own-0"] == ""
    assert "abbyy (2 systems, counted as 1.2)" in text(consensus, width=100)
    alone = {"name": "abbyy-1", "family": None}
    assert family_label(consensus, alone) == labels["abbyy-1"]


def test_the_panel_compares_with_the_method_that_ranked(consensus: dict[str, Any]) -> None:
    header, rows = panel_table(consensus)
    assert header == ["method", "agrees most", "τ to this ranking"]
    assert rows[0][0] == "ls-eb (this ranking)"
    assert [row[2] for row in rows[:5]] == [
        "",
        *(f"{consensus['panel']['tau'][0][i]:.2f}".replace("-", "−") for i in range(1, 5)),
    ]
    consensus["belief"]["method"] = "gold"
    header, rows = panel_table(consensus)
    assert len(header) == 2
    assert {len(row) for row in rows} == {2}


@pytest.mark.parametrize("fmt", ["text", "md", "html"])
def test_skipped_methods_say_why(consensus: dict[str, Any], fmt: str) -> None:
    assert "hds was skipped: the answers have no categories" in flat(render(consensus, fmt))
    consensus["panel"]["methods"] = []
    assert "hds was skipped: the answers have no categories" in flat(render(consensus, fmt))


def test_older_results_have_no_new_sections(absent: dict[str, Any]) -> None:
    for fmt in VERBS["rank"]:
        assert render(absent, fmt)
    page = str(render(absent, "html"))
    for title in ("at each cutoff", "Which systems answer alike", "How far the methods agree"):
        assert title not in page


@pytest.mark.parametrize("empty", [None, "missing"])
def test_missing_parts_are_left_out(consensus: dict[str, Any], empty: str | None) -> None:
    for key in ("dependence", "panel", "cutoffs", "virtual", "withheld", "leave_out", "caveat"):
        if empty is None:
            consensus[key] = [] if key == "virtual" else None
        else:
            del consensus[key]
    for fmt in VERBS["rank"]:
        assert render(consensus, fmt)
    assert html_fragment(consensus)
    assert caveat(consensus) == CAVEAT


def test_hostile_names_are_escaped_everywhere(consensus: dict[str, Any]) -> None:
    bad = HOSTILE[0]
    consensus["dependence"]["families"][1]["name"] = bad
    consensus["dependence"]["duplicates"] = [[bad, HOSTILE[5]]]
    consensus["dependence"]["warning"] = bad
    consensus["panel"]["methods"][1]["name"] = bad
    consensus["panel"]["methods"][1]["leader"] = bad
    consensus["panel"]["skipped"] = [{"name": bad, "why": bad}]
    consensus["virtual"][0]["about"] = bad
    consensus["caveat"] = consensus["withheld"] = bad
    assert "<img" not in str(render(consensus, "html"))
    assert "<img" not in html_fragment(consensus)
    made = text(consensus, width=80)
    assert all(character == "\n" or character.isprintable() for character in made)
    assert re.search(r"(?<!\\)<img", str(render(consensus, "md"))) is None


def test_check_tells_the_dependence(consensus: dict[str, Any]) -> None:
    facts = overview(example_study("keyphrases")) | {"next": "consilience rank x"}
    assert "Dependence" not in overview_text(facts | {"dependence": None})
    made = overview_text(facts | {"dependence": consensus["dependence"]})
    assert "Dependence:\n  The votes correlate as those of 4.2 independent systems would" in made
