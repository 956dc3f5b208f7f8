"""The process that computes: takes a job, tells how far it is, stores the result, tells the end.

``python -m consilience.web.worker`` reads where the database is and then jobs from standard input,
and writes how they go to standard output, all as lines of JSON. It is started by
:mod:`consilience.web.jobs` alone, and ends when nobody asks any more.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from consilience.store.connect import Database

#: Seconds between two words about progress.
PAUSE = 0.1


def main() -> None:
    """Do jobs until the app goes away."""
    from consilience.errors import ConsilienceError
    from consilience.store.connect import open_database

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the app's business
    _give_way()
    reply = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else is printed must not stand between the replies
    place = json.loads(sys.stdin.buffer.readline() or b"null")
    if place is None:
        return
    files = None if place["files"] is None else Path(place["files"])
    db: Database | None = None
    for line in sys.stdin.buffer:
        try:
            db = db or open_database(place["where"], files=files, create=False)
        except ConsilienceError as error:
            _say(reply, _away(error))
            continue
        _say(reply, done(db, json.loads(line), reply))


def _away(error: Exception) -> dict[str, Any]:
    """Return how a job ends that the database is not there for; the log gets the reason."""
    from consilience.web.jobs import AWAY

    logging.getLogger(__name__).error("the database: %s", error)
    return {"state": "failed", "message": AWAY, "again": True}


def _give_way() -> None:
    """Be the first to go where memory runs out, before the app and the database; Linux asks."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def _say(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Reply; where nobody hears it any more, there is nothing left to do."""
    try:
        stream.write(json.dumps(message).encode() + b"\n")
        stream.flush()
    except OSError:
        os._exit(0)


def done(db: Database, request: dict[str, Any], reply: BinaryIO) -> dict[str, Any]:
    """Do a job and say how it ended; ``again``: the same may go well another time."""
    from consilience.errors import ConsilienceError, UsageError
    from consilience.progress import listening
    from consilience.store import UnwrittenError
    from consilience.store.connect import UnavailableError
    from consilience.web.verbs import VERBS

    told = time.monotonic()

    def hear(share: float) -> None:
        nonlocal told
        if time.monotonic() - told >= PAUSE:
            told = time.monotonic()
            _say(reply, {"share": share})

    try:
        with listening(hear):
            result = VERBS[request["verb"]](db, request["project"], request["settings"])
    except (UnavailableError, UnwrittenError) as error:
        return _away(error)
    except ConsilienceError as error:
        again = not isinstance(error, UsageError)  # such as a database that is busy
        return {"state": "failed", "message": str(error), "again": again}
    except MemoryError:
        return {"state": "failed", "message": "there is not enough memory for this", "again": True}
    except Exception as error:  # noqa: BLE001  (whatever it is, the app goes on and says so)
        traceback.print_exc()
        return {"state": "failed", "message": f"this should not happen: {error!r}"}
    return {"state": "done", "result": result}


if __name__ == "__main__":
    main()
