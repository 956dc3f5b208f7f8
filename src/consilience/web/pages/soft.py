"""Soft match: paste two lists, see how far they are the same. It needs no project."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Header, Response, UploadFile
from fastapi.responses import RedirectResponse

from consilience.errors import UsageError
from consilience.web.frame import Context, Ctx, Data, Plain, page, shown, wants_json
from consilience.web.limits import LongForms
from consilience.web.soft_choices import LONGEST, Asked, check_choices, lines, options
from consilience.web.soft_code import as_command, in_python
from consilience.web.soft_compare import Compared, compared, compared_files
from consilience.web.soft_turns import BusyError, ReplacedError

router = APIRouter(route_class=LongForms)

#: The longest text of a choice.
_SHORT = 200
_Field = Annotated[str, Form(max_length=_SHORT)]


def _from_address(
    gold: str = "",
    predicted: str = "",
    similarity: str = "",
    settings: str = "",
    variant: str = "",
    mode: str = "",
    floor: str = "",
    threshold: str = "",
    unicode: str = "",
    case: str = "",
    space: str = "",
) -> Asked:
    """Take what was asked from the address."""
    chosen = (similarity, settings, variant, mode, floor, threshold, unicode, case, space)
    return _asked(gold, predicted, *chosen)


def _from_form(
    gold: Annotated[str, Form()] = "",
    predicted: Annotated[str, Form()] = "",
    similarity: _Field = "",
    settings: _Field = "",
    variant: _Field = "",
    mode: _Field = "",
    floor: _Field = "",
    threshold: _Field = "",
    unicode: _Field = "",
    case: _Field = "",
    space: _Field = "",
) -> Asked:
    """Take what was asked from the form."""
    chosen = (similarity, settings, variant, mode, floor, threshold, unicode, case, space)
    return _asked(gold, predicted, *chosen)


def _asked(gold: str, predicted: str, *chosen: str) -> Asked:
    """Take what was left empty for what is usual; line ends are those of every system."""
    lists = (text.replace("\r\n", "\n") for text in (gold, predicted))
    given = zip(asdict(Asked()), (*lists, *chosen), strict=True)
    return Asked(**{name: value for name, value in given if value})


@page(router, "/soft", template="soft.html")
def soft(ctx: Ctx, asked: Annotated[Asked, Depends(_from_address)]) -> Data:
    """Compare two lists, one item a line, where items need not be equal."""
    return _data(asked, functools.partial(compared, asked))


@router.post("/soft", include_in_schema=False)
@router.post("/soft.json", tags=["soft"])
def compare(
    ctx: Ctx,
    asked: Annotated[Asked, Depends(_from_form)],
    gold_file: Annotated[list[UploadFile] | None, File()] = None,
    predicted_file: Annotated[list[UploadFile] | None, File()] = None,
    page: Annotated[str, Header(alias="X-Page", max_length=_SHORT)] = "",
) -> Response:
    """Compare two lists, or two files, where items need not be equal.

    A page that is open sends its mark in ``X-Page``: what it asked before is then left.
    """
    files = {"gold": _sent(gold_file), "predicted": _sent(predicted_file)}
    if any(files.values()):
        work = functools.partial(compared_files, ctx.db, asked, files, page=page)
        return _answer(ctx, _data(asked, work))
    return _answer(ctx, _data(asked, functools.partial(compared, asked, page=page)))


def _sent(given: Sequence[UploadFile] | None) -> list[UploadFile]:
    """Leave out the nameless file that a browser sends where none was chosen."""
    return [one for one in given or () if one.filename]


def _answer(ctx: Context, data: Data) -> Response:
    """Answer a form: a program with data, a live page with the result, others with the page."""
    status = int(data["status"])
    if wants_json(ctx.request):
        return Plain(data, status)
    live = bool(ctx.request.headers.get("hx-request"))
    if not live and data["link"]:
        return RedirectResponse(data["link"], 303)
    made = shown(ctx, "soft_live.html" if live else "soft.html", data, status=status)
    if live and status == 200:
        made.headers["HX-Replace-Url"] = data["address"]
    return made


def _data(asked: Asked, compare: Callable[[], Compared | None]) -> Data:
    """Say what is chosen and what came out; an error stands beside what was typed."""
    found, error, status = None, None, 200
    try:
        check_choices(asked)
        found = compare()
    except UsageError as wrong:
        error, status = str(wrong), 422
    except BusyError as busy:
        error, status = str(busy), 409 if isinstance(busy, ReplacedError) else 503
    now = asked if found is None else found.asked
    address, whole = now.address()
    return {
        "asked": now.told(),
        "sizes": {side: len(lines(text)) for side, text in _lists(now).items()},
        "filled": [side for side, text in _lists(now).items() if text != _lists(asked)[side]],
        "files": {} if found is None else found.files,
        **options(),
        "address": address,
        "link": address if whole and found is not None else None,
        "longest": LONGEST,
        "example": _example(),
        "payload": None if found is None else found.payload,
        "figures": [] if found is None else _figures(found),
        "code": None if found is None else _code(found),
        "error": error,
        "status": status,
    }


def _lists(asked: Asked) -> dict[str, str]:
    return {"gold": asked.gold, "predicted": asked.predicted}


def _figures(found: Compared) -> list[Data]:
    """Put soft and crisp figures side by side."""
    payload = found.payload
    beside = {one["name"]: one for one in payload["baselines"]}
    told = [
        ("soft", "near items count in part", payload),
        ("crisp", "equal items alone", beside.get("crisp")),
        ("crisp*", f"similarity from {payload['threshold']:g} on", beside.get("crisp*")),
        ("by chance", "random predictions of the same size", payload["null"]),
        ("adjusted", "soft, less what chance gets", payload["adjusted"]),
    ]
    return [
        {"name": name, "word": word, **{key: one[key] for key in ("precision", "recall", "f1")}}
        for name, word, one in told
        if one is not None
    ]


def _code(found: Compared) -> Data:
    sides = {side: lines(text) for side, text in _lists(found.asked).items()}
    return {
        "python": in_python(found.asked, sides, found.files),
        "command": as_command(found.asked, found.files),
    }


@functools.cache
def _example() -> str:
    """Give the address of the paper's first example."""
    from consilience.examples import example

    lists = {
        side: "\n".join(example(f"cafe-{side}.csv").read_text("utf-8").split("\n")[1:]).strip()
        for side in ("gold", "predicted")
    }
    return Asked(**lists).address()[0]
