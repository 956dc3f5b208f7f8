"""Who answered what: the share of queries, or of items, that each respondent answered.

A large study is told in blocks: neighbouring queries share a column, so that a picture of it fits
a page. With a single query, blocks of its items are told instead; who lists what was found has
answered about all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.measures.corrected import returned_items
from consilience.study.condition import judged_items, judged_queries, no_truth, sorts_only
from consilience.study.drawn import is_labelled
from consilience.verdict.item_answers import silence_is_no

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Answers, Study

#: The most columns of a picture, and the most respondents.
COLUMNS, ROWS = 60, 60
#: How deep into ranked answers people usually look.
DEPTH = 10


def coverage(study: Study) -> dict[str, Any]:
    """Say who answered what, and how much of what systems returned was judged.

    Returns
    -------
    dict
        ``unit`` ("queries" or "items"), ``total`` (how many of them), ``columns`` (the name of each
        block, its first and last and its size), ``respondents`` (name, kind, how many they
        ``answered``, and the share of each block in ``shares``; the first 60), ``left_out`` (how
        many respondents are not told), and ``judged``: for every system how many items it returned
        to queries with truth, how many of them were judged, and the same for the first 10 of ranked
        answers (None without truth).

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x"], "r": ["y"]}, "b": {"q": ["x", "z"]}})
    >>> [(one["name"], one["answered"], one["shares"]) for one in coverage(made)["respondents"]]
    [('a', 2, [1.0, 1.0]), ('b', 1, [1.0, 0.0])]
    """
    by_query = len(study.queries) > 1
    count = len(study.queries) if by_query else len(study.items)
    size = max(1, -(-count // COLUMNS))
    blocks = -(-count // size)
    cells = np.zeros((len(study.respondents), blocks))
    sizes = np.minimum(size, count - size * np.arange(blocks))
    for side in (study.answers, study.evidence):
        who, what = _by_query(side) if by_query else _by_item(side)
        np.add.at(cells, (who, what // size), 1.0)
    if not by_query:
        cells[_say_no(study)] = sizes
    people = study.respondents
    return {
        "unit": "queries" if by_query else "items",
        "total": count,
        "columns": _columns(study, size, count, by_query=by_query),
        "respondents": [
            {
                "name": people.names[code],
                "kind": people.kind[code],
                "answered": int(cells[code].sum()),
                "shares": np.minimum(cells[code] / sizes, 1.0).tolist(),
            }
            for code in range(min(len(people), ROWS))
        ],
        "left_out": max(len(people) - ROWS, 0),
        "judged": _judged(study),
    }


def _by_query(side: Answers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give respondent and query of every list that says something."""
    said = np.concatenate([[0], np.cumsum(is_labelled(side))])
    spoke = said[side.starts[1:]] > said[side.starts[:-1]]
    return side.respondent[spoke].astype(np.int64), side.query[spoke].astype(np.int64)


def _by_item(side: Answers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give respondent and item of every answer that says something, each pair once."""
    said = is_labelled(side)
    who = side.respondent[side.list_of_row()[said]].astype(np.int64)
    item = side.item[said].astype(np.int64)
    pairs = np.unique(np.stack([who, item]), axis=1)
    return pairs[0], pairs[1]


def _say_no(study: Study) -> list[int]:
    """Give those who listed what they found: they answered about everything else, too."""
    no = silence_is_no(study)
    return [code for code in {*study.answering, *study.judging} if no[code]]


def _columns(study: Study, size: int, count: int, *, by_query: bool) -> list[dict[str, Any]]:
    """Name blocks by what they begin and end with."""
    begins = np.arange(0, count, size)
    ends = np.minimum(begins + size, count) - 1
    if by_query:
        names = [[study.queries[k] for k in edge.tolist()] for edge in (begins, ends)]
    else:
        names = [study.items.names(edge) for edge in (begins, ends)]
    return [
        {"first": first, "last": last, "size": int(end - begin + 1)}
        for first, last, begin, end in zip(*names, begins, ends, strict=True)
    ]


def _judged(study: Study) -> list[dict[str, Any]] | None:
    """Count for every system what it returned to queries with truth, and what was judged of it."""
    if no_truth(study) is not None or sorts_only(study) or not study.answers.lists:
        return None
    every = _returned(study, None)
    first = _returned(study, DEPTH) if study.ordered else None
    return [
        {
            "name": name,
            "returned": int(every[0][place]),
            "judged": int(every[1][place]),
            "first": None if first is None else int(first[0][place]),
            "first_judged": None if first is None else int(first[1][place]),
        }
        for place, name in enumerate(study.systems)
    ]


def _returned(study: Study, k: int | None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count what every system returned, down to a depth, and what of it was judged."""
    table = returned_items(study, k=k)
    with_truth = np.zeros(len(study.queries), bool)
    with_truth[judged_queries(study)] = True
    item = table.votes.indices
    counts = with_truth[table.query[item]] & (table.votes.data > 0)
    system = np.repeat(np.arange(table.systems), np.diff(table.votes.indptr))
    known = counts & judged_items(study)[item]
    return (
        np.bincount(system[counts], minlength=table.systems),
        np.bincount(system[known], minlength=table.systems),
    )
