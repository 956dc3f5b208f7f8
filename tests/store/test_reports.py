"""Stored results: lists with headlines, what came before, keeping, forgetting, no piling up."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from consilience.errors import UsageError
from consilience.store.connect import Database
from consilience.store.draws import draw_items, draw_rankings
from consilience.store.labels import Said, history, restore, save_label, withdraw
from consilience.store.projects import Project, make_project
from consilience.store.reports import (
    answers_since,
    forget,
    keep,
    listed,
    previous,
    verbs_with_results,
)
from consilience.store.results import LOOSE, STAY, Kept, keep_result, latest, result
from consilience.store.tasks import next_task, progress
from tests.store.labelling import asked_project, people


def payload(verb: str = "rank", number: int = 0, **more: Any) -> dict[str, Any]:
    """A small result."""
    said = {"verdict": f"a is first ({number})"} if verb == "rank" else {"headline": f"α {number}"}
    head = {"id": f"{verb}-{number:012x}", "verb": verb, "version": "0.1.0", "seed": number}
    return {**head, "input_hash": f"{number:064x}", **said, **more}


def stored(db: Database, project: Project, made: dict[str, Any], *, version: int = 0) -> str:
    """Keep a result that was asked with its own number as a setting."""
    return keep_result(db, project, made, settings={"seed": made["seed"]}, version=version)


def test_lists_begin_with_the_newest_and_know_the_headline(db: Database, project: Project) -> None:
    for made in (payload(), payload("agree", 1), payload("check", 2), payload("rank", 3)):
        stored(db, project, made)
    found, count = listed(db, project)
    assert [one.headline for one in found] == ["a is first (3)", "α 1", "a is first (0)"]
    assert count == 3
    assert found[0].input_hash == payload("rank", 3)["input_hash"]
    assert verbs_with_results(db, project) == ["agree", "rank"]


def test_lists_are_paged_and_chosen_from(db: Database, project: Project) -> None:
    for number in range(5):
        stored(db, project, payload("rank", number))
    stored(db, project, payload("agree", 9))
    keep(db, project, payload("rank", 2)["id"], name=" mine ")
    second, count = listed(db, project, page=2, size=2, verb="rank")
    assert [one.kept.seed for one in second] == [2, 1]
    assert count == 5
    (mine,), count = listed(db, project, kept=True)
    assert (mine.kept.name, mine.kept.kept, count) == ("mine", True, 1)
    assert listed(db, project, verb="check") == ([], 0)


def test_what_came_before_is_found_by_the_question(db: Database, project: Project) -> None:
    for version in (1, 3, 4):
        made = payload("rank", 7, input_hash=str(version))
        keep_result(db, project, made, settings={}, version=version)
    keep_result(db, project, payload("rank", 8), settings={"level": 0.9}, version=2)
    before = previous(db, project, "rank", {}, version=4)
    assert before is not None
    assert (before.version, before.payload["input_hash"]) == (3, "3")
    assert previous(db, project, "rank", {}, version=1) is None
    assert previous(db, project, "rank", {"level": 0.9}, version=2) is None


def test_results_of_other_projects_are_not_there(db: Database, project: Project) -> None:
    other = make_project(db, "Other")
    stored(db, other, payload())
    assert listed(db, project) == ([], 0)
    with pytest.raises(UsageError, match="no result 'rank-000000000000'"):
        keep(db, project, payload()["id"])
    with pytest.raises(UsageError, match="no result"):
        forget(db, project, payload()["id"])
    assert result(db, payload()["id"], project=other).seed == 0


def test_what_is_kept_goes_only_where_that_is_sure(db: Database, project: Project) -> None:
    for number in (0, 1):
        stored(db, project, payload("rank", number))
    forget(db, project, payload("rank", 1)["id"])
    keep(db, project, payload()["id"])
    with pytest.raises(UsageError, match="this result is kept"):
        forget(db, project, payload()["id"])
    assert listed(db, project)[1] == 1
    forget(db, project, payload()["id"], sure=True)
    assert listed(db, project)[1] == 0


def test_names_of_results_are_checked(db: Database, project: Project) -> None:
    stored(db, project, payload())
    with pytest.raises(UsageError, match="control character"):
        keep(db, project, payload()["id"], name="a\tb")
    keep(db, project, payload()["id"], name="   ")
    assert result(db, payload()["id"]).name is None


def test_a_name_stays_when_the_same_is_computed_again(db: Database, project: Project) -> None:
    stored(db, project, payload())
    keep(db, project, payload()["id"], name="mine")
    stored(db, project, payload())
    assert (result(db, payload()["id"]).name, result(db, payload()["id"]).kept) == ("mine", True)


def every(db: Database, project: Project) -> tuple[list[Kept], int]:
    found, count = listed(db, project, size=1000)
    return [one.kept for one in found], count


def test_loose_results_do_not_pile_up(db: Database, project: Project) -> None:
    stored(db, project, payload())
    keep(db, project, payload()["id"])
    for number in range(1, LOOSE + 11):
        stored(db, project, payload("rank", number))
    found, count = every(db, project)
    assert count == LOOSE + 1
    assert [one.seed for one in found][:2] == [LOOSE + 10, LOOSE + 9]
    assert found[-1].kept
    for version in range(STAY + 3):
        keep_result(db, project, payload("agree", 1), settings={}, version=version)
    found, _ = every(db, project)
    assert [one.version for one in found if one.verb == "agree"] == [7, 6, 5, 4, 3]
    newest = latest(db, project, "agree", {})
    assert newest is not None
    assert newest.version == STAY + 2


def test_without_labels_nothing_has_come_since(db: Database, project: Project) -> None:
    assert answers_since(db, project, "2000-01-01T00:00:00.000Z") == 0


@pytest.mark.parametrize("kind", ["relevance", "ranking"])
def test_answers_since_are_those_of_progress(
    db: Database, project: Project, tmp_path: Path, kind: str
) -> None:
    """An order of items is one answer; one that was taken back is none."""
    project, since = asked_project(db, project, tmp_path, kind=kind), "2000-01-01T00:00:00.000Z"
    if kind == "ranking":
        draw_rankings(db, project)
    else:
        draw_items(db, project, "all")
    (ann,) = people(db, project, "Ann")

    def counts() -> tuple[int, int]:
        return answers_since(db, project, since), progress(db, project).answers

    for number in range(2):
        task = next_task(db, project, ann)
        assert task is not None
        value = [task.items[0].id] if kind == "ranking" else True
        save_label(db, project, ann.id, task.id, Said(value), key=f"k{number}")
    assert counts() == (2, 2)
    (last, _) = history(db, project, ann.id)
    save_label(db, project, ann.id, last["task"], Said(None), key="changed")
    assert counts() == (2, 2)
    withdraw(db, project, ann.id, key="back")
    assert counts() == (1, 1)
    restore(db, project, ann.id, key="again")
    assert counts() == (2, 2)
    assert progress(db, project).people[0].cannot_tell == 1
    assert answers_since(db, project, "2999-01-01T00:00:00.000Z") == 0
