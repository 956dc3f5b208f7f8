"""Soft match as programs and plain forms see it: figures, states, limits, errors, files."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

import consilience as cs
from consilience.web import soft_choices as choices
from consilience.web.soft_choices import Asked, check_choices, options
from tests.cli.command import consilience
from tests.web.served import Served

GOLD = ["cafe", "pizza", "hotel"]
PREDICTED = ["cafe", "coffee", "caffe", "pizza", "plaza"]
LISTS = {"gold": "\n".join(GOLD), "predicted": "\n".join(PREDICTED)}
FIGURES = ("precision", "recall", "f1")
NASTY = '<img src=x onerror="alert(1)">'


def asked(client: httpx.Client, status: int = 200, /, **given: str) -> dict[str, Any]:
    """Ask by the address and by the form; both say the same."""
    by_address = client.get("/soft.json", params=given)
    by_form = client.post("/soft.json", data=given)
    assert by_address.status_code == by_form.status_code == status
    one, other = dict(by_address.json()), dict(by_form.json())
    for made in (one, other):
        if made["payload"]:
            made["payload"] = {**made["payload"], "created": ""}
    assert one == other
    return one


def figures(payload: dict[str, Any]) -> list[float]:
    return [payload[name] for name in FIGURES]


def test_the_figures_are_the_library_s(client: httpx.Client) -> None:
    """The paper's Café: precision .90, recall .83 (Fränti and Mariescu-Istodor 2023, Table 3)."""
    told = asked(client, **LISTS, variant="paper")
    result = cs.soft(GOLD, PREDICTED, variant="paper")
    assert figures(told["payload"]) == [result.precision, result.recall, result.f1]
    assert [round(value, 2) for value in figures(told["payload"])] == [0.90, 0.83, 0.86]
    names = [one["name"] for one in told["figures"]]
    assert names == ["soft", "crisp", "crisp*", "by chance", "adjusted"]
    assert told["figures"][1]["f1"] == 0.5


CHOSEN: list[dict[str, str]] = [
    {},
    {"variant": "paper", "floor": "0.25"},
    {"mode": "instances", "threshold": "0.6"},
    {"similarity": "jaccard", "settings": "q=2,bag=yes", "case": "fold"},
    {"similarity": "monge-elkan", "settings": "inner=levenshtein", "unicode": "ascii"},
    {"similarity": "c-sim", "gold": "LINESTRING (11.5 48.1, 11.6 48.2)"},
]


@pytest.mark.parametrize("chosen", CHOSEN, ids=lambda one: one.get("similarity", str(len(one))))
def test_the_same_in_python_and_on_the_command_line(
    client: httpx.Client, chosen: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hard = {
        "gold": 'café "noir"\npizza\nO\'Hara\\n',
        "predicted": "Caffe noir\npizza\nplaza\nOHara",
    }
    given = {**hard, **chosen}
    if "LINESTRING" in given["gold"]:
        given["predicted"] = given["gold"]
    told = asked(client, **given)
    said: dict[str, Any] = {}
    exec(compile(told["code"]["python"], "page", "exec"), said)  # what the page shows, as it is
    assert figures(told["payload"]) == [getattr(said["result"], name) for name in FIGURES]
    assert said["result"].payload()["baselines"] == told["payload"]["baselines"]
    monkeypatch.chdir(tmp_path)
    for side in ("gold", "predicted"):
        Path(f"{side}.txt").write_text(given[side], "utf-8")
    _, *arguments = shlex.split(told["code"]["command"])
    ran = consilience(*arguments, "--json", "--no-save")
    assert ran.code == 0, ran.err
    assert figures(ran.json()) == figures(told["payload"])


def test_long_lists_are_read_from_files_in_the_snippet(
    client: httpx.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gold = "\n".join(f"word number {number}" for number in range(150))
    told = client.post("/soft.json", data={"gold": gold, "predicted": "word 7\nword x"}).json()
    assert told["link"] is None
    assert "gold" not in told["address"]
    monkeypatch.chdir(tmp_path)
    Path("gold.txt").write_text(gold)
    said: dict[str, Any] = {}
    exec(compile(told["code"]["python"], "page", "exec"), said)
    assert said["result"].f1 == told["payload"]["f1"]


def test_the_address_holds_the_state(client: httpx.Client) -> None:
    told = asked(client, **LISTS, similarity="dice", settings="q=3", threshold="0.55", case="fold")
    where = urlsplit(told["link"])
    assert where.path == "/soft"
    state = {name: one for name, (one,) in parse_qs(where.query).items()}
    assert asked(client, **state)["asked"] == told["asked"]
    page = client.get(told["link"], headers={"accept": "text/html"}).text
    assert 'value="dice" selected' in page
    assert "\ncafe\npizza\nhotel</textarea>" in page
    assert asked(client)["address"] == "/soft"  # what is usual needs no words


def test_the_example_is_the_paper_s(client: httpx.Client) -> None:
    example = asked(client)["example"]
    told = client.get(example.replace("/soft", "/soft.json", 1)).json()
    assert told["payload"]["sizes"] == {"gold": 3, "predicted": 5}
    assert told["asked"]["gold"].split() == GOLD


WRONG = [
    ({"similarity": "levenstein"}, "did you mean 'levenshtein'"),
    ({"similarity": "vectors"}, "needs a file"),
    ({"similarity": "jaccard", "settings": "q=x"}, "whole number"),
    ({"similarity": "jaccard", "settings": "r=2"}, "unknown setting"),
    ({"similarity": "levenshtein", "settings": "q=2"}, "no settings"),
    ({"similarity": "monge-elkan", "settings": "inner=vectors:of=/etc/passwd"}, "unknown sim"),
    ({"similarity": "minilm", "settings": "tokenizer=/etc/passwd"}, "unknown setting"),
    ({"similarity": "dice", "settings": "q=999999999,pad=yes"}, "from 0 to 50"),
    ({"similarity": "c-sim", "settings": "cell=0.001"}, "from 1 to"),
    ({"similarity": "needleman-wunsch", "settings": "match=nan"}, "from -1000 to 1000"),
    ({"floor": "2"}, r"number in \[0, 1\]"),
    ({"threshold": "nan"}, r"number in \[0, 1\]"),
    ({"floor": "half"}, "found 'half'"),
    ({"variant": "papers"}, "did you mean 'paper'"),
    ({"mode": "instances", "variant": "paper"}, "leave the variant out"),
    ({"unicode": "utf"}, "possible: nfc"),
    ({"similarity": "segments"}, "cafe"),
    ({"similarity": "c-sim", "case": "fold", "gold": "LINESTRING (1 2, 3 4)"}, "compares no text"),
]


@pytest.mark.parametrize(("chosen", "words"), WRONG)
def test_errors_stand_beside_what_was_typed(
    client: httpx.Client, chosen: dict[str, str], words: str
) -> None:
    given = {**LISTS, **chosen}
    if "LINESTRING" in given["gold"]:
        given["predicted"] = given["gold"]
    told = asked(client, 422, **given)
    assert re.search(words, told["error"])
    assert told["payload"] is None
    assert told["asked"]["gold"] == given["gold"]
    page = client.post("/soft", data=given, headers={"accept": "text/html"})
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert given["predicted"] in page.text
    alive = client.post("/soft", data=given, headers={"accept": "text/html", "hx-request": "true"})
    assert alive.status_code == 422
    assert "<textarea" not in alive.text


def test_lists_have_limits(client: httpx.Client) -> None:
    many = {"gold": "\n".join(map(str, range(choices.MOST + 1))), "predicted": "1"}
    told = client.post("/soft.json", data=many)
    assert told.status_code == 422
    assert "at most 2,000 here" in told.json()["error"]
    slow = {"gold": "a" * 5000, "predicted": "b" * 5000, "similarity": "smith-waterman"}
    told = client.post("/soft.json", data=slow)
    assert told.status_code == 422
    assert "2 items with 10,000 letters are" in told.json()["error"]
    assert "2,000 items a side" in client.get("/soft").text


def test_one_side_may_be_empty(client: httpx.Client) -> None:
    told = asked(client, gold="cafe")
    assert told["payload"]["precision"] is None
    assert told["payload"]["recall"] == 0
    assert "–" in client.get("/soft?gold=cafe").text
    assert asked(client, gold="\n \n")["payload"] is None


def test_files_are_recognised(client: httpx.Client) -> None:
    gold = ("../../gold.csv", b"item\ncafe\npizza\nhotel\n")
    lists = {"gold_file": gold, "predicted_file": ("p.txt", "\n".join(PREDICTED).encode())}
    told = client.post("/soft.json", files=lists).raise_for_status().json()
    assert figures(told["payload"]) == figures(asked(client, **LISTS)["payload"])
    assert told["asked"]["gold"].split() == GOLD
    assert told["filled"] == ["gold", "predicted"]
    assert [one["file"] for one in told["payload"]["inputs"]] == ["gold.csv", "p.txt"]
    mixed = client.post(
        "/soft.json", files={"gold_file": gold}, data={"predicted": LISTS["predicted"]}
    ).json()
    assert figures(mixed["payload"]) == figures(told["payload"])


def test_tables_of_documents_are_compared_document_by_document(client: httpx.Client) -> None:
    files = {
        f"{side}_file": (f"{side}.csv", cs.example(name).read_bytes())
        for side, name in (
            ("gold", "keyphrases-gold.csv"),
            ("predicted", "keyphrases-multi-rake.csv"),
        )
    }
    told = client.post("/soft.json", files=files).raise_for_status().json()
    assert told["payload"]["documents"] == 60
    assert told["files"]["gold"] == "gold.csv"
    assert told["link"] is None
    assert 'gold = "gold.csv"' in told["code"]["python"]
    one = {"gold_file": files["gold_file"]}
    wrong = client.post("/soft.json", files=one, data={"predicted": "a"})
    assert wrong.status_code == 422
    assert "holds 60 documents" in wrong.json()["error"]


def test_wrong_files_are_refused(client: httpx.Client, app: Served) -> None:
    rttm = b"SPEAKER f 1 0.0 1.0 <NA> <NA> ann <NA> <NA>\n"
    both = dict.fromkeys(("gold_file", "predicted_file"), ("a.rttm", rttm))
    told = client.post("/soft.json", files=both)
    assert told.status_code == 422
    assert "choose the similarity segments" in told.json()["error"]
    fine = client.post("/soft.json", files=both, data={"similarity": "segments"})
    assert fine.raise_for_status().json()["payload"]["f1"] == 1
    two = [("gold_file", ("a.txt", b"a")), ("gold_file", ("b.txt", b"b"))]
    assert "one file a side" in client.post("/soft.json", files=two).json()["error"]
    broken = client.post("/soft.json", files={"gold_file": ("b.csv", b"item,x\n1\n")}).json()
    assert "b.csv" in broken["error"]
    assert "-upload-" not in broken["error"]
    assert app.db.files is not None
    assert not [*app.db.files.glob(".consilience-*")]


def test_a_live_page_gets_the_result_alone(client: httpx.Client) -> None:
    headers = {"accept": "text/html", "hx-request": "true"}
    made = client.post("/soft", data={**LISTS, "variant": "paper"}, headers=headers)
    assert "<html" not in made.text
    assert 'data-figure="soft f1">0.862' in made.text
    assert made.headers["hx-replace-url"].endswith("variant=paper")
    assert 'id="about"' in made.text
    assert 'hx-swap-oob="true"' in made.text


def test_a_form_goes_on_to_an_address(client: httpx.Client) -> None:
    html = {"accept": "text/html"}
    made = client.post("/soft", data={**LISTS, "case": "fold"}, headers=html)
    assert made.status_code == 303
    assert made.headers["location"] == asked(client, **LISTS, case="fold")["link"]
    long = client.post("/soft", data={**LISTS, "gold": "a\n" * 1500}, headers=html)
    assert long.status_code == 200
    assert "There is no link to this" in long.text


def test_items_stay_text(client: httpx.Client) -> None:
    nasty = {"gold": f"{NASTY}\n</textarea><script>x</script>", "predicted": f"{NASTY}\n</script>"}
    page = client.get("/soft", params=nasty).text
    assert "<img" not in page
    assert "<script>x" not in page
    assert page.count("</textarea>") == 2


def test_every_similarity_has_a_word() -> None:
    from consilience.match.names import SIMILARITIES

    told = options()["similarities"]
    assert {one["name"] for one in told} == {*SIMILARITIES}
    assert all(one["word"] for one in told)
    for one in told:
        if one["missing"] is None:
            settings = ",".join(f"{key}={value}" for key, value in one["settings"].items())
            check_choices(Asked(similarity=one["name"], settings=settings))


def test_models_that_are_not_there_are_shown_with_what_they_need(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "find_spec", lambda name: None)
    page = client.get("/soft").text
    assert re.search(r'value="wordllama" disabled>wordllama: pip install', page)
    told = asked(client, 422, **LISTS, similarity="minilm")
    assert "consilience[minilm]" in told["error"]
