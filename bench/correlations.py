"""Do the intervals of ``correlate`` hold what they should, and would simpler ones?

Topics are drawn from published matrices of scores, topic by system (Robust 2004, Web 2010 to 2014):
all topics together are the population, one measure is the truth and another one the ranking
without. Beside these stand simulated systems, among them a method that is right but for noise.
The right figure is the mean over many samples of so many topics. Three intervals are tried: the one
of ``correlate``, the draws' expanded percentiles alone, Student's t times the standard error alone.

    python -m bench.correlations      prints the table, and writes it to bench/results
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.accuracy.sets import DATA
from consilience.measures.orders import crossed
from consilience.measures.tops import regrets
from consilience.verdict.correlation_study import interval
from consilience.verdict.resample import expanded_tail, resample

if TYPE_CHECKING:
    from numpy.typing import NDArray

RESULT = Path(__file__).parent / "results" / "correlations.md"
FOLDER = "ir_score_matrices"
#: Truth, ranking without it, and how many topics are drawn.
PAIRS = (
    ("robust2004_ap", "robust2004_p10", 25),
    ("web2013_ap", "web2013_ndcg20", 25),
    ("web2013_ap", "web2013_ndcg20", 10),
    ("web2012_err20", "web2012_ap", 25),
    ("web2014_ap", "web2014_p20", 25),
    ("web2011_ap", "web2011_rr", 25),
    ("web2010_ap", "web2010_rr", 15),
)
#: Simulated: systems, topics, and how far the method's scores correlate with the true ones.
MADE = ((8, 10, 0.7), (20, 50, 0.7), (20, 50, 1.0), (40, 25, 0.9), (40, 50, 0.5))
FIGURES = ("tau_b", "tau_ap", "regret")
WAYS = ("correlate", "percentiles", "standard error")
LEVEL = 0.95
HEADER = ("truth", "other", "systems", "topics", "figure", "right", *WAYS)

Two = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
#: Gives the scores (systems × topics) of so many topics, by truth and by the other ranking.
Draw = Callable[[np.random.Generator], Two]


def figures(a: NDArray[np.float64], b: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Compute every figure for every row of scores."""
    pairs = crossed(a, b)
    return {"tau_b": pairs.kendall(), "tau_ap": pairs.tau_ap(), "regret": regrets(a, b)}


def intervals(
    value: float, draws: NDArray[np.float64], name: str, topics: int
) -> dict[str, tuple[float, float]]:
    """Give the three intervals of a figure."""
    whole = interval(value, draws, name, level=LEVEL, queries=topics)
    assert whole is not None
    tail = expanded_tail(LEVEL, topics)
    low, high = np.quantile(draws, [tail, 1 - tail]).tolist()
    from scipy.special import stdtrit

    reach = (
        float(stdtrit(topics - 1, (1 + LEVEL) / 2)) * draws.std() * np.sqrt(topics / (topics - 1))
    )
    ends = (value - reach, value + reach)
    return dict(zip(WAYS, (whole, (low, high), ends), strict=True))


def covered(draw: Draw, *, rounds: int, seed: int = 0) -> dict[str, dict[str, float]]:
    """Count how often each interval holds the right figure, and give that figure."""
    rng = np.random.default_rng(seed)
    many = [draw(rng) for _ in range(5 * rounds)]
    a, b = (np.stack([pair[side].mean(axis=1) for pair in many]) for side in (0, 1))
    right = {name: float(found.mean()) for name, found in figures(a, b).items()}
    hits = {name: dict.fromkeys(WAYS, 0) for name in FIGURES}
    for place in range(rounds):
        one, other = draw(rng)
        systems, topics = one.shape
        drawn = resample(np.vstack([one, other]), seed=place, samples=300).draws
        value = figures(one.mean(axis=1)[None], other.mean(axis=1)[None])
        spread = figures(drawn[:, :systems], drawn[:, systems:])
        for name in FIGURES:
            made = intervals(float(value[name][0]), spread[name], name, topics)
            for way, (low, high) in made.items():
                hits[name][way] += low - 1e-12 <= right[name] <= high + 1e-12
    shares = {name: {way: hit / rounds for way, hit in hits[name].items()} for name in FIGURES}
    return {name: {"right": right[name], **shares[name]} for name in FIGURES}


def simulated(systems: int, topics: int, agreement: float, seed: int = 0) -> Draw:
    """Make systems with true scores, a method that follows them, and noise that both share."""
    rng = np.random.default_rng(seed)
    true = rng.normal(0.4, 0.05, systems)
    guess = agreement * true + np.sqrt(1 - agreement**2) * rng.normal(0, 0.05, systems)

    def draw(rng: np.random.Generator) -> Two:
        noise = rng.normal(0, 0.15, (systems, topics))
        other = 0.5 * noise + np.sqrt(0.75) * rng.normal(0, 0.15, (systems, topics))
        return true[:, None] + noise, guess[:, None] + other

    return draw


def real(folder: Path, truth: str, other: str, topics: int) -> tuple[int, Draw]:
    """Read two matrices of the same topics and systems; topics are drawn with replacement."""
    import pandas as pd

    frames = [pd.read_csv(folder / f"{name}.csv.gz") for name in (truth, other)]
    kept = [frame.select_dtypes("number") for frame in frames]
    both = [name for name in kept[0] if name in kept[1]]
    a, b = (frame[both].to_numpy(float).T for frame in kept)

    def draw(rng: np.random.Generator) -> Two:
        chosen = rng.integers(0, a.shape[1], topics)
        return a[:, chosen], b[:, chosen]

    return len(both), draw


def table(folder: Path, *, rounds: int) -> list[list[str]]:
    """Try everything; one row for each figure of each set."""
    made: list[tuple[str, str, int, int, Draw]] = []
    for truth, other, topics in PAIRS if folder.is_dir() else ():
        systems, draw = real(folder, truth, other, topics)
        made.append((truth, other, systems, topics, draw))
    for systems, topics, agreement in MADE:
        name = f"simulated, r = {agreement:g}"
        made.append((name, "", systems, topics, simulated(systems, topics, agreement)))
    rows = []
    for truth, other, systems, topics, draw in made:
        for name, found in covered(draw, rounds=rounds).items():
            cells = [f"{found['right']:.3f}", *(f"{found[way]:.3f}" for way in WAYS)]
            rows.append([truth, other, str(systems), str(topics), name, *cells])
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.correlations", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help=f"where the sets lie ({DATA})")
    parser.add_argument("--rounds", type=int, default=250, help="samples of topics for each set")
    parser.add_argument("--result", type=Path, default=RESULT, help=f"where to write ({RESULT})")
    given = parser.parse_args(arguments)
    rows = table(given.data / FOLDER, rounds=given.rounds)
    lines = [" | ".join(cells) for cells in (HEADER, ["---"] * len(HEADER), *rows)]
    text = "\n".join(
        [
            "# correlations",
            "",
            f"Share of {LEVEL:.0%} intervals that hold the right figure, of {given.rounds} samples",
            "of topics: those of `correlate`, and two simpler ones. python -m bench.correlations",
            "",
            *(f"| {line} |" for line in lines),
            "",
        ]
    )
    sys.stdout.write(text)
    given.result.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
