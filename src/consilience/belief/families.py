"""Families: systems with a common cause of error, declared by users or suggested by the votes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.errors import UsageError, quote, unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief.votes import Votes
    from consilience.study import Study


#: Families are learned from a sample of this many different patterns of votes, at most.
PATTERNS = 5000
#: Beyond this many voters the tree is not tidied up, and families are not learned.
MANY = 300


@dataclass(frozen=True, slots=True)
class Family:
    """Systems with a common cause of error, and how many independent ones they count as."""

    name: str
    members: tuple[str, ...]
    counted_as: float


def one_each(groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """Weigh members so that every group counts as one."""
    return 1.0 / np.bincount(groups)[groups]


def declared_families(votes: Votes, families: Mapping[str, str] | None) -> list[str]:
    """Name every voter's family, its own name where it has none; empty where nobody has one."""
    if families is None:
        people = votes.study.respondents
        families = {
            name: family
            for name, family in zip(people.names, people.family, strict=True)
            if family is not None
        }
        families = {name: families[name] for name in votes.names if name in families}
    for name in families:
        if name not in votes.study.respondents.names:
            raise unknown("system", name, votes.names)
    if not families:
        return []
    return [families.get(name, f"\0{name}") for name in votes.names]


def codes(labels: Sequence[str]) -> NDArray[np.int64]:
    """Number labels in the order in which they first appear."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], np.int64)


def families_of(
    names: Sequence[str], labels: Sequence[str], phi: NDArray[np.float64]
) -> tuple[Family, ...]:
    """Give families by name, with how many independent systems each counts as."""
    family = codes(labels)
    found = []
    for code in range(int(family.max()) + 1):
        members = np.flatnonzero(family == code)
        label = labels[int(members[0])].removeprefix("\0")
        inside = phi[np.ix_(members, members)]
        counted = float(len(members) ** 2 / (inside**2).sum())
        found.append(Family(label, tuple(names[member] for member in members.tolist()), counted))
    return tuple(found)


def grown(phi: NDArray[np.float64]) -> tuple[NDArray[np.float64], tuple[int, ...]]:
    """Join voters by average linkage on 1 − φ; give the tree and its leaves from left to right."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    apart = np.clip(1 - phi, 0.0, 2.0)
    np.fill_diagonal(apart, 0.0)
    tidy = len(phi) <= MANY
    tree = linkage(squareform(apart, checks=False), method="average", optimal_ordering=tidy)
    return tree, tuple(int(leaf) for leaf in leaves_list(tree))


def adjusted_rand(a: Sequence[str], b: Sequence[str]) -> float:
    """Compare two partitions: 1 where they are the same, about 0 where they agree by chance.

    Hubert & Arabie (1985).

    Examples
    --------
    >>> adjusted_rand("xxy", "112"), round(adjusted_rand("xxyy", "1212"), 6)
    (1.0, -0.5)
    """
    one, other = codes(a), codes(b)
    table = np.zeros((one.max() + 1, other.max() + 1))
    np.add.at(table, (one, other), 1)

    def pairs(count: NDArray[np.float64]) -> float:
        return float((count * (count - 1)).sum() / 2)

    inside, mine, theirs = pairs(table), pairs(table.sum(axis=1)), pairs(table.sum(axis=0))
    every = pairs(np.array([float(len(one))]))
    expected = mine * theirs / every if every else 0.0
    highest = (mine + theirs) / 2
    return 1.0 if highest == expected else (inside - expected) / (highest - expected)


def learned_families(votes: Votes, tree: NDArray[np.float64]) -> list[str]:
    """Cut a tree of voters into the families that explain the votes best; name them.

    Every cut of the tree is a partition; the hidden-engine model
    (:func:`consilience.belief.engines.hierarchical`) is fitted to some of them, and the one of
    lowest BIC is taken. Voters alone in their family keep their name. Beyond ``MANY`` voters
    everybody is taken to be alone.
    """
    from scipy.cluster.hierarchy import fcluster

    from consilience.belief.engines import bic
    from consilience.belief.patterns import patterns_of

    if len(votes) > MANY:
        return [f"\0{name}" for name in votes.names]
    patterns = patterns_of(votes).thinned(PATTERNS)
    cuts: list[NDArray[np.int64]] = [
        fcluster(tree, t=count, criterion="maxclust").astype(np.int64)
        for count in _cuts(len(votes))
    ]
    best = int(np.argmin([bic(patterns, groups) for groups in cuts]))
    return _labels(votes.names, cuts[best])


def _cuts(count: int, tried: int = 10) -> list[int]:
    """Choose numbers of families to try: all where there are few, spread by ratio beyond."""
    if count <= tried:
        return list(range(1, count + 1))
    spread = np.geomspace(1, count, tried)
    return sorted({1, 2, 3, count, *np.round(spread).astype(int).tolist()})


def _labels(names: Sequence[str], groups: NDArray[np.integer]) -> list[str]:
    """Name groups by number; a voter alone in its group keeps its own name."""
    size = np.bincount(groups)
    numbers: dict[int, int] = {}
    return [
        f"\0{name}" if size[group] == 1 else f"group {numbers.setdefault(group, len(numbers) + 1)}"
        for name, group in zip(names, groups.tolist(), strict=True)
    ]


def with_families(study: Study, families: Mapping[str, str | None]) -> Study:
    """Declare families: system → family (None for none); the others keep what they have.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = with_families(study({"a": {"q": ["x"]}, "b": {"q": ["y"]}}), {"a": "one"})
    >>> made.respondents.family
    ('one', None)
    """
    people = study.respondents
    if not isinstance(families, Mapping):
        raise UsageError(
            f"families are a dict of system → family, found {quote(type(families).__name__)} "
            "(fix: {'bm25': 'lexical'})"
        )
    for name, family in families.items():
        if family is not None and not isinstance(family, str):
            raise UsageError(
                f"the family of {quote(name)} is {quote(family)} (fix: name it by text)"
            )
        if name not in people.names:
            raise unknown("system", name, people.names)
    every = tuple(
        families.get(name, old) for name, old in zip(people.names, people.family, strict=True)
    )
    return replace(study, respondents=replace(people, family=every))
