"""Make the files of docs/next.md: six made-up pipelines, and three rounds of labels.

Run it in the checkout: ``python -m tests.golden.make_labelling``. Labels are taken from the truth
as a person would give them, for what ``next`` draws with its usual seed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import consilience as cs
from consilience.examples.pipelines import BAD, GOOD, Engine, pipelines
from consilience.measures.corrected import returned_items
from tests.verdict.labelled import truth_of

FOLDER = Path(__file__).parents[2] / "docs" / "files" / "labelling"
ROUNDS, BUDGET = 3, 40
FAIR = Engine("fair", 0.12, 0.02)


def main() -> None:
    """Write what six pipelines say of every item, and three rounds of labels."""
    FOLDER.mkdir(exist_ok=True)
    study = pipelines(((GOOD, 2), (FAIR, 2), (BAD, 2)), pages=4, items=150, prevalence=0.15, seed=5)
    items = np.arange(len(study.items))
    named = list(
        zip(
            [study.queries[code] for code in study.items.query(items)],
            study.items.names(items),
            strict=True,
        )
    )
    votes = returned_items(study).votes.toarray().astype(int).T.tolist()
    systems = [name.replace("-lines", "") for name in study.systems]
    rows = sorted([*name, *said] for name, said in zip(named, votes, strict=True))
    _write("votes.csv", ["query", "item", *systems], rows)
    _write("families.csv", ["system", "family"], ((name, name.split("-")[1]) for name in systems))
    truth = dict(zip(named, truth_of(study).astype(int).tolist(), strict=True))
    for turn in range(1, ROUNDS + 1):
        labels = [FOLDER / f"labels-{before}.csv" for before in range(1, turn)]
        made = cs.next_labels(cs.read([FOLDER / "votes.csv"], truth=labels), budget=BUDGET)
        drawn = [{**row, "label": truth[row["query"], row["item"]]} for row in made.rows]
        _write(f"labels-{turn}.csv", list(drawn[0]), (row.values() for row in drawn))


def _write(name: str, header: list[str], rows: Iterable[Iterable[object]]) -> None:
    with (FOLDER / name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
