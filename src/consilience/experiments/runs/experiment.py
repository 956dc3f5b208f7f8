"""All runs of a search evaluation, ranked with judgments, without them, and with a few.

Lamiroy & Sun say that a ranking without truth is comparable to one with it (§1), consistent in its
tiers but not the same (§4.3), and close with the hope that larger experiments will tell how far the
two are apart (§6) [1]_. This is one: the 143 runs of TREC-COVID's first round on 30 topics, with
8,691 judgments. By judgments runs are scored by average precision (AP) and P@10; without them by
the same measures against what each method believes. *With a few* means that labels are hidden,
drawn as ``consilience next`` draws them, looked up, and given to ``consilience rank``.

Conventions: documents that were not judged count as not relevant, as trec_eval has it; lists are
cut after 100 answers, so AP is lower than that of whole runs, and the first may be other ones. The
part with a few labels is about judged answers only: of every list the first ten that were judged.

References
----------
.. [1] B. Lamiroy and T. Sun, "Computing precision and recall with missing or uncertain ground
   truth", LNCS 7423, 2013.
.. [2] I. Soboroff, C. Nicholas and P. Cahan, "Ranking retrieval systems without relevance
   judgments", SIGIR 2001.
.. [3] J. A. Aslam and R. Savell, "On the effectiveness of evaluating retrieval systems in the
   absence of relevance judgments", SIGIR 2003.
.. [4] T. Sakai and C.-Y. Lin, "Ranking retrieval systems without relevance assessments:
   revisited", EVIA 2010.
"""

from __future__ import annotations

from consilience import progress
from consilience.errors import UsageError
from consilience.experiments import recorded
from consilience.experiments.recorded import Recording, others_data, packages, stopwatch
from consilience.experiments.reproduced import Asked, Reproduced
from consilience.experiments.runs import figures as of
from consilience.experiments.runs.drawn import figures
from consilience.experiments.runs.findings import findings, headline
from consilience.experiments.runs.labels import Plan, few_labels
from consilience.experiments.runs.lists import QRELS, RUNS, read_lists
from consilience.experiments.runs.measured import measured
from consilience.experiments.runs.tables import tables
from consilience.render.words import CAVEAT

#: The experiment, and its recording.
NAME = RECORDED = "runs"
#: The folder of runs and judgments, and where they come from.
FOLDER = "ir_trec_covid_round1"
ORIGIN = "castorini/TREC-COVID, be3ed3fc"
#: How often topics are drawn anew for intervals; a quick look takes fewer, and fewer draws.
SAMPLES, QUICK_SAMPLES, QUICK_DRAWS = 2000, 200, 2
#: What figures depend on.
PACKAGES = ("consilience", "numpy", "scipy")


def record(asked: Asked) -> Recording:
    """Score all runs in every way; the slow stage."""
    folder = others_data(FOLDER, asked)
    if folder is None:
        raise UsageError(
            f"the runs and judgments of TREC-COVID are not here (fix: --data names the folder that "
            f"holds {FOLDER}, with {RUNS}/ and {QRELS} of {ORIGIN}; or leave --again out: what the "
            "stage gave was recorded)"
        )
    quick = asked.size is not None
    plan = Plan(draws=QUICK_DRAWS) if quick else Plan()
    with stopwatch() as taken:
        lists = read_lists(folder, topics=asked.size)
        with progress.part(0.0, 0.3):
            output = measured(lists, seed=asked.seed, samples=QUICK_SAMPLES if quick else SAMPLES)
        with progress.part(0.3, 1.0):
            output |= {"labels": few_labels(lists, plan, seed=asked.seed), "seed": asked.seed}
    what = f"scores of {len(lists.runs)} runs on {len(lists.grades)} topics, in every way"
    return recorded.made(what, output, versions=packages(*PACKAGES), seconds=taken[0])


def run(asked: Asked) -> Reproduced:
    """Compare rankings with judgments, without them, and with a few labels."""
    if asked.size is not None and not asked.again:
        raise UsageError(
            f"what was recorded is about all topics (fix: --again --size {asked.size} runs the "
            f"stage on {asked.size} of them)"
        )
    return told(record(asked) if asked.again else recorded.load(RECORDED), asked)


def told(recording: Recording, asked: Asked) -> Reproduced:
    """Compute from scores what is told of them."""
    field = of.Field(recording.output)
    found = of.results(field)
    return Reproduced(
        name=NAME,
        title=f"{len(field.runs)} search runs, with judgments and without",
        headline=headline(field, found),
        tables=tables(field, found),
        findings=findings(field, found),
        figures=figures(field, found),
        notes=_notes(field, asked),
        caveat=f"{CAVEAT}, except where judgments or labels are named",
        seed=recording.output["seed"],
        versions=packages(*PACKAGES),
        stages=(recording.stage(),),
        commands=(
            "consilience reproduce runs",
            "consilience reproduce runs --again --data FOLDER",
            f"consilience correlate {FOLDER}/{RUNS} --truth {FOLDER}/{QRELS} -m AP "
            "--belief consensus --belief ls-eb --belief families",
            f"consilience next {FOLDER}/{RUNS} --budget 200 -m P@10 -o labels.csv",
            f"consilience rank {FOLDER}/{RUNS} --truth labels.csv -m P@10",
        ),
        data="TREC-COVID, round 1: the first 100 answers of 143 runs to 30 topics, 8,691 "
        f"judgments ({ORIGIN}; no licence is stated, so that they are not passed on: only "
        "figures that were computed from them are). The paper has no such experiment: its own "
        "data are other ones and were not published",
    )


def _notes(field: of.Field, asked: Asked) -> tuple[str, ...]:
    kept = field.told
    known = kept["dependence"]
    notes = [
        f"{len(field.runs)} runs answer as {known['effective']:.1f} independent systems would; "
        f"{len(known['near'])} groups are near-copies (φ and overlap above .95), "
        f"{len(kept['copies'])} of them exact ones",
        f"{kept['judged_at_10']:.0%} of the runs' first ten answers were judged: the others count "
        "as not relevant, which works against runs that differ from those that were pooled",
        "labels estimate P@10 over judged answers, of which all labels are known; AP depends on "
        "the whole order and cannot be estimated from few labels",
    ]
    if asked.seed != kept["seed"]:
        notes.append(f"what was recorded used seed {kept['seed']} (fix: --again)")
    return tuple(notes)
