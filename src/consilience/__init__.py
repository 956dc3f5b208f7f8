"""Consilience: which of your systems is better, and how sure that is, whatever you have for truth.

>>> import consilience as cs
>>> study = cs.read(cs.example("keyphrases.csv"), truth=cs.example("keyphrases-gold.csv"))
>>> verdict = cs.rank(study, measures=["F1", "P@5"])
>>> print(verdict.sentence)
multi-rake is best by F1 (0.2845) with probability above 0.999, ahead of rake (0.2397), over 60
queries.

Names are loaded when they are first used, so that ``import consilience`` stays light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from consilience._version import __version__

if TYPE_CHECKING:
    from consilience.belief import Belief, gold
    from consilience.belief.agreement import by_family, consensus, discounted, ls_eb, majority
    from consilience.belief.categories import Categorised, by_category, categorise, mixture
    from consilience.belief.classes import Classes, classes
    from consilience.belief.coins import dawid_skene
    from consilience.belief.dependence import Dependence, dependence
    from consilience.belief.eigen import spectral
    from consilience.belief.engines import hierarchical
    from consilience.belief.families import with_families
    from consilience.belief.labelled import aipw
    from consilience.belief.limits import Limits, majority_limits
    from consilience.engine.convert import Converted, convert
    from consilience.engine.ranked import rank_tables
    from consilience.errors import ConsilienceError, InputError, UsageError
    from consilience.examples import example, example_study
    from consilience.examples.pipelines import pipelines
    from consilience.experiments import reproduce
    from consilience.experiments.reproduced import Reproduced
    from consilience.formats.boxes import read_boxes
    from consilience.formats.tracks import read_tracks
    from consilience.match import similarity
    from consilience.match.progressive import Alignment
    from consilience.match.sequences import by_bag, by_position, read_sequences
    from consilience.match.text import Wording
    from consilience.measures.chance_corrected import cohen_kappa, fleiss_kappa, krippendorff_alpha
    from consilience.measures.counts_posterior import CountPosterior, count_posterior
    from consilience.measures.curve import auc, average_precision, precision_recall, roc
    from consilience.measures.displaced import Displacement, weighted_displacement
    from consilience.measures.distribution import Distribution, compared, mixed
    from consilience.measures.expected import expected_ap
    from consilience.measures.names import Measure, parse
    from consilience.measures.orders import kendall, spearman, tau_ap, weighted_tau
    from consilience.measures.paired import Paired, paired
    from consilience.measures.qualities import exponential, rational
    from consilience.measures.scores import Scores, score
    from consilience.measures.soft import soft_cardinality
    from consilience.measures.tops import rbo, regret, top_overlap
    from consilience.measures.trials import Count, number_relevant, numbers_relevant
    from consilience.render.gallery import charts
    from consilience.store.rankings import correlate
    from consilience.study import Study, read, study
    from consilience.study.assigned import assignments, read_assignments
    from consilience.study.benchmark import Benchmark, read_benchmark, save_benchmark, with_runs
    from consilience.study.collection import with_collection
    from consilience.study.condition import condition
    from consilience.study.subjects import read_subjects
    from consilience.study.taxonomy import Tree, tree
    from consilience.verdict.agreement import Wanted, at_cutoffs
    from consilience.verdict.aligned import AlignmentResult, align
    from consilience.verdict.annotators import AnnotatorAgreement, agree
    from consilience.verdict.boxes import DetectionResult, detections
    from consilience.verdict.categorised import TreeResult, by_tree
    from consilience.verdict.correlation import Correlation
    from consilience.verdict.correlation_study import correlate_study
    from consilience.verdict.curve import curve
    from consilience.verdict.items_table import ItemsTable, items_table
    from consilience.verdict.labelling import Labelling, next_labels
    from consilience.verdict.matched import soft_votes
    from consilience.verdict.paired_tests import holm, paired_tests
    from consilience.verdict.panel import Panel, panel
    from consilience.verdict.rank import Verdict, rank
    from consilience.verdict.segments import SegmentResult, segments
    from consilience.verdict.soft import SoftResult, soft, soft_matching
    from consilience.verdict.subjects import displacement
    from consilience.verdict.uncertain import Distributions, distributions

#: Name → the module that defines it.
_WHERE = {
    "Alignment": "match.progressive",
    "AlignmentResult": "verdict.aligned",
    "AnnotatorAgreement": "verdict.annotators",
    "Belief": "belief",
    "Benchmark": "study.benchmark",
    "Categorised": "belief.categories",
    "Classes": "belief.classes",
    "ConsilienceError": "errors",
    "Converted": "engine.convert",
    "Correlation": "verdict.correlation",
    "Count": "measures.trials",
    "CountPosterior": "measures.counts_posterior",
    "Dependence": "belief.dependence",
    "DetectionResult": "verdict.boxes",
    "Displacement": "measures.displaced",
    "Distribution": "measures.distribution",
    "Distributions": "verdict.uncertain",
    "InputError": "errors",
    "ItemsTable": "verdict.items_table",
    "Labelling": "verdict.labelling",
    "Limits": "belief.limits",
    "Measure": "measures.names",
    "Paired": "measures.paired",
    "Panel": "verdict.panel",
    "Reproduced": "experiments.reproduced",
    "Scores": "measures.scores",
    "SegmentResult": "verdict.segments",
    "SoftResult": "verdict.soft",
    "Study": "study",
    "Tree": "study.taxonomy",
    "TreeResult": "verdict.categorised",
    "UsageError": "errors",
    "Verdict": "verdict.rank",
    "Wanted": "verdict.agreement",
    "Wording": "match.text",
    "agree": "verdict.annotators",
    "aipw": "belief.labelled",
    "align": "verdict.aligned",
    "assignments": "study.assigned",
    "at_cutoffs": "verdict.agreement",
    "auc": "measures.curve",
    "average_precision": "measures.curve",
    "by_bag": "match.sequences",
    "by_category": "belief.categories",
    "by_family": "belief.agreement",
    "by_position": "match.sequences",
    "by_tree": "verdict.categorised",
    "categorise": "belief.categories",
    "charts": "render.gallery",
    "classes": "belief.classes",
    "cohen_kappa": "measures.chance_corrected",
    "compared": "measures.distribution",
    "condition": "study.condition",
    "consensus": "belief.agreement",
    "convert": "engine.convert",
    "correlate": "store.rankings",
    "correlate_study": "verdict.correlation_study",
    "count_posterior": "measures.counts_posterior",
    "curve": "verdict.curve",
    "dawid_skene": "belief.coins",
    "dependence": "belief.dependence",
    "detections": "verdict.boxes",
    "discounted": "belief.agreement",
    "displacement": "verdict.subjects",
    "distributions": "verdict.uncertain",
    "example": "examples",
    "example_study": "examples",
    "expected_ap": "measures.expected",
    "exponential": "measures.qualities",
    "fleiss_kappa": "measures.chance_corrected",
    "gold": "belief",
    "hierarchical": "belief.engines",
    "holm": "verdict.paired_tests",
    "items_table": "verdict.items_table",
    "kendall": "measures.orders",
    "krippendorff_alpha": "measures.chance_corrected",
    "ls_eb": "belief.agreement",
    "majority": "belief.agreement",
    "majority_limits": "belief.limits",
    "mixed": "measures.distribution",
    "mixture": "belief.categories",
    "next_labels": "verdict.labelling",
    "number_relevant": "measures.trials",
    "numbers_relevant": "measures.trials",
    "paired": "measures.paired",
    "paired_tests": "verdict.paired_tests",
    "panel": "verdict.panel",
    "parse": "measures.names",
    "pipelines": "examples.pipelines",
    "precision_recall": "measures.curve",
    "rank": "verdict.rank",
    "rank_tables": "engine.ranked",
    "rational": "measures.qualities",
    "rbo": "measures.tops",
    "read": "study",
    "read_assignments": "study.assigned",
    "read_benchmark": "study.benchmark",
    "read_boxes": "formats.boxes",
    "read_sequences": "match.sequences",
    "read_subjects": "study.subjects",
    "read_tracks": "formats.tracks",
    "regret": "measures.tops",
    "reproduce": "experiments",
    "roc": "measures.curve",
    "save_benchmark": "study.benchmark",
    "score": "measures.scores",
    "segments": "verdict.segments",
    "similarity": "match",
    "soft": "verdict.soft",
    "soft_cardinality": "measures.soft",
    "soft_matching": "verdict.soft",
    "soft_votes": "verdict.matched",
    "spearman": "measures.orders",
    "spectral": "belief.eigen",
    "study": "study",
    "tau_ap": "measures.orders",
    "top_overlap": "measures.tops",
    "tree": "study.taxonomy",
    "weighted_displacement": "measures.displaced",
    "weighted_tau": "measures.orders",
    "with_collection": "study.collection",
    "with_families": "belief.families",
    "with_runs": "study.benchmark",
}

__all__ = [
    "Alignment",
    "AlignmentResult",
    "AnnotatorAgreement",
    "Belief",
    "Benchmark",
    "Categorised",
    "Classes",
    "ConsilienceError",
    "Converted",
    "Correlation",
    "Count",
    "CountPosterior",
    "Dependence",
    "DetectionResult",
    "Displacement",
    "Distribution",
    "Distributions",
    "InputError",
    "ItemsTable",
    "Labelling",
    "Limits",
    "Measure",
    "Paired",
    "Panel",
    "Reproduced",
    "Scores",
    "SegmentResult",
    "SoftResult",
    "Study",
    "Tree",
    "TreeResult",
    "UsageError",
    "Verdict",
    "Wanted",
    "Wording",
    "__version__",
    "agree",
    "aipw",
    "align",
    "assignments",
    "at_cutoffs",
    "auc",
    "average_precision",
    "by_bag",
    "by_category",
    "by_family",
    "by_position",
    "by_tree",
    "categorise",
    "charts",
    "classes",
    "cohen_kappa",
    "compared",
    "condition",
    "consensus",
    "convert",
    "correlate",
    "correlate_study",
    "count_posterior",
    "curve",
    "dawid_skene",
    "dependence",
    "detections",
    "discounted",
    "displacement",
    "distributions",
    "example",
    "example_study",
    "expected_ap",
    "exponential",
    "fleiss_kappa",
    "gold",
    "hierarchical",
    "holm",
    "items_table",
    "kendall",
    "krippendorff_alpha",
    "ls_eb",
    "majority",
    "majority_limits",
    "mixed",
    "mixture",
    "next_labels",
    "number_relevant",
    "numbers_relevant",
    "paired",
    "paired_tests",
    "panel",
    "parse",
    "pipelines",
    "precision_recall",
    "rank",
    "rank_tables",
    "rational",
    "rbo",
    "read",
    "read_assignments",
    "read_benchmark",
    "read_boxes",
    "read_sequences",
    "read_subjects",
    "read_tracks",
    "regret",
    "reproduce",
    "roc",
    "save_benchmark",
    "score",
    "segments",
    "similarity",
    "soft",
    "soft_cardinality",
    "soft_matching",
    "soft_votes",
    "spearman",
    "spectral",
    "study",
    "tau_ap",
    "top_overlap",
    "tree",
    "weighted_displacement",
    "weighted_tau",
    "with_collection",
    "with_families",
    "with_runs",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
