"""The slow stage of ``symbols``: five descriptors look for drawings like a query's.

Of every character one drawing is the query, drawn by chance; the collection is all drawings, the
query itself among them, as in the paper. A descriptor's answer is the ten drawings that are
nearest to the query. The same is done once more with every drawing turned by a random number of
quarter turns, for a part of the queries: that tells what the way up is worth. And a sixth
descriptor, of the kind of the fifth, looks the queries up: that tells what company is worth.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from consilience import progress
from consilience.errors import UsageError
from consilience.experiments.recorded import (
    FOLDER,
    Recording,
    made,
    need,
    others_data,
    packages,
    stopwatch,
)
from consilience.experiments.reproduced import Asked

if TYPE_CHECKING:
    from consilience.experiments.symbols.shapes import Descriptor

#: The whole set, where it is at hand, and the part that the package carries.
SET, WHOLE = "symbols_omniglot", "images_background_small1.zip"
SLICE = FOLDER.parent / "data" / "omniglot" / "images_slice.zip"
#: How long a descriptor's list is, as in the paper.
DEEPEST = 10
#: One query in so many is looked up among turned drawings, too.
TURNED_EVERY = 4

#: Name → drawing: alphabet/character/drawing.
Drawings: TypeAlias = "dict[str, NDArray[np.bool_]]"


def record(asked: Asked) -> Recording:
    """Describe all drawings, and find the nearest ones to every query's."""
    need(modules=("PIL", "mahotas", "scipy", "skimage"))
    folder = others_data(SET, asked)
    path = SLICE if folder is None else folder / WHOLE
    with stopwatch() as taken:
        output = looked_up(read_drawings(path), size=asked.size, seed=asked.seed)
    return made(
        f"five descriptors, {len(output['queries'])} queries, {len(output['items']):,} drawings",
        output | {"slice": folder is None},
        versions=packages("scikit-image", "mahotas", "scipy", "numpy", "pillow"),
        seconds=taken[0],
    )


def read_drawings(path: Path) -> Drawings:
    """Read a zip file of Omniglot: ink is True, and nothing else is kept of the images.

    Examples
    --------
    >>> drawings = read_drawings(SLICE)
    >>> len(drawings), next(iter(drawings)), drawings["Greek/character01/0394_01"].shape
    (100, 'Balinese/character01/0108_01', (105, 105))
    """
    from PIL import Image

    drawings = {}
    try:
        with zipfile.ZipFile(path) as packed:
            for name in sorted(packed.namelist()):
                if name.endswith(".png"):
                    image = Image.open(io.BytesIO(packed.read(name))).convert("L")
                    short = name.removesuffix(".png").split("/", 1)[1]
                    drawings[short] = np.asarray(image) < 128
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(
            f"{path}: no zip file of drawings: {error} (fix: --data names the folder that "
            f"holds {SET})"
        ) from error
    return drawings


def character(name: str) -> str:
    """Give the character that a drawing shows.

    Examples
    --------
    >>> character("Greek/character01/0394_01")
    'Greek/character01'
    """
    return name.rsplit("/", 1)[0]


def looked_up(drawings: Drawings, *, size: int | None, seed: int) -> dict[str, Any]:
    """Look queries up in a collection, and some of them once more with all drawings turned.

    ``size`` takes so many characters only, for the queries and for the collection.
    """
    from consilience.experiments.symbols.shapes import DESCRIPTORS, SIXTH

    rng = np.random.default_rng(seed)
    characters = list(dict.fromkeys(character(name) for name in drawings))
    if size is not None:
        characters = sorted(rng.permutation(characters)[:size].tolist())
    items = [name for name in drawings if character(name) in {*characters}]
    queries = [
        str(rng.choice([name for name in items if character(name) == one])) for one in characters
    ]
    turns = rng.integers(4, size=len(items)).tolist()
    turned = {name: np.rot90(drawings[name], turn) for name, turn in zip(items, turns, strict=True)}
    some = queries[::TURNED_EVERY]
    upright = {name: drawings[name] for name in items}
    with progress.part(0.0, 0.7):
        found = lists(upright, queries, DESCRIPTORS)
    with progress.part(0.7, 0.95):
        found_turned = lists(turned, some, DESCRIPTORS)
    with progress.part(0.95, 1.0):
        sixth = lists(upright, queries, {"sixth": SIXTH})
    return {
        "items": items,
        "queries": [items.index(name) for name in queries],
        "lists": found,
        "turned": {"queries": [items.index(name) for name in some], "lists": found_turned},
        "sixth": sixth["sixth"],
    }


def lists(
    drawings: Mapping[str, NDArray[np.bool_]],
    queries: Sequence[str],
    descriptors: Mapping[str, Descriptor],
) -> dict[str, list[list[int]]]:
    """Give every descriptor's nearest drawings to every query, as numbers, the nearest first."""
    names, found = list(drawings), {}
    places = [names.index(query) for query in queries]
    for number, (name, descriptor) in enumerate(descriptors.items()):
        with progress.part(number / len(descriptors), (number + 1) / len(descriptors)):
            described = [descriptor.describe(mask) for mask in drawings.values()]
            apart = descriptor.compare([described[place] for place in places], described)
        found[name] = np.argsort(apart, axis=1, kind="stable")[:, :DEEPEST].tolist()
    return found
