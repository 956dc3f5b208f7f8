"""How a page is made: one function gives plain data, shown as HTML and as JSON.

>>> from fastapi import APIRouter
>>> router = APIRouter()
>>> @page(router, "/hello", template="hello.html")
... def hello(ctx: Ctx, name: str = "you") -> Data:
...     return {"name": name}
>>> [route.path for route in router.routes]
['/hello.json', '/hello']
"""

from __future__ import annotations

import functools
import inspect
import json
import typing
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, Path, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from consilience._version import __version__
from consilience.errors import UsageError
from consilience.store.connect import Database, UnavailableError
from consilience.store.people import Respondent
from consilience.store.projects import Project, project
from consilience.store.results import Kept, latest
from consilience.web.access import (
    Access,
    RefusedError,
    check_change,
    csrf_token,
    is_organiser,
    person_of_session,
)
from consilience.web.jobs import AWAY, FullError, Job, Jobs

#: What a page tells: plain data, ready for JSON.
Data: TypeAlias = dict[str, Any]

#: The pages of a project: key (after g), path, name.
PAGES = (
    ("o", "overview", "Overview"),
    ("c", "compare", "Compare"),
    ("i", "items", "Items"),
    ("p", "people", "People"),
    ("l", "label", "Label"),
    ("r", "reports", "Reports"),
)


@dataclass(frozen=True, slots=True)
class Computed:
    """A result and how fresh it is: ``job`` computes a newer one; ``error`` says why it cannot.

    ``stored`` is what is known of the result beside what it says.
    """

    payload: Data | None
    job: Job | None
    error: str | None
    current: bool
    stored: Kept | None = None

    def told(self) -> Data:
        """Give the state as plain data: which result this is, what is being computed."""
        return {
            "result": None if self.payload is None else self.payload["id"],
            "current": self.current,
            "job": None if self.job is None else self.job.told(),
            "error": self.error,
        }


@dataclass(frozen=True, slots=True)
class Context:
    """What a page works with: the request, the database, the jobs."""

    request: Request

    @property
    def db(self) -> Database:
        """The database of this app."""
        found: Database = self.request.app.state.db
        return found

    @property
    def jobs(self) -> Jobs:
        """The work that goes on in the background."""
        found: Jobs = self.request.app.state.jobs
        return found

    @property
    def access(self) -> Access:
        """How this app may be reached."""
        found: Access = self.request.app.state.access
        return found

    @property
    def upload(self) -> int:
        """How many bytes a request may bring."""
        return int(self.request.app.state.upload)

    def project(self, slug: str) -> Project:
        """Find a project by its short name."""
        try:
            return project(self.db, slug)
        except UsageError as error:
            raise RefusedError(str(error), 404) from None

    def computed(self, of: Project, verb: str, settings: Data, *, patience: float = 0) -> Computed:
        """Find a result, or have it computed; an older one is shown while that goes on.

        What is computed within ``patience`` seconds is given at once.
        """
        found, job, error = latest(self.db, of, verb, settings), None, None
        if found is None or found.version < of.version:
            try:
                job = self.jobs.start(of, verb, settings)
            except FullError as full:
                error = str(full)
        if job is not None and job.ended.wait(patience) and job.state == "done":
            found, job = latest(self.db, of, verb, settings), None
        if job is not None and job.state == "failed":
            error = job.message
        if error == AWAY:
            raise UnavailableError(AWAY)
        payload = None if found is None else found.payload
        current = found is not None and found.version >= of.version
        return Computed(payload, None if error else job, error, current, found)


def _context(request: Request) -> Context:
    return Context(request)


#: The parameter by which a page asks for its context.
Ctx = Annotated[Context, Depends(_context)]
#: A number in an address that may be one of a row.
Number = Annotated[int, Path(ge=0, le=2**31 - 1)]


async def organiser(request: Request) -> None:
    """Let the organiser in; send others to where they can say who they are."""
    if not is_organiser(request, request.app.state.access):
        raise RefusedError("this page is the organiser's (fix: open it with the token)", 401)
    await check_change(request)


async def person(request: Request) -> tuple[Project, Respondent]:
    """Find whose work this is, by the session that their link opened."""
    from starlette.concurrency import run_in_threadpool

    found = await run_in_threadpool(person_of_session, request, request.app.state.db)
    if found is None:
        raise RefusedError(
            "this page opens by a person's own link (fix: open it again, or ask for a new one)", 401
        )
    await check_change(request)
    return found


#: The parameter by which a page asks whose link opened it.
Whose = Annotated[tuple[Project, Respondent], Depends(person)]


def page(router: APIRouter, path: str, *, template: str) -> Callable[..., Any]:
    """Register a function as a page and, with ``.json`` behind the path, as data.

    Data with a ``status`` are sent with it: 422 where what was chosen cannot be.
    """

    def register(make: Callable[..., Data]) -> Callable[..., Data]:
        @functools.wraps(make)
        def as_html(*args: Any, **given: Any) -> Response:
            data = make(*args, **given)
            return shown(given["ctx"], template, data, status=data.get("status", 200))

        @functools.wraps(make)
        def as_json(*args: Any, **given: Any) -> Response:
            data = make(*args, **given)
            return Plain(data, data.get("status", 200))

        # the data first: a name at the end of a path would swallow the ending
        for function, end, kind in ((as_json, ".json", Plain), (as_html, "", HTMLResponse)):
            _sign(function, make)
            router.add_api_route(
                "/index.json" if path + end == "/.json" else path + end,
                function,
                methods=["GET"],
                name=make.__name__ + end.replace(".", "_"),
                response_class=kind,
                include_in_schema=bool(end),
            )
        return make

    return register


def _sign(function: Callable[..., Any], like: Callable[..., Any]) -> None:
    """Give a function the parameters of another, with their types resolved."""
    hints = typing.get_type_hints(like, include_extras=True)
    parameters = [
        one.replace(annotation=hints.get(one.name, one.annotation))
        for one in inspect.signature(like).parameters.values()
    ]
    signed = inspect.Signature(parameters)
    function.__signature__ = signed  # type: ignore[attr-defined]


class Plain(JSONResponse):
    """JSON as the command line writes it: no NaN, names as they are."""

    def render(self, content: Any) -> bytes:
        """Write the data."""
        return json.dumps(content, ensure_ascii=False, allow_nan=False).encode(
            errors="backslashreplace"
        )


@functools.cache
def _templates() -> Environment:
    from consilience.web.filters import FILTERS, GLOBALS

    made = Environment(
        loader=PackageLoader("consilience.web"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= {"version": __version__, "pages": PAGES, **GLOBALS}
    made.filters |= FILTERS
    return made


def shown(ctx: Context, template: str, data: Data, *, status: int = 200) -> HTMLResponse:
    """Show data as a page."""
    made = _templates().get_template(template)
    text = made.render(
        **data,
        data=data,
        request=ctx.request,
        path=ctx.request.url.path,
        twin_address=twin_address(ctx.request) if ctx.request.method == "GET" else None,
        csrf=csrf_token(ctx.request),
        organiser=is_organiser(ctx.request, ctx.access),
    )
    return HTMLResponse(text.encode(errors="backslashreplace"), status)


def twin_address(request: Request) -> str:
    """Give the address of the same page as data, with all that was chosen."""
    path = request.url.path if request.url.path != "/" else "/index"
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{path}.json{query}"


def wants_json(request: Request) -> bool:
    """Tell whether a program asks."""
    accept = request.headers.get("accept", "")
    return request.url.path.endswith(".json") or (
        "application/json" in accept and "text/html" not in accept
    )


def done(ctx: Context, to: str, data: Data | None = None) -> Response:
    """Answer a change: programs get data, people go on to a page."""
    if wants_json(ctx.request):
        return Plain({"next": to, **(data or {})})
    if ctx.request.headers.get("hx-request"):
        return Response(status_code=204, headers={"HX-Redirect": to})
    return RedirectResponse(to, 303)
