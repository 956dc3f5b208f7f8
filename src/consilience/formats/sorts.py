"""Files that hold no answers: trees of categories, told by how they begin.

Whoever looks at a folder for the first time names whatever is in it. A tree that was read as a list
of items would be taken for a system's answers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from consilience.errors import ConsilienceError
from consilience.formats import documents, files, recognise
from consilience.formats.files import File
from consilience.formats.links import COLUMNS, are_links, plain

#: Larger documents, in bytes, are no trees.
_MOST = 1 << 24
_DELIMITERS = (",", "\t", ";", "|")
_FILE_NAME = re.compile(r"\.\w{2,4}$")


def is_tree(
    path: str | os.PathLike[str], *, encoding: str | None = None, name: str | None = None
) -> bool:
    r"""Tell whether a file is a tree of categories.

    It is one where a table has columns of categories and of their parents, and none of items; where
    most lines are paths such as ``animal/dog``; where a JSON document nests names and nothing else.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "tree.csv"
    >>> _ = file.write_text("category,parent\nanimal,\ndog,animal\n")
    >>> is_tree(file)
    True
    """
    if not Path(path).is_file():
        return False
    try:
        file = files.look(Path(path), encoding=encoding, name=name)
        if file.encoding == "parquet":
            import pyarrow.parquet as pq

            return are_links(pq.read_schema(file.path).names)
        return _is_text_tree(file)
    except (ConsilienceError, OSError, ValueError):
        return False  # the reader says what is wrong


def _is_text_tree(file: File) -> bool:
    codec = "utf-8-sig" if file.encoding == "utf-8" else file.encoding
    lines = [one for one in file.head.decode(codec, errors="replace").splitlines() if one.strip()]
    if not lines:
        return False
    if lines[0].lstrip().startswith(("{", "[")):
        return _is_nested(file)
    cells = [recognise.cells(lines[0], mark) for mark in _DELIMITERS if mark in lines[0]]
    if any(are_links(header) for header in cells):
        return True
    if plain(lines[0]) in COLUMNS["path"]:
        return True
    whole = lines if len(file.head) < files.HEAD else lines[:-1]
    return _are_paths(whole) and recognise.recognise(file, columns={}).form == "list"


def _are_paths(lines: Sequence[str]) -> bool:
    """Tell whether lines are paths of categories, not addresses, nor names of files.

    Some path goes on where another one ends, or has three parts: lists of names such as
    ``10.1145/3397271`` or ``torvalds/linux`` do not.

    Examples
    --------
    >>> _are_paths(["animal", "animal/dog"]), _are_paths(["animal/dog/poodle", "animal/cat"])
    (True, True)
    >>> _are_paths(["a/1.png", "a/2.png"]), _are_paths(["torvalds/linux", "torvalds/subsurface"])
    (False, False)
    """
    paths = [line.strip() for line in lines if "/" in line and "://" not in line]
    roots = {path.partition("/")[0] for path in paths}
    named = sum(bool(_FILE_NAME.search(path)) for path in paths)
    whole = {line.strip() for line in lines}
    deep = any(path.count("/") > 1 or path.rpartition("/")[0] in whole for path in paths)
    enough = bool(paths) and 2 * len(paths) >= len(lines) and "" not in roots
    return enough and deep and len(roots) < len(lines) and 2 * named < len(paths)


def _is_nested(file: File) -> bool:
    """Tell whether a JSON document nests names and nothing else, or holds rows of links."""
    if file.path.stat().st_size > _MOST:
        return False
    try:
        data = documents.load(file)
    except ConsilienceError:  # perhaps one object a line
        first = file.head.decode(errors="replace").splitlines()[0]
        return '"parent"' in first and '"category"' in first
    rows = data if isinstance(data, list) else [data]
    if all(isinstance(row, dict) for row in rows):
        if rows and all(are_links(list(row)) for row in rows):
            return True
        if any(isinstance(row.get("children"), list) for row in rows):
            return True
    return isinstance(data, dict) and _has_leaves(data, 0) and _names_only(data)


def _has_leaves(data: Any, level: int) -> bool:
    """Tell whether a nested document has an empty end deep inside: answers do not look so."""
    if isinstance(data, dict):
        return any(
            (level > 0 and one == {}) or _has_leaves(one, level + 1) for one in data.values()
        )
    return False


def _names_only(data: Any) -> bool:
    if isinstance(data, dict):
        return all(map(_names_only, data.values()))
    if isinstance(data, list):
        return all(isinstance(one, str) for one in data)
    return isinstance(data, str)
