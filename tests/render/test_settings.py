"""The settings of a result in words: what is said is true of the convention, or is not said."""

from __future__ import annotations

from typing import Any

import pytest

from consilience.measures.scores import CONVENTIONS as KNOWN
from consilience.measures.scores import MISSING_IS_ZERO
from consilience.render import VERBS, html_fragment, render
from consilience.render.how import how, methods
from consilience.render.settings import CONVENTIONS, MISSING_COUNTS, TIES
from consilience.study.ranking import TIES as RULES

MICRO = "P(average=micro,rel=2)"


def test_every_rule_and_convention_has_words() -> None:
    assert set(TIES) == set(RULES)
    assert set(CONVENTIONS) == set(KNOWN)
    assert set(MISSING_COUNTS) == set(MISSING_IS_ZERO)


@pytest.mark.parametrize(
    ("convention", "missing", "undefined"),
    [
        ("ours", "counts 0", "left out"),
        ("missing-skipped", "left out", "left out"),
        ("trec_eval", "left out", "counts 0"),
        ("ir_measures", "counts 0", "counts 0"),
    ],
)
def test_averages_are_worded_by_convention(
    normal: dict[str, Any], convention: str, missing: str, undefined: str
) -> None:
    normal["settings"]["convention"] = convention
    said = dict(how(normal))["averages"]
    assert said.endswith(f"({convention})")
    for told in (said, methods(normal)):
        answerless, _, rest = told.partition("a query without an answer")[2].partition(",")
        assert missing in answerless
        same = "so is" if undefined == "left out" else "so does"
        assert undefined in rest.split(".")[0] or same in rest
    assert "where it is defined" not in methods(normal)


@pytest.mark.parametrize("convention", KNOWN)
def test_micro_averages_add_counts_up(normal: dict[str, Any], convention: str) -> None:
    normal["settings"]["convention"] = convention
    normal |= {"measure": MICRO, "measures": [MICRO]}
    kept = convention in MISSING_IS_ZERO
    for told in (dict(how(normal))["averages"], methods(normal)):
        assert "counts are added up over the queries and divided once" in told
        assert ("counts as missed" in told) == kept
        assert ("without an answer is left out" in told) != kept
        assert "undefined" not in told


def test_both_kinds_of_average_side_by_side(normal: dict[str, Any]) -> None:
    said = dict(how(normal | {"measures": ["AP", MICRO]}))["averages"]
    assert "an undefined one is left out (ours); P(average=micro,rel=2): counts" in said


def test_what_was_set_is_said(normal: dict[str, Any], curve: dict[str, Any]) -> None:
    normal["settings"] |= {"ties": "worst", "depth": 10, "universe": 5000, "rel": 2.0}
    facts = dict(how(normal))
    assert facts["ties"] == "equal scores: relevant items last (worst)"
    assert facts["depth"] == "only the first 10 answers of each list"
    assert facts["universe"] == "5,000 items per query"
    assert facts["relevant"] == "from grade 2 on"
    told = methods(normal)
    assert "Equal scores: relevant items last (worst)." in told
    assert "Of each list only the first 10 answers counted." in told
    assert "Each query was taken to have 5,000 items in all." in told
    curve["settings"] |= {"rel": 1.5}
    assert dict(how(curve))["relevant"] == "from grade 1.5 on"
    assert "relevant from grade 1.5 on" in methods(curve)


def test_what_was_not_set_is_not_said(payload: dict[str, Any]) -> None:
    assert not {"depth", "universe", "relevant"} & set(dict(how(payload)))


@pytest.mark.parametrize("fmt", VERBS["rank"])
def test_older_results_say_only_what_they_know(
    normal: dict[str, Any], curve: dict[str, Any], fmt: str
) -> None:
    for old in (normal, curve):
        del old["settings"]
        assert render(old, fmt)
        assert html_fragment(old)
    assert not {"ties", "averages"} & set(dict(how(normal)))
    assert "by AP (averaged over the queries)." in methods(normal)
    assert dict(how(curve))["ties"] == "equal scores: by item name, descending (trec)"


def test_the_methods_count_the_cutoffs(curve: dict[str, Any]) -> None:
    assert "computed at the 10 cutoffs of list.csv" in methods(curve | {"retrieved": 30})
    cut = methods(curve | {"retrieved": 30, "queries": 1})
    assert "computed at the first 10 cutoffs of list.csv" in cut


def test_a_list_without_a_query_column_names_no_query(curve: dict[str, Any]) -> None:
    unnamed = curve | {"query": "all", "queries": 1}
    assert "query" not in dict(how(unnamed))
    assert "for the query" not in methods(unnamed)
    named = curve | {"query": "301", "queries": 1}
    assert dict(how(named))["query"] == "301"
    assert "list.csv for the query 301, with" in methods(named)
