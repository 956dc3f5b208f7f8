"""Blocks of one table are read alike: what the first told of its columns holds for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consilience.columns import Codes, Text
from consilience.errors import InputError, bad, quote
from consilience.formats import roles, stored, table
from consilience.formats.aside import with_items, without_lesser
from consilience.formats.cells import strings, vote_share
from consilience.formats.drawn import with_nobody
from consilience.formats.refused import outcome, outcomes

if TYPE_CHECKING:
    import pyarrow as pa

    from consilience.formats.answer_kinds import AnswerKind
    from consilience.formats.cells import Sheet
    from consilience.formats.rows import Kind, Rows

#: Roles that a wide table has not: with one of them, no other column is a voter's.
_LONG = {"respondent", "vote", "score", "rank"}
#: What is said where a block would have changed how the blocks before it were read.
_ALIKE = "give every row the same columns, empty where nothing is said"
_ONE_A_ROW = "write one answer a row: query, respondent, item, vote"


@dataclass(slots=True)
class Like:
    """What the first block of a table told: which column is what, and who votes in a wide one.

    ``silent`` are columns that said nothing so far: they would be voters if they held votes.
    ``outcome`` is a column that may hold outcomes, if several systems share items.
    """

    roles: dict[str, str] | None = None
    voters: tuple[str, ...] = ()
    known: set[str] = field(default_factory=set)
    silent: set[str] = field(default_factory=set)
    outcome: str | None = None
    systems: set[str] = field(default_factory=set)

    def read(
        self,
        sheet: Sheet,
        kind: Kind,
        columns: Mapping[str, str],
        answers: AnswerKind | None = None,
    ) -> list[Rows]:
        """Read a block of a table, the first as any table, the others like it.

        Raises
        ------
        InputError
            If something is wrong in the block, or it says what would have changed how the blocks
            before it were read.
        """
        if self.roles is None:
            sheet, columns = with_items(sheet, columns)
        if not {*columns.values()} & {*sheet.table.column_names}:
            rows = stored.read(sheet, kind=kind)
            if rows is not None:
                return [rows]
        if self.roles is None:
            tables = table.read(sheet, kind=kind, columns=columns, answers=answers)
            self._learn(sheet, tables, columns)
            assert self.roles is not None
            names, found = sheet.table.column_names, self.roles
            self.outcome = outcome(names, found, kind=kind, given=columns, answers=answers)
            self._check_outcomes(sheet, tables)
            return tables
        self._check_fresh(sheet, columns)
        self._check_silent(sheet)
        sheet = self._fitted(sheet)
        _check_nobody(sheet, self.roles)
        tables = table.read(
            sheet, kind=kind, columns=self.roles, answers=answers, voters=self.voters
        )
        self._check_outcomes(sheet, tables)
        return tables

    def _check_outcomes(self, sheet: Sheet, tables: list[Rows]) -> None:
        """Refuse outcomes of several systems: whether they share items, only all rows tell."""
        self.systems |= {name for rows in tables for name in rows.respondent.names}
        if self.outcome is not None and len(self.systems) > 1:
            raise outcomes(sheet.name, self.outcome, scored="score" in (self.roles or ()))

    def _learn(self, sheet: Sheet, tables: list[Rows], columns: Mapping[str, str]) -> None:
        names = sheet.table.column_names
        given = {role: name for role, name in columns.items() if name in names}
        found = roles.assign(names, given)
        if without_lesser(sheet, found, columns) != found:
            who = found["respondent"]
            wrong = f"{quote(who)} may say who answered, and the file is read in blocks"
            fix = f"if it does, --columns respondent={who}; if not, give it another name"
            raise bad(sheet.name, sheet.header, wrong, fix)
        _check_nobody(sheet, found)
        if tables[0].source.recognised.endswith("wide table"):
            who_votes = tables[0].respondent.names
            self.voters = tuple(name for name in who_votes if name != found.get("grade"))
        self.roles, self.known = found, {*names}
        used = {*found.values(), *self.voters}
        if not _LONG & {*found}:
            self.silent = {n for n in names if n not in used and _says_nothing(sheet, n)}

    def _check_fresh(self, sheet: Sheet, columns: Mapping[str, str]) -> None:
        """See that a later block has no column that would have changed what the table is."""
        names = sheet.table.column_names
        fresh = [name for name in names if name not in self.known]
        if not fresh:
            return
        self.known |= {*fresh}
        given = {role: name for role, name in columns.items() if name in names}
        for role, name in roles.assign(names, given).items():
            if name in fresh:
                raise _late(sheet, 0, f"{quote(name)} ({role}) first appears here", _ALIKE)
        if not _LONG & {*(self.roles or ())}:
            self.silent |= {*fresh}

    def _check_silent(self, sheet: Sheet) -> None:
        """See that nobody votes whose column was empty when the table was taken for what it is."""
        for name in [name for name in sheet.table.column_names if name in self.silent]:
            if _says_nothing(sheet, name):
                continue
            self.silent.discard(name)
            if vote_share(sheet, name) >= 0.5:  # then it is a voter's
                row = next(row for row, cell in enumerate(_cells(sheet, name)) if _is_said(cell))
                found = f"{quote(name)} votes here, and said nothing before"
                raise _late(sheet, row, found, _ONE_A_ROW)

    def _fitted(self, sheet: Sheet) -> Sheet:
        """Give a block the columns that are used, empty ones where it lacks them."""
        assert self.roles is not None
        used = list(dict.fromkeys([*self.roles.values(), *self.voters]))
        found = sheet.table
        for name in used:
            if name not in found.column_names:
                found = found.append_column(name, _empty(found.num_rows))
        return replace(sheet, table=found.select(used))


def _check_nobody(sheet: Sheet, found: Mapping[str, str]) -> None:
    """See that drawn rows without a label name somebody: who it is, only all rows tell."""
    if with_nobody(sheet, found) is sheet:
        return
    who = found["respondent"]
    row = next(row for row, cell in enumerate(_cells(sheet, who)) if not cell.strip())
    fix = "name in every row who labels the item, or is to label it"
    raise _late(sheet, row, f"{who} is empty", fix)


def _late(sheet: Sheet, row: int, found: str, fix: str) -> InputError:
    return InputError([sheet.problem(row, f"{found}, in a file that is read in blocks", fix)])


def _cells(sheet: Sheet, column: str) -> list[str]:
    cells: list[str] = strings(sheet, column).to_pylist()
    return cells


def _says_nothing(sheet: Sheet, column: str) -> bool:
    """Tell whether a column is empty, or says nothing but that it is not known."""
    import pyarrow as pa

    if pa.types.is_nested(sheet.table[column].type):
        return False
    return not any(map(_is_said, Codes.of_arrow(strings(sheet, column)).names))


def _is_said(cell: str) -> bool:
    vote = roles.read_vote(cell)
    return vote is None or vote == vote


def _empty(rows: int) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array(Text.of([""] * rows).chunks, pa.string())
