"""Sets whose truth is known for every item and hidden: whoever draws an item is told its label."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.accuracy import sets
from consilience.belief.judges import gold
from consilience.belief.sample import Sample
from consilience.examples.pipelines import BAD, GOOD, Engine, pipelines
from consilience.measures.corrected import Returned, estimate, returned_items
from consilience.measures.names import parse
from consilience.study.condition import judged_items
from consilience.study.depth import cut
from consilience.study.model import Answers
from consilience.study.ranking import rank_answers
from consilience.study.subset import keep_items, keep_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience import Study

#: How many lists deep the pools of search runs are.
DEPTH = 10
#: Simulated studies: how many different ones are made.
STUDIES = 5
F1, P10 = "F1(average=micro)", "P@10"


@dataclass(frozen=True)
class Hidden:
    """A study without labels, the truth of all its items, and the order in which a pool grows.

    ``place`` is the best rank that any system gives an item; where lists have no order, how many
    systems did not return it. ``seed`` tells simulated studies of one name apart.
    """

    name: str
    about: str
    study: Study
    truth: NDArray[np.float64]
    measure: str
    place: NDArray[np.int64]
    ordered: bool
    seed: int = 0

    @property
    def described(self) -> str:
        """Say what the set is, and how large."""
        return (
            f"{self.about}; {len(self.study.systems)} systems, {len(self.truth):,} items, "
            f"{self.truth.mean():.1%} relevant"
        )

    def table(self, measure: str) -> Returned:
        """Give what systems returned, down to the measure's cutoff."""
        return returned_items(self.study, k=parse(measure).k)

    def true(self, measure: str) -> NDArray[np.float64]:
        """Give every system's true score."""
        return exact(self.table(measure), measure, self.truth)

    def labelled(
        self, item: NDArray[np.int64], probability: NDArray[np.float64], turn: NDArray[np.int64]
    ) -> Study:
        """Tell the labels of some items that were drawn."""
        query = self.study.items.query(item)
        order = np.lexsort((item, query))
        queries, first = np.unique(query[order], return_index=True)
        code = self.study.respondents.of_kind("gold")[0]
        told = Answers(
            np.full(len(queries), code, np.int32),
            queries.astype(np.int32),
            np.append(first, len(item)).astype(np.int64),
            item[order].astype(np.int32),
            vote=self.truth[item[order]],
            probability=probability[order],
            round=turn[order],
        )
        return replace(self.study, evidence=told)


def exact(table: Returned, measure: str, truth: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give scores by a truth that is known of every item."""
    none, never = np.zeros(0), np.zeros(0, np.int64)
    nobody = Sample(never, none, none, none, none, never, (), ())
    return estimate(table, parse(measure), truth, nobody).value


def hide(name: str, about: str, seen: Study, measure: str, seed: int = 0) -> Hidden:
    """Take the labels out of a study and keep them apart."""
    truth = gold(seen).of_all(len(seen.items))
    assert not np.isnan(truth).any()
    people = seen.respondents
    silence = tuple(
        "unknown" if kind == "gold" else silent
        for kind, silent in zip(people.kind, people.silence, strict=True)
    )
    bare = replace(
        seen,
        evidence=keep_lists(seen.evidence, np.zeros(seen.evidence.lists, bool)),
        respondents=replace(people, silence=silence),
    )
    place, ordered = _places(bare)
    return Hidden(name, about, bare, truth, measure, place, ordered, seed)


def _places(study: Study) -> tuple[NDArray[np.int64], bool]:
    """Give the best place of every item in any list; without order, how many leave it out."""
    ranking = rank_answers(study)
    count = int(ranking.starts[-1])
    list_of = np.repeat(np.arange(study.answers.lists), np.diff(ranking.starts))
    item = study.answers.item[ranking.answers(np.arange(count))]
    ordered = bool(ranking.ordered[np.diff(ranking.starts) > 0].all())
    if not ordered:
        return len(study.systems) - np.bincount(item, minlength=len(study.items)), False
    place = np.full(len(study.items), count)
    np.minimum.at(place, item, np.arange(count) - ranking.starts[list_of])
    return place, True


def pooled(study: Study, depth: int | None = None) -> Study:
    """Keep items that were judged and that some list has, near its top where a depth is given."""
    study = _only(study, judged_items(study))
    if depth is not None:
        study = replace(cut(study, depth), depth=None)
    returned = np.zeros(len(study.items), bool)
    returned[study.answers.item] = True
    return _only(study, returned)


def _only(study: Study, kept: NDArray[np.bool_]) -> Study:
    before = np.concatenate([[0], np.cumsum(kept)])
    items = replace(study.items, rows=study.items.rows[kept], starts=before[study.items.starts])
    answers, evidence = (keep_items(one, kept) for one in (study.answers, study.evidence))
    return replace(study, items=items, answers=answers, evidence=evidence)


def two_engines(name: str, engines: tuple[tuple[Engine, int], ...]) -> Iterator[Hidden]:
    """Pipelines that share two engines: 20 pages of 500 candidates each, 5 % relevant."""
    about = f"simulated pipelines of two engines, {STUDIES} studies, 20 pages × 500 candidates"
    for seed in range(STUDIES):
        yield hide(name, about, pipelines(engines, seed=seed), F1, seed)


def llm_judge(data: Path, level: int) -> Iterator[Hidden]:
    """Language models' judgments, at one grade."""
    for one in sets.llm_judge(data):
        if one.name.endswith(str(level)):
            yield hide(one.name, one.about, one.seen, F1)


def runs(one: sets.Set) -> Iterator[Hidden]:
    """Search runs over what was judged of their first answers."""
    about = f"{one.about}; judged items only, first {DEPTH} of each list, P@10 over topics"
    yield hide(one.name, about, pooled(one.seen, DEPTH), P10)


def keyphrases(data: Path) -> Iterator[Hidden]:
    """Keyphrase extractors over all that any of them returned."""
    for one in sets.keyphrases(data):
        returned = np.zeros(len(one.seen.items), bool)
        returned[one.seen.answers.item] = True
        about = f"{one.about}; what some extractor returned"
        yield hide(one.name, about, _only(one.seen, returned), F1)


#: Every set by name: simulated ones need no data.
READERS: dict[str, Callable[[Path], Iterator[Hidden]]] = {
    "two engines 12/12": lambda _: two_engines("two engines 12/12", ((GOOD, 12), (BAD, 12))),
    "two engines 4/12": lambda _: two_engines("two engines 4/12", ((GOOD, 4), (BAD, 12))),
    "LLMJudge ≥ 2": lambda data: llm_judge(data, 2),
    "LLMJudge ≥ 1": lambda data: llm_judge(data, 1),
    "CLEF eHealth": lambda data: (x for one in sets.clef_ehealth(data) for x in runs(one)),
    "TREC-COVID": lambda data: (x for one in sets.trec_covid(data) for x in runs(one)),
    "keyphrases": keyphrases,
}
