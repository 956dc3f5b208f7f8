"""Pipelines that share their engines, made up, with known truth.

Lamiroy & Sun (2013, §4.3) compared 24 document pipelines: 3 binarizations × 4 segmentations × 2 OCR
engines. One engine was clearly better, and yet consensus ranked its pipelines lower: engines are
consistent in their errors, so twelve pipelines "agree" on each. Within one engine the order
came out right. This module makes such studies, so that the effect can be seen, and what helps
against it be measured.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study


@dataclass(frozen=True, slots=True)
class Engine:
    """What an engine does to every page, the same in all pipelines that use it.

    It loses a share of what is there and invents a share of what is not.
    """

    name: str
    loses: float
    invents: float


GOOD, BAD = Engine("good", 0.05, 0.005), Engine("bad", 0.45, 0.05)
#: What each binarization and each segmentation loses on top, from the best to the worst.
BINARIZATIONS = {"wolf": 0.01, "sauvola": 0.03, "otsu": 0.08}
SEGMENTATIONS = {"lines": 0.01, "blocks": 0.03, "tiles": 0.06, "none": 0.10}
#: What a pipeline invents by itself.
NOISE = 0.002


def pipelines(
    engines: tuple[tuple[Engine, int], ...] = ((GOOD, 12), (BAD, 12)),
    *,
    pages: int = 20,
    items: int = 500,
    prevalence: float = 0.05,
    seed: int = 0,
) -> Study:
    """Make a study of pipelines that share engines, with its truth and the engines as families.

    Parameters
    ----------
    engines
        Engines, each with how many pipelines use it (up to 12: 3 binarizations × 4 segmentations).
    pages
        Queries.
    items
        Candidates on each page, some of which are really there.
    prevalence
        The share of those that are.
    seed
        The seed of chance.

    Examples
    --------
    >>> study = pipelines(pages=3)
    >>> study
    <Study: 24 systems, 3 queries, 1,500 items, 2,179 answers, truth complete>
    >>> study.systems[0], study.respondents.family[0]
    ('wolf-lines-good', 'good')
    """
    from consilience.study import study

    rng = np.random.default_rng(seed)
    shape = (pages, items)
    truth = rng.random(shape) < prevalence
    stages = {
        name: rng.random(shape) < loss for name, loss in {**BINARIZATIONS, **SEGMENTATIONS}.items()
    }
    combined = [(b, s) for s in SEGMENTATIONS for b in BINARIZATIONS]
    table: dict[str, list[object]] = {"query": [], "system": [], "family": [], "item": []}
    for engine, count in engines:
        if not 1 <= count <= len(combined):
            raise UsageError(f"an engine has 1 to {len(combined)} pipelines, found {count}")
        read = _read(rng, truth, engine)
        for binarization, segmentation in combined[:count]:
            kept = read & ~stages[binarization] & ~stages[segmentation]
            found = kept | (rng.random(shape) < NOISE)
            _add(table, f"{binarization}-{segmentation}-{engine.name}", engine.name, found)
    gold: dict[str, dict[str, int]] = {
        f"page-{page + 1}": {f"i{item}": int(truth[page, item]) for item in range(items)}
        for page in range(pages)
    }
    return study(table, truth=gold)


def few_labels(budget: int, *, seed: int = 0) -> Study:
    """Hide the truth of pipelines but for some labels, drawn by design.

    Examples
    --------
    >>> few_labels(50)
    <Study: 24 systems, 20 queries, 10,000 items, ... answers, truth partial>
    """
    from consilience.belief import gold
    from consilience.measures.names import parse
    from consilience.study.subset import keep_lists
    from consilience.verdict.design import draw, frame, probabilities

    whole = pipelines(seed=seed)
    truth = gold(whole).of_all(len(whole.items))
    nobody = np.zeros(whole.evidence.lists, bool)
    known = frame(
        replace(whole, evidence=keep_lists(whole.evidence, nobody)), parse("F1(average=micro)")
    )
    drawn = draw(known, probabilities(known, budget), seed=seed)
    return _labelled(whole, truth, drawn.item, drawn.probability)


def _labelled(
    whole: Study,
    truth: NDArray[np.float64],
    item: NDArray[np.int64],
    probability: NDArray[np.float64],
) -> Study:
    """Let gold speak of some items only, each with the probability of having been drawn."""
    by_query = np.lexsort((item, whole.items.query(item)))
    item, probability = item[by_query], probability[by_query]
    queries, first = np.unique(whole.items.query(item), return_index=True)
    code = int(whole.respondents.of_kind("gold")[0])
    evidence = replace(
        whole.evidence,
        respondent=np.full(len(queries), code, np.int32),
        query=queries.astype(np.int32),
        starts=np.append(first, len(item)).astype(np.int64),
        item=item.astype(np.int32),
        vote=truth[item],
        grade=None,
        probability=probability,
    )
    people = whole.respondents
    silence = tuple(
        "unknown" if kind == "gold" else said
        for kind, said in zip(people.kind, people.silence, strict=True)
    )
    return replace(whole, evidence=evidence, respondents=replace(people, silence=silence))


def _read(rng: np.random.Generator, truth: NDArray[np.bool_], engine: Engine) -> NDArray[np.bool_]:
    """Tell what an engine reads: most of what is there, some of what is not."""
    lost, invented = rng.random(truth.shape) < engine.loses, rng.random(truth.shape)
    return np.where(truth, ~lost, invented < engine.invents)


def _add(
    table: dict[str, list[object]], system: str, family: str, found: NDArray[np.bool_]
) -> None:
    pages, items = np.nonzero(found)
    table["query"] += [f"page-{page + 1}" for page in pages.tolist()]
    table["item"] += [f"i{item}" for item in items.tolist()]
    table["system"] += [system] * len(pages)
    table["family"] += [family] * len(pages)
