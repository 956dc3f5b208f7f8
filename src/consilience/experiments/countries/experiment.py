"""Misspelt names of countries: soft and crisp precision and recall of Table 4.

Three of ten countries are the truth, and predictions are drawn from clusters of 50 misspelt names:
(1) all three right, (2) two right, (3) three right and one wrong, (4) two right and one wrong. A
misspelt name counts as right, so that the expected precision and recall are known. We add the
case that the paper does not have: (5) three wrong names.

The strings are a stand-in, made for this project (``data/countries/README.md``): the paper's were
not at hand. Of every cluster the first 50 different strings that are not the name itself are taken,
so that crisp measures find nothing, as in the paper.

The rows of crisp* (two strings match from a similarity of 0.8 on) follow from one number, the share
q of the strings that match their name: precision must be q, q, 3q/4, 2q/3 and recall q, 2q/3, q,
2q/3 in the four cases, as long as no string matches another country. The paper prints the two rows
the other way round.

References
----------
.. [1] P. Fränti and R. Mariescu-Istodor, "Soft precision and recall", Pattern Recognition
   Letters 167, 2023.
"""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from typing import TYPE_CHECKING, TypeAlias

from consilience import progress
from consilience.experiments.recorded import packages
from consilience.experiments.reproduced import Asked, Reproduced

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: The ten countries of the paper's D6.
TEN = (
    *("cyprus", "france", "greece", "latvia", "monaco"),
    *("norway", "poland", "russia", "serbia", "sweden"),
)
#: How many countries are the truth, and how many strings a cluster has.
TRUE, CLUSTER = 3, 50
#: Case → right and wrong predictions; 5 is ours.
CASES = {"1": (3, 0), "2": (2, 0), "3": (3, 1), "4": (2, 1), "5": (0, 3)}
#: Table 4: precision and recall in the cases 1 to 4, as printed.
PAPER = {
    "P": {
        "crisp": (0.0, 0.0, 0.0, 0.0),
        "crisp*": (0.48, 0.32, 0.48, 0.32),
        "soft": (0.87, 0.89, 0.71, 0.69),
        "expected": (1.00, 1.00, 0.75, 0.67),
    },
    "R": {
        "crisp": (0.0, 0.0, 0.0, 0.0),
        "crisp*": (0.48, 0.48, 0.36, 0.32),
        "soft": (0.89, 0.66, 0.92, 0.72),
        "expected": (1.00, 0.67, 1.00, 0.67),
    },
}
#: The methods in the order of the tables, by our names; the paper has the first three.
METHODS = ("crisp", "crisp*", "soft", "soft, floored", "diversity", "coverage", "one to one")
#: What the library calls those that stand beside a soft comparison.
_BESIDE = {
    **{name: name for name in ("crisp", "crisp*", "diversity", "coverage")},
    "assignment": "one to one",
}
#: How many wrong names are predicted for as many true ones, from all 48 countries.
WRONG = (1, 2, 3, 5, 10, 15, 20, 24)
#: From where on crisp* takes strings for the same, and below what a floor counts them as 0.
THRESHOLD, FLOOR = 0.8, 0.5

Strings: TypeAlias = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What repetitions of a case gave: method → precision and recall of each repetition.

    ``null`` is what random predictions get by the paper's measure, ``background`` how alike they
    are to the names, ``interval`` that of the measure's mean over repetitions.
    """

    values: Mapping[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    null: tuple[float, float]
    background: float
    interval: tuple[tuple[float, float] | None, tuple[float, float] | None]

    def mean(self, method: str, figure: int) -> float:
        """Average precision (0) or recall (1) over the repetitions."""
        return float(self.values[method][figure].mean())


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that was drawn and counted.

    ``cases`` are those of the table, ``wrongs`` wrong names alone by their number, ``lengths``
    case 1 with strings as long as the name and with others, ``rates`` the shares of
    :func:`pass_rates`, ``equal`` the share of all strings that are their name, and were left out.
    """

    cases: Mapping[str, Drawn]
    wrongs: Mapping[int, Drawn]
    lengths: tuple[Drawn, Drawn]
    rates: Mapping[str, float]
    equal: float
    trials: int

    def off(self, method: str, *, five: bool = False) -> float:
        """Give the root mean square difference of average P and R from what is expected."""
        apart = [
            self.cases[case].mean(method, figure) - expected(case)[figure]
            for case in CASES
            if five or case != "5"
            for figure in (0, 1)
        ]
        return float((sum(one**2 for one in apart) / len(apart)) ** 0.5)


def run(asked: Asked) -> Reproduced:
    """Draw predictions, score them by every method, and hold the averages against Table 4."""
    from consilience.experiments.countries import told

    found = outcome(asked)
    return Reproduced(
        name="countries",
        title="Misspelt names of countries",
        headline=told.headline(found),
        tables=told.tables(found),
        findings=told.findings(found),
        figures=(told.by_case(found), told.by_number(found)),
        notes=(
            f"{found.trials} repetitions of each case; in each, {TRUE} of ten countries are drawn, "
            f"and every prediction is drawn from the {CLUSTER} strings of its country",
            "soft is the paper's measure; soft, floored the same with similarities below "
            f"{FLOOR} counted as 0; coverage is our default (it has that floor, too)",
            "the expected figures count a misspelt name as fully right; coverage and one-to-one "
            "matching count it by its similarity, "
            f"{found.rates['similarity']:.2f} on average, and so stay below",
        ),
        seed=asked.seed,
        versions=packages("consilience", "rapidfuzz", "numpy"),
        commands=(
            "consilience reproduce countries",
            "printf 'cyprus\\nfrance\\ngreece\\n' > gold.txt",
            "printf 'oypmreus\\ndrance\\nrerece\\ndatia\\n' > predicted.txt",
            "consilience soft gold.txt predicted.txt --variant paper",
        ),
        data="48 × 125 misspelt names made for this project with random edits (the licence is the "
        "project's own); not the strings of the paper, which were not at hand",
    )


def outcome(asked: Asked) -> Outcome:
    """Draw everything."""
    import numpy as np

    held, trials = strings(), asked.size or 100
    rng = np.random.default_rng(asked.seed)
    clusters = {name: cluster[:CLUSTER] for name, cluster in held.items()}
    ten = {name: clusters[name] for name in TEN}
    steps = len(CASES) + len(WRONG)
    cases, wrongs = {}, {}
    for done, (case, (right, wrong)) in enumerate(CASES.items()):
        progress.report(done, steps)
        cases[case] = drawn(rng, ten, trials=trials, right=right, wrong=wrong)
    for done, count in enumerate(WRONG):
        progress.report(len(CASES) + done, steps)
        wrongs[count] = drawn(rng, clusters, trials=trials, right=0, wrong=count, true=count)
    same, other = (
        {name: [one for one in held[name] if (len(one) == len(name)) is equal] for name in TEN}
        for equal in (True, False)
    )
    lengths = (
        drawn(rng, same, trials=trials, right=TRUE, wrong=0),
        drawn(rng, other, trials=trials, right=TRUE, wrong=0),
    )
    return Outcome(cases, wrongs, lengths, pass_rates(ten), equal_share(), trials)


def equal_share() -> float:
    """Give the share of the ten countries' strings that are the name itself."""
    ten = [name == string for name, string in _lines() if name in TEN]
    return sum(ten) / len(ten)


def _lines() -> list[tuple[str, str]]:
    """Read names and strings, line by line."""
    data = resources.files("consilience.experiments") / "data" / "countries" / "strings.tsv.gz"
    lines = gzip.decompress(data.read_bytes()).decode().splitlines()[1:]
    return [(name.lower(), string) for _, name, string, _ in (one.split("\t") for one in lines)]


def strings() -> dict[str, tuple[str, ...]]:
    """Give country → its different strings that are not the name.

    Examples
    --------
    >>> held = strings()
    >>> len(held), min(map(len, held.values())), held["cyprus"][:3]
    (48, 70, ('cypturs', 'cywrrus', 'yvprus'))
    """
    found: dict[str, dict[str, None]] = {}
    for name, string in _lines():
        if string != name:
            found.setdefault(name, {})[string] = None
    return {name: tuple(cluster) for name, cluster in found.items()}


def drawn(
    rng: np.random.Generator,
    held: Strings,
    *,
    trials: int,
    right: int,
    wrong: int,
    true: int = TRUE,
) -> Drawn:
    """Draw so many right and wrong predictions, and score them by every method."""
    from consilience.verdict.soft import scored, soft

    names, gold, predicted = sorted(held), {}, {}
    for trial in range(trials):
        order = [names[place] for place in rng.permutation(len(names))]
        named = order[:true][:right] + order[true:][:wrong]
        gold[f"{trial}"] = order[:true]
        predicted[f"{trial}"] = [held[name][int(rng.integers(len(held[name])))] for name in named]
    plain = soft(gold, predicted, variant="paper", threshold=THRESHOLD)
    # the same as soft(…, floor=FLOOR), without measuring everything beside it once more
    floored = scored(replace(plain.settings, floor=FLOOR), plain.entries)
    values = {
        _BESIDE[one.name]: (one.precision, one.recall)
        for one in plain.baselines
        if one.name in _BESIDE
    }
    for name, found in (("soft", plain.scores), ("soft, floored", floored)):
        values[name] = (found.precision, found.recall)
    told = plain.payload()["intervals"]
    ends = [None if told[name] is None else tuple(told[name]) for name in ("precision", "recall")]
    null = plain.null
    return Drawn(values, (null.precision, null.recall), null.background, (ends[0], ends[1]))


def expected(case: str) -> tuple[float, float]:
    """Give the precision and recall of a case where misspelt names are right.

    Examples
    --------
    >>> expected("3"), expected("5")
    ((0.75, 1.0), (0.0, 0.0))
    """
    right, wrong = CASES[case]
    return right / (right + wrong), right / TRUE


def by_pass_rate(q: float) -> dict[str, tuple[float, ...]]:
    """Give the rows of crisp* where a share q of right predictions passes, and no wrong one.

    Examples
    --------
    >>> {figure: [round(value, 2) for value in row] for figure, row in by_pass_rate(0.48).items()}
    {'P': [0.48, 0.48, 0.36, 0.32], 'R': [0.48, 0.32, 0.48, 0.32]}
    """
    ends = [expected(case) for case in CASES if case != "5"]
    return {"P": tuple(q * p for p, _ in ends), "R": tuple(q * r for _, r in ends)}


def pass_rates(held: Strings) -> dict[str, float]:
    """Give the shares of strings that match their name, another's, and each other.

    ``similarity`` is the mean one of a string to its own name.
    """
    import numpy as np

    from consilience.match.characters import levenshtein

    def alike(pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        return np.array([levenshtein(a, b) for a, b in pairs])

    own = alike([(name, string) for name in held for string in held[name]])
    other = alike([(a, string) for a in held for b in held if a != b for string in held[b]])
    # 400 pairs of each cluster tell enough: all would be 12,000
    each = alike([(a, b) for name in held for a in held[name][:20] for b in held[name][20:40]])
    found = {
        name: float((one >= THRESHOLD - 1e-9).mean())
        for name, one in (("own", own), ("other", other), ("each", each))
    }
    return found | {"similarity": float(own.mean())}


def constant(s: float, n: int) -> float:
    """Give soft precision and recall of n wrong items for n, all alike by the same s.

    Examples
    --------
    >>> round(constant(0.0, 5), 2), round(constant(0.2, 3), 2), round(constant(0.2, 300), 2)
    (0.0, 0.6, 0.99)
    """
    return 2 - 2 * (1 + (n - 1) * s) / (1 + (2 * n - 1) * s)
