"""The process that computes: takes a job, tells how far it is, stores the result, tells the end."""

from __future__ import annotations

import os
import signal
import threading
import time
import traceback
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

#: Seconds between two words about progress.
PAUSE = 0.1


def work(pipe: Connection, where: str, files: Path | None) -> None:
    """Do jobs until the app goes away."""
    from consilience.store.connect import open_database

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-c is the app's business
    threading.Thread(target=_follow, args=(os.getppid(),), daemon=True).start()
    db = open_database(where, files=files, create=False)
    while True:
        try:
            request = pipe.recv()
        except (EOFError, OSError):
            return
        pipe.send(_done(db, request, pipe))


def _follow(parent: int) -> None:
    """End with the app, however it ended."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _done(db: Any, request: dict[str, Any], pipe: Connection) -> dict[str, Any]:
    """Do a job and say how it ended."""
    from consilience.errors import ConsilienceError
    from consilience.progress import listening
    from consilience.web.verbs import VERBS

    told = time.monotonic()

    def hear(share: float) -> None:
        nonlocal told
        if time.monotonic() - told >= PAUSE:
            told = time.monotonic()
            pipe.send({"share": share})

    try:
        with listening(hear):
            result = VERBS[request["verb"]](db, request["project"], request["settings"])
    except ConsilienceError as error:
        return {"state": "failed", "message": str(error)}
    except MemoryError:
        return {"state": "failed", "message": "there is not enough memory for this"}
    except Exception as error:  # noqa: BLE001  (whatever it is, the app goes on and says so)
        traceback.print_exc()
        return {"state": "failed", "message": f"this should not happen: {error!r}"}
    return {"state": "done", "result": result}
