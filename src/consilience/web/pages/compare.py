"""Compare: which system is better, how sure that is, who is tied, and with what caveat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query

from consilience.errors import UsageError, unknown
from consilience.store.projects import Project
from consilience.store.sources import sources
from consilience.store.studies import tree_of
from consilience.store.trees import trees
from consilience.verdict.checked import usual_verb
from consilience.web.choices import FIELDS, LONGEST, chosen
from consilience.web.frame import Computed, Ctx, Data, page
from consilience.web.results import TITLES, about, exports, freshness, what_changed

router = APIRouter()

#: The questions of this page, in the order of its tabs.
VERBS = ("rank", "distributions", "tree", "displacement")
#: Seconds that a page waits for a quick result before it shows how far it is.
PATIENCE = 0.8

#: The most categories that are suggested.
SUGGESTED = 500

#: A choice as it was typed.
Typed = Annotated[str, Query(max_length=2 * LONGEST)]


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is nothing to compare, and what to do: lines with an address each, or none."""

    what: str
    todo: tuple[tuple[str, str], ...]

    def told(self) -> Data:
        """Give it as plain data."""
        steps = [{"say": say, "address": address} for say, address in self.todo]
        return {"what": self.what, "todo": steps}


@page(router, "/p/{slug}/compare", template="compare.html")
def compare(
    ctx: Ctx,
    slug: str,
    verb: Typed = "",
    measures: Typed = "",
    measure: Typed = "",
    belief: Typed = "",
    families: Typed = "",
    weights: Typed = "",
    universe: Typed = "",
    category: Typed = "",
    query_item: Typed = "",
    quality: Typed = "",
    hypothesis: Typed = "",
    collection: Typed = "",
    scale: Typed = "",
    delta: Typed = "",
    depth: Typed = "",
    level: Typed = "",
    seed: Typed = "",
) -> Data:
    """Compare the systems: rank, distributions, by category, or against each person."""
    typed = {name: value for name, value in locals().items() if isinstance(value, str) and value}
    typed.pop("slug")
    asked = typed.pop("verb", "")
    project = ctx.project(slug)
    made = _blank(project)
    if not sources(ctx.db, project):
        return made | {"missing": _nothing(slug).told()}
    known = ctx.computed(project, "check", {}, patience=PATIENCE)
    if known.payload is None:
        return made | {"computed": known.told()}
    tree = any(not one.set_aside for one in trees(ctx.db, project))
    possible = possible_verbs(known.payload, tree=tree)
    made |= {"missing": missing(known.payload, possible, slug)}
    if not possible:
        return made
    usual = _usual(known.payload, possible, tree=tree)
    return made | _asked(ctx, project, possible, usual, asked or usual, typed)


def _blank(project: Project) -> Data:
    """Give the page before anything is known."""
    return {
        "project": {"slug": project.slug, "name": project.name, "version": project.version},
        **dict.fromkeys(("missing", "verb", "usual", "error", "result", "about", "computed")),
        **dict.fromkeys(("since", "changed"), None),
        **{name: [] for name in ("verbs", "fields", "formats")},
        **{name: {} for name in ("typed", "settings")},
    }


def _asked(
    ctx: Ctx,
    project: Project,
    possible: tuple[str, ...],
    usual: str,
    verb: str,
    typed: Mapping[str, str],
) -> Data:
    """Answer the question that was asked, or say what is wrong with it."""
    error: str | None = None
    if verb not in possible:
        error, verb = _unasked(verb, possible), usual
    made: Data = {
        "verb": verb,
        "usual": usual,
        "verbs": [{"verb": one, "name": TITLES[one]} for one in possible],
        "typed": dict(typed),
        "fields": [field.told(typed) for field in FIELDS[verb]],
    }
    if verb == "tree":
        _suggest(ctx, project, made["fields"])
    settings: Data = {}
    try:
        settings = chosen(verb, typed)
    except UsageError as wrong:
        error = error or str(wrong)
    if error is not None:
        return made | {"error": error, "status": 422}
    found = ctx.computed(project, verb, settings, patience=PATIENCE)
    made |= {"settings": settings, "error": found.error, "computed": found.told()}
    made |= {"status": 422} if found.error else {}
    return made | _found(ctx, project, found)


def _suggest(ctx: Ctx, project: Project, fields: list[Data]) -> None:
    """Suggest the categories of the tree, where there are not too many."""
    known = tree_of(ctx.db, project)
    names = [] if known is None else [*known.names[:SUGGESTED]]
    for field in fields:
        if field["name"] == "category":
            field["suggested"] = names


def _found(ctx: Ctx, project: Project, found: Computed) -> Data:
    """Tell a result and what stands beside it."""
    if found.stored is None:
        return {}
    kept = found.stored
    return {
        "result": found.payload,
        "about": about(kept, project),
        "since": freshness(ctx, project, found),
        "changed": what_changed(ctx, project, found),
        "formats": exports(kept.verb, f"/p/{project.slug}/reports/{kept.id}/as"),
    }


def _unasked(verb: str, possible: tuple[str, ...]) -> str:
    if verb in VERBS:
        named = ", ".join(f"{TITLES[one]} ({one})" for one in possible)
        return f"{verb} cannot be asked of these data (fix: choose one of: {named})"
    return str(unknown("question", verb, possible))


def possible_verbs(facts: Mapping[str, Any], *, tree: bool) -> tuple[str, ...]:
    """Name the questions about systems that can be asked of a study with these facts.

    Examples
    --------
    >>> from consilience.verdict.checked import nothing
    >>> possible_verbs(nothing(), tree=False)
    ()
    """
    systems, judges = facts["systems"], facts["judges"]
    if not systems or facts["of"] != "text" or facts["text"]:
        return ()
    voters = len(systems) + sum(one["kind"] == "llm" for one in judges)
    found = []
    if not facts["sorted"] and (facts["condition"] != "absent" or voters > 1):
        found += ["rank", "distributions"]
    if facts["categories"] and judges and tree:
        found.append("tree")
    if facts["lists"] and judges:
        found.append("displacement")
    return tuple(found)


def _usual(facts: Mapping[str, Any], possible: tuple[str, ...], *, tree: bool) -> str:
    """Choose the question that comes first."""
    verb = usual_verb(facts, tree=tree and "tree" in possible and facts["sorted"])
    return verb if verb in possible else possible[0]


def missing(facts: Mapping[str, Any], possible: tuple[str, ...], slug: str) -> Data | None:
    """Say what is missing for a comparison; None where nothing is."""
    said = _missing(facts, possible, slug)
    return None if said is None else said.told()


def _missing(facts: Mapping[str, Any], possible: tuple[str, ...], slug: str) -> Missing | None:
    systems, here = facts["systems"], f"/p/{slug}"
    bring = ("Bring the answers of another system", f"{here}/overview")
    if facts["text"] or facts["of"] != "text":
        what = "readings of one text" if facts["text"] else str(facts["of"])
        verb = "align" if facts["text"] else "soft"
        said = f"These are {what}: which items are the same must be found out first."
        said += f" All of them at once are compared by consilience {verb}, on the command line."
        chosen = "" if facts["text"] else f"?similarity={facts['of']}"
        return Missing(said, (("Compare two of the files here", f"/soft{chosen}"),))
    if not systems:
        people = ("See how far people agree", f"{here}/people")
        bring = ("Bring the answers of systems", f"{here}/overview")
        said = "No system has answered yet: there are only people's answers."
        return Missing(said, (bring, people))
    if facts["sorted"] and not possible:
        said = "People put items into categories, and the tree of these categories is not known."
        return Missing(said, (("Bring the tree of categories", f"{here}/overview"),))
    if len(systems) == 1 and not possible:
        said = f"Only {systems[0]['name']} has answered, and nobody knows what is right."
        label = ("Let people label some of its answers", f"{here}/label")
        return Missing(said, (bring, label))
    if len(systems) == 1:
        said = (
            f"Only {systems[0]['name']} has answered: it has scores and nobody to be compared with."
        )
        return Missing(said, (bring,))
    if not possible:
        said = "These systems cannot be compared."
        return Missing(said, (("See what is there and what is missing", f"{here}/overview"),))
    return None


def _nothing(slug: str) -> Missing:
    return Missing(
        "Nothing has been read yet.",
        (("Bring the answers of your systems", f"/p/{slug}/overview"),),
    )
