"""A language model that judges is a voter, never the truth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

import consilience as cs
from consilience.study.condition import judged_items, judged_queries
from consilience.study.depth import cut
from consilience.study.models import look_like_models, models_vote
from consilience.study.overview import overview
from tests.belief.made import by_item

RUNS = {
    "a": {f"q{n}": ["x", "y"] for n in range(4)},
    "b": {f"q{n}": ["x", "z"] for n in range(4)},
    "c": {f"q{n}": ["z", "y"] for n in range(4)},
}


def judged(**by: tuple[str, Mapping[str, float]]) -> dict[str, list[Any]]:
    """Give a table of what judges say of the items of every query: name=(kind, {item: label})."""
    rows = [
        (f"q{n}", item, who, kind, label)
        for who, (kind, said) in by.items()
        for n in range(4)
        for item, label in said.items()
    ]
    names = ("query", "item", "judge", "kind", "label")
    return {name: list(column) for name, column in zip(names, zip(*rows, strict=True), strict=True)}


BOT = ("llm", {"x": 0, "y": 1, "z": 0})
ANN = ("person", {"x": 1, "y": 0})


def test_models_alone_are_no_truth() -> None:
    study = cs.study(RUNS, truth=judged(bot=BOT, other=("llm", {"x": 1, "y": 1})))
    what = cs.condition(study)
    assert (what.name, what.judged, what.queries_judged) == ("absent", 0.0, 0)
    assert what.why == "only language models have judged, and they are not the truth"
    fix = r"not the truth \(fix: let them vote with --belief ls-eb, or draw labels by design"
    with pytest.raises(cs.UsageError, match=fix):
        cs.gold(study)
    with pytest.raises(cs.UsageError, match=fix):
        cs.rank(study, belief=cs.gold)
    with pytest.raises(cs.UsageError, match=fix):
        cs.curve(cs.study({"a": RUNS["a"]}, truth=judged(bot=BOT)))
    assert not judged_items(study).any()
    assert not len(judged_queries(study))


def test_models_vote_where_nothing_is_known() -> None:
    """By default they are voices beside the systems, and the caveat stays that of agreement."""
    study = cs.study(RUNS, truth=judged(bot=BOT))
    alone = by_item(study, cs.ls_eb(cs.study(RUNS)))
    found = by_item(study, cs.ls_eb(study))
    assert found["q0", "y"] > alone["q0", "y"]
    assert found["q0", "x"] < alone["q0", "x"]
    payload = cs.rank(study).payload()
    assert payload["belief"]["method"] == "ls-eb"
    assert payload["condition"] == "absent"
    assert payload["caveat"] == "no ground truth was used: this is agreement"
    assert not payload["settled"]
    note = "bot is a language model: it counts as a voter in a consensus, never as the truth"
    assert note in payload["notes"]


def test_gold_is_what_it_was_without_the_model() -> None:
    """Shares, gains, silence, what was judged: as if the model had never spoken."""
    people = {"ann": ANN, "ben": ("person", {"x": 0, "y": 1, "z": 2})}
    listing = {"carl": ("person", {"x": 1}), "dora": ("person", {"z": 1})}
    for others in (people, listing, {"g": ("gold", {"x": 2, "y": 0})}):
        alone = cs.study(RUNS, truth=judged(**others))
        beside = cs.study(RUNS, truth=judged(**others, bot=BOT))
        one, two = cs.gold(alone), cs.gold(beside)
        assert by_item(alone, one) == by_item(beside, two)
        assert one.gain.tolist() == two.gain.tolist()
        assert (one.method, one.assumes, one.elsewhere != one.elsewhere) == (
            two.method,
            two.assumes,
            two.elsewhere != two.elsewhere,
        )
        assert one.effective_respondents == two.effective_respondents
        assert cs.condition(alone) == cs.condition(beside)
        scores = [cs.rank(study).payload()["systems"] for study in (alone, beside)]
        assert scores[0] == scores[1]


def test_a_model_believed_alone_is_not_the_truth() -> None:
    study = cs.study(RUNS, truth=judged(bot=BOT))
    belief = cs.consensus(study, weights={"bot": 1}, virtual=False)
    assert belief.truth == 0.0
    sure = cs.consensus(cs.study(RUNS, truth=judged(g=("gold", BOT[1]))), weights={"g": 1})
    assert sure.truth == 1.0


def test_people_who_vote_are_told_from_models_that_vote() -> None:
    both = cs.study(RUNS, truth=judged(ann=ANN, bot=BOT))
    assert cs.ls_eb(both).heard == pytest.approx(2 / 3)
    assert cs.ls_eb(cs.study(RUNS, truth=judged(bot=BOT))).heard == 0.0
    assert cs.dawid_skene(cs.study(RUNS, truth=judged(bot=BOT))).heard == 0.0


@pytest.mark.parametrize("depth", [None, 1])
def test_verbs_take_models_beside_people(depth: int | None) -> None:
    ranked = {
        name: {q: dict(zip(items, (2, 1), strict=True)) for q, items in lists.items()}
        for name, lists in RUNS.items()
    }
    table = judged(ann=ANN, ben=("person", {"x": 0, "y": 0}), bot=BOT)
    study = cs.study(ranked, truth=table)
    study = study if depth is None else cut(study, depth)
    assert len(cs.distributions(study).outcomes) == 3 * 4
    assert {one.name for one in cs.agree(study).annotators} >= {"ann", "ben", "bot"}
    assert cs.displacement(study).payload()["aggregate"]
    assert cs.rank(study, measures=["F1"], match=cs.soft_matching()).payload()["systems"]
    only_models = cs.study(ranked, truth=judged(bot=BOT))
    assert cs.distributions(only_models, belief=cs.ls_eb).payload()["caveat"]
    with pytest.raises(cs.UsageError, match="only language models have judged"):
        cs.distributions(only_models)
    one = cs.study({"a": ranked["a"]}, truth=judged(ann=ANN, bot=("llm", {"w": 1})))
    assert cs.curve(one, query="q1").payload()["ap"]


def test_soft_compares_with_people_not_with_models() -> None:
    lists = {"q": ["colour", "grey"]}
    said = {"query": ["q"] * 2, "item": ["color", "red"], "judge": ["ann", "bot"]}
    study = cs.study({"s": lists}, truth={**said, "kind": ["person", "llm"], "label": [1, 1]})
    assert cs.soft(study).payload()["cardinality"]["gold"] == 1
    alone = cs.study({"s": lists}, truth={**said, "kind": ["llm", "llm"], "label": [1, 1]})
    with pytest.raises(cs.UsageError, match="no gold to compare with"):
        cs.soft(alone)


def test_check_says_that_models_vote_and_asks_of_those_who_look_like_one() -> None:
    study = cs.study(RUNS, truth=judged(**{"bot": BOT, "gpt-4o": ("llm", {"x": 1})}))
    facts = overview(study)
    assert facts["notes"] == [
        "bot and gpt-4o are language models: they count as voters in a consensus, "
        "never as the truth"
    ]
    assert facts["condition"] == "absent"
    assert facts["judged"] is None
    assert facts["cannot"][0].startswith("scores against truth: only language models have judged")
    assert any("agree" in line for line in facts["can"])
    hint = "if it is one, say so with a column kind, llm in its rows"
    asked = cs.study(RUNS, truth=judged(**{"gpt-4o": ("person", {"x": 1, "y": 0})}))
    assert overview(asked)["notes"] == [f"'gpt-4o' looks like a language model: {hint}"]
    assert models_vote(asked) is None


@pytest.mark.parametrize(
    "name",
    [
        *("gpt-4o", "GPT4", "gpt-3.5-turbo", "openai/gpt-4.1", "Llama-3-70B", "meta-llama-3.1"),
        *("claude-3-opus", "Claude 3.5 Sonnet", "gemini-1.5-pro", "mistral-large", "Mixtral-8x7B"),
        *("qwen2.5-72b", "deepseek-r1", "gemma-2-9b", "phi-3-mini", "command-r", "o3-mini"),
        *("umbrela", "llm", "llm-judge-2", "my_llm", "flan-t5-xxl", "vicuna"),
    ],
)
def test_names_of_models(name: str) -> None:
    study = cs.study(RUNS, truth=judged(**{name: ("person", {"x": 1, "y": 0})}))
    assert len(look_like_models(study)) == 1


@pytest.mark.parametrize(
    "name",
    [
        *("Claude", "claude.shannon", "Gemma", "Gemini team", "Phil", "phi", "Philippa", "Sam"),
        *("qrels", "gold", "judge1", "annotator-3", "Killmer", "Hellman", "o3", "expert 4"),
        *("falcon", "Alpaca", "palm", "Mister Al", "ann@gpt.example", "commander"),
    ],
)
def test_names_of_people(name: str) -> None:
    study = cs.study(RUNS, truth=judged(**{name: ("person", {"x": 1, "y": 0})}))
    assert look_like_models(study) == []


def test_agree_needs_no_such_note() -> None:
    labels = {"item": ["x", "x"], "annotator": ["ann", "bot"], "kind": ["person", "llm"]}
    study = cs.study({**labels, "label": ["cat", "dog"]}, labels=True)
    assert study.notes == ()
    assert study.respondents.kind == ("person", "llm")
