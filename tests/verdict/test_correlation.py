"""Rankings against a reference: what is compared, what is undefined, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import consilience as cs
from consilience.errors import UsageError
from consilience.store import save
from consilience.verdict.correlation import FIGURES

TRUTH = {"a": 0.5, "b": 0.4, "c": 0.3, "d": 0.1}
GUESS = {"b": 9, "a": 7, "c": 7, "d": 1}
scores = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 4), min_size=2)


def payload(*rankings: Any, **options: Any) -> dict[str, Any]:
    made: dict[str, Any] = cs.correlate(*rankings, **options).payload()
    json.dumps(made, allow_nan=False)
    return made


def test_the_contract() -> None:
    made = payload(TRUTH, GUESS, top=2)
    assert made["verb"] == "correlate"
    assert made["reference"] == {"name": "a", "measure": None, "by": "scores", "systems": 4}
    (one,) = made["rankings"]
    assert {*FIGURES} < {*one}
    a, b = [0.5, 0.4, 0.3, 0.1], [7, 9, 7, 1]
    assert one["tau_b"] == pytest.approx(stats.kendalltau(a, b).statistic)
    assert one["weighted_tau"] == pytest.approx(stats.weightedtau(a, b).statistic)
    assert one["spearman"] == pytest.approx(stats.spearmanr(a, b).statistic)
    assert one["tau_ap"] == cs.tau_ap(a, b)
    assert one["tau_ap_symmetric"] == cs.tau_ap(a, b, symmetric=True)
    assert one["rbo"] == cs.rbo(a, b)
    assert one["overlap"] == 0.75  # b surely, and a or c by lot
    assert one["regret"] == pytest.approx(0.1)
    assert one["regret_top"] == pytest.approx(0.05)  # a by lot, else b
    assert (one["first"], one["systems"], one["top"]) == (["b"], 4, 2)
    assert (one["intervals"], one["undefined"], made["resampling"]) == ({}, {}, None)
    assert made["systems"][0] == {
        "name": "a",
        "reference": {"score": 0.5, "rank": 1},
        "others": {"b": {"score": 7.0, "rank": 2}},
    }


def test_the_headline_says_what_matters() -> None:
    many = {f"s{place:02}": 1 - place / 20 for place in range(14)}
    swapped = many | {"s00": many["s01"], "s01": many["s00"]}
    said = cs.correlate(many, swapped).headline
    assert said == (
        "τ_b = 0.98 between a and b (14 systems); the top 10 share 10; they put different systems "
        "first, and choosing by b costs 0.0500."
    )
    assert cs.correlate(many, many).headline == (
        "τ_b = 1.00 between a and b (14 systems); the top 10 share 10; choosing by b costs "
        "nothing: both put s00 first."
    )
    three = cs.correlate(many, many, swapped).headline
    assert three.endswith("Over 2 rankings τ_b goes from 0.98 (c) to 1.00 (b).")
    assert cs.correlate(many, many, many).headline.endswith("τ_b is the same for all 2 rankings.")
    tied = cs.correlate(TRUTH, GUESS, top=2).headline
    assert "the top 2 share 1.5 (ties broken by lot)" in tied


def test_a_correlation_is_never_rounded_to_one() -> None:
    many = {f"s{place:03}": float(place) for place in range(200)}
    nearly = many | {"s000": 1.0, "s001": 0.0}
    assert cs.correlate(many, nearly).headline.startswith("τ_b = 0.9999 between a and b")
    backwards = {name: -value for name, value in nearly.items()}
    assert cs.correlate(many, backwards).headline.startswith("τ_b = −0.9999 between")


def test_only_common_systems_are_compared_and_the_others_named() -> None:
    made = payload({**TRUTH, "x": 0.9}, {**GUESS, "y": 3, "z": 4, "d": None})
    (one,) = made["rankings"]
    assert one["systems"] == 3
    assert [system["name"] for system in made["systems"]] == ["a", "b", "c"]
    assert made["notes"] == [
        "1 system only in a, not in b, left out: x",
        "2 systems only in b, not in a, left out: y, z",
        "1 system without a score in b, left out: d",
    ]
    with pytest.raises(UsageError, match=r"^a and b have no system in common: one has a, b, c, …"):
        cs.correlate(TRUTH, {"x": 1})


def test_undefined_figures_have_a_reason() -> None:
    flat = payload(TRUTH, dict.fromkeys(TRUTH, 1))
    (one,) = flat["rankings"]
    assert one["tau_b"] is one["spearman"] is one["tau_ap"] is None
    assert one["undefined"]["tau_b"] == "b ties all systems"
    assert one["regret"] == pytest.approx(0.5 - np.mean([*TRUTH.values()]))
    assert flat["headline"].startswith("τ_b between a and b is undefined: b ties all systems")
    single = payload({"a": 1, "b": 2}, {"a": 1, "c": 2})["rankings"][0]
    assert single["undefined"]["weighted_tau"] == "only one system has a score in both rankings"
    assert single["rbo"] == 1
    none = payload({"a": 1}, {"a": None})
    assert {*none["rankings"][0]["undefined"]} == {*FIGURES}
    assert none["headline"].endswith("no system has a score in both rankings (0 systems).")


def test_rounding_errors_are_no_order() -> None:
    sums = {"a": 0.1 + 0.2, "b": 0.3, "c": 0.2}
    told = cs.correlate(sums, {"a": 1, "b": 1, "c": 0}).payload()["rankings"][0]
    assert told["tau_b"] == 1
    assert told["regret"] == 0


def test_ranks_have_no_regret(tmp_path: Path) -> None:
    path = tmp_path / "places.csv"
    path.write_text("system,rank\na,1\nb,2\nc,3\nd,4\n")
    (one,) = payload(path, GUESS)["rankings"]
    assert one["regret"] is None
    assert one["undefined"]["regret_top"] == "places gives ranks, not scores"
    assert one["tau_b"] == pytest.approx(cs.kendall([*TRUTH.values()], [7, 9, 7, 1]))
    (other,) = payload(GUESS, path)["rankings"]
    assert other["regret"] == 2.0
    assert other["by"] == "ranks"
    assert cs.correlate(path, GUESS).headline.endswith("they put different systems first.")


def test_the_top_suits_the_number_of_systems() -> None:
    for systems, top in ((2, 1), (3, 1), (4, 3), (10, 3), (11, 10), (40, 10)):
        ranking = {f"s{place}": place for place in range(systems)}
        assert payload(ranking, ranking)["rankings"][0]["top"] == top
    made = payload(TRUTH, GUESS, top=99)
    assert made["rankings"][0]["top"] == 4
    assert made["notes"] == [
        "the top 99 is all systems, so that its overlap says nothing (fix: --top 2)"
    ]


def test_verdicts_results_ids_and_files_are_rankings(tmp_path: Path) -> None:
    study = cs.example_study("keyphrases")
    truth = cs.rank(study, measures=["F1", "P"])
    other = cs.rank(cs.read(cs.example("keyphrases.csv")), measures=["F1", "P"])
    pairs = [[v.scores[s]["F1"].value for s in study.systems] for v in (truth, other)]
    tau = stats.kendalltau(*pairs).statistic
    stored = truth.payload()
    save(stored)
    path = tmp_path / "by-truth.json"
    path.write_text(json.dumps(stored, indent=2))
    table = tmp_path / "by-truth.csv"
    from consilience.render import render

    table.write_text(str(render(stored, "csv")))
    for held, name in (
        (truth, "gold"),
        (stored, stored["id"]),
        (stored["id"], stored["id"]),
        (stored["id"][:10], stored["id"]),
        (path, "by-truth"),
        (str(table), "by-truth"),
    ):
        made = cs.correlate(held, other)
        assert made.reference.name == name
        assert made.reference.measure == "F1"
        assert made.headline.startswith(f"τ_b = {tau:.2f} between {name} and ls-eb (8 systems)")
        assert dict(made.reference.scores) == {
            s: truth.scores[s]["F1"].value for s in study.systems
        }
        picked = cs.correlate(held, other, measure="P")
        assert dict(picked.reference.scores) == {
            system: truth.scores[system]["P"].value for system in study.systems
        }
    notes = cs.correlate(truth, other).notes
    assert "ls-eb: no ground truth was used: this is agreement" in notes


def test_where_values_are_withheld_the_order_counts() -> None:
    study = cs.study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}, "c": {"q": ["x", "z"]}})
    verdict = cs.rank(cs.with_families(study, {"a": "e", "b": "e", "c": "f"}), measures=["F1", "P"])
    assert verdict.agreement.withheld
    for held in (verdict, verdict.payload()):
        made = cs.correlate({"a": 1, "b": 2, "c": 3}, held)
        assert made.rankings[0].ranking.ranks
        with pytest.raises(
            UsageError, match=r"scores are withheld, and the ranks are by F1, not P"
        ):
            cs.correlate({"a": 1}, held, measure="P")


def test_series_are_mappings_and_names_are_told_apart() -> None:
    made = payload(pd.Series(TRUTH), pd.Series(GUESS))
    assert made["rankings"][0]["systems"] == 4
    verdict = cs.rank(cs.example_study("keyphrases"), measures=["F1"])
    assert cs.correlate(verdict, verdict).rankings[0].ranking.name == "gold (2)"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((TRUTH,), r"^there is one ranking and nothing to compare it with \(fix: name a second"),
        ((TRUTH, [1, 2]), r"^list is no ranking \(fix: give a mapping"),
        ((TRUTH, {"a": "good"}), r"^b: the score of 'a' is 'good' \(fix: give finite numbers"),
        ((TRUTH, {"a": float("inf")}), r"^b: the score of 'a' is 'inf' \(fix: give finite"),
        ((TRUTH, {1: 1, "1": 2}), r"^b: two systems are called '1' \(fix: name systems by text"),
        ((TRUTH, "nothing"), r"^'nothing' is neither a file nor a stored result: no result"),
        ((TRUTH, {"verb": "curve", "id": "curve-1"}), r"^curve-1: a result of curve is no rank"),
    ],
)
def test_what_is_no_ranking_is_refused(given: tuple[Any, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        cs.correlate(*given)


def test_options_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UsageError, match=r"^the top is a whole number of systems from 1"):
        cs.correlate(TRUTH, GUESS, top=0)
    with pytest.raises(UsageError, match=r"^RBO's p lies between 0 and 1"):
        cs.correlate(TRUTH, GUESS, rbo_p=1)
    verdict = cs.rank(cs.example_study("keyphrases"), measures=["F1"])
    with pytest.raises(UsageError, match=r"^this verdict: unknown measure 'AP'; .*possible: F1"):
        cs.correlate(verdict, TRUTH, measure="AP")


@given(scores, scores, st.randoms(use_true_random=False))
def test_order_of_rows_and_names_do_not_matter(
    a: dict[str, int], b: dict[str, int], random: Any
) -> None:
    if not {*a} & {*b}:
        return
    rows = [*a.items()]
    random.shuffle(rows)
    (one,), (other,) = payload(a, b)["rankings"], payload(dict(rows), b)["rankings"]
    for name in FIGURES:
        assert one[name] == pytest.approx(other[name], abs=1e-12)
    renamed = [{f"system {name}": value for name, value in side.items()} for side in (a, b)]
    (again,) = payload(*renamed)["rankings"]
    for name in FIGURES:
        assert one[name] == pytest.approx(again[name], abs=1e-12)


def test_the_same_question_has_the_same_id() -> None:
    one, two = payload(TRUTH, GUESS), payload(TRUTH, GUESS)
    assert one["id"] == two["id"]
    assert payload(TRUTH, GUESS, rbo_p=0.8)["id"] != one["id"]
    assert payload(TRUTH, GUESS | {"d": 0})["input_hash"] != one["input_hash"]
