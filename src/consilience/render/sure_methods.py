"""How sure a ranking is: labelled facts for a list, and sentences for a paper's methods."""

from __future__ import annotations

from consilience.render.judged import between, companions, prediction
from consilience.render.rivals import TESTS, names
from consilience.render.sure import bounds_heading, bounds_kind, known, only_given
from consilience.render.words import Payload, count, percent, plain, sentence


def _units(facts: Payload) -> str:
    """Write how many units were drawn; their name is stored as a plural.

    Examples
    --------
    >>> _units({"unit": "queries", "n": 50}), _units({"unit": "queries and labels", "n": 12})
    ('50 queries', '12 queries and labels')
    """
    unit, number = str(facts["unit"]), facts.get("n")
    if " " in unit:
        return unit if number is None else f"{number:,} {unit}"
    return count(number, f"{unit[:-3]}y" if unit.endswith("ies") else unit.removesuffix("s"))


def resampled(payload: Payload) -> str:
    """Say what was resampled, how often and how; or that nothing was."""
    facts = payload["resampling"]
    if facts is None:
        return "none: nothing was resampled, so nothing is said about chance"
    drawn = f"{_units(facts)} resampled {count(facts['samples'], 'time')}"
    return f"{percent(payload['level'])}, {facts['method']}; {drawn}, seed {facts['seed']}"


def intervals(payload: Payload) -> str:
    """Say what intervals there are, whatever they come from; or why there are none.

    Examples
    --------
    >>> told = {"unit": "labels", "n": 140, "method": "AIPW", "withheld": None}
    >>> intervals({"level": 0.95, "resampling": None, "uncertainty": told})
    '95%, AIPW; unit: 140 labels'
    >>> intervals({"level": 0.95, "resampling": None})
    'none: nothing was resampled, so nothing is said about chance'
    """
    told = known(payload)
    by = resampled(payload)
    if _estimated(payload):
        by = f"{percent(payload['level'])}, {told['method']}; unit: {_units(told)}{_draws(payload)}"
    if not told.get("withheld"):
        return by
    why = f"withheld: {plain(told['withheld']).rstrip('.')}"
    if not told.get("given") or by.startswith("none"):
        return why
    return f"{why}; if {plain(told['given']).rstrip('.')}: {by}"


def _estimated(payload: Payload) -> bool:
    """Say whether intervals come from an estimate's own error, and not from resampling."""
    told = known(payload)
    by_design = payload.get("design") or payload["resampling"] is None
    return bool(by_design and told.get("method") and told.get("unit"))


def _draws(payload: Payload) -> str:
    """Say how often scores were drawn from their estimates, for chances and ranks."""
    facts = payload["resampling"]
    if facts is None:
        return ""
    return f"; chances and ranks from {count(facts['samples'], 'draw')}, seed {facts['seed']}"


def sure_facts(payload: Payload) -> list[tuple[str, str]]:
    """List how sure a ranking is and by what right, as (label, text).

    Results of older versions say it in one fact among others; they have no such list.
    """
    told, drawn = known(payload), payload["resampling"] or {}
    if not told:
        return []
    rows = [("level", percent(payload["level"]))]
    if told.get("unit"):
        rows.append(
            ("unit", f"{told['unit']} (n = {told['n']:,})" if told.get("n") else told["unit"])
        )
    rows.append(("method", str(told.get("method") or "none: nothing is said about chance")))
    if drawn:
        what = "draws" if _estimated(payload) else "resamples"
        rows.append((what, f"{drawn['samples']:,}, seed {drawn['seed']}"))
    elif payload.get("seed") is not None:
        rows.append(("seed", str(payload["seed"])))
    rows += [("drawn anew", str(told["about"]))] if told.get("about") else []
    if told.get("withheld"):
        rows.append(("withheld", f"intervals, because {_clause(told['withheld'])}"))
    if told.get("given"):
        rows.append(("given", f"intervals marked * hold if {_clause(told['given'])}"))
    about = (told.get("bounds") or {}).get("about")
    if bounds_kind(payload) and about:
        rows.append((bounds_heading(payload), _clause(about)))
    rows += _tested(payload)
    stop = payload.get("stop") or {}
    if stop.get("sentence"):
        rows.append(("stop rule", f"{_clause(stop['sentence'])}{_looks(stop)}"))
    return [(label, plain(text)) for label, text in rows]


def _clause(text: str) -> str:
    return plain(text).rstrip(".")


def _looks(stop: Payload) -> str:
    looks, used = stop.get("looks") or 1, stop.get("level_used")
    if looks < 2 or used is None:
        return ""
    return f" (looked {looks:,} times, so {percent(used)} was asked for at this look)"


def _tested(payload: Payload) -> list[tuple[str, str]]:
    rows = []
    if payload.get("delta") is not None:
        delta = payload["delta"]
        rows.append(("equivalence", f"differences within ±{delta:g} count as practically equal"))
    if payload.get("tests"):
        rows.append(("tests", _tests(payload)))
    return rows


def _tests(payload: Payload) -> str:
    facts = payload["tests"]
    made = ", ".join(TESTS.get(name, name) for name in names(payload))
    over = f" over {_units(facts)}" if facts.get("unit") else ""
    many = count(facts.get("comparisons"), "comparison")
    rule = facts.get("correction") or "Holm"
    return f"{made}: two-sided and paired{over}, corrected for {many} by {rule}'s rule"


def method_facts(payload: Payload) -> list[tuple[str, str]]:
    """List what `how` adds: practical equivalence and tests; nothing in older results."""
    return _tested(payload)


def sure_sentences(payload: Payload) -> list[str]:
    """Tell how scores were estimated and how sure they are, for a methods paragraph."""
    said = [_designed(payload), _interval_sentence(payload), _bounds_sentence(payload)]
    beside = [plain(one["measure"]) for one in companions(payload)]
    if beside:
        said.append(f"For incomplete judgments {', '.join(beside)} were computed beside it.")
    if payload.get("tests"):
        tests = payload["tests"]
        made = ", ".join(TESTS.get(name, name) for name in names(payload))
        said.append(
            f"Pairs of systems were compared by paired tests over {_units(tests)} ({made};"
            f" two-sided), with the correction of {tests.get('correction') or 'Holm'} for"
            f" {count(tests.get('comparisons'), 'comparison')}; effect sizes are dz, the mean"
            " difference in its standard deviations."
        )
    if payload.get("delta") is not None:
        said.append(
            f"Differences within ±{payload['delta']:g} were taken as practically equal (region of"
            " practical equivalence), and the probability of lying within is given."
        )
    stop = payload.get("stop") or {}
    if stop.get("sentence"):
        said.append(f"{sentence(_clause(stop['sentence']))[:-1]}{_looks(stop)}.")
    return [line for line in said if line]


def _designed(payload: Payload) -> str:
    design = payload.get("design")
    if not design:
        return ""
    labels, items = count(design.get("labels"), "label"), count(design.get("population"), "item")
    chances = design.get("probability") or {}
    ends = ""
    if chances.get("min") is not None:
        ends = f" with probabilities {between(chances)}"
    rounds = count(design.get("rounds") or 1, "round")
    by = f" ({prediction(design['prediction'])})" if design.get("prediction") else ""
    return (
        f"Scores were estimated from {labels} of {items}, drawn by design in {rounds}{ends}, by"
        f" augmented inverse probability weighting (AIPW): a prediction for every item{by}, and the"
        " labels' deviations from it, each divided by its probability."
    )


def _interval_sentence(payload: Payload) -> str:
    told, facts = known(payload), payload["resampling"]
    if _estimated(payload):
        by = (
            f"{percent(payload['level'])} intervals come from {told['method']}; the unit is"
            f" {_units(told)}{_draws(payload)}."
        )
    elif facts is not None:
        by = (
            f"{percent(payload['level'])} intervals come from {facts['method']}"
            f" ({count(facts['samples'], 'sample')} of {_units(facts)}, seed {facts['seed']})."
        )
    else:
        by = "No resampling was done, so no intervals are given."
    if not told.get("withheld"):
        return by
    why = f"Intervals are withheld, because {_clause(told['withheld'])}."
    if not told.get("given") or not only_given(payload):
        return why
    return f"{why} Those in parentheses hold if {_clause(told['given'])}: {by}"


def _bounds_sentence(payload: Payload) -> str:
    about = (known(payload).get("bounds") or {}).get("about")
    kind = bounds_kind(payload)
    if not kind or not about:
        return ""
    heading = sentence(bounds_heading(payload))[:-1]
    return f"{heading} gives bounds, not an interval: {_clause(about)}."
