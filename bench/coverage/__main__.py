"""Try every kind of interval on data whose truth is known; fail where one is too narrow.

A simulation makes data again and again from a source whose true figure is known, asks for the 95 %
interval, and counts how often it holds the truth. Where the source has no closed form, the true
figure is that of very many data of the same kind.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bench.coverage.chances import calibration
from bench.coverage.registry import SIMULATIONS
from bench.coverage.tables import Results, as_markdown, kept, summed
from bench.coverage.trials import Case, Found, Simulation, found, verdict

RESULTS = Path(__file__).parents[1] / "results"
PAGE = Path(__file__).parents[2] / "docs" / "coverage.md"
#: Between such lines of the page for users stand the tables.
MARKS = {
    "intervals": ("<!-- table: python -m bench.coverage -->", "<!-- end of table -->"),
    "chances": ("<!-- chances: python -m bench.coverage -->", "<!-- end of chances -->"),
}
CHANCES, CHANCE_RUNS = "chances", 2000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run simulations; 1 where an interval is too narrow for no known reason."""
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__)
    names = [one.name for one in SIMULATIONS] + [CHANCES]
    parser.add_argument("--quick", action="store_true", help="few runs; nothing is kept or judged")
    parser.add_argument("--results", type=Path, help="where to keep results (--quick: nowhere)")
    parser.add_argument("--only", nargs="*", metavar="NAME", help="; ".join(names))
    parser.add_argument("--seed", type=int, default=0, help="the seed of chance (0)")
    given = parser.parse_args(arguments)
    wanted = names if given.only is None else given.only
    unknown = [name for name in wanted if name not in names]
    if unknown:
        parser.error(f"there is no simulation {unknown[0]}; possible: {'; '.join(names)}")
    folder = given.results or (None if given.quick else RESULTS)
    results = _before(folder)
    for one in SIMULATIONS:
        if one.name in wanted:
            _replace(results, one, given.seed, quick=given.quick)
            _keep(results, folder)
    if CHANCES in wanted:
        results.chances = calibration(60 if given.quick else CHANCE_RUNS, given.seed)
        _keep(results, folder)
    print(as_markdown(results, __doc__ or ""))
    if folder == RESULTS and PAGE.exists():
        put_tables(PAGE, results)
    missed = results.unexplained()
    if missed and not given.quick:
        said = [f"{one.simulation}, {one.case}: {one.coverage:.3f}" for one in missed]
        print("Too narrow:", *said, sep="\n  ", file=sys.stderr)
        return 1
    return 0


def _before(folder: Path | None) -> Results:
    """Begin with what was found before, so that single simulations can be tried again."""
    path = None if folder is None else folder / "coverage.json"
    if path is None or not path.exists():
        return Results()
    results = Results.of(json.loads(path.read_text()))
    known = {(one.name, name): case for one in SIMULATIONS for name, case in one.cases.items()}
    results.found = [
        _named(one, known[one.simulation, one.case])
        for one in results.found
        if (one.simulation, one.case) in known
    ]
    return results


def _named(one: Found, case: Case) -> Found:
    """Call what was found as it is called now."""
    said = verdict(one.coverage, one.error)
    return replace(
        one, kind=case.kind, about=case.about, unit=case.unit, why=case.narrow, verdict=said
    )


def _replace(results: Results, one: Simulation, seed: int, *, quick: bool) -> None:
    begin = time.perf_counter()
    fresh = found(one, one.simulate(one.few or 10 if quick else one.runs, seed))
    print(f"{one.name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr, flush=True)
    rest = [row for row in results.found if row.simulation != one.name]
    order = [simulation.name for simulation in SIMULATIONS]
    results.found = sorted([*rest, *fresh], key=lambda row: order.index(row.simulation))


def _keep(results: Results, folder: Path | None) -> None:
    if folder is None:
        return
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "coverage.md").write_text(as_markdown(results, __doc__ or ""))
    (folder / "coverage.json").write_text(json.dumps(results.data(), indent=1) + "\n")


def put_tables(page: Path, results: Results) -> None:
    """Put the tables into the page for users."""
    page.write_text(with_tables(page.read_text(), results))


def with_tables(text: str, results: Results) -> str:
    """Give the text of the page with these tables in it."""
    for name, lines in (("intervals", summed(results.found)), ("chances", kept(results.chances))):
        first, last = MARKS[name]
        before, begin, rest = text.partition(first)
        _, end, after = rest.partition(last)
        if begin and end:
            text = before + "\n".join([first, "", *lines, "", last]) + after
    return text


if __name__ == "__main__":
    sys.exit(main())
