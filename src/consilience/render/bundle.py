"""The parts of the HTML report that do not depend on a result: looks, scripts, licences.

The scripts travel compressed (gzip, then base64) and are unpacked by the report itself; the content
security policy names their hashes, so that nothing else can run. The files and their origin are
described in ``assets/README.md``.
"""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import importlib.resources
import json
from typing import Any

#: The drawing code, in the order in which it must be loaded.
SCRIPTS = ("vega.min.js", "vega-lite.min.js", "vega-embed.min.js")
#: Characters that must not appear as such in JSON inside HTML.
UNSAFE = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


@functools.cache
def asset(name: str) -> str:
    """Read a file that the package carries."""
    place = importlib.resources.files("consilience.render") / "assets" / name
    return place.read_text(encoding="utf-8")


@functools.cache
def drawing_code() -> str:
    """Join the scripts that draw charts into one; pointers to source maps are left out."""
    lines = (line for name in SCRIPTS for line in [*asset(name).splitlines(), ";"])
    return "\n".join(line for line in lines if not line.startswith("//# sourceMappingURL"))


@functools.cache
def packed() -> str:
    """Compress the drawing code into text that HTML can carry."""
    return base64.b64encode(gzip.compress(drawing_code().encode(), 9, mtime=0)).decode("ascii")


@functools.cache
def page_script() -> str:
    """Join the scripts that a report carries in the open: drawing, and what unpacks the rest."""
    return asset("draw.js") + asset("report.js")


@functools.cache
def page_style() -> str:
    """Join the style sheets that a report carries: of the page, and of its charts."""
    return asset("report.css") + asset("charts.css")


def script_hash(script: str) -> str:
    """Give the hash of a script as a content security policy names it.

    Examples
    --------
    >>> script_hash("")
    "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    digest = hashlib.sha256(script.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


@functools.cache
def policy() -> str:
    """Write the content security policy: no requests, no scripts but the two that are known."""
    hashes = f"{script_hash(page_script())} {script_hash(drawing_code())}"
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; script-src {hashes};"
        " base-uri 'none'; form-action 'none'"
    )


def embedded_json(value: Any) -> str:
    r"""Write JSON that can stand inside a script element, whatever names it holds.

    Examples
    --------
    >>> print(embedded_json("</script><b>"))
    "\u003c/script\u003e\u003cb\u003e"
    """
    written = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return written.translate(UNSAFE)
