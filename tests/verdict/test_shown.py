"""How results show themselves among other values, and what verbs say of what is no study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.verdict.shown import LONGEST, Shown

TREE: dict[str, Any] = {"animal": {"dog": {"poodle": {}}, "cat": {}}}
SAID = {"ann": {"x": "dog", "y": "cat"}, "bob": {"x": "poodle", "y": "dog"}}
SUBJECTS = {"query": ["q"] * 2, "subject": ["Ann"] * 2, "item": ["a", "b"], "relevance": [1, 0.5]}


def subjects() -> cs.Study:
    return cs.study({"run": {"q": ["b", "a"]}, "other": {"q": ["a", "c"]}}, truth=SUBJECTS)


def labels() -> cs.Study:
    return cs.study({"item": list("abcd"), "ann": [1, 1, 0, 0], "ben": [1, 1, 0, 1]}, labels=True)


RESULTS: dict[str, Callable[[], Shown]] = {
    "Verdict": lambda: cs.rank(cs.example_study("keyphrases")),
    "Distributions": lambda: cs.distributions(cs.example_study("keyphrases")),
    "TreeResult": lambda: cs.by_tree(SAID, tree=TREE, results={"s": {"dog": ["x", "y"]}}),
    "Labelling": lambda: cs.next_labels(cs.read(cs.example("keyphrases.csv")), budget=20),
    "Correlation": lambda: cs.correlate({"a": 1, "b": 2}, {"a": 2, "b": 1}),
    "DisplacementResult": lambda: cs.displacement(subjects()),
    "AnnotatorAgreement": lambda: cs.agree(labels()),
    "AlignmentResult": lambda: cs.align({"a": "the cat sat", "b": "the bat sat"}),
    "SoftResult": lambda: cs.soft(["colour", "grey"], ["color", "gray"]),
    "SegmentResult": lambda: cs.segments([(0.0, 2.0, "a")], [(1.0, 3.0, "a")]),
    "DetectionResult": lambda: cs.detections(
        [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10]}],
        [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 8], "score": 0.9}],
    ),
    "Reproduced": lambda: cs.reproduce("words"),
    "CurveResult": lambda: cs.curve(cs.example_study("airplanes")),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_among_other_values_is_one_line_with_its_first_sentence(name: str) -> None:
    made = RESULTS[name]()
    shown = repr(made)
    assert shown.startswith(f"<{name}: ")
    assert shown.endswith(">")
    assert len(shown) <= LONGEST
    assert "\n" not in shown
    payload = made.payload()
    said = payload.get("headline") or payload.get("verdict") or "AP of airplanes is 0.7833 (step)."
    first = shown[len(f"<{name}: ") : -1].removesuffix("…")
    assert first
    assert said.startswith(first)


def test_every_kind_of_result_is_looked_at() -> None:
    for name in cs.__all__:
        getattr(cs, name)
    assert {one.__name__ for one in Shown.__subclasses__()} == {*RESULTS}
    assert all(one.__repr__ is Shown.__repr__ for one in Shown.__subclasses__())


def test_long_names_and_control_characters_do_not_break_the_line() -> None:
    name = "a\n\x1b[31m" + "long " * 100
    shown = repr(cs.rank(cs.study({name: {"q": ["x"]}, "b": {"q": ["y"]}}, truth={"q": {"x": 1}})))
    assert len(shown) <= LONGEST
    assert shown.endswith("…>")
    assert "\n" not in shown
    assert "\x1b" not in shown


def test_a_notebook_without_html_gets_the_whole_text() -> None:
    made = cs.displacement(subjects())
    assert made._repr_mimebundle_()["text/plain"] == str(made).rstrip("\n")


def test_a_benchmark_among_other_values_is_one_line(tmp_path: Path) -> None:
    names = [f"d{number}" for number in range(1000)]
    place = cs.save_benchmark(tmp_path / "bench", subjects(), items=["a", "b", *names])
    shown = repr(cs.read_benchmark(place))
    assert shown.endswith(": 1,002 items, 1 queries, 1 subjects>")
    assert len(shown) < 300
    rows = [("animal", ""), ("dog", "animal")]
    told = [("a", "Ann", "dog")]
    place = cs.save_benchmark(tmp_path / "two", subjects(), tree=rows, assignments=told)
    assert repr(cs.read_benchmark(place)).endswith("1 subjects, with tree and assignments>")


VERBS: dict[str, Callable[[Any], Any]] = {
    "rank": cs.rank,
    "score": cs.score,
    "curve": cs.curve,
    "correlate_study": cs.correlate_study,
    "agree": cs.agree,
    "distributions": cs.distributions,
    "displacement": cs.displacement,
    "categorise": lambda given: cs.categorise(given, cs.tree(TREE)),
    "save_benchmark": lambda given: cs.save_benchmark("nowhere", given),
}
ODD = {"str": "runs.csv", "dict": {"q": ["a"]}, "DataFrame": pd.DataFrame({"a": [1]}), "None": None}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_study_is_named(verb: str, kind: str) -> None:
    with pytest.raises(UsageError, match=rf"^{verb} takes a study, found {kind} \(fix: .*cs\.\w+"):
        VERBS[verb](ODD[kind])


@pytest.mark.parametrize("given", ["latest", {"q": 1}, None, 3])
def test_charts_are_of_results(given: Any) -> None:
    with pytest.raises(UsageError, match=r"^charts takes a result, found .* \(fix: "):
        cs.charts(given)


def test_runs_stand_beside_a_benchmark_only() -> None:
    with pytest.raises(UsageError, match=r"^with_runs takes a benchmark, found str \(fix: "):
        cs.with_runs("bench", {"s": {"q": ["a"]}})  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", [cs.distributions, cs.rank, cs.score])
def test_the_name_of_a_belief_is_no_belief(verb: Callable[..., Any]) -> None:
    with pytest.raises(UsageError, match=r"^'consensus' is not a belief \(fix: pass a function"):
        verb(cs.example_study("keyphrases"), belief="consensus")


def test_systems_are_asked_through_functions_by_name() -> None:
    study = subjects()
    with pytest.raises(UsageError, match=r"^ask says which system is asked and how, found functio"):
        cs.displacement(study, ask=lambda query: iter("ab"))  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"^'run' cannot be asked: list is no function of a query"):
        cs.displacement(study, ask={"run": ["b", "a"]})  # type: ignore[dict-item]


def test_a_tree_is_asked_with_names_of_files(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("category,parent\nanimal,\ndog,animal\ncat,animal\n")
    (tmp_path / "said.csv").write_text("item,subject,category\nx,ann,dog\nx,bob,cat\ny,ann,cat\n")
    (tmp_path / "runs.csv").write_text("system,item,rank\ns,x,1\ns,y,2\n")
    tree, said, runs = (str(tmp_path / f"{name}.csv") for name in ("tree", "said", "runs"))
    found = cs.by_tree(said, tree=tree, results=runs, category="dog")
    known = cs.tree(tree)
    assigned = cs.read_assignments(said, tree=known)
    same = cs.by_tree(assigned, tree=known, results=cs.read(runs), category="dog")
    assert {**found.payload(), "created": ""} == {**same.payload(), "created": ""}
    listed = cs.by_tree([said], tree=Path(tree), results=[Path(runs)], category="dog")
    assert listed.headline == same.headline
    data = {"ann": {"x": "dog", "y": "cat"}, "bob": {"x": "cat"}}
    rows: dict[str, Any] = {"animal": {"dog": {}, "cat": {}}}
    held = cs.by_tree(data, tree=rows, results={"s": {"q": ["x", "y"]}}, category="dog")
    assert held.categorised.by_item() == same.categorised.by_item()
    assert (
        cs.categorise(cs.assignments(data, tree=rows), rows).by_item() == held.categorised.by_item()
    )
