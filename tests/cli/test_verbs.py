from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import consilience, own_process


def test_check_says_what_was_recognised_and_why(files: Path) -> None:
    facts = consilience("check", "runs", "--truth", "qrels.txt", "--json", cwd=files).json()
    assert [file["recognised"] for file in facts["files"]] == ["TREC run"] * 3 + ["TREC qrels"]
    assert all(file["why"] for file in facts["files"])
    assert facts["condition"] == "partial"
    assert facts["queries"]["with_both"] == 12
    assert facts["next"] == "consilience rank runs --truth qrels.txt"


def test_check_finds_systems_that_answer_alike(files: Path, tmp_path: Path) -> None:
    run = (files / "runs" / "bm25.run").read_text()
    (tmp_path / "bm25.run").write_text(run)
    (tmp_path / "copy.run").write_text(run.replace(" bm25", " copy"))
    facts = consilience("check", tmp_path, "--json").json()
    assert facts["alike"] == [{"a": "bm25", "b": "copy", "overlap": 1.0}]
    assert facts["condition"] == "absent"


def test_check_of_judgments_alone_asks_for_systems(files: Path) -> None:
    facts = consilience("check", "qrels.txt", "--json", cwd=files).json()
    assert facts["systems"] == []
    assert facts["can"] == []
    assert facts["next"] == "consilience check SYSTEMS… --truth qrels.txt"


def test_a_bad_file_is_described_line_by_line(files: Path) -> None:
    ran = consilience("check", "broken.run", cwd=files)
    assert ran.code == 2
    assert "broken.run:2: rank must be a whole number, found 'two'" in ran.err
    assert "broken.run:4: expected 6 fields" in ran.err
    assert "broken.run:5: score must be a number, found 'nan'" in ran.err


def test_the_airplanes_to_six_digits(files: Path) -> None:
    result = consilience("curve", "airplanes.csv", "--claimed", "0.803", "--json", cwd=files).json()
    # METHODS of the precision-recall post; 101-point and trapezoid by hand from their definitions
    expected = {"step": 0.783333, "interpolated": 0.783333, "11-point": 0.803030}
    expected |= {"101-point": 0.785479, "trapezoid": 0.762778}
    assert {name: round(value, 6) for name, value in result["ap"].items()} == expected
    assert result["matches"] == ["11-point"]
    precision = [1, 1, 2 / 3, 3 / 4, 3 / 5, 2 / 3, 4 / 7, 1 / 2, 4 / 9, 1 / 2]
    recall = [0.2, 0.4, 0.4, 0.6, 0.6, 0.8, 0.8, 0.8, 0.8, 1.0]
    assert [cut["k"] for cut in result["cutoffs"]] == list(range(1, 11))
    assert [cut["precision"] for cut in result["cutoffs"]] == pytest.approx(precision)
    assert [cut["recall"] for cut in result["cutoffs"]] == pytest.approx(recall)


def test_curve_counts_relevant_items_that_were_not_returned(files: Path) -> None:
    result = consilience("curve", "airplanes.csv", "--relevant", "10", "--json", cwd=files).json()
    assert result["ap"]["step"] == pytest.approx(0.783333 / 2, abs=1e-6)
    assert result["cutoffs"][-1]["recall"] == pytest.approx(0.5)
    ran = consilience("curve", "airplanes.csv", "--relevant", "3", cwd=files)
    assert ran.code == 2


def test_curve_of_a_run_for_one_query_and_for_all(files: Path) -> None:
    asked = ["curve", "runs/dense.run", "--truth", "qrels.txt", "--json"]
    every = consilience(*asked, cwd=files).json()
    one = consilience(*asked, "--query", "q3", cwd=files).json()
    ranked = consilience(
        "rank", "runs/dense.run", "--truth", "qrels.txt", "-m", "AP", "--json", cwd=files
    )
    assert every["ap"]["step"] == pytest.approx(
        ranked.json()["systems"][0]["scores"]["AP"]["value"]
    )
    assert one["query"] == "q3"
    assert one["ap"]["step"] != every["ap"]["step"]
    assert consilience(*asked, "--query", "q99", cwd=files).code == 2


def test_a_claim_that_is_no_number_is_refused(files: Path) -> None:
    ran = consilience("curve", "airplanes.csv", "--claimed", "much", cwd=files)
    assert ran.code == 2
    assert "must be a number" in ran.err


def test_results_are_kept_and_exported_again(files: Path, tmp_path: Path) -> None:
    result = consilience("rank", "runs", "--truth", "qrels.txt", "--json", cwd=files).json()
    again = consilience("export", result["id"], "--json").json()
    assert again == result
    assert consilience("export", "latest", "--json").json() == result
    saved = tmp_path / "saved.json"
    saved.write_text(json.dumps(result))
    table = tmp_path / "table.parquet"
    assert consilience("export", saved, "-o", table).code == 0
    assert table.read_bytes()[:4] == b"PAR1"


def test_export_of_what_is_not_there(tmp_path: Path) -> None:
    assert consilience("export", "rank-000").code == 2
    (tmp_path / "x.json").write_text("{}")
    ran = consilience("export", tmp_path / "x.json")
    assert ran.code == 2
    assert "not a result" in ran.err


def test_no_save_keeps_nothing(files: Path) -> None:
    consilience("rank", "runs", "--truth", "qrels.txt", "--no-save", cwd=files)
    ran = consilience("export", "latest")
    assert ran.code == 2
    assert "(fix: run a verb that computes something first, such as rank, tree" in ran.err


@pytest.mark.parametrize("name", ["complete", "absent", "uncertain", "airplanes"])
def test_demo(name: str, tmp_path: Path) -> None:
    ran = consilience("demo", name, cwd=tmp_path)
    assert ran.code == 0
    assert ran.out
    assert (tmp_path / "consilience-demo.html").stat().st_size < 1_000_000
    kept = consilience("export", "latest", "--json").json()
    assert f"id  {kept['id']}" in re.sub(r" +", "  ", ran.out)
    assert consilience("demo", name, "--json", cwd=tmp_path).json()["id"] == kept["id"]


def test_an_unknown_verb_is_met_with_the_nearest() -> None:
    ran = consilience("rnak")
    assert ran.code == 2
    assert "did you mean 'rank'?" in ran.err


def shell(command: str, cwd: Path) -> tuple[int, str]:
    """Run a command line in bash; give its exit code and standard error."""
    script = f'consilience() {{ "{sys.executable}" -m consilience "$@"; }}\n{command}'
    done = subprocess.run(
        ["bash", "-c", script], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


RANK = "consilience rank runs --truth qrels.txt"


def test_a_reader_that_goes_away_is_no_failure(files: Path) -> None:
    assert shell(f"{RANK} | true; exit ${{PIPESTATUS[0]}}", files) == (0, "")
    assert consilience("export", "latest").code == 0  # the result was kept all the same
    code, _ = shell(f"{RANK} --fail-if 'AP < 1' | true; exit ${{PIPESTATUS[0]}}", files)
    assert code == 3


@pytest.mark.parametrize("verb", [RANK, "consilience check runs", "consilience --help"])
def test_a_full_disk_is_said(verb: str, files: Path) -> None:
    code, said = shell(f"{verb} > /dev/full", files)
    assert code == 1
    assert "No space left on device" in said


def test_a_closed_output_is_said(files: Path) -> None:
    code, said = shell(f"{RANK} >&-", files)
    assert code == 1
    assert "standard output is closed" in said


def test_pipes_and_links_are_written_to_not_replaced(files: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "target.json")
    (tmp_path / "target.json").touch()
    code, _ = shell(
        f"{RANK} -f json -o {tmp_path}/pipe & cat {tmp_path}/pipe | grep -q dense", files
    )
    assert code == 0
    assert (tmp_path / "pipe").is_fifo()
    assert shell(f"{RANK} -o {link}", files)[0] == 0
    assert link.is_symlink()
    assert json.loads((tmp_path / "target.json").read_text())["verb"] == "rank"


def test_a_user_without_a_home_gets_the_result(files: Path) -> None:
    command = "env -u CONSILIENCE_RESULTS -u XDG_DATA_HOME HOME=/proc/nobody "
    command += f"{sys.executable} -m consilience rank runs --truth qrels.txt"
    code, said = shell(command, files)
    assert code == 0
    assert "was not kept" in said


def test_file_names_that_are_no_text(files: Path, tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/r\xff.run"
    Path(os.fsdecode(name)).write_bytes((files / "runs" / "bm25.run").read_bytes())
    for verb in ("check --json", "rank --json", "check", "rank"):
        code, _ = shell(f"consilience {verb} {tmp_path}/r*.run --truth qrels.txt", files)
        assert code == 0


@pytest.mark.parametrize("claimed", ["0." + "8" * 40, "1e-30", "1e-400", "1e400", "inf", "2"])
def test_claims_that_cannot_be(files: Path, claimed: str) -> None:
    ran = consilience("curve", "airplanes.csv", "--claimed", claimed, cwd=files)
    assert ran.code == 2
    assert "from 0 to 1" in ran.err


def test_a_claim_keeps_its_decimals(files: Path) -> None:
    result = consilience("curve", "airplanes.csv", "--claimed", "0.80", "--json", cwd=files).json()
    assert result["claimed_text"] == "0.80"
    assert result["matches"] == ["11-point"]


@pytest.mark.parametrize("option", [["--rel", "nan"], ["--rel", "-1"], ["--ties", "x"]])
def test_wrong_settings_of_curve(files: Path, option: list[str]) -> None:
    assert consilience("curve", "airplanes.csv", *option, cwd=files).code == 2


def test_exports_of_half_a_result(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"verb": "rank", "id": "x", "version": "1"}')
    ran = consilience("export", tmp_path / "x.json")
    assert ran.code == 2
    assert "systems" in ran.err
    assert consilience("export", "x" * 5000).code == 2


def test_the_next_command_repeats_how_files_are_read(files: Path) -> None:
    asked = ["check", "votes.csv", "--columns", "item=item", "--universe", "9", "--json"]
    facts = consilience(*asked, cwd=files).json()
    assert facts["next"].endswith("--columns item=item --universe 9")


def test_demo_says_that_json_writes_no_report() -> None:
    assert consilience("demo", "--json", "-o", "x.html").code == 2


def test_help_loads_nothing_heavy() -> None:
    code = "import sys, consilience.cli as c\ntry: c.main(['--help'])\nexcept SystemExit: pass\n"
    code += "assert not {'numpy', 'pyarrow', 'scipy'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "rank" in done.stdout


@pytest.mark.parametrize(
    "command",
    [
        "--version",
        "check runs --truth qrels.txt",
        "rank runs --truth qrels.txt -f csv --no-save",
        "rank runs --truth qrels.txt --fail-if AP<1 -f csv --no-save",
        "curve airplanes.csv --claimed much",
        "rnak",
    ],
)
def test_a_process_of_its_own_says_the_same(command: str, files: Path) -> None:
    asked = command.split()
    assert own_process(*asked, cwd=files) == consilience(*asked, cwd=files)
