"""What ``correlate`` tells: each ranking against the reference, then every system's places."""

from __future__ import annotations

from functools import partial
from typing import Any

from consilience.render import correlate_charts as charts
from consilience.render.report import NUMBER, ColumnKind, Lines, Picture, Report, Section, Table
from consilience.render.words import DASH, Payload, count, estimate, fixed, percent, plain, some

#: The columns of CSV and Parquet.
COLUMNS = {
    "reference": "string",
    "ranking": "string",
    "measure": "string",
    "systems": "int64",
    "tau_b": "float64",
    "tau_b_low": "float64",
    "tau_b_high": "float64",
    "tau_ap": "float64",
    "tau_ap_low": "float64",
    "tau_ap_high": "float64",
    "tau_ap_symmetric": "float64",
    "weighted_tau": "float64",
    "spearman": "float64",
    "rbo": "float64",
    "rbo_p": "float64",
    "top": "int64",
    "overlap": "float64",
    "regret": "float64",
    "regret_low": "float64",
    "regret_high": "float64",
    "regret_top": "float64",
    "first": "string",
    "undefined": "string",
}
#: How figures are called for people.
LABELS = {
    "tau_b": "τ_b",
    "tau_ap": "τ_ap",
    "tau_ap_symmetric": "τ_ap symmetric",
    "weighted_tau": "weighted τ",
    "spearman": "ρ",
    "rbo": "RBO",
    "overlap": "overlap",
    "regret": "regret",
    "regret_top": "regret of the top",
}
#: What regret is.
_REGRET = (
    "the reference's best score minus that of the system put first; of the top: minus the best of "
    "those at the top; ties broken by lot"
)
#: The most systems that tables for people show.
SYSTEMS = 40


def rows(payload: Payload) -> list[dict[str, Any]]:
    """Give one row per ranking, in full precision."""
    return [
        {
            **{key: one[key] for key in COLUMNS if key in one},
            "reference": payload["reference"]["name"],
            "ranking": one["name"],
            "rbo_p": payload["settings"]["rbo_p"],
            **_ends(one),
            "first": ", ".join(one["first"]),
            "undefined": "; ".join(f"{name}: {why}" for name, why in one["undefined"].items())
            or None,
        }
        for one in payload["rankings"]
    ]


def _ends(one: Payload) -> dict[str, float | None]:
    """Give the ends of the intervals, empty where there is none."""
    made: dict[str, float | None] = {}
    for name in ("tau_b", "tau_ap", "regret"):
        low, high = one["intervals"].get(name) or (None, None)
        made |= {f"{name}_low": low, f"{name}_high": high}
    return made


def report(payload: Payload) -> Report:
    """Say all that a comparison of rankings tells."""
    return Report(
        title="Rankings against a reference",
        headline=payload["headline"],
        sections=(
            Section("Rankings", (_correlations(payload), _costs(payload), Lines(_gaps(payload)))),
            Section("Systems", (_slopes(payload), _scatter(payload), _systems(payload))),
        ),
        facts=_facts(payload),
        methods=_methods(payload),
        badges=_badges(payload),
    )


def _badges(payload: Payload) -> tuple[str, ...]:
    reference = payload["reference"]
    said = [f"reference: {plain(reference['name'])}"]
    if reference["measure"]:
        said.append(plain(reference["measure"]))
    said.append(count(len(payload["systems"]), "system"))
    if payload["resampling"] is not None:
        said.append(count(payload["resampling"]["n"], "query"))
    return tuple(said)


def _estimate(one: Payload, name: str) -> str:
    return estimate({"value": one[name], "interval": one["intervals"].get(name)})


def _brackets(payload: Payload) -> str:
    if payload["resampling"] is None:
        return ""
    return f"; in brackets: {percent(payload['level'])} intervals over queries"


def _correlations(payload: Payload) -> Table:
    """How far each ranking agrees with the reference."""
    reference = plain(payload["reference"]["name"])
    return Table(
        f"Agreement with the ranking by {reference}{_brackets(payload)}",
        ("ranking", "τ_b", "τ_ap", "weighted τ", "ρ", "RBO"),
        tuple(
            (
                one["name"],
                _estimate(one, "tau_b"),
                _estimate(one, "tau_ap"),
                *(fixed(one[name]) for name in ("weighted_tau", "spearman", "rbo")),
            )
            for one in payload["rankings"]
        ),
        ("head", "score", "score", "number", "number", "number"),
        main=True,
    )


def _costs(payload: Payload) -> Table:
    """What each ranking puts on top, and what choosing by it costs."""
    of = f" in {plain(payload['reference']['measure'])}" if payload["reference"]["measure"] else ""
    return Table(
        f"The top, and what choosing by each ranking costs{of}{_brackets(payload)}",
        ("ranking", "first", "regret", "shared at the top", "regret of the top", "systems"),
        tuple(
            (
                one["name"],
                some(one["first"], most=3) or DASH,
                _estimate(one, "regret"),
                _shared(one),
                fixed(one["regret_top"]),
                str(one["systems"]),
            )
            for one in payload["rankings"]
        ),
        ("head", "", "score", "number", "number", "number"),
        notebook=True,
    )


def _shared(one: Payload) -> str:
    """Say how many of the top both rankings have; in parts where ties are broken by lot."""
    if one["overlap"] is None:
        return DASH
    return f"{one['overlap'] * one['top']:.4g} of {one['top']}"


def _gaps(payload: Payload) -> tuple[str, ...]:
    """Say what is undefined, and why: one line for each reason."""
    said = []
    for one in payload["rankings"]:
        reasons: dict[str, list[str]] = {}
        for name, why in one["undefined"].items():
            reasons.setdefault(why, []).append(LABELS[name])
        for why, labels in reasons.items():
            be = "is" if len(labels) == 1 else "are"
            said.append(f"{one['name']}: {', '.join(labels)} {be} undefined: {why}")
    return tuple(said)


def _slopes(payload: Payload) -> Picture:
    return Picture(
        "slopes",
        partial(charts.slopes, payload),
        charts.slopes_words(payload),
        _systems(payload, all_of_them=True),
    )


def _scatter(payload: Payload) -> Picture:
    return Picture(
        "places",
        partial(charts.scatter, payload),
        charts.scatter_words(payload),
        _systems(payload, all_of_them=True),
    )


def _systems(payload: Payload, *, all_of_them: bool = False) -> Table:
    """Every system's place in each ranking."""
    cells = charts.place_cells(payload)
    shown = cells if all_of_them else cells[:SYSTEMS]
    beyond = len(cells) - len(shown)
    reference, measure = payload["reference"]["name"], payload["reference"]["measure"]
    others = tuple(one["name"] for one in payload["rankings"])
    kinds: tuple[ColumnKind, ...] = ("head", *(NUMBER,) * (2 + len(others)))
    return Table(
        "Each system's place, and its score by the reference; equal scores share a place",
        ("system", reference, measure or "score", *others),
        tuple(shown),
        kinds,
        left_out=f"{beyond:,} further systems: see -f json." if beyond else "",
        drawn=True,
    )


def _facts(payload: Payload) -> tuple[tuple[str, str], ...]:
    reference, drawn = payload["reference"], payload["resampling"]
    by = f"{reference['measure']} of" if reference["measure"] else f"{reference['by']} of"
    facts = [
        ("reference", f"{by} {reference['name']}, {count(reference['systems'], 'system')}"),
        ("τ_ap", "errors at the top of a ranking weigh more; the reference is held for true"),
        ("RBO", f"extrapolated, p = {payload['settings']['rbo_p']:g}, ties corrected for (RBO^b)"),
        ("regret", _REGRET),
    ]
    if drawn is not None:
        facts.append(
            (
                "intervals",
                f"{percent(payload['level'])}, {count(drawn['n'], 'query')} drawn anew "
                f"{drawn['samples']:,} times ({drawn['method']}), seed {drawn['seed']}; about the "
                f"figure that so many queries give on average{_given(drawn)}",
            )
        )
    return tuple(facts)


def _given(drawn: Payload) -> str:
    return f", given that {drawn['assumes']}" if drawn["assumes"] else ""


def _methods(payload: Payload) -> str:
    reference, drawn = payload["reference"], payload["resampling"]
    of = f" by {plain(reference['measure'])}" if reference["measure"] else ""
    said = (
        f"Rankings of systems were compared with the ranking of {plain(reference['name'])}{of}: "
        "Kendall's τ_b, AP correlation τ_ap (Yilmaz et al. 2008; ties as in Urbano and Marrero "
        "2017), weighted τ with hyperbolic weights (Vigna 2015), Spearman's ρ, extrapolated "
        f"rank-biased overlap with p = {payload['settings']['rbo_p']:g} (Webber et al. 2010; ties "
        "as in Corsi and Urbano 2024), the overlap of the top, and the regret of the system "
        "chosen"
    )
    if drawn is not None:
        said += (
            f". {percent(payload['level'])} intervals are over {count(drawn['n'], 'query')}, drawn "
            f"anew {drawn['samples']:,} times, the same for both rankings ({drawn['method']}, "
            f"seed {drawn['seed']}){_given(drawn)}"
        )
    return f"{said}."
