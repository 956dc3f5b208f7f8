"""The tables of ``runs``."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.experiments.reproduced import Cell, Column, Table
from consilience.experiments.runs import figures as of
from consilience.experiments.runs.labels import MEASURE, POOL
from consilience.experiments.runs.measured import ALL, COUNTING, TEN
from consilience.render.words import count

#: What was published of the round; AP is that of whole runs.
PUBLISHED = {"runs": 143, "judged": 8691, "lowest": 0.0006, "highest": 0.3128}
#: Labels by which runs are placed beside the other rankings: how many, and by which values.
SHOWN = ((200, "shrunk"), (1600, "value"))
#: So many runs that consensus puts too low, and too high, are shown.
APART = 5


def tables(field: of.Field, found: of.Results) -> tuple[Table, ...]:
    """Give all tables, what matters most first."""
    return (
        without_judgments(field, found, ALL),
        without_judgments(field, found, TEN),
        _yardsticks(field, found),
        _best(field),
        _agreeing(field),
        _apart(field),
        _labels(field, found),
        _measures(found),
        _facts(field),
    )


def without_judgments(field: of.Field, found: of.Results, over: str) -> Table:
    """Hold every method without judgments against the ranking by judgments."""
    rows = sorted(found.compared[over], key=lambda one: -one.figures["tau_b"])
    missing = [
        f"{name}: {told['why']}"
        for name, told in field.told["agreed"][over].items()
        if "why" in told
    ]
    topics = count(len(field.told["topics"]), "topic")
    drawn = f"95% intervals over {topics}, drawn anew {field.told['samples']:,} times"
    if all(one.intervals["tau_b"] is None for one in rows):
        drawn = f"{topics}: too few for intervals"
    note = (
        f"{drawn}; shared: runs that are among the first "
        f"{rows[0].top} of both; regret: the highest score less that of the run put first; hds "
        "has the families that the votes suggest"
    )
    return Table(
        f"Without judgments, against judgments ({over})",
        (
            Column("method", "head"),
            Column("τ_b"),
            Column("τ_b, 95%", "span"),
            Column("τ_ap"),
            Column("τ_ap, 95%", "span"),
            Column("shared", digits=1),
            Column("put first", "text"),
            Column("regret", digits=3),
            Column("regret, 95%", "span"),
        ),
        tuple(
            (
                one.method,
                one.figures["tau_b"],
                one.intervals["tau_b"],
                one.figures["tau_ap"],
                one.intervals["tau_ap"],
                one.shared,
                one.first[0] if len(one.first) == 1 else f"{len(one.first)} runs",
                one.figures["regret"],
                one.intervals["regret"],
            )
            for one in rows
        ),
        "; ".join([note, *missing]),
    )


def _yardsticks(field: of.Field, found: of.Results) -> Table:
    return Table(
        "How far rankings agree: all runs, and the best third",
        (
            Column("two rankings", "head"),
            Column(f"τ_b, all {len(field.runs)}", digits=3),
            Column(f"τ_b, the best {len(field.best_third)}", digits=3),
        ),
        found.yardsticks,
        "AP and P@10 by judgments, AP also on odd topics against even ones; likeness: a run's mean "
        f"φ with the other runs; the papers' consensus ({ALL}); the best third by AP",
    )


def _best(field: of.Field) -> Table:
    """Show the runs that judgments put first, with their places elsewhere."""
    ap = field.truth("AP")
    return Table(
        "The ten runs that judgments put first",
        (
            *(Column("run", "head"), Column("AP", digits=4), Column("by AP", "count")),
            *(Column(name, "figure", 0) for name in _places(field)),
        ),
        tuple(
            (field.runs[run], ap[run], rank, *(one[run] for one in _places(field).values()))
            for rank, run in enumerate(of.first(ap), start=1)
        ),
        f"places of {len(field.runs)}; P@10 is that of judged answers, which labels estimate: the "
        "median place over all draws, few labels by shrunk values, many by plain ones",
    )


def _agreeing(field: of.Field) -> Table:
    """Show the runs that agreement puts first, with what judgments say of them."""
    ap = field.truth("AP")
    true, best = of.place(ap), float(max(ap))
    places = {name: one for name, one in _places(field).items() if name != "by consensus"}
    return Table(
        "The ten runs that consensus puts first",
        (
            *(Column("run", "head"), Column("by consensus", "count"), Column("by AP", "count")),
            Column("regret", digits=4),
            *(Column(name, "figure", 0) for name in places),
        ),
        tuple(
            (
                *(field.runs[run], rank, true[run], best - ap[run]),
                *(one[run] for one in places.values()),
            )
            for rank, run in enumerate(of.first(field.agreed(ALL)), start=1)
        ),
        "regret: the highest AP less the run's",
    )


def _places(field: of.Field) -> dict[str, Sequence[float]]:
    """Give the places of all runs by rankings other than AP."""
    made: dict[str, Sequence[float]] = {
        "by P@10": of.place(of.column(field.told["labels"]["truth"])),
        "by consensus": of.place(field.agreed(ALL)),
    }
    for budget, values in SHOWN:
        found = of.placed_by_labels(field, budget, values)
        if found is not None:
            made[f"by {budget:,} labels"] = found
    return made | {"by likeness": of.place(field.likeness)}


def _apart(field: of.Field) -> Table:
    """Show the runs that consensus puts furthest from their place."""
    true, agreed = of.place(field.truth("AP")), of.place(field.agreed(ALL))
    alike = of.place(field.likeness)
    fall = [b - a for a, b in zip(true, agreed, strict=True)]
    order = sorted(range(len(fall)), key=lambda run: -fall[run])
    shown = [*order[:APART], *order[-APART:]] if len(order) > 2 * APART else order
    return Table(
        f"Furthest apart: the {APART} that consensus underrates most, and overrates most",
        (
            Column("run", "head"),
            Column("by AP", "count"),
            Column("by consensus", "count"),
            Column("places lost", "count"),
            Column("by likeness", "count"),
        ),
        tuple((field.runs[run], true[run], agreed[run], fall[run], alike[run]) for run in shown),
    )


def _labels(field: of.Field, found: of.Results) -> Table:
    tau, error, cost = found.unlabelled
    rows: list[tuple[Cell, ...]] = [("no labels: consensus", 0, tau, None, error, cost, None)]
    rows += [
        (
            f"{one.way}: {one.budget:,}{' deep' if one.way == POOL else ''}",
            round(one.labels),
            one.tau,
            one.ends if one.draws > 1 else None,
            one.error,
            one.regret,
            one.covered,
        )
        for one in found.bought
    ]
    draws = max((one.draws for one in found.bought), default=0)
    return Table(
        f"A few labels: {MEASURE} of judged answers",
        (
            Column("way: budget", "head"),
            Column("labels", "count"),
            Column("τ_b"),
            Column("τ_b over draws", "span"),
            Column("error", digits=3),
            Column("regret", digits=3),
            Column("held", digits=3),
        ),
        tuple(rows),
        f"means over {draws} draws from {field.told['labels']['population']:,} judged items; "
        "τ_b over draws: the lowest and the highest; "
        f"error: mean absolute error of {MEASURE}; held: the share of 95% intervals that hold the "
        "figure by all labels; a pool takes all first answers, then all second ones, and counts "
        "the rest as not relevant; shrunk values and pools have no interval",
    )


def _measures(found: of.Results) -> Table:
    """τ by what agreement is measured by."""
    return Table(
        "Which measure of agreement: τ_b against AP, and against P@10",
        (
            Column("agreement by", "head"),
            *(Column(f"{name}, AP", digits=3) for name in COUNTING),
            Column(f"{COUNTING[0]}, P@10", digits=3),
        ),
        tuple((name, *(against[0] for against in taus), taus[0][1]) for name, taus in found.others),
    )


def _facts(field: of.Field) -> Table:
    """Tell what the runs are, and who copies whom."""
    told, ap = field.told, field.truth("AP")
    extra = sum(len(group) - 1 for group in told["copies"])
    known = told["dependence"]
    near = sum(len(group) - 1 for group in known["near"])
    rows: tuple[tuple[Cell, ...], ...] = (
        ("runs", PUBLISHED["runs"], len(field.runs)),
        ("distinct rankings", None, len(field.runs) - extra),
        ("judgments", PUBLISHED["judged"], told["judged"]),
        ("judgments that say relevant", None, told["relevant"]),
        ("first ten answers that were judged, share", None, round(told["judged_at_10"], 4)),
        ("lowest AP", PUBLISHED["lowest"], round(float(min(ap)), 4)),
        ("highest AP", PUBLISHED["highest"], round(float(max(ap)), 4)),
        ("runs without near-copies (φ and overlap above .95)", None, len(field.runs) - near),
        ("independent systems that the votes amount to", None, round(known["effective"], 1)),
        ("families that the votes suggest", None, known["families"]),
        (
            "τ_b of the consensus, exact copies left out",
            None,
            round(of.without_copies(field, "consensus"), 4),
        ),
        ("τ_b of ls-eb, exact copies left out", None, round(of.without_copies(field, "ls-eb"), 4)),
    )
    return Table(
        "The runs",
        (
            Column("what", "head"),
            Column("published", "count"),
            Column("ours", "count"),
        ),
        rows,
        "published AP is that of whole runs, ours of their first 100 answers a topic",
    )
