"""Who beats whom when the truth is uncertain: tables and the chart of pairs."""

from __future__ import annotations

from functools import partial

from consilience.render import distributions_charts as charts
from consilience.render.distributions_charts import label
from consilience.render.report import CELL, NUMBER, SCORE, TEXT, Picture, Said, Table
from consilience.render.words import (
    Payload,
    chance,
    digits_for,
    fixed,
    plain,
    span,
    with_caveat,
    without_truth,
)

#: The measures that are compared, in the order of the tables.
MEASURES = ("f1", "f_beta", "precision", "recall", "ap")
#: Rows of a table of pairs that are shown.
PAIRS = 40
#: The tests over queries: their names for people.
TESTS = {"t": "t", "wilcoxon": "Wilcoxon", "sign": "sign", "randomisation": "randomisation"}


def beating(payload: Payload) -> tuple[Table | Picture | Said, ...]:
    """Say who beats whom: table, chart for more than two systems, distances, tests over queries."""
    if not payload["pairs"]:
        return ()
    blocks: list[Table | Picture | Said] = [_pairs_table(payload)]
    if len(payload["systems"]) > 2:
        words = charts.heat_words(payload)
        twin = _matrix_table(payload)
        blocks.append(Picture("pairs", partial(charts.heat, payload), words, twin))
    blocks += [_apart_table(payload), _tests_table(payload), Said(_tests_meaning(payload))]
    return tuple(blocks)


def ordered(payload: Payload) -> list[Payload]:
    """Put the pairs that have a difference in the order of the measures, then of the systems."""
    place = {measure: i for i, measure in enumerate(MEASURES)}
    rank = {system["name"]: i for i, system in enumerate(payload["systems"])}
    held = [pair for pair in payload["pairs"] if pair["difference"] is not None]

    def key(pair: Payload) -> tuple[int, list[int]]:
        return place.get(pair["measure"], len(place)), sorted((rank[pair["a"]], rank[pair["b"]]))

    return sorted(held, key=key)


def _who(pair: Payload, payload: Payload) -> tuple[str, str, str]:
    return label(pair["measure"], payload), plain(pair["a"]), plain(pair["b"])


def _left_out(every: int) -> str:
    return "" if every <= PAIRS else f"{PAIRS} of {every:,} rows are shown; json holds all."


def _pairs_table(payload: Payload) -> Table:
    pairs = ordered(payload)
    delta = payload.get("delta") or None
    found = sorted({pair["paired"]["method"] for pair in pairs})
    rows = []
    for pair in pairs[:PAIRS]:
        interval = pair["interval"]
        difference = f"{fixed(pair['difference'], digits_for(interval))} {span(interval)}".rstrip()
        chances = [pair["p_a_beats_b"], pair["p_b_beats_a"], pair["p_equal"]]
        if delta is not None:
            chances += [pair["p_a_beats_b_by_delta"], pair["p_b_beats_a_by_delta"]]
        method = pair["paired"]["method"]
        row = (*_who(pair, payload), difference, *(_chance(p, method) for p in chances))
        rows.append((*row, method) if len(found) > 1 else row)
    header = ["P(first)", "P(second)", "P(equal)"]
    if delta is not None:
        header += [f"P({who} by {delta:g})" for who in ("first", "second")]
    ahead = "agree more" if without_truth(payload) else "be ahead"
    said = f"Pairs on the same truth: difference (first minus second), and how likely to {ahead},"
    said += " given that both have a value."
    if len(found) == 1:
        said += " All exact." if found == ["exact"] else " All by simulation."
    return Table(
        with_caveat(said, payload),
        (
            "measure",
            "first",
            "second",
            "difference",
            *header,
            *(["found"] if len(found) > 1 else []),
        ),
        tuple(rows),
        ("head", "head", "head", "score", *(NUMBER,) * len(header), *(TEXT,) * (len(found) > 1)),
        _left_out(len(pairs)),
        main=True,
    )


def _chance(p: float | None, method: str) -> str:
    """Write a probability; 0 and 1 only where it was computed exactly.

    Examples
    --------
    >>> _chance(1.0, "exact"), _chance(1.0, "simulation")
    ('1', '>0.999')
    """
    return f"{p:g}" if method == "exact" and p in (0.0, 1.0) else chance(p)


def _matrix_table(payload: Payload) -> Table:
    names = [system["name"] for system in payload["systems"]]
    held = charts.matrix(payload)["pairs"]
    known = {(pair["a"], pair["b"]): pair["p_a_beats_b"] for pair in held}
    rows = [
        (plain(row), *(chance(known[row, name]) if (row, name) in known else "" for name in names))
        for row in names
    ]
    return Table(
        charts.heat_words(payload),
        ("", *(plain(name) for name in names)),
        tuple(rows),
        ("head", *(CELL,) * len(names)),
    )


def _apart_table(payload: Payload) -> Table:
    """Say how far the two distributions lie apart, each taken for itself."""
    held = [pair for pair in ordered(payload) if pair.get("independent")]
    pairs = [pair for pair in held if pair["measure"] == charts.heat_measure(payload)]
    rows = []
    for pair in pairs[:PAIRS]:
        apart = pair["independent"]
        chances = (chance(apart[key]) for key in ("p_a_beats_b", "p_b_beats_a"))
        distances = (fixed(apart[key]) for key in ("wasserstein", "ks"))
        rows.append((*_who(pair, payload), *chances, *distances))
    said = "The same pairs, if each system met a truth of its own, and how far apart the two are."
    return Table(
        with_caveat(said, payload),
        ("measure", "first", "second", "P(first)", "P(second)", "Wasserstein", "KS"),
        tuple(rows),
        ("head", "head", "head", "number", "number", "number", "number"),
        _left_out(len(pairs)) or ("json holds the other measures." if held[len(rows) :] else ""),
    )


def _tests_table(payload: Payload) -> Table:
    pairs = [pair for pair in ordered(payload) if pair.get("tests")]
    rows = [
        (
            *_who(pair, payload),
            f"{pair['tests']['n']:,}",
            *(_test(pair["tests"].get(name)) for name in TESTS),
        )
        for pair in pairs[:PAIRS]
    ]
    said = "Tests over queries, of the expected values: p, and in brackets p after Holm."
    return Table(
        with_caveat(said, payload),
        ("measure", "first", "second", "queries", *TESTS.values()),
        tuple(rows),
        ("head", "head", "head", "number", *(SCORE,) * len(TESTS)),
        _left_out(len(pairs)),
    )


def _test(found: Payload | None) -> str:
    if not found or found["p"] is None:
        return fixed(None)
    after = found.get("p_holm")
    return chance(found["p"]) + ("" if after is None else f" [{chance(after)}]")


def _tests_meaning(payload: Payload) -> str:
    if not any(pair.get("tests") for pair in payload["pairs"]):
        return ""
    return (
        "The tests ask whether the difference would hold for other queries, and take the expected"
        " values as exact. The probabilities above ask whether it holds for the truth of these"
        " queries. Neither stands for the other."
    )
