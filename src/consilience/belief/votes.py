"""Who says what of which item: the sparse table of votes that every consensus reads.

Only what was said is stored. A voter that was asked a query and lists what it found says *no* to
all other items of the query; one whose silence means "unknown" says nothing of them. So a weighted
sum over all opinions is a sum over the stored rows plus, query by query, the weight of those whose
silence speaks. Of an item of the universe that nobody mentioned one thing is known: no system
returned it. Every system that was asked says no to it, in whatever form it answered (Lamiroy & Sun,
eq. 10: such an item weighs 1/(s + 2)).

Nothing is copied: the rows are those of the study. With V voters of weight w, for every item i::

    yes(i)    = Σ_k w_k v_ik             over the voters that spoke of i
    spoken(i) = Σ_k w_k                  over the same voters

Both are made in one pass over the rows, some ten thousand at a time (:meth:`Votes.totals`).
Estimators that pass over the votes many times ask for them as sparse matrices
(:meth:`Votes.matrix`, :meth:`Votes.shift`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from consilience.belief.judges import said
from consilience.belief.products import matrix_of
from consilience.errors import UsageError, unknown
from consilience.study.model import as_study
from consilience.study.subset import answered
from consilience.study.walk import walk

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from consilience.study import Answers, Study

#: What the judges' answers do: gold's word stands, they vote beside the systems, or neither.
Evidence = Literal["clamp", "vote", "ignore"]
EVIDENCE: tuple[Evidence, ...] = ("clamp", "vote", "ignore")

#: The kinds of judges that vote.
VOTING: dict[Evidence, tuple[str, ...]] = {
    "ignore": (),
    "clamp": ("person", "llm"),
    "vote": ("gold", "person", "llm"),
}

#: Rows lie close together if their items span at most so many times their number.
NEARBY = 16


@dataclass(frozen=True, slots=True)
class Part:
    """The lists of some voters: list ``l`` is voter ``voter[l]``'s (-1: nobody's that votes).

    ``vote`` is None where every row says yes; NaN means "cannot tell".
    """

    lists: Answers
    voter: NDArray[np.int64]
    vote: NDArray[np.float64] | None


@dataclass(frozen=True, slots=True)
class Votes:
    """What voters say of a study's items.

    ``names`` are the voters', ``respondent`` their codes in the study. ``asked`` (voters ×
    queries) tells to whom a query was put; ``lists`` tells whose silence about an item means no.
    Where judges are ignored, so are items that only they mentioned: ``items`` gives the codes of
    the items in the study that was asked about, ``study`` is what is left of it.
    """

    study: Study
    items: NDArray[np.int64]
    names: tuple[str, ...]
    respondent: NDArray[np.int64]
    lists: NDArray[np.bool_]
    asked: NDArray[np.bool_]
    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def says_no(self) -> NDArray[np.bool_]:
        """Whose silence, under which query, says no (voters × queries)."""
        return self.asked & self.lists[:, None]

    @property
    def says_no_to_unmentioned(self) -> NDArray[np.bool_]:
        """Who, under which query, says no to an item nobody mentioned (voters × queries).

        Systems that were asked have not returned it; a judge may not have seen it.
        """
        system = np.isin(self.respondent, self.study.respondents.of_kind("system"))
        return self.asked & (self.lists | system)[:, None]

    @property
    def query(self) -> NDArray[np.int32]:
        """The query of every item."""
        sizes = np.diff(self.study.items.starts)
        return np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)

    @property
    def unmentioned(self) -> NDArray[np.float64]:
        """How many items of each query nobody mentioned: the universe, less those mentioned."""
        sizes = np.diff(self.study.items.starts).astype(np.float64)
        if self.study.universe is None:
            return np.zeros(len(sizes))
        return self.study.universe - sizes

    def totals(
        self, weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Add up for every item the weights that say yes and those that spoke.

        The third result is the weight that says no, query by query, to an item nobody mentioned.

        Examples
        --------
        >>> from consilience.study import study
        >>> votes = votes_of(study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}}))
        >>> yes, spoken, silent = votes.totals(np.array([1.0, 0.5]))
        >>> yes.tolist(), spoken.tolist(), silent.tolist()
        ([1.5, 1.0], [1.5, 1.5], [1.5])
        """
        yes = np.zeros(len(self.study.items))
        silent = weight @ self.says_no_to_unmentioned
        spoken = np.repeat(weight @ self.says_no, np.diff(self.study.items.starts))
        for item, voter, vote in self.blocks():
            heard = weight[voter]
            if vote is None:
                _add(yes, item, heard)
                continue
            known = ~np.isnan(vote)
            _add(yes, item, np.where(known, heard * vote, 0.0))
            lists = self.lists[voter]
            shift = known.astype(np.float64) - lists
            if shift.any():
                _add(spoken, item, heard * shift)
        return yes, spoken, silent

    def blocks(
        self,
    ) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64] | None]]:
        """Give the rows, some at a time: items, voters, votes (None: all say yes)."""
        for part in self.parts:
            starts, everybody = part.lists.starts, bool((part.voter >= 0).all())
            for begin, end in walk(part.lists, self.study.items):
                first = int(np.searchsorted(starts, begin, side="right")) - 1
                last = int(np.searchsorted(starts, end))
                edges = starts[first : last + 1].copy()
                edges[0], edges[-1] = begin, end
                length = edges[1:] - edges[:-1]
                voter = np.repeat(part.voter[first:last], length)
                item = part.lists.item[begin:end]
                vote = None if part.vote is None else part.vote[begin:end]
                if not everybody:
                    kept = voter >= 0
                    voter, item = voter[kept], item[kept]
                    vote = None if vote is None else vote[kept]
                yield item, voter, vote

    def matrix(self) -> csr_array:
        """Give the votes as a sparse matrix, items × voters; what is not stored counts 0.

        Whether 0 means no or nothing tells :meth:`shift` together with ``says_no``.
        """
        return matrix_of(self)

    def shift(self) -> csr_array | None:
        """Give what silence does not tell of who spoke (items × voters), or None if nothing.

        +1 where a voter whose silence means "unknown" spoke; -1 where one whose silence means
        "no" could not tell. So who spoke of an item is ``says_no`` of its query plus this.
        """
        from scipy.sparse import csr_array

        found: list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]] = []
        for item, voter, vote in self.blocks():
            known = np.ones(len(item), bool) if vote is None else ~np.isnan(vote)
            change = known.astype(np.float64) - self.lists[voter]
            odd = change != 0
            if odd.any():
                found.append((item[odd], voter[odd], change[odd]))
        if not found:
            return None
        item, voter, change = (np.concatenate(column) for column in zip(*found, strict=True))
        return csr_array((change, (item, voter)), shape=(len(self.study.items), len(self)))


def _add(total: NDArray[np.float64], item: NDArray[np.int32], weight: NDArray[np.float64]) -> None:
    """Add weights up by item, in place; the rows of a block mostly lie close together."""
    if not len(item):
        return
    low, high = int(item.min()), int(item.max()) + 1
    if high - low <= NEARBY * len(item):
        total[low:high] += np.bincount(item - low, weight, high - low)
    else:
        np.add.at(total, item, weight)


def votes_of(study: Study, *, evidence: Evidence = "ignore", relevant_from: float = 1.0) -> Votes:
    """Collect the votes of a study's systems, and of its judges where they are to vote.

    Parameters
    ----------
    study
        The study.
    evidence
        "vote": gold, people and language models vote beside the systems; "clamp": people and
        language models do (gold's word stands, see :func:`consilience.belief.agreement.clamped`);
        "ignore": only systems, and items that only judges mentioned are left out.
    relevant_from
        The lowest grade of a judge that counts as relevant.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, truth={"q": {"x": 1, "y": 0}})
    >>> votes_of(made).names, votes_of(made, evidence="vote").names
    (('a', 'b'), ('a', 'b', 'truth'))
    """
    as_study(study, "a belief")
    if evidence not in EVIDENCE:
        raise unknown("way with evidence", evidence, EVIDENCE)
    study, items = answered(study) if evidence == "ignore" else (study, None)
    people = study.respondents
    tables: list[tuple[Answers, NDArray[np.float64] | None]] = [(study.answers, study.answers.vote)]
    if evidence != "ignore" and study.evidence.lists:
        tables.append((study.evidence, said(study, relevant_from)))
    codes = voting(study, evidence)
    if not codes:
        raise UsageError("nobody votes: there are no systems' answers (fix: name their files)")
    place = np.full(len(people), -1, np.int64)
    place[codes] = np.arange(len(codes))
    asked = np.zeros((len(codes), len(study.queries)), bool)
    parts = []
    for answers, vote in tables:
        voter = place[answers.respondent]
        votes = voter >= 0
        asked[voter[votes], answers.query[votes]] = True
        parts.append(Part(answers, voter, vote))
    return Votes(
        study,
        np.arange(len(study.items)) if items is None else items,
        tuple(people.names[code] for code in codes),
        np.array(codes, np.int64),
        np.array([people.silence[code] == "no" for code in codes], bool),
        asked,
        tuple(parts),
    )


def voting(study: Study, evidence: Evidence) -> list[int]:
    """Give the codes of those who vote in a study, or the whole of it: systems, then judges.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x"]}, "b": {"q": ["y"]}}, truth={"q": {"x": 1, "y": 0}})
    >>> voting(made, "clamp"), voting(made, "vote")
    ([0, 1], [0, 1, 2])
    """
    kind = study.respondents.kind
    return [
        code
        for codes, kinds in ((study.answering, ("system",)), (study.judging, VOTING[evidence]))
        for code in codes
        if kind[code] in kinds
    ]
