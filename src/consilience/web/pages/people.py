"""People: do they agree, where not, who answered how much; language models on the same scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query

from consilience.errors import UsageError
from consilience.store.people import respondents
from consilience.store.projects import Project
from consilience.store.sources import sources
from consilience.web.choices import FIELDS, chosen
from consilience.web.frame import Ctx, Data, page
from consilience.web.pages.compare import PATIENCE, Typed
from consilience.web.results import about, cannot_tell, exports, freshness, what_changed

router = APIRouter()

#: How many respondents a page lists.
SIZE = 50


@page(router, "/p/{slug}/people", template="people.html")
def people(
    ctx: Ctx,
    slug: str,
    scale: Typed = "",
    level: Typed = "",
    seed: Typed = "",
    number: Annotated[int, Query(alias="page", ge=1, le=10**9)] = 1,
) -> Data:
    """Tell how far people agree, and who answered how much."""
    project = ctx.project(slug)
    given = {"scale": scale, "level": level, "seed": seed}
    typed = {name: value for name, value in given.items() if value}
    made: Data = {
        "project": {"slug": project.slug, "name": project.name, "version": project.version},
        **dict.fromkeys(("missing", "error", "result", "about", "computed", "since", "changed")),
        **dict.fromkeys(("paging", "facts")),
        **{name: [] for name in ("fields", "formats", "respondents")},
        "typed": typed,
        "settings": {},
    }
    if not sources(ctx.db, project):
        return made | _listed(ctx, project, {}, number) | {"missing": _nobody(slug, [])}
    known = ctx.computed(project, "check", {}, patience=PATIENCE)
    if known.payload is None:
        return made | {"computed": known.told(), "error": known.error}
    made |= _listed(ctx, project, known.payload, number)
    labelled = [one for one in known.payload["judges"] if one["answers"]]
    if len(labelled) < 2:
        return made | {"missing": _nobody(slug, labelled)}
    return made | _agreed(ctx, project, typed)


def _agreed(ctx: Ctx, project: Project, typed: Mapping[str, str]) -> Data:
    """Tell how far people agree, or what is wrong with what was chosen."""
    made: Data = {"fields": [field.told(typed) for field in FIELDS["agree"]]}
    try:
        settings = chosen("agree", typed)
    except UsageError as wrong:
        return made | {"error": str(wrong), "status": 422}
    found = ctx.computed(project, "agree", settings, patience=PATIENCE)
    made |= {"settings": settings, "error": found.error, "computed": found.told()}
    if found.error and settings:
        made["status"] = 422
    if found.stored is None:
        return made
    return made | {
        "result": found.payload,
        "about": about(found.stored, project),
        "since": freshness(ctx, project, found),
        "changed": what_changed(ctx, project, found),
        "formats": exports("agree", f"/p/{project.slug}/reports/{found.stored.id}/as"),
    }


def _listed(ctx: Ctx, project: Project, facts: Mapping[str, Any], number: int) -> Data:
    """List a page of all who answered or may: those who answered most first in each kind."""
    keys = ("name", "kind", "family", "answers", "queries")
    everyone = [
        {key: one[key] for key in keys}
        for one in (*facts.get("judges", ()), *facts.get("systems", ()))
    ]
    known = {(one["name"], one["kind"]) for one in everyone}
    everyone += [
        {"name": one.name, "kind": one.kind, "family": one.family, "answers": 0, "queries": 0}
        for one in respondents(ctx.db, project)
        if (one.name, one.kind) not in known
    ]
    unsure = {(one["name"], one["kind"]): one["items"] for one in cannot_tell(ctx, project)}
    for one in everyone:
        one["cannot_tell"] = unsure.get((one["name"], one["kind"]), 0)
    kinds = ("person", "llm", "gold", "system")
    everyone.sort(key=lambda one: (kinds.index(one["kind"]), -one["answers"], one["name"]))
    pages = max(1, -(-len(everyone) // SIZE))
    first = (min(number, pages) - 1) * SIZE
    return {
        "respondents": everyone[first : first + SIZE],
        "paging": {"page": min(number, pages), "pages": pages, "all": len(everyone)},
    }


def _nobody(slug: str, labelled: list[Data]) -> Data:
    """Say why there is no agreement to tell, and what to do."""
    if labelled:
        one = labelled[0]
        many = f"{one['answers']:,} answer" + ("" if one["answers"] == 1 else "s")
        what = f"Only {one['name']} has labelled so far ({many}): agreement takes two."
    else:
        what = (
            "Nobody has labelled anything yet: agreement takes two people, or a person and a model."
        )
    steps = (
        ("Let people label, two or more each item", f"/p/{slug}/label"),
        ("Bring labels, or the verdicts of a language model, as a file", f"/p/{slug}/overview"),
    )
    return {"what": what, "todo": [{"say": say, "address": address} for say, address in steps]}
