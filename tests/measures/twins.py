"""The measures once more: slow, readable, straight from the formulas, one list at a time.

``twin`` takes a measure, the ranked items, the grades of the query and the items to choose from.
What is undefined is None.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from consilience.measures.names import Measure
from tests.measures.made import Problem


@dataclass(frozen=True)
class Case:
    """One system under one query."""

    ranked: Sequence[str]
    grades: dict[str, int]
    pool: set[str]
    scores: dict[str, float]

    def relevant(self, rel: float) -> set[str]:
        return {item for item, grade in self.grades.items() if grade >= rel and grade >= 0}

    def first(self, k: int | None) -> Sequence[str]:
        return self.ranked if k is None else self.ranked[:k]


def case(problem: Problem, system: str, query: str) -> Case:
    """Sort by score, equal scores by name, both falling (as trec_eval does)."""
    scores = problem.runs[system].get(query, {})
    ranked = sorted(scores, key=lambda item: (scores[item], item.encode()), reverse=True)
    return Case(ranked, problem.qrels[query], problem.pool(query), scores)


def divide(above: float, below: float) -> float | None:
    return above / below if below else None


def counts(case: Case, measure: Measure) -> tuple[int, int, int, int]:
    relevant = case.relevant(measure.rel)
    tp = len(relevant & set(case.first(measure.k)))
    fp = (len(case.ranked) if measure.k is None else measure.k) - tp
    fn = len(relevant) - tp
    return tp, fp, fn, len(case.pool) - tp - fp - fn


def from_counts(measure: Measure, tp: int, fp: int, fn: int, tn: int) -> float | None:
    if measure.base == "P":
        return divide(tp, tp + fp)
    if measure.base == "R":
        return divide(tp, tp + fn)
    if measure.base == "F":
        b = measure.beta**2
        return divide((1 + b) * tp, (1 + b) * tp + b * fn + fp)
    if measure.base == "Specificity":
        return divide(tn, tn + fp)
    if measure.base == "Accuracy":
        return divide(tp + tn, tp + fp + fn + tn)
    assert measure.base == "MCC"
    return divide(tp * tn - fp * fn, math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def set_measure(case: Case, measure: Measure) -> float | None:
    return from_counts(measure, *counts(case, measure))


def average_precision(case: Case, measure: Measure) -> float | None:
    relevant = case.relevant(measure.rel)
    hit = [item in relevant for item in case.first(measure.k)]
    total = len(relevant)
    if not total:
        return None
    precision = [Fraction(sum(hit[:k]), k) for k in range(1, len(hit) + 1)]
    recall = [Fraction(sum(hit[:k]), total) for k in range(1, len(hit) + 1)]
    if measure.variant == "step":
        return float(sum(p for p, good in zip(precision, hit, strict=True) if good) / total)
    if measure.variant == "interpolated":
        best = [max(precision[k:]) for k, good in enumerate(hit) if good]
        return float(sum(best) / Fraction(total))
    if measure.variant == "trapezoid":
        area, r, p = Fraction(0), Fraction(0), Fraction(1)
        for next_r, next_p in zip(recall, precision, strict=True):
            area += (next_r - r) * (next_p + p) / 2
            r, p = next_r, next_p
        return float(area)
    steps = {"11-point": 10, "101-point": 100}[measure.variant]
    points = []
    for level in range(steps + 1):
        reached = [
            p
            for p, r, good in zip(precision, recall, hit, strict=True)
            if good and r >= Fraction(level, steps)
        ]
        points.append(max(reached, default=Fraction(0)))
    return float(sum(points) / Fraction(steps + 1))


def reciprocal_rank(case: Case, measure: Measure) -> float | None:
    relevant = case.relevant(measure.rel)
    for place, item in enumerate(case.first(measure.k), 1):
        if item in relevant:
            return 1 / place
    return 0.0 if relevant else None


def r_precision(case: Case, measure: Measure) -> float | None:
    relevant = case.relevant(measure.rel)
    return divide(len(relevant & set(case.ranked[: len(relevant)])), len(relevant))


def success(case: Case, measure: Measure) -> float | None:
    relevant = case.relevant(measure.rel)
    return float(bool(relevant & set(case.first(measure.k)))) if relevant else None


def efficiency(case: Case, measure: Measure) -> float | None:
    relevant = case.relevant(measure.rel)
    found = len(relevant & set(case.first(measure.k)))
    assert measure.k is not None
    return divide(found, len(relevant) if len(relevant) <= measure.k else measure.k)


def ndcg(case: Case, measure: Measure) -> float | None:
    def dcg(grades: list[int]) -> float:
        gains = [grade if measure.gain == "linear" else 2**grade - 1 for grade in grades]
        return sum(gain / math.log2(1 + place) for place, gain in enumerate(gains, 1))

    best = sorted((max(grade, 0) for grade in case.grades.values()), reverse=True)
    found = [max(case.grades.get(item, 0), 0) for item in case.first(measure.k)]
    return divide(dcg(found), dcg(best[: measure.k]))


def judged(case: Case, measure: Measure) -> float | None:
    first = case.first(measure.k)
    return divide(sum(case.grades.get(item, -1) >= 0 for item in first), len(first))


def auc(case: Case, measure: Measure) -> float | None:
    relevant = case.relevant(measure.rel)
    others = case.pool - relevant
    score = {item: case.scores.get(item, -math.inf) for item in case.pool}
    won = sum(
        (score[good] > score[bad]) + (score[good] == score[bad]) / 2
        for good in relevant
        for bad in others
    )
    return divide(won, len(relevant) * len(others))


def bpref(case: Case, measure: Measure) -> float | None:
    """Each relevant item loses a part for each judged item above it that is not relevant."""
    relevant = case.relevant(measure.rel)
    others = {item for item, grade in case.grades.items() if grade >= 0} - relevant
    total = 0.0
    for place, item in enumerate(case.ranked):
        if item in relevant:
            above = len(others & set(case.ranked[:place]))
            lost = min(above, len(relevant)) / min(len(relevant), len(others)) if above else 0.0
            total += 1 - lost
    return divide(total, len(relevant))


def inferred_ap(case: Case, measure: Measure) -> float | None:
    """The first place, or by chance one of those above, which may be pooled and relevant."""
    relevant = case.relevant(measure.rel)
    total = 0.0
    for place, item in enumerate(case.ranked, 1):
        if item in relevant:
            above = case.ranked[: place - 1]
            pool = [one for one in above if one in case.grades]
            judged = [one for one in pool if case.grades[one] >= 0]
            good = sum(one in relevant for one in judged)
            share = (good + 1e-5) / (len(judged) + 2e-5)
            total += 1 / place + (len(pool) / place * share if above else 0.0)
    return divide(total, len(relevant))


TWINS: dict[str, Callable[[Case, Measure], float | None]] = {
    "P": set_measure,
    "R": set_measure,
    "F": set_measure,
    "Accuracy": set_measure,
    "Specificity": set_measure,
    "MCC": set_measure,
    "AP": average_precision,
    "RR": reciprocal_rank,
    "Rprec": r_precision,
    "nDCG": ndcg,
    "Success": success,
    "Efficiency": efficiency,
    "Judged": judged,
    "AUC": auc,
    "Bpref": bpref,
    "infAP": inferred_ap,
}


def condensed(case: Case) -> Case:
    """Leave out what nobody has judged."""
    return replace(case, ranked=[item for item in case.ranked if case.grades.get(item, -1) >= 0])


def twin(case: Case, measure: Measure) -> float | None:
    case = condensed(case) if measure.judged_only else case
    return TWINS[measure.base](case, measure)
