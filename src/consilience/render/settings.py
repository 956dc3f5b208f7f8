"""The settings that made a result, in words: ties, averages, depth, universe, threshold.

Results of older versions hold no settings. Then nothing is said that is not known.
"""

from __future__ import annotations

from consilience.render.words import Payload, count, is_micro

#: How answers of equal score are ordered, by the name of the rule.
TIES = {
    "trec": "by item name, descending",
    "rank": "by the rank column",
    "order": "by the order of the file",
    "best": "relevant items first",
    "worst": "relevant items last",
}
#: Which queries enter an average, by the name of the convention.
CONVENTIONS = {
    "ours": "a query without an answer counts 0, an undefined one is left out",
    "missing-skipped": "a query without an answer is left out, and so is an undefined one",
    "trec_eval": "a query without an answer is left out, an undefined one counts 0",
    "ir_measures": "a query without an answer counts 0, and so does an undefined one",
}
#: The conventions of micro averages under which a query without an answer is not left out.
MISSING_COUNTS = ("ours", "ir_measures")


def settings(payload: Payload) -> list[tuple[str, str]]:
    """List the settings of a result as (label, text); only those that are known and set.

    Examples
    --------
    >>> settings({"settings": {"ties": "trec", "convention": "trec_eval", "depth": 10}})[0]
    ('ties', 'equal scores: by item name, descending (trec)')
    >>> settings({"verb": "rank"})
    []
    """
    known = payload.get("settings") or {}
    rows = []
    if ties(payload):
        rows.append(("ties", ties(payload)))
    if known.get("convention") is not None:
        rows.append(("averages", _averages(payload)))
    if known.get("depth") is not None:
        rows.append(("depth", _depth(known["depth"])))
    if known.get("universe") is not None:
        rows.append(("universe", f"{count(known['universe'], 'item')} per query"))
    if known.get("rel") is not None:
        rows.append(("relevant", f"from grade {known['rel']:g} on"))
    return rows


def ties(payload: Payload) -> str:
    """Say how answers of equal score were ordered; nothing where it is not known.

    Examples
    --------
    >>> ties({"verb": "curve", "ties": "worst"})
    'equal scores: relevant items last (worst)'
    """
    rule = (payload.get("settings") or {}).get("ties")
    if rule is None and payload.get("verb") == "curve":
        rule = payload["ties"]
    if rule is None:
        return ""
    return f"equal scores: {TIES[rule]} ({rule})" if rule in TIES else f"equal scores: rule {rule}"


def _averages(payload: Payload) -> str:
    convention = payload["settings"]["convention"]
    measures = payload.get("measures", [])
    micro = [name for name in measures if is_micro(name)]
    said = []
    if not measures or len(micro) < len(measures):
        told = CONVENTIONS.get(convention)
        said.append(f"{told} ({convention})" if told else str(convention))
    if micro:
        said.append(f"{', '.join(micro)}: {_micro(convention)}")
    return "; ".join(said)


def _micro(convention: str | None) -> str:
    said = "counts are added up over the queries and divided once"
    if convention not in CONVENTIONS:
        return said
    if convention in MISSING_COUNTS:
        return f"{said}, and a query without an answer counts as missed"
    return f"{said}, and a query without an answer is left out"


def _depth(depth: int) -> str:
    return f"only the first {count(depth, 'answer')} of each list"


def averaging(payload: Payload) -> str:
    """Say how the ranking measure was averaged, by convention and kind of average.

    Examples
    --------
    >>> averaging({"measure": "AP", "settings": {"convention": "missing-skipped"}})
    'averaged: a query without an answer is left out, and so is an undefined one'
    >>> averaging({"measure": "P(average=micro)"})
    'counts are added up over the queries and divided once'
    """
    convention = (payload.get("settings") or {}).get("convention")
    if is_micro(payload["measure"]):
        return _micro(convention)
    told = CONVENTIONS.get(str(convention))
    return f"averaged: {told}" if told else "averaged over the queries"


def selection(payload: Payload) -> str:
    """Say in sentences which answers and items counted, for a paragraph; nothing by default.

    Examples
    --------
    >>> selection({"settings": {"depth": 10, "universe": None, "rel": 2.0}})
    'Of each list only the first 10 answers counted. Items counted as relevant from grade 2 on.'
    """
    known = payload.get("settings") or {}
    said = []
    if known.get("depth") is not None:
        said.append(f"Of each list only the first {count(known['depth'], 'answer')} counted.")
    if known.get("universe") is not None:
        said.append(f"Each query was taken to have {count(known['universe'], 'item')} in all.")
    if known.get("rel") is not None:
        said.append(f"Items counted as relevant from grade {known['rel']:g} on.")
    return " ".join(said)
