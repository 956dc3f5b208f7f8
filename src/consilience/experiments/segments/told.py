"""What the meetings tell: error rates, other ways to count, and agreement without a reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from consilience.experiments.reproduced import Axis, Cell, Column, Figure, Finding, Table
from consilience.experiments.segments.meetings import (
    ALONE,
    COMBINED,
    PUBLISHED,
    STEP,
    SYSTEMS,
    TWO,
    Meetings,
)
from consilience.render.words import chance, count

if TYPE_CHECKING:
    from consilience.verdict.rank import Verdict

#: The parts of an error, in the order in which they were published.
PARTS = {"missed": "missed", "false": "false", "confused": "confused", "rate": "error rate"}
#: How many meetings there are: published figures are of all.
ALL = 16
#: A percentage of two digits, and a little for rounding.
ROUNDING = 0.005 + 1e-4


def headline(real: Meetings) -> str:
    """Say who comes first with the reference, and without."""
    first, agreed = real.truth.standings[0], _names(real.agreed[ALONE[0]]["four"])
    sure = "" if first.p_best is None else f" (P(best) {chance(first.p_best)})"
    same = "as the reference does" if agreed[0] == first.name else f"the reference {first.name}"
    made = (
        f", but {COMBINED} is made of the other three and cannot but agree with them"
        if agreed[0] == COMBINED
        else ""
    )
    where = count(real.count, "real meeting")
    return f"In {where} agreement alone puts {agreed[0]} first, {same}{sure}{made}."


def _span(values: list[float]) -> str:
    low, high = min(values), max(values)
    return f"{low:.2f}" if round(low, 2) == round(high, 2) else f"{low:.2f} to {high:.2f}"


def _values(verdict: Verdict) -> dict[str, float]:
    return {one.name: one.scores["F1"].value for one in verdict.standings}


def _names(verdict: Verdict) -> list[str]:
    return [one.name for one in verdict.standings]


def _tau(real: Meetings, which: str) -> list[float]:
    """Correlate the order without the reference with that of the reference, anchor by anchor."""
    import numpy as np

    from consilience.measures.orders import kendall

    truth, found = _values(real.truth), []
    for verdicts in real.agreed.values():
        agreed = _values(verdicts[which])
        sides = [np.array([side[name] for name in agreed]) for side in (truth, agreed)]
        found.append(float(kendall(*sides)))
    return found


def _ends(real: Meetings, which: str, name: str) -> tuple[float, float]:
    values = [_values(verdicts[which])[name] for verdicts in real.agreed.values()]
    return min(values), max(values)


def percent(told: Mapping[str, Any]) -> dict[str, float]:
    """Give the parts of an error, and their sum, in percent of the true time."""
    gold = told["cardinality"]["gold"]
    errors = told["errors"]
    return {part: 100 * errors[part] / (1 if part == "rate" else gold) for part in PARTS}


def tables(real: Meetings) -> tuple[Table, ...]:
    """Lay out error rates, other ways to count, rankings, and pairs."""
    return _errors(real), _counts(real), _rankings(real), _pairs(real)


def _errors(real: Meetings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    whole = real.count == ALL
    for name in (*SYSTEMS, TWO):
        ours, theirs = percent(real.against[name]), PUBLISHED.get(name)
        row: list[Cell] = [name]
        for place, part in enumerate(PARTS):
            row += [theirs[place] if theirs and whole else None, ours[part]]
        rows.append(tuple(row))
    heads = [
        Column(f"{named}, {whose}") for named in PARTS.values() for whose in ("published", "ours")
    ]
    return Table(
        f"Errors against the reference, in percent of its time ({count(real.count, 'meeting')})",
        (Column("system", "head"), *heads),
        tuple(rows),
        note=f"published by who publishes the data, of all {ALL} meetings; {TWO} is ours, made of "
        "vb, sc and rpn",
    )


def _counts(real: Meetings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in SYSTEMS:
        told = real.against[name]
        interval = told["intervals"]["f1"]
        rows.append(
            (
                name,
                told["f1"],
                None if interval is None else tuple(interval),
                real.speech[name],
                told["iou"]["f1"],
                told["sizes"]["predicted"],
                told["fragments"],
            )
        )
    return Table(
        "The same systems, counted in other ways (F1 against the reference)",
        (
            Column("system", "head"),
            Column("time and speaker", digits=3),
            Column("95% interval", "span", digits=3),
            Column("time alone", digits=4),
            Column("segments, IoU ≥ 0.5", digits=3),
            Column("segments", "count"),
            Column("true ones in pieces", "count"),
        ),
        tuple(rows),
        note=f"intervals: {count(real.count, 'meeting')}, drawn anew; none of fewer than three",
    )


def _rankings(real: Meetings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for one in real.truth.standings:
        name = one.name
        rows.append(
            (
                name,
                one.scores["F1"].value,
                None if one.p_best is None else chance(one.p_best),
                _ends(real, "four", name),
                _ends(real, "three", name) if name in ALONE else None,
                _values(real.agreed[ALONE[0]]["with two of three"])[name],
            )
        )
    last = _values(real.agreed[ALONE[0]]["with two of three"])[TWO]
    rows.append((TWO, None, None, None, None, last))
    return Table(
        f"Ranked with the reference and without (F1 of pieces of {STEP:g} s, mean of the meetings)",
        (
            Column("system", "head"),
            Column("with the reference", digits=3),
            Column("P(best)", "text"),
            Column("agreement of four", "span", digits=3),
            Column("agreement of three", "span", digits=3),
            Column(f"agreement with {TWO}", digits=3),
        ),
        tuple(rows),
        note="agreement: from the lowest to the highest value as vb, sc and rpn take turns in "
        "giving the speakers' names",
    )


def _pairs(real: Meetings) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for name in SYSTEMS:
        row: list[Cell] = [name]
        for other in SYSTEMS:
            key = (name, other) if (name, other) in real.pairs else (other, name)
            row.append(real.pairs.get(key))
        rows.append(tuple(row))
    return Table(
        "Agreement of every two systems (F1 of shared time, names mapped)",
        (Column("system", "head"), *(Column(name, digits=3) for name in SYSTEMS)),
        tuple(rows),
    )


def findings(real: Meetings) -> tuple[Finding, ...]:
    """Tell what the meetings show; only the published error rates can agree or not."""
    return (
        _published(real),
        _what_counts(real),
        _order(real),
        _dependence(real),
        _combination(real),
    )


def _published(real: Meetings) -> Finding:
    ours = {name: percent(real.against[name]) for name in SYSTEMS}
    apart = [
        abs(ours[name][part] - PUBLISHED[name][place])
        for name in SYSTEMS
        for place, part in enumerate(PARTS)
    ]
    whole = real.count == ALL
    right = sum(one <= ROUNDING for one in apart)
    return Finding(
        "error rates of the four systems",
        "(published with the data) "
        + ", ".join(f"{name} {PUBLISHED[name][-1]:.2f}%" for name in SYSTEMS),
        ", ".join(f"{name} {ours[name]['rate']:.2f}%" for name in SYSTEMS)
        + (f"; with their parts, {right} of {len(apart)} figures are equal" if whole else ""),
        right == len(apart) if whole else None,
        "" if whole else f"published are those of {ALL} meetings, taken were {real.count}",
    )


def _what_counts(real: Meetings) -> Finding:
    by_rate = sorted(SYSTEMS, key=lambda name: real.against[name]["errors"]["rate"])
    by_f1 = sorted(SYSTEMS, key=lambda name: -real.against[name]["f1"])
    by_events = sorted(SYSTEMS, key=lambda name: -real.against[name]["iou"]["f1"])
    low, high = min(real.speech.values()), max(real.speech.values())
    given = "all four seem to have been told where there is speech; " if low > 0.999 else ""
    return Finding(
        "what is counted decides the order",
        "",
        f"by error rate {', '.join(by_rate)}; by F1 of time {', '.join(by_f1)}; by F1 of segments "
        f"{', '.join(by_events)}; time alone, whoever speaks, tells none apart (F1 {low:.4f} to "
        f"{high:.4f})",
        None,
        f"{given}{by_events[-1]} cuts speech into "
        f"{real.against[by_events[-1]]['sizes']['predicted']:,} segments, where the reference has "
        f"{real.against[by_events[-1]]['sizes']['gold']:,}, which costs no time and many segments",
    )


def _order(real: Meetings) -> Finding:
    truth, rest = _names(real.truth), [*_values(real.truth).values()][1:]
    orders = {
        which: [", ".join(_names(verdicts[which])) for verdicts in real.agreed.values()]
        for which in ("four", "three")
    }

    def told(which: str) -> str:
        times = {order: orders[which].count(order) for order in dict.fromkeys(orders[which])}
        return "; ".join(f"{order} ({many} of {len(ALONE)})" for order, many in times.items())

    return Finding(
        "the order without a reference (agreement; names by each of three systems in turn)",
        "",
        f"with it {', '.join(truth)}; without it {told('four')}; without {COMBINED} {told('three')}"
        f"; τ to the order with it {_span(_tau(real, 'four'))} of four, "
        f"{_span(_tau(real, 'three'))} of three",
        None,
        f"with the reference the last three lie within {max(rest) - min(rest):.3f}",
    )


def _dependence(real: Meetings) -> Finding:
    own = [real.pairs[pair] for pair in real.pairs if COMBINED in pair]
    others = [real.pairs[pair] for pair in real.pairs if COMBINED not in pair]
    truth, agreed = (verdict.scores for verdict in (real.truth, real.agreed[ALONE[0]]["four"]))
    won = [
        int((scores.matrix("F1").argmax(axis=0) == scores.systems.index(COMBINED)).sum())
        for scores in (truth, agreed)
    ]
    value = real.agreed[ALONE[0]]["four"].scores[COMBINED]["F1"].value
    return Finding(
        f"the combination {COMBINED} agrees with the three that it is made of",
        "",
        f"{min(own):.3f} to {max(own):.3f} with its parts, which agree by {min(others):.3f} to "
        f"{max(others):.3f} with each other; it agrees most in {won[1]} of {real.count} meetings "
        f"and is first by the reference in {won[0]}; its F1 by agreement is {value:.3f}, by the "
        f"reference {real.truth.scores[COMBINED]['F1'].value:.3f}",
        None,
        f"its first place is {'right' if _names(real.truth)[0] == COMBINED else 'wrong'} here, "
        f"but no evidence of it: see {TWO}",
    )


def _combination(real: Meetings) -> Finding:
    verdict = real.agreed[ALONE[0]]["with two of three"]
    values, sure = _values(verdict), {one.name: one.p_best for one in verdict.standings}
    mine, theirs, first = real.against[TWO], real.against[COMBINED], _names(verdict)[0]
    rates = 100 * mine["errors"]["rate"], 100 * theirs["errors"]["rate"]
    p = sure[TWO]
    how_sure = "" if p is None else f", P(agrees most) {chance(p)}"
    return Finding(
        f"a combination made of the votes themselves ({TWO})",
        "",
        f"agreement puts {first} first ({TWO} {values[TWO]:.3f}{how_sure}; {COMBINED} "
        f"{values[COMBINED]:.3f}), while by the reference {TWO} makes "
        f"{'more' if rates[0] > rates[1] else 'fewer'} errors ({rates[0]:.1f}% against "
        f"{rates[1]:.1f}%) at an F1 of {mine['f1']:.3f} against {theirs['f1']:.3f}",
        None,
        "agreement is highest for who repeats what most say; who is made of others' answers must "
        "not be ranked by agreement with them",
    )


def notes(real: Meetings) -> tuple[str, ...]:
    """Tell how the meetings were compared."""
    return (
        "speakers' names are mapped one to one in each meeting so that most time is shared; no "
        "collar, overlapping speech counts",
        f"for rankings, time is cut into pieces of {STEP:g} s, and belongs to who speaks in their "
        "middle",
    )


def figures(real: Meetings) -> tuple[Figure, ...]:
    """Draw the errors, and agreement against the reference."""
    names = (*SYSTEMS, TWO)
    errors = [
        {"system": name, "percent": percent(real.against[name])[part], "part": part}
        for name in names
        for part in ("missed", "false", "confused")
    ]
    panels = {"four": "four systems", "three": f"without {COMBINED}"}
    agreed = [
        {
            "truth": _values(real.truth)[name],
            "agreement": value,
            "system": name,
            "who": panels[which],
        }
        for which in panels
        for verdicts in real.agreed.values()
        for name, value in _values(verdicts[which]).items()
    ]
    return (
        Figure(
            "errors",
            "Errors against the reference",
            "Bars of missed, false and confused time of four systems and of a combination.",
            tuple(errors),
            Axis("system", "", names=names),
            Axis("percent", "% of the true time"),
            mark="bar",
            series="part",
        ),
        Figure(
            "agreement",
            "Agreement against the reference",
            "Dots of agreement (F1) over F1 with the reference; three dots for each system, by "
            "whose names the speakers go.",
            tuple(agreed),
            Axis("truth", "F1 with the reference"),
            Axis("agreement", "F1 by agreement, no reference"),
            mark="dot",
            series="system",
            panel="who",
        ),
    )
