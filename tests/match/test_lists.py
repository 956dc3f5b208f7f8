"""Two sides read as lists: order and repeats stay, documents are joined by name."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import consilience as cs
from consilience.errors import InputError, UsageError
from consilience.match.lists import kind_of_files, read_sides
from consilience.match.near import near_misses


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(place: Path, **files: str) -> None:
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        (place / f"{stem}.{ending}").write_text(text, encoding="utf-8")


def test_lines_keep_their_order_and_repeats(place: Path) -> None:
    write(place, gold_txt="good pizza\ncafe\ngood pizza\n\n", mine_txt="a, b and c\ncafe\n")
    sides = read_sides("gold.txt", "mine.txt")
    assert sides.gold == {"all": ["good pizza", "cafe", "good pizza"]}
    assert sides.predicted == {"all": ["a, b and c", "cafe"]}
    assert (sides.names, sides.of, sides.notes) == (("gold", "mine"), "text", ())
    assert [source.name for source in sides.sources] == ["gold.txt", "mine.txt"]


def test_tables_json_and_packed_files_say_the_same(place: Path) -> None:
    table = "document,item\nd1,cafe\nd2,hotel\nd1,pizza\n"
    lists = {"d1": ["cafe", "pizza"], "d2": ["hotel"]}
    write(place, gold_csv=table, gold_json=json.dumps(lists), mine_csv=table)
    (place / "mine.tsv.gz").write_bytes(gzip.compress(table.replace(",", "\t").encode(), mtime=0))
    for gold in ("gold.csv", "gold.json"):
        for mine in ("mine.csv", "mine.tsv.gz"):
            sides = read_sides(gold, mine)
            assert sides.gold == sides.predicted == lists


def test_a_folder_holds_one_list_for_each_document(place: Path) -> None:
    for side, words in (("gold", "cafe pizza"), ("mine", "caffe")):
        (place / side).mkdir()
        for name in ("d1.key", "d2.key"):
            (place / side / name).write_text("\n".join(words.split()))
    sides = read_sides("gold", "mine")
    assert sides.gold == {"d1": ["cafe", "pizza"], "d2": ["cafe", "pizza"]}
    assert sides.predicted == {"d1": ["caffe"], "d2": ["caffe"]}
    assert sides.names == ("gold", "mine")


def test_documents_of_one_side_alone_are_said(place: Path) -> None:
    write(
        place, gold_json='{"a": ["x"], "b": ["y"], "c": []}', mine_json='{"a": ["x"], "z": ["q"]}'
    )
    sides = read_sides("gold.json", "mine.json")
    assert sides.gold == {"a": ["x"], "b": ["y"], "c": []}
    assert sides.predicted == {"a": ["x"], "b": [], "c": []}
    assert sides.notes == (
        "1 document has no gold: left out ('z')",
        "2 documents have no predictions: recall 0, precision undefined ('b', 'c')",
    )


def test_one_list_meets_one_document_of_another_form(place: Path) -> None:
    write(place, gold_txt="cafe\n", mine_csv="document,item\nd1,caffe\n")
    assert read_sides("gold.txt", "mine.csv").gold == {"d1": ["cafe"]}


def test_what_was_judged_wrong_is_no_gold(place: Path) -> None:
    write(
        place,
        gold_csv="document,item,relevant\nd,cafe,1\nd,bus,0\nd,pizza,2\n",
        mine_csv="document,item,rank\nd,caffe,1\n",
    )
    sides = read_sides("gold.csv", "mine.csv")
    assert sides.gold == {"d": ["cafe", "pizza"]}
    assert "1 row of gold did not say yes" in sides.notes[0]


@pytest.mark.parametrize(
    ("gold", "mine", "message"),
    [
        ("document,item\na,x\n", "document,item\nb,x\n", "share no document: gold has 'a'"),
        ("item\nx\n", "system,item\nA,x\nB,y\n", "2 systems answered: 'A', 'B' (fix: compare them"),
        ("annotator,item\nA,x\nB,y\n", "item\nx\n", "gold holds the answers of 2: 'A', 'B'"),
    ],
)
def test_what_cannot_be_compared_is_said(place: Path, gold: str, mine: str, message: str) -> None:
    write(place, gold_csv=gold, mine_csv=mine)
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        read_sides("gold.csv", "mine.csv")


def test_problems_of_both_files_come_together(place: Path) -> None:
    write(place, mine_txt="a\0b\n")
    with pytest.raises(InputError) as caught:
        read_sides("gold.txt", "mine.txt")
    assert str(caught.value).count("gold.txt: there is no such file") == 1
    assert "mine.txt:1: holds a NUL byte" in str(caught.value)


def test_an_empty_file_is_an_empty_list(place: Path) -> None:
    write(place, gold_txt="cats\n", mine_txt="")
    assert read_sides("gold.txt", "mine.txt").predicted == {"all": []}
    for name, text in (("G/d1", "cats\n"), ("G/d2", "dogs\n"), ("P/d1", "cat\n"), ("P/d2", "")):
        (place / f"{name}.txt").parent.mkdir(exist_ok=True)
        (place / f"{name}.txt").write_text(text, encoding="utf-8")
    both = read_sides("G", "P")
    assert both.predicted == {"d1": ["cat"], "d2": []}
    assert both.names == ("G", "P")


def test_a_folder_with_one_file_is_a_folder_of_documents(place: Path) -> None:
    for name, text in (("G/d1", "cats\n"), ("G/d2", "dogs\n"), ("P/d1", "cat\n")):
        (place / f"{name}.txt").parent.mkdir(exist_ok=True)
        (place / f"{name}.txt").write_text(text, encoding="utf-8")
    assert read_sides("G", "P").predicted == {"d1": ["cat"], "d2": []}
    with pytest.raises(UsageError, match="gold has 'd1', 'd2'; predicted names none"):
        read_sides("G", "P/d1.txt")


def test_columns_are_mapped_and_checked(place: Path) -> None:
    write(place, gold_csv="page,phrase\na,x\n", mine_csv="page,phrase\na,x\n")
    mapped = {"query": "page", "item": "phrase"}
    assert read_sides("gold.csv", "mine.csv", columns=mapped).gold == {"a": ["x"]}
    with pytest.raises(UsageError, match="unknown column"):
        read_sides("gold.csv", "mine.csv", columns={**mapped, "rank": "place"})


def test_what_items_are_is_told_from_the_beginning(place: Path) -> None:
    rttm = "SPEAKER a 1 0.5 1.25 <NA> <NA> ann <NA> <NA>\n"
    write(place, gold_rttm=rttm, mine_rttm=rttm, words_txt="cafe\npizza\n")
    assert kind_of_files("gold.rttm", "mine.rttm") == "segments"
    assert kind_of_files("gold.rttm", "words.txt") == "text"
    with pytest.raises(UsageError, match=r"gold holds segments and predicted holds text \(fix: "):
        read_sides("gold.rttm", "words.txt")


def test_ids_are_not_near_each_other() -> None:
    ids = [f"doc{n:03}" for n in range(40)]
    assert near_misses(cs.study({"a": {"q": ids[:20]}}, truth={"q": ids[20:]})) is None
    few = cs.study({"a": {"q": ["harbor", "x"]}}, truth={"q": ["harbour", "y"]})
    assert near_misses(few) is not None
    words = [f"{a}{b}{a}{b}" for a in "abcdef" for b in "uvwxyz"]
    many = cs.study({"a": {"q": ["harbor", *words]}}, truth={"q": ["harbour", *words]})
    assert near_misses(many) is None  # one of many is nothing to speak of
    found = near_misses(cs.example_study("keyphrases"))
    assert found is not None
    assert found.example == ("closed-loop systems", "closed loop systems")
