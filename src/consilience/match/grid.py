"""Which cells of a square grid a line goes through: every one, none left out.

A cell holds its lower and left side (``floor``). Between two points a line crosses grid lines at
known parts of its length; in their order they tell the cells one after the other (Amanatides & Woo
1987), for all segments of all lines at once. Where a line goes exactly through a corner, it goes
from one cell to the one across.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SHIFT = 1 << 32


def traversed(
    x: NDArray[np.float64], y: NDArray[np.float64], line: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the cells that lines go through, as codes, and the line of each.

    Parameters
    ----------
    x, y
        Points in units of the grid, line after line.
    line
        The line that each point belongs to; points of one line follow each other.

    Returns
    -------
    tuple
        Codes of cells (a cell may come several times) and their lines.

    Examples
    --------
    >>> x, y = np.array([0.5, 2.5]), np.array([0.5, 1.25])
    >>> code, line = traversed(x, y, np.zeros(2, int))
    >>> sorted({cell(one) for one in code.tolist()})
    [(0, 0), (1, 0), (1, 1), (2, 1)]
    """
    points = coded(np.floor(x).astype(np.int64), np.floor(y).astype(np.int64))
    joined = np.flatnonzero(line[1:] == line[:-1])
    begin = np.stack([x[joined], y[joined]])
    end = np.stack([x[joined + 1], y[joined + 1]])
    seg, code = _crossed(begin, end)
    return np.concatenate([points, code]), np.concatenate([line, line[joined][seg]])


def crossings(
    x: NDArray[np.float64], y: NDArray[np.float64], line: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count for each point the cells that the way to it enters: about as many as there are.

    Examples
    --------
    >>> crossings(np.array([0.5, 2.5]), np.array([0.5, 1.25]), np.zeros(2, int)).tolist()
    [1, 3]
    """
    made = np.ones(len(x), np.int64)
    joined = np.flatnonzero(line[1:] == line[:-1])
    for along in (x, y):
        cell = np.floor(along).astype(np.int64)
        made[joined + 1] += np.abs(cell[joined + 1] - cell[joined])
    made[joined + 1] -= 1
    return made


def _crossed(
    begin: NDArray[np.float64], end: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the cells that segments enter after their first one."""
    first, last = np.floor(begin).astype(np.int64), np.floor(end).astype(np.int64)
    many = np.abs(last - first)
    events = [_events(begin[axis], end[axis], first[axis], many[axis]) for axis in (0, 1)]
    seg = np.concatenate([one[0] for one in events])
    part = np.concatenate([one[1] for one in events])
    step = np.concatenate([one[2] for one in events])
    axis = np.repeat([0, 1], [len(one[0]) for one in events])
    order = np.lexsort((axis, part, seg))
    seg, part, step, axis = seg[order], part[order], step[order], axis[order]
    x, y = (_walked(np.where(axis == which, step, 0), seg, first[which]) for which in (0, 1))
    corner = np.zeros(len(seg), bool)
    corner[:-1] = (seg[1:] == seg[:-1]) & (part[1:] == part[:-1])
    return seg[~corner], coded(x[~corner], y[~corner])


def _events(
    begin: NDArray[np.float64],
    end: NDArray[np.float64],
    first: NDArray[np.int64],
    many: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Give where segments cross the grid lines of one axis: segment, part of its length, step."""
    seg = np.repeat(np.arange(len(many)), many)
    nth = np.arange(len(seg)) - np.repeat(np.cumsum(many) - many, many) + 1
    step = np.where(end > begin, 1, -1)[seg]
    place = first[seg] + np.where(step > 0, nth, 1 - nth)
    part = (place - begin[seg]) / (end - begin)[seg]
    return seg, np.clip(part, 0.0, 1.0), step


def _walked(
    step: NDArray[np.int64], seg: NDArray[np.int64], first: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Add steps up within each segment."""
    summed = np.cumsum(step)
    starts = np.flatnonzero(np.append(True, seg[1:] != seg[:-1])[: len(seg)])
    before = summed[starts] - step[starts]
    lengths = np.diff(np.append(starts, len(seg)))
    return first[seg] + summed - np.repeat(before, lengths)


def coded(x: NDArray[np.int64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    """Write the two numbers of a cell as one."""
    return y * _SHIFT + x


def cell(code: int) -> tuple[int, int]:
    """Read the two numbers of a cell.

    Examples
    --------
    >>> cell(int(coded(np.array([-3]), np.array([-7]))[0]))
    (-3, -7)
    """
    x = (code + _SHIFT // 2) % _SHIFT - _SHIFT // 2
    return x, (code - x) // _SHIFT


def grown(code: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give each cell and its eight neighbours (cells × 9)."""
    around = np.array([dy * _SHIFT + dx for dy in (-1, 0, 1) for dx in (-1, 0, 1)])
    return np.asarray(code[:, None] + around)


def once(
    code: NDArray[np.int64], line: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Keep each cell of a line once, sorted by line and code."""
    order = np.lexsort((code, line))
    code, line = code[order], line[order]
    fresh = np.ones(len(code), bool)
    fresh[1:] = (code[1:] != code[:-1]) | (line[1:] != line[:-1])
    return code[fresh], line[fresh]
