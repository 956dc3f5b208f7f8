"""Whatever a file holds, reading gives a study or says what is wrong."""

from __future__ import annotations

import contextlib
import math
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import UsageError

SEEDS = [
    b"q1 Q0 d1 1 3.5 t\nq1 Q0 d2 2 2.5 t\n",
    b"q1 0 d1 1\nq1 0 d2 0\n",
    b'query,item,system,vote\nq1,"d,1",A,1\nq1,d2,A,0\n',
    b"item\tS1\tS2\na\t1\t0\nb\t\tyes\n",
    b'{"query": "q", "item": "a", "score": 1.5}\n{"query": "q", "item": "b", "score": 1}\n',
    b'{"q1": {"d1": 1.5}}',
    b'[{"item": "a", "rank": 1}]',
    b"one\ntwo, three\n",
    b'[{"image_id": 1, "category_id": 2, "bbox": [1, 2, 3, 4], "score": 0.5}]',
    b'{"images": [{"id": 1}], "annotations": [{"image_id": 1, "bbox": [1, 2, 3, 4]}]}',
    b"cat 0.5 1 2 3 4\ndog 0.25 5 6 7 8\n",
    b"image,x,y,w,h\na,1,2,3,4\n",
    b'<gpx><trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>',
    b'{"type": "LineString", "coordinates": [[1, 2], [3, 4]]}',
    b"track,lat,lon\n1,48,11\n",
]
PIECES = [b"\0", b"\r", b"\n", b"\r\n", b'"', b",", b"\t", b"\xff", b"{", b"[", b"nan", b"-1"]
PIECES += [b"1e999", b"\xef\xbb\xbf", b"\xff\xfe", b"", b" ", b"item", b"q1", b"\xc3\xa9", b"\x1a"]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A well-formed file with a few pieces put in, taken out or repeated."""
    data = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(0, 5))):
        place = draw(st.integers(0, len(data)))
        cut = draw(st.integers(0, 3))
        data = data[:place] + draw(st.sampled_from(PIECES)) + data[place + cut :]
    return data * draw(st.sampled_from([1, 1, 1, 3]))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged")


@settings(max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
@given(
    content=st.one_of(damaged(), st.binary(max_size=60)),
    ending=st.sampled_from(["txt", "csv", "jsonl", "json", "run"]),
    encoding=st.sampled_from([None, None, "latin-1", "utf-16", "ascii"]),
)
@example(content=b"\xff\xfe\n", ending="txt", encoding=None)
@example(content=b"item\t\xffS1\tS2\na\t1\t0\n\t\tyes\n", ending="tsv", encoding=None)
@example(content=b'{"a":1}\n' * 3, ending="json", encoding=None)
@example(content=b"item\ncafe\n \ntea\n ", ending="csv", encoding=None)  # rows of one blank
def test_damaged_files(folder: Path, content: bytes, ending: str, encoding: str | None) -> None:
    path = folder / f"x.{ending}"
    path.write_bytes(content)
    try:
        study = cs.read(path, encoding=encoding)
    except UsageError as error:
        text = str(error)
        assert text
        assert "Traceback" not in text
        assert len(text.splitlines()) <= 21
    else:
        repr(study)
        assert study.fingerprint() == cs.read(path, encoding=encoding).fingerprint()


@pytest.fixture(scope="module")
def stored(folder: Path) -> dict[str, bytes]:
    """A table of Parquet and a votes file."""
    table, votes = folder / "table.parquet", folder / "votes.parquet"
    rows = {"query": ["q", "q", "r"], "system": ["S", "T", "S"], "item": ["a", "b", "é"]}
    pq.write_table(pa.table(rows), table)
    cs.convert(table, votes)
    return {"table": table.read_bytes(), "votes": votes.read_bytes()}


@settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow])
@given(form=st.sampled_from(["table", "votes"]), data=st.data())
def test_damaged_parquet(
    folder: Path, stored: dict[str, bytes], form: str, data: st.DataObject
) -> None:
    """A byte of the footer may say anything: of columns and their types, too."""
    content = bytearray(stored[form])
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path, made = folder / "x.parquet", folder / "made.parquet"
    path.write_bytes(content)
    made.unlink(missing_ok=True)
    with contextlib.suppress(UsageError):
        repr(cs.read(path))
    with contextlib.suppress(UsageError):
        cs.convert(path, made)


class Anything:
    """An object of a class that the library has never heard of."""


class Unspeakable:
    """An object that cannot be written as text."""

    def __repr__(self) -> str:
        raise RuntimeError("unspeakable")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # how Hypothesis tells of it
        printer.text("Unspeakable()")


def deep(levels: int = 2000) -> list[Any]:
    """A list in a list in a list …"""
    made: list[Any] = []
    for _ in range(levels):
        made = [made]
    return made


def endless(form: type) -> Any:
    """A dict or a list that contains itself."""
    made = form()
    if form is dict:
        made["a"] = made
    else:
        made.append(made)
    return made


#: Names as people give them, and what else may stand where a name should.
NAMES: list[Any] = ["q1", "q2", "A", "B", "item", "query", "system", "vote", "score", "gold"]
NAMES += ["rank", "kind", 0, 1, 2.5, None, ("a",), "\ud800", b"a", True]
CELLS: list[Any] = [1, 0, 2.5, math.nan, math.inf, None, "x", "", True, b"b", 10**30, -1, [], {}]
CELLS += [(), "yes", np.int64(3), np.array(3), pd.NA, pd.Timestamp("2020-01-01"), Anything()]
CELLS += [{1, 2}, 1 + 2j, "a" * 1000, "\0", "\ud800", Fraction(1, 3), Decimal("0.5"), range(3)]
CELLS += [10**400, np.datetime64("NaT"), np.void(b"ab"), np.longdouble("1.5")]

names = st.sampled_from(NAMES)
odd: Any = st.one_of(
    st.builds(Unspeakable),
    st.builds(deep),
    st.builds(pow, st.just(10), st.just(5000)),
    st.builds(endless, st.sampled_from([dict, list])),
    st.builds(pd.DataFrame, st.just({"q": ["c"]})),
)
cells = st.sampled_from(CELLS) | st.integers() | st.floats() | st.text(max_size=3) | odd
frames = st.builds(
    lambda columns, rows: pd.DataFrame(rows, columns=columns, dtype=object),
    st.just(["item", "query", "A"]) | st.just(["item", 0, "score"]) | st.just(["B", "gold", "A"]),
    st.lists(st.tuples(cells, cells, cells), max_size=3),
)
matrices = st.builds(
    np.array,
    st.lists(st.lists(st.sampled_from([0, 1, 0.5, math.nan, 2, -1]), min_size=3, max_size=3)),
)
values: Any = st.recursive(
    cells | frames | matrices,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(names, inner, max_size=4)
        | st.lists(st.dictionaries(names, inner, min_size=1, max_size=4), min_size=1, max_size=3)
    ),
    max_leaves=12,
)
tables: Any = st.dictionaries(names, st.lists(cells, max_size=3), max_size=5)
nested: Any = st.dictionaries(names, st.dictionaries(names, st.dictionaries(names, cells)))


def studied(data: Any, truth: Any) -> None:
    """Read objects and rank what could be read: one class of errors, whatever they are."""
    with contextlib.suppress(UsageError), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of pandas, about names of several types
        study = cs.study(data, truth=truth)
        repr(study)
        repr(cs.rank(study, samples=100))


@settings(max_examples=600, suppress_health_check=[HealthCheck.too_slow])
@given(
    data=st.one_of(values, tables, nested, frames),
    truth=st.none() | st.one_of(values, tables, nested, frames),
)
@example(data=[{"item": "a", 1: 0, 2: 1}], truth=None)
@example(data={2.5: [np.array(3), [True]]}, truth=None)
@example(data={"A": pd.DataFrame({0: ["d"], "score": [1.0]})}, truth=None)
@example(data=pd.DataFrame({"item": ["a", "b"], "score": [10**30, 1]}), truth=None)
@example(data=[{"item": "a", "S": endless(dict)}], truth=None)
@example(data=pd.DataFrame({"item": ["a"], "S": [endless(dict)]}), truth=None)
@example(data=endless(dict), truth=None)
@example(data=deep(), truth=None)
@example(data={"q": [Unspeakable()]}, truth=None)
@example(data={"item": [Unspeakable()], "S": [1]}, truth=None)
@example(data=np.array([[10**400, 1], [0, 1]], dtype=object), truth=None)
@example(data={"s": {"q": {"a": 10**400}}}, truth=None)
@example(data=pd.DataFrame({"rank": [], print: []}), truth=None)
@example(data={"item": [2, np.datetime64("NaT"), np.longdouble("1.5"), "b"]}, truth=None)
@example(data=[{"item": [np.datetime64("2020-01-01"), np.void(b"ab"), 0.5]}], truth=None)
def test_any_python_object(data: Any, truth: Any) -> None:
    studied(data, truth)


STUDY = cs.study({"item": ["a", "b"], "S1": [1, 0], "S2": [1, 1]})
TREE = [("a", "")]
#: The verbs that take what people hold: each with one thing, and nothing else that is odd.
VERBS: dict[str, Any] = {
    "tree": cs.tree,
    "by_tree": lambda data: cs.by_tree(data, tree=TREE),
    "assignments": lambda data: cs.assignments(data, tree=TREE),
    "assignments of a tree": lambda data: cs.assignments({"item": ["x"]}, tree=data),
    "by_bag": cs.by_bag,
    "by_position": lambda data: cs.by_position({"A": data, "B": ["b"]}),
    "align": lambda data: cs.align({"A": data, "B": ["b"]}),
    "with_collection": lambda data: cs.with_collection(STUDY, data),
    "with_families": lambda data: cs.with_families(STUDY, data),
    "read_boxes": cs.read_boxes,
    "detections": lambda data: cs.detections(data, data),
    "segments": lambda data: cs.segments(data, data),
    "soft": lambda data: cs.soft(data, ["a"]),
    "soft_cardinality": lambda data: cs.soft_cardinality(
        data, similarity=cs.similarity.levenshtein
    ),
    "weighted_displacement of a subject": lambda data: cs.weighted_displacement(data, ["a"]),
    "weighted_displacement of an answer": lambda data: cs.weighted_displacement(["a"], data),
    "krippendorff_alpha": cs.krippendorff_alpha,
    "fleiss_kappa": cs.fleiss_kappa,
    "cohen_kappa": lambda data: cs.cohen_kappa(data, ["a", "b"]),
    "kendall": lambda data: cs.kendall(data, [1, 2]),
    "spearman": lambda data: cs.spearman([1, 2], data),
    "tau_ap": lambda data: cs.tau_ap(data, [1, 2]),
    "weighted_tau": lambda data: cs.weighted_tau(data, [1, 2]),
    "rbo": lambda data: cs.rbo(data, [1, 2]),
    "top_overlap": lambda data: cs.top_overlap(data, [1, 2]),
    "regret": lambda data: cs.regret(data, [1, 2]),
    "holm": cs.holm,
    "paired_tests": cs.paired_tests,
    "number_relevant": cs.number_relevant,
    "majority_limits": cs.majority_limits,
    "mixed": lambda data: cs.mixed(data, [1.0]),
    "mixed weights": lambda data: cs.mixed([cs.Distribution.point(1.0)], data),
    "expected_ap": lambda data: cs.expected_ap(data, data),
    "average_precision": cs.average_precision,
    "precision_recall": lambda data: cs.precision_recall([1, 0], data),
    "roc": lambda data: cs.roc([1, 0], data),
    "auc": lambda data: cs.auc(data, [0.5, 0.25]),
    "count_posterior": lambda data: cs.count_posterior(data, 1, 1),
}


@settings(max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
@given(verb=st.sampled_from([*VERBS]), data=st.one_of(values, tables, st.lists(cells, max_size=3)))
@example(verb="tree", data=endless(list))
@example(verb="tree", data=endless(dict))
@example(verb="by_tree", data=endless(dict))
@example(verb="assignments", data=[{"w": endless(dict), math.nan: "no"}])
@example(verb="assignments", data={"item": ["a"], "category": pd.DataFrame({"q": ["c"]})})
@example(verb="by_bag", data={"A": ["\ud800"], "B": ["b"]})
@example(verb="by_bag", data={"\ud800": ["a"], "B": ["b"]})
@example(verb="by_position", data=["\ud800"])
@example(verb="weighted_displacement of a subject", data={"a": 10**400})
@example(verb="weighted_displacement of an answer", data={"a": 10**400})
@example(verb="with_collection", data=None)
@example(verb="with_collection", data=[["a"]])
@example(verb="with_families", data=[("S1", "x")])
@example(verb="tree", data={"a": pd.DataFrame({"x": [1]})})
@example(verb="tree", data=[["a", np.array([1, 2])], ["b", pd.NA]])
@example(verb="fleiss_kappa", data=[[1, 2], [3]])
@example(verb="count_posterior", data=10**400)
def test_any_object_for_any_verb(verb: str, data: Any) -> None:
    with contextlib.suppress(UsageError), warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        VERBS[verb](data)


@pytest.mark.parametrize("verb", sorted(VERBS))
@pytest.mark.parametrize("data", [endless(dict), endless(list), deep(), Unspeakable(), np.array(3)])
def test_what_has_no_end_or_no_name(verb: str, data: Any) -> None:
    with contextlib.suppress(UsageError):
        VERBS[verb](data)
