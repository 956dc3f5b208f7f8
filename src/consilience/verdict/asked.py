"""What systems returned, as stored or when asked again; and what is to be said about it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, quote
from consilience.measures.asking import drawn
from consilience.measures.displaced import Seen, seen_by
from consilience.study.ranking import Ranking, rank_answers
from consilience.study.subjects import unordered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study
    from consilience.study.ranking import Ties
    from consilience.study.subjects import SubjectLists
    from consilience.verdict.subjects import Chosen, Figures

Ask = Mapping[str, Callable[[str], Any]]
#: How many names a note shows.
_SHOWN = 5


def checked(ask: Any) -> Ask:
    """See that every system that is to be asked for more has a function to ask."""
    if ask is None:
        return {}
    fix = "ask={system: function of a query that gives its results, best first}"
    if not isinstance(ask, Mapping):
        raise UsageError(
            f"ask says which system is asked and how, found {type(ask).__name__} (fix: {fix})"
        )
    for name, answer in ask.items():
        if not callable(answer):
            raise UsageError(
                f"{quote(name)} cannot be asked: {type(answer).__name__} is no function of a query "
                f"(fix: {fix}; lists that are stored are runs of the study)"
            )
    return ask


def answers_seen(
    study: Study,
    lists: SubjectLists,
    systems: Sequence[str],
    *,
    ties: Ties,
    ask: Ask,
    limit: int,
) -> tuple[list[Seen], int]:
    """Lay out every system's answers as positions; tell how many answers share their score."""
    ranking = rank_answers(study, ties=ties, worth=worth(study, lists))
    bare = np.flatnonzero(~ranking.ordered & (np.diff(ranking.starts) > 0))
    if len(bare):
        name = study.respondents.names[study.answers.respondent[bare[0]]]
        raise UsageError(f"{quote(name)} has no order (fix: give a score or a rank)")
    seen = []
    for name in systems:
        known = name in study.systems
        code = study.respondents.names.index(name) if known else -1
        stored = seen_by(study, ranking, code)
        if name in ask:
            seen.append(_asked(study, lists, ranking, stored, name, ask[name], limit))
        else:
            seen.append(stored)
    return seen, ranking.tied


def worth(
    study: Study, lists: SubjectLists
) -> Callable[[NDArray[np.integer[Any]]], NDArray[np.float64]]:
    """What items are worth to subjects on average, to settle ties as "best" or "worst"."""
    total = np.bincount(lists.item, lists.relevance, minlength=len(study.items))
    return lambda items: total[items].astype(np.float64)


def _asked(
    study: Study,
    lists: SubjectLists,
    ranking: Ranking,
    stored: Seen,
    system: str,
    answer: Callable[[str], Any],
    limit: int,
) -> Seen:
    """Ask a system, query by query, until all that any subject named was seen."""
    position = np.zeros(len(study.items), np.int64)
    returned = np.zeros(len(study.queries), np.int64)
    of = lists.query[lists.list_of_row()]
    by = np.argsort(of, kind="stable")
    queries = np.unique(lists.query)
    edges = np.searchsorted(of[by], [*queries, len(study.queries)])
    for k, query in enumerate(queries.tolist()):
        rows = by[edges[k] : edges[k + 1]]
        items = np.unique(lists.item[rows])
        code = dict(zip(study.items.names(items), items.tolist(), strict=True))
        weighty = np.unique(lists.item[rows[lists.relevance[rows] > 0]])
        wanted = set(study.items.names(weighty))
        try:
            found = drawn(answer(study.queries[query]), wanted, limit=limit)
            _check_begins(study, stored, query, found)
        except UsageError as error:
            raise UsageError(
                f"{quote(system)}, query {quote(study.queries[query])}: {error}"
            ) from None
        for place, item in enumerate(found, start=1):
            if item in code:
                position[code[item]] = place
        returned[query] = len(found)
    return Seen(position, returned)


def _check_begins(study: Study, stored: Seen, query: int, found: Sequence[str]) -> None:
    """See that a system, asked now, begins as in its stored run."""
    if not stored.returned[query]:
        return
    begin, end = (int(edge) for edge in study.items.starts[query : query + 2])
    items = begin + np.flatnonzero(stored.position[begin:end])
    items = items[np.argsort(stored.position[items])][: len(found)]
    for place, (old, new) in enumerate(zip(study.items.names(items), found, strict=False), start=1):
        if old != new:
            raise UsageError(
                f"asked now, the system puts {quote(new)} at place {place}; its run has "
                f"{quote(old)} (fix: ask the version that made the run, or leave the run out)"
            )


def notes_on(
    study: Study,
    lists: SubjectLists,
    systems: Sequence[str],
    figures: Figures,
    chosen: Chosen,
    *,
    tied: int,
) -> list[str]:
    """Say what was missing, tied, left out or not settled by asking."""
    notes = list(study.notes)
    if unordered(study):
        notes.append(
            "subjects gave neither relevances nor ranks: their items stand in the order of the "
            "rows, and each weighs 1"
        )
    if lists.left_out:
        notes.append(f"{_count(lists.left_out, 'answer')} of subjects say 'cannot tell': left out")
    strangers = np.setdiff1d(study.answers.query, lists.query)
    if len(strangers):
        names = _some([study.queries[code] for code in strangers.tolist()])
        notes.append(
            f"{_count(len(strangers), 'query')} of the runs without a subject: not used ({names})"
        )
    weight = np.bincount(lists.list_of_row(), lists.relevance, minlength=len(lists))
    if (weight == 0).any():
        notes.append(
            f"{_count(int((weight == 0).sum()), 'list')} of subjects hold nothing relevant: "
            "displacement 0 and quality 1 for every system, which says nothing"
        )
    notes += [
        note
        for name, returned, exact in zip(systems, figures.returned, figures.exact, strict=True)
        for note in _unanswered(study, lists, name, returned, exact, chosen)
    ]
    notes += _lengths(figures, chosen)
    if tied:
        notes.append(f"{tied:,} answers of systems share their score: settled by '{chosen.ties}'")
    for name in chosen.asked:
        open_ = int((~figures.exact[systems.index(name)]).sum())
        if open_:
            notes.append(
                f"{name} was asked for up to {chosen.limit:,} results; {open_:,} of "
                f"{len(lists):,} lists are still not exact"
            )
    return notes


def _unanswered(
    study: Study,
    lists: SubjectLists,
    system: str,
    returned: NDArray[np.int64],
    exact: NDArray[np.bool_],
    chosen: Chosen,
) -> list[str]:
    """Say which queries a system did not answer, and what that counts as."""
    queries = np.unique(lists.query[(returned == 0) & ~exact])
    if not len(queries):
        return []
    names = _some([study.queries[code] for code in queries.tolist()])
    far = "quality 0" if chosen.collection is None else f"all {chosen.collection:,} places away"
    return [
        f"{system} returned nothing for {_count(len(queries), 'query')} ({names}): "
        f"left to the pessimist, {far}"
    ]


def _lengths(figures: Figures, chosen: Chosen) -> list[str]:
    """Warn where lists differ in length and the optimist favours the short ones."""
    short = figures.returned[~figures.exact & (figures.returned > 0)]
    if chosen.hypothesis != "optimist" or not len(short) or short.min() == short.max():
        return []
    return [
        f"lists that lack a subject's items hold from {short.min():,} to {short.max():,} items: "
        "the optimist puts what is missing right behind a list's end, so shorter lists look "
        "better (compare with --hypothesis pessimist, or cut all lists with --depth)"
    ]


def _count(number: int, noun: str) -> str:
    plural = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number:,} {noun if number == 1 else plural}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
