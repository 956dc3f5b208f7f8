"""Language models among the judges: they vote, and are never the truth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from consilience.study.model import Study

#: Names that plainly are those of language models; first names of people are not among them.
_MODEL = re.compile(
    r"(?<![a-z])(?:"
    r"chatgpt|gpt[-_ .]?(?:\d|neo|j\b)|o[134][-_ ](?:mini|preview)|llm(?![a-z])|"
    r"(?:meta[-_ ])?llama|codellama|vicuna|alpaca[-_ ]?\d|mixtral|mistral|qwen|deepseek|"
    r"claude[-_ .]?(?:\d|v\d|instant|opus|sonnet|haiku)|gemini[-_ .]?(?:\d|pro|flash|ultra|nano)|"
    r"gemma[-_ .]?\d|phi[-_ .]?[1-9](?!\d)|command[-_ ]?r(?![a-z])|flan[-_ ]?t5|falcon[-_ ]?\d|"
    r"umbrela"
    r")"
)
_SHOWN = 3


def models_vote(study: Study) -> str | None:
    """Say who of the judges is a language model, and what that means; None where nobody is.

    Examples
    --------
    >>> from consilience.study import study
    >>> said = {"item": ["x"], "judge": ["bot"], "kind": ["llm"], "label": [1]}
    >>> models_vote(study({"s": {"all": ["x"]}}, truth=said))
    'bot is a language model: it counts as a voter in a consensus, never as the truth'
    """
    names = [study.respondents.names[code] for code in study.respondents.of_kind("llm")]
    if not names:
        return None
    one = len(names) == 1
    are = "is a language model: it counts as a voter" if one else "are language models: they count"
    return f"{_listed(names)} {are}{'' if one else ' as voters'} in a consensus, never as the truth"


def look_like_models(study: Study) -> list[str]:
    """Ask of judges who are taken for gold or people, and called like a language model.

    Examples
    --------
    >>> from consilience.study import study
    >>> said = {"item": ["x", "x"], "judge": ["gpt-4o", "Claude"], "label": [1, 0]}
    >>> look_like_models(study({"s": {"all": ["x"]}}, truth=said))
    ["'gpt-4o' looks like a language model: if it is one, say so with a column kind, ..."]
    """
    people = study.respondents
    codes = np.unique(study.evidence.respondent).tolist()
    names = [people.names[code] for code in codes if people.kind[code] in ("gold", "person")]
    found = [name for name in names if _MODEL.search(name.lower())]
    if not found:
        return []
    one = len(found) == 1
    look = "looks like a language model: if it is one" if one else "look like language models"
    rows = "in its rows" if one else "in their rows"
    quoted = _listed([repr(name) for name in found])
    return [
        f"{quoted} {look}{'' if one else ': if they are'}, say so with a column kind, llm {rows}"
    ]


def _listed(names: Sequence[str]) -> str:
    if len(names) > _SHOWN + 1:
        return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} others"
    return f"{', '.join(names[:-1])} and {names[-1]}" if names[1:] else names[0]
