"""Ranking where items need not be equal: exact matching is plain ranking, soft votes are what brute
force gives, and whether the winner changes with the similarity is said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import UsageError
from consilience.match.characters import levenshtein
from consilience.measures.scores import CONVENTIONS
from consilience.verdict.matched import OTHERS, Matching, soft_truth_scores

FIGURES = ["F1", "P", "R"]
EXACT = cs.soft_matching("exact")


def alike(plain: cs.Scores, matched: cs.Scores) -> None:
    """See that two ways of scoring agree, query by query and in what is missing or undefined."""
    assert plain.queries == matched.queries
    for system in plain.systems:
        for name in FIGURES:
            one, other = plain[system][name], matched[system][name]
            np.testing.assert_allclose(one.per_query, other.per_query, atol=1e-12)
            assert other.value == pytest.approx(one.value, nan_ok=True)
            for what in ("defined", "undefined", "missing", "reason"):
                assert getattr(one, what) == getattr(other, what)


def same(study: cs.Study, **asked: Any) -> None:
    """See that a ranking by exact matching is a plain ranking."""
    plain = cs.rank(study, measures=FIGURES, **asked)
    matched = cs.rank(study, measures=FIGURES, match=EXACT, **asked)
    alike(plain.scores, matched.scores)
    for one, other in zip(plain.standings, matched.standings, strict=True):
        assert (one.name, one.rank, one.p_best) == (other.name, other.rank, other.p_best)
    assert plain.agreement.caveat == matched.agreement.caveat


def ways(verdict: cs.Verdict) -> Matching:
    """How items were matched, and what other ways say."""
    assert verdict.matching is not None
    return verdict.matching


def votes_of(study: cs.Study) -> np.ndarray[Any, np.dtype[np.float64]]:
    assert study.answers.vote is not None
    return study.answers.vote


names = st.sampled_from("abcdef")
lists = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.sets(names, max_size=4), min_size=1)
answers = st.dictionaries(st.sampled_from(["s", "t", "u"]), lists, min_size=2)


@settings(max_examples=40)
@given(answers, lists, st.sampled_from(CONVENTIONS))
def test_exact_matching_is_plain_ranking(said, truth, convention) -> None:
    if not {*truth} & {query for one in said.values() for query in one}:
        return
    study = cs.study(said, truth=truth)
    matched = soft_truth_scores(study, EXACT, measures=FIGURES, convention=convention)
    alike(cs.score(study, measures=FIGURES, convention=convention), matched)


@settings(max_examples=30)
@given(answers)
def test_exact_matching_is_plain_ranking_without_truth(said) -> None:
    study = cs.study(said)
    for belief in (cs.consensus, cs.ls_eb):
        plain, matched = (
            cs.score(one, measures=FIGURES, belief=belief)
            for one in (study, cs.soft_votes(study, EXACT))
        )
        alike(plain, matched)


@pytest.mark.parametrize("belief", [None, cs.gold, cs.consensus, cs.ls_eb])
def test_a_ranking_by_exact_matching_is_a_plain_one(belief) -> None:
    said = {"s": {"q": ["a", "b"], "r": ["c"], "t": []}, "u": {"q": ["a"], "t": ["e", "f"]}}
    same(cs.study(said, truth={"q": ["a", "g"], "r": ["c"], "t": ["f"], "v": ["h"]}), belief=belief)
    if belief is not cs.gold:
        same(cs.study(said), belief=belief)


@pytest.mark.parametrize("leave_out", ["system", "family"])
def test_votes_left_out_stay_left_out(leave_out) -> None:
    said = {"a": {"q": ["x", "y"]}, "b": {"q": ["x"]}, "c": {"q": ["y", "z"]}, "d": {"q": ["z"]}}
    study = cs.with_families(cs.study(said), {"a": "one", "b": "one", "c": "two", "d": "three"})
    same(study, leave_out=leave_out)
    soft = cs.rank(study, match=EXACT, leave_out=leave_out)
    again = cs.rank(study, match=cs.soft_matching("levenshtein"), leave_out=leave_out)
    other = next(one for one in ways(again).again if one.similarity == "exact")
    values = [soft.scores[name]["F1"].value for name in study.systems]
    assert other.values.tolist() == pytest.approx(values)


def test_grades_and_votes_mean_what_they_mean_elsewhere() -> None:
    """Grades count from 1 on, those below 0 were not judged, a vote of 0 is a no."""
    graded = {"q": {"x": 0.5, "y": 2, "z": -1, "k": 0}, "r": {"m": 1}}
    said = {"a": {"q": ["x", "y"], "r": []}, "b": {"q": ["z", "k"]}}
    same(cs.study(said, truth=graded))
    for belief in (cs.consensus, cs.ls_eb):
        same(cs.study(said, truth=graded), belief=belief)


def test_a_no_stays_a_no(tmp_path) -> None:
    """Also one of a judge whose silence means unknown, and of one who cannot tell."""
    rows = ["respondent,query,item,vote,kind"]
    rows += ["s,q,a,1,system", "s,q,b,0,system", "t,q,b,1,system", "t,q,c,1,system"]
    rows += ["ann,q,a,1,person", "ann,q,b,0,person", "bob,q,c,,person", "bob,q,a,0,person"]
    (tmp_path / "votes.csv").write_text("\n".join(rows) + "\n")
    study = cs.read([tmp_path / "votes.csv"])
    for belief in (cs.consensus, cs.ls_eb):
        same(study, belief=belief)
    votes = cs.soft_votes(study, EXACT)
    assert cs.consensus(votes).p.tolist() == cs.consensus(study).p.tolist()


# soft scores -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def keyphrases() -> cs.Study:
    return cs.example_study("keyphrases")


@pytest.mark.parametrize("mode", ["concepts", "instances"])
def test_real_phrases_score_as_documents_one_by_one(keyphrases, mode) -> None:
    import csv

    match = cs.soft_matching("levenshtein", mode=mode)
    scores = soft_truth_scores(keyphrases, match, measures=FIGURES)
    with open(cs.example("keyphrases-gold.csv"), encoding="utf-8") as file:
        rows = list(csv.reader(file))
    gold: dict[str, list[str]] = {query: [] for query in scores.queries}
    for row in rows[1:]:
        gold[row[0]].append(row[1])
    verdict = cs.rank(keyphrases, match=match)
    assert verdict.condition.name == "inexact"
    for system in ("multi-rake", keyphrases.systems[0]):
        mine = scores[system]["F1"].per_query
        for place in range(0, len(scores.queries), 9):
            query = scores.queries[place]
            said = found(keyphrases, system, query)
            alone = cs.soft(gold[query], said, similarity="levenshtein", mode=mode)
            assert mine[place] == pytest.approx(alone.f1)
        standing = next(one for one in verdict.standings if one.name == system)
        assert standing.scores["F1"].value == pytest.approx(mine.mean())


def found(study: cs.Study, system: str, query: str) -> list[str]:
    from consilience.verdict.soft_input import lists_of

    code = study.respondents.names.index(system)
    return lists_of(study, gold=False, respondent=code).get(query, [])


def test_several_judges_are_averaged_where_they_answered(tmp_path) -> None:
    (tmp_path / "s.csv").write_text("respondent,query,item\ns,q,colour\ns,r,grey\nt,q,x\n")
    (tmp_path / "judges.csv").write_text(
        "respondent,query,item\nann,q,color\nann,r,gray\nbob,q,tea\n"
    )
    study = cs.read([tmp_path / "s.csv"], truth=[tmp_path / "judges.csv"])
    scores = soft_truth_scores(study, cs.soft_matching("levenshtein"), measures=["F1"])
    both = dict(zip(scores.queries, scores["s"]["F1"].per_query, strict=True))
    assert both == {"q": pytest.approx((5 / 6 + 0) / 2), "r": pytest.approx(0.75)}
    (tmp_path / "one.csv").write_text("respondent,query,item\ns,q,colour\n")
    one = cs.read([tmp_path / "one.csv"], truth=[tmp_path / "judges.csv"])
    with pytest.raises(UsageError, match=r"one gold, and the study has 2: ann, bob"):
        cs.soft(one)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10", "P@5", "F1(rel=2)", "MCC"])
def test_only_precision_recall_and_f1(keyphrases, measure) -> None:
    with pytest.raises(UsageError, match=r"items that are matched softly have P, R and F1, not"):
        cs.rank(keyphrases, measures=[measure], match=cs.soft_matching())


def test_what_is_not_a_way_of_matching(keyphrases) -> None:
    wrong: Any = "soft"
    with pytest.raises(UsageError, match=r"'soft' is not a way of matching \(fix: match=consil"):
        cs.rank(keyphrases, match=wrong)


# who wins --------------------------------------------------------------------------------------


def flipping() -> cs.Study:
    """System near returns near misses of everything, system half half of it exactly."""
    truth = {f"q{place}": [f"colour{place}", f"harbour{place}"] for place in range(5)}
    near = {query: [item.replace("our", "or") for item in items] for query, items in truth.items()}
    half = {query: [items[0], "zzzzzzzzzzzz"] for query, items in truth.items()}
    return cs.study({"near": near, "half": half}, truth=truth)


def test_the_winner_changes_with_the_similarity() -> None:
    verdict = cs.rank(flipping(), match=cs.soft_matching("levenshtein"))
    assert ways(verdict).first == ("near",)
    changes = {(one.similarity, one.variant): one.first for one in ways(verdict).changes}
    assert changes == {("exact", "coverage"): ("half",)}
    made = verdict.payload()["matching"]
    assert (made["winner"], made["winner_changes"]) == (["near"], True)
    exact = next(one for one in made["alternatives"] if one["similarity"] == "exact")
    assert exact["scores"] == {"near": 0, "half": 0.5}
    assert (exact["same_winner"], exact["tau"], exact["winner"]) == (False, -1, ["half"])
    assert "The winner changes with the similarity or variant, in 1 of" in verdict.sentence
    assert "half under coverage of exact" in verdict.sentence
    turned = cs.rank(flipping(), match=EXACT)
    assert ways(turned).first == ("half",)
    assert all(one.first == ("near",) for one in ways(turned).changes)
    assert {one.similarity for one in ways(turned).changes} == {*OTHERS} - {"exact"}


def test_the_winner_stays() -> None:
    study = cs.study({"a": {"q": ["tea"]}, "b": {"q": ["xxxx"]}}, truth={"q": ["tea"]})
    verdict = cs.rank(study, match=cs.soft_matching("Levenshtein"))
    assert not ways(verdict).changes
    assert "a stays first under all 7 other ways of matching" in verdict.sentence
    others = [(one.similarity, one.variant) for one in ways(verdict).again]
    assert len(others) == len({*others}) == 7
    assert ("levenshtein", "coverage") not in others


def test_a_shared_first_place_is_no_change() -> None:
    study = cs.study({"a": {"q": ["tea"]}, "b": {"q": ["tes"]}}, truth={"q": ["tea"]})
    made = ways(cs.rank(study, match=cs.soft_matching("exact", floor=0.0)))
    assert made.first == ("a",)
    tied = cs.study({"a": {"q": ["tea"]}, "b": {"q": ["tea"]}}, truth={"q": ["tea"]})
    assert ways(cs.rank(tied, match=cs.soft_matching())).first == ("a", "b")


def test_one_system_has_no_winner_to_change() -> None:
    study = cs.study({"a": {"q": ["tea"]}}, truth={"q": ["tea"]})
    assert "first under" not in cs.rank(study, match=cs.soft_matching()).sentence


def test_one_thing_is_changed_at_a_time() -> None:
    """Another variant keeps the floor that was asked for; the paper's has none."""
    made = ways(cs.rank(flipping(), match=cs.soft_matching("jaro-winkler", floor=0.0)))
    floors = {one.variant: one.floor for one in made.again if one.similarity == "jaro-winkler"}
    assert floors == {"diversity": 0.0, "paper": 0.0, "assignment": 0.0}
    made = ways(cs.rank(flipping(), match=cs.soft_matching("jaro-winkler", floor=0.9)))
    floors = {one.variant: one.floor for one in made.again if one.similarity == "jaro-winkler"}
    assert floors == {"diversity": 0.9, "paper": 0.0, "assignment": 0.9}
    made = ways(cs.rank(flipping(), match=cs.soft_matching("levenshtein", variant="paper")))
    floors = {one.variant: one.floor for one in made.again if one.similarity == "levenshtein"}
    assert floors == {"coverage": 0.5, "diversity": 0.5, "assignment": 0.5}


def test_nothing_resembles_anything() -> None:
    study = cs.study({"a": {"q": ["tea"]}, "b": {"q": ["inn"]}}, truth={"q": ["zzzzzz"]})
    verdict = cs.rank(study, match=cs.soft_matching())
    assert "No item of any system resembles one of the truth by levenshtein." in verdict.sentence
    assert not verdict.payload()["matching"]["winner_changes"]


def test_nothing_to_find_at_all() -> None:
    study = cs.study({"a": {"q": []}, "b": {"q": []}}, truth={"q": []})
    verdict = cs.rank(study, match=cs.soft_matching())
    assert ways(verdict).first == ()
    made = verdict.payload()["matching"]
    assert made["alternatives"][0]["scores"] == {"a": None, "b": None}


def test_without_truth_the_caveat_stays(keyphrases) -> None:
    said = {"a": {"q": ["colour"]}, "b": {"q": ["color"]}, "c": {"q": ["zzz"]}}
    payload = cs.rank(cs.study(said), match=cs.soft_matching()).payload()
    assert payload["caveat"]
    assert payload["condition"] == "absent"
    assert (payload["matching"]["variant"], payload["matching"]["mode"]) == (None, None)
    assert {one["similarity"] for one in payload["matching"]["alternatives"]} == {*OTHERS} - {
        "levenshtein"
    }
    assert any("an item's vote is its best similarity" in note for note in payload["notes"])
    assert {one["name"]: one["rank"] for one in payload["systems"]}["c"] == 3


# soft votes ------------------------------------------------------------------------------------


words = st.text("abc", min_size=1, max_size=3)
word_lists = st.dictionaries(st.sampled_from(["q", "r"]), st.sets(words, max_size=4), min_size=1)


@settings(max_examples=40)
@given(
    st.dictionaries(st.sampled_from(["s", "t"]), word_lists, min_size=2),
    st.sampled_from([0.0, 0.5, 0.7]),
)
def test_a_vote_is_the_best_similarity(said, floor) -> None:
    study = cs.study(said)
    before = study.fingerprint()
    made = cs.soft_votes(study, cs.soft_matching("levenshtein", floor=floor))
    assert study.fingerprint() == before
    votes = made.answers
    for number in range(votes.lists):
        rows = slice(int(votes.starts[number]), int(votes.starts[number + 1]))
        query = study.queries[int(votes.query[number])]
        mine = said[study.respondents.names[int(votes.respondent[number])]][query]
        got = dict(zip(study.items.names(votes.item[rows]), votes_of(made)[rows], strict=True))
        every = {item for one in said.values() for item in one.get(query, ())}
        wanted = {}
        for item in every:
            best = max((levenshtein(item, other) for other in mine), default=0.0)
            if best >= floor - 1e-9 and best > 0:
                wanted[item] = best
        assert got == pytest.approx(wanted)


def test_votes_are_weighted_by_how_sure_a_source_was(tmp_path) -> None:
    (tmp_path / "votes.csv").write_text(
        "respondent,query,item,vote\ns,q,colour,0.5\ns,q,tea,1\nt,q,color,0.4\n"
    )
    made = cs.soft_votes(cs.read([tmp_path / "votes.csv"]), cs.soft_matching())
    names, votes = made.items.names(made.answers.item), votes_of(made).round(4).tolist()
    rows = slice(0, int(made.answers.starts[1]))
    assert dict(zip(names[rows], votes[rows], strict=True)) == {
        "colour": 0.5,
        "tea": 1,
        "color": round(0.5 * 5 / 6, 4),
    }


def test_wording_reaches_soft_votes() -> None:
    study = cs.study({"a": {"q": ["Café"]}, "b": {"q": ["cafe"]}})
    plain = cs.soft_votes(study, cs.soft_matching("exact"))
    folded = cs.soft_votes(
        study, cs.soft_matching("exact", wording=cs.Wording(unicode="ascii", case="fold"))
    )
    assert (len(plain.answers), len(folded.answers)) == (2, 4)
    assert math.fsum(votes_of(folded)) == 4
    assert np.unique(votes_of(folded)).tolist() == [1]
