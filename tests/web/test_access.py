"""Who is let in: loopback alone, tokens, links, and nothing that another site sends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from consilience.store.people import add_person, new_link, revoke_link
from consilience.store.projects import make_project
from tests.web.served import PROGRAM, Served, serving

TOKEN = "a-token-that-nobody-guesses"


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """An app that demands a token."""
    with serving(tmp_path_factory.mktemp("guarded") / "study.db", token=TOKEN) as served:
        yield served


@pytest.fixture
def stranger(guarded: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=guarded.url) as made:
        yield made


def test_every_answer_carries_its_headers(app: Served) -> None:
    for path in ("/", "/static/app.css", "/no-such-page", "/index.json"):
        headers = httpx.get(app.url + path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize("host", ["evil.example", "192.168.1.7:80", "localhost.evil.example"])
def test_names_that_point_here_from_elsewhere_are_refused(app: Served, host: str) -> None:
    assert httpx.get(app.url, headers={"host": host}).status_code == 421


def test_localhost_by_any_of_its_names(app: Served) -> None:
    for host in ("localhost", "127.0.0.1:1234", "[::1]:8765"):
        assert httpx.get(app.url, headers={"host": host}).status_code == 200


def test_a_form_needs_the_sessions_token(app: Served) -> None:
    with httpx.Client(base_url=app.url) as browser:
        assert browser.post("/projects", data={"name": "x"}).status_code == 403
        shown = browser.get("/").text
        token = shown.partition('name="csrf" content="')[2].partition('"')[0]
        made = browser.post("/projects", data={"name": "mine", "csrf": token})
        assert made.status_code == 303
        assert browser.post("/projects", data={"name": "x", "csrf": token[:-1]}).status_code == 403
    assert httpx.post(app.url + "/projects", data={"name": "x", "csrf": token}).status_code == 403


def test_what_another_site_sends_is_refused_whatever_it_carries(app: Served) -> None:
    headers = {"origin": "https://evil.example", **PROGRAM}
    answer = httpx.post(app.url + "/projects", data={"name": "x"}, headers=headers)
    assert answer.status_code == 403
    assert "another site" in answer.json()["error"]


def test_from_elsewhere_nothing_is_shown_without_the_token(stranger: httpx.Client) -> None:
    answer = stranger.get("/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login")
    for path in ("/index.json", "/p/any/overview.json", "/api.json", "/jobs/1.json"):
        assert stranger.get(path).status_code == 401, path
    assert stranger.post("/projects", data={"name": "x"}, headers=PROGRAM).status_code == 401


def test_the_token_opens_a_session(stranger: httpx.Client) -> None:
    assert stranger.get("/open/wrong").status_code == 403
    assert stranger.get(f"/open/{TOKEN}").headers["location"] == "/"
    assert stranger.get("/").status_code == 200
    cookie = stranger.cookies["consilience"]
    stranger.cookies.set("consilience", cookie[:-2], domain="127.0.0.1")
    assert stranger.get("/index.json").status_code in (401, 303)


def test_programs_give_the_token_with_each_request(stranger: httpx.Client) -> None:
    wrong = {"authorization": "Bearer wrong", **PROGRAM}
    right = {"authorization": f"Bearer {TOKEN}", **PROGRAM}
    assert stranger.get("/index.json", headers=wrong).status_code == 401
    assert stranger.get("/index.json", headers=right).status_code == 200
    made = stranger.post("/projects", data={"name": "by program"}, headers=right)
    assert made.json()["slug"] == "by-program"


def test_a_session_of_another_token_is_worth_nothing(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db", token=TOKEN) as first, httpx.Client() as browser:
        browser.get(f"{first.url}/open/{TOKEN}")
        held = browser.cookies["consilience"]
    with serving(tmp_path / "a.db", token=TOKEN + "2") as second:
        answer = httpx.get(second.url + "/index.json", cookies={"consilience": held})
        assert answer.status_code == 401


def test_a_persons_link_opens_their_work_alone(guarded: Served, stranger: httpx.Client) -> None:
    project = make_project(guarded.db, "links")
    person, secret = add_person(guarded.db, project, "Ann")
    assert stranger.get("/w/guessed").status_code == 404
    assert stranger.get(f"/w/{secret}").headers["location"] == "/work"
    for path in ("/index.json", f"/p/{project.slug}/overview.json", "/api.json"):
        assert stranger.get(path).status_code == 401, path
    revoke_link(guarded.db, project, person.id)
    assert stranger.get("/work.json").status_code == 401
    assert stranger.get(f"/w/{secret}").status_code == 404
    other = new_link(guarded.db, project, person.id)
    assert stranger.get("/work.json").status_code == 401, "the old session stays closed"
    assert stranger.get(f"/w/{other}").status_code == 303


def test_only_known_files_are_sent(app: Served) -> None:
    for name in ("..%2f..%2fapp.py", "%2e%2e/app.py", "app.py", "../frame.py", "C:%5Cx"):
        assert httpx.get(f"{app.url}/static/{name}").status_code == 404, name


def test_what_is_too_long_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with serving(tmp_path / "a.db", upload=100_000) as served:
        big = b"x" * 200_000
        slug = make_project(served.db, "p").slug
        sent = httpx.post(
            f"{served.url}/p/{slug}/upload", files={"files": ("a.csv", big)}, headers=PROGRAM
        )
        assert sent.status_code == 413

        def pieces() -> Iterator[bytes]:
            for _ in range(200):
                yield b"x" * 1000

        form = PROGRAM | {"content-type": "application/x-www-form-urlencoded"}
        sent = httpx.post(f"{served.url}/projects", content=pieces(), headers=form)
        assert sent.status_code == 413
