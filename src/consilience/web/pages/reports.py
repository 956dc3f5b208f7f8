"""Reports: stored results, one by one and side by side, in every format."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Form, Path, Query, Response

from consilience.errors import UsageError
from consilience.render import VERBS
from consilience.render.paragraph import methods_paragraph
from consilience.store.projects import Project
from consilience.store.reports import forget, keep, listed, release, verbs_with_results
from consilience.store.results import Kept, result
from consilience.verdict.compared import compared
from consilience.web.access import RefusedError
from consilience.web.filters import query_string
from consilience.web.frame import Context, Ctx, Data, done, page
from consilience.web.results import TITLES, about, download, exports

router = APIRouter()

#: How many results a page lists.
SIZE = 25
#: How many results can be chosen from where two are put side by side.
RECENT = 100

#: What ids, formats and verbs are made of.
_NAME = r"^[A-Za-z0-9_-]*$"
#: The id of a result.
Id = Annotated[str, Path(max_length=100, pattern=_NAME)]
#: The id of a result as it was chosen.
ChosenId = Annotated[str, Query(max_length=100, pattern=_NAME)]


@page(router, "/p/{slug}/reports", template="reports.html")
def reports(
    ctx: Ctx,
    slug: str,
    verb: ChosenId = "",
    kept: bool = False,
    number: Annotated[int, Query(alias="page", ge=1, le=10**9)] = 1,
) -> Data:
    """List the stored results, the newest first."""
    project = ctx.project(slug)
    some = partial(listed, ctx.db, project, size=SIZE, verb=verb or None, kept=kept)
    found, count = some(page=number)
    pages = max(1, -(-count // SIZE))
    if number > pages:  # results go when newer ones have come: an address may outlive its page
        number = pages
        found, count = some(page=number)
    told = [
        {**about(one.kept, project), "headline": one.headline, "input_hash": one.input_hash}
        for one in found
    ]
    return {
        "project": _told(project),
        "results": told,
        "pair": _pair(told),
        "verbs": [
            {"verb": one, "name": _title(one)} for one in verbs_with_results(ctx.db, project)
        ],
        "chosen": {"verb": verb or None, "kept": "true" if kept else None},
        "paging": {"page": number, "pages": pages, "all": count},
    }


@page(router, "/p/{slug}/reports/diff", template="report_diff.html")
def diff(ctx: Ctx, slug: str, a: ChosenId = "", b: ChosenId = "") -> Data:
    """Put two results side by side."""
    project = ctx.project(slug)
    recent, _ = listed(ctx.db, project, size=RECENT)
    made: Data = {
        "project": _told(project),
        "a": a,
        "b": b,
        "recent": [{**about(one.kept, project), "headline": one.headline} for one in recent],
        **dict.fromkeys(("diff", "problem", "before", "after")),
        "formats": [],
    }
    if not (a and b):
        return made
    before, after = (_stored(ctx, project, one) for one in (a, b))
    made |= {"before": about(before, project), "after": about(after, project)}
    try:
        told = compared(before.payload, after.payload)
    except UsageError as wrong:
        return made | {"problem": str(wrong)}
    chosen = query_string({"a": a, "b": b})
    formats = exports("diff", f"/p/{slug}/reports/diff/as", chosen)
    return made | {"diff": told, "formats": formats}


@router.get("/p/{slug}/reports/diff/as/{fmt}", tags=["reports"], response_class=Response)
def download_diff(ctx: Ctx, slug: str, fmt: Id, a: ChosenId, b: ChosenId) -> Response:
    """Send two results side by side as a file."""
    project = ctx.project(slug)
    before, after = (_stored(ctx, project, one) for one in (a, b))
    told = compared(before.payload, after.payload)
    return download(told, fmt, name=f"{slug} {told['id']}")


@page(router, "/p/{slug}/reports/{id}", template="report.html")
def report(ctx: Ctx, slug: str, id: Id) -> Data:
    """Show a stored result."""
    project = ctx.project(slug)
    kept = _stored(ctx, project, id)
    payload = kept.payload
    return {
        "project": _told(project),
        "result": payload,
        "shown": "html" in VERBS.get(kept.verb, ()),
        "about": about(kept, project),
        "methods": methods_paragraph(payload),
        "input_hash": payload.get("input_hash"),
        "again": _again(slug, kept),
        "formats": exports(kept.verb, f"/p/{slug}/reports/{id}/as"),
    }


@router.get("/p/{slug}/reports/{id}/as/{fmt}", tags=["reports"], response_class=Response)
def download_report(ctx: Ctx, slug: str, id: Id, fmt: Id) -> Response:
    """Send a stored result as a file."""
    kept = _stored(ctx, ctx.project(slug), id)
    return download(kept.payload, fmt, name=f"{slug} {kept.id}")


@router.post("/p/{slug}/reports/{id}/keep", tags=["reports"])
def keep_report(
    ctx: Ctx, slug: str, id: Id, name: Annotated[str, Form(max_length=1000)] = ""
) -> Response:
    """Keep a result for good, under a name; or give it another one."""
    project = ctx.project(slug)
    _stored(ctx, project, id)
    keep(ctx.db, project, id, name=name)
    return done(ctx, f"/p/{slug}/reports/{id}", {"id": id})


@router.post("/p/{slug}/reports/{id}/release", tags=["reports"])
def release_report(ctx: Ctx, slug: str, id: Id) -> Response:
    """Say that a result need not stay: it goes when newer ones have come."""
    project = ctx.project(slug)
    _stored(ctx, project, id)
    release(ctx.db, project, id)
    return done(ctx, f"/p/{slug}/reports/{id}", {"id": id})


@router.post("/p/{slug}/reports/{id}/forget", tags=["reports"])
def forget_report(ctx: Ctx, slug: str, id: Id, sure: Annotated[bool, Form()] = False) -> Response:
    """Remove a result; one that is kept only where that is sure."""
    project = ctx.project(slug)
    _stored(ctx, project, id)
    forget(ctx.db, project, id, sure=sure)
    return done(ctx, f"/p/{slug}/reports", {"id": id})


def _told(project: Project) -> Data:
    return {"slug": project.slug, "name": project.name, "version": project.version}


def _pair(told: list[Data]) -> Data:
    """Choose the two results that are most likely put side by side: the newest of one verb."""
    for place, after in enumerate(told):
        same = [one for one in told[place + 1 :] if one["verb"] == after["verb"]]
        same.sort(key=lambda one: one["settings"] != after["settings"])
        if same:
            return {"a": same[0]["id"], "b": after["id"]}
    return {"a": None, "b": None}


def _title(verb: str) -> str:
    return TITLES.get(verb, verb)


def _stored(ctx: Context, project: Project, id: str) -> Kept:
    """Find a stored result; there is no page where it is not there."""
    try:
        return result(ctx.db, id, project=project)
    except UsageError as error:
        raise RefusedError(str(error), 404) from None


def _again(slug: str, kept: Kept) -> str | None:
    """Give the address where the same question is asked of the study as it is now."""
    settings = {
        name: ",".join(map(str, value)) if isinstance(value, list) else value
        for name, value in kept.settings.items()
    }
    if kept.verb == "agree":
        return f"/p/{slug}/people{query_string(settings)}"
    if kept.verb in ("rank", "distributions", "tree", "displacement"):
        return f"/p/{slug}/compare{query_string({'verb': kept.verb, **settings})}"
    return None
