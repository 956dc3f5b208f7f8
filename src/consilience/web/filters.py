"""How templates write numbers, times and names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from markupsafe import Markup

from consilience.render.bundle import embedded_json
from consilience.render.words import count, plain
from consilience.web.instead import by_field, without_commands
from consilience.web.static_files import address


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
    headline, content = (without_commands(text) for text in (made.headline, made.content))
    return Told(made.title, headline, tuple(made.badges), Markup(content), charts)


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
    "by_field": by_field,
    "for_script": lambda value: Markup(embedded_json(value)),
}
