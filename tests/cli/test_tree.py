"""``consilience tree`` and ``consilience distributions`` as people type them."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import consilience

DATA = Path(__file__).parent.parent / "data" / "cifar100"


@pytest.fixture
def paper(tmp_path: Path) -> list[str]:
    """The paper's picture and two more, five subjects, and two systems."""
    (tmp_path / "tree.csv").write_text(
        "category,parent\nall,\npeople,all\ncrowd,people\ncity,all\n"
    )
    said = {
        "picture": "people people crowd city city",
        "square": "city city city city ?",
        "party": "crowd people people people people",
    }
    rows = [
        f"{item},s{number},{'cannot tell' if category == '?' else category}"
        for item, answers in said.items()
        for number, category in enumerate(answers.split(), start=1)
    ]
    (tmp_path / "said.csv").write_text("item,subject,category\n" + "\n".join(rows) + "\n")
    (tmp_path / "results.csv").write_text(
        "system,item,rank\nA,picture,1\nA,party,2\nB,square,1\nB,party,2\n"
    )
    return [
        *("--tree", str(tmp_path / "tree.csv")),
        *("--assignments", str(tmp_path / "said.csv")),
        *("--results", str(tmp_path / "results.csv")),
    ]


def result(*args: str) -> dict[str, Any]:
    done = consilience(*args, "--json")
    assert done.code == 0, done.err
    payload: dict[str, Any] = done.json()
    return payload


def problem(*args: str) -> str:
    done = consilience(*args)
    assert (done.code, done.out) == (2, "")
    return done.err


def test_the_paper_s_picture(paper: list[str]) -> None:
    found = result("tree", *paper, "--category", "people")
    belief = found["belief"]["picture"]
    assert belief == pytest.approx({"all": 1.0, "people": 0.6, "crowd": 0.2, "city": 0.4})
    assert found["direct"]["picture"] == {"all": 0.0, "people": 0.4, "crowd": 0.2, "city": 0.4}
    assert found["answers"] == {"picture": 5, "square": 4, "party": 5}
    assert found["size"] == pytest.approx({"all": 3.0, "people": 1.6, "crowd": 0.4, "city": 1.4})
    first = found["results"][0]
    assert (first["system"], first["returned"]) == ("A", 2)
    # picture is of people with 0.6, party for certain
    assert first["precision"]["support"] == [0.5, 1.0]
    assert first["precision"]["mass"] == pytest.approx([0.4, 0.6])
    assert first["precision"]["mean"] == pytest.approx(0.8)
    assert first["recall"]["support"] == [1.0]
    assert first["recall_fixed"]["support"] == pytest.approx([1 / 1.6, 2 / 1.6])
    assert first["f1"]["mean"] == pytest.approx(0.4 * 2 / 3 + 0.6)
    assert first["p_none_found"] == 0
    assert [one["name"] for one in found["systems"]] == ["A", "B"]


def test_a_query_item_mixes_its_categories(paper: list[str]) -> None:
    found = result("tree", *paper, "--query-item", "picture")
    assert found["query"]["mixture"] == {"people": 0.4, "crowd": 0.2, "city": 0.4}
    first = found["results"][0]
    # Santini, eq. 13: people (0.6, 1), crowd (0.2, 0.2), city (0.4, 0) of picture and party
    mass = [
        0.4 * 0 + 0.2 * 0.8 * 0.8 + 0.4 * 0.6,
        0.4 * 0.4 + 0.2 * (0.2 * 0.8 * 2) + 0.4 * 0.4,
        0.4 * 0.6 + 0.2 * 0.2 * 0.2,
    ]
    assert first["precision"]["support"] == [0.0, 0.5, 1.0]
    assert first["precision"]["mass"] == pytest.approx(mass)
    normalised = result("tree", *paper, "--query-item", "picture", "--weights", "inclusive")
    weights = {"all": 1 / 2.2, "people": 0.6 / 2.2, "crowd": 0.2 / 2.2, "city": 0.4 / 2.2}
    assert normalised["query"]["mixture"] == pytest.approx(weights)
    assert normalised["results"][0]["precision"]["mass"][0] == pytest.approx(
        (0.2 * 0.8 * 0.8 + 0.4 * 0.6) / 2.2
    )


def test_beliefs_alone(paper: list[str]) -> None:
    found = result("tree", *paper[:4])
    assert found["results"] == []
    assert found["headline"] == "5 subjects gave 14 answers about 3 items in 4 categories."
    for form in ("text", "csv", "md", "latex", "html"):
        assert consilience("tree", *paper[:4], "-f", form).code == 0


@pytest.mark.parametrize("form", ["text", "csv", "md", "latex", "html", "parquet"])
@pytest.mark.parametrize("query", [("--category", "people"), ("--query-item", "picture")])
def test_every_form(paper: list[str], form: str, query: tuple[str, str], tmp_path: Path) -> None:
    done = consilience("tree", *paper, *query, "-f", form, "-o", str(tmp_path / f"out.{form}"))
    assert done.code == 0, done.err
    assert (tmp_path / f"out.{form}").stat().st_size > 100


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--category", "peple"], "did you mean 'people'"),
        (["--query-item", "pictur"], "did you mean 'picture'"),
        (["--category", "people", "--query-item", "picture"], "exclude each other"),
        (["--weights", "both", "--category", "people"], "unknown kind of weights 'both'"),
        (["--level", "2", "--category", "people"], "level must be between 0 and 1"),
        ([], "--category or --query-item"),
    ],
)
def test_wrong_questions(paper: list[str], args: list[str], said: str) -> None:
    assert said in problem("tree", *paper, *args)


def test_missing_files_are_asked_for(paper: list[str]) -> None:
    assert "--tree" in problem("tree", *paper[2:])
    assert "--assignments" in problem("tree", *paper[:2])
    assert "add --results" in problem("tree", *paper[:4], "--category", "people")


@pytest.mark.parametrize(
    ("tree", "line", "said"),
    [
        ("all,\na,all\nb,a\na,b\n", 5, "two parents"),
        ("a,b\nb,a\n", None, "a cycle: a → b → a"),
        ("all,\na,al\n", 3, "did you mean 'all'"),
    ],
)
def test_broken_trees(
    paper: list[str], tree: str, line: int | None, said: str, tmp_path: Path
) -> None:
    broken = tmp_path / "broken.csv"
    broken.write_text("category,parent\n" + tree)
    message = problem("tree", "--tree", str(broken), *paper[2:])
    assert said in message
    assert f"broken.csv:{line}:" in message if line else "broken.csv" in message


def test_an_unknown_category_is_named_with_its_line(paper: list[str], tmp_path: Path) -> None:
    (tmp_path / "said.csv").write_text("item,subject,category\nx,a,people\nx,b,croud\n")
    message = problem("tree", *paper)
    assert "said.csv:3:" in message
    assert "did you mean 'crowd'" in message


def test_two_parents_are_fine_in_a_dag(tmp_path: Path) -> None:
    (tmp_path / "dag.csv").write_text(
        "category,parent\nall,\npet,all\nanimal,all\ndog,pet\ndog,animal\n"
    )
    (tmp_path / "said.csv").write_text("item,subject,category\nx,a,dog\nx,b,pet\n")
    files = ["--tree", str(tmp_path / "dag.csv"), "--assignments", str(tmp_path / "said.csv")]
    assert "two parents" in problem("tree", *files)
    belief = result("tree", *files, "--dag")["belief"]["x"]
    assert belief == {"all": 1.0, "pet": 1.0, "animal": 0.5, "dog": 0.5}


def test_real_pictures_with_five_votes_each() -> None:
    """CIFAR-100: the data set's own labels against those that a model guessed."""
    found = result(
        "tree",
        *("--tree", str(DATA / "tree.csv"), "--assignments", str(DATA / "assignments.csv")),
        *("--results", str(DATA / "results.csv")),
    )
    systems = {one["name"]: one for one in found["systems"]}
    assert systems["given"]["f1"]["mean"] > systems["guessed"]["f1"]["mean"]
    pair = next(one for one in found["pairs"] if one["measure"] == "f1")
    assert (pair["a"], pair["b"]) == ("given", "guessed")
    assert pair["p_a_beats_b"] > 0.999
    assert "above 0.999 and loses with one below 0.001" in found["headline"]  # drawn, not exact
    assert pair["tests"]["wilcoxon"]["p_holm"] < 0.001
    assert found["size"]["all"] == pytest.approx(
        sum(answers > 0 for answers in found["answers"].values())
    )
    for one in found["results"]:
        assert sum(one["precision"]["mass"]) == pytest.approx(1)


def test_distributions_of_a_consensus(files: Path) -> None:
    found = result("distributions", str(files / "table3.csv"), "--belief", "consensus")
    s1 = next(one for one in found["results"] if one["system"] == "S1")
    assert round(s1["recall"]["mean"], 6) == 0.727021
    assert round(s1["p_none_relevant"], 6) == 0.004147
    assert round(s1["f1"]["mean"], 6) == 0.634729
    assert found["caveat"] == "no ground truth was used: this is agreement"
    done = consilience("distributions", str(files / "table3.csv"), "--belief", "consensus")
    assert "no ground truth was used" in done.out.lower()


def test_depth_cuts_by_the_same_rule_for_ties(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text(
        "system,query,item,score\n" + "".join(f"A,q,{item},1\n" for item in "azm")
    )
    rows = [f"q,{judge},{item},{int(item == 'a')}\n" for item in "azm" for judge in ("i", "j")]
    (tmp_path / "judges.csv").write_text("query,judge,item,relevant\n" + "".join(rows))
    args = [str(tmp_path / "runs.csv"), "--truth", str(tmp_path / "judges.csv"), "--depth", "1"]
    for rule, expected in (("trec", 0.0), ("order", 1.0), ("best", 1.0), ("worst", 0.0)):
        found = result("distributions", *args, "--ties", rule)
        assert found["systems"][0]["precision"]["mean"] == expected


def test_the_root_can_be_asked_for_by_a_query_of_its_name(paper: list[str], tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text("system,query,item\nA,all,picture\nA,all,party\n")
    found = result("tree", *paper)
    assert found["results"][0]["precision"]["mean"] == 1.0


@pytest.mark.parametrize("form", ["text", "csv", "md", "latex", "html", "parquet"])
def test_distributions_in_every_form(files: Path, form: str, tmp_path: Path) -> None:
    out = tmp_path / f"out.{form}"
    done = consilience(
        *("distributions", str(files / "table3.csv"), "--belief", "consensus"),
        *("--delta", "0.1", "--beta", "2", "-f", form, "-o", str(out)),
    )
    assert done.code == 0, done.err
    assert out.stat().st_size > 100


@pytest.mark.parametrize("verb", ["tree", "agree", "distributions", "displacement"])
def test_a_negative_seed_is_refused(verb: str, paper: list[str], files: Path) -> None:
    args = {
        "tree": [*paper, "--category", "people"],
        "agree": [paper[3]],
        "distributions": [str(files / "table3.csv"), "--belief", "consensus"],
        "displacement": ["--benchmark", str(files / "benchmark"), str(files / "runs")],
    }[verb]
    assert "seed must be a whole number" in problem(verb, *args, "--seed", "-3")


def test_the_demo() -> None:
    found = result("demo", "uncertain")
    assert len(found["answers"]) == 20
    assert found["subjects"] == 5
    assert found["belief"]["picture-01"]["people"] == pytest.approx(0.6)


def test_a_benchmark_without_a_tree_is_told_that_it_takes_one(files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    shutil.copytree(files / "benchmark", folder)
    for name in ("tree.csv", "assignments.csv"):
        (folder / name).unlink(missing_ok=True)
    done = consilience("tree", "--benchmark", str(folder))
    assert done.code == 2
    assert (
        "the benchmark has no tree.csv and no assignments.csv: optional in a benchmark, and "
        in (done.err)
    )
    assert "(fix: " in done.err
    (folder / "tree.csv").write_text("category,parent\ndog,\n")
    done = consilience("tree", "--benchmark", str(folder))
    assert "the benchmark has no assignments.csv: optional" in done.err
