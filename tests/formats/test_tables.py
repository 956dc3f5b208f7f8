"""CSV, TSV, JSON lines and Parquet, long and wide."""

from __future__ import annotations

import contextlib
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import consilience as cs
from consilience.errors import UsageError

read: Any = cs.read


def problems(*args, **options) -> list[str]:
    with pytest.raises(UsageError) as caught:
        read(*args, **options)
    return str(caught.value).splitlines()


LONG = [
    {"query": "q1", "item": "a", "system": "A", "score": "2.5"},
    {"query": "q1", "item": "b", "system": "A", "score": "1"},
    {"query": "q2", "item": "a", "system": "B", "score": "-3e2"},
]


def as_csv(rows, delimiter=",") -> str:
    lines = [list(rows[0]), *(list(row.values()) for row in rows)]
    return "".join(delimiter.join(line) + "\n" for line in lines)


def test_one_table_in_every_form_is_one_study(write, tmp_path: Path) -> None:
    import json

    parquet = tmp_path / "long.parquet"
    pq.write_table(pa.Table.from_pylist(LONG), parquet)
    paths = [
        write(as_csv(LONG), "a/long.csv"),
        write(as_csv(LONG, "\t"), "b/long.tsv"),
        write(as_csv(LONG, ";"), "c/long.csv"),
        write("".join(json.dumps(row) + "\n" for row in LONG), "d/long.jsonl"),
        write(json.dumps(LONG, indent=1), "e/long.json"),
        parquet,
    ]
    prints = {read(path).fingerprint() for path in paths}
    assert len(prints) == 1
    assert cs.study(LONG).fingerprint() in prints


def test_quotes_newlines_and_separators_in_cells(write) -> None:
    content = 'query,item,system,vote\nq1,"d1\nx, ""y""",A,1\n\nq1,5" disk,A,0\nq1,d3,B,7\n'
    assert problems(write(content, "x.csv")) == [
        f"{write(content, 'x.csv')}:6: vote must be a vote from 0 to 1, found '7' "
        "(fix: write 0 to 1, yes or no, or leave it empty for unknown)"
    ]
    study = read(write(content.replace("7", "1"), "x.csv"))
    assert study.items.names([0, 1, 2]) == ['d1\nx, "y"', '5" disk', "d3"]


@pytest.mark.parametrize(
    "content",
    ['item,system\na,A\nb,"B\nc,C\n', 'item,system\na,A\nb,"B', 'item,system\na,A\n"b,B\nc,C\n'],
)
def test_a_quote_that_never_closes_is_found(write, content) -> None:
    (line,) = problems(write(content, "x.csv"))
    assert "x.csv:3: a quote opens in this row and never closes" in line


def test_all_ragged_rows_and_bad_cells_in_order(write) -> None:
    content = "item,system,vote\na,A\nb,A,2\nc,A,1,1\n   \n,A,1\ne,A,no\n"
    lines = problems(write(content, "x.csv"))
    assert [line.split("x.csv:")[1].split(" (fix")[0] for line in lines] == [
        "2: expected 3 cells, found 2",
        "3: vote must be a vote from 0 to 1, found '2'",
        "4: expected 3 cells, found 4",
        "6: item: the item is empty",
    ]


def test_headers(write) -> None:
    assert "no rows" in problems(write("item,S1\n", "x.csv"))[0]
    assert "no rows" in problems(write("item,S1", "x.csv"))[0]
    assert "column 'item' appears twice" in problems(write("item,item,S1\na,b,1\n", "x.csv"))[0]
    two = problems(write("item,x,x,y,y\na,1,1,1,1\n", "x.csv"))
    assert len(two) == 2
    study = read(write("\n\n" + ",item, S1 ,\n0,a,1,\n1,b,0,\n", "x.csv"))  # an index, a gap
    assert study.systems == ("S1",)


def test_unknown_columns_are_told(write) -> None:
    study = read(write("item,system,score,note,year\na,A,1,x,2001\n", "x.csv"))
    assert study.sources[0].notes == ("columns not used: note, year",)


def test_mapping_columns(write) -> None:
    path = write("topic_nr,phrase,who,sure\n7,a,A,0.5\n", "x.csv")
    given = {"query": "topic_nr", "item": "phrase", "respondent": "who", "vote": "sure"}
    study = read(path, columns=given)
    assert (study.queries, study.systems) == (("7",), ("A",))
    assert "did you mean 'phrase'?" in problems(path, columns={"item": "prase"})[0]
    assert "did you mean 'item'?" in problems(path, columns={"itm": "phrase"})[0]
    (line,) = problems(write("q Q0 a 1 2 t\n", "a.run"), columns={"query": "topic"})
    assert "TREC files and lists have none (fix: leave out the mapping query=topic)" in line
    other = write("item,relevant\na,1\n", "gold.csv")
    assert read(path, truth=other, columns=given).evidence.lists == 1
    assert (
        "unknown column (mapped to score) 'sur'"
        in problems(path, truth=other, columns=given | {"score": "sur"})[0]
    )


VOTES: dict[str, float] = {
    "1": 1,
    "0": 0,
    "+": 1,
    "-": 0,
    "−": 0,
    "yes": 1,
    "No": 0,
    "TRUE": 1,
    "false": 0,
}
VOTES |= {"0.3": 0.3, " 1.0 ": 1, "1e-1": 0.1, "": math.nan, "?": math.nan, "NA": math.nan}


def test_votes_in_many_spellings(write) -> None:
    rows = "".join(f"d{n},{cell},1\n" for n, cell in enumerate(VOTES))
    study = read(write("item,S1,S2\n" + rows, "x.csv"))
    got = study.answers.vote[: len(VOTES)].tolist()
    assert got == pytest.approx(list(VOTES.values()), nan_ok=True)


@pytest.mark.parametrize("cell", ["7", "-1", "1.01", "maybe", "inf", "1,5", "0x1"])
def test_a_cell_that_is_no_vote_is_an_error_not_a_dropped_column(write, cell) -> None:
    rows = "a,1,0\n" * 1 + f'b,"{cell}",1\n' + "c,0,1\n"
    (line,) = problems(write("item,S1,S2\n" + rows, "x.csv"))
    assert "x.csv:3: S1 must be a vote from 0 to 1" in line


def test_wide_tables(write) -> None:
    study = read(write("query,item,S1,S2,note\nq1,a,1,0,good\nq2,a,,1,bad\n", "x.csv"))
    assert study.systems == ("S1", "S2")
    assert study.sources[0].notes == ("columns not used: note",)
    assert study.respondents.silence == ("unknown", "unknown")
    gold = read(write("item,gold,S1,group\na,2,1,x\nb,,0,x\n", "x.csv"))
    assert gold.systems == ("S1",)
    assert gold.respondents.kind == ("system", "gold")
    assert gold.evidence.grade.tolist() == pytest.approx([2, math.nan], nan_ok=True)
    assert "numbers, but not votes" in problems(write("item,S1,S2\na,90,10\n", "x.csv"))[0]
    clash = problems(write("item,source,S1,S2\na,x,1,0\n", "x.csv"))[0]
    assert "S1, S2 hold votes, but source names respondents too" in clash
    empty = read(write("item,S1,remarks\na,1,\nb,0,\n", "x.csv"))
    assert empty.systems == ("S1",)


def test_kinds_families_and_probabilities(write) -> None:
    content = (
        "query,item,respondent,kind,family,vote,probability\n"
        "q,a,A,system,x,1,\nq,a,B,System,x,0,\nq,a,g,gold,,1,0.25\n"
        "q,a,p,person,,0.5,\nq,a,m,LLM,y,1,\nq,b,p,,,,\n".replace("q,b,p,,,,", "q,b,p,person,,,")
    )
    study = read(write(content, "x.csv"))
    assert study.respondents.kind == ("system", "system", "gold", "person", "llm")
    assert study.respondents.family == ("x", "x", None, None, "y")
    assert study.evidence.probability[0] == 0.25
    assert cs.condition(study).name == "uncertain"
    lines = problems(
        write(
            "item,respondent,kind,family,vote,probability\n"
            "a,A,sytem,x,1,0\nb,A,sytem,y,1,1.5\nc,B,system,,1,1\nd,B,gold,,1,1\n",
            "x.csv",
        )
    )
    text = "\n".join(lines)
    assert "kind of 'A' is 'sytem'" in text
    assert "family of 'A' is 'y' here and 'x' elsewhere" in text
    assert "kind of 'B' is 'gold' here and 'system' elsewhere" in text
    assert text.count("probability must be a probability above 0 and up to 1") == 2


def test_people_are_known_by_their_column(write) -> None:
    study = read(write("item,annotator,label\na,x,1\na,y,0\nb,x,2\n", "x.csv"))
    assert study.systems == ()
    assert study.respondents.kind == ("person", "person")
    assert study.evidence.grade.tolist() == [1, 2, 0]


def test_curve_form_gives_answers_and_gold(write) -> None:
    study = read(write("item,score,relevant,note\na,1,1,x\nb,.5,0,x\n", "x.csv"))
    assert (study.systems, study.respondents.names) == (("x",), ("x", "relevant"))
    assert len(study.sources) == 1
    assert study.sources[0].notes == ("columns not used: note",)
    assert cs.condition(study).name == "complete"
    several = "query,system,item,rank,relevant\nq,A,a,0,1\nq,A,b,1,0\nq,B,a,0,1\n"
    study = read(write(several, "x.csv"))
    assert study.systems == ("A", "B")
    assert study.answers.rank.tolist() == [1, 2, 1]
    assert "ranks begin at 0: one was added to each" in study.sources[0].notes
    torn = several.replace("q,B,a,0,1", "q,B,a,0,0")
    assert "was answered before (line 2) and differently" in problems(write(torn, "x.csv"))[0]


def test_lists_are_ordered_as_a_whole_or_not_at_all(write) -> None:
    mixed = "item,respondent,kind,score,vote\na,A,system,2,1\nb,A,system,,0\na,g,gold,,1\n"
    study = read(write(mixed, "x.csv"))
    assert study.answers.score[0] == 2
    (line,) = problems(write("item,system,score\na,A,1\nb,A,\nc,B,\n", "x.csv"))
    assert "x.csv:3: score is empty, but other items of this list have a score" in line
    (line,) = problems(write("item,system,rank\na,A,1\nb,A,\n", "x.csv"))
    assert "rank is empty" in line
    study = read(write("item,system,rank,score\na,A,1,5\nb,A,,4\n", "x.csv"))
    assert study.answers.rank is None
    assert "1 row has no rank: scores alone order their lists" in study.sources[0].notes
    for cell in ("-1", "1.5", "x", "1e300", "inf"):
        (line,) = problems(write(f"item,system,rank\na,A,{cell}\n", "x.csv"))
        assert "rank must be a whole number from 0" in line
    (line,) = problems(write("item,system,score\na,A,nan\n", "x.csv"))
    assert "score must be a number, found 'nan'" in line
    (line,) = problems(write('item,system,score\na,A,"1,5"\n', "x.csv"))
    assert "write decimals with a point" in line


def test_names_are_kept_as_they_are_written(write) -> None:
    names = ["001", "1", "1.0", "1e0", "a b", "Zürich 🚀", "a\u00a0b", "NaN", "null", "-", "TRUE"]
    rows = "".join(f"07,{name},A,1\n" for name in names)
    study = read(write("query,item,system,score\n" + rows, "x.csv"))
    assert study.items.names(range(len(names))) == names
    assert study.queries == ("07",)
    study = read(write("query,item,system,score\nq, a ,A ,1\n", "x.csv"))
    assert study.items.names([0]) == ["a"]
    assert "item: blanks around 1 names were taken off" in study.sources[0].notes


def test_documents_with_items(write) -> None:
    study = read(write("document,item\n1,a\n2,a\n", "x.csv"))
    assert study.queries == ("1", "2")


NESTED = '{"query": "q", "item": "a", "score": 1, "metadata": {"k": [1]}, "x": 0}\n'


@pytest.mark.parametrize("array", [False, True])
def test_nested_fields_are_set_aside_and_named(write, array: bool) -> None:
    lines = [NESTED, NESTED.replace('"a"', '"b"').replace('{"k": [1]}', "null"), NESTED]
    lines[2] = lines[2].replace('"a"', '"c"').replace("0}", "[]}")
    text = f"[{','.join(lines)}]" if array else "".join(lines)
    study = read(write(text, f"x.json{'' if array else 'l'}"))
    assert study.items.names(range(3)) == ["a", "b", "c"]
    said = "not read, for they hold lists or objects: metadata, x"
    assert any(said in note for note in study.sources[0].notes)
    mapped = write(text, f"y.json{'' if array else 'l'}")
    (line,) = problems(mapped, columns={"grade": "x"})
    assert "x holds '[]', not a single value" in line
    (line,) = problems(write(text.replace('"c"', '["c"]'), f"z.json{'' if array else 'l'}"))
    assert """item holds '["c"]', not a single value""" in line
    assert ("entry 3: " if array else "z.jsonl:3: ") in line


def test_a_nested_field_beside_a_flat_one_of_the_same_role_is_set_aside(write) -> None:
    path = write('{"doc_id": "a", "doc": {"text": "x"}, "score": 1}\n', "x.jsonl")
    assert read(path).items.names([0]) == ["a"]
    (line,) = problems(write('{"doc": {"text": "x"}, "score": 1}\n', "y.jsonl"))
    assert """y.jsonl:1: doc holds '{"text": "x"}', not a single value""" in line


def test_json_lines(write) -> None:
    first = '{"query": 7, "item": "07", "score": 1.5}'
    content = first + '\n\n{"query": "7", "item": 7, "score": 1, "x": []}\n'
    study = read(write(content, "x.jsonl"))
    assert (study.queries, study.items.names([0, 1])) == (("7",), ["07", "7"])
    bad = [
        "{",
        "[1]",
        '{"item": {"a": 1}}',
        '{"item": "a", "item": "b"}',
        '{"item": "\\ud800"}',
        '{"item": ' + "9" * 5000 + "}",
        '{"item": ' + "[" * 100_000 + "}",
        '{"score": 1}',
        '{"item": "a\\u0000", "score": 1}',
        '{"item": "b", "score": "high"}',
        '{"item": "c", "score": NaN}',
    ]
    good = '{"item": "z", "score": 1}\n' * len(bad)
    lines = problems(write(good + "\n".join(bad), "x.jsonl"))
    assert len(lines) == len(bad)
    assert all(f"x.jsonl:{len(bad) + n}:" in line for n, line in enumerate(lines, start=1))


def test_json_documents(write) -> None:
    run = write('{"q1": {"d1": 1.5, "d2": 3}, "q2": {}}', "bm25.json")
    gold = write('{"q1": {"d1": 0, "d2": 1}}', "gold.json")
    study = read(run, truth=gold)
    assert study.systems == ("bm25",)
    assert study.answers.lists == 2
    assert study.evidence.grade.tolist() == [0, 1]
    two = read(write('{"A": {"q1": ["x"]}, "B": {"q1": ["y", "x"]}}', "runs.json"))
    assert two.systems == ("A", "B")
    (line,) = problems(write('{"q1":{"d1":1.5,"d2":"x"}}', "x.json"))
    assert "x.json: q1: 'd2': expected a number, found 'x' (fix: " in line
    for content in (
        '{"a": 1}',
        '{"a": "b"}',
        "[1.5]",
        '{"q": {"d": null}}',
        "[[1, 7]]",
        "{}",
        "[]",
    ):
        assert "fix: " in problems(write(content, "x.json"))[0]


def test_parquet(tmp_path: Path) -> None:
    def store(**columns) -> Path:
        pq.write_table(pa.table(columns), tmp_path / "x.parquet")
        return tmp_path / "x.parquet"

    study = read(
        store(item=[1, 2], S1=[True, None], S2=pa.array(["yes", "no"]).dictionary_encode())
    )
    assert study.items.names([0, 1]) == ["1", "2"]
    assert study.systems == ("S1", "S2")
    assert "row 2: item: the item is empty" in problems(store(item=["a", None], S1=[1, 0]))[0]
    assert "holds list" in problems(store(item=[["a"], ["b"]], S1=[1, 0]))[0]
    assert (
        "no rows" in problems(store(item=pa.array([], pa.string()), S1=pa.array([], pa.int8())))[0]
    )
    data = bytearray(store(item=["a" * 50] * 99, S1=[1] * 99).read_bytes())
    broken = tmp_path / "broken.parquet"
    for place in range(4, len(data), max(len(data) // 60, 1)):
        copy = data.copy()
        copy[place] ^= 0xFF
        broken.write_bytes(copy)
        with contextlib.suppress(UsageError):  # anything else is a bug
            read(broken)


@pytest.mark.parametrize("number", ["inf", "-inf", "Infinity", "1e999", "-1e400"])
def test_scores_are_finite_in_every_form(write, tmp_path: Path, number: str) -> None:
    said = "must be finite, found "
    value = float(number)
    for content in (f"q Q0 a 1 2.5 t\nq Q0 b 2 {number} t\n", f"q Q0 a 2.5 t\nq Q0 b {number} t\n"):
        (line,) = problems(write(content, "x.run"))
        assert f"x.run:2: score {said}{number!r} (fix: to put an item first or last" in line
    (line,) = problems(write(f"item,score\na,1\nb,{number}\n", "x.csv"))
    assert f"x.csv:3: score {said}{number!r} (fix: to put an item first or last" in line
    (line,) = problems(write(f"item,score\na,1\nb,{number}\nc,x\n", "x.csv"))[:1]
    assert f"x.csv:3: score {said}{number!r}" in line
    json = number.replace("inf", "Infinity")
    rows = f'{{"item": "a", "score": 1}}\n{{"item": "b", "score": {json}}}\n'
    (line,) = problems(write(rows, "x.jsonl"))
    assert f"x.jsonl:2: score {said}" in line
    (line,) = problems(write(f'{{"q": {{"a": 1, "b": {json}}}}}', "x.json"))
    assert f"item 'b': the score {said}" in line
    columns = {"item": ["a", "b"], "score": [1.0, value]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    (line,) = problems(tmp_path / "x.parquet")
    assert f"row 2: score {said}" in line
    for data in (columns, pa.table(columns), pd.DataFrame(columns), pl.DataFrame(columns)):
        with pytest.raises(UsageError, match="row 2: score must be finite"):
            cs.study(data)
    for huge in (value, np.float32(value), int(math.copysign(1, value)) * 10**400):
        with pytest.raises(UsageError, match="item 'b': the score must be finite"):
            cs.study({"q": {"a": 1, "b": huge}})
    with pytest.raises(UsageError, match="the grade must be finite"):
        cs.study({"q": {"a": 1}}, truth={"q": {"a": value}})


@pytest.mark.parametrize("name", ["gold", "Truth", "y_true"])
def test_a_table_of_nothing_but_truth_is_judgments(write, name: str) -> None:
    gold = write(f"query,item,{name}\nq1,a,2\nq1,b,0\n", "g.csv")
    study = read(gold)
    assert study.systems == ()
    assert study.respondents.kind == ("gold",)
    run = write("q1 Q0 a 1 2.5 t\n", "a.run")
    assert read([run, gold]).fingerprint() == read(run, truth=gold).fingerprint()
    assert cs.study({"item": ["a"], name: [1]}).systems == ()
    assert read(write(f"item,system,{name}\na,A,1\n", "x.csv")).systems == ("A",)
    assert read(write("item,label\na,1\n", "x.csv")).systems == ("x",)


@pytest.mark.parametrize(
    "text", [",x,x,system,score\n0,q1,d1,A,2.5\n", "family a,family a,model\n1,2,A\n"]
)
def test_a_column_that_stands_twice_is_named(write, text: str) -> None:
    """Also beside an index that pandas stored without a name, and before the columns are known."""
    (line,) = problems(write(text, "x.csv"))
    assert "appears twice" in line


def test_a_table_is_parsed_from_memory_that_is_not_pythons(monkeypatch, tmp_path: Path) -> None:
    """A thread of Arrow's may free it while Python is leaving, which ended the process."""
    seen: list[pa.Buffer] = []
    read_csv = pyarrow.csv.read_csv

    def spy(source: pa.BufferReader, **options: Any) -> pa.Table:
        seen.append(source.read_buffer())
        source.seek(0)
        return read_csv(source, **options)

    monkeypatch.setattr(pyarrow.csv, "read_csv", spy)
    before = pa.total_allocated_bytes()
    (tmp_path / "a.csv").write_text("query,item,system,score\nq,a,s,1\n")
    read(tmp_path / "a.csv")
    assert seen[0].to_pybytes() == (tmp_path / "a.csv").read_bytes()
    assert pa.total_allocated_bytes() - before >= len(seen[0])  # Arrow's own, and still held here
