"""How far background work is, and stopping it."""

from __future__ import annotations

from fastapi import APIRouter, Response

from consilience.web.access import RefusedError
from consilience.web.frame import Ctx, Data, Number, done, page, shown
from consilience.web.jobs import Job

router = APIRouter()


def _job(ctx: Ctx, number: int) -> Job:
    job = ctx.jobs.find(number)
    if job is None:
        raise RefusedError("there is no such work, or not any more", 404)
    return job


@page(router, "/jobs/{number}", template="job.html")
def job(ctx: Ctx, number: Number) -> Data:
    """Tell how far a job is."""
    return {"job": _job(ctx, number).told()}


@router.post("/jobs/{number}/cancel", tags=["jobs"])
def cancel(ctx: Ctx, number: Number) -> Response:
    """Stop a job."""
    found = _job(ctx, number)
    ctx.jobs.cancel(found)
    if ctx.request.headers.get("hx-request"):
        return shown(ctx, "job.html", {"job": found.told()})
    return done(ctx, f"/jobs/{number}", {"job": found.told()})
