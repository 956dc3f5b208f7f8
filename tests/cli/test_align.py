"""``consilience align`` as a user meets it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from consilience.cli import group
from consilience.errors import UsageError
from tests.shipped import SHIPPED

OCR = SHIPPED / "ocr"
FORMATS = ("text", "json", "csv", "md", "latex", "html", "parquet")


def run(*arguments: object) -> str:
    found = CliRunner().invoke(
        group, ["align", *map(str, arguments), "--no-save"], catch_exceptions=False
    )
    assert found.exit_code == 0, found.output
    return found.stdout


@pytest.fixture
def three(tmp_path) -> list[Path]:
    texts = {"a": "the cat sat on the mat", "b": "the bat sat on mat", "c": "cat sat on the mat"}
    for name, text in texts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    return [tmp_path / f"{name}.txt" for name in texts]


def test_text_tells_sources_pairs_and_columns(three):
    said = run(*three)
    assert said.startswith("3 sources, 1 document: of 6 columns all agree on 3 (50.0%).")
    assert "Who agrees with whom" in said
    assert "* all agree, : more than half, . fewer; · is a gap." in said
    assert "no ground truth was used" in said


def test_folders_are_sources(tmp_path):
    found = json.loads(run(OCR / "tesseract", OCR / "calamari", "--truth", OCR / "truth", "--json"))
    assert found["systems"] == ["tesseract", "calamari"]
    assert found["gold"] == ["truth"]
    assert set(found["documents"]) == {"actevedef", "brochrnx", "lorem", "lorem-bad"}
    assert found["inputs"][0]["recognised"] == "texts"
    assert any("calamari has no text for 3 of 4 documents" in note for note in found["notes"])


def test_csv_has_a_row_for_each_column_and_source(three):
    rows = list(csv.DictReader(io.StringIO(run(*three, "-f", "csv"))))
    assert len(rows) == 6 * 3
    assert rows[2] == {
        "document": "all",
        "column": "1",
        "mark": ":",
        "source": "c",
        "token": "",
        "consensus": "the",
    }


@pytest.mark.parametrize("fmt", FORMATS)
def test_every_format_is_written(three, tmp_path, fmt):
    out = tmp_path / f"out.{fmt}"
    run(*three, "--truth", three[0], "-f", fmt, "-o", out)
    assert out.stat().st_size > 100


def test_settings_reach_the_result(three):
    settings = json.loads(
        run(
            *three,
            *("--similarity", "jaro-winkler", "--floor", "0.6", "--gap", "0.8", "--refine", "0"),
            *("--case", "fold", "--unicode", "ascii", "--per", "column", "--tokens", "words"),
            "--json",
        )
    )["settings"]
    assert settings == {
        "similarity": "jaro-winkler",
        "floor": 0.6,
        "gap": 0.8,
        "refine": 0,
        "per": "column",
        "unicode": "ascii",
        "case": "fold",
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--tokens", "word"], "did you mean 'words'"),
        (["--similarity", "levenstein"], "did you mean 'levenshtein'"),
        (["--case", "lower"], "unknown case"),
        (["--gap", "-1"], "--gap is a number above 0"),
        (["--floor", "0.5"], "--floor is for a similarity .fix: --similarity levenshtein"),
        (["--similarity", "levenshtein", "--floor", "2"], "found 2 .fix: --floor 0.5"),
        (["--gap", "0"], "--gap is a number above 0, found 0 .fix: --gap 1"),
        (["--per", "cell"], "unknown kind of item"),
    ],
)
def test_wrong_options_are_explained(three, options, said):
    with pytest.raises(UsageError, match=said):
        run(*three, *options)


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    for folder, text in (("a", "one two three"), ("b", "one two tree")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "page.txt").write_text(text)
    made = json.loads(run(*tmp_path.glob("*/page.txt"), "--json"))
    assert sorted(made["systems"]) == ["a/page", "b/page"]


def test_one_source_alone_is_refused(three):
    with pytest.raises(UsageError, match="at least two sources"):
        run(three[0])


def test_tables_of_transcripts_are_read_from_parquet(tmp_path):
    rows = {"utterance": ["u1", "u2"], "reference": ["the cat sat", "on the mat"]}
    rows["whisper"] = ["the bat sat", "on the mat"]
    pq.write_table(pa.table(rows), tmp_path / "read.parquet")
    with (tmp_path / "read.csv").open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream).writerows([[*rows], *zip(*rows.values(), strict=True)])
    ours, theirs = (json.loads(run(tmp_path / f"read.{e}", "--json")) for e in ("parquet", "csv"))
    assert ours["pairs"] == theirs["pairs"]
    assert ours["columns"] == theirs["columns"] == 6


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "whisper,whisper,id\nthe cat,the bat,u1\n", "column 'whisper' appears twice"),
        ("rows", '[{"item":"d1","system":"A"},\n {"item":"d2","system":"A"}]\n', "JSON"),
        ("rows.txt", '{"item":"d1","text":"a b"}\n{"item":"d2","text":"c d"}\n', "JSON lines"),
    ],
)
def test_tables_are_no_texts(three, tmp_path, name, text, said):
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = CliRunner().invoke(group, ["align", str(three[0]), str(tmp_path / name), "--no-save"])
    assert isinstance(found.exception, UsageError)
    assert said in str(found.exception)


def test_pages_that_look_like_tables_are_texts_where_the_user_says_so(tmp_path):
    pages = {
        "gold": "Total 12.50\nTax 1.50\nSum 14.00\n",
        "a": "Total 12.5O\nTax 1.50\nSum 14.00\n",
    }
    for name, page in pages.items():
        (tmp_path / f"{name}.txt").write_text(page)
    asked = ("align", str(tmp_path / "a.txt"), "--truth", str(tmp_path / "gold.txt"), "--no-save")
    found = CliRunner().invoke(group, asked)
    assert "if it is a text all the same, --tokens words" in str(found.exception)
    found = CliRunner().invoke(group, [*asked, "--tokens", "words"])
    assert found.exit_code == 0, found.output
