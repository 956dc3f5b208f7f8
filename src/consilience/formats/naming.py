"""Respondents of different files that carry one name, told apart by their files' names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from consilience.formats.files import stem_of
from consilience.formats.rows import Rows


def tell_apart(tables: Sequence[Rows]) -> list[Rows]:
    """Name respondents after their files where several files carry one name for the same queries.

    This holds for runs, whose tag may be anything, and for files that name no respondent and are
    called by their own name, and for wide tables with one column of votes, whose name may be that
    of a question ("Survived"). Where a table has a column of respondents, one name is one
    respondent, in however many files. One run cut into files by query stays one run.
    """
    after_file = [rows for rows in tables if _is_named_by_run_or_file(rows)]
    clashing = _clashing(after_file)
    paths = {one.source.name: Path(one.source.name) for one in after_file if id(one) in clashing}
    called = short_names(list(paths.values()))
    return [
        _renamed(rows, called[paths[rows.source.name]]) if id(rows) in clashing else rows
        for rows in tables
    ]


def _is_named_by_run_or_file(rows: Rows) -> bool:
    stem = stem_of(Path(rows.source.name).name)
    alone = rows.source.recognised.endswith("wide table") and len(rows.respondent.names) == 1
    return rows.source.recognised == "TREC run" or rows.respondent.names == (stem,) or alone


def _clashing(tables: Sequence[Rows]) -> set[int]:
    """Find the tables that share a respondent's name and a query with another file's."""
    by_name: dict[str, list[Rows]] = defaultdict(list)
    for rows in tables:
        for name in rows.respondent.names:
            by_name[name].append(rows)
    clashing: set[int] = set()
    for several in by_name.values():
        owner: dict[str, Rows] = {}
        for rows in several if len(several) > 1 else ():
            for query in rows.query.names:
                first = owner.setdefault(query, rows)
                if first.source.name != rows.source.name:
                    clashing |= {id(first), id(rows)}
    return clashing


def short_names(paths: Sequence[Path]) -> dict[Path, str]:
    """Give each path the shortest end of it, without ending, that no other path has.

    Examples
    --------
    >>> short_names([Path("x/a/run.txt"), Path("x/b/run.txt"), Path("c/bm25.run")])
    {...: 'a/run', ...: 'b/run', ...: 'bm25'}
    """
    names: dict[Path, str] = {}
    for stem in dict.fromkeys(stem_of(path.name) for path in paths):
        same = [path for path in paths if stem_of(path.name) == stem]
        names |= _ends(same, stem) or {path: str(path) for path in same}
    return {path: names[path] for path in paths}


def _ends(paths: Sequence[Path], stem: str) -> dict[Path, str] | None:
    """Put as many folders before the stem as tell the paths apart; their endings, if need be."""
    for depth in range(max(len(path.parts) for path in paths)):
        for last in (stem, None):
            ends = {path: "/".join([*_folders(path, depth), last or path.name]) for path in paths}
            if len({*ends.values()}) == len(paths):
                return ends
    return None


def _folders(path: Path, depth: int) -> tuple[str, ...]:
    return path.parts[:-1][-depth:] if depth else ()


def _renamed(rows: Rows, stem: str) -> Rows:
    tags = rows.respondent.names
    names = (stem,) if len(tags) == 1 else tuple(f"{stem}:{tag}" for tag in tags)
    if names == tags:
        return rows
    said = f"named {', '.join(names)} after the file"
    note = f"{said}: other files carry the name {', '.join(tags)} too"
    source = replace(rows.source, notes=(*rows.source.notes, note))
    return replace(rows, source=source, respondent=replace(rows.respondent, names=names))
