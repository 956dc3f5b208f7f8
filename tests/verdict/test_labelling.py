"""Which items to label next: what is said, what is refused, what earlier labels do."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.examples.pipelines import BAD, GOOD, pipelines
from consilience.study import Study
from consilience.verdict.designed import designed
from tests.verdict.labelled import hidden, labelled, truth_of

ITEMS = [f"i{number:02d}" for number in range(30)]
SYSTEMS = {"a": {"q": ITEMS[:12]}, "b": {"q": ITEMS[6:20]}, "c": {"q": ITEMS[4:30]}}
KEYS = {
    *("verb", "rows", "budget", "drawn", "expected", "population", "labelled", "round"),
    *("measure", "level", "delta", "seed", "prediction", "settings", "gain", "stop"),
    *("headline", "notes", "id", "created", "version", "inputs", "input_hash"),
}


@pytest.fixture(scope="module")
def study() -> Study:
    return pipelines(((GOOD, 3), (BAD, 3)), pages=4, items=60, prevalence=0.3, seed=5)


def given(labels: dict[str, Any]) -> Study:
    return cs.study(SYSTEMS, truth=labels)


def test_the_payload(study: Study) -> None:
    made = cs.next_labels(hidden(study), budget=40, seed=2)
    payload = made.payload()
    assert {*payload} == KEYS
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    assert payload["rows"] == made.rows
    assert [*payload["rows"][0]] == ["query", "item", "probability", "round"]
    assert payload["drawn"] == len(payload["rows"])
    assert payload["expected"] == pytest.approx(40)
    assert (payload["population"], payload["labelled"], payload["round"]) == (240, 0, 1)
    assert payload["measure"] == "F1(average=micro)"
    assert payload["settings"] == {"depth": None, "universe": None, "uniform_share": 0.1}
    assert payload["prediction"] == {"from": "ls-eb", "calibrated": False, "labels_used": 0}
    assert payload["stop"] is None
    assert {*payload["gain"]} == {
        *("standard_error_now", "standard_error_after", "standard_error_uniform"),
        *("worth", "ratio", "curve", "pair"),
    }
    assert cs.next_labels(hidden(study), budget=40, seed=2).payload()["id"] == payload["id"]
    assert cs.next_labels(hidden(study), budget=40, seed=3).rows != made.rows


def test_the_headline_says_what_it_is_for(study: Study) -> None:
    made = cs.next_labels(hidden(study), budget=40)
    count, worth = len(made.rows), made.gain.worth
    assert made.headline.startswith(
        f"Label these {count} items next (round 1): 40 labels drawn like these are worth about "
    )
    assert f"about {worth:.2g} drawn" in made.headline or f"about {round(worth)} " in made.headline
    assert made.headline.endswith(f"F1(average=micro) to {made.gain.after:.4f}.")
    assert repr(made).startswith("<Labelling: Label these")


def test_a_second_round_knows_the_first(study: Study) -> None:
    truth = truth_of(study)
    first = cs.next_labels(hidden(study), budget=40)
    now = labelled(
        study,
        truth,
        first.draw.item,
        first.draw.probability,
        np.ones(len(first.draw.item), np.int64),
    )
    made = cs.next_labels(now, budget=40)
    assert {row["round"] for row in made.rows} == {2}
    before = {(row["query"], row["item"]) for row in first.rows}
    assert not before & {(row["query"], row["item"]) for row in made.rows}
    payload = made.payload()
    assert (payload["labelled"], payload["round"]) == (len(first.rows), 2)
    assert payload["prediction"]["calibrated"]
    assert payload["gain"]["standard_error_now"] > payload["gain"]["standard_error_after"]
    assert payload["stop"]["labels"] == len(first.rows)
    found = designed(now, measures=["F1(average=micro)"]).measures["F1(average=micro)"]
    best = np.flatnonzero(found.value > found.value.max() - 1e-12)
    assert payload["stop"]["first"] == min(study.systems[code] for code in best)


def test_labels_without_probability_are_known(study: Study) -> None:
    some = {
        "query": ["q"] * 6,
        "item": ITEMS[:6],
        "label": [1, 0, 1, 0, 1, 0],
        "probability": [0.5] * 4 + [None] * 2,
    }
    made = cs.next_labels(given(some), budget=5)
    assert made.frame.labelled == 6
    assert not {row["item"] for row in made.rows} & {*ITEMS[:6]}
    assert any(note.startswith("2 labels have no probability: known, ") for note in made.notes)
    plain = {key: values for key, values in some.items() if key != "probability"}
    known = cs.next_labels(given(plain), budget=5)
    assert (known.draw.round, known.frame.labelled, known.stop) == (1, 6, None)
    assert any(note.startswith("6 labels have no probability: known, ") for note in known.notes)


def test_what_waits_for_a_label_is_named_and_not_drawn_again() -> None:
    some = {
        "query": ["q"] * 8,
        "item": ITEMS[:8],
        "label": [1, 0, 1, 0, None, None, None, None],
        "probability": [0.5] * 8,
        "round": [1] * 8,
    }
    made = cs.next_labels(given(some), budget=50)
    assert made.draw.round == 2
    assert not {row["item"] for row in made.rows} & {*ITEMS[:8]}
    assert any(
        note == "4 items were drawn before and still without a label: not drawn again "
        "(i04 of q, i05 of q, i06 of q, …)"
        for note in made.notes
    )


def test_ranked_answers_have_another_measure() -> None:
    ranked = {
        name: {
            query: {item: float(20 - place) for place, item in enumerate(items[:15])}
            for query, items in (("q", ITEMS[start:]), ("r", ITEMS[start // 2 :]))
        }
        for name, start in (("a", 0), ("b", 8), ("c", 4))
    }
    made = cs.next_labels(cs.study(ranked), budget=10)
    assert made.measure == "P@10"
    deep = cs.next_labels(cs.study(ranked), budget=10, measure="R@5")
    assert deep.measure == "R@5"
    assert any(note.startswith("R@5 divides query by query") for note in deep.notes)


def test_a_model_can_be_the_guess() -> None:
    said = {
        "query": ["q"] * 30,
        "item": ITEMS,
        "judge": ["bot"] * 30,
        "kind": ["llm"] * 30,
        "label": [1] * 10 + [0] * 20,
    }
    made = cs.next_labels(given(said), budget=10, proxy="bot")
    assert made.payload()["prediction"]["from"] == "bot"
    assert (made.frame.labelled, made.stop) == (0, None)
    with pytest.raises(UsageError, match="unknown proxy 'bott'"):
        cs.next_labels(given(said), budget=10, proxy="bott")


def test_one_system_can_be_labelled_too() -> None:
    made = cs.next_labels(cs.study({"a": {"q": ITEMS}}), budget=10, measure="P")
    assert made.gain.pair is None
    assert made.stop is None


def test_a_budget_for_all_draws_all() -> None:
    made = cs.next_labels(cs.study(SYSTEMS), budget=500)
    assert sorted(row["item"] for row in made.rows) == ITEMS
    assert {row["probability"] for row in made.rows} == {1.0}
    assert any(note.startswith("all 30 items that are left were drawn") for note in made.notes)


def test_a_tiny_budget_may_draw_nothing() -> None:
    drawn = [cs.next_labels(cs.study(SYSTEMS), budget=1, seed=seed) for seed in range(20)]
    empty = next(made for made in drawn if not made.rows)
    assert empty.headline == (
        "No item was drawn (1 were expected): take a larger budget, or another seed."
    )


def test_what_cannot_be_is_refused() -> None:
    plain = cs.study(SYSTEMS)
    for budget in (0, -3, 2.5, "10", True):
        with pytest.raises(UsageError, match="the budget must be a whole number from 1, found"):
            cs.next_labels(plain, budget=budget)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"AP cannot be estimated from few labels: .*P, R and F"):
        cs.next_labels(plain, budget=5, measure="AP")
    with pytest.raises(UsageError, match="delta must be"):
        cs.next_labels(plain, budget=5, delta=-1)
    with pytest.raises(UsageError, match="the level must be"):
        cs.next_labels(plain, budget=5, level=95)
    with pytest.raises(UsageError, match="next takes a study, found str"):
        cs.next_labels("runs", budget=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown convention"):
        cs.next_labels(plain, budget=5, convention="mine")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="unknown rule for ties"):
        cs.next_labels(plain, budget=5, ties="mine")  # type: ignore[arg-type]
    only = {"item": ["x"], "judge": ["bot"], "kind": ["llm"], "label": [1]}
    with pytest.raises(UsageError, match="there is no system"):
        cs.next_labels(cs.study(only), budget=5)
    every = {"q": {item: place % 2 for place, item in enumerate(ITEMS)}}
    with pytest.raises(UsageError, match="the truth is complete: every returned item"):
        cs.next_labels(cs.study(SYSTEMS, truth=every), budget=5)
    with pytest.raises(UsageError, match="share no query"):
        cs.next_labels(cs.study(SYSTEMS, truth={"other": {"x": 1}}), budget=5)


def test_a_round_without_labels_comes_first() -> None:
    some = {"query": ["q"] * 3, "item": ITEMS[:3], "probability": [0.5] * 3, "label": [None] * 3}
    with pytest.raises(UsageError, match="round 1 was drawn and none of its items has a label"):
        cs.next_labels(given(some), budget=5)


def test_settled_is_said_first(study: Study) -> None:
    drawn = np.arange(200)
    now = labelled(study, truth_of(study), drawn, np.full(200, 0.9), np.ones(200, np.int64))
    made = cs.next_labels(now, budget=10, delta=0.1)
    assert made.stop is not None
    assert made.stop.settled
    assert made.headline.startswith("Settled at 95 % for δ = 0.1 after 200 of 240 labels: ")
    assert "nothing more has to be labelled. To go on, label " in made.headline


def test_files_in_another_order_draw_the_same() -> None:
    turned = {name: SYSTEMS[name] for name in reversed(SYSTEMS)}
    one, other = (cs.next_labels(cs.study(found), budget=8) for found in (SYSTEMS, turned))
    assert [row["item"] for row in one.rows] == [row["item"] for row in other.rows]
    assert one.draw.probability == pytest.approx(other.draw.probability)
