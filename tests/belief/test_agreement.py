"""The papers' consensus to the digit, and the steps above it against slow readable twins."""

import itertools
import math
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.belief.agreement import by_family, consensus, discounted, ls_eb, majority
from tests.belief.made import Poll, by_item, polls
from tests.measures.made import problems

#: Table 3 of Lamiroy & Sun (2011): what three systems say of seven documents.
TABLE_3: dict[str, list[Any]] = {
    "item": ["d1", "d2", "d3", "d4", "d5", "d6", "d7"],
    "S1": [1, 1, 0, 1, 1, 0, 0],
    "S2": [1, 1, 1, 0, 0, 0, 0],
    "S3": [1, 1, 0, 0, 0, 1, 0],
}
PRECISION = {"S1": 2.4 / 4, "S2": 2 / 3, "S3": 2 / 3}
RECALL = {"S1": 2.4 / 3.4, "S2": 2 / 3.4, "S3": 2 / 3.4}


def table_3_as_trec(folder) -> list[str]:
    paths = []
    for system in ("S1", "S2", "S3"):
        found = [d for d, vote in zip(TABLE_3["item"], TABLE_3[system], strict=True) if vote]
        lines = [f"q Q0 {item} {rank} {9 - rank} {system}" for rank, item in enumerate(found, 1)]
        path = folder / f"{system}.run"
        path.write_text("\n".join(lines) + "\n")
        paths.append(str(path))
    return paths


@pytest.fixture(params=["csv", "python", "trec"])
def table_3(request, tmp_path) -> cs.Study:
    if request.param == "python":
        return cs.study(TABLE_3)
    if request.param == "trec":  # nobody returned d7: the universe must be told
        return cs.read(table_3_as_trec(tmp_path), universe=7)
    rows = [tuple(TABLE_3), *zip(*TABLE_3.values(), strict=True)]
    path = tmp_path / "votes.csv"
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in rows))
    return cs.read(path)


def test_table_3(table_3):
    belief = consensus(table_3)
    expected = [0.8, 0.8, 0.4, 0.4, 0.4, 0.4, 0.2]
    found = by_item(table_3, belief)
    assert [found[q, i] for q, i in sorted(found)] == pytest.approx(expected[: len(found)])
    scores = cs.score(table_3, measures=["P", "R"], belief=consensus)
    for system in ("S1", "S2", "S3"):
        assert scores[system]["P"].value == pytest.approx(PRECISION[system])
        assert scores[system]["R"].value == pytest.approx(RECALL[system])


def test_table_3_virtual_rows(table_3):
    verdict = cs.rank(table_3, measures=["P", "R"], belief=consensus, show=cs.Wanted(virtual=True))
    rows = {row["name"]: row["scores"] for row in verdict.payload()["virtual"]}
    assert rows["⊤"]["P"]["value"] == pytest.approx(3.4 / 7)
    assert rows["⊤"]["R"]["value"] == 1
    assert rows["⊥"]["P"] == {"value": None, "undefined": "it returns nothing: 0/0"}
    assert rows["⊥"]["R"]["value"] == 0


def weighted(said: dict[str, float], weight: dict[str, float], top: float, bottom: float) -> float:
    """The papers' formula, over the voters that spoke."""
    below = sum(weight[name] for name in said) + top + bottom
    above = sum(weight[name] * vote for name, vote in said.items()) + top
    return above / below if below else math.nan


@given(polls(), st.booleans())
def test_consensus_is_a_weighted_mean_of_the_opinions_that_exist(poll: Poll, virtual: bool):
    study = poll.study()
    found = by_item(study, consensus(study, virtual=virtual))
    everybody = dict.fromkeys(study.systems, 1.0)
    top = 1.0 if virtual else 0.0
    for pair, said in poll.opinions().items():
        assert found[pair] == pytest.approx(weighted(said, everybody, top, top), nan_ok=True)


@given(polls(), st.data())
def test_weights(poll: Poll, data):
    study = poll.study()
    parts = data.draw(st.lists(st.integers(0, 5), min_size=len(study.systems) + 2, max_size=9))
    total = sum(parts[: len(study.systems) + 2])
    names = [*study.systems, "⊤", "⊥"]
    if not total:
        return
    kappa = {name: part / total for name, part in zip(names, parts, strict=False)}
    found = by_item(study, consensus(study, weights=kappa))
    for pair, said in poll.opinions().items():
        expected = weighted(said, kappa, kappa["⊤"], kappa["⊥"])
        assert found[pair] == pytest.approx(expected, nan_ok=True)


@given(polls())
def test_equal_weights_are_equation_10(poll: Poll):
    study = poll.study()
    share = 1 / (len(study.systems) + 2)
    equal = consensus(study, weights=dict.fromkeys(study.systems, share))
    assert equal.p == pytest.approx(consensus(study).p, nan_ok=True)


@given(problems(lowest=0))
@settings(max_examples=50)
def test_an_oracle_that_is_believed_alone_is_the_textbook(problem):
    """Whatever was judged: P, R, F at all cutoffs, and nDCG, are those against gold."""
    study = problem.study()
    oracle = partial(consensus, weights={"truth": 1.0})
    names = ["P", "R", "F1", "F2", "P@3", "R@2", "P(average=micro)", "R(average=micro)"]
    ours = cs.score(study, measures=names, belief=oracle)
    theirs = cs.score(study, measures=names, belief=cs.gold)
    for system, name in itertools.product(study.systems, names):
        expected = theirs[system][name].value
        assert ours[system][name].value == pytest.approx(expected, nan_ok=True), name
    assert ours.belief.truth <= 1.0


@given(polls(votes=(1.0,), universe=False))
def test_full_coverage_is_the_same_as_sparse_storage(poll: Poll):
    """Writing every no down gives the same belief and scores as leaving it out."""
    study = poll.study()
    asked = {(query, system) for query, _, system, _ in poll.rows}
    items = {query: {i for q, i, _, _ in poll.rows if q == query} for query, _ in asked}
    yes = {(query, item, system) for query, item, system, _ in poll.rows}
    rows = [
        (query, item, system, 1.0 if (query, item, system) in yes else 0.0)
        for query, system in sorted(asked)
        for item in sorted(items[query])
    ]
    spelt = Poll(tuple(rows)).study()
    names = ["P", "R", "F1"]
    for believe in (consensus, ls_eb, majority):
        one, other = believe(study), believe(spelt)
        assert by_item(study, one) == pytest.approx(by_item(spelt, other))
        ours, theirs = (cs.score(s, measures=names, belief=believe) for s in (study, spelt))
        for system, name in itertools.product(study.systems, names):
            expected = theirs[system][name].value
            assert ours[system][name].value == pytest.approx(expected, nan_ok=True)


@given(polls(votes=(1.0, 0.5)))
def test_unmentioned_items_weigh_in_recall(poll: Poll):
    study = poll.study()
    scores = cs.score(study, measures=["R(average=micro)"], belief=consensus)
    said, relevant = poll.opinions(), 0.0
    everybody = dict.fromkeys(study.systems, 1.0)
    p = {pair: weighted(votes, everybody, 1.0, 1.0) for pair, votes in said.items()}
    relevant = sum(p.values())
    for query in study.queries:
        count, silent = poll.unmentioned(query)
        relevant += count * weighted(dict.fromkeys(silent, 0.0), everybody, 1.0, 1.0)
    asked = {(query, system) for query, _, system, _ in poll.rows}
    for system in study.systems:
        if any((query, system) not in asked for query in study.queries):
            continue
        tp = sum(p[q, i] * vote for q, i, s, vote in poll.rows if s == system and vote)
        assert scores[system]["R(average=micro)"].value == pytest.approx(tp / relevant)


def shrunk(
    poll: Poll, weight: dict[str, float], prior: float = 1.0
) -> dict[tuple[str, str], float]:
    """LS-EB by plain loops."""
    said = poll.opinions()
    p = {}
    for query in {query for query, _ in said}:
        here = {pair: votes for pair, votes in said.items() if pair[0] == query}
        count, silent = poll.unmentioned(query)
        yes = sum(weight[s] * v for votes in here.values() for s, v in votes.items())
        spoken = sum(weight[s] for votes in here.values() for s in votes)
        spoken += count * sum(weight[s] for s in silent)
        m = yes / spoken if spoken else 0.0
        for pair, votes in here.items():
            above = sum(weight[s] * v for s, v in votes.items()) + prior * m
            p[pair] = above / (sum(weight[s] for s in votes) + prior)
    return p


@given(polls(), st.sampled_from([0.5, 1.0, 3.0]))
def test_ls_eb(poll: Poll, prior: float):
    study = poll.study()
    found = by_item(study, ls_eb(study, near=None, prior=prior))
    assert found == pytest.approx(shrunk(poll, dict.fromkeys(study.systems, 1.0), prior))


@given(polls(systems=4))
def test_families_weigh_one_each(poll: Poll):
    study = poll.study()
    family = {name: f"f{int(name[1:]) % 2}" for name in study.systems}
    size = Counter(family.values())
    weight = {name: 1 / size[one] for name, one in family.items()}
    assert by_item(study, by_family(study, families=family)) == pytest.approx(shrunk(poll, weight))
    declared = cs.with_families(study, family)
    assert by_family(declared).p == pytest.approx(by_family(study, families=family).p)


@given(polls(votes=(1.0,)))
def test_a_copy_changes_nothing(poll: Poll):
    """Exact duplicates are merged by every step above the papers' own."""
    copies = tuple((q, i, f"copy of {s}", v) for q, i, s, v in poll.rows if s == "s0")
    study, copied = poll.study(), Poll(poll.rows + copies, poll.universe).study()
    assert ls_eb(copied).p == pytest.approx(ls_eb(study).p)
    assert majority(copied).p == pytest.approx(majority(study).p)


@given(problems(lowest=0))
def test_discounted_votes(problem):
    study = cs.study(problem.runs)
    found = by_item(study, discounted(study, near=None))
    ranked = {
        (system, query): [
            item for _, item in sorted(((v, i) for i, v in items.items()), reverse=True)
        ]
        for system, run in problem.runs.items()
        for query, items in run.items()
    }
    for query in study.queries:
        voters = [system for system in problem.runs if query in problem.runs[system]]
        pool = {item for system in voters for item in problem.runs[system][query]}
        worth = {
            item: sum(
                1 / math.log2(2 + ranked[s, query].index(item))
                for s in voters
                if item in ranked[s, query]
            )
            for item in pool
        }
        m = sum(worth.values()) / (len(voters) * len(pool))
        for item in pool:
            assert found[query, item] == pytest.approx((worth[item] + m) / (len(voters) + 1))


@given(polls())
def test_majority(poll: Poll):
    study = poll.study()
    found = by_item(study, majority(study, near=None))
    for pair, said in poll.opinions().items():
        share = sum(said.values()) / len(said) if said else math.nan
        expected = (
            math.nan if math.isnan(share) else 1.0 if share > 0.5 else 0.0 if share < 0.5 else 0.5
        )
        assert found[pair] == pytest.approx(expected, nan_ok=True)


def test_multisets_count_every_mention():
    """Method I of the papers: what pipelines read, as bags of words."""
    read = {
        "A": {"page": ["Anna", "Anna", "Paris"]},
        "B": {"page": ["Anna", "Paris", "Paris"]},
        "C": {"page": ["Anna"]},
    }
    study = cs.study(read, duplicates="each")
    scores = cs.score(study, measures=["P", "R"], belief=consensus)
    bags = {name: Counter(pages["page"]) for name, pages in read.items()}
    union = bags["A"] | bags["B"] | bags["C"]
    mentions = [(word, n) for word, most in union.items() for n in range(1, most + 1)]
    p = {(w, n): (1 + sum(bag[w] >= n for bag in bags.values())) / 5 for w, n in mentions}
    for name, bag in bags.items():
        tp = sum(p[word, n] for word, n in mentions if bag[word] >= n)
        assert scores[name]["P"].value == pytest.approx(tp / bag.total())
        assert scores[name]["R"].value == pytest.approx(tp / sum(p.values()))


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ({"S1": 0.9, "S2": 0.2}, "add up to 1.1"),
        ({"S9": 0.5}, "unknown voter 'S9'; possible: S1"),
        ({"S1": -0.5}, "from 0 to 1"),
        ({"S1": 0.2, "S2": 0.2, "S3": 0.2, "⊤": 0, "⊥": 0}, "nobody is left"),
        ({"top": 0.2, "⊤": 0.2}, "two weights"),
    ],
)
def test_bad_weights(weights, said):
    with pytest.raises(cs.UsageError, match=said):
        consensus(cs.study(TABLE_3), weights=weights)


def test_what_is_left_of_one_is_shared():
    study = cs.study(TABLE_3)
    given_some = consensus(study, weights={"S1": 0.6})
    assert given_some.details["weights"] == pytest.approx(
        {"S1": 0.6, "S2": 0.1, "S3": 0.1, "⊤": 0.1, "⊥": 0.1}
    )
    assert np.all(given_some.p <= 1)


def test_depth_keeps_what_was_said_no_to():
    from consilience.study.depth import cut

    table = {
        "query": ["q"] * 9,
        "system": list("aaabbbccc"),
        "item": ["x", "y", "z"] * 3,
        "vote": [1, 0, 0, 1, 1, 0, 0, 0, 1],
        "score": [3, 2, 1] * 3,
    }
    study = cs.study(table)
    assert consensus(cut(study, 3)).p == pytest.approx(consensus(study).p)
    shallow = by_item(study, consensus(cut(study, 1)))
    assert shallow["q", "y"] == pytest.approx(1 / 5)  # b said it second: now a no


def test_weights_of_those_left_out_count_for_nobody():
    study = cs.study(TABLE_3)
    weighted = partial(consensus, weights={"S1": 0.3})
    verdict = cs.rank(study, measures=["P"], belief=weighted, leave_out="system")
    assert verdict.scores["S1"]["P"].value == pytest.approx(
        np.mean([weighted_without_s1(row) for row in ((1, 1), (1, 1), (0, 0), (0, 0))])
    )


def weighted_without_s1(votes: tuple[int, int]) -> float:
    """S2, S3, ⊤ and ⊥ share what S1 left."""
    return (sum(votes) + 1) / 4
