"""Run the command line as a user would: in this process, or in one of its own."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.cli import main


@dataclass(frozen=True)
class Ran:
    """What came out."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out, parse_constant=_no_constant)


def _no_constant(name: str) -> None:
    raise AssertionError(f"JSON holds {name}")


def consilience(*args: str | Path, cwd: Path | None = None) -> Ran:
    """Run ``consilience`` here, from its arguments to its exit code.

    What no user should meet, an exception or a warning, ends the test.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with (
        contextlib.chdir(cwd or os.curdir),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        code = _exit_code([str(arg) for arg in args])
    return Ran(code, _written(out), _written(err))


def _exit_code(args: list[str]) -> int:
    try:
        main(args)
    except SystemExit as ended:
        return int(ended.code or 0)


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def own_process(*args: str | Path, cwd: Path | None = None) -> Ran:
    """Run ``consilience`` in a process of its own, and wait for it."""
    done = subprocess.run(
        [sys.executable, "-m", "consilience", *map(str, args)],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)
