"""What individual subjects answered: for each query a ranked list with relevances.

A *subject* is anyone whose answers a system is compared with, one at a time: a person, a language
model, a gold file. The list of a subject follows the subject's ranks where there are any, else the
relevances, highest first, and rows of equal relevance as they were given. A list without
relevances (ranks only, names only) says 1 of every item that it names.

- Relevances lie in [0, 1]; grades on another scale are divided by ``scale``.
- A rank decides. A relevance that rises with the rank contradicts it and is an error.
- Items of equal relevance that no rank tells apart are *tied*.
- "Cannot tell" is no part of a list: such answers are left out and counted.
- Items of relevance 0 hold their place at the end of a list and weigh nothing.

References
----------
S. Santini, "Benchmarking without ground truth", §5, eq. 15 and 19.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience import formats
from consilience.errors import Problem, Problems, UsageError, quote
from consilience.formats.aside import is_it
from consilience.formats.rows import ONLY_QUERY
from consilience.study.build import build

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.rows import Rows
    from consilience.study.model import Study
    from consilience.study.repeats import Duplicates

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
#: How many queries of each side a message shows.
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class SubjectLists:
    """Every subject's lists: list ``l`` is what ``names[subject[l]]`` answered to ``query[l]``.

    Its rows are ``starts[l]`` to ``starts[l + 1] - 1``, best first. Rows of a list with the same
    number in ``group`` are tied. ``left_out`` counts answers that said "cannot tell".
    """

    names: tuple[str, ...]
    subject: NDArray[np.int64]
    query: NDArray[np.int64]
    starts: NDArray[np.int64]
    item: NDArray[np.int64]
    relevance: NDArray[np.float64]
    group: NDArray[np.int64]
    left_out: int = 0

    def __len__(self) -> int:
        return len(self.subject)

    def list_of_row(self) -> NDArray[np.int64]:
        """Give the list of every row."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def tied(self) -> NDArray[np.bool_]:
        """Tell which rows share their place with others (rows that weigh nothing do not)."""
        same = np.zeros(len(self.group), bool)
        np.equal(self.group[1:], self.group[:-1], out=same[1:])
        same[:-1] |= same[1:]
        return same & (self.relevance > 0)


def read_subjects(
    subjects: Paths,
    *,
    runs: Paths = (),
    scale: float = 1.0,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "error",
) -> Study:
    r"""Read subjects' lists, and the runs of systems beside them, into a study.

    Parameters
    ----------
    subjects
        Files with rows ``query, subject, item, relevance`` (or ``rank``, or both).
    runs
        The systems' answers, as in :func:`consilience.read`.
    scale
        The highest relevance that subjects could give. The study keeps what was given;
        :func:`consilience.displacement` divides by the same number.
    columns, encoding, duplicates
        As in :func:`consilience.read`.

    Raises
    ------
    InputError
        With the line of every relevance outside [0, scale], of every item that a subject names
        twice, and of every relevance that rises with the rank.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "subjects.csv"
    >>> _ = file.write_text("query,subject,item,relevance\nq,Ann,a,1\nq,Ann,b,7\n")
    >>> read_subjects(file)
    Traceback (most recent call last):
    consilience.errors.InputError: ...subjects.csv:3: relevance must be in [0, 1], found 7 (fix: ...
    """
    given = formats.read_files(
        _listed(subjects), kind="person", columns=columns, encoding=encoding, lenient=True
    )
    check_rows(given, scale)
    systems = _listed(runs)
    tables = (
        formats.read_files(systems, columns=columns, encoding=encoding, lenient=True)
        if systems
        else []
    )
    seen = [column for rows in (*tables, *given) for column in rows.source.columns]
    formats.check_mapping(columns or {}, list(dict.fromkeys(seen)))
    return build([*tables, *given], duplicates=duplicates)


def _listed(paths: Paths) -> list[str | os.PathLike[str]]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def check_rows(tables: Sequence[Rows], scale: float) -> None:
    """See that what subjects said makes lists; all problems are raised with their lines."""
    check_scale(scale)
    problems = Problems()
    for rows in tables:
        found = Problems()
        if scale != 1 and rows.grade is None and rows.vote is None:
            found.add(Problem(rows.source.name, None, *_nothing_to_divide(scale)))
        _check_range(rows, scale, found)
        _check_repeats(rows, found)
        _check_ranks(rows, found)
        problems.merge(found.sorted())
    problems.raise_any()


def check_scale(scale: float) -> None:
    """See that relevances can be divided by a scale."""
    if isinstance(scale, bool) or not 0 < scale < float("inf"):
        raise UsageError(
            f"a scale is the highest relevance that a subject can give, found {quote(scale)} "
            "(fix: --scale 3)"
        )


def _nothing_to_divide(scale: float) -> tuple[str, str]:
    """Say that a scale has nothing to work on, and what to do."""
    found = f"subjects gave no relevances that could be divided by {scale:g}"
    return found, "leave --scale out, every item that they name weighs 1; or write relevances"


def said_of(
    grade: NDArray[np.float64] | None, vote: NDArray[np.float64] | None, rows: int
) -> NDArray[np.float64]:
    """What was said of items: grades, else votes, else yes."""
    if grade is None:
        return np.ones(rows) if vote is None else vote
    return grade if vote is None else np.where(np.isnan(grade), vote, grade)


def _check_range(rows: Rows, scale: float, problems: Problems) -> None:
    said = said_of(rows.grade, rows.vote, len(rows))
    wrong = np.flatnonzero((said < 0) | (said > scale))
    most = float(np.fmax.reduce(said, initial=0.0))
    fix = f"--scale {most:g}" if most > scale else "write 0"
    problems.many(
        wrong.tolist(),
        lambda row: Problem(
            rows.source.name,
            rows.place(row),
            f"relevance must be in [0, {scale:g}], found {said[row]:g}",
            f"{fix}, or mend the row" if said[row] > scale else "write 0, or mend the row",
        ),
    )


def _list_codes(rows: Rows) -> NDArray[np.int64]:
    return rows.respondent.code.astype(np.int64) * max(len(rows.query.names), 1) + rows.query.code


def _check_repeats(rows: Rows, problems: Problems) -> None:
    """Find items that a subject names twice for one query."""
    item, names = rows.item.codes()
    key = _list_codes(rows) * max(len(names), 1) + item
    by = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[by[1:]] == key[by[:-1]])
    pairs = sorted(zip(by[again + 1].tolist(), by[again].tolist(), strict=True))
    problems.many(
        pairs,
        lambda pair: Problem(
            rows.source.name,
            rows.place(pair[0]),
            f"{_who(rows, pair[0])} names item {quote(rows.item[pair[0]])} twice"
            + (f", first on line {line}" if (line := rows.place(pair[1])) else ""),
            is_it(rows.source.who, "subject") if rows.source.who else "keep one of the two rows",
        ),
    )


def _who(rows: Rows, row: int) -> str:
    who = quote(rows.respondent.names[rows.respondent.code[row]])
    query = rows.query.names[rows.query.code[row]]
    return who if query == ONLY_QUERY else f"{who} on query {quote(query)}"


def _check_ranks(rows: Rows, problems: Problems) -> None:
    """Find relevances that rise with the rank."""
    if rows.rank is None or (rows.grade is None and rows.vote is None):
        return
    said = said_of(rows.grade, rows.vote, len(rows))
    risen = _risen(_list_codes(rows), rows.rank, said)
    problems.many(
        risen,
        lambda pair: Problem(
            rows.source.name,
            rows.place(pair[0]),
            f"relevance {said[pair[0]]:g} at rank {rows.rank[pair[0]]} is higher than "  # type: ignore[index]
            f"{said[pair[1]]:g} at rank {rows.rank[pair[1]]} of the same list",  # type: ignore[index]
            "a subject's relevances fall with the ranks: mend one of the two, "
            "or leave the column of ranks out",
        ),
    )


def _risen(
    where: NDArray[np.int64], rank: NDArray[np.integer], said: NDArray[np.float64]
) -> list[tuple[int, int]]:
    """Find rows that say more than the row ranked before them in their list, and that row."""
    rows = np.flatnonzero((rank > 0) & ~np.isnan(said))
    by = rows[np.lexsort((-said[rows], rank[rows], where[rows]))]
    last, this = by[:-1], by[1:]
    risen = (where[last] == where[this]) & (said[this] > said[last]) & (rank[this] > rank[last])
    return sorted(zip(this[risen].tolist(), last[risen].tolist(), strict=True))


def subject_lists(study: Study, *, scale: float = 1.0) -> SubjectLists:
    """Take the subjects' lists out of a study: everybody who is not a system is a subject.

    Parameters
    ----------
    study
        The study.
    scale
        Relevances are divided by it.

    Examples
    --------
    >>> from consilience.study import study
    >>> said = {"query": ["q"] * 3, "subject": ["Ann"] * 3, "item": ["a", "b", "c"]}
    >>> made = study({"s": {"q": ["a"]}}, truth={**said, "relevance": [0.2, 0.9, 0.2]})
    >>> lists = subject_lists(made)
    >>> made.items.names(lists.item), lists.relevance.tolist(), lists.tied().tolist()
    (['b', 'a', 'c'], [0.9, 0.2, 0.2], [False, True, True])
    """
    check_scale(scale)
    evidence = study.evidence
    if not evidence.lists:
        raise UsageError(
            "there are no subjects' lists to compare with "
            "(fix: name a file of query, subject, item, relevance with --subjects)"
        )
    if unordered(study) and evidence.score is not None:
        raise UsageError(
            "subjects gave scores, but neither relevances nor ranks (fix: if the scores are "
            "relevances from 0 to 1, say so: --columns grade=score)"
        )
    if scale != 1 and evidence.grade is None and evidence.vote is None:
        raise UsageError("{} (fix: {})".format(*_nothing_to_divide(scale)))
    said = said_of(evidence.grade, evidence.vote, len(evidence))
    rank = evidence.rank if evidence.rank is not None else np.zeros(len(evidence), np.int64)
    where = evidence.list_of_row()
    _check_said(study, said, rank, where, scale)
    rows = np.flatnonzero(~np.isnan(said))
    rows = rows[np.lexsort((-said[rows], rank[rows], where[rows]))]
    fresh = np.ones(len(rows), bool)
    for column in (where, rank, said):
        fresh[1:] = fresh[1:] & (column[rows[1:]] == column[rows[:-1]])
    fresh[1:] = ~fresh[1:]
    who, subject = np.unique(evidence.respondent, return_inverse=True)
    counts = np.bincount(where[rows], minlength=evidence.lists)
    return SubjectLists(
        tuple(study.respondents.names[code] for code in who.tolist()),
        subject.astype(np.int64),
        evidence.query.astype(np.int64),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        evidence.item[rows].astype(np.int64),
        said[rows] / scale,
        np.cumsum(fresh),
        len(said) - len(rows),
    )


def unordered(study: Study) -> bool:
    """Tell whether subjects named items and said nothing else: no relevance, no rank."""
    evidence = study.evidence
    return evidence.grade is None and evidence.vote is None and evidence.rank is None


def _check_said(
    study: Study,
    said: NDArray[np.float64],
    rank: NDArray[np.integer],
    where: NDArray[np.int64],
    scale: float,
) -> None:
    """Check what a study holds that was not read by :func:`read_subjects`."""
    wrong = np.flatnonzero((said < 0) | (said > scale))
    if len(wrong):
        fix = f"scale={np.nanmax(said):g}" if np.nanmax(said) > scale else "write 0"
        raise UsageError(
            f"relevance must be in [0, {scale:g}], found {said[wrong[0]]:g}: "
            f"{_said_by(study, where, int(wrong[0]))} ({len(wrong):,} such; fix: {fix})"
        )
    risen = _risen(where, rank, said)
    if risen:
        this, last = risen[0]
        raise UsageError(
            f"relevance {said[this]:g} at rank {rank[this]} is higher than {said[last]:g} at rank "
            f"{rank[last]} of the same list: {_said_by(study, where, this)} (fix: a subject's "
            "relevances fall with the ranks; mend one of the two, or leave the ranks out)"
        )


def _said_by(study: Study, where: NDArray[np.int64], row: int) -> str:
    evidence = study.evidence
    who = study.respondents.names[evidence.respondent[where[row]]]
    query = study.queries[evidence.query[where[row]]]
    (item,) = study.items.names([int(evidence.item[row])])
    return f"subject {quote(who)}, query {quote(query)}, item {quote(item)}"


def no_shared_query(study: Study) -> str | None:
    """Say that subjects and systems share no query, and what to do; None where that is not so."""
    asked, said = np.unique(study.answers.query), np.unique(study.evidence.query)
    if not len(asked) or not len(said) or len(np.intersect1d(asked, said)):
        return None
    ours, theirs = (_some(study, codes) for codes in (asked, said))
    fix = "write the ids of the queries alike in both"
    for side, codes in (("runs", asked), ("subjects' lists", said)):
        if {study.queries[code] for code in codes.tolist()} == {ONLY_QUERY}:
            fix = f"the {side} came without queries: give each row one, in a column 'query'"
    return (
        f"subjects and runs share no query: runs have {ours}; subjects have {theirs} (fix: {fix})"
    )


def _some(study: Study, codes: NDArray[np.int32]) -> str:
    shown = ", ".join(quote(study.queries[code]) for code in codes[:_SHOWN].tolist())
    return f"{shown}, …" if len(codes) > _SHOWN else shown
