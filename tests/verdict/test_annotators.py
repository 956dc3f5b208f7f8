"""Do annotators agree: figures, people, disputes; laws, real crowds, and what is undefined."""

from __future__ import annotations

import csv
import gzip
import itertools
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, t

import consilience as cs
from consilience.errors import UsageError

CROWD = Path(__file__).parent.parent / "data" / "crowd"
cells = st.one_of(st.none(), st.sampled_from(["cat", "dog", "cow"]))
tables = st.lists(st.lists(cells, min_size=3, max_size=3), min_size=1, max_size=8)


def wide(rows: list[list[Any]], **more: Any) -> cs.Study:
    frame: dict[str, list[Any]] = {"item": [f"i{k:02}" for k in range(len(rows))]}
    for k in range(len(rows[0])):
        frame[f"a{k}"] = [row[k] for row in rows]
    return cs.study(frame, labels=True, **more)


def long(answers: list[tuple[str, str, Any]], **more: Any) -> cs.Study:
    columns = zip(*answers, strict=True)
    frame = dict(zip(("item", "annotator", "label"), map(list, columns), strict=True))
    return cs.study(frame, labels=True, **more)


def some(rows: list[list[Any]]) -> list[list[Any]]:
    """Rows to compare at all: two columns of text, two categories."""
    return [["cat", "cat", "dog"], ["dog", "dog", "dog"], ["cow", "cat", "cat"], *rows]


@given(tables)
def test_order_and_names_of_annotators_do_not_matter(rows: list[list[Any]]) -> None:
    rows = some(rows)
    told = [
        (f"i{u:02}", f"a{k}", one)
        for u, row in enumerate(rows)
        for k, one in enumerate(row)
        if one is not None
    ]
    plain = cs.agree(wide(rows)).payload()
    turned = cs.agree(long(told[::-1])).payload()
    for key in ("categories", "pairs", "confusions", "discuss"):
        assert turned[key] == plain[key]
    for key in ("alpha", "fleiss", "percent"):
        assert turned[key]["value"] == pytest.approx(plain[key]["value"])
    for one, other in zip(plain["annotators"], turned["annotators"], strict=True):
        assert one["kappa"] == pytest.approx(other["kappa"])
    renamed = cs.agree(long([(i, {"a0": "z"}.get(a, a), c) for i, a, c in told])).payload()
    assert renamed["alpha"] == plain["alpha"]
    assert {one["name"] for one in renamed["annotators"]} == {"z", "a1", "a2"}


@given(tables)
def test_names_of_categories_do_not_matter(rows: list[list[Any]]) -> None:
    rows = some(rows)
    to = {"cat": "zebra", "dog": "ant", "cow": "bee", None: None}
    plain = cs.agree(wide(rows))
    renamed = cs.agree(wide([[to[one] for one in row] for row in rows]))
    assert renamed.alpha == plain.alpha  # the interval, too: the same draws
    assert [a.kappa for a in renamed.annotators] == pytest.approx(
        [a.kappa for a in plain.annotators]
    )
    assert renamed.disputed == plain.disputed


@given(tables)
def test_figures_are_those_of_the_plain_functions(rows: list[list[Any]]) -> None:
    rows = some(rows)
    found = cs.agree(wide(rows))
    assert found.alpha.value == pytest.approx(cs.krippendorff_alpha(rows))
    table = [[row.count(one) for one in ("cat", "dog", "cow")] for row in rows]
    assert found.fleiss.value == pytest.approx(cs.fleiss_kappa(table))
    for pair in found.pairs:
        a, b = (int(name[1]) for name in (pair.a, pair.b))
        expected = cs.cohen_kappa([row[a] for row in rows], [row[b] for row in rows])
        assert pair.kappa["kappa"] == pytest.approx(expected, nan_ok=True)
        assert (pair.undefined is None) == (expected == expected)
    for one in found.annotators:
        rest = [[o for k, o in enumerate(row) if f"a{k}" != one.name] for row in rows]
        expected = cs.krippendorff_alpha(rest)
        assert one.alpha_without == pytest.approx(expected, nan_ok=True)


@given(tables)
def test_disputes_and_confusions_are_counted_as_by_hand(rows: list[list[Any]]) -> None:
    rows = some(rows)
    found = cs.agree(wide(rows))
    pairs: dict[tuple[str, ...], int] = {}
    differing = {}
    for u, row in enumerate(rows):
        told = [one for one in row if one is not None]
        met = [tuple(sorted(pair)) for pair in itertools.combinations(told, 2)]
        for pair in met:
            pairs[pair] = pairs.get(pair, 0) + 1
        if any(a != b for a, b in met):
            differing[f"i{u:02}"] = (np.mean([a != b for a, b in met]), len(told))
    apart = {pair: n for pair, n in pairs.items() if pair[0] != pair[1]}
    assert {(c.a, c.b): c.pairs for c in found.confusions} == apart
    assert sum(c.share for c in found.confusions) == pytest.approx(1)
    order = sorted(differing, key=lambda name: (-differing[name][0], -differing[name][1], name))
    assert [one.item for one in found.discuss] == order
    for one in found.discuss:
        assert 1 - one.percent == pytest.approx(differing[one.item][0])


@pytest.mark.parametrize("size", [20, 60])
def test_the_interval_covers(size: int) -> None:
    """Of 250 simulated studies the 95% interval must hold the true α in about 95% of them."""
    rng = np.random.default_rng(7)
    chance = np.array([0.5, 0.3, 0.2])

    def simulated(items: int) -> np.ndarray[Any, Any]:
        truth = rng.choice(3, size=(items, 1), p=chance)
        guess = rng.choice(3, size=(items, 4), p=chance)
        said = np.where(rng.random((items, 4)) < 0.6, truth, guess).astype(float)
        said[rng.random((items, 4)) < 0.2] = np.nan
        return said

    true = krippendorff.alpha(simulated(400_000).T, level_of_measurement="nominal")
    assert true == pytest.approx(0.36, abs=0.005)  # both know: 0.6²
    runs, held = 250, 0
    for run in range(runs):
        said = simulated(size)
        frame = {"item": list(range(size))} | {f"a{k}": said[:, k] for k in range(4)}
        found = cs.agree(cs.study(frame, labels=True), scale="nominal", seed=run)
        low, high = found.alpha.interval or (1, 0)
        held += low <= true <= high
    assert binom.ppf(0.001, runs, 0.95) <= held <= binom.ppf(0.999, runs, 0.95)


def test_the_interval_of_one_annotator_covers() -> None:
    rng = np.random.default_rng(8)
    runs, held, true = 250, 0, 0.7  # κ of a random labeller who knows 7 of 10
    for _ in range(runs):
        truth = rng.random(150) < 0.5
        said = np.where(rng.random(150) < 0.7, truth, rng.random(150) < 0.5)
        frame = {"item": list(range(150)), "one": said * 1, "other": truth * 1}
        found = cs.agree(cs.study(frame, labels=True)).annotators[0]
        low, high = found.interval or (1, 0)
        held += low <= true <= high
    assert binom.ppf(0.001, runs, 0.95) <= held <= binom.ppf(0.999, runs, 0.95)


def careless(items: int) -> cs.Study:
    """Half yes, half no, as ann and ben say; cleo errs in one of five of both kinds."""
    right = [k % 2 for k in range(items)]
    wrong = [1 - one if k < items // 5 else one for k, one in enumerate(right)]
    return wide([list(row) for row in zip(right, right, wrong, strict=True)])


def test_the_interval_of_one_annotator_is_students() -> None:
    """κ = (.8 − .5) / .5; with even halves its variance is (1 − κ²) / (n − 1) (Fleiss et al.)."""
    found = cs.agree(careless(20)).annotators[0]
    half = t(19).ppf(0.975) * (0.64 / 19) ** 0.5
    assert found.name == "a2"
    assert found.kappa == pytest.approx(0.6)
    assert found.interval == pytest.approx((0.6 - half, 0.6 + half))


def test_three_annotators_are_three_tests() -> None:
    """The others have κ = .8, which is .2 = 2.22 standard errors higher: p = .029, times 3 .088."""
    p = 2 * t(79).sf(0.2 / (0.64 / 79) ** 0.5)
    assert p < 0.05 < 3 * p < 0.1
    for level, odd in ((0.95, []), (0.9, ["a2"])):
        found = cs.agree(careless(80), level=level).annotators
        assert [one.kappa for one in found] == pytest.approx([0.6, 0.8, 0.8])
        assert [one.name for one in found if one.odd] == odd


def test_unanimity_has_no_interval_and_one_category_no_alpha() -> None:
    every = cs.agree(wide([["cat", "cat"], ["dog", "dog"], ["cat", "cat"]]))
    assert every.alpha.value == every.percent.value == 1
    assert every.alpha.interval is None
    assert "nothing differs over 3 items" in str(every.alpha.interval_undefined)
    one = cs.agree(wide([["cat", "cat"]] * 5))
    assert one.percent.value == 1
    assert np.isnan(one.alpha.value)
    assert one.alpha.undefined == "all labels are 'cat': chance would agree as well"
    assert one.payload()["alpha"]["value"] is None
    assert one.pairs[0].undefined == "both gave all items the same label"
    assert "undefined" in one.headline


def test_annotators_without_common_items_are_undefined_not_zero() -> None:
    found = cs.agree(wide([["cat", "cat", None], ["dog", None, "dog"], ["cat", "dog", None]]))
    (pair,) = [pair for pair in found.pairs if (pair.a, pair.b) == ("a1", "a2")]
    assert pair.n == 0
    assert pair.undefined == "no item was labelled by both"
    assert found.payload()["pairs"][2]["kappa"] is None


def test_silence_is_never_an_answer() -> None:
    lists = cs.study({"ann": {"q": ["d1", "d2"]}, "ben": {"q": ["d2", "d3"]}})
    found = cs.agree(lists)
    assert found.compared == 1
    assert np.isnan(found.alpha.value)
    assert any("nobody said no" in note for note in found.notes)


def test_systems_and_judges_are_all_annotators() -> None:
    votes = {"item": ["a", "b", "c"], "bm25": [1, 0, 1], "llm": [1, 0, 0], "gold": [1, 0, 1]}
    found = cs.agree(cs.study(votes))
    assert {one.name for one in found.annotators} == {"bm25", "llm", "gold"}
    assert len(found.labels) == 9
    kinds = {one["name"]: one["kind"] for one in found.payload()["annotators"]}
    assert kinds == {"bm25": "system", "llm": "system", "gold": "gold"}


@pytest.mark.parametrize(
    ("labels", "scale", "why"),
    [
        ([0, 1, 1], "nominal", "two values"),
        ([1, 2, 5], "ordinal", "whole numbers with more than two values"),
        ([0.1, 0.5, 1], "interval", "numbers that are not all whole"),
        (["x", "y", "1"], "nominal", "the labels are text"),
    ],
)
def test_the_scale_is_chosen_and_said(labels: list[Any], scale: str, why: str) -> None:
    found = cs.agree(wide([[one, one] for one in labels] + [labels[:2]]))
    assert (found.scale.name, found.scale.why) == (scale, why)
    assert found.payload()["scale"]["why"] == why


def test_an_order_makes_text_ordinal() -> None:
    words = ["low", "mid", "high"]
    rows = [[0, 0], [1, 2], [2, 2], [0, 1], [1, 1]]
    text = cs.agree(wide([[words[k] for k in row] for row in rows]), order=words)
    numbers = cs.agree(wide(rows))
    assert text.scale.name == numbers.scale.name == "ordinal"
    assert text.alpha.value == pytest.approx(numbers.alpha.value)
    assert text.alpha.value == pytest.approx(cs.krippendorff_alpha(rows, metric="ordinal"))
    assert list(text.labels.categories) == words


def test_shares_of_the_tree() -> None:
    tree = cs.tree(
        {"all": None, "people": "all", "crowd": "people", "man": "people", "city": "all"}
    )
    rows = [["people", "crowd"], ["crowd", "man"], ["crowd", "city"], ["people", "city"]]
    found = cs.agree(wide([*rows, ["city", "city"]]), tree=tree)
    assert found.scale.name == "tree"
    assert found.tree_shares == {"lineage": 0.25, "siblings": 0.5, "elsewhere": 0.25}
    assert found.labels.categories == ("people", "crowd", "man", "city")  # as in the tree
    assert found.alpha.value == pytest.approx(
        cs.krippendorff_alpha([*rows, ["city", "city"]], metric=tree)
    )
    flat = cs.agree(wide([*rows, ["city", "city"]]), tree=tree, scale="nominal")
    assert flat.tree_shares == found.tree_shares
    assert flat.scale.name == "nominal"


def test_whoever_labels_at_random_is_odd() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 200)
    said = {
        f"a{k}": np.where(rng.random(200) < 0.8, truth, rng.integers(0, 3, 200)) for k in range(6)
    }
    said["monkey"] = rng.integers(0, 3, 200)
    frame = {"item": list(range(200))} | {name: row.tolist() for name, row in said.items()}
    found = cs.agree(cs.study(frame, labels=True), scale="nominal")
    assert [one.name for one in found.annotators if one.odd] == ["monkey"]
    assert (found.annotators[0].alpha_without or 0) > found.alpha.value + 0.1
    assert "monkey agrees with the others less than is usual here" in found.headline


@pytest.mark.parametrize(("name", "items"), [("CF", 300), ("MS", 642), ("SP", 4999)])
def test_crowds_agree_as_krippendorff_says(name: str, items: int) -> None:
    with gzip.open(CROWD / f"{name}.csv.gz", "rt") as lines:
        rows = {(task, worker): label for worker, task, label, _ in csv.reader(lines)}
    answers = [(task, worker, int(label)) for (task, worker), label in rows.items()]
    found = cs.agree(long(answers), scale="nominal")
    tasks, workers = ({key[k]: None for key in rows} for k in range(2))
    table = np.full((len(workers), len(tasks)), np.nan)
    for (task, worker), label in rows.items():
        table[list(workers).index(worker), list(tasks).index(task)] = float(label)
    kept = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    expected = krippendorff.alpha(kept, level_of_measurement="nominal")
    assert found.alpha.value == pytest.approx(expected)
    assert found.compared == items
    low, high = found.alpha.interval or (1, 0)
    assert low < expected < high < low + 0.15
    assert len(found.annotators) == len(workers)
    assert len({pair.a for pair in found.pairs} | {pair.b for pair in found.pairs}) <= 200
    again = cs.agree(long(answers), scale="ordinal")
    ranks = krippendorff.alpha(kept, level_of_measurement="ordinal")
    assert again.alpha.value == pytest.approx(ranks)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([["cat", "cat"]], {"scale": "nominl"}, "unknown scale 'nominl'; did you mean 'nominal'"),
        ([["cat", "dog"], ["dog", "cat"]], {"scale": "ordinal"}, "--order cat,dog"),
        ([["cat", "dog"], ["dog", "cat"]], {"scale": "interval"}, "needs numbers"),
        ([["cat", "cat"]], {"scale": "tree"}, "needs a tree"),
        ([["cat", "dog"], ["dog", "cat"]], {"order": ["cat"]}, "the order lacks 'dog'"),
        ([["cat", "dog"], ["dog", "cat"]], {"order": ["cat", "dog", "cat"]}, "'cat' twice"),
        ([["cat", "cat"]], {"level": 1.0}, "between 0 and 1"),
        ([["cat", "dog"], ["dog", "cat"]], {"tree": {"cat": None}}, "not in the tree: 'dog'"),
    ],
)
def test_what_does_not_fit_is_refused(
    rows: list[list[Any]], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        cs.agree(wide(rows), **options)
    assert message in str(caught.value)
