"""Rankings by whatever name: a stored result's id, a file, or what Python users hold."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.errors import UsageError, quote
from consilience.measures.tops import PATIENCE
from consilience.store import load
from consilience.verdict.correlation import correlated
from consilience.verdict.correlation_input import of_result, taken

if TYPE_CHECKING:
    from consilience.verdict.correlation import Correlation
    from consilience.verdict.correlation_input import Ranking


def correlate(
    reference: Any,
    *others: Any,
    measure: str | None = None,
    top: int | None = None,
    rbo_p: float = PATIENCE,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Correlation:
    """Compare rankings of the same systems with a reference.

    Parameters
    ----------
    reference
        The ranking that is held for true: a mapping system → score (the higher the better), what
        :func:`consilience.rank` gave, the id of a stored result of ``rank``, or the path of a file
        (JSON of ``rank``, or a table with a column of systems and one of scores or ranks).
    others
        One or more rankings to compare with it, in any of these forms.
    measure
        Which measure of a result or a table counts; None: the one it is ranked by.
    top
        How many systems the top is, for overlap and regret; None: 10, and 3 (or 1) where there
        are 10 systems (3) or fewer.
    rbo_p
        How patient the reader of RBO is: above 0, below 1.
    columns
        Role (system, score, rank, measure) → column of a table, where names do not say it.
    encoding
        The text encoding of files, where it is not UTF-8.

    Returns
    -------
    Correlation
        One comparison for each of the others. Only systems with a score in both are compared.

    Examples
    --------
    >>> import consilience as cs
    >>> truth = {"bm25": 0.31, "dense": 0.36, "mixed": 0.38, "random": 0.02}
    >>> guess = {"bm25": 0.52, "dense": 0.61, "mixed": 0.58, "random": 0.11}
    >>> found = cs.correlate(truth, guess)
    >>> round(found.rankings[0].figures["tau_b"], 4), found.rankings[0].first
    (0.6667, ('dense',))
    """
    if not others:
        raise UsageError(
            "there is one ranking and nothing to compare it with (fix: name a second one; for "
            "runs, name their truth: --truth qrels.txt)"
        )
    names = ["a", "b", "c", *(f"ranking {place}" for place in range(4, len(others) + 2))]
    first, *rest = (
        ranking_of(given, name=name, measure=measure, columns=columns, encoding=encoding)
        for given, name in zip((reference, *others), names, strict=False)
    )
    return correlated(first, rest, top=top, rbo_p=rbo_p)


def ranking_of(
    given: Any,
    *,
    name: str,
    measure: str | None = None,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Ranking:
    """Take a ranking; a text that names no file is the id of a stored result."""
    if isinstance(given, str) and not _names_files(given):
        try:
            payload = load(given)
        except UsageError as error:
            raise UsageError(
                f"{quote(given)} is neither a file nor a stored result: {error}"
            ) from None
        return of_result(payload, measure=measure)
    return taken(given, name=name, measure=measure, columns=columns, encoding=encoding)


def _names_files(given: str) -> bool:
    """Tell whether a text is a path, or was meant to be one: it has a folder or an ending."""
    path = Path(given)
    try:
        return path.exists() or bool(path.suffix) or os.sep in given
    except (OSError, ValueError):  # a name no file can have
        return False
