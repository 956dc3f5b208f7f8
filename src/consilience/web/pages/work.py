"""A person's work: one task after the other, only theirs; nothing of what others said."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Response
from fastapi.responses import FileResponse

from consilience.store.labels import Said, history, restore, save_label, withdraw
from consilience.store.question import question_of
from consilience.store.tasks import Shown, how_far, lent_task, next_task, sees_file
from consilience.web.access import RefusedError
from consilience.web.frame import Ctx, Data, Whose, done, page
from consilience.web.labelling import SURE, confidence_of, ordered, said_of, seen, shown_of, word
from consilience.web.pictures import Sha256, sent_picture

router = APIRouter()

#: How many of their answers somebody sees.
SEEN = 100

Key = Annotated[str, Form(min_length=1, max_length=100)]
TaskNumber = Annotated[int, Form(ge=1, le=2**31 - 1)]
AnyTask = Annotated[int | None, Form(ge=1, le=2**31 - 1)]


def _own(whose: Whose, who: Annotated[int | None, Form()] = None) -> None:
    """See that a form is sent by whom it was shown to: two people may share a browser."""
    if who is not None and who != whose[1].id:
        raise RefusedError(
            f"this page was opened for somebody else than {whose[1].name}, for whom this browser "
            "works now (fix: open your own link again)",
            409,
        )


@page(router, "/work", template="work.html")
def work(ctx: Ctx, whose: Whose) -> Data:
    """Show the next task; it is this person's for a while."""
    project, person = whose
    question = question_of(project)
    task = next_task(ctx.db, project, person)
    return {
        "person": {"id": person.id, "name": person.name},
        "study": {"name": project.name},
        "question": {
            "kind": question.kind,
            "asked": question.asked,
            "guide": question.guide,
            "confidence": question.confidence,
            "tree": question.tree if question.kind == "category" and not question.words else None,
            "mark": question.mark,
        },
        "sure": [{"value": name, "name": told} for name, told, _ in SURE],
        "task": None if task is None else seen(ctx.db, project, person, question, task),
        "progress": asdict(how_far(ctx.db, project, person)),
        "key": secrets.token_urlsafe(16),
    }


@router.post("/work/save", tags=["work"], dependencies=[Depends(_own)])
def save(
    ctx: Ctx,
    whose: Whose,
    task: TaskNumber,
    key: Key,
    said: Annotated[str | None, Form(max_length=500)] = None,
    cannot_tell: Annotated[bool, Form()] = False,
    item: Annotated[list[int] | None, Form()] = None,
    place: Annotated[list[str] | None, Form()] = None,
    confidence: Annotated[str | None, Form(max_length=20)] = None,
    seconds: Annotated[float | None, Form(ge=0, le=10**9)] = None,
    mark: Annotated[str | None, Form(max_length=40)] = None,
) -> Response:
    """Keep an answer; it is on the disk when this is acknowledged."""
    project, person = whose
    question, found = question_of(project), lent_task(ctx.db, project, person, task)
    value = None
    if not cannot_tell:
        shown = ordered(found, person, question)
        value = said_of(question, shown, said=said, items=item or (), places=place or ())
    seen_so = shown_of(found, person, question)
    kept = Said(value, confidence_of(confidence), seconds, seen_so, mark)
    saved = save_label(ctx.db, project, person.id, task, kept, key=key)
    return done(ctx, "/work", {"saved": saved.id, "again": saved.again})


@router.post("/work/undo", tags=["work"], dependencies=[Depends(_own)])
def undo(ctx: Ctx, whose: Whose, key: Key, task: AnyTask = None) -> Response:
    """Take back the last answer, or that to a task; the task comes next."""
    project, person = whose
    saved = withdraw(ctx.db, project, person.id, key=key, task_id=task)
    return done(ctx, "/work", {"withdrawn": saved and saved.task_id})


@router.post("/work/redo", tags=["work"], dependencies=[Depends(_own)])
def redo(ctx: Ctx, whose: Whose, key: Key, task: AnyTask = None) -> Response:
    """Say again what was taken back."""
    project, person = whose
    saved = restore(ctx.db, project, person.id, key=key, task_id=task)
    return done(ctx, "/work", {"restored": saved and saved.task_id})


@page(router, "/work/answers", template="work_answers.html")
def answers(ctx: Ctx, whose: Whose) -> Data:
    """List what this person said, the latest first."""
    project, person = whose
    question = question_of(project)
    said = [
        {
            "task": one["task"],
            "query": one["query"].text or one["query"].name,
            "items": [item.text or item.name for item in sorted(one["items"], key=_by_name)],
            "said": word(question, one["items"], one["value"]),
            "created": one["created"],
            "key": secrets.token_urlsafe(16),
        }
        for one in history(ctx.db, project, person.id, most=SEEN)
    ]
    return {
        "study": {"name": project.name},
        "person": {"id": person.id, "name": person.name},
        "answers": said,
    }


def _by_name(item: Shown) -> str:
    return item.name  # another order would tell what systems made of them


@router.get("/work/pictures/{sha256}", tags=["work"], response_class=FileResponse)
def picture(ctx: Ctx, whose: Whose, sha256: Sha256) -> Response:
    """Send a picture of a task that was lent to this person."""
    project, person = whose
    if not sees_file(ctx.db, project, person, sha256):
        raise RefusedError("there is no such picture among your tasks", 404)
    return sent_picture(ctx.db, sha256)
