"""What is said of aligned sequences: the headline, and the notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from consilience.match.profiles import layers_of

if TYPE_CHECKING:
    from consilience.match.progressive import Alignment
    from consilience.match.sequences import Sequences
    from consilience.measures.scores import Scores
    from consilience.study import Study
    from consilience.verdict.aligned import Chosen, Pair

#: Marks of a column: all sources have the same token, more than half of them, or fewer.
ALL, MOST, FEW = "*", ":", "."


def marks_of(alignment: Alignment) -> str:
    """Mark each column as Clustal does: * all the same, : more than half, . fewer.

    Examples
    --------
    >>> from consilience.match.progressive import align_tokens
    >>> marks_of(align_tokens({"a": ["one", "to", "it"], "b": ["one", "to"], "c": ["one"]}))
    '*:.'
    """
    most = layers_of(alignment.columns).counts[0]
    size = len(alignment.names)
    return "".join(np.where(most == size, ALL, np.where(2 * most > size, MOST, FEW)).tolist())


def compared(alignments: Sequence[Alignment]) -> list[Alignment]:
    """Give the documents that more than one source has: nobody agrees alone."""
    return [one for one in alignments if len(one.names) > 1]


def headline_of(
    found: Sequences,
    alignments: Sequence[Alignment],
    pairs: Sequence[Pair],
    by_place: Scores,
    bag: Scores,
    caveat: str | None,
) -> str:
    """Say how much the sources agree, who is nearest, who differs most, and who leads."""
    marks = "".join(marks_of(one) for one in compared(alignments))
    columns, agreed = len(marks), marks.count(ALL)
    share = f" ({agreed / columns:.1%})" if columns else ""
    who = _several(len(found.systems), "source") + (" and the truth" if found.gold else "")
    said = [
        f"{who}, {_several(len(found.documents), 'document')}: of {_several(columns, 'column')} "
        f"all agree on {agreed:,}{share}."
    ]
    among = [pair for pair in pairs if not {pair.a, pair.b} & {*found.gold}]
    if len(found.systems) > 2 and among:
        near = nearest(among)
        said.append(
            f"Nearest to each other are {near.a} and {near.b} (agreement {near.agreement:.4f});"
        )
        name, value = differs_most(found, among)
        said.append(f"{name} differs most from the others ({value:.4f} on average).")
    return " ".join([*said, _leader(by_place, bag, caveat)]).strip()


def _several(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def nearest(pairs: Sequence[Pair]) -> Pair:
    """Give the pair that agrees most; of equals the first."""
    return max(pairs, key=lambda pair: pair.agreement)


def differs_most(found: Sequences, pairs: Sequence[Pair]) -> tuple[str, float]:
    """Give the system whose mean agreement with the other systems is lowest."""
    means = {name: mean_agreement(name, pairs) for name in found.systems}
    known = {name: mean for name, mean in means.items() if mean is not None}
    name = min(known, key=lambda one: known[one])
    return name, known[name]


def mean_agreement(name: str, pairs: Sequence[Pair]) -> float | None:
    """Average a source's agreement with the others of some pairs."""
    mine = [pair.agreement for pair in pairs if name in (pair.a, pair.b)]
    return sum(mine) / len(mine) if mine else None


def _leader(by_place: Scores, bag: Scores, caveat: str | None) -> str:
    """Say who leads by position, and by bag."""
    values = {name: by_place[name]["F1"].value for name in by_place.systems}
    known = {name: value for name, value in values.items() if not np.isnan(value)}
    if not known:
        return ""
    if len(values) == 1:
        ((name, value),) = known.items()
        return f"{name} has F1 {value:.4f} by position{_as_bag(bag, name)}."
    best = max(known, key=lambda name: known[name])
    also = [name for name in known if name != best and known[name] == known[best]]
    who = " and ".join([best, *also]) if len(also) < 3 else f"{best} and {len(also)} others"
    figures = f"{known[best]:.4f} by position{_as_bag(bag, best)}"
    if caveat is None:
        return f"Against the truth {who} {'have' if also else 'has'} the highest F1: {figures}."
    agree = "agree" if also else "agrees"
    return f"With their consensus {who} {agree} most (F1 {figures}); {caveat}."


def _as_bag(bag: Scores, name: str) -> str:
    value = bag[name]["F1"].value
    return "" if np.isnan(value) else f", {value:.4f} as a bag"


def notes_of(
    found: Sequences, study: Study, chosen: Chosen, alignments: Sequence[Alignment]
) -> list[str]:
    """Say what a reader should know of these figures."""
    notes = list(study.notes)
    lacking = {
        name: sum((name, document) not in found.tokens for document in found.documents)
        for name in found.names
    }
    for name, number in lacking.items():
        if number:
            which = f"{number:,} of {len(found.documents):,} documents"
            counts = "is known only for the rest" if name in found.gold else "it counts as missing"
            notes.append(f"{name} has no text for {which}: {counts}")
    if not found.gold and len(found.systems) == 2:
        notes.append(
            "two sources cannot outvote each other: against their consensus the shorter has the "
            "higher precision and the longer the higher recall, whatever they read"
        )
    if chosen.per == "column":
        notes.append("an item is a column: any token in it counts, the right one or not")
    if any(one.edits is None for one in alignments):
        notes.append(
            "there are too many sources to compare all pairs directly: the guide tree rests on "
            "shared tokens, and edits are counted in the alignment"
        )
    return notes
