"""Compare rankings without truth with people's; keep the results, fail where a bar is missed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.accuracy import tables
from bench.accuracy.crowds import Labelled, crowd
from bench.accuracy.sets import DATA, READERS, MissingSetError, crowd_files
from bench.accuracy.simulated import simulated
from bench.accuracy.trials import coverage, left_out, trials
from bench.report import machine

RESULTS = Path(__file__).parents[1] / "results"
PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
#: Between these two lines of the page for users stands the main table.
BEGIN, END = "<!-- table: python -m bench.accuracy -->", "<!-- end of table -->"
DRAWS = 5
EVERYTHING = (*READERS, "crowds", "simulated")


def main(arguments: Sequence[str] | None = None) -> int:
    """Try everything; 1 where a bar was missed. Without all sets nothing is overwritten."""
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help=f"where the sets lie ({DATA})")
    parser.add_argument("--quick", action="store_true", help="one small draw; nothing is judged")
    parser.add_argument("--results", type=Path, help="where to keep results (--quick: nowhere)")
    parser.add_argument("--only", nargs="*", metavar="SET", help=f"some of {', '.join(EVERYTHING)}")
    given = parser.parse_args(arguments)
    results = tables.Results()
    wanted = EVERYTHING if given.only is None else given.only
    unknown = [name for name in wanted if name not in EVERYTHING]
    if unknown:
        parser.error(f"there is no set {unknown[0]}; possible: {', '.join(EVERYTHING)}")
    _real(results, given.data, wanted)
    if "crowds" in wanted:
        _crowds(results, given.data)
    if "simulated" in wanted:
        size = {"seeds": 1, "pages": 3} if given.quick else {"seeds": DRAWS}
        results.simulated.extend(simulated(**size))
    page = as_markdown(results)
    print(page)
    whole = not (given.quick or results.missing or given.only is not None)
    kept = given.results or (RESULTS if whole else None)
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
        (kept / "accuracy.md").write_text(page)
        (kept / "accuracy.json").write_text(json.dumps(as_data(results), indent=1) + "\n")
    if whole and PAGE.exists():
        put_table(PAGE, tables.summary(results), BEGIN)
    if results.missing:
        print("Not tried, for want of data:", *results.missing, sep="\n  ", file=sys.stderr)
    missed = [str(bar) for bar in tables.bars(results) if not bar.met]
    if missed and not given.quick:
        print("Missed:", *missed, sep="\n  ", file=sys.stderr)
        return 1
    return 0


def _real(results: tables.Results, data: Path, wanted: Sequence[str]) -> None:
    for name, read in READERS.items():
        if name not in wanted:
            continue
        try:
            for one in read(data):
                print(f"{one.name}: {one.about}", file=sys.stderr, flush=True)
                results.about[one.name] = one.about
                results.trials.extend(trials(one))
                if name in ("TREC-COVID", "LLMJudge"):
                    results.left_out.extend(left_out(one))
                if name in ("LLMJudge", "keyphrases"):
                    results.coverage.extend(coverage(one))
        except MissingSetError as missing:
            results.missing.append(f"{name}: {missing}")


def _crowds(results: tables.Results, data: Path) -> None:
    try:
        files = crowd_files(data)
    except MissingSetError as missing:
        results.missing.append(f"crowds: {missing}")
        return
    for name, read in files.items():
        labels = read()
        people, tasks = len({row[0] for row in labels}), len({row[1] for row in labels})
        results.about[name] = f"{people} workers, {tasks:,} tasks, {len(labels):,} labels"
        for one in crowd(name, labels):
            if isinstance(one, Labelled):
                results.labelled.append(one)
            else:
                results.trials.append(one)


def as_markdown(results: tables.Results) -> str:
    """Write everything down."""
    about = [f"- {name}: {what}" for name, what in results.about.items()]
    parts = [
        ("# Accuracy of rankings without truth", [__doc__ or "", *_bars(results)]),
        ("## τ by set and method (main measure, all answers)", tables.summary(results)),
        ("## Sets", about + [f"- MISSING {line}" for line in results.missing]),
    ]
    for name in dict.fromkeys(one.set for one in results.trials):
        parts.append((f"## {name}: τ (r: regret, e: mean error)", tables.ranked(results, name)))
    parts += [
        ("## Crowds: share of tasks labelled as gold", tables.crowds(results)),
        ("## Simulated pipelines that share engines", tables.phases(results)),
        ("## The own vote (τ)", tables.own_votes(results)),
        ("## Do the ranges shown hold the true figure?", tables.covered(results)),
        ("## What gave nothing (✗), and why", tables.failures(results) or ["Nothing."]),
    ]
    text = "\n\n".join(f"{head}\n\n" + "\n".join(lines) for head, lines in parts if lines)
    what = ", ".join(f"{key} {value}" for key, value in machine().items() if value is not None)
    return f"{text}\n\n{what}\n"


def _bars(results: tables.Results) -> list[str]:
    return ["", *(f"- {bar}" for bar in tables.bars(results))]


def as_data(results: tables.Results) -> dict[str, object]:
    """Give everything as plain data."""
    judged = [{**asdict(bar), "met": bar.met} for bar in tables.bars(results)]
    return {"machine": machine(), "bars": judged, **asdict(results)}


def put_table(page: Path, lines: Sequence[str], begin: str) -> None:
    """Put lines into a page for users, from the line that they begin with to the next end."""
    text = page.read_text()
    before, found, rest = text.partition(begin)
    _, end, after = rest.partition(END)
    if found and end:
        page.write_text(before + "\n".join([begin, "", *lines, "", END]) + after)


if __name__ == "__main__":
    sys.exit(main())
