"""How the figures of ``agree`` were computed, as facts and as a paragraph."""

from __future__ import annotations

from consilience.render.words import Payload, count, percent, plain, sentence


def facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    """Tell how the figures were computed."""
    drawn, scale = payload["resampling"], payload["scale"]
    found = [("scale", f"{scale['name']}: {plain(scale['why'])}")]
    if payload["alpha"]["interval"] is not None:
        said = f"{drawn['samples']:,} draws of {count(drawn['n'], 'item')}, seed {drawn['seed']};"
        found.append(("intervals of all", f"{said} {plain(drawn['method'])}"))
    found.append(
        ("intervals of one", "linearised over items (infinitesimal jackknife), Student's t")
    )
    found.append(("missing", "labels that were not given stay missing; silence is no label"))
    return tuple(found)


def methods(payload: Payload) -> str:
    """Tell the same as a paragraph for a paper."""
    scale, alpha = payload["scale"]["name"], payload["alpha"]
    named = {
        "nominal": "the nominal metric",
        "ordinal": "the ordinal metric",
        "interval": "the interval metric",
        "tree": "the number of edges between two categories of the tree as squared difference",
    }
    said = (
        f"Agreement between {count(len(payload['annotators']), 'annotator')} on"
        f" {count(payload['compared'], 'item')} with at least two labels is Krippendorff's alpha"
        f" with {named[scale]} (Krippendorff 2011)"
    )
    if alpha["interval"] is not None:
        drawn = payload["resampling"]
        said += (
            f"; its {percent(payload['level'])} interval draws the items {drawn['samples']:,} times"
            f" anew (seed {drawn['seed']}; {plain(drawn['method'])})"
        )
    said += ". Pairs of annotators are compared by Cohen's kappa"
    weights = {
        "kappa_quadratic": " with quadratic weights (Cohen 1968)",
        "kappa_tree": " weighted by the edges of the tree (Cohen 1968)",
    }
    said += weights.get(payload["scale"]["kappa"], " (Cohen 1960)")
    return sentence(said)
