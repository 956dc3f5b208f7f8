"""The app as users have it: a server on a free port of loopback, a real browser that looks."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

from consilience.cli.serve import listen
from consilience.store.connect import Database, open_database
from consilience.web.access import Access
from consilience.web.app import create_app

#: How many seconds a request waits for what it began: longer than it takes on a busy machine.
PATIENCE = 600.0
#: What programs say, so that they need no session.
PROGRAM = {"x-consilience-client": "tests", "accept": "application/json"}


@dataclass(frozen=True, slots=True)
class Served:
    """A running app: its address and its database."""

    url: str
    db: Database
    jobs: Any


@contextlib.contextmanager
def serving(
    where: Path | str, *, token: str | None = None, files: Path | None = None, **options: Any
) -> Iterator[Served]:
    """Run the app in a thread."""
    db = open_database(where, files=files)
    app = create_app(db, access=Access(token), **{"patience": PATIENCE, **options})
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Served(f"http://127.0.0.1:{listening.getsockname()[1]}", db, app.state.jobs)
    finally:
        server.should_exit = True
        thread.join(10)
        db.engine.dispose()
        listening.close()


@dataclass
class Watched:
    """What went wrong while somebody looked at pages: messages, errors, requests to elsewhere."""

    home: str
    messages: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    def follow(self, page: Any) -> None:
        """Listen to a page of the browser."""
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        page.on("request", self._asked)

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.messages.append(f"{message.type}: {message.text}")

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.home, "data:", "blob:")):
            self.elsewhere.append(request.url)

    def expect(self, *beginnings: str) -> None:
        """Take out messages that had to come, such as the browser's note of an answer 422."""
        self.messages = [one for one in self.messages if not any(b in one for b in beginnings)]
