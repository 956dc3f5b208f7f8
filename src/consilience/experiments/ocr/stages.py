"""All stages, page by page: from a seed to what every pipeline read, and how it is recorded.

A pipeline is a binarization, a segmentation and an OCR engine, followed by the recogniser of names:
3 × 4 × 2 = 24 of them, in this order, the engine changing fastest as in the papers ("every other
path uses one of the 2 tested OCR engines"). Two more stand beside them (`BESIDE`): Sauvola and Wolf
with each other's constant.

Truth is the text that was printed. Its entities are those that the same recogniser finds in it, so
that figures measure what binarization, segmentation and OCR did, not what the recogniser is worth.

The recording
-------------
``output`` is plain data:

- ``pipelines``: a list of ``{"name", "binarization", "segmentation", "engine"}``, the 24, then
  those beside (``"beside": true``);
- ``pages``: a list of pages, each with ``name`` (``p01`` …), ``genre``, ``font``, ``size``,
  ``state`` (good, fair, poor), ``wear`` (strength of each degradation), ``truth`` and ``read``
  (pipeline → reading). The truth and each reading have ``words`` (one text, words parted by single
  blanks) and ``entities`` (a list of names in reading order).

:func:`entities` and :func:`words` give them as the library's functions take them: pipeline → page →
tokens, the truth under `TRUTH`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from consilience import progress
from consilience.experiments.ocr import binarize, degrade, engines, letters, pages, segment
from consilience.experiments.recorded import Recording, made, need, packages, stopwatch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from consilience.experiments.reproduced import Asked

#: The papers had so many pages.
PAGES = 60
#: Pages are read side by side by at most so many processes.
WORKERS = 2
#: What the truth is called beside the pipelines.
TRUTH = "truth"
#: Backs of sheets are pages with numbers from here on, which are never read.
BACKS = 1000


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A way from a grey page to names."""

    binarization: str
    segmentation: str = "layout"
    engine: str = "tesseract"

    @property
    def name(self) -> str:
        """The stages, in their order."""
        return f"{self.binarization} · {self.segmentation} · {self.engine}"


PIPELINES = tuple(
    Pipeline(binarization, segmentation, engine)
    for binarization in binarize.BINARIZATIONS
    for segmentation in segment.SEGMENTATIONS
    for engine in engines.ENGINES
)
#: The first experiment's three: Tesseract with its own layout.
THREE = tuple(Pipeline(binarization) for binarization in binarize.BINARIZATIONS)
BESIDE = tuple(Pipeline(binarization) for binarization in binarize.BESIDE)


def photographed(place: int, *, seed: int = 0) -> NDArray[np.uint8]:
    """Make the grey image of a page: text, print, wear."""
    import numpy as np

    front, back = (
        pages.printed(letters.letter(at, seed=seed), pages.style(at, seed=seed))
        for at in (place, BACKS + place)
    )
    rng = np.random.default_rng([seed, place, 4])
    return degrade.degraded(front, back, degrade.wear(place, seed=seed), rng)


def read_page(place: int, *, seed: int, pipelines: Sequence[Pipeline]) -> dict[str, Any]:
    """Send a page through pipelines; what several of them share is done once."""
    grey = photographed(place, seed=seed)
    letter, style = letters.letter(place, seed=seed), pages.style(place, seed=seed)
    worn = degrade.wear(place, seed=seed)
    read: dict[str, Any] = {}
    for binarization in dict.fromkeys(one.binarization for one in pipelines):
        ink = binarize.binarized(grey, binarization)
        cut = {}
        for one in (one for one in pipelines if one.binarization == binarization):
            if one.segmentation not in cut:
                cut[one.segmentation] = segment.segmented(ink, one.segmentation)
            layout = segment.SEGMENTATIONS[one.segmentation]
            text = engines.recognised(cut[one.segmentation], one.engine, layout=layout)
            read[one.name] = _told(text)
    return {
        "name": f"p{place + 1:02}",
        "genre": letter.genre,
        "font": style.font,
        "size": style.size,
        "state": worn.state,
        "wear": worn.strength,
        "truth": _told(letter.text),
        "read": read,
    }


def _told(text: str) -> dict[str, Any]:
    from consilience.experiments.ocr.entities import entities

    return {"words": " ".join(text.split()), "entities": entities(text)}


def record(asked: Asked, *, pipelines: Sequence[Pipeline] = (*PIPELINES, *BESIDE)) -> Recording:
    """Read the pages with real programs; ``asked.size`` is their number, of 60."""
    need(modules=("doxapy", "PIL", "quickjs"), programs=engines.ENGINES)
    count = PAGES if asked.size is None else asked.size
    with stopwatch() as taken:
        read = _all_pages(count, seed=asked.seed, pipelines=pipelines)
    output = {
        "pipelines": [_described(one) for one in pipelines],
        "pages": read,
    }
    what = f"{len(pipelines)} pipelines read {count} pages, with {WORKERS} processes"
    return made(what, output, versions=versions(), seconds=taken[0])


def _all_pages(count: int, *, seed: int, pipelines: Sequence[Pipeline]) -> list[dict[str, Any]]:
    """Read pages side by side and give them in their order.

    Processes are spawned: forked ones would share half a JavaScript engine.
    """
    read_one = partial(read_page, seed=seed, pipelines=pipelines)
    workers = min(WORKERS, count, os.cpu_count() or 1)
    if workers < 2:
        return _counted(map(read_one, range(count)), count)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return _counted(pool.map(read_one, range(count)), count)


def _counted(found: Iterable[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    read = []
    for one in found:
        read.append(one)
        progress.report(len(read), count)
    return read


def _described(one: Pipeline) -> dict[str, Any]:
    told = {
        "name": one.name,
        "binarization": one.binarization,
        "segmentation": one.segmentation,
        "engine": one.engine,
    }
    return told | ({"beside": True} if one in BESIDE else {})


def versions() -> dict[str, str]:
    """Name the programs and packages that the readings depend on."""
    from consilience.experiments.ocr.entities import COMPROMISE

    asked = {name: engines.version(name) for name in engines.ENGINES}
    names = ("doxapy", "pillow", "numpy", "scipy", "quickjs-ng")
    return asked | {"compromise": COMPROMISE} | packages(*names)


def entities(
    output: Mapping[str, Any], pipelines: Iterable[str], *, size: int | None = None
) -> dict[str, dict[str, list[str]]]:
    """Give the names that pipelines found: pipeline → page → names, the truth under `TRUTH`.

    Parameters
    ----------
    output
        What was recorded.
    pipelines
        Names of pipelines.
    size
        The number of pages (None: all).
    """
    found = {name: _of(output, name, "entities", size) for name in pipelines}
    return found | {TRUTH: _of(output, TRUTH, "entities", size)}


def words(
    output: Mapping[str, Any], pipelines: Iterable[str], *, size: int | None = None
) -> dict[str, dict[str, list[str]]]:
    """Give the words that pipelines read, as :func:`entities` gives names."""
    found = {name: _of(output, name, "words", size) for name in pipelines}
    return found | {TRUTH: _of(output, TRUTH, "words", size)}


def _of(output: Mapping[str, Any], name: str, what: str, size: int | None) -> dict[str, list[str]]:
    found = {}
    for page in output["pages"][:size]:
        told = (page["truth"] if name == TRUTH else page["read"][name])[what]
        found[page["name"]] = told.split() if what == "words" else told
    return found
