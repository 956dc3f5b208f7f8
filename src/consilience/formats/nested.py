"""A tree as Python users hold it, or as one JSON document: nested, or child → parent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from consilience.errors import UsageError, quote
from consilience.formats.links import Links, add_paths, checked, columns_of, of_sheet
from consilience.formats.sheets import of_columns, of_frame, text_of
from consilience.given import is_missing, kinds_within

#: Trees may be deep; what is deeper contains itself.
_DEEPEST = 10_000
#: Keys under which an object with children may carry its name.
_NAMES = ("name", "category", "id", "label")
_FORMS = (
    "a path, a frame or dict with columns category and parent, {child: parent}, "
    "{category: {category: …}}, or a list of paths such as 'animal/dog'"
)


def of_object(data: Any, *, name: str = "tree", columns: Mapping[str, str] | None = None) -> Links:
    """Take a tree as Python users hold it.

    A dict is one of four things, looked for in this order: an object with ``name`` and
    ``children``; a dict of columns (or one row), where a column is called parent or path; nested,
    where some value is a dict, or where lists name nothing that is a key; child → parent(s).

    Examples
    --------
    >>> of_object({"dog": "animal", "animal": None}).parent
    ['animal', '']
    >>> of_object({"animal": ["dog", "cat"]}).category
    ['animal', 'dog', 'cat']
    """
    given = checked(columns)
    kinds_within(data, name, most=_DEEPEST)
    if isinstance(data, Mapping):
        return _of_dict(data, name, given)
    if isinstance(data, (list, tuple)):
        return _of_list(data, name, given)
    if not hasattr(data, "columns") and not hasattr(data, "column_names"):
        said = f"{type(data).__name__} {quote(data)}"
        raise UsageError(f"{name}: cannot read a tree from {said} (fix: give {_FORMS})")
    return of_sheet(of_frame(data, name=name), given)


def _of_list(data: Sequence[Any], name: str, given: Mapping[str, str]) -> Links:
    """Read paths, rows, or several nested trees."""
    if all(isinstance(one, str) for one in data):
        links = Links(name, "list of paths", paths=True)
        add_paths(links, ((path, None) for path in data))
        return links
    if any(_is_named(one) for one in data):
        return _of_nested(data, name, named=True)
    if all(_is_row(one, given) for one in data):
        cells = dict.fromkeys(key for row in data for key in row)
        rows = {key: [row.get(key) for row in data] for key in cells}
        return of_sheet(of_columns(rows, name=name), given)
    return _of_nested(data, name, named=False)


def _of_dict(data: Mapping[Any, Any], name: str, given: Mapping[str, str]) -> Links:
    """Tell what a dict is, and read it."""
    if _is_named(data) or _is_row(data, given):
        return _of_list([data], name, given)
    if _roles(data, given) and all(map(_is_column, data.values())):
        return of_sheet(of_columns(data, name=name), given)
    if any(isinstance(value, Mapping) for value in data.values()) or _lists_children(data):
        return _of_nested(data, name, named=False)
    links = Links(name, "child: parent")
    for child, parents in data.items():
        for parent in _several(parents) or [None]:
            _add(links, child, parent)
    return links


def _is_named(data: Any) -> bool:
    """Tell an object with a name and children."""
    return isinstance(data, Mapping) and "children" in data and any(key in data for key in _NAMES)


def _is_row(data: Any, given: Mapping[str, str]) -> bool:
    """Tell a row of a table: single values, among them a category and its parent, or a path."""
    if not isinstance(data, Mapping) or any(isinstance(v, (Mapping, list)) for v in data.values()):
        return False
    return bool(_roles(data, given))


def _roles(data: Mapping[Any, Any], given: Mapping[str, str]) -> bool:
    found = columns_of([key for key in data if isinstance(key, str)], given)
    return {"category", "parent"} <= {*found} or "path" in found


def _is_column(value: Any) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, (str, bytes, Mapping))


def _several(parents: Any) -> list[Any]:
    """Give what stands in the place of a parent as a list."""
    if isinstance(parents, (set, frozenset)):
        return sorted(parents, key=text_of)
    return [*parents] if isinstance(parents, (list, tuple)) else [parents]


def _lists_children(data: Mapping[Any, Any]) -> bool:
    """Tell whether lists name children: then no name in them is a key, and no value is a text."""
    lists = [value for value in data.values() if isinstance(value, (list, tuple))]
    others = [value for value in data.values() if not isinstance(value, (list, tuple))]
    deep = any(isinstance(one, (Mapping, list, tuple)) for value in lists for one in value)
    listed = {text_of(one) for value in lists for one in value}
    alone = bool(listed) and all(map(_is_nothing, others))
    return deep or (alone and not listed & {*map(text_of, data)})


def _of_nested(data: Any, name: str, *, named: bool) -> Links:
    """Read nested dicts and lists, depth first; a category is called by its own name."""
    links = Links(name, "nested")
    waiting: list[tuple[Any, str, bool]] = [(data, "", False)]
    while waiting:
        value, above, is_name = waiting.pop()
        if is_name:
            _add(links, value, above)
        else:
            waiting += reversed([*_inside(value, above, named)])
    return links


def _inside(value: Any, above: str, named: bool) -> Iterator[tuple[Any, str, bool]]:
    """Give the parts of a nested value with what is above them: names, and values to look into."""
    if isinstance(value, Mapping) and named:
        called = next((value[key] for key in _NAMES if key in value), None)
        yield called, above, True
        yield value.get("children"), text_of(called).strip(), False
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from ((key, above, True), (inner, text_of(key).strip(), False))
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield one, above, not isinstance(one, (Mapping, list, tuple))
    elif not _is_nothing(value):
        yield value, above, True


def _is_nothing(value: Any) -> bool:
    """Tell whether no name stands in the place of a category."""
    return is_missing(value) or (isinstance(value, (str, int, float)) and not value)


def _add(links: Links, name: Any, above: Any) -> None:
    """Add a category that comes as a Python value, as its parent may."""
    several = [one for one in (name, above) if _is_column(one) or isinstance(one, Mapping)]
    text, parent = ("" if is_missing(one) else text_of(one).strip() for one in (name, above))
    if several:
        found = f"a category must be a single name, found {quote(type(several[0]).__name__)}"
        links.wrong(None, found, "name it by text or a number")
    elif text:
        links.add(text, parent)
    else:
        inside = f" below {quote(parent)}" if parent else ""
        links.wrong(None, f"a category{inside} has no name", "give it one")
