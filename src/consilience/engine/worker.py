"""A worker process: studies parts of a votes file, one after the other, as it is told.

``python -m consilience.engine.worker`` reads what the work is and then the numbers of parts from
standard input, and writes a reply for each to standard output, all as pickles. It is started by
:mod:`consilience.engine.parts` alone.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from consilience.errors import ConsilienceError, UsageError

if TYPE_CHECKING:
    from consilience.engine.parts import Task


def main() -> None:
    """Work until nobody asks for more, or nobody is there to hear of it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks is interrupted, and ends this
    reply = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed must not stand between the replies
    asked = sys.stdin.buffer
    task: Task | None = _heard(asked)
    while task is not None and (place := _heard(asked)) is not None:
        _say(reply, attempt(task, place))


def _heard(stream: BinaryIO) -> Any:
    """Hear what is asked; None where nobody asks any more."""
    try:
        return pickle.load(stream)
    except EOFError:
        return None


def _say(stream: BinaryIO, message: Any) -> None:
    """Reply; where nobody hears it any more, there is nothing left to do."""
    try:
        pickle.dump(message, stream, protocol=pickle.HIGHEST_PROTOCOL)
        stream.flush()
    except BrokenPipeError:
        os._exit(0)  # and nothing is sent again in leaving


def attempt(task: Task, place: int) -> tuple[str, Any]:
    """Do a part: give ("done", its result), or what went wrong and in which words."""
    try:
        return "done", task.do(place)
    except UsageError as error:
        return "usage", str(error)
    except ConsilienceError as error:
        return "error", str(error)
    except MemoryError:
        return "memory", ""


if __name__ == "__main__":
    main()
