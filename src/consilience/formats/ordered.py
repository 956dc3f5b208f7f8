"""What orders the lists of a table: scores and ranks, of every item of a list or of none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from consilience.formats.values import fits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.columns import Codes
    from consilience.formats.cells import Reading

Values = dict[str, "NDArray[np.float64]"]
_FROM_ZERO = "ranks begin at 0: one was added to each"


def drop_empty(reading: Reading, roles: Mapping[str, str], values: Values) -> None:
    """Leave out columns that order lists but hold nothing."""
    for role in ("score", "rank"):
        if role in values and bool(np.isnan(values[role]).all()) and not reading.problems:
            del values[role]
            reading.notes.append(f"{roles[role]}: the column is empty")


def ordered(
    reading: Reading,
    roles: Mapping[str, str],
    values: Values,
    query: Codes,
    respondent: Codes,
) -> NDArray[np.integer] | None:
    """Check that lists are ordered as a whole or not at all; give the ranks, 0 for none.

    An item that was not returned (vote 0 or unknown) needs no place in the order.
    """
    if not {"score", "rank"} & {*values}:
        return None

    @cache
    def where() -> NDArray[np.int64]:
        return respondent.code.astype(np.int64) * max(len(query.names), 1) + query.code

    scored = _is_torn(where, values, "score")
    if scored is not None:
        reading.wrong(np.nonzero(scored)[0], _lacking(roles["score"], "score"))
    rank = values.get("rank")
    if rank is None:
        return None
    torn = _is_torn(where, values, "rank")
    if torn is not None:
        score = values.get("score", np.full(len(rank), np.nan))
        bare = torn & np.isnan(score)
        reading.wrong(np.nonzero(bare)[0], _lacking(roles["rank"], "rank"))
        rank = np.where(np.isin(where(), where()[torn]), np.nan, rank)
        count = int(torn.sum())
        said = f"{count:,} rows have" if count > 1 else "1 row has"
        reading.notes.append(f"{said} no rank: scores alone order their lists")
    return _from_one(reading, rank)


def _from_one(reading: Reading, rank: NDArray[np.float64]) -> NDArray[np.int64] | None:
    given = ~np.isnan(rank) & fits("rank", rank)
    if not given.any():
        return None
    first = int(rank[given].min() == 0)
    if first:
        reading.notes.append(_FROM_ZERO)
    return np.where(given, rank + first, 0).astype(np.int64)


def counted(reading: Reading, rank: NDArray[np.integer]) -> NDArray[np.integer]:
    """Let ranks that begin at 0 begin at 1."""
    if rank.min():
        return rank
    reading.notes.append(_FROM_ZERO)
    counted: NDArray[np.integer] = rank.astype(np.int64) + 1
    return counted


def _is_torn(
    where: Callable[[], NDArray[np.int64]], values: Values, role: str
) -> NDArray[np.bool_] | None:
    """Find rows that lack what other rows of their list have; None where there are none."""
    if role not in values or not (missing := np.isnan(values[role])).any():
        return None
    if "vote" in values:
        missing = missing & (values["vote"] > 0)
    torn = missing & np.isin(where(), where()[~np.isnan(values[role])])
    return torn if torn.any() else None


def _lacking(column: str, role: str) -> Callable[[int], tuple[str, str]]:
    fix = f"give every item of a list a {role}, or none"
    return lambda row: (f"{column} is empty, but other items of this list have a {role}", fix)
