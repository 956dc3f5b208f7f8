"""Studies made up for tests: small, full of ties, gaps, unjudged items and odd grades."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from consilience.measures.names import AP_VARIANTS, AVERAGES, BASES, GAINS, Measure, parse
from consilience.study import Study, study

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]

ITEMS = tuple(f"d{number:02d}" for number in range(12))
SCORES = (-1.0, 0.0, 0.5, 1.0, 2.0, 3.0)


@dataclass(frozen=True)
class Problem:
    """Runs of several systems, and judgments."""

    runs: dict[str, Run]
    qrels: Qrels

    def study(self, universe: int | None = None) -> Study:
        return study(self.runs, truth=self.qrels, universe=universe, answer_kind="lists")

    def pool(self, query: str) -> set[str]:
        """Every item that somebody mentioned under a query."""
        found = set(self.qrels[query])
        for run in self.runs.values():
            found |= set(run.get(query, {}))
        return found


def lists(scores: st.SearchStrategy[float]) -> st.SearchStrategy[dict[str, float]]:
    return st.dictionaries(st.sampled_from(ITEMS), scores, min_size=1, max_size=len(ITEMS))


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    systems: int = 3,
    queries: int = 3,
    lowest: int = -1,
    scores: tuple[float, ...] = SCORES,
) -> Problem:
    """Draw a problem: runs may lack queries, judgments may lack relevant items."""
    asked = [f"q{number}" for number in range(draw(st.integers(1, queries)))]
    grades = st.dictionaries(
        st.sampled_from(ITEMS), st.integers(lowest, 3), min_size=1, max_size=len(ITEMS)
    )
    qrels = {query: draw(grades) for query in asked}
    runs = {}
    for number in range(draw(st.integers(1, systems))):
        some = draw(st.lists(st.sampled_from(asked), unique=True, min_size=1))
        runs[f"s{number}"] = {query: draw(lists(st.sampled_from(scores))) for query in some}
    return Problem(runs, qrels)


def random_problem(
    seed: int, *, systems: int = 3, queries: int = 6, items: int = 40, lowest: int = -1
) -> Problem:
    """A larger problem from a seed: ties, unjudged items, missing queries, none relevant."""
    rng = np.random.default_rng(seed)
    names = [f"d{number:03d}" for number in range(items)]
    asked = [f"q{number}" for number in range(queries)]
    qrels: Qrels = {}
    for query in asked:
        some = rng.choice(names, size=rng.integers(1, items), replace=False)
        highest = 1 if rng.random() < 0.15 else 4
        qrels[query] = {str(name): int(rng.integers(lowest, highest)) for name in some}
        if max(qrels[query].values()) < 0:  # pytrec_eval may never come back from such a query
            qrels[query][str(some[0])] = 0
    runs: dict[str, Run] = {}
    for number in range(systems):
        runs[f"s{number}"] = {}
        for query in asked:
            if query != asked[0] and rng.random() < 0.15:
                continue
            some = rng.choice(names, size=rng.integers(1, items), replace=False)
            coarse = rng.random() < 0.5
            scores = rng.integers(0, 6, len(some)) if coarse else rng.normal(size=len(some))
            runs[f"s{number}"][query] = {
                str(name): float(score) for name, score in zip(some, scores, strict=True)
            }
    return Problem(runs, qrels)


def every_measure(cutoffs: tuple[int, ...] = (1, 3, 5, 20)) -> list[Measure]:
    """Every measure that there is: each base name with each of its options and some cutoffs.

    Condensed lists come once for each base name and cutoff, with the other options left alone.
    """
    values: dict[str, tuple[float | str | bool, ...]] = {
        "average": AVERAGES,
        "rel": (1.0, 2.0),
        "beta": (1.0, 0.5, 2.0),
        "variant": AP_VARIANTS,
        "gain": GAINS,
    }
    made = []
    for base, (rule, options) in BASES.items():
        ks: list[int | None] = [] if rule == "must" else [None]
        ks += [] if rule == "never" else list(cutoffs)
        grid: list[dict[str, float | str | bool]] = [{}]
        for option in options:
            if option == "judged_only":
                grid.append({option: True})
                continue
            grid = [chosen | {option: value} for chosen in grid for value in values[option]]
        made += [parse(Measure(base, k, **chosen)) for chosen in grid for k in ks]  # type: ignore[arg-type]
    return made
