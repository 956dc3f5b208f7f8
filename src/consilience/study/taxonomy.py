"""Trees of categories: what is a kind of what.

A :class:`Tree` names categories and their parents. It may be a forest (several roots) and, where
that is asked for, a DAG: a category then may have several parents. Categories are numbered, parents
before children and otherwise in the order of the input; names stay at the edge.

Whoever puts an item into a category puts it into all its ancestors, too. ``closure`` says which
these are; a DAG's ancestor is one ancestor, however many paths lead to it.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, quote
from consilience.formats.trees import of_object, read_links
from consilience.study.linking import link

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

#: How many names of categories a message shows.
_SHOWN = 8


@dataclass(frozen=True, slots=True, repr=False)
class Tree:
    """Categories and their parents; frozen, and made by :func:`tree`, which checks it once.

    ``parents[c]`` are the codes of category ``c``'s parents, none for a root; ``dag`` tells that
    several were allowed. ``paths`` tells that categories are called by their paths
    (``animal/dog``): then the last part alone names one, too, where no other ends alike.
    ``notes`` are worth telling whoever gave the tree.

    Examples
    --------
    >>> animals = tree({"animal": {"dog": {"poodle": {}}, "cat": {}}})
    >>> animals
    <Tree: 4 categories, 1 root, depth 2>
    >>> animals.names, animals.parents
    (('animal', 'dog', 'poodle', 'cat'), ((), (0,), (1,), (0,)))
    >>> animals.depth.tolist(), animals.leaves
    ([0, 1, 2, 1], (2, 3))
    """

    names: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    dag: bool = False
    paths: bool = False
    notes: tuple[str, ...] = field(default=(), compare=False)
    _number: Mapping[str, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        number = _by_last_part(self.names) if self.paths else {}
        number |= {name: code for code, name in enumerate(self.names)}
        object.__setattr__(self, "_number", number)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._number

    def code(self, name: str) -> int:
        """Give the code of a category.

        Examples
        --------
        >>> tree(["animal/dog", "animal/cat"]).code("cat")
        2
        >>> tree({"cat": None}).code("act")
        Traceback (most recent call last):
        consilience.errors.UsageError: unknown category 'act'; did you mean 'cat'? possible: cat
        """
        found = self._number.get(name)
        if found is None:
            raise UsageError(f"unknown category {quote(name)};{self.possible(name)}")
        return found

    def possible(self, name: str) -> str:
        """Say what was probably meant by a name that is no category, and what was possible."""
        near = self.nearest(name)
        hint = f" did you mean {near!r}?" if near else ""
        more = f", … ({len(self):,} in all)" if len(self) > _SHOWN else ""
        return f"{hint} possible: {', '.join(self.names[:_SHOWN])}{more}"

    def nearest(self, name: str) -> str | None:
        """Give the category that is spelt most like a name, where one is."""
        alike = [one for one in self.names if self.paths and one.endswith(f"/{name}")]
        near = alike or difflib.get_close_matches(name, self._number, n=1)
        return near[0] if near else None

    @property
    def roots(self) -> tuple[int, ...]:
        """The categories without parents."""
        return tuple(code for code, parents in enumerate(self.parents) if not parents)

    @property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The children of each category."""
        below: list[list[int]] = [[] for _ in self.names]
        for code, parents in enumerate(self.parents):
            for parent in parents:
                below[parent].append(code)
        return tuple(map(tuple, below))

    @property
    def leaves(self) -> tuple[int, ...]:
        """The categories without children."""
        inner = {parent for parents in self.parents for parent in parents}
        return tuple(code for code in range(len(self)) if code not in inner)

    @property
    def depth(self) -> NDArray[np.int64]:
        """How many edges each category lies below a root; in a DAG on the longest way."""
        depth = np.zeros(len(self), np.int64)
        for code, parents in enumerate(self.parents):
            if parents:
                depth[code] = 1 + max(depth[parent] for parent in parents)
        return depth

    @property
    def closure(self) -> csr_array:
        """Ancestors: [c, a] is 1 where ``a`` is ``c`` or an ancestor of it (sparse).

        Examples
        --------
        >>> tree({"b": "a", "c": "b", "a": None}).closure.toarray().astype(int).tolist()
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
        """
        from scipy.sparse import csr_array

        nothing = np.zeros(0, np.int64)
        above: list[NDArray[np.int64]] = []
        for code, parents in enumerate(self.parents):  # parents stand before their children
            ways = [above[parent] for parent in parents] or [nothing]
            higher = ways[0] if len(ways) == 1 else np.unique(np.concatenate(ways))
            above.append(np.append(higher, code))
        ends = np.cumsum([0, *(len(one) for one in above)])
        places = np.concatenate([nothing, *above])
        return csr_array((np.ones(len(places)), places, ends), shape=(len(self), len(self)))

    def ancestors(self, code: int) -> tuple[int, ...]:
        """Give the ancestors of a category, itself among them, in the order of the tree."""
        found, waiting = {code}, [code]
        while waiting:
            fresh = [parent for parent in self.parents[waiting.pop()] if parent not in found]
            found.update(fresh)
            waiting += fresh
        return tuple(sorted(found))

    def lowest_common(self, a: int, b: int) -> int | None:
        """Give the deepest common ancestor of two categories; None where they share none.

        A category is its own ancestor. Where a DAG has several that are equally deep, the first in
        the order of the tree is taken.

        Examples
        --------
        >>> animals = tree(["animal/dog/poodle", "animal/cat", "stone"])
        >>> animals.names[animals.lowest_common(animals.code("poodle"), animals.code("cat"))]
        'animal'
        >>> animals.lowest_common(animals.code("poodle"), animals.code("stone"))
        """
        common = {*self.ancestors(a)} & {*self.ancestors(b)}
        if not common:
            return None
        depth = self.depth
        return min(common, key=lambda code: (-int(depth[code]), code))

    def distance(self, codes: Sequence[int] | NDArray[np.integer]) -> NDArray[np.float64]:
        """Give the lengths of the shortest ways between some categories, up or down, in edges.

        Where there are several roots they are taken to hang from one above them, so that every
        length is finite and the lengths are a metric: two roots are 2 apart.

        Examples
        --------
        >>> animals = tree(["animal/dog/poodle", "animal/cat", "stone"])
        >>> animals.distance([2, 3, 4]).tolist()
        [[0.0, 3.0, 4.0], [3.0, 0.0, 3.0], [4.0, 3.0, 0.0]]
        """
        from scipy.sparse.csgraph import shortest_path

        wanted = np.asarray(codes, np.int64)
        if not len(wanted):
            return np.zeros((0, 0))
        pairs = [(code, parent) for code, above in enumerate(self.parents) for parent in above]
        if len(self.roots) > 1:
            pairs += [(root, len(self)) for root in self.roots]
        edges = _marked(pairs, len(self) + 1)
        ways = shortest_path(edges, directed=False, unweighted=True, indices=wanted)
        between: NDArray[np.float64] = np.atleast_2d(ways)[:, wanted]
        return between

    def __repr__(self) -> str:
        kind, roots = "DAG" if self.dag else "Tree", len(self.roots)
        said = "1 root" if roots == 1 else f"{roots:,} roots"
        return f"<{kind}: {len(self):,} categories, {said}, depth {int(self.depth.max())}>"


def _marked(pairs: Sequence[tuple[int, int]], size: int) -> csr_array:
    """Give a square sparse matrix with 1 at some places."""
    from scipy.sparse import csr_array

    row, column = np.array(pairs, np.int64).reshape(-1, 2).T
    return csr_array((np.ones(len(pairs)), (row, column)), shape=(size, size))


def _by_last_part(names: Iterable[str]) -> dict[str, int]:
    """Number paths by their last parts, where no two end alike."""
    last: dict[str, int] = {}
    twice: set[str] = set()
    for code, name in enumerate(names):
        part = name.rpartition("/")[2]
        if part in last:
            twice.add(part)
        last[part] = code
    return {part: code for part, code in last.items() if part not in twice}


def tree(
    data: Any,
    *,
    dag: bool = False,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    name: str | None = None,
) -> Tree:
    """Make a tree of categories.

    Parameters
    ----------
    data
        A file (its name), in one of the forms of :mod:`consilience.formats.trees`; a frame, rows or
        a dict with columns ``category`` and ``parent`` (empty or None for a root), or ``path``; a
        list of paths such as ``"animal/dog/poodle"``; a list of pairs ``(child, parent)``, with
        None for a root; a nested dict ``{"animal": {"dog": {}}}``; a dict ``{child: parent}``, with
        None for a root and a list for several parents. A dict is nested where some value is a
        dict, or where its lists name nothing that is a key.
    dag
        Whether a category may have several parents.
    columns
        "category", "parent" or "path" → column, where a table's names do not say it.
    encoding
        The text encoding of a file, where it is not UTF-8.
    name
        What messages call a file, where that is not its path.

    Raises
    ------
    InputError
        With every problem: a cycle, a second parent, a parent that is no category, …

    Examples
    --------
    >>> tree({"people": "all", "crowd": "people", "city": "all", "all": None}).names
    ('all', 'people', 'crowd', 'city')
    >>> tree([("dog", "animal"), ("animal", None)]).names
    ('animal', 'dog')
    >>> tree({"crowd": "people", "people": "crowd"})
    Traceback (most recent call last):
    consilience.errors.InputError: tree: a cycle: crowd → people → crowd (fix: ...)
    """
    if isinstance(data, Tree):
        return data
    if isinstance(data, (str, os.PathLike)):
        links = read_links(data, columns=columns, encoding=encoding, name=name)
    else:
        links = of_object(_of_pairs(data), columns=columns)
    names, parents, notes = link(links, dag=dag)
    return Tree(names, parents, dag, links.paths, notes)


def _of_pairs(data: Any) -> Any:
    """Make columns of pairs (child, parent); anything else stays as it is."""
    if not isinstance(data, (list, tuple)) or not data:
        return data
    names = (str, int, float, np.generic, type(None))
    for one in data:
        if not isinstance(one, tuple) or len(one) != 2:
            return data
        if not all(isinstance(part, names) for part in one):
            return data
    child, parent = zip(*data, strict=True)
    return {"category": list(child), "parent": ["" if one is None else one for one in parent]}
