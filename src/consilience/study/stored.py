"""The files of a benchmark: what stands in each, and how they are written."""

from __future__ import annotations

import csv
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.errors import ConsilienceError
from consilience.study.subjects import said_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from consilience.study.model import Study

#: File → its columns.
FILES = {
    "items.csv": ("item",),
    "queries.csv": ("query",),
    "subjects.csv": (
        *("query", "subject", "item", "relevance", "rank", "probability", "round", "kind"),
    ),
    "tree.csv": ("category", "parent"),
    "assignments.csv": ("item", "subject", "category"),
}


def subject_rows(study: Study, scale: float) -> list[tuple[Any, ...]]:
    """Give the subjects' answers in the order they were given; no relevance: cannot tell."""
    evidence = study.evidence
    rows = len(evidence)
    said = said_of(evidence.grade, evidence.vote, rows)
    whole = [
        [""] * rows if column is None else [number or "" for number in column.tolist()]
        for column in (evidence.rank, evidence.round)
    ]
    drawn = _written(evidence.probability, rows)
    of = evidence.list_of_row()
    who = [study.respondents.names[code] for code in evidence.respondent[of].tolist()]
    query = [study.queries[code] for code in evidence.query[of].tolist()]
    item, relevance = study.items.names(evidence.item), _written(said / scale, rows)
    kind = _kinds(study)
    return list(zip(query, who, item, relevance, whole[0], drawn, whole[1], kind, strict=True))


def _kinds(study: Study) -> list[str]:
    """Tell what the subject of every answer is, if language models are among them."""
    evidence = study.evidence
    kind = [study.respondents.kind[code] for code in evidence.respondent.tolist()]
    if "llm" not in kind:
        return [""] * len(evidence)
    return [kind[number] for number in evidence.list_of_row().tolist()]


def _written(column: NDArray[np.float64] | None, rows: int) -> list[str]:
    """Write numbers as cells, NaN as an empty one."""
    if column is None:
        return [""] * rows
    return ["" if value != value else repr(value) for value in column.tolist()]


def write_folder(target: Path, tables: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
    """Write a folder aside, then rename it into its place."""
    aside = old = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
        for name, rows in tables.items():
            kept = _used(name, rows)
            with (aside / name).open("w", encoding="utf-8", newline="") as stream:
                writer = csv.writer(stream, lineterminator="\n")
                writer.writerow([FILES[name][place] for place in kept])
                writer.writerows([row[place] for place in kept] for row in rows)
        aside.chmod(0o755)
        if target.exists():
            old = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
            target.replace(old)
        aside.replace(target)
    except OSError as error:
        if old is not None and not target.exists():
            old.replace(target)
        if aside is not None:
            shutil.rmtree(aside, ignore_errors=True)
        reason = error.strerror or str(error)
        raise ConsilienceError(f"{target}: cannot be written: {reason}") from None
    if old is not None:
        shutil.rmtree(old, ignore_errors=True)


def _used(name: str, rows: Sequence[tuple[Any, ...]]) -> list[int]:
    """Choose the columns of a file: all, but those that say more of subjects only if some do."""
    width = max((len(row) for row in rows), default=len(FILES[name]))
    places = range(min(width, len(FILES[name])))
    if name != "subjects.csv":
        return [*places]
    return [place for place in places if place < 4 or any(row[place] != "" for row in rows)]
