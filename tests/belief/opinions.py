"""Slow, readable twins: what everybody thinks of everything, one dictionary for each item."""

import math
from collections.abc import Iterator

import numpy as np
from hypothesis import strategies as st

import consilience as cs
from consilience.study import Study

Opinions = list[tuple[dict[str, float], float]]

VOTES = (0.0, 0.0, 0.25, 1.0, 1.0, 1.0, None)


def opinions(study: Study, kinds: tuple[str, ...] = ("system",)) -> tuple[list[str], Opinions]:
    """Give the voters, and for every item what each voter says of it, with the item's number.

    One more row for each query stands for the items that nobody mentioned.
    """
    people, answers = study.respondents, study.answers
    said: dict[tuple[int, int], float] = {}
    asked = set()
    for number, (who, query) in enumerate(zip(answers.respondent, answers.query, strict=True)):
        asked.add((int(who), int(query)))
        for row in range(answers.starts[number], answers.starts[number + 1]):
            vote = 1.0 if answers.vote is None else float(answers.vote[row])
            said[int(who), int(answers.item[row])] = vote
    voters = sorted({who for who, _ in asked})
    rows: Opinions = []
    for query, start in enumerate(study.items.starts[:-1]):
        end = study.items.starts[query + 1]
        left = 0 if study.universe is None else study.universe - (end - start)
        for item in [*range(start, end), -1]:
            views: dict[str, float] = {}
            for who in voters:
                no = people.silence[who] == "no" or item < 0  # nobody returned it
                silent = 0.0 if no else math.nan
                vote = said.get((who, item), silent)
                if (who, query) in asked and not math.isnan(vote):
                    views[people.names[who]] = vote
            rows.append((views, 1.0 if item >= 0 else float(left)))
    return [people.names[who] for who in voters], rows


def seen(study: Study) -> Iterator[bool]:
    """Tell which rows of :func:`opinions` are items of the study."""
    for query in range(len(study.queries)):
        yield from [True] * int(study.items.starts[query + 1] - study.items.starts[query])
        yield False


@st.composite
def voted(draw: st.DrawFn, *, systems: int = 4, items: int = 6) -> Study:
    """Draw a study: fractions, who cannot tell, who was not asked, lists, and a universe."""
    rows: dict[str, list[object]] = {"query": [], "item": [], "system": [], "vote": []}
    for system in range(draw(st.integers(1, systems))):
        for query in range(2):
            for item in draw(st.lists(st.integers(0, items - 1), unique=True, max_size=items)):
                rows["query"].append(f"q{query}")
                rows["item"].append(f"d{item}")
                rows["system"].append(f"s{system}")
                rows["vote"].append(draw(st.sampled_from(VOTES)))
    if all(vote is None for vote in rows["vote"]):
        rows = {"query": ["q0"], "item": ["d0"], "system": ["s0"], "vote": [1.0]}
    return cs.study(rows, universe=draw(st.sampled_from([None, items, 3 * items])))


def simulated(
    rng: np.random.Generator,
    *,
    items: int,
    prevalence: float,
    rates: dict[str, tuple[float, float]],
) -> tuple[dict[str, list[object]], np.ndarray]:
    """Draw a truth, and voters that see it through two coins each: a wide table of votes."""
    truth = rng.random(items) < prevalence
    table: dict[str, list[object]] = {"item": [f"d{item}" for item in range(items)]}
    for name, (sensitivity, false_alarm) in rates.items():
        p = np.where(truth, sensitivity, false_alarm)
        table[name] = (rng.random(items) < p).astype(float).tolist()
    return table, truth
