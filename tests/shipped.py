"""Others' data that the package carries for its experiments, used by tests as well."""

from __future__ import annotations

from pathlib import Path

import consilience

SHIPPED = Path(consilience.__file__).parent / "experiments" / "data"
