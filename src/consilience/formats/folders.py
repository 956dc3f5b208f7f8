"""What a folder means, in every verb.

- A folder of *documents* (texts, key phrases, files of segments, boxes or tracks) is one system,
  called like the folder; its files are its documents.
- A folder of such folders is several systems.
- In a folder of *runs or tables* each file is read by itself.
- A column of systems, or the tag of a run, always says who answered.

Files that come with a folder (a README, a licence) are no system's.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from consilience.columns import Codes
from consilience.errors import InputError, Problem, Problems, UsageError
from consilience.formats.beside import folders_in, inside, is_beside, left_out
from consilience.formats.naming import short_names
from consilience.formats.rows import ONLY_QUERY, Rows

if TYPE_CHECKING:
    from consilience.formats.files import File

_LIST, _RUNS = "list", ("TREC run", "TREC qrels")
#: Forms whose files are documents in any case.
_DOCUMENTS = (
    *(_LIST, "RTTM", "label file", "boundaries", "boxes of an image", "boxes of an image (YOLO)"),
)
#: Forms that are tables or results, whatever they know.
_TABLES = ("COCO ground truth", "COCO results", "COCO results, one a line")


def unfolded(paths: Iterable[str | os.PathLike[str]]) -> list[str | os.PathLike[str]]:
    """Return paths, and for a folder that holds nothing but folders those in it."""
    made: list[str | os.PathLike[str]] = []
    for given in paths:
        made += _folders(given) or [given]
    return made


def check_mixed(folder: Path) -> None:
    """Refuse a folder of files and of folders with such files: either may be what is meant."""
    endings = {path.name.partition(".")[2] for path in inside(folder)}
    for one in folders_in(folder):
        if endings & {path.name.partition(".")[2] for path in inside(one)}:
            raise UsageError(
                f"{folder} holds files, and so does the folder {one.name} in it (fix: name what "
                f"is to be read, such as {one})"
            )


def _folders(given: str | os.PathLike[str]) -> list[str | os.PathLike[str]]:
    path = Path(given)
    try:
        if not str(given).strip() or not path.is_dir():
            return []
        if inside(path):
            check_mixed(path)
            return []
        children = sorted(one for one in path.iterdir() if one.is_dir())
    except (OSError, ValueError):
        return []
    return [one for one in children if not one.name.startswith(".")]


def by_folder(
    paths: Iterable[str | os.PathLike[str]], found: Iterable[Path]
) -> dict[Path, list[Path]]:
    """Return the files that were named by their folder, by folder."""
    folders = {Path(one).resolve(): Path(one) for one in paths if os.path.isdir(one)}
    made: dict[Path, list[Path]] = {}
    for path in found:
        folder = folders.get(path.resolve().parent)
        if folder is not None:
            made.setdefault(folder, []).append(path)
    return made


def read_as_one(
    tables: Sequence[Rows], folders: Mapping[Path, Sequence[Path]], problems: Problems
) -> list[Rows]:
    """Return tables, those of a folder of documents as one system's; notes say so."""
    made = list(tables)
    names = short_names(list(folders))
    owned: dict[str, None] = {}
    for folder, files in folders.items():
        mine = {str(path) for path in files}
        places = [place for place, rows in enumerate(tables) if rows.source.name in mine]
        some = [tables[place] for place in places]
        try:
            found = _of_folder(folder, some, names[folder])
        except InputError as error:
            problems.merge(error)
            continue
        owned |= dict.fromkeys(mine)
        for place, one in zip(places, found, strict=True):
            made[place] = one
    _check_named(tables, owned, problems)
    return made


def _of_folder(folder: Path, some: Sequence[Rows], name: str) -> Sequence[Rows]:
    """Read the tables of one folder as one system, or each by itself."""
    beside = left_out(folder)
    notes = [f"left out: {', '.join(beside)} (no answers of a system)"] if beside else []
    deeper = [f"{one.name}/" for one in folders_in(folder)]
    notes += [f"not read: {', '.join(deeper)} (name them to read them)"] if deeper else []
    kept: list[Rows] = list(some)
    if some and all(map(is_document, some)):
        _check_same(folder, some)
        if _are_alike(folder, some):
            own = f"the files of {folder} speak of the same documents: each is a system"
            return _noted(kept, [*notes, own] if len(some) > 1 else notes)
        files = "file, its document" if len(some) == 1 else f"{len(some):,} files, its documents"
        called = [str(place) for place in stems(some)]
        kept = [document(rows, name, stem) for rows, stem in zip(some, called, strict=True)]
        one = "system" if some[0].kind[0] == "system" else "respondent"
        return _noted(kept, [*notes, f"the folder {folder} is one {one} with {files}"])
    runs = any(rows.source.recognised in _RUNS for rows in some)
    strange = [rows for rows in some if runs and rows.source.recognised == _LIST]
    if strange:
        found = f"a list of lines in a folder of runs ({folder})"
        raise InputError(
            [Problem(rows.source.name, None, found, "move it elsewhere") for rows in strange]
        )
    return _noted(kept, notes)


def _check_same(folder: Path, some: Sequence[Rows]) -> None:
    """Refuse a list of lines among files of segments, boxes or tracks, such as names of classes."""
    lists = [rows for rows in some if rows.source.recognised == _LIST and len(rows)]
    other = next((rows for rows in some if rows.source.recognised != _LIST), None)
    if lists and other is not None:
        found = f"a list of lines, and other files of {folder} hold {other.source.recognised}"
        problems = [Problem(one.source.name, None, found, "move it elsewhere") for one in lists]
        raise InputError(problems)


def _check_named(tables: Sequence[Rows], owned: Collection[str], problems: Problems) -> None:
    """Refuse a README that was named beside runs, not found in a folder: its lines are no run."""
    if not any(rows.source.recognised in _RUNS for rows in tables):
        return
    for rows in tables:
        name = Path(rows.source.name).name
        if rows.source.recognised == _LIST and is_beside(name) and rows.source.name not in owned:
            found = "these are lines of text, and the other files are runs"
            problems.add(Problem(rows.source.name, None, found, "leave it out"))


def _noted(tables: Sequence[Rows], notes: Sequence[str]) -> list[Rows]:
    """Put notes to the first table."""
    if not tables or not notes:
        return list(tables)
    source = tables[0].source
    source = replace(source, notes=(*source.notes, *notes))
    return [replace(tables[0], source=source), *tables[1:]]


def is_document(rows: Rows) -> bool:
    """Tell whether a file is what one system says of one document, or of some."""
    from consilience.formats.shapes import kind_of_form

    form = rows.source.recognised
    if len(rows.respondent.names) > 1:
        return False
    if form in _DOCUMENTS:
        return True
    plain = rows.query.names == (ONLY_QUERY,) and form not in _TABLES
    return plain and kind_of_form(form) != "text" and "system" not in _known(rows)


def _known(rows: Rows) -> Mapping[str, str]:
    """Tell whether a column names the system."""
    stem = Path(rows.source.name).name.partition(".")[0]
    own = rows.respondent.names and not rows.respondent.names[0].startswith(stem)
    return {"system": ""} if own else {}


def _are_alike(folder: Path, some: Sequence[Rows]) -> bool:
    """Tell whether files are systems that speak of the same documents; some of them is an error."""
    told = [{*rows.query.names, *(query for _, query in rows.asked)} for rows in some]
    if len(some) < 2 or all(one == {ONLY_QUERY} for one in told):
        return False
    own = [one for one in told if one != {ONLY_QUERY}]
    if len(own) > 1 and len(own) == len(told) and all(one == own[0] for one in own):
        return True
    seen: dict[str, str] = {}
    for rows, names in zip(some, told, strict=True):
        for name in sorted(names - {ONLY_QUERY}):
            first = seen.setdefault(name, rows.source.name)
            if first != rows.source.name:
                raise InputError(
                    [
                        Problem(
                            rows.source.name,
                            None,
                            f"speaks of {name!r}, and so does {first}: the folder {folder} is "
                            "neither one system nor are its files systems",
                            "keep one file for each document, or name the files",
                        )
                    ]
                )
    return False


def document(rows: Rows, name: str, called: str) -> Rows:
    """Give a file to the system that its folder is."""
    alone = rows.query.names == (ONLY_QUERY,)
    asked = tuple((name, called if query == ONLY_QUERY else query) for _, query in rows.asked)
    return replace(
        rows,
        respondent=replace(rows.respondent, names=(name,) * len(rows.respondent.names)),
        query=Codes.constant(called, len(rows)) if alone else rows.query,
        asked=asked,
    )


def check_paired(
    answered: Mapping[Path, Sequence[Path]],
    judged: Mapping[Path, Sequence[Path]],
    tables: Sequence[Rows],
) -> None:
    """Refuse folders of lists that are no documents, whose files are called as those of the truth.

    Each file would be a system, and all files of the truth one truth.
    """
    bare = {rows.source.name: rows for rows in tables if _is_bare(rows)}
    for folder, mine in answered.items():
        for other, theirs in judged.items():
            names = {path.name for path in mine}
            if len(names) < 2 or names != {path.name for path in theirs}:
                continue
            if all(str(path) in bare for path in (*mine, *theirs)):
                form = bare[str(mine[0])].source.recognised
                found = f"files as in {other}, each a list of its own ({form}): a file a document?"
                fix = "write texts with one item a line, or one table with columns query and item"
                raise InputError([Problem(str(folder), None, found, fix)])


def _is_bare(rows: Rows) -> bool:
    """Tell a list without queries, which is no document by its form."""
    alone = rows.query.names == (ONLY_QUERY,) and len(rows.respondent.names) == 1
    text = rows.source.recognised.startswith(("JSON", "CSV", "TSV", "Parquet"))
    return alone and text and not is_document(rows) and len(rows.source.columns) < 2


def stems(tables: Sequence[Rows]) -> list[str]:
    """Call documents by their files, without endings where that tells them apart."""
    names = [Path(rows.source.name.removesuffix(".gz")) for rows in tables]
    stems = [name.stem for name in names]
    return stems if len({*stems}) == len(stems) else [str(name) for name in names]


def check_tables(
    paths: Iterable[str | os.PathLike[str]], encoding: str | None, *, fix: str = ""
) -> None:
    """Refuse folders of documents where files are read one by one, part by part.

    ``fix`` names another way, where there is one.
    """
    from consilience.formats import files, recognise

    for given in paths:
        path = Path(given)
        if not path.is_dir() or not (found := inside(path)):
            continue
        try:
            file: File = files.look(found[0], encoding=encoding)
            form = recognise.recognise(file).form
        except UsageError:
            continue
        if form in _DOCUMENTS:
            ways = [*([fix] if fix else []), f"name the files to read each by itself: {path}/*"]
            raise UsageError(
                f"{path} is a folder of documents, one system's (fix: {'; or '.join(ways)})"
            )
