"""The app behind another server: links, cookies, and which hosts and pages it answers to."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from fastapi.testclient import TestClient

from consilience.cli.serve import command, listen
from consilience.errors import UsageError
from consilience.store.connect import open_database
from consilience.store.projects import make_project
from consilience.web.access import Access
from consilience.web.app import create_app
from tests.web.served import PROGRAM

TOKEN = "a-token-that-nobody-guesses"
HOME = "https://bench.example.org"
#: What a server that speaks HTTPS passes on: it reaches the app by plain HTTP.
PASSED = {"x-forwarded-for": "1.2.3.4", "x-forwarded-proto": "https", "via": "1.1 proxy"}


@pytest.fixture
def behind(tmp_path: Path) -> Iterator[TestClient]:
    """A browser of the organiser, before an app that another server passes requests on to."""
    db = open_database(tmp_path / "a.db")
    make_project(db, "Photos")
    access = Access(TOKEN, None, HOME)
    with TestClient(create_app(db, access=access), base_url=HOME, headers={**PASSED}) as made:
        yield made
    db.close()


def opened(browser: TestClient) -> dict[str, str]:
    """Come in by the token; give the fields that every form of the session has."""
    page = browser.get(f"/open/{TOKEN}").text
    return {"csrf": page.partition('name="csrf" content="')[2].partition('"')[0]}


def test_links_begin_with_the_address_and_open(behind: TestClient) -> None:
    form = opened(behind) | {"names": "Ann"}
    page = behind.post("/p/photos/label/people", data=form, headers={"origin": HOME})
    assert page.status_code == 200
    assert f">{HOME}/w/" in page.text
    assert "on this machine only" not in page.text
    secret = page.text.partition(f">{HOME}/w/")[2].partition("<")[0]
    assert behind.get(f"/w/{secret}", follow_redirects=False).status_code == 303


def test_sessions_of_an_encrypted_address_are_not_sent_in_the_open(behind: TestClient) -> None:
    answer = behind.get(f"/open/{TOKEN}", follow_redirects=False)
    assert "; secure" in answer.headers["set-cookie"].lower()


def test_an_address_with_a_slash_too_many_is_not_asked_for_in_the_open(behind: TestClient) -> None:
    for address in (f"/open/{TOKEN}", "/w/secret", "/login"):
        answer = behind.get(f"http://bench.example.org{address}/?a=b", follow_redirects=False)
        assert answer.headers["location"] == f"{address}?a=b"


@pytest.mark.parametrize(
    ("origin", "status"),
    [(HOME, 200), ("http://bench.example.org", 403), ("https://bench.example.org:8443", 403)],
)
def test_forms_come_from_pages_of_the_address(behind: TestClient, origin: str, status: int) -> None:
    form = opened(behind) | {"name": "x"}
    assert behind.post("/projects", data=form, headers={"origin": origin}).status_code == status


def test_other_names_are_refused_and_this_machines_are_not(behind: TestClient) -> None:
    right = {"authorization": f"Bearer {TOKEN}"}
    for host, status in (
        ("evil.example", 421),
        ("bench.example.org:8443", 200),  # some servers pass the port on, some do not
        ("127.0.0.1:8765", 200),
    ):
        answer = behind.get("/index.json", headers={"host": host} | right)
        assert answer.status_code == status, host
    assert behind.get("/index.json", headers={"host": "127.0.0.1:8765"}).status_code == 401


def test_without_a_token_nothing_is_answered_that_was_passed_on(tmp_path: Path) -> None:
    db = open_database(tmp_path / "a.db")
    with TestClient(create_app(db), base_url="http://localhost") as browser:
        assert browser.get("/").status_code == 200
        for header in (*PASSED, "x-forwarded-port"):
            assert browser.get("/", headers={header: "x"}).status_code == 421, header
    db.close()


@pytest.mark.parametrize(("host", "token"), [("localhost:8765", None), ("127.0.0.1", TOKEN)])
def test_links_of_this_machine_are_told_to_be_such(
    host: str, token: str | None, tmp_path: Path
) -> None:
    db = open_database(tmp_path / "a.db")
    make_project(db, "Photos")
    app = create_app(db, access=Access(token))
    with TestClient(app, base_url=f"http://{host}") as browser:
        said = {"authorization": f"Bearer {TOKEN}"} if token else {}
        headers = PROGRAM | {"accept": "text/html"} | said
        page = browser.post("/p/photos/label/people", data={"names": "Ann"}, headers=headers)
        assert f">http://{host}/w/" in page.text
        assert "These links open on this machine only" in page.text
        assert "--address" in page.text
    db.close()


def test_serve_prints_the_address_and_makes_a_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with mock.patch("consilience.cli.serve._run") as run:
        given = ["--address", "HTTPS://bench.example.org:443/", "--port", "0", "--no-browser"]
        command.main(given, standalone_mode=False)
    app, listening, _ = run.call_args.args
    assert isinstance(listening, socket.socket)
    listening.close()
    access = app.state.access
    assert (access.address, len(access.token or "") > 30) == (HOME, True)
    assert f"Consilience is at {HOME}/open/{access.token}" in capsys.readouterr().err
    app.state.db.close()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("https://example.org/bench", "names a path"),
        ("bench.example.org", "no address of an app"),
        ("ftp://bench.example.org", "no address of an app"),
        ("https://me:pw@bench.example.org", "no address of an app"),
        ("https://bench.example.org:0", "no address of an app"),
        ("https://straße.example", "no address of an app"),  # ß is ss to some, and not to others
    ],
)
def test_addresses_that_cannot_be_are_told_before_anything_is_made(
    given: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=said):
        command.main(["--address", given], standalone_mode=False)
    assert not [*tmp_path.iterdir()]


def test_answers_go_out_at_once() -> None:
    """Only sockets that are named as TCP are told not to wait (asyncio's rule)."""
    listening = listen("127.0.0.1", 0)
    assert listening.proto == socket.IPPROTO_TCP
    listening.close()
