"""The sentence that people quote, and the notes beneath it: words made from numbers, as code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.scores import MISSING_IS_ZERO
from consilience.verdict.resample import FEWEST

if TYPE_CHECKING:
    from consilience.measures.scores import Scores
    from consilience.study import Study
    from consilience.study.condition import Condition
    from consilience.verdict.agreement import Agreement
    from consilience.verdict.rank import Standing

#: With fewer queries than this, a note says that intervals are too narrow.
FEW = 10


def verdict(
    standings: Sequence[Standing],
    ties: Sequence[Sequence[str]],
    *,
    measure: str,
    queries: int,
    beside: Agreement | None = None,
) -> str:
    """Say who is ahead and how sure that is; never "best" without a probability."""
    if beside is not None and beside.caveat is not None:
        return _agreement(standings, ties, measure=measure, queries=queries, beside=beside)
    top = standings[0]
    value = top.scores[measure].value
    if value != value:
        reason = top.scores[measure].reason
        return f"No system can be ranked by {measure}: {reason}."
    over = _over(queries)
    if len(standings) == 1:
        return f"{top.name} has {measure} {value:.4f} {over}; there is no other system beside it."
    if top.p_best is None:
        first = [one.name for one in standings if one.rank == 1]
        has = "has" if len(first) == 1 else "share"
        return (
            f"Not settled: {_listed(first)} {has} the highest {measure} ({value:.4f}), but {over} "
            "nothing can be said about other queries. Next step: add queries."
        )
    group = next((group for group in ties if top.name in group), ())
    runner = standings[1].scores[measure]
    if runner.value != runner.value:
        return (
            f"Not settled: {top.name} has {measure} {value:.4f} {over}, but no other system can be "
            f"ranked by it: {runner.reason}. Next step: a measure that all systems have."
        )
    if not group:
        return (
            f"{top.name} is best by {measure} ({value:.4f}) with probability "
            f"{_probability(top.p_best)}, ahead of {standings[1].name} "
            f"({runner.value:.4f}), {over}."
        )
    first = [one.name for one in standings if one.rank == 1]
    if len(first) > 1:
        return (
            f"Not settled: {_listed(first)} share the highest {measure} ({value:.4f}) {over}. "
            "Next step: more queries, or accept the tie."
        )
    others = _listed([name for name in group if name != top.name])
    return (
        f"Not settled: {top.name} has the highest {measure} ({value:.4f}) and is best with "
        f"probability {_probability(top.p_best)}, but {others} cannot be told apart from it "
        f"{over}. Next step: more queries, or accept the tie."
    )


def _agreement(
    standings: Sequence[Standing],
    ties: Sequence[Sequence[str]],
    *,
    measure: str,
    queries: int,
    beside: Agreement,
) -> str:
    """Say who agrees most with the others; the caveat is part of the sentence."""
    top = standings[0]
    value = top.scores[measure].value
    if value != value:
        return f"No system can be ranked by {measure}: {top.scores[measure].reason}."
    first = [one.name for one in standings if one.rank == 1]
    hidden = beside.withheld is not None
    figure = "" if hidden else f" ({value:.4f})"
    agrees = "agrees most with the others" if beside.pure else "comes first"
    if len(first) > 1:
        agrees = "agree most with the others" if beside.pure else "come first"
    said = f"{_listed(first)} {agrees} by {measure}{figure}"
    said += ", equally" if len(first) > 1 else ""
    group = next((group for group in ties if top.name in group), ())
    others = [name for name in group if name not in first]
    runner = next((one for one in standings if one.rank not in (None, 1)), None)
    sure = f" with probability {_probability(top.p_best)}" if top.p_best is not None else ""
    if top.p_best is None:
        said += f"; {_over(queries)} nothing can be said about other queries"
    elif len(first) > 1:
        said += f" {_over(queries)}"
    elif others:
        said += f"{sure}, but {_listed(others)} cannot be told apart {_over(queries)}"
    elif runner is not None:
        behind = "" if hidden else f" ({runner.scores[measure].value:.4f})"
        said += f"{sure}, ahead of {runner.name}{behind}, {_over(queries)}"
    else:
        said += f" {_over(queries)}; no other system can be ranked by it"
    caveat = str(beside.caveat)
    parts = [
        said,
        _dissent(beside, first),
        f"{caveat[0].upper()}{caveat[1:]}, which does not settle who is right",
        "" if beside.withheld is None else _capital(beside.withheld),
    ]
    return " ".join(f"{part}." for part in parts if part)


def _dissent(beside: Agreement, first: Sequence[str]) -> str:
    """Say how many of the panel's other methods put somebody else first."""
    if beside.panel is None:
        return ""
    systems, measure = beside.panel.systems, beside.panel.measure
    leaders = []
    for member in beside.panel.members:
        values = member.values[measure]
        if member.name not in ("gold", beside.method) and not np.isnan(values).all():
            leaders.append({systems[code] for code in np.flatnonzero(values == np.nanmax(values))})
    against = sum(not leader & set(first) for leader in leaders)
    if not against:
        return ""
    return f"{against} of {len(leaders)} other methods put another system first"


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _over(queries: int) -> str:
    return f"over {queries:,} {'query' if queries == 1 else 'queries'}"


def _probability(p: float) -> str:
    if p > 0.999:
        return "above 0.999"
    return f"{p:.2f}" if p < 0.99 else f"{p:.3f}"


def _listed(names: Sequence[str]) -> str:
    if len(names) > 4:
        return f"{', '.join(names[:3])} and {len(names) - 3} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def notes(study: Study, scores: Scores, condition: Condition, *, queries: int) -> tuple[str, ...]:
    """Tell what a careful reader must know: what was left out, assumed or counted as what."""
    said = list(study.notes)
    left_out = len(study.queries) - len(scores.queries)
    lack = "truth" if scores.belief.truth == 1.0 else "votes"
    if left_out:
        said.append(
            f"{left_out:,} of {len(study.queries):,} queries have no {lack} and are left out"
        )
    if condition.name == "partial" and scores.belief.truth == 1.0:
        said.append(
            f"{1 - condition.judged:.1%} of the returned items have not been judged; they count as "
            "not relevant, as trec_eval counts them"
        )
    said += _missing(scores)
    if scores.tied:
        rule = scores.ties
        said.append(f"{scores.tied:,} answers share their score with another one; ties: {rule}")
    if FEWEST <= queries < FEW:
        said.append(
            f"with {queries} queries, intervals hold less often than they say (95% ones covered "
            "89% of the time with 5 queries, 92% with 10, in a simulation of skewed scores)"
        )
    return tuple(said)


def _missing(scores: Scores) -> list[str]:
    missing = {
        system: int((~scores.put[place]).sum()) for place, system in enumerate(scores.systems)
    }
    behind = {system: count for system, count in missing.items() if count}
    if not behind:
        return []
    how = "count 0" if scores.convention in MISSING_IS_ZERO else "are skipped"
    who = _listed([f"{system} ({count:,})" for system, count in behind.items()])
    return [f"queries without an answer {how}: {who}"]
