"""Mutated files through ``check`` and one verb each: no traceback, no hang, nothing lost, no score.

    python -m tests.foreign.fuzz --cases 20000 --seed 1

Every case takes a small file of the documentation, of the examples or of the corpus beside this
module, damages it, and runs two commands in this process: ``check`` on it, and a verb drawn at
random. Four things must hold:

- the commands end by themselves with the exit code 0, 2 or 3 (1 only for a want of memory);
- neither takes more than ten seconds of processor time, or waits for five minutes;
- rows in = rows read + rows noted: where a form has one row a line, ``check`` counts as many rows
  as there are lines with something on them, the header aside, or a note says how many it left out;
- a file that ``check`` refuses as unknown gets no score from a verb that reads the same forms.

Failures are printed with their seed, and the files are left in ``--keep``. The exit code is 1 if
there was one.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
SEEDS = ("docs/files", "src/consilience/examples", "tests/foreign")
#: Files larger than this are no seeds: a case should take a fraction of a second.
LARGEST = 40_000
#: The processor time that one command may take.
SECONDS = 10.0
#: The time that it may take by the clock: more than a busy machine needs, for it may wait for ever.
WAIT = 300.0
#: Verbs that score a file as ``check`` reads it.
SCORING = (
    "rank",
    "rank-two",
    "rank-truth",
    "belief",
    "next",
    "distributions",
    "displacement",
    "convert",
)
OTHERS = ("soft", "agree", "align", "curve", "correlate", "tree", "export", "pack", "unpack")
NUMBER = re.compile(r"\d[\d,]*")
#: Forms with one row a line.
BY_LINE = ("TREC run", "TREC qrels", "list", "JSON lines, long table")


@dataclass(frozen=True, slots=True)
class Case:
    """One damaged file: where its damage comes from, and the verb that it is given to."""

    seed: int
    source: str
    name: str
    data: bytes
    mutations: tuple[str, ...]
    verb: str
    other: str


class TooSlowError(BaseException):
    """A command took more time than it may."""


Mutation = Callable[[bytes, random.Random], bytes]


def _lines(data: bytes) -> list[bytes]:
    return data.splitlines(keepends=True)


def _pick(data: bytes, rng: random.Random) -> tuple[list[bytes], int]:
    lines = _lines(data) or [b"\n"]
    return lines, rng.randrange(len(lines))


def drop_line(data: bytes, rng: random.Random) -> bytes:
    lines, at = _pick(data, rng)
    return b"".join(lines[:at] + lines[at + 1 :])


def double_line(data: bytes, rng: random.Random) -> bytes:
    lines, at = _pick(data, rng)
    return b"".join([*lines[: at + 1], *lines[at:]])


def shuffle_lines(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data)
    rng.shuffle(lines)
    return b"".join(lines)


def drop_header(data: bytes, rng: random.Random) -> bytes:
    return b"".join(_lines(data)[1:])


def cut_off(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


def cut_line(data: bytes, rng: random.Random) -> bytes:
    lines, at = _pick(data, rng)
    lines[at] = lines[at][: rng.randrange(len(lines[at]) + 1)] + b"\n"
    return b"".join(lines)


def swap_cells(data: bytes, rng: random.Random) -> bytes:
    lines, at = _pick(data, rng)
    mark = rng.choice([b",", b"\t", b" ", b";"])
    cells = lines[at].rstrip(b"\r\n").split(mark)
    rng.shuffle(cells)
    lines[at] = mark.join(cells) + b"\n"
    return b"".join(lines)


def swap_columns(data: bytes, rng: random.Random) -> bytes:
    mark = rng.choice([b",", b"\t", b" "])
    rows = [line.rstrip(b"\r\n").split(mark) for line in _lines(data)]
    width = min(map(len, rows), default=0)
    if width < 2:
        return data
    a, b = rng.sample(range(width), 2)
    for row in rows:
        row[a], row[b] = row[b], row[a]
    return b"\n".join(mark.join(row) for row in rows) + b"\n"


def other_separator(data: bytes, rng: random.Random) -> bytes:
    marks = [b",", b"\t", b" ", b";", b"|"]
    return data.replace(rng.choice(marks), rng.choice(marks))


def change_cell(data: bytes, rng: random.Random) -> bytes:
    lines, at = _pick(data, rng)
    mark = rng.choice([b",", b"\t", b" "])
    cells = lines[at].rstrip(b"\r\n").split(mark)
    odd = [b"", b"nan", b"inf", b"-1", b"1e999", b"0,5", b"yes", b"NULL", b'"', b"\xff", b"\0"]
    odd += [b"x" * 10_000, "é".encode(), b"=1+1", b"<b>", b"9" * 40]
    cells[rng.randrange(len(cells))] = rng.choice(odd)
    lines[at] = mark.join(cells) + b"\n"
    return b"".join(lines)


def insert_bytes(data: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(data) + 1)
    return data[:at] + bytes(rng.randrange(256) for _ in range(rng.randint(1, 8))) + data[at:]


def flip_bit(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def windows_lines(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def no_lines(data: bytes, rng: random.Random) -> bytes:
    return data.replace(b"\n", b" ")


def with_mark(data: bytes, rng: random.Random) -> bytes:
    return b"\xef\xbb\xbf" + data


def other_encoding(data: bytes, rng: random.Random) -> bytes:
    return data.decode(errors="replace").encode(rng.choice(["utf-16", "utf-16-le", "utf-32"]))


def capitals(data: bytes, rng: random.Random) -> bytes:
    return data.upper()


def add_title(data: bytes, rng: random.Random) -> bytes:
    return rng.choice([b"# made today\n", b"A title\n\n", b";; comment\n", b"\n\n"]) + data


def add_column(data: bytes, rng: random.Random) -> bytes:
    mark = rng.choice([b",", b"\t", b" "])
    return b"\n".join(line + mark + b"7" for line in data.splitlines()) + b"\n"


def rename_columns(data: bytes, rng: random.Random) -> bytes:
    lines = _lines(data) or [b""]
    for name in (b"item", b"query", b"score", b"system", b"gold", b"vote", b"label"):
        if rng.random() < 0.4:
            other = rng.choice([b"x", b"id", b"sentence", b"target", b"category", b"y_true"])
            lines[0] = lines[0].replace(name, other)
    return b"".join(lines)


def braces(data: bytes, rng: random.Random) -> bytes:
    return data.replace(rng.choice([b"{", b"}", b"[", b"]", b'"', b":"]), b"", rng.randint(1, 3))


MUTATIONS: tuple[Mutation, ...] = (
    *(drop_line, double_line, shuffle_lines, drop_header, cut_off, cut_line, swap_cells),
    *(swap_columns, other_separator, change_cell, insert_bytes, flip_bit, windows_lines),
    *(no_lines, with_mark, other_encoding, capitals, add_title, add_column, rename_columns),
    braces,
)


def seeds() -> list[Path]:
    """Return the files that cases are made of, in a fixed order."""
    found = (path for folder in SEEDS for path in sorted((ROOT / folder).rglob("*")))
    return [
        path
        for path in found
        if path.is_file()
        and path.stat().st_size <= LARGEST
        and path.suffix not in (".py", ".pyc")
        and "make" not in path.parts
    ]


def cases(first: int, step: int, last: int, seed: int) -> Iterator[Case]:
    """Return every ``step``-th case from the first on; a case depends on its number alone."""
    files = seeds()
    sorts = [[path for path in files if path.is_relative_to(ROOT / one)] for one in SEEDS]
    for number in range(first, last, step):
        rng = random.Random(f"{seed}-{number}")
        source = rng.choice(rng.choice(sorts))
        beside = [path for path in files if path.parent == source.parent]
        alike = [path for path in files if path.suffix == source.suffix]
        data = source.read_bytes()
        chosen = rng.choices(MUTATIONS, k=rng.choice([0, 1, 1, 1, 2, 3]))
        for mutation in chosen:
            data = mutation(data, rng)
        name = source.name if rng.random() < 0.8 else rng.choice(["x.txt", "x.csv", "x", "x.json"])
        yield Case(
            number,
            str(source.relative_to(ROOT)),
            name,
            data,
            tuple(one.__name__ for one in chosen),
            rng.choice(SCORING * 2 + OTHERS),
            str(rng.choice(rng.choice([beside, alike]))),
        )


def arguments(case: Case, path: Path) -> list[str]:
    """Return the command line of a case's verb."""
    saved = ["--json", "--no-save"]
    return {
        "rank": ["rank", str(path), *saved],
        "rank-two": ["rank", str(path), case.other, *saved],
        "rank-truth": ["rank", str(path), "--truth", case.other, *saved],
        "belief": ["belief", str(path), *saved],
        "next": ["next", str(path), "--budget", "3", *saved],
        "distributions": ["distributions", str(path), *saved],
        "soft": ["soft", case.other, str(path), *saved],
        "agree": ["agree", str(path), *saved],
        "align": ["align", str(path), "--truth", case.other, *saved],
        "curve": ["curve", str(path), *saved],
        "correlate": ["correlate", case.other, str(path), *saved],
        "displacement": ["displacement", "--subjects", case.other, str(path), *saved],
        "tree": ["tree", "--tree", str(path), "--assignments", case.other, *saved],
        "export": ["export", str(path), "-f", "csv"],
        "convert": ["convert", str(path), str(path.with_name("new.parquet"))],
        "pack": ["pack", str(path), "-o", str(path.with_name("new.zip"))],
        "unpack": ["unpack", str(path), str(path.with_name("new.db"))],
    }[case.verb]


def run(args: list[str]) -> tuple[int, str, str]:
    """Return the exit code of a command and what it wrote, run here within the time that it has."""
    from consilience.cli import main

    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    code = -1
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WAIT)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main(args)
            except SystemExit as ended:
                code = int(ended.code or 0)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode(errors="replace"))
    return code, texts[0], texts[1]


def try_case(case: Case, folder: Path, counts: Counter[str]) -> list[str]:
    """Return what is wrong with how a case went, nothing where all holds; count exit codes."""
    path = folder / case.name
    path.write_bytes(case.data)
    try:
        checked = run(["check", str(path), "--json"])
        for new in folder.glob("new.*"):
            new.unlink()
        used = run(arguments(case, path))
    except TooSlowError:
        return [f"more than {SECONDS:.0f} s of processor time, or {WAIT:.0f} s by the clock"]
    except BaseException as error:  # noqa: BLE001  what no user should meet
        return [f"{type(error).__name__}: {error}\n{traceback.format_exc()[-1500:]}"]
    wrong = []
    for verb, (code, _, err) in (("check", checked), (case.verb, used)):
        counts[f"{verb}: exit {code}"] += 1
        if code not in (0, 2, 3) or "Traceback" in err:
            wrong.append(f"{verb} ended with {code}: {err[-500:]}")
    if checked[0] == 0:
        wrong += _lost(case, json.loads(checked[1]))
    elif case.verb in SCORING and used[0] == 0:
        wrong.append(f"check refuses it ({checked[2][:200]!r}), and {case.verb} gives a result")
    return wrong


def _lost(case: Case, found: dict[str, Any]) -> list[str]:
    """Compare the rows that were read with the lines that the file has."""
    if len(found.get("files") or []) != 1:
        return []
    source = found["files"][0]
    form = source["recognised"]
    try:
        text = case.data.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        return []
    if form in BY_LINE:
        lines = sum(bool(line.strip()) for line in text.split("\n"))
    elif form.startswith(("CSV, ", "TSV, ")):
        mark = "," if form.startswith("CSV") else "\t"
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=mark)
        lines = sum(any(cell.strip() for cell in row) for row in rows) - 1
    else:
        return []
    noted = {int(number.replace(",", "")) for number in NUMBER.findall(" ".join(source["notes"]))}
    if "wide, annotators=" in source["why"]:  # a row for each annotator
        lines *= source["why"].partition("annotators=")[2].partition(";")[0].count(",") + 1
    if lines == source["rows"] or lines - source["rows"] in noted:
        return []
    return [
        f"{lines} lines with something on them, {source['rows']} rows read as {form}: "
        f"{source['notes']}"
    ]


def _worker(job: tuple[int, int, int, int, str]) -> tuple[Counter[str], list[str]]:
    """Run every n-th case; return counts of what happened, and the failures."""
    first, step, last, seed, keep = job
    os.environ["HOME"] = tempfile.mkdtemp(prefix="fuzz-home-")
    os.environ["XDG_DATA_HOME"] = os.environ["HOME"]

    def stop(*_: object) -> None:
        raise TooSlowError

    for alarm in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(alarm, stop)
    counts: Counter[str] = Counter()
    failures = []
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    for case in cases(first, step, last, seed):
        wrong = try_case(case, folder, counts)
        counts["cases"] += 1
        counts["failed" if wrong else "held"] += 1
        if wrong:
            kept = Path(keep) / f"{case.seed}-{case.name}"
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(case.data)
            what = f"{case.source} {'+'.join(case.mutations)} → {case.verb} ({kept})"
            failures.append("\n".join([f"case {case.seed}: {what}", *wrong]))
    shutil.rmtree(folder, ignore_errors=True)
    return counts, failures


def main() -> int:
    """Run the cases on all cores; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", default=str(Path(tempfile.gettempdir()) / "fuzz-failures"))
    given = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    last = given.first + given.cases
    jobs = [(given.first + n, cores, last, given.seed, given.keep) for n in range(cores)]
    with multiprocessing.get_context("spawn").Pool(cores) as pool:
        results = pool.map(_worker, jobs)
    counts = sum((one for one, _ in results), Counter[str]())
    failures = [failure for _, some in results for failure in some]
    for line in (*failures, *(f"{what}: {counts[what]:,}" for what in sorted(counts))):
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(
        f"{counts['held']:,} of {counts['cases']:,} cases held, {len(failures):,} failed\n"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
