"""Labels drawn by design: how sure estimates are, and what a ranking makes of them."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import consilience as cs
from consilience.examples.pipelines import pipelines
from consilience.measures.names import parse
from consilience.study import Study
from consilience.verdict.designed import UNITS, Designed, designed, estimable, shrink
from tests.verdict.labelled import labelled_in_rounds, true_scores, truth_of

MICRO = "F1(average=micro)"


@pytest.fixture(scope="module")
def whole() -> Study:
    """Pipelines with all of their truth."""
    return pipelines(pages=5, items=200, seed=4)


@pytest.fixture(scope="module")
def some(whole: Study) -> Study:
    """The same with 120 labels."""
    return labelled_in_rounds(whole, truth_of(whole), parse(MICRO), (120,), seed=0)


@pytest.fixture(scope="module")
def found(some: Study) -> Designed:
    """What the labels say."""
    return designed(some, measures=[MICRO, "P"])


def test_the_payload_says_how_labels_came_about(some: Study) -> None:
    payload = cs.rank(some).payload()
    json.dumps(payload, allow_nan=False)
    assert payload["condition"] == "partial"
    assert payload["belief"]["method"] == "aipw"
    assert payload["caveat"] is None
    design = payload["design"]
    assert design["labels"] == design["drawn"] > 80
    assert design["population"] == len(some.items)
    assert design["prediction"] == {
        "from": "ls-eb",
        "calibrated": True,
        "labels_used": design["labels"],
    }
    assert payload["uncertainty"]["unit"] == payload["resampling"]["unit"] == "labels"
    assert payload["stop"]["labels"] == design["labels"]
    for system in payload["systems"]:
        score = system["scores"][MICRO]
        low, high = score["interval"]
        assert 0 <= low <= score["value"] <= high <= 1
        assert score["standard_error"] > 0
        assert score["plain"] < score["value"]  # unjudged items are not all irrelevant
        assert score["interval_withheld"] is None


def test_no_cutoff_is_charted_that_the_design_does_not_estimate() -> None:
    """What the belief says at a cutoff is not what the labels estimate there."""
    ranked = {"a": {"q": ["x", "y", "z"]}, "b": {"q": ["z", "y", "v"]}, "c": {"q": ["v", "x"]}}
    labels = [
        {"query": "q", "item": item, "label": label, "probability": 0.5, "round": 1}
        for item, label in (("x", 1), ("v", 0))
    ]
    study = cs.study(ranked, truth=labels)
    verdict = cs.rank(study, measures=["P@2"], show=cs.Wanted(cutoffs=2))
    assert verdict.design is not None
    assert verdict.agreement.cutoffs is None
    assert verdict.payload()["cutoffs"] is None
    assert [note for note in verdict.notes if note.startswith("precision and recall at each")]
    assert not [note for note in cs.rank(study, measures=["P@2"]).notes if "charted" in note]


def test_differences_are_surer_than_scores(found: Designed) -> None:
    """Two pipelines of one engine share their errors: their difference is known better."""
    one = found.measures[MICRO]
    contrast = np.zeros((1, len(one.value)))
    contrast[0, :2] = [1, -1]
    assert one.error(contrast)[0] < one.standard_error[:2].min()


def test_joint_draws_have_the_errors_that_are_stated(found: Designed) -> None:
    one = found.measures[MICRO]
    drawn = one.draws(0, 40_000)
    np.testing.assert_allclose(drawn.mean(axis=0), one.value, atol=0.002)
    assert (drawn.std(axis=0) >= 0.97 * one.standard_error).all()
    first = int(one.value.argmax())
    apart = (drawn - drawn[:, [first]]).std(axis=0)
    careful = one.differences(np.arange(len(one.value)), np.full(len(one.value), first))
    assert (apart >= 0.97 * careful).all()


def test_right_guesses_do_not_make_intervals_of_no_width(some: Study) -> None:
    """The floor: half of what the guess expects of itself."""
    one = designed(some, measures=[MICRO]).measures[MICRO]
    lucky = replace(one, covariance=np.zeros_like(one.covariance))
    assert (lucky.standard_error > 0).all()
    np.testing.assert_allclose(lucky.standard_error**2, np.diag(one.floor) / 2, rtol=0.2)


def test_systems_that_differ_where_nobody_looked_are_not_told_apart() -> None:
    """Two systems that differ in unlabelled items only: no label, no certainty."""
    items = [f"i{number}" for number in range(60)]
    labels = {
        "query": ["q"] * 20,
        "item": items[:20],
        "probability": [0.4] * 20,
        "label": [int(number % 2 == 0) for number in range(20)],
    }
    alike = [item for item in items[:40] if int(item[1:]) % 2 == 0]
    study = cs.study(
        {
            "a": {"q": [*alike, "i50"]},
            "b": {"q": [*alike, "i51", "i53"]},
            "c": {"q": items[:30]},
            "d": {"q": items[20:]},
        },
        truth=labels,
    )
    one = designed(study, measures=["F1"]).measures["F1"]
    assert (one.covariance[0, 0] + one.covariance[1, 1] - 2 * one.covariance[0, 1]) < 1e-6
    contrast = np.array([[1.0, -1.0, 0.0, 0.0]])
    assert one.error(contrast)[0] > 0.01
    assert not cs.rank(study, measures=["F1"]).settled


def test_queries_like_these_are_less_sure_than_these_queries(some: Study) -> None:
    labels, queries = (
        designed(some, measures=[MICRO], unit=unit).measures[MICRO] for unit in UNITS
    )
    np.testing.assert_allclose(labels.value, queries.value)
    assert (queries.quantile(0.95) > labels.quantile(0.95)).all()
    assert (labels.quantile(0.95) > 1.96).all()


def test_few_queries_say_nothing_of_other_queries() -> None:
    labels = {"query": ["q"] * 2, "item": ["a", "b"], "label": [1, 0], "probability": [0.5, 0.5]}
    study = cs.study({"s": {"q": ["a", "b", "c"]}, "t": {"q": ["c"]}}, truth=labels)
    with pytest.raises(cs.UsageError, match="say nothing about other queries"):
        cs.rank(study, unit="queries")


def test_what_cannot_be_estimated_is_undefined_with_the_reason(some: Study) -> None:
    payload = cs.rank(some, measures=[MICRO, "Accuracy"]).payload()
    score = payload["systems"][0]["scores"]["Accuracy"]
    assert score["value"] is None
    assert "estimate P, R and F" in score["undefined"]
    only = cs.rank(some, measures=["MCC"])
    assert only.sentence.startswith("No system can be ranked by MCC")
    assert not only.settled


def test_measures_that_can_be_estimated() -> None:
    names = ("P", "R@5", "F2(average=micro)", "AP", "nDCG@10", "P(judged_only=True)@5", "Bpref")
    assert [estimable(parse(name)) for name in names] == [True] * 3 + [False] * 4


def test_labels_without_probabilities_are_not_estimated_from(whole: Study) -> None:
    with pytest.raises(cs.UsageError, match="no label carries a probability"):
        cs.rank(whole, belief=cs.aipw)


def test_plain_truth_can_still_be_asked_for(some: Study) -> None:
    """Believing the labels alone counts what has none as not relevant, and says so."""
    verdict = cs.rank(some, belief=cs.gold, measures=["F1"])
    assert verdict.design is None
    assert verdict.sure.withheld
    assert "counting unjudged items as not relevant" in verdict.sentence.lower()


def test_shrinking_keeps_what_is_no_noise() -> None:
    """Estimates without noise stay where they are; with much noise they share one correction."""
    value, guess = np.array([0.5, 0.7, 0.9]), np.array([0.6, 0.6, 0.6])
    slope = np.eye(3)
    np.testing.assert_allclose(shrink(value, guess, slope, np.zeros(3)), value)
    noisy = shrink(value, guess, slope, np.full(3, 10.0))
    np.testing.assert_allclose(noisy, np.full(3, 0.7))
    assert np.isnan(shrink(np.array([np.nan]), np.array([np.nan]), np.zeros((1, 1)), np.ones(1)))


def test_shrinking_weighs_every_system_by_its_own_noise() -> None:
    """δ = −.3, 0, .3; v = .04, .01, .01 of mean .02, so τ² = .06 − .02: kept are .5 and .8.

    The noise .09 is the first system's: v is (2/3)² of it there, and (1/3)² in the others.
    """
    guess = np.full(3, 0.5)
    found = shrink(np.array([0.2, 0.5, 0.8]), guess, np.eye(3), np.array([0.09, 0.0, 0.0]))
    assert found == pytest.approx([0.5 - 0.5 * 0.3, 0.5, 0.5 + 0.8 * 0.3])


def test_the_order_of_rows_and_names_do_not_matter(whole: Study) -> None:
    """Labels in another order: the same estimates (folds are parted by a seed over the items)."""
    truth = truth_of(whole)
    study = labelled_in_rounds(whole, truth, parse(MICRO), (40, 40), seed=3)
    rows = _rows(study)
    back = {name: column[::-1] for name, column in rows.items()}
    answers = {
        system: {
            whole.queries[query]: whole.items.names(
                whole.answers.item[whole.answers.starts[place] : whole.answers.starts[place + 1]]
            )
            for place, (code, query) in enumerate(
                zip(whole.answers.respondent, whole.answers.query, strict=True)
            )
            if whole.respondents.names[code] == system
        }
        for system in whole.systems
    }
    one, other = (cs.rank(cs.study(answers, truth=table)) for table in (rows, back))
    for first, second in zip(one.standings, other.standings, strict=True):
        assert first.name == second.name
        assert first.scores[one.measure].value == pytest.approx(
            second.scores[one.measure].value, abs=1e-9
        )


def _rows(study: Study) -> dict[str, list[object]]:
    """Give the labels of a study as a table."""
    evidence = study.evidence
    query = study.items.query(evidence.item)
    assert evidence.vote is not None
    assert evidence.probability is not None
    assert evidence.round is not None
    return {
        "query": [study.queries[one] for one in query],
        "item": list(study.items.names(evidence.item)),
        "label": [int(vote) for vote in evidence.vote],
        "probability": evidence.probability.tolist(),
        "round": evidence.round.tolist(),
    }


def test_an_llm_judge_can_be_the_guess_and_is_never_the_truth(whole: Study) -> None:
    """A judge that is nearly always right makes estimates sharper than the votes do."""
    truth = truth_of(whole)
    rng = np.random.default_rng(0)
    count = len(whole.items)
    names, query = whole.items.names(np.arange(count)), whole.items.query(np.arange(count))
    drawn = rng.random(count) < 0.1
    judge = np.where(rng.random(count) < 0.99, truth, 1 - truth)
    table = {
        "query": [whole.queries[one] for one in query],
        "item": names,
        "judge": ["bot"] * count,
        "kind": ["llm"] * count,
        "label": judge.astype(int).tolist(),
    }
    for place in np.flatnonzero(drawn):
        for name, value in (
            ("query", whole.queries[query[place]]),
            ("item", names[place]),
            ("judge", "ann"),
            ("kind", "person"),
            ("label", int(truth[place])),
        ):
            table[name].append(value)
    table["probability"] = [None] * count + [0.1] * int(drawn.sum())
    answers = {
        f"s{skill}": {
            one: [
                names[place]
                for place in np.flatnonzero(np.array(query) == code)
                if rng.random() < (0.5 + skill / 10 if truth[place] else 0.1)
            ]
            for code, one in enumerate(whole.queries)
        }
        for skill in range(4)
    }
    study = cs.study(answers, truth=table)
    verdict = cs.rank(study, proxy="bot")
    assert verdict.design is not None
    assert verdict.design.prediction.source == "bot"
    assert sum(verdict.design.sample.labelled) == int(drawn.sum())
    people = {name: column[count:] for name, column in table.items()}
    alone = cs.rank(cs.study(answers, truth=people))
    assert alone.design is not None
    first = verdict.measure
    sharper, votes = (
        np.mean([one.details[first].standard_error or 0.0 for one in found.standings])
        for found in (verdict, alone)
    )
    assert sharper < votes < 0.25
    with pytest.raises(cs.UsageError, match="proxy"):
        cs.rank(study, proxy="nobody")


def test_true_scores_lie_within_the_intervals_about_as_often_as_stated(whole: Study) -> None:
    """Fifty draws: the share of systems covered is near the level."""
    truth, measure = truth_of(whole), parse(MICRO)
    goal = true_scores(whole, measure, truth)
    inside = []
    for seed in range(50):
        study = labelled_in_rounds(whole, truth, measure, (100,), seed=seed)
        one = designed(study, measures=[MICRO], seed=seed).measures[MICRO]
        inside.append(np.abs(one.value - goal) <= 1.96 * one.standard_error)
    assert 0.90 <= float(np.mean(inside)) <= 1.0


def test_labels_without_chance_make_no_intervals() -> None:
    """Drawn with certainty, and yet most items have no label: that is no draw, and is said."""
    items = [f"i{number}" for number in range(60)]
    answers = {"a": {"q": items[:30]}, "b": {"q": items[20:]}}
    labels = {"query": ["q"] * 20, "item": items[:20], "label": [1, 0] * 10}
    verdict = cs.rank(cs.study(answers, truth={**labels, "probability": [1.0] * 20}))
    assert verdict.design is None
    assert not verdict.settled
    assert any("probabilities are not used" in note for note in verdict.notes)
    assert all(one.intervals[verdict.measure] is None for one in verdict.standings)


def test_rows_without_any_label_are_no_design() -> None:
    """Some labels that somebody chose, and a draw of which nothing is labelled yet."""
    items = [f"i{number}" for number in range(60)]
    labels = {
        "query": ["q"] * 30,
        "item": items[:30],
        "label": [1, 0] * 5 + [None] * 20,
        "probability": [None] * 10 + [0.3] * 20,
    }
    answers = {"a": {"q": items[:30]}, "b": {"q": items[20:]}}
    verdict = cs.rank(cs.study(answers, truth=labels))
    assert verdict.design is None
    assert not verdict.settled


def test_labels_from_more_than_was_returned_are_right_about_recall() -> None:
    """5,000 documents, of which systems return 240; labels are drawn from all of them."""
    rng = np.random.default_rng(0)
    relevant = np.zeros(5000, bool)
    relevant[:200] = True
    found = {
        "a": np.flatnonzero(relevant)[:120].tolist() + list(range(1000, 1060)),
        "b": np.flatnonzero(relevant)[40:100].tolist() + list(range(1040, 1100)),
    }
    answers = {name: {"q": [f"d{item}" for item in items]} for name, items in found.items()}
    recall = []
    for _ in range(60):
        drawn = np.flatnonzero(rng.random(5000) < 0.1)
        labels = {
            "query": ["q"] * len(drawn),
            "item": [f"d{item}" for item in drawn],
            "label": relevant[drawn].astype(int).tolist(),
            "probability": [0.1] * len(drawn),
        }
        made = designed(cs.study(answers, truth=labels), measures=["R"])
        recall.append(made.measures["R"].value[0])
        assert 3000 < made.population < 7000
    mean, error = np.mean(recall), np.std(recall) / np.sqrt(60)
    assert abs(mean - 0.6) < 3 * error + 0.02


def test_labels_of_other_queries_count_for_nothing(some: Study) -> None:
    """Labels on a query that no system was asked: neither counted nor learned from."""
    rows = _rows(some)
    more = {name: [*column] for name, column in rows.items()}
    for number in range(40):
        for name, value in (
            ("query", "elsewhere"),
            ("item", f"e{number}"),
            ("label", number % 2),
            ("probability", 0.5),
            ("round", 1),
        ):
            more[name].append(value)
    answers = {"s": {"page-1": ["i1", "i2"]}, "t": {"page-1": ["i2", "i3"]}}
    one, other = (
        designed(cs.study(answers, truth=table), measures=["P"]) for table in (rows, more)
    )
    np.testing.assert_allclose(one.measures["P"].value, other.measures["P"].value)
    assert one.sample.labelled == other.sample.labelled


def test_options_of_designed_labels_are_refused_elsewhere(whole: Study) -> None:
    with pytest.raises(cs.UsageError, match="drawn by design"):
        cs.rank(whole, proxy="zzz")
    with pytest.raises(cs.UsageError, match="drawn by design"):
        cs.rank(whole, unit="queries")
