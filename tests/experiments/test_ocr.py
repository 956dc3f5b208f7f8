"""The stages of the OCR pipelines, each against a twin or a page whose answer is known."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from consilience.errors import ConsilienceError, UsageError
from consilience.experiments import recorded
from consilience.experiments.ocr import binarize, degrade, engines, names, pages, segment, stages
from consilience.experiments.ocr.entities import COMPROMISE, SCRIPT, entities
from consilience.experiments.ocr.letters import WORDS, letter
from consilience.experiments.ocr.sentences import GENRES

ASSETS = resources.files("consilience.experiments") / "assets"


@cache
def photographed(place: int) -> NDArray[np.uint8]:
    return stages.photographed(place)


def clean(place: int) -> NDArray[np.uint8]:
    return pages.printed(letter(place), pages.style(place))


def test_texts_are_many_and_different() -> None:
    texts = [letter(place) for place in range(stages.PAGES)]
    assert {one.genre for one in texts} == {*GENRES}
    assert all(WORDS[0] <= len(one.words) <= WORDS[1] + 30 for one in texts)
    assert not any(re.search(r"[\[\]{}|]", one.text) for one in texts)
    sentences = [s for one in texts for p in one.paragraphs for s in re.split(r"(?<=\.) ", p)]
    long = [sentence for sentence in sentences if len(sentence.split()) > 8]
    assert len(long) > 400
    assert len({*long}) > 0.97 * len(long)
    assert letter(3, seed=1) != letter(3)


def test_lists_of_names_are_long_and_have_no_doubles() -> None:
    for listed, least in (
        ((*names.MEN, *names.WOMEN), 150),
        (names.SURNAMES, 300),
        (names.PLACES, 200),
    ):
        assert len({*listed}) == len(listed) >= least
    assert not names.LANDS - {*names.PLACES}


def test_pages_wear_as_their_state_says() -> None:
    shown = {}
    for place in range(3):
        worn = degrade.wear(place)
        for name, (low, high) in degrade.STATES[worn.state].items():
            assert low - 1e-3 <= worn.strength[name] <= high + 1e-3
        shown[worn.state] = photographed(place)
    worn = degrade.wear(2)
    one, other = (
        degrade.degraded(clean(0)[:150], clean(1)[:150], worn, np.random.default_rng(7))
        for _ in range(2)
    )
    assert (one == other).all()
    # light is lost from state to state, and with it the range between ink and paper
    light = [np.percentile(shown[state], 80) for state in degrade.STATES]
    assert light == sorted(light, reverse=True)
    assert shown["good"].shape == clean(0).shape


def otsu(page: NDArray[np.uint8]) -> int:
    """Try all thresholds; the best one has the largest variance between the two classes."""
    best, found = -1.0, 0
    for at in range(255):
        low, high = page[page <= at], page[page > at]
        if len(low) and len(high):
            apart = len(low) * len(high) * (low.mean() - high.mean()) ** 2
            if apart > best:
                best, found = apart, at
    return found


def test_binarizations_are_those_of_the_papers() -> None:
    page = photographed(1)[200:420, 200:520]
    ink = {name: binarize.binarized(page, name) for name in binarize.BINARIZATIONS}
    assert (ink["otsu"] == (page <= otsu(page))).all()
    rows, columns = 110, 160  # windows that lie within the page: borders are the programs' own
    half, grey = binarize.WINDOW // 2, page.astype(float)
    deviations = [
        grey[r - half : r + half + 1, c - half : c + half + 1].std()
        for r in range(half, page.shape[0] - half, 4)
        for c in range(half, page.shape[1] - half, 4)
    ]
    agree = {"sauvola": 0, "wolf": 0}
    spots = [(rows + dr, columns + dc) for dr in range(-30, 30, 2) for dc in range(-60, 60, 2)]
    for r, c in spots:
        window = grey[r - half : r + half + 1, c - half : c + half + 1]
        mean, spread = window.mean(), window.std()
        sauvola = mean * (1 + 0.2 * (spread / 128 - 1))
        wolf = mean - 0.5 * (1 - spread / max(deviations)) * (mean - grey.min())
        agree["sauvola"] += ink["sauvola"][r, c] == (grey[r, c] <= sauvola)
        agree["wolf"] += ink["wolf"][r, c] == (grey[r, c] <= wolf)
    assert min(agree.values()) > 0.98 * len(spots)
    with pytest.raises(ConsilienceError, match="sauvola"):
        binarize.binarized(page, "sauvolla")


def test_runs_are_filled_as_a_slow_twin_fills_them() -> None:
    rng = np.random.default_rng(3)
    ink = rng.random((20, 60)) < 0.15
    slow = ink.copy()
    for row in range(len(ink)):
        at = np.flatnonzero(ink[row])
        for a, b in pairwise(at.tolist()):
            if b - a - 1 <= 6:
                slow[row, a:b] = True
    assert (segment._filled(ink, 6) == slow).all()


@pytest.mark.parametrize("method", ["profile", "smeared"])
def test_lines_of_a_clean_page_are_found(method: str) -> None:
    for place in (0, 1, 5):
        ink = clean(place) < 128
        found = segment.by_profile(ink) if method == "profile" else segment.by_smearing(ink)
        tops = [rows.start for rows, _ in found]
        style = pages.style(place)
        step = round(style.size * style.leading)
        lines = (ink.shape[0] - 2 * pages.MARGIN) // step
        at = [(top - pages.MARGIN + 2) // step for top in tops]
        # every printed line once; the profile may miss one with a single short word ("Sir:")
        assert len({*at}) == len(at) >= lines - (method == "profile")
        assert at == sorted(at)
        assert {*at} <= {*range(lines)}
        assert sum(ink[box].sum() for box in found) > 0.97 * ink.sum()


def test_blots_are_cut_and_specks_left_out() -> None:
    page = np.zeros((600, 400), dtype=bool)
    page[::37, ::41] = True  # specks all over
    for top in range(100, 400, 50):
        page[top : top + 28, 40:360] = True
    page[100:378, 200:204] = True  # a pen stroke through all lines
    found = segment.by_smearing(page)
    assert [round(rows.start / 50) for rows, _ in found] == [2, 3, 4, 5, 6, 7]
    assert segment.segmented(np.zeros((50, 50), dtype=bool), "smeared") == []


def test_engines_read_a_clean_page() -> None:
    ink = clean(1)[:330] < 128
    truth = letter(1).words[:20]
    for engine, least in (("tesseract", 19), ("ocrad", 14)):
        read = engines.recognised([ink], engine, layout="block").split()
        assert len({*read} & {*truth}) >= least - (20 - len({*truth})), (engine, read)
        assert re.match(r"\d+\.\d+", engines.version(engine))
    speck = ink.copy()
    speck[0, :8] = False, False, True, False, False, False, False, False  # a blank as a byte
    assert len({*engines.recognised([speck], "tesseract", layout="block").split()} & {*truth}) > 15
    lines = segment.segmented(ink, "profile")
    read = engines.recognised(lines, "tesseract", layout="lines").split()
    assert read[:4] == truth[:4]
    assert engines.recognised([], "ocrad", layout="lines") == ""


def test_what_engines_cannot_do_is_said() -> None:
    with pytest.raises(ConsilienceError, match="tesseract"):
        engines.recognised([np.ones((9, 9), dtype=bool)], "teseract", layout="page")
    with pytest.raises(UsageError, match="not installed"):
        engines.asked(["no-such-program"])
    with pytest.raises(UsageError, match="ocrad failed"):
        engines.asked(["ocrad", "no-such-file.pbm"])


def test_a_crash_costs_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that divides by zero on the second of three lines has read the other two."""

    def crashing(command: Sequence[str]) -> str:
        marked = Path(command[-1]).parent / "0000.png"
        lines = len([*marked.parent.glob("*.png")])
        with Image.open(marked) as image:
            width = image.size[0]
        if lines > 1 or width == 9:
            return engines_asked(["sh", "-c", "kill -FPE $$"])
        return str(width)

    engines_asked = engines.asked
    monkeypatch.setattr(engines, "asked", crashing)
    lines = [np.ones((5, width), dtype=bool) for width in (7, 9, 8)]
    assert engines.recognised(lines, "ocrad", layout="lines").split() == ["7", "8"]
    assert engines.recognised(lines[1:2], "ocrad", layout="page") == ""


def test_the_recogniser_is_the_published_one() -> None:
    table = (ASSETS / "README.md").read_text(encoding="utf-8")
    digest = hashlib.sha256((ASSETS / SCRIPT).read_bytes()).hexdigest()
    assert f"| {COMPROMISE} |" in table
    assert f"`{digest}`" in table
    assert "MIT License" in (ASSETS / "LICENSE").read_text(encoding="utf-8")


def test_names_are_found_in_order_and_in_any_thread() -> None:
    text = "Clara Gordon of Boston wrote to Seth Underwood. Seth Underwood is in Chicago, Sir."
    wanted = ["Clara Gordon", "Boston", "Seth Underwood", "Seth Underwood", "Chicago"]
    assert entities(text) == wanted
    with ThreadPoolExecutor(2) as pool:
        assert [*pool.map(entities, [text, text])] == [wanted, wanted]
    assert entities("") == []


def test_a_process_that_looked_for_names_ends() -> None:
    code = "from consilience.experiments.ocr.entities import entities; entities('Boston')"
    done = subprocess.run([sys.executable, "-c", code], timeout=60, check=False)
    assert done.returncode == 0


def test_there_are_24_pipelines_and_engines_take_turns() -> None:
    assert len({one.name for one in stages.PIPELINES}) == 3 * 4 * 2
    assert [one.engine for one in stages.PIPELINES] == [*engines.ENGINES] * 12
    assert {*stages.THREE} < {*stages.PIPELINES}


def test_the_recording_is_of_these_pages() -> None:
    """What was recorded as truth is what the generator still writes."""
    output = recorded.load("pipelines").output
    told = [one["name"] for one in output["pipelines"]]
    assert told == [one.name for one in (*stages.PIPELINES, *stages.BESIDE)]
    assert len(output["pages"]) == stages.PAGES
    for place, page in enumerate(output["pages"]):
        assert page["truth"]["words"].split() == letter(place).words
        assert (page["state"], page["font"]) == (
            degrade.wear(place).state,
            pages.style(place).font,
        )
        assert [*page["read"]] == told
    for place in (0, 31):
        page = output["pages"][place]
        assert entities(letter(place).text) == page["truth"]["entities"]
        read = page["read"]["sauvola · layout · tesseract"]
        assert entities(read["words"]) == read["entities"]
