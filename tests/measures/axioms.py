"""Which variant of soft precision and recall keeps which axiom, measured over random cases.

``python -m tests.measures.axioms`` prints the table that docs/soft.md shows; a test compares both.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from consilience.match.characters import exact, levenshtein
from consilience.match.entries import entries
from consilience.match.kernel import comparer
from consilience.measures.assignment import instance_scores
from consilience.measures.soft import soft_scores

Words = list[str]
Score = Callable[[Words, Words], tuple[float, float]]
Rng = np.random.Generator
#: Rounding, and the repair of indefinite tables in ``diversity``.
TINY = 1e-9
CASES = 200
VARIANTS = ("coverage", "diversity", "paper", "storm", "assignment")


def scored(variant: str, function: Callable[..., float] = levenshtein) -> Score:
    how = comparer(function)

    def score(gold: Words, predicted: Words) -> tuple[float, float]:
        given = entries([gold], [predicted])
        found = (
            instance_scores(how, given)
            if variant == "assignment"
            else soft_scores(how, given, variant=variant)  # type: ignore[arg-type]
        )
        return float(found.precision[0]), float(found.recall[0])

    return score


def word(rng: Rng) -> str:
    return "".join(rng.choice(list("abcde"), rng.integers(2, 7)))


def near(one: str, rng: Rng) -> str:
    place = int(rng.integers(len(one)))
    return one[:place] + str(rng.choice(list("abcde"))) + one[place + 1 :]


def case(rng: Rng) -> tuple[Words, Words]:
    """Make lists of different words, some predictions near to gold words."""
    gold = list(dict.fromkeys(word(rng) for _ in range(rng.integers(1, 6))))
    predicted = [near(str(rng.choice(gold)), rng) for _ in range(rng.integers(0, 4))]
    predicted += [word(rng) for _ in range(rng.integers(1, 4))]
    return gold, list(dict.fromkeys(predicted))


def bounded(score: Score, rng: Rng, variant: str) -> bool:
    return all(-TINY <= value <= 1 + TINY for value in score(*case(rng)))


def identical(score: Score, rng: Rng, variant: str) -> bool:
    gold, _ = case(rng)
    return bool(np.allclose(score(gold, gold), 1.0, atol=1e-6))


def unrelated(score: Score, rng: Rng, variant: str) -> bool:
    gold, predicted = case(rng)
    other = [one.translate(str.maketrans("abcde", "vwxyz")) for one in predicted]
    return bool(np.allclose(score(gold, other), 0.0, atol=1e-6))


def all_wrong(score: Score, rng: Rng, variant: str) -> bool:
    letters = list("abcdefghijklmnoprstuvwy")
    words = ["".join(rng.choice(letters, rng.integers(4, 10))) for _ in range(20)]
    return max(score(words[:10], words[10:])) <= 0.2


def crisp(score: Score, rng: Rng, variant: str) -> bool:
    words = ["a", "bb", "ccc", "dddd", "eeeee"]
    gold = list(rng.choice(words, rng.integers(1, 6)))
    predicted = list(rng.choice(words, rng.integers(1, 6)))
    both = len({*gold} & {*predicted})
    wanted = both / len({*predicted}), both / len({*gold})
    return bool(np.allclose(scored(variant, exact)(gold, predicted), wanted))


def perfect_item(score: Score, rng: Rng, variant: str) -> bool:
    gold, predicted = case(rng)
    more = [*predicted, str(rng.choice(gold))]
    return score(gold, list(dict.fromkeys(more)))[1] >= score(gold, predicted)[1] - 1e-6


def any_item(score: Score, rng: Rng, variant: str) -> bool:
    gold, predicted = case(rng)
    more = list(dict.fromkeys([*predicted, word(rng)]))
    return score(gold, more)[1] >= score(gold, predicted)[1] - 1e-6


def duplicate(score: Score, rng: Rng, variant: str) -> bool:
    gold, predicted = case(rng)
    again = [*predicted, str(rng.choice(predicted))]
    return bool(np.allclose(score(gold, again), score(gold, predicted), atol=1e-9))


def swapped(score: Score, rng: Rng, variant: str) -> bool:
    gold, predicted = case(rng)
    return bool(np.allclose(score(gold, predicted), score(predicted, gold)[::-1], atol=1e-9))


def order(score: Score, rng: Rng, variant: str) -> bool:
    gold, predicted = case(rng)
    mixed = [list(rng.permutation(one)) for one in (gold, predicted)]
    return bool(np.allclose(score(gold, predicted), score(mixed[0], mixed[1]), atol=1e-9))


@dataclass(frozen=True, slots=True)
class Axiom:
    """What must hold, in words, and a test of one random case."""

    words: str
    holds: Callable[[Score, Rng, str], bool]


AXIOMS = (
    Axiom("values lie in [0, 1]", bounded),
    Axiom("a list against itself gets 1", identical),
    Axiom("items without anything in common get 0", unrelated),
    Axiom("ten wrong words for ten gold words get at most 0.2", all_wrong),
    Axiom("with items equal or not, precision and recall of sets", crisp),
    Axiom("adding a right item never lowers recall", perfect_item),
    Axiom("adding any item never lowers recall", any_item),
    Axiom("repeating a predicted item changes nothing", duplicate),
    Axiom("swapping the sides swaps precision and recall", swapped),
    Axiom("the order of items does not matter", order),
)


def violations() -> dict[str, dict[str, float]]:
    """Give the share of random cases that violate each axiom, by variant."""
    found: dict[str, dict[str, float]] = {}
    for axiom in AXIOMS:
        found[axiom.words] = {}
        for variant in VARIANTS:
            rng, score = np.random.default_rng(0), scored(variant)
            broken = sum(not axiom.holds(score, rng, variant) for _ in range(CASES))
            found[axiom.words][variant] = broken / CASES
    return found


def table(found: dict[str, dict[str, float]]) -> str:
    """Write the table for the documentation."""
    lines = [f"| | {' | '.join(f'`{name}`' for name in VARIANTS)} |"]
    lines[0] = lines[0].replace("`assignment`", "instances")
    lines.append("|---|" + "---|" * len(VARIANTS))
    for words, shares in found.items():
        cells = ["kept" if not shares[name] else f"{shares[name]:.0%} fail" for name in VARIANTS]
        lines.append(f"| {words} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    import sys

    sys.stdout.write(table(violations()) + "\n")
