"""Spans of sentences, pages and documents: what they were found in keeps them apart."""

from __future__ import annotations

from pathlib import Path

import pytest

import consilience as cs
from tests.cli.command import consilience

GOLD = "sentence,start,end,label\ns0,3,5,PER\ns0,8,9,LOC\ns1,3,5,PER\n"
FOUND = "sentence,start,end,label\ns0,3,5,PER\ns1,8,9,LOC\ns1,3,5,PER\ns1,0,1,PER\n"
NAMES = (
    *("sentence", "sent_id", "sentence_id", "document", "doc", "doc_id", "text_id", "paragraph"),
    *("page", "utterance"),
)


def write(folder: Path, text: str, name: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


@pytest.mark.parametrize("name", NAMES)
def test_spans_are_those_of_their_sentence(tmp_path: Path, name: str) -> None:
    """Two of four spans are right, two of three are found: F1 is 4/7."""
    found = write(tmp_path, FOUND.replace("sentence", name), "found.csv")
    gold = write(tmp_path, GOLD.replace("sentence", name), "gold.csv")
    study = cs.read(found, truth=gold)
    assert (study.queries, len(study.answers.item)) == (("s0", "s1"), 4)
    verdict = cs.rank(study, match="exact", measures=["F1(average=micro)"])
    assert verdict.standings[0].scores["F1(average=micro)"].value == pytest.approx(4 / 7)


def test_the_column_can_be_mapped(tmp_path: Path) -> None:
    found = write(tmp_path, FOUND.replace("sentence", "satz"), "found.csv")
    study = cs.read(found, columns={"query": "satz"})
    assert (study.queries, study.sources[0].recognised) == (("s0", "s1"), "event table")
    who = write(tmp_path, FOUND.replace("label", "wer"), "who.csv")
    assert cs.read(who, columns={"respondent": "wer"}).systems == ("PER", "LOC")
    ran = consilience("check", found, "--columns", "query=satzz")
    assert (ran.code, "did you mean 'satz'" in ran.err) == (2, True)


def test_rows_that_an_unused_column_of_ids_tells_apart(tmp_path: Path) -> None:
    spans = write(tmp_path, GOLD.replace("sentence", "verse_id"), "spans.csv")
    with pytest.raises(cs.InputError, match=r"spans\.csv:4: rows that are the same but for 'verse"):
        cs.read(spans)
    table = "item,system,scene_id\na,A,1\nb,A,1\na,A,2\n"
    lists = write(tmp_path, table, "lists.csv")
    with pytest.raises(cs.InputError, match="--columns query=scene_id"):
        cs.read(lists)
    assert cs.read(lists, columns={"query": "scene_id"}).queries == ("1", "2")
    alike = write(tmp_path, table.replace("a,A,2", "a,A,1"), "alike.csv")
    assert len(cs.read(alike).answers.item) == 2
    ran = consilience("rank", lists, "--engine", "duckdb", "-m", "P")
    assert (ran.code, "scene_id" in ran.err) == (2, True)
