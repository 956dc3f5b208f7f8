"""Table 4: the printed figures, the pass rate behind crisp*, and the case of wrong names alone."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import consilience as cs
from consilience.experiments.countries import experiment as countries
from consilience.experiments.countries import told as countries_told
from consilience.experiments.reproduced import Asked
from consilience.verdict.soft import scored


@pytest.fixture(scope="module")
def found() -> countries.Outcome:
    return countries.outcome(Asked(size=25))


def _edits(a: str, b: str) -> int:
    """Levenshtein's distance, row by row."""
    row: list[int] = [*range(len(b) + 1)]
    for i, x in enumerate(a, start=1):
        last, row = row, [i]
        for j, y in enumerate(b, start=1):
            row.append(min(row[-1] + 1, last[j] + 1, last[j - 1] + (x != y)))
    return row[-1]


def _soft(gold: list[str], predicted: list[str]) -> tuple[float, float]:
    """Equations 4 to 7 of the paper, term by term."""

    def card(items: list[str]) -> float:
        return sum(1 / sum(1 - _edits(a, b) / max(len(a), len(b)) for b in items) for a in items)

    both = card(gold) + card(predicted) - card([*gold, *predicted])
    return both / card(predicted), both / card(gold)


def test_printed_rows_of_crisp_star_are_swapped() -> None:
    q = 0.48  # the pass rate that the paper's case 1 shows
    precision, recall = [q, q, 3 * q / 4, 2 * q / 3], [q, 2 * q / 3, q, 2 * q / 3]
    assert countries.PAPER["R"]["crisp*"] == pytest.approx(precision, abs=0.005)
    assert countries.PAPER["P"]["crisp*"] == pytest.approx(recall, abs=0.005)
    assert countries.by_pass_rate(q) == {"P": pytest.approx(precision), "R": pytest.approx(recall)}


def test_what_the_paper_expects() -> None:
    for place, figure in enumerate("PR"):
        mine = [countries.expected(case)[place] for case in "1234"]
        assert mine == pytest.approx(countries.PAPER[figure]["expected"], abs=0.005)


def test_a_repetition_is_the_papers_formula() -> None:
    """The paper's example, with the names that it picks."""
    gold = ["cyprus", "france", "greece"]
    for predicted in (["oypmreus", "drance", "rerece"], ["oypmreus", "rerece", "datia"]):
        made = cs.soft(gold, predicted, variant="paper")
        assert (made.precision, made.recall) == pytest.approx(_soft(gold, predicted))


def test_clusters_are_misspelt_names() -> None:
    held = countries.strings()
    assert {*countries.TEN} <= {*held}
    assert len(held) == 48
    for name, cluster in held.items():
        assert name not in cluster
        assert len({*cluster}) == len(cluster) >= countries.CLUSTER
    # nine in ten are nearer to their own name than to any other of the ten
    right = [
        min(countries.TEN, key=lambda one: _edits(one, string)) == name
        for name in countries.TEN
        for string in held[name][:10]
    ]
    assert np.mean(right) > 0.9


def test_pass_rates_one_by_one() -> None:
    held = {name: cluster[:25] for name, cluster in countries.strings().items() if name[0] in "cf"}
    rates = countries.pass_rates(held)
    alike = [
        (one == name, 1 - _edits(one, string) / max(len(one), len(string)))
        for (name, cluster), one in product(held.items(), held)
        for string in cluster
    ]
    own = [value for mine, value in alike if mine]
    assert rates["own"] == pytest.approx(np.mean([value >= 0.8 for value in own]))
    assert rates["similarity"] == pytest.approx(np.mean(own))
    assert rates["other"] == pytest.approx(np.mean([v >= 0.8 for mine, v in alike if not mine]))


def test_draws_are_of_the_case(found: countries.Outcome) -> None:
    """Crisp* counts whole predictions, and whole countries: never more than were right."""
    for case, (right, wrong) in countries.CASES.items():
        precision, recall = found.cases[case].values["crisp*"]
        for values, size in ((precision, right + wrong), (recall, countries.TRUE)):
            assert values.shape == (25,)
            assert values * size == pytest.approx(np.round(values * size))
            assert (values * size).max() <= right


def test_soft_is_near_the_papers_figures(found: countries.Outcome) -> None:
    """On other strings, with a quarter of the repetitions: near, and nearer than crisp*."""
    for place, figure in enumerate("PR"):
        mine = [found.cases[case].mean("soft", place) for case in "1234"]
        assert mine == pytest.approx(countries.PAPER[figure]["soft"], abs=0.08)
    assert found.off("soft") < found.off("crisp*") < found.off("crisp")


def test_the_missing_zero(found: countries.Outcome) -> None:
    """Wrong names alone: the paper's measure rises with their number, a floor keeps it down."""
    recalls = [one.mean("soft", 1) for one in found.wrongs.values()]
    assert recalls[0] < 0.5 < 0.9 < recalls[-1]
    for one in found.wrongs.values():
        assert one.mean("soft, floored", 1) < 0.25
        assert one.mean("coverage", 1) < 0.25
        assert abs(one.null[1] - one.mean("soft", 1)) < 0.2  # the null score warns of it
    assert found.off("soft, floored", five=True) < found.off("soft", five=True)


def test_the_default_is_said_to_be_farther(found: countries.Outcome) -> None:
    """What is expected counts a misspelt name as right; coverage counts it by its similarity."""
    assert found.off("coverage") > found.off("soft")
    (told,) = [one for one in countries_told.findings(found) if one.claim.startswith("our default")]
    assert told.ours.startswith("coverage is farther")
    assert f"{found.off('coverage'):.2f}" in countries_told.headline(found)
    made = cs.soft(["cyprus"], ["cyprqs"], variant="paper", floor=0.5)
    assert made.precision == pytest.approx(2 * (5 / 6) / (1 + 5 / 6))
    assert cs.soft(["cyprus"], ["cyprqs"]).precision == pytest.approx(5 / 6)


def test_a_floor_is_that_of_the_library() -> None:
    gold, predicted = [["cyprus", "france"], ["greece"]], [["cypus", "fance"], ["latvia"]]
    sides = [{str(k): one for k, one in enumerate(side)} for side in (gold, predicted)]
    plain = cs.soft(*sides, variant="paper")
    made = scored(replace(plain.settings, floor=0.5), plain.entries)
    assert (
        made.recall.tolist() == cs.soft(*sides, variant="paper", floor=0.5).scores.recall.tolist()
    )


@pytest.mark.parametrize(("s", "n"), [(0.0, 3), (0.2, 1), (0.2, 10), (0.5, 30)])
def test_a_constant_background(s: float, n: int) -> None:
    table = np.full((2 * n, 2 * n), s)
    np.fill_diagonal(table, 1.0)
    made = cs.soft(list(range(n)), list(range(n)), similarity=table, variant="paper")
    assert made.recall == pytest.approx(countries.constant(s, n))


def test_the_seed_is_the_only_chance() -> None:
    held = {name: countries.strings()[name] for name in countries.TEN}
    one, two, other = (
        countries.drawn(np.random.default_rng(seed), held, trials=4, right=2, wrong=1)
        for seed in (5, 5, 6)
    )
    assert one.values["soft"][0].tolist() == two.values["soft"][0].tolist()
    assert one.values["soft"][0].tolist() != other.values["soft"][0].tolist()


def test_what_is_told() -> None:
    told = countries.run(Asked(size=3, seed=3)).payload()
    assert [len(table["rows"]) for table in told["tables"]] == [9, 9, 8, 7, 8]
    assert told["tables"][0]["rows"][2][1::2][:4] == [0.87, 0.89, 0.71, 0.69]
    verdicts = {one["claim"]: one["agrees"] for one in told["findings"]}
    assert verdicts["crisp* of the four cases follows from one pass rate, q = 0.48"] is False
    assert sum(value is not None for value in verdicts.values()) == 5
    assert verdicts["equal strings alone find nothing (crisp)"] is None  # it cannot fail here
    assert "not the strings of the paper" in told["data"]
