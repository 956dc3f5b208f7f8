r"""Uncertain truth from a tree of categories: how many subjects put an item into each of them.

Subjects each put an item x into one category of a tree, a leaf or an inner one. Of the N who
answered, the share that chose ω itself is *direct*; an item of a category is of its ancestors, too,
so the share that chose ω or anything below it is *inclusive* (Santini, §4)::

    p'(ω|x) = |{s : Ω(s, x) = ω}| / N        p(ω|x) = p'(ω|x) + Σ_{ζ child of ω} p(ζ|x)
    |ω| = Σ_x p(ω|x)

Conventions
-----------
- The paper's eq. 8, as printed, adds only what was put *directly* into the children. The text
  ("from the bottom up") means the recursion above, and so do we.
- Counts are added up over ``tree.closure`` and divided last: the root of a tree has p = 1, exactly.
- In a DAG a subject counts once for an ancestor, however many ways lead there.
- An item that nobody could tell has no belief: NaN, not 0. It is counted (``unanswered``).
- Items are joined by name: who assigned and who returned an item need not share a study.
- A query that is itself an item of uncertain category mixes categories, by weights that sum to 1
  (eq. 13, 14): the direct shares p'(ω|q), or the inclusive ones divided by their sum.

References
----------
S. Santini, Benchmarking without ground truth, eq. 6-14.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.belief.model import Belief
from consilience.errors import UsageError, quote, unknown
from consilience.study.collection import places
from consilience.study.model import as_study
from consilience.study.taxonomy import tree as made_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from consilience.study.model import Study
    from consilience.study.taxonomy import Tree

#: Which shares weigh the categories of a query item.
Weights = Literal["direct", "inclusive"]
WEIGHTS: tuple[Weights, ...] = ("direct", "inclusive")
_ASSUMES = (
    "the subjects' shares are probabilities; who names a category means its ancestors, too; "
    "an item that nobody categorised is not relevant"
)
#: How many names a message shows.
_SHOWN = 3


@dataclass(frozen=True, slots=True, repr=False)
class Categorised:
    """What subjects make of items: shares of categories, as sparse matrices (items × categories).

    ``items`` are the names of the items, as the study numbers them; ``answers`` is how many
    subjects told each one's category. Rows of items without answers are empty in ``direct`` and
    ``inclusive``, and NaN where they are given densely. ``size`` is |ω|.
    """

    tree: Tree
    items: tuple[str, ...]
    answers: NDArray[np.int64]
    direct: csr_array
    inclusive: csr_array
    size: NDArray[np.float64]
    _number: Mapping[str, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        number = {name: code for code, name in enumerate(self.items)}
        object.__setattr__(self, "_number", number)

    def __len__(self) -> int:
        return len(self.items)

    def __contains__(self, item: object) -> bool:
        return item in self._number

    @property
    def unanswered(self) -> int:
        """How many items nobody could tell."""
        return int((self.answers == 0).sum())

    def code(self, item: str) -> int:
        """Give the code of an item."""
        found = self._number.get(item)
        if found is None:
            near = difflib.get_close_matches(item, self._number, n=1)
            hint = f"did you mean {quote(near[0])}?" if near else "name one that was assigned"
            raise UsageError(f"nobody assigned an item {quote(item)} (fix: {hint})")
        return found

    def of(self, item: str, *, weights: Weights = "inclusive") -> dict[str, float]:
        """Give the shares of an item's categories, in the order of the tree; zeros are left out.

        An item without answers has none.
        """
        row = self.code(item)
        table = self._table(weights)
        codes, shares = _row(table, row)
        return {self.tree.names[c]: p for c, p in zip(codes.tolist(), shares.tolist(), strict=True)}

    def by_item(self, *, weights: Weights = "inclusive") -> dict[str, dict[str, float]]:
        """Give the shares of every item: {item: {category: share}}."""
        return {item: self.of(item, weights=weights) for item in self.items}

    def dense(
        self, categories: Sequence[str] | None = None, *, weights: Weights = "inclusive"
    ) -> NDArray[np.float64]:
        """Give shares as an array, items × categories; NaN for items without answers."""
        table = self._table(weights)
        if categories is not None:
            table = table[:, [self.tree.code(name) for name in categories]]
        shares: NDArray[np.float64] = table.toarray()
        shares[self.answers == 0] = np.nan
        return shares

    def _table(self, weights: Weights) -> csr_array:
        if weights not in WEIGHTS:
            raise unknown("kind of weights", str(weights), WEIGHTS)
        return self.direct if weights == "direct" else self.inclusive

    def __repr__(self) -> str:
        return (
            f"<Categorised: {len(self):,} items, {len(self.tree):,} categories, "
            f"{int(self.answers.sum()):,} answers, {self.unanswered:,} items without any>"
        )


def _row(table: csr_array, row: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    begin, end = int(table.indptr[row]), int(table.indptr[row + 1])
    return table.indices[begin:end], table.data[begin:end]


def categorise(study: Study, tree: Any) -> Categorised:
    """Tell which share of the subjects put each item into each category.

    Parameters
    ----------
    study
        Assignments: :func:`consilience.read_assignments`, :func:`consilience.assignments`.
    tree
        The tree of their categories, or anything that :func:`consilience.tree` takes.

    Examples
    --------
    The picture of the paper: *people* by 2 of 5 subjects, *crowd*, a kind of people, by one,
    *city* by 2.

    >>> import consilience as cs
    >>> tree = cs.tree({"all": {"people": {"crowd": {}}, "city": {}}})
    >>> said = ["people", "people", "crowd", "city", "city"]
    >>> rows = {"item": ["picture"] * 5, "subject": range(5), "category": said}
    >>> found = categorise(cs.assignments(rows, tree=tree), tree)
    >>> found.of("picture")
    {'all': 1.0, 'people': 0.6, 'crowd': 0.2, 'city': 0.4}
    >>> found.of("picture", weights="direct")
    {'people': 0.4, 'crowd': 0.2, 'city': 0.4}
    """
    from scipy.sparse import csr_array

    as_study(study, "categorise", fix="make one with cs.assignments(data, tree=tree)")
    known = made_tree(tree)
    evidence = study.evidence
    if evidence.category is None or len(study.queries) != 1:
        raise UsageError(
            "the study holds no assignments (fix: read them with consilience.read_assignments)"
        )
    to = np.array([*(known.code(name) for name in study.categories), -1], np.int64)
    category = to[evidence.category]  # -1, no answer, is the last of them
    told = category >= 0
    item, category = evidence.item[told], category[told]
    shape = (len(study.items), len(known))
    counts = csr_array((np.ones(len(item)), (item, category)), shape=shape)
    counts.sum_duplicates()
    answers = np.bincount(item, minlength=shape[0]).astype(np.int64)
    above: csr_array = counts @ known.closure
    above.sort_indices()
    inclusive = _shares(above, answers)
    names = study.items.names(np.arange(shape[0]))
    size = np.asarray(inclusive.sum(axis=0), np.float64).ravel()
    return Categorised(known, tuple(names), answers, _shares(counts, answers), inclusive, size)


def _shares(counts: csr_array, answers: NDArray[np.int64]) -> csr_array:
    """Divide the counts of every row by its answers."""
    shares = counts.copy()
    shares.data /= np.repeat(answers, np.diff(counts.indptr))
    return shares


def mixture(
    categorised: Categorised, item: str, *, weights: Weights = "direct"
) -> dict[str, float]:
    """Give the weights by which a query item mixes categories; they sum to 1.

    Parameters
    ----------
    categorised
        What subjects make of items.
    item
        The query item.
    weights
        "direct": the shares of subjects who chose the category itself; "inclusive": the shares
        of those who chose it or anything below it, divided by their sum.

    Examples
    --------
    >>> import consilience as cs
    >>> tree = cs.tree({"all": {"dog": {}, "cat": {}}})
    >>> said = {"ann": {"x": "dog"}, "bob": {"x": "cat"}}
    >>> found = categorise(cs.assignments(said, tree=tree), tree)
    >>> mixture(found, "x"), mixture(found, "x", weights="inclusive")
    ({'dog': 0.5, 'cat': 0.5}, {'all': 0.5, 'dog': 0.25, 'cat': 0.25})
    """
    shares = categorised.of(item, weights=weights)
    if not shares:
        raise UsageError(
            f"nobody could tell the category of the query item {quote(item)} "
            "(fix: choose another one, or name a category)"
        )
    total = sum(shares.values())
    return {name: share / total for name, share in shares.items()}


def belief_of_names(
    categorised: Categorised, names: Sequence[str], categories: Sequence[str]
) -> NDArray[np.float64]:
    """Give p(ω|x) of items by name (names × categories); NaN where nobody told anything."""
    known = categorised._number
    row = np.fromiter((known.get(name, -1) for name in names), np.int64, len(names))
    there = np.flatnonzero(row >= 0)
    there = there[categorised.answers[row[there]] > 0]
    p = np.full((len(row), len(categories)), np.nan)
    codes = [categorised.tree.code(name) for name in categories]
    p[there] = categorised.inclusive[row[there]][:, codes].toarray()
    return p


def by_category(
    study: Study,
    *,
    categorised: Categorised,
    category: str | None = None,
    query_item: str | None = None,
    weights: Weights = "direct",
) -> Belief:
    """Believe that an item is relevant as far as subjects put it into the query's category.

    Parameters
    ----------
    study
        The systems' answers, with every categorised item under every query:
        :func:`consilience.with_collection`. Items are joined by name.
    categorised
        What subjects make of items.
    category, query_item
        What is asked for, by all queries: a category, or more like this item. None: every query's
        own name, which is a category or, if not, an item.
    weights
        How a query item weighs categories: see :func:`mixture`.

    Returns
    -------
    Belief
        For a query item the probability is the *marginal* one, Σ_ω w_ω p(ω|x): given ω, items are
        independent; over all ω they are not, and the distribution of a measure must be mixed
        itself. Items that nobody categorised have none. ``details`` has "mixtures" (query →
        category → weight) and "uncategorised" (how many items have no belief).

    Examples
    --------
    >>> import consilience as cs
    >>> tree = cs.tree({"all": {"dog": {}, "cat": {}}})
    >>> said = {"ann": {"x": "dog", "y": "cat", "z": "dog"}, "bob": {"x": "dog", "y": "dog"}}
    >>> found = categorise(cs.assignments(said, tree=tree), tree)
    >>> study = cs.with_collection(cs.study({"s": {"dog": ["y", "x"]}}), found.items)
    >>> belief = by_category(study, categorised=found)
    >>> dict(zip(study.items.names(belief.item), belief.p.tolist()))
    {'y': 0.5, 'x': 1.0, 'z': 1.0}
    >>> cs.score(study, measures=["P", "R"], belief=lambda made: belief).matrix("R").tolist()
    [[0.6]]
    """
    mixtures = _mixtures(study, categorised, category, query_item, weights)
    place = places(study.items, categorised.items)
    known = np.flatnonzero(place >= 0)
    known = known[categorised.answers[place[known]] > 0]
    _check_collection(study, categorised, known)
    p = np.empty(len(known))
    ends = np.searchsorted(known, study.items.starts)
    worth: dict[tuple[tuple[str, float], ...], NDArray[np.float64]] = {}
    for query, mixed in enumerate(mixtures.values()):
        key = tuple(mixed.items())
        if key not in worth:
            vector = np.zeros(len(categorised.tree))
            for name, weight in key:
                vector[categorised.tree.code(name)] = weight
            worth[key] = np.minimum(categorised.inclusive @ vector, 1.0)
        here = slice(int(ends[query]), int(ends[query + 1]))
        p[here] = worth[key][place[known[here]]]
    told = categorised.answers[categorised.answers > 0]
    return Belief(
        known.astype(np.int64),
        p,
        p.copy(),
        elsewhere=float("nan"),
        queries=np.ones(len(study.queries), bool),
        method="tree",
        assumes=_ASSUMES,
        effective_respondents=float(told.mean()) if len(told) else float("nan"),
        details={"mixtures": mixtures, "uncategorised": len(study.items) - len(known)},
    )


def _mixtures(
    study: Study,
    categorised: Categorised,
    category: str | None,
    query_item: str | None,
    weights: Weights,
) -> dict[str, dict[str, float]]:
    """Tell which categories every query asks for, and how much of each."""
    if category is not None and query_item is not None:
        raise UsageError("a query is a category or an item, not both (fix: name one of them)")
    if category is not None:
        name = categorised.tree.names[categorised.tree.code(category)]
        return {query: {name: 1.0} for query in study.queries}
    if query_item is not None:
        mixed = mixture(categorised, query_item, weights=weights)
        return dict.fromkeys(study.queries, mixed)
    strange = [
        query
        for query in study.queries
        if query not in categorised.tree and query not in categorised
    ]
    if strange:
        shown = ", ".join(map(quote, strange[:_SHOWN]))
        more = f" and {len(strange) - _SHOWN:,} more" if len(strange) > _SHOWN else ""
        raise UsageError(
            f"neither a category of the tree nor an assigned item: query {shown}{more} (fix: call "
            "queries by what they ask for, or name it with --category or --query-item)"
        )
    tree = categorised.tree
    return {
        query: {tree.names[tree.code(query)]: 1.0}
        if query in tree
        else mixture(categorised, query, weights=weights)
        for query in study.queries
    }


def _check_collection(study: Study, categorised: Categorised, known: NDArray[np.int64]) -> None:
    """See that every query holds all that was categorised: recall counts what was not returned."""
    held = np.bincount(study.items.query(known), minlength=len(study.queries))
    lacking = int((categorised.answers > 0).sum()) - int(held.min(initial=len(categorised)))
    if lacking > 0:
        raise UsageError(
            f"a query lacks {lacking:,} of the categorised items, which nobody returned but recall "
            "counts (fix: study = consilience.with_collection(study, categorised.items))"
        )
