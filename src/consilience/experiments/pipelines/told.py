"""What the experiment with 24 pipelines tells: tables, findings and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.experiments.pipelines import figures
from consilience.experiments.pipelines.figures import ranks
from consilience.experiments.pipelines.findings import findings, headline
from consilience.experiments.pipelines.study import ABOUT, BUDGET, LABELS, METHODS, SHRUNK
from consilience.experiments.pipelines.sweep import WORD_PAGES, Outcome
from consilience.experiments.recorded import packages
from consilience.experiments.reproduced import Asked, Cell, Column, Reproduced, Table
from consilience.measures.orders import kendall
from consilience.measures.tops import regret

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.experiments.pipelines.control import Control
    from consilience.experiments.pipelines.experiment import All, State
    from consilience.experiments.recorded import Recording

CAVEAT = "consensus is agreement: no ground truth was used for it, only to compare"
#: Where the commands write and read the pipelines' answers.
FILES = "pipelines"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """All that tables, findings and figures are made of; ``sets`` are the sweep's draws."""

    found: Mapping[str, All]
    swept: Mapping[str, Sequence[Outcome]]
    controls: Sequence[Control]
    states: Sequence[State]
    sets: int


def reproduced(kept: Recording, told: Outcomes, *, asked: Asked) -> Reproduced:
    """Tell everything."""
    pages, found, swept = len(kept.output["pages"][: asked.size]), told.found, told.swept
    return Reproduced(
        name="pipelines",
        title="24 pipelines on two OCR engines",
        headline=headline(told),
        tables=(
            _pipelines(found["entities"]),
            _methods(found),
            _states(told.states),
            _controls(told.controls),
            *(_sweep(kind, swept[kind], told.sets) for kind in swept),
        ),
        findings=findings(told),
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
        commands=COMMANDS,
        data=f"{pages} pages made for this project: generated letters and official pages, printed "
        "in several fonts, aged by light, stains, bleed-through and noise; the paper's scans of "
        "the Library of Congress and its pipelines' outputs were not published",
    )


COMMANDS = (
    "consilience reproduce pipelines",
    "consilience reproduce pipelines --again --size 6",
    f"python -m consilience.experiments.pipelines {FILES}",
    f"consilience rank {FILES}/found.json --truth {FILES}/truth.csv -m 'F1(average=micro)'",
    f"consilience rank {FILES}/found.json --belief consensus -m 'F1(average=micro)'",
    f"consilience rank {FILES}/found.json --belief families --families {FILES}/engines.csv "
    "-m 'F1(average=micro)'",
    f"consilience next {FILES}/found.json --budget {BUDGET} -o labels.csv",
)


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
            Column("pipeline", "head"),
            Column("F, truth", digits=3),
            Column("place", "count"),
            Column("F, consensus", digits=3),
            Column("its place", "count"),
        ),
        tuple(rows[at] for at in np.argsort(first, kind="stable")),
        note="pipeline: binarization · segmentation · engine",
    )


def _methods(found: Mapping[str, All]) -> Table:
    """How right every method is about all 24."""
    rows: list[tuple[Cell, ...]] = []
    for one in found.values():
        rows.append(
            (f"{one.kind}: truth", None, None, None, one.gap(one.found["truth"]), None, None)
        )
        rows += [
            (f"{one.kind}: {method}", *_right(one, one.found["truth"], one.found[method]))
            for method in METHODS
        ]
        for name, field in ((LABELS, "value"), (SHRUNK, "shrunk")):
            told = [_right(one, one.pooled, getattr(drawn, field)) for drawn in one.labels]
            rows.append((f"{one.kind}: {name}", *map(float, np.mean(told, axis=0))))
    first = next(iter(found.values()))
    return Table(
        "12 + 12 pipelines: every method's order against the truth's",
        (
            Column("items: method", "head"),
            Column("τ, all 24"),
            *(Column(f"τ, {engine}") for engine in first.engines),
            Column("ΔF", digits=3),
            Column("reversed", digits=1),
            Column("regret", digits=3),
        ),
        tuple(rows),
        note="; ".join(f"{method}: {about}" for method, about in ABOUT.items())
        + f"; {LABELS}: drawn by design, mean of {len(first.labels)} draws, against the truth "
        "about what some pipeline found; shrunk: drawn towards what the votes suggest. ΔF: the "
        "better engine's mean F minus the worse one's. Reversed: of 12 pairs that differ in "
        "the engine alone, those in the other order. Regret: the best true F minus that "
        "of the pipeline put first. τ is Kendall's τ_b",
    )


def _right(one: All, truth: NDArray[np.float64], values: NDArray[np.float64]) -> tuple[float, ...]:
    """How right an order is: τ of all and of each engine's, ΔF, reversed pairs, regret."""
    taus = [kendall(truth[one.engine == e], values[one.engine == e]) for e in one.engines]
    turned = float(one.reversed(truth, values)[0])
    return kendall(truth, values), *taus, one.gap(values), turned, regret(truth, values)


def _states(states: Sequence[State]) -> Table:
    """Pages in each state by themselves."""
    return Table(
        "12 + 12 pipelines, entities, by the state of the pages",
        (
            Column("pages", "head"),
            Column("number", "count"),
            Column("reversed by F", "text"),
            Column("by precision", "text"),
            Column("r of precision"),
            Column("shared errors"),
        ),
        tuple(
            (
                o.state,
                o.pages,
                *(f"{a} of {b}" for a, b in (o.by_f, o.by_p)),
                o.correlation,
                o.wrong,
            )
            for o in states
        ),
        note="Reversed: of pairs that differ in the engine alone and have figures, those in the "
        "other order by consensus. r: Pearson's, of precision by truth and by consensus over the "
        "24 pipelines. Shared errors: of what the worse engine's pipelines return wrongly, the "
        "share that most of them return",
    )


def _controls(controls: Sequence[Control]) -> Table:
    """What every method does when the worse engine's errors are made alike."""
    methods = list(controls[0].reversed)
    return Table(
        "A control (ours): the worse engine's errors made alike, pairs reversed of "
        f"{controls[0].pairs}",
        (
            Column("items: errors", "head"),
            Column("shared"),
            Column("a page", digits=1),
            Column("F, truth"),
            *(Column(method, "count") for method in methods),
        ),
        tuple(
            (
                f"{c.kind}: {c.errors}",
                c.shared,
                c.yields[1],
                c.f[1],
                *(c.reversed[method] for method in methods),
            )
            for c in controls
        ),
        note="the worse engine's pipelines keep what they read rightly; their errors are replaced "
        "by those of the best of them, or by those that any of them made. Shared: the share of "
        "errors that most of them make; a page: what they return; F, truth: their mean F. "
        f"{LABELS}: one draw",
    )


def _sweep(kind: str, outcomes: Sequence[Outcome], sets: int) -> Table:
    """The minority sweep of one kind of items, a row for each k."""
    methods = [m for m in dict.fromkeys(o.method for o in outcomes) if m != "truth"]
    told = {(o.k, o.method): o for o in outcomes}
    sizes = list(dict.fromkeys(o.k for o in outcomes))
    return Table(
        f"k good pipelines among 12 bad ones, {kind}: τ with the ranking by truth",
        (Column("k", "head"), *(Column(method) for method in methods)),
        tuple((str(k), *(told[k, method].tau for method in methods)) for k in sizes),
        note=f"means over {sets} draws of k good pipelines, with labels drawn anew for each. The "
        "truth is that about what some of these pipelines found, for all methods",
    )


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
        "engines that count once, hidden engines and labels are ours: the paper projects by engine "
        "and leaves it at that",
        "two engines are two families: with fewer than three independent sources no method can "
        "tell from votes alone which engine is right, and hidden engines (HDS) need three",
    )
