"""``consilience rank --match``: items that need not be equal, texts as sequences, segments."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from consilience.cli import main
from tests.cli.command import consilience

DATA = Path(__file__).parent.parent / "data"
SYSTEMS = """system,query,item
near,q1,colour
near,q2,harbour
near,q3,theatre
near,q4,tea
half,q1,color
half,q2,zzzzzz
half,q3,theater
half,q4,xxxxxx
"""
GOLD = "query,item\nq1,color\nq2,harbor\nq3,theater\nq4,tea\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "s.csv").write_text(SYSTEMS)
    (tmp_path / "gold.csv").write_text(GOLD)
    return tmp_path


def test_the_contract(place: Path) -> None:
    asked = ["rank", "s.csv", "--truth", "gold.csv", "--match", "soft", "--json"]
    made = consilience(*asked, cwd=place).json()
    assert (made["verb"], made["condition"], made["measure"]) == ("rank", "inexact", "F1")
    assert made["measures"] == ["F1", "P", "R"]
    matching = made["matching"]
    assert (matching["similarity"], matching["floor"]) == ("levenshtein", 0.5)
    assert (matching["variant"], matching["mode"]) == ("coverage", "concepts")
    assert matching["text"] == {"unicode": "nfc", "case": "keep", "space": "collapse"}
    assert (matching["winner"], matching["winner_changes"]) == (["near"], True)
    assert matching["repairs"] == []
    ways = [(one["similarity"], one["variant"]) for one in matching["alternatives"]]
    assert ways == [
        *((name, "coverage") for name in ("exact", "jaro-winkler", "jaccard:q=2", "monge-elkan")),
        *(("levenshtein", variant) for variant in ("diversity", "paper", "assignment")),
    ]
    exact = matching["alternatives"][0]
    assert (exact["winner"], exact["same_winner"], exact["tau"]) == (["half"], False, -1)
    assert exact["scores"] == {"near": 0.25, "half": 0.5}
    values = {one["name"]: one["scores"]["F1"]["value"] for one in made["systems"]}
    assert values == {"near": pytest.approx((5 / 6 + 6 / 7 + 5 / 7 + 1) / 4), "half": 0.5}
    assert made["verdict"].endswith(matching["sentence"])
    assert consilience(*asked, cwd=place).json()["id"] == made["id"]
    plain = consilience("rank", "s.csv", "--truth", "gold.csv", "--json", cwd=place).json()
    assert plain["matching"] is None


def test_options_reach_the_ranking(place: Path) -> None:
    (place / "s.csv").write_text(SYSTEMS.replace("color", "COLOR").replace("theater", "théater"))
    made = consilience(
        *("rank", "s.csv", "--truth", "gold.csv", "--match", "soft", "--json"),
        *("--similarity", "Jaro_Winkler", "--floor", "0.9", "--mode", "instances"),
        *("--unicode", "ascii", "--case", "fold", "--space", "strip", "--measure", "R"),
        cwd=place,
    ).json()
    matching = made["matching"]
    assert (matching["similarity"], matching["floor"]) == ("jaro-winkler", 0.9)
    assert (matching["variant"], matching["mode"]) == ("assignment", "instances")
    assert matching["text"] == {"unicode": "ascii", "case": "fold", "space": "strip"}
    assert made["measures"] == ["R"]
    values = {one["name"]: one["scores"]["R"]["value"] for one in made["systems"]}
    assert values["half"] == 0.5


def test_exact_similarity_is_plain_ranking(place: Path) -> None:
    asked = ["rank", "s.csv", "--truth", "gold.csv", "--measure", "F1", "--json"]
    soft = consilience(*asked, "--match", "soft", "--similarity", "exact", cwd=place).json()
    plain = consilience(*asked, "--match", "exact", cwd=place).json()
    assert [(one["name"], one["rank"], one["scores"]) for one in soft["systems"]] == [
        (one["name"], one["rank"], one["scores"]) for one in plain["systems"]
    ]


def test_without_truth(place: Path) -> None:
    (place / "s.csv").write_text(SYSTEMS + "third,q1,colours\nthird,q2,harbors\nthird,q3,x\n")
    made = consilience("rank", "s.csv", "--match", "soft", "--json", cwd=place).json()
    assert made["condition"] == "absent"
    assert made["caveat"]
    assert (made["matching"]["variant"], made["matching"]["mode"]) == (None, None)
    assert [one["variant"] for one in made["matching"]["alternatives"]] == [None] * 4
    page = consilience("belief", "s.csv", "--match", "soft", "--json", cwd=place)
    assert page.code == 0


def test_files_and_pages(place: Path) -> None:
    asked = ["rank", "s.csv", "--truth", "gold.csv", "--match", "soft"]
    said = consilience(*asked, cwd=place).out
    assert "The winner changes with the similarity or variant, in 1 of 7" in " ".join(said.split())
    assert consilience(*asked, "-o", "page.html", cwd=place).code == 0
    page = (place / "page.html").read_text("utf-8")
    assert "Other ways of matching" in page
    assert "jaccard:q=2" in page
    assert consilience(*asked, "--fail-if", "near: F1 < 0.9", cwd=place).code == 3
    assert consilience(*asked, "--fail-if", "near: F1 < 0.8", cwd=place).code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--match", "sofd"], "unknown way of matching 'sofd'; did you mean 'soft'?"),
        (["--similarity", "exact"], "--similarity is for --match soft or --match aligned"),
        (["--variant", "paper"], "--variant is for --match soft"),
        (["--match", "bag", "--floor", "0.5"], "--floor is for --match soft or --match aligned"),
        (["--match", "aligned", "--mode", "instances"], "--mode is for --match soft"),
        (["--match", "soft", "--tokens", "words"], "--tokens is for --match aligned or --match ba"),
        (["--match", "soft", "--similarity", "levenstein"], "did you mean 'levenshtein'?"),
        (["--match", "soft", "--similarity", "None"], "unknown similarity 'None'"),
        (["--match", "soft", "--similarity", "jaccard:q=x"], "q is a whole number, found 'x'"),
        (["--match", "soft", "--variant", "None"], "possible: coverage, diversity, paper, storm"),
        (["--match", "soft", "--mode", "each"], "unknown mode 'each'; possible: concepts, instan"),
        (["--match", "soft", "--mode", "instances", "--variant", "paper"], "leave the variant out"),
        (["--match", "soft", "--floor", "nan"], "the floor must be a number in [0, 1], found nan"),
        (["--match", "soft", "--floor", "2"], "the floor must be a number in [0, 1], found 2"),
        (["--match", "soft", "--floor", "-1"], "the floor must be a number in [0, 1], found -1"),
        (["--match", "soft", "--case", "lower"], "unknown case 'lower'; possible: keep, fold"),
        (["--match", "soft", "--measure", "AP"], "have P, R and F1, not AP (fix: --measure F1"),
        (["--match", "soft", "--rel", "2"], "have P, R and F1, not F1(rel=2)"),
        (["--match", "soft", "--similarity", "segments"], "'color' is no segment"),
        (["--match", "soft", "--similarity", "vectors"], "none were given (fix: name a file"),
    ],
)
def test_what_cannot_be(
    place: Path,
    options: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(place)
    refused(["rank", "s.csv", "--truth", "gold.csv", *options], message, capsys)


def refused(asked: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """See that a command ends with 2 and one line that says why."""
    with pytest.raises(SystemExit) as ended:
        main(asked)
    said = capsys.readouterr()
    assert ended.value.code == 2
    assert message in said.err
    assert len(said.err.strip().splitlines()) == 1
    assert not said.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--variant", "paper"], "--variant is for a ranking against the truth"),
        (["--mode", "instances"], "--mode is for a ranking against the truth"),
        (["--measure", "nDCG"], "items that are matched softly have no order for nDCG"),
    ],
)
def test_what_needs_truth(
    place: Path,
    options: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(place)
    refused(["rank", "s.csv", "--match", "soft", *options], message, capsys)


def test_odd_items_and_nothing_at_all(place: Path) -> None:
    odd = ["", "None", "nan", "🦊", "e\u0301", '"a\nb"', "x" * 5000]
    rows = "".join(f"{who},q,{item}\n" for who in ("s", "t") for item in odd if item)
    (place / "odd.csv").write_text(f"system,query,item\n{rows}", "utf-8")
    (place / "truth.csv").write_text('query,item\nq,None\nq,é\nq,"a\nb"\nr,x\n', "utf-8")
    made = consilience(
        "rank", "odd.csv", "--truth", "truth.csv", "--match", "soft", "--json", cwd=place
    ).json()
    assert made["systems"][0]["scores"]["R"]["value"] == 0.5  # r was not answered
    assert made["ties"] == [] or made["ties"][0] == ["s", "t"]


# other ways ------------------------------------------------------------------------------------


def test_texts_aligned_and_as_bags(tmp_path: Path) -> None:
    """Position counts when texts are aligned; a bag of words has none."""
    (tmp_path / "truth.txt").write_text("the quick brown fox jumps over the lazy dog\n")
    (tmp_path / "good.txt").write_text("the quick brown fox jumped over the lazy dog\n")
    (tmp_path / "moved.txt").write_text("dog lazy the over jumps fox brown quick the\n")
    asked = ["rank", "good.txt", "moved.txt", "--truth", "truth.txt", "--measure", "F1", "--json"]
    found = {}
    for way in ("aligned", "bag"):
        made = consilience(*asked, "--match", way, cwd=tmp_path).json()
        assert made["matching"] is None
        found[way] = {one["name"]: one["scores"]["F1"]["value"] for one in made["systems"]}
    assert found["bag"] == {"good": pytest.approx(8 / 9), "moved": 1}
    assert found["aligned"]["good"] == pytest.approx(8 / 9)
    assert found["aligned"]["moved"] < 0.5
    soft = consilience(
        *asked, "--match", "aligned", "--similarity", "levenshtein", "--floor", "0.6", cwd=tmp_path
    )
    assert soft.code == 0


def test_segments_of_real_meetings(tmp_path: Path) -> None:
    """Two diarization systems name speakers in their own ways: classes must not count."""
    for name in ("reference", "dl", "vb"):
        packed = (DATA / "ami" / f"{name}.rttm.gz").read_bytes()
        lines = gzip.decompress(packed).decode().splitlines()
        first = lines[0].split()[1]
        kept = [line for line in lines if line.split()[1] == first][:60]
        (tmp_path / f"{name}.rttm").write_text("\n".join(kept) + "\n")
    asked = ["rank", "dl.rttm", "vb.rttm", "--truth", "reference.rttm", "--match", "soft", "--json"]
    made = consilience(*asked, "--similarity", "segments:classes=no", cwd=tmp_path).json()
    matching = made["matching"]
    assert (matching["mode"], matching["variant"]) == ("instances", "assignment")
    assert matching["text"] is None
    assert {one["similarity"] for one in matching["alternatives"]} == {"segments:classes=no"}
    values = [one["scores"]["F1"]["value"] for one in made["systems"]]
    assert all(0.1 < value <= 1 for value in values)
    named = consilience(*asked, cwd=tmp_path).json()
    assert named["matching"]["similarity"] == "segments"
    if not any(one["scores"]["F1"]["value"] for one in named["systems"]):
        assert "try segments:classes=no" in named["verdict"]
