"""Every figure that trec_eval prints for its own test files, where we compute it.

The expected outputs are trec_eval's (tests/data/trec_eval/README.md says where they come from).
A name that our parser understands must give the printed figure; a name that it does not
understand must be in ``ELSEWHERE``, so nothing is passed over in silence.
"""

import gzip
import re
from pathlib import Path

import numpy as np
import pytest

import consilience as cs
from consilience.belief import gold
from consilience.measures.averaged import eleven_points
from consilience.measures.hits import find_hits
from consilience.measures.names import parse
from consilience.measures.sets import counts

FILES = Path(__file__).parents[1] / "data" / "trec_eval"
HALF = 0.5e-4 + 1e-12  # four digits are printed

#: Printed, but not ours under any name: other measures, or figures without an average.
ELSEWHERE = re.compile(
    r"runid|relstring|gm_map|gm_bpref|Rprec_mult_.*|utility|binG|G|ndcg_rel|Rndcg"
    r"|set_relative_P|set_map|rbp|rbp_resid|num_q|num_nonrel_judged_ret"
)
#: Computed here by other means than a measure's name, below.
COUNTED = re.compile(r"num_ret|num_rel|num_rel_ret|unj_\d+|iprec_at_recall_.*|11pt_avg")


def printed(name):
    """Read an output of trec_eval: (measure, query) → figure."""
    figures = {}
    with gzip.open(FILES / name, "rt", encoding="ascii") as lines:
        for line in lines:
            measure, query, figure = line.split("\t")
            figures[measure.strip(), query] = figure.strip()
    return figures


PER_QUERY = printed("out.test.aq.gz")
AVERAGED = printed("out.test.a.gz")
OURS = sorted(
    {name for name, _ in PER_QUERY if not ELSEWHERE.fullmatch(name) and not COUNTED.fullmatch(name)}
)


@pytest.fixture(scope="module")
def study():
    return cs.read(FILES / "results.test.gz", truth=FILES / "qrels.test.gz")


@pytest.fixture(scope="module")
def scores(study):
    return cs.score(study, measures=OURS, convention="trec_eval")


def test_what_is_compared():
    assert len(OURS) == 57
    assert {str(parse(name)) for name in OURS} >= {"AP", "nDCG", "RR", "Rprec", "P", "R", "F1"}


@pytest.mark.parametrize("name", OURS)
def test_figures(scores, name):
    one = scores["STANDARD"][str(parse(name))]
    assert one.value == pytest.approx(float(AVERAGED[name, "all"]), abs=HALF)
    assert one.value == pytest.approx(float(PER_QUERY[name, "all"]), abs=HALF)
    for query, value in zip(scores.queries, one.per_query, strict=True):
        assert value == pytest.approx(float(PER_QUERY[name, query]), abs=HALF)


def test_default_conventions_agree_where_every_query_is_complete(study, scores):
    ours = cs.score(study, measures=OURS)
    for name in OURS:
        measure = str(parse(name))
        assert ours["STANDARD"][measure].value == scores["STANDARD"][measure].value


def test_counts(study, scores):
    hits = find_hits(study, gold(study))
    found = {"num_ret": hits.length, "num_rel": hits.relevant, "num_rel_ret": counts(hits).tp}
    for name, column in found.items():
        assert column.sum() == float(AVERAGED[name, "all"])
        expected = [float(PER_QUERY[name, query]) for query in scores.queries]
        assert column.tolist() == expected


@pytest.mark.parametrize("k", [5, 10, 20])
def test_unjudged(study, k):
    one = cs.score(study, measures=[f"Judged@{k}"])["STANDARD"][f"Judged@{k}"]
    assert 1 - one.value == pytest.approx(float(AVERAGED[f"unj_{k}", "all"]), abs=HALF)


def rounded_levels(study, query):
    """trec_eval 10's interpolated precision: level·R is rounded to whole hits, half upwards."""
    hits = find_hits(study, gold(study))
    here = hits.cell == query
    precision = np.arange(1, here.sum() + 1) / hits.position[here]
    relevant = hits.relevant[query]
    needed = [max(int(level * relevant / 10 + 0.5), 1) for level in range(11)]
    return [precision[need - 1 :].max(initial=0.0) for need in needed]


def test_interpolation_differs_by_the_rounding_of_recall_levels(study):
    """trec_eval 10 rounds the number of hits that a recall level needs; ours is exact.

    Topic 302 has 77 relevant items: recall .3 needs 23.1 of them, so 24; trec_eval says 23.
    """
    levels = [f"iprec_at_recall_{level / 10:.2f}" for level in range(11)]
    scores = cs.score(study, measures=["AP(variant=11-point)"])
    for place, query in enumerate(scores.queries):
        theirs = [float(PER_QUERY[level, query]) for level in levels]
        assert rounded_levels(study, place) == pytest.approx(theirs, abs=HALF)

    points = eleven_points(study, scores)["STANDARD"]
    difference = np.array([float(AVERAGED[level, "all"]) for level in levels]) - points
    assert difference[3] == pytest.approx(0.0120, abs=1e-4)
    assert difference[6] == pytest.approx(0.0036, abs=1e-4)
    assert np.delete(difference, [3, 6]) == pytest.approx(np.zeros(9), abs=1.1e-4)
    average = scores["STANDARD"]["AP(variant=11-point)"].value
    assert average == pytest.approx(points.mean(), abs=1e-12)
    assert float(AVERAGED["11pt_avg", "all"]) - average == pytest.approx(0.0014, abs=1e-4)
