"""What a ranking says of its sureness, in columns of CSV and Parquet.

They stand after the columns that every version has. A row is a system and a measure; what compares
a system with the first one stands in the rows of the ranking measure.
"""

from __future__ import annotations

from typing import Any

from consilience.render.rivals import TESTS, against_first
from consilience.render.sure import given_interval, known
from consilience.render.words import Payload

#: The columns of a score, with their Arrow types.
SCORE = {
    "interval_withheld": "string",
    "given_low": "float64",
    "given_high": "float64",
    "assumes": "string",
    "posterior_mean": "float64",
    "posterior_low": "float64",
    "posterior_high": "float64",
    "standard_error": "float64",
    "shrunk": "float64",
    "plain": "float64",
}
#: The shares of a system's answers that were judged.
JUDGED = {"judged_at_10": "float64", "judged": "float64"}
#: The first system against this one: the first minus this one, and how likely it is ahead.
AGAINST = {
    "first": "string",
    "difference": "float64",
    "difference_low": "float64",
    "difference_high": "float64",
    "difference_given_low": "float64",
    "difference_given_high": "float64",
    "difference_standard_error": "float64",
    "p_first_beats": "float64",
    "p_equivalent": "float64",
    "p_first_better": "float64",
    "p_first_worse": "float64",
    **{f"p_{test}": "float64" for test in TESTS},
    **{f"p_{test}_holm": "float64" for test in TESTS},
    "dz": "float64",
    "wins": "int64",
    "draws": "int64",
    "losses": "int64",
    "superiority": "float64",
}


def sure_columns(payload: Payload) -> dict[str, str]:
    """Name the further columns, with their Arrow types; none for results of older versions."""
    return {**SCORE, **JUDGED, **AGAINST} if known(payload) else {}


def rivals_of(payload: Payload) -> dict[str, Payload]:
    """Give the pair of the first system with each other one, by the other one's name."""
    return {pair["b"]: pair for pair in against_first(payload)} if known(payload) else {}


def sure_cells(system: Payload, score: Payload, pair: Payload | None) -> dict[str, Any]:
    """Give the further cells of a row; ``pair`` is the first system against this one."""
    given, posterior = score.get("given") or {}, score.get("posterior") or {}
    given_low, given_high = given.get("interval") or (None, None)
    low, high = posterior.get("interval") or (None, None)
    judged = system.get("judged") or {}
    return {
        "interval_withheld": score.get("interval_withheld"),
        "given_low": given_low,
        "given_high": given_high,
        "assumes": given.get("assumes"),
        "posterior_mean": posterior.get("mean"),
        "posterior_low": low,
        "posterior_high": high,
        **{key: score.get(key) for key in ("standard_error", "shrunk", "plain")},
        "judged_at_10": judged.get("@10"),
        "judged": judged.get("all"),
        **_against(pair or {}),
    }


def _against(pair: Payload) -> dict[str, Any]:
    low, high = pair.get("interval") or (None, None)
    given_low, given_high = given_interval(pair) or (None, None)
    tests, effect = pair.get("tests") or {}, pair.get("effect") or {}
    return {
        "first": pair.get("a"),
        "difference": pair.get("difference"),
        "difference_low": low,
        "difference_high": high,
        "difference_given_low": given_low,
        "difference_given_high": given_high,
        "difference_standard_error": pair.get("standard_error"),
        "p_first_beats": pair.get("p_a_beats_b"),
        "p_equivalent": pair.get("p_equivalent"),
        "p_first_better": pair.get("p_a_better"),
        "p_first_worse": pair.get("p_b_better"),
        **{f"p_{test}": (tests.get(test) or {}).get("p") for test in TESTS},
        **{f"p_{test}_holm": (tests.get(test) or {}).get("holm") for test in TESTS},
        **{key: effect.get(key) for key in ("dz", "wins", "draws", "losses", "superiority")},
    }
