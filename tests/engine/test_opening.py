"""The sorted copy of files that are no votes file: shared, kept as long as needed, removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from consilience.engine import opening
from consilience.engine.opening import opened
from consilience.errors import ConsilienceError


@pytest.fixture
def votes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CONSILIENCE_WORK", str(tmp_path / "work"))
    path = tmp_path / "votes.csv"
    path.write_text("query,system,item\nq,a,x\nq,b,y\n", encoding="utf-8")
    return path


def test_the_copy_is_gone_when_the_work_is_done(votes: Path) -> None:
    with opened([votes]) as one:
        assert one.path.exists()
        assert one.sources[0].name == str(votes)
    assert not list((votes.parent / "work").iterdir())


def test_the_copy_stays_where_work_was_stopped(
    votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(KeyboardInterrupt), opened([votes]) as one:
        raise KeyboardInterrupt
    assert one.path.exists()
    monkeypatch.setattr("consilience.engine.convert.convert", None)  # it is not sorted again
    with opened([votes]) as again:
        assert again.path == one.path
    assert not list((votes.parent / "work").iterdir())


def test_of_several_that_use_it_the_last_one_removes_it(votes: Path) -> None:
    with opened([votes]) as one:
        with opened([votes]) as other:
            assert other.path == one.path
        assert one.path.exists()
        one.study((0, 1))
    assert not list((votes.parent / "work").iterdir())


def test_changed_files_are_sorted_anew(votes: Path) -> None:
    with opened([votes]) as one:
        votes.write_text("query,system,item\nq,a,x\nq,b,z\n", encoding="utf-8")
        with opened([votes]) as other:
            assert other.path != one.path
            assert other.fingerprint() != one.fingerprint()


def test_nothing_is_left_where_files_are_wrong(votes: Path) -> None:
    votes.write_text("query,system,item,vote\nq,a,x,7\n", encoding="utf-8")
    with pytest.raises(ConsilienceError), opened([votes]):
        pass
    assert not list((votes.parent / "work").iterdir())


def test_what_was_forgotten_is_removed(votes: Path) -> None:
    work = votes.parent / "work"
    (work / "parts").mkdir(parents=True)
    old, young = "0" * 32, "1" * 32
    gone = [f"{old}.votes.parquet", f"{old}.votes.lock", f".{old}.votes.parquet.here-1-0.part"]
    kept = [f"{young}.votes.parquet", "thesis.txt", "old.votes.parquet", "votes-of-1848"]
    for name in (*gone, *kept):
        (work / name).touch()
    (work / "votes-a1b2c3d4").mkdir()
    for name in (*gone, *kept[1:], "votes-a1b2c3d4", "parts"):
        os.utime(work / name, (0, 0))
    assert opening.ready() == work
    assert sorted(one.name for one in work.iterdir()) == sorted(["parts", *kept])


def test_what_others_remove_meanwhile_is_no_matter(votes: Path) -> None:
    opening.forget([votes.parent / "gone"])
    assert votes.exists()


def test_the_lock_of_others_is_left_alone(votes: Path) -> None:
    """Somebody may hold the lock anew by the time that one who lost it is done."""
    with opened([votes]) as one:
        lock = one.path.with_suffix(".lock")
        with lock.open("a", encoding="utf-8") as other:
            assert opening._flock(other, shared=True)
            with opened([votes]):
                pass
            assert lock.exists()
            assert one.path.exists()
    assert not one.path.exists()


def test_a_folder_that_cannot_be_used_is_named(
    votes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CONSILIENCE_WORK", str(votes / "work"))
    with (
        pytest.raises(ConsilienceError, match=r"cannot work in .*CONSILIENCE_WORK"),
        opened([votes]),
    ):
        pass
