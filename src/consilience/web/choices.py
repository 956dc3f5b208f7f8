"""What can be chosen for a result: the fields of a form, and the settings that they stand for.

A form is sent by GET: the address of a page holds all that was chosen. What is left empty is as
usual, and what is written out and usual is the same question as what is left empty.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from consilience.errors import UsageError, quote, unknown
from consilience.web.verbs import settings_of

#: Commas part measures, but for those within parentheses.
_COMMA = re.compile(r",(?![^()]*\))")
#: The most characters of a text that is chosen.
LONGEST = 1000


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a form: how it is read, what can be chosen, what is usual.

    ``more`` fields are folded away; ``options`` are pairs of a name and what it means, and a field
    without any is text.
    """

    name: str
    label: str
    read: Callable[[str], Any]
    about: str = ""
    usual: Any = None
    options: Callable[[], list[tuple[str, str]]] | None = None
    suggested: Callable[[], list[str]] | None = None
    more: bool = True

    def value(self, typed: Mapping[str, str]) -> Any:
        """Read what was typed; None where nothing was, or what is usual.

        Raises
        ------
        UsageError
            Where it cannot be chosen.
        """
        text = typed.get(self.name, "").strip()
        if len(text) > LONGEST or "\0" in text:
            raise UsageError(f"{self.label}: {quote(text[:50])} is no choice (fix: write less)")
        found = self.read(text) if text else None
        return None if found == self.usual else found

    def told(self, typed: Mapping[str, str]) -> dict[str, Any]:
        """Give the field as plain data, with what was typed and what is wrong with that."""
        wrong = None
        try:
            self.value(typed)
        except UsageError as error:
            wrong = str(error)
        return {
            "name": self.name,
            "label": self.label,
            "about": self.about,
            "usual": self.usual,
            "value": typed.get(self.name, ""),
            "more": self.more,
            "wrong": wrong,
            "options": None
            if self.options is None
            else [{"value": name, "about": about} for name, about in self.options()],
            "suggested": [] if self.suggested is None else self.suggested(),
        }


def measures(text: str) -> list[str]:
    """Read names of measures, parted by commas.

    Examples
    --------
    >>> measures("map, P(average=micro,rel=2)@10")
    ['AP', 'P(average=micro,rel=2)@10']
    """
    from consilience.measures.names import parse

    named = [one.strip() for one in _COMMA.split(text) if one.strip()]
    return list(dict.fromkeys(str(parse(one)) for one in named))


def one_of(what: str, options: Callable[[], list[tuple[str, str]]]) -> Callable[[str], str]:
    """Read one of some names."""

    def read(text: str) -> str:
        possible = [name for name, _ in options()]
        if text not in possible:
            raise unknown(what, text, possible)
        return text

    return read


def real(what: str, low: float, fix: str, *, above: bool = False) -> Callable[[str], float]:
    """Read a number from a lowest one on, or above it."""

    def read(text: str) -> float:
        try:
            value = float(text.replace("−", "-"))
        except ValueError:
            value = math.nan
        if not (value > low if above else value >= low) or math.isinf(value):
            much = f"above {low:g}" if above else f"{low:g} or more"
            raise UsageError(f"{what} must be a number, {much}, found {quote(text)} (fix: {fix})")
        return value

    return read


def whole(what: str, low: int, fix: str) -> Callable[[str], int]:
    """Read a whole number from a lowest one on."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and len(text) <= 15 and int(text) >= low):
            found = f"{what} must be a whole number, {low} or more, found {quote(text)}"
            raise UsageError(f"{found} (fix: {fix})")
        return int(text)

    return read


def level(text: str) -> float:
    """Read the coverage of intervals.

    Examples
    --------
    >>> level("0.9")
    0.9
    >>> level("95")
    Traceback (most recent call last):
    consilience.errors.UsageError: the level must be between 0 and 1, found 95.0 (fix: 0.95)
    """
    from consilience.verdict.resample import check_chance

    value = real("the level", 0, "0.95")(text)
    check_chance(value, 0)
    return value


def _universe(text: str) -> int | None:
    return None if text == "pool" else whole("the size of the collection", 1, "1000")(text)


def _weights(text: str) -> str:
    from consilience.cli.believing import weights_of

    weights_of(text)
    return text


def _quality(text: str) -> str:
    from consilience.measures.qualities import parse_quality

    return str(parse_quality(text).name)


def _beliefs() -> list[tuple[str, str]]:
    from consilience.belief.names import BELIEFS

    usual = "labels where there are some, else what the systems agree on"
    return [("auto", usual), *((name, about) for name, (_, _, about) in BELIEFS.items())]


def _families() -> list[tuple[str, str]]:
    return [
        ("auto", "learn from the answers who has a common cause of error"),
        ("none", "every system stands for itself"),
    ]


def _leads() -> list[tuple[str, str]]:
    from consilience.verdict.uncertain_words import LEADS

    said = {"F1": "precision and recall in one", "P": "precision", "R": "recall"}
    return [(name, said.get(name, "average precision")) for name in LEADS]


def _hypotheses() -> list[tuple[str, str]]:
    return [
        ("optimist", "what a system did not return would have come next"),
        ("pessimist", "what a system did not return would have come last"),
    ]


def _scales() -> list[tuple[str, str]]:
    return [
        ("auto", "as the labels are"),
        ("nominal", "labels are names: equal or not"),
        ("ordinal", "labels have an order"),
        ("interval", "labels are numbers: how far apart they are counts"),
        ("tree", "labels are places in a tree: near relatives differ less"),
    ]


def _names() -> list[str]:
    return [
        *("F1", "P", "R", "AP", "nDCG@10", "P@10", "R@10", "RR", "Rprec", "Success@5"),
        *("Accuracy", "MCC", "AUC", "Bpref", "infAP", "AP(variant=11-point)"),
    ]


_LEVEL = Field("level", "Level of intervals", level, "such as 0.95", 0.95)
_SEED = Field("seed", "Seed of chance", whole("the seed", 0, "0"), "a whole number", 0)
_DELTA = Field(
    "delta",
    "Differences that do not matter",
    real("δ", 0, "0.02"),
    "up to ±δ, such as 0.02",
)
_DEPTH = Field("depth", "First answers that count", whole("the depth", 1, "10"), "of each list")
_BELIEF = Field(
    "belief",
    "Whom to believe",
    one_of("belief", _beliefs),
    usual="auto",
    options=_beliefs,
    more=False,
)
_TRUST = (
    Field(
        "families",
        "Families of systems",
        one_of("way with families", _families),
        "as the data say, where nothing is chosen",
        options=_families,
    ),
    Field("weights", "Weights for consensus", _weights, "such as S1=0.3,S2=0.7"),
    Field("universe", "Items to choose from", _universe, "a number, or pool", "pool"),
)
_LEAD = Field(
    "measure",
    "Ranked by",
    one_of("measure of distributions", _leads),
    usual="F1",
    options=_leads,
    more=False,
)
#: What can be chosen for the results of each verb.
FIELDS: dict[str, tuple[Field, ...]] = {
    "rank": (
        Field(
            "measures",
            "Measures, the first one ranks",
            measures,
            "several by comma; empty: those that suit the data",
            suggested=_names,
            more=False,
        ),
        _BELIEF,
        *_TRUST,
        _DELTA,
        _DEPTH,
        _LEVEL,
        _SEED,
    ),
    "distributions": (_LEAD, _BELIEF, *_TRUST, _DELTA, _DEPTH, _LEVEL, _SEED),
    "tree": (
        Field("category", "Asked for: a category", str, "as the queries say, if empty", more=False),
        Field("query_item", "or: more like the item", str, more=False),
        _LEAD,
        _DELTA,
        _LEVEL,
        _SEED,
    ),
    "displacement": (
        Field(
            "quality",
            "From displacement to quality",
            _quality,
            "rational:p=1, or exponential:lambda=0.1",
            "rational:p=1",
            more=False,
        ),
        Field(
            "hypothesis",
            "What was not returned",
            one_of("hypothesis", _hypotheses),
            usual="optimist",
            options=_hypotheses,
            more=False,
        ),
        Field("collection", "Items to choose from", whole("the collection", 1, "1000")),
        Field("scale", "Highest relevance", real("the scale", 0, "1", above=True), "", 1.0),
        _DEPTH,
        _LEVEL,
        _SEED,
    ),
    "agree": (
        Field(
            "scale",
            "How labels are compared",
            one_of("scale", _scales),
            usual="auto",
            options=_scales,
            more=False,
        ),
        Field("level", "Level of intervals", level, "such as 0.95", 0.95, more=False),
        _SEED,
    ),
}


def chosen(verb: str, typed: Mapping[str, str]) -> dict[str, Any]:
    """Turn what was typed into settings; what is usual is left out.

    Raises
    ------
    UsageError
        Where something cannot be chosen, with what was possible; the first of several.

    Examples
    --------
    >>> chosen("rank", {"measures": "map,P@5", "level": "0.95", "seed": "", "belief": "auto"})
    {'measures': ['AP', 'P@5']}
    >>> chosen("rank", {"belief": "majorty"})
    Traceback (most recent call last):
    consilience.errors.UsageError: unknown belief 'majorty'; did you mean 'majority'? ...
    """
    return settings_of((field.name, field.value(typed)) for field in FIELDS[verb])
