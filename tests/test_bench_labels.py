"""Few labels: the benchmark on small inputs, and what must hold of it, on simulated studies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import consilience as cs
from bench.labels import page, tables
from bench.labels.__main__ import BEGIN, DRAWS, PAGE, RESULTS, SETS, main
from bench.labels.draws import (
    Labelled,
    corrected,
    judged_only,
    labels_only,
    plain,
    pool,
    rounds,
    shrunk,
    unjudged_wrong,
)
from bench.labels.figures import Row, Tally
from bench.labels.hidden import F1, Hidden, exact, hide, pooled
from bench.labels.once import once
from consilience.examples.pipelines import pipelines
from consilience.verdict.designed import Designed


@pytest.fixture(scope="module")
def small() -> Hidden:
    return hide("small", "", pipelines(pages=5, items=200, seed=1), F1)


def ranked() -> cs.Study:
    """Three runs over two topics; `h` was not judged."""
    runs = {
        "a": {"q": {"x": 3.0, "h": 2.0, "y": 1.0}, "r": {"u": 2.0, "v": 1.0}},
        "b": {"q": {"y": 3.0, "z": 2.0, "x": 1.0}, "r": {"v": 2.0, "u": 1.0}},
        "c": {"q": {"z": 3.0, "x": 2.0}, "r": {"v": 2.0}},
    }
    return cs.study(runs, truth={"q": {"x": 1, "y": 0, "z": 1}, "r": {"u": 1, "v": 0, "w": 1}})


def test_a_hundred_labels_of_ten_thousand():
    tally = Tally()
    for seed in (0, 1, 2):
        one = hide("two engines", "", pipelines(seed=seed), F1)
        true = one.true(F1)
        with once():
            for number in range(10):
                told = next(rounds(one, F1, [100], seed=number))
                tally.add(plain(told, corrected(told, [F1], seed=number), F1), true)
    row = tally.row("two engines", F1, "designed", 100)
    assert row.draws == 30
    assert row.mae <= 0.05
    assert row.coverage is not None
    assert row.coverage_error is not None
    assert row.coverage >= 0.93 - 2 * max(row.coverage_error, np.sqrt(0.93 * 0.07 / 30))


def test_what_is_remembered_changes_nothing(small):
    def last() -> tuple[Labelled, Designed]:
        *_, told = rounds(small, F1, [40, 40], seed=3)
        return told, corrected(told, [F1, "P"], seed=3)

    told, found = last()
    with once():
        again_told, again = last()
    assert told.study.fingerprint() == again_told.study.fingerprint()
    for measure in found.measures:
        np.testing.assert_array_equal(found.measures[measure].value, again.measures[measure].value)
        np.testing.assert_array_equal(
            found.measures[measure].standard_error, again.measures[measure].standard_error
        )


def test_hidden_truth_scores_as_the_product_does(small):
    seen = pipelines(pages=5, items=200, seed=1)
    for measure in (F1, "P", "R", "F1"):
        scores = cs.score(seen, measures=[measure])
        values = [scores[system][measure].value for system in scores.systems]
        assert small.true(measure) == pytest.approx(values)
    assert small.study.evidence.lists == 0


def test_pools_of_judged_items():
    study = pooled(ranked(), depth=2)
    hidden = hide("runs", "", study, "P@2")
    names = [
        (study.queries[query], name)
        for query, name in zip(
            study.items.query(np.arange(len(study.items))).tolist(),
            study.items.names(np.arange(len(study.items))),
            strict=True,
        )
    ]
    assert sorted(names) == [("q", "x"), ("q", "y"), ("q", "z"), ("r", "u"), ("r", "v")]
    assert hidden.true("P@2").tolist() == [0.5, 0.5, 0.5]
    places = dict(zip(names, hidden.place.tolist(), strict=True))
    assert places == {("q", "x"): 0, ("q", "y"): 0, ("q", "z"): 0, ("r", "u"): 0, ("r", "v"): 0}


def test_a_pool_grows_from_the_top(small):
    for budget in (10, 300):
        held = pool(small, budget, seed=0)
        assert held.sum() == budget
        assert small.place[held].max() <= small.place[~held].min()
    everything = np.ones(len(small.truth), bool)
    for score in (unjudged_wrong, judged_only):
        assert score(small, everything, F1).value == pytest.approx(small.true(F1))
    worst = unjudged_wrong(small, np.zeros(len(small.truth), bool), F1)
    assert worst.value.tolist() == [0.0] * len(small.study.systems)


def test_labels_of_everything_leave_no_error(small):
    told = next(rounds(small, F1, [len(small.truth)], seed=0))
    assert told.labels == len(small.truth)
    true = small.true(F1)
    found = corrected(told, [F1], seed=0)
    for outcome in (plain(told, found, F1), shrunk(told, found, F1), labels_only(small, told, F1)):
        assert outcome.value == pytest.approx(true)
    assert plain(told, found, F1).standard_error == pytest.approx(np.zeros(len(true)))
    assert exact(small.table(F1), F1, small.truth) == pytest.approx(true)


def row(budget: int, tau: float) -> Row:
    return Row("set", F1, "way", budget, budget, 1, tau, 0.1, 0.0, 0.0, 0.1)


def test_labels_needed():
    growing = [row(100, 0.6), row(400, 0.8), row(800, 0.9)]
    assert tables.labels_for(growing, "tau", 0.7, more=True) == pytest.approx(200)
    assert tables.labels_for(growing, "tau", 0.5, more=True) == 100
    assert tables.labels_for(growing, "tau", 0.95, more=True) is None
    unsteady = [row(100, 0.8), row(400, 0.6), row(800, 0.8)]
    assert tables.labels_for(unsteady, "tau", 0.7, more=True) == pytest.approx(400 * 2**0.5)


def test_it_says_what_is_missing_and_tries_the_rest(tmp_path: Path, capsys):
    given = ["--quick", "--jobs", "1", "--data", str(tmp_path / "no"), "--results", str(tmp_path)]
    assert main(given) == 0
    data = json.loads((tmp_path / "few-labels.json").read_text())
    assert len(data["missing"]) == 5
    assert "ir_llmjudge does not exist" in capsys.readouterr().err
    results = tables.Results.of({key: data[key] for key in data if key not in ("machine", "bars")})
    assert {one.set for one in results.few} == {"two engines 12/12", "two engines 4/12"}
    assert (tmp_path / "few-labels.md").read_text().startswith("# Few labels")


def test_the_page_for_users_has_the_figures_that_were_found():
    data = json.loads((RESULTS / "few-labels.json").read_text())
    results = tables.Results.of(data)
    assert not results.missing
    for section, sets in SETS.items():
        assert {one.set for one in getattr(results, section)} == set(sets)
        assert min(one.draws for one in getattr(results, section)) == DRAWS[section]
    _, _, rest = PAGE.read_text().partition(BEGIN)
    shown, _, _ = rest.partition("<!-- end of table -->")
    assert shown.strip() == "\n".join(page.lines(results))
