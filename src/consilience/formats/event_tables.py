"""Tables of events: CSV and TSV with a column for the onset and one for the offset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Codes, Text
from consilience.errors import EmptyError, Problem, Problems, quote
from consilience.formats import apart, roles
from consilience.formats.aside import check_apart, check_pooled
from consilience.formats.boxes_text import check_header
from consilience.formats.recognise import Recognised, cells, sample
from consilience.formats.rows import ONLY_QUERY, Kind, Rows, Source
from consilience.formats.segment_text import as_text, end_of, wrong_times

if TYPE_CHECKING:
    from consilience.formats.cells import Sheet
    from consilience.formats.files import File

FORM = "event table"
#: What a column holds → the names it may have (in lower case, blanks and hyphens as ``_``).
NAMES: dict[str, tuple[str, ...]] = {
    "start": ("onset", "start", "start_time", "begin", "begin_time", "tmin", "onset_time"),
    "end": ("offset", "end", "end_time", "stop", "stop_time", "tmax", "offset_time"),
    "duration": ("duration", "dur", "length"),
    "label": ("event_label", "label", "event", "class", "speaker", "category", "type", "sound"),
    "recording": (
        *("filename", "file", "file_name", "recording", "audio", "audio_file", "clip", "track"),
        *("document", "doc", "query", "session", "video", "uri", "document_id", "doc_id", "docid"),
        *("text_id", "sentence", "sentence_id", "sent_id", "sent", "paragraph", "paragraph_id"),
        *("page", "page_id", "utterance", "utterance_id", "utt_id", "video_id", "clip_id"),
        *("audio_id", "recording_id", "file_id", "session_id"),
    ),
    "respondent": ("system", "annotator", "respondent", "run", "model", "rater", "coder"),
    "score": ("score", "confidence", "probability"),
}
_DELIMITERS = (",", "\t", ";")
#: What a role that the user may map is called here.
_MAPPED = {"query": "recording", "respondent": "respondent"}


def recognise(
    lines: Sequence[str], ending: str, given: Mapping[str, str] | None = None
) -> Recognised | None:
    """Tell a table of events from its header and its first rows.

    ``given`` maps roles to columns: only queries and respondents can be mapped in such a table.
    """
    if not {*(given or {})} <= {*_MAPPED}:
        return None
    if lines[0].lstrip().startswith(("{", "[", "<")):  # a whole document may be one line
        return None
    for delimiter in _DELIMITERS:
        if not _is_timed(cells(lines[0], delimiter)):
            continue
        body = apart.body_of(lines, delimiter, ending)
        if body is not None and apart.holds_events(body, columns_of(body.header, given)):
            return Recognised(FORM, f"header line {', '.join(body.header)}", delimiter)
    return None


def _is_timed(header: Sequence[str]) -> bool:
    found = columns_of(header)
    return "start" in found and ("end" in found or "duration" in found)


def columns_of(header: Sequence[str], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """Tell which column holds what; of several the name that is listed first counts.

    ``given`` maps roles to columns.

    Examples
    --------
    >>> columns_of(["filename", "onset", "offset", "event_label"])
    {'start': 'onset', 'end': 'offset', 'label': 'event_label', 'recording': 'filename'}
    """
    plain = {apart.plain(name): name for name in reversed(header)}
    found = {}
    for role, names in NAMES.items():
        known = [plain[name] for name in names if name in plain]
        if known:
            found[role] = known[0]
    for role, name in (given or {}).items():
        if name in header:
            found = {one: other for one, other in found.items() if other != name}
            found[_MAPPED[role]] = name
    return found


def read(
    file: File, *, kind: Kind, why: str, columns: Mapping[str, str] | None = None
) -> list[Rows]:
    """Read a table of events; ``columns`` are those that the user mapped."""
    from consilience.formats.sheets import read_delimited

    first = sample(file)[0]
    delimiter = next((mark for mark in _DELIMITERS if _is_timed(cells(first, mark))), ",")
    sheet = read_delimited(file, delimiter=delimiter, form=FORM, why=why)
    check_header(sheet)
    role = columns_of(sheet.table.column_names, columns)
    column = {name: _texts(sheet, name_of) for name, name_of in role.items()}
    problems = Problems(list(sheet.problems.kept), sheet.problems.total)
    items, kept = _items(sheet, column, problems)
    score = _scores(sheet, column.get("score"), problems)
    problems.sorted().raise_any()
    places = [column[name] for name in ("recording", "respondent") if name in column]
    unused = [name for name in sheet.table.column_names if name not in role.values()]
    keys = [(*(some[row] for some in places), item) for row, item in zip(kept, items, strict=True)]
    check_apart(sheet, keys, kept, unused)
    mapped = {_MAPPED[one] for one in columns or {} if one in _MAPPED}
    if "recording" not in {*role} | mapped:  # of a mapping that fits no column others say so
        check_pooled(sheet, role.values(), "query")
    if not len(kept):
        wrong = Problem(file.name, None, "there is no event in it", "leave it out")
        raise EmptyError(wrong, FORM, sheet.table.column_names)
    return [_rows(sheet, role, column, items, kept, score, kind)]


def _texts(sheet: Sheet, name: str) -> list[str]:
    values: list[str] = sheet.table.column(name).to_pylist()
    return [value.strip() for value in values]


def _items(
    sheet: Sheet, column: Mapping[str, list[str]], problems: Problems
) -> tuple[list[str], Any]:
    """Write the segments, and tell which rows have one: a file without events may have a row."""
    starts, labels = column["start"], column.get("label")
    ends = column.get("end", column.get("duration", []))
    lasting = "end" not in column
    items, kept = [], []
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        label = labels[row] if labels is not None else ""
        if not start and not end and not label:  # a recording in which nothing happens
            continue
        found = _times(start, end, lasting)
        mistake = found if isinstance(found[0], str) else wrong_times(*found, negative=False)
        if mistake is not None:
            problems.add(sheet.problem(row, str(mistake[0]), str(mistake[1])))
            continue
        items.append(as_text(float(found[0]), float(found[1]), label))
        kept.append(row)
    return items, np.array(kept, np.int64)


def _times(start: str, end: str, lasting: bool) -> tuple[Any, Any]:
    """Read the times of a row; where one is no number, what is wrong and how to mend it."""
    for name, text in (("start", start), ("duration" if lasting else "end", end)):
        value = roles.read_number(text)
        if value is None or value != value:
            return f"{name} must be a number, found {quote(text)}", "write seconds such as 12.5"
    if lasting and float(end) < 0:
        return f"duration is negative: {quote(end)}", "write how long it lasts in seconds"
    return float(start), end_of(start, end) if lasting else float(end)


def _scores(sheet: Sheet, texts: list[str] | None, problems: Problems) -> Any:
    if texts is None:
        return None
    values = [roles.read_score(text) for text in texts]
    for row, value in enumerate(values):
        if value is None:
            found = f"score must be a number, found {quote(texts[row])}"
            problems.add(sheet.problem(row, found, "write a number, or leave the cell empty"))
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _rows(
    sheet: Sheet,
    role: Mapping[str, str],
    column: Mapping[str, list[str]],
    items: list[str],
    kept: Any,
    score: Any,
    kind: Kind,
) -> Rows:
    every = range(len(sheet.table))
    recording = [text or ONLY_QUERY for text in column.get("recording", [ONLY_QUERY] * len(every))]
    who = [text or sheet.stem for text in column.get("respondent", [sheet.stem] * len(every))]
    respondent = Codes.of(who)
    told = roles.kind_of(role.get("respondent"), kind)
    unused = [name for name in sheet.table.column_names if name not in role.values()]
    notes = [f"columns not used: {', '.join(unused)}"] if unused else []
    locate = sheet.locate
    return Rows(
        Source(
            *(sheet.name, FORM, sheet.why, len(items), tuple(notes)),
            columns=tuple(sheet.table.column_names),
        ),
        Codes.of(recording[row] for row in kept),
        Codes(respondent.code[kept], respondent.names),
        Text.of(items),
        kind=(kind if kind == "gold" else told,) * len(respondent.names),
        family=(None,) * len(respondent.names),
        silence="no",
        score=None if score is None else score[kept],
        asked=tuple(dict.fromkeys(zip(who, recording, strict=True))),
        locate=None if locate is None else lambda row: locate(int(kept[row])),
    )
