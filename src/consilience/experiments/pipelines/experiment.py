"""24 pipelines on two OCR engines: the limit that the paper states, shown, explained and beaten.

Lamiroy and Sun ([1]_, §4.3) compared 3 binarizations × 4 segmentations × 2 OCR engines. One engine
was clearly better; with truth and without, their pipelines were in "complete opposite phase":
consensus put the worse engine first, because twelve pipelines that share an engine agree on its
errors. Projected by engine, the order came out right.

Here the same 24 kinds of pipelines read degraded pages whose text is known
(:mod:`consilience.experiments.ocr`). Items are mentions of named entities, as in the paper, and
besides all words. F is over all pages together (micro), the ranking by F, consensus as in the
paper (Method I). The second half is ours: a minority of good pipelines among twelve bad ones, where
consensus inverts, and what is left of that when copies count once, when engines count once, when
engines are hidden causes, and when a hundred items are labelled by design.

References
----------
.. [1] B. Lamiroy and T. Sun, "Computing Precision and Recall with Missing or Uncertain Ground
   Truth", GREC 2011 revised selected papers, LNCS 7423, 2013.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.experiments import recorded
from consilience.experiments.pipelines.study import (
    METHODS,
    PRECISION,
    Readings,
    blind,
    by_labels,
    pooled,
    readings,
    scores,
    seen,
)
from consilience.experiments.pipelines.sweep import BUDGET, MINORITIES, WORD_PAGES, sweep
from consilience.experiments.reproduced import Asked, Reproduced
from consilience.measures.orders import kendall

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.experiments.recorded import Recording

#: The recording of the slow stage.
RECORDED = "pipelines"
#: What items are.
KINDS = ("entities", "words")
#: States of pages, from well kept to badly worn.
STATES = ("good", "fair", "poor")
#: How often 100 labels are drawn for all 24 pipelines.
DRAWS = 10


@dataclass(frozen=True, slots=True)
class All:
    """All 24 pipelines under every method: scores in the order of ``names``.

    ``labels`` holds estimates and the reach of their intervals for every draw, ``pooled`` the true
    scores when the truth is what some pipeline found; ``missed`` how much of the truth nobody
    found, and all of it. ``yields`` are items returned per page; ``shared`` tells of what the worse
    engine's pipelines return wrongly, and of what they return rightly, which share is returned by
    half of them or more. ``precision`` is that by truth and by consensus.
    """

    kind: str
    names: tuple[str, ...]
    engine: NDArray[np.str_]
    good: str
    found: Mapping[str, NDArray[np.float64]]
    labels: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...]
    pooled: NDArray[np.float64]
    missed: tuple[int, int]
    yields: NDArray[np.float64]
    shared: tuple[float, float]
    precision: Mapping[str, NDArray[np.float64]]

    def tau(self, method: str, engine: str | None = None) -> float:
        """Compare a method's order with the truth's, of all pipelines or of one engine's."""
        of = self.engine == engine if engine else np.ones(len(self.names), bool)
        return kendall(self.found["truth"][of], self.found[method][of])

    def gap(self, method: str) -> float:
        """By how much the good engine is ahead, as a method sees it."""
        values, good = self.found[method], self.engine == self.good
        return float(values[good].mean() - values[~good].mean())

    def pairs(self) -> list[tuple[int, int]]:
        """Give the pipelines that differ in the engine alone, the good engine's first."""
        alike = [name.rpartition(" · ")[0] for name in self.names]
        worse = {alike[at]: at for at in range(len(alike)) if self.is_bad(at)}
        return [(at, worse[alike[at]]) for at in range(len(alike)) if not self.is_bad(at)]

    def reversed(self, method: str) -> tuple[int, int]:
        """Tell how many pairs a method puts in the other order, and how many there are."""
        truth, values, pairs = self.found["truth"], self.found[method], self.pairs()
        turned = [(truth[a] - truth[b]) * (values[a] - values[b]) < 0 for a, b in pairs]
        return int(sum(turned)), len(pairs)

    def is_bad(self, at: int) -> bool:
        """Tell whether a pipeline is on the worse engine."""
        return bool(self.engine[at] != self.good)


def run(asked: Asked) -> Reproduced:
    """Rank the 24 pipelines with and without truth, then a minority of good ones."""
    kept = record(asked) if asked.again else recorded.load(RECORDED)
    pages = kept.output["pages"][: asked.size]
    whole = {
        "entities": taken(kept, "entities", pages),
        "words": taken(kept, "words", pages[:WORD_PAGES]),
    }
    found = {kind: everything(one, kind, seed=asked.seed) for kind, one in whole.items()}
    sizes = MINORITIES if asked.size is None else (2, 12)
    swept = {
        kind: sweep(one, found[kind].good, seed=asked.seed, sizes=sizes)
        for kind, one in whole.items()
    }
    from consilience.experiments.pipelines import told

    return told.reproduced(kept, found, swept, by_state(kept, pages), asked=asked)


def everything(whole: Readings, kind: str, *, seed: int, draws: int = DRAWS) -> All:
    """Score all pipelines by truth, by every method and by labels."""
    made = blind(whole)
    names = made.systems
    engine = np.array([whole.engine[name] for name in names])
    truth = scores(seen(whole))
    good = max(dict.fromkeys(engine.tolist()), key=lambda one: truth[engine == one].mean())
    found = {"truth": truth} | {m: scores(made, belief) for m, belief in METHODS.items()}
    part = pooled(whole)
    drawn = [by_labels(part, BUDGET, seed=seed + draw)[:2] for draw in range(draws)]
    said = sum(map(len, whole.truth.values()))
    lost = said - sum(map(len, part.truth.values()))
    counted = Counter(whole.rows["system"].to_pylist())
    yields = [counted[name] / len(whole.truth) for name in names]
    bad = whole.of([name for name in names if whole.engine[name] != good])
    return All(
        kind,
        names,
        engine,
        good,
        found,
        tuple(drawn),
        scores(seen(part)),
        (lost, said),
        np.array(yields),
        shared(bad),
        {
            "truth": scores(seen(whole), measure=PRECISION),
            "consensus": scores(made, METHODS["consensus"], measure=PRECISION),
        },
    )


def shared(part: Readings) -> tuple[float, float]:
    """Tell how far pipelines return the same: of what is wrong, and of what is right.

    Examples
    --------
    >>> engine = {"a": "one", "b": "one"}
    >>> shared(readings({"a": {"p": ["x", "y"]}, "b": {"p": ["x"]}}, {"p": ["x"]}, engine))
    (0.0, 1.0)
    """
    pairs = zip(*(part.rows[name].to_pylist() for name in ("query", "item")), strict=True)
    returned: dict[bool, list[int]] = {False: [], True: []}
    right = {page: {*items} for page, items in part.truth.items()}
    for (page, item), times in Counter(pairs).items():
        returned[item in right[page]] += [times] * times
    bad, good = (np.array(returned[which]) for which in (False, True))
    return _beyond(bad, len(part.engine) / 2), _beyond(good, len(part.engine) / 2)


def _beyond(counts: NDArray[np.int64], most: float) -> float:
    """Tell which share of counts is above a number; of none it is undefined."""
    return float((counts > most).mean()) if len(counts) else float("nan")


@dataclass(frozen=True, slots=True)
class State:
    """Pages in one state: how many pairs of pipelines consensus reverses, by F and by precision.

    ``wrong`` tells how far the worse engine's pipelines agree on what is wrong.
    """

    state: str
    pages: int
    by_f: int
    by_p: int
    pairs: int
    correlation: float
    wrong: float


def by_state(kept: Recording, pages: Sequence[Any]) -> list[State]:
    """Look at well kept and at worn pages by themselves, 12 + 12 pipelines, entities."""
    made = []
    for state in STATES:
        some = [page for page in pages if page["state"] == state]
        if not some:
            continue
        one = everything(taken(kept, "entities", some), "entities", seed=0, draws=0)
        truth, agreed = one.precision["truth"], one.precision["consensus"]
        both = ~np.isnan(truth) & ~np.isnan(agreed)
        turned, pairs = one.reversed("consensus")
        precise = sum((truth[a] - truth[b]) * (agreed[a] - agreed[b]) < 0 for a, b in one.pairs())
        varies = both.sum() > 1 and np.ptp(truth[both]) > 0 and np.ptp(agreed[both]) > 0
        together = np.corrcoef(truth[both], agreed[both])[0, 1] if varies else np.nan
        made.append(
            State(state, len(some), turned, int(precise), pairs, float(together), one.shared[0])
        )
    return made


def record(asked: Asked) -> Recording:
    """Make the pages, and read them with all pipelines (minutes of OCR)."""
    from consilience.experiments.ocr.stages import record as read

    return read(asked)


def taken(kept: Recording, kind: str, pages: Sequence[Any]) -> Readings:
    """Take entities or words of some recorded pages, as the 24 pipelines read them."""
    from consilience.experiments.ocr import stages

    engine = {one["name"]: one["engine"] for one in kept.output["pipelines"] if "beside" not in one}
    take = stages.entities if kind == "entities" else stages.words
    found = take({"pages": pages}, engine)
    truth = found.pop(stages.TRUTH)
    return readings(found, truth, engine)
