"""Laws of the store: what was read is read again, on both databases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.columns import Codes, Text
from consilience.errors import UsageError
from consilience.formats.rows import KINDS, Rows, Silence, Source
from consilience.store import answers as kept
from consilience.store.connect import Database, reading, writing
from consilience.store.projects import Project, changed, make_project, project, remove_project
from consilience.store.sources import add_files
from consilience.store.studies import (
    study_of,
    tree_of,
)
from consilience.study.taxonomy import tree
from tests.store.reading import EXAMPLES, alike, checked, counts, globbed

#: Files, and files with the truth, that make a study.
READ: dict[str, tuple[list[str], list[str]]] = {
    "runs": (["runs/*.run"], ["qrels.txt"]),
    "one run": (["runs/bm25.run"], []),
    "wide": (["table3.csv"], []),
    "long": (["votes.csv"], []),
    "words": (["votes.csv"], ["labels.csv"]),
    "words alone": (["labels.csv"], []),
    "people": (["votes.csv"], ["judges.csv"]),
    "designed": (["labelling/votes.csv"], ["labelling/labels-*.csv"]),
    "lists": (["words/wolf.txt", "soft/gold.txt"], []),
    "soft": (["soft/predicted.txt"], ["soft/gold.txt"]),
    "phrases": (["soft/phrases.csv"], ["soft/phrases-gold.csv"]),
    "segments": (["meeting/mine.rttm"], ["meeting/gold.rttm"]),
    "events": (["meeting/events.tsv"], []),
    "boxes": (["boxes/detector.json"], ["boxes/truth.json"]),
    "tracks": (["tracks/recorded.gpx"], ["tracks/planned.gpx"]),
    "airplanes": (["airplanes.csv"], []),
    "results": (["pictures/results.csv"], []),
}


@pytest.mark.parametrize("name", READ)
def test_files_are_read_as_ever(db: Database, project: Project, name: str) -> None:
    files, truth = map(globbed, READ[name])
    assert files
    add_files(db, project, files, truth=truth)
    alike(study_of(db, project), checked(files, truth))


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.csv")), ids=lambda path: path.name)
def test_examples_are_read_as_ever(db: Database, project: Project, path: Path) -> None:
    if path.name == "pictures-tree.csv":
        assert add_files(db, project, [path]) == []
        assert tree_of(db, project) == tree(path)
        return
    add_files(db, project, [path])
    alike(study_of(db, project), cs.read(path))


NAMES = st.sampled_from(["a", "b", "Zürich", "x,y", 'say "no"', " lead", "10", "猫", "<b>"])
VOTES = st.sampled_from(["0", "1", "0.5", "", "cannot tell", "-0.0"])
GRADES = st.sampled_from(["0", "1", "3", "", "2.5"])
SCORES = st.sampled_from(["1.5", "-0.0", "0", "1e300", "3", "-7.25", "0.1"])
WHOLE = st.sampled_from(["1", "2", "3", "7"])
COLUMNS: dict[str, st.SearchStrategy[str]] = {
    "query": st.sampled_from(["q1", "q2", "ä ö"]),
    "respondent": st.sampled_from(["s1", "s2", "ann", "gpt-9"]),
    "family": st.sampled_from(["", "f"]),
    "vote": VOTES,
    "label": GRADES,
    "score": SCORES,
    "rank": WHOLE,
    "probability": st.sampled_from(["0.25", "1", ""]),
    "category": st.sampled_from(["cat", "dog", "", "cannot tell"]),
}


@st.composite
def tables(draw: st.DrawFn) -> str:
    """Draw a table of answers; it need not make sense."""
    chosen = draw(st.lists(st.sampled_from(sorted(COLUMNS)), unique=True, min_size=1, max_size=5))
    rows = draw(st.integers(1, 8))
    names = draw(st.lists(NAMES, min_size=rows, max_size=rows))
    columns = [names, *(draw(st.lists(COLUMNS[n], min_size=rows, max_size=rows)) for n in chosen)]
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in column] for column in columns]
    lines = [",".join(row) for row in zip(*quoted, strict=True)]
    return "\n".join([",".join(["item", *chosen]), *lines]) + "\n"


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(tables(), tables() | st.none())
def test_law_of_reading(db: Database, tmp_path: Path, run: str, truth: str | None) -> None:
    """Whatever can be read is read alike; whatever cannot is refused, and leaves nothing."""
    here = make_project(db, "law")
    first, second = tmp_path / "run.csv", tmp_path / "truth.csv"
    first.write_text(run, encoding="utf-8")
    second.write_text(truth or "", encoding="utf-8")
    judged = [second] if truth else []
    try:
        wanted = checked([first], judged)
    except UsageError as error:
        before = counts(db)
        with pytest.raises(UsageError) as found:
            add_files(db, here, [first], truth=judged)
        told = (str(found.value), str(error))
        untouched = counts(db) == before and project(db, here.slug).version == here.version
    else:
        add_files(db, here, [first], truth=judged)
        told, untouched = (study_of(db, here).fingerprint(), wanted.fingerprint()), True
    assert told[0] == told[1]
    assert untouched
    remove_project(db, here.slug)
    assert sum(counts(db).values()) == 0


SILENCES: tuple[Silence, ...] = ("no", "unknown")


@st.composite
def made_rows(draw: st.DrawFn) -> Rows:
    """Draw a table as reading might give it: any columns, names in several pieces, odd values."""
    queries = draw(st.lists(st.text(max_size=3).filter(plain), unique=True, min_size=1, max_size=3))
    people = draw(st.lists(st.text(max_size=3).filter(plain), unique=True, min_size=1, max_size=3))
    kinds = st.sampled_from(KINDS)
    pieces = draw(st.lists(st.lists(st.text(max_size=4).filter(plain), max_size=4), max_size=3))
    names = [name for piece in pieces for name in piece]
    count = len(names)
    text = Text.of_arrow(array for piece in pieces for array in Text.of(piece).chunks)
    as_numbers = draw(st.booleans())
    if names and as_numbers:
        text = Text.of_codes(
            np.arange(count, dtype=np.int16), Text.of([*names, "unused"]).chunks[0]
        )
    number = st.floats(allow_nan=True, allow_infinity=True, width=64)
    values: dict[str, Any] = {
        name: np.array(draw(st.lists(number, min_size=count, max_size=count)), np.float64)
        for name in ("vote", "grade", "score", "probability")
        if draw(st.booleans())
    }
    for name, kind in (("rank", np.uint8), ("round", np.int64)):
        if draw(st.booleans()):
            whole = st.integers(0, 9)
            values[name] = np.array(draw(st.lists(whole, min_size=count, max_size=count)), kind)
    if draw(st.booleans()):
        some = draw(
            st.lists(st.text(max_size=2).filter(plain), unique=True, min_size=1, max_size=3)
        )
        values["category"] = Codes(codes(draw, count, len(some)), tuple(some))
    pairs = st.tuples(st.sampled_from(people), st.sampled_from([*queries, "another"]))
    silences: list[Silence] = [draw(st.sampled_from(SILENCES)) for _ in people]
    return Rows(
        Source("x", "list", "because", count, ("a note",), ("item",), ("who",)),
        Codes(codes(draw, count, len(queries)), tuple(queries)),
        Codes(codes(draw, count, len(people)), tuple(people)),
        text,
        kind=tuple(draw(kinds) for _ in people),
        family=tuple(draw(st.none() | st.just("f")) for _ in people),
        silence=draw(st.sampled_from(SILENCES)),
        asked=tuple(draw(st.lists(pairs, unique=True, max_size=2))),
        counted=draw(st.booleans()),
        silences=draw(st.none() | st.just(tuple(silences))),
        **values,
    )


def plain(name: str) -> bool:
    return "\0" not in name and name.isprintable()


def codes(draw: st.DrawFn, count: int, most: int) -> np.ndarray[Any, Any]:
    given = draw(st.lists(st.integers(0, most - 1), min_size=count, max_size=count))
    return np.array(given, np.int32)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(made_rows())
def test_law_of_rows(db: Database, rows: Rows) -> None:
    """A table that is kept is given again to the bit: order, pieces, silence, signs of zero."""
    here = make_project(db, "law")
    with writing(db) as conn:
        changed(conn, here.id)
        kept.store_rows(conn, here.id, rows, role="answers")
    with reading(db) as conn:
        (found,) = kept.tables_of(db, conn, here.id)
    same_rows(found, rows)


def same_rows(found: Rows, rows: Rows) -> None:
    for name in ("source", "kind", "family", "silence", "asked", "counted", "silences"):
        assert getattr(found, name) == getattr(rows, name), name
    for name in ("query", "respondent", "category"):
        one, other = getattr(found, name), getattr(rows, name)
        assert (one is None) == (other is None)
        if one is not None:
            assert one.names == other.names
            assert one.code.tolist() == other.code.tolist()
    assert found.item.take(range(len(found))) == rows.item.take(range(len(rows)))
    assert [*map(len, found.item.stored)] == [*map(len, rows.item.stored)]
    assert found.item.numbered == rows.item.numbered
    for name in ("vote", "grade", "score", "rank", "probability", "round"):
        one, other = getattr(found, name), getattr(rows, name)
        assert (one is None) == (other is None), name
        if one is not None:
            assert [bits(value) for value in one] == [bits(value) for value in other]


def bits(value: float) -> str:
    return "nan" if value != value else repr(float(value))
