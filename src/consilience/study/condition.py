"""Which truth is there? A fact read off the study, not a mode that users choose.

It follows from a few counts (:class:`Facts`). Those of parts of a study, each with some of its
queries, add up to those of the whole (:func:`joined_facts`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from consilience.errors import quote
from consilience.formats.rows import ONLY_QUERY
from consilience.study.drawn import is_labelled
from consilience.study.subset import without_models

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.model import Study

Name = Literal["complete", "partial", "uncertain", "inexact", "absent"]
#: Why there is no truth: nobody has judged, nobody who is believed, or nobody yet.
NO_JUDGES = "only the systems' own answers were given"
ONLY_MODELS = "only language models have judged, and they are not the truth"
UNLABELLED = "items were drawn to be judged, and none has a label yet"
#: So many items tell whether their ids are spelt alike.
_SPELT = 100_000
#: How many query ids of each side a message shows.
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition of truth, why, and how much of what systems returned has been judged."""

    name: Name
    why: str
    judged: float
    queries_judged: int


@dataclass(frozen=True, slots=True)
class Ids:
    """Queries: the ids of the first ones, as many as a message may need, and how many there are."""

    first: tuple[str, ...] = ()
    count: int = 0

    def __str__(self) -> str:
        shown = ", ".join(quote(name) for name in self.first[:_SHOWN])
        return f"{shown}, …" if self.count > _SHOWN else shown


@dataclass(frozen=True, slots=True)
class Shared:
    """Which queries answers and truth have, and whether they have one in common."""

    asked: Ids = Ids()
    judged: Ids = Ids()
    common: bool = False


@dataclass(frozen=True, slots=True)
class Facts:
    """What the condition of truth follows from.

    ``lists`` counts lists of answers, ``spoken`` those that bear on the truth, ``trusted`` those
    of them that are not of language models; ``silence`` says what the silence of trusted judges
    means. ``drawn`` and ``labelled`` tell whether items were drawn to be judged, and whether
    anything has a label; ``sorts`` and ``says`` whether judges put items into categories, and
    whether they gave grades or votes. ``returned`` counts the items that systems returned for
    queries with truth, ``known`` those that were judged of them, ``several`` those with several
    judges (of categories: ``sorted_twice``); ``fractions`` tells whether judges gave any. Where
    judges only sort, ``names`` and ``placed`` name what was returned and what they sorted.
    """

    lists: int = 0
    spoken: int = 0
    trusted: int = 0
    silence: frozenset[str] = frozenset()
    drawn: bool = False
    labelled: bool = False
    sorts: bool = False
    says: bool = False
    returned: int = 0
    known: int = 0
    several: int = 0
    sorted_twice: int = 0
    fractions: bool = False
    shared: Shared = Shared()
    names: frozenset[str] = frozenset()
    placed: frozenset[str] = frozenset()

    @property
    def sorts_only(self) -> bool:
        """Whether judges put items into categories and said nothing else of them."""
        return self.sorts and not self.says

    @property
    def lacking(self) -> str | None:
        """Why nobody who can be believed has judged; None where somebody has."""
        if not self.spoken:
            return NO_JUDGES
        if not self.trusted:
            return ONLY_MODELS
        return UNLABELLED if self.drawn and not self.labelled else None


def spoken(study: Study) -> NDArray[np.bool_]:
    """Tell which answers of judges say something (a negative grade: pooled, but not judged).

    What was drawn and has no label yet says nothing. What language models say does not count: they
    are never the truth.
    """
    evidence = study.evidence
    models = np.isin(evidence.respondent, study.respondents.of_kind("llm"))
    people = ~models[evidence.list_of_row()]
    if evidence.grade is None:
        labelled = is_labelled(evidence) if evidence.vote is None else ~np.isnan(evidence.vote)
        return people & labelled
    said = evidence.grade >= 0
    return people & (said if evidence.vote is None else said | ~np.isnan(evidence.vote))


def judged_queries(study: Study) -> NDArray[np.int32]:
    """Give the queries that gold or people were asked, rising."""
    return np.unique(without_models(study).evidence.query)


def judged_items(study: Study) -> NDArray[np.bool_]:
    """Tell which items somebody has judged who is not a language model."""
    judged = np.zeros(len(study.items), bool)
    judged[study.evidence.item[spoken(study)]] = True
    return judged


def no_truth(study: Study) -> str | None:
    """Say why nobody who can be believed has judged; None where somebody has.

    Examples
    --------
    >>> from consilience.study import study
    >>> said = {"item": ["x"], "judge": ["bot"], "kind": ["llm"], "label": [1]}
    >>> no_truth(study({"s": {"all": ["x"]}}, truth=said))
    'only language models have judged, and they are not the truth'
    """
    if not study.evidence.lists:
        return NO_JUDGES
    evidence = without_models(study).evidence
    if not evidence.lists:
        return ONLY_MODELS
    waiting = evidence.probability is not None and not is_labelled(evidence).any()
    return UNLABELLED if waiting else None


def facts(study: Study) -> Facts:
    """Count what the condition of truth follows from.

    Examples
    --------
    >>> from consilience.study import study
    >>> found = facts(study({"a": {"q": ["d1", "d2"]}}, truth={"q": {"d1": 1, "d3": 0}}))
    >>> found.returned, found.known, found.several
    (2, 1, 0)
    """
    lists = study.evidence.lists
    study = without_models(study)
    evidence, votes = study.evidence, study.evidence.vote
    only = sorts_only(study)
    silence = study.respondents.silence
    returned, known = _returned(study)
    return Facts(
        lists=study.answers.lists,
        spoken=lists,
        trusted=evidence.lists,
        silence=frozenset(silence[code] for code in np.unique(evidence.respondent)),
        drawn=evidence.probability is not None,
        labelled=bool(is_labelled(evidence).any()),
        sorts=evidence.category is not None,
        says=evidence.grade is not None or votes is not None,
        returned=returned,
        known=known,
        several=_more_than_one(evidence.item[spoken(study)]),
        sorted_twice=_sorted_twice(study),
        fractions=votes is not None and bool(((votes > 0) & (votes < 1)).any()),
        shared=_shared(study),
        names=_names(study, study.answers.item) if only else frozenset(),
        placed=_names(study, evidence.item) if only else frozenset(),
    )


def joined_facts(parts: Sequence[Facts]) -> Facts:
    """Add up the facts of parts of a study, each with some of its queries, in their order.

    Examples
    --------
    >>> from consilience.study import study
    >>> one = facts(study({"a": {"q": ["d1"]}}, truth={"q": {"d1": 1, "d2": 0}}))
    >>> two = facts(study({"a": {"r": ["d1", "d2"]}}, truth={"r": {"d1": 0}}))
    >>> condition_of(joined_facts([one, two])).why
    '1 of 3 returned items are not judged'
    """
    return Facts(
        lists=sum(one.lists for one in parts),
        spoken=sum(one.spoken for one in parts),
        trusted=sum(one.trusted for one in parts),
        silence=_union(one.silence for one in parts),
        drawn=any(one.drawn for one in parts),
        labelled=any(one.labelled for one in parts),
        sorts=any(one.sorts for one in parts),
        says=any(one.says for one in parts),
        returned=sum(one.returned for one in parts),
        known=sum(one.known for one in parts),
        several=sum(one.several for one in parts),
        sorted_twice=sum(one.sorted_twice for one in parts),
        fractions=any(one.fractions for one in parts),
        shared=Shared(
            _end_to_end(one.shared.asked for one in parts),
            _end_to_end(one.shared.judged for one in parts),
            any(one.shared.common for one in parts),
        ),
        names=_union(one.names for one in parts),
        placed=_union(one.placed for one in parts),
    )


def condition(study: Study) -> Condition:
    """Read the condition of truth off a study.

    - *absent*: nobody but the systems has answered, or nobody about what they answered; nobody
      but language models has judged; or items were drawn to be judged, and none has a label yet;
    - *uncertain*: several judges have answered about the same item, or judges gave fractions, or
      categories and labels that do not say what is relevant;
    - *complete*: gold says of every item that a system returned whether it is relevant, or
      lists what is relevant and is silent about the rest;
    - *partial*: gold has judged some of the returned items only.

    Examples
    --------
    >>> from consilience.study import study
    >>> condition(study({"a": {"q": ["d1", "d2"]}}, truth={"q": {"d1": 1, "d2": 0}})).name
    'complete'
    >>> condition(study({"a": {"q": ["d1", "d2"]}}, truth={"q": {"d1": 1, "d3": 0}})).name
    'partial'
    >>> condition(study({"a": {"q": ["d1", "d2"]}, "b": {"q": ["d2"]}})).name
    'absent'
    """
    return condition_of(facts(study))


def condition_of(facts: Facts) -> Condition:
    """Tell the condition of truth from what it follows from; see :func:`condition`."""
    queries = facts.shared.judged.count
    if facts.lacking is not None:
        return Condition("absent", facts.lacking, 0.0, queries)
    if facts.sorts_only:
        return Condition("uncertain", _sorted_by(facts), _sorted_share(facts), queries)
    apart = _apart(facts.shared)
    if apart:
        return Condition("absent", apart, 0.0, queries)
    total, known = facts.returned, facts.known
    share = known / total if total else float(facts.lists > 0)
    doubt = _doubt(facts)
    if doubt:
        return Condition("uncertain", doubt, share, queries)
    if not facts.lists:
        why = "truth was given, but no systems' answers that it could be about"
        return Condition("absent", why, 0.0, queries)
    if facts.silence == {"no"}:
        why = "gold lists what is relevant; what it does not list is not"
        return Condition("complete", why, 1.0, queries)
    if not total:
        return Condition("complete", "no item was returned that could be judged", share, queries)
    if known == total:
        return Condition("complete", "every returned item has been judged", share, queries)
    why = f"{total - known:,} of {total:,} returned items are not judged"
    return Condition("partial", why, share, queries)


def no_common_query(study: Study) -> str | None:
    """Say that truth and answers share no query, and what to do; None where that is not so.

    Where there is no truth, or no answer, there is nothing to share, and None is given too; so it
    is with categories, which do not depend on the query.

    Examples
    --------
    >>> from consilience.study import study
    >>> print(no_common_query(study({"a": {"q1": ["d1"]}}, truth={"1": {"d1": 1}})))
    truth and answers share no query: answers have 'q1'; truth has '1' (fix: write the ...)
    >>> no_common_query(study({"a": {"q1": ["d1"]}}, truth={"q1": {"d1": 1}}))
    """
    study = without_models(study)
    if sorts_only(study):
        return None
    return no_common_query_of(_shared(study)) or _spelt_otherwise(study)


def _spelt_otherwise(study: Study) -> str | None:
    """Say that truth and answers share no item, though some differ only in how they are spelt.

    Examples
    --------
    >>> from consilience.study import study
    >>> print(no_common_query(study({"a": {"q": ["1", "2"]}}, truth={"q": {"001": 1}})))
    truth and answers share no item, and '1' may be '001' (fix: write the ids of the items alike ...
    """
    judged = np.zeros(len(study.items), bool)
    judged[study.evidence.item] = True
    if not judged.any() or not len(study.answers.item) or judged[study.answers.item].any():
        return None
    first = np.unique(study.answers.item)[:_SPELT]
    theirs = np.flatnonzero(judged)[:_SPELT]
    spelt = {_plain(name): name for name in study.items.names(theirs)}
    for name in study.items.names(first):
        if (other := spelt.get(_plain(name))) is not None and other != name:
            return (
                f"truth and answers share no item, and {quote(name)} may be {quote(other)} "
                "(fix: write the ids of the items alike in both)"
            )
    return None


def _plain(item: str) -> str:
    """Return an id without capitals, leading zeros, folders and a file's ending."""
    name = item.strip().casefold().rpartition("/")[2]
    return re.sub(r"\.[a-z]\w{1,4}$", "", name).lstrip("0")


def no_common_query_of(shared: Shared) -> str | None:
    """Say that truth and answers share no query, from which queries they have."""
    apart = _apart(shared)
    if apart is None:
        return None
    sides = (("answers", shared.asked), ("truth", shared.judged))
    only = [side for side, ids in sides if ids == Ids((ONLY_QUERY,), 1)]
    fix = "write the ids of the queries alike in both, or give the truth of these answers"
    if only:
        fix = f"the {only[0]} came without queries: give each row one, in a column 'query'"
    elif twins := next((found for _, ids in sides if (found := _twins(ids.first))), None):
        both = " and ".join(twins)
        fix = f"keep one file for each document: {both} differ in nothing but their endings, which "
        fix += "are parts of their names therefore"
    return f"{apart} (fix: {fix})"


def _twins(names: Sequence[str]) -> tuple[str, str] | None:
    """Find two files' names that differ in their endings alone: a folder then keeps all endings.

    Examples
    --------
    >>> _twins(["a/d1.key", "a/d1.txt"]), _twins(["1.1", "2.1"])
    (('a/d1.key', 'a/d1.txt'), None)
    """
    first: dict[str, str] = {}
    for name in names:
        stem, _, ending = name.rpartition(".")
        if "/" in stem and re.fullmatch(r"[A-Za-z]\w{0,4}~?", ending):
            if stem in first:
                return first[stem], name
            first[stem] = name
    return None


def _shared(study: Study) -> Shared:
    asked, judged = np.unique(study.answers.query), np.unique(study.evidence.query)
    common = bool(len(np.intersect1d(asked, judged)))
    return Shared(_ids(study, asked), _ids(study, judged), common)


def _ids(study: Study, queries: NDArray[np.int32]) -> Ids:
    return Ids(tuple(study.queries[query] for query in queries[: _SHOWN + 1]), len(queries))


def _end_to_end(parts: Iterable[Ids]) -> Ids:
    made = Ids()
    for one in parts:
        made = Ids((*made.first, *one.first)[: _SHOWN + 1], made.count + one.count)
    return made


def _union(parts: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*parts)


def _apart(shared: Shared) -> str | None:
    """Say which queries truth and answers have, where they share none."""
    if not shared.asked.count or not shared.judged.count or shared.common:
        return None
    ours, theirs = shared.asked, shared.judged
    return f"truth and answers share no query: answers have {ours}; truth has {theirs}"


def sorts_only(study: Study) -> bool:
    """Tell whether judges put items into categories and said nothing else of them."""
    evidence = study.evidence
    return evidence.category is not None and evidence.grade is None and evidence.vote is None


def _sorted_by(facts: Facts) -> str:
    """Say how many items people put into categories."""
    if facts.sorted_twice:
        return f"{facts.sorted_twice:,} items have categories or labels of several people"
    return "people gave categories or labels, which do not say what is relevant"


def _sorted_share(facts: Facts) -> float:
    """Tell which share of the returned items was put into categories, by their names."""
    return len(facts.names & facts.placed) / len(facts.names) if facts.names else 0.0


def _names(study: Study, items: NDArray[np.int32]) -> frozenset[str]:
    return frozenset(study.items.names(np.unique(items)))


def _sorted_twice(study: Study) -> int:
    """Count the items that have several categories."""
    evidence = study.evidence
    if evidence.category is None:
        return 0
    return _more_than_one(evidence.item[evidence.category >= 0])


def _more_than_one(items: NDArray[np.int32]) -> int:
    """Count the items that come more than once."""
    return int((np.bincount(items) > 1).sum())


def _returned(study: Study) -> tuple[int, int]:
    """Count the items that systems returned for queries with truth, and those judged of them."""
    if not study.evidence.lists:
        return 0, 0
    has_truth = np.zeros(len(study.queries), bool)
    has_truth[study.evidence.query] = True
    returned = np.zeros(len(study.items), bool)
    returned[study.answers.item] = True
    returned &= np.repeat(has_truth, np.diff(study.items.starts))
    return int(returned.sum()), int((returned & judged_items(study)).sum())


def _doubt(facts: Facts) -> str | None:
    """Say why what judges said leaves room for doubt; None where it does not."""
    if facts.several:
        return f"{facts.several:,} items have several judges"
    return "judges gave fractions" if facts.fractions else None
