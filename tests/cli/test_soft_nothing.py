"""Nothing found is an answer: recall 0, precision undefined; no gold: recall undefined."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from consilience.cli.soft import command
from consilience.errors import EmptyError, InputError, UsageError
from consilience.match.lists import kind_of_files
from consilience.study import read

EVENTS = "filename\tonset\toffset\tevent_label\n"
BOXES = "image,x,y,w,h,class,score\n"
TRUTH = {
    "images": [{"id": 1}, {"id": 2}],
    "categories": [{"id": 1, "name": "cat"}],
    "annotations": [{"id": 1, "image_id": 1, "category_id": 1, "bbox": [0, 0, 10, 10]}],
}
#: Files that hold something, and what such a file is compared as.
FULL = {
    "two.rttm": "SPEAKER r1 1 0 2 <NA> <NA> a <NA>\nSPEAKER r2 1 0 2 <NA> <NA> b <NA>\n",
    "events.tsv": EVENTS + "a.wav\t0\t1\tdog\nb.wav\t2\t3\tcat\n",
    "boxes.csv": BOXES + "1,0,0,10,10,cat,0.5\n2,0,0,10,10,cat,0.5\n",
    "truth.json": json.dumps(TRUTH),
    "tracks.csv": "track,lon,lat\na,11,48\na,11.01,48.01\n",
    "items.csv": "document,item\nd1,cafe\nd1,bar\nd2,hotel\n",
    "list.txt": "cafe\nbar\n",
    "lists.json": '{"d1": ["cafe"], "d2": ["bar"]}',
}
KINDS = {"two.rttm": "segments", "events.tsv": "segments", "boxes.csv": "boxes"}
KINDS |= {"truth.json": "boxes", "tracks.csv": "tracks"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FULL.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "empty").write_text("")
    (tmp_path / "blank.txt").write_text(" \n\n")
    (tmp_path / "events-none.tsv").write_text(EVENTS)
    (tmp_path / "boxes-none.csv").write_text(BOXES)
    (tmp_path / "tracks-none.csv").write_text("track,lon,lat\n")
    (tmp_path / "items-none.csv").write_text("document,item\n")
    (tmp_path / "none.json").write_text("[]\n")
    (tmp_path / "lists-none.json").write_text('{"d1": [], "d2": []}')
    (tmp_path / "none.tsv.gz").write_bytes(gzip.compress(EVENTS.encode(), mtime=0))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def soft(*asked: str) -> dict[str, Any]:
    command.main([*asked, "--json", "-o", "out.json", "--no-save"], standalone_mode=False)
    made: dict[str, Any] = json.loads(Path("out.json").read_text())
    return made


PAIRS = [
    *(("two.rttm", "empty"), ("two.rttm", "events-none.tsv"), ("events.tsv", "events-none.tsv")),
    *(("events.tsv", "none.tsv.gz"), ("boxes.csv", "boxes-none.csv"), ("boxes.csv", "empty")),
    *(("truth.json", "none.json"), ("truth.json", "blank.txt"), ("truth.json", "boxes-none.csv")),
    *(("tracks.csv", "tracks-none.csv"), ("tracks.csv", "none.json"), ("tracks.csv", "empty")),
    *(("items.csv", "items-none.csv"), ("items.csv", "none.json"), ("items.csv", "blank.txt")),
    *(("list.txt", "items-none.csv"), ("lists.json", "lists-none.json"), ("list.txt", "empty")),
]


@pytest.mark.parametrize(("full", "none"), PAIRS)
def test_nothing_found_is_an_answer(place: Path, full: str, none: str):
    assert kind_of_files(full, none) == KINDS.get(full, "text")
    found = soft(full, none)
    assert (found["precision"], found["recall"], found["f1"]) == (None, 0, 0)
    assert found["undefined"]["precision"]
    missing = soft(none, full)
    assert (missing["precision"], missing["recall"], missing["f1"]) == (0, None, 0)
    assert missing["undefined"]["recall"]


def test_neither_side_holds_anything(place: Path):
    for one in ("empty", "events-none.tsv", "boxes-none.csv", "tracks-none.csv", "none.json"):
        made = soft(one, one)
        assert made["precision"] is made["recall"] is made["f1"] is None


def test_a_folder_of_images_without_boxes(place: Path):
    for folder in ("true", "found"):
        (place / folder).mkdir()
        for image in ("1.txt", "2.txt"):
            (place / folder / image).write_text("")
    (place / "true" / "1.txt").write_text("cat 0.5 0.5 10 10\ncat 20.5 0 10 10\n")
    assert kind_of_files("true", "found") == "boxes"
    made = soft("true", "found")
    assert (made["precision"], made["recall"]) == (None, 0)
    # one empty image among others: the others are read, and this one has no box
    study = read(place / "true")
    assert (study.systems, len(study.queries), len(study.answers.item)) == (("true",), 2, 2)


@pytest.mark.parametrize("name", ["empty", "events-none.tsv", "boxes-none.csv", "items-none.csv"])
def test_other_verbs_say_that_a_file_is_empty(place: Path, name: str):
    with pytest.raises(InputError):
        read(name)
    with pytest.raises(InputError):
        read(["list.txt", name])


def test_a_file_named_twice_is_complained_of_once(place: Path):
    with pytest.raises(UsageError) as error:
        soft("nowhere.txt", "nowhere.txt")
    assert str(error.value).count("there is no such file") == 1
    assert not isinstance(error.value, EmptyError)


def test_the_encoding_that_a_message_advises_is_taken(place: Path):
    line = FULL["two.rttm"].splitlines()[0].replace(" a ", " \xe9va ")
    Path("latin.rttm").write_text(line + "\n", encoding="latin-1")
    Path("latin.uem").write_text("r1 1 0 1\n; \xe9\n", encoding="latin-1")
    with pytest.raises(UsageError, match="--encoding latin-1"):
        soft("latin.rttm", "latin.rttm")
    made = soft("latin.rttm", "latin.rttm", "--encoding", "latin-1", "--region", "latin.uem")
    assert (made["recall"], made["classes"][0]["name"]) == (1, "\xe9va")
    Path("latin.csv").write_text(BOXES + "1,0,0,10,10,ch\xeane,0.5\n", encoding="latin-1")
    made = soft("latin.csv", "latin.csv", "--encoding", "latin-1")
    assert made["recall"] == 1


@pytest.mark.parametrize("name", ["two.rttm", "boxes.csv"])
@pytest.mark.parametrize("option", ["case=fold", "unicode=nfc", "space=keep", "columns=item=foo"])
def test_options_for_text_are_refused(place: Path, name: str, option: str):
    asked, value = option.split("=", 1)
    with pytest.raises(UsageError, match=f"leave --{asked} out") as error:
        soft(name, name, f"--{asked}", value)
    assert "--similarity" not in str(error.value)


def test_gold_and_predicted_of_one_name_where_one_of_them_is_empty(place: Path):
    for folder, text in (("gold", FULL["events.tsv"]), ("mine", EVENTS)):
        (place / folder).mkdir()
        (place / folder / "a.tsv").write_text(text)
    made = soft("gold/a.tsv", "mine/a.tsv")
    assert (made["precision"], made["recall"], made["documents"]) == (None, 0, 2)
    made = soft("mine/a.tsv", "gold/a.tsv")
    assert (made["precision"], made["recall"], made["documents"]) == (0, None, 2)
