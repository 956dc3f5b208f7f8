"""From rows to a study: names become numbers, and everything is checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.columns import Text
from consilience.errors import SHOWN, InputError, Problem, UsageError, bad, quote
from consilience.study.encode import Encoded, encode, group
from consilience.study.model import Answers, Items, Respondents, Study

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.rows import Kind, Rows, Silence, Source

#: What to do when a respondent answers the same item of a query twice.
Duplicates = Literal["error", "first", "last"]
DUPLICATES: tuple[Duplicates, ...] = ("error", "first", "last")

_COLUMNS = ("vote", "grade", "score", "rank", "probability")


def build(
    tables: Sequence[Rows], *, duplicates: Duplicates = "error", universe: int | None = None
) -> Study:
    """Make a study of tables of answers.

    Parameters
    ----------
    tables
        What was read.
    duplicates
        Whether a second answer of one respondent about the same item is an error (unless it
        says exactly the same), or which of the two counts.
    universe
        How many items each query chooses from; None means those that somebody mentioned.

    Raises
    ------
    InputError
        If respondents contradict themselves.
    """
    if not tables:
        raise UsageError("there is nothing to read (fix: name at least one file)")
    sides = _sides(tables)
    tables = [*sides[0], *sides[1]]
    queries, query_codes = _union([rows.query.names for rows in tables])
    respondents, respondent_codes = _respondents(tables)
    query = [_recoded(rows.query.code, to) for rows, to in zip(tables, query_codes, strict=True)]
    encoded = encode(list(zip(query, [rows.item for rows in tables], strict=True)), queries=len(queries))
    items = Items(Text.concat(rows.item for rows in tables), encoded.rows, encoded.starts)
    _check_universe(items, universe, queries)
    twice = _may_repeat(encoded, respondent_codes)
    asked = _asked(tables, queries, respondents)
    notes: list[str] = []
    answered = []
    for side, begin in ((sides[0], 0), (sides[1], len(sides[0]))):
        here = slice(begin, begin + len(side))
        put = [pair for pair in asked if (respondents.kind[pair[0]] == "system") == (begin == 0)]
        keys, counts, order = _headers(side, query[here], respondent_codes[here])
        answers = _lists(keys, counts, order, _joined(encoded.codes[here]), _columns(side), put)
        if twice:
            answers = _unique(answers, order, side, items, duplicates, notes)
        answered.append(answers)
    study = Study(
        queries, respondents, items, *answered, universe, _sources(tables), tuple(notes)
    )
    _freeze(study)
    return study


def _sides(tables: Sequence[Rows]) -> tuple[list[Rows], list[Rows]]:
    """Part the systems' tables from the judges'; a table that holds both is cut in two."""
    sides: tuple[list[Rows], list[Rows]] = ([], [])
    for rows in tables:
        kinds = {kind == "system" for kind in rows.kind}
        if len(kinds) < 2:
            sides[0 if kinds == {True} else 1].append(rows)
            continue
        system = np.array([kind == "system" for kind in rows.kind], bool)[rows.respondent.code]
        sides[0].append(_systems_votes(rows.pick(np.nonzero(system)[0])))
        sides[1].append(rows.pick(np.nonzero(~system)[0]))
    return [_systems_votes(rows) for rows in sides[0]], sides[1]


def _systems_votes(rows: Rows) -> Rows:
    """Take a system's labels for votes; a label outside [0, 1] is not one."""
    if rows.grade is None:
        return rows
    wrong = (rows.grade < 0) | (rows.grade > 1)
    if wrong.any():
        row = int(wrong.argmax())
        raise bad(
            rows.source.name,
            rows.place(row),
            f"a system answers with grade {rows.grade[row]:g}; votes are from 0 to 1",
            "call the column 'score' if it orders the items, or give the file with --truth",
        )
    vote = rows.grade if rows.vote is None else np.where(np.isnan(rows.grade), rows.vote, rows.grade)
    return replace(rows, vote=vote, grade=None)


def _sources(tables: Sequence[Rows]) -> tuple[Source, ...]:
    return tuple({id(rows.source): rows.source for rows in tables}.values())


def _union(names: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], list[NDArray[np.int32]]]:
    """Number names over all tables; give each table's own codes as common ones."""
    numbers: dict[str, int] = {}
    codes = [
        np.array([numbers.setdefault(name, len(numbers)) for name in table], np.int32)
        for table in names
    ]
    return tuple(numbers), codes


def _recoded(code: NDArray[np.int32], to: NDArray[np.int32]) -> NDArray[np.int32]:
    return code if np.array_equal(to, np.arange(len(to))) else to[code]


def _joined(pieces: Sequence[NDArray[Any]]) -> NDArray[Any]:
    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int32)


def _may_repeat(encoded: Encoded, respondent_codes: Sequence[NDArray[np.int32]]) -> bool:
    """Tell whether anybody may have answered about one item twice, before looking closer."""
    everybody = np.concatenate(respondent_codes)
    return any(encoded.repeats) or len(np.unique(everybody)) < len(everybody)


def _respondents(tables: Sequence[Rows]) -> tuple[Respondents, list[NDArray[np.int32]]]:
    """Number the respondents; a judge that shares a system's name is told apart from it."""
    systems = {
        name
        for rows in tables
        for name, kind in zip(rows.respondent.names, rows.kind, strict=True)
        if kind == "system"
    }
    kinds: dict[str, Kind] = {}
    families: dict[str, str | None] = {}
    silences: dict[str, Silence] = {}
    names = []
    for rows in tables:
        table_names = []
        for name, kind, family in zip(rows.respondent.names, rows.kind, rows.family, strict=True):
            called = f"{name} ({kind})" if kind != "system" and name in systems else name
            table_names.append(called)
            if kinds.setdefault(called, kind) != kind:
                found = f"{quote(called)} is called {kinds[called]} in one file and {kind} here"
                raise bad(rows.source.name, None, found, "give it one kind, or another name")
            families[called] = families.get(called) or family
            silences.setdefault(called, _silence(rows))
        names.append(table_names)
    union, codes = _union(names)
    return (
        Respondents(
            union,
            tuple(kinds[name] for name in union),
            tuple(families[name] for name in union),
            tuple(silences[name] for name in union),
        ),
        codes,
    )


def _silence(rows: Rows) -> Silence:
    """A judge who lists nothing but positive answers lists what is relevant: silence means no."""
    if rows.silence == "no":
        return "no"
    said = rows.grade if rows.grade is not None else rows.vote
    judged = rows.kind[:1] != ("system",) and said is not None and bool((said > 0).all())
    return "no" if judged else "unknown"


def _asked(
    tables: Sequence[Rows], queries: Sequence[str], respondents: Respondents
) -> list[tuple[int, int]]:
    """Give the (respondent, query) pairs that were put, where reading noted them."""
    query = {name: code for code, name in enumerate(queries)}
    who = {name: code for code, name in enumerate(respondents.names)}
    pairs = {pair for rows in tables for pair in rows.asked}
    return sorted((who[r], query[q]) for r, q in pairs if r in who and q in query)


def _columns(tables: Sequence[Rows]) -> dict[str, NDArray[Any] | None]:
    """Lay the value columns of tables end to end; leave out those that nobody used."""
    columns: dict[str, NDArray[Any] | None] = {}
    for name in _COLUMNS:
        pieces = [getattr(rows, name) for rows in tables]
        if all(piece is None for piece in pieces):
            columns[name] = None
            continue
        unsaid = {"vote": 1.0, "rank": 0}.get(name, np.nan)
        columns[name] = _joined(
            [
                np.full(len(rows), unsaid) if piece is None else piece
                for rows, piece in zip(tables, pieces, strict=True)
            ]
        )
    return columns


def _headers(
    tables: Sequence[Rows],
    query: Sequence[NDArray[np.int32]],
    respondent_codes: Sequence[NDArray[np.int32]],
) -> tuple[tuple[NDArray[np.int32], NDArray[np.int32]], NDArray[np.int64], NDArray[np.int64] | None]:
    """Find the lists: (respondent, query) of each, its length, and the order that groups rows.

    The usual table is one system's, sorted by query: then rows need not be looked at one by one.
    """
    if len(tables) == 1 and len(tables[0].respondent.names) == 1 and _rising(query[0]):
        begins = np.flatnonzero(np.append(True, query[0][1:] != query[0][:-1]))
        who = np.full(len(begins), respondent_codes[0][0], np.int32)
        return (who, query[0][begins]), np.diff(begins, append=len(query[0])), None
    respondent = _joined(
        [_recoded(rows.respondent.code, to) for rows, to in zip(tables, respondent_codes, strict=True)]
    )
    queries = _joined(query)
    order = _order(respondent, queries)
    if order is not None:
        respondent, queries = respondent[order], queries[order]
    fresh = np.ones(len(queries), bool)
    fresh[1:] = (respondent[1:] != respondent[:-1]) | (queries[1:] != queries[:-1])
    begins = np.nonzero(fresh)[0]
    return (respondent[begins], queries[begins]), np.diff(begins, append=len(queries)), order


def _rising(codes: NDArray[np.int32]) -> bool:
    return bool((codes[1:] >= codes[:-1]).all())


def _order(
    respondent: NDArray[np.int32], query: NDArray[np.int32]
) -> NDArray[np.int64] | None:
    """Give the stable order by respondent, then query; None where rows stand so already."""
    later = respondent[1:] > respondent[:-1]
    if bool((later | ((respondent[1:] == respondent[:-1]) & (query[1:] >= query[:-1]))).all()):
        return None
    by_query = group(query)
    if by_query is None:
        return group(respondent)
    by_respondent = group(respondent[by_query])
    return by_query if by_respondent is None else by_query[by_respondent]


def _lists(
    keys: tuple[NDArray[np.int32], NDArray[np.int32]],
    counts: NDArray[np.int64],
    order: NDArray[np.int64] | None,
    item: NDArray[np.int32],
    columns: dict[str, NDArray[Any] | None],
    asked: Sequence[tuple[int, int]],
) -> Answers:
    """Group rows into lists by respondent and query; rows keep their order inside a list."""
    respondent, query = keys
    if order is not None:
        item = item[order]
        columns = {name: None if c is None else c[order] for name, c in columns.items()}
    present = set(zip(respondent.tolist(), query.tolist(), strict=True)) if asked else set()
    empty = [pair for pair in asked if pair not in present]
    if empty:
        respondent = np.append(respondent, np.array([r for r, _ in empty], np.int32))
        query = np.append(query, np.array([q for _, q in empty], np.int32))
        counts = np.append(counts, np.zeros(len(empty), np.int64))
        by = np.lexsort((query, respondent))
        respondent, query, counts = respondent[by], query[by], counts[by]
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return Answers(respondent, query, starts, item, **columns)


def _unique(
    answers: Answers,
    where: NDArray[np.int64] | None,
    tables: Sequence[Rows],
    items: Items,
    duplicates: Duplicates,
    notes: list[str],
) -> Answers:
    """See to second answers about the same item: same ones are merged, others are as asked."""
    rows, first = _repeats(answers, len(items))
    if not len(rows):
        return answers
    same = np.ones(len(rows), bool)
    for name in _COLUMNS:
        column = getattr(answers, name)
        if column is not None:
            same &= (column[rows] == column[first]) | (
                (column[rows] != column[rows]) & (column[first] != column[first])
            )
    if duplicates == "error" and not same.all():
        raise _contradictions(rows[~same], first[~same], where, tables, answers, items)
    if same.any():
        notes.append(f"{int(same.sum()):,} answers were given twice, word for word: counted once")
    if not same.all():
        notes.append(f"{int((~same).sum()):,} second answers about an item: the {duplicates} counts")
    drop = np.where(same | (duplicates == "first"), rows, first)
    return _without(answers, np.unique(drop))


def _repeats(answers: Answers, items: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find rows that repeat an item of their list, and the row before that they repeat."""
    table = np.empty(items, np.int32)
    table[answers.item] = np.arange(len(answers), dtype=np.int32)
    shared = table[answers.item] != np.arange(len(answers), dtype=np.int32)
    if not shared.any():
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    several = np.zeros(items, bool)
    several[answers.item[shared]] = True
    rows = np.nonzero(several[answers.item])[0]
    key = answers.list_of_row()[rows] * np.int64(items) + answers.item[rows]
    by = np.argsort(key, kind="stable")
    again = np.nonzero(key[by][1:] == key[by][:-1])[0]
    return rows[by[again + 1]], rows[by[again]]


def _contradictions(
    rows: NDArray[np.int64],
    first: NDArray[np.int64],
    where: NDArray[np.int64] | None,
    tables: Sequence[Rows],
    answers: Answers,
    items: Items,
) -> InputError:
    ends = np.cumsum([len(table) for table in tables])
    problems = []
    for row, before in zip(rows[:SHOWN].tolist(), first[:SHOWN].tolist(), strict=True):
        places = []
        for at in (row, before):
            read = at if where is None else int(where[at])
            table = int(np.searchsorted(ends, read, side="right"))
            line = tables[table].place(read - int(ends[table] - len(tables[table])))
            places.append((tables[table].source.name, line))
        (file, line), (other, line_before) = places
        seen = f"line {line_before}" if other == file and line_before else other
        (name,) = items.names([int(answers.item[row])])
        problems.append(
            Problem(
                file,
                line,
                f"item {quote(name)} was answered before ({seen}) and differently",
                "remove one, or say which counts with --duplicates first|last",
            )
        )
    return InputError(problems, len(rows))


def _without(answers: Answers, drop: NDArray[np.int64]) -> Answers:
    keep = np.ones(len(answers), bool)
    keep[drop] = False
    kept = np.concatenate([[0], np.cumsum(keep)])
    columns = {
        name: None if (column := getattr(answers, name)) is None else column[keep]
        for name in ("item", *_COLUMNS)
    }
    return Answers(answers.respondent, answers.query, kept[answers.starts], **columns)


def _check_universe(items: Items, universe: int | None, queries: Sequence[str]) -> None:
    if universe is None:
        return
    sizes = np.diff(items.starts)
    if universe < sizes.max(initial=0):
        query = queries[int(sizes.argmax())]
        raise UsageError(
            f"a universe of {universe:,} items is too small: query {quote(query)} alone has "
            f"{sizes.max():,} (fix: give its true size, or --universe pool)"
        )


def _freeze(study: Study) -> None:
    for array in study._arrays():
        array.flags.writeable = False
