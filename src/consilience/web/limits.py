"""How much a request may bring."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

#: Paths whose requests may bring files; all others bring forms.
UPLOADS = ("/upload", "/content", "/archives", "/tree")
#: The most bytes of a form: two pasted lists and more.
FORM = 8 << 20


class Limited:
    """Answer 413 where a request brings more than it may, before it is read."""

    def __init__(self, app: ASGIApp, *, most: int) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what comes in; what is too long is not passed on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        most = self.most if scope["path"].rstrip("/").endswith(UPLOADS) else min(FORM, self.most)
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > most:
            await _refuse(send, most)
            return
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
                await _refuse(send, most)


class _TooMuchError(Exception):
    """More came than the request said, or than it may."""


async def _refuse(send: Send, most: int) -> None:
    """Say that it is too much."""
    size = f"{most / (1 << 20):.0f} MB" if most >= 1 << 20 else f"{most:,} bytes"
    text = f"this is more than {size}, the most that a request may bring here"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": text.encode()})
