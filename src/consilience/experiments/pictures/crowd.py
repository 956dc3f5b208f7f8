"""Santini's §4 on real people: 2,235 pictures of CIFAR-100, five votes each.

The workers of the study saw a picture, the label that the data set gives it and the one that a
model guesses, and said *given*, *guessed*, *both* or *neither*. That becomes an assignment to a
category of CIFAR-100's tree (100 categories, 20 superclasses, ``all``):

==========  ====================================================================================
*given*     the given category
*guessed*   the guessed category
*both*      the lowest category that holds the two: their superclass, or ``all``
*neither*   ``all``: the picture shows something, and neither of the two
==========  ====================================================================================

*both* and *neither* could be read otherwise; :data:`READINGS` are computed beside. Two retrieval
systems are compared: the data set's labels and the model's guesses. Each answers "pictures of x"
with the pictures that it labels x, in no order.

Only how many workers chose each answer is known, not who they are: subjects are numbered within a
picture, and figures of single subjects mean nothing. Figures that do not ask who it was (shares,
distributions, α) are the same for every numbering.

References
----------
.. [1] C. Northcutt, A. Athalye and J. Mueller, "Pervasive label errors in test sets destabilize
   machine learning benchmarks", 2021; data: cleanlab/label-errors.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from consilience import progress
from consilience.experiments.reproduced import Asked

if TYPE_CHECKING:
    from consilience.measures.scores import Scores
    from consilience.study import Study
    from consilience.study.taxonomy import Tree
    from consilience.verdict.annotators import AnnotatorAgreement
    from consilience.verdict.categorised import TreeResult
    from consilience.verdict.uncertain import Distributions

#: Our names of the two systems, and where their labels stand in the source.
SYSTEMS = {"data set": "given_original_label_name", "model": "our_guessed_label_name"}
ROOT = "all"
#: Ways to read *both* and *neither*; the first one counts, the others are computed beside.
READINGS = {
    "as told": ("above", ROOT),
    "neither is no answer": ("above", "cannot tell"),
    "both is half a vote each": ("half", ROOT),
}
#: Truths drawn for readings beside the first one.
FEWER = 500


@dataclass(frozen=True, slots=True)
class Pictures:
    """Pictures, and the tree of their categories: child → parent, None above the root."""

    pictures: tuple[Mapping[str, Any], ...]
    parent: Mapping[str, str | None]
    categories: tuple[str, ...]

    def above(self, a: str, b: str) -> str:
        """Give the lowest category that holds two."""
        return self.parent[a] or ROOT if self.parent[a] == self.parent[b] else ROOT

    def superclass(self, category: str) -> str:
        """Give the superclass of a category."""
        return self.parent[category] or ROOT


@dataclass(frozen=True, slots=True)
class Crowd:
    """What the people's answers make of the two systems.

    ``fine`` asks for the categories, ``coarse`` for the superclasses; ``strong`` takes what at
    least three of five said for the truth. ``readings`` holds the systems under other readings.
    """

    data: Pictures
    fine: TreeResult
    coarse: TreeResult
    strong: Scores
    readings: dict[str, Distributions]
    agreement: AnnotatorAgreement


def load(size: int | None = None) -> Pictures:
    """Read the pictures; with ``size`` only so many categories, and the pictures labelled so."""
    import csv

    folder = resources.files("consilience.experiments") / "data" / "cifar100"
    packed = (folder / "cifar100_mturk.json.gz").read_bytes()
    pictures = json.loads(gzip.decompress(packed))
    rows = csv.DictReader((folder / "tree.csv").read_text(encoding="utf-8").splitlines())
    parent = {row["category"]: row["parent"] or None for row in rows}
    leaves = sorted({*parent} - {*parent.values()})
    chosen = leaves[:size]
    kept = [one for one in pictures if {one[key] for key in SYSTEMS.values()} & {*chosen}]
    return Pictures(tuple(kept), parent, tuple(chosen))


def compute(asked: Asked) -> Crowd:
    """Compute both systems' distributions under the people's answers."""
    import consilience as cs

    data = load(asked.size)
    tree = cs.tree(dict(data.parent))
    first, *others = READINGS
    said = answers(data, tree, first)
    progress.report(1, 6)
    fine = cs.by_tree(said, tree=tree, results=results(data, coarse=False), seed=asked.seed)
    progress.report(2, 6)
    coarse = cs.by_tree(said, tree=tree, results=results(data, coarse=True), seed=asked.seed)
    readings: dict[str, Distributions] = {first: _found(fine)}
    for place, name in enumerate(others, start=3):
        progress.report(place, 6)
        again = answers(data, tree, name)
        one = cs.by_tree(
            again,
            tree=tree,
            results=results(data, coarse=False),
            draws=FEWER,
            seed=asked.seed,
        )
        readings[name] = _found(one)
    agreement = cs.agree(said, tree=tree, seed=asked.seed)
    progress.report(6, 6)
    return Crowd(data, fine, coarse, _strong(data, fine), readings, agreement)


def _found(result: TreeResult) -> Distributions:
    assert result.found is not None  # results were given
    return result.found


def answers(data: Pictures, tree: Tree, reading: str) -> Study:
    """Turn votes into assignments: a row for every picture, subject and category."""
    import consilience as cs

    both, neither = READINGS[reading]
    rows: dict[str, list[str]] = {"item": [], "subject": [], "category": []}
    for one in data.pictures:
        for number, category in enumerate(_said(data, one, both, neither), start=1):
            rows["item"].append(str(one["id"]))
            rows["subject"].append(str(number))
            rows["category"].append(category)
    return cs.assignments(rows, tree=tree)


def _said(data: Pictures, picture: Mapping[str, Any], both: str, neither: str) -> list[str]:
    """Give every subject's category; where votes are halved, every subject's twice."""
    given, guessed = (picture[key] for key in SYSTEMS.values())
    above = data.above(given, guessed)
    halves = {
        "given": [given, given],
        "guessed": [guessed, guessed],
        "both": [given, guessed] if both == "half" else [above, above],
        "neither": [neither, neither],
    }
    each = 2 if both == "half" else 1
    return [
        category
        for vote, pair in halves.items()
        for _ in range(picture["mturk"][vote])
        for category in pair[:each]
    ]


def results(data: Pictures, *, coarse: bool) -> Study:
    """Give what each system returns for each category: the pictures that it labels so."""
    import consilience as cs

    classes = {data.superclass(name) for name in data.categories}
    rows: dict[str, list[str]] = {"system": [], "query": [], "item": []}
    for system, key in SYSTEMS.items():
        for one in data.pictures:
            query = data.superclass(one[key]) if coarse else one[key]
            if query in (classes if coarse else data.categories):
                for name, value in zip(rows, (system, query, str(one["id"])), strict=True):
                    rows[name].append(value)
    return cs.study(rows)


def _strong(data: Pictures, fine: TreeResult) -> Scores:
    """Score both systems by one truth: a picture is what at least three of five people said."""
    import consilience as cs

    known = fine.categorised
    shares = known.dense(data.categories)
    truth = {
        query: {known.items[row]: 1 for row in (shares[:, column] >= 0.5).nonzero()[0].tolist()}
        for column, query in enumerate(data.categories)
    }
    study = results(data, coarse=False)
    told: dict[str, dict[str, Sequence[str]]] = {}
    for system, key in SYSTEMS.items():
        told[system] = {
            query: [str(one["id"]) for one in data.pictures if one[key] == query]
            for query in study.queries
        }
    return cs.score(cs.study(told, truth=truth), measures=["P", "R", "F1"])
