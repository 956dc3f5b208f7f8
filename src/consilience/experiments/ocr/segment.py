"""Where the text stands on a page: four segmentations.

- ``layout``: the engine finds columns, blocks and lines by itself.
- ``block``: the page is one block of text; the engine finds the lines.
- ``profile``: lines are cut where few pixels of a row are ink (projection profile).
- ``smeared``: ink is smeared along the rows until the words of a line flow together, and each
  connected piece is a line or a part of one (run-length smoothing, RLSA).

The last two cut the page into images of lines, which the engine reads one by one. They were written
for this project and know nothing of the engines.

References
----------
.. [1] K. Y. Wong, R. G. Casey and F. M. Wahl, "Document analysis system", IBM Journal of Research
   and Development 26(6), 1982.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from consilience.errors import unknown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from consilience.experiments.ocr.engines import Layout

#: Name → how the engine is to read the outcome.
SEGMENTATIONS: dict[str, Layout] = {
    "layout": "page",
    "block": "block",
    "profile": "lines",
    "smeared": "lines",
}
#: A row belongs to a line if this share of the ink of well-filled rows is in it.
FILLED = 0.12
#: Gaps of so many pixels are filled along rows and along columns.
ALONG, ACROSS = 60, 7
#: Lines are between so many pixels high.
LEAST, MOST = 14, 160
#: Pieces of fewer pixels are specks.
SPECK = 10
#: White space around a line, in pixels: engines want some.
BORDER = 8


def segmented(ink: NDArray[np.bool_], method: str) -> list[NDArray[np.bool_]]:
    """Cut a page into the images that an engine is to read, in reading order.

    Parameters
    ----------
    ink
        The page, True where there is ink.
    method
        One of `SEGMENTATIONS`.
    """
    if method not in SEGMENTATIONS:
        raise unknown("segmentation", method, list(SEGMENTATIONS))
    if method in ("layout", "block"):
        return [ink]
    boxes = by_profile(ink) if method == "profile" else by_smearing(ink)
    return [_framed(ink[box]) for box in boxes]


def by_profile(ink: NDArray[np.bool_]) -> list[tuple[slice, slice]]:
    """Find lines as runs of rows with enough ink.

    The profile is smoothed over five rows, which leaves lines a rim of two, and measured by its
    90th percentile: what a row of text has, whatever the page holds beside it. A line with a single
    short word may fall below, and is lost.

    Examples
    --------
    >>> import numpy as np
    >>> page = np.zeros((100, 50), dtype=bool)
    >>> page[10:30, 5:40] = page[50:75, 5:45] = True
    >>> [(rows.start, rows.stop) for rows, _ in by_profile(page)]
    [(8, 32), (48, 77)]
    """
    import numpy as np
    from scipy import ndimage

    profile = ndimage.uniform_filter1d(ink.sum(axis=1, dtype=float), 5)
    filled = profile > FILLED * np.percentile(profile, 90)
    rows = [(a, b) for a, b in _runs(filled) if b - a >= LEAST]
    return [(slice(a, b), slice(0, ink.shape[1])) for a, b in rows]


def by_smearing(ink: NDArray[np.bool_]) -> list[tuple[slice, slice]]:
    """Find lines as connected pieces of ink that was smeared along the rows.

    Specks are not smeared. Pieces that are too low or too narrow are left out; those that are too
    high to be a line (lines that touch, blots) are cut into lines by their own profile. Pieces
    whose rows overlap by half stand in one line and are read from the left.
    """
    from scipy import ndimage

    clean = _without_specks(ink)
    both = _filled(clean, ALONG) & _filled(clean.T, 4 * ACROSS).T
    pieces, _ = ndimage.label(_filled(both, ALONG // 2))
    found: list[tuple[slice, slice]] = []
    for rows, columns in ndimage.find_objects(pieces):
        if columns.stop - columns.start < LEAST:
            continue
        if rows.stop - rows.start > MOST:
            inner = by_profile(clean[rows, columns])
            found += [(slice(rows.start + r.start, rows.start + r.stop), columns) for r, _ in inner]
        elif rows.stop - rows.start >= LEAST:
            found.append((rows, columns))
    return _in_order(found)


def _without_specks(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Leave out connected pieces of fewer pixels than a full stop has."""
    import numpy as np
    from scipy import ndimage

    pieces, count = ndimage.label(ink, structure=np.ones((3, 3)))
    large = np.bincount(pieces.ravel(), minlength=count + 1) >= SPECK
    large[0] = False
    return np.asarray(large[pieces])


def _in_order(boxes: list[tuple[slice, slice]]) -> list[tuple[slice, slice]]:
    """Bring boxes into reading order: lines from above, within a line from the left."""
    lines: list[list[tuple[slice, slice]]] = []
    for box in sorted(boxes, key=lambda box: (box[0].start + box[0].stop, box[1].start)):
        if lines and _beside(lines[-1][-1][0], box[0]):
            lines[-1].append(box)
        else:
            lines.append([box])
    return [box for line in lines for box in sorted(line, key=lambda box: box[1].start)]


def _beside(first: slice, second: slice) -> bool:
    shared = min(first.stop, second.stop) - max(first.start, second.start)
    return bool(2 * shared >= min(first.stop - first.start, second.stop - second.start))


def _filled(ink: NDArray[np.bool_], gap: int) -> NDArray[np.bool_]:
    """Fill white runs of at most so many pixels between ink along each row.

    Examples
    --------
    >>> import numpy as np
    >>> _filled(np.array([[1, 0, 0, 1, 0, 0, 0, 1]], dtype=bool), 2).astype(int).tolist()
    [[1, 1, 1, 1, 0, 0, 0, 1]]
    """
    import numpy as np

    at = np.arange(ink.shape[1])
    left = np.maximum.accumulate(np.where(ink, at, -gap - 1), axis=1)
    after = np.where(ink, at, ink.shape[1] + gap)
    right = np.minimum.accumulate(after[:, ::-1], axis=1)[:, ::-1]
    return np.asarray((right - left <= gap + 1) | ink)


def _runs(on: NDArray[np.bool_]) -> list[tuple[int, int]]:
    import numpy as np

    ends = np.flatnonzero(np.diff(np.concatenate(([0], on.astype(np.int8), [0]))))
    return [(int(a), int(b)) for a, b in ends.reshape(-1, 2)]


def _framed(line: NDArray[np.bool_]) -> NDArray[np.bool_]:
    import numpy as np

    framed: Any = np.pad(line, BORDER)
    return np.asarray(framed)
