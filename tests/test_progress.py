"""How far work has come: heard by one listener, by nobody else, in parts of a whole."""

from __future__ import annotations

import threading

import pytest

from consilience.progress import listening, part, report


def test_nobody_listens() -> None:
    report(1, 2)
    with part(0.0, 0.5):
        report(1, 2)


def test_parts_of_parts() -> None:
    heard: list[float] = []
    with listening(heard.append):
        report(0, 10)
        with part(0.2, 0.6), part(0.5, 1.0):
            report(0, 4)
            report(2, 4)
            report(4, 4)
        report(10, 10)
    assert heard == pytest.approx([0.0, 0.4, 0.5, 0.6, 1.0])


def test_shares_stay_between_0_and_1() -> None:
    heard: list[float] = []
    with listening(heard.append):
        report(7, 5)
        report(-1, 5)
        report(1, 0)
    assert heard == [1.0, 0.0]


def test_the_inner_listener_hears_and_the_outer_one_is_back_even_after_an_error() -> None:
    outer: list[float] = []
    inner: list[float] = []

    def fail() -> None:
        with listening(inner.append):
            report(1, 2)
            raise KeyError

    with listening(outer.append):
        with pytest.raises(KeyError):
            fail()
        report(1, 1)
    report(1, 4)
    assert (outer, inner) == ([1.0], [0.5])


def test_other_threads_are_not_heard() -> None:
    heard: list[float] = []
    with listening(heard.append):
        other = threading.Thread(target=report, args=(1, 2))
        other.start()
        other.join()
    assert heard == []
