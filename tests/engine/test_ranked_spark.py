"""Rankings on Spark, on this machine: the same numbers as in memory."""

from __future__ import annotations

from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import consilience as cs
from consilience.engine.spark import Spark
from consilience.verdict.agreement import Wanted
from tests.engine.cases import Case, tables_of
from tests.engine.payloads import differences


@pytest.mark.parametrize(
    ("form", "truth", "order"), [("csv", "listed", "none"), ("parquet", "partial", "score")]
)
def test_spark_ranks_as_memory_does(
    here: Spark, tmp_path: Path, form: str, truth: str, order: str
) -> None:
    answers, judged = tables_of(Case(8, "text", "none", order, truth, 7, False, None))
    assert judged is not None
    path, labels = tmp_path / f"answers.{form}", tmp_path / "truth.csv"
    pyarrow.csv.write_csv(judged, labels)
    if form == "csv":
        pyarrow.csv.write_csv(answers, path)
    else:
        pq.write_table(answers, path)
    usual = ["P@10", "R@10", "F1@10"] if order == "score" else ["F1", "P", "R"]
    for given in ([labels], []) if order == "none" else ([labels],):
        found = cs.rank_tables(path, truth=given, engine="spark", session=here.session, samples=200)
        assert list(found.scores.measures) == usual
        assert found.ran.payload()["name"] == "spark"
        expected = cs.rank_tables(
            path, truth=given, engine="memory", measures=usual, samples=200,
            show=Wanted(panel=False, cutoffs=0),
        )  # fmt: skip
        leaving: tuple[str, ...] = ("/curves", "/inputs", "/notes", "/partial")
        if expected.partial is not None:
            leaving = (*leaving, "/verdict", "/settled")
            assert not found.settled
        assert differences(expected.payload(), found.payload(), leaving=leaving) == []
        told = " ".join(found.notes)
        assert ("need whole lists (--engine duckdb)" in told) == (order == "score")
    assert here.session.range(2).count() == 2  # it goes on
