"""Noisy copies of a made-up text."""

from __future__ import annotations

import numpy as np


def noisy(rng: np.random.Generator, text: list[str], share: float) -> list[str]:
    """Copy a text badly: tokens are dropped, misread, or slipped in."""
    copy: list[str] = []
    for token in text:
        luck = rng.random() / share
        copy += [token] * (luck > 2 / 3)
        copy += [f"x{rng.integers(10**6)}"] * (1 / 3 < luck < 2 / 3)
        copy += [f"w{rng.integers(300)}"] * (2 / 3 < luck < 1)
    return copy


def text_of(rng: np.random.Generator, length: int) -> list[str]:
    return [f"w{word}" for word in (rng.zipf(1.3, length) % 300).tolist()]
