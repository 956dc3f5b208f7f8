"""Beliefs from judges, and what measures make of beliefs that are not 0 or 1."""

import numpy as np
import pytest

import consilience as cs
from consilience.belief import gold
from consilience.measures.averaged import eleven_points
from consilience.measures.sets import (
    Counts,
    accuracy,
    f_measure,
    mcc,
    precision,
    recall,
    specificity,
)
from consilience.study.ranking import Ties

JUDGES = {
    "anna": {"q": {"a": 1, "b": 0}},
    "ben": {"q": {"a": 1, "b": 1, "d": 2}},
    "cleo": {"q": {"a": 0, "b": -1, "c": 0}},
}


@pytest.fixture
def study():
    return cs.study({"s": {"q": ["a", "b", "c"]}, "t": {"q": ["a", "e"]}}, truth=JUDGES)


def probabilities(study, **options):
    belief = gold(study, **options)
    return dict(zip(study.items.names(belief.item), belief.p.tolist(), strict=True))


def test_shares_of_judges(study):
    """A negative grade is no judgment: of b there are two."""
    assert probabilities(study) == pytest.approx({"a": 2 / 3, "b": 1 / 2, "c": 0, "d": 1})
    assert probabilities(study, relevant_from=2) == {"a": 0, "b": 0, "c": 0, "d": 1}


def test_what_a_belief_says_of_itself(study):
    belief = gold(study)
    assert (belief.method, belief.effective_respondents) == ("shares of judges", 3.0)
    assert not belief.crisp
    assert gold(study, relevant_from=2).crisp
    single = gold(cs.study({"s": {"q": ["a"]}}, truth={"q": {"a": 1}}))
    assert (single.method, single.effective_respondents, single.crisp) == ("gold", 1.0, True)


def test_unknown_items_are_unknown(study):
    belief = gold(study)
    e = [code for code in range(len(study.items)) if study.items.names([code]) == ["e"]]
    assert np.isnan(belief.of(np.array(e))).all()
    assert belief.gain_of(np.array(e)).tolist() == [0.0]
    listed = cs.study({"s": {"q": ["a", "b"]}}, truth={"q": ["a"]})
    assert gold(listed).of(np.arange(len(listed.items))).tolist() == [1.0, 0.0]
    assert gold(listed).assumes == "gold lists every relevant item"


def test_precision_and_recall_of_fractions(study):
    """Lamiroy & Sun (2011): Pr = Σ P·S / Σ S, Rc = Σ P·S / Σ P, with P = 2/3, 1/2, 0, 1, –."""
    scores = cs.score(study, measures=["P", "R", "F1", "P@2"])
    total, found = 2 / 3 + 1 / 2 + 1, {"s": 2 / 3 + 1 / 2, "t": 2 / 3}
    for system, returned in (("s", 3), ("t", 2)):
        one = scores[system]
        assert one["P"].value == pytest.approx(found[system] / returned)
        assert one["R"].value == pytest.approx(found[system] / total)
        assert one["F1"].value == pytest.approx(2 * found[system] / (returned + total))
        assert one["P@2"].value == pytest.approx(found[system] / 2)


def test_measures_that_need_a_crisp_truth_say_so(study):
    for name, one in cs.score(study, measures=["Rprec", "Efficiency@2", "AUC"])["s"].items():
        assert np.isnan(one.value), name
        assert one.reason == "needs a 0/1 belief and 0/1 votes"
    graded = cs.score(study, measures=["nDCG", "Judged@2"])
    assert graded["t"]["Judged@2"].value == 0.5
    best = 2 / 1 + (2 / 3) / np.log2(3) + (1 / 2) / 2
    assert graded["s"]["nDCG"].value == pytest.approx((2 / 3 + (1 / 2) / np.log2(3)) / best)


def test_no_truth_is_an_error():
    with pytest.raises(cs.UsageError, match="no truth to compare with"):
        cs.score(cs.study({"s": {"q": ["a"]}}))


def test_unknown_conventions_and_ties_are_errors(study):
    with pytest.raises(cs.UsageError, match="did you mean 'trec_eval'"):
        cs.score(study, measures=["P"], convention="trec-eval")  # type: ignore[arg-type]
    with pytest.raises(cs.UsageError, match="unknown rule for ties 'random'"):
        cs.score(study, measures=["P"], ties="random")  # type: ignore[arg-type]
    with pytest.raises(cs.UsageError, match="no measure"):
        cs.score(study, measures=[])
    with pytest.raises(cs.UsageError, match="unknown system 'u'"):
        cs.score(study, measures=["P"])["u"]


def test_the_first_measure_s_threshold_is_the_belief_of_curves_and_notes():
    truth = {"q": {"a": 1, "b": 2}}
    study = cs.study({"s": {"q": {"a": 2.0, "b": 1.0}}}, truth=truth)
    for names, points in ((["AP", "AP(rel=2)"], [1.0] * 11), (["AP(rel=2)", "AP"], [0.5] * 11)):
        curves = eleven_points(study, cs.score(study, measures=names))
        assert curves["s"].tolist() == points


def test_curves_settle_ties_as_scores_do():
    study = cs.study({"s": {"q": {"a": 1.0, "b": 1.0}}}, truth={"q": {"a": 1, "b": 0}})
    rules: list[tuple[Ties, float]] = [("trec", 0.5), ("best", 1.0), ("worst", 0.5)]
    for ties, first in rules:
        scores = cs.score(study, measures=["AP"], ties=ties)
        assert eleven_points(study, scores)["s"][0] == scores["s"]["AP"].value == first


def test_counts_of_many_answers_at_once():
    """By hand; what has nothing to divide by is undefined."""
    c = Counts.of(tp=[3, 0, 0], fp=[1, 0, 2], fn=[2, 0, 0], tn=[4, 5, 0])
    expected = {
        precision: [3 / 4, np.nan, 0],
        recall: [3 / 5, np.nan, np.nan],
        f_measure: [6 / 9, np.nan, 0],
        specificity: [4 / 5, 1, 0],
        accuracy: [7 / 10, 1, 0],
        mcc: [10 / np.sqrt(4 * 5 * 5 * 6), np.nan, np.nan],
    }
    for function, values in expected.items():
        np.testing.assert_allclose(function(c), values, err_msg=function.__name__)
    assert precision(c.total()) == 3 / 6
