"""Soft results as plain data: what JSON shows, what is stored, what every rendering reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.measures.assignment import InstanceScores
from consilience.measures.soft_null import adjusted
from consilience.verdict.payload import number, stamped
from consilience.verdict.resample import FEWEST, METHOD, SAMPLES
from consilience.verdict.soft import FIGURES, SoftResult
from consilience.verdict.soft_words import DRAWN, averaged, notes, why_undefined

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The most items of either side in the table of similarities.
MOST_CELLS = 60
#: The most items and pairs that a result holds one by one.
MOST_ROWS = 20_000
LABELS = {
    "crisp": "crisp (equal items)",
    "matching": "matching similarity",
    "mapped": "mapped overlap (as FuzzyPR)",
    "paper": "soft, as in the paper (no floor)",
    "storm": "soft, as in STORM (no floor)",
    "coverage": "soft, coverage",
    "diversity": "soft, maximum diversity",
    "assignment": "instances, one-to-one",
}


def of_soft(result: SoftResult) -> dict[str, Any]:
    """Give a soft comparison as plain data (the contract of ``soft --json``)."""
    settings, given, null = result.settings, result.given, result.null
    counts, pairs, intervals = _counts(result), _pairs(result), _intervals(result)
    body: dict[str, Any] = {
        "headline": result.headline,
        "warnings": list(result.warnings),
        "of": _of(result),
        "mode": settings.mode,
        "variant": settings.variant,
        "similarity": {
            "name": settings.how.name,
            "floor": settings.floor,
            "background": number(null.background),
            "repairs": sorted(settings.how.repairs),
        },
        "text": None if settings.wording is None else settings.wording.settings(),
        "names": dict(zip(("gold", "predicted"), given.names, strict=True)),
        "documents": len(given.documents),
        "averaged": averaged(result),
        **{name: number(getattr(result, name)) for name in FIGURES},
        "undefined": {name: _undefined(result, name) for name in FIGURES},
        "level": result.level,
        "intervals": intervals,
        "resampling": {
            "unit": "documents",
            "n": result.drawn.queries,
            "samples": SAMPLES,
            "method": METHOD,
            "seed": result.seed,
        }
        if any(intervals.values())
        else None,
        "null": {
            **{name: number(getattr(null, name)) for name in FIGURES},
            "how": DRAWN[null.how],
            "draws": null.draws,
            "undefined": _no_null(result),
        },
        "adjusted": {
            **{
                name: number(adjusted(getattr(result, name), getattr(null, name)))
                for name in FIGURES
            },
            "undefined": _no_null(result) or ("chance gets 1" if null.f1 >= 1 else None),
        },
        "cardinality": _cardinality(result),
        "sizes": {side: sum(map(len, getattr(given, side))) for side in ("gold", "predicted")},
        "counts": {side: rows[:MOST_ROWS] for side, rows in counts.items()},
        "pairs": pairs[:MOST_ROWS],
        "table": _table(result),
        "baselines": [
            {
                "name": one.name,
                "label": LABELS.get(one.name, f"crisp* (similarity ≥ {settings.threshold:g})"),
                **{name: _mean(getattr(one, name)) for name in FIGURES},
            }
            for one in result.baselines
        ],
        "threshold": settings.threshold,
        "per_document": list(_documents(result)),
        "notes": [*given.notes, *notes(result), *_too_long(counts, pairs)],
    }
    return stamped("soft", given, body, seed=result.seed)


def _no_null(result: SoftResult) -> str | None:
    """Say why there is no null score."""
    null = result.null
    if not np.isnan(null.f1):
        return None
    if null.how == "too long":
        return "the lists are too long"
    empty = not any(map(len, result.given.predicted)) or not any(map(len, result.given.gold))
    return "a side is empty" if empty else "too few pairs of items"


def _of(result: SoftResult) -> str:
    of = result.settings.how.many.of
    return of if of not in ("anything", "text") else result.given.of


def _mean(values: NDArray[np.float64]) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else None


def _undefined(result: SoftResult, name: str) -> str | None:
    return why_undefined(result, name) if np.isnan(getattr(result, name)) else None


def _intervals(result: SoftResult) -> dict[str, list[float] | None]:
    found: dict[str, list[float] | None] = dict.fromkeys(FIGURES)
    if not len(result.drawn.draws):
        return found
    for column, name in enumerate(FIGURES):
        value = getattr(result, name)
        if (~np.isnan(getattr(result.scores, name))).sum() < FEWEST:
            continue
        interval = result.drawn.interval(result.drawn.draws[:, column], result.level)
        if interval is not None:
            found[name] = [min(interval[0], value), max(interval[1], value)]
    return found


def _cardinality(result: SoftResult) -> dict[str, float | None]:
    """Give what was divided, added up over the documents."""
    scores = result.scores
    gold, predicted = scores.gold.sum(), scores.predicted.sum()
    if isinstance(scores, InstanceScores):
        both = scores.matched.sum()
        union = gold + predicted - both
    else:
        both, union = scores.intersection.sum(), scores.union.sum()
    return {
        "gold": number(gold),
        "predicted": number(predicted),
        "union": number(union),
        "intersection": number(both),
    }


def _labels(result: SoftResult) -> list[str]:
    """Name every different item."""
    return [str(item) for item in result.entries.items]


def _counts(result: SoftResult) -> dict[str, list[dict[str, Any]]]:
    """Say of every item how much it counts, and which one of the other side resembles it most."""
    lists, labels, scores = result.entries, _labels(result), result.scores
    document = lists.document()
    matched = _matches(result)
    found: dict[str, list[dict[str, Any]]] = {}
    for place, side in enumerate(("gold", "predicted")):
        times = getattr(lists, side)
        if isinstance(scores, InstanceScores):
            count = times.astype(np.float64)
        else:
            count = getattr(scores, f"counts_{side}")
        value, at = matched[place]
        found[side] = [
            {
                "document": result.given.documents[document[entry]],
                "item": labels[lists.code[entry]],
                "times": int(times[entry]),
                "count": number(count[entry]),
                "best": None if value[entry] <= 0 else labels[lists.code[at[entry]]],
                "similarity": float(value[entry]) if value[entry] > 0 else 0.0,
            }
            for entry in _as_given(result, np.nonzero(times)[0], side)
        ]
    return found


def _as_given(result: SoftResult, entry: NDArray[np.int64], side: str) -> list[int]:
    """Put entries into the order in which their side of a document first names them."""
    lists, document = result.entries, result.entries.document()
    named = getattr(result.given, side)
    place: dict[int, dict[Any, int]] = {}
    for which in np.unique(document[entry]).tolist():
        try:
            place[which] = {item: at for at, item in enumerate(dict.fromkeys(named[which]))}
        except TypeError:  # items that cannot be hashed are numbered as they were named
            place[which] = {}

    def key(entry: int) -> tuple[int, int]:
        here, code = int(document[entry]), int(lists.code[entry])
        return here, place[here][lists.items[code]] if place[here] else code

    return sorted(entry.tolist(), key=key)


def _matches(
    result: SoftResult,
) -> tuple[tuple[NDArray[np.float64], NDArray[np.int64]], ...]:
    """For entries of gold and of the prediction: how similar the best match is, and which."""
    scores = result.scores
    if not isinstance(scores, InstanceScores):
        added = scores.sums
        return (
            (added.best_predicted, added.best_predicted_at),
            (added.best_gold, added.best_gold_at),
        )
    n = len(result.entries.code)
    found = tuple((np.zeros(n), np.full(n, -1)) for _ in range(2))
    pairs = scores.pairs
    for (value, at), mine, theirs in zip(
        found, (pairs.gold, pairs.predicted), (pairs.predicted, pairs.gold), strict=True
    ):
        order = np.argsort(pairs.similarity, kind="stable")
        value[mine[order]], at[mine[order]] = pairs.similarity[order], theirs[order]
    return found


def _pairs(result: SoftResult) -> list[dict[str, Any]]:
    """Name the matched pairs, the most similar first."""
    lists, labels = result.entries, _labels(result)
    document = lists.document()
    best: dict[tuple[int, int], float] = {}
    times: dict[tuple[int, int], int] = {}
    if isinstance(result.scores, InstanceScores):
        found = result.scores.pairs
        both = zip(found.gold.tolist(), found.predicted.tolist(), found.similarity, strict=True)
        best = {(gold, predicted): float(value) for gold, predicted, value in both}
        times = dict(zip(best, found.times.tolist(), strict=True))
    else:
        (value, at), (other, other_at) = _matches(result)
        for entry in np.nonzero((lists.gold > 0) & (value > 0))[0].tolist():
            best[entry, int(at[entry])] = float(value[entry])
        for entry in np.nonzero((lists.predicted > 0) & (other > 0))[0].tolist():
            best[int(other_at[entry]), entry] = float(other[entry])
    order = sorted(best, key=lambda pair: (-best[pair], pair))
    return [
        {
            "document": result.given.documents[document[gold]],
            "gold": labels[lists.code[gold]],
            "predicted": labels[lists.code[predicted]],
            "similarity": best[gold, predicted],
            "times": times.get((gold, predicted), 1),
        }
        for gold, predicted in order
    ]


def _table(result: SoftResult) -> dict[str, Any] | None:
    """Give the similarities of one document: of the one with the lowest F1 that is not too long.

    Of the only document, where it is too long, those items of each side that have the nearest
    matches; ``of`` tells how many there are.
    """
    lists = result.entries
    sizes = np.stack(
        [lists.gold_ends - lists.starts[:-1], lists.starts[1:] - lists.predicted_starts]
    )
    fits = (sizes > 0).all(axis=0)
    if lists.documents > 1:
        fits &= (sizes <= MOST_CELLS).all(axis=0)
    if not fits.any():
        return None
    document = int(np.argmin(np.where(fits, np.nan_to_num(result.scores.f1, nan=2.0), 9.0)))
    own = (
        np.arange(lists.starts[document], lists.gold_ends[document]),
        np.arange(lists.predicted_starts[document], lists.starts[document + 1]),
    )
    near = [_nearest(one, best) for one, (best, _) in zip(own, _matches(result), strict=True)]
    gold, predicted = _as_given(result, near[0], "gold"), _as_given(result, near[1], "predicted")
    how, items = result.settings.how.quiet(), lists.items
    sides = [[items[code] for code in lists.code[entry]] for entry in (gold, predicted)]
    found = how.block(how.prepare(sides[0]), how.prepare(sides[1]))
    return {
        "document": result.given.documents[document],
        "gold": [str(item) for item in sides[0]],
        "predicted": [str(item) for item in sides[1]],
        "of": {"gold": len(own[0]), "predicted": len(own[1])},
        "similarity": found.tolist(),
    }


def _nearest(entries: NDArray[np.int64], best: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose those entries that fit into a table: the ones with the most similar matches."""
    return np.sort(entries[np.argsort(-best[entries], kind="stable")[:MOST_CELLS]])


def _documents(result: SoftResult) -> Iterator[dict[str, Any]]:
    given, scores = result.given, result.scores
    for place, name in enumerate(given.documents):
        yield {
            "document": name,
            "gold": len(given.gold[place]),
            "predicted": len(given.predicted[place]),
            **{figure: number(getattr(scores, figure)[place]) for figure in FIGURES},
        }


def _too_long(counts: dict[str, list[dict[str, Any]]], pairs: list[dict[str, Any]]) -> list[str]:
    """Say that not all items are told one by one."""
    longest = max(len(pairs), *(len(rows) for rows in counts.values()))
    if longest <= MOST_ROWS:
        return []
    return [f"items and pairs are told one by one up to {MOST_ROWS:,}; all of them count"]
