"""Which systems answer alike, and how many independent ones there are.

Consensus counts heads; systems that share an engine, a training set or a bug share their errors and
should not be counted as many. This page measures it:

- φ, the correlation of two systems' votes over the items that both spoke of (Pearson's, which for
  yes and no is the φ coefficient), between every two systems;
- the effective number of systems, (Σλ)² / Σλ² over the eigenvalues λ of the φ matrix: s where all
  φ are 0, 1 where all are 1;
- families: those that users declare, and those that the votes suggest (average linkage on 1 − φ,
  cut where a model with a hidden engine per family explains the votes best, by BIC).

Systems correlate also because they are right about the same items. So a high φ alone proves
nothing, and declared families are to be preferred: learned ones agree with them only partly on
real data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.families import (
    Family,
    adjusted_rand,
    codes,
    declared_families,
    families_of,
    grown,
    learned_families,
    one_each,
)
from consilience.belief.looked import sample
from consilience.belief.products import few_pairs, is_sparse, products
from consilience.belief.votes import Votes, votes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from consilience.study import Study

#: Beyond this many voters, correlations are not computed.
MOST = 2000
#: Copies have spoken of at least this share of the larger one's items in common.
SHARED = 0.9
#: Items handled at a time.
BLOCK = 4096
#: Differences below this share of what they are differences of are rounding.
ROUNDING = 1e-9
#: Fewer independent sources than this cannot tell who is right.
FEWEST = 3

_FEW = "fewer than three independent sources ({count}): votes cannot tell who is right"
_NONE = "no two systems spoke of the same item: there is nothing that they could agree on"


@dataclass(frozen=True, slots=True)
class Dependence:
    """Which systems answer alike.

    ``phi`` is their correlation (NaN where one of them is constant); ``tree`` the average linkage
    of 1 − φ in scipy's form, ``order`` its leaves from left to right. ``sources`` counts the
    independent ones: declared families, else learned ones, copies counted once. ``ari`` compares
    the two partitions (adjusted Rand index, 1: the same). ``looked`` tells how many of the
    ``queries`` were looked at, ``step`` that one item in so many was; ``comparable`` whether any
    two systems spoke of the same item.
    """

    systems: tuple[str, ...]
    phi: NDArray[np.float64]
    effective: float
    declared: tuple[Family, ...]
    learned: tuple[Family, ...]
    duplicates: tuple[tuple[str, ...], ...]
    tree: NDArray[np.float64]
    order: tuple[int, ...]
    ari: float | None
    near: float
    items: int
    step: int
    queries: int
    looked: int
    comparable: bool

    @property
    def families(self) -> tuple[Family, ...]:
        """The families that count: declared ones where there are any, else learned ones."""
        return self.declared or self.learned

    @property
    def sources(self) -> int:
        """How many independent sources there are: families, joined where they hold copies."""
        families = [set(one.members) for one in self.families]
        for copies in map(set, self.duplicates):
            joined = [one for one in families if one & copies]
            families = [one for one in families if not one & copies]
            families.append(set().union(*joined))
        return len(families)

    @property
    def warning(self) -> str | None:
        """Say that there are too few independent sources, where that is so."""
        if not self.comparable:
            return _NONE
        return _FEW.format(count=self.sources) if self.sources < FEWEST else None


def dependence(study: Study, *, near: float = 0.95) -> Dependence | None:
    """Find which systems of a study answer alike; None with fewer than two or very many.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["z"]}})
    >>> found = dependence(made)
    >>> found.duplicates, round(found.effective, 3)
    ((('a', 'b'),), 1.0)
    """
    if not study.answers.lists:
        return None
    whole = votes_of(study)
    if not 2 <= len(whole) <= MOST:
        return None
    votes, looked = sample(whole)
    pairs = correlations(votes)
    filled = _filled(pairs.phi)
    tree, order = grown(filled)
    declared = declared_families(votes, None)
    learned = learned_families(votes, tree)
    groups = near_groups(_copies(votes, pairs), near)
    return Dependence(
        votes.names,
        pairs.phi,
        effective_number(pairs.phi),
        families_of(votes.names, declared, filled) if declared else (),
        families_of(votes.names, learned, filled),
        tuple(
            tuple(votes.names[code] for code in np.flatnonzero(groups == group))
            for group in np.unique(groups)
            if (groups == group).sum() > 1
        ),
        tree,
        order,
        adjusted_rand(declared, learned) if declared else None,
        near,
        len(whole.study.items),
        looked.step,
        len(study.queries),
        len(looked.queries),
        bool((pairs.common - np.diag(np.diag(pairs.common))).any()),
    )


@dataclass(frozen=True, slots=True)
class Pairs:
    """Every two voters over the items that both spoke of.

    ``phi`` is the correlation of their votes (NaN where one of them is constant and they differ);
    ``overlap`` is Dice's coefficient, 2 Σ a·b / (Σ a² + Σ b²); ``common`` counts the items.
    """

    phi: NDArray[np.float64]
    overlap: NDArray[np.float64]
    common: NDArray[np.float64]


def correlations(votes: Votes) -> Pairs:
    """Compare every two voters' votes over the items that both spoke of.

    Items that nobody mentioned (of a universe that is larger) count as a common no.
    """
    return related(*_sums(votes))


def related(
    n: NDArray[np.float64],
    mine: NDArray[np.float64],
    square: NDArray[np.float64],
    both: NDArray[np.float64],
) -> Pairs:
    """Compare every two voters by sums over the items that both spoke of (voters × voters).

    ``n`` counts these items; ``mine[a, b]`` is Σ of a's votes there, ``square[a, b]`` Σ of their
    squares, ``both`` Σ of the products.
    """
    covariance = n * both - mine * mine.T
    spread = n * square - mine**2
    spread[spread <= ROUNDING * n * square] = 0.0  # constant, but for rounding
    with np.errstate(divide="ignore", invalid="ignore"):
        phi = covariance / np.sqrt(spread * spread.T)
        overlap = 2 * both / (square + square.T)
    phi[~np.isfinite(phi)] = np.nan
    same = (n > 0) & (square + square.T - 2 * both <= ROUNDING * (square + square.T))
    phi[same] = 1.0  # also where both are constant, and no correlation is defined
    overlap[same] = 1.0
    return Pairs(np.clip(phi, -1.0, 1.0), np.nan_to_num(overlap), n)


def _sums(votes: Votes) -> tuple[NDArray[np.float64], ...]:
    """Add up for every two voters: items, the one's votes and their squares there, products."""
    silent = votes.says_no.astype(np.float64)
    size, never = np.diff(votes.study.items.starts), votes.says_no_to_unmentioned.astype(np.float64)
    n = (silent * size) @ silent.T + (never * votes.unmentioned) @ never.T
    shift = votes.shift() if _may_shift(votes) else None
    if shift is None and not is_sparse(votes):
        total = products(votes)
        return n, total.yes @ silent.T, total.square @ silent.T, total.both
    matrix, query = votes.matrix(), votes.query
    mine = _per_query(matrix, query, len(size)) @ silent.T
    square = _per_query(matrix.multiply(matrix), query, len(size)) @ silent.T
    if shift is not None:
        n, mine, square = _shifted(votes, (n, mine, square), matrix, shift)
    return n, mine, square, _products(matrix)


def _may_shift(votes: Votes) -> bool:
    """Tell whether silence may not tell who spoke."""
    return not bool(votes.lists.all()) or any(part.vote is not None for part in votes.parts)


def _per_query(matrix: csr_array, query: NDArray[np.int32], queries: int) -> NDArray[np.float64]:
    """Add votes up, voters × queries."""
    entries = matrix.tocoo()
    voters = matrix.shape[1]
    cell = entries.coords[1].astype(np.int64) * queries + query[entries.coords[0]]
    total = np.bincount(cell, entries.data, voters * queries).astype(np.float64, copy=False)
    return total.reshape(voters, queries)


def _products(matrix: csr_array) -> NDArray[np.float64]:
    """Multiply votes, voters × voters: sparsely where few speak of an item, else in blocks.

    Products of yes and no are whole numbers, which 32 bits hold exactly, block by block.
    """
    items, voters = matrix.shape
    kind = np.float32 if bool((matrix.data == 1).all()) else np.float64
    if few_pairs(np.diff(matrix.indptr), voters):
        return np.asarray((matrix.T @ matrix).todense())
    total = np.zeros((voters, voters))
    for begin in range(0, items, BLOCK):
        block: NDArray[Any] = matrix[begin : begin + BLOCK].toarray().astype(kind)
        total += block.T @ block
    return total


def _shifted(
    votes: Votes,
    sums: tuple[NDArray[np.float64], ...],
    matrix: csr_array,
    shift: csr_array,
) -> tuple[NDArray[np.float64], ...]:
    """Correct how many items two voters spoke of, and what one said where the other spoke.

    Who spoke is what silence says plus the shift; the sums so far are those of silence alone.
    """
    n, mine, square = sums
    silent = votes.says_no.astype(np.float64)
    moved = _per_query(shift, votes.query, len(votes.study.queries)) @ silent.T
    change = np.asarray((shift.T @ shift).todense())
    n = n + moved + moved.T + change
    mine = mine + np.asarray((matrix.T @ shift).todense())
    square = square + np.asarray((matrix.multiply(matrix).T @ shift).todense())
    return n, mine, square


def _filled(phi: NDArray[np.float64]) -> NDArray[np.float64]:
    """Take undefined correlations for none; everybody agrees with itself."""
    filled = np.nan_to_num(phi)
    np.fill_diagonal(filled, 1.0)
    return (filled + filled.T) / 2


def effective_number(phi: NDArray[np.float64]) -> float:
    """How many independent voters there are: (Σλ)² / Σλ² over the eigenvalues of φ.

    Σλ is the trace, Σλ² the sum of all squared entries; no eigenvalue needs to be computed.

    Examples
    --------
    >>> effective_number(np.eye(3)), effective_number(np.ones((3, 3)))
    (3.0, 1.0)
    """
    filled = _filled(phi)
    return float(len(filled) ** 2 / (filled**2).sum())


def near_groups(alike: NDArray[np.float64], near: float) -> NDArray[np.int64]:
    """Number the groups of voters that are all alike beyond ``near`` (complete linkage).

    Examples
    --------
    >>> near_groups(np.array([[1, 0.99, 0], [0.99, 1, 0], [0, 0, 1.0]]), 0.95).tolist()
    [0, 0, 1]
    """
    groups: NDArray[np.integer] = np.arange(len(alike))
    close = alike > near
    if close.sum() > len(alike):
        from scipy.cluster.hierarchy import fcluster, linkage
        from scipy.spatial.distance import squareform

        apart = np.clip(1 - alike, 0.0, 2.0)
        np.fill_diagonal(apart, 0.0)
        tree = linkage(squareform(apart, checks=False), method="complete")
        groups = fcluster(tree, t=np.nextafter(1 - near, 0), criterion="distance")
    _, first, place = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[place]


def distinct(votes: Votes, *, near: float | None = 0.95) -> NDArray[np.float64]:
    """Weigh voters so that a group of near-duplicates (systems with φ > ``near``) counts as one.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["z"]}})
    >>> distinct(votes_of(made)).tolist()
    [0.5, 0.5, 1.0]
    """
    return one_each(copy_groups(votes, near=near))


def copy_groups(votes: Votes, *, near: float | None = 0.95) -> NDArray[np.int64]:
    """Number the groups of systems that are copies of each other; everybody else is alone."""
    if near is None or not 2 <= len(votes) <= MOST:
        return np.arange(len(votes))
    part, _ = sample(votes)
    return near_groups(_copies(part, correlations(part)), near)


def _copies(votes: Votes, pairs: Pairs) -> NDArray[np.float64]:
    """Say how much two systems are copies of each other: they correlate and say the same.

    Only systems are, and only where they spoke of much the same: two people who agree on all
    they have both seen are two people.
    """
    kinds = votes.study.respondents.kind
    system = np.array([kinds[code] == "system" for code in votes.respondent])
    spoken = np.diag(pairs.common)
    alike = pairs.common >= SHARED * np.maximum.outer(spoken, spoken)
    like = np.minimum(_filled(pairs.phi), pairs.overlap)
    known: NDArray[np.float64] = np.where(np.outer(system, system) & alike, like, 0.0)
    np.fill_diagonal(known, 1.0)
    return known


def family_weights(
    votes: Votes, families: Mapping[str, str] | None
) -> tuple[NDArray[np.float64], str]:
    """Weigh voters 1 / size of their family; tell where the families are from."""
    declared = declared_families(votes, families)
    if declared:
        return one_each(codes(declared)), "declared"
    if not 2 < len(votes) <= MOST:
        return np.ones(len(votes)), "none"
    part, _ = sample(votes)
    tree, _ = grown(_filled(correlations(part).phi))
    return one_each(codes(learned_families(part, tree))), "learned"
