"""The house: rooms import only rooms to their left, names load on use, files stay small."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import consilience

SOURCE = Path(consilience.__file__).parent
#: Data walks from left to right.
ROOMS = ("formats", "study", "match", "belief", "measures", "verdict", "render")
#: What every room may use.
COMMON = ("errors", "columns", "given", "progress", "_version")
#: Doors and edges: they may use the rooms, no room uses them.
OUTSIDE = ("cli", "web", "examples", "experiments", "store", "engine", "__main__", "__init__")
#: Methods by which Python and notebooks show a result.
DISPLAYS = ("__repr__", "__str__", "_repr_html_", "_repr_mimebundle_")
FILES = sorted(SOURCE.rglob("*.py"))


def room_of(path: Path) -> str:
    part = path.relative_to(SOURCE).parts[0]
    return part.removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Give the parts of the package that a file imports, each with its line.

    A result may show itself: what its display methods import does not count.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    shown = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef) and function.name in DISPLAYS
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        if id(node) in shown:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("consilience."):
                    yield node.lineno, alias.name.split(".")[1]
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "consilience":
                for alias in node.names:
                    yield node.lineno, alias.name
            elif node.module.startswith("consilience."):
                yield node.lineno, node.module.split(".")[1]


def test_every_part_has_its_place() -> None:
    assert {room_of(path) for path in FILES} <= {*ROOMS, *COMMON, *OUTSIDE}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_rooms_import_only_rooms_to_their_left(path: Path) -> None:
    room = room_of(path)
    if room in OUTSIDE:
        return
    allowed = {*COMMON, room, *(ROOMS[: ROOMS.index(room)] if room in ROOMS else ())}
    wrong = [(line, name) for line, name in imports(path) if name not in allowed]
    assert not wrong, f"{path} imports {wrong}"


def test_exported_names_are_those_that_load() -> None:
    assert sorted(consilience.__all__) == sorted([*consilience._WHERE, "__version__"])
    assert dir(consilience) == sorted(consilience.__all__)
    for name in consilience.__all__:
        assert getattr(consilience, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        consilience.nothing  # noqa: B018


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.asname or alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    where = {name: f"consilience.{module}" for name, module in consilience._WHERE.items()}
    assert seen == where


def test_importing_is_light() -> None:
    code = (
        "import sys, consilience; "
        "heavy = {'numpy', 'pyarrow', 'scipy', 'pandas', 'narwhals', 'click'} & {*sys.modules}; "
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_reading_files_does_not_import_pandas(tmp_path: Path) -> None:
    import pandas as pd  # noqa: F401  (where it is missing, this proves nothing)

    run, table = tmp_path / "a.run", tmp_path / "b.csv"
    run.write_text("q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n")
    table.write_text("query,item,system,score\nq1,d1,B,1.5\nq1,d2,B,\n".replace(",\n", ",1\n"))
    code = (
        "import sys, consilience as cs; "
        f"cs.read([{str(run)!r}, {str(table)!r}]); "
        "sys.exit('pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
