"""How sure a ranking is, in words: intervals, what they assume, and why some are withheld.

Two things are kept apart in every format: an *interval* would shrink with more data of this kind,
*bounds* would not. Where an interval would be false it is withheld; what resampling gives under a
stated assumption then stands in parentheses with an asterisk, and a footnote says the assumption.

Results of older versions hold none of this; then everything reads as it did.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from consilience.render.words import (
    DASH,
    Payload,
    bounds_words,
    count,
    digits_for,
    fixed,
    has_bounds,
    percent,
    plain,
    sentence,
    shown_measures,
    span,
)

#: What marks an interval that holds under an assumption only.
MARK = "*"
#: What bounds are called, and what they are, by kind.
BOUNDS = {
    "unjudged": ("worst–best", "what the items that were not judged could make of it"),
    "sensitivity": (
        "range over methods",
        "the smallest and the largest value over the panel's methods and families",
    ),
}


def score_cell(score: Payload | None) -> str:
    """Write a score with its standard error and its interval, or with what holds if assumed.

    Examples
    --------
    >>> score_cell({"value": 0.31, "interval": [0.28, 0.34], "standard_error": 0.015})
    '0.3100 ± 0.0150 [0.2800, 0.3400]'
    >>> given = {"interval": [0.28, 0.34], "assumes": "an item that was not judged is not relevant"}
    >>> score_cell({"value": 0.31, "interval": None, "given": given})
    '0.3100 (0.2800, 0.3400)*'
    >>> score_cell({"value": None, "interval": None})
    '–'
    """
    if score is None or score.get("value") is None:
        return DASH
    interval = score.get("interval")
    told = span(interval)
    if interval is None and given_interval(score) is not None:
        interval = given_interval(score)
        told = f"({span(interval)[1:-1]}){MARK}"
    digits = digits_for(interval)
    error = score.get("standard_error")
    wide = "" if error is None else f" ± {fixed(error, digits)}"
    return f"{fixed(score['value'], digits)}{wide} {told}".rstrip()


def given_interval(score: Payload) -> Sequence[float] | None:
    """Give the interval that holds under an assumption; None where there is none."""
    return (score.get("given") or {}).get("interval")


def known(payload: Payload) -> Payload:
    """Give what a result says about its uncertainty; nothing for results of older versions."""
    return payload.get("uncertainty") or {}


def scores_of(payload: Payload, measures: Sequence[str] | None = None) -> Iterator[Payload]:
    """Give every score with a value that tables for people show."""
    for system in payload["systems"]:
        for measure in shown_measures(payload) if measures is None else measures:
            score = system["scores"].get(measure)
            if score and score.get("value") is not None:
                yield score


def has(payload: Payload, key: str) -> bool:
    """Say whether some score that is shown holds something under this key."""
    return any(score.get(key) is not None for score in scores_of(payload))


def only_given(payload: Payload) -> list[Payload]:
    """List the scores whose interval is withheld while one under an assumption is there."""
    return [
        score
        for score in scores_of(payload)
        if score.get("interval") is None and given_interval(score) is not None
    ]


def bounds_kind(payload: Payload) -> str:
    """Name the kind of the bounds; nothing where it is not known."""
    return str((known(payload).get("bounds") or {}).get("kind") or "")


def bounds_heading(payload: Payload) -> str:
    """Head the column of bounds.

    Examples
    --------
    >>> bounds_heading({"uncertainty": {"bounds": {"kind": "unjudged"}}}), bounds_heading({})
    ('worst–best', 'bounds')
    """
    return BOUNDS.get(bounds_kind(payload), ("bounds", ""))[0]


def bounds_line(payload: Payload) -> str:
    """Say what the bounds of a ranking are; nothing where no score has any."""
    kind = bounds_kind(payload)
    if not has_bounds(payload) or kind not in BOUNDS:
        return bounds_words(payload)
    heading, usual = BOUNDS[kind]
    about = plain((known(payload)["bounds"]).get("about") or usual).rstrip(".")
    beware = "" if "sensitivity range" in about else "; not a confidence interval"
    return f"{heading.capitalize()}: {about}{beware}."


def legend(payload: Payload) -> list[str]:
    """Say what the signs of the table of scores mean, a sentence each.

    Examples
    --------
    >>> system = {"scores": {"AP": {"value": 0.3, "interval": [0.2, 0.4]}}}
    >>> known = {"measure": "AP", "measures": ["AP"], "systems": [system], "level": 0.9}
    >>> legend(known | {"resampling": {"unit": "queries"}, "condition": "complete"})
    ['In brackets: 90% intervals.']
    """
    said = []
    if has(payload, "interval") or (payload["resampling"] is not None and not known(payload)):
        said.append(f"In brackets: {percent(payload['level'])} intervals.")
        bare = [score for score in scores_of(payload) if _is_bare(score)]
        why = "; ".join(_distinct(score["interval_withheld"] for score in bare))
        said += [f"A score without one: {why}."] if bare else []
    if has(payload, "standard_error"):
        said.append("±: standard errors.")
    if (payload.get("stop") or {}).get("confidence") is not None:
        said.append(
            "P(best): the share of joint draws in which a system comes first. The confidence is "
            "that the leader is best or within δ of it, which allows for its having been picked."
        )
    said.append(bounds_line(payload))
    judged = shares(payload)
    if judged is not None:
        key, header = judged
        depth = f"the first {key[1:]} answers" if key != "all" else "the answers"
        said.append(f"{header}: the share of {depth} that were judged.")
    if posteriors(payload):
        said.append(
            f"{posterior_heading(payload)}: mean and {percent(payload['level'])} interval on these"
            " queries, if each item is relevant with the probability believed."
        )
    return [line for line in said if line]


def _is_bare(score: Payload) -> bool:
    """Say whether a score has no interval, not even under an assumption, for a reason."""
    there = score.get("interval") is not None or given_interval(score) is not None
    return not there and bool(score.get("interval_withheld"))


def footnote(payload: Payload) -> str:
    """Say under which assumption the marked intervals hold, and why none holds without it.

    Examples
    --------
    >>> given = {"interval": [0.2, 0.4], "assumes": "what this belief says is true"}
    >>> score = {"value": 0.3, "given": given, "interval_withheld": "no label tells more"}
    >>> system = {"scores": {"AP": score}}
    >>> footnote({"measures": ["AP"], "systems": [system], "level": 0.95}).split(". ")[0]
    '* 95% interval if what this belief says is true'
    """
    marked = only_given(payload)
    if not marked:
        return ""
    assumed = _distinct(score["given"].get("assumes") for score in marked)
    why = _distinct(score.get("interval_withheld") for score in marked)
    assumed = assumed or _distinct([known(payload).get("given")])
    why = why or _distinct([known(payload).get("withheld")])
    said = f"{MARK} {percent(payload['level'])} interval"
    said += f" if {' and if '.join(assumed)}." if assumed else " under an assumption."
    return f"{said} Without that none is given: {'; '.join(why)}." if why else said


def _distinct(said: Iterator[object] | Sequence[object]) -> list[str]:
    return [plain(one).rstrip(".") for one in dict.fromkeys(said) if one]


def drawn_line(payload: Payload) -> str:
    """Say in a sentence what was drawn anew; nothing where it is not known or nothing was."""
    if not (has(payload, "interval") or has(payload, "given")):
        return ""
    return sentence(plain(known(payload).get("about") or ""))


def without_intervals(payload: Payload) -> str:
    """Say that there are no intervals, and why; nothing where there are some.

    Examples
    --------
    >>> payload = {"measures": ["AP"], "systems": [], "resampling": None}
    >>> without_intervals(payload)
    'No intervals: nothing was resampled.'
    >>> without_intervals(payload | {"uncertainty": {"withheld": "one query says nothing"}})
    'No intervals: one query says nothing.'
    """
    some = has(payload, "interval") or has(payload, "given")
    if some or (payload["resampling"] is not None and not known(payload)):
        return ""
    why = plain(known(payload).get("withheld") or "nothing was resampled").rstrip(".")
    return f"No intervals: {why}."


def shares(payload: Payload) -> tuple[str, str] | None:
    """Choose which judged share has a column: its key, and its heading; None without any.

    Examples
    --------
    >>> shares({"systems": [{"judged": {"@10": 0.9, "all": 0.4}}]})
    ('@10', 'judged@10')
    >>> shares({"systems": [{"judged": None}]}) is None
    True
    """
    held = {key for system in payload["systems"] for key in system.get("judged") or {}}
    deep = sorted((key for key in held if key.startswith("@")), key=lambda key: int(key[1:]))
    chosen = [*deep[-1:], *(["all"] if "all" in held else [])]
    if not chosen:
        return None
    return chosen[0], "judged" if chosen[0] == "all" else f"judged{chosen[0]}"


def share(value: float | None) -> str:
    """Write a share as percent; 0 and 100 only where it is exactly that.

    Examples
    --------
    >>> share(0.857), share(0.9999), share(1.0), share(0.0001), share(None)
    ('85.7%', '>99.9%', '100%', '<0.1%', '–')
    """
    if value is None:
        return DASH
    if value in (0.0, 1.0):
        return f"{100 * value:.0f}%"
    if value < 0.0005:
        return "<0.1%"
    return ">99.9%" if value >= 0.9995 else f"{100 * value:.1f}%"


def posteriors(payload: Payload) -> bool:
    """Say whether the ranking measure has a posterior: what the belief makes of it."""
    return any(score.get("posterior") for score in scores_of(payload, _ranking(payload)))


def _ranking(payload: Payload) -> list[str]:
    return [measure for measure in shown_measures(payload) if measure == payload["measure"]]


def posterior_heading(payload: Payload) -> str:
    """Head the column of posteriors."""
    return f"{plain(payload['measure'])} by belief"


def posterior_cell(score: Payload | None) -> str:
    """Write a posterior: its mean and its interval.

    Examples
    --------
    >>> posterior_cell({"value": 0.3, "posterior": {"mean": 0.29, "interval": [0.2, 0.4]}})
    '0.2900 [0.2000, 0.4000]'
    """
    found = (score or {}).get("posterior") or {}
    if found.get("mean") is None:
        return DASH
    interval = found.get("interval")
    return f"{fixed(found['mean'], digits_for(interval))} {span(interval)}".rstrip()


def stop_line(payload: Payload) -> str:
    """Give the sentence of the stop rule, unless the verdict says it already."""
    said = plain((payload.get("stop") or {}).get("sentence") or "").rstrip(".")
    first = plain(payload.get("verdict") or payload.get("headline") or "")
    return "" if said.lower() in first.lower() else sentence(said)


def design_line(payload: Payload) -> str:
    """Say from how many labels drawn by design the scores are estimated.

    Examples
    --------
    >>> design_line({"design": {"labels": 140, "population": 10000, "rounds": 2, "known": 0}})
    'Estimated from 140 labels of 10,000 items drawn by design in 2 rounds (AIPW).'
    >>> design_line({"design": None})
    ''
    """
    design = payload.get("design")
    if not design:
        return ""
    labels = count(design.get("labels"), "label")
    said = f"Estimated from {labels} of {count(design.get('population'), 'item')} drawn by design"
    rounds = design.get("rounds") or 1
    said += f" in {rounds:,} rounds (AIPW)" if rounds > 1 else " (AIPW)"
    beside = design.get("known") or 0
    if beside:
        said += (
            f"; {count(beside, 'further label')} {'counts' if beside == 1 else 'count'} as known"
        )
    return f"{said}."
