"""A votes file says what its inputs say: the law of convert, over all forms and all ways through."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.engine import votes_file
from consilience.engine.convert import Limits, Reading, written
from consilience.engine.votes_file import read_index
from consilience.errors import InputError
from consilience.study.model import VALUES, Answers, Study

#: Everything at once; everything waits in files; every file is read in blocks as well.
LIMITS = {
    "memory": Limits(waiting=1 << 30),
    "files": Limits(waiting=1, group=4),
    "blocks": Limits(waiting=200, small=0, block=50, rows=3, group=5),
}
QUERIES = ["q1", "q2", "Zürich 7", "10"]
ITEMS = ["d1", "d2", "d 3", "4", "ü", "d1x"]


def convert(
    paths: list[Path], output: Path, limits: Limits, duplicates: str = "error", **columns: str
) -> Path:
    how = Reading(columns, None, duplicates, "system", limits)  # type: ignore[arg-type]
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
    return [
        set(study.items.names(np.arange(low, high)))
        for low, high in zip(edges[:-1], edges[1:], strict=True)
    ]


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
        st.sampled_from(QUERIES[:2] + ["10"]),
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
        rows = [
            (7, who + "3", number % 4, None) for number, (_, who, *_) in enumerate(draw(long_rows))
        ]
        rows = list({row[:3]: row for row in rows}.values())
        columns = [*zip(*rows, strict=True)][:3]
        names = ["query", "system", "item"]
        found["c.parquet"] = pa.table(dict(zip(names, map(list, columns), strict=True)))
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
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(made=inputs())
def test_a_votes_file_says_what_its_inputs_say(
    tmp_path_factory: pytest.TempPathFactory, way: str, made: dict[str, str | pa.Table]
) -> None:
    folder = tmp_path_factory.mktemp("in")
    paths = write(folder, made)
    output = convert(paths, folder / "out.parquet", LIMITS[way])
    assert_same(cs.read(paths), cs.read(output))
