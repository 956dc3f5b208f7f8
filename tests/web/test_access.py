"""Who is let in: loopback alone, tokens, links, and nothing that another site sends."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path
from unittest import mock
from urllib.parse import urlsplit

import httpx
import pytest
from fastapi.testclient import TestClient

from consilience.cli.serve import command
from consilience.errors import UsageError
from consilience.store.connect import open_database
from consilience.store.people import add_person, new_link, revoke_link
from consilience.store.projects import make_project
from consilience.web.access import Access
from consilience.web.app import cookie_name, create_app
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


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via"])
def test_what_another_server_passes_on_needs_the_token(
    app: Served, guarded: Served, header: str
) -> None:
    """A proxy on this machine would make everybody the organiser."""
    assert httpx.get(app.url, headers={header: "1.2.3.4"}).status_code == 421
    right = {header: "1.2.3.4", "authorization": f"Bearer {TOKEN}"}
    assert httpx.get(f"{guarded.url}/index.json", headers=right).status_code == 200


def test_what_the_browser_is_started_with_opens_the_app_once(tmp_path: Path) -> None:
    db = open_database(tmp_path / "a.db")
    access = Access(TOKEN, "for-the-browser-alone")
    with TestClient(create_app(db, access=access), follow_redirects=False) as browser:
        assert browser.get("/open/for-the-browser").status_code == 403
        assert browser.get("/open/for-the-browser-alone").headers["location"] == "/"
        assert browser.get("/index.json").status_code == 200
        browser.cookies.clear()
        assert browser.get("/open/for-the-browser-alone").status_code == 403
        assert browser.get(f"/open/{TOKEN}").headers["location"] == "/"
    db.close()


@pytest.mark.parametrize("token", ["too-short", "with blanks in between", "a/slash/in/addresses"])
def test_tokens_that_can_be_guessed_or_stand_in_no_address_are_refused(
    token: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for given, said in (([], {"CONSILIENCE_TOKEN": token}), (["--token", token], {})):
        with mock.patch.dict(os.environ, said), pytest.raises(UsageError, match="a token has 16"):
            command.main(given, standalone_mode=False)
    assert not [*tmp_path.iterdir()]


def test_localhost_by_any_of_its_names(app: Served) -> None:
    for host in ("localhost", "127.0.0.1:1234", "[::1]:8765"):
        assert httpx.get(app.url, headers={"host": host}).status_code == 200


#: What everybody may ask for: the way in, and the app's own files.
PUBLIC = {"/static/{name}", "/login", "/login.json", "/open/{token}", "/w/{secret}", "/logout"}


def test_every_page_asks_who_is_there(guarded: Served) -> None:
    """Strangers see the way in alone, people with a link their own work besides."""
    project = make_project(guarded.db, "all pages")
    _, secret = add_person(guarded.db, project, "Ann")
    parts = {"slug": project.slug, "id": "x", "fmt": "json", "sha256": "a" * 64}
    parts |= dict.fromkeys(("number", "query", "item"), "1")
    told = {"accept": "application/json", "x-consilience-client": "1"}
    with (
        httpx.Client(base_url=guarded.url, headers=told) as stranger,
        httpx.Client(base_url=guarded.url, headers=told) as ann,
    ):
        assert ann.get(f"/w/{secret}").status_code == 303
        asked = 0
        for path, method in addresses(guarded):
            if path in PUBLIC:
                continue
            here = path.format(**parts)
            assert stranger.request(method, here).status_code == 401, (method, path)
            own = path.startswith("/work")
            assert (ann.request(method, here).status_code == 401) != own, (method, path)
            asked += 1
    assert asked > 50


def addresses(served: Served) -> Iterator[tuple[str, str]]:
    """Every address of the app, with each of its methods."""
    for router in create_app(served.db).routes:
        for route in getattr(router, "original_router").routes:  # noqa: B009  (no type knows it)
            for method in route.methods:
                yield route.path, method


def test_what_another_sites_page_loads_is_refused(app: Served) -> None:
    """Browsers say so; a link that somebody follows from there is good."""
    for site in ("cross-site", "same-site"):
        said = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
        assert httpx.get(app.url + "/soft", headers=said).status_code == 403
        said |= {"sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe"}
        assert httpx.get(app.url, headers=said).status_code == 403
        said["sec-fetch-dest"] = "document"
        assert httpx.get(app.url, headers=said).status_code == 200
        sent = httpx.post(app.url + "/projects", data={"name": "x"}, headers=said | PROGRAM)
        assert sent.status_code == 403
    asked = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    asked |= {"access-control-request-headers": "x-consilience-client"}
    answer = httpx.options(app.url + "/projects", headers=asked)
    assert "access-control-allow-origin" not in answer.headers


def test_only_the_right_token_stands_for_that_of_a_form(app: Served, guarded: Served) -> None:
    sent = {"authorization": "Bearer wrong"}
    assert httpx.post(app.url + "/projects", data={"name": "x"}, headers=sent).status_code == 403
    with httpx.Client(base_url=guarded.url) as browser:
        browser.get(f"/open/{TOKEN}")
        assert browser.post("/projects", data={"name": "x"}, headers=sent).status_code == 403
        right = {"authorization": f"bearer {TOKEN}"}
        assert browser.post("/projects", data={"name": "y"}, headers=right).status_code == 303


def test_apps_on_two_ports_do_not_end_each_others_sessions(app: Served, guarded: Served) -> None:
    with httpx.Client() as browser:
        browser.get(f"{guarded.url}/open/{TOKEN}")
        browser.get(f"{app.url}/")
        assert browser.get(f"{guarded.url}/index.json").status_code == 200


def test_whoever_knew_the_token_of_forms_does_not_after_the_way_in(guarded: Served) -> None:
    with httpx.Client(base_url=guarded.url) as browser:
        before = form_token(browser.get("/login").text)
        browser.post("/login", data={"token": TOKEN, "csrf": before})
        assert browser.post("/projects", data={"name": "x", "csrf": before}).status_code == 403
        after = form_token(browser.get("/").text)
        assert browser.post("/projects", data={"name": "x", "csrf": after}).status_code == 303
        assert browser.post("/logout", data={"csrf": after}).headers["location"] == "/login"
        assert browser.get("/index.json").status_code == 401


def form_token(page: str) -> str:
    return page.partition('name="csrf" content="')[2].partition('"')[0]


def test_a_form_needs_the_sessions_token(app: Served) -> None:
    with httpx.Client(base_url=app.url) as browser:
        assert browser.post("/projects", data={"name": "x"}).status_code == 403
        token = form_token(browser.get("/").text)
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


def test_the_token_opens_a_session(guarded: Served, stranger: httpx.Client) -> None:
    assert stranger.get("/open/wrong").status_code == 403
    assert stranger.get(f"/open/{TOKEN}").headers["location"] == "/"
    assert stranger.get("/").status_code == 200
    name = cookie_name(guarded.db)
    cookie = stranger.cookies[name]
    stranger.cookies.set(name, cookie[:-2], domain="127.0.0.1")
    assert stranger.get("/index.json").status_code == 401


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
        name = cookie_name(first.db)
        held = browser.cookies[name]
        assert browser.get(first.url + "/index.json").status_code == 200
    with serving(tmp_path / "a.db", token=TOKEN + "2") as second:
        answer = httpx.get(second.url + "/index.json", cookies={name: held})
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


def test_strangers_bring_nothing_that_is_read(guarded: Served, stranger: httpx.Client) -> None:
    """What a request brings is read before the page asks who is there: so it is little."""
    files = {"files": ("a.csv", b"x" * 2_000_000)}
    told = {"accept": "application/json"}
    sent = stranger.post("/p/any/upload", files=files, headers=PROGRAM)
    assert (sent.status_code, "organiser" in sent.json()["error"]) == (401, True)
    sent = stranger.post("/login", data={"token": "x" * 2_000_000}, headers=told)
    assert sent.status_code == 413
    assert sent.json()["status"] == 413
    assert "default-src 'self'" in sent.headers["content-security-policy"]
    right = {"authorization": f"Bearer {TOKEN}"}
    sent = stranger.post("/p/any/upload", files=files, headers=PROGRAM | right)
    assert sent.status_code == 404, "the organiser's are read"


def test_a_failure_of_the_app_shows_nothing_of_it(
    guarded: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the secret of the house")

    monkeypatch.setattr("consilience.web.pages.entry.person_of", fail)
    for accept in ("text/html", "application/json"):
        answer = httpx.get(f"{guarded.url}/w/any", headers={"accept": accept})
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_nothing_is_reported_to_anybody(tmp_path: Path) -> None:
    """The framework of the app tells every request to whom the process has named for that."""
    db = open_database(tmp_path / "a.db")
    provider = mock.MagicMock()
    with (
        mock.patch("opentelemetry.trace.get_tracer_provider", return_value=provider),
        mock.patch("opentelemetry.metrics.get_meter_provider", return_value=provider),
        TestClient(create_app(db), base_url="http://localhost") as browser,
    ):
        assert browser.get("/").status_code == 200
    assert not provider.mock_calls
    db.close()


def test_no_page_links_to_where_an_address_points(app: Served) -> None:
    place = urlsplit(app.url)
    with socket.create_connection((place.hostname or "", place.port or 0), 10) as line:
        line.sendall(
            b"GET //evil.example/x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
        )
        answer = b"".join(iter(lambda: line.recv(1 << 16), b""))
    assert answer.startswith(b"HTTP/1.1 404")
    assert b"evil" not in answer


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
