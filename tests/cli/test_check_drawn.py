"""``check`` and ``rank`` on labels drawn by design, and on a language model's."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import consilience

LABELS = "query,item,probability,round,label\nq1,d02,0.5,1,{}\nq1,d21,0.25,1,{}\nq2,d05,1,2,\n"
NONE_YET = "items were drawn to be judged, and none has a label yet"


def test_check_counts_what_still_lacks_a_label(files: Path, tmp_path: Path) -> None:
    runs, labels = files / "runs", tmp_path / "labels.csv"
    labels.write_text(LABELS.format("yes", "no"))
    out = consilience("check", runs, "--truth", labels).out
    assert "  3 items drawn by design in 2 rounds; 1 of them still lacks a label\n" in out
    facts = consilience("check", runs, "--truth", labels, "--json").json()
    assert facts["drawn"] == {"drawn": 3, "labelled": 2, "unlabelled": 1, "rounds": 2}
    assert facts["condition"] == "partial"


def test_tasks_that_nobody_has_labelled(files: Path, tmp_path: Path) -> None:
    runs, tasks = files / "runs", tmp_path / "tasks.csv"
    tasks.write_text(LABELS.format("", ""))
    out = consilience("check", runs, "--truth", tasks).out
    assert f"Truth: absent ({NONE_YET})" in out
    assert "3 of them still lack a label" in out
    assert out.rstrip().splitlines()[-1].startswith("Next: consilience rank ")
    refused = consilience("rank", runs, "--truth", tasks, "--belief", "gold")
    assert (refused.code, NONE_YET in refused.err) == (2, True)


def test_a_language_model_votes(files: Path, tmp_path: Path) -> None:
    runs, said = files / "runs", tmp_path / "said.csv"
    said.write_text("query,item,judge,kind,label\nq1,d02,judge-7b,llm,1\nq1,d21,judge-7b,llm,0\n")
    note = "judge-7b is a language model: it counts as a voter in a consensus, never as the truth"
    out = consilience("check", runs, "--truth", said).out
    assert note in out
    assert "Truth: absent (only language models have judged, and they are not the truth)" in out
    payload = consilience("rank", runs, "--truth", said, "--json", "--no-save").json()
    assert note in payload["notes"]
    assert (payload["condition"], payload["belief"]["method"]) == ("absent", "ls-eb")
    cut = consilience("rank", runs, "--truth", said, "--depth", "3", "--json", "--no-save")
    assert cut.code == 0
    refused = consilience("rank", runs, "--truth", said, "--belief", "gold")
    assert (refused.code, "let them vote with --belief ls-eb" in refused.err) == (2, True)
