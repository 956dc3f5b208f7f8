"""Do links make a tree? Every problem is found, and told with its line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TYPE_CHECKING

from consilience.errors import SHOWN, quote

if TYPE_CHECKING:
    from consilience.formats.links import Links

Parents = dict[str, dict[str, "int | None"]]
#: So many categories of a cycle are named.
_NAMED = 12


def link(
    links: Links, *, dag: bool
) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...], tuple[str, ...]]:
    """Number the categories, parents first; give names, the codes of parents, and notes.

    Raises
    ------
    InputError
        If a category is its own ancestor, has two parents where one is allowed, or has one that
        is no category; or if there is none at all.
    """
    parents, roots = _gathered(links)
    if not parents and not links.problems:
        fix = "write one category a row, with its parent, or one path a line"
        links.wrong(None, "there are no categories", fix)
    _check_roots(links, parents, roots)
    if not dag:
        _check_single(links, parents)
    _check_known(links, parents)
    _check_cycles(links, parents)
    links.problems.sorted().raise_any()
    names = _ordered(parents)
    number = {name: code for code, name in enumerate(names)}
    codes = tuple(tuple(number[parent] for parent in parents[name]) for name in names)
    return tuple(names), codes, (*links.notes, *_repeats(links))


def _repeats(links: Links) -> list[str]:
    if not links.repeated:
        return []
    said = "1 row says" if links.repeated == 1 else f"{links.repeated:,} rows say"
    return [f"{said} again what a row above says: counted once"]


def _gathered(links: Links) -> tuple[Parents, dict[str, int | None]]:
    """Give every category its parents, and every root its row, each with the line that says so."""
    parents: Parents = {}
    roots: dict[str, int | None] = {}
    for name, parent, line in zip(links.category, links.parent, links.line, strict=True):
        above = parents.setdefault(name, {})
        if parent == name:
            fix = "leave the parent empty if it is a root, or name another"
            links.wrong(line, f"{quote(name)} is its own parent", fix)
        elif (parent in above) if parent else (name in roots):
            links.repeated += 1
        elif parent:
            above[parent] = line
        else:
            roots[name] = line
    return parents, roots


def _check_roots(links: Links, parents: Parents, roots: Mapping[str, int | None]) -> None:
    """See that a root has no parent in another row."""
    for name, line in roots.items():
        for parent, other in parents[name].items():
            seen = "" if line is None else f" (line {line})"
            found = f"{quote(name)} is a root{seen} and has the parent {quote(parent)}"
            links.wrong(other, found, "remove one of the two rows")


def _check_single(links: Links, parents: Parents) -> None:
    """See that no category has a second parent."""
    for name, above in parents.items():
        (first, at), *others = [*above.items()] or [("", None)]
        for parent, line in others:
            seen = "" if at is None else f" (line {at})"
            found = f"{quote(name)} has two parents, {quote(first)}{seen} and {quote(parent)}"
            links.wrong(line, found, "give it one parent, or allow several with --dag (dag=True)")


def _check_known(links: Links, parents: Parents) -> None:
    """See that every parent is a category."""
    told: set[str] = set()
    for above in list(parents.values()):
        for parent, line in above.items():
            if parent in parents or parent in told:
                continue
            told.add(parent)
            near = difflib.get_close_matches(parent, parents, n=1) if len(told) <= SHOWN else []
            hint = f"; did you mean {quote(near[0])}?" if near else ""
            fix = "add a row for it with an empty parent, or correct the name"
            links.wrong(line, f"the parent {quote(parent)} is no category{hint}", fix)


def _check_cycles(links: Links, parents: Parents) -> None:
    """See that no category is its own ancestor; every cycle that is found is told once."""
    done: set[str] = set()
    for start in parents:
        way: dict[str, list[str]] = {}  # from start upwards, with the parents still to be seen
        if start not in done:
            way[start] = [*parents[start]]
        while way:
            name = next(reversed(way))
            if not way[name]:
                done.add(name)
                del way[name]
                continue
            parent = way[name].pop(0)
            if parent in way:
                _tell_cycle(links, parents, [*way], parent)
            elif parent in parents and parent not in done:
                way[parent] = [*parents[parent]]


def _tell_cycle(links: Links, parents: Parents, way: list[str], parent: str) -> None:
    names = way[way.index(parent) :]
    shown = [*names[:_NAMED], *(["…"] if len(names) > _NAMED else []), names[0]]
    line = parents[names[-1]][names[0]]
    links.wrong(line, f"a cycle: {' → '.join(shown)}", "take one of these links away")


def _ordered(parents: Parents) -> list[str]:
    """Give the categories in their order, but parents before children."""
    ordered: dict[str, None] = {}
    for start in parents:
        waiting = [start]
        while waiting:
            name = waiting[-1]
            missing = [parent for parent in parents[name] if parent not in ordered]
            if missing:
                waiting += reversed(missing)
            else:
                ordered[waiting.pop()] = None
    return [*ordered]
