"""Files are brought as `check` reads them: the same recognition, the same errors, or nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

import consilience as cs
from consilience.errors import InputError
from consilience.store.projects import project
from tests.web.asked import html
from tests.web.served import Served, Watched


def upload(client: httpx.Client, slug: str, role: str = "answers", **files: str) -> httpx.Response:
    sent = [("files", (name.replace("__", "."), text.encode())) for name, text in files.items()]
    return client.post(f"/p/{slug}/upload", files=sent, data={"role": role})


@pytest.fixture
def slug(client: httpx.Client) -> str:
    made = client.post("/projects", data={"name": "files"}).raise_for_status()
    return str(made.json()["slug"])


def ready(client: httpx.Client, slug: str) -> dict[str, Any]:
    """Wait until the overview is computed."""
    while True:
        data: dict[str, Any] = client.get(f"/p/{slug}/overview.json").raise_for_status().json()
        if not data["reading"] and (data["computed"] is None or data["computed"]["job"] is None):
            return data


def test_the_overview_tells_what_check_tells(
    client: httpx.Client, make_project: Any, files: Path
) -> None:
    from click.testing import CliRunner

    from consilience.cli import group

    named = {name: (files / "runs" / name).read_bytes() for name in ("bm25.run", "dense.run")}
    slug = make_project("runs", named, {"qrels.txt": (files / "qrels.txt").read_bytes()})
    told = ready(client, slug)["facts"]
    paths = [str(files / "runs" / name) for name in named]
    done = CliRunner().invoke(
        group, ["check", *paths, "--truth", str(files / "qrels.txt"), "--json"]
    )
    checked = json.loads(done.stdout)
    for fact in ("condition", "why", "judged", "queries", "systems", "judges", "can", "cannot"):
        assert told[fact] == checked[fact], fact
    short = [{**one, "file": Path(one["file"]).name} for one in checked["files"]]
    assert told["files"] == short


def test_a_bad_file_gets_checks_message_and_nothing_is_kept(
    client: httpx.Client, slug: str, tmp_path: Path
) -> None:
    text = "item,system,vote\nd1,A,7\nd2,A\n"
    answer = upload(client, slug, bad__csv=text)
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(InputError) as raised:
        cs.read(tmp_path / "bad.csv")
    assert answer.status_code == 422
    assert answer.json()["error"] == str(raised.value).replace(f"{tmp_path}/", "")
    assert ready(client, slug)["sources"] == []


def test_the_second_file_must_fit_the_first(client: httpx.Client, slug: str) -> None:
    assert upload(client, slug, a__csv="item,system,vote\nd1,A,1\n").status_code == 200
    ready(client, slug)
    answer = upload(client, slug, b__csv="item,system,vote\nd1,A,0\n")
    assert answer.status_code == 422
    assert "b.csv" in answer.json()["error"]
    assert [one["name"] for one in ready(client, slug)["sources"]] == ["a.csv"]


def test_nothing_is_left_of_what_was_put_aside(
    app: Served, client: httpx.Client, slug: str
) -> None:
    upload(client, slug, a__csv="item,system,vote\nd1,A,1\n")
    upload(client, slug, bad__csv="item,system,vote\nd1,A,7\n")
    ready(client, slug)
    assert app.db.files is not None
    assert not [*app.db.files.glob(".consilience-upload-*")]


@pytest.mark.parametrize("name", ["../../etc/passwd", "C:\\x\\..\\run.csv", "a/b/../../c.csv"])
def test_names_of_files_are_names_only(client: httpx.Client, slug: str, name: str) -> None:
    sent = [("files", (name, b"item,vote\nd1,1\n"))]
    client.post(f"/p/{slug}/upload", files=sent).raise_for_status()
    (source,) = ready(client, slug)["sources"]
    assert source["name"] == name.replace("\\", "/").rpartition("/")[2]


def test_a_file_can_be_left_out_and_taken_in_again(client: httpx.Client, slug: str) -> None:
    upload(client, slug, a__csv="item,system,vote\nd1,A,1\n")
    upload(client, slug, b__csv="item,system,vote\nd1,B,1\n")
    (first, _) = ready(client, slug)["sources"]
    address = f"/p/{slug}/sources/{first['id']}/aside"
    client.post(address, data={"aside": "true"}).raise_for_status()
    assert [one["name"] for one in ready(client, slug)["facts"]["systems"]] == ["B"]
    client.post(address, data={"aside": "false"}).raise_for_status()
    assert [one["name"] for one in ready(client, slug)["facts"]["systems"]] == ["A", "B"]


def test_older_facts_are_told_as_such_and_none_where_no_file_counts(
    client: httpx.Client, slug: str
) -> None:
    upload(client, slug, a__csv="item,system,vote\nd1,A,1\n")
    upload(client, slug, b__csv="item,system,vote\nd1,B,1\n")
    told = ready(client, slug)
    assert told["since"] is None
    for source in told["sources"]:
        client.post(f"/p/{slug}/sources/{source['id']}/aside", data={"aside": "true"})
        if source is told["sources"][0]:
            shown = html(client, f"/p/{slug}/overview")
            assert "The study has changed 1 time since: computing. Below is the result" in shown
    told = ready(client, slug)
    assert (told["facts"], told["computed"]) == (None, None)
    shown = html(client, f"/p/{slug}/overview")
    assert "All files are left out" in shown
    assert "What can be computed" not in shown


def test_files_are_chosen_and_read_in_the_browser(
    app: Served, page: Page, watched: Watched, files: Path
) -> None:
    page.goto(app.url)
    page.get_by_label("Name").fill("By hand")
    page.get_by_role("button", name="Begin").click()
    page.get_by_label("Files: choose them").set_input_files(
        [files / "runs" / "bm25.run", files / "runs" / "dense.run"]
    )
    page.get_by_role("button", name="Read them").click()
    read = page.get_by_role("region", name="What was read")
    expect(read.get_by_role("row", name="bm25.run")).to_be_visible()
    page.get_by_label("Files: choose them").set_input_files(
        {"name": "bad.csv", "mimeType": "text/csv", "buffer": b"item,system,vote\nd1,A,7\n"}
    )
    page.get_by_label("Encoding").fill("utf-8")
    page.get_by_role("button", name="Read them").click()
    beside = page.locator("form.drop").get_by_role("alert")
    expect(beside).to_contain_text("bad.csv:2: vote must be a vote from 0 to 1")
    expect(page.get_by_label("Encoding")).to_have_value("utf-8")
    expect(page.get_by_role("button", name="Read them")).to_be_enabled()
    watched.expect("422")


def test_a_job_that_is_cancelled_says_so_where_it_stood(
    app: Served, client: httpx.Client, make_project: Any, files: Path
) -> None:
    slug = make_project("Stopped", {"bm25.run": (files / "runs" / "bm25.run").read_bytes()})
    job = app.jobs.start(project(app.db, slug), "rank", {"samples": 10**7})
    said = client.post(f"/jobs/{job.id}/cancel", headers={"hx-request": "true", "accept": "*/*"})
    assert said.status_code == 200
    assert "hx-redirect" not in said.headers
    assert "Cancelled" in said.text
    assert "<html" not in said.text


def test_texts_and_pictures_of_items_are_brought_in_the_same_way(
    client: httpx.Client, slug: str
) -> None:
    upload(client, slug, a__csv="query,item,system,vote\nq1,d1,A,1\nq1,d2,A,1\n")
    picture = b"\x89PNG\r\n\x1a\n" + b"\0" * 20
    sent = [
        ("files", ("texts.csv", b"item,text\nd1,<b>bold</b>\n")),
        ("files", ("topics.csv", b"query,text\nq1,what is it?\n")),
        ("files", ("d2.png", picture)),
    ]
    client.post(f"/p/{slug}/upload", files=sent, data={"role": "content"}).raise_for_status()
    counts = ready(client, slug)["content"]
    assert counts == {"item texts": 1, "query texts": 1, "pictures": 1}
    sent = [("files", ("evil.svg", b"<svg onload='alert(1)'/>"))]
    answer = client.post(f"/p/{slug}/upload", files=sent, data={"role": "content"})
    assert answer.status_code == 422
    assert "evil.svg" in answer.json()["error"]
