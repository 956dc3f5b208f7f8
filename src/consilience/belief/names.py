"""Beliefs by name: the one table that doors read."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from consilience.errors import unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from consilience.belief.model import Belief

#: Name → (module, function, what it believes).
BELIEFS = {
    "gold": ("judges", "gold", "the truth that was given, or the share of judges"),
    "consensus": ("agreement", "consensus", "the papers' consensus: weighted shares, with ⊤ and ⊥"),
    "ls-eb": ("agreement", "ls_eb", "shares drawn to the prevalence; copies count once"),
    "families": ("agreement", "by_family", "as ls-eb; every family counts once"),
    "discounted": ("agreement", "discounted", "as ls-eb; a vote counts less further down"),
    "majority": ("agreement", "majority", "what more than half of the systems say"),
    "dawid-skene": ("coins", "dawid_skene", "two coins per system: hits and false alarms"),
    "hds": ("engines", "hierarchical", "Dawid–Skene with a hidden engine per family"),
    "aipw": ("labelled", "aipw", "labels drawn by design; a guess tuned on them for the rest"),
    "spectral": ("eigen", "spectral", "weights from the eigenvector of the votes' covariance"),
}


def belief_by_name(name: str) -> Callable[..., Belief]:
    """Give the function that a belief's name stands for.

    Examples
    --------
    >>> belief_by_name("ls-eb").__name__
    'ls_eb'
    """
    if name not in BELIEFS:
        raise unknown("belief", name, list(BELIEFS))
    module, function, _ = BELIEFS[name]
    found: Callable[..., Belief] = getattr(
        importlib.import_module(f"consilience.belief.{module}"), function
    )
    return found
