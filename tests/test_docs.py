"""The documentation is run: every command and every Python example in it, on the small files."""

from __future__ import annotations

import doctest
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from consilience.cli import VERBS, group
from tests.cli.command import Ran, consilience

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
_PLAIN = re.compile(r"consilience (\w+)(?: (?:[^'\"|&;<>]|\"[^\"]*\"|'[^']*')*)?")
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the documentation's files, for commands to work in."""
    return Path(shutil.copytree(ROOT / "docs" / "files", tmp_path / "files"))


def commands(page: Path) -> list[tuple[str, str]]:
    """Find the commands of a page and the output that follows each."""
    found = []
    for block in _BLOCK.findall(page.read_text(encoding="utf-8")):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def verb(command: str) -> str | None:
    """Give the verb of a command that is one call of ``consilience``, and nothing more."""
    return None if (found := _PLAIN.fullmatch(command)) is None else found[1]


def first_of_each_verb() -> set[tuple[Path, str]]:
    """Find where a verb is shown for the first time, README first."""
    shown: dict[str | None, tuple[Path, str]] = {}
    for page in PAGES:
        for command, _ in commands(page):
            shown.setdefault(verb(command), (page, command))
    return {where for name, where in shown.items() if name is not None}


def bash(script: str, folder: Path, alias: str) -> Ran:
    """Run a script, in which ``consilience`` stands for something."""
    done = subprocess.run(
        ["bash", "-c", f'consilience() {{ {alias} "$@"; }}\n{script}'],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


def run_here(command: str, folder: Path) -> Ran:
    """Run one call of ``consilience`` in this process; bash takes the line apart."""
    words = bash(command, folder, r"printf '%s\0'").out
    return consilience(*words.split("\0")[:-1], cwd=folder)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scripts, and every verb once, are run in processes of their own; the rest in this one."""
    monkeypatch.setenv("COLUMNS", "100")
    apart = first_of_each_verb()
    for command, expected in commands(page):
        if verb(command) is None or (page, command) in apart:
            done = bash(command, folder, f"{sys.executable} -m consilience")
        else:
            done = run_here(command, folder)
        got = done.out or (done.err if done.code else "")
        checker = doctest.OutputChecker()
        assert checker.check_output(expected, got, FLAGS), f"$ {command}\n{got}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_give_what_the_page_shows(
    page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    text = page.read_text(encoding="utf-8").replace("\n```", "\n\n```")
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_the_readme_has_both_kinds_of_examples() -> None:
    assert len(commands(ROOT / "README.md")) >= 6
    assert ">>> import consilience as cs" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_and_option_is_documented(verb: str) -> None:
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    command = group.get_command(click.Context(group), verb)
    assert command is not None
    _, _, section = page.partition(f"## `{verb}")
    section = section.partition("\n## ")[0]
    assert section, f"docs/cli.md has no section on {verb}"
    for parameter in command.params:
        names = parameter.opts if isinstance(parameter, click.Option) else []
        for name in names:
            assert f"`{name}" in section, f"docs/cli.md: {verb} {name} is missing"


def test_every_exported_name_is_in_the_reference() -> None:
    import consilience

    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    named = {line.rpartition(".")[2] for line in page.splitlines() if line.startswith("::: ")}
    assert {*consilience.__all__} - named - {"__version__"} == set()


def test_every_verb_is_shown_and_run_in_a_process_of_its_own() -> None:
    shown = {verb(command) for _, command in first_of_each_verb()}
    assert {*VERBS} - shown <= {"serve"}  # which does not end by itself
