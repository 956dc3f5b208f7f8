"""Tables in long form (one answer a row) and wide form (one item a row, one column a source).

CSV, TSV, JSON lines, Parquet and frames all become an Arrow table first and take the same path
from there: roles are given to columns, cells are read, bad cells are gathered with their lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from consilience.columns import Codes, Text
from consilience.errors import (
    EmptyError,
    Problem,
    Problems,
    UsageError,
    bad,
    placed,
    quote,
    unknown,
)
from consilience.formats import refused
from consilience.formats import roles as r
from consilience.formats.aside import (
    check_apart,
    is_it,
    is_place,
    may_name,
    may_part,
    stands_beside,
    with_items,
    without_lesser,
)
from consilience.formats.cells import (
    Reading,
    Sheet,
    as_numbers,
    once_per_respondent,
    read_names,
    read_values,
    read_whole,
    strings,
    vote_share,
)
from consilience.formats.decimals import with_points
from consilience.formats.drawn import DRAWN, beside, rounds, unlabelled, with_nobody
from consilience.formats.ordered import counted, drop_empty, ordered
from consilience.formats.rows import KINDS, ONLY_QUERY, Kind, Rows, Silence, Source
from consilience.formats.values import READERS

if TYPE_CHECKING:
    from consilience.formats.answer_kinds import AnswerKind

#: Roles that say of one (respondent, item) what was answered: a wide table has none of them.
_ANSWERS = {"vote", "score", "rank"}
#: In larger tables nobody looks for a column that tells repeated rows apart.
_MANY = 1_000_000
#: So many names of columns tell what a table is.
_SOME = 12


def read(
    sheet: Sheet,
    *,
    kind: Kind,
    columns: Mapping[str, str],
    labels: bool = False,
    answers: AnswerKind | None = None,
    knows: Callable[[str], bool] | None = None,
    voters: Sequence[str] | None = None,
) -> list[Rows]:
    """Read a table in whichever form it is in.

    A long table of systems' scores, ranks or votes that also says what is relevant gives two:
    the systems' answers and the gold ones.

    Parameters
    ----------
    sheet
        The table.
    kind
        What its respondents are, where neither a ``kind`` column nor the name of their column says.
    columns
        Role → column, where names do not say it; other tables' columns are passed over.
    labels
        Whether everybody is an annotator whose labels may be text.
    answers
        The kind of answers that the user named.
    knows
        Tells whether a cell names a category, also one that is called "unknown" or "none".
    voters
        The columns that are respondents of a wide table (none: it is long), where rows before
        these have told it.
    """
    sheet, columns = with_items(sheet, columns)
    sheet = with_points(sheet, columns)
    if labels:
        from consilience.formats.labels import prepare

        refused.check_coordinates(sheet)
        sheet, columns = prepare(sheet, columns)
        if voters is None and {"category", "grade"} & {*r.by_role(columns)}:
            voters = ()  # one label a row
    elif knows is None and kind != "person":
        refused.check_header(sheet, columns)
    roles = _roles(sheet, columns)
    sheet = with_nobody(sheet, roles)
    if not sheet.table.num_rows:
        sheet.problems.raise_any()
        fix = "add rows, or leave it out"
        wrong = Problem(sheet.name, None, "the table has a header and no rows", fix)
        raise EmptyError(wrong, sheet.form, sheet.table.column_names)
    reading = Reading(sheet, replace(sheet.problems), list(sheet.notes))
    told = voters
    voters = _voters(reading, roles, kind) if voters is None else tuple(voters)
    if not labels and knows is None:
        refused.check_truth(sheet.name, roles, kind=kind, given=columns)
        if not voters:
            refused.check_nested(sheet, roles, columns)
        reading.notes += refused.check(
            sheet, roles, kind=kind, voters=voters, answers=answers, given=columns
        )
    if not labels and knows is None and told is None:
        names, given = sheet.table.column_names, columns
        found = refused.outcome(names, roles, kind=kind, given=given, answers=answers)
        refused.check_outcomes(sheet, roles, found)
        if not voters:
            refused.check_unused(sheet, roles, kind=kind, answers=answers)
            refused.check_queries(sheet, roles, kind=kind, answers=answers)
    if voters:
        return [_wide(reading, roles, voters, kind=kind)]
    rows = _long(reading, roles, kind)
    if labels or knows is not None:  # what is no answer has been told already, or will be
        return rows
    return [replace(one, category=_told(one.category)) for one in rows]


def _kind(roles: Mapping[str, str], kind: Kind) -> Kind:
    """Tell what the respondents of a long table are, where its rows do not say."""
    alone = not {"respondent", *_ANSWERS} & {*roles}
    judgments = r.is_truth(roles.get("grade")) or ("grade" in roles and "probability" in roles)
    if alone and judgments and kind == "system":  # nobody draws a system's answers by lot
        return "gold"
    return r.kind_of(roles.get("respondent"), kind)


def _roles(sheet: Sheet, columns: Mapping[str, str]) -> dict[str, str]:
    names = sheet.table.column_names
    doubled = [name for name, count in Counter(names).items() if count > 1]
    problems = Problems()
    fix = "rename one of them"
    problems.many(
        doubled,
        lambda n: Problem(sheet.name, sheet.header, f"column {quote(n)} appears twice", fix),
    )
    problems.raise_any()
    try:
        roles = r.assign(names, {role: name for role, name in columns.items() if name in names})
    except UsageError as error:
        raise placed(error, sheet.name, sheet.header) from None
    if "item" not in roles:
        if "item" in columns:
            wrong = unknown("column (mapped to item)", columns["item"], names)
            raise placed(wrong, sheet.name, sheet.header)
        refused.check_matrix(sheet, roles)
        found = ", ".join(map(quote, names[:_SOME])) + (" …" if len(names) > _SOME else "")
        fix = "name one 'item', or map it: --columns item=NAME"
        if "respondent" in roles and any(_are_figures(sheet, n) for n in names if n not in roles):
            fix += "; tables of systems with a score each go to consilience correlate"
        raise bad(sheet.name, sheet.header, f"no column holds the items; found {found}", fix)
    return without_lesser(sheet, roles, columns)


def _voters(reading: Reading, roles: Mapping[str, str], kind: Kind) -> tuple[str, ...]:
    """Name the columns that are respondents of a wide table; none where the table is long.

    A table is wide when it has no column of votes, scores, ranks or respondents, and some column
    without a role holds votes. A few cells that are none do not change that: they are mistakes.
    """
    sheet = reading.sheet
    if _ANSWERS & {*roles} or (kind == "gold" and "grade" in roles):
        return ()
    rest = [name for name in sheet.table.column_names if name not in roles.values()]
    votes = tuple(
        name
        for name in rest
        if not (stands_beside(name) or is_place(name)) and vote_share(sheet, name) >= 0.5
    )
    if "respondent" in roles:
        if len(votes) > 1 and "grade" not in roles and "category" not in roles:
            found = (
                f"{', '.join(votes)} hold votes, but {roles['respondent']} names respondents too"
            )
            fix = f"rename {roles['respondent']}, or leave those columns out"
            reading.problems.add(Problem(sheet.name, sheet.header, found, fix))
        return ()
    shares = any(_are_shares(sheet, name) for name in votes)
    if kind == "system" and ("grade" not in roles or shares) and (shares or not votes):
        figures = [name for name in rest if not is_place(name) and _are_figures(sheet, name)]
        figures = [name for name in figures if name not in votes]
        if shares:  # else a price stands beside the votes
            figures = [name for name in figures if not stands_beside(name)]
        if figures:
            found = f"{', '.join(figures)}: numbers, but not votes from 0 to 1"
            fix = f"rescale them, or say what they are: --columns score={figures[0]}"
            fix = refused.remedy(figures) or fix
            reading.problems.add(Problem(sheet.name, sheet.header, found, fix))
    return votes


def _are_shares(sheet: Sheet, column: str) -> bool:
    """Tell whether votes are numbers, and some of them neither 0 nor 1."""
    said = as_numbers(sheet.table[column])
    return said is not None and bool(((said > 0) & (said < 1)).any())


def _are_figures(sheet: Sheet, column: str) -> bool:
    said = as_numbers(sheet.table[column])
    return said is not None and not bool(np.isnan(said).all())


def _long(reading: Reading, roles: Mapping[str, str], kind: Kind) -> list[Rows]:
    sheet, kind = reading.sheet, _kind(roles, kind)
    whole = read_whole(reading, roles["rank"], least=0) if "rank" in roles else None
    asked = [role for role in READERS if role in roles and (role != "rank" or whole is None)]
    values = {role: read_values(reading, roles[role], role) for role in asked}
    query, respondent = _query(reading, roles), _respondent(reading, roles)
    item = Text.of_arrow(read_names(reading, roles["item"], "item").chunks)
    kinds = _kinds(reading, roles, respondent, kind)
    families = _families(reading, roles, respondent)
    drop_empty(reading, roles, values)
    rank = ordered(reading, roles, values, query, respondent)
    rank = rank if whole is None else counted(reading, whole)
    reading.raise_any()
    unused = [name for name in sheet.table.column_names if name not in roles.values()]
    if "person" not in kinds and any(map(is_place, unused)):
        keys = np.stack([query.code, respondent.code, item.codes()[0]], axis=1)
        check_apart(sheet, [*map(tuple, keys.tolist())], range(len(item)), unused)
    who = () if "respondent" in roles else may_name(sheet, unused)
    if who and {*kinds} == {"person"}:
        reading.notes.append(
            f"no column says who answered: all rows count as {quote(sheet.stem)}; {is_it(who)}"
        )
    where = "" if "query" in roles or not unused else _where(reading, respondent, item, unused)
    rows = Rows(
        replace(_source(reading, "long table", roles, unused), who=who, where=where),
        query,
        respondent,
        item,
        kind=kinds,
        family=families,
        silence="unknown" if {"vote", "grade"} & {*values} else "no",
        vote=values.get("vote"),
        grade=values.get("grade"),
        score=values.get("score"),
        rank=rank,
        probability=values.get("probability"),
        round=rounds(values.get("round")),
        category=_category(reading, roles),
        locate=sheet.locate,
    )
    curve = {*kinds} == {"system"} and "grade" in roles and bool(_ANSWERS & {*roles})
    return _parted(rows, roles["grade"]) if curve else [unlabelled(rows)]


def _where(reading: Reading, respondent: Codes, item: Text, unused: Sequence[str]) -> str:
    """Name the unused column that tells rows of the same item and respondent apart, if one does."""
    if len(item) > _MANY:
        return ""
    keys = np.stack([respondent.code, item.codes()[0]])
    pair = np.unique(keys, axis=1, return_inverse=True)[1].ravel()
    if len(pair) == 0 or pair.max() + 1 == len(pair):
        return ""
    for name in unused:
        if stands_beside(name) or not may_part(reading.sheet, name):
            continue
        place = Codes.of_arrow(strings(reading.sheet, name)).code
        if len(np.unique(np.stack([pair, place]), axis=1).T) == len(pair):
            return name
    return ""


def _parted(rows: Rows, grade: str) -> list[Rows]:
    """Part the systems' answers from what the same rows say is relevant."""
    silence: Silence = "unknown" if rows.vote is not None else "no"
    answers = replace(rows, grade=None, probability=None, round=None, silence=silence)
    gold = replace(
        rows,
        respondent=Codes.constant(grade, len(rows)),
        kind=("gold",),
        family=(None,),
        vote=None,
        score=None,
        rank=None,
        silence="unknown",
    )
    return [answers, gold]


def _wide(reading: Reading, roles: Mapping[str, str], voters: Sequence[str], *, kind: Kind) -> Rows:
    """Melt: every voter's column becomes its rows; a ``gold`` column becomes the gold answer."""
    sheet = reading.sheet
    columns = {voter: read_values(reading, voter, "vote") for voter in voters}
    gold = roles.get("grade")
    if gold:
        columns[gold] = read_values(reading, gold, "grade")
    query = _query(reading, roles)
    item = read_names(reading, roles["item"], "item").chunks
    probability, drawn_in = beside(
        reading, roles, [name == gold or kind != "system" for name in columns]
    )
    reading.raise_any()
    count, rows = len(columns), sheet.table.num_rows
    shown = ("query", "item", "grade", *(DRAWN if probability is not None else ()))
    used = {role: roles[role] for role in shown if role in roles}
    taken = {*used.values(), *columns}
    unused = [name for name in sheet.table.column_names if name not in taken]
    merged = np.concatenate(list(columns.values()))
    is_gold = np.repeat([name == gold for name in columns], rows)
    locate = sheet.locate
    one = Codes.constant("", rows)
    where = (
        "" if "query" in roles or not unused else _where(reading, one, Text.of_arrow(item), unused)
    )
    source = _source(reading, "wide table", {**used, "respondents": ", ".join(voters)}, unused)
    return Rows(
        replace(source, where=where),
        Codes(np.tile(query.code, count), query.names),
        Codes(np.repeat(np.arange(count, dtype=np.int32), rows), tuple(columns)),
        Text.of_arrow(item * count),
        kind=tuple("gold" if name == gold else kind for name in columns),
        family=(None,) * count,
        silence="unknown",
        vote=np.where(is_gold, np.nan, merged) if gold else merged,
        grade=np.where(is_gold, merged, np.nan) if gold else None,
        probability=probability,
        round=drawn_in,
        locate=None if locate is None else lambda row: locate(row % rows),
    )


def _query(reading: Reading, roles: Mapping[str, str]) -> Codes:
    if "query" not in roles:
        return Codes.constant(ONLY_QUERY, reading.sheet.table.num_rows)
    return Codes.of_arrow(read_names(reading, roles["query"], "query"))


def _respondent(reading: Reading, roles: Mapping[str, str]) -> Codes:
    if "respondent" not in roles:
        return Codes.constant(reading.sheet.stem, reading.sheet.table.num_rows)
    return Codes.of_arrow(read_names(reading, roles["respondent"], "respondent"))


def _category(reading: Reading, roles: Mapping[str, str]) -> Codes | None:
    if "category" not in roles:
        return None
    return Codes.of_arrow(strings(reading.sheet, roles["category"]))


def _told(category: Codes | None) -> Codes | None:
    """Leave empty what is no category: "cannot tell", "?" and the like."""
    if category is None:
        return None
    unsaid = [(said := r.read_grade(name)) is not None and said != said for name in category.names]
    names = ("" if none else name for name, none in zip(category.names, unsaid, strict=True))
    return replace(category, names=tuple(names))


def _kinds(
    reading: Reading, roles: Mapping[str, str], respondent: Codes, kind: Kind
) -> tuple[Kind, ...]:
    if "kind" not in roles:
        return (kind,) * len(respondent.names)
    named = once_per_respondent(reading, roles["kind"], respondent, role="kind")
    kinds = []
    for code, name in enumerate(named):
        known = [one for one in KINDS if one == (name or kind).lower()]
        if not known:
            row = np.nonzero(respondent.code == code)[0][:1]
            found = f"kind of {quote(respondent.names[code])} is {quote(name)}"
            fix = f"use one of {', '.join(KINDS)}"
            reading.wrong(row, lambda _, found=found, fix=fix: (found, fix))  # type: ignore[misc]
        kinds.append(known[0] if known else kind)
    return tuple(kinds)


def _families(
    reading: Reading, roles: Mapping[str, str], respondent: Codes
) -> tuple[str | None, ...]:
    if "family" not in roles:
        return (None,) * len(respondent.names)
    return once_per_respondent(reading, roles["family"], respondent, role="family")


def _source(
    reading: Reading, shape: str, roles: Mapping[str, str], unused: Sequence[str]
) -> Source:
    sheet = reading.sheet
    says = ", ".join(f"{role}={column}" for role, column in roles.items())
    notes, unused = list(reading.notes), [*sheet.unused, *unused]
    if unused:
        notes.append(f"columns not used: {', '.join(unused)}")
    why = f"{sheet.why}; {says}" if sheet.why else says
    form, rows = f"{sheet.form}, {shape}", sheet.table.num_rows
    return Source(sheet.name, form, why, rows, tuple(notes), tuple(sheet.table.column_names))
