"""The same figures as scikit-learn, where it means the same: items as samples, queries as groups.

Expected values are computed by scikit-learn while the test runs.
"""

import numpy as np
import pytest
from sklearn import metrics

import consilience as cs
from consilience.measures import curve
from consilience.measures.names import parse


def samples(seed, *, ties, size=60):
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.3
    truth[:2] = [True, False]
    scores = rng.integers(0, 8, size).astype(float) if ties else rng.normal(size=size)
    return truth.astype(int), scores


CASES = [(seed, ties) for seed in range(10) for ties in (False, True)]


@pytest.mark.parametrize(("seed", "ties"), CASES)
def test_average_precision(seed, ties):
    truth, scores = samples(seed, ties=ties)
    expected = metrics.average_precision_score(truth, scores)
    assert curve.average_precision(truth, scores) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("seed", "ties"), CASES)
def test_trapezoid_is_the_auc_of_their_curve(seed, ties):
    truth, scores = samples(seed, ties=ties)
    precision, recall, _ = metrics.precision_recall_curve(truth, scores)
    ours = curve.average_precision(truth, scores, variant="trapezoid")
    assert ours == pytest.approx(metrics.auc(recall, precision), abs=1e-12)


@pytest.mark.parametrize(("seed", "ties"), CASES)
def test_precision_recall_curve(seed, ties):
    """Theirs runs from the lowest threshold up and appends recall 0, precision 1."""
    truth, scores = samples(seed, ties=ties)
    precision, recall, thresholds = metrics.precision_recall_curve(truth, scores)
    ours = curve.precision_recall(truth, scores)
    assert len(ours.k) == len(thresholds)
    np.testing.assert_allclose(ours.precision, precision[:-1][::-1], atol=1e-12)
    np.testing.assert_allclose(ours.recall, recall[:-1][::-1], atol=1e-12)
    assert (precision[-1], recall[-1]) == (1.0, 0.0)


@pytest.mark.parametrize(("seed", "ties"), CASES)
def test_roc(seed, ties):
    truth, scores = samples(seed, ties=ties)
    false, true, _ = metrics.roc_curve(truth, scores, drop_intermediate=False)
    ours = curve.roc(truth, scores)
    np.testing.assert_allclose(ours[0], false, atol=1e-12)
    np.testing.assert_allclose(ours[1], true, atol=1e-12)
    expected = metrics.roc_auc_score(truth, scores)
    assert curve.auc(truth, scores) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("seed", "ties"), CASES)
def test_measures_of_a_study(seed, ties):
    """One query whose items are all returned: AUC with ties, AP and nDCG without."""
    truth, scores = samples(seed, ties=ties)
    names = [f"i{place:02d}" for place in range(len(truth))]
    study = cs.study(
        {"s": {"q": dict(zip(names, scores.tolist(), strict=True))}},
        truth={"q": dict(zip(names, truth.tolist(), strict=True))},
    )
    ours = cs.score(study, measures=["AUC", "AP", "AP(variant=trapezoid)"])["s"]
    assert ours["AUC"].value == pytest.approx(metrics.roc_auc_score(truth, scores), abs=1e-12)
    if not ties:
        expected = metrics.average_precision_score(truth, scores)
        assert ours["AP"].value == pytest.approx(expected, abs=1e-12)
        precision, recall, _ = metrics.precision_recall_curve(truth, scores)
        area = metrics.auc(recall, precision)
        assert ours["AP(variant=trapezoid)"].value == pytest.approx(area, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", [None, 5, 30])
def test_ndcg(seed, k):
    rng = np.random.default_rng(seed)
    grades, scores = rng.integers(0, 4, 40), rng.normal(size=40)
    names = [f"i{place:02d}" for place in range(40)]
    study = cs.study(
        {"s": {"q": dict(zip(names, scores.tolist(), strict=True))}},
        truth={"q": dict(zip(names, grades.tolist(), strict=True))},
    )
    cut = "" if k is None else f"@{k}"
    for gain, worth in (("linear", grades), ("exponential", 2**grades - 1)):
        expected = metrics.ndcg_score([worth], [scores], k=k, ignore_ties=True)
        measure = str(parse(f"nDCG(gain={gain}){cut}"))
        ours = cs.score(study, measures=[measure])["s"][measure].value
        assert ours == pytest.approx(expected, abs=1e-12)


def test_missed_items_appended_last_are_not_the_same():
    """Relevant at ranks 1, 3, 6; two more were never returned, nor two that are not relevant."""
    returned = [1, 0, 1, 0, 0, 1]
    scores = [6, 5, 4, 3, 2, 1, 0, 0, 0, 0]
    assert curve.average_precision(returned, total=5) == pytest.approx(0.433333, abs=1e-6)
    appended = metrics.average_precision_score([*returned, 1, 1, 0, 0], scores)
    assert appended == pytest.approx(0.6333, abs=1e-4)
    assert metrics.average_precision_score(returned, scores[:6]) == pytest.approx(0.7222, abs=1e-4)


def votes(seed, queries=5, items=12):
    """Answers and truth as 0/1 tables (queries × items), every query with both kinds."""
    rng = np.random.default_rng(seed)
    said, truth = rng.random((2, queries, items)) < 0.4
    said[:, 0], said[:, 1], truth[:, 1], truth[:, 2] = True, False, True, False
    return said.astype(int), truth.astype(int)


def study_of(said, truth):
    names = np.array([f"i{place:02d}" for place in range(said.shape[1])])
    answers = {f"q{query}": names[row == 1].tolist() for query, row in enumerate(said)}
    judged = {
        f"q{query}": dict(zip(names.tolist(), row.tolist(), strict=True))
        for query, row in enumerate(truth)
    }
    return cs.study({"s": answers}, truth=judged)


SET_MEASURES = {
    "P": metrics.precision_score,
    "R": metrics.recall_score,
    "F1": metrics.f1_score,
    "F0.5": lambda truth, said: metrics.fbeta_score(truth, said, beta=0.5),
    "F2": lambda truth, said: metrics.fbeta_score(truth, said, beta=2),
    "Accuracy": metrics.accuracy_score,
    "MCC": metrics.matthews_corrcoef,
    "Specificity": lambda truth, said: metrics.recall_score(truth, said, pos_label=0),
}


@pytest.mark.parametrize("name", SET_MEASURES)
@pytest.mark.parametrize("seed", range(5))
def test_sets(seed, name):
    said, truth = votes(seed)
    study, theirs = study_of(said, truth), SET_MEASURES[name]
    micro = f"{name}(average=micro)"
    ours = cs.score(study, measures=[name, micro])["s"]
    each = [theirs(t, s) for t, s in zip(truth, said, strict=True)]
    np.testing.assert_allclose(ours[name].per_query, each, atol=1e-12)
    assert ours[name].value == pytest.approx(np.mean(each), abs=1e-12)
    assert ours[micro].value == pytest.approx(theirs(truth.ravel(), said.ravel()), abs=1e-12)


@pytest.mark.parametrize(("name", "theirs"), [("P", "precision"), ("R", "recall"), ("F1", "f1")])
def test_averages_of_labels(name, theirs):
    """A query per label, as in multilabel classification: macro and micro mean the same."""
    said, truth = votes(7)
    ours = cs.score(study_of(said, truth), measures=[name, f"{name}(average=micro)"])["s"]
    for average in ("macro", "micro"):
        expected = getattr(metrics, f"{theirs}_score")(truth.T, said.T, average=average)
        measure = str(parse(f"{name}(average={average})"))
        assert ours[measure].value == pytest.approx(expected, abs=1e-12)


def test_undefined_is_not_zero():
    """Nothing is relevant and nothing returned: scikit-learn says 0 (or what it is told)."""
    truth = {"q1": {"a": 1}, "q2": {"a": 0, "b": 0}}
    study = cs.study({"s": {"q1": ["a"], "q2": ["b"]}}, truth=truth)
    one = cs.score(study, measures=["R"])["s"]["R"]
    assert (one.value, one.defined, one.undefined) == (1.0, 1, 1)
    assert metrics.recall_score([0, 0], [0, 1], zero_division=0.0) == 0.0
    assert np.isnan(curve.average_precision([0, 0]))
    with pytest.warns(UserWarning, match="No positive class"):
        assert metrics.average_precision_score([0, 0], [1, 2]) == 0.0


def test_average_precision_of_nothing_returned():
    assert curve.average_precision([0, 0], total=3) == 0.0
