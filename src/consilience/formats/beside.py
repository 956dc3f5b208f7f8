"""Files that come with a folder and answer nothing: a README, a licence, a Makefile, a script."""

from __future__ import annotations

import re
from pathlib import Path

#: What files are called that say something of a folder.
_BESIDE = re.compile(
    r"(readme|licen[cs]e|copying|notes?|notice|changelog|changes|authors|contributing|citation|"
    r"makefile|dockerfile|requirements|thumbs|desktop|todo)([-_.].*)?",
    re.IGNORECASE,
)
#: Endings of such files.
_ABOUT = (
    *("", "md", "rst", "txt", "cff", "in", "toml", "cfg", "ini", "yml", "yaml", "db", "html"),
    *("pdf", "docx"),
)


#: Endings of files that hold no answers where they lie beside others.
_CODE = ("md", "rst", "py", "sh", "r", "ipynb", "log", "html", "htm", "tex", "pdf", "yml", "yaml")


def is_beside(name: str) -> bool:
    """Tell whether a file says something of its folder, and answers nothing.

    Examples
    --------
    >>> [is_beside(name) for name in ("README.md", "LICENSE", "Makefile", "notes.txt", "note.run")]
    [True, True, True, True, False]
    """
    return _BESIDE.fullmatch(name) is not None and ending_of(name) in _ABOUT


def ending_of(name: str) -> str:
    """Return the ending of a name, in lower case."""
    return name.rpartition(".")[2].lower() if "." in name else ""


def inside(folder: Path) -> list[Path]:
    """Return the files of a folder that may hold answers, in a fixed order."""
    return _parted(folder)[0]


def left_out(folder: Path) -> list[str]:
    """Return the names of files that say something of their folder."""
    return [one.name for one in _parted(folder)[1]]


def folders_in(folder: Path) -> list[Path]:
    """Return the folders in a folder that hold files, in a fixed order."""
    folders = sorted(one for one in folder.iterdir() if one.is_dir())
    return [one for one in folders if not one.name.startswith((".", "__")) and inside(one)]


def _parted(folder: Path) -> tuple[list[Path], list[Path]]:
    """Return the files that may hold answers, and those that come with them."""
    files = sorted(one for one in folder.iterdir() if one.is_file())
    files = [one for one in files if not one.name.startswith(".")]
    kept = [one for one in files if not is_beside(one.name)]
    answers = [one for one in kept if ending_of(one.name) not in _CODE] or kept
    return answers, [one for one in files if one not in answers]
