"""Trees as numbers, and assignments to their categories: laws, brute force, mistakes with lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy import sparse

import consilience as cs
from tests.study.trees import ancestors, dags

#: The categories of the paper's picture.
TREE = cs.tree({"all": {"people": {"crowd": {}}, "city": {}}})


@given(dags())
def test_parents_come_first_and_the_closure_holds_all_ancestors(tree: cs.Tree) -> None:
    for code, parents in enumerate(tree.parents):
        assert all(parent < code for parent in parents)
    closure = tree.closure
    assert sparse.issparse(closure)
    for code in range(len(tree)):
        row = closure[[code]].toarray()[0]
        assert {*np.flatnonzero(row).tolist()} == ancestors(tree, code) == {*tree.ancestors(code)}
        assert {*row.tolist()} <= {0.0, 1.0}


@given(dags())
def test_roots_leaves_children_and_depth_fit_together(tree: cs.Tree) -> None:
    pairs = {(code, parent) for code, above in enumerate(tree.parents) for parent in above}
    assert {(c, p) for p, below in enumerate(tree.children) for c in below} == pairs
    assert {*tree.roots} == {*range(len(tree))} - {child for child, _ in pairs}
    assert {*tree.leaves} == {*range(len(tree))} - {parent for _, parent in pairs}
    depth = tree.depth
    for code, above in enumerate(tree.parents):
        assert depth[code] == (1 + max(depth[p] for p in above) if above else 0)


@given(dags())
def test_distance_is_a_metric_and_finite(tree: cs.Tree) -> None:
    codes = [*range(len(tree))]
    d = tree.distance(codes)
    assert np.isfinite(d).all()
    assert (d == d.T).all()
    assert ((d == 0) == np.eye(len(tree), dtype=bool)).all()
    assert (d[:, None, :] <= d[:, :, None] + d[None, :, :]).all()
    assert (tree.distance(codes[::-1]) == d[::-1, ::-1]).all()


@given(dags(several=False))
def test_in_a_tree_ways_lead_over_the_lowest_common_category(tree: cs.Tree) -> None:
    depth, d = tree.depth, tree.distance(range(len(tree)))
    for a in range(len(tree)):
        for b in range(len(tree)):
            common = ancestors(tree, a) & ancestors(tree, b)
            lowest = tree.lowest_common(a, b)
            assert lowest == max(common, key=lambda code: depth[code], default=None)
            top = -1 if lowest is None else depth[lowest]  # one root above all of them
            assert d[a, b] == depth[a] + depth[b] - 2 * top


@given(dags())
def test_no_common_category_lies_below_the_lowest(tree: cs.Tree) -> None:
    for a in range(len(tree)):
        for b in range(len(tree)):
            lowest = tree.lowest_common(a, b)
            common = ancestors(tree, a) & ancestors(tree, b)
            assert (lowest is None) == (not common)
            assert not any(lowest in ancestors(tree, code) for code in common - {lowest})


def test_the_lowest_common_category_of_a_dag() -> None:
    dag = cs.tree(
        {"r": None, "a": "r", "b": "a", "x": ["r", "b"], "y": ["a", "b"], "z": None}, dag=True
    )
    code = dag.code
    assert dag.lowest_common(code("x"), code("y")) == code("b")
    assert dag.lowest_common(code("x"), code("x")) == code("x")
    assert dag.lowest_common(code("x"), code("z")) is None


def test_names_of_paths_may_be_cut_to_their_last_part() -> None:
    tree = cs.tree(["sea/seal", "office/seal", "office/desk"])
    assert tree.names == ("sea", "sea/seal", "office", "office/seal", "office/desk")
    assert tree.code("desk") == tree.code("office/desk") == 4
    assert tree.code("sea") == 0
    assert "seal" not in tree
    with pytest.raises(cs.UsageError, match=r"unknown category 'seal'; did you mean 'sea/seal'\?"):
        tree.code("seal")


def test_a_message_about_a_large_tree_stays_short() -> None:
    large = cs.tree([f"kind {number}" for number in range(500)])
    with pytest.raises(cs.UsageError, match=r"did you mean 'kind 7'.* … \(500 in all\)$") as caught:
        large.code("kind7")
    assert len(str(caught.value)) < 200


# Assignments


def said(study: cs.Study) -> set[tuple[str, str, str]]:
    """Give what a study of assignments holds: (subject, item, category)."""
    evidence = study.evidence
    who = evidence.respondent[evidence.list_of_row()]
    names = (*study.categories, "")
    assert evidence.category is not None
    return {
        (study.respondents.names[r], item, names[c])
        for r, item, c in zip(who, study.items.names(evidence.item), evidence.category, strict=True)
    }


LONG = "item,subject,category\nx,ann,people\nx,bob,crowd\ny,ann,city\ny,bob,\n"
SAID = {("ann", "x", "people"), ("bob", "x", "crowd"), ("ann", "y", "city"), ("bob", "y", "")}
TABLES: dict[str, tuple[str, str, dict[str, str]]] = {
    "long": ("a.csv", LONG, {}),
    "other names": ("a.csv", LONG.replace("item,subject,category", "image,Worker,Label"), {}),
    "class": ("a.tsv", LONG.replace("category", "class").replace(",", "\t"), {}),
    "mapped": (
        "a.csv",
        LONG.replace("item,subject,category", "item,who,category"),
        {"respondent": "who"},
    ),
    "mapped label": (
        "a.csv",
        LONG.replace("subject,category", "subject,label"),
        {"category": "label"},
    ),
    "wide": ("a.csv", "item,ann,bob,comment\nx,people,crowd,hm\ny,city,?,so so\n", {}),
    "json lines": (
        "a.jsonl",
        '{"item": "x", "annotator": "ann", "label": "people"}\n'
        '{"item": "x", "annotator": "bob", "label": "crowd"}\n'
        '{"item": "y", "annotator": "ann", "label": "city"}\n'
        '{"item": "y", "annotator": "bob", "label": null}\n',
        {},
    ),
}


@pytest.mark.parametrize("form", TABLES)
def test_every_form_of_table_says_the_same(form: str, tmp_path: Path) -> None:
    name, content, columns = TABLES[form]
    (tmp_path / name).write_text(content)
    study = cs.read_assignments(tmp_path / name, tree=TREE, columns=columns)
    assert said(study) == SAID
    assert study.categories == TREE.names
    assert {*study.respondents.kind} == {"person"}


FRAME = pd.DataFrame(sorted(SAID), columns=["subject", "item", "category"])


@pytest.mark.parametrize(
    "data",
    [
        FRAME,
        FRAME.to_dict("list"),
        FRAME.to_dict("records"),
        FRAME.pivot(index="item", columns="subject", values="category").reset_index(),
        {"ann": {"x": "people", "y": "city"}, "bob": {"x": "crowd", "y": None}},
    ],
)
def test_every_form_of_object_says_the_same(data: Any) -> None:
    assert said(cs.assignments(data, tree=TREE)) == SAID


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., cs.Study]:
    """Give a function that reads a small table."""

    def read_text(content: str, **options: Any) -> cs.Study:
        (tmp_path / "a.csv").write_text(content)
        options = {"tree": TREE} | options
        return cs.read_assignments(tmp_path / "a.csv", **options)

    return read_text


def test_unknown_categories_are_told_with_line_and_spelling(read: Callable[..., cs.Study]) -> None:
    with pytest.raises(cs.InputError) as caught:
        read("item,subject,category\nx,1,poeple\nx,2,crowd\nx,3,zebra\nx,4,People\n")
    assert [str(problem).partition("a.csv")[2] for problem in caught.value.problems] == [
        ":2: the tree has no category 'poeple' (fix: did you mean 'people'? otherwise add it to "
        "the tree, or leave the cell empty for no answer)",
        ":4: the tree has no category 'zebra' (fix: correct it, or add it to the tree, or leave "
        "the cell empty for no answer)",
        ":5: the tree has no category 'People' (fix: did you mean 'people'? otherwise add it to "
        "the tree, or leave the cell empty for no answer)",
    ]
    with pytest.raises(cs.InputError, match=r"a\.csv:3: the tree has no category 'citty'"):
        read("item,ann,bob\nx,people,crowd\ny,city,citty\nz,city,city\n")
    with pytest.raises(cs.InputError, match="assignments: row 2: the tree has no category 'citty'"):
        cs.assignments({"item": ["x", "y"], "a": ["city"] * 2, "b": ["city", "citty"]}, tree=TREE)


def test_answers_that_say_nothing_are_missing(read: Callable[..., cs.Study]) -> None:
    words = ["", "cannot tell", "?", "Unknown", "n/a", "none"]
    rows = "".join(f"x,{number},{word}\n" for number, word in enumerate(words))
    study = read(f"item,subject,category\n{rows}")
    assert study.evidence.category is not None
    assert study.evidence.category.tolist() == [-1] * len(words)
    assert len(study.items) == 1
    tree = cs.tree({"all": {"unknown": {}, "?": {}}})
    known = read("item,subject,category\nx,1,unknown\nx,2,?\nx,3,\nx,4,n/a\n", tree=tree)
    assert {(who, what) for who, _, what in said(known)} == {
        ("1", "unknown"),
        ("2", "?"),
        ("3", ""),
        ("4", ""),
    }


def test_second_answers(read: Callable[..., cs.Study]) -> None:
    twice = read("item,subject,category\nx,1,city\nx,1,city\n")
    assert len(twice.evidence) == 1
    assert twice.notes == ("1 answer was given twice, word for word: counted once",)
    both = "item,subject,category\nx,1,city\nx,1,crowd\n"
    with pytest.raises(cs.InputError, match=r":3: item 'x' was answered before \(line 2\)"):
        read(both)
    assert said(read(both, duplicates="first")) == {("1", "x", "city")}
    assert said(read(both, duplicates="last")) == {("1", "x", "crowd")}
    with pytest.raises(cs.UsageError, match="unknown way with duplicates 'each'"):
        read(both, duplicates="each")


def test_what_is_not_used_is_noted(read: Callable[..., cs.Study]) -> None:
    study = read("query,item,subject,category,confidence\nq,x,1,city,0.5\nr,y,1,city,\n")
    assert study.queries == ("all",)
    assert study.sources[0].notes == (
        "query was not used: an item's category does not depend on the query",
        "columns not used: confidence",
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("item,subject\nx,1\n", "a.csv:1: no column holds categories of the tree"),
        ("thing,subject,category\nx,1,city\n", "no column holds the items"),
        ("item,subject,label,class\nx,1,city,city\n", "several columns could be the category"),
        ("item,subject,category\nx,,city\n", "a.csv:2: subject: the respondent is empty"),
        ("item,subject,category,kind\nx,m,city,system\n", "here everybody is a subject"),
        ("item,subject,category,category\nx,1,city,city\n", "column 'category' appears twice"),
        ("x\ny\n", "read as a list, not as a table"),
        ("file,onset,offset\nx,1,2\n", "read as an event table, not as a table"),
    ],
)
def test_other_mistakes(content: str, message: str, read: Callable[..., cs.Study]) -> None:
    with pytest.raises(cs.InputError, match=message.replace(".", r"\.")):
        read(content)


def test_a_mapping_must_name_a_column(read: Callable[..., cs.Study]) -> None:
    with pytest.raises(cs.UsageError, match=r"unknown column \(mapped to category\) 'lable'"):
        read(LONG.replace("category", "label"), columns={"category": "lable"})
    with pytest.raises(cs.UsageError, match="unknown role 'categry'"):
        read(LONG, columns={"categry": "category"})
    odd: tuple[Any, ...] = (3, {}, [], {"ann": 3})
    for wrong in odd:
        with pytest.raises(cs.UsageError, match=r"assignments: .*\(fix: give a frame"):
            cs.assignments(wrong, tree=TREE)
    with pytest.raises(cs.UsageError, match="no assignments to read"):
        cs.read_assignments([], tree=TREE)


def test_several_files_are_joined_by_name(tmp_path: Path) -> None:
    (tmp_path / "ann.csv").write_text("item,category\nx,people\ny,city\n")
    (tmp_path / "bob.csv").write_text("item,label\nx,crowd\ny,?\n")
    study = cs.read_assignments(tmp_path / "*.csv", tree=TREE)
    assert said(study) == SAID


@given(dags())
def test_pairs_of_child_and_parent_are_a_tree(tree: cs.Tree) -> None:
    pairs: list[tuple[str, str | None]] = []
    for name, above in zip(tree.names, tree.parents, strict=True):
        pairs += [(name, tree.names[parent]) for parent in above] or [(name, None)]
    again = cs.tree(pairs, dag=True)
    assert (again.names, again.parents) == (tree.names, tree.parents)


def test_pairs_are_checked_like_rows() -> None:
    assert cs.tree((("dog", "animal"), ("animal", ""))).names == ("animal", "dog")
    assert cs.tree([(1, 0), (0, None)]).names == ("0", "1")
    with pytest.raises(cs.InputError, match="the parent 'animal' is no category"):
        cs.tree([("dog", "animal")])
    with pytest.raises(cs.InputError, match=r"'a' has two parents, 'b' and 'c' .*dag=True"):
        cs.tree([("a", "b"), ("a", "c"), ("b", None), ("c", None)])


def test_a_deep_chain_has_all_its_ancestors() -> None:
    """Every level is below all those before it; no recursion, no cubic work."""
    deep = cs.tree({f"c{i}": f"c{i - 1}" if i else None for i in range(3000)})
    closure = deep.closure
    assert closure.nnz == 3000 * 3001 // 2
    assert closure[[2999]].sum() == 3000
