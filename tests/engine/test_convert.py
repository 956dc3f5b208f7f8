"""A votes file says what its inputs say: the law of convert, over all forms, on all ways."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.engine.convert import Limits, Reading, written
from consilience.engine.votes_file import read_index
from consilience.study.model import VALUES, Answers, Study
from consilience.study.repeats import Duplicates

#: Everything at once; everything waits in files; every file is read in blocks as well.
LIMITS = {
    "memory": Limits(waiting=1 << 30),
    "files": Limits(waiting=1, group=4),
    "blocks": Limits(waiting=200, small=0, block=50, rows=3, group=5),
}
QUERIES = ["q1", "q2", "Zürich 7", "10"]
ITEMS = ["d1", "d2", "d 3", "4", "ü", "d1x"]


def convert(
    paths: list[Path],
    output: Path,
    limits: Limits,
    duplicates: Duplicates = "error",
    **columns: str,
) -> Path:
    how = Reading(columns, None, duplicates, "system", limits)
    written(list(paths), output, how)
    return output


def lists(study: Study, answers: Answers) -> dict[tuple[str, str], list[Any]]:
    """Spell out what was said, list by list, in order."""
    found: dict[tuple[str, str], list[Any]] = {}
    names = study.items.names(answers.item)
    for number in range(answers.lists):
        rows = slice(int(answers.starts[number]), int(answers.starts[number + 1]))
        columns = [getattr(answers, name) for name in VALUES if name != "category"]
        values = [["-"] * (rows.stop - rows.start) if c is None else c[rows] for c in columns]
        said = [tuple(map(str, row)) for row in zip(names[rows], *values, strict=True)]
        who = study.respondents.names[answers.respondent[number]]
        found[who, study.queries[answers.query[number]]] = said
    return found


def items(study: Study) -> list[set[str]]:
    edges = study.items.starts.tolist()
    return [set(study.items.names(np.arange(low, high))) for low, high in pairwise(edges)]


def assert_same(one: Study, two: Study) -> None:
    assert one.queries == two.queries
    assert one.respondents == two.respondents
    assert items(one) == items(two)
    for side in ("answers", "evidence"):
        assert lists(one, getattr(one, side)) == lists(two, getattr(two, side))
        for name in VALUES:
            used = [getattr(getattr(study, side), name) is None for study in (one, two)]
            assert used[0] == used[1], name


rows_of_runs = st.lists(
    st.tuples(
        st.sampled_from([*QUERIES[:2], "10"]),
        st.sampled_from(["d1", "d2", "4", "d1x", "ü"]),
        st.integers(0, 5),
        st.floats(-3, 3).map(lambda x: round(x, 2)),
    ),
    min_size=1,
    max_size=12,
    unique_by=lambda row: row[:2],
)


def run_file(rows: list[tuple[Any, ...]], tag: str) -> str:
    return "".join(f"{q} Q0 {item} {rank} {score} {tag}\n" for q, item, rank, score in rows)


long_rows = st.lists(
    st.tuples(
        st.sampled_from(QUERIES),
        st.sampled_from(["bm25", "bert", "x, y"]),
        st.sampled_from(ITEMS),
        st.sampled_from([0, 1, 0.5, None]),
    ),
    min_size=1,
    max_size=20,
    unique_by=lambda row: row[:3],
)


def cell(value: object) -> str:
    text = "" if value is None else str(value)
    return f'"{text}"' if "," in text else text


def csv_of(rows: list[tuple[Any, ...]], *, votes: bool, family: bool) -> str:
    header = ["query", "system", "item"] + ["vote"] * votes + ["family"] * family
    lines = [",".join(header)]
    for query, who, item, vote in rows:
        cells = [query, who, item] + [vote] * votes + [who[0] if who != "x, y" else None] * family
        lines.append(",".join(map(cell, cells)))
    return "\n".join(lines) + "\n"


def json_lines(rows: list[tuple[Any, ...]], value: str) -> str:
    keys = ("query", "system", "item", value)
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)


@st.composite
def inputs(draw: st.DrawFn) -> dict[str, str | pa.Table]:
    """Draw files of several forms; some share systems, some queries come in any order."""
    found: dict[str, str | pa.Table] = {}
    for number in range(draw(st.integers(0, 2))):
        found[f"run{number}.trec"] = run_file(draw(rows_of_runs), f"run{number}")
    if draw(st.booleans()):
        votes, family = draw(st.booleans()), draw(st.booleans())
        found["a.csv"] = csv_of(draw(long_rows), votes=votes, family=family)
    if draw(st.booleans()):
        rows = [(q, f"{who}2", item, vote) for q, who, item, vote in draw(long_rows)]
        found["b.jsonl"] = json_lines(rows, "vote")
    if draw(st.booleans()):
        numbered = [(7, f"{row[1]}3", number % 4) for number, row in enumerate(draw(long_rows))]
        columns = map(list, zip(*dict.fromkeys(numbered), strict=True))
        found["c.parquet"] = pa.table(dict(zip(("query", "system", "item"), columns, strict=True)))
    if not found:
        found["run.trec"] = run_file(draw(rows_of_runs), "run")
    return found


def write(folder: Path, made: dict[str, str | pa.Table]) -> list[Path]:
    for name, content in made.items():
        if isinstance(content, str):
            (folder / name).write_text(content, encoding="utf-8")
        else:
            pq.write_table(content, folder / name, row_group_size=2)
    return [folder / name for name in made]


@pytest.mark.parametrize("way", LIMITS)
@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(made=inputs())
def test_a_votes_file_says_what_its_inputs_say(
    tmp_path_factory: pytest.TempPathFactory, way: str, made: dict[str, str | pa.Table]
) -> None:
    folder = tmp_path_factory.mktemp("in")
    paths = write(folder, made)
    output = convert(paths, folder / "out.parquet", LIMITS[way])
    assert_same(cs.read(paths), cs.read(output))


#: Files that lead through every corner of reading: content by name, and what they are.
CORNERS: dict[str, dict[str, str]] = {
    "ranks from 0, the zero late": {
        "a.csv": "query,system,item,rank\n" + "".join(f"q{k},s,d,{9 - k}\n" for k in range(10))
    },
    "ranks from 1": {"a.csv": "query,system,item,rank\nq,s,a,1\nq,s,b,2\nq,s,c,3\nq,s,d,4\n"},
    "a run that lacks one rank": {
        "a.run": "".join(f"q{k % 3} Q0 d{k} {k + 1} {20 - k} bm25\n" for k in range(9))
        + "q9 Q0 d9 - 1.5 bm25\n"
    },
    "wide, a column empty for long": {
        "a.csv": "query,item,s1,s2\n"
        + "".join(f"q{k % 3},d{k},{k % 2},{'' if k < 6 else 1}\n" for k in range(12)).replace(
            "q0,d0,0,", "q0,d0,0,1"
        )
    },
    "families, blanks, quotes, line ends in cells": {
        "a.csv": "query,system,item,score,family\n"
        'q1, bm25,"a ""b""",1.5,lex\nq1,bert ,"two\nlines",2,neural\nq2,bm25,"c,d",0.5,lex\n'
        "q2,bert,e,1,neural\n"
    },
    "a column of scores that is empty": {
        "a.csv": "query,system,item,score\n" + "".join(f"q{k},s,d{k},\n" for k in range(9))
    },
    "votes here, lists there": {
        "a.csv": "query,system,item,vote\nq1,s1,a,1\nq1,s1,b,0\nq2,s1,a,\nq2,s1,b,1\n",
        "b.run": "q2 Q0 b 1 3 s2\nq2 Q0 a 2 1 s2\nq1 Q0 z 1 1 s2\n",
    },
    "votes that all say yes": {
        "a.csv": "query,system,item,vote\n" + "".join(f"q{k},s,d{k},1\n" for k in range(9))
    },
    "one no, late": {
        "a.csv": "query,system,item,vote\n"
        + "".join(f"q{k},s{k % 2},d{k},{int(k < 8)}\n" for k in range(9))
    },
    "tags that clash": {
        "x/a.run": "q1 Q0 d1 1 3 tag\nq2 Q0 d1 1 3 tag\n",
        "y/a.run": "q1 Q0 d2 1 3 tag\nq2 Q0 d1 1 3 tag\n",
    },
    "one run cut by query": {
        "a.run": "q2 Q0 d1 1 3 tag\n",
        "b.run": "q1 Q0 d2 1 3 tag\nq3 Q0 d2 1 3 tag\n",
    },
    "old line ends": {"a.run": "q1 Q0 a 1 2 s\rq1 Q0 b 2 1 s\rq2 Q0 b 1 1 s\r"},
    "lines of Windows": {"a.csv": "query,item,score\r\nq1,a,2\r\nq1,b,1\r\nq2,a,1\r\n"},
    "said twice, word for word": {
        "a.csv": "query,system,item,vote\n" + "q1,s,a,1\nq2,s,a,0\n" * 3 + "q1,t,a,0\nq2,t,b,1\n"
    },
    "keys that come and go": {
        "a.jsonl": '{"query": "q1", "item": "a", "vote": 1, "note": "x"}\n'
        '{"item": "b", "query": "q1", "vote": null}\n{"query": "q2", "item": "b", "vote": 0}\n'
        + '{"query": "q3", "item": "b", "vote": 0}\n'
    },
    "judges": {
        "qrels.txt": "q2 0 d1 1\nq1 0 d2 0\nq1 0 d1 2\nq1 0 d7 -1\n",
        "people.csv": "query,annotator,item,label,kind\nq1,ann,d1,1,person\nq3,ann,d1,0,person\n"
        "q1,gpt,d1,1,llm\n",
    },
    "labels drawn by lot": {
        "a.csv": "query,item,gold,probability,round\nq1,a,1,0.5,1\nq1,b,,0.5,1\nq2,a,0,0.25,2\n"
        "q1,b,1,0.5,2\n"
    },
    "an empty tag": {"a.run": "q1 Q0 a 1 2\nq1 Q0 b 2 1\n"},
    "many blank lines": {
        "a.jsonl": '{"query": "q1", "item": "a"}\n' + "\n" * 200 + '{"query": "q2", "item": "b"}\n',
        "b.run": "q1 Q0 a 1 2 s\n" + " \n" * 200 + "q2 Q0 b 2 1 s\n",
    },
    "people by a lesser name, each item twice": {
        "a.csv": "user_id,item,vote\n" + "".join(f"{k % 2},{k // 2},1\n" for k in range(12))
    },
}


def corner(folder: Path, files: dict[str, str]) -> list[Path]:
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content.encode())
    return [folder / name for name in files]


@pytest.mark.parametrize("way", LIMITS)
@pytest.mark.parametrize("name", CORNERS)
def test_corners_come_through_as_they_are_read(tmp_path: Path, name: str, way: str) -> None:
    paths = corner(tmp_path, CORNERS[name])
    output = convert(paths, tmp_path / "out.parquet", LIMITS[way])
    assert_same(cs.read(paths), cs.read(output))
    told = {note.removeprefix(f"{output}: ") for note in cs.read(output).notes}
    assert told == set(cs.read(paths).notes)


def test_a_list_that_blocks_cut_loses_its_ranks_where_one_is_missing(tmp_path: Path) -> None:
    rows = ["q1,s,a,3,1", "q2,s,a,3,1", "q3,s,a,2,1", "q1,s,b,2,", "q2,s,b,1,2", "q1,s,c,1,3"]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["query,system,item,score,rank", *rows]) + "\n")
    output = convert([path], tmp_path / "out.parquet", LIMITS["blocks"])
    assert_same(cs.read(path), cs.read(output))
    assert any("1 row has no rank: scores alone" in note for note in cs.read(output).notes)


NESTED = {
    "bm25": {"q1": ["d1", "d2"], "q2": [], "q4": ["d1"]},
    "bert": {"q3": [], "q1": [], "q4": ["d2", "d1"]},
}


@pytest.mark.parametrize("way", ["memory", "files"])
def test_empty_lists_stay_empty_lists_and_their_queries_where_they_were(
    tmp_path: Path, way: str
) -> None:
    (tmp_path / "a.json").write_text(json.dumps(NESTED))
    (tmp_path / "b.run").write_text("q5 Q0 d 1 1 x\nq3 Q0 d 1 1 x\n")
    paths = [tmp_path / "a.json", tmp_path / "b.run"]
    output = convert(paths, tmp_path / "out.parquet", LIMITS[way])
    study = cs.read(output)
    assert study.queries == ("q1", "q4", "q2", "q3", "q5")  # those without rows come last, by file
    assert lists(study, study.answers)["bert", "q3"] == []
    assert_same(cs.read(paths), study)
    index = read_index(output)
    assert index is not None
    assert index.asked == ((0, 2), (1, 0), (1, 3))
    assert index.votes.tolist() == [2, 3, 0, 1, 1]


@pytest.mark.parametrize("way", LIMITS)
def test_all_lists_may_be_empty(tmp_path: Path, way: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"bm25": {"q1": [], "q2": []}, "bert": {"q2": [], "q3": []}}))
    output = convert([path], tmp_path / "out.parquet", LIMITS["memory"])
    again = convert([output], tmp_path / "again.parquet", LIMITS[way])
    for made in (output, again):
        assert_same(cs.read(path), cs.read(made))


@pytest.mark.parametrize("rule", ["first", "last"])
@pytest.mark.parametrize("way", LIMITS)
def test_the_first_or_the_last_of_two_answers_counts(tmp_path: Path, way: str, rule: Any) -> None:
    rng = np.random.default_rng(5)
    rows = [f"q{q},s{s},d{d},{v}" for q, s, d, v in rng.integers(0, [4, 2, 3, 2], (60, 4))]
    path = tmp_path / "a.csv"
    path.write_text("\n".join(["query,system,item,vote", *rows]) + "\n")
    output = convert([path], tmp_path / "out.parquet", LIMITS[way], rule)
    there = cs.read(path, duplicates=rule)
    assert_same(there, cs.read(output))
    assert {f"{output}: {note}" for note in there.notes} == set(cs.read(output).notes)


@pytest.mark.parametrize("way", LIMITS)
def test_a_votes_file_converts_to_itself_and_joins_others(tmp_path: Path, way: str) -> None:
    files = {
        "a.csv": "query,system,item,vote\nq2,t,a,1\nq2,t,b,1\nq1,t,a,1\n",
        **CORNERS["old line ends"],
    }
    (tmp_path / "n.json").write_text(json.dumps(NESTED))
    paths = [*corner(tmp_path, files), tmp_path / "n.json"]
    first = convert(paths, tmp_path / "first.parquet", LIMITS["memory"])
    second = convert([first], tmp_path / "second.parquet", LIMITS[way])
    assert_same(cs.read(first), cs.read(second))
    more = tmp_path / "z.run"
    more.write_text("q7 Q0 d 1 1 z\nq2 Q0 a 1 1 z\n")
    third = convert([first, more], tmp_path / "third.parquet", LIMITS[way])
    assert_same(cs.read([*paths, more]), cs.read(third))


@pytest.mark.parametrize("way", LIMITS)
def test_rank_says_of_a_votes_file_what_it_says_of_the_runs(tmp_path: Path, way: str) -> None:
    files = Path(__file__).parents[2] / "docs" / "files"
    runs, qrels = sorted((files / "runs").glob("*.run")), files / "qrels.txt"
    votes = convert(runs, tmp_path / "votes.parquet", LIMITS[way])
    truth = convert([qrels], tmp_path / "truth.parquet", LIMITS[way])
    own = {"id", "inputs", "hash", "input_hash", "created"}
    for there, here in (
        (cs.read(runs), cs.read(votes)),
        (cs.read(runs, truth=qrels), cs.read(votes, truth=truth)),
    ):
        one, two = (cs.rank(study, samples=200).payload() for study in (there, here))
        assert {key for key in one if one[key] != two[key]} <= own


def test_the_same_file_comes_out_on_every_way(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = sorted({tuple(row) for row in rng.integers(0, [30, 4, 50], (3000, 3)).tolist()})
    rng.shuffle(rows)
    for system in range(4):
        lines = [f"q{q} Q0 d{d} 1 {d % 7} s{s}\n" for q, s, d in rows if s == system]
        (tmp_path / f"s{system}.run").write_text("".join(lines))
    runs = sorted(tmp_path.glob("*.run"))
    ways = {
        "memory": Limits(waiting=1 << 30),
        "files": Limits(waiting=10_000),
        "blocks": Limits(waiting=10_000, small=0, block=500),
    }
    made = {way: convert(runs, tmp_path / f"{way}.parquet", ways[way]) for way in ways}
    assert len({path.read_bytes() for path in made.values()}) == 1
    assert_same(cs.read(runs), cs.read(made["blocks"]))
