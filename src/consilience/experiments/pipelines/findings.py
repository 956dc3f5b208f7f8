"""What of the paper's limit came out with 24 pipelines, what did not, and what brings it about.

The paper looked at named entities: its claims are held against those. Words stand beside them and
do not count. Everything else is ours, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.experiments.pipelines import control
from consilience.experiments.pipelines.figures import ranks
from consilience.experiments.pipelines.study import BUDGET, LABELS, METHODS
from consilience.experiments.reproduced import Finding
from consilience.measures.orders import kendall

if TYPE_CHECKING:
    from consilience.experiments.pipelines.control import Control
    from consilience.experiments.pipelines.experiment import All
    from consilience.experiments.pipelines.sweep import Outcome
    from consilience.experiments.pipelines.told import Outcomes

#: The tiers of a ranking.
TIERS = 3
#: So few good pipelines are a minority that the headline speaks of.
FEW = 6


def headline(told: Outcomes) -> str:
    """Say what came out in a few sentences."""
    parts = []
    for kind, outcomes in told.swept.items():
        turned = [o.k for o in outcomes if o.method == "consensus" and o.gap < 0]
        parts.append(f"{_reach(turned, outcomes)} of 12 ({kind})")
    few = {m: _mean(told.swept, m) for m in ("consensus", "engines once", LABELS)}
    return (
        f"Consensus of 12 + 12 pipelines ranks them with τ = "
        f"{told.found['entities'].tau('consensus'):.2f}; with fewer on the better engine, "
        f"{' and '.join(parts)}, it puts the worse engine first. With at most {FEW} τ is "
        f"{few['consensus']:.2f} on average, {few['engines once']:.2f} when an engine counts once "
        f"and {few[LABELS]:.2f} with {BUDGET} labels drawn by design. Where the worse engine's "
        "errors are made alike, even engines that count once turn round "
        f"{_reversed(told.controls, 'engines once')} pairs of pipelines (entities, words), labels "
        f"{_reversed(told.controls, LABELS)}."
    )


def _reach(turned: Sequence[int], outcomes: Sequence[Outcome]) -> str:
    """Name the numbers of good pipelines, shortly where they are the smallest ones.

    Examples
    --------
    >>> _reach([], [])
    'none'
    """
    if not turned:
        return "none"
    upwards = list(dict.fromkeys(o.k for o in outcomes))[: len(turned)]
    return f"up to {max(turned)}" if upwards == list(turned) else _listed(turned)


def _mean(swept: Mapping[str, Sequence[Outcome]], method: str) -> float:
    taus = [o.tau for one in swept.values() for o in one if o.method == method and o.k <= FEW]
    return float(np.mean(taus))


def _reversed(controls: Sequence[Control], method: str) -> str:
    """Say what a method does where the worse engine's pipelines make all their errors together."""
    some = [one for one in controls if one.errors == control.ANY]
    return " and ".join(f"{c.reversed[method]} of {c.pairs}" for c in some)


def findings(told: Outcomes) -> tuple[Finding, ...]:
    """Hold the paper's claims against what came out, then tell what is ours."""
    return (
        _engines(told),
        _phase(told),
        _average(told),
        _projected(told),
        _precision(told),
        _controls(told),
        *(_minority(told.found[kind], told.swept[kind]) for kind in told.swept),
        *(_labels(one) for one in told.found.values()),
    )


def _both(told: Outcomes, said: Mapping[str, str]) -> str:
    """Put entities and words side by side."""
    return "; ".join(f"{kind}: {said[kind]}" for kind in told.found)


def _engines(told: Outcomes) -> Finding:
    said, clear = {}, {}
    for kind, one in told.found.items():
        truth, good = one.found["truth"], one.engine == one.good
        behind, pairs = one.reversed(truth, np.where(good, 1.0, 0.0))
        clear[kind] = behind == 0
        said[kind] = (
            f"{one.good} has the higher F in {pairs - behind} of {pairs} pairs, on average "
            f"{truth[good].mean():.2f} against {truth[~good].mean():.2f}"
        )
    return Finding(
        "one OCR engine clearly outperforms the other", "yes", _both(told, said), clear["entities"]
    )


def _phase(told: Outcomes) -> Finding:
    said, turned = {}, {}
    for kind, one in told.found.items():
        count, pairs = one.reversed(one.found["truth"], one.found["consensus"])
        said[kind] = f"{count} of {pairs} pairs that differ in the engine alone are reversed"
        turned[kind] = count > pairs / 2
    return Finding(
        "with 12 + 12 pipelines consensus is in opposite phase",
        "in complete opposite phase",
        _both(told, said),
        turned["entities"],
        "" if turned["entities"] else _why_in_phase(told.controls),
    )


def _why_in_phase(controls: Sequence[Control]) -> str:
    """Tell by the controls what keeps the paper's inversion from coming out."""
    told = []
    for kind in dict.fromkeys(one.kind for one in controls):
        some = {one.errors: one for one in controls if one.kind == kind}
        real, one, every = (some[errors] for errors in control.CHOICES)
        told.append(
            f"{kind}: of the worse engine's errors {real.shared:.0%} are made by most of its "
            f"pipelines, which return {real.yields[1]:.0f} a page, the others "
            f"{real.yields[0]:.0f}; with one pipeline's errors for all {_turned(one)}, with "
            f"any pipeline's errors for all {_turned(every)}"
        )
    return (
        "how far errors are shared, and how many there are, decides it. " + ". ".join(told) + ". "
        "How it was with the paper's engines cannot be told: their outputs were not published"
    )


def _turned(one: Control) -> str:
    return (
        f"{one.reversed['consensus']} of {one.pairs} pairs are reversed ({one.yields[1]:.0f} a "
        "page)"
    )


def _average(told: Outcomes) -> Finding:
    narrow = {
        kind: float(one.found["consensus"].std() / one.found["truth"].std())
        for kind, one in told.found.items()
    }
    said = {kind: f"F scatters {one:.2f} times as much as by truth" for kind, one in narrow.items()}
    return Finding(
        "consensus pulls F towards an average",
        "an averaging effect",
        _both(told, said),
        narrow["entities"] < 1,
    )


def _projected(told: Outcomes) -> Finding:
    said, kept = {}, {}
    for kind, one in told.found.items():
        within = {engine: one.tau("consensus", engine) for engine in one.engines}
        stay = same_tier(one)
        kept[kind] = min(within.values()) > 0.5 and stay > 0.5
        said[kind] = (
            f"τ within an engine is {_named(within)}, {stay:.0%} of the pipelines stay in their "
            f"third; by the consensus of that engine's twelve alone τ is {_named(_alone(one))}"
        )
    return Finding(
        "projected by engine the order is preserved",
        "not equivalent, but very consistent in tiers",
        _both(told, said),
        kept["entities"],
        "agrees if τ is above 0.5 within both engines and more than half of the pipelines stay in "
        f"their third (by luck 1 of {TIERS} would)",
    )


def _alone(one: All) -> dict[str, float]:
    truth = one.found["truth"]
    return {e: kendall(truth[one.engine == e], one.alone[one.engine == e]) for e in one.engines}


def _named(values: Mapping[str, float]) -> str:
    return " and ".join(f"{value:.2f} ({name})" for name, value in values.items())


def same_tier(one: All) -> float:
    """Tell how many pipelines stay in their third of the ranking, engine by engine."""
    same = []
    for engine in one.engines:
        of = one.engine == engine
        tiers = [
            (ranks(one.found[method][of]) - 1) * TIERS // int(of.sum())
            for method in ("truth", "consensus")
        ]
        same.append(float((tiers[0] == tiers[1]).mean()))
    return float(np.mean(same))


def _precision(told: Outcomes) -> Finding:
    """By precision pairs are reversed, but less so among pages in one state."""
    said = {}
    for kind, one in told.found.items():
        count, pairs = one.reversed(one.precision["truth"], one.precision["consensus"])
        said[kind] = f"{count} of {pairs} pairs are reversed"
    states = ", ".join(f"{s.by_p[0]} of {s.by_p[1]} ({s.state})" for s in told.states)
    why = f"on entities of pages in one state there are {states}"
    first = told.states[0]
    all_of = [sum(s.returned[at] for s in told.states) for at in (0, 1)]
    if len(told.states) > 1 and min(all_of) > 0:
        better, worse = (first.returned[at] / all_of[at] for at in (0, 1))
        why += (
            f"; of what the worse engine returns {worse:.0%} is from {first.state} pages, of what "
            f"the better one returns {better:.0%}, and there all agree more"
        )
    return Finding("the same by precision (ours)", "", _both(told, said), None, why)


def _controls(told: Outcomes) -> Finding:
    """What engines once does where the worse engine agrees with itself."""
    some = [one for one in told.controls if one.errors == control.ANY]
    methods = [m for m in some[0].reversed if m != "consensus"]
    said = "; ".join(
        f"{c.kind}: " + ", ".join(f"{method} {c.reversed[method]}" for method in methods)
        for c in some
    )
    return Finding(
        "where the worse engine's pipelines all make all its errors (ours)",
        "",
        f"pairs reversed, of {some[0].pairs}: {said}",
        None,
        "of two engines that have a vote each, the one that returns more on which its own "
        "pipelines agree comes first, right or wrong: votes cannot tell which is right, labels can",
    )


def _minority(one: All, outcomes: Sequence[Outcome]) -> Finding:
    """What the paper does not have: the minority, and what helps."""
    told = {(o.k, o.method): o for o in outcomes}
    sizes = list(dict.fromkeys(o.k for o in outcomes))
    turned = [k for k in sizes if told[k, "consensus"].gap < 0]
    said = "consensus keeps the better engine first for every k"
    if turned:
        mended = "; ".join(
            f"{method} in {sum(told[k, method].gap > 0 for k in turned)} of {len(turned)}"
            for method in (*METHODS, LABELS)
            if method != "consensus"
        )
        said = (
            f"consensus puts the worse engine first for k = {_listed(turned)}; the better one "
            f"comes first by {mended}"
        )
    edge = [k for k in sizes if k not in turned and told[k, "consensus"].inverted]
    if edge:
        said += f"; by consensus it is the worse one in some draws only for k = {_listed(edge)}"
    costs = []
    for method in ("consensus", "engines once", LABELS):
        lost = {k: told[k, method].regret for k in sizes}
        worst = max(lost, key=lost.__getitem__)
        costs.append(f"{told[worst, method].regret:.2f} by {method} (k = {worst})")
    return Finding(
        f"a minority of good pipelines ({one.kind}; ours)",
        "",
        f"{said}; choosing the first costs at most, in F, {', '.join(costs)}",
        None,
        "counting engines once helps here because the better engine is outvoted by number alone: "
        "see the control for where it does not. With 12 + 12 its τ is "
        f"{one.tau('engines once'):.2f}, that of consensus {one.tau('consensus'):.2f}. Which "
        "pipelines share an engine was told, not learned from the votes",
    )


def _labels(one: All) -> Finding:
    values = np.array([drawn.value for drawn in one.labels])
    reach = np.array([drawn.reach for drawn in one.labels])
    apart = np.abs(values - one.pooled)
    agreed = np.abs(one.found["consensus"] - one.pooled).mean()
    return Finding(
        f"{BUDGET} labels drawn by design ({one.kind}; ours)",
        "",
        f"F is off by {apart.mean():.3f} on average over {len(values)} draws and "
        f"{len(one.names)} pipelines, by consensus by {agreed:.3f}; {(apart <= reach).mean():.0%} "
        "of the 95 % intervals hold the truth",
        None,
        "the truth about what some pipeline found. The pipelines share their labels: "
        f"{len(values)} draws are few to judge intervals by",
    )


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
