"""``consilience agree`` as a user runs it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import consilience as cs
from tests.cli.command import consilience


def test_the_pictures(files: Path) -> None:
    told = consilience("agree", "labels.csv", "--json", cwd=files).json()
    study = cs.read(files / "labels.csv", labels=True)
    rows: dict[str, list[str]] = {}
    for line in csv.DictReader((files / "labels.csv").read_text().splitlines()):
        rows.setdefault(line["item"], []).append(line["label"])
    assert told["verb"] == "agree"
    assert told["alpha"]["value"] == pytest.approx(cs.krippendorff_alpha(rows.values()))
    assert told["alpha"]["interval"][0] < told["alpha"]["value"] < told["alpha"]["interval"][1]
    assert told["alpha"]["resampling"]["unit"] == "items with two labels or more"
    assert told["scale"] == {"name": "nominal", "why": "the labels are text", "kappa": "kappa"}
    assert told["annotators"][0]["name"] == "eva"
    assert told["annotators"][0]["deviation"]["says"] == "crowd"
    assert told["items"] == told["compared"] == 30
    assert len(told["pairs"]) == 10
    assert told["tree"] is None
    result = cs.agree(study)
    assert told["headline"] == result.headline
    assert told["alpha"]["interval"] == list(result.alpha.interval or ())


def test_the_tree_forgives_siblings_more_than_strangers(files: Path) -> None:
    plain = consilience("agree", "labels.csv", "--json", cwd=files).json()
    tree = consilience("agree", "labels.csv", "--tree", "pictures.csv", "--json", cwd=files).json()
    assert tree["scale"]["name"] == "tree"
    assert tree["alpha"]["value"] > plain["alpha"]["value"]
    assert tree["fleiss"] == plain["fleiss"]
    assert sum(tree["tree"].values()) == pytest.approx(1)
    assert {"kappa", "kappa_tree"} <= {*tree["pairs"][0]}


def test_every_format(files: Path, tmp_path: Path) -> None:
    asked = ["agree", "labels.csv", "--tree", "pictures.csv"]
    text = consilience(*asked, cwd=files).out
    assert text.startswith("5 annotators agree more than chance would: α = 0.81 [")
    assert "crowd, others people (13%)" in text
    assert "Agreement is not truth" in text
    rows = list(csv.DictReader(io.StringIO(consilience(*asked, "-f", "csv", cwd=files).out)))
    assert rows[0]["annotator"] == "eva"
    assert all(float(row["low"]) <= float(row["kappa"]) <= float(row["high"]) for row in rows)
    consilience(*asked, "-o", tmp_path / "a.parquet", cwd=files)
    table = pq.read_table(tmp_path / "a.parquet")
    assert table["kappa"].to_pylist() == [float(row["kappa"]) for row in rows]
    assert "| eva |" in consilience(*asked, "-f", "md", cwd=files).out
    assert r"\toprule" in consilience(*asked, "-f", "latex", cwd=files).out
    consilience(*asked, "-o", tmp_path / "a.html", cwd=files)
    page = (tmp_path / "a.html").read_text()
    for words in ("What one annotator says", "How far each two of 5 annotators", "weighted κ"):
        assert words in page


def test_a_stored_result_is_shown_again(files: Path) -> None:
    told = consilience("agree", "labels.csv", "--json", cwd=files).json()
    again = consilience("export", told["id"], "-f", "text")
    assert again.out.startswith(told["headline"][:50])


def test_wide_numbers_in_order(tmp_path: Path) -> None:
    # Krippendorff (2011): four observers, twelve units; by hand in the paper
    rows = ["item,A,B,C,D", "1,1,1,,1", "2,2,2,3,2", "3,3,3,3,3", "4,3,3,3,3", "5,2,2,2,2"]
    rows += ["6,1,2,3,4", "7,4,4,4,4", "8,1,1,2,1", "9,2,2,2,2", "10,,5,5,5", "11,,,1,1", "12,,3,,"]
    (tmp_path / "units.csv").write_text("\n".join(rows) + "\n")
    for scale, alpha in (("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)):
        told = consilience("agree", "units.csv", "--scale", scale, "--json", cwd=tmp_path).json()
        assert round(told["alpha"]["value"], 3) == alpha
        assert told["compared"] == 11
        assert told["items"] == 12
    usual = consilience("agree", "units.csv", "--json", cwd=tmp_path).json()
    assert usual["scale"]["name"] == "ordinal"
    assert {"kappa", "kappa_linear", "kappa_quadratic"} <= {*usual["pairs"][0]}
    assert any("--scale nominal if they are codes" in note for note in usual["notes"])


def test_the_same_seed_gives_the_same_result(files: Path) -> None:
    one, same, other = (
        consilience("agree", "labels.csv", "--seed", seed, "--json", cwd=files).json()
        for seed in ("1", "1", "2")
    )
    assert one["id"] == same["id"] != other["id"]
    assert one["alpha"]["interval"] != other["alpha"]["interval"]
    assert one["alpha"]["value"] == other["alpha"]["value"]
    narrow = consilience("agree", "labels.csv", "--level", "0.5", "--json", cwd=files).json()
    assert narrow["alpha"]["interval"][0] > one["alpha"]["interval"][0]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("item,annotator,label\na,x,cat\nb,x,dog\n", (), "two annotators, and only 'x'"),
        ("item,annotator,label\na,x,cat\nb,y,dog\n", (), "no item was labelled by two annotators"),
        ("item,x,y\na,cat,dog\nb,dog,cat\n", ("--scale", "ratio"), "unknown scale 'ratio'"),
        ("item,x,y\na,cat,dog\nb,dog,cat\n", ("--scale", "ordinal"), "--order cat,dog"),
        ("item,x,y\na,cat,dog\nb,dog,cat\n", ("--order", "cat"), "the order lacks 'dog'"),
        (
            "item,x,y\na,low,mid\nb,high,mid\n",
            ("--order", "lo,mid,high"),
            "nobody gave the label 'lo'",
        ),
        ("item,x,y\na,low,mid\nb,high,mid\n", ("--order", "lo,mid,high"), "did you mean 'low'?"),
        ("item,x,y\na,cat,dog\nb,dog,cat\n", ("--scale", "tree"), "--tree"),
        ("item,x,y\na,cat,dog\nb,dog,cat\n", ("--dag",), "--dag is about a tree"),
        (
            "item,x,y\na,cat,dog\nb,dog,cat\n",
            ("--tree", "t.csv"),
            "labels.csv:2: the tree has no category 'cow'",
        ),
        ("item,annotator,label\na,x,cat\na,x,dog\na,y,dog\n", (), "labels.csv:3: item 'a' was"),
        ("item,annotator,label\n", (), "header and no rows"),
    ],
)
def test_bad_input_is_one_clear_error(
    tmp_path: Path, text: str, options: tuple[str, ...], message: str
) -> None:
    if options[:1] == ("--tree",):
        text = text.replace("dog", "cow")
        (tmp_path / "t.csv").write_text("category,parent\ncat,\n")
    (tmp_path / "labels.csv").write_text(text)
    ran = consilience("agree", "labels.csv", *options, cwd=tmp_path)
    assert ran.code == 2
    assert message in ran.err
    assert ran.err.count("error:") == 1
    assert not ran.out


def test_an_order_and_columns(tmp_path: Path) -> None:
    rows = ["task,who,mark", "a,x,low", "a,y,mid", "b,x,high", "b,y,high", "c,x,low", "c,y,low"]
    (tmp_path / "marks.csv").write_text("\n".join(rows) + "\n")
    columns = "item=task,respondent=who,category=mark"
    asked = ["agree", "marks.csv", "--columns", columns, "--order", "low,mid,high", "--json"]
    told = consilience(*asked, cwd=tmp_path).json()
    assert told["scale"]["name"] == "ordinal"
    assert [one["name"] for one in told["categories"]] == ["low", "mid", "high"]


def test_labels_of_a_tree_follow_its_rules(tmp_path: Path) -> None:
    """No word is a category that the tree lacks; a misspelt one is told with its line."""
    (tmp_path / "tree.csv").write_text("category,parent\nanimal,\ndog,animal\ncat,animal\n")
    rows = ["item,ann,bob,why", "a,dog,dog,so", "b,cat,none,hm", "c,unknown,cat,", "d,cat,cat,"]
    (tmp_path / "wide.csv").write_text("\n".join(rows) + "\n")
    told = consilience("agree", "wide.csv", "--tree", "tree.csv", "--json", cwd=tmp_path).json()
    assert [one["name"] for one in told["categories"]] == ["dog", "cat"]
    assert told["compared"] == 2
    assert "wide.csv: 2 answers are missing (unknown, none)" in told["notes"]
    assert "wide.csv: columns not used: why" in told["notes"]
    (tmp_path / "tree.csv").write_text("category,parent\nanimal,\ndog,animal\ncat,animal\nnone,\n")
    told = consilience("agree", "wide.csv", "--tree", "tree.csv", "--json", cwd=tmp_path).json()
    assert [one["name"] for one in told["categories"]] == ["dog", "cat", "none"]
    (tmp_path / "wide.csv").write_text("\n".join(rows[:4]) + "\nd,Cat,cta,\n")
    ran = consilience("agree", "wide.csv", "--tree", "tree.csv", cwd=tmp_path)
    assert ran.code == 2
    assert "wide.csv:5: the tree has no category 'cta' (fix: did you mean 'cat'?" in ran.err


def test_an_item_under_two_queries_is_two_items_in_a_tree_too(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("category,parent\nanimal,\ndog,animal\ncat,animal\n")
    rows = ["query,item,annotator,answer", *(f"q{q},a,{who},dog" for q in "12" for who in "xy")]
    (tmp_path / "long.csv").write_text("\n".join([*rows, "q1,b,x,cat", "q1,b,y,animal"]) + "\n")
    told = consilience("agree", "long.csv", "--tree", "tree.csv", "--json", cwd=tmp_path).json()
    assert (told["items"], told["queries"]) == (3, 2)


def test_scores_that_people_gave_are_ratings(tmp_path: Path) -> None:
    """They were the order of lists: everybody had returned everything."""
    rows = "i1,ann,3\ni1,ben,4\ni2,ann,1\ni2,ben,2\ni3,ann,5\ni3,ben,5\n"
    for name in ("score", "rating"):
        (tmp_path / f"{name}.csv").write_text(f"item,annotator,{name}\n{rows}")
    (tmp_path / "runs.csv").write_text(f"item,system,score\n{rows}")
    scored, rated = (
        consilience("agree", f"{name}.csv", "--json", "--no-save", cwd=tmp_path).json()
        for name in ("score", "rating")
    )
    assert scored["headline"] == rated["headline"]
    ran = consilience("agree", "runs.csv", "--no-save", cwd=tmp_path)
    assert ran.code == 2
    assert "may be a rating or the order of a list" in ran.err
    (tmp_path / "users.csv").write_text(f"item,user,score\n{rows}")
    ran = consilience(
        *("agree", "users.csv", "--columns", "annotator=user", "--json", "--no-save"), cwd=tmp_path
    )
    assert ran.json()["headline"] == rated["headline"]
    mapped = ("agree", "runs.csv", "--columns", "label=score", "--json", "--no-save")
    assert consilience(*mapped, cwd=tmp_path).json()["headline"] == rated["headline"]
