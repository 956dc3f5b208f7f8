"""Everything as a file: downloads of archives and tables, and archives that come in."""

from __future__ import annotations

import io
import json
import threading
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from consilience.store.content import add_items, add_picture
from consilience.store.projects import project as fetch_project
from consilience.store.projects import projects
from consilience.store.studies import study_of
from consilience.web import archives
from consilience.web.archives import Workshop
from consilience.web.jobs import Jobs
from tests.store.archived import edited_row, pictures_on_disk, rewritten
from tests.web.asked import QRELS, RUNS
from tests.web.served import PROGRAM, Served, Watched, serving


@pytest.fixture(scope="module")
def slug_of() -> dict[str, str]:
    return {}


@pytest.fixture
def slug(make_project: Any, slug_of: dict[str, str]) -> str:
    """A project with answers and judgments, made once."""
    if not slug_of:
        slug_of["made"] = make_project("Everything <b>", RUNS, QRELS)
    return slug_of["made"]


def made(client: httpx.Client, slug: str, form: str) -> httpx.Response:
    """Have a file made, and fetch it."""
    told = client.post(f"/p/{slug}/archive", data={"form": form}).raise_for_status().json()
    while client.get(f"/jobs/{told['job']['id']}.json").json()["job"]["state"] != "done":
        pass
    return client.get(told["file"]).raise_for_status()


def test_there_and_back(client: httpx.Client, app: Served, slug: str) -> None:
    answer = made(client, slug, "archive")
    assert answer.headers["content-type"] == "application/zip"
    assert answer.headers["content-disposition"] == f'attachment; filename="{slug}.zip"'
    assert "default-src 'self'" in answer.headers["content-security-policy"]
    told = client.post("/archives", files={"archive": ("copy.zip", answer.content)})
    brought = told.raise_for_status().json()["slug"]
    assert brought == f"{slug}-2"
    one, two = (fetch_project(app.db, name) for name in (slug, brought))
    assert study_of(app.db, one).fingerprint() == study_of(app.db, two).fingerprint()
    assert client.get(f"/p/{brought}/overview.json").status_code == 200


@pytest.mark.parametrize("form", ["csv", "parquet", "qrels", "label-studio"])
def test_tables(client: httpx.Client, slug: str, form: str) -> None:
    answer = made(client, slug, form)
    assert answer.headers["content-disposition"] == f'attachment; filename="{slug}-{form}.zip"'
    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    expected = {"qrels": "annotators.csv", "label-studio": "tasks.json"}
    assert expected.get(form, f"answers.{form}") in names


def test_what_is_not_there(client: httpx.Client, slug: str) -> None:
    assert client.post(f"/p/{slug}/archive", data={"form": "xls"}).status_code == 422
    assert client.post("/p/nothing/archive", data={"form": "csv"}).status_code == 404
    assert client.get(f"/p/{slug}/archive/999999.zip").status_code == 404
    told = client.post(f"/p/{slug}/archive").json()
    other = client.post("/projects", data={"name": "Other"}).json()["slug"]
    assert client.get(told["file"].replace(slug, other)).status_code == 404
    assert client.get(f"/p/{other}/archive.json?job={told['job']['id']}").json()["job"] is None
    empty = client.post(f"/p/{other}/archive", data={"form": "qrels"})
    assert empty.status_code == 422
    assert "nobody has judged anything yet" in empty.json()["error"]


def test_bad_archives_are_told_by_their_owners_name(
    client: httpx.Client, app: Served, slug: str, tmp_path: Path
) -> None:
    (tmp_path / "good.zip").write_bytes(made(client, slug, "archive").content)
    bad = rewritten(
        tmp_path / "good.zip", tmp_path / "bad.zip", edited_row("project", 1, name="a\0b")
    )
    before = len(projects(app.db)), pictures_on_disk(app.db)
    for content, said in (
        (b"text", "mine.zip: this is no .zip that can be read: its end is missing"),
        (bad.read_bytes(), "mine.zip: tables/project.jsonl, line 1: name holds a NUL"),
        (b"", "mine.zip: this is no .zip"),
    ):
        answer = client.post("/archives", files={"archive": ("../../mine.zip", content)})
        assert answer.status_code == 422
        assert answer.json()["error"].startswith(said)
        assert "(fix: " in answer.json()["error"]
    assert (len(projects(app.db)), pictures_on_disk(app.db)) == before
    assert client.post("/archives").status_code == 422


def test_only_the_organiser(tmp_path: Path) -> None:
    with serving(tmp_path / "study.db", token="a-token-that-nobody-guesses") as guarded:
        asked = ("get", "/p/x/archive.json"), ("post", "/archives"), ("post", "/p/x/remove")
        for method, path in asked:
            answer = httpx.request(method, guarded.url + path, headers=PROGRAM)
            assert answer.status_code == 401
    with serving(tmp_path / "study.db", upload=1000) as small:
        sent = {"archive": ("x.zip", bytes(5000))}
        few = {"archive": ("x.zip", bytes(50))}
        assert httpx.post(small.url + "/archives", files=few).status_code == 403, "no program"
        assert httpx.post(small.url + "/archives", files=sent, headers=PROGRAM).status_code == 413


def test_the_same_file_is_not_made_twice_and_a_change_makes_a_new_one(
    client: httpx.Client, app: Served, slug: str
) -> None:
    def asked(form: str = "archive") -> str:
        told = client.post(f"/p/{slug}/archive", data={"form": form}).raise_for_status().json()
        assert app.jobs.find(told["job"]["id"]).ended.wait(60)
        return str(told["file"])

    first = asked()
    assert (asked(), asked("csv") != first, asked()) == (first, True, first)
    version = fetch_project(app.db, slug).version
    add_items(app.db, fetch_project(app.db, slug), [("a-new-one", "its text")])
    assert fetch_project(app.db, slug).version == version
    later = asked()
    assert later != first
    assert client.get(later).content != client.get(first).content


def test_files_of_a_project_that_is_gone_are_not_those_of_the_next(client: httpx.Client) -> None:
    def begun() -> str:
        return str(
            client.post("/projects", data={"name": "Gone"}).raise_for_status().json()["slug"]
        )

    slug = begun()
    told = client.post(f"/p/{slug}/archive").raise_for_status().json()
    assert client.get(told["file"]).status_code == 200
    client.post(f"/p/{slug}/remove", data={"name": "Gone"}).raise_for_status()
    assert begun() == slug
    assert client.get(told["file"]).status_code == 404
    assert client.get(f"/p/{slug}/archive.json?job={told['job']['id']}").json()["job"] is None


def test_old_files_go_with_their_jobs_and_none_while_it_is_made(
    app: Served, slug: str, tmp_path: Path
) -> None:
    of = fetch_project(app.db, slug)
    jobs, here = Jobs(app.db), Workshop(tmp_path / "made")
    jobs._thread = threading.current_thread()  # nothing is begun
    many = [here.make(jobs, of, "csv", name="x", state=str(n)) for n in range(archives.STAY + 3)]
    assert [*here.made] == [job.id for job in many], "none has ended"
    for job in many[:3]:
        here.made[job.id].path.write_bytes(b"x")
        jobs._end(job, "done", None)
    assert here.make(jobs, of, "csv", name="x", state="0") is many[0]
    assert here.make(jobs, of, "csv", name="x", state="9") is many[9]
    last = here.make(jobs, of, "csv", name="x", state="last")
    assert [*here.made] == [job.id for job in (*many[3:], last)]
    assert [jobs.find(job.id) for job in many[:3]] == [None] * 3
    assert not [*here.folder.iterdir()]


def test_in_a_browser(page: Page, app: Served, slug: str, watched: Watched, tmp_path: Path) -> None:
    page.goto(f"{app.url}/p/{slug}/reports")
    page.get_by_role("link", name="All of this project as a file").click()
    expect(page.get_by_role("heading", name="Everything as a file")).to_be_visible()
    for _ in range(2):  # the page stays, and its buttons work once more
        with page.expect_download() as download:
            page.get_by_role("button", name="Download: One archive").click()
        assert download.value.suggested_filename == f"{slug}.zip"
    download.value.save_as(tmp_path / "mine.zip")
    page.get_by_role("link", name="first page").click()
    page.get_by_label("Archive (.zip)").set_input_files(tmp_path / "mine.zip")
    page.get_by_role("button", name="Bring it").click()
    page.wait_for_url(f"{app.url}/p/{slug}-*/overview")
    expect(page.get_by_text("Everything <b>").first).to_be_visible()
    (tmp_path / "bad.zip").write_bytes((tmp_path / "mine.zip").read_bytes()[:-300])
    page.goto(app.url)
    page.get_by_label("Archive (.zip)").set_input_files(tmp_path / "bad.zip")
    page.get_by_role("button", name="Bring it").click()
    expect(page.get_by_role("alert")).to_contain_text("bad.zip: this is no .zip that can be read")
    watched.expect("the server responded with a status of 422")


def test_work_that_takes_longer(
    page: Page, client: httpx.Client, app: Served, slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.jobs, "patience", 0.0)
    page.goto(f"{app.url}/p/{slug}/archive")
    page.get_by_role("button", name="Download: Tables as CSV").click()
    ready = page.get_by_role("link", name=f"Download {slug}-csv.zip")
    expect(ready).to_be_visible()
    with page.expect_download() as download:
        ready.click()
    with zipfile.ZipFile(download.value.path()) as tables:
        assert "everything/answers.csv" in tables.namelist()
    page.goto(app.url)
    page.get_by_label("Archive (.zip)").set_input_files(
        {
            "name": "x.zip",
            "mimeType": "application/zip",
            "buffer": made(client, slug, "archive").content,
        }
    )
    before = len(projects(app.db))
    page.get_by_role("button", name="Bring it").click()
    expect(page.locator("ul.cards li")).to_have_count(before + 1)


def test_the_pages_data(client: httpx.Client, slug: str) -> None:
    told = client.get(f"/p/{slug}/archive.json").json()
    assert [one["form"] for one in told["forms"]] == [*archives.FORMS]
    assert json.dumps(told)


def test_a_project_is_removed_by_its_name(client: httpx.Client, app: Served) -> None:
    gone, stays = (
        client.post("/projects", data={"name": name}).json()["slug"]
        for name in ("Old  <i> photos", "Other photos")
    )
    picture = ("a.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 60)
    add_picture(app.db, fetch_project(app.db, gone), io.BytesIO(picture[1]), picture[0])
    kept = pictures_on_disk(app.db)
    shown = client.get(f"/p/{gone}/archive", headers={"accept": "text/html"}).text
    assert f'action="/p/{gone}/remove"' in shown
    for wrong in ({}, {"name": ""}, {"name": gone}, {"name": "Other photos"}):
        refused = client.post(f"/p/{gone}/remove", data=wrong)
        assert refused.status_code == 422
        assert "nothing was removed (fix: type the name" in refused.json()["error"]
    assert client.get(f"/p/{gone}/overview.json").status_code == 200
    said = client.post(f"/p/{gone}/remove", data={"name": " Old <i> photos "})
    assert said.raise_for_status().json() == {"next": "/", "removed": gone}
    assert client.get(f"/p/{gone}/overview.json").status_code == 404
    assert client.post(f"/p/{gone}/remove", data={"name": "Old <i> photos"}).status_code == 404
    assert client.get(f"/p/{stays}/overview.json").status_code == 200
    assert pictures_on_disk(app.db) == kept
