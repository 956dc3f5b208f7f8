"""Label: what people are asked, who they are, what is drawn for them, how far they are."""

from __future__ import annotations

import threading
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Response

from consilience.belief.sample import came_late
from consilience.errors import ConsilienceError, UsageError, quote, unknown
from consilience.store.draws import HOW, draw_items, draw_pairs, draw_rankings
from consilience.store.frames import came_after
from consilience.store.people import LABELLING, add_people, new_link, respondents, revoke_link
from consilience.store.projects import Project
from consilience.store.question import KINDS, SINGLE, USUAL, Question, ask, is_settled, question_of
from consilience.store.tasks import how_many, progress
from consilience.store.trees import trees
from consilience.web.access import opens_here_only
from consilience.web.frame import Ctx, Data, Number, Plain, done, page, shown, wants_json
from consilience.web.jobs import FullError
from consilience.web.results import freshness

router = APIRouter()

#: Seconds that a page waits for a quick result.
PATIENCE = 0.8
#: What is planned where nobody says it: so many labels, a difference that does not matter.
BUDGET, DELTA = 50, 0.02
#: The most people that are added at once.
MOST = 200

#: One draws at a time: who sees what was drawn meanwhile may not want more.
_drawing = threading.Lock()

Budget = Annotated[int, Query(ge=1, le=1_000_000)]
Delta = Annotated[float, Query(ge=0, le=1)]


@page(router, "/p/{slug}/label", template="label.html")
def label(ctx: Ctx, slug: str, budget: Budget = BUDGET, delta: Delta = DELTA) -> Data:
    """Tell what is asked, how far everybody is, how far they agree, and what more would bring."""
    return _data(ctx, ctx.project(slug), budget, delta)


def _data(ctx: Ctx, project: Project, budget: int = BUDGET, delta: float = DELTA) -> Data:
    question, far = question_of(project), progress(ctx.db, project)
    known = respondents(ctx.db, project)
    linked = {one.id: one.link_hash is not None for one in known if one.kind in LABELLING}
    systems = any(one.kind == "system" for one in known)
    shares = [{**asdict(one), "link": linked.get(one.id, False)} for one in far.people]
    agreed = planned = None
    if sum(one.done > one.cannot_tell for one in far.people) > 1 and question.kind != "ranking":
        agreed = ctx.computed(project, "agree", {}, patience=PATIENCE)
    if systems and question.kind in ("relevance", "grades") and (far.begun or not far.tasks):
        wanted = {"budget": budget, "delta": delta}
        planned = ctx.computed(project, "next", wanted, patience=PATIENCE)
    jobs = ctx.jobs.to_tell(project, ("draw",))
    return {
        "project": {"slug": project.slug, "name": project.name, "version": project.version},
        "question": _told(question) | {"settled": is_settled(project)},
        "kinds": [{"value": kind, "name": _NAMES[kind], "asked": USUAL[kind]} for kind in KINDS],
        "single": question.kind in SINGLE,
        "systems": systems,
        "tree": next((one.name for one in trees(ctx.db, project) if not one.set_aside), None),
        "progress": asdict(far) | {"people": shares},
        "late": came_late(late) if (late := came_after(ctx.db, project)) else None,
        "drawing": jobs["going"],
        "failed": jobs["failed"],
        "agreement": agreed and agreed.payload,
        "agreement_state": agreed and agreed.told(),
        "agreement_since": agreed and freshness(ctx, project, agreed),
        "next": planned and planned.payload,
        "next_state": planned and planned.told(),
        "next_since": planned and freshness(ctx, project, planned),
        "budget": budget,
        "delta": delta,
        "here_only": opens_here_only(ctx.access.home(ctx.request)),
        "guarded": ctx.access.token is not None,
        "links": [],
        "problem": None,
        "typed": _untyped(question, budget),
    }


def _untyped(question: Question, budget: int) -> Data:
    """Give what the forms of the page hold before anybody types."""
    number = str(budget) if question.kind in SINGLE else ""
    return {
        "question": asdict(question),
        "names": "",
        "refused": [],
        "draw": {"how": "", "number": number, "again": False},
    }


def _told(question: Question) -> Data:
    return asdict(question) | {"asked": question.asked, "of_items": question.of_items}


_NAMES = {
    "relevance": "yes or no",
    "grades": "a grade",
    "category": "a category",
    "ranking": "an order of a query's items",
    "pairs": "the better of two items",
}


def _still(ctx: Ctx, slug: str) -> Data:
    """Give the page's data without what is being computed.

    A page that follows work loads itself again in the end. Where the page answers a form, that
    would send the form again, and links that are shown once would be gone.
    """
    data = _data(ctx, ctx.project(slug)) | {"drawing": []}
    states = {name: data[name] for name in ("agreement_state", "next_state")}
    return data | {name: state and state | {"job": None} for name, state in states.items()}


def _again(ctx: Ctx, slug: str, error: ConsilienceError, at: str, **typed: Any) -> Response:
    """Show the page with what is wrong beside the form, and what was typed; programs: the error."""
    if wants_json(ctx.request):
        raise error
    data = _still(ctx, slug)
    data["problem"] = {"at": at, "said": str(error)}
    data["typed"] |= typed
    return shown(ctx, "label.html", data, status=422)


@router.post("/p/{slug}/label/question", tags=["label"])
def settle(
    ctx: Ctx,
    slug: str,
    kind: Annotated[str, Form(max_length=20)],
    text: Annotated[str, Form(max_length=5000)] = "",
    guide: Annotated[str, Form(max_length=50_000)] = "",
    grades: Annotated[str, Form(max_length=50_000)] = "",
    words: Annotated[str, Form(max_length=2_000_000)] = "",
    overlap: Annotated[str, Form(max_length=20)] = "1",
    tree: Annotated[str, Form(max_length=20)] = "shown",
    order: Annotated[str, Form(max_length=20)] = "own",
    most: Annotated[str, Form(max_length=20)] = "10",
    predictions: Annotated[bool, Form()] = False,
    others: Annotated[bool, Form()] = False,
    confidence: Annotated[bool, Form()] = False,
) -> Response:
    """Settle what is asked; grades and categories come one a line."""
    given: dict[str, Any] = {
        "kind": kind,
        "text": text,
        "guide": guide.replace("\r\n", "\n"),  # as forms send it
        "grades": tuple(grades.splitlines()),
        "words": tuple(words.splitlines()),
        "overlap": overlap,
        "tree": tree,
        "order": order,
        "most": most,
        "predictions": predictions,
        "others": others,
        "confidence": confidence,
    }
    try:
        numbers = {"overlap": _whole(overlap, "number of people"), "most": _whole(most, "number")}
        made = ask(ctx.db, ctx.project(slug), Question(**given | numbers))
    except UsageError as error:
        return _again(ctx, slug, error, "question", question=given)
    return done(ctx, f"/p/{slug}/label", {"question": asdict(question_of(made))})


def _whole(given: str, what: str) -> int:
    """Read a whole number as it was typed."""
    text = given.strip()
    if not text.isdecimal() or len(text) > 9:
        raise UsageError(f"{quote(text)} is no {what} (fix: a whole number from 1)")
    return int(text)


@router.post("/p/{slug}/label/people", tags=["label"])
def invite(ctx: Ctx, slug: str, names: Annotated[str, Form(max_length=1_000_000)] = "") -> Response:
    """Let people label, one name a line; each gets a link, which is shown once.

    Names that cannot be given stay in the field, with what is wrong with each.
    """
    project = ctx.project(slug)
    called = [name.strip() for name in names.splitlines() if name.strip()]
    if not called or len(called) > MOST:
        error = UsageError(f"{len(called)} names came (fix: 1 to {MOST}, one a line)")
        return _again(ctx, slug, error, "people", names=names)
    made, refused = add_people(ctx.db, project, called)
    links = [_link(ctx, person.id, person.name, secret) for person, secret in made]
    wrong = [{"name": name, "why": why} for name, why in refused.items()]
    typed = {"names": "\n".join(refused), "refused": wrong}
    said = "; ".join(refused.values())
    if not links:
        return _again(ctx, slug, UsageError(said), "people", **typed)
    return _linked(ctx, slug, links, said or None, typed)


@router.post("/p/{slug}/label/people/{number}/link", tags=["label"])
def link_anew(ctx: Ctx, slug: str, number: Number) -> Response:
    """Give somebody a new link; the old one ends."""
    project = ctx.project(slug)
    secret = new_link(ctx.db, project, number)
    name = next(one.name for one in respondents(ctx.db, project) if one.id == number)
    return _linked(ctx, slug, [_link(ctx, number, name, secret)])


@router.post("/p/{slug}/label/people/{number}/revoke", tags=["label"])
def revoke(ctx: Ctx, slug: str, number: Number) -> Response:
    """Take somebody's link back; what they said stays."""
    revoke_link(ctx.db, ctx.project(slug), number)
    return done(ctx, f"/p/{slug}/label")


def _link(ctx: Ctx, number: int, name: str, secret: str) -> Data:
    return {"id": number, "name": name, "link": f"{ctx.access.home(ctx.request)}/w/{secret}"}


def _linked(
    ctx: Ctx, slug: str, links: list[Data], problem: str | None = None, typed: Data | None = None
) -> Response:
    """Show links once; they are kept nowhere."""
    left = typed or {}
    if wants_json(ctx.request):
        told = {"links": links, "problem": problem, "refused": left.get("refused", [])}
        return Plain({"next": f"/p/{slug}/label", **told})
    data = _still(ctx, slug) | {"links": links}
    data["typed"] |= left
    return shown(ctx, "label.html", data)


@router.post("/p/{slug}/label/draw", tags=["label"])
def draw(
    ctx: Ctx,
    slug: str,
    how: Annotated[str, Form(max_length=20)] = "random",
    number: Annotated[str, Form(max_length=20)] = "",
    seed: Annotated[int, Form(ge=0, le=2**31 - 1)] = 0,
    again: Annotated[bool, Form()] = False,
    measure: Annotated[str, Form(max_length=200)] = "",
    seen: Annotated[int | None, Form()] = None,
) -> Response:
    """Draw more tasks: by design as ``next`` does, in the background; others at once.

    ``seen`` is how many there were on the page that is sent: a button that is pressed twice, or by
    two people, draws once.
    """
    project = ctx.project(slug)
    try:
        wanted = _number(number)
        with _drawing:
            if seen is not None and seen != how_many(ctx.db, project):
                raise UsageError(
                    "tasks were drawn since this page was shown (fix: look at what there is now, "
                    "and draw again if you want more)"
                )
            if how == "next" and question_of(project).kind in SINGLE:
                return _by_design(ctx, project, wanted, seed, measure)
            drawn = _drawn(ctx, project, how, wanted, seed=seed, again=again)
    except (UsageError, FullError) as error:
        typed = {"how": how, "number": number, "again": again}
        return _again(ctx, slug, error, "draw", draw=typed)
    return done(ctx, f"/p/{slug}/label", {"drawn": drawn})


def _drawn(
    ctx: Ctx, project: Project, how: str, number: int | None, *, seed: int, again: bool
) -> int:
    """Draw what the question is about; give how many came."""
    kind = question_of(project).kind
    if kind == "pairs":
        return draw_pairs(ctx.db, project, number=number, seed=seed)
    if kind == "ranking":
        return draw_rankings(ctx.db, project, number=number, seed=seed)
    way = next((one for one in HOW if one == how), None)
    if way is None:
        raise unknown("way to draw", how, ("next", *HOW))
    return draw_items(ctx.db, project, way, number=number, seed=seed, again=again)


def _number(given: str) -> int | None:
    """Read how many are wanted; None: all."""
    text = given.strip()
    if not text:
        return None
    if not text.isdecimal() or len(text) > 9 or int(text) < 1:
        raise UsageError(f"{text!r} is no number of tasks (fix: 1 or more, or nothing for all)")
    return int(text)


def _by_design(ctx: Ctx, project: Project, budget: int | None, seed: int, measure: str) -> Response:
    if budget is None:
        raise UsageError("a budget is needed (fix: say how many labels can be made now)")
    settings: Data = {"budget": budget, "seed": seed}
    if measure.strip():
        settings["measure"] = measure.strip()
    job = ctx.jobs.start(project, "draw", settings)
    ctx.jobs.wait_for(job)
    return done(ctx, f"/p/{project.slug}/label", {"job": job.told()})
