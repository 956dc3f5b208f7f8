"""What time and cameras do to a page: light, bleed-through, stains, fading, marks, blur, noise.

The papers name "uneven illumination, bleeding-through, handwritten marks, etc." A page is made up
of ink and paper, each changed where it changes on a real sheet, in the order in which it happened:

1. the ink fades in patches;
2. somebody writes on the sheet with a pen (strokes, underlines, a flourish over the text);
3. the back of the sheet shines through: another page, mirrored and blurred;
4. the paper yellows unevenly and gets stains with dark rims;
5. the sheet is photographed: turned a little, lit from one side with a dark corner or a gutter,
   out of focus a little, with the sensor's noise.

A page is in a *good*, *fair* or *poor* state, in turn; the state sets the range that the strength
of each is drawn from (`STATES`). The ranges were chosen by looking at the pages, once, before any
degraded page was read, and not changed after.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

#: What is drawn for a page in each state, evenly between two ends: how much ink is lost where it
#: faded most; the share of the back that shines through; how much light is lost in the darkest
#: corner; how dark stains are, and how many; pen strokes; blur and noise (standard deviations).
STATES = {
    "good": {
        "fading": (0.05, 0.3),
        "bleed": (0.0, 0.15),
        "shade": (0.1, 0.35),
        "stain": (0.0, 0.15),
        "stains": (0, 2),
        "strokes": (0, 2),
        "blur": (0.5, 0.8),
        "noise": (3.0, 6.0),
    },
    "fair": {
        "fading": (0.2, 0.5),
        "bleed": (0.1, 0.3),
        "shade": (0.3, 0.55),
        "stain": (0.1, 0.3),
        "stains": (1, 4),
        "strokes": (1, 4),
        "blur": (0.6, 1.0),
        "noise": (4.0, 9.0),
    },
    "poor": {
        "fading": (0.4, 0.7),
        "bleed": (0.2, 0.4),
        "shade": (0.5, 0.75),
        "stain": (0.2, 0.45),
        "stains": (2, 6),
        "strokes": (2, 6),
        "blur": (0.8, 1.2),
        "noise": (6.0, 12.0),
    },
}
#: How dark a clean sheet and fresh ink are, from 0 (black) to 1.
PAPER, INK = 0.88, 0.16


@dataclass(frozen=True, slots=True)
class Wear:
    """The state of a page, and the strengths that were drawn for it."""

    state: str
    strength: dict[str, float]


def wear(place: int, *, seed: int = 0) -> Wear:
    """Draw what happened to a page.

    Examples
    --------
    >>> [wear(place).state for place in range(4)]
    ['good', 'fair', 'poor', 'good']
    """
    import numpy as np

    rng = np.random.default_rng([seed, place, 3])
    state = list(STATES)[place % len(STATES)]
    drawn: dict[str, float] = {}
    for name, (low, high) in STATES[state].items():
        if name in ("stains", "strokes"):
            drawn[name] = int(rng.integers(int(low), int(high), endpoint=True))
        else:
            drawn[name] = rng.uniform(low, high)
    return Wear(state, {name: round(float(value), 3) for name, value in drawn.items()})


def degraded(
    page: NDArray[np.uint8], back: NDArray[np.uint8], worn: Wear, rng: Generator
) -> NDArray[np.uint8]:
    """Give the page as it is photographed after all of it.

    Parameters
    ----------
    page, back
        The clean page, and the one on the back of the sheet.
    worn
        What happened to it.
    rng
        Where and how, by chance.
    """
    import numpy as np
    from scipy import ndimage

    how = worn.strength
    ink = 1.0 - page / 255.0
    ink *= 1.0 - how["fading"] * _patches(ink.shape, rng, scale=160)
    ink = np.maximum(ink, _strokes(page.shape, rng, int(how["strokes"])))
    behind = ndimage.gaussian_filter(1.0 - _fitted(back, page.shape)[:, ::-1] / 255.0, 2.0)
    behind *= how["bleed"] * (0.5 + 0.5 * _patches(ink.shape, rng, scale=220))
    paper = PAPER * (1.0 - 0.08 * _patches(ink.shape, rng, scale=90))
    paper *= 1.0 - _stains(ink.shape, rng, int(how["stains"])) * how["stain"]
    # ink lets through the light that its share leaves, and the back likewise
    seen = paper * (1.0 - (1.0 - INK / PAPER) * np.clip(ink, 0, 1)) * (1.0 - behind)
    seen = ndimage.rotate(
        seen, rng.uniform(-0.6, 0.6), reshape=False, order=1, mode="nearest", prefilter=False
    )
    seen *= _light(ink.shape, rng, how["shade"])
    seen = ndimage.gaussian_filter(seen, how["blur"])
    seen += rng.normal(0.0, how["noise"] / 255.0, seen.shape)
    return np.clip(np.rint(seen * 255.0), 0, 255).astype(np.uint8)


def _patches(shape: tuple[int, ...], rng: Generator, *, scale: float) -> NDArray[np.float64]:
    """Give a smooth random field from 0 to 1, whose patches are about so many pixels wide."""
    import numpy as np
    from scipy import ndimage

    coarse = 8  # drawn small and enlarged: the same look, a sixtieth of the work
    small = rng.normal(size=(shape[0] // coarse + 2, shape[1] // coarse + 2))
    field = ndimage.gaussian_filter(small, scale / coarse / 2, mode="reflect")
    field = (field - field.min()) / (field.max() - field.min())
    return np.asarray(ndimage.zoom(field, coarse, order=1)[: shape[0], : shape[1]])


def _fitted(back: NDArray[np.uint8], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """Cut or fill the back so that it is as high as the front."""
    import numpy as np

    full = np.full(shape, 255, dtype=np.uint8)
    high, wide = min(back.shape[0], shape[0]), min(back.shape[1], shape[1])
    full[:high, :wide] = back[:high, :wide]
    return full


def _strokes(shape: tuple[int, ...], rng: Generator, count: int) -> NDArray[np.float64]:
    """Draw pen strokes: underlines, ticks and flourishes, thick and thin as a pen makes them."""
    import numpy as np
    from PIL import Image, ImageDraw

    sheet = Image.new("L", (shape[1], shape[0]), 0)
    pen = ImageDraw.Draw(sheet)
    along = np.linspace(0.0, 1.0, 240)
    for _ in range(count):
        left, top = rng.uniform(0.05, 0.7) * shape[1], rng.uniform(0.08, 0.92) * shape[0]
        long = rng.uniform(0.1, 0.45) * shape[1]
        turns, sway = rng.uniform(0.3, 6.0), rng.uniform(3.0, 45.0)
        x = left + long * along + sway * np.cos(2 * np.pi * turns * along)
        y = top + sway * np.sin(2 * np.pi * turns * along) + rng.uniform(-0.1, 0.1) * long * along
        press = 1.5 + 1.5 * (1.0 + np.sin(2 * np.pi * turns * along + 1.0)) / 2
        shade = int(rng.uniform(120, 220))
        for a, b, c, d, w in zip(x, y, x[1:], y[1:], press, strict=False):
            pen.line((a, b, c, d), fill=shade, width=round(w))
    return np.asarray(sheet) / 255.0


def _stains(shape: tuple[int, ...], rng: Generator, count: int) -> NDArray[np.float64]:
    """Give blots from 0 to 1, darker at their rims, as water and tea leave them."""
    import numpy as np

    rows, columns = np.ogrid[: shape[0], : shape[1]]
    blots = np.zeros(shape)
    rough = _patches(shape, rng, scale=60)
    for _ in range(count):
        y, x = rng.uniform(0, shape[0]), rng.uniform(0, shape[1])
        high, wide = rng.uniform(60, 320, size=2)
        far = np.sqrt(((rows - y) / high) ** 2 + ((columns - x) / wide) ** 2) + 0.5 * (rough - 0.5)
        inside = 1.0 / (1.0 + np.exp(np.clip((far - 1.0) * 25.0, -50, 50)))
        rim = np.exp(-(((far - 0.96) / 0.05) ** 2))
        blots = np.maximum(blots, np.clip(0.7 * inside + 0.5 * rim, 0, 1))
    return blots


def _light(shape: tuple[int, ...], rng: Generator, shade: float) -> NDArray[np.float64]:
    """Give the light on every pixel: falling off to one side, with a dark corner or a gutter."""
    import numpy as np

    rows = np.linspace(-1, 1, shape[0])[:, None]
    columns = np.linspace(-1, 1, shape[1])[None, :]
    turn = rng.uniform(0, 2 * np.pi)
    slope = (np.cos(turn) * columns + np.sin(turn) * rows + 1.5) / 3.0
    corner = rng.uniform(-1, 1, size=2)
    far = np.hypot(rows - np.sign(corner[0]), columns - np.sign(corner[1])) / 2.83
    gutter = np.exp(-(1.0 + np.sign(corner[1]) * columns) / 0.12) * rng.uniform(0, 0.7)
    dark = 0.55 * np.clip(slope, 0, 1) + 0.45 * (1.0 - far) ** 2
    return np.asarray(1.0 - shade * np.clip(dark / dark.max() + gutter, 0, 1))
