"""A sample of the damaged files that ``make fuzz`` tries, and texts that take recognisers long."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.foreign.fuzz import Case, TooSlowError, cases, try_case

#: How many characters a text has that repeats a few of them, and one that holds nothing special.
LENGTH, PLAIN_LENGTH = 30_000, 200_000
REPEATED = (
    *("a|1|b ", "a|b", "(-", " (-_", "<??>", "<!---->", "<!DOCTYPE[", "{[", "[[", '{"a":', '"a", '),
    *("a: ", "- ", "##", "1:2 ", "B-X ", "O\t", "0.5 ", "a\t", ";", " ", "=", "|-", "::", "\\"),
)
PLAIN = ("n", "a ", "1", "_")
ENDINGS = ("", "\x00", "x\n", "\n", "\nlake view\n")


@pytest.fixture(autouse=True)
def limited() -> Iterator[None]:
    """Let commands be interrupted that take too long."""

    def stop(*_: object) -> None:
        raise TooSlowError

    before = {one: signal.signal(one, stop) for one in (signal.SIGPROF, signal.SIGALRM)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


def test_a_sample_of_damaged_files(tmp_path: Path) -> None:
    counts: Counter[str] = Counter()
    failures = [
        (case.seed, case.source, wrong)
        for case in cases(0, 1, 150, 20)
        if (wrong := try_case(case, tmp_path, counts))
    ]
    assert failures == []
    assert counts["check: exit 0"] > 20
    assert counts["check: exit 2"] > 20


@pytest.mark.parametrize("unit", [*REPEATED, *PLAIN])
def test_no_text_takes_a_recogniser_long(unit: str, tmp_path: Path) -> None:
    """Patterns that may match in many ways would try all of them."""
    for ending in ENDINGS:
        length = PLAIN_LENGTH if unit in PLAIN else LENGTH
        text = unit * (length // len(unit)) + ending
        case = Case(0, unit, "x.txt", text.encode(), (), "belief", "docs/files/qrels.txt")
        assert try_case(case, tmp_path, Counter()) == []
