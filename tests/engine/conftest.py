"""One Java machine serves all tests on Spark: they belong to one group, which one worker runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from consilience.engine import spark
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
