"""Overview: what was recognised, who answered, what is missing, what can be asked."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, File, Form, Response, UploadFile

from consilience.errors import UsageError, quote, unknown
from consilience.store.content import content_counts
from consilience.store.sources import set_aside, sources
from consilience.store.trees import set_tree_aside, trees
from consilience.web.access import TOKEN_FIELD
from consilience.web.frame import Ctx, Data, Number, done, page
from consilience.web.results import cannot_tell, freshness
from consilience.web.uploads import clear, put_aside

router = APIRouter()

#: What uploaded files can be: the systems' answers and trees are told apart by what they hold.
ROLES = ("answers", "truth", "content")
#: What goes with uploaded files.
FIELDS = ("files", "role", "encoding", "columns", "answers")


@page(router, "/p/{slug}/overview", template="overview.html")
def overview(ctx: Ctx, slug: str) -> Data:
    """Tell what there is."""
    project = ctx.project(slug)
    files = sources(ctx.db, project)
    jobs = ctx.jobs.to_tell(project, ("add", "content"))
    counts = any(not one.set_aside for one in files)
    found = ctx.computed(project, "check", {}) if counts else None
    return {
        "project": {"slug": project.slug, "name": project.name, "version": project.version},
        "sources": [
            {
                "id": one.id,
                "name": one.name,
                "role": one.role,
                "recognised": one.recognised,
                "why": one.why,
                "rows": one.rows,
                "notes": list(one.notes),
                "created": one.created,
                "set_aside": one.set_aside,
            }
            for one in files
        ],
        "trees": [asdict(one) | {"notes": list(one.notes)} for one in trees(ctx.db, project)],
        "content": content_counts(ctx.db, project),
        "reading": jobs["going"],
        "failed": jobs["failed"],
        "facts": found and found.payload,
        "computed": found and found.told(),
        "since": found and freshness(ctx, project, found),
        "cannot_tell": cannot_tell(ctx, project),
    }


async def _known_fields(ctx: Ctx) -> None:
    """Refuse what nobody reads: files would go in as something else than was said."""
    request = ctx.request
    known = (*FIELDS, TOKEN_FIELD)
    odd = next((name for name in await request.form() if name not in known), None)
    if odd is not None:
        said = f"role ({', '.join(ROLES)}) says what files are; possible: {', '.join(FIELDS)}"
        raise UsageError(f"unknown field {quote(odd)} (fix: {said})")
    for name in request.query_params:
        raise UsageError(f"{quote(name)} stands in the address (fix: send it as a field)")


@router.post("/p/{slug}/upload", tags=["sources"], dependencies=[Depends(_known_fields)])
def upload(
    ctx: Ctx,
    slug: str,
    files: Annotated[list[UploadFile], File()],
    role: Annotated[str, Form()] = "answers",
    encoding: Annotated[str | None, Form(max_length=40)] = None,
    columns: Annotated[str | None, Form(max_length=2000)] = None,
    answers: Annotated[str | None, Form(max_length=40)] = None,
) -> Response:
    """Read files into a project: recognised by what they hold, refused with what is wrong."""
    from consilience.cli.shared import mapping
    from consilience.formats.answer_kinds import answer_kind

    if role not in ROLES:
        raise unknown("role of files", role, ROLES)
    project = ctx.project(slug)
    mapped = mapping((columns,)) if columns else {}
    folder, names = put_aside(ctx.db, files, most=ctx.upload)
    paths = [str(path) for path in names]
    settings = {
        "files": paths if role == "answers" else [],
        "truth": paths if role == "truth" else [],
        "names": {str(path): name for path, name in names.items()},
        "encoding": encoding or None,
        "columns": mapped,
        "answers": answer_kind(answers or None),
    }
    verb = "content" if role == "content" else "add"
    job = ctx.jobs.start(project, verb, settings, after=partial(clear, folder))
    ctx.jobs.wait_for(job)
    return done(ctx, f"/p/{slug}/overview", {"job": job.told()})


@router.post("/p/{slug}/sources/{number}/aside", tags=["sources"])
def put_source_aside(
    ctx: Ctx, slug: str, number: Number, aside: Annotated[bool, Form()] = True
) -> Response:
    """Leave a file out of the study, or take it in again; nothing is deleted."""
    set_aside(ctx.db, ctx.project(slug), number, aside)
    return done(ctx, f"/p/{slug}/overview")


@router.post("/p/{slug}/trees/{number}/aside", tags=["sources"])
def put_tree_aside(
    ctx: Ctx, slug: str, number: Number, aside: Annotated[bool, Form()] = True
) -> Response:
    """Leave a tree out, or take it in again; the newest that is in is the project's."""
    set_tree_aside(ctx.db, ctx.project(slug), number, aside)
    return done(ctx, f"/p/{slug}/overview")
