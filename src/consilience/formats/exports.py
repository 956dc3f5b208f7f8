"""Labels as labelling tools export them: Label Studio's tasks, Argilla's records, our own queue.

Each task or record becomes a flat row for everybody who labelled it; one that nobody has labelled
becomes a row without a label. What was sent along comes home with it: the query and the item, the
probability with which it was drawn and the round. Label Studio keeps them in a task's ``data``,
Argilla in a record's ``fields`` and ``metadata``. From there on a row is a row of any table.

What models suggest (predictions, suggestions) is no label.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from consilience.errors import UsageError
from consilience.formats.lists import LABELS
from consilience.formats.roles import assign

#: Where a result of Label Studio holds what was said of the item as a whole.
_WHOLE = ("choices", "rating", "number")
#: How the flat form of Argilla's records calls what people answered to a question.
_RESPONSES = ".responses"
#: What the flat form adds to a record beside fields, metadata and questions.
_ADDED = ("id", "status", "_server_id")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Export:
    """The labels of an export as flat rows: what it was taken for, and what it asked.

    ``marks`` tells that people marked parts of the items, such as spans or boxes; ``guesses`` what
    models suggested is called, where they did and nobody answered.
    """

    form: str
    rows: list[Row]
    questions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    marks: bool = False
    guesses: str = ""


def exported(data: object) -> Export | None:
    """Take the labels out of what a labelling tool exports; None where it is something else.

    Examples
    --------
    >>> said = {"from_name": "label", "type": "choices", "value": {"choices": ["yes"]}}
    >>> task = {"data": {"item": "d1"}, "annotations": [{"completed_by": 7, "result": [said]}]}
    >>> exported([task]).rows
    [{'item': 'd1', 'annotator': '7', 'label': 'yes'}]
    >>> exported([{"item": "d1"}])
    """
    if isinstance(data, Mapping):
        if "queue" not in data or not _are_objects(data.get("tasks")):
            return None
        tasks = [{k: v for k, v in task.items() if k != "order"} for task in data["tasks"]]
        return Export("labelling queue", tasks)
    if not isinstance(data, list) or not _are_objects(data):
        return None
    for form, is_one, answers_to, guesses in _TOOLS:
        if all(is_one(entry) for entry in data):
            return _of_entries(form, data, answers_to, guesses)
    return None


def _of_entries(form: str, entries: Sequence[Row], answers_to: _Reader, guesses: str) -> Export:
    rows: list[Row] = []
    questions: dict[str, None] = {}
    for entry in entries:
        sent, answers = answers_to(entry)
        for who, said in answers or [("", {})]:
            rows.append({**sent, "annotator": who, **said})
            questions.update(dict.fromkeys(said))
    if not any(row["annotator"] for row in rows):
        rows = [{name: cell for name, cell in row.items() if name != "annotator"} for row in rows]
    guessed = any(cell and guesses in name for entry in entries for name, cell in entry.items())
    called = f"{guesses.strip('.')}s"
    notes = (f"{called} are not labels: not used",) if guessed else ()
    marks = answers_to is _of_task and any(map(_has_marks, entries))
    alone = called if guessed and not questions else ""
    return Export(form, rows, tuple(questions), notes, marks, alone)


def settled(export: Export, columns: Mapping[str, str]) -> Export:
    """Call the labels by a name that is known: the only question's, or one that the user mapped.

    Parameters
    ----------
    export
        The labels.
    columns
        Role → column, as the user mapped them.
    """
    if export.marks and not export.questions:
        raise UsageError(
            f"{export.form}: it marks parts of a text or a picture, and labels no item as a whole "
            "(fix: export spans as a table with columns document, start, end, label, and boxes as "
            "COCO)"
        )
    drawn = any("probability" in row for row in export.rows)
    if export.guesses and not drawn:
        raise UsageError(
            f"{export.form}: it holds {export.guesses} and no label: nobody has answered (fix: "
            f"label the items; for the {export.guesses}, {LABELS})"
        )
    asked = [name for name in export.questions if name not in columns.values()]
    names = [*dict.fromkeys(name for row in export.rows for name in row)]
    given = {role: name for role, name in columns.items() if name in names}
    known = assign(names, given)
    if not asked or any(role in known for role in ("vote", "grade", "category")):
        return export
    if len(asked) > 1:
        listed = ", ".join(map(repr, asked))
        raise UsageError(
            f"people answered to {listed}, and none of them is called label (fix: say which one "
            f"holds the labels: --columns label={asked[0]})"
        )
    called = [
        {("label" if name == asked[0] else name): cell for name, cell in row.items()}
        for row in export.rows
    ]
    return replace(export, rows=called, questions=("label",))


def _are_objects(data: object) -> bool:
    """Check whether this is a list of objects as JSON has them: their names are text."""
    return isinstance(data, list) and bool(data) and all(map(_is_object, data))


def _is_object(value: object) -> bool:
    return isinstance(value, Mapping) and all(isinstance(name, str) for name in value)


def _is_task(entry: Row) -> bool:
    said = [entry[name] for name in ("annotations", "completions") if name in entry]
    return _is_object(entry.get("data")) and all(_is_list(one) for one in said)


def _is_record(entry: Row) -> bool:
    parts = [entry.get(name) or {} for name in ("fields", "metadata", "responses")]
    return "fields" in entry and all(map(_is_object, parts))


def _is_flat_record(entry: Row) -> bool:
    asked = [name for name in entry if name.endswith(_RESPONSES)]
    lists = all(entry[name] is None or _is_list(entry[name], object) for name in asked)
    return bool(asked) and lists and all(f"{name}.users" in entry for name in asked)


def _is_list(value: object, of: type = Mapping) -> bool:
    return isinstance(value, list) and all(isinstance(one, of) for one in value)


def _of_task(task: Row) -> _Answers:
    """Give what was sent with a task of Label Studio, and its annotations but those skipped."""
    answers = []
    for one in task.get("annotations") or task.get("completions") or []:
        if one.get("was_cancelled") or one.get("skipped"):
            continue
        who = one.get("completed_by")
        if isinstance(who, Mapping):
            who = who.get("email") or who.get("username") or who.get("id")
        results = one["result"] if _is_list(one.get("result")) else []
        said = {str(r.get("from_name") or "label"): _whole(r.get("value")) for r in results}
        known = {name: cell for name, cell in said.items() if cell is not None}
        called = _called(results)
        answers.append((called or ("" if who is None else str(who)), known))
    return _single(task["data"]), answers


def _has_marks(task: Row) -> bool:
    """Tell whether somebody marked a part of a task of Label Studio."""
    said = task.get("annotations") or task.get("completions") or []
    results = [one for each in said if _is_list(each.get("result")) for one in each["result"]]
    return any(_is_mark(one.get("value")) for one in results)


def _is_mark(value: object) -> bool:
    return isinstance(value, Mapping) and bool({"start", "x", "points", "rle"} & value.keys())


def _called(results: Sequence[Row]) -> str:
    """Give the name that an annotation itself gives its annotator, as our own exports do."""
    for one in results:
        value = one.get("value")
        text = value.get("text") if isinstance(value, Mapping) else None
        if one.get("from_name") == "annotator" and isinstance(text, list) and len(text) == 1:
            return str(text[0])
    return ""


def _whole(value: object) -> Any:
    """Give what a result says of the item as a whole; None where it marks a part, or comments."""
    if not isinstance(value, Mapping) or _is_mark(value):
        return None
    said = next((value[name] for name in _WHOLE if name in value), None)
    return _plain(said)


def _of_record(record: Row) -> _Answers:
    """Give what was sent with a record of Argilla, and what everybody answered."""
    by_user: dict[str, Row] = {}
    for question, answers in (record.get("responses") or {}).items():
        for one in answers if _is_list(answers) else []:
            if one.get("value") is not None and one.get("status") in (None, "submitted"):
                said = by_user.setdefault(str(one.get("user_id") or ""), {})
                said[question] = _plain(one["value"])
    sent = {**(record.get("fields") or {}), **(record.get("metadata") or {})}
    return _single(sent), [*by_user.items()]


def _of_flat_record(record: Row) -> _Answers:
    """Give the same of a record in Argilla's flat form."""
    responses, taken = {}, []
    for name in [name for name in record if name.endswith(_RESPONSES)]:
        users = record.get(f"{name}.users") or []
        status = record.get(f"{name}.status") or [None] * len(users)
        said = zip(record[name] or [], users, status, strict=False)
        question = name.removesuffix(_RESPONSES)
        responses[question] = [
            {"value": value, "user_id": who, "status": how} for value, who, how in said
        ]
        taken.append(f"{question}.")
    sent = {
        name: cell
        for name, cell in record.items()
        if name not in _ADDED and not name.startswith(tuple(taken)) and ".suggestion" not in name
    }
    return _of_record({"fields": sent, "responses": responses})


def _plain(value: Any) -> Any:
    """Write several values as one, and keep one as it is."""
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _single(sent: Mapping[str, Any]) -> Row:
    """Keep single values: lists and objects beside them are for the tool."""
    return {name: cell for name, cell in sent.items() if not isinstance(cell, (Mapping, list))}


#: What was sent along, and (who, question → answer) of everybody who answered.
_Answers = tuple[Row, list[tuple[str, Row]]]
_Reader = Callable[[Row], _Answers]
#: The tools: how an entry is told, how it is read, and where a model's guesses stand.
_TOOLS: tuple[tuple[str, Callable[[Row], bool], _Reader, str], ...] = (
    ("Label Studio export", _is_task, _of_task, "prediction"),
    ("Argilla export", _is_record, _of_record, "suggestion"),
    ("Argilla export", _is_flat_record, _of_flat_record, ".suggestion"),
)
