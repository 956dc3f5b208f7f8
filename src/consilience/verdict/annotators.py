"""Do annotators agree, where do they not, and who differs most.

α (Krippendorff) says how far labels agree beyond what chance would give, over all annotators and
with missing labels. Its interval draws the items anew: it says how far α would move with other
items of this kind, labelled by the same annotators. Every annotator is then compared with the
others, every two with each other (Cohen's κ); confused categories and disputed items are listed.

Agreement is not truth: annotators may agree and be wrong together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, quote
from consilience.formats.roles import read_vote
from consilience.measures.chance_corrected import alpha
from consilience.measures.coders import against_rest, deviations, pair_kappas
from consilience.measures.disagreement import counted
from consilience.study.labels import labels_of
from consilience.study.model import as_study, check_equal
from consilience.study.taxonomy import tree as made_tree
from consilience.verdict.disputes import Confusion, Dispute, confusions, disputes
from consilience.verdict.items_anew import Figure, figures_of
from consilience.verdict.resample import FEWEST, check_chance
from consilience.verdict.scales import Scale, on_scale
from consilience.verdict.shown import Shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.study.labels import Labels
    from consilience.study.model import Study

#: So many annotators are compared two by two: those with the most labels.
PAIRED = 200
#: Up to so many annotators, α is also given without each of them.
WITHOUT = 50
#: A result holds so many confusions, and so many items to discuss.
LISTED = 1000


@dataclass(frozen=True, slots=True)
class Annotator:
    """One annotator: labels, and agreement with the other labels of the same ``n`` items."""

    name: str
    labels: int
    n: int
    percent: float
    kappa: float
    interval: tuple[float, float] | None
    undefined: str | None
    odd: bool
    alpha_without: float | None
    deviation: tuple[str, str, float] | None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two annotators on the ``n`` items that both labelled; κ by its name."""

    a: str
    b: str
    n: int
    percent: float
    kappa: dict[str, float]
    undefined: str | None


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement(Shown):
    """How far annotators agree; made by :func:`agree`."""

    study: Study
    labels: Labels
    scale: Scale
    compared: int
    alpha: Figure
    fleiss: Figure
    percent: Figure
    annotators: tuple[Annotator, ...]
    pairs: tuple[Pair, ...]
    confusions: tuple[Confusion, ...]
    agreed: tuple[int, ...]
    tree_shares: dict[str, float] | None
    discuss: tuple[Dispute, ...]
    disputed: int
    level: float
    seed: int
    samples: int
    notes: tuple[str, ...]

    @property
    def headline(self) -> str:
        """What was found, in a sentence or two."""
        from consilience.verdict.annotators_told import headline

        return headline(self)

    def payload(self) -> dict[str, Any]:
        """Give everything as plain data, ready for JSON."""
        from consilience.verdict.annotators_told import payload

        return payload(self)


def agree(
    study: Study,
    *,
    scale: str = "auto",
    tree: Any = None,
    order: Sequence[str] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> AnnotatorAgreement:
    """Tell how far annotators agree, where they do not, and who differs most.

    Parameters
    ----------
    study
        Labels: every respondent counts as an annotator. ``consilience.read(..., labels=True)``
        reads labels that are text.
    scale
        "nominal", "ordinal", "interval", "tree" or "auto"; see
        :func:`consilience.verdict.scales.on_scale`.
    tree
        The tree that the labels are places of, or anything that :func:`consilience.tree` takes.
    order
        The labels from low to high, where they are text with an order.
    level
        The coverage of intervals.
    seed
        The seed of chance.

    Raises
    ------
    UsageError
        If there are fewer than two annotators, if no item has two labels, if the scale does not
        fit the labels.

    Examples
    --------
    >>> import consilience as cs
    >>> votes = {"item": list("abcdef"), "ann": [1, 1, 0, 0, 1, 0], "ben": [1, 1, 0, 0, 0, 0]}
    >>> result = agree(cs.study(votes))
    >>> round(result.alpha.value, 4), round(result.percent.value, 4), result.scale.name
    (0.6857, 0.8333, 'nominal')
    """
    _check(study, level, seed)
    said = labels_of(study)
    _check_labels(said)
    known = None if tree is None else made_tree(tree)
    labels, chosen = on_scale(said, scale, tree=known, order=order)
    answers = labels.answers()
    several = np.flatnonzero(answers > 1)
    counts = counted(labels.item, labels.category, (len(labels.items), len(labels.categories)))
    pairable = counts[several]
    figures, samples, notes = figures_of(pairable, labels, chosen, level=level, seed=seed)
    confused = confusions(labels, known, LISTED)
    discussed, disputed = disputes(study, labels, chosen.metric, LISTED)
    return AnnotatorAgreement(
        study,
        labels,
        chosen,
        len(several),
        *figures,
        annotators=_annotators(labels, chosen, level),
        pairs=_pairs(labels, chosen),
        confusions=confused.first,
        agreed=tuple(confused.agreed.tolist()),
        tree_shares=confused.shares,
        discuss=tuple(discussed),
        disputed=disputed,
        level=level,
        seed=seed,
        samples=samples,
        notes=(*_notes(study, labels, chosen, confused.count, disputed), *notes),
    )


def _check(study: object, level: float, seed: int) -> None:
    fix = "make one with cs.read(files, labels=True) or cs.study(frame, labels=True)"
    check_equal(as_study(study, "agree", fix=fix), "agree")
    check_chance(level, seed)


def _check_labels(labels: Labels) -> None:
    if len(labels.annotators) < 2:
        who = f"only {quote(labels.annotators[0])}" if labels.annotators else "nobody"
        raise UsageError(
            f"agreement takes two annotators, and {who} labelled anything (fix: name a file for "
            "each, or one with a column annotator, or with a column for each annotator)"
        )
    if not (labels.answers() > 1).any():
        raise UsageError(
            f"no item was labelled by two annotators: {len(labels.items):,} items, "
            f"{len(labels.annotators):,} annotators (fix: see that they call the same item by the "
            "same name, and the same query, too)"
        )


def _annotators(labels: Labels, scale: Scale, level: float) -> tuple[Annotator, ...]:
    """Compare each annotator with the others; those who agree least come first."""
    found = against_rest(labels, scale.weighted[scale.kappa])
    typical = deviations(labels)
    count = np.bincount(labels.annotator, minlength=len(labels.annotators))
    known = found.kappa[~np.isnan(found.kappa)]
    middle = float(np.median(known)) if len(known) > 2 else -np.inf
    without = _without(labels, scale)
    made = []
    for k, name in enumerate(labels.annotators):
        n, kappa, error = int(found.n[k]), float(found.kappa[k]), float(found.error[k])
        spread = n >= FEWEST and error > 1e-12
        far = _half(error, n, 1 - (1 - level) / max(len(known), 1)) if spread else np.inf
        says = int(typical.says[k])
        met = (labels.categories[says], labels.categories[int(typical.others[k])])
        made.append(
            Annotator(
                name,
                int(count[k]),
                n,
                float(found.percent[k]),
                kappa,
                _interval(kappa, _half(error, n, level)) if spread else None,
                _why_no_kappa(n, kappa),
                bool(kappa + far < middle),
                None if without is None else float(without[k]),
                None if says < 0 else (*met, float(typical.share[k])),
            )
        )
    return tuple(sorted(made, key=lambda one: (one.kappa != one.kappa, one.kappa, one.name)))


def _half(error: float, n: int, level: float) -> float:
    """Half of Student's interval."""
    from scipy.special import stdtrit

    return float(-stdtrit(n - 1, (1 - level) / 2) * error)


def _interval(value: float, half: float) -> tuple[float, float]:
    return max(value - half, -1.0), min(value + half, 1.0)


def _why_no_kappa(n: int, kappa: float) -> str | None:
    if kappa == kappa:
        return None
    return "all labels are the same" if n else "nobody else labelled the same items"


def _without(labels: Labels, scale: Scale) -> NDArray[np.float64] | None:
    """α of all labels but each annotator's; None with many annotators."""
    size = len(labels.annotators)
    if size > WITHOUT:
        return None
    shape = (len(labels.items), len(labels.categories))
    found = np.full(size, np.nan)
    for k in range(size):
        rest = labels.annotator != k
        found[k] = alpha(counted(labels.item[rest], labels.category[rest], shape), scale.metric)
    return found


def _pairs(labels: Labels, scale: Scale) -> tuple[Pair, ...]:
    """Compare every two of the annotators with the most labels, in the order of their names."""
    count = np.bincount(labels.annotator, minlength=len(labels.annotators))
    busiest = sorted(range(len(count)), key=lambda k: (-count[k], labels.annotators[k]))[:PAIRED]
    chosen = sorted(busiest, key=lambda k: labels.annotators[k])
    found = pair_kappas(labels, chosen, list(scale.weighted.values()))
    names = [labels.annotators[k] for k in chosen]
    apart = len(labels.annotators) <= WITHOUT
    return tuple(
        Pair(
            names[a],
            names[b],
            int(n),
            float(percent),
            dict(zip(scale.weighted, map(float, kappa), strict=True)),
            None
            if n and kappa[0] == kappa[0]
            else "both gave all items the same label"
            if n
            else "no item was labelled by both",
        )
        for a, b, n, percent, *kappa in zip(
            *(found.a.tolist(), found.b.tolist(), found.n, found.percent, *found.kappa), strict=True
        )
        if n or apart
    )


def _notes(
    study: Study, labels: Labels, scale: Scale, confused: int, disputed: int
) -> tuple[str, ...]:
    notes = list(study.notes)
    single = int((labels.answers() == 1).sum())
    if single:
        said = "1 item has a single label: it counts" if single == 1 else ""
        notes.append(said or f"{single:,} items have a single label: they count")
        notes[-1] += " in no figure"
    if len(labels.annotators) > PAIRED:
        notes.append(
            f"pairs are those of the {PAIRED} annotators with the most labels, "
            f"of {len(labels.annotators):,}"
        )
    if len(labels.annotators) > WITHOUT:
        notes.append(
            f"with more than {WITHOUT} annotators, pairs without a common item are not listed, nor "
            "is α without each annotator"
        )
    for count, what in ((confused, "confusions"), (disputed, "items whose labels differ")):
        if count > LISTED:
            notes.append(f"of {count:,} {what} the first {LISTED:,} are kept")
    if scale.why.startswith("whole numbers"):
        notes.append("whole numbers are taken for an order; --scale nominal if they are codes")
    yes = len(labels.categories) == 1 and read_vote(labels.categories[0]) == 1
    lists = {"no"} == {*study.respondents.silence} and yes
    if lists:
        notes.append(
            "nobody said no: what a list leaves out counts as missing; write it as 0 if it was seen"
        )
    folded: dict[str, list[str]] = {}
    for name in labels.categories:
        folded.setdefault(name.casefold(), []).append(name)
    same = [" and ".join(map(repr, names)) for names in folded.values() if len(names) > 1]
    if same:
        notes.append(f"labels that differ in capitals only: {', '.join(same[:5])}")
    return tuple(notes)
