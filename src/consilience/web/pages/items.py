"""Items: the most disputed or most telling first, everybody's answers side by side."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse

from consilience.errors import UsageError
from consilience.formats.drawn import NOBODY
from consilience.formats.rows import ONLY_QUERY
from consilience.store.content import View, item_view, query_view
from consilience.store.items import ask_about, contents, has_picture, history, is_asked
from consilience.store.projects import Project
from consilience.study.condition import no_truth
from consilience.web.access import RefusedError
from consilience.web.frame import Context, Ctx, Data, done, page, wants_json
from consilience.web.items_index import JUDGED, SORTS, Index, Wanted, index_of
from consilience.web.pictures import Sha256, sent_picture
from consilience.web.results import cannot_tell

router = APIRouter()

#: How many items a page shows, and how many respondents beside each other.
SIZE, WIDE = 50, 40
#: Seconds that a page waits for the table of its items, and a program.
PATIENCE, LONGER = 1.0, 5.0
#: What a program is told that came too early.
EARLY = "all answers are still being read (fix: ask again in a second)"
#: How many queries the page offers to choose from; others are typed.
OFFERED = 500
#: Who stands first: those who know, then those who are tested.
_KINDS = ("gold", "person", "llm", "system")
#: Numbers of rows in the database.
Number = Annotated[int, Path(ge=1, lt=2**31)]
#: What is typed to find something.
Words = Annotated[str, Query(max_length=1000)]


@page(router, "/p/{slug}/items", template="items.html")
def items(
    ctx: Ctx,
    slug: str,
    sort: Annotated[str, Query(max_length=40)] = "influence",
    reverse: bool = False,
    query: Words = "",
    text: Words = "",
    judged: Annotated[str, Query(max_length=10)] = "",
    split: bool = False,
    number: Annotated[int, Query(alias="page", ge=1, le=10**9)] = 1,
    beside: Annotated[int, Query(ge=1, le=10**6)] = 1,
) -> Data:
    """List the items page by page, with what everybody says of them."""
    project = ctx.project(slug)
    wanted = Wanted(sort, reverse, query, text, judged, split)
    made: Data = {
        "project": {"slug": project.slug, "name": project.name, "version": project.version},
        "chosen": _chosen(wanted, beside),
        "wanted": asdict(wanted),
        "sorts": list(SORTS),
        "judged": list(JUDGED),
        "asked_page": number,
        **_nothing(),
    }
    try:
        index = index_of(ctx.db, project, patience=_patience(ctx))
    except UsageError as wrong:
        return made | {"error": str(wrong), "cannot_tell": cannot_tell(ctx, project)}
    if index is None:
        return made | {"waiting": True} | _early(ctx)
    made |= _about(index)
    try:
        found = index.select(wanted)
    except UsageError as wrong:
        return made | {"error": str(wrong), "status": 422}
    pages = max(1, -(-len(found) // SIZE))
    number = min(number, pages)
    shown = index.table.rows(found[(number - 1) * SIZE : number * SIZE])
    columns, group = _columns(index, beside)
    return made | {
        "items": _rows(ctx, project, index, shown, columns),
        "respondents": [index.respondents[code] for code in columns],
        "groups": _groups(index, columns),
        "beside": group,
        "paging": {"page": number, "pages": pages, "all": len(found), "size": SIZE},
    }


def _nothing() -> Data:
    return {
        "items": [],
        "respondents": [],
        "groups": [],
        "beside": {"page": 1, "pages": 1, "all": 0},
        "paging": {"page": 1, "pages": 1, "all": 0, "size": SIZE},
        "every": 0,
        "queries": [],
        "by_query": False,
        "measure": None,
        "reason": None,
        "caveat": None,
        "unmatched": None,
        "believed": False,
        "top": None,
        "error": None,
        "waiting": False,
        "cannot_tell": [],
    }


def _patience(ctx: Context) -> float:
    """Let a program wait; a page says soon that it reads, and asks again by itself."""
    return LONGER if wants_json(ctx.request) else PATIENCE


def _early(ctx: Context) -> Data:
    """Tell a program to come again."""
    return {"error": EARLY, "status": 503} if wants_json(ctx.request) else {}


def _chosen(wanted: Wanted, beside: int) -> Data:
    """Give what the address holds: what differs from what is usual."""
    usual = asdict(Wanted())
    said = {name: value for name, value in asdict(wanted).items() if value != usual[name]}
    told = {name: "true" if value is True else value for name, value in said.items()}
    return told | ({"beside": beside} if beside > 1 else {})


def _about(index: Index) -> Data:
    study = index.table.study
    return {
        "every": len(index.table),
        "queries": list(study.queries[:OFFERED]),
        "by_query": study.queries != (ONLY_QUERY,),
        "measure": index.table.measure,
        "reason": index.table.reason,
        "caveat": _caveat(index),
        "unmatched": index.table.unmatched,
        "believed": index.believed,
        "top": index.top,
    }


def _caveat(index: Index) -> str | None:
    """Say that belief is a guess where nobody knows what is true."""
    lacking = no_truth(index.table.study)
    if lacking is None or not index.table.measure:
        return None
    return "no ground truth was used: belief is how far the systems agree, not what is right"


def _columns(index: Index, beside: int) -> tuple[list[int], Data]:
    """Choose the respondents that stand side by side: those who judge first."""
    kinds = [one["kind"] for one in index.respondents]
    order = sorted(range(len(kinds)), key=lambda code: (_KINDS.index(kinds[code]), code))
    order = [code for code in order if index.respondents[code]["name"] != NOBODY]
    pages = max(1, -(-len(order) // WIDE))
    beside = min(beside, pages)
    some = order[(beside - 1) * WIDE : beside * WIDE]
    return some, {"page": beside, "pages": pages, "all": len(order)}


def _groups(index: Index, columns: list[int]) -> list[Data]:
    """Say how many columns each kind of respondent has."""
    kinds = [index.respondents[code]["kind"] for code in columns]
    return [{"kind": kind, "columns": kinds.count(kind)} for kind in _KINDS if kind in kinds]


def _rows(
    ctx: Context, project: Project, index: Index, shown: list[Data], columns: list[int]
) -> list[Data]:
    """Give the rows of a page, with what the database has to show of their items."""
    queries, items = contents(
        *(ctx.db, project),
        queries=[one["query"] for one in shown],
        items=[one["item"] for one in shown],
    )
    return [
        {
            **one,
            "answers": [said[code] for code in columns],
            "text": items[one["item"]].text,
            "file": items[one["item"]].file,
            "address": _address(project, queries[one["query"]], items[one["item"]]),
        }
        for one, said in zip(shown, map(index.answers, shown), strict=True)
    ]


def _address(project: Project, query: View, item: View) -> str:
    return f"/p/{project.slug}/items/{query.id}/{item.id}"


@page(router, "/p/{slug}/items/{query}/{item}", template="item.html")
def item(ctx: Ctx, slug: str, query: Number, item: Number) -> Data:
    """Tell all that was said of one item, by whom and when."""
    project = ctx.project(slug)
    asked, found = _found(ctx, project, query, item)
    said = history(ctx.db, project, query_id=query, item_id=item)
    index, reading = _index(ctx, project)
    now = None if index is None else _now(index, asked.name, found.name)
    return {
        "reading": reading,
        **(_early(ctx) if reading else {}),
        "project": {"slug": project.slug, "name": project.name, "version": project.version},
        "query": asdict(asked),
        "item": asdict(found),
        "by_query": asked.name != ONLY_QUERY,
        "now": now,
        "measure": None if index is None else index.table.measure,
        "caveat": None if index is None else _caveat(index),
        "waiting": is_asked(ctx.db, project, query_id=query, item_id=item),
        "history": [asdict(one) for one in said],
    }


def _index(ctx: Context, project: Project) -> tuple[Index | None, bool]:
    """Give the table of items, and whether it is still being made."""
    try:
        found = index_of(ctx.db, project, patience=_patience(ctx))
    except UsageError:  # every file was left out
        return None, False
    return found, found is None


def _now(index: Index, query: str, item: str) -> Data | None:
    """Give the row of an item, each answer with its respondent; None where nothing counts."""
    row = index.row(query, item)
    if row is None:
        return None
    who = index.respondents
    said = [{**one, **answer} for one, answer in zip(who, index.answers(row), strict=True)]
    said = [one for one in said if one["name"] != NOBODY]  # what waits for a label is not said
    said.sort(key=lambda one: _KINDS.index(one["kind"]))
    return {**row, "answers": said}


def _found(ctx: Context, project: Project, query: int, item: int) -> tuple[View, View]:
    try:
        return query_view(ctx.db, project, query), item_view(ctx.db, project, item)
    except UsageError as wrong:
        raise RefusedError(str(wrong), 404) from None


@router.post("/p/{slug}/items/{query}/{item}/ask", tags=["items"])
def ask(ctx: Ctx, slug: str, query: Number, item: Number) -> Response:
    """Ask people about an item."""
    project = ctx.project(slug)
    _found(ctx, project, query, item)
    ask_about(ctx.db, project, query_id=query, item_id=item)
    return done(ctx, f"/p/{slug}/label")


@router.get("/p/{slug}/pictures/{sha256}", tags=["items"], response_class=FileResponse)
def picture(ctx: Ctx, slug: str, sha256: Sha256) -> Response:
    """Send the picture that an item is shown by."""
    project = ctx.project(slug)
    if not has_picture(ctx.db, project, sha256):
        raise RefusedError("there is no such picture", 404)
    return sent_picture(ctx.db, sha256)
