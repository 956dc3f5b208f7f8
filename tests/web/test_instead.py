"""Pages name pages: what to type in a terminal is not said where a link or a form does it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

import consilience
from consilience.web.instead import by_field, without_commands
from tests.web.asked import EXAMPLES, RUNS, html, settled

SOURCE = Path(consilience.__file__).parent
COMMAND = re.compile(r"consilience [a-z]+|--(?:families|match|budget|hypothesis|truth)\b")


def texts(path: Path) -> Iterator[str]:
    """Give what a file can say: its strings, but for what explains them."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    inside: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in silent | inside:
            continue
        if isinstance(node, ast.JoinedStr):
            inside |= {id(part) for part in node.values}
            parts = (part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def test_every_sentence_that_names_a_command_has_another_one_for_pages() -> None:
    rooms = ("verdict", "study")
    said = [
        text for room in rooms for path in (SOURCE / room).rglob("*.py") for text in texts(path)
    ]
    named = [text for text in said if re.search(r"consilience [a-z]+ ?", text)]
    assert len(named) > 10
    left = [text for text in named if re.search(r"consilience [a-z]", without_commands(text))]
    assert not left


def test_options_are_called_by_their_fields() -> None:
    fields: list[dict[str, Any]] = [{"name": "query_item", "label": "More like"}]
    assert by_field("(fix: --query-item d1)", fields) == "(fix: More like: d1)"
    assert by_field("--query-items", fields) == "--query-items"


@pytest.mark.parametrize("truth", [False, True])
def test_no_page_of_results_names_a_command(
    client: httpx.Client, make_project: Any, truth: bool
) -> None:
    files = {"keyphrases.csv": (EXAMPLES / "keyphrases.csv").read_bytes()}
    gold = {"gold.csv": (EXAMPLES / "keyphrases-gold.csv").read_bytes()}
    slug = make_project("Named", files, gold) if truth else make_project("Nobody knows", RUNS)
    here = f"/p/{slug}"
    verb = "distributions" if truth else "rank"
    asked = [f"compare?verb={verb}&level={level}" for level in (0.9, 0.95)]
    a, b = (
        settled(client, f"{here}/{one.replace('?', '.json?')}")["result"]["id"] for one in asked
    )
    settled(client, f"{here}/overview.json")
    for address in (asked[0], "reports", f"reports/{a}", f"reports/diff?a={a}&b={b}", "overview"):
        shown = html(client, f"{here}/{address}").partition('<section id="bring">')[0]
        shown = re.sub(r"<script.*?</script>", "", shown, flags=re.DOTALL)
        assert not COMMAND.findall(re.sub("<[^>]*>", "", shown)), address
