"""What the experiment with countries tells: tables, findings, figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consilience.experiments.countries.experiment import (
    CASES,
    METHODS,
    PAPER,
    Outcome,
    by_pass_rate,
    constant,
    expected,
)
from consilience.experiments.reproduced import Axis, Cell, Column, Figure, Finding, Table

#: The cases of the paper.
FOUR = tuple(case for case in CASES if case != "5")
#: The paper's measure, and what the library takes where nobody says otherwise.
DEFAULTS = ("soft", "coverage")
#: How far two averages over 100 repetitions on other strings may lie apart.
NEAR = 0.05
#: Half a unit of the last digit that the paper prints, and a little for rounding.
ROUNDING = 0.005 + 1e-9


def headline(found: Outcome) -> str:
    """Say what came out, and that our default is not the nearest."""
    last, case = max(found.wrongs), found.cases["5"]
    many = found.wrongs[last]
    return (
        f"On the paper's four cases its soft measure is {found.off('soft'):.2f} off what is "
        f"expected, our default (coverage) {found.off('coverage'):.2f}, crisp* "
        f"{found.off('crisp*'):.2f}; but wrong names alone get a soft recall of "
        f"{case.mean('soft', 1):.2f} (three names) to {many.mean('soft', 1):.2f} ({last} names), "
        f"by coverage {case.mean('coverage', 1):.2f} to {many.mean('coverage', 1):.2f}."
    )


def tables(found: Outcome) -> tuple[Table, ...]:
    """Lay out everything: the paper's table, the spread, the errors, wrong names alone."""
    laid = [_table(found, figure) for figure in PAPER]
    return (*laid, _spread(found), _errors(found), _all_wrong(found))


def _table(found: Outcome, figure: str) -> Table:
    """Lay out the paper's and our averages, case by case."""
    place, rows = tuple(PAPER).index(figure), list[tuple[Cell, ...]]()
    for method in (*METHODS, "expected", "by chance"):
        row: list[Cell] = [method]
        for column, case in enumerate(CASES):
            if case in FOUR:
                theirs = PAPER[figure].get(method)
                row.append(None if theirs is None else theirs[column])
            if method == "expected":
                row.append(expected(case)[place])
            elif method == "by chance":
                row.append(found.cases[case].null[place])
            else:
                row.append(found.cases[case].mean(method, place))
        rows.append(tuple(row))
    heads = [Column(f"{case}, {whose}") for case in FOUR for whose in ("paper", "ours")]
    named = {"P": "Precision", "R": "Recall"}[figure]
    return Table(
        f"{named} of (1) all right, (2) two right, (3) all right and a wrong one, (4) two right "
        "and a wrong one, (5) all wrong",
        (Column("method", "head"), *heads, Column("5, ours")),
        tuple(rows),
        note="the paper's rows of crisp* are swapped between precision and recall (see below); by "
        "chance: the null score of soft, with the predictions of other repetitions",
    )


def _spread(found: Outcome) -> Table:
    """Tell how far repetitions of the paper's measure lie apart."""
    import numpy as np

    rows: list[tuple[Cell, ...]] = []
    for place, figure in enumerate(PAPER):
        for column, case in enumerate(FOUR):
            values = found.cases[case].values["soft"][place]
            low, high = (float(end) for end in np.quantile(values, (0.05, 0.95)))
            rows.append(
                (
                    f"case {case}: {figure}",
                    PAPER[figure]["soft"][column],
                    float(values.mean()),
                    found.cases[case].interval[place],
                    (low, high),
                )
            )
    return Table(
        "The paper's soft measure over repetitions",
        (
            Column("case: figure", "head"),
            Column("paper"),
            Column("ours, mean"),
            Column("95% interval of the mean", "span"),
            Column("nine repetitions of ten lie in", "span"),
        ),
        tuple(rows),
        note=f"intervals: {found.trials} repetitions, drawn anew",
    )


def _errors(found: Outcome) -> Table:
    return Table(
        "How far P and R together are off what is expected (root mean square of the means)",
        (
            Column("method", "head"),
            Column("the paper's four cases", digits=3),
            Column("with case 5, all wrong", digits=3),
        ),
        tuple((method, found.off(method), found.off(method, five=True)) for method in METHODS),
    )


def _all_wrong(found: Outcome) -> Table:
    shown = ("soft, floored", "diversity", "coverage")
    return Table(
        "Recall of wrong names alone, as many as there are true ones (of 48 countries)",
        (
            Column("names", "count"),
            Column("soft"),
            Column("by chance"),
            Column("by the formula"),
            *(Column(name) for name in shown),
        ),
        tuple(
            (
                count,
                one.mean("soft", 1),
                one.null[1],
                constant(one.background, count),
                *(one.mean(name, 1) for name in shown),
            )
            for count, one in found.wrongs.items()
        ),
        note="by the formula: 2 − 2(1 + (n − 1)s) / (1 + (2n − 1)s), were every two names as alike "
        "as two are on average",
    )


def findings(found: Outcome) -> tuple[Finding, ...]:
    """Hold every claim against what came out."""
    return (
        _useless(found),
        _superior(found),
        _near(found),
        _higher(found),
        _swapped(),
        _rate(found),
        _ground_truth(found),
        _missing_zero(found),
        _nearest(found),
        _default(found),
    )


def _useless(found: Outcome) -> Finding:
    highest = max(found.cases[case].mean("crisp", place) for case in FOUR for place in (0, 1))
    told = "0 in all cases" if highest == 0 else f"up to {highest:.2f}"
    return Finding(
        "equal strings alone find nothing (crisp)",
        "0 in all cases, though the cluster of Cyprus is said to contain cyprus",
        told,
        None,
        f"it could not be otherwise here: strings that are their name ({found.equal:.0%} of ours) "
        "were left out, as the paper's zeros need",
    )


def _superior(found: Outcome) -> Finding:
    soft, other = found.off("soft"), found.off("crisp*")
    return Finding(
        "on the four cases soft is clearly superior to crisp*",
        "nearer to what is expected",
        f"off by {soft:.2f} against {other:.2f}",
        soft < other,
    )


def _near(found: Outcome) -> Finding:
    ours = {
        figure: [found.cases[case].mean("soft", place) for case in FOUR]
        for place, figure in enumerate(PAPER)
    }
    apart = max(
        abs(mine - theirs)
        for figure in PAPER
        for mine, theirs in zip(ours[figure], PAPER[figure]["soft"], strict=True)
    )
    return Finding(
        f"soft precision and recall of the four cases, within {NEAR}",
        "; ".join(f"{figure} {_row(PAPER[figure]['soft'])}" for figure in PAPER),
        "; ".join(f"{figure} {_row(ours[figure])}" for figure in PAPER),
        apart <= NEAR,
        f"off by {apart:.2f} at most; the strings are others",
    )


def _row(values: Sequence[float]) -> str:
    return " ".join(f"{value:.2f}" for value in values)


def _higher(found: Outcome) -> Finding:
    """Say why precision is above recall here in case 1, and below in the paper."""
    theirs = [PAPER[figure]["soft"][0] for figure in PAPER]
    ours, same, other = (
        [one.mean("soft", place) for place in (0, 1)] for one in (found.cases["1"], *found.lengths)
    )
    agrees = (theirs[0] < theirs[1]) == (ours[0] < ours[1])
    explained = same[0] < same[1] and other[0] > other[1]
    return Finding(
        "with all three right, precision is below recall",
        f"P {theirs[0]:.2f}, R {theirs[1]:.2f}",
        f"P {ours[0]:.2f}, R {ours[1]:.2f}",
        agrees,
        ""
        if agrees
        else "it depends on the mix of edits: strings as long as their name give P "
        f"{same[0]:.2f} and R {same[1]:.2f}, those with letters more or less P {other[0]:.2f} and "
        f"R {other[1]:.2f}"
        if explained
        else "the strings are others, and the repetitions too few to tell why",
    )


def _swapped() -> Finding:
    """Find the pass rate that explains the printed rows of crisp*, and say which way round."""
    printed = {figure: PAPER[figure]["crisp*"] for figure in PAPER}
    q = printed["P"][0]
    needed = by_pass_rate(q)

    def fits(one: str, other: str) -> bool:
        pairs = zip(needed[one], printed[other], strict=True)
        return all(abs(a - b) <= ROUNDING for a, b in pairs)

    straight, across = fits("P", "P") and fits("R", "R"), fits("P", "R") and fits("R", "P")
    why = "they fit neither way"
    if across:
        why = (
            "a misprint: where a share q of the strings matches, precision must be q, q, 3q/4, "
            "2q/3 and recall q, 2q/3, q, 2q/3; printed are these two rows swapped"
        )
    return Finding(
        f"crisp* of the four cases follows from one pass rate, q = {q:.2f}",
        f"P {_row(printed['P'])}; R {_row(printed['R'])}",
        f"P {_row(needed['P'])}; R {_row(needed['R'])}",
        straight,
        "" if straight else why,
    )


def _rate(found: Outcome) -> Finding:
    q = found.rates["own"]
    needed = by_pass_rate(q)
    off = max(
        abs(found.cases[case].mean("crisp*", place) - needed[figure][column])
        for place, figure in enumerate(needed)
        for column, case in enumerate(FOUR)
    )
    # a share q of at least two draws a repetition has at most this standard error
    error = (q * (1 - q) / (2 * found.trials)) ** 0.5
    return Finding(
        "the pass rate explains crisp* here as well",
        "",
        f"a share q = {q:.2f} of our strings matches its name, {found.rates['other']:.3f} "
        f"another's; the figures are off by {off:.2f} at most (standard error up to {error:.2f})",
        None,
        "as it should with names that are unlike each other"
        if off <= 4 * error
        else "more than chance explains: some strings match another name",
    )


def _ground_truth(found: Outcome) -> Finding:
    told = PAPER["P"]["crisp*"][0]
    names, misspelt = found.rates["own"], found.rates["each"]
    return Finding(
        "the truth is made of the names themselves, though an example prints Cyprys",
        f"q = {told:.2f}",
        f"q = {names:.2f} with names as the truth, {misspelt:.2f} with misspelt ones",
        abs(names - told) < abs(misspelt - told),
        "Cyprys is a misprint of Cyprus",
    )


def _missing_zero(found: Outcome) -> Finding:
    case, first, last = found.cases["5"], min(found.wrongs), max(found.wrongs)
    many = found.wrongs[last]
    return Finding(
        "predictions that are all wrong should get about 0",
        "",
        f"soft recall is {case.mean('soft', 1):.2f} with three of ten countries, and rises from "
        f"{found.wrongs[first].mean('soft', 1):.2f} to {many.mean('soft', 1):.2f} with {first} to "
        f"{last} of 48; the null score beside it warns ({case.null[1]:.2f} and "
        f"{many.null[1]:.2f}); with a floor it is {case.mean('soft, floored', 1):.2f} and "
        f"{many.mean('soft, floored', 1):.2f}",
        None,
        "the paper has no such case; any two words share letters, which adds up without a floor",
    )


def _nearest(found: Outcome) -> Finding:
    four = min(METHODS, key=found.off)
    five = min(METHODS, key=lambda name: found.off(name, five=True))
    return Finding(
        "which method comes nearest to what is expected",
        "",
        f"{four} on the paper's four cases (off by {found.off(four):.3f}); with the fifth {five} "
        f"({found.off(five, five=True):.3f})",
        None,
        "without a floor wrong names are lifted, and misspelt ones as well: four cases of mostly "
        "right names cannot tell the two apart",
    )


def _default(found: Outcome) -> Finding:
    """Say how our default compares with the paper's measure, and where the gap comes from."""
    soft, ours = ([found.off(name, five=more) for more in (False, True)] for name in DEFAULTS)
    s = found.rates["similarity"]
    mine, theirs = (found.cases["1"].mean(name, 0) for name in ("coverage", "soft, floored"))
    farther = [a > b for a, b in zip(ours, soft, strict=True)]
    told = {
        (True, True): "is farther from what is expected than the paper's soft, also with case 5",
        (True, False): "is farther on the four cases, and nearer with case 5",
        (False, True): "is nearer on the four cases, and farther with case 5",
        (False, False): "is nearer to what is expected than the paper's soft",
    }
    return Finding(
        "our default, coverage, against the paper's soft",
        "",
        f"coverage {told[farther[0], farther[1]]}: off by {ours[0]:.3f} against {soft[0]:.3f} on "
        f"the four cases, {ours[1]:.3f} against {soft[1]:.3f} with it; soft with a floor is off by "
        f"{found.off('soft, floored', five=True):.3f} with it",
        None,
        "a misspelt name is expected to count as fully right. A name and a string alike by s count "
        f"s in coverage and 2s / (1 + s) in soft: with s = {s:.2f}, the mean, {s:.2f} and "
        f"{2 * s / (1 + s):.2f} (case 1: P {mine:.2f}, and with a floor {theirs:.2f}). Where near "
        "misses are to count as right, take --variant paper with --floor 0.5",
    )


def by_case(found: Outcome) -> Figure:
    """Draw what the methods make of the cases."""
    rows: list[dict[str, Any]] = []
    for place, (figure, named) in enumerate(zip(PAPER, ("precision", "recall"), strict=True)):
        for column, case in enumerate(CASES):
            told = {"expected": expected(case)[place]}
            if case in FOUR:
                told["soft, the paper's figure"] = PAPER[figure]["soft"][column]
            told |= {
                name: found.cases[case].mean(name, place)
                for name in ("soft", "soft, floored", "coverage", "crisp*")
            }
            rows += [
                {"case": case, "value": value, "method": name, "of": named}
                for name, value in told.items()
            ]
    return Figure(
        "cases",
        "What each method makes of the cases",
        "Dots of precision and recall in five cases: what is expected, the paper's figure, soft, "
        "soft with a floor, coverage, crisp*. Coverage lies below soft where names are right, and "
        "near 0 where all are wrong.",
        tuple(rows),
        Axis("case", "case", names=tuple(CASES)),
        Axis("value", "mean over repetitions", ends=(0.0, 1.05)),
        mark="dot",
        series="method",
        panel="of",
    )


def by_number(found: Outcome) -> Figure:
    """Draw what wrong names alone get, by their number."""
    shown = ("soft", "soft, floored", "diversity", "coverage")
    return Figure(
        "all-wrong",
        "Recall of wrong names alone",
        "Lines of recall over the number of wrong names: the paper's measure rises towards 1, "
        "measures with a floor stay low.",
        tuple(
            {"names": count, "recall": one.mean(name, 1), "method": name}
            for count, one in found.wrongs.items()
            for name in shown
        ),
        Axis("names", "wrong names for as many true ones"),
        Axis("recall", "recall", ends=(0.0, 1.0)),
        series="method",
    )
