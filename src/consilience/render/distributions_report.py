"""What ``distributions`` tells: how far each measure may lie when the truth is uncertain.

The rows of CSV and Parquet are the whole distributions: one row per value with its probability.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from consilience.render import distributions_charts as charts
from consilience.render import distributions_queries as queries
from consilience.render.cutoff_charts import spread
from consilience.render.distributions_charts import label, leads
from consilience.render.distributions_how import badges, facts, methods
from consilience.render.distributions_pairs import beating
from consilience.render.report import NUMBER, SCORE, Lines, Picture, Report, Said, Section, Table
from consilience.render.words import (
    Payload,
    caveat,
    count,
    digits_for,
    estimate,
    fixed,
    percent,
    plain,
    some,
    with_caveat,
)

#: Columns of CSV and Parquet, with their Arrow types.
COLUMNS = {
    "system": "string",
    "query": "string",
    "measure": "string",
    "value": "float64",
    "probability": "float64",
    "mean": "float64",
    "low": "float64",
    "high": "float64",
    "p_undefined": "float64",
    "undefined": "string",
    "caveat": "string",
}
#: The measures of a result that does not name its own, in the order of the tables.
MEASURES = ("precision", "recall", "recall_fixed", "f1", "ap")
#: Rows of the table of queries that are shown.
QUERIES = 24
#: A probability below this is rounding error.
NOTHING = 1e-12


def report(payload: Payload) -> Report:
    """Say what a result of ``distributions`` tells.

    Parameters
    ----------
    payload : mapping
        A stored result of the verb.

    Returns
    -------
    Report
        The document, without a format.
    """
    return Report(
        title="Precision and recall when the truth is uncertain",
        headline=payload["headline"],
        sections=sections(payload),
        facts=facts(payload),
        methods=methods(payload),
        badges=badges(payload),
        caution=caveat(payload),
    )


def sections(payload: Payload) -> tuple[Section, ...]:
    """Say what the distributions tell: systems, cutoffs, pairs, queries."""
    if not payload["systems"]:
        return ()
    payload = in_order(payload)
    return (
        Section(
            "Systems",
            (systems_table(payload), Lines(tuple(gaps(payload))), Said(meaning(payload))),
        ),
        Section("How far precision and recall may lie", (_spreads(payload),)),
        Section("Precision against recall at each cutoff", (_band(payload),)),
        Section("Who beats whom", beating(payload)),
        Section("Each query", _queries(payload)),
    )


def measures(payload: Payload) -> list[str]:
    """List the measures of a result, in the order of the tables."""
    return list(payload.get("measures") or MEASURES)


def in_order(payload: Payload) -> dict[str, Any]:
    """Put the systems in the order of the measure that ranks, those without a value last."""
    lead = leads(payload)
    held = payload["systems"]
    order = sorted(held, key=lambda one: (one[lead]["mean"] is None, -(one[lead]["mean"] or 0.0)))
    return {**payload, "systems": order}


def cell(score: Payload | None) -> str:
    """Write an expected value with its interval; a dash where it is undefined."""
    return estimate(None if score is None else {**score, "value": score["mean"]})


def systems_table(payload: Payload) -> Table:
    """Write the expected value of each measure of each system, with its interval."""
    rows = [
        (plain(system["name"]), *(cell(system.get(measure)) for measure in measures(payload)))
        for system in payload["systems"]
    ]
    over = "" if payload["queries"] == 1 else f" over {count(payload['queries'], 'query')}"
    return Table(
        with_caveat(
            f"Expected values{over}. In brackets: {percent(payload['level'])} intervals of what the"
            " truth may be.",
            payload,
        ),
        ("system", *(label(measure, payload) for measure in measures(payload))),
        tuple(rows),
        ("head", *(SCORE,) * len(measures(payload))),
        main=True,
    )


def gaps(payload: Payload) -> list[str]:
    """Say what is undefined, why, and how likely; and what was simulated."""
    lines = []
    for measure in measures(payload):
        why: dict[str, list[str]] = {}
        for system in payload["systems"]:
            score = system.get(measure)
            if score is not None and score["mean"] is None:
                why.setdefault(str(score["undefined"]), []).append(system["name"])
        name = label(measure, payload)
        lines += [f"{name} of {some(who)} is undefined: {reason}" for reason, who in why.items()]
    drawn = [
        label(measure, payload)
        for measure in measures(payload)
        if any(_simulated(system.get(measure)) for system in payload["systems"])
    ]
    lines += [f"intervals found by simulation: {', '.join(drawn)}"] if drawn else []
    judged = payload.get("judged")
    if judged is not None and judged < 1:
        told = f"{100 * (1 - judged):.3g}% of the returned items were judged by nobody"
        lines.insert(0, f"{told}: they count as not relevant")
    return lines + _chances(payload)


def _simulated(score: Payload | None) -> bool:
    return score is not None and score["mean"] is not None and score.get("method") == "simulation"


def _chances(payload: Payload) -> list[str]:
    """Say how likely a measure of the single query has no value; of several, in how many it may."""
    held: dict[str, dict[str, list[str]]] = {}
    risky: dict[str, dict[str, float]] = {}
    for measure in measures(payload):
        name = label(measure, payload)
        for result in payload["results"]:
            p = (result.get(measure) or {}).get("p_undefined") or 0.0
            if NOTHING < p < 1:
                held.setdefault(_small(p), {}).setdefault(name, []).append(result["system"])
                worst = risky.setdefault(name, {})
                worst[result["query"]] = max(p, worst.get(result["query"], 0.0))
    if payload["queries"] > 1:
        return [
            f"{name} may have no value in {count(len(worst), 'query')}, with a probability of up to"
            f" {_small(max(worst.values()))}"
            for name, worst in risky.items()
        ]
    lines = []
    for p_said, named in held.items():
        systems = {name: None for names in named.values() for name in names}
        who = f"{some(named)} of {some(systems)}"
        lines.append(
            f"with probability {p_said} there is no {who}; the figures are for when there is"
        )
    return lines


def _small(p: float) -> str:
    return fixed(p) if p >= 0.0001 else f"{p:.1e}"


def meaning(payload: Payload) -> str:
    """Say what is random in the intervals, and what is not."""
    asked = "query" if payload["queries"] == 1 else "queries"
    return (
        "What is random here is the truth: which items are relevant, as the belief has it."
        f" The {asked} and the lists of the systems are taken as given, so an interval does not"
        " say what other queries would bring. Recall divides by the number of relevant items that"
        " each truth has; fixed recall divides by the expected number."
    )


def _spreads(payload: Payload) -> Picture:
    rows = []
    held = {result["system"]: result for result in payload["results"]}
    for system in payload["systems"]:
        for measure in ("precision", "recall"):
            score = system[measure]
            own = held[system["name"]][measure] if payload["queries"] == 1 else {}
            low, high = score["interval"] or (None, None)
            digits = digits_for(score["interval"])
            numbers = [fixed(value, digits) for value in (score["mean"], low, high)]
            row = (plain(system["name"]), measure, *numbers)
            if payload["queries"] == 1:
                row = (*row, fixed(own["median"]), f"{len(own['support']):,}")
            rows.append(row)
    header = ("system", "measure", "expected", "from", "to", "median", "values")
    width = 7 if payload["queries"] == 1 else 5
    said = "Figures of the chart; csv and parquet hold the probability of each value."
    twin = Table(
        with_caveat(said, payload),
        header[:width],
        tuple(rows),
        ("head", "", *(NUMBER,) * (width - 2)),
    )
    return Picture("spreads", partial(charts.spreads, payload), charts.spreads_words(payload), twin)


def _queries(payload: Payload) -> tuple[Table | Picture, ...]:
    """Write the expected values of each query and system; nothing for a single query."""
    if payload["queries"] < 2:
        return ()
    results = payload["results"]
    shown = [measure for measure in measures(payload) if measure != "recall_fixed"]
    rows = [
        (
            plain(result["query"]),
            plain(result["system"]),
            f"{result['returned']:,}",
            *(cell(result[measure]) for measure in shown),
        )
        for result in results[:QUERIES]
    ]
    left = ""
    if len(results) > QUERIES:
        left = f"{QUERIES} of {len(results):,} rows are shown; csv, parquet and json hold all."
    listed = Table(
        with_caveat(
            "Expected values in each query, with intervals of what the truth may be.", payload
        ),
        ("query", "system", "returned", *(label(measure, payload) for measure in shown)),
        tuple(rows),
        ("head", "head", "number", *(SCORE,) * len(shown)),
        left,
    )
    drawn = queries.query_rows(payload)
    twin = Table(
        with_caveat("Figures of the chart.", payload),
        ("query", "system", f"expected {label(leads(payload), payload)}", "from", "to"),
        tuple(
            (row["query"], row["system"], *(fixed(row[key]) for key in ("mean", "low", "high")))
            for row in drawn
        ),
        ("head", "", "number", "number", "number"),
    )
    words = queries.by_query_words(payload)
    return listed, Picture("queries", partial(queries.by_query, payload), words, twin)


def _band(payload: Payload) -> Picture:
    rows = [
        (
            plain(system["name"]),
            f"{point['k']:,}",
            cell({"mean": point["precision"], "interval": point["precision_interval"]}),
            cell({"mean": point["recall"], "interval": point["recall_interval"]}),
        )
        for system in payload["systems"]
        for point in spread(system["band"] or [], max(5, 240 // len(payload["systems"])))
    ]
    twin = Table(
        with_caveat("Expected precision and recall by cutoff, with intervals.", payload),
        ("system", "k", "precision", "recall"),
        tuple(rows),
        ("head", "number", "score", "score"),
        "json holds every cutoff.",
    )
    return Picture("band", partial(charts.band, payload), charts.band_words(payload), twin)


def rows(payload: Payload) -> list[dict[str, Any]]:
    """List every value of every measure with its probability; a measure without one has one row."""
    made = []
    for result in payload["results"]:
        for measure in measures(payload):
            one = result.get(measure)
            if one is None:
                continue
            low, high = one["interval"] or (None, None)
            same = {
                "system": result["system"],
                "query": result["query"],
                "measure": measure,
                "mean": one["mean"],
                "low": low,
                "high": high,
                "p_undefined": one["p_undefined"],
                "undefined": one["undefined"],
                "caveat": caveat(payload) or None,
            }
            points = zip(one["support"], one["mass"], strict=True)
            made += [
                {name: {**same, "value": value, "probability": p}[name] for name in COLUMNS}
                for value, p in points
            ] or [{name: same.get(name) for name in COLUMNS}]
    return made
