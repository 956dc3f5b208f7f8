"""The sentence that people quote, and the notes beneath it: words made from numbers, as code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from consilience.belief.sample import came_late
from consilience.measures.names import parse
from consilience.measures.scores import MISSING_IS_ZERO
from consilience.verdict.resample import FEWEST
from consilience.verdict.standing import DIGITS
from consilience.verdict.stop import chance, rounded
from consilience.verdict.sureness import ALIKE, UNJUDGED, supposed

if TYPE_CHECKING:
    from consilience.measures.scores import Scores
    from consilience.study.condition import Condition
    from consilience.study.outline import Known
    from consilience.verdict.agreement import Agreement
    from consilience.verdict.designed import Designed
    from consilience.verdict.pairs import Pair
    from consilience.verdict.partial import Partial
    from consilience.verdict.standing import Standing
    from consilience.verdict.stop import Stop
    from consilience.verdict.sureness import Sureness

#: With fewer queries than this, a note says that intervals are too narrow.
FEW = 10


@dataclass(frozen=True, slots=True)
class Told:
    """Everything that the sentence is made of.

    ``near`` is P(the first is best or within delta); ``shared`` tells that P(best) is so much lower
    because it counts first places in part that the first system shares with others.
    """

    standings: Sequence[Standing]
    ties: Sequence[Sequence[str]]
    measure: str
    sure: Sureness
    beside: Agreement
    settled: bool
    partial: Partial | None = None
    design: Designed | None = None
    stop: Stop | None = None
    delta: float | None = None
    near: float | None = None
    pairs: Sequence[Pair] = ()
    shared: bool = False

    @property
    def top(self) -> Standing:
        """The system that comes first."""
        return self.standings[0]

    @property
    def value(self) -> float:
        """Its score."""
        return self.top.scores[self.measure].value

    @property
    def first(self) -> list[str]:
        """All systems that share the first place."""
        return [one.name for one in self.standings if one.rank == 1]

    @property
    def rivals(self) -> list[str]:
        """Those that cannot be told apart from the first."""
        group = next((group for group in self.ties if self.top.name in group), ())
        return [name for name in group if name != self.top.name]

    @property
    def in_part(self) -> str:
        """How shared first places count in P(best), where that is to be seen."""
        return " (shared first places in part)" if self.shared else ""

    @property
    def tested(self) -> list[float]:
        """Corrected p of the t-tests of all rivals, where resampling alone sets every one apart."""
        known = {one.b: one for one in self.pairs if one.a == self.top.name}
        rivals = [known[name] for name in self.rivals if name in known]
        apart = [one.interval is not None and one.interval[0] > 0 for one in rivals]
        if len(rivals) < len(self.rivals) or not all(apart):
            return []
        p = [one.tests["t"][1] for one in rivals if one.tests is not None]
        return [] if any(map(np.isnan, p)) else p

    @property
    def over(self) -> str:
        """What the figures stand on."""
        if self.design is None:
            return _over(self.sure.n)
        labels = sum(self.design.sample.labelled)
        s = "" if labels == 1 else "s"
        return f"by {labels:,} label{s} of {self.design.population:,} items"

    @property
    def supposing(self) -> str:
        """What the figures suppose, where intervals are withheld because of it."""
        if self.sure.withheld != UNJUDGED:
            return ""
        if self.sure.given == ALIKE:
            return "leaving unjudged items out, "
        return "counting unjudged items as not relevant, "


def verdict(told: Told) -> str:
    """Say who is ahead and how sure that is; never "best" without a probability."""
    if told.beside.caveat is not None:
        return _agreement(told)
    top, value, measure = told.top, told.value, told.measure
    if value != value:
        return f"No system can be ranked by {measure}: {top.scores[measure].reason}."
    if len(told.standings) == 1:
        has = f"{_capital(told.supposing)}{top.name} has {measure} {value:.4f} {told.over}"
        return f"{has}; there is no other system beside it."
    if top.p_best is None:
        has = "has" if len(told.first) == 1 else "share"
        return (
            f"Not settled: {told.supposing}{_listed(told.first)} {has} the highest {measure} "
            f"({value:.4f}), but {told.over} nothing can be said about other queries. Next step: "
            "add queries."
        )
    runner = told.standings[1].scores[measure]
    if runner.value != runner.value:
        return (
            f"Not settled: {top.name} has {measure} {value:.4f} {told.over}, but no other system "
            f"can be ranked by it: {runner.reason}. Next step: a measure that all systems have."
        )
    if len(told.first) > 1 and not told.settled:
        return (
            f"Not settled: {told.supposing}{_listed(told.first)} share the highest {measure} "
            f"({value:.4f}) {told.over}. Next step: {_next_step(told)}."
        )
    return " ".join(part for part in (_ahead(told), _judged(told), _stop(told)) if part)


def _ahead(told: Told) -> str:
    """Say who is first, how probably, and before whom."""
    if told.stop is not None:
        return _by_labels(told)
    top, second, measure = told.top, told.standings[1], told.measure
    sure = _probability(top.p_best or 0.0)
    behind = f"{second.name} ({second.scores[measure].value:.4f})"
    has = f"{top.name} has the highest {measure} ({told.value:.4f})"
    if told.rivals and told.settled and told.near is not None:
        return (
            f"{_capital(told.supposing)}{has} and is best, or within {told.delta:g} of the best, "
            f"with probability {_probability(told.near)}; {_tied(told)} {told.over}."
        )
    if told.rivals:
        return (
            f"Not settled: {told.supposing}{has} and comes first in {_share(top.p_best or 0.0)} of "
            f"all resamples{told.in_part}, but {_tied(told)} {told.over}{_corrected(told)}. "
            f"Next step: {_next_step(told)}."
        )
    ahead = (
        f"{top.name} is best by {measure} ({told.value:.4f}) with probability {sure}, ahead of "
        f"{behind}, {told.over}"
    )
    if told.settled:
        return f"{_capital(told.supposing)}{ahead}."
    return f"Not settled: {told.supposing}{ahead}, but {_but(told)}. Next step: {_next_step(told)}."


def _by_labels(told: Told) -> str:
    """Say how sure labels make it that the first is best, or near enough: one confidence."""
    stop, top = told.stop, told.top
    assert stop is not None
    said = f"{top.name} has the highest {told.measure} ({told.value:.4f}) {told.over}"
    if stop.confidence is not None:
        best = f"best, or within {stop.delta:g} of the best," if stop.delta else "best"
        said += f" and is {best} with confidence {chance(stop.confidence)}"
    if told.settled:
        return f"{said}; {_tied(told)}." if told.rivals else f"{said}."
    why = _tied(told) if told.rivals else _but(told)
    return f"Not settled: {said}, but {why}. Next step: {_next_step(told)}."


def _tied(told: Told) -> str:
    """Name the systems that are tied with the first."""
    are = "is" if len(told.rivals) == 1 else "are"
    return f"{_listed(told.rivals)} {are} statistically tied with it"


def _share(p: float) -> str:
    """Format a share as a percentage that is never rounded to all; it is rounded as in tables.

    Examples
    --------
    >>> _share(0.9915), _share(0.99996), f"{0.8155:.3f}", _share(0.8155)
    ('99.2 %', 'more than 99.9 %', '0.816', '81.6 %')
    """
    return f"{100 * float(f'{p:.3f}'):.1f} %" if p < 0.9995 else "more than 99.9 %"


def _corrected(told: Told) -> str:
    """Format the corrected p of the tests that keep rivals in a tie, where they alone do."""
    if not told.tested:
        return ""
    low, high = min(told.tested), max(told.tested)
    figures = f"{low:.3f}" if f"{low:.3f}" == f"{high:.3f}" else f"{low:.3f} to {high:.3f}"
    pairs = sum(one.tests is not None for one in told.pairs)
    s = "" if pairs == 1 else "s"
    return f" (paired t-test, Holm-corrected for {pairs:,} pair{s}: p = {figures})"


def _but(told: Told) -> str:
    """Say what keeps a clear lead from being settled."""
    if told.design is not None and told.design.sample.late:
        return came_late(told.design.sample.late).partition(":")[0]
    if told.stop is not None:
        asked = f"{told.stop.level_used:.3g} is asked for at look {told.stop.looks}"
        return f"{asked}, so that all looks together reach {told.stop.level:g}"
    if told.partial is not None and not told.partial.agree:
        others = [one for one in told.partial.companions if not one.same_first]
        said = "; ".join(f"{one.measure} puts {_listed(one.first)} first" for one in others[:2])
        return said or "how much unjudged items matter is not known"
    return "the lead is small"


def _next_step(told: Told) -> str:
    """Say what would settle it."""
    if told.design is not None and told.design.unit == "queries":
        return "more queries, or accept the tie"
    if told.design is not None and told.design.sample.late:
        return "draw again, so that labels speak for all items (consilience next)"
    if told.stop is not None:
        if told.stop.needed:
            more = f"{rounded(told.stop.needed):,} more labels"
            return f"about {more} (consilience next), or accept the tie"
        if told.stop.labels >= told.stop.population:
            return "accept the tie: all items are labelled"
        return "label the rest (consilience next), or accept the tie"
    if told.supposing:
        return "judge items that are drawn for it (consilience next … --budget 100)"
    return "more queries, or accept the tie"


def _judged(told: Told) -> str:
    """Say how much was judged, and whether measures that leave the rest out agree."""
    if not told.supposing or told.partial is None:
        return ""
    return f"{told.partial.about.rstrip('.')}."


def _stop(told: Told) -> str:
    """Say whether labels are enough."""
    if told.stop is None or not told.settled:
        return ""
    return f"{_capital(told.stop.sentence.rstrip('.'))}."


def _agreement(told: Told) -> str:
    """Say who agrees most with the others; the caveat is part of the sentence."""
    top, value, measure, beside = told.top, told.value, told.measure, told.beside
    if value != value:
        return f"No system can be ranked by {measure}: {top.scores[measure].reason}."
    first = told.first
    hidden = beside.withheld is not None
    figure = "" if hidden else f" ({value:.4f})"
    agrees = "agrees most with the others" if beside.pure else "comes first"
    if len(first) > 1:
        agrees = "agree most with the others" if beside.pure else "come first"
    said = f"{_listed(first)} {agrees} by {measure}{figure}"
    said += ", equally" if len(first) > 1 else ""
    others = [name for name in told.rivals if name not in first]
    runner = next((one for one in told.standings if one.rank not in (None, 1)), None)
    sure = f" with probability {_probability(top.p_best)}" if top.p_best is not None else ""
    if top.p_best is None:
        said += f"; {told.over} nothing can be said about other queries"
    elif len(first) > 1:
        said += f" {told.over}"
    elif others:
        share = f" in {_share(top.p_best)} of all resamples{told.in_part}"
        said += f"{share}, but {_tied(told)} {told.over}{_corrected(told)}"
    elif runner is not None:
        behind = "" if hidden else f" ({runner.scores[measure].value:.4f})"
        said += f"{sure}, ahead of {runner.name}{behind}, {told.over}"
    else:
        said += f" {told.over}; no other system can be ranked by it"
    caveat = str(beside.caveat)
    parts = [
        said,
        _dissent(beside, first),
        f"{_capital(caveat)}, which does not settle who is right",
        "" if beside.withheld is None else _capital(beside.withheld),
        "Next step: label a few items that are drawn for it (consilience next … --budget 100)",
    ]
    return " ".join(f"{part}." for part in parts if part)


def _dissent(beside: Agreement, first: Sequence[str]) -> str:
    """Say how many of the panel's other methods put somebody else first."""
    if beside.panel is None:
        return ""
    systems, measure = beside.panel.systems, beside.panel.measure
    leaders = []
    for member in beside.panel.members:
        values = np.round(member.values[measure], DIGITS)
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


def notes(study: Known, scores: Scores, condition: Condition, *, queries: int) -> tuple[str, ...]:
    """Tell what a careful reader must know: what was left out, assumed or counted as what."""
    said = list(study.notes)
    left_out = len(study.queries) - len(scores.queries)
    lack = "truth" if scores.belief.truth == 1.0 else "votes"
    lack = "answers" if scores.belief.method == "aipw" else lack
    if left_out:
        said.append(
            f"{left_out:,} of {len(study.queries):,} queries have no {lack} and are left out"
        )
    by_design = scores.belief.method == "aipw"
    told = condition.name in ("partial", "uncertain") and scores.belief.truth == 1.0
    if told and condition.judged < 1 and not by_design:
        left_out = supposed(scores.measures[0]) == ALIKE
        how = "are left out" if left_out else "count as not relevant, as trec_eval counts them"
        said.append(
            f"{1 - condition.judged:.1%} of the returned items have not been judged; they {how}"
        )
    said += _missing(scores)
    if parse(scores.measures[0]).average == "micro" and not by_design and queries >= FEWEST:
        said.append(
            f"{scores.measures[0]} is no mean over queries: pairs are compared by resampling, "
            "without paired tests"
        )
    if scores.tied:
        rule = scores.ties
        said.append(f"{scores.tied:,} answers share their score with another one; ties: {rule}")
    if FEWEST <= queries < FEW:
        said.append(
            f"with {queries} queries, intervals hold less often than they say (in a simulation of "
            "skewed scores, 95% ones covered 92% of the time with 10 queries)"
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
