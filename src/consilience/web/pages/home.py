"""The first page: the projects of this database; the way to the next one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Response

from consilience.store.projects import make_project, projects
from consilience.web.archives import NOBODY
from consilience.web.frame import Ctx, Data, done, page

router = APIRouter()


@page(router, "/", template="home.html")
def home(ctx: Ctx) -> Data:
    """List the projects."""
    jobs = ctx.jobs.to_tell(NOBODY, ("unpack",))
    return {
        "projects": [
            {"slug": one.slug, "name": one.name, "created": one.created, "version": one.version}
            for one in projects(ctx.db)
        ],
        "database": ctx.db.where,
        "unpacking": jobs["going"],
        "failed": jobs["failed"],
    }


@router.post("/projects", tags=["projects"])
def new_project(ctx: Ctx, name: Annotated[str, Form(min_length=1, max_length=200)]) -> Response:
    """Begin a project."""
    made = make_project(ctx.db, name)
    return done(ctx, f"/p/{made.slug}/overview", {"slug": made.slug, "name": made.name})
