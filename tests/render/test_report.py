"""Documents in every format: whole, escaped, in the right width; charts for notebooks."""

from __future__ import annotations

import csv
import functools
import io
import json
import re
import sys
import types
from typing import Any

import pyarrow.parquet as pq
import pytest

import consilience as cs
from consilience.errors import UsageError
from consilience.render import NEEDED, REPORTS, VERBS, charts_of, html_fragment, mimebundle, render
from consilience.render.documents import document
from consilience.render.layout import cells_of
from consilience.render.report import Lines, Picture, Report, Said, Section, Table
from consilience.render.theme import Spec, frame, unit
from consilience.render.write_text import text
from tests.render.conftest import HOSTILE
from tests.render.test_html import MEGABYTE, Page

NAMES = [*HOSTILE, "<script>alert(1)</script>", "x" * 300]
CAUTION = "no ground truth was used: this is agreement"


def payload_of(names: list[str]) -> dict[str, Any]:
    return {
        "verb": "agree",
        "id": "agree-0123456789ab",
        "version": "0.2.0",
        "created": "2026-11-15T10:00:00Z",
        "seed": 0,
        "headline": f"{names[0]} is odd.",
        "names": names,
        "notes": [f"a note about {names[-1]}"],
        "inputs": [{"file": names[0], "rows": 3, "recognised": "table", "why": "its columns"}],
        "input_hash": "ab" * 32,
    }


def draw(payload: dict[str, Any], *, dark: bool = False) -> Spec:
    rows = [{"name": name, "p": 0.5} for name in payload["names"]]
    spec = frame("Names.", rows, dark=dark)
    name = {"field": "name", "type": "nominal"}
    return {**spec, "width": 400, "mark": "point", "encoding": {"x": unit("p"), "y": name}}


def told(payload: dict[str, Any]) -> Report:
    names = payload["names"]
    rows = tuple((name, f"{i / 7:.4f}", "0.5000 [0.4000, 0.6000]") for i, name in enumerate(names))
    main = Table(
        "Main",
        ("name", "share", "P"),
        rows,
        ("head", "number", "score"),
        left_out="3 of 9 names are shown; json holds all.",
        main=True,
    )
    side = Table("Side", ("name",), (("only here",),), ("head",))
    empty = Table("Nothing", ("name",), (), ("head",))
    picture = Picture("dots", functools.partial(draw, payload), "Names as dots.", main)
    sections = (
        Section("People", (main, side, empty, picture, Said(""), Lines(()))),
        Section("Lines", (Lines((f"about {names[0]}",)), Said("A paragraph."))),
        Section("Empty", (Said(""), Lines(()), empty)),
    )
    facts = (("unit", names[0]),)
    return Report(
        "A report", payload["headline"], sections, facts, "Done so.", ("3 people",), CAUTION
    )


@pytest.fixture(autouse=True)
def _teller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a module of this test tell the results of a verb."""
    module = types.ModuleType("consilience.render.told_in_a_test")
    made = {
        "report": told,
        "COLUMNS": {"name": "string", "place": "int64", "share": "float64"},
        "rows": lambda payload: [
            {"name": name, "place": i, "share": None if i else 1 / 3}
            for i, name in enumerate(payload["names"])
        ],
    }
    module.__dict__.update(made)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(REPORTS, "agree", "told_in_a_test")
    monkeypatch.setitem(NEEDED, "agree", ("headline", "names", "notes", "id", "version"))


@pytest.fixture(params=[["a", "b"], NAMES], ids=["plain", "hostile"])
def payload(request: pytest.FixtureRequest) -> dict[str, Any]:
    return payload_of(request.param)


def test_verbs_told_as_documents_have_every_format() -> None:
    told = {"agree", "align", "correlate", "displacement", "distributions", "soft", "tree"}
    assert set(REPORTS) == {*told, "check", "diff", "next", "reproduce"}
    for verb in REPORTS:
        assert VERBS[verb][: len(VERBS["rank"])] == VERBS["rank"]
        assert NEEDED[verb]


def test_every_format_is_written_and_leaves_the_payload_alone(payload: dict[str, Any]) -> None:
    before = json.dumps(payload)
    for fmt in VERBS["agree"]:
        assert render(payload, fmt) == render(payload, fmt)
    assert json.dumps(payload) == before


def test_a_document_is_made_whole_once() -> None:
    made = document(payload_of(["a", "b"]))
    assert [section.title for section in made.sections] == ["People", "Lines", "Empty", "Notes"]
    assert [label for label, _ in made.facts] == ["unit", "id", "made by", "inputs"]
    assert made.methods == ("Done so. Computed with Consilience 0.2.0; result agree-0123456789ab.")


def test_text_has_every_part_in_order() -> None:
    assert text(document(payload_of(["a", "b"])), width=100).splitlines() == [
        "a is odd.",
        "",
        "No ground truth was used: this is agreement.",
        "",
        "People:",
        "",
        "Main",
        "name   share  P",
        "a     0.0000  0.5000 [0.4000, 0.6000]",
        "b     0.1429  0.5000 [0.4000, 0.6000]",
        "3 of 9 names are shown; json holds all.",
        "",
        "Side",
        "name",
        "only here",
        "",
        "Lines:",
        "  about a",
        "",
        "A paragraph.",
        "",
        "Notes:",
        "  a note about b",
        "",
        "How:",
        "  unit     a",
        "  id       agree-0123456789ab",
        "  made by  Consilience 0.2.0, 2026-11-15T10:00:00Z",
        f"  inputs   sha256 {'ab' * 32}",
    ]


def test_text_fits_and_spells_out_what_it_cuts() -> None:
    names = ["short", "a rather long name of a system with many parameters"]
    made = text(told(payload_of(names)), width=44)
    assert max(map(cells_of, made.splitlines())) <= 44
    assert "In full:" in made
    assert "".join(names[1].split()) in "".join(made.split())


def test_text_shows_no_character_that_moves_a_terminal() -> None:
    made = str(render(payload_of(NAMES), "text"))
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f\u202a-\u202e\u2028\u2029]", made)


def test_markdown_has_headings_and_tables_that_keep_their_shape(payload: dict[str, Any]) -> None:
    made = str(render(payload, "md"))
    assert re.findall(r"^### (.*)$", made, flags=re.MULTILINE) == ["People", "Lines", "Notes"]
    assert "*No ground truth was used: this is agreement.*" in made
    tables = [part for part in made.split("\n\n") if part.startswith("|")]
    assert len(tables) == 2
    for part in tables:
        bars = [len(re.findall(r"(?<!\\)\|", line)) for line in part.splitlines()]
        assert len(set(bars)) == 1
    assert not re.search(r"(?<!\\)<", made)


def test_latex_holds_the_main_tables_only(payload: dict[str, Any]) -> None:
    made = str(render(payload, "latex"))
    lines = [line for line in made.splitlines() if not line.startswith("%")]
    bare = re.sub(r"\\[{}\\&%$#_]", "", "\n".join(lines))
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"[%$#~^_]", re.sub(r"\\[%$#_]", "", "\n".join(lines)))
    cells = [len(re.findall(r"(?<!\\)&", line)) for line in lines if line.endswith(r" \\")]
    assert cells == [2] * (1 + len(payload["names"]))
    assert r"\begin{tabular}{lrl}" in made
    assert r"\caption{Main. 3 of 9 names are shown; json holds all. No ground truth" in made
    assert "only here" not in made


def test_a_page_is_closed_self_contained_and_deaf_to_names(payload: dict[str, Any]) -> None:
    made = str(render(payload, "html"))
    parsed = Page(made)
    assert len(made.encode()) < MEGABYTE
    for tag, attributes in parsed.seen:
        assert tag not in {"link", "iframe", "img", "object", "embed", "base", "b"}
        assert not {"src", "href"} & set(attributes)
        assert not any(key.startswith("on") for key in attributes)
    assert len(re.findall("<script", made)) == 3
    assert [attributes["class"] for attributes in parsed.tags("li")[:2]] == ["fact", "caution"]
    assert {"data-chart": "dots"} in parsed.tags("figure")
    words = " ".join(parsed.text)
    for part in ("A report", "3 people", CAUTION, "Names as dots.", "Done so.", "Files that went"):
        assert part in words
    for title in ("People", "Lines", "Notes", "How this was computed", "Inputs"):
        assert f"<h2>{title}</h2>" in made
    assert "<h2>Empty</h2>" not in made


def test_a_picture_with_nothing_to_draw_leaves_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.draw", lambda payload, *, dark=False: None)
    made = str(render(payload_of(["a", "b"]), "html"))
    assert "<figure" not in made
    assert charts_of(payload_of(["a", "b"])) == {}
    assert set(mimebundle(payload_of(["a", "b"]))) == {"text/plain", "text/html"}


def test_the_notebook_shows_headline_caution_and_main_tables(payload: dict[str, Any]) -> None:
    made = html_fragment(payload)
    parsed = Page(made)
    assert "<script" not in made
    assert not parsed.tags("img")
    assert len(parsed.tags("table")) == 1
    words = " ".join(parsed.text)
    assert "No ground truth was used: this is agreement." in words
    assert "only here" not in words
    assert "a note about" in words


def test_csv_and_parquet_hold_the_rows_of_the_verb(payload: dict[str, Any]) -> None:
    read = list(csv.DictReader(io.StringIO(str(render(payload, "csv")), newline="")))
    assert [row["name"] for row in read] == payload["names"]
    assert [row["share"] for row in read][:2] == [repr(1 / 3), ""]
    made = render(payload, "parquet")
    assert isinstance(made, bytes)
    table = pq.read_table(io.BytesIO(made))
    assert table.schema.names == ["name", "place", "share"]
    assert table.to_pylist()[0] == {"name": payload["names"][0], "place": 0, "share": 1 / 3}


def test_a_document_that_is_not_whole_is_refused() -> None:
    payload = payload_of(["a"])
    del payload["names"]
    with pytest.raises(UsageError, match="it lacks 'names'"):
        render(payload, "text")


def test_a_stored_document_is_exported(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from click.testing import CliRunner

    from consilience.cli.export import command
    from consilience.store import save

    monkeypatch.setenv("CONSILIENCE_RESULTS", str(tmp_path))
    save(payload_of(NAMES))
    for fmt in VERBS["agree"]:
        done = CliRunner().invoke(command, ["latest", "-f", fmt])
        assert done.exit_code == 0
        made = render(payload_of(NAMES), fmt)
        assert done.stdout_bytes == (made if isinstance(made, bytes) else made.encode())


def test_charts_of_a_document_are_vega_lite() -> None:
    payload = payload_of(["a", "b"])
    drawn = cs.charts(payload)
    assert drawn == {"dots": draw(payload)}
    assert cs.charts(payload, dark=True) == {"dots": draw(payload, dark=True)}
    shown = drawn["dots"]._repr_mimebundle_()
    assert list(shown) == [
        "application/vnd.vegalite.v6+json",
        "application/vnd.vegalite.v5+json",
    ]
    for version, spec in zip("65", shown.values(), strict=True):
        assert spec["$schema"].endswith(f"/v{version}.json")
        assert spec["data"] == draw(payload)["data"]


def test_a_notebook_may_choose_between_html_and_the_first_chart() -> None:
    payload = {**payload_of(["a", "b"]), "caveat": CAUTION}
    bundle = mimebundle(payload)
    assert bundle["text/html"] == html_fragment(payload)
    assert bundle["text/plain"] == str(render(payload, "text")).rstrip("\n")
    title = bundle["application/vnd.vegalite.v5+json"]["title"]
    assert title["text"] == ["a is odd."]
    assert title["subtitle"] == "No ground truth was used: this is agreement."


def test_every_ranking_and_curve_gives_its_charts(
    normal: dict[str, Any], consensus: dict[str, Any], curve: dict[str, Any], belief: dict[str, Any]
) -> None:
    assert set(cs.charts(normal)) == {"forest", "pairs", "precision-recall"}
    assert len(cs.charts(consensus)) == 7
    assert set(cs.charts(curve)) == {"curve"}
    assert cs.charts(belief) == {}
    json.dumps(cs.charts(consensus), allow_nan=False)


def test_results_hand_vega_lite_to_notebooks() -> None:
    study = cs.example_study("airplanes")
    bundle = cs.curve(study)._repr_mimebundle_()
    assert "text/html" in bundle
    assert bundle["application/vnd.vegalite.v6+json"]["title"]["text"][0].startswith("AP of")
