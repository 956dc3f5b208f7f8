"""The figures of the experiment with 24 pipelines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.experiments.pipelines.study import SHRUNK
from consilience.experiments.pipelines.sweep import Outcome
from consilience.experiments.reproduced import Axis, Figure
from consilience.measures.orders import places

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.experiments.pipelines.experiment import All


def ranks(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Give every value's place, the highest first."""
    return places(values)[0]


def gaps(swept: Mapping[str, Sequence[Outcome]]) -> Figure:
    """The headline figure: how far ahead the good engine is, as every method sees it."""
    return Figure(
        "minority",
        "How far ahead the better engine is, by truth and as each method sees it",
        "Mean F of the better engine's pipelines minus that of the worse one's twelve, against "
        "the number k of pipelines on the better engine. Below zero a method puts the worse "
        "engine first.",
        tuple(
            {"k": o.k, "gap": o.gap, "method": o.method, "items": kind}
            for kind, outcomes in swept.items()
            for o in outcomes
            if o.method != SHRUNK
        ),
        Axis("k", "k, pipelines on the better engine"),
        Axis("gap", "F, better minus worse engine"),
        series="method",
        panel="items",
    )


def taus(swept: Mapping[str, Sequence[Outcome]]) -> Figure:
    """How right each method's order is, for every k."""
    least = min((o.low for one in swept.values() for o in one), default=0.0)
    return Figure(
        "order",
        "How right each method's order is",
        "Kendall's τ between the ranking by truth and that of each method, against the number of "
        "pipelines on the better engine; vertical lines go from the lowest to the highest draw.",
        tuple(
            {
                "k": o.k,
                "tau": o.tau,
                "method": o.method,
                "items": kind,
                "low": o.low,
                "high": o.high,
            }
            for kind, outcomes in swept.items()
            for o in outcomes
            if o.method != SHRUNK
        ),
        Axis("k", "k, pipelines on the better engine"),
        Axis("tau", "Kendall's τ with the truth", (min(0.0, np.floor(least * 10) / 10), 1.05)),
        series="method",
        panel="items",
    )


def oscillation(one: All) -> Figure:
    """Figure 3: the place of every pipeline, engines alternating."""
    rows = _places(one, np.ones(len(one.names), bool), "all")
    return Figure(
        "oscillation",
        "Figure 3: places with and without truth, engines alternating",
        "Places of the 24 pipelines by F with truth and by consensus; engines alternate, so that "
        "lines go up and down. In the paper the two lines are in opposite phase.",
        tuple(rows),
        Axis("pipeline", "pipeline", names=one.names),
        Axis("place", "place", (len(one.names) + 0.5, 0.5)),
        series="by",
    )


def by_engine(one: All) -> Figure:
    """Figure 4: the same engine by engine."""
    rows = []
    for engine in dict.fromkeys(one.engine.tolist()):
        rows += _places(one, one.engine == engine, engine)
    kinds = tuple(dict.fromkeys(str(row["pipeline"]) for row in rows))
    return Figure(
        "by-engine",
        "Figure 4: places among the pipelines of one engine",
        "Places among the twelve pipelines of each engine, by F with truth and by consensus of all "
        "24.",
        tuple(rows),
        Axis("pipeline", "binarization and segmentation", names=kinds),
        Axis("place", "place", (len(kinds) + 0.5, 0.5)),
        series="by",
        panel="engine",
    )


def _places(one: All, of: NDArray[np.bool_], panel: str) -> list[dict[str, object]]:
    names = [name for name, kept in zip(one.names, of, strict=True) if kept]
    shown = names if panel == "all" else [name.rpartition(" · ")[0] for name in names]
    return [
        {"pipeline": name, "place": float(place), "by": by, "engine": panel}
        for by in ("truth", "consensus")
        for name, place in zip(shown, ranks(one.found[by][of]), strict=True)
    ]
