"""The small study of Santini's §4 and §5: 20 pictures, 5 people, a tree of categories.

Of the paper's own study one picture is published: *people* by 2 subjects, *crowd* by 1, *city* by
2. It is the first picture of the bundled study; the other 19 pictures, their answers and the three
systems are made up, in the paper's size, so that every formula of the paper can be computed. They
show how the method works, and say nothing about real people or systems.

Conventions
-----------
- Where the paper prints a formula that cannot be meant (eq. 1, 8, 11, 12, 13), both are computed:
  as printed, and as meant. What must hold tells the two apart.
- For §5 each subject's own list is read off the same answers: the pictures that the subject put
  into the category, or below it, all of relevance 1. Their order is open, and taken as it suits
  each system best.

References
----------
.. [1] S. Santini, "Benchmarking without ground truth", §4 (eq. 6–14) and §5 (eq. 15–23).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from consilience.experiments.reproduced import Asked

if TYPE_CHECKING:
    from consilience.belief.categories import Categorised
    from consilience.measures.displaced import Displacement
    from consilience.study.taxonomy import Tree
    from consilience.verdict.categorised import TreeResult

#: The picture that the paper tells about, and how many of five subjects chose which category.
PICTURE = "picture-01"
ANSWERS = {"people": 2, "crowd": 1, "city": 2}
#: The categories that systems were asked for, beside the picture.
CATEGORIES = ("people", "city")
#: The system whose answer shows what formulas give.
SHOWN = "shapes"
#: The size of the collection; and a large one, for what the paper says of N ≫ m.
SIZE, LARGE = 20, 20_000
#: §5 by hand: one subject's relevances, what a system returns, how its list would go on, and the
#: size of the collection.
SUBJECT = {"a": 1.0, "b": 0.8, "c": 0.5, "d": 0.2}
RETURNED, LONGER, FIFTY = "bxa", "bxaydc", 50
#: Rows of a table, as they stand in a file.
Rows: TypeAlias = "list[dict[str, str]]"


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula of the paper: what must hold, its value as printed, and its value as meant."""

    name: str
    must: str
    as_printed: str
    as_meant: str
    printed: float
    meant: float
    lowest: float = 1.0

    def holds(self, value: float) -> bool:
        """Tell whether a value is what it must be: 1, or between the lowest one and 1."""
        return self.lowest - 1e-9 <= value <= 1 + 1e-9


@dataclass(frozen=True, slots=True)
class Small:
    """What the small study gives: beliefs and distributions, formulas as printed, displacement.

    ``near`` and ``far`` are displacements with a collection of its own size and with a large one;
    ``hand`` is the example by hand, ``longer`` the same where the system was asked for more.
    """

    found: TreeResult
    formulas: tuple[Formula, ...]
    eq8: dict[str, float]
    near: dict[str, Any]
    far: dict[str, Any]
    hand: Displacement
    longer: Displacement


def compute(asked: Asked) -> Small:
    """Read the bundled study and compute everything that the paper defines."""
    import consilience as cs

    tree = cs.tree(cs.example("pictures-tree.csv"))
    said = cs.read_assignments(cs.example("pictures-assignments.csv"), tree=tree)
    results = cs.example("pictures-results.csv")
    found = cs.by_tree(said, tree=tree, results=results, seed=asked.seed)
    answers, returned = (_rows(f"pictures-{name}.csv") for name in ("assignments", "results"))
    eq8 = eq8_as_printed(found.categorised, PICTURE)
    given = [row for row in returned if row["query"] in CATEGORIES]
    systems = {key: [row[key] for row in given] for key in ("system", "query", "rank", "item")}
    study = cs.study(systems, truth=subjects_lists(tree, answers))
    near, far = (
        cs.displacement(study, collection=size, subject_ties="best", seed=asked.seed).payload()
        for size in (SIZE, LARGE)
    )
    answer = {row["item"] for row in given if (row["system"], row["query"]) == (SHOWN, "people")}
    return Small(
        found,
        formulas(found, answer, root=eq8["all"]),
        eq8,
        near,
        far,
        cs.weighted_displacement(SUBJECT, list(RETURNED), collection=FIFTY),
        cs.weighted_displacement(SUBJECT, iter(LONGER), collection=FIFTY),
    )


def _rows(name: str) -> Rows:
    import csv
    from pathlib import Path

    import consilience as cs

    with Path(cs.example(name)).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def eq8_as_printed(known: Categorised, item: str) -> dict[str, float]:
    """Give eq. 8 word by word: what was put into a category itself, and *directly* into children.

    The recursion that the text means ("from the bottom up") adds what lies below the children.
    """
    tree = known.tree
    direct = known.of(item, weights="direct")
    made = {name: direct.get(name, 0.0) for name in tree.names}
    for name, share in direct.items():
        for parent in tree.parents[tree.code(name)]:
            made[tree.names[parent]] += share
    return made


def formulas(found: TreeResult, answer: set[str], *, root: float) -> tuple[Formula, ...]:
    """Compute the paper's formulas as printed and as meant, for what one system returned."""
    import consilience as cs

    known = found.categorised
    shares = dict(zip(known.items, known.dense(["people"])[:, 0].tolist(), strict=True))
    truth = {name for name, p in shares.items() if p >= 0.5}
    mass = float(cs.number_relevant([shares[name] for name in answer]).mass.sum())
    size = float(known.size[known.tree.code("people")])
    inclusive = sum(known.of(PICTURE).values())
    root_meant, mixed = known.of(PICTURE)["all"], sum(found.mixtures[PICTURE].values())
    union, common = len(answer | truth) / len(truth), len(answer & truth) / len(truth)
    one = "masses sum to 1"
    weights = "weights of a mixture sum to 1"
    return (
        Formula(
            "eq. 1", "recall is at most 1", "|A ∪ V| / |V|", "|A ∩ V| / |V|", union, common, 0.0
        ),
        Formula("eq. 8", "the root has 1", "children, direct", "children, p", root, root_meant),
        Formula("eq. 11", one, "p(k) / n", "p(k)", mass / len(answer), mass),
        Formula("eq. 12", one, "p(k) / |ω|", "p(k)", mass / size, mass),
        Formula("eq. 13, 14", weights, "p(ω|q)", "p'(ω|q)", inclusive, mixed),
    )


def subjects_lists(tree: Tree, answers: Rows) -> dict[str, list[Any]]:
    """Read each subject's list for each category off the answers: relevance 1, in no order."""
    lists: dict[str, list[Any]] = {key: [] for key in ("query", "subject", "item", "relevance")}
    for asked in CATEGORIES:
        for row in answers:
            if row["category"] in tree.names and asked in _up(tree, row["category"]):
                told = (asked, row["subject"], row["item"], 1.0)
                for key, value in zip(lists, told, strict=True):
                    lists[key].append(value)
    return lists


def _up(tree: Tree, name: str) -> set[str]:
    """Give a category and all above it."""
    return {name}.union(*(_up(tree, tree.names[one]) for one in tree.parents[tree.code(name)]))
