"""Pictures: the paper's figures, its formulas by hand, and a slice of the real pictures."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import product
from math import prod
from pathlib import Path

import pytest

import consilience as cs
from consilience.experiments.pictures import crowd as pictures_crowd
from consilience.experiments.pictures import experiment as pictures
from consilience.experiments.pictures import small as pictures_small
from consilience.experiments.pictures import small_told as pictures_small_told
from consilience.experiments.reproduced import Asked, Reproduced
from tests.shipped import SHIPPED

#: Categories of the slice.
SLICE = 3


@pytest.fixture(scope="module")
def small() -> pictures_small.Small:
    return pictures_small.compute(Asked())


@pytest.fixture(scope="module")
def ran() -> Reproduced:
    return pictures.run(Asked(size=SLICE))


def finding(ran: Reproduced, begin: str) -> bool | None:
    (one,) = [one for one in ran.findings if one.claim.startswith(begin)]
    return one.agrees


def test_the_papers_picture(small: pictures_small.Small) -> None:
    """§4: people by 2 subjects, crowd (below people) by 1, city by 2 of 5."""
    found = small.found.categorised.of("picture-01")
    assert {name: round(p, 9) for name, p in found.items() if name != "place"} == {
        "all": 1.0,
        "people": 0.6,
        "crowd": 0.2,
        "city": 0.4,
    }


def test_formulas_as_printed_fail_and_as_meant_hold(small: pictures_small.Small) -> None:
    """By hand: eq. 8 leaves people's 0.4 to the root; six were returned; |people| is 5.4."""
    by_name = {one.name: one for one in small.formulas}
    printed = {"eq. 8": 0.4, "eq. 11": 1 / 6, "eq. 12": 1 / 5.4, "eq. 13, 14": 1 + 0.6 + 0.2 + 0.8}
    for name, value in printed.items():
        assert by_name[name].printed == pytest.approx(value)
    assert by_name["eq. 1"].printed == pytest.approx(9 / 7)  # 7 are people to most, 2 more returned
    assert all(one.holds(one.meant) and not one.holds(one.printed) for one in small.formulas)


def test_precision_of_a_made_up_system_is_that_of_all_truths(small: pictures_small.Small) -> None:
    """Every one of the 2⁶ truths about what a system returned, gone through (eq. 10)."""
    known = small.found.categorised
    shares = dict(zip(known.items, known.dense(["people"])[:, 0].tolist(), strict=True))
    with Path(cs.example("pictures-results.csv")).open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["query"] == "people"]
    p = [shares[row["item"]] for row in rows if row["system"] == "colours"]
    masses: Counter[int] = Counter()
    for truth in product([0, 1], repeat=len(p)):
        masses[sum(truth)] += prod(a if t else 1 - a for a, t in zip(p, truth, strict=True))
    (one,) = [
        one
        for one in pictures_small_told.outcomes(small.found)
        if (one.system, one.query) == ("colours", "people")
    ]
    ours = one.values["precision"]
    assert dict(zip(ours.support.round(9), ours.mass, strict=True)) == pytest.approx(
        {round(k / len(p), 9): mass for k, mass in masses.items() if mass}
    )


def test_displacement_by_hand(small: pictures_small.Small) -> None:
    """a moved by 2 and b by 1; c and d stand at 4 and 5, at 6 and 5, or 50 places away."""
    assert pictures_small_told.worked(small) == pytest.approx(
        {"optimist": 2.8 + 0.7, "exact": 2.8 + 1.5 + 0.2, "pessimist": 2.8 + 35.0}
    )


def test_subjects_lists_hold_what_they_said() -> None:
    tree = cs.tree({"all": {"people": ["crowd"], "city": None}})
    rows = [
        {"item": "x", "subject": "ann", "category": "crowd"},
        {"item": "y", "subject": "ann", "category": "all"},
        {"item": "y", "subject": "bob", "category": "cannot tell"},
        {"item": "z", "subject": "bob", "category": "city"},
    ]
    lists = pictures_small.subjects_lists(tree, rows)
    assert list(zip(lists["query"], lists["subject"], lists["item"], strict=True)) == [
        ("people", "ann", "x"),
        ("city", "bob", "z"),
    ]


def test_the_tree_is_that_of_the_source() -> None:
    """Categories of a superclass by its number are those below one name."""
    data = pictures_crowd.load()
    folder = SHIPPED / "cifar100"
    with (folder / "cifar100_fine_to_coarse.csv").open(encoding="utf-8") as file:
        coarse = {int(row["fine"]): int(row["coarse"]) for row in csv.DictReader(file)}
    pairs = {
        (coarse[one["given_original_label"]], data.superclass(one["given_original_label_name"]))
        for one in data.pictures
    }
    assert len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs}) == 20
    assert len(data.categories) == 100
    assert len(data.pictures) == 2235


def test_answers_are_read_as_told() -> None:
    data = pictures_crowd.load()
    tree = cs.tree(dict(data.parent))
    (one,) = [one for one in data.pictures if one["id"] == 5]  # tulip or bee
    assert one["mturk"] == {"given": 2, "guessed": 2, "neither": 0, "both": 1}
    alone = pictures_crowd.Pictures((one,), data.parent, data.categories)
    shares = {
        reading: cs.categorise(pictures_crowd.answers(alone, tree, reading), tree).of("5")
        for reading in pictures_crowd.READINGS
    }
    assert shares["as told"] == pytest.approx(
        {"all": 1.0, "tulip": 0.4, "flowers": 0.4, "bee": 0.4, "insects": 0.4}
    )
    assert shares["both is half a vote each"]["bee"] == pytest.approx(0.5)
    assert data.above("seal", "otter") == "aquatic mammals"


def test_a_slice_of_the_real_pictures(ran: Reproduced) -> None:
    """The expected precision is the mean share of the answers, whatever the distributions say."""
    data = pictures_crowd.load(SLICE)
    means = []
    for category in data.categories:
        mine = [one for one in data.pictures if one["given_original_label_name"] == category]
        means.append(sum(one["mturk"]["given"] for one in mine) / 5 / len(mine))
    (table,) = [one for one in ran.tables if "CIFAR" in one.title]
    assert table.rows[0][0] == "3 categories: data set"
    assert table.rows[0][1] == pytest.approx(sum(means) / SLICE)
    assert finding(ran, "the root has always probability one")
    assert finding(ran, "eq. 8") is False
    assert finding(ran, "the picture of Figure 1")
    assert finding(ran, "distributions tell which system is better") is None


def test_one_category_alone() -> None:
    """One query: the pair over all queries is the pair on this one, and nothing is missing."""
    told = pictures.run(Asked(size=1))
    (listed,) = [one for one in told.tables if "those where the model does best" in one.title]
    (row,) = listed.rows
    assert row[0] == pictures_crowd.load(1).categories[0]
    (overall,) = [one for one in told.tables if "CIFAR" in one.title]
    assert (row[3], row[5]) == (overall.rows[0][7], overall.rows[1][7])  # F1 of both
    assert "nan" not in " ".join(one.ours for one in told.findings)


def test_it_says_what_is_made_up(ran: Reproduced) -> None:
    assert "made up" in ran.data
    assert all(len(one.rows) < 400 for one in ran.figures)
    assert ran.payload()["name"] == "pictures"
