"""Options that say whom to believe: the belief, weights, families, what judges' answers do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

import click

from consilience.cli.paths import FAMILIES
from consilience.errors import UsageError, quote, unknown

if TYPE_CHECKING:
    from consilience.belief import Belief
    from consilience.study import Study

F = TypeVar("F", bound=Callable[..., Any])

#: The options that :func:`believing` adds.
BELIEVING = ("belief", "weights", "families", "evidence")


def believing(function: F) -> F:
    """Add the options that say whom to believe."""
    options = (
        click.option(
            "--belief",
            default="auto",
            show_default=True,
            metavar="NAME",
            help="Whom to believe: gold, aipw (labels drawn by design), consensus (the papers'), "
            "ls-eb, families, discounted, majority, dawid-skene, hds, spectral; auto: aipw where "
            "labels have probabilities, else gold, and without truth ls-eb.",
        ),
        click.option(
            "--weights",
            metavar="NAME=W,…",
            help="Confidences for --belief consensus, such as S1=0.3,oracle=0.7 (⊤ is top, ⊥ "
            "bottom); what is left of 1 is shared by the others.",
        ),
        click.option(
            "--families",
            type=FAMILIES,
            metavar="FILE|auto|none",
            help="Systems with a common cause of error: a file of system and family, auto (learn "
            "them), none. By default what a column 'family' says.",
        ),
        click.option(
            "--evidence",
            metavar="clamp|vote|ignore",
            help="What judges' answers do in a consensus: gold's word stands, they vote, neither.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def ruled(function: F) -> F:
    """Add the options that say how ties are settled and what enters averages."""
    options = (
        click.option(
            "--ties",
            default="trec",
            show_default=True,
            metavar="RULE",
            help="Equal scores: trec (by name, descending), rank, order (of the file), best, "
            "worst.",
        ),
        click.option(
            "--convention",
            default="ours",
            show_default=True,
            metavar="NAME",
            help="Averages: ours (a missing query is 0, an undefined one left out), "
            "missing-skipped, trec_eval, ir_measures.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def check_rules(ties: str, convention: str) -> None:
    """Refuse rules that are not known, before anything is read."""
    from consilience.measures.scores import CONVENTIONS
    from consilience.study.ranking import TIES

    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES)
    if convention not in CONVENTIONS:
        raise unknown("convention", convention, CONVENTIONS)


#: Adds the option that says from which grade on an item is relevant.
graded = click.option(
    "--rel",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    metavar="GRADE",
    help="The lowest grade that counts as relevant.",
)


def chosen_belief(
    study: Study,
    *,
    belief: str,
    weights: str | None,
    families: str | None,
    evidence: str | None,
) -> tuple[Study, Callable[..., Belief]]:
    """Turn the options into a study with its families and a function that makes the belief."""
    from consilience.belief.declaring import declared
    from consilience.belief.names import BELIEFS, belief_by_name
    from consilience.belief.votes import EVIDENCE

    if belief != "auto" and belief not in BELIEFS:
        raise unknown("belief", belief, ["auto", *BELIEFS])
    if evidence is not None and evidence not in EVIDENCE:
        raise unknown("way with evidence", evidence, EVIDENCE)
    study = declared(study, families)
    name = _auto(study, weights) if belief == "auto" else belief
    make = belief_by_name(name)
    if name == "hds" and not any(study.respondents.family):
        make = partial(make, families=_learned(study, families))
    takes = signature(make).parameters
    given: dict[str, Any] = {}
    if evidence is not None:
        if "evidence" not in takes:
            raise UsageError(
                f"--belief {name} believes the judges; --evidence is for a consensus "
                "(fix: drop it, or --belief ls-eb)"
            )
        given["evidence"] = evidence
    if weights is not None:
        if "weights" not in takes:
            raise UsageError(
                f"--weights are for --belief consensus, not for {name} (fix: --belief consensus)"
            )
        given["weights"] = weights_of(weights)
    return study, partial(make, **given) if given else make


def _learned(study: Study, families: str | None) -> dict[str, str]:
    """Learn the families that hidden engines need, if that was asked for."""
    from consilience.belief.dependence import dependence

    known = dependence(study) if families == "auto" else None
    if known is None:
        raise UsageError("hds needs families (fix: --families FILE, or --families auto)")
    return {member: one.name for one in known.learned for member in one.members}


def _auto(study: Study, weights: str | None) -> str:
    """Believe the truth where there is some; weights are the papers' consensus."""
    from consilience.belief.sample import is_designed
    from consilience.study.condition import condition, no_common_query

    if weights is not None:
        return "consensus"
    apart = no_common_query(study)
    if apart is not None:
        raise UsageError(apart)
    if condition(study).name == "absent":
        return "ls-eb"
    return "aipw" if is_designed(study) else "gold"


def weights_of(text: str | None) -> dict[str, float] | None:
    """Read S1=0.3,oracle=0.7; a name may hold an equals sign, a number may not."""
    if text is None:
        return None
    weights: dict[str, float] = {}
    for pair in text.split(","):
        name, sign, number = pair.strip().rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = -1.0
        if not sign or not name or not 0 <= value <= 1:
            raise UsageError(
                f"{quote(pair)} is not a weight (fix: write NAME=W, W from 0 to 1: S1=0.3)"
            )
        if name in weights:
            raise UsageError(f"{quote(name)} has two weights (fix: give it one)")
        weights[name] = value
    return weights
