"""Three binarizations of degraded pages, read by OCR: names found, with truth and without.

Lamiroy and Sun ([1]_, Tables 6 to 8; again in [2]_, Tables 4 to 6) binarized 60 historical images
by Otsu, Sauvola and Wolf, read them with Tesseract and looked for named entities. With typed truth
Sauvola and Wolf beat Otsu; without truth the consensus of the three said the same, as a bag of
words (Method I) and aligned (Method II).

Their images were not published. Here 60 pages are printed and degraded
(:mod:`consilience.experiments.ocr`), so that the truth is exact; binarizations and OCR are real.
Stanford's recogniser of entities is replaced by ``compromise``. The readings are part of those of
the 24 pipelines and were recorded together (``recorded/pipelines.json.gz``).

References
----------
.. [1] B. Lamiroy and T. Sun, "Precision and Recall Without Ground Truth", GREC 2011.
.. [2] B. Lamiroy and T. Sun, "Computing Precision and Recall with Missing or Uncertain Ground
   Truth", LNCS 7423, 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from consilience import progress
from consilience.experiments import recorded
from consilience.experiments.binarization import measured as by
from consilience.experiments.ocr import stages
from consilience.experiments.reproduced import Asked, Reproduced

if TYPE_CHECKING:
    from collections.abc import Mapping

    from consilience.experiments.binarization.measured import Measured, Readings

#: The recording that holds the readings, and those of 21 more pipelines.
RECORDED = "pipelines"
#: The pipelines of the papers, by their only difference.
NAMES = {one.name: one.binarization for one in stages.THREE}
BESIDE = {one.name: one.binarization for one in stages.BESIDE}
OTSU, SAUVOLA, WOLF = NAMES.values()
#: What the papers print: way → pipeline → precision, recall. ⊥'s precision is printed as ∞.
PAPER: dict[str, dict[str, tuple[float | None, float]]] = {
    by.TRUTH: {OTSU: (0.6223, 0.5915), SAUVOLA: (0.7715, 0.7281), WOLF: (0.7533, 0.7230)},
    by.BAG: {
        "⊤": (0.4000, 1.0),
        OTSU: (0.6327, 0.5153),
        SAUVOLA: (0.6757, 0.5660),
        WOLF: (0.6722, 0.5662),
        "⊥": (None, 0.0),
    },
    by.ALIGNED: {
        "⊤": (0.5733, 1.0),
        OTSU: (0.6035, 0.6550),
        SAUVOLA: (0.6450, 0.6988),
        WOLF: (0.6416, 0.6957),
        "⊥": (None, 0.0),
    },
}

#: The slow stage: these pipelines only, with the constants exchanged beside them.
record = partial(stages.record, pipelines=(*stages.THREE, *stages.BESIDE))


@dataclass(frozen=True, slots=True)
class Everything:
    """All that tables, findings and figures are made of.

    ``beside`` are Sauvola and Wolf with each other's constant, ``exchanged`` the ways of measuring
    applied to these two and Otsu (empty where they were not read).
    """

    entities: Readings
    words: Readings
    beside: Readings
    states: Mapping[str, tuple[str, ...]]
    ways: Mapping[str, Measured]
    exchanged: Mapping[str, Measured]
    columns: Measured
    rules: Mapping[str, Mapping[str, Mapping[str, float]]]
    added: int
    wide: Measured

    @property
    def pages(self) -> int:
        """The number of pages."""
        return len(self.entities.truth)


def run(asked: Asked) -> Reproduced:
    """Measure the three pipelines with truth and without, and lay the papers' figures beside."""
    from consilience.experiments.binarization.figures import figures
    from consilience.experiments.binarization.findings import findings, headline, notes
    from consilience.experiments.binarization.tables import tables
    from consilience.render.words import CAVEAT

    recording = record(asked) if asked.again else recorded.load(RECORDED)
    found = everything(recording.output, asked)
    return Reproduced(
        name="binarization",
        title="Three binarizations, with truth and without",
        headline=headline(found),
        tables=tables(found),
        findings=findings(found),
        figures=figures(found),
        notes=(*notes(found), *NOTES),
        caveat=f"Methods I and II: {CAVEAT}",
        seed=asked.seed,
        versions=recorded.packages("consilience", "numpy", "scipy"),
        stages=(recording.stage(),),
        commands=(
            "consilience reproduce binarization",
            "consilience reproduce binarization --again --size 6",
            "python -m consilience.experiments.pipelines pipelines",
            "consilience rank pipelines/three.json --truth pipelines/truth.csv -m F1 -m P -m R",
            "consilience rank pipelines/three.json --belief consensus -m F1 -m P -m R --virtual",
        ),
        data=f"{found.pages} {DATA}",
    )


def everything(output: Mapping[str, Any], asked: Asked) -> Everything:
    """Compute all figures from what pipelines read."""
    entities = _readings(stages.entities(output, NAMES, size=asked.size), NAMES)
    states: dict[str, tuple[str, ...]] = {}
    for page in output["pages"][: asked.size]:
        states[page["state"]] = (*states.get(page["state"], ()), page["name"])
    there = {one["name"] for one in output["pipelines"]}
    beside = {name: label for name, label in BESIDE.items() if name in there}
    ways = {}
    for done, way in enumerate(by.WAYS, 1):
        ways[way] = by.measured(entities, way, seed=asked.seed)
        progress.report(done, len(by.WAYS) + 2)
    beside_read = _readings(stages.entities(output, beside, size=asked.size), beside)
    added = by.added_for(entities, float(PAPER[by.BAG]["⊤"][0] or 0))
    return Everything(
        entities,
        _readings(stages.words(output, NAMES, size=asked.size), NAMES),
        beside_read,
        states,
        ways,
        _exchanged(entities, beside_read, asked),
        by.measured(entities, by.ALIGNED, seed=asked.seed, per="column"),
        {way: by.by_rule(entities, way) for way in by.WAYS},
        added,
        by.widened(entities, added),
    )


def _readings(found: dict[str, dict[str, list[str]]], names: Mapping[str, str]) -> Readings:
    truth = found.pop(stages.TRUTH)
    return by.Readings({names[name]: pages for name, pages in found.items()}, truth)


def _exchanged(entities: Readings, beside: Readings, asked: Asked) -> dict[str, Measured]:
    """Measure Otsu beside Sauvola and Wolf with each other's constant."""
    if not beside.read:
        return {}
    three = by.Readings({OTSU: entities.read[OTSU], **beside.read}, entities.truth)
    return {way: by.measured(three, way, seed=asked.seed) for way in by.WAYS}


def f_of(precision: float, recall: float) -> float:
    """Give F of a precision and a recall (the papers print no F).

    Examples
    --------
    >>> round(f_of(0.5, 1.0), 4)
    0.6667
    """
    return 2 * precision * recall / (precision + recall)


DATA = (
    "pages made for this project with a seed: texts in the manner of letters and official "
    "papers of the nineteenth century, printed in six typefaces and degraded (uneven light, "
    "bleed-through, stains, fading, pen strokes, blur, noise); the papers' images of the Library "
    "of Congress and their typed truth were not published. Binarizations by doxapy, OCR by "
    "Tesseract, entities by compromise (MIT, carried by the package). Real scans: texts of "
    "qurator-spk/dinglehopper, commit 1efb382a, Apache-2.0"
)
NOTES = (
    "the papers' recogniser of entities (Stanford) is replaced by compromise, which goes by lists "
    "and rules; the papers do not tell what their entities were compared by: here the text of a "
    "name counts, not its kind",
    "the entities of the truth are those that the same recogniser finds in the printed text, so "
    "that only what binarization and OCR did is measured",
    "averages are over pages; a page where a pipeline found no entity has no precision (0/0) and "
    "is left out of that average. Intervals draw the pages anew (2,000 times, 95 %)",
    "the degradations were chosen by looking at pages, once, before any was read",
    "the pages are made, not scanned; page images with truth exist (DIBCO's for binarization, "
    "newspapers with corrected text) and are not used here. Real scans enter as texts of OCR "
    "engines only, without binarizations",
)
