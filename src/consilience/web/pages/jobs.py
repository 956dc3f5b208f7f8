"""How far background work is, stopping it, and having seen that it failed."""

from __future__ import annotations

from fastapi import APIRouter, Response
from fastapi.responses import HTMLResponse

from consilience.store.projects import projects
from consilience.web.access import RefusedError
from consilience.web.frame import Ctx, Data, Number, done, page, shown
from consilience.web.jobs import CHANGES, Job

router = APIRouter()

#: The page of a project that begins a job of each verb.
PAGES = {"draw": "label", "next": "label", "pack": "archive", "agree": "people"} | dict.fromkeys(
    ("rank", "distributions", "tree", "displacement"), "compare"
)


def _job(ctx: Ctx, number: int) -> Job:
    job = ctx.jobs.find(number)
    if job is None:
        raise RefusedError("there is no such work, or not any more", 404)
    return job


def begun_at(job: Job) -> str:
    """Give the address of the page that begins such a job, and tells of it."""
    slug = job.request["project"]
    return f"/p/{slug}/{PAGES.get(job.verb, 'overview')}" if slug else "/"


def place_of(job: Job) -> str:
    """Give the address where a job's result is; that of its page where there is none yet."""
    here = begun_at(job)
    if job.state != "done":
        return here
    if job.verb == "pack":
        return f"{here}?job={job.id}"
    if job.verb == "unpack":
        return f"/p/{job.result}/overview"
    stored = job.verb not in ("check", *CHANGES)
    return f"/p/{job.request['project']}/reports/{job.result}" if stored else here


def _told(ctx: Ctx, job: Job) -> Data:
    """Tell a job; ``part``: as the part of a page that asks for it."""
    part, slug = "hx-request" in ctx.request.headers, job.request["project"]
    known = [] if part else [one for one in projects(ctx.db) if one.slug == slug]
    return {
        "project": {"slug": known[0].slug, "name": known[0].name} if known else None,
        "job": job.told(),
        "place": place_of(job),
        "keeps": job.verb in CHANGES,
        "part": part,
    }


@page(router, "/jobs/{number}", template="job.html")
def job(ctx: Ctx, number: Number) -> Data:
    """Tell how far a job is."""
    return _told(ctx, _job(ctx, number))


@router.post("/jobs/{number}/cancel", tags=["jobs"])
def cancel(ctx: Ctx, number: Number) -> Response:
    """Stop a job."""
    found = _job(ctx, number)
    ctx.jobs.cancel(found)
    if ctx.request.headers.get("hx-request"):
        return shown(ctx, "job.html", _told(ctx, found))
    return done(ctx, f"/jobs/{number}", {"job": found.told()})


@router.post("/jobs/{number}/dismiss", tags=["jobs"])
def dismiss(ctx: Ctx, number: Number) -> Response:
    """Say that it was seen that a job failed: pages tell of it no more."""
    found = _job(ctx, number)
    ctx.jobs.dismiss(found)
    if ctx.request.headers.get("hx-request"):
        return HTMLResponse("")
    return done(ctx, begun_at(found), {"job": found.told()})
