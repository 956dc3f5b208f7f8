"""Sums that estimates from a guess and a few labels start from (AIPW), inside an engine.

:func:`consilience.measures.corrected.estimate` adds the guess up over what every system returned
and over all items, and corrects both by the labels. The first sums are over all rows: they are
made here. The rows about labelled items are few, and come back as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from consilience import progress
from consilience.engine import expressions as e
from consilience.engine.gathering import answers_at, right, settled
from consilience.engine.tables import Tables, joined, values

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.study.ranking import Ties


@dataclass(frozen=True, slots=True)
class GuessSums:
    """Sums of a guess (systems × queries; ``whole``: queries).

    ``found`` is by cutoff (None: all that was returned): Σ vote · guess. ``returned`` is Σ vote,
    ``length`` how many were returned; ``held`` is Σ guess over the items that a system spoke of,
    which counts for those whose silence means "unknown"; ``whole`` is Σ guess over all items.
    """

    found: Mapping[int | None, NDArray[np.float64]]
    returned: NDArray[np.float64]
    length: NDArray[np.float64]
    held: NDArray[np.float64]
    whole: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Labelled:
    """Answers about labelled items: who returned them, where in the list, with which label.

    ``query`` and ``system`` are numbers; ``item`` is as stored; a position of 0: not returned, or
    the list has no order.
    """

    query: NDArray[np.int64]
    system: NDArray[np.int64]
    item: pa.ChunkedArray
    vote: NDArray[np.float64]
    position: NDArray[np.int64]
    label: NDArray[np.float64]
    probability: NDArray[np.float64]


def guess_sums(
    tables: Tables,
    guess: nw.LazyFrame[Any],
    *,
    cutoffs: Sequence[int] = (),
    ties: Ties = "trec",
) -> GuessSums:
    """Add a guess up over what every system returned, at every cutoff, and over all items.

    Parameters
    ----------
    tables
        Answers on an engine.
    guess
        query, item, guess, on the same engine and with the same names (``engine.small`` makes a
        frame of what is in memory).
    cutoffs
        Depths k.
    ties
        How equal scores are settled.
    """
    ties = settled(tables, ties)
    shape = (tables.systems, len(tables.queries))
    found: dict[str, NDArray[np.float64]] = {}
    for done, part in enumerate(tables.parts):
        for near in (True, False):
            answers = e.guessed(answers_at(tables, part, cutoffs, ties, near=near), guess)
            table = tables.engine.collect(e.cells(answers, cutoffs=cutoffs))
            if not near or right(table, cutoffs):
                break
        where = tables.respondent_code(table), tables.query_code(table)
        for name in table.column_names:
            if name not in ("query", "respondent"):
                found.setdefault(name, np.zeros(shape))[where] = values(table[name])
        progress.report(done + 1, len(tables.parts))
    whole = np.zeros(len(tables.queries))
    table = tables.engine.collect(guess.group_by("query").agg(total=nw.col("guess").sum()))
    code = tables.query_code(table)
    whole[code[code >= 0]] = values(table["total"])[code >= 0]
    by_cutoff: dict[int | None, NDArray[np.float64]] = {k: found[f"found@{k}"] for k in cutoffs}
    return GuessSums(
        by_cutoff | {None: found["found"]},
        found["returned"],
        found["length"],
        found["held"],
        whole,
    )


def labelled(tables: Tables, labels: nw.LazyFrame[Any], *, ties: Ties = "trec") -> Labelled:
    """Give all answers about items that have a label.

    ``labels`` holds query, item, label, probability, as :func:`guess_sums` takes a guess.
    """
    found, ties = [], settled(tables, ties)
    for part in tables.parts:
        answers = e.positions(part.answers, tables.said, ties=ties)
        found.append(tables.engine.collect(e.labelled(answers, labels)))
    table = joined(found)
    return Labelled(
        tables.query_code(table),
        tables.respondent_code(table),
        table["item"],
        values(table["vote"]),
        np.nan_to_num(values(table["position"])).astype(np.int64),
        values(table["label"]),
        values(table["probability"]),
    )
