"""What a ranking by partial truth says beside its scores: what was judged, and what that says.

Companions are measures that were made for incomplete judgments. Where they put another system
first than the plain measure, the items that were not judged decide who leads.
"""

from __future__ import annotations

from consilience.render.sure import share
from consilience.render.words import (
    Payload,
    by_rank,
    count,
    fixed,
    plain,
    some,
)

#: Systems whose companion scores are listed in text and Markdown.
MOST = 20
#: Estimates beside the one that ranks, and their headings.
ESTIMATES = {"shrunk": "shrunk", "plain": "no label = not relevant"}

Table = tuple[list[str], list[list[str]]]


def companions(payload: Payload) -> list[Payload]:
    """List the companions of a ranking by partial truth; none where there are none."""
    return list((payload.get("partial") or {}).get("companions") or [])


def judged_share(payload: Payload) -> str:
    """Say how much was judged; nothing where it is not known.

    Examples
    --------
    >>> judged_share({"partial": {"judged": 0.31}})
    '31.0% of the returned items were judged'
    """
    held = (payload.get("partial") or {}).get("judged")
    return "" if held is None else f"{share(held)} of the returned items were judged"


def companion_scores(payload: Payload, most: int | None = None) -> Table:
    """Give the scores of each system by the ranking measure and by its companions."""
    found = companions(payload)
    header = ["system", plain(payload["measure"]), *(plain(one["measure"]) for one in found)]
    rows = []
    for system in by_rank(payload)[:most]:
        value = (system["scores"].get(payload["measure"]) or {}).get("value")
        beside = [(one.get("scores") or {}).get(system["name"]) for one in found]
        rows.append([plain(system["name"]), fixed(value), *map(fixed, beside)])
    return (header, rows) if found else ([], [])


def companion_table(payload: Payload) -> Table:
    """Give who is first by each companion, whether that is the same system, and τ."""
    rows = [
        [
            plain(one["measure"]),
            some(one.get("first") or [], most=5) or fixed(None),
            "yes" if one.get("same_first") else "no",
            fixed(one.get("tau"), 2),
            plain(one.get("about") or ""),
        ]
        for one in companions(payload)
    ]
    return ["measure", "first", "same first?", "τ to this ranking", "what it is"], rows


def companion_lines(payload: Payload) -> list[str]:
    """Say for each companion who is first by it, and what it is.

    Examples
    --------
    >>> one = {"measure": "Bpref", "first": ["b"], "same_first": False, "tau": 0.5}
    >>> companion_lines({"partial": {"companions": [one | {"about": "judged items only"}]}})
    ['Bpref puts b first instead (τ 0.50): judged items only']
    """
    lines = []
    for one in companions(payload):
        first = some(one.get("first") or [], most=5)
        tau = "" if one.get("tau") is None else f" (τ {fixed(one['tau'], 2)})"
        puts = f"puts {first} first{', too' if one.get('same_first') else ' instead'}"
        about = f": {plain(one['about'])}" if one.get("about") else ""
        lines.append(f"{plain(one['measure'])} {puts if first else 'is undefined'}{tau}{about}")
    return lines


def partial_line(payload: Payload) -> str:
    """Say in a sentence what the companions come to, unless the verdict says it already."""
    said = plain((payload.get("partial") or {}).get("about") or "").rstrip(".")
    return f"{said}." if said and said.lower() not in plain(payload["verdict"]).lower() else ""


def companions_left_out(payload: Payload, shown: int) -> str:
    """Count the systems whose companion scores are not shown."""
    rest = len(payload["systems"]) - shown
    return (
        f"… and {rest:,} more: html and json hold all." if companions(payload) and rest > 0 else ""
    )


def design_facts(payload: Payload) -> list[tuple[str, str]]:
    """List how labels were drawn by design, as (label, text); nothing without such labels.

    Examples
    --------
    >>> design = {"labels": 140, "drawn": 152, "population": 10000, "rounds": 2, "known": 0}
    >>> design_facts({"design": design | {"probability": {"min": 0.003, "max": 1.0}}})[0]
    ('labels', '140 labels of 152 drawn, out of 10,000 items, in 2 rounds')
    """
    design = payload.get("design")
    if not design:
        return []
    labels = count(design.get("labels"), "label")
    drawn = design.get("drawn")
    of = f" of {drawn:,} drawn" if drawn is not None else ""
    said = f"{labels}{of}, out of {count(design.get('population'), 'item')}"
    said += f" of {count(design['queries'], 'query')}" if design.get("queries") else ""
    said += f", in {count(design['rounds'], 'round')}" if design.get("rounds") else ""
    rows = [("labels", said)]
    chances = design.get("probability") or {}
    if chances.get("min") is not None:
        rows.append(("probabilities", f"of being drawn: {between(chances)}"))
    if design.get("effective") is not None:
        effective = f"{design['effective']:.1f}"
        rows.append(("effective", f"{effective} labels, once their weights are counted"))
    if design.get("known"):
        known = count(design["known"], "label")
        rows.append(("known", f"{known} without a probability, taken as they are"))
    if design.get("prediction"):
        rows.append(("prediction", prediction(design["prediction"])))
    return rows + [("note", plain(note)) for note in design.get("notes") or []]


def between(chances: Payload) -> str:
    """Say between which values probabilities lie.

    Examples
    --------
    >>> between({"min": 0.0031, "max": 1.0}), between({"min": 0.4, "max": 0.4})
    ('between 0.0031 and 1', '0.4 each')
    """
    low, high = (f"{chances[end]:.3g}" for end in ("min", "max"))
    return f"{low} each" if low == high else f"between {low} and {high}"


def prediction(known: Payload) -> str:
    """Say what predicted the labels, and whether the labels calibrated it.

    Examples
    --------
    >>> prediction({"from": "ls-eb", "calibrated": True, "labels_used": 140})
    'ls-eb, calibrated on 140 labels'
    >>> prediction({"from": "ls-eb", "calibrated": False, "labels_used": 0})
    'ls-eb, not calibrated'
    """
    said = plain(known.get("from") or "not named")
    if not known.get("calibrated"):
        return f"{said}, not calibrated"
    used = known.get("labels_used")
    return f"{said}, calibrated on {count(used, 'label')}" if used else f"{said}, calibrated"


def design_table(payload: Payload, most: int | None = None) -> Table:
    """Give the estimates from designed labels: as they are, shrunk, and by the labels alone."""
    measure = payload["measure"]
    found = [(s, s["scores"].get(measure) or {}) for s in by_rank(payload)[:most]]
    held = [key for key in ESTIMATES if any(score.get(key) is not None for _, score in found)]
    if not payload.get("design") or not held:
        return [], []
    rows = [
        [plain(system["name"]), fixed(score.get("value")), *(fixed(score.get(k)) for k in held)]
        for system, score in found
    ]
    return ["system", f"{plain(measure)} (AIPW)", *(ESTIMATES[key] for key in held)], rows


def design_words(payload: Payload) -> str:
    """Say what the columns of the estimates mean; nothing where there are none."""
    header, _ = design_table(payload, 1)
    said = []
    if ESTIMATES["shrunk"] in header:
        said.append("Shrunk: drawn towards the correction that all systems share, for a steadier")
        said.append("order with few labels.")
    if ESTIMATES["plain"] in header:
        said.append("The last column counts every item without a label as not relevant.")
    return " ".join(said)
