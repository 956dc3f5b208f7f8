"""What ``next`` tells: which items to label, what that buys, and whether it is time to stop."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

from consilience.render import next_charts as charts
from consilience.render.judged import prediction
from consilience.render.report import (
    NUMBER,
    Block,
    Picture,
    Report,
    Said,
    Section,
    Table,
)
from consilience.render.sure import stop_line
from consilience.render.words import DASH, DIGITS, MOST, Payload, count, fixed, percent, plain

#: The columns of CSV and Parquet; the label is for people to fill in.
COLUMNS = {
    "query": "string",
    "item": "string",
    "probability": "float64",
    "round": "int64",
    "label": "string",
}
#: Rows that people see; the file holds all.
SHOWN = 20


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row per item to label, in the order in which they are to be labelled."""
    return [
        {
            "query": row["query"],
            "item": row["item"],
            "probability": row["probability"],
            "round": row.get("round", payload.get("round")),
            "label": None,
        }
        for row in payload["rows"]
    ]


def report(payload: Payload) -> Report:
    """Say all that a choice of items to label tells."""
    return Report(
        title="What to label next",
        headline=payload["headline"],
        sections=(
            Section("What these labels buy", _buys(payload)),
            Section("Items to label", _items(payload)),
            Section("How likely they were to be drawn", (_likely(payload),)),
        ),
        facts=_facts(payload),
        methods=_methods(payload),
        badges=(
            f"{count(len(payload['rows']), 'item')} of {payload['population']:,}",
            f"round {payload['round']}",
            count(payload["labelled"], "label") + " so far",
            f"by {payload['measure']}",
        ),
    )


def about(number: float) -> str:
    """Round a number of labels to two digits that count.

    Examples
    --------
    >>> about(338.4), about(7.6), about(12345.0)
    ('340', '8', '12,000')
    """
    whole = round(number)
    return f"{round(number, 2 - len(str(abs(whole)))):,.0f}" if whole >= 10 else f"{whole:,}"


def worth(payload: Payload) -> str:
    """Say how many labels drawn at random would be as precise; nothing where it is not known.

    About as many items come as the budget asks for; the worth is that of the budget.

    Examples
    --------
    >>> gain = {"worth": 338.4, "ratio": 3.384}
    >>> worth({"rows": [{}] * 100, "budget": 100, "gain": gain})
    'these 100 labels are worth about 340 drawn at random'
    >>> worth({"rows": [{}] * 103, "budget": 100, "gain": gain})
    '100 labels that are drawn like these are worth about 340 drawn at random'
    """
    gain, drawn = payload["gain"] or {}, len(payload["rows"])
    found, ratio = gain.get("worth"), gain.get("ratio")
    if found is None or not drawn:
        return ""
    counted = round(found / ratio) if ratio else drawn
    if counted != drawn:
        these = f"{count(counted, 'label')} that {'is' if counted == 1 else 'are'} drawn like these"
    else:
        these = "this label" if drawn == 1 else f"these {drawn:,} labels"
    return f"{these} {'is' if counted == 1 else 'are'} worth about {about(found)} drawn at random"


def _buys(payload: Payload) -> tuple[Block, ...]:
    said, told = worth(payload), "worth about" in plain(payload["headline"])
    return (
        Said(f"{said[0].upper()}{said[1:]}." if said and not told else "", notebook=True),
        Said(stop_line(payload), notebook=True),
        _errors(payload),
        Picture(
            "curve",
            partial(charts.curve, payload),
            charts.curve_words(payload),
            Table(
                f"Expected standard error of {plain(payload['measure'])}",
                ("further labels", charts.DESIGNED, charts.UNIFORM),
                tuple(charts.curve_cells(payload)),
                (NUMBER, NUMBER, NUMBER),
            ),
        ),
    )


def _errors(payload: Payload) -> Table:
    """Give the expected standard errors: now, after these labels, after as many at random."""
    gain, measure = payload["gain"] or {}, plain(payload["measure"])
    now = gain.get("standard_error_now")
    after = (gain.get("standard_error_after"), gain.get("standard_error_uniform"))
    made = [(f"a system's {measure}", fixed(now), *map(fixed, after))]
    pair = gain.get("pair")
    if pair:
        ends = (pair.get("standard_error_after"), pair.get("standard_error_uniform"))
        who = f"{plain(pair['a'])} − {plain(pair['b'])}"
        made.append((who, DASH, *map(fixed, ends)))
    known = any(error is not None for error in after)
    return Table(
        f"Expected standard errors of {measure}",
        ("of", "now", "after these labels", "after as many at random"),
        tuple(made) if known else (),
        ("head", NUMBER, NUMBER, NUMBER),
        main=True,
    )


def _items(payload: Payload) -> tuple[Block, ...]:
    every = rows(payload)
    rounds = {row["round"] for row in every}
    several = len(rounds) > 1
    rest = len(every) - len(every[:SHOWN])
    digits = _digits(every[:SHOWN])
    listed = Table(
        "To be labelled in this order",
        ("query", "item", "probability", *(["round"] if several else [])),
        tuple(
            (
                str(row["query"]),
                str(row["item"]),
                fixed(row["probability"], digits),
                *([str(row["round"])] if several else []),
            )
            for row in every[:SHOWN]
        ),
        ("head", "head", NUMBER, *([NUMBER] if several else [])),
        left_out=f"… and {rest:,} more: write them to a file with -o labels.csv" if rest else "",
        notebook=True,
    )
    return (listed,)


def _digits(shown: Sequence[dict[str, Any]]) -> int:
    """Find how many digits show at least two that count of every probability.

    Examples
    --------
    >>> _digits([{"probability": 0.5}]), _digits([{"probability": 0.5}, {"probability": 0.000031}])
    (4, 6)
    """
    small = min((row["probability"] or 1.0 for row in shown), default=1.0)
    return min(MOST, max(DIGITS, 1 - math.floor(math.log10(small))))


def _likely(payload: Payload) -> Picture:
    return Picture(
        "probabilities",
        partial(charts.probabilities, payload),
        charts.probabilities_words(payload),
        Table(
            "Items by their probability of being drawn",
            ("probability", "items"),
            tuple((row["between"], f"{row['items']:,}") for row in charts.bins(payload)),
            ("head", NUMBER),
        ),
    )


def _facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    chosen = payload.get("settings") or {}
    expected = payload.get("expected")
    drawn = f"{payload['drawn']:,} drawn"
    drawn += "" if expected is None else f" ({expected:.1f} expected)"
    facts = [
        ("measure", payload["measure"]),
        (
            "budget",
            f"{payload['budget']:,} labels; {drawn}, out of {payload['population']:,} items",
        ),
        ("round", f"{payload['round']}; {count(payload['labelled'], 'label')} so far"),
    ]
    if payload.get("prediction"):
        facts.append(("prediction", prediction(payload["prediction"])))
    if chosen.get("uniform_share") is not None:
        facts.append(("chance", f"{percent(chosen['uniform_share'])} of the budget at random"))
    if chosen.get("depth") is not None:
        facts.append(("depth", f"only the first {count(chosen['depth'], 'answer')} of each list"))
    if payload.get("delta") is not None:
        facts.append(("equivalence", f"differences within ±{payload['delta']:g} do not matter"))
    facts.append(("level", percent(payload["level"])))
    if payload.get("seed") is not None:
        facts.append(("seed", str(payload["seed"])))
    return tuple((label, plain(text)) for label, text in facts)


def _methods(payload: Payload) -> str:
    share = (payload.get("settings") or {}).get("uniform_share")
    mixed = "" if share is None else f", mixed with {percent(share)} at random"
    by = f" ({prediction(payload['prediction'])})" if payload.get("prediction") else ""
    said = (
        f"{count(len(payload['rows']), 'item')} of {payload['population']:,} were drawn for"
        f" labelling by Poisson sampling, in round {payload['round']}. The probability of an item"
        f" grows with the uncertainty of its prediction{by} and with its influence on"
        f" {plain(payload['measure'])} of the systems{mixed}; it is kept with the label, so that"
        " scores can be estimated by augmented inverse probability weighting (AIPW)."
    )
    told = worth(payload)
    if told:
        said += f" By the expected standard error, {told}."
    return said
