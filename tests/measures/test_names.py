"""Names of measures: what prints parses back; what is wrong is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.measures.names import (
    ALIASES,
    AP_VARIANTS,
    AVERAGES,
    BASES,
    GAINS,
    Measure,
    parse,
)
from consilience.measures.ranked import RANKED
from consilience.measures.sets import DIVIDE
from tests.measures.made import every_measure

NUMBERS = st.floats(1e-9, 1e12) | st.integers(1, 20).map(float)
VALUES: dict[str, st.SearchStrategy] = {
    "average": st.sampled_from(AVERAGES),
    "rel": NUMBERS,
    "beta": NUMBERS,
    "variant": st.sampled_from(AP_VARIANTS),
    "gain": st.sampled_from(GAINS),
    "judged_only": st.booleans(),
}


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Any measure that there is, with any options."""
    base = draw(st.sampled_from(sorted(BASES)))
    rule, options = BASES[base]
    k: int | None = draw(st.integers(1, 10_000))
    if rule == "never" or (rule == "may" and draw(st.booleans())):
        k = None
    chosen = {option: draw(VALUES[option]) for option in options if draw(st.booleans())}
    return Measure(base, k, **chosen)


def test_every_base_is_computed():
    assert set(BASES) == set(RANKED) | set(DIVIDE)
    assert not set(RANKED) & set(DIVIDE)
    assert set(ALIASES.values()) == set(BASES)


def test_every_option_has_values_to_test():
    assert {option for _, options in BASES.values() for option in options} == set(VALUES)


@given(measures())
def test_a_name_printed_is_a_name_that_parses(measure):
    assert parse(str(measure)) == measure
    assert str(parse(str(measure))) == str(measure)
    assert parse(measure) == measure


def test_names_differ_where_measures_differ():
    every = every_measure()
    assert len({str(measure) for measure in every}) == len(set(every)) == len(every)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("map", "AP"),
        ("MAP", "AP"),
        ("map_cut_10", "AP@10"),
        ("P_5", "P@5"),
        ("precision", "P"),
        ("recall_100", "R@100"),
        ("ndcg", "nDCG"),
        ("ndcg_cut_10", "nDCG@10"),
        ("NDCG@10", "nDCG@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain=exponential)@10"),
        ("nDCG(dcg=log2)", "nDCG"),
        ("recip_rank", "RR"),
        ("MRR@10", "RR@10"),
        ("RPrec", "Rprec"),
        ("success_1", "Success@1"),
        ("set_P", "P"),
        ("SetR", "R"),
        ("set_F", "F1"),
        ("F", "F1"),
        ("f1", "F1"),
        ("F0.5@20", "F0.5@20"),
        ("F(beta=0.5)", "F0.5"),
        ("F1.0", "F1"),
        ("relative_P_10", "Efficiency@10"),
        ("roc_auc", "AUC"),
        ("tnr", "Specificity"),
        ("P(average=micro, rel=2)@10", "P(average=micro,rel=2)@10"),
        ("P(rel=2,average=micro)@10", "P(average=micro,rel=2)@10"),
        ("AP(variant='11-point')", "AP(variant=11-point)"),
        ("AP(variant=step)", "AP"),
        (" P @ 10 ", "P@10"),
        ("bpref", "Bpref"),
        ("infAP", "infAP"),
        ("INFAP(rel=2)", "infAP(rel=2)"),
        ("AP(judged_only=True,rel=2)@5", "AP(rel=2,judged_only=True)@5"),
        ("nDCG(judged_only=False)", "nDCG"),
        ("F2(judged_only=true)", "F2(judged_only=True)"),
    ],
)
def test_other_programs_names(theirs, ours):
    assert str(parse(theirs)) == ours


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "not a measure's name"),
        ("P@", "not a measure's name"),
        ("P@10(rel=2)", "write NAME, NAME@k or"),
        ("P@0", "whole number from 1"),
        ("P@-1", "whole number from 1"),
        ("P@1.5", "whole number from 1"),
        ("P2", "unknown measure"),
        ("nDGC@10", "did you mean 'nDCG'"),
        ("rbp", "unknown measure"),
        ("Bpref@10", "takes no cutoff"),
        ("AP(judged_only=2)", "unknown judged_only of AP '2'"),
        ("AP(judged_only)", "unknown judged_only of AP"),
        ("AUC(judged_only=True)", "unknown option of AUC 'judged_only'"),
        ("Success", "write Success@10"),
        ("AUC@10", "takes no cutoff"),
        ("F0", "above 0"),
        ("F(beta=-1)", "above 0"),
        ("F(beta=inf)", "above 0"),
        ("F2(beta=2)", "says beta twice"),
        ("P(rel=nan)", "above 0"),
        ("P(rel=two)", "must be a number above 0, found 'two'"),
        ("P(rel=1,rel=2)", "says rel twice"),
        ("P(variant=step)", "unknown option of P 'variant'"),
        ("AP(variant=12-point)", "did you mean '11-point'"),
        ("nDCG(dcg=foo)", "unknown option of nDCG 'dcg'"),
        ("Judged(rel=2)@5", "possible: none"),
        (Measure("P", 5, variant="11-point"), "P takes no variant='11-point'"),
        (Measure("P", 0), "P takes no k=0"),
        (Measure("AUC", 5), "takes no cutoff"),
        (Measure("Bogus"), "unknown measure 'Bogus'"),
    ],
)
def test_what_is_wrong_is_said(name, says):
    with pytest.raises(cs.UsageError, match=says.replace("(", r"\(").replace(")", r"\)")):
        parse(name)
