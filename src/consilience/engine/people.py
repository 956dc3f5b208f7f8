"""Who is in tables on an engine: what everybody is, of which family, what their silence means.

The rules are those of :mod:`consilience.study.people`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import narwhals.stable.v2 as nw
import numpy as np

from consilience.engine.facts import Lists, first_row
from consilience.engine.long_tables import Long
from consilience.errors import bad, quote
from consilience.formats.rows import KINDS
from consilience.study.model import Respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.rows import Kind, Silence


def people(
    files: Sequence[Long],
    found: Lists,
    who: NDArray[np.int64],
    names: Sequence[str],
    systems: int,
) -> Respondents:
    """Tell what everybody is, of which family, and what their silence means.

    ``who`` is the respondent of every list, among ``names``; systems stand first.
    """
    kinds: list[Kind] = ["system"] * len(names)
    families: list[str | None] = [None] * len(names)
    silences: list[Silence | None] = [None] * len(names)
    for code, long in enumerate(files):
        here = found.file == code
        kind = _kinds(long, found, here, who, names)
        for number, one in kind.items():
            if number >= systems and silences[number] is not None and kinds[number] != one:
                said = (
                    f"{quote(names[number])} is called {kinds[number]} in one file and {one} here"
                )
                raise bad(long.sheet.name, None, said, "give it one kind, or another name")
            kinds[number] = one
        for number, family in _families(long, found, here, who, names).items():
            if families[number] not in (None, family):
                said = f"{quote(names[number])} is of family {families[number]!r} elsewhere, "
                raise bad(long.sheet.name, None, said + f"{family!r} here", "give it one family")
            families[number] = family
        itemwise = _itemwise(long, found, here, who, kind)
        for number, one in kind.items():
            silence: Silence = "unknown" if one in itemwise else "no"
            if long.sheet.index is not None:
                known = long.sheet.index.respondents
                silence = known.silence[known.names.index(names[number])]
            silences[number] = silence if silences[number] in (None, silence) else "unknown"
    every: tuple[Silence, ...] = tuple(one or "no" for one in silences)
    return Respondents(tuple(names), tuple(kinds), tuple(families), every)


def _kinds(
    long: Long, found: Lists, here: NDArray[np.bool_], who: NDArray[np.int64], names: Sequence[str]
) -> dict[int, Kind]:
    index = long.sheet.index
    if index is not None:
        known = dict(zip(index.respondents.names, index.respondents.kind, strict=True))
        return {number: known[names[number]] for number in np.unique(who[here]).tolist()}
    if not long.mixed:
        return dict.fromkeys(np.unique(who[here]).tolist(), long.sheet.kind)
    kinds: dict[int, Kind] = {}
    called: dict[str, int] = {}
    for number in np.unique(who[here]).tolist():
        if called.setdefault(names[number], number) != number:
            said = f"kind of {quote(names[number])} is 'system' in some rows and not in others"
            system = nw.col("judge") == 0
            row = first_row(long, _of(names[number]) & system)
            raise long.sheet.bad(row, said, "write the same in all its rows")
    for number, one in _said_once(long, found, here, who, names, "kind").items():
        possible = [kind for kind in KINDS if kind == (one or long.sheet.kind)]
        if not possible:
            said = f"kind of {quote(names[number])} is {quote(one or '')}"
            row = first_row(long, _of(names[number]))
            raise long.sheet.bad(row, said, f"use one of {', '.join(KINDS)}")
        kinds[number] = possible[0]
    return kinds


def _families(
    long: Long, found: Lists, here: NDArray[np.bool_], who: NDArray[np.int64], names: Sequence[str]
) -> dict[int, str]:
    index = long.sheet.index
    if index is not None:
        known = dict(zip(index.respondents.names, index.respondents.family, strict=True))
        members = {number: known[names[number]] for number in np.unique(who[here]).tolist()}
        return {number: family for number, family in members.items() if family}
    if "family" not in long.roles:
        return {}
    said = _said_once(long, found, here, who, names, "family")
    return {number: family for number, family in said.items() if family}


def _said_once(
    long: Long,
    found: Lists,
    here: NDArray[np.bool_],
    who: NDArray[np.int64],
    names: Sequence[str],
    role: str,
) -> dict[int, str | None]:
    """Read what must be the same in all rows of a respondent."""
    rows = np.flatnonzero(here)
    pairs = (
        found.table[column].take(rows.tolist()).to_pylist() for column in (role, f"{role}_other")
    )
    known: dict[int, str | None] = {}
    for number, low, high in zip(who[rows].tolist(), *pairs, strict=True):
        for one in (low, high):
            if known.setdefault(number, one or None) != (one or None):
                one, other = (text or "" for text in (one, known[number]))
                said = f"{role} of {quote(names[number])} is {quote(one)} here and {quote(other)}"
                row = first_row(long, _of(names[number]) & (nw.col(role) == one))
                raise long.sheet.bad(row, said + " elsewhere", "write the same in all its rows")
    return known


def _of(name: str) -> nw.Expr:
    return nw.col("respondent").cast(nw.String()) == name


def _itemwise(
    long: Long,
    found: Lists,
    here: NDArray[np.bool_],
    who: NDArray[np.int64],
    kind: dict[int, Kind],
) -> set[Kind]:
    """Tell which kinds of respondents answer item by item in a file: silence means unknown.

    One no, or one "cannot tell", and all of the same kind do.
    """
    judge = found.judge[here]
    graded = "grade" in long.values
    low, gaps = (
        np.where(judge & graded, found.column(by_grade)[here], found.column(by_vote)[here])
        for by_grade, by_vote in (("low_grade", "low"), ("grade_gaps", "gaps"))
    )
    odd = (low <= 0) | (gaps > 0) | (judge & (found.column("drawn")[here] > 0))
    return {kind[number] for number in np.unique(who[here][odd]).tolist()}
