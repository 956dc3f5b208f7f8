"""The facts of a study, and the verb that answers who is better."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import consilience as cs
from consilience.verdict.checked import checked, nothing, usual_verb
from tests.cli.command import consilience

FILES = Path(__file__).parents[2] / "docs" / "files"
#: What is read, what is brought as the truth, and the verb.
CASES: dict[str, tuple[list[str], list[str], str]] = {
    "runs and qrels": (["runs"], ["qrels.txt"], "rank"),
    "runs alone": (["runs"], [], "rank"),
    "one run alone": (["runs/bm25.run"], [], "check"),
    "truth alone": (["qrels.txt"], [], "check"),
    "runs and judges": (["runs"], ["judges.csv"], "distributions"),
    "judges alone": (["judges.csv"], [], "agree"),
    "a judged list": (["airplanes.csv"], [], "curve"),
    "lists of subjects": (["benchmark/subjects.csv"], [], "displacement"),
    "runs and subjects": (["runs"], ["benchmark/subjects.csv"], "displacement"),
    "several readings": (["readings/old.txt"], ["readings/careful.txt"], "align"),
    "nearly the same phrases": (["soft/phrases.csv"], ["soft/phrases-gold.csv"], "soft"),
    "segments": (["meeting/mine.rttm"], ["meeting/gold.rttm"], "soft"),
    "boxes": (["boxes/detector.json"], ["boxes/truth.json"], "soft"),
    "drawn labels": (["labelling/votes.csv"], ["labelling/labels-1.csv"], "rank"),
}


@pytest.mark.parametrize(("files", "truth", "verb"), CASES.values(), ids=CASES)
def test_the_command_line_prints_the_same_facts_and_verb(
    files: list[str], truth: list[str], verb: str
) -> None:
    named = [str(FILES / name) for name in files]
    judged = [str(FILES / name) for name in truth]
    facts = checked(cs.read(named, truth=judged))
    assert usual_verb(facts) == verb
    options = [part for name in judged for part in ("--truth", name)]
    printed = consilience("check", *named, *options, "--json").json()
    assert printed.pop("next").startswith(f"consilience {verb} ")
    assert json.loads(json.dumps(facts)) == printed


def test_a_tree_makes_scores_possible() -> None:
    names = [str(FILES / "pictures" / name) for name in ("results.csv", "assignments.csv")]
    study = cs.read(names[:1], truth=names[1:])
    bare, known = checked(study), checked(study, tree=True)
    assert any("tree is not known" in line for line in bare["cannot"])
    assert not any("tree is not known" in line for line in known["cannot"])
    assert known["can"] == [
        *bare["can"],
        "precision and recall of the systems by the tree of categories (consilience tree)",
    ]
    assert usual_verb(known, tree=True) == usual_verb(bare) == "tree"


def test_nothing_has_every_fact() -> None:
    facts = checked(cs.study({"a": {"q": ["x"]}}))
    assert {*nothing()} == {*facts} - {"drawn"}
    assert usual_verb(nothing(), tree=True) == "tree"


def test_a_benchmark_is_named() -> None:
    study = cs.read_benchmark(FILES / "benchmark").study
    facts = checked(study, benchmark="bench")
    assert facts["what"] == "bench is a benchmark: what each subject answered to each query"
    assert usual_verb(facts) == "displacement"


def test_labels_that_were_drawn_speak_for_all_also_where_several_people_made_them() -> None:
    rows = {
        "item": ["a", "a", "b", "b", "c"],
        "judge": ["ann", "bob", "ann", "bob", ""],
        "label": [1, 0, 1, 1, None],
        "probability": [0.5, 0.5, 0.4, 0.4, 0.9],
        "round": [1] * 5,
    }
    study = cs.study({"s": {"all": ["a", "b"]}, "t": {"all": ["b", "c"]}}, truth=rows)
    facts = checked(study)
    assert facts["condition"] == "uncertain"
    assert [(one["name"], one["answers"]) for one in facts["judges"]] == [("ann", 2), ("bob", 2)]
    assert usual_verb(facts) == "rank"
