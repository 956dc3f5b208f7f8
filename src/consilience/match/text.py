"""What of a text does not count: how texts are made alike before they are compared.

*Café* and *cafe*, *Grey* and *grey*, two spaces or one: whether these differ is the user's choice,
and every result says which choice was made.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Literal, get_args

from consilience.errors import unknown

Unicode = Literal["keep", "nfc", "nfkc", "ascii"]
Case = Literal["keep", "fold"]
Space = Literal["keep", "strip", "collapse"]

_POSSIBLE = {"unicode": get_args(Unicode), "case": get_args(Case), "space": get_args(Space)}

#: The accents of Latin, Greek and Cyrillic letters; signs of other scripts are letters' parts.
_ACCENTS = re.compile("[\u0300-\u036f]")
#: Letters that Unicode does not take apart, as they are usually written without the stroke.
_PLAIN = {
    "ß": "ss", "ẞ": "SS", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O",
    "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th",
    "ħ": "h", "Ħ": "H", "ı": "i", "ŧ": "t", "Ŧ": "T", "ŋ": "n", "Ŋ": "N", "ĸ": "k",
    "‘": "'", "’": "'", "‚": "'", "“": '"', "”": '"', "„": '"', "‐": "-", "‑": "-", "–": "-",
    "—": "-", "−": "-",
}  # fmt: skip
_TO_PLAIN = str.maketrans(_PLAIN)


@dataclass(frozen=True, slots=True)
class Wording:
    r"""How texts are made alike before they are compared.

    Parameters
    ----------
    unicode
        ``"nfc"``: an accented letter is the same, written as one character or as two. ``"nfkc"``:
        so are ligatures, full-width letters and the like (ﬁ, fi). ``"ascii"``: accents of Latin,
        Greek and Cyrillic letters are dropped as well (café, cafe), letters with strokes,
        ligatures, curved quotes and dashes become plain ones (ø, ß, æ: o, ss, ae); other letters
        stay. ``"keep"``: nothing is changed.
    case
        ``"fold"``: capitals do not count. ``"keep"``: they do.
    space
        ``"collapse"``: any run of spaces, tabs and line ends is one space, none at the ends.
        ``"strip"``: only those at the ends are dropped. ``"keep"``: nothing is changed.

    Examples
    --------
    >>> worded(["  Café\tdu  Nord "], Wording(unicode="ascii", case="fold"))
    ['cafe du nord']
    >>> Wording().settings()
    {'unicode': 'nfc', 'case': 'keep', 'space': 'collapse'}
    >>> Wording(case="lower")
    Traceback (most recent call last):
    consilience.errors.UsageError: unknown case 'lower'; possible: keep, fold
    """

    unicode: Unicode = "nfc"
    case: Case = "keep"
    space: Space = "collapse"

    def __post_init__(self) -> None:
        for one in fields(self):
            given, possible = getattr(self, one.name), _POSSIBLE[one.name]
            if given not in possible:
                raise unknown(one.name, str(given), possible)

    def settings(self) -> dict[str, str]:
        """Give the choices, as they are written into results."""
        return asdict(self)


def worded(items: Sequence[str], wording: Wording) -> list[str]:
    """Make texts alike.

    Examples
    --------
    >>> worded(["Łódź", "naïve  approach", "Αθήνα"], Wording(unicode="ascii"))
    ['Lodz', 'naive approach', 'Αθηνα']
    """
    return [_worded(item, wording) for item in items]


def _worded(text: str, wording: Wording) -> str:
    text = _normal(text, wording.unicode)
    if wording.case == "fold":
        text = _normal(text.casefold(), wording.unicode)
    if wording.space == "collapse":
        return " ".join(text.split())
    return text.strip() if wording.space == "strip" else text


def _normal(text: str, form: Unicode) -> str:
    if form == "keep" or text.isascii():
        return text
    if form == "nfc":
        return unicodedata.normalize("NFC", text)
    if form == "nfkc":
        return unicodedata.normalize("NFKC", text)
    bare = _ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare.translate(_TO_PLAIN))
