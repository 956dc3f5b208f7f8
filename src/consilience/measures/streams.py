"""All hits of very many answers, some lists at a time.

Where nearly every item is somewhat probable, nearly every answer is a hit: to keep a cell, a
position and a probability of each takes many times the memory of the answers. What is only added
up, list by list, is made for some ten thousand answers, added and forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import changes
from consilience.study.lists import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.study import Study
    from consilience.study.ranking import Ranking

#: How many answers are looked at together: what is made of them stays in the processor's cache.
BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Stretch:
    """The hits of some cells, which follow each other, by cell and then position."""

    cell: NDArray[np.int64]
    position: NDArray[np.int64]
    p: NDArray[np.float64]
    gain: NDArray[np.float64]


def stretches(
    study: Study, belief: Belief, ranking: Ranking, cell_of_list: NDArray[np.int64]
) -> Iterator[Stretch]:
    """Give all hits, whole lists together; those of lists without a cell (-1) are left out.

    Examples
    --------
    >>> from consilience.belief.agreement import ls_eb
    >>> from consilience.study import study
    >>> from consilience.study.ranking import rank_answers
    >>> made = study({"s": {"q": ["a", "b"], "r": ["a"]}, "t": {"q": ["b"]}})
    >>> (found,) = stretches(made, ls_eb(made), rank_answers(made), np.array([0, 1, 2]))
    >>> found.cell.tolist(), found.position.tolist()
    ([0, 0, 1, 2], [1, 2, 1, 1])
    """
    items = len(study.items)
    p, gain = np.nan_to_num(belief.of_all(items)), belief.gain
    if len(belief.item) < items:
        gain = np.zeros(items)
        gain[belief.item] = belief.gain
    for low, high in blocks(ranking.starts, BLOCK):
        begin, end = int(ranking.starts[low]), int(ranking.starts[high])
        item = _items(study, ranking, begin, end)
        length = np.diff(ranking.starts[low : high + 1])
        cell = np.repeat(cell_of_list[low:high], length)
        position = np.arange(1, end - begin + 1) - np.repeat(
            ranking.starts[low:high] - begin, length
        )
        mine, worth = p[item], gain[item]
        kept = ((mine > 0) | (worth > 0)) & (cell >= 0)
        if not bool(kept.all()):
            cell, position, mine, worth = cell[kept], position[kept], mine[kept], worth[kept]
        yield Stretch(cell, position, mine, worth)


def _items(study: Study, ranking: Ranking, begin: int, end: int) -> NDArray[np.int32]:
    """Give the items at some places, best first."""
    item = study.answers.item
    if not len(ranking.moved_rows) and ranking.returned is None:
        return item[begin:end]
    return item[ranking.answers(np.arange(begin, end))]


def added(stretch: Stretch, worth: NDArray[np.float64], total: NDArray[np.float64]) -> None:
    """Add something up over the hits of each cell, in place."""
    if len(stretch.cell):
        begins = changes(stretch.cell)
        total[stretch.cell[begins]] += np.add.reduceat(worth, begins)


def list_sums(
    starts: NDArray[np.int64], worth: Callable[[int, int], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Add up what rows are worth, list by list; ``worth`` tells it for some rows at a time.

    Examples
    --------
    >>> values = np.array([0.5, 1.0, 2.0])
    >>> list_sums(np.array([0, 2, 2, 3]), lambda begin, end: values[begin:end]).tolist()
    [1.5, 0.0, 2.0]
    """
    total = np.zeros(len(starts) - 1)
    filled = np.flatnonzero(starts[1:] > starts[:-1])
    for low, high in blocks(np.append(starts[filled], starts[-1]), BLOCK):
        some = filled[low:high]
        begin = int(starts[some[0]])
        here = worth(begin, int(starts[some[-1] + 1]))
        total[some] = np.add.reduceat(here, starts[some] - begin)
    return total
