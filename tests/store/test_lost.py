"""Programs and servers that die in the middle of their work: what they acknowledged is there."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from consilience.errors import ConsilienceError
from consilience.store.connect import open_database
from consilience.store.people import respondents
from consilience.store.projects import make_project, project, projects
from tests import postgres


@pytest.fixture(scope="module")
def safe() -> Iterator[postgres.Server]:
    """A server that writes to the disk before it says so."""
    with postgres.server(safe=True) as made:
        yield made


WRITER = """
import sys
from consilience.store.connect import open_database
from consilience.store.people import add_person
from consilience.store.projects import project
db = open_database(sys.argv[1])
here = project(db, "kill")
for number in range(100_000):
    add_person(db, here, f"p{number}")
    sys.stdout.write(f"p{number}\\n")
    sys.stdout.flush()
"""


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    where = str(tmp_path / "a.db")
    check_there(where, killed(where, None))


def test_what_was_acknowledged_is_there_after_the_server_was_killed(safe: postgres.Server) -> None:
    """It and the writer are killed in the middle of their work."""
    where = safe.fresh()
    acknowledged = killed(where, safe)
    safe.start()
    check_there(where, acknowledged)


def killed(where: str, server: postgres.Server | None) -> list[str]:
    db = open_database(where)
    make_project(db, "kill")
    db.close()
    writer = subprocess.Popen([sys.executable, "-c", WRITER, where], stdout=subprocess.PIPE)
    assert writer.stdout is not None
    acknowledged = [writer.stdout.readline().decode().strip() for _ in range(40)]
    if server is not None:
        server.kill()
    writer.send_signal(signal.SIGKILL)
    acknowledged += writer.stdout.read().decode().split("\n")[:-1]
    writer.stdout.close()
    writer.wait()
    return acknowledged


def check_there(where: str, acknowledged: list[str]) -> None:
    db = open_database(where)
    found = [one.name for one in respondents(db, project(db, "kill"))]
    assert len(acknowledged) >= 40
    assert found[: len(acknowledged)] == acknowledged
    assert len(found) <= len(acknowledged) + 1  # one may have been written and not said
    db.close()


def test_server_that_went_away_is_told_and_found_again(safe: postgres.Server) -> None:
    db = open_database(safe.fresh())
    make_project(db, "one")
    safe.kill()
    with pytest.raises(ConsilienceError, match=r"^postgresql://tests@127\.0\.0\.1:\d+/fresh_\d+: "):
        projects(db)
    safe.start()
    assert [one.name for one in projects(db)] == ["one"]
    db.close()
