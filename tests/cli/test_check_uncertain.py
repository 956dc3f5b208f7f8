"""``consilience check`` where people disagree: what it says, and what comes next."""

from __future__ import annotations

from pathlib import Path

import pytest

import consilience as cs
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


def test_words_are_for_agree(tmp_path: Path) -> None:
    """The files that ``agree`` takes are known at the front door, too."""
    rows = [f"i{k},{who},{word}" for k in range(5) for who, word in (("a", "cat"), ("b", "dog"))]
    (tmp_path / "long.csv").write_text("item,annotator,label\n" + "\n".join(rows) + "\n")
    (tmp_path / "wide.csv").write_text("item,ann,bob\ni1,dog,cat\ni2,cat,cat\ni3,dog,dog\n")
    for name, people in (("long.csv", ["a", "b"]), ("wide.csv", ["ann", "bob"])):
        facts = said(tmp_path / name)
        assert facts["what"] == "People gave labels that are words, 2 different ones"
        assert [one["name"] for one in facts["judges"]] == people  # type: ignore[attr-defined]
        assert facts["condition"] == "uncertain"
        assert facts["next"] == f"consilience agree {tmp_path / name}"
    broken = tmp_path / "broken.csv"
    broken.write_text("item,annotator,label\ni1,a,1\ni2,a,2\ni3,a,r\n")
    assert "label must be a grade, found 'r'" in consilience("check", broken).err


def test_a_table_of_names_is_no_table_of_labels(tmp_path: Path) -> None:
    (tmp_path / "found.csv").write_text("item,color,shape\na,red,round\nb,blue,flat\nc,red,flat\n")
    ran = consilience("check", tmp_path / "found.csv")
    assert ran.code == 2
    assert "no column says what was answered, and 'color' (or 'shape') is not used" in ran.err
    facts = said(tmp_path / "found.csv", "--answers", "lists")
    assert [one["name"] for one in facts["systems"]] == ["found"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tree.csv", "category,parent\nanimal,\ndog,animal\n"),
        ("tree.txt", "animal\nanimal/dog\nanimal/cat\n"),
        ("tree.json", '{"animal": {"dog": {}, "cat": {}}}'),
        ("named.json", '{"name": "animal", "children": [{"name": "dog"}]}'),
        ("tree.jsonl", '{"category": "a", "parent": ""}\n{"category": "b", "parent": "a"}\n'),
    ],
)
def test_a_tree_is_no_list_of_items(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    facts = said(tmp_path / name)
    assert "is a tree of categories" in str(facts["what"])
    assert facts["next"] == f"consilience tree --tree {tmp_path / name} --assignments FILE"
    assert consilience("check", tmp_path / name).out.startswith(f"{tmp_path / name} is a tree")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pictures.txt", "train/1.png\ntrain/2.png\n"),
        ("pages.txt", "https://a.org/x\nhttps://a.org/y\n"),
        ("lists.json", '{"q1": ["a/b", "a/c"]}'),
        ("scores.json", '{"q1": {"d1": 1.5}, "q2": {}}'),
        ("run.txt", "q1 Q0 a/b 1 2.5 t\nq1 Q0 a/c 2 1.5 t\n"),
    ],
)
def test_answers_are_no_tree(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    assert said(tmp_path / name)["what"] is None


def test_a_folder_with_everything_of_a_tree(files: Path) -> None:
    folder = files / "pictures"
    assert said(folder)["next"] == (
        f"consilience tree --tree {folder / 'tree.csv'} --assignments "
        f"{folder / 'assignments.csv'} --results {folder / 'results.csv'}"
    )


def test_a_benchmark(files: Path) -> None:
    folder, runs = files / "benchmark", files / "runs"
    facts = said(folder)
    assert facts["what"] == f"{folder} is a benchmark: what each subject answered to each query"
    assert facts["next"] == f"consilience displacement --benchmark {folder} RUN…"
    assert facts["benchmark"] == str(folder)
    for asked in ((runs, folder), (runs, "--truth", folder)):
        facts = said(*asked)
        assert facts["next"] == f"consilience displacement --benchmark {folder} {runs}"
        assert len(facts["systems"]) == 3  # type: ignore[arg-type]


def test_categories_need_no_query(files: Path) -> None:
    """Which category an item has does not depend on what was asked."""
    people, results = files / "pictures" / "assignments.csv", files / "pictures" / "results.csv"
    facts = said(results, "--truth", people)
    assert facts["condition"] == "uncertain"
    assert facts["judged"] == 1
    assert facts["next"] == (
        f"consilience tree --tree FILE --assignments {people} --results {results}"
    )
    done = consilience("rank", results, "--truth", people)
    assert "the judges gave categories" in done.err


@pytest.mark.parametrize(
    ("rows", "ranked"),
    [
        ("query,subject,item,relevance\nq1,ann,d1,0.4\nq1,ann,d2,0.8\nq1,bob,d1,1\n", True),
        ("query,subject,item,rank\nq1,ann,d1,1\nq1,ann,d2,2\nq1,bob,d1,1\n", True),
        ("query,subject,item,relevance\nq1,ann,d1,0\nq1,ann,d2,1\nq1,bob,d1,1\n", False),
        ("query,subject,item,relevance\nq1,ann,d1,0.5\nq1,ann,d2,3\nq1,bob,d1,1\n", False),
    ],
)
def test_subjects_who_order_items_are_for_displacement(
    tmp_path: Path, rows: str, ranked: bool
) -> None:
    people, run = tmp_path / "people.csv", tmp_path / "run.csv"
    people.write_text(rows)
    run.write_text("system,query,item,score\nA,q1,d1,2\nA,q1,d2,1\n")
    alone, beside = said(people), said(run, "--truth", people)
    can = "how far each system is from each subject's list (consilience displacement)"
    assert (can in alone["can"]) == (can in beside["can"]) == ranked  # type: ignore[operator]
    verb = str(beside["next"]).split()[1]
    assert (verb == "displacement") == ranked
    if ranked:
        assert alone["next"] == f"consilience displacement --subjects {people} RUN…"
        assert beside["next"] == f"consilience displacement --subjects {people} {run}"


def seen(tmp_path: Path, **files: str) -> dict[str, object]:
    """Write files, and check them."""
    paths = []
    for name, text in files.items():
        path = tmp_path / name.replace("_", ".")
        path.write_text(text)
        paths.append(path)
    return said(*paths)


@pytest.mark.parametrize(
    "text",
    [
        "item,S1,S2\nd1,yes,no\nd2,yse,no\nd3,no,yes\nd4,yes,yes\n",
        "query,system,item,vote\nq,A,d1,yes\nq,A,d2,yse\nq,B,d1,no\nq,B,d2,yes\n",
        "topic,doc,model,score,gold,category\nt,d,A,2,1,x\nt,e,A,1,0,y\nt,d,B,2,0,x\nt,e,B,1,0,y\n",
    ],
)
def test_mistakes_are_no_labels(tmp_path: Path, text: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(text)
    assert consilience("check", path).code == 2


def test_names_with_a_slash_are_no_tree(tmp_path: Path) -> None:
    facts = seen(
        tmp_path,
        A_txt="10.1145/3397271\n10.1145/3404835\n10.1007/s10791\n",
        B_txt="torvalds/linux\ntorvalds/subsurface\n",
    )
    assert len(facts["systems"]) == 2  # type: ignore[arg-type]
    assert str(facts["next"]).startswith("consilience rank")


def test_a_column_about_items_makes_no_labels(tmp_path: Path) -> None:
    rows = "q1,A,d1,news\nq1,A,d2,web\nq1,B,d1,news\nq1,B,d3,web\n"
    facts = seen(tmp_path, runs_csv="query,system,item,domain\n" + rows)
    assert len(facts["systems"]) == 2  # type: ignore[arg-type]


def test_a_benchmark_with_a_tree_is_one(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("query,subject,item,relevance\nq,x,a,1\nq,x,b,0.5\n")
    folder = tmp_path / "bench"
    rows = [("a", "ann", "x")]
    subjects = cs.read_subjects(tmp_path / "s.csv")
    cs.save_benchmark(folder, subjects, tree=[("x", ""), ("y", "x")], assignments=rows)
    assert said(folder)["next"] == f"consilience displacement --benchmark {folder} RUN…"


def test_nobody_could_tell(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("category,parent\nanimal,\ndog,animal\n")
    (tmp_path / "said.csv").write_text("item,subject,category\ni0,s,\ni1,s,\n")
    (tmp_path / "runs.csv").write_text("system,item\nA,i0\nB,i1\n")
    args: list[str] = ["--tree", str(tmp_path / "tree.csv")]
    args += ["--assignments", str(tmp_path / "said.csv")]
    done = consilience(
        "tree", *args, "--results", tmp_path / "runs.csv", "--category", "dog", "--json"
    )
    assert done.code == 0, done.err
    assert done.json()["results"][0]["recall"]["undefined"] == "no item can be relevant"
