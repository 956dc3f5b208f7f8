"""Two sequences, or two groups of aligned sequences, laid side by side at the least cost.

Putting token x beside token y costs 1 - similarity(x, y) (0 where they are equal, 1 where exact
tokens differ); a token beside a gap costs ``gap``. With exact tokens and a gap of 1 the least cost
of two sequences is the edit distance, which the word error rate divides by the length of the truth.
As a score to be made large it is Needleman and Wunsch's, with match 1, mismatch 0 and gap -1/2.

Of alignments that cost the same, one with more equal tokens is taken: *x y* beside *y x* shares a
token, though two substitutions would cost no more.

Columns of two groups cost what their pairs cost (sum of pairs), and two gaps cost nothing. Gaps
cost the same each, so this is exact: no pair of columns depends on its neighbours.

Sequences of some hundred tokens are solved exactly. Longer ones are cut first: their tokens are
compared by a bit-parallel edit distance in linear memory (RapidFuzz), and where both agree for a
stretch, the stretch is kept, but for its ends; in large pieces between them, whatever is equal.
What then lies between is solved exactly, all pieces of a size at once; one that is still too large
is halved as Hirschberg does, in linear memory.

References
----------
S. Needleman and C. Wunsch (1970), J. Mol. Biol. 48; D. Hirschberg (1975), CACM 18(6);
G. Myers (1999), J. ACM 46(3).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Codes: TypeAlias = NDArray[np.int32]
    Places: TypeAlias = NDArray[np.int64]

#: Sequences with so few cells are not cut: their alignment is the cheapest there is.
WHOLE = 1 << 18
#: A stretch on which both agree is kept if it is so long, but for so many tokens at either end.
STRETCH, ENDS = 3, 1
#: In a piece with more cells than this every equal column is kept.
LARGE = 1 << 20
#: The most cells that are traced at once; a larger piece is halved.
CELLS = 1 << 22
#: The most cells whose costs are held at once.
HELD = 1 << 19
#: Rounding that decides nothing.
TINY = 1e-8
#: A step of an alignment: both go on, or only the left or only the right one.
BOTH, LEFT, RIGHT = 0, 1, 2
_NOTHING = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Costs:
    """What it costs to lay two sequences of columns side by side.

    ``beside(left, right)`` gives the costs of columns, for places of the shapes (n, rows, 1) and
    (n, 1, columns); ``left`` and ``right`` are the costs of each column beside a gap.
    """

    beside: Callable[[Places, Places], NDArray[np.float64]]
    left: NDArray[np.float64]
    right: NDArray[np.float64]


def edits(a: Codes, b: Codes) -> int:
    """Count the edits between two sequences of codes: insertions, deletions, substitutions.

    Examples
    --------
    >>> edits(np.array([1, 2, 3, 4], np.int32), np.array([1, 5, 4], np.int32))
    2
    """
    from rapidfuzz.distance import Levenshtein

    hint = max(len(a), len(b)) // 4
    return int(Levenshtein.distance(a.tolist(), b.tolist(), score_hint=hint))


def laid_out(a: Codes, b: Codes, costs: Costs) -> tuple[Places, Places]:
    """Lay two sequences of columns side by side.

    Parameters
    ----------
    a, b
        A code for each column, by which columns that are certainly the same are found; a negative
        one says nothing.
    costs
        What columns cost side by side.

    Returns
    -------
    tuple
        For each step the place in the one and in the other, -1 for a gap.
    """
    whole = len(a) * len(b) <= WHOLE
    kept_a, kept_b = (_NOTHING, _NOTHING) if whole else _stretches(a, b)
    # pieces between kept columns: from the one behind to the one before
    begin_a, begin_b = np.append(0, kept_a + 1), np.append(0, kept_b + 1)
    end_a, end_b = np.append(kept_a, len(a)), np.append(kept_b, len(b))
    busy = np.flatnonzero((end_a > begin_a) | (end_b > begin_b))
    pieces = np.stack([begin_a[busy], end_a[busy], begin_b[busy], end_b[busy]], axis=1)
    left, right, piece = _solved(pieces, costs)
    # a kept column stands behind the piece before it
    left = np.concatenate([left, kept_a])
    right = np.concatenate([right, kept_b])
    place = np.concatenate([2 * busy[piece], 2 * np.arange(len(kept_a)) + 1])
    order = np.argsort(place, kind="stable")
    return left[order], right[order]


def _stretches(a: Codes, b: Codes) -> tuple[Places, Places]:
    """Find columns that surely stand side by side: the inner part of stretches that are equal.

    Where that leaves a large piece, whatever is equal in it is kept.
    """
    from rapidfuzz.distance import Levenshtein

    at_a, at_b = np.flatnonzero(a >= 0), np.flatnonzero(b >= 0)
    found = [
        (step.src_start, step.dest_start, step.src_end - step.src_start)
        for step in Levenshtein.opcodes(a[at_a].tolist(), b[at_b].tolist())
        if step.tag == "equal"
    ]
    if not found:
        return _NOTHING, _NOTHING
    begin_a, begin_b, length = np.array(found, np.int64).T
    inside = np.arange(length.sum()) - np.repeat(np.cumsum(length) - length, length)
    size = np.repeat(length, length)
    equal_a = at_a[np.repeat(begin_a, length) + inside]
    equal_b = at_b[np.repeat(begin_b, length) + inside]
    kept = (size >= STRETCH) & (inside >= ENDS) & (inside < size - ENDS)
    ends_a = np.concatenate([[-1], equal_a[kept], [len(a)]])
    ends_b = np.concatenate([[-1], equal_b[kept], [len(b)]])
    large = np.diff(ends_a) * np.diff(ends_b) > LARGE
    kept |= large[np.searchsorted(equal_a[kept], equal_a)]
    return equal_a[kept], equal_b[kept]


def _solved(pieces: Places, costs: Costs) -> tuple[Places, Places, Places]:
    """Solve all pieces, those of a size together; give places, and the piece of each step."""
    small, number = _halved(pieces, costs)
    rows, columns = small[:, 1] - small[:, 0], small[:, 3] - small[:, 2]
    size = np.stack([_rounded(rows), _rounded(columns)], axis=1)
    lefts, rights, whose, steps = [], [], [], []
    for height, width in np.unique(size, axis=0).tolist():
        here = np.flatnonzero((size == (height, width)).all(axis=1))
        batch = max(1, CELLS // ((height + 1) * (width + 1)))
        for some in np.split(here, range(batch, len(here), batch)):
            step, which, left, right = _traced(small[some], height, width, costs)
            steps.append(step)
            whose.append(some[which])
            lefts.append(left)
            rights.append(right)
    if not lefts:
        return _NOTHING, _NOTHING, _NOTHING
    whole = np.concatenate(whose)
    order = np.lexsort((np.concatenate(steps), whole))  # halves of a piece follow each other
    return (
        np.concatenate(lefts)[order],
        np.concatenate(rights)[order],
        number[whole[order]],
    )


def _rounded(lengths: Places) -> Places:
    """Round lengths up to a few sizes: 0, 1, 2, 3, 4, 6, 8, 12, 16 and so on."""
    sizes = np.unique(np.concatenate([[0], 2 ** np.arange(40), 3 * 2 ** np.arange(39)]))
    return sizes[np.searchsorted(sizes, lengths)]


def _traced(
    pieces: Places, height: int, width: int, costs: Costs
) -> tuple[Places, Places, Places, Places]:
    """Solve pieces of at most height × width, and follow the cheapest way back from their ends."""
    chosen = np.empty((len(pieces), height + 1, width + 1), np.int8)
    chosen[:, :, 0], chosen[:, 0, 1:] = LEFT, RIGHT
    for row, best, down, straight in _rows(pieces, height, width, costs):
        chosen[:, row, 1:] = np.where(
            best[:, 1:] < np.minimum(down[:, 1:], straight) - TINY,
            RIGHT,
            np.where(straight <= down[:, 1:] + TINY, BOTH, LEFT),
        )
    i, j = pieces[:, 1] - pieces[:, 0], pieces[:, 3] - pieces[:, 2]
    on = np.flatnonzero(i + j)
    found = []
    step = 0
    while len(on):
        move = chosen[on, i[on], j[on]]
        i[on] -= move != RIGHT
        j[on] -= move != LEFT
        step -= 1
        left = np.where(move != RIGHT, pieces[on, 0] + i[on], -1)
        right = np.where(move != LEFT, pieces[on, 2] + j[on], -1)
        found.append((np.full(len(on), step), on, left, right))
        on = on[i[on] + j[on] > 0]
    steps, which, left, right = map(np.concatenate, zip(*found, strict=True))
    return steps, which, left, right


def _rows(
    pieces: Places, height: int, width: int, costs: Costs, *, back: bool = False
) -> Iterator[tuple[int, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]]:
    """Go through the rows of pieces: the least cost up to each cell, and by a gap or straight.

    A gap to the right may follow any cell of its row: the least cost with it is a running
    minimum, once the cost of the gaps so far is taken off.
    """
    rows = _places(pieces[:, :2], height, back=back)
    columns = _places(pieces[:, 2:], width, back=back)
    aside = np.zeros((len(pieces), width + 1))
    if width:
        aside[:, 1:] = np.cumsum(costs.right[columns], axis=1)
    best = aside.copy()
    some = max(1, HELD // max(1, len(pieces) * width))
    for begin in range(0, height, some):
        here = rows[:, begin : begin + some]
        beside = (
            costs.beside(here[:, :, None], columns[:, None, :])
            if width
            else np.zeros((*here.shape, 0))
        )
        alone = costs.left[here]
        for k in range(here.shape[1]):
            down = best + alone[:, k, None]
            straight = best[:, :-1] + beside[:, k]
            best = down - aside
            np.minimum(best[:, 1:], straight - aside[:, 1:], out=best[:, 1:])
            np.minimum.accumulate(best, axis=1, out=best)
            best += aside
            yield begin + k + 1, best, down, straight


def _places(ends: Places, length: int, *, back: bool) -> Places:
    """Number the columns of pieces; those beyond a piece's end repeat its last one."""
    inside = np.arange(length)
    begin, last = ends[:, 0, None], ends[:, 1, None] - 1
    found: Places = np.maximum(last - inside, begin) if back else np.minimum(begin + inside, last)
    return found


def _halved(pieces: Places, costs: Costs) -> tuple[Places, Places]:
    """Halve pieces that are too large where the cheapest way crosses their middle row."""
    found: list[Sequence[int]] = []
    number: list[int] = []
    for which, piece in enumerate(pieces.tolist()):
        waiting = [piece]
        while waiting:
            one = waiting.pop()
            rows, columns = one[1] - one[0], one[3] - one[2]
            if rows < 2 or (rows + 1) * (columns + 1) <= CELLS:
                found.append(one)
                number.append(which)
                continue
            middle = (one[0] + one[1]) // 2
            above = _last_row([one[0], middle, one[2], one[3]], costs)
            below = _last_row([middle, one[1], one[2], one[3]], costs, back=True)
            at = one[2] + int(np.argmin(above + below[::-1]))
            waiting += [[middle, one[1], at, one[3]], [one[0], middle, one[2], at]]
    return np.array(found, np.int64).reshape(-1, 4), np.array(number, np.int64)


def _last_row(piece: list[int], costs: Costs, *, back: bool = False) -> NDArray[np.float64]:
    """Give the least cost of a whole piece up to each of its columns."""
    height, width = piece[1] - piece[0], piece[3] - piece[2]
    steps = _rows(np.array([piece]), height, width, costs, back=back)
    ((_, best, _, _),) = deque(steps, maxlen=1)
    last: NDArray[np.float64] = best[0]
    return last
