"""The descriptors' lists, compared with truth and without, by the library's own functions.

A query's relevant drawings are those of its character. Without truth, Δ (the items that recall is
divided by) is the pool: what at least one descriptor returned among its first 10, at every k.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import consilience as cs
from consilience import progress
from consilience.experiments.symbols.lists import DEEPEST, character
from consilience.study.depth import cut
from consilience.verdict.paired_tests import DUST

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.study import Study
    from consilience.verdict.agreement import AtCutoffs
    from consilience.verdict.rank import Verdict

#: What is computed of lists that were cut at k.
MEASURES = ("P", "R", "F1")
#: Three descriptors are blind to rotation, in the same way: magnitudes of a spectrum or of moments.
BLIND = {"Radon": "blind to rotation", "GFD": "blind to rotation", "Zernike": "blind to rotation"}
#: Names of beliefs.
CONSENSUS = "consensus"
DECLARED, LEARNED = "families: blind to rotation as one", "families: learned from votes"
POOLED, WHOLE = "dawid-skene, pool", "dawid-skene, whole collection"
#: Nothing is needed beside a ranking here: what is shown is computed on its own.
BARE = cs.Wanted(panel=False, cutoffs=0)


@dataclass(frozen=True, slots=True)
class Lists:
    """A collection, the queries among it, and what every descriptor returns, the nearest first."""

    items: Sequence[str]
    queries: Sequence[int]
    lists: Mapping[str, Sequence[Sequence[int]]]

    def only(self, places: Sequence[int]) -> Lists:
        """Keep the queries at some places."""
        kept = {name: [rows[place] for place in places] for name, rows in self.lists.items()}
        return Lists(self.items, [self.queries[place] for place in places], kept)

    def study(self, *, truth: bool = False, whole: bool = False) -> Study:
        """Make a study of the lists; ``whole``: Δ is the whole collection instead of the pool."""
        answers = {
            name: {
                self.items[query]: [self.items[place] for place in row]
                for query, row in zip(self.queries, rows, strict=True)
            }
            for name, rows in self.lists.items()
        }
        universe = len(self.items) if whole else None
        return cs.study(answers, truth=self.relevant() if truth else None, universe=universe)

    def joined(self, name: str, rows: Sequence[Sequence[int]]) -> Lists:
        """Add a descriptor's lists for the same queries."""
        return Lists(self.items, self.queries, {**self.lists, name: rows})

    def relevant(self) -> dict[str, dict[str, int]]:
        """Give every query's relevant drawings: those of its character."""
        drawings: dict[str, dict[str, int]] = {}
        for name in self.items:
            drawings.setdefault(character(name), {})[name] = 1
        asked = [self.items[query] for query in self.queries]
        return {name: drawings[character(name)] for name in asked}


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A descriptor's hits and errors, and what the others say of them.

    ``of_hits`` and ``of_errors`` are what consensus believes of them on average (None: there are
    none); ``alone`` is the share of hits that no other descriptor returns.
    """

    hits: int
    answers: int
    of_hits: float | None
    of_errors: float | None
    alone: float | None


@dataclass(frozen=True, slots=True)
class Believed:
    """Precision at 10 under some belief, by descriptor."""

    label: str
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Compared:
    """All that is computed of the lists; verdicts are by k, from 1 on.

    ``upright``, ``turned`` and ``sixth`` are precision at 10 with truth and by consensus: of
    drawings as they are and turned, for the same queries; with a sixth descriptor of ARG's kind.
    """

    lists: Lists
    truth: AtCutoffs
    agreed: AtCutoffs
    by_others: AtCutoffs
    in_whole: AtCutoffs
    with_truth: Mapping[int, Verdict]
    without: Mapping[int, Verdict]
    confirmed: Mapping[str, Confirmed]
    believed: tuple[Believed, ...]
    upright: Mapping[str, tuple[float, float]]
    turned: Mapping[str, tuple[float, float]]
    turned_queries: int
    sixth: Mapping[str, tuple[float, float]]
    efficiency: Mapping[str, float]

    @property
    def names(self) -> tuple[str, ...]:
        """The descriptors, in the paper's order."""
        return tuple(self.lists.lists)


def compare(output: Mapping[str, Any], *, size: int | None, seed: int) -> Compared:
    """Compute everything; ``size`` takes so many queries, evenly from all."""
    lists = Lists(output["items"], output["queries"], output["lists"])
    turned = Lists(lists.items, output["turned"]["queries"], output["turned"]["lists"])
    six = lists.joined("sixth", output["sixth"])
    same = lists.only([list(lists.queries).index(query) for query in turned.queries])
    if size is not None and size < len(lists.queries):
        some = np.linspace(0, len(lists.queries) - 1, size).astype(int).tolist()
        lists, six = lists.only(some), six.only(some)
    known, blank = lists.study(truth=True), lists.study()
    with_truth, without = {}, {}
    options: dict[str, Any] = {"measures": MEASURES, "seed": seed, "show": BARE}
    for k in range(1, DEEPEST + 1):
        with_truth[k] = cs.rank(cut(known, k), belief=cs.gold, **options)
        without[k] = cs.rank(cut(blank, k), belief=cs.consensus, **options)
        progress.report(k, DEEPEST)
    efficiency = cs.score(known, measures=[f"Efficiency@{DEEPEST}"], ties="order")
    return Compared(
        lists=lists,
        truth=cs.at_cutoffs(known, cs.gold),
        agreed=cs.at_cutoffs(blank, cs.consensus),
        by_others=cs.at_cutoffs(blank, cs.consensus, leave_out="system"),
        in_whole=cs.at_cutoffs(lists.study(whole=True), cs.consensus),
        with_truth=with_truth,
        without=without,
        confirmed=confirmed(known),
        believed=tuple(believed(lists, with_truth[DEEPEST])),
        upright=precisions(same),
        turned=precisions(turned),
        turned_queries=len(turned.queries),
        sixth=precisions(six),
        efficiency={
            name: efficiency[name][f"Efficiency@{DEEPEST}"].value for name in efficiency.systems
        },
    )


def precisions(lists: Lists) -> dict[str, tuple[float, float]]:
    """Give precision at 10 with truth and by consensus."""
    known = cs.score(lists.study(truth=True), measures=["P"])
    agreed = cs.score(lists.study(), measures=["P"], belief=cs.consensus)
    return {name: (known[name]["P"].value, agreed[name]["P"].value) for name in known.systems}


def confirmed(study: Study) -> dict[str, Confirmed]:
    """Tell, for every descriptor, how far the others confirm its hits and its errors."""
    answers = study.answers
    who = np.repeat(answers.respondent, np.diff(answers.starts))
    right = cs.gold(study).of(answers.item) == 1.0
    belief = cs.consensus(study, evidence="ignore").of(answers.item)
    nobody_else = belief < 2.5 / (len(study.systems) + 2)  # ⊤ and itself: two votes
    found = {}
    for name in study.systems:
        mine = who == study.respondents.names.index(name)
        hits, errors = mine & right, mine & ~right
        found[name] = Confirmed(
            int(hits.sum()),
            int(mine.sum()),
            _mean(belief[hits]),
            _mean(belief[errors]),
            _mean(nobody_else[hits]),
        )
    return found


def _mean(values: Any) -> float | None:
    return float(values.mean()) if len(values) else None


def believed(lists: Lists, truth: Verdict) -> list[Believed]:
    """Compute precision at 10 under the other beliefs, from the same lists."""
    pool, whole = lists.study(), lists.study(whole=True)
    blind = cs.with_families(pool, BLIND)
    known = cs.dependence(pool)
    groups = () if known is None else known.learned
    learned = cs.with_families(pool, {name: one.name for one in groups for name in one.members})
    tried: list[tuple[str, Study, Callable[..., Belief], dict[str, Any]]] = [
        (CONSENSUS, pool, cs.consensus, {}),
        ("consensus of the others", pool, cs.consensus, {"leave_out": "system"}),
        ("ls-eb (our default)", pool, cs.ls_eb, {}),
        ("discounted by place", pool, cs.discounted, {}),
        (DECLARED, blind, cs.by_family, {}),
        (LEARNED, learned, cs.by_family, {}),
        (POOLED, pool, cs.dawid_skene, {}),
        (WHOLE, whole, cs.dawid_skene, {}),
    ]
    found = [Believed("truth", values(truth))]
    for label, study, belief, options in tried:
        verdict = partial(cs.rank, measures=["P"], show=BARE, samples=100)
        found.append(Believed(label, values(verdict(study, belief=belief, **options))))
    return found


def values(verdict: Verdict, measure: str = "P") -> dict[str, float]:
    """Give a measure's values by descriptor."""
    return {name: verdict.scores[name][measure].value for name in verdict.scores.systems}


def tied(verdict: Verdict, a: str, b: str) -> bool:
    """Tell whether two descriptors cannot be told apart: the interval of their difference holds 0.

    The verdict's groups of ties do not tell this of all pairs: they compare with the first of a
    group only. Where there are no intervals (fewer than three queries), nobody is told apart.
    """
    ends = next((one.interval for one in verdict.pairs if {one.a, one.b} == {a, b}), None)
    return ends is None or (ends[0] <= DUST and ends[1] >= -DUST)


def out_of_order(truth: Mapping[str, float], other: Mapping[str, float]) -> list[tuple[str, str]]:
    """Name the pairs that change places: the first is ahead by truth and behind otherwise.

    Examples
    --------
    >>> out_of_order({"a": 0.9, "b": 0.5, "c": 0.5}, {"a": 0.4, "b": 0.5, "c": 0.4})
    [('a', 'b')]
    """
    return [(a, b) for a in truth for b in truth if truth[a] > truth[b] and other[a] < other[b]]
