"""The facts of a study as text, for ``check``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from consilience.render.agreement import dependence_lines
from consilience.render.layout import cells_of
from consilience.render.words import count, plain

#: The most respondents and pairs of systems that are listed.
_MOST, _PAIRS = 30, 10


def overview_text(facts: dict[str, Any]) -> str:
    """Lay the facts out: files first, then who answered, what joins, what comes next.

    Line breaks and control characters of names are made visible.

    Examples
    --------
    >>> from consilience.examples import example_study
    >>> from consilience.study.overview import overview
    >>> facts = overview(example_study("airplanes")) | {"next": "consilience curve airplanes.csv"}
    >>> overview_text(facts).splitlines()[-1]
    'Next: consilience curve airplanes.csv'
    """
    facts = _plainly(facts)
    parts = [
        f"{facts['what']}." if facts.get("what") else "",
        _files(facts),
        f"Truth: {facts['condition']} ({facts['why']})" if facts["condition"] else "",
        _joins(facts) if facts["condition"] else "",
        _people("Systems", facts["systems"]),
        _people("Judges", facts["judges"]),
        _alike(facts),
        _listed("Dependence", dependence_lines(facts.get("dependence"))),
        _listed("Notes", facts["notes"]),
        _listed("Can be computed", facts["can"]),
        _listed("Cannot be computed", facts["cannot"]),
        f"Next: {facts['next']}",
    ]
    return "\n\n".join(part for part in parts if part)


def _plainly(value: Any) -> Any:
    """Make every text in plain data one line of visible characters."""
    if isinstance(value, dict):
        return {key: _plainly(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plainly(inner) for inner in value]
    return plain(value) if isinstance(value, str) else value


def _files(facts: dict[str, Any]) -> str:
    lines = ["Files:"]
    for file in facts["files"]:
        lines.append(f"  {file['file']}: {file['recognised']}, {count(file['rows'], 'row')}")
        lines.append(f"    because: {file['why']}")
        lines += [f"    note: {note}" for note in file["notes"]]
    return "\n".join(lines)


def _joins(facts: dict[str, Any]) -> str:
    queries = facts["queries"]
    first = f"Queries: {queries['all']:,}; items: {facts['items']:,}"
    return "\n".join([first, *(f"  {line}" for line in join_lines(facts))])


def join_lines(facts: Mapping[str, Any]) -> list[str]:
    """Say how answers and truth fit together, and what was drawn by design.

    Examples
    --------
    >>> from consilience.examples import example_study
    >>> from consilience.study.overview import overview
    >>> join_lines(overview(example_study("airplanes")))
    ['1 query has answers and truth', '100.0% of the returned items have been judged']
    """
    queries = facts["queries"]
    lines = []
    if facts["judged"] is not None and facts.get("sorted"):
        lines.append(f"{facts['judged']:.1%} of the returned items have a category")
    elif facts["judged"] is not None:
        lines.append(f"{_have(queries['with_both'], 'query')} answers and truth")
        if queries["without_truth"]:
            lines.append(f"{_have(queries['without_truth'])} answers but no truth: left out")
        if queries["without_answers"]:
            lines.append(f"{_have(queries['without_answers'])} truth but no answers")
        lines.append(f"{facts['judged']:.1%} of the returned items have been judged")
    return [*lines, *_drawn(facts.get("drawn"))]


def _drawn(drawn: dict[str, int] | None) -> list[str]:
    """Say how many labels were drawn by design, and how many of them are still missing."""
    if not drawn:
        return []
    said = f"{count(drawn['drawn'], 'item')} drawn by design"
    said += f" in {count(drawn['rounds'], 'round')}"
    left = drawn["unlabelled"]
    lack = f"; {left:,} of them still {'lacks' if left == 1 else 'lack'} a label" if left else ""
    return [said + lack]


def _have(number: int, noun: str = "") -> str:
    many = count(number, noun) if noun else f"{number:,}"
    return f"{many} {'has' if number == 1 else 'have'}"


def _people(title: str, people: list[dict[str, Any]]) -> str:
    if not people:
        return ""
    lines = [f"{title}: {len(people):,}"]
    width = max(cells_of(one["name"]) for one in people[:_MOST])
    for one in people[:_MOST]:
        family = f", family {one['family']}" if one["family"] else ""
        kind = f", {one['kind']}" if one["kind"] != "system" else ""
        space = " " * (width - cells_of(one["name"]))
        lost = one["missing_queries"]
        missing = f", {count(lost, 'query')} missing" if lost else ""
        answers = f"{count(one['answers'], 'answer')} to {count(one['queries'], 'query')}"
        lines.append(f"  {one['name']}{space}  {answers}{kind}{family}{missing}")
    if len(people) > _MOST:
        lines.append(f"  … and {len(people) - _MOST:,} more (--json lists all)")
    return "\n".join(lines)


def _alike(facts: dict[str, Any]) -> str:
    pairs = facts["alike"]
    lines = pair_lines(pairs[:_PAIRS])
    if len(pairs) > len(lines):
        rest = count(len(pairs) - len(lines), "more pair")
        lines.append(f"… and {rest} (--json lists all)")
    return _listed("Systems that answer alike", lines)


def pair_lines(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Say how much of what they return pairs of systems have in common.

    Examples
    --------
    >>> pair_lines([{"a": "bm25", "b": "bm25+", "overlap": 0.934}])
    ['bm25 and bm25+: 93.4% of their items in common']
    """
    return [
        f"{pair['a']} and {pair['b']}: {pair['overlap']:.1%} of their items in common"
        for pair in pairs
    ]


def _listed(title: str, lines: list[str]) -> str:
    return "\n".join([f"{title}:", *(f"  {line}" for line in lines)]) if lines else ""
