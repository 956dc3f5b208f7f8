"""Items: which ones respondents disagree about, and which ones matter for the verdict.

One row for every (query, item) of a study. With s_a the share of those who spoke of the item that
gave the answer a, the *disagreement* is the chance that two answers, drawn with replacement, say
different things (Gini and Simpson's index)::

    D = 1 − Σ_a s_a²                     for yes and no:  D = 2 s (1 − s),  s the share of yes

0 where all say the same, ½ where they are split in halves. Whose silence about an item means no
counts as having said no. A grade says yes from the measure's threshold on. Where people gave
categories and nothing else, the answers a are their categories, and only they count.

The *influence* of an item is how much its truth tells of the systems' scores, as it decides what
``consilience next`` draws (:mod:`consilience.verdict.design`): with p the guess from the votes and
g_s the slope of system s's score::

    w = √(p (1 − p)) · √(mean_s g_s²)

p is the guess also where the item was judged: then w is what its label had to tell. Where there
are no scores to move, or where people gave categories, from which a tree tells what is relevant,
the disagreement stands in, and ``reason`` says why.

Segments, boxes, tracks and readings of a text are hardly ever equal: as long as nobody has found
out which of them are the same, all three are undefined.

The *belief* is what judges say (the share of yes among them), and the guess p where nobody has
judged.

References
----------
E. H. Simpson, "Measurement of diversity", Nature 163, 1949.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.judges import gold
from consilience.belief.votes import votes_of
from consilience.errors import UsageError, unknown
from consilience.measures.disagreement import counted
from consilience.measures.names import Measure, parse
from consilience.study.condition import judged_items, no_truth, sorts_only
from consilience.study.drawn import is_drawn, is_labelled
from consilience.study.labels import labels_of
from consilience.study.looking import is_running_text
from consilience.study.model import as_study
from consilience.study.subset import keep_lists
from consilience.verdict.checked import kind_of_items
from consilience.verdict.design import moves
from consilience.verdict.designed import estimable
from consilience.verdict.item_answers import Told, side_by_side
from consilience.verdict.labelling import usual_measure
from consilience.verdict.payload import number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study

#: What items can be ordered by; "place" is the order of the study.
ORDERS = ("influence", "disagreement", "answered", "spoke", "yes", "belief", "place")


@dataclass(frozen=True, slots=True)
class ItemsTable:
    """Every item of a study, in columns; item ``i`` is item ``i`` of the study.

    Parameters
    ----------
    disagreement : array
        D; NaN where nobody spoke.
    yes : array
        The share of yes among those who spoke; NaN where nobody did, or where answers are
        categories.
    answered : array
        How many said something of the item in so many words.
    spoke : array
        The same, and those whose silence means no.
    belief : array
        How probable it is that the item is relevant; NaN where nothing tells.
    influence : array
        w, or the disagreement where w cannot be computed.
    judged, drawn, labelled : arrays of bool
        Whether gold or a person has judged it; whether it was drawn to be labelled; whether
        anybody, a language model perhaps, has labelled it.
    measure : str or None
        The measure whose scores the influence is about.
    reason : str or None
        Why the influence is not what was asked for.
    unmatched : str or None
        What the items are, where it must be found out first which of them are the same.
    """

    study: Study
    disagreement: NDArray[np.float64]
    yes: NDArray[np.float64]
    answered: NDArray[np.int64]
    spoke: NDArray[np.int64]
    belief: NDArray[np.float64]
    influence: NDArray[np.float64]
    judged: NDArray[np.bool_]
    drawn: NDArray[np.bool_]
    labelled: NDArray[np.bool_]
    measure: str | None
    reason: str | None
    unmatched: str | None
    _told: Told

    def __len__(self) -> int:
        return len(self.disagreement)

    def __repr__(self) -> str:
        by = f"by {self.measure}" if self.measure else "by disagreement"
        return f"<ItemsTable: {len(self):,} items, influence {by}>"

    @property
    def respondents(self) -> list[dict[str, Any]]:
        """Who answered, in the order of the answers of `rows`."""
        return self._told.respondents

    def order(
        self,
        by: str = "influence",
        *,
        descending: bool = True,
        among: NDArray[np.integer] | None = None,
    ) -> NDArray[np.int64]:
        """Give items in the order of a column.

        Equal ones stand by disagreement, then by how many spoke, then by their place in the study.

        Parameters
        ----------
        by : str
            "influence", "disagreement", "answered", "spoke", "yes", "belief" or "place".
        descending : bool
            The largest first; what is undefined comes last in any case.
        among : array, optional
            The items that are wanted, such as `find` gave; None: all.
        """
        if by not in ORDERS:
            raise unknown("order of items", by, ORDERS)
        items = np.arange(len(self)) if among is None else np.asarray(among, np.int64)
        if by == "place":
            return np.sort(items)[::-1] if descending else np.sort(items)
        value = np.asarray(getattr(self, by), np.float64)[items]
        key = np.where(np.isnan(value), np.inf, -value if descending else value)
        apart = -np.nan_to_num(self.disagreement[items])
        return items[np.lexsort((items, -self.spoke[items], apart, key))]

    def find(self, text: str = "", *, query: str | None = None) -> NDArray[np.int64]:
        """Give the items whose name, or whose query's name, holds a text; case does not matter.

        Parameters
        ----------
        text : str
            What to look for; empty: anything.
        query : str, optional
            The query that items must belong to.
        """
        items = self.study.items
        begin, end = 0, len(self)
        if query is not None:
            if query not in self.study.queries:
                raise unknown("query", query, self.study.queries)
            code = self.study.queries.index(query)
            begin, end = int(items.starts[code]), int(items.starts[code + 1])
        if not text:
            return np.arange(begin, end)
        found = np.zeros(len(self), bool)
        found[self._named(text)] = True
        wanted = text.casefold()
        fits = np.array([wanted in name.casefold() for name in self.study.queries], bool)
        found |= np.repeat(fits, np.diff(items.starts))
        return begin + np.flatnonzero(found[begin:end])

    def _named(self, text: str) -> NDArray[np.int64]:
        """Give the items whose name holds a text."""
        import pyarrow.compute as pc

        from consilience.columns import numbers

        names = self.study.items.text.arrow(self.study.items.rows)
        fits = pc.match_substring(names, text, ignore_case=True)
        return numbers([pc.indices_nonzero(fits)]).astype(np.int64)

    def rows(self, items: NDArray[np.integer]) -> list[dict[str, Any]]:
        """Give some items as plain data, with everybody's answers side by side.

        Every row has the columns of this table and ``answers``: one dict for each of
        `respondents`, with ``said`` (yes, no, a share, a category; "cannot tell", "no label", "not
        judged", "waiting" for a label; None where nothing was said), ``silent`` (said by silence),
        ``asked``, and what was given of vote, grade, score, rank, probability and category.
        """
        codes = items.astype(np.int64)
        queries = self.study.items.query(codes).tolist()
        names = self.study.items.names(codes)
        answers = side_by_side(self._told, codes)
        return [
            {
                "code": code,
                "query": self.study.queries[query],
                "item": name,
                **{
                    column: number(float(getattr(self, column)[code]))
                    for column in ("disagreement", "yes", "belief", "influence")
                },
                **{column: int(getattr(self, column)[code]) for column in ("answered", "spoke")},
                **{
                    column: bool(getattr(self, column)[code])
                    for column in ("judged", "drawn", "labelled")
                },
                "answers": said,
            }
            for code, query, name, said in zip(codes.tolist(), queries, names, answers, strict=True)
        ]


def items_table(study: Study, *, measure: str | Measure | None = None, seed: int = 0) -> ItemsTable:
    """Look at every item: who disagrees about it, what is believed, how much it matters.

    Parameters
    ----------
    study : Study
        Answers of systems, people or both.
    measure : str, optional
        The measure whose scores an item may move: P, R or F. None, or another one: P@10 for ranked
        answers, micro F1 for sets.
    seed : int
        The seed of chance, where labels drawn by design tune the guess.

    Examples
    --------
    >>> import consilience as cs
    >>> made = cs.study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "z"]}, "c": {"q": ["x"]}})
    >>> table = cs.items_table(made)
    >>> table.disagreement.round(3).tolist(), table.measure
    ([0.0, 0.444, 0.444], 'P@10')
    >>> (row,) = table.rows(table.order("disagreement")[:1])
    >>> row["item"], [answer["said"] for answer in row["answers"]]
    ('y', ['yes', 'no', 'no'])
    """
    study = as_study(study, "items_table")
    unmatched = _unmatched(study)
    wanted, reason = _measure(study, measure, unmatched)
    relevant_from = 1.0 if wanted is None else wanted.rel
    told = Told.of(study, relevant_from)
    disagreement, yes, spoke = _sorted(study) if sorts_only(study) else _voted(study, relevant_from)
    if unmatched:
        disagreement, yes = (np.full(len(study.items), np.nan) for _ in range(2))
    influence, guess = disagreement, np.full(len(study.items), np.nan)
    try:
        if wanted is not None:
            known = moves(study, wanted, seed=seed)
            influence, p = known.telling, known.prediction.p
            guess = np.where(known.prediction.counted, p, np.nan)
    except UsageError as error:  # such as language models that gave categories
        wanted, reason = None, str(error)
    return ItemsTable(
        study,
        disagreement,
        yes,
        told.answered(),
        spoke.astype(np.int64),
        guess if unmatched else _belief(study, guess, relevant_from),
        influence,
        judged_items(study),
        _marked(study, is_drawn(study.evidence)),
        _marked(study, is_labelled(study.evidence)),
        None if wanted is None else str(wanted),
        reason,
        unmatched,
        told,
    )


def _unmatched(study: Study) -> str | None:
    """Tell what the items are, where equal ones are not the only ones that are the same."""
    kind = kind_of_items(study)
    if kind != "text":
        return kind
    return "readings of one text" if is_running_text(study) else None


def _measure(
    study: Study, measure: str | Measure | None, unmatched: str | None
) -> tuple[Measure | None, str | None]:
    """Settle whose scores are looked at, and why not those that were asked for."""
    if unmatched:
        return None, f"these are {unmatched}: which of them are the same must be found out first"
    if not study.systems:
        return None, "there is no system whose score an item could move"
    if sorts_only(study):
        return None, "people gave categories, and a tree of them tells what is relevant"
    usual = parse(usual_measure(study))
    wanted = usual if measure is None else parse(measure)
    if estimable(wanted):
        return wanted, None
    return usual, f"how {wanted} moves with one item depends on all others: this is about {usual}"


def _marked(study: Study, rows: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Tell which items some rows of the judges are about."""
    found = np.zeros(len(study.items), bool)
    found[study.evidence.item[rows]] = True
    return found


def _share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.full(len(part), np.nan)
    np.divide(part, whole, out=share, where=whole > 0)
    return share


def _voted(
    study: Study, relevant_from: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Give D = 2 s (1 − s), s, and how many spoke."""
    nobody = np.zeros(len(study.items))
    if not study.answering and not study.judging:
        return nobody + np.nan, nobody + np.nan, nobody
    votes = votes_of(study, evidence="vote", relevant_from=relevant_from)
    yes, spoken, _ = votes.totals(np.ones(len(votes)))
    share = _share(yes, spoken)
    return 2 * share * (1 - share), share, spoken


def _sorted(
    study: Study,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Give D = 1 − Σ s² over the categories that people chose, and how many chose one."""
    people = replace(study, answers=keep_lists(study.answers, np.zeros(study.answers.lists, bool)))
    said = labels_of(people)
    counts = counted(said.item, said.category, (len(said.items), len(said.categories)))
    spoke, alike = (np.zeros(len(study.items)) for _ in range(2))
    spoke[said.items] = said.answers()
    alike[said.items] = np.asarray(counts.multiply(counts).sum(axis=1)).ravel()
    return 1 - _share(alike, spoke**2), np.full(len(spoke), np.nan), spoke


def _belief(study: Study, guess: NDArray[np.float64], relevant_from: float) -> NDArray[np.float64]:
    """Give what judges say of items, and the guess for all others."""
    believed = guess.copy()
    if sorts_only(study) or no_truth(study) is not None:
        return believed
    truth = gold(study, relevant_from=relevant_from)
    said = truth.of_all(len(study.items))
    asked = np.repeat(truth.queries, np.diff(study.items.starts))
    known = ~np.isnan(said) & asked
    believed[known] = said[known]
    return believed
