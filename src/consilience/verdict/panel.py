"""Several methods side by side: where they agree, who changes place, how far values spread.

Without truth no method is known to be right, and on every real set another one is nearest. So the
methods are run together, and Kendall's τ says how far their rankings agree. Besides, every family
of systems is believed alone, as if the others did not exist. The range of a figure over all of
these (the *envelope*) says how much of it depends on whom one believes and how. It is a sensitivity
range, not a confidence interval: an error that all systems share is in none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.judges import gold
from consilience.belief.names import BELIEFS, belief_by_name
from consilience.errors import UsageError
from consilience.measures.left_out import score_left_out
from consilience.measures.orders import kendall
from consilience.measures.scores import Scores, score
from consilience.study.condition import no_common_query, no_truth
from consilience.study.subset import silenced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.belief.families import Family
    from consilience.study import Study

#: The methods that are run side by side.
MEMBERS = ("ls-eb", "families", "discounted", "dawid-skene", "hds", "spectral")
#: Members whose values are on another scale: they rank, and take no part in the envelope.
OTHER_SCALE = ("discounted", "gold")
#: Beyond this many votes the panel is not run unless it is asked for.
MOST_VOTES = 5_000_000
#: Beyond this many systems the eigenvector takes too long.
MOST_SPECTRAL = 1000
#: Families that are believed alone, at most: the largest.
MOST_FAMILIES = 12
#: The fewest declared families for which hidden engines can be told apart.
FEWEST_FAMILIES = 3


@dataclass(frozen=True, slots=True)
class Member:
    """One method: every system's value (NaN: undefined), for every measure."""

    name: str
    values: dict[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Panel:
    """Methods side by side over the same systems; ``skipped`` says who was left out, and why.

    ``families`` holds what every family says when it is believed alone.
    """

    systems: tuple[str, ...]
    measure: str
    members: tuple[Member, ...]
    skipped: tuple[tuple[str, str], ...]
    families: tuple[Member, ...] = ()

    def tau(self) -> NDArray[np.float64]:
        """Give Kendall's τ-b between the rankings of every two members."""
        columns = [member.values[self.measure] for member in self.members]
        return np.array([[kendall(a, b) for b in columns] for a in columns])

    def envelope(self, measure: str) -> NDArray[np.float64]:
        """Give each system's lowest and highest value over methods and families (systems × 2)."""
        methods = [one for one in self.members if one.name not in OTHER_SCALE]
        values = np.array([one.values[measure] for one in (*methods, *self.families)])
        known = ~np.isnan(values).all(axis=0)
        ends = np.full((len(self.systems), 2), np.nan)
        ends[known, 0] = np.nanmin(values[:, known], axis=0)
        ends[known, 1] = np.nanmax(values[:, known], axis=0)
        return ends


def panel(
    study: Study,
    *,
    measures: Sequence[str],
    chosen: Scores | None = None,
    methods: Sequence[str] = MEMBERS,
    families: Sequence[Family] = (),
    **options: Any,
) -> Panel:
    """Run several methods over a study.

    Parameters
    ----------
    study
        The study.
    measures
        Names of measures; the first one ranks.
    chosen
        Scores that are there already: their method is a member, too.
    methods
        Names of methods. Gold joins them where there is truth, to be compared with.
    families
        Families that are to be believed alone, each in turn.
    options
        ``ties``, ``convention`` and ``leave_out``, as in :func:`consilience.rank`.

    Examples
    --------
    >>> import consilience as cs
    >>> made = panel(cs.example_study("keyphrases"), measures=["F1"], methods=["ls-eb", "majority"])
    >>> [member.name for member in made.members], made.tau().shape
    (['ls-eb', 'majority', 'gold'], (3, 3))
    """
    options = {"leave_out": "none", **options}
    found: dict[str, Scores] = {}
    skipped: list[tuple[str, str]] = []
    if chosen is not None and chosen.belief.method in BELIEFS:
        found[chosen.belief.method] = chosen
    for name in methods:
        if name in found:
            continue
        why = unfit(study, name)
        if why is None:
            try:
                believe = label_free(name)
                found[name] = score_left_out(study, measures=measures, belief=believe, **options)
            except UsageError as error:
                why = str(error)
        if why is not None:
            skipped.append((name, why))
    if no_truth(study) is None and no_common_query(study) is None and "gold" not in found:
        rules = {key: value for key, value in options.items() if key != "leave_out"}
        found["gold"] = score(study, measures=measures, belief=gold, **rules)
    members = tuple(_member(name, study, one) for name, one in found.items())
    first = next(iter(found.values())).measures[0] if found else str(measures[0])
    alone = _families_alone(study, families, measures, options)
    return Panel(study.systems, first, members, tuple(skipped), alone)


def _member(name: str, study: Study, scores: Scores) -> Member:
    return Member(
        name,
        {
            measure: np.array([scores[system][measure].value for system in study.systems])
            for measure in scores.measures
        },
    )


def _families_alone(
    study: Study, families: Sequence[Family], measures: Sequence[str], options: dict[str, Any]
) -> tuple[Member, ...]:
    """Score all systems against what each family says alone; the largest ones, if they are many."""
    if len(families) < 2:
        return ()
    largest = sorted(families, key=lambda one: -len(one.members))[:MOST_FAMILIES]
    found = []
    for family in largest:
        others = [name for name in study.systems if name not in family.members]
        belief = label_free("ls-eb")(silenced(study, others))
        rules = {key: value for key, value in options.items() if key != "leave_out"}
        scores = score(study, measures=measures, belief=belief, **rules)
        found.append(_member(family.name, study, scores))
    return tuple(found)


def label_free(name: str) -> Callable[..., Belief]:
    """Give a method that looks at no truth: in the panel all stand on the same ground."""
    make = belief_by_name(name)

    def believe(study: Study, **options: Any) -> Belief:
        return make(study, evidence="ignore", **options)

    return believe


def unfit(study: Study, name: str) -> str | None:
    """Say why a method is not for a study; None where it is."""
    families = [study.respondents.family[code] for code in study.respondents.of_kind("system")]
    if name == "hds":
        groups = len(set(families) - {None}) + families.count(None)
        if not any(families):
            return "it needs declared families (--families FILE)"
        if groups < FEWEST_FAMILIES:
            return f"it needs at least {FEWEST_FAMILIES} families, found {groups}"
    if name == "spectral" and len(families) > MOST_SPECTRAL:
        return f"there are more than {MOST_SPECTRAL:,} systems"
    if name == "families" and len(families) < FEWEST_FAMILIES:
        return "there are too few systems to look for families"
    return None
