"""What the rows of an archive must say together, beside having the right types.

The tables of a database keep such laws because the program that fills them does. An archive may
have been written by anybody: what the program would never have stored is refused here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from consilience.errors import ConsilienceError, UsageError
from consilience.formats.rows import KINDS
from consilience.store import schema as s
from consilience.store.archive_cells import (
    WrongError,
    are_counts,
    are_texts,
    check,
    dense,
)
from consilience.store.people import LONGEST
from consilience.store.projects import Project, checked_name
from consilience.store.question import SINGLE, Question, checked, question_of
from consilience.store.results import key_of
from consilience.study.repeats import DUPLICATES

Columns = Mapping[str, Sequence[Any]]
#: What pictures can be.
MEDIA = ("image/png", "image/jpeg", "image/gif", "image/webp")
_SILENCES = ("no", "unknown")
#: The highest version that a project can come with.
_VERSION = 2**30
#: What is known of the columns of a source that a file was read into.
_LAYOUT = ("chunks", "numbered", "negative")


@dataclass(slots=True)
class Known:
    """What earlier rows have told; numbers of rows count from 1."""

    version: int = 0
    question: Question = field(default_factory=Question)
    files: dict[str, tuple[str, int]] = field(default_factory=dict)
    sources: list[dict[str, Any]] = field(default_factory=list)
    names: dict[str, set[Any]] = field(default_factory=dict)
    places: dict[str, dict[Any, int]] = field(default_factory=dict)
    dags: list[bool] = field(default_factory=list)
    categories: list[tuple[int, int]] = field(default_factory=list)
    tasks: int = 0
    heads: set[int] = field(default_factory=set)
    groups: dict[tuple[int, int, int], bool] = field(default_factory=dict)

    def fresh(self, table: str, values: Sequence[Any], what: str) -> None:
        """See that values are not in a table twice."""
        seen = self.names.setdefault(table, set())
        for row, value in enumerate(values):
            if value in seen:
                raise WrongError(f"{what} is there twice", row)
            seen.add(value)

    def dense(self, table: str, groups: Sequence[Any], places: Sequence[int]) -> None:
        """See that places count from 0 within each group."""
        dense(zip(groups, places, strict=True), self.places.setdefault(table, {}))


def pairs(ones: Sequence[int], others: Sequence[int]) -> list[int]:
    """Write two numbers as one."""
    return [(one << 32) | other for one, other in zip(ones, others, strict=True)]


def check_project(known: Known, columns: Columns) -> None:
    """Check the one row of the project, and what it asks."""
    if len(columns["name"]) != 1:
        raise WrongError("an archive holds one project")
    check(columns["name"], _is_name, "name cannot be that of a project")
    check(columns["version"], lambda cell: 0 <= cell <= _VERSION, "version is out of range")
    known.version = columns["version"][0]
    task = columns["task"][0] or {}
    check([task], _is_task, "task does not say what is labelled")
    try:
        known.question = question_of(Project(0, "", "", "", 0, task))
        checked(known.question)
    except UsageError as error:
        raise WrongError(f"task does not say what is labelled: {error}") from None


def _is_task(task: Any) -> bool:
    """Tell whether settings of labelling have the types of a question's."""
    if not isinstance(task, dict):
        return False
    usual = Question()
    for name, value in task.items():
        here = getattr(usual, name, None)
        if name in Question.__dataclass_fields__ and not (
            are_texts(value) if isinstance(here, tuple) else type(value) is type(here)
        ):
            return False
    return True


def _is_name(name: str) -> bool:
    try:
        return checked_name(name, "project") == name
    except UsageError:
        return False


def check_file(known: Known, columns: Columns) -> None:
    """Check pictures: each comes once."""
    known.fresh("file", columns["sha256"], "a picture")
    check(columns["media_type"], MEDIA.__contains__, "media_type is no kind of picture")
    known.files |= {
        sha256: (media, size)
        for sha256, media, size in zip(
            columns["sha256"], columns["media_type"], columns["bytes"], strict=True
        )
    }


def check_source(known: Known, columns: Columns) -> None:
    """Check sources: what was read, and how it lay in memory."""
    check(columns["role"], s.ROLES.__contains__, "role is not known")
    check(columns["silence"], _SILENCES.__contains__, "silence is not known")
    check(columns["rows"], lambda cell: cell >= 0, "rows is below 0")
    for name in ("notes", "columns", "who"):
        check(columns[name], are_texts, f"{name} is no list of texts")
    check(columns["options"], _are_options, "options are not those of reading")
    for row, (role, has, first) in enumerate(
        zip(columns["role"], columns["has"], columns["first_id"], strict=True)
    ):
        if not are_texts(has) or not {*has} <= {*s.VALUES} or len({*has}) < len(has):
            raise WrongError("has does not name columns", row)
        if first is not None and first > len(known.sources):
            raise WrongError("first_id does not name an earlier source", row)
        if role == "labels" and any(one["role"] == "labels" for one in known.sources):
            raise WrongError("labels of the app come once", row)
        about = {"role": role, "has": has, "layout": columns["layout"][row]}
        if role != "labels" and not _is_layout(about):
            raise WrongError("layout does not tell how the columns lay", row)
        known.sources.append(about)


def _are_options(options: Any) -> bool:
    if not isinstance(options, dict):
        return False
    mapped, encoding = options.get("columns", {}), options.get("encoding")
    return (
        options.get("duplicates", "error") in DUPLICATES
        and isinstance(mapped, dict)
        and are_texts([*mapped.values()])
        and (encoding is None or isinstance(encoding, str))
    )


def _is_layout(source: dict[str, Any]) -> bool:
    layout, has = source["layout"], source["has"]
    if not isinstance(layout, dict) or not {*_LAYOUT} <= {*layout}:
        return False
    chunks, negative = layout["chunks"], layout["negative"]
    if not are_counts(chunks, 2**31) or not isinstance(layout["numbered"], bool):
        return False
    words = layout.get("categories", [])
    if not are_texts(words) or len({*words}) < len(words):
        return False
    if ("category" in has) != ("categories" in layout) or not isinstance(negative, dict):
        return False
    floats = {"vote", "grade", "score", "probability"} & {*has}
    return {*negative} <= floats and all(are_counts(one, sum(chunks)) for one in negative.values())


def check_respondent(known: Known, columns: Columns) -> None:
    """Check respondents: of a name and kind there is one."""
    check(columns["kind"], KINDS.__contains__, "kind is not known")
    check(columns["name"], _can_answer, "name cannot be that of a respondent")
    check(columns["seed"], lambda cell: cell >= 0, "seed is below 0")
    named = [*zip(columns["name"], columns["kind"], strict=True)]
    known.fresh("respondent", named, "a respondent")


def _can_answer(name: str) -> bool:
    """Tell whether files can name somebody so; that it is text was seen before."""
    return len(name.encode()) <= LONGEST


def check_voice(known: Known, columns: Columns) -> None:
    """Check who speaks in a source: in order, each once."""
    known.dense("voice", columns["source_id"], columns["place"])
    check(columns["silence"], _SILENCES.__contains__, "silence is not known")
    known.fresh("voice", pairs(columns["source_id"], columns["respondent_id"]), "a voice")


def check_query(known: Known, columns: Columns) -> None:
    """Check queries or items: pictures are there. That names differ the database sees."""
    check(columns["file"], known.files.__contains__, "file names no picture of the archive")


def check_item(known: Known, columns: Columns) -> None:
    """Check items; a picture has the type of its file."""
    check_query(known, columns)
    for row, (sha256, media) in enumerate(zip(columns["file"], columns["media_type"], strict=True)):
        if media is not None and (sha256 is None or media != known.files[sha256][0]):
            raise WrongError("media_type is not that of the picture", row)


def check_posed(known: Known, columns: Columns) -> None:
    """Check the queries of a source: in order, each once."""
    known.dense("posed", columns["source_id"], columns["place"])
    known.fresh("posed", pairs(columns["source_id"], columns["query_id"]), "a query of a source")


def check_asked(known: Known, columns: Columns) -> None:
    """Check who was asked what: somebody who speaks in the source."""
    known.dense("asked", columns["source_id"], columns["place"])
    voices = known.names.get("voice", set())
    said = pairs(columns["source_id"], columns["respondent_id"])
    check(said, voices.__contains__, "respondent_id names nobody who speaks in the source")


def check_tree(known: Known, columns: Columns) -> None:
    """Check trees."""
    check(columns["notes"], are_texts, "notes is no list of texts")
    known.dags += columns["dag"]


def check_category(known: Known, columns: Columns) -> None:
    """Check categories: in order, each once in its tree."""
    known.dense("category", columns["tree_id"], columns["place"])
    check(columns["name"], lambda name: bool(name.strip()), "name is empty")
    known.fresh("category", [*zip(columns["tree_id"], columns["name"], strict=True)], "a category")
    known.categories += zip(columns["tree_id"], columns["place"], strict=True)


def check_category_parent(known: Known, columns: Columns) -> None:
    """Check links: a parent stands before its children, in the same tree."""
    known.dense("category_parent", columns["category_id"], columns["place"])
    links = [*zip(columns["category_id"], columns["parent_id"], strict=True)]
    known.fresh("category_parent", links, "a link")
    for row, (child, parent) in enumerate(links):
        tree, place = known.categories[child - 1]
        above, before = known.categories[parent - 1]
        if tree != above or before >= place:
            raise WrongError("parent_id names no category before it in its tree", row)
        if columns["place"][row] and not known.dags[tree - 1]:
            raise WrongError("a category of a tree has two parents", row)


def check_task(known: Known, columns: Columns) -> None:
    """Check tasks: one item, or more where that is asked."""
    kind = known.question.kind
    for row, (item, other) in enumerate(zip(columns["item_id"], columns["other_id"], strict=True)):
        if (other is None) != (kind in SINGLE) or (kind == "pairs" and item == other):
            raise WrongError(f"other_id does not fit a question about {kind}", row)
        if kind != "ranking" or item == other:  # of items to put in order one stands for all
            known.heads.add(known.tasks + row + 1)
        if kind == "ranking":
            group = (columns["query_id"][row], columns["round"][row], other)
            known.groups[group] = known.groups.get(group, False) or item == other
    known.tasks += len(columns["item_id"])
    check(columns["round"], lambda cell: cell >= 0, "round is below 0")
    check(columns["place"], lambda cell: cell >= 0, "place is below 0")
    check(columns["probability"], lambda cell: 0 < cell <= 1, "probability is not within (0, 1]")


def check_assignment(known: Known, columns: Columns) -> None:
    """Check who has what to do: each once, and a whole task."""
    check(columns["task_id"], known.heads.__contains__, "task_id names a part of a task")
    known.fresh("assignment", pairs(columns["task_id"], columns["respondent_id"]), "an assignment")


def check_result(known: Known, columns: Columns) -> None:
    """Check stored results: they can be found, and shown."""
    check(columns["version"], lambda cell: 0 <= cell <= known.version, "version is out of range")
    known.fresh("result", [*zip(columns["key"], columns["version"], strict=True)], "a result")
    for row in range(len(columns["id"])):
        told = {name: column[row] for name, column in columns.items()}
        found = _wrong_result(told)
        if found:
            raise WrongError(found, row)


def _wrong_result(told: Mapping[str, Any]) -> str | None:
    """Say what is wrong with a stored result; None where nothing is."""
    try:
        payload = json.loads(told["payload"])
    except (ValueError, RecursionError):
        return "payload is no JSON"
    settings = {} if told["settings"] is None else told["settings"]
    if not isinstance(payload, dict) or not isinstance(settings, dict):
        return "payload or settings are no objects"
    if key_of(told["verb"], settings) != told["key"]:
        return "key is not that of the verb and its settings"
    stamped = (payload.get("verb"), payload.get("id"), payload.get("version"))
    if stamped != (told["verb"], told["id"], told["made_by"]):
        return "payload is that of another result"
    return _unshown(payload)


def _unshown(payload: dict[str, Any]) -> str | None:
    """Say why a result cannot be shown; None where it can."""
    from consilience.render import VERBS, parts

    if "html" not in VERBS.get(payload["verb"], ()):
        return None
    wrong = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, AssertionError)
    try:
        parts(payload)
    except (*wrong, RecursionError, ConsilienceError) as error:
        return f"payload cannot be shown ({type(error).__name__})"
    return None


#: What is checked of each table's columns, the answers aside.
CHECKS: dict[str, Callable[[Known, Columns], None]] = {
    "project": check_project,
    "file": check_file,
    "source": check_source,
    "respondent": check_respondent,
    "voice": check_voice,
    "query": check_query,
    "item": check_item,
    "posed": check_posed,
    "asked": check_asked,
    "tree": check_tree,
    "category": check_category,
    "category_parent": check_category_parent,
    "task": check_task,
    "assignment": check_assignment,
    "result": check_result,
}
