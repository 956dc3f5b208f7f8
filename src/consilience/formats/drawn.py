"""Labels drawn by design: the chance with which an item was drawn, the round, the label if any.

What was drawn and has no label yet is no answer, and must not be lost: whoever estimates from
drawn labels has to know what was drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.formats.cells import Reading, is_empty, read_values, strings, strings_of

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.formats.cells import Sheet
    from consilience.formats.rows import Rows

#: Who is named where several people label and nobody has labelled yet.
NOBODY = "not labelled"
#: The roles of columns that say how a label was drawn.
DRAWN = ("probability", "round")


def rounds(said: NDArray[np.float64] | None) -> NDArray[np.int64] | None:
    """Give rounds as whole numbers, 0 where none is given; None where none is given at all.

    Examples
    --------
    >>> rounds(np.array([1.0, np.nan])).tolist(), rounds(np.array([np.nan]))
    ([1, 0], None)
    """
    if said is None or bool(np.isnan(said).all()):
        return None
    return np.nan_to_num(said).astype(np.int64)


def unlabelled(rows: Rows) -> Rows:
    """Take a judge's row that was drawn and says nothing for one without a label, not for a yes."""
    if rows.probability is None or rows.category is not None:
        return rows
    if rows.vote is not None or rows.grade is not None:
        return rows
    judge = np.array([kind != "system" for kind in rows.kind], bool)[rows.respondent.code]
    drawn = judge & ~np.isnan(rows.probability)
    if not drawn.any():
        return rows
    return replace(rows, vote=np.where(drawn, np.nan, 1.0), silence="unknown")


def with_nobody(sheet: Sheet, roles: Mapping[str, str]) -> Sheet:
    """Name somebody in rows that were drawn, have no label yet and so name nobody.

    Where one annotator is named elsewhere it is that one, otherwise nobody in particular.
    """
    told = [roles[role] for role in ("vote", "grade", "category") if role in roles]
    if "respondent" not in roles or "probability" not in roles or not told:
        return sheet
    who = strings(sheet, roles["respondent"])
    empty = _blank(who)
    if not empty.any():
        return sheet
    waiting = empty & ~_blank(strings(sheet, roles["probability"]))
    for column in told:
        waiting &= _blank(strings(sheet, column))
    if not waiting.any():
        return sheet
    names = [name.strip() for name in who.to_pylist()]
    known = {name for name in names if name}
    nobody = known.pop() if len(known) == 1 else NOBODY
    filled = strings_of(
        nobody if gap else name for gap, name in zip(waiting.tolist(), names, strict=True)
    )
    place = sheet.table.column_names.index(roles["respondent"])
    return replace(sheet, table=sheet.table.set_column(place, roles["respondent"], filled))


def _blank(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    return is_empty(pc.ascii_trim_whitespace(column))


def beside(
    reading: Reading, roles: Mapping[str, str], labels: Sequence[bool]
) -> tuple[NDArray[np.float64] | None, NDArray[np.int64] | None]:
    """Read how the items of a wide table were drawn, for those of its columns that are labels.

    Parameters
    ----------
    reading
        The table.
    roles
        Role → column.
    labels
        For every column of answers, whether it holds labels of judges; they stand one below
        the other.
    """
    if "probability" not in roles or not any(labels):
        return None, None
    found = {}
    for role in DRAWN:
        if role in roles:
            said = read_values(reading, roles[role], role)
            pieces = [said if judged else np.full(len(said), np.nan) for judged in labels]
            found[role] = np.concatenate(pieces)
    return found["probability"], rounds(found.get("round"))
