"""The app: its pages, what every answer carries, and how errors are told."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.sessions import SessionMiddleware

from consilience._version import __version__
from consilience.errors import ConsilienceError, InputError, UsageError
from consilience.store.settings import secret
from consilience.web.access import Access, RefusedError, check_host
from consilience.web.frame import Context, Plain, organiser, person, shown, wants_json
from consilience.web.jobs import Jobs
from consilience.web.limits import Limited
from consilience.web.pages import ORGANISER, PERSON, PUBLIC

if TYPE_CHECKING:
    from starlette.middleware.base import RequestResponseEndpoint

    from consilience.store.connect import Database

#: What every page may load: our own files, pictures that a chart makes, nothing else.
POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
#: What every answer says to the browser.
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers hide where forms come from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
#: How every answer that says no looks to programs.
REFUSED: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "description": "It was refused; `error` says why and what to do.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["error", "status"],
                    "properties": {"error": {"type": "string"}, "status": {"type": "integer"}},
                }
            }
        },
    }
}
#: Seconds that a session lives: a month.
SESSION = 30 * 24 * 3600


def create_app(db: Database, *, access: Access | None = None, upload: int = 1 << 29) -> FastAPI:
    """Make the app on a database.

    Parameters
    ----------
    db
        The database, opened.
    access
        How the app may be reached; None: on loopback, without a token.
    upload
        How many bytes a request may bring at most.
    """
    app = FastAPI(
        title="Consilience",
        version=__version__,
        summary="Which of your systems is better, and how sure that is.",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        lifespan=_lifespan,
        responses=REFUSED,
    )
    app.state.db, app.state.jobs, app.state.access = db, Jobs(db), access or Access()
    for router in PUBLIC:
        app.include_router(router)
    for router in ORGANISER:
        app.include_router(router, dependencies=[Depends(organiser)])
    for router in PERSON:
        app.include_router(router, dependencies=[Depends(person)])
    app.middleware("http")(_guarded)
    app.add_middleware(
        SessionMiddleware, secret_key=secret(db), session_cookie="consilience", max_age=SESSION
    )
    app.add_middleware(Limited, most=upload)
    for kind in (ConsilienceError, RefusedError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _told)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    yield
    app.state.jobs.close()


async def _guarded(request: Request, answer: RequestResponseEndpoint) -> Response:
    """Refuse strange hosts; give every answer its headers."""
    try:
        if "\0" in request.url.path or "%00" in request.url.query:
            raise RefusedError("an address cannot hold a NUL character", 400)
        check_host(request, request.app.state.access)
        response = await answer(request)
    except RefusedError as error:
        response = _told(request, error)
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")
    return response


def _told(request: Request, error: Exception) -> Response:
    """Tell an error: programs get data, people a page that says what to do."""
    status, message = _status(error)
    if status == 401 and not wants_json(request) and request.method == "GET":
        return RedirectResponse("/login", 303)
    data: dict[str, Any] = {"error": message, "status": status, "problems": []}
    if isinstance(error, InputError):
        data["problems"] = [
            {"file": one.file, "line": one.line, "found": one.found, "fix": one.fix}
            for one in error.problems
        ]
    if wants_json(request):
        return Plain(data, status)
    return shown(Context(request), "error.html", data, status=status)


def _status(error: Exception) -> tuple[int, str]:
    if isinstance(error, RefusedError):
        return error.status, str(error)
    if isinstance(error, RequestValidationError):
        said = "; ".join(f"{'.'.join(map(str, e['loc'][1:]))}: {e['msg']}" for e in error.errors())
        return 422, f"something in this request is not as it should be: {said}"
    if isinstance(error, HTTPException):
        return error.status_code, "there is no such page" if error.status_code == 404 else str(
            error.detail
        )
    return (422 if isinstance(error, UsageError) else 409), str(error)
