"""An attributed relational graph: straight strokes, and how they lie to each other.

The nodes are the straight strokes of a drawing
(:mod:`~consilience.experiments.symbols.shapes.strokes`), with their length and direction. The
relations of a stroke say in which of 8 directions the other strokes lie, and whether they touch it:
topology and direction, as in the graphs of Santosh et al., whose parts are circles, corners and
loose ends of electrical symbols instead. A stroke counts by its length, in units of the drawing's
spread; an angle between two directions is shared by both.

Two graphs are compared by the cheapest assignment of one's strokes to the other's, where a stroke
may also be left over (the bipartite approximation of graph edit distance). To assign u to v costs
|l_u − l_v| + ½(l_u + l_v)(|sin(direction_u − direction_v)| + |relations_u − relations_v|₁), to
leave u over costs l_u, and the sum is divided by the length of all strokes: 0 for equal graphs, and
never more than 1.

A twin compares the same strokes by where their middles lie in the drawing instead of by their
relations (:func:`distances_by_place`): a second descriptor of the same kind.

References
----------
K.C. Santosh, B. Lamiroy and L. Wendling, "Symbol recognition using spatial relations", Pattern
Recognition Letters 33(3), 2012, 331–341.
K. Riesen and H. Bunke, "Approximate graph edit distance computation by means of bipartite graph
matching", Image and Vision Computing 27(7), 2009, 950–959.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from consilience import progress
from consilience.experiments.symbols.shapes.ink import centred, spread
from consilience.experiments.symbols.shapes.strokes import Strokes, straight_strokes

#: How far a pixel may lie from its straight stroke, in units of the drawing's spread.
OFF = 0.24
#: Directions in which other strokes may lie.
DIRECTIONS = 8
#: Strokes touch whose ends are so near, in pixels: junctions take up to two pixels of each.
TOUCH = 4.5
#: The cost of what may not be.
NEVER = 1e6


@dataclass(frozen=True, slots=True)
class Graph:
    """Strokes: their lengths, directions, middles, and their relations (strokes × kinds)."""

    length: NDArray[np.float64]
    direction: NDArray[np.float64]
    middle: NDArray[np.float64]
    related: NDArray[np.float64]


def graph(mask: NDArray[np.bool_]) -> Graph:
    """Make a graph of a drawing; one without lines is a single short stroke.

    Examples
    --------
    >>> corner = np.zeros((32, 32), bool)
    >>> corner[2, 2:30] = corner[2:30, 2] = True
    >>> made = graph(corner)
    >>> len(made.length), made.related.shape
    (2, (2, 16))
    """
    unit, centre = spread(centred(mask)), np.argwhere(mask).mean(axis=0)
    ends = straight_strokes(mask, off=OFF * unit)
    if not len(ends):
        ends = centre + np.array([[[0.0, -0.5], [0.0, 0.5]]])
    along = ends[:, 1] - ends[:, 0]
    length = np.hypot(along[:, 0], along[:, 1]) / unit
    direction = np.arctan2(along[:, 0], along[:, 1])
    middle = (ends.mean(axis=1) - centre) / unit
    return Graph(length, direction, middle, related(ends, length, unit))


def related(ends: Strokes, length: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Say for every stroke where the others lie: touching and apart × directions.

    Others weigh by their share of all length; less where they are nearer than a unit, because
    their direction is then less sure.
    """
    middle = ends.mean(axis=1) / unit
    towards = middle[None] - middle[:, None]
    apart = np.hypot(towards[..., 0], towards[..., 1])
    weight = length / length.sum() * np.minimum(apart, 1.0)
    place = np.arctan2(towards[..., 0], towards[..., 1]) / (2 * np.pi) * DIRECTIONS
    first = np.floor(place).astype(np.int64)
    second_share = place - first
    row = np.broadcast_to(np.arange(len(length))[:, None], apart.shape)
    kind = touching(ends).astype(np.int64)
    made = np.zeros((len(length), 2, DIRECTIONS))
    np.add.at(made, (row, kind, first % DIRECTIONS), weight * (1 - second_share))
    np.add.at(made, (row, kind, (first + 1) % DIRECTIONS), weight * second_share)
    return made.reshape(len(length), -1)


def touching(ends: Strokes) -> NDArray[np.bool_]:
    """Tell which strokes have an end near an end of another."""
    between = ends[:, None, :, None] - ends[None, :, None, :]
    return np.asarray((np.hypot(between[..., 0], between[..., 1]) < TOUCH).any(axis=(2, 3)))


def distances(queries: Sequence[Graph], collection: Sequence[Graph]) -> NDArray[np.float64]:
    """Compare graphs by the strokes' relations: queries × collection."""
    return _distances(queries, collection, distance)


def distances_by_place(
    queries: Sequence[Graph], collection: Sequence[Graph]
) -> NDArray[np.float64]:
    """Compare graphs by the strokes' places: queries × collection."""
    return _distances(queries, collection, partial(distance, moved=by_place))


def _distances(
    queries: Sequence[Graph], collection: Sequence[Graph], apart: Callable[[Graph, Graph], float]
) -> NDArray[np.float64]:
    made = np.empty((len(queries), len(collection)))
    for place, one in enumerate(queries):
        made[place] = [apart(one, other) for other in collection]
        progress.report(place + 1, len(queries))
    return made


def by_relations(one: Graph, other: Graph) -> NDArray[np.float64]:
    """Tell how far the relations of strokes differ: strokes × strokes."""
    return np.asarray(np.abs(one.related[:, None] - other.related).sum(axis=-1))


def by_place(one: Graph, other: Graph) -> NDArray[np.float64]:
    """Tell how far the middles of strokes are apart, in units: strokes × strokes."""
    between = one.middle[:, None] - other.middle
    return np.asarray(np.hypot(between[..., 0], between[..., 1]))


def distance(
    one: Graph,
    other: Graph,
    *,
    moved: Callable[[Graph, Graph], NDArray[np.float64]] = by_relations,
) -> float:
    """Give the cost of the cheapest assignment, over the length of all strokes."""
    from scipy.optimize import linear_sum_assignment

    mine, yours = len(one.length), len(other.length)
    cost = np.full((mine + yours, mine + yours), NEVER)
    cost[:mine, :yours] = assigned(one, other, moved(one, other))
    cost[np.arange(mine), yours + np.arange(mine)] = one.length
    cost[mine + np.arange(yours), np.arange(yours)] = other.length
    cost[mine:, yours:] = 0.0
    found = cost[linear_sum_assignment(cost)].sum()
    return float(found / (one.length.sum() + other.length.sum()))


def assigned(one: Graph, other: Graph, moved: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the costs of assigning strokes to strokes, which differ in place by ``moved``."""
    a, b = one.length[:, None], other.length[None]
    turned = np.abs(np.sin(one.direction[:, None] - other.direction))
    return np.asarray(np.abs(a - b) + (a + b) / 2 * (turned + moved))
