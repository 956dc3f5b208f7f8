"""``--engine``, ``--memory`` and ``--master``: what is chosen, what is said, what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from consilience import cli
from consilience.cli.engines import chosen_engine
from consilience.errors import UsageError
from tests.cli.command import consilience

SYSTEMS, QUERIES, LISTED = 3, 4, 5


@pytest.fixture(scope="module")
def votes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Votes of some systems, in a file whose name has blanks."""
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("large") / "my votes.csv"
    lists = [
        (query, system, item, rank)
        for query in range(QUERIES)
        for system in range(SYSTEMS)
        for rank, item in enumerate(rng.permutation(9)[:LISTED], start=1)
    ]
    rows = [f"q{query},s{system},d{item},{rank}" for query, system, item, rank in lists]
    path.write_text("\n".join(["query,respondent,item,rank", *rows]) + "\n")
    return path


def few(
    votes: Path, *, engine: str = "auto", memory: str | None = None, master: str | None = None
) -> str:
    return chosen_engine((str(votes),), engine=engine, memory=memory, master=master)


def test_votes_that_fit_stay_in_memory_and_nothing_is_said(
    votes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert few(votes) == "memory"
    assert few(votes, memory="4GB") == "memory"
    assert capsys.readouterr().err == ""


def test_votes_that_do_not_fit_go_to_duckdb_and_a_note_says_so(
    votes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with mock.patch("consilience.engine.sizes.PER_VOTE", 10**8):
        assert few(votes, memory="1GB") == "duckdb"
    said = capsys.readouterr().err
    assert "more than 1GB: --engine duckdb (another limit: --memory)" in said


@pytest.mark.parametrize(
    ("engine", "why"), [("memory", "takes what it needs"), ("spark", "spark.driver.memory")]
)
def test_memory_is_not_ignored_in_silence(
    votes: Path, capsys: pytest.CaptureFixture[str], engine: str, why: str
) -> None:
    assert few(votes, engine=engine, memory="4GB") == engine
    said = capsys.readouterr().err
    assert said.startswith(f"note: --memory bounds nothing here: --engine {engine} ")
    assert why in said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"engine": "sparc"}, "unknown engine 'sparc'; did you mean 'spark'?"),
        ({"engine": "duckdb", "memory": "4GX"}, "'4GX' is not a size"),
        ({"engine": "duckdb", "memory": "4"}, "4B of memory are too few to work with"),
        ({"engine": "duckdb", "master": "yarn"}, "--master is for --engine spark"),
    ],
)
def test_what_cannot_be_is_refused(votes: Path, options: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        few(votes, **options)


def test_engines_give_the_same_and_say_who_they_are(votes: Path) -> None:
    ran = [
        consilience("rank", votes, "--engine", engine, "--json", "--no-save").json()
        for engine in ("auto", "duckdb")
    ]
    assert [one["engine"]["name"] for one in ran] == ["memory", "duckdb"]
    assert ran[0]["systems"] == ran[1]["systems"]
    assert ran[0]["pairs"] == ran[1]["pairs"]


def test_text_says_which_engine_ran_where_it_was_not_memory(votes: Path) -> None:
    given = ("rank", votes, "--memory", "2GB", "--no-save", "--engine")
    said = [line.strip() for line in consilience(*given, "duckdb").out.splitlines()]
    assert "engine     duckdb, on arrays: 1 part, 1 worker, at most 2 GB of memory" in said
    assert "  engine  " not in consilience(*given, "auto").out


def test_the_engine_that_was_chosen_is_the_one_that_works(votes: Path) -> None:
    """What is free may change after the choice, which was said to the user."""
    from consilience.cli.rank import command

    found = mock.Mock(side_effect=UsageError("here"))
    with (
        mock.patch("consilience.engine.sizes.PER_VOTE", 10**9),
        mock.patch("consilience.engine.ranked.rank_tables", found),
        pytest.raises(UsageError, match="here"),
    ):
        command.main([str(votes), "--memory", "1GB"], standalone_mode=False)
    assert found.call_args.kwargs["engine"] == "duckdb"
    assert found.call_args.kwargs["memory"] == "1GB"


def test_options_are_checked_alike_on_every_engine(votes: Path) -> None:
    for verb in ("rank", "distributions"):
        said = {
            consilience(verb, votes, "--engine", engine, "--duplicates", "frist").err
            for engine in ("memory", "duckdb")
        }
        assert said == {
            "error: unknown way with duplicates 'frist'; did you mean 'first'? "
            "possible: error, first, last, each\n"
        }


def test_distributions_know_no_cluster(votes: Path) -> None:
    refused = consilience("distributions", votes, "--engine", "spark")
    assert (refused.code, refused.out) == (2, "")
    assert "distributions are not made of sums (fix: --engine duckdb, or memory)" in refused.err
    assert "spark" not in consilience("distributions", "--help").out


def test_distributions_are_the_same_beyond_memory(votes: Path) -> None:
    here, there = (
        consilience("distributions", votes, "--engine", engine, "--json", "--no-save").json()
        for engine in ("memory", "duckdb")
    )
    assert here["results"] == there["results"]
    assert here["systems"] == there["systems"]


@pytest.mark.parametrize("engine", ["auto", "memory"])
def test_work_in_memory_loads_no_engine(votes: Path, engine: str) -> None:
    code = (
        "import sys; from consilience.cli import group; "
        f"group.main(['rank', {str(votes)!r}, '--engine', {engine!r}, '--no-save'], "
        "standalone_mode=False); "
        "print([m for m in ('duckdb', 'pyspark', 'narwhals') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.splitlines()[-1] == b"[]"


def test_too_little_memory_is_one_message(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(cli.group, "main", full)
    with pytest.raises(SystemExit, match="1"):
        cli.main(["rank", "votes.csv"])
    assert capsys.readouterr().err.startswith("error: there is not enough memory (fix: ")
