r"""No truth at all: what most systems say is believed, as far as they say it.

The papers' consensus (Lamiroy & Sun 2011, eq. 10; 2013, eq. 13) gives every item the weighted share
of the voters that return it. Two virtual voters stand beside the systems: ⊤ returns everything, ⊥
nothing. With weights κ that add up to 1::

    P(δ) = Σ_k κ_k S_k(δ)          k over systems, oracles, ⊤ and ⊥

Votes may be fractions; who says nothing of an item takes no part in its sum, and the weights of the
others are scaled up (:func:`consensus`). All κ equal gives eq. 10; κ = 1 for an oracle gives
the textbook's precision and recall.

⊤ and ⊥ do harm where little is relevant: every item that nobody returned gets 1/(s + 2). So
the default (:func:`ls_eb`) puts one voter in their place, whose vote is the share of yes among all
votes on the query, and counts systems that answer alike as one.

What holds for all of them: agreement is not correctness. An error that most systems share is
believed like anything else that they share.

References
----------
B. Lamiroy and T. Sun, "Precision and Recall Without Ground Truth", GREC 2011.

B. Lamiroy and T. Sun, "Computing Precision and Recall with Missing or Uncertain Ground Truth",
LNCS 7423, 2013, pp. 149–162.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.dependence import MOST, distinct, family_weights
from consilience.belief.families import declared_families
from consilience.belief.judges import clamped, shares_of_judges
from consilience.belief.limits import agreed_limits
from consilience.belief.model import Belief
from consilience.belief.votes import Evidence, Votes, votes_of
from consilience.belief.weights import shares
from consilience.errors import UsageError
from consilience.study.ranking import rank_answers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study

#: How many voters the prior of the empirical-Bayes consensus counts as.
PRIOR = 1.0
#: Shares of weights nearer to a half than this are a draw.
ROUNDING = 1e-9
#: Systems whose votes correlate more than this are counted as one.
NEAR = 0.95

_AGREE = "what most say is right; "
_APART = _AGREE + "their errors have no common cause"


def consensus(
    study: Study,
    *,
    weights: Mapping[str, float] | None = None,
    virtual: bool = True,
    evidence: Evidence = "vote",
    relevant_from: float = 1.0,
) -> Belief:
    """Believe the consensus, exactly as in the papers (Lamiroy & Sun, eq. 10 and 13).

    Parameters
    ----------
    study
        The study; its systems vote, each with its own answer among the others.
    weights
        Confidences κ by name, of systems, judges, "⊤" and "⊥"; together at most 1. What they
        leave of 1 is shared equally by those that are not named. None: all alike, 1/(s + 2).
    virtual
        Whether ⊤ and ⊥ take part.
    evidence
        What judges' answers do: they "vote" (oracles with their own confidence), gold's word
        stands ("clamp"), or they are left out ("ignore").
    relevant_from
        The lowest grade of a judge that counts as relevant.

    Examples
    --------
    Table 3 of the first paper: three systems on seven documents.

    >>> from consilience.study import study
    >>> votes = {
    ...     "item": ["d1", "d2", "d3", "d4", "d5", "d6", "d7"],
    ...     "S1": [1, 1, 0, 1, 1, 0, 0],
    ...     "S2": [1, 1, 1, 0, 0, 0, 0],
    ...     "S3": [1, 1, 0, 0, 0, 1, 0],
    ... }
    >>> consensus(study(votes)).p.tolist()
    [0.8, 0.8, 0.4, 0.4, 0.4, 0.4, 0.2]
    """
    votes = votes_of(study, evidence=evidence, relevant_from=relevant_from)
    kappa, top, bottom = shares(votes, weights, virtual=virtual)
    yes, spoken, silent = votes.totals(kappa)
    p = _share(yes + top, spoken + top + bottom)
    unseen = _share(np.full(len(silent), top), silent + top + bottom)
    named = dict(zip(votes.names, kappa.tolist(), strict=True))
    belief = _belief(votes, p, unseen, method="consensus", assumes=_APART)
    belief = replace(
        belief,
        effective_respondents=effective(kappa),
        details={"weights": named | ({"⊤": top, "⊥": bottom} if virtual else {})},
    )
    voters = np.isin(votes.respondent, study.respondents.of_kind("system", "llm"))
    if not kappa[voters].any() and not top + bottom:  # judges are believed alone: this is truth
        return replace(belief, truth=1.0, heard=1.0)
    return _with_judges(belief, votes, study, evidence, relevant_from)


def ls_eb(
    study: Study,
    *,
    near: float | None = NEAR,
    prior: float = PRIOR,
    evidence: Evidence = "clamp",
    relevant_from: float = 1.0,
    counts: Mapping[str, float] | None = None,
) -> Belief:
    """Believe the consensus with a prior at the estimated prevalence (LS-EB); the default.

    ``p(i) = (Σ_k κ_k v_ik + a·m) / (Σ_k κ_k + a)`` over the voters that spoke of item i, where m
    is the share of yes among all votes on the query, and a = ``prior`` voters. Systems whose votes
    correlate more than ``near`` are copies of each other; a group of copies counts as one.

    Parameters
    ----------
    study
        The study.
    near
        The correlation φ beyond which two systems count as one; None: every system counts.
    prior
        The weight of the prior, in voters.
    evidence, relevant_from
        As in :func:`consensus`; by default gold's word stands.
    counts
        How much every voter counts, by name, where that is known already (a part of a study
        does not tell who copies whom); None: as ``near`` says.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}, "c": {"q": ["x", "z"]}})
    >>> [round(p, 3) for p in ls_eb(made).p.tolist()]
    [0.889, 0.389, 0.389]
    """
    votes = votes_of(study, evidence=evidence, relevant_from=relevant_from)
    kappa = _kappa(votes, near, counts)
    belief = _shrunk(votes, kappa, prior, method="ls-eb", assumes=_APART)
    return _with_judges(belief, votes, study, evidence, relevant_from)


def by_family(
    study: Study,
    *,
    families: Mapping[str, str] | None = None,
    prior: float = PRIOR,
    evidence: Evidence = "clamp",
    relevant_from: float = 1.0,
    counts: Mapping[str, float] | None = None,
) -> Belief:
    """Believe the consensus of families: each system weighs 1 / the size of its family.

    Parameters
    ----------
    study
        The study.
    families
        System → family; None: the study's own, and where it has none, those that the votes suggest
        (:func:`consilience.belief.families.learned_families`).
    prior, evidence, relevant_from, counts
        As in :func:`ls_eb`; where counts are given, they are those of families that were learned,
        unless families are declared.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x"]}, "b": {"q": ["x"]}, "c": {"q": ["y"]}})
    >>> belief = by_family(made, families={"a": "one", "b": "one", "c": "two"})
    >>> belief.p.tolist()
    [0.5, 0.5]
    """
    votes = votes_of(study, evidence=evidence, relevant_from=relevant_from)
    if counts is None:
        kappa, known = family_weights(votes, families)
    else:
        known = "learned" if 2 < len(votes) <= MOST else "none"
        known = "declared" if declared_families(votes, families) else known
        kappa = _kappa(votes, None, counts)
    belief = _shrunk(
        votes,
        kappa,
        prior,
        method="families",
        assumes=(_AGREE + f"families ({known}) have no common cause of error"),
    )
    return _with_judges(belief, votes, study, evidence, relevant_from)


def discounted(
    study: Study,
    *,
    near: float | None = NEAR,
    prior: float = PRIOR,
    evidence: Evidence = "clamp",
    relevant_from: float = 1.0,
    counts: Mapping[str, float] | None = None,
) -> Belief:
    """Believe the consensus of ranked runs: a vote for position k counts 1 / log2(1 + k).

    The discount is that of nDCG; everything else is as in :func:`ls_eb`.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["y", "x"]}, "c": {"q": ["x"]}})
    >>> [round(p, 3) for p in discounted(made).p.tolist()]
    [0.835, 0.585]
    """
    ranking = rank_answers(study)
    length = np.diff(ranking.starts)
    given = study.answers.score is not None or study.answers.rank is not None
    if not given or not bool(ranking.ordered[length > 0].all()):
        raise UsageError(
            "votes cannot be discounted by rank: some answers have neither scores nor ranks "
            "(fix: another belief, such as ls-eb)"
        )
    places = np.arange(int(ranking.starts[-1]))
    position = places - np.repeat(ranking.starts[:-1], length) + 1
    rows = ranking.answers(places)
    answers = study.answers
    worth = np.ones(len(answers)) if answers.vote is None else answers.vote.copy()
    worth[rows] /= np.log2(1.0 + position)
    ranked = replace(study, answers=replace(answers, vote=worth))
    votes = votes_of(ranked, evidence=evidence, relevant_from=relevant_from)
    kappa = _kappa(votes, near, counts)
    belief = _shrunk(votes, kappa, prior, method="discounted", assumes=_APART)
    return _with_judges(belief, votes, study, evidence, relevant_from)


def majority(
    study: Study,
    *,
    near: float | None = NEAR,
    evidence: Evidence = "clamp",
    relevant_from: float = 1.0,
    counts: Mapping[str, float] | None = None,
) -> Belief:
    """Believe the majority: 1 where more than half of the votes say yes, 0 where fewer, else ½.

    What a majority can guarantee is limited (Kuncheva et al. 2003): ``details["limits"]`` gives
    the least and the highest accuracy that a majority of these voters can have, if each is right
    as often as it agrees with the majority, whatever the dependence between them.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}, "c": {"q": ["x", "z"]}})
    >>> majority(made).p.tolist()
    [1.0, 0.0, 0.0]
    """
    votes = votes_of(study, evidence=evidence, relevant_from=relevant_from)
    kappa = _kappa(votes, near, counts)
    yes, spoken, silent = votes.totals(kappa)
    share = _share(yes, spoken)
    lead = share - 0.5
    sides = [np.isnan(lead), lead > ROUNDING, lead < -ROUNDING]
    p = np.select(sides, [np.nan, 1.0, 0.0], 0.5)
    unseen = np.where(silent > 0, 0.0, np.nan)
    belief = _belief(votes, p, unseen, method="majority", assumes=_APART)
    limits = agreed_limits(_agreement(votes, p))
    details = {} if limits is None else {"limits": limits}
    belief = replace(belief, effective_respondents=float(kappa.sum()), details=details)
    return _with_judges(belief, votes, study, evidence, relevant_from)


def _kappa(
    votes: Votes, near: float | None, counts: Mapping[str, float] | None
) -> NDArray[np.float64]:
    """Say how much every voter counts: as was found before, or a group of copies as one."""
    if counts is None:
        return distinct(votes, near=near)
    return np.array([counts.get(name, 1.0) for name in votes.names])


def effective(weight: NDArray[np.float64]) -> float:
    """How many equal voters the weights amount to: (Σw)² / Σw² (Kish 1965)."""
    return float(weight.sum() ** 2 / max(float((weight**2).sum()), 1e-300))


def _share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; NaN where nobody spoke."""
    result = np.full(len(whole), np.nan)
    np.divide(part, whole, out=result, where=whole > 1e-12)
    clipped: NDArray[np.float64] = np.clip(result, 0.0, 1.0)
    return clipped


def _belief(
    votes: Votes,
    p: NDArray[np.float64],
    unseen: NDArray[np.float64],
    *,
    method: str,
    assumes: str,
) -> Belief:
    """Make a belief of a probability for every item."""
    return Belief(
        votes.items,
        p,
        np.nan_to_num(p),
        elsewhere=float("nan"),
        queries=np.asarray(votes.asked.any(axis=0)),
        method=method,
        assumes=assumes,
        effective_respondents=float(len(votes)),
        unseen=np.nan_to_num(unseen),
        truth=0.0,
        heard=0.0,
    )


def _shrunk(
    votes: Votes, kappa: NDArray[np.float64], prior: float, *, method: str, assumes: str
) -> Belief:
    """Give the weighted share of yes, drawn towards the share over all items of the query."""
    if not prior > 0:
        raise UsageError(f"the prior must weigh more than nothing, found {prior} (fix: 1)")
    yes, spoken, silent = votes.totals(kappa)
    query, count = votes.query, len(votes.study.queries)
    said = np.bincount(query, spoken, count) + votes.unmentioned * silent
    said_yes = np.bincount(query, yes, count).astype(np.float64)
    m = np.nan_to_num(_share(said_yes, said))
    p = (yes + prior * m[query]) / (spoken + prior)
    unseen = prior * m / (silent + prior)
    belief = _belief(votes, p, unseen, method=method, assumes=assumes)
    return replace(
        belief,
        effective_respondents=float(kappa.sum()),
        details={"weights": dict(zip(votes.names, kappa.tolist(), strict=True)), "prior": prior},
    )


def _agreement(votes: Votes, p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count how often each voter says what a 0/1 belief says (½ items: half), and speaks at all."""
    belief = np.nan_to_num(p, nan=0.5)
    silent = votes.says_no.astype(np.float64)
    wrong = np.bincount(votes.query, 1 - belief, len(votes.study.queries))
    rest = votes.says_no_to_unmentioned @ votes.unmentioned
    right: NDArray[np.float64] = silent @ wrong + rest
    total: NDArray[np.float64] = silent @ np.diff(votes.study.items.starts) + rest
    for item, voter, vote in votes.blocks():
        said = np.ones(len(item)) if vote is None else vote
        known = ~np.isnan(said)
        lists = votes.lists[voter]
        here = np.where(known, said * belief[item] + (1 - said) * (1 - belief[item]), 0.0)
        right = right + np.bincount(voter, here - lists * (1 - belief[item]), len(votes))
        total = total + np.bincount(voter, known.astype(np.float64) - lists, len(votes))
    return np.stack([right, total])


def _with_judges(
    belief: Belief, votes: Votes, study: Study, evidence: Evidence, relevant_from: float
) -> Belief:
    """Let gold's word stand where it is to; tell how much judges decided."""
    if evidence == "ignore" or not study.judging:
        return belief
    known = np.zeros(len(belief.p), bool)
    p, unseen = belief.p, belief.unseen
    if evidence == "clamp":
        p, unseen, known = clamped(study, p, unseen, relevant_from)
    tally = shares_of_judges(votes, known, p, unseen)
    belief = replace(belief, p=p, gain=np.nan_to_num(p), unseen=unseen)
    return replace(belief, truth=tally.truth, heard=tally.voiced, tally=tally)
