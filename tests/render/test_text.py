"""The terminal: verdict first, honest numbers, lines that fit."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from consilience.examples import example_study
from consilience.render import render
from consilience.render.layout import cells_of
from consilience.render.overview import overview_text
from consilience.render.text import text
from consilience.render.words import digits_for, estimate, fixed, gaps, span
from consilience.study.overview import overview


def test_a_ranking_reads_as_a_whole(undefined: dict[str, Any]) -> None:
    undefined["measures"] = ["AP"]
    undefined["verdict"] = "Not settled: first leads."
    expected = """\
        Not settled: first leads.

        rank     system  P(best)  AP
        1 [1–2]  first     0.710  0.4123 [0.3923, 0.4323]
        2 [1–3]  second    0.250  0.3348 [0.3138, 0.3558]
        3 [2–4]  third     0.040  0.2573 [0.2353, 0.2793]
        –        empty         –  –

        In brackets: 95% intervals.

        Undefined or missing:
          AP of empty is undefined: no query has an answer
          AP of first, second, third leaves out 1 query where it is undefined (49 used)
          empty has no answer to 50 queries

        Not told apart by these data:
          first, second
          Each group holds the systems that are tied with its first one; systems of two
            groups may be tied, too.

        Notes:
          2 duplicate rows were found in the runs and counted once.

        How:
          measure    AP ranks
          data       4 systems, 50 queries, 12,345 items, 4 respondents
          truth      complete truth: one gold answer for every item that matters
          ties       equal scores: by item name, descending (trec)
          averages   a query without an answer counts 0, an undefined one is left out
                     (ours)
          intervals  95%, percentile bootstrap, expanded for small samples; 50 queries
                     resampled 2,000 times, seed 0
          belief     gold, counted as 1 independent respondent
          assumes    every item without a judgment is not relevant
          id         r-3f2a91c0d4e5
          made by    Consilience 0.1.0, 2026-11-15T10:00:00Z
          inputs     sha256
                     abababababababababababababababababababababababababababababababab
        """
    assert text(undefined, width=80) == textwrap.dedent(expected)


@pytest.mark.parametrize("width", [40, 60, 80, 120, 200])
def test_lines_fit_the_terminal(payload: dict[str, Any], width: int) -> None:
    longest_word = 66  # a hash is never broken
    for line in text(payload, width=width).splitlines():
        table = line.split()[0].isdigit() if line.split() else False
        assert cells_of(line) <= max(width, longest_word + 13) or table, line


def test_columns_that_do_not_fit_go_below(normal: dict[str, Any]) -> None:
    assert text(normal, width=200).count("rank     system") == 1
    assert text(normal, width=80).count("rank     system") == 2
    assert text(normal, width=40).count("rank     system") == 4


def test_cut_names_are_spelt_out(hostile: dict[str, Any]) -> None:
    made = " ".join(text(hostile, width=60).split())
    assert "Names in full:" in made
    assert ' = comma, "quote",␍␊new line;␉tab' in made


def test_names_that_would_clash_stay_whole(normal: dict[str, Any]) -> None:
    names = [f"{'x' * 30}{i}{'y' * 30}" for i in range(8)]
    for system, name in zip(normal["systems"], names, strict=True):
        system["name"] = name
    made = text(normal, width=60)
    assert all(name in made for name in names)


def test_a_terminal_gets_no_control_characters(payload: dict[str, Any]) -> None:
    made = text(payload, width=100)
    assert all(character == "\n" or character.isprintable() for character in made)


def test_no_interval_looks_like_a_point() -> None:
    narrow = [0.50000001, 0.50000002]
    assert span(narrow) == "[0.50000001, 0.50000002]"
    assert estimate({"value": 0.500000015, "interval": narrow}).startswith("0.5000000")
    assert digits_for([0.1, 0.1]) == 4
    assert span([0.1, 0.1 + 2**-55]) == "[0.1000, 0.1000]"  # rounding error
    assert span([0.0, 1e-9]) == "[0.000000000, 0.000000001]"


def test_the_order_of_value_and_interval_survives_rounding() -> None:
    made = estimate({"value": 0.12345, "interval": [0.12344, 0.12346]})
    value, low, high = (float(part.strip("[],")) for part in made.split())
    assert low <= value <= high
    assert low < high


def test_undefined_is_a_dash_never_a_number() -> None:
    assert fixed(None) == "–"
    assert estimate(None) == "–"


def test_a_short_curve_is_shown_whole(curve: dict[str, Any]) -> None:
    made = text(curve, width=100)
    assert made.startswith("AP of list.csv is 0.7833 (step).")
    assert "which no system need reach" in made
    assert "10     0.5000  1.0000" in made
    assert "cutoffs and the last" not in made


@pytest.mark.parametrize("fmt", ["text", "md", "latex", "html"])
def test_a_curve_shows_its_auc_where_it_has_one(curve: dict[str, Any], fmt: str) -> None:
    assert "ROC AUC" not in str(render(curve, fmt))
    made = str(render(curve | {"auc": 0.7234}, fmt))
    assert "ROC AUC" in made
    assert "0.7234" in made


def test_a_long_curve_is_cut_and_says_so(long_curve: dict[str, Any]) -> None:
    made = text(long_curve, width=100)
    assert "20 of 20,000 cutoffs and the last are shown; csv and json hold all." in made
    assert len(made.splitlines()) < 60


def test_a_claim_is_matched_by_name(curve: dict[str, Any]) -> None:
    curve |= {"claimed": 0.803, "matches": ["11-point"]}
    assert f"The claimed 0.803 is 11-point AP ({curve['ap']['11-point']:.6f})." in text(
        curve, width=100
    )


def test_a_claim_that_nothing_matches_names_the_nearest(curve: dict[str, Any]) -> None:
    curve |= {"claimed": 0.9, "matches": []}
    said = "No variant gives the claimed 0.9. The nearest is trapezoid AP with 0.8125."
    assert said in text(curve, width=100)


@pytest.mark.parametrize("fmt", ["text", "md", "html"])
def test_a_claim_is_shown_as_it_was_written(curve: dict[str, Any], fmt: str) -> None:
    curve |= {"claimed": 0.8, "claimed_text": "0.80", "matches": ["11-point"]}
    assert "he claimed 0.80 is 11-point AP" in str(render(curve, fmt))
    assert "claimed 0.8 " not in str(render(curve, fmt))


@pytest.mark.parametrize("fmt", ["text", "html"])
@pytest.mark.parametrize("sign", ["note", "length"])
def test_a_curve_that_was_cut_does_not_claim_to_be_whole(
    long_curve: dict[str, Any], fmt: str, sign: str
) -> None:
    if sign == "note":
        long_curve["notes"] = ["cutoffs beyond 20,000 were left out"]
    else:
        long_curve |= {"retrieved": 30000, "queries": 1}
    made = str(render(long_curve, fmt))
    assert "json hold all" not in made
    assert "of the first 20,000 cutoffs and the last of these are shown" in made


def test_systems_without_a_rank_come_last(undefined: dict[str, Any]) -> None:
    systems = undefined["systems"]
    expected = text(undefined, width=80)
    assert text(undefined | {"systems": [systems[3], *systems[:3]]}, width=80) == expected


def test_micro_averages_leave_no_query_out(undefined: dict[str, Any]) -> None:
    name = "P(average=micro)"
    for system in undefined["systems"]:
        system["scores"] = {name: system["scores"]["AP"]}
    said = gaps(undefined | {"measures": [name], "measure": name})
    assert not any("leaves out" in line for line in said)
    assert f"{name} of empty is undefined: no query has an answer" in said


def test_check_prints_no_control_characters() -> None:
    facts = overview(example_study("keyphrases")) | {"next": "consilience rank 'a\nb'"}
    bad = "two\nlines \x1b[31mred\x1b[0m\u202e"
    facts["files"][0] |= {"file": bad, "why": bad, "notes": [bad]}
    facts["systems"][0] |= {"name": bad, "family": bad}
    facts["systems"][1] |= {"name": "検索"}
    facts |= {"alike": [{"a": bad, "b": "検索", "overlap": 0.95}], "notes": [bad], "cannot": [bad]}
    made = overview_text(facts)
    assert all(character == "\n" or character.isprintable() for character in made)
    assert "two␊lines ␛[31mred␛[0m�" in made
    starts = {
        cells_of(line.partition(" answers to ")[0].rstrip("0123456789,"))
        for line in made.partition("Judges:")[0].splitlines()
        if " answers to " in line
    }
    assert len(starts) == 1


def test_an_undefined_curve_is_said(curve: dict[str, Any]) -> None:
    curve |= {"relevant": 0, "ap": dict.fromkeys(curve["ap"]), "claimed": 0.5, "matches": []}
    curve["cutoffs"] = [{"k": 1, "precision": 0.0, "recall": None}]
    made = text(curve, width=100)
    assert made.startswith("AP of list.csv is undefined.")
    assert "No variant gives the claimed 0.5: AP is undefined here." in made


def test_one_system_alone_is_not_called_the_best(single: dict[str, Any]) -> None:
    single["systems"][0]["p_best"] = 1.0
    assert single["systems"][0]["name"] in text(single, width=80)
    assert "0.999" not in text(single, width=80)
    assert all("0.999" not in str(render(single, form)) for form in ("md", "html"))
