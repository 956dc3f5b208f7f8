"""A sign of life while work goes on: on a terminal after a while, never elsewhere."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys, time
from consilience.cli.shared import alive
from consilience.progress import report
seconds, after, shares = float(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
with alive("ranking", after=after):
    for share in shares or [None]:
        if share is not None:
            report(int(share), 100)
        time.sleep(seconds)
sys.stderr.write("done")
"""


def on_a_terminal(*command: str, cwd: Path | None = None) -> tuple[int, str]:
    """Run Python with standard error at a pseudo-terminal; give what was shown there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, *command], stdout=subprocess.PIPE, stderr=theirs, cwd=cwd
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:  # Linux: the other end was closed
                break
            if not more:
                break
            shown += more
    os.close(ours)
    return process.returncode, shown.decode()


def test_how_far_the_work_is_is_shown_and_wiped_away() -> None:
    code, shown = on_a_terminal("-c", PROGRAM, "1.2", "0.1", "9", "45", "100")
    assert code == 0
    first, *lines, wiped, last = shown.split("\r")
    assert (first, last) == ("", "done")
    assert re.fullmatch(r"ranking … \d s, 9 % ", lines[0])
    assert any(re.fullmatch(r"ranking … \d s, 45 % ", line) for line in lines)
    assert re.fullmatch(r"ranking … \d s +", lines[-1])  # that part is done, the work is not
    assert wiped == " " * len("ranking … 2 s, 45 % ")


def test_where_nothing_is_reported_only_time_is_shown() -> None:
    code, shown = on_a_terminal("-c", PROGRAM, "0.8", "0.1")
    assert code == 0
    assert re.search(r"ranking … \d s", shown)
    assert "%" not in shown


def test_short_work_shows_nothing() -> None:
    assert on_a_terminal("-c", PROGRAM, "0.1", "2", "45") == (0, "done")


@pytest.mark.parametrize("shares", [(), ("45",)])
def test_where_there_is_no_terminal_nothing_is_shown(shares: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, "0.5", "0", *shares],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == "done"


def test_an_error_ends_the_sign_of_life() -> None:
    failing = "from consilience.cli.shared import alive\nwith alive('x', after=0):\n 1 / 0"
    code, shown = on_a_terminal("-c", failing)
    assert code == 1
    assert "ZeroDivisionError" in shown
