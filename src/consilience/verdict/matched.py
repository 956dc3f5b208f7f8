"""Ranking systems whose items need not be equal to gold's, or to each other's.

With truth, a system's score is the soft precision, recall or F1 of :mod:`consilience.measures.soft`
(or of one-to-one matching), query by query, against each judge who answered the query and then on
average over these judges. Without truth, soft votes (:mod:`consilience.match.votes`) go through
the same consensus as any others.

Which similarity and which variant one chooses is a choice; a winner that changes with it has won
little. So the ranking is made again with others, and the verdict says what changed.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief import Belief, gold
from consilience.errors import UsageError
from consilience.match.entries import entries
from consilience.match.text import worded
from consilience.match.votes import votes_by_similarity
from consilience.measures.left_out import LeaveOut, score_left_out
from consilience.measures.names import parse
from consilience.measures.orders import kendall
from consilience.measures.scores import MISSING_IS_ZERO, Convention, Score, Scores, filled
from consilience.measures.soft import NO_FLOOR
from consilience.study.subset import without_models
from consilience.verdict.soft import Settings, scored, soft_matching
from consilience.verdict.soft_input import lists_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.measures.names import Measure
    from consilience.study import Study

#: The measures that soft matching has.
FIGURES = {"P": "precision", "R": "recall", "F1": "f1"}
#: The similarities of texts that a ranking is made again with.
OTHERS = ("exact", "levenshtein", "jaro-winkler", "jaccard:q=2", "monge-elkan")
#: Beyond this many lists the slowest variant is not tried again.
MOST_LISTS = 2000


@dataclass(frozen=True, slots=True)
class Again:
    """The ranking made again: with what, the systems' values, who is first, how far it agrees."""

    similarity: str
    variant: str
    floor: float
    values: NDArray[np.float64]
    first: tuple[str, ...]
    tau: float


@dataclass(frozen=True, slots=True)
class Matching:
    """How items were matched, and what other ways of matching would have said."""

    settings: Settings
    first: tuple[str, ...]
    again: tuple[Again, ...]
    truth: bool
    any_match: bool = True

    @property
    def changes(self) -> tuple[Again, ...]:
        """The ways under which another system comes first."""
        return tuple(one for one in self.again if one.first and not {*one.first} & {*self.first})

    @property
    def sentence(self) -> str:
        """Say whether the winner changes with the similarity or the variant."""
        n, who = len(self.again), _listed(self.first)
        if not n or not self.first:
            return ""
        if not self.any_match:
            return (
                f"No item of any system resembles one of the truth by {self.settings.how.name}"
                f"{_hint(self.settings)}."
            )
        if len(self.again[0].values) < 2:
            return ""
        other = "similarity" if not self.truth else "similarity or variant"
        if not self.changes:
            return self._stays(who, other)
        named = "; ".join(
            f"{_listed(one.first)} under {one.variant} of {one.similarity}"
            if self.truth
            else f"{_listed(one.first)} under {one.similarity}"
            for one in self.changes[:3]
        )
        more = f"; and {len(self.changes) - 3} more" if len(self.changes) > 3 else ""
        return (
            f"The winner changes with the {other}, in {len(self.changes)} of {n} other ways of "
            f"matching: {named}{more}."
        )

    def _stays(self, who: str, other: str) -> str:
        """Say that whoever is first stays so, as far as that is true."""
        telling = [one for one in self.again if 0 < len(one.first) < len(one.values)]
        n, alone = len(telling), [one for one in telling if {*one.first} != {*self.first}]
        if not n:
            return "Other ways of matching tell no system from another."
        many = f"all {n} other ways" if n > 1 else "the other way"
        said = f"{who} {'stays' if len(self.first) == 1 else 'stay'} first"
        if alone:
            named = _listed(dict.fromkeys(_listed(one.first) for one in alone))
            said = f"{who} {'is' if len(self.first) == 1 else 'are'} not always first alike"
            return f"{said}: of {many} of matching, {len(alone)} put {named} first."
        tied = len(self.again) - n
        end = f"; {tied} more tell no system from another" if tied else ""
        return f"{said} under {many} of matching that tell systems apart (by {other}){end}."


def _listed(names: Iterable[str]) -> str:
    *most, last = [*names] or ["nobody"]
    return f"{', '.join(most)} and {last}" if most else last


def soft_truth_scores(
    study: Study,
    settings: Settings,
    *,
    measures: Sequence[str | Measure],
    convention: Convention = "ours",
) -> Scores:
    """Score every system softly against the truth.

    Parameters
    ----------
    study
        A study with truth.
    settings
        How items are matched.
    measures
        Of P, R and F1.
    convention
        How missing queries and undefined values enter averages.
    """
    names = _names(measures)
    belief = gold(study)
    evaluated = np.nonzero(belief.queries)[0]
    queries = [study.queries[code] for code in evaluated]
    judges = [
        _worded(lists_of(study, gold=True, respondent=int(code)), settings)
        for code in np.unique(without_models(study).evidence.respondent)
    ]
    empty = np.array([not any(judge.get(query) for judge in judges) for query in queries])
    table: dict[str, dict[str, Score]] = {}
    put = []
    for code in study.respondents.of_kind("system"):
        mine = _worded(lists_of(study, gold=False, respondent=int(code)), settings)
        answered = np.array([query in mine for query in queries])
        values = _against(judges, mine, queries, settings)
        put.append(answered)
        table[study.respondents.names[code]] = {
            name: _score(
                filled(values[name], answered, empty & np.isnan(values[name]), convention),
                answered,
                answered | (convention in MISSING_IS_ZERO),
            )
            for name in names
        }
    return Scores(
        *(study.systems, tuple(names), tuple(queries), table, belief, 0, np.stack(put)),
        convention=convention,
    )


def _names(measures: Sequence[str | Measure]) -> list[str]:
    names = list(dict.fromkeys(str(parse(name)) for name in measures))
    wrong = next((name for name in names if name not in FIGURES), None)
    if wrong is not None:
        raise UsageError(
            f"items that are matched softly have P, R and F1, not {wrong} (fix: --measure F1, or "
            "--match exact)"
        )
    return names


def check_unordered(measures: Sequence[str | Measure]) -> None:
    """Refuse measures of ranked answers: soft votes have no order but that of similarity."""
    for name in measures:
        if parse(name).ranked:
            raise UsageError(
                f"items that are matched softly have no order for {name} (fix: --measure F1, or "
                "--match exact)"
            )


def _worded(lists: dict[str, list[str]], settings: Settings) -> dict[str, list[str]]:
    if settings.wording is None:
        return lists
    return {query: worded(items, settings.wording) for query, items in lists.items()}


def _against(
    judges: Sequence[dict[str, list[str]]],
    mine: dict[str, list[str]],
    queries: Sequence[str],
    settings: Settings,
) -> dict[str, NDArray[np.float64]]:
    """Score one system against each judge, query by query, and average over the judges."""
    found: dict[str, list[NDArray[np.float64]]] = {name: [] for name in FIGURES}
    for judge in judges:
        known = np.array([query in judge for query in queries])
        lists = entries(
            [judge.get(query, []) for query in queries], [mine.get(query, []) for query in queries]
        )
        scores = scored(settings, lists)
        for name, figure in FIGURES.items():
            found[name].append(np.where(known, getattr(scores, figure), np.nan))
    return {name: _mean(np.stack(values)) for name, values in found.items()}


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average over judges, of those where it is defined."""
    known = ~np.isnan(values)
    mean: NDArray[np.float64] = np.full(values.shape[1], np.nan)
    np.divide(np.nansum(values, axis=0), known.sum(axis=0), out=mean, where=known.any(axis=0))
    return mean


def _score(
    values: NDArray[np.float64], answered: NDArray[np.bool_], counted: NDArray[np.bool_]
) -> Score:
    known = ~np.isnan(values)
    value = float(values[known].mean()) if known.any() else float("nan")
    reason = None if known.any() else "undefined for every query"
    return Score(
        *(value, values, int(known.sum()), int((~known & counted).sum())),
        *(int((~answered).sum()), reason),
    )


def soft_votes(study: Study, settings: Settings) -> Study:
    """Let every source vote on what resembles its answers: S_k(i) = max over j of S(i, j).

    Gold lists vote, too: the belief in an item is then its best similarity to gold's.

    Parameters
    ----------
    study
        Who returned what.
    settings
        How items are matched; see :func:`consilience.soft_matching`.

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.study({"a": {"q": ["colour"]}, "b": {"q": ["color", "grey"]}})
    >>> belief = cs.consensus(cs.soft_votes(study, cs.soft_matching()))
    >>> dict(zip(study.items.names(belief.item), belief.p.round(3).tolist()))
    {'colour': 0.708, 'color': 0.708, 'grey': 0.5}
    """
    made = votes_by_similarity(study, settings.how, floor=settings.floor, wording=settings.wording)
    note = (
        f"items were matched by {settings.how.name} (from {settings.floor:g} on): an item's vote "
        "is its best similarity to what a source returned"
    )
    return replace(made, notes=(*made.notes, note))


def matching(
    study: Study,
    settings: Settings,
    believe: Callable[..., Belief],
    scores: Scores,
    convention: Convention,
    leave_out: LeaveOut,
) -> Matching:
    """Rank again with other similarities and variants, and see who is first."""
    measure = scores.measures[0]
    values = _values(scores, measure)
    again = []
    for other in _others(settings, study, truth=believe is gold):
        made = _again(study, other, believe, measure, convention, leave_out)
        again.append(
            Again(
                other.how.name,
                other.variant,
                other.floor,
                made,
                _first(made, scores.systems),
                kendall(values, made),
            )
        )
    return Matching(
        settings,
        _first(values, scores.systems),
        tuple(again),
        believe is gold,
        bool(np.nanmax(values, initial=0.0) > 0),
    )


def _hint(settings: Settings) -> str:
    """Say what may mend it that nothing matches."""
    classes = "classes" in inspect.signature(settings.how.function).parameters
    name = settings.how.name
    return (
        f"; where classes have other names on both sides, try {name}:classes=no" if classes else ""
    )


def _again(
    study: Study,
    settings: Settings,
    believe: Callable[..., Belief],
    measure: str,
    convention: Convention,
    leave_out: LeaveOut,
) -> NDArray[np.float64]:
    if believe is gold:
        found = soft_truth_scores(study, settings, measures=[measure], convention=convention)
    else:
        voted = soft_votes(study, settings)
        found = score_left_out(
            voted, measures=[measure], belief=believe, leave_out=leave_out, convention=convention
        )
    return _values(found, measure)


def _values(scores: Scores, measure: str) -> NDArray[np.float64]:
    return np.array([scores[name][measure].value for name in scores.systems])


def _first(values: NDArray[np.float64], systems: Sequence[str]) -> tuple[str, ...]:
    if np.isnan(values).all():
        return ()
    best = np.nanmax(values)
    return tuple(name for name, value in zip(systems, values, strict=True) if value >= best - 1e-12)


def _others(settings: Settings, study: Study, *, truth: bool) -> list[Settings]:
    """List the ways of matching that a ranking is made again with: one thing changed at a time."""
    found: list[Settings] = []
    if settings.how.many.of == "text":
        for name in OTHERS:
            if name != settings.how.name:
                variant: Any = None if settings.variant == "assignment" else settings.variant
                other = soft_matching(name, variant=variant, mode=settings.mode)
                found.append(replace(other, wording=settings.wording))
    if not truth:
        return found
    for variant in ("coverage", "diversity", "paper", "assignment"):
        slow = variant == "diversity" and study.answers.lists > MOST_LISTS
        if variant != settings.variant and not slow:
            found.append(_varied(settings, variant))
    return found


def _varied(settings: Settings, variant: Any) -> Settings:
    """Change the variant, with the same floor unless one of the two variants usually has none."""
    floor = settings.floor
    if variant in NO_FLOOR:
        floor = 0.0
    elif settings.variant in NO_FLOOR and not floor:
        floor = settings.how.many.floor
    mode: Any = "instances" if variant == "assignment" else "concepts"
    return replace(settings, variant=variant, mode=mode, floor=floor)
