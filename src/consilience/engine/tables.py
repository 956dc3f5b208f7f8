"""The tables that engines give to the one definition: who answered what, as lazy frames.

Frames hold names as they are stored, whole numbers or text: numbering a billion rows would cost a
join. What comes back is small, a row for each list or each query, and is numbered then.

- ``answers``: query, respondent, item, vote (1 where nothing else was said, null: cannot tell),
  ``score`` and ``rank`` where there are any (null: not given), ``row`` (the order of the input);
- ``evidence``: what judges said: query, respondent, item, ``row``, and of vote, grade, probability,
  round those that occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from consilience.columns import numbers
from consilience.errors import UsageError, quote
from consilience.study.build import told_by

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw
    import pyarrow as pa
    from numpy.typing import NDArray

    from consilience.formats.rows import Source
    from consilience.study.model import Respondents


class Engine(Protocol):
    """Where frames are computed: DuckDB, Spark, or anything that narwhals knows."""

    def collect(self, frame: nw.LazyFrame[Any]) -> pa.Table:
        """Compute a frame; what goes wrong is said in our words."""
        ...

    def small(self, columns: Mapping[str, pa.Array]) -> nw.LazyFrame[Any]:
        """Make a frame of a few rows that are here."""
        ...


@dataclass(frozen=True, slots=True)
class Said:
    """What answers of systems hold, so that nothing is computed that nobody said.

    ``scored``, ``ranked``: some have scores, or ranks. ``fractions``: some votes are between 0 and
    1; ``noes``: some say no, or cannot tell; ``gaps``: some cannot tell. ``unordered``: some were
    returned without a score or rank. ``rows_ordered``: the input has an order.
    """

    scored: bool = False
    ranked: bool = False
    fractions: bool = False
    noes: bool = False
    gaps: bool = False
    unordered: bool = False
    rows_ordered: bool = True

    @property
    def plain(self) -> bool:
        """Whether all votes say yes."""
        return not (self.fractions or self.noes or self.gaps)


@dataclass(frozen=True, slots=True)
class Part:
    """The answers to some of the queries (by number), and what judges said of them."""

    queries: NDArray[np.int64]
    answers: nw.LazyFrame[Any]
    evidence: nw.LazyFrame[Any] | None
    votes: int


@dataclass(frozen=True, slots=True)
class Tables:
    """Answers and evidence on an engine, and the small facts about them.

    ``query_keys``, ``system_keys`` and ``judge_keys`` are names as the frames hold them, in the
    order of ``queries``, of the systems and of the judges among ``respondents`` (systems stand
    first). ``asked`` (respondents × queries) tells to whom a query was put. ``parts`` hold whole
    queries each, and together everything: what needs a query alone is computed part by part.
    """

    engine: Engine
    parts: tuple[Part, ...]
    queries: tuple[str, ...]
    respondents: Respondents
    query_keys: pa.Array
    system_keys: pa.Array
    judge_keys: pa.Array
    asked: NDArray[np.bool_]
    said: Said
    universe: int | None = None
    sources: tuple[Source, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was noted of all answers, and of files in reading them."""
        return (*self.told, *told_by(self.sources))

    @property
    def systems(self) -> int:
        """How many systems there are: the first respondents."""
        return len(self.system_keys)

    @property
    def heard(self) -> NDArray[np.bool_]:
        """Tell who was asked anything."""
        return np.asarray(self.asked.any(axis=1), bool)

    @property
    def trusted(self) -> NDArray[np.bool_]:
        """Tell which respondents bear on the truth: gold and people, but no language models."""
        return np.array([kind in ("gold", "person") for kind in self.respondents.kind], bool)

    @property
    def votes(self) -> int:
        """How many answers there are."""
        return sum(part.votes for part in self.parts)

    def people(self, columns: Mapping[str, NDArray[np.float64]]) -> nw.LazyFrame[Any]:
        """Make a frame of numbers about every respondent: judge (0 or 1), respondent, numbers."""
        import pyarrow as pa

        keys = pa.concat_arrays([self.system_keys, self.judge_keys])
        judge = pa.array(np.repeat([0, 1], [self.systems, len(self.judge_keys)]))
        told = {name: pa.array(values) for name, values in columns.items()}
        return self.engine.small({"judge": judge, "respondent": keys, **told})

    def per_query(
        self, queries: NDArray[np.int64], columns: Mapping[str, NDArray[np.float64]]
    ) -> nw.LazyFrame[Any]:
        """Make a frame of numbers about some queries."""
        import pyarrow as pa

        told = {name: pa.array(values) for name, values in columns.items()}
        return self.engine.small({"query": self.query_keys.take(pa.array(queries)), **told})

    def check_universe(self, items: NDArray[np.int64] | NDArray[np.float64]) -> None:
        """See that no query has more items than there are to choose from."""
        if self.universe is None or self.universe >= items.max(initial=0):
            return
        query, most = self.queries[int(items.argmax())], int(items.max())
        raise UsageError(
            f"a universe of {self.universe:,} items is too small: query {quote(query)} alone has "
            f"{most:,} (fix: give its true size, or --universe pool)"
        )

    def query_code(self, table: pa.Table) -> NDArray[np.int64]:
        """Number the queries of a table that came back."""
        return places(table["query"], self.query_keys)

    def respondent_code(
        self, table: pa.Table, column: str = "respondent", judging: str = "judge"
    ) -> NDArray[np.int64]:
        """Number the respondents of a table that came back; ``judging`` tells who is a judge."""
        who = places(table[column], self.system_keys)
        if not len(self.judge_keys) or judging not in table.column_names:
            return who
        judge = values(table[judging]) > 0
        other = places(table[column], self.judge_keys) + self.systems
        return np.where(judge, other, who)


def places(column: pa.ChunkedArray, keys: pa.Array) -> NDArray[np.int64]:
    """Tell where each value of a column stands among keys; -1: nowhere.

    Examples
    --------
    >>> import pyarrow as pa
    >>> places(pa.chunked_array([["b", "a"]]), pa.array(["a", "b"])).tolist()
    [1, 0]
    """
    import pyarrow.compute as pc

    found = pc.fill_null(pc.index_in(column.cast(keys.type), keys), -1)
    return values(found).astype(np.int64)


def values(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Give a column of numbers as an array; nulls are NaN."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cast = column.cast(pa.float64())
    if cast.null_count:
        cast = pc.fill_null(cast, float("nan"))
    return numbers(cast.chunks).astype(np.float64, copy=False)


def joined(tables: Sequence[pa.Table]) -> pa.Table:
    """Put what came back of parts one below the other."""
    import pyarrow as pa

    return tables[0] if len(tables) == 1 else pa.concat_tables(tables)
