"""The page on measures names every measure, option, value and alias."""

from pathlib import Path

import pytest

from consilience.measures.names import ALIASES, AP_VARIANTS, AVERAGES, BASES, GAINS
from consilience.measures.scores import CONVENTIONS
from consilience.study.ranking import TIES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
TABLE = [line for line in PAGE.splitlines() if line.startswith("| `")]


@pytest.mark.parametrize("base", BASES)
def test_every_measure_has_a_row_with_its_options_and_aliases(base):
    start = "| `F1`" if base == "F" else f"| `{base}"
    (row,) = [line for line in TABLE if line.startswith((f"{start}`", f"{start}@k`", f"{start},"))]
    rule, options = BASES[base]
    assert ("@k" in row) == (rule != "never")
    for option in options:
        assert f"`{option}`" in row
    for alias, meant in ALIASES.items():
        if meant == base and alias != base.lower() and not alias.endswith("_cut"):
            assert alias in row.lower(), alias


@pytest.mark.parametrize(
    "word",
    [
        *AP_VARIANTS,
        *AVERAGES,
        *GAINS,
        *CONVENTIONS,
        *TIES,
        "average",
        "rel",
        "beta",
        "gain",
        "judged_only",
    ],
)
def test_every_word_is_explained(word):
    assert f"`{word}`" in PAGE
