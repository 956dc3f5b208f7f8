"""Labels that were drawn by design: what each counts for all the items that were not drawn.

An item i is drawn with a known probability π_i and labelled. Then Σ y_i / π_i over the drawn items
is right on average for Σ y_i over all items, whatever the y_i are (Horvitz & Thompson 1952); with
independent draws (Poisson sampling) its variance is estimated by Σ y_i² (1 − π_i) / π_i².

Labels may come in *rounds*, each drawn from what was left, with probabilities that may depend on
all labels so far. Given the past, round t alone estimates the whole: what was known before counts
once, what it drew counts 1 / π. The rounds' estimates are averaged with weights λ_t, the share of
labels that came in each (which costs a little exactness: how many came is chance, too). Their
errors are uncorrelated because each is right on average given the past, so variances add up,
whatever was learned in between::

    weight of a label of round t    c = λ_t / π + Σ_{u > t} λ_u
    its part in the variance        λ_t² (1 − π) / π² · y²

Where only a share s of a round was labelled so far, the rest is not drawn again: those that have
a label stand for it, as a draw within the draw (later rounds can know nothing of it)::

    weight                          c / s
    its part in the variance        (λ_t² (1 − π) / π² / s + c² (1 − s) / s²) · y²

Once every item has a label nothing is left to chance, and all count once. Labels without a
probability beside drawn ones are *known*. Those that were there before anything was drawn count
once, as what they are. One that came when rounds up to r had been drawn (its ``round`` is r) is an
item that these rounds could have drawn, and speak for already; it is known to later ones alone::

    weight of a label that was known after round r    Σ_{u > r} λ_u

An item that was named for the first time when rounds up to f had been drawn could not be drawn by
these, and they say nothing of it: it is left to the later ones, λ_u / Σ_{v > f} λ_v in the place of
λ_u. Where no later round has labels yet nothing but the guess speaks for it, and that is told. One
that had been drawn before its file was left out for a while is known to the later rounds: c = 1.

References
----------
D. G. Horvitz and D. J. Thompson, "A generalization of sampling without replacement from a finite
universe", JASA 47, 1952.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.judges import gold
from consilience.study.condition import no_truth
from consilience.study.drawn import is_drawn, is_labelled

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study import Study


#: Labels that speak for fewer than this part of all items, so many standard errors away, are not
#: all that was drawn.
TOO_FEW, FAR = 4, 6


@dataclass(frozen=True, slots=True)
class Sample:
    """Labelled items (rising), what they turned out to be, and what each counts.

    ``weight`` multiplies an item's y in the estimate of Σ y, ``spread`` its y² in the variance.
    ``probability`` is NaN and ``round`` 0 for labels that were not drawn. ``drawn`` counts the
    items that were drawn, labelled or not, round by round; ``labelled`` those with a label.
    ``late`` counts items without a label that came after the last round that has labels.
    """

    item: NDArray[np.int64]
    truth: NDArray[np.float64]
    weight: NDArray[np.float64]
    spread: NDArray[np.float64]
    probability: NDArray[np.float64]
    round: NDArray[np.int64]
    drawn: tuple[int, ...]
    labelled: tuple[int, ...]
    late: int = 0

    def __len__(self) -> int:
        return len(self.item)

    def only(self, kept: NDArray[np.bool_]) -> Sample:
        """Keep some of the labels; what each counts stays."""
        columns = ("item", "truth", "weight", "spread", "probability", "round")
        return replace(self, **{name: getattr(self, name)[kept] for name in columns})

    @property
    def known(self) -> int:
        """How many labels were given without having been drawn."""
        return int(np.isnan(self.probability).sum())

    @property
    def notes(self) -> tuple[str, ...]:
        """What a careful reader must know of the sample."""
        said = []
        lacking = sum(self.drawn) - sum(self.labelled)
        if lacking:
            said.append(
                f"{lacking:,} of {sum(self.drawn):,} drawn items have no label; probabilities are "
                "scaled down as if those that have one were drawn among them"
            )
        if self.late:
            said.append(came_late(self.late))
        late = int((np.isnan(self.probability) & (self.weight < 1)).sum())
        if self.known > late:
            said.append(
                f"{self.known - late:,} labels have no probability: they count as what they are, "
                "and tell nothing of other items"
            )
        if late:
            said.append(
                f"{late:,} labels without a probability came after a draw that speaks for their "
                "items already: they tune the guess, and count as far as later rounds do"
            )
        return tuple(said)


def came_late(count: int) -> str:
    """Say that items came after the draw.

    Examples
    --------
    >>> came_late(1)
    '1 item came after the draw, and no label speaks for it yet: draw again to cover it'
    """
    items, them = ("1 item", "it") if count == 1 else (f"{count:,} items", "them")
    said = f"{items} came after the draw, and no label speaks for {them} yet"
    return f"{said}: draw again to cover {them}"


def is_designed(study: Study) -> bool:
    """Tell whether some label of a study was drawn by design.

    Examples
    --------
    >>> import consilience as cs
    >>> labels = {"query": ["q"], "item": ["a"], "label": [1], "probability": [0.5]}
    >>> is_designed(cs.study({"s": {"q": ["a", "b"]}}, truth=labels))
    True
    """
    evidence = study.evidence
    models = np.isin(evidence.respondent, study.respondents.of_kind("llm"))
    told = is_drawn(evidence) & is_labelled(evidence) & ~models[evidence.list_of_row()]
    return bool((told & asked_items(study)[evidence.item]).any())


def asked_items(study: Study) -> NDArray[np.bool_]:
    """Tell which items belong to queries that systems were asked."""
    asked = np.zeros(len(study.queries), bool)
    asked[study.answers.query] = True
    return np.repeat(asked, np.diff(study.items.starts))


def outsiders(study: Study) -> NDArray[np.bool_]:
    """Tell which items are known from labels alone: drawn from more than voters mentioned.

    Nobody can list what else there was to draw from, so nothing is guessed of such items: those
    that were drawn speak for the others by their probabilities alone. Where some item without a
    label was mentioned by no voter either, all that can be drawn is listed, and nobody is one.

    Examples
    --------
    >>> import consilience as cs
    >>> labels = {"item": ["a", "z"], "label": [1, 0], "probability": [0.5, 0.5]}
    >>> outsiders(cs.study({"s": {"all": ["a", "b"]}}, truth=labels)).tolist()
    [False, False, True]
    """
    people = study.respondents
    models = np.isin(study.evidence.respondent, people.of_kind("llm"))[study.evidence.list_of_row()]
    alone = asked_items(study)
    alone[study.answers.item] = False
    alone[study.evidence.item[models]] = False
    labelled = np.zeros(len(study.items), bool)
    labelled[study.evidence.item[~models]] = True
    return alone if labelled[alone].all() else np.zeros(len(alone), bool)


def sample_of(study: Study, *, relevant_from: float = 1.0) -> Sample | None:
    """Collect the labels of a study that were drawn by design; None where none was.

    Examples
    --------
    >>> import consilience as cs
    >>> labels = {
    ...     "query": ["q", "q", "q"],
    ...     "item": ["a", "b", "c"],
    ...     "label": [1, 0, 1],
    ...     "probability": [0.5, 0.25, 0.5],
    ...     "round": [1, 1, 2],
    ... }
    >>> found = sample_of(cs.study({"s": {"q": ["a", "b", "c", "d"]}}, truth=labels))
    >>> found.weight.round(3).tolist()  # λ = 2/3 and 1/3
    [1.667, 3.0, 0.667]
    """
    if not is_designed(study) or no_truth(study) is not None:
        return None
    believed = gold(study, relevant_from=relevant_from)
    spoken = ~np.isnan(believed.p) & asked_items(study)[believed.item]
    item, truth = believed.item[spoken], believed.p[spoken]
    drawn_item, probability, when = _draws(study)
    place = np.searchsorted(drawn_item, item)
    place = np.minimum(place, len(drawn_item) - 1)
    found = drawn_item[place] == item
    pi = np.where(found, probability[place], np.nan)
    turn = np.where(found, when[place], 0)
    rounds = np.unique(when)
    drawn = [int((when == one).sum()) for one in rounds]
    labelled = [int((turn == one).sum()) for one in rounds]
    total = max(sum(labelled), 1)
    share = np.array(labelled, np.float64) / total
    later = np.append(np.cumsum(labelled[:0:-1])[::-1], 0) / total
    rest = np.append(1.0, later)  # of all labels, those of rounds after so many
    behind = np.searchsorted(rounds, _came_after(study), side="right")
    before = np.searchsorted(rounds, _known_since(study)[item], side="right")
    of_all = rest[behind[item]]
    weight, spread = np.ones(len(item)), np.zeros(len(item))
    np.divide(rest[np.maximum(before, behind[item])], of_all, out=weight, where=of_all > 0)
    for number, one in enumerate(rounds):
        here, of_drawn = turn == one, labelled[number] / drawn[number]
        speaks = number >= behind[item[here]]  # for other items than it drew
        of_rounds = np.where(speaks, of_all[here], 1.0)
        now = np.where(speaks, share[number] / of_rounds, 0.0)
        then = np.where(speaks, later[number] / of_rounds, 1.0)
        counts = now / pi[here] + then
        chance = now**2 * (1 - pi[here]) / pi[here] ** 2
        weight[here] = counts / of_drawn
        spread[here] = chance / of_drawn + counts**2 * (1 - of_drawn) / of_drawn**2
        pi[here] *= of_drawn
    lacking = asked_items(study) & (rest[behind] == 0)
    lacking[item] = False
    certain = bool((probability[when == rounds[-1]] == 1).all())  # all that was left was drawn
    if _everything(study, item) and (certain or not outsiders(study).any()):
        weight[:], spread[:] = 1.0, 0.0
    counts_of = (tuple(drawn), tuple(labelled), int(lacking.sum()))
    return Sample(item, truth, weight, spread, pi, turn, *counts_of)


def _came_after(study: Study) -> NDArray[np.int64]:
    """Give the last round that had been drawn when an item was named first; 0: none had."""
    answers = study.answers
    if answers.round is None or is_drawn(answers).any():
        return np.zeros(len(study.items), np.int64)
    first = np.full(len(study.items), np.iinfo(np.int64).max)
    np.minimum.at(first, answers.item, answers.round)
    return np.where(first == np.iinfo(np.int64).max, 0, first)  # models and judges: nobody knows


def _known_since(study: Study) -> NDArray[np.int64]:
    """Give the last round that had been drawn when an item's first label came without a draw."""
    evidence = study.evidence
    if evidence.round is None:
        return np.zeros(len(study.items), np.int64)
    models = np.isin(evidence.respondent, study.respondents.of_kind("llm"))
    told = is_labelled(evidence) & ~is_drawn(evidence) & ~models[evidence.list_of_row()]
    since = np.full(len(study.items), np.iinfo(np.int64).max)
    np.minimum.at(since, evidence.item[told], evidence.round[told])
    return since


def _everything(study: Study, item: NDArray[np.int64]) -> bool:
    """Tell whether every item of the queries that systems were asked has a label."""
    lacking = asked_items(study)
    lacking[item] = False
    return not lacking.any()


def unfit(study: Study) -> str | None:
    """Say why probabilities cannot be what labels were drawn with; None where they can.

    1 / π of the labels adds up to about as many items as there are, if they were drawn with these
    probabilities and none was lost.

    Examples
    --------
    >>> import consilience as cs
    >>> labels = {"item": ["a", "b"], "label": [1, 0], "probability": [1.0, 1.0]}
    >>> unfit(cs.study({"s": {"all": list("abcdefgh")}}, truth=labels))
    'the labels that were drawn speak for 2 items by their probabilities, and there are 8'
    """
    sample = sample_of(study)
    if sample is None:
        return None
    count = int((asked_items(study) & ~outsiders(study)).sum())
    inside = ~outsiders(study)[sample.item]
    spoken_for = float(sample.weight[inside].sum())
    spread = float(np.sqrt(sample.spread[inside].sum()))
    certain = spread == 0 and spoken_for < count - 0.5
    if not certain and spoken_for + FAR * spread >= count / TOO_FEW:
        return None
    said = (
        f"the labels that were drawn speak for {spoken_for:,.0f} items by their probabilities, and "
        f"there are {count:,}"
    )
    return f"{said}; {came_late(sample.late)}" if sample.late else said


def _draws(study: Study) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Give the items that were drawn (rising), how probable that was, and in which round."""
    evidence = study.evidence
    assert evidence.probability is not None
    rows = np.flatnonzero(is_drawn(evidence) & asked_items(study)[evidence.item])
    when = np.ones(len(evidence), np.int64)
    if evidence.round is not None:
        when = np.maximum(evidence.round.astype(np.int64), 1)
    rows = rows[np.lexsort((when[rows], evidence.item[rows]))]
    item, first = np.unique(evidence.item[rows], return_index=True)
    rows = rows[first]
    return item.astype(np.int64), evidence.probability[rows].astype(np.float64), when[rows]
