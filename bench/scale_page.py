"""The tables of ``docs/scale.md``, from the results: what was measured, and what follows from it.

``python -m bench.scale_page`` writes them between their marks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.__main__ import RESULTS

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
END = "<!-- end of table -->"
SECTIONS = ("memory", "ranked", "duckdb", "flat", "billion", "spark", "convert")
#: A trillion votes: a hundred systems, a thousand answers each.
VOTES, SYSTEMS, ANSWERS = 1e12, 100, 1_000
QUERIES = VOTES / SYSTEMS / ANSWERS
#: The cluster of the estimate: machines, cores of each, the share of time in which they work,
#: bytes a second of each machine's network.
MACHINES, CORES, BUSY, NETWORK = 40, 16, 0.7, 1.25e9
#: What a core hour costs, and a TB of disk for a month; the votes file is kept for one.
HOUR, DISK = 0.05, 20.0
#: Bytes of a vote in the votes files of *flat*, which hold ranks and no scores.
RANKED = 1.95
#: Bytes of a row on its way between Spark's machines, packed, about.
SHUFFLED = 25.0
#: Bytes that a system's figures for a query take when parts send them; and bytes that a process
#: holds before it has joined any.
SENT, IDLE = 70.0, 150e6


@dataclass(frozen=True)
class Results:
    """The results of all sections about large votes."""

    sections: Mapping[str, Any]

    @staticmethod
    def read(folder: Path = RESULTS) -> Results:
        """Read those that are there."""
        paths = [folder / f"{name}.json" for name in SECTIONS]
        return Results({p.stem: json.loads(p.read_text()) for p in paths if p.exists()})

    def rows(self, section: str, program: str = "consilience") -> list[tuple[str, Any]]:
        """Give what was measured on, and the costs of a program."""
        rows = self.sections.get(section, {"rows": []})["rows"]
        return [
            (row["what"], row["cost"])
            for row in rows
            if row["contestant"].partition("_")[2] == program
        ]


def measured(results: Results) -> str:
    """Show what large votes cost."""
    lines = [
        "| what | votes | CPU s | CPU ns a vote | peak memory |",
        "|---|--:|--:|--:|--:|",
    ]
    for section, words in (
        ("memory", "consensus, P, R, F1 on arrays in memory"),
        ("duckdb", "the same and at cutoff 10, inside DuckDB"),
    ):
        for what, cost in results.rows(section):
            votes, _, kind = what.partition(" votes, ")
            lines.append(_line(f"{words}; {kind}", votes, cost))
    for what, cost in results.rows("spark"):
        lines.append(_line("the same inside Spark, once it runs; numbers", what.split()[0], cost))
    for what, cost in results.rows("ranked"):
        votes, _, kind = what.partition(" votes, ")
        lines.append(_line(f"`rank --engine memory`; {kind}", votes, cost))
    for what, cost in results.rows("flat"):
        lines.append(_line("`rank --memory 2GB`, part by part", what.partition(" ")[0], cost))
    for what, cost in results.rows("billion"):
        votes, _, truth = what.partition(" votes")
        lines.append(_line(f"`rank --memory 20GB`, part by part{truth}", votes, cost))
    return "\n".join(lines)


def flat(results: Results) -> str:
    """Show the cost of a vote at every size."""
    lines = [
        "| votes | CPU ns a vote in parts | CPU s once | CPU s of all | wall s | peak memory |",
        "|--:|--:|--:|--:|--:|--:|",
    ]
    for what, cost in results.rows("flat"):
        values = cost["values"]
        told = [
            what.partition(" ")[0],
            f"{values['parts ns a vote']:.0f}",
            f"{values['once s']:.1f}",
            f"{cost['cpu']:.1f}",
            f"{values['wall s']:.0f}",
            _size(cost["peak"] * 1e6),
        ]
        lines.append(f"| {' | '.join(told)} |")
    return "\n".join(lines)


def sorting(results: Results) -> str:
    """Show what sorting files costs."""
    lines = ["| program | MB/s | CPU s | peak memory | MB written |", "|---|--:|--:|--:|--:|"]
    names = {
        "consilience": "`consilience convert`",
        "polars": "polars: read, sort, write",
        "duckdb": "DuckDB: read, sort, write",
        "cat": "`cat`: read",
    }
    for program, words in names.items():
        ((_, cost),) = results.rows("convert", program)
        values = cost["values"]
        told = [words, f"{values['MB/s']:.0f}", f"{cost['cpu']:.1f}", _size(cost["peak"] * 1e6)]
        lines.append(f"| {' | '.join(told)} | {values['MB']:,.0f} |")
    return "\n".join(lines)


def trillion(results: Results) -> str:
    """Estimate what 10¹² votes need."""
    last = results.rows("flat")[-1]
    vote = last[1]["values"]["parts ns a vote"]
    cell = _cell(results)
    ((what, _),) = results.rows("convert")
    text = float(what.partition(", ")[2].replace(",", "").split()[0]) * 1e6 / 1e7
    packed = results.rows("convert")[0][1]["values"]["MB"] * 1e6 / 1e7
    arrays, each = _hours(vote), _on_spark(results)
    spark = [_hours(one) for one in each]
    cores = MACHINES * CORES * BUSY
    lines = [
        "| need | arrays, part by part | expressions on Spark |",
        "|---|---|---|",
        f"| CPU | {vote:.0f} ns a vote: **{arrays:,.0f} core hours** | "
        f"{each[0]:,.0f} to {each[1]:,.0f} ns a vote: **{spark[0]:,.0f} to {spark[1]:,.0f} "
        "core hours** |",
        f"| wall time on {MACHINES} × {CORES} cores, {BUSY:.0%} busy | "
        f"{arrays / cores * 60:.0f} minutes | {spark[0] / cores:.1f} to {spark[1] / cores:.1f} "
        "hours |",
        f"| disk for the votes file | with ranks {RANKED:.1f} bytes a vote: "
        f"{_size(RANKED * VOTES)}; with scores of six decimals {packed:.1f}: "
        f"{_size(packed * VOTES)} | the same |",
        f"| disk for TREC files, if these are kept | {text:.0f} bytes a vote: "
        f"{_size(text * VOTES)} | the same |",
        f"| network | none: a query's votes stand together | none where Spark knows that; else "
        f"every row once, about {_size(SHUFFLED * VOTES)}: "
        f"{SHUFFLED * VOTES / MACHINES / NETWORK / 60:.0f} minutes at 10 Gbit/s a machine |",
        f"| memory of the machine that joins, with all it does then | {_size(cell)} for each of "
        f"{SYSTEMS * QUERIES:,.0f} results (system, query): **{_size(cell * SYSTEMS * QUERIES)}** "
        "| the same: sums are finished by the same code |",
        f"| results that travel to it | {SENT:.0f} bytes each: {_size(SENT * SYSTEMS * QUERIES)} "
        f"| a dozen numbers each, about {_size(96 * SYSTEMS * QUERIES)} |",
    ]
    return "\n".join(lines)


def joining(results: Results) -> str:
    """Say how much memory it takes to join parts."""
    what, cost = results.rows("flat")[-1]
    held, cell = cost["values"]["join MB"] * 1e6, _cell(results)
    return (
        f"With {what} the command itself held {_size(held)} at most from the moment that all parts "
        f"were computed: some {_size(cell)} for each system and query. With ten times the queries "
        f"it would be {_size(IDLE + 10 * (held - IDLE))}, whatever `--memory` says."
    )


def price(results: Results) -> str:
    """Give an example of what 10¹² votes cost."""
    vote = results.rows("flat")[-1][1]["values"]["parts ns a vote"]
    hours = [_hours(one) * HOUR / BUSY for one in (vote, *_on_spark(results))]
    disk = RANKED * VOTES / 1e12 * DISK
    return (
        f"With c = {HOUR}, s = {DISK:.0f} and one month: {hours[0]:.0f} + {disk:.0f} for arrays, "
        f"{hours[1]:.0f} to {hours[2]:.0f} + {disk:.0f} for Spark; the machine that joins comes on "
        "top."
    )


def missed(results: Results) -> str:
    """Say which bars were missed."""
    bars = [
        f"{name}, {bar['name']}: {bar['found']:.3g} instead of {_wanted(bar)}"
        for name, section in results.sections.items()
        for bar in section["bars"]
        if not bar["met"]
    ]
    return f"Aims that were missed: {'; '.join(bars) or 'none'}."


def _wanted(bar: Mapping[str, Any]) -> str:
    """Say what a bar asks for."""
    ends = (("at least", bar.get("least")), ("at most", bar.get("most")))
    return " and ".join(f"{words} {end:g}" for words, end in ends if end is not None)


def start(results: Results) -> str:
    """Say what comes before the first vote on Spark."""
    values = results.rows("spark")[0][1]["values"]
    return (
        f"Spark took {values['start s']:.0f} s of CPU to start, and {values['first s']:.0f} s for "
        "its first work, a small file, while Java compiles."
    )


def once(results: Results) -> str:
    """Say what grows with the queries though it is done once."""
    (_, less), (_, more) = results.rows("flat")[-2:]
    votes = [_count(what) for what, _ in results.rows("flat")]
    queries = (votes[-1] - votes[-2]) / SYSTEMS / ANSWERS
    each = (more["values"]["once s"] - less["values"]["once s"]) / queries
    return (
        f"What is done once took {less['values']['once s']:.0f} s of CPU at 10⁸ votes and "
        f"{more['values']['once s']:.0f} s at 10⁹: {each * 1e3:.1f} ms for each further query, "
        f"which is {each * QUERIES / 3600:.0f} hours at {QUERIES:,.0f} queries."
    )


TABLES = {
    "measured": measured,
    "flat": flat,
    "sorting": sorting,
    "trillion": trillion,
    "once": once,
    "joining": joining,
    "price": price,
    "missed": missed,
    "start": start,
}


def filled(page: str, results: Results) -> str:
    """Put every table between its marks."""
    for name, table in TABLES.items():
        mark = f"<!-- {name}: python -m bench.scale_page -->"
        before, _, rest = page.partition(mark)
        _, _, after = rest.partition(END)
        page = f"{before}{mark}\n\n{table(results)}\n\n{END}{after}"
    return page


def _cell(results: Results) -> float:
    """Give the bytes that joining takes for a system and query."""
    what, cost = results.rows("flat")[-1]
    return float(cost["values"]["join MB"] * 1e6 - IDLE) / (_count(what) / ANSWERS)


def _line(words: str, votes: str, cost: Mapping[str, Any]) -> str:
    told = [words, votes, f"{cost['cpu']:.1f}", f"{cost['cpu'] / _count(votes) * 1e9:,.0f}"]
    return f"| {' | '.join(told)} | {_size(cost['peak'] * 1e6)} |"


def _hours(vote: float) -> float:
    """Give the core hours of all votes; a vote takes so many nanoseconds."""
    return vote * VOTES / 1e9 / 3600


def _on_spark(results: Results) -> tuple[float, float]:
    """Give Spark's nanoseconds a vote: of those beyond the smaller file, and of all."""
    (less, few), (more, many) = results.rows("spark")
    beyond = (many["cpu"] - few["cpu"]) / (_count(more) - _count(less))
    return beyond * 1e9, many["cpu"] / _count(more) * 1e9


def _count(votes: str) -> float:
    return float(votes.partition(" ")[0].replace(",", ""))


def _size(count: float) -> str:
    units = ["bytes", "KB", "MB", "GB", "TB"]
    while count >= 999.5 and len(units) > 1:
        count, units = count / 1000, units[1:]
    return f"{count:.1f} {units[0]}" if count < 10 else f"{count:.0f} {units[0]}"


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(), Results.read()))
