"""The results as a table for people and as JSON for programs; the machine in a few words."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

from bench.bars import Bar, Row

PACKAGES = (
    *("consilience", "numpy", "pyarrow", "pytrec_eval-terrier", "ranx", "scikit-learn"),
    *(
        "polars",
        "duckdb",
        "narwhals",
        "pyspark",
        "crowd-kit",
        "scipy",
        "fast-poibin",
        "krippendorff",
    ),
    *("rapidfuzz", "sqlalchemy", "fastapi", "uvicorn"),
)


def machine() -> dict[str, str | int | None]:
    """Describe what was measured on, without saying whose it is."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{package: _version(package) for package in PACKAGES},
    }


def as_markdown(name: str, about: str, rows: Sequence[Row], bars: Sequence[Bar]) -> str:
    """Write one section down."""
    what = machine()
    lines = [
        f"# {name}",
        "",
        about,
        "",
        "| input | program | CPU s | peak MB | values |",
        "|---|---|--:|--:|---|",
    ]
    for row in rows:
        values = ", ".join(f"{key} {value:.6g}" for key, value in row.cost.values.items())
        cost = f"{row.cost.cpu:.2f} | {row.cost.peak:,.0f}"
        lines.append(f"| {row.what} | {row.contestant.partition('_')[2]} | {cost} | {values} |")
    lines += ["", *(f"- {bar}" for bar in bars), ""]
    lines.append(", ".join(f"{key} {value}" for key, value in what.items() if value is not None))
    return "\n".join(lines) + "\n"


def write(folder: Path, name: str, about: str, rows: Sequence[Row], bars: Sequence[Bar]) -> None:
    """Keep one section's results, for people and for programs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(as_markdown(name, about, rows, bars))
    whole = {
        "section": name,
        "machine": machine(),
        "rows": [asdict(row) for row in rows],
        "bars": [{**asdict(bar), "met": bar.met} for bar in bars],
    }
    (folder / f"{name}.json").write_text(json.dumps(whole, indent=1) + "\n")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
