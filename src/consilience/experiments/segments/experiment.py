"""Segments of time: the paper's example (Table 5), and who spoke when by four real systems.

The paper measures segments by their length: precision is the shared time out of the predicted time,
recall out of the true time. It compares that with equal segments (crisp), with segments that are
alike by 0.8 (crisp*), and with FuzzyPR (Ziółko 2015), which maps segments one to one and counts the
time that mapped ones share. The segments are drawn in its Figure 12, without numbers; here are
segments of the shortest whole lengths that fit all that is printed of precision and recall.

On the real meetings see :mod:`consilience.experiments.segments.meetings`.

References
----------
.. [1] P. Fränti and R. Mariescu-Istodor, "Soft precision and recall", Pattern Recognition
   Letters 167, 2023.
.. [2] B. Ziółko, "Fuzzy precision and recall measures for audio signals segmentation", Fuzzy Sets
   and Systems 279, 2015.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from consilience.experiments.recorded import packages
from consilience.experiments.reproduced import (
    Asked,
    Cell,
    Column,
    Finding,
    Reproduced,
    Table,
)

#: Table 5 as printed: precision, recall and F; None where it prints a dash.
PAPER: dict[str, dict[str, tuple[float | None, ...]]] = {
    "A": {
        "crisp": (0.0, 0.0, None),
        "crisp*": (0.0, 0.0, None),
        "FuzzyPR": (0.46, 0.40, 0.43),
        "soft": (0.56, 0.49, 0.52),
    },
    "B": {
        "crisp": (0.0, 0.0, None),
        "crisp*": (0.0, 0.0, None),
        "FuzzyPR": (0.80, 0.25, 0.55),
        "soft": (1.00, 0.31, 0.47),
    },
}
#: True and predicted segments of lengths that fit; where they lie is ours.
EXAMPLES = {
    "A": ([(0, 20), (30, 55)], [(10, 25), (35, 43), (46, 50), (60, 72)]),
    "B": ([(0, 16)], [(2, 6), (9, 10)]),
}
#: The library's names of what stands beside shared time.
_BESIDE = {"crisp": "crisp", "crisp*": "crisp*", "FuzzyPR": "fuzzy"}
FIGURES = ("precision", "recall", "f1")
#: From which similarity on crisp* takes segments for the same.
THRESHOLD = 0.8
#: Half a unit of the last digit that the paper prints, and a little for rounding.
ROUNDING = 0.005 + 1e-9

#: Method → precision, recall, F.
Rows: TypeAlias = Mapping[str, tuple[float, float, float]]


def run(asked: Asked) -> Reproduced:
    """Compute both examples, then the meetings with the reference and without."""
    from consilience.experiments.segments import told
    from consilience.experiments.segments.meetings import meetings
    from consilience.render.words import CAVEAT

    ours = {case: example(case) for case in EXAMPLES}
    real = meetings(asked)
    return Reproduced(
        name="segments",
        title="Segments of time",
        headline=f"{_headline(ours)} {told.headline(real)}",
        tables=(_table(ours), *told.tables(real)),
        findings=(*findings(ours), *told.findings(real)),
        figures=told.figures(real),
        notes=(
            "F of the paper where precision and recall are 0 is a dash (2PR / (P + R) is 0/0); by "
            "its equation 3, 2 |G ∩ P| / (|G| + |P|), it is 0, as here",
            "the shortest lengths that fit Table 5 (predicted, true, shared time): "
            + "; ".join(f"{case} {', '.join(f'{one:g}' for one in lengths(case))}" for case in "AB")
            + "; where the segments lie is ours",
            *told.notes(real),
        ),
        caveat=f"columns and findings called agreement: {CAVEAT}",
        seed=asked.seed,
        versions=packages("consilience", "numpy", "scipy"),
        commands=(
            "consilience reproduce segments",
            "cd $(python -c 'import consilience.experiments as e; print(*e.__path__)')/data/ami",
            "consilience soft reference.rttm.gz dl.rttm.gz --labels mapped",
        ),
        data="segments of the lengths that fit Table 5 (its Figure 12 has no numbers); the "
        "reference of the AMI test set and four systems' output, desh2608/dover-lap, commit "
        "0166e2df, MIT licence, unchanged",
    )


def example(case: str) -> dict[str, tuple[float, float, float]]:
    """Measure an example by every method."""
    from consilience.verdict.segments import segments
    from consilience.verdict.soft import soft

    gold, predicted = EXAMPLES[case]
    told = segments(gold, predicted, threshold=THRESHOLD).payload()
    beside = {one["name"]: one for one in told["baselines"]}
    items = soft(gold, predicted, similarity="segments", variant="paper")
    found = {name: _three(beside[theirs]) for name, theirs in _BESIDE.items()}
    found["soft"] = _three(told)
    return found | {"equations 4 to 7": (items.precision, items.recall, items.f1)}


def _three(told: Mapping[str, Any]) -> tuple[float, float, float]:
    return told["precision"], told["recall"], told["f1"]


def _headline(ours: Mapping[str, Rows]) -> str:
    cells = [
        (ours[case][method][-1], row[-1])
        for case in PAPER
        for method, row in PAPER[case].items()
        if row[-1] is not None
    ]
    same = sum(abs(mine - theirs) <= ROUNDING for mine, theirs in cells)
    return (
        "Segments made to fit the precision and recall of Table 5 give "
        f"{same} of its {len(cells)} F-scores."
    )


def _table(ours: Mapping[str, Rows]) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for case in PAPER:
        for method, values in ours[case].items():
            theirs = PAPER[case].get(method, (None,) * len(FIGURES))
            both = zip(theirs, values, strict=True)
            rows.append((f"{case}: {method}", *(cell for pair in both for cell in pair)))
    heads = [Column(f"{name}, {whose}") for name in "PRF" for whose in ("paper", "ours")]
    return Table(
        "The paper's examples A and B",
        (Column("case: method", "head"), *heads),
        tuple(rows),
        note="equations 4 to 7: the paper's soft cardinality with overlap / union as similarity, "
        "which is not what it does with segments",
    )


def findings(ours: Mapping[str, Rows]) -> tuple[Finding, ...]:
    """Hold Table 5 against ours."""
    made = [_useless(ours)]
    for case in PAPER:
        for method in ("FuzzyPR", "soft"):
            made.append(_printed(case, method, ours[case][method]))
    made.append(_not_by_cardinality(ours))
    return tuple(made)


def lengths(case: str) -> tuple[float, float, float]:
    """Give the predicted, the true and the shared time of an example.

    Examples
    --------
    >>> lengths("A"), lengths("B")
    ((39.0, 45.0, 22.0), (5.0, 16.0, 5.0))
    """
    from consilience.verdict.segments import segments

    size = segments(*EXAMPLES[case]).payload()["cardinality"]
    return size["predicted"], size["gold"], size["intersection"]


def _useless(ours: Mapping[str, Rows]) -> Finding:
    most = max(max(ours[case][method][:2]) for case in PAPER for method in ("crisp", "crisp*"))
    return Finding(
        "equal segments, and segments alike by 0.8, find nothing",
        "0 in both cases",
        "0 in both cases" if most == 0 else f"up to {most:.2f}",
        None,
        "where the segments lie is ours: the paper's Figure 12 has no numbers",
    )


def _printed(case: str, method: str, mine: tuple[float, float, float]) -> Finding:
    theirs = [value for value in PAPER[case][method] if value is not None]
    agrees = all(abs(a - b) <= ROUNDING for a, b in zip(mine, theirs, strict=True))
    why = ""
    if not agrees:
        harmonic = 2 * theirs[0] * theirs[1] / (theirs[0] + theirs[1])
        rounded = abs(harmonic - theirs[2]) <= ROUNDING
        why = (
            f"F of the rounded precision and recall is {harmonic:.2f}, of the lengths {mine[2]:.4f}"
            if rounded
            else f"a misprint: the printed precision and recall give F {harmonic:.2f}"
        )
    return Finding(
        f"case {case}, {method}: the lengths that fit P and R give F as well",
        ", ".join(f"{name} {value:.2f}" for name, value in zip("PRF", theirs, strict=True)),
        ", ".join(f"{name} {value:.2f}" for name, value in zip("PRF", mine, strict=True)),
        agrees,
        why,
    )


def _not_by_cardinality(ours: Mapping[str, Rows]) -> Finding:
    rows = {case: ours[case]["equations 4 to 7"] for case in PAPER}
    return Finding(
        "what the soft cardinality of equations 4 to 7 would give",
        "",
        "; ".join(f"{case}: P {rows[case][0]:.2f}, R {rows[case][1]:.2f}" for case in PAPER)
        + ", with overlap / union as similarity",
        None,
        "the paper takes lengths of time in place of it (§3.1, §3.2), and so does this library",
    )
