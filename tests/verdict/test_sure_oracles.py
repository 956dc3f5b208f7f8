"""Intervals against other programs: ppi-python, statsmodels, scipy, and enumeration by hand."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience.belief import prediction
from consilience.belief.prediction import fit_logistic
from consilience.belief.sample import sample_of
from consilience.measures.corrected import estimate, returned_items
from consilience.measures.names import parse
from consilience.verdict.resample import resample

PPI = json.loads((Path(__file__).parents[1] / "golden" / "ppi.json").read_text())


def labelled(items: int, drawn: list[int], truth: list[float], pi: list[float]) -> cs.Study:
    """One system that returned all items, some of which have labels."""
    names = [f"i{item:03}" for item in range(items)]
    labels = {
        "query": ["q"] * len(drawn),
        "item": [names[item] for item in drawn],
        "label": truth,
        "probability": pi,
    }
    return cs.study({"s": {"q": names}}, truth=labels)


@pytest.mark.parametrize("case", PPI["cases"], ids=lambda case: f"{len(case['guess'])} items")
def test_uniform_labels_give_prediction_powered_inference(case) -> None:
    """ppi_mean_pointestimate and ppi_mean_ci with lam=1 (tests/golden/make_ppi.py).

    The intervals differ in what is random. There it is all items, too (a variance of the guess over
    N), labels are fixed in number (residuals less their mean), and no label is the last one (no
    factor 1 − n/N). So much is taken into account here, by hand.
    """
    guess, truth = np.array(case["guess"]), np.array(case["truth"])
    n, size = len(truth), len(guess)
    share = n / size
    study = labelled(size, case["drawn"], case["truth"], [share] * n)
    sample = sample_of(study)
    assert sample is not None
    found = estimate(returned_items(study), parse("P"), guess, sample)
    assert found.value[0] == pytest.approx(case["value"], abs=1e-12)
    ours = float((sample.spread * (found.residual * found.slope[0]) ** 2).sum())
    low, high = case["interval"]
    theirs = ((high - low) / 2 / stats.norm.ppf(0.975)) ** 2
    theirs -= guess.var() / size
    theirs += found.residual.mean() ** 2 / n
    assert ours == pytest.approx((1 - share) * theirs, rel=1e-9)


def test_estimates_over_all_samples() -> None:
    """Go through all samples that could have been drawn of seven items (Horvitz & Thompson).

    No label and all labels are sums by hand: the first are no study, and of the others, all items
    being known, the truth itself is told.
    """
    rng = np.random.default_rng(3)
    guess, pi = rng.random(7), rng.uniform(0.2, 0.9, 7)
    truth = (rng.random(7) < 0.5).astype(float)
    mean, square, variance = 0.0, 0.0, 0.0
    for bits in product((False, True), repeat=7):
        drawn = np.flatnonzero(bits)
        chance = float(np.where(bits, pi, 1 - pi).prod())
        if len(drawn) in (0, 7):
            residual = (truth - guess)[drawn]
            value = guess.mean() + float((residual / pi[drawn]).sum()) / 7
            spread = float(((1 - pi[drawn]) / pi[drawn] ** 2 * residual**2).sum()) / 49
        else:
            study = labelled(7, drawn.tolist(), truth[drawn].tolist(), pi[drawn].tolist())
            sample = sample_of(study)
            assert sample is not None
            found = estimate(returned_items(study), parse("P"), guess, sample)
            value = float(found.value[0])
            spread = float((sample.spread * (found.residual * found.slope[0]) ** 2).sum())
        mean += chance * value
        square += chance * value**2
        variance += chance * spread
    by_hand = ((1 - pi) / pi * (truth - guess) ** 2).sum() / 49
    assert mean == pytest.approx(truth.mean(), abs=1e-12)
    assert square - mean**2 == pytest.approx(by_hand, rel=1e-9)
    assert variance == pytest.approx(by_hand, rel=1e-9)


@pytest.mark.parametrize("name", ["P", "R", "F1", "R(average=micro)", "F2(average=micro)"])
def test_labels_of_everything_leave_no_error(name: str) -> None:
    """Where every item was sure to be drawn, estimates are the scores, whatever the guess."""
    rng = np.random.default_rng(8)
    lists = {
        system: {q: rng.permutation(list("abcdefgh"))[:4].tolist() for q in ("q", "r", "s")}
        for system in ("one", "two")
    }
    rows = [(q, item) for q in ("q", "r", "s") for item in "abcdefgh"]
    labels = {
        "query": [q for q, _ in rows],
        "item": [item for _, item in rows],
        "label": rng.integers(0, 2, len(rows)).tolist(),
    }
    study = cs.study(lists, truth={**labels, "probability": [1.0] * len(rows)})
    sample = sample_of(study)
    assert sample is not None
    guess = rng.random(len(study.items))
    found = estimate(returned_items(study), parse(name), guess, sample)
    plain = cs.score(cs.study(lists, truth=labels), measures=[name])
    assert found.value == pytest.approx([plain[s][name].value for s in plain.systems], abs=1e-12)


def test_logistic_regression_without_a_hold_is_statsmodels(monkeypatch) -> None:
    import statsmodels.api as sm

    monkeypatch.setattr(prediction, "HELD", (1e-9, 1e-9, 1e-9))
    rng = np.random.default_rng(0)
    x = np.column_stack([np.ones(300), rng.normal(size=(300, 2))])
    y = (rng.random(300) < 1 / (1 + np.exp(-(x @ [-0.5, 1.2, -0.7])))).astype(float)
    weight = rng.uniform(1, 20, 300)
    theirs = sm.GLM(y, x, family=sm.families.Binomial(), freq_weights=weight).fit()
    assert fit_logistic(x, y, weight)[0] == pytest.approx(theirs.params, abs=1e-5)


def test_constants_of_queries_are_columns_of_their_own() -> None:
    rng = np.random.default_rng(1)
    x = np.column_stack([np.ones(300), rng.normal(size=(300, 3))])
    y, weight = (rng.random(300) < 0.4).astype(float), rng.uniform(0.5, 1.5, 300)
    query = rng.integers(0, 20, 300)
    b, own = fit_logistic(x, y, weight, query)
    dummies = np.column_stack([x, query[:, None] == np.arange(20)])
    whole, none = fit_logistic(dummies, y, weight)  # a column is held as strongly as a query
    assert np.concatenate([b, own]) == pytest.approx(whole, abs=1e-9)
    assert len(none) == 0


@pytest.mark.parametrize("queries", [12, 60])
def test_percentiles_are_scipys(queries: int) -> None:
    """The plain percentile interval of a mean, 20,000 draws each."""
    values = np.random.default_rng(queries).beta(0.6, 1.5, queries)
    drawn = resample(values[None], seed=1, samples=20_000)
    ours = np.quantile(drawn.draws[:, 0], [0.025, 0.975])
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(2),
    ).confidence_interval
    error = values.std() / np.sqrt(queries)
    assert ours == pytest.approx([theirs.low, theirs.high], abs=0.05 * error)
    wider = drawn.interval(drawn.draws[:, 0], 0.95)
    assert wider is not None
    assert wider[0] < ours[0]
    assert wider[1] > ours[1]
    student = stats.t.interval(0.95, queries - 1, values.mean(), stats.sem(values))
    assert wider[1] - wider[0] == pytest.approx(student[1] - student[0], rel=0.05)
