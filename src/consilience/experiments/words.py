"""Short lists of words that are nearly right: the soft cardinalities of Table 3.

Café and Gray Color stand in the paper word by word, so that all their figures can be made again.
The words of its third example, University, do not: only cardinalities are printed, and what can be
checked there is the arithmetic. The column *semantic* rests on Google's Word2Vec vectors, which are
not at hand here; its arithmetic is checked, too.

The figures of P, R and F are those that the paper's text states (§4.1 to §4.3); its Figures 8 to
10 draw them, and drawings have no digits to compare with.

References
----------
.. [1] P. Fränti and R. Mariescu-Istodor, "Soft precision and recall", Pattern Recognition
   Letters 167, 2023.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from consilience.experiments.recorded import packages
from consilience.experiments.reproduced import (
    Asked,
    Axis,
    Column,
    Figure,
    Finding,
    Reproduced,
    Table,
)

#: The columns of Table 3; syntactic is Levenshtein, semantic Word2Vec.
WAYS = ("crisp", "syntactic", "semantic")
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
#: What the paper's text says of precision, recall and F.
STATED = (
    ("Café", "crisp", "R", 0.67),
    ("Café", "semantic", "R", 0.93),
    ("Café", "syntactic", "P", 0.90),
    ("Café", "semantic", "P", 0.80),
    ("University", "crisp", "F", 0.14),
    ("University", "syntactic", "F", 0.61),
    ("University", "semantic", "F", 0.74),
    ("Gray Color", "crisp", "P", 0.00),
    ("Gray Color", "crisp", "R", 0.00),
    ("Gray Color", "syntactic", "P", 0.63),
    ("Gray Color", "syntactic", "R", 0.82),
)
#: The soft counts of the predicted words in Figures 5 and 6, by the words they are printed beside.
COUNTS = {
    "Café": {"cafe": 0.40, "coffee": 0.46, "caffe": 0.41, "pizza": 0.62, "plaza": 0.56},
    "Gray Color": {"the": 0.80, "grey": 1.00, "colour": 0.80},
}
#: The words, gold and predicted; accents are folded away, as the paper's figures need.
LISTS = {
    "Café": (("cafe", "pizza", "hotel"), ("cafe", "coffee", "caffe", "pizza", "plaza")),
    "Gray Color": (("gray", "color"), ("the", "grey", "colour")),
}
#: The same with the accents that the paper's Figure 2 shows.
ACCENTED = (("café", "pizza", "hotel"), ("café", "coffee", "caffè", "pizza", "plaza"))
#: Our names of the sets and of the figures.
SETS = {"G": "gold", "P": "predicted", "G ∪ P": "union", "G ∩ P": "intersection"}
FIGURES = {"P": "precision", "R": "recall", "F": "f1"}
#: Half a unit of the last digit that the paper prints, and a little for rounding.
ROUNDING = 0.005 + 1e-9

Told: TypeAlias = dict[str, dict[str, Any]]


def run(asked: Asked) -> Reproduced:
    """Compute both lists that are printed, and check the arithmetic of the third."""
    ours = {"crisp": _told("exact"), "syntactic": _told("levenshtein")}
    cells = [
        (example, way, of, PAPER[example][of][place], ours[way][example]["cardinality"][SETS[of]])
        for example in LISTS
        for of in SETS
        for place, way in enumerate(WAYS[:2])
    ]
    return Reproduced(
        name="words",
        title="Words that are nearly right",
        headline=_headline(cells),
        tables=(_cardinalities(cells), _stated(ours)),
        findings=(
            *(_sizes(example, cells) for example in LISTS),
            _sums(),
            *_scores(ours),
            _above_one(),
            _only_one(),
            _distance(),
            _labels(ours["syntactic"]),
        ),
        figures=(_figure(ours),),
        notes=(
            _accents(),
            "the semantic column (Word2Vec vectors of Google) is checked for its arithmetic only: "
            "the vectors are not part of this package",
            "color and gray, which the paper calls British spellings, are the American ones",
        ),
        seed=asked.seed,
        versions=packages("consilience", "rapidfuzz", "numpy"),
        commands=(
            "consilience reproduce words",
            "printf 'cafe\\npizza\\nhotel\\n' > gold.txt",
            "printf 'cafe\\ncoffee\\ncaffe\\npizza\\nplaza\\n' > predicted.txt",
            "consilience soft gold.txt predicted.txt --variant paper",
        ),
        data="the paper's own words; those of University are not in the paper",
    )


def _told(similarity: str) -> Told:
    """Compare both lists; with items that are equal or not, cardinalities are those of sets."""
    from consilience.verdict.soft import soft

    return {
        name: soft(list(gold), list(predicted), similarity=similarity, variant="paper").payload()
        for name, (gold, predicted) in LISTS.items()
    }


def _headline(cells: list[tuple[Any, ...]]) -> str:
    apart = [cell for cell in cells if abs(cell[3] - cell[4]) > ROUNDING]
    same = len(cells) - len(apart)
    said = f"{same} of {len(cells)} cardinalities of Café and Gray Color equal the paper's digits"
    told = "; ".join(f"{cell[0]}'s {cell[2]} is {cell[4]:.2f}, not {cell[3]:.2f}" for cell in apart)
    return f"{said}{': ' + told if told else ''}."


def _cardinalities(cells: list[tuple[Any, ...]]) -> Table:
    held = {cell[:3]: cell[3:] for cell in cells}
    return Table(
        "Cardinalities, the paper's beside ours",
        (
            Column("example: set", "head"),
            Column("crisp, paper"),
            Column("crisp, ours"),
            Column("Levenshtein, paper"),
            Column("Levenshtein, ours", digits=4),
        ),
        tuple(
            (f"{example}: {of}", *held[example, "crisp", of], *held[example, "syntactic", of])
            for example in LISTS
            for of in SETS
        ),
    )


def printed_ratio(sizes: Mapping[str, tuple[float, ...]], way: str, figure: str) -> float:
    """Divide the paper's own cardinalities.

    Examples
    --------
    >>> round(printed_ratio(PAPER["University"], "crisp", "F"), 2)
    0.2
    """
    gold, predicted, _, both = (sizes[of][WAYS.index(way)] for of in SETS)
    if figure == "F":
        return 2 * both / (gold + predicted)
    return both / (predicted if figure == "P" else gold)


def may_print(sizes: Mapping[str, tuple[float, ...]], way: str, figure: str, told: float) -> bool:
    """Say whether a figure may come from cardinalities that were rounded to two digits.

    Examples
    --------
    >>> may_print(PAPER["Café"], "semantic", "P", 0.80)
    True
    >>> may_print(PAPER["University"], "crisp", "F", 0.14)
    False
    """
    off = 0.0 if way == "crisp" else 0.005  # crisp sizes are whole numbers
    ends = []
    for up in (-off, off):
        moved = {
            of: tuple(value + (up if of == "G ∩ P" else -up) for value in values)
            for of, values in sizes.items()
        }
        ends.append(printed_ratio(moved, way, figure))
    return ends[0] - ROUNDING <= told <= ends[1] + ROUNDING


def _stated(ours: Mapping[str, Told]) -> Table:
    return Table(
        "Precision, recall and F that the paper's text states",
        (
            Column("figure", "head"),
            Column("paper"),
            Column("from the paper's cardinalities", digits=4),
            Column("ours", digits=4),
        ),
        tuple(
            (
                f"{example}, {way}: {figure}",
                told,
                printed_ratio(PAPER[example], way, figure),
                ours[way][example][FIGURES[figure]] if way in ours and example in LISTS else None,
            )
            for example, way, figure, told in STATED
        ),
        note="no figure of ours where the words or the vectors are not at hand",
    )


def _sizes(example: str, cells: list[tuple[Any, ...]]) -> Finding:
    mine = [cell for cell in cells if cell[0] == example and cell[1] == "syntactic"]
    off = [cell for cell in mine if abs(cell[3] - cell[4]) > ROUNDING]
    why = ""
    if off:
        added = mine[0][3] + mine[1][3] - mine[2][3]
        why = (
            f"G + P − G ∪ P is {mine[3][4]:.4f}; adding the rounded figures, as the paper seems "
            f"to, gives {added:.2f}"
        )
    return Finding(
        f"soft cardinalities of {example} ({', '.join(SETS)})",
        ", ".join(f"{cell[3]:.2f}" for cell in mine),
        ", ".join(f"{cell[4]:.2f}" for cell in mine),
        not off,
        why,
    )


def _sums() -> Finding:
    off = max(
        abs(told["G"][place] + told["P"][place] - told["G ∪ P"][place] - told["G ∩ P"][place])
        for told in PAPER.values()
        for place in range(len(WAYS))
    )
    return Finding(
        "card(G ∩ P) = card(G) + card(P) − card(G ∪ P) in all nine columns",
        "equation 7",
        f"the printed figures are off by {off:.2f} at most",
        off < 0.015,
    )


def _scores(ours: Mapping[str, Told]) -> tuple[Finding, ...]:
    """Hold what the text states against our figures, and against the paper's own table."""
    mine = [
        (told, ours[way][example][FIGURES[figure]], f"{example} {way} {figure}")
        for example, way, figure, told in STATED
        if way in ours and example in LISTS
    ]
    right = [told for told, value, _ in mine if abs(told - value) <= ROUNDING]
    made = [
        Finding(
            "precision and recall of Café and Gray Color, crisp and by Levenshtein",
            ", ".join(f"{name} {told:.2f}" for told, _, name in mine),
            f"{len(right)} of {len(mine)} are equal in two digits",
            len(right) == len(mine),
        )
    ]
    others = [one for one in STATED if one[1] not in ours or one[0] not in LISTS]
    fit = [one for one in others if may_print(PAPER[one[0]], *one[1:])]
    made.append(
        Finding(
            "the figures of University and of the semantic column follow from Table 3",
            ", ".join(f"{one[0]} {one[1]} {one[2]} {one[3]:.2f}" for one in others),
            f"{len(fit)} of {len(others)} do",
            len(fit) == len(others),
            "; ".join(
                f"a misprint: {one[0]} {one[1]} {one[2]} is "
                f"{printed_ratio(PAPER[one[0]], one[1], one[2]):.2f} by the table"
                for one in others
                if one not in fit
            ),
        )
    )
    return tuple(made)


def _above_one() -> Finding:
    highest, example, way, figure = max(
        (printed_ratio(PAPER[example], way, figure), example, way, figure)
        for example in PAPER
        for way in WAYS
        for figure in FIGURES
    )
    return Finding(
        "the measure can give values greater than 1",
        "§5 says so, and names none",
        f"its own table has one: {example}, {way}, {figure} = {highest:.2f}",
        highest > 1,
    )


def _only_one() -> Finding:
    """Hold §4.3 on Gray Color against the table."""
    both = dict(zip(WAYS, PAPER["Gray Color"]["G ∩ P"], strict=True))
    above = [way for way in WAYS if both[way] > 0]
    scores = [printed_ratio(PAPER["Gray Color"], "semantic", figure) for figure in FIGURES]
    return Finding(
        "of Gray Color, the syntactic measure alone gives a score above 0",
        "§4.3 says so",
        f"above 0 are by its table: {', '.join(above)}",
        above == ["syntactic"],
        f"its semantic G ∩ P of {both['semantic']:.2f} makes P {scores[0]:.2f} and R "
        f"{scores[1]:.2f}: low, not 0",
    )


def _distance() -> Finding:
    from consilience.match.characters import levenshtein

    others = [levenshtein("cafe", word) for word in LISTS["Café"][1]]
    edits = round((1 - levenshtein("cafe", "coffee")) * len("coffee"))
    with_two = 1 / (sum(others) - levenshtein("cafe", "coffee") + 1 - 2 / len("coffee"))
    return Finding(
        "the edit distance of cafe and coffee (caption of Figure 5)",
        "2",
        f"{edits}",
        edits == 2,
        f"a misprint of the caption: with 2 cafe would count {with_two:.3f}, and it is printed "
        f"with {COUNTS['Café']['cafe']:.2f}, as 3 gives",
    )


def _labels(told: Told) -> Finding:
    """Hold the soft counts of Figures 5 and 6 against ours, word by word."""
    ours = {
        example: {row["item"]: row["count"] for row in told[example]["counts"]["predicted"]}
        for example in COUNTS
    }
    apart = [
        f"{word} {ours[example][word]:.2f}"
        for example, printed in COUNTS.items()
        for word, value in printed.items()
        if abs(value - ours[example][word]) > ROUNDING
    ]
    every = sum(map(len, COUNTS.values()))
    swapped = sorted(COUNTS["Gray Color"].values()) == [
        round(value, 2) for value in sorted(ours["Gray Color"].values())
    ]
    why = ""
    if apart and swapped:
        why = (
            "a misprint: the rows of grey and colour are swapped in Figure 6, whose caption also "
            "says Word2Vec where the figures are Levenshtein's"
        )
    return Finding(
        "soft counts of the predicted words (Figures 5 and 6)",
        ", ".join(f"{word} {value:.2f}" for one in COUNTS.values() for word, value in one.items()),
        f"{every - len(apart)} of {every} are equal; {', '.join(apart)}",
        not apart,
        why,
    )


def _accents() -> str:
    from consilience.verdict.soft import soft

    kept = soft(list(ACCENTED[0]), list(ACCENTED[1]), variant="paper")
    return (
        "words are compared without accents, as the paper's figures need: with them Café gives "
        f"P {kept.precision:.2f} and R {kept.recall:.2f}"
    )


def _figure(ours: Mapping[str, Told]) -> Figure:
    names = {"crisp": "crisp", "syntactic": "soft (Levenshtein)"}
    return Figure(
        "scores",
        "Precision, recall and F",
        "Bars of precision, recall and F of Café and Gray Color: crisp beside soft.",
        tuple(
            {"of": figure, "value": ours[way][example][key], "way": names[way], "list": example}
            for example in LISTS
            for way in ours
            for figure, key in FIGURES.items()
        ),
        Axis("of", "", names=tuple(FIGURES)),
        Axis("value", "value", ends=(0.0, 1.0)),
        mark="bar",
        series="way",
        panel="list",
    )
