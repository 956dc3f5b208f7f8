"""Five ways to describe a drawn shape, and how far two descriptions are apart.

The descriptors that Lamiroy & Sun (2011, §2.3.1) compare, built from their publications:

- ``Radon``: the R-signature, how ink is spread over the directions of projection
  (:mod:`~consilience.experiments.symbols.shapes.projections`);
- ``GFD``: the generic Fourier descriptor, magnitudes of a spectrum over radius and angle
  (:mod:`~consilience.experiments.symbols.shapes.fourier`);
- ``Zernike``: magnitudes of Zernike moments
  (:mod:`~consilience.experiments.symbols.shapes.zernike`);
- ``SC``: shape context, where the rest of the outline lies as each of its points sees it
  (:mod:`~consilience.experiments.symbols.shapes.context`);
- ``ARG``: an attributed relational graph, straight strokes and how they lie to each other
  (:mod:`~consilience.experiments.symbols.shapes.relations`).

All take a drawing as a mask (rows × columns, True where there is ink), with at least one pixel of
ink, and are blind to where it stands and how large it is. The first three are blind to rotation as
well; SC and ARG are not: they know what is above and what is below.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.experiments.symbols.shapes import context, fourier, projections, relations, zernike


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A descriptor: what it is, and after whom; what it makes of a drawing; how it compares.

    ``compare`` gives distances, queries × collection. ``blind`` tells whether a drawing that is
    turned is the same to it.
    """

    about: str
    after: str
    describe: Callable[[NDArray[np.bool_]], Any]
    compare: Callable[[Sequence[Any], Sequence[Any]], NDArray[np.float64]]
    blind: bool


#: The descriptors, in the order of the paper's tables.
DESCRIPTORS = {
    "Radon": Descriptor(
        f"energy of {projections.DIRECTIONS} projections",
        "Tabbone et al. 2006",
        projections.signature,
        projections.distances,
        True,
    ),
    "GFD": Descriptor(
        f"polar spectrum, {fourier.RADIAL} × {fourier.ANGULAR} magnitudes",
        "Zhang & Lu 2002",
        fourier.spectrum,
        fourier.distances,
        True,
    ),
    "Zernike": Descriptor(
        f"magnitudes of moments up to order {zernike.ORDER}",
        "Khotanzad & Hong 1990",
        zernike.moments,
        zernike.distances,
        True,
    ),
    "SC": Descriptor(
        f"shape context: {context.POINTS} points, {context.RINGS} × {context.SECTORS} bins",
        "Belongie et al. 2002",
        context.contexts,
        context.distances,
        False,
    ),
    "ARG": Descriptor(
        "graph of straight strokes, matched",
        "Santosh et al. 2012; Riesen & Bunke 2009",
        relations.graph,
        relations.distances,
        False,
    ),
}
#: A sixth one of ARG's kind, for a check only: the same strokes, compared by place.
SIXTH = Descriptor(
    "straight strokes by place",
    "Riesen & Bunke 2009",
    relations.graph,
    relations.distances_by_place,
    False,
)
