"""The programs that align sequences; called as in :mod:`bench.contestants`.

``work s`` among the values are CPU seconds of the work alone, on texts made before.
"""

from __future__ import annotations

import time
from collections.abc import Callable

SEED = 20260415
#: Sources, the share of tokens at which each one errs, the different words of the text.
SOURCES, NOISE, WORDS = 20, 0.1, 3_000


def make_copies(length: int) -> dict[str, list[str]]:
    """Copy a text badly: a tenth of the tokens replaced, dropped, or followed by another."""
    import numpy as np

    rng = np.random.default_rng(SEED)
    text = [f"w{word}" for word in (rng.zipf(1.3, length) % WORDS).tolist()]
    copies = {}
    for source in range(SOURCES):
        copy: list[str] = []
        errs = (rng.random(length) < NOISE).tolist()
        how = rng.integers(3, size=length).tolist()
        other = rng.integers(10**6, size=length).tolist()
        for token, wrong, way, number in zip(text, errs, how, other, strict=True):
            if not wrong:
                copy.append(token)
            elif way == 0:  # another word is slipped in
                copy += [token, f"w{number % WORDS}"]
            elif way == 1:  # misread; otherwise dropped
                copy.append(f"x{number}")
        copies[f"s{source}"] = copy
    return copies


def align_consilience(length: str) -> dict[str, float]:
    """Align all sources; what the alignment costs over what no alignment can cost less than."""
    from consilience.match.progressive import align_tokens

    align_tokens(make_copies(50))
    copies = make_copies(int(length))
    began = time.process_time()
    found = align_tokens(copies)
    work = time.process_time() - began
    least = 0.0 if found.edits is None else found.edits.sum() / 2
    return {
        "work s": work,
        "columns": found.columns.shape[1],
        "cost over bound": found.cost / least,
    }


def align_rapidfuzz(length: str) -> dict[str, float]:
    """Compare all pairs of sources by RapidFuzz's edit distance, and align nothing."""
    from rapidfuzz.distance import Levenshtein

    copies = make_copies(int(length))
    began = time.process_time()
    number: dict[str, int] = {}
    codes = [[number.setdefault(token, len(number)) for token in one] for one in copies.values()]
    pairs = [Levenshtein.distance(a, b) for k, a in enumerate(codes) for b in codes[:k]]
    return {"work s": time.process_time() - began, "edits": sum(pairs)}


ALIGNERS: dict[str, Callable[..., dict[str, float]]] = {
    "align_consilience": align_consilience,
    "align_rapidfuzz": align_rapidfuzz,
}
