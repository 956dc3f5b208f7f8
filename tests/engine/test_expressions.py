"""The one definition inside DuckDB, beside the arrays in memory: the same numbers to 1e-9."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.belief.dependence import correlations
from consilience.belief.votes import votes_of
from consilience.belief.weights import shares
from consilience.engine.duck import Duck, open_duck
from consilience.engine.gathering import sums_of
from consilience.engine.guesses import guess_sums, labelled
from consilience.engine.pairing import pair_sums
from consilience.engine.planning import Believing
from consilience.engine.sums import cutoffs_of, scores_of
from consilience.errors import UsageError
from consilience.measures.corrected import returned_items
from consilience.measures.scores import CONVENTIONS, score
from tests.engine.cases import CASES, CUT, Case, same, tables_of

#: Every example asks an engine a dozen questions.
FEWER = settings().max_examples // 6


@dataclass(frozen=True)
class Both:
    study: cs.Study
    tables: Any


def opened(duck: Duck, folder: Path, case: Case) -> Both:
    """Read the same files into memory and into DuckDB."""
    answers, truth = tables_of(case)
    pq.write_table(answers, folder / "answers.parquet", row_group_size=4)
    files, judged = [folder / "answers.parquet"], []
    if truth is not None:
        pyarrow.csv.write_csv(truth, folder / "truth.csv")
        judged = [folder / "truth.csv"]
    study = cs.read(files, truth=judged, universe=case.universe)
    tables = open_duck(duck, files, truth=judged, universe=case.universe, rows=20)
    assert tables.queries == study.queries
    assert tables.respondents == study.respondents
    return Both(study, tables)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cases")


@settings(max_examples=FEWER)
@given(case=CASES, convention=st.sampled_from(CONVENTIONS))
def test_judges_are_believed_alike(duck: Duck, folder: Path, case: Case, convention: Any) -> None:
    if case.truth == "absent":
        return
    both = opened(duck, folder, case)
    if not both.tables.asked[both.tables.systems :].any():
        return
    for least in (1.0, 2.0) if case.truth == "partial" else (1.0,):
        sums = sums_of(both.tables, Believing("gold", relevant_from=least), cutoffs=CUT)
        same(both.study, cs.gold(both.study, relevant_from=least), sums, convention)


@settings(max_examples=FEWER)
@given(
    case=CASES,
    evidence=st.sampled_from(["ignore", "vote", "clamp"]),
    weighed=st.booleans(),
    prior=st.sampled_from([1.0, 0.5]),
)
def test_the_consensus_with_a_prior_is_the_same(
    duck: Duck, folder: Path, case: Case, evidence: Any, weighed: bool, prior: float
) -> None:
    both = opened(duck, folder, case)
    votes = votes_of(both.study, evidence=evidence)
    rng = np.random.default_rng(case.seed)
    drawn = rng.choice([0.25, 0.5, 1.0], len(votes)) if weighed else np.ones(len(votes))
    counts = dict(zip(votes.names, drawn.tolist(), strict=True))
    belief = cs.ls_eb(both.study, counts=counts, prior=prior, evidence=evidence)
    believing = Believing(
        "shrunk", weights=counts if weighed else None, prior=prior, evidence=evidence
    )
    same(both.study, belief, sums_of(both.tables, believing, cutoffs=CUT))


@settings(max_examples=FEWER)
@given(
    case=CASES,
    evidence=st.sampled_from(["ignore", "vote", "clamp"]),
    weighed=st.booleans(),
    virtual=st.booleans(),
)
def test_the_papers_consensus_is_the_same(
    duck: Duck, folder: Path, case: Case, evidence: Any, weighed: bool, virtual: bool
) -> None:
    both = opened(duck, folder, case)
    votes = votes_of(both.study, evidence=evidence)
    given = {votes.names[0]: 0.4} if weighed and len(votes) > 1 else None
    kappa, top, bottom = shares(votes, given, virtual=virtual)
    belief = cs.consensus(both.study, weights=given, virtual=virtual, evidence=evidence)
    believing = Believing(
        "consensus",
        weights=dict(zip(votes.names, kappa.tolist(), strict=True)),
        top=top,
        bottom=bottom,
        evidence=evidence,
    )
    same(both.study, belief, sums_of(both.tables, believing, cutoffs=CUT))


@settings(max_examples=FEWER)
@given(case=CASES, ties=st.sampled_from(["trec", "rank", "order"]))
def test_positions_are_those_of_the_lists_in_memory(
    duck: Duck, folder: Path, case: Case, ties: Any
) -> None:
    both = opened(duck, folder, case)
    if ties == "rank" and both.study.answers.rank is None:
        return
    sums = sums_of(
        both.tables, Believing("shrunk", evidence="ignore"), cutoffs=(1, 2, 3), ties=ties
    )
    belief = cs.ls_eb(both.study, near=None, evidence="ignore")
    names = ["P@1", "P@2", "P@3"]
    expected = score(both.study, measures=names, belief=belief, ties=ties)
    found = scores_of(sums, names)
    for system, measure in itertools.product(expected.systems, names):
        one, other = expected[system][measure], found[system][measure]
        np.testing.assert_allclose(other.per_query, one.per_query, rtol=0, atol=1e-9)


@settings(max_examples=FEWER)
@given(case=CASES, evidence=st.sampled_from(["ignore", "vote", "clamp"]), some=st.booleans())
def test_every_two_voters_are_compared_alike(
    duck: Duck, folder: Path, case: Case, evidence: Any, some: bool
) -> None:
    both = opened(duck, folder, case)
    votes = votes_of(both.study, evidence=evidence)
    chosen = np.arange(0, len(both.study.queries), 2 if some else 1)
    found = pair_sums(
        both.tables,
        Believing("shrunk", evidence=evidence),
        queries=chosen.tolist() if some else None,
    )
    assert found.names == votes.names
    matrix, shift = votes.matrix().toarray(), votes.shift()
    spoke = votes.says_no.astype(float).T[votes.query]
    if shift is not None:
        spoke = spoke + shift.toarray()
    unseen = (votes.says_no_to_unmentioned * np.sqrt(votes.unmentioned))[:, chosen]
    here = np.isin(votes.query, chosen)
    matrix, spoke = matrix[here], spoke[here]
    np.testing.assert_allclose(found.both, matrix.T @ matrix, atol=1e-9)
    np.testing.assert_allclose(found.n, spoke.T @ spoke + unseen @ unseen.T, atol=1e-9)
    np.testing.assert_allclose(found.mine, matrix.T @ spoke, atol=1e-9)
    np.testing.assert_allclose(found.square, (matrix**2).T @ spoke, atol=1e-9)
    if some:
        return
    expected, pairs = correlations(votes), found.related()
    np.testing.assert_allclose(pairs.common, expected.common, atol=1e-9)
    np.testing.assert_allclose(pairs.phi, expected.phi, atol=1e-9)
    np.testing.assert_allclose(pairs.overlap, expected.overlap, atol=1e-9)


@settings(max_examples=FEWER)
@given(case=CASES, k=st.sampled_from([None, 1, 3]))
def test_sums_of_a_guess_are_those_that_estimates_start_from(
    duck: Duck, folder: Path, case: Case, k: int | None
) -> None:
    both = opened(duck, folder, case)
    study, tables = both.study, both.tables
    table = returned_items(study, k=k)
    rng = np.random.default_rng(case.seed)
    guess = rng.random(len(study.items))
    names = study.items.names(np.arange(len(study.items)))
    query = np.repeat(np.arange(len(study.queries)), np.diff(study.items.starts))
    kinds = tables.parts[0].answers.collect_schema()
    whole = str(kinds["item"]) == "Int64"
    columns = {
        "query": tables.query_keys.take(pa.array(query)),
        "item": pa.array([int(name) for name in names] if whole else names),
    }
    frame = tables.engine.small({**columns, "guess": pa.array(guess)})
    sums = guess_sums(tables, frame, cutoffs=() if k is None else (k,))
    found, total = table.by_query(guess)
    if k is None or both.tables.said.scored or both.tables.said.ranked:
        np.testing.assert_allclose(sums.found[k], found, atol=1e-9)
    held = np.where(table.unsure[:, None], sums.held, sums.whole * table.member)
    np.testing.assert_allclose(held, total, atol=1e-9)
    if k is None:
        np.testing.assert_allclose(sums.returned, table.returned, atol=1e-9)
    chosen = rng.permutation(len(names))[:5]
    some = {name: column.take(pa.array(chosen)) for name, column in columns.items()}
    label = rng.integers(0, 2, len(chosen)).astype(float)
    some |= {"label": pa.array(label), "probability": pa.array(np.full(len(chosen), 0.5))}
    rows = labelled(tables, tables.engine.small(some))
    said = {
        (int(q), str(item), int(system)): (vote, int(position))
        for q, item, system, vote, position in zip(
            rows.query, rows.item.to_pylist(), rows.system, rows.vote, rows.position, strict=True
        )
    }
    dense = table.votes.toarray()
    for place in chosen.tolist():
        for system in range(tables.systems):
            vote, position = said.get((int(query[place]), names[place], system), (0.0, 0))
            there = vote > 0 and (k is None or 0 < position <= k)
            if k is None or both.tables.said.scored or both.tables.said.ranked:
                assert dense[system, place] == (vote if there else 0.0)


def test_measures_that_sums_do_not_give_say_so() -> None:
    with pytest.raises(UsageError, match="nDCG@10 needs whole lists"):
        cutoffs_of(["nDCG@10"])
    with pytest.raises(UsageError, match="needs whole lists"):
        cutoffs_of(["P(judged_only=True)@10"])
