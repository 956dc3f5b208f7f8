"""What the experiment with 24 pipelines tells: tables, findings and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.experiments.pipelines import figures
from consilience.experiments.pipelines.figures import ranks
from consilience.experiments.pipelines.study import ABOUT, METHODS
from consilience.experiments.pipelines.sweep import BUDGET, LABELS, WORD_PAGES, Outcome
from consilience.experiments.recorded import packages
from consilience.experiments.reproduced import (
    Asked,
    Column,
    Finding,
    Reproduced,
    Table,
)
from consilience.measures.orders import kendall
from consilience.measures.tops import regret

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.experiments.pipelines.experiment import All, State
    from consilience.experiments.recorded import Recording

CAVEAT = "consensus is agreement: no ground truth was used for it, only to compare"
#: The tiers of a ranking.
TIERS = 3
#: A τ below this is a lost order: as many pairs wrong as right.
LOST = 0.0


def reproduced(
    kept: Recording,
    found: Mapping[str, All],
    swept: Mapping[str, Sequence[Outcome]],
    states: Sequence[State],
    *,
    asked: Asked,
) -> Reproduced:
    """Tell everything."""
    pages = len(kept.output["pages"][: asked.size])
    return Reproduced(
        name="pipelines",
        title="24 pipelines on two OCR engines",
        source="Lamiroy & Sun 2013, §4.3, Figures 3 and 4",
        headline=_headline(found["entities"], swept),
        tables=(
            _pipelines(found["entities"]),
            _methods(found),
            _states(states),
            *(_sweep(kind, swept[kind]) for kind in swept),
        ),
        findings=(*_papers(found), *_ours(found, swept)),
        figures=(
            figures.gaps(swept),
            figures.taus(swept),
            figures.oscillation(found["entities"]),
            figures.by_engine(found["entities"]),
        ),
        notes=_notes(found, pages),
        caveat=CAVEAT,
        seed=asked.seed,
        versions=packages("consilience", "numpy", "scipy"),
        stages=(kept.stage(),),
        commands=(
            "consilience reproduce pipelines",
            "consilience reproduce pipelines --again --size 6",
            "consilience rank found.csv --belief consensus -m 'F1(average=micro)'",
            "consilience rank found.csv --belief families --families engines.csv",
            f"consilience next found.csv --budget {BUDGET} -o labels.csv",
        ),
        data=f"{pages} pages made for this project: generated letters and official pages, printed "
        "in several fonts, aged by light, stains, bleed-through and noise; the paper's scans of "
        "the Library of Congress and its pipelines' outputs were not published",
    )


def _headline(one: All, swept: Mapping[str, Sequence[Outcome]]) -> str:
    parts = []
    for kind, outcomes in swept.items():
        turned = [o.k for o in outcomes if o.method == "consensus" and o.gap < 0]
        if turned:
            parts.append(f"{max(turned)} or fewer of 12 for {kind}")
    where = f" ({', '.join(parts)})" if parts else ""
    few = {m: _mean(swept, m, most=6) for m in ("consensus", "engines once", LABELS)}
    first = "puts the worse engine first" if parts else "keeps the better engine first"
    return (
        f"By consensus of 12 + 12 pipelines the ranking has τ = {one.tau('consensus'):.2f} with "
        f"the truth; where good pipelines are the minority it {first}{where}. "
        f"With at most 6 good pipelines τ is {few['consensus']:.2f} on average by consensus, "
        f"{few['engines once']:.2f} when an engine counts once and {few[LABELS]:.2f} with "
        f"{BUDGET} labels drawn by design."
    )


def _mean(swept: Mapping[str, Sequence[Outcome]], method: str, *, most: int) -> float:
    taus = [o.tau for one in swept.values() for o in one if o.method == method and o.k <= most]
    return float(np.mean(taus))


def _pipelines(one: All) -> Table:
    """All pipelines, with their places by truth and by consensus."""
    truth, agreed = one.found["truth"], one.found["consensus"]
    first, second = ranks(truth), ranks(agreed)
    rows = [
        (name, truth[at], int(first[at]), agreed[at], int(second[at]))
        for at, name in enumerate(one.names)
    ]
    return Table(
        f"{one.kind.capitalize()}: F of every pipeline and its place, with truth and by consensus",
        (
            Column("binarization · segmentation · engine", "head"),
            Column("F, truth", digits=3),
            Column("place", "count"),
            Column("F, consensus", digits=3),
            Column("place by consensus", "count"),
        ),
        tuple(rows[at] for at in np.argsort(first, kind="stable")),
    )


def _methods(found: Mapping[str, All]) -> Table:
    """How right every method is about all 24."""
    rows = []
    for one in found.values():
        engines = list(dict.fromkeys(one.engine.tolist()))
        for method in ("truth", *METHODS):
            taus = [None if method == "truth" else one.tau(method, e) for e in (None, *engines)]
            turned = one.reversed(method)[0] if method != "truth" else None
            cost = None if method == "truth" else regret(one.found["truth"], one.found[method])
            rows.append((one.kind, method, *taus, one.gap(method), turned, cost))
        rows.append((one.kind, LABELS, *_labelled(one, engines)))
    engines = list(dict.fromkeys(next(iter(found.values())).engine.tolist()))
    return Table(
        "12 + 12 pipelines: every method's order against the truth's",
        (
            Column("items", "head"),
            Column("method", "text"),
            Column("τ, all 24"),
            *(Column(f"τ, {engine} alone") for engine in engines),
            Column("F, better minus worse", digits=3),
            Column("reversed", "count"),
            Column("regret", digits=3),
        ),
        tuple(rows),
        note="; ".join(f"{method}: {about}" for method, about in ABOUT.items())
        + f"; {LABELS}: drawn by design, mean of {len(next(iter(found.values())).labels)} draws. "
        "Reversed: of 12 pairs that differ in the engine alone, those in the other order. Regret: "
        "the best true F minus that of the pipeline put first.",
    )


def _labelled(one: All, engines: Sequence[str]) -> tuple[float, ...]:
    """How right labels are, on average over draws; against what labels of the pool can tell."""
    truth, good = one.pooled, one.engine == one.good
    rows = []
    for values, _ in one.labels:
        taus = [kendall(truth, values)]
        taus += [kendall(truth[one.engine == e], values[one.engine == e]) for e in engines]
        gap = values[good].mean() - values[~good].mean()
        turned = _turned(one, truth, values)
        rows.append((*taus, gap, turned, regret(truth, values)))
    return tuple(float(value) for value in np.mean(rows, axis=0))


def _turned(one: All, truth: NDArray[np.float64], values: NDArray[np.float64]) -> int:
    return sum((truth[a] - truth[b]) * (values[a] - values[b]) < 0 for a, b in one.pairs())


def _states(states: Sequence[State]) -> Table:
    """Pages in each state by themselves."""
    return Table(
        "12 + 12 pipelines, entities, by the state of the pages",
        (
            Column("pages", "head"),
            Column("number", "count"),
            Column("reversed by F", "count"),
            Column("by precision", "count"),
            Column("r of precision"),
            Column("shared errors"),
        ),
        tuple((o.state, o.pages, o.by_f, o.by_p, o.correlation, o.wrong) for o in states),
        note="Reversed: of 12 pairs that differ in the engine alone, those in the other order by "
        "consensus. r: Pearson's, of precision by truth and by consensus over the 24 pipelines. "
        "Shared errors: of what the worse engine's pipelines return wrongly, the share that most "
        "of them return.",
    )


def _sweep(kind: str, outcomes: Sequence[Outcome]) -> Table:
    """The minority sweep of one kind of items, a row for each k."""
    methods = [m for m in dict.fromkeys(o.method for o in outcomes) if m != "truth"]
    told = {(o.k, o.method): o for o in outcomes}
    sizes = list(dict.fromkeys(o.k for o in outcomes))
    return Table(
        f"k good pipelines among 12 bad ones, {kind}: τ with the ranking by truth",
        (Column("k", "head"), *(Column(method) for method in methods)),
        tuple((str(k), *(told[k, method].tau for method in methods)) for k in sizes),
    )


def _papers(found: Mapping[str, All]) -> list[Finding]:
    """The paper's claims, on entities and on words."""
    made = []
    for one in found.values():
        truth, agreed = one.found["truth"], one.found["consensus"]
        good = one.engine == one.good
        ahead, pairs = sum(truth[a] > truth[b] for a, b in one.pairs()), len(one.pairs())
        made.append(
            Finding(
                f"one OCR engine clearly outperforms the other ({one.kind})",
                "yes",
                f"{one.good} has the higher F in {ahead} of {pairs} pairs; mean F "
                f"{truth[good].mean():.2f} against {truth[~good].mean():.2f}",
                ahead == pairs,
            )
        )
        turned, _ = one.reversed("consensus")
        made.append(
            Finding(
                f"with 12 + 12 pipelines consensus is in opposite phase ({one.kind})",
                "in complete opposite phase",
                f"{turned} of {pairs} pairs are reversed",
                turned > pairs / 2,
                _why_in_phase(one) if turned <= pairs / 2 else "",
            )
        )
        right, said = one.precision["truth"], one.precision["consensus"]
        precise = sum((right[a] - right[b]) * (said[a] - said[b]) < 0 for a, b in one.pairs())
        made.append(
            Finding(
                f"the same by precision ({one.kind}; ours)",
                "",
                f"{precise} of {pairs} pairs are reversed",
                None,
            )
        )
        narrow = float(agreed.std() / truth.std())
        made.append(
            Finding(
                f"consensus pulls F towards an average ({one.kind})",
                "an averaging effect",
                f"F scatters {narrow:.2f} times as much as by truth",
                narrow < 1,
            )
        )
        within = [one.tau("consensus", engine) for engine in dict.fromkeys(one.engine.tolist())]
        named = " and ".join(
            f"{tau:.2f} ({engine})"
            for tau, engine in zip(within, dict.fromkeys(one.engine.tolist()), strict=True)
        )
        made.append(
            Finding(
                f"projected by engine the order is preserved ({one.kind})",
                "not equivalent, but very consistent in tiers",
                f"τ within an engine is {named}; {_same_tier(one):.0%} of the pipelines stay in "
                "their third",
                min(within) > 0.5,
            )
        )
    return made


def _why_in_phase(one: All) -> str:
    """Say why the paper's inversion does not come out with as many good pipelines as bad ones."""
    kept = {name: one.yields[at] for at, name in enumerate(one.names)}
    good = np.mean([kept[name] for at, name in enumerate(one.names) if not one.is_bad(at)])
    bad = np.mean([kept[name] for at, name in enumerate(one.names) if one.is_bad(at)])
    return (
        f"the worse engine's errors agree less among themselves than right readings do (of what "
        f"its pipelines return wrongly {one.shared[0]:.0%} is returned by most of them, of "
        f"what they return rightly {one.shared[1]:.0%}; the engines return {bad:.0f} and "
        f"{good:.0f} {one.kind} a page), so that twelve good pipelines outvote twelve bad ones; "
        "with fewer good ones they do not: see the sweep"
    )


def _same_tier(one: All) -> float:
    """Tell how many pipelines stay in their third of the ranking, engine by engine."""
    same = []
    for engine in dict.fromkeys(one.engine.tolist()):
        of = one.engine == engine
        tiers = [
            (ranks(one.found[method][of]) - 1) * TIERS // int(of.sum())
            for method in ("truth", "consensus")
        ]
        same.append(float((tiers[0] == tiers[1]).mean()))
    return float(np.mean(same))


def _ours(found: Mapping[str, All], swept: Mapping[str, Sequence[Outcome]]) -> list[Finding]:
    """What the paper does not have: the minority, and what helps."""
    made = []
    for kind, outcomes in swept.items():
        told = {(o.k, o.method): o for o in outcomes}
        sizes = list(dict.fromkeys(o.k for o in outcomes))
        turned = [k for k in sizes if told[k, "consensus"].gap < 0]
        cured = {
            method: [k for k in turned if told[k, method].gap > 0]
            for method in (*METHODS, LABELS)
            if method != "consensus"
        }
        worst = max(sizes, key=lambda k: told[k, "consensus"].regret)
        said = "; ".join(
            f"{method} mends {len(ks)} of {len(turned)}" for method, ks in cured.items()
        )
        made.append(
            Finding(
                f"a minority of good pipelines ({kind}; ours, not the paper's)",
                "",
                (
                    f"consensus puts the worse engine first for k = {_listed(turned)}; {said}"
                    if turned
                    else "consensus keeps the better engine first for every k"
                )
                + f"; choosing by consensus costs up to {told[worst, 'consensus'].regret:.2f} F "
                f"(k = {worst}), with {BUDGET} labels {told[worst, LABELS].regret:.2f}",
                None,
            )
        )
        one = found[kind]
        values = np.array([value for value, _ in one.labels])
        reach = np.array([half for _, half in one.labels])
        apart = np.abs(values - one.pooled)
        made.append(
            Finding(
                f"{BUDGET} labels drawn by design ({kind}; ours)",
                "",
                f"F is off by {apart.mean():.3f} on average over {len(values)} draws, by consensus "
                f"by {np.abs(one.found['consensus'] - one.found['truth']).mean():.3f}; "
                f"{(apart <= reach).mean():.0%} of the 95 % intervals hold the truth",
                None,
            )
        )
    return made


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _notes(found: Mapping[str, All], pages: int) -> tuple[str, ...]:
    said = [
        f"of {one.missed[1]:,} {one.kind} in the truth no pipeline found {one.missed[0]:,}; labels "
        "are drawn from what some pipeline found, and are compared with the truth about that"
        for one in found.values()
    ]
    return (
        *said,
        f"F is over all {pages} pages together, of words over the first {WORD_PAGES} at most; "
        "consensus is the papers' (Method I, ⊤ and ⊥)",
        "two engines are two families: with fewer than three independent sources no method can "
        "tell from votes alone which engine is right, and hidden engines (HDS) need three",
    )
