r"""Answers that are categories: which one is right, when people choose between several.

Every respondent k has a *confusion matrix*: ``e_k[c, l]`` is how often it says l where c is true.
With prevalences π and the labels that were given for an item (Dawid & Skene 1979)::

    p[i, c] ∝ π_c · Π e_k[c, l]       over the labels l that respondents k gave i     (E step)
    e_k[c, l] ∝ Σ_i p[i, c]           over the items where k said l; π = mean_i p[i]  (M step)

Conventions
-----------
They are those of crowd-kit 1.4, so that the labels are the same: EM starts from the shares of the
labels; sums below 1e-10 are raised to it and nothing else is smoothed; a respondent's matrix has
no place for labels that it never used; probabilities are those before the last M step. EM ends when
the mean bound of a vote rises by less than ``tolerance``; the bound counts π once for every vote.
Ties go to the category that comes first.

References
----------
A. P. Dawid and A. M. Skene, "Maximum Likelihood Estimation of Observer Error-Rates Using the EM
Algorithm", Applied Statistics 28 (1979), pp. 20–28.

D. Ustalov, N. Pavlichenko and B. Tseitlin, "Learning from Crowds with Crowd-Kit", Journal of Open
Source Software 9(96), 6227 (2024).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from consilience.study import Answers, Study

#: How the category of an item is found.
Method = Literal["dawid-skene", "majority"]
METHODS: tuple[Method, ...] = ("dawid-skene", "majority")

#: The least that a sum of probabilities is taken for.
_LEAST = 1e-10


@dataclass(frozen=True, slots=True)
class Classes:
    """The probability of every category for every item, and who confuses what with what.

    ``p`` is items × categories, ``label`` the most probable category of each item;
    ``confusion[k, c, l]`` is how often respondent k says l where c is true (NaN where it never
    had to). ``item`` holds the study's codes of the items that somebody put into a category.
    """

    item: NDArray[np.int64]
    categories: tuple[str, ...]
    p: NDArray[np.float64]
    label: NDArray[np.int64]
    respondents: tuple[str, ...]
    confusion: NDArray[np.float64]
    prevalence: NDArray[np.float64]
    method: Method
    log_likelihood: float
    iterations: int
    converged: bool


@dataclass(frozen=True, slots=True)
class Found:
    """What :func:`em` found, in numbers only; see :class:`Classes`."""

    p: NDArray[np.float64]
    label: NDArray[np.int64]
    confusion: NDArray[np.float64]
    prevalence: NDArray[np.float64]
    log_likelihood: float
    iterations: int
    converged: bool


def classes(
    study: Study,
    *,
    method: Method = "dawid-skene",
    iterations: int = 100,
    tolerance: float = 1e-5,
) -> Classes:
    """Find the right category of every item from what respondents chose.

    Parameters
    ----------
    study
        A study whose answers are categories. Everybody chooses, except gold.
    method
        "dawid-skene" weighs respondents by what they confuse; "majority" gives shares of labels.
    iterations, tolerance
        EM ends after so many steps, or when a step raises the bound of a vote by less than this.

    Raises
    ------
    UsageError
        If nobody put anything into a category.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study(
    ...     {
    ...         "item": ["x", "x", "x", "y", "y", "y"],
    ...         "worker": ["ann", "bob", "cy"] * 2,
    ...         "category": ["cat", "cat", "dog", "dog", "dog", "dog"],
    ...     }
    ... )
    >>> found = classes(made)
    >>> [found.categories[code] for code in found.label]
    ['cat', 'dog']
    """
    if method not in METHODS:
        raise unknown("way to find categories", method, METHODS)
    parts = [_chosen(study, table) for table in (study.answers, study.evidence)]
    task, who, label = (np.concatenate(column) for column in zip(*parts, strict=True))
    if not len(task):
        raise UsageError("nobody put an item into a category (fix: a column named 'category')")
    item, task = np.unique(task, return_inverse=True)
    codes, worker = np.unique(who, return_inverse=True)
    count = len(study.categories)
    if method == "dawid-skene":
        found = em(
            task, worker, label, categories=count, iterations=iterations, tolerance=tolerance
        )
    else:
        found = majority(task, worker, label, categories=count)
    return Classes(
        item.astype(np.int64),
        study.categories,
        found.p,
        found.label,
        tuple(study.respondents.names[code] for code in codes.tolist()),
        found.confusion,
        found.prevalence,
        method,
        found.log_likelihood,
        found.iterations,
        found.converged,
    )


def em(
    task: NDArray[np.integer],
    worker: NDArray[np.integer],
    label: NDArray[np.integer],
    *,
    categories: int | None = None,
    iterations: int = 100,
    tolerance: float = 1e-5,
) -> Found:
    """Run EM on votes in plain columns of codes from 0; the core of :func:`classes`.

    Examples
    --------
    >>> task, worker = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
    >>> label = np.array([0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 0])
    >>> em(task, worker, label).label.tolist()
    [0, 1, 0, 1]
    """
    given = _table(task, worker, label, categories)
    p = given.shares()
    mass, prevalence = given.said.T @ p, _mean(p)
    logs = given.logs(mass)
    bound, gained, step, likelihood = -np.inf, np.inf, 0, -np.inf
    while step < iterations and gained >= tolerance:
        p, likelihood, entropy = _e_step(given.said, logs, prevalence)
        mass, prevalence = given.said.T @ p, _mean(p)
        logs = given.logs(mass)
        # Crowd-kit's bound counts the prevalences once for every vote, not for every item.
        prior = mass.sum(axis=0) @ np.log(np.maximum(prevalence, _LEAST))
        new = float(((mass * logs).sum() + prior + entropy) / len(task))
        gained, bound, step = new - bound, new, step + 1
    return Found(
        p,
        p.argmax(axis=1),
        given.confusion(mass),
        prevalence,
        likelihood,
        step,
        bool(gained < tolerance),
    )


def majority(
    task: NDArray[np.integer],
    worker: NDArray[np.integer],
    label: NDArray[np.integer],
    *,
    categories: int | None = None,
) -> Found:
    """Give the shares of labels, and what respondents confuse if these are right.

    Examples
    --------
    >>> majority(np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([0, 1, 1])).label.tolist()
    [1]
    """
    given = _table(task, worker, label, categories)
    p = given.shares()
    confusion = given.confusion(given.said.T @ p)
    return Found(p, p.argmax(axis=1), confusion, _mean(p), float("nan"), 0, True)


@dataclass(frozen=True, slots=True)
class _Table:
    """Votes as a sparse matrix: items × the labels that respondents used, sorted by respondent."""

    said: csr_array
    worker: NDArray[np.int64]
    label: NDArray[np.int64]
    categories: int

    def shares(self) -> NDArray[np.float64]:
        """Give the shares of the labels of every item."""
        one = np.zeros((len(self.label), self.categories))
        one[np.arange(len(self.label)), self.label] = 1.0
        shares: NDArray[np.float64] = self.said @ one
        shares /= (self.said @ np.ones(len(self.label)))[:, None]
        return shares

    def logs(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give log P(label | true category) of every (respondent, label) that occurs."""
        kept = np.maximum(mass, _LEAST)
        total = np.add.reduceat(kept, self._first(), axis=0)
        return np.log(kept / total[self.worker])

    def confusion(self, mass: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give all confusion matrices: respondents × true × said."""
        full = np.zeros((int(self.worker[-1]) + 1, self.categories, self.categories))
        full[self.worker, :, self.label] = mass
        total = full.sum(axis=2, keepdims=True)
        with np.errstate(invalid="ignore"):
            return np.where(total > _LEAST, full / total, np.nan)

    def _first(self) -> NDArray[np.int64]:
        return np.searchsorted(self.worker, np.arange(int(self.worker[-1]) + 1))


def _table(
    task: NDArray[np.integer],
    worker: NDArray[np.integer],
    label: NDArray[np.integer],
    categories: int | None,
) -> _Table:
    """Make the sparse table of votes; workers are numbered without gaps."""
    from scipy.sparse import coo_array

    count = int(label.max()) + 1 if categories is None else categories
    pair = worker.astype(np.int64) * count + label
    used = np.zeros((int(worker.max()) + 1) * count, bool)
    used[pair] = True
    column = (np.cumsum(used, dtype=np.int32) - 1)[pair]
    pairs = np.nonzero(used)[0]
    shape = (int(task.max()) + 1, len(pairs))
    said = coo_array((np.ones(len(task)), (task.astype(np.int32), column)), shape=shape)
    said.has_canonical_format = True  # sums need neither sorted rows nor single entries
    return _Table(said.tocsr(), pairs // count, pairs % count, count)


def _e_step(
    said: csr_array, logs: NDArray[np.float64], prevalence: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float, float]:
    """Give the probabilities of the categories, the log-likelihood of all votes, the entropy.

    The entropy is ``−Σ p log p``, where log p is at hand: no second logarithm is taken.
    """
    # Categories × items from here on: numpy is slow along rows of two or three numbers.
    joint = np.ascontiguousarray((said @ logs).T)
    joint += np.log(np.maximum(prevalence, _LEAST))[:, None]
    top = joint.max(axis=0)
    joint -= top
    p = np.exp(joint)
    total = p.sum(axis=0)
    p /= total
    size = float(np.log(total).sum())
    joint *= p
    return np.ascontiguousarray(p.T), float(top.sum()) + size, size - float(joint.sum())


def _mean(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average over the items."""
    total: NDArray[np.float64] = np.einsum("ij->j", p)  # sum(axis=0) is three times as slow
    return total / len(p)


def _chosen(
    study: Study, table: Answers
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Give items, respondents and categories of the answers that name one; gold has no vote."""
    if table.category is None:
        nothing = np.empty(0, np.int32)
        return nothing, nothing, nothing
    who = np.repeat(table.respondent, np.diff(table.starts))
    kept = (table.category >= 0) & ~np.isin(who, study.respondents.of_kind("gold"))
    return table.item[kept], who[kept], table.category[kept]
