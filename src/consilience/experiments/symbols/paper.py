"""What Lamiroy & Sun (2011) print in Tables 4 and 5, and what can be read off these figures.

Precision and recall of five descriptors over the first 1, …, 10 answers, with truth by people. The
tables do not say how queries were averaged; the figures do (:func:`sums`).
"""

from __future__ import annotations

from dataclasses import dataclass

#: The columns of the paper's tables.
NAMES = ("Radon", "GFD", "Zernike", "SC", "ARG")
#: Table 4, precision: a row for every k from 1 to 10.
PRECISION = (
    (1.00000, 1.00000, 1.00000, 1.00000, 1.00000),
    (0.59524, 0.93023, 0.72727, 0.90698, 0.97674),
    (0.43548, 0.80000, 0.60000, 0.82813, 0.92188),
    (0.34940, 0.70930, 0.49412, 0.75581, 0.83333),
    (0.30769, 0.66038, 0.44762, 0.69811, 0.81905),
    (0.28226, 0.58730, 0.41600, 0.62698, 0.75397),
    (0.26712, 0.53061, 0.37838, 0.56164, 0.72789),
    (0.23952, 0.49102, 0.35714, 0.51205, 0.68452),
    (0.21925, 0.45455, 0.35106, 0.47059, 0.65263),
    (0.20290, 0.41546, 0.33173, 0.43269, 0.61321),
)
#: Table 5, recall.
RECALL = (
    (0.05699, 0.05699, 0.05699, 0.05699, 0.05699),
    (0.06476, 0.10362, 0.08290, 0.10103, 0.10880),
    (0.06994, 0.13471, 0.10103, 0.13730, 0.15284),
    (0.07512, 0.15803, 0.10880, 0.16839, 0.18134),
    (0.08290, 0.18134, 0.12176, 0.19170, 0.22279),
    (0.09067, 0.19170, 0.13471, 0.20466, 0.24611),
    (0.10103, 0.20207, 0.14507, 0.21243, 0.27720),
    (0.10362, 0.21243, 0.15544, 0.22020, 0.29792),
    (0.10621, 0.22020, 0.17098, 0.22797, 0.32124),
    (0.10880, 0.22279, 0.17875, 0.23316, 0.33678),
)
#: Units of the last digit that is printed, in 1; the largest collection that is tried.
DIGITS, MOST = 100_000, 2_000


@dataclass(frozen=True, slots=True)
class Sums:
    """Whole numbers behind the two tables: hits and answers (k × descriptors), relevant symbols.

    ``fit`` counts the printed figures that these numbers give, of both tables together.
    """

    relevant: int
    hits: tuple[tuple[int, ...], ...]
    returned: tuple[tuple[int, ...], ...]
    fit: int

    @property
    def queries(self) -> int:
        """How many queries there are: at k = 1 each has one answer."""
        return self.returned[0][0]


def precision(name: str, k: int) -> float:
    """Give a figure of Table 4.

    Examples
    --------
    >>> precision("ARG", 10)
    0.61321
    """
    return PRECISION[k - 1][NAMES.index(name)]


def recall(name: str, k: int) -> float:
    """Give a figure of Table 5."""
    return RECALL[k - 1][NAMES.index(name)]


def sums() -> Sums | None:
    """Find the smallest number of relevant symbols that the tables can be made of.

    If hits are added up over all queries and divided once, every recall is a whole number over the
    same whole number, and every precision is one over the number of answers. The recalls turn out
    to be cut off after five digits, the precisions to be rounded.

    Examples
    --------
    >>> found = sums()
    >>> found.queries, found.relevant, found.fit
    (22, 386, 100)
    >>> found.hits[9], found.returned[9]
    ((42, 86, 69, 90, 130), (207, 207, 208, 208, 212))
    """
    printed = [[round(figure * DIGITS) for figure in row] for row in RECALL]
    for relevant in range(1, MOST):
        hits = [[-(-figure * relevant // DIGITS) for figure in row] for row in printed]
        given = [[hit * DIGITS // relevant for hit in row] for row in hits]
        if given == printed:
            return _with_precision(relevant, hits)
    return None


def _with_precision(relevant: int, hits: list[list[int]]) -> Sums:
    """Find the numbers of answers that give the precisions, and count the figures that fit."""
    returned, fit = [], sum(len(row) for row in RECALL)
    for row, figures in zip(hits, PRECISION, strict=True):
        answers = [round(hit / figure) for hit, figure in zip(row, figures, strict=True)]
        rounded = [
            (2 * hit * DIGITS + answer) // (2 * answer)
            for hit, answer in zip(row, answers, strict=True)
        ]
        fit += sum(a == round(b * DIGITS) for a, b in zip(rounded, figures, strict=True))
        returned.append(tuple(answers))
    return Sums(relevant, tuple(tuple(row) for row in hits), tuple(returned), fit)
