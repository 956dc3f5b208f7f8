"""Similarities of users and ours: what is checked, what is mended, what they are called."""

from __future__ import annotations

import json
import operator
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import UsageError
from consilience.match.characters import levenshtein
from consilience.match.kernel import Comparer, Many, comparer, objects, spans, table
from consilience.match.names import SIMILARITIES, similarity_by_name

CLOSE = {("a", "b"): 0.4, ("b", "a"): 0.8}


def one_way(a, b):
    return 1.0 if a == b else CLOSE.get((a, b), 0.0)


def near(a, b):
    """1 / (1 + distance) of anything that can be subtracted."""
    return 1 / (1 + float(np.abs(np.subtract(a, b)).sum()))


def plain(value):
    """A function that gives a value for two items, and 1 for one and itself."""
    return lambda a, b: 1.0 if a == b else value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2.0, "gives 2, and similarities lie in [0, 1] (fix: distances become similarities"),
        (1.001, "gives 1.001"),
        (float("nan"), "gives nan"),
        (float("inf"), "gives inf"),
        (-0.5, "gives -0.5, and similarities lie in [0, 1] (fix: cosines below 0 mean unrelated"),
        (-7.0, "gives -7, and similarities lie in [0, 1] (fix: distances become similarities"),
        (None, "gives 'None', which is no number"),
        ("0.5", "gives '0.5', which is no number"),
        ("alike", "gives 'alike', which is no number"),
        (b"1", "which is no number"),
        (1j, "gives '1j', which is no number"),
        ([0.5], "gives '[0.5]', which is no number"),
        (np.array([0.5, 0.2]), "gives '[0.5 0.2]', which is no number"),
    ],
)
@pytest.mark.parametrize("mode", ["concepts", "instances"])
def test_a_function_that_gives_something_else_is_refused(value, message, mode) -> None:
    with pytest.raises(UsageError) as error:
        cs.soft(["a"], ["b"], similarity=plain(value), mode=mode)
    assert message in str(error.value)
    assert "(fix: " in str(error.value)


@pytest.mark.parametrize(
    "value",
    [0.5, np.float32(0.5), np.float16(0.5), np.array(0.5), np.array([0.5]), np.array([[0.5]])],
)
def test_any_one_number_will_do(value) -> None:
    assert cs.soft(["a"], ["b"], similarity=plain(value)).recall == 0.5


def test_truth_values_are_numbers() -> None:
    assert cs.soft(["a", "b"], ["b", "c"], similarity=operator.eq).f1 == 0.5
    assert table(lambda a, b: a == b, "ab").tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_rounding_is_no_fault() -> None:
    found = table(plain(1 + 1e-12), "ab")
    assert found.max() == 1.0
    assert table(plain(-1e-12), "ab").min() == 0.0


def test_an_item_must_be_as_alike_as_can_be_to_itself() -> None:
    with pytest.raises(UsageError, match=r"percent gives 100 for 'a' and itself \(fix: a simil"):
        table(comparer(lambda a, b: 100.0 * (a == b), name="percent"), ["a", "b"])
    with pytest.raises(UsageError, match=r"gives 0\.5 for 'b' and itself"):
        table(lambda a, b: 0.5 if b == "b" else 1.0, ["a"], ["b"])
    with pytest.raises(UsageError, match="gives nan for 'a' and itself"):
        table(lambda a, b: float("nan"), ["a"])


def test_what_is_not_symmetric_is_averaged_and_said() -> None:
    how = comparer(one_way)
    found = table(how, ["a", "b", "c"])
    assert found.tolist() == [[1, pytest.approx(0.6), 0], [pytest.approx(0.6), 1, 0], [0, 0, 1]]
    assert how.repairs == {"one-way is not symmetric: both ways were averaged"}
    for mode in ("concepts", "instances"):
        payload = cs.soft(["a"], ["b"], similarity=one_way, mode=mode).payload()
        assert payload["recall"] == pytest.approx(0.6)
        assert payload["similarity"]["repairs"] == [*how.repairs]
        assert next(iter(how.repairs)) in payload["notes"]
    same = cs.soft(["a"], ["a"], similarity=one_way).payload()
    assert same["similarity"]["repairs"] == []


def test_repairs_reach_a_ranking() -> None:
    study = cs.study({"s": {"q": ["b"]}, "t": {"q": ["c"]}}, truth={"q": ["a"]})
    made = cs.rank(study, match=cs.soft_matching(one_way)).payload()["matching"]
    assert made["repairs"] == ["one-way is not symmetric: both ways were averaged"]
    assert made["similarity"] == "one-way"


def test_users_errors_are_theirs() -> None:
    with pytest.raises(ZeroDivisionError):
        table(lambda a, b: 1 / 0, ["a"])
    with pytest.raises(UsageError, match="'7' is not a similarity"):
        comparer(7)  # type: ignore[arg-type]


def test_a_function_of_the_users_with_a_setting_of_ours() -> None:
    """STORM's raw cosines are a setting of our similarities, not of any function's."""

    def mine(a, b, clip=True):
        assert clip
        return float(a == b)

    assert cs.soft(["a"], ["a", "b"], similarity=mine, variant="storm").precision == 0.5


@pytest.mark.parametrize("kind", [np.array, list, tuple])
def test_items_of_any_kind(kind) -> None:
    gold = [kind([0, 0]), kind([4, 0])]
    predicted = [kind([0, 0]), kind([4, 1]), kind([9, 9])]
    result = cs.soft(gold, predicted, similarity=near)
    assert result.recall == pytest.approx(0.75, abs=0.03)
    payload = json.loads(json.dumps(result.payload(), allow_nan=False))
    assert (payload["of"], payload["text"]) == ("text", None)
    assert payload["sizes"] == {"gold": 2, "predicted": 3}
    assert len(payload["pairs"]) >= 2
    matched = cs.soft(gold, predicted, similarity=near, mode="instances", floor=0.4)
    assert matched.recall == pytest.approx(0.75)


def test_rows_of_an_array_are_items() -> None:
    assert cs.soft(np.eye(3), np.eye(3)[:2], similarity=near, floor=0.5).recall == pytest.approx(
        2 / 3
    )


def test_what_cannot_be_hashed_is_compared_all_the_same() -> None:
    """The same list on both sides is two items, wholly alike."""
    lists = cs.soft([[1, 2]] * 3, [[1, 2]], similarity=near)
    tuples = cs.soft([(1, 2)] * 3, [(1, 2)], similarity=near)
    assert (lists.precision, lists.recall) == (tuples.precision, tuples.recall) == (1, 1)


@pytest.mark.parametrize(
    "items",
    [
        [(1, 2), (3, 4)],
        [[1, 2], [3, 4]],
        [np.arange(2), np.arange(2)],
        [np.eye(2), np.eye(2)],
        [np.arange(2), "text", None],
        ["a\x00", ""],
        [],
    ],
)
def test_objects_stay_as_they_are(items) -> None:
    held = objects(items)
    assert held.shape == (len(items),)
    assert all(one is other for one, other in zip(held, items, strict=True))


# floors ----------------------------------------------------------------------------------------


def test_what_is_at_the_floor_counts() -> None:
    words = ["abcd", "abce", "abxy"]
    assert table(levenshtein, words, floor=0.75)[0].tolist() == [1, 0.75, 0]
    assert table(levenshtein, words, floor=0.5)[0].tolist() == [1, 0.75, 0.5]
    assert cs.soft(["abcd"], ["abce"], floor=0.75).recall == 0.75
    assert cs.soft(["abcd"], ["abce"], floor=0.7500001).recall == 0
    third = cs.soft(["abc"], ["abd"], floor=2 / 3)  # rounding must not matter
    assert third.recall == pytest.approx(2 / 3)


def test_the_mean_of_both_ways_must_reach_the_floor() -> None:
    """One way alone may be below it: a similarity that spares itself what is below must not."""

    def compare(rows, columns, *, floor):
        found = np.array([[one_way(a, b) for b in columns] for a in rows])
        return np.where(found < floor, 0.0, found)

    how = Comparer("one-way", one_way, Many(objects, compare, symmetric=False), {})
    assert table(how, ["a"], ["b"], floor=0.5)[0, 0] == pytest.approx(0.6)
    assert table(how, ["a"], ["b"], floor=0.7)[0, 0] == 0


@given(st.lists(st.text("abcd", min_size=1, max_size=5), max_size=6), st.floats(0, 1))
def test_a_floor_takes_away_what_is_below(words, floor) -> None:
    free, cut = table(levenshtein, words), table(levenshtein, words, floor=floor)
    np.testing.assert_array_equal(cut, np.where(free < floor - 1e-9, 0.0, free))


def test_spans_part_a_length() -> None:
    assert [*spans(0)] == []
    assert [*spans(5, 2)] == [slice(0, 2), slice(2, 4), slice(4, 5)]


# names -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *SIMILARITIES,
        "jaccard:q=3",
        "jaccard:q=2,bag=yes",
        "jaccard:bag=no",
        "monge-elkan:inner=jaro-winkler",
        "monge-elkan:inner=jaccard:q=2",
        "vectors:of=word vectors.txt",
        "jaro-winkler:prefix=0.05",
        "c-sim:cell=12.3456789",
    ],
)
def test_names_print_as_they_are_read(name) -> None:
    once = comparer(similarity_by_name(name)).name
    assert once == name
    assert comparer(similarity_by_name(once)).name == once


@pytest.mark.parametrize(
    ("name", "printed"),
    [(" Levenshtein ", "levenshtein"), ("jaro_winkler", "jaro-winkler"), ("jaccard: q = 3", None)],
)
def test_names_are_read_generously(name, printed) -> None:
    result = cs.soft(["a"], ["a"], similarity=name)
    assert result.payload()["similarity"]["name"] == (printed or "jaccard:q=3")
    assert cs.soft_matching(name).how.name == (printed or "jaccard:q=3")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "unknown similarity ''"),
        ("levenstein", "did you mean 'levenshtein'?"),
        ("jaccard:q", "'q' sets nothing (fix: write NAME=VALUE"),
        ("jaccard:q=", "sets nothing"),
        ("jaccard:q=x", "jaccard: q is a whole number, found 'x'"),
        ("jaccard:q=2.5", "jaccard: q is a whole number, found '2.5'"),
        ("jaccard:bag=perhaps", "jaccard: bag is yes or no, found 'perhaps'"),
        ("jaccard:size=3", "unknown setting of jaccard 'size'"),
        ("monge-elkan:inner=nothing", "unknown similarity 'nothing'"),
        ("jaro-winkler:prefix=much", "jaro-winkler: prefix is a number, found 'much'"),
    ],
)
def test_wrong_names_and_settings(name, message) -> None:
    with pytest.raises(UsageError) as error:
        cs.soft(["a"], ["a"], similarity=name)
    assert message in str(error.value)


def test_settings_bound_in_python_are_named() -> None:
    def mine(a, b, *, how_much=1.0, kind="x"):
        return float(a == b)

    assert comparer(partial(mine, how_much=0.25)).name == "mine:how_much=0.25"
    assert comparer(partial(partial(mine, kind="y"), how_much=0.5)).name == (
        "mine:kind=y,how_much=0.5"
    )
    assert comparer(partial(lambda x, a, b: 1.0, 3)).name == "partial"
    assert comparer(operator.eq).name == "eq"
    many = {f"word {place}": [1.0, 2.0] for place in range(1000)}
    assert comparer(partial(cs.similarity.vectors, of=many)).name == "vectors:of=1,000 vectors"


def test_settings_reach_the_function() -> None:
    def mine(a, b, *, other=0.1):
        return 1.0 if a == b else other

    assert cs.soft(["a"], ["b"], similarity=partial(mine, other=0.3)).recall == 0.3
    bigrams = partial(cs.similarity.jaccard, q=2)
    assert table(bigrams, ["night"], ["nacht"])[0, 0] == pytest.approx(1 / 7)
    assert comparer(bigrams).trusted


def test_the_namespace_has_them_all() -> None:
    assert {name.replace("-", "_") for name in SIMILARITIES} <= {*dir(cs.similarity)}
    for name in dir(cs.similarity):
        assert callable(getattr(cs.similarity, name))
    with pytest.raises(AttributeError, match="nothing"):
        cs.similarity.nothing  # noqa: B018
