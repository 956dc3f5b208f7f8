"""What of a text does not count."""

from __future__ import annotations

import unicodedata
from itertools import product
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consilience.errors import UsageError
from consilience.match.text import Case, Space, Unicode, Wording, worded

WORDINGS = [
    Wording(unicode, case, space)
    for unicode, case, space in product(get_args(Unicode), get_args(Case), get_args(Space))
]


def one(text: str, **settings: Any) -> str:
    return worded([text], Wording(**settings))[0]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("café", "cafe"),
        ("caffè", "caffe"),
        ("cafe\u0301", "cafe"),
        ("Smörgåsbord", "Smorgasbord"),
        ("Straße", "Strasse"),
        ("Łódź", "Lodz"),
        ("Æsir, œuvre", "AEsir, oeuvre"),
        ("Đặng Thùy Trâm", "Dang Thuy Tram"),
        ("ﬁne ½", "fine 1⁄2"),
        ("state‐of‐the‐art – “good”", 'state-of-the-art - "good"'),
        ("İzmir, Iğdır", "Izmir, Igdir"),
        ("Ｔｏｋｙｏ", "Tokyo"),
    ],
)
def test_ascii_drops_accents_and_strokes(text: str, plain: str) -> None:
    assert one(text, unicode="ascii") == plain


@pytest.mark.parametrize("text", ["東京", "がぎ", "हिन्दी", "한국어", "שָׁלוֹם", "Москва"])
def test_ascii_leaves_other_scripts_whole(text: str) -> None:
    assert one(text, unicode="ascii") == unicodedata.normalize("NFC", text)


def test_one_character_or_two_is_the_same_unless_kept() -> None:
    composed, apart = "café", "cafe\u0301"
    assert one(apart) == one(composed) == composed
    assert one(apart, unicode="keep") == apart
    assert one("ﬁne") == "ﬁne"
    assert one("ﬁne", unicode="nfkc") == "fine"


def test_capitals_and_spaces() -> None:
    assert one("  Grey\t\n Colour ") == "Grey Colour"
    assert one("  Grey\t\n Colour ", space="strip") == "Grey\t\n Colour"
    assert one("  Grey ", space="keep", case="fold") == "  grey "
    assert one("STRASSE", case="fold") == one("straße", case="fold")


@given(texts=st.lists(st.text(max_size=12), max_size=20))
def test_once_is_enough(texts: list[str]) -> None:
    for wording in WORDINGS:
        once = worded(texts, wording)
        assert worded(once, wording) == once, wording


def test_settings_make_the_wording_again() -> None:
    made: Any = Wording
    assert [made(**wording.settings()) for wording in WORDINGS] == WORDINGS


def test_unknown_choices_are_named() -> None:
    with pytest.raises(UsageError, match=r"unknown unicode 'nfk'; did you mean 'nfkc'\?"):
        one("a", unicode="nfk")
    with pytest.raises(UsageError, match="unknown space 'none'; possible: keep, strip, collapse"):
        one("a", space="none")
