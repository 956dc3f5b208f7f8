"""The papers' experiments, remade with real programs, on real data or made ones of that kind.

Each module runs one experiment: ``run(asked)`` computes with the library's own functions and tells
(:class:`~consilience.experiments.reproduced.Reproduced`) the paper's table beside ours, what agrees
and what does not. Where a stage is slow (hours of OCR, others' data that may not be passed on) its
output was recorded (:mod:`consilience.experiments.recorded`) and ``again`` runs it for real;
``record(asked)`` of the module is that stage.

What is not the paper's own input is said so: the papers' images, tracks and runs were not
published, so the experiments are remade on inputs of the same kind.
"""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from consilience.errors import UsageError, unknown
from consilience.experiments.reproduced import Asked, Reproduced

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment: its module, what it does, whose it is.

    ``slow``: it has a stage that takes long, or that needs others' data or programs. What the stage
    gave was recorded, ``again`` runs it for real, and its module has ``record`` and ``RECORDED``,
    the name of the recording. The others compute everything every time. ``size`` tells what there
    may be fewer of (empty: nothing); ``others`` that ``again`` reads others' data.
    """

    module: str
    about: str
    source: str
    size: str
    slow: bool = False
    others: bool = False


#: The papers, as they are cited.
LS11 = "Lamiroy & Sun 2011"
LS13 = "Lamiroy & Sun 2013"
SANTINI = "Santini"
POST = "the post on average precision"
FM = "Fränti & Mariescu-Istodor 2023"
#: Name → the experiment, in the order of the papers.
EXPERIMENTS = {
    "binarization": Experiment(
        "binarization.experiment",
        "three binarizations of degraded pages, read by OCR: entities with and without truth",
        f"{LS11}, Tables 6 to 8 (2013, Tables 4 to 6)",
        "pages",
        slow=True,
    ),
    "pipelines": Experiment(
        "pipelines.experiment",
        "24 pipelines on two OCR engines: when consensus follows the wrong engine, and the cure",
        f"{LS13}, §4.3, Figures 3 and 4",
        "pages",
        slow=True,
    ),
    "symbols": Experiment(
        "symbols.experiment",
        "five shape descriptors retrieve drawn symbols: precision and recall at 1 to 10",
        f"{LS11}, Tables 4 and 5, Figures 1 and 2",
        "queries",
        slow=True,
        others=True,
    ),
    "words": Experiment(
        "words",
        "short lists of words that are nearly right: soft cardinalities",
        f"{FM}, Table 3",
        "",
    ),
    "countries": Experiment(
        "countries.experiment",
        "misspelt names of countries: soft and crisp precision and recall",
        f"{FM}, Table 4",
        "repetitions",
    ),
    "segments": Experiment(
        "segments.experiment",
        "segments of time: the paper's example, and who spoke when by four real systems",
        f"{FM}, Table 5; AMI meetings",
        "meetings",
    ),
    "tours": Experiment(
        "tours.experiment",
        "GPS tours found by similarity: rides made of one recorded drive, soft and crisp",
        f"{FM}, Table 6",
        "repetitions",
    ),
    "pictures": Experiment(
        "pictures.experiment",
        "20 pictures, 5 people and a tree of categories; then 2,235 pictures, 5 votes each",
        f"{SANTINI}, §4 and §5",
        "categories",
    ),
    "runs": Experiment(
        "runs.experiment",
        "143 runs of TREC-COVID ranked with judgments, without, and with a few",
        f"{LS13}, §1, §4.3 and §6, on TREC-COVID",
        "topics",
        slow=True,
        others=True,
    ),
    "which-ap": Experiment(
        "which_ap.experiment",
        "one set of detections under every average precision; who changes places between them",
        POST,
        "images and topics",
        slow=True,
        others=True,
    ),
}


def reproduce(
    name: str,
    *,
    again: bool = False,
    size: int | None = None,
    seed: int = 0,
    data: Path | None = None,
) -> Reproduced:
    """Run an experiment of the papers.

    Parameters
    ----------
    name
        One of `EXPERIMENTS`.
    again
        Run slow stages for real instead of reading what was recorded.
    size
        Take so many pages, queries or trials only: a quick look.
    seed
        The seed of chance.
    data
        The folder of others' data that may not be passed on; for ``again`` alone.

    Returns
    -------
    Reproduced
        The paper's tables beside ours, what agrees and what does not, figures.
    """
    if name not in EXPERIMENTS:
        raise unknown("experiment", name, list(EXPERIMENTS))
    chosen = EXPERIMENTS[name]
    asked = Asked(again=again, size=size, seed=seed, data=data)
    _check(name, chosen, asked)
    begun = time.perf_counter()
    module = importlib.import_module(f"consilience.experiments.{chosen.module}")
    result: Reproduced = module.run(asked)
    return replace(result, source=chosen.source, seconds=time.perf_counter() - begun)


def _check(name: str, chosen: Experiment, asked: Asked) -> None:
    """Refuse what would change nothing."""
    if asked.size is not None and asked.size < 1:
        raise UsageError(f"size must be 1 or more, found {asked.size}")
    if asked.size is not None and not chosen.size:
        raise UsageError(f"{name} is small already (fix: leave --size out)")
    if asked.again and not chosen.slow:
        raise UsageError(
            f"{name} has no slow stage: everything is computed every time (fix: leave --again out)"
        )
    if asked.data is not None and not asked.again and chosen.others:
        raise UsageError(
            "others' data are read where slow stages are run again (fix: add --again, or leave "
            "--data out: what the stages gave was recorded)"
        )
    if asked.data is not None and not chosen.others:
        raise UsageError(f"{name} reads no others' data (fix: leave --data out)")
