"""Labelling through the app: projects with tasks, and people who answer by HTTP."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.store.labelling import NAMED
from tests.web.served import PROGRAM


def runs(named: dict[str, dict[str, str]] = NAMED) -> dict[str, bytes]:
    """Give the runs of systems as files."""
    return {
        f"{system}.run": "".join(
            f"{query} Q0 {item} {rank} {1 / rank} {system}\n"
            for query, items in lists.items()
            for rank, item in enumerate(items, 1)
        ).encode()
        for system, lists in named.items()
    }


def ask(client: httpx.Client, slug: str, kind: str = "relevance", **settings: Any) -> None:
    """Settle what is asked."""
    sent = {"kind": kind, **settings}
    client.post(f"/p/{slug}/label/question", data=sent).raise_for_status()


def draw(client: httpx.Client, slug: str, how: str = "all", number: str = "") -> int:
    """Draw tasks at once."""
    sent = {"how": how, "number": number}
    done = client.post(f"/p/{slug}/label/draw", data=sent).raise_for_status()
    return int(done.json()["drawn"])


def invite(client: httpx.Client, slug: str, *names: str) -> list[str]:
    """Let people label; give their links."""
    made = client.post(f"/p/{slug}/label/people", data={"names": "\n".join(names)})
    return [one["link"] for one in made.raise_for_status().json()["links"]]


@contextlib.contextmanager
def person(link: str) -> Iterator[httpx.Client]:
    """Come in by a link, as a program."""
    home = link.partition("/w/")[0]
    with httpx.Client(base_url=home, headers=PROGRAM, timeout=60) as client:
        assert client.get(link).status_code == 303
        yield client


def task_of(client: httpx.Client) -> dict[str, Any] | None:
    """Ask for the next task."""
    found: dict[str, Any] | None = client.get("/work.json").raise_for_status().json()["task"]
    return found


@dataclass(slots=True)
class Apart:
    """The app in a process of its own, as users start it."""

    where: str
    files: Path
    process: subprocess.Popen[str]
    url: str

    def kill(self) -> None:
        """Let it die at once."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def apart(where: str, files: Path) -> Iterator[Apart]:
    """Run ``consilience serve`` in a process of its own."""
    command = ["serve", "--database", where, "--files", str(files), "--port", "0", "--no-browser"]
    process = subprocess.Popen(
        [sys.executable, "-m", "consilience", *command], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    assert "Consilience is at" in line, line + process.stderr.read()
    url = line.split()[-1].rstrip("/")
    try:
        yield Apart(where, files, process, url)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
