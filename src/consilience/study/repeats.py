"""Second answers of one respondent about the same item: merged, settled as asked, or an error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.errors import SHOWN, InputError, Problem, quote
from consilience.formats.aside import is_it
from consilience.study.encode import Encoded
from consilience.study.lists import Order, blocks
from consilience.study.model import VALUES, Answers, Items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.rows import Rows

#: What to do when a respondent answers the same item of a query twice, and differently.
Duplicates = Literal["error", "first", "last", "each"]
DUPLICATES: tuple[Duplicates, ...] = ("error", "first", "last", "each")
#: Fields (one a list and item of its query) that are marked at a time: they stay in the cache.
_FIELDS = 1 << 20
#: With so many fields a row, rows are sorted instead.
_SPARSE = 32
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Read:
    """The tables that some answers came from; ``order`` leads from answers to rows as read."""

    tables: Sequence[Rows]
    order: Order | None

    def row(self, answer: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the rows, counted over all tables, of some answers."""
        return answer if self.order is None else self.order.rows(answer)

    def table(self, row: NDArray[np.int64]) -> NDArray[np.int64]:
        """Give the tables of some rows."""
        ends = np.cumsum([len(table) for table in self.tables])
        return np.searchsorted(ends, row, side="right")

    def of_row(self, row: int) -> Rows:
        """Give the table that a row stands in."""
        return self.tables[int(self.table(np.array([row]))[0])]

    def place(self, row: int) -> tuple[str, int | None]:
        """Give the file and the line of a row."""
        number = int(self.table(np.array([row]))[0])
        table = self.tables[number]
        return table.source.name, table.place(row - sum(map(len, self.tables[:number])))


def settle(
    answers: Answers,
    read: Read,
    items: Items,
    duplicates: Duplicates,
    notes: list[str],
) -> NDArray[np.int64]:
    """See to second answers about the same item; give the rows that are to go.

    Answers that say the same are counted once, with a note. Others are an error, or the first or
    the last one counts. An item that stands twice in a list whose ranks were only counted has not
    been answered differently. Labels that were both drawn by design are seen to elsewhere
    (:func:`consilience.study.drawn.drawn_again`).
    """
    rows, before = _repeats(answers, items)
    if answers.probability is not None and len(rows):
        drawn = ~np.isnan(answers.probability)
        other = ~(drawn[rows] & drawn[before])
        rows, before = rows[other], before[other]
    if not len(rows):
        return rows
    counted = np.array([table.counted for table in read.tables], bool)
    listed = counted[read.table(read.row(rows))]
    same = np.ones(len(rows), bool)
    for name in VALUES:
        column = getattr(answers, name)
        if column is not None and name != "round":  # without a draw it tells when a file came
            alike = (column[rows] == column[before]) | (
                (column[rows] != column[rows]) & (column[before] != column[before])
            )
            same &= alike | listed if name == "rank" else alike
    if duplicates == "error" and not same.all():
        raise contradictions(rows[~same], before[~same], read, answers, items)
    if same.any():
        notes.append(f"{_answers(same)} given twice, word for word: counted once{_ask(read)}")
    if not same.all():
        notes.append(f"{_answers(~same)} given twice and differently: the {duplicates} counts")
    return before if duplicates == "last" else rows


def _ask(read: Read) -> str:
    """Ask who answered, where no column says it and another one might."""
    unsure = [table.source for table in read.tables if table.source.who]
    return f"; {unsure[0].name}: {is_it(unsure[0].who)}" if unsure else ""


def _answers(which: NDArray[np.bool_]) -> str:
    count = int(which.sum())
    return f"{count:,} answers were" if count != 1 else "1 answer was"


def _repeats(answers: Answers, items: Items) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find rows that repeat an item of their list, and the row before that they repeat.

    Every list gets a field for each item of its query, and its rows mark the fields of their
    items: where no fewer fields are marked than there are rows, nothing is repeated.
    """
    room = np.diff(items.starts)[answers.query]
    fields = np.concatenate([[0], np.cumsum(room)])
    if fields[-1] > _SPARSE * len(answers):
        rows = _shared(answers.item, len(items))
        return _equal(_place(answers, items, fields, 0, answers.lists)[rows], rows)
    found = [(_NONE, _NONE)]
    for low, high in blocks(fields, _FIELDS):
        begin, end = int(answers.starts[low]), int(answers.starts[high])
        place = _place(answers, items, fields, low, high)
        marked = np.zeros(int(fields[high] - fields[low]), bool)
        marked[place] = True
        if np.count_nonzero(marked) < end - begin:
            found.append(_equal(place, np.arange(begin, end)))
    rows, before = map(np.concatenate, zip(*found, strict=True))
    return rows, before


def _shared(item: NDArray[np.int32], items: int) -> NDArray[np.int64]:
    """Find the rows whose item stands in other rows, too."""
    rows = np.arange(len(item), dtype=np.int32)
    last = np.empty(items, np.int32)
    last[item] = rows
    several = np.zeros(items, bool)
    several[item[last[item] != rows]] = True
    return np.flatnonzero(several[item])


def _place(
    answers: Answers, items: Items, fields: NDArray[np.int64], low: int, high: int
) -> NDArray[np.int64]:
    """Give the field of every row of lists ``low`` to ``high - 1``, counted from their first."""
    begin, end = int(answers.starts[low]), int(answers.starts[high])
    first = fields[low:high] - fields[low] - items.starts[answers.query[low:high]]
    place = np.repeat(first, np.diff(answers.starts[low : high + 1]))
    place += answers.item[begin:end]
    return place


def _equal(
    place: NDArray[np.int64], rows: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find those of some rows that stand at the place of a row before, and that row.

    Examples
    --------
    >>> [found.tolist() for found in _equal(np.array([7, 5, 7, 7]), np.array([0, 2, 4, 6]))]
    [[4, 6], [0, 4]]
    """
    by = np.argsort(place, kind="stable")
    again = np.flatnonzero(place[by[1:]] == place[by[:-1]])
    return rows[by[again + 1]], rows[by[again]]


def contradictions(
    rows: NDArray[np.int64],
    before: NDArray[np.int64],
    read: Read,
    answers: Answers,
    items: Items,
) -> InputError:
    """Describe the first contradictions, in the order in which they were read."""
    first = np.argsort(read.row(rows), kind="stable")[:SHOWN]
    problems = []
    for row, earlier in zip(rows[first].tolist(), before[first].tolist(), strict=True):
        here = int(read.row(np.array([row]))[0])
        file, line = read.place(here)
        other, line_before = read.place(int(read.row(np.array([earlier]))[0]))
        seen = f"line {line_before}" if other == file and line_before else other
        (name,) = items.names([int(answers.item[row])])
        found = f"item {quote(name)} was answered before ({seen}) and differently"
        fix = "remove one, or say which counts with --duplicates first|last"
        source = read.of_row(here).source
        if source.who:
            found += f": {_assumed(read.of_row(here))}"
            fix = f"{is_it(source.who)}; if one of the two is wrong, remove it"
        elif source.where:
            found += f", in rows that {quote(source.where)} tells apart, which is not used"
            fix = f"if it says where an item is from, --columns query={source.where}; if not, {fix}"
        problems.append(Problem(file, line, found, fix))
    return InputError(problems, len(rows))


def _assumed(rows: Rows) -> str:
    """Say who was taken for the respondent of a table that names none, and what was not used."""
    who = ", ".join(map(quote, rows.respondent.names))
    unused = [note for note in rows.source.notes if note.startswith("columns not used")]
    told = f"no column says who answered, so all rows are taken for answers of {who}"
    return "; ".join([told, *unused])


def without_rows(answers: Answers, drop: NDArray[np.int64]) -> Answers:
    """Leave out some rows."""
    if not len(drop):
        return answers
    keep = np.ones(len(answers), bool)
    keep[drop] = False
    kept = np.concatenate([[0], np.cumsum(keep)])
    columns: dict[str, Any] = {
        name: None if (column := getattr(answers, name)) is None else column[keep]
        for name in ("item", *VALUES)
    }
    return Answers(answers.respondent, answers.query, kept[answers.starts], **columns)


def each_mention(encoded: Encoded, respondents: Sequence[NDArray[np.int32]]) -> Encoded:
    """Make every mention an item of its own: multisets.

    A respondent's second mention of a name under a query is the same item as any other
    respondent's second mention of it.

    Parameters
    ----------
    encoded
        The items by name.
    respondents
        For every table, the respondent of each row.

    Examples
    --------
    >>> from consilience.columns import Text
    >>> from consilience.study.encode import encode
    >>> one = np.zeros(3, np.int32), Text.of(["the", "cat", "the"])
    >>> two = np.zeros(2, np.int32), Text.of(["the", "dog"])
    >>> by_name = encode([one, two], queries=1)
    >>> split = each_mention(by_name, [np.zeros(3, np.int32), np.ones(2, np.int32)])
    >>> [codes.tolist() for codes in split.codes], split.starts.tolist()
    ([[0, 2, 1], [0, 3]], [0, 4])
    """
    code, who = np.concatenate(encoded.codes), np.concatenate(respondents)
    by = np.lexsort((code, who))
    fresh = np.ones(len(by), bool)
    fresh[1:] = (code[by][1:] != code[by][:-1]) | (who[by][1:] != who[by][:-1])
    begins = np.nonzero(fresh)[0]
    mention = np.empty(len(by), np.int64)
    mention[by] = np.arange(len(by)) - np.repeat(begins, np.diff(begins, append=len(by)))
    most = np.zeros(len(encoded.rows), np.int64)
    np.maximum.at(most, code, mention + 1)
    first = np.concatenate([[0], np.cumsum(most)])
    split = (first[code] + mention).astype(np.int32)
    rows = np.empty(int(first[-1]), np.int64)
    rows[split[::-1]] = np.arange(len(split))[::-1]  # of several writers the first row stays
    cuts = np.cumsum([len(codes) for codes in encoded.codes])[:-1]
    starts = first[encoded.starts].astype(np.int64)
    return Encoded(tuple(np.split(split, cuts)), starts, rows, (False,) * len(encoded.codes))
