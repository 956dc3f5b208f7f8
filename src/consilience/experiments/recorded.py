"""What slow stages gave, kept so that everybody can compute on from there in seconds.

A recording is a JSON document, compressed: what the stage did, when, with which versions and how
long it took, and its output. Others' data that may not be passed on are read where they lie
(:func:`others_data`); only figures computed from them are recorded.
"""

from __future__ import annotations

import gzip
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from consilience.errors import UsageError
from consilience.experiments.reproduced import Asked, Stage
from consilience.store import write

#: Where recordings lie.
FOLDER = Path(str(resources.files("consilience.experiments"))) / "recorded"
#: Where others' data lie, unless ``--data`` says otherwise.
VARIABLE = "CONSILIENCE_DATA"


@dataclass(frozen=True, slots=True)
class Recording:
    """The output of a slow stage, and how it came about."""

    what: str
    output: Any
    versions: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    when: str = ""
    recorded: bool = False

    def stage(self) -> Stage:
        """Tell how it came about."""
        return Stage(self.what, self.when, self.seconds, self.versions, self.recorded)


def load(name: str) -> Recording:
    """Read a recording that the package carries."""
    told = json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
    return Recording(**told, recorded=True)


def save(name: str, recording: Recording) -> Path:
    """Write a recording into the package: the same content gives the same bytes."""
    told = {
        "what": recording.what,
        "output": recording.output,
        "versions": dict(recording.versions),
        "seconds": round(recording.seconds, 1),
        "when": recording.when,
    }
    text = json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    path = FOLDER / f"{name}.json.gz"
    write(path, gzip.compress(text.encode(), 9, mtime=0))
    return path


def made(what: str, output: Any, *, versions: Mapping[str, str], seconds: float) -> Recording:
    """Put down what a stage gave just now."""
    return Recording(what, output, versions, seconds, datetime.now(UTC).date().isoformat())


@contextmanager
def stopwatch() -> Iterator[list[float]]:
    """Measure how long something takes, in seconds; the list gets its only entry at the end."""
    begun, taken = time.perf_counter(), list[float]()
    yield taken
    taken.append(time.perf_counter() - begun)


def packages(*names: str) -> dict[str, str]:
    """Give the versions of installed packages.

    Examples
    --------
    >>> list(packages("numpy"))
    ['numpy']
    """
    return {name: metadata.version(name) for name in names}


def others_data(name: str, asked: Asked) -> Path | None:
    """Find a folder of others' data that may not be passed on; None where it is not at hand.

    It is looked for in ``--data``, then where the variable ``CONSILIENCE_DATA`` says, then beside
    a checkout of the project. A folder that was asked for and is not there is an error.
    """
    if asked.data is not None:
        found = asked.data / name
        if not found.is_dir():
            raise UsageError(
                f"{found} is not a folder (fix: --data names the folder that holds {name})"
            )
        return found
    named = os.environ.get(VARIABLE)
    beside = Path(__file__).parents[3].parent / "shared" / "data"
    found = (Path(named) if named else beside) / name
    return found if found.is_dir() else None


def need(*, modules: Sequence[str] = (), programs: Sequence[str] = ()) -> None:
    """Say what a slow stage lacks on this machine, all at once and with the fix."""
    import importlib.util
    import shutil

    lacking = [name for name in modules if importlib.util.find_spec(name) is None]
    absent = [name for name in programs if shutil.which(name) is None]
    fixes = []
    if lacking:
        fixes.append("pip install 'consilience[experiments]'")
    if absent:
        fixes.append(
            f"install {' and '.join(absent)} (Debian: apt-get install "
            f"{' '.join({'tesseract': 'tesseract-ocr'}.get(n, n) for n in absent)})"
        )
    if fixes:
        missing = ", ".join([*lacking, *absent])
        raise UsageError(
            f"to run this stage again, {missing} must be here (fix: {'; '.join(fixes)}; or leave "
            "--again out: what the stage gave was recorded)"
        )
