"""What pages tell of a result beside the result itself: how fresh, what changed, other formats."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from fastapi import Response

from consilience.cli.shared import ENDINGS
from consilience.render import VERBS, render
from consilience.render.words import plain
from consilience.store.items import unsure
from consilience.store.projects import Project
from consilience.store.reports import answers_since, previous
from consilience.store.results import Kept
from consilience.verdict.compared import compared
from consilience.web.choices import FIELDS
from consilience.web.frame import Computed, Context, Data

#: How the formats are called, what their files end with, and their media type.
_TEXT = "text/plain; charset=utf-8"
FORMATS = {
    "html": ("HTML report", "text/html; charset=utf-8"),
    "md": ("Markdown", "text/markdown; charset=utf-8"),
    "latex": ("LaTeX", "application/x-tex; charset=utf-8"),
    "csv": ("CSV", "text/csv; charset=utf-8"),
    "parquet": ("Parquet", "application/vnd.apache.parquet"),
    "json": ("JSON", "application/json"),
    "text": ("text", _TEXT),
    "qrels": ("qrels", _TEXT),
    "label-studio": ("Label Studio", "application/json"),
    "argilla": ("Argilla", "application/json"),
    "queue": ("table to fill in", "text/csv; charset=utf-8"),
}
_ENDING = {fmt: ending for ending, fmt in ENDINGS.items() if ending != ".htm"} | {
    "label-studio": ".label-studio.json",
    "argilla": ".argilla.json",
    "queue": ".queue.csv",
}
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
#: What results of each verb are called.
TITLES = {
    "rank": "Ranking",
    "distributions": "As distributions",
    "tree": "By category",
    "displacement": "Against each person",
    "agree": "Agreement of people",
    "next": "What to label next",
    "check": "What there is",
    "soft": "Soft match",
    "diff": "Two results side by side",
}


def about(kept: Kept, of: Project) -> Data:
    """Tell of a stored result what stands beside it in lists."""
    return {
        "id": kept.id,
        "verb": kept.verb,
        "title": TITLES.get(kept.verb, kept.verb),
        "settings": dict(kept.settings),
        "said": in_words(kept.verb, kept.settings),
        "seed": kept.seed,
        "made_by": kept.made_by,
        "created": kept.created,
        "name": kept.name,
        "kept": kept.kept,
        "version": kept.version,
        "current": kept.version >= of.version,
    }


def in_words(verb: str, settings: Mapping[str, Any]) -> str:
    """Say what was chosen.

    Examples
    --------
    >>> in_words("rank", {"measures": ["AP", "P@10"], "level": 0.9})
    'measures AP, P@10; level 0.9'
    >>> in_words("rank", {})
    'as usual'
    """
    order = [field.name for field in FIELDS.get(verb, ())]
    names = sorted(settings, key=lambda name: order.index(name) if name in order else len(order))
    said = [f"{name.replace('_', ' ')} {_value(settings[name])}" for name in names]
    return plain("; ".join(said)) or "as usual"


def _value(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def freshness(ctx: Context, of: Project, found: Computed) -> Data | None:
    """Tell how much has come since a result that is not up to date; None where it is.

    Every answer is a change of the study; where others than answers came, changes are counted.
    """
    if found.stored is None or found.current:
        return None
    changes = of.version - found.stored.version
    answers = answers_since(ctx.db, of, found.stored.created)
    return {"changes": changes, "answers": answers if answers == changes else None}


def what_changed(ctx: Context, of: Project, found: Computed) -> Data | None:
    """Tell what the study's last change did to the verdict; None where there was none before."""
    now = found.stored
    if now is None:
        return None
    before = previous(ctx.db, of, now.verb, now.settings, version=now.version)
    if before is None or before.payload["input_hash"] == now.payload["input_hash"]:
        return None
    return {
        "headline": compared(before.payload, now.payload)["headline"],
        "before": before.id,
        "after": now.id,
        "created": before.created,
    }


def cannot_tell(ctx: Context, of: Project) -> list[Data]:
    """Return who cannot tell, and of how many items: answers that are no labels."""
    everyone = Counter(who for some in unsure(ctx.db, of).values() for who in some)
    return [{"name": who.name, "kind": who.kind, "items": n} for who, n in everyone.items()]


def exports(verb: str, address: str, query: str = "") -> list[Data]:
    """List the formats of a verb's results, with the address of each."""
    return [
        {"format": fmt, "name": FORMATS[fmt][0], "address": f"{address}/{fmt}{query}"}
        for fmt in FORMATS
        if fmt in VERBS.get(verb, ("json",))
    ]


def download(payload: Mapping[str, Any], fmt: str, *, name: str) -> Response:
    """Send a result in a format, as a file."""
    made = render(payload, fmt)
    content = made.encode(errors="backslashreplace") if isinstance(made, str) else made
    file = f"{file_stem(name)}{_ENDING[fmt]}"
    headers = {"Content-Disposition": f'attachment; filename="{file}"'}
    return Response(content, media_type=FORMATS[fmt][1], headers=headers)


def file_stem(name: str) -> str:
    """Make the name of a file that every system takes.

    Examples
    --------
    >>> file_stem("cafe-photos rank-12ab"), file_stem("../../etc/passwd"), file_stem("…")
    ('cafe-photos-rank-12ab', 'etc-passwd', 'result')
    """
    return _UNSAFE.sub("-", name).strip("-._")[:120] or "result"
