"""JSON lines read many at a time are what they are line by line, or are not read so at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from consilience.errors import InputError
from consilience.formats import documents, files
from consilience.formats.cells import Sheet

texts = st.text(alphabet='ab{}[],:"\\ \n\u00e9\u2028\u00a0\ud800\0', max_size=4)
values = st.one_of(
    texts,
    st.integers(-5, 5),
    st.floats(),
    st.booleans(),
    st.none(),
    st.sampled_from([2.0, 1e22, 2**70, "1", [], {}, [1], {"a": 1}]),
)
objects = st.dictionaries(st.sampled_from(["item", "query", " vote", "é", "}"]), values, max_size=4)
lines = st.one_of(
    st.builds(json.dumps, objects, ensure_ascii=st.booleans()),
    st.sampled_from(
        (
            *("", " ", "\u00a0", "{}", "{", "}", '{"a":1},{"b":2}', '{"a":1},{"b":1', '"c":2}'),
            *('{"b":[{}', "{}]}", '{"a":1},5,{"b":2}', '{"a":1},"x",{"b":2}'),
            *('{"b":[1', "2]}", '{"a":1,"a":2}', ' {"item": "x"}', '{"item": "x"} ', "5", "[]"),
            *('{"item": "a\tb"}', '{"item": "\0"}', '{"item": 1e999}', '{"item": NaN}'),
        )
    ),
)


def slowly(file: files.File) -> Sheet | None:
    """Read line by line; None where anything is wrong."""
    try:
        sheet = documents.read_lines(file, why="", columns={})
    except InputError:
        return None
    return None if sheet.problems else sheet


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(given=st.lists(lines, min_size=1, max_size=7), many=st.integers(1, 4))
@example(given=['{"a":1},{"b":1', '"c":2}'], many=4)
@example(given=['{"a":1},{"b":[1', "2]}"], many=4)
@example(given=['{"a":1},{"b":2}', "{}"], many=4)
@example(given=['{"item": "}"}', '{"item": "{"}'], many=4)
@example(given=['{"b":[{}', "{}", "{}]}", '{"a":1},5,{"b":2}'], many=4)
def test_lines_read_together_are_what_they_are_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, end: str, given: list[str], many: int
) -> None:
    path = tmp_path_factory.mktemp("json") / "a.jsonl"
    path.write_bytes(end.join(given).encode(errors="surrogatepass"))
    file = files.File(path, "a.jsonl", b"", gzipped=False, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(documents, "_MANY", many)
        fast = documents.read_fast(file, why="", columns={})
    slow = slowly(file)
    if fast is None:
        return
    assert slow is not None
    assert fast.table.equals(slow.table)
    assert fast.locate is not None
    assert slow.locate is not None
    rows = range(fast.table.num_rows)
    assert [fast.locate(row) for row in rows] == [slow.locate(row) for row in rows]


def test_usual_lines_are_read_together(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [
        {"query": "q1", "item": "d {7}", "score": 0.5, "vote": True},
        {"query": "q2", "item": 'a "b" \\ é', "rank": 3, "vote": None},
    ]
    path.write_text("\n\n".join(map(json.dumps, rows)) + "\n")
    sheet = documents.read_fast(files.look(path), why="", columns={})
    assert sheet is not None
    assert sheet.table.to_pydict() == {
        "query": ["q1", "q2"],
        "item": ["d {7}", 'a "b" \\ é'],
        "score": ["0.5", ""],
        "vote": ["1", ""],
        "rank": ["", "3"],
    }
    assert sheet.locate is not None
    assert [sheet.locate(row) for row in (0, 1)] == [1, 3]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_broken_bytes_are_not_read_together(tmp_path: Path, end: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(f'{{"item": "a"}}{end}{{"item": "\xff"}}{end}'.encode("latin-1"))
    file = files.look(path)
    assert documents.read_fast(file, why="", columns={}) is None
    with pytest.raises(InputError, match=r"a\.jsonl:2: not valid UTF-8"):
        documents.read_json_lines(file, why="", columns={}).problems.raise_any()
