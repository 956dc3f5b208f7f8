"""Who answered: respondents of several tables become one list, each with its kind and family."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import bad, quote
from consilience.study.model import Respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.rows import Kind, Rows, Silence


def union(names: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], list[NDArray[np.int32]]]:
    """Number names over all tables; give each table's own codes as common ones."""
    numbers: dict[str, int] = {}
    codes = [
        np.array([numbers.setdefault(name, len(numbers)) for name in table], np.int32)
        for table in names
    ]
    return tuple(numbers), codes


def respondents_of(tables: Sequence[Rows]) -> tuple[Respondents, list[NDArray[np.int32]]]:
    """Number the respondents; a judge that shares a system's name is told apart from it."""
    systems = {
        name
        for rows in tables
        for name, kind in zip(rows.respondent.names, rows.kind, strict=True)
        if kind == "system"
    }
    kinds: dict[str, Kind] = {}
    families: dict[str, str] = {}
    silences: dict[str, Silence] = {}
    names = []
    for rows in tables:
        table_names = []
        people = zip(rows.respondent.names, rows.kind, rows.family, _silence(rows), strict=True)
        for name, kind, family, silence in people:
            called = f"{name} ({kind})" if kind != "system" and name in systems else name
            table_names.append(called)
            if kinds.setdefault(called, kind) != kind:
                found = f"{quote(called)} is called {kinds[called]} in one file and {kind} here"
                raise bad(rows.source.name, None, found, "give it one kind, or another name")
            if family is not None and families.setdefault(called, family) != family:
                found = (
                    f"{quote(called)} is of family {families[called]!r} elsewhere, {family!r} here"
                )
                raise bad(rows.source.name, None, found, "give it one family")
            if silences.setdefault(called, silence) != silence:
                silences[called] = "unknown"
        names.append(table_names)
    everybody, codes = union(names)
    return (
        Respondents(
            everybody,
            tuple(kinds[name] for name in everybody),
            tuple(families.get(name) for name in everybody),
            tuple(silences[name] for name in everybody),
        ),
        codes,
    )


def _silence(rows: Rows) -> list[Silence]:
    """Tell what each respondent's silence means.

    A table whose answers all say yes lists what is relevant: silence means no. One no in it, and
    answers are given item by item: silence means unknown, also of those who happen to say yes
    only. Systems, people and gold of one table are looked at apart. Labels of items that were
    drawn to be judged are given item by item, whatever they say.
    """
    if rows.silences is not None:
        return [*rows.silences]
    said = rows.grade if rows.grade is not None else rows.vote
    count = len(rows.respondent.names)
    if rows.silence == "no" or said is None:
        return [rows.silence] * count
    lowest = np.full(count, np.inf)
    np.fmin.at(lowest, rows.respondent.code, said)  # NaN, cannot tell, is no answer
    unsure = np.zeros(count, bool)
    unsure[rows.respondent.code[np.isnan(said)]] = True
    itemwise = {kind for kind, low in zip(rows.kind, lowest, strict=True) if low <= 0}
    itemwise |= {kind for kind, odd in zip(rows.kind, unsure, strict=True) if odd}
    if rows.probability is not None:
        drawn = np.unique(rows.respondent.code[~np.isnan(rows.probability)])
        itemwise |= {rows.kind[code] for code in drawn.tolist()} - {"system"}
    return ["unknown" if kind in itemwise else "no" for kind in rows.kind]
