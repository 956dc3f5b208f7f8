"""How much a request may bring."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from consilience.web.access import RefusedError, is_organiser

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Paths whose requests may bring files; all others bring forms.
UPLOADS = ("/upload", "/content", "/archives", "/tree")
#: The most bytes of a form; Starlette takes no longer field.
FORM = 1 << 20
#: The form that takes two lists, as they were pasted or as files, and the most bytes of it.
LISTS, BOTH = ("/soft", "/soft.json"), 12 << 20
#: The most bytes that others than the organiser send: an answer, an order of many items, a token.
ANSWER = 1 << 18


class Limited:
    """Refuse a request that brings more than it may, before it is read.

    What comes in is read before it is known whether the page may be seen; so others than the
    organiser bring little.
    """

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what comes in; what is too long is not passed on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = _allowed(Request(scope), self.most)
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > most:
            raise _too_much(most)
        came = 0
        answered = False

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > most:
                raise _TooMuchError
            return message

        async def sent(message: Message) -> None:
            """Pass an answer on; whatever was made of half a request is not one."""
            nonlocal answered
            if came > most and not answered:
                raise _TooMuchError
            answered = True
            await send(message)

        try:
            await self.app(scope, counted, sent)
        except _TooMuchError:
            if not answered:
                raise _too_much(most) from None


class _TooMuchError(Exception):
    """More came than the request said, or than it may; no page tells it."""


def _allowed(request: Request, upload: int) -> int:
    """Tell how many bytes a request may bring; strangers bring no files."""
    path = request.url.path.rstrip("/")
    file = path.endswith(UPLOADS)
    if is_organiser(request, request.app.state.access):
        return upload if file else min(BOTH if path in LISTS else FORM, upload)
    if file and request.method == "POST":
        raise RefusedError("this page is the organiser's (fix: open it with the token)", 401)
    return min(ANSWER, upload)


def _too_much(most: int) -> RefusedError:
    """Say that it is too much."""
    size = f"{most / (1 << 20):.0f} MB" if most >= 1 << 20 else f"{most:,} bytes"
    return RefusedError(f"this is more than {size}, the most that a request may bring here", 413)


class _Long(Request):
    """A request whose fields may be as long as its form."""

    def form(
        self, *, max_files: float = 1000, max_fields: float = 1000, max_part_size: int = BOTH
    ) -> Any:
        """Read the form."""
        return super().form(max_files=max_files, max_fields=max_fields, max_part_size=max_part_size)


class LongForms(APIRoute):
    """A route whose forms may hold long lists."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Answer requests."""
        answer = super().get_route_handler()

        async def answered(request: Request) -> Response:
            return await answer(_Long(request.scope, request.receive))

        return answered
