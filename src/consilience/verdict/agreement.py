"""What a ranking without truth must say beside its figures.

Who depends on whom, what other methods would have said, precision and recall at each cutoff by the
same belief as in the tables, the rows of the virtual systems ⊤ and ⊥, and the caveat that no reader
should be able to miss.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.belief.dependence import FEWEST, MOST, Dependence, dependence
from consilience.belief.weights import BOTTOM, TOP
from consilience.errors import UsageError
from consilience.measures import sets
from consilience.measures.hits import query_sums
from consilience.measures.left_out import LeaveOut, score_left_out
from consilience.measures.names import Measure, parse
from consilience.measures.scores import Scores, divide
from consilience.study.condition import Condition, condition
from consilience.study.depth import cut
from consilience.study.ranking import rank_answers
from consilience.verdict.panel import MOST_VOTES, Panel, panel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.belief.families import Family
    from consilience.study import Study
    from consilience.study.ranking import Ties

#: The caveat of every figure that rests on agreement alone.
CAVEAT = "no ground truth was used: this is agreement"
#: How far down precision and recall are shown when nobody asks.
CUTOFFS = 10
#: The mode that reproduces the papers: its figures are shown whatever is known about them.
REFERENCE = "consensus"
#: Precision and recall at each cutoff (cutoffs × 2), by system.
AtCutoffs = dict[str, "NDArray[np.float64]"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be shown beside a ranking; None: what the study's condition suggests."""

    panel: bool | None = None
    cutoffs: int | None = None
    virtual: bool = False


@dataclass(frozen=True, slots=True)
class Agreement:
    """What belongs to a ranking without (full) truth; empty where the truth was given.

    ``withheld`` says why no absolute values are given. ``virtual`` holds the values of ⊤ and ⊥ by
    measure (NaN: undefined).
    """

    caveat: str | None = None
    dependence: Dependence | None = None
    panel: Panel | None = None
    cutoffs: AtCutoffs | None = None
    virtual: dict[str, dict[str, float]] | None = None
    withheld: str | None = None
    notes: tuple[str, ...] = ()
    method: str = "gold"

    @property
    def pure(self) -> bool:
        """Whether no truth at all was used."""
        return self.caveat == CAVEAT

    def bounds(
        self, system: int, measure: str, value: float, interval: tuple[float, float] | None
    ) -> tuple[float, float] | None:
        """Give the range of a figure over the panel, widened to hold its interval."""
        if self.panel is None or np.isnan(value):
            return None
        ends = [value, *(interval or ()), *self.panel.envelope(measure)[system].tolist()]
        return float(np.nanmin(ends)), float(np.nanmax(ends))


def agreement(
    study: Study,
    scores: Scores,
    believe: Callable[..., Belief],
    wanted: Wanted,
    leave_out: LeaveOut = "none",
) -> Agreement:
    """Collect what belongs to a ranking under a belief."""
    belief = scores.belief
    known = dependence(study) if caveat_of(belief) else None
    options = {"ties": scores.ties, "convention": scores.convention, "leave_out": leave_out}
    shown = None
    if _panel_wanted(study, belief, wanted, leave_out):
        families = _alone(known)
        shown = panel(study, measures=scores.measures, chosen=scores, families=families, **options)
    return agreement_of(
        study.systems,
        belief,
        known,
        panel=shown,
        cutoffs=_cutoffs(study, scores, believe, wanted.cutoffs, leave_out),
        virtual=virtual_rows(study, scores, believe) if wanted.virtual else None,
    )


def agreement_of(
    systems: tuple[str, ...],
    belief: Belief,
    known: Dependence | None,
    *,
    panel: Panel | None = None,
    cutoffs: AtCutoffs | None = None,
    virtual: dict[str, dict[str, float]] | None = None,
) -> Agreement:
    """Put together what belongs to a ranking under a belief; ``known`` tells who answers alike."""
    caveat = caveat_of(belief)
    withheld = None
    if known is not None and known.warning and belief.method != REFERENCE:
        withheld = f"{known.warning}; only the order is given, without absolute values"
    notes = _notes(systems, known, belief) if caveat else ()
    return Agreement(caveat, known, panel, cutoffs, virtual, withheld, notes, belief.method)


def _panel_wanted(study: Study, belief: Belief, wanted: Wanted, leave_out: LeaveOut) -> bool:
    """Run the panel if it was asked for, or where there is no truth and it is no great work."""
    if wanted.panel is not None:
        return wanted.panel
    usual = belief.truth == 0.0 and belief.method != REFERENCE and leave_out == "none"
    return usual and len(study.answers) <= MOST_VOTES


def _alone(known: Dependence | None) -> list[Family]:
    """Choose the families to be believed alone: all declared ones, learned ones of several."""
    if known is None:
        return []
    return [one for one in known.families if known.declared or len(one.members) > 1]


def condition_under(study: Study, belief: Belief) -> Condition:
    """Read the condition of truth; a belief may bring a truth that the study does not hold.

    Examples
    --------
    >>> import consilience as cs
    >>> tree = cs.tree({"all": {"dog": {}, "cat": {}}})
    >>> said = {"ann": {"x": "dog"}, "bob": {"x": "cat"}}
    >>> found = cs.categorise(cs.assignments(said, tree=tree), tree)
    >>> made = cs.study({"s": {"dog": ["x"]}})
    >>> condition_under(made, cs.by_category(made, categorised=found)).name
    'uncertain'
    """
    what = condition(study)
    return brought(what, belief, [known_answers(study, belief)]) if what.name == "absent" else what


def known_answers(study: Study, belief: Belief) -> tuple[int, int]:
    """Count the answers that a belief speaks of, and all; nothing where it is no truth."""
    if belief.truth < 1.0:
        return 0, 0
    known = ~np.isnan(belief.of(study.answers.item))
    return int(known.sum()), len(known)


def brought(what: Condition, belief: Belief, known: Sequence[tuple[int, int]]) -> Condition:
    """Give the condition of truth; a belief may bring a truth that the study does not hold.

    ``known`` counts, for every part of the study, the answers that the belief speaks of, and all.
    """
    if what.name != "absent" or belief.truth < 1.0:
        return what
    some, total = (sum(counts) for counts in zip(*known, strict=True))
    share = some / total if total else 0.0
    name: Literal["complete", "uncertain"] = "complete" if belief.crisp else "uncertain"
    why = f"the belief ({belief.method}) brings its own truth"
    return Condition(name, why, share, int(belief.queries.sum()))


def caveat_of(belief: Belief) -> str | None:
    """Say on what a belief rests; None where it rests on truth alone.

    Examples
    --------
    >>> from consilience.belief.agreement import ls_eb
    >>> from consilience.study import study
    >>> caveat_of(ls_eb(study({"a": {"q": ["x"]}, "b": {"q": ["x"]}})))
    'no ground truth was used: this is agreement'
    """
    if belief.truth == 1.0:
        return None
    if belief.heard == 0.0:
        return CAVEAT
    if belief.truth == 0.0:
        return f"judges voted on {belief.heard:.1%} of the items: this is agreement"
    share = f"{belief.truth:.1%}"
    return f"ground truth was used for {share} of the items: the rest is agreement"


def _notes(systems: tuple[str, ...], known: Dependence | None, belief: Belief) -> tuple[str, ...]:
    """Tell in words what the dependence between systems means for the figures."""
    if known is None and len(systems) > MOST:
        return (f"with more than {MOST:,} systems, nobody looks up who answers alike",)
    if known is None:
        return ()
    said = []
    if known.warning:
        said.append(known.warning)
    elif known.effective < FEWEST and not known.declared:
        said.append(
            f"the systems' votes correlate as those of {known.effective:.1f} independent systems "
            "would: if some share an engine, declare it (--families)"
        )
    for group in known.duplicates[:5]:
        count = "; they count as one" if belief.method not in (REFERENCE, "families", "hds") else ""
        said.append(f"{_listed(group)} answer (nearly) alike, φ > {known.near:g}{count}")
    if len(known.duplicates) > 5:
        more = len(known.duplicates) - 5
        said.append(f"{more} more group{'s' if more > 1 else ''} of systems answer alike")
    if known.step > 1:
        part = f"one item in {known.step:,}"
        if known.looked < known.queries:
            part = f"{known.looked:,} of {known.queries:,} queries ({part})"
        said.append(f"who answers alike was looked up on {part}")
    return tuple(said)


def _listed(names: tuple[str, ...]) -> str:
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _cutoffs(
    study: Study,
    scores: Scores,
    believe: Callable[..., Belief],
    deepest: int | None,
    leave_out: LeaveOut,
) -> AtCutoffs | None:
    if deepest is None:
        usual = scores.belief.truth == 0.0 and leave_out == "none" and ordered_lists(study)
        deepest = CUTOFFS if usual else 0
    if not deepest:
        return None
    rel = parse(scores.measures[0]).rel
    found = score_cutoffs(
        study,
        believe if leave_out != "none" else lambda *_, **__: scores.belief,
        deepest=deepest,
        rel=rel,
        ties=scores.ties,
        convention=scores.convention,
        leave_out=leave_out,
    )
    names = cutoff_names(deepest, rel)
    return {
        system: np.array([[found[system][name].value for name in pair] for pair in names])
        for system in found.systems
    }


def score_cutoffs(
    study: Study, believe: Callable[..., Belief], *, deepest: int, rel: float, **options: Any
) -> Scores:
    """Return P@k and R@k for k = 1, 2, …, by the belief that ranks: as tables show them."""
    if not ordered_lists(study):
        raise UsageError("answers without an order have no cutoffs (fix: give scores or ranks)")
    names = [name for pair in cutoff_names(deepest, rel) for name in pair]
    return score_left_out(study, measures=names, belief=believe, **options)


def cutoff_names(deepest: int, rel: float) -> list[tuple[str, str]]:
    """Return the names of precision and recall at each cutoff.

    Examples
    --------
    >>> cutoff_names(2, 1.0)
    [('P@1', 'R@1'), ('P@2', 'R@2')]
    """
    return [
        (str(Measure("P", k, rel=rel)), str(Measure("R", k, rel=rel)))
        for k in range(1, deepest + 1)
    ]


def ordered_lists(study: Study) -> bool:
    """Tell whether every list has an order, by score or rank."""
    if study.answers.score is None and study.answers.rank is None:
        return False
    ranking = rank_answers(study)
    return bool(ranking.ordered[np.diff(ranking.starts) > 0].all())


def at_cutoffs(
    study: Study,
    believe: Callable[..., Belief],
    *,
    deepest: int = CUTOFFS,
    rel: float = 1.0,
    ties: Ties = "trec",
    **options: Any,
) -> AtCutoffs:
    """Return precision and recall over the first 1, 2, …, K answers by system, as in the papers.

    At cutoff k a system's answer is its first k items, and so is its vote: the belief is formed
    anew from these (Figures 1 and 2 of Lamiroy & Sun 2011). A ranking shows P@k and R@k by one
    belief in whole lists instead; ``rank --depth k`` votes as this does. The items of a query stay
    those of the whole lists at every cutoff, so that recall rises with k. Values are averaged over
    the queries; they are NaN where no belief can be formed from so few answers (by agreement
    with others, where all systems have the same first answer). ``rel`` is the lowest grade of a
    judge that counts as relevant; ``options`` are ``convention`` and ``leave_out``, as in
    :func:`consilience.rank`.

    Examples
    --------
    >>> from consilience.belief.agreement import consensus
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x", "z"]}})
    >>> at_cutoffs(made, consensus, deepest=2)["a"].round(4).tolist()
    [[0.75, 0.6], [0.625, 0.7143]]
    """
    names = [str(Measure(base, rel=rel)) for base in ("P", "R")]
    tables: dict[str, list[list[float]]] = {system: [] for system in study.systems}
    worth = believe(study).of if ties in ("best", "worst") else None
    options = {"leave_out": "none", **options}
    shallow = cut(study, deepest, ties=ties, worth=worth)
    for k in range(1, deepest + 1):
        part = cut(shallow, k, ties=ties, worth=worth)
        try:
            found = score_left_out(part, measures=names, belief=believe, ties=ties, **options)
        except UsageError:
            if k == deepest:
                raise
            found = None
        for system in study.systems:
            tables[system].append(
                [np.nan if found is None else found[system][name].value for name in names]
            )
    return {system: np.array(rows) for system, rows in tables.items()}


def virtual_rows(
    study: Study, scores: Scores, believe: Callable[..., Belief]
) -> dict[str, dict[str, float]]:
    """Score the virtual systems: ⊤ returns everything, ⊥ nothing; NaN where that is undefined.

    Measures that need an order are undefined for both.
    """
    return virtual_of(virtual_sums(study, scores.measures, scores.belief, believe))


#: For every measure: how much is relevant to each query, and how many items there are.
VirtualSums = dict[str, "tuple[NDArray[np.float64], NDArray[np.float64]]"]


def virtual_sums(
    study: Study, measures: Sequence[str], believed: Belief, believe: Callable[..., Belief]
) -> VirtualSums:
    """Add up, query by query, all that the virtual systems' scores are made of."""
    sums = {}
    for name in measures:
        rel = parse(name).rel
        belief = believed
        if rel != parse(measures[0]).rel:
            belief = believe(study, relevant_from=rel)
        relevant, universe = (part[belief.queries] for part in query_sums(study, belief))
        sums[name] = relevant, universe
    return sums


def virtual_of(sums: VirtualSums) -> dict[str, dict[str, float]]:
    """Score ⊤ and ⊥ from sums over queries."""
    rows: dict[str, dict[str, float]] = {TOP: {}, BOTTOM: {}}
    for name, (relevant, universe) in sums.items():
        none = np.zeros(len(relevant))
        rows[TOP][name] = _virtual(sets.Counts(relevant, universe - relevant, none, none), name)
        rows[BOTTOM][name] = _virtual(sets.Counts(none, none, relevant, universe - relevant), name)
    return rows


def _virtual(counts: sets.Counts, name: str) -> float:
    measure = parse(name)
    if measure.ranked:
        return float("nan")
    if measure.average == "micro":
        return float(divide(counts.total(), measure))
    values = divide(counts, measure)
    known = ~np.isnan(values)
    return float(values[known].mean()) if known.any() else float("nan")
