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
