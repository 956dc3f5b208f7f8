"""What a cell may hold, by the role of its column: votes, grades, scores, ranks, drawn labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from consilience.formats import roles as r

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NUMBER_FIX = "write a number, or leave the cell empty"
_VOTE_FIX = "write 0 to 1, yes or no, or leave it empty for unknown"
#: How each value role's cells are read, what they must be, and how to mend them.
READERS: dict[str, tuple[Callable[[str], float | None], str, str]] = {
    "vote": (r.read_vote, "a vote from 0 to 1", _VOTE_FIX),
    "grade": (r.read_grade, "a grade", "write a number, yes or no, or leave it empty"),
    "score": (r.read_score, "a number", _NUMBER_FIX),
    "rank": (r.read_number, "a whole number from 0", "write a position such as 3"),
    "probability": (
        r.read_number,
        "a probability above 0 and up to 1",
        "write the one it was drawn with",
    ),
    "round": (r.read_number, "a whole number from 1", "write the one it was drawn in, such as 2"),
}
#: Whole numbers up to here are exact as floats.
EXACT = 2.0**53
_LEAST = {"rank": 0, "round": 1}
#: Values looked at together: what is made of them stays in the processor's cache.
BLOCK = 1 << 16


def fits(role: str, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which values a role allows; NaN stands for an empty or unknown cell.

    Examples
    --------
    >>> fits("round", np.array([0.0, 1.0, 1.5, np.nan])).tolist()
    [False, True, False, True]
    """
    allowed = np.empty(len(values), bool)
    for begin in range(0, len(values), BLOCK):
        here = slice(begin, begin + BLOCK)
        allowed[here] = _fits(role, values[here])
    return allowed


def _fits(role: str, values: NDArray[np.float64]) -> NDArray[np.bool_]:
    unknown = np.isnan(values)
    with np.errstate(invalid="ignore"):
        if role == "vote":
            allowed = (values >= 0) & (values <= 1)
        elif role in _LEAST:
            allowed = (np.floor(values) == values) & (values >= _LEAST[role]) & (values < EXACT)
        elif role == "probability":
            allowed = (values > 0) & (values <= 1)
        else:
            allowed = np.isfinite(values)
    return unknown | allowed
