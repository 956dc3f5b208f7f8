"""What the experiment with tours tells: tables, findings, figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consilience.experiments.reproduced import Axis, Cell, Column, Figure, Finding, Table
from consilience.experiments.tours.experiment import (
    ELSEWHERE,
    HALF,
    METHODS,
    MISSED,
    PAPER,
    PARTIAL,
    SCORE,
    THRESHOLD,
    TRUE,
    Outcome,
    shares,
)
from consilience.render.words import count

if TYPE_CHECKING:
    from consilience.experiments.tours.experiment import Points

#: Five of six are returned, and five of the returned are true.
EXPECTED = (len(TRUE) - 1) / len(TRUE)
#: How far averages on other tracks may lie from the paper's.
NEAR = 0.05
#: Half a unit of the last digit that the paper prints, and a little for rounding.
ROUNDING = 0.005 + 1e-9
FIGURES = ("P", "R", "F")


def headline(found: Outcome) -> str:
    """Say what came out."""
    soft, one = found.mean("soft"), found.mean("one to one")
    alone = found.growing[0]
    return (
        f"Five of six tours and a partial one should get {EXPECTED:.2f}: soft gives P "
        f"{soft[0]:.2f} and R {soft[1]:.2f}, one-to-one matching {one[0]:.2f} and {one[1]:.2f}. A "
        f"single tour of the six gets a soft recall of {alone['soft'][1]:.2f}, one to one "
        f"{alone['one to one'][1]:.2f}."
    )


def tables(found: Outcome) -> tuple[Table, ...]:
    """Lay out Table 6, how alike the tracks are, and what partial tours do."""
    return _table(found), _alike(found), _parts(found), _growing(found)


def _table(found: Outcome) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for method in (*METHODS, "expected"):
        theirs = PAPER.get(method, (None,) * len(FIGURES))
        ours = (EXPECTED,) * len(FIGURES) if method == "expected" else found.mean(method)
        both = zip(theirs, ours, strict=True)
        recalls = [one[method][1] for one in found.trials] if method in METHODS else []
        spread = (min(recalls), max(recalls)) if recalls else None
        rows.append((method, *(cell for pair in both for cell in pair), spread))
    heads = [Column(f"{name}, {whose}") for name in FIGURES for whose in ("paper", "ours")]
    return Table(
        "Five of six tours, and a partial one",
        (Column("method", "head"), *heads, Column("R over repetitions", "span", digits=3)),
        tuple(rows),
        note=f"means over {count(len(found.trials), 'repetition')}; the partial tour has "
        f"{HALF:.0%} of the way",
    )


def _alike(found: Outcome) -> Table:
    what = {
        **dict.fromkeys(TRUE, "true, returned"),
        MISSED: "true, missed",
        PARTIAL: "partial, returned",
        **dict.fromkeys(ELSEWHERE, "elsewhere (real)"),
    }
    return Table(
        "How alike the phone's recordings are to the route that was drawn",
        (Column("track", "head"), Column("what", "text"), Column("C-SIM")),
        tuple((name, what[name], score) for name, score in found.scores.items()),
        note="the paper prints 0.77 or more for what its search returns, 0.62 for the tour that is "
        "missed and 0.95 for the partial one",
    )


def _parts(found: Outcome) -> Table:
    return Table(
        "What a partial tour does: five true ones and a part of the way are returned",
        (
            Column("part", "head"),
            Column("C-SIM to the route"),
            Column("C-INC in the route"),
            Column("C-SIM to a true tour, at most"),
            Column("P, crisp*"),
            Column("P, soft"),
            Column("R, soft"),
            Column("P, one to one"),
        ),
        tuple(
            (
                f"{one.share:.0%}",
                one.score,
                one.included,
                one.best,
                one.figures["crisp*"][0],
                *one.figures["soft"][:2],
                one.figures["one to one"][0],
            )
            for one in found.parts
        ),
    )


def _growing(found: Outcome) -> Table:
    shown = ("soft", "coverage", "diversity", "crisp*", "one to one")
    return Table(
        "Recall of 1 to 6 true tours, nothing else returned",
        (
            Column("returned", "count"),
            *(Column(name) for name in shown),
            Column("expected"),
        ),
        tuple(
            (count, *(one[name][1] for name in shown), count / len(TRUE))
            for count, one in enumerate(found.growing, start=1)
        ),
    )


def findings(found: Outcome) -> tuple[Finding, ...]:
    """Hold every claim against what came out."""
    return (
        _useless(found),
        _same(found),
        _correct(found),
        _too_low(found),
        _soft(found),
        *(harmonic(method) for method in ("crisp*", "soft")),
        _score(found),
        _one(found),
    )


def _useless(found: Outcome) -> Finding:
    most = max(max(one["crisp"][:2]) for one in found.trials)
    return Finding(
        "equal tracks alone find nothing (crisp)",
        "0",
        f"{most:.2f} where each side has its own recordings",
        most == 0,
    )


def _same(found: Outcome) -> Finding:
    value = found.same["crisp"]
    return Finding(
        "crisp, where the returned recordings are the true ones themselves",
        "",
        f"P {value[0]:.2f}, R {value[1]:.2f}, which is what is expected ({EXPECTED:.2f})"
        if abs(value[0] - EXPECTED) < ROUNDING and abs(value[1] - EXPECTED) < ROUNDING
        else f"P {value[0]:.2f}, R {value[1]:.2f}",
        None,
        "a search that returns recordings by their names needs no soft measure",
    )


def _correct(found: Outcome) -> Finding:
    value = found.mean("crisp*")
    wrong = [one for one in found.parts if one.best < THRESHOLD]
    right = [one for one in found.parts if one.best >= THRESHOLD]
    why = "where the partial tour is alike by less than that to every true one"
    if wrong and right:
        why += (
            f": so it is with {max(one.share for one in wrong):.0%} of the way, but not with "
            f"{right[0].share:.0%}, where P is {right[0].figures['crisp*'][0]:.2f}"
        )
    return Finding(
        f"crisp* (alike by {THRESHOLD}) gives the right precision",
        f"P {PAPER['crisp*'][0]:.2f}",
        f"P {value[0]:.2f}",
        abs(value[0] - EXPECTED) <= ROUNDING,
        why,
    )


def _too_low(found: Outcome) -> Finding:
    value, theirs = found.mean("crisp*")[1], PAPER["crisp*"][1] or 0.0
    agrees = value < EXPECTED - ROUNDING
    return Finding(
        "crisp* gives too low a recall",
        f"R {theirs:.2f}: {round(theirs * len(TRUE))} of {len(TRUE)} true tours have a match",
        f"R {value:.2f}: {value * len(TRUE):.1f} of {len(TRUE)} on average",
        agrees,
        ""
        if agrees
        else "the tracks are others: recordings of the same way are alike by more than "
        f"{THRESHOLD} here; in the paper {len(TRUE) - round(theirs * len(TRUE))} true tours have "
        "no match, one more than were missed",
    )


def _soft(found: Outcome) -> Finding:
    value = found.mean("soft")
    theirs = [one for one in PAPER["soft"][:2] if one is not None]
    apart = [abs(a - b) for a, b in zip(value, theirs, strict=False)]
    return Finding(
        f"soft precision and recall, within {NEAR}",
        f"P {theirs[0]:.2f}, R {theirs[1]:.2f}",
        f"P {value[0]:.2f}, R {value[1]:.2f}",
        max(apart) <= NEAR,
        "" if max(apart) <= NEAR else _why(found, theirs),
    )


def _why(found: Outcome, theirs: list[float]) -> str:
    """Say how far the part of the way that the partial tour has explains the difference."""
    nearest = min(found.parts, key=lambda one: abs(one.figures["soft"][0] - theirs[0]))
    p, r, _ = nearest.figures["soft"]
    both = abs(p - theirs[0]) <= NEAR and abs(r - theirs[1]) <= NEAR
    return (
        "the tracks are others, and precision depends on how much of the way the partial tour has: "
        f"with {nearest.share:.0%} of it soft P is {p:.2f}, the nearest to {theirs[0]:.2f}"
        + ("" if both else f", but then R is {r:.2f}")
    )


def harmonic(method: str) -> Finding:
    """Check a printed F against the printed precision and recall."""
    p, r, f = (one or 0.0 for one in PAPER[method])
    harmonic, mean = 2 * p * r / (p + r), (p + r) / 2
    why = "a misprint"
    if abs(mean - f) <= ROUNDING:
        why += f": {mean:.2f} is the arithmetic mean of the two"
    elif abs(r - f) <= ROUNDING:
        why += ": it repeats the recall"
    agrees = abs(harmonic - f) <= ROUNDING
    return Finding(
        f"F of {method} follows from its precision and recall",
        f"P {p:.2f}, R {r:.2f}, F {f:.2f}",
        f"F {harmonic:.2f}",
        agrees,
        "" if agrees else why,
    )


def _score(found: Outcome) -> Finding:
    """Ask whether a partial tour can score 0.95 and not be taken for a true one."""
    printed = 0.95
    likes = [one for one in found.parts if one.best < THRESHOLD]
    highest = max((one.score for one in likes), default=0.0)
    low, high = (end(one.included for one in likes) for end in (min, max))
    return Finding(
        "a partial tour scores 0.95 in the search, and crisp* still counts it as wrong",
        "0.95, and P of crisp* 0.83",
        f"tours that crisp* counts as wrong score {highest:.2f} at most (C-SIM); a search from "
        f"{SCORE} on would not return them",
        highest >= printed - ROUNDING,
        f"the share of their own cells that lie on the route, C-INC, is {low:.2f} to {high:.2f}: "
        "0.95 may be that, which the paper does not say",
    )


def _one(found: Outcome) -> Finding:
    alone, last = found.growing[0], found.growing[-2]
    return Finding(
        "tours are instances: one of six tours returned",
        "",
        f"recall is {alone['soft'][1]:.2f} soft, {alone['coverage'][1]:.2f} by coverage, "
        f"{alone['one to one'][1]:.2f} one to one; four more move soft recall to "
        f"{last['soft'][1]:.2f} only",
        None,
        "six recordings of one route are one concept (soft cardinality counts near copies once) "
        "and six instances; --mode instances, usual for tracks, counts them",
    )


def figures(found: Outcome) -> tuple[Figure, ...]:
    """Draw the recall of growing answers, and the tracks."""
    shown = ("soft", "coverage", "diversity", "one to one")
    rows = [
        {"tours": count, "recall": one[name][1], "method": name}
        for count, one in enumerate(found.growing, start=1)
        for name in shown
    ]
    tracks = {
        "a true tour": found.first.watch["first"],
        f"{MISSED} (missed)": found.first.phone[MISSED],
        "partial (returned)": found.first.phone[PARTIAL],
    }
    return (
        Figure(
            "growing",
            "Recall of 1 to 6 true tours",
            "Lines of recall over the number of true tours returned: only one-to-one matching "
            "rises with it.",
            tuple(rows),
            Axis("tours", "true tours returned, of 6"),
            Axis("recall", "recall", ends=(0.0, 1.0)),
            series="method",
        ),
        Figure(
            "tracks",
            "The tracks",
            "Dots along three tracks: a true tour, the one that went another way, a partial one.",
            tuple(row for name, points in tracks.items() for row in _dots(name, points)),
            Axis("longitude", "longitude"),
            Axis("latitude", "latitude"),
            mark="dot",
            series="track",
        ),
    )


def _dots(name: str, points: Points) -> list[dict[str, Any]]:
    """Take dots along a track, evenly over its way."""
    import numpy as np

    places = np.searchsorted(shares(points), np.linspace(0, 1, 90)).clip(0, len(points) - 1)
    return [
        {"longitude": float(x), "latitude": float(y), "track": name}
        for x, y in points[places].tolist()
    ]
