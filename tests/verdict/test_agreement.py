"""Rankings without truth: the caveat, what is withheld, the panel, cutoffs, leaving votes out."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import kendalltau

import consilience as cs
from consilience.belief.names import BELIEFS, belief_by_name
from consilience.examples.pipelines import pipelines
from consilience.measures.left_out import score_left_out
from consilience.measures.orders import kendall
from consilience.study.subset import silenced
from consilience.verdict.agreement import CAVEAT
from consilience.verdict.panel import MEMBERS
from tests.belief.made import Poll, polls, random_poll

LABEL_FREE = [name for name in BELIEFS if name not in ("gold", "aipw")]


def label_free(believe):
    return lambda study, **more: believe(study, evidence="ignore", **more)


def ranked_study() -> cs.Study:
    return cs.read(cs.example("keyphrases.csv"))


@pytest.fixture(scope="module")
def verdict() -> cs.Verdict:
    return cs.rank(ranked_study(), measures=["F1", "P", "R"])


def test_without_truth_the_verdict_is_agreement(verdict):
    payload = verdict.payload()
    assert payload["condition"] == "absent"
    assert payload["belief"]["method"] == "ls-eb"
    assert payload["caveat"] == CAVEAT
    assert payload["settled"] is False
    assert "agrees most with the others" in payload["verdict"]
    assert "No ground truth was used: this is agreement" in payload["verdict"]
    assert "best" not in payload["verdict"]
    assert "Next step: " in payload["verdict"]
    for system in payload["systems"]:
        for score in system["scores"].values():
            assert score["caveat"] == CAVEAT
            assert score["interval"] is None
            assert score["interval_withheld"]
            low, high = score["bounds"]
            given = score["given"]["interval"]
            assert 0 <= low <= given[0] <= score["value"] <= given[1] <= high <= 1
    json.dumps(payload, allow_nan=False)


@pytest.mark.parametrize("fmt", ["text", "md", "latex", "html", "csv"])
def test_every_rendering_carries_the_caveat(verdict, fmt):
    from consilience.render import render

    assert "o ground truth was used" in str(render(verdict.payload(), fmt))


@pytest.mark.parametrize("name", LABEL_FREE)
def test_every_belief_ranks(name):
    verdict = cs.rank(
        ranked_study(),
        measures=["nDCG", "F1"],
        belief=belief_by_name(name),
        show=cs.Wanted(panel=False, cutoffs=0),
    )
    payload = verdict.payload()
    assert payload["belief"]["method"] == name
    assert payload["caveat"] == CAVEAT
    assert payload["systems"][0]["rank"] == 1
    json.dumps(payload, allow_nan=False)


@pytest.mark.parametrize("name", LABEL_FREE)
def test_names_and_order_do_not_matter(name):
    """Rows in another order, systems and queries under other names: the same beliefs."""
    poll = random_poll(np.random.default_rng(5))
    believe = belief_by_name(name)

    def believed(poll: Poll, back=lambda text: text) -> dict[tuple[str, str], float]:
        ranks: dict[tuple[str, str], int] = {}
        columns: dict[str, list[object]] = {"query": [], "item": [], "system": [], "rank": []}
        for query, item, system, _ in poll.rows:
            ranks[query, system] = int(item.strip("i")) + 1
            for key, value in zip(
                columns, (query, item, system, ranks[query, system]), strict=True
            ):
                columns[key].append(value)
        study = cs.study(columns)
        belief = believe(study)
        queries = [back(study.queries[q]) for q in study.items.query(belief.item)]
        items = study.items.names(belief.item)
        return dict(zip(zip(queries, items, strict=True), belief.p.tolist(), strict=True))

    renamed = Poll(tuple((q[::-1], i, f"x-{9 - int(s[1:])}", v) for q, i, s, v in poll.rows[::-1]))
    expected = believed(poll)
    assert believed(renamed, lambda query: query[::-1]) == pytest.approx(expected, abs=1e-6)
    assert all(0 <= p <= 1 for p in expected.values())


@given(polls())
@settings(max_examples=25, deadline=None)
@pytest.mark.parametrize("name", ["consensus", "ls-eb", "families", "majority", "dawid-skene"])
def test_beliefs_are_probabilities_whatever_was_said(name, poll):
    study = poll.study()
    belief = belief_by_name(name)(study)
    known = belief.p[~np.isnan(belief.p)]
    assert ((known >= 0) & (known <= 1)).all()
    assert belief.unseen is not None
    assert ((belief.unseen >= 0) & (belief.unseen <= 1)).all()
    scores = cs.score(study, measures=["P", "R", "F1"], belief=belief)
    for system in scores.systems:
        for one in scores[system].values():
            assert np.isnan(one.value) or -1e-12 <= one.value <= 1 + 1e-12


def test_too_few_sources_withhold_absolute_values():
    study = pipelines(pages=4)
    verdict = cs.rank(study, measures=["F1"], belief=label_free(cs.ls_eb))
    payload = verdict.payload()
    assert "fewer than three independent sources (2)" in payload["withheld"]
    assert payload["systems"][0]["rank"] == 1
    for system in payload["systems"]:
        score = system["scores"]["F1"]
        assert (score["value"], score["interval"], score["bounds"]) == (None, None, None)
        assert score["undefined"] == payload["withheld"]
        assert system["counted_as"] < 12
    assert all(pair["difference"] is None for pair in payload["pairs"])
    assert not re.search(r"\b0\.\d{4}\b", payload["verdict"])
    assert all(v is None for m in payload["panel"]["methods"] for v in m["values"].values())
    assert payload["cutoffs"] is None
    assert any("fewer than three" in note for note in verdict.notes)
    reference = cs.rank(study, measures=["F1"], belief=label_free(cs.consensus))
    assert reference.payload()["systems"][0]["scores"]["F1"]["value"] is not None


def test_one_system_has_nobody_to_agree_with():
    with pytest.raises(cs.UsageError, match="no other system to agree with"):
        cs.rank(cs.study({"a": {"q": ["x"]}}))


def test_a_belief_is_a_function():
    with pytest.raises(cs.UsageError, match="pass a function"):
        cs.rank(ranked_study(), belief="ls-eb")  # type: ignore[arg-type]


def test_the_panel(verdict):
    panel = verdict.agreement.panel
    names = [member.name for member in panel.members]
    assert set(names) | {name for name, _ in panel.skipped} == set(MEMBERS)
    tau = panel.tau()
    for a, one in enumerate(panel.members):
        for b, other in enumerate(panel.members):
            expected = kendalltau(one.values["F1"], other.values["F1"]).statistic
            assert tau[a, b] == pytest.approx(expected)
    envelope = panel.envelope("F1")
    assert [one.name for one in panel.families] == ["yake", "rake", "tfidf", "textrank"]
    members = [one for one in panel.members if one.name != "discounted"]
    values = [one.values["F1"] for one in (*members, *panel.families)]
    assert envelope[:, 0] == pytest.approx(np.min(values, axis=0))
    assert envelope[:, 1] == pytest.approx(np.max(values, axis=0))


def test_a_family_is_believed_alone(verdict):
    study = ranked_study()
    others = [name for name in study.systems if not name.startswith("yake")]
    belief = cs.ls_eb(silenced(study, others))
    scores = cs.score(study, measures=["F1"], belief=belief)
    alone = next(one for one in verdict.agreement.panel.families if one.name == "yake")
    assert alone.values["F1"].tolist() == [scores[s]["F1"].value for s in study.systems]


def test_gold_joins_the_panel_where_there_is_truth():
    study = cs.example_study("keyphrases")
    panel = cs.panel(study, measures=["F1"], methods=["ls-eb", "hds"])
    gold = next(member for member in panel.members if member.name == "gold")
    truth = cs.score(study, measures=["F1"])
    assert gold.values["F1"].tolist() == [truth[s]["F1"].value for s in study.systems]
    label_free_values = cs.score(
        cs.read(cs.example("keyphrases.csv")), measures=["F1"], belief=cs.ls_eb
    )
    ours = next(member for member in panel.members if member.name == "ls-eb")
    order = [label_free_values[s]["F1"].value for s in study.systems]
    assert kendall(ours.values["F1"], np.array(order)) > 0.8  # gold's items widen the pool


def test_tau_leaves_undefined_values_out():
    a, b = np.array([1.0, 2, np.nan, 3]), np.array([1.0, 2, 9, 3])
    assert kendall(a, b) == 1.0
    assert np.isnan(kendall(a, np.ones(4)))


def test_cutoffs_form_the_belief_anew():
    """At cutoff k the systems' answers are their first k items, as in the papers' figures."""
    study = ranked_study()
    table = cs.at_cutoffs(study, cs.consensus, deepest=3)
    from consilience.study.depth import cut

    for k in (1, 2, 3):
        scores = cs.score(cut(study, k), measures=["P", "R"], belief=cs.consensus)
        for system in study.systems:
            found = [scores[system]["P"].value, scores[system]["R"].value]
            assert table[system][k - 1].tolist() == pytest.approx(found)
    verdict = cs.rank(study, measures=["P@5"], show=cs.Wanted(cutoffs=4, panel=False))
    cutoffs = verdict.payload()["cutoffs"]
    assert [point["k"] for point in cutoffs[0]["points"]] == [1, 2, 3, 4]
    assert cutoffs[0]["name"] == verdict.standings[0].name


def test_cutoffs_of_which_nothing_can_be_believed_are_undefined():
    """All systems have the same first answer: their votes on it do not differ."""
    rng = np.random.default_rng(2)
    lists = {
        f"s{k}": {f"q{q}": ["same", *(f"d{i}" for i in rng.permutation(12)[:6])] for q in range(9)}
        for k in range(5)
    }
    table = cs.at_cutoffs(cs.study(lists), cs.spectral, deepest=4)["s0"]
    assert np.isnan(table[0]).all()
    assert not np.isnan(table[3]).any()
    assert cs.rank(cs.study(lists), belief=cs.spectral, measures=["P@5"]).payload()


def test_leaving_the_own_vote_out():
    study = ranked_study()
    without = score_left_out(study, measures=["P"], belief=cs.consensus, leave_out="system")
    for system in study.systems:
        belief = cs.consensus(silenced(study, [system]))
        expected = cs.score(study, measures=["P"], belief=belief)[system]["P"].value
        assert without[system]["P"].value == pytest.approx(expected)
        own = cs.score(study, measures=["P"], belief=cs.consensus)[system]["P"].value
        assert without[system]["P"].value < own


def test_leaving_the_family_out():
    study = ranked_study()
    without = score_left_out(study, measures=["P"], belief=cs.ls_eb, leave_out="family")
    mates = [name for name in study.systems if name.startswith("yake")]
    belief = cs.ls_eb(silenced(study, mates))
    expected = cs.score(study, measures=["P"], belief=belief)["yake-2"]["P"].value
    assert without["yake-2"]["P"].value == pytest.approx(expected)
    one = cs.with_families(study, dict.fromkeys(study.systems, "all"))
    with pytest.raises(cs.UsageError, match="nobody is left"):
        score_left_out(one, measures=["P"], belief=cs.ls_eb, leave_out="family")


def test_partial_truth_says_how_much_was_used():
    runs = {"a": {"q": ["x", "y"]}, "b": {"q": ["x", "z"]}, "c": {"q": ["z", "w"]}}
    study = cs.study(runs, truth={"q": {"x": 1, "y": 0}})
    payload = cs.rank(study, measures=["P"], belief=cs.ls_eb).payload()
    assert payload["caveat"] == (
        "ground truth was used for 50.0% of the items: the rest is agreement"
    )
    assert payload["belief"]["truth"] == 0.5


def test_an_undeclared_family_is_counted_too(verdict):
    known = verdict.payload()["dependence"]
    assert known["sources_from"] == "declared"
    assert known["sources"] == 4
    assert {one["name"] for one in known["families"]} == {"yake", "rake", "textrank", "tfidf"}
    assert np.shape(known["phi"]) == (8, 8)
    assert sorted(known["order"]) == list(range(8))
    assert len(known["tree"]) == 7


def test_leaving_out_the_only_one_that_answered_a_query():
    runs = {"a": {"q1": ["x", "y"], "q2": ["z"]}, "b": {"q1": ["x"]}, "c": {"q1": ["x", "w"]}}
    verdict = cs.rank(cs.study(runs), measures=["P"], leave_out="system")
    mine = verdict.scores["a"]["P"]
    assert np.isnan(mine.per_query).tolist() == [False, True]
    assert mine.undefined == 1


def test_leaving_out_keeps_thresholds():
    runs = {"a": {"q1": ["x", "y"]}, "b": {"q1": ["x", "z"]}, "c": {"q1": ["w", "x"]}}
    study = cs.study(runs, truth={"q1": {"x": 1, "y": 2, "z": 0}})
    measures = ["P", "P(rel=2)"]
    with_own = cs.score(study, measures=measures, belief=cs.ls_eb)
    without = score_left_out(study, measures=measures, belief=cs.ls_eb, leave_out="system")
    assert without["a"]["P(rel=2)"].value == pytest.approx(with_own["a"]["P(rel=2)"].value)
    rows = cs.rank(
        study, measures=measures, belief=cs.ls_eb, show=cs.Wanted(virtual=True)
    ).agreement.virtual
    assert rows is not None
    assert rows["⊤"]["P(rel=2)"] < rows["⊤"]["P"]


def test_why_virtual_systems_have_no_value():
    """Their answer is all or nothing, whatever is relevant."""
    study = cs.read(Path(__file__).parents[2] / "docs" / "files" / "table3.csv")
    found = cs.rank(
        study, measures=["MCC", "P", "R"], belief=cs.consensus, show=cs.Wanted(virtual=True)
    )
    why = {
        (one["name"], measure): score["undefined"]
        for one in found.payload()["virtual"]
        for measure, score in one["scores"].items()
    }
    assert why["⊤", "MCC"] == "it returns everything: 0/0"
    assert why["⊥", "MCC"] == why["⊥", "P"] == "it returns nothing: 0/0"
    assert why["⊤", "P"] is why["⊤", "R"] is why["⊥", "R"] is None


def test_leave_out_needs_voters_and_families():
    study = cs.example_study("keyphrases")
    with pytest.raises(cs.UsageError, match="nobody votes on the truth"):
        cs.rank(study, leave_out="system")
    unnamed = cs.study({"a": {"q": ["x"]}, "b": {"q": ["x", "y"]}, "c": {"q": ["z"]}})
    with pytest.raises(cs.UsageError, match="no families are declared"):
        cs.rank(unnamed, leave_out="family")
    panel = cs.rank(
        ranked_study(), measures=["F1"], leave_out="system", show=cs.Wanted(panel=True)
    ).agreement.panel
    assert panel is not None
    chosen = next(one for one in panel.members if one.name == "ls-eb")
    expected = score_left_out(
        ranked_study(), measures=["F1"], belief=cs.dawid_skene, leave_out="system"
    )
    skene = next(one for one in panel.members if one.name == "dawid-skene")
    systems = ranked_study().systems
    assert skene.values["F1"].tolist() == [expected[s]["F1"].value for s in systems]
    assert len(chosen.values["F1"]) == 8


def test_one_unordered_answer_does_not_stop_the_ranking():
    rows = {"query": ["q"] * 4, "item": list("xyxz"), "system": list("aabb")}
    study = cs.study(rows | {"rank": [1, 2, None, None]})
    payload = cs.rank(study, measures=["F1"]).payload()
    assert payload["cutoffs"] is None
    with pytest.raises(cs.UsageError, match="without an order"):
        cs.rank(study, measures=["F1"], show=cs.Wanted(cutoffs=3))


def test_cutoffs_follow_the_convention():
    runs = {"a": {"q1": ["x", "y"], "q2": ["z", "x"]}, "b": {"q1": ["x"], "q2": ["z"]}}
    study = cs.study(runs | {"c": {"q1": ["x", "w"]}})
    table = cs.at_cutoffs(study, cs.consensus, deepest=2, convention="missing-skipped")
    scores = cs.score(study, measures=["P"], belief=cs.consensus, convention="missing-skipped")
    assert table["c"][1, 0] == pytest.approx(scores["c"]["P"].value)


def test_nothing_undefined_is_printed_as_a_number():
    table = {"query": list("123") * 2, "system": ["a"] * 3 + ["b"] * 3, "item": list("xyz") * 2}
    study = cs.study(table | {"vote": [1, 1, 1, 0, 0, 0]})
    sentence = cs.rank(study, measures=["P"], belief=cs.consensus).sentence
    assert "nan" not in sentence


def test_what_is_withheld_is_nowhere():
    study = pipelines(pages=4)
    for believe in (cs.majority, cs.dawid_skene, cs.ls_eb):
        payload = cs.rank(study, measures=["F1"], belief=label_free(believe)).payload()
        assert payload["withheld"]
        assert payload["curves"] == []
        assert payload["belief"]["bounds"] is None
        assert set(payload["belief"]["details"]) <= {"weights", "prior"}
        assert payload["withheld"][1:] in payload["verdict"]


def test_methods_that_disagree_are_in_the_sentence(verdict):
    assert "4 of 5 other methods put another system first" in verdict.sentence


def test_spectral_refuses_votes_that_do_not_vary():
    same = {name: {"q1": ["x", "y"], "q2": ["z"]} for name in "abc"}
    with pytest.raises(cs.UsageError, match="spectral"):
        cs.spectral(cs.study(same))
