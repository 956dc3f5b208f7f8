"""Starting Spark: what it needs, where it runs, and what of its words reaches the terminal.

The Java machine greets with half a dozen lines that tell a user nothing. They are left out;
everything else that it says, errors above all, goes to the terminal as it comes.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from consilience.errors import ConsilienceError, UsageError, quote

#: Where Spark runs unless somebody says otherwise: all cores of this machine.
LOCAL = "local[*]"
#: Settings of a session that we start; those of ``spark-defaults.conf`` and the environment stay.
_QUIET = {
    "spark.log.level": "FATAL",  # what makes work fail is raised as well
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
#: Lines of a Java machine that starts, and of a Spark that has no level of logging yet.
_GREETING = re.compile(
    r"^WARNING: |^Using Spark's default log4j|^Setting default log level"
    r"|^Setting Spark log level|^To adjust logging level| (INFO|WARN) "
)


def started(master: str, settings: Mapping[str, str]) -> Any:
    """Start a session at a master URL."""
    try:
        from pyspark import SparkConf, SparkContext
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError(
            "Spark is not installed (fix: pip install 'consilience[spark]', or --engine duckdb)"
        ) from None
    if SparkSession.getActiveSession() is not None:
        raise UsageError(
            "a session of Spark is running in this process (fix: pass it in, or stop it first)"
        )
    need_java()
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    conf = SparkConf().setAppName("consilience").setMaster(master)
    conf.setAll(list({**_QUIET, **_nearby(master), **settings}.items()))
    for name in ("py4j", "DataFrameQueryContextLogger"):  # what they log is raised as well
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        with without_warnings():
            SparkContext(conf=conf, gateway=_gateway(conf))
            made = SparkSession.builder.getOrCreate()
    except (PySparkException, OSError, RuntimeError, ValueError) as error:
        raise ConsilienceError(
            f"Spark does not start at {quote(master)}: {first_line(error)} (fix: check the master "
            "URL and that its machines can be reached)"
        ) from None
    return made


def _gateway(conf: Any) -> Any:
    """Start the Java machine, and listen to what it says; None: one is there from before."""
    from pyspark import SparkContext, java_gateway

    if SparkContext._gateway is not None:
        return None
    read_end, write_end = os.pipe()
    said, runs = list[str](), threading.Event()
    ear = threading.Thread(target=_listen, args=(read_end, said, runs), daemon=True)
    ear.start()
    launch: Any = java_gateway.launch_gateway
    try:
        made = launch(conf, {"stderr": write_end})
    except RuntimeError as error:  # what Java said is the better reason
        os.close(write_end)
        write_end = -1
        ear.join(2.0)
        reasons = [line for line in said if re.search(r"(Exception|Error)\b", line)]
        raise RuntimeError(
            re.sub(r"^.*?(Exception|Error): ", "", [*reasons, str(error)][0])
        ) from None
    finally:
        if write_end >= 0:
            os.close(write_end)
    runs.set()
    sys.stderr.writelines(said)
    return made


def _listen(read_end: int, said: list[str], runs: threading.Event) -> None:
    """Pass on what the Java machine says, but for its greeting; keep it until it runs."""
    with open(read_end, encoding="utf-8", errors="replace") as stream:
        for line in stream:
            if _GREETING.search(line):
                continue
            if runs.is_set():
                sys.stderr.write(line)
            else:
                said.append(line)


def _nearby(master: str) -> dict[str, str]:
    """Keep a session of this machine on this machine, with as many partitions as it has cores."""
    if not master.startswith("local"):
        return {}
    cores = master.partition("[")[2].partition("]")[0].partition(",")[0]
    count = int(cores) if cores.isdecimal() else os.cpu_count() or 1
    return {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": str(2 * count),
    }


def need_java() -> None:
    """See that there is a Java to start."""
    home = os.environ.get("JAVA_HOME")
    if home and not (Path(home) / "bin" / "java").exists():
        raise UsageError(f"JAVA_HOME is {home}, and no Java is there (fix: set it to Java 17)")
    if not home and shutil.which("java") is None:
        raise UsageError(
            "Spark needs Java 17 or later, and there is none (fix: install Debian's package "
            "openjdk-17-jre-headless, or set JAVA_HOME)"
        )


@contextlib.contextmanager
def without_warnings() -> Iterator[None]:
    """Silence what Spark's Python side says of pandas, which is not used."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        yield


def first_line(error: Exception) -> str:
    r"""Give the first line of an error that says something.

    Examples
    --------
    >>> first_line(ValueError("\n  too short\nat line 3"))
    'too short'
    """
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__
