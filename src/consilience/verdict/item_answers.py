"""What everybody said of some items, side by side: for a page of a long table.

The answers of a study are stored list by list. To show a page of items, their rows are found by an
index over items that is made once; a page then costs no more than what it shows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.study.drawn import is_drawn, is_labelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Answers, Study

#: Columns of answers that are shown as numbers.
NUMBERS = ("vote", "grade", "score", "rank", "probability")


def silence_is_no(study: Study) -> NDArray[np.bool_]:
    """Tell whose silence about an item means no; never of those who gave categories.

    Examples
    --------
    >>> import consilience as cs
    >>> words = {"item": ["x", "y"], "ann": ["cat", None]}
    >>> silence_is_no(cs.study(words, labels=True)).tolist()
    [False]
    """
    no = np.array([silence == "no" for silence in study.respondents.silence], bool)
    for side in (study.answers, study.evidence):
        if side.category is not None:
            no[side.respondent[side.list_of_row()[side.category >= 0]]] = False
    return no


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a study with an index: item ``i`` has the rows ``row[starts[i]:starts[i+1]]``.

    ``asked`` holds respondent · queries + query of every list, rising; ``drawn`` tells of which of
    them items were drawn by design: then nobody was asked about others.
    """

    answers: Answers
    row: NDArray[np.int64]
    starts: NDArray[np.int64]
    asked: NDArray[np.int64]
    drawn: NDArray[np.bool_]

    @staticmethod
    def of(answers: Answers, items: int, queries: int) -> Side:
        """Index what was said by item."""
        starts = np.zeros(items + 1, np.int64)
        np.cumsum(np.bincount(answers.item, minlength=items), out=starts[1:])
        asked = answers.respondent.astype(np.int64) * queries + answers.query
        drawn = np.zeros(answers.lists, bool)
        drawn[answers.list_of_row()[is_drawn(answers)]] = True
        return Side(answers, np.argsort(answers.item, kind="stable"), starts, asked, drawn)

    def rows_of(self, item: int) -> NDArray[np.int64]:
        """Give the rows about an item."""
        return self.row[self.starts[item] : self.starts[item + 1]]

    def was_asked(self, key: int) -> tuple[bool, bool]:
        """Tell whether a query was put to a respondent; and not some items of it alone."""
        place = int(np.searchsorted(self.asked, key))
        found = place < len(self.asked) and int(self.asked[place]) == key
        return found, found and not self.drawn[place]


@dataclass(frozen=True, slots=True)
class Told:
    """Both sides of a study, with their indices; grades say yes from ``relevant_from`` on."""

    study: Study
    sides: tuple[Side, Side]
    says_no: NDArray[np.bool_]
    relevant_from: float

    @staticmethod
    def of(study: Study, relevant_from: float = 1.0) -> Told:
        """Index a study."""
        size = len(study.items), len(study.queries)
        sides = (Side.of(study.answers, *size), Side.of(study.evidence, *size))
        return Told(study, sides, silence_is_no(study), relevant_from)

    @property
    def respondents(self) -> list[dict[str, Any]]:
        """Who answered: name, kind, family and what silence means, in the order of the study."""
        people = self.study.respondents
        return [
            {"name": name, "kind": kind, "family": family, "silence": silence}
            for name, kind, family, silence in zip(
                people.names, people.kind, people.family, people.silence, strict=True
            )
        ]

    def answered(self) -> NDArray[np.int64]:
        """Count for every item those who said something of it in so many words."""
        count = np.zeros(len(self.study.items), np.int64)
        for side in self.sides:
            said = is_labelled(side.answers)
            count += np.bincount(side.answers.item[said], minlength=len(count))
        return count


def side_by_side(told: Told, items: NDArray[np.int64]) -> list[list[dict[str, Any]]]:
    """Give for every item what each respondent of the study said of it.

    Examples
    --------
    >>> import consilience as cs
    >>> made = cs.study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}}, truth={"q": {"x": 0}})
    >>> (said,) = side_by_side(Told.of(made), np.array([1]))
    >>> [(one["said"], one["silent"]) for one in said]
    [('yes', False), ('no', True), (None, True)]
    """
    queries = told.study.items.query(items).tolist()
    return [
        _answers(told, item, query) for item, query in zip(items.tolist(), queries, strict=True)
    ]


def _answers(told: Told, item: int, query: int) -> list[dict[str, Any]]:
    """Give what each respondent said of one item."""
    study = told.study
    spoken: dict[int, dict[str, Any]] = {}
    for side in told.sides:
        for row in side.rows_of(item).tolist():
            line = int(np.searchsorted(side.answers.starts, row, side="right")) - 1
            code = int(side.answers.respondent[line])
            known = spoken.get(code)
            if known is None or known["said"] in NOTHING:
                spoken[code] = _spoken(told, side.answers, row)
    return [
        spoken.get(code) or _silent(told, code, query) for code in range(len(study.respondents))
    ]


def _silent(told: Told, code: int, query: int) -> dict[str, Any]:
    """Say what it means that somebody says nothing of an item."""
    key = code * len(told.study.queries) + query
    asked, of_all = map(any, zip(*(side.was_asked(key) for side in told.sides), strict=True))
    no = asked and bool(told.says_no[code])
    return {"said": "no" if no else None, "silent": True, "asked": of_all or no}


#: Words for a row that says nothing of its item.
NOTHING = ("cannot tell", "no label", "not judged", "waiting")


def _spoken(told: Told, answers: Answers, row: int) -> dict[str, Any]:
    """Give what a row says, in a word and in the columns that it has."""
    given: dict[str, Any] = {
        name: float(column[row])
        for name in NUMBERS
        if (column := getattr(answers, name)) is not None and not np.isnan(column[row])
    }
    rank = int(given.pop("rank", 0))
    if rank:  # 0: none was given
        given["rank"] = rank
    if answers.category is not None and answers.category[row] >= 0:
        given["category"] = told.study.categories[answers.category[row]]
    said = _word(answers, given, told.relevant_from)
    return {"said": said, "silent": False, "asked": True, **given}


def _word(answers: Answers, given: dict[str, Any], relevant_from: float) -> str:
    """Say in a word what a row says."""
    if "category" in given:
        return str(given["category"])
    if "grade" in given and given["grade"] < 0:
        return "not judged"
    if "grade" in given:
        return "yes" if given["grade"] >= relevant_from else "no"
    if "vote" in given:
        return {0.0: "no", 1.0: "yes"}.get(given["vote"], f"{given['vote']:g}")
    if answers.vote is None and answers.grade is None and answers.category is None:
        return "yes"
    if "probability" in given:
        return "waiting"
    return "cannot tell" if answers.vote is not None else "no label"
