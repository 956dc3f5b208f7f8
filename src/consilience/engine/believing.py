"""Beliefs whose weights are found once, on a sample of the queries, and then hold for every part.

Who copies whom, and which family has how many members, are facts of the whole study. A part alone
would get them wrong; so they are found first and handed to the parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.dependence import distinct, family_weights
from consilience.belief.names import belief_by_name
from consilience.belief.votes import votes_of
from consilience.belief.weights import BOTTOM, TOP, shares
from consilience.errors import UsageError
from consilience.study.subset import silenced

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.belief.votes import Votes
    from consilience.engine.streaming import How, Streamed
    from consilience.study import Study

#: Beliefs that need only weights beside a query's own votes.
COUNTED = ("ls-eb", "families", "discounted", "majority")
#: All that can be believed part by part by means of weights.
WEIGHTED = ("gold", "consensus", *COUNTED)
#: Beliefs whose rates are found by EM over all parts.
FITTED = ("dawid-skene", "hds")

#: Weights by name.
Counts = tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Weighted:
    """A belief with known weights: a function of a part of a study.

    ``counts`` holds the weights for every group of systems that may be silenced (nobody: the
    empty group), because those who are left weigh differently then.
    """

    name: str
    counts: tuple[tuple[tuple[str, ...], Counts], ...] = ()
    options: tuple[tuple[str, Any], ...] = ()

    def __call__(self, study: Study, **more: Any) -> Belief:
        """Form the belief of a part."""
        function = belief_by_name(self.name)
        if self.name == "gold":
            return function(study, **more)
        people = zip(study.respondents.names, map(str, study.respondents.kind), strict=True)
        quiet = [name for name, kind in people if kind == "silenced"]
        weights = dict(dict(self.counts)[tuple(sorted(quiet))])
        given = "weights" if self.name == "consensus" else "counts"
        belief = function(study, **{**dict(self.options), given: weights, **more})
        if self.name == "majority":  # what a majority guarantees is no matter of some queries
            return replace(belief, details={})
        return belief


def weighted(
    name: str,
    sample: Study,
    *,
    options: Mapping[str, Any] | None = None,
    groups: Sequence[Sequence[str]] = (),
) -> Weighted:
    """Find the weights of a belief on a sample of a study's queries.

    Parameters
    ----------
    name
        The belief.
    sample
        A study of some of the queries, with everybody in it.
    options
        What else the belief is told: evidence, weights, families, near, prior.
    groups
        The groups of systems that will be silenced, one at a time.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["z"]}})
    >>> dict(weighted("ls-eb", made).counts[0][1])
    {'a': 0.5, 'b': 0.5, 'c': 1.0}
    """
    if name not in WEIGHTED:
        raise UsageError(
            f"--belief {name} needs all votes in memory at once (fix: --engine memory, or one of "
            f"{', '.join((*WEIGHTED, *FITTED))})"
        )
    given = dict(options or {})
    if name == "gold":
        return Weighted(name)
    counts = []
    for group in [(), *groups]:
        part = silenced(sample, group) if group else sample
        counts.append((tuple(sorted(group)), tuple(_counts(name, part, given).items())))
    given.pop("weights", None)
    return Weighted(name, tuple(counts), tuple(given.items()))


def fitted(
    name: str,
    sample: Study,
    parts: Callable[[], Iterator[Study]],
    *,
    families: Mapping[str, str] | None = None,
    how: How,
) -> Streamed:
    """Find the rates of a belief by EM over all parts.

    Parameters
    ----------
    name
        "dawid-skene" or "hds".
    sample
        A study of some of the queries, which tells who copies whom.
    parts
        Gives all parts, one after the other.
    families
        For "hds": system → family; None: the study's own.
    how
        How EM is run.
    """
    from consilience.engine import streaming

    if name == "hds":
        return streaming.hierarchical(parts, families=families, how=how)
    votes = votes_of(sample, evidence=how.evidence, relevant_from=how.relevant_from)
    weight = np.ones(len(sample.respondents))
    weight[votes.respondent] = distinct(votes)
    return streaming.dawid_skene(parts, weight=weight, how=how)


def _counts(name: str, sample: Study, options: Mapping[str, Any]) -> dict[str, float]:
    """Weigh the voters of a sample."""
    usual = "vote" if name == "consensus" else "clamp"
    votes = votes_of(sample, evidence=options.get("evidence", usual))
    if name == "consensus":
        virtual = bool(options.get("virtual", True))
        kappa, top, bottom = shares(votes, options.get("weights"), virtual=virtual)
        return _named(votes, kappa) | ({TOP: top, BOTTOM: bottom} if virtual else {})
    if name == "families":
        return _named(votes, family_weights(votes, options.get("families"))[0])
    return _named(votes, distinct(votes, near=options.get("near", 0.95)))


def _named(votes: Votes, weights: Any) -> dict[str, float]:
    return dict(zip(votes.names, weights.tolist(), strict=True))
