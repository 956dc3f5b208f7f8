"""A real PostgreSQL for the tests: a server of our own in a temporary folder, made by ``initdb``.

It listens on a Unix socket and on a free port of the loopback address. Each worker of the tests
starts one at most; a test gets a fresh database, copied from one that is there already.
"""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

#: Where Debian puts the programs of a server.
DEBIAN = Path("/usr/lib/postgresql")
_OWNER = "postgres"
_TEMPLATE = "made"


def program(name: str) -> str:
    """Find one of PostgreSQL's programs."""
    places = [str(folder / "bin") for folder in sorted(DEBIAN.glob("*"), reverse=True)]
    found = shutil.which(name, path=os.pathsep.join([*places, os.environ.get("PATH", "")]))
    assert found, f"PostgreSQL's {name} is missing: run  make postgres"
    return found


def quick_place() -> str | None:
    """Name a folder in memory where there is one with room: what lies there need not be safe."""
    place = Path("/dev/shm")
    roomy = place.is_dir() and shutil.disk_usage(place).free > 2 << 30
    return str(place) if roomy and os.access(place, os.W_OK) else None


@dataclass(slots=True)
class Server:
    """A server that runs; ``folder`` holds its data and its socket."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str) -> str:
        """Give the URL of a database."""
        return f"postgresql://tests@127.0.0.1:{self.port}/{database}"

    def run(self, statement: str) -> None:
        """Run a statement outside all our databases."""
        import psycopg

        with psycopg.connect(self.url("postgres"), autocommit=True) as conn:
            conn.execute(statement)

    def empty(self) -> str:
        """Make an empty database; give its URL."""
        name = f"empty_{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE template0")
        return self.url(name)

    def fresh(self) -> str:
        """Make a database with our tables and without rows; give its URL."""
        name = f"fresh_{next(self.numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove a database."""
        self.run(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]} WITH (FORCE)")

    def kill(self) -> None:
        """Let the server die at once, as a machine does that loses its power."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def start(self) -> None:
        """Start the server again, on the same folder."""
        self.process = _started(self.folder, self.port, ())
        _wait(self)


@contextmanager
def server(*, safe: bool = False) -> Iterator[Server]:
    """Run a server; ``safe``: it writes to the disk before it says so, as servers do by default."""
    where = None if safe else quick_place()
    with tempfile.TemporaryDirectory(prefix="pg", dir=where, ignore_cleanup_errors=True) as place:
        folder = Path(place)
        if _is_root():
            owner = pwd.getpwnam(_OWNER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        subprocess.run(
            [
                *(*_as_owner(), program("initdb"), "--pgdata", str(folder / "data")),
                *("--username=tests", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"),
            ],
            check=True,
            capture_output=True,
            cwd=folder,
        )
        port = _free_port()
        made = Server(folder, port, _started(folder, port, () if safe else _QUICK))
        try:
            _wait(made)
            _make_template(made)
            yield made
        finally:
            made.process.send_signal(signal.SIGINT)
            made.process.wait(30)


#: Settings of a server that may lose everything when the machine stops.
_QUICK = (
    *("fsync=off", "synchronous_commit=off", "full_page_writes=off"),
    *("wal_level=minimal", "max_wal_senders=0", "autovacuum=off"),
)


def _started(folder: Path, port: int, settings: tuple[str, ...]) -> subprocess.Popen[bytes]:
    several = (f"port={port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={folder}")
    options = [part for one in (*several, *settings) for part in ("-c", one)]
    return subprocess.Popen(
        [*_as_owner(), program("postgres"), "-D", str(folder / "data"), *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )


def _wait(made: Server) -> None:
    import psycopg

    for _ in range(600):
        assert made.process.poll() is None, "PostgreSQL's server has stopped"
        try:
            psycopg.connect(made.url("postgres")).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.05)
    raise AssertionError("PostgreSQL's server does not answer")


def _make_template(made: Server) -> None:
    from consilience.store.connect import open_database

    made.run(f"CREATE DATABASE {_TEMPLATE} TEMPLATE template0")
    open_database(made.url(_TEMPLATE)).close()


def _is_root() -> bool:
    return os.geteuid() == 0


def _as_owner() -> tuple[str, ...]:
    """Give what makes a program run as PostgreSQL's user: its server refuses to be root's."""
    return ("setpriv", f"--reuid={_OWNER}", f"--regid={_OWNER}", "--clear-groups") * _is_root()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
