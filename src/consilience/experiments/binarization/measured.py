"""Three pipelines measured with truth and without, by the library's own functions.

Method I takes what a pipeline returned as a bag (:func:`consilience.by_bag`), Method II aligns the
pipelines first (:func:`consilience.by_position`). With truth an item is right or wrong; without, it
is believed as far as the pipelines, ⊤ and ⊥ agree on it (:func:`consilience.consensus`).

The papers say "average": here a page's precision and recall are averaged over pages, and a page
where a pipeline returned nothing has no precision. Two other rules stand beside it (`RULES`),
because precision depends on them: such a page counts 0, or all pages are pooled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import and_
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.agreement import consensus
from consilience.belief.judges import gold
from consilience.match.sequences import by_bag, by_position
from consilience.measures.scores import Convention, score
from consilience.study.collection import with_collection
from consilience.verdict.agreement import Wanted
from consilience.verdict.rank import rank

if TYPE_CHECKING:
    from consilience.study import Study
    from consilience.verdict.rank import Verdict

#: The ways to measure, in the papers' order.
TRUTH, BAG, ALIGNED = "with truth", "Method I", "Method II"
WAYS = (TRUTH, BAG, ALIGNED)
MEASURES = ("P", "R", "F1")
#: How precision can be averaged over pages: the name of the measure, and the convention.
RULES: dict[str, tuple[str, Convention]] = {
    "per page, empty pages left out": ("P", "ours"),
    "per page, empty pages count 0": ("P", "ir_measures"),
    "all pages pooled": ("P(average=micro)", "ours"),
}
#: The papers' consensus counts three systems, ⊤ and ⊥.
VOTERS = 5
#: Page → tokens.
Tokens = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Readings:
    """What pipelines returned, pipeline → page → tokens, and what the pages say."""

    read: Mapping[str, Tokens]
    truth: Tokens

    def of(self, pages: Iterable[str]) -> Readings:
        """Keep some pages only."""
        kept = tuple(pages)
        read = {name: {p: tokens[p] for p in kept} for name, tokens in self.read.items()}
        return Readings(read, {page: self.truth[page] for page in kept})

    def returned(self, name: str) -> int:
        """Count what a pipeline returned on all pages."""
        return sum(map(len, self.read[name].values()))

    def common(self) -> int:
        """Count what all pipelines returned, on all pages."""
        bags = [[Counter(read[page]) for read in self.read.values()] for page in self.truth]
        return sum(reduce(and_, page).total() for page in bags)

    def empty(self, name: str) -> int:
        """Count the pages on which a pipeline returned nothing."""
        return sum(not tokens for tokens in self.read[name].values())


@dataclass(frozen=True, slots=True)
class Lead:
    """How far one pipeline is ahead, the interval of that and how often it is; None: few pages."""

    difference: float
    interval: tuple[float, float] | None
    probability: float | None


@dataclass(frozen=True, slots=True)
class Measured:
    """Pipelines by one way: a ranking for each measure, and ⊤ and ⊥ where there is no truth."""

    way: str
    verdicts: Mapping[str, Verdict]

    def value(self, name: str, measure: str) -> float:
        """Give a pipeline's average over pages."""
        return float(self.verdicts[measure].scores[name][measure].value)

    def interval(self, name: str, measure: str) -> tuple[float, float] | None:
        """Give the interval of an average over pages; None without truth, or on few pages."""
        for one in self.verdicts[measure].standings:
            if one.name == name:
                return one.intervals[measure]
        return None

    def lead(self, a: str, b: str, measure: str) -> Lead:
        """Say how far the first pipeline is ahead of the second."""
        for one in self.verdicts[measure].pairs:
            if (one.a, one.b) == (a, b):
                return Lead(one.difference, one.interval, one.p_a_beats_b)
            if (one.a, one.b) == (b, a):
                ends = None if one.interval is None else (-one.interval[1], -one.interval[0])
                return Lead(-one.difference, ends, 1 - one.p_a_beats_b)
        return Lead(self.value(a, measure) - self.value(b, measure), None, None)

    def virtual(self, which: str, measure: str) -> float:
        """Give the value of ⊤ or ⊥ (NaN: undefined)."""
        rows = self.verdicts[measure].agreement.virtual or {}
        return float(rows[which][measure])

    def tied(self, a: str, b: str, measure: str) -> bool:
        """Whether two pipelines cannot be told apart over these pages."""
        return any(a in group and b in group for group in self.verdicts[measure].ties)

    def pages(self, name: str) -> dict[str, float]:
        """Give a pipeline's F1 page by page."""
        scores = self.verdicts["F1"].scores
        values = scores[name]["F1"].per_query.tolist()
        return dict(zip(scores.queries, values, strict=True))


def study_of(readings: Readings, way: str, *, per: str = "token") -> Study:
    """Make the study that a way looks at."""
    if way == TRUTH:
        return by_bag(readings.read, truth=readings.truth)
    if way == BAG:
        return by_bag(readings.read)
    return by_position(readings.read, per="column" if per == "column" else "token")


def measured(readings: Readings, way: str, *, seed: int, per: str = "token") -> Measured:
    """Rank pipelines by precision, by recall and by F1, over pages that are drawn anew.

    Parameters
    ----------
    readings
        What pipelines returned, and the truth.
    way
        One of `WAYS`; without truth it is not looked at.
    seed
        The seed of the bootstrap over pages.
    per
        What an item is by Method II: a "token" in a column, or a "column".
    """
    study = study_of(readings, way, per=per)
    ranked = partial(
        rank,
        study,
        belief=gold if way == TRUTH else consensus,
        seed=seed,
        show=Wanted(panel=False, virtual=way != TRUTH),
    )
    return Measured(way, {measure: ranked(measures=[measure]) for measure in MEASURES})


def by_rule(readings: Readings, way: str) -> dict[str, dict[str, float]]:
    """Give precision by every rule of averaging: rule → pipeline → precision."""
    study, belief = study_of(readings, way), gold if way == TRUTH else consensus
    found = {}
    for rule, (measure, convention) in RULES.items():
        scores = score(study, measures=[measure], belief=belief, convention=convention)
        found[rule] = {name: scores[name][measure].value for name in readings.read}
    return found


def averages(readings: Readings, way: str) -> dict[str, dict[str, float]]:
    """Give averages over pages without intervals: pipeline → measure → value."""
    belief = gold if way == TRUTH else consensus
    scores = score(study_of(readings, way), measures=list(MEASURES), belief=belief)
    return {name: {m: scores[name][m].value for m in MEASURES} for name in readings.read}


def widened(readings: Readings, added: int) -> Measured:
    """Measure by Method I as if every page held so many items that nobody returned."""
    study = study_of(readings, BAG)
    if added:
        study = with_collection(study, [f"returned by nobody {k + 1}" for k in range(added)])
    show = Wanted(panel=False, virtual=True)
    made = {m: rank(study, measures=[m], belief=consensus, show=show) for m in MEASURES}
    return Measured(BAG, made)


def added_for(readings: Readings, top: float) -> int:
    """Find how many items that nobody returned bring ⊤'s precision down to a value."""
    study = study_of(readings, BAG)
    votes = consensus(study)
    sizes = np.diff(study.items.starts)[votes.queries].astype(float)
    sums = np.add.reduceat(votes.p, study.items.starts[:-1])[votes.queries]
    least = 1 / VOTERS
    for added in range(1000):
        if float(np.mean((sums + least * added) / (sizes + added))) <= top:
            return added
    return 1000


def unreturned(
    top: float, precision: Sequence[float], recall: Sequence[float]
) -> tuple[float, ...]:
    """Find the share of Δ that none of three systems returned, from ⊤'s, P's and R's figures.

    A system's size is R·ΣP/P. The sizes give the votes for an item on average, the sums of P·S
    the mean of votes times (1 + votes); of shares of items with 0 to 3 votes that leaves one
    unknown, whose two ends are given.

    Examples
    --------
    Table 3 of the first paper has one item of seven that nobody returned.

    >>> low, high = unreturned(3.4 / 7, [0.6, 2 / 3, 2 / 3], [2.4 / 3.4, 2 / 3.4, 2 / 3.4])
    >>> round(low, 3) <= round(1 / 7, 3) <= round(high, 3)
    True
    """
    votes = sum(top * r / p for p, r in zip(precision, recall, strict=True))
    squares = VOTERS * top * sum(recall)
    without_two = (squares - 2 * votes) / 6
    without_one = (squares - 3 * votes) / 3
    low = 1 - (votes - 3 * without_two) - without_two
    high = 1 - (votes - 3 * without_one) / 2 - without_one
    return tuple(sorted((low, high)))
