"""Measure, print, keep the results, and fail where a bar is missed."""

from __future__ import annotations

import argparse
import inspect
import sys
import tempfile
from pathlib import Path

from bench.bars import FULL, QUICK
from bench.report import as_markdown, write
from bench.sections import SECTIONS

RESULTS = Path(__file__).parent / "results"


def main(arguments: list[str] | None = None) -> int:
    """Run the sections that were asked for; 1 where a bar was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "sections", nargs="*", metavar="section", help=f"one of {', '.join(SECTIONS)}"
    )
    parser.add_argument("--quick", action="store_true", help="small inputs; bars are not judged")
    parser.add_argument(
        "--results", type=Path, help="where to keep results (with --quick: nowhere)"
    )
    given = parser.parse_args(arguments)
    unknown = [name for name in given.sections if name not in SECTIONS]
    if unknown:
        parser.error(f"there is no section {unknown[0]}; possible: {', '.join(SECTIONS)}")
    results = given.results or (None if given.quick else RESULTS)
    missed = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        cache = None if given.quick else Path(kept)
        for name in given.sections or SECTIONS:
            section = SECTIONS[name]
            about = inspect.getdoc(section) or ""
            rows, bars = section(QUICK if given.quick else FULL, Path(folder), cache)
            print(as_markdown(name, about, rows, bars), flush=True)
            if results:
                write(results, name, about, rows, bars)
            missed += [f"{name}: {bar}" for bar in bars if not bar.met]
    if missed and not given.quick:
        print("Missed:", *missed, sep="\n  ", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
