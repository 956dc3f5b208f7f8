"""The results as tables for people, and as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from bench.coverage.chances import Calibrated
from bench.coverage.trials import LEVEL, Found
from bench.report import machine


@dataclass
class Results:
    """Everything that was found."""

    found: list[Found] = field(default_factory=list)
    chances: list[Calibrated] = field(default_factory=list)

    def unexplained(self) -> list[Found]:
        """Name what is too narrow without a known reason."""
        return [one for one in self.found if one.verdict == "too narrow" and one.why is None]

    def data(self) -> dict[str, Any]:
        """Give everything as plain data."""
        return {
            "machine": machine(),
            "level": LEVEL,
            "found": [asdict(one) for one in self.found],
            "chances": [asdict(one) for one in self.chances],
        }

    @staticmethod
    def of(data: dict[str, Any]) -> Results:
        """Read what was written."""
        return Results(
            [Found(**one) for one in data["found"]],
            [Calibrated(**one) for one in data["chances"]],
        )


def covered(found: Sequence[Found]) -> list[str]:
    """Write one row for each kind of interval and situation."""
    lines = [
        "| interval | in what situation | speaks of | held the truth | |",
        "|---|---|---|--:|---|",
    ]
    last = ""
    for one in found:
        kind = one.kind if one.kind != last else ""
        last = one.kind
        said = one.verdict if one.verdict == "covers" else f"**{one.verdict}**"
        share = f"{100 * one.coverage:.1f} % ± {100 * one.error:.1f}"
        lines.append(f"| {kind} | {one.about} | {one.unit} | {share} | {said} |")
    return lines


def summed(found: Sequence[Found]) -> list[str]:
    """Write one row for each kind of interval: from the worst situation to the best."""
    lines = ["| interval | speaks of | tried | held the truth | |", "|---|---|--:|--:|---|"]
    for kind in dict.fromkeys(one.kind for one in found):
        mine = [one for one in found if one.kind == kind]
        shares = sorted(100 * one.coverage for one in mine)
        spread = f"{shares[0]:.1f} to {shares[-1]:.1f} %"
        units = ", ".join(dict.fromkeys(one.unit for one in mine))
        lines.append(f"| {kind} | {units} | {len(mine)} | {spread} | {_judged(mine)} |")
    return lines


def _judged(mine: Sequence[Found]) -> str:
    """Say of a kind whether it covers, and where it does not."""
    wrong = {
        said: [f"{one.about} ({100 * one.coverage:.1f} %)" for one in mine if one.verdict == said]
        for said in ("too narrow", "nearly covers")
    }
    told = [f"**{said}**: {'; '.join(some)}" for said, some in wrong.items() if some]
    return ". ".join(told) or "covers"


def kept(chances: Sequence[Calibrated]) -> list[str]:
    """Write what probabilities said beside what came true."""
    lines = ["| | said | on average | came true |", "|---|---|--:|--:|"]
    for one in chances:
        between = f"{one.low:g} to {one.high:g}"
        lines.append(
            f"| {one.what} | {between} | {one.told:.3f} | {one.true:.3f} ± {one.error:.3f} |"
        )
    return lines


def as_markdown(results: Results, about: str) -> str:
    """Write everything down."""
    why = dict.fromkeys((one.kind, one.why) for one in results.found if one.why)
    rows = [
        f"{one.simulation}, {one.case}: {one.runs:,} runs, {100 * one.halved:.1f} % at half the "
        f"width" + (f", {100 * one.withheld:.1f} % without an interval" if one.withheld else "")
        for one in results.found
    ]
    parts = [
        ("# Coverage of intervals", [about]),
        (f"## How often {100 * LEVEL:g} % intervals held the truth", covered(results.found)),
        ("## Probabilities", kept(results.chances)),
        ("## Known to be narrow", [f"- {kind}: {reason}" for kind, reason in why]),
        ("## Runs", [f"- {row}" for row in rows]),
    ]
    text = "\n\n".join(f"{head}\n\n" + "\n".join(lines) for head, lines in parts if lines)
    what = ", ".join(f"{key} {value}" for key, value in machine().items() if value is not None)
    return f"{text}\n\n{what}\n"
