"""The way in: the app's own files, the organiser's token, people's links."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from consilience.store.people import person_of
from consilience.web.access import RefusedError, check_change
from consilience.web.frame import Ctx, Data, done, page
from consilience.web.static_files import asset, packed

router = APIRouter()


@router.get("/static/{name}", include_in_schema=False)
def static(request: Request, name: str) -> Response:
    """Send one of the app's own files."""
    found = asset(name)
    if found is None:
        raise RefusedError("there is no such file", 404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable", "ETag": f'"{found.tag}"'}
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    headers["Vary"] = "Accept-Encoding"
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        return Response(packed(name), media_type=found.kind, headers=headers)
    return Response(found.plain, media_type=found.kind, headers=headers)


@page(router, "/login", template="login.html")
def login(ctx: Ctx) -> Data:
    """Ask for the organiser's token."""
    return {"needed": ctx.access.token is not None}


@router.post("/login", tags=["access"])
async def log_in(ctx: Ctx, token: Annotated[str, Form(max_length=500)]) -> Response:
    """Take the organiser's token."""
    await check_change(ctx.request)
    return _let_in(ctx, token)


@router.get("/open/{token}", include_in_schema=False)
def open_by_token(ctx: Ctx, token: str) -> Response:
    """Take the organiser's token from the address that was printed at the start."""
    return _let_in(ctx, token)


def _let_in(ctx: Ctx, token: str) -> Response:
    access = ctx.access
    if access.token is not None and not (access.opens(token) or access.opens_once(token)):
        raise RefusedError(
            "this is not the token (fix: take the one that was printed at the start)"
        )
    ctx.request.session.pop("csrf", None)  # whoever knew it before is not in
    ctx.request.session["organiser"] = access.mark
    return done(ctx, "/")


@router.get("/w/{secret}", include_in_schema=False)
def by_link(ctx: Ctx, secret: str) -> Response:
    """Let a person in by their own link."""
    found = person_of(ctx.db, secret)
    if found is None:
        raise RefusedError("this link is not valid, or no longer (fix: ask for a new one)", 404)
    _, who = found
    ctx.request.session["person"] = [who.id, who.link_hash]
    return RedirectResponse("/work", 303)


@router.post("/logout", include_in_schema=False)
async def log_out(ctx: Ctx) -> Response:
    """Forget who is there."""
    await check_change(ctx.request)
    ctx.request.session.clear()
    return done(ctx, "/login")
