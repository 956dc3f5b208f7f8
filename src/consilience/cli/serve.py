"""``consilience serve``: the web app on a benchmark database."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from consilience.cli import say
from consilience.cli.databases import in_database, with_pictures
from consilience.cli.paths import INPUT
from consilience.errors import UsageError

if TYPE_CHECKING:
    import socket
    from types import FrameType

    from fastapi import FastAPI

    from consilience.store.connect import Database
#: What a token is made of.
_TOKEN = re.compile(r"[A-Za-z0-9._~-]{16,}")


@click.command("serve")
@click.argument("files", type=INPUT, nargs=-1, metavar="[FILES…]")
@in_database
@click.option(
    "--truth",
    type=INPUT,
    multiple=True,
    metavar="FILE",
    help="The truth, or judges' answers, beside FILES (repeatable).",
)
@click.option(
    *("--project", "name"),
    metavar="NAME",
    help="What the project of FILES is called; by default after them.",
)
@with_pictures
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="0: any free."
)
@click.option(
    "--address",
    metavar="URL",
    help="Where people reach the app, if another server passes requests on to it; links begin with "
    "it, and other names are refused.",
)
@click.option(
    "--token",
    envvar="CONSILIENCE_TOKEN",
    metavar="TEXT",
    help="The organiser's token, by default that of the variable CONSILIENCE_TOKEN; made and "
    "printed where it is needed and not given.",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option(
    "--max-upload",
    type=click.IntRange(min=1),
    default=512,
    show_default=True,
    metavar="MB",
    help="The most that one request may bring.",
)
def command(
    files: tuple[str, ...],
    where: str,
    truth: tuple[str, ...],
    name: str | None,
    folder: str | None,
    host: str,
    port: int,
    address: str | None,
    token: str | None,
    no_browser: bool,
    max_upload: int,
) -> None:
    """Open the web app: overview, comparison, items, people, labelling, soft match, reports.

    It listens on this machine only, unless --host says otherwise; from elsewhere the organiser
    needs the token, and people their own links (consilience label). Behind a server that speaks
    HTTPS, --address says where that is.

    \b
    consilience serve
    consilience serve runs/*.trec --truth qrels.txt
    consilience serve --database study.db
    consilience serve --database postgresql://ann@db.example.org/bench --files /srv/bench
    consilience serve --address https://bench.example.org
    """
    from consilience.store.connect import open_database
    from consilience.web.access import Access, address_of, is_loopback
    from consilience.web.app import create_app

    home = None if address is None else address_of(address)
    if token is None and (home is not None or not is_loopback(host)):
        token = secrets.token_urlsafe(32)
    if token is not None and not _TOKEN.fullmatch(token):
        raise UsageError(
            "a token has 16 or more of the letters, digits and signs -._~ of addresses; a shorter "
            "one can be guessed (fix: choose another one)"
        )
    db = open_database(where, files=None if folder is None else Path(folder))
    start = f"/open/{token}" if token else "/"
    if files or truth:
        slug = _filled(db, files, truth, name)
        start = start if token else f"/p/{slug}/overview"
    listening = listen(host, port)
    here = _named(host, listening.getsockname()[1])
    say(f"Consilience is at {home or here}{start}")
    if home is not None:
        say(f"It listens on {here}, for the server that passes requests on.")
    say(f"Everything is kept in {db.where}. Stop with Ctrl-C.")
    # everybody on this machine can see how a browser is called: it gets an address for once
    once = secrets.token_urlsafe(32) if token else None
    browse = f"{home or here}/open/{once}" if token else f"{here}{start}"
    app = create_app(db, access=Access(token, once, home), upload=max_upload << 20)
    _run(app, listening, None if no_browser else browse)


def _filled(db: Database, files: tuple[str, ...], truth: tuple[str, ...], name: str | None) -> str:
    """Read files into a project of their own; one of that name, with these files, is used again.

    Where they cannot be read, no project is left behind.
    """
    from consilience.cli.shared import alive
    from consilience.store.projects import make_project, projects, remove_project
    from consilience.store.sources import add_files, sources

    called = name or _called([*files, *truth])
    known = [one for one in projects(db) if one.name == called]
    if known and sources(db, known[0]):
        say(f"{called!r} is there already and is shown as it is; --project begins another one")
        return known[0].slug
    project = known[0] if known else make_project(db, called)
    try:
        with alive("reading"):
            add_files(db, project, list(files), truth=list(truth))
    except BaseException:
        if not known:
            remove_project(db, project.slug)
        raise
    return project.slug


def _called(files: Sequence[str]) -> str:
    """Call a project like its file, or like the folder of several.

    Examples
    --------
    >>> _called(["runs/bm25.run"]), _called(["runs/bm25.run", "runs/dense.run"])
    ('bm25', 'runs')
    """
    first = Path(files[0]).absolute()
    return (first.stem if len(files) == 1 else first.parent.name) or "project"


def listen(host: str, port: int) -> socket.socket:
    """Begin to listen, or say why that is not possible."""
    import socket

    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        # named as TCP, so that answers go out at once and wait for nothing to be acknowledged
        made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((host, port))
        made.listen(128)  # whoever comes at once is answered when the app is ready
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(
            f"cannot listen on {host}, port {port}: {reason} (fix: another --port; 0 takes any)"
        ) from None
    return made


def _named(host: str, port: int) -> str:
    """Write an address that a browser can open.

    Examples
    --------
    >>> _named("127.0.0.1", 8765), _named("::1", 80)
    ('http://127.0.0.1:8765', 'http://[::1]:80')
    """
    import socket

    if host in ("0.0.0.0", "::", ""):  # every address of this machine
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _run(app: FastAPI, listening: socket.socket, browse: str | None) -> None:
    """Serve until somebody stops it."""
    import threading
    import webbrowser

    import uvicorn

    from consilience.web.soft_compare import TURNS

    class Server(uvicorn.Server):
        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            TURNS.stop()  # requests are answered before the server goes, and need not be computed
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, proxy_headers=False
    )
    if browse is not None and sys.stderr is not None and sys.stderr.isatty():
        threading.Timer(0.8, webbrowser.open, (browse,)).start()
    Server(config).run(sockets=[listening])
