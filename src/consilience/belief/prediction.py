"""A guess for every item, made from votes and tuned on a few labels.

Estimates from few labels correct a guess p instead of starting from nothing; the better p is, the
less the labels have to correct. p starts from the consensus of all voters (:func:`ls_eb`, copies
count once) and is *calibrated*: a logistic regression of the labels on logit p and on what each
family of voters says, so that labels decide which family deserves belief. Every query has a
constant of its own, as some have more relevant items than votes tell. The regression starts at "p
is right" and is held there by a penalty; with few labels it hardly moves. Labels weigh √w in it,
between all alike (steady, but bent to what was drawn often) and w (fair to all items, but shaken by
a few rare ones); tried out, that erred least. A labelled item gets its p from a regression that has
not seen its label (*cross-fitting*), because residuals T − p of one that has would be too small.

An LLM judge is a voter like any other here: one more column of the regression, or, named as
*proxy*, the guess that everything starts from.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.agreement import ls_eb
from consilience.belief.dependence import MOST, dependence
from consilience.belief.sample import Sample, outsiders
from consilience.belief.votes import Votes, votes_of
from consilience.errors import UsageError, unknown
from consilience.study.subset import keep_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Answers, Study

#: Labelled items are predicted from the others in so many parts.
FOLDS = 10
#: With fewer labels of one kind, or the other, nothing is tuned.
FEWEST = 3
#: Columns of the regression beside the consensus, at most: the largest families.
MOST_GROUPS = 12
#: How strongly coefficients are held: the constant, logit p (at 1), a family's share (at 0).
HELD = (0.01, 0.1, 1.0)
#: How strongly a query's own constant is held at 0.
HELD_QUERY = 1.0
#: How often a proxy is taken to err before labels tell.
ERRS = 0.05
#: Guesses are kept so far from 0 and 1 before their logit is taken.
EDGE = 1e-4


@dataclass(frozen=True, slots=True)
class Prediction:
    """A guess for every item of a study, from 0 to 1, and where it comes from.

    ``counted`` tells which items are under study: those of the queries that systems were asked.
    """

    p: NDArray[np.float64]
    counted: NDArray[np.bool_]
    source: str
    calibrated: bool
    labels: int


def predict(
    study: Study,
    sample: Sample | None = None,
    *,
    proxy: str | None = None,
    relevant_from: float = 1.0,
    seed: int = 0,
) -> Prediction:
    """Guess of every item whether it is relevant.

    Parameters
    ----------
    study
        The study; systems and language models vote, gold and people do not.
    sample
        Labels to tune the guess on; None: the consensus as it is.
    proxy
        The respondent whose votes are the guess to start from, such as an LLM judge; where it is
        silent, the consensus stands.
    relevant_from
        The lowest grade that counts as relevant.
    seed
        The seed that parts labelled items into folds.

    Examples
    --------
    >>> import consilience as cs
    >>> made = cs.study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}, "c": {"q": ["x", "z"]}})
    >>> predict(made).p.round(3).tolist()
    [0.889, 0.389, 0.389]
    """
    voting = replace(study, evidence=_models_only(study))
    votes = votes_of(voting, evidence="vote", relevant_from=relevant_from)
    belief = ls_eb(voting, evidence="vote", relevant_from=relevant_from)
    start = belief.of_all(len(study.items))
    counted = np.repeat(votes.asked.any(axis=0), np.diff(study.items.starts)) & ~np.isnan(start)
    start = np.where(counted, np.nan_to_num(start), 0.0)
    strangers = outsiders(study)
    start[strangers] = 0.0
    source = belief.method
    if proxy is not None:
        start, source = _proxied(votes, proxy, start), proxy
    if sample is None or not _tunable(sample):
        return Prediction(start, counted, source, calibrated=False, labels=0)
    columns = _columns(voting, votes, start)
    query = study.items.query(np.arange(len(study.items)))
    p = _cross_fitted(columns, query, sample, _folds(study, sample, seed))
    p = np.where(counted & ~strangers, p, 0.0)
    return Prediction(p, counted, source, calibrated=True, labels=len(sample))


def _models_only(study: Study) -> Answers:
    """Keep the answers of language models among the evidence."""
    llm = np.isin(study.evidence.respondent, study.respondents.of_kind("llm"))
    return keep_lists(study.evidence, llm)


def _tunable(sample: Sample) -> bool:
    """Tell whether there are enough labels of both kinds."""
    return min(float(sample.truth.sum()), float((1 - sample.truth).sum())) >= FEWEST


def _proxied(votes: Votes, proxy: str, otherwise: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give a respondent's votes, taken to err at times; the consensus where it said nothing."""
    if proxy not in votes.names:
        raise unknown("proxy", proxy, votes.names)
    alone = (np.array(votes.names) == proxy).astype(np.float64)
    yes, spoken, _ = votes.totals(alone)
    if not (spoken > 0).any():
        raise UsageError(f"{proxy} says nothing of any item (fix: another proxy)")
    vote = np.divide(yes, spoken, where=spoken > 0, out=yes)
    return np.where(spoken > 0, ERRS + (1 - 2 * ERRS) * vote, otherwise)


def _columns(study: Study, votes: Votes, start: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give what the regression looks at, item by item: 1, logit p, what each group says."""
    shares = [_says(votes, group) for group in groups(study, votes)]
    return np.stack([np.ones(len(start)), logit(start), *shares], axis=1)


def _says(votes: Votes, group: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give a group's share of yes, less a half; 0 where it said nothing."""
    yes, spoken, _ = votes.totals(group)
    share = np.full(len(yes), 0.5)
    np.divide(yes, spoken, out=share, where=spoken > 0)
    return share - 0.5


def groups(study: Study, votes: Votes) -> list[NDArray[np.float64]]:
    """Part voters into families, declared or learned, largest first; weights 1 and 0."""
    names = np.array(votes.names)
    known = dependence(study) if 2 < len(study.systems) <= MOST else None
    members = [] if known is None else [list(family.members) for family in known.families]
    grouped = {name for family in members for name in family}
    members += [[name] for name in votes.names if name not in grouped]
    members.sort(key=len, reverse=True)
    if len(members) < 2:
        return []
    return [np.isin(names, family).astype(np.float64) for family in members[:MOST_GROUPS]]


def _cross_fitted(
    columns: NDArray[np.float64],
    query: NDArray[np.int64],
    sample: Sample,
    folds: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Tune the guess: labelled items by the labels of other folds, the rest by all labels."""
    x, y = columns[sample.item], sample.truth
    weight = np.sqrt(np.where(sample.weight > 0, sample.weight, 1.0))
    asked, group = np.unique(query[sample.item], return_inverse=True)
    b, own = fit_logistic(x, y, weight, group)
    shift = np.zeros(int(query.max(initial=0)) + 1)
    shift[asked] = own
    p = expit(columns @ b + shift[query])
    for fold in range(int(folds.max()) + 1):
        out = folds == fold
        b, own = fit_logistic(x[~out], y[~out], weight[~out], group[~out], queries=len(asked))
        p[sample.item[out]] = expit(x[out] @ b + own[group[out]])
    return p


def _folds(study: Study, sample: Sample, seed: int) -> NDArray[np.int64]:
    """Part labelled items at random; in which order they were read does not matter."""
    names = study.items.names(sample.item)
    query = [study.queries[one] for one in study.items.query(sample.item)]
    by_name = sorted(range(len(names)), key=lambda place: (query[place], names[place]))
    folds = np.empty(len(names), np.int64)
    drawn = np.random.default_rng(seed).permutation(len(names))
    folds[by_name] = drawn % min(FOLDS, len(names))
    return folds


def fit_logistic(
    x: NDArray[np.float64],
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    query: NDArray[np.int64] | None = None,
    *,
    queries: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit a weighted logistic regression that is held near "p is right" (Newton's method).

    Minimises Σ w (log(1 + e^η) − y η) + ½ Σ h (b − b₀)² + ½ h Σ a² with weights of mean 1,
    η = x b + a of the row's query, b₀ = (0, 1, 0 …) and the strengths h of :data:`HELD` and
    :data:`HELD_QUERY`. Gives b, and every query's own constant a (of at least ``queries``).

    The constants touch no row together, so their part of the matrix of second derivatives is
    diagonal, and each step solves for b alone (Schur's complement).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = np.stack([np.ones(5000), rng.normal(size=5000)], axis=1)
    >>> y = (rng.random(5000) < expit(x @ [-1.0, 2.0])).astype(float)
    >>> fit_logistic(x, y, np.ones(5000))[0].round(1).tolist()
    [-1.0, 2.0]
    """
    weight = weight / weight.mean()
    goal = np.zeros(x.shape[1])
    goal[1] = 1.0
    held = np.full(x.shape[1], HELD[2])
    held[:2] = HELD[:2]
    group = np.zeros(len(y), np.int64) if query is None else query
    queries = 0 if query is None else max(queries, int(group.max(initial=-1)) + 1)
    count = max(queries, 1)
    free = float(queries > 0)

    def loss(b: NDArray[np.float64], a: NDArray[np.float64]) -> float:
        eta = x @ b + a[group]
        fit = weight @ (np.logaddexp(0, eta) - y * eta)
        return float(fit + 0.5 * held @ (b - goal) ** 2 + 0.5 * HELD_QUERY * a @ a)

    b, a = goal.copy(), np.zeros(count)
    now = loss(b, a)
    for _ in range(50):
        mean = expit(x @ b + a[group])
        off, bent = weight * (mean - y), weight * mean * (1 - mean)
        slope = x.T @ off + held * (b - goal)
        bend = (x * bent[:, None]).T @ x + np.diag(held)
        own_slope = free * (np.bincount(group, off, count) + HELD_QUERY * a)
        own_bend = np.bincount(group, bent, count) + HELD_QUERY
        both = free * np.stack([np.bincount(group, bent * one, count) for one in x.T])
        shared = both / own_bend
        step = np.linalg.solve(bend - shared @ both.T, slope - shared @ own_slope)
        own_step = (own_slope - both.T @ step) / own_bend
        size = 1.0
        while loss(b - size * step, a - size * own_step) > now and size > 1e-6:
            size /= 2
        before, b, a = now, b - size * step, a - size * own_step
        now = loss(b, a)
        if before - now < 1e-10:
            break
    return b, a[:queries]


def logit(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give log(p / (1 − p)), p kept away from 0 and 1."""
    p = np.clip(p, EDGE, 1 - EDGE)
    return np.log(p) - np.log1p(-p)


def expit(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give 1 / (1 + e^−x)."""
    x = np.clip(x, -35.0, 35.0)
    return 1.0 / (1.0 + np.exp(-x))
