"""The probability and the round of a label go wherever the label goes."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.belief.declaring import declared
from consilience.belief.families import with_families
from consilience.measures.condensed import condensed
from consilience.study.collection import with_collection
from consilience.study.depth import cut
from consilience.study.model import VALUES, Answers, as_study
from consilience.study.outline import part_of, ranges, whole_of
from consilience.study.subset import answered, chosen, of_items, only, silenced, without_models

RUNS = {
    "A": {"q1": {"apple": 3.0, "pear": 2.0, "plum": 1.0}, "q2": {"fig": 1.0}},
    "B": {"q1": {"plum": 2.0, "apples": 1.0}, "q2": {"fig": 2.0, "date": 1.0}},
}
LABELS = {
    "query": ["q1", "q1", "q2", "q1", "q1"],
    "item": ["apple", "pear", "date", "plum", "apple"],
    "respondent": ["gold", "gold", "gold", "gold", "bot"],
    "kind": ["gold", "gold", "gold", "gold", "llm"],
    "label": [1, 0, None, 1, 1],
    "probability": [0.5, 0.25, 0.125, None, None],
    "round": [1, 2, 2, None, None],
}
EXPECTED = {("q1", "apple"): (0.5, 1), ("q1", "pear"): (0.25, 2), ("q2", "date"): (0.125, 2)}


@pytest.fixture
def study() -> Any:
    return cs.study(RUNS, truth=LABELS)


def drawn(study: Any) -> dict[tuple[str, str], tuple[float, int]]:
    evidence = study.evidence
    names = study.items.names(evidence.item)
    queries = [study.queries[code] for code in study.items.query(evidence.item).tolist()]
    rows = zip(queries, names, evidence.probability.tolist(), evidence.round.tolist(), strict=True)
    return {(query, name): (pi, turn) for query, name, pi, turn in rows if pi == pi}


def stored(study: Any, tmp_path: Path) -> Any:
    people = replace(study, notes=())
    return cs.read_benchmark(cs.save_benchmark(tmp_path / "kept", people)).study


def some_of(study: cs.Study, n: int) -> cs.Study:
    everywhere = np.ones(len(study.queries), bool)
    return of_items(study, everywhere, chosen(len(study.items), n), one_in=n)


#: Name → a way from a study to a study.
WAYS: dict[str, Callable[[cs.Study], cs.Study]] = {
    "study": lambda study: study,
    "as_study": lambda study: as_study(study, "rank"),
    "cut": lambda study: cut(study, 2),
    "only": lambda study: only(study, ["A"]),
    "silenced": lambda study: silenced(study, ["A"]),
    "without_models": without_models,
    "with_collection": lambda study: with_collection(study, ["kiwi", "apple"]),
    "with_families": lambda study: with_families(study, {"A": "x", "B": "x"}),
    "declared": lambda study: declared(study, "none"),
    "condensed": lambda study: condensed(study, cs.gold(study)),
    "soft_votes": lambda study: cs.soft_votes(study, cs.soft_matching()),
    "votes_by_similarity": lambda study: cs.soft_votes(study, cs.soft_matching()),
    "of_items": lambda study: some_of(study, 1),
    "part_of": lambda study: part_of(study, whole_of(study)),
    "ranges": lambda study: ranges(study, [])[0],
}
#: Functions that make a study of something else, or of systems alone; who tests them, or why not.
ELSEWHERE = {
    "read": "test_files_and_frames",
    "read_study": "the command line's read",
    "build": "everything here",
    "study_of": "segments: their sides have no labels that were drawn",
    "read_subjects": "test_files_and_frames",
    "read_assignments": "tests/formats/test_drawn.py",
    "read_labels": "tests/formats/test_drawn.py, by read_assignments",
    "assignments": "tests/formats/test_drawn.py, by read_assignments",
    "of_tables": "tests/formats/test_drawn.py, by read_assignments",
    "as_given": "gives what it was given",
    "with_runs": "test_a_benchmark_keeps_them",
    "as_words": "labels that are words, by read_files",
    "answered": "test_without_judges_there_is_nothing_to_keep",
    "read_sequences": "texts have no labels",
    "by_position": "texts have no labels",
    "by_bag": "texts have no labels",
    "bagged": "texts have no labels",
    "positioned": "texts have no labels",
}


@pytest.mark.parametrize("name", WAYS)
def test_a_label_keeps_how_it_was_drawn(study: Any, name: str) -> None:
    assert drawn(study) == EXPECTED
    assert drawn(WAYS[name](study)) == EXPECTED


def test_no_function_that_gives_a_study_was_forgotten() -> None:
    source = Path(cs.__file__).parent
    found = set()
    for room in ("study", "match", "belief", "measures", "verdict"):
        for path in (source / room).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef) and node.returns is not None:
                    given = re.search(r"\bStudy\b", ast.unparse(node.returns))
                    found |= {node.name} if given and not node.name.startswith("_") else set()
    assert found <= {*WAYS, *ELSEWHERE}, "put it through its paces here, or say why not"
    assert {*WAYS, *ELSEWHERE} - found <= {"read_study"}


def test_parts_of_a_study_keep_them(study: Any) -> None:
    part: Any = some_of(study, 2)
    assert drawn(part).items() <= EXPECTED.items()
    assert len(part.evidence.probability) == len(part.evidence.round) == len(part.evidence)


def test_ranges_of_queries_share_them_out(study: Any) -> None:
    parts = [drawn(part) for part in ranges(study, [1])]
    assert parts[0] | parts[1] == EXPECTED
    assert len(parts[0]) + len(parts[1]) == len(EXPECTED)


def test_without_judges_there_is_nothing_to_keep(study: Any) -> None:
    alone, _ = answered(study)
    assert len(alone.evidence) == 0


def test_files_and_frames(study: Any, tmp_path: Path) -> None:
    import polars as pl

    frame = pl.DataFrame(LABELS)
    assert drawn(cs.study(RUNS, truth=frame)) == EXPECTED
    for name in ("labels.csv", "labels.parquet", "labels.jsonl"):
        path = tmp_path / name
        writer: Any = {"csv": frame.write_csv, "parquet": frame.write_parquet}
        writer.get(path.suffix[1:], frame.write_ndjson)(path)
        assert drawn(cs.study(RUNS, truth=path)) == EXPECTED
    runs = tmp_path / "runs.csv"
    runs.write_text("query,system,item,score\nq1,A,apple,1\nq2,B,fig,1\n")
    assert drawn(cs.read(runs, truth=tmp_path / "labels.csv")) == EXPECTED
    people = frame.filter(pl.col("kind") == "gold").rename({"label": "relevance"})
    people.drop("kind", "respondent").with_columns(subject=pl.lit("ann")).write_csv(
        tmp_path / "people.csv"
    )
    assert drawn(cs.read_subjects(tmp_path / "people.csv", runs=runs)) == EXPECTED


def test_a_benchmark_keeps_them(study: Any, tmp_path: Path) -> None:
    """And what a language model is: else it would come back as a person."""
    back = stored(study, tmp_path)
    assert drawn(back) == EXPECTED
    assert dict(zip(back.respondents.names, back.respondents.kind, strict=True))["bot"] == "llm"
    assert sum(map(math.isnan, back.evidence.grade.tolist())) == 1
    beside = cs.with_runs(cs.read_benchmark(tmp_path / "kept"), RUNS)
    assert drawn(beside) == EXPECTED
    plain = cs.study(RUNS, truth={"q1": {"apple": 1, "pear": 0.5}})
    cs.save_benchmark(tmp_path / "plain", plain)
    header = (tmp_path / "plain" / "subjects.csv").read_text().splitlines()[0]
    assert header == "query,subject,item,relevance"


def test_the_fingerprint_knows_the_round(study: Any) -> None:
    later = {**LABELS, "round": [1, 2, 3, None, None]}
    assert cs.study(RUNS, truth=later).fingerprint() != study.fingerprint()
    assert set(VALUES) <= {*Answers.__dataclass_fields__}
    assert np.issubdtype(study.evidence.round.dtype, np.integer)
