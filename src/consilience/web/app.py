"""The app: its pages, what every answer carries, and how errors are told."""

from __future__ import annotations

import contextlib
import hashlib
import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse, RedirectResponse, Response
from starlette.exceptions import HTTPException
from starlette.middleware.sessions import SessionMiddleware

from consilience._version import __version__
from consilience.errors import ConsilienceError, InputError, UsageError
from consilience.store import UnwrittenError
from consilience.store.connect import UnavailableError
from consilience.store.settings import secret
from consilience.web.access import Access, RefusedError, check_host, check_site
from consilience.web.frame import Context, Plain, organiser, person, shown, wants_json
from consilience.web.jobs import AWAY, Jobs
from consilience.web.limits import Limited
from consilience.web.pages import ORGANISER, PERSON, PUBLIC
from consilience.web.uploads import clear_old

if TYPE_CHECKING:
    from fastapi.telemetry import TelemetryConfig
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
#: Nothing is told to anybody, whatever the environment says.
NO_TELEMETRY: TelemetryConfig = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "auto_configure": False,
}
#: How every answer that says no looks to programs.
_ERROR = {
    "application/json": {
        "schema": {
            "type": "object",
            "required": ["error", "status"],
            "properties": {"error": {"type": "string"}, "status": {"type": "integer"}},
        }
    }
}
REFUSED: dict[int | str, dict[str, Any]] = {
    "4XX": {
        "description": "It was refused; `error` says why and what to do.",
        "content": _ERROR,
    },
    503: {
        "description": "Not now: the database is away or busy, or this is still being computed. "
        "The same may go well after the seconds of `Retry-After`.",
        "headers": {"Retry-After": {"schema": {"type": "integer"}}},
        "content": _ERROR,
    },
}
#: After how many seconds a database that was away is asked again.
RETRY = 5
_log = logging.getLogger(__name__)
#: Errors of the database and of what lies beside it: their places are for the log alone.
_AWAY = (UnavailableError, UnwrittenError)
#: Seconds that a session lives: a month.
SESSION = 30 * 24 * 3600


def create_app(
    db: Database, *, access: Access | None = None, upload: int = 1 << 29, patience: float = 2.5
) -> FastAPI:
    """Make the app on a database.

    Parameters
    ----------
    db
        The database, opened.
    access
        How the app may be reached; None: on loopback, without a token.
    upload
        How many bytes a request may bring at most.
    patience
        How many seconds a request waits for the job that it began, before it answers without.
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
        telemetry=NO_TELEMETRY,
    )
    reached = access or Access()
    app.state.db, app.state.jobs, app.state.access = db, Jobs(db, patience=patience), reached
    app.state.upload = upload
    for router in PUBLIC:
        app.include_router(router)
    for router in ORGANISER:
        app.include_router(router, dependencies=[Depends(organiser)])
    for router in PERSON:
        app.include_router(router, dependencies=[Depends(person)])
    app.add_middleware(Limited, most=upload)
    app.middleware("http")(_guarded)
    app.add_middleware(
        SessionMiddleware,
        secret(db),
        session_cookie=cookie_name(db),
        max_age=SESSION,
        https_only=reached.encrypted,
    )
    app.add_exception_handler(Exception, _failed)
    for kind in (ConsilienceError, RefusedError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, _told)
    return app


def cookie_name(db: Database) -> str:
    """Name the cookie of sessions: browsers send it to all ports of a host, so each has its own."""
    return f"consilience-{hashlib.sha256(secret(db).encode()).hexdigest()[:8]}"


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    clear_old(app.state.db)
    yield
    app.state.jobs.close()


async def _guarded(request: Request, answer: RequestResponseEndpoint) -> Response:
    """Refuse strange hosts; give every answer its headers."""
    try:
        if "\0" in request.url.path or "%00" in request.url.query:
            raise RefusedError("an address cannot hold a NUL character", 400)
        check_host(request, request.app.state.access)
        check_site(request)
        return _sealed(_within(request, await answer(request)))
    except RefusedError as error:
        return _sealed(_told(request, error))


def _within(request: Request, response: Response) -> Response:
    """Send browsers on without naming scheme and host, which a server before the app may change.

    So an address that ends with a slash too many, and may hold a secret, is not asked for by HTTP.
    """
    to, home = response.headers.get("location", ""), str(request.base_url)
    if to.startswith(home):
        response.headers["location"] = f"/{to.removeprefix(home).lstrip('/')}"
    return response


def _sealed(response: Response) -> Response:
    """Give an answer what every answer carries."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers.setdefault("Cache-Control", "no-store")
    if response.status_code == 503:  # whoever is told "not now" is told when to come again
        response.headers.setdefault("Retry-After", "1")
    return response


def _failed(request: Request, _: Exception) -> Response:
    """Tell that something is wrong with the app itself; what, its log says."""
    message = "something went wrong in the app (fix: try again; its log says more)"
    if wants_json(request):
        return _sealed(Plain({"error": message, "status": 500, "problems": []}, 500))
    return _sealed(PlainTextResponse(message, 500))


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
        made: Response = Plain(data, status)
    else:
        made = shown(Context(request), "error.html", data, status=status)
    if isinstance(error, _AWAY):
        if str(error) != AWAY:  # else the process that computes has told it
            _log.error("the database: %s", error)  # paths and names are for nobody else
        made.headers["Retry-After"] = str(RETRY)
    return made


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
    if isinstance(error, _AWAY):
        return 503, AWAY
    return (422 if isinstance(error, UsageError) else 409), str(error)
