"""What ``agree`` tells: how far annotators agree, who differs, what they confuse, what to discuss.

The rows of CSV and Parquet are the annotators.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from consilience.render import agree_charts as charts
from consilience.render import agree_methods as how
from consilience.render.agree_charts import kappa_name, who
from consilience.render.report import (
    CELL,
    HEAD,
    NUMBER,
    ColumnKind,
    Lines,
    Picture,
    Report,
    Said,
    Section,
    Table,
)
from consilience.render.words import (
    DASH,
    Payload,
    count,
    fixed,
    percent,
    plain,
)

#: Columns of CSV and Parquet, with their Arrow types.
COLUMNS = {
    "annotator": "string",
    "labels": "int64",
    "items": "int64",
    "percent": "float64",
    "kappa": "float64",
    "low": "float64",
    "high": "float64",
    "undefined": "string",
    "odd": "string",
    "alpha_without": "float64",
    "says": "string",
    "others_say": "string",
    "share": "float64",
}
#: Rows that are shown: annotators, confusions, items, pairs; and annotators of the matrix.
ANNOTATORS, CONFUSIONS, ITEMS, PAIRS, MATRIX = 30, 10, 15, 15, 12
#: How two categories lie to each other in the tree.
RELATIONS = {
    "siblings": "between siblings",
    "lineage": "between a category and one above it",
    "elsewhere": "elsewhere in the tree",
}
#: The same in a cell of a table.
RELATED = {"siblings": "siblings", "lineage": "one above the other", "elsewhere": "elsewhere"}


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give the rows of CSV and Parquet: one annotator each, those who agree least first."""
    made = []
    for one in payload["annotators"]:
        low, high = one["interval"] or (None, None)
        met = one["deviation"] or {}
        made.append(
            {
                "annotator": one["name"],
                "labels": one["labels"],
                "items": one["n"],
                "percent": one["percent"],
                "kappa": one["kappa"],
                "low": low,
                "high": high,
                "undefined": one["undefined"],
                "odd": "yes" if one["odd"] else "no",
                "alpha_without": one["alpha_without"],
                "says": met.get("says"),
                "others_say": met.get("others"),
                "share": met.get("share"),
            }
        )
    return made


def report(payload: Payload) -> Report:
    """Say what a result of ``agree`` tells.

    Parameters
    ----------
    payload : mapping
        A stored result of the verb.

    Returns
    -------
    Report
        The document, without a format.
    """
    scale = payload["scale"]
    return Report(
        title="Do annotators agree?",
        headline=payload["headline"],
        sections=(
            Section("Agreement of all", (overall(payload), Lines(tuple(gaps(payload))))),
            Section("Each annotator against the others", _people(payload)),
            Section("Each two annotators", _pairs(payload)),
            Section("What is confused", _confused(payload)),
            Section("Items to discuss first", (discuss(payload),)),
        ),
        facts=how.facts(payload),
        methods=how.methods(payload),
        badges=(
            _annotators(payload),
            f"{count(payload['compared'], 'item')} with two labels or more",
            count(payload["labels"], "label"),
            f"scale: {scale['name']}",
        ),
        caution="agreement is not truth: annotators may agree and be wrong together",
    )


def _annotators(payload: Payload) -> str:
    """Count the annotators, and the language models among them."""
    models = sum(one.get("kind") == "llm" for one in payload["annotators"])
    among = f", {count(models, 'language model')} among them" if models else ""
    return count(len(payload["annotators"]), "annotator") + among


def overall(payload: Payload) -> Table:
    """Write the coefficients over all annotators, in letters that every LaTeX knows."""
    named = (
        (f"Krippendorff's alpha ({payload['scale']['name']})", "alpha"),
        ("Fleiss' kappa (nominal)", "fleiss"),
        ("equal labels, per pair", "percent"),
    )
    return Table(
        f"Over all annotators; in brackets {percent(payload['level'])} intervals over items."
        " Alpha and kappa: 1 is full agreement, 0 what chance gives.",
        ("figure", "value", "interval"),
        tuple(
            (name, fixed(payload[key]["value"]), _span(payload[key]["interval"]))
            for name, key in named
        ),
        ("head", NUMBER, NUMBER),
        main=True,
    )


def _span(interval: Any) -> str:
    return DASH if interval is None else f"[{fixed(interval[0])}, {fixed(interval[1])}]"


def gaps(payload: Payload) -> list[str]:
    """Say what is undefined, and why."""
    said = {"alpha": "α", "fleiss": "Fleiss' κ", "percent": "the share of equal labels"}
    lines = [
        f"{name} is undefined: {plain(payload[key]['undefined'])}"
        for key, name in said.items()
        if payload[key]["undefined"]
    ]
    bare = {payload[key]["interval_undefined"]: None for key in said}
    lines += [
        f"no interval: {plain(why)}"
        for why in bare
        if why and why not in {payload[key]["undefined"] for key in said}
    ]
    return lines


def _people(payload: Payload) -> tuple[Table | Said | Picture, ...]:
    return (
        people(payload),
        Said(odd_ones(payload)),
        Picture(
            "annotators",
            partial(charts.each_annotator, payload),
            charts.each_annotator_words(payload),
            people(payload, most=len(payload["annotators"])),
        ),
    )


def people(payload: Payload, most: int = ANNOTATORS) -> Table:
    """Write each annotator's agreement with the others, the lowest first."""
    every = payload["annotators"]
    without = any(one["alpha_without"] is not None for one in every)
    made = []
    for one in every[:most]:
        met = one["deviation"]
        typical = DASH
        if met is not None:
            typical = f"{plain(met['says'])}, others {plain(met['others'])}"
            typical += f" ({_share(met['share'])})"
        value = fixed(one["kappa"], 2)
        if one["interval"] is not None:
            value += f" [{fixed(one['interval'][0], 2)}, {fixed(one['interval'][1], 2)}]"
        cells = (f"{one['n']:,}", _share(one["percent"]), value)
        more = (fixed(one["alpha_without"], 2),) if without else ()
        made.append((who(one), *cells, *more, typical))
    title = f"Agreement with the other labels of the same items: {kappa_name(payload)}; the lowest"
    title += " first."
    title += " Last: what they say most often where others say something else, and the share of"
    title += " their labels."
    extra = ("α without",) if without else ()
    return Table(
        title,
        ("annotator", "items", "equal", "κ with the others", *extra, "differs most often"),
        tuple(made),
        ("head", NUMBER, NUMBER, "score", *(NUMBER for _ in extra), ""),
        left_out=""
        if len(every) <= most
        else f"{most} of {len(every):,} annotators; JSON, CSV and Parquet hold all.",
    )


def _share(value: float | None) -> str:
    return DASH if value is None else f"{100 * value:.0f}%"


def odd_ones(payload: Payload) -> str:
    """Name the annotators who agree with the others clearly less than is usual."""
    odd = [who(one) for one in payload["annotators"] if one["odd"]]
    if not odd:
        return ""
    named = ", ".join(odd[:12]) + (f" and {len(odd) - 12:,} more" if len(odd) > 12 else "")
    return (
        f"Clearly below the middle annotator, also when all are compared at once: {named}. That"
        " says who differs, not who is wrong."
    )


def _pairs(payload: Payload) -> tuple[Table | Said | Picture, ...]:
    few = len(charts.paired(payload)) <= MATRIX
    common = [pair["n"] for pair in payload["pairs"]]
    shared = ""
    if common:
        low, high = min(common), max(common)
        shared = f"{low:,} to {high:,}" if low < high else f"{low:,}"
        shared = f"Items that two annotators share: {shared}."
    picture = Picture(
        "pairs",
        partial(charts.pair_matrix, payload),
        charts.pair_matrix_words(payload),
        pair_list(payload, most=len(payload["pairs"])),
    )
    return (matrix(payload) if few else pair_list(payload), Said(shared), picture)


def matrix(payload: Payload) -> Table:
    """Write κ of each two annotators below the diagonal, the share of equal labels above."""
    names, field = charts.paired(payload), payload["scale"]["kappa"]
    known = {(pair["a"], pair["b"]): pair for pair in payload["pairs"]}
    made = []
    for i, one in enumerate(names):
        cells = []
        for j, other in enumerate(names):
            pair = known.get((one, other) if i < j else (other, one))
            if i == j or pair is None:
                cells.append("" if i == j else DASH)
            else:
                cells.append(_share(pair["percent"]) if i < j else fixed(pair[field], 2))
        made.append((plain(one), *cells))
    return Table(
        f"Below the diagonal: {kappa_name(payload)}; above: the share of equal labels.",
        ("", *(plain(name) for name in names)),
        tuple(made),
        ("head", *(CELL for _ in names)),
    )


def pair_list(payload: Payload, most: int = PAIRS) -> Table:
    """List pairs of annotators with a defined κ, those who agree least first."""
    field = payload["scale"]["kappa"]
    known = [pair for pair in payload["pairs"] if pair[field] is not None]
    known = sorted(known, key=lambda pair: (pair[field], -pair["n"], pair["a"], pair["b"]))
    return Table(
        f"Pairs of annotators by {kappa_name(payload)}, on the items of both; the lowest first.",
        ("one", "other", "items", "equal", "κ"),
        tuple(
            (
                plain(pair["a"]),
                plain(pair["b"]),
                f"{pair['n']:,}",
                _share(pair["percent"]),
                fixed(pair[field], 2),
            )
            for pair in known[:most]
        ),
        ("head", "head", NUMBER, NUMBER, NUMBER),
        left_out=""
        if len(known) <= most
        else f"{most} of {len(known):,} pairs; JSON holds {len(payload['pairs']):,}.",
    )


def _confused(payload: Payload) -> tuple[Table | Said | Picture, ...]:
    shown = payload["confusions"]
    return (
        confusions(payload),
        Said(tree_sentence(payload)),
        Picture(
            "confusions",
            partial(charts.category_matrix, payload),
            charts.category_matrix_words(payload),
            confusions(payload, most=len(shown)),
        ),
    )


def confusions(payload: Payload, most: int = CONFUSIONS) -> Table:
    """List the categories that are set against each other most often."""
    known, tree = payload["confusions"], payload["tree"] is not None
    extra = ("in the tree",) if tree else ()
    plainly: tuple[ColumnKind, ...] = ("",) if tree else ()
    return Table(
        "Labels set against each other on the same item; share of all pairs of labels that differ.",
        ("one says", "another says", "pairs", "share", "items", *extra),
        tuple(
            (
                plain(one["a"]),
                plain(one["b"]),
                f"{one['pairs']:,}",
                _share(one["share"]),
                f"{one['items']:,}",
                *((RELATED[one["relation"]],) if tree else ()),
            )
            for one in known[:most]
        ),
        ("head", "head", NUMBER, NUMBER, NUMBER, *plainly),
        left_out="" if len(known) <= most else f"{most} of {len(known):,} confusions.",
    )


def tree_sentence(payload: Payload) -> str:
    """Say where in the tree labels differ."""
    shares = payload["tree"]
    if shares is None:
        return ""
    parts = [f"{_share(shares[key])} {words}" for key, words in RELATIONS.items()]
    return f"Of the pairs of labels that differ, {parts[0]}, {parts[1]}, {parts[2]}."


def discuss(payload: Payload) -> Table:
    """List the items whose labels differ most."""
    known = payload["discuss"]
    queries = any(one["query"] is not None for one in known)
    extra = ("query",) if queries else ()
    made = [
        (
            *((plain(one["query"] or ""),) if queries else ()),
            plain(one["item"]),
            f"{one['labels']:,}",
            fixed(one["disagreement"], 2),
            ", ".join(f"{plain(name)} {n}" for name, n in one["counts"].items()),
        )
        for one in known[:ITEMS]
    ]
    return Table(
        "Mean difference of two labels of the item; 1: as far apart as labels drawn at random.",
        (*extra, "item", "labels", "difference", "said"),
        tuple(made),
        (*(HEAD for _ in extra), HEAD, NUMBER, NUMBER, ""),
        left_out=""
        if payload["disputed"] <= len(made)
        else f"{len(made)} of {payload['disputed']:,} items whose labels differ; JSON holds"
        f" {len(known):,}.",
    )
