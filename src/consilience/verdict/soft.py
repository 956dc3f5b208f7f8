"""Two lists whose items need not be equal: soft precision and recall, with all that belongs to it.

The figures come from :mod:`consilience.measures.soft` (concepts) and
:mod:`consilience.measures.assignment` (instances). Beside them stand what chance would get, what
other measures say, which items were matched, and a warning where a figure cannot be trusted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.errors import UsageError, quote, unknown
from consilience.match.entries import Entries, entries
from consilience.match.kernel import Comparer, Similarity, check_texts, comparer
from consilience.match.names import similarity_by_name
from consilience.match.text import Wording
from consilience.measures.assignment import InstanceScores, instance_scores
from consilience.measures.diversity import MOST
from consilience.measures.soft import VARIANTS, SoftScores, Variant, soft_scores, usual_floor
from consilience.measures.soft_baselines import Baseline, crisp, crisp_at, pairings
from consilience.measures.soft_null import LONGEST, Null, null_score
from consilience.verdict.resample import FEWEST, Resampled, check_chance, resample
from consilience.verdict.shown import Shown
from consilience.verdict.soft_input import Given, given
from consilience.verdict.soft_table import matrix_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

Mode = Literal["concepts", "instances"]
MODES: tuple[Mode, ...] = ("concepts", "instances")
#: What is used when nobody asks, by what the items are.
USUAL = {"text": "levenshtein", "segments": "segments", "boxes": "boxes", "tracks": "c-sim"}
#: Items that are instances unless one says otherwise.
SHAPES = ("segments", "boxes", "tracks")
#: With more documents, methods that go document by document are not shown beside.
MOST_DOCUMENTS = 5_000
#: The figures, in the order in which they are told.
FIGURES = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class Settings:
    """How two sides are compared: the similarity, and what is made of it."""

    how: Comparer
    mode: Mode
    variant: Variant | Literal["assignment"]
    floor: float
    threshold: float
    wording: Wording | None


@dataclass(frozen=True, slots=True)
class SoftResult(Shown):
    """Soft precision, recall and F1, what they were made of, and what to hold them against.

    ``precision``, ``recall`` and ``f1`` are means over the documents where they are defined (NaN:
    nowhere). ``scores`` holds the values of each document, ``given`` the lists, ``entries`` the
    items that were compared. ``null`` is what random predictions would get.
    """

    precision: float
    recall: float
    f1: float
    scores: SoftScores | InstanceScores
    settings: Settings
    given: Given
    entries: Entries
    null: Null
    baselines: tuple[Baseline, ...]
    drawn: Resampled
    level: float
    seed: int

    @property
    def headline(self) -> str:
        """What came out, in a sentence."""
        from consilience.verdict.soft_words import headline

        return headline(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why figures cannot be trusted, where they cannot."""
        from consilience.verdict.soft_words import warnings

        return warnings(self)

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.soft_payload import of_soft

        return of_soft(self)


def soft(
    gold: Any,
    predicted: Any = None,
    *,
    similarity: str | Similarity | NDArray[np.float64] | None = None,
    variant: Variant | None = None,
    mode: Mode | None = None,
    floor: float | None = None,
    threshold: float = 0.8,
    wording: Wording | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> SoftResult:
    """Compare predicted items with gold ones where they need not be equal.

    Parameters
    ----------
    gold, predicted
        Two lists of items; two dicts of document → list; two files; or a study with gold and one
        system.
    similarity
        How alike two items are: a name such as ``"levenshtein"`` or ``"jaccard:q=3"``, a function
        of two items with values in [0, 1], or for one document the table of all similarities
        (gold's items first, then the predicted ones). None: what is usual for the items.
    variant
        ``"coverage"`` (usual), ``"diversity"``, ``"paper"`` or ``"storm"``; see
        :mod:`consilience.measures.soft`. For concepts only.
    mode
        ``"concepts"``: near-duplicates count as one. ``"instances"``: every item counts and is
        matched with one of the other side at most. None: instances for segments, boxes and
        tracks that were read from files, unless a variant is named; concepts for all else.
    floor
        Similarities below it count as 0. None: the similarity's usual one; 0 for ``"paper"`` and
        ``"storm"``.
    threshold
        From which similarity on the baseline crisp* takes two items for the same.
    wording
        How texts are made alike first; see :class:`consilience.Wording`.
    level
        The coverage of intervals over documents.
    seed
        The seed of chance: of intervals and of random predictions.

    Examples
    --------
    >>> import consilience as cs
    >>> words = ["cafe", "coffee", "caffe", "pizza", "plaza"]
    >>> result = cs.soft(["cafe", "pizza", "hotel"], words, variant="paper")
    >>> round(result.precision, 3), round(result.recall, 3), round(result.f1, 3)
    (0.9, 0.826, 0.862)
    >>> result = cs.soft(["cafe", "pizza", "hotel"], words)
    >>> round(result.precision, 3), round(result.recall, 3), round(result.null.f1, 3) < 0.2
    (0.78, 0.667, True)
    """
    check_chance(level, seed)
    both = given(gold, predicted)
    both, how = _compared(both, similarity)
    if mode is None:
        mode = "instances" if both.of in SHAPES and variant is None else "concepts"
    settings = _settings(how, variant, mode, floor, threshold, wording)
    if settings.wording is not None and both.any_text():
        both = both.worded(settings.wording)
    else:
        settings = replace(settings, wording=None)
    lists = entries(both.gold, both.predicted)
    scores = scored(settings, lists)
    figures = np.stack([scores.precision, scores.recall, scores.f1])
    rng = np.random.default_rng(seed)
    null = null_score(
        how,
        both.gold,
        both.predicted,
        scored=lambda how, lists: _figures(scored(_with(settings, how), lists)),
        rng=rng,
    )
    return SoftResult(
        _mean(scores.precision),
        _mean(scores.recall),
        _mean(scores.f1),
        scores,
        settings,
        both,
        lists,
        null,
        _baselines(settings, lists),
        resample(figures, seed=seed) if len(both.documents) >= FEWEST else _nothing(seed),
        level,
        seed,
    )


def scored(settings: Settings, lists: Entries) -> SoftScores | InstanceScores:
    """Score lists under some settings."""
    if settings.variant == "assignment":
        return instance_scores(settings.how, lists, floor=settings.floor)
    return soft_scores(settings.how, lists, variant=settings.variant, floor=settings.floor)


def _figures(
    scores: SoftScores | InstanceScores,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    return scores.precision, scores.recall, scores.f1


def _with(settings: Settings, how: Comparer) -> Settings:
    return Settings(
        *(how, settings.mode, settings.variant, settings.floor, settings.threshold, None)
    )


def _nothing(seed: int) -> Resampled:
    return Resampled(np.zeros((0, len(FIGURES))), 0, seed)


def _mean(values: NDArray[np.float64]) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else float("nan")


def _compared(both: Given, similarity: Any) -> tuple[Given, Comparer]:
    """Find the similarity, and turn items into places where it is a table."""
    if similarity is None:
        similarity = USUAL.get(both.of, "levenshtein")
    if isinstance(similarity, str):
        similarity = similarity_by_name(similarity)
    if not callable(similarity):
        return matrix_of(both, similarity)
    how = comparer(similarity)
    check_texts(how, (item for side in (both.gold, both.predicted) for one in side for item in one))
    return both, how


def soft_matching(
    similarity: str | Similarity = "levenshtein",
    *,
    variant: Variant | None = None,
    mode: Mode = "concepts",
    floor: float | None = None,
    threshold: float = 0.8,
    wording: Wording | None = None,
) -> Settings:
    """Say how items that need not be equal are matched, for :func:`consilience.rank`.

    Parameters
    ----------
    similarity, variant, mode, floor, threshold, wording
        As in :func:`consilience.soft`.

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.example_study("keyphrases")
    >>> verdict = cs.rank(study, match=cs.soft_matching("jaro-winkler"))
    >>> verdict.matching.first
    ('multi-rake',)
    """
    found = similarity_by_name(similarity) if isinstance(similarity, str) else similarity
    return _settings(comparer(found), variant, mode, floor, threshold, wording)


def _settings(
    how: Comparer,
    variant: Variant | None,
    mode: Mode,
    floor: float | None,
    threshold: float,
    wording: Wording | None,
) -> Settings:
    if mode not in MODES:
        raise unknown("mode", str(mode), MODES)
    if mode == "instances" and variant is not None:
        raise UsageError(
            f"variant {quote(variant)} is one of concepts; instances are matched one to one "
            "(fix: leave the variant out, or mode concepts)"
        )
    if variant is not None and variant not in VARIANTS:
        raise unknown("variant", str(variant), VARIANTS)
    for name, value in (("floor", floor), ("threshold", threshold)):
        if name == "floor" and value is None:
            continue
        if not isinstance(value, Real) or not 0 <= value <= 1:
            raise UsageError(f"the {name} must be a number in [0, 1], found {value!r}")
    if not isinstance(wording, Wording | None):
        raise UsageError(f"{quote(wording)} is no wording (fix: consilience.Wording(case='fold'))")
    chosen: Variant = variant or VARIANTS[0]
    if floor is None:
        floor = how.many.floor if mode == "instances" else usual_floor(how, chosen)
    text = how.many.of in ("text", "anything")
    return Settings(
        how,
        mode,
        "assignment" if mode == "instances" else chosen,
        float(floor),
        float(threshold),
        (wording or Wording()) if text else None,
    )


#: With more items in a document, or more documents, the slowest variant is only made on request.
_MOST_BESIDE = 400


def _baselines(settings: Settings, lists: Entries) -> tuple[Baseline, ...]:
    """Say what other measures make of the same lists, as far as that is quick."""
    how = settings.how.quiet()
    largest = int(np.diff(lists.starts).max(initial=0))
    found = [crisp(lists)]
    if largest > LONGEST:
        return tuple(found)
    plain = soft_scores(how, lists, variant="paper")
    found.append(crisp_at(lists, plain.sums, settings.threshold))
    if largest <= MOST and lists.documents <= MOST_DOCUMENTS:
        found += [one for one in pairings(how, lists) if not np.isnan(one.f1).all()]
    beside = {"coverage": LONGEST, "diversity": _MOST_BESIDE, "paper": LONGEST, "storm": MOST}
    for variant in VARIANTS:
        slow = largest > beside[variant]
        slow = slow or (variant == "diversity" and lists.documents > _MOST_BESIDE)
        if slow or variant == settings.variant:
            continue
        one = plain if variant == "paper" else soft_scores(how, lists, variant=variant)
        found.append(Baseline(variant, one.precision, one.recall, one.f1))
    if settings.variant != "assignment" and largest <= MOST and lists.documents <= MOST_DOCUMENTS:
        matched = instance_scores(how, lists)
        found.append(Baseline("assignment", matched.precision, matched.recall, matched.f1))
    return tuple(found)
