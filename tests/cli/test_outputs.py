"""Nothing is written onto an input or onto labels; files are replaced as a whole, or not at all."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from consilience import store
from consilience.cli import VERBS, group
from consilience.cli.paths import Input, Output
from consilience.errors import ConsilienceError
from consilience.render import FORMATS, render
from consilience.render import VERBS as VERB_FORMATS
from consilience.render.written import may_hold_labels
from tests.cli.command import consilience, own_process
from tests.render.every_verb import MADE, result_of

DOCS = Path(__file__).parents[2] / "docs" / "files"
#: What a metavar says where a parameter is a path.
PATHS = ("FILE", "FOLDER", "DIR", "RUN", "LABEL", "GOLD", "PREDICTED", "RESULT", "RANKING")
CONTEXT = click.Context(group)


def command(verb: str) -> click.Command:
    found = group.get_command(CONTEXT, verb)
    assert found is not None
    return found


def inputs(verb: str) -> list[click.Parameter]:
    return [one for one in command(verb).params if isinstance(one.type, Input)]


def outputs(verb: str) -> list[click.Parameter]:
    return [
        one
        for one in command(verb).params
        if (isinstance(one.type, Output) and not _is_folder_alone(one))
        or (isinstance(one.type, Input) and one.type.last)
    ]


def _is_folder_alone(param: click.Parameter) -> bool:
    return param.make_metavar(CONTEXT) == "FOLDER"


def option(param: click.Parameter) -> list[str]:
    return [max(param.opts, key=len)] if isinstance(param, click.Option) else []


def pairs() -> Iterator[tuple[str, str, str]]:
    for verb in VERBS:
        for written in outputs(verb):
            for read in inputs(verb):
                assert read.name
                assert written.name
                yield verb, read.name, written.name


def line(verb: str, read: str, named: str, written: str, target: str) -> list[str]:
    """Write a command that reads ``named`` and writes ``target``; what else it needs is there."""
    args = [verb]
    for param in command(verb).params:
        if param.name == read:
            value = f"vectors:of={named}" if getattr(param.type, "settings", False) else named
            args += [*option(param), value]
            if param.name == written:
                args.append(target)
        elif param.name == written:
            args += [*option(param), target]
        elif param.required and isinstance(param.type, Input):
            args += [*option(param), "other.csv"]
        elif param.required and isinstance(param.type, Output):
            args += [*option(param), "other.db"]
        elif param.required:
            args += [*option(param), "5"]
    return args


def test_every_path_says_that_it_is_one() -> None:
    for verb in VERBS:
        for param in command(verb).params:
            words = re.findall(r"[A-Z]+", param.metavar or "")
            if {word.removesuffix("S") for word in words} & {*PATHS}:
                assert isinstance(param.type, (Input, Output)), (verb, param.name)


def test_what_is_derived_is_not_nothing() -> None:
    found = {*pairs()}
    assert {("next", "truth", "output"), ("rank", "families", "output")} <= found
    assert {("convert", "files", "files"), ("pack", "database", "output")} <= found
    assert {("unpack", "archive", "database"), ("serve", "truth", "where")} <= found
    assert {("tree", "tree_file", "output"), ("soft", "region", "output")} <= found
    assert {verb for verb, _, _ in found} >= {*VERBS} - {"check", "label", "demo"}


@pytest.mark.parametrize(("verb", "read", "written"), [*pairs()])
def test_no_verb_writes_onto_an_input(
    verb: str, read: str, written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ending = ".zip" if verb == "pack" else ".csv"
    mine, folder = Path(f"mine{ending}"), Path("folder")
    folder.mkdir()
    for one in (mine, folder / mine, Path("other.csv")):
        one.write_text("what people made\n")
    Path("soft-link").symlink_to(mine)
    os.link(mine, "hard-link")
    (kind,) = [one.type for one in inputs(verb) if one.name == read]
    assert isinstance(kind, Input)
    spelt = [
        (str(mine), str(mine)),
        (str(mine), str(mine.absolute())),
        (str(mine.absolute()), f"folder/../{mine}"),
        (str(mine), "soft-link"),
        ("soft-link", str(mine)),
        ("hard-link", str(mine)),
    ]
    if not kind.database and not kind.settings:
        spelt += [("folder", str(folder / mine)), (f"f*/m*{ending}", str(folder / mine))]
    fmt = ["-f", "csv"] if any(one.name == "fmt" for one in command(verb).params) else []
    for named, target in spelt:
        ran = consilience(
            *line(verb, read, named, written, target), *(fmt if verb != "pack" else [])
        )
        assert ran.code == 2, (named, target, ran)
        assert "this is an input" in ran.err, (named, target, ran.err)
        assert "(fix: write to " in ran.err
        assert mine.read_text() == (folder / mine).read_text() == "what people made\n"
        assert sorted(one.name for one in tmp_path.iterdir()) == sorted(
            ["folder", "hard-link", str(mine), "other.csv", "soft-link"]
        )


def test_nested_folders_of_texts_are_inputs_too(tmp_path: Path) -> None:
    deep = tmp_path / "ocr" / "old" / "tesseract" / "page.md"
    deep.parent.mkdir(parents=True)
    deep.write_text("a word\n")
    for verb in (["align"], ["rank", "--match", "aligned"]):
        ran = consilience(*verb, tmp_path / "ocr", "-o", deep)
        assert (ran.code, deep.read_text()) == (2, "a word\n")


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        "rank runs",
        "rank runs --match aligned",
        "belief runs",
        "agree runs",
        "align runs",
        "correlate runs --truth other.csv",
        "rank other.csv --truth runs",
        "soft other.csv runs",
        "next runs --budget 3",
    ],
)
def test_a_folder_of_folders_is_an_input(
    words: str, linked: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    real = Path("real") if linked else Path("runs")
    for system in ("A", "B"):
        (real / system).mkdir(parents=True)
        for page in ("q1", "q2"):
            (real / system / f"{page}.txt").write_text(f"a\nb\n{system}{page}\n")
    if linked:
        Path("runs").mkdir()
        for system in ("A", "B"):
            Path("runs", system).symlink_to(f"../real/{system}")
        Path("real", "A", "back").symlink_to("..")  # leads to itself
    target = real / "A" / "q1.txt"
    ran = consilience(*words.split(), "-f", "csv", "-o", target)
    assert ran.code == 2, ran
    assert "this is an input" in ran.err
    assert target.read_text() == "a\nb\nAq1\n"


def test_an_earlier_result_in_a_folder_that_is_not_read_is_replaced(tmp_path: Path) -> None:
    shutil.copytree(DOCS / "runs", tmp_path / "runs")
    for _ in range(2):
        ran = consilience("rank", "runs", "--no-save", "-o", "runs/results/rank.csv", cwd=tmp_path)
        assert ran.code == 0, ran.err


@pytest.mark.parametrize("said", ["vectors: of = g.txt ", "monge-elkan:inner=vectors:of=g.txt"])
def test_blanks_and_similarities_inside_others_hide_no_file(said: str, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("a 0.5 0.1\n")
    ran = consilience(
        *("soft", "G.txt", "P.txt", "--similarity", said, "-f", "csv", "-o", "g.txt"), cwd=tmp_path
    )
    assert ran.code == 2
    assert "this is an input" in ran.err
    assert (tmp_path / "g.txt").read_text() == "a 0.5 0.1\n"


def test_a_name_that_is_free_keeps_both_endings_of_a_compressed_file(tmp_path: Path) -> None:
    shutil.copy(VOTES, tmp_path / "votes.csv.gz")
    ran = consilience("rank", "votes.csv.gz", "-f", "csv", "-o", "votes.csv.gz", cwd=tmp_path)
    assert ran.code == 2
    assert "(fix: write to votes-2.csv.gz)" in ran.err


def test_what_sqlite_writes_beside_a_database_is_kept(tmp_path: Path) -> None:
    for name in ("study.db", "study.db-wal"):
        (tmp_path / name).write_bytes(b"something")
    ran = consilience("pack", "study.db", "-o", "study.db-wal", cwd=tmp_path)
    assert ran.code == 2
    assert "this is an input" in ran.err


def test_a_stored_result_is_not_replaced_by_its_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONSILIENCE_RESULTS", str(tmp_path))
    assert consilience("curve", DOCS / "airplanes.csv").code == 0
    (kept,) = tmp_path.glob("curve-*.json")
    before = kept.read_bytes()
    ran = consilience("export", "latest", "-o", kept, "-f", "csv")
    assert ran.code == 2
    assert kept.read_bytes() == before


def test_the_bundled_examples_are_not_replaced(tmp_path: Path) -> None:
    from consilience import example

    ran = consilience("demo", "airplanes", "-o", example("airplanes.csv"), cwd=tmp_path)
    assert ran.code == 2
    assert "part of Consilience" in ran.err


@pytest.mark.parametrize("name", ["votes.csv", "votes.csv.gz", "votes"])
def test_the_demonstration_writes_no_page_into_a_table(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("what people made\n")
    ran = consilience("demo", "airplanes", "-o", name, cwd=tmp_path)
    assert ran.code == 2
    assert f"(fix: write to {Path(name).with_suffix('.html')})" in ran.err
    assert (tmp_path / name).read_text() == "what people made\n"


def test_what_is_printed_is_not_added_to_an_input(tmp_path: Path) -> None:
    mine = tmp_path / "airplanes.csv"
    shutil.copy(DOCS / "airplanes.csv", mine)
    before = mine.read_bytes()
    with mine.open("ab") as stream:
        done = subprocess.run(
            [sys.executable, "-m", "consilience", "curve", str(mine), "--no-save"],
            stdout=stream,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert b"standard output is one of the inputs" in done.stderr
    assert mine.read_bytes() == before


# next and labels


VOTES = DOCS / "labelling" / "votes.csv"


def next_items(*args: str | Path, cwd: Path) -> tuple[int, str]:
    ran = consilience("next", VOTES, "--budget", "4", "--no-save", *args, cwd=cwd)
    return ran.code, ran.err


def test_filled_in_labels_survive_their_next_round(tmp_path: Path) -> None:
    labels = tmp_path / "labels.csv"
    shutil.copy(DOCS / "labelling" / "labels-1.csv", labels)
    before = labels.read_bytes()
    code, err = next_items("--truth", "labels.csv", "-o", "labels.csv", cwd=tmp_path)
    assert code == 2
    assert "write to labels-2.csv" in err
    (tmp_path / "labels-2.csv").touch()
    code, err = next_items("-o", "labels.csv", cwd=tmp_path)  # no input, and still labels
    assert code == 2
    assert "this may hold labels" in err
    assert "write to labels-3.csv" in err
    assert labels.read_bytes() == before


#: Lists that can be told from those in which there are labels; reports cannot.
LISTS = ("csv", "label-studio", "argilla", "queue")
#: What people and programs do to a list: what is there, and what is there then.
TOUCHES = (
    (r"\Z", "q1 a yes\n"),
    (r"\Z", "\n"),
    (r"\A", "\ufeff"),
    (r"label$", "label,label"),
    (r",1,$", ",1,0"),
    (r",1,$", ",2,"),
    (r",1,$", ",0,"),
    (r",0[.]\d+,", ",yes,"),
    (r",0[.]\d+,", ",1,"),
    (r",0[.]\d+,", ",0.0,"),
    (r"^page.*$", "# q1 a yes"),
    (r'"round": 1', '"round": 2'),
    (r'"round": 1', '"round": true'),
    (r'"round": 1', '"round": 1, "label": 0'),
    (r'"probability": 0', '"label": "yes", "probability": 0'),
    (r'"probability": 0[.]\d+', '"probability": "yes"'),
    (r'"probability": 0[.]\d+', '"probability": 0.0'),
    (r'"item": "\w+"', '"item": {"label": "yes"}'),
    (r'{"data"', '{"annotations": [{"result": [{"value": {"choices": ["no"]}}]}], "data"'),
    (r'"fields"', '"responses": {"label": [{"value": 0, "user_id": "x"}]}, "fields"'),
    (r'"order"', '"label": "yes", "order"'),
    (r'"tasks"', '"answers": [{"query": "q1", "item": "a", "label": "yes"}], "tasks"'),
    (r'"study": "\w+"', '"study": {"label": "yes"}'),
    (r'"seed": 0', '"seed": ["yes"]'),
)


@pytest.mark.parametrize("fmt", LISTS)
def test_next_replaces_its_own_list_until_somebody_touches_it(fmt: str, tmp_path: Path) -> None:
    target = tmp_path / "list.txt"
    assert next_items("-f", fmt, "-o", target, cwd=tmp_path)[0] == 0
    assert next_items("-f", fmt, "-o", target, cwd=tmp_path) == (0, f"written to {target}\n")
    whole = target.read_text()
    made = [re.sub(old, new, whole, count=1, flags=re.MULTILINE) for old, new in TOUCHES]
    touched = [text for text in made if text != whole]
    assert len(touched) >= 11
    for text in touched:
        target.write_text(text, encoding="utf-8")
        code, err = next_items("-f", fmt, "-o", target, cwd=tmp_path)
        assert code == 2, text
        assert "this may hold labels" in err
        assert "list-2.txt" in err
        assert target.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("fmt", sorted({*FORMATS} - {*LISTS}))
def test_next_replaces_no_report(fmt: str, tmp_path: Path) -> None:
    target = tmp_path / "report.txt"
    code, err = next_items("-f", fmt, "-o", target, cwd=tmp_path)
    if code == 0:
        before = target.read_bytes()
        code, err = next_items("-f", fmt, "-o", target, cwd=tmp_path)
        assert "this may hold labels" in err
        assert target.read_bytes() == before
    assert code == 2  # also where next has no such form


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 d1 1\nq1 0 d2 0\n",
        "item,ann,ben\nd1,1,0\n",
        '{"some": "thing"}',
        "[1, 2]",
        "[" * 100_000,
        '[{"text": "d1", "label": "yes"}]',
        "notes of somebody\n",
        "query,item\nq1,a\nq2,b\n",
        '[{"query": "q1", "item": "a"}]',
        "query,item,label,label\nq1,a,yes,\n",
        "query,item,label\n# q1 a yes\n",
        '{"queue": 1, "tasks": [], "answers": [{"query": "q1", "item": "a", "label": "yes"}]}',
        '{"verb": "next", "rows": [], "labels": {"q1": "yes"}}',
        "next-0123456789ab\nquery item probability\n\nq2 b yes 0.4990\n",
        "\udcff".encode(errors="surrogateescape").decode("latin-1"),
    ],
)
def test_next_replaces_nothing_that_it_did_not_write(text: str, tmp_path: Path) -> None:
    target = tmp_path / "mine.csv"
    target.write_text(text, encoding="utf-8")
    assert next_items("-o", target, cwd=tmp_path)[0] == 2
    assert target.read_text(encoding="utf-8") == text


def test_labels_that_came_while_the_work_went_on_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "labels.csv"

    def render_late(*args: object) -> object:
        target.write_text("query,item,probability,round,label\nq,d,0.5,1,yes\n")
        return render(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("consilience.render.render", render_late)
    assert next_items("-o", target, cwd=tmp_path)[0] == 2
    assert target.read_text().endswith("yes\n")


# Results, and what people gave


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A copy of the files of the documentation."""
    return Path(shutil.copytree(DOCS, tmp_path / "files"))


@pytest.mark.parametrize(
    ("words", "target", "free"),
    [
        ("rank labelling/votes.csv -f csv", "labelling/labels-2.csv", "labelling/labels-4.csv"),
        ("rank labelling/votes.csv -f html", "labelling/labels-2.csv", "labelling/labels-4.csv"),
        ("agree labels.csv -f csv", "labelling/labels-2.csv", "labelling/labels-4.csv"),
        ("belief votes.csv -f csv", "qrels.txt", "qrels-2.txt"),
        ("belief votes.csv -f qrels", "qrels.txt", "qrels-2.txt"),
        ("curve airplanes.csv -f csv", "judges.csv", "judges-2.csv"),
        ("curve airplanes.csv -f text", "runs/bm25.run", "runs/bm25-2.run"),
        ("rank votes.csv -f parquet", "answers.parquet", "answers-2.parquet"),
        ("demo airplanes", "words.html", "words-2.html"),
        ("reproduce words -f md", "qrels.txt", "qrels-2.txt"),
        ("rank votes.csv -f csv", "study.db", "study-2.db"),
        ("next votes.csv --budget 3 -f csv", "study.db", "study-2.db"),
        ("rank votes.csv -f html", "sheet.xlsx", "sheet-2.xlsx"),
    ],
)
def test_no_result_replaces_what_people_gave(
    words: str, target: str, free: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    assert consilience("unpack", "search.zip", "study.db").code == 0
    assert consilience("convert", "runs", "answers.parquet").code == 0
    Path("words.html").write_text("one\ntwo\nthree\n")
    Path("sheet.xlsx").write_bytes(b"PK\3\4 labels of somebody")
    before = Path(target).read_bytes()
    ran = consilience(*words.split(), "-o", target)
    assert ran.code == 2, ran
    assert ("this is a database" if target == "study.db" else "may hold labels") in ran.err
    assert f"(fix: write to {free})" in ran.err
    assert Path(target).read_bytes() == before


LABELS = Path(__file__).parents[1] / "foreign"


@pytest.mark.parametrize(
    "name",
    [
        "lists/labels-yes-no.txt",
        "lists/labels-digits.txt",
        "lists/ids-and-labels.txt",
        "lists/phrases-with-scores.txt",
        "trec/qrels-annotator.txt",
        "trec/qrels-time.txt",
        "learners/labels-between-blanks.txt",
        "kaldi/short-ids.txt",
        "config/search.yaml",
        "source/letters.mbox",
    ],
)
def test_what_is_not_read_may_hold_labels_too(name: str, files: Path) -> None:
    target = files / "kept.txt"
    target.write_bytes((LABELS / name).read_bytes())
    ran = consilience("rank", files / "votes.csv", "--no-save", "-f", "text", "-o", target)
    assert ran.code == 2
    assert "this may hold labels or answers" in ran.err
    assert target.read_bytes() == (LABELS / name).read_bytes()


def test_the_export_of_a_stored_result_replaces_no_labels(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONSILIENCE_RESULTS", str(files / "results"))
    assert consilience("curve", files / "airplanes.csv").code == 0
    before = (files / "labels.csv").read_bytes()
    ran = consilience("export", "latest", "-f", "csv", "-o", files / "labels.csv")
    assert ran.code == 2
    assert "this may hold labels or answers" in ran.err
    assert (files / "labels.csv").read_bytes() == before


@pytest.mark.parametrize("name", [*MADE])
def test_results_that_were_written_before_are_replaced(name: str, tmp_path: Path) -> None:
    result = result_of(name)
    for fmt in VERB_FORMATS[result["verb"]]:
        if fmt in ("qrels", "argilla", "label-studio", "queue"):
            continue
        if result["verb"] == "next" and fmt in ("csv", "parquet"):
            continue  # that is a list for labelling
        file = tmp_path / f"result.{fmt}"
        made = render(result, fmt)
        file.write_bytes(made if isinstance(made, bytes) else made.encode())
        assert not may_hold_labels(file), fmt
        other = file.with_suffix(".txt")
        other.write_bytes(file.read_bytes())
        assert not may_hold_labels(other), fmt


def test_a_report_is_written_again(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    for name in ("report.html", "report.csv", "report.txt", "report.md", "report.parquet"):
        for _ in range(2):
            ran = consilience("rank", "votes.csv", "--no-save", "-o", name)
            assert ran.code == 0, ran.err
    Path("report.csv").write_text(Path("report.csv").read_text().replace("caveat", "label", 1))
    assert consilience("rank", "votes.csv", "-o", "report.csv").code == 2


# New files in folders that are read


@pytest.mark.parametrize(
    ("words", "target", "free"),
    [
        ("rank runs --truth qrels.txt -f csv", "runs/out.csv", "out.csv"),
        ("rank runs --truth qrels.txt -f csv", "runs/votes.csv", "votes-2.csv"),
        ("rank runs --truth qrels.txt", "runs/bm25.run.html", "bm25.run.html"),
        ("rank sides -f csv", "sides/new/out.csv", "out.csv"),
        ("rank sides -f csv", "sides/out.csv", "out.csv"),
        ("next runs --budget 3", "runs/labels-9.csv", "labels-9.csv"),
        ("convert runs", "runs/made.parquet", "made.parquet"),
    ],
)
def test_a_new_file_does_not_go_among_the_inputs(
    words: str, target: str, free: str, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files)
    for side in ("a", "b"):
        Path("sides", side).mkdir(parents=True)
        Path("sides", side, "q.txt").write_text(f"one\ntwo\nonly {side}\n")
    output = [target] if words.startswith("convert") else ["-o", target]
    ran = consilience(*words.split(), *output)
    assert ran.code == 2, ran
    assert f"the folder {target.split('/')[0]} is an input" in ran.err
    assert f"(fix: write to {free})" in ran.err
    assert not Path(target).exists()


def test_instead_of_an_input_in_a_folder_a_place_outside_is_proposed(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files / "runs")
    ran = consilience("rank", ".", "-f", "csv", "-o", "bm25.run")
    assert ran.code == 2
    assert "this is an input" in ran.err
    assert "(fix: write to ../bm25.run)" in ran.err


def test_a_new_list_lies_beside_earlier_labels(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(files / "labelling")
    Path("done").mkdir()
    shutil.move("labels-1.csv", "done")
    ran = consilience(
        *("next", "votes.csv", "--truth", "done", "--budget", "3", "-o", "done/labels-2.csv")
    )
    assert ran.code == 0, ran.err


# Writing


CURVE = ("curve", DOCS / "airplanes.csv", "--no-save", "-f", "csv")


def test_a_replaced_file_keeps_its_rights_and_its_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("k,precision,recall\n1,1.0,0.5\n")
    real.chmod(0o640)
    link.symlink_to(real.name)
    assert consilience(*CURVE, "-o", link).code == 0
    assert link.is_symlink()
    assert len(real.read_text().splitlines()) > 2
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


def test_a_new_file_behind_a_link_is_made(tmp_path: Path) -> None:
    link = tmp_path / "link.csv"
    link.symlink_to("not-yet.csv")
    assert consilience(*CURVE, "-o", link).code == 0
    assert (tmp_path / "not-yet.csv").read_text().startswith("k,precision")


@pytest.mark.parametrize("when", ["fsync", "replace"])
def test_what_fails_leaves_the_old_file(
    when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    target = tmp_path / "old.csv"
    target.write_text("old")
    if when == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(ConsilienceError, match="cannot be written: No space left"):
        store.write(target, b"new")
    assert [one.name for one in tmp_path.iterdir()] == ["old.csv"]
    assert target.read_text() == "old"


def test_tables_go_where_a_link_points_to(tmp_path: Path) -> None:
    unpacked = consilience("unpack", DOCS / "search.zip", tmp_path / "study.db")
    assert unpacked.code == 0, unpacked.err
    (tmp_path / "real").mkdir(mode=0o750)
    (tmp_path / "link").symlink_to("real")
    ran = consilience("pack", tmp_path / "study.db", "--tables", "csv", "-o", tmp_path / "link")
    assert ran.code == 0, ran.err
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "answers.csv").is_file()
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o750


def test_examples_of_the_documentation_replace_none_of_its_files() -> None:
    pages = [DOCS.parents[1] / "README.md", *DOCS.parent.glob("*.md")]
    for page in pages:
        named = re.findall(r"^\$ .*?(?:-o|>) *(\S+)", page.read_text(encoding="utf-8"), re.M)
        assert not [name for name in named if (DOCS / name).is_file()], page


def test_a_fifo_is_written_to(tmp_path: Path) -> None:
    fifo = tmp_path / "out.csv"
    os.mkfifo(fifo)
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_text()))
    reader.start()
    assert consilience(*CURVE, "-o", fifo).code == 0
    reader.join(timeout=30)
    assert got[0].startswith("k,precision")
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "-"])
def test_standard_output_can_be_named(name: str, tmp_path: Path) -> None:
    piped = own_process(*CURVE, "-o", name)
    assert (piped.code, piped.out[:11]) == (0, "k,precision")
    target = tmp_path / "out.csv"
    target.write_text("before\n")
    with target.open("ab") as stream:
        args = [sys.executable, "-m", "consilience", *map(str, CURVE), "-o", name]
        subprocess.run(args, stdout=stream, stderr=subprocess.PIPE, check=True)
    assert target.read_text().startswith("before\nk,precision")


def test_nothing_can_be_written_to() -> None:
    assert consilience(*CURVE, "-o", "/dev/null").code == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_folder_is_refused_before_the_work(tmp_path: Path) -> None:
    ran = consilience("rank", "nowhere.csv", "-o", tmp_path, "-f", "csv")
    assert ran.code == 2
    assert "is a folder" in ran.err


def test_a_format_that_the_ending_does_not_tell_is_refused_before_the_work() -> None:
    ran = consilience("rank", "nowhere.csv", "-o", "out.xyz")
    assert ran.code == 2
    assert "the ending does not tell the format" in ran.err


# What the system refuses


def test_what_cannot_be_read_is_not_called_unwritable(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OSError(errno.EIO, "Input/output error", "votes.csv")

    monkeypatch.setattr("consilience.study.read", broken)
    ran = consilience("curve", DOCS / "airplanes.csv")
    assert ran.code == 1
    assert ran.err == "error: votes.csv: Input/output error\n"


def test_a_full_disk_is_called_so() -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "consilience", *map(str, CURVE)],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, b"error: cannot write: No space left on device\n")


# Databases


def test_files_that_cannot_be_read_leave_no_project_behind(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("query,item\nq1\n")
    for _ in range(2):
        ran = consilience("serve", "bad.csv", "-d", "x.db", "--no-browser", cwd=tmp_path)
        assert ran.code == 2, ran
    ran = consilience("pack", "x.db", cwd=tmp_path)
    assert "holds no project yet" in ran.err


def test_a_database_is_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name in ("/dev/null", "fifo"):
        for verb in (["label", "Ann"], ["serve", "--no-browser"]):
            ran = consilience(*verb, "-d", name, cwd=tmp_path)
            assert (ran.code, "a database is a file" in ran.err) == (2, True), ran
