"""How sure a ranking is, as sections of its page."""

from __future__ import annotations

from consilience.render import judged, rivals
from consilience.render.markup import details, facts, paragraph, section, table
from consilience.render.sure_methods import sure_facts
from consilience.render.words import Payload, plain, with_caveat


def how_sure(payload: Payload, ranks: str) -> str:
    """Say what was drawn anew, how, and what is withheld; ``ranks`` is the chart of ranks."""
    known = sure_facts(payload)
    return section("How sure", facts(known) if known else "", ranks)


def rivals_of_first(payload: Payload) -> str:
    """Write the first system against all others as a table; nothing in older results."""
    header, rows, kinds = rivals.rivals_table(payload)
    if not rows:
        return ""
    return table(header, rows, kinds=kinds, title=rivals.rivals_caption(payload))


def judgments(payload: Payload, bars: str) -> str:
    """Write what was judged, and what measures for incomplete judgments say."""
    found, _ = judged.companion_scores(payload)
    share = judged.judged_share(payload)
    parts = [paragraph(f"{share}." if share else ""), paragraph(judged.partial_line(payload)), bars]
    if found:
        header, rows = judged.companion_table(payload)
        kinds = ["head", "", "", "number", ""]
        title = f"Measures made for incomplete judgments, beside {plain(payload['measure'])}"
        parts.append(table(header, rows, kinds=kinds, title=title))
        header, rows = judged.companion_scores(payload)
        kinds = ["head", *("number" for _ in header[1:])]
        scores = table(header, rows, kinds=kinds, title="Scores of each system")
        parts.append(details("Scores of each system by these measures", scores))
    return section("What was judged", *parts)


def labels_by_design(payload: Payload) -> str:
    """Write how labels were drawn, and what the estimates would be otherwise."""
    known = judged.design_facts(payload)
    if not known:
        return ""
    header, rows = judged.design_table(payload)
    kinds = ["head", *("number" for _ in header[1:])]
    title = with_caveat(
        f"Other estimates from the same labels. {judged.design_words(payload)}", payload
    )
    made = table(header, rows, kinds=kinds, title=title) if rows else ""
    return section("Labels drawn by design", facts(known), made)
