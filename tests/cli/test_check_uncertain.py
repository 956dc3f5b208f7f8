"""``consilience check`` where people disagree: what it says, and what comes next."""

from __future__ import annotations

from pathlib import Path

from tests.cli.command import consilience


def said(*args: str | Path) -> dict[str, object]:
    done = consilience("check", *args, "--json")
    assert done.code == 0, done.err
    facts: dict[str, object] = done.json()
    return facts


def test_systems_and_judges(files: Path) -> None:
    facts = said(files / "runs", "--truth", files / "judges.csv")
    assert facts["condition"] == "uncertain"
    assert "P, R, F1 and AP as distributions (consilience distributions)" in facts["can"]  # type: ignore[operator]
    assert (
        facts["next"]
        == f"consilience distributions {files / 'runs'} --truth {files / 'judges.csv'}"
    )


def test_judges_alone(files: Path) -> None:
    facts = said(files / "judges.csv", "--columns", "item=item")
    assert facts["next"] == f"consilience agree {files / 'judges.csv'} --columns item=item"


def test_categories(files: Path, tmp_path: Path) -> None:
    people, results = files / "pictures" / "assignments.csv", tmp_path / "results.csv"
    results.write_text("system,item,rank\nA,p1,1\nA,p2,2\n")
    facts = said(people)
    assert facts["categories"] == 6
    assert facts["next"] == f"consilience agree {people}"
    facts = said(results, "--truth", people)
    assert facts["next"] == (
        f"consilience tree --tree FILE --assignments {people} --results {results}"
    )


def test_categories_are_no_truth_of_their_own(files: Path, tmp_path: Path) -> None:
    """Somebody put the picture somewhere: that does not make it relevant."""
    results = tmp_path / "results.csv"
    results.write_text("system,item,rank\nA,p1,1\nA,p2,2\n")
    for verb in ("rank", "distributions", "curve"):
        done = consilience(verb, results, "--truth", files / "pictures" / "assignments.csv")
        assert done.code == 2
        assert "the judges gave categories" in done.err
