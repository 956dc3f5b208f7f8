"""Where a result was computed, and how."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Ran:
    """Where a result was computed: on arrays, or by expressions inside an engine.

    ``parts`` tells in how many parts, ``workers`` by how many processes or threads, ``memory``
    how many bytes might be used (None: nobody set a limit).

    Examples
    --------
    >>> Ran().payload()
    {'name': 'memory', 'ran': 'arrays', 'parts': 1, 'workers': 1, 'memory': None}
    """

    name: str = "memory"
    ran: str = "arrays"
    parts: int = 1
    workers: int = 1
    memory: int | None = None

    def payload(self) -> dict[str, Any]:
        """Give it as plain data (the key ``engine`` of ``rank --json``)."""
        return {
            "name": self.name,
            "ran": self.ran,
            "parts": self.parts,
            "workers": self.workers,
            "memory": self.memory,
        }


#: What usually is done.
IN_MEMORY = Ran()
