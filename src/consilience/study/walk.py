"""In which order to pass over very many answers: so that what is added up stays in the cache.

Answers are sorted by respondent, then query. A pass in that order touches all items once for every
respondent; with millions of items each touch misses the processor's cache. So a pass goes query by
query, some at a time, and through all respondents before it moves on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from consilience.study.model import Answers, Items

#: Rows handled at a time, at most: their temporaries stay in the cache.
BLOCK = 1 << 16
#: Items whose sums stay in the cache.
NEAR = 1 << 17
#: Fewer rows at a time than this, and the walk costs more than it saves.
FEWEST = 2048


def walk(answers: Answers, items: Items) -> Iterator[tuple[int, int]]:
    """Give ranges of rows (begin, end) that together hold every row once.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}})
    >>> list(walk(made.answers, made.items))
    [(0, 3)]
    """
    rows = len(answers)
    people = np.flatnonzero(np.diff(answers.respondent, prepend=-1))
    wanted = min(-(-len(items) // NEAR), rows // (max(len(people), 1) * FEWEST))
    if wanted <= 1:
        for begin in range(0, rows, BLOCK):
            yield begin, min(begin + BLOCK, rows)
        return
    cuts = np.searchsorted(items.starts, np.linspace(0, len(items), wanted + 1)[1:-1])
    edges = np.unique([0, *cuts.tolist(), len(items.starts) - 1])
    ends = [*people[1:].tolist(), answers.lists]
    lists = np.array(
        [
            begin + np.searchsorted(answers.query[begin:end], edges)
            for begin, end in zip(people.tolist(), ends, strict=True)
        ]
    )
    bounds = answers.starts[lists]
    for column in range(len(edges) - 1):
        for first, last in bounds[:, column : column + 2].tolist():
            for begin in range(first, last, BLOCK):
                yield begin, min(begin + BLOCK, last)
