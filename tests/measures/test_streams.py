"""Measures that add up over all hits, some lists at a time, against all hits kept."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.measures import expected, scores, streams
from consilience.measures.hits import find_hits
from consilience.study.ranking import rank_answers

MEASURES = [
    "nDCG",
    "nDCG@3",
    "AP",
    "AP@4",
    "RR",
    "RR@2",
    "Success@2",
    "P",
    "R",
    "F1",
    "P@3",
    "Judged",
]


def made(rng: np.random.Generator, form: str) -> Any:
    """A study of four systems and six queries, one of them left unanswered by one system."""
    rows: dict[str, list[Any]] = {name: [] for name in ("query", "system", "item", form)}
    for query in range(6):
        for system in range(4):
            if (query, system) == (3, 2):
                continue
            for place, item in enumerate(rng.permutation(15)[: rng.integers(1, 12)].tolist()):
                rows["query"].append(f"q{query}")
                rows["system"].append(f"s{system}")
                rows["item"].append(f"d{item}")
                below = {"rank": 1, "score": 4, "vote": 2}[form]
                rows[form].append(place + 1 if form == "rank" else int(rng.integers(below)))
    return cs.study(rows)


def table(study: Any, belief: Any, **options: Any) -> dict[str, np.ndarray]:
    found = scores.score(study, measures=MEASURES, belief=belief, **options)
    return {name: found.matrix(name) for name in found.measures}


@pytest.mark.parametrize("form", ["rank", "score", "vote"])
@pytest.mark.parametrize("belief", [cs.ls_eb, cs.consensus, cs.majority])
@pytest.mark.parametrize("block", [1, 10, 1 << 16])
def test_some_lists_at_a_time(form: str, belief: Any, block: int) -> None:
    study = made(np.random.default_rng(len(form)), form)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scores, "_deepest", lambda measures, belief: None)
        kept = table(study, belief)
    with pytest.MonkeyPatch.context() as patch:
        for module in (streams, expected):
            patch.setattr(module, "BLOCK", block)
        found = table(study, belief)
        alone = {
            name: scores.score(study, measures=[name], belief=belief).matrix(name)
            for name in MEASURES
        }
    for name in MEASURES:
        assert found[name] == pytest.approx(kept[name], abs=1e-13, nan_ok=True), name
        assert alone[name] == pytest.approx(kept[name], abs=1e-13, nan_ok=True), name


def test_every_hit_stands_where_it_was_kept() -> None:
    study = made(np.random.default_rng(5), "score")
    belief = cs.ls_eb(study)
    hits = find_hits(study, belief)
    some = find_hits(study, belief, deepest=2)
    assert some.all is not None
    for name in ("cell", "position", "p", "gain"):
        joined = np.concatenate([getattr(one, name) for one in some.all()])
        assert np.array_equal(joined, getattr(hits, name))
    assert int(some.position.max()) == 2


def test_ranks_that_rise_need_no_sorting() -> None:
    """Whether lists are in order is told from the ranks as they are: against sorting them."""
    rng = np.random.default_rng(3)
    for _ in range(60):
        study = made(rng, "rank")
        rank = study.answers.rank.copy()
        if rng.random() < 0.7:  # a list out of order, a tie, or a rank that was not given
            place = int(rng.integers(len(rank)))
            rank[place] = rng.integers(0, 4)
        moved = replace(study, answers=replace(study.answers, rank=rank))
        by_score = replace(
            study,
            answers=replace(
                study.answers, rank=None, score=np.where(rank > 0, -rank.astype(float), np.nan)
            ),
        )
        one, other = rank_answers(moved), rank_answers(by_score)
        places = np.arange(len(rank))
        assert np.array_equal(one.ordered, other.ordered)
        assert np.array_equal(one.answers(places), other.answers(places))
        assert one.tied == other.tied
