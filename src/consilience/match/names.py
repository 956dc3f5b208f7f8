"""Similarities by name: strings become functions here, for the doors.

A name may carry settings: ``jaccard:q=3``, ``monge-elkan:inner=jaro-winkler``.
"""

from __future__ import annotations

import importlib
import inspect
from functools import partial
from typing import Any

from consilience.errors import UsageError, quote, unknown
from consilience.match.kernel import Similarity

#: Name → the module of this room that has it; the function is called the same, with ``_``.
SIMILARITIES = {
    "exact": "characters",
    "levenshtein": "characters",
    "damerau": "characters",
    "hamming": "characters",
    "jaro": "characters",
    "jaro-winkler": "characters",
    "lcs": "characters",
    "substring": "characters",
    "needleman-wunsch": "sequence_scores",
    "smith-waterman": "sequence_scores",
    "smith-waterman-gotoh": "sequence_scores",
    "jaccard": "tokens",
    "dice": "tokens",
    "cosine": "tokens",
    "overlap": "tokens",
    "monge-elkan": "soft_tokens",
    "soft-jaccard": "soft_tokens",
    "soft-dice": "soft_tokens",
    "soft-tfidf": "soft_tokens",
    "wordllama": "meanings",
    "minilm": "meanings",
    "vectors": "vectors",
    "segments": "segments",
    "boxes": "boxes",
    "c-sim": "tracks",
    "c-inc": "tracks",
}


def similarity_by_name(text: str) -> Similarity:
    """Find a similarity by its name, with its settings.

    Examples
    --------
    >>> similarity_by_name("levenshtein")("cafe", "caffe")
    0.8
    >>> similarity_by_name("jacard:q=2")
    Traceback (most recent call last):
    consilience.errors.UsageError: unknown similarity 'jacard'; did you mean 'jaccard'? ...
    """
    name, _, settings = text.strip().partition(":")
    plain = name.strip().lower().replace("_", "-")
    if plain not in SIMILARITIES:
        raise unknown("similarity", name, list(SIMILARITIES))
    module = importlib.import_module(f"consilience.match.{SIMILARITIES[plain]}")
    function: Similarity = getattr(module, plain.replace("-", "_"))
    given = _settings(settings, function, plain)
    return partial(function, **given) if given else function


def _settings(text: str, function: Similarity, name: str) -> dict[str, Any]:
    """Read q=3,bag=yes into what the function takes."""
    takes = {
        key: one
        for key, one in inspect.signature(function).parameters.items()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
    }
    given: dict[str, Any] = {}
    for pair in (part for part in text.split(",") if part.strip()):
        key, sign, value = (part.strip() for part in pair.partition("="))
        if not sign or not value:
            raise UsageError(f"{quote(pair)} sets nothing (fix: write NAME=VALUE: {name}:q=3)")
        if not takes:
            raise UsageError(f"{name} has no settings (fix: write {name} alone)")
        if key not in takes:
            raise unknown(f"setting of {name}", key, list(takes))
        given[key] = _value(value, key, takes[key].default, name)
    return given


def _value(text: str, key: str, default: object, name: str) -> object:
    """Read a value as the kind of thing that the setting usually is."""
    if isinstance(default, bool):
        words = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}
        if text.lower() not in words:
            raise UsageError(f"{name}: {key} is yes or no, found {quote(text)}")
        return words[text.lower()]
    if isinstance(default, (int, float)) or (default is None and _is_number(text)):
        try:
            return int(text) if isinstance(default, int) else float(text)
        except ValueError:
            kind = "a whole number" if isinstance(default, int) else "a number"
            raise UsageError(f"{name}: {key} is {kind}, found {quote(text)}") from None
    return similarity_by_name(text) if callable(default) else text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
