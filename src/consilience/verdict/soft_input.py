"""Two sides to compare, however a user holds them: lists, dicts of documents, files, a study."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.belief.judges import said
from consilience.errors import UsageError, quote, written
from consilience.formats.shapes import kind_of_form
from consilience.given import listed
from consilience.match.lists import Sides, read_sides
from consilience.match.text import Wording, worded
from consilience.study.model import Study
from consilience.study.subset import without_models
from consilience.verdict.soft_table import Place

if TYPE_CHECKING:
    from consilience.formats.rows import Source

#: What the one document of two plain lists is called.
ONLY = "all"


@dataclass(frozen=True, slots=True)
class Given:
    """Both sides as lists of items, one list a document, in the same order.

    ``documents`` names them, ``names`` the two sides; ``of`` says what the items are.
    """

    documents: tuple[str, ...]
    gold: tuple[list[Any], ...]
    predicted: tuple[list[Any], ...]
    names: tuple[str, str]
    of: str
    notes: tuple[str, ...]
    sources: tuple[Source, ...]

    def fingerprint(self) -> str:
        """Hash everything that was said (SHA-256): the same input gives the same fingerprint."""
        digest = hashlib.sha256()
        for name, *both in zip(self.documents, self.gold, self.predicted, strict=True):
            digest.update(repr((name, *both)).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    def worded(self, wording: Wording) -> Given:
        """Make texts alike on both sides; items that are not text stay as they are."""
        sides = [
            tuple([_worded(item, wording) for item in one] for one in side)
            for side in (self.gold, self.predicted)
        ]
        return Given(
            *(self.documents, sides[0], sides[1], self.names, self.of, self.notes, self.sources)
        )

    def any_text(self) -> bool:
        """Tell whether there is an item that wording may change."""
        sides = (self.gold, self.predicted)
        return any(_is_text(item) for side in sides for one in side for item in one)


def _is_text(item: Any) -> bool:
    return isinstance(item, str) and not isinstance(item, Place)


def _worded(item: Any, wording: Wording) -> Any:
    return worded([item], wording)[0] if _is_text(item) else item


def given(gold: Any, predicted: Any = None) -> Given:
    """Take both sides in whatever form.

    Examples
    --------
    >>> both = given({"d1": ["a"], "d2": []}, {"d1": ["a", "b"], "d3": ["c"]})
    >>> both.documents, both.predicted
    (('d1', 'd2'), (['a', 'b'], []))
    >>> both.notes[1]
    '1 document has no gold: left out (d3)'
    """
    if isinstance(gold, Study):
        if predicted is not None:
            raise UsageError(
                "a study has its gold and its system, and there are predictions beside it (fix: "
                "soft(study), or soft(gold, predicted) with two lists)"
            )
        return _of_study(gold)
    if isinstance(gold, Sides):
        return Given(
            tuple(gold.gold),
            tuple(gold.gold.values()),
            tuple(gold.predicted[name] for name in gold.gold),
            gold.names,
            gold.of,
            gold.notes,
            gold.sources,
        )
    if predicted is None:
        raise UsageError(
            "there is nothing to compare gold with (fix: soft(gold, predicted): two lists, two "
            "dicts of document → list, or two files)"
        )
    if all(isinstance(one, str | os.PathLike) for one in (gold, predicted)):
        return given(read_sides(gold, predicted))
    return _of_mappings(_lists(gold, "gold"), _lists(predicted, "predicted"))


def _lists(side: Any, name: str) -> dict[str, list[Any]]:
    """Give the items of each document."""
    if isinstance(side, Mapping):
        made = {written(document): _items(items, name) for document, items in side.items()}
        if len(made) < len(side):
            raise UsageError(
                f"{name} has two documents of one name: 1 and '1' are both called 1 (fix: name "
                "documents by text)"
            )
        return made
    return {ONLY: _items(side, name)}


def _items(items: Any, name: str) -> list[Any]:
    if hasattr(items, "columns"):
        raise UsageError(
            f"{name} must be a list of items, found a table with columns (fix: one column, such "
            "as table['item'], or a dict of document → list)"
        )
    several = listed(items)
    if several is None:
        raise UsageError(
            f"{name} must be a list of items, found {quote(items)} (fix: a list such as "
            "['cafe', 'pizza'], or a dict of document → list)"
        )
    for item in several:
        if not isinstance(item, str):
            written(item)  # or else it is refused
    return sorted(several, key=written) if isinstance(items, set | frozenset) else several


def _of_mappings(gold: dict[str, list[Any]], predicted: dict[str, list[Any]]) -> Given:
    if not gold.keys() & predicted.keys():
        raise UsageError(
            f"gold and predicted share no document: gold has {_some(list(gold))}; predicted has "
            f"{_some(list(predicted))} (fix: name the documents alike on both sides)"
        )
    notes = []
    for names, what in (
        (
            [name for name in gold if name not in predicted],
            "no predictions: recall 0, precision undefined",
        ),
        ([name for name in predicted if name not in gold], "no gold: left out"),
    ):
        if names:
            has = "document has" if len(names) == 1 else "documents have"
            notes.append(f"{len(names):,} {has} {what} ({_some(names)})")
    return Given(
        tuple(gold),
        tuple(gold.values()),
        tuple(predicted.get(name, []) for name in gold),
        ("gold", "predicted"),
        "text",
        tuple(notes),
        (),
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")


def _of_study(study: Study) -> Given:
    """Give gold's and the one system's lists of a study."""
    if len(study.systems) != 1:
        raise UsageError(
            f"soft compares one system with gold, and the study has {len(study.systems)} (fix: "
            "rank(study, match=soft_matching()) compares several)"
        )
    study = without_models(study)
    if not study.evidence.lists:
        raise UsageError("the study has no gold to compare with (fix: study(…, truth=…))")
    judges = [study.respondents.names[code] for code in np.unique(study.evidence.respondent)]
    if len(judges) > 1:
        raise UsageError(
            f"soft compares with one gold, and the study has {len(judges)}: {_some(judges)} (fix: "
            "give the answers of one; rank(study, match=soft_matching()) averages over them)"
        )
    both = _of_mappings(lists_of(study, gold=True), lists_of(study, gold=False))
    kinds = {kind_of_form(source.recognised) for source in study.sources}
    return replace(
        both,
        names=(judges[0], study.systems[0]),
        of=kinds.pop() if len(kinds) == 1 else "text",
        sources=study.sources,
    )


def lists_of(study: Study, *, gold: bool, respondent: int | None = None) -> dict[str, list[str]]:
    """Give the items of each query that gold (or a system) says yes to: with a vote above 0.

    Grades count as relevant from 1 on, as everywhere.
    """
    side = study.evidence if gold else study.answers
    vote = said(study, 1.0) if gold else side.vote
    mine = np.arange(side.lists)
    if respondent is not None:
        mine = np.nonzero(side.respondent == respondent)[0]
    made: dict[str, list[str]] = {}
    for number in mine.tolist():
        items = side.item[side.starts[number] : side.starts[number + 1]]
        if vote is not None:
            items = items[np.nan_to_num(vote[side.starts[number] : side.starts[number + 1]]) > 0]
        made.setdefault(study.queries[int(side.query[number])], []).extend(study.items.names(items))
    return made
