"""All similarities in one place: ``consilience.similarity.levenshtein`` and so on.

Each is a function of two items with a value in [0, 1]; see :mod:`consilience.match.names` for the
list and docs/similarities for what each one measures.
"""

from __future__ import annotations

import importlib
from typing import Any

from consilience.match.names import SIMILARITIES

#: What goes with them.
_HELPERS = {"inverse_frequencies": "soft_tokens"}


def __getattr__(name: str) -> Any:
    module = _HELPERS.get(name) or SIMILARITIES.get(name.replace("_", "-"))
    if module is None or name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"consilience.match.{module}"), name)


def __dir__() -> list[str]:
    return sorted([*(name.replace("-", "_") for name in SIMILARITIES), *_HELPERS])
