"""How items were matched in a ranking, and what other ways of matching would have said."""

from __future__ import annotations

from consilience.render.words import Payload, fixed, plain


def matching_lines(payload: Payload) -> list[str]:
    """Say for every other way of matching who leads; nothing where items must be equal.

    Examples
    --------
    >>> other = {"similarity": "exact", "variant": "coverage", "floor": 0.0, "tau": 0.5}
    >>> other |= {"winner": ["b"], "same_winner": False}
    >>> matching_lines({"matching": {"alternatives": [other]}})
    ['coverage of exact similarities: b leads instead (τ 0.50)']
    """
    known = payload.get("matching") or {}
    return [_line(one) for one in known.get("alternatives") or []]


def _line(one: Payload) -> str:
    first = " and ".join(plain(name) for name in one["winner"]) or "nobody"
    leads = "leads" if len(one["winner"]) < 2 else "lead"
    instead = "" if one["same_winner"] else " instead"
    tau = "" if one["tau"] is None else f" (τ {fixed(one['tau'], 2)})"
    return f"{_way(one)}: {first} {leads}{instead}{tau}"


def _way(one: Payload) -> str:
    floor = f" from {one['floor']:g} on" if one["floor"] else ""
    variants = {None: "", "assignment": "one-to-one matching of "}
    how = variants.get(one["variant"], f"{one['variant']} of ")
    return f"{how}{plain(one['similarity'])} similarities{floor}"


def matching_fact(payload: Payload) -> list[tuple[str, str]]:
    """Say how items were matched, as (label, text); nothing where they must be equal."""
    known = payload.get("matching")
    if not known:
        return []
    said = _way(known)
    if known["mode"] is not None:
        said += f"; {known['mode']}"
    if known["text"]:
        said += "; " + ", ".join(f"{name} {value}" for name, value in known["text"].items())
    return [("matching", said), *(("repaired", one) for one in known["repairs"])]
