"""What kind of files are these? Looked at before anything is known of them, for ``check``.

Files may hold answers, as everywhere. They may also hold labels that are words, be trees of
categories, or a folder may be a stored benchmark: other verbs are for those.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from consilience import formats
from consilience.errors import InputError, UsageError
from consilience.formats.roles import assign, read_grade
from consilience.formats.sorts import is_tree
from consilience.study.benchmark import NEEDED
from consilience.study.build import build
from consilience.study.labels import labels_of

if TYPE_CHECKING:
    from consilience.study.model import Answers, Study
    from consilience.study.repeats import Duplicates

#: Running text has so many words a line or more, and its readings share so much of their words;
#: so many lines of each are looked at.
_WORDS, _ALIKE, _LINES = 5.0, 0.5, 500


def is_benchmark(path: str) -> bool:
    """Tell whether a folder is a stored benchmark."""
    return all((Path(path) / name).is_file() for name in NEEDED)


def without_trees(
    paths: Sequence[str], encoding: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Part trees of categories, also those in folders, from the other files.

    Returns
    -------
    tuple
        The trees, and the rest; a folder without a tree, and a stored benchmark, stay as they are
        named.
    """
    trees: list[str] = []
    rest: list[str] = []
    for path in paths:
        folder = Path(path)
        if is_benchmark(path):
            rest.append(path)
            continue
        inside = _inside(folder) if folder.is_dir() else [path]
        found = [one for one in inside if is_tree(one, encoding=encoding)]
        trees += found
        if not found:
            rest.append(path)
        elif folder.is_dir():
            rest += [one for one in inside if one not in found]
    return tuple(trees), tuple(rest)


def _inside(folder: Path) -> list[str]:
    """Name the files of a folder, hidden ones aside; none where it may not be read."""
    try:
        return [str(one) for one in sorted(folder.iterdir()) if _is_open_file(one)]
    except OSError:
        return []


def _is_open_file(path: Path) -> bool:
    return path.is_file() and not path.name.startswith(".")


def hold_categories(
    paths: Sequence[str], columns: Mapping[str, str], encoding: str | None
) -> list[str]:
    """Name the files in which people put items into categories."""
    found = []
    for path in paths:
        for labels in (False, True):
            try:
                tables = formats.read_files(
                    [path], columns=columns, encoding=encoding, labels=labels, lenient=True
                )
            except UsageError:
                continue
            if any(rows.category is not None for rows in tables):
                found.append(path)
            break
    return found


def as_words(
    files: Sequence[str],
    *,
    truth: Sequence[str],
    columns: Mapping[str, str],
    truth_columns: Mapping[str, str] | None = None,
    encoding: str | None,
    duplicates: Duplicates,
) -> Study | None:
    """Read labels that are words: those of the truth where there is one, else those of the files.

    Returns
    -------
    Study or None
        None where they are not words, or cannot be read as such either.
    """
    try:
        runs = truth and formats.read_files(files, columns=columns, encoding=encoding, lenient=True)
        people = formats.read_files(
            truth or files,
            kind="person",
            columns=(truth and truth_columns) or columns,
            encoding=encoding,
            labels=True,
            lenient=True,
        )
        made = build([*(runs or ()), *people], duplicates=duplicates)
    except (InputError, UsageError):
        return None
    return made if made.evidence.category is not None else None


def mostly_words(study: Study) -> bool:
    """Tell whether labels are words, and not votes with a few typing errors; nothing is ranked."""
    said = labels_of(study)
    words = [read_grade(name) is None for name in said.categories]
    count = np.bincount(said.category, minlength=len(words))
    roles = {role for source in study.sources for role in assigned(source.columns)}
    return 2 * count[words].sum() >= count.sum() and not {"score", "rank"} & roles


def assigned(columns: Sequence[str]) -> dict[str, str]:
    """Give the roles of columns; none where they cannot be told."""
    try:
        return assign(columns, {})
    except UsageError:
        return {}


def names_only(study: Study) -> bool:
    """Tell whether a table was read that names items, says nothing of them, and no respondent."""
    answers = study.answers
    silent = answers.vote is None and answers.score is None and answers.rank is None
    tables = [source for source in study.sources if source.recognised.endswith("long table")]
    nameless = any("respondent" not in assigned(source.columns) for source in tables)
    return silent and nameless and bool(answers.lists) and not study.evidence.lists


def is_shared(study: Study) -> bool:
    """Tell whether some word is a label of two annotators: then they did label."""
    said = labels_of(study)
    pairs = np.unique(np.stack([said.category, said.annotator]), axis=1)
    return bool((np.bincount(pairs[0]) > 1).any())


def is_running_text(study: Study) -> bool:
    """Tell whether plain lists are several readings of one text: long lines, much the same words.

    Examples
    --------
    >>> import consilience as cs
    >>> is_running_text(cs.study({"a": {"q": ["one item a line"]}, "b": {"q": ["one item"]}}))
    False
    """
    if {source.recognised for source in study.sources} != {"list"} or len(study.queries) != 1:
        return False
    texts = [*_lines(study, study.answers), *_lines(study, study.evidence)]
    bags = [Counter(word for line in text for word in line.split()) for text in texts]
    lines = sum(map(len, texts))
    if len(bags) < 2 or sum(bag.total() for bag in bags) < _WORDS * lines:
        return False
    first, *others = bags
    return all((first & bag).total() >= _ALIKE * max(first.total(), bag.total()) for bag in others)


def _lines(study: Study, answers: Answers) -> list[list[str]]:
    """Give the first lines of each list."""
    spans = zip(answers.starts[:-1].tolist(), answers.starts[1:].tolist(), strict=True)
    return [study.items.names(answers.item[start:end][:_LINES]) for start, end in spans]
