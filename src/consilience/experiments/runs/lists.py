"""Runs and judgments as plain lists: what parts of them the experiment ``runs`` makes studies of.

The folder is laid out as castorini/TREC-COVID passes the first round on: a folder of runs (six
columns, one file each) and one file of judgments (topic, round, document, grade).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.study import read, study
from consilience.study.ranking import rank_answers

if TYPE_CHECKING:
    from pathlib import Path

    from consilience.study import Study

#: Where runs and judgments lie in the folder.
RUNS, QRELS = "runs_top100", "qrels.txt"
#: How many answers P@10 looks at.
DEPTH = 10
#: The lowest grade that counts as relevant.
RELEVANT = 1


@dataclass(frozen=True, slots=True)
class Lists:
    """What every run returned for every topic, best first, and the grades of judged documents."""

    answers: dict[str, dict[str, list[str]]]
    grades: dict[str, dict[str, float]]

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(self.answers)

    def study(self, *, depth: int | None = None, without: Collection[str] = ()) -> Study:
        """Make a study with truth of the first answers of every list; some runs left out."""
        kept = {
            run: {topic: found[:depth] for topic, found in lists.items()}
            for run, lists in self.answers.items()
            if run not in without
        }
        return study(kept, truth=self.grades)

    def judged(self) -> Lists:
        """Keep the first ten *judged* answers of every list: of these the label is known."""
        kept = {
            run: {
                topic: [one for one in found if one in self.grades[topic]][:DEPTH]
                for topic, found in lists.items()
            }
            for run, lists in self.answers.items()
        }
        return Lists(kept, self.grades)

    def items(self, depth: int | None = None) -> list[tuple[str, str]]:
        """Give all (topic, document) that some run has among its first answers, in order."""
        return sorted(
            {
                (topic, one)
                for lists in self.answers.values()
                for topic, found in lists.items()
                for one in found[:depth]
            }
        )

    def label(self, topic: str, item: str) -> int:
        """Look a label up: 1 relevant, 0 not."""
        return int(self.grades[topic][item] >= RELEVANT)

    def judged_share(self) -> float:
        """Give the share of the first ten answers that was judged, over all runs and topics."""
        seen = [
            one in self.grades[topic]
            for lists in self.answers.values()
            for topic, found in lists.items()
            for one in found[:DEPTH]
        ]
        return sum(seen) / len(seen)

    def copies(self) -> list[list[str]]:
        """Name the groups of runs that rank exactly the same documents in the same order."""
        alike: dict[Any, list[str]] = {}
        for run, lists in self.answers.items():
            key = tuple((topic, *found) for topic, found in sorted(lists.items()))
            alike.setdefault(key, []).append(run)
        return [group for group in alike.values() if len(group) > 1]


def read_lists(folder: Path, *, topics: int | None = None) -> Lists:
    """Read a folder of runs with their judgments; the first topics only, if so many are asked for.

    Equal scores of a run are settled as trec_eval does (by name, descending).
    """
    made = read(folder / RUNS, truth=folder / QRELS)
    names, queries = made.respondents.names, made.queries
    judged = made.evidence
    assert judged.grade is not None
    grades = {
        queries[judged.query[at]]: dict(
            zip(
                made.items.names(judged.item[judged.starts[at] : judged.starts[at + 1]]),
                judged.grade[judged.starts[at] : judged.starts[at + 1]].tolist(),
                strict=True,
            )
        )
        for at in range(judged.lists)
    }
    kept = [query for query in queries if query in grades][:topics]
    answers: dict[str, dict[str, list[str]]] = {name: {} for name in made.systems}
    order, found = rank_answers(made), made.answers
    for at in range(found.lists):
        topic = queries[found.query[at]]
        if topic in kept:
            rows = order.answers(np.arange(order.starts[at], order.starts[at + 1]))
            answers[names[found.respondent[at]]][topic] = made.items.names(found.item[rows])
    return Lists(answers, {topic: grades[topic] for topic in kept})
