"""What README and the pages say in figures, beside the records that they speak of."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from bench.coverage.queries import RARE, means
from bench.labels.sections import CURVE, DESIGNED, ROUNDS
from consilience.verdict import gain

ROOT = Path(__file__).parent.parent


def record(section: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((ROOT / "bench" / "results" / f"{section}.json").read_text())
    return found


def page(name: str) -> str:
    """A page as one line."""
    return " ".join((ROOT / name).read_text().split())


def cost(section: str, what: str, contestant: str, key: str = "cpu") -> float:
    """Look a cost up in a record."""
    (found,) = (
        row["cost"][key]
        for row in record(section)["rows"]
        if (row["what"], row["contestant"]) == (what, f"{section}_{contestant}")
    )
    return float(found)


def ratio(section: str, what: str, other: str, key: str = "cpu") -> float:
    """Give how many times as much the other program takes."""
    return cost(section, what, other, key) / cost(section, what, "consilience", key)


def bar(section: str, name: str) -> float:
    (found,) = (one["found"] for one in record(section)["bars"] if one["name"] == name)
    return float(found)


def test_trec_files() -> None:
    readme = page("README.md")
    near, far = (ratio("trec", what, "pytrec_eval") for what in ("in order", "shuffled"))
    peak, wide = (1 / ratio("trec", w, "pytrec_eval", "peak") for w in ("in order", "shuffled"))
    said = (
        f"takes {near:.1f} times less processor time than pytrec_eval and {peak:.2f} of its memory"
    )
    assert f"{said} (shuffled rows: {far:.1f} times less, {wide:.2f})" in readme
    missed = [one["name"] for one in record("trec")["bars"] if not one["met"]]
    assert missed == ["in order: times less CPU than pytrec_eval"]
    assert f"TREC files ({near:.1f} instead of 5 times less)" in readme


def test_the_cost_of_a_vote() -> None:
    grows = [
        bar("linear_votes", f"consensus: cost of a vote at {size} over that at the size before")
        for size in ("1,000,000", "10,000,000", "100,000,000")
    ]
    assert max(grows[:2]) < 1  # "falls up to ten million"
    said = f"falls up to ten million and is {grows[2]:.2f} times as much at a hundred million"
    assert said in page("README.md")


def test_average_precision_of_many_scores() -> None:
    readme = page("README.md")
    kinds = ("1% relevant", "10% relevant", "50% relevant")
    usual = [ratio("ap", kind, "sklearn") for kind in kinds]
    without = [ratio("ap", f"{kind}, AVX-512 off", "sklearn") for kind in kinds]
    assert (
        f"takes {min(usual):.1f} to {max(usual):.1f} times less time than scikit-learn's" in readme
    )
    assert f"and {min(without):.1f} to {max(without):.1f} times less without" in readme
    assert not any(one["met"] for one in record("ap")["bars"] if "times less" in one["name"])


def test_a_consensus_inside_duckdb() -> None:
    sums = {
        row["what"]: row["cost"]["values"]["sums s"]
        for row in record("duckdb")["rows"]
        if row["contestant"] == "duckdb_consilience"
    }
    numbers, names = (sums[f"100,000,000 votes, {kind}"] for kind in ("numbers", "names"))
    said = f"take DuckDB {numbers:.1f} seconds of CPU where names are numbers and {names:.1f} where"
    assert said in page("docs/engines.md")


def test_the_paper_on_soft_cardinalities() -> None:
    """What soft.md says of the paper's digits is what the experiment finds."""
    headline = cs.reproduce("words").headline
    assert headline.startswith("15 of 16 cardinalities")
    assert "is 2.20, not 2.21" in headline
    soft = page("docs/soft.md")
    assert "15 of 16 cardinalities to every printed digit" in soft
    assert "2.20 where the paper prints 2.21" in soft


def test_the_lowest_coverage_of_a_mean_is_told() -> None:
    found = [one for one in record("coverage")["found"] if one["kind"] == "mean over queries"]
    worst = min(found, key=lambda one: one["coverage"])
    assert worst["case"] == f"{RARE}, 10"
    told = page("docs/coverage.md")
    row = re.search(r"\| mean over queries \| queries \| (\d+) \| ([\d.]+) to", told)
    assert row is not None
    assert row.groups() == (str(len(found)), f"{100 * worst['coverage']:.1f}")
    assert f"only {100 * worst['coverage']:.0f} %" in page("docs/getting-started.md")


def covered(what: str) -> float:
    """How often the interval of something held the truth, in percent."""
    (found,) = (one["coverage"] for one in record("coverage")["found"] if one["about"] == what)
    return 100 * float(found)


def test_the_coverage_of_skewed_scores_is_one_figure() -> None:
    few, some, many = (covered(f"skewed scores, {queries} queries") for queries in (10, 30, 100))
    start = f"covered the true average {many:.0f} % of the time with 100 queries, {some:.0f} %"
    assert f"{start} with 30 and {few:.0f} % with 10;" in page("docs/getting-started.md")
    assert f"about {few:.0f} of 100 cases, with 30 in {some:.0f}." in page("docs/coverage.md")
    exact = f"{few:.1f} % of cases with 10 queries, {some:.1f} % with 30 and {many:.1f} % with 100"
    assert exact in page("docs/differences.md")


def test_the_coverage_of_alpha() -> None:
    sizes = (20, 50, 200)
    (share,) = {round(covered(f"Krippendorff's α, {items} items")) for items in sizes}
    said = "with {}, {} and {} items, 95% intervals held the true α".format(*sizes)
    assert f"{said} in {share} of 100 studies" in page("docs/agree.md")


def test_high_chances_of_being_best_are_too_high() -> None:
    high, higher = (
        one
        for one in record("coverage")["chances"]
        if one["what"] == "P(best)" and one["low"] >= 0.8
    )
    said = f"a P(best) of {high['told']:.2f} came true in {high['true']:.2f} of all cases"
    assert f"{said}, and one of {higher['told']:.2f} in {higher['true']:.2f}" in page(
        "docs/verdict.md"
    )


def test_how_far_forecasts_are_off() -> None:
    """First rounds of all sizes were drawn at once; later ones each as large as all before."""
    rows = record("few-labels")["curves"]
    first = [one for one in rows if one["method"] == DESIGNED]
    covid = [one for one in first if one["set"] == "TREC-COVID"]
    later = [one for one in rows if one["method"] == ROUNDS and one["budget"] > CURVE[0]]
    once, worst, again = (off(some) for some in (first, covid, later))
    said = page("docs/next.md")
    assert f"{once} times the error that came (TREC-COVID: {worst}, less than half" in said
    assert f"that of later rounds {again} times" in said
    told = " ".join((gain.__doc__ or "").split())
    assert f"of a first round were {once} times" in told
    assert f"of later rounds {again} times" in told


def off(rows: list[dict[str, Any]]) -> str:
    """The errors that were expected, over those that came."""
    found = [one["expected"] / one["rmse"] for one in rows]
    return f"{min(found):.2f} to {max(found):.2f}"


def test_what_to_expect_of_ranked_runs() -> None:
    """The usual belief, and families where some are declared, by the usual measure."""
    about = record("accuracy")["about"]
    sets = [name for name, what in about.items() if "runs" in what]
    assert all("top 100" in about[name] for name in sets)
    tau = [
        one["tau"]
        for one in record("accuracy")["trials"]
        if one["set"] in sets
        and (one["truth"], one["measure"], one["depth"]) == ("AP", "nDCG", None)
        and one["method"] in ("ls-eb", "families")
    ]
    assert (len(sets), len(tau)) == (2, 4)
    low, high = (f"{one:.2f}".lstrip("0") for one in (min(tau), max(tau)))
    told = page("docs/accuracy.md")
    assert f"τ {low} to {high} on two collections, lists of 100 answers" in told


def test_why_rare_ones_are_not_covered() -> None:
    """Ten queries without a 1 have the interval (0, 0): that alone happens in .9¹⁰ of all cases."""
    trials = means(250, 0)[f"{RARE}, 10"]
    none = trials.value == 0
    assert none.any()
    assert not trials.hits()[none].any()
    assert trials.coverage()[0] == pytest.approx(1 - none.mean())  # all others hold it
    assert f"{100 * 0.9**10:.0f} of 100" in page("docs/coverage.md")


@given(st.lists(st.booleans(), min_size=1, max_size=40).filter(any))
def test_trapezoids_are_never_above_the_steps_without_ties(relevant: list[bool]) -> None:
    step, trapezoid = (
        cs.average_precision(relevant, variant=variant) for variant in ("step", "trapezoid")
    )
    assert trapezoid <= step + 1e-12


def test_trapezoids_may_be_above_the_steps_with_ties() -> None:
    """One point for all ten items: from (0, 1) to (1, .1) the area is .55, the step .1."""
    relevant, scores = [1] + [0] * 9, [0.5] * 10
    assert cs.average_precision(relevant, scores, variant="trapezoid") == pytest.approx(0.55)
    assert cs.average_precision(relevant, scores) == pytest.approx(0.1)


def test_made_data_are_not_called_real() -> None:
    for name in ("README.md", "docs/experiments.md", "docs/index.md"):
        assert "real pipelines" not in page(name)
        assert "real tracks" not in page(name)
