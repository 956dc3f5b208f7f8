"""Files of boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consilience.formats.files import File
    from consilience.formats.recognise import Recognised
    from consilience.formats.rows import Kind, Rows

#: The forms that are read here.
FORMS: tuple[str, ...] = ()


def recognise(file: File, lines: Sequence[str]) -> Recognised | None:
    """Tell a form from the first lines."""
    return None


def read(file: File, form: str, *, kind: Kind, why: str) -> list[Rows]:
    """Read a file."""
    raise NotImplementedError
