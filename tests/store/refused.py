"""Databases that cannot be opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience.errors import UsageError
from consilience.store.connect import open_database


def refused(where: str | Path, *, create: bool = True) -> str:
    with pytest.raises(UsageError) as error:
        open_database(where, create=create)
    message = str(error.value)
    assert "\n" not in message
    assert "(fix: " in message
    return message
