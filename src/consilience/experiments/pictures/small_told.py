"""What the small study tells: tables, findings and figures of Santini's §4 and §5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consilience.experiments.pictures.small import (
    ANSWERS,
    FIFTY,
    LARGE,
    PICTURE,
    SHOWN,
    SIZE,
    Small,
)
from consilience.experiments.reproduced import Axis, Column, Figure, Finding, Table
from consilience.render.words import chance

if TYPE_CHECKING:
    from consilience.verdict.categorised import TreeResult
    from consilience.verdict.duels import Duel
    from consilience.verdict.outcomes import Outcome

#: What eq. 6 and 8 make of the paper's answers, by hand: shares of five subjects.
SHARES = {"all": 1.0, "people": (2 + 1) / 5, "crowd": 1 / 5, "city": 2 / 5}
#: What the three hypotheses make of the example by hand: Σ s |k − π| with a moved by 2, b by 1;
#: the optimist puts c and d at 4 and 5, the pessimist 50 places away; asked on, they stand at 6, 5.
BY_HAND = {
    "optimist": 1.0 * 2 + 0.8 * 1 + 0.5 * 1 + 0.2 * 1,
    "exact": 1.0 * 2 + 0.8 * 1 + 0.5 * 3 + 0.2 * 1,
    "pessimist": 1.0 * 2 + 0.8 * 1 + (0.5 + 0.2) * FIFTY,
}
#: Two probabilities that differ by less are taken for the same.
ALIKE = 0.05


def tables(small: Small) -> tuple[Table, ...]:
    """Give the paper's picture, formulas, sizes, systems, pairs and displacements."""
    return (
        _picture(small),
        _formulas(small),
        _sizes(small.found),
        _systems(small.found),
        _pairs(small.found),
        _by_hand(small),
        _subjects(small),
    )


def _picture(small: Small) -> Table:
    known = small.found.categorised
    ours = known.of(PICTURE)
    return Table(
        "The paper's picture: what five people said, and what follows",
        (
            Column("category", "head"),
            Column("answers, paper", "count"),
            Column("probability, paper"),
            Column("probability, ours"),
            Column("eq. 8 as printed"),
        ),
        tuple(
            (name, ANSWERS.get(name), SHARES.get(name), ours.get(name, 0.0), small.eq8[name])
            for name in known.tree.names
            if ours.get(name)
        ),
        note="The paper's probabilities are worked out by hand from its answers: its drawing is "
        "not in its text. Place, above city, is a category of our tree alone.",
    )


def _formulas(small: Small) -> Table:
    return Table(
        f"Formulas as printed and as meant (the answer of {SHOWN} to people; {PICTURE})",
        (
            Column("formula", "head"),
            Column("what must hold", "text"),
            Column("printed", "text"),
            Column("meant", "text"),
            Column("as printed, paper", digits=4),
            Column("as meant, ours", digits=4),
        ),
        tuple(
            (one.name, one.must, one.as_printed, one.as_meant, one.printed, one.meant)
            for one in small.formulas
        ),
        note="Eq. 8: in the text, probabilities are added from the bottom up; as printed, only "
        "what was put directly into the children. Eq. 13, 14: p(ω|q) over its sum serves as well. "
        "Eq. 1 is as in the text of the paper at hand.",
    )


def _sizes(found: TreeResult) -> Table:
    known = found.categorised
    direct = known.direct.sum(axis=0).tolist()
    rows = zip(known.tree.names, direct, known.size.tolist(), strict=True)
    return Table(
        "Sizes of categories: the expected number of the 20 pictures (19 of them made up)",
        (
            Column("category", "head"),
            Column("named directly"),
            Column("size |ω|, with all below"),
        ),
        tuple(rows),
    )


def outcomes(found: TreeResult) -> tuple[Outcome, ...]:
    """Give the systems' distributions, query by query."""
    assert found.found is not None  # results were given
    return found.found.outcomes


def duels(found: TreeResult) -> tuple[Duel, ...]:
    """Give the systems two by two."""
    assert found.found is not None
    return found.found.duels


def _systems(found: TreeResult) -> Table:
    rows = []
    for one in outcomes(found):
        cells: list[Any] = [f"{one.query}: {one.system}"]
        for measure in ("precision", "recall", "recall_fixed", "f1"):
            cells += [one.means[measure], one.intervals[measure]]
        rows.append(tuple(cells))
    names = ("precision", "recall", "fixed recall", "F1")
    spans = [
        column for name in names for column in (Column(name), Column(f"95% of {name}", "span"))
    ]
    return Table(
        "Three made-up systems: expected values, and where 95% of the possible truths put them",
        (Column("asked for: system", "head"), *spans),
        tuple(rows),
        note="Recall divides by the number of relevant pictures that each truth has, fixed recall "
        f"(the paper's) by |ω|. {PICTURE} is a query that is itself uncertain: people 0.4, "
        "crowd 0.2, city 0.4.",
    )


def _pairs(found: TreeResult) -> Table:
    return Table(
        "Who is ahead, over the three queries: under the same truth, and as if each had its own",
        (
            Column("measure: pair", "head"),
            Column("difference", digits=3),
            Column("P(first ahead)", digits=3),
            Column("P(second ahead)", digits=3),
            Column("P(second ahead), independent", digits=3),
            Column("distance (Wasserstein)", digits=3),
        ),
        tuple(
            (
                f"{one.measure}: {one.a}, {one.b}",
                one.difference,
                one.paired.greater,
                one.paired.less,
                one.independent.less,
                one.independent.wasserstein,
            )
            for one in duels(found)
            if one.measure in ("precision", "recall", "f1")
        ),
    )


def _by_hand(small: Small) -> Table:
    ours = worked(small)
    return Table(
        "Weighted displacement (§5) of one list: a subject's a 1, b 0.8, c 0.5, d 0.2; "
        "the system's b, x, a",
        (Column("items not returned", "head"), Column("by hand", digits=1), Column("ours")),
        tuple((name, value, ours[name]) for name, value in BY_HAND.items()),
        note=f"Exact: the system was asked on (y, d, c). The pessimist's collection has {FIFTY}.",
    )


def worked(small: Small) -> dict[str, float]:
    """Give the displacement of the example by hand, under the three hypotheses."""
    return {
        "optimist": small.hand.w_optimist,
        "exact": small.longer.w,
        "pessimist": small.hand.w_pessimist,
    }


def _subjects(small: Small) -> Table:
    told = small.near["aggregate"]
    return Table(
        f"Distance from each made-up subject, averaged over 5 subjects ({SIZE} pictures)",
        (
            Column("system", "head"),
            Column("w, optimist"),
            Column("w, pessimist"),
            Column("quality 1 / (1 + w)", digits=3),
            Column("95% over subjects", "span", digits=3),
        ),
        tuple(
            (name, one["w_optimist"], one["w_pessimist"], one["quality"], one["interval"])
            for name, one in told.items()
        ),
        note="Quality by the optimist; intervals from 5 subjects drawn anew.",
    )


def findings(small: Small) -> tuple[Finding, ...]:
    """Hold the paper's claims against what came out."""
    known = small.found.categorised
    ours = known.of(PICTURE)
    apart = max(abs(ours[name] - value) for name, value in SHARES.items())
    sums = known.inclusive.sum(axis=1)
    return (
        Finding(
            "the picture of Figure 1: people by 2, crowd by 1, city by 2 of 5",
            ", ".join(f"{name} {value:.1f}" for name, value in SHARES.items()),
            ", ".join(f"{name} {ours[name]:.1f}" for name in SHARES),
            apart < 1e-12,
        ),
        Finding(
            "an item's probabilities add up to more than 1 in general (Σ p(ω|q) > 1)",
            "greater than one",
            f"{sums.min():.2f} to {sums.max():.2f} over {len(known)} pictures",
            bool(sums.min() > 1),
        ),
        *_misprints(small),
        _above_one(small.found),
        _independent(small.found),
        _hypotheses(small),
        _pessimist(small),
    )


def _misprints(small: Small) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            f"{one.name}: {one.must}",
            one.as_printed,
            f"{one.printed:.4f} as printed, {one.meant:.4f} as meant",
            one.holds(one.printed),
            ""
            if one.holds(one.printed)
            else f"misprint: {one.as_meant} is meant, "
            + ("and then it does" if one.holds(one.meant) else "and it does not hold either"),
        )
        for one in small.formulas
    )


def _above_one(found: TreeResult) -> Finding:
    """See whether recall with the fixed size |ω| stays within 0 and 1."""
    worst = max(outcomes(found), key=lambda one: float(one.values["recall_fixed"].support[-1]))
    fixed = worst.values["recall_fixed"]
    highest, p = float(fixed.support[-1]), float(fixed.mass[fixed.support > 1 + 1e-9].sum())
    free = max(float(one.values["recall"].support[-1]) for one in outcomes(found))
    return Finding(
        "recall with the fixed size |ω| of eq. 12 lies in [0, 1]",
        "recall ∈ [0, 1]",
        f"up to {highest:.2f}, above 1 with probability {p:.2f} ({worst.system} on {worst.query}); "
        f"with a random denominator {free:.2f} at most",
        highest <= 1 + 1e-9,
        "|ω| is the expected number of relevant pictures; there may be more of them",
    )


def _independent(found: TreeResult) -> Finding:
    """See whether two distributions alone tell who is ahead."""
    every = duels(found)
    one = max(every, key=lambda d: abs(d.paired.less - d.independent.less))
    gaps = [abs(d.paired.less - d.independent.less) for d in every]
    return Finding(
        "two systems can be compared by comparing their distributions",
        "with the standard statistical methods",
        f"{one.b} is ahead of {one.a} in {one.measure} with probability "
        f"{chance(one.paired.less)} under the same truth, {chance(one.independent.less)} if the "
        "two distributions are all that is looked at (the widest gap; "
        f"{sum(gap >= ALIKE for gap in gaps)} of {len(gaps)} comparisons are {ALIKE} or more "
        "apart)",
        max(gaps) < ALIKE,
        "both systems return some of the same pictures: their scores rise and fall together, which "
        "the distributions alone do not show",
    )


def _hypotheses(small: Small) -> Finding:
    ours = worked(small)
    right = max(abs(ours[name] - value) for name, value in BY_HAND.items()) < 1e-9
    between = ours["optimist"] <= ours["exact"] <= ours["pessimist"]
    return Finding(
        "§5: the optimist and the pessimist lie on either side of the exact displacement",
        "two hypotheses where the system cannot be asked for more",
        ", ".join(f"{name} {value:.1f}" for name, value in ours.items()) + " (the list by hand)",
        between and right,
    )


def _pessimist(small: Small) -> Finding:
    """Compare w with N times the relevance of what is missing, as the paper approximates it."""
    off = {}
    for size, told in ((SIZE, small.near), (LARGE, small.far)):
        lists = [one for one in told["subjects"] if one["missing"]]
        total = sum(one["w_pessimist"] for one in lists)
        off[size] = 1 - sum(one["missing"] * size for one in lists) / total
    return Finding(
        "§5: for N ≫ m the pessimist's w is about N times the relevance of what is missing",
        "w ≈ N Σ s",
        " and ".join(f"{share:.2%} of w is left out with N = {n:,}" for n, share in off.items()),
        off[LARGE] < 0.01,
    )


def figures(small: Small) -> tuple[Figure, ...]:
    """Draw the distributions of precision and recall of the three systems."""
    rows = []
    for one in outcomes(small.found):
        if one.query != "people":
            continue
        for measure in ("precision", "recall_fixed"):
            name = "recall, fixed |ω|" if measure == "recall_fixed" else measure
            value = one.values[measure]
            for at, mass in zip(value.support.tolist(), value.mass.tolist(), strict=True):
                rows.append({"measure": name, "system": one.system, "value": at, "p": mass})
    return (
        Figure(
            "distributions",
            "Precision and recall of three made-up systems, asked for people",
            "Lines: how probable each value of precision, and of recall with the fixed size of "
            "the category, is for three systems.",
            tuple(rows),
            Axis("value", "value", (0.0, 1.2)),
            Axis("p", "probability", (0.0, 0.6)),
            series="system",
            panel="measure",
        ),
    )
