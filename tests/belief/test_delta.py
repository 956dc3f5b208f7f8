"""Δ, the items that a query chooses from: Table 3 of Lamiroy & Sun among 20 documents.

By eq. 10 each of the 13 documents that nobody mentions weighs 1/(s + 2) = .2, in every form in
which answers can be written. With ΣP = 3.4 + 13 · .2 = 6 (eq. 12)::

    Rc(S1) = 2.4/6 = .4    Rc(S2) = Rc(S3) = 2/6    Pr(⊤) = 6/20 = .3
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

import consilience as cs
from consilience.belief.dependence import correlations
from consilience.belief.votes import votes_of
from consilience.engine import by_sums, ranked, ranking
from consilience.verdict import agreement
from tests.belief.opinions import opinions, seen, voted
from tests.cli.command import consilience

ITEMS = [f"d{number}" for number in range(1, 8)]
TABLE_3 = {"S1": [1, 1, 0, 1, 1, 0, 0], "S2": [1, 1, 1, 0, 0, 0, 0], "S3": [1, 1, 0, 0, 0, 1, 0]}
RECALL = {"S1": 0.4, "S2": 1 / 3, "S3": 1 / 3}
UNIVERSE = 20


def wide(yes: object, no: object) -> dict[str, list[Any]]:
    """Table 3 with a column for each system."""
    columns = {name: [yes if vote else no for vote in votes] for name, votes in TABLE_3.items()}
    return {"item": ITEMS, **columns}


def long(*, zeros: bool) -> dict[str, list[Any]]:
    """Table 3 with a row for each vote; without zeros, for each answer."""
    rows = [
        (name, item, vote)
        for name, votes in TABLE_3.items()
        for item, vote in zip(ITEMS, votes, strict=True)
        if vote or zeros
    ]
    system, item, vote = (list(column) for column in zip(*rows, strict=True))
    return {"system": system, "item": item} | ({"vote": vote} if zeros else {})


def returned() -> dict[str, list[str]]:
    """What every system returned."""
    return {n: [i for i, vote in zip(ITEMS, v, strict=True) if vote] for n, v in TABLE_3.items()}


def csv(columns: dict[str, list[Any]], path: Path) -> list[Path]:
    pd.DataFrame(columns).to_csv(path.with_suffix(".csv"), index=False)
    return [path.with_suffix(".csv")]


def parquet(columns: dict[str, list[Any]], path: Path) -> list[Path]:
    pd.DataFrame(columns).to_parquet(path.with_suffix(".parquet"))
    return [path.with_suffix(".parquet")]


def runs(path: Path) -> list[Path]:
    paths = []
    for system, items in returned().items():
        lines = [f"all Q0 {item} {k} {9 - k} {system}\n" for k, item in enumerate(items, 1)]
        paths.append(path.with_name(f"{system}.run"))
        paths[-1].write_text("".join(lines))
    return paths


def texts(path: Path) -> list[Path]:
    paths = [path.with_name(f"{system}.txt") for system in TABLE_3]
    for one, items in zip(paths, returned().values(), strict=True):
        one.write_text("\n".join(items) + "\n")
    return paths


def jsonl(path: Path) -> list[Path]:
    columns = long(zeros=True)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path = path.with_suffix(".jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [path]


FILES: dict[str, Callable[[Path], list[Path]]] = {
    "wide, 0 and 1": lambda path: csv(wide(1, 0), path),
    "wide, + and -": lambda path: csv(wide("+", "-"), path),
    "wide, yes and no": lambda path: csv(wide("yes", "no"), path),
    "wide, confidences": lambda path: csv(wide("1.0", "0.0"), path),
    "wide, Parquet": lambda path: parquet(wide(1, 0), path),
    "long with zeros": lambda path: csv(long(zeros=True), path),
    "long with zeros, Parquet": lambda path: parquet(long(zeros=True), path),
    "long with zeros, JSON": jsonl,
    "long, answers only": lambda path: csv(long(zeros=False), path),
    "TREC runs": runs,
    "a list for each system": texts,
}
OBJECTS: dict[str, Any] = {
    "wide": wide(1, 0),
    "pandas, wide": pd.DataFrame(wide(1, 0)),
    "pandas, wide, yes and no": pd.DataFrame(wide("yes", "no")),
    "polars, wide": pl.DataFrame(wide(1.0, 0.0)),
    "long with zeros": long(zeros=True),
    "pandas, long": pd.DataFrame(long(zeros=True)),
    "polars, answers only": pl.DataFrame(long(zeros=False)),
    "lists": {name: {"all": items} for name, items in returned().items()},
    "scores": {
        name: {"all": {item: 9.0 - k for k, item in enumerate(items)}}
        for name, items in returned().items()
    },
}


def recalls(verdict: Any) -> dict[str, float]:
    return {one.name: one.scores["R"].value for one in verdict.standings}


@pytest.mark.parametrize("form", OBJECTS)
def test_objects(form: str) -> None:
    study = cs.study(OBJECTS[form], universe=UNIVERSE)
    scores = cs.score(study, measures=["R", "P"], belief=cs.consensus)
    for system, recall in RECALL.items():
        assert scores[system]["R"].value == pytest.approx(recall, abs=1e-12)
    assert cs.consensus(study).unseen == pytest.approx([0.2])


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("form", FILES)
def test_files(form: str, engine: str, tmp_path: Path) -> None:
    options = ["--belief", "consensus", "--universe", str(UNIVERSE), "--no-save", "--json"]
    paths = FILES[form](tmp_path / "table")
    asked = ["-m", "R", "-m", "P", "--virtual", "--engine", engine]
    found = consilience("rank", *paths, *options, *asked).json()
    values = {one["name"]: one["scores"]["R"]["value"] for one in found["systems"]}
    assert values == pytest.approx(RECALL, abs=1e-12)
    top = next(one for one in found["virtual"] if one["name"] == "⊤")
    assert top["scores"]["P"]["value"] == pytest.approx(0.3, abs=1e-12)


@pytest.mark.parametrize("form", FILES)
def test_the_belief_in_an_item_that_nobody_mentions(form: str, tmp_path: Path) -> None:
    options = ["--belief", "consensus", "--universe", str(UNIVERSE), "--no-save", "--json"]
    found = consilience("belief", *FILES[form](tmp_path / "table"), *options).json()
    assert found["unseen"] == {"all": pytest.approx(0.2, abs=1e-12)}


@pytest.mark.parametrize("more", [[], ["Specificity"]], ids=["sums", "parts"])
@pytest.mark.parametrize("form", ["wide, 0 and 1", "long with zeros", "TREC runs"])
def test_beyond_memory(
    form: str, more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums inside DuckDB, and lists part by part: neither waits for a large study here."""
    for module in (ranked, by_sums, agreement):
        monkeypatch.setattr(module, "MOST_VOTES", 0)
    monkeypatch.setattr(ranking, "PART", 2)
    monkeypatch.setattr(ranking, "SMALLEST", 1)
    monkeypatch.setenv("CONSILIENCE_WORK", str(tmp_path))
    asked: dict[str, Any] = {"belief": "consensus", "universe": UNIVERSE, "engine": "duckdb"}
    paths = FILES[form](tmp_path / "table")
    verdict = cs.rank_tables(paths, measures=["R", *more], **asked)
    assert recalls(verdict) == pytest.approx(RECALL, abs=1e-12)


@pytest.mark.parametrize("form", ["wide, + and -", "long with zeros", "TREC runs"])
def test_a_votes_file(form: str, tmp_path: Path) -> None:
    votes = tmp_path / "votes.parquet"
    cs.convert(FILES[form](tmp_path / "table"), votes)
    verdict = cs.rank_tables(votes, measures=["R"], belief="consensus", universe=UNIVERSE)
    assert recalls(verdict) == pytest.approx(RECALL, abs=1e-12)


def test_confidences() -> None:
    """S1 says .5 of d1, S2 says 1: P(d1) = (1 + 1.5)/4; one further item has 1/4."""
    table = {"item": ["d1", "d2"], "S1": [0.5, 0.0], "S2": [1.0, 0.0]}
    study = cs.study(table, universe=3)
    scores = cs.score(study, measures=["R"], belief=cs.consensus)
    below = 0.625 + 0.25 + 0.25
    assert scores["S1"]["R"].value == pytest.approx(0.5 * 0.625 / below)
    assert scores["S2"]["R"].value == pytest.approx(0.625 / below)


def test_distributions() -> None:
    """E[recall | something is relevant] of S1, over the 2²⁰ truths; the same in both forms.

    With K of the returned and L of the others relevant, both sums of independent trials.
    """

    def count(probabilities: list[float]) -> list[float]:
        mass = [1.0]
        for p in probabilities:
            mass = np.convolve(mass, [1 - p, p]).tolist()
        return mass

    inside, outside = count([0.8, 0.8, 0.4, 0.4]), count([0.4, 0.4, 0.2, *[0.2] * 13])
    mean = sum(
        a * b * k / (k + other)
        for k, a in enumerate(inside)
        for other, b in enumerate(outside)
        if k + other
    ) / (1 - inside[0] * outside[0])
    for form in ("wide", "lists"):
        study = cs.study(OBJECTS[form], universe=UNIVERSE)
        found = cs.distributions(study, belief=cs.consensus)
        standing = next(one for one in found.standings if one.name == "S1")
        assert standing.means["recall"] == pytest.approx(mean, abs=1e-9), form


def test_unknown_is_not_no() -> None:
    """S2 cannot tell of d7: it takes no part in P(d7), and is not held to it. It returned none

    of the 13 others, either: they weigh .2 as before. P(d7) = 1/4, ΣP = 3.45 + 2.6.
    """
    table = wide(1, 0)
    table["S2"] = [*table["S2"][:6], None]
    study = cs.study(table, universe=UNIVERSE)
    assert cs.consensus(study).unseen == pytest.approx([0.2])
    scores = cs.score(study, measures=["R"], belief=cs.consensus)
    assert scores["S1"]["R"].value == pytest.approx(2.4 / 6.05)
    assert scores["S2"]["R"].value == pytest.approx(2 / 5.8)


def test_who_was_not_asked_says_nothing() -> None:
    """Query q was put to S1 and S2 only: an item that nobody mentions weighs 1/4 there."""
    rows = [("q", "S1", 1), ("q", "S2", 0), ("r", "S1", 1), ("r", "S2", 1), ("r", "S3", 0)]
    query, system, vote = (list(column) for column in zip(*rows, strict=True))
    table = {"query": query, "item": ["d"] * 5, "system": system, "vote": vote}
    found = cs.consensus(cs.study(table, universe=9)).unseen
    assert found is not None
    assert found.tolist() == pytest.approx([0.25, 0.2])


def test_an_oracle_that_has_not_seen_an_item_says_nothing_of_it() -> None:
    """S1, ⊤ and ⊥ speak of what nobody mentions, with equal weights: 1/3."""
    truth = {"item": ["d1", "d2"], "label": [1, 0]}
    study = cs.study({"item": ["d1", "d2"], "S1": [1, 0]}, truth=truth, universe=5)
    equal = cs.consensus(study).unseen
    assert equal == pytest.approx([1 / 3])


METHODS = ("consensus", "ls-eb", "majority", "dawid-skene", "spectral", "hds")


@pytest.mark.parametrize("method", METHODS)
def test_every_belief_takes_all_forms_alike(method: str) -> None:
    """Items that nobody mentions, and the same items written out as zeros, are the same."""
    rng = np.random.default_rng(3)
    truth = rng.random(30) < 0.3
    said = {
        f"s{n}": (rng.random(30) < np.where(truth, 0.9 - n / 20, 0.05 + n / 50)).astype(int)
        for n in range(5)
    }
    families = {"s0": "a", "s1": "a", "s2": "b", "s3": "b", "s4": "c"}
    believe: dict[str, Callable[[cs.Study], Any]] = {
        "consensus": cs.consensus,
        "ls-eb": cs.ls_eb,
        "majority": cs.majority,
        "dawid-skene": cs.dawid_skene,
        "spectral": cs.spectral,
        "hds": lambda study: cs.hierarchical(study, families=families),
    }
    mentioned = {i for i in range(30) if any(votes[i] for votes in said.values())}
    some = [*sorted(mentioned), min({*range(30)} - mentioned)]
    items = [f"d{i:02d}" for i in range(30)]
    whole = cs.study({"item": items, **{n: v.tolist() for n, v in said.items()}})
    part = cs.study(
        {"item": [items[i] for i in some], **{n: v[some].tolist() for n, v in said.items()}},
        universe=30,
    )
    lists = cs.study(
        {n: {"all": [items[i] for i in np.flatnonzero(v)]} for n, v in said.items()}, universe=30
    )
    expected = cs.score(whole, measures=["R", "P", "F1"], belief=believe[method])
    for study in (part, lists):
        found = cs.score(study, measures=["R", "P", "F1"], belief=believe[method])
        for system, measure in itertools.product(said, ("R", "P", "F1")):
            value = expected[system][measure].value
            assert found[system][measure].value == pytest.approx(value, abs=1e-6), measure


@given(voted())
def test_recall_adds_up_what_a_system_is_held_to(study: cs.Study) -> None:
    """By the sums themselves: Σ P·S over Σ P of what it spoke of and what nobody mentions."""
    names, rows = opinions(study)
    top, below = dict.fromkeys(names, 0.0), dict.fromkeys(names, 0.0)
    queries = np.cumsum([0, *(not one for one in seen(study))])
    asked = [views for (views, _), one in zip(rows, seen(study), strict=True) if not one]
    for (views, count), query in zip(rows, queries, strict=False):
        p = (1 + sum(views.values())) / (len(views) + 2)
        for name in names:
            if name in views or name not in asked[query]:  # a query that it left out counts whole
                top[name] += count * p * views.get(name, 0.0)
                below[name] += count * p
    scores = cs.score(study, measures=["R(average=micro)"], belief=cs.consensus)
    for name in names:
        value = scores[name]["R(average=micro)"].value
        if below[name] > 1e-9:
            assert value == pytest.approx(top[name] / below[name], abs=1e-9)


@given(voted())
def test_pairs_agree_on_what_nobody_mentions(study: cs.Study) -> None:
    """Two systems that were asked the same query both say no to it."""
    votes = votes_of(study)
    names, rows = opinions(study)
    common = correlations(votes).common
    for (a, one), (b, other) in itertools.product(enumerate(names), repeat=2):
        count = sum(n for views, n in rows if one in views and other in views)
        assert common[a, b] == pytest.approx(count)
