"""Pieces of work that worker processes can import."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.errors import bad
from consilience.measures.scores import score
from consilience.study import Study


@dataclass(frozen=True)
class Count:
    """Counts a part's answers, and fails at a query as it is told."""

    at: str = ""
    how: str = ""
    seen: str = ""

    def __call__(self, study: Study) -> tuple[tuple[str, ...], int]:
        if self.seen:
            with Path(self.seen).open("a", encoding="utf-8") as stream:
                stream.write(f"{study.queries[0]}\n")
        if self.at in study.queries:
            self.fail()
        return study.queries, len(study.answers)

    def fail(self) -> None:
        if self.how == "kill":
            time.sleep(1.0)  # others may finish first
            os.kill(os.getpid(), signal.SIGKILL)
        if self.how == "memory":
            raise MemoryError
        if self.how == "break":
            raise ZeroDivisionError
        if self.how == "usage":
            raise bad("votes.parquet", 3, "the vote is wrong", "mend it")


def _heavy() -> int:
    if os.environ.get("TESTS_LEAD") == str(os.getpid()):
        raise MemoryError
    return 1


class _Reply:
    def __reduce__(self) -> Any:
        return _heavy, ()


@dataclass(frozen=True)
class Heavy:
    """Gives what the process that asked for it has no memory for."""

    def __call__(self, study: Study) -> Any:
        return _Reply()


@dataclass(frozen=True)
class Recall:
    """Scores a part's systems by what most of them say."""

    def __call__(self, study: Study) -> Any:
        from consilience.belief.agreement import consensus

        return score(study, measures=["R"], belief=consensus).matrix("R")
