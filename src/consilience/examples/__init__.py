"""Small data sets that come with the package, to try things out on."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from consilience.errors import unknown

if TYPE_CHECKING:
    from consilience.study import Study

#: Data set → its answers and its truth (None: the answers' file says what is relevant).
STUDIES = {
    "airplanes": ("airplanes.csv", None),
    "keyphrases": ("keyphrases.csv", "keyphrases-gold.csv"),
}


def example(name: str) -> Path:
    """Give the path of a bundled file.

    Examples
    --------
    >>> example("airplanes.csv").read_text().splitlines()[:2]
    ['item,score,relevant', 'image-01,1.0,1']
    """
    folder = Path(str(resources.files(__name__)))
    files = sorted(path.name for path in folder.glob("*.csv"))
    if name not in files:
        raise unknown("example", name, files)
    return folder / name


def example_study(name: str = "keyphrases") -> Study:
    """Read a bundled data set.

    Examples
    --------
    >>> example_study("keyphrases")
    <Study: 8 systems, 60 queries, 2,924 items, 4,660 answers, truth complete>
    """
    from consilience.study import read

    if name not in STUDIES:
        raise unknown("example", name, list(STUDIES))
    answers, truth = STUDIES[name]
    return read(example(answers), truth=[example(truth)] if truth else ())
