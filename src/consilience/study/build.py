"""From rows to a study: names become numbers, and everything is checked once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.columns import Text, alike, changes, rises
from consilience.errors import Problem, Problems, UsageError, quote, unknown
from consilience.study.drawn import drawn_again
from consilience.study.encode import Encoded, encode
from consilience.study.lists import Headers, answers_of, headers
from consilience.study.model import Items, Study
from consilience.study.people import respondents_of, union
from consilience.study.repeats import (
    DUPLICATES,
    Duplicates,
    Read,
    each_mention,
    settle,
    without_rows,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from consilience.formats.rows import Rows, Source

_NONE = np.zeros(0, np.int64)
#: The columns that are laid end to end, and what stands where a row has none.
_COLUMNS = {"grade": np.nan, "score": np.nan, "rank": 0, "probability": np.nan, "round": 0}


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
        says exactly the same), which of the two counts, or "each": an item of its own.
    universe
        How many items each query chooses from; None means those that somebody mentioned.

    Raises
    ------
    InputError
        If respondents contradict themselves.
    """
    if duplicates not in DUPLICATES:
        raise unknown("way with duplicates", str(duplicates), DUPLICATES)
    if not tables:
        raise UsageError("there is nothing to read (fix: name at least one file)")
    sides = _sides(tables)
    tables = [*sides[0], *sides[1]]
    queries, query_codes = union([_queries(rows) for rows in tables])
    respondents, respondent_codes = respondents_of(tables)
    categories, category = _categories(tables)
    query = [_recoded(rows.query.code, to) for rows, to in zip(tables, query_codes, strict=True)]
    names = alike([rows.item for rows in tables])
    encoded = encode([*zip(query, names, strict=True)], queries=len(queries))
    twice = _may_repeat(encoded, respondent_codes)
    if twice and duplicates == "each":
        who = [to[rows.respondent.code] for rows, to in zip(tables, respondent_codes, strict=True)]
        encoded, twice = each_mention(encoded, who), False
    items = Items(Text.concat(names), encoded.rows, encoded.starts)
    _check_universe(items, universe, queries)
    asked = _asked(tables, queries, respondent_codes)
    notes: list[str] = []
    answered = []
    places = [[k for k in some if len(tables[k])] for some in _places(sides)]
    lists = [
        _headers(
            [tables[k] for k in here], [query[k] for k in here], [respondent_codes[k] for k in here]
        )
        for here in places
    ]
    columns = [
        {
            "item": _joined([encoded.codes[k] for k in here]),
            **_columns([tables[k] for k in here], [category[k] for k in here]),
        }
        for here in places
    ]
    tables = [_bare(rows) for rows in tables]  # columns go as soon as they are laid in order
    del sides, query, encoded
    for is_system, here, found in zip((True, False), places, lists, strict=True):
        side = [tables[k] for k in here]
        put = [pair for pair in asked if (respondents.kind[pair[0]] == "system") == is_system]
        answers = answers_of(found, columns.pop(0), put)
        read = Read(side, found.order)
        drop = settle(answers, read, items, duplicates, notes) if twice else _NONE
        if answers.probability is not None and not is_system:
            again = drawn_again(answers, respondents, read, items, duplicates, notes)
            drop = np.union1d(drop, again)
        answered.append(without_rows(answers, drop))
    answers, evidence = answered
    sources = sources_of(tables)
    study = Study(
        queries,
        respondents,
        items,
        answers,
        evidence,
        universe=universe,
        sources=sources,
        notes=(*notes, *told_by(sources)),
        categories=categories,
    )
    _freeze(study)
    return study


def _places(sides: tuple[list[Rows], list[Rows]]) -> tuple[range, range]:
    """Give the places of either side's tables among all."""
    systems, judges = map(len, sides)
    return range(systems), range(systems, systems + judges)


def _bare(rows: Rows) -> Rows:
    """Leave out of a table what was said row by row; names stay."""
    nobody = np.zeros(0, np.int32)
    return replace(
        rows,
        query=replace(rows.query, code=nobody),
        respondent=replace(rows.respondent, code=nobody),
        vote=None,
        grade=None,
        score=None,
        rank=None,
        probability=None,
        round=None,
    )


def _sides(tables: Sequence[Rows]) -> tuple[list[Rows], list[Rows]]:
    """Part the systems' tables from the judges'; a table that holds both is cut in two."""
    sides: tuple[list[Rows], list[Rows]] = ([], [])
    for rows in tables:
        kinds = {kind == "system" for kind in rows.kind}
        if len(kinds) < 2:
            sides[0 if kinds == {True} else 1].append(rows)
            continue
        system = np.array([kind == "system" for kind in rows.kind], bool)[rows.respondent.code]
        sides[0].append(_not_drawn(rows.pick(np.nonzero(system)[0])))
        sides[1].append(rows.pick(np.nonzero(~system)[0]))
    return [systems_votes(rows) for rows in sides[0]], sides[1]


def _not_drawn(rows: Rows) -> Rows:
    """Take columns of drawn labels off answers that were not drawn."""
    if rows.probability is None or not np.isnan(rows.probability).all():
        return rows
    return replace(rows, probability=None, round=None)


def systems_votes(rows: Rows) -> Rows:
    """Take a system's labels for votes; a label outside [0, 1] is not one."""
    if rows.grade is None:
        return rows
    grade = rows.grade
    problems = Problems()
    fix = "call the column 'score' if it orders the items, or give the file with --truth"
    problems.many(
        np.nonzero((grade < 0) | (grade > 1))[0].tolist(),
        lambda row: Problem(
            rows.source.name,
            rows.place(row),
            f"a system answers with grade {grade[row]:g}; votes are from 0 to 1",
            fix,
        ),
    )
    problems.raise_any()
    vote = (
        rows.grade if rows.vote is None else np.where(np.isnan(rows.grade), rows.vote, rows.grade)
    )
    return replace(rows, vote=vote, grade=None)


def sources_of(tables: Sequence[Rows]) -> tuple[Source, ...]:
    """Name every source once, though its rows may have gone to both sides."""
    sources: dict[tuple[str, str, str], Source] = {}
    for rows in tables:
        source = rows.source
        key = (source.name, source.recognised, source.why)
        known = sources.setdefault(key, source)
        notes = tuple(dict.fromkeys((*known.notes, *source.notes)))
        sources[key] = replace(known, notes=notes)
    return tuple(sources.values())


def told_by(sources: Sequence[Source]) -> list[str]:
    """Repeat what was noted of each source, with its name: results carry it."""
    return [f"{source.name}: {note}" for source in sources for note in source.notes]


def _queries(rows: Rows) -> list[str]:
    """Name a table's queries, and behind them those that were put and gave no row."""
    return list(dict.fromkeys((*rows.query.names, *(query for _, query in rows.asked))))


def _recoded(code: NDArray[np.integer], to: NDArray[np.int32]) -> NDArray[np.integer]:
    return code if np.array_equal(to, np.arange(len(to))) else to[code]


def _joined(pieces: Sequence[NDArray[Any]]) -> NDArray[Any]:
    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.int32)


def _may_repeat(encoded: Encoded, respondent_codes: Sequence[NDArray[np.int32]]) -> bool:
    """Tell whether anybody may have answered about one item twice, before looking closer."""
    everybody = np.concatenate(respondent_codes)
    return any(encoded.repeats) or len(np.unique(everybody)) < len(everybody)


def _asked(
    tables: Sequence[Rows], queries: Sequence[str], respondents: Sequence[NDArray[np.int32]]
) -> list[tuple[int, int]]:
    """Give the (respondent, query) pairs that were put, where reading noted them."""
    query = {name: code for code, name in enumerate(queries)}
    pairs: set[tuple[int, int]] = set()
    for rows, codes in zip(tables, respondents, strict=True):  # one name may be two respondents
        who = dict(zip(rows.respondent.names, codes.tolist(), strict=True))
        pairs |= {(who[r], query[q]) for r, q in rows.asked if r in who and q in query}
    return sorted(pairs)


def _categories(
    tables: Sequence[Rows],
) -> tuple[tuple[str, ...], list[NDArray[np.int32] | None]]:
    """Number the categories over all tables; -1 where a row assigns none."""
    names = {n: None for rows in tables if rows.category for n in rows.category.names if n.strip()}
    number = {name: code for code, name in enumerate(names)}
    codes: list[NDArray[np.int32] | None] = []
    for rows in tables:
        if rows.category is None:
            codes.append(None)
            continue
        to = np.array([number.get(name, -1) for name in rows.category.names], np.int32)
        codes.append(to[rows.category.code])
    return tuple(names), codes


def _columns(
    tables: Sequence[Rows], category: Sequence[NDArray[np.int32] | None]
) -> dict[str, NDArray[Any] | None]:
    """Lay the value columns of tables end to end; leave out those that nobody used."""
    columns = {
        name: _laid(tables, [getattr(rows, name) for rows in tables], unsaid)
        for name, unsaid in _COLUMNS.items()
    }
    columns["category"] = _laid(tables, category, -1)
    columns["vote"] = _laid(tables, _votes(tables, columns["grade"] is not None), 1.0)
    return columns


def _votes(tables: Sequence[Rows], graded: bool) -> list[NDArray[np.float64] | None]:
    """Give the tables' votes: where others grade, a row that only names an item says yes.

    Whoever puts an item into a category does not vote, nor does an empty category.
    """
    votes = [rows.vote for rows in tables]
    if all(vote is None for vote in votes) and all(
        (rows.grade is not None) == graded for rows in tables
    ):
        return votes
    return [
        vote
        if vote is not None
        else np.full(len(rows), 1.0 if rows.grade is None and rows.category is None else np.nan)
        for rows, vote in zip(tables, votes, strict=True)
    ]


def _laid(
    tables: Sequence[Rows], pieces: Sequence[NDArray[Any] | None], unsaid: float
) -> NDArray[Any] | None:
    if all(piece is None for piece in pieces):
        return None
    return _joined(
        [
            np.full(len(rows), unsaid) if piece is None else piece
            for rows, piece in zip(tables, pieces, strict=True)
        ]
    )


def _headers(
    tables: Sequence[Rows],
    query: Sequence[NDArray[np.integer]],
    respondent_codes: Sequence[NDArray[np.int32]],
) -> Headers:
    """Find the lists of tables.

    The usual table is one system's, sorted by query: then rows need not be looked at one by one.
    """
    if len(tables) == 1 and len(tables[0].respondent.names) == 1 and rises(query[0]):
        begins = changes(query[0])
        who = np.full(len(begins), respondent_codes[0][0], np.int32)
        return Headers(
            who, query[0][begins].astype(np.int32), np.diff(begins, append=len(query[0])), None
        )
    respondent = [
        _recoded(rows.respondent.code, to)
        for rows, to in zip(tables, respondent_codes, strict=True)
    ]
    return headers(_joined(respondent), _joined(query))


def _check_universe(items: Items, universe: int | None, queries: Sequence[str]) -> None:
    if universe is None:
        return
    if isinstance(universe, bool) or not isinstance(universe, (int, np.integer)):
        raise UsageError(
            f"a universe is a number of items, found {quote(universe)} (fix: --universe N)"
        )
    sizes = np.diff(items.starts)
    if universe < sizes.max(initial=0):
        query = queries[int(sizes.argmax())]
        raise UsageError(
            f"a universe of {universe:,} items is too small: query {quote(query)} alone has "
            f"{sizes.max():,} (fix: give its true size, or --universe pool)"
        )


def _freeze(study: Study) -> None:
    for _, array in study._columns():
        array.flags.writeable = False
