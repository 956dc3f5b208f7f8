"""Sequences as studies: bags, positions, and how files become sequences."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.match.reading import sequences_of_files
from consilience.match.sequences import wording
from tests.cli.command import consilience

SWAPPED = {"A": "x y", "B": "y x", "C": "x y"}


def names(study: cs.Study) -> list[str]:
    return study.items.names(range(len(study.items)))


def read(*paths: Path | str, truth: tuple[Path, ...] = (), **options):
    given = {"tokens": None, "wording": wording(), **options}
    return sequences_of_files(list(paths), list(truth), **given)


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def scores(study: cs.Study, belief: Any = cs.consensus) -> dict[str, Any]:
    found = cs.score(study, measures=["P", "R"], belief=belief)
    return {name: (found[name]["P"].value, found[name]["R"].value) for name in found.systems}


def test_position_counts_in_method_two_and_not_in_method_one():
    """By hand (Lamiroy and Sun, eq. 10–12): P(δ) = (votes + 1) / 5.

    Aligned, y stands in column 1 of B and in column 3 of A and C: P is 0.4, 0.8, 0.6.
    """
    bag, position = cs.by_bag(SWAPPED), cs.by_position(SWAPPED)
    assert sorted(names(bag)) == ["x", "y"]
    assert scores(bag) == dict.fromkeys("ABC", (pytest.approx(0.8), pytest.approx(1.0)))
    assert sorted(names(position)) == ["1 y", "2 x", "3 y"]
    assert scores(position) == {
        "A": (pytest.approx(0.7), pytest.approx(1.4 / 1.8)),
        "B": (pytest.approx(0.6), pytest.approx(1.2 / 1.8)),
        "C": (pytest.approx(0.7), pytest.approx(1.4 / 1.8)),
    }


def test_a_bag_is_a_multiset():
    study = cs.by_bag({"a": "the cat the", "b": "the the the"}, truth="the the dog")
    assert sorted(names(study)) == ["cat", "dog", "the", "the", "the"]
    found = scores(study, cs.gold)
    assert found["a"] == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert found["b"] == (pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_per_column_any_token_agrees():
    read_so = {"a": "one two three", "b": "one too three", "c": "one three"}
    tokens, columns = (cs.by_position(read_so, per=per) for per in ("token", "column"))
    assert sorted(names(tokens)) == ["1 one", "2 too", "2 two", "3 three"]
    assert sorted(names(columns)) == ["1", "2", "3"]


def test_tokens_that_are_alike_share_the_truth_s_item():
    study = cs.by_position(
        {"a": "the colour", "b": "the color", "c": "the zebra"},
        truth="the color",
        similarity="levenshtein",
    )
    assert sorted(names(study)) == ["1 the", "2 color", "2 colour", "2 zebra"]
    answers = study.answers
    a = slice(answers.starts[0], answers.starts[1])
    assert answers.vote is not None
    assert answers.vote[a].tolist() == pytest.approx([1.0, 5 / 6, 1 / 6])
    assert scores(study, cs.gold)["a"] == pytest.approx(((1 + 5 / 6) / 2, (1 + 5 / 6) / 2))


def test_a_reading_with_every_token_nearly_right_is_not_precise():
    truth = "the cat sat on the mat"
    result = cs.align(
        {"bad": "tha cot sot an tha mot", "good": truth}, truth=truth, similarity="levenshtein"
    )
    assert result.aligned["bad"]["P"].value == pytest.approx(23 / 36)
    assert result.aligned["bad"]["R"].value == pytest.approx(23 / 36)
    assert result.aligned["good"]["P"].value == 1.0


def test_documents_are_queries_and_an_empty_text_is_an_answer():
    study = cs.by_position(
        {"a": {"d1": "x", "d2": "y z"}, "b": {"d1": "", "d2": "y"}}, truth={"d1": "x", "d2": "y z"}
    )
    assert study.queries == ("d1", "d2")
    found = cs.score(study, measures=["R"], belief=cs.gold)
    assert found["b"]["R"].per_query.tolist() == [0.0, 0.5]
    assert cs.condition(study).name == "complete"


def test_texts_are_cut_and_made_alike():
    study = cs.by_bag({"a": "Caf\u00e9  NOIR", "b": "cafe\u0301 noir"}, case="fold")
    assert names(study) == ["café", "noir"]
    assert names(cs.by_bag({"a": "ab c", "b": "ab c"}, tokens="characters")) == [*"ab", " ", "c"]
    lines = cs.by_bag({"a": "one  two\n\n three", "b": ["one two"]}, tokens="lines")
    assert names(lines) == ["one two", "three"]


def test_a_text_file_is_a_source(tmp_path):
    a = write(tmp_path / "a.txt", "the cat\nsat")
    b = write(tmp_path / "b.out", "the bat sat")
    truth = write(tmp_path / "right.txt", "the cat sat")
    found = read(a, b, truth=(truth,))
    assert found.names == ("a", "b", "truth")
    assert found.gold == ("truth",)
    assert found.tokens["a", "all"] == ["the", "cat", "sat"]


def test_a_folder_is_a_source_with_documents(tmp_path):
    write(tmp_path / "ocr" / "tess" / "p1.txt", "one two")
    write(tmp_path / "ocr" / "tess" / "p2.txt", "")
    write(tmp_path / "ocr" / "kraken" / "p1.txt", "one too")
    truth = write(tmp_path / "gt" / "p1.gt.txt", "no").parent
    write(truth / "p1.txt", "one two")
    for found in (
        read(tmp_path / "ocr", truth=(truth,)),
        read(str(tmp_path / "ocr" / "*"), truth=(truth,)),
    ):
        assert set(found.systems) == {"tess", "kraken"}
        assert found.tokens["tess", "p2"] == []
        assert set(found.of("p1")) == {"kraken", "tess", "truth"}
        assert found.sources["tess"].recognised == "texts"


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_tables_have_documents_systems_tokens_and_positions(tmp_path, ending):
    rows = [("d", "s", "b", 2), ("d", "s", "a", 1), ("d", "t", "a", 1), ("d", "s", "a", 3)]
    header = ("document", "system", "token", "position")
    if ending == "csv":
        text = "\n".join(",".join(map(str, row)) for row in (header, *rows))
    else:
        text = "\n".join(json.dumps(dict(zip(header, row, strict=True))) for row in rows)
    found = read(write(tmp_path / f"long.{ending}", text))
    assert found.tokens == {("s", "d"): ["a", "b", "a"], ("t", "d"): ["a"]}


def test_columns_of_tables_can_be_mapped(tmp_path):
    path = write(tmp_path / "long.csv", "page,engine,reading\np,s,a\np,s,b\np,t,a\n")
    mapped = {"query": "page", "respondent": "engine", "item": "reading"}
    found = read(path, columns=mapped)
    assert found.tokens == {("s", "p"): ["a", "b"], ("t", "p"): ["a"]}


def test_files_become_studies_by_either_method(tmp_path):
    a, b = write(tmp_path / "a.txt", "x y"), write(tmp_path / "b.txt", "y x")
    bag = cs.read_sequences([a, b], method="bag")
    aligned = cs.read_sequences([a, b], [a])
    assert len(bag.items) == 2
    assert len(aligned.items) == 3
    assert aligned.systems == ("a", "b")
    assert len(aligned.sources) == 2  # the truth is the same file as a
    columns = cs.read_sequences([a, b], per="column")
    assert all(name.isdecimal() for name in names(columns))


@pytest.mark.parametrize(
    ("function", "given", "options", "said"),
    [
        (cs.by_bag, {"a": "x"}, {}, "at least two sources"),
        (cs.by_bag, ["x"], {}, "mapping from sources"),
        (cs.by_bag, {"a": 3, "b": "x"}, {}, "a text or a list of tokens"),
        (cs.by_bag, {"truth": "x", "b": "x"}, {"truth": "x"}, "cannot be called 'truth'"),
        (cs.by_bag, {"a": "x", "b": "x"}, {"tokens": "word"}, "did you mean 'words'"),
        (cs.by_position, {"a": "x", "b": "x"}, {"per": "row"}, "unknown kind of item"),
        (cs.by_position, {"a": {"d": "x"}, "b": {"e": "x"}}, {}, "no document was read by two"),
        (cs.read_sequences, ["a"], {"method": "soft"}, "unknown method 'soft'"),
    ],
)
def test_wrong_sequences_are_refused(function, given, options, said):
    with pytest.raises(cs.UsageError, match=said):
        function(given, **options)


def test_wrong_files_are_all_told(tmp_path):
    broken = tmp_path / "b.txt"
    broken.write_bytes(b"caf\xe9 noir")
    with pytest.raises(cs.InputError) as error:
        read(tmp_path / "none.txt", broken)
    assert "none.txt: there is no such file" in str(error.value)
    assert "b.txt:1: not valid UTF-8" in str(error.value)
    assert read(broken, truth=(broken,), encoding="latin-1").tokens["b", "all"] == ["café", "noir"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(cs.InputError, match="holds no files"):
        read(tmp_path / "empty")


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    one = write(tmp_path / "one" / "a.txt", "x")
    other = write(tmp_path / "other" / "a.txt", "y")
    assert read(one, other).systems == ("one/a", "other/a")


def test_consensus_works_on_aligned_studies():
    rng = np.random.default_rng(8)
    text = [f"w{k}" for k in rng.integers(40, size=200)]
    wrong = {k: set(rng.choice(200, 10 + 15 * k, replace=False)) for k in range(4)}
    sources = {
        f"s{k}": [f"x{k}{at}" if at in wrong[k] else token for at, token in enumerate(text)]
        for k in range(4)
    }
    verdict = cs.rank(cs.by_position(sources), measures=["F1"], belief=cs.consensus)
    assert [one.name for one in verdict.standings] == ["s0", "s1", "s2", "s3"]
    assert "No ground truth was used" in verdict.sentence


def edits(a: list[str], b: list[str]) -> int:
    """Return the least number of insertions, deletions and substitutions, by trying all."""
    if not a or not b:
        return len(a) + len(b)
    kept = edits(a[1:], b[1:]) + (a[0] != b[0])
    return min(kept, edits(a[1:], b) + 1, edits(a, b[1:]) + 1)


@pytest.mark.parametrize("column", ["text", "transcript", "item"])
def test_a_table_of_transcripts_is_cut_into_words(tmp_path: Path, column: str) -> None:
    """One row for a document and source: the error rate is that of the words."""
    gold = {"d1": "the cat sat up there", "d2": "a dog"}
    said = {"A": {"d1": "the cat sat there", "d2": "a dog"}, "B": {"d1": "a cat sat", "d2": "dig"}}
    rows = [f"{one},{name},{text}" for name, texts in said.items() for one, text in texts.items()]
    table = write(tmp_path / "a.csv", "\n".join([f"document,system,{column}", *rows]))
    truth = write(
        tmp_path / "t.csv", "\n".join([f"document,{column}", *map(",".join, gold.items())])
    )
    found = read(table, truth=(truth,))
    assert any("cut into words" in note for note in found.sources["A"].notes)
    ran = consilience("align", table, "--truth", truth, "--json", "--no-save")
    errors = {one["name"]: one["error_rate"] for one in ran.json()["sources"]}
    words = sum(len(text.split()) for text in gold.values())
    for name, texts in said.items():
        wrong = sum(edits(gold[one].split(), text.split()) for one, text in texts.items())
        assert errors[name] == pytest.approx(wrong / words)


LINES = ["the cat sat up there", "a dog", "went to the old town"]


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        (",text", "{n},{line}"),
        ("index,transcription", "u{n}.wav,{line}"),
        ("document,line_id,text", "d1,l{n},{line}"),
        ("document,line,text", "d1,{n},{line}"),
        ("document,token", "d1,{line}"),
        ("utt,hypothesis", "u{n},{line}"),
        ("item,text", "u{n},{line}"),
    ],
)
def test_lines_of_a_text_are_cut_into_words(tmp_path: Path, header: str, cells: str) -> None:
    """Two of twelve words are wrong, whichever column numbers the lines: the error rate is 1/6."""
    said = [LINES[0].replace("cat", "hat"), LINES[1], LINES[2].replace("old", "new")]
    for name, lines in (("a", said), ("truth", LINES)):
        rows = [cells.format(n=n, line=line) for n, line in enumerate(lines)]
        write(tmp_path / f"{name}.csv", "\n".join([header, *rows, ""]))
    asked = ("align", tmp_path / "a.csv", "--truth", tmp_path / "truth.csv", "--json", "--no-save")
    assert consilience(*asked).json()["sources"][0]["error_rate"] == pytest.approx(2 / 12)


@pytest.mark.parametrize(
    ("header", "right"),
    [
        ("id,whisper,reference", "reference"),
        ("utt,prediction,ref", "ref"),
        ("whisper,gold", "gold"),
        ("audio_filepath,duration,text,pred_text", "text"),
    ],
)
def test_a_column_of_texts_for_each_source(tmp_path: Path, header: str, right: str) -> None:
    """One of twelve words is wrong; ids were aligned before, or the right text was the source."""
    said = [LINES[0].replace("cat", "hat"), *LINES[1:]]
    rows = [
        ",".join(
            right_line if name == right else line if name in SAID else f"{n}.5"
            for name in header.split(",")
        )
        for n, (line, right_line) in enumerate(zip(said, LINES, strict=True))
    ]
    table = write(tmp_path / "a.csv", "\n".join([header, *rows, ""]))
    made = consilience("align", table, "--json", "--no-save").json()
    (source,) = [one for one in made["sources"] if one["name"] != right]
    assert source["error_rate"] == pytest.approx(1 / 12)
    assert made["gold"] == [right]


SAID = ("whisper", "prediction", "pred_text")


def test_columns_of_texts_without_the_right_one(tmp_path: Path) -> None:
    """An empty cell is an empty answer; where the column cannot be told, it is asked for."""
    table = write(tmp_path / "a.csv", "id,whisper,kaldi\n1,the cat sat,\n2,a dog,a dig\n")
    tokens = read(table).tokens
    assert tokens["kaldi", "1"] == []
    assert tokens["kaldi", "2"] == ["a", "dig"]
    truth = write(
        tmp_path / "t.csv", "id,comment,reference\n1,so it is,the cat sat\n2,no no,a dog\n"
    )
    judged = read(table, truth=(truth,))
    assert judged.gold == ("truth",)
    assert judged.tokens["truth", "1"] == ["the", "cat", "sat"]
    write(tmp_path / "b.csv", "id,text,whisper\n1,the cat sat,the hat sat\n")
    with pytest.raises(
        cs.InputError, match=r"several columns hold texts: text, whisper .*item=text"
    ):
        read(tmp_path / "b.csv")


def test_one_token_a_row_stays_one(tmp_path: Path) -> None:
    """Also one that holds a blank, and where each document has a single token."""
    several = write(tmp_path / "a.csv", "document,system,item\nd,A,new york\nd,A,x\ne,A,y\nd,B,x\n")
    assert read(several).tokens["A", "d"] == ["new york", "x"]
    alone = write(tmp_path / "c.csv", "system,text\nA,new york\nB,york\n")
    assert read(alone).tokens == {("A", "all"): ["new", "york"], ("B", "all"): ["york"]}
    single = write(tmp_path / "b.csv", "document,system,token\nd,A,new york\ne,A,y\nd,B,x\n")
    assert read(single).tokens["A", "d"] == ["new york"]


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("id,token", "{n},{word}"),
        ("index,word", "{n},{word}"),
        ("token,confidence", "{word},0.{n}"),
    ],
)
def test_numbers_beside_tokens_are_neither_documents_nor_systems(
    tmp_path: Path, header: str, cells: str
) -> None:
    """One of five words is wrong."""
    for name, text in (("a", "the hat sat up there"), ("truth", LINES[0])):
        rows = [cells.format(n=n, word=word) for n, word in enumerate(text.split(), 1)]
        write(tmp_path / f"{name}.csv", "\n".join([header, *rows, ""]))
    asked = ("align", tmp_path / "a.csv", "--truth", tmp_path / "truth.csv", "--json", "--no-save")
    made = consilience(*asked).json()
    assert {one["name"] for one in made["sources"]} == {"a", "truth"}
    assert made["sources"][0]["error_rate"] == pytest.approx(1 / 5)


def test_tokens_with_times_are_told_to_leave_them_out(tmp_path: Path) -> None:
    table = write(tmp_path / "a.csv", "token,start,end\nthe,0,0.5\ncat,0.5,1.5\n")
    ran = consilience("align", table, "--truth", table)
    assert ran.code == 2
    assert "this is no text (event table" in ran.err
    assert "leave out the times" in ran.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("u1\thello world\nu2\tgood morning\n", "a table without a header"),
        ("utt_001\thello world\nutt_002\tyes\n", "Kaldi text"),
        ("[00:00.000 --> 00:02.000]  hello\n[00:02.000 --> 00:04.000]  yes\n", "with times"),
        ("10:00 hello\n10:01 yes\n", "every line begins with a time"),
        ("[0:01:02.5] hello\n[0:01:04.0] yes\n", "every line begins with a time"),
        ("ANN: hello\nBEN: hi\nANN: yes\n", "a transcript with its speakers"),
        ("q1 0 d1 1\nq1 0 d2 0\n", "this is no text (TREC qrels"),
        ("0 3050000 sil\n3050000 4000000 ah\n", "2 of the first 2 lines begin with two numbers"),
        ("# made\n0 305 sil\n305 400 ah\n# end\n400 500 b\n", "3 of the first 3 lines begin"),
        ("0 3050 h#\n3050 4559 sh\n", "begin with two numbers, as times do"),
        ("0.5 1\n1.0 2\n1.5 3\n", "begin with two numbers"),
        ("lj1|Printing, in it|Print\nlj2|in being|in\nlj3|For|For\n", "of cells between '|'"),
        ("1,2\n3,4\n5,6\n", "most lines hold numbers between ','"),
        ("a,b,c\nd,e,f\ng,h,i\n", "of cells between ','"),
        ("item,A,B\nd1,0,1\nd2,1,1\n", "this is no text (CSV: header line item, A, B)"),
        ("results of May\nquery,item,score\nq1,d1,2\n", "something stands before the header"),
        ("utt0 Ada wrote it\nutt1 in London\nutt2 in the winter\n", "begins with an id"),
        ("id truth glm\np1 cat dog\np2 dog dog\np3 cat cat\n", "begins with an id such as 'p1'"),
        ("d3 pos\nd7 neg\nd12 pos\n", "begins with an id"),
        ("yes\nno\nyes\nyes\n", "every line is a vote"),
        ("the <w>cat</w>\nsat <w>up</w>\n", "lines hold tags"),
    ],
)
def test_what_stands_beside_words_is_not_counted_as_words(tmp_path, text, said):
    with pytest.raises(cs.InputError) as error:
        read(write(tmp_path / "a.txt", text), write(tmp_path / "b.txt", "hello world"))
    assert said in str(error.value)
    assert "--answers" not in str(error.value)


PROSE = [
    *("10:30 was the time", "a\tb c\nd e", "Note: late\nWhy: rain"),
    "bin blue at f two now\nset red by g one now\nlay white in z two now\nbin red at k one now",
    "Roses are red, violets blue,\nsugar is sweet, as are you,\none, two,\nand three, four.",
    "MILK 2.50\nBREAD 1.20\nThank you\n",
    "AH\nB\nAH\nK\nB\nAH\nK\nB\nAH\nAH",
    "C G Am F\nC G F C\nAm F C G\nC G C C",
    "1914 1918 the war\nwas long\nand hard",
    "12 Main Street\n14 Oak Avenue",
    "Name, title\nAnn, queen\nBen, king",
    "# A title\n\nSome prose, and more.\n\n- one\n- two\n",
    "60 62 64",
]


@pytest.mark.parametrize("text", PROSE)
def test_texts_may_hold_times_tabs_and_colons(tmp_path, text):
    found = read(write(tmp_path / "a.txt", text), write(tmp_path / "b.txt", "hello"))
    assert found.tokens["a", "all"] == text.split()


def test_of_many_pages_one_may_be_a_table(tmp_path: Path) -> None:
    """Pages of a book hold tables of numbers; a folder of labels with times holds nothing else."""
    times = "0 3050 h#\n3050 4559 sh\n"
    for name, pages in (("book", ["a b", "c d", times]), ("labels", [times, times])):
        for n, page in enumerate(pages):
            write(tmp_path / name / f"p{n}.txt", page)
    other = write(tmp_path / "other" / "p2.txt", "so").parent
    assert read(tmp_path / "book", other).tokens["book", "p2"] == times.split()
    with pytest.raises(cs.InputError, match=r"p0.txt:1: .* two numbers(.|\n)*p1.txt:1: .* two num"):
        read(tmp_path / "labels")


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", "item,A,B\nd1,0,0\nd2,1,1\nd3,1,0\n", "these are votes, no sequences"),
        ("a.csv", "item,system,vote\nd1,A,0\nd1,B,1\n", "votes, .* leave out vote"),
        ("a.csv", "query,item,grade\nq1,d1,1\nq1,d2,0\nq2,d1,2\n", "judgments, .* leave out gra"),
        ("a.run", "q1 0 d1 1\nq1 0 d2 0\n", "judgments, no sequences of tokens .*consilience rank"),
    ],
)
def test_votes_and_judgments_are_no_tokens(tmp_path: Path, name: str, text: str, said: str) -> None:
    """What was voted 0 counted as read: all agreed on everything."""
    with pytest.raises(cs.InputError, match=said):
        read(write(tmp_path / name, text))
    kept = "item,system\nd1,A\nd1,B\n"
    assert read(write(tmp_path / "b.csv", kept)).tokens == {
        ("A", "all"): ["d1"],
        ("B", "all"): ["d1"],
    }


@pytest.mark.parametrize("mark", "|,;\t")
@pytest.mark.parametrize(
    "rows",
    [
        ["LJ1-01|Printing in the sense|Printing in sense", "LJ1-02|in being|in being so"],
        ["in the sense|in this sense", "in the city|in a city", "of the sense|this is in the sea"],
        ["u|so it is that it was there and then no more|so it was", "v|a dog|the dog"],
    ],
)
def test_texts_without_a_header_are_no_sources(tmp_path: Path, mark: str, rows: list[str]) -> None:
    """The first row named the sources."""
    text = "\n".join(rows).replace("|", mark) + "\n"
    with pytest.raises(cs.InputError, match=r"a.csv:1: no header line: .* begin with a line that"):
        read(write(tmp_path / "a.csv", text))
    header = "id|whisper large|kaldi" if rows[0].count("|") > 1 else "whisper large|kaldi"
    made = read(write(tmp_path / "b.csv", f"{header}\n".replace("|", mark) + text))
    assert made.systems == ("whisper large", "kaldi")


@pytest.mark.parametrize("header", ["Dokument", "document"])
def test_ids_and_comments_are_no_sources(tmp_path: Path, header: str) -> None:
    """Ids of two words and what was remarked were aligned with each other."""
    rated = [f"Dok {n};0,{n};0,3;it is good" for n in range(5)]
    table = write(tmp_path / "a.csv", "\n".join([f"{header};A 1;A 2;Bemerkung", *rated, ""]))
    with pytest.raises(cs.InputError):
        read(table)
    texts = ["Dok 1;the cat;the hat;so it is", "Dok 2;a dog;a dig;no no"]
    table = write(tmp_path / "b.csv", "\n".join([f"{header};A;B;Comment", *texts, ""]))
    found = read(table)
    assert found.systems == ("A", "B")
    assert found.documents == ("Dok 1", "Dok 2")
