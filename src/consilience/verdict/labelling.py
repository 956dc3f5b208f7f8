"""Which items to label next, what that buys, and when to stop.

Items are drawn with known probabilities (:mod:`consilience.verdict.design`), most often where a
label tells most. The probability stays with the label for ever: the estimates need it. Rounds may
follow each other; each is drawn from what has no label yet, knowing all labels so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consilience.belief.labelled import aipw
from consilience.belief.sample import came_late, is_designed
from consilience.errors import UsageError, quote, unknown
from consilience.measures.names import Measure, parse
from consilience.measures.scores import CONVENTIONS, Convention
from consilience.study.condition import condition, no_common_query
from consilience.study.model import as_study, check_equal
from consilience.study.ranking import TIES, Ties
from consilience.verdict.design import UNIFORM, Draw, Frame, draw, frame, probabilities
from consilience.verdict.designed import CANNOT, designed, estimable
from consilience.verdict.gain import Gain, gain
from consilience.verdict.pairs import check_delta
from consilience.verdict.rank import default_measures
from consilience.verdict.resample import check_chance
from consilience.verdict.shown import Shown
from consilience.verdict.stop import DELTA, Stop, rounded, stop_rule

if TYPE_CHECKING:
    from consilience.study import Study

#: Names of items that a note shows.
SHOWN = 3


@dataclass(frozen=True, slots=True)
class Labelling(Shown):
    """Items to label, in the order in which to label them, and what that buys.

    ``draw`` holds the items and their probabilities, ``frame`` what could be drawn; ``stop`` tells
    whether the labels so far are enough (None before the first ones).
    """

    study: Study
    measure: str
    budget: int
    frame: Frame
    draw: Draw
    gain: Gain
    stop: Stop | None
    level: float
    delta: float
    seed: int
    headline: str
    notes: tuple[str, ...]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Give the items by name, each with its probability and the round."""
        items = self.study.items
        queries = [self.study.queries[code] for code in items.query(self.draw.item)]
        named = zip(queries, items.names(self.draw.item), self.draw.probability, strict=True)
        return [
            {"query": query, "item": item, "probability": float(pi), "round": self.draw.round}
            for query, item, pi in named
        ]

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.payload import stamped

        guess = self.frame.prediction
        body: dict[str, Any] = {
            "rows": self.rows,
            "budget": self.budget,
            "drawn": len(self.draw.item),
            "expected": self.draw.expected,
            "population": int(guess.counted.sum()),
            "labelled": self.frame.labelled,
            "round": self.draw.round,
            "measure": self.measure,
            "level": self.level,
            "delta": self.delta,
            "prediction": {
                "from": guess.source,
                "calibrated": guess.calibrated,
                "labels_used": guess.labels,
            },
            "settings": {
                "depth": self.study.depth,
                "universe": self.study.universe,
                "uniform_share": UNIFORM,
            },
            "gain": self.gain.payload(),
            "stop": None if self.stop is None else self.stop.payload(),
            "headline": self.headline,
            "notes": list(self.notes),
        }
        return stamped("next", self.study, body, seed=self.seed)


def next_labels(
    study: Study,
    *,
    budget: int,
    measure: str | Measure | None = None,
    delta: float = DELTA,
    level: float = 0.95,
    proxy: str | None = None,
    ties: Ties = "trec",
    convention: Convention = "ours",
    seed: int = 0,
) -> Labelling:
    """Choose the items to label next, and forecast what that buys.

    Parameters
    ----------
    study
        A study of systems, with the labels so far or without any.
    budget
        How many labels; about so many items are drawn.
    measure
        The measure that is to become precise: P, R or F, with or without a cutoff. None: P@10 for
        ranked answers, micro F1 for sets.
    delta
        The difference between systems that does not matter, for the stop rule.
    level
        How sure the stop rule is to be.
    proxy
        The respondent whose votes are the guess to start from, such as an LLM judge; None: the
        consensus of all systems and models.
    ties, convention
        As in :func:`consilience.rank`.
    seed
        The seed of chance; the same seed draws the same items.

    Examples
    --------
    >>> import consilience as cs
    >>> found = {"a": {"q": ["x", "y", "z"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["x", "v"]}}
    >>> made = next_labels(cs.study(found), budget=2, seed=1)
    >>> [(row["item"], round(row["probability"], 2)) for row in made.rows]
    [('z', 0.45), ('v', 0.45), ('y', 0.61)]
    """
    as_study(study, "next")
    check_equal(study, "next")
    check_chance(level, seed)
    check_delta(delta)
    _check_budget(budget)
    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES)
    if convention not in CONVENTIONS:
        raise unknown("convention", convention, CONVENTIONS)
    _check_study(study)
    wanted = _measure(study, measure)
    known = frame(study, wanted, proxy=proxy, ties=ties, convention=convention, seed=seed)
    if not len(known.open):
        raise UsageError(_nothing_left(known))
    stop, found = None, None
    if is_designed(study):
        so_far = designed(
            study, measures=[wanted], proxy=proxy, ties=ties, convention=convention, seed=seed
        )
        found = so_far.measures[str(wanted)]
        if len(study.systems) > 1:
            stop = stop_rule(so_far, study.systems, level=level, delta=delta, seed=seed)
    bought = gain(known, budget, measure=wanted, names=study.systems, found=found)
    drawn = draw(known, probabilities(known, budget), seed=seed)
    return Labelling(
        study,
        str(wanted),
        budget,
        known,
        drawn,
        bought,
        stop,
        level,
        delta,
        seed,
        _headline(str(wanted), drawn, bought, stop),
        _notes(study, wanted, budget, known, drawn),
    )


def usual_measure(study: Study) -> str:
    """Name the measure that is made precise when nobody asks for one.

    Both are estimated without an error of their own: P@10 divides by a number that is known, and
    micro F1 divides once, by sums over all queries.

    Examples
    --------
    >>> import consilience as cs
    >>> usual_measure(cs.study({"s": {"q": {"a": 2.5, "b": 1.0}}}))
    'P@10'
    """
    return default_measures(study, belief=aipw)[0]


def _check_budget(budget: object) -> None:
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise UsageError(
            f"the budget must be a whole number from 1, found {quote(budget)} (fix: how many "
            "labels you can make, such as 100)"
        )


def _measure(study: Study, measure: str | Measure | None) -> Measure:
    """Settle which measure is to become precise."""
    wanted = parse(usual_measure(study) if measure is None else measure)
    if not estimable(wanted):
        raise UsageError(f"{wanted} cannot be estimated from few labels: {CANNOT}")
    return wanted


def _check_study(study: Study) -> None:
    """Refuse what leaves nothing to draw, or labels that are about something else."""
    if not study.systems:
        raise UsageError(
            "there is no system whose answers could be labelled (fix: name the systems' files "
            "before --truth)"
        )
    apart = no_common_query(study)
    if apart is not None:
        raise UsageError(apart)
    what = condition(study)
    if what.name == "complete":
        raise UsageError(
            f"the truth is complete: {what.why} (fix: consilience rank shows what it says)"
        )


def _nothing_left(known: Frame) -> str:
    waiting = len(known.waiting)
    if waiting:
        return f"all items have been drawn, and {waiting:,} wait for a label (fix: label these)"
    return "every item has a label already (fix: consilience rank shows what they say)"


def _headline(measure: str, drawn: Draw, bought: Gain, stop: Stop | None) -> str:
    """Say what to do, and what for; first that nothing needs to be done, where that is so."""
    count = len(drawn.item)
    if not count:
        return (
            f"No item was drawn ({drawn.expected:.3g} were expected): take a larger budget, or "
            "another seed."
        )
    these = "this item" if count == 1 else f"these {count:,} items"
    about = max(round(drawn.expected), 1)
    labels = f"{about:,} labels drawn like these are" if about > 1 else "a label drawn so is"
    said = (
        f"{these} next (round {drawn.round}): {labels} worth about "
        f"{rounded(round(bought.worth)):,} drawn at random, and should bring the standard error "
        f"of {measure} {_from(bought)}to {bought.after:.4f}."
    )
    if stop is not None and stop.settled:
        near = " or within δ" if stop.delta else ""
        sure = f"S{stop.sentence[1:]}: {stop.first} is best{near}"
        return f"{sure}, and nothing more has to be labelled. To go on, label {said}"
    return f"Label {said}"


def _from(bought: Gain) -> str:
    return "" if bought.now is None else f"from {bought.now:.4f} "


def _notes(
    study: Study, measure: Measure, budget: int, known: Frame, drawn: Draw
) -> tuple[str, ...]:
    """Tell what a careful reader must know of the draw."""
    said = [*study.notes, _how_many(budget, known, drawn)]
    said.append(
        "keep the probability and the round with every label: estimates need them; label from the "
        "top of the list: any first part of it is a random draw, too"
    )
    guess = known.prediction
    if guess.calibrated:
        by = f"{guess.source}, tuned on {guess.labels:,} labels"
        but = "what comes out is less precise where it is surer than it should be"
    else:
        by, but = guess.source, "labels will improve the guess, and what comes out is often better"
    said.append(f"expected standard errors are a forecast by the guess ({by}); {but}")
    given = known.labelled - (0 if known.sample is None else _drawn_labels(known))
    if given:
        said.append(
            f"{_labels(given)} no probability: known, not drawn again, and silent about other items"
        )
    if known.sample is not None and known.sample.late:
        said.append(came_late(known.sample.late))
    if len(known.waiting):
        said.append(_waiting(study, known))
    if study.universe is not None:
        said.append("items that nobody returned cannot be drawn; recall leaves them out")
    if measure.average == "macro" and measure.base != "P":
        said.append(
            f"{measure} divides query by query, by what few labels say of each: it keeps a small "
            "error that P, and figures over all queries together (average=micro), do not have"
        )
    return tuple(said)


def _how_many(budget: int, known: Frame, drawn: Draw) -> str:
    count = len(known.open)
    if budget >= count:
        return f"all {count:,} items that are left were drawn: labels on them leave nothing open"
    return (
        f"{len(drawn.item):,} items came for a budget of {budget:,}: each is drawn by itself, so "
        "about as many come as were asked for"
    )


def _drawn_labels(known: Frame) -> int:
    assert known.sample is not None
    return len(known.sample) - known.sample.known


def _labels(count: int) -> str:
    return "1 label has" if count == 1 else f"{count:,} labels have"


def _waiting(study: Study, known: Frame) -> str:
    """Name items that were drawn before and have no label yet."""
    count, first = len(known.waiting), known.waiting[:SHOWN]
    queries = [study.queries[code] for code in study.items.query(first)]
    names = [
        f"{item} of {query}" for query, item in zip(queries, study.items.names(first), strict=True)
    ]
    more = ", …" if count > SHOWN else ""
    have = "1 item was" if count == 1 else f"{count:,} items were"
    said = f"{have} drawn before and still without a label: not drawn again"
    return f"{said} ({', '.join(names)}{more})"
