"""Real sets, read where they lie: systems' answers without truth, and people's truth apart."""

from __future__ import annotations

import csv
import gzip
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import consilience as cs
from consilience.belief.families import with_families

if TYPE_CHECKING:
    from consilience import Study

#: Where others' data lie; they are read from there and never copied.
DATA = Path(
    os.environ.get("CONSILIENCE_DATA", Path(__file__).parents[2].parent / "shared" / "data")
)


class MissingSetError(Exception):
    """A set's folder is not there; says which."""


@dataclass(frozen=True)
class Set:
    """Systems without truth, and the same with it; what is measured, and how.

    ``truths`` are measures of people's ranking, the main one first; ``measures`` rank without
    truth, the main one first. ``depths`` are numbers of answers that count (None: all).
    """

    name: str
    about: str
    blind: Study
    seen: Study
    truths: tuple[str, ...]
    measures: tuple[str, ...]
    depths: tuple[int | None, ...] = (None,)
    fewest: int = 0
    notes: tuple[str, ...] = field(default=())


RANKING = ("nDCG", "P@10", "nDCG@10", "P")
DEPTHS = (None, 10, 20, 50)


def folder(data: Path, name: str) -> Path:
    """Find a folder, or say that it is missing."""
    found = data / name
    if not found.is_dir():
        raise MissingSetError(f"{found} does not exist")
    return found


def trec_covid(data: Path) -> Iterator[Set]:
    """TREC-COVID, round 1: top 100 of 143 runs, 30 topics; no families are declared."""
    here = folder(data, "ir_trec_covid_round1")
    runs, qrels = here / "runs_top100", here / "qrels.txt"
    yield Set(
        "TREC-COVID",
        "143 runs × 30 topics, top 100",
        cs.read(runs),
        cs.read(runs, truth=qrels),
        ("AP", "P@10"),
        RANKING,
        DEPTHS,
    )


def clef_ehealth(data: Path) -> Iterator[Set]:
    """CLEF eHealth 2015: top 100 of 68 runs, 66 topics; families are the teams."""
    here = folder(data, "ir_clef_ehealth_2015")
    runs, qrels = here / "runs_top100", here / "qrels" / "qrels.clef2015.test.bin.txt"
    blind, seen = cs.read(runs), cs.read(runs, truth=qrels)
    teams = {name: name.partition("_")[0] for name in blind.systems}
    yield Set(
        "CLEF eHealth",
        f"68 runs × 66 topics, top 100; {len(set(teams.values()))} teams as families",
        with_families(blind, teams),
        with_families(seen, teams),
        ("AP", "P@10"),
        RANKING,
        DEPTHS,
    )


def llm_judge(data: Path) -> Iterator[Set]:
    """LLMJudge: 33 language models' grades of 4,423 passages; families are the teams."""
    here = folder(data, "ir_llmjudge")
    human = _grades(here / "human_test_qrel.txt.gz")
    judges = {
        path.name.partition(".")[0]: _grades(path)
        for path in sorted((here / "judges").glob("*.txt.gz"))
    }
    for level in (1, 2):
        rows = [
            (query, judge, judge.partition("-")[0], item, int(grade >= level))
            for judge, grades in judges.items()
            for (query, item), grade in grades.items()
            if (query, item) in human
        ]
        names = ("query", "system", "family", "item", "vote")
        table = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
        truth: dict[str, dict[str, int]] = {}
        for (query, item), grade in human.items():
            truth.setdefault(query, {})[item] = int(grade >= level)
        yield Set(
            f"LLMJudge ≥ {level}",
            f"{len(judges)} language models judge {len(human):,} passages; 7 teams as families",
            cs.study(table),
            cs.study(table, truth=truth),
            ("F1", "F1(average=micro)"),
            ("F1", "F1(average=micro)"),
        )


def _grades(path: Path) -> dict[tuple[str, str], int]:
    with gzip.open(path, "rt") as file:
        rows = [line.split() for line in file if line.strip()]
    return {(row[0], row[2]): int(float(row[3])) for row in rows}


def keyphrases(data: Path) -> Iterator[Set]:
    """Inspec: 8 keyphrase extractors on 500 abstracts; families are the tools."""
    here = folder(data, "keyphrase")
    with gzip.open(here / "Inspec_8_system_outputs.json.gz", "rt") as file:
        outputs: dict[str, dict[str, list[str]]] = json.load(file)["systems"]
    with gzip.open(here / "Inspec" / "test.uncontr.json.gz", "rt") as file:
        gold: dict[str, list[list[str]]] = json.load(file)
    answers = {
        system: {query: _distinct(phrases) for query, phrases in lists.items()}
        for system, lists in outputs.items()
    }
    truth = {
        query: dict.fromkeys(_distinct([one for group in phrases for one in group]), 1)
        for query, phrases in gold.items()
    }
    tools = {name: _tool(name) for name in answers}
    yield Set(
        "keyphrases",
        "8 extractors × 500 abstracts of Inspec, exact match; 4 tools as families",
        with_families(cs.study(answers), tools),
        with_families(cs.study(answers, truth=truth), tools),
        ("F1", "P"),
        ("F1", "P"),
        (None, 10),
    )


def _distinct(phrases: list[str]) -> list[str]:
    return list(dict.fromkeys(" ".join(phrase.lower().split()) for phrase in phrases))


def _tool(name: str) -> str:
    return "rake" if name.endswith("rake") else name.partition("_")[0]


Labels = list[tuple[str, str, str, str]]


def crowd_files(data: Path) -> dict[str, Callable[[], Labels]]:
    """Name sets of (worker, task, label, gold), each with what reads it."""
    toolkit, snow = folder(data, "crowd_active_toolkit"), folder(data, "crowd_snow2008_rte")
    found: dict[str, Callable[[], Labels]] = {
        name: _toolkit(toolkit / f"{name}.csv.gz")
        for name in ("SP", "SP_amt", "CF", "CF_amt", "MS")
    }
    return {"RTE": lambda: _snow(snow / "rte.standardized.tsv.gz"), **found}


def _toolkit(path: Path) -> Callable[[], Labels]:
    def read() -> Labels:
        with gzip.open(path, "rt", newline="") as file:
            return [(row[0], row[1], row[2], row[3]) for row in csv.reader(file) if row]

    return read


def _snow(path: Path) -> Labels:
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    return [(r["!amt_worker_ids"], r["orig_id"], r["response"], r["gold"]) for r in rows]


def crowd_set(name: str, labels: Labels) -> Set | None:
    """Make systems of workers who say yes or no; None where there are more than two labels."""
    if len({label for _, _, label, _ in labels}) > 2:
        return None
    table: dict[str, list[Any]] = {
        "system": [worker for worker, _, _, _ in labels],
        "item": [task for _, task, _, _ in labels],
        "vote": [int(label) for _, _, label, _ in labels],
    }
    truth = {task: int(gold) for _, task, _, gold in labels}
    gold = {"query": ["all"] * len(truth), "item": list(truth), "grade": list(truth.values())}
    table["query"] = ["all"] * len(labels)
    return Set(
        name,
        f"{len(set(table['system']))} workers, {len(truth):,} tasks, {len(labels):,} labels",
        cs.study(table),
        cs.study(table, truth=gold),
        ("Accuracy",),
        ("Accuracy",),
        fewest=20,
    )


READERS: dict[str, Callable[[Path], Iterator[Set]]] = {
    "TREC-COVID": trec_covid,
    "CLEF eHealth": clef_ehealth,
    "LLMJudge": llm_judge,
    "keyphrases": keyphrases,
}
