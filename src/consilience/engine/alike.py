"""Blocks of one table are read alike: what the first told of its columns holds for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from consilience.columns import Text
from consilience.errors import bad, quote
from consilience.formats import roles, stored, table
from consilience.formats.aside import without_lesser

if TYPE_CHECKING:
    import pyarrow as pa

    from consilience.formats.cells import Sheet
    from consilience.formats.rows import Kind, Rows


@dataclass(slots=True)
class Like:
    """What the first block of a table told: which column is what, and who votes in a wide one."""

    roles: dict[str, str] | None = None
    voters: tuple[str, ...] = ()
    known: set[str] = field(default_factory=set)

    def read(self, sheet: Sheet, kind: Kind, columns: Mapping[str, str]) -> list[Rows]:
        """Read a block of a table, the first as any table, the others like it."""
        if not {*columns.values()} & {*sheet.table.column_names}:
            rows = stored.read(sheet, kind=kind)
            if rows is not None:
                return [rows]
        if self.roles is None:
            tables = table.read(sheet, kind=kind, columns=columns)
            self._learn(sheet, tables, columns)
            return tables
        self._check(sheet, columns)
        return table.read(self._fitted(sheet), kind=kind, columns=self.roles, voters=self.voters)

    def _learn(self, sheet: Sheet, tables: list[Rows], columns: Mapping[str, str]) -> None:
        names = sheet.table.column_names
        given = {role: name for role, name in columns.items() if name in names}
        self.roles = without_lesser(sheet, roles.assign(names, given), columns)
        self.known = {*names}
        if tables[0].source.recognised.endswith("wide table"):
            who = tables[0].respondent.names
            self.voters = tuple(name for name in who if name != self.roles.get("grade"))

    def _check(self, sheet: Sheet, columns: Mapping[str, str]) -> None:
        """See that a later block has no column that would have changed what the table is."""
        names = sheet.table.column_names
        fresh = [name for name in names if name not in self.known]
        if not fresh:
            return
        given = {role: name for role, name in columns.items() if name in names}
        for role, name in roles.assign(names, given).items():
            if name in fresh:
                line = None if sheet.locate is None else sheet.locate(0)
                found = f"{quote(name)} ({role}) first appears here, far into a large file"
                fix = "give every row the same columns, empty where nothing is said"
                raise bad(sheet.name, line, found, fix)
        self.known |= {*fresh}

    def _fitted(self, sheet: Sheet) -> Sheet:
        """Give a block the columns that are used, empty ones where it lacks them."""
        assert self.roles is not None
        used = list(dict.fromkeys([*self.roles.values(), *self.voters]))
        found = sheet.table
        for name in used:
            if name not in found.column_names:
                found = found.append_column(name, _empty(found.num_rows))
        return replace(sheet, table=found.select(used))


def _empty(rows: int) -> pa.ChunkedArray:
    import pyarrow as pa

    return pa.chunked_array(Text.of([""] * rows).chunks, pa.string())
