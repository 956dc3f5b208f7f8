"""Scores of systems against a belief in which their own votes have no part.

In the papers a system's own vote is part of the consensus it is measured against. That favours
systems that return much, and copies of each other. Leaving the system's own vote out, or its whole
family's, shows how much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.errors import UsageError, unknown
from consilience.measures.scores import Score, Scores, score
from consilience.measures.sets import Counts
from consilience.study.subset import only, silenced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.measures.names import Measure
    from consilience.study import Study

LeaveOut = Literal["none", "system", "family"]
LEAVE_OUT: tuple[LeaveOut, ...] = ("none", "system", "family")


def score_left_out(
    study: Study,
    *,
    measures: Sequence[str | Measure],
    belief: Callable[..., Belief],
    leave_out: LeaveOut,
    **options: Any,
) -> Scores:
    """Score every system against what the others believe.

    Parameters
    ----------
    study, measures, belief
        As in :func:`consilience.measures.scores.score`; ``belief`` is a function of a study.
    leave_out
        "system": a system's own vote is left out; "family": those of its whole family; "none":
        nobody's, as in the papers.
    options
        Passed on to :func:`consilience.measures.scores.score`.

    Examples
    --------
    >>> from consilience.belief.agreement import consensus
    >>> from consilience.study import study
    >>> made = study({"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}, "c": {"q": ["x", "z"]}})
    >>> with_own = score(made, measures=["P"], belief=consensus)
    >>> without = score_left_out(made, measures=["P"], belief=consensus, leave_out="system")
    >>> round(with_own["a"]["P"].value, 4), without["a"]["P"].value
    (0.6, 0.5)
    """
    if leave_out not in LEAVE_OUT:
        raise unknown("thing to leave out", leave_out, LEAVE_OUT)
    whole = score(study, measures=measures, belief=belief, **options)
    if leave_out == "none":
        return whole
    if study.whole is None:
        check_votes(whole.belief, leave_out)
    if leave_out == "family" and not any(study.respondents.family):
        raise UsageError("no families are declared (fix: --families FILE, or --leave-out system)")
    table: dict[str, dict[str, Score]] = {}
    for system in study.systems:
        left = mates(study, system, leave_out)
        if len(left) == len(study.systems):
            raise UsageError(
                f"without {' and '.join(left[:3])} nobody is left to agree with "
                "(fix: more systems, or --leave-out none)"
            )
        others = silenced(study, left)

        def believe(_: Study, others: Study = others, **more: Any) -> Belief:
            return belief(others, **more)

        alone = score(_alone(study, system), measures=measures, belief=believe, **options)
        table[system] = {
            name: _widened(one, alone.queries, whole.queries) for name, one in alone[system].items()
        }
    return replace(whole, table=table)


def check_votes(belief: Belief, leave_out: LeaveOut) -> None:
    """See that there are votes to be left out."""
    if leave_out != "none" and belief.truth == 1.0:
        raise UsageError("nobody votes on the truth (fix: drop --leave-out, or --belief ls-eb)")


def _alone(study: Study, system: str) -> Study:
    """Keep one system's answers, and of the whole what concerns it."""
    alone = only(study, [system])
    if study.whole is None:
        return alone
    code = study.respondents.names.index(system)
    mine = (code,) if code in study.whole.fractions else ()
    return replace(alone, whole=replace(study.whole, fractions=mine))


def _widened(one: Score, mine: Sequence[str], queries: Sequence[str]) -> Score:
    """Give a score a place for every query; those that only its system answered are undefined."""
    if len(mine) == len(queries):
        return one
    place = np.isin(np.array(queries, object), np.array(mine, object))

    def wide(values: NDArray[np.float64], otherwise: float) -> NDArray[np.float64]:
        filled = np.full(len(queries), otherwise)
        filled[place] = values
        return filled

    counts = one.counts
    if counts is not None:
        counts = Counts(*(wide(part, 0.0) for part in (counts.tp, counts.fp, counts.fn, counts.tn)))
    return replace(
        one,
        per_query=wide(one.per_query, np.nan),
        undefined=one.undefined + len(queries) - len(mine),
        counts=counts,
        unsure=None if one.unsure is None else wide(one.unsure, np.nan),
    )


def mates(study: Study, system: str, leave_out: LeaveOut) -> list[str]:
    """Name the systems whose votes are left out of what one is measured against."""
    if leave_out == "system":
        return [system]
    people = study.respondents
    family = dict(zip(people.names, people.family, strict=True))
    if family[system] is None:
        return [system]
    return [name for name in study.systems if family[name] == family[system]]
