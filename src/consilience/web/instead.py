"""What pages say instead of what to type in a terminal: names of pages and fields, or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

#: Words for a terminal, and what a page says there. Names that users gave may stand beside them:
#: so these are whole phrases of the library, and nothing that a name is likely to hold.
_INSTEAD = (
    (
        r" \(consilience (?:agree|align|displacement|distributions|soft|tree"
        r"|next(?: draws some| … --budget \d+)?)\)",
        "",
    ),
    (r" \(name a file with --truth\)", ""),
    (r"it needs declared families \(--families FILE\)", "it needs declared families"),
    (r"declare it \(--families\)", "declare it (More choices, Families of systems)"),
    (r"is told by consilience rank\b", "is told by Ranking"),
    (r": consilience soft, or rank --match soft", "; Soft match compares such items"),
    (r"; --scale nominal if they are codes", "; choose nominal if they are codes"),
    (
        r"compare with --hypothesis pessimist, or cut all lists with --depth",
        "compare with the pessimist, or let fewer first answers count",
    ),
    (r"--rel sets it; relevances that order a list are for displacement", "an order is no grade"),
    (r"consilience rank shows what", "Compare shows what"),
    (r"rank them: consilience rank …", "see Compare"),
    (r"draw labels with consilience next", "draw labels on Label"),
    (
        r"compare one system with gold by consilience soft GOLD PREDICTED, several by consilience "
        r"rank --match soft(?:, or match=.exact. if they are meant to be equal)?",
        "Soft match compares two lists of them",
    ),
    (r", which consilience agree compares", ", which People compares"),
    (r"look with consilience check", "look at Overview"),
    (r"name a file with --truth, or other systems' files", "bring what is true, or other answers"),
    (r"name the systems' files before --truth", "bring the systems' answers on Overview"),
    (r"or --truth; --belief consensus gives", "or what is true; to believe the consensus gives"),
    (
        r"name it with --category or --query-item, or add a column 'query'; in Python: .*?…\)",
        "choose a category or an item, or bring results with a column 'query')",
    ),
)
_RULES = [(re.compile(pattern), said) for pattern, said in _INSTEAD]


def without_commands(text: str) -> str:
    """Leave out what to type in a terminal, where pages have links and forms for it.

    Examples
    --------
    >>> without_commands("Next step: label some items (consilience next … --budget 100).")
    'Next step: label some items.'
    >>> without_commands("there is no truth (name a file with --truth)")
    'there is no truth'
    >>> without_commands("What other queries would bring is told by consilience rank.")
    'What other queries would bring is told by Ranking.'
    >>> without_commands("bm25 (--k1 0.9) and dense (consilience reranked) are best")
    'bm25 (--k1 0.9) and dense (consilience reranked) are best'
    """
    for pattern, said in _RULES:
        text = pattern.sub(said, text)
    return text


def by_field(text: str, fields: Iterable[Mapping[str, Any]]) -> str:
    """Call options of a command by the fields of a form that stand for them.

    Examples
    --------
    >>> fields = [{"name": "collection", "label": "Items to choose from"}]
    >>> by_field("too few items (fix: --collection N, or leave --collection out)", fields)
    'too few items (fix: Items to choose from: N, or leave Items to choose from out)'
    >>> by_field("unknown measure '--collection'", fields)
    "unknown measure '--collection'"
    """
    for one in fields:
        option = rf"(?<![\w'\"-])--{re.escape(str(one['name']).replace('_', '-'))}(?![\w-])"
        text = re.sub(rf"{option}(?= (?!(?:or|and|out|with)\b)[\w'])", f"{one['label']}:", text)
        text = re.sub(option, str(one["label"]), text)
    return text
