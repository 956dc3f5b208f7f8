"""Runs with judgments, without, and with a few: the stage on real lists, the recording, the laws.

The stage runs on the bundled keyphrase extractors (8 tools, real abstracts and indexers' phrases),
written as TREC runs and judgments: TREC-COVID itself may not be passed on.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.experiments import recorded
from consilience.experiments.reproduced import Asked
from consilience.experiments.runs import experiment as runs
from consilience.experiments.runs import figures as runs_figures
from consilience.experiments.runs import findings as runs_findings
from consilience.experiments.runs import tables as runs_tables
from consilience.experiments.runs.labels import (
    DESIGNED,
    EVEN,
    Plan,
    draw,
    estimated,
    few_labels,
    true_scores,
)
from consilience.experiments.runs.lists import Lists, read_lists
from consilience.experiments.runs.measured import ALL, METHODS, TEN
from consilience.render import render

#: A run that is a copy of another one, and how deep the judgments go.
COPIED, COPY, JUDGED = "rake", "rake-again", 8
TOPICS = 6


def rows(name: str) -> Iterator[dict[str, str]]:
    with Path(cs.example(name)).open(newline="", encoding="utf-8") as file:
        yield from csv.DictReader(file)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the extractors' lists as runs, and as judgments what is near the top of one of them."""
    folder = tmp_path_factory.mktemp("others")
    (folder / runs.FOLDER / "runs_top100").mkdir(parents=True)
    gold = {(row["query"], row["item"]) for row in rows("keyphrases-gold.csv")}
    judged, lines = set[tuple[str, str]](), dict[str, list[str]]()
    for row in rows("keyphrases.csv"):
        rank, item = int(row["rank"]), row["item"].replace(" ", "_")
        for name in [row["system"]] + [COPY] * (row["system"] == COPIED):
            said = f"{row['query']} Q0 {item} {rank} {100 - rank} {name}\n"
            lines.setdefault(name, []).append(said)
        if rank <= JUDGED:
            judged.add((row["query"], row["item"]))
    for name, written in lines.items():
        path = folder / runs.FOLDER / "runs_top100" / f"{name}.gz"
        path.write_bytes(gzip.compress("".join(written).encode()))
    qrels = [
        f"{query} 1 {item.replace(' ', '_')} {int((query, item) in gold)}\n"
        for query, item in sorted(judged | gold)
    ]
    (folder / runs.FOLDER / "qrels.txt").write_text("".join(qrels), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def lists(data: Path) -> Lists:
    return read_lists(data / runs.FOLDER, topics=TOPICS)


@pytest.fixture(scope="module")
def recording(data: Path) -> recorded.Recording:
    return runs.record(Asked(again=True, size=TOPICS, data=data))


def test_lists_are_what_the_files_hold(lists: Lists) -> None:
    found = [row for row in rows("keyphrases.csv") if row["system"] == "yake-3"]
    topic = found[0]["query"]
    told = [row["item"].replace(" ", "_") for row in found if row["query"] == topic]
    assert lists.answers["yake-3"][topic] == told
    assert len(lists.grades) == TOPICS
    assert {topic for one in lists.answers.values() for topic in one} == {*lists.grades}
    assert [{*group} for group in lists.copies()] == [{COPIED, COPY}]
    assert 0 < lists.judged_share() < 1
    for one in lists.judged().answers.values():
        for topic, kept in one.items():
            assert len(kept) <= 10
            assert {*kept} <= {*lists.grades[topic]}


def by_hand(found: list[str], grades: dict[str, float]) -> tuple[float, float]:
    """AP and P@10, as the textbook has them."""
    hits = [grades.get(one, 0) >= 1 for one in found]
    at = [sum(hits[: k + 1]) / (k + 1) for k in range(len(hits)) if hits[k]]
    return sum(at) / sum(grade >= 1 for grade in grades.values()), sum(hits[:10]) / 10


def test_scores_with_judgments_are_those_of_the_textbook(
    lists: Lists, recording: recorded.Recording
) -> None:
    output = recording.output
    for place, run in enumerate(lists.runs):
        both = np.array(
            [
                by_hand(lists.answers[run].get(topic, []), grades)
                for topic, grades in lists.grades.items()
            ]
        )
        assert output["truth"]["AP"][place] == pytest.approx(both[:, 0].mean(), abs=1e-6)
        assert output["truth"]["P@10"][place] == pytest.approx(both[:, 1].mean(), abs=1e-6)
        assert output["truth"]["AP, odd"][place] == pytest.approx(both[::2, 0].mean(), abs=1e-6)


def test_consensus_is_the_papers(lists: Lists, recording: recorded.Recording) -> None:
    """P(δ) = (1 + votes) / (s + 2), s systems that answered; P@10: its sum over ten, by ten."""
    names = lists.runs
    short = {run: {q: found[:10] for q, found in lists.answers[run].items()} for run in names}
    for place, run in enumerate(names):
        values = []
        for topic in lists.grades:
            others = [short[name][topic] for name in names if topic in short[name]]
            votes = [sum(one in found for found in others) for one in short[run].get(topic, [])]
            values.append(sum((1 + vote) / (len(others) + 2) for vote in votes) / 10)
        told = recording.output["agreed"][TEN]["consensus"]["scores"][place]
        assert told == pytest.approx(np.mean(values), abs=1e-6)


def test_a_real_slice_runs_through(recording: recorded.Recording) -> None:
    field = runs_figures.Field(recording.output)
    assert field.fitting(ALL) == [*METHODS]
    assert {*json.loads(json.dumps(recording.output, allow_nan=False))} >= {"labels", "agreed"}
    found = runs_figures.results(field)
    made = runs.told(recording, Asked(again=True, size=TOPICS))
    assert f"ranks {len(field.runs)} search runs" in made.headline
    text = str(render(made.payload(), "text"))
    assert "just run" in text
    for name in field.runs:
        assert name in text
    assert {one.way for one in found.bought} >= {DESIGNED, EVEN}
    for one in found.bought:
        assert -1 <= one.ends[0] <= one.tau <= one.ends[1] <= 1
        assert one.covered is None or 0 <= one.covered <= 1


@pytest.mark.parametrize("way", [DESIGNED, EVEN])
def test_all_labels_give_the_ranking_by_judgments(lists: Lists, way: str) -> None:
    pool = lists.judged()
    true = true_scores(pool)
    told = estimated(pool, draw(pool, way, len(pool.items()), seed=1), true, seed=1)
    assert told["labels"] == len(pool.items())
    assert told["value"] == pytest.approx(true, abs=1e-4)
    assert cs.kendall(true, told["value"]) == pytest.approx(1)


def test_a_pool_as_deep_as_the_lists_is_the_truth(lists: Lists) -> None:
    made = few_labels(lists, Plan(budgets=(), depths=(1, 10)), seed=0)
    shallow, deep = made["draws"]
    assert deep["labels"] == made["population"] > shallow["labels"]
    assert deep["value"] == pytest.approx(made["truth"], abs=1e-4)
    assert all(a <= b + 1e-4 for a, b in zip(shallow["value"], deep["value"], strict=True))


def test_draws_depend_on_the_seed_alone(lists: Lists) -> None:
    pool = lists.judged()
    for way in (DESIGNED, EVEN):
        one, same, other = (draw(pool, way, 40, seed=seed) for seed in (3, 3, 4))
        assert one == same != other


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    output: dict[str, Any] = recorded.load("runs").output
    return output


def test_what_was_recorded_is_the_round(kept: dict[str, Any]) -> None:
    """Counts and the range of MAP as published (whole runs: .0006 to .3128)."""
    count = 143
    assert len(kept["runs"]) == len({*kept["runs"]}) == count
    assert len(kept["topics"]) == 30
    assert kept["judged"] == 8691
    assert count - sum(len(group) - 1 for group in kept["copies"]) == 139
    assert 0 <= min(kept["truth"]["AP"]) < 0.0006
    assert 0.2 < max(kept["truth"]["AP"]) <= 0.3128
    columns = [
        *kept["truth"].values(),
        kept["dependence"]["likeness"],
        *(one["scores"] for over in (ALL, TEN) for one in kept["agreed"][over].values()),
        *(one["value"] for one in kept["labels"]["draws"]),
    ]
    assert {len(one) for one in columns} == {count}
    assert all(0 <= value <= 1 for one in columns[:3] for value in one)
    for one in kept["labels"]["draws"]:
        assert one["labels"] <= kept["labels"]["population"]
        assert one.get("covered", 0) <= one.get("intervals", 0) <= count


def test_figures_of_the_first_trial_come_out(kept: dict[str, Any]) -> None:
    """τ of small numpy prototypes: consensus over the first ten .77, with P@10 as truth .72."""
    field = runs_figures.Field(kept)
    agreed = field.agreed(TEN)
    assert round(cs.kendall(field.truth("AP"), agreed), 2) == 0.77
    assert round(cs.kendall(field.truth("P@10"), agreed), 2) == 0.72


def test_tau_of_what_was_recorded_is_that_of_all_pairs(kept: dict[str, Any]) -> None:
    field = runs_figures.Field(kept)
    a, b = field.truth("AP"), field.agreed(ALL)
    signs = [
        (np.sign(a[i] - a[j]), np.sign(b[i] - b[j]))
        for i, j in itertools.combinations(range(len(a)), 2)
    ]
    x, y = np.array(signs).T
    tau = (x @ y) / np.sqrt((x @ x) * (y @ y))
    found = next(one for one in runs_figures.compared(field, ALL) if one.method == "consensus")
    assert found.figures["tau_b"] == pytest.approx(tau)
    low, high = found.intervals["tau_b"] or (1.0, 0.0)
    assert low <= tau <= high


def without_labels(field: runs_figures.Field) -> runs_figures.Results:
    return runs_figures.Results(
        {ALL: tuple(runs_figures.compared(field, ALL))},
        tuple(runs_figures.yardsticks(field)),
        others=(),
        bought=(),
        unlabelled=(0.0, 0.0, 0.0),
    )


def test_what_is_told_follows_the_scores(kept: dict[str, Any]) -> None:
    """Were consensus the truth, or its opposite, other findings would come out."""

    def agrees(scores: list[float]) -> list[bool | None]:
        told = {"consensus": {**kept["agreed"][ALL]["consensus"], "scores": scores}}
        over = {ALL: told, TEN: kept["agreed"][TEN]}
        field = runs_figures.Field({**kept, "agreed": over})
        return [one.agrees for one in runs_findings.findings(field, without_labels(field))]

    true = kept["truth"]["AP"]
    _, tiers, not_the_same, _, popular, *_ = agrees(true)
    assert (tiers, not_the_same, popular) == (True, False, False)
    _, tiers, not_the_same, *_ = agrees([-one for one in true])
    assert (tiers, not_the_same) == (False, True)


def test_the_report_is_made_of_what_was_recorded() -> None:
    made = runs.run(Asked(seed=5))
    told = made.payload()
    assert told["stages"][0]["recorded"]
    assert told["seed"] == 0
    assert any("seed 0" in note for note in made.notes)
    assert all(len(one["rows"]) < 400 for one in told["figures"])
    assert len(next(one for one in told["figures"] if one["name"] == "scatter")["rows"]) == 143
    best = next(one for one in made.tables if one.title.startswith("The ten runs that judgments"))
    assert [row[2] for row in best.rows] == [*range(1, 11)]
    values = np.array([row[1] for row in best.rows], np.float64)
    assert (np.diff(values) <= 0).all()


def test_what_is_undefined_is_a_dash(kept: dict[str, Any]) -> None:
    """One topic has no other half, and no interval."""
    truth = kept["truth"] | {"AP, even": [None] * len(kept["runs"])}
    bare = {"tau_b": None, "tau_ap": None, "regret": None}
    agreed = {
        over: {name: one | {"intervals": bare} for name, one in several.items()}
        for over, several in kept["agreed"].items()
    }
    output = kept | {"truth": truth, "agreed": agreed, "topics": kept["topics"][:1]}
    field = runs_figures.Field(output)
    found = without_labels(field)
    assert "half against half: –" in runs_findings.headline(field, found)
    told = runs_findings.findings(field, found)
    assert told[0].agrees is None
    assert "nan" not in " ".join(one.ours for one in told)
    assert "1 topic: too few for intervals" in runs_tables.without_judgments(field, found, ALL).note


def test_what_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(recorded.VARIABLE, str(tmp_path))
    with pytest.raises(UsageError, match=r"--data names the folder that holds ir_trec_covid"):
        runs.run(Asked(again=True))
    with pytest.raises(UsageError, match="is not a folder"):
        runs.run(replace(Asked(again=True), data=tmp_path))
    with pytest.raises(UsageError, match="--again --size 3"):
        runs.run(Asked(size=3))
