"""The fast reader of TREC files against its slow twin: same columns, or neither reads the file."""

from __future__ import annotations

import gzip
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from consilience.columns import Codes, Text
from consilience.errors import InputError
from consilience.formats import files, trec, trec_fast

FORMS = ("TREC run", "TREC qrels")

names = st.sampled_from(["q1", "q2", "q10", "doc7", "a", "clueweb09-en0000-00-00000", "é", "0x1F"])
numerals = st.one_of(
    st.integers(-5, 2000).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(0, 50).map("{:.6f}".format),
)
odd_numbers = st.sampled_from(
    (
        *("-", "NA", "nan", "inf", "x", "1_0", "0x1F", "+3", ".5", "5.", "-0", "007", "٣", "1.0"),
        *("1e5", "1e400", "1e-400", "3000000000", "9007199254740993"),
        "0.1000000000000000055511151231257827",
    )
)
gaps = st.sampled_from([" ", " ", " ", " ", "\t", "  ", "\v", "\x1f", "\xa0", "\r", "\0"])
ends = st.sampled_from(["\n", "\n", "\n", "\r\n", " \n", "\n\n", "\r"])


@st.composite
def well_formed(draw: st.DrawFn, form: str) -> str:
    """Lines as programs write them, of one run or several, in any order."""
    gap, end = draw(st.sampled_from([" ", "\t"])), draw(st.sampled_from(["\n", "\n", "\r\n"]))
    lines = draw(st.lists(st.tuples(names, names, numerals, names), min_size=1, max_size=40))
    fields = [
        (q, "Q0", i, str(rank), number, tag) if form == "TREC run" else (q, "0", i, number)
        for rank, (q, i, number, tag) in enumerate(lines)
    ]
    return end.join(gap.join(line) for line in fields) + draw(st.sampled_from(["", end]))


@st.composite
def ill_formed(draw: st.DrawFn) -> str:
    """Lines that may go wrong anywhere."""
    parts = []
    for _ in range(draw(st.integers(1, 6))):
        for field in draw(st.lists(names | odd_numbers | numerals, min_size=3, max_size=7)):
            parts += [field, draw(gaps)]
        parts[-1] = draw(ends)
    return draw(st.sampled_from(["", "", " ", "\ufeff", "\n"])) + "".join(parts)


@st.composite
def damaged(draw: st.DrawFn, form: str) -> bytes:
    """A well-formed file with a few bytes put in or taken out."""
    text = bytearray(draw(well_formed(form)).encode())
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.integers(0, len(text)))
        put = draw(
            st.sampled_from([b"", b" ", b"\t", b"\n", b"\r", b"\0", b"x", b"\xff", b"\xc2\xa0"])
        )
        text[place : place + draw(st.integers(0, 2))] = put
    return bytes(text)


def plain(columns: dict[str, Any]) -> dict[str, list[Any]]:
    """Either twin's columns as lists."""
    lists: dict[str, list[Any]] = {}
    for name, column in columns.items():
        if isinstance(column, Codes):
            lists[name] = [column.names[code] for code in column.code]
        elif isinstance(column, Text):
            lists[name] = [column[row] for row in range(len(column))]
        else:
            lists[name] = np.asarray(column).tolist()
    return lists


def agree(path: Any, data: bytes, form: Any) -> bool:
    """Check that the twins agree; tell whether the fast one read the file."""
    path.write_bytes(data)
    try:
        file = files.look(path)
    except InputError:
        return False
    fast = trec_fast.read_fast(file, form)
    if fast is None:
        return False
    slow = trec.read_lines(file, form)
    assert plain(fast) == plain(slow)
    for name in ("score", "grade"):
        for one, two in zip(fast.get(name, ()), slow.get(name, ()), strict=True):
            assert math.copysign(1, one) == math.copysign(1, two)  # -0.0 == 0.0 alone would pass
    return True


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return tmp_path_factory.mktemp("twins") / "file.run"


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_well_formed_files_are_read_fast(path: Any, form: Any, data: st.DataObject) -> None:
    assert agree(path, data.draw(well_formed(form)).encode(), form)


@pytest.mark.parametrize("form", FORMS)
@given(text=ill_formed())
@example(text="q  doc7 1 2.5 tag\n")  # no Q0: Arrow alone would see an empty field
@example(text="q Q0 a 1 2.5 tag\rq Q0 b 2 1.5 tag\n")  # Arrow alone would see two lines
@example(text="q Q0\x1f a 1 2.5 tag\n")
@example(text="q Q0 a 1 2.5 tag\x1f")
@example(text="q Q0\xa0x a 1 2.5 tag\n")
def test_ill_formed_files_are_read_alike_or_not_at_all(path: Any, form: Any, text: str) -> None:
    agree(path, text.encode(), form)


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_damaged_files_are_read_alike_or_not_at_all(
    path: Any, form: Any, data: st.DataObject
) -> None:
    agree(path, data.draw(damaged(form)), form)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_of_many_pieces(path: Any, pack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec_fast, "BLOCK", 1 << 12)
    lines = [
        f"q{row // 300} Q0 doc{row * 7919 % 10007} {row % 300} {-row / 7} run"
        for row in range(2000)
    ]
    assert agree(path, pack("\n".join(lines).encode()), "TREC run")
    lines.reverse()
    assert agree(path, pack("\n".join(lines[::7] + lines[::5]).encode()), "TREC run")


def test_a_file_out_of_order(path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trec_fast, "BLOCK", 1 << 12)
    lines = [
        f"q{row * 7919 % 211} Q0 doc{row} {row} {row / 7} run{row % 3}\n" for row in range(2000)
    ]
    assert agree(path, "".join(lines).encode(), "TREC run")


def test_a_line_longer_than_a_piece_is_left_to_the_slow_reader(
    path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trec_fast, "BLOCK", 1 << 10)
    assert not agree(path, b"q Q0 " + b"a" * 5000 + b" 1 2.5 run\n" * 2, "TREC run")
