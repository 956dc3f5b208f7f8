"""Rankings and curves as parts of a page, and as a page that opens anywhere, without a network.

The page holds the verdict, every figure as a table, and charts drawn from the same figures. What
comes from the payload is escaped, and the content security policy of the page lets no other script
run than the ones it names by hash.
"""

from __future__ import annotations

from collections.abc import Callable

from consilience.render import (
    agreement_charts,
    charts,
    cutoff_charts,
    forest_chart,
    pair_charts,
    sure_charts,
)
from consilience.render.agreement import alike_lines, has_panel, panel_lines, remarks
from consilience.render.agreement_twins import (
    alike_twin,
    families,
    method_ranks_twin,
    methods_alike_twin,
    methods_table,
)
from consilience.render.claims import (
    as_claimed,
    cutoffs_left_out,
    headline,
    withheld_clause,
    withheld_line,
)
from consilience.render.how import how, methods, sizes, truth
from consilience.render.markup import (
    facts,
    figure,
    inputs_table,
    listing,
    paragraph,
    section,
    table,
)
from consilience.render.matching import matching_lines
from consilience.render.page import Chart, Parts, drawing, page
from consilience.render.sure import design_line, drawn_line, known, stop_line
from consilience.render.sure_page import how_sure, judgments, labels_by_design, rivals_of_first
from consilience.render.tables import (
    caption,
    cutoff_table,
    rank_kinds,
    rank_table,
    variant_table,
)
from consilience.render.theme import Spec
from consilience.render.twins import differences, forest_twin, pairs_twin, precision_recall_twin
from consilience.render.words import Payload, caveat, gaps, percent, plain, tie_lines, without_truth

#: Rows of a cutoff table that are shown before the last one.
CUTOFFS = 500

Words = Callable[[Payload], str]

#: The charts of a ranking: name, drawing, description, and the table with the same figures.
PLANNED: tuple[tuple[str, Chart, Words, Words], ...] = (
    ("forest", forest_chart.forest, forest_chart.forest_words, forest_twin),
    ("ranks", sure_charts.ranks, sure_charts.ranks_words, sure_charts.ranks_twin),
    ("pairs", pair_charts.pairs, pair_charts.pairs_words, pairs_twin),
    ("judged", sure_charts.judged, sure_charts.judged_words, sure_charts.judged_twin),
    (
        "precision-recall",
        charts.precision_recall,
        charts.precision_recall_words,
        precision_recall_twin,
    ),
    ("cutoffs", cutoff_charts.cutoffs, cutoff_charts.cutoffs_words, cutoff_charts.cutoffs_twin),
    ("alike", agreement_charts.alike, agreement_charts.alike_words, alike_twin),
    (
        "methods",
        agreement_charts.methods_alike,
        agreement_charts.methods_alike_words,
        methods_alike_twin,
    ),
    (
        "method-ranks",
        agreement_charts.method_ranks,
        agreement_charts.method_ranks_words,
        method_ranks_twin,
    ),
)


def parts(payload: Payload, *, prefix: str = "") -> Parts:
    """Tell a ranking or a curve as the parts of a page.

    Parameters
    ----------
    payload : mapping
        A stored result of the verb ``rank`` or ``curve``.
    prefix : str
        Stands before the names of the charts.
    """
    told = _rank if payload["verb"] == "rank" else _curve
    content, drawings = told(payload, prefix)
    badges = tuple(_badges(payload))
    return Parts(_title(payload), headline(payload), badges, content, drawings)


def html(payload: Payload) -> str:
    """Write a ranking or a curve as a page that stands alone.

    Parameters
    ----------
    payload : mapping
        A stored result of the verb ``rank`` or ``curve``.

    Returns
    -------
    str
        A complete HTML document with everything it needs.
    """
    return page(parts(payload), payload)


def _title(payload: Payload) -> str:
    if payload["verb"] == "rank":
        return f"Ranking by {plain(payload['measure'])}"
    return f"Precision and recall of {plain(payload['name'])}"


def _badges(payload: Payload) -> list[tuple[str, str]]:
    if payload["verb"] != "rank":
        return []
    said = [("fact", "settled" if payload["settled"] else "not settled"), ("fact", sizes(payload))]
    if payload["resampling"] is not None or known(payload).get("method"):
        said[0] = ("fact", f"{said[0][1]} at {percent(payload['level'])}")
    if without_truth(payload):
        said.append(("caution", caveat(payload)))
    else:
        said.append(("fact", truth(payload)))
    if payload.get("withheld"):
        said.append(("caution", f"only the order is given: {withheld_clause(payload)}"))
    return said


def _rank(payload: Payload, prefix: str) -> tuple[str, dict[str, Spec]]:
    drawings: dict[str, Spec] = {}
    figures = dict.fromkeys((name for name, *_ in PLANNED), "")
    for name, chart, words, twin in PLANNED:
        made = drawing(chart, payload)
        if made is not None:
            drawings[prefix + name] = made
            figures[name] = figure(prefix + name, words(payload), twin(payload))
    measure = plain(payload["measure"])
    sections = [
        section(
            "Ranking",
            paragraph(withheld_line(payload)),
            paragraph(stop_line(payload)),
            _rank_table(payload),
            paragraph(design_line(payload)),
            paragraph(drawn_line(payload), "aside"),
            listing(gaps(payload), "small"),
        ),
        section(f"{measure} of each system", figures["forest"]),
        section("Not told apart by these data", listing(tie_lines(payload))),
        how_sure(payload, figures["ranks"]),
        section(
            _pairs_title(payload),
            figures["pairs"],
            rivals_of_first(payload),
            differences(payload),
        ),
        judgments(payload, figures["judged"]),
        labels_by_design(payload),
        section("Precision and recall", figures["precision-recall"]),
        section("Precision and recall at each cutoff", figures["cutoffs"]),
        section(
            "Which systems answer alike",
            listing(alike_lines(payload)),
            figures["alike"],
            families(payload),
        ),
        section(
            "How far the methods agree",
            methods_table(payload) if has_panel(payload) else "",
            listing(panel_lines(payload), "small"),
            figures["methods"],
            figures["method-ranks"],
        ),
        section("Other ways of matching", listing(matching_lines(payload))),
        *_closing(payload),
    ]
    return "\n".join(one for one in sections if one), drawings


def _pairs_title(payload: Payload) -> str:
    return "Who agrees more with the others" if without_truth(payload) else "Who beats whom"


def _rank_table(payload: Payload) -> str:
    header, rows = rank_table(payload)
    return table(header, rows, kinds=rank_kinds(header), title=caption(payload))


def _curve(payload: Payload, prefix: str) -> tuple[str, dict[str, Spec]]:
    made, twin = drawing(charts.curve, payload), _cutoffs(payload)
    name = f"{prefix}curve"
    drawn = twin if made is None else figure(name, charts.curve_words(payload), twin)
    claimed = "" if payload["claimed"] is None else _claim(payload)
    header, rows = variant_table(payload)
    variants = table(header, rows, kinds=["head", "number", ""], title="AP by variant")
    sections = [
        section("Average precision", variants, claimed),
        section("Precision and recall", drawn),
        *_closing(payload),
    ]
    return "\n".join(one for one in sections if one), {} if made is None else {name: made}


def _claim(payload: Payload) -> str:
    rows = [[variant, repr(payload["ap"][variant])] for variant in payload["matches"] or []]
    if not rows:
        return ""
    title = f"Variants that give the claimed {as_claimed(payload)}"
    return table(["AP", "value"], rows, kinds=["head", "number"], title=title)


def _cutoffs(payload: Payload) -> str:
    cutoffs = payload["cutoffs"]
    whole = len(cutoffs) <= CUTOFFS + 1
    header, rows = cutoff_table(cutoffs if whole else [*cutoffs[:CUTOFFS], cutoffs[-1]])
    listed = table(header, rows, kinds=["head", "number", "number"], title=caption(payload))
    if whole:
        return listed
    return f"{listed}\n{paragraph(cutoffs_left_out(payload, CUTOFFS), 'aside')}"


def _closing(payload: Payload) -> list[str]:
    return [
        section("Notes", listing(remarks(payload))),
        section("How this was computed", paragraph(methods(payload)), facts(how(payload))),
        section("Inputs", inputs_table(payload)),
    ]
