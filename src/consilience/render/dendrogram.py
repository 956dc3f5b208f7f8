"""Where the lines of a dendrogram go: layout only, in units of rows and of height."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.theme import Spec
from consilience.render.words import Payload


def branches(tree: Sequence[Payload], places: dict[int, int], leaves: int) -> list[Spec]:
    """Lay a tree out beside rows: lines from (``x``, ``y``) to (``x2``, ``y2``).

    The tree is numbered as in ``scipy.cluster.hierarchy``: leaf i is system i, and merge j makes
    node ``leaves + j``. Leaves without a place are left out, and a merge that then joins nothing
    is no merge.

    Parameters
    ----------
    tree : sequence of mappings
        Merges with ``left``, ``right`` and ``height``, lower ones first.
    places : dict
        The row of each leaf that is shown, from 0 on.
    leaves : int
        How many leaves the whole tree has.

    Returns
    -------
    list of dict
        Three lines for each merge; ``y`` counts rows (0.5 is the middle of the first one).

    Examples
    --------
    >>> lines = branches([{"left": 0, "right": 1, "height": 0.4}], {0: 0, 1: 1}, 2)
    >>> [(line["x"], line["y"], line["x2"], line["y2"]) for line in lines]
    [(0.0, 0.5, 0.4, 0.5), (0.0, 1.5, 0.4, 1.5), (0.4, 0.5, 0.4, 1.5)]
    """
    ends = {leaf: (0.0, row + 0.5) for leaf, row in places.items()}
    lines: list[Spec] = []
    for merge, node in enumerate(tree, leaves):
        left, right = ends.get(node["left"]), ends.get(node["right"])
        if left is None or right is None:
            kept = left or right
            if kept is not None:
                ends[merge] = kept
            continue
        height = node["height"]
        lines += [_line(left, (height, left[1])), _line(right, (height, right[1]))]
        lines.append(_line((height, left[1]), (height, right[1])))
        ends[merge] = (height, (left[1] + right[1]) / 2)
    return lines


def _line(start: tuple[float, float], end: tuple[float, float]) -> Spec:
    return {"part": "branch", "x": start[0], "y": start[1], "x2": end[0], "y2": end[1]}
