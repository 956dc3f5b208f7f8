"""The files that pages load: a fixed list, packed once, known by their content."""

from __future__ import annotations

import functools
import gzip
import hashlib
import importlib.resources
from dataclasses import dataclass

#: Name in addresses → package, folder, type.
_JS = "text/javascript; charset=utf-8"
_CSS = "text/css; charset=utf-8"
FILES = {
    "app.css": ("consilience.web", "static", _CSS),
    "app.js": ("consilience.web", "static", _JS),
    "results.js": ("consilience.web", "static", _JS),
    "items.css": ("consilience.web", "static", _CSS),
    "label.css": ("consilience.web", "static", _CSS),
    "rank.js": ("consilience.web", "static", _JS),
    "work.js": ("consilience.web", "static", _JS),
    "soft.css": ("consilience.web", "static", _CSS),
    "soft.js": ("consilience.web", "static", _JS),
    "htmx.min.js": ("consilience.web", "static", _JS),
    "favicon.svg": ("consilience.web", "static", "image/svg+xml"),
    "report.css": ("consilience.render", "assets", _CSS),
    "charts.css": ("consilience.render", "assets", _CSS),
    "draw.js": ("consilience.render", "assets", _JS),
    "vega.min.js": ("consilience.render", "assets", _JS),
    "vega-lite.min.js": ("consilience.render", "assets", _JS),
    "vega-embed.min.js": ("consilience.render", "assets", _JS),
}


@dataclass(frozen=True, slots=True)
class Asset:
    """A file ready to be sent."""

    plain: bytes
    kind: str
    tag: str


@functools.cache
def asset(name: str) -> Asset | None:
    """Give a file of the list; None for any other name."""
    if name not in FILES:
        return None
    package, folder, kind = FILES[name]
    plain = (importlib.resources.files(package) / folder / name).read_bytes()
    return Asset(plain, kind, hashlib.sha256(plain).hexdigest()[:16])


@functools.cache
def packed(name: str) -> bytes:
    """Give a file of the list compressed."""
    found = asset(name)
    return b"" if found is None else gzip.compress(found.plain, 6, mtime=0)


@functools.cache
def address(name: str) -> str:
    """Give the address of a file; another content has another address.

    Examples
    --------
    >>> address("app.css").startswith("/static/app.css?v=")
    True
    """
    found = asset(name)
    if found is None:
        raise KeyError(name)
    return f"/static/{name}?v={found.tag}"
