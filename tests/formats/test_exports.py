"""Labels come home from labelling tools with the probability they were drawn with.

The files in ``tests/golden/labelled`` were written by Label Studio's and Argilla's own code from
our tasks: ``tests/golden/make_labelled.py``.
"""

from __future__ import annotations

import contextlib
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.formats.exports import exported
from consilience.render.tasks import tasks

EXPORTS = Path(__file__).parent.parent / "golden" / "labelled"
RUN = {"A": {"q1": ["d1", "d2", "d3"]}, "B": {"q1": ["d2", "d4"]}}
ROWS = [
    {"query": "q1", "item": item, "probability": pi, "round": turn}
    for item, pi, turn in (("d1", 0.5, 1), ("d2", 0.25, 1), ("d3", 0.125, 2), ("d4", 1.0, 2))
]
NAN = math.nan
#: Who said what of which item: Argilla names users by their ids.
SAID = [
    ("ann", "d1", 1.0),
    ("ann", "d2", 0.0),
    ("ben", "d2", 1.0),
    ("", "d3", NAN),
    ("", "d4", NAN),
]
WHO = {
    **dict.fromkeys(("3", "00000000-0000-0000-0000-000000000001"), "ann"),
    **dict.fromkeys(("5", "00000000-0000-0000-0000-000000000002"), "ben"),
    "not labelled": "",
}


def read(runs, **options):
    return cs.study(runs, **options)


def rows_of(study: Any) -> list[tuple[str, str, float, float, int]]:
    evidence = study.evidence
    who = [study.respondents.names[k] for k in evidence.respondent[evidence.list_of_row()]]
    said = evidence.vote if evidence.grade is None else evidence.grade
    columns = said.tolist(), evidence.probability.tolist(), evidence.round.tolist()
    return list(zip(who, study.items.names(evidence.item), *columns, strict=True))


@pytest.mark.parametrize(
    ("file", "form"),
    [
        ("label_studio.json", "Label Studio export"),
        ("label_studio_min.json", "JSON"),
        ("label_studio.csv", "CSV"),
        ("argilla.json", "Argilla export"),
        ("argilla_flat.json", "Argilla export"),
    ],
)
def test_exports_of_tools(file: str, form: str) -> None:
    study = read(RUN, truth=EXPORTS / file)
    assert study.sources[-1].recognised == f"{form}, long table"
    found = [(WHO[who], *rest) for who, *rest in rows_of(study)]
    drawn = {row["item"]: (row["probability"], row["round"]) for row in ROWS}
    skips = file in ("label_studio_min.json", "label_studio.csv")  # skipped tasks are left out
    expected = [(*said, *drawn[said[1]]) for said in SAID if not (skips and said[1] == "d3")]
    assert [tuple(map(str, row)) for row in found] == [tuple(map(str, row)) for row in expected]
    assert {kind for kind in study.respondents.kind if kind != "system"} == {"person"}


@pytest.mark.parametrize("file", ["label_studio.json", "argilla.json", "argilla_flat.json"])
def test_what_models_suggest_is_no_label(file: str) -> None:
    guesses = "predictions" if "studio" in file else "suggestions"
    notes = read(RUN, truth=EXPORTS / file).sources[-1].notes
    assert f"{guesses} are not labels: not used" in notes


def test_python_users_hold_the_same() -> None:
    for file in ("label_studio.json", "argilla.json", "argilla_flat.json"):
        held = json.loads((EXPORTS / file).read_text())
        here, there = (rows_of(read(RUN, truth=given)) for given in (held, EXPORTS / file))
        assert str(here) == str(there)


@pytest.mark.parametrize("fmt", ["csv", "label-studio", "argilla", "queue"])
@pytest.mark.parametrize("packed", [False, True])
def test_tasks_that_nobody_has_labelled_come_back_as_such(write, fmt: str, packed: bool) -> None:
    text = tasks({"rows": ROWS, "input_hash": "ab12", "seed": 7}, fmt)
    if packed and fmt != "csv":
        text = json.dumps(json.loads(text))
    study = read(RUN, truth=write(text, "tasks.csv" if fmt == "csv" else "tasks.json"))
    expected = [("tasks", row["item"], NAN, row["probability"], row["round"]) for row in ROWS]
    assert list(map(str, rows_of(study))) == list(map(str, expected))
    assert study.respondents.kind[-1] == "gold"
    assert cs.condition(study).name == "absent"


def test_a_queue_with_labels_is_read(write) -> None:
    queue = json.loads(tasks({"rows": ROWS, "input_hash": "ab12", "seed": 7}, "queue"))
    for task, label in zip(queue["tasks"], ("yes", "no", 2, None), strict=True):
        task["label"] = label
    study = read(RUN, truth=write(json.dumps(queue), "queue.json"))
    assert study.evidence.grade.tolist() == pytest.approx([1, 0, 2, NAN], nan_ok=True)
    assert study.sources[-1].recognised == "labelling queue, long table"
    assert study.sources[-1].notes == ()


def task(label: object, kind: str = "choices", **more: object) -> dict[str, object]:
    result = {"from_name": "rated", "type": kind, "value": {kind: label}}
    data = {"query": "q1", "item": "d1", "probability": 0.5, "meta": {"x": 1}}
    return {"data": data, "annotations": [{"completed_by": 1, "result": [result]}], **more}


@pytest.mark.parametrize(
    ("label", "kind", "grade"),
    [(["yes"], "choices", 1.0), (3, "rating", 3.0), (0.5, "number", 0.5), ([], "choices", NAN)],
)
def test_kinds_of_results_and_a_question_of_another_name(write, label, kind, grade) -> None:
    study = read(RUN, truth=write(json.dumps([task(label, kind)]), "x.json"))
    assert study.evidence.grade.tolist() == pytest.approx([grade], nan_ok=True)
    path = write(json.dumps([task(label, kind)]), "x.json")
    mapped = read(RUN, truth=path, columns={"grade": "rated"} if label != [] else None)
    assert str(mapped.evidence.grade) == str(study.evidence.grade)


def test_annotators_by_name_old_exports_and_lines(write) -> None:
    one = task(["no"])
    one["completions"] = one.pop("annotations")
    one["completions"][0]["completed_by"] = {"id": 4, "email": "ann@example.org"}  # type: ignore[index]
    lines = write(f"{json.dumps(one)}\n{json.dumps(one)}\n", "x.jsonl")
    study = read(RUN, truth=lines)
    assert study.respondents.names[-1] == "ann@example.org"
    assert len(study.evidence) == 1
    mixed = write(f"{json.dumps(one)}\n" + '{"item": "d1"}\n', "x.jsonl")
    with pytest.raises(cs.InputError, match="some lines are tasks of a labelling tool, others are"):
        read(RUN, truth=mixed)


def test_several_questions_ask_which_holds_the_labels(write) -> None:
    said = {name: [{"value": "yes", "user_id": "u"}] for name in ("fits", "is useful")}
    record = {"fields": {"item": "d1", "query": "q1"}, "metadata": None, "responses": said}
    path = write(json.dumps([record]), "x.json")
    with pytest.raises(cs.InputError, match=r"people answered to 'fits', 'is useful'.*label=fits"):
        read(RUN, truth=path)
    study = read(RUN, truth=path, columns={"label": "fits"})
    assert study.evidence.grade.tolist() == [1.0]
    assert study.sources[-1].notes == ("columns not used: is useful",)
    known = {**record, "responses": {**said, "relevance": said["fits"]}}
    assert read(RUN, truth=write(json.dumps([known]), "x.json")).evidence.grade.tolist() == [1]


def test_words_that_are_no_grades_are_told_and_agree_takes_them(write) -> None:
    path = write(json.dumps([task(["rather"]), task(["a", "b"])]), "x.json")
    with pytest.raises(cs.InputError, match="label must be a grade, found 'rather'"):
        read(RUN, truth=path)
    assert cs.read(write(json.dumps([task(["rather"])]), "x.json"), labels=True).categories == (
        "rather",
    )


def test_regions_and_comments_are_no_labels() -> None:
    marked = task([""])
    value = {"start": 3, "end": 9, "choices": ["yes"]}
    comment = {"from_name": "why", "type": "textarea", "value": {"text": ["because"]}}
    marked["annotations"] = [{"result": [{"from_name": "label", "value": value}, comment]}]
    found = exported([marked])
    assert found is not None
    assert found.rows == [{"query": "q1", "item": "d1", "probability": 0.5}]


leaf = st.none() | st.integers() | st.text(max_size=3) | st.booleans()
names = st.sampled_from(
    [
        *(
            "data",
            "annotations",
            "completions",
            "fields",
            "metadata",
            "responses",
            "queue",
            "tasks",
        ),
        *("result", "value", "choices", "completed_by", "item", "label", "label.responses"),
        *("label.responses.users", "label.responses.status", "label.suggestion", "user_id"),
    ]
)
tree = st.recursive(
    leaf, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4)
)


@given(st.lists(st.dictionaries(names, tree, max_size=5), max_size=3) | tree)
def test_whatever_looks_like_an_export_is_read_or_told(data) -> None:
    with contextlib.suppress(cs.UsageError):
        read(RUN, truth=data)


@pytest.mark.parametrize("answered", [[], [{"was_cancelled": True, "result": []}]])
def test_suggestions_alone_are_no_answers(write, answered) -> None:
    said = {"from_name": "label", "type": "choices", "value": {"choices": ["yes"]}}
    task = {"data": {"text": "a"}, "annotations": answered, "predictions": [{"result": [said]}]}
    with pytest.raises(cs.UsageError, match="it holds predictions and no label"):
        cs.read(write(json.dumps([task, {**task, "data": {"text": "b"}}]), "x.json"))
    drawn = {**task, "data": {"item": "a", "probability": 0.5, "round": 1}}
    (source,) = cs.read(write(json.dumps([drawn]), "x.json")).sources
    assert source.recognised.startswith("Label Studio export")
