"""Clean pages: texts set in print, grey on white, one column.

Typefaces of the kind that printers and typewriters used, from Debian's packages
``fonts-urw-base35`` and ``fonts-liberation``; Pillow finds them by their file names. A page is 1240
pixels wide and as high as its text asks for. Type has 32 to 36 pixels (the typewriter's, which
runs wide, 26 to 30): 8 points at the papers' 300 dpi, so that OCR takes about a second a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from consilience.errors import UsageError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from consilience.experiments.ocr.letters import Letter

#: What people call a typeface → its file.
FONTS = {
    "Bookman": "URWBookman-Light.otf",
    "Schoolbook": "C059-Roman.otf",
    "Palladio": "P052-Roman.otf",
    "Nimbus Roman": "NimbusRoman-Regular.otf",
    "Liberation Serif": "LiberationSerif-Regular.ttf",
    "typewriter": "NimbusMonoPS-Bold.otf",
}
WIDTH = 1240
MARGIN = 110
PAPER, INK = 255, 20


@dataclass(frozen=True, slots=True)
class Print:
    """How a page is set: typeface, size in pixels, space between lines as a multiple of it."""

    font: str
    size: int
    leading: float


def style(place: int, *, seed: int = 0) -> Print:
    """Choose how a page is set; typefaces are taken in turn.

    Examples
    --------
    >>> style(1).font, style(1) == style(1)
    ('Schoolbook', True)
    """
    import numpy as np

    rng = np.random.default_rng([seed, place, 2])
    font = list(FONTS)[place % len(FONTS)]
    size = int(rng.integers(32, 37)) - (6 if font == "typewriter" else 0)  # it runs wide
    return Print(font, size, float(rng.uniform(1.35, 1.6)))


def printed(letter: Letter, how: Print) -> NDArray[np.uint8]:
    """Set a text in print: a grey page.

    Lines of the head stand in the middle, those of the foot to the right; paragraphs are indented
    and broken where the next word would run over the margin.
    """
    import numpy as np
    from PIL import Image, ImageDraw

    font = _font(how)
    width = WIDTH - 2 * MARGIN
    lines = [(line, (width - font.getlength(line)) / 2) for line in letter.head]
    for paragraph in letter.paragraphs:
        lines += _broken(paragraph, font, width, indent=2 * how.size)
    lines += [(line, width - font.getlength(line) - how.size) for line in letter.foot]
    step = round(how.size * how.leading)
    page = Image.new("L", (WIDTH, 2 * MARGIN + step * len(lines)), PAPER)
    pen = ImageDraw.Draw(page)
    for row, (line, left) in enumerate(lines):
        pen.text((MARGIN + left, MARGIN + row * step), line, font=font, fill=INK)
    return np.asarray(page)


def _font(how: Print) -> Any:
    from PIL import ImageFont

    try:
        return ImageFont.truetype(FONTS[how.font], how.size)
    except OSError as error:
        raise UsageError(
            f"the typeface {FONTS[how.font]} was not found (fix: install fonts; Debian: apt-get "
            "install fonts-urw-base35 fonts-liberation)"
        ) from error


def _broken(text: str, font: Any, width: float, *, indent: float) -> list[tuple[str, float]]:
    """Break a paragraph into lines, each with the place of its left end."""
    lines, words, left = [], list[str](), indent
    for word in text.split():
        if words and left + font.getlength(" ".join([*words, word])) > width:
            lines.append((" ".join(words), left))
            words, left = [], 0.0
        words.append(word)
    return [*lines, (" ".join(words), left)]
