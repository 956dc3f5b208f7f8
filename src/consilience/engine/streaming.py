"""EM over more votes than memory holds: Dawid–Skene and hidden engines, part by part.

A part is a study of some of the queries, with everybody who answers any of them
(:mod:`consilience.study.outline`). Parts are read once; what EM needs of their votes is kept in
words (:mod:`consilience.engine.kept`), of which there are far fewer than votes. Then EM runs as it
does in memory, with the same start, the same steps and the same end: however a study is split, the
rates are those of the whole, but for rounding.

The belief of a part follows from the rates and the part's own votes.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief import coins, engines
from consilience.belief.blocks import blocks_of
from consilience.belief.coins_em import Fitted as Coins
from consilience.belief.coins_em import fit as fit_coins
from consilience.belief.engines_em import Fitted as Engines
from consilience.belief.engines_em import fit as fit_engines
from consilience.belief.engines_em import parts_of
from consilience.belief.families import codes
from consilience.belief.patterns import patterns_of
from consilience.belief.votes import Evidence, votes_of
from consilience.engine.kept import Kept
from consilience.errors import UsageError, quote
from consilience.progress import part as share
from consilience.progress import report

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.belief.patterns import Patterns
    from consilience.belief.votes import Votes
    from consilience.study import Study

#: Parts of a study: some that can be gone through, or a function that gives them.
Parts = Callable[[], Iterable["Study"]] | Iterable["Study"]

#: Bytes of words that stay in memory, unless told otherwise.
MEMORY = 1 << 29
#: Reading is taken for this share of the work; so many parts are taken for half of it.
_READING, _HALF = 0.5, 10


@dataclass(frozen=True, slots=True)
class How:
    """How EM over parts is run: what judges do, when it ends, what may stay in memory.

    ``evidence``, ``relevant_from``, ``iterations`` and ``tolerance`` are as in memory
    (:func:`consilience.dawid_skene`; None: as many steps as there). ``memory`` is how many bytes of
    words are kept there; others go to files in ``scratch`` (None: where the system has room).
    """

    evidence: Evidence = "clamp"
    relevant_from: float = 1.0
    iterations: int | None = None
    tolerance: float = 1e-8
    memory: int = MEMORY
    scratch: Path | None = None


@dataclass(frozen=True, slots=True)
class Streamed:
    """What EM found over parts, and a function that gives the belief of each of them.

    ``voters`` are the names of those who voted, in the order of the rates in ``found``; ``family``
    names the family of each, where the model has such. It can be pickled and sent elsewhere.
    """

    voters: tuple[str, ...]
    found: Coins | Engines
    family: tuple[str, ...] | None
    evidence: Evidence
    relevant_from: float

    def __call__(self, study: Study, *, relevant_from: float | None = None) -> Belief:
        """Form the belief of a part, as the model sees it that was fitted to all of them.

        ``details`` are those of the whole. What counts as relevant cannot be changed any more.
        """
        if relevant_from not in (None, self.relevant_from):
            raise UsageError(
                f"the rates hold where grades from {self.relevant_from:g} count as relevant, not "
                f"from {relevant_from:g} (fix: run EM over the parts again)"
            )
        votes, patterns = _votes(study, self.evidence, self.relevant_from)
        _same(self.voters, votes)
        if isinstance(self.found, Coins):
            return coins.believed(votes, patterns, blocks_of(patterns), self.found)
        assert self.family is not None
        blocks = blocks_of(patterns, parts_of(self.found.family))
        return engines.believed(votes, patterns, blocks, [*self.family], self.found)

    def __repr__(self) -> str:
        digest = hashlib.sha256(pickle.dumps((self.found, self.evidence, self.relevant_from)))
        return f"<Streamed: {len(self.voters)} voters, {digest.hexdigest()[:32]}>"


def dawid_skene(
    parts: Parts, *, weight: NDArray[np.float64] | None = None, how: How | None = None
) -> Streamed:
    """Run Dawid–Skene over parts of a study.

    Parameters
    ----------
    parts
        The parts, each with some of the queries, or a function that gives them.
    weight
        How much every respondent's voice counts, by code: those of the voters are looked up.
        None: all count 1.
    how
        How EM is run.

    Examples
    --------
    >>> from consilience.belief.coins import dawid_skene as in_memory
    >>> from consilience.study import study
    >>> from consilience.study.outline import ranges
    >>> lists = {"a": {"q": ["x", "y"], "r": ["z"]}, "b": {"q": ["x"], "r": ["z"]}}
    >>> made = study({**lists, "c": {"q": ["x", "y"], "r": ["w"]}})
    >>> found = dawid_skene(ranges(made, [1]))
    >>> whole = in_memory(made, near=None)
    >>> abs(found.found.prevalence - whole.details["prevalence"]) < 1e-9
    True
    >>> one, other = (found(part) for part in ranges(made, [1]))
    >>> np.abs(np.concatenate([one.p, other.p]) - whole.p).max() < 1e-9
    np.True_
    """
    how = how or How()
    steps = 200 if how.iterations is None else how.iterations
    with _read(parts, how, None) as (voters, kept):
        each = np.ones(len(voters.names)) if weight is None else weight[voters.codes]
        found = fit_coins(kept, weight=each, iterations=steps, tolerance=how.tolerance)
    return Streamed(voters.names, found, None, how.evidence, how.relevant_from)


def hierarchical(
    parts: Parts, *, families: Mapping[str, str] | None = None, how: How | None = None
) -> Streamed:
    """Run the model of hidden engines (HDS) over parts of a study.

    Parameters
    ----------
    parts
        The parts, each with some of the queries, or a function that gives them.
    families
        System → family; None: the study's own. Who is not named is a family of its own.
    how
        How EM is run.

    Examples
    --------
    >>> from consilience.study import study
    >>> from consilience.study.outline import ranges
    >>> lists = {"a": {"q": ["x", "y"], "r": ["z"]}, "b": {"q": ["x"], "r": ["z"]}}
    >>> made = study({**lists, "c": {"q": ["x", "y"], "r": ["w"]}})
    >>> found = hierarchical(ranges(made, [1]), families={"a": "one", "b": "one"})
    >>> [list(found(part).details["engines"]) for part in ranges(made, [1])]
    [['one', 'c'], ['one', 'c']]
    """
    how = how or How()
    steps = 500 if how.iterations is None else how.iterations
    with _read(parts, how, lambda votes: engines.labels_of(votes, families)) as (voters, kept):
        family = codes(voters.labels)
        found = fit_engines(kept, family, iterations=steps, tolerance=how.tolerance)
    return Streamed(voters.names, found, voters.labels, how.evidence, how.relevant_from)


@dataclass(frozen=True, slots=True)
class _Voters:
    """Who votes: names, codes, and the families' names where they matter."""

    names: tuple[str, ...]
    codes: NDArray[np.int64]
    labels: tuple[str, ...]


@contextmanager
def _read(
    parts: Parts, how: How, label: Callable[[Votes], list[str]] | None
) -> Iterator[tuple[_Voters, Kept]]:
    """Read all parts and keep what EM needs of their votes, as long as it runs."""
    voters, kept = None, None
    try:
        with share(0.0, _READING):
            for number, one in enumerate(parts() if callable(parts) else parts, start=1):
                votes, patterns = _votes(one, how.evidence, how.relevant_from)
                if voters is None or kept is None:
                    labels = [] if label is None else label(votes)
                    part = parts_of(codes(labels)) if labels else np.zeros(len(votes), np.int64)
                    voters = _Voters(votes.names, votes.respondent, tuple(labels))
                    kept = Kept(part, how.memory, how.scratch)
                _same(voters.names, votes)
                kept.add(patterns)
                report(number, number + _HALF)
        if voters is None or kept is None:
            raise UsageError("there is no part of a study (fix: give one at least)")
        kept.finish()
        with share(_READING, 1.0):
            yield voters, kept
        report(1, 1)
    finally:
        if kept is not None:
            kept.close()


def _votes(study: Study, evidence: Evidence, relevant_from: float) -> tuple[Votes, Patterns]:
    """Give the votes of a part, and their patterns."""
    votes = votes_of(study, evidence=evidence, relevant_from=relevant_from)
    known, unseen = coins.known_truth(study, evidence, relevant_from)
    return votes, patterns_of(votes, known=known, known_unseen=unseen)


def _same(names: tuple[str, ...], votes: Votes) -> None:
    """See that a part has the voters of the whole."""
    if votes.names != names:
        other = sorted({*names} ^ {*votes.names}) or [*names]
        raise UsageError(
            f"not the same voters vote in all parts, {quote(other[0])} for one (fix: parts of one "
            "study, which know who votes in the whole)"
        )
