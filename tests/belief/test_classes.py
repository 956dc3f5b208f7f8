"""Categories: a slow twin, crowd-kit's labels on real crowds, laws."""

import gzip
import json
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.belief.classes import Found, classes, em, majority

DATA = Path(__file__).parent.parent / "data" / "crowd"
PEER = json.loads((DATA / "crowd-kit.json").read_text())

Votes = list[tuple[int, int, int]]


def crowd(name: str) -> tuple[list[list[str]], list[str]]:
    """Give rows of worker, task, label, gold; and the tasks as pandas sorts them."""
    with gzip.open(DATA / f"{name}.csv.gz", "rt") as lines:
        rows = [line.strip().split(",") for line in lines]
    tasks = {row[1] for row in rows}
    numbers = all(task.isdigit() for task in tasks)
    return rows, sorted(tasks, key=int) if numbers else sorted(tasks)


def coded(name: str) -> tuple[list[np.ndarray], list[str], list[str]]:
    rows, tasks = crowd(name)
    workers = sorted({row[0] for row in rows})
    labels = sorted({row[2] for row in rows}, key=int)
    places = [{key: code for code, key in enumerate(keys)} for keys in (tasks, workers, labels)]
    columns = [
        np.array([place[row[column]] for row in rows])
        for place, column in zip(places, (1, 0, 2), strict=True)
    ]
    return columns, labels, tasks


def slow(votes: Votes, categories: int, steps: int) -> list[list[float]]:
    """EM in plain loops, with crowd-kit's conventions."""
    of_task: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for task, worker, label in votes:
        of_task[task].append((worker, label))
    tasks, all_ = sorted(of_task), range(categories)
    p = [
        [sum(label == c for _, label in of_task[task]) / len(of_task[task]) for c in all_]
        for task in tasks
    ]
    for _ in range(steps):
        prior = [max(sum(row[c] for row in p) / len(p), 1e-10) for c in all_]
        mass: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0] * categories)
        for task, row in zip(tasks, p, strict=True):
            for key in of_task[task]:
                mass[key] = [old + new for old, new in zip(mass[key], row, strict=True)]
        mass = {key: [max(m, 1e-10) for m in row] for key, row in mass.items()}
        total = {
            worker: [sum(row[c] for (w, _), row in mass.items() if w == worker) for c in all_]
            for worker, _ in mass
        }
        p = []
        for task in tasks:
            like = [math.log(prior[c]) for c in all_]
            for worker, label in of_task[task]:
                for c in all_:
                    like[c] += math.log(mass[worker, label][c] / total[worker][c])
            top = [math.exp(value - max(like)) for value in like]
            p.append([value / sum(top) for value in top])
    return p


@st.composite
def ballots(draw: st.DrawFn) -> Votes:
    """Every task has a vote; tasks and workers are numbered without gaps."""
    tasks, workers = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    pairs = [(task, worker) for task in range(tasks) for worker in range(workers)]
    kept = draw(st.lists(st.sampled_from(pairs), unique=True))
    kept += [(task, 0) for task in range(tasks) if all(task != other for other, _ in kept)]
    used = sorted({worker for _, worker in kept})
    return [(task, used.index(worker), draw(st.integers(0, 2))) for task, worker in kept]


def columns(votes: Votes) -> list[np.ndarray]:
    return [np.array(column) for column in zip(*votes, strict=True)]


@given(ballots())
def test_as_its_slow_twin(votes: Votes) -> None:
    found = em(*columns(votes), categories=3, iterations=4, tolerance=-math.inf)
    np.testing.assert_allclose(found.p, slow(votes, 3, 4), atol=1e-7)
    shares = majority(*columns(votes), categories=3)
    np.testing.assert_allclose(shares.p, slow(votes, 3, 0), atol=1e-12)


@given(ballots())
def test_the_log_likelihood_rises(votes: Votes) -> None:
    last = -math.inf
    for steps in range(1, 6):
        found = em(*columns(votes), categories=3, iterations=steps, tolerance=-math.inf)
        assert found.log_likelihood >= last - 1e-6
        last = found.log_likelihood


@pytest.mark.parametrize("name", ["CF", "MS", "SP"])
def test_the_labels_of_crowd_kit(name: str) -> None:
    votes, labels, _ = coded(name)
    found = em(*votes)
    assert "".join(format(int(labels[code]), "x") for code in found.label) == PEER[name]["labels"]
    assert found.iterations == PEER[name]["iterations"]
    highest = PEER[name]["mean_highest"]
    assert found.p.max(axis=1).mean() == pytest.approx(highest, abs=1e-8)
    if "highest" in PEER[name]:
        np.testing.assert_allclose(found.p.max(axis=1), PEER[name]["highest"], atol=6e-5)


def accuracy(found: Found, labels: list[str], gold: dict[str, str], tasks: list[str]) -> float:
    """The share of right labels; a tie counts as much as a guess among those that tie."""
    right = 0.0
    for task, row in zip(tasks, found.p, strict=True):
        best = [labels[code] for code in np.flatnonzero(row >= row.max() - 1e-12)]
        right += (gold[task] in best) / len(best)
    return right / len(tasks)


def test_published_accuracies() -> None:
    """Sentence polarity: majority .886, Dawid–Skene .915."""
    votes, labels, tasks = coded("SP")
    gold = {row[1]: row[3] for row in crowd("SP")[0]}
    assert accuracy(majority(*votes), labels, gold, tasks) == pytest.approx(0.886, abs=5e-4)
    assert accuracy(em(*votes), labels, gold, tasks) == pytest.approx(0.915, abs=5e-4)


def test_a_study_gives_what_plain_columns_give() -> None:
    rows, _ = crowd("CF")
    table = {
        "item": [row[1] for row in rows],
        "worker": [row[0] for row in rows],
        "category": [f"weather {row[2]}" for row in rows],
    }
    study = cs.study(table)
    found = classes(study)
    votes, labels, tasks = coded("CF")
    plain = em(*votes)
    names = study.items.names(found.item)
    order = [names.index(task) for task in tasks]
    said = [found.categories[code] for code in found.label[order]]
    assert said == [f"weather {labels[code]}" for code in plain.label]
    assert sorted(found.respondents) == sorted({row[0] for row in rows})
    assert found.confusion.shape == (len(found.respondents), 5, 5)
    spoken = ~np.isnan(found.confusion)
    np.testing.assert_allclose(np.where(spoken, found.confusion, 0).sum(axis=2)[spoken[:, :, 0]], 1)
    assert found.p.sum(axis=1) == pytest.approx(1)
    assert found.prevalence.sum() == pytest.approx(1)
    assert classes(study, method="majority").log_likelihood != found.log_likelihood


def test_gold_does_not_vote() -> None:
    rows = {
        "item": ["x", "x", "y", "y"],
        "respondent": ["ann", "bob", "ann", "truth"],
        "kind": ["person", "person", "person", "gold"],
        "category": ["cat", "cat", "cat", "dog"],
    }
    found = classes(cs.study(rows), method="majority")
    assert found.respondents == ("ann", "bob")
    assert [found.categories[code] for code in found.label] == ["cat", "cat"]


def test_confusions_are_found_again() -> None:
    rng = np.random.default_rng(1)
    tasks, workers = 4000, 6
    truth = rng.choice(3, tasks, p=[0.5, 0.3, 0.2])
    confusion = rng.dirichlet([1, 1, 1], (workers, 3)) * 0.4 + 0.6 * np.eye(3)
    task, worker = np.repeat(np.arange(tasks), workers), np.tile(np.arange(workers), tasks)
    chances = confusion[worker, truth[task]].cumsum(axis=1)
    label = (rng.random(len(task))[:, None] > chances).sum(axis=1)
    found = em(task, worker, label, tolerance=1e-9, iterations=500)
    np.testing.assert_allclose(found.confusion, confusion, atol=0.05)
    assert found.prevalence == pytest.approx([0.5, 0.3, 0.2], abs=0.02)
    assert (found.label == truth).mean() > 0.9


def test_the_order_of_votes_does_not_matter() -> None:
    votes, _, _ = coded("MS")
    order = np.random.default_rng(2).permutation(len(votes[0]))
    one, other = em(*votes), em(*(column[order] for column in votes))
    np.testing.assert_allclose(one.p, other.p, atol=1e-9)


def test_what_cannot_be_done_is_said() -> None:
    with pytest.raises(cs.UsageError, match="nobody put an item into a category"):
        classes(cs.study({"s": {"q": ["x"]}}))
    table = {"item": ["x"], "worker": ["ann"], "category": ["cat"]}
    with pytest.raises(cs.UsageError, match="did you mean 'majority'"):
        classes(cs.study(table), method="majorty")  # type: ignore[arg-type]
