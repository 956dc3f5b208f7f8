"""The words and number forms that every rendering shares.

A payload is what a stored result holds (plain dicts, lists, strings and numbers). The functions
here turn pieces of it into short plain text; escaping for HTML, LaTeX or Markdown comes later,
where the text is put in place.

Conventions: numbers are fixed to four digits, with more digits where four would make an interval
look like a point; what is undefined is a dash, and its reason is said nearby; a probability is
never rounded to 0 or 1; in a study without truth nothing is called best, only "agrees most", and
every figure carries the caveat.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

Payload: TypeAlias = Mapping[str, Any]

#: What stands where a number is undefined.
DASH = "–"
#: The sign of a negative number, as the charts write it.
MINUS = "−"
#: Digits after the point, and the most where an interval needs more; beyond is rounding error.
DIGITS, MOST = 4, 12
#: What a group of ties is: the groups are no classes that differ.
GROUPS = (
    "Each group holds the systems that are tied with its first one; systems of two groups may be "
    "tied, too."
)
#: What every figure without truth says; a stored result may hold words of its own.
CAVEAT = "no ground truth was used: this is agreement"
#: A word that is too long to be read: its beginning and its end are shown.
_LONG = re.compile(r"(\S{400})\S{200,}(\S{100})")


def plain(text: object) -> str:
    r"""Make one line of visible characters: no line breaks, escapes or changes of direction.

    Examples
    --------
    >>> plain("two\nlines\x1b[31m")
    'two␊lines␛[31m'
    >>> plain("naïve 検索")
    'naïve 検索'

    A word of more characters than anybody reads is cut in the middle; ``--json`` has it whole.

    >>> len(plain("x" * 10**6))
    501
    """
    shown = _LONG.sub(r"\1…\2", str(text))
    if shown.isprintable():
        return shown
    return "".join(_visible(character) for character in shown)


def _visible(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    turns = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    if turns or unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}:
        return "�"
    return character


def fixed(value: float | None, digits: int = DIGITS) -> str:
    """Write a number with a fixed count of digits, and an undefined one as a dash.

    Examples
    --------
    >>> fixed(0.31), fixed(None), fixed(-0.00001), fixed(-0.14, 2)
    ('0.3100', '–', '0.0000', '−0.14')
    """
    if value is None:
        return DASH
    text = f"{value:.{digits}f}"
    return text.replace("-", MINUS if text.strip("-0.") else "")


def digits_for(interval: Sequence[float] | None) -> int:
    """Find how many digits keep the two ends of an interval apart, at least four.

    Examples
    --------
    >>> digits_for([0.28, 0.34]), digits_for([0.5000001, 0.5000004]), digits_for([1.0, 1.0])
    (4, 7, 4)
    """
    if interval is None or interval[0] == interval[1]:
        return DIGITS
    low, high = interval
    return next((n for n in range(DIGITS, MOST + 1) if fixed(low, n) != fixed(high, n)), DIGITS)


def span(interval: Sequence[float] | None) -> str:
    """Write an interval, or nothing where there is none.

    Examples
    --------
    >>> span([0.28, 0.34]), span(None)
    ('[0.2800, 0.3400]', '')
    """
    if interval is None:
        return ""
    digits = digits_for(interval)
    return f"[{fixed(interval[0], digits)}, {fixed(interval[1], digits)}]"


def estimate(score: Payload | None) -> str:
    """Write a score with its interval; a dash where it is undefined.

    Examples
    --------
    >>> estimate({"value": 0.31, "interval": [0.28, 0.34]})
    '0.3100 [0.2800, 0.3400]'
    >>> estimate({"value": None, "interval": None, "undefined": "no relevant item"})
    '–'
    """
    if score is None or score["value"] is None:
        return DASH
    interval = score.get("interval")
    return f"{fixed(score['value'], digits_for(interval))} {span(interval)}".rstrip()


def chance(value: float | None) -> str:
    """Write a probability; a number of draws, however large, never shows 0 or 1.

    Examples
    --------
    >>> chance(0.93), chance(0.9999), chance(0.0001), chance(1.0), chance(None)
    ('0.930', '>0.999', '<0.001', '>0.999', '–')
    """
    if value is None:
        return DASH
    if value < 0.0005:
        return "<0.001"
    if value >= 0.9995:
        return ">0.999"
    return f"{value:.3f}"


def place(system: Payload) -> str:
    """Write a rank with its interval.

    Examples
    --------
    >>> place({"rank": 2, "rank_interval": [1, 3]}), place({"rank": 1, "rank_interval": [1, 1]})
    ('2 [1–3]', '1')
    """
    rank, interval = system["rank"], system.get("rank_interval")
    if rank is None:
        return DASH
    if interval is None or interval[0] == interval[1] == rank:
        return str(rank)
    return f"{rank} [{interval[0]}–{interval[1]}]"


def percent(level: float) -> str:
    """Write a coverage level.

    Examples
    --------
    >>> percent(0.95), percent(0.999)
    ('95%', '99.9%')
    """
    return f"{100 * level:.6g}%"


def count(number: int | None, noun: str) -> str:
    """Write a count with its noun (singular form given).

    Examples
    --------
    >>> count(1, "query"), count(12345, "item"), count(2, "query")
    ('1 query', '12,345 items', '2 queries')
    """
    if number is None:
        return f"an unknown number of {_plural(noun)}"
    return f"{number:,} {noun if number == 1 else _plural(noun)}"


def _plural(noun: str) -> str:
    return noun[:-1] + "ies" if noun.endswith(("ry", "ly")) else noun + "s"


def some(names: Iterable[object], most: int = 12) -> str:
    """List names, and count those beyond the first few.

    Examples
    --------
    >>> some(["a", "b"]), some("abcde", most=2)
    ('a, b', 'a, b and 3 more')
    """
    listed = [plain(name) for name in names]
    if len(listed) <= most:
        return ", ".join(listed)
    return f"{', '.join(listed[:most])} and {len(listed) - most:,} more"


def caveat(payload: Payload) -> str:
    """Give the caveat of figures that rest on agreement; nothing where truth decided them.

    Results of older versions hold no caveat; there the truth condition tells.

    Examples
    --------
    >>> caveat({"condition": "absent"})
    'no ground truth was used: this is agreement'
    >>> caveat({"condition": "absent", "caveat": None, "belief": {"truth": 1.0}})
    ''
    """
    if payload.get("caveat"):
        return plain(payload["caveat"])
    truth = (payload.get("belief") or {}).get("truth")
    if truth is None:
        return CAVEAT if payload.get("condition") == "absent" else ""
    return CAVEAT if truth == 0 else ""


def without_truth(payload: Payload) -> bool:
    """Say whether the result rests on agreement, in whole or in part, and not on truth alone."""
    return bool(caveat(payload))


def sentence(text: str) -> str:
    """Make a sentence of a remark: a capital at its start, a full stop at its end.

    Examples
    --------
    >>> sentence("no ground truth was used"), sentence("")
    ('No ground truth was used.', '')
    """
    return f"{text[0].upper()}{text[1:].rstrip('.')}." if text else ""


def with_caveat(said: str, payload: Payload) -> str:
    """Add the caveat, where there is one, to a caption or a description.

    Examples
    --------
    >>> with_caveat("AP of 3 systems.", {"condition": "absent"})
    'AP of 3 systems. No ground truth was used: this is agreement.'
    >>> with_caveat("AP of 3 systems.", {"condition": "complete"})
    'AP of 3 systems.'
    """
    return f"{said} {sentence(caveat(payload))}".strip()


def bounds_words(payload: Payload) -> str:
    """Say what the bounds of a ranking are; nothing where no score has any.

    Examples
    --------
    >>> system = {"scores": {"AP": {"value": 0.3, "bounds": [0.2, 0.4]}}}
    >>> bounds_words({"condition": "absent", "measure": "AP", "systems": [system]})[:54]
    "Bounds: the sensitivity range over the panel's methods"
    """
    if not has_bounds(payload):
        return ""
    if without_truth(payload):
        told = "the sensitivity range over the panel's methods and families"
        return f"Bounds: {told}, not a confidence interval."
    return "Bounds: what no amount of such data can settle."


def has_bounds(payload: Payload) -> bool:
    """Say whether tables for people show bounds: only those of the ranking measure."""
    scores = [system["scores"].get(payload["measure"]) for system in payload["systems"]]
    return not payload.get("withheld") and any(s and s.get("bounds") for s in scores)


def chance_label(payload: Payload) -> str:
    """Name the probability of being first; without truth it is about agreement.

    Examples
    --------
    >>> chance_label({"condition": "complete"}), chance_label({"condition": "absent"})
    ('P(best)', 'P(agrees most)')
    """
    return "P(agrees most)" if without_truth(payload) else "P(best)"


def chance_cell(system: Payload, payload: Payload) -> str:
    """Write how probable it is that a system is first; of one alone there is nothing to say."""
    return chance(system["p_best"]) if len(payload["systems"]) > 1 else DASH


def pair_label(payload: Payload) -> str:
    """Name the probability of a pair; without truth it is about agreement.

    Examples
    --------
    >>> pair_label({"condition": "complete"}), pair_label({"condition": "absent"})
    ('P(row beats column)', 'P(row agrees more)')
    """
    return "P(row agrees more)" if without_truth(payload) else "P(row beats column)"


def is_micro(measure: str) -> bool:
    """Say whether a measure adds counts up over the queries, instead of averaging their values.

    Examples
    --------
    >>> is_micro("P(average=micro,rel=2)"), is_micro("AP")
    (True, False)
    """
    return "average=micro" in measure


def by_rank(payload: Payload) -> list[Payload]:
    """Give the systems in their order, those without a rank last.

    Examples
    --------
    >>> systems = [{"name": "a", "rank": None}, {"name": "b", "rank": 1}]
    >>> [system["name"] for system in by_rank({"systems": systems})]
    ['b', 'a']
    """
    return sorted(payload["systems"], key=lambda system: system["rank"] is None)


def gaps(payload: Payload) -> list[str]:
    """Say what is undefined or missing in a ranking, and why: one line each.

    Where all values are withheld, the reason stands elsewhere, under the headline.

    Examples
    --------
    >>> score = {"value": None, "undefined": "no relevant item"}
    >>> gaps({"measures": ["AP"], "systems": [{"name": "a", "scores": {"AP": score}}]})
    ['AP of a is undefined: no relevant item']
    """
    withheld = payload.get("withheld")
    lines: list[str] = []
    for measure in payload["measures"]:
        why: dict[str, list[str]] = {}
        part: dict[str, list[str]] = {}
        for system in payload["systems"]:
            score = system["scores"].get(measure)
            if score is None:
                why.setdefault("it was not computed", []).append(system["name"])
            elif score["value"] is None and withheld and score.get("undefined") == withheld:
                continue
            elif score["value"] is None:
                why.setdefault(_reason(score), []).append(system["name"])
            elif score.get("undefined_queries") and not is_micro(measure):
                part.setdefault(_left_out(score), []).append(system["name"])
        total = len(payload["systems"])
        lines += [
            f"{measure} of {_who(names, total)} is undefined: {w}" for w, names in why.items()
        ]
        lines += [f"{measure} of {_who(names, total)} leaves out {w}" for w, names in part.items()]
    for system in payload["systems"]:
        if system.get("missing_queries"):
            queries = count(system["missing_queries"], "query")
            lines.append(f"{plain(system['name'])} has no answer to {queries}")
    return lines + ([] if withheld else _virtual_gaps(payload))


def _virtual_gaps(payload: Payload) -> list[str]:
    why: dict[tuple[str, str], list[str]] = {}
    for system in payload.get("virtual") or []:
        for measure in payload["measures"]:
            score = system["scores"].get(measure)
            if score is not None and score["value"] is None:
                why.setdefault((system["name"], _reason(score)), []).append(measure)
    return [
        f"{', '.join(measures)} of {plain(name)} {'is' if len(measures) == 1 else 'are'}"
        f" undefined: {reason}"
        for (name, reason), measures in why.items()
    ]


def _reason(score: Payload) -> str:
    return plain(score.get("undefined") or "no reason was stored")


def _left_out(score: Payload) -> str:
    left, used = score["undefined_queries"], score.get("defined_queries")
    return f"{count(left, 'query')} where it is undefined ({used} used)"


def _who(names: Sequence[str], total: int) -> str:
    return "every system" if len(names) == total > 1 else some(names)


def shown_measures(payload: Payload) -> list[str]:
    """Choose the measures that have columns: none where all values of a ranking are withheld.

    Examples
    --------
    >>> shown_measures({"measures": ["AP"], "withheld": "too few sources"})
    []
    """
    return [] if payload.get("withheld") else list(payload["measures"])


def tie_lines(payload: Payload) -> list[str]:
    """List the groups that the data cannot tell apart, and say what a group is.

    Of three systems the second may be tied with the first and with the third: the groups part the
    systems all the same, so nobody should take them for classes that differ.

    Examples
    --------
    >>> tie_lines({"ties": [["bm25", "tfidf"]], "systems": [{"rank": 1}, {"rank": 2}]})
    ['bm25, tfidf']
    """
    said = [some(group, most=60) for group in payload["ties"]]
    ranked = [system for system in payload["systems"] if system["rank"] is not None]
    return [*said, GROUPS] if said and len(ranked) > 2 else said
