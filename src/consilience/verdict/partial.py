"""What a ranking by partial truth must say beside its scores.

Gold has judged some of what the systems returned, and the plain measures count the rest as not
relevant. Beside them stand: how much of each system's answers was judged; the worst and best case
of every score (:mod:`consilience.measures.bounds`); and *companions*, measures that treat unjudged
items otherwise: the condensed list, Bpref and infAP. Where a companion puts another system first,
the ranking depends on how unjudged items are counted, and more labels are the next step.

All of it is made of :class:`Pieces`; those of parts of a study can be joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.joined import without_items
from consilience.belief.judges import gold
from consilience.measures import ranked
from consilience.measures.bounds import bounds_of, open_ends
from consilience.measures.hits import Hits, find_hits
from consilience.measures.joined import joined
from consilience.measures.names import BASES, Measure, parse
from consilience.measures.open_ends import OpenEnds, joined_ends
from consilience.measures.orders import kendall
from consilience.measures.partial import pooled
from consilience.measures.scores import Scores, score
from consilience.study.condition import Condition, condition
from consilience.verdict.payload import number
from consilience.verdict.standing import DIGITS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.belief import Belief
    from consilience.study import Study

#: How far down the share of judged answers is told whatever the measures look at.
SHOWN = 10
#: Systems that a sentence names, at most.
NAMED = 3

_CONDENSED = "{} of the lists without their unjudged items"
_BPREF = "how rarely a judged item that is not relevant stands above one that is"
_INFERRED = "AP as inferred from the judged part of the pool"
_NOT_POOLED = "; nothing is marked as pooled but not judged (grade below 0), so it is AP"


@dataclass(frozen=True, slots=True)
class Companion:
    """A measure that treats unjudged items otherwise: every system's value, and who is first.

    ``tau`` is Kendall's τ-b to the plain ranking (NaN where either is constant);
    ``same_first`` tells whether somebody who is first there is first here, too.
    """

    measure: str
    about: str
    values: NDArray[np.float64]
    first: tuple[str, ...]
    tau: float
    same_first: bool


@dataclass(frozen=True, slots=True)
class Partial:
    """What belongs to a ranking by truth on some items.

    ``judged`` gives, system by system, the share of its answers that was judged: of the first ten
    ("@10") and at the measures' cutoffs where answers have an order, and of "all", averaged over
    the queries that it has answered; ``share`` is that of all returned items together.
    ``bounds`` holds the worst and best case, systems × 2 for every measure (NaN: not known), and
    ``why`` the reason where a measure has none. ``agree`` tells whether all companions that can
    be computed leave the first system first.
    """

    systems: tuple[str, ...]
    share: float
    judged: dict[str, dict[str, float]]
    bounds: dict[str, NDArray[np.float64]]
    why: dict[str, str | None]
    companions: tuple[Companion, ...]
    agree: bool
    about: str

    def payload(self) -> dict[str, Any]:
        """Give it as plain data (the key ``partial`` of ``rank --json``)."""
        return {
            "judged": self.share,
            "companions": [
                {
                    "measure": one.measure,
                    "about": one.about,
                    "first": list(one.first),
                    "tau": number(one.tau),
                    "same_first": one.same_first,
                    "scores": {
                        system: number(value)
                        for system, value in zip(self.systems, one.values, strict=True)
                    },
                }
                for one in self.companions
            ],
            "agree": self.agree,
            "about": self.about,
        }


def partial_truth(study: Study, scores: Scores, *, what: Condition | None = None) -> Partial | None:
    """Tell what unjudged items may have done to a ranking; None where truth is not partial.

    Parameters
    ----------
    study
        The study.
    scores
        Its scores by the truth; ties and conventions are theirs.
    what
        The condition of truth, where it is known already.

    Examples
    --------
    >>> from consilience.study import study
    >>> made = study(
    ...     {"known": {"q": ["a", "b", "n"]}, "novel": {"q": ["x", "a", "y", "b"]}},
    ...     truth={"q": {"a": 1, "b": 1, "n": 0}},
    ... )
    >>> found = partial_truth(made, score(made, measures=["AP"]))
    >>> found.judged["novel"], found.bounds["AP"].round(4).tolist()
    ({'@10': 0.5, 'all': 0.5}, [[0.5, 1.0], [0.5, 1.0]])
    >>> [(one.measure, one.values.round(4).tolist()) for one in found.companions][:2]
    [('AP(judged_only=True)', [1.0, 1.0]), ('Bpref', [1.0, 1.0])]
    """
    what = condition(study) if what is None else what
    belief = scores.belief
    if what.name != "partial" or belief.truth < 1.0 or belief.method != "gold":
        return None
    return partial_of(pieces(study, scores), scores, what)


@dataclass(frozen=True, slots=True)
class Pieces:
    """What :class:`Partial` is made of.

    ``judged`` adds up, by depth, the shares of judged answers (2 × systems: their sum, and over
    how many queries); ``ordered`` tells whose lists all have an order, ``some`` who returned
    anything; ``companions`` are the scores by measures that treat unjudged items otherwise;
    ``pooled`` tells whether anything is marked as pooled but not judged.
    """

    ends: OpenEnds
    judged: dict[str, NDArray[np.float64]]
    ordered: NDArray[np.bool_]
    some: NDArray[np.bool_]
    companions: Scores | None
    pooled: bool


def pieces(study: Study, scores: Scores, *, grades: NDArray[np.float64] | None = None) -> Pieces:
    """Find what unjudged items may have done, query by query, in a study or a part of one.

    ``scores`` are those by the truth; ``grades`` are the different grades of the whole.
    """
    belief, first = scores.belief, parse(scores.measures[0])

    def believe(study: Study, *, relevant_from: float = 1.0) -> Belief:
        return belief if relevant_from == first.rel else gold(study, relevant_from=relevant_from)

    options: dict[str, Any] = {
        "belief": believe,
        "ties": scores.ties,
        "convention": scores.convention,
    }
    hits = find_hits(study, belief, ties=scores.ties, graded=False)
    ordered, some = _ordered(hits)
    possible = ordered if study.whole is not None else ordered & some
    wanted = _companions(first, ordered=bool(possible.any()))
    found = score(study, measures=list(wanted), **options) if wanted else None
    if found is not None:
        found = replace(found, belief=without_items(found.belief))
    unknown = np.isnan(belief.of_all(len(study.items)))
    return Pieces(
        open_ends(study, measures=scores.measures, grades=grades, **options),
        _judged(hits, scores),
        ordered,
        some,
        found,
        bool((pooled(study) & unknown).any()),
    )


def joined_pieces(parts: Sequence[Pieces]) -> Pieces:
    """Join the pieces of parts of a study, each with some of its queries, in their order."""
    known = [part.companions for part in parts if part.companions is not None]
    found = None
    if known and len(known) == len(parts):
        shared = tuple(
            name for name in known[0].measures if all(name in one.measures for one in known)
        )
        found = joined([replace(one, measures=shared) for one in known])
    return Pieces(
        joined_ends([part.ends for part in parts]),
        {
            depth: np.sum([part.judged[depth] for part in parts], axis=0)
            for depth in parts[0].judged
        },
        np.all([part.ordered for part in parts], axis=0),
        np.any([part.some for part in parts], axis=0),
        found,
        any(part.pooled for part in parts),
    )


def partial_of(pieces: Pieces, scores: Scores, what: Condition) -> Partial:
    """Tell what unjudged items may have done to a ranking, from its pieces."""
    first = parse(scores.measures[0])
    extreme = bounds_of(pieces.ends)
    companions = _compared(pieces, scores, first)
    return Partial(
        scores.systems,
        what.judged,
        _shares(pieces, scores.systems),
        {name: _hull(scores, name, ends) for name, ends in extreme.table.items()},
        extreme.why,
        companions,
        all(one.same_first for one in companions if one.first),
        _about(companions, scores.systems, _first(scores.systems, _values(scores, str(first)))),
    )


def _values(scores: Scores, measure: str) -> NDArray[np.float64]:
    return np.array([scores[system][measure].value for system in scores.systems])


def _hull(scores: Scores, name: str, ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Let the value lie within its bounds to the last digit."""
    if bool(np.isnan(ends).all()):
        return ends
    value = _values(scores, name)
    return np.stack([np.fmin(ends[:, 0], value), np.fmax(ends[:, 1], value)], axis=1)


def _ordered(hits: Hits) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Tell which systems' lists all have an order, or hold nothing, and who returned something."""
    shape = (hits.systems, hits.queries)
    ordered = np.asarray((hits.ordered | (hits.length == 0)).reshape(shape).all(axis=1))
    some = np.asarray((hits.length > 0).reshape(shape).any(axis=1))
    return ordered, some


def _judged(hits: Hits, scores: Scores) -> dict[str, NDArray[np.float64]]:
    """Add up the shares of judged answers over queries, at cutoffs and in all."""
    cutoffs = {SHOWN} | {k for name in scores.measures if (k := parse(name).k) is not None}
    depths = {**{f"@{k}": k for k in sorted(cutoffs)}, "all": None}
    sums = {}
    for depth, k in depths.items():
        table = ranked.judged(hits, k=k).reshape(hits.systems, hits.queries)
        known = [row[~np.isnan(row)] for row in table]
        sums[depth] = np.array([[row.sum() for row in known], [float(len(row)) for row in known]])
    return sums


def _shares(pieces: Pieces, systems: Sequence[str]) -> dict[str, dict[str, float]]:
    """Average the shares of judged answers; at cutoffs only where there is an order."""
    ordered = pieces.ordered & pieces.some
    shares: dict[str, dict[str, float]] = {system: {} for system in systems}
    for depth, (total, count) in pieces.judged.items():
        for place, system in enumerate(systems):
            if count[place] and (depth == "all" or ordered[place]):
                shares[system][depth] = float(total[place] / count[place])
    return shares


def _companions(first: Measure, *, ordered: bool, pooled: bool = True) -> dict[Measure, str]:
    """Say which measures treat unjudged items otherwise, and how."""
    wanted: dict[Measure, str] = {}
    if "judged_only" in BASES[first.base][1] and not first.judged_only:
        wanted[replace(first, judged_only=True)] = _CONDENSED.format(first)
    if ordered:
        wanted[Measure("Bpref", rel=first.rel)] = _BPREF
        wanted[Measure("infAP", rel=first.rel)] = _INFERRED + ("" if pooled else _NOT_POOLED)
    wanted.pop(first, None)
    return wanted


def _compared(pieces: Pieces, scores: Scores, first: Measure) -> tuple[Companion, ...]:
    """Compare the measures that treat unjudged items otherwise with the one that ranks."""
    found = pieces.companions
    ordered = bool((pieces.ordered & pieces.some).any())
    wanted = _companions(first, ordered=ordered, pooled=pieces.pooled)
    plain = _values(scores, str(first))
    leaders = _first(scores.systems, plain)
    companions = []
    for measure, about in wanted.items():
        assert found is not None
        values = _values(found, str(measure))
        mine = _first(scores.systems, values)
        same = bool({*mine} & {*leaders})
        tau = kendall(plain, values)
        companions.append(Companion(str(measure), about, values, mine, tau, same))
    return tuple(companions)


def _first(systems: Sequence[str], values: NDArray[np.float64]) -> tuple[str, ...]:
    """Name the systems with the highest value; nobody where all are undefined."""
    if bool(np.isnan(values).all()):
        return ()
    rounded = np.round(values, DIGITS)
    return tuple(systems[code] for code in np.flatnonzero(rounded == np.nanmax(rounded)).tolist())


def _about(companions: Sequence[Companion], systems: Sequence[str], leaders: Sequence[str]) -> str:
    """Say in a sentence whether the companions put the same system first."""
    telling = [one for one in companions if one.first]
    if not telling or not leaders:
        return "No measure that treats unjudged items otherwise can be computed here"
    if len(systems) == 1:
        return "There is no other system that unjudged items could put first"
    against = [one for one in telling if not one.same_first]
    shared = [name for name in leaders if all(name in one.first for one in telling)]
    if shared:
        names, s = _listed([one.measure for one in telling]), "s" if len(telling) == 1 else ""
        treat = f"which treat{s} unjudged items otherwise"
        return f"{names}, {treat}, put{s} {_listed(shared)} first, too"
    differ = against or telling
    said = "; ".join(f"{one.measure} puts {_listed(one.first)} first" for one in differ)
    return f"{said}: how unjudged items are counted decides who leads"


def _listed(names: Sequence[str]) -> str:
    """Write names one after the other, some of many."""
    if len(names) > NAMED:
        return f"{', '.join(names[:NAMED])} and {len(names) - NAMED} more"
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
