"""Soft results in words: the headline, and the warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from consilience.measures.soft import VARIANTS, has_cosines
from consilience.measures.soft_null import adjusted

if TYPE_CHECKING:
    from consilience.verdict.soft import SoftResult

#: A null score from which on a figure needs a warning.
HIGH = 0.2
#: How a random prediction was made, by the name of the way.
DRAWN = {
    "documents": "predictions of other documents",
    "words": "random English words of the same lengths",
    "letters": "the predictions' letters, shuffled",
    "background": "the median similarity in place of each",
    "too long": "none: the lists are too long",
}


def headline(result: SoftResult) -> str:
    """Say what came out, and what chance would get."""
    n = len(result.given.documents)
    over = "" if n == 1 else f", {averaged(result)}"
    crisp = next(one for one in result.baselines if one.name == "crisp")
    exact = crisp.f1[~np.isnan(crisp.f1)]
    if np.isnan(result.f1):
        where = "" if n == 1 else f" in all {n:,} documents"
        return f"Nothing can be compared: {why_undefined(result, 'f1')}{where}."
    chance = "" if np.isnan(result.null.f1) else f"; {_by_chance(result)} {_two(result.null.f1)}"
    beside = f"; equal items alone give {_two(float(exact.mean()))}" if len(exact) else ""
    return (
        f"Soft F1 is {_two(result.f1)} (precision {_two(result.precision)}, recall "
        f"{_two(result.recall)}){over}, by {_called(result)}{beside}{chance}."
    )


def averaged(result: SoftResult) -> str:
    """Say over how many documents F1 was averaged."""
    n = len(result.given.documents)
    known = int((~np.isnan(result.scores.f1)).sum())
    if n == 1:
        return "one document"
    return f"mean over {known:,} of {n:,} documents" if known < n else f"mean over {n:,} documents"


def why_undefined(result: SoftResult, figure: str) -> str:
    """Say why a figure is undefined in every document."""
    gold, predicted = (size.any() for size in result.entries.sizes())
    if not (predicted if figure == "precision" else gold if figure == "recall" else True):
        return "nothing was predicted" if figure == "precision" else "gold is empty"
    if gold or predicted:
        return "cosines below 0 add up to 0"
    return "both lists are empty"


def _by_chance(result: SoftResult) -> str:
    if result.null.how == "background":
        return "were every pair as alike as the median one, it would be"
    return "random predictions would get"


def _called(result: SoftResult) -> str:
    settings = result.settings
    ways = {"assignment": "matched one to one", "paper": "as in the paper", "storm": "as in STORM"}
    floor = f" from {settings.floor:g} on" if settings.floor else ""
    way = ways.get(settings.variant, f"variant {settings.variant}")
    return f"{settings.how.name} similarity{floor}, {way}"


def _two(value: float) -> str:
    return "undefined" if np.isnan(value) else f"{value:.3f}"


def warnings(result: SoftResult) -> tuple[str, ...]:
    """Say why figures cannot be trusted, where they cannot."""
    return tuple(one for one in (*_above_one(result), _chance(result)) if one)


def _above_one(result: SoftResult) -> list[str]:
    """Values above 1: the lists together are worth less than one of them alone."""
    said = []
    for name in ("precision", "recall", "f1"):
        values = getattr(result.scores, name)
        above = values[np.nan_to_num(values) > 1 + 1e-9]
        if not len(above):
            continue
        where = "" if len(values) == 1 else f" in {len(above):,} of {len(values):,} documents"
        other = "predicted" if name == "recall" else "gold"
        why = (
            "both lists together have a smaller soft cardinality than one of them alone"
            if name == "f1"
            else f"both lists together have a smaller soft cardinality than the {other} one alone"
        )
        said.append(
            f"{name if name != 'f1' else 'F1'} above 1 ({above.max():.3f}){where}: {why}; "
            "variants coverage and diversity stay in [0, 1]"
        )
    return said


def _chance(result: SoftResult) -> str:
    """A high null score: what an answer that knows nothing would get."""
    null, settings = result.null, result.settings
    if np.isnan(null.f1) or null.f1 < HIGH:
        return ""
    fix = "a higher floor" if settings.floor else "a floor, or variant coverage"
    left = adjusted(result.f1, null.f1)
    told = "" if np.isnan(left) else f"; adjusted for chance F1 is {left:.2f}".replace("-", "−")
    return (
        f"background similarity {null.background:.2f}: an all-wrong answer would score "
        f"{null.f1:.2f} ({fix} lowers that{told})"
    )


def notes(result: SoftResult) -> list[str]:
    """Say what else a reader must know: what was repaired, undefined, left out, or is another's."""
    said = sorted(result.settings.how.repairs)
    documents = len(result.given.documents)
    for name, why in (
        ("precision", "nothing was predicted"),
        ("recall", "gold is empty"),
        ("f1", "both are empty"),
    ):
        missing = int(np.isnan(getattr(result.scores, name)).sum())
        if missing and documents > 1:
            of = f"{missing:,} of {documents:,} documents"
            called = "F1" if name == "f1" else name
            said.append(f"{called} is undefined in {of} ({why}): left out of the mean")
    if result.settings.variant == "coverage":
        said.append(
            "coverage has no single intersection: the mean of what is covered of both sides is "
            "given; precision and recall divide each its own side's"
        )
    return [*said, *_left_out(result), *_elsewhere(result)]


def _left_out(result: SoftResult) -> list[str]:
    """Say which other methods were not computed because there are many items or documents."""
    every = ("crisp", "crisp*", *VARIANTS, "assignment", "matching", "mapped")
    known = {one.name for one in result.baselines} | {result.settings.variant}
    lacking = [name for name in every if name not in known]
    if not lacking or not any(map(len, result.given.gold)):
        return []
    return [f"not computed beside, because there are many items or documents: {', '.join(lacking)}"]


def _elsewhere(result: SoftResult) -> list[str]:
    """Point to what a reader may have meant."""
    settings, of = result.settings, result.given.of
    if settings.variant == "storm" and not has_cosines(settings.how):
        return [
            "STORM's own figures use cosines of sentence vectors (paraphrase-MiniLM-L6-v2): with "
            "another similarity they are others; minilm is a model of that family"
        ]
    if of == "segments":
        return ["segments are compared as items of a list here; consilience.segments compares time"]
    if of == "boxes":
        return ["boxes are compared as items of a list here; consilience.detections gives AP, too"]
    return []
