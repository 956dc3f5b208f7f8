"""Who is who when files share names."""

from __future__ import annotations

import consilience as cs

RUN = "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\n"


def test_runs_that_share_a_tag_are_named_after_their_files(write) -> None:
    a, b = write(RUN, "a.run"), write(RUN.replace("d2", "d3"), "b.run.gz")
    study = cs.read([a, b])
    assert study.systems == ("a", "b")
    assert "named a after the file: other files carry the name t too" in study.sources[0].notes


def test_files_of_one_name_in_two_folders_are_two_systems(write) -> None:
    for name, content in (("run.txt", RUN), ("list.txt", "one\ntwo\n"), ("w.csv", "item\na\n")):
        study = cs.read([write(content, f"a/{name}"), write(content, f"b/{name}")])
        stem = name.partition(".")[0]
        assert study.systems == (f"a/{stem}", f"b/{stem}")
    study = cs.read([write("one\n", "a/x.txt"), write("two\n", "a/x.lst")])
    assert study.systems == ("x.txt", "x.lst")


def test_one_run_cut_by_query_stays_one_run(write) -> None:
    study = cs.read([write(RUN, "a.run"), write(RUN.replace("q1", "q2"), "b.run")])
    assert study.systems == ("t",)
    assert study.queries == ("q1", "q2")


def test_one_name_in_a_column_is_one_respondent(write) -> None:
    one = write("item,system,vote\na,A,1\n", "1.csv")
    two = write("item,system,vote\nb,A,0\n", "2.csv")
    study = cs.read([one, two])
    assert study.systems == ("A",)
    assert len(study.answers) == 2


def test_a_judge_that_shares_a_systems_name(write) -> None:
    run, qrels = write(RUN.replace("t\n", "x\n"), "a.run"), write("q1 0 d1 1\n", "x.qrels")
    study = cs.read(run, truth=qrels)
    assert study.respondents.names == ("x", "x (gold)")


def test_the_same_file_as_system_and_truth(write) -> None:
    path = write("one\ntwo\n", "x.txt")
    study = cs.read(path, truth=path)
    assert study.respondents.names == ("x", "x (gold)")
    assert cs.condition(study).name == "complete"
