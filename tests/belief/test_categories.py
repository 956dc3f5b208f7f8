"""Belief from a tree: the paper's picture, brute force, laws, and five people's word on CIFAR."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.belief.categories import Weights, belief_of_names
from tests.study.trees import ancestors, dags

CIFAR = Path(__file__).parent.parent / "data" / "cifar100"
TREE = cs.tree({"all": {"people": {"crowd": {}}, "city": {}}})
Said = list[tuple[str, str, str]]


def rows(said: Said) -> dict[str, list[str]]:
    """Write (item, subject, category) as columns."""
    return {
        name: [row[place] for row in said]
        for place, name in enumerate(("item", "subject", "label"))
    }


def categorised(said: Said, tree: cs.Tree) -> cs.Categorised:
    return cs.categorise(cs.assignments(rows(said), tree=tree), tree)


def brute(said: Said, tree: cs.Tree, item: str) -> dict[str, float]:
    """Count the subjects of every category and of what lies above it, one by one."""
    count: Counter[str] = Counter()
    told = [tree.code(category) for name, _, category in said if name == item and category]
    for code in told:
        for above in ancestors(tree, code):
            count[tree.names[above]] += 1
    return {name: float(Fraction(count[name], len(told))) for name in tree.names if count[name]}


@st.composite
def assigned(draw: st.DrawFn, several: bool = True) -> tuple[Said, cs.Tree]:
    """Draw a tree or DAG, and what up to five subjects say of up to four items."""
    tree = draw(dags(several=several))
    answer = st.sampled_from(["", *tree.names])
    said = [
        (f"x{item}", f"s{subject}", draw(answer))
        for item in range(draw(st.integers(1, 4)))
        for subject in range(draw(st.integers(1, 5)))
    ]
    return draw(st.permutations(said)), tree


PICTURE = [
    ("picture", str(number), category)
    for number, category in enumerate(["people", "people", "crowd", "city", "city"])
]


def test_the_papers_picture() -> None:
    found = categorised(PICTURE, TREE)
    assert found.of("picture") == {"all": 1.0, "people": 0.6, "crowd": 0.2, "city": 0.4}
    assert found.of("picture", weights="direct") == {"people": 0.4, "crowd": 0.2, "city": 0.4}
    assert found.size.tolist() == [1.0, 0.6, 0.2, 0.4]
    assert cs.mixture(found, "picture") == {"people": 0.4, "crowd": 0.2, "city": 0.4}
    whole = 1.0 + 0.6 + 0.2 + 0.4
    assert cs.mixture(found, "picture", weights="inclusive") == pytest.approx(
        {"all": 1 / whole, "people": 0.6 / whole, "crowd": 0.2 / whole, "city": 0.4 / whole}
    )


@given(assigned())
def test_matrices_say_what_counting_says(case: tuple[Said, cs.Tree]) -> None:
    said, tree = case
    found = categorised(said, tree)
    for place, item in enumerate(found.items):
        told = [category for name, _, category in said if name == item and category]
        assert found.answers[place] == len(told)
        if told:
            assert found.of(item) == brute(said, tree, item)
            direct = found.of(item, weights="direct")
            assert direct == {n: told.count(n) / len(told) for n in tree.names if n in told}
            assert sum(direct.values()) == pytest.approx(1)
        else:
            assert np.isnan(found.dense()[place]).all()
    assert found.unanswered == sum(not any(c for n, _, c in said if n == i) for i in found.items)
    assert found.size == pytest.approx(np.nansum(found.dense(), axis=0))


@given(assigned())
def test_no_child_is_more_probable_than_its_parent(case: tuple[Said, cs.Tree]) -> None:
    said, tree = case
    p = categorised(said, tree).dense()
    p = p[~np.isnan(p).any(axis=1)]
    assert ((p >= 0) & (p <= 1)).all()
    for code, above in enumerate(tree.parents):
        for parent in above:
            assert (p[:, parent] >= p[:, code]).all()


@given(assigned(several=False))
def test_roots_share_what_was_said_and_a_tree_is_a_dag(case: tuple[Said, cs.Tree]) -> None:
    said, tree = case
    found = categorised(said, tree)
    answered = found.dense()[found.answers > 0]
    assert answered[:, tree.roots].sum(axis=1) == pytest.approx(np.ones(len(answered)))
    if len(tree.roots) == 1:
        assert (answered[:, tree.roots[0]] == 1.0).all()
    dag = cs.Tree(tree.names, tree.parents, dag=True)
    assert np.array_equal(categorised(said, dag).dense(), found.dense(), equal_nan=True)


@given(assigned())
def test_order_and_names_do_not_matter(case: tuple[Said, cs.Tree]) -> None:
    said, tree = case
    found = categorised(said, tree)
    again = categorised(said[::-1], tree)
    assert again.by_item() == {item: found.of(item) for item in again.items}
    new = {name: f"_{name}" for name in tree.names}
    called = cs.Tree(tuple(new.values()), tree.parents, tree.dag)
    other = [(f"i {x}", f"who {s}", new.get(c, "")) for x, s, c in said]
    assert categorised(other, called).by_item() == {
        f"i {item}": {new[name]: p for name, p in shares.items()}
        for item, shares in found.by_item().items()
    }


def test_a_star_has_nothing_but_direct_shares() -> None:
    star = cs.tree({"all": ["a", "b", "c"]})
    said = [("x", "1", "a"), ("x", "2", "b"), ("x", "3", "a"), ("y", "1", "c"), ("z", "1", "?")]
    found = categorised(said, star)
    assert found.of("x") == {"all": 1.0, "a": 2 / 3, "b": 1 / 3}
    assert found.dense(["a", "b"])[:2].tolist() == [[2 / 3, 1 / 3], [0.0, 0.0]]
    assert np.isnan(found.dense()[2]).all()
    assert (found.unanswered, found.of("z")) == (1, {})


def test_a_dags_ancestor_counts_a_subject_once() -> None:
    dag = cs.tree({"top": None, "a": "top", "b": "top", "x": ["a", "b"]}, dag=True)
    found = categorised([("i", "1", "x"), ("i", "2", "a")], dag)
    assert found.of("i") == {"top": 1.0, "a": 1.0, "b": 0.5, "x": 0.5}


# Beliefs about another study's items


LOOK = [
    *[("a", str(n), c) for n, c in enumerate(["crowd", "crowd", "people", "city"])],
    *[("b", str(n), c) for n, c in enumerate(["city", "city"])],
    *[("c", str(n), c) for n, c in enumerate(["people", "city"])],
    ("d", "0", "cannot tell"),
]


def test_items_that_nobody_returned_count_for_recall() -> None:
    found = categorised(LOOK, TREE)
    made = cs.study({"s": {"people": ["b", "a", "z"], "city": ["b"]}})
    study = cs.with_collection(made, found.items)
    assert np.diff(study.items.starts).tolist() == [5, 4]  # z is known to one query only
    belief = cs.by_category(study, categorised=found)
    p = dict(zip(study.items.names(range(5)), belief.of(np.arange(5)).tolist(), strict=True))
    assert {name: p[name] for name in "abc"} == {"a": 0.75, "b": 0.0, "c": 0.5}
    assert np.isnan([p["d"], p["z"]]).all()
    assert belief.details["uncategorised"] == 3
    assert (belief.method, belief.truth) == ("tree", 1.0)
    assert belief.effective_respondents == pytest.approx(8 / 3)
    scores = cs.score(study, measures=["P", "R"], belief=partial(cs.by_category, categorised=found))
    queries = [scores.queries.index(query) for query in ("people", "city")]
    assert scores.matrix("P")[0, queries].tolist() == [0.75 / 3, 1.0]
    assert scores.matrix("R")[0, queries].tolist() == pytest.approx([0.75 / 1.25, 1 / 1.75])


def test_without_the_collection_there_is_no_recall() -> None:
    found = categorised(LOOK, TREE)
    with pytest.raises(cs.UsageError, match=r"lacks 1 of the categorised items.*with_collection"):
        cs.by_category(cs.study({"s": {"people": ["a", "b"]}}), categorised=found)


def test_a_query_is_a_category_or_else_an_item() -> None:
    found = categorised(LOOK, TREE)
    study = cs.with_collection(cs.study({"s": {"a": ["b"], "city": ["b"]}}), found.items)
    belief = cs.by_category(study, categorised=found)
    assert belief.details["mixtures"] == {
        "a": {"people": 0.25, "crowd": 0.5, "city": 0.25},
        "city": {"city": 1.0},
    }
    of_a = dict(zip(study.items.names(range(4)), belief.of(np.arange(4)).tolist(), strict=True))
    assert of_a["a"] == pytest.approx(0.25 * 0.75 + 0.5 * 0.5 + 0.25 * 0.25)
    assert of_a["b"] == pytest.approx(0.25)
    same = cs.by_category(study, categorised=found, query_item="a", weights="inclusive")
    weight = {"all": 1 / 2.5, "people": 0.75 / 2.5, "crowd": 0.5 / 2.5, "city": 0.25 / 2.5}
    assert same.details["mixtures"] == {q: pytest.approx(weight) for q in ("a", "city")}


def test_queries_that_are_neither_are_told_together() -> None:
    found = categorised(LOOK, TREE)
    made = cs.with_collection(cs.study({"s": {"peple": ["a"], "q": ["b"]}}), found.items)
    with pytest.raises(cs.UsageError, match=r"nor an assigned item: query 'peple', 'q' \(fix: "):
        cs.by_category(made, categorised=found)
    assert cs.by_category(made, categorised=found, category="people").p.max() == 0.75
    with pytest.raises(cs.UsageError, match="unknown category 'peple'; did you mean 'people'"):
        cs.by_category(made, categorised=found, category="peple")
    with pytest.raises(cs.UsageError, match="nobody assigned an item 'e'"):
        cs.by_category(made, categorised=found, query_item="e")
    with pytest.raises(cs.UsageError, match="nobody could tell the category of the query item 'd'"):
        cs.by_category(made, categorised=found, query_item="d")
    with pytest.raises(cs.UsageError, match="not both"):
        cs.by_category(made, categorised=found, query_item="a", category="city")
    wrong: Weights = "both"  # type: ignore[assignment]
    with pytest.raises(cs.UsageError, match="unknown kind of weights 'both'"):
        cs.mixture(found, "a", weights=wrong)
    with pytest.raises(cs.UsageError, match="holds no assignments"):
        cs.categorise(made, TREE)


def test_a_collection_leaves_answers_as_they_were() -> None:
    made = cs.study(
        {"s": {"q": {"b": 2.0, "z": 1.0}, "r": {"c": 1.0}}, "t": {"r": {"a": 3.0, "c": 1.0}}},
        truth={"q": {"z": 1, "y": 0}},
    )
    whole = cs.with_collection(made, ["a", "b", "c"])
    for before, after in ((made.answers, whole.answers), (made.evidence, whole.evidence)):
        assert made.items.names(before.item) == whole.items.names(after.item)
        assert (made.items.query(before.item) == whole.items.query(after.item)).all()
    for query in range(2):
        begin, end = whole.items.starts[query : query + 2]
        names = whole.items.names(range(begin, end))
        assert len({*names}) == len(names)
        assert {*"abc"} <= {*names}
    assert cs.with_collection(whole, ["c", "a"]) is whole
    for measure in ("P", "R", "AP"):
        one, two = (cs.score(study, measures=[measure]).matrix(measure) for study in (made, whole))
        assert np.array_equal(one, two, equal_nan=True)
    small = cs.study({"s": {"q": ["b"]}}, universe=2)
    with pytest.raises(cs.UsageError, match="a universe of 2 items is too small"):
        cs.with_collection(small, ["a", "b", "c"])


# Real data: counted by hand from the votes of cleanlab's file


@pytest.fixture(scope="module")
def pictures() -> cs.Categorised:
    tree = cs.tree(CIFAR / "tree.csv")
    return cs.categorise(cs.read_assignments(CIFAR / "assignments.csv", tree=tree), tree)


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        # seal 4, otter 1
        ("2", {"all": 1, "aquatic mammals": 1, "otter": 0.2, "seal": 0.8}),
        # otter 0, beaver 3, both 1, neither 1: of four
        ("420", {"all": 1, "aquatic mammals": 1, "beaver": 0.75}),
        # otter 0, trout 2, both 1, neither 2: of three
        ("1894", {"all": 1, "fish": 2 / 3, "trout": 2 / 3}),
        # beaver 1, flatfish 2, both 1, neither 1: of four
        ("3380", {"all": 1, "aquatic mammals": 0.25, "fish": 0.5, "beaver": 0.25, "flatfish": 0.5}),
    ],
)
def test_pictures_of_cifar(item: str, expected: dict[str, float], pictures: cs.Categorised) -> None:
    assert pictures.of(item) == expected


def test_sizes_of_cifar(pictures: cs.Categorised) -> None:
    tree, size = pictures.tree, pictures.size
    assert (len(tree), len(tree.roots), len(tree.leaves)) == (121, 1, 100)
    assert (pictures.answers.sum(), pictures.unanswered) == (1500 - 126, 0)
    assert size[tree.code("all")] == 300
    assert size[tree.code("fish")] == pytest.approx(865 / 12)
    assert size[tree.code("seal")] == pytest.approx(1331 / 60)
    shares = belief_of_names(pictures, ["2", "nothing", "420"], ["seal", "aquatic mammals"])
    assert shares[[0, 2]].tolist() == [[0.8, 1.0], [0.0, 1.0]]
    assert np.isnan(shares[1]).all()


def test_the_labels_of_cifar_are_believed_more_than_the_models(pictures: cs.Categorised) -> None:
    study = cs.with_collection(cs.read(CIFAR / "results.csv"), pictures.items)
    by = partial(cs.by_category, categorised=pictures)
    scores = cs.score(study, measures=["P", "R"], belief=by)
    given, guessed = (np.nanmean(row) for row in scores.matrix("P"))
    assert given > guessed
    # Σ p of the pictures of given seals over |seal|, counted from the rows
    seal = study.queries.index("seal")
    recall = scores.matrix("R")[study.systems.index("given"), scores.queries.index("seal")]
    sums = cs.by_category(study, categorised=pictures).p
    assert 0 < recall < 1
    assert len(sums) == len(study.queries) * 300
    assert sums[seal * 300 : (seal + 1) * 300].sum() == pytest.approx(1331 / 60)
