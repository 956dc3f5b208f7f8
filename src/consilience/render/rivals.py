"""Systems against systems: differences, probabilities, paired tests and effect sizes.

People read the first system against the others; a page lists further pairs. A column without any
figure is left out, so that results of older versions show what they hold and nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from consilience.render.sure import given_interval, known, score_cell
from consilience.render.words import (
    DASH,
    Payload,
    by_rank,
    chance,
    count,
    fixed,
    percent,
    plain,
    with_caveat,
    without_truth,
)

#: The paired tests: their names for people.
TESTS = {"t": "t", "wilcoxon": "Wilcoxon", "sign": "sign", "randomisation": "randomisation"}
#: How many systems are compared with the first in text and Markdown, and in a notebook.
MOST, FEW = 20, 8

Cell = Callable[[Payload], str]
Table = tuple[list[str], list[list[str]], list[str]]


def p_value(p: float | None) -> str:
    """Write the p-value of a test.

    Examples
    --------
    >>> p_value(0.0312), p_value(0.00001), p_value(1.0), p_value(None)
    ('0.031', '<0.001', '1.000', '–')
    """
    if p is None:
        return DASH
    return "<0.001" if p < 0.0005 else f"{p:.3f}"


def difference(pair: Payload) -> str:
    """Write a difference with its standard error and its interval, or what holds if assumed.

    Examples
    --------
    >>> difference({"difference": 0.02, "interval": [-0.01, 0.05], "standard_error": 0.015})
    '0.0200 ± 0.0150 [−0.0100, 0.0500]'
    """
    return score_cell({**pair, "value": pair["difference"]})


def compared(payload: Payload, pairs: Sequence[Payload], *, ahead: str, minus: str) -> Table:
    """Give header, rows and kinds of what is known of pairs; columns without figures left out.

    Parameters
    ----------
    payload : mapping
        A stored result of ``rank``.
    pairs : sequence of mapping
        Some of its pairs.
    ahead, minus : str
        The headings of the probability to be ahead and of the difference.
    """
    columns: list[tuple[str, str, Cell]] = [
        (ahead, "number", lambda pair: chance(pair["p_a_beats_b"])),
        (minus, "score", difference),
        *_equivalence(payload),
        *((f"p ({TESTS.get(name, name)})", "number", _test(name)) for name in names(payload)),
        ("dz", "number", _dz),
        ("won–even–lost", "number", _won),
    ]
    made = [(header, kind, [cell(pair) for pair in pairs]) for header, kind, cell in columns]
    kept = [one for one in made if any(cell != DASH for cell in one[2])]
    rows = [list(row) for row in zip(*(cells for *_, cells in kept), strict=True)]
    return [header for header, *_ in kept], rows, [kind for _, kind, _ in kept]


def _equivalence(payload: Payload) -> list[tuple[str, str, Cell]]:
    delta = payload.get("delta")
    if delta is None:
        return []
    return [(f"P(within ±{delta:g})", "number", lambda pair: chance(pair.get("p_equivalent")))]


def names(payload: Payload) -> list[str]:
    """List the tests that were made, in their usual order; none where nothing was tested."""
    made = (payload.get("tests") or {}).get("names")
    if made is None:
        made = {name for pair in payload["pairs"] for name in pair.get("tests") or {}}
    return sorted(made, key=lambda name: [*TESTS, name].index(name))


def _test(name: str) -> Cell:
    return lambda pair: p_value(((pair.get("tests") or {}).get(name) or {}).get("holm"))


def _dz(pair: Payload) -> str:
    return fixed((pair.get("effect") or {}).get("dz"), 2)


def _won(pair: Payload) -> str:
    effect = pair.get("effect") or {}
    counts = [effect.get(key) for key in ("wins", "draws", "losses")]
    return DASH if None in counts else "–".join(f"{number:,}" for number in counts)


def against_first(payload: Payload) -> list[Payload]:
    """Choose the pairs of the first system with the others, in rank order."""
    first = [system["name"] for system in by_rank(payload)[:1]]
    order = {system["name"]: place for place, system in enumerate(by_rank(payload))}
    own = [pair for pair in payload["pairs"] if pair["a"] in first and pair["b"] in order]
    return sorted(own, key=lambda pair: order[pair["b"]])


def rivals_table(payload: Payload, most: int | None = None) -> Table:
    """Give the table of the first system against the others; empty where nothing is known of it.

    Results of older versions hold no tests; they have no such table.
    """
    pairs = against_first(payload) if known(payload) else []
    if not pairs:
        return [], [], []
    told = "P(first agrees more)" if without_truth(payload) else "P(first beats it)"
    minus = f"{plain(payload['measure'])} difference"
    header, rows, kinds = compared(payload, pairs[:most], ahead=told, minus=minus)
    if not header:
        return [], [], []
    seconds = [plain(pair["b"]) for pair in pairs[:most]]
    rows = [[name, *row] for name, row in zip(seconds, rows, strict=True)]
    return ["second", *header], rows, ["head", *kinds]


def rivals_title(payload: Payload) -> str:
    """Name the table of the first system against the others."""
    return f"{plain(by_rank(payload)[0]['name'])} against the others"


def left_out(payload: Payload, shown: int) -> str:
    """Count the systems that the table leaves out; nothing where it holds all.

    Examples
    --------
    >>> pairs = [{"a": "x", "b": name} for name in "yz"]
    >>> systems = [{"name": name, "rank": i} for i, name in enumerate("xyz", 1)]
    >>> left_out({"systems": systems, "pairs": pairs}, 1)
    '… and 1 more: html, csv and json hold all.'
    """
    rest = len(against_first(payload)) - shown
    return f"… and {rest:,} more: html, csv and json hold all." if rest > 0 else ""


def rivals_legend(payload: Payload) -> str:
    """Say what the figures of pairs mean, and what they assume."""
    said = []
    delta, tests = payload.get("delta"), payload.get("tests")
    if delta is not None and any(p.get("p_equivalent") is not None for p in payload["pairs"]):
        said.append(f"Within ±{delta:g}: practically equal.")
    if tests:
        over = count(tests.get("n"), "query") if tests.get("unit") == "queries" else ""
        many = count(tests.get("comparisons"), "comparison")
        rule = tests.get("correction") or "Holm"
        said.append(
            f"p: two-sided paired tests{f' over {over}' if over else ''}, corrected for {many}"
            f" ({plain(rule)})."
        )
    if any(pair.get("effect") for pair in payload["pairs"]):
        said.append("dz: the mean difference in its standard deviations over queries.")
    if known(payload).get("withheld") and known(payload).get("given"):
        assumed = plain(known(payload)["given"]).rstrip(".")
        said.append(f"All of it assumes that {assumed}.")
    return with_caveat(" ".join(said), payload)


def rivals_caption(payload: Payload) -> str:
    """Say above the table of a page what it compares."""
    interval = f" with {percent(payload['level'])} intervals"
    held = any(p.get("interval") or given_interval(p) for p in against_first(payload))
    said = f"{rivals_title(payload)}, by {plain(payload['measure'])}{interval if held else ''}"
    return f"{said}. {rivals_legend(payload)}".rstrip()
