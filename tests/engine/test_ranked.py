"""Rankings on any engine: the same input gives the same numbers as in memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.cli import main
from consilience.engine import by_sums, ranked, ranking
from consilience.engine.asked import Asked
from consilience.engine.counting import counted
from consilience.engine.duck import Duck, open_duck
from consilience.engine.in_engine import rank_in_engine
from consilience.errors import UsageError
from consilience.study.condition import Facts
from consilience.verdict import agreement, posterior
from consilience.verdict.agreement import Wanted
from consilience.verdict.settling import Rules
from tests.engine.cases import CASES, Case, tables_of
from tests.engine.payloads import differences

#: Every example ranks twice.
FEWER = settings(
    max_examples=max(settings().max_examples // 10, 1),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
SUMMED = ["F1", "P@3", "R", "F2@1", "Judged@3", "P(rel=2)", "F1(average=micro)"]
#: What sums do not tell.
LISTS = ("/curves", "/cutoffs", "/inputs", "/notes")


@pytest.fixture(autouse=True, scope="module")
def _large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let every study count as large, and cut it into parts of some rows."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (ranked, by_sums, agreement):
            patch.setattr(module, "MOST_VOTES", 0)
        patch.setattr(posterior, "LARGEST", 0)
        patch.setattr(ranking, "PART", 20)
        patch.setattr(ranking, "SMALLEST", 1)
        patch.setenv("CONSILIENCE_WORK", str(tmp_path_factory.mktemp("work")))
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("ranked")


def written(folder: Path, case: Case) -> tuple[Path, list[Path]]:
    """Write a random study as files."""
    answers, truth = tables_of(case)
    pq.write_table(answers, folder / "answers.parquet")
    if truth is None:
        return folder / "answers.parquet", []
    pyarrow.csv.write_csv(truth, folder / "truth.csv")
    return folder / "answers.parquet", [folder / "truth.csv"]


def both(path: Path, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Rank in memory and beyond."""
    options = {"samples": 200, "workers": 1, "memory": "1.5GB", **options}
    one, other = (_result(path, engine=engine, **options) for engine in ("memory", "duckdb"))
    return one, other


def _result(path: Path, **options: Any) -> dict[str, Any]:
    """Give a result, or what is said in its place."""
    try:
        return cs.rank_tables(path, **options).payload()
    except UsageError as error:
        return {"error": str(error), "engine": {"ran": "nowhere"}}


@pytest.mark.parametrize("truth", ["absent", "complete", "partial", "listed", "judges", "people"])
def test_parts_give_what_memory_gives_under_every_condition(folder: Path, truth: str) -> None:
    case = Case(17, "text", "none", "score", truth, 7, False, None)
    path, judged = written(folder, case)
    one, other = both(path, truth=judged)
    assert other["engine"]["ran"] == "arrays"
    assert other["engine"]["parts"] > 1
    assert differences(one, other) == []


@FEWER
@given(
    case=CASES,
    belief=st.sampled_from(["auto", "consensus", "families", "majority"]),
    convention=st.sampled_from(["ours", "trec_eval"]),
    virtual=st.booleans(),
)
def test_random_studies_by_parts(
    folder: Path, case: Case, belief: str, convention: Any, virtual: bool
) -> None:
    path, judged = written(folder, case)
    show = Wanted(virtual=virtual)
    one, other = both(
        path,
        truth=judged,
        belief=belief,
        convention=convention,
        universe=case.universe,
        show=show,
        measures=["AP", "F1", "P@3"] if case.order != "none" else ["F1", "P"],
    )
    # an engine names its own way of reading
    leaving = ("/inputs",) if other["engine"]["ran"] == "expressions" else ()
    assert differences(one, other, leaving=leaving) == []


@settings(FEWER, max_examples=2 * FEWER.max_examples)
@given(
    case=CASES,
    belief=st.sampled_from(["gold", "consensus", "ls-eb", "families"]),
    evidence=st.sampled_from([None, "ignore", "vote", "clamp"]),
    convention=st.sampled_from(["ours", "missing-skipped", "trec_eval", "ir_measures"]),
    first=st.sampled_from(SUMMED),
)
def test_sums_inside_duckdb_give_what_memory_gives(
    duck: Duck,
    folder: Path,
    case: Case,
    belief: str,
    evidence: str | None,
    convention: Any,
    first: str,
) -> None:
    path, judged = written(folder, case)
    if belief == "gold" and not judged:
        belief = "ls-eb"
    evidence = None if belief == "gold" else evidence
    measures = list(dict.fromkeys([first, *SUMMED]))
    try:
        expected = cs.rank_tables(
            path, truth=judged, engine="memory", measures=measures, belief=belief,
            evidence=evidence, convention=convention, samples=200, universe=case.universe,
            show=Wanted(panel=False, cutoffs=0),
        )  # fmt: skip
    except UsageError:
        return
    tables = open_duck(duck, [path], truth=judged, universe=case.universe, rows=20)
    found = rank_in_engine(
        tables,
        belief=belief,
        measures=measures,
        rules=Rules("trec", convention, 0.95, 0, 200, None, "none", Wanted()),
        options={} if evidence is None else {"evidence": evidence},
    )
    assert found.condition == expected.condition
    assert found.scores.tied == expected.scores.tied
    leaving: tuple[str, ...] = LISTS
    if expected.partial is not None:
        leaving = (*LISTS, "/partial", "/verdict", "/settled")
        if "unknown" in tables.respondents.silence[: tables.systems]:  # bounds need whole lists
            leaving = (*leaving, "/pairs", "/systems", "/uncertainty", "/tests")
    assert differences(expected.payload(), found.payload(), leaving=leaving) == []


def test_sums_are_enough_where_nothing_is_lost(folder: Path) -> None:
    path, judged = written(folder, Case(5, "whole", "none", "none", "listed", 6, True, None))
    for options in ({"truth": judged}, {}, {"belief": "consensus", "universe": 30}):
        one, other = both(path, measures=["F1", "P", "R"], **options)
        assert other["engine"]["ran"] == "expressions"
        assert differences(one, other, leaving=("/inputs",)) == []
        assert one["engine"]["ran"] == "arrays"


def test_ranked_answers_without_truth_say_what_sums_do_not_tell(folder: Path) -> None:
    path, judged = written(folder, Case(5, "text", "none", "score", "listed", 6, True, None))
    one, other = both(path, measures=["P@3", "F1@3"])
    assert other["engine"]["ran"] == "expressions"
    assert other["cutoffs"] is None
    assert "figures at every cutoff need whole lists (--cutoffs 10)" in other["notes"]
    assert differences(one, other, leaving=LISTS) == []
    again = cs.rank_tables(
        path, engine="duckdb", memory="1.5GB", workers=1, measures=["P@3"], truth=judged
    ).payload()
    assert again["engine"]["ran"] == "arrays"  # curves are due
    assert again["curves"]


def test_language_models_are_named_and_second_answers_counted_once(tmp_path: Path) -> None:
    path, judged = tmp_path / "a.csv", tmp_path / "m.csv"
    path.write_text("query,system,item\nq,s,a\nq,t,a\nq,t,b\nq,u,b\nq,t,b\nr,s,a\nr,t,c\n")
    judged.write_text("query,item,respondent,kind,vote\nq,a,bot,llm,1\nr,c,bot,llm,0\n")
    one, other = both(path, truth=[judged], measures=["F1", "P"], belief="ls-eb")
    assert other["engine"]["ran"] == "expressions"
    assert "1 answer was given twice, word for word: counted once" in other["notes"]
    assert any("bot is a language model" in note for note in other["notes"])
    assert differences(one, other, leaving=("/inputs",)) == []


def test_tables_that_an_engine_cannot_open_are_read_as_arrays(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("item,a,b\nx,1,0\ny,1,1\nz,0,1\n")
    found = cs.rank_tables(path, engine="duckdb", memory="1.5GB", workers=1, measures=["F1"])
    assert found.ran.ran == "arrays"
    assert found.scores.systems == ("a", "b")


ASKED = Asked("auto", None, None, None, ("F1",), (), None, None)
RULES = Rules("trec", "ours", 0.95, 0, 200, None, "none", Wanted())
LISTED = Facts(lists=1, spoken=1, trusted=1, silence=frozenset({"no"}))


@pytest.mark.parametrize(
    ("asked", "rules", "judged", "why"),
    [
        ({}, {}, None, None),
        ({}, {}, LISTED, None),
        ({"measures": ()}, {}, None, "no measure was named"),
        ({"measures": ("AP",)}, {}, None, "AP needs whole lists"),
        ({"also": ("nDCG",)}, {}, None, "nDCG needs whole lists"),
        ({"belief": "majority"}, {}, None, "majority is not made of sums"),
        ({"depth": 3}, {}, None, "--depth"),
        ({}, {"ties": "best"}, None, "--ties best"),
        ({}, {"leave_out": "system"}, None, "--leave-out"),
        ({}, {"show": Wanted(panel=True)}, None, "--panel"),
        ({}, {"show": Wanted(cutoffs=5)}, None, "--cutoffs"),
        ({}, {"show": Wanted(virtual=True)}, None, "--virtual"),
        ({"belief": "consensus"}, {}, LISTED, "judges have weights"),
        ({}, {}, Facts(spoken=1, trusted=1, silence=frozenset({"unknown"})), "not complete"),
    ],
)
def test_why_sums_are_not_enough(
    asked: dict[str, Any], rules: dict[str, Any], judged: Facts | None, why: str | None
) -> None:
    from dataclasses import replace

    said = by_sums.expressible(
        replace(ASKED, **asked), replace(RULES, **rules), votes=9, judged=judged
    )
    assert by_sums.expressible(ASKED, RULES, votes=9, in_order=True) is not None
    assert (said is None) if why is None else (said is not None and why in said)


def test_what_sums_do_not_tell_of_doubts_is_noted(duck: Duck, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("query,system,item\nq,s,a\nq,t,b\n")
    (tmp_path / "j.csv").write_text("query,item,annotator,label\nq,a,x,1\nq,a,y,0\nq,b,x,1\n")
    tables = open_duck(duck, [tmp_path / "a.csv"], truth=[tmp_path / "j.csv"])
    known = counted(tables)
    told = by_sums._lost(tables, known.facts, "gold", "--engine duckdb")
    assert told == ["how far judges' doubts move scores needs whole lists (--engine duckdb)"]
    assert by_sums._lost(tables, known.facts, "ls-eb", "--engine duckdb") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "duck"}, "duckdb"),
        ({"engine": "duckdb", "memory": "10MB"}, "too few to work with"),
        ({"engine": "spark", "measures": ["AP"]}, "AP needs whole lists.*--engine duckdb"),
        ({"engine": "spark", "depth": 3}, "--depth needs whole lists"),
        ({"engine": "spark", "duplicates": "first"}, "--duplicates first"),
        ({"engine": "duckdb", "unit": "queries"}, "drawn by design need --engine memory"),
        ({"engine": "duckdb", "master": "local[2]"}, "a cluster is for engine=spark"),
        ({"engine": "duckdb", "belief": "spectral"}, "--belief spectral needs all votes"),
    ],
)
def test_what_cannot_be_done_is_said(folder: Path, options: dict[str, Any], message: str) -> None:
    path, _ = written(folder, Case(3, "text", "none", "score", "absent", 4, False, None))
    with pytest.raises(UsageError, match=message):
        cs.rank_tables(path, **options)


def test_labels_that_were_drawn_are_for_memory(duck: Duck, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("system,item\na,x\na,y\nb,x\nb,z\n")
    (tmp_path / "labels.csv").write_text("item,label,probability\nx,1,0.5\ny,0,0.5\n")
    tables = open_duck(duck, [tmp_path / "a.csv"], truth=[tmp_path / "labels.csv"])
    with pytest.raises(UsageError, match="drawn by design need --engine memory"):
        rank_in_engine(tables, belief="gold", measures=["F1"], rules=RULES)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"leave_out": "system"}, "--leave-out"),
        ({"show": Wanted(virtual=True)}, "--virtual"),
    ],
)
def test_sums_refuse_what_needs_lists(
    duck: Duck, folder: Path, rules: dict[str, Any], message: str
) -> None:
    from dataclasses import replace

    path, _ = written(folder, Case(3, "text", "none", "score", "absent", 4, False, None))
    tables = open_duck(duck, [path])
    with pytest.raises(UsageError, match=message):
        rank_in_engine(tables, belief="ls-eb", measures=["P"], rules=replace(RULES, **rules))
    with pytest.raises(UsageError, match="dawid-skene is not made of sums"):
        rank_in_engine(tables, belief="dawid-skene", measures=["P"], rules=RULES)
    with pytest.raises(UsageError, match="--truth"):
        rank_in_engine(tables, belief="gold", measures=["P"], rules=RULES)


def command(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[Any, str, str]:
    """Run the command as users do: its exit status, what it prints, what it says."""
    with pytest.raises(SystemExit) as end:
        main(["rank", *map(str, arguments), "--json", "--no-save"])
    said = capsys.readouterr()
    return end.value.code, said.out, said.err


def test_the_command_ranks_a_votes_file_within_its_memory(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "PART", 2000)
    votes, keyphrases = tmp_path / "votes.parquet", cs.example("keyphrases.csv")
    cs.convert([keyphrases], votes)
    capsys.readouterr()
    options = ("--engine", "duckdb", "--memory", "1.5GB", "--samples", 200)
    status, printed, _ = command(capsys, votes, "-m", "F1", *options)
    assert not status
    payload = json.loads(printed)
    assert payload["engine"]["name"] == "duckdb"
    assert payload["engine"]["memory"] == 1_500_000_000
    assert payload["engine"]["ran"] == "arrays"
    _, printed, _ = command(capsys, keyphrases, "-m", "F1", *options)
    inside = json.loads(printed)
    assert inside["engine"]["ran"] == "expressions"
    assert inside["systems"][0]["name"] == "yake-2"
    status, _, said = command(capsys, votes, "--match", "soft", *options)
    assert status == 2
    assert "--match soft needs everything in memory" in said
