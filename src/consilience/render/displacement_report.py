"""What ``displacement`` tells: each subject first, then averages, then systems against systems."""

from __future__ import annotations

from functools import partial
from typing import Any

from consilience.render import displacement_charts as charts
from consilience.render.report import NUMBER, Picture, Report, Section, Table
from consilience.render.words import Payload, chance, count, estimate, fixed, percent, plain, span

#: The columns of CSV and Parquet.
COLUMNS = {
    "system": "string",
    "query": "string",
    "subject": "string",
    "w": "float64",
    "w_optimist": "float64",
    "w_pessimist": "float64",
    "quality": "float64",
    "quality_low": "float64",
    "quality_high": "float64",
    "hypothesis": "string",
    "returned": "int64",
    "in_both": "int64",
    "missing": "int64",
    "ties": "int64",
    "undefined": "string",
}
#: What the pessimist's end of a range means where the collection is not known.
_AT_WORST = "N not given: the quality of a list that is not exact is at worst 0."
#: The most subjects that tables for people show one by one, and the most lists.
PEOPLE, LISTS = 40, 20


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row per system, query and subject, in full precision."""
    return [
        {
            **{key: one[key] for key in COLUMNS if key in one},
            "subject": one["name"],
            "quality_low": one["quality_bounds"][0],
            "quality_high": one["quality_bounds"][1],
        }
        for one in payload["subjects"]
    ]


def report(payload: Payload) -> Report:
    """Say all that a comparison with subjects tells."""
    return Report(
        title="Systems against individual subjects",
        headline=payload["headline"],
        sections=(
            Section("Subjects", (_picture(payload), _people(payload))),
            Section("Systems on average", (_systems(payload),)),
            Section("Who is nearer to whom", (_pairs(payload),)),
            Section("Each list", (_ranges(payload), _lists(payload))),
        ),
        facts=_facts(payload),
        methods=_methods(payload),
        badges=(
            count(len(payload["systems"]), "system"),
            count(len(payload["people"]), "subject"),
            count(payload["queries"], "query"),
            f"quality {payload['settings']['quality']}",
            _hypothesis(payload),
        ),
    )


def _hypothesis(payload: Payload) -> str:
    one = payload["aggregate"].values()
    exact, every = sum(a["exact"] for a in one), sum(a["lists"] for a in one)
    if exact == every:
        return "every w is exact"
    return f"{exact:,} of {every:,} w exact, the rest by the {payload['settings']['hypothesis']}"


def _picture(payload: Payload) -> Picture:
    return Picture(
        "qualities",
        partial(charts.qualities, payload),
        charts.qualities_words(payload),
        _people(payload, all_of_them=True),
    )


def _people(payload: Payload, *, all_of_them: bool = False) -> Table:
    """Each subject's mean quality, a column for each system."""
    systems, people = charts.ordered(payload), payload["people"]
    shown = people if all_of_them else people[:PEOPLE]
    beyond = len(people) - len(shown)
    return Table(
        "Mean quality for each subject, over the subject's queries",
        ("subject", *systems),
        tuple(
            (
                subject,
                *(fixed(payload["aggregate"][name]["by_subject"][subject]) for name in systems),
            )
            for subject in shown
        ),
        ("head", *(NUMBER,) * len(systems)),
        left_out=f"{beyond:,} further subjects: see -f csv." if beyond else "",
    )


def _systems(payload: Payload) -> Table:
    """The averages over subjects."""
    known = payload["aggregate"]
    made = []
    for name in charts.ordered(payload):
        one = known[name]
        low, middle, high = one["spread"]["quartiles"]
        made.append(
            (
                name,
                estimate({"value": one["quality"], "interval": one["interval"]}),
                span(one["quality_bounds"]),
                f"{fixed(low)} / {fixed(middle)} / {fixed(high)}",
                fixed(one["w"]),
                fixed(one["w_optimist"]),
                fixed(one["w_pessimist"]),
                f"{one['exact']:,} of {one['lists']:,}",
            )
        )
    return Table(
        "Averages: over each subject's queries first, then over subjects"
        + _brackets(payload, "beside a quality"),
        (
            *("system", "quality", "pessimist to optimist", "quartiles of subjects"),
            *("w", "w optimist", "w pessimist", "exact"),
        ),
        tuple(made),
        ("head", "score", "score", "", "number", "number", "number", ""),
        left_out=_undefined(payload),
        main=True,
    )


def _brackets(payload: Payload, where: str) -> str:
    """Say what the brackets of a table are, and what is random in them; nothing without any."""
    if payload["resampling"] is None:
        return ""
    return f"; in brackets {where}: its {percent(payload['level'])} interval over subjects"


def _undefined(payload: Payload) -> str:
    """Say why averages are missing."""
    reasons: dict[str, list[str]] = {}
    for name, one in payload["aggregate"].items():
        if one["undefined"]:
            reasons.setdefault(one["undefined"], []).append(plain(name))
    said = [f"{', '.join(names)}: {why}" for why, names in reasons.items()]
    told = f"– is undefined. {'. '.join(said)}." if said else ""
    return f"{told} {_AT_WORST}" if told and payload["settings"]["collection"] is None else told


def _pairs(payload: Payload) -> Table:
    """Systems against systems, subject by subject."""
    every = len(payload["people"])
    return Table(
        f"Of {count(every, 'subject')}: to how many each of two systems is nearer"
        + _brackets(payload, "beside a difference"),
        (
            *("first", "second", "nearer to first", "nearer to second", "alike"),
            *("first − second in quality", "p", "p (Holm)"),
        ),
        tuple(
            (
                pair["a"],
                pair["b"],
                str(pair["nearer_a"]),
                str(pair["nearer_b"]),
                str(pair["equal"]),
                estimate({"value": pair["difference"], "interval": pair["interval"]}),
                chance(pair["sign_test"]["p"]),
                chance(pair["sign_test"]["p_holm"]),
            )
            for pair in payload["pairs"]
        ),
        ("head", "head", "number", "number", "number", "score", "number", "number"),
    )


def _ranges(payload: Payload) -> Picture:
    return Picture(
        "ranges",
        partial(charts.ranges, payload),
        charts.ranges_words(payload),
        Table(
            "Weighted displacement, list by list",
            ("query · subject", "system", "w", "w optimist", "w pessimist", "counts"),
            tuple(charts.range_cells(payload)),
            ("head", "head", "number", "number", "number", ""),
        ),
    )


def _lists(payload: Payload) -> Table:
    """The first lists one by one."""
    every = payload["subjects"]
    beyond = len(every) - len(every[:LISTS])
    return Table(
        "Weighted displacement and quality against each subject's list",
        (
            *("system", "query", "subject", "w", "w optimist", "w pessimist"),
            *("quality", "counts", "in both", "missing"),
        ),
        tuple(
            (
                *(one["system"], one["query"], one["name"]),
                *(fixed(one[key]) for key in ("w", "w_optimist", "w_pessimist", "quality")),
                *(one["hypothesis"], str(one["in_both"]), str(one["missing"])),
            )
            for one in every[:LISTS]
        ),
        ("head", "head", "head", *("number",) * 4, "", "number", "number"),
        left_out=f"{beyond:,} further lists: see -f csv." if beyond else "",
    )


def _facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    chosen, drawn = payload["settings"], payload["resampling"]
    size = chosen["collection"]
    facts = [
        ("quality", f"{chosen['quality']} of the weighted displacement w"),
        ("missing items", _hypothesis(payload)),
        ("collection", "size N not given: at worst 0" if size is None else count(size, "item")),
        ("ties", f"of systems: {chosen['ties']}; of subjects: {chosen['subject_ties']}"),
        (
            "intervals",
            f"none: {payload['no_interval']}"
            if drawn is None
            else f"{percent(payload['level'])}, {count(drawn['n'], 'subject')} drawn anew "
            f"{drawn['samples']:,} times ({drawn['method']}), seed {drawn['seed']}",
        ),
    ]
    if chosen["scale"] != 1:
        facts.append(("scale", f"relevances divided by {chosen['scale']:g}"))
    if chosen["depth"]:
        facts.append(("depth", f"the first {chosen['depth']:,} answers of each list"))
    if chosen["asked"]:
        asked = ", ".join(map(plain, chosen["asked"]))
        facts.append(("asked for more", f"{asked}: up to {chosen['limit']:,} results a query"))
    return tuple(facts)


def _methods(payload: Payload) -> str:
    chosen, drawn = payload["settings"], payload["resampling"]
    size = chosen["collection"]
    said = (
        "Each system's ranked list was compared with each subject's by the weighted displacement "
        "w = Σ s_k |k − π_k| (Santini, Benchmarking without ground truth, §5), turned into a "
        f"quality by g = {chosen['quality']}. Where a system did not return all items of a "
        f"subject, the {chosen['hypothesis']}'s hypothesis was used"
    )
    if size is not None:
        said += f" (a collection of {count(size, 'item')})"
    said += ". Qualities were averaged over each subject's queries, then over subjects"
    if drawn is not None:
        said += (
            f"; {percent(payload['level'])} intervals are over subjects "
            f"({drawn['method']}, {drawn['samples']:,} draws, seed {drawn['seed']})"
        )
    if len(payload["systems"]) > 1:
        said += ". Systems were compared subject by subject by exact sign tests with Holm's rule"
    return f"{said}."
