"""How a result was computed, in words: what a reader must know to trust or repeat it.

`how` gives labelled facts for a list or a table; `methods` gives the same facts as one paragraph
that can be pasted into a paper.
"""

from __future__ import annotations

from consilience.render.claims import was_cut
from consilience.render.matching import matching_fact
from consilience.render.settings import averaging, selection, settings, ties
from consilience.render.sure_methods import intervals, method_facts, resampled, sure_sentences
from consilience.render.words import (
    Payload,
    caveat,
    count,
    fixed,
    plain,
    sentence,
    without_truth,
)

#: What each truth condition means, in a reader's words.
CONDITIONS = {
    "complete": "complete truth: one gold answer for every item that matters",
    "partial": "partial truth: gold answers for some items only",
    "uncertain": "uncertain truth: several people or judges per item",
    "inexact": "inexact items: matched before they were counted",
    "absent": "no truth: systems only, compared with each other",
}
#: Whose votes are left out of the belief that scores a system, by the name of the rule.
LEAVE_OUT = {
    "none": "scores of a system are computed with its own vote in the belief",
    "system": "scores of a system are computed without its own vote in the belief",
    "family": "scores of a system are computed without its family's votes in the belief",
}


def how(payload: Payload) -> list[tuple[str, str]]:
    """List how a result was computed, as (label, text).

    Examples
    --------
    >>> payload = {
    ...     "verb": "curve",
    ...     "id": "c-1",
    ...     "name": "a.run",
    ...     "retrieved": 10,
    ...     "relevant": 5,
    ...     "query": None,
    ...     "ties": "trec",
    ...     "auc": None,
    ...     "version": "0.1.0",
    ...     "created": "2026-11-15T10:00:00Z",
    ...     "input_hash": "ab12",
    ...     "seed": 0,
    ... }
    >>> how(payload)[0]
    ('list', 'a.run: 10 items retrieved, 5 relevant')
    """
    told = {"rank": _rank_facts, "curve": _curve_facts, "belief": _belief_facts}
    rows = told[payload["verb"]](payload)
    made = f"Consilience {payload['version']}, {payload['created']}"
    rows += [
        ("id", payload["id"]),
        ("made by", made),
        ("inputs", f"sha256 {payload['input_hash']}"),
    ]
    return [(label, plain(text)) for label, text in rows]


def _rank_facts(payload: Payload) -> list[tuple[str, str]]:
    belief = payload["belief"]
    others = [name for name in payload["measures"] if name != payload["measure"]]
    shown = f"{payload['measure']} ranks" + (f"; also {', '.join(others)}" if others else "")
    rows = [
        ("measure", shown),
        ("data", sizes(payload)),
        ("truth", truth(payload)),
        *matching_fact(payload),
        *settings(payload),
        ("intervals", intervals(payload)),
        *method_facts(payload),
        ("belief", f"{belief['method']}{voices(belief)}"),
    ]
    if belief.get("assumes"):
        rows.append(("assumes", belief["assumes"]))
    if _own_vote(payload):
        rows.append(("own vote", _own_vote(payload)))
    if belief.get("bounds"):
        rows.append(("limits", limits(belief["bounds"])))
    if without_truth(payload):
        rows.append(("caveat", caveat(payload)))
    return [*rows, *engine_fact(payload)]


def engine_fact(payload: Payload) -> list[tuple[str, str]]:
    """Say where votes beyond memory were worked on; nothing where they were in memory.

    Examples
    --------
    >>> ran = {"name": "duckdb", "ran": "arrays", "parts": 5, "workers": 2, "memory": 2 * 10**9}
    >>> engine_fact({"engine": ran})
    [('engine', 'duckdb, on arrays: 5 parts, 2 workers, at most 2 GB of memory')]
    >>> engine_fact({"engine": {**ran, "name": "memory"}})
    []
    """
    ran = payload.get("engine")
    if ran is None or ran["name"] == "memory":
        return []
    parts = count(ran["parts"], "part"), count(ran["workers"], "worker")
    memory = [] if ran["memory"] is None else [f"at most {ran['memory'] / 1e9:.3g} GB of memory"]
    way = "on arrays" if ran["ran"] == "arrays" else "by expressions inside the engine"
    return [("engine", f"{ran['name']}, {way}: {', '.join([*parts, *memory])}")]


def _own_vote(payload: Payload) -> str:
    """Say whose votes were left out; nothing where truth alone decides."""
    rule = payload.get("leave_out") if payload.get("caveat") else None
    return LEAVE_OUT.get(str(rule), str(rule)) if rule is not None else ""


def limits(bounds: Payload) -> str:
    """Say between which values dependence between respondents lets a figure lie.

    Examples
    --------
    >>> limits({"of": "accuracy of the majority vote", "low": 0.7, "high": 1.0})
    'accuracy of the majority vote: between 0.7000 and 1.0000'
    """
    said = f"{bounds['of']}: between {fixed(bounds['low'])} and {fixed(bounds['high'])}"
    if bounds.get("independent") is not None:
        said += f", {fixed(bounds['independent'])} if errors were independent"
    return f"{said} (assumes: {bounds['assumes']})" if bounds.get("assumes") else said


def _belief_facts(payload: Payload) -> list[tuple[str, str]]:
    rows = [("belief", f"{payload['method']}{voices(payload)}")]
    rows += [("assumes", payload["assumes"])] if payload.get("assumes") else []
    rows += settings(payload)
    return rows + ([("caveat", caveat(payload))] if without_truth(payload) else [])


def _curve_facts(payload: Payload) -> list[tuple[str, str]]:
    retrieved = count(payload["retrieved"], "item")
    facts = f"{payload['name']}: {retrieved} retrieved, {payload['relevant']:,} relevant"
    asked = _asked(payload)
    return [("list", facts), *([("query", asked)] if asked else []), *settings(payload)]


def _asked(payload: Payload) -> str:
    """Name the query of a curve; a list without a query column has the single query "all"."""
    query = payload["query"]
    unnamed = query == "all" and payload.get("queries", 1) == 1
    return "" if query is None or unnamed else str(query)


def truth(payload: Payload) -> str:
    """Say what stood for the truth.

    Examples
    --------
    >>> truth({"condition": "partial"})
    'partial truth: gold answers for some items only'
    """
    condition = str(payload["condition"])
    return CONDITIONS.get(condition, condition)


def voices(belief: Payload) -> str:
    """Say as how many independent respondents the votes count; nothing where it is not known.

    Examples
    --------
    >>> voices({"effective_respondents": 5.27}), voices({})
    (', counted as 5.27 independent respondents', '')
    """
    effective = belief.get("effective_respondents")
    if effective is None:
        return ""
    told = f"{effective:.3g}"
    return f", counted as {told} independent respondent{'' if told == '1' else 's'}"


def sizes(payload: Payload) -> str:
    """Say how much data went into a ranking.

    Examples
    --------
    >>> sizes({"systems": [1, 2], "queries": 50, "items": 12345, "respondents": 2})
    '2 systems, 50 queries, 12,345 items, 2 respondents'
    """
    return ", ".join(
        [
            count(len(payload["systems"]), "system"),
            count(payload["queries"], "query"),
            count(payload["items"], "item"),
            count(payload["respondents"], "respondent"),
        ]
    )


def resampling(payload: Payload) -> str:
    """Say what was resampled, how often and how; or that nothing was.

    Examples
    --------
    >>> resampling({"level": 0.95, "resampling": None})
    'none: nothing was resampled, so nothing is said about chance'
    >>> facts = {
    ...     "unit": "queries",
    ...     "n": 50,
    ...     "samples": 2000,
    ...     "method": "percentile bootstrap",
    ...     "seed": 0,
    ... }
    >>> resampling({"level": 0.95, "resampling": facts})
    '95%, percentile bootstrap; 50 queries resampled 2,000 times, seed 0'
    """
    return resampled(payload)


def methods(payload: Payload) -> str:
    """Write the methods paragraph of a ranking or a curve.

    Examples
    --------
    >>> payload = {
    ...     "verb": "curve",
    ...     "name": "a.run",
    ...     "retrieved": 10,
    ...     "relevant": 5,
    ...     "query": None,
    ...     "ties": "trec",
    ...     "cutoffs": [{"k": 1, "precision": 1.0, "recall": 0.2}],
    ...     "notes": [],
    ...     "version": "0.1.0",
    ...     "id": "c-1",
    ... }
    >>> methods(payload).split(". ")[0]
    'Precision and recall were computed at the 1 cutoff of a.run, with 5 relevant items'
    """
    told = _rank_methods(payload) if payload["verb"] == "rank" else _curve_methods(payload)
    end = f"Computed with Consilience {payload['version']}; result {payload['id']}."
    return plain(f"{told} {end}")


def _rank_methods(payload: Payload) -> str:
    belief = payload["belief"]
    count_of = count(len(payload["systems"]), "system")
    verb = "was" if len(payload["systems"]) == 1 else "were"
    said = [
        f"{count_of} {verb} compared on {count(payload['queries'], 'query')}"
        f" by {payload['measure']} ({averaging(payload)})."
    ]
    said += [part for part in (sentence(ties(payload)), selection(payload)) if part]
    said += [f"Items were matched: {text}." for label, text in matching_fact(payload)[:1]]
    said.append(f"Relevance came from the belief {belief['method']}{voices(belief)}.")
    if belief.get("assumes"):
        said.append(f"It assumes: {belief['assumes'].rstrip('.')}.")
    if _own_vote(payload):
        said.append(sentence(_own_vote(payload)))
    if without_truth(payload):
        said.append(f"{sentence(caveat(payload))} The figures say who agrees, not who is right.")
    return " ".join([*said, *sure_sentences(payload)])


def _curve_methods(payload: Payload) -> str:
    asked = f" for the query {_asked(payload)}" if _asked(payload) else ""
    cutoffs = count(len(payload["cutoffs"]), "cutoff")
    said = [
        f"Precision and recall were computed at the {'first ' if was_cut(payload) else ''}{cutoffs}"
        f" of {payload['name']}{asked}, with {count(payload['relevant'], 'relevant item')}.",
        sentence(ties(payload)),
        selection(payload),
        "AP is given in every variant by name, because they differ.",
    ]
    return " ".join(part for part in said if part)
