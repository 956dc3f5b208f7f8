"""Whether a file is a result that Consilience wrote, or holds what people gave."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from consilience.errors import ConsilienceError, EmptyError, InputError
from consilience.render.documents import REPORTS, teller
from consilience.render.tables import BELIEF_COLUMNS, CURVE_COLUMNS, OPTIONAL, RANK_COLUMNS

if TYPE_CHECKING:
    from consilience.formats.files import File

#: What every SQLite database begins with.
_SQLITE = b"SQLite format 3\0"
#: What every report for people says at its end.
_MADE = re.compile(rb"Consilience \d[\w.+]*[,;]")
#: How every result begins as JSON.
_VERB = re.compile(rb'\s*\{\s*"verb":')
_JSON = re.compile(rb"\s*[\[{]")
#: Endings of tables and of JSON: what stands there is no prose.
_TABLES = ("csv", "tsv", "tab", "json", "jsonl", "ndjson")
#: A page that may be replaced, beside prose.
_PAGE = "an HTML page"


def is_database(path: Path) -> bool:
    """Tell whether a file is a SQLite database."""
    with path.open("rb") as stream:
        return stream.read(len(_SQLITE)) == _SQLITE


def may_hold_labels(path: Path) -> bool:
    r"""Tell whether a file may hold labels or answers, which nobody can compute again.

    Results that Consilience wrote hold none, nor do pages and prose. Lists for labelling are looked
    at by :func:`consilience.render.unfilled.is_unfilled`.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "some.csv"
    >>> for text in ("k,precision,recall\r\n", "query,item,label\nq,a,1\n"):
    ...     _ = file.write_text(text)
    ...     print(may_hold_labels(file))
    False
    True
    """
    from consilience.formats import foreign
    from consilience.formats.files import look
    from consilience.formats.lists import HELD, why_no_list
    from consilience.formats.recognise import recognise, sample

    try:
        file = look(path)
    except EmptyError:
        return False
    except InputError:  # a table of another program, perhaps
        return True
    if _is_result(file):
        return False
    if file.encoding == "parquet" or file.ending in _TABLES:
        return True
    lines = sample(file)
    other = foreign.recognise(file, lines)
    if other is not None and other.name in {*foreign.PROSE, _PAGE}:
        return False
    if not _JSON.match(file.head) and _MADE.search(path.read_bytes()):
        return False
    try:
        recognise(file)
    except InputError:
        doubt = why_no_list(lines)
        return other is not None or doubt is None or doubt.fix in HELD
    return True


def _is_result(file: File) -> bool:
    """Tell whether a table has the columns of a result, or JSON the keys of one."""
    try:
        if file.encoding == "parquet":
            import pyarrow.parquet as pq

            return _is_header(pq.read_schema(file.path).names)
        if _VERB.match(file.head):
            told = json.loads(file.path.read_bytes())
            return isinstance(told, dict) and {"verb", "id", "version"} <= told.keys()
        first = file.head.partition(b"\n")[0].decode().strip()
        return _is_header(first.split(","))
    except (ConsilienceError, OSError, ValueError, RecursionError):
        return False


def _is_header(names: list[str]) -> bool:
    ranked = tuple(RANK_COLUMNS)
    return tuple(names) in _headers() or tuple(names[: len(ranked)]) == ranked


@cache
def _headers() -> frozenset[tuple[str, ...]]:
    """Collect the columns of all results but rankings, which may have more, and lists."""
    return frozenset(_each_header())


def _each_header() -> Iterator[tuple[str, ...]]:
    from consilience.render import boxes_report, segments_report, soft_report

    yield tuple(CURVE_COLUMNS)
    for left_out in ((), OPTIONAL, OPTIONAL[:1], OPTIONAL[1:]):
        yield tuple(name for name in BELIEF_COLUMNS if name not in left_out)
    for verb in {*REPORTS} - {"next"}:
        yield tuple(teller(verb).COLUMNS)
    for columns in (soft_report.ITEMS, segments_report.COLUMNS, boxes_report.COLUMNS):
        yield tuple(columns)
