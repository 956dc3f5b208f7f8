"""24 pipelines on two OCR engines: the limit that the paper states, and what brings it about.

Lamiroy and Sun ([1]_, §4.3) compared 3 binarizations × 4 segmentations × 2 OCR engines. One engine
was clearly better; with truth and without, their pipelines were in "complete opposite phase":
consensus put the worse engine first, because twelve pipelines that share an engine agree on its
errors. Projected by engine, the order came out right.

Here the same 24 kinds of pipelines read degraded pages whose text is known
(:mod:`consilience.experiments.ocr`). Items are mentions of named entities, as in the paper, and
besides all words. F is over all pages together (micro), the ranking by F, consensus as in the
paper (Method I). The rest is ours: a control in which the worse engine's errors are made alike
(:mod:`~consilience.experiments.pipelines.control`), a minority of good pipelines among twelve bad
ones (:mod:`~consilience.experiments.pipelines.sweep`), and what is left of the inversion when
copies count once, when engines count once, when engines are hidden causes, and when a hundred items
are labelled by design.

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
from consilience.experiments.pipelines import control
from consilience.experiments.pipelines.control import Control
from consilience.experiments.pipelines.study import (
    BUDGET,
    LABELS,
    METHODS,
    PRECISION,
    Labelled,
    Readings,
    blind,
    by_labels,
    pooled,
    readings,
    scores,
    seen,
)
from consilience.experiments.pipelines.sweep import DRAWS as SETS
from consilience.experiments.pipelines.sweep import MINORITIES, WORD_PAGES, sweep
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

    ``labels`` holds the estimates of every draw, ``pooled`` the true scores when the truth is what
    some pipeline found; ``missed`` how much of the truth nobody found, and all of it. ``alone``
    holds scores by the consensus of the pipelines of one engine, each engine's by itself.
    ``precision`` is that by truth and by consensus.
    """

    kind: str
    names: tuple[str, ...]
    engine: NDArray[np.str_]
    good: str
    found: Mapping[str, NDArray[np.float64]]
    labels: tuple[Labelled, ...]
    pooled: NDArray[np.float64]
    missed: tuple[int, int]
    alone: NDArray[np.float64]
    precision: Mapping[str, NDArray[np.float64]]

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines, in the order of the pipelines."""
        return tuple(dict.fromkeys(self.engine.tolist()))

    def tau(self, method: str, engine: str | None = None) -> float:
        """Compare a method's order with the truth's, of all pipelines or of one engine's."""
        of = self.engine == engine if engine else np.ones(len(self.names), bool)
        return kendall(self.found["truth"][of], self.found[method][of])

    def gap(self, values: NDArray[np.float64]) -> float:
        """By how much the good engine is ahead."""
        good = self.engine == self.good
        return float(values[good].mean() - values[~good].mean())

    def reversed(self, truth: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[int, int]:
        """Tell how many pairs are in the other order, of how many where both are defined."""
        return turned(self.names, self.engine == self.good, truth, values)


def turned(
    names: Sequence[str],
    good: NDArray[np.bool_],
    truth: NDArray[np.float64],
    values: NDArray[np.float64],
) -> tuple[int, int]:
    """Count pairs that differ in the engine alone: those in the other order, and all.

    Examples
    --------
    >>> names, good = ["a · x", "a · y", "b · x", "b · y"], np.array([True, False] * 2)
    >>> turned(names, good, np.array([2.0, 1, 2, 1]), np.array([2.0, 1, 1, 2]))
    (1, 2)
    """
    alike = [name.rpartition(" · ")[0] for name in names]
    worse = {alike[at]: at for at in np.flatnonzero(~good)}
    products = [
        (truth[at] - truth[other]) * (values[at] - values[other])
        for at in np.flatnonzero(good)
        for other in [worse[alike[at]]]
    ]
    defined = [one for one in products if not np.isnan(one)]
    return sum(bool(one < 0) for one in defined), len(defined)


def run(asked: Asked) -> Reproduced:
    """Rank the 24 pipelines with and without truth, then under controls, then a minority."""
    from consilience.experiments.pipelines import told

    kept = record(asked) if asked.again else recorded.load(RECORDED)
    pages = kept.output["pages"][: asked.size]
    parts = {"entities": pages, "words": pages[:WORD_PAGES]}
    whole = {kind: taken(kept, kind, some) for kind, some in parts.items()}
    quick = asked.size is not None
    draws = 2 if quick else DRAWS
    found = {
        kind: everything(one, kind, seed=asked.seed, draws=draws) for kind, one in whole.items()
    }
    sizes, sets = ((2, 12), 1) if quick else (MINORITIES, SETS)
    swept = {
        kind: sweep(one, found[kind].good, seed=asked.seed, sizes=sizes, draws=sets)
        for kind, one in whole.items()
    }
    controls = [
        controlled(kept, found[kind], some, errors, seed=asked.seed)
        for kind, some in parts.items()
        for errors in control.CHOICES
    ]
    states = by_state(kept, pages, found["entities"].good)
    outcome = told.Outcomes(found, swept, controls, states, sets)
    return told.reproduced(kept, outcome, asked=asked)


def everything(whole: Readings, kind: str, *, seed: int, draws: int) -> All:
    """Score all pipelines by truth, by every method and by labels."""
    made = blind(whole)
    names = made.systems
    engine = np.array([whole.engine[name] for name in names])
    truth = scores(seen(whole))
    good = better(engine, truth)
    found = {"truth": truth} | {m: scores(made, belief) for m, belief in METHODS.items()}
    part = pooled(whole)
    said = sum(map(len, whole.truth.values()))
    alone = np.empty(len(names))
    for one in dict.fromkeys(engine.tolist()):
        its = blind(whole.of([name for name in names if whole.engine[name] == one]))
        alone[engine == one] = scores(its, METHODS["consensus"])
    return All(
        kind,
        names,
        engine,
        good,
        found,
        tuple(by_labels(part, BUDGET, seed=seed + draw) for draw in range(draws)),
        scores(seen(part)),
        (said - sum(map(len, part.truth.values())), said),
        alone,
        {
            "truth": scores(seen(whole), measure=PRECISION),
            "consensus": scores(made, METHODS["consensus"], measure=PRECISION),
        },
    )


def better(engine: NDArray[np.str_], truth: NDArray[np.float64]) -> str:
    """Tell which engine's pipelines have the higher mean score."""
    names: list[str] = engine.tolist()
    return max(dict.fromkeys(names), key=lambda one: float(truth[engine == one].mean()))


def controlled(
    kept: Recording, one: All, pages: Sequence[Any], errors: str, *, seed: int
) -> Control:
    """Rank all pipelines when the worse engine's errors are replaced by common ones."""
    read, truth, engine = lists(kept, one.kind, pages)
    worse = [at for at, name in enumerate(one.names) if engine[name] != one.good]
    worse.sort(key=lambda at: -one.found["truth"][at])
    changed = control.alike(read, truth, [one.names[at] for at in worse], errors)
    whole = readings(changed, truth, engine)
    made, right = blind(whole), scores(seen(whole))
    found = {m: scores(made, METHODS[m]) for m in ("consensus", "copies once", "engines once")}
    found[LABELS] = by_labels(pooled(whole), BUDGET, seed=seed).value
    good = one.engine == one.good
    counted = Counter(whole.rows["system"].to_pylist())
    yields = np.array([counted[name] / len(truth) for name in one.names])
    return Control(
        one.kind,
        errors,
        shared(whole.of([name for name in engine if engine[name] != one.good]))[0],
        (float(yields[good].mean()), float(yields[~good].mean())),
        (float(right[good].mean()), float(right[~good].mean())),
        int(good.sum()),
        {m: turned(one.names, good, right, values)[0] for m, values in found.items()},
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
    """Pages in one state: pairs of pipelines that consensus reverses, and all that are defined.

    ``wrong`` tells how far the worse engine's pipelines agree on what is wrong; ``returned`` what
    the better and the worse engine's pipelines return there, all together.
    """

    state: str
    pages: int
    by_f: tuple[int, int]
    by_p: tuple[int, int]
    correlation: float
    wrong: float
    returned: tuple[int, int]


def by_state(kept: Recording, pages: Sequence[Any], good: str) -> list[State]:
    """Look at well kept and at worn pages by themselves, 12 + 12 pipelines, entities."""
    made = []
    for state in STATES:
        some = [page for page in pages if page["state"] == state]
        if some:
            made.append(_state(taken(kept, "entities", some), state, good))
    return made


def _state(whole: Readings, state: str, good: str) -> State:
    right, study = seen(whole), blind(whole)
    ours = np.array([whole.engine[name] == good for name in study.systems])
    by_f = turned(study.systems, ours, scores(right), scores(study, METHODS["consensus"]))
    truth = scores(right, measure=PRECISION)
    agreed = scores(study, METHODS["consensus"], measure=PRECISION)
    by_p = turned(study.systems, ours, truth, agreed)
    both = ~np.isnan(truth) & ~np.isnan(agreed)
    varies = both.sum() > 1 and np.ptp(truth[both]) > 0 and np.ptp(agreed[both]) > 0
    together = np.corrcoef(truth[both], agreed[both])[0, 1] if varies else np.nan
    its = Counter(whole.rows["family"].to_pylist())
    bad = whole.of([name for name in whole.engine if whole.engine[name] != good])
    returned = its[good], its.total() - its[good]
    return State(state, len(whole.truth), by_f, by_p, float(together), shared(bad)[0], returned)


def record(asked: Asked) -> Recording:
    """Make the pages, and read them with all pipelines (minutes of OCR)."""
    from consilience.experiments.ocr.stages import record as read

    return read(asked)


def taken(kept: Recording, kind: str, pages: Sequence[Any]) -> Readings:
    """Take entities or words of some recorded pages, as the 24 pipelines read them."""
    return readings(*lists(kept, kind, pages))


def lists(
    kept: Recording, kind: str, pages: Sequence[Any]
) -> tuple[dict[str, dict[str, list[str]]], dict[str, list[str]], dict[str, str]]:
    """Give what the 24 pipelines read, what the pages say, and every pipeline's engine."""
    from consilience.experiments.ocr import stages

    engine = {one["name"]: one["engine"] for one in kept.output["pipelines"] if "beside" not in one}
    take = stages.entities if kind == "entities" else stages.words
    found = take({"pages": pages}, engine)
    truth = found.pop(stages.TRUTH)
    return found, truth, engine
