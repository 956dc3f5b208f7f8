"""Pages, binarizations, segmentations, OCR engines and named entities: stages of a pipeline.

Lamiroy and Sun ran document pipelines on 60 historical images of the Library of Congress. Neither
the images nor the typed truth were published, so pages of the same kind are made here: letters and
official papers (:mod:`~consilience.experiments.ocr.letters`), printed
(:mod:`~consilience.experiments.ocr.pages`) and degraded
(:mod:`~consilience.experiments.ocr.degrade`). From there on everything is real: the binarizations
(:mod:`~consilience.experiments.ocr.binarize`), the segmentations
(:mod:`~consilience.experiments.ocr.segment`), the OCR engines
(:mod:`~consilience.experiments.ocr.engines`) and the recogniser of names
(:mod:`~consilience.experiments.ocr.entities`).
:mod:`~consilience.experiments.ocr.stages` runs them all and says how the outcome is recorded.
"""
