"""What ``runs`` holds against the papers: claims, what came out, and whether the two agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from consilience.experiments.reproduced import Finding
from consilience.experiments.runs import figures as of
from consilience.experiments.runs.labels import DESIGNED
from consilience.experiments.runs.measured import ALL, TEN


def _pair(found: of.Results, name: str) -> tuple[float, float]:
    """Give τ of a pair of rankings over all runs, and over the best third."""
    return next((every, best) for pair, every, best in found.yardsticks if pair == name)


def _said(tau: float) -> str:
    """Write τ; a dash where it is undefined.

    Examples
    --------
    >>> _said(0.774), _said(float("nan"))
    ('0.77', '–')
    """
    return "–" if tau != tau else f"{tau:.2f}"


def headline(field: of.Field, found: of.Results) -> str:
    """Say what came out: who can be told apart without judgments, and who cannot."""
    chosen = of.first(field.agreed(ALL), 1)[0]
    halves, true = _pair(found, of.HALVES), _pair(found, of.TRUE)
    rank = of.place(field.truth("AP"))[chosen]
    return (
        f"Without a single judgment the papers' consensus ranks {len(field.runs)} search runs with "
        f"τ = {_tau(found.consensus)} against average precision by judgments (judgments on one "
        f"half of the topics against those on the other: {_said(halves[0])}). Among the "
        f"{len(field.best_third)} runs with the highest AP τ is {_said(true[1])} (half against "
        f"half: {_said(halves[1])}), and the run that consensus puts first is number {rank}."
    )


def _tau(one: of.Compared) -> str:
    ends = one.intervals["tau_b"]
    said = _said(one.figures["tau_b"])
    return said if ends is None else f"{said} [{ends[0]:.2f}, {ends[1]:.2f}]"


def findings(field: of.Field, found: of.Results) -> tuple[Finding, ...]:
    """Hold the claims of the papers against what came out."""
    return (
        _comparable(field, found),
        _tiers(field),
        _not_the_same(field, found),
        _averaging(field),
        _popularity(field, found),
        _votes(found),
        *_labels(field, found),
        _pseudo(found),
    )


def _comparable(field: of.Field, found: of.Results) -> Finding:
    ends, halves = found.consensus.intervals["tau_b"], _pair(found, of.HALVES)[0]
    return Finding(
        "without truth a ranking comes out that is comparable to the one with truth (Lamiroy & "
        "Sun 2013, §1)",
        "comparable; no figure",
        f"τ = {_tau(found.consensus)} over {len(field.runs)} runs; AP on odd topics against AP on "
        f"even topics, both with judgments: {_said(halves)}",
        None if ends is None or halves != halves else ends[1] >= halves,
        "comparable is taken to mean: the interval reaches what judgments of half of the topics "
        "say of the other half, a low bar: each half is less sure than all topics together",
    )


def _tiers(field: of.Field) -> Finding:
    made = of.tiers(field)
    stay, count = int(np.trace(made)), int(made.sum())
    across = int(made[0, 2] + made[2, 0])
    return Finding(
        "global ranking (top, middle, bottom tiers) is very consistent (§4.3)",
        "very consistent",
        f"{stay} of {count} runs stay in their third; from the first to the last or back: {across}",
        across == 0 and stay > 2 * count / 3,
        "consistent is taken to mean: more than two thirds stay, and none goes from end to end",
    )


def _not_the_same(field: of.Field, found: of.Results) -> Finding:
    one = found.consensus
    ap = field.truth("AP")
    return Finding(
        "there is no total equivalence of the two rankings (§4.3)",
        "no total equivalence",
        f"the first {one.top} share {one.shared:.3g}; choosing by consensus costs "
        f"{one.figures['regret']:.3f} of the highest AP, {float(ap.max()):.3f}",
        one.figures["tau_b"] < 1 and one.shared < one.top,
    )


def _averaging(field: of.Field) -> Finding:
    true, agreed = field.truth("P@10"), field.agreed(TEN)
    before, after = (float(one.std() / one.mean()) for one in (true, agreed))
    return Finding(
        "consensus pulls figures towards an average value (§4.3)",
        "an averaging effect",
        f"P@10 by judgments from {true.min():.2f} to {true.max():.2f}, mean {true.mean():.2f}, "
        f"standard deviation {before:.0%} of the mean; by consensus from {agreed.min():.2f} to "
        f"{agreed.max():.2f}, mean {agreed.mean():.2f}, {after:.0%}",
        after < before,
        "held against the mean, since consensus lowers all figures: few of so many runs vote for "
        "one document",
    )


def _popularity(field: of.Field, found: of.Results) -> Finding:
    first = of.first(of.column(field.told["labels"]["truth"]), 1)[0]
    rank = of.place(field.agreed(ALL))[first]
    alike, true, halves = (_pair(found, name) for name in (of.ALIKE, of.TRUE, of.HALVES))
    return Finding(
        "methods without judgments measure how popular a run's answers are rather than how good "
        "(Aslam & Savell 2003)",
        "popularity",
        f"τ of consensus with a run's likeness to the others {_said(alike[0])}, with judgments "
        f"{_said(true[0])}; among the {len(field.best_third)} runs with the highest AP "
        f"{_said(alike[1])} and {_said(true[1])}, where judgments of half of the topics reach "
        f"{_said(halves[1])}; {field.runs[first]}, first by P@10 of judged answers, is number "
        f"{rank} by consensus",
        alike[0] > true[0] and alike[1] > true[1],
        "consensus and likeness come from the same votes and must be near each other; what tells "
        "is how much less judgments say the same among the best",
    )


def _votes(found: of.Results) -> Finding:
    counting = found.consensus
    methods = found.compared[ALL]
    best = max(methods, key=lambda one: one.figures["tau_b"])
    worst = min(methods, key=lambda one: one.figures["tau_b"])
    ends = counting.intervals["tau_b"]
    return Finding(
        "counting votes is as good as any method (Sakai & Lin 2010)",
        "as good as any",
        f"counting votes (the papers' consensus) {_tau(counting)}; {len(methods)} methods "
        f"from {_tau(worst)} ({worst.method}) to {_tau(best)} ({best.method})",
        None if ends is None else best.figures["tau_b"] <= ends[1],
        "as good is taken to mean: the highest τ of all methods lies in the interval of counting "
        "votes; differences of two methods on the same topics were not resampled and may tell more",
    )


def _labels(field: of.Field, found: of.Results) -> tuple[Finding, ...]:
    """Tell what partial truth does, and from how many labels on it orders runs better."""
    plain = [one for one in found.bought if one.way == DESIGNED]
    shrunk = [one for one in found.bought if one.way == of.SHRUNK]
    if not plain:
        return ()
    tau, error, cost = found.unlabelled
    most = plain[-1]
    covered = most.covered
    return (
        Finding(
            "what partial truth adds, which the paper leaves to be studied (§6)",
            "",
            f"{most.budget:,} labels of {field.told['labels']['population']:,} items, drawn by "
            f"next: mean error of P@10 {error:.3f} → {most.error:.3f}, τ {tau:.2f} → "
            f"{most.tau:.2f}, regret {cost:.3f} → {most.regret:.3f}; 95 % intervals hold "
            f"{'–' if covered is None else f'{covered:.0%}'} of the true figures",
            None,
        ),
        Finding(
            "how many labels order runs better than consensus without a label",
            "",
            f"plain estimates {_from(plain, tau)}, shrunk ones {_from(shrunk, tau)} (τ of "
            f"consensus {tau:.2f}); with {plain[0].budget} labels the mean error is "
            f"{plain[0].error:.3f} and {shrunk[0].error:.3f} (consensus {error:.3f})",
            None,
        ),
    )


def _from(several: Sequence[of.Bought], tau: float) -> str:
    """Say from which budget on τ stays above a figure."""
    above = 0
    for one in reversed(several):
        if one.tau <= tau:
            break
        above = one.budget
    return f"from {above:,} labels on" if above else "with none of these budgets"


def _pseudo(found: of.Results) -> Finding:
    return Finding(
        "random pseudo-judgments rank runs with τ of about 0.4 (Soboroff 2001)",
        "0.4ish",
        f"consensus {found.consensus.figures['tau_b']:.2f}",
        None,
        "other runs and another method: there documents were drawn at random from the pool, here "
        "all votes count; their method was not run",
    )
