"""What worst and best cases are averages of: the ends of every query, joined over parts of a study.

:mod:`consilience.measures.bounds` finds them, and brings them together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.ranking import Ties

#: Why a measure has no bounds where a vote or a belief is neither 0 nor 1, in any part.
FRACTIONS = "votes or beliefs are fractions"


@dataclass(frozen=True, slots=True)
class Cells:
    """Systems × queries: the lowest and highest values, and which need not be defined at all."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    free: NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class OpenEnds:
    """What bounds are made of, measure by measure; ``why`` says of which there are none.

    ``cells`` hold the ends of macro averages, ``sums`` the counts of micro averages; ``barred``
    tells for which systems a measure cannot be computed.
    """

    systems: tuple[str, ...]
    measures: tuple[str, ...]
    ties: Ties
    why: dict[str, str | None]
    cells: dict[str, Cells]
    sums: dict[str, Counted]
    barred: dict[str, NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class Counted:
    """Of each cell, or of sums over cells: what was found and returned, what is open."""

    found: NDArray[np.float64]
    returned: NDArray[np.float64]
    relevant: NDArray[np.float64]
    inside: NDArray[np.float64]
    outside: NDArray[np.float64]


def joined_ends(parts: Sequence[OpenEnds]) -> OpenEnds:
    """Lay the ends of parts of a study, each with some of its queries, end to end."""
    first = parts[0]
    why = {name: _first_why([part.why[name] for part in parts]) for name in first.measures}
    known = [name for name, reason in why.items() if reason is None]
    return OpenEnds(
        first.systems,
        first.measures,
        first.ties,
        why,
        {
            name: Cells(*_side_by_side([part.cells[name] for part in parts]))
            for name in known
            if name in first.cells
        },
        {
            name: Counted(*_added_up([part.sums[name] for part in parts]))
            for name in known
            if name in first.sums
        },
        {name: np.any([part.barred[name] for part in parts], axis=0) for name in known},
    )


def _first_why(reasons: Sequence[str | None]) -> str | None:
    """Choose the reason why a measure has no bounds in the whole."""
    if FRACTIONS in reasons:
        return FRACTIONS
    return next((reason for reason in reasons if reason is not None), None)


def _side_by_side(parts: Sequence[Cells]) -> Iterator[NDArray[Any]]:
    return (np.hstack([getattr(one, field.name) for one in parts]) for field in fields(Cells))


def _added_up(parts: Sequence[Counted]) -> Iterator[NDArray[np.float64]]:
    return (
        np.sum([getattr(one, field.name) for one in parts], axis=0) for field in fields(Counted)
    )
