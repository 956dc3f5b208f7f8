"""The memory of a process and of everybody whom it started, looked at while they work."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType

#: Seconds between two looks.
PAUSE = 0.2


class Tree:
    """Looks at a process and its descendants until told to stop; ``peak`` is the most, in MB.

    Pages that several of them share are counted once (``Pss``), where the system tells; else all
    that each of them holds.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.peak = 0.0
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Tree:
        self._watch.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._watch.join()

    def _look(self) -> None:
        over = False
        while not over:
            held = sum(map(_held, _family(self.pid)))
            self.peak = max(self.peak, held * 1024 / 1e6)
            over = self._over.wait(PAUSE)


def _family(pid: int) -> Iterator[int]:
    """Name a process and all that descend from it."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in _text(children).split():
            yield from _family(int(child))


def _held(pid: int) -> int:
    """Tell how many kilobytes a process holds; 0 where it has ended."""
    for name, line in (("smaps_rollup", "Pss:"), ("status", "VmRSS:")):
        for one in _text(Path(f"/proc/{pid}/{name}")).splitlines():
            if one.startswith(line):
                return int(one.split()[1])
    return 0


def forget_peak() -> None:
    """Let the peak of this process be what it holds now."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def peak() -> float:
    """Give the most MB that this process has held, since that was last forgotten."""
    for line in _text(Path("/proc/self/status")).splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
