"""Soft precision and recall: the paper's figures, other programs', brute force, and laws."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.errors import UsageError
from consilience.match import sums as adding
from consilience.match.characters import exact, levenshtein
from consilience.match.entries import entries
from consilience.match.kernel import comparer, table
from consilience.measures import diversity
from consilience.measures.diversity import max_diversity
from consilience.measures.soft import VARIANTS, Variant, soft_cardinality, soft_scores
from tests.measures import axioms

GOLDEN = Path(__file__).parent.parent / "golden"
CAFE = ["cafe", "pizza", "hotel"], ["cafe", "coffee", "caffe", "pizza", "plaza"]
GRAY = ["gray", "color"], ["the", "grey", "colour"]

words = st.text(alphabet="abcdé", min_size=1, max_size=6)
lists = st.lists(words, max_size=7)


def scored(gold, predicted, variant: Variant = "paper", floor=None, similarity=levenshtein):
    return soft_scores(
        comparer(similarity), entries([gold], [predicted]), variant=variant, floor=floor
    )


@pytest.mark.parametrize(
    ("both", "cards", "figures"),
    [
        # METHODS: Fränti & Mariescu-Istodor 2023, Figures 5 and 6, Table 3 (syntactic columns)
        (CAFE, (2.667, 2.447, 2.911, 2.203), (0.900, 0.826, 0.862)),
        (GRAY, (2.000, 2.600, 2.962, 1.638), (0.630, 0.819, 0.712)),
    ],
    ids=["cafe", "gray color"],
)
def test_paper_to_the_digit(both, cards, figures) -> None:
    found = scored(*both)
    got = [found.gold, found.predicted, found.union, found.intersection]
    assert [round(float(one[0]), 3) for one in got] == list(cards)
    assert [round(float(one[0]), 3) for one in (found.precision, found.recall, found.f1)] == list(
        figures
    )


def test_soft_counts_of_figure_5() -> None:
    found = cs.soft(*CAFE, variant="paper").payload()
    counts = {
        side: {row["item"]: round(row["count"], 2) for row in found["counts"][side]}
        for side in ("gold", "predicted")
    }
    assert counts["gold"] == {"cafe": 0.83, "pizza": 1.00, "hotel": 0.83}
    assert counts["predicted"] == {
        "cafe": 0.40, "coffee": 0.46, "caffe": 0.41, "pizza": 0.62, "plaza": 0.56,
    }  # fmt: skip


def test_accents_change_the_cafe_example_unless_they_are_taken_off() -> None:
    """With accents kept precision and recall are .88 and .79."""
    gold, predicted = ["café", "pizza", "hotel"], ["café", "coffee", "caffè", "pizza", "plaza"]
    kept = cs.soft(gold, predicted, variant="paper")
    assert (round(kept.precision, 2), round(kept.recall, 2)) == (0.88, 0.79)
    plain = cs.soft(gold, predicted, variant="paper", wording=cs.Wording(unicode="ascii"))
    assert (round(plain.precision, 3), round(plain.recall, 3)) == (0.900, 0.826)
    assert plain.payload()["text"]["unicode"] == "ascii"


@pytest.mark.parametrize(
    ("gold", "predicted", "union", "intersection"),
    [
        # Table 3: café, university, gray color, each crisp, syntactic, semantic
        (3, 5, 6, 2), (2.67, 2.45, 2.91, 2.21), (1.83, 2.14, 2.27, 1.70),
        (3, 7, 9, 1), (1.90, 3.69, 3.88, 1.71), (1.79, 3.48, 3.32, 1.95),
        (2, 3, 5, 0), (2.00, 2.60, 2.96, 1.64), (1.39, 3.00, 4.04, 0.35),
    ],
)  # fmt: skip
def test_sums_of_table_3(gold, predicted, union, intersection) -> None:
    """The table's own sums hold (but for a rounding), and some give a recall above 1."""
    assert gold + predicted - union == pytest.approx(intersection, abs=0.011)
    if (gold, union) == (1.79, 3.32):
        assert intersection / gold == pytest.approx(1.09, abs=0.005)


def test_smallest_recall_above_one() -> None:
    result = cs.soft(["catdog"], ["cat", "dog"], variant="paper")
    assert result.recall == pytest.approx(7 / 6)
    assert any("recall above 1 (1.167)" in warning for warning in result.warnings)
    bounded = cs.soft(["catdog"], ["cat", "dog"])
    assert bounded.recall == 0.5
    assert not bounded.warnings


def test_the_intersection_of_coverage_is_the_mean_of_both_sides() -> None:
    """Half of catdog is covered, and half of cat and of dog: (½ + 1) / 2, and 1 + 2 − ¾ in all."""
    found = scored(["catdog"], ["cat", "dog"], "coverage")
    assert found.intersection.tolist() == [0.75]
    assert found.union.tolist() == [2.25]


def test_five_hundred_words_are_worth_eight() -> None:
    """Any two words resemble each other a little: the sum of it saturates the cardinality."""
    text = Path(cs.example("keyphrases-gold.csv")).read_text("utf-8")
    vocabulary = sorted({word for word in text.replace(",", " ").split() if word.isalpha()})
    chosen = np.random.default_rng(0).permutation(vocabulary)[:500].tolist()
    assert soft_cardinality(chosen, similarity=levenshtein) == pytest.approx(7.8, abs=0.8)
    assert soft_cardinality(chosen, similarity=levenshtein, floor=0.5) > 150


@pytest.mark.parametrize(("n", "level"), [(7, 0.29), (10, 0.2), (30, 0.05)])
def test_constant_background(n: int, level: float) -> None:
    """P = R = 2 - 2(1 + (n - 1)s) / (1 + (2n - 1)s), which goes to 1."""
    same = np.full((2 * n, 2 * n), level)
    np.fill_diagonal(same, 1.0)
    gold, predicted = [f"g{i}" for i in range(n)], [f"p{i}" for i in range(n)]
    result = cs.soft(gold, predicted, similarity=same, variant="paper")
    wanted = 2 - 2 * (1 + (n - 1) * level) / (1 + (2 * n - 1) * level)
    assert result.precision == pytest.approx(wanted)
    assert result.recall == pytest.approx(wanted)
    assert result.null.f1 == pytest.approx(wanted)
    if n == 7:
        assert result.warnings[0].startswith(
            "background similarity 0.29: an all-wrong answer would score 0.85"
        )


def test_sentropy() -> None:
    """Soft cardinality is the diversity of order 0 of the package sentropy."""
    golden = json.loads((GOLDEN / "soft_sentropy.json").read_text("utf-8"))
    sets = golden["sets"]
    assert len(sets) > 30
    for one in sets:
        found = soft_cardinality(one["items"], similarity=levenshtein)
        assert found == pytest.approx(one["cardinality"], rel=1e-12)


def brute(gold, predicted, variant, floor):
    """Write the definitions out with whole tables."""
    if variant != "paper":
        gold, predicted = list(dict.fromkeys(gold)), list(dict.fromkeys(predicted))
    both = gold + predicted if variant == "paper" else list(dict.fromkeys(gold + predicted))

    def similar(a, b):
        found = np.array([[levenshtein(x, y) for y in b] for x in a]).reshape(len(a), len(b))
        return np.where(found < floor - 1e-9, 0.0, found)

    def counts(a):
        return 1 / similar(a, a).sum(axis=1)

    cards = [counts(one).sum() for one in (gold, predicted, both)]
    if variant == "coverage":
        cross = similar(gold, predicted)
        right = (counts(predicted) * cross.max(axis=0, initial=0.0)).sum()
        found = (counts(gold) * cross.max(axis=1, initial=0.0)).sum()
        return right, cards[1], found, cards[0]
    common = cards[0] + cards[1] - cards[2]
    return common, cards[1], common, cards[0]


@pytest.mark.parametrize("large", [1, 256], ids=["by blocks", "by pairs"])
@pytest.mark.parametrize("variant", ["coverage", "paper", "storm"])
@given(
    several=st.lists(st.tuples(lists, lists), min_size=1, max_size=4),
    floor=st.sampled_from([0.0, 0.4, 0.5]),
)
def test_brute_force(several, variant, floor, large) -> None:
    given = entries([gold for gold, _ in several], [predicted for _, predicted in several])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(adding, "LARGE", large)
        found = soft_scores(comparer(levenshtein), given, variant=variant, floor=floor)
    for place, (gold, predicted) in enumerate(several):
        right, predicts, covered, asks = brute(gold, predicted, variant, floor)
        for value, above, below in (
            (found.precision[place], right, predicts), (found.recall[place], covered, asks),
        ):  # fmt: skip
            if below == 0:
                assert np.isnan(value)
            else:
                assert value == pytest.approx(above / below, abs=1e-12)


@given(gold=lists, predicted=lists)
def test_best_matches(gold, predicted) -> None:
    given = entries([gold], [predicted])
    found = soft_scores(comparer(levenshtein), given, floor=0.0).sums
    names = [given.items[code] for code in given.code]
    for place, name in enumerate(names):
        for side, best, at in (
            (given.gold, found.best_gold, found.best_gold_at),
            (given.predicted, found.best_predicted, found.best_predicted_at),
        ):
            others = [levenshtein(name, names[other]) for other in np.nonzero(side)[0]]
            assert best[place] == pytest.approx(max(others, default=0.0))
            if best[place] > 0:
                assert side[at[place]] > 0
                assert levenshtein(name, names[at[place]]) == pytest.approx(best[place])


@given(gold=lists, predicted=lists)
@pytest.mark.parametrize("variant", VARIANTS)
def test_items_equal_or_not_give_sets(variant, gold, predicted) -> None:
    found = scored(gold, predicted, variant, similarity=exact)
    both = len({*gold} & {*predicted})
    for value, size in ((found.precision[0], len({*predicted})), (found.recall[0], len({*gold}))):
        assert np.isnan(value) if not size else value == pytest.approx(both / size)


def test_documents_do_not_touch_each_other() -> None:
    rng = np.random.default_rng(3)
    made = [axioms.case(rng) for _ in range(50)]
    together = soft_scores(
        comparer(levenshtein), entries([gold for gold, _ in made], [pred for _, pred in made])
    )
    for place, (gold, predicted) in enumerate(made):
        alone = scored(gold, predicted, "coverage")
        assert together.precision[place] == pytest.approx(alone.precision[0], abs=1e-12)
        assert together.recall[place] == pytest.approx(alone.recall[0], abs=1e-12)


class TestDiversity:
    @given(rows=st.lists(words, min_size=1, max_size=6, unique=True))
    def test_a_copy_changes_nothing(self, rows) -> None:
        once, twice = (max_diversity(table(levenshtein, one)) for one in (rows, [*rows, rows[0]]))
        assert once == pytest.approx(twice, rel=1e-6)

    @given(rows=st.lists(words, min_size=2, max_size=7, unique=True))
    def test_more_items_never_lower_it(self, rows) -> None:
        part, whole = (max_diversity(table(levenshtein, one)) for one in (rows[1:], rows))
        assert part <= whole + 1e-6
        assert 1 <= whole + 1e-9 <= len(rows) + 1e-6

    def test_search_over_all_weights(self) -> None:
        """The optimum beats every other weighting, drawn at random."""
        rng = np.random.default_rng(0)
        for _ in range(20):
            rows = list(dict.fromkeys(axioms.word(rng) for _ in range(6)))
            similar = table(levenshtein, rows)
            drawn = rng.dirichlet(np.full(len(rows), 0.5), 4000)
            reached = 1 / np.einsum("ki,ij,kj->k", drawn, similar, drawn)
            assert max_diversity(similar) >= reached.max() - 1e-9
            assert max_diversity(similar) <= reached.max() * 1.2

    def test_too_many_items(self) -> None:
        many = [f"{place:05}" for place in range(4001)]
        with pytest.raises(UsageError, match="more than 4,000"):
            scored(many, ["00001"], "diversity")


@pytest.fixture(scope="module")
def violated() -> dict[str, dict[str, float]]:
    return axioms.violations()


def test_the_usual_variant_keeps_every_axiom(violated) -> None:
    assert all(shares["coverage"] == 0 for shares in violated.values())


def test_the_table_of_axioms_in_the_documentation(violated) -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "soft.md").read_text("utf-8")
    shown = page.partition("<!-- axioms -->")[2].partition("<!-- /axioms -->")[0]
    assert shown.strip() == axioms.table(violated), "run: python -m tests.measures.axioms"


def test_neighbours_of_a_set_are_those_that_are_solved_one_by_one() -> None:
    """What adding or dropping an item brings, by updates and by solving each set anew."""
    rng, compared = np.random.default_rng(4), 0
    for _ in range(40):
        rows = list(dict.fromkeys(axioms.word(rng) for _ in range(14)))
        similar = table(levenshtein, rows)
        chosen = rng.random(len(rows)) < 0.5
        if diversity._inverse(similar[np.ix_(chosen, chosen)]) is None:
            continue
        steps = chosen ^ np.eye(len(rows), dtype=bool)
        alone = [diversity._at_support(similar, step) for step in steps]
        assert diversity._neighbours(similar, chosen) == pytest.approx(alone, abs=1e-9)
        compared += sum(value > 0 for value in alone)
    assert compared > 50
