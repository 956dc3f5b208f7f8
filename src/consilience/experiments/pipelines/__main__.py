"""Write what the 24 pipelines found, so that the commands of the library can be tried on it.

``python -m consilience.experiments.pipelines FOLDER`` writes, of all recorded pages,

- ``found.json``: pipeline → page → entities, the second mention of one on a page being an item of
  its own;
- ``three.json``: the same of the three pipelines of ``reproduce binarization``;
- ``truth.csv``: the entities of each page;
- ``engines.csv``: the engine of each pipeline, for ``--families``.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from consilience.experiments import recorded
from consilience.experiments.ocr import stages
from consilience.experiments.pipelines.experiment import RECORDED, lists
from consilience.experiments.pipelines.study import mentions


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the files into a folder, which is made where it is not there."""
    parser = argparse.ArgumentParser(
        prog="python -m consilience.experiments.pipelines",
        description="Write what the 24 pipelines found, and the truth.",
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args(arguments).folder
    folder.mkdir(parents=True, exist_ok=True)
    kept = recorded.load(RECORDED)
    read, truth, engine = lists(kept, "entities", kept.output["pages"])
    found = {name: {p: mentions(t) for p, t in pages.items()} for name, pages in read.items()}
    three = {one.name: found[one.name] for one in stages.THREE}
    for name, listed in (("found", found), ("three", three)):
        text = json.dumps(listed, ensure_ascii=False, indent=1)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    rows = [(page, item, 1) for page, said in truth.items() for item in mentions(said)]
    _table(folder / "truth.csv", ("query", "item", "label"), rows)
    _table(folder / "engines.csv", ("system", "family"), engine.items())


def _table(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names, *rows])


if __name__ == "__main__":
    main()
