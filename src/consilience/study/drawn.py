"""Labels drawn by design: which are there, which are still missing, which were drawn again.

A row of a judge with a *probability* was drawn; without a vote, grade or category it has no label
yet. Rounds are numbered from 1; a row that names none is of the first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consilience.study.repeats import Duplicates, Read, contradictions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.model import Answers, Items, Respondents, Study

#: Probabilities of one draw that differ by no more than this were written with fewer digits.
_WRITTEN = 1e-5


def is_drawn(answers: Answers) -> NDArray[np.bool_]:
    """Tell which rows were drawn by design."""
    if answers.probability is None:
        return np.zeros(len(answers), bool)
    return ~np.isnan(answers.probability)


def is_labelled(answers: Answers) -> NDArray[np.bool_]:
    """Tell which rows say something: a vote, a grade (below 0: not judged) or a category."""
    if answers.vote is None and answers.grade is None and answers.category is None:
        return np.ones(len(answers), bool)
    said = np.zeros(len(answers), bool)
    if answers.vote is not None:
        said |= ~np.isnan(answers.vote)
    if answers.grade is not None:
        said |= answers.grade >= 0
    return said if answers.category is None else said | (answers.category >= 0)


def round_of(answers: Answers) -> NDArray[np.int64]:
    """Give the round of every row; 1 where none was given."""
    if answers.round is None:
        return np.ones(len(answers), np.int64)
    return np.maximum(answers.round, 1)


def drawn_labels(study: Study) -> dict[str, int] | None:
    """Count what was drawn by design, in how many rounds, and what of it still lacks a label.

    Examples
    --------
    >>> import consilience as cs
    >>> labels = {"item": ["a", "b"], "pi": [0.5, 0.1], "round": [1, 2], "label": ["yes", None]}
    >>> drawn_labels(cs.study({"s": {"all": ["a"]}}, truth=labels))
    {'drawn': 2, 'labelled': 1, 'unlabelled': 1, 'rounds': 2}
    """
    evidence = study.evidence
    drawn = is_drawn(evidence)
    if not drawn.any():
        return None
    labelled = int((drawn & is_labelled(evidence)).sum())
    total = int(drawn.sum())
    rounds = len(np.unique(round_of(evidence)[drawn]))
    return {
        "drawn": total,
        "labelled": labelled,
        "unlabelled": total - labelled,
        "rounds": rounds,
    }


def drawn_again(
    answers: Answers,
    people: Respondents,
    read: Read,
    items: Items,
    duplicates: Duplicates,
    notes: list[str],
) -> NDArray[np.int64]:
    """Find the rows that say again what another drawn row says; give those that are to go.

    Gold files that hold one respondent each are one voice together; everybody else speaks for
    himself. Of labels that say the same, that of the first round stands. A row without a label
    goes where the same round has another row of the item. Labels that contradict each other are an
    error, unless it is said which one counts; so are two probabilities of one item in one round.
    """
    rows, voice = _several(answers, people, read, items)
    if not len(rows):
        return rows
    said, when, first = is_labelled(answers)[rows], round_of(answers)[rows], read.row(rows)
    by = np.lexsort((first, when, ~said, voice))
    rows, voice, said, when, first = rows[by], voice[by], said[by], when[by], first[by]
    begins = np.concatenate([[True], voice[1:] != voice[:-1]])
    leader = np.maximum.accumulate(np.where(begins, np.arange(len(rows)), 0))
    again = said & ~begins
    wrong = again & ~_alike(answers, rows, rows[leader], when == when[leader])
    if wrong.any() and duplicates not in ("first", "last"):
        raise contradictions(rows[wrong], rows[leader][wrong], read, answers, items)
    torn = np.isin(voice, voice[wrong]) & said
    kept = _chosen(voice, first, torn, last=duplicates == "last")
    gone = np.where(torn, ~kept, again)
    empty = ~said & _stands_before(voice, when)
    _tell(notes, int((gone & ~torn).sum()), int(empty.sum()), int(wrong.sum()), duplicates)
    return np.sort(rows[gone | empty])


def _several(
    answers: Answers, people: Respondents, read: Read, items: Items
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find drawn rows of which there are several for one voice and item; number these."""
    rows = np.flatnonzero(is_drawn(answers))
    who = answers.respondent[answers.list_of_row()[rows]].astype(np.int64)
    gold = np.array([kind == "gold" for kind in people.kind], bool)[who]
    alone = np.array([len(one.respondent.names) == 1 for one in read.tables], bool)
    gold &= alone[read.table(read.row(rows))]
    size = np.int64(max(len(items), 1))
    voice = np.where(gold, np.int64(0), who + 1) * size + answers.item[rows].astype(np.int64)
    _, place, count = np.unique(voice, return_inverse=True, return_counts=True)
    several = count[place] > 1
    return rows[several], voice[several]


def _alike(
    answers: Answers,
    rows: NDArray[np.int64],
    others: NDArray[np.int64],
    same_round: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Tell which rows say what others say, and with the same probability in the same round."""
    one, other = (_said(answers, some) for some in (rows, others))
    alike = (one == other) | (np.isnan(one) & np.isnan(other))
    if answers.category is not None:
        alike &= answers.category[rows] == answers.category[others]
    chance = answers.probability
    assert chance is not None
    near = np.abs(chance[rows] - chance[others]) <= _WRITTEN * chance[others]
    fits: NDArray[np.bool_] = alike & (near | ~same_round)
    return fits


def _said(answers: Answers, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give what rows say: the grade, else the vote, NaN for neither."""
    nothing = np.full(len(rows), np.nan)
    grade = nothing if answers.grade is None else answers.grade[rows]
    vote = nothing if answers.vote is None else answers.vote[rows]
    return np.where(np.isnan(grade), vote, grade)


def _chosen(
    voice: NDArray[np.int64], first: NDArray[np.int64], torn: NDArray[np.bool_], *, last: bool
) -> NDArray[np.bool_]:
    """Choose the first or last row read of every voice, among those that are torn."""
    chosen = np.zeros(len(voice), bool)
    place = np.flatnonzero(torn)
    by = place[np.lexsort((-first[place] if last else first[place], voice[place]))]
    if len(by):
        chosen[by[np.concatenate([[True], voice[by][1:] != voice[by][:-1]])]] = True
    return chosen


def _stands_before(voice: NDArray[np.int64], when: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which rows follow another one of the same voice and round."""
    by = np.lexsort((np.arange(len(voice)), when, voice))
    follows = np.zeros(len(voice), bool)
    follows[by[1:]] = (voice[by][1:] == voice[by][:-1]) & (when[by][1:] == when[by][:-1])
    return follows


def _tell(notes: list[str], again: int, empty: int, wrong: int, duplicates: Duplicates) -> None:
    if again:
        notes.append(f"{_labels(again)} drawn again and the same: that of the first round counts")
    if empty:
        rows = "1 row without a label repeats" if empty == 1 else f"{empty:,} rows without a label"
        more = "" if empty == 1 else " repeat"
        notes.append(f"{rows}{more} another row of the same draw: counted once")
    if wrong:
        notes.append(f"{_labels(wrong)} drawn again and different: the {duplicates} counts")


def _labels(count: int) -> str:
    return "1 label was" if count == 1 else f"{count:,} labels were"
