"""Short lists of words that are nearly right: the soft cardinalities of Table 3.

Café and Gray Color stand in the paper word by word. The words of its third example, University,
do not: only their cardinalities are printed, so what can be checked there is the arithmetic. The
column *semantic* rests on Google's Word2Vec vectors, which are not free to pass on; it is shown and
not compared.

References
----------
.. [1] P. Fränti and R. Mariescu-Istodor, "Soft precision and recall", Pattern Recognition
   Letters 167, 2023.
"""

from __future__ import annotations

from typing import Any

from consilience.experiments.recorded import packages
from consilience.experiments.reproduced import Asked, Column, Finding, Reproduced, Table

#: What the paper prints: crisp, then syntactic (Levenshtein), then semantic cardinalities.
PAPER = {
    "Café": {
        "G": (3.00, 2.67, 1.83),
        "P": (5.00, 2.45, 2.14),
        "G ∪ P": (6.00, 2.91, 2.27),
        "G ∩ P": (2.00, 2.21, 1.70),
    },
    "University": {
        "G": (3.00, 1.90, 1.79),
        "P": (7.00, 3.69, 3.48),
        "G ∪ P": (9.00, 3.88, 3.32),
        "G ∩ P": (1.00, 1.71, 1.95),
    },
    "Gray Color": {
        "G": (2.00, 2.00, 1.39),
        "P": (3.00, 2.60, 3.00),
        "G ∪ P": (5.00, 2.96, 4.04),
        "G ∩ P": (0.00, 1.64, 0.35),
    },
}
#: The words, gold and predicted; accents are folded away, as the paper's figures need.
LISTS = {
    "Café": (("cafe", "pizza", "hotel"), ("cafe", "coffee", "caffe", "pizza", "plaza")),
    "Gray Color": (("gray", "color"), ("the", "grey", "colour")),
}
#: Our names of the sets.
SETS = {"G": "gold", "P": "predicted", "G ∪ P": "union", "G ∩ P": "intersection"}
#: Half a unit of the last digit that the paper prints, and a little for rounding.
ROUNDING = 0.005 + 1e-9


def run(asked: Asked) -> Reproduced:
    """Compute the cardinalities of both lists, and check the sums of the third."""
    from consilience.verdict.soft import soft

    ours = {name: soft(list(g), list(p), variant="paper") for name, (g, p) in LISTS.items()}
    sizes = {name: one.payload()["cardinality"] for name, one in ours.items()}
    crisp = {name: _crisp(*LISTS[name]) for name in LISTS}
    rows = tuple(
        (
            f"{example}: {of}",
            *(PAPER[example][of][0], crisp[example][SETS[of]]),
            *(PAPER[example][of][1], sizes[example][SETS[of]]),
        )
        for example in LISTS
        for of in SETS
    )
    apart = [(row[0], row[3], row[4]) for row in rows if abs(row[3] - row[4]) > ROUNDING]
    return Reproduced(
        name="words",
        title="Words that are nearly right",
        source="Fränti & Mariescu-Istodor 2023, Table 3",
        headline=_headline(len(rows), apart),
        tables=(
            Table(
                "Cardinalities, the paper's beside ours",
                (
                    Column("example: set", "head"),
                    Column("crisp, paper"),
                    Column("crisp, ours"),
                    Column("Levenshtein, paper"),
                    Column("Levenshtein, ours", digits=4),
                ),
                rows,
            ),
            _scores(ours),
        ),
        findings=(*_findings(rows, crisp), _university()),
        notes=(
            "words are compared without accents: with them Café gives P 0.88 and R 0.79",
            "the semantic column of the paper (Word2Vec of Google) is not compared: the vectors "
            "are not free to pass on",
        ),
        seed=asked.seed,
        versions=packages("consilience", "rapidfuzz", "numpy"),
        commands=(
            "consilience reproduce words",
            "consilience soft gold.txt predicted.txt --variant paper",
        ),
        data="the paper's own words",
    )


def _crisp(gold: tuple[str, ...], predicted: tuple[str, ...]) -> dict[str, float]:
    both = {*gold} & {*predicted}
    union = {*gold} | {*predicted}
    sizes = (gold, predicted, union, both)
    return {name: float(len({*one})) for name, one in zip(SETS.values(), sizes, strict=True)}


def _headline(cells: int, apart: list[tuple[Any, Any, Any]]) -> str:
    said = f"{cells - len(apart)} of {cells} soft cardinalities equal the paper's two digits"
    told = "; ".join(f"{name} is {ours:.2f}, printed {paper:.2f}" for name, paper, ours in apart)
    return f"{said}{': ' + told if told else ''}."


def _scores(ours: dict[str, Any]) -> Table:
    """Precision, recall and F of both lists; the paper's stand in its Figures 8 and 10."""
    return Table(
        "Soft precision, recall and F",
        (Column("example", "head"), *(Column(name, digits=4) for name in ("P", "R", "F"))),
        tuple((name, one.precision, one.recall, one.f1) for name, one in ours.items()),
    )


def _findings(rows: tuple[Any, ...], crisp: dict[str, dict[str, float]]) -> tuple[Finding, ...]:
    made = []
    for example in LISTS:
        mine = [row for row in rows if row[0].startswith(example)]
        off = [row for row in mine if abs(row[3] - row[4]) > ROUNDING]
        made.append(
            Finding(
                f"soft cardinalities of {example}",
                ", ".join(f"{row[3]:.2f}" for row in mine),
                ", ".join(f"{row[4]:.2f}" for row in mine),
                not off,
                "card(G) + card(P) − card(G ∪ P) of the paper's own figures before rounding gives "
                "2.20; 2.21 comes from adding rounded ones"
                if off
                else "",
            )
        )
    return tuple(made)


def _university() -> Finding:
    """Check what can be checked of an example whose words are not printed."""
    told = PAPER["University"]
    sums = [
        abs(told["G"][k] + told["P"][k] - told["G ∪ P"][k] - told["G ∩ P"][k]) for k in range(3)
    ]
    return Finding(
        "University: card(G ∩ P) = card(G) + card(P) − card(G ∪ P)",
        "in all three columns",
        "holds for the printed figures" if max(sums) < 0.015 else f"off by {max(sums):.2f}",
        max(sums) < 0.015,
        "the words themselves are not in the paper, so that only the sums can be checked",
    )
