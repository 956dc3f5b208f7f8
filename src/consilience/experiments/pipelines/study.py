"""What pipelines read as studies, as bags of words (Method I), and their scores by every method.

The items of a page are mentions: the second *Boston* on a page is an item of its own, wherever it
stands. A page's pool is what some pipeline read; what the page really says beyond that was found by
nobody, counts for the recall by truth, and cannot be asked of a person who labels the pool.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from consilience.belief.agreement import by_family, consensus, ls_eb
from consilience.belief.coins import dawid_skene
from consilience.belief.engines import hierarchical
from consilience.belief.judges import gold
from consilience.formats import read_object
from consilience.measures.scores import score
from consilience.study.build import build
from consilience.verdict.designed import designed
from consilience.verdict.labelling import next_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.study import Study

#: F over all pages together, and averaged over pages.
MICRO, MACRO = "F1(average=micro)", "F1"
PRECISION = "P(average=micro)"
#: Labels drawn by design, and what the methods with labels are called.
BUDGET = 100
LABELS = f"{BUDGET} labels"
SHRUNK = "labels, shrunk"
#: Method → whom it believes; none of them looks at the truth.
METHODS: dict[str, Callable[..., Belief]] = {
    "consensus": consensus,
    "copies once": ls_eb,
    "Dawid–Skene": dawid_skene,
    "engines once": by_family,
    "hidden engines": hierarchical,
}
#: What the methods do, for people.
ABOUT = {
    "consensus": "the papers': every pipeline has a vote, and so have ⊤ and ⊥",
    "copies once": "LS-EB: pipelines whose votes correlate beyond 0.95 count as one",
    "Dawid–Skene": "every pipeline has its own rates of error, independent of the others'",
    "engines once": "families: all pipelines of an OCR engine together have one vote",
    "hidden engines": "HDS: what each engine read is hidden behind its pipelines",
}


@dataclass(frozen=True, slots=True)
class Readings:
    """What every pipeline read on every page, and what the page says: mentions as items.

    ``rows`` is the long table of what was read: query (the page), system, family (its engine) and
    item.
    """

    truth: Mapping[str, tuple[str, ...]]
    engine: Mapping[str, str]
    rows: pa.Table

    def of(self, names: Collection[str]) -> Readings:
        """Keep some pipelines only."""
        import pyarrow.compute as pc

        kept = pc.is_in(self.rows["system"], value_set=pa.array(list(names)))
        engine = {name: one for name, one in self.engine.items() if name in names}
        return Readings(self.truth, engine, self.rows.filter(kept))

    def nothing(self) -> dict[str, dict[str, list[str]]]:
        """Give the pages on which a pipeline found nothing: that is an answer, too."""
        found = self.rows.select(["system", "query"]).group_by(["system", "query"]).aggregate([])
        pairs = {*zip(*(found[name].to_pylist() for name in ("system", "query")), strict=True)}
        empty = {
            name: {page: list[str]() for page in self.truth if (name, page) not in pairs}
            for name in self.engine
        }
        return {name: pages for name, pages in empty.items() if pages}

    def pool(self) -> dict[str, set[str]]:
        """Give what some pipeline read, page by page."""
        found: dict[str, set[str]] = {page: set() for page in self.truth}
        either = self.rows.select(["query", "item"]).group_by(["query", "item"]).aggregate([])
        for page, item in zip(
            *(either[name].to_pylist() for name in ("query", "item")), strict=True
        ):
            found[page].add(item)
        return found


def readings(
    read: Mapping[str, Mapping[str, Sequence[str]]],
    truth: Mapping[str, Sequence[str]],
    engine: Mapping[str, str],
) -> Readings:
    """Take what pipelines read (pipeline → page → tokens) and what pages say (page → tokens).

    Examples
    --------
    >>> made = readings({"a": {"p": ["x", "y", "x"]}}, {"p": ["x"]}, {"a": "good"})
    >>> made.rows["item"].to_pylist(), made.truth
    (['x', 'y', 'x (2)'], {'p': ('x',)})
    """
    lists = [
        (page, name, mentions(tokens))
        for name, pages in read.items()
        for page, tokens in pages.items()
    ]
    sizes = [len(items) for _, _, items in lists]
    columns = {
        "query": [page for page, _, _ in lists],
        "system": [name for _, name, _ in lists],
        "family": [engine[name] for _, name, _ in lists],
    }
    table = {
        name: pa.DictionaryArray.from_arrays(np.repeat(codes.indices, sizes), codes.dictionary)
        for name, codes in (
            (n, pa.array(column).dictionary_encode()) for n, column in columns.items()
        )
    }
    table["item"] = pa.array([item for _, _, items in lists for item in items]).dictionary_encode()
    said = {page: mentions(tokens) for page, tokens in truth.items()}
    return Readings(said, dict(engine), pa.table(table))


def mentions(tokens: Iterable[str]) -> tuple[str, ...]:
    """Number the mentions of each token.

    Examples
    --------
    >>> mentions(["Boston", "Ohio", "Boston"])
    ('Boston', 'Ohio', 'Boston (2)')
    """
    seen: Counter[str] = Counter()
    made = []
    for token in tokens:
        seen[token] += 1
        made.append(token if seen[token] == 1 else f"{token} ({seen[token]})")
    return tuple(made)


def blind(whole: Readings, *, truth: Any = None) -> Study:
    """Make a study of what pipelines read; engines are families."""
    given = [(whole.rows, "answers"), (whole.nothing(), "pages without a find")]
    tables = [rows for data, name in given if len(data) for rows in read_object(data, name=name)]
    if truth is not None:
        tables += read_object(truth, name="truth", kind="gold")
    return build(tables)


def seen(whole: Readings) -> Study:
    """The same with the truth: everything that a page says, and nothing else, is relevant."""
    pool = whole.pool()
    told = [
        (page, item, item in items)
        for page, listed in whole.truth.items()
        for items in [{*listed}]
        for item in sorted(items | pool[page])
    ]
    page, item, label = (list(column) for column in zip(*told, strict=True))
    truth = {"query": page, "item": item, "label": [int(one) for one in label]}
    return blind(whole, truth=pa.table(truth))


def scores(
    made: Study, belief: Callable[..., Belief] = gold, *, measure: str = MICRO
) -> NDArray[np.float64]:
    """Score all systems by a belief, in the order of the study."""
    found = score(made, measures=[measure], belief=belief)
    return np.array([found[name][measure].value for name in made.systems])


@dataclass(frozen=True, slots=True)
class Labelled:
    """Estimates of F from labels, in the order of the study.

    ``value`` is the plain estimate, by which ``rank`` orders systems, and ``reach`` half the width
    of its 95 % interval; ``shrunk`` is drawn towards what the votes suggest. ``labels`` counts
    what was drawn.
    """

    value: NDArray[np.float64]
    reach: NDArray[np.float64]
    shrunk: NDArray[np.float64]
    labels: int


def by_labels(whole: Readings, budget: int, *, seed: int) -> Labelled:
    """Estimate F from about so many labels, drawn by design and answered from the truth."""
    drawn = next_labels(blind(whole), budget=budget, measure=MICRO, seed=seed).rows
    right = {page: {*items} for page, items in whole.truth.items()}
    table = {
        "query": [row["query"] for row in drawn],
        "item": [row["item"] for row in drawn],
        "label": [int(row["item"] in right[row["query"]]) for row in drawn],
        "probability": [row["probability"] for row in drawn],
    }
    labelled = blind(whole, truth=table)
    found = designed(labelled, measures=[MICRO], seed=seed).measures[MICRO]
    reach = found.quantile(0.95) * found.standard_error
    return Labelled(found.value, reach, found.shrunk, len(drawn))


def pooled(whole: Readings) -> Readings:
    """Leave out of the truth what no pipeline read: what labels of the pool can tell."""
    pool = whole.pool()
    kept = {
        page: tuple(item for item in items if item in pool[page])
        for page, items in whole.truth.items()
    }
    return replace(whole, truth=kept)
