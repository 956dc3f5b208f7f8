"""What Python users hold is looked at before it is read: bad data and bad options are told."""

from __future__ import annotations

import importlib
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from consilience.errors import UsageError, quote
from consilience.formats.objects import read
from consilience.given import kinds_within, numbers_of

cs: Any = importlib.import_module("consilience")  # types are not what is meant here
STUDY = cs.study({"item": ["a", "b"], "S1": [1, 0], "S2": [1, 1]})
TREE = [("a", "")]


def test_numbers_of_every_kind() -> None:
    given = [1, 0.5, True, None, pd.NA, Decimal("0.25"), Fraction(1, 2), np.float32(2)]
    found = [1, 0.5, 1, np.nan, np.nan, 0.25, 0.5, 2]
    np.testing.assert_array_equal(numbers_of(given, "scores"), found)
    np.testing.assert_array_equal(numbers_of(pd.Series([1, 2]), "scores"), [1, 2])


@pytest.mark.parametrize(
    "wrong", [[1, "x"], ["1"], [[1], [2, 3]], [10**400], {"a": 1}, "12", 3, [1j], None, [{}]]
)
def test_what_are_no_numbers(wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"^scores must be .*numbers, found .* \(fix: "):
        numbers_of(wrong, "scores")


def test_the_kinds_of_a_frame() -> None:
    frame = pd.DataFrame({"item": ["a"], "cell": [{"b": 1.5}]})
    assert {dict, float} <= kinds_within(frame, "answers")
    assert kinds_within(pl.DataFrame({"item": ["a"]}), "answers") == {pl.Series}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cs.rank(STUDY, samples="x"), "samples must be a whole number from 1, found 'x'"),
        (lambda: cs.rank(STUDY, measures=3), "measures are a list of names, found '3'"),
        (lambda: cs.study({"item": ["a"]}, columns=3), "columns are a dict of role → column"),
        (lambda: cs.study({"item": ["a"]}, columns={"item": 1}), "name both by text"),
        (lambda: cs.tree(TREE, columns=3), "columns are a dict of role → column, found '3'"),
        (lambda: cs.consensus(STUDY, weights={"S1": "x"}), "the weight of 'S1' must be from 0"),
        (lambda: cs.consensus(STUDY, weights=3), "weights are a dict of voter → number"),
        (lambda: cs.consensus(None), "a belief takes a study, found None"),
        (lambda: cs.with_families(STUDY, [("S1", "x")]), "families are a dict of system"),
        (lambda: cs.with_families(STUDY, {"S1": 3}), "the family of 'S1' is '3'"),
        (lambda: cs.with_collection(STUDY, None), "'None' is no collection"),
        (lambda: cs.with_collection(STUDY, [["a"]]), "is not the name of an item"),
        (lambda: cs.kendall(["a"], [1]), "scores must be numbers, found 'a'"),
        (lambda: cs.holm([0.1, "x"]), "p-values must be numbers, found 'x'"),
        (lambda: cs.paired_tests([[0.1]]), "differences must be a list of numbers"),
        (lambda: cs.fleiss_kappa([[1, 2], [3]]), "fix: give a row of counts for each item"),
        (lambda: cs.fleiss_kappa([[1, -2]]), "a count is a number from 0"),
        (lambda: cs.krippendorff_alpha([[["b"], ["c"]]]), "a label is text or a number"),
        (lambda: cs.cohen_kappa(3, ["a"]), "labels are a list, found '3'"),
        (lambda: cs.number_relevant(["x"]), "probabilities must be numbers, found 'x'"),
        (lambda: cs.expected_ap([2.0], [0.5]), "a probability must be in"),
        (lambda: cs.mixed([1], [1.0]), "a mixture takes distributions"),
        (lambda: cs.average_precision(["x"]), "relevance must be numbers, found 'x'"),
        (lambda: cs.average_precision([1, 0], total="x"), "the total is a number of items"),
        (lambda: cs.count_posterior(10**400, 1, 1), "tp must be a count from 0"),
        (lambda: cs.count_posterior(np.timedelta64(1), 1, 1), "tp must be a count from 0"),
        (lambda: cs.correlate({"A": 10**400}, {"A": 1}), "give finite numbers"),
        (lambda: cs.weighted_displacement([pd.NA, "a", "a"], ["a"]), "'<NA>' is no item"),
        (lambda: cs.by_bag({"A": ["\ud800"], "B": ["b"]}), "is not valid text"),
        (lambda: cs.tree({"a": np.array([1, 2])}), "a single name, found 'ndarray'"),
        (lambda: cs.segments([{"a": 1, "b": 2}], ["0 1 a"]), "is no segment"),
    ],
)
def test_bad_data_and_options_are_told(call: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        call()


def test_names_of_a_collection_may_be_numbers() -> None:
    study = cs.study({"item": [1, 2], "S": [1, 0]})
    assert cs.with_collection(study, [1, 2]) is study
    assert len(cs.with_collection(study, np.array([1, 2, 3])).items) == 3


def test_what_arrow_would_change_is_text() -> None:
    """Arrow makes 1 of a long 1.5 beside whole numbers, and ends the process on some mixtures."""
    (rows,) = read(
        {"item": ["a", "b"], "S": [np.longdouble("0.5"), 1]}, name="S", kind="system", columns={}
    )
    assert rows.vote is not None
    assert rows.vote.tolist() == [0.5, 1.0]


def test_missing_cells_beside_others_are_empty() -> None:
    given = {"item": ["a", 2, "c"], "S": ["yes", pd.NA, 0]}
    study = cs.study(given)
    assert study.answers.vote is not None
    np.testing.assert_array_equal(np.isnan(study.answers.vote).sum(), 1)


def test_a_name_that_cannot_be_written() -> None:
    class Unspeakable:
        def __repr__(self) -> str:
            raise RuntimeError("unspeakable")

    assert quote(Unspeakable()) == "'<Unspeakable>'"
    with pytest.raises(UsageError, match="a value of type Unspeakable cannot be written as text"):
        cs.study({"item": [Unspeakable()], "S": [1]})
