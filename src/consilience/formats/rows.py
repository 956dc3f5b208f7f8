"""What reading gives: rows of answers, each table with a note of where it came from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.formats.pipes import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.columns import Codes, Text

#: What a respondent can be.
Kind = Literal["system", "person", "llm", "gold"]
KINDS: tuple[Kind, ...] = ("system", "person", "llm", "gold")

#: What it means that a respondent did not mention an item.
Silence = Literal["no", "unknown"]

#: The name of the one query of data that know no queries.
ONLY_QUERY = "all"


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows came from and what they were taken for; a table's columns.

    ``who`` names columns that were not used and may say who answered, where no column does;
    ``where`` names one that tells rows of the same item and respondent apart.
    """

    name: str
    recognised: str
    why: str
    rows: int
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    who: tuple[str, ...] = ()
    where: str = ""

    def __post_init__(self) -> None:
        """Call what came through a pipe as users call it, not as it is kept."""
        object.__setattr__(self, "name", shown(self.name))


@dataclass(frozen=True, slots=True)
class Rows:
    """A table of answers in long form: one row says what one respondent said of one item.

    ``vote`` is in [0, 1] with NaN for "cannot tell"; ``grade`` is a judgment on the judge's own
    scale; ``score`` and ``rank`` order a list (NaN and 0: not given); ``probability`` is the
    inclusion probability of a designed label and ``round`` the round it was drawn in (0: not
    given); ``category`` is the place in a tree that an item was assigned to. A column that no row
    has is None. ``asked`` names (respondent, query) pairs that
    were put but gave no row: an empty answer is an answer. ``counted`` tells that ranks were not
    written down but counted: an item that stands twice in such a list was not answered
    differently. ``locate`` finds the line of a row; it may read the file again, so it is asked
    only for messages. ``silences`` says what each respondent's silence means, where that is known
    and need not be told from the answers.
    """

    source: Source
    query: Codes
    respondent: Codes
    item: Text
    kind: tuple[Kind, ...]  # by respondent code
    family: tuple[str | None, ...]  # by respondent code
    silence: Silence
    vote: NDArray[np.float64] | None = None
    grade: NDArray[np.float64] | None = None
    score: NDArray[np.float64] | None = None
    rank: NDArray[np.integer] | None = None
    probability: NDArray[np.float64] | None = None
    round: NDArray[np.int64] | None = None
    category: Codes | None = None
    asked: tuple[tuple[str, str], ...] = ()
    counted: bool = False
    locate: Callable[[int], int] | None = None
    silences: tuple[Silence, ...] | None = None  # by respondent code

    def __len__(self) -> int:
        return len(self.item)

    def place(self, row: int) -> int | None:
        """Tell the line of the file that a row stands on, where it came from a file of lines."""
        return None if self.locate is None else self.locate(row)

    def pick(self, rows: NDArray[np.int64]) -> Rows:
        """Give some of the rows."""
        from consilience.columns import Codes

        columns: dict[str, Any] = {
            name: None if (column := getattr(self, name)) is None else column[rows]
            for name in ("vote", "grade", "score", "rank", "probability", "round")
        }
        category, silences = self.category, self.silences
        used, code = np.unique(self.respondent.code[rows], return_inverse=True)
        return replace(
            self,
            query=replace(self.query, code=self.query.code[rows]),
            respondent=Codes(code.astype(np.int32), tuple(self.respondent.names[u] for u in used)),
            kind=tuple(self.kind[u] for u in used),
            family=tuple(self.family[u] for u in used),
            silences=None if silences is None else tuple(silences[u] for u in used),
            item=self.item.pick(rows),
            locate=None if self.locate is None else lambda row: self.place(int(rows[row])) or 0,
            category=None if category is None else replace(category, code=category.code[rows]),
            **columns,
        )
