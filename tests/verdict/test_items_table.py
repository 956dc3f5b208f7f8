"""The table of items beside its slow twins: counted answer by answer, moved item by item."""

from __future__ import annotations

import math
import time
from collections import Counter
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.measures.names import parse
from consilience.study import Study
from consilience.verdict.design import frame, moves
from consilience.verdict.items_table import ORDERS, ItemsTable, items_table


def mixed(seed: int) -> Study:
    """Runs of systems (silence is no), a model and a person with gaps (silence is nothing)."""
    rng = np.random.default_rng(seed)
    queries = [f"q{k}" for k in range(4)]
    runs = {
        f"s{k}": {
            query: {f"d{i}": float(s) for s, i in enumerate(rng.choice(12, 6, replace=False))}
            for query in queries
            if rng.random() < 0.8 or query == "q0"
        }
        for k in range(3)
    }
    said: dict[str, list[Any]] = {name: [] for name in ("query", "item", "judge", "kind", "label")}
    for who, kind in (("ann", "person"), ("bot", "llm")):
        for query in queries:
            for i in rng.choice(14, 8, replace=False):
                label = [1, 0, None][rng.integers(3)]
                for name, value in zip(said, (query, f"d{i}", who, kind, label), strict=True):
                    said[name].append(value)
    return cs.study(runs, truth=said)


def twin(table: ItemsTable) -> list[dict[str, Any]]:
    """Count from what stands side by side, answer by answer."""
    made = []
    for row in table.rows(np.arange(len(table))):
        votes = [{"yes": 1.0, "no": 0.0}.get(str(one["said"])) for one in row["answers"]]
        spoken = [vote for vote in votes if vote is not None]
        words = [
            one for one in row["answers"] if not one["silent"] and one["said"] in ("yes", "no")
        ]
        share = sum(spoken) / len(spoken) if spoken else math.nan
        apart = 1 - share**2 - (1 - share) ** 2
        made.append(
            {"yes": share, "disagreement": apart, "spoke": len(spoken), "answered": len(words)}
        )
    return made


@pytest.mark.parametrize("seed", range(6))
def test_columns_are_what_answers_add_up_to(seed: int) -> None:
    table = items_table(mixed(seed))
    slow = twin(table)
    for column in ("yes", "disagreement", "spoke", "answered"):
        np.testing.assert_allclose(
            getattr(table, column), [row[column] for row in slow], atol=1e-12, err_msg=column
        )


@pytest.mark.parametrize("seed", range(3))
def test_what_was_said_stands_side_by_side(seed: int) -> None:
    study = mixed(seed)
    table = items_table(study)
    said: dict[tuple[str, str, str], tuple[float, ...]] = {}
    for side in (study.answers, study.evidence):
        for line in range(side.lists):
            who, query = study.respondents.names[side.respondent[line]], side.query[line]
            for row in range(side.starts[line], side.starts[line + 1]):
                (name,) = study.items.names([int(side.item[row])])
                columns = [side.score, side.vote]
                said[who, study.queries[query], name] = tuple(
                    math.nan if column is None else float(column[row]) for column in columns
                )
    shown = {
        (who["name"], row["query"], row["item"]): (
            one.get("score", math.nan),
            one.get("vote", math.nan),
        )
        for row in table.rows(np.arange(len(table)))
        for who, one in zip(table.respondents, row["answers"], strict=True)
        if not one["silent"]
    }
    assert {*shown} == {*said}
    for key, values in said.items():
        np.testing.assert_array_equal(shown[key], values)


def f1(table: Any, p: Any) -> Any:
    """Score all systems by micro F1 with probabilities p, entry by entry."""
    votes = table.votes.toarray()
    scores = []
    for row, member in zip(votes, table.member, strict=True):
        total = sum(p[i] for i in range(len(p)) if member[table.query[i]])
        scores.append(2 * sum(row * p) / (total + sum(row)))
    return np.array(scores)


def test_influence_is_how_far_the_scores_move() -> None:
    rng = np.random.default_rng(5)
    runs = {
        f"s{k}": {
            f"q{q}": {f"d{i}" for i in rng.choice(9, 1 + k + q, replace=False)} for q in range(3)
        }
        for k in range(4)
    }
    study = cs.study(runs)
    table = items_table(study, measure="F1(average=micro)")
    known = moves(study, parse("F1(average=micro)"))
    p, step = known.prediction.p, 1e-6
    for item in range(len(study.items)):
        up, down = p.copy(), p.copy()
        up[item] += step
        down[item] -= step
        slope = (f1(known.table, up) - f1(known.table, down)) / (2 * step)
        expected = math.sqrt(p[item] * (1 - p[item])) * math.sqrt((slope**2).mean())
        assert table.influence[item] == pytest.approx(expected, rel=1e-6)
    assert table.reason is None
    assert table.measure == "F1(average=micro)"


def test_influence_is_what_next_draws_by() -> None:
    study = mixed(1)
    measure = parse("P@10")
    table, known = items_table(study), frame(study, measure)
    telling = np.sqrt(known.noise * known.slope.mean_square(known.table))
    assert table.measure == "P@10"
    np.testing.assert_array_equal(table.influence, telling)


def test_categories_are_counted() -> None:
    words: dict[str, list[str | None]] = {
        "item": ["a", "b", "c", "d"],
        "x": ["cat", "cat", None, "dog"],
        "y": ["cat", "dog", None, None],
        "z": ["cat", "cow", None, None],
    }
    table = items_table(cs.study(words, labels=True))
    by_name = dict(
        zip(table.study.items.names(np.arange(len(table))), table.disagreement, strict=True)
    )
    for place, name in enumerate(words["item"]):
        said = Counter(words[who][place] for who in "xyz" if words[who][place])
        total = said.total()
        if name in by_name:
            expected = 1 - sum((n / total) ** 2 for n in said.values()) if total else math.nan
            assert by_name[str(name)] == pytest.approx(expected, nan_ok=True)
    assert table.measure is None
    assert table.reason == "there is no system whose score an item could move"
    np.testing.assert_array_equal(table.influence, table.disagreement)
    assert np.isnan(table.yes).all()
    assert np.isnan(table.belief).all()
    row = table.rows(table.order("disagreement"))[0]
    assert (row["item"], [one["said"] for one in row["answers"]]) == ("b", ["cat", "dog", "cow"])
    assert row["yes"] is None
    (last,) = table.rows(table.find("d"))
    assert [one["said"] for one in last["answers"]] == ["dog", "no label", "no label"]


def test_belief_is_the_truth_where_there_is_one() -> None:
    runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["x", "z"]}, "c": {"q": ["x"]}}
    study = cs.study(runs, truth={"q": {"x": 0, "y": 1}})
    table = items_table(study)
    guess = cs.ls_eb(cs.study(runs)).p
    np.testing.assert_allclose(table.belief, [0, 1, guess[2]])
    assert table.judged.tolist() == table.labelled.tolist() == [True, True, False]
    assert not table.drawn.any()
    np.testing.assert_allclose(items_table(cs.study(runs)).belief, guess)


def test_items_that_wait_for_a_label_are_told() -> None:
    labels = {"item": ["x", "y"], "pi": [0.5, 0.1], "round": [1, 1], "label": [None, None]}
    runs = {"a": {"all": ["x", "y"]}, "b": {"all": ["x", "z"]}}
    table = items_table(cs.study(runs, truth=labels))
    assert table.drawn.tolist() == [True, True, False]
    assert not table.labelled.any()
    assert not table.judged.any()
    said = [row["answers"][2] for row in table.rows(np.arange(3))]
    assert [one["said"] for one in said] == ["waiting", "waiting", None]
    assert said[0]["probability"] == 0.5


def test_grades_and_models() -> None:
    said = {
        "query": ["q"] * 4,
        "item": ["x", "y", "z", "x"],
        "judge": ["ann", "ann", "ann", "bot"],
        "kind": ["person", "person", "person", "llm"],
        "grade": [2, 1, -1, 0],
    }
    study = cs.study({"a": {"q": {"x": 3.0, "y": 2.0, "z": 1.0}}}, truth=said)
    table = items_table(study, measure="P(rel=2)@2")
    words = [[one["said"] for one in row["answers"]] for row in table.rows(np.arange(3))]
    assert words == [["yes", "yes", "no"], ["yes", "no", None], ["yes", "not judged", None]]
    np.testing.assert_allclose(table.yes, [2 / 3, 1 / 2, 1])
    assert table.judged.tolist() == [True, True, False]
    np.testing.assert_allclose(table.belief[:2], [1, 0])


def test_other_measures_are_stood_in_for() -> None:
    table = items_table(mixed(2), measure="AP")
    assert table.measure == "P@10"
    assert table.reason == "how AP moves with one item depends on all others: this is about P@10"


def test_what_cannot_be_computed_falls_back_to_disagreement() -> None:
    said = {"query": ["q"], "item": ["x"], "judge": ["bot"], "kind": ["llm"], "category": ["cat"]}
    table = items_table(cs.study({"a": {"q": ["x", "y"]}}, truth=said))
    assert table.reason is not None
    assert "categories" in table.reason
    assert table.measure is None
    np.testing.assert_array_equal(table.influence, table.disagreement)


@pytest.mark.parametrize("by", ORDERS)
@pytest.mark.parametrize("descending", [True, False])
def test_orders(by: str, descending: bool) -> None:
    table = items_table(mixed(3))
    order = table.order(by, descending=descending)
    assert sorted(order.tolist()) == list(range(len(table)))
    values = order if by == "place" else getattr(table, by)[order].astype(float)
    known = values[~np.isnan(values)]
    assert not np.isnan(values[: len(known)]).any()
    steps = np.diff(known)
    assert (steps <= 0).all() if descending else (steps >= 0).all()
    some = order[::3]
    assert table.order(by, descending=descending, among=np.sort(some)).tolist() == some.tolist()


def test_unknown_names_are_told() -> None:
    table = items_table(mixed(0))
    with pytest.raises(UsageError, match=r"order of items.*possible: influence"):
        table.order("influense")
    with pytest.raises(UsageError, match="query"):
        table.find(query="nine")
    with pytest.raises(UsageError, match="items_table takes a study"):
        items_table("runs.csv")  # type: ignore[arg-type]


def test_items_are_found_by_name_and_by_query() -> None:
    runs = {"a": {"Über uns": ["Straße (1)", "weg"], "cats": ["ÜBER-cat", "dog.*"]}}
    table = items_table(cs.study(runs))
    names = table.study.items.names

    def found(text: str, **more: str) -> list[str]:
        return names(table.find(text, **more))

    assert found("über") == ["Straße (1)", "weg", "ÜBER-cat"]
    assert found(".*") == ["dog.*"]
    assert found("(1") == ["Straße (1)"]
    assert found("über", query="cats") == ["ÜBER-cat"]
    assert found("", query="cats") == ["ÜBER-cat", "dog.*"]
    assert found("nothing") == []
    assert len(found("")) == 4


def test_nobody_said_anything() -> None:
    table = items_table(cs.study({"a": {"q": []}}))
    assert len(table) == 0
    assert table.order().tolist() == []
    assert table.rows(table.find("x")) == []


def test_a_hundred_thousand_items_take_a_second() -> None:
    rng, count = np.random.default_rng(0), 100_000
    truth = rng.random(count) < 0.3
    frame: dict[str, Any] = {
        "query": [f"q{k // 100}" for k in range(count)],
        "item": [f"document-{k}" for k in range(count)],
    }
    for k in range(10):
        frame[f"S{k}"] = np.where(rng.random(count) < 0.8, truth, ~truth).astype(float)
    study = cs.study(frame)
    begun = time.process_time()
    table = items_table(study)
    made = time.process_time()
    page = table.rows(table.order("influence", among=table.find("ment-77"))[:50])
    shown = time.process_time()
    assert len(page) == 50
    assert made - begun < 4  # about half a second on a quiet machine
    assert shown - made < 0.5  # about 0.04 s
