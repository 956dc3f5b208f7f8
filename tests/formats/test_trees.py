"""Trees of categories: every form gives the same tree, every mistake has its line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import consilience as cs

from .conftest import Write

#: The tree that every form below tells: child → parent.
WANTED = {"animal": None, "dog": "animal", "poodle": "dog", "cat": "animal", "stone": None}
TABLE = "category,parent\nanimal,\ndog,animal\npoodle,dog\ncat,animal\nstone,\n"
PATHS = "animal/dog/poodle\nanimal/cat\nstone\n"
NESTED: dict[str, Any] = {"animal": {"dog": {"poodle": {}}, "cat": {}}, "stone": {}}
NAMED = [
    {
        "name": "animal",
        "children": [{"name": "dog", "children": [{"name": "poodle"}]}, {"name": "cat"}],
    },
    {"name": "stone", "children": []},
]
ROWS = [{"category": child, "parent": parent} for child, parent in WANTED.items()]
COLUMNS = {"category": [*WANTED], "parent": [*WANTED.values()]}


def told(tree: cs.Tree) -> dict[str, str | None]:
    """Give a tree as child → parent, paths by their last part."""
    last = [name.rpartition("/")[2] for name in tree.names]
    return {
        name: last[above[0]] if above else None
        for name, above in zip(last, tree.parents, strict=True)
    }


FILES: dict[str, tuple[str, str]] = {
    "csv": ("t.csv", TABLE),
    "tsv": ("t.tsv", TABLE.replace(",", "\t")),
    "semicolons": ("t.csv", TABLE.replace(",", ";")),
    "csv without its ending": ("tree.txt", TABLE),
    "other names, more columns": (
        "t.csv",
        "note,Node,Broader\n" + "".join(f"hm,{c},{p or ''}\n" for c, p in WANTED.items()),
    ),
    "windows": ("t.csv", "\ufeff" + TABLE.replace("\n", "\r\n")),
    "json lines": ("t.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS)),
    "json rows": ("t.json", json.dumps(ROWS)),
    "paths": ("t.txt", PATHS),
    "table of paths": ("t.csv", "path\n" + PATHS),
    "table of categories that are paths": ("t.csv", "category\n" + PATHS),
    "paths beside something": ("t.csv", "path,note\n" + PATHS.replace("\n", ",hm\n")),
    "nested": ("t.json", json.dumps(NESTED)),
    "nested, indented": ("t.json", json.dumps(NESTED, indent=2)),
    "nested, lists": ("t.json", '{"animal": [{"dog": ["poodle"]}, "cat"], "stone": null}'),
    "nested, texts": ("t.json", '{"animal": {"dog": "poodle", "cat": null}, "stone": ""}'),
    "named": ("t.json", json.dumps(NAMED)),
    "named, indented": ("t.json", json.dumps(NAMED, indent=1)),
    "child to parent": ("t.json", json.dumps(WANTED)),
}
OBJECTS: dict[str, Any] = {
    "child to parent": WANTED,
    "child to parents": {c: [p] if p else [] for c, p in WANTED.items()},
    "nested": NESTED,
    "nested, tuples": {"animal": ({"dog": ("poodle",)}, "cat"), "stone": None},
    "named": NAMED,
    "paths": PATHS.split(),
    "columns": COLUMNS,
    "rows": ROWS,
    "pandas": pd.DataFrame(COLUMNS),
    "polars": pl.DataFrame(COLUMNS),
    "arrow": pa.table(COLUMNS),
}


@pytest.mark.parametrize("form", FILES)
def test_every_form_of_file_tells_the_same_tree(form: str, write: Write) -> None:
    name, content = FILES[form]
    assert told(cs.tree(write(content, name))) == WANTED


@pytest.mark.parametrize("form", OBJECTS)
def test_every_form_of_object_tells_the_same_tree(form: str) -> None:
    assert told(cs.tree(OBJECTS[form])) == WANTED


def test_packed_parquet_and_other_encodings(write: Write, tmp_path: Path) -> None:
    assert told(cs.tree(write(gzip.compress(TABLE.encode()), "t.csv.gz"))) == WANTED
    pd.DataFrame(COLUMNS).to_parquet(tmp_path / "t.parquet")
    assert told(cs.tree(tmp_path / "t.parquet")) == WANTED
    latin = write("category,parent\nVögel,\n".encode("latin-1"), "l.csv")
    assert cs.tree(latin, encoding="latin-1").names == ("Vögel",)
    with pytest.raises(cs.InputError, match=r"l\.csv:2: not valid UTF-8"):
        cs.tree(latin)


def test_columns_can_be_mapped(write: Write) -> None:
    path = write(TABLE.replace("category,parent", "what,above"), "t.csv")
    assert told(cs.tree(path, columns={"category": "what", "parent": "above"})) == WANTED
    with pytest.raises(cs.InputError, match=r"t\.csv:1: no column holds the categories; found"):
        cs.tree(path)
    with pytest.raises(cs.InputError, match="did you mean 'above'"):
        cs.tree(path, columns={"category": "what", "parent": "abov"})
    with pytest.raises(cs.UsageError, match="unknown role in a tree 'item'"):
        cs.tree(path, columns={"item": "what"})


#: File content → the whole message, the file's name left out.
WRONG = {
    "cycle": (
        "category,parent\na,c\nb,a\nc,b\nd,\n",
        ":3: a cycle: a → c → b → a (fix: take one of these links away)",
    ),
    "self": (
        "category,parent\na,\nb,b\n",
        ":3: 'b' is its own parent (fix: leave the parent empty if it is a root, or name another)",
    ),
    "two parents": (
        "category,parent\na,\nb,\nc,a\nc,b\n",
        ":5: 'c' has two parents, 'a' (line 4) and 'b' (fix: give it one parent, or allow several "
        "with --dag (dag=True))",
    ),
    "root and child": (
        "category,parent\na,\nb,a\nb,\n",
        ":3: 'b' is a root (line 4) and has the parent 'a' (fix: remove one of the two rows)",
    ),
    "no category": (
        "category,parent\nanimal,\ndog,animl\n",
        ":3: the parent 'animl' is no category; did you mean 'animal'? (fix: add a row for it with "
        "an empty parent, or correct the name)",
    ),
    "empty": (
        "category,parent\na,\n,a\n",
        ":3: category: the category is empty (fix: fill it in, or remove the row)",
    ),
    "empty part": (
        "a/b\na//c\n/a\n",
        ":2: the path 'a//c' has an empty part (fix: write a name between any two slashes, and "
        "none before the first or after the last)",
    ),
    "nothing": (
        "category,parent\n",
        ": there are no categories (fix: write one category a row, with its parent, or one path a "
        "line)",
    ),
    "indented": (
        "animal\n  dog\n",
        ":2: the line is indented: that says nothing here (fix: write every category with its "
        "path, such as animal/dog/poodle)",
    ),
    "no header": (
        "dog,animal\ncat,animal\n",
        ":1: no header line; the first line is 'dog,animal' (fix: begin with a line "
        "category,parent)",
    ),
    "no parents": (
        "category,note\na,b\n",
        ":1: no column holds the parents; found 'category', 'note' (fix: name two columns "
        "'category' and 'parent', or one 'path')",
    ),
    "ragged": ("category,parent\na,\nb,a,c\n", ":3: expected 2 cells, found 3 (fix: quote "),
    "xml": ("<tree/>\n", ":1: this is XML or HTML, not a tree that can be read here (fix: write "),
    "doubled": ("category,parent,parent\na,,\n", ":1: column 'parent' appears twice (fix: rename "),
    "json": ('{"a": {"b": {}}, "a": {}}', ": not readable: 'a' appears twice in one object (fix: "),
}


@pytest.mark.parametrize("case", WRONG)
def test_every_mistake_is_told_with_its_line(case: str, write: Write) -> None:
    content, expected = WRONG[case]
    path = write(content, "t.csv" if case in ("no parents", "doubled") else "t")
    with pytest.raises(cs.InputError) as caught:
        cs.tree(path)
    assert str(caught.value).startswith(f"{path}{expected}"), str(caught.value)


def test_all_mistakes_are_told_together(write: Write) -> None:
    path = write("category,parent\na,\nb,x\nc,b\nc,a\nd,d\n,a\ne,f\nf,e\n", "t.csv")
    with pytest.raises(cs.InputError) as caught:
        cs.tree(path)
    lines = [problem.line for problem in caught.value.problems]
    assert lines == [3, 5, 6, 7, 9]
    with pytest.raises(cs.InputError) as allowed:
        cs.tree(path, dag=True)
    assert [problem.line for problem in allowed.value.problems] == [3, 6, 7, 9]


def test_two_cycles_are_two_problems() -> None:
    with pytest.raises(cs.InputError) as caught:
        cs.tree({"a": "b", "b": "a", "c": "d", "d": "e", "e": "c", "f": "c"})
    assert [problem.found for problem in caught.value.problems] == [
        "a cycle: a → b → a",
        "a cycle: c → d → e → c",
    ]


def test_a_dag_may_have_several_parents_but_no_cycle() -> None:
    dag = cs.tree({"a": None, "b": None, "c": ["a", "b"]}, dag=True)
    assert dag.parents == ((), (), (0, 1))
    assert repr(dag) == "<DAG: 3 categories, 2 roots, depth 1>"
    with pytest.raises(cs.InputError, match="a cycle: a → b → a"):
        cs.tree({"a": ["b"], "b": ["a", "r"], "r": None}, dag=True)


def test_repetitions_are_noted(write: Write) -> None:
    again = cs.tree(write(TABLE + "dog,animal\nstone,\n", "t.csv"))
    assert told(again) == WANTED
    assert again.notes == ("2 rows say again what a row above says: counted once",)
    assert cs.tree(write("a/b\na/b\na\n")).notes == (
        "1 row says again what a row above says: counted once",
    )
    unused = cs.tree(write("category,parent,note\na,,x\n", "n.csv"))
    assert unused.notes == ("columns not used: note",)


def test_other_objects_are_refused() -> None:
    for wrong in (3, None, object(), {"a", "b"}):
        with pytest.raises(cs.UsageError, match=r"tree: cannot read a tree from .* \(fix: give a "):
            cs.tree(wrong)
    nothing: tuple[Any, ...] = ({}, [])
    for empty in nothing:
        with pytest.raises(cs.InputError, match="there are no categories"):
            cs.tree(empty)
    with pytest.raises(cs.InputError, match="a category below 'a' has no name"):
        cs.tree({"a": {"": {}}})


def test_a_deep_tree_is_no_matter() -> None:
    chain = cs.tree({str(n): str(n + 1) if n < 4000 else None for n in range(4001)})
    assert chain.names[0] == "4000"
    assert int(chain.depth.max()) == 4000
