"""Soft match under load: what is too much, whose turn it is, other pages meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import httpx
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.match.names import similarity_by_name
from consilience.verdict import soft as verdict
from consilience.web import limits, soft_compare, soft_work
from consilience.web.soft_choices import WORDS, Asked
from consilience.web.soft_compare import compared
from consilience.web.soft_quick import SLOW, watched
from consilience.web.soft_turns import BusyError, ReplacedError, Turns
from consilience.web.soft_work import ENOUGH, MORE, check_size, seconds
from tests.web.served import PROGRAM, Served

PHRASES = [["neural networks here"] * 200]
WORDS_6 = [["netwrk"] * 2000]
TEXTS = [name for group in ("letters", "words or pieces", "meaning") for name in WORDS[group]]


def test_lists_that_people_paste_are_compared() -> None:
    for name in TEXTS:
        check_size(Asked(similarity=name), PHRASES, PHRASES)
    for name in ("levenshtein", "jaro", "lcs", "hamming", "exact", "jaccard", "cosine"):
        check_size(Asked(similarity=name), WORDS_6, WORDS_6)


def test_few_long_texts_are_work_as_well() -> None:
    """Two texts of 100,000 letters took 27 to 39 seconds."""
    long = [["neural net " * 9_000]]
    for name in TEXTS:
        with pytest.raises(UsageError, match=r"times as much as this page .* consilience soft"):
            check_size(Asked(similarity=name), long, long)


def test_a_little_too_much_is_not_once_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soft_work, "seconds", lambda *given: ENOUGH * 1.01)
    with pytest.raises(UsageError, match=r"are 1\.1 times as much as this page"):
        check_size(Asked(), PHRASES, PHRASES)


def test_what_costs_more_is_counted() -> None:
    """Random lists, other similarities of words, cells, the cubes of maximum diversity."""
    plain = seconds(Asked(), PHRASES, PHRASES)
    assert seconds(Asked(variant="diversity"), PHRASES, PHRASES) > plain + 0.5
    elkan = Asked(similarity="monge-elkan")
    inner = Asked(similarity="monge-elkan", settings="inner=damerau")
    assert seconds(inner, PHRASES, PHRASES) > 3 * seconds(elkan, PHRASES, PHRASES)
    tracks = [[f"LINESTRING (11 {40 + n / 10:g}, 16 {40 + n / 10:g})" for n in range(10)]]
    near, fine = (Asked(similarity="c-sim", settings=f"cell={cell}") for cell in (1000, 1))
    assert seconds(near, tracks, tracks) < ENOUGH < seconds(fine, tracks, tracks)
    documents = [one[:20] for one in [PHRASES[0]] * 10]
    assert seconds(Asked(), documents, documents) < plain, "only within documents"


@pytest.mark.parametrize("name", [*SLOW, "levenshtein", "soft-tfidf:close=0.7"])
def test_watched_similarities_are_the_same(name: str) -> None:
    words = "cafe coffee caffe pizza plaza hotel hostel grey colour,gray color,neural networks"
    lists = words.split(), words.replace("e", "a").split()[2:]
    similarity = similarity_by_name(name)
    for variant in ("coverage", "storm"):
        plain = cs.soft(*lists, similarity=similarity, variant=variant).payload()
        other = watched(similarity, lambda: None)
        same = cs.soft(*lists, similarity=other, variant=variant).payload()
        for made in (plain, same):
            del made["created"], made["id"]
        assert same == plain


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Comparisons that go on until they are told to end, or that nobody waits for them."""
    go_on, begun = threading.Event(), threading.Semaphore(0)
    right = verdict.soft

    def slowly(*args: Any, similarity: Any, **given: Any) -> Any:
        begun.release()
        while not go_on.wait(0.01):
            similarity.many.prepare([])
        return right(*args, similarity=similarity, **given)

    monkeypatch.setattr(verdict, "soft", slowly)
    monkeypatch.setattr(soft_compare, "TURNS", Turns(at_once=2, waiting=2, patience=0.3))
    go_on.begun = begun  # type: ignore[attr-defined]
    yield go_on
    go_on.set()


def ask(url: str, lists: str, page: str = "") -> httpx.Response:
    given = {"gold": lists, "predicted": "b"}
    return httpx.post(
        f"{url}/soft.json", data=given, headers={**PROGRAM, "X-Page": page}, timeout=30
    )


def test_other_pages_answer_while_comparisons_wait(app: Served, stopped: Any) -> None:
    slug = httpx.post(f"{app.url}/projects", data={"name": "Busy"}, headers=PROGRAM).json()["slug"]
    with ThreadPoolExecutor(60) as people:
        first = [people.submit(ask, app.url, f"first {n}") for n in range(2)]
        for _ in first:
            assert stopped.begun.acquire(timeout=10)
        more = [people.submit(ask, app.url, f"more {n}") for n in range(50)]
        begun = time.monotonic()
        seen = httpx.get(f"{app.url}/p/{slug}/overview", timeout=30)
        assert seen.status_code == 200
        late = [one.result(20) for one in more]
        assert time.monotonic() - begun < 8
        assert {one.status_code for one in late} == {503}
        assert {one.headers["retry-after"] for one in late} == {"1"}
        assert "other comparisons are being computed" in late[0].json()["error"]
        assert late[0].json()["asked"]["gold"].startswith("more")
        assert not any(one.done() for one in first)
        stopped.set()
        assert [one.result(20).status_code for one in first] == [200, 200]


def test_what_a_page_asked_before_is_left(app: Served, stopped: Any) -> None:
    with ThreadPoolExecutor(4) as people:
        other = people.submit(ask, app.url, "other page", "2")
        before = people.submit(ask, app.url, "before", "1")
        for _ in range(2):
            assert stopped.begun.acquire(timeout=10)
        now = people.submit(ask, app.url, "now", "1")
        assert before.result(10).status_code == 409, "it was being computed"
        assert stopped.begun.acquire(timeout=10)
        assert not other.done()
        stopped.set()
        assert now.result(10).json()["asked"]["gold"] == "now"
        assert other.result(10).status_code == 200


def test_what_waits_for_its_turn_is_not_begun_when_replaced() -> None:
    turns, go_on = Turns(at_once=1, waiting=4, patience=5), threading.Event()
    begun: list[str] = []

    def work(name: str) -> Any:
        def does(check: Any) -> str:
            begun.append(name)
            assert go_on.wait(10)
            return name

        return does

    def taken(people: ThreadPoolExecutor, name: str, page: str) -> Future[str]:
        return people.submit(lambda: turns.take(work(name), page=page))

    with ThreadPoolExecutor(4) as people:
        first = taken(people, "first", "")
        while not begun:
            time.sleep(0.01)
        before = taken(people, "before", "page")
        while len(turns._here) < 2:
            time.sleep(0.01)
        now = taken(people, "now", "page")
        with pytest.raises(ReplacedError):
            before.result(3)
        go_on.set()
        assert [first.result(5), now.result(5)] == ["first", "now"]
    assert begun == ["first", "now"]
    assert not turns._here
    assert not turns._last


def test_an_app_that_stops_waits_for_no_comparison() -> None:
    turns, begun = Turns(at_once=1, waiting=1, patience=60.0), threading.Event()

    def endless(check: Any) -> None:
        begun.set()
        while True:
            check()

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(turns.take, endless, most=60.0) for _ in range(2)]
        assert begun.wait(20)
        while len(turns._here) < 2:
            time.sleep(0.01)
        turns.stop()
        assert all(isinstance(one.exception(20), ReplacedError) for one in both)
    assert turns.take(lambda check: "again") == "again"


def test_a_turn_ends() -> None:
    turns = Turns(at_once=1, waiting=1, patience=1)

    def endless(check: Any) -> None:
        while True:
            check()

    with pytest.raises(UsageError, match=r"more than 0\.05 seconds .* consilience soft"):
        turns.take(endless, most=0.05)
    assert turns.take(lambda check: "next") == "next"
    with pytest.raises(BusyError):
        Turns(at_once=1, waiting=-1, patience=1).take(endless)


def test_what_was_computed_needs_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(gold="needs no turn", predicted="needs one")
    first = compared(asked)
    monkeypatch.setattr(soft_compare, "TURNS", None)
    again = compared(asked)
    assert first is not None
    assert again is not None
    assert again.payload is first.payload


def test_a_long_field_is_read(app: Served) -> None:
    """Starlette takes no field of more than a megabyte of a form with parts."""
    sent = {"gold": (None, "a\n" * (600 << 10)), "predicted": (None, "b")}
    told = httpx.post(f"{app.url}/soft.json", files=sent, headers=PROGRAM, timeout=30)
    assert told.status_code == 422
    assert "614,400 items, at most 2,000 here" in told.json()["error"]
    sent["gold"] = (None, "a" * (limits.BOTH + 1))
    told = httpx.post(f"{app.url}/soft.json", files=sent, headers=PROGRAM, timeout=30)
    assert told.status_code == 413
    assert "more than 12 MB" in told.json()["error"]
    sent = {"name": (None, "a" * (limits.FORM + 1))}
    told = httpx.post(f"{app.url}/projects", files=sent, headers=PROGRAM, timeout=30)
    assert told.status_code == 413
    assert "more than 1 MB" in told.json()["error"]


def test_the_limits_fit_together() -> None:
    assert limits.BOTH > 2 * soft_compare.LARGEST
    assert set(MORE) <= set(TEXTS)
