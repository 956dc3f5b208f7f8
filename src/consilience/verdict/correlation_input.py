"""Rankings to compare, however a user holds them: mappings, verdicts, stored results, files."""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, is_number, quote, unknown, written
from consilience.formats.files import stem_of
from consilience.formats.rankings import read_ranking
from consilience.formats.rows import Source
from consilience.given import float_of
from consilience.verdict.rank import Verdict

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Digits of a score that are no rounding error.
DIGITS = 12


@dataclass(frozen=True, slots=True)
class Ranking:
    """Systems with their scores, the higher the better; NaN: no score.

    ``measure`` says what the scores are of, where that is known. ``ranks`` tells that only the
    order is known: the scores are the negatives of ranks. ``caveat`` is what a ranking without
    truth carries.
    """

    name: str
    scores: Mapping[str, float]
    measure: str | None = None
    ranks: bool = False
    caveat: str | None = None
    sources: tuple[Source, ...] = ()
    notes: tuple[str, ...] = ()

    def fingerprint(self) -> str:
        """Hash what the ranking says: the same input gives the same fingerprint."""
        told = (sorted(self.scores.items()), self.measure, self.ranks)
        return hashlib.sha256(repr(told).encode("utf-8", "surrogatepass")).hexdigest()


def taken(
    given: Any,
    *,
    name: str,
    measure: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Ranking:
    """Take a ranking in whatever form: a mapping, a verdict, a result, the path of a file.

    Parameters
    ----------
    given
        What holds the ranking.
    name
        What a mapping is called; others are called by their file, their id or their belief.
    measure
        The measure wanted of a result or a table that has several; None: the first.
    columns, encoding
        As in :func:`consilience.formats.rankings.read_ranking`.

    Examples
    --------
    >>> taken({"bm25": 0.31, "dense": 0.29}, name="a").scores["dense"]
    0.29
    """
    if isinstance(given, Verdict):
        return _of_verdict(given, measure)
    if isinstance(given, str | os.PathLike):
        return _of_file(given, measure=measure, columns=columns, encoding=encoding)
    if hasattr(given, "items"):
        data = dict(given.items())
        return of_result(data, measure=measure) if "verb" in data else _of_mapping(data, name)
    raise UsageError(
        f"{type(given).__name__} is no ranking (fix: give a mapping system → score, a verdict, the "
        "id of a stored result, or the path of a file)"
    )


def _of_mapping(data: Mapping[Any, Any], name: str) -> Ranking:
    scores: dict[str, float] = {}
    for system, value in data.items():
        if value is not None and (not is_number(value) or math.isinf(float_of(value))):
            raise UsageError(
                f"{name}: the score of {quote(system)} is {quote(value)} (fix: give finite "
                "numbers, the higher the better; for ranks, their negatives)"
            )
        if written(system) in scores:
            raise UsageError(
                f"{name}: two systems are called {quote(system)} (fix: name systems by text)"
            )
        scores[written(system)] = math.nan if value is None else float(value)
    source = Source(name, "mapping, a ranking", "system → score", len(scores))
    return Ranking(name, scores, sources=(source,))


def _of_verdict(verdict: Verdict, measure: str | None) -> Ranking:
    of = _chosen(verdict.scores.measures, verdict.measure, measure, "this verdict")
    withheld = verdict.agreement.withheld is not None
    if withheld:
        check_order(of, verdict.measure, "this verdict")
    scores = {
        one.name: _negative(one.rank) if withheld else one.scores[of].value
        for one in verdict.standings
    }
    method = verdict.scores.belief.method
    source = Source(method, "verdict", f"ranked by {of}", len(scores))
    caveat = verdict.agreement.caveat
    return Ranking(method, scores, of, withheld, caveat, (source, *verdict.study.sources))


def of_result(
    payload: Mapping[str, Any], *, name: str | None = None, measure: str | None = None
) -> Ranking:
    """Take the ranking that a stored result of ``rank`` holds.

    Examples
    --------
    >>> import consilience as cs
    >>> made = cs.rank(cs.example_study("keyphrases"), measures=["F1", "P"]).payload()
    >>> of_result(made, measure="P").measure
    'P'
    """
    called = str(name or payload.get("id", "result"))
    if payload.get("verb") != "rank" or not payload.get("systems"):
        raise UsageError(
            f"{called}: a result of {payload.get('verb')} is no ranking "
            "(fix: name a result of rank)"
        )
    of = _chosen(payload["measures"], payload["measure"], measure, called)
    scores = {one["name"]: one["scores"][of]["value"] for one in payload["systems"]}
    ranks = bool(payload.get("withheld"))
    if ranks:
        check_order(of, payload["measure"], called)
        scores = {one["name"]: _negative(one["rank"]) for one in payload["systems"]}
    made = {system: math.nan if value is None else value for system, value in scores.items()}
    source = Source(called, "result of rank", f"{payload.get('id')}, ranked by {of}", len(made))
    return Ranking(called, made, of, ranks, payload.get("caveat"), (source,))


def _chosen(possible: Sequence[str], usual: str, wanted: str | None, where: str) -> str:
    if wanted is None:
        return usual
    if wanted not in possible:
        error = unknown("measure", wanted, list(possible))
        raise UsageError(f"{where}: {error}")
    return wanted


def check_order(of: str, ranked_by: str, where: str) -> None:
    """See that ranks are wanted by the measure they are by, where scores are withheld."""
    if of != ranked_by:
        raise UsageError(
            f"{where}: scores are withheld, and the ranks are by {ranked_by}, not {of} "
            f"(fix: --measure {ranked_by}, or rank by {of})"
        )


def _negative(rank: int | None) -> float:
    return math.nan if rank is None else -float(rank)


def _of_file(
    path: str | os.PathLike[str],
    *,
    measure: str | None,
    columns: Mapping[str, str] | None,
    encoding: str | None,
) -> Ranking:
    name = stem_of(Path(path).name)
    found = read_ranking(path, measure=measure, columns=columns, encoding=encoding)
    if isinstance(found, dict):
        return of_result(found, name=name, measure=measure)
    return Ranking(
        name, found.scores, found.measure, found.ranks, None, (found.source,), found.notes
    )


def told_apart(rankings: Sequence[Ranking]) -> list[str]:
    """Name rankings so that no two are called alike.

    Examples
    --------
    >>> told_apart([Ranking("a", {}), Ranking("b", {}), Ranking("a", {})])
    ['a', 'b', 'a (2)']
    """
    names: list[str] = []
    for one in rankings:
        name, times = one.name, 1
        while name in names:
            times += 1
            name = f"{one.name} ({times})"
        names.append(name)
    return names


def in_both(
    reference: Ranking, other: Ranking
) -> tuple[tuple[str, ...], NDArray[np.float64], NDArray[np.float64]]:
    """Give the systems that have a score in both rankings, and their scores in each."""
    common = tuple(
        system
        for system, score in reference.scores.items()
        if math.isfinite(score) and math.isfinite(other.scores.get(system, math.nan))
    )
    a, b = (
        without_noise(np.array([one.scores[system] for system in common], np.float64))
        for one in (reference, other)
    )
    return common, a, b


def without_noise(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make scores equal that differ by rounding errors alone: such a difference is no order.

    Twelve digits of the largest score are kept.

    Examples
    --------
    >>> without_noise(np.array([0.1 + 0.2, 0.3, 0.25])).tolist()
    [0.3, 0.3, 0.25]
    """
    largest = float(np.abs(scores[np.isfinite(scores)]).max(initial=0.0))
    return np.round(scores, DIGITS - math.ceil(math.log10(largest))) if largest else scores
