"""Draw labels of sets whose truth is hidden; keep what they tell, fail where a bar is missed."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.accuracy.__main__ import put_table
from bench.accuracy.sets import DATA
from bench.labels import __doc__ as about
from bench.labels import page, tables
from bench.labels.hidden import READERS
from bench.labels.tasks import Done, Task, worked
from bench.report import machine

RESULTS = Path(__file__).parents[1] / "results"
PAGE = Path(__file__).parents[2] / "docs" / "accuracy.md"
BEGIN = "<!-- table: python -m bench.labels -->"
#: Sections with their draws, and the sets that each is tried on, the slowest first.
DRAWS = {"few": 200, "curves": 60, "stops": 60, "macro": 60}
SETS = {
    "curves": ("TREC-COVID", "CLEF eHealth", "LLMJudge ≥ 2", "keyphrases", "two engines 12/12"),
    "stops": ("CLEF eHealth", "LLMJudge ≥ 2", "keyphrases", "two engines 12/12"),
    "macro": ("keyphrases", "LLMJudge ≥ 2", "two engines 12/12"),
    "few": ("LLMJudge ≥ 1", "LLMJudge ≥ 2", "two engines 4/12", "two engines 12/12"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Try everything; 1 where a bar was missed. Without all sets nothing is overwritten."""
    parser = argparse.ArgumentParser(prog="python -m bench.labels", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help=f"where the sets lie ({DATA})")
    parser.add_argument("--quick", action="store_true", help="one draw; nothing is judged")
    parser.add_argument("--results", type=Path, help="where to keep results (--quick: nowhere)")
    parser.add_argument("--only", nargs="*", choices=DRAWS, help="some sections only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes (all cores)")
    given = parser.parse_args(arguments)
    results = tables.Results()
    quick = given.quick
    tasks = [
        Task(section, name, given.data, 1 if quick else DRAWS[section], 1 if quick else None)
        for section in given.only or DRAWS
        for name in SETS[section]
    ]
    for done in worked(tasks, given.jobs):
        _note(results, done)
        if given.results:
            _keep(given.results, results)
    _sort(results)
    print(as_markdown(results))
    whole = not (given.quick or results.missing or given.only is not None)
    kept = given.results or (RESULTS if whole else None)
    if kept:
        _keep(kept, results)
    if whole and PAGE.exists():
        put_table(PAGE, page.lines(results), BEGIN)
    if results.missing:
        print("Not tried, for want of data:", *results.missing, sep="\n  ", file=sys.stderr)
    missed = [str(bar) for bar in tables.bars(results) if not bar.met]
    if missed and not given.quick:
        print("Missed:", *missed, sep="\n  ", file=sys.stderr)
        return 1
    return 0


def _note(results: tables.Results, done: Done) -> None:
    if done.missing is not None:
        if done.missing not in results.missing:
            results.missing.append(done.missing)
        return
    print(f"{done.task.section}: {done.task.set}", file=sys.stderr, flush=True)
    results.about[done.task.set] = done.about
    getattr(results, done.task.section).extend(done.rows)


def _sort(results: tables.Results) -> None:
    """Put sets in order, whichever was done first."""
    results.about = {name: results.about[name] for name in READERS if name in results.about}
    place = list(READERS).index
    for section in DRAWS:
        getattr(results, section).sort(key=lambda row: place(row.set))


def _keep(folder: Path, results: tables.Results) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "few-labels.md").write_text(as_markdown(results))
    (folder / "few-labels.json").write_text(json.dumps(as_data(results), indent=1) + "\n")


def as_markdown(results: tables.Results) -> str:
    """Write everything down."""
    judged = [f"- {bar}" for bar in tables.bars(results)]
    sets = [f"- {name}: {what}" for name, what in results.about.items()]
    parts = [
        ("# Few labels", [(about or "").strip(), "", *judged]),
        ("## Sets", sets + [f"- MISSING {line}" for line in results.missing]),
        *((f"## {head}", lines) for head, lines in tables.sections(results)),
    ]
    text = "\n\n".join(f"{head}\n\n" + "\n".join(lines) for head, lines in parts if lines)
    what = ", ".join(f"{key} {value}" for key, value in machine().items() if value is not None)
    return f"{text}\n\n{what}\n"


def as_data(results: tables.Results) -> dict[str, object]:
    """Give everything as plain data."""
    judged = [{**asdict(bar), "met": bar.met} for bar in tables.bars(results)]
    return {"machine": machine(), "bars": judged, **asdict(results)}


if __name__ == "__main__":
    sys.exit(main())
