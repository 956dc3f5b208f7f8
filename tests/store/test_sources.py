"""Files of a project: as their owner calls them, whole or not at all, left out and taken again."""

from __future__ import annotations

import gzip
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa

import consilience as cs
from consilience.errors import InputError, UsageError
from consilience.store import schema as s
from consilience.store import studies
from consilience.store.connect import Database, reading
from consilience.store.projects import Project, make_project, project
from consilience.store.sources import add_files, set_aside, sources
from consilience.store.studies import (
    assigned_study,
    labels_study,
    results_study,
    study_of,
    tree_of,
)
from consilience.store.trees import set_tree_aside, trees
from consilience.study.assigned import read_assignments
from consilience.study.labels import labels_of
from consilience.study.taxonomy import tree
from tests.store.reading import DOCS, alike, counts, globbed


def test_files_that_come_one_by_one_make_the_same_study(db: Database, project: Project) -> None:
    runs, truth = globbed(["runs/*.run"]), globbed(["qrels.txt"])
    add_files(db, project, [], truth=truth)
    for run in runs:
        add_files(db, project, [run])
    alike(study_of(db, project), cs.read(runs, truth=truth))
    assert [one.role for one in sources(db, project)] == ["truth"] + ["answers"] * len(runs)


def test_large_files_of_several_blocks_and_dictionaries(db: Database, tmp_path: Path) -> None:
    """Names lie in memory as they did: in as many pieces, as text or numbered."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(3)
    names = [f"doc-{k:04}-{'x' * (k % 50)}" for k in range(3_000)]
    item = rng.integers(0, len(names), 40_000)
    run, stored = tmp_path / "a.csv", tmp_path / "b.parquet"
    with run.open("w") as stream:
        stream.write("query,item,system,score\n")
        stream.writelines(f"q{k // 40},{names[i]},A,{k % 40}\n" for k, i in enumerate(item))
    column = pa.DictionaryArray.from_arrays(pa.array(item % 100), pa.array(names))
    query = pa.array([f"q{k // 40}" for k in range(len(item))])
    table = pa.table({"query": query, "item": column, "score": pa.array(rng.random(len(item)))})
    pq.write_table(table, stored, row_group_size=7_000)
    for number, files in enumerate(([run], [stored, run])):
        here = make_project(db, str(number))
        add_files(db, here, files, duplicates="first")
        alike(study_of(db, here), cs.read(files, duplicates="first"))
    here = make_project(db, "names that no row has")
    add_files(db, here, [stored], duplicates="first")
    with reading(db) as conn:
        mine = sa.select(sa.func.count()).where(s.item.c.project_id == here.id)
        assert conn.scalar(mine) == 100


def test_files_are_called_as_their_owner_calls_them(
    db: Database, project: Project, tmp_path: Path
) -> None:
    """Names tell systems apart and stand in messages; paths are never seen."""
    first, second, broken = (tmp_path / name for name in ("0000", "0001", "0002"))
    first.write_text("d1\nd2\n")
    second.write_bytes(gzip.compress(b"q1 Q0 d1 1 2.5 t\n"))
    broken.write_text("q1 Q0 d1 one 2.5 t\nq1 Q0 d2 2 1.5 t\n")
    names = {first: "BM 25.txt", second: "dense.run.gz", broken: "new/broken.run"}
    added = add_files(db, project, [first, second], names=names)
    assert [one.name for one in added] == ["BM 25.txt", "dense.run.gz"]
    assert study_of(db, project).systems == ("BM 25", "t")
    with pytest.raises(InputError, match=r"^new/broken\.run:1: rank") as error:
        add_files(db, project, [broken], names=names)
    assert str(tmp_path) not in str(error.value)


def test_boxes_are_called_after_the_folder_that_the_owner_knows(
    db: Database, project: Project, tmp_path: Path
) -> None:
    images = [tmp_path / f"{k:04d}" for k in range(3)]
    for image in images[:2]:
        image.write_text("cat 0.9 10 20 30 40\ndog 0.8 100 200 3 4\n")
    images[2].write_text("")
    names = {path: f"yolo/{path.name}.txt" for path in images}
    add_files(db, project, images, names=names)
    assert study_of(db, project).systems == ("yolo",)
    assert study_of(db, project).queries == ("0000", "0001", "0002")


def test_boxes_that_may_be_corners_are_not_kept(
    db: Database, project: Project, tmp_path: Path
) -> None:
    image = tmp_path / "0000"
    image.write_text("cat 0.9 10 20 30 40\n")
    with pytest.raises(InputError, match=r"^mine/0000\.txt: the boxes may be 'left top right"):
        add_files(db, project, [image], names={image: "mine/0000.txt"})


def test_a_folder_of_documents_is_one_system(
    db: Database, project: Project, tmp_path: Path
) -> None:
    for name in ("d1", "d2"):
        (tmp_path / "mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / f"{name}.txt").write_text("lake view\nold town\n")
    add_files(db, project, [tmp_path / "mine"])
    assert study_of(db, project).systems == ("mine",)
    assert study_of(db, project).queries == ("d1", "d2")


def test_a_tree_of_an_upload_is_recognised(db: Database, project: Project, tmp_path: Path) -> None:
    file = tmp_path / "0"
    file.write_text("category,parent\nanimal,\ndog,animal\ncat,animal\n")
    assert add_files(db, project, [file], names={file: "my tree.csv"}) == []
    (found,) = trees(db, project)
    assert (found.name, found.categories, found.dag) == ("my tree.csv", 3, False)
    file.write_text("category,parent\na,b\nb,a\n")
    with pytest.raises(InputError, match=r"^loop\.csv:3: a cycle"):
        add_files(db, project, [file], names={file: "loop.csv"})
    set_tree_aside(db, project, found.id, True)
    assert tree_of(db, project) is None


def test_refused_files_leave_nothing(db: Database, project: Project, tmp_path: Path) -> None:
    good, bad = tmp_path / "a.csv", tmp_path / "b.csv"
    good.write_text("item,system,vote\nx,A,1\n")
    bad.write_text("item,system,vote\nx,A,0\n")  # A says something else of x
    add_files(db, project, [good])
    before, version = counts(db), cs_version(db, project)
    with pytest.raises(InputError, match="answered before"):
        add_files(db, project, [bad])
    with pytest.raises(UsageError, match=r"a file of this name is in the project already"):
        add_files(db, project, [good])
    with pytest.raises(UsageError, match="there is nothing to read"):
        add_files(db, project, [])
    with pytest.raises(InputError, match="there is no such file"):
        add_files(db, project, [tmp_path / "missing.csv"])
    with pytest.raises(UsageError, match="two files are called 'a'"):
        add_files(db, project, [good, bad], names={good: "a", bad: "a"})
    with pytest.raises(UsageError, match="holds a NUL"):
        add_files(db, project, [bad], names={bad: "b\0.csv"})
    assert counts(db) == before
    assert cs_version(db, project) == version
    add_files(db, project, [bad], duplicates="last")
    assert study_of(db, project).answers.vote.tolist() == [0.0]  # type: ignore[union-attr]
    third = tmp_path / "c.csv"
    third.write_text("item,system,vote\ny,A,1\n")
    with pytest.raises(UsageError, match="duplicates=first and last"):
        add_files(db, project, [third], duplicates="first")


def cs_version(db: Database, here: Project) -> int:
    return project(db, here.slug).version


def test_sources_can_be_set_aside(db: Database, project: Project) -> None:
    runs = globbed(["runs/*.run"])
    added = add_files(db, project, runs)
    set_aside(db, project, added[0].id, True)
    alike(study_of(db, project), cs.read(runs[1:]))
    assert [one.set_aside for one in sources(db, project)] == [True, False, False]
    set_aside(db, project, added[0].id, False)
    alike(study_of(db, project), cs.read(runs))
    for one in added:
        set_aside(db, project, one.id, True)
    with pytest.raises(UsageError, match="no answers yet"):
        study_of(db, project)
    with pytest.raises(UsageError, match="no source 999"):
        set_aside(db, project, 999, True)
    add_files(db, project, runs[:1])  # of the same name as one that is set aside
    with pytest.raises(UsageError, match="a file of this name"):
        set_aside(db, project, added[0].id, False)


def test_a_later_run_of_the_same_name_is_called_after_its_file(
    db: Database, project: Project, tmp_path: Path
) -> None:
    for name in ("one", "two", "three"):
        (tmp_path / f"{name}.run").write_text(f"q1 Q0 {name} 1 2.5 tag\n")
        add_files(db, project, [tmp_path / f"{name}.run"])
    study = study_of(db, project)
    assert study.systems == ("tag", "two", "three")  # what is there keeps its name
    assert any("named two after the file" in note for note in study.notes)


def test_a_run_that_is_taken_up_again_does_not_become_part_of_another(
    db: Database, project: Project, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.run").write_text(f"q1 Q0 {name} 1 2.5 tag\n")
    (one,) = add_files(db, project, [tmp_path / "one.run"])
    set_aside(db, project, one.id, True)
    add_files(db, project, [tmp_path / "two.run"])
    with pytest.raises(UsageError, match=r"one\.run: a file that came meanwhile has a system"):
        set_aside(db, project, one.id, False)
    assert [stored.set_aside for stored in sources(db, project)] == [True, False]
    set_aside(db, project, one.id, True)
    add_files(db, project, [tmp_path / "one.run"])
    assert study_of(db, project).systems == ("tag", "one")


def test_many_who_ask_at_once_get_one_study(db: Database, project: Project) -> None:
    add_files(db, project, globbed(["runs/*.run"]))
    found: list[cs.Study] = []
    threads = [
        threading.Thread(target=lambda: found.append(study_of(db, project))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert all(study is found[0] for study in found)


def test_a_tree_that_changes_meanwhile_is_not_kept_with_other_answers(
    db: Database, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [DOCS / "pictures" / f"{name}.csv" for name in ("tree", "results")]
    add_files(db, project, files, truth=[DOCS / "pictures" / "assignments.csv"])
    version, (known,) = studies._version, trees(db, project)

    def changing(conn: Any, here: Project) -> int:
        found = version(conn, here)
        if not known.set_aside and not trees(db, project)[0].set_aside:
            set_tree_aside(db, project, known.id, True)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(studies, "_version", changing)
        with pytest.raises(UsageError, match="no tree of categories"):
            assigned_study(db, project)
    with pytest.raises(UsageError, match="no tree of categories"):
        assigned_study(db, project)


def test_studies_are_kept_by_version(db: Database, project: Project) -> None:
    add_files(db, project, globbed(["runs/bm25.run"]))
    first = study_of(db, project)
    assert study_of(db, project) is first
    assert study_of(db, project, universe=10_000).universe == 10_000
    add_files(db, project, globbed(["runs/dense.run"]))
    assert study_of(db, project).systems != first.systems


def test_annotators_are_those_that_agree_reads(db: Database) -> None:
    for name in ("labels.csv", "judges.csv"):
        here = make_project(db, name)
        add_files(db, here, [], truth=[DOCS / name])
        found = labels_of(labels_study(db, here))
        wanted = labels_of(cs.read(DOCS / name, labels=True))
        assert found.annotators == wanted.annotators
        assert found.categories == wanted.categories
        assert found.category.tolist() == wanted.category.tolist()
        assert results_study(db, here) is None
    here = make_project(db, "systems")
    add_files(db, here, globbed(["runs/bm25.run"]))
    with pytest.raises(UsageError, match="nobody but systems"):
        labels_study(db, here)


def test_assignments_are_those_that_tree_reads(db: Database, project: Project) -> None:
    files = [DOCS / "pictures" / f"{name}.csv" for name in ("tree", "results")]
    people = DOCS / "pictures" / "assignments.csv"
    add_files(db, project, files, truth=[people])
    known = tree_of(db, project)
    assert known == tree(files[0])
    wanted = read_assignments([people], tree=known)
    found = assigned_study(db, project)
    assert found.categories == wanted.categories
    assert found.respondents.names == wanted.respondents.names
    assert found.items.names(range(len(found.items))) == wanted.items.names(
        range(len(wanted.items))
    )
    assert found.evidence.category.tolist() == wanted.evidence.category.tolist()  # type: ignore[union-attr]
    runs = results_study(db, project)
    assert runs is not None
    assert runs.fingerprint() == cs.read(files[1]).fingerprint()


def test_project_without_tree_or_answers_says_so(db: Database, project: Project) -> None:
    assert tree_of(db, project) is None
    assert sources(db, project) == []
    for made in (study_of, labels_study, results_study, assigned_study):
        with pytest.raises(UsageError, match="no answers yet"):
            made(db, project)
    with pytest.raises(UsageError, match="not there any more"):
        study_of(db, replace(project, id=999))


def test_benchmark_folder_is_told(db: Database, project: Project) -> None:
    with pytest.raises(UsageError, match="folder of a stored benchmark"):
        add_files(db, project, [DOCS / "benchmark"])


def test_long_names_are_kept(db: Database, project: Project, tmp_path: Path) -> None:
    """PostgreSQL's indexes hold no such names; whole paragraphs may be items."""
    rng = np.random.default_rng(8)
    lines = ["".join(rng.choice([*"abcdefghij klm"], 9_000)).strip() for _ in range(3)]
    (tmp_path / "a.txt").write_text("\n".join(lines))
    (tmp_path / "b.txt").write_text("\n".join([*lines[1:], "short"]))
    files = sorted(tmp_path.glob("*.txt"))
    add_files(db, project, files[:1], answers="lines")
    add_files(db, project, files[1:], answers="lines")
    alike(study_of(db, project), cs.read(files, answers="lines"))
    assert counts(db)["item"] == 4
