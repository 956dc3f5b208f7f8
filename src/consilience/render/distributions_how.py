"""How distributions were computed, in words: short facts, and a paragraph for a paper."""

from __future__ import annotations

from consilience.render.distributions_charts import label
from consilience.render.how import engine_fact, truth, voices
from consilience.render.settings import settings
from consilience.render.words import Payload, caveat, count, percent, plain, sentence

#: What is random in every interval, where a result does not say it.
RANDOM = "the truth, as the belief has it"


def badges(payload: Payload) -> tuple[str, ...]:
    """Give the short facts under the headline: how much data, which truth, which level."""
    sizes = [
        count(len(payload["systems"]), "system"),
        count(payload["queries"], "query"),
        count(payload["items"], "item"),
    ]
    said = (", ".join(sizes), f"{percent(payload['level'])} intervals of what the truth may be")
    return said if caveat(payload) else (*said, truth(payload))


def facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    """Tell how the distributions were computed, as (label, text)."""
    belief = payload["belief"]
    rows = [
        ("data", badges(payload)[0]),
        ("truth", truth(payload)),
        ("belief", f"{belief['method']}{voices(belief)}"),
        *([("assumes", belief["assumes"])] if belief.get("assumes") else []),
        *closing_facts(payload),
    ]
    return tuple((name, plain(said)) for name, said in rows)


def closing_facts(payload: Payload) -> list[tuple[str, str]]:
    """Tell of intervals, settings and draws: what does not depend on where the belief is from."""
    rows = [
        ("intervals", f"{percent(payload['level'])}; random: {payload.get('random') or RANDOM}"),
        *settings(payload),
    ]
    if payload.get("delta") and payload["pairs"]:
        rows.append(("margin", f"δ = {payload['delta']:g}: beats by at least so much"))
    drawn = simulated(payload)
    if drawn:
        rows.append(("draws", drawn))
    if caveat(payload):
        rows.append(("caveat", caveat(payload)))
    return [*rows, *engine_fact(payload)]


def simulated(payload: Payload) -> str:
    """Say how many truths were drawn, and with which seed; nothing where none was.

    Examples
    --------
    >>> pair = {"paired": {"method": "simulation", "draws": 2000, "seed": 0}}
    >>> simulated({"pairs": [pair]})
    '2,000 truths drawn where not all could be gone through, seed 0'
    """
    found = [one["paired"] for one in payload["pairs"] if one["paired"]["method"] == "simulation"]
    drawn = payload.get("simulation") or (found[0] if found else None)
    if drawn is None:
        return ""
    return (
        f"{drawn['draws']:,} truths drawn where not all could be gone through, seed {drawn['seed']}"
    )


def methods(payload: Payload) -> str:
    """Write the methods paragraph, for a paper."""
    belief = payload["belief"]
    said = [
        f"Relevance came from the belief {belief['method']}{voices(belief)}.",
        f"It assumes: {belief['assumes'].rstrip('.')}." if belief.get("assumes") else "",
    ]
    return plain(" ".join(part for part in (*said, measured(payload)) if part))


def measured(payload: Payload) -> str:
    """Say how the distributions were computed, in sentences for a paper."""
    if not payload["systems"]:
        return ""
    systems = count(len(payload["systems"]), "system")
    said = [
        f"Precision, recall, {label('f1', payload)} and AP of {systems} on"
        f" {count(payload['queries'], 'query')} are distributions over what the truth may be; items"
        " are relevant independently of each other, given the belief.",
        f"Means are given with {percent(payload['level'])} intervals.",
        sentence(simulated(payload)),
    ]
    if caveat(payload):
        said.append(f"{sentence(caveat(payload))} The figures say who agrees, not who is right.")
    return " ".join(part for part in said if part)
