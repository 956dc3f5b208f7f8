"""The items of a project, ready to be sorted, filtered and shown page by page.

The table of all items is made once for each version of a project and stays in memory, the last
few of them; a page then costs no more than the rows it shows.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import unknown
from consilience.formats.rows import ONLY_QUERY
from consilience.study.condition import sorts_only
from consilience.verdict.item_answers import NOTHING
from consilience.web.kept import Kept

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.store.connect import Database
    from consilience.store.items import Who
    from consilience.store.projects import Project
    from consilience.verdict.items_table import ItemsTable

#: How many tables, and how many lists of items of each, stay in memory.
TABLES, LISTS = 3, 16
#: What items can be sorted by → the column of the table, and whether the largest come first.
SORTS = {
    "influence": ("influence", True),
    "disagreement": ("disagreement", True),
    "belief": ("belief", True),
    "answers": ("answered", True),
    "name": ("name", False),
}
#: Items that somebody judged, or nobody; "" is both.
JUDGED = ("", "yes", "no")


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which items are shown, and in what order.

    ``text`` is part of a name, ``split`` asks for items about which judges say different things.
    """

    sort: str = "influence"
    reverse: bool = False
    query: str = ""
    text: str = ""
    judged: str = ""
    split: bool = False


@dataclass(frozen=True)
class Index:
    """A table of items, and what is made of it when somebody asks.

    ``unsure`` are those who say of an item, by query and name, that they cannot tell: for a table
    of figures that is no answer, and for whoever gave it, it is one.
    """

    table: ItemsTable
    unsure: Mapping[tuple[str, str], Sequence[Who]] = field(default_factory=dict)
    _lists: Kept[NDArray[np.int64]] = field(default_factory=lambda: Kept(LISTS))

    def select(self, wanted: Wanted) -> NDArray[np.int64]:
        """Give the codes of the items that are wanted, in order."""
        if wanted.sort not in SORTS:
            raise unknown("order of items", wanted.sort, list(SORTS))
        if wanted.judged not in JUDGED:
            raise unknown("choice of judged items", wanted.judged, JUDGED[1:])
        return self._lists.get(wanted, lambda: self._selected(wanted))

    def _selected(self, wanted: Wanted) -> NDArray[np.int64]:
        found = self.table.find(wanted.text, query=wanted.query or None)
        if wanted.judged:
            found = found[self.table.judged[found] == (wanted.judged == "yes")]
        if wanted.split:
            found = found[self.split[found]]
        column, descending = SORTS[wanted.sort]
        if column == "name":
            ordered = found[np.argsort(self._by_name[found], kind="stable")]
            return ordered[::-1] if wanted.reverse else ordered
        return self.table.order(column, descending=descending != wanted.reverse, among=found)

    @cached_property
    def top(self) -> float | None:
        """The largest influence; None where nothing has any."""
        known = self.table.influence[~np.isnan(self.table.influence)]
        return float(known.max()) if len(known) else None

    @cached_property
    def believed(self) -> bool:
        """Whether anything is believed of any item."""
        return not bool(np.isnan(self.table.belief).all())

    @cached_property
    def split(self) -> NDArray[np.bool_]:
        """The items about which judges say different things."""
        from consilience.verdict.items_split import split_items

        return split_items(self.table.study)

    @cached_property
    def _by_name(self) -> NDArray[np.int64]:
        """The place of every item, by query and name."""
        import pyarrow.compute as pc

        items = self.table.study.items
        order = pc.sort_indices(items.text.arrow(items.rows)).to_numpy()
        queries = np.repeat(np.arange(len(items.starts) - 1), np.diff(items.starts))
        order = order[np.argsort(queries[order], kind="stable")]
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        return place

    @cached_property
    def respondents(self) -> list[dict[str, Any]]:
        """Everybody who answered: those of `table`, and those who could tell of nothing."""
        known = self.table.respondents
        names = {(one["name"], one["kind"]) for one in known}
        everyone = dict.fromkeys(who for some in self.unsure.values() for who in some)
        return known + [
            {**who._asdict(), "silence": "unknown"} for who in everyone if who[:2] not in names
        ]

    def answers(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the answers of all `respondents` to an item of `table`, as they are shown.

        Categories are given to an item whatever it was asked for: they stand beside it in every
        query. Nobody says no by silence to what may be named otherwise, as boxes are.
        """
        said = self._said(row)
        if self.table.unmatched:
            return [one | {"said": None} if one["silent"] else one for one in said]
        if not sorts_only(self.table.study) or row["query"] == ONLY_QUERY:
            return said
        placed = self.row(ONLY_QUERY, row["item"])
        if placed is None:
            return said
        both = zip(said, self._said(placed), strict=True)
        return [there if here["said"] is None else here for here, there in both]

    def _said(self, row: dict[str, Any]) -> list[dict[str, Any]]:
        """Add to what the table has of an item who cannot tell: it says so of nobody by itself."""
        unsure = {who[:2] for who in self.unsure.get((row["query"], row["item"]), ())}
        nothing = {"said": None, "silent": True, "asked": False}
        said = []
        for who, one in zip_longest(self.respondents, row["answers"], fillvalue=nothing):
            told = {**one, "cannot_tell": (who["name"], who["kind"]) in unsure}
            if told["cannot_tell"] and (told["silent"] or told["said"] in NOTHING):
                told |= {"said": "cannot tell", "silent": False, "asked": True}
            said.append(told)
        return said

    def row(self, query: str, item: str) -> dict[str, Any] | None:
        """Find an item of a query by its name; None where nothing that counts is said of it."""
        import pyarrow.compute as pc

        queries, items = self.table.study.queries, self.table.study.items
        if query not in queries:
            return None
        number = queries.index(query)
        begin, end = int(items.starts[number]), int(items.starts[number + 1])
        found = int(pc.index(items.text.arrow(items.rows[begin:end]), item).as_py())
        return None if found < 0 else self.table.rows(np.array([begin + found]))[0]


#: Tables, made or being made; they are made apart, so that a page can say that it waits.
_indices: OrderedDict[tuple[Any, ...], Future[Index]] = OrderedDict()
_lock = threading.Lock()
_makers = ThreadPoolExecutor(2, "items")
#: So many requests wait for tables at a time: each holds a thread that others need. More are told
#: at once that the table is not there yet.
WAITING = 8
_waiting = threading.BoundedSemaphore(WAITING)


def index_of(db: Database, project: Project, *, patience: float) -> Index | None:
    """Give the index of a project as it is now; None where it takes longer than one waits.

    Parameters
    ----------
    db, project
        Where.
    patience
        How many seconds to wait at most.

    Raises
    ------
    UsageError
        Where the project holds no answers.
    """
    key = (db.id, project.id, project.version)
    made = _begun(key, db, project)
    if not made.done() and _waiting.acquire(blocking=False):
        try:
            wait([made], patience)
        finally:
            _waiting.release()
    if not made.done() or made.cancelled():
        return None
    if made.exception() is not None:
        with _lock:
            _indices.pop(key, None)  # another attempt may go better
    return made.result()


def _begun(key: tuple[Any, ...], db: Database, project: Project) -> Future[Index]:
    """Give a table that is made or being made, or begin it.

    What is being made is not forgotten, for somebody will ask for it again; but what was not begun
    yet of an older version is left.
    """
    with _lock:
        made = _indices.get(key) or _makers.submit(_made, db, project)
        _indices[key] = made
        _indices.move_to_end(key)
        for other in [one for one in _indices if one != key and one[:-1] == key[:-1]]:
            if _indices[other].cancel():
                del _indices[other]
        for old in [one for one, its in _indices.items() if its.done()][:-TABLES]:
            del _indices[old]
    return made


def _made(db: Database, project: Project) -> Index:
    from consilience.store.items import unsure
    from consilience.store.studies import study_of
    from consilience.verdict.items_table import items_table

    return Index(items_table(study_of(db, project)), unsure(db, project))
