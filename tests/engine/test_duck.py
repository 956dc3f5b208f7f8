"""DuckDB as an engine: which files it opens, in which order, within which memory, what it says."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import consilience as cs
from consilience import progress
from consilience.engine import by_sums
from consilience.engine.convert import convert
from consilience.engine.duck import Duck, connected, open_duck
from consilience.engine.gathering import sums_of
from consilience.engine.planning import Believing
from consilience.engine.sums import scores_of
from consilience.errors import UsageError
from consilience.measures.scores import score
from tests.engine.cases import CUT, Case, same, tables_of


def compared(duck: Duck, files: list[Any], truth: list[Any] | tuple[()] = (), **more: Any) -> Any:
    """Open files in both engines; see that both know the same, and believe alike."""
    study = cs.read(files, truth=truth, **more)
    tables = open_duck(duck, files, truth=truth, **more)
    assert tables.queries == study.queries
    assert tables.respondents == study.respondents
    sums = sums_of(tables, Believing("shrunk"), cutoffs=CUT)
    same(study, cs.ls_eb(study, near=None), sums)
    return tables


def test_files_of_one_system_each_are_named_after_their_files(duck: Duck, tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("topic,docno,score\n2,x,1.5\n1,y,2.5\n1,z,0.5\n")
    (tmp_path / "a.tsv").write_text("topic\tdocno\tscore\n3\tx\t1.5\n1\tü\t2.5\n")
    (tmp_path / "gold.csv").write_text("topic,docno,rel\n1,y,1\n1,ü,0\n3,x,2\n")
    files = [tmp_path / "b.csv", tmp_path / "a.tsv"]
    tables = compared(duck, files, [tmp_path / "gold.csv"])
    assert tables.queries == ("2", "1", "3")
    assert tables.respondents.names == ("b", "a", "gold")


def test_columns_without_a_role_are_left_out(duck: Duck, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("query,item,title\nq,a,A tale\nq,b,Another\n")
    (tmp_path / "t.csv").write_text("query,item\nq,a\n")
    gold = tmp_path / "gold.csv"
    gold.write_text("query,item,grade,expert,note\nq,a,1,Ann,sure\nq,b,0,Bob,\n")
    tables = compared(duck, [tmp_path / "s.csv", tmp_path / "t.csv"], [gold])
    assert tables.respondents.names == ("s", "t", "gold")  # every item stands once: no expert
    gold.write_text("query,item,grade,expert\nq,a,1,Ann\nq,a,0,Bob\n")
    tables = compared(duck, [tmp_path / "s.csv", tmp_path / "t.csv"], [gold])
    assert tables.respondents.names == ("s", "t", "Ann", "Bob")


def test_nothing_is_guessed_of_text(duck: Duck, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        '\ufeff,query,item,system,file_row_number\r\n\r\n0,#q,"a\n",s,9\r\n1,#q,b,t,8\r\n2,q,b,t,7\r\n'
    )
    assert compared(duck, [path]).queries == ("#q", "q")
    path.write_bytes(b"query,item,system\rq,a,s\rq,b,t\r")
    assert compared(duck, [path]).votes == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\n\nquery,system,item\nq,a,x\nq,b,y\n", "the first line is empty"),
        ("query,system,item,note,Note\nq,a,x,1,2\nq,b,y,1,2\n", "'note' appears twice"),
    ],
    ids=["blank lines", "capitals"],
)
def test_headers_that_memory_reads_alone(
    duck: Duck, tmp_path: Path, text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        open_duck(duck, [path])
    monkeypatch.setenv("CONSILIENCE_WORK", str(tmp_path / "work"))
    monkeypatch.setattr(by_sums, "MOST_VOTES", 0)
    verdict = cs.rank_tables(path, engine="duckdb", measures=["F1"])
    assert verdict.study.queries == ("q",)
    assert verdict.scores.systems == ("a", "b")
    assert verdict.ran.ran == "arrays"


def test_globs_and_mappings(duck: Duck, tmp_path: Path) -> None:
    for name in "abc":
        table = pa.table({"who": [name] * 2, "thing": ["x", name], "rank": [1, 2]})
        pq.write_table(table, tmp_path / f"{name}.parquet")
    columns = {"respondent": "who", "item": "thing"}
    tables = compared(duck, [str(tmp_path / "*.parquet")], columns=columns)
    assert (tables.queries, tables.respondents.names) == (("all",), ("a", "b", "c"))


def test_words_blanks_and_quotes_are_read_as_in_memory(duck: Duck, tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(
        'query,item,annotator,vote\n q1 ,"a, b",Ann,yes\nq1,c,Ann, no\nq1,"d ""e""",Bob,?\n'
        "q1,c,Bob,0.25\nq2,01,Ann,1\nq2,1,Bob,\n"
    )
    (tmp_path / "s.csv").write_text("query,item,system\nq1,c,S\nq2,1,S\nq2,01,T\n")
    tables = compared(duck, [tmp_path / "s.csv", path])
    assert tables.respondents.kind == ("system", "system", "person", "person")


def test_one_table_of_systems_people_and_models(duck: Duck, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [
        {"query": f"q{q}", "item": f"d{d}", "respondent": who, "kind": kind, "family": family,
         "vote": float(rng.integers(2))}
        for q, d in itertools.product(range(3), range(5))
        for who, kind, family in (
            ("s", "system", "one"), ("t", "System", "one"), ("u", "", None),
            ("p", "person", None), ("g", "gold", None), ("m", "llm", None),
        )
        if rng.random() < 0.7
    ]  # fmt: skip
    path = tmp_path / "all.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    (tmp_path / "more.csv").write_text("query,item,annotator\nq0,d1,s\nq1,d9,s\n")
    tables = compared(duck, [path, tmp_path / "more.csv"])
    assert "s (person)" in tables.respondents.names
    people = tables.respondents
    assert dict(zip(people.names, people.family, strict=True))["t"] == "one"


def test_whole_numbers_in_parquet_meet_text_in_csv(duck: Duck, tmp_path: Path) -> None:
    table = pa.table({"query": [7, 7, 8], "system": [1, 2, 1], "item": [10, 9, 9]})
    pq.write_table(table.append_column("score", pa.array([1.0, 1.0, 1.0])), tmp_path / "a.parquet")
    truth = tmp_path / "gold.csv"
    truth.write_text("query,item,grade\n7,10,1\n8,9,0\n")
    assert pa.types.is_integer(compared(duck, [tmp_path / "a.parquet"], [truth]).query_keys.type)
    truth.write_text("query,item,grade\n7,10,1\n8,09,0\n")  # 09 is not 9
    assert compared(duck, [tmp_path / "a.parquet"], [truth]).universe is None


def test_ranks_may_begin_at_nought_and_scores_may_lack(duck: Duck, tmp_path: Path) -> None:
    columns = {"query": ["q"] * 4, "system": ["s", "s", "t", "t"], "item": ["a", "b", "a", "c"]}
    table = pa.table({**columns, "rank": [1, 0, 0, 1], "score": pa.nulls(4, pa.float64())})
    pq.write_table(table, tmp_path / "a.parquet")
    tables = compared(duck, [tmp_path / "a.parquet"])
    assert "ranks begin at 0: one was added to each" in " ".join(tables.notes)


def test_answers_that_were_given_twice_are_counted_once(duck: Duck, tmp_path: Path) -> None:
    answers = "query,item,system,score\nq,a,s,1\nq,b,s,2\nq,a,s,1\nq,a,t,\nq,a,t,\nq,a,s,1\n"
    (tmp_path / "a.csv").write_text(answers)
    (tmp_path / "b.csv").write_text("query,item,system,score\nq,b,s,2\nq,c,u,1\n")
    (tmp_path / "gold.csv").write_text("query,item,grade\nq,a,1\nq,a,1\nq,c,0\nq,c,0\n")
    files, truth = [tmp_path / "a.csv", tmp_path / "b.csv"], [tmp_path / "gold.csv"]
    tables = compared(duck, files, truth)
    study = cs.read(files, truth=truth)
    assert tables.votes == len(study.answers) == 4
    assert tables.told == (
        "4 answers were given twice, word for word: counted once",
        "2 answers were given twice, word for word: counted once",
    )
    assert tables.told == study.notes[:2]
    same(study, cs.gold(study), sums_of(tables, Believing("gold"), cutoffs=CUT))
    assert not compared(duck, [tmp_path / "b.csv"], truth[:0]).told


def test_two_votes_files_may_hold_the_same_answers(duck: Duck, tmp_path: Path) -> None:
    files = []
    for name, text in (("a", "q,x,s,1\nq,y,s,2\n"), ("b", "q,x,s,1\nq,x,t,1\n")):
        (tmp_path / f"{name}.csv").write_text(f"query,item,system,score\n{text}")
        files.append(tmp_path / f"{name}.parquet")
        convert([tmp_path / f"{name}.csv"], files[-1])
    assert compared(duck, files).votes == 3
    (tmp_path / "b.csv").write_text("query,item,system,score\nq,x,s,7\nq,x,t,1\n")
    convert([tmp_path / "b.csv"], files[-1])
    with pytest.raises(UsageError, match=r"b\.parquet: row 1: item 'x' .*before \(.*a\.parquet\)"):
        open_duck(duck, files)


def test_labels_that_were_drawn_twice_are_for_memory(duck: Duck, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,item,system\nq,a,s\n")
    labels = tmp_path / "labels.csv"
    labels.write_text("query,item,label,probability,round\nq,a,1,0.5,1\nq,a,1,0.25,2\n")
    with pytest.raises(UsageError, match="drawn by design need --engine memory"):
        open_duck(duck, [tmp_path / "a.csv"], truth=[labels])


def test_nan_says_nothing(duck: Duck, tmp_path: Path) -> None:
    nan = float("nan")
    names = {"query": ["q"] * 4, "system": ["s", "s", "t", "t"], "item": ["a", "b", "a", "c"]}
    votes = {"vote": [1.0, nan, 0.5, 1.0], "score": [nan, nan, 2.0, 1.0]}
    pq.write_table(pa.table({**names, **votes}), tmp_path / "a.parquet")
    tables = compared(duck, [tmp_path / "a.parquet"])
    assert tables.said.gaps
    answers = tables.parts[0].answers
    import narwhals.stable.v2 as nw

    assert duck.collect(answers.filter(nw.col("vote") >= 0)).num_rows == 3


def test_scores_order_lists_in_which_ranks_are_missing(duck: Duck, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "query,item,system,score,rank\nq,a,s,1,2\nq,b,s,1,\nq,c,s,1,1\nq,a,t,,1\nq,b,t,,2\n"
    )
    tables = compared(duck, [path])
    assert "1 row has no rank: scores alone order their lists" in " ".join(tables.notes)
    study = cs.read([path])
    belief = cs.ls_eb(study, near=None)
    expected = score(study, measures=["P@1"], belief=belief, ties="rank")
    found = scores_of(sums_of(tables, Believing("shrunk"), cutoffs=(1,), ties="rank"), ["P@1"])
    for system in study.systems:
        assert found[system]["P@1"].value == pytest.approx(expected[system]["P@1"].value, abs=1e-12)


def test_columns_of_unusual_numbers(duck: Duck, tmp_path: Path) -> None:
    from decimal import Decimal

    columns = {
        "query": pa.array([Decimal("1.00"), Decimal("1.50"), Decimal("1.00")]),
        "system": pa.array([1, 2**63, 2**64 - 1], pa.uint64()),
        "item": pa.array([1.0, 2.0, 1.0], pa.float32()),
        "score": pa.nulls(3),
        "vote": pa.array([True, True, False]),
    }
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    tables = compared(duck, [tmp_path / "a.parquet"])
    assert tables.queries == ("1.00", "1.50")
    assert tables.respondents.names[-1] == str(2**64 - 1)


def test_a_universe_is_as_large_as_what_was_mentioned(duck: Duck, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query,item,system\nq,a,s\nq,b,s\nq,c,t\n")
    for open_it in (
        lambda: cs.read([path], universe=2),
        lambda: sums_of(open_duck(duck, [path], universe=2), Believing("shrunk")),
    ):
        with pytest.raises(UsageError, match="universe of 2 items is too small: query 'q' alone"):
            open_it()


@pytest.mark.parametrize("seed", range(3))
def test_a_votes_file_gives_what_its_inputs_give(duck: Duck, tmp_path: Path, seed: int) -> None:
    case = Case(seed, "text", "gaps", "both", "partial", 5, False, None)
    answers, truth = tables_of(case)
    assert truth is not None
    pq.write_table(answers, tmp_path / "a.parquet")
    pq.write_table(truth, tmp_path / "t.parquet")
    files, judged = [tmp_path / "a.parquet"], [tmp_path / "t.parquet"]
    votes = tmp_path / "votes.parquet"
    convert(files, votes)
    study = cs.read(files, truth=judged)
    tables = open_duck(duck, [votes], truth=judged, rows=10)
    assert len(tables.parts) > 1
    assert tables.queries == study.queries
    assert tables.respondents == study.respondents
    same(study, cs.ls_eb(study, near=None), sums_of(tables, Believing("shrunk"), cutoffs=CUT))


def test_lists_that_hold_nothing_are_lists(duck: Duck, tmp_path: Path) -> None:
    data = tmp_path / "lists.json"
    data.write_text('{"s": {"q1": ["a"], "q2": []}, "t": {"q1": ["a", "b"], "q2": ["c"]}}')
    votes = tmp_path / "votes.parquet"
    convert([data], votes)
    compared(duck, [votes])
    study = cs.read([data])
    assert open_duck(duck, [votes]).asked.sum() == study.answers.lists == 4


def test_a_long_text_file_keeps_its_order(duck: Duck, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    path = tmp_path / "long.csv"
    order = rng.permutation(200_000)
    with path.open("w") as stream:
        stream.write("query,system,item\n")
        stream.writelines(f"q{number},s{number % 7},x\n" for number in order.tolist())
    tables = open_duck(duck, [path])
    assert tables.queries == tuple(f"q{number}" for number in order.tolist())
    assert tables.respondents.names == tuple(f"s{n}" for n in dict.fromkeys((order % 7).tolist()))


def test_parts_and_the_whole_are_the_same_and_tell_how_far_they_are(
    duck: Duck, tmp_path: Path
) -> None:
    rng = np.random.default_rng(5)
    count = 6000
    table = (
        pa.table(
            {
                "query": np.sort(rng.integers(0, 30, count)),
                "system": rng.integers(0, 5, count),
                "item": np.arange(count) % 97 + 1000 * (np.arange(count) // 97 % 2),
                "score": rng.integers(0, 50, count).astype(float),
            }
        )
        .group_by(["query", "system", "item"], use_threads=False)
        .aggregate([("score", "max")])
        .sort_by("query")
    )
    path = tmp_path / "a.parquet"
    pq.write_table(table.rename_columns(["query", "system", "item", "score"]), path)
    heard: list[float] = []
    with progress.listening(heard.append):
        many = open_duck(duck, [path], rows=1000)
        one = open_duck(duck, [path])
        assert (len(one.parts), len(many.parts) > 3) == (1, True)
        found = [sums_of(some, Believing("shrunk"), cutoffs=(5,)) for some in (one, many)]
    assert heard[-1] == 1.0
    assert heard.count(1.0) == 2
    np.testing.assert_allclose(found[0].found[5], found[1].found[5], atol=1e-9)
    study = cs.read([path])
    expected = score(study, measures=["P@5"], belief=cs.ls_eb(study, near=None))
    assert scores_of(found[1], ["P@5"])["3"]["P@5"].value == pytest.approx(
        expected["3"]["P@5"].value, abs=1e-12
    )


def test_what_does_not_fit_into_memory_is_written_aside(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    count = 600_000
    table = pa.table(
        {
            "query": rng.integers(0, 500, count),
            "system": rng.integers(0, 20, count),
            "item": np.arange(count),
            "score": rng.random(count),
        }
    )
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    spill = tmp_path / "spill"
    spill.mkdir()
    with connected(memory=48 << 20, threads=1, folder=spill) as small:
        tables = open_duck(small, [path])
        sums = sums_of(tables, Believing("shrunk"), cutoffs=(3,))
        assert len(list(spill.iterdir())) == 1
    assert not list(spill.iterdir())
    assert sums.length.sum() == count


def test_nothing_heavy_is_imported_before_it_is_needed() -> None:
    import subprocess
    import sys

    code = (
        "import sys, consilience.engine.duck, consilience.engine.spark; "
        "sys.exit(', '.join({'duckdb', 'pyspark', 'pandas', 'scipy'} & {*sys.modules}) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
