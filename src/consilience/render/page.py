"""A result as the parts of a page, and the page that stands alone.

A result is told as `Parts` once; the report (one file that opens without a network) and the pages
of the web app are written from the same parts, so that they cannot differ. The content is plain
HTML: no scripts, no styles of its own, no ids. Charts are named, and drawn by ``assets/draw.js``.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass

from consilience.render.bundle import asset, embedded_json, packed, page_script, page_style, policy
from consilience.render.markup import details, safe
from consilience.render.theme import Spec
from consilience.render.words import Payload, plain

#: Draws a chart of a result; None where there is nothing to draw.
Chart = Callable[..., Spec | None]


@dataclass(frozen=True, slots=True)
class Parts:
    """What a page shows of a result.

    Parameters
    ----------
    title, headline : str
        Plain text, not escaped.
    badges : tuple of (kind, text)
        Short facts under the headline, not escaped; the kind is ``fact`` or ``caution``.
    content : str
        Finished HTML: all sections, everything escaped. It holds neither scripts nor styles, so
        that a page with a strict content security policy can show it.
    drawings : dict
        Charts by name, as `drawing` makes them; the content has a place for each of them.
    """

    title: str
    headline: str
    badges: tuple[tuple[str, str], ...]
    content: str
    drawings: dict[str, Spec]


def drawing(chart: Chart, payload: Payload) -> Spec | None:
    """Give a chart for both grounds, with the data once; None where there is nothing to draw."""
    light, dark = chart(payload), chart(payload, dark=True)
    if light is None or dark is None:
        return None
    left_out = {"$schema", "data"}
    return {
        "data": light["data"]["values"],
        "light": {key: value for key, value in light.items() if key not in left_out},
        "dark": {key: value for key, value in dark.items() if key not in left_out},
    }


def page(parts: Parts, payload: Payload) -> str:
    """Put the parts of a result into a page that stands alone.

    Parameters
    ----------
    parts : Parts
        What the page shows.
    payload : mapping
        The stored result, for its verb, id, version and time.

    Returns
    -------
    str
        A complete HTML document with everything it needs.
    """
    version = plain(payload["version"])
    said = "".join(f'<li class="{kind}">{safe(text)}</li>' for kind, text in parts.badges)
    return string.Template(asset("template.html")).substitute(
        policy=policy(),
        generator=safe(f"Consilience {version}"),
        title=safe(parts.title),
        style=page_style(),
        over=safe(f"Consilience · {payload['verb']}"),
        verdict=safe(parts.headline),
        badges=f'<ul class="badges">{said}</ul>' if said else "",
        content=parts.content,
        footer=safe(f"Consilience {version} · {payload['id']} · {payload['created']}"),
        licences=_licences(),
        charts=embedded_json(parts.drawings),
        packed=packed(),
        script=page_script(),
    )


def _licences() -> str:
    body = f'<pre tabindex="0">{safe_lines(asset("LICENSES.txt"))}</pre>'
    return details(
        "Licences of the code that draws the charts (Vega, Vega-Lite, D3 and others)", body
    )


def safe_lines(text: str) -> str:
    r"""Escape a text of several lines, and keep the lines.

    Examples
    --------
    >>> safe_lines("a < b\nc").splitlines()
    ['a &lt; b', 'c']
    """
    return "\n".join(safe(line) for line in text.splitlines())
