"""Second answers of one respondent about the same item, on an engine.

The rules are those of :mod:`consilience.study.repeats`: answers that say the same are counted once,
and a note says so; answers that differ are an error. Where nobody answered twice frames stay as
they are; to see that takes a fifth of the time that grouping by respondent and item would take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from consilience.engine.expressions import ITEM, Frame, number
from consilience.engine.sheets import FAR
from consilience.engine.tables import values
from consilience.errors import SHOWN, InputError, Problem, UsageError, quote

if TYPE_CHECKING:
    import pyarrow as pa

    from consilience.engine.long_tables import Long
    from consilience.engine.tables import Part, Tables

#: Different powers of 2 add up exactly up to here.
BITS = 52
#: So many respondents are told apart by bits.
CROWD = 8 * BITS
_ANSWER = ("query", "respondent", "item")
_DRAWN = "labels that were drawn by design need --engine memory (fix: add it)"
_TWICE = "remove one, or settle it: consilience convert FILE votes.parquet --duplicates first"


def without_repeats(tables: Tables, files: Sequence[Long]) -> Tables:
    """Count answers once that somebody gave twice.

    Parameters
    ----------
    tables
        Answers and evidence on an engine.
    files
        The files that they came from. A votes file was seen to when it was made: where a side has
        no other file, it is not looked at again.
    """
    parts, notes = list(tables.parts), list(tables.told)
    for name, side in (
        ("answers", [long for long in files if not long.judges]),
        ("evidence", [long for long in files if long.judges or long.mixed]),
    ):
        if len(side) == 1 and side[0].sheet.index is not None:
            continue
        total = 0
        for place, part in enumerate(parts):
            frame = getattr(part, name)
            again = 0 if frame is None else _again(tables, files, frame, judges=name == "evidence")
            if again:
                parts[place] = _with(part, merged(frame), again, judges=name == "evidence")
            total += again
        if total:
            count = "1 answer was" if total == 1 else f"{total:,} answers were"
            notes.append(f"{count} given twice, word for word: counted once")
    return replace(tables, parts=tuple(parts), told=tuple(notes))


def _with(part: Part, frame: Frame, again: int, *, judges: bool) -> Part:
    if judges:
        return replace(part, evidence=frame)
    return replace(part, answers=frame, votes=part.votes - again)


def crowded(rows: Frame, people: Frame, slots: int) -> Frame:
    """Find items of which somebody may have said more than one thing, without a row for each.

    Every respondent has a bit of its own (``slot``, ``bit``, a power of 2). Bits that are all
    different add up to a number with as many bits as there are rows; where one comes twice, the
    sum has fewer. DuckDB and Spark count them alike.
    """
    bits = {
        f"bits{slot}": nw.when(nw.col("slot") == slot).then(nw.col("bit")).otherwise(0.0).sum()
        for slot in range(slots)
    }
    told = rows.join(people, on="respondent", how="inner")
    sums = told.group_by(*ITEM).agg(rows=nw.len(), **bits)
    count = " + ".join(f"bit_count(CAST({name} AS BIGINT))" for name in bits)
    found: Frame = nw.from_native(sums.to_native().filter(f"{count} < rows"))
    return found


def repeated(rows: Frame) -> Frame:
    """Find what one respondent said of an item in several rows (``times``, first in ``row``).

    ``apart`` is 1 where these rows do not say the same, else 0.
    """
    said = [name for name in rows.collect_schema().names() if name not in (*_ANSWER, "row")]
    ends = {f"{name}_low": nw.col(name).min() for name in said}
    ends |= {f"{name}_high": nw.col(name).max() for name in said}
    ends |= {f"{name}_said": nw.col(name).count() for name in said}
    found = rows.group_by(*_ANSWER).agg(times=nw.len(), row=nw.col("row").min(), **ends)
    apart = nw.lit(False)
    for name in said:
        count = nw.col(f"{name}_said")
        differ = (nw.col(f"{name}_low") != nw.col(f"{name}_high")).fill_null(False)
        apart = apart | differ | ((count > 0) & (count < nw.col("times")))
    found = found.filter(nw.col("times") > 1)
    return found.with_columns(apart=number(apart)).select(*_ANSWER, "times", "row", "apart")


def merged(rows: Frame) -> Frame:
    """Make one row of those in which a respondent says the same of an item."""
    names = rows.collect_schema().names()
    least = {name: nw.col(name).min() for name in names if name not in _ANSWER}
    return rows.group_by(*_ANSWER).agg(**least).select(names)


def _again(tables: Tables, files: Sequence[Long], frame: Frame, *, judges: bool) -> int:
    """Count the rows that say again what was said; raise where they say something else."""
    keys = tables.judge_keys if judges else tables.system_keys
    if len(keys) <= CROWD and not _may_repeat(tables, frame, keys):
        return 0
    found = repeated(frame)
    extra, apart = (nw.col("times") - 1).sum(), nw.col("apart").sum()
    table = tables.engine.collect(found.select(extra=extra, apart=apart))
    count, differ = (int(np.nan_to_num(values(table[name])).sum()) for name in ("extra", "apart"))
    if count and "probability" in frame.collect_schema().names():
        raise UsageError(_DRAWN)
    if differ:
        raise _contradictions(tables, files, frame, differ)
    return count


def _may_repeat(tables: Tables, frame: Frame, keys: pa.Array) -> bool:
    """Tell, in a fifth of the time, whether somebody may have answered about an item twice."""
    import pyarrow as pa

    slot, place = np.divmod(np.arange(len(keys)), BITS)
    told = {"respondent": keys, "slot": pa.array(slot), "bit": pa.array(2.0**place)}
    found = crowded(frame, tables.engine.small(told), int(slot.max(initial=0)) + 1)
    return bool(tables.engine.collect(found.head(1)).num_rows)


def _contradictions(tables: Tables, files: Sequence[Long], frame: Frame, total: int) -> InputError:
    """Describe the first contradictions: which rows they are in, and who answered."""
    wrong = repeated(frame).filter(nw.col("apart") > 0).sort("row").head(SHOWN)
    rows = frame.join(wrong.select(*_ANSWER), on=list(_ANSWER), how="inner")
    lines = sorted(tables.engine.collect(rows).to_pylist(), key=lambda line: line["row"])
    met: dict[tuple[Any, ...], dict[str, Any]] = {}
    problems = []
    for line in lines:
        before = met.setdefault(tuple(line[name] for name in _ANSWER), line)
        if before is not line and {**before, "row": 0} != {**line, "row": 0}:
            problems.append(_problem(files, before, line))
    return InputError(problems, max(total, len(problems)))


def _problem(files: Sequence[Long], before: dict[str, Any], line: dict[str, Any]) -> Problem:
    item, who, query = (quote(line[name]) for name in ("item", "respondent", "query"))
    (other, earlier), (code, row) = (divmod(int(one["row"]), FAR) for one in (before, line))
    here = files[code].sheet
    seen = here.place(earlier) if other == code else files[other].sheet.name
    found = f"item {item} of query {query} was answered before ({seen}) and differently by {who}"
    return here.problem(row if here.ordered else None, found, _TWICE)
