"""Values that nobody should send: answered with a reason, never with a failure."""

from __future__ import annotations

import gzip
import itertools
import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, urlsplit

import httpx
import pytest

from consilience.web.app import cookie_name
from tests.web import worlds
from tests.web.served import PROGRAM, Served
from tests.web.worlds import World, by_number

#: What is sent in place of every parameter and every field, as bytes of an address or a form.
VALUES = {
    "nul": b"a\0b",
    "lone surrogate": b"\xed\xa0\x80",
    "broken utf-8": b"\xff\xfe\xc3",
    "right to left": "\u202e\u2066abc\ufeff".encode(),
    "control": b"\x1b[31m\x07\r\n\t",
    "huge integer": b"9" * 400,
    "negative": b"-1",
    "zero": b"0",
    "nan": b"nan",
    "infinite": b"-inf",
    "exponent": b"1e309",
    "other digits": "١٢³½".encode(),
    "long": b"x" * 1_000_000,
    "unknown": b"no-such-thing",
    "template": b"{{7*7}}{% raw %}%(s)s{0.__class__}",
    "path": b"../../../../etc/passwd",
    "json": b'{"$ne": null}',
    "sql": b"' OR 1=1; DROP TABLE answer; --",
}
#: The longest that can stand in an address.
ADDRESS = 4000
#: Values that are sent in every place; of the others each place gets a third, in turn.
ALWAYS = ("nul", "lone surrogate", "huge integer", "nan")
_turns = itertools.count()


def values() -> list[tuple[str, bytes]]:
    """Give the values for the next place."""
    others = [name for name in VALUES if name not in ALWAYS]
    return [(name, VALUES[name]) for name in (*ALWAYS, *others[next(_turns) % 3 :: 3])]


@pytest.fixture(scope="module")
def world(app: Served) -> Iterator[World]:
    with httpx.Client(base_url=app.url, headers=PROGRAM, timeout=60) as client:
        yield World(client, app.db)


@pytest.fixture(scope="module")
def known(world: World) -> dict[str, str]:
    """What parts of addresses are called where there is something."""
    slug = worlds.runs(world)
    world.ask(slug, "relevance", ["Ann"])
    world.say(world.links["Ann"], 3, by_number)
    result = world.data(f"/p/{slug}/compare.json")["result"]["id"]
    address = world.data(f"/p/{slug}/items.json")["items"][0]["address"].split("/")
    known = {"slug": slug, "id": result, "query": address[-2], "item": address[-1], "number": "1"}
    return known | {"fmt": "json", "sha256": "a" * 64}


@pytest.fixture(scope="module")
def described(app: Served) -> dict[str, Any]:
    told: dict[str, Any] = httpx.get(f"{app.url}/openapi.json").json()
    return told


@pytest.fixture
def person(app: Served, world: World, known: dict[str, str]) -> Iterator[httpx.Client]:
    """A program with the session of somebody who labels, who is the organiser as well."""
    with httpx.Client(base_url=app.url, headers=PROGRAM, timeout=60) as client:
        assert client.get(world.links["Ann"]).status_code == 303
        yield client


def fields(operation: dict[str, Any], described: dict[str, Any]) -> list[str]:
    names = []
    for body in operation.get("requestBody", {}).get("content", {}).values():
        schema = body["schema"]
        if "$ref" in schema:
            schema = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        names += schema.get("properties", {})
    return names


def told_well(answer: httpx.Response, what: object) -> None:
    """An answer that says no says why, as data."""
    assert answer.status_code < 500, (what, answer.status_code, answer.text[:300])
    if answer.status_code >= 400 and answer.status_code != 413:
        told = answer.json()
        assert told["error"], what
        assert told["status"] == answer.status_code
        assert "Traceback" not in answer.text
        assert len(answer.content) < 20_000, what


def test_every_part_of_every_address(
    person: httpx.Client, known: dict[str, str], described: dict[str, Any]
) -> None:
    asked = 0
    for path, methods in described["paths"].items():
        for method in methods:
            for name in [part for part in known if f"{{{part}}}" in path]:
                for what, value in values():
                    if name == "slug" and "/overview" not in path:
                        continue  # all find their project in one way
                    parts = {key: quote(part) for key, part in known.items()}
                    parts[name] = quote(value[:ADDRESS], safe="")
                    answer = person.request(method.upper(), path.format(**parts))
                    told_well(answer, (method, path, name, what))
                    asked += 1
    assert asked > 100


def test_every_choice_in_an_address(
    person: httpx.Client, known: dict[str, str], described: dict[str, Any]
) -> None:
    for path, methods in described["paths"].items():
        here = path.format(**known)
        for one in methods.get("get", {}).get("parameters", []):
            if one["in"] != "query":
                continue
            for what, value in values():
                sent = quote(value[:ADDRESS], safe="")
                told_well(person.get(f"{here}?{one['name']}={sent}"), (path, one["name"], what))
            twice = f"{here}?{one['name']}=1&{one['name']}=2&{one['name']}[]=3"
            told_well(person.get(twice), (path, one["name"], "repeated"))


def test_every_field_of_every_form(
    person: httpx.Client, known: dict[str, str], described: dict[str, Any]
) -> None:
    """Each field in turn holds each value, the others something plain."""
    plain = {"name": "Plain", "kind": "relevance", "names": "Cem", "task": "1", "key": "k"}
    form = {"content-type": "application/x-www-form-urlencoded"}
    for path, methods in described["paths"].items():
        if "post" not in methods or path in ("/soft.json",):
            continue
        here = path.format(**known)
        for name in fields(methods["post"], described):
            if name in ("files", "file", "pictures"):
                continue
            for what, value in values():
                rest = "".join(f"&{key}={text}" for key, text in plain.items() if key != name)
                body = f"{name}={quote(value, safe='')}{rest}".encode()
                answer = person.post(here, content=body, headers=form)
                told_well(answer, (path, name, what))
            twice = f"{name}=1&{name}=2{rest}".encode()
            told_well(person.post(here, content=twice, headers=form), (path, name, "twice"))


def test_bodies_that_are_not_what_they_say(
    person: httpx.Client, known: dict[str, str], described: dict[str, Any]
) -> None:
    packed = gzip.compress(b"name=Packed")
    kinds = {
        "application/json": b'{"name": "x", "names": ["y"], "kind": NaN}',
        "text/plain": b"name=x",
        "application/x-www-form-urlencoded": b"%%%&&&===\xff\0",
        "multipart/form-data": b"no boundary",
        "multipart/form-data; boundary=x": b"--y\r\n\r\n",
        "multipart/form-data; boundary=z": (
            b'--z\r\nContent-Disposition: form-data; name="files"; filename="\0"\r\n\r\n\0\r\n--z--'
        ),
        "application/octet-stream": bytes(range(256)),
        "nonsense": b"",
        "": b"x",
    }
    for path, methods in described["paths"].items():
        if "post" not in methods:
            continue
        here = path.format(**known)
        for kind, body in kinds.items():
            answer = person.post(here, content=body, headers={"content-type": kind})
            told_well(answer, (path, kind))
        form = {"content-type": "application/x-www-form-urlencoded", "content-encoding": "gzip"}
        told_well(person.post(here, content=packed, headers=form), (path, "gzip"))


def test_uploads_of_nonsense(person: httpx.Client, known: dict[str, str]) -> None:
    here = f"/p/{known['slug']}/upload"
    bombs = {
        "empty.csv": b"",
        "nul.csv": b"item,S1\n\0,\0\n",
        "surrogate.csv": b"item,S1\n\xed\xa0\x80,1\n",
        "wide.csv": b"item," + b",".join(b"s%d" % k for k in range(5000)) + b"\n",
        "deep.json": b"[" * 100_000,
        "big.jsonl": b'{"item": 1e999, "S1": NaN}\n',
        "not.parquet": b"PAR1" + b"\0" * 100 + b"PAR1",
        "packed.csv.gz": gzip.compress(b"item,S1\n" + b"a,1\n" * 10) + b"rubbish",
        "half.csv.gz": gzip.compress(b"item,S1\na,1\n" * 1000)[:40],
        "same.csv": b"item,S1,S1\na,1,0\n",
        "x" * 400 + ".csv": b"item,S1\na,1\n",
        ".": b"item,S1\na,1\n",
        "zip.zip": b"PK\x03\x04" + b"\0" * 50,
        "binary": bytes(range(256)) * 64,
    }
    for name, content in bombs.items():
        told_well(person.post(here, files=[("files", (name, content))]), name)
    assert person.get(f"/p/{known['slug']}/overview.json").status_code == 200


def test_requests_that_break_the_protocol(app: Served) -> None:
    place = urlsplit(app.url)
    sent = {
        "no request": b"\0\1\2\3\r\n\r\n",
        "no host": b"GET / HTTP/1.1\r\n\r\n",
        "strange host": b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "long length": b"POST /projects HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9e9\r\n\r\n",
        "negative": b"POST /projects HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        "both": b"POST /projects HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "broken cookie": b"GET / HTTP/1.1\r\nHost: localhost\r\n"
        b"Cookie: %b=\xff.\xff.x\r\n\r\n" % cookie_name(app.db).encode(),
        "traversal": b"GET /static/../../app.py HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "absolute": b"GET http://elsewhere/ HTTP/1.1\r\nHost: elsewhere\r\n\r\n",
    }
    for what, request in sent.items():
        with socket.create_connection((place.hostname or "", place.port or 0), 10) as line:
            line.sendall(request)
            line.shutdown(socket.SHUT_WR)
            answer = line.recv(100)
        assert not answer.startswith(b"HTTP/1.1 5"), (what, answer)


def test_forged_sessions_and_origins(app: Served, known: dict[str, str]) -> None:
    with httpx.Client(base_url=app.url, headers={"accept": "application/json"}) as client:
        for cookie in ("", "x", "e30.x.y", "eyJwZXJzb24iOlsxLCJhIl19.aaaaaa.bbbb"):
            headers = {"cookie": f"{cookie_name(app.db)}={cookie}"}
            assert client.get("/work.json", headers=headers).status_code == 401
            refused = client.post("/projects", data={"name": "x"}, headers=headers)
            assert refused.status_code == 403
        for origin in (
            "null",
            "http://evil.example",
            "http://127.0.0.1:1",
            "\x7f",
            "[",
            "http://[",
        ):
            headers = {"origin": origin, "x-consilience-client": "1"}
            answer = client.post("/projects", data={"name": "x"}, headers=headers)
            assert answer.status_code == 403, origin


def test_data_hold_no_value_that_json_has_not(
    world: World, known: dict[str, str], described: dict[str, Any]
) -> None:
    def refuse(name: str) -> float:
        raise AssertionError(name)

    for path, methods in described["paths"].items():
        if "get" in methods and path.endswith(".json"):
            answer = world.client.get(path.format(**known))
            json.loads(answer.content.decode(), parse_constant=refuse)
