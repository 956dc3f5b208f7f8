"""Two results side by side: what went in, what was asked, what each system scored, who is first.

Nothing is computed anew: figures are those of the two results, and their differences. Two results
of different verbs answer different questions and are not compared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeAlias

from consilience._version import __version__
from consilience.errors import UsageError

Payload: TypeAlias = Mapping[str, Any]
#: A score as results of every verb can give it: value, interval, rank, rank's interval, P(first).
Figure: TypeAlias = dict[str, Any]
#: What results of these verbs give figures of.
OF = {
    "rank": "system",
    "distributions": "system",
    "tree": "system",
    "displacement": "system",
    "agree": "annotator",
}
#: Settings that stand beside the settings of a result.
_BESIDE = ("condition", "level", "delta", "beta", "leave_out", "category", "query_item", "budget")


def compared(before: Payload, after: Payload) -> dict[str, Any]:
    """Compare two results of a verb.

    Parameters
    ----------
    before, after : mapping
        Two stored results; ``before`` is the one that comes first in every table.

    Returns
    -------
    dict
        A result of the verb ``diff``: ``settings`` and ``files`` that differ, ``figures`` of both
        with their differences, who was and is ``first``, a ``headline``.

    Raises
    ------
    UsageError
        Where the two are results of different verbs.

    Examples
    --------
    >>> import consilience as cs
    >>> study = cs.example_study("keyphrases")
    >>> two = [cs.rank(study, measures=[name]).payload() for name in ("F1", "P")]
    >>> made = compared(*two)
    >>> made["measure"], [one["name"] for one in made["settings"]]
    (None, ['measures'])
    >>> compared(two[0], two[0])["headline"]
    'The same verdict: multi-rake is first, settled.'
    """
    verb = before["verb"]
    if verb != after["verb"]:
        raise UsageError(
            f"a result of {verb} and one of {after['verb']} answer different questions "
            "(fix: choose two results of the same verb)"
        )
    measure = _measure(before, after)
    sides = [_side(one) for one in (before, after)]
    body = {
        "of": verb,
        "noun": OF.get(verb),
        "measure": measure,
        "before": sides[0],
        "after": sides[1],
        "settings": _settings(before, after),
        "files": _files(before, after),
        "same_inputs": before["input_hash"] == after["input_hash"],
        "figures": _rows(before, after, measure),
        "headline": _headline(sides[0], sides[1]),
        "notes": _notes(before, after, measure),
    }
    return _stamped(body, before, after)


def _stamped(body: dict[str, Any], before: Payload, after: Payload) -> dict[str, Any]:
    """Add what every result has; the id depends on the two ids alone."""
    both = f"{before['id']} {after['id']} {before['input_hash']} {after['input_hash']}"
    digest = hashlib.sha256(both.encode()).hexdigest()
    created = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    head = {"verb": "diff", "version": __version__, "seed": 0, "inputs": []}
    return {**head, "input_hash": digest, "id": f"diff-{digest[:12]}", "created": created, **body}


def _side(payload: Payload) -> dict[str, Any]:
    """Tell one result: which it is, what it says, who is first in it."""
    alpha = payload.get("alpha")
    return {
        **{key: payload[key] for key in ("id", "created", "version", "input_hash")},
        "seed": payload.get("seed"),
        "headline": payload.get("headline") or payload.get("verdict") or "",
        "first": first(payload),
        "measure": payload.get("measure"),
        "settled": payload.get("settled"),
        "alpha": alpha["value"] if isinstance(alpha, Mapping) else None,
        "queries": payload.get("queries"),
        "items": payload.get("items"),
        "caveat": payload.get("caveat"),
    }


def first(payload: Payload) -> list[str]:
    """Name who stands first in a result: several where they are equal, none where nobody ranks.

    Examples
    --------
    >>> first({"verb": "displacement", "aggregate": {"a": {"quality": 0.4, "interval": None}}})
    ['a']
    >>> first({"verb": "agree", "annotators": []})
    []
    """
    if OF.get(payload["verb"]) != "system":
        return []
    found = figures(payload, payload.get("measure"))
    return [name for name, one in found.items() if one["rank"] == 1]


def figures(payload: Payload, measure: str | None) -> dict[str, Figure]:
    """Give what each system, or annotator, scored in a result; ``measure`` where it has several."""
    verb = payload["verb"]
    if verb == "rank":
        return {one["name"]: _ranked(one, measure, payload) for one in payload["systems"]}
    if verb == "displacement":
        known: Mapping[str, Any] = payload["aggregate"]
        return _placed({name: (one["quality"], one["interval"]) for name, one in known.items()})
    if verb in ("distributions", "tree"):
        scored = {
            one["name"]: one.get(measure or "f1") or {} for one in payload.get("systems") or []
        }
        pairs = {name: (one.get("mean"), one.get("interval")) for name, one in scored.items()}
        return _placed(pairs)
    if verb == "agree":
        pairs = {one["name"]: (one["kappa"], one["interval"]) for one in payload["annotators"]}
        return {name: _figure(*one) for name, one in pairs.items()}
    return {}


def _figure(value: float | None, interval: Sequence[float] | None, **more: Any) -> Figure:
    asked = {"rank": None, "rank_interval": None, "p_best": None}
    return {"value": value, "interval": interval, **asked, **more}


def _ranked(system: Payload, measure: str | None, payload: Payload) -> Figure:
    """Give a system's score by a measure; ranks belong to the measure that ranks."""
    score = system["scores"].get(measure) or {}
    own = measure in (None, payload["measure"])
    said = {key: system.get(key) for key in ("rank", "rank_interval", "p_best")} if own else {}
    return _figure(score.get("value"), score.get("interval"), **said)


def _placed(known: Mapping[str, tuple[float | None, Sequence[float] | None]]) -> dict[str, Figure]:
    """Give systems their place by value: one more than how many are higher."""
    values = [value for value, _ in known.values() if value is not None]
    return {
        name: _figure(
            value,
            interval,
            rank=None if value is None else 1 + sum(other > value for other in values),
        )
        for name, (value, interval) in known.items()
    }


def _measure(before: Payload, after: Payload) -> str | None:
    """Choose the measure by which both are compared: the later one's first that both have."""
    if after["verb"] == "displacement":
        return "quality"
    if after["verb"] == "agree":
        return "kappa" if before["scale"]["name"] == after["scale"]["name"] else None
    if after["verb"] in ("distributions", "tree"):
        return str(after.get("measure") or "f1")
    wanted = [after.get("measure"), before.get("measure"), *(after.get("measures") or ())]
    both = {*(before.get("measures") or ())} & {*(after.get("measures") or ())}
    return next((name for name in wanted if name in both), None)


def _rows(before: Payload, after: Payload, measure: str | None) -> list[dict[str, Any]]:
    """Put the figures of both side by side: in the order of the later one, then who is gone."""
    old, new = (figures(one, measure or one.get("measure")) for one in (before, after))
    return [
        {
            "name": name,
            "before": old.get(name),
            "after": new.get(name),
            "difference": _difference(old.get(name), new.get(name)) if measure else None,
        }
        for name in (*new, *(name for name in old if name not in new))
    ]


def _difference(old: Figure | None, new: Figure | None) -> float | None:
    if old is None or new is None or old["value"] is None or new["value"] is None:
        return None
    return float(new["value"] - old["value"])


def settings_of(payload: Payload) -> dict[str, Any]:
    """Give all that was asked and how, by name: what two results can differ in.

    Examples
    --------
    >>> settings_of({"level": 0.9, "settings": {"ties": "trec"}, "measures": ["AP"], "seed": 1})
    {'level': 0.9, 'ties': 'trec', 'measures': 'AP', 'seed': 1}
    """
    made = {name: payload[name] for name in _BESIDE if name in payload}
    made |= payload.get("settings") or {}
    if payload.get("measures"):
        made["measures"] = ", ".join(str(one) for one in payload["measures"])
    belief = payload.get("belief")
    if isinstance(belief, Mapping) and "method" in belief:
        made["belief"] = belief["method"]
    scale = payload.get("scale")
    if isinstance(scale, Mapping):
        made["scale"] = scale["name"]
    return made | {name: payload[name] for name in ("seed", "version") if name in payload}


def _settings(before: Payload, after: Payload) -> list[dict[str, Any]]:
    old, new = settings_of(before), settings_of(after)
    return [
        {"name": name, "before": old.get(name), "after": new.get(name)}
        for name in dict.fromkeys([*new, *old])
        if json.dumps(old.get(name)) != json.dumps(new.get(name))
    ]


def _files(before: Payload, after: Payload) -> list[dict[str, Any]]:
    """List the files that only one result has, or that have other rows in each."""
    old, new = (
        {one["file"]: one.get("rows") for one in side["inputs"]} for side in (before, after)
    )
    return [
        {"file": file, "before": old.get(file), "after": new.get(file)}
        for file in dict.fromkeys([*new, *old])
        if old.get(file) != new.get(file)
    ]


def _notes(before: Payload, after: Payload, measure: str | None) -> list[str]:
    said = []
    if measure is None and OF.get(after["verb"]):
        said.append("the two have no measure in common: scores are given, differences are not")
    ranks = [one.get("measure") for one in (before, after)]
    if after["verb"] == "rank" and ranks[0] != ranks[1]:
        said.append(f"{ranks[0]} ranked before, {ranks[1]} ranks now: ranks are not comparable")
    if before["input_hash"] != after["input_hash"] and not _files(before, after):
        said.append(
            "the same files went in; their content, the labels, or how much of them counted differs"
        )
    if bool(before.get("caveat")) != bool(after.get("caveat")):
        said.append("one of the two rests on agreement alone, the other one on truth")
    return said


def _headline(before: Payload, after: Payload) -> str:
    """Say what has changed in the verdict."""
    if after["alpha"] is not None or before["alpha"] is not None:
        return _alphas(before["alpha"], after["alpha"])
    if not before["first"] and not after["first"]:
        same = before["headline"] == after["headline"]
        return "Both say the same." if same else "The two say different things."
    other = before["measure"] != after["measure"]
    sides = [_standing(side, measure=other) for side in (before, after)]
    if sides[0] == sides[1] and bool(before["caveat"]) == bool(after["caveat"]):
        return f"The same verdict: {sides[1]}."
    if bool(before["caveat"]) != bool(after["caveat"]):
        basis = ("without truth", "by truth")
        sides = [
            f"{said}, {basis[not side['caveat']]}"
            for said, side in zip(sides, (before, after), strict=True)
        ]
    return f"Before: {sides[0]}. Now: {sides[1]}."


def _standing(side: Payload, *, measure: bool) -> str:
    who, be = ", ".join(side["first"]) or "nobody", "are" if len(side["first"]) > 1 else "is"
    known = {True: ", settled", False: ", not settled", None: ""}[side["settled"]]
    by = f" by {side['measure']}" if measure and side["measure"] else ""
    return f"{who} {be} first{by}{known}"


def _alphas(old: float | None, new: float | None) -> str:
    told = ["undefined" if one is None else f"{one:.2f}" for one in (old, new)]
    return f"Before: α = {told[0]}. Now: α = {told[1]}."
