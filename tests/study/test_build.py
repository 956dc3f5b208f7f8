"""From rows to a study: duplicates, silence, empty answers, universe, categories, multisets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.study import DUPLICATES

study: Any = cs.study


def score(made: Any, measure: str) -> dict[str, float]:
    scores = cs.score(made, measures=[measure])
    return {system: scores[system][measure].value for system in scores.systems}


def test_arrays_are_read_only() -> None:
    made = study({"A": {"q": {"a": 1, "b": 2}}}, truth={"q": {"a": 1}})
    for name, column in made._columns():
        assert not column.flags.writeable, name
        with pytest.raises(ValueError, match="read-only"):
            column[:] = 0
    with pytest.raises(AttributeError):
        made.universe = 5


TWICE = {"item": ["a", "b", "a", "a"], "system": ["A"] * 4, "score": [1.0, 5.0, 1.0, 3.0]}


@pytest.mark.parametrize(("how", "kept"), [("first", [1, 5]), ("last", [5, 3])])
def test_first_and_last_of_second_answers(how, kept) -> None:
    made = study(TWICE, duplicates=how)
    assert made.answers.score.tolist() == kept
    assert made.notes == (
        "1 answer was given twice, word for word: counted once",
        f"1 answer was given twice and differently: the {how} counts",
    )


def test_contradictions_are_errors_with_both_lines(tmp_path) -> None:
    path = tmp_path / "x.run"
    path.write_text("q Q0 a 1 3 t\nq Q0 b 2 2 t\n\nq Q0 a 3 1 t\n")
    with pytest.raises(UsageError) as caught:
        cs.read(path)
    assert str(caught.value) == (
        f"{path}:4: item 'a' was answered before (line 1) and differently "
        "(fix: remove one, or say which counts with --duplicates first|last)"
    )
    with pytest.raises(UsageError, match="did you mean 'first'"):
        study(TWICE, duplicates="frist")
    assert DUPLICATES == ("error", "first", "last", "each")


def test_lists_may_name_an_item_twice() -> None:
    made = study({"q": ["a", "b", "a"]})
    assert made.items.names(made.answers.item) == ["a", "b"]
    assert made.notes == ("1 answer was given twice, word for word: counted once",)
    truth = study({"q": ["a"]}, truth={"q": ["a", "a", "c"]})
    assert len(truth.evidence) == 2


def test_each_mention_is_an_item_in_multisets() -> None:
    made = study(
        {"A": {"q": ["the", "cat", "the"]}, "B": {"q": ["the", "the", "the"]}, "C": {"r": ["the"]}},
        truth={"q": ["the", "the", "cat"]},
        duplicates="each",
    )
    assert made.items.names(range(4)) == ["the", "the", "the", "cat"]
    assert np.diff(made.items.starts).tolist() == [4, 1]
    assert score(made, "P") == pytest.approx({"A": 1.0, "B": 2 / 3, "C": 0.0})
    assert score(made, "R")["B"] == pytest.approx(2 / 3)


def test_universe() -> None:
    assert study({"q": ["a", "b"]}, universe=5).universe == 5
    for wrong in (1, -1, 0, True, 2.5, "pool", math.nan):
        with pytest.raises(UsageError, match="universe"):
            study({"q": ["a", "b"]}, universe=wrong)


def test_empty_answers_are_answers() -> None:
    made = study({"A": {"q1": [], "q2": ["a"]}, "B": {"q1": ["b"]}}, truth={"q1": {"b": 1}})
    assert {*made.queries} == {"q1", "q2"}
    assert made.answers.lists == 3
    assert score(made, "R") == {"A": 0.0, "B": 1.0}


def test_queries_only_in_truth_and_only_in_answers() -> None:
    made = study({"A": {"q1": ["a"], "q2": ["a"]}}, truth={"q2": {"a": 1}, "q3": {"b": 1}})
    assert made.queries == ("q1", "q2", "q3")
    assert np.unique(made.evidence.query).tolist() == [1, 2]


def test_silence_of_those_who_list_only_what_they_found() -> None:
    votes = {"item": ["a", "b", "a", "c"], "system": ["A", "A", "B", "B"], "vote": [1, 1, 1, 0]}
    made = study(votes, truth={"all": {"a": 1, "b": 0, "c": 1, "d": 1}})
    assert made.respondents.silence == ("unknown", "unknown", "unknown")  # somebody says no
    listed = {"item": ["a", "b", "a"], "system": ["A", "A", "B"], "vote": [1, 1, 1]}
    made = study(listed, truth={"all": {"a": 1, "b": 0, "c": 1, "d": 1}})
    assert made.respondents.silence == ("no", "no", "unknown")
    assert score(made, "R")["A"] == pytest.approx(1 / 3)
    split = study(
        {"x": {"item": ["a"], "respondent": ["g"], "kind": ["gold"], "vote": [1]}},
        truth={"item": ["b"], "respondent": ["g"], "kind": ["gold"], "vote": [0]},
    )
    assert split.respondents.silence == ("unknown",)


def test_what_a_judge_does_not_say_stays_unsaid_beside_other_judges() -> None:
    graded = {"item": ["a", "b", "c"], "relevant": [1.0, None, -1.0]}
    votes = {"item": ["a", "d"], "annotator": ["p", "p"], "vote": [0.5, 1.0]}
    listed = {"item": ["e"]}
    made = study({"S": {"all": list("abcde")}}, truth={"g": graded, "p": votes, "l": listed})
    belief = cs.gold(made)
    said = dict(zip(made.items.names(belief.item), belief.p.tolist(), strict=True))
    assert said == {"a": 0.75, "d": 1.0, "e": 0.5}  # p lists what it found, and not e


def test_kinds_and_families_must_agree_over_tables() -> None:
    def table(kind: str, family: str) -> dict[str, list[str]]:
        return {"item": ["a"], "respondent": ["x"], "kind": [kind], "family": [family]}

    with pytest.raises(UsageError, match="called gold in one file and person here"):
        study(table("gold", "f"), truth=table("person", "f"))
    with pytest.raises(UsageError, match="is of family 'f' elsewhere, 'g' here"):
        study(table("gold", "f"), truth=table("gold", "g"))


def test_systems_that_grade() -> None:
    with pytest.raises(UsageError) as caught:
        study({"item": list("abc"), "system": ["A"] * 3, "grade": [1, 2, 3]})
    assert str(caught.value).count("a system answers with grade") == 2
    assert study({"item": ["a"], "system": ["A"], "label": [0.5]}).answers.vote.tolist() == [0.5]


def test_categories_of_a_tree_are_carried() -> None:
    rows = [("x", "s1", "people"), ("x", "s2", "crowd"), ("y", "s1", ""), ("y", "s2", "people")]
    table = dict(zip(("item", "subject", "category"), zip(*rows, strict=True), strict=True))
    made = study({key: list(column) for key, column in table.items()})
    assert made.categories == ("people", "crowd")
    assert made.respondents.kind == ("person", "person")
    assert made.evidence.category.tolist() == [0, -1, 1, 0]
    with pytest.raises(UsageError, match="differently"):
        study({"item": ["x", "x"], "subject": ["s", "s"], "category": ["a", "b"]})


def test_evidence_keeps_kinds_and_probabilities() -> None:
    table = {
        "query": ["q"] * 3,
        "item": ["a", "b", "a"],
        "respondent": ["g", "g", "m"],
        "kind": ["gold", "gold", "llm"],
        "family": ["", "", "gpt"],
        "vote": [1, 0, 0.75],
        "probability": [0.5, 0.125, None],
    }
    made = study({"S": {"q": ["a"]}}, truth=table)
    assert made.respondents.kind == ("system", "gold", "llm")
    assert made.respondents.family == (None, None, "gpt")
    expected = [0.5, 0.125, math.nan]
    assert made.evidence.probability.tolist() == pytest.approx(expected, nan_ok=True)
