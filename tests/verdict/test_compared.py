"""Two results side by side: the figures are theirs, the differences are exact, nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.render import VERBS, render
from consilience.verdict.compared import OF, compared, figures, first
from tests.render.every_verb import result_of


@pytest.fixture(scope="module")
def votes() -> dict[str, dict[str, list[str]]]:
    """Three systems answer four queries."""
    items = [f"d{k}" for k in range(8)]
    return {
        name: {f"q{q}": items[shift + q % 2 : shift + q % 2 + 4] for q in range(4)}
        for name, shift in (("a", 0), ("b", 1), ("c", 3))
    }


def ranked(votes: Any, **options: Any) -> dict[str, Any]:
    made: dict[str, Any] = cs.rank(cs.study(votes), **options).payload()
    return made


def test_a_result_does_not_differ_from_itself(votes: Any) -> None:
    one = ranked(votes, measures=["F1"])
    made = compared(one, one)
    assert made["settings"] == made["files"] == made["notes"] == []
    assert made["same_inputs"]
    assert {row["difference"] for row in made["figures"]} == {0.0}
    assert made["headline"].startswith("The same verdict: ")


def test_differences_are_those_of_the_two_results(votes: Any) -> None:
    fewer = {name: {"q0": said["q0"], "q1": said["q1"]} for name, said in votes.items()}
    before, after = ranked(fewer, measures=["F1"]), ranked(votes, measures=["F1"])
    made = compared(before, after)
    old = {one["name"]: one["scores"]["F1"]["value"] for one in before["systems"]}
    new = {one["name"]: one["scores"]["F1"]["value"] for one in after["systems"]}
    assert [row["name"] for row in made["figures"]] == list(new)
    for row in made["figures"]:
        assert row["difference"] == new[row["name"]] - old[row["name"]]
        assert row["after"]["rank"] is not None
    assert not made["same_inputs"]


def test_who_came_and_who_went_is_there(votes: Any) -> None:
    fewer = {name: votes[name] for name in ("a", "b")}
    made = compared(ranked(fewer, measures=["F1"]), ranked(votes, measures=["F1"]))
    (come,) = [row for row in made["figures"] if row["name"] == "c"]
    assert come["before"] is come["difference"] is None
    back = compared(ranked(votes, measures=["F1"]), ranked(fewer, measures=["F1"]))
    (gone,) = [row for row in back["figures"] if row["name"] == "c"]
    assert gone["after"] is None
    assert back["figures"][-1] == gone


def test_settings_that_differ_are_named(votes: Any) -> None:
    one = ranked(votes, measures=["F1"], seed=0)
    two = ranked(votes, measures=["F1", "P"], seed=3, level=0.9)
    found = {row["name"]: (row["before"], row["after"]) for row in compared(one, two)["settings"]}
    assert found == {"level": (0.95, 0.9), "measures": ("F1", "F1, P"), "seed": (0, 3)}


def test_without_a_common_measure_there_are_no_differences(votes: Any) -> None:
    made = compared(ranked(votes, measures=["F1"]), ranked(votes, measures=["P"]))
    assert made["measure"] is None
    assert {row["difference"] for row in made["figures"]} == {None}
    assert all(row["before"]["value"] is not None for row in made["figures"])
    assert "no measure in common" in made["notes"][0]


def test_different_verbs_are_refused(votes: Any) -> None:
    with pytest.raises(UsageError, match="answer different questions"):
        compared(ranked(votes), result_of("agree"))


@pytest.mark.parametrize("verb", [*OF, "next", "soft"])
def test_every_verb_can_be_compared_and_written(verb: str) -> None:
    payload = result_of(verb)
    made = compared(payload, payload)
    json.dumps(made, allow_nan=False)
    assert [row["name"] for row in made["figures"]] == [*figures(payload, made["measure"])]
    assert bool(first(payload)) == (OF.get(verb) == "system" and bool(made["figures"]))
    for fmt in VERBS["diff"]:
        assert render(made, fmt)


def test_places_by_value_share_a_rank() -> None:
    values = {"a": 2, "b": 2, "c": 1}
    aggregate = {name: {"quality": one, "interval": None} for name, one in values.items()}
    found = figures({"verb": "displacement", "aggregate": aggregate}, None)
    assert [one["rank"] for one in found.values()] == [1, 1, 3]
    assert first({"verb": "displacement", "aggregate": aggregate}) == ["a", "b"]
