"""Two-coin Dawid–Skene: a slow twin, laws, recovery of what was put in."""

import math

import numpy as np
import pytest
from hypothesis import given

import consilience as cs
from consilience.belief.blocks import blocks_of
from consilience.belief.coins import dawid_skene, e_step, em
from consilience.belief.coins_em import PSEUDO, fit
from consilience.belief.patterns import patterns_of
from consilience.belief.votes import votes_of
from consilience.study import Study
from tests.belief.opinions import Opinions, opinions, seen, simulated, voted

RATES = {"a": (0.9, 0.1), "b": (0.8, 0.05), "c": (0.6, 0.02), "d": (0.7, 0.4), "e": (0.95, 0.3)}


def slow(voters: list[str], rows: Opinions, known: list[float], steps: int) -> list[float]:
    """EM in plain loops, a fixed number of steps; known: 0, 1, or NaN."""
    counts = [count if row else 0.0 for row, count in rows]
    weighted = list(zip(rows, counts, strict=True))
    yes = sum(count * sum(row.values()) for (row, _), count in weighted)
    spoken = sum(count * len(row) for (row, _), count in weighted)
    mean = (yes + PSEUDO) / (spoken + 2 * PSEUDO)
    p = [(sum(row.values()) + mean) / (len(row) + 1) for row, _ in rows]
    p = [b if math.isnan(k) else k for b, k in zip(p, known, strict=True)]
    for _ in range(steps):
        coins, prevalence = rates(voters, rows, counts, p, mean)
        new = []
        for (row, _), k in zip(rows, known, strict=True):
            like = [1 - prevalence, prevalence]
            for name, vote in row.items():
                for c in (0, 1):
                    like[c] *= coins[name, c] ** vote * (1 - coins[name, c]) ** (1 - vote)
            new.append(like[1] / sum(like) if math.isnan(k) else k)
        p = new
    coins, _ = rates(voters, rows, counts, p, mean)
    gap = 0.0
    for (row, _), count in weighted:
        gap += count * sum(coins[name, 1] - coins[name, 0] for name in row)
    free = all(math.isnan(k) for k, n in zip(known, counts, strict=True) if n)
    return [1 - b for b in p] if gap < 0 and free else p


def rates(
    voters: list[str], rows: Opinions, counts: list[float], p: list[float], mean: float
) -> tuple[dict[tuple[str, int], float], float]:
    """The M step: everybody's rate of yes where items are relevant (1) and not (0)."""
    coins = {}
    for name in voters:
        for c in (1, 0):
            up, all_ = PSEUDO, 2 * PSEUDO
            for (row, _), count, b in zip(rows, counts, p, strict=True):
                if name in row:
                    share = b if c else 1 - b
                    up, all_ = up + count * share * row[name], all_ + count * share
            coins[name, c] = up / all_
    relevant = sum(n * b for n, b in zip(counts, p, strict=True))
    size = 1 / min(mean, 1 - mean)
    return coins, (relevant + size * mean) / (sum(counts) + size)


def by_name(study: Study, **options: object) -> dict[tuple[str, str], float]:
    belief = dawid_skene(study, **options)  # type: ignore[arg-type]
    queries = study.items.query(belief.item)
    names = study.items.names(belief.item)
    return {
        (study.queries[query], name): p
        for query, name, p in zip(queries, names, belief.p.tolist(), strict=True)
    }


@given(voted())
def test_as_its_slow_twin(study: Study) -> None:
    voters, rows = opinions(study)
    belief = dawid_skene(study, near=None, iterations=7, tolerance=-math.inf)
    expected = np.array(slow(voters, rows, [math.nan] * len(rows), 7))
    item = np.array(list(seen(study)))
    assert belief.unseen is not None
    if np.ptp(belief.p) > 1e-9:  # else rounding decides which class is called relevant
        np.testing.assert_allclose(belief.p, expected[item], atol=1e-9)
        np.testing.assert_allclose(belief.unseen, expected[~item], atol=1e-9)


@given(voted())
def test_every_step_raises_what_em_maximises(study: Study) -> None:
    patterns = patterns_of(votes_of(study))
    blocks, weight, last = blocks_of(patterns), np.ones(patterns.voters), -np.inf
    for steps in range(10):
        found = fit(blocks, weight=weight, iterations=steps, tolerance=-np.inf)
        prevalence = 1 - found.prevalence if found.turned else found.prevalence
        m = found.mean
        value = found.log_likelihood + PSEUDO * np.log(found.coin * (1 - found.coin)).sum()
        value += m / min(m, 1 - m) * np.log(prevalence)
        value += (1 - m) / min(m, 1 - m) * np.log(1 - prevalence)
        assert value >= last - 1e-9
        last = value


@given(voted())
def test_the_likelihood_is_the_sum_over_patterns(study: Study) -> None:
    patterns = patterns_of(votes_of(study))
    coins = em(patterns, iterations=3)
    coin = np.stack([coins.sensitivity, coins.false_positive_rate], axis=1)
    _, each = e_step(patterns, coin, coins.prevalence, np.ones(patterns.voters))
    assert coins.log_likelihood == pytest.approx(float(patterns.counted() @ each), abs=1e-9)


@given(voted())
def test_probabilities_are_probabilities(study: Study) -> None:
    belief = dawid_skene(study)
    assert belief.unseen is not None
    for p in (belief.p, belief.unseen):
        assert ((p > 0) & (p < 1)).all()
    assert belief.truth == 0
    assert belief.item.tolist() == list(range(len(study.items)))


def test_rates_start_at_half_a_yes_and_half_a_no() -> None:
    """Gold knows all: yes to 3 of 4 relevant items is 3.5 / 5, to 1 of 6 others 1.5 / 7."""
    items = [f"d{n}" for n in range(10)]
    table = {"item": items, "a": [1, 1, 1, 0, 1, 0, 0, 0, 0, 0]}
    gold = {"item": items, "label": [1] * 4 + [0] * 6}
    details = dawid_skene(cs.study(table, truth=gold), near=None).details
    assert details["sensitivity"]["a"] == pytest.approx(3.5 / 5)
    assert details["false_positive_rate"]["a"] == pytest.approx(1.5 / 7)


def test_known_rates_are_found_again() -> None:
    table, truth = simulated(np.random.default_rng(1), items=20_000, prevalence=0.1, rates=RATES)
    belief = dawid_skene(cs.study(table))
    for name, (sensitivity, false_alarm) in RATES.items():
        assert belief.details["sensitivity"][name] == pytest.approx(sensitivity, abs=0.03)
        assert belief.details["false_positive_rate"][name] == pytest.approx(false_alarm, abs=0.01)
    assert belief.details["prevalence"] == pytest.approx(0.1, abs=0.01)
    assert belief.details["converged"]
    assert ((belief.p > 0.5) == truth).mean() > 0.97
    # It is calibrated: of the items believed to some degree, as many are relevant.
    between = (belief.p > 0.2) & (belief.p < 0.8)
    assert truth[between].mean() == pytest.approx(belief.p[between].mean(), abs=0.05)


def test_the_order_and_the_names_of_things_do_not_matter() -> None:
    rng = np.random.default_rng(2)
    table, _ = simulated(rng, items=60, prevalence=0.3, rates=RATES)
    straight = by_name(cs.study(table))
    order = rng.permutation(60)
    shuffled = {key: [column[row] for row in order] for key, column in reversed(table.items())}
    turned = by_name(cs.study(shuffled))
    renamed = by_name(
        cs.study({key if key == "item" else f"x{key}": column for key, column in table.items()})
    )
    for key, p in straight.items():
        assert turned[key] == pytest.approx(p, abs=1e-9)
        assert renamed[key] == pytest.approx(p, abs=1e-9)


def test_copies_count_as_one() -> None:
    table, _ = simulated(np.random.default_rng(3), items=80, prevalence=0.3, rates=RATES)
    copied = table | {f"copy {number}": table["a"] for number in range(3)}
    single, several = dawid_skene(cs.study(table)), dawid_skene(cs.study(copied))
    np.testing.assert_allclose(single.p, several.p, atol=1e-6)
    counted = dawid_skene(cs.study(copied), near=None)
    assert np.abs(counted.p - single.p).max() > 0.01
    assert several.effective_respondents == pytest.approx(5)


def test_saying_no_is_as_being_silent_where_silence_says_no() -> None:
    lists = {"a": ["x", "y"], "b": ["x", "z"], "c": ["x", "y", "w"]}
    silent = cs.study({name: {"q": items} for name, items in lists.items()})
    rows = [
        ("q", item, name, float(item in items)) for name, items in lists.items() for item in "wxyz"
    ]
    columns = zip(("query", "item", "system", "vote"), zip(*rows, strict=True), strict=True)
    said = cs.study({key: list(column) for key, column in columns})
    assert said.respondents.silence == ("unknown",) * 3
    one, other = by_name(silent, near=None), by_name(said, near=None)
    assert one == pytest.approx(other)


def test_a_universe_is_as_many_items_that_nobody_returned() -> None:
    lists = {"a": ["x", "y"], "b": ["x", "z"], "c": ["x", "y", "w"]}
    runs = {name: {"q": items} for name, items in lists.items()}
    rest = [f"rest {number}" for number in range(6)]
    wide: dict[str, list[object]] = {"item": [*"wxyz", *rest]}
    for name, items in lists.items():
        wide[name] = [float(item in items) for item in wide["item"]]
    written = by_name(cs.study(wide), near=None)
    study = cs.study(runs, universe=10)
    implied = dawid_skene(study, near=None)
    names = study.items.names(implied.item)
    expected = {name: p for (_, name), p in written.items()}
    assert dict(zip(names, implied.p.tolist(), strict=True)) == pytest.approx(
        {name: expected[name] for name in names}
    )
    assert implied.unseen is not None
    assert implied.unseen.tolist() == pytest.approx([expected["rest 0"]])


def test_gold_s_word_stands_in_every_step() -> None:
    table, truth = simulated(np.random.default_rng(4), items=40, prevalence=0.4, rates=RATES)
    judged = {f"d{item}": int(truth[item]) for item in range(20)}
    columns = {key: column for key, column in table.items() if key != "item"}
    runs = {
        name: {"q": dict(zip(map(str, table["item"]), column, strict=True))}
        for name, column in columns.items()
    }
    rows = [
        ("q", item, name, vote) for name, run in runs.items() for item, vote in run["q"].items()
    ]
    long = {
        key: list(column)
        for key, column in zip(
            ("query", "item", "system", "vote"), zip(*rows, strict=True), strict=True
        )
    }
    study = cs.study(long, truth={"q": judged})
    belief = dawid_skene(study, near=None, iterations=5, tolerance=-math.inf)
    place = dict(zip(study.items.names(belief.item), belief.p.tolist(), strict=True))
    for name, grade in judged.items():
        assert place[name] == grade
    assert belief.truth == pytest.approx(0.5)
    voters, opinions_ = opinions(study)
    names = study.items.names(belief.item)
    known = [float(judged.get(name, math.nan)) for name in names] + [math.nan]
    expected = slow(voters, opinions_, known, 5)
    np.testing.assert_allclose(belief.p, expected[:-1], atol=1e-9)
    ignored = dawid_skene(study, evidence="ignore", near=None)
    assert ignored.truth == 0
    assert (np.abs(ignored.p - belief.p) > 1e-6).any()
    assert "truth" in dawid_skene(study, evidence="vote").details["sensitivity"]


def test_gold_that_lists_everything_leaves_nothing_open() -> None:
    study = cs.study(
        {"a": {"q": ["x", "y"], "r": ["u"]}, "b": {"q": ["x"], "r": ["u", "v"]}},
        truth={"q": ["x"]},
        universe=9,
    )
    belief = dawid_skene(study, near=None)
    p = dict(zip(study.items.names(belief.item), belief.p.tolist(), strict=True))
    assert (p["x"], p["y"]) == (1.0, 0.0)
    assert 0 < p["u"] < 1
    assert belief.unseen is not None
    assert belief.unseen[0] == 0
    assert 0 < belief.unseen[1] < 1


def test_turned_voters_do_not_turn_the_truth() -> None:
    """Most voters say yes to what is relevant; who says the contrary is found out."""
    rates = {"a": (0.9, 0.1), "b": (0.85, 0.1), "c": (0.8, 0.2), "liar": (0.1, 0.9)}
    table, truth = simulated(np.random.default_rng(5), items=3000, prevalence=0.5, rates=rates)
    belief = dawid_skene(cs.study(table))
    assert ((belief.p > 0.5) == truth).mean() > 0.9
    assert belief.details["sensitivity"]["liar"] < 0.2


@pytest.mark.parametrize(
    "table",
    [
        {"item": ["x"], "a": [1]},
        {"item": ["x", "y"], "a": [0, 0], "b": [0, 0]},
        {"item": ["x", "y"], "a": [1, 1], "b": [1, 1]},
        {"item": ["x", "y", "z"], "a": [1, 0, 0.5]},
    ],
    ids=["one item", "nothing but no", "nothing but yes", "one voter"],
)
@pytest.mark.parametrize("near", [None, 0.95])
def test_little_data_gives_sober_numbers(table: dict[str, list[float]], near: float | None) -> None:
    belief = dawid_skene(cs.study(table), near=near)
    assert ((belief.p > 0) & (belief.p < 1)).all()
    assert belief.details["sensitivity"]["a"] >= belief.details["false_positive_rate"]["a"] - 1e-9


def test_one_voter_is_believed_with_reserve() -> None:
    """Votes cannot tell how good a single voter is; as many items are believed as it returns."""
    votes = [1.0] * 10 + [0.0] * 990
    study = cs.study({"item": [f"d{number}" for number in range(1000)], "a": votes})
    belief = dawid_skene(study, iterations=5000, tolerance=1e-12)
    assert belief.p.sum() == pytest.approx(10, rel=0.25)
    assert 0.2 < belief.p[0] < 0.6
    assert belief.p[-1] < 0.01


def test_the_core_needs_no_names() -> None:
    table, truth = simulated(np.random.default_rng(6), items=500, prevalence=0.3, rates=RATES)
    patterns = patterns_of(votes_of(cs.study(table)))
    coins = em(patterns)
    assert len(coins.p) <= 2**5 + 1 < 500
    assert ((coins.p[patterns.of_item] > 0.5) == truth).mean() > 0.9
