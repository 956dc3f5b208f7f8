"""The same comparison without the page: as lines of Python and as a command."""

from __future__ import annotations

import shlex
from typing import Any

from consilience.web.soft_choices import Asked

#: Longer lists are read from files in the lines of Python.
WRITTEN = 100
#: The widest line that a list is written into.
_WIDE = 88


def in_python(asked: Asked, sides: dict[str, list[str]], files: dict[str, str]) -> str:
    """Write lines of Python that give the same figures.

    Parameters
    ----------
    asked
        What was chosen.
    sides
        The items that were pasted, by side.
    files
        The names of the files that were brought, by side.

    Examples
    --------
    >>> chosen = Asked(similarity="lcs", case="fold")
    >>> print(in_python(chosen, {"gold": ["a"], "predicted": ["A"]}, {}))
    import consilience as cs
    <BLANKLINE>
    gold = ["a"]
    predicted = ["A"]
    result = cs.soft(gold, predicted, similarity="lcs", wording=cs.Wording(case="fold"))
    print(result.precision, result.recall, result.f1)
    """
    given = [_side(side, sides[side], files.get(side)) for side in ("gold", "predicted")]
    chosen = [f"{name}={_python(value)}" for name, value in _options(asked).items()]
    words = [f"{name}={_text(value)}" for name, value in _words(asked).items()]
    if words:
        chosen.append(f"wording=cs.Wording({', '.join(words)})")
    call = _broken("result = cs.soft(", ["gold", "predicted", *chosen], ")")
    shown = "print(result.precision, result.recall, result.f1)"
    taken = ["from pathlib import Path", ""] if _is_long(sides, files) else []
    return "\n".join([*taken, "import consilience as cs", "", *given, call, shown])


def as_command(asked: Asked, files: dict[str, str]) -> str:
    """Write the command that compares the same lists, kept in files.

    Examples
    --------
    >>> as_command(Asked(similarity="jaccard", settings="q=3", case="fold", floor="0.3"), {})
    'consilience soft gold.txt predicted.txt --similarity jaccard:q=3 --floor 0.3 --case fold'
    """
    said = ["consilience", "soft"]
    said += [files.get(side, f"{side}.txt") for side in ("gold", "predicted")]
    for name, value in {**_options(asked), **_words(asked)}.items():
        said += [f"--{name}", f"{value}"]
    return shlex.join(said)


def _options(asked: Asked) -> dict[str, Any]:
    """Name what differs from what is usual."""
    named = asked.named()
    made: dict[str, Any] = {} if named == Asked().similarity else {"similarity": named}
    made |= {name: getattr(asked, name) for name in ("variant", "mode") if getattr(asked, name)}
    if asked.floor.strip():
        made["floor"] = float(asked.floor)
    if float(asked.threshold) != float(Asked().threshold):
        made["threshold"] = float(asked.threshold)
    return made


def _words(asked: Asked) -> dict[str, str]:
    said, usual = asked.told(), Asked().told()
    return {name: said[name] for name in ("unicode", "case", "space") if said[name] != usual[name]}


def _is_long(sides: dict[str, list[str]], files: dict[str, str]) -> bool:
    """Tell whether a list is too long to be written down."""
    return any(len(items) > WRITTEN and side not in files for side, items in sides.items())


def _side(side: str, items: list[str], file: str | None) -> str:
    if file is not None:
        return f"{side} = {_text(file)}"
    if len(items) <= WRITTEN:
        return _broken(f"{side} = [", [_text(item) for item in items], "]")
    read = f'Path("{side}.txt").read_text("utf-8")'
    return f'{side} = [line for line in {read}.split("\\n") if line.strip()]'


def _python(value: Any) -> str:
    return _text(value) if isinstance(value, str) else repr(value)


def _text(value: str) -> str:
    """Write a text as Python does, in double quotes where these do no harm."""
    plain = repr(value)
    return f'"{plain[1:-1]}"' if plain[0] == "'" and '"' not in value else plain


def _broken(begin: str, pieces: list[str], end: str) -> str:
    """Write pieces in one line, or one each on lines of their own."""
    line = f"{begin}{', '.join(pieces)}{end}"
    if len(line) <= _WIDE:
        return line
    return "\n".join([begin, *(f"    {piece}," for piece in pieces), end])
