"""The one definition on Spark, on this machine: the same numbers as DuckDB's and memory's.

One Java machine serves all tests here: they belong to one group, which one worker runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException

import consilience as cs
from consilience.engine import duck, spark, spark_start
from consilience.engine.duck import open_duck
from consilience.engine.gathering import sums_of
from consilience.engine.guesses import labelled
from consilience.engine.pairing import pair_sums
from consilience.engine.planning import Believing
from consilience.engine.spark import Spark, open_spark
from consilience.engine.sums import Sums
from consilience.errors import ConsilienceError, UsageError
from tests.engine.cases import CUT, Case, same, tables_of


def written(folder: Path, case: Case, form: str) -> tuple[list[Path], list[Path]]:
    """Write a random study as files."""
    answers, truth = tables_of(case)
    files = []
    for name, table in (("answers", answers), ("truth", truth)):
        assert table is not None
        path = folder / f"{name}.{form}"
        if form == "csv":
            pyarrow.csv.write_csv(table, path)
        else:
            pq.write_table(table, path)
        files.append(path)
    return files[:1], files[1:]


def alike(one: Sums, other: Sums) -> None:
    assert (one.systems, one.queries) == (other.systems, other.queries)
    for name in ("put", "ordered", "length", "returned", "relevant", "universe"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-9)
    for k in one.found:
        np.testing.assert_allclose(one.found[k], other.found[k], atol=1e-9)
        np.testing.assert_allclose(one.judged[k], other.judged[k], atol=1e-9)


@pytest.mark.parametrize(
    ("form", "case", "believing"),
    [
        (
            "parquet",
            Case(3, "text", "gaps", "both", "partial", 4, False, 40),
            Believing("shrunk", evidence="clamp"),
        ),
        (
            "csv",
            Case(4, "whole", "fractions", "score", "judges", 3, False, None),
            Believing("gold"),
        ),
        (
            "parquet",
            Case(5, "whole", "none", "rank", "people", 3, True, None),
            Believing("consensus", top=0.2, bottom=0.1, evidence="vote"),
        ),
    ],
    ids=["prior", "gold", "consensus"],
)
def test_spark_gives_what_duckdb_gives(
    here: Spark, tmp_path: Path, form: str, case: Case, believing: Believing
) -> None:
    files, truth = written(tmp_path, case, form)
    tables = open_spark(here, files, truth=truth, universe=case.universe)
    found = sums_of(tables, believing, cutoffs=CUT)
    with duck.connected(threads=1) as one:
        there = open_duck(one, files, truth=truth, universe=case.universe)
        assert tables.queries == there.queries
        assert tables.respondents == there.respondents
        alike(found, sums_of(there, believing, cutoffs=CUT))
        if form == "parquet":
            ours, theirs = (pair_sums(some, believing) for some in (tables, there))
            for name in ("n", "mine", "square", "both"):
                np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-9)
    study = cs.read(files, truth=truth, universe=case.universe)
    if believing.method == "gold":
        same(study, cs.gold(study), found)


def test_frames_of_spark_are_read_as_they_are(here: Spark, tmp_path: Path) -> None:
    case = Case(6, "text", "none", "score", "complete", 3, False, None)
    (answers,), (truth,) = written(tmp_path, case, "parquet")
    read = here.session.read
    tables = open_spark(here, [read.parquet(str(answers))], truth=[read.parquet(str(truth))])
    assert list(tables.queries[:3]) == sorted(tables.queries[:3])
    assert "no order" in " ".join(tables.notes)
    study = cs.read([answers], truth=[truth])
    found = sums_of(tables, Believing("gold"), cutoffs=CUT)
    expected = cs.score(study, measures=["P@3"], belief=cs.gold)
    to = [found.queries.index(query) for query in expected.queries]
    for line, system in enumerate(found.systems):
        hits = found.found[3][line][to] / 3
        ours = expected[system]["P@3"].per_query
        np.testing.assert_allclose(hits, np.where(found.put[line][to], ours, hits), atol=1e-9)
    labels = {"query": tables.query_keys[:1], "item": pq.read_table(truth)["item"][:1]}
    frame = here.small(
        {name: column.combine_chunks() if hasattr(column, "chunks") else column
         for name, column in labels.items()}
        | {"label": pyarrow.array([1.0]), "probability": pyarrow.array([0.5])}
    )  # fmt: skip
    assert set(labelled(tables, frame).label.tolist()) <= {1.0}
    with pytest.raises(UsageError, match="rows have none here"):
        sums_of(tables, Believing("gold"), cutoffs=CUT, ties="order")


def test_a_session_that_was_passed_in_goes_on(here: Spark) -> None:
    with spark.connected(session=here.session) as again:
        assert again.session is here.session
    assert here.session.range(3).count() == 3
    with pytest.raises(UsageError, match="a session of Spark is running"), spark.connected():
        pass


def test_what_is_wrong_is_said_with_its_file(here: Spark, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query,item,system,vote\nq,a,s,1\nq,b,s,7\n")
    with pytest.raises(UsageError, match=r"a\.csv:3: vote must be a vote from 0 to 1, found '7'"):
        open_spark(here, [path])
    path.write_text("query,item,system,vote\nq,a,s,maybe\n")
    with pytest.raises(UsageError, match=r"a\.csv:2: vote must be .* found 'maybe'"):
        open_spark(here, [path])
    path.write_text("query,item,system,score\nq,a,s,1\nq,b,s,1d\n")  # a number to Java
    with pytest.raises(UsageError, match=r"a\.csv:3: score must be a number, found '1d'"):
        open_spark(here, [path])
    path.write_text("query,item,system,rank\nq,a,s,1e400\n")
    with pytest.raises(UsageError, match=r"a\.csv:2: rank must be a whole number"):
        open_spark(here, [path])
    path.write_text("query,item,system,score\nq,a,s,1\nq,b,s,2\nq,a,s,3\n")
    with pytest.raises(UsageError, match=r"a\.csv:4: item 'a' of query 'q' .*before \(line 2\)"):
        open_spark(here, [path])
    path.write_text("query,item,system\nq,a,s\nq,b\n")
    with pytest.raises(UsageError, match=r"a\.csv: not readable: Malformed CSV record: q,b \(fix"):
        open_spark(here, [path])
    path.write_text("item,S1,S2,gold\na,1,0,1\nb,1,1,0\n")
    with pytest.raises(UsageError, match=r"a wide table .'S1', 'S2'.*consilience convert"):
        open_spark(here, [path])
    broken = tmp_path / "b.parquet"
    broken.write_bytes(b"PAR1 and nothing else")
    with pytest.raises(UsageError, match=r"b\.parquet: not readable"):
        open_spark(here, [broken])
    with pytest.raises(UsageError, match="is not there"):
        open_spark(here, ["file:///nowhere/x.parquet"])


def test_a_votes_file_says_in_which_order_it_met_everybody(here: Spark, tmp_path: Path) -> None:
    lists = '{"s": {"q2": ["a"], "q1": []}, "u": {"q1": []}, "t": {"q1": ["a", "b"], "q2": ["c"]}}'
    (tmp_path / "lists.json").write_text(lists)
    votes = tmp_path / "votes.parquet"
    cs.convert([tmp_path / "lists.json"], votes)
    study = cs.read([votes])
    for name in (votes, votes.as_uri()):
        tables = open_spark(here, [name])
        assert (tables.queries, tables.respondents) == (study.queries, study.respondents)
        assert tables.asked.sum() == study.answers.lists == 5


def test_answers_that_were_given_twice_are_counted_once(here: Spark, tmp_path: Path) -> None:
    columns = {"query": ["q"] * 5, "system": ["s", "s", "s", "t", "t"], "item": list("abaac")}
    votes = {"vote": [1.0, float("nan"), 1.0, 0.5, 0.0]}
    pq.write_table(pyarrow.table({**columns, **votes}), tmp_path / "a.parquet")
    tables = open_spark(here, [tmp_path / "a.parquet"])
    study = cs.read([tmp_path / "a.parquet"])
    assert (tables.votes, tables.told) == (4, study.notes[:1])
    same(study, cs.ls_eb(study, near=None), sums_of(tables, Believing("shrunk"), cutoffs=CUT))


def test_the_greeting_of_java_is_left_out(capfd: pytest.CaptureFixture[str]) -> None:
    import os
    import threading

    greeting = (
        "WARNING: Using incubator modules: jdk.incubator.vector",
        "Using Spark's default log4j profile: org/apache/spark/log4j2-defaults.properties",
        'Setting default log level to "WARN".',
        "To adjust logging level use sc.setLogLevel(newLevel).",
        "26/11/16 04:25:18 WARN NativeCodeLoader: Unable to load native-hadoop library",
    )
    read_end, write_end = os.pipe()
    os.write(write_end, "\n".join([*greeting, "# A fatal error", ""]).encode())
    os.close(write_end)
    runs = threading.Event()
    runs.set()
    spark_start._listen(read_end, [], runs)
    assert capfd.readouterr().err == "# A fatal error\n"


def test_blanks_are_taken_off_names_and_letters_stay(here: Spark, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(
        "query,item,system,vote\nf v,fpnn,vf, yes \nf v,pnn,vf,yes\n\tf v ,\x0b pnnf\x0c,vf,no\n"
    )
    tables = open_spark(here, [path])
    assert tables.queries == ("f v",)
    assert tables.respondents.names == ("vf",)
    items = here.collect(tables.parts[0].answers.select("item"))["item"].to_pylist()
    assert sorted(items) == ["fpnn", "pnn", "pnnf"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Job aborted: ExecutorLostFailure (executor 3 exited)", "Spark lost workers"),
        ("java.lang.OutOfMemoryError: Java heap space", "spark.driver.memory"),
        ("java.io.IOException: No space left on device", "spark.local.dir"),
        ("something else\nat line 3", "Spark: something else"),
    ],
)
def test_losses_are_said_in_our_words(said: str, told: str) -> None:
    def fail() -> Any:
        with spark.told():
            raise PySparkException(said)

    with pytest.raises(ConsilienceError, match=told):
        fail()


def test_a_missing_java_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="JAVA_HOME is"):
        spark_start.need_java()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="openjdk-17-jre-headless"):
        spark_start.need_java()
