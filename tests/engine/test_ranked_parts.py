"""Rankings part by part, option by option: whatever memory says, parts say."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.belief import looked
from consilience.engine import ranked, ranking
from consilience.errors import UsageError
from consilience.verdict import agreement, posterior
from consilience.verdict.agreement import Wanted
from tests.engine.payloads import differences


@pytest.fixture(autouse=True, scope="module")
def _large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let every study count as large, and cut it into parts of some rows."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (ranked, agreement):
            patch.setattr(module, "MOST_VOTES", 0)
        patch.setattr(ranked, "expressible", lambda *_, **__: "it is parts that are looked at")
        patch.setattr(posterior, "LARGEST", 0)
        patch.setattr(ranking, "PART", 100)
        patch.setattr(ranking, "SMALLEST", 1)
        patch.setenv("CONSILIENCE_WORK", str(tmp_path_factory.mktemp("work")))
        yield


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lists of five systems, rows in any order, some twice; two systems order one set anew."""
    folder = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(11)
    rows: list[Sequence[Any]] = []
    for query in range(9):
        worth = rng.random(12)
        lists = [np.argsort(-worth - rng.random(12))[: rng.integers(2, 9)] for _ in range(4)]
        for system, items in enumerate([*lists, rng.permutation(lists[3])]):
            for place, item in enumerate(items.tolist()):
                rows.append((f"q{query}", f"s{system}", f"d{item}", 20 - place))
    rows = [rows[place] for place in (*rng.permutation(len(rows)), 3, 77, 140)]
    write(folder / "votes.csv", "query,system,item,score", rows)
    write(folder / "sets.csv", "query,system,item", [row[:3] for row in rows])
    judged = [
        (f"q{query}", judge, kind, f"d{item}", rng.integers(0, 3))
        for query in range(1, 11)
        for judge, kind in (("gpt", "llm"), ("ann", "person"), ("bob", "person"))
        for item in range(13)
        if rng.random() < 0.4
    ]
    write(folder / "judges.csv", "query,judge,kind,item,grade", [*judged, *judged[::9]])
    gold = [(q, i, g) for q, judge, _, i, g in judged if judge == "ann"]
    write(folder / "gold.csv", "query,item,grade", gold)
    write(folder / "other.csv", "query,item,grade", [(f"t{q}", i, g) for q, i, g in gold])
    kin = [("s0", "x"), ("s1", "x"), ("s2", "y"), ("s3", "z"), ("nobody", "z")]
    write(folder / "families.csv", "name,family", kin)
    return folder


def write(path: Path, header: str, rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([header.split(","), *rows])


def both(folder: Path, name: str = "votes.csv", **options: Any) -> list[dict[str, Any]]:
    """Rank in memory and by parts; give the results."""
    given: dict[str, Any] = {"samples": 100, "workers": 1, "memory": "1.5GB"}
    given |= {
        key: str(folder / value) if str(value).endswith(".csv") else value
        for key, value in options.items()
    }
    found = [cs.rank_tables(folder / name, engine=one, **given) for one in ("memory", "duckdb")]
    assert found[1].ran.parts > 1
    return [one.payload() for one in found]


RANKED = ["nDCG", "P@3", "F1(rel=2)"]


@pytest.mark.parametrize(
    "options",
    [
        {"truth": "judges.csv", "belief": "ls-eb"},
        {"truth": "judges.csv", "belief": "families", "families": "families.csv"},
        {"truth": "judges.csv", "belief": "families", "evidence": "vote", "measures": RANKED},
        {"truth": "judges.csv"},
        {"truth": "gold.csv", "families": "families.csv"},
        {"belief": "majority", "measures": ["F1"]},
        {"truth": "judges.csv", "belief": "majority", "measures": RANKED},
        {"belief": "discounted", "measures": ["nDCG", "AUC"]},
        {"belief": "discounted", "leave_out": "system", "show": Wanted(cutoffs=2)},
        {"belief": "consensus", "weights": {"s0": 0.3, "s3": 0.1}, "leave_out": "system"},
        {"truth": "gold.csv", "belief": "dawid-skene", "measures": RANKED, "ties": "best"},
        {"belief": "dawid-skene", "show": Wanted(cutoffs=3)},
        {"belief": "hds", "families": "auto", "depth": 2, "show": Wanted(cutoffs=2)},
        {"truth": "gold.csv", "belief": "hds", "families": "families.csv", "measures": RANKED},
        {"depth": 3, "belief": "consensus", "show": Wanted(virtual=True)},
        {"truth": "judges.csv", "belief": "ls-eb", "depth": 2, "ties": "worst"},
    ],
    ids=lambda options: "-".join(f"{value}" for value in options.values() if value),
)
def test_nothing_differs(files: Path, options: dict[str, Any]) -> None:
    one, other = both(files, **options)
    assert differences(one, other) == []


@pytest.mark.parametrize("fewest", [2, 20])
@pytest.mark.parametrize("options", [{}, {"depth": 2}, {"truth": "judges.csv", "belief": "ls-eb"}])
def test_who_answers_alike_is_looked_up_on_the_same_items(
    files: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], fewest: int
) -> None:
    monkeypatch.setattr(looked, "ITEMS", 25)
    monkeypatch.setattr(looked, "FEWEST_QUERIES", fewest)
    one, other = both(files, measures=["F1"], **options)
    assert any("who answers alike was looked up on" in note for note in one["notes"])
    assert differences(one, other) == []


def test_notes_are_those_of_the_files_that_were_named(files: Path) -> None:
    _, other = both(files, truth="judges.csv", belief="ls-eb", families="families.csv")
    said = "\n".join(other["notes"])
    assert "3 answers were given twice" in said
    assert "gpt is a language model" in said
    assert "1 of 5 names are not among the systems: nobody" in said
    assert ".votes.parquet" not in said


def test_cutoffs_of_fitted_beliefs_are_those_of_memory(files: Path) -> None:
    one, other = both(files, belief="dawid-skene", measures=["nDCG"])
    assert one["cutoffs"]
    assert differences(one, other) == []


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("sets.csv", {"show": Wanted(cutoffs=3)}, "answers without an order have no cutoffs"),
        ("votes.csv", {"truth": "other.csv", "belief": "gold"}, "share no query"),
        ("votes.csv", {"belief": "hds"}, "hds needs families"),
        ("votes.csv", {"truth": "gold.csv", "leave_out": "family"}, "nobody votes on the truth"),
    ],
)
def test_what_memory_refuses_is_refused(
    files: Path, name: str, options: dict[str, Any], message: str
) -> None:
    given = {key: files / one if str(one).endswith("csv") else one for key, one in options.items()}
    for engine in ("memory", "duckdb"):
        with pytest.raises(UsageError, match=message):
            cs.rank_tables(files / name, engine=engine, memory="1.5GB", workers=1, **given)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"show": Wanted(panel=True)}, "the panel of other methods needs --engine memory"),
        ({"belief": "hds", "leave_out": "system"}, "--leave-out with hds needs --engine memory"),
        ({"belief": "spectral"}, "--belief spectral needs all votes"),
    ],
)
def test_what_parts_cannot_do_is_said(files: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        cs.rank_tables(files / "votes.csv", engine="duckdb", memory="1.5GB", workers=1, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measures": ["nDCH"]}, "nDCG"),
        ({"belief": "gould"}, "gold"),
        ({"ties": "bets"}, "best"),
        ({"convention": "our"}, "ours"),
        ({"leave_out": "families"}, "family"),
        ({"evidence": "votes"}, "vote"),
        ({"delta": -1.0}, "delta"),
    ],
)
def test_names_are_looked_at_before_anything_is_sorted(
    files: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], message: str
) -> None:
    monkeypatch.setattr("consilience.engine.convert.convert", None)
    with pytest.raises(UsageError, match=message):
        cs.rank_tables(files / "votes.csv", engine="duckdb", memory="1.5GB", **options)


def test_what_tells_who_answers_alike_must_fit(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "SAMPLED", 10**7)
    with pytest.raises(
        UsageError, match=r"the 9 queries that tell who .* \(fix: --memory 2\.\dGB\)"
    ):
        cs.rank_tables(files / "votes.csv", engine="duckdb", memory="1.5GB", workers=1)
