"""24 pipelines: bags as the library makes them, the sweep where engines' errors are known."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import consilience as cs
from consilience.experiments import recorded
from consilience.experiments.ocr import stages
from consilience.experiments.pipelines import control
from consilience.experiments.pipelines import experiment as pipelines
from consilience.experiments.pipelines.__main__ import main as write
from consilience.experiments.pipelines.study import (
    LABELS,
    MACRO,
    MICRO,
    Readings,
    blind,
    by_labels,
    mentions,
    pooled,
    readings,
    scores,
    seen,
)
from consilience.experiments.pipelines.sweep import sweep
from consilience.experiments.reproduced import Asked
from tests.cli.command import consilience


@pytest.fixture(scope="module")
def made_up() -> Readings:
    """Twelve pipelines on a good engine and twelve on a bad one that repeats its errors."""
    rng = np.random.default_rng(5)
    truth = {f"p{page}": [f"w{page}-{at}" for at in range(40)] for page in range(6)}
    engine, read = {}, {}
    for which, loses, invents in (("good", 0.1, 2), ("bad", 0.5, 20)):
        kept = {page: [w for w in words if rng.random() > loses] for page, words in truth.items()}
        wrong = {page: [f"{which}-{at}" for at in range(invents)] for page in truth}
        for number in range(12):
            name = f"v{number} · {which}"
            engine[name] = which
            read[name] = {
                page: [w for w in [*kept[page], *wrong[page]] if rng.random() > 0.02 * number]
                for page in truth
            }
    return readings(read, truth, engine)


@pytest.mark.parametrize("kind", pipelines.KINDS)
def test_mentions_are_bags_as_the_library_makes_them(kind: str) -> None:
    kept = recorded.load(pipelines.RECORDED)
    pages = kept.output["pages"][:3]
    ours = pipelines.taken(kept, kind, pages)
    take = stages.entities if kind == "entities" else stages.words
    lists = take({"pages": pages}, ours.engine)
    truth = lists.pop(stages.TRUTH)
    with_truth, without = cs.by_bag(lists, truth=truth), cs.by_bag(lists)
    for made, other, belief in (
        (seen(ours), with_truth, cs.gold),
        (blind(ours), without, cs.consensus),
    ):
        assert made.systems == other.systems
        for measure in (MICRO, MACRO, "P", "R"):
            mine, theirs = (scores(one, belief, measure=measure) for one in (made, other))
            np.testing.assert_allclose(mine, theirs, atol=1e-12)


def test_a_page_without_a_find_is_an_answer() -> None:
    truth, engine = {"p": ["x"], "q": ["x", "y"]}, {"a": "one", "b": "two"}
    whole = readings({"a": {"p": ["x"], "q": []}, "b": {"p": ["x"], "q": ["y"]}}, truth, engine)
    assert whole.nothing() == {"a": {"q": []}}
    np.testing.assert_allclose(scores(seen(whole)), [2 * 1 / (1 + 3), 2 * 2 / (2 + 3)])
    # by consensus of two, ⊤ and ⊥: x on p is worth 3/4, y on q (which a passed over) 2/4
    agreed = scores(blind(whole), cs.consensus)
    np.testing.assert_allclose(agreed, [2 * 0.75 / (1 + 1.25), 2 * 1.25 / (2 + 1.25)])


def test_what_nobody_found_cannot_be_labelled() -> None:
    whole = readings({"a": {"p": ["x", "x"]}}, {"p": ["x", "y", "x", "x"]}, {"a": "one"})
    assert pooled(whole).truth == {"p": ("x", "x (2)")}
    assert mentions("abca") == ("a", "b", "c", "a (2)")


def test_a_majority_of_bad_pipelines_inverts_consensus_and_labels_mend_it(
    made_up: Readings,
) -> None:
    swept = sweep(made_up, "good", seed=0, sizes=(2, 12), draws=1)
    told = {(o.k, o.method): o for o in swept}
    assert told[2, "truth"].gap > 0.3
    assert told[2, "truth"].tau == 1
    assert told[2, "consensus"].gap < 0
    assert told[2, "consensus"].regret > 0.3
    # an engine that counts once is not outvoted, which need not bring the better one first
    assert told[2, "engines once"].gap > told[2, "consensus"].gap
    for k in (2, 12):
        assert told[k, LABELS].gap > 0.2
        assert told[k, LABELS].regret < 0.1


def test_labels_estimate_the_truth_of_the_pool(made_up: Readings) -> None:
    part = pooled(made_up)
    truth = scores(seen(part))
    drawn = [by_labels(part, 100, seed=seed) for seed in range(3)]
    apart = np.array([np.abs(one.value - truth) for one in drawn])
    assert apart.mean() < 0.06
    assert np.mean([np.abs(one.shrunk - truth) for one in drawn]) < 0.06
    assert all(60 < one.labels < 140 for one in drawn)
    inside = apart <= [one.reach for one in drawn]
    assert inside.mean() > 0.8


def test_common_errors_change_nothing_but_errors() -> None:
    """Right readings stay; errors become those of one pipeline, or those of any."""
    truth = {"p": ["x", "x", "y"], "q": []}
    read = {
        "good": {"p": ["x", "y", "g"], "q": []},
        "b1": {"p": ["x", "u", "u"], "q": ["w"]},
        "b2": {"p": ["x", "x", "x", "v"], "q": []},
    }
    bad = ["b1", "b2"]
    assert control.alike(read, truth, bad, control.AS_READ) == {
        name: {page: sorted(tokens, key=tokens.index) for page, tokens in pages.items()}
        for name, pages in read.items()
    }
    one = control.alike(read, truth, bad, control.ONE)
    assert one["b2"] == {"p": ["x", "x", "u", "u"], "q": ["w"]}
    assert one["good"] == read["good"]
    every = control.alike(read, truth, bad, control.ANY)
    assert {page: sorted(tokens) for page, tokens in every["b1"].items()} == {
        "p": ["u", "u", "v", "x", "x"],  # the third x of b2 is an error, too
        "q": ["w"],
    }


def test_undefined_pairs_are_not_counted() -> None:
    names, good = ["a · x", "a · y", "b · x", "b · y"], np.array([True, False] * 2)
    values = np.array([1.0, np.nan, 1, 2])
    assert pipelines.turned(names, good, np.array([2.0, 1, 2, 1]), values) == (1, 1)


def test_pairs_differ_in_the_engine_alone() -> None:
    told = pipelines.run(Asked(size=2))
    (table,) = [one for one in told.tables if one.title.startswith("Entities")]
    assert len(table.rows) == 24
    places = [row[2] for row in table.rows if isinstance(row[2], int)]
    assert len(places) == 24
    assert places == sorted(places)
    by_claim = {one.claim: one for one in told.findings}
    better = by_claim["one OCR engine clearly outperforms the other"]
    assert "words: tesseract has the higher F in 12 of 12 pairs" in better.ours
    assert better.agrees
    assert sum(one.agrees is not None for one in told.findings) == 4  # the paper's, on entities
    assert "no ground truth was used" in str(told.caveat)


def test_the_files_give_the_same_by_the_commands(tmp_path: Path) -> None:
    """What the page tells to type works, and gives F as the experiment has it."""
    write([str(tmp_path)])
    found, truth = str(tmp_path / "found.json"), str(tmp_path / "truth.csv")
    asked = ["-m", "F1(average=micro)", "--json", "--no-save"]
    kept = recorded.load(pipelines.RECORDED)
    whole = pipelines.taken(kept, "entities", kept.output["pages"])
    made = seen(whole)
    told = consilience("rank", found, "--truth", truth, *asked)
    assert told.code == 0
    rows = json.loads(told.out)["systems"]
    values = {row["name"]: row["scores"]["F1(average=micro)"]["value"] for row in rows}
    assert values == pytest.approx(dict(zip(made.systems, scores(made).tolist(), strict=True)))
    engines = (tmp_path / "engines.csv").read_text(encoding="utf-8").splitlines()
    assert engines[0] == "system,family"
    assert len(engines) == 1 + 24
