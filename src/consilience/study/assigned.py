"""Assignments: which subject put which item into which category of a tree.

They make a study like any other: its evidence says who said what, in the column ``category``, and
``study.categories`` are the tree's. What nobody could tell is -1. Every name is checked here, once,
with its file and line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes
from consilience.errors import Problem, Problems, UsageError, quote, unknown
from consilience.formats import assigning, check_mapping
from consilience.study.build import build
from consilience.study.model import Study
from consilience.study.repeats import DUPLICATES
from consilience.study.taxonomy import Tree
from consilience.study.taxonomy import tree as made_tree

if TYPE_CHECKING:
    from consilience.formats.rows import Kind, Rows
    from consilience.study.repeats import Duplicates

#: What may be done about a subject's second answer: every mention an item of its own is none.
_DUPLICATES = ("error", "first", "last")


def read_assignments(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    tree: Any,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "error",
) -> Study:
    """Read who put which item into which category of a tree.

    Parameters
    ----------
    paths
        Files, folders or globs: tables (CSV, TSV, JSON lines, Parquet) with the columns item,
        subject (annotator, worker, …) and category (label, class), or with the column item and one
        column of categories for each subject. A file without subjects is one subject's.
    tree
        The tree that categories are of, or anything that :func:`consilience.tree` takes.
    columns
        Role → column, where names do not say it: ``{"category": "choice"}``.
    encoding
        The text encoding, where it is not UTF-8.
    duplicates
        What to do when a subject puts an item into two categories: "error", or the "first" or
        "last" answer counts. The same answer twice is counted once.

    Returns
    -------
    Study
        One without systems. An empty category, "?", "cannot tell", "unknown", "n/a" and so on are
        missing answers, unless the tree has a category of that name; items that have no other
        answers stay.

    Raises
    ------
    InputError
        With every problem of every file, categories that the tree does not have among them.
    """
    listed = [paths] if isinstance(paths, (str, os.PathLike)) else [*paths]
    if not listed:
        raise UsageError("there are no assignments to read (fix: name at least one file)")
    known = made_tree(tree)
    tables = assigning.read_files(
        listed, columns=columns or {}, encoding=encoding, knows=known.__contains__
    )
    return of_tables(tables, known, duplicates)


def read_labels(
    paths: Iterable[str | os.PathLike[str]],
    *,
    tree: Any,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "error",
) -> Study:
    """Read labels that are categories of a tree, as :func:`consilience.agree` takes them.

    They are read as :func:`read_assignments` reads them, but everybody is an annotator, an item
    under two queries is two items, and every way with duplicates is open.
    """
    known = made_tree(tree)
    tables = assigning.read_files(
        paths, columns=columns or {}, encoding=encoding, knows=known.__contains__, queries=True
    )
    if duplicates not in DUPLICATES:
        raise unknown("way with duplicates", str(duplicates), DUPLICATES)
    people = [replace(rows, kind=tuple(map(_annotator, rows.kind))) for rows in tables]
    return build(_checked(people, known), duplicates=duplicates)


def _annotator(kind: Kind) -> Kind:
    return "person" if kind == "system" else kind


def assignments(
    data: Any,
    *,
    tree: Any,
    columns: Mapping[str, str] | None = None,
    duplicates: Duplicates = "error",
) -> Study:
    """Make a study of assignments that Python users hold.

    Parameters
    ----------
    data
        A frame, rows or a dict with the columns item, subject and category, or with a column of
        categories for each subject; ``{subject: {item: category}}``; or a path.
    tree, columns, duplicates
        As in :func:`read_assignments`.

    Examples
    --------
    >>> from consilience.study.taxonomy import tree
    >>> animals = tree({"animal": {"dog": {}, "cat": {}}})
    >>> said = {"ann": {"x": "dog", "y": "cannot tell"}, "bob": {"x": "animal", "y": "dog"}}
    >>> study = assignments(said, tree=animals)
    >>> study.categories, study.evidence.category.tolist()
    (('animal', 'dog', 'cat'), [1, -1, 0, 1])
    >>> assignments({"ann": {"x": "dgo"}}, tree=animals)
    Traceback (most recent call last):
    consilience.errors.InputError: assignments: row 1: the tree has no category 'dgo' (fix: did ...
    """
    if isinstance(data, (str, os.PathLike)):
        return read_assignments(data, tree=tree, columns=columns, duplicates=duplicates)
    given, known = assigning.by_role(columns or {}), made_tree(tree)
    tables = assigning.of_object(data, name="assignments", columns=given, knows=known.__contains__)
    check_mapping(given, [column for rows in tables for column in rows.source.columns])
    return of_tables(tables, known, duplicates)


def as_given(assigned: Any, tree: Any, results: Any = None) -> tuple[Study, Tree, Study | None]:
    """Take assignments, their tree and systems' answers as they come: ready, as data, as files.

    Examples
    --------
    >>> study, animals, runs = as_given({"ann": {"x": "dog"}}, {"animal": {"dog": {}}})
    >>> study.categories, animals, runs
    (('animal', 'dog'), <Tree: 2 categories, 1 root, depth 1>, None)
    """
    from consilience.study import read, study

    known = made_tree(tree)
    if not isinstance(assigned, Study):
        several = isinstance(assigned, (list, tuple)) and all(map(_is_path, assigned))
        reading = read_assignments if several or _is_path(assigned) else assignments
        assigned = reading(assigned, tree=known)
    if results is not None and not isinstance(results, Study):
        several = isinstance(results, (list, tuple)) and all(map(_is_path, results))
        results = read(results) if several or _is_path(results) else study(results)
    return assigned, known, results


def _is_path(given: object) -> bool:
    return isinstance(given, (str, os.PathLike))


def of_tables(tables: Sequence[Rows], tree: Tree, duplicates: Duplicates) -> Study:
    """Make a study of tables of assignments; every category must be one of the tree's."""
    if duplicates not in _DUPLICATES:
        raise unknown("way with duplicates", str(duplicates), _DUPLICATES)
    return build(_checked(tables, tree), duplicates=duplicates)


def _checked(tables: Sequence[Rows], tree: Tree) -> list[Rows]:
    """See that every category is one of the tree's; all problems are raised in one go."""
    problems = Problems()
    checked = [_recoded(rows, tree, problems) for rows in tables]
    problems.raise_any()
    return checked


def _recoded(rows: Rows, tree: Tree, problems: Problems) -> Rows:
    """Number categories as the tree does; what it does not have is a problem of its rows."""
    said = rows.category
    assert said is not None
    for name, kind in zip(rows.respondent.names, rows.kind, strict=True):
        if kind == "system":
            found = f"{quote(name)} is called a system; here everybody is a subject"
            fix = "write person, llm or gold, or leave the column out"
            problems.add(Problem(rows.source.name, None, found, fix))
    missing, wrong = len(tree), -1
    to = np.array([_code(name.strip(), tree, missing, wrong) for name in said.names], np.int32)
    code = to[said.code]
    mine = Problems()
    mine.many(
        np.flatnonzero(code == wrong).tolist(),
        lambda row: _unknown(rows, row, said.names[said.code[row]].strip(), tree),
    )
    problems.merge(mine.sorted())
    return replace(rows, category=Codes(code, (*tree.names, "")))


def _code(name: str, tree: Tree, missing: int, wrong: int) -> int:
    if name and name in tree:
        return tree.code(name)
    return missing if assigning.is_missing(name) else wrong


def _unknown(rows: Rows, row: int, name: str, tree: Tree) -> Problem:
    """Say that a category is none of the tree, and which one was probably meant."""
    line = rows.place(row)
    found = f"the tree has no category {quote(name)}"
    if line is None:
        found = f"row {row % rows.source.rows + 1}: {found}"
    near = tree.nearest(name)
    meant = f"did you mean {quote(near)}? otherwise" if near else "correct it, or"
    fix = f"{meant} add it to the tree, or leave the cell empty for no answer"
    return Problem(rows.source.name, line, found, fix)
