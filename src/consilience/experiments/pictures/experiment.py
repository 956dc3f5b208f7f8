"""Pictures that people put into a tree of categories: precision and recall as distributions.

Santini's "Benchmarking without ground truth" lets five subjects put twenty pictures into a tree of
categories, takes shares of subjects for probabilities, and makes precision and recall random
quantities (§4); or holds a system's list against each subject's (§5). One picture of his study is
published, and no figure of a system. So there are two parts here:

- the published picture and a made-up study of the same size, on which every formula is computed, as
  printed and as meant (:mod:`consilience.experiments.pictures.small`);
- the same method on real people: 2,235 pictures of CIFAR-100 with five votes each, and two
  labellers for systems (:mod:`consilience.experiments.pictures.crowd`).
"""

from __future__ import annotations

from consilience.experiments.pictures import crowd as pictures_crowd
from consilience.experiments.pictures import crowd_told as pictures_crowd_told
from consilience.experiments.pictures import small as pictures_small
from consilience.experiments.pictures import small_told as pictures_small_told
from consilience.experiments.pictures.crowd import Crowd
from consilience.experiments.pictures.small import PICTURE, Small
from consilience.experiments.recorded import packages
from consilience.experiments.reproduced import Asked, Reproduced
from consilience.render.words import chance


def run(asked: Asked) -> Reproduced:
    """Compute both parts; ``size`` takes so many categories of the real pictures."""
    small = pictures_small.compute(asked)
    crowd = pictures_crowd.compute(asked)
    return Reproduced(
        name="pictures",
        title="Pictures that people see differently",
        headline=_headline(small, crowd),
        tables=(*pictures_small_told.tables(small), *pictures_crowd_told.tables(crowd)),
        findings=(*pictures_small_told.findings(small), *pictures_crowd_told.findings(crowd)),
        figures=(*pictures_small_told.figures(small), *pictures_crowd_told.figures(crowd)),
        notes=_notes(crowd, whole=asked.size is None),
        seed=asked.seed,
        versions=packages("consilience", "numpy", "scipy"),
        commands=(
            "consilience reproduce pictures",
            "consilience tree --tree pictures-tree.csv --assignments pictures-assignments.csv "
            "--results pictures-results.csv",
        ),
        data="one picture's answers are the paper's; the other 19, their answers and three systems "
        "are made up, in the size of the paper's study (bundled as examples). Real: 2,235 "
        "pictures of CIFAR-100 with five votes each, cleanlab/label-errors, commit 6d5d6b31, "
        "Apache-2.0 (bundled)",
    )


def _headline(small: Small, crowd: Crowd) -> str:
    ours = small.found.categorised.of(PICTURE)
    shares = ", ".join(f"{name} {ours[name]:.1f}" for name in ("people", "crowd", "city"))
    wrong = sum(not one.holds(one.printed) for one in small.formulas)
    assert crowd.fine.found is not None
    f1 = {one.name: one.means["f1"] for one in crowd.fine.found.standings}
    every = pictures_crowd_told.categories(crowd)
    model = sum(one.verdict == "model ahead" for one in every)
    return (
        f"The paper's picture gets {shares}; {wrong} of its formulas cannot hold as printed. On "
        f"{len(crowd.data.pictures):,} pictures whose label a model doubts, judged by five real "
        f"people each, the data set's labels (F1 {f1['data set']:.2f}) are ahead of the model's "
        f"guesses ({f1['model']:.2f}) with probability "
        f"{chance(pictures_crowd_told.ahead(crowd.fine))}; the model is ahead in {model} of "
        f"{len(every)} categories (with {pictures_crowd_told.SURE:g} or more)."
    )


def _notes(crowd: Crowd, *, whole: bool) -> tuple[str, ...]:
    notes = [
        "probabilities are shares of five answers, and pictures are taken as independent of each "
        "other",
        "an answer given becomes the given category, guessed the guessed one, both the lowest "
        "category that holds the two, neither the root (something else); other readings, neither "
        "as no answer among them, stand in a table",
        "the votes do not tell who cast them, so nothing is said of single workers",
    ]
    if not whole:
        notes.append(
            f"{len(crowd.data.categories)} categories were taken: superclasses hold only pictures "
            "that were labelled one of them"
        )
    return tuple(notes)
