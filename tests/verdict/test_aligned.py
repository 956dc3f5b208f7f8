"""Aligned sequences as a result: pages read by two engines, and what is said of them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from rapidfuzz.distance import Levenshtein

import consilience as cs
from tests.match.copies import noisy, text_of
from tests.shipped import SHIPPED

OCR = SHIPPED / "ocr"
THREE = {"a": "the cat sat", "b": "the bat sat", "c": "cat sat"}


def page(source: str, name: str) -> str:
    return (OCR / source / f"{name}.txt").read_text(encoding="utf-8")


def engines() -> dict[str, str]:
    return {name: page(name, "actevedef") for name in ("tesseract", "calamari")}


@pytest.mark.parametrize("tokens", ["words", "characters"])
@pytest.mark.parametrize("unicode", ["nfc", "ascii"])
def test_method_two_ranks_engines_as_the_error_rate_does(tokens, unicode):
    """Two engines on a page of 1730: the one with fewer edits has the higher F1 by position."""
    found = cs.align(engines(), truth=page("truth", "actevedef"), tokens=tokens, unicode=unicode)
    rate = {name: wrong / length for name, (wrong, length) in found.errors.items()}
    by_rate = sorted(rate, key=lambda name: rate[name])
    by_f1 = sorted(rate, key=lambda name: -found.aligned[name]["F1"].value)
    assert by_rate == by_f1 == ["calamari", "tesseract"]


def test_error_rates_are_word_error_rates():
    found = cs.align(engines(), truth=page("truth", "actevedef"), unicode="keep")
    right = page("truth", "actevedef").split()
    for name, text in engines().items():
        edits = Levenshtein.distance(text.split(), right)
        assert found.errors[name] == (edits, len(right))
        aligned = found.alignment()
        rows = dict(zip(aligned.names, aligned.columns, strict=True))
        assert (rows[name] != rows["truth"]).sum() == edits  # nothing is lost to the other engine


def test_matches_by_position_are_those_of_two_sequences_alone():
    """Hits of Method II are the equal tokens of an edit script, or a few more at the same cost."""
    found = cs.align(engines(), truth=page("truth", "actevedef"), unicode="keep")
    right = page("truth", "actevedef").split()
    for name, text in engines().items():
        words = text.split()
        hits = found.aligned[name]["P"].value * len(words)
        script = Levenshtein.opcodes(words, right)
        equal = sum(step.src_end - step.src_start for step in script if step.tag == "equal")
        assert equal <= round(hits) <= equal + 3
        bag = found.bag[name]["P"].value * len(words)
        assert round(bag) >= round(hits)


def test_method_two_ranks_many_noisy_copies_as_the_error_rate_does():
    rng = np.random.default_rng(9)
    text = text_of(rng, 800)
    copies = {f"s{k}": noisy(rng, text, 0.03 + 0.04 * k) for k in range(8)}
    with_truth, without = cs.align(copies, truth=text), cs.align(copies)
    order = sorted(copies, key=lambda name: with_truth.errors[name][0])
    for result in (with_truth, without):
        assert sorted(copies, key=lambda name: -result.aligned[name]["F1"].value) == order
    assert with_truth.caveat is None
    assert without.caveat is not None


def test_a_score_as_a_bag_is_never_below_that_by_position():
    rng = np.random.default_rng(10)
    text = text_of(rng, 300)
    copies = {f"s{k}": noisy(rng, text, 0.3) for k in range(4)}
    found = cs.align(copies, truth=text)
    for name in copies:
        for measure in ("P", "R", "F1"):
            assert found.bag[name][measure].value >= found.aligned[name][measure].value - 1e-12


def test_a_result_can_be_looked_into():
    found = cs.align(THREE, truth="the cat sat")
    assert found.names == ("a", "b", "c", "truth")
    assert found.columns.shape == (4, 3)
    assert [found.tokens[code] for code in found.columns[1]] == ["the", "bat", "sat"]
    assert found.row("c") == (None, "cat", "sat")
    assert found.consensus() == ("the", "cat", "sat")
    assert found.agreement("b", "a") == pytest.approx(2 / 3)
    assert repr(found).startswith("<AlignmentResult: 3 sources and the truth, 1 document")
    with pytest.raises(cs.UsageError, match="not two sources"):
        found.agreement("a", "z")


def test_documents_are_named():
    found = cs.align({"a": {"d": "x y", "e": "z"}, "b": {"d": "x", "e": "z"}})
    assert found.row("b", "d") == ("x", None)
    with pytest.raises(cs.UsageError, match="there are 2 documents"):
        found.alignment()
    with pytest.raises(cs.UsageError, match="unknown document 'f'"):
        found.alignment("f")


def test_the_headline_says_who_is_near_and_who_differs():
    said = cs.align(THREE).headline
    assert "3 sources, 1 document: of 3 columns all agree on 1 (33.3%)." in said
    assert "Nearest to each other are a and b (agreement 0.6667)" in said
    assert "differs most from the others (0.5000 on average)" in said
    assert said.endswith("no ground truth was used: this is agreement.")
    truth = cs.align(THREE, truth="the cat sat").headline
    assert truth.endswith(
        "Against the truth a has the highest F1: 1.0000 by position, 1.0000 as a bag."
    )
    assert "b has F1" in cs.align({"b": "the bat sat"}, truth="the cat sat").headline
    assert "a and b have the highest F1" in cs.align({"a": "x", "b": "x"}, truth="x").headline


def test_notes_say_what_is_missing():
    two = cs.align({"a": {"d": "x", "e": "y"}, "b": {"d": "x"}}, per="column").notes
    assert any("two sources cannot outvote each other" in note for note in two)
    assert any("b has no text for 1 of 2 documents" in note for note in two)
    assert any("an item is a column" in note for note in two)


def test_the_payload_is_plain_data():
    found = cs.align(THREE, truth="the cat sat", similarity="levenshtein", floor=0.5)
    payload = found.payload()
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    assert payload["verb"] == "align"
    assert (
        payload["id"]
        == cs.align(THREE, truth="the cat sat", similarity="levenshtein", floor=0.5).payload()["id"]
    )
    assert payload["settings"]["similarity"] == "levenshtein"
    (one,) = payload["alignment"]
    assert one["marks"] == "::*"
    assert one["rows"]["c"] == [None, "cat", "sat"]
    assert one["consensus"] == ["the", "cat", "sat"]
    by_name = {source["name"]: source for source in payload["sources"]}
    assert by_name["truth"]["kind"] == "gold"
    assert by_name["truth"]["aligned"] is None
    assert by_name["b"]["errors"] == 1
    assert by_name["b"]["error_rate"] == pytest.approx(1 / 3)


def test_the_order_of_sources_does_not_change_who_agrees():
    forth, back = (cs.align(dict(some)) for some in (THREE.items(), reversed(THREE.items())))
    pairs = [(a, b) for a in THREE for b in THREE if a < b]
    assert [forth.agreement(*pair) for pair in pairs] == [back.agreement(*pair) for pair in pairs]


def test_too_many_sources_are_compared_in_the_alignment(monkeypatch):
    from consilience.match import progressive

    direct = cs.align(THREE)
    monkeypatch.setattr(progressive, "MANY", 2)
    found = cs.align(THREE)
    assert found.agreement("a", "b") == direct.agreement("a", "b")
    assert any("too many sources" in note for note in found.notes)


def test_empty_sources_are_undefined_not_zero():
    found = cs.align({"a": "", "b": ""}, truth="")
    assert found.payload()["columns"] == 0
    assert found.payload()["sources"][0]["aligned"]["f1"] is None
    assert "F1" not in found.headline


def test_a_floor_needs_a_similarity():
    with pytest.raises(cs.UsageError, match="a floor is for a similarity"):
        cs.align(THREE, floor=0.5)


def test_a_document_of_one_source_is_no_agreement():
    found = cs.align({"a": {"d": "one two"}, "b": {"d": "one too", "e": "only here and nowhere"}})
    payload = found.payload()
    assert (payload["compared"], payload["agreed"], payload["columns"]) == (2, 1, 6)
    assert "of 2 columns all agree on 1 (50.0%)" in payload["headline"]


def test_a_truth_of_other_documents_is_an_error():
    with pytest.raises(cs.UsageError, match="sources and truth share no document"):
        cs.align({"a": {"d": "one"}, "b": {"d": "two"}}, truth={"e": "one"})
