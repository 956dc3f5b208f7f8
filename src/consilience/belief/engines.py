r"""No truth, and systems that share engines: Dawid–Skene with a hidden engine for every family.

Systems of one family (pipelines on one OCR engine, prompts of one language model) do not err
independently. Here the family's *engine* g sees the truth T through two coins, and its systems s
see only what the engine says (HDS)::

    P(T = 1) = π      P(E_g = 1 | T = 1) = α_g,  P(E_g = 1 | T = 0) = β_g
                      P(v_s = 1 | E_g = 1) = u_s,  P(v_s = 1 | E_g = 0) = w_s

so that twelve copies of one engine are one voice about T, however loud. EM sums the engines out,
family by family::

    log P(v_g | T = t) = log( a_t Π_s P(v_s | E = 1) + (1 − a_t) Π_s P(v_s | E = 0) ),   a = (β, α)

Conventions
-----------
- A system alone in its family is its own engine (u = 1, w = 0, not estimated). Where all are alone
  the model is :func:`consilience.belief.coins.dawid_skene` without its merging of copies.
- Priors, fractional votes, known items and the start are as in :mod:`consilience.belief.coins`; to
  start with, an engine says what its systems say on average, and each family counts once.
- Which state of an engine is "yes" is settled by its systems: on average u ≥ w.
- The number of free parameters is 1 + 2G + 2S', with G engines and S' systems that are not alone in
  their family: BIC = −2 log L + (1 + 2G + 2S') log n, over the n items somebody spoke of.

With fewer than three families the truth cannot be told from votes, here as elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.blocks import Block, blocks_of
from consilience.belief.coins import belief_of, known_truth
from consilience.belief.engines_em import Fitted, Rates, fit, parts_of
from consilience.belief.families import codes, declared_families
from consilience.belief.patterns import Patterns, patterns_of
from consilience.belief.votes import Evidence, Votes, votes_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief.model import Belief
    from consilience.study import Study

#: BIC of more patterns of votes than this is that of a sample of the items.
MOST = 5_000


def hierarchical(
    study: Study,
    *,
    families: Mapping[str, str] | None = None,
    evidence: Evidence = "clamp",
    relevant_from: float = 1.0,
    iterations: int = 500,
    tolerance: float = 1e-8,
) -> Belief:
    """Believe what engines, seen through their systems, most probably saw (HDS).

    Parameters
    ----------
    study
        The study.
    families
        System → family; None: the study's own. Who is not named is a family of its own.
    evidence, relevant_from
        As in :func:`consilience.belief.coins.dawid_skene`.
    iterations, tolerance
        EM ends after so many steps, or when a step adds less than this to the log-likelihood
        of an item.

    Returns
    -------
    Belief
        ``details`` has "engines" (family → its rates and members), "sensitivity" and
        "false_positive_rate" of the systems by name, "prevalence", "log_likelihood", "bic",
        "iterations" and "converged".

    Examples
    --------
    Three systems of one family say x, two on their own say y.

    >>> from consilience.study import study
    >>> lists = {
    ...     "a1": ["x", "z"],
    ...     "a2": ["x", "z"],
    ...     "a3": ["x", "z"],
    ...     "b": ["y", "z"],
    ...     "c": ["y", "z"],
    ... }
    >>> made = study({name: {"q": items} for name, items in lists.items()}, universe=20)
    >>> belief = hierarchical(made, families={"a1": "a", "a2": "a", "a3": "a"})
    >>> p = dict(zip(made.items.names(belief.item), belief.p.tolist()))
    >>> p["y"] > p["x"], list(belief.details["engines"])
    (True, ['a', 'b', 'c'])
    """
    votes = votes_of(study, evidence=evidence, relevant_from=relevant_from)
    known, unseen = known_truth(study, evidence, relevant_from)
    patterns = patterns_of(votes, known=known, known_unseen=unseen)
    labels = labels_of(votes, families)
    family = codes(labels)
    blocks = blocks_of(patterns, parts_of(family))
    found = fit(blocks, family, iterations=iterations, tolerance=tolerance)
    return believed(votes, patterns, blocks, labels, found)


def believed(
    votes: Votes, patterns: Patterns, blocks: Iterable[Block], labels: list[str], found: Fitted
) -> Belief:
    """Make a belief of what EM found, of votes that may be a part of those it saw."""
    rates = found.rates.of_systems(found.family)
    return belief_of(
        votes,
        patterns,
        np.concatenate([found.of(block) for block in blocks]),
        method="hds",
        assumes="given the truth, families err independently; a system sees only its engine",
        effective=float(found.family.max() + 1),
        details={
            "engines": _named(votes.names, labels, found.rates),
            "sensitivity": dict(zip(votes.names, rates[:, 0].tolist(), strict=True)),
            "false_positive_rate": dict(zip(votes.names, rates[:, 1].tolist(), strict=True)),
            "prevalence": found.rates.prevalence,
            "log_likelihood": found.log_likelihood,
            "bic": found.bic,
            "iterations": found.iterations,
            "converged": found.converged,
        },
    )


def bic(votes: Votes | Patterns, families: Mapping[str, str] | NDArray[np.int64]) -> float:
    """Tell how well families explain votes; less is better (Schwarz 1978).

    Where votes fall into very many patterns this is the BIC of a sample of items, the same ones
    whatever the families: values of the same votes can be compared.

    Parameters
    ----------
    votes
        The votes, or their patterns where many partitions are to be compared.
    families
        System → family (who is not named is alone), or a number for every voter.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["z"]}})
    >>> votes = votes_of(made)
    >>> bic(votes, {"a": "one", "b": "one"}) == bic(patterns_of(votes), np.array([0, 0, 1]))
    True
    """
    if isinstance(families, Mapping):
        if isinstance(votes, Patterns):
            raise TypeError("patterns have no names: give a number for every voter")
        family = codes(labels_of(votes, families))
    else:
        family = np.unique(families, return_inverse=True)[1]
    patterns = votes if isinstance(votes, Patterns) else patterns_of(votes)
    blocks = blocks_of(patterns.thinned(MOST), parts_of(family))
    return fit(blocks, family, iterations=100, tolerance=1e-5).bic


def labels_of(votes: Votes, families: Mapping[str, str] | None) -> list[str]:
    """Name every voter's family; who has none is marked by a first character that no name has."""
    return declared_families(votes, families) or [f"\0{name}" for name in votes.names]


def _named(names: tuple[str, ...], labels: list[str], rates: Rates) -> dict[str, dict[str, Any]]:
    """Give every engine's rates and members, by the name of the family."""
    found: dict[str, dict[str, Any]] = {}
    for code, label in enumerate(dict.fromkeys(labels)):
        name = label.removeprefix("\0")
        found[name if name == label or name not in labels else f"{name} (alone)"] = {
            "sensitivity": float(rates.engine[code, 0]),
            "false_positive_rate": float(rates.engine[code, 1]),
            "members": tuple(one for one, own in zip(names, labels, strict=True) if own == label),
        }
    return found
