"""Names of persons, places and bodies in a text: the last stage of the papers' pipelines.

The papers used the Stanford recogniser, a Java program with models of its own. Here it is
``compromise`` 14 (https://github.com/spencermountain/compromise, MIT), which the package carries
unchanged (``experiments/assets``) and runs inside Python with the engine of ``quickjs-ng``: a
substitution. It goes by lists of names and by rules, not by statistics, and finds persons well,
places where it knows them, and bodies by words like *Department*. That suffices here: the true text
goes through the same recogniser, so what is measured is what OCR did to the names.

The package's ``Function`` hands work to a thread that it starts on import; in a process that was
forked afterwards that thread is missing and the first call waits for ever. So a context is used
directly, in the thread that made it, and processes are spawned.
"""

from __future__ import annotations

import json
import threading
from importlib import resources
from typing import Any

#: The recogniser, as it was published.
SCRIPT = "compromise.js"
COMPROMISE = "14.17.0"
#: Words that make no name by themselves: titles, and what letters begin and end with.
EMPTY = frozenset(
    {
        *("sir", "sirs", "madam", "mr", "mrs", "miss", "ms", "dr", "judge", "captain", "capt"),
        *("colonel", "col", "general", "gen", "rev", "reverend", "professor", "prof"),
        *("lieutenant", "secretary", "president", "chairman", "brother", "sister", "father"),
        *("mother", "uncle", "aunt", "cousin", "friend", "gentlemen"),
    }
)
#: What may stand around a name.
MARKS = " .,;:!?()[]{}\"'“”‘’«»*_-—|~"
_FIND = """
(function (text) {
  const found = nlp(text)
  const views = [found.people(), found.places(), found.organizations()]
  const told = []
  views.forEach(view => view.json({ offset: true }).forEach(one => {
    told.push([one.offset.start, one.offset.length, one.text])
  }))
  return JSON.stringify(told)
})
"""


#: Each thread has its own: a context may be used by the thread alone that made it.
_HERE = threading.local()


def _recogniser() -> Any:
    """Load the recogniser once for each thread; the context must outlive its function."""
    import quickjs

    if not hasattr(_HERE, "find"):
        context = quickjs.Context()
        context.eval("globalThis.self = globalThis")
        path = resources.files("consilience.experiments") / "assets" / SCRIPT
        context.eval(path.read_text(encoding="utf-8"))
        _HERE.context, _HERE.find = context, context.eval(_FIND)
    return _HERE.find


def entities(text: str) -> list[str]:
    r"""Find the names in a text, in the order in which they stand.

    Line breaks are blanks: what an engine takes for a paragraph does not matter. A name loses the
    punctuation around it and a possessive; a title alone is none.

    Examples
    --------
    >>> entities("Yesterday Josiah Whitcomb of\nPhiladelphia called on Mrs. Clara Gordon.")
    ['Josiah Whitcomb', 'Philadelphia', 'Mrs. Clara Gordon']
    """
    found = json.loads(_recogniser()(" ".join(text.split())))
    names, end = [], 0
    for start, length, name in sorted(found, key=lambda one: (one[0], -one[1])):
        bare = _bare(name)
        if start >= end and bare:
            names.append(bare)
            end = start + length
    return names


def _bare(name: str) -> str:
    """Take punctuation off the ends; give nothing where no capital is left, or only titles.

    Examples
    --------
    >>> _bare("Clara Gordon's,"), _bare("(St. Louis)"), _bare("Sir,"), _bare("o'clock")
    ('Clara Gordon', 'St. Louis', '', '')
    """
    words = name.strip(MARKS).split()
    bare = " ".join(words).removesuffix("'s").removesuffix("’s")
    meant = (word for word in words if word.strip(MARKS).lower() not in EMPTY)
    return bare if any(word.lstrip(MARKS)[:1].isupper() for word in meant) else ""
