"""What is to be labelled, as labelling tools take it."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.render.tasks import TASKS, tasks

ROWS = [
    {"query": "q1", "item": 'd "7", a', "probability": 1 / 3, "round": 1, "more": "x"},
    {"query": "q2", "item": "grün\nrot", "probability": 1.0, "round": 2},
]
PAYLOAD = {"rows": ROWS, "input_hash": "ab12", "seed": 7, "verb": "next"}


def test_csv_is_ready_to_be_filled_in() -> None:
    read = list(csv.DictReader(io.StringIO(tasks(PAYLOAD, "csv"))))
    assert list(read[0]) == ["query", "item", "probability", "round", "label"]
    assert [row["item"] for row in read] == ['d "7", a', "grün\nrot"]
    assert [float(row["probability"]) for row in read] == [1 / 3, 1.0]
    assert {row["label"] for row in read} == {""}
    assert tasks({**PAYLOAD, "rows": []}, "csv") == "query,item,probability,round,label\n"


def test_label_studio_tasks_hold_all_in_their_data() -> None:
    made = json.loads(tasks(PAYLOAD, "label-studio"))
    columns = ("query", "item", "probability", "round")
    assert made == [{"data": {name: row[name] for name in columns}} for row in ROWS]


def test_argilla_records_hold_the_draw_in_their_metadata() -> None:
    made = json.loads(tasks(PAYLOAD, "argilla"))
    assert made[0] == {
        "id": "1-1",
        "fields": {"query": "q1", "item": 'd "7", a'},
        "metadata": {"probability": 1 / 3, "round": 1},
    }
    assert len({record["id"] for record in made}) == 2


def test_the_queue_says_what_it_belongs_to_and_keeps_the_order() -> None:
    made = json.loads(tasks(PAYLOAD, "queue"))
    assert (made["queue"], made["study"], made["seed"]) == (1, "ab12", 7)
    assert [task["order"] for task in made["tasks"]] == [1, 2]
    assert list(made["tasks"][0]) == ["query", "item", "probability", "round", "order"]
    assert json.loads(tasks({**PAYLOAD, "rows": []}, "queue"))["tasks"] == []


def test_an_unknown_form_is_told() -> None:
    with pytest.raises(cs.UsageError, match="unknown format of tasks 'labelstudio'; did you mean"):
        tasks(PAYLOAD, "labelstudio")


text = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1).filter(
    lambda name: name == name.strip() and name.strip("\ufeff")
)


@given(
    st.lists(st.tuples(text, text), min_size=1, max_size=5, unique=True),
    st.floats(1e-9, 1.0),
    st.integers(1, 99),
    st.sampled_from(sorted(TASKS)),
)
def test_there_and_back(pairs, chance, turn, fmt) -> None:
    """Whatever the names: tasks that go out unlabelled come back with all they had."""
    rows = [{"query": q, "item": i, "probability": chance, "round": turn} for q, i in pairs]
    written = tasks({**PAYLOAD, "rows": rows}, fmt)
    if fmt == "csv":
        held: object = {
            name: [row[name] for row in csv.DictReader(io.StringIO(written, newline=""))]
            for name in ("query", "item", "probability", "round", "label")
        }
    else:
        held = json.loads(written)
    study = cs.study({"s": {q: [i] for q, i in pairs}}, truth=held)
    evidence = study.evidence
    found = zip(study.items.query(evidence.item), study.items.names(evidence.item), strict=True)
    assert {(study.queries[code], name) for code, name in found} == {*pairs}
    assert evidence.probability is not None
    assert evidence.round is not None
    assert set(evidence.probability.tolist()) == {chance}
    assert set(evidence.round.tolist()) == {turn}
