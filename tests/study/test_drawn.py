"""Labels drawn by design in several rounds and files: what stands, and what is never lost."""

from __future__ import annotations

import math
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.study.drawn import drawn_labels
from consilience.study.overview import overview

RUN = {"A": {"q": ["a", "b", "c"]}, "B": {"q": ["c", "d"]}}
CHANCE = {1: 0.5, 2: 0.25, 3: 0.125}
#: item, round, label (None: not labelled yet).
Row = tuple[str, int, int | None]


def table(rows: list[Row], **more: list[object]) -> dict[str, list[object]]:
    return {
        "query": ["q"] * len(rows),
        "item": [item for item, _, _ in rows],
        "probability": [CHANCE[when] for _, when, _ in rows],
        "round": [when for _, when, _ in rows],
        "label": [label for _, _, label in rows],
        **more,
    }


def kept(study: Any) -> list[tuple[str, int, float, float]]:
    evidence = study.evidence
    names = study.items.names(evidence.item)
    columns = evidence.round.tolist(), evidence.grade.tolist(), evidence.probability.tolist()
    return sorted(zip(names, *columns, strict=True), key=str)


def twin(rows: list[Row]) -> list[Row] | None:
    """What stands of one voice's rows, item by item; None where they contradict each other."""
    stands: list[Row] = []
    for _, group in groupby(sorted(rows, key=lambda row: row[0]), key=lambda row: row[0]):
        mine = list(group)
        labelled = [row for row in mine if row[2] is not None]
        if len({label for _, _, label in labelled}) > 1:
            return None
        stands += sorted(labelled, key=lambda row: row[1])[:1]
        with_label = {when for _, when, _ in labelled}
        stands += [(mine[0][0], n, None) for n in {when for _, when, _ in mine} - with_label]
    return stands


row = st.tuples(st.sampled_from("abc"), st.integers(1, 3), st.sampled_from([None, None, 1, 1, 0]))


@given(st.lists(row, min_size=1, max_size=6), st.lists(row, min_size=1, max_size=6))
def test_two_files_against_a_twin(first: list[Row], second: list[Row]) -> None:
    expected = twin([*first, *second])
    files = {"one": table(first), "two": table(second)}
    if expected is None:
        with pytest.raises(cs.InputError, match="answered before"):
            cs.study(RUN, truth=files)
        return
    found = [(name, when, label) for name, when, label, _ in kept(cs.study(RUN, truth=files))]
    wanted = [(name, when, math.nan if label is None else label) for name, when, label in expected]
    assert sorted(map(str, found)) == sorted(str((n, w, float(x))) for n, w, x in wanted)


def test_the_first_round_stands() -> None:
    study = cs.study(
        RUN, truth={"late": table([("a", 2, 1), ("b", 2, 0)]), "early": table([("a", 1, 1)])}
    )
    assert kept(study) == [("a", 1, 1.0, 0.5), ("b", 2, 0.0, 0.25)]
    assert study.notes == ("1 label was drawn again and the same: that of the first round counts",)
    assert cs.condition(study).name == "partial"


def test_what_was_drawn_stays_until_it_is_labelled() -> None:
    """A round knows what it drew; the labelled row of the same draw takes the empty one's place."""
    tasks = table([("a", 1, None), ("b", 1, None)])
    labels = table([("a", 1, 1)])
    study = cs.study(RUN, truth={"tasks": tasks, "labels": labels})
    assert next((name, grade) for name, _, grade, _ in kept(study)) == ("a", 1.0)
    assert drawn_labels(study) == {"drawn": 2, "labelled": 1, "unlabelled": 1, "rounds": 1}
    again = cs.study(RUN, truth={"one": tasks, "two": table([("b", 2, 0)])})
    assert [row[:2] for row in kept(again)] == [("a", 1), ("b", 1), ("b", 2)]


def test_contradictions_are_errors_unless_one_counts() -> None:
    files = {"one": table([("a", 1, 1)]), "two": table([("a", 2, 0)])}
    with pytest.raises(cs.InputError, match=r"'a' was answered before .* and differently"):
        cs.study(RUN, truth=files)
    first, last = (cs.study(RUN, truth=files, duplicates=which) for which in ("first", "last"))
    assert kept(first) == [("a", 1, 1.0, 0.5)]
    assert kept(last) == [("a", 2, 0.0, 0.25)]
    assert "drawn again and different: the last counts" in last.notes[0]
    chances = {"one": table([("a", 1, 1)]), "two": table([("a", 1, 1)], probability=[0.4])}
    with pytest.raises(cs.InputError, match="differently"):
        cs.study(RUN, truth=chances)
    rounded = {"one": table([("a", 1, 1)]), "two": table([("a", 1, 1)], probability=[0.500001])}
    assert len(cs.study(RUN, truth=rounded).evidence) == 1


def test_several_people_speak_for_themselves() -> None:
    said = table([("a", 1, 1), ("a", 1, 0)], annotator=["ann", "ben"])
    study = cs.study(RUN, truth=said)
    assert len(study.evidence) == 2
    assert cs.condition(study).name == "uncertain"
    once = cs.study(RUN, truth=table([("a", 1, 1), ("a", 1, 1)], annotator=["ann", "ann"]))
    assert len(once.evidence) == 1


def test_check_tells_what_still_lacks_a_label() -> None:
    study = cs.study(RUN, truth=table([("a", 1, 1), ("b", 1, None), ("c", 2, None)]))
    assert overview(study)["drawn"] == {
        "drawn": 3,
        "labelled": 1,
        "unlabelled": 2,
        "rounds": 2,
    }
    assert overview(cs.study(RUN))["drawn"] is None
