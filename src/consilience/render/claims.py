"""What a curve says in words: its variants of AP, what was claimed, and how much is shown.

`headline` gives the first sentence of every result, because for a curve it answers the claim.
"""

from __future__ import annotations

import re

from consilience.render.words import Payload, caveat, count, fixed, plain, sentence

#: The AP variants in words; the order is the order of the tables.
VARIANTS = {
    "step": "precision at each relevant item, averaged over the relevant items",
    "interpolated": "as step, with the highest precision from each recall on",
    "11-point": "interpolated precision at recall 0, 0.1, …, 1, averaged",
    "101-point": "interpolated precision at recall 0, 0.01, …, 1, averaged",
    "trapezoid": "joins the points by straight lines, which no system need reach",
}


def areas(payload: Payload) -> list[tuple[str, float | None, str]]:
    """List the AP variants of a curve, and the ROC AUC where it is known: name, value, meaning.

    Examples
    --------
    >>> areas({"ap": {"step": 0.7}, "auc": None})
    [('AP step', 0.7, 'precision at each relevant item, averaged over the relevant items')]
    """
    rows = [(f"AP {name}", value, VARIANTS.get(name, "")) for name, value in payload["ap"].items()]
    if payload["auc"] is not None:
        told = "how often a relevant item stands above one that is not"
        rows.append(("ROC AUC", payload["auc"], told))
    return rows


def was_cut(payload: Payload) -> bool:
    """Say whether a curve holds only its first cutoffs: by its notes, or by its length.

    Examples
    --------
    >>> cutoffs, note = [{"k": 1}], "the curve is cut after 100,000 cutoffs; AP counts all"
    >>> was_cut({"cutoffs": cutoffs, "notes": ["averaged over 2 queries, cutoff by cutoff"]})
    False
    >>> was_cut({"cutoffs": cutoffs, "notes": [note]})
    True
    """
    told = r"(?=.*\b(?:cutoffs|curve)\b)(?=.*\b(?:cut|left out|beyond)\b)"
    if any(re.match(told, note, re.IGNORECASE | re.DOTALL) for note in payload["notes"]):
        return True
    return payload.get("queries") == 1 and len(payload["cutoffs"]) < payload["retrieved"]


def cutoffs_left_out(payload: Payload, shown: int) -> str:
    """Say that a table shows the first cutoffs and the last, and where the others are.

    Examples
    --------
    >>> cutoffs_left_out({"cutoffs": [{"k": k} for k in range(50)], "notes": []}, 20)
    '20 of 50 cutoffs and the last are shown; csv and json hold all.'
    """
    every = f"{len(payload['cutoffs']):,}"
    if was_cut(payload):
        return (
            f"{shown} of the first {every} cutoffs and the last of these are shown;"
            f" csv and json hold these {every}."
        )
    return f"{shown} of {every} cutoffs and the last are shown; csv and json hold all."


def rows_left_out(payload: Payload, shown: int) -> str:
    """Say how many rows of a belief are shown; where all are, how many there are.

    Examples
    --------
    >>> rows_left_out({"rows": [{"item": "d1"}] * 50}, 40), rows_left_out({"rows": []}, 40)
    ('40 of 50 rows are shown; csv, parquet and json hold all.', '0 rows')
    """
    every = len(payload["rows"])
    if every <= shown:
        return count(every, "row")
    return f"{shown} of {every:,} rows are shown; csv, parquet and json hold all."


def belief_cell(name: str, row: Payload) -> str:
    """Write a cell of a belief's table: probabilities with four digits.

    Examples
    --------
    >>> belief_cell("belief", {"belief": 1}), belief_cell("item", {"item": "d1"})
    ('1.0000', 'd1')
    """
    value = row.get(name)
    return fixed(value) if name == "belief" or value is None else plain(value)


def nearest(payload: Payload) -> tuple[str, float] | None:
    """Find the AP variant closest to a claimed value.

    Examples
    --------
    >>> nearest({"claimed": 0.8, "ap": {"step": 0.7, "11-point": 0.79, "trapezoid": None}})
    ('11-point', 0.79)
    """
    known = [(name, value) for name, value in payload["ap"].items() if value is not None]
    return min(known, key=lambda pair: abs(pair[1] - payload["claimed"]), default=None)


def as_claimed(payload: Payload) -> str:
    """Write a claimed figure as it was written: 0.80 is a sharper claim than 0.8.

    Examples
    --------
    >>> as_claimed({"claimed": 0.8, "claimed_text": "0.80"}), as_claimed({"claimed": 0.8})
    ('0.80', '0.8')
    """
    text = payload.get("claimed_text")
    return repr(payload["claimed"]) if text is None else plain(text)


def claim_line(payload: Payload) -> str:
    """Say which AP variant gives the claimed value; when none does, which comes nearest.

    The claimed value is shown as it was written, where that is known.

    Examples
    --------
    >>> claim_line({"claimed": 0.7, "ap": {"step": 0.7}, "matches": ["step"]})
    'The claimed 0.7 is step AP (0.700000).'
    >>> claim_line({"claimed": 0.9, "ap": {"step": 0.7}, "matches": []})
    'No variant gives the claimed 0.9. The nearest is step AP with 0.7000.'
    """
    claimed = as_claimed(payload)
    matches = payload["matches"]
    if matches:
        named = " and ".join(f"{variant} AP ({payload['ap'][variant]:.6f})" for variant in matches)
        return f"The claimed {claimed} is {named}."
    near = nearest(payload)
    if near is None:
        return f"No variant gives the claimed {claimed}: AP is undefined here."
    variant, value = near
    return (
        f"No variant gives the claimed {claimed}. The nearest is {variant} AP with {fixed(value)}."
    )


def headline(payload: Payload) -> str:
    """Give the sentence that comes first: the verdict, or what a curve says.

    Examples
    --------
    >>> headline({"verb": "curve", "name": "a.run", "ap": {"step": 0.78}, "claimed": None})
    'AP of a.run is 0.7800 (step).'
    """
    if payload["verb"] == "rank":
        return plain(payload["verdict"])
    if "headline" in payload:
        return plain(payload["headline"])
    if payload["verb"] == "belief":
        return f"{count(len(payload['rows']), 'belief')} by {plain(payload['method'])}."
    step = payload["ap"].get("step")
    name = plain(payload["name"])
    said = (
        f"AP of {name} is undefined." if step is None else f"AP of {name} is {fixed(step)} (step)."
    )
    if payload["claimed"] is None:
        return said
    return f"{said} {claim_line(payload)}"


def caveat_line(payload: Payload) -> str:
    """Give the caveat as a sentence to stand under the headline, unless the headline says it.

    Examples
    --------
    >>> caveat_line({"verb": "rank", "verdict": "a agrees most.", "condition": "absent"})
    'No ground truth was used: this is agreement.'
    """
    said = caveat(payload)
    return "" if said.lower() in headline(payload).lower() else sentence(said)


def withheld_clause(payload: Payload) -> str:
    """Give the first clause of why no values are given; nothing where they are.

    Examples
    --------
    >>> withheld_clause({"withheld": "fewer than three sources (2): only the order is given"})
    'fewer than three sources (2)'
    """
    return re.split(r"[:;,.](?=\s|$)", plain(payload.get("withheld") or ""), maxsplit=1)[0].strip()


def withheld_line(payload: Payload) -> str:
    """Say in a sentence why no values are given, unless the headline says it already.

    Examples
    --------
    >>> why = "fewer than three sources: only the order is given"
    >>> withheld_line({"verb": "rank", "verdict": "a comes first.", "withheld": why})
    'Fewer than three sources: only the order is given.'
    >>> told = "a comes first, but there are fewer than three sources."
    >>> withheld_line({"verb": "rank", "verdict": told, "withheld": why})
    ''
    """
    if withheld_clause(payload).lower() in headline(payload).lower():
        return ""
    return sentence(plain(payload["withheld"]))
