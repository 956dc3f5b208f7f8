"""The parts of a ranking beyond memory, each with the CPU seconds that it took.

What a process loads when it first does something is start-up. So it does a query before its first
part, and that is not counted.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bench.watch import forget_peak
from consilience.engine import parts
from consilience.engine.source import Votes

if TYPE_CHECKING:
    from consilience.study import Study

#: CPU seconds of this process when the part in hand was begun; whether something was done before.
_CLOCK = {"began": 0.0, "warm": 0.0}


class Read(Votes):
    """Votes that note when the reading of a part begins."""

    @staticmethod
    def of(votes: Votes) -> Read:
        """Take votes as they are, with all that is known of them."""
        made = object.__new__(Read)
        vars(made).update(vars(votes))
        return made

    def study(self, *ranges: tuple[int, int]) -> Study:
        """Read a part."""
        if not _CLOCK["warm"]:
            super().study((0, 1))
        _CLOCK["began"] = time.process_time()
        return super().study(*ranges)


@dataclass(frozen=True)
class Work:
    """Work on a part that tells how long it took, reading included."""

    work: Callable[[Study], Any]
    votes: Read

    def __repr__(self) -> str:
        return repr(self.work)

    def __call__(self, study: Study) -> tuple[Any, float]:
        """Do it."""
        read = time.process_time() - _CLOCK["began"]
        if not _CLOCK["warm"]:
            _CLOCK["warm"] = 1.0
            self.work(self.votes.study((0, 1)))
        began = time.process_time()
        found = self.work(study)
        return found, read + time.process_time() - began


def timed(taken: list[float]) -> Callable[..., parts.Parts]:
    """Make a function that has parts done as ``each`` has, and notes what they took."""

    def each(task: parts.Task, **how: Any) -> parts.Parts:
        votes = Read.of(task.votes)
        done = parts.each(replace(task, votes=votes, work=Work(task.work, votes)), **how)
        taken.extend(seconds for _, seconds in done.found)
        forget_peak()
        return replace(done, found=[found for found, _ in done.found])

    return each
