r"""Precision, recall and F from a guess for every item, corrected by a few labels (AIPW).

Guessing alone inherits every error of the guess; labels alone waste what is known of the other
items. Together (augmented inverse probability weighting; "prediction-powered inference"): with
votes V, a guess p, and labels T that count w (1/π; :mod:`consilience.belief.sample`)::

    A_s = Σ_i p_i V_is + Σ_L w_i (T_i − p_i) V_is        what system s returned of the relevant
    B   = Σ_i p_i      + Σ_L w_i (T_i − p_i)             what is relevant at all
    P = A / C      R = A / B      F = (1 + β²) A / (β² B + C)         C_s = Σ_i V_is

A and B are right on average whatever p is; a good p makes them precise. How a score moves with the
truth of one item is its *slope*: for F it is ((1 + β²) V_is − β² F_s) / (β² B + C_s). The variance
of an estimate is that of Σ_L w (T − p) · slope; the best items to label have large √(p(1 − p)) ·
slope. All these slopes have the form ``gain · V − loss``, so both are made in one pass.

*Micro* figures add all queries up and are estimated as above. Macro precision is a mean of
P_q = A_q / C_q, and as exact. Macro recall and F divide by sums that are estimated query by query
from few labels or none; there the estimate starts from what is known so far, the labels and the
guess for all other items, and goes one step, Σ_L (w − 1) (T − p) · slope, towards the truth. That
leaves an error of second order in T − p of the items without a label: none where all have one.

References
----------
J. M. Robins, A. Rotnitzky and L. P. Zhao, "Estimation of regression coefficients when some
regressors are not always observed", JASA 89, 1994.

A. N. Angelopoulos et al., "Prediction-powered inference", Science 382, 2023.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from consilience.measures.scores import MISSING_IS_ZERO, Convention
from consilience.measures.sets import ratio
from consilience.study.ranking import Ties, rank_answers

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from consilience.belief.sample import Sample
    from consilience.measures.names import Measure
    from consilience.study import Study

#: What was found of the relevant, and what is relevant at all (each systems × queries).
Sums: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64]]"
#: The measures that can be estimated from labels drawn by design.
ESTIMABLE = ("P", "R", "F")


@dataclass(frozen=True, slots=True)
class Returned:
    """What systems returned, as sums need it: votes (systems × items), down to a cutoff.

    ``returned`` (systems × queries) is how much each returned; ``put`` tells which queries a system
    has answered, ``member`` which ones count for it. ``spoken`` has ones where a system whose
    silence means "unknown" spoke; such a system (``unsure``) answers for these items only.
    ``query`` is that of every item. ``empty_is_zero``: what cannot be divided counts 0.
    """

    votes: csr_array
    spoken: csr_array
    unsure: NDArray[np.bool_]
    returned: NDArray[np.float64]
    put: NDArray[np.bool_]
    member: NDArray[np.bool_]
    query: NDArray[np.int64]
    empty_is_zero: bool = False

    @property
    def systems(self) -> int:
        """How many systems there are."""
        return len(self.unsure)

    def members(self, items: NDArray[np.int64]) -> NDArray[np.float64]:
        """Tell which of some items count for each system (systems × items, 1 or 0)."""
        counted = self.member[:, self.query[items]].astype(np.float64)
        if self.unsure.any():
            counted[self.unsure] = self.spoken[self.unsure][:, items].toarray()
        return counted

    def by_query(self, worth: NDArray[np.float64]) -> Sums:
        """Add the worth of items up, of those returned and of all (each systems × queries)."""
        queries = self.member.shape[1]
        found = _by_query(self.votes, worth, self.query, queries)
        whole = np.bincount(self.query, worth, queries)
        total = np.asarray(whole * self.member, np.float64)
        if self.unsure.any():
            total[self.unsure] = _by_query(self.spoken, worth, self.query, queries)[self.unsure]
        return found, total


def _scaled(
    table: csr_array,
    factor: NDArray[np.float64],
    query: NDArray[np.int64],
    root: NDArray[np.float64],
) -> csr_array:
    """Multiply every entry by a factor of its row and query, and of its item."""
    scaled = table.copy()
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    scaled.data = table.data * factor[rows, query[table.indices]] * root[table.indices]
    return scaled


def _by_query(
    table: csr_array, worth: NDArray[np.float64], query: NDArray[np.int64], queries: int
) -> NDArray[np.float64]:
    """Add worth up over the entries of each row, query by query."""
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    cell = rows * queries + query[table.indices]
    sums = np.bincount(cell, table.data * worth[table.indices], table.shape[0] * queries)
    return np.asarray(sums, np.float64).reshape(table.shape[0], queries)


def returned_items(
    study: Study,
    *,
    k: int | None = None,
    ties: Ties = "trec",
    convention: Convention = "ours",
) -> Returned:
    """Collect what every system returned, among the first ``k`` of each list or in all.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = returned_items(study({"a": {"q": ["x", "y"]}, "b": {"q": ["y"]}}))
    >>> made.votes.toarray().tolist(), made.returned.tolist()
    ([[1.0, 1.0], [0.0, 1.0]], [[2.0], [1.0]])
    """
    from scipy.sparse import csr_array

    answers = study.answers
    codes = study.respondents.of_kind("system")
    line = np.full(len(study.respondents), -1)
    line[codes] = np.arange(len(codes))
    shape = (len(codes), len(study.items))
    rows, list_of = _rows(study, k, ties)
    vote = np.ones(len(rows)) if answers.vote is None else answers.vote[rows]
    system = line[answers.respondent[list_of]]
    votes = csr_array((vote, (system, answers.item[rows])), shape=shape)
    unsure = np.array([study.respondents.silence[code] == "unknown" for code in codes], bool)
    unsure &= answers.vote is not None
    put = np.zeros((len(codes), len(study.queries)), bool)
    put[line[answers.respondent], answers.query] = True
    asked = put.any(axis=0)
    member = np.tile(asked, (len(codes), 1)) if convention in MISSING_IS_ZERO else put
    returned = np.zeros(put.shape)
    np.add.at(returned, (system, answers.query[list_of]), vote)
    if k is not None:
        returned = np.where(member, float(k), 0.0)
    sizes = np.diff(study.items.starts)
    return Returned(
        votes,
        _spoken(study, line, shape, unsure),
        unsure,
        returned,
        put,
        member,
        np.repeat(np.arange(len(sizes)), sizes),
        convention in ("trec_eval", "ir_measures"),
    )


def _rows(study: Study, k: int | None, ties: Ties) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the answers that were returned, and the list of each; the first k where asked for."""
    ranking = rank_answers(study, ties=ties, worth=lambda items: np.zeros(len(items)))
    length = np.diff(ranking.starts)
    taken = length if k is None else np.minimum(length, k)
    list_of = np.repeat(np.arange(len(length)), taken)
    inside = np.arange(len(list_of)) - (np.cumsum(taken) - taken)[list_of]
    return ranking.answers(ranking.starts[:-1][list_of] + inside), list_of


def _spoken(
    study: Study, line: NDArray[np.int64], shape: tuple[int, int], unsure: NDArray[np.bool_]
) -> csr_array:
    """Tell of which items systems spoke whose silence means "unknown"."""
    from scipy.sparse import csr_array

    answers = study.answers
    if not unsure.any() or answers.vote is None:
        return csr_array(shape)
    list_of = answers.list_of_row()
    system = line[answers.respondent[list_of]]
    rows = np.flatnonzero(unsure[system] & ~np.isnan(answers.vote))
    return csr_array((np.ones(len(rows)), (system[rows], answers.item[rows])), shape=shape)


@dataclass(frozen=True, slots=True)
class Slope:
    """How scores move with the truth of an item: ``gain · vote − loss`` (systems × queries)."""

    gain: NDArray[np.float64]
    loss: NDArray[np.float64]

    def at(self, table: Returned, items: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the slopes at some items (systems × items)."""
        query = table.query[items]
        votes = table.votes[:, items].toarray()
        slope = self.gain[:, query] * votes - self.loss[:, query] * table.members(items)
        return np.asarray(slope, np.float64)

    def variances(self, table: Returned, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add worth · slope² up over all items, for every system."""
        gain, loss = np.nan_to_num(self.gain), np.nan_to_num(self.loss)
        twice, found = table.votes.copy(), table.by_query(worth)
        twice.data = twice.data**2
        squared = _by_query(twice, worth, table.query, table.member.shape[1])
        parts = gain**2 * squared - 2 * gain * loss * found[0] + loss**2 * found[1]
        return np.asarray(parts.sum(axis=1), np.float64)

    def covariance(self, table: Returned, worth: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add worth · slope · slope' up over all items, for every two systems."""
        queries, root = table.member.shape[1], np.sqrt(worth)
        up = _scaled(table.votes, self.gain, table.query, root)
        down = _scaled(table.spoken, self.loss, table.query, root)
        flat = self.loss * (table.member & ~table.unsure[:, None])
        up_sum, down_sum = (_by_query(part, root, table.query, queries) for part in (up, down))
        whole = np.bincount(table.query, worth, queries)
        cross = (up @ down.T).toarray() + up_sum @ flat.T
        total = (up @ up.T).toarray() - cross - cross.T
        both = down_sum @ flat.T
        total += (down @ down.T).toarray() + both + both.T + (flat * whole) @ flat.T
        return np.asarray(total, np.float64)

    def mean_square(self, table: Returned) -> NDArray[np.float64]:
        """Give the mean over systems of the squared slope, for every item."""
        gain, loss = np.nan_to_num(self.gain), np.nan_to_num(self.loss)
        total = ((loss**2) * table.member * ~table.unsure[:, None]).sum(axis=0)[table.query]
        for entries, voted in ((table.votes, True), (table.spoken, False)):
            row = np.repeat(np.arange(table.systems), np.diff(entries.indptr))
            query = table.query[entries.indices]
            up, down = gain[row, query], loss[row, query]
            vote = entries.data
            worth = (up * vote) ** 2 - 2 * up * vote * down if voted else down**2
            total = total + np.bincount(entries.indices, worth, len(total))
        return np.asarray(np.maximum(total, 0.0) / table.systems, np.float64)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Scores of all systems under one measure, estimated from a guess and labels.

    ``guess`` is what the guess alone says; ``residual`` (labels) is T − p. ``slope`` has a row for
    each system and a column for each label; ``slopes`` gives them for any item. ``by_query``
    (systems × queries) is what each query adds to the error of the estimate, if queries are a
    sample of all queries.
    """

    value: NDArray[np.float64]
    guess: NDArray[np.float64]
    residual: NDArray[np.float64]
    slope: NDArray[np.float64]
    by_query: NDArray[np.float64]
    slopes: Slope


def estimate(table: Returned, measure: Measure, p: NDArray[np.float64], sample: Sample) -> Estimate:
    """Estimate P, R or F of every system from a guess for every item and designed labels.

    Parameters
    ----------
    table
        What systems returned.
    measure
        P, R or F, micro or macro; its cutoff is that of ``table``.
    p
        A guess for every item; of labelled items one that has not seen their label.
    sample
        The labels.

    Examples
    --------
    Two of four items were drawn with probability ½ each; the guess is ½ throughout.

    >>> import consilience as cs
    >>> from consilience.belief.sample import sample_of
    >>> from consilience.measures.names import parse
    >>> labels = {"query": ["q"] * 2, "item": ["a", "b"], "label": [1, 0], "pi": [0.5, 0.5]}
    >>> made = cs.study({"s": {"q": ["a", "b", "c", "d"]}}, truth=labels)
    >>> found = estimate(returned_items(made), parse("P"), np.full(4, 0.5), sample_of(made))
    >>> found.value.tolist(), found.residual.tolist()
    ([0.5], [0.5, -0.5])
    """
    if table.member.any(axis=0).sum() == 1:  # over one query both averages are the same
        measure = replace(measure, average="micro")
    guessed = table.by_query(p)
    residual = sample.truth - p[sample.item]
    correction = np.zeros(len(p))
    correction[sample.item] = sample.weight * residual
    more = table.by_query(correction)
    sums = (guessed[0] + more[0], guessed[1] + more[1])
    exact = measure.average == "micro" or measure.base == "P"
    near = sums if exact else table.by_query(_with_labels(p, sample))
    slope = slopes(table, measure, near)
    if measure.average == "micro":
        guess, value = (_micro(table, measure, one) for one in (guessed, sums))
        by_query = _left_over(table, measure, sums, value)
    else:
        guess, _ = _mean(_each(table, measure, guessed))
        each = _each(table, measure, near)
        if not exact:
            step = slope.gain * (sums[0] - near[0]) - slope.loss * (sums[1] - near[1])
            each = each + step * (~np.isnan(each)).sum(axis=1, keepdims=True)
        value, by_query = _mean(each)
    at = slope.at(table, sample.item)
    return Estimate(value, guess, residual, at, by_query, slope)


def _with_labels(p: NDArray[np.float64], sample: Sample) -> NDArray[np.float64]:
    """Put labels in the place of the guess."""
    known = p.copy()
    known[sample.item] = sample.truth
    return known


def _below(table: Returned, measure: Measure, total: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is divided by: C, B, or β² B + C."""
    if measure.base == "P":
        return table.returned
    return total if measure.base == "R" else measure.beta**2 * total + table.returned


def _twice(measure: Measure) -> float:
    return 1 + measure.beta**2 if measure.base == "F" else 1.0


def _micro(table: Returned, measure: Measure, sums: Sums) -> NDArray[np.float64]:
    """Add the queries up, then divide; undefined where there is nothing to divide by."""
    above, below = _twice(measure) * sums[0].sum(axis=1), _below(table, measure, sums[1])
    return ratio(above, np.maximum(below.sum(axis=1), 0.0))


def _each(table: Returned, measure: Measure, sums: Sums) -> NDArray[np.float64]:
    """Divide query by query; a query without an answer counts 0 where it counts at all."""
    values = ratio(_twice(measure) * sums[0], _below(table, measure, sums[1]))
    values[table.member & ~table.put] = 0.0
    if table.empty_is_zero:
        values = np.nan_to_num(values)
    return np.where(table.member, values, np.nan)


def _mean(each: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Average over the queries that are defined, and tell what each adds to the error."""
    known = ~np.isnan(each)
    count = known.sum(axis=1)
    value = ratio(np.nan_to_num(each).sum(axis=1), count)
    apart = np.where(known, each - value[:, None], 0.0)
    return value, apart / np.maximum(count, 1)[:, None]


def _left_over(
    table: Returned, measure: Measure, sums: Sums, value: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Tell what each query adds to the error of a ratio of sums."""
    below = _below(table, measure, sums[1])
    apart = _twice(measure) * sums[0] - value[:, None] * below
    return np.nan_to_num(ratio(apart, below.sum(axis=1, keepdims=True))) * table.member


def slopes(table: Returned, measure: Measure, sums: Sums) -> Slope:
    """Tell how much each system's score gains by a relevant item it returned, loses by any.

    Examples
    --------
    >>> from consilience.measures.names import parse
    >>> from consilience.study import study
    >>> table = returned_items(study({"a": {"q": ["x", "y"]}, "b": {"q": ["y"]}}))
    >>> one = slopes(table, parse("R(average=micro)"), table.by_query(np.array([0.5, 0.5])))
    >>> one.at(table, np.array([0, 1])).tolist()  # (V - R) / B
    [[0.0, 0.0], [-0.5, 0.5]]
    """
    found, total = sums
    of_total = {"P": 0.0, "R": 1.0, "F": measure.beta**2}[measure.base]
    above, below = _twice(measure) * found, _below(table, measure, total)
    if measure.average == "micro":
        share = np.ones(found.shape)
        above, below = (
            np.broadcast_to(part.sum(axis=1, keepdims=True), found.shape) for part in (above, below)
        )
    else:
        known = ~np.isnan(_each(table, measure, sums))
        share = known / np.maximum(known.sum(axis=1, keepdims=True), 1)
    share = share * table.member
    up = np.nan_to_num(ratio(share, below))
    return Slope(_twice(measure) * up, of_total * up * np.nan_to_num(ratio(above, below)))
