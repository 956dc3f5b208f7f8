"""A benchmark in plain files: items, queries and every subject's answers, kept for systems to come.

A folder holds ``items.csv`` (item), ``queries.csv`` (query) and ``subjects.csv`` (query, subject,
item, relevance, and rank where subjects gave ranks, probability and round where items were drawn
for them, kind where some are language models); beside them, where there are any, ``tree.csv``
(category, parent) and ``assignments.csv`` (item, subject, category). The subjects' answers are kept
as they were given, one by one: nothing is averaged away, so that any system can be held against
each of them at any later time.

References
----------
S. Santini, "Benchmarking without ground truth", §6.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience import formats
from consilience.errors import Problem, Problems, UsageError, bad, quote
from consilience.study.build import build
from consilience.study.model import as_study
from consilience.study.stored import FILES, subject_rows, write_folder
from consilience.study.subjects import check_rows, subject_lists

if TYPE_CHECKING:
    from consilience.formats.rows import Rows
    from consilience.study.model import Study
    from consilience.study.repeats import Duplicates

_SUBJECTS = "make one with cs.read_subjects(files), or give the .study of a benchmark"
NEEDED = ("items.csv", "queries.csv", "subjects.csv")


@dataclass(frozen=True, slots=True, repr=False)
class Benchmark:
    """A stored benchmark: what can be found, what is asked, and what each subject answered.

    ``study`` holds the subjects' lists and no system; its universe is the number of items. ``tree``
    and ``assignments`` are rows as in their files, None where there are none.
    """

    folder: str
    items: tuple[str, ...]
    queries: tuple[str, ...]
    study: Study
    tree: tuple[tuple[str, str], ...] | None = None
    assignments: tuple[tuple[str, str, str], ...] | None = None
    tables: tuple[Rows, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        beside = [name for name in ("tree", "assignments") if getattr(self, name) is not None]
        return (
            f"<Benchmark {quote(self.folder)}: {len(self.items):,} items, "
            f"{len(self.queries):,} queries, {len(self.study.respondents):,} subjects"
            f"{', with ' if beside else ''}{' and '.join(beside)}>"
        )


def read_benchmark(folder: str | os.PathLike[str]) -> Benchmark:
    """Read a benchmark from its folder.

    Raises
    ------
    InputError
        Where a file is missing or broken, or where subjects name an item or a query that the
        benchmark does not hold; with the line.

    Examples
    --------
    >>> import tempfile
    >>> from consilience.study import study
    >>> made = study({"q": ["a"]}, truth={"q": {"b": 1, "c": 0.5}})
    >>> place = save_benchmark(tempfile.mkdtemp() + "/bench", made, items="abcde")
    >>> read_benchmark(place).items
    ('a', 'b', 'c', 'd', 'e')
    """
    path = Path(folder)
    if not path.is_dir():
        raise bad(str(path), None, "there is no such folder", "name a folder with items.csv")
    missing = [name for name in NEEDED if not (path / name).is_file()]
    if missing:
        found = f"the benchmark has no {', no '.join(missing)}"
        raise bad(str(path), None, found, f"a benchmark holds {', '.join(NEEDED)}")
    items = _names(path / "items.csv", "item")
    queries = _names(path / "queries.csv", "query")
    tables = formats.read_files([path / "subjects.csv"], kind="person")
    check_rows(tables, 1.0)
    _check_known(tables, items, queries)
    study = replace(build(tables), universe=len(items))
    subject_lists(study)
    assignments = _rows(path / "assignments.csv")
    _check_assigned(path / "assignments.csv", assignments, items)
    return Benchmark(
        str(path),
        tuple(items),
        tuple(queries),
        study,
        _rows(path / "tree.csv"),  # type: ignore[arg-type]
        assignments,  # type: ignore[arg-type]
        tuple(tables),
    )


def with_runs(
    benchmark: Benchmark,
    runs: Any,
    *,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "error",
) -> Study:
    """Put systems' answers beside a benchmark's subjects, for :func:`consilience.displacement`.

    An item that the benchmark does not hold keeps its place in a system's list: somebody who reads
    the list meets it there. No subject can have named it. It is counted and noted; a query that no
    subject answered is noted by :func:`consilience.displacement`.

    Parameters
    ----------
    benchmark
        The benchmark.
    runs
        Files, folders or globs as in :func:`consilience.read`, or what
        :func:`consilience.study` takes.
    columns, encoding, duplicates
        As in :func:`consilience.read`.
    """
    if not isinstance(benchmark, Benchmark):
        raise UsageError(
            f"with_runs takes a benchmark, found {type(benchmark).__name__} "
            "(fix: read one with cs.read_benchmark(folder))"
        )
    if isinstance(runs, (str, os.PathLike)):
        runs = [runs]
    if isinstance(runs, (list, tuple)) and all(isinstance(r, (str, os.PathLike)) for r in runs):
        tables = formats.read_files(runs, columns=columns, encoding=encoding)
    else:
        tables = formats.read_object(runs, name="runs", columns=columns)
    study = build([*tables, *benchmark.tables], duplicates=duplicates)
    return replace(
        study, universe=len(benchmark.items), notes=(*study.notes, *_strangers(study, benchmark))
    )


def _strangers(study: Study, benchmark: Benchmark) -> list[str]:
    """Count what systems name that the benchmark does not hold."""
    known, notes = set(benchmark.items), []
    names = set(study.items.names(np.unique(study.answers.item)))
    odd = sorted(names - known)
    if odd:
        one = len(odd) == 1
        notes.append(
            f"{len(odd):,} {'item' if one else 'items'} of the runs "
            f"{'is' if one else 'are'} not in the benchmark ({_some(odd)}): "
            f"{'it holds its place' if one else 'they hold their places'} and no subject named "
            f"{'it' if one else 'them'}"
        )
    return notes


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(quote, names[:3])) + (", …" if len(names) > 3 else "")


def save_benchmark(
    folder: str | os.PathLike[str],
    study: Study,
    *,
    items: Iterable[str] | None = None,
    queries: Iterable[str] | None = None,
    tree: Iterable[tuple[str, str]] | None = None,
    assignments: Iterable[tuple[str, str, str]] | None = None,
    scale: float = 1.0,
    overwrite: bool = False,
) -> Path:
    """Keep a study's subjects as a benchmark; systems' answers are not kept.

    The folder is written aside and then renamed: it is whole, or it is not there.

    Parameters
    ----------
    folder
        Where to; must not be there yet, unless ``overwrite``.
    study
        The study whose subjects are kept.
    items
        All items that systems can choose from; by default those that somebody mentioned.
    queries
        All queries; by default those that subjects answered.
    tree, assignments
        Rows (category, parent) and (item, subject, category), where there are any.
    scale
        Relevances are divided by it.
    overwrite
        Whether a benchmark that is there may be replaced.
    """
    as_study(study, "save_benchmark", fix=_SUBJECTS)
    target = Path(folder)
    _check_free(target, overwrite=overwrite)
    lists = subject_lists(study, scale=scale)
    named = study.items.names(np.arange(len(study.items)))
    every = list(dict.fromkeys(named if items is None else items))
    asked = [study.queries[code] for code in np.unique(lists.query).tolist()]
    listed = list(dict.fromkeys(asked if queries is None else queries))
    _check_covers("item", set(study.items.names(np.unique(lists.item))), every)
    _check_covers("query", set(asked), listed)
    tables = {
        "items.csv": [(item,) for item in every],
        "queries.csv": [(query,) for query in listed],
        "subjects.csv": subject_rows(study, scale),
    }
    if tree is not None:
        tables["tree.csv"] = [tuple(row) for row in tree]
    if assignments is not None:
        tables["assignments.csv"] = [tuple(row) for row in assignments]
    write_folder(target, tables)
    return target


def _check_free(target: Path, *, overwrite: bool) -> None:
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not overwrite:
        raise UsageError(f"{target} is there already (fix: another name, or overwrite=True)")
    strange = (
        sorted({one.name for one in target.iterdir()} - {*FILES}) if target.is_dir() else ["?"]
    )
    if strange:
        raise UsageError(
            f"{target} holds more than a benchmark ({_some(strange)}) and is not replaced "
            "(fix: another name)"
        )


def _check_covers(what: str, said: set[str], every: Sequence[str]) -> None:
    lacking = sorted(said - set(every))
    if lacking:
        kind = "items" if what == "item" else "queries"
        raise UsageError(
            f"subjects name {len(lacking):,} {kind} that the benchmark would not hold "
            f"({_some(lacking)}) (fix: add them to {kind}=)"
        )


def _table(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Read a CSV file: its header, and its rows with their lines."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=True)
            rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    except UnicodeDecodeError:
        raise bad(str(path), None, "the file is not UTF-8", "save it as UTF-8") from None
    except csv.Error as error:
        raise bad(str(path), None, f"the file is not CSV: {error}", "close every quote") from None
    if not rows:
        raise bad(
            str(path), None, "the file is empty", f"begin it with {','.join(FILES[path.name])}"
        )
    header = [cell.strip() for cell in rows[0][1]]
    lacking = [name for name in FILES[path.name] if name not in header]
    if lacking:
        found = f"no column {quote(lacking[0])}; found {', '.join(map(quote, header))}"
        raise bad(str(path), 1, found, f"begin the file with {','.join(FILES[path.name])}")
    problems = Problems()
    problems.many(
        [line for line, row in rows[1:] if len(row) != len(header)],
        lambda line: Problem(str(path), line, f"not {len(header)} cells", "mend the row"),
    )
    problems.raise_any()
    return header, rows[1:]


def _names(path: Path, column: str) -> list[str]:
    """Read a column of names that are all different; none is empty."""
    header, rows = _table(path)
    at, seen, problems = header.index(column), dict[str, int](), Problems()
    for line, row in rows:
        name = row[at]
        if not name.strip():
            problems.add(Problem(str(path), line, f"the {column} is empty", "name it"))
        elif name in seen:
            found = f"{column} {quote(name)} stands here twice, first on line {seen[name]}"
            problems.add(Problem(str(path), line, found, "keep one of the two"))
        seen.setdefault(name, line)
    problems.raise_any()
    if not seen:
        raise bad(str(path), None, "the file has a header and no rows", f"add a {column}")
    return list(seen)


def _rows(path: Path) -> tuple[tuple[str, ...], ...] | None:
    """Read a file's columns as rows; None where there is no file."""
    if not path.is_file():
        return None
    header, rows = _table(path)
    at = [header.index(name) for name in FILES[path.name]]
    return tuple(tuple(row[place] for place in at) for _, row in rows)


def _check_known(tables: Sequence[Rows], items: Sequence[str], queries: Sequence[str]) -> None:
    """See that subjects name nothing that the benchmark does not hold."""
    problems, every, asked = Problems(), set(items), set(queries)
    for rows in tables:
        code, names = rows.item.codes()
        known = np.array([name in every for name in names.to_pylist()], bool)
        query = np.array([name in asked for name in rows.query.names], bool)
        for what, right, file in (
            ("item", known[code], "items.csv"),
            ("query", query[rows.query.code], "queries.csv"),
        ):
            problems.many(
                np.flatnonzero(~right).tolist(),
                lambda row, rows=rows, what=what, file=file: _stranger(rows, row, what, file),  # type: ignore[misc]
            )
    problems.raise_any()


def _stranger(rows: Rows, row: int, what: str, file: str) -> Problem:
    name = rows.item[row] if what == "item" else rows.query.names[rows.query.code[row]]
    found = f"{what} {quote(name)} is not in {file}"
    return Problem(rows.source.name, rows.place(row), found, f"add it to {file}, or mend the row")


def _check_assigned(
    path: Path, rows: tuple[tuple[str, ...], ...] | None, items: Sequence[str]
) -> None:
    every = set(items)
    odd = [row[0] for row in rows or () if row[0] not in every]
    if odd:
        found = f"{len(odd):,} rows assign items that are not in items.csv: {_some(odd)}"
        raise bad(str(path), None, found, "add them to items.csv, or mend the rows")
