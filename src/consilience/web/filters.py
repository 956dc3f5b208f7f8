"""How templates write numbers, times and names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from consilience.render.bundle import embedded_json
from consilience.render.words import count, plain
from consilience.web.static_files import address

#: Words in parentheses that are for a terminal, where a page does the same.
_COMMAND = re.compile(r" \((?:consilience [a-z]+|name a file with --)[^()]*\)")


def number(value: Any) -> str:
    """Write a number for people.

    Examples
    --------
    >>> number(12345), number(0.12345), number(None)
    ('12,345', '0.1235', '–')
    """
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4f}"


def percent(value: Any) -> str:
    """Write a share.

    Examples
    --------
    >>> percent(0.1234), percent(None)
    ('12.3 %', '–')
    """
    return "–" if value is None else f"{value:.1%}".replace("%", " %")


def when(value: str) -> str:
    """Write a time to the minute.

    Examples
    --------
    >>> when("2026-11-16T06:33:05.123Z")
    '2026-11-16 06:33 UTC'
    """
    return f"{value[:16].replace('T', ' ')} UTC"


def query_string(values: dict[str, Any]) -> str:
    """Write the part of an address behind the question mark; what is None is left out.

    Examples
    --------
    >>> query_string({"sort": "influence", "q": None, "page": 2})
    '?sort=influence&page=2'
    """
    said = {name: value for name, value in values.items() if value is not None}
    return f"?{urlencode(said, doseq=True)}" if said else ""


def without_commands(text: str) -> str:
    """Leave out what to type in a terminal, where pages have links and forms for it.

    Examples
    --------
    >>> without_commands("Next step: label some items (consilience next … --budget 100).")
    'Next step: label some items.'
    >>> without_commands("there is no truth (name a file with --truth)")
    'there is no truth'
    """
    return _COMMAND.sub("", text)


@dataclass(frozen=True, slots=True)
class Told:
    """A result as the room ``render`` tells it; what is HTML was made and escaped there."""

    title: str
    headline: str
    badges: tuple[tuple[str, str], ...]
    content: Markup
    charts: Markup


def told(payload: dict[str, Any], prefix: str = "", only: Sequence[str] = ()) -> Told:
    """Tell a result as parts of a page; ``only``: the sections of these titles."""
    from consilience.render import parts

    made = parts(payload, prefix=prefix, only=only)
    charts = Markup(embedded_json(made.drawings))
    return Told(made.title, made.headline, tuple(made.badges), Markup(made.content), charts)


#: What templates can call.
GLOBALS: dict[str, Callable[..., Any]] = {"static": address, "tell": told}
#: What templates know by these names.
FILTERS: dict[str, Callable[..., Any]] = {
    "number": number,
    "percent": percent,
    "when": when,
    "plain": plain,
    "counted": count,
    "query_string": query_string,
    "without_commands": without_commands,
    "for_script": lambda value: Markup(embedded_json(value)),
}
