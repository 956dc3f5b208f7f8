"""OCR engines: Debian's Tesseract, a recurrent network, and GNU Ocrad, which measures shapes.

Both are programs that read images from files and write text. They are given black and white images,
so that the binarization is the pipeline's own, and a language or character set; everything else is
as they come. An engine is asked in one of three ways: to find the layout of a page by itself, to
take the page for one block, or to read a number of images one after another, each a line.

Programs have bugs: where an engine crashes on an image it has read nothing there, and the other
lines of the page are read without that one. (Tesseract 5.3 divides by zero on one of the lines that
were cut out of the recorded pages.) Where it says that something is wrong, the stage ends.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal

from consilience.errors import UsageError, unknown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: How images are to be read.
Layout = Literal["page", "block", "lines"]
ENGINES = ("tesseract", "ocrad")
#: A page that takes longer than this many seconds is given up.
PATIENCE = 120
#: Tesseract's page segmentation modes: automatic, a single uniform block, a single line.
_MODES = {"page": "3", "block": "6", "lines": "7"}


class CrashError(Exception):
    """A program was ended by the system, not by itself."""


def recognised(images: Sequence[NDArray[np.bool_]], engine: str, *, layout: Layout) -> str:
    """Read images, True where there is ink, and give the text; no image gives no text.

    Parameters
    ----------
    images
        One page, or its lines in reading order (``layout="lines"``).
    engine
        One of `ENGINES`.
    layout
        How they are to be read.
    """
    if engine not in ENGINES:
        raise unknown("OCR engine", engine, ENGINES)
    if not images:
        return ""
    with TemporaryDirectory(prefix="consilience-") as name:
        folder = Path(name)
        files = [_written(image, folder / f"{at:04}.png") for at, image in enumerate(images)]
        tesseract = engine == "tesseract"
        command = _tesseract(files, layout, folder) if tesseract else _ocrad(files, layout)
        try:
            return asked(command)
        except CrashError:
            parts = images if len(images) > 1 else ()
    return "\n".join(recognised([image], engine, layout=layout) for image in parts)


def _tesseract(files: list[str], layout: Layout, folder: Path) -> list[str]:
    source = files[0]
    if layout == "lines":  # a text file of names makes one process read them all
        source = str(folder / "lines.txt")
        Path(source).write_text("\n".join(files) + "\n", encoding="utf-8")
    return ["tesseract", source, "stdout", "-l", "eng", "--dpi", "300", "--psm", _MODES[layout]]


def _ocrad(files: list[str], layout: Layout) -> list[str]:
    return ["ocrad", "-F", "utf8", *(["-l"] if layout == "page" else []), *files]


def _written(image: NDArray[np.bool_], path: Path) -> str:
    """Write a black and white image.

    As PNG: of a raw PBM, Leptonica drops the first pixels where they look like a blank.
    """
    from PIL import Image

    Image.fromarray(~image).save(path)
    return str(path)


def asked(command: Sequence[str]) -> str:
    """Run a program and give what it writes; one thread, because pages run side by side."""
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            env=os.environ | {"OMP_THREAD_LIMIT": "1"},
        )
    except FileNotFoundError as error:
        raise UsageError(
            f"{command[0]} is not installed (fix: Debian: apt-get install tesseract-ocr ocrad)"
        ) from error
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"{command[0]} took longer than {PATIENCE} s for a page") from error
    if done.returncode < 0:
        raise CrashError(f"{command[0]}: signal {-done.returncode}")
    if done.returncode != 0:
        told = done.stderr.decode(errors="replace").strip().splitlines()
        raise UsageError(f"{command[0]} failed: {told[-1] if told else done.returncode}")
    return done.stdout.decode("utf-8", errors="replace")


def version(engine: str) -> str:
    """Ask an engine for its version."""
    found = re.search(r"\d+\.\d+[.\w-]*", asked([engine, "--version"]))
    return found[0] if found else "unknown"
