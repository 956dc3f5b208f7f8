"""Engines for tests: DuckDB for each file of them, one Java machine for all on Spark.

Tests on Spark belong to one group, which one worker runs.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from consilience.engine import spark
from consilience.engine.duck import Duck, connected
from consilience.engine.spark import Spark

#: Small tables on two cores: compiling and many partitions would take longer than the work.
SMALL = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


@pytest.fixture(scope="session")
def here() -> Iterator[Spark]:
    """A session of Spark on this machine."""
    with spark.connected(master="local[2]", settings=SMALL) as one:
        yield one


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    """A DuckDB of 1 GB, on one thread."""
    with connected(memory=1 << 30, threads=1) as one:
        yield one
