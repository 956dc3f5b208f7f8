"""Benchmarks in plain files, and subjects' lists as they are read: round trips, one error each."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import ConsilienceError
from consilience.study import Study
from consilience.study.subjects import subject_lists

HEADER = "query,subject,item,relevance\n"


def listed(study: Study) -> dict[tuple[str, str], list[tuple[str, float]]]:
    """What each subject said to each query, in order, by name."""
    lists = subject_lists(study)
    found = {}
    for k in range(len(lists)):
        rows = slice(int(lists.starts[k]), int(lists.starts[k + 1]))
        names = study.items.names(lists.item[rows])
        key = (lists.names[lists.subject[k]], study.queries[lists.query[k]])
        found[key] = list(zip(names, lists.relevance[rows].tolist(), strict=True))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "bench"
    place.mkdir()
    (place / "items.csv").write_text("item\na\nb\nc\nd\n")
    (place / "queries.csv").write_text("query\nq1\nq2\n")
    (place / "subjects.csv").write_text(f"{HEADER}q1,Ann,a,1\nq1,Ann,b,0.5\nq2,Bob,c,0.25\n")
    return place


def test_a_benchmark_is_read(folder: Path):
    found = cs.read_benchmark(folder)
    assert (found.items, found.queries) == (("a", "b", "c", "d"), ("q1", "q2"))
    assert found.study.universe == 4
    assert listed(found.study) == {
        ("Ann", "q1"): [("a", 1.0), ("b", 0.5)],
        ("Bob", "q2"): [("c", 0.25)],
    }
    assert found.tree is None
    assert found.assignments is None


def test_a_new_system_is_scored_later(folder: Path):
    run = {"new": {"q1": ["b", "z", "a"], "q2": ["d"], "q9": ["a"]}}
    study = cs.with_runs(cs.read_benchmark(folder), run)
    made = cs.displacement(study).payload()
    # z is in no subject's list and holds its place: a at 3, b at 1 → 1·2 + .5·1
    assert made["subjects"][0]["w"] == 2.5
    assert made["settings"]["collection"] == 4
    assert made["subjects"][1]["w_pessimist"] == 0.25 * 4
    notes = " / ".join(made["notes"])
    assert "1 item of the runs is not in the benchmark ('z'): it holds its place" in notes
    assert "1 query of the runs without a subject: not used (q9)" in notes


def test_runs_that_name_more_than_the_benchmark_holds_need_a_collection(folder: Path):
    study = cs.with_runs(cs.read_benchmark(folder), {"new": {"q1": list("uvwxyz")}})
    with pytest.raises(cs.UsageError, match="a collection of 4 items is too small"):
        cs.displacement(study)
    assert cs.displacement(study, collection=8).payload()["settings"]["collection"] == 8


names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Zs"]),
    min_size=1,
    max_size=6,
).filter(lambda name: name.strip() == name and not name.startswith("\ufeff"))
said = st.dictionaries(
    st.tuples(names, names),
    st.lists(
        st.tuples(names, st.floats(0, 1, allow_nan=False, allow_subnormal=False)),
        unique_by=lambda pair: pair[0],
        min_size=1,
        max_size=4,
    ),
    min_size=1,
    max_size=4,
)


@given(said, st.booleans())
def test_what_is_saved_is_read_back(tmp_path_factory, said, ranked):
    rows = [
        (q, who, item, s, k)
        for (who, q), pairs in said.items()
        for k, (item, s) in enumerate(sorted(pairs, key=lambda pair: -pair[1]), start=1)
    ]
    columns = ["query", "subject", "item", "relevance", "rank"][: 5 if ranked else 4]
    table = {name: [row[k] for row in rows] for k, name in enumerate(columns)}
    study = cs.study(table)
    place = tmp_path_factory.mktemp("made") / "bench"
    tree, assigned = [("all", ""), ("city", "all")], [(rows[0][2], "Ann", "city")]
    cs.save_benchmark(place, study, tree=tree, assignments=assigned)
    found = cs.read_benchmark(place)
    assert listed(found.study) == listed(study)
    assert {*found.items} == {row[2] for row in rows}
    assert found.tree == tuple(tree)
    assert found.assignments == tuple(assigned)
    again = place.parent / "again"
    cs.save_benchmark(again, found.study, items=found.items, queries=found.queries)
    for name in ("items.csv", "queries.csv", "subjects.csv"):
        assert (again / name).read_bytes() == (place / name).read_bytes()


def test_grades_are_saved_as_relevances(tmp_path: Path):
    table = {"query": ["q"] * 2, "subject": ["A"] * 2, "item": ["a", "b"], "relevance": [3, 1]}
    place = cs.save_benchmark(tmp_path / "b", cs.study(table), items=["a", "b", "c"], scale=4)
    assert listed(cs.read_benchmark(place).study) == {("A", "q"): [("a", 0.75), ("b", 0.25)]}


def test_nothing_is_overwritten_unasked(folder: Path, tmp_path: Path):
    study = cs.read_benchmark(folder).study
    before = (folder / "items.csv").read_text()
    with pytest.raises(cs.UsageError, match="is there already"):
        cs.save_benchmark(folder, study)
    assert (folder / "items.csv").read_text() == before
    cs.save_benchmark(folder, study, items="abcdefg", overwrite=True)
    assert len(cs.read_benchmark(folder).items) == 7
    (folder / "thesis.tex").write_text("mine")
    with pytest.raises(cs.UsageError, match=r"holds more than a benchmark \('thesis.tex'\)"):
        cs.save_benchmark(folder, study, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bench"]


def test_a_folder_is_whole_or_not_there(tmp_path: Path, folder: Path, monkeypatch):
    study = cs.read_benchmark(folder).study
    monkeypatch.setattr(csv, "writer", _full_disk)
    with pytest.raises(ConsilienceError, match="cannot be written: No space left"):
        cs.save_benchmark(tmp_path / "new", study)
    with pytest.raises(ConsilienceError, match="cannot be written"):
        cs.save_benchmark(folder, study, overwrite=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bench"]
    assert len(cs.read_benchmark(folder).items) == 4


def _full_disk(*args: object, **more: object) -> None:
    raise OSError(28, "No space left on device")


def test_what_subjects_name_must_be_kept(folder: Path, tmp_path: Path):
    study = cs.read_benchmark(folder).study
    with pytest.raises(cs.UsageError, match=r"name 2 items that .* not hold \('b', 'c'\)"):
        cs.save_benchmark(tmp_path / "x", study, items=["a"])
    with pytest.raises(cs.UsageError, match="1 queries that the benchmark would not hold"):
        cs.save_benchmark(tmp_path / "x", study, queries=["q1"])


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("items.csv", None, "the benchmark has no items.csv"),
        ("queries.csv", None, "the benchmark has no queries.csv"),
        ("subjects.csv", None, "the benchmark has no subjects.csv"),
        ("items.csv", "", "items.csv: the file is empty"),
        ("items.csv", "item\n", "items.csv: the file has a header and no rows"),
        ("items.csv", "thing\na\n", "items.csv:1: no column 'item'; found 'thing'"),
        (
            "items.csv",
            "item\na\nb\na\n",
            "items.csv:4: item 'a' stands here twice, first on line 2",
        ),
        ("items.csv", "item,title\na\n", "items.csv:2: not 2 cells"),
        ("items.csv", 'item\n"a\n', "items.csv: the file is not CSV"),
        ("items.csv", "item\na\nb\nd\n", "subjects.csv:4: item 'c' is not in items.csv"),
        ("queries.csv", "query\nq1\n", "subjects.csv:4: query 'q2' is not in queries.csv"),
        ("subjects.csv", HEADER, "subjects.csv: the table has a header and no rows"),
        ("subjects.csv", f"{HEADER}q1,A,a,2\n", r"subjects.csv:2: relevance must be in \[0, 1\]"),
        ("assignments.csv", "item,subject,category\nz,A,city\n", "rows assign items .*: 'z'"),
        ("tree.csv", "category\ncity\n", "tree.csv:1: no column 'parent'"),
    ],
)
def test_broken_folders(folder: Path, file: str, text: str | None, message: str):
    if text is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(text)
    with pytest.raises(cs.InputError, match=message):
        cs.read_benchmark(folder)


def test_no_folder_and_no_utf8(folder: Path):
    with pytest.raises(cs.InputError, match="there is no such folder"):
        cs.read_benchmark(folder / "nowhere")
    (folder / "items.csv").write_bytes("item\nZürich\n".encode("latin-1"))
    with pytest.raises(cs.InputError, match="the file is not UTF-8"):
        cs.read_benchmark(folder)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("q,A,a,7", r"s.csv:2: relevance must be in \[0, 1\], found 7 \(fix: --scale 7, or mend"),
        (
            "q,A,a,1\nq,A,b,-0.5",
            r"s.csv:3: relevance must be in \[0, 1\], found -0.5 \(fix: write 0",
        ),
        (
            "q,A,a,1\nq,B,a,1\nq,A,a,1",
            "s.csv:4: 'A' on query 'q' names item 'a' twice, first on line 2",
        ),
        ("q,A,a,x", "s.csv:2: relevance must be"),
    ],
)
def test_subjects_lists_with_a_wrong_line(tmp_path: Path, rows: str, message: str):
    file = tmp_path / "s.csv"
    file.write_text(f"{HEADER}{rows}\n")
    with pytest.raises(cs.InputError, match=message):
        cs.read_subjects(file)


def test_ranks_decide_and_relevances_must_follow(tmp_path: Path):
    file = tmp_path / "s.csv"
    file.write_text("query,subject,item,relevance,rank\nq,A,a,0.5,2\nq,A,b,0.5,1\nq,A,c,0.1,3\n")
    assert listed(cs.read_subjects(file))["A", "q"] == [("b", 0.5), ("a", 0.5), ("c", 0.1)]
    file.write_text("query,subject,item,relevance,rank\nq,A,a,0.5,1\nq,A,b,0.9,2\n")
    expected = "s.csv:3: relevance 0.9 at rank 2 is higher than 0.5 at rank 1 of the same list"
    with pytest.raises(cs.InputError, match=expected):
        cs.read_subjects(file)
    with pytest.raises(cs.UsageError, match=r"is higher than 0\.5 at rank 1"):
        cs.displacement(cs.read([file]), ask={"s": lambda q: iter("ab")})


def test_the_same_lists_in_every_form(tmp_path: Path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [("q", "A", "a", 0.5), ("q", "A", "b", 1.0), ("q", "B", "c", 0.0)]
    table = [dict(zip(("query", "subject", "item", "relevance"), row, strict=True)) for row in rows]
    lines = [",".join(map(str, row)) for row in rows]
    (tmp_path / "s.csv").write_text(HEADER + "\n".join(lines) + "\n")
    (tmp_path / "s.tsv").write_text((HEADER + "\n".join(lines) + "\n").replace(",", "\t"))
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in table))
    with gzip.open(tmp_path / "z.csv.gz", "wt") as stream:
        stream.write(HEADER + "\n".join(lines) + "\n")
    pq.write_table(pa.Table.from_pylist(table), tmp_path / "s.parquet")
    found = [listed(cs.read_subjects(path)) for path in sorted(tmp_path.iterdir())]
    assert len(found) == 5
    assert all(
        one == {("A", "q"): [("b", 1.0), ("a", 0.5)], ("B", "q"): [("c", 0.0)]} for one in found
    )


def test_columns_are_mapped_over_both_sides(tmp_path: Path):
    (tmp_path / "s.csv").write_text("topic_nr,who,item,relevance\nq,A,a,1\n")
    (tmp_path / "r.csv").write_text("topic_nr,item,rank\nq,a,1\n")
    given = {"query": "topic_nr", "respondent": "who"}
    study = cs.read_subjects(tmp_path / "s.csv", runs=tmp_path / "r.csv", columns=given)
    assert study.queries == ("q",)
    assert cs.displacement(study).payload()["subjects"][0]["name"] == "A"
    with pytest.raises(cs.UsageError, match=r"unknown column \(mapped to item\) 'thing'"):
        cs.read_subjects(tmp_path / "s.csv", columns={**given, "item": "thing"})
