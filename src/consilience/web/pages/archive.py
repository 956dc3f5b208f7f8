"""Everything of a project as a file: the archive, tables for other programs; and archives in."""

from __future__ import annotations

import unicodedata
from functools import partial
from typing import Annotated

from fastapi import APIRouter, File, Form, Query, Response, UploadFile
from fastapi.responses import FileResponse

from consilience.errors import UsageError, unknown
from consilience.store.projects import projects, remove_project
from consilience.web.access import RefusedError
from consilience.web.archives import FORMS, NOBODY, state_of, workshop
from consilience.web.frame import Ctx, Data, Number, done, page
from consilience.web.results import file_stem
from consilience.web.uploads import clear, put_aside

router = APIRouter()


@page(router, "/p/{slug}/archive", template="archive.html")
def archive(
    ctx: Ctx, slug: str, job: Annotated[int | None, Query(ge=0, le=2**31 - 1)] = None
) -> Data:
    """Tell what can be downloaded, and how far the making of it is."""
    project = ctx.project(slug)
    working = None if job is None else ctx.jobs.find(job)
    made = None if job is None else workshop(ctx).made.get(job)
    jobs = ctx.jobs.to_tell(project, ("pack",))
    mine = working is not None and made is not None and made.project == project.id
    return {
        "project": {"slug": project.slug, "name": project.name, "version": project.version},
        "forms": [{"form": form, "what": what} for form, what in FORMS.items()],
        "job": working.told() if mine and working is not None else None,
        "made": {"form": made.form, "name": made.name} if mine and made is not None else None,
        "packing": jobs["going"],
        "failed": jobs["failed"],
    }


@router.post("/p/{slug}/archive", tags=["archives"])
def make(ctx: Ctx, slug: str, form: Annotated[str, Form(max_length=40)] = "archive") -> Response:
    """Write everything of a project into a file, in the background."""
    project = ctx.project(slug)
    if form not in FORMS:
        raise unknown("form", form, [*FORMS])
    name = f"{file_stem(slug)}.zip" if form == "archive" else f"{file_stem(slug)}-{form}.zip"
    state = state_of(ctx.db, project)
    job = workshop(ctx).make(ctx.jobs, project, form, name=name, state=state)
    ctx.jobs.wait_for(job)
    file = f"/p/{slug}/archive/{job.id}.zip"
    to = file if job.state == "done" else f"/p/{slug}/archive?job={job.id}"
    return done(ctx, to, {"job": job.told(), "file": file})


@router.get(
    "/p/{slug}/archive/{number}.zip",
    tags=["archives"],
    response_class=FileResponse,
    name="download_archive",
)
def download(ctx: Ctx, slug: str, number: Number) -> Response:
    """Send a file that was made."""
    project = ctx.project(slug)
    job, made = ctx.jobs.find(number), workshop(ctx).made.get(number)
    there = made is not None and made.project == project.id and made.path.is_file()
    if job is None or made is None or not there or job.state != "done":
        raise RefusedError("this file is not there, or not any more (fix: make it anew)", 404)
    return FileResponse(made.path, media_type="application/zip", filename=made.name)


@router.post("/p/{slug}/remove", tags=["archives"])
def remove(ctx: Ctx, slug: str, name: Annotated[str, Form(max_length=2000)] = "") -> Response:
    """Remove a project with all answers and results, where its name is given; pictures stay."""
    project = ctx.project(slug)
    if _typed(name) != _typed(project.name):
        raise UsageError(
            "this is not the project's name, so nothing was removed (fix: type the name as it is "
            "shown)"
        )
    for job in ctx.jobs.of(project):
        ctx.jobs.cancel(job)
    remove_project(ctx.db, slug)
    return done(ctx, "/", {"removed": slug})


def _typed(name: str) -> str:
    """Give a name as people see and type it."""
    return " ".join(unicodedata.normalize("NFC", name).split())


@router.post("/archives", tags=["archives"])
def bring(ctx: Ctx, archive: Annotated[UploadFile, File()]) -> Response:
    """Bring an archive: it becomes a project; what is wrong with it is said, and nothing kept."""
    folder, names = put_aside(ctx.db, [archive], most=ctx.upload)
    ((path, name),) = names.items()
    job = ctx.jobs.start(
        NOBODY, "unpack", {"path": str(path), "name": name}, after=partial(clear, folder)
    )
    ctx.jobs.wait_for(job)
    slug = job.result if job.state == "done" else None
    known = [one for one in projects(ctx.db) if one.slug == slug]
    to = f"/p/{known[0].slug}/overview" if known else "/"
    return done(ctx, to, {"job": job.told(), "slug": slug})
