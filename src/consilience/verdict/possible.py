"""What a query may be about: one belief, or several with their probabilities.

A query that is an item of its own (find pictures like this one) belongs to a category only with a
probability. Then its truth is a mixture: with probability w_ω the category is ω, and every item is
relevant with p(ω|item) (Santini, eq. 13 and 14).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from consilience.measures.lists import Query
from consilience.measures.sets import ratio
from consilience.measures.truths import (
    Truths,
    all_truths,
    drawn_given_something,
    drawn_truths,
    scored,
    scored_at,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: One thing that may be true of a query: how probable it is, and the query under it.
Part: TypeAlias = tuple[float, Query]
#: Gives the parts of a query, by its column and as it stands.
Parts: TypeAlias = "Callable[[int, Query], Sequence[Part]]"


def as_it_stands(column: int, query: Query) -> Sequence[Part]:
    """Take a query as a single part."""
    return [(1.0, query)]


def under(query: Query, p: NDArray[np.float64]) -> Query:
    """Give a query with other probabilities of its items; NaN (nobody said) counts as 0."""
    known = np.clip(np.nan_to_num(p), 0.0, 1.0)
    cells = tuple(replace(cell, p=known[cell.place]) for cell in query.cells)
    return replace(query, p=known, cells=cells)


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores under possible truths: measure → systems × truths; NaN where undefined.

    ``weight`` is how probable each truth is. ``exact`` tells that all were gone through; otherwise
    they were drawn and weigh the same. ``at`` holds precision and recall at cutoffs, for some
    systems: measure → systems × cutoffs × truths.
    """

    scores: dict[str, NDArray[np.float64]]
    weight: NDArray[np.float64]
    exact: bool
    at: dict[str, NDArray[np.float64]] = field(default_factory=dict)


def every_score(parts: Sequence[Part], measures: Sequence[str], beta: float) -> Scored | None:
    """Score all systems under every possible truth; None where there are too many."""
    tables, weights = [], []
    for weight, query in parts:
        truths = all_truths(query)
        if truths is None:
            return None
        tables.append(scored(query, truths, measures=measures, beta=beta))
        weights.append(truths.weight * weight)
    joined = {name: np.concatenate([one[name] for one in tables], axis=1) for name in measures}
    return Scored(joined, np.concatenate(weights), exact=True)


@dataclass(frozen=True, slots=True)
class Draws:
    """How truths are drawn: how many, from which source of chance; cutoffs for which systems."""

    draws: int
    rng: np.random.Generator
    k: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    systems: tuple[int, ...] = ()


def drawn_scores(parts: Sequence[Part], measures: Sequence[str], beta: float, how: Draws) -> Scored:
    """Score all systems under drawn truths.

    Where a measure is undefined under some truths, these are drawn again, given that it is not.
    """
    found = _tables(_drawn(parts, how.draws, how.rng), measures, beta, how)
    order = how.rng.permutation(how.draws) if len(parts) > 1 else slice(None)
    scores, at = ({name: table[..., order] for name, table in one.items()} for one in found)
    for group, held in _pools(parts[0][1]):
        _draw_again(parts, (scores, at), group, held, (measures, beta, how))
    return Scored(scores, np.full(how.draws, 1 / how.draws), exact=False, at=at)


#: Measure → systems × truths, and at cutoffs systems × cutoffs × truths.
Tables: TypeAlias = "tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.float64]]]"


def _tables(
    drawn: Iterable[tuple[Query, Truths]], measures: Sequence[str], beta: float, how: Draws
) -> Tables:
    tables, at = [], []
    for query, truths in drawn:
        tables.append(scored(query, truths, measures=measures, beta=beta))
        if len(how.k):
            at.append(scored_at(query, truths, how.k, how.systems))

    def joined(made: list[dict[str, NDArray[np.float64]]]) -> dict[str, NDArray[np.float64]]:
        names = made[0] if made else ()
        return {name: np.concatenate([one[name] for one in made], axis=-1) for name in names}

    return joined(tables), joined(at)


def _pools(query: Query) -> list[tuple[list[int], NDArray[np.bool_] | None]]:
    """Group the systems by the items that they are held to: most of them by all."""
    usual = [n for n, cell in enumerate(query.cells) if cell.put and cell.spoken is None]
    pools: list[tuple[list[int], NDArray[np.bool_] | None]] = [(usual, None)] if usual else []
    for number, cell in enumerate(query.cells):
        if cell.spoken is not None:
            pools.append(([number], cell.spoken))
    return pools


def _draw_again(
    parts: Sequence[Part],
    tables: Tables,
    group: list[int],
    held: NDArray[np.bool_] | None,
    settings: tuple[Sequence[str], float, Draws],
) -> None:
    """Put values given that something is relevant in the place of undefined ones."""
    measures, beta, how = settings
    scores, at = tables
    nothing = np.isnan(scores["recall"][group[0]])
    chances = [weight * query.something(query.cells[group[0]]) for weight, query in parts]
    count = int(nothing.sum())
    if not count or not sum(chances):
        return
    again = _tables(_given_something(parts, chances, held, count, how.rng), measures, beta, how)
    order = how.rng.permutation(count)
    for old, new in zip((scores, at), again, strict=True):
        for name, values in new.items():
            for number in group:
                row, fresh = old[name][number], values[number][..., order]
                row[..., nothing] = np.where(np.isnan(row[..., nothing]), fresh, row[..., nothing])


def _given_something(
    parts: Sequence[Part],
    chances: Sequence[float],
    held: NDArray[np.bool_] | None,
    draws: int,
    rng: np.random.Generator,
) -> Iterator[tuple[Query, Truths]]:
    shares = rng.multinomial(draws, np.array(chances) / sum(chances))
    for (_, query), share in zip(parts, shares.tolist(), strict=True):
        for truths in drawn_given_something(query, held, share, rng) if share else ():
            yield query, truths


def _drawn(
    parts: Sequence[Part], draws: int, rng: np.random.Generator
) -> Iterator[tuple[Query, Truths]]:
    weights = np.array([weight for weight, _ in parts])
    shares = rng.multinomial(draws, weights / weights.sum())
    for (_, query), share in zip(parts, shares.tolist(), strict=True):
        for truths in drawn_truths(query, share, rng) if share else ():
            yield query, truths


def averaged(of_queries: Iterable[Scored]) -> Scored:
    """Average drawn scores over queries, truth by truth, given that each is defined."""
    total: dict[str, NDArray[np.float64]] = {}
    count: dict[str, NDArray[np.int64]] = {}
    weight = np.zeros(0)
    for one in of_queries:
        weight = one.weight
        tables = {**one.scores, **{f"{name} at k": values for name, values in one.at.items()}}
        for name, values in tables.items():
            defined = ~np.isnan(values)
            if name not in total:
                total[name], count[name] = np.zeros(values.shape), np.zeros(values.shape, np.int64)
            total[name] += np.where(defined, values, 0.0)
            count[name] += defined
    means = {name: ratio(total[name], count[name]) for name in total}
    at = {n.removesuffix(" at k"): v for n, v in means.items() if n.endswith(" at k")}
    plain = {n: v for n, v in means.items() if not n.endswith(" at k")}
    return Scored(plain, weight, exact=False, at=at)
