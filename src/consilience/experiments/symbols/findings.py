"""What ``symbols`` finds: the paper's claims, held against what came out here."""

from __future__ import annotations

import math
from collections import Counter

import consilience as cs
from consilience.experiments.reproduced import Finding
from consilience.experiments.symbols import paper as symbols_paper
from consilience.experiments.symbols.compared import (
    CONSENSUS,
    DECLARED,
    LEARNED,
    POOLED,
    WHOLE,
    Compared,
    out_of_order,
    tied,
    values,
)
from consilience.experiments.symbols.lists import DEEPEST

#: The paper's exception, and the two that it finds alike.
EXCEPTION, ALIKE = "ARG", ("SC", "GFD")
STEPS = range(2, DEEPEST + 1)


def taus(found: Compared, measure: str) -> list[float | None]:
    """Give Kendall's τ between the orders with truth and by consensus, for k from 1 on."""
    made: list[float | None] = []
    for k in range(1, DEEPEST + 1):
        both = (found.with_truth[k], found.without[k])
        true, agreed = (list(values(one, measure).values()) for one in both)
        tau = cs.kendall(true, agreed)
        made.append(None if math.isnan(tau) else tau)
    return made


def swapped(found: Compared, measure: str) -> dict[int, list[tuple[str, str]]]:
    """Name the pairs that consensus puts the other way round than truth, for every k."""
    pairs = {
        k: out_of_order(values(found.with_truth[k], measure), values(found.without[k], measure))
        for k in STEPS
    }
    return {k: some for k, some in pairs.items() if some}


def culprits(pairs: dict[int, list[tuple[str, str]]]) -> list[str]:
    """Name the descriptors that are part of every swapped pair.

    Examples
    --------
    >>> culprits({2: [("ARG", "GFD"), ("ARG", "Zernike")], 3: [("ARG", "Zernike")]})
    ['ARG']
    """
    every = [pair for some in pairs.values() for pair in some]
    counts = Counter(name for pair in every for name in pair)
    return sorted(name for name, count in counts.items() if count == len(every))


def hidden(found: Compared, name: str) -> dict[str, list[int]]:
    """Tell whom truth puts clearly behind a descriptor and consensus does not, and at which k."""
    behind: dict[str, list[int]] = {}
    for k in STEPS:
        truth, agreed = values(found.with_truth[k]), values(found.without[k])
        for other in found.names:
            clear = truth[name] > truth[other] and not tied(found.with_truth[k], name, other)
            lost = agreed[name] <= agreed[other] or tied(found.without[k], name, other)
            if clear and lost:
                behind.setdefault(other, []).append(k)
    return behind


def headline(found: Compared) -> str:
    """Say the main result in two sentences."""
    pairs = swapped(found, "P")
    if not any(tau is not None for tau in taus(found, "P")):
        return "With truth all descriptors are equal: there is no order to keep."
    kept = "Consensus keeps the order that truth gives five descriptors by precision"
    if not pairs:
        return f"{kept}, at every k."
    if EXCEPTION not in culprits(pairs):
        count = len(STEPS) - len(pairs)
        return f"{kept} at {count} of {len(STEPS)} cutoffs."
    first = f"{kept}, with the paper's one exception, {EXCEPTION}."
    behind = hidden(found, EXCEPTION)
    return f"{first} {_lost(found, _most(behind), behind)}" if behind else first


def _lost(found: Compared, rival: str, behind: dict[str, list[int]]) -> str:
    """Say how far truth and consensus tell the exception apart from a rival, and why."""
    k = behind[rival][-1]
    true, agreed = values(found.with_truth[k]), values(found.without[k])
    apart = "cannot be told apart"
    if not tied(found.without[k], EXCEPTION, rival):
        apart = f"put {rival} first"
    alone = found.confirmed[EXCEPTION].alone or 0.0
    return (
        f"Truth gives {EXCEPTION} P@{k} {true[EXCEPTION]:.2f} and {rival} {true[rival]:.2f}; by "
        f"consensus {agreed[EXCEPTION]:.2f} and {agreed[rival]:.2f} {apart}: {alone:.0%} of "
        f"{EXCEPTION}'s hits are returned by no other descriptor."
    )


def _most(behind: dict[str, list[int]]) -> str:
    """Name whom consensus hides most often; of equals, the last of the paper's columns."""
    return max(reversed(behind), key=lambda name: len(behind[name]))


def findings(found: Compared) -> tuple[Finding, ...]:
    """Hold the paper's claims against what came out."""
    return (
        _itself(found),
        _printed(),
        *(_order(found, measure) for measure in ("P", "R", "F1")),
        _outstanding(found),
        _unseen(found),
        _alike(found),
        _collection(found),
        _cures(found),
    )


def _itself(found: Compared) -> Finding:
    paper = [symbols_paper.precision(name, 1) for name in found.names]
    ours = [float(found.truth[name][0, 0]) for name in found.names]
    return Finding(
        "every descriptor finds the query itself first (P@1)",
        f"{min(paper):.2f} for all",
        f"{min(ours):.2f} to {max(ours):.2f}"
        if min(ours) < max(ours)
        else f"{ours[0]:.2f} for all",
        min(ours) == min(paper),
        "the query is part of the collection: nothing is nearer to it",
    )


def _printed() -> Finding:
    """Check Tables 4 and 5 against each other."""
    sums = symbols_paper.sums()
    figures = 2 * sum(len(row) for row in symbols_paper.PRECISION)
    claim = "the paper's Tables 4 and 5 fit together; how queries were averaged is not said"
    if sums is None:
        return Finding(claim, "", "no whole numbers of hits give the recalls", None)
    full, last = sums.queries * DEEPEST, sums.returned[-1]
    return Finding(
        claim,
        "",
        f"{sums.fit} of {figures} are whole numbers of hits, of {sums.queries} queries with "
        f"{sums.relevant} relevant symbols in all: sums are divided (micro averages), recall is "
        "cut off after five digits, precision is rounded",
        None,
        f"at k = {DEEPEST} there are {min(last)} to {max(last)} answers instead of {full}; why "
        "lists fall short is not said",
    )


def _order(found: Compared, measure: str) -> Finding:
    """Check whether consensus keeps the order, and who is out of place where it does not."""
    pairs = swapped(found, measure)
    known = [tau for tau in taus(found, measure) if tau is not None]
    where: dict[tuple[str, str], list[int]] = {}
    for k, some in pairs.items():
        for pair in some:
            where.setdefault(pair, []).append(k)
    told = "; ".join(f"{a} below {b} at k = {_listed(steps)}" for (a, b), steps in where.items())
    if pairs and measure != "P" and pairs == swapped(found, "P"):
        told = "the same pairs change places as by precision"
    least = f"τ from {min(known):.2f} to {max(known):.2f}" if known else "all are equal"
    words = {"P": "precision", "R": "recall", "F1": "the F-measure"}[measure]
    return Finding(
        f"consensus keeps the order by {words}, with one exception",
        f"the exception is {EXCEPTION}",
        f"{least}; {told or 'every pair keeps its order'}",
        (not pairs or EXCEPTION in culprits(pairs)) if known else None,
        "" if not pairs or EXCEPTION in culprits(pairs) else "other pairs change places as well",
    )


def _outstanding(found: Compared) -> Finding:
    """Check whether the exception is clearly first by truth."""
    true = values(found.with_truth[DEEPEST])
    others = [name for name in found.names if name != EXCEPTION]
    ahead = all(true[EXCEPTION] > true[name] for name in others)
    near = _beside(found)
    paper = max(symbols_paper.precision(name, DEEPEST) for name in others)
    clear = ahead and not near
    return Finding(
        f"{EXCEPTION} significantly outperforms all others by truth",
        f"P@{DEEPEST} {symbols_paper.precision(EXCEPTION, DEEPEST):.2f} before {paper:.2f}",
        f"P@{DEEPEST} {true[EXCEPTION]:.2f}, the highest of the others "
        f"{max(true[name] for name in others):.2f}{near}",
        clear,
        ""
        if clear
        else "other drawings, and a graph of other parts: which of the two is the reason was not "
        "tried",
    )


def _unseen(found: Compared) -> Finding:
    """Check whether consensus loses the exception's lead over others, and why."""
    lost = hidden(found, EXCEPTION)
    told = "; ".join(f"{name} at k = {_listed(some)}" for name, some in lost.items())
    longest = max((len(some) for some in lost.values()), default=0)
    meant = "taken to mean: over one of them at least, at more than half of the cutoffs"
    return Finding(
        f"consensus does not see {EXCEPTION}'s lead over others",
        "a tie with SC and GFD, which truth puts behind it",
        f"truth puts these clearly behind it and consensus does not: {told or 'nobody'}",
        2 * longest > len(STEPS),
        f"{meant}; {_unconfirmed(found, _most(lost))}" if lost else meant,
    )


def _unconfirmed(found: Compared, rival: str) -> str:
    """Say what the others' votes make of the exception's hits, and what a sixth voter changes."""
    mine, other = found.confirmed[EXCEPTION], found.confirmed[rival]
    share, hits, errors = mine.hits / mine.answers, other.of_hits or 0.0, mine.of_errors or 0.0
    return (
        f"whoever finds more than the others is not confirmed: belief in {EXCEPTION}'s hits is "
        f"{mine.of_hits or 0.0:.2f} on average, in {rival}'s fewer hits {hits:.2f} (errors: "
        f"{errors:.2f} and {other.of_errors or 0.0:.2f}); confirmed as often as {rival}'s, "
        f"{EXCEPTION} would have {share * hits + (1 - share) * errors:.2f} instead of "
        f"{values(found.without[DEEPEST])[EXCEPTION]:.2f} at {DEEPEST}. With a sixth voter of its "
        f"kind (the same strokes, compared by place) {EXCEPTION} gets "
        f"{found.sixth[EXCEPTION][1]:.2f}, and {rival} {found.sixth[rival][1]:.2f}"
    )


def _beside(found: Compared) -> str:
    """Name those that truth cannot tell apart from the exception."""
    last = found.with_truth[DEEPEST]
    near = [name for name in found.names if name != EXCEPTION and tied(last, EXCEPTION, name)]
    true = values(last)
    told = ", ".join(f"{name} {true[name]:.2f}" for name in near)
    return f" (not told apart from {told})" if near else ""


def _listed(steps: list[int]) -> str:
    """Write some k, runs of them as "3 to 9".

    Examples
    --------
    >>> _listed([2, 3, 4]), _listed([2, 4])
    ('2 to 4', '2, 4')
    """
    whole = len(steps) > 2 and steps == list(range(steps[0], steps[-1] + 1))
    return f"{steps[0]} to {steps[-1]}" if whole else ", ".join(str(k) for k in steps)


def _alike(found: Compared) -> Finding:
    """Check whether SC and GFD stay alike, and what the way up has to do with it."""
    one, other = ALIKE
    paper = max(
        abs(symbols_paper.precision(one, k) - symbols_paper.precision(other, k)) for k in STEPS
    )
    ours = max(abs(float(found.truth[one][k - 1, 0] - found.truth[other][k - 1, 0])) for k in STEPS)
    agreed = max(
        abs(float(found.agreed[one][k - 1, 0] - found.agreed[other][k - 1, 0])) for k in STEPS
    )
    up, turned = ((side[one][0], side[other][0]) for side in (found.upright, found.turned))
    return Finding(
        f"{one} and {other} are alike with truth and without",
        f"P differs by at most {paper:.2f} with truth",
        f"P differs by up to {ours:.2f} with truth, {agreed:.2f} by consensus",
        ours <= paper,
        ""
        if ours <= paper
        else f"drawings stand upright, which {one} sees and {other} does not: for the queries that "
        f"were tried both ways, {one} and {other} have P@{DEEPEST} {up[0]:.2f} and {up[1]:.2f}, "
        f"and {turned[0]:.2f} and {turned[1]:.2f} when every drawing is turned by quarter turns",
    )


def _collection(found: Compared) -> Finding:
    """Check whether recall's order depends on which items are counted in its denominator."""
    orders = [
        [
            sorted(found.names, key=lambda name: -round(float(side[name][k - 1, 1]), 12))
            for k in STEPS
        ]
        for side in (found.agreed, found.in_whole)
    ]
    same = sum(a == b for a, b in zip(*orders, strict=True))
    pool, whole = (
        [float(side[name][DEEPEST - 1, 1]) for name in found.names]
        for side in (found.agreed, found.in_whole)
    )
    return Finding(
        "recall by consensus depends on Δ, the items to choose from; its order need not",
        "which Δ was taken is not said",
        f"R@{DEEPEST} {min(pool):.2f} to {max(pool):.2f} over the pool, {min(whole):.3f} to "
        f"{max(whole):.3f} over all {len(found.lists.items):,} drawings; the same order at {same} "
        f"of {len(STEPS)} cutoffs",
        None,
    )


def _cures(found: Compared) -> Finding:
    """Tell how much of the exception's lead other beliefs show."""
    behind = hidden(found, EXCEPTION)
    rival = _most(behind) if behind else ALIKE[1]
    leads = {one.label: one.values[EXCEPTION] - one.values[rival] for one in found.believed}
    told = "; ".join(f"{label} {lead:+.3f}" for label, lead in leads.items())
    return Finding(
        f"who is believed decides how much of {EXCEPTION}'s lead over {rival} is seen",
        "",
        f"lead in P@{DEEPEST}: {told.replace('-0.', '−0.')}",
        None,
        f"{_families(found, leads)}; {_told_apart(leads)}",
    )


def _families(found: Compared, leads: dict[str, float]) -> str:
    """Say what families do to the lead: declared ones, and those that votes suggest."""
    seen, declared, learned = (leads[label] for label in (CONSENSUS, DECLARED, LEARNED))
    known = cs.dependence(found.lists.study())
    groups = [] if known is None else [one.members for one in known.learned if len(one.members) > 1]
    said = f"declared families {'show more' if declared > seen else 'do not show more'} of it"
    if not groups:
        return f"{said}; votes suggest none"
    joined = "; ".join(" and ".join(group) for group in groups)
    return (
        f"{said}; votes suggest that {joined} belong together, as those do who are right about the "
        f"same items, and to count them once {'hides it' if learned < seen else 'does no harm'}"
    )


def _told_apart(leads: dict[str, float]) -> str:
    """Say whether Dawid–Skene sees more if it knows the drawings that nobody returned."""
    pool, whole = leads[POOLED], leads[WHOLE]
    helped = "sees more of it when" if whole > pool else "does not see more of it when"
    return f"Dawid–Skene {helped} it is told how many drawings nobody returned"
