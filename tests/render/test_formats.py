"""Formats for programs and papers: what goes in comes out, whatever the names hold."""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from typing import Any

import pyarrow.parquet as pq
import pytest

from consilience.errors import UsageError
from consilience.render import FORMATS, NEEDED, VERBS, render
from consilience.render.latex import LATEX, escape_latex
from consilience.render.markdown import escape_markdown
from consilience.render.tables import rows

COLUMNS = [
    "system",
    "rank",
    "rank_low",
    "rank_high",
    "p_best",
    "measure",
    "value",
    "low",
    "high",
    "defined_queries",
    "undefined_queries",
    "undefined",
    "bound_low",
    "bound_high",
    "caveat",
]


def written(payload: dict[str, Any], fmt: str) -> str:
    made = render(payload, fmt)
    assert isinstance(made, str)
    return made


def test_every_format_is_named_once() -> None:
    usual = ["text", "json", "csv", "md", "latex", "html", "parquet", "qrels"]
    assert list(FORMATS) == [*usual, "label-studio", "argilla", "queue"]
    assert set(VERBS) == set(NEEDED)
    assert {fmt for formats in VERBS.values() for fmt in formats} == set(FORMATS)


def test_every_payload_has_every_format(payload: dict[str, Any]) -> None:
    for fmt in VERBS[payload["verb"]]:
        made = render(payload, fmt)
        assert isinstance(made, bytes if fmt == "parquet" else str)
        assert len(made) > 0


def test_rendering_leaves_the_payload_alone(payload: dict[str, Any]) -> None:
    before = json.dumps(payload)
    for fmt in VERBS[payload["verb"]]:
        assert render(payload, fmt) == render(payload, fmt)
    assert json.dumps(payload) == before


def test_an_unknown_format_says_what_was_possible(normal: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"unknown format 'latx'; did you mean 'latex'\?"):
        render(normal, "latx")


@pytest.mark.parametrize("name", ["normal", "curve"])
def test_qrels_are_for_beliefs(name: str, request: pytest.FixtureRequest) -> None:
    with pytest.raises(UsageError, match=r"qrels .* belief.*possible: text, json, csv"):
        render(request.getfixturevalue(name), "qrels")


def test_other_verbs_are_json_only() -> None:
    payload = {"verb": "guess", "budget": 20}
    assert json.loads(written(payload, "json")) == payload
    with pytest.raises(UsageError, match="a result of guess has no csv form; possible: json"):
        render(payload, "csv")


def test_a_result_that_is_not_whole_is_refused() -> None:
    start = {"verb": "rank", "id": "x", "version": "1"}
    for fmt in set(VERBS["rank"]) - {"json"}:
        with pytest.raises(UsageError, match=r"^'x' is not a whole result: it lacks 'systems'$"):
            render(start, fmt)
    assert json.loads(written(start, "json")) == start
    with pytest.raises(UsageError, match="'this' is not a whole result: it lacks 'verb'"):
        render({}, "json")


@pytest.mark.parametrize("name", ["normal", "curve", "belief"])
def test_what_is_needed_is_all_that_is_needed(name: str, request: pytest.FixtureRequest) -> None:
    payload = request.getfixturevalue(name)
    needed = {"verb", *NEEDED[payload["verb"]]}
    only = {key: payload[key] for key in needed}
    for fmt in VERBS[payload["verb"]]:
        assert render(only, fmt)
    for key in needed:
        with pytest.raises(UsageError, match=f"it lacks '{key}'"):
            render({k: v for k, v in only.items() if k != key}, "text")


def test_json_gives_the_payload_back(payload: dict[str, Any]) -> None:
    text = written(payload, "json")
    assert json.loads(text) == payload
    assert text.endswith("}\n")


def test_json_refuses_nan(normal: dict[str, Any]) -> None:
    normal["systems"][0]["scores"]["AP"]["value"] = float("nan")
    with pytest.raises(ValueError, match="not JSON compliant"):
        render(normal, "json")


def parsed(field: str, like: Any) -> Any:
    if like is None:
        return None if field == "" else field
    return type(like)(field)


def test_csv_gives_the_same_numbers_back(payload: dict[str, Any]) -> None:
    text = written(payload, "csv")
    read = list(csv.DictReader(io.StringIO(text, newline="")))
    known = rows(payload)
    assert len(read) == len(known)
    for got, expected in zip(read, known, strict=True):
        assert {key: parsed(got[key], expected[key]) for key in expected} == expected


def test_csv_of_a_ranking_has_a_row_per_system_and_measure(normal: dict[str, Any]) -> None:
    text = written(normal, "csv")
    read = list(csv.reader(io.StringIO(text, newline="")))
    assert read[0] == COLUMNS
    assert len(read) == 1 + 8 * 3
    assert all(line.endswith("\r") for line in text.split("\n")[:-1])
    assert read[1][:2] == ["bm25", "1"]
    assert float(read[1][6]) == normal["systems"][0]["scores"]["AP"]["value"]


def test_parquet_holds_the_rows_of_the_csv(payload: dict[str, Any]) -> None:
    made = render(payload, "parquet")
    assert isinstance(made, bytes)
    assert pq.read_table(io.BytesIO(made)).to_pylist() == rows(payload)


@pytest.mark.parametrize("character", list(LATEX))
def test_latex_escapes_each_special_character(character: str) -> None:
    assert escape_latex(f"a{character}b") == f"a{LATEX[character]}b"


def test_latex_is_balanced_and_rectangular(payload: dict[str, Any]) -> None:
    lines = [line for line in written(payload, "latex").splitlines() if not line.startswith("%")]
    bare = re.sub(r"\\[{}\\&%$#_]", "", "\n".join(lines))
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    assert depth == 0
    assert not re.search(r"[%$#~^_]", re.sub(r"\\[%$#_]", "", "\n".join(lines)))
    cells = [len(re.findall(r"(?<!\\)&", line)) for line in lines if line.endswith(r" \\")]
    assert len(set(cells)) == 1
    opened = re.findall(r"\\begin\{(\w+)\}", bare)
    closed = re.findall(r"\\end\{(\w+)\}", bare)
    assert sorted(opened) == sorted(closed)


def test_markdown_table_keeps_its_shape(payload: dict[str, Any]) -> None:
    parts = [part for part in written(payload, "md").split("\n\n") if part.startswith("|")]
    assert parts
    for part in parts:
        bars = [len(re.findall(r"(?<!\\)\|", line)) for line in part.splitlines()]
        assert len(set(bars)) == 1


def test_markdown_escapes_markup() -> None:
    assert escape_markdown("<script>|x_1|") == r"\<script\>\|x\_1\|"
    assert escape_markdown("two\nlines") == "two␊lines"


@pytest.mark.parametrize("fmt", ["text", "md", "html"])
def test_people_read_why_a_score_is_undefined(undefined: dict[str, Any], fmt: str) -> None:
    text = written(undefined, fmt)
    assert "of empty is undefined: no query has an answer" in text
    assert "leaves out 1 query where it is undefined (49 used)" in text
    assert "empty has no answer to 50 queries" in text


@pytest.mark.parametrize("fmt", ["text", "md", "latex", "html"])
def test_results_without_truth_say_so(absent: dict[str, Any], fmt: str) -> None:
    text = written(absent, fmt)
    assert "No ground truth was used" in text
    assert "P(agrees most)" in text
    assert "P(best)" not in text


def test_import_is_light() -> None:
    code = (
        "import sys, consilience.render; "
        "heavy = {'numpy', 'pyarrow', 'scipy', 'narwhals', 'click'} & set(sys.modules); "
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
