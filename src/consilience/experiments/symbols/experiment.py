"""Five shape descriptors look for drawn symbols: who is better, with truth and without.

Lamiroy & Sun take the lists that five descriptors return for symbols of electrical wiring diagrams,
compute precision and recall over the first 1 to 10 answers with people's truth (their Tables 4 and
5), and once more by consensus (their Figure 2). Their symbols and lists were not published. Here
five descriptors of the same kinds (:mod:`consilience.experiments.symbols.shapes`) look for drawn
characters of Omniglot; truth is which character a drawing shows. As in the paper, the query is part
of the collection, so that every descriptor is right at k = 1.

References
----------
.. [1] B. Lamiroy and T. Sun, "Precision and recall without ground truth", GREC 2011, §2.3.1.
.. [2] K.C. Santosh, B. Lamiroy and L. Wendling, "Spatio-structural symbol description with
   statistical feature add-on", GREC 2011.
.. [3] B. M. Lake, R. Salakhutdinov and J. B. Tenenbaum, "Human-level concept learning through
   probabilistic program induction", Science 350, 2015, 1332–1338.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from consilience.experiments import recorded
from consilience.experiments.recorded import Recording, packages
from consilience.experiments.reproduced import (
    Asked,
    Axis,
    Cell,
    Column,
    Figure,
    Reproduced,
    Table,
)
from consilience.experiments.symbols import lists as symbols_lists
from consilience.experiments.symbols import paper as symbols_paper
from consilience.experiments.symbols.compared import Believed, Compared, compare, tied, values
from consilience.experiments.symbols.findings import findings, headline, taus
from consilience.experiments.symbols.lists import DEEPEST
from consilience.render.words import CAVEAT

if TYPE_CHECKING:
    from consilience.verdict.rank import Verdict

NAME = RECORDED = "symbols"
#: The cutoffs that tables show; figures show all.
SHOWN = (1, 2, 3, 5, 10)
#: Precision and recall: place in a row of figures, name, the paper's table, its number.
PARTS = (
    (0, "Precision", symbols_paper.precision, "Table 4"),
    (1, "Recall", symbols_paper.recall, "Table 5"),
)


def record(asked: Asked) -> Recording:
    """Run the slow stage: all descriptors over all drawings."""
    return symbols_lists.record(asked)


def run(asked: Asked) -> Reproduced:
    """Compare the descriptors with truth and without, and both with the paper."""
    recording = record(asked) if asked.again else recorded.load(RECORDED)
    found = compare(recording.output, size=asked.size, seed=asked.seed)
    queries, drawings = len(found.lists.queries), len(found.lists.items)
    return Reproduced(
        name=NAME,
        title="Five shape descriptors look for drawn symbols",
        headline=headline(found),
        tables=(
            *(_cutoffs(found, part) for part in PARTS),
            _orders(found),
            _confirmed(found),
            _believed(found),
            _turned(found),
            _descriptors(),
        ),
        findings=findings(found),
        figures=(*(_curves(found, part) for part in PARTS), _at_ten(found), _others(found)),
        notes=_notes(found, sliced=recording.output["slice"]),
        caveat=f"for figures by consensus and other beliefs {CAVEAT}",
        seed=asked.seed,
        versions=packages("consilience", "numpy"),
        stages=(recording.stage(),),
        commands=(
            "consilience reproduce symbols",
            f"consilience reproduce symbols --size {_paper_queries()}",
            "consilience reproduce symbols --again --data FOLDER",
        ),
        data=(
            f"Omniglot (brendenlake/omniglot, commit 057f034b, MIT): {drawings:,} drawings of "
            f"{len({symbols_lists.character(name) for name in found.lists.items})} characters, "
            f"{queries} of them queries. The paper's symbols (electrical wiring diagrams) and "
            "lists were not published"
        ),
    )


def _paper_queries() -> int:
    found = symbols_paper.sums()
    return 0 if found is None else found.queries


def _cutoffs(found: Compared, part: tuple[int, str, Any, str]) -> Table:
    """Put precision or recall at some cutoffs beside the paper's."""
    place, what, paper, table = part
    rows: list[tuple[Cell, ...]] = []
    for name in found.names:
        rows += [
            (name, "paper, with truth", *(paper(name, k) for k in SHOWN)),
            (name, "ours, with truth", *(float(found.truth[name][k - 1, place]) for k in SHOWN)),
            (name, "ours, consensus", *(float(found.agreed[name][k - 1, place]) for k in SHOWN)),
        ]
    return Table(
        f"{what} over the first k answers, the paper's ({table}) and ours",
        (
            Column("descriptor", "head"),
            Column("figures", "text"),
            *(Column(f"k = {k}", digits=3) for k in SHOWN),
        ),
        tuple(rows),
        "what consensus gave in the paper is drawn in its Figure 2 and not printed",
    )


def _orders(found: Compared) -> Table:
    """Tell the order of the descriptors at every k, with truth and without."""
    rows = tuple(
        (
            k,
            _order(found.with_truth[k]),
            _order(found.without[k]),
            *(taus(found, measure)[k - 1] for measure in ("P", "R", "F1")),
        )
        for k in range(2, DEEPEST + 1)
    )
    return Table(
        "The order at every k, by precision",
        (
            Column("k", "count"),
            Column("with truth, ours", "text"),
            Column("consensus, ours", "text"),
            *(Column(f"τ of {measure}") for measure in ("P", "R", "F1")),
        ),
        rows,
        f"≈: the two cannot be told apart (95 %, {len(found.lists.queries)} queries drawn anew). "
        "τ: Kendall's, between the orders with truth and by consensus. At k = 1 all are equal",
    )


def _order(verdict: Verdict) -> str:
    """Write an order; neighbours that cannot be told apart are joined by ≈."""
    names = [one.name for one in verdict.standings]
    said = names[0]
    for first, second in pairwise(names):
        said += f" {'≈' if tied(verdict, first, second) else '>'} {second}"
    return said


def _confirmed(found: Compared) -> Table:
    """Take precision by consensus apart: what is believed of hits and of errors."""
    agreed = values(found.without[DEEPEST])
    return Table(
        "Where agreement comes from: the first 10 answers to all queries",
        (
            Column("descriptor", "head"),
            Column("hits", "count"),
            Column("alone", digits=3),
            Column("P, truth", digits=3),
            Column("belief: hits", digits=3),
            Column("belief: errors", digits=3),
            Column("P, consensus", digits=3),
        ),
        tuple(
            (
                *(name, one.hits, one.alone, one.hits / one.answers),
                *(one.of_hits, one.of_errors, agreed[name]),
            )
            for name, one in found.confirmed.items()
        ),
        "alone: the share of hits that no other descriptor returns. P by consensus is P · belief "
        "in hits + (1 − P) · belief in errors, both on average; belief is (1 + votes)/"
        f"{len(found.names) + 2}, its own vote included",
    )


def _believed(found: Compared) -> Table:
    """Show precision at 10 under other beliefs than the papers' consensus."""
    import consilience as cs

    true = [found.believed[0].values[name] for name in found.names]
    rows: list[tuple[Cell, ...]] = []
    for one in found.believed:
        mine = [one.values[name] for name in found.names]
        rows.append((one.label, *mine, cs.kendall(true, mine), _far(found, one)))
    return Table(
        "Precision at 10 under other beliefs, ours",
        (
            Column("belief", "head"),
            *(Column(name, digits=3) for name in found.names),
            Column("τ to truth"),
            Column("mean distance", digits=3),
        ),
        tuple(rows),
        "all from the same lists; nothing but the first row knows the truth. Families: one vote "
        "for Radon, GFD and Zernike together, which are blind to rotation; or one for each group "
        "that the votes themselves suggest",
    )


def _far(found: Compared, one: Believed) -> float:
    """Give the mean distance between precision at 10 under a belief and with truth."""
    true = found.believed[0].values
    return sum(abs(one.values[name] - true[name]) for name in true) / len(true)


def _turned(found: Compared) -> Table:
    """Compare drawings as they are with drawings that were turned."""
    return Table(
        "Precision at 10 when every drawing is turned by 0 to 3 quarter turns, ours",
        (
            Column("descriptor", "head"),
            Column("upright, with truth", digits=3),
            Column("upright, consensus", digits=3),
            Column("turned, with truth", digits=3),
            Column("turned, consensus", digits=3),
        ),
        tuple((name, *found.upright[name], *found.turned[name]) for name in found.names),
        f"one query in {symbols_lists.TURNED_EVERY} of the stage, {found.turned_queries} in all: "
        "the same ones upright and turned",
    )


def _descriptors() -> Table:
    """Say what the descriptors are."""
    from consilience.experiments.symbols.shapes import DESCRIPTORS

    return Table(
        "The descriptors, ours",
        (
            Column("descriptor", "head"),
            *(Column(name, "text") for name in ("what it is", "after", "turned is")),
        ),
        tuple(
            (name, one.about, one.after, "the same" if one.blind else "another")
            for name, one in DESCRIPTORS.items()
        ),
        "the paper's are of the same kinds; its ARG has circles, corners and loose ends as parts, "
        "ours straight strokes",
    )


def _curves(found: Compared, part: tuple[int, str, Any, str]) -> Figure:
    """Draw precision or recall by k: the paper's, ours with truth, and without."""
    place, what, paper, table = part
    ours = (
        ("ours, with truth", found.truth),
        ("ours, by consensus", found.agreed),
        ("ours, by consensus of the others", found.by_others),
    )

    def rows() -> Iterator[dict[str, Any]]:
        steps = range(1, DEEPEST + 1)
        for name in found.names:
            for k in steps:
                yield _point(f"paper, with truth ({table})", name, k, paper(name, k))
        for panel, figures in ours:
            for name in found.names:
                for k in steps:
                    yield _point(panel, name, k, float(figures[name][k - 1, place]))

    return Figure(
        what.lower(),
        f"{what} over the first k answers",
        f"{what} of five descriptors over the first 1 to 10 answers: the paper's with truth, ours "
        "with truth, ours by consensus, and by consensus of the other four",
        tuple(rows()),
        Axis("k", "k"),
        Axis("value", what),
        series="descriptor",
        panel="whose",
    )


def _point(whose: str, descriptor: str, k: int, value: float) -> dict[str, Any]:
    return {"whose": whose, "descriptor": descriptor, "k": k, "value": value}


def _at_ten(found: Compared) -> Figure:
    """Draw precision at 10 with truth, by consensus, and under the belief that comes nearest."""
    near = min(found.believed[1:], key=lambda one: _far(found, one))
    rows = []
    for label, verdict in (
        ("with truth", found.with_truth[DEEPEST]),
        ("by consensus", found.without[DEEPEST]),
    ):
        for one in verdict.standings:
            detail = one.details["P"]
            ends = detail.interval or detail.given
            row = {"descriptor": one.name, "figures": label, "P": one.scores["P"].value}
            rows.append(row | ({"low": ends[0], "high": ends[1]} if ends else {}))
    rows += [
        {"descriptor": name, "figures": near.label, "P": near.values[name]} for name in found.names
    ]
    return Figure(
        "at-ten",
        "Precision at 10: consensus draws all together",
        "Precision at 10 of every descriptor with truth and by consensus, with 95 % intervals over "
        "queries (by consensus: if what is believed were true), and under "
        f"{near.label}: of the beliefs that the table shows, the one that truth says is nearest",
        tuple(rows),
        Axis("P", "precision at 10", (0.0, 1.0)),
        Axis("descriptor", "", names=found.names),
        mark="dot",
        series="figures",
    )


def _others(found: Compared) -> Figure:
    """Draw what is believed of hits and of errors."""
    rows = [
        {"descriptor": name, "answers": kind, "belief": value}
        for name, one in found.confirmed.items()
        for kind, value in (("hits", one.of_hits), ("errors", one.of_errors))
    ]
    return Figure(
        "confirmed",
        "What consensus believes of hits and of errors",
        "The mean belief, by consensus, in the hits and in the errors of every descriptor: how far "
        "the others confirm them",
        tuple(row for row in rows if row["belief"] is not None),
        Axis("descriptor", "", names=found.names),
        Axis("belief", "mean belief", (0.0, 1.0)),
        mark="bar",
        series="answers",
    )


def _notes(found: Compared, *, sliced: bool) -> tuple[str, ...]:
    """Say what a reader must know of the figures."""
    relevant = {len(one) for one in found.lists.relevant().values()}
    same = all(
        abs(found.efficiency[name] - found.truth[name][DEEPEST - 1, 0]) < 1e-12
        for name in found.names
    )
    notes = [
        "the query itself is in the collection, as in the paper: at k = 1 all are right, and a "
        "descriptor needs to find one drawing less",
        f"every query has {' or '.join(str(one) for one in sorted(relevant))} relevant drawings "
        "and every list is full, so that averaging over queries and dividing sums are the same "
        "with truth, and precision, recall and F1 give one order with truth",
        "at cutoff k a descriptor's vote is its first k answers; recall by consensus is divided by "
        f"the pool (Δ): what at least one of them returns among its first {DEEPEST}",
    ]
    if same:
        notes.append(
            f"retrieval efficiency (Kankanhalli et al.; Efficiency@{DEEPEST}) equals precision "
            "here: at least as many drawings are relevant as are returned"
        )
    if sliced:
        notes.append(
            "Omniglot was not at hand: this ran on the 100 drawings that the package carries "
            "(fix: --data names the folder that holds symbols_omniglot)"
        )
    return tuple(notes)
