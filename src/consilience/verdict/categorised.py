"""Categories that subjects gave items, and what systems score when these are the truth.

A query asks for a category ("dogs") or for more like an item (then its categories are as uncertain
as its subjects were, and distributions are mixed: Santini, eq. 13 and 14).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.categories import Categorised, belief_of_names, by_category, categorise
from consilience.errors import UsageError
from consilience.formats.roles import has_query
from consilience.formats.rows import ONLY_QUERY
from consilience.study.assigned import as_given
from consilience.study.collection import with_collection
from consilience.verdict.possible import Part, under
from consilience.verdict.resample import check_chance
from consilience.verdict.shown import Shown
from consilience.verdict.uncertain import DRAWS, Distributions, distributions

if TYPE_CHECKING:
    from consilience.belief.categories import Weights
    from consilience.formats.rows import Source
    from consilience.measures.lists import Query
    from consilience.study import Study
    from consilience.study.ranking import Ties


@dataclass(frozen=True, slots=True)
class TreeResult(Shown):
    """Beliefs of items in categories; the systems' distributions where there are results.

    ``asked`` is what all queries ask for: ("category", name), ("item", name), or ("per query", "")
    where each query's own name says it. ``mixtures`` holds query → category → weight.
    """

    assigned: Study
    categorised: Categorised
    found: Distributions | None
    asked: tuple[str, str]
    mixtures: dict[str, dict[str, float]]
    weights: Weights
    notes: tuple[str, ...]
    tree_source: Source | None = None

    @property
    def headline(self) -> str:
        """What was found, in a sentence or two."""
        from consilience.verdict.categorised_payload import headline_of

        return headline_of(self)

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.categorised_payload import of_tree

        return of_tree(self)


def by_tree(
    assigned: Any,
    *,
    tree: Any,
    results: Any = None,
    category: str | None = None,
    query_item: str | None = None,
    weights: Weights = "direct",
    level: float = 0.95,
    delta: float = 0.0,
    beta: float = 1.0,
    ties: Ties = "trec",
    draws: int = DRAWS,
    seed: int = 0,
    measure: str = "F1",
) -> TreeResult:
    """Compute what subjects make of items, and systems' distributions under that truth.

    Parameters
    ----------
    assigned
        Who put which item into which category: :func:`consilience.read_assignments`, or anything
        that :func:`consilience.assignments` takes, names of files among it.
    tree
        The tree of categories, or anything that :func:`consilience.tree` takes.
    results
        The systems' answers: a study, names of files, or what :func:`consilience.study` takes;
        None: only the beliefs are computed.
    category, query_item
        What is asked for: a category, or more like an item. None: each query's own name.
    weights
        How a query item weighs categories: "direct" or "inclusive" (normalised).
    level, delta, beta, ties, draws, seed, measure
        As in :func:`consilience.distributions`.

    Examples
    --------
    >>> import consilience as cs
    >>> tree = cs.tree({"all": {"people": {"crowd": {}}, "city": {}}})
    >>> said = {"ann": {"x": "people", "y": "city"}, "bob": {"x": "crowd", "y": "people"}}
    >>> results = cs.study({"s": {"people": ["x", "y"]}})
    >>> found = by_tree(cs.assignments(said, tree=tree), tree=tree, results=results)
    >>> found.categorised.of("x")
    {'all': 1.0, 'people': 1.0, 'crowd': 0.5}
    >>> found.found.outcomes[0].values["precision"].mass.tolist()
    [0.5, 0.5]
    """
    assigned, tree, results = as_given(assigned, tree, results)
    check_chance(level, seed)
    known = categorise(assigned, tree)
    asked = (
        ("category", category)
        if category is not None
        else ("item", query_item)
        if query_item is not None
        else ("per query", "")
    )
    notes = _notes(known)
    if results is None:
        return TreeResult(assigned, known, None, ("none", ""), {}, weights, tuple(notes))
    if asked[0] == "per query" and _unasked(results):
        raise UsageError(
            "the results do not say what was asked for (fix: name it with --category or "
            "--query-item, or add a column 'query'; in Python: category=… or query_item=…)"
        )
    whole = with_collection(results, known.items)
    belief = by_category(
        whole, categorised=known, category=category, query_item=query_item, weights=weights
    )
    mixtures: dict[str, dict[str, float]] = dict(belief.details["mixtures"])

    def parts(column: int, query: Query) -> Sequence[Part]:
        mixture = mixtures[query.name]
        if len(mixture) == 1:
            return [(1.0, query)]
        begin, end = whole.items.starts[column : column + 2]
        names = whole.items.names(np.arange(begin, end))
        p = belief_of_names(known, names, list(mixture))
        return [(w, under(query, p[:, at])) for at, w in enumerate(mixture.values())]

    found = distributions(
        whole,
        belief=belief,
        level=level,
        delta=delta,
        beta=beta,
        ties=ties,
        draws=draws,
        seed=seed,
        measure=measure,
        parts=parts,
    )
    notes += _about_queries(results, known, mixtures, asked)
    return TreeResult(
        assigned,
        known,
        replace(found, study=results, mixed=any(len(one) > 1 for one in mixtures.values())),
        (asked[0], asked[1] or ""),
        mixtures,
        weights,
        tuple(notes),
    )


def _unasked(results: Study) -> bool:
    """Tell whether results know no queries: then all stand under one, which nobody named."""
    if results.queries != (ONLY_QUERY,):
        return False
    return all(
        source.recognised == "list" or (source.columns and not has_query(source.columns))
        for source in results.sources
    )


def _notes(known: Categorised) -> list[str]:
    notes = list(known.tree.notes)
    if known.unanswered:
        notes.append(
            f"nobody could tell the category of {known.unanswered:,} of {len(known):,} items: "
            "their belief is undefined, and they count as not relevant"
        )
    answered = known.answers[known.answers > 0]
    if len(answered) and answered.min() != answered.max():
        notes.append(
            f"items have {answered.min()} to {answered.max()} answers each: shares are of those "
            "who answered"
        )
    return notes


def _about_queries(
    results: Study,
    known: Categorised,
    mixtures: dict[str, dict[str, float]],
    asked: tuple[str, str | None],
) -> list[str]:
    """Say what is odd about a query item: systems that return the item itself."""
    notes = []
    items = {asked[1]} if asked[0] == "item" else {q for q in mixtures if q not in known.tree}
    names = results.items.names(results.answers.item) if items else []
    query = results.answers.query[results.answers.list_of_row()].tolist() if items else []
    itself = sum(
        name == (asked[1] if asked[0] == "item" else results.queries[q])
        for name, q in zip(names, query, strict=True)
        if name in items
    )
    if itself:
        notes.append(
            "a query item is itself among the results: it counts like every other item "
            f"({itself:,} {'time' if itself == 1 else 'times'})"
        )
    return notes
