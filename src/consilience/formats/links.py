"""Who is whose parent, as read from a table or from paths: the rows of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from consilience.errors import Problem, Problems, bad, placed, quote, unknown
from consilience.formats import roles
from consilience.formats.cells import Reading, read_names, strings

if TYPE_CHECKING:
    from consilience.formats.cells import Sheet

#: What the columns of a tree may be called, the usual name first.
COLUMNS: dict[str, tuple[str, ...]] = {
    "category": ("category", "name", "node", "child", "concept"),
    "parent": ("parent", "parent_category", "parent_name", "broader"),
    "path": ("path", "category_path"),
}
_EMPTY_PART = "write a name between any two slashes, and none before the first or after the last"


@dataclass(slots=True)
class Links:
    """Categories in the order of the input, each with a parent ("": none) and its line.

    A category with several parents stands here several times. ``paths`` tells that categories are
    called by their path; ``problems`` are those of cells: how the links fit together is not seen
    here. ``repeated`` counts rows that say again what a row before them said.
    """

    name: str
    form: str
    category: list[str] = field(default_factory=list)
    parent: list[str] = field(default_factory=list)
    line: list[int | None] = field(default_factory=list)
    paths: bool = False
    problems: Problems = field(default_factory=Problems)
    notes: list[str] = field(default_factory=list)
    repeated: int = 0

    def add(self, category: str, parent: str, line: int | None = None) -> None:
        """Note a link."""
        self.category.append(category)
        self.parent.append(parent)
        self.line.append(line)

    def wrong(self, line: int | None, found: str, fix: str) -> None:
        """Note a problem."""
        self.problems.add(Problem(self.name, line, found, fix))


def checked(columns: Mapping[str, str] | None) -> Mapping[str, str]:
    """See that a mapping names what a tree's table can have."""
    given = roles.checked(columns)
    for role in given:
        if role not in COLUMNS:
            raise unknown("role in a tree", role, list(COLUMNS))
    return given


def columns_of(header: Iterable[str], given: Mapping[str, str]) -> dict[str, str]:
    """Tell which columns hold categories, parents and paths: as mapped, or by their names."""
    names = [*header]
    found = {role: column for role, column in given.items() if column in names}
    for role, usual in COLUMNS.items():
        taken = {*found.values()}
        matches = [name for name in names if plain(name) in usual and name not in taken]
        if role not in found and matches:
            found[role] = min(matches, key=lambda name: usual.index(plain(name)))
    return found


def are_links(header: Iterable[str]) -> bool:
    """Return whether columns are those of categories and their parents, and none of items.

    Examples
    --------
    >>> are_links(["Category", "parent"]), are_links(["item", "name", "parent"])
    (True, False)
    """
    names = {plain(column) for column in header}
    items = names & {*roles.ROLES["item"]}
    return bool(names & {*COLUMNS["category"]} and names & {*COLUMNS["parent"]} and not items)


def plain(column: str) -> str:
    """Write a column's name in the plain way: lower case, blanks and hyphens as ``_``."""
    return column.strip().lower().replace(" ", "_").replace("-", "_")


def of_sheet(sheet: Sheet, given: Mapping[str, str]) -> Links:
    """Read a table of categories and parents, or of paths."""
    names = sheet.table.column_names
    for role, column in given.items():
        if column not in names:
            wrong = unknown(f"column (mapped to {role})", column, names)
            raise placed(wrong, sheet.name, sheet.header)
    found = columns_of(names, given)
    doubled = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if doubled:
        says = f"column {quote(doubled[0])} appears twice"
        raise bad(sheet.name, sheet.header, says, "rename one of them")
    links = Links(sheet.name, sheet.form)
    links.problems.merge(sheet.problems)
    if "category" in found and "parent" in found:
        used = [found["category"], found["parent"]]
        _add_rows(links, sheet, *used)
    elif "path" in found or ("category" in found and len(names) == 1):
        used = [found.get("path") or found["category"]]
        _add_column(links, sheet, *used)
    else:
        missing = "parents" if "category" in found else "categories"
        says = f"no column holds the {missing}; found {', '.join(map(quote, names))}"
        fix = "name two columns 'category' and 'parent', or one 'path'"
        raise bad(sheet.name, sheet.header, says, fix)
    unused = [name for name in names if name not in used]
    if unused:
        links.notes.append(f"columns not used: {', '.join(unused)}")
    return links


def _place(sheet: Sheet, row: int) -> int | None:
    return None if sheet.locate is None else sheet.locate(row)


def _cells(links: Links, sheet: Sheet, column: str, role: str) -> list[str]:
    """Give a column of names; empty ones are problems."""
    reading = Reading(sheet, links.problems, links.notes)
    names: list[str] = read_names(reading, column, role).to_pylist()
    return names


def _add_rows(links: Links, sheet: Sheet, category: str, parent: str) -> None:
    """Read rows of category and parent."""
    if not sheet.table.num_rows:
        return
    names = _cells(links, sheet, category, "category")
    parents = [cell.strip() for cell in strings(sheet, parent).to_pylist()]
    for row, (name, above) in enumerate(zip(names, parents, strict=True)):
        if name:
            links.add(name, above, _place(sheet, row))
    links.form = f"{sheet.form}, {category} and {parent}"


def _add_column(links: Links, sheet: Sheet, column: str) -> None:
    """Read a column of paths."""
    links.form, links.paths = f"{sheet.form}, paths", True
    if sheet.table.num_rows:
        names = _cells(links, sheet, column, "path")
        add_paths(links, ((name, _place(sheet, row)) for row, name in enumerate(names) if name))


def add_paths(links: Links, paths: Iterable[tuple[str, int | None]]) -> None:
    """Add the categories of paths, inner ones where they first appear."""
    seen: set[str] = set()
    told: set[str] = set()
    for path, line in paths:
        parts = [part.strip() for part in path.split("/")]
        if not all(parts):
            links.wrong(line, f"the path {quote(path)} has an empty part", _EMPTY_PART)
            continue
        above = ""
        for end in range(1, len(parts) + 1):
            name = "/".join(parts[:end])
            if name not in seen:
                seen.add(name)
                links.add(name, above, line)
            above = name
        links.repeated += above in told
        told.add(above)
