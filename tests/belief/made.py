"""Votes made up for tests: several systems, some silent, some unsure, some not asked."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from consilience.belief import Belief
from consilience.study import Study, study

ITEMS = tuple("abcdefgh")
Row = tuple[str, str, str, float | None]


@dataclass(frozen=True)
class Poll:
    """Rows of (query, item, system, vote); None: cannot tell."""

    rows: tuple[Row, ...]
    universe: int | None = None

    def study(self, **options) -> Study:
        names = ("query", "item", "system", "vote")
        columns = dict(zip(names, map(list, zip(*self.rows, strict=True)), strict=True))
        return study(columns, universe=self.universe, **options)

    def opinions(self) -> dict[tuple[str, str], dict[str, float]]:
        """Who says what of which item, spelt out: silence that means no is a 0."""
        made = self.study()
        lists = dict(zip(made.respondents.names, made.respondents.silence, strict=True))
        asked = {(query, system) for query, _, system, _ in self.rows}
        items = {(query, item) for query, item, _, _ in self.rows}
        unsure = {(q, i, s) for q, i, s, vote in self.rows if vote is None}
        said: dict[tuple[str, str], dict[str, float]] = {pair: {} for pair in items}
        for query, item in items:
            for system, silence in lists.items():
                listed = silence == "no" and (query, system) in asked
                if listed and (query, item, system) not in unsure:
                    said[query, item][system] = 0.0
        for query, item, system, vote in self.rows:
            if vote is not None:
                said[query, item][system] = vote
        return said

    def unmentioned(self, query: str) -> tuple[int, list[str]]:
        """How many items of a query nobody mentioned, and who says no to them: all asked."""
        mentioned = len({item for q, item, _, _ in self.rows if q == query})
        asked = {system for q, _, system, _ in self.rows if q == query}
        count = 0 if self.universe is None else self.universe - mentioned
        return count, sorted(asked)


VOTES: tuple[float | None, ...] = (1.0, 1.0, 1.0, 0.0, 0.25, None)


@st.composite
def polls(
    draw: st.DrawFn,
    *,
    systems: int = 4,
    queries: int = 2,
    votes: tuple[float | None, ...] = VOTES,
    universe: bool = True,
) -> Poll:
    """Draw a poll in which everybody says at least one yes."""
    rows: list[Row] = []
    asked = [f"q{number}" for number in range(draw(st.integers(1, queries)))]
    names = [f"s{number}" for number in range(draw(st.integers(2, systems)))]
    for number, system in enumerate(names):
        mine = draw(st.sets(st.sampled_from(asked), min_size=1)) if number else set(asked)
        for query in sorted(mine):
            chosen = draw(
                st.dictionaries(st.sampled_from(ITEMS), st.sampled_from(votes), min_size=1)
            )
            rows += [(query, item, system, vote) for item, vote in chosen.items()]
            if not any(vote for vote in chosen.values()):
                rows.append((query, "z", system, 1.0))
    size = draw(st.sampled_from([None, 9, 30])) if universe else None
    return Poll(tuple(rows), size)


def random_poll(rng: np.random.Generator, systems: int = 5, items: int = 40) -> Poll:
    """A poll of plain yes and silence, every system asked every query."""
    rows: list[Row] = []
    for query in ("q1", "q2", "q3"):
        for system in range(systems):
            found = np.flatnonzero(rng.random(items) < 0.3 + 0.05 * system)
            rows += [(query, f"i{item}", f"s{system}", 1.0) for item in found.tolist()]
    return Poll(tuple(rows))


def by_item(study: Study, belief: Belief) -> dict[tuple[str, str], float]:
    """Give what is believed of each (query, item)."""
    queries = [study.queries[q] for q in study.items.query(belief.item)]
    names = study.items.names(belief.item)
    return {(q, i): p for q, i, p in zip(queries, names, belief.p.tolist(), strict=True)}
