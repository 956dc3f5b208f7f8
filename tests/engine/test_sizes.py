"""How many votes files hold, as far as can be told without reading them."""

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import consilience as cs
from consilience.engine.sizes import LEAST, limit, weigh

LONG = "query,system,item,rank\n" + "".join(
    f"topic {q},system {s},document {i},{i}\n"
    for q in range(20)
    for s in range(5)
    for i in range(1, 21)
)


def test_text_is_judged_by_its_size_packed_or_not(tmp_path: Path) -> None:
    plain, packed = tmp_path / "runs.csv", tmp_path / "runs.csv.gz"
    plain.write_text(LONG)
    packed.write_bytes(gzip.compress(LONG.encode()))
    votes = len(cs.read(plain).answers)
    assert votes / 4 < weigh([plain]).votes < votes * 4
    assert votes / 4 < weigh([packed]).votes < votes * 4


def test_every_column_of_a_wide_table_votes(tmp_path: Path) -> None:
    wide, long = tmp_path / "wide.parquet", tmp_path / "long.parquet"
    voters = {f"voter {number}": [0, 1] * 50 for number in range(30)}
    pq.write_table(pa.table({"item": [*map(str, range(100))], **voters}), wide)
    pq.write_table(
        pa.table({"system": ["a"] * 100, "item": [*range(100)], "note": [0] * 100}), long
    )
    assert weigh([wide]).votes == 30 * 100
    assert weigh([long]).votes == 100


def test_what_cannot_be_opened_weighs_nothing(tmp_path: Path) -> None:
    torn = tmp_path / "torn.parquet"
    torn.write_bytes(b"PAR1 and no more")
    assert weigh([tmp_path / "nowhere.csv", torn, tmp_path]).votes == 0


def test_too_little_memory_is_an_error() -> None:
    assert limit("1GB") == LEAST
    with pytest.raises(cs.UsageError, match="too few to work with"):
        limit(LEAST - 1)
