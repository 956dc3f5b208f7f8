"""Tables of labels: every respondent is an annotator, and a label may be any word or number.

Elsewhere a column ``label`` holds grades, and the columns of a wide table hold votes. Whoever asks
how far annotators agree has text, too. So such tables are brought into long form, with one column
that is a *grade* where the labels are numbers, and a *category* where they are text; the usual
reader does the rest. No column of a wide table is left out unless it clearly holds no labels, and
then a note says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from consilience.columns import Codes, Text, coded
from consilience.errors import KindError, UsageError, bad, quote
from consilience.formats import aside, refused
from consilience.formats import roles as r
from consilience.formats.cells import Sheet, strings, strings_of
from consilience.formats.drawn import DRAWN

if TYPE_CHECKING:
    import pyarrow as pa

#: Where labels stand in a long table, the likeliest first.
_VALUES = ("category", "vote", "grade")
#: Text that is no label; elsewhere "none" and "unknown" mean the same, here they may be labels.
NO_LABEL = ("", "?", "na", "n/a", "nan", "null", "cannot tell", "can't tell")
#: Roles that a table of labels keeps.
_KEPT = ("query", "item", "respondent", "family", "kind", *DRAWN)


def prepare(sheet: Sheet, columns: Mapping[str, str]) -> tuple[Sheet, Mapping[str, str]]:
    """Bring a table of labels into long form, and say whether they are grades or categories.

    Parameters
    ----------
    sheet
        The table, long (one label a row) or wide (one item a row, one column an annotator).
    columns
        Role → column, as the user mapped them.

    Returns
    -------
    tuple
        A long table, and the mapping that reads it. What cannot be understood comes back as it
        is: the reader of tables says what is wrong.

    Examples
    --------
    >>> from consilience.formats.sheets import of_columns
    >>> wide = {"item": ["a", "b"], "ann1": ["cat", "dog"], "ann2": ["cat", None]}
    >>> sheet, mapping = prepare(of_columns(wide, name="wide"), {})
    >>> mapping["category"], sheet.table.num_rows
    ('label', 4)
    """
    names = sheet.table.column_names
    given = {role: name for role, name in columns.items() if name in names}
    try:
        roles = aside.without_lesser(sheet, r.assign(_without_truth(names, given), given), given)
    except UsageError:
        return sheet, columns
    if "item" not in roles or not sheet.table.num_rows or len({*names}) < len(names):
        return sheet, columns
    mapped = {role: name for role, name in r.by_role(given).items() if role in _VALUES}
    value = next((both[role] for both in (mapped, roles) for role in _VALUES if role in both), None)
    if value is not None and not mapped:
        refused.check_gold(sheet, roles, value)
    if value is None and {"score", "respondent"} <= {*roles} and "rank" not in roles:
        known = "respondent" in r.by_role(given) or "kind" in roles
        value = roles["score"] if known else _rated(sheet, roles["respondent"], roles["score"])
    ordered = {"score", "rank"} & {*roles} and value is None
    named = ("respondent" in roles or mapped) and value is not None
    voters = [] if named or ordered else _annotators(sheet, roles, value)
    if len(voters) > 1:
        refused.check_counts(sheet, [n for n in names if n not in {*roles.values()} - {value}])
        refused.check_counts(sheet, voters)
        return _melted(sheet, roles, voters) if "respondent" not in roles else _torn(sheet, voters)
    if value is None and voters:
        noted = replace(sheet, notes=(*sheet.notes, f"labels are those in column {voters[0]}"))
        return _long(noted, roles, voters[0])
    return (sheet, columns) if value is None else _long(sheet, roles, value)


def _rated(sheet: Sheet, respondent: str, score: str) -> str:
    """Return the column of scores as one of ratings where people gave them; ask elsewhere."""
    if r.kind_of(respondent, "system") == "system":
        found = f"{quote(score)} of each {quote(respondent)} may be a rating or the order of a list"
        raise KindError(sheet.name, found, f"if it is a rating, --columns label={score}")
    return score


def _torn(sheet: Sheet, voters: Sequence[str]) -> NoReturn:
    """Say that labels may stand in several columns beside one of annotators."""
    found = f"labels could stand in {', '.join(map(quote, voters))}"
    fix = f"say which column holds them: --columns category={voters[0]}"
    raise bad(sheet.name, sheet.header, found, fix)


def _without_truth(names: Sequence[str], given: Mapping[str, str]) -> list[str]:
    """Leave out a column of truth beside the annotators' own labels, in a table that names them."""
    roles = {name: _role(name) for name in names}
    kept = [name for name in names if not r.is_truth(name) or name in given.values()]
    labelled = {*_VALUES} & {*given, *(roles[name] for name in kept)}
    return kept if labelled and "respondent" in {*roles.values(), *given} else [*names]


def _role(name: str) -> str:
    return next(iter(r.assign([name], {})), "")


def _cells(sheet: Sheet, column: str) -> Codes:
    """Number the labels of a column; blanks around them are taken off."""
    cells = Codes.of_arrow(strings(sheet, column))
    plain = Codes.of(name.strip() for name in cells.names)
    return Codes(plain.code[cells.code], plain.names)


def _annotators(sheet: Sheet, roles: Mapping[str, str], value: str | None) -> list[str]:
    """Name the columns of a wide table that hold labels; none where the table is long.

    Columns belong together where they hold a word that another one holds, too, in any capitals. A
    column that shares none is kept as well if it says the same things again and again: sentences
    and names of things do not. Numbers beside text, and text beside numbers, are no labels.
    """
    taken = {name for role, name in roles.items() if role not in _VALUES}
    rest = [name for name in sheet.table.column_names if name not in taken]
    rest = [name for name in rest if not (aside.stands_beside(name) or aside.is_place(name))]
    held = {name: _held(sheet, name) for name in rest}
    held = {name: said for name, said in held.items() if said}
    shared = _sharing(held)
    if value is not None and not r.is_truth(value) and len(shared) < 2:
        return []
    figures = [name for name in held if _are_figures(held[name])]
    text = [
        name
        for name, said in held.items()
        if name not in figures and (name in shared or _may_label(said))
    ]
    own = _sharing({name: held[name] for name in text})
    if own or (len(figures) < 2 <= len(text)):
        voters = {*text, *(name for name in figures if name in shared)}
    elif len(figures) > 1:
        voters = {*figures, *(name for name in text if _are_votes(held[name]))}
    else:
        voters = {*figures, *text}
    found = [name for name in held if name in voters]
    return found if value is None or len(found) > 1 else []


def _sharing(held: Mapping[str, Mapping[str, int]]) -> set[str]:
    """Find the columns that hold a word that another one holds, too."""
    words = {name: {word.casefold() for word in said} for name, said in held.items()}
    columns = Counter(word for said in words.values() for word in said)
    return {name for name, said in words.items() if any(columns[word] > 1 for word in said)}


def _are_figures(said: Mapping[str, int]) -> bool:
    """Tell whether at least half of a column's labels are numbers."""
    figures = sum(n for word, n in said.items() if r.read_number(word) is not None)
    return 2 * figures >= sum(said.values())


def _are_votes(said: Mapping[str, int]) -> bool:
    return all(r.read_grade(word) is not None for word in said)


def _may_label(said: Mapping[str, int]) -> bool:
    """Tell whether a column that shares no word with others may hold labels all the same."""
    if aside.is_prose(said):
        return False
    return aside.recur(said) or _are_votes(said) or aside.may_recur(said)


def _held(sheet: Sheet, column: str) -> dict[str, int]:
    """Count the labels of a column."""
    import pyarrow as pa

    if pa.types.is_nested(sheet.table[column].type):
        return {}
    said = aside.counted(_cells(sheet, column))
    return {word: n for word, n in said.items() if word.lower() not in NO_LABEL}


def _melted(
    sheet: Sheet, roles: Mapping[str, str], voters: Sequence[str]
) -> tuple[Sheet, Mapping[str, str]]:
    """Put the columns of a wide table one below the other."""
    import pyarrow as pa

    rows, table, locate = sheet.table.num_rows, sheet.table, sheet.locate
    kept = [role for role in ("query", "item", *DRAWN) if role in roles]
    parts = [_cells(sheet, voter) for voter in voters]
    every = {name: code for code, name in enumerate({n: None for p in parts for n in p.names})}
    to = [np.array([every[name] for name in part.names], np.int32) for part in parts]
    cells = Codes(
        np.concatenate([new[part.code] for new, part in zip(to, parts, strict=True)]), tuple(every)
    )
    names = Text.of(voters).chunks[0]
    who = coded(np.repeat(np.arange(len(voters), dtype=np.int32), rows), names)
    label, role, untold = _label(cells)
    long = pa.table(
        {
            **{roles[one]: _repeated(table[roles[one]], len(voters)) for one in kept},
            "respondent": pa.chunked_array([who]),
            "label": label,
        }
    )
    unused = [n for n in table.column_names if n not in {*voters, *(roles[k] for k in kept)}]
    why = f"{sheet.why}; wide, annotators={', '.join(voters)}".removeprefix("; ")
    found = None if locate is None else lambda row: locate(row % rows)
    notes = (*_alone(sheet, voters), *_missing(untold, empty=False))
    melted = replace(
        sheet,
        table=long,
        why=why,
        locate=found,
        notes=notes,
        unused=(*sheet.unused, *unused),
        melted=rows,
    )
    return melted, {**{one: roles[one] for one in kept}, "respondent": "respondent", role: "label"}


def _alone(sheet: Sheet, voters: Sequence[str]) -> list[str]:
    """Note which columns hold none of the labels of the others."""
    shared = _sharing({name: _held(sheet, name) for name in voters})
    return [
        f"{name} shares no label with other columns; if it is no annotator, leave the column out"
        for name in voters
        if shared and name not in shared
    ]


def _missing(untold: Mapping[str, int], *, empty: bool) -> list[str]:
    """Note how many labels are missing; an empty cell of a wide table is no answer at all."""
    words = {word: n for word, n in untold.items() if word or empty}
    return [aside.missing(words)] if words else []


def _repeated(column: pa.ChunkedArray, times: int) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array(column.chunks * times, column.type)


def _long(sheet: Sheet, roles: Mapping[str, str], value: str) -> tuple[Sheet, Mapping[str, str]]:
    """Clean the column of labels of a long table; keep what else matters."""
    cells = _cells(sheet, value)
    label, role, untold = _label(cells, category=roles.get("category") == value)
    kept = {one: roles[one] for one in _KEPT if one in roles}
    table = sheet.table
    others = [n for n in table.column_names if _role(n) in (*_VALUES, "score", "rank")]
    others = [n for n in others if n not in {*kept.values(), value}]
    table = table.drop_columns(others)
    place = table.column_names.index(value)
    made = replace(
        sheet,
        table=table.set_column(place, value, label),
        notes=(*sheet.notes, *_missing(untold, empty=True)),
        unused=(*sheet.unused, *others),
    )
    return made, {**kept, role: value}


def _label(cells: Codes, *, category: bool = False) -> tuple[pa.ChunkedArray, str, dict[str, int]]:
    """Give the column of labels, its role, and what was said instead of a label.

    Labels are grades where at least half are numbers. Words that all mean yes, no or unknown are
    grades where one is spelt in several ways; otherwise they are kept as they are written.
    """
    import pyarrow as pa

    count = np.bincount(cells.code, minlength=len(cells.names)).astype(np.float64)
    told = np.array([name.lower() not in NO_LABEL for name in cells.names], bool)
    figures = np.array([r.read_number(name) is not None for name in cells.names], bool)
    votes = [r.read_grade(name) for name in cells.names]
    numbers = 2 * count[figures & told].sum() >= count[told].sum()
    voted = [vote for vote in votes if vote is None or vote == vote]
    words = None not in voted and len(voted) > 0
    graded = not category and (numbers or (words and len({*voted}) < len(voted)))
    if graded or (words and not category):
        told = np.array([vote is None or vote == vote for vote in votes], bool)
    names = list(cells.names)
    if not graded:
        names = [name if label else "" for name, label in zip(names, told, strict=True)]
    unsaid = {name for name, label in zip(cells.names, told, strict=True) if not label}
    untold = {word: n for word, n in aside.counted(cells).items() if word in unsaid}
    numbered = coded(cells.code, strings_of(names).combine_chunks())
    return pa.chunked_array([numbered]), "grade" if graded else "category", untold
