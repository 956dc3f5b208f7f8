"""Folders mean the same in every verb; what comes with a folder is no system."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import consilience as cs
from consilience.errors import InputError, UsageError
from consilience.match.lists import read_sides
from tests.cli.command import consilience

Write = Callable[..., Path]
FOREIGN = Path(__file__).parent.parent / "foreign"
RUN = "q1 Q0 d1 1 2.5 {0}\nq1 Q0 d2 2 1.5 {0}\nq2 Q0 d1 1 2 {0}\n"
RTTM = "SPEAKER {} 1 {} 2.5 <NA> <NA> Ann <NA> <NA>\n"


def phrases(write: Write) -> Path:
    for system in ("s1", "s2"):
        write("lake view\nfree wifi\n", f"k/{system}/d1.txt")
        write("old town\n", f"k/{system}/d2.txt")
    return write("lake view\n", "k/s2/d3.txt").parent.parent


def notes(study: cs.Study) -> str:
    return "\n".join(study.notes)


def test_a_folder_of_documents_is_one_system(write: Write) -> None:
    folder = phrases(write)
    study = cs.read([folder / "s1", folder / "s2"])
    assert study.systems == ("s1", "s2")
    assert study.queries == ("d1", "d2", "d3")
    assert f"the folder {folder / 's1'} is one system with 2 files" in notes(study)
    sides = read_sides(folder / "s1", folder / "s2")
    assert sides.names == ("s1", "s2")
    assert [*sides.gold] == ["d1", "d2"]


def test_a_folder_of_folders_is_several_systems(write: Write) -> None:
    folder = phrases(write)
    write("# about\n", "k/README.md")
    assert cs.read(folder).systems == ("s1", "s2")
    with pytest.raises(UsageError, match="2 systems answered"):
        read_sides(folder / "s1", folder)


def test_folders_of_one_name_are_told_apart(write: Write) -> None:
    write("lake view\n", "a/out/d1.txt")
    write("lake view\n", "b/out/d1.txt")
    one = write("", "x.txt").parent
    assert cs.read([one / "a" / "out", one / "b" / "out"]).systems == ("a/out", "b/out")


def test_named_files_are_read_each_by_itself(write: Write) -> None:
    folder = phrases(write) / "s1"
    assert cs.read(str(folder / "*.txt")).systems == ("d1", "d2")


def test_an_empty_document_is_an_answer(write: Write) -> None:
    folder = phrases(write) / "s1"
    write("", "k/s1/d9.txt")
    assert "d9" in cs.read(folder).queries


def test_a_folder_of_segments_is_one_system(write: Write) -> None:
    write(RTTM.format("mon", 1), "mine/mon.rttm")
    path = write(RTTM.format("tue", 1), "mine/tue.rttm").parent
    study = cs.read(path)
    assert (study.systems, study.queries) == (("mine",), ("mon", "tue"))


def test_segments_of_the_same_recordings_are_systems(write: Write) -> None:
    for name, start in (("a", 1), ("b", 2)):
        text = RTTM.format("mon", start) + RTTM.format("tue", start)
        path = write(text, f"all/{name}.rttm").parent
    study = cs.read(path)
    assert study.systems == ("a", "b")
    assert "speak of the same documents: each is a system" in notes(study)
    write(RTTM.format("mon", 3), "all/c.rttm")
    with pytest.raises(InputError, match="speaks of 'mon', and so does"):
        cs.read(path)


def test_in_a_folder_of_runs_each_file_is_read_by_itself(write: Write) -> None:
    write(RUN.format("bm25"), "runs/one.run")
    path = write(RUN.format("ql"), "runs/two.run").parent
    assert cs.read(path).systems == ("bm25", "ql")


def test_in_a_folder_of_tables_each_file_is_read_by_itself(write: Write) -> None:
    write("item,score\na,1\nb,2\n", "tables/one.csv")
    path = write("item,system,score\na,x,1\nb,y,2\n", "tables/two.csv").parent
    assert cs.read(path).systems == ("one", "x", "y")


@pytest.mark.parametrize(
    "name", ["README.md", "README", "LICENSE", "NOTES.txt", "Makefile", "prepare.py"]
)
def test_what_comes_with_runs_is_left_out_by_name(write: Write, name: str) -> None:
    write("bin\n", "runs/.DS_Store")
    write("These are the runs\nof last year\n", f"runs/{name}")
    path = write(RUN.format("bm25"), "runs/one.run").parent
    study = cs.read(path)
    assert study.systems == ("bm25",)
    assert f"left out: {name}" in notes(study)


@pytest.mark.parametrize("verb", ["check", "rank", "align"])
def test_a_folder_of_files_and_folders_is_asked_about(write: Write, verb: str) -> None:
    """The folders vanished without a note, and one of two runs was ranked alone."""
    folder = write(RUN.format("a"), "runs/a.run").parent
    write(RUN.format("b"), "runs/deeper/b.run")
    ran = consilience(verb, folder, folder)
    assert ran.code == 2
    assert "holds files, and so does the folder deeper in it" in ran.err
    (folder / "deeper" / "b.run").rename(folder / "deeper" / "b.csv")
    study = cs.read([folder])
    assert study.systems == ("a",)
    assert "not read: deeper/ (name them to read them)" in notes(study)


def test_other_lists_among_runs_are_refused(write: Write) -> None:
    write("These are the runs\nof last year\n", "runs/words.txt")
    path = write(RUN.format("bm25"), "runs/one.run").parent
    with pytest.raises(InputError, match=r"words\.txt: a list of lines in a folder of runs"):
        cs.read(path)


def test_a_readme_that_is_named_beside_runs_is_refused(write: Write) -> None:
    readme = write("These are the runs\nof last year\n", "runs/README.md")
    run = write(RUN.format("bm25"), "runs/one.run")
    with pytest.raises(InputError, match=r"README\.md:1: this is Markdown"):
        cs.read([run, readme])


def test_a_readme_is_no_document(write: Write) -> None:
    folder = phrases(write) / "s1"
    write("These are phrases\n", "k/s1/README.md")
    study = cs.read(folder)
    assert study.queries == ("d1", "d2")
    assert "left out: README.md" in notes(study)


def test_names_of_classes_among_boxes_are_refused(write: Write) -> None:
    write("0 0.5 0.5 0.2 0.4\n1 0.5 0.4 0.2 0.4\n", "labels/a.txt")
    write("0 0.5 0.5 0.2 0.4\n", "labels/b.txt")
    path = write("cat\ndog\n", "labels/classes.txt").parent
    with pytest.raises(InputError, match=r"classes\.txt: a list of lines, and other files"):
        cs.read(path)
    with pytest.raises(InputError, match=r"classes\.txt:1: this file holds no boxes"):
        cs.read_boxes(path)


def test_engines_refuse_folders_of_documents(write: Write, tmp_path: Path) -> None:
    from consilience.engine.convert import convert

    with pytest.raises(UsageError, match="a folder of documents, one system's"):
        convert([str(phrases(write) / "s1")], tmp_path / "votes.parquet")


@pytest.mark.parametrize(
    ("ending", "form", "mark"), [("json", '["{}"]', '","'), ("csv", "item\n{}\n", "\n")]
)
def test_lists_that_are_no_documents_and_called_as_the_truth(
    write: Write, tmp_path: Path, ending: str, form: str, mark: str
) -> None:
    """Each file was a system, and all files of the truth one truth."""
    for folder, said in (("a", "xy,z"), ("g", "x,yz")):
        for place, items in enumerate(said.split(",")):
            write(form.format(mark.join(items)), f"{folder}/d{place}.{ending}")
            write("\n".join(items), f"{folder}2/d{place}.txt")
    ran = consilience("rank", "a", "--truth", "g", "--no-save", cwd=tmp_path)
    assert ran.code == 2
    assert "a file a document?" in ran.err
    assert "write texts with one item a line" in ran.err
    ran = consilience("rank", "a2", "--truth", "g2", "--no-save", cwd=tmp_path)
    assert ran.code == 0


def test_several_run_tags_in_one_file_are_noted(write: Write) -> None:
    path = write("".join(f"q{q} Q0 d1 1 {q} t{t}\n" for t in range(30) for q in range(2)), "a.run")
    study = cs.read(path)
    assert len(study.systems) == 30
    assert "30 run tags in one file: 30 systems" in notes(study)


def test_a_tag_for_each_line_is_refused(write: Write) -> None:
    path = write("".join(f"q1 Q0 d{n} {n} {9 - n} t{n}\n" for n in range(1, 9)), "a.run")
    with pytest.raises(InputError, match="each of the 8 lines has another run tag, such as 't1'"):
        cs.read(path)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_folder_of_folders_of_runs_is_read_by_every_engine(tmp_path: Path, engine: str) -> None:
    for name in ("one", "two"):
        (tmp_path / "runs" / name).mkdir(parents=True)
        (tmp_path / "runs" / name / "a.run").write_text(RUN.format(name))
    ran = consilience("rank", "runs", "--engine", engine, "--no-save", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert {row["name"] for row in ran.json()["systems"]} == {"one", "two"}
    assert consilience("convert", "runs", "votes.parquet", cwd=tmp_path).code == 0


def test_documents_cannot_be_converted_and_that_is_said(write: Write, tmp_path: Path) -> None:
    ran = consilience("convert", phrases(write) / "s1", "votes.parquet", cwd=tmp_path)
    assert ran.code == 2
    assert "(fix: name the files to read each by itself" in ran.err


@pytest.mark.parametrize("verb", ["rank", "correlate", "distributions", "align"])
def test_folders_are_systems_in_every_verb(write: Write, verb: str) -> None:
    folder = phrases(write)
    write("lake view\nwifi\n", "k/gold/d1.txt")
    write("old town\n", "k/gold/d2.txt")
    named: list[str | Path] = [folder / "s1", folder / "s2", "--truth", folder / "gold"]
    ran = consilience(verb, *named, "--no-save", "--json")
    assert ran.code == 0, ran.err
    assert all(f'"{name}"' in ran.out for name in ("s1", "s2"))
    assert not any(f'"system": "{name}"' in ran.out for name in ("d1", "d2", "gold"))


def test_a_coco_truth_is_a_system_beside_another_truth(tmp_path: Path) -> None:
    coco = FOREIGN / "coco"
    named: list[str | Path] = [coco / "truth-other-ids.json", "--truth", coco / "truth.json"]
    ran = consilience("rank", *named, "--match", "soft", "--no-save", "--json")
    assert ran.code == 0, ran.err
    (only,) = ran.json()["systems"]
    assert only["name"] == "truth-other-ids"
    soft = consilience("soft", coco / "truth.json", named[0], "--no-save", "--json").json()
    assert soft["at_threshold"]["missed"] == 0
    assert only["scores"]["F1"]["value"] > 0.85  # by id, boxes of other images would be compared
    assert "images by file name and classes by name" in ran.out
