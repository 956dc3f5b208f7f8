"""What a result without truth says about its systems and its methods, in words and tables.

The dependence between systems (who answers alike, which families count as how many) and the panel
(what other methods of agreement say) have the same facts in every format; they are worded here.
"""

from __future__ import annotations

from collections.abc import Sequence

from consilience.render.words import (
    Payload,
    by_rank,
    count,
    fixed,
    plain,
    sentence,
    some,
    with_caveat,
    without_truth,
)

#: Where the independent sources were taken from.
SOURCES = {
    "declared": "declared families",
    "learned": "learned families, copies merged",
    "systems": "every system its own",
}
#: Families, groups and names that are spelt out; beyond, the rest is counted.
MOST = 12
#: The largest families, the members of each, and the systems that share a place: the same.
FAMILIES, MEMBERS = 6, 5

#: Words of a note that says what the dependence between systems says under this key.
SAID = {"duplicates": "alike", "effective": "votes correlate as those of"}

Table = tuple[list[str], list[list[str]]]


def dependence_lines(dependence: Payload | None) -> list[str]:
    """Say how many independent systems the systems count as, and who answers alike.

    A warning comes first.

    Parameters
    ----------
    dependence : mapping or None
        The key ``dependence`` of a ranking or of the facts of ``check``.

    Returns
    -------
    list of str
        One sentence each; none without dependence.

    Examples
    --------
    >>> families = [{"name": "tesseract", "members": ["t4", "t5"], "counted_as": 1.2}]
    >>> known = {"effective": 4.2, "sources": 2, "sources_from": "declared", "families": families}
    >>> first = dependence_lines(known)[0]
    >>> first.partition(": ")[0]
    'The votes correlate as those of 4.2 independent systems would; 2 sources (declared families)'
    >>> first.partition(": ")[2]
    'tesseract (2 systems: t4, t5) counted as 1.2.'
    """
    if not dependence:
        return []
    lines = [
        dependence.get("warning"),
        _counted(dependence),
        _learned(dependence),
        _duplicates(dependence),
        _basis(dependence),
    ]
    return [sentence(plain(line)) for line in lines if line]


def alike_lines(payload: Payload) -> list[str]:
    """Say who answers alike in a ranking, without what is said under the headline or in the notes.

    Examples
    --------
    >>> known = {"warning": "two sources", "effective": 2.0, "duplicates": [["a", "b"]]}
    >>> notes = ["a and b answer (nearly) alike"]
    >>> alike_lines({"dependence": known, "withheld": "two sources", "notes": notes})
    ['The votes correlate as those of 2 independent systems would.']
    """
    dependence = payload.get("dependence")
    if not dependence:
        return []
    left_out: dict[str, None] = {}
    if dependence.get("warning") == payload.get("withheld"):
        left_out["warning"] = None
    notes = payload.get("notes") or []
    left_out |= {key: None for key, words in SAID.items() if any(words in note for note in notes)}
    return dependence_lines({**dependence, **left_out})


def remarks(payload: Payload) -> list[str]:
    """List the notes of a result, without those that are said elsewhere already.

    Examples
    --------
    >>> remarks({"notes": ["two sources", "1 duplicate"], "withheld": "two sources"})
    ['1 duplicate']
    """
    said = {payload.get("withheld"), (payload.get("dependence") or {}).get("warning")}
    return [plain(note) for note in payload["notes"] if note not in said]


def _counted(dependence: Payload) -> str:
    effective, sources = dependence.get("effective"), dependence.get("sources")
    said = []
    if effective is not None:
        systems = f"{number(effective)} independent system{_s(effective)}"
        said.append(f"the votes correlate as those of {systems} would")
    if sources is not None:
        origin = str(dependence.get("sources_from"))
        said.append(f"{count(sources, 'source')} ({SOURCES.get(origin, origin)})")
    families = [one for one in source_families(dependence) if len(one["members"]) > 1]
    largest = sorted(families, key=lambda family: -len(family["members"]))
    told = _first_of([_counted_as(family) for family in largest], "family", FAMILIES)
    return "; ".join(said) + (f": {told}" if told else "")


def source_families(dependence: Payload) -> list[Payload]:
    """Choose the families that stand for the sources: declared ones, or learned ones.

    Examples
    --------
    >>> known = [{"name": "t", "declared": True}, {"name": "a + b", "declared": False}]
    >>> source_families({"sources_from": "declared", "families": known})
    [{'name': 't', 'declared': True}]
    """
    wanted = dependence.get("sources_from") != "learned"
    families: list[Payload] = dependence.get("families") or []
    return [family for family in families if family.get("declared", wanted) is wanted]


def family_label(payload: Payload, system: Payload) -> str:
    """Name the family of a system, and what its systems count as where that is known.

    Examples
    --------
    >>> family = {"name": "tesseract", "members": ["t4", "t5"], "counted_as": 1.2}
    >>> known = {"dependence": {"families": [family]}}
    >>> family_label(known, {"name": "t4", "family": "tesseract", "counted_as": 1.2})
    'tesseract (2 systems, counted as 1.2)'
    >>> family_label({}, {"name": "t4", "family": "tesseract"})
    'tesseract'
    """
    dependence = payload.get("dependence") or {}
    for family in source_families(dependence):
        if system["name"] in family["members"] and len(family["members"]) > 1:
            counted = family.get("counted_as")
            told = "" if counted is None else f", counted as {number(counted)}"
            return f"{plain(family['name'])} ({count(len(family['members']), 'system')}{told})"
    return plain(system.get("family") or "")


def family_labels(payload: Payload) -> list[str]:
    """Name the family of every system in rank order; nothing where no system has one."""
    labels = [family_label(payload, system) for system in by_rank(payload)]
    return labels if any(labels) else []


def number(value: float) -> str:
    """Write a number of systems: three digits are enough.

    Examples
    --------
    >>> number(4.234), number(12.0)
    ('4.23', '12')
    """
    return f"{value:.3g}"


def _s(value: float) -> str:
    return "" if number(value) == "1" else "s"


def _counted_as(family: Payload) -> str:
    members = family["members"]
    listed = f"{count(len(members), 'system')}: {some(members, most=MEMBERS)}"
    counted = family.get("counted_as")
    told = "" if counted is None else f" counted as {number(counted)}"
    return f"{plain(family['name'])} ({listed}){told}"


def _learned(dependence: Payload) -> str:
    groups = [group for group in dependence.get("learned") or [] if len(group) > 1]
    said = ""
    if groups and dependence.get("sources_from") != "learned":
        said = f"learned from the answers: {_groups(groups)}"
    if dependence.get("ari") is None:
        return said
    told = "declared against learned families: adjusted Rand index"
    return f"{said}; " * bool(said) + f"{told} {fixed(dependence['ari'], 2)}"


def _duplicates(dependence: Payload) -> str:
    groups = dependence.get("duplicates") or []
    if not groups:
        return ""
    near = dependence.get("near")
    how_near = "" if near is None else f" (φ of at least {near:.6g})"
    return f"answer almost the same{how_near}: {_groups(groups)}"


def _groups(groups: Sequence[Sequence[str]]) -> str:
    return _first_of([some(group, most=MOST) for group in groups], "group", MOST)


def _first_of(told: Sequence[str], noun: str, most: int) -> str:
    listed, rest = "; ".join(told[:most]), len(told) - most
    return f"{listed}; and {count(rest, f'more {noun}')}" if rest > 0 else listed


def _basis(dependence: Payload) -> str:
    items = dependence.get("items")
    if items is None:
        return ""
    drawn = "a sample of " if dependence.get("sampled") else ""
    return f"measured by φ on {drawn}{count(items, 'item')}"


def family_table(dependence: Payload) -> Table:
    """Give the header and the rows of the families: members, and what they count as.

    Examples
    --------
    >>> family_table({"families": [{"name": "t", "members": ["a", "b"], "counted_as": 1.2}]})[1]
    [['t', '2', '1.2', '', 'a, b']]
    """
    rows = [
        [
            plain(family["name"]),
            str(len(family["members"])),
            fixed(None) if family.get("counted_as") is None else number(family["counted_as"]),
            {True: "declared", False: "learned"}.get(family.get("declared", ""), ""),
            some(family["members"], most=60),
        ]
        for family in dependence.get("families") or []
    ]
    return ["family", "systems", "counted as", "known from", "members"], rows


def chosen_method(payload: Payload) -> int | None:
    """Find the place of the method that ranked among the methods of the panel.

    Examples
    --------
    >>> methods = [{"name": "majority"}, {"name": "ls-eb"}]
    >>> chosen_method({"belief": {"method": "ls-eb"}, "panel": {"methods": methods}})
    1
    """
    names = [method["name"] for method in payload["panel"]["methods"]]
    method = payload["belief"]["method"]
    return names.index(method) if method in names else None


def panel_table(payload: Payload) -> Table:
    """Give the header and the rows of the panel: each method, who is first, and how it agrees.

    Kendall's τ compares the ranking of a method with that of the method that ranked the systems.
    Below the methods stands what each family says when it is believed alone.

    Examples
    --------
    >>> methods = [{"name": "ls-eb", "leader": "a"}, {"name": "majority", "leader": "b"}]
    >>> families = [{"name": "lucene", "ranks": {"a": 1, "b": 1, "c": 3}}]
    >>> panel = {"methods": methods, "tau": [[1.0, 0.5], [0.5, 1.0]], "families": families}
    >>> panel_table({"belief": {"method": "ls-eb"}, "panel": panel, "condition": "absent"})[1]
    [['ls-eb (this ranking)', 'a', ''], ['majority', 'b', '0.50'], ['only lucene', 'a, b', '']]
    """
    panel = payload["panel"]
    chosen = chosen_method(payload)
    rows = []
    for i, method in enumerate(panel["methods"]):
        row = [plain(method["name"]), leaders(method)]
        if i == chosen:
            row = [f"{row[0]} (this ranking)", row[1], ""]
        elif chosen is not None:
            row.append(fixed(panel["tau"][chosen][i], 2))
        rows.append(row)
    empty = [] if chosen is None else [""]
    alone = panel.get("families") or []
    rows += [[f"only {plain(one['name'])}", leaders(one), *empty] for one in alone[:MOST]]
    if len(alone) > MOST:
        rows.append([f"and {count(len(alone) - MOST, 'more family')} (json)", "", *empty])
    agreed = without_truth(payload) and not panel.get("gold")
    header = ["method", "agrees most" if agreed else "first"]
    return (header if chosen is None else [*header, "τ to this ranking"]), rows


def leaders(member: Payload) -> str:
    """Name who is first by a method or a family of the panel; a dash where nobody has a rank.

    Examples
    --------
    >>> leaders({"ranks": {"a": 2, "b": 1}}), leaders({"ranks": {"a": None}, "leader": "a"})
    ('b', '–')
    """
    ranks = member.get("ranks")
    if not ranks:
        return fixed(None) if member.get("leader") is None else plain(member["leader"])
    return some((name for name, rank in ranks.items() if rank == 1), most=MEMBERS) or fixed(None)


def panel_words(payload: Payload) -> str:
    """Say what the table of the panel shows."""
    told = "What each method says; τ is Kendall's." if chosen_method(payload) is not None else ""
    said = f"{told or 'What each method says.'} {alone_words(payload)}".rstrip()
    return with_caveat(said, payload)


def alone_words(payload: Payload) -> str:
    """Explain the rows of the panel that are about families; nothing where it has none."""
    alone = bool(payload["panel"].get("families"))
    return "Only …: what a family says when it alone is believed." if alone else ""


def panel_lines(payload: Payload) -> list[str]:
    """Say which methods of the panel were skipped, and why.

    Examples
    --------
    >>> panel_lines({"panel": {"skipped": [{"name": "hds", "why": "too many systems"}]}})
    ['hds was skipped: too many systems']
    """
    panel = payload.get("panel") or {}
    skipped = panel.get("skipped") or []
    return [f"{plain(one['name'])} was skipped: {plain(one['why'])}" for one in skipped]


def has_panel(payload: Payload) -> bool:
    """Say whether a result holds a panel with at least one method."""
    return bool((payload.get("panel") or {}).get("methods"))


def virtual_label(system: Payload) -> str:
    """Name a virtual system with what it does.

    Examples
    --------
    >>> virtual_label({"name": "⊤", "about": "returns everything"})
    '⊤ (returns everything)'
    """
    about = system.get("about")
    return plain(f"{system['name']} ({about})" if about else system["name"])
